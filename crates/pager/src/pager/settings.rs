//! What pragmas and the application set and read: settings, journal modes, checkpoints, file controls.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lithe_format::db_header::{FileVersion, READ_VERSION_AT, WRITE_VERSION_AT};
use lithe_format::{MAX_PAGE_NO, PageNo, PageSize};
use lithe_vfs::{DeviceCharacteristics, File, FileEvent, LockLevel, ResultCode, Vfs};

use super::{Pager, State, Store};
use crate::error::{Error, Result};
use crate::file_store::{FileStore, LogUse};
use crate::options::{BeginKind, CacheSize, JournalMode, LockingMode, Synchronous};
use crate::settings::{BusyHandler, WhenBusy};
use crate::wal::{Checkpoint, CheckpointMode, Wait, Wal};

impl Pager {
    // ---- settings ----

    /// Sets how much memory the cache may take.
    pub fn set_cache_size(&self, size: CacheSize) {
        self.settings.cache_size.set(size);
    }

    /// How much memory the cache may take.
    pub fn cache_size(&self) -> CacheSize {
        self.settings.cache_size.get()
    }

    /// Sets how many pages the database may have, and answers the limit in force: never less than it has.
    pub fn set_max_page_count(&self, pages: u32) -> u32 {
        self.settings.max_page_count.set(pages.min(MAX_PAGE_NO));
        self.max_page_count()
    }

    /// Sets how many bytes the database may have, in whole pages.
    pub fn set_bytes_max(&self, bytes: u64) -> Result<()> {
        self.begin_read()?;
        let pages = bytes / u64::from(self.page_size().get());
        self.set_max_page_count(u32::try_from(pages).unwrap_or(u32::MAX));
        self.end_read()
    }

    /// How many pages the database may have: no fewer than it has, because another connection may have made it longer.
    pub fn max_page_count(&self) -> u32 {
        self.settings.max_page_count.get().max(self.page_count())
    }

    /// Sets whether pages leave memory before the commit when there are more of them than the cache
    /// holds.
    pub fn set_cache_spill(&self, spill: bool) {
        self.settings.cache_spill.set(spill);
    }

    /// Whether pages leave memory before the commit when there are more of them than the cache holds.
    pub fn cache_spill(&self) -> bool {
        self.settings.cache_spill.get()
    }

    /// Sets how many pages may be dirty before any leaves memory, however small the cache is.
    pub fn set_spill_pages(&self, pages: u32) {
        self.settings.spill_pages.set(pages);
    }

    /// How many pages may be dirty before any leaves memory, however small the cache is.
    pub fn spill_pages(&self) -> u32 {
        self.settings.spill_pages.get()
    }

    /// Sets how many bytes of the file may be mapped; 0 reads through buffers. The value counts from the next transaction on;
    /// it is ignored while a transaction may hold mapped pages.
    pub fn set_mmap_size(&self, bytes: u64) {
        if let Store::File(file) = &self.store
            && (self.state.get() == State::Idle || file.mmap_size() == 0)
        {
            file.set_mmap_size(bytes);
        }
    }

    /// How many bytes of the file may be mapped.
    pub fn mmap_size(&self) -> u64 {
        match &self.store {
            Store::Memory(_) => 0,
            Store::File(file) => file.mmap_size_wanted(),
        }
    }

    /// `mmap_size` as the VFS that maps the file reports it. `None`: a VFS of the application does not implement it.
    pub fn mmap_size_in_force(&self) -> Option<u64> {
        match &self.store {
            Store::File(file) if file.calls.uses_fetch => file.file.set_fetch_limit(None),
            _ => Some(self.mmap_size()),
        }
    }

    /// How transactions are made durable.
    pub fn journal_mode(&self) -> JournalMode {
        match &self.store {
            Store::File(file) if file.is_wal() || file.has_entered_wal() => JournalMode::Wal,
            _ => self.settings.journal_mode.get(),
        }
    }

    /// Sets how much is forced to the device, and when.
    pub fn set_synchronous(&self, synchronous: Synchronous) {
        self.settings.synchronous.set(synchronous);
    }

