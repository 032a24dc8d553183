//! The engine's own VFSes as C structures, whose methods call the engine's.
//!
//! Applications call these methods in order to wrap them: a shim registers a VFS whose methods call them.

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use lithe_engine::ResultCode;
use lithe_engine::vfs::{
    Access, File, Links, LockLevel, MemoryVfs, OpenFlags, SHM_REGION_BYTES, ShmLock, SyncFlags, UnixVfs, Vfs,
};

use super::our_file::{Held, OurFile, code_of, with};
use super::{LEVELS, SHM_EXCLUSIVE, SHM_LOCK, SHM_UNLOCK, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};
use crate::code;
use crate::ffi_guard::guard;

/// A file of the engine, as SQLITE_FCNTL_FILE_POINTER returns it: its methods return SQLITE_MISUSE once the connection
/// has closed the file.
pub(crate) struct FilePointer(Box<OurFile>);

impl FilePointer {
    pub(crate) fn new(file: &Arc<dyn File>, vfs: &str) -> FilePointer {
        let vfs = all().iter().find(|ours| ours.name == vfs).map_or(DEFAULT_NAME, |ours| ours.name);
        let held = Box::into_raw(Box::new(Held::OfConnection(Arc::downgrade(file))));
        let base = sqlite3_file { methods: &METHODS };
        FilePointer(Box::new(OurFile { base, file: held, level: LockLevel::None, vfs, keeps_log: false, mmap_size: 0 }))
    }

    pub(crate) fn is_of(&self, file: &Arc<dyn File>) -> bool {
        // SAFETY: made above, and freed with this.
        matches!(unsafe { &*self.0.file }, Held::OfConnection(held) if std::ptr::addr_eq(held.as_ptr(), Arc::as_ptr(file)))
    }

    /// Whether the connection has closed the file.
    pub(crate) fn is_closed(&self) -> bool {
        // SAFETY: made in `new`, and freed with this.
        unsafe { &*self.0.file }.file().is_none()
    }

    /// Points the structure to another file.
    pub(crate) fn point_to(&mut self, file: &Arc<dyn File>) {
        // SAFETY: as above; no other code uses the connection now.
        unsafe { *self.0.file = Held::OfConnection(Arc::downgrade(file)) };
    }

    pub(crate) fn pointer(&self) -> *mut sqlite3_file {
        std::ptr::from_ref(&*self.0).cast_mut().cast()
    }
}

impl Drop for FilePointer {
    fn drop(&mut self) {
        // SAFETY: made in `new`, and freed only here.
        drop(unsafe { Box::from_raw(self.0.file) });
    }
}

const DEFAULT_NAME: &str = "unix";
const PATH_MAX: c_int = lithe_engine::vfs::UNIX_PATH_MAX as c_int;
/// xAccess: 0 exists, 1 can be read and written, 2 can be read.
const ACCESS_READWRITE: c_int = 1;

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    version: 3,
    close: Some(close),
    read: Some(read),
    write: Some(write),
    truncate: Some(truncate),
    sync: Some(sync),
    file_size: Some(file_size),
    lock: Some(lock),
    unlock: Some(unlock),
    check_reserved_lock: Some(check_reserved_lock),
    file_control: Some(super::control::file_control),
    sector_size: Some(sector_size),
    device_characteristics: Some(device_characteristics),
    shm_map: Some(shm_map),
    shm_lock: Some(shm_lock),
    shm_barrier: Some(shm_barrier),
    shm_unmap: Some(shm_unmap),
    fetch: Some(fetch),
    unfetch: Some(unfetch),
};

/// The names of the engine's VFSes, the default one first, in SQLite's order.
const NAMES: [&CStr; 5] = [c"unix", c"memdb", c"unix-excl", c"unix-dotfile", c"unix-none"];

