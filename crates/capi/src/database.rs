//! Properties of a connection's databases: files, transactions, limits, columns of tables.

use std::ffi::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::ptr::{null, null_mut};

use lithe_engine::{Limit, TransactionKind};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::text;
use crate::uri;
use crate::vfs::sqlite3_file;

impl sqlite3 {
    /// SQLITE_LIMIT_LENGTH.
    pub(crate) fn length_max(&self) -> usize {
        if self.is_open() { self.core().limit(Limit::Length) as usize } else { crate::mprintf::LENGTH_MAX }
    }
}

api! {
    fn sqlite3_limit(db: *mut sqlite3, id: c_int, value: c_int) -> c_int {
        match (live(db), Limit::from_number(id)) {
            (Ok(db), Some(limit)) => db.core().set_limit(limit, value),
            _ => -1,
        }
    }

    fn sqlite3_txn_state(db: *mut sqlite3, schema: *const c_char) -> c_int {
        let Ok(db) = live(db) else { return -1 };
        let schema = text::name(schema);
        db.core().transaction_kind(schema.as_deref()).map_or(-1, |kind: TransactionKind| kind as c_int)
    }

    fn sqlite3_db_readonly(db: *mut sqlite3, schema: *const c_char) -> c_int {
        let Ok(db) = live(db) else { return -1 };
        let schema = text::name(schema);
        db.core().is_read_only(schema.as_deref()).map_or(-1, c_int::from)
    }

    fn sqlite3_db_filename(db: *mut sqlite3, schema: *const c_char) -> *const c_char {
        let Ok(db) = live(db) else { return null() };
        let schema = text::name(schema);
        let Some(path) = db.core().file_name(schema.as_deref()) else { return null() };
        db.kept_filename(path.as_os_str().as_bytes(), &db.core().uri_parameters(schema.as_deref()))
    }

    fn sqlite3_table_column_metadata(
        db: *mut sqlite3, schema: *const c_char, table: *const c_char, column: *const c_char,
        declared: *mut *const c_char, collation: *mut *const c_char, not_null: *mut c_int,
        primary_key: *mut c_int, autoincrement: *mut c_int,
    ) -> c_int {
        let (Ok(db), Some(table)) = (live(db), text::name(table)) else { return code::MISUSE };
        let (schema, column) = (text::name(schema), text::name(column));
        let found = db.core().column_metadata(schema.as_deref(), &table, column.as_deref());
        fn put<T>(out: *mut T, value: T) {
            // SAFETY: null, or where the application wants the value.
            if let Some(out) = unsafe { out.as_mut() } {
                *out = value;
            }
        }
        let known = found.as_ref().ok();
        let kept = |name: &str| db.kept_name(name.as_bytes());
        put(declared, known.and_then(|known| known.declared_type.as_deref()).map_or(null(), kept));
        put(collation, known.map_or(null(), |known| kept(&known.collation)));
        put(not_null, known.is_some_and(|known| known.not_null).into());
        put(primary_key, known.is_some_and(|known| known.primary_key).into());
        put(autoincrement, known.is_some_and(|known| known.autoincrement).into());
        match found {
            Ok(_) => db.ok(),
            Err(error) => db.fail_without_place(&error),
        }
    }

    fn sqlite3_db_cacheflush(db: *mut sqlite3) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        match db.core().flush_cache() {
            Ok(()) => code::OK,
            Err(error) => db.fail(&error),
        }
    }

    /// The engine's files are not C structures.
    fn sqlite3_database_file_object(_name: *const c_char) -> *mut sqlite3_file {
        null_mut()
    }
}

impl sqlite3 {
    /// The filename in the form that a VFS gets, kept as long as the connection.
    fn kept_filename(&self, path: &[u8], parameters: &[(Vec<u8>, Vec<u8>)]) -> *const c_char {
        // A file may be attached again with other parameters.
        let key = (path.to_vec(), parameters.to_vec());
        let mut names = self.filenames.borrow_mut();
        let kept = names.entry(key).or_insert_with(|| {
            let of = |suffix: &[u8]| if path.is_empty() { Vec::new() } else { [path, suffix].concat() };
            let parameters = parameters.iter().map(|(key, value)| (key.as_slice(), value.as_slice()));
            uri::Filename::new(path, &of(b"-journal"), &of(b"-wal"), parameters)
        });
        kept.as_ptr()
    }
}
