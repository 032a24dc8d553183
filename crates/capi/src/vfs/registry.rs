//! The list of VFSes: their C structures, the default one first.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lithe_engine::vfs::Vfs;
use lithe_engine::{Error, Target};

use super::TheirVfs;
use super::theirs::ConnectionCell;
use super::{ours, sqlite3_vfs};
use crate::code;
use crate::ffi_guard::api;
use crate::text;

struct List {
    /// Includes the engine's own from the first use on.
    all: Vec<*mut sqlite3_vfs>,
    is_filled: bool,
}

// SAFETY: the structures are registered for the whole process; the mutex guards the list.
unsafe impl Send for List {}

static LIST: Mutex<List> = Mutex::new(List { all: Vec::new(), is_filled: false });

fn list() -> MutexGuard<'static, List> {
    let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
    if !list.is_filled {
        list.is_filled = true;
        list.all.extend(ours::structures());
        list.link();
    }
    list
}

impl List {
    /// Keeps the chain of `next` pointers, which applications may follow.
    fn link(&mut self) {
        for at in 0..self.all.len() {
            let next = self.all.get(at + 1).copied().unwrap_or(null_mut());
            // SAFETY: a registered structure lives until it is unregistered.
            unsafe { (*self.all[at]).next = next };
        }
    }

    fn find(&self, name: &CStr) -> Option<*mut sqlite3_vfs> {
        // SAFETY: as above; their names end with NUL.
        self.all.iter().copied().find(|vfs| unsafe { CStr::from_ptr((**vfs).name) } == name)
    }
}

/// The VFS of that name, or the default one, for a database; `None`: the engine's own default.
pub(crate) fn find(
    name: Option<&str>,
    target: &Target,
    connection: &ConnectionCell,
) -> Result<Option<Arc<dyn Vfs>>, Error> {
    let found = match name {
        Some(name) => list().find(&crate::text::c_string(name.as_bytes())),
        None => list().all.first().copied(),
    };
    match (found, name) {
        (Some(vfs), _) => Ok(match ours::name_of(vfs) {
            Some(name) => lithe_engine::builtin_vfs(name, target),
            // SAFETY: a registered VFS lives as long as connections use it.
            None => Some(Arc::new(unsafe { TheirVfs::new(vfs, target, connection) })),
        }),
        (None, Some(name)) => Err(Error::generic(format!("no such vfs: {name}"))),
        (None, None) => Ok(None),
    }
}

/// Whether the application has unregistered all VFSes.
pub(crate) fn is_empty() -> bool {
    list().all.is_empty()
}

api! {
    fn sqlite3_vfs_find(name: *const c_char) -> *mut sqlite3_vfs {
        let list = list();
        if text::bytes(name).is_none() {
            return list.all.first().copied().unwrap_or(null_mut());
        }
        list.find(CStr::from_ptr(name)).unwrap_or(null_mut())
    }

    fn sqlite3_vfs_register(vfs: *mut sqlite3_vfs, make_default: c_int) -> c_int {
        if vfs.is_null() {
            return code::MISUSE;
        }
        let mut list = list();
        list.all.retain(|known| *known != vfs);
        let at = if make_default != 0 || list.all.is_empty() { 0 } else { 1 };
        list.all.insert(at, vfs);
        list.link();
        code::OK
    }

    fn sqlite3_vfs_unregister(vfs: *mut sqlite3_vfs) -> c_int {
        let mut list = list();
        list.all.retain(|known| *known != vfs);
        list.link();
        code::OK
    }
}
