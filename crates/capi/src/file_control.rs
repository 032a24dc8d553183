//! `sqlite3_file_control`: properties and commands for the file of a database.
//!
//! Verbs that concern the engine are handled here. All other verbs go to a file of the application's own VFS; the
//! engine's files handle the verbs that SQLite's files handle on Unix.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use lithe_engine::DatabaseFile;
use lithe_engine::vfs::File;

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;
use crate::text;
use crate::vfs::{FilePointer, TheirFile, ours, sqlite3_file};

/// SQLITE_FCNTL_*
mod verb {
    use std::ffi::c_int;

    pub(super) const LOCKSTATE: c_int = 1;
    pub(super) const LAST_ERRNO: c_int = 4;
    pub(super) const SIZE_HINT: c_int = 5;
    pub(super) const CHUNK_SIZE: c_int = 6;
    pub(super) const FILE_POINTER: c_int = 7;
    pub(super) const PERSIST_WAL: c_int = 10;
    pub(super) const VFSNAME: c_int = 12;
    pub(super) const POWERSAFE_OVERWRITE: c_int = 13;
    pub(super) const TEMPFILENAME: c_int = 16;
    pub(super) const MMAP_SIZE: c_int = 18;
    pub(super) const HAS_MOVED: c_int = 20;
    pub(super) const VFS_POINTER: c_int = 27;
    pub(super) const JOURNAL_POINTER: c_int = 28;
    pub(super) const DATA_VERSION: c_int = 35;
    pub(super) const SIZE_LIMIT: c_int = 36;
    pub(super) const RESERVE_BYTES: c_int = 38;
    pub(super) const EXTERNAL_READER: c_int = 40;
    pub(super) const RESET_CACHE: c_int = 42;
}

/// A number that the application sets or, with a negative one, reads: it gets the number in force.
///
/// # Safety
/// `arg` can be read and written as such a number.
unsafe fn exchange<T: Copy + PartialOrd + Default>(arg: *mut c_void, put: impl FnOnce(Option<T>) -> T) {
    let arg = arg.cast::<T>();
    // SAFETY: our caller's promise.
    unsafe {
        let wanted = Some(*arg).filter(|wanted| *wanted >= T::default());
        *arg = put(wanted);
    }
}

/// Handles a verb of the engine. `None`: the verb is one for the file.
///
/// # Safety
/// As `sqlite3_file_control` documents it.
unsafe fn control_engine(db: &sqlite3, database: &DatabaseFile, op: c_int, arg: *mut c_void) -> Option<c_int> {
    let theirs = database.file().and_then(TheirFile::of);
    // SAFETY: our caller's promise: the argument has the type that the verb requires.
    unsafe {
        match op {
            verb::FILE_POINTER => {
                *arg.cast::<*mut sqlite3_file>() = match (theirs, database.file()) {
                    (Some(theirs), _) => theirs.handle(),
                    (None, file) => db.file_pointer(file, vfs_name(database)),
                };
            }
            // Without methods if no journal is open: as in SQLite, the pointer is never null.
            verb::JOURNAL_POINTER => {
                let journal = database.journal_file();
                *arg.cast::<*mut sqlite3_file>() = match journal.as_ref().and_then(TheirFile::of) {
                    Some(theirs) => theirs.handle(),
                    None => db.file_pointer(journal.as_ref(), vfs_name(database)),
                };
            }
            verb::VFS_POINTER => {
                let ours = ours::structure(vfs_name(database)).cast::<c_void>();
                *arg.cast::<*mut c_void>() = theirs.map_or(ours, |file| file.vfs().cast());
            }
            verb::DATA_VERSION => match database.data_version() {
                Ok(version) => *arg.cast::<u32>() = version,
                Err(error) => return Some(db.fail(&error)),
            },
            verb::RESERVE_BYTES => {
                let number = *arg.cast::<c_int>();
                *arg.cast::<c_int>() = database.reserved(u8::try_from(number).ok()).into();
            }
            verb::RESET_CACHE => {}
            _ => return None,
        }
    }
    Some(code::OK)
}

