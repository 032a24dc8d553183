//! A VFS of the application as an implementation of the engine's trait: every call goes to the C methods.

use std::any::Any;
use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::fmt;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::time::Duration;

use lithe_engine::Target;
use lithe_engine::vfs::{
    Access, DeviceCharacteristics, File, FileEvent, Links, LockLevel, OpenFlags, Opened, PragmaAnswer, ResultCode,
    SHM_REGION_BYTES, ShmLock, ShmRegion, SyncFlags, Vfs,
};
use lithe_engine::vfs::{Error, Op, Result};

use super::{Fetch, Unfetch};
use super::{SHM_EXCLUSIVE, SHM_LOCK, SHM_SHARED, SHM_UNLOCK, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};
use crate::{code, uri};

/// SQLITE_FCNTL_*
const SIZE_HINT: c_int = 5;
const PERSIST_WAL: c_int = 10;
const OVERWRITE: c_int = 11;
const PRAGMA: c_int = 14;
const BUSYHANDLER: c_int = 15;
const MMAP_SIZE: c_int = 18;
const HAS_MOVED: c_int = 20;
const SYNC: c_int = 21;
const COMMIT_PHASETWO: c_int = 22;
const PDB: c_int = 30;
const CKPT_DONE: c_int = 37;
const CKPT_START: c_int = 39;

/// The argument of xShmMap: existing memory only, created if missing, and created if missing for a recovery.
const EXISTING: c_int = 0;
const EXTEND: c_int = 1;
const RECOVER: c_int = 2;

/// A registered VFS, for one connection.
pub(crate) struct TheirVfs {
    raw: *mut sqlite3_vfs,
    name: String,
    /// The parameters of the connection's URI, which xOpen of the database finds behind its name.
    parameters: Vec<(Vec<u8>, Vec<u8>)>,
    connection: ConnectionCell,
}

/// The connection whose files a VFS opens.
pub(crate) type ConnectionCell = Arc<Owner>;

/// A connection, as its files refer to it.
pub(crate) struct Owner {
    /// The handle, null until the connection is open.
    handle: AtomicPtr<c_void>,
    ask_busy_handler: AskBusyHandler,
}

/// The function that SQLITE_FCNTL_BUSYHANDLER passes with the handle.
type AskBusyHandler = unsafe extern "C" fn(*mut c_void) -> c_int;

impl Owner {
    /// A connection that is not open yet.
    pub(crate) fn new(ask_busy_handler: AskBusyHandler) -> ConnectionCell {
        Arc::new(Owner { handle: AtomicPtr::default(), ask_busy_handler })
    }

    /// The connection is open.
    pub(crate) fn set_handle(&self, handle: *mut c_void) {
        self.handle.store(handle, Ordering::Release);
    }
}

// SAFETY: SQLite, too, calls a VFS from all threads; the VFS must allow that.
unsafe impl Send for TheirVfs {}
// SAFETY: as above.
unsafe impl Sync for TheirVfs {}

impl fmt::Debug for TheirVfs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TheirVfs({})", self.name)
    }
}

/// The system's VFS, for the time if a VFS has no method for it.
fn system() -> lithe_engine::vfs::UnixVfs {
    lithe_engine::vfs::UnixVfs
}

/// The result for a code of a method.
fn checked(op: Op, code: c_int) -> Result<()> {
    match ResultCode(code) {
        ResultCode::OK => Ok(()),
        // The application gets plain NOMEM, as in SQLite.
        ResultCode::IOERR_NOMEM => Err(Error::with_code(op, ResultCode::NOMEM)),
        code => Err(Error::with_code(op, code)),
    }
}

fn c_path(path: &Path) -> CString {
    crate::text::c_string(path.as_os_str().as_bytes())
}

