//! One open file.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::io::Errno;

use super::inode::InodeHandle;
use super::locking::Locks;
use super::metadata::{metadata_of_path, size_of};
use super::shm::ShmHandle;
use super::{failure, retry};
use crate::error::{Error, Op, Result};
use crate::flags::{DeviceCharacteristics, LockLevel, ShmLock, SyncFlags};
use crate::mapping::Mapping;
use crate::shm::ShmRegion;
use crate::{File, FileId};

/// Vectored calls take no more buffers than this (IOV_MAX of Linux and the BSDs).
const VECTORS_MAX: usize = 1024;

/// A file of the machine.
#[derive(Debug)]
pub(super) struct UnixFile {
    pub(super) fd: Arc<OwnedFd>,
    pub(super) path: PathBuf,
    /// The locks of the handle; `None` for files without locks.
    pub(super) locks: Option<Locks>,
    pub(super) shm: ShmHandle,
    /// The file was created by this handle and its entry in the folder may not be durable yet.
    pub(super) new_in_folder: AtomicBool,
    /// The file was deleted when it was opened: its path names no file.
    pub(super) nameless: bool,
    /// Writes that a power loss interrupts may harm the sector around them.
    pub(super) torn_sectors: AtomicBool,
    /// The file grows and shrinks by multiples of this; 0: by any length.
    pub(super) chunk_size: AtomicU64,
}

impl UnixFile {
    fn error(&self, op: Op, errno: Errno) -> Error {
        failure(op, errno).at(&self.path)
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn record_locks(&self) -> Option<&InodeHandle> {
        self.locks.as_ref().and_then(Locks::records)
    }
}

impl File for UnixFile {
    fn characteristics(&self) -> DeviceCharacteristics {
        if self.torn_sectors.load(Ordering::Relaxed) {
            DeviceCharacteristics::default()
        } else {
            DeviceCharacteristics::POWERSAFE_OVERWRITE
        }
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        read_all(buf, |rest, done| rustix::io::pread(self.fd(), rest, offset + done))
            .map_err(|errno| self.error(Op::Read, errno))
    }

    fn read_vectored_at(&self, bufs: &mut [IoSliceMut<'_>], offset: u64) -> Result<usize> {
        let mut total = 0;
        for batch in bufs.chunks_mut(VECTORS_MAX) {
            let wanted: usize = batch.iter().map(|buf| buf.len()).sum();
            let at = offset + total as u64;
            let got = match rustix::io::preadv(self.fd(), batch, at) {
                Ok(n) => n,
                Err(Errno::INTR) => 0,
                Err(errno) => return Err(self.error(Op::Read, errno)),
            };
            total += if got == wanted { got } else { self.finish_read(batch, got, at)? };
        }
        Ok(total)
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        write_all(buf, |rest, done| rustix::io::pwrite(self.fd(), rest, offset + done))
            .map_err(|errno| self.error(Op::Write, errno))
    }

    fn write_vectored_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> Result<()> {
        let mut at = offset;
        for batch in bufs.chunks(VECTORS_MAX) {
            let wanted: usize = batch.iter().map(|buf| buf.len()).sum();
            let done = match rustix::io::pwritev(self.fd(), batch, at) {
                Ok(n) => n,
                Err(Errno::INTR) => 0,
                Err(errno) => return Err(self.error(Op::Write, errno)),
            };
            if done < wanted {
                self.finish_write(batch, done, at)?;
            }
            at += wanted as u64;
        }
        Ok(())
    }

    fn truncate(&self, size: u64) -> Result<()> {
        let size = self.in_chunks(size);
        retry(|| rustix::fs::ftruncate(self.fd(), size)).map_err(|errno| self.error(Op::Truncate, errno))
    }

    fn sync(&self, flags: SyncFlags) -> Result<()> {
        retry(|| sync(self.fd(), flags)).map_err(|errno| self.error(Op::Sync, errno))?;
        if self.new_in_folder.load(Ordering::Relaxed) {
            sync_folder_of(&self.path)?;
            // The flag is cleared only now: after a failure the folder is still to be synced.
            self.new_in_folder.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        let size = size_of(self.fd()).map_err(|errno| self.error(Op::Stat, errno))?;
        // A file of one byte counts as empty, as in SQLite (some file systems create files of one byte).
        Ok(if size == 1 { 0 } else { size })
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        match &self.locks {
            Some(locks) => locks.lock(level).map_err(|error| error.at(&self.path)),
            None => Ok(true),
        }
    }

    fn join_readers(&self) -> Result<bool> {
        Ok(self.record_locks().is_some_and(InodeHandle::join_readers))
    }

    fn stand_aside(&self, aside: bool) {
        if let Some(inode) = self.record_locks() {
            inode.stand_aside(aside);
        }
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        match &self.locks {
            Some(locks) => locks.unlock(level).map_err(|error| error.at(&self.path)),
            None => Ok(()),
        }
    }

    fn check_reserved(&self) -> Result<bool> {
        match &self.locks {
            Some(locks) => locks.check_reserved().map_err(|error| error.at(&self.path)),
            None => Ok(false),
        }
    }

    fn has_shm(&self) -> bool {
        self.record_locks().is_some()
    }

    fn shm_map(&self, region: u32, extend: bool) -> Result<Option<ShmRegion>> {
        match self.record_locks() {
            Some(inode) => {
                let join = |read_only| inode.join_shared_memory(&self.path, read_only);
                self.shm.map(join, region, extend)
            }
            None => Err(Error::new(Op::ShmOpen).at(&self.path)),
        }
    }

    fn shm_lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        self.shm.lock(slots, how)
    }

    fn shm_unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        self.shm.unlock(slots, how)
    }

