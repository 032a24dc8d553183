//! Which entries of an index become samples: the same ones as in SQLite, so that both planners choose the same plans.
//!
//! There are two reasons to take an entry.
//!
//! * Its *place*: one entry is taken at regular distances, a third of all samples. These are never replaced.
//! * Its *group*: when a group of entries that are equal in some leading columns ends, the entry that represents it is
//!   taken if
//!   the group is larger than the smallest one that a sample was taken for. The entry that represents a group is the one that
//!   represents its largest group of one column more, and so on. A group that already has an entry among the samples needs no
//!   other.
//!
//! Pseudo-random numbers decide between equals.

/// How many samples there are at most.
pub const MOST: usize = 24;
/// How many of them are taken for their place, at most.
const POSITIONS: u64 = MOST as u64 / 3;

/// An entry with the counts of its groups, one number for each count of leading columns.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub record: Vec<u8>,
    /// Entries in the group; 0 in a sample until the group has ended.
    pub equal: Vec<u64>,
    /// Entries before the group.
    pub less: Vec<u64>,
    /// Groups before it.
    pub distinct_less: Vec<u64>,
    reason: Reason,
    tie_breaker: u32,
}

/// Why an entry is a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reason {
    #[default]
    Position,
    /// The sample represents its group, whose entries have equal values in this number of leading columns plus one.
    Group(usize),
}

impl Sample {
    /// The state before the first entry of an index with that many columns.
    pub fn before_all(width: usize) -> Sample {
        Sample { equal: vec![0; width], less: vec![0; width], distinct_less: vec![0; width], ..Sample::default() }
    }

    /// Becomes a copy of the other, but for its reason, without releasing memory.
    fn become_copy_of(&mut self, other: &Sample) {
        self.record.clone_from(&other.record);
        self.equal.clone_from(&other.equal);
        self.less.clone_from(&other.less);
        self.distinct_less.clone_from(&other.distinct_less);
        self.tie_breaker = other.tie_breaker;
    }

    /// Whether this entry represents a group of `at + 1` columns better than the other: its groups of more columns are
    /// larger.
    fn represents_better(&self, other: &Sample, at: usize) -> bool {
        let behind = at + 1..self.equal.len();
        let own = self.equal.get(behind.clone()).unwrap_or_default();
        let others = other.equal.get(behind).unwrap_or_default();
        own.cmp(others).then(self.tie_breaker.cmp(&other.tie_breaker)).is_gt()
    }

    /// Whether this sample is preferred to the other. `own` and `others` are the columns of the groups they were taken
    /// for, less one.
    fn is_preferred_to(&self, own: usize, other: &Sample, others: usize) -> bool {
        let (size, other_size) = (self.equal[own], other.equal[others]);
        size > other_size || size == other_size && (own < others || own == others && self.represents_better(other, own))
    }
}

/// The entry that represents a group. Most groups have one entry: an entry is copied when it is known that its group goes on.
#[derive(Clone, Default)]
enum Representative {
    /// The current entry.
    #[default]
    Current,
    /// An entry before.
    Earlier(Sample),
}

impl Representative {
    fn earlier(self) -> Option<Sample> {
        match self {
            Representative::Current => None,
            Representative::Earlier(sample) => Some(sample),
        }
    }
}

/// The samples of the entries so far.
pub struct Selection {
    width: usize,
    /// Every `distance`th entry is a sample because of its position.
    distance: u64,
    /// In the order of the index.
    samples: Vec<Sample>,
    /// The sample that is replaced next, once there are [`MOST`].
    weakest: Option<usize>,
    /// For each count of leading columns except all of them: the entry that represents the current group.
    best: Vec<Representative>,
    /// The memory of samples that are no longer needed.
    spare: Vec<Sample>,
    /// In every sample, the sizes of groups of more columns than this are final.
    open: usize,
    tie_breaker: u32,
}

impl Selection {
    /// For an index with that many entries and columns.
    pub fn new(width: usize, entries: u64) -> Selection {
        // SQLite mixes the low halves.
        let tie_breaker = 0x689e_962d_u32.wrapping_mul(width as u32) ^ 0xd094_4565_u32.wrapping_mul(entries as u32);
        Selection {
            width,
            distance: entries / (POSITIONS + 1) + 1,
            samples: Vec::with_capacity(MOST),
            weakest: None,
            best: vec![Representative::default(); width.saturating_sub(1)],
            spare: Vec::new(),
            open: 0,
            tie_breaker,
        }
    }

