//! VFSes across the C interface, in both directions.
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`registry`] | the list of VFSes, and the default one |
//! | [`theirs`] | a VFS of the application, as the engine sees it |
//! | [`ours`] | the engine's own, as C sees it |
//! | `our_file`, `control` | a file of these, and its xFileControl |
//!
//! Here are the structures of both directions.

mod control;
mod our_file;
pub(crate) mod ours;
pub(crate) mod registry;
mod theirs;

pub(crate) use ours::FilePointer;
pub(crate) use theirs::{ConnectionCell, Owner, TheirFile, TheirVfs};

use std::ffi::{c_char, c_int, c_void};

/// An open file: the first member of the VFS's own structure.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_file {
    pub(crate) methods: *const sqlite3_io_methods,
}

type Handle = *mut sqlite3_file;

/// The methods of a file.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_io_methods {
    pub(crate) version: c_int,
    pub(crate) close: Option<unsafe extern "C" fn(Handle) -> c_int>,
    pub(crate) read: Option<unsafe extern "C" fn(Handle, *mut c_void, c_int, i64) -> c_int>,
    pub(crate) write: Option<unsafe extern "C" fn(Handle, *const c_void, c_int, i64) -> c_int>,
    pub(crate) truncate: Option<unsafe extern "C" fn(Handle, i64) -> c_int>,
    pub(crate) sync: Option<unsafe extern "C" fn(Handle, c_int) -> c_int>,
    pub(crate) file_size: Option<unsafe extern "C" fn(Handle, *mut i64) -> c_int>,
    pub(crate) lock: Option<unsafe extern "C" fn(Handle, c_int) -> c_int>,
    pub(crate) unlock: Option<unsafe extern "C" fn(Handle, c_int) -> c_int>,
    pub(crate) check_reserved_lock: Option<unsafe extern "C" fn(Handle, *mut c_int) -> c_int>,
    pub(crate) file_control: Option<unsafe extern "C" fn(Handle, c_int, *mut c_void) -> c_int>,
    pub(crate) sector_size: Option<unsafe extern "C" fn(Handle) -> c_int>,
    pub(crate) device_characteristics: Option<unsafe extern "C" fn(Handle) -> c_int>,
    // Version 2.
    pub(crate) shm_map: Option<unsafe extern "C" fn(Handle, c_int, c_int, c_int, *mut *mut c_void) -> c_int>,
    pub(crate) shm_lock: Option<unsafe extern "C" fn(Handle, c_int, c_int, c_int) -> c_int>,
    pub(crate) shm_barrier: Option<unsafe extern "C" fn(Handle)>,
    pub(crate) shm_unmap: Option<unsafe extern "C" fn(Handle, c_int) -> c_int>,
    // Version 3.
    pub(crate) fetch: Option<Fetch>,
    pub(crate) unfetch: Option<Unfetch>,
}

pub(crate) type Fetch = unsafe extern "C" fn(Handle, i64, c_int, *mut *mut c_void) -> c_int;
pub(crate) type Unfetch = unsafe extern "C" fn(Handle, i64, *mut c_void) -> c_int;
type Vfs = *mut sqlite3_vfs;
type Symbol = Option<unsafe extern "C" fn()>;

/// A virtual file system.
#[repr(C)]
#[allow(non_camel_case_types)]
pub struct sqlite3_vfs {
    pub(crate) version: c_int,
    pub(crate) file_size: c_int,
    pub(crate) path_max: c_int,
    pub(crate) next: Vfs,
    pub(crate) name: *const c_char,
    pub(crate) app_data: *mut c_void,
    pub(crate) open: Option<unsafe extern "C" fn(Vfs, *const c_char, Handle, c_int, *mut c_int) -> c_int>,
    pub(crate) delete: Option<unsafe extern "C" fn(Vfs, *const c_char, c_int) -> c_int>,
    pub(crate) access: Option<unsafe extern "C" fn(Vfs, *const c_char, c_int, *mut c_int) -> c_int>,
    pub(crate) full_pathname: Option<unsafe extern "C" fn(Vfs, *const c_char, c_int, *mut c_char) -> c_int>,
    pub(crate) dl_open: Option<unsafe extern "C" fn(Vfs, *const c_char) -> *mut c_void>,
    pub(crate) dl_error: Option<unsafe extern "C" fn(Vfs, c_int, *mut c_char)>,
    pub(crate) dl_sym: Option<unsafe extern "C" fn(Vfs, *mut c_void, *const c_char) -> Symbol>,
    pub(crate) dl_close: Option<unsafe extern "C" fn(Vfs, *mut c_void)>,
    pub(crate) randomness: Option<unsafe extern "C" fn(Vfs, c_int, *mut c_char) -> c_int>,
    pub(crate) sleep: Option<unsafe extern "C" fn(Vfs, c_int) -> c_int>,
    pub(crate) current_time: Option<unsafe extern "C" fn(Vfs, *mut f64) -> c_int>,
    pub(crate) last_error: Option<unsafe extern "C" fn(Vfs, c_int, *mut c_char) -> c_int>,
    // Version 2.
    pub(crate) current_time_int64: Option<unsafe extern "C" fn(Vfs, *mut i64) -> c_int>,
    // Version 3.
    pub(crate) set_system_call: Option<unsafe extern "C" fn(Vfs, *const c_char, Symbol) -> c_int>,
    pub(crate) get_system_call: Option<unsafe extern "C" fn(Vfs, *const c_char) -> Symbol>,
    pub(crate) next_system_call: Option<unsafe extern "C" fn(Vfs, *const c_char) -> *const c_char>,
}

/// Lock levels by number.
pub(crate) const LEVELS: [lithe_engine::vfs::LockLevel; 5] = {
    use lithe_engine::vfs::LockLevel::{Exclusive, None, Pending, Reserved, Shared};
    [None, Shared, Reserved, Pending, Exclusive]
};

/// Flags of xShmLock.
pub(crate) const SHM_UNLOCK: c_int = 1;
pub(crate) const SHM_LOCK: c_int = 2;
pub(crate) const SHM_SHARED: c_int = 4;
pub(crate) const SHM_EXCLUSIVE: c_int = 8;
