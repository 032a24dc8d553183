//! Databases in files.
//!
//! | module | subject |
//! | --- | --- |
//! | `snapshot` | beginning and ending to read; what is known of the file |
//! | `log` | the write-ahead log |
//! | `source` | pages: from the mapping, the log, or through buffers |

mod log;
mod snapshot;
mod source;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lithe_format::PageSize;
use lithe_vfs::{DeviceCharacteristics, File, LockLevel, OpenFlags, Opened, ResultCode, Vfs};

pub(crate) use log::PATIENCE;
pub(crate) use snapshot::Known;

use crate::call_policy::CallPolicy;
use crate::counts::Counts;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::mappings::LastMapping;
use crate::options::{BeginKind, JournalMode, LockingMode, OpenOptions};
use crate::page_ref::MappedFile;
use crate::pager::Pager;
use crate::pool::StateNo;
use crate::rollback::commit::RollbackTxn;
use crate::wal::Wal;

/// What the name of a rollback journal adds to its database's.
pub(crate) const JOURNAL_SUFFIX: &str = "-journal";

/// How many pages of the database one call writes: 128 KiB.
///
/// Linux keeps what a call has written in pieces (folios) of its length, and each small write into a large piece looks at all of it:
/// a file that was filled by longer calls makes updates dearer for as long as it stays in memory, and is filled no faster.
pub(crate) fn pages_of_a_call(page_size: PageSize) -> usize {
    (128 << 10) / page_size.bytes()
}

/// Where clean pages come from, if the file is mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// They are references into the mapping.
    #[default]
    Mapped,
    /// They are copies out of the mapping: it will change before the transaction ends.
    Copied,
    /// The same in a transaction of many pages: each is copied once, and not worth a fault. They are read by calls.
    Called,
}

/// A database in a file.
#[derive(Debug)]
pub(crate) struct FileStore {
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) path: PathBuf,
    pub(crate) journal_path: PathBuf,
    wal_path: PathBuf,
    pub(crate) file: Arc<dyn File>,
    pub(crate) database: Arc<Database>,
    /// Which calls the VFS sees.
    pub(crate) calls: &'static CallPolicy,
    /// The mapping of the file that was used last.
    pub(crate) mapping: LastMapping,
    opened_read_only: bool,
    /// The file cannot change: nobody is looked for, nothing is locked.
    immutable: bool,
    /// Locks are taken.
    locks: bool,
    /// It has a log whatever its header says.
    always_log: bool,
    torn_sectors: Cell<bool>,
    /// The log stays when the last connection closes.
    pub(crate) keeps_log: Cell<bool>,
    /// What is in the file does not count: it is to be written anew.
    pub(crate) is_void: Cell<bool>,
    /// Pages that were read through the pool.
    pub(crate) counts: Counts,
    /// What was asked for, and what is in force: while pages are held it does not change.
    mmap_size_wanted: Cell<u64>,
    mmap_size: Cell<u64>,
    reading: Cell<Reading>,
    /// The last transaction has put pages past the log.
    pub(crate) bypassed_log: Cell<bool>,
    /// The lock that is held.
    pub(crate) level: Cell<LockLevel>,
    known: Cell<Known>,
    /// A commit has counted itself under the EXCLUSIVE lock that is still held.
    pub(crate) has_counted: Cell<bool>,
    /// The file had a header when it was opened.
    pub(crate) had_header: Cell<bool>,
    /// The journal is deleted by this commit, whatever the locking mode.
    pub(crate) deletes_journal: Cell<bool>,
    /// The file was looked at.
    has_looked: Cell<bool>,
    /// What the change counter was when the pages were read that are in the pool, while there is no log.
    seen: Cell<Option<snapshot::Fingerprint>>,
    /// The state of the database that this connection looks at, as the pool counts.
    pool_state: Cell<StateNo>,
    pub(crate) rollback: RefCell<RollbackTxn>,
    /// The file of a journal that the last commit has left open: it is closed with the last lock.
    pub(crate) kept_journal: RefCell<Option<Arc<dyn File>>>,
    /// The rollback journal lies there between transactions, for as long as the EXCLUSIVE lock is held.
    pub(crate) keeps_journal: Cell<bool>,
    /// The last journal, of whatever connection, may come back after a power loss: its end was not synced, as far as is known.
    pub(crate) removal_may_not_last: Cell<bool>,
    /// The write-ahead log, in WAL mode.
    pub(crate) wal: RefCell<Option<Wal>>,
    /// The log as others share it, while a transaction uses an index of its own.
    pub(crate) shared_wal: RefCell<Option<Wal>>,
    /// The header was made to say WAL: the log is opened when the database is next read.
    pub(crate) enters_wal: Cell<bool>,
    /// The commit of this transaction enters WAL mode.
    pub(crate) enters_wal_at_commit: Cell<bool>,
    /// The log is not opened, whatever the header says: the file cannot change, or is leaving WAL mode.
    ignores_wal: Cell<bool>,
}

