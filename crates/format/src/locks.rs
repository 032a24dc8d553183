//! The bytes that are locked: a protocol of byte ranges between all processes that use a database.
//!
//! On the database file, at the first byte of the second gigabyte; nothing is ever stored there, and
//! the page that contains these bytes stays unused:
//!
//! ```text
//!   0x40000000  +1         +2                                  +512
//!   | pending   | reserved | shared: 510 bytes                 |
//! ```
//!
//! A reader holds a read lock on the shared bytes. A writer holds the reserved byte from its first
//! change on, then the pending byte, which keeps new readers out, and the shared bytes while it
//! changes the file.
//!
//! On the `-shm` file, within the header of the WAL index, where the locked bytes are too:
//!
//! ```text
//!   120     121          122       123 ... 127                128
//!   | write | checkpoint | recover | read mark 0 ... 4         | alive |
//! ```
//!
//! Each process that has the file open holds a read lock on the last one: the first process finds no lock there, and
//! treats the content as left over from a crash.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{PageNo, PageSize};

/// Locked by a writer that waits for readers to end, and checked by new readers.
static PENDING_BYTE: AtomicU32 = AtomicU32::new(0x4000_0000);

/// The first of the lock bytes: a writer that waits for readers to end locks it.
#[inline]
pub fn pending_byte() -> u32 {
    PENDING_BYTE.load(Ordering::Relaxed)
}

/// Moves the lock bytes, for tests of them in small files (`sqlite3_test_control`), while no database is open. Other programs cannot
/// read files that were written so. The first page stays in its place, whatever its size.
pub fn move_pending_byte(to: u32) {
    if to >= PageSize::MAX.get() {
        PENDING_BYTE.store(to, Ordering::Relaxed);
    }
}

impl PageSize {
    /// The page that contains the lock bytes: never allocated, never read, never written. A database smaller than a
    /// gigabyte does not extend to it.
    #[inline]
    pub fn lock_byte_page(self) -> PageNo {
        PageNo::FIRST.plus(pending_byte() / self.get()).unwrap_or(PageNo::FIRST)
    }
}

/// Locked by the one connection that intends to write.
#[inline]
pub fn reserved_byte() -> u64 {
    u64::from(pending_byte()) + 1
}

/// The first of the bytes that readers share.
#[inline]
pub fn shared_first() -> u64 {
    u64::from(pending_byte()) + 2
}

/// How many bytes readers share.
pub const SHARED_SIZE: u64 = 510;

/// The first lock byte of the `-shm` file.
pub const SHM_LOCKS_AT: u64 = 120;
/// How many lock slots there are.
pub const SHM_SLOTS: u8 = 8;
/// The byte after the slots: every process that has the `-shm` file open holds a read lock on it.
pub const SHM_ALIVE_BYTE: u64 = SHM_LOCKS_AT + SHM_SLOTS as u64;

/// The slot of the one writer.
pub const WRITE_SLOT: u8 = 0;
/// The slot of the one checkpointer.
pub const CHECKPOINT_SLOT: u8 = 1;
/// The slot of the connection that rebuilds the WAL index.
pub const RECOVER_SLOT: u8 = 2;
/// How many read marks there are.
pub const READ_MARKS: usize = 5;

/// The slot of the readers that use read mark `mark`.
#[inline]
pub const fn read_slot(mark: usize) -> u8 {
    assert!(mark < READ_MARKS);
    RECOVER_SLOT + 1 + mark as u8
}

/// The slots of the readers that use the read marks from `first` on.
pub const fn read_slots_from(first: usize) -> Range<u8> {
    read_slot(first)..SHM_SLOTS
}

const _: () = assert!(read_slot(READ_MARKS - 1) + 1 == SHM_SLOTS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_byte_page() {
        assert_eq!(PageSize::DEFAULT.lock_byte_page().get(), 262145);
        assert_eq!(PageSize::MAX.lock_byte_page().get(), 16385);
        assert_eq!(PageSize::MIN.lock_byte_page().get(), 2097153);
    }
}
