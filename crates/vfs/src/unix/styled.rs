//! The VFSes of the system with other locking styles than that of `unix`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::locking::LockingStyle;
use super::{UnixVfs, open};
use crate::error::Result;
use crate::flags::{Access, OpenFlags};
use crate::{Links, Opened, Vfs};

/// A VFS of the system with another locking style.
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

    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf> {
        UnixVfs.full_path(path, links)
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
        use crate::LockLevel::{Exclusive, None, Reserved, Shared};
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
        use crate::LockLevel::{Exclusive, Reserved, Shared};
        let (path, [one, other]) = two("unix-none");
        for level in [Shared, Reserved, Exclusive] {
            assert!(one.lock(level).unwrap() && other.lock(level).unwrap());
        }
        assert!(!one.check_reserved().unwrap() && !one.has_shm());
        std::fs::remove_file(&path).unwrap();
    }

    /// Handles of the process share the file as usual; the process's record lock stays when they have unlocked.
    #[cfg(target_os = "linux")]
    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn the_process_keeps_the_file() {
        use crate::LockLevel::{Exclusive, None, Reserved, Shared};
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

    /// Whether the process holds a record lock on the bytes that readers lock: a lock of an open file description
    /// conflicts with it as another process's does.
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
        // Closing the file would drop the locks of the process.
        std::mem::forget(file);
        i32::from(range.l_type) != libc::F_UNLCK
    }
}
