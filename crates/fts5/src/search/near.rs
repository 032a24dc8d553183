//! NEAR: which instances of phrases lie near instances of all others.

/// The instances of one phrase. Those that stay are moved to the front.
struct Instances<'p> {
    all: &'p mut Vec<u64>,
    /// How many tokens each has.
    len: u64,
    at: usize,
    kept: usize,
}

impl Instances<'_> {
    fn current(&self) -> Option<u64> {
        self.all.get(self.at).copied()
    }

    fn keep(&mut self, position: u64) {
        let is_kept = self.kept.checked_sub(1).and_then(|last| self.all.get(last)) == Some(&position);
        if let Some(place) = self.all.get_mut(self.kept).filter(|_| !is_kept) {
            *place = position;
            self.kept += 1;
        }
    }
}

/// Of the instances of phrases, each with its number of tokens, leaves only those of which one of each phrase lies so that at most `distance` tokens are between the end of any and the
/// beginning of the last. Whether there are any.
///
/// Of instances that lie near in more ways than one, SQLite does not find all: which, depends on the order in which phrases go on.
pub(super) fn trim<'p>(phrases: impl Iterator<Item = (&'p mut Vec<u64>, u64)>, distance: u32) -> bool {
    let mut all: Vec<Instances<'_>> = phrases.map(|(all, len)| Instances { all, len, at: 0, kept: 0 }).collect();
    while align(&mut all, u64::from(distance)) {
        for one in &mut all {
            if let Some(position) = one.current() {
                one.keep(position);
            }
        }
        // The phrase goes on whose next instance comes first.
        match all.iter_mut().min_by_key(|one| one.all.get(one.at + 1).copied().unwrap_or(u64::MAX)) {
            Some(next) => next.at += 1,
            None => break,
        }
    }
    all.iter_mut().for_each(|one| one.all.truncate(one.kept));
    all.iter().all(|one| !one.all.is_empty())
}

/// Moves all instances on until none is too far in front of the last. False: a phrase has no more.
fn align(all: &mut [Instances<'_>], distance: u64) -> bool {
    try_align(all, distance).is_some()
}

fn try_align(all: &mut [Instances<'_>], distance: u64) -> Option<()> {
    let mut last = all.first()?.current()?;
    loop {
        let wanted = last;
        for one in &mut *all {
            while one.current()? + one.len + distance < last {
                one.at += 1;
            }
            last = last.max(one.current()?);
        }
        if last == wanted {
            return Some(());
        }
    }
}
