//! Applying changesets: `sqlite3changeset_apply*`.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use lithe_session::{Answer, Apply, ChangesetIterator, Conflict, Handler, Input, Result};

use super::iterator::sqlite3_changeset_iter;
use super::{Error, XInput, give, stream, whole};
use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::text::c_string;

/// `SQLITE_CHANGESETAPPLY_*`
const NO_SAVEPOINT: c_int = 1;
const INVERT: c_int = 2;
const IGNORE_NOOP: c_int = 4;
const FOREIGN_KEYS_NO_ACTION: c_int = 8;
const NO_UPDATE_LOOP: c_int = 16;

type TableFilter = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;
type ChangeFilter = unsafe extern "C" fn(*mut c_void, *mut sqlite3_changeset_iter) -> c_int;
type ConflictFn = unsafe extern "C" fn(*mut c_void, c_int, *mut sqlite3_changeset_iter) -> c_int;

/// The application's functions.
struct Callbacks {
    wants_table: Option<TableFilter>,
    wants_change: Option<ChangeFilter>,
    conflict: ConflictFn,
    arg: *mut c_void,
}

impl Handler for Callbacks {
    fn wants_table(&mut self, table: &str) -> bool {
        let Some(filter) = self.wants_table else { return true };
        let table = c_string(table.as_bytes());
        // SAFETY: the application's function, called as documented.
        unsafe { filter(self.arg, table.as_ptr()) != 0 }
    }

    fn wants_change(&mut self, change: &ChangesetIterator<'_>) -> bool {
        let Some(filter) = self.wants_change else { return true };
        // SAFETY: the application's function, called as documented.
        sqlite3_changeset_iter::lend(change, |change| unsafe { filter(self.arg, change) != 0 })
    }

    fn conflict(&mut self, conflict: Conflict, change: &ChangesetIterator<'_>) -> Option<Answer> {
        let ask = |change| {
            // SAFETY: the application's function, called as documented.
            unsafe { (self.conflict)(self.arg, conflict as c_int, change) }
        };
        let answer = sqlite3_changeset_iter::lend(change, ask);
        [Answer::Omit, Answer::Replace, Answer::Abort].into_iter().find(|known| *known as c_int == answer)
    }
}

/// The arguments of a call, besides the changeset.
struct Request {
    wants_table: Option<TableFilter>,
    wants_change: Option<ChangeFilter>,
    conflict: Option<ConflictFn>,
    arg: *mut c_void,
    rebase: *mut *mut c_void,
    rebase_len: *mut c_int,
    flags: c_int,
}

/// Stands for a conflict handler that is null, which SQLite calls without a look at it: a changeset without conflicts needs none.
unsafe extern "C" fn abort_at_conflict(_: *mut c_void, _: c_int, _: *mut sqlite3_changeset_iter) -> c_int {
    Answer::Abort as c_int
}

/// Applies a changeset.
///
/// # Safety
/// `db` is a handle or null, the callbacks are called as documented, and the pointers for the rebase buffer can be
/// written or are null.
unsafe fn apply(db: *mut sqlite3, input: std::result::Result<Input<'_>, Error>, request: Request) -> c_int {
    // SAFETY: our caller's promise.
    let db = match unsafe { live(db) } {
        Ok(db) => db,
        Err(code) => return code,
    };
    let conflict = request.conflict.unwrap_or(abort_at_conflict);
    // SAFETY: our caller's promise.
    let rebase = unsafe { request.rebase.as_mut().zip(request.rebase_len.as_mut()) };
    let options = Apply {
        no_savepoint: request.flags & NO_SAVEPOINT != 0,
        inverted: request.flags & INVERT != 0,
        ignore_noop: request.flags & IGNORE_NOOP != 0,
        foreign_keys_no_action: request.flags & FOREIGN_KEYS_NO_ACTION != 0,
        no_rebase: rebase.is_none(),
        no_update_loop: request.flags & NO_UPDATE_LOOP != 0,
    };
    let Request { wants_table, wants_change, arg, .. } = request;
    let mut handler = Callbacks { wants_table, wants_change, conflict, arg };
    let applied: Result<_> = input.and_then(|input| lithe_session::apply(db.core(), input, &mut handler, options));
    match (applied, rebase) {
        (Err(error), rebase) => {
            if let Some((bytes, len)) = rebase {
                (*bytes, *len) = (null_mut(), 0);
            }
            match error.message.is_empty() {
                true => db.fail_code(error.code),
                false => db.fail_with(error.code, &error.message),
            };
            error.code
        }
        (Ok(made), Some((bytes, len))) => {
            (*bytes, *len) = (null_mut(), 0);
            // SAFETY: both can be written.
            unsafe { give(made.as_deref().unwrap_or_default(), len, bytes) }
        }
        (Ok(_), None) => code::OK,
    }
}

api! {
    fn sqlite3changeset_apply(
        db: *mut sqlite3, count: c_int, bytes: *mut c_void, wants_table: Option<TableFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void,
    ) -> c_int {
        let (rebase, rebase_len) = (null_mut(), null_mut());
        let request = Request { wants_table, wants_change: None, conflict, arg, rebase, rebase_len, flags: 0 };
        apply(db, whole(count, bytes), request)
    }

    fn sqlite3changeset_apply_v2(
        db: *mut sqlite3, count: c_int, bytes: *mut c_void, wants_table: Option<TableFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void, rebase: *mut *mut c_void, rebase_len: *mut c_int,
        flags: c_int,
    ) -> c_int {
        let request = Request { wants_table, wants_change: None, conflict, arg, rebase, rebase_len, flags };
        apply(db, whole(count, bytes), request)
    }

    fn sqlite3changeset_apply_v3(
        db: *mut sqlite3, count: c_int, bytes: *mut c_void, wants_change: Option<ChangeFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void, rebase: *mut *mut c_void, rebase_len: *mut c_int,
        flags: c_int,
    ) -> c_int {
        let request = Request { wants_table: None, wants_change, conflict, arg, rebase, rebase_len, flags };
        apply(db, whole(count, bytes), request)
    }

    fn sqlite3changeset_apply_strm(
        db: *mut sqlite3, read: Option<XInput>, read_arg: *mut c_void, wants_table: Option<TableFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void,
    ) -> c_int {
        let (rebase, rebase_len) = (null_mut(), null_mut());
        let request = Request { wants_table, wants_change: None, conflict, arg, rebase, rebase_len, flags: 0 };
        apply(db, stream(read, read_arg), request)
    }

    fn sqlite3changeset_apply_v2_strm(
        db: *mut sqlite3, read: Option<XInput>, read_arg: *mut c_void, wants_table: Option<TableFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void, rebase: *mut *mut c_void, rebase_len: *mut c_int,
        flags: c_int,
    ) -> c_int {
        let request = Request { wants_table, wants_change: None, conflict, arg, rebase, rebase_len, flags };
        apply(db, stream(read, read_arg), request)
    }

    fn sqlite3changeset_apply_v3_strm(
        db: *mut sqlite3, read: Option<XInput>, read_arg: *mut c_void, wants_change: Option<ChangeFilter>,
        conflict: Option<ConflictFn>, arg: *mut c_void, rebase: *mut *mut c_void, rebase_len: *mut c_int,
        flags: c_int,
    ) -> c_int {
        let request = Request { wants_table: None, wants_change, conflict, arg, rebase, rebase_len, flags };
        apply(db, stream(read, read_arg), request)
    }
}