/// A VFS of the engine: its structure, and its implementation.
struct Ours {
    structure: AtomicPtr<sqlite3_vfs>,
    /// The methods that the structure was made with.
    methods: [usize; METHOD_COUNT],
    name: &'static str,
    vfs: Arc<dyn Vfs>,
}

impl Ours {
    fn new(name: &'static CStr) -> Ours {
        let structure = new_structure(name);
        let methods = methods_of(&structure);
        let structure = AtomicPtr::new(Box::into_raw(Box::new(structure)));
        let name = name.to_str().unwrap_or_default();
        // Only callers of this structure's methods open files in this memory; connections of the engine have other
        // files.
        let vfs = UnixVfs::named(name).unwrap_or_else(|| Arc::new(MemoryVfs::new()));
        Ours { structure, methods, name, vfs }
    }
}

fn all() -> &'static [Ours; 5] {
    static ALL: OnceLock<[Ours; 5]> = OnceLock::new();
    ALL.get_or_init(|| NAMES.map(Ours::new))
}

/// All structures, that of the default VFS first.
pub(crate) fn structures() -> impl Iterator<Item = *mut sqlite3_vfs> {
    all().iter().map(|ours| ours.structure.load(Ordering::Relaxed))
}

/// The structure of the VFS of that name, or of the default one.
pub(crate) fn structure(name: &str) -> *mut sqlite3_vfs {
    let [default, ..] = all();
    all().iter().find(|ours| ours.name == name).unwrap_or(default).structure.load(Ordering::Relaxed)
}

/// The name of the VFS, if it is one of the engine's. If the application has replaced methods within the structure, it
/// counts as the application's.
pub(crate) fn name_of(structure: *mut sqlite3_vfs) -> Option<&'static str> {
    // SAFETY: these structures are never freed.
    let is_as_made = |ours: &&Ours| methods_of(unsafe { &*structure }) == ours.methods;
    find(structure).filter(is_as_made).map(|ours| ours.name)
}

const METHOD_COUNT: usize = 9;

/// The methods that the engine calls, as addresses for comparison.
fn methods_of(vfs: &sqlite3_vfs) -> [usize; METHOD_COUNT] {
    [
        vfs.open.map_or(0, |method| method as usize),
        vfs.delete.map_or(0, |method| method as usize),
        vfs.access.map_or(0, |method| method as usize),
        vfs.full_pathname.map_or(0, |method| method as usize),
        vfs.randomness.map_or(0, |method| method as usize),
        vfs.sleep.map_or(0, |method| method as usize),
        vfs.current_time.map_or(0, |method| method as usize),
        vfs.current_time_int64.map_or(0, |method| method as usize),
        vfs.last_error.map_or(0, |method| method as usize),
    ]
}

fn find(structure: *mut sqlite3_vfs) -> Option<&'static Ours> {
    all().iter().find(|ours| ours.structure.load(Ordering::Relaxed) == structure)
}

/// The VFS of a structure that may be an application's copy of one of these, under another name.
///
/// # Safety
/// `structure` is null or can be read.
unsafe fn of_copy(structure: *mut sqlite3_vfs) -> &'static Ours {
    let [default, ..] = all();
    // SAFETY: our caller's promise.
    let app_data = unsafe { structure.as_ref() }.map_or(null_mut(), |copy| copy.app_data);
    // SAFETY: these structures are never freed.
    let is_original = |ours: &&Ours| unsafe { (*ours.structure.load(Ordering::Relaxed)).app_data } == app_data;
    all().iter().find(is_original).unwrap_or(default)
}

fn new_structure(name: &'static CStr) -> sqlite3_vfs {
    sqlite3_vfs {
        version: 3,
        file_size: size_of::<OurFile>() as c_int,
        path_max: PATH_MAX,
        next: null_mut(),
        name: name.as_ptr(),
        // Identifies copies of the structure.
        app_data: name.as_ptr().cast_mut().cast(),
        open: Some(open),
        delete: Some(delete),
        access: Some(access),
        full_pathname: Some(full_pathname),
        dl_open: Some(dl_open),
        dl_error: Some(dl_error),
        dl_sym: Some(dl_sym),
        dl_close: Some(dl_close),
        randomness: Some(randomness),
        sleep: Some(sleep),
        current_time: Some(current_time),
        last_error: Some(last_error),
        current_time_int64: Some(current_time_int64),
        set_system_call: Some(set_system_call),
        get_system_call: Some(get_system_call),
        next_system_call: Some(next_system_call),
    }
}

