//! NEAR: which instances of phrases lie near instances of all others.

use super::leaf::LeafPhrase;

/// How far [`trim`] has come with the instances of one phrase. Those that stay are moved to the front.
#[derive(Debug, Default)]
pub(super) struct Progress {
    at: usize,
    kept: usize,
}

impl LeafPhrase {
    #[inline]
    fn current(&self) -> Option<u64> {
        self.matches.get(self.near.at).copied()
    }

    fn keep(&mut self, position: u64) {
        let is_kept = self.near.kept.checked_sub(1).and_then(|last| self.matches.get(last)) == Some(&position);
        if let Some(place) = self.matches.get_mut(self.near.kept).filter(|_| !is_kept) {
            *place = position;
            self.near.kept += 1;
        }
    }
}

/// Of the instances of phrases, leaves only those of which one of each phrase lies so that at most `distance` tokens are between the end
/// of any and the beginning of the last. Whether there are any.
///
/// Of instances that lie near in more ways than one, SQLite does not find all: which, depends on the order in which phrases go on.
pub(super) fn trim(phrases: &mut [LeafPhrase], distance: u32) -> bool {
    phrases.iter_mut().for_each(|one| one.near = Progress::default());
    while align(phrases, u64::from(distance)).is_some() {
        for one in &mut *phrases {
            if let Some(position) = one.current() {
                one.keep(position);
            }
        }
        // The phrase goes on whose next instance comes first.
        match phrases.iter_mut().min_by_key(|one| one.matches.get(one.near.at + 1).copied().unwrap_or(u64::MAX)) {
            Some(next) => next.near.at += 1,
            None => break,
        }
    }
    phrases.iter_mut().for_each(|one| one.matches.truncate(one.near.kept));
    phrases.iter().all(|one| !one.matches.is_empty())
}

/// Moves all instances on until none is too far in front of the last. None: a phrase has no more.
fn align(phrases: &mut [LeafPhrase], distance: u64) -> Option<()> {
    let mut last = phrases.first()?.current()?;
    loop {
        let wanted = last;
        for one in &mut *phrases {
            let reach = one.terms.len() as u64 + distance;
            let mut position = one.current()?;
            while position + reach < last {
                one.near.at += 1;
                position = one.current()?;
            }
            last = last.max(position);
        }
        if last == wanted {
            return Some(());
        }
    }
}
