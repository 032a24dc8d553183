//! Which calls a VFS sees.

use lithe_format::PageSize;
use lithe_vfs::File;

/// How the engine calls the files of a VFS. On its own VFSes it does what is fastest. A VFS of the application may sum pages up,
/// encrypt, replicate or simulate what it is asked for: it sees the calls that SQLite makes, in SQLite's order.
///
/// Where the two differ, the code asks here.
#[derive(Debug)]
pub(crate) struct CallPolicy {
    /// Old pages go to the journal at the commit, in one go, and the EXCLUSIVE lock is taken after that. Else each goes there
    /// before it is first written, and the lock comes first.
    pub(crate) journals_at_commit: bool,
    /// Neighbouring pages, or frames, go through one call.
    pub(crate) joins_neighbours: bool,
    /// The header of the database is read by itself, and again after a commit. Else it is read as part of page 1, when the
    /// change counter is another one; what a commit has written is known; and whether there is a log is asked before each
    /// transaction.
    pub(crate) reads_header_alone: bool,
    /// With a rollback journal, pages that leave a full cache go to their place in the database, one at a time. Else those that others
    /// may read go to a temporary file.
    pub(crate) spills_to_database: bool,
    /// With `mmap_size`, pages are copied from where the VFS shows them in memory. Else the engine maps files by itself.
    pub(crate) copies_shown: bool,
    /// More pages may be dirty than the default size of the cache says.
    pub(crate) dirties_more: bool,
    /// Each commit counts itself on page 1. Else only the first does after a lock was taken that others notice it by.
    pub(crate) counts_each_commit: bool,
    /// Connections of the process share a handle of the log, take turns to write and sync together; read locks outlive
    /// transactions. Else each connection does what it does by itself, on its own thread, in SQLite's order.
    pub(crate) shares_log: bool,
    /// A commit without a journal in a file makes sure before that an old journal is gone for good.
    pub(crate) outlasts_old_journal: bool,
}

const OURS: CallPolicy = CallPolicy {
    journals_at_commit: true,
    joins_neighbours: true,
    reads_header_alone: true,
    spills_to_database: false,
    copies_shown: false,
    dirties_more: true,
    counts_each_commit: true,
    shares_log: true,
    outlasts_old_journal: true,
};

const AS_SQLITE: CallPolicy = CallPolicy {
    journals_at_commit: false,
    joins_neighbours: false,
    reads_header_alone: false,
    spills_to_database: true,
    copies_shown: true,
    dirties_more: false,
    counts_each_commit: false,
    shares_log: false,
    outlasts_old_journal: false,
};

impl CallPolicy {
    /// The policy for a file and those beside it.
    pub(crate) fn of(file: &dyn File) -> &'static CallPolicy {
        if file.is_foreign() { &AS_SQLITE } else { &OURS }
    }
}

/// How many pages of the database one call writes: 128 KiB.
///
/// Linux keeps what a call has written in pieces (folios) of its length, and each small write into a large piece looks at all of it:
/// a file that was filled by longer calls makes updates dearer for as long as it stays in memory, and is filled no faster.
pub(crate) fn pages_of_a_call(page_size: PageSize) -> usize {
    (128 << 10) / page_size.bytes()
}
