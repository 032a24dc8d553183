//! The functions of the library, with the types of `sqlite3.h`.

use std::ffi::{c_char, c_double, c_int, c_void};
use std::path::Path;

use crate::error::{Error, Result};

/// A destructor for a bound value; `None` is SQLITE_STATIC: the bytes are valid as long as they are bound.
pub type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

macro_rules! symbols {
    ($($name:ident: $symbol:literal = fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions.
        #[allow(missing_docs)] // their documentation is SQLite's
        pub struct Symbols { $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $ret)?),* }

        impl Symbols {
            /// Loads the library and looks up all functions.
            pub fn load(path: &Path) -> Result<Symbols> {
                let failed = |error: libloading::Error| Error::loading(path, &error);
                // SAFETY: the user has named the library, and is responsible for its initializers.
                let library = unsafe { libloading::Library::new(path) }.map_err(failed)?;
                let symbols = Symbols {
                    // SAFETY: the types are those of `sqlite3.h`, which the library claims to implement.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }.map_err(failed)?),*
                };
                // The library is never unloaded, because its functions are used until the process ends.
                std::mem::forget(library);
                Ok(symbols)
            }
        }
    };
}

type Db = *mut c_void;
type Stmt = *mut c_void;
type BlobHandle = *mut c_void;

symbols! {
    libversion: "sqlite3_libversion\0" = fn() -> *const c_char;
    sourceid: "sqlite3_sourceid\0" = fn() -> *const c_char;
    open_v2: "sqlite3_open_v2\0" = fn(*const c_char, *mut Db, c_int, *const c_char) -> c_int;
    close_v2: "sqlite3_close_v2\0" = fn(Db) -> c_int;
    errmsg: "sqlite3_errmsg\0" = fn(Db) -> *const c_char;
    extended_errcode: "sqlite3_extended_errcode\0" = fn(Db) -> c_int;
    prepare_v2: "sqlite3_prepare_v2\0" = fn(Db, *const c_char, c_int, *mut Stmt, *mut *const c_char) -> c_int;
    finalize: "sqlite3_finalize\0" = fn(Stmt) -> c_int;
    step: "sqlite3_step\0" = fn(Stmt) -> c_int;
    reset: "sqlite3_reset\0" = fn(Stmt) -> c_int;
    clear_bindings: "sqlite3_clear_bindings\0" = fn(Stmt) -> c_int;
    bind_null: "sqlite3_bind_null\0" = fn(Stmt, c_int) -> c_int;
    bind_int64: "sqlite3_bind_int64\0" = fn(Stmt, c_int, i64) -> c_int;
    bind_double: "sqlite3_bind_double\0" = fn(Stmt, c_int, c_double) -> c_int;
    bind_text: "sqlite3_bind_text\0" = fn(Stmt, c_int, *const c_char, c_int, Destructor) -> c_int;
    bind_blob: "sqlite3_bind_blob\0" = fn(Stmt, c_int, *const c_void, c_int, Destructor) -> c_int;
    column_count: "sqlite3_column_count\0" = fn(Stmt) -> c_int;
    column_type: "sqlite3_column_type\0" = fn(Stmt, c_int) -> c_int;
    column_int64: "sqlite3_column_int64\0" = fn(Stmt, c_int) -> i64;
    column_double: "sqlite3_column_double\0" = fn(Stmt, c_int) -> c_double;
    column_text: "sqlite3_column_text\0" = fn(Stmt, c_int) -> *const u8;
    column_blob: "sqlite3_column_blob\0" = fn(Stmt, c_int) -> *const u8;
    column_bytes: "sqlite3_column_bytes\0" = fn(Stmt, c_int) -> c_int;
    blob_open: "sqlite3_blob_open\0" = fn(Db, *const c_char, *const c_char, *const c_char, i64, c_int, *mut BlobHandle) -> c_int;
    blob_close: "sqlite3_blob_close\0" = fn(BlobHandle) -> c_int;
    blob_reopen: "sqlite3_blob_reopen\0" = fn(BlobHandle, i64) -> c_int;
    blob_bytes: "sqlite3_blob_bytes\0" = fn(BlobHandle) -> c_int;
    blob_read: "sqlite3_blob_read\0" = fn(BlobHandle, *mut c_void, c_int, c_int) -> c_int;
    blob_write: "sqlite3_blob_write\0" = fn(BlobHandle, *const c_void, c_int, c_int) -> c_int;
}
