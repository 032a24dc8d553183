//! A file in memory.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::locks::{FileLocks, SlotLocks};
use crate::error::{Error, Op, Result};
use crate::memory_bytes::MemoryBytes;
use crate::shm::ShmRegion;
use crate::unix::guard;
use crate::{FileId, ResultCode};

/// A device number that no real device has: files in memory are identified by their inode alone.
const DEVICE: u64 = u64::MAX;

static NEXT_INODE: AtomicU64 = AtomicU64::new(1);

/// A file in memory: its content and its locks.
#[derive(Debug)]
pub(crate) struct MemoryInode {
    id: FileId,
    bytes: Arc<MemoryBytes>,
    /// The length of the file. Readers and writers of the content hold this lock: one writer at a time.
    len: RwLock<u64>,
    pub(super) locks: Mutex<FileLocks>,
    pub(super) slots: Mutex<SlotLocks>,
    pub(super) shm: Mutex<Vec<ShmRegion>>,
}

impl MemoryInode {
    /// An empty file that may grow to `len_max` bytes.
    pub(crate) fn new(len_max: usize) -> Result<MemoryInode> {
        let bytes = MemoryBytes::new(len_max).ok_or_else(|| Error::with_code(Op::Open, ResultCode::NOMEM))?;
        let inode = NEXT_INODE.fetch_add(1, Ordering::Relaxed);
        Ok(MemoryInode {
            id: FileId { device: DEVICE, inode },
            bytes: Arc::new(bytes),
            len: RwLock::new(0),
            locks: Mutex::default(),
            slots: Mutex::default(),
            shm: Mutex::default(),
        })
    }

    pub(crate) fn id(&self) -> FileId {
        self.id
    }

    pub(super) fn bytes(&self) -> &Arc<MemoryBytes> {
        &self.bytes
    }

    fn reading(&self) -> RwLockReadGuard<'_, u64> {
        self.len.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn writing(&self) -> RwLockWriteGuard<'_, u64> {
        self.len.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn size(&self) -> u64 {
        *self.reading()
    }

    pub(crate) fn read_at(&self, buf: &mut [u8], offset: u64) -> usize {
        let len = self.reading();
        let have = len.saturating_sub(offset).min(buf.len() as u64) as usize;
        if have > 0 {
            self.bytes.read(offset as usize, &mut buf[..have]);
        }
        buf[have..].fill(0);
        have
    }

    pub(crate) fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        let full = || Error::with_code(Op::Write, ResultCode::FULL);
        let end = offset.checked_add(buf.len() as u64).ok_or_else(full)?;
        let mut len = self.writing();
        if !self.bytes.grow_to(end) {
            return Err(full());
        }
        self.bytes.write(offset as usize, buf);
        *len = (*len).max(end);
        Ok(())
    }

    pub(crate) fn truncate(&self, size: u64) -> Result<()> {
        let mut len = self.writing();
        if !self.bytes.grow_to(size) {
            return Err(Error::with_code(Op::Truncate, ResultCode::FULL));
        }
        // Bytes past the end are kept zero, so that growing again shows zeros.
        if size < *len {
            self.bytes.zero(size as usize, (*len - size) as usize);
        }
        *len = size;
        Ok(())
    }

    pub(super) fn region(&self, number: u32, extend: bool) -> Option<ShmRegion> {
        let mut regions = guard(&self.shm);
        while extend && regions.len() <= number as usize {
            regions.push(ShmRegion::private());
        }
        regions.get(number as usize).cloned()
    }
}
