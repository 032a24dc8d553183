//! The changes of a changeset: `sqlite3changeset_*`.

use std::ffi::{CString, c_char, c_int, c_uchar, c_void};
use std::ptr::{null, null_mut};

use lithe_session::{ChangesetIterator, Input, Result, ValueRef, invert};

use super::{Error, XInput, XOutput, stream, to_buffer, to_stream, whole};
use crate::code;
use crate::ffi_guard::api;
use crate::text::c_string;
use crate::value::sqlite3_value;

/// `SQLITE_CHANGESETSTART_INVERT`
const START_INVERT: c_int = 2;

/// An iterator of the application, or that of a changeset that is being applied.
#[allow(non_camel_case_types)]
pub struct sqlite3_changeset_iter {
    own: Option<Box<ChangesetIterator<'static>>>,
    /// The iterator of the changeset that is being applied, during a callback.
    lent: *const ChangesetIterator<'static>,
    /// Values of the change that were returned.
    #[allow(clippy::vec_box)] // their addresses are given out
    values: Vec<Box<sqlite3_value>>,
    name: CString,
    primary_key: Vec<u8>,
}

impl sqlite3_changeset_iter {
    fn new(own: Option<Box<ChangesetIterator<'static>>>, lent: *const ChangesetIterator<'static>) -> Self {
        sqlite3_changeset_iter { own, lent, values: Vec::new(), name: CString::default(), primary_key: Vec::new() }
    }

    /// Calls the callback with the iterator of a changeset that is being applied.
    pub(super) fn lend<T>(changes: &ChangesetIterator<'_>, callback: impl FnOnce(*mut Self) -> T) -> T {
        let lent = std::ptr::from_ref(changes).cast::<ChangesetIterator<'static>>();
        let mut handle = sqlite3_changeset_iter::new(None, lent);
        callback(&mut handle)
    }

    pub(super) fn changes(&self) -> &ChangesetIterator<'static> {
        match &self.own {
            Some(own) => own,
            // SAFETY: it lives until the callback that has this handle returns (`lend`).
            None => unsafe { &*self.lent },
        }
    }

    fn forget_values(&mut self) {
        self.values.clear();
    }
}

fn start(
    out: *mut *mut sqlite3_changeset_iter,
    input: std::result::Result<Input<'static>, Error>,
    flags: c_int,
) -> c_int {
    // SAFETY: the pointer can be written, or is null.
    let Some(out) = (unsafe { out.as_mut() }) else { return code::MISUSE };
    *out = null_mut();
    match input {
        Ok(input) => {
            let changes = Box::new(ChangesetIterator::new(input, flags & START_INVERT != 0));
            let handle = sqlite3_changeset_iter::new(Some(changes), std::ptr::null());
            *out = Box::into_raw(Box::new(handle));
            code::OK
        }
        Err(error) => error.code,
    }
}

/// Writes the address of a value of the change to `out`; null if the change has no value for the column.
///
/// # Safety
/// `handle` is a live iterator or null, and `out` can be written or is null.
unsafe fn value_of(
    handle: *mut sqlite3_changeset_iter,
    column: c_int,
    out: *mut *mut sqlite3_value,
    read: impl for<'a> FnOnce(&'a ChangesetIterator<'static>, usize) -> Result<Option<ValueRef<'a>>>,
) -> c_int {
    // SAFETY: our caller's promise.
    let (Some(handle), Some(out)) = (unsafe { handle.as_mut() }, unsafe { out.as_mut() }) else { return code::MISUSE };
    let column = usize::try_from(column).unwrap_or(usize::MAX);
    let mut given = Box::<sqlite3_value>::default();
    match read(handle.changes(), column) {
        Ok(Some(value)) => {
            // SAFETY: the value is forgotten before the iterator moves.
            unsafe { given.borrow(value) };
            *out = std::ptr::from_mut(&mut *given);
            handle.values.push(given);
            code::OK
        }
        Ok(None) => {
            *out = null_mut();
            code::OK
        }
        Err(error) => error.code,
    }
}

/// Writes a result of a function beside its code.
///
/// # Safety
/// `out` can be written, or is null.
unsafe fn put<T>(out: *mut T, value: T) {
    // SAFETY: our caller's promise.
    if let Some(out) = unsafe { out.as_mut() } {
        *out = value;
    }
}

