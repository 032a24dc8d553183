//! Opening files as SQLite does: read-only where writing is refused, companions with the permissions of their database,
//! temporary files without a name.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use rustix::fs::{AtFlags, CWD, FileType};
use rustix::io::Errno;

use super::descriptor::{COMPANIONS, open_descriptor};
use super::failure;
use super::file::{UnixFile, is_a_folder};
use super::inode::{Inode, InodeHandle};
use super::locking::{LockingStyle, Locks};
use super::metadata::{metadata_of, metadata_of_path};
use super::shm::ShmHandle;
use crate::error::{Error, Op, Result};
use crate::{OpenFlags, Opened, ResultCode};

/// Opens a file, or a temporary one without a name.
pub(super) fn open(path: Option<&Path>, flags: OpenFlags, style: LockingStyle) -> Result<Opened> {
    match path {
        Some(path) => open_named(path, flags, style),
        None => open_temporary(flags),
    }
}

fn open_named(path: &Path, flags: OpenFlags, style: LockingStyle) -> Result<Opened> {
    let writable = flags.contains(OpenFlags::READWRITE);
    if flags.contains(OpenFlags::MAIN_DB)
        && let Ok(metadata) = metadata_of_path(path)
        && let Some((inode, fd)) = Inode::known(metadata.id, writable)
    {
        return Ok(opened_database(path, flags, style, inode, fd));
    }
    let (fd, flags) = open_or_fall_back(path, flags)?;
    if flags.contains(OpenFlags::DELETEONCLOSE) {
        let _ = rustix::fs::unlink(path);
    }
    if !flags.contains(OpenFlags::MAIN_DB) {
        let created = flags.contains(OpenFlags::CREATE) && flags.intersects(COMPANIONS);
        let mut file = unix_file(path, flags, Arc::new(fd), None);
        file.new_in_folder = AtomicBool::new(created);
        return Ok(Opened { file: Arc::new(file), flags });
    }
    let metadata = metadata_of(&fd).map_err(|errno| failure(Op::Stat, errno).at(path))?;
    if metadata.kind == FileType::Directory {
        // A folder can be opened for reading, but not read.
        return Err(Error::with_code(Op::Read, ResultCode::IOERR_READ).at(path));
    }
    let (inode, fd) = Inode::adopt(metadata.id, fd, flags.contains(OpenFlags::READWRITE));
    Ok(opened_database(path, flags, style, inode, fd))
}

/// An exclusive style keeps a file only if it can be written, because a read-only file cannot be locked for writing.
fn opened_database(path: &Path, flags: OpenFlags, style: LockingStyle, inode: Arc<Inode>, fd: Arc<OwnedFd>) -> Opened {
    let handle = InodeHandle::new(inode, fd.clone());
    let keeps_file = style == LockingStyle::Exclusive && flags.contains(OpenFlags::READWRITE);
    let locks = Locks::new(style, if keeps_file { handle.keeping_file() } else { handle }, path);
    opened(path, flags, fd, Some(locks))
}

fn opened(path: &Path, flags: OpenFlags, fd: Arc<OwnedFd>, locks: Option<Locks>) -> Opened {
    Opened { file: Arc::new(unix_file(path, flags, fd, locks)), flags }
}

fn unix_file(path: &Path, flags: OpenFlags, fd: Arc<OwnedFd>, locks: Option<Locks>) -> UnixFile {
    UnixFile {
        fd,
        path: path.to_path_buf(),
        locks,
        shm: ShmHandle::new(flags.contains(OpenFlags::READONLY_SHM)),
        new_in_folder: AtomicBool::new(false),
        nameless: flags.contains(OpenFlags::DELETEONCLOSE),
        torn_sectors: AtomicBool::new(flags.contains(OpenFlags::TORN_SECTORS)),
        chunk_size: AtomicU64::new(0),
    }
}

/// Opens the file as the flags say; if that is refused, for reading only.
fn open_or_fall_back(path: &Path, flags: OpenFlags) -> Result<(OwnedFd, OpenFlags)> {
    let errno = match open_descriptor(path, flags) {
        Ok(fd) => return Ok((fd, flags)),
        Err(errno) => errno,
    };
    if errno == Errno::ISDIR {
        return Err(is_a_folder(path));
    }
    let new_companion = flags.contains(OpenFlags::CREATE) && flags.intersects(COMPANIONS);
    if new_companion
        && errno == Errno::ACCESS
        && rustix::fs::accessat(CWD, path, rustix::fs::Access::EXISTS, AtFlags::empty()).is_err()
    {
        return Err(Error::with_code(Op::Open, ResultCode::READONLY_DIRECTORY).at(path));
    }
    if flags.contains(OpenFlags::READWRITE) {
        let reading = flags.without(OpenFlags::READWRITE | OpenFlags::CREATE) | OpenFlags::READONLY;
        if let Ok(fd) = open_descriptor(path, reading) {
            return Ok((fd, reading));
        }
    }
    Err(failure(Op::Open, errno).at(path))
}

