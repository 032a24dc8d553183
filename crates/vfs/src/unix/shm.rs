//! The shared memory of a database: the file `<database>-shm`, mapped by every process that uses the
//! write-ahead log, and its lock slots.

use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use lithe_format::locks::{READ_MARKS, SHM_ALIVE_BYTE, SHM_LOCKS_AT, SHM_SLOTS, read_slot};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use super::descriptor::open_shm;
use super::metadata::size_of;
use super::posix_lock::{self, Hold};
use super::{failure, guard, retry};
use crate::error::{Error, Op, Result};
use crate::shm::{SHM_REGION_BYTES, ShmRegion};
use crate::{ResultCode, ShmLock};

/// The first process truncates what a crash left behind to this length: not to zero, so that old libraries that test
/// for an empty file do not mistake it for a new one.
const LEFTOVER_LEN: u64 = 3;

/// The file grows by a write to each block of this size, so that a full device is reported here and not by a signal
/// later.
const BLOCK: u64 = 4096;

/// The shared memory of one database, as the handles in this process share it.
#[derive(Debug)]
pub(super) struct ShmNode {
    /// `None`: the process keeps the database for itself, and the memory is private.
    fd: Option<OwnedFd>,
    path: PathBuf,
    writable: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// This process holds the lock that announces it. A process that may only read cannot prepare the memory, and waits
    /// until another one does; until then it has locks, but no regions.
    signed_in: bool,
    regions: Vec<ShmRegion>,
    /// For each slot how many handles share it, or -1 for an exclusive holder.
    holders: [i32; SHM_SLOTS as usize],
    /// The last handle removes the file.
    delete: bool,
}

/// One handle's part of the shared memory.
#[derive(Debug, Default)]
pub(super) struct ShmHandle {
    inner: Mutex<Option<Share>>,
    /// The file is only read, if this handle is the first of the process.
    read_only: bool,
}

#[derive(Debug)]
struct Share {
    node: Arc<ShmNode>,
    /// The slots that this handle shares, a bit each.
    shared: u8,
    /// The slots that this handle holds exclusively.
    exclusive: u8,
}

impl ShmHandle {
    pub(super) fn new(read_only: bool) -> ShmHandle {
        ShmHandle { inner: Mutex::default(), read_only }
    }

    /// A region of the memory. `join` opens the node of the process at the first use; its argument says whether the file is
    /// only to be read.
    pub(super) fn map(
        &self,
        join: impl FnOnce(bool) -> Result<Arc<ShmNode>>,
        region: u32,
        extend: bool,
    ) -> Result<Option<ShmRegion>> {
        let mut inner = guard(&self.inner);
        let share = match &mut *inner {
            Some(share) => share,
            None => inner.insert(Share { node: join(self.read_only)?, shared: 0, exclusive: 0 }),
        };
        share.node.region(region, extend)
    }

    pub(super) fn lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        let mut inner = guard(&self.inner);
        let share = inner.as_mut().expect("the shared memory is mapped before it is locked");
        let mask = mask_of(&slots);
        if how == ShmLock::Shared && share.shared & mask == mask {
            return Ok(true);
        }
        let granted = share.node.lock(slots, how)?;
        if granted {
            match how {
                ShmLock::Shared => share.shared |= mask,
                ShmLock::Exclusive => share.exclusive |= mask,
            }
        }
        Ok(granted)
    }

    pub(super) fn unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        let mut inner = guard(&self.inner);
        let Some(share) = inner.as_mut() else { return Ok(()) };
        let held = match how {
            ShmLock::Shared => &mut share.shared,
            ShmLock::Exclusive => &mut share.exclusive,
        };
        let mask = mask_of(&slots);
        if *held & mask != mask {
            return Ok(());
        }
        *held &= !mask;
        share.node.unlock(slots, how)
    }

    /// Whether another process has announced itself.
    pub(super) fn is_shared(&self) -> Result<bool> {
        match &*guard(&self.inner) {
            Some(share) => share.node.is_shared(),
            None => Ok(false),
        }
    }

    /// Whether another process holds one of the readers' locks.
    pub(super) fn has_reader_elsewhere(&self) -> Result<bool> {
        match &*guard(&self.inner) {
            Some(share) => share.node.has_reader_elsewhere(),
            None => Ok(false),
        }
    }

    pub(super) fn unmap(&self, delete: bool) {
        if let Some(share) = guard(&self.inner).take() {
            if delete {
                guard(&share.node.state).delete = true;
            }
            share.leave();
        }
    }
}