impl TheirVfs {
    /// # Safety
    /// `raw` is a VFS with its methods, and lives as long as this.
    pub(crate) unsafe fn new(raw: *mut sqlite3_vfs, target: &Target, connection: &ConnectionCell) -> TheirVfs {
        // SAFETY: our caller's promise.
        let name = unsafe { crate::text::name((*raw).name) }.unwrap_or_default();
        TheirVfs { raw, name, parameters: target.parameters.clone(), connection: Arc::clone(connection) }
    }

    fn methods(&self) -> &sqlite3_vfs {
        // SAFETY: the promise of `new`.
        unsafe { &*self.raw }
    }

    /// The name of a file. A database's is followed by the names of its journal and its log, and by the URI's parameters.
    fn filename(&self, path: &Path, flags: OpenFlags) -> Filename {
        let bytes = path.as_os_str().as_bytes();
        let of = |suffix: &[u8]| [bytes, suffix].concat();
        let parameters = self.parameters.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
        if flags.intersects(OpenFlags::MAIN_DB) {
            return Filename(uri::create(bytes, &of(b"-journal"), &of(b"-wal"), parameters));
        }
        Filename(uri::create(bytes, b"", b"", std::iter::empty()))
    }
}

/// A filename that is freed with its file.
struct Filename(*const c_char);

impl Drop for Filename {
    fn drop(&mut self) {
        // SAFETY: it was made by `uri::create`.
        unsafe { uri::sqlite3_free_filename(self.0) };
    }
}

impl Vfs for TheirVfs {
    fn name(&self) -> &str {
        &self.name
    }

    fn open(&self, path: Option<&Path>, flags: OpenFlags) -> Result<Opened> {
        let Some(open) = self.methods().open else { return Err(Error::new(Op::Open)) };
        let filename = path.map(|path| self.filename(path, flags));
        let name = filename.as_ref().map_or(std::ptr::null(), |name| name.0);
        // An array of pointers of at least the size of the VFS's file, so that the memory is aligned for anything.
        let units = usize::try_from(self.methods().file_size).unwrap_or(0).div_ceil(16).max(1);
        let mut memory = vec![0_u128; units].into_boxed_slice();
        let handle = memory.as_mut_ptr().cast::<sqlite3_file>();
        let flags = flags.without(OpenFlags::TORN_SECTORS).without(OpenFlags::READONLY_SHM);
        let mut out_flags = flags.0.cast_signed();
        // SAFETY: the VFS's method, called as documented, with memory of the required size.
        let answer = unsafe { open(self.raw, name, handle, flags.0.cast_signed(), &mut out_flags) };
        // SAFETY: the methods are the first member of the file.
        let methods = unsafe { (*handle).methods };
        let file = TheirFile {
            handle,
            vfs: self.raw,
            connection: Arc::clone(&self.connection),
            methods,
            has_shm: flags.intersects(OpenFlags::MAIN_DB),
            _memory: memory,
            _filename: filename,
        };
        if answer != code::OK {
            // A file whose methods are set is closed even after an error: dropping it does that.
            let error = Error::with_code(Op::Open, ResultCode(answer));
            return Err(path.map_or(error.clone(), |path| error.at(path)));
        }
        if flags.intersects(OpenFlags::MAIN_DB) {
            // As in SQLite, once for the page cache and once for the file.
            file.set_fetch_limit(Some(0));
            file.set_fetch_limit(Some(0));
        }
        Ok(Opened { file: Arc::new(file), flags: OpenFlags(out_flags.cast_unsigned()) })
    }

    fn delete(&self, path: &Path, sync_folder: bool) -> Result<()> {
        let Some(delete) = self.methods().delete else { return Err(Error::new(Op::Delete)) };
        // SAFETY: as above.
        checked(Op::Delete, unsafe { delete(self.raw, c_path(path).as_ptr(), sync_folder.into()) })
    }

    fn access(&self, path: &Path, what: Access) -> Result<bool> {
        let Some(access) = self.methods().access else { return Ok(false) };
        let what = match what {
            Access::Exists => 0,
            Access::ReadWrite => 1,
        };
        let mut found = 0;
        // SAFETY: as above.
        checked(Op::Access, unsafe { access(self.raw, c_path(path).as_ptr(), what, &mut found) })?;
        Ok(found != 0)
    }