/// How many random names are tried.
const NAMES_TRIED_MAX: usize = 10;

fn open_temporary(flags: OpenFlags) -> Result<Opened> {
    let folder = temporary_folder()?;
    let flags = flags | OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::EXCLUSIVE | OpenFlags::DELETEONCLOSE;
    for _ in 0..NAMES_TRIED_MAX {
        let path = folder.join(temporary_name());
        match open_descriptor(&path, flags) {
            Ok(fd) => {
                let _ = rustix::fs::unlink(&path);
                return Ok(opened(&path, flags, Arc::new(fd), None));
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(failure(Op::Open, errno).at(&path)),
        }
    }
    Err(Error::new(Op::Open).at(&folder))
}

fn temporary_name() -> String {
    let mut random = [0u8; 8];
    crate::Vfs::randomness(&super::UnixVfs, &mut random);
    format!("etilqs_{:016x}", u64::from_ne_bytes(random))
}

/// A path at which a temporary file could be created.
pub fn temporary_path() -> Option<PathBuf> {
    Some(temporary_folder().ok()?.join(temporary_name()))
}

/// The first of SQLite's candidates that is a folder in which this process may write.
fn temporary_folder() -> Result<PathBuf> {
    let chosen = crate::temp_directory().map(|folder| PathBuf::from(OsString::from_vec(folder)));
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/var/tmp", "/usr/tmp", "/tmp", "."].into_iter().map(PathBuf::from);
    chosen
        .into_iter()
        .chain(named)
        .chain(usual)
        .find(|folder| is_writable_folder(folder))
        .ok_or_else(|| Error::new(Op::TempPath))
}

fn is_writable_folder(path: &Path) -> bool {
    use rustix::fs::Access;
    path.is_dir() && rustix::fs::accessat(CWD, path, Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty()).is_ok()
}

/// The maximum number of links that a name may lead through, as in SQLite.
const LINKS_MAX: usize = 200;

/// The absolute path, links followed, of a file that may not exist yet. A link to a missing file is followed, too: the journal and the log lie
/// beside the file and not beside the link, for whoever opens the one or the other. As in SQLite, `..` leaves a folder that does not exist, or
/// one that is none; if folders of the result do not exist, opening the file reports it.
pub(super) fn full_path(path: &Path) -> Result<PathBuf> {
    if let Ok(full) = path.canonicalize() {
        return Ok(full);
    }
    let fail = || Error::new(Op::FullPath).at(path);
    let absolute = std::path::absolute(path).map_err(|_| fail())?;
    let mut ahead: Vec<OsString> = names_from_last(&absolute);
    let (mut walked, mut links) = (PathBuf::from("/"), 0);
    while let Some(name) = ahead.pop() {
        if name == ".." {
            walked.pop();
            continue;
        }
        let found = walked.join(name);
        match std::fs::read_link(&found) {
            Ok(_) if links == LINKS_MAX => return Err(Error::with_code(Op::FullPath, ResultCode::CANTOPEN).at(path)),
            Ok(target) => {
                links += 1;
                if target.is_absolute() {
                    walked = PathBuf::from("/");
                }
                ahead.extend(names_from_last(&target));
            }
            Err(_) => walked = found,
        }
    }
    if walked.parent().is_none() { Err(fail()) } else { Ok(walked) }
}

/// The folders and the file that a path names, from the last to the first.
fn names_from_last(path: &Path) -> Vec<OsString> {
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_) | Component::ParentDir);
    path.components().rev().filter(is_name).map(|component| component.as_os_str().to_owned()).collect()
}

/// Whether the file, or a folder on the way to it, is a link.
pub(super) fn leads_through_link(path: &Path) -> Result<bool> {
    let absolute = std::path::absolute(path).map_err(|_| Error::new(Op::FullPath).at(path))?;
    let mut walked = PathBuf::new();
    for component in absolute.components() {
        if component == Component::ParentDir {
            walked.pop();
            continue;
        }
        walked.push(component);
        if walked.is_symlink() {
            return Ok(true);
        }
    }
    Ok(false)
}