    /// How much is forced to the device, and when.
    pub fn synchronous(&self) -> Synchronous {
        self.settings.synchronous.get()
    }

    /// Sets whether syncs flush the device's own cache too, where the system distinguishes the two.
    pub fn set_full_fsync(&self, full: bool) {
        self.settings.full_fsync.set(full);
    }

    /// Whether syncs flush the device's own cache too.
    pub fn full_fsync(&self) -> bool {
        self.settings.full_fsync.get()
    }

    /// Sets whether locks outlive transactions, and answers the mode in force: a log that was opened in exclusive mode
    /// has no shared memory, so the mode stays as long as the log is open.
    pub fn set_locking_mode(&self, mode: LockingMode) -> LockingMode {
        let stays = match &self.store {
            Store::File(file) => file.is_wal() && file.with_wal(Wal::is_alone),
            Store::Memory(_) => false,
        };
        if !stays {
            self.settings.locking_mode.set(mode);
        }
        self.locking_mode()
    }

    /// Whether locks outlive transactions.
    pub fn locking_mode(&self) -> LockingMode {
        self.settings.locking_mode.get()
    }

    /// Sets how long a journal or log may be that stays after a transaction; `None`: no limit.
    pub fn set_journal_size_limit(&self, bytes: Option<u64>) {
        self.settings.journal_size_limit.set(bytes);
    }

    /// How long a journal or log may be that stays after a transaction.
    pub fn journal_size_limit(&self) -> Option<u64> {
        self.settings.journal_size_limit.get()
    }

    /// Sets the handler that decides whether to try again when a lock of another connection conflicts.
    pub fn set_busy_handler(&self, handler: Option<BusyHandler>) {
        self.settings.busy.replace(handler.map_or(WhenBusy::GiveUp, WhenBusy::Ask));
    }

    /// Sets how long to keep trying when a lock of another connection conflicts; it replaces a busy handler.
    pub fn set_busy_timeout(&self, timeout: Duration) {
        self.settings.busy.replace(if timeout.is_zero() { WhenBusy::GiveUp } else { WhenBusy::Wait(timeout) });
    }

    /// Sets the flag by which the application interrupts: a checkpoint reads it before each write.
    pub fn set_interrupt_flag(&self, flag: Arc<AtomicBool>) {
        self.settings.interrupted.replace(flag);
    }

    /// Sets whether the last connection copies the log into the database when it closes.
    pub fn set_checkpoint_on_close(&self, checkpoint: bool) {
        self.settings.checkpoint_on_close.set(checkpoint);
    }

    /// The path of the rollback journal, for a [`crate::SuperJournal`]; `None` if commits have none.
    pub fn journal_path(&self) -> Option<&Path> {
        match (&self.store, self.journal_mode()) {
            (Store::File(file), JournalMode::Delete | JournalMode::Truncate | JournalMode::Persist) => {
                Some(&file.journal.path)
            }
            _ => None,
        }
    }

    /// Sets whether pages that make the database much longer may be appended past the log, into the file. By default they may not.
    #[inline]
    pub fn set_may_append_past_log(&self, may: bool) {
        self.settings.may_append_past_log.set(may);
    }

    /// Whether the last transaction has appended pages past the log.
    pub fn has_appended_past_log(&self) -> bool {
        matches!(&self.store, Store::File(file) if file.is_wal() && file.log.was_passed.get())
    }
}

impl Pager {
    // ---- journal modes ----

    /// Sets the journal mode and answers the one that is in force afterwards. The mode does not change while a
    /// transaction has changes. A database in memory knows `Memory` and `Off` only, a temporary one all but `Wal`; the
    /// modes have the same effect there.
    ///
    /// WAL is a property of the file: entering and leaving it takes a transaction of its own, under the EXCLUSIVE lock,
    /// and an empty database has to get its first page before.
    pub fn set_journal_mode(&self, mode: JournalMode) -> Result<JournalMode> {
        self.set_journal_mode_of_new(mode, || Ok(()))
    }