impl Drop for ShmHandle {
    fn drop(&mut self) {
        self.unmap(false);
    }
}

fn mask_of(slots: &Range<u8>) -> u8 {
    assert!(slots.start < slots.end && slots.end <= SHM_SLOTS, "no such slots: {slots:?}");
    slots.clone().fold(0, |mask, slot| mask | 1 << slot)
}

impl Share {
    /// Releases the slots. Errors are ignored, because the system drops the locks with the descriptor.
    fn leave(self) {
        for slot in 0..SHM_SLOTS {
            if self.shared & 1 << slot != 0 {
                let _ = self.node.unlock(slot..slot + 1, ShmLock::Shared);
            }
            if self.exclusive & 1 << slot != 0 {
                let _ = self.node.unlock(slot..slot + 1, ShmLock::Exclusive);
            }
        }
    }
}

impl ShmNode {
    /// Opens the file beside `database`.
    pub(super) fn open(database: &Path, read_only: bool) -> Result<ShmNode> {
        let mut path = database.as_os_str().to_os_string();
        path.push("-shm");
        let path = PathBuf::from(path);
        let (fd, writable) =
            open_shm(&path, database, read_only).map_err(|errno| failure(Op::Open, errno).at(&path))?;
        Ok(ShmNode { fd: Some(fd), path, writable, state: Mutex::default() })
    }

    /// A node with private memory of this process.
    pub(super) fn private() -> ShmNode {
        ShmNode { fd: None, path: PathBuf::new(), writable: true, state: Mutex::default() }
    }

    /// Announces this process. The first process finds no other lock, and discards the old content.
    fn sign_in(&self, fd: &OwnedFd) -> Result<()> {
        let fd = fd.as_fd();
        match posix_lock::held_by_others(fd, SHM_ALIVE_BYTE, 1, Op::ShmLock).map_err(|e| e.at(&self.path))? {
            Hold::Write => return Err(self.busy()),
            Hold::Nothing if !self.writable => {
                return Err(Error::with_code(Op::ShmOpen, ResultCode::READONLY_CANTINIT).at(&self.path));
            }
            Hold::Nothing => {
                if !posix_lock::set(fd, Hold::Write, SHM_ALIVE_BYTE, 1, Op::ShmLock).map_err(|e| e.at(&self.path))? {
                    return Err(self.busy());
                }
                retry(|| rustix::fs::ftruncate(fd, LEFTOVER_LEN))
                    .map_err(|errno| failure(Op::ShmOpen, errno).at(&self.path))?;
            }
            Hold::Read => {}
        }
        match posix_lock::set(fd, Hold::Read, SHM_ALIVE_BYTE, 1, Op::ShmLock).map_err(|e| e.at(&self.path))? {
            true => Ok(()),
            false => Err(self.busy()),
        }
    }

    fn is_shared(&self) -> Result<bool> {
        self.is_held_elsewhere(SHM_ALIVE_BYTE, 1)
    }

    fn has_reader_elsewhere(&self) -> Result<bool> {
        self.is_held_elsewhere(SHM_LOCKS_AT + u64::from(read_slot(0)), READ_MARKS as u64)
    }

    fn is_held_elsewhere(&self, start: u64, len: u64) -> Result<bool> {
        let Some(fd) = &self.fd else { return Ok(false) };
        let held = posix_lock::held_by_others(fd.as_fd(), start, len, Op::ShmLock);
        Ok(held.map_err(|e| e.at(&self.path))? != Hold::Nothing)
    }

    fn busy(&self) -> Error {
        Error::with_code(Op::ShmLock, ResultCode::BUSY).at(&self.path)
    }

    fn region(&self, number: u32, extend: bool) -> Result<Option<ShmRegion>> {
        let mut state = guard(&self.state);
        let number = number as usize;
        let Some(fd) = &self.fd else {
            if extend && number >= state.regions.len() {
                state.regions.resize_with(number + 1, ShmRegion::private);
            }
            return Ok(state.regions.get(number).cloned());
        };
        if !state.signed_in {
            self.sign_in(fd)?;
            state.signed_in = true;
        }
        let extend = extend && self.writable;
        if number >= state.regions.len() {
            let wanted = (number as u64 + 1) * SHM_REGION_BYTES as u64;
            let size = size_of(fd).map_err(|errno| failure(Op::ShmSize, errno).at(&self.path))?;
            if size < wanted {
                if !extend {
                    return Ok(None);
                }
                self.grow(fd, size, wanted)?;
            }
            self.map_up_to(fd, &mut state.regions, number)?;
        }
        Ok(Some(state.regions[number].clone()))
    }

