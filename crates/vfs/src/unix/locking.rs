//! How the database handles are locked: SQLite's locking styles, each a VFS of its own name (`styled`).
//!
//! | VFS | locks |
//! | --- | --- |
//! | `unix` | POSIX record locks, which SQLite's processes use too (`super::UnixVfs`) |
//! | `unix-excl` | the same, but once the process has the file it keeps it locked, and its WAL index is in private memory |
//! | `unix-dotfile` | the folder `<database>.lock` exists while a handle reads or writes: for file systems without record locks |
//! | `unix-none` | none |

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::fs::{CWD, Mode};
use rustix::io::Errno;

use super::inode::InodeHandle;
use super::{failure, guard};
use crate::error::{Op, Result};
use crate::flags::LockLevel;

/// A locking style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockingStyle {
    Posix,
    Exclusive,
    DotFile,
    None,
}

/// The locks of one handle of a database.
#[derive(Debug)]
pub(super) enum Locks {
    /// Record locks, alone or for the whole process.
    Records(InodeHandle),
    DotFile(DotFile),
    /// No other handle is kept out.
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

    /// The handle's part of the inode, which keeps the descriptor from being closed while other handles of this process
    /// use it.
    pub(super) fn inode(&self) -> &InodeHandle {
        match self {
            Locks::Records(inode) | Locks::None(inode) => inode,
            Locks::DotFile(file) => &file.inode,
        }
    }

    /// The record locks, if the style has them: the shared memory depends on them.
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

/// A lock that is a folder: creating it succeeds for one process only. There is one lock, so a reader keeps out all
/// others.
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
        // Drop cannot report an error.
        let _ = self.unlock(LockLevel::None);
    }
}