api! {
    fn sqlite3changeset_start(out: *mut *mut sqlite3_changeset_iter, count: c_int, bytes: *mut c_void) -> c_int {
        start(out, whole(count, bytes), 0)
    }

    fn sqlite3changeset_start_v2(
        out: *mut *mut sqlite3_changeset_iter, count: c_int, bytes: *mut c_void, flags: c_int,
    ) -> c_int {
        start(out, whole(count, bytes), flags)
    }

    fn sqlite3changeset_start_strm(
        out: *mut *mut sqlite3_changeset_iter, read: Option<XInput>, arg: *mut c_void,
    ) -> c_int {
        start(out, stream(read, arg), 0)
    }

    fn sqlite3changeset_start_v2_strm(
        out: *mut *mut sqlite3_changeset_iter, read: Option<XInput>, arg: *mut c_void, flags: c_int,
    ) -> c_int {
        start(out, stream(read, arg), flags)
    }

    fn sqlite3changeset_next(handle: *mut sqlite3_changeset_iter) -> c_int {
        let Some(handle) = handle.as_mut() else { return code::MISUSE };
        handle.forget_values();
        match handle.own.as_mut().map(|own| own.advance()) {
            // The iterator of a callback cannot be moved.
            None => code::MISUSE,
            Some(Ok(true)) => code::ROW,
            Some(Ok(false)) => code::DONE,
            Some(Err(error)) => error.code,
        }
    }

    fn sqlite3changeset_op(
        handle: *mut sqlite3_changeset_iter, table: *mut *const c_char, count: *mut c_int, op: *mut c_int,
        indirect: *mut c_int,
    ) -> c_int {
        let Some(handle) = handle.as_mut() else { return code::MISUSE };
        let changes = handle.changes();
        if let Ok(violations) = changes.foreign_key_conflicts() {
            // The conflict concerns the whole changeset: it has no table, and no operation.
            put(table, null());
            put(count, c_int::try_from(violations).unwrap_or(c_int::MAX));
            put(op, 0);
            put(indirect, 0);
            return code::OK;
        }
        let (operation, is_indirect) = changes.last_operation().map_or((0, 0), |(operation, is_indirect)| (operation as c_int, c_int::from(is_indirect)));
        let (name, columns) = changes.last_table().map_or((None, 0), |header| (Some(c_string(&header.name)), header.column_count()));
        put(count, columns as c_int);
        put(op, operation);
        put(indirect, is_indirect);
        let Some(name) = name else {
            put(table, null());
            return code::OK;
        };
        if handle.name != name {
            handle.name = name;
        }
        put(table, handle.name.as_ptr());
        code::OK
    }

    fn sqlite3changeset_pk(
        handle: *mut sqlite3_changeset_iter, key: *mut *mut c_uchar, count: *mut c_int,
    ) -> c_int {
        let Some(handle) = handle.as_mut() else { return code::MISUSE };
        if let Ok(violations) = handle.changes().foreign_key_conflicts() {
            put(key, null_mut());
            put(count, c_int::try_from(violations).unwrap_or(c_int::MAX));
            return code::OK;
        }
        let Some(header) = handle.changes().last_table().cloned() else {
            put(key, null_mut());
            put(count, 0);
            return code::OK;
        };
        if *handle.primary_key != *header.primary_key {
            handle.primary_key = header.primary_key.to_vec();
        }
        put(key, handle.primary_key.as_mut_ptr());
        put(count, header.column_count() as c_int);
        code::OK
    }

    fn sqlite3changeset_old(handle: *mut sqlite3_changeset_iter, column: c_int, out: *mut *mut sqlite3_value) -> c_int {
        value_of(handle, column, out, |changes, column| changes.old_value(column))
    }

    fn sqlite3changeset_new(handle: *mut sqlite3_changeset_iter, column: c_int, out: *mut *mut sqlite3_value) -> c_int {
        value_of(handle, column, out, |changes, column| changes.new_value(column))
    }

    fn sqlite3changeset_conflict(
        handle: *mut sqlite3_changeset_iter, column: c_int, out: *mut *mut sqlite3_value,
    ) -> c_int {
        value_of(handle, column, out, |changes, column| changes.conflict_value(column).map(Some))
    }

    fn sqlite3changeset_fk_conflicts(handle: *mut sqlite3_changeset_iter, out: *mut c_int) -> c_int {
        let (Some(handle), Some(out)) = (handle.as_ref(), out.as_mut()) else { return code::MISUSE };
        if handle.changes().last_table().is_none() {
            *out = 0;
            return code::OK;
        }
        match handle.changes().foreign_key_conflicts() {
            Ok(count) => {
                *out = c_int::try_from(count).unwrap_or(c_int::MAX);
                code::OK
            }
            Err(error) => error.code,
        }
    }

    fn sqlite3changeset_finalize(handle: *mut sqlite3_changeset_iter) -> c_int {
        let Some(iterator) = handle.as_ref() else { return code::OK };
        let Some(own) = &iterator.own else { return code::MISUSE };
        let answer = own.error().map_or(code::OK, |error| error.code);
        drop(Box::from_raw(handle));
        answer
    }

    fn sqlite3changeset_invert(
        count_in: c_int, bytes: *const c_void, count: *mut c_int, out: *mut *mut c_void,
    ) -> c_int {
        to_buffer(count, out, |push| invert(whole(count_in, bytes)?, push))
    }

    fn sqlite3changeset_invert_strm(
        read: Option<XInput>, read_arg: *mut c_void, write: Option<XOutput>, arg: *mut c_void,
    ) -> c_int {
        to_stream(write, arg, |push| invert(stream(read, read_arg)?, push))
    }
}
