//! Recording changes: `sqlite3session_*`.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

use lithe_session::session::TableFilter;
use lithe_session::{Format, Session, SessionOptions};

use super::{XOutput, code_of, to_buffer, to_stream};
use crate::code;
use crate::connection::{self, Locked, live, sqlite3};
use crate::ffi_guard::api;
use crate::text::c_string;
use crate::{memory, text};

/// `SQLITE_SESSION_OBJCONFIG_*`
const OPTION_SIZE: c_int = 1;
const OPTION_ROWID: c_int = 2;

type FilterFn = unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int;

/// A session.
#[allow(non_camel_case_types)]
pub struct sqlite3_session {
    db: *mut sqlite3,
    inner: Session,
    /// The number under which the connection has the session as a watcher.
    watch: u64,
    /// What the application has set last: any number, which it may ask for.
    enabled: Cell<c_int>,
    indirect: Cell<c_int>,
}

/// The session behind a handle, with its connection locked.
///
/// # Safety
/// `handle` is null, or came from `sqlite3session_create` and was not deleted.
unsafe fn session<'a>(handle: *mut sqlite3_session) -> Option<(&'a sqlite3_session, Locked<'a>)> {
    // SAFETY: our caller's promise. A session is deleted before its connection is closed.
    unsafe {
        let session = handle.as_ref()?;
        Some((session, connection::of_object(session.db)))
    }
}

/// Sets a switch, if `wanted` is not negative; returns the number that it was set to last.
fn switch(wanted: c_int, last: &Cell<c_int>, set: impl FnOnce(bool)) -> c_int {
    if wanted >= 0 {
        last.set(wanted);
        set(wanted != 0);
    }
    last.get()
}

api! {
    fn sqlite3session_create(handle: *mut sqlite3, database: *const c_char, out: *mut *mut sqlite3_session) -> c_int {
        let Some(out) = out.as_mut() else { return code::MISUSE };
        *out = null_mut();
        let db = match live(handle) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let database = text::name(database).unwrap_or_else(|| "main".to_owned());
        let inner = Session::new(&database);
        let watch = db.core().watch_changes(inner.watcher());
        *out = Box::into_raw(Box::new(sqlite3_session { db: handle, inner, watch, enabled: Cell::new(1), indirect: Cell::new(0) }));
        code::OK
    }

    fn sqlite3session_delete(handle: *mut sqlite3_session) {
        if let Some((session, db)) = session(handle) {
            db.core().unwatch_changes(session.watch);
            drop(db);
            drop(Box::from_raw(handle));
        }
    }

    fn sqlite3session_object_config(handle: *mut sqlite3_session, op: c_int, arg: *mut c_void) -> c_int {
        let Some((session, _db)) = session(handle) else { return code::MISUSE };
        let Some(value) = arg.cast::<c_int>().as_mut() else { return code::MISUSE };
        let mut options = session.inner.options();
        let option: fn(&mut SessionOptions) -> &mut bool = match op {
            OPTION_SIZE => |options| &mut options.size,
            OPTION_ROWID => |options| &mut options.rowid,
            _ => return code::MISUSE,
        };
        let mut answer = code::OK;
        if *value >= 0 {
            *option(&mut options) = *value != 0;
            answer = code_of(session.inner.set_options(options));
        }
        *value = c_int::from(*option(&mut session.inner.options()));
        answer
    }

    fn sqlite3session_enable(handle: *mut sqlite3_session, wanted: c_int) -> c_int {
        let Some((session, _db)) = session(handle) else { return 0 };
        switch(wanted, &session.enabled, |on| session.inner.set_enabled(on))
    }

    fn sqlite3session_indirect(handle: *mut sqlite3_session, wanted: c_int) -> c_int {
        let Some((session, _db)) = session(handle) else { return 0 };
        switch(wanted, &session.indirect, |on| session.inner.set_indirect(on))
    }

    fn sqlite3session_attach(handle: *mut sqlite3_session, table: *const c_char) -> c_int {
        let Some((session, _db)) = session(handle) else { return code::MISUSE };
        session.inner.attach(text::name(table).as_deref());
        code::OK
    }

    fn sqlite3session_table_filter(handle: *mut sqlite3_session, filter: Option<FilterFn>, arg: *mut c_void) {
        let Some((session, _db)) = session(handle) else { return };
        session.inner.set_table_filter(filter.map(|filter| -> TableFilter {
            Rc::new(move |table: &str| {
                let table = c_string(table.as_bytes());
                // SAFETY: the application's function, called as documented.
                unsafe { filter(arg, table.as_ptr()) != 0 }
            })
        }));
    }

    fn sqlite3session_changeset(handle: *mut sqlite3_session, count: *mut c_int, out: *mut *mut c_void) -> c_int {
        let Some((session, db)) = session(handle) else { return code::MISUSE };
        to_buffer(count, out, |push| session.inner.write_changeset(db.core(), Format::Changeset, push))
    }

    fn sqlite3session_patchset(handle: *mut sqlite3_session, count: *mut c_int, out: *mut *mut c_void) -> c_int {
        let Some((session, db)) = session(handle) else { return code::MISUSE };
        to_buffer(count, out, |push| session.inner.write_changeset(db.core(), Format::Patchset, push))
    }

    fn sqlite3session_changeset_strm(handle: *mut sqlite3_session, write: Option<XOutput>, arg: *mut c_void) -> c_int {
        let Some((session, db)) = session(handle) else { return code::MISUSE };
        to_stream(write, arg, |push| session.inner.write_changeset(db.core(), Format::Changeset, push))
    }

    fn sqlite3session_patchset_strm(handle: *mut sqlite3_session, write: Option<XOutput>, arg: *mut c_void) -> c_int {
        let Some((session, db)) = session(handle) else { return code::MISUSE };
        to_stream(write, arg, |push| session.inner.write_changeset(db.core(), Format::Patchset, push))
    }

    fn sqlite3session_changeset_size(handle: *mut sqlite3_session) -> i64 {
        let Some((session, _db)) = session(handle) else { return 0 };
        session.inner.changeset_size() as i64
    }

    fn sqlite3session_diff(
        handle: *mut sqlite3_session, from: *const c_char, table: *const c_char, message: *mut *mut c_char,
    ) -> c_int {
        if let Some(message) = message.as_mut() {
            *message = null_mut();
        }
        let Some((session, db)) = session(handle) else { return code::MISUSE };
        let (Some(from), Some(table)) = (text::name(from), text::name(table)) else { return code::MISUSE };
        match session.inner.diff(db.core(), &from, &table) {
            Ok(()) => code::OK,
            Err(error) => {
                if let Some(message) = message.as_mut().filter(|_| !error.message.is_empty()) {
                    *message = memory::copy_text(error.message.as_bytes());
                }
                error.code
            }
        }
    }

    fn sqlite3session_isempty(handle: *mut sqlite3_session) -> c_int {
        session(handle).map_or(1, |(session, _db)| c_int::from(session.inner.is_empty()))
    }

    fn sqlite3session_memory_used(handle: *mut sqlite3_session) -> i64 {
        session(handle).map_or(0, |(session, _db)| session.inner.memory_used() as i64)
    }
}