impl sqlite3 {
    /// The file as a C structure that lives as long as the connection; without a file, a structure that has no methods.
    fn file_pointer(&self, file: Option<&Arc<dyn File>>, vfs: &str) -> *mut sqlite3_file {
        let Some(file) = file else { return std::ptr::from_ref(&self.no_file).cast_mut() };
        let mut pointers = self.file_pointers.borrow_mut();
        if let Some(known) = pointers.iter().find(|known| known.is_of(file)) {
            return known.pointer();
        }
        if let Some(closed) = pointers.iter_mut().find(|known| known.is_closed()) {
            closed.point_to(file);
            return closed.pointer();
        }
        let pointer = FilePointer::new(file, vfs);
        let raw = pointer.pointer();
        pointers.push(pointer);
        raw
    }
}

/// The name of the database's VFS.
fn vfs_name(database: &DatabaseFile) -> &str {
    database.vfs().map_or("unix", |vfs| vfs.name())
}

/// Handles the verbs of SQLite's files on Unix.
///
/// # Safety
/// As `sqlite3_file_control` documents it.
unsafe fn control_file(db: &sqlite3, database: &DatabaseFile, op: c_int, arg: *mut c_void) -> c_int {
    let Some(file) = database.file() else { return code::NOTFOUND };
    // SAFETY: our caller's promise: the argument has the type that the verb requires.
    unsafe {
        match op {
            verb::LOCKSTATE => *arg.cast::<c_int>() = database.lock_level() as c_int,
            verb::LAST_ERRNO => *arg.cast::<c_int>() = db.error.system_errno(),
            verb::SIZE_HINT => {
                let bytes = u64::try_from(*arg.cast::<i64>()).unwrap_or(0);
                return db.finish(database.size_hint(bytes));
            }
            verb::CHUNK_SIZE => file.set_chunk_size(u64::try_from(*arg.cast::<c_int>()).unwrap_or(0)),
            verb::PERSIST_WAL => {
                exchange::<c_int>(arg, |wanted| database.keeps_log(wanted.map(|wanted| wanted != 0)).into());
            }
            verb::POWERSAFE_OVERWRITE => {
                exchange::<c_int>(arg, |wanted| database.powersafe_overwrite(wanted.map(|wanted| wanted != 0)).into());
            }
            verb::VFSNAME => *arg.cast::<*mut c_char>() = memory::copy_text(vfs_name(database).as_bytes()),
            verb::TEMPFILENAME => {
                let Some(path) = lithe_engine::vfs::temporary_path() else { return code::ERROR };
                *arg.cast::<*mut c_char>() = memory::copy_text(path.as_os_str().as_encoded_bytes());
            }
            verb::MMAP_SIZE => exchange::<i64>(arg, |wanted| {
                i64::try_from(database.mmap_size(wanted.map(i64::cast_unsigned))).unwrap_or(i64::MAX)
            }),
            verb::HAS_MOVED => match database.has_moved() {
                Ok(moved) => *arg.cast::<c_int>() = moved.into(),
                Err(error) => return db.fail(&error),
            },
            verb::EXTERNAL_READER => match file.shm_has_reader_elsewhere() {
                Ok(has) => *arg.cast::<c_int>() = has.into(),
                Err(error) => return error.code().0,
            },
            _ => return code::NOTFOUND,
        }
    }
    code::OK
}

/// Handles the verbs of a database in memory that was made from bytes.
///
/// # Safety
/// As `sqlite3_file_control` documents it.
unsafe fn control_image(database: &DatabaseFile, op: c_int, arg: *mut c_void) -> c_int {
    // SAFETY: our caller's promise: the argument has the type that the verb requires.
    unsafe {
        match op {
            verb::SIZE_LIMIT => exchange::<i64>(arg, |wanted| {
                i64::try_from(database.size_max(wanted.map(i64::cast_unsigned))).unwrap_or(i64::MAX)
            }),
            verb::VFSNAME => *arg.cast::<*mut c_char>() = memory::copy_text(b"memdb"),
            _ => return code::NOTFOUND,
        }
    }
    code::OK
}

api! {
    fn sqlite3_file_control(db: *mut sqlite3, schema: *const c_char, op: c_int, arg: *mut c_void) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let schema = text::name(schema).filter(|schema| !schema.is_empty());
        let Some(database) = db.core().database_file(schema.as_deref()) else { return code::ERROR };
        if let Some(answer) = control_engine(&db, &database, op, arg) {
            return answer;
        }
        if database.is_image() {
            return control_image(&database, op, arg);
        }
        match database.file().and_then(TheirFile::of) {
            Some(theirs) => theirs.control(op, arg),
            None => control_file(&db, &database, op, arg),
        }
    }
}