    /// The next entry, which is equal to the entry before in the first `changed` columns.
    pub fn add(&mut self, current: &mut Sample, changed: usize) {
        debug_assert!(changed <= self.width && current.less.len() == self.width, "an entry of the index");
        self.tie_breaker = self.tie_breaker.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        current.tie_breaker = self.tie_breaker;
        let Some(last) = self.width.checked_sub(1) else { return };
        let before = current.less[last];
        if before / self.distance != (before + 1) / self.distance {
            self.insert(current, last, Reason::Position);
        }
        for (at, best) in self.best.iter_mut().enumerate() {
            let is_current = match best {
                Representative::Earlier(earlier) => at >= changed || current.represents_better(earlier, at),
                Representative::Current => true,
            };
            if is_current {
                self.spare.extend(std::mem::take(best).earlier());
            }
        }
    }

    /// Ends the groups of more than `changed` columns; `current` has their sizes.
    pub fn close(&mut self, current: &Sample, changed: usize) {
        debug_assert!(changed <= self.width && current.equal.len() == self.width, "groups of the index");
        for best in self.best.iter_mut().take(changed) {
            if let Representative::Current = best {
                let mut earlier = self.spare.pop().unwrap_or_default();
                earlier.become_copy_of(current);
                *best = Representative::Earlier(earlier);
            }
        }
        for at in (changed..self.best.len()).rev() {
            match std::mem::take(&mut self.best[at]) {
                Representative::Current => self.end_group(current, at),
                Representative::Earlier(mut earlier) => {
                    earlier.equal[at] = current.equal[at];
                    self.end_group(&earlier, at);
                    self.spare.push(earlier);
                }
            }
        }
        if changed < self.open {
            for sample in &mut self.samples {
                let unknown =
                    sample.equal.iter_mut().zip(&current.equal).skip(changed).filter(|(equal, _)| **equal == 0);
                unknown.for_each(|(equal, size)| *equal = *size);
            }
            self.open = changed;
        }
    }

    /// The samples, in the order of the index.
    pub fn into_samples(self) -> Vec<Sample> {
        assert!(self.samples.len() <= MOST, "more samples than are kept");
        self.samples
    }

    /// Takes the entry that represents a group of `at + 1` columns for a sample, if it is preferred to the weakest.
    fn end_group(&mut self, best: &Sample, at: usize) {
        debug_assert!(best.equal[at] > 0, "a group that ends has entries");
        let is_taken = match self.weakest.filter(|_| self.samples.len() >= MOST) {
            Some(weakest) => self.is_preferred_to(best, at, weakest),
            None => self.samples.len() < MOST,
        };
        if is_taken {
            self.insert_for_group(best, at);
        }
    }

    fn is_preferred_to(&self, new: &Sample, at: usize, old: usize) -> bool {
        match self.samples[old].reason {
            Reason::Group(group) => new.is_preferred_to(at, &self.samples[old], group),
            Reason::Position => false,
        }
    }

    /// Takes `new` for its group of `at + 1` columns, unless the group has samples: then the best of those is taken for
    /// it.
    fn insert_for_group(&mut self, new: &Sample, at: usize) {
        let mut best: Option<usize> = None;
        for index in (0..self.samples.len()).rev().filter(|&index| self.samples[index].equal[at] == 0) {
            let Reason::Group(group) = self.samples[index].reason else { return };
            if best.is_none_or(|best| self.is_preferred_to(&self.samples[index], group, best)) {
                best = Some(index);
            }
        }
        match best {
            Some(best) => {
                self.open = self.open.max(at);
                self.samples[best].reason = Reason::Group(at);
                self.samples[best].equal[at] = new.equal[at];
                self.find_weakest();
            }
            None => self.insert(new, at, Reason::Group(at)),
        }
    }

    /// Adds a sample whose groups of no more than `open` columns have not ended.
    fn insert(&mut self, new: &Sample, open: usize, reason: Reason) {
        self.open = self.open.max(open);
        let mut sample = match self.weakest.take().filter(|_| self.samples.len() >= MOST) {
            Some(weakest) => self.samples.remove(weakest),
            None if self.samples.len() >= MOST => return,
            None => Sample::default(),
        };
        sample.become_copy_of(new);
        sample.reason = reason;
        sample.equal[..open].fill(0);
        self.samples.push(sample);
        debug_assert!(self.samples.len() <= MOST, "one sample has made room for the other");
        self.find_weakest();
    }

    /// Finds the sample that is replaced next, once there are [`MOST`].
    fn find_weakest(&mut self) {
        if self.samples.len() < MOST {
            return;
        }
        let mut weakest: Option<(usize, usize)> = None;
        for (index, sample) in self.samples.iter().enumerate() {
            let Reason::Group(group) = sample.reason else { continue };
            if weakest.is_none_or(|(other, others)| self.samples[other].is_preferred_to(others, sample, group)) {
                weakest = Some((index, group));
            }
        }
        self.weakest = weakest.map(|(index, _)| index);
        debug_assert!(self.weakest.is_some(), "a third of the samples at most is there for its place");
    }
}