impl FileStore {
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        path: PathBuf,
        opened: Opened,
        database: Arc<Database>,
        options: &OpenOptions,
    ) -> FileStore {
        let immutable = options.immutable || opened.file.characteristics().contains(DeviceCharacteristics::IMMUTABLE);
        FileStore {
            vfs,
            journal_path: companion(&path, JOURNAL_SUFFIX),
            wal_path: companion(&path, "-wal"),
            path,
            calls: CallPolicy::of(&*opened.file),
            file: opened.file,
            database,
            mapping: LastMapping::default(),
            opened_read_only: opened.flags.contains(OpenFlags::READONLY),
            immutable,
            locks: !options.no_lock && !immutable,
            always_log: options.always_log,
            torn_sectors: Cell::new(options.torn_sectors),
            keeps_log: Cell::new(false),
            is_void: Cell::new(false),
            counts: Counts::default(),
            mmap_size_wanted: Cell::new(options.mmap_size),
            mmap_size: Cell::new(options.mmap_size),
            reading: Cell::default(),
            bypassed_log: Cell::new(false),
            level: Cell::new(LockLevel::None),
            known: Cell::new(Known::NOTHING),
            has_counted: Cell::new(false),
            had_header: Cell::new(false),
            deletes_journal: Cell::new(false),
            has_looked: Cell::new(false),
            seen: Cell::new(None),
            pool_state: Cell::new(0),
            rollback: RefCell::default(),
            kept_journal: RefCell::new(None),
            keeps_journal: Cell::new(false),
            removal_may_not_last: Cell::new(true),
            wal: RefCell::new(None),
            shared_wal: RefCell::new(None),
            enters_wal: Cell::new(false),
            enters_wal_at_commit: Cell::new(false),
            ignores_wal: Cell::new(immutable),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.opened_read_only || self.immutable || self.known.get().is_from_the_future
    }

    pub(crate) fn borrows_are_stable(&self) -> bool {
        self.mmap_size.get() == 0 || self.is_read_only() || self.is_wal()
    }

    /// Whether power loss leaves the neighbours of what is written alone.
    pub(crate) fn set_powersafe_overwrite(&self, on: bool) {
        self.torn_sectors.set(!on);
        self.file.set_powersafe_overwrite(on);
    }

    /// In force from the next read transaction on: whether bytes are mapped decides how readers hold them.
    pub(crate) fn set_mmap_size(&self, bytes: u64) {
        self.mmap_size_wanted.set(bytes);
    }

    pub(crate) fn mmap_size_wanted(&self) -> u64 {
        self.mmap_size_wanted.get()
    }

    /// Nothing is held.
    #[inline]
    pub(crate) fn adopt_mmap_size(&self) {
        if self.mmap_size.get() != self.mmap_size_wanted.get() {
            self.mmap_size.set(self.mmap_size_wanted.get());
            self.forget_what_is_known();
        }
    }

    pub(crate) fn mmap_size(&self) -> u64 {
        self.mmap_size.get()
    }

    /// Whether a mapping has failed to show its file: what was read through it may be zeros.
    pub(crate) fn mapping_has_failed(&self) -> bool {
        self.mapping.has_failed() || self.wal.borrow().as_ref().is_some_and(Wal::mapping_has_failed)
    }

    /// Nothing is read through the mappings any more that have failed.
    pub(crate) fn forget_failed_mapping(&self, pager: &Pager) {
        if self.mapping_has_failed() {
            self.mapping.forget();
            pager.view.mapped.set(MappedFile::NONE);
            if let Some(wal) = &*self.wal.borrow() {
                wal.forget_mapping();
            }
            self.forget_what_is_known();
        }
    }

    /// From now on clean pages come from there.
    pub(crate) fn set_reading(&self, reading: Reading) {
        self.reading.set(reading);
    }

    /// Whether clean pages are references into the mapped file.
    pub(crate) fn reads_mapped(&self) -> bool {
        self.mmap_size.get() > 0 && self.reading.get() == Reading::Mapped
    }

    /// Takes a lock, or reports that somebody is in the way.
    pub(crate) fn lock(&self, level: LockLevel) -> Result<()> {
        if self.level.get() >= level {
            return Ok(());
        }
        if self.locks && !self.file.lock(level)? {
            return Err(Error::Busy);
        }
        self.level.set(level);
        Ok(())
    }

    /// Takes the SHARED lock beside a handle of this process that waits for others to give up theirs; answers whether.
    pub(crate) fn locks_beside(&self) -> Result<bool> {
        let joined = self.locks && self.file.join_readers()?;
        if joined {
            self.level.set(LockLevel::Shared);
        }
        Ok(joined)
    }

    /// Lowers the lock. A journal that lies there is anybody's from now on.
    pub(crate) fn unlock(&self, level: LockLevel) -> Result<()> {
        self.keeps_journal.set(false);
        self.has_counted.set(false);
        if level == LockLevel::None {
            self.kept_journal.take();
        }
        if self.locks {
            self.file.unlock(level)?;
        }
        self.level.set(level);
        Ok(())
    }

    /// Lowers the lock when all is done: the journal that exclusive locking has kept goes first, in mode DELETE.
    pub(crate) fn give_up_lock(&self, pager: &Pager, level: LockLevel) -> Result<()> {
        let is_ours = self.keeps_journal.get() && self.level.get() == LockLevel::Exclusive;
        if is_ours {
            self.kept_journal.take();
        }
        if is_ours && pager.journal_mode() == JournalMode::Delete {
            // One that stays is no harm: it has no header.
            let _ = self.vfs.delete(&self.journal_path, false);
            if !self.calls.journals_at_commit {
                self.unlock(LockLevel::Shared)?;
            }
        }
        self.unlock(level)
    }

    /// Whether locks outlive transactions.
    pub(crate) fn keeps_locks(&self, pager: &Pager) -> bool {
        pager.locking_mode() == LockingMode::Exclusive
    }

    /// Begins to write on the snapshot that is held.
    pub(crate) fn begin_write(&self, pager: &Pager, kind: BeginKind) -> Result<()> {
        if self.is_wal() {
            return self.begin_write_wal(pager, true);
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        self.lock(LockLevel::Reserved)?;
        if kind == BeginKind::Exclusive {
            let locked = self.lock(LockLevel::Exclusive);
            if locked.is_err() && !self.keeps_locks(pager) {
                self.unlock(LockLevel::Shared)?;
            }
            locked?;
        }
        Ok(())
    }
}

impl FileStore {
    /// Begins to read and to write at once. In a log the turn to write comes first: then the snapshot
    /// is the newest state for certain.
    pub(crate) fn begin_read_and_write(&self, pager: &Pager, kind: BeginKind) -> Result<()> {
        self.adopt_mmap_size();
        if !self.calls.shares_log {
            return self.begin_read_then_write(pager, kind);
        }
        if !self.is_wal() {
            self.begin_read(pager)?;
        }
        if self.is_wal() {
            self.end_read(pager)?;
            return self.begin_write_wal(pager, false);
        }
        let begun = self.begin_write(pager, kind);
        if begun.is_err() {
            self.end_read(pager)?;
        }
        begun
    }
}

/// How often a writer begins again whose snapshot is old before it can write.
const TRIES_MAX: u32 = 10;

impl FileStore {
    /// The same in SQLite's order. Whoever commits to the log between the two makes the snapshot old, and it all begins again.
    fn begin_read_then_write(&self, pager: &Pager, kind: BeginKind) -> Result<()> {
        for _ in 0..TRIES_MAX {
            self.begin_read(pager)?;
            let begun = self.begin_write(pager, kind);
            if begun.is_ok() {
                return Ok(());
            }
            self.end_read(pager)?;
            if !matches!(begun, Err(Error::BusySnapshot)) {
                return begun;
            }
        }
        Err(Error::Busy)
    }
}

/// The path of a file that lies beside a database.
fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
