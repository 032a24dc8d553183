//! Checkpoints of the write-ahead log.

use std::ffi::{c_char, c_int};

use lithe_engine::{Error, ResultCode};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::door::api;
use crate::text;

/// The modes by their numbers, from -1 on.
const MODES: [&str; 5] = ["NOOP", "PASSIVE", "FULL", "RESTART", "TRUNCATE"];

/// Runs the pragma: whether it was busy, the frames of the log, the frames checkpointed. -1 without a log.
fn checkpoint(db: &sqlite3, database: Option<&str>, mode: &str) -> Result<(bool, c_int, c_int), Error> {
    let quoted = database.map(|name| format!("\"{}\".", name.replace('"', "\"\"")));
    let sql = format!("PRAGMA {}wal_checkpoint({mode})", quoted.unwrap_or_default());
    let prepared = db.core().prepare(sql.as_bytes())?;
    let mut statement = prepared.statement.ok_or_else(|| Error::from_code(ResultCode::ERROR))?;
    let mut answer = (false, -1, -1);
    if statement.step(db.core())? == lithe_engine::Step::Row {
        let number = |index| lithe_engine::value::cast::to_integer(statement.value(index)) as c_int;
        answer = (number(0) != 0, number(1), number(2));
    }
    statement.reset(db.core());
    Ok(answer)
}

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
        let Some(mode) = mode else { return code::MISUSE };
        let database = text::name(database).filter(|name| !name.is_empty());
        if let Some(name) = &database
            && !db.has_database(name)
        {
            return db.fail_with(code::ERROR, &format!("unknown database: {name}"));
        }
        match checkpoint(&db, database.as_deref(), mode) {
            Ok((is_busy, in_log, done)) => {
                put(frames, in_log);
                put(checkpointed, done);
                if is_busy { db.fail_code(code::BUSY) } else { db.ok() }
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
        db.finish(db.run(&format!("PRAGMA wal_autocheckpoint={}", frames.max(0))))
    }
}

impl sqlite3 {
    /// Runs a statement that answers nothing of interest.
    pub(crate) fn run(&self, sql: &str) -> Result<(), Error> {
        if let Some(mut statement) = self.core().prepare(sql.as_bytes())?.statement {
            while statement.step(self.core())? == lithe_engine::Step::Row {}
            statement.reset(self.core());
        }
        Ok(())
    }

    /// Whether there is a database of that name.
    pub(crate) fn has_database(&self, name: &str) -> bool {
        self.core().catalog().find_database(lithe_engine::sql::ast::Name::new(name.as_bytes())).is_some()
    }
}
