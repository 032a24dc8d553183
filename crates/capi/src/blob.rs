//! Incremental access to one BLOB.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use lithe_engine::{Blob, Error, ResultCode};

use crate::code;
use crate::connection::{self, Locked, live, sqlite3};
use crate::ffi_guard::api;
use crate::text;

/// An open BLOB.
#[allow(non_camel_case_types)]
pub struct sqlite3_blob {
    db: *mut sqlite3,
    inner: Blob,
    /// The size of the last value: a call beyond its end is refused before anything else.
    len: usize,
}

/// The BLOB behind a handle, with its connection locked.
///
/// # Safety
/// `handle` is null, or came from `sqlite3_blob_open` and was not closed.
unsafe fn blob<'a>(handle: *mut sqlite3_blob) -> Result<(&'a mut sqlite3_blob, Locked<'a>), c_int> {
    // SAFETY: our caller's promise. A connection lives at least as long as its BLOBs.
    unsafe {
        let blob = handle.as_mut().ok_or(code::MISUSE)?;
        let db = connection::of_object(blob.db);
        if connection::is_poisoned(&db) {
            return Err(db.fail_poisoned());
        }
        Ok((blob, db))
    }
}

/// The range of a call. A range beyond the end of the BLOB is SQLITE_ERROR.
fn part(blob: &sqlite3_blob, n: c_int, offset: c_int) -> Result<(usize, usize), Error> {
    match (usize::try_from(n), usize::try_from(offset)) {
        (Ok(n), Ok(offset)) if offset + n <= blob.len => Ok((n, offset)),
        _ => Err(Error::from_code(ResultCode::ERROR)),
    }
}

/// The end of a read or a write; a failure is told by its code alone.
fn finish(db: &sqlite3, result: Result<(), Error>) -> c_int {
    match result {
        Ok(()) => db.ok(),
        Err(error) => db.fail_code(error.code().0),
    }
}

/// A call has failed that runs a statement in SQLite, of which it learns the code without its extension, unless extended codes are on.
fn fail_masked(db: &sqlite3, error: &Error) -> c_int {
    db.fail(&Error::new(ResultCode(db.masked(error.code().0)), error.message()))
}

api! {
    fn sqlite3_blob_open(
        handle: *mut sqlite3, database: *const c_char, table: *const c_char, column: *const c_char, rowid: i64,
        flags: c_int, out: *mut *mut sqlite3_blob,
    ) -> c_int {
        let Some(out) = out.as_mut() else { return code::MISUSE };
        *out = null_mut();
        let db = match live(handle) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let (Some(table), Some(column)) = (text::name(table), text::name(column)) else {
            return db.fail_code(code::MISUSE);
        };
        let database = text::name(database).unwrap_or_else(|| "main".to_owned());
        match db.core().blob_open(&database, &table, &column, rowid, flags != 0) {
            Ok(inner) => {
                db.others.set(db.others.get() + 1);
                *out = Box::into_raw(Box::new(sqlite3_blob { db: handle, len: inner.len(), inner }));
                db.ok()
            }
            Err(error) => fail_masked(&db, &error),
        }
    }

    fn sqlite3_blob_reopen(handle: *mut sqlite3_blob, rowid: i64) -> c_int {
        match blob(handle) {
            Ok((blob, db)) => {
                let result = blob.inner.reopen(db.core(), rowid);
                if result.is_ok() {
                    blob.len = blob.inner.len();
                }
                match result {
                    // A handle that a failed reopening has ended; the first failure has been told.
                    Err(error) if error.code() == ResultCode::ABORT => db.finish_silently(Err(error)),
                    Err(error) if error.code().primary() == ResultCode::ABORT => {
                        db.fail_with(code::ABORT, error.message())
                    }
                    Err(error) => fail_masked(&db, &error),
                    Ok(()) => code::OK,
                }
            }
            Err(code) => code,
        }
    }

    fn sqlite3_blob_close(handle: *mut sqlite3_blob) -> c_int {
        let Some(blob) = handle.as_mut() else { return code::OK };
        let db_handle = blob.db;
        let db = connection::of_object(db_handle);
        let answer = if connection::is_poisoned(&db) {
            db.fail_poisoned()
        } else {
            // The result is the connection's last error, as that of a statement that is finalized, unless the handle has lost its row.
            let is_running = blob.inner.is_running();
            match blob.inner.close(db.core()) {
                Err(error) => db.fail_code(error.code().0),
                Ok(()) if is_running => db.ok(),
                Ok(()) => code::OK,
            }
        };
        drop(Box::from_raw(handle));
        db.others.set(db.others.get() - 1);
        drop(db);
        connection::free_if_unused(db_handle);
        answer
    }

    fn sqlite3_blob_bytes(handle: *mut sqlite3_blob) -> c_int {
        blob(handle).map_or(0, |(blob, _db)| blob.inner.len() as c_int)
    }

    fn sqlite3_blob_read(handle: *mut sqlite3_blob, bytes: *mut c_void, n: c_int, offset: c_int) -> c_int {
        let (blob, db) = match blob(handle) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let result = part(blob, n, offset).and_then(|(n, offset)| {
            let bytes = if n == 0 { &mut [][..] } else { std::slice::from_raw_parts_mut(bytes.cast(), n) };
            blob.inner.read(db.core(), bytes, offset)
        });
        finish(&db, result)
    }

    fn sqlite3_blob_write(handle: *mut sqlite3_blob, bytes: *const c_void, n: c_int, offset: c_int) -> c_int {
        let (blob, db) = match blob(handle) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let result = part(blob, n, offset).and_then(|(n, offset)| {
            blob.inner.write(db.core(), text::sized(bytes, n as i64), offset)
        });
        finish(&db, result)
    }
}
