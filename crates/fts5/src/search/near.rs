//! NEAR: which instances of phrases lie near instances of all others.

/// The instances of one phrase in a row.
#[derive(Debug, Default)]
pub(super) struct Instances {
    /// Where they are.
    pub positions: Vec<u64>,
    /// How many tokens each has.
    pub len: u64,
    /// How far [`trim`] has come.
    at: usize,
    /// How many stay: they are moved to the front.
    kept: usize,
}

impl Instances {
    /// None yet, of a phrase with so many tokens.
    pub fn of_len(len: u64) -> Instances {
        Instances { len, ..Instances::default() }
    }

    #[inline]
    fn current(&self) -> Option<u64> {
        self.positions.get(self.at).copied()
    }

    fn keep(&mut self, position: u64) {
        let is_kept = self.kept.checked_sub(1).and_then(|last| self.positions.get(last)) == Some(&position);
        if let Some(place) = self.positions.get_mut(self.kept).filter(|_| !is_kept) {
            *place = position;
            self.kept += 1;
        }
    }
}

/// Of the instances of phrases, leaves only those of which one of each phrase lies so that at most `distance` tokens are between the end
/// of any and the beginning of the last. Whether there are any.
///
/// Of instances that lie near in more ways than one, SQLite does not find all: which, depends on the order in which phrases go on.
pub(super) fn trim<P: AsMut<Instances>>(phrases: &mut [P], distance: u32) -> bool {
    phrases.iter_mut().map(AsMut::as_mut).for_each(|one| (one.at, one.kept) = (0, 0));
    while align(phrases, u64::from(distance)).is_some() {
        for one in phrases.iter_mut().map(AsMut::as_mut) {
            if let Some(position) = one.current() {
                one.keep(position);
            }
        }
        // The phrase goes on whose next instance comes first.
        let all = phrases.iter_mut().map(AsMut::as_mut);
        match all.min_by_key(|one| one.positions.get(one.at + 1).copied().unwrap_or(u64::MAX)) {
            Some(next) => next.at += 1,
            None => break,
        }
    }
    let mut is_near = true;
    for one in phrases.iter_mut().map(AsMut::as_mut) {
        one.positions.truncate(one.kept);
        is_near &= one.kept > 0;
    }
    is_near
}

/// Moves all instances on until none is too far in front of the last. None: a phrase has no more.
fn align<P: AsMut<Instances>>(phrases: &mut [P], distance: u64) -> Option<()> {
    let mut last = phrases.first_mut()?.as_mut().current()?;
    loop {
        let wanted = last;
        for one in phrases.iter_mut().map(AsMut::as_mut) {
            let reach = one.len + distance;
            let mut position = one.current()?;
            while position + reach < last {
                one.at += 1;
                position = one.current()?;
            }
            last = last.max(position);
        }
        if last == wanted {
            return Some(());
        }
    }
}