/// # Safety
/// `path` ends with NUL.
unsafe fn path<'a>(path: *const c_char) -> &'a Path {
    // SAFETY: our caller's promise.
    Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()))
}

// Each function below is a method of the C interface: its caller passes the arguments of SQLite's documentation.

unsafe extern "C" fn open(
    structure: *mut sqlite3_vfs,
    name: *const c_char,
    handle: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    guard(|| {
        // SAFETY: the caller passes memory for an `OurFile`.
        unsafe {
            (*handle).methods = null();
            let name = (!name.is_null()).then(|| path(name));
            let ours = of_copy(structure);
            match ours.vfs.open(name, OpenFlags(flags.cast_unsigned())) {
                Ok(opened) => {
                    let file = Box::into_raw(Box::new(Held::Opened(opened.file)));
                    let base = sqlite3_file { methods: &METHODS };
                    handle.cast::<OurFile>().write(OurFile {
                        base,
                        file,
                        level: LockLevel::None,
                        vfs: ours.name,
                        keeps_log: false,
                        mmap_size: 0,
                    });
                    if let Some(out) = out_flags.as_mut() {
                        *out = opened.flags.0.cast_signed();
                    }
                    code::OK
                }
                Err(error) => error.code().0,
            }
        }
    })
}

unsafe extern "C" fn close(handle: *mut sqlite3_file) -> c_int {
    guard(|| {
        // SAFETY: an `OurFile`; it is not used afterwards.
        unsafe {
            let ours = &mut *handle.cast::<OurFile>();
            if matches!(ours.file.as_ref(), Some(Held::OfConnection(_))) {
                return code::MISUSE; // the connection closes it
            }
            let file = std::mem::replace(&mut ours.file, null_mut());
            if !file.is_null() {
                drop(Box::from_raw(file));
            }
            ours.base.methods = null();
        }
        code::OK
    })
}

unsafe extern "C" fn read(handle: *mut sqlite3_file, bytes: *mut c_void, n: c_int, offset: i64) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            let buffer = std::slice::from_raw_parts_mut(bytes.cast::<u8>(), usize::try_from(n).unwrap_or(0));
            match file.read_at(buffer, offset.cast_unsigned()) {
                Ok(read) if read == buffer.len() => code::OK,
                Ok(_) => ResultCode::IOERR_SHORT_READ.0,
                Err(error) => error.code().0,
            }
        })
    }
}

unsafe extern "C" fn write(handle: *mut sqlite3_file, bytes: *const c_void, n: c_int, offset: i64) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            code_of(file.write_at(crate::text::sized(bytes, n.max(0).into()), offset.cast_unsigned()))
        })
    }
}

unsafe extern "C" fn truncate(handle: *mut sqlite3_file, size: i64) -> c_int {
    // SAFETY: as documented.
    unsafe { with(handle, |_, file| code_of(file.truncate(size.cast_unsigned()))) }
}

unsafe extern "C" fn sync(handle: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: as documented.
    unsafe { with(handle, |_, file| code_of(file.sync(SyncFlags(flags.cast_unsigned())))) }
}

unsafe extern "C" fn file_size(handle: *mut sqlite3_file, size: *mut i64) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            code_of(file.size().map(|found| {
                *size = found.cast_signed();
            }))
        })
    }
}

