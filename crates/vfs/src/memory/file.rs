//! A handle on a file in memory.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::inode::MemoryInode;
use crate::error::Result;
use crate::mapping::Mapping;
use crate::shm::ShmRegion;
use crate::unix::guard;
use crate::{File, FileId, LockLevel, ShmLock, SyncFlags};

/// A handle on a file in memory.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    inode: Arc<MemoryInode>,
    held: Mutex<Held>,
}

/// The locks of this handle.
#[derive(Debug, Default)]
struct Held {
    level: LockLevel,
    shared: u8,
    exclusive: u8,
    uses_shm: bool,
}

impl MemoryFile {
    pub(crate) fn new(inode: Arc<MemoryInode>) -> MemoryFile {
        MemoryFile { inode, held: Mutex::default() }
    }

    pub(crate) fn inode(&self) -> &Arc<MemoryInode> {
        &self.inode
    }

    fn leave_shm(&self, held: &mut Held, delete: bool) {
        let mut slots = guard(&self.inode.slots);
        for slot in 0..8 {
            if held.shared & 1 << slot != 0 {
                slots.unlock(slot..slot + 1, ShmLock::Shared);
            }
            if held.exclusive & 1 << slot != 0 {
                slots.unlock(slot..slot + 1, ShmLock::Exclusive);
            }
        }
        (held.shared, held.exclusive) = (0, 0);
        if delete {
            guard(&self.inode.shm).clear();
        }
        held.uses_shm = false;
    }
}

impl File for MemoryFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        Ok(self.inode.read_at(buf, offset))
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        self.inode.write_at(buf, offset)
    }

    fn truncate(&self, size: u64) -> Result<()> {
        self.inode.truncate(size)
    }

    fn sync(&self, _flags: SyncFlags) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        Ok(self.inode.size())
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        let mut held = guard(&self.held);
        held.level = guard(&self.inode.locks).raise(held.level, level);
        Ok(held.level >= level)
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        let mut held = guard(&self.held);
        if held.level > level {
            guard(&self.inode.locks).lower(held.level, level);
            held.level = level;
        }
        Ok(())
    }

    fn check_reserved(&self) -> Result<bool> {
        Ok(guard(&self.inode.locks).is_reserved())
    }

    fn has_shm(&self) -> bool {
        true
    }

    fn shm_map(&self, region: u32, extend: bool) -> Result<Option<ShmRegion>> {
        guard(&self.held).uses_shm = true;
        Ok(self.inode.region(region, extend))
    }

    fn shm_lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        let mut held = guard(&self.held);
        let mask = slots.clone().fold(0, |mask, slot| mask | 1 << slot);
        if how == ShmLock::Shared && held.shared & mask == mask {
            return Ok(true);
        }
        let granted = guard(&self.inode.slots).lock(slots, how);
        if granted {
            match how {
                ShmLock::Shared => held.shared |= mask,
                ShmLock::Exclusive => held.exclusive |= mask,
            }
        }
        Ok(granted)
    }

    fn shm_unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        let mut held = guard(&self.held);
        let mask = slots.clone().fold(0, |mask, slot| mask | 1 << slot);
        let mine = match how {
            ShmLock::Shared => &mut held.shared,
            ShmLock::Exclusive => &mut held.exclusive,
        };
        if *mine & mask == mask {
            *mine &= !mask;
            guard(&self.inode.slots).unlock(slots, how);
        }
        Ok(())
    }

    fn shm_is_shared(&self) -> Result<bool> {
        Ok(false)
    }

    fn shm_unmap(&self, delete: bool) -> Result<()> {
        self.leave_shm(&mut guard(&self.held), delete);
        Ok(())
    }

    fn map(&self, _reserve: u64) -> Result<Option<Mapping>> {
        Ok(Some(Mapping::of_memory(self.inode.bytes())))
    }

    fn id(&self) -> Option<FileId> {
        Some(self.inode.id())
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        let mut held = guard(&self.held);
        self.leave_shm(&mut held, false);
        guard(&self.inode.locks).lower(held.level, LockLevel::None);
        held.level = LockLevel::None;
    }
}
