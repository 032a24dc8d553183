//! Which calls a VFS sees.

use lithe_format::PageSize;
use lithe_vfs::File;

/// How the engine calls the files of a VFS. On a VFS of the engine it makes the fastest calls. A VFS of the application may
/// compute checksums, encrypt, replicate or simulate: it gets the calls that SQLite makes, in SQLite's order.
///
/// Code that depends on the difference reads a field of this table.
#[derive(Debug)]
pub(crate) struct CallPolicy {
    /// Old pages go to the journal at the commit, in one go, and the EXCLUSIVE lock is taken after that. Else each old page
    /// goes to the journal before its page is first written, and the lock comes first.
    pub(crate) journals_at_commit: bool,
    /// Neighbouring pages, or frames, go through one call.
    pub(crate) joins_neighbours: bool,
    /// The header of the database is read by itself, and again after a commit. Else the header is read as part of page 1,
    /// when the change counter differs from the known one; after a commit the pager keeps the header that it wrote; and
    /// the pager checks before each transaction whether a log exists.
    pub(crate) reads_header_alone: bool,
    /// With a rollback journal, pages that leave a full cache go to their place in the database, one at a time. Else pages that other
    /// connections may read go to a temporary file.
    pub(crate) spills_to_database: bool,
    /// With `mmap_size`, pages are copied from the memory where the VFS shows them (`xFetch`). Else the engine maps
    /// files by itself.
    pub(crate) uses_fetch: bool,
    /// More pages may be dirty than the default cache size allows.
    pub(crate) dirties_more: bool,
    /// Each commit increments the change counter on page 1. Else only the first commit after a lock was taken does:
    /// other connections notice it by that one.
    pub(crate) counts_each_commit: bool,
    /// Group commit: connections of the process share a handle of the log, queue for the writer slot and share syncs;
    /// read locks outlive transactions. Else each connection writes and syncs by itself, on its own thread, in SQLite's
    /// order.
    pub(crate) shares_log: bool,
    /// A commit without a journal file first makes sure that the deletion of an old journal is durable.
    pub(crate) outlasts_old_journal: bool,
}

const OURS: CallPolicy = CallPolicy {
    journals_at_commit: true,
    joins_neighbours: true,
    reads_header_alone: true,
    spills_to_database: false,
    uses_fetch: false,
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
    uses_fetch: true,
    dirties_more: false,
    counts_each_commit: false,
    shares_log: false,
    outlasts_old_journal: false,
};

impl CallPolicy {
    /// The policy for a database file and for its journal and log.
    pub(crate) fn of(file: &dyn File) -> &'static CallPolicy {
        if file.is_foreign() { &AS_SQLITE } else { &OURS }
    }
}

/// How many pages of the database one call writes: 128 KiB.
///
/// Linux keeps what a call has written in pieces (folios) of the call's length, and each small write into a large folio visits all
/// of it. A file that was filled by longer calls makes updates slower for as long as it stays in memory, and is filled no faster.
pub(crate) fn pages_of_a_call(page_size: PageSize) -> usize {
    (128 << 10) / page_size.bytes()
}
