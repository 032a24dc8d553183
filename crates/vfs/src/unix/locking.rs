//! How the databases of a connection are locked: SQLite's locking styles, each a VFS with a name of its own.
//!
//! | VFS | locks |
//! | --- | --- |
//! | `unix` | POSIX record locks, which SQLite's processes see ([`super::UnixVfs`]) |
//! | `unix-excl` | the same, but once the process has the file it keeps it, and shares the WAL index with nobody |
//! | `unix-dotfile` | the folder `<database>.lock` exists while somebody reads or writes: for file systems without record locks |
//! | `unix-none` | none |

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::fs::{CWD, Mode};
use rustix::io::Errno;

use super::inode::InodeHandle;
use super::{UnixVfs, failure, guard, open};
use crate::error::{Op, Result};
use crate::flags::{Access, LockLevel, OpenFlags};
use crate::{Opened, Vfs};

/// A locking style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockingStyle {
    Posix,
    Exclusive,
    DotFile,
    None,
}

/// The files of the machine, with another locking style than that of `unix`.
#[derive(Debug)]
struct StyledVfs {
    name: &'static str,
    style: LockingStyle,
}

impl UnixVfs {
    /// The names of all VFSes of this machine, `unix` first.
    pub const NAMES: [&'static str; 4] = ["unix", "unix-excl", "unix-dotfile", "unix-none"];

    /// The VFS of this machine that has this name.
    pub fn named(name: &str) -> Option<Arc<dyn Vfs>> {
        let styled = |name, style| -> Option<Arc<dyn Vfs>> { Some(Arc::new(StyledVfs { name, style })) };
        match name {
            "unix" => Some(Arc::new(UnixVfs)),
            "unix-excl" => styled("unix-excl", LockingStyle::Exclusive),
            "unix-dotfile" => styled("unix-dotfile", LockingStyle::DotFile),
            "unix-none" => styled("unix-none", LockingStyle::None),
            _ => None,
        }
    }
}

impl Vfs for StyledVfs {
    fn name(&self) -> &str {
        self.name
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        open::open(path, flags, self.style)
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        UnixVfs.delete(path, sync_folder)
    }

    fn access(&self, path: &Path, what: Access) -> Result<bool> {
        UnixVfs.access(path, what)
    }

    fn full_path(&self, path: &Path) -> Result<PathBuf> {
        UnixVfs.full_path(path)
    }

    fn path_max(&self) -> usize {
        UnixVfs.path_max()
    }

    fn randomness(&self, buf: &mut [u8]) {
        UnixVfs.randomness(buf);
    }

    fn sleep(&self, duration: Duration) {
        UnixVfs.sleep(duration);
    }

    fn julian_millis(&self) -> i64 {
        UnixVfs.julian_millis()
    }
}

/// The locks of one handle of a database.
#[derive(Debug)]
pub(super) enum Locks {
    /// Record locks, alone or for the whole process.
    Records(InodeHandle),
    DotFile(DotFile),
    /// Nobody is kept out.
    None(InodeHandle),
}

impl Locks {
    pub(super) fn new(style: LockingStyle, inode: InodeHandle, path: &Path) -> Locks {
        match style {
            LockingStyle::Posix | LockingStyle::Exclusive => Locks::Records(inode),
            LockingStyle::DotFile => Locks::DotFile(DotFile::new(inode, path)),
            LockingStyle::None => Locks::None(inode),
        }
    }

    /// The file's share in its inode, which keeps the descriptor from being closed under others of this process.
    pub(super) fn inode(&self) -> &InodeHandle {
        match self {
            Locks::Records(inode) | Locks::None(inode) => inode,
            Locks::DotFile(file) => &file.inode,
        }
    }

    /// The record locks, where that is the style: with them comes the shared memory.
    pub(super) fn records(&self) -> Option<&InodeHandle> {
        match self {
            Locks::Records(inode) => Some(inode),
            Locks::DotFile(_) | Locks::None(_) => None,
        }
    }

    pub(super) fn lock(&self, level: LockLevel) -> Result<bool> {
        match self {
            Locks::Records(inode) => inode.lock(level),
            Locks::DotFile(file) => file.lock(level),
            Locks::None(_) => Ok(true),
        }
    }

    pub(super) fn unlock(&self, level: LockLevel) -> Result<()> {
        match self {
            Locks::Records(inode) => inode.unlock(level),
            Locks::DotFile(file) => file.unlock(level),
            Locks::None(_) => Ok(()),
        }
    }

    pub(super) fn check_reserved(&self) -> Result<bool> {
        match self {
            Locks::Records(inode) => inode.check_reserved(),
            Locks::DotFile(file) => Ok(file.is_held()),
            Locks::None(_) => Ok(false),
        }
    }
}

/// A lock that is a folder: making it succeeds for one process only. There is one lock, so that a reader keeps out
/// everybody else.
#[derive(Debug)]
pub(super) struct DotFile {
    inode: InodeHandle,
    folder: PathBuf,
    level: Mutex<LockLevel>,
}

impl DotFile {
    fn new(inode: InodeHandle, database: &Path) -> DotFile {
        let mut folder = database.as_os_str().to_os_string();
        folder.push(".lock");
        DotFile { inode, folder: folder.into(), level: Mutex::new(LockLevel::None) }
    }

