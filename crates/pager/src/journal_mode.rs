//! Changing the journal mode at run time.

use lithe_format::PageNo;
use lithe_format::db_header::{FileVersion, READ_VERSION_AT, WRITE_VERSION_AT};
use lithe_vfs::{LockLevel, OpenFlags, ResultCode};

use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::options::{BeginKind, JournalMode};
use crate::pager::{Pager, State, Store};

impl Pager {
    /// Asks for a journal mode and answers the one that is in force afterwards. It stays what it was
    /// while a transaction has changes; a database in memory knows `Memory` and `Off` only, a
    /// temporary one all but `Wal`: what they name is the same there.
    ///
    /// WAL is a property of the file: entering and leaving it takes a transaction of its own, with the
    /// database to itself, and an empty database has to get its first page before.
    pub fn set_journal_mode(&self, mode: JournalMode) -> Result<JournalMode> {
        self.set_journal_mode_of_new(mode, || Ok(()))
    }

    /// The same, where the database may be empty: `first_page` makes its first page, in the transaction that enters WAL mode.
    pub fn set_journal_mode_of_new(
        &self,
        mode: JournalMode,
        first_page: impl FnOnce() -> Result<()>,
    ) -> Result<JournalMode> {
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
                    file.keeps_journal.set(false);
                }
                if leaves_journal(old) && !leaves_journal(mode) && !file.keeps_locks(self) {
                    file.delete_old_journal(self)?;
                }
            }
        }
        Ok(self.journal_mode())
    }

    /// Whether WAL mode is entered by a transaction of the caller's, whose commit may come later: so a VFS of the application sees
    /// it. Before anything is written.
    pub fn enters_wal_by_transaction(&self) -> bool {
        match &self.store {
            Store::Memory(_) => false,
            Store::File(file) => {
                let may = self.journal_mode() != JournalMode::Wal && file.can_have_wal(self) && !file.is_read_only();
                may && !file.calls.journals_at_commit && self.state.get() == State::Idle
            }
        }
    }

    /// In a write transaction with the database to itself: its commit enters WAL mode. An empty database has got its first page.
    pub fn enter_wal_at_commit(&self) -> Result<()> {
        let Store::File(file) = &self.store else { return Ok(()) };
        self.write_versions_on_page_1(FileVersion::Wal)?;
        file.deletes_journal.set(true);
        file.enters_wal_at_commit.set(true);
        Ok(())
    }

    /// Whether the commit of this transaction enters WAL mode.
    pub(crate) fn enters_wal_now(&self) -> bool {
        matches!(&self.store, Store::File(file) if file.enters_wal_at_commit.get())
    }

    /// The transaction that enters WAL mode has committed, or was rolled back.
    pub(crate) fn end_entering_wal(&self, file: &FileStore, committed: bool) -> Result<()> {
        if !file.enters_wal_at_commit.take() {
            return Ok(());
        }
        file.deletes_journal.set(false);
        if !committed {
            return Ok(());
        }
        let deleted = if leaves_journal(self.journal_mode()) { file.delete_journal() } else { Ok(()) };
        file.enters_wal.set(true);
        self.settings.journal_mode.set(JournalMode::Delete);
        deleted
    }

    fn enter_wal(&self, file: &FileStore, first_page: impl FnOnce() -> Result<()>) -> Result<JournalMode> {
        self.misuse_unless(self.state.get() == State::Idle, "the journal mode changes outside transactions")?;
        if !file.can_have_wal(self) {
            return Ok(self.journal_mode());
        }
        if file.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        let left_journal = leaves_journal(self.journal_mode()) || file.keeps_locks(self) || file.keeps_journal.get();
        // The SHARED lock that a commit leaves keeps the file in WAL mode, and there no journal is anybody's.
        file.deletes_journal.set(!file.calls.journals_at_commit);
        let left_journal = left_journal && (file.calls.journals_at_commit || leaves_journal(self.journal_mode()));
        let and_then = || if left_journal { file.delete_journal() } else { Ok(()) };
        let written = self.write_file_version(FileVersion::Wal, first_page, and_then);
        file.deletes_journal.set(false);
        written?;
        if !file.is_wal() {
            // The first look at the file opens the log. Should it find that others have left WAL mode, it is as if nothing was set.
            file.enters_wal.set(true);
            self.settings.journal_mode.set(JournalMode::Delete);
        }
        Ok(self.journal_mode())
    }

    /// Opens the log if nothing was read since the database entered WAL mode, unless others have left it again.
    pub(crate) fn open_log_if_entered(&self, file: &FileStore) -> Result<()> {
        if !file.enters_wal.get() {
            return Ok(());
        }
        self.begin_read()?;
        self.end_read()
    }

    fn leave_wal(&self, file: &FileStore, mode: JournalMode) -> Result<()> {
        self.misuse_unless(self.state.get() == State::Idle, "the journal mode changes outside transactions")?;
        // Whoever has the database open keeps it in WAL mode, for long: no busy handler is asked.
        if let Err(error) = file.lock(LockLevel::Exclusive) {
            // New readers would find a lock that is half taken.
            file.unlock(LockLevel::Shared)?;
            return Err(error);
        }
        file.close_wal_to_leave(self)?;
        self.settings.journal_mode.set(mode);
        let written = file.without_wal(|| self.write_file_version(FileVersion::Rollback, || Ok(()), || Ok(())));
        if !file.keeps_locks(self) && file.level.get() > LockLevel::None {
            file.give_up_lock(self, LockLevel::None)?;
        }
        written
    }

    /// Writes the versions into page 1, in a transaction with the database to itself; `first_page` makes one where there is none,
    /// and `and_then` runs before all locks are given back.
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
}

/// Whether the journal stays when a transaction is over.
pub(crate) fn leaves_journal(mode: JournalMode) -> bool {
    matches!(mode, JournalMode::Truncate | JournalMode::Persist)
}

impl FileStore {
    /// Deletes the journal that TRUNCATE or PERSIST left behind. The RESERVED lock tells it from a hot
    /// one; if somebody else has that, the journal is theirs.
    fn delete_old_journal(&self, pager: &Pager) -> Result<()> {
        let before = self.level.get();
        if before == LockLevel::None {
            match pager.begin_read() {
                Err(error) if error.is_busy() => return Ok(()),
                begun => begun?,
            }
        }
        let deleted = match self.lock(LockLevel::Reserved) {
            Ok(()) => self.delete_journal(),
            Err(Error::Busy) => Ok(()),
            Err(error) => Err(error),
        };
        if before < LockLevel::Reserved {
            self.unlock(LockLevel::Shared)?;
        }
        if before == LockLevel::None {
            pager.end_read()?;
        }
        deleted
    }

    /// With the EXCLUSIVE lock, so that no journal is anybody's. (What is not there cannot be removed durably.)
    pub(crate) fn delete_journal_for_good(&self) -> Result<()> {
        drop(
            self.vfs
                .open(Some(&self.journal_path), OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::MAIN_JOURNAL)?,
        );
        Ok(self.vfs.delete(&self.journal_path, true)?)
    }

    fn delete_journal(&self) -> Result<()> {
        self.kept_journal.take();
        self.keeps_journal.set(false);
        match self.vfs.delete(&self.journal_path, false) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }
}
