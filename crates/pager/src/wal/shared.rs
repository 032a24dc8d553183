//! What the connections of one process share of a log.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use lithe_vfs::{File, Mapping};

use super::read_lock::{Idle, ReadLock};
use super::turns::Turns;
use crate::error::Result;
use crate::page_ref::MappedFile;

/// A log, as the connections of this process share it.
#[derive(Debug)]
pub(crate) struct SharedWal {
    file: Arc<dyn File>,
    mapping: OnceLock<Option<Mapping>>,
    readers: Mutex<Vec<Weak<ReadLock>>>,
    pub(super) turns: Turns,
    /// How long the log is when writers next try together to bring it to an end.
    pub(super) next_try: AtomicU32,
}

impl SharedWal {
    /// The log in `file`. `hub` is a handle on the database through which the process holds the write
    /// lock, whichever connection writes; `None` if there is only one connection.
    pub(crate) fn new(file: Arc<dyn File>, hub: Option<Arc<dyn File>>) -> SharedWal {
        SharedWal {
            file,
            mapping: OnceLock::new(),
            readers: Mutex::default(),
            turns: Turns::new(hub),
            next_try: AtomicU32::new(0),
        }
    }

    pub(super) fn file(&self) -> &dyn File {
        &*self.file
    }

    /// The log as far as it is mapped: `size` bytes of it, if it can be.
    pub(super) fn mapped(&self, size: u64) -> Result<MappedFile> {
        if size == 0 {
            return Ok(MappedFile::NONE);
        }
        if self.mapping.get().is_none() {
            let mapping = self.file.map(0)?;
            let _ = self.mapping.set(mapping);
        }
        let mapping = self.mapping.get().and_then(Option::as_ref);
        Ok(mapping.map_or(MappedFile::NONE, |mapping| MappedFile::new(mapping, size)))
    }

    pub(super) fn join(&self, lock: &Arc<ReadLock>) {
        let mut readers = self.readers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        readers.retain(|reader| reader.strong_count() > 0);
        readers.push(Arc::downgrade(lock));
    }

    /// Makes readers who only keep their locks give them back. Answers whether there were any.
    pub(super) fn send_idle_readers_away(&self) -> Result<bool> {
        let readers = self.readers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        let mut any = false;
        for reader in readers.iter().filter_map(Weak::upgrade) {
            any |= reader.give_back_if_idle()? == Idle::GivenBack;
        }
        Ok(any)
    }
}
