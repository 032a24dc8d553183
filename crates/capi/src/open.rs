//! Opening and closing connections.

use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine::vfs::Vfs;
use lithe_engine::{Connection, Error, OpenFlags, Target};

use crate::carray::CArray;
use crate::code;
use crate::config;
use crate::connection::{self, sqlite3};
use crate::connection_info;
use crate::ffi_guard::api;
use crate::program_tables::{ProgramTable, Programs};
use crate::statement_table::Statements;
use crate::text;
use crate::threading;
use crate::vfs::{ConnectionCell, Owner, TheirFile, registry};
use crate::{extension, fts3, fts5};

/// The bits of the flags for access: read only, read and write, create.
const ACCESS: u32 = 0x7;
/// Flags for a VFS, or without a meaning here; SQLite ignores them, too.
const IGNORED: u32 = 0x0000_0008
    | 0x0000_0010
    | 0x0000_0100
    | 0x0000_0200
    | 0x0000_0400
    | 0x0000_0800
    | 0x0000_1000
    | 0x0000_2000
    | 0x0000_4000
    | 0x0008_0000;

/// # Safety
/// As `sqlite3_open_v2` documents it.
unsafe fn open(filename: Option<&[u8]>, out: *mut *mut sqlite3, flags: c_int, vfs: *const c_char) -> c_int {
    // SAFETY: our caller's promise.
    let Some(out) = (unsafe { out.as_mut() }) else { return code::MISUSE };
    *out = std::ptr::null_mut();
    config::set_initialized(true);
    let flags = flags.cast_unsigned();
    // One of: 1 read only, 2 read and write, 6 read, write and create.
    if !matches!(flags & ACCESS, 1 | 2 | 6) {
        // The handle only stores the error.
        *out = Box::into_raw(Box::new(sqlite3::new(None, OpenFlags(flags & !IGNORED), true)));
        // SAFETY: just made.
        return unsafe { (**out).fail_code(code::MISUSE) };
    }
    let mut flags = OpenFlags(flags & !IGNORED);
    if config::uri_everywhere() {
        flags = flags.with(OpenFlags::URI);
    }
    // SAFETY: our caller's promise.
    let vfs_name = unsafe { text::name(vfs) };
    let filename = filename.unwrap_or(b":memory:");
    let has_mutex = threading::wants_mutex(flags);
    let connection = Owner::new(connection_info::ask_busy_handler);
    let (core, error) = match open_core(filename, flags, vfs_name.as_deref(), &connection) {
        Ok(core) => (Some(core), None),
        Err(error) => (None, Some(error)),
    };
    let db = Box::into_raw(Box::new(sqlite3::new(core, flags, has_mutex)));
    *out = db;
    // SAFETY: just made.
    unsafe {
        match error {
            Some(error) => (*db).fail(&error),
            None => {
                introduce(&*db, &connection);
                extend(db)
            }
        }
    }
}

/// Adds what connections of the C interface have: `load_extension()`, its modules, and the automatic extensions. Returns the code of
/// these.
///
/// # Safety
/// `db` has just been opened.
pub(crate) unsafe fn extend(db: *mut sqlite3) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        extension::serve_sql(db);
        add_modules(db);
        extension::load_automatic(db)
    }
}

/// Adds the modules and functions of the C interface.
///
/// # Safety
/// `db` has just been opened.
unsafe fn add_modules(db: *mut sqlite3) {
    // SAFETY: our caller's promise.
    let core = unsafe { (*db).core() };
    core.create_module("carray", Some(Box::new(CArray)));
    core.create_module("sqlite_stmt", Some(Box::new(Statements::of(db))));
    for table in [ProgramTable::Bytecode, ProgramTable::TablesUsed] {
        core.create_module(table.name(), Some(Box::new(Programs::of(db, table))));
    }
    // No statement runs yet that could prevent this.
    for function in fts3::functions(db).into_iter().chain([fts5::function(db)]) {
        let _ = core.create_function(function);
    }
}

/// Prefers UTF-16 for a new database; an existing one keeps its encoding.
fn prefer_utf16(db: &sqlite3) {
    let order = if cfg!(target_endian = "little") { "le" } else { "be" };
    // If the file is damaged, the first statement reports that.
    let Ok(prepared) = db.core().prepare(format!("PRAGMA encoding = 'UTF-16{order}'").as_bytes()) else { return };
    if let Some(mut statement) = prepared.statement {
        let _ = statement.step(db.core());
        db.core().put_back(statement);
    }
}

fn open_core(
    filename: &[u8],
    flags: OpenFlags,
    vfs: Option<&str>,
    connection: &ConnectionCell,
) -> Result<Connection, Error> {
    let target: Target = lithe_engine::target(filename, flags)?;
    let name = target.vfs.as_deref().or(vfs);
    let found: Option<Arc<dyn Vfs>> = registry::find(name, &target, connection)?;
    crate::version::introduce_extensions();
    let core = Connection::open_with_vfs(filename, flags, found)?;
    core.add_extensions(&[
        &lithe_modules::LIBRARY,
        &lithe_rtree::EXTENSION,
        &lithe_fts3::EXTENSION,
        &lithe_fts5::EXTENSION,
    ]);
    let connection = Arc::clone(connection);
    core.set_vfs_finder(Some(Rc::new(move |name, target| registry::find(Some(name), target, &connection))));
    Ok(core)
}

/// Makes the connection known to files of the application's VFSes. The main database is already open, and gets it at
/// once.
fn introduce(db: &sqlite3, connection: &ConnectionCell) {
    connection.set_handle(std::ptr::from_ref(db).cast_mut().cast());
    let main = db.core().database_file(None);
    if let Some(theirs) = main.as_ref().and_then(|main| main.file()).and_then(TheirFile::of) {
        theirs.introduce();
    }
}

api! {
    fn sqlite3_open(filename: *const c_char, db: *mut *mut sqlite3) -> c_int {
        open(text::bytes(filename), db, 0x6, std::ptr::null())
    }

    fn sqlite3_open16(filename: *const c_void, db: *mut *mut sqlite3) -> c_int {
        let filename = text::utf16_string(filename);
        let answer = open(filename.as_deref(), db, 0x6, std::ptr::null());
        if answer == code::OK {
            prefer_utf16(&**db);
        }
        answer
    }

    fn sqlite3_open_v2(filename: *const c_char, db: *mut *mut sqlite3, flags: c_int, vfs: *const c_char) -> c_int {
        open(text::bytes(filename), db, flags, vfs)
    }

    fn sqlite3_close(db: *mut sqlite3) -> c_int {
        connection::close(db, false)
    }

    fn sqlite3_close_v2(db: *mut sqlite3) -> c_int {
        connection::close(db, true)
    }
}
