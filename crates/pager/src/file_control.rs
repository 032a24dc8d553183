//! What an application asks of the file of a database, and tells it (`sqlite3_file_control`).

use std::sync::Arc;

use lithe_format::PageSize;
use lithe_vfs::{DeviceCharacteristics, File, FileEvent, LockLevel, Vfs};

use crate::error::Result;
use crate::pager::{Pager, Store};

impl Pager {
    /// The file of the database; `None` in memory.
    pub fn file(&self) -> Option<&Arc<dyn File>> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(store) => Some(&store.file),
        }
    }

    /// The rollback journal or the log, if it is open.
    pub fn journal_file(&self) -> Option<Arc<dyn File>> {
        match &self.store {
            Store::Memory(_) => None,
            Store::File(store) => store.journal_file(),
        }
    }

    /// Where the files of the database lie; `None` in memory.
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
        matches!(&self.store, Store::File(store) if store.keeps_log.get())
    }

    /// Sets whether the log stays when the last connection closes.
    pub fn set_keeps_log(&self, keeps: bool) {
        if let Store::File(store) = &self.store {
            store.keeps_log.set(keeps);
        }
    }

    /// Whether power loss leaves the neighbours of what is written alone.
    pub fn powersafe_overwrite(&self) -> bool {
        self.file().is_some_and(|file| file.characteristics().contains(DeviceCharacteristics::POWERSAFE_OVERWRITE))
    }

    /// Sets whether power loss leaves the neighbours of what is written alone.
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

    /// Begins to write a database whose content does not count, whatever it is, not even that it is a database: it is empty
    /// in this transaction. Others are locked out.
    pub fn begin_anew(&self) -> Result<()> {
        let Store::File(store) = &self.store else { return self.begin_write(crate::BeginKind::Exclusive) };
        store.is_void.set(true);
        store.forget_what_is_known();
        let begun = self.begin_write(crate::BeginKind::Exclusive);
        store.is_void.set(false);
        begun
    }
}
