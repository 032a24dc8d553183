//! Databases in files: locks, snapshots, clean pages, and what a commit does to the files.
//!
//! The pager decides the order of the steps, and passes what a step needs: the transaction as [`Pending`], the view that pages are read
//! in. A step answers a [`Snapshot`] where it has read the state of the database. The store knows nothing of the pager.
//!
//! | module | subject |
//! | --- | --- |
//! | `state` | the fields of the store, a structure for each subject |
//! | `snapshot` | beginning and ending to read; what is known of the file |
//! | `source` | clean pages: from the mapping, the log, or through buffers |
//! | `run` | pages that lie one after the other, in one go |
//! | `log` | the write-ahead log |
//! | `journal` | the rollback journal, and pages that go to their place after it |
//! | `commit` | committing through a rollback journal, and rolling back |
//! | `hot` | journals that a crash left behind |
//!
//! [`Pending`]: crate::write_txn::Pending

mod commit;
mod hot;
mod journal;
mod log;
mod run;
mod snapshot;
mod source;
mod state;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use lithe_vfs::{File, LockLevel, Opened, ResultCode, Vfs};

pub(crate) use commit::count_transaction;
pub(crate) use log::WRITER_PATIENCE;
pub use run::Head;
pub(crate) use run::{RunPlace, Stretch};
pub(crate) use snapshot::Beginning;
pub(crate) use state::LogUse;
use state::{Access, FileMapping, JournalState, LastSnapshot, LogState};

use crate::call_policy::CallPolicy;
use crate::counts::Counts;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::options::{BeginKind, JournalMode, OpenOptions};
use crate::settings::Settings;
use crate::snapshot::{Shape, Snapshot};
use crate::wal::Wal;

/// The suffix of a rollback journal's name.
pub(crate) const JOURNAL_SUFFIX: &str = "-journal";

/// A database in a file.
#[derive(Debug)]
pub(crate) struct FileStore {
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn File>,
    pub(crate) database: Arc<Database>,
    pub(crate) settings: Rc<Settings>,
    /// Which calls the VFS sees.
    pub(crate) calls: &'static CallPolicy,
    /// Pages that were read through the pool.
    pub(crate) counts: Counts,
    /// The lock that is held.
    pub(crate) level: Cell<LockLevel>,
    pub(crate) access: Access,
    pub(crate) mapping: FileMapping,
    pub(crate) last: LastSnapshot,
    pub(crate) log: LogState,
    pub(crate) journal: JournalState,
}

