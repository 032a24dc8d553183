//! Reading the metadata of a file without its times.
//!
//! Since Linux 6.13 a file whose times were read gets a finer time at its next write; otherwise times change every few
//! milliseconds only. A new time is a change of the inode, and the following sync has to write that, too: a `stat`
//! before each commit made the sync of 4 kB take 90 µs instead of 65. `statx` takes a list of the fields to read, and
//! `lseek` reads the size alone.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, SeekFrom};
use rustix::io::Result;

use super::c_path::with_c_path;
use crate::FileId;

/// The metadata of a file.
pub(super) struct Metadata {
    pub(super) id: FileId,
    pub(super) kind: FileType,
    /// The type and permission bits.
    pub(super) mode: Mode,
    pub(super) user: u32,
    pub(super) group: u32,
    pub(super) size: u64,
}

/// The size of an open file in bytes.
pub(super) fn size_of(fd: impl AsFd) -> Result<u64> {
    // The position is not used: reads and writes name their offset.
    rustix::fs::seek(&fd, SeekFrom::End(0)).or_else(|_| metadata_of(fd).map(|metadata| metadata.size))
}

/// Reads the metadata of the file at `path`, following links.
pub(super) fn metadata_of_path(path: &Path) -> Result<Metadata> {
    with_c_path(path, |path| {
        #[cfg(target_os = "linux")]
        if let Some(metadata) = statx::metadata(rustix::fs::CWD, path, rustix::fs::AtFlags::empty()) {
            return metadata;
        }
        rustix::fs::stat(path).map(|stat| Metadata::from_stat(&stat))
    })
}

/// Reads the metadata of an open file.
pub(super) fn metadata_of(fd: impl AsFd) -> Result<Metadata> {
    #[cfg(target_os = "linux")]
    if let Some(metadata) = statx::metadata(&fd, c"", rustix::fs::AtFlags::EMPTY_PATH) {
        return metadata;
    }
    rustix::fs::fstat(fd).map(|stat| Metadata::from_stat(&stat))
}

impl Metadata {
    #[allow(clippy::unnecessary_cast, reason = "other systems have other types there")]
    fn from_stat(stat: &rustix::fs::Stat) -> Metadata {
        Metadata {
            id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
            kind: FileType::from_raw_mode(stat.st_mode),
            mode: Mode::from_raw_mode(stat.st_mode),
            user: stat.st_uid,
            group: stat.st_gid,
            size: u64::try_from(stat.st_size).unwrap_or(0),
        }
    }
}

#[cfg(target_os = "linux")]
mod statx {
    use std::ffi::CStr;
    use std::os::fd::AsFd;

    use rustix::fs::{AtFlags, FileType, Mode, Statx, StatxFlags, makedev, statx};
    use rustix::io::{Errno, Result};

    use super::Metadata;
    use crate::FileId;

    /// The fields of [`Metadata`].
    const WANTED: StatxFlags = StatxFlags::INO
        .union(StatxFlags::TYPE)
        .union(StatxFlags::MODE)
        .union(StatxFlags::UID)
        .union(StatxFlags::GID)
        .union(StatxFlags::SIZE);

    /// `None` where the system, or a filter of system calls, does not know the call.
    pub(super) fn metadata(folder: impl AsFd, path: &CStr, flags: AtFlags) -> Option<Result<Metadata>> {
        match statx(folder, path, flags, WANTED) {
            Ok(stat) => Some(Ok(Metadata::from_statx(&stat))),
            Err(Errno::NOSYS | Errno::PERM) => None,
            Err(errno) => Some(Err(errno)),
        }
    }

    impl Metadata {
        fn from_statx(stat: &Statx) -> Metadata {
            let mode = u32::from(stat.stx_mode);
            Metadata {
                id: FileId { device: makedev(stat.stx_dev_major, stat.stx_dev_minor), inode: stat.stx_ino },
                kind: FileType::from_raw_mode(mode),
                mode: Mode::from_raw_mode(mode),
                user: stat.stx_uid,
                group: stat.stx_gid,
                size: stat.stx_size,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, Permissions, remove_file, set_permissions, write};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "calls of the system that Miri does not know")]
    fn metadata_is_what_stat_reads() {
        let path = std::env::temp_dir().join(format!("lithe-metadata-{}", std::process::id()));
        write(&path, [7; 4321]).unwrap();
        set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let file = File::open(&path).unwrap();
        let stat = file.metadata().unwrap();
        for metadata in [metadata_of_path(&path).unwrap(), metadata_of(&file).unwrap()] {
            assert_eq!((metadata.id.device, metadata.id.inode), (stat.dev(), stat.ino()));
            assert_eq!((metadata.user, metadata.group, metadata.size), (stat.uid(), stat.gid(), 4321));
            assert_eq!((metadata.kind, metadata.mode.bits() & 0o777), (FileType::RegularFile, 0o640));
        }
        assert_eq!(size_of(&file).unwrap(), 4321);
        remove_file(&path).unwrap();
        assert!(metadata_of_path(&path).is_err_and(|errno| errno == rustix::io::Errno::NOENT));
    }
}