    /// As [`Pager::set_journal_mode`], where the database may be empty: `first_page` makes its first page, in the transaction
    /// that enters WAL mode.
    pub fn set_journal_mode_of_new(
        &self,
        mode: JournalMode,
        first_page: impl FnOnce() -> Result<()>,
    ) -> Result<JournalMode> {
        self.debug_assert_state();
        let old = self.journal_mode();
        if self.state.get() == State::Writing && self.has_changes() {
            return Ok(old);
        }
        match &self.store {
            Store::Memory(memory) => {
                let is_temporary = memory.vfs().is_some() && mode != JournalMode::Wal;
                if is_temporary || matches!(mode, JournalMode::Memory | JournalMode::Off) {
                    self.settings.journal_mode.set(mode);
                }
            }
            Store::File(file) => {
                match (old, mode) {
                    (JournalMode::Wal, JournalMode::Wal) => return Ok(old),
                    (JournalMode::Wal, _) => {
                        self.open_log_if_entered(file)?;
                        match file.is_wal() {
                            true => self.leave_wal(file, mode)?,
                            false => self.settings.journal_mode.set(mode),
                        }
                    }
                    (_, JournalMode::Wal) => return self.enter_wal(file, first_page),
                    _ => self.settings.journal_mode.set(mode),
                }
                if matches!(mode, JournalMode::Memory | JournalMode::Off) {
                    file.journal.kept.set_ours(false);
                }
                if old.leaves_journal() && !mode.leaves_journal() && !self.settings.keeps_locks() {
                    self.delete_old_journal(file)?;
                }
            }
        }
        Ok(self.journal_mode())
    }

    /// Whether WAL mode is entered by a transaction of the caller, which may commit later, as a VFS of the application sees it
    /// from SQLite. The caller has written nothing yet.
    pub fn enters_wal_by_transaction(&self) -> bool {
        match &self.store {
            Store::Memory(_) => false,
            Store::File(file) => {
                let may = self.journal_mode() != JournalMode::Wal && file.can_have_wal() && !file.is_read_only();
                may && !file.calls.journals_at_commit && self.state.get() == State::Idle
            }
        }
    }

    /// Makes the commit of the caller's exclusive write transaction enter WAL mode. An empty database has got its first page
    /// before.
    pub fn enter_wal_at_commit(&self) -> Result<()> {
        self.debug_assert_state();
        let Store::File(file) = &self.store else { return Ok(()) };
        self.write_versions_on_page_1(FileVersion::Wal)?;
        file.journal.is_deleted.set(true);
        file.log.usage.set(LogUse::EntersAtCommit);
        Ok(())
    }

    /// Whether the commit of this transaction enters WAL mode.
    pub(crate) fn enters_wal_now(&self) -> bool {
        matches!(&self.store, Store::File(file) if file.log.usage.get() == LogUse::EntersAtCommit)
    }

    /// Ends the entry into WAL mode when its transaction has committed or was rolled back.
    pub(super) fn end_entering_wal(&self, file: &FileStore, committed: bool) -> Result<()> {
        if file.log.usage.get() != LogUse::EntersAtCommit {
            return Ok(());
        }
        file.log.usage.set(LogUse::AsHeaderSays);
        file.journal.is_deleted.set(false);
        if !committed {
            return Ok(());
        }
        let deleted = if self.journal_mode().leaves_journal() { file.delete_journal() } else { Ok(()) };
        file.log.usage.set(LogUse::Entered);
        self.settings.journal_mode.set(JournalMode::Delete);
        deleted
    }

    fn enter_wal(&self, file: &FileStore, first_page: impl FnOnce() -> Result<()>) -> Result<JournalMode> {
        self.misuse_unless(self.state.get() == State::Idle, "the journal mode changes outside transactions")?;
        if !file.can_have_wal() {
            return Ok(self.journal_mode());
        }
        if file.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        let left_journal =
            self.journal_mode().leaves_journal() || self.settings.keeps_locks() || file.journal.kept.is_ours();
        // The SHARED lock that a commit leaves keeps the file in WAL mode, where no transaction uses a rollback
        // journal.
        file.journal.is_deleted.set(!file.calls.journals_at_commit);
        let left_journal = left_journal && (file.calls.journals_at_commit || self.journal_mode().leaves_journal());
        let and_then = || if left_journal { file.delete_journal() } else { Ok(()) };
        let written = self.write_file_version(FileVersion::Wal, first_page, and_then);
        file.journal.is_deleted.set(false);
        written?;
        if !file.is_wal() {
            // The next read transaction opens the log. If it finds that another connection has left WAL mode, the entry has had no
            // effect.
            file.log.usage.set(LogUse::Entered);
            self.settings.journal_mode.set(JournalMode::Delete);
        }
        Ok(self.journal_mode())
    }

