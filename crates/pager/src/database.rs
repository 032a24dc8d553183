//! What the connections of this process share of one database file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use lithe_vfs::{File, FileId};

use crate::error::Result;
use crate::mappings::Mappings;
use crate::pool::Pool;
use crate::wal::shared::SharedWal;

/// One database file, as this process knows it: the mapping, the page pool and the log.
#[derive(Debug, Default)]
pub struct Database {
    pub(crate) mappings: Mappings,
    /// Pages that are read through buffers.
    pub(crate) pool: Pool,
    /// The log, as long as a connection has it open.
    wal: Mutex<Weak<SharedWal>>,
}

/// The process and the file. A forked child inherits the table, so the process is part of the key.
type Key = (u32, FileId);

/// The databases that are open in this process. A forked child finds those of its parent here, and does not use them.
static DATABASES: Mutex<Option<HashMap<Key, Weak<Database>>>> = Mutex::new(None);

impl Database {
    /// The database in `file`; all connections of this process to the same file share it.
    pub(crate) fn of_file(file: &dyn File) -> Arc<Database> {
        let Some(id) = file.id() else { return Arc::new(Database::default()) };
        let key = (std::process::id(), id);
        let mut databases = DATABASES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let databases = databases.get_or_insert_with(HashMap::new);
        if let Some(database) = databases.get(&key).and_then(Weak::upgrade) {
            return database;
        }
        databases.retain(|_, database| database.strong_count() > 0);
        let database = Arc::new(Database::default());
        databases.insert(key, Arc::downgrade(&database));
        database
    }

    /// The log, opened by the first connection that needs it.
    pub(crate) fn wal(&self, open: impl FnOnce() -> Result<SharedWal>) -> Result<Arc<SharedWal>> {
        let mut wal = self.wal.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(wal) = wal.upgrade() {
            return Ok(wal);
        }
        let opened = Arc::new(open()?);
        *wal = Arc::downgrade(&opened);
        Ok(opened)
    }
}
