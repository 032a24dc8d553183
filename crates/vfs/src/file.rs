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

/// What a file makes of a pragma that it has taken over: a text or nothing, or an error.
pub type PragmaAnswer = std::result::Result<Option<String>, (ResultCode, String)>;

/// Which file it is, whatever it is called: device and inode, or something as unique.
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
/// Reads and writes name their place, so that threads share no position. The locking half matters
/// for main databases only; the defaults here serve files that nobody shares.
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

    /// Raises the lock to `level`. `false`: somebody else holds a lock against it. Asking for
    /// `Exclusive` may leave the lock at `Pending` when it answers `false`.
    fn lock(&self, _level: LockLevel) -> Result<bool> {
        Ok(true)
    }

    /// Lowers the lock to `Shared` or `None`.
    fn unlock(&self, _level: LockLevel) -> Result<()> {
        Ok(())
    }

    /// Takes `Shared` though another handle of this process is at `Pending`, for owners who have agreed on that. `false`: there
    /// is no such handle, or it is further already.
    fn join_readers(&self) -> Result<bool> {
        Ok(false)
    }

    /// Says that this handle, which holds `Shared`, reads nothing until it says otherwise: another handle of this process that
    /// asks for `Exclusive` need not wait for it. For handles whose owners have agreed on that.
    fn stand_aside(&self, _aside: bool) {}

    /// Whether anybody, this handle included, holds `Reserved` or more.
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

    /// The shared memory region number `region`; `None` if it does not exist yet and `extend` does
    /// not ask for it.
    fn shm_map(&self, _region: u32, _extend: bool) -> Result<Option<ShmRegion>> {
        Ok(None)
    }

    /// The region number `region`, which is made if need be, for a connection that is about to build the WAL index anew.
    fn shm_map_to_recover(&self, region: u32) -> Result<Option<ShmRegion>> {
        self.shm_map(region, true)
    }

    /// Locks `slots` of the shared memory. `false`: somebody else holds one of them.
    fn shm_lock(&self, _slots: Range<u8>, _how: ShmLock) -> Result<bool> {
        Ok(true)
    }

    /// Gives back `slots`, which were locked as `how` says.
    fn shm_unlock(&self, _slots: Range<u8>, _how: ShmLock) -> Result<()> {
        Ok(())
    }

    /// Orders the loads and stores before it against those after it, across processes.
    fn shm_barrier(&self) {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    }

    /// Whether another process uses the shared memory, too; `true` where that cannot be told. It is mapped already.
    fn shm_is_shared(&self) -> Result<bool> {
        Ok(true)
    }

    /// Whether another process holds a read transaction of the log, as far as that can be told.
    fn shm_has_reader_elsewhere(&self) -> Result<bool> {
        Ok(false)
    }

    /// Leaves the shared memory; with `delete`, the last to leave removes it.
    fn shm_unmap(&self, _delete: bool) -> Result<()> {
        Ok(())
    }

    /// Maps the file for reading, with address space for `reserve` bytes: what the file gains later within
    /// them can be read without mapping again. `None`: this file cannot be mapped.
    fn map(&self, _reserve: u64) -> Result<Option<Mapping>> {
        Ok(None)
    }

    /// Copies the `buf.len()` bytes at `offset` from where the VFS of an application shows them in memory. `false`: it does not; they
    /// are read.
    fn copy_shown(&self, _buf: &mut [u8], _offset: u64) -> Result<bool> {
        Ok(false)
    }

    /// Sets up to which size the VFS of an application shows the file in memory, and answers the size in force; `None` if it does not
    /// know this.
    fn show_up_to(&self, _bytes: Option<u64>) -> Option<u64> {
        None
    }

    /// The file may have changed since it was last shown in memory.
    fn forget_shown(&self) -> Result<()> {
        Ok(())
    }

    /// Which file this is, or `None` if it cannot be told.
    fn id(&self) -> Option<FileId> {
        None
    }

    /// Whether the path it was opened by now leads elsewhere.
    fn has_moved(&self) -> Result<bool> {
        Ok(false)
    }

    /// Hint: the file will soon be `size` bytes long.
    fn size_hint(&self, _size: u64) -> Result<()> {
        Ok(())
    }

    /// Hint: `len` bytes at `offset`, a long stretch that was just written, will be synced, and hardly be written again before. The
    /// device may begin with them.
    fn write_back(&self, _offset: u64, _len: u64) {}

    /// From now on the file grows and shrinks by multiples of so many bytes, where that is possible; 0: as it comes.
    fn set_chunk_size(&self, _bytes: u64) {}

    /// From now on writes leave their neighbours in the sector alone when power is lost, or not.
    fn set_powersafe_overwrite(&self, _on: bool) {}

    /// A pragma is about to be compiled that concerns this database. `None`: it is none of the file's business. Otherwise it
    /// is done, with an answer or without, or it has failed.
    fn pragma(&self, _name: &str, _value: Option<&str>) -> Option<PragmaAnswer> {
        None
    }

    /// Whether the VFS is the application's own. Such a VFS sees the calls that SQLite would make: one page or frame a
    /// call, through one handle a connection and file, and by the connection's own thread only.
    fn is_foreign(&self) -> bool {
        false
    }

    /// Whether the VFS wants the log to stay when the last connection closes, if it has a will of its own.
    fn persists_log(&self) -> Option<bool> {
        None
    }

    /// Tells the VFS what the file goes through. An error stops what is going on.
    fn event(&self, _event: FileEvent<'_>) -> Result<()> {
        Ok(())
    }

    /// The file as its own type, by which the VFS that made it knows it again.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}
