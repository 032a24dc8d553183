//! What the connections of one process share of a log.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, Weak};

use lithe_vfs::{File, Mapping};

use super::commit_queue::CommitQueue;
use super::read_lock::{Idle, ReadLock};
use crate::error::Result;
use crate::mappings::Mappings;

/// A log, as the connections of this process share it.
#[derive(Debug)]
pub(crate) struct SharedWal {
    file: Arc<dyn File>,
    path: PathBuf,
    mappings: Mappings,
    readers: Mutex<Vec<Weak<ReadLock>>>,
    pub(super) commits: CommitQueue,
    /// How long the log is when writers next try to restart it.
    pub(super) next_try: AtomicU32,
}

impl SharedWal {
    /// The log in `file`, which lies at `path`. `hub` is a handle on the database through which the process holds the write
    /// lock, whichever connection writes; `None` if there is only one connection.
    pub(crate) fn new(file: Arc<dyn File>, path: &Path, hub: Option<Arc<dyn File>>) -> SharedWal {
        SharedWal {
            file,
            path: path.to_path_buf(),
            mappings: Mappings::default(),
            readers: Mutex::default(),
            commits: CommitQueue::new(hub),
            next_try: AtomicU32::new(0),
        }
    }

    pub(super) fn file_handle(&self) -> Arc<dyn File> {
        Arc::clone(&self.file)
    }

    pub(super) fn file(&self) -> &dyn File {
        &*self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The mapping that shows the first `size` bytes of the log, if it can be mapped.
    pub(super) fn mapping(&self, size: u64) -> Result<Option<Arc<Mapping>>> {
        self.mappings.covering(&*self.file, size)
    }

    pub(super) fn join(&self, lock: &Arc<ReadLock>) {
        let mut readers = self.readers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        readers.retain(|reader| reader.strong_count() > 0);
        readers.push(Arc::downgrade(lock));
    }

    /// Releases the idle read locks of this process. Answers whether there were any.
    pub(super) fn send_idle_readers_away(&self) -> Result<bool> {
        let readers = self.readers.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
        let mut any = false;
        for reader in readers.iter().filter_map(Weak::upgrade) {
            any |= reader.give_back_if_idle()? == Idle::GivenBack;
        }
        Ok(any)
    }
}