unsafe extern "C" fn lock(handle: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |ours, file| {
            let Some(level) = usize::try_from(level).ok().and_then(|level| LEVELS.get(level)) else {
                return code::MISUSE;
            };
            match file.lock(*level) {
                Ok(true) => {
                    ours.level = ours.level.max(*level);
                    code::OK
                }
                Ok(false) => code::BUSY,
                Err(error) => error.code().0,
            }
        })
    }
}

unsafe extern "C" fn unlock(handle: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |ours, file| {
            let level = if level == 0 { LockLevel::None } else { LockLevel::Shared };
            ours.level = level;
            code_of(file.unlock(level))
        })
    }
}

unsafe extern "C" fn check_reserved_lock(handle: *mut sqlite3_file, out: *mut c_int) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            code_of(file.check_reserved().map(|is| {
                *out = is.into();
            }))
        })
    }
}

unsafe extern "C" fn sector_size(handle: *mut sqlite3_file) -> c_int {
    // SAFETY: as documented.
    unsafe { with(handle, |_, file| file.sector_size() as c_int) }
}

unsafe extern "C" fn device_characteristics(handle: *mut sqlite3_file) -> c_int {
    // SAFETY: as documented.
    unsafe { with(handle, |_, file| file.characteristics().0.cast_signed()) }
}

/// Maps nothing, as SQLite where files are not mapped: the caller reads instead.
unsafe extern "C" fn fetch(_: *mut sqlite3_file, _: i64, _: c_int, shown: *mut *mut c_void) -> c_int {
    // SAFETY: the caller passes the address of a pointer.
    unsafe { *shown = null_mut() };
    code::OK
}

unsafe extern "C" fn unfetch(_: *mut sqlite3_file, _: i64, _: *mut c_void) -> c_int {
    code::OK
}

unsafe extern "C" fn shm_map(
    handle: *mut sqlite3_file,
    region: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            *out = null_mut();
            if usize::try_from(size) != Ok(SHM_REGION_BYTES) {
                return ResultCode::IOERR_SHMMAP.0;
            }
            match file.shm_map(region.cast_unsigned(), extend != 0) {
                Ok(Some(region)) => {
                    *out = region.words().as_ptr().cast_mut().cast();
                    if region.is_writable() { code::OK } else { ResultCode::READONLY.0 }
                }
                Ok(None) => code::OK,
                Err(error) => error.code().0,
            }
        })
    }
}

unsafe extern "C" fn shm_lock(handle: *mut sqlite3_file, offset: c_int, n: c_int, flags: c_int) -> c_int {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            let how = if flags & SHM_EXCLUSIVE != 0 { ShmLock::Exclusive } else { ShmLock::Shared };
            let slots = offset as u8..(offset + n) as u8;
            match flags & (SHM_LOCK | SHM_UNLOCK) {
                SHM_UNLOCK => code_of(file.shm_unlock(slots, how)),
                _ => match file.shm_lock(slots, how) {
                    Ok(true) => code::OK,
                    Ok(false) => code::BUSY,
                    Err(error) => error.code().0,
                },
            }
        })
    }
}

unsafe extern "C" fn shm_barrier(handle: *mut sqlite3_file) {
    // SAFETY: as documented.
    unsafe {
        with(handle, |_, file| {
            file.shm_barrier();
            code::OK
        });
    }
}

unsafe extern "C" fn shm_unmap(handle: *mut sqlite3_file, delete: c_int) -> c_int {
    // SAFETY: as documented.
    unsafe { with(handle, |_, file| code_of(file.shm_unmap(delete != 0))) }
}

unsafe extern "C" fn delete(_: *mut sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    // SAFETY: as documented.
    guard(|| code_of(UnixVfs.delete(unsafe { path(name) }, sync_folder != 0)))
}

unsafe extern "C" fn access(_: *mut sqlite3_vfs, name: *const c_char, what: c_int, out: *mut c_int) -> c_int {
    guard(|| {
        let what = if what == ACCESS_READWRITE { Access::ReadWrite } else { Access::Exists };
        // SAFETY: as documented.
        code_of(UnixVfs.access(unsafe { path(name) }, what).map(|is| unsafe { *out = is.into() }))
    })
}

