//! A file system, with a clock and randomness.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::file::File;
use crate::flags::{Access, OpenFlags};

/// What becomes of links, those of folders among them, on the way to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// They are followed.
    Follow,
    /// They are an error (`SQLITE_OPEN_NOFOLLOW`).
    Refuse,
}

/// A file system: everything that the engine uses of the outside world goes through this trait, so that a simulation
/// can replay a run from its seed.
pub trait Vfs: Send + Sync + Debug {
    /// The name by which applications select it.
    fn name(&self) -> &str;

    /// Opens a file; without a path, a temporary one that is deleted when it is closed.
    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened>;

    /// Removes a file; with `sync_folder`, durably. A missing file is the error
    /// `IOERR_DELETE_NOENT`.
    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()>;

    /// Checks a property of a file.
    fn access(&self, path: &Path, what: Access) -> Result<bool>;

    /// The absolute path of a file. With `Links::Refuse`, a link on the way is the error `CANTOPEN_SYMLINK`.
    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf>;

    /// How long in bytes the path of a file may be.
    fn path_max(&self) -> usize {
        usize::MAX
    }

    /// Fills `buf` with randomness.
    fn randomness(&self, buf: &mut [u8]);

    /// Pauses the thread.
    fn sleep(&self, duration: Duration);

    /// The time in milliseconds since noon in Greenwich on November 24, 4714 B.C. (the Julian day
    /// number times 86,400,000).
    fn julian_millis(&self) -> i64;
}

/// A file that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub file: Arc<dyn File>,
    /// The flags in force: `READONLY` where writing was requested and refused.
    pub flags: OpenFlags,
}
