//! Checkpoints of the write-ahead log.

use std::ffi::{c_char, c_int};

use lithe_engine::CheckpointMode;

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::text;

/// The modes by their numbers, from -1 on.
const MODES: [CheckpointMode; 5] = [
    CheckpointMode::Noop,
    CheckpointMode::Passive,
    CheckpointMode::Full,
    CheckpointMode::Restart,
    CheckpointMode::Truncate,
];

api! {
    fn sqlite3_wal_checkpoint_v2(
        db: *mut sqlite3, database: *const c_char, mode: c_int, frames: *mut c_int, checkpointed: *mut c_int,
    ) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let put = |out: *mut c_int, value| {
            if let Some(out) = out.as_mut() {
                *out = value;
            }
        };
        put(frames, -1);
        put(checkpointed, -1);
        let mode = mode.checked_add(1).and_then(|mode| MODES.get(usize::try_from(mode).ok()?));
        let Some(&mode) = mode else { return code::MISUSE };
        let database = text::name(database).filter(|name| !name.is_empty());
        if let Some(name) = &database
            && !db.has_database(name)
        {
            return db.fail_with(code::ERROR, &format!("unknown database: {name}"));
        }
        match db.core().wal_checkpoint(database.as_deref(), mode) {
            Ok(done) => {
                put(frames, done.log_frames as c_int);
                put(checkpointed, done.checkpointed_frames as c_int);
                if done.is_busy { db.fail_code(code::BUSY) } else { db.ok() }
            }
            Err(error) => db.fail(&error),
        }
    }

    fn sqlite3_wal_checkpoint(db: *mut sqlite3, database: *const c_char) -> c_int {
        sqlite3_wal_checkpoint_v2(db, database, 0, std::ptr::null_mut(), std::ptr::null_mut())
    }

    fn sqlite3_wal_autocheckpoint(db: *mut sqlite3, frames: c_int) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        db.hooks.forget_wal_hook();
        db.core().set_wal_autocheckpoint(u32::try_from(frames).unwrap_or(0));
        code::OK
    }
}

impl sqlite3 {
    /// Whether there is a database of that name.
    pub(crate) fn has_database(&self, name: &str) -> bool {
        self.core().catalog().find_database(lithe_engine::sql::ast::Name::new(name.as_bytes())).is_some()
    }
}
