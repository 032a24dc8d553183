//! Properties of a database's file that an application reads and sets (`sqlite3_file_control`).

use std::rc::Rc;
use std::sync::Arc;

use lithe_pager::Pager;
use lithe_vfs::{File, LockLevel, Vfs};

use crate::database::Database;
use crate::error::{Error, Result};

/// The file of one database of a connection, if it has one.
pub struct DatabaseFile {
    database: Rc<Database>,
}

impl DatabaseFile {
    pub(crate) fn new(database: Rc<Database>) -> DatabaseFile {
        DatabaseFile { database }
    }

    fn pager(&self) -> &Pager {
        self.database.btree().pager()
    }

    /// The file; `None` in memory.
    pub fn file(&self) -> Option<&Arc<dyn File>> {
        self.pager().file().filter(|_| !self.database.is_shared_memory() && !self.is_image())
    }

    /// The rollback journal or the log, if it is open.
    pub fn journal_file(&self) -> Option<Arc<dyn File>> {
        self.file().and_then(|_| self.pager().journal_file())
    }

    /// The VFS of the files; `None` in memory.
    pub fn vfs(&self) -> Option<&Arc<dyn Vfs>> {
        self.pager().vfs().filter(|_| !self.database.is_shared_memory())
    }

    /// Whether it is a database in memory that was made from bytes.
    pub fn is_image(&self) -> bool {
        self.database.is_image.get()
    }

    /// The lock that this connection holds on it.
    pub fn lock_level(&self) -> LockLevel {
        self.pager().lock_level()
    }

    /// Whether the log stays when the last connection closes. `Some` sets it first.
    pub fn keeps_log(&self, set: Option<bool>) -> bool {
        if let Some(keeps) = set {
            self.pager().set_keeps_log(keeps);
        }
        self.pager().keeps_log()
    }

    /// Whether power loss during a write leaves the neighbouring bytes unchanged. `Some` sets it first.
    pub fn powersafe_overwrite(&self, set: Option<bool>) -> bool {
        if let Some(on) = set {
            self.pager().set_powersafe_overwrite(on);
        }
        self.pager().powersafe_overwrite()
    }

    /// The largest size in bytes of a database that was made from bytes, never less than its current size. `Some` sets
    /// it first.
    pub fn size_max(&self, set: Option<u64>) -> u64 {
        if let Some(bytes) = set {
            let pager = self.pager();
            let page_size = u64::from(pager.page_size().get());
            let bytes = bytes.max(u64::from(pager.page_count()) * page_size);
            pager.set_max_page_count(u32::try_from(bytes / page_size).unwrap_or(u32::MAX));
            self.database.size_max.set(bytes);
        }
        self.database.size_max.get()
    }

    /// How many bytes of the file may be mapped. `Some` sets it first.
    pub fn mmap_size(&self, set: Option<u64>) -> u64 {
        let before = self.pager().mmap_size();
        if let Some(bytes) = set {
            self.pager().set_mmap_size(bytes);
        }
        before
    }

    /// The number of reserved bytes at the end of each page. `Some` sets it first; an empty database takes it over.
    pub fn reserved(&self, set: Option<u8>) -> u8 {
        let pager = self.pager();
        let before = pager.reserved();
        if let Some(reserved) = set {
            pager.set_page_size(pager.page_size(), reserved);
        }
        before
    }

    /// Whether the file's path now leads to another file.
    pub fn has_moved(&self) -> Result<bool> {
        let moved = self.file().map_or(Ok(false), |file| file.has_moved());
        moved.map_err(|error| Error::from(lithe_pager::Error::from(error)))
    }

    /// Extends the file to the size that it will soon have.
    pub fn size_hint(&self, bytes: u64) -> Result<()> {
        let hinted = self.file().map_or(Ok(()), |file| file.size_hint(bytes));
        hinted.map_err(|error| Error::from(lithe_pager::Error::from(error)))
    }

    /// A number that changes with every commit, of this or another connection.
    pub fn data_version(&self) -> Result<u32> {
        let pager = self.pager();
        if !pager.is_reading() {
            // The read sees what another connection may have committed since this one's last read.
            pager.begin_read()?;
            pager.end_read()?;
        }
        Ok(pager.data_version().wrapping_add(self.database.commits.get()))
    }
}