    fn shm_is_shared(&self) -> Result<bool> {
        self.shm.is_shared()
    }

    fn shm_has_reader_elsewhere(&self) -> Result<bool> {
        self.shm.has_reader_elsewhere()
    }

    fn shm_unmap(&self, delete: bool) -> Result<()> {
        self.shm.unmap(delete);
        Ok(())
    }

    fn map(&self, reserve: u64) -> Result<Option<Mapping>> {
        Ok(Mapping::of_file(self.fd(), reserve.max(self.size()?)))
    }

    fn id(&self) -> Option<FileId> {
        self.record_locks().map(InodeHandle::id)
    }

    fn has_moved(&self) -> Result<bool> {
        if self.nameless {
            return Ok(false);
        }
        let Some(inode) = self.locks.as_ref().map(Locks::inode) else { return Ok(false) };
        Ok(metadata_of_path(&self.path).map_or(true, |metadata| metadata.id != inode.id()))
    }

    fn size_hint(&self, size: u64) -> Result<()> {
        let is_wanted = self.chunk_size.load(Ordering::Relaxed) > 0 && self.size()? < self.in_chunks(size);
        if is_wanted { self.truncate(size) } else { Ok(()) }
    }

    fn write_back(&self, offset: u64, len: u64) {
        super::write_back::begin(self.fd(), offset, len);
    }

    fn set_chunk_size(&self, bytes: u64) {
        self.chunk_size.store(bytes, Ordering::Relaxed);
    }

    fn set_powersafe_overwrite(&self, on: bool) {
        self.torn_sectors.store(!on, Ordering::Relaxed);
    }
}

impl UnixFile {
    /// The size that the file gets for `size` bytes.
    fn in_chunks(&self, size: u64) -> u64 {
        match self.chunk_size.load(Ordering::Relaxed) {
            0 => size,
            chunk => size.checked_next_multiple_of(chunk).unwrap_or(size),
        }
    }

