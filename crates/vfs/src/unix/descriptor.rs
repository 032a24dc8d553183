//! Opening the descriptor of a file: owner and permissions of a new file.

use std::ffi::OsStr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::c_path::with_c_path;
use super::metadata::{Metadata, metadata_of, metadata_of_path};
use crate::OpenFlags;

/// Files that lie beside a database and belong to it.
pub(super) const COMPANIONS: OpenFlags =
    OpenFlags(OpenFlags::MAIN_JOURNAL.0 | OpenFlags::WAL.0 | OpenFlags::SUPER_JOURNAL.0);

/// The permissions of new databases, before the process's umask.
const DEFAULT_MODE: u32 = 0o644;

/// Opens a file as the flags say. A link at the path is refused: the path of a database has been resolved before, and whoever puts a link in the
/// place of its journal or log must not have another file written.
pub(super) fn open_descriptor(path: &Path, flags: OpenFlags) -> rustix::io::Result<OwnedFd> {
    let mut how = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    how |= if flags.contains(OpenFlags::READWRITE) { OFlags::RDWR } else { OFlags::RDONLY };
    if flags.contains(OpenFlags::CREATE) {
        how |= OFlags::CREATE;
    }
    if flags.contains(OpenFlags::EXCLUSIVE) {
        how |= OFlags::EXCL;
    }
    let owner = Owner::for_new_file(path, flags);
    let fd = with_c_path(path, |path| {
        loop {
            match rustix::fs::open(path, how, Mode::from_raw_mode(owner.mode)) {
                Err(Errno::INTR) => {}
                done => break above_standard_streams(done?),
            }
        }
    })?;
    if flags.contains(OpenFlags::CREATE) {
        owner.give(&fd);
    }
    Ok(fd)
}

/// Moves a descriptor off the numbers of the standard streams: a stray `printf` would write into the database.
fn above_standard_streams(fd: OwnedFd) -> rustix::io::Result<OwnedFd> {
    const FIRST_ORDINARY: i32 = 3;
    if fd.as_raw_fd() >= FIRST_ORDINARY {
        return Ok(fd);
    }
    rustix::io::fcntl_dupfd_cloexec(&fd, FIRST_ORDINARY)
}

/// Owner and permissions of a new file.
struct Owner {
    mode: u32,
    /// User and group of the database, for its companions.
    ids: Option<(u32, u32)>,
}

impl Owner {
    /// Companions get the owner and permissions of their database, so that every user of the database can use them;
    /// temporary files are readable by this user only.
    fn for_new_file(path: &Path, flags: OpenFlags) -> Owner {
        if flags.contains(OpenFlags::DELETEONCLOSE) {
            return Owner { mode: 0o600, ids: None };
        }
        let database = if flags.intersects(COMPANIONS) { database_of(path) } else { None };
        Owner::like(database)
    }

    /// The owner of the file `database`.
    fn like(database: Option<&Path>) -> Owner {
        match database.and_then(|path| metadata_of_path(path).ok()) {
            Some(metadata) => Owner { mode: permissions(&metadata), ids: Some((metadata.user, metadata.group)) },
            None => Owner { mode: DEFAULT_MODE, ids: None },
        }
    }

    /// Corrects permissions and owner of a new, empty file, which the umask and the process's user have set. A failure
    /// is no error, because this process can use the file.
    fn give(&self, fd: &OwnedFd) {
        let Some((user, group)) = self.ids else { return };
        let Ok(metadata) = metadata_of(fd) else { return };
        if metadata.size != 0 {
            return;
        }
        if permissions(&metadata) != self.mode {
            let _ = rustix::fs::fchmod(fd, Mode::from_raw_mode(self.mode));
        }
        if rustix::process::geteuid().is_root() && (metadata.user, metadata.group) != (user, group) {
            let ids = (rustix::fs::Uid::from_raw(user), rustix::fs::Gid::from_raw(group));
            let _ = rustix::fs::fchown(fd, Some(ids.0), Some(ids.1));
        }
    }
}

/// The permission bits.
fn permissions(metadata: &Metadata) -> u32 {
    metadata.mode.bits() & 0o777
}

/// Opens (creating it, unless it is only to be read) the `-shm` file of the database at `database`; answers whether it can be written.
pub(super) fn open_shm(path: &Path, database: &Path, read_only: bool) -> rustix::io::Result<(OwnedFd, bool)> {
    let owner = Owner::like(Some(database));
    let how = OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let to_read = || rustix::fs::open(path, how | OFlags::RDONLY, Mode::empty()).and_then(above_standard_streams);
    if read_only {
        return Ok((to_read()?, false));
    }
    match rustix::fs::open(path, how | OFlags::RDWR | OFlags::CREATE, Mode::from_raw_mode(owner.mode)) {
        Ok(fd) => {
            let fd = above_standard_streams(fd)?;
            owner.give(&fd);
            Ok((fd, true))
        }
        Err(_) => Ok((to_read()?, false)),
    }
}

/// `x.db` for `x.db-journal`, `x.db-wal`, `x.db-mj0123ABCD`.
fn database_of(path: &Path) -> Option<&Path> {
    let bytes = path.as_os_str().as_bytes();
    let dash = bytes.iter().rposition(|byte| *byte == b'-')?;
    let (database, suffix) = bytes.split_at(dash);
    // A dash in a folder's name does not count.
    (!suffix.contains(&b'/')).then(|| Path::new(OsStr::from_bytes(database)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_of_a_database() {
        let of = |path: &'static str| database_of(Path::new(path)).map(|path| path.to_str().unwrap());
        assert_eq!(of("/a/x.db-journal"), Some("/a/x.db"));
        assert_eq!(of("/a-b/x-y.db-mj0123ABCD"), Some("/a-b/x-y.db"));
        assert_eq!(of("x.db-wal"), Some("x.db"));
        assert_eq!((of("/a-b/x.db"), of("x.db")), (None, None));
    }
}
