//! The places of pages that leave the dirty set before the commit.
//!
//! ```text
//!                  1                          N                        page count
//!   database file  |  elsewhere               |  their own place        |
//!                     a temporary file,          in the database file
//!                     or frames of the log
//! ```
//!
//! [`SpillTarget`] chooses the place and N once a transaction. Pages that the transaction has added go to their own place because
//! page 1 says where the database ends: no reader reads beyond that, and a crash leaves only a file that is too long. So a load of
//! many rows writes them once. Pages that other connections read stay unchanged until the commit: overwriting them would take an
//! EXCLUSIVE lock for the rest of the transaction, and change bytes that cursors borrow from the mapping.
//!
//! | module | subject |
//! | --- | --- |
//! | `target` | the choice, as pure functions |
//! | `temp` | pages in a temporary file |
//! | `placed` | which pages are in their own place |
//! | `reads` | pages that were read back |
//!
//! The log keeps the map of the pages in frames (`wal::append`). `pager::spill` carries the choice out.

mod placed;
mod reads;
mod target;
mod temp;

use lithe_format::wal::Sum;

use self::placed::PlacedPages;
use self::reads::SpillReads;
pub(crate) use self::target::{Place, SpillConditions, SpillTarget};
use self::temp::TempSpill;

/// How much was spilled at some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpillMark {
    /// The number of pages in the temporary file, or the last frame of the log.
    pub(crate) len: u32,
    /// The checksum of that frame.
    pub(crate) sum: Sum,
    /// The transaction had restarted the log.
    pub(crate) restarted: bool,
}

/// How much was spilled when the oldest and the newest savepoint were opened: 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    pub(crate) oldest: u32,
    pub(crate) newest: u32,
}

/// Whether a load past the log waits for the log to be copied into the database.
///
/// ```text
///   Undecided ── many finished pages, frames in the log ──► Awaited ── next statement begins, alone ──► Decided
///       └──────────────────── the target is chosen, for any other reason ─────────────────────────────────►
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogCopy {
    #[default]
    Undecided,
    /// The next statement that begins while no other one is open copies the log: then no cursor holds a page of the log.
    Awaited,
    /// The log was copied, or cannot be.
    Decided,
}

/// The pages of one transaction that have left the dirty set.
#[derive(Debug, Default)]
pub(crate) struct Spill {
    /// Chosen when the first page leaves.
    pub(crate) target: Option<SpillTarget>,
    pub(crate) temp: TempSpill,
    pub(crate) placed: PlacedPages,
    /// Pages that were read from one of their places. A page leaves when it is spilled again.
    pub(crate) reads: SpillReads,
    /// Old pages were overwritten in their place: no other connection reads, and only a journal can undo it.
    pub(crate) overwrites: bool,
    pub(crate) log_copy: LogCopy,
}

impl Spill {
    /// Whether the log is copied when the next statement begins, if that is alone.
    #[inline]
    pub(crate) fn awaits_log_copy(&self) -> bool {
        self.log_copy == LogCopy::Awaited
    }

    /// Whether pages are in the temporary file or in their place behind the end of the database.
    pub(crate) fn has_pages(&self) -> bool {
        !self.temp.is_empty() || !self.placed.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.target = None;
        self.temp.clear();
        self.placed.clear();
        self.reads.clear();
        self.overwrites = false;
        self.log_copy = LogCopy::Undecided;
    }
}