    fn full_path(&self, path: &Path, links: Links) -> Result<PathBuf> {
        let Some(full_pathname) = self.methods().full_pathname else { return Ok(path.to_path_buf()) };
        let len = usize::try_from(self.methods().path_max).unwrap_or(0) + 1;
        let mut buffer = vec![0_u8; len];
        // SAFETY: as above; the buffer has the given length.
        let answer =
            unsafe { full_pathname(self.raw, c_path(path).as_ptr(), len as c_int, buffer.as_mut_ptr().cast()) };
        if code::primary(answer) != code::OK {
            return Err(Error::with_code(Op::FullPath, ResultCode(answer)));
        }
        if answer == code::OK_SYMLINK && links == Links::Refuse {
            return Err(Error::with_code(Op::FullPath, ResultCode::CANTOPEN_SYMLINK));
        }
        let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(len);
        Ok(PathBuf::from(OsStr::from_bytes(&buffer[..end])))
    }

    fn path_max(&self) -> usize {
        usize::try_from(self.methods().path_max).unwrap_or(0)
    }

    fn randomness(&self, buf: &mut [u8]) {
        match self.methods().randomness {
            // SAFETY: as above; the buffer has the given length.
            Some(randomness) => unsafe {
                randomness(self.raw, buf.len() as c_int, buf.as_mut_ptr().cast());
            },
            None => system().randomness(buf),
        }
    }

    fn sleep(&self, duration: Duration) {
        match self.methods().sleep {
            // SAFETY: as above.
            Some(sleep) => unsafe {
                sleep(self.raw, c_int::try_from(duration.as_micros()).unwrap_or(c_int::MAX));
            },
            None => system().sleep(duration),
        }
    }

    fn julian_millis(&self) -> i64 {
        let methods = self.methods();
        // SAFETY: as above.
        unsafe {
            if let (Some(current_time), 2..) = (methods.current_time_int64, methods.version) {
                let mut now = 0;
                current_time(self.raw, &mut now);
                return now;
            }
            let Some(current_time) = methods.current_time else { return system().julian_millis() };
            let mut days = 0.0;
            current_time(self.raw, &mut days);
            (days * 86_400_000.0) as i64
        }
    }
}

/// An open file of the application's VFS.
pub(crate) struct TheirFile {
    handle: *mut sqlite3_file,
    vfs: *mut sqlite3_vfs,
    /// The connection that uses the file; null until the connection is open.
    connection: ConnectionCell,
    /// Null if the file could not be opened.
    methods: *const sqlite3_io_methods,
    has_shm: bool,
    _memory: Box<[u128]>,
    _filename: Option<Filename>,
}

// SAFETY: only its connection uses a file, one thread at a time.
unsafe impl Send for TheirFile {}
// SAFETY: as above.
unsafe impl Sync for TheirFile {}

impl fmt::Debug for TheirFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TheirFile({:p})", self.handle)
    }
}

impl Drop for TheirFile {
    fn drop(&mut self) {
        if let Some(close) = self.methods().and_then(|methods| methods.close) {
            // SAFETY: the file's method, called as documented, for the last time.
            unsafe { close(self.handle) };
        }
    }
}

/// Calls a method of the file; a missing one is an error of the operation.
macro_rules! call {
    ($self:ident, $op:expr, $method:ident ( $($arg:expr),* )) => {
        match $self.methods().and_then(|methods| methods.$method) {
            // SAFETY: the file's method, called as documented.
            Some(method) => unsafe { method($self.handle, $($arg),*) },
            None => return Err(Error::new($op)),
        }
    };
}

impl TheirFile {
    /// The file as one of an application's VFS, if it is one.
    pub(crate) fn of(file: &Arc<dyn File>) -> Option<&TheirFile> {
        file.as_any()?.downcast_ref()
    }

    pub(crate) fn handle(&self) -> *mut sqlite3_file {
        self.handle
    }

