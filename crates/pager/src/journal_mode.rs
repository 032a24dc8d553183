//! Changing the journal mode at run time.

use lithe_vfs::{LockLevel, ResultCode};

use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::options::JournalMode;
use crate::pager::{Pager, State, Store};

impl Pager {
    /// Asks for a journal mode and answers the one that is in force afterwards. It stays what it was
    /// while a transaction has changes; a database in memory knows `Memory` and `Off` only.
    pub fn set_journal_mode(&self, mode: JournalMode) -> Result<JournalMode> {
        let old = self.journal_mode();
        if self.state.get() == State::Writing && self.has_changes() {
            return Ok(old);
        }
        match &self.store {
            Store::Memory(_) => {
                if matches!(mode, JournalMode::Memory | JournalMode::Off) {
                    self.settings.journal_mode.set(mode);
                }
            }
            Store::File(file) => {
                if mode == JournalMode::Wal || old == JournalMode::Wal {
                    return Err(Error::NotSupported("changing from or to WAL"));
                }
                self.settings.journal_mode.set(mode);
                let left_behind = matches!(old, JournalMode::Truncate | JournalMode::Persist);
                let wanted = matches!(mode, JournalMode::Truncate | JournalMode::Persist);
                if left_behind && !wanted && !file.keeps_locks(self) {
                    file.delete_old_journal(self)?;
                }
            }
        }
        Ok(self.journal_mode())
    }
}

impl FileStore {
    /// Deletes the journal that TRUNCATE or PERSIST left behind. The RESERVED lock tells it from a hot
    /// one; if somebody else has that, the journal is theirs.
    fn delete_old_journal(&self, pager: &Pager) -> Result<()> {
        let before = self.level.get();
        if before == LockLevel::None {
            pager.begin_read()?;
        }
        let deleted = match self.lock(LockLevel::Reserved) {
            Ok(()) => self.vfs.delete(&self.journal_path, false),
            Err(Error::Busy) => Ok(()),
            Err(error) => return Err(error),
        };
        if before < LockLevel::Reserved {
            self.unlock(LockLevel::Shared)?;
        }
        if before == LockLevel::None {
            pager.end_read()?;
        }
        match deleted {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }
}
