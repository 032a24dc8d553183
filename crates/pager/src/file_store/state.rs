//! The state of a [`FileStore`](super::FileStore), one structure a subject.
//!
//! | structure | subject | changes |
//! | --- | --- | --- |
//! | [`Access`] | how the file was opened | with `PRAGMA` alone |
//! | [`FileMapping`] | `mmap_size`, and the mapping | between read transactions |
//! | [`LastSnapshot`] | the snapshot that was read last | with each new snapshot, each commit, and when it is forgotten |
//! | [`LogState`] | the write-ahead log | when the journal mode changes |
//! | [`JournalState`] | the rollback journal | in each transaction through it |

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use lithe_vfs::{DeviceCharacteristics, OpenFlags, Opened};

use crate::mappings::LastMapping;
use crate::options::OpenOptions;
use crate::rollback::{KeptJournal, RollbackTxn};
use crate::snapshot::{Change, Fingerprint, Shape, Snapshot, SnapshotId};
use crate::wal::Wal;

/// How the file was opened.
#[derive(Debug)]
pub(crate) struct Access {
    pub(super) read_only: bool,
    pub(super) read_only_shm: bool,
    /// The file cannot change: no journal, log or other connection is checked for, and no lock is taken.
    pub(super) immutable: bool,
    /// Locks are taken.
    pub(super) locks: bool,
    /// The database has a log whatever its header says.
    pub(super) always_log: bool,
    /// A power loss may harm the neighbours of a written range.
    pub(super) torn_sectors: Cell<bool>,
    /// The file had a header when it was opened.
    pub(crate) had_header: Cell<bool>,
}

impl Access {
    pub(super) fn new(opened: &Opened, options: &OpenOptions) -> Access {
        let characteristics = opened.file.characteristics();
        let immutable = options.immutable || characteristics.contains(DeviceCharacteristics::IMMUTABLE);
        Access {
            read_only: opened.flags.contains(OpenFlags::READONLY),
            read_only_shm: options.read_only_shm,
            immutable,
            locks: !options.no_lock && !immutable,
            always_log: options.always_log,
            torn_sectors: Cell::new(options.torn_sectors),
            had_header: Cell::new(false),
        }
    }
}

/// `mmap_size`, and the mapping of the file.
#[derive(Debug)]
pub(crate) struct FileMapping {
    /// The mapping that was used last.
    pub(crate) last: LastMapping,
    /// The one through which pages are read that this transaction has written to their place.
    pub(crate) placed: LastMapping,
    /// `PRAGMA mmap_size` as it was set.
    pub(super) wanted: Cell<u64>,
    /// `mmap_size` as it is in force: it does not change while a transaction holds pages.
    pub(super) in_force: Cell<u64>,
}

impl FileMapping {
    pub(super) fn new(size: u64) -> FileMapping {
        FileMapping {
            last: LastMapping::default(),
            placed: LastMapping::default(),
            wanted: Cell::new(size),
            in_force: Cell::new(size),
        }
    }
}

/// The snapshot that was read last, and what changed before it.
///
/// ```text
///             remember                       forget
///   outdated ──────────► known ───────────────────────────► outdated
///     the id says which pages      no other connection can have changed the database,
///     the pool has of it           or its change is noticed by the id
/// ```
#[derive(Debug)]
pub(crate) struct LastSnapshot {
    /// Its id is that under which this connection reads pages into the pool, also while nothing else of the snapshot is known.
    snapshot: Cell<Snapshot>,
    is_known: Cell<bool>,
    /// The changes that were found in the database since the pager has last counted them.
    pub(crate) uncounted_changes: Cell<Change>,
    /// A fingerprint was read before: SQLite's order of calls reads the change counter from then on.
    pub(super) has_read_fingerprint: Cell<bool>,
    /// The content of the file does not count, because the file is to be rewritten.
    pub(crate) ignores_content: Cell<bool>,
}

impl LastSnapshot {
    pub(super) fn new(shape: Shape) -> LastSnapshot {
        LastSnapshot {
            snapshot: Cell::new(Snapshot { id: SnapshotId::Unknown, ..Snapshot::empty(shape) }),
            is_known: Cell::new(false),
            uncounted_changes: Cell::default(),
            has_read_fingerprint: Cell::new(false),
            ignores_content: Cell::new(false),
        }
    }

