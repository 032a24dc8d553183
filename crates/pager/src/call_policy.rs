//! Which calls a VFS sees.

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
    /// Pages that a transaction adds may go to their place before the commit.
    pub(crate) spills_behind_end: bool,
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
    spills_behind_end: true,
    dirties_more: true,
    counts_each_commit: true,
    shares_log: true,
    outlasts_old_journal: true,
};

const AS_SQLITE: CallPolicy = CallPolicy {
    journals_at_commit: false,
    joins_neighbours: false,
    reads_header_alone: false,
    spills_behind_end: false,
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
