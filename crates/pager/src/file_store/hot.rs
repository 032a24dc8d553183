//! Hot journals: a writer crashed while it changed the database. The next reader writes the old pages back before it
//! reads.
//!
//! A journal is hot if it exists, no connection holds a RESERVED lock, the database is not empty, and the journal's
//! first byte is not zero. A journal that names a super-journal is hot only as long as that exists.

use std::path::Path;

use lithe_vfs::{Access, FileEvent, LockLevel, OpenFlags, ResultCode, SyncFlags};

use super::FileStore;
use crate::error::{Error, Result};
use crate::rollback::delete_if_unused;
use crate::rollback::playback::{play_back, super_journal_of};

impl FileStore {
    /// Rolls back what a crash left behind. The caller has just taken the SHARED lock, and holds a SHARED lock
    /// afterwards.
    pub(crate) fn roll_back_hot_journal(&self) -> Result<()> {
        if !self.vfs.access(&self.journal.path, Access::Exists)? || !self.journal_is_hot()? {
            return Ok(());
        }
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY_ROLLBACK));
        }
        self.lock(LockLevel::Exclusive)?;
        // Another connection may have rolled the journal back before this one got the lock.
        if self.vfs.access(&self.journal.path, Access::Exists)? {
            self.play_back_hot_journal()?;
        }
        if !self.settings.keeps_locks() {
            self.unlock(LockLevel::Shared)?;
        }
        Ok(())
    }

    fn journal_is_hot(&self) -> Result<bool> {
        if self.file.check_reserved()? {
            return Ok(false);
        }
        if self.file.size()? == 0 {
            self.delete_journal_of_nothing()?;
            return Ok(false);
        }
        let flags = OpenFlags::READONLY | OpenFlags::MAIN_JOURNAL;
        let opened = match self.vfs.open(Some(&self.journal.path), flags) {
            Ok(opened) => opened,
            // The journal was deleted in between, or cannot be read. The latter is reported when it is opened under the
            // EXCLUSIVE lock.
            Err(_) => return self.vfs.access(&self.journal.path, Access::Exists).map_err(Error::from),
        };
        let mut first = [0];
        opened.file.read_at(&mut first, 0)?;
        Ok(first != [0])
    }

    /// Deletes the journal of an empty database: there is nothing that it could roll back to.
    fn delete_journal_of_nothing(&self) -> Result<()> {
        if self.is_read_only() || !self.file.lock(LockLevel::Reserved)? {
            return Ok(());
        }
        self.level.set(LockLevel::Reserved);
        let deleted = self.vfs.delete(&self.journal.path, false);
        self.unlock(LockLevel::Shared)?;
        match deleted {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn play_back_hot_journal(&self) -> Result<()> {
        let flags = OpenFlags::READWRITE | OpenFlags::MAIN_JOURNAL;
        let opened = self.vfs.open(Some(&self.journal.path), flags)?;
        if opened.flags.contains(OpenFlags::READONLY) {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        let journal = opened.file;
        if self.settings.syncs() {
            // Its writer may not have synced it: the journal must not vanish while the database is half restored.
            journal.sync(SyncFlags::NORMAL)?;
        }
        let super_journal = super_journal_of(&*journal)?;
        let committed = match &super_journal {
            Some(name) => !self.vfs.access(Path::new(name), Access::Exists)?,
            None => false,
        };
        let played_back = if committed { None } else { play_back(&*journal, &*self.file, self.calls)? };
        if let Some(played_back) = played_back {
            if played_back.restored > 0 {
                let (pages, path) = (played_back.restored, self.journal.path.display());
                let message = format!("recovered {pages} pages from {path}");
                lithe_vfs::log_error(ResultCode::NOTICE_RECOVER_ROLLBACK.0, message.as_bytes());
            }
            self.file.event(FileEvent::Sync(None))?;
            if self.settings.syncs() {
                self.file.sync(self.settings.sync_flags())?;
            }
        }
        drop(journal);
        // The deletion is durable: in the modes that have no journal file, no later commit makes it so, and the old
        // journal would come back after a power loss and undo a part of those commits.
        let lasts = self.calls.outlasts_old_journal && self.settings.syncs();
        self.vfs.delete(&self.journal.path, lasts)?;
        if let Some(name) = super_journal {
            delete_if_unused(&*self.vfs, Path::new(&name))?;
        }
        self.forget_known();
        Ok(())
    }
}