    /// The snapshot, if it is known.
    #[inline]
    pub(super) fn known(&self) -> Option<Snapshot> {
        self.is_known.get().then(|| self.snapshot.get())
    }

    pub(super) fn remember(&self, snapshot: Snapshot) {
        self.snapshot.set(snapshot);
        self.is_known.set(true);
    }

    /// Forgets the snapshot but for its id.
    pub(super) fn forget(&self) {
        self.is_known.set(false);
    }

    /// The snapshot, if it was known; it is forgotten.
    pub(super) fn take(&self) -> Option<Snapshot> {
        let known = self.known();
        self.forget();
        known
    }

    /// The id under which this connection reads pages into the pool.
    pub(super) fn id(&self) -> SnapshotId {
        self.snapshot.get().id
    }

    pub(super) fn set_id(&self, id: SnapshotId) {
        self.snapshot.set(Snapshot { id, ..self.snapshot.get() });
    }

    /// The fingerprint of page 1 in the pool, while there is no log.
    pub(super) fn fingerprint(&self) -> Option<Fingerprint> {
        match self.id() {
            SnapshotId::File(fingerprint, _) => Some(fingerprint),
            SnapshotId::Unknown | SnapshotId::Log(_) => None,
        }
    }
}

/// The write-ahead log.
#[derive(Debug)]
pub(crate) struct LogState {
    pub(super) path: PathBuf,
    /// The log, in WAL mode.
    pub(super) wal: RefCell<Option<Wal>>,
    /// The log that connections share, while a transaction uses its own index in `wal`.
    pub(super) shared: RefCell<Option<Wal>>,
    pub(crate) usage: Cell<LogUse>,
    /// The log stays when the last connection closes.
    pub(crate) is_kept: Cell<bool>,
    /// A write under exclusive locking has taken the EXCLUSIVE lock. Without one, the lock under which WAL mode was entered stays
    /// as long as the mode, in SQLite.
    pub(super) is_used_alone: Cell<bool>,
    /// The last transaction has appended pages past the log.
    pub(crate) was_passed: Cell<bool>,
}

impl LogState {
    pub(super) fn new(path: PathBuf, usage: LogUse) -> LogState {
        LogState {
            path,
            wal: RefCell::new(None),
            shared: RefCell::new(None),
            usage: Cell::new(usage),
            is_kept: Cell::new(false),
            is_used_alone: Cell::new(false),
            was_passed: Cell::new(false),
        }
    }
}

/// Whether the database has a log, as far as the connection decides that and not the file's header alone.
///
/// ```text
///   AsHeaderSays ── PRAGMA in a transaction of its own ───────────────────────► Entered ── next read ──► AsHeaderSays
///        └───────── in a transaction of the caller's ──► EntersAtCommit ── commit ──┘
///                                                             └─── rollback ───► AsHeaderSays
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogUse {
    /// It has one if the header says WAL.
    AsHeaderSays,
    /// The commit of this transaction makes the header say WAL.
    EntersAtCommit,
    /// A commit has written WAL mode into the header: the log is opened at the next read transaction.
    Entered,
    /// The log is not opened, whatever the header says: the file cannot change, or is leaving WAL mode.
    Ignored,
}

/// The rollback journal.
#[derive(Debug)]
pub(crate) struct JournalState {
    pub(crate) path: PathBuf,
    /// The journal of the transaction, and how far its commit has come.
    pub(super) txn: RefCell<RollbackTxn>,
    /// The journal between two transactions.
    pub(crate) kept: KeptJournal,
    /// This commit deletes the journal, whatever the locking mode.
    pub(crate) is_deleted: Cell<bool>,
    /// A commit has counted itself on page 1 under the EXCLUSIVE lock that is still held.
    pub(super) has_counted: Cell<bool>,
}

impl JournalState {
    pub(super) fn new(path: PathBuf) -> JournalState {
        JournalState {
            path,
            txn: RefCell::default(),
            kept: KeptJournal::default(),
            is_deleted: Cell::new(false),
            has_counted: Cell::new(false),
        }
    }
}