unsafe extern "C" fn full_pathname(_: *mut sqlite3_vfs, name: *const c_char, n: c_int, out: *mut c_char) -> c_int {
    guard(|| {
        // SAFETY: as documented.
        let name = unsafe { path(name) };
        let found = match UnixVfs.full_path(name, Links::Follow) {
            Ok(found) => found,
            Err(error) => return error.code().0,
        };
        let bytes = found.as_os_str().as_bytes();
        if usize::try_from(n).unwrap_or(0) <= bytes.len() {
            return ResultCode::CANTOPEN.0;
        }
        // SAFETY: the buffer has space for the bytes and the NUL.
        unsafe {
            out.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            out.add(bytes.len()).write(0);
        }
        let has_link = UnixVfs.full_path(name, Links::Refuse).is_err();
        if has_link { code::OK_SYMLINK } else { code::OK }
    })
}

unsafe extern "C" fn dl_open(_: *mut sqlite3_vfs, name: *const c_char) -> *mut c_void {
    // SAFETY: as documented.
    unsafe { libc::dlopen(name, libc::RTLD_NOW | libc::RTLD_GLOBAL) }
}

unsafe extern "C" fn dl_error(_: *mut sqlite3_vfs, n: c_int, out: *mut c_char) {
    // SAFETY: as documented; a longer message is cut.
    unsafe {
        let message = libc::dlerror();
        if let (false, Some(len_max)) = (message.is_null(), usize::try_from(n).ok().and_then(|n| n.checked_sub(1))) {
            let len = libc::strnlen(message, len_max);
            out.copy_from_nonoverlapping(message, len);
            out.add(len).write(0);
        }
    }
}

unsafe extern "C" fn dl_sym(
    _: *mut sqlite3_vfs,
    library: *mut c_void,
    name: *const c_char,
) -> Option<unsafe extern "C" fn()> {
    // SAFETY: as documented; a symbol's address is that of a function, or null.
    unsafe { std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn()>>(libc::dlsym(library, name)) }
}

unsafe extern "C" fn dl_close(_: *mut sqlite3_vfs, library: *mut c_void) {
    // SAFETY: as documented.
    unsafe { libc::dlclose(library) };
}

unsafe extern "C" fn randomness(_: *mut sqlite3_vfs, n: c_int, out: *mut c_char) -> c_int {
    guard(|| {
        // SAFETY: as documented.
        UnixVfs.randomness(unsafe { std::slice::from_raw_parts_mut(out.cast(), usize::try_from(n).unwrap_or(0)) });
        n
    })
}

unsafe extern "C" fn sleep(_: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    UnixVfs.sleep(Duration::from_micros(u64::try_from(microseconds).unwrap_or(0)));
    microseconds
}

unsafe extern "C" fn current_time(_: *mut sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: as documented.
    unsafe { *out = UnixVfs.julian_millis() as f64 / 86_400_000.0 };
    code::OK
}

unsafe extern "C" fn current_time_int64(_: *mut sqlite3_vfs, out: *mut i64) -> c_int {
    // SAFETY: as documented.
    unsafe { *out = UnixVfs.julian_millis() };
    code::OK
}

unsafe extern "C" fn last_error(_: *mut sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// System calls are made directly, and cannot be replaced.
unsafe extern "C" fn set_system_call(
    _: *mut sqlite3_vfs,
    _: *const c_char,
    _: Option<unsafe extern "C" fn()>,
) -> c_int {
    code::NOTFOUND
}

unsafe extern "C" fn get_system_call(_: *mut sqlite3_vfs, _: *const c_char) -> Option<unsafe extern "C" fn()> {
    None
}

unsafe extern "C" fn next_system_call(_: *mut sqlite3_vfs, _: *const c_char) -> *const c_char {
    null()
}