    /// Opens the log if nothing was read since the database entered WAL mode, unless another connection has left it
    /// again.
    pub(super) fn open_log_if_entered(&self, file: &FileStore) -> Result<()> {
        if !file.has_entered_wal() {
            return Ok(());
        }
        self.begin_read()?;
        self.end_read()
    }

    fn leave_wal(&self, file: &FileStore, mode: JournalMode) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Idle, "the journal mode changes outside transactions")?;
        // Another connection keeps the database in WAL mode for long, so the busy handler is not called.
        if let Err(error) = file.lock(LockLevel::Exclusive) {
            // A PENDING lock that stayed would keep new readers out.
            file.unlock(LockLevel::Shared)?;
            return Err(error);
        }
        file.close_wal_to_leave()?;
        self.settings.journal_mode.set(mode);
        let written = file.without_wal(|| self.write_file_version(FileVersion::Rollback, || Ok(()), || Ok(())));
        if !self.settings.keeps_locks() && file.level.get() > LockLevel::None {
            file.give_up_lock(LockLevel::None)?;
        }
        written
    }

    /// Writes the versions into page 1, in an exclusive transaction; `first_page` makes page 1 in an empty database, and
    /// `and_then` runs before all locks are released.
    fn write_file_version(
        &self,
        version: FileVersion,
        first_page: impl FnOnce() -> Result<()>,
        and_then: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        self.begin_write(BeginKind::Exclusive)?;
        let has_page_1 = if self.page_count() == 0 { first_page() } else { Ok(()) };
        let written = has_page_1.and_then(|()| self.write_versions_on_page_1(version)).and_then(|()| self.commit());
        let written = written.and_then(|()| and_then());
        self.end_read()?;
        written
    }

    fn write_versions_on_page_1(&self, version: FileVersion) -> Result<()> {
        self.misuse_unless(self.page_count() > 0, "an empty database has no journal mode of its own")?;
        let page = self.page(PageNo::FIRST)?;
        if page[WRITE_VERSION_AT] == version.encode() && page[READ_VERSION_AT] == version.encode() {
            return Ok(());
        }
        let mut page = self.write(PageNo::FIRST)?;
        page[WRITE_VERSION_AT] = version.encode();
        page[READ_VERSION_AT] = version.encode();
        Ok(())
    }

    /// Deletes the journal that TRUNCATE or PERSIST left behind. Under the RESERVED lock it cannot be a hot journal; if
    /// another connection has that lock, the journal is in use and stays.
    fn delete_old_journal(&self, file: &FileStore) -> Result<()> {
        let before = file.level.get();
        if before == LockLevel::None {
            match self.begin_read() {
                Err(error) if error.is_busy() => return Ok(()),
                begun => begun?,
            }
        }
        let deleted = match file.lock(LockLevel::Reserved) {
            Ok(()) => file.delete_journal(),
            Err(Error::Busy) => Ok(()),
            Err(error) => Err(error),
        };
        if before < LockLevel::Reserved {
            file.unlock(LockLevel::Shared)?;
        }
        if before == LockLevel::None {
            self.end_read()?;
        }
        deleted
    }
}

impl Pager {
    // ---- checkpoints ----

    /// Copies frames from the write-ahead log into the database. Outside WAL mode there is nothing to
    /// do.
    pub fn checkpoint(&self, mode: CheckpointMode) -> Result<Checkpoint> {
        self.checkpoint_or_wait(mode, &|attempt| self.retry_while_busy(attempt))
    }