    /// The VFS that has opened the file.
    pub(crate) fn vfs(&self) -> *mut sqlite3_vfs {
        self.vfs
    }

    fn map_shm(&self, region: u32, extend: c_int) -> Result<Option<ShmRegion>> {
        let mut start: *mut c_void = null_mut();
        let size = SHM_REGION_BYTES as c_int;
        let answer = call!(self, Op::ShmMap, shm_map(region as c_int, size, extend, &mut start));
        let is_read_only = code::primary(answer) == ResultCode::READONLY.0;
        if !is_read_only {
            checked(Op::ShmMap, answer)?;
        }
        let Some(base) = NonNull::new(start.cast::<u8>()) else { return Ok(None) };
        // SAFETY: the VFS promises memory of that size until xShmUnmap, which the pager calls at the end; other users
        // in the process access it by atomics as this library does, or hold a lock.
        Ok(Some(unsafe { ShmRegion::from_raw(base, !is_read_only, Arc::new(())) }))
    }

    /// Calls xFileControl without a request of the application: a file need not know the verb.
    fn tell(&self, op: Op, verb: c_int, arg: *mut c_void) -> Result<()> {
        match self.control(verb, arg) {
            code::NOTFOUND => Ok(()),
            answer => checked(op, answer),
        }
    }

    /// Passes its connection, and the connection's busy handler, to the file, and ignores the result. For the main
    /// database this is possible only when the connection is open.
    pub(crate) fn introduce(&self) {
        let db = self.connection.handle.load(Ordering::Acquire);
        if db.is_null() {
            return;
        }
        let mut pair: [*mut c_void; 2] = [self.connection.ask_busy_handler as *mut c_void, db];
        self.control(BUSYHANDLER, pair.as_mut_ptr().cast());
        self.set_fetch_limit(Some(0));
        let mut db = db;
        self.control(PDB, std::ptr::from_mut(&mut db).cast());
    }

    /// xFileControl.
    pub(crate) fn control(&self, op: c_int, arg: *mut c_void) -> c_int {
        match self.methods().and_then(|methods| methods.file_control) {
            // SAFETY: the file's method; the application's argument, or this library's, has the type that the verb
            // requires.
            Some(control) => unsafe { control(self.handle, op, arg) },
            None => code::NOTFOUND,
        }
    }

    fn methods(&self) -> Option<&sqlite3_io_methods> {
        // SAFETY: null, or the table of methods, which is static or lives as long as the file.
        unsafe { self.methods.as_ref() }
    }

    fn version(&self) -> c_int {
        self.methods().map_or(0, |methods| methods.version)
    }

    /// xFetch and xUnfetch, if the file has them.
    fn fetching(&self) -> Option<(Fetch, Unfetch)> {
        let methods = self.methods().filter(|methods| methods.version >= 3)?;
        Some((methods.fetch?, methods.unfetch?))
    }

    /// Returns false for BUSY, which is not an error here.
    fn unless_busy(op: Op, code: c_int) -> Result<bool> {
        if code::primary(code) == code::BUSY { Ok(false) } else { checked(op, code).map(|()| true) }
    }
}

impl File for TheirFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize> {
        let len = buf.len() as c_int;
        let answer = call!(self, Op::Read, read(buf.as_mut_ptr().cast(), len, offset.cast_signed()));
        if answer == ResultCode::IOERR_SHORT_READ.0 {
            // The method has filled the missing bytes with zeros. Their number would need another call; so zeros before
            // them count as missing, too.
            let there = buf.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            return Ok(there.min(buf.len().saturating_sub(1)));
        }
        checked(Op::Read, answer)?;
        Ok(buf.len())
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> Result<()> {
        let len = buf.len() as c_int;
        checked(Op::Write, call!(self, Op::Write, write(buf.as_ptr().cast(), len, offset.cast_signed())))
    }

    fn truncate(&self, size: u64) -> Result<()> {
        checked(Op::Truncate, call!(self, Op::Truncate, truncate(size.cast_signed())))
    }

