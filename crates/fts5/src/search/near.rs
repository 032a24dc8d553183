//! NEAR: the instances of phrases that are near instances of all others.

use crate::position::Reader;

/// The instances of one phrase in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Instances {
    /// The positions of the instances.
    pub positions: Vec<u64>,
    /// The number of tokens of each.
    pub len: u64,
    /// The index of the instance that [`trim`] has reached.
    at: usize,
    /// The number of instances that stay; they are moved to the front.
    kept: usize,
}

impl Instances {
    /// No instances yet, of a phrase with this number of tokens.
    pub fn of_len(len: u64) -> Instances {
        Instances { len, ..Instances::default() }
    }

    #[inline]
    fn current(&self) -> Option<u64> {
        self.positions.get(self.at).copied()
    }

    /// Instances at these positions, of a phrase with this number of tokens.
    pub fn at(positions: Vec<u64>, len: u64) -> Instances {
        Instances { positions, len, ..Instances::default() }
    }

    fn keep(&mut self, position: u64) {
        let is_kept = self.kept.checked_sub(1).and_then(|last| self.positions.get(last)) == Some(&position);
        if let Some(place) = self.positions.get_mut(self.kept).filter(|_| !is_kept) {
            *place = position;
            self.kept += 1;
        }
    }
}

impl AsMut<Instances> for Instances {
    fn as_mut(&mut self) -> &mut Instances {
        self
    }
}

/// Whether two phrases of one token each have instances for which [`trim`] leaves any. The first that are found will do.
pub(super) fn are_near<'a>(first: Reader<'a>, second: Reader<'a>, distance: u32) -> bool {
    let reach = 1 + u64::from(distance);
    first_pair(first, second, |one, other| one.abs_diff(other) <= reach)
}

/// Whether a position of the second list is directly behind one of the first.
pub(super) fn are_neighbours<'a>(mut first: Reader<'a>, mut second: Reader<'a>) -> bool {
    let (Some(mut one), Some(mut other)) = (first.next(), second.next()) else { return false };
    loop {
        while one + 1 < other {
            let Some(next) = first.next() else { return false };
            one = next;
        }
        if one + 1 == other {
            return true;
        }
        while other <= one {
            let Some(next) = second.next() else { return false };
            other = next;
        }
    }
}

/// Goes through two lists in the order of their positions, until a pair of positions, of which none lies between, is the wanted one.
#[inline]
fn first_pair<'a>(mut first: Reader<'a>, mut second: Reader<'a>, is_it: impl Fn(u64, u64) -> bool) -> bool {
    let (Some(mut one), Some(mut other)) = (first.next(), second.next()) else { return false };
    loop {
        if is_it(one, other) {
            return true;
        }
        let (behind, position) = if one < other { (&mut first, &mut one) } else { (&mut second, &mut other) };
        match behind.next() {
            Some(next) => *position = next,
            None => return false,
        }
    }
}

/// Of the instances of phrases, leaves only those of which one of each phrase lies so that at most `distance` tokens are between the end
/// of any and the beginning of the last. Whether there are any.
///
/// Of instances that lie near in several combinations, SQLite does not find all. Which ones are found depends on the order in which
/// phrases advance.
pub(super) fn trim<P: AsMut<Instances>>(phrases: &mut [P], distance: u32) -> bool {
    phrases.iter_mut().map(AsMut::as_mut).for_each(|one| (one.at, one.kept) = (0, 0));
    while align(phrases, u64::from(distance)).is_some() {
        for one in phrases.iter_mut().map(AsMut::as_mut) {
            if let Some(position) = one.current() {
                one.keep(position);
            }
        }
        // The phrase whose next instance comes first advances.
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
