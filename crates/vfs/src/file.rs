//! An open file.

use std::any::Any;
use std::fmt::Debug;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;

use crate::ResultCode;
use crate::error::Result;
use crate::flags::{DeviceCharacteristics, FileEvent, LockLevel, ShmLock, SyncFlags};
use crate::mapping::Mapping;
use crate::shm::ShmRegion;

/// A file's result for a pragma that it has handled: a text or nothing, or an error.
pub type PragmaAnswer = std::result::Result<Option<String>, (ResultCode, String)>;

/// The identity of a file, whatever its name: device and inode, or something as unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The number of the file on it.
    pub inode: u64,
}

/// An open file. One connection holds one `File` a database: locks belong to the `File`, and a VFS
/// arbitrates between several of the same file in one process.
///
/// Reads and writes name their offset, so that threads share no position. The locking half matters for main databases
/// only; the defaults here serve files that no other handle uses.
pub trait File: Send + Sync + Debug {
    /// Reads `buf.len()` bytes at `offset` and answers how many bytes the file had there; the rest
    /// of `buf` is zeroed. Zeros before the end of the file may count as missing, if something is missing.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize>;

    /// Reads into several buffers from one stretch of the file, as [`File::read_at`] does.
    fn read_vectored_at(&self, bufs: &mut [IoSliceMut<'_>], offset: u64) -> Result<usize> {
        let mut at = offset;
        let mut total = 0;
        for buf in bufs {
            total += self.read_at(buf, at)?;
            at += buf.len() as u64;
        }
        Ok(total)
    }

    /// Writes all of `buf` at `offset`.
    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()>;

    /// Writes several buffers as one stretch of the file.
    fn write_vectored_at(&self, bufs: &[IoSlice<'_>], offset: u64) -> Result<()> {
        let mut at = offset;
        for buf in bufs {
            self.write_at(buf, at)?;
            at += buf.len() as u64;
        }
        Ok(())
    }

    /// Makes the file `size` bytes long.
    fn truncate(&self, size: u64) -> Result<()>;

    /// Forces what was written to the device; for a file that this handle may have created, the first
    /// time, its entry in the folder too.
    fn sync(&self, flags: SyncFlags) -> Result<()>;

    /// The size in bytes.
    fn size(&self) -> Result<u64>;

    /// Raises the lock to `level`. `false`: another handle or process holds a lock that conflicts. A call for
    /// `Exclusive` may leave the lock at `Pending` when it answers `false`.
    fn lock(&self, _level: LockLevel) -> Result<bool> {
        Ok(true)
    }

    /// Lowers the lock to `Shared` or `None`.
    fn unlock(&self, _level: LockLevel) -> Result<()> {
        Ok(())
    }

    /// Takes `Shared` although another handle of this process is at `Pending`, for owners that have agreed on that. `false`:
    /// there is no such handle, or it is at `Exclusive` already.
    fn join_readers(&self) -> Result<bool> {
        Ok(false)
    }

    /// Sets whether this handle, which holds `Shared`, stands aside: it reads nothing meanwhile, so another handle of this
    /// process need not wait for it to take `Exclusive`. For handles whose owners have agreed on that.
    fn stand_aside(&self, _aside: bool) {}

    /// Whether a handle of any process, this one included, holds `Reserved` or more.
    fn check_reserved(&self) -> Result<bool> {
        Ok(false)
    }

    /// The smallest number of bytes that can be written without disturbing its neighbours.
    fn sector_size(&self) -> u32 {
        4096
    }

    /// What the device promises.
    fn characteristics(&self) -> DeviceCharacteristics {
        DeviceCharacteristics::POWERSAFE_OVERWRITE
    }

    /// Whether the shared-memory calls below work.
    fn has_shm(&self) -> bool {
        false
    }

    /// The shared memory region number `region`; `None` if it does not exist and is not created because `extend` is
    /// `false`.
    fn shm_map(&self, _region: u32, _extend: bool) -> Result<Option<ShmRegion>> {
        Ok(None)
    }

    /// The region number `region`, created if need be, for a connection that is about to rebuild the WAL index.
    fn shm_map_to_recover(&self, region: u32) -> Result<Option<ShmRegion>> {
        self.shm_map(region, true)
    }

    /// Locks `slots` of the shared memory. `false`: another handle or process holds one of them.
    fn shm_lock(&self, _slots: Range<u8>, _how: ShmLock) -> Result<bool> {
        Ok(true)
    }

    /// Releases `slots`, which were locked as `how` says.
    fn shm_unlock(&self, _slots: Range<u8>, _how: ShmLock) -> Result<()> {
        Ok(())
    }

    /// Orders the loads and stores before it against those after it, across processes.
    fn shm_barrier(&self) {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    }

    /// Whether another process uses the shared memory, too; `true` where that is not known. This handle has mapped it
    /// already.
    fn shm_is_shared(&self) -> Result<bool> {
        Ok(true)
    }

    /// Whether another process holds a read transaction of the log, as far as that can be found out.
    fn shm_has_reader_elsewhere(&self) -> Result<bool> {
        Ok(false)
    }

    /// Unmaps the shared memory; with `delete`, the last handle removes it.
    fn shm_unmap(&self, _delete: bool) -> Result<()> {
        Ok(())
    }

    /// Maps the file for reading, with address space for `reserve` bytes: bytes within them that the file gains later
    /// can be read without mapping again. `None`: this file cannot be mapped.
    fn map(&self, _reserve: u64) -> Result<Option<Mapping>> {
        Ok(None)
    }

    /// Copies the `buf.len()` bytes at `offset` from the memory where the VFS of an application shows them. `false`: the VFS does not
    /// show them, and the caller reads them.
    fn read_fetched(&self, _buf: &mut [u8], _offset: u64) -> Result<bool> {
        Ok(false)
    }

    /// Sets up to which size the VFS of an application shows the file in memory, and answers the size in force; `None`: the VFS does
    /// not implement this.
    fn set_fetch_limit(&self, _bytes: Option<u64>) -> Option<u64> {
        None
    }

    /// Reports that the file may have changed since it was last shown in memory.
    fn forget_fetched(&self) -> Result<()> {
        Ok(())
    }

    /// The identity of the file; `None` if it is not known.
    fn id(&self) -> Option<FileId> {
        None
    }

    /// Whether the path that the file was opened by names another file or none now.
    fn has_moved(&self) -> Result<bool> {
        Ok(false)
    }

    /// Hint: the file will soon be `size` bytes long.
    fn size_hint(&self, _size: u64) -> Result<()> {
        Ok(())
    }

    /// Hint: `len` bytes at `offset`, a long range that was just written, will be synced, and are unlikely to be written again
    /// before. The device may begin with them.
    fn write_back(&self, _offset: u64, _len: u64) {}

    /// Makes the file grow and shrink by multiples of `bytes` from now on, where that is possible; 0: by any length.
    fn set_chunk_size(&self, _bytes: u64) {}

    /// Sets whether writes leave their neighbours in the sector unharmed when the power fails.
    fn set_powersafe_overwrite(&self, _on: bool) {}

    /// A pragma for this database, before it is compiled. `None`: the file does not handle it. Otherwise the file has
    /// handled it, with or without a text, or it has failed.
    fn pragma(&self, _name: &str, _value: Option<&str>) -> Option<PragmaAnswer> {
        None
    }

    /// Whether the VFS is the application's own. Such a VFS gets the calls that SQLite would make: one page or frame a
    /// call, through one handle a connection and file, and by the connection's own thread only.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Whether the log stays when the last connection closes; `None`: the VFS does not decide that.
    fn persists_log(&self) -> Option<bool> {
        None
    }

    /// Reports an event of the file to the VFS. An error stops the operation.
    fn event(&self, _event: FileEvent<'_>) -> Result<()> {
        Ok(())
    }

    /// The file as `Any`, by which the VFS that made it can recover its own type.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}
