//! The backup interface, and databases as bytes.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;

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

/// The bytes of a database. A database without pages gets its first page.
fn serialize(db: &sqlite3, schema: &str) -> Result<Vec<u8>, Error> {
    let bytes = db.core().serialize(schema)?;
    if !bytes.is_empty() || schema.eq_ignore_ascii_case("temp") {
        return Ok(bytes);
    }
    let sql = format!("PRAGMA \"{}\".user_version = 0", schema.replace('"', "\"\""));
    if let Some(mut statement) = db.core().prepare(sql.as_bytes())?.statement {
        let written = statement.step(db.core());
        db.core().put_back(statement);
        // A database that cannot be written stays empty.
        if written.is_err() {
            return Ok(bytes);
        }
    }
    db.core().serialize(schema)
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
        match serialize(&db, &schema) {
            // The temporary database is created at its first use.
            Ok(bytes) if bytes.is_empty() => null_mut(),
            Ok(bytes) => {
                db.ok();
                put_size(bytes.len() as i64);
                if flags & NO_COPY != 0 {
                    // The pages are not contiguous in memory.
                    return null_mut();
                }
                memory::copy_text(&bytes).cast()
            }
            // An unknown name is no error of the connection.
            Err(_) => null_mut(),
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