    /// As [`Pager::checkpoint`], without waiting for other connections.
    pub fn checkpoint_at_once(&self, mode: CheckpointMode) -> Result<Checkpoint> {
        self.checkpoint_or_wait(mode, &|attempt| attempt())
    }

    fn checkpoint_or_wait(&self, mode: CheckpointMode, wait: &Wait<'_>) -> Result<Checkpoint> {
        self.debug_assert_state();
        if self.state.get() != State::Idle {
            return Err(Error::Locked);
        }
        let Store::File(file) = &self.store else { return Ok(Checkpoint::WITHOUT_LOG) };
        self.open_log_if_entered(file)?;
        if !file.is_wal() && self.data_version() == 0 {
            // The first read of the file tells whether it has a log.
            self.begin_read()?;
            self.end_read()?;
        }
        if !file.is_wal() {
            return Ok(Checkpoint::WITHOUT_LOG);
        }
        file.checkpoint(mode, wait).map_err(|error| match error.code() {
            // A connection that cannot create the log's index cannot checkpoint at all.
            ResultCode::READONLY_CANTINIT => Error::ReadOnly(ResultCode::READONLY),
            _ => error,
        })
    }

    /// Whether the state of the database was read before: above all, whether it has a log.
    pub fn has_read_state(&self) -> bool {
        self.data_version() > 0 || matches!(&self.store, Store::File(file) if file.is_wal() || file.has_entered_wal())
    }

    /// The automatic checkpoint, after a commit that has left `limit` frames or more in the log. It waits for no
    /// reader; after an error the next commit tries again.
    pub fn checkpoint_long_log(&self, limit: u32) -> Result<()> {
        self.debug_assert_state();
        match &self.store {
            Store::File(file) if file.is_wal() && self.state.get() == State::Idle => file.checkpoint_long_log(limit),
            _ => Ok(()),
        }
    }

    /// How many frames the log has, as far as this connection knows: after a commit, the count that decides about an
    /// automatic checkpoint.
    pub fn log_frames(&self) -> Option<u32> {
        match &self.store {
            Store::File(file) if file.is_wal() => Some(file.log_frames()),
            _ => None,
        }
    }
}

impl Pager {
    // ---- file controls ----

    /// The file of the database; `None` in memory.
    pub fn file(&self) -> Option<&Arc<dyn File>> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(store) => Some(&store.file),
        }
    }

    /// The file of the rollback journal or the log, if it is open.
    pub fn journal_file(&self) -> Option<Arc<dyn File>> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(store) => store.journal_file(),
        }
    }

    /// The VFS of the database file; `None` in memory.
    pub fn vfs(&self) -> Option<&Arc<dyn Vfs>> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(store) => Some(&store.vfs),
        }
    }

    /// The lock that this connection holds on the file.
    pub fn lock_level(&self) -> LockLevel {
        match &self.store {
            Store::Memory(_) => LockLevel::None,
            Store::File(store) => store.level.get(),
        }
    }

    /// Whether the log stays when the last connection closes.
    pub fn keeps_log(&self) -> bool {
        matches!(&self.store, Store::File(store) if store.log.is_kept.get())
    }

    /// Sets whether the log stays when the last connection closes.
    pub fn set_keeps_log(&self, keeps: bool) {
        if let Store::File(store) = &self.store {
            store.log.is_kept.set(keeps);
        }
    }

    /// Whether a power loss leaves the neighbours of a written range unharmed.
    pub fn powersafe_overwrite(&self) -> bool {
        self.file().is_some_and(|file| file.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE))
    }

    /// Sets whether a power loss leaves the neighbours of a written range unharmed.
    pub fn set_powersafe_overwrite(&self, on: bool) {
        if let Store::File(store) = &self.store {
            store.set_powersafe_overwrite(on);
        }
    }

    /// Tells the VFS that this transaction replaces all of the database, which will have `pages` of `page_size` bytes.
    pub fn announce_overwrite(&self, pages: u32, page_size: PageSize) -> Result<()> {
        match self.file() {
            Some(file) => Ok(file.event(FileEvent::Overwrite(u64::from(pages) * u64::from(page_size.get())))?),
            None => Ok(()),
        }
    }
}
