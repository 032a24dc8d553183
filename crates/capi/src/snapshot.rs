//! States of a database in the past: `sqlite3_snapshot_*`.

use std::ffi::{c_char, c_int};

use lithe_engine::Snapshot;

use crate::code;
use crate::connection::{Locked, live, sqlite3};
use crate::ffi_guard::api;
use crate::memory;
use crate::text;

/// A state of a database in the past, with the header's layout: programs may copy its bytes.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_snapshot {
    hidden: [u8; Snapshot::LEN],
}

const _: () = assert!(size_of::<sqlite3_snapshot>() == 48);

impl sqlite3_snapshot {
    fn get(&self) -> Option<Snapshot> {
        Snapshot::from_bytes(&self.hidden)
    }
}

/// Locks the connection and returns the name of its database; the error is the code.
///
/// # Safety
/// `db` is a handle or null, `schema` a C string or null.
unsafe fn begin<'a>(db: *mut sqlite3, schema: *const c_char) -> Result<(Locked<'a>, String), c_int> {
    // SAFETY: our caller's promise.
    let (db, schema) = unsafe { (live(db)?, text::name(schema)) };
    Ok((db, schema.ok_or(code::ERROR)?))
}

/// The code of a result. The connection's last error is not changed, as in SQLite.
fn outcome(done: lithe_engine::Result<()>) -> c_int {
    done.map_or_else(|error| error.code().0, |()| code::OK)
}

api! {
    fn sqlite3_snapshot_get(
        db: *mut sqlite3, schema: *const c_char, snapshot: *mut *mut sqlite3_snapshot,
    ) -> c_int {
        let (db, schema) = match begin(db, schema) {
            Ok(begun) => begun,
            Err(code) => return code,
        };
        let Some(out) = snapshot.as_mut() else { return code::MISUSE };
        match db.core().snapshot(&schema) {
            Ok(taken) => {
                let place = memory::sqlite3_malloc(size_of::<sqlite3_snapshot>() as c_int).cast::<sqlite3_snapshot>();
                if place.is_null() {
                    return code::NOMEM;
                }
                place.write(sqlite3_snapshot { hidden: taken.to_bytes() });
                *out = place;
                code::OK
            }
            Err(error) => error.code().0,
        }
    }

    fn sqlite3_snapshot_open(db: *mut sqlite3, schema: *const c_char, snapshot: *mut sqlite3_snapshot) -> c_int {
        let (db, schema) = match begin(db, schema) {
            Ok(begun) => begun,
            Err(code) => return code,
        };
        match snapshot.as_ref().map(sqlite3_snapshot::get) {
            None => code::MISUSE,
            Some(None) => code::ERROR,
            Some(Some(snapshot)) => outcome(db.core().open_snapshot(&schema, &snapshot)),
        }
    }

    fn sqlite3_snapshot_free(snapshot: *mut sqlite3_snapshot) {
        memory::sqlite3_free(snapshot.cast());
    }

    fn sqlite3_snapshot_cmp(one: *mut sqlite3_snapshot, other: *mut sqlite3_snapshot) -> c_int {
        let (Some(one), Some(other)) = (one.as_ref(), other.as_ref()) else { return 0 };
        match (one.get(), other.get()) {
            (Some(one), Some(other)) => one.compare_age(&other) as c_int,
            _ => 0,
        }
    }

    fn sqlite3_snapshot_recover(db: *mut sqlite3, schema: *const c_char) -> c_int {
        match begin(db, schema) {
            Ok((db, schema)) => outcome(db.core().recover_snapshots(&schema)),
            Err(code) => code,
        }
    }
}