    fn grow(&self, fd: &OwnedFd, from: u64, to: u64) -> Result<()> {
        for block in from / BLOCK..to / BLOCK {
            retry(|| rustix::io::pwrite(fd, &[0], (block + 1) * BLOCK - 1))
                .map_err(|errno| failure(Op::ShmSize, errno).at(&self.path))?;
        }
        Ok(())
    }

    /// Maps the regions up to `number`; several at once where the system's pages are larger than a region.
    fn map_up_to(&self, fd: &OwnedFd, regions: &mut Vec<ShmRegion>, number: usize) -> Result<()> {
        let at_once = (rustix::param::page_size() / SHM_REGION_BYTES).max(1);
        while regions.len() <= number {
            let len = at_once * SHM_REGION_BYTES;
            let offset = (regions.len() * SHM_REGION_BYTES) as u64;
            let stretch = Arc::new(
                Stretch::map(fd, len, offset, self.writable)
                    .map_err(|errno| failure(Op::ShmMap, errno).at(&self.path))?,
            );
            for part in 0..at_once {
                // SAFETY: the stretch is `at_once` regions long and page-aligned, it keeps itself
                // mapped, and this process reaches shared memory through `ShmRegion` only.
                let region = unsafe {
                    ShmRegion::from_raw(stretch.base.add(part * SHM_REGION_BYTES), self.writable, stretch.clone())
                };
                regions.push(region);
            }
        }
        Ok(())
    }

    /// Locks slots, among the handles of this process first, then among processes.
    fn lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        let mut state = guard(&self.state);
        let holders = &mut state.holders[usize::from(slots.start)..usize::from(slots.end)];
        match how {
            ShmLock::Shared => {
                assert!(holders.len() == 1, "slots are shared one by one");
                if holders[0] < 0 {
                    return Ok(false);
                }
                if holders[0] == 0 && !self.set(Hold::Read, &slots)? {
                    return Ok(false);
                }
                holders[0] += 1;
            }
            ShmLock::Exclusive => {
                if holders.iter().any(|&holder| holder != 0) || !self.set(Hold::Write, &slots)? {
                    return Ok(false);
                }
                holders.fill(-1);
            }
        }
        Ok(true)
    }

    fn unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        let mut state = guard(&self.state);
        let holders = &mut state.holders[usize::from(slots.start)..usize::from(slots.end)];
        for holder in holders.iter_mut() {
            *holder = if how == ShmLock::Shared { *holder - 1 } else { 0 };
        }
        if holders.iter().all(|&holder| holder == 0) {
            self.set(Hold::Nothing, &slots)?;
        }
        Ok(())
    }

    fn set(&self, hold: Hold, slots: &Range<u8>) -> Result<bool> {
        let Some(fd) = &self.fd else { return Ok(true) };
        let start = SHM_LOCKS_AT + u64::from(slots.start);
        // A file that was opened for reading cannot be locked for writing: answered as a conflict.
        if hold == Hold::Write && !self.writable {
            return Ok(false);
        }
        posix_lock::set(fd.as_fd(), hold, start, slots.len() as u64, Op::ShmLock).map_err(|error| error.at(&self.path))
    }
}

impl Drop for ShmNode {
    fn drop(&mut self) {
        if guard(&self.state).delete && self.fd.is_some() {
            let _ = rustix::fs::unlink(&self.path);
        }
    }
}

/// A mapped range of the file.
#[derive(Debug)]
struct Stretch {
    base: NonNull<u8>,
    len: usize,
}

// SAFETY: an address and a length; the memory is accessed through atomics only.
unsafe impl Send for Stretch {}
// SAFETY: as above.
unsafe impl Sync for Stretch {}

impl Stretch {
    fn map(fd: &OwnedFd, len: usize, offset: u64, writable: bool) -> rustix::io::Result<Stretch> {
        let protection = if writable { ProtFlags::READ | ProtFlags::WRITE } else { ProtFlags::READ };
        // SAFETY: the system picks unused addresses.
        let base = unsafe { mmap(std::ptr::null_mut(), len, protection, MapFlags::SHARED, fd, offset)? };
        Ok(Stretch { base: NonNull::new(base.cast()).expect("mappings are not at null"), len })
    }
}

impl Drop for Stretch {
    fn drop(&mut self) {
        // SAFETY: mapped by us, and every region in it keeps this stretch alive.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.len) };
    }
}