    /// Reads the rest after a vectored read that stopped early: buffer by buffer, to the end of the file. Answers how
    /// many bytes were read in all.
    #[cold]
    fn finish_read(&self, bufs: &mut [IoSliceMut<'_>], done: usize, offset: u64) -> Result<usize> {
        let mut before = 0;
        let mut total = done;
        for buf in bufs {
            let len = buf.len();
            let have = done.saturating_sub(before).min(len);
            total += self.read_at(&mut buf[have..], offset + (before + have) as u64)?;
            before += len;
        }
        Ok(total)
    }

    /// Writes the rest after a vectored write that stopped early.
    #[cold]
    fn finish_write(&self, bufs: &[IoSlice<'_>], done: usize, offset: u64) -> Result<()> {
        let mut before = 0;
        for buf in bufs {
            let have = done.saturating_sub(before).min(buf.len());
            self.write_at(&buf[have..], offset + (before + have) as u64)?;
            before += buf.len();
        }
        Ok(())
    }
}

/// Reads until `buf` is full or the file ends, however often the system stops early or is interrupted. The rest of
/// `buf` is zeroed.
fn read_all(
    buf: &mut [u8],
    mut read: impl FnMut(&mut [u8], u64) -> rustix::io::Result<usize>,
) -> rustix::io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match read(&mut buf[filled..], filled as u64) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    buf[filled..].fill(0);
    Ok(filled)
}

/// Writes all of `buf`, however often the system stops early or is interrupted.
fn write_all(buf: &[u8], mut write: impl FnMut(&[u8], u64) -> rustix::io::Result<usize>) -> rustix::io::Result<()> {
    let mut written = 0;
    while written < buf.len() {
        match write(&buf[written..], written as u64) {
            // A device that writes nothing and reports no error is full.
            Ok(0) => return Err(Errno::NOSPC),
            Ok(n) => written += n,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// On systems other than Apple's fdatasync writes all that is needed to read the content again, the size included,
/// whatever the flags.
#[cfg(not(target_vendor = "apple"))]
fn sync(fd: BorrowedFd<'_>, _flags: SyncFlags) -> rustix::io::Result<()> {
    rustix::fs::fdatasync(fd)
}

#[cfg(target_vendor = "apple")]
fn sync(fd: BorrowedFd<'_>, flags: SyncFlags) -> rustix::io::Result<()> {
    if flags.contains(SyncFlags::FULL) && rustix::fs::fcntl_fullfsync(fd).is_ok() {
        return Ok(());
    }
    rustix::fs::fsync(fd)
}

/// Syncs the entries of the folder that `path` lies in. A folder that cannot be opened is skipped, because this process
/// could not have created a file in it.
pub(super) fn sync_folder_of(path: &Path) -> Result<()> {
    use rustix::fs::{Mode, OFlags};
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(fd) = rustix::fs::open(folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) else {
        return Ok(());
    };
    retry(|| rustix::fs::fsync(&fd)).map_err(|errno| failure(Op::SyncDirectory, errno).at(path))
}

/// The error for a folder that is opened as a database. Applications get SQLITE_CANTOPEN, as from SQLite, which does
/// not return its own SQLITE_CANTOPEN_ISDIR when it opens a database.
pub(super) fn is_a_folder(path: &Path) -> Error {
    Error::from_errno(Op::Open, Errno::ISDIR.raw_os_error()).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a system that transfers as many bytes a call as the script says.
    fn check(script: &[std::result::Result<usize, Errno>], read: std::result::Result<usize, Errno>, written: bool) {
        let content: Vec<u8> = (1..=10).collect();
        let mut buf = [0xff; 10];
        let mut steps = script.iter();
        let got = read_all(&mut buf, |rest, done| {
            let n = (*steps.next().unwrap())?;
            rest[..n].copy_from_slice(&content[done as usize..][..n]);
            Ok(n)
        });
        assert_eq!(got, read, "{script:?}");
        if let Ok(n) = read {
            assert_eq!((&buf[..n], &buf[n..]), (&content[..n], &vec![0; 10 - n][..]), "{script:?}");
        }
        let mut file = Vec::new();
        let mut steps = script.iter();
        let put = write_all(&content, |rest, done| {
            assert_eq!(done, file.len() as u64);
            let n = (*steps.next().unwrap())?;
            file.extend_from_slice(&rest[..n]);
            Ok(n)
        });
        assert_eq!((put.is_ok(), file == content), (written, written), "{script:?}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn calls_that_stop_early_continue() {
        check(&[Ok(10)], Ok(10), true);
        check(&[Err(Errno::INTR), Ok(3), Err(Errno::INTR), Err(Errno::INTR), Ok(1), Ok(6)], Ok(10), true);
        check(&[Ok(4), Ok(0)], Ok(4), false);
        check(&[Ok(4), Err(Errno::IO)], Err(Errno::IO), false);
        check(&[Ok(9), Err(Errno::INTR), Err(Errno::NOSPC)], Err(Errno::NOSPC), false);
    }
}