    fn sync(&self, flags: SyncFlags) -> Result<()> {
        checked(Op::Sync, call!(self, Op::Sync, sync(flags.0.cast_signed())))
    }

    fn size(&self) -> Result<u64> {
        let mut size = 0;
        checked(Op::Stat, call!(self, Op::Stat, file_size(&mut size)))?;
        Ok(u64::try_from(size).unwrap_or(0))
    }

    fn lock(&self, level: LockLevel) -> Result<bool> {
        // PENDING is an intermediate state on the way to EXCLUSIVE, and never requested by itself.
        let level = if level == LockLevel::Pending { LockLevel::Exclusive } else { level };
        TheirFile::unless_busy(Op::Lock, call!(self, Op::Lock, lock(level as c_int)))
    }

    fn unlock(&self, level: LockLevel) -> Result<()> {
        checked(Op::Unlock, call!(self, Op::Unlock, unlock(level as c_int)))
    }

    fn check_reserved(&self) -> Result<bool> {
        let mut found = 0;
        checked(Op::CheckReserved, call!(self, Op::CheckReserved, check_reserved_lock(&mut found)))?;
        Ok(found != 0)
    }

    fn sector_size(&self) -> u32 {
        let Some(sector_size) = self.methods().and_then(|methods| methods.sector_size) else { return 4096 };
        // SAFETY: the file's method, called as documented.
        let size = u32::try_from(unsafe { sector_size(self.handle) }).unwrap_or(0);
        if size < 32 { 512 } else { size.min(65_536) }
    }

    fn characteristics(&self) -> DeviceCharacteristics {
        let method = self.methods().and_then(|methods| methods.device_characteristics);
        // SAFETY: the file's method, called as documented.
        DeviceCharacteristics(method.map_or(0, |method| unsafe { method(self.handle) }.cast_unsigned()))
    }

    fn has_shm(&self) -> bool {
        self.has_shm && self.version() >= 2 && self.methods().is_some_and(|methods| methods.shm_map.is_some())
    }

    fn shm_map(&self, region: u32, extend: bool) -> Result<Option<ShmRegion>> {
        self.map_shm(region, if extend { EXTEND } else { EXISTING })
    }

    fn shm_map_to_recover(&self, region: u32) -> Result<Option<ShmRegion>> {
        self.map_shm(region, RECOVER)
    }

    fn shm_lock(&self, slots: Range<u8>, how: ShmLock) -> Result<bool> {
        let flags = SHM_LOCK | kind(how);
        let (start, count) = (c_int::from(slots.start), slots.len() as c_int);
        TheirFile::unless_busy(Op::ShmLock, call!(self, Op::ShmLock, shm_lock(start, count, flags)))
    }

    fn shm_unlock(&self, slots: Range<u8>, how: ShmLock) -> Result<()> {
        let flags = SHM_UNLOCK | kind(how);
        let (start, count) = (c_int::from(slots.start), slots.len() as c_int);
        checked(Op::ShmLock, call!(self, Op::ShmLock, shm_lock(start, count, flags)))
    }

    fn shm_barrier(&self) {
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        if let Some(barrier) = self.methods().and_then(|methods| methods.shm_barrier) {
            // SAFETY: the file's method, called as documented.
            unsafe { barrier(self.handle) };
        }
    }

    fn shm_unmap(&self, delete: bool) -> Result<()> {
        checked(Op::ShmMap, call!(self, Op::ShmMap, shm_unmap(delete.into())))
    }

    fn size_hint(&self, size: u64) -> Result<()> {
        let mut size = size.cast_signed();
        self.tell(Op::Truncate, SIZE_HINT, std::ptr::from_mut(&mut size).cast())
    }

    fn has_moved(&self) -> Result<bool> {
        let mut moved: c_int = 0;
        self.tell(Op::Stat, HAS_MOVED, std::ptr::from_mut(&mut moved).cast())?;
        Ok(moved != 0)
    }

