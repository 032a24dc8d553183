//! The backup interface, and databases as bytes.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

use lithe_engine::value::ValueRef;
use lithe_engine::{Backup, BackupStep, Deserialize, Error};

use crate::code;
use crate::connection::{self, live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;
use crate::text;

/// A backup under way.
#[allow(non_camel_case_types)]
pub struct sqlite3_backup {
    target: *mut sqlite3,
    source: *mut sqlite3,
    inner: Backup,
    /// The error of the last step. It becomes the error of the target's connection when the backup is finished, not
    /// before.
    failed: Option<Error>,
}

/// SQLITE_SERIALIZE_NOCOPY
const NO_COPY: c_uint = 1;
/// Flags of `sqlite3_deserialize`.
const FREE_ON_CLOSE: c_uint = 1;
const RESIZEABLE: c_uint = 2;
const READ_ONLY: c_uint = 4;

/// The bytes of a database; empty if it has none. As in SQLite, the pages are counted by a statement, which may fail, and a database
/// without pages gets its first page by an empty transaction, if that can be had.
fn serialize(db: &sqlite3, schema: &str) -> Result<Vec<u8>, Error> {
    let count_pages = format!("PRAGMA \"{}\".page_count", schema.replace('"', "\"\""));
    if first_value(db, &count_pages)? == 0 {
        let _ = ["BEGIN IMMEDIATE", "COMMIT"].iter().try_for_each(|sql| first_value(db, sql).map(drop));
        if first_value(db, &count_pages)? == 0 {
            return Ok(Vec::new());
        }
    }
    db.core().serialize(schema)
}

/// Runs a statement to its first row; returns the integer in it.
fn first_value(db: &sqlite3, sql: &str) -> Result<i64, Error> {
    let Some(mut statement) = db.core().prepare(sql.as_bytes())?.statement else { return Ok(0) };
    let value = statement.step(db.core()).map(|_| match statement.value(0) {
        ValueRef::Integer(value) => value,
        _ => 0,
    });
    db.core().put_back(statement);
    value
}

api! {
    fn sqlite3_backup_init(
        target: *mut sqlite3, target_name: *const c_char, source: *mut sqlite3, source_name: *const c_char,
    ) -> *mut sqlite3_backup {
        let (Ok(from), Ok(to)) = (live(source), live(target)) else { return null_mut() };
        let name = |name: *const c_char| text::name(name).unwrap_or_else(|| "main".to_owned());
        match Backup::new(to.core(), &name(target_name), from.core(), &name(source_name)) {
            Ok(inner) => {
                from.others.set(from.others.get() + 1);
                to.others.set(to.others.get() + 1);
                Box::into_raw(Box::new(sqlite3_backup { target, source, inner, failed: None }))
            }
            Err(error) => {
                to.fail_without_place(&error);
                null_mut()
            }
        }
    }

    fn sqlite3_backup_step(backup: *mut sqlite3_backup, pages: c_int) -> c_int {
        let Some(backup) = backup.as_mut() else { return code::MISUSE };
        // The connections live as long as the backup.
        let (_from, _to) = (connection::of_object(backup.source), connection::of_object(backup.target));
        let stepped = backup.inner.step(pages);
        let answer = match &stepped {
            Ok(BackupStep::More) => code::OK,
            Ok(BackupStep::Done) => code::DONE,
            Err(error) => error.code().0,
        };
        backup.failed = stepped.err();
        answer
    }

    fn sqlite3_backup_finish(backup: *mut sqlite3_backup) -> c_int {
        if backup.is_null() {
            return code::OK;
        }
        let backup = Box::from_raw(backup);
        let (source, target) = (backup.source, backup.target);
        let answer = {
            let (from, to) = (connection::of_object(source), connection::of_object(target));
            from.others.set(from.others.get() - 1);
            to.others.set(to.others.get() - 1);
            // A step that ended with SQLITE_BUSY or SQLITE_LOCKED could have been tried again; if it was not, its error
            // is returned.
            let failed = backup.failed.map_or(Ok(()), Err);
            to.finish(backup.inner.finish().and(failed))
        };
        connection::free_if_unused(source);
        connection::free_if_unused(target);
        answer
    }

    fn sqlite3_backup_remaining(backup: *mut sqlite3_backup) -> c_int {
        backup.as_ref().map_or(0, |backup| backup.inner.remaining() as c_int)
    }

    fn sqlite3_backup_pagecount(backup: *mut sqlite3_backup) -> c_int {
        backup.as_ref().map_or(0, |backup| backup.inner.page_count() as c_int)
    }

    fn sqlite3_serialize(db: *mut sqlite3, schema: *const c_char, size: *mut i64, flags: c_uint) -> *mut u8 {
        let Ok(db) = live(db) else { return null_mut() };
        let schema = text::name(schema).unwrap_or_else(|| "main".to_owned());
        let put_size = |value| {
            if let Some(size) = size.as_mut() {
                *size = value;
            }
        };
        put_size(-1);
        // An unknown name is no error of the connection. The temporary database is created at its first use.
        if db.core().is_read_only(Some(&schema)).is_none() {
            return null_mut();
        }
        match serialize(&db, &schema) {
            Ok(bytes) if bytes.is_empty() => {
                db.ok();
                put_size(0);
                null_mut()
            }
            Ok(bytes) => {
                db.ok();
                put_size(bytes.len() as i64);
                if flags & NO_COPY != 0 {
                    // The pages are not contiguous in memory.
                    return null_mut();
                }
                memory::copy_text(&bytes).cast()
            }
            Err(error) => {
                db.fail(&error);
                null_mut()
            }
        }
    }

    fn sqlite3_deserialize(
        db: *mut sqlite3, schema: *const c_char, bytes: *mut u8, len: i64, size_max: i64, flags: c_uint,
    ) -> c_int {
        let answer = match live(db) {
            Ok(db) if len >= 0 && len <= size_max => {
                let how = Deserialize {
                    read_only: flags & READ_ONLY != 0,
                    resizeable: flags & RESIZEABLE != 0,
                    // A database that is not resizeable may still fill the buffer that it was given.
                    size_max: (flags & RESIZEABLE == 0).then_some(size_max as u64),
                };
                let schema = text::name(schema).unwrap_or_else(|| "main".to_owned());
                db.finish_silently(db.core().deserialize(&schema, text::sized(bytes.cast::<c_void>(), len), how))
            }
            Ok(_) => code::MISUSE,
            Err(code) => code,
        };
        if flags & FREE_ON_CLOSE != 0 {
            // The engine has a copy.
            memory::free(bytes.cast());
        }
        answer
    }
}