impl FileStore {
    pub(crate) fn new(
        vfs: Arc<dyn Vfs>,
        path: PathBuf,
        opened: Opened,
        database: Arc<Database>,
        settings: Rc<Settings>,
        options: &OpenOptions,
    ) -> FileStore {
        let calls = CallPolicy::of(&*opened.file);
        let mmap_size = if calls.uses_fetch { 0 } else { options.mmap_size };
        let access = Access::new(&opened, options);
        let usage = if access.immutable { LogUse::Ignored } else { LogUse::AsHeaderSays };
        FileStore {
            vfs,
            calls,
            file: opened.file,
            database,
            settings,
            counts: Counts::default(),
            level: Cell::new(LockLevel::None),
            access,
            mapping: FileMapping::new(mmap_size),
            last: LastSnapshot::new(Shape { page_size: options.page_size, reserved: 0 }),
            log: LogState::new(companion(&path, "-wal"), usage),
            journal: JournalState::new(companion(&path, JOURNAL_SUFFIX)),
            path,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.access.read_only
            || self.access.immutable
            || self.last.known().is_some_and(|known| known.has_newer_write_version)
    }

    pub(crate) fn borrows_are_stable(&self) -> bool {
        self.mapping.in_force.get() == 0 || self.is_read_only() || self.is_wal()
    }

    /// Sets whether a power loss leaves the neighbours of a written range unharmed.
    pub(crate) fn set_powersafe_overwrite(&self, on: bool) {
        self.access.torn_sectors.set(!on);
        self.file.set_powersafe_overwrite(on);
    }

    /// Sets `mmap_size`. The value is in force from the next read transaction on, because readers hold pages according
    /// to the value in force.
    pub(crate) fn set_mmap_size(&self, bytes: u64) {
        self.mapping.wanted.set(bytes);
        self.tell_mmap_size();
    }

    /// Reports `mmap_size` to a VFS of the application, at each occasion where SQLite does.
    pub(crate) fn tell_mmap_size(&self) {
        if self.calls.uses_fetch {
            self.file.set_fetch_limit(Some(self.mapping.wanted.get()));
        }
    }

    /// Reports to a VFS of the application that another connection may have changed the file.
    pub(crate) fn forget_fetched(&self) -> Result<()> {
        let shows = self.calls.uses_fetch && self.mapping.in_force.get() > 0;
        if shows { Ok(self.file.forget_fetched()?) } else { Ok(()) }
    }

    pub(crate) fn mmap_size_wanted(&self) -> u64 {
        self.mapping.wanted.get()
    }

    /// Puts the wanted `mmap_size` in force. The caller makes sure that no page is held.
    #[inline]
    pub(crate) fn adopt_mmap_size(&self) {
        if self.mapping.in_force.get() != self.mapping.wanted.get() {
            self.mapping.in_force.set(self.mapping.wanted.get());
            if !self.calls.uses_fetch {
                self.forget_known();
            }
        }
    }

    pub(crate) fn mmap_size(&self) -> u64 {
        self.mapping.in_force.get()
    }

    /// Whether a mapping has failed to show its file: what was read through it may be zeros.
    pub(crate) fn mapping_has_failed(&self) -> bool {
        let FileMapping { last, placed, .. } = &self.mapping;
        last.has_failed() || placed.has_failed() || self.log.wal.borrow().as_ref().is_some_and(Wal::mapping_has_failed)
    }

    /// Gives up the mappings if one has failed.
    pub(crate) fn forget_failed_mapping(&self) {
        if self.mapping_has_failed() {
            self.mapping.last.forget();
            self.mapping.placed.forget();
            if let Some(wal) = &*self.log.wal.borrow() {
                wal.forget_mapping();
            }
            self.forget_known();
        }
    }

    /// Takes a lock; answers [`Error::Busy`] if another connection holds one that conflicts.
    pub(crate) fn lock(&self, level: LockLevel) -> Result<()> {
        if self.level.get() >= level {
            return Ok(());
        }
        if self.access.locks && !self.file.lock(level)? {
            return Err(Error::Busy);
        }
        self.level.set(level);
        Ok(())
    }

    /// Takes the SHARED lock beside a handle of this process that holds PENDING and waits for readers to end; answers
    /// whether that succeeded.
    pub(crate) fn joins_readers(&self) -> Result<bool> {
        let joined = self.access.locks && self.file.join_readers()?;
        if joined {
            self.level.set(LockLevel::Shared);
        }
        Ok(joined)
    }

    /// Lowers the lock. Another connection may use or delete a kept journal from now on.
    pub(crate) fn unlock(&self, level: LockLevel) -> Result<()> {
        self.journal.kept.set_ours(false);
        self.journal.has_counted.set(false);
        if level == LockLevel::None {
            self.journal.kept.close();
        }
        if self.access.locks {
            self.file.unlock(level)?;
        }
        self.level.set(level);
        Ok(())
    }

    /// Lowers the lock at the end of a transaction. In mode DELETE the journal that exclusive locking has kept is
    /// deleted first.
    pub(crate) fn give_up_lock(&self, level: LockLevel) -> Result<()> {
        let is_ours = self.journal.kept.is_ours() && self.level.get() == LockLevel::Exclusive;
        if is_ours {
            self.journal.kept.close();
        }
        if is_ours && !self.has_entered_wal() && self.settings.journal_mode.get() == JournalMode::Delete {
            // A journal that stays does no harm: it has no header.
            let _ = self.vfs.delete(&self.journal.path, false);
            if !self.calls.journals_at_commit {
                self.unlock(LockLevel::Shared)?;
            }
        }
        self.unlock(level)
    }

    /// Begins to write on the snapshot that is held.
    pub(crate) fn begin_write(&self, shape: Shape, page_count: u32, kind: BeginKind) -> Result<()> {
        if self.is_wal() {
            return self.begin_write_wal(shape, true).map(drop);
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        self.lock(LockLevel::Reserved)?;
        if page_count == 0 && self.calls.reads_header_alone {
            self.delete_log_of_nothing()?;
        }
        if kind == BeginKind::Exclusive {
            // As in SQLite, the RESERVED lock stays while readers are active: no other connection can write until they
            // end.
            self.lock(LockLevel::Exclusive)?;
        }
        Ok(())
    }

    /// Deletes a log beside an empty file. It belongs to a database that is gone, and must not be read as the log of the new database.
    pub(crate) fn delete_log_of_nothing(&self) -> Result<()> {
        if self.file.size()? > 0 || self.access.always_log {
            return Ok(());
        }
        match self.vfs.delete(&self.log.path, false) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Begins to read and to write at once. In WAL mode the writer slot is taken first, so the snapshot is the newest
    /// state for certain.
    pub(crate) fn begin_read_and_write(&self, beginning: &Beginning<'_>, kind: BeginKind) -> Result<Snapshot> {
        self.adopt_mmap_size();
        if !self.calls.shares_log {
            return self.begin_read_then_write(beginning, kind);
        }
        let read = if self.is_wal() { None } else { Some(self.begin_read(beginning)?) };
        if self.is_wal() {
            self.end_read()?;
            let shape = read.map_or(beginning.shape, |read| read.shape);
            return Ok(self.begin_write_wal(shape, false)?.expect("without a snapshot, one is taken"));
        }
        let read = read.expect("without a log, the file was read");
        let begun = self.begin_write(read.shape, read.page_count, kind);
        if begun.is_err() {
            self.end_read()?;
        }
        begun.map(|()| read)
    }

    /// As [`FileStore::begin_read_and_write`], in SQLite's order. If another connection commits between the two steps, the snapshot
    /// is old and both steps are repeated.
    fn begin_read_then_write(&self, beginning: &Beginning<'_>, kind: BeginKind) -> Result<Snapshot> {
        for _ in 0..TRIES_MAX {
            let read = self.begin_read(beginning)?;
            let begun = self.begin_write(read.shape, read.page_count, kind);
            if begun.is_ok() {
                return Ok(read);
            }
            self.end_read()?;
            if !matches!(begun, Err(Error::BusySnapshot)) {
                return begun.map(|()| read);
            }
        }
        Err(Error::Busy)
    }
}

/// How often a writer retries whose snapshot is old before it can write.
const TRIES_MAX: u32 = 10;

/// The path of a file that lies beside a database.
fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
