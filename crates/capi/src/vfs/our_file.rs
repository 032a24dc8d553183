//! A file of the engine's own, in memory that the C caller allocates.

use std::ffi::c_int;
use std::sync::{Arc, Weak};

use lithe_engine::vfs::{File, LockLevel, Result};

use super::sqlite3_file;
use crate::code;
use crate::ffi_guard::guard;

/// A file of the engine's own, in memory that the C caller allocates.
#[repr(C)]
pub(super) struct OurFile {
    pub(super) base: sqlite3_file,
    pub(super) file: *mut Held,
    /// The lock level.
    pub(super) level: LockLevel,
    /// The name of its VFS.
    pub(super) vfs: &'static str,
    /// The log stays when the last connection closes it.
    pub(super) keeps_log: bool,
    /// What `SQLITE_FCNTL_MMAP_SIZE` has set.
    pub(super) mmap_size: i64,
}

/// How a structure holds its file: a file that was opened by xOpen is closed with it; a pointer to a connection's file
/// does not keep it open.
pub(super) enum Held {
    Opened(Arc<dyn File>),
    OfConnection(Weak<dyn File>),
}

impl Held {
    /// The file, as long as it is open.
    pub(super) fn file(&self) -> Option<Arc<dyn File>> {
        match self {
            Held::Opened(file) => Some(Arc::clone(file)),
            Held::OfConnection(file) => file.upgrade(),
        }
    }
}

/// The code of a result.
pub(super) fn code_of(result: Result<()>) -> c_int {
    result.map_or_else(|error| error.code().0, |()| code::OK)
}

/// Runs `f` with the file.
///
/// # Safety
/// `handle` is a file that xOpen of one of the engine's VFSes has opened.
pub(super) unsafe fn with(handle: *mut sqlite3_file, f: impl FnOnce(&mut OurFile, &dyn File) -> c_int) -> c_int {
    guard(|| {
        // SAFETY: our caller's promise.
        unsafe {
            let ours = &mut *handle.cast::<OurFile>();
            let Some(file) = ours.file.as_ref().and_then(Held::file) else { return code::MISUSE };
            f(ours, &*file)
        }
    })
}
