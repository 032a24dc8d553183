//! The Unix system: files, POSIX locks, shared memory files, mappings.
//!
//! | module | subject |
//! | --- | --- |
//! | `file` | reads, writes, syncs |
//! | `open` | opening: read-only fallback, temporary files |
//! | `c_path` | paths as C strings |
//! | `descriptor` | the descriptor of a file; owner and permissions of a new file |
//! | `inode` | what the handles of one file in this process share: descriptors and locks |
//! | `locking` | the locks of one handle, in each locking style |
//! | `styled` | the VFSes of other locking styles |
//! | `metadata` | metadata and length of a file |
//! | `shm` | the `-shm` file |
//! | `write_back` | starting writes to the device before a sync |

mod c_path;
mod descriptor;
mod file;
mod inode;
mod locking;
mod metadata;
mod open;
mod posix_lock;
mod shm;
mod styled;
mod write_back;

pub use open::temporary_path;

use c_path::with_c_path;
use locking::LockingStyle;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD};
use rustix::io::Errno;

use crate::error::{Error, Op, Result};
use crate::flags::{Access, OpenFlags};
use crate::{Links, Opened, ResultCode, Vfs};

/// The VFS of the Unix system.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnixVfs;

/// The limit of SQLite, whatever the system allows.
pub const UNIX_PATH_MAX: usize = 512;

/// The Unix epoch in milliseconds of the Julian calendar.
const UNIX_EPOCH_JULIAN_MILLIS: i64 = 24_405_875 * 8_640_000;

impl Vfs for UnixVfs {
    fn name(&self) -> &str {
        "unix"
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        open::open(path, flags, LockingStyle::Posix)
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        match with_c_path(path, |path| rustix::fs::unlink(path)) {
            Ok(()) => {}
            Err(Errno::NOENT) => return Err(Error::with_code(Op::Delete, ResultCode::IOERR_DELETE_NOENT).at(path)),
            Err(errno) => return Err(failure(Op::Delete, errno).at(path)),
        }
        if sync_folder { file::sync_folder_of(path) } else { Ok(()) }
    }

    fn access(&self, path: &Path, what: Access) -> Result<bool> {
        use rustix::fs::Access as Mode;
        let allows =
            |mode: Mode| with_c_path(path, |path| rustix::fs::accessat(CWD, path, mode, AtFlags::empty())).is_ok();
        Ok(match what {
            // Mostly the file does not exist, and that check is cheaper.
            Access::Exists => allows(Mode::EXISTS) && !is_empty(path),
            Access::ReadWrite => allows(Mode::READ_OK | Mode::WRITE_OK),
        })
    }

    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf> {
        if links == Links::Refuse && open::leads_through_link(path)? {
            return Err(Error::with_code(Op::FullPath, ResultCode::CANTOPEN_SYMLINK).at(path));
        }
        open::full_path(path)
    }

    fn path_max(&self) -> usize {
        UNIX_PATH_MAX
    }

    fn randomness(&self, buf: &mut [u8]) {
        let mut filled = 0;
        while filled < buf.len() {
            match rustix::rand::getrandom(&mut buf[filled..], rustix::rand::GetRandomFlags::empty()) {
                Ok(n) => filled += n,
                Err(Errno::INTR) => {}
                Err(_) => return weak_randomness(&mut buf[filled..]),
            }
        }
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }

    fn julian_millis(&self) -> i64 {
        let unix = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX / 2),
            Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX / 2),
        };
        UNIX_EPOCH_JULIAN_MILLIS + unix
    }
}

fn is_empty(path: &Path) -> bool {
    use rustix::fs::FileType;
    metadata::metadata_of_path(path).is_ok_and(|metadata| metadata.kind == FileType::RegularFile && metadata.size == 0)
}

/// For a kernel without getrandom: the hasher keys of the standard library are the next best source.
fn weak_randomness(buf: &mut [u8]) {
    use std::hash::{BuildHasher, RandomState};
    for (at, byte) in buf.iter_mut().enumerate() {
        *byte = RandomState::new().hash_one(at) as u8;
    }
}

/// The error of a system call.
fn failure(op: Op, errno: Errno) -> Error {
    Error::from_errno(op, errno.raw_os_error())
}

/// Repeats a call that a signal has interrupted.
fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            done => return done,
        }
    }
}

/// Locks a mutex, even a poisoned one: no holder leaves its data half changed.
pub(crate) fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