    fn read_fetched(&self, buf: &mut [u8], offset: u64) -> Result<bool> {
        let Some((fetch, unfetch)) = self.fetching() else { return Ok(false) };
        let (mut shown, offset) = (null_mut(), offset.cast_signed());
        // SAFETY: the file's methods, called as documented; the mapped memory has that many bytes until it is released.
        // No borrow of it is made, because other processes may write there.
        unsafe {
            checked(Op::Read, fetch(self.handle, offset, buf.len() as c_int, &mut shown))?;
            if shown.is_null() {
                return Ok(false);
            }
            std::ptr::copy_nonoverlapping(shown.cast::<u8>(), buf.as_mut_ptr(), buf.len());
            checked(Op::Read, unfetch(self.handle, offset, shown))?;
        }
        Ok(true)
    }

    fn set_fetch_limit(&self, bytes: Option<u64>) -> Option<u64> {
        // Without the methods a limit cannot be set, but it can be read.
        if bytes.is_some() && self.fetching().is_none() {
            return None;
        }
        let mut size = bytes.map_or(-1, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        let answer = self.control(MMAP_SIZE, std::ptr::from_mut(&mut size).cast());
        (answer == code::OK).then(|| u64::try_from(size).unwrap_or(0))
    }

    fn forget_fetched(&self) -> Result<()> {
        match self.fetching() {
            // SAFETY: the file's method; a null address means that no mapped memory is used any more.
            Some((_, unfetch)) => checked(Op::Read, unsafe { unfetch(self.handle, 0, null_mut()) }),
            None => Ok(()),
        }
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn persists_log(&self) -> Option<bool> {
        let mut keeps: c_int = -1;
        let answer = self.control(PERSIST_WAL, std::ptr::from_mut(&mut keeps).cast());
        (answer == code::OK && keeps >= 0).then_some(keeps != 0)
    }

    fn event(&self, event: FileEvent<'_>) -> Result<()> {
        match event {
            FileEvent::Sync(super_journal) => {
                let name = super_journal.map(|name| crate::text::c_string(name.as_bytes()));
                let name = name.as_ref().map_or(null_mut(), |name| name.as_ptr().cast_mut());
                self.tell(Op::Sync, SYNC, name.cast())
            }
            FileEvent::Opened => {
                self.introduce();
                Ok(())
            }
            FileEvent::Overwrite(size) => {
                let mut size = size.cast_signed();
                self.tell(Op::Truncate, OVERWRITE, std::ptr::from_mut(&mut size).cast())
            }
            FileEvent::CommitPhaseTwo => self.tell(Op::Sync, COMMIT_PHASETWO, null_mut()),
            FileEvent::CheckpointStart => self.tell(Op::Sync, CKPT_START, null_mut()),
            FileEvent::CheckpointDone => self.tell(Op::Sync, CKPT_DONE, null_mut()),
        }
    }

    fn pragma(&self, name: &str, value: Option<&str>) -> Option<PragmaAnswer> {
        let name = crate::text::c_string(name.as_bytes());
        let value = value.map(|value| crate::text::c_string(value.as_bytes()));
        let value_pointer = value.as_ref().map_or(null_mut(), |value| value.as_ptr().cast_mut());
        let mut texts: [*mut c_char; 4] = [null_mut(), name.as_ptr().cast_mut(), value_pointer, null_mut()];
        let answer = self.control(PRAGMA, texts.as_mut_ptr().cast());
        // SAFETY: the file has stored a text of `sqlite3_mprintf` there, or nothing.
        let text = unsafe { crate::memory::take_text(texts[0]) };
        match answer {
            code::NOTFOUND => None,
            code::OK => Some(Ok(text)),
            other => Some(Err((ResultCode(other), text.unwrap_or_default()))),
        }
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

fn kind(how: ShmLock) -> c_int {
    match how {
        ShmLock::Shared => SHM_SHARED,
        ShmLock::Exclusive => SHM_EXCLUSIVE,
    }
}
