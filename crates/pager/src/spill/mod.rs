//! Where the pages of a transaction go that leave the dirty set before the commit.
//!
//! ```text
//!                  1                          N                        page count
//!   database file  |  elsewhere               |  their own place        |
//!                     a temporary file,          in the database file
//!                     or frames of the log
//! ```
//!
//! Which of them, and what N is, is chosen once a transaction ([`SpillTarget`]). Why pages that the transaction has added go to their
//! own place: page 1 says where the database ends, nobody looks behind that, and a crash leaves no more there than a file that is
//! too long. So importing many rows writes them once. What others read stays as it is until the commit: overwriting it would take
//! an EXCLUSIVE lock for the rest of the transaction, and change bytes that cursors borrow from the mapping.
//!
//! | module | subject |
//! | --- | --- |
//! | `target` | the choice, as pure functions |
//! | `temp` | pages in a temporary file |
//! | `placed` | which pages are in their own place |
//!
//! The pages in frames are known to the log (`wal::append`). Who carries the choice out is `pager::spill`.

mod placed;
mod target;
mod temp;

use lithe_format::wal::Sum;

use self::placed::PlacedPages;
pub(crate) use self::target::{Place, SpillConditions, SpillTarget};
use self::temp::TempSpill;

/// How much was spilled at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpillMark {
    /// In pages of the temporary file, or the last frame of the log.
    pub(crate) len: u32,
    /// The checksum of that frame.
    pub(crate) sum: Sum,
    /// The transaction had started the log over.
    pub(crate) restarted: bool,
}

/// How much was spilled when the oldest and the newest savepoint were opened: 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) oldest: u32,
    pub(crate) newest: u32,
}

/// The pages of one transaction that have left the dirty set.
#[derive(Debug, Default)]
pub(crate) struct Spill {
    /// Chosen when the first page leaves.
    pub(crate) target: Option<SpillTarget>,
    pub(crate) temp: TempSpill,
    pub(crate) placed: PlacedPages,
    /// Pages that others know were overwritten in their place: nobody else reads, and only a journal leads back.
    pub(crate) overwrites: bool,
}

impl Spill {
    /// Whether pages are in the temporary file or in their place behind the end of the database.
    pub(crate) fn has_pages(&self) -> bool {
        !self.temp.is_empty() || !self.placed.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.target = None;
        self.temp.clear();
        self.placed.clear();
        self.overwrites = false;
    }
}
