//! Lock levels and shared-memory slots among the handles of one file, all in this process.

use std::ops::Range;

use crate::{LockLevel, ShmLock};

/// The lock levels of one file's handles.
#[derive(Debug, Default)]
pub(super) struct FileLocks {
    sharers: u32,
    /// The one handle that holds more than `Shared`.
    writer: LockLevel,
}

impl FileLocks {
    /// Raises a handle's lock from `from`, and answers the level that it then holds.
    pub(super) fn raise(&mut self, from: LockLevel, wanted: LockLevel) -> LockLevel {
        let mine = from > LockLevel::Shared;
        if from >= wanted || (!mine && self.writer > LockLevel::None && wanted > LockLevel::Shared) {
            return from;
        }
        match wanted {
            // A handle passes through PENDING on its way to EXCLUSIVE, and cannot take that level by itself.
            LockLevel::None | LockLevel::Pending => return from,
            LockLevel::Shared if self.writer >= LockLevel::Pending => return from,
            LockLevel::Shared => {
                self.sharers += 1;
                return LockLevel::Shared;
            }
            LockLevel::Reserved => self.writer = LockLevel::Reserved,
            LockLevel::Exclusive if self.sharers == 1 => self.writer = LockLevel::Exclusive,
            LockLevel::Exclusive if mine => self.writer = LockLevel::Pending,
            LockLevel::Exclusive => return from,
        }
        self.writer
    }

    /// Lowers a handle's lock.
    pub(super) fn lower(&mut self, from: LockLevel, wanted: LockLevel) {
        if from > LockLevel::Shared {
            self.writer = LockLevel::None;
        }
        if from >= LockLevel::Shared && wanted == LockLevel::None {
            self.sharers -= 1;
        }
    }

    pub(super) fn is_reserved(&self) -> bool {
        self.writer > LockLevel::None
    }
}

/// The locks of the shared-memory slots: for each slot how many handles share it, or -1 for an exclusive holder.
#[derive(Debug, Default)]
pub(super) struct SlotLocks {
    holders: [i32; 8],
}

impl SlotLocks {
    pub(super) fn lock(&mut self, slots: Range<u8>, how: ShmLock) -> bool {
        let holders = &mut self.holders[usize::from(slots.start)..usize::from(slots.end)];
        let free = holders.iter().all(|&holder| holder == 0 || (how == ShmLock::Shared && holder > 0));
        if free {
            holders.iter_mut().for_each(|holder| *holder = if how == ShmLock::Shared { *holder + 1 } else { -1 });
        }
        free
    }

    pub(super) fn unlock(&mut self, slots: Range<u8>, how: ShmLock) {
        let holders = &mut self.holders[usize::from(slots.start)..usize::from(slots.end)];
        holders.iter_mut().for_each(|holder| *holder = if how == ShmLock::Shared { *holder - 1 } else { 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        use LockLevel::{Exclusive, None, Pending, Reserved, Shared};
        let mut locks = FileLocks::default();
        let mut one = locks.raise(None, Shared);
        let mut two = locks.raise(None, Shared);
        one = locks.raise(one, Reserved);
        assert_eq!((one, locks.raise(two, Reserved), locks.is_reserved()), (Reserved, Shared, true));
        one = locks.raise(one, Exclusive);
        assert_eq!((one, locks.raise(None, Shared)), (Pending, None));
        locks.lower(two, None);
        one = locks.raise(one, Exclusive);
        assert_eq!(one, Exclusive);
        locks.lower(one, Shared);
        two = locks.raise(None, Shared);
        assert_eq!((two, locks.raise(two, Exclusive)), (Shared, Shared));
        locks.lower(Shared, None);
        assert_eq!(locks.raise(two, Exclusive), Exclusive);
    }

    #[test]
    fn slots() {
        let mut locks = SlotLocks::default();
        assert!(locks.lock(3..4, ShmLock::Shared) && locks.lock(3..4, ShmLock::Shared));
        assert!(!locks.lock(3..4, ShmLock::Exclusive) && !locks.lock(2..8, ShmLock::Exclusive));
        assert!(locks.lock(4..8, ShmLock::Exclusive) && !locks.lock(5..6, ShmLock::Shared));
        locks.unlock(3..4, ShmLock::Shared);
        locks.unlock(3..4, ShmLock::Shared);
        assert!(locks.lock(3..4, ShmLock::Exclusive));
    }
}