    fn lock(&self, wanted: LockLevel) -> Result<bool> {
        let mut level = guard(&self.level);
        if *level == LockLevel::None && wanted > LockLevel::None {
            match rustix::fs::mkdirat(CWD, &self.folder, Mode::from_raw_mode(0o777)) {
                Ok(()) => {}
                Err(Errno::EXIST | Errno::ACCESS | Errno::AGAIN | Errno::BUSY | Errno::NOLCK) => return Ok(false),
                Err(errno) => return Err(failure(Op::Lock, errno).at(&self.folder)),
            }
        }
        *level = wanted.max(*level);
        Ok(true)
    }

    fn unlock(&self, wanted: LockLevel) -> Result<()> {
        let mut level = guard(&self.level);
        if *level <= wanted {
            return Ok(());
        }
        *level = wanted;
        if wanted > LockLevel::None {
            return Ok(());
        }
        match rustix::fs::rmdir(&self.folder) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(failure(Op::Unlock, errno).at(&self.folder)),
        }
    }

    fn is_held(&self) -> bool {
        rustix::fs::accessat(CWD, &self.folder, rustix::fs::Access::EXISTS, rustix::fs::AtFlags::empty()).is_ok()
    }
}

impl Drop for DotFile {
    fn drop(&mut self) {
        // Nobody is there to hear of an error.
        let _ = self.unlock(LockLevel::None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::File;

    /// Two handles of one file of the VFS of that name.
    fn two(name: &str) -> (PathBuf, [Arc<dyn File>; 2]) {
        let path = std::env::temp_dir().join(format!("lithe-locking-{name}-{}", std::process::id()));
        let vfs = UnixVfs::named(name).unwrap();
        assert_eq!(vfs.name(), name);
        let flags = OpenFlags::MAIN_DB | OpenFlags::READWRITE | OpenFlags::CREATE;
        let open = || vfs.open(Some(&path), flags).unwrap().file;
        let files = [open(), open()];
        (path, files)
    }

    #[test]
    fn every_name_is_known() {
        assert!(UnixVfs::NAMES.iter().all(|name| UnixVfs::named(name).is_some()));
        assert!(UnixVfs::named("unix-nolock").is_none());
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn a_folder_keeps_everybody_out() {
        use LockLevel::{Exclusive, None, Reserved, Shared};
        let (path, [one, other]) = two("unix-dotfile");
        let folder = path.with_file_name(format!("{}.lock", path.file_name().unwrap().to_str().unwrap()));
        assert!(one.lock(Shared).unwrap() && folder.is_dir());
        assert!(!other.lock(Shared).unwrap() && other.check_reserved().unwrap());
        assert!(one.lock(Reserved).unwrap() && one.lock(Exclusive).unwrap());
        one.unlock(Shared).unwrap();
        assert!(folder.is_dir() && !other.lock(Shared).unwrap());
        one.unlock(None).unwrap();
        assert!(!folder.exists() && !one.check_reserved().unwrap());
        assert!(other.lock(Shared).unwrap());
        drop(other);
        assert!(!folder.exists());
        assert!(!one.has_shm());
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn no_locks_keep_nobody_out() {
        use LockLevel::{Exclusive, Reserved, Shared};
        let (path, [one, other]) = two("unix-none");
        for level in [Shared, Reserved, Exclusive] {
            assert!(one.lock(level).unwrap() && other.lock(level).unwrap());
        }
        assert!(!one.check_reserved().unwrap() && !one.has_shm());
        std::fs::remove_file(&path).unwrap();
    }

    /// Handles of the process share the file as ever; the process's record lock stays when they have let go.
    #[cfg(target_os = "linux")]
    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn the_process_keeps_the_file() {
        use LockLevel::{Exclusive, None, Reserved, Shared};
        let (path, [one, other]) = two("unix-excl");
        assert!(one.lock(Shared).unwrap() && other.lock(Shared).unwrap());
        assert!(one.lock(Reserved).unwrap() && !other.lock(Reserved).unwrap() && !one.lock(Exclusive).unwrap());
        other.unlock(None).unwrap();
        assert!(one.lock(Exclusive).unwrap() && !other.lock(Shared).unwrap());
        one.unlock(None).unwrap();
        assert!(is_locked(&path));
        let region = one.shm_map(0, true).unwrap().unwrap();
        let same = other.shm_map(0, true).unwrap().unwrap();
        region.words()[7].store(7, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(same.words()[7].load(std::sync::atomic::Ordering::Relaxed), 7);
        let shm = path.with_file_name(format!("{}-shm", path.file_name().unwrap().to_str().unwrap()));
        assert!(!shm.exists() && !one.shm_is_shared().unwrap());
        drop((one, other));
        assert!(!is_locked(&path));
        std::fs::remove_file(&path).unwrap();
    }

    /// Whether the process holds a record lock on the bytes that readers lock: locks of a descriptor of its own are in
    /// the way of it as another process's are.
    #[cfg(target_os = "linux")]
    fn is_locked(path: &Path) -> bool {
        use std::os::fd::AsRawFd;
        let file = std::fs::File::open(path).unwrap();
        // SAFETY: a struct of integers, for which zero is a value.
        let mut range: libc::flock = unsafe { std::mem::zeroed() };
        range.l_type = libc::F_RDLCK as _;
        range.l_start = lithe_format::locks::shared_first() as _;
        range.l_len = lithe_format::locks::SHARED_SIZE as _;
        // SAFETY: fcntl reads and writes `range` during the call only.
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &mut range) }, 0);
        // Closing it would drop the locks of the process.
        std::mem::forget(file);
        i32::from(range.l_type) != libc::F_UNLCK
    }
}
