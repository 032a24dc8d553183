//! Groups of changesets, and rebasing: `sqlite3changegroup_*`, `sqlite3changeset_concat`, `sqlite3rebaser_*`.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use lithe_session::{ChangeGroup, Format, Input, Rebaser, Result, RowOperation, SqlConnection, ValueRef};

use super::iterator::sqlite3_changeset_iter;
use super::{Error, XInput, XOutput, code_of, error, stream, to_buffer, to_stream, whole};
use crate::code;
use crate::connection::{self, Locked, sqlite3};
use crate::ffi_guard::api;
use crate::{memory, text};

/// `SQLITE_CHANGEGROUP_CONFIG_PATCHSET`
const CONFIG_PATCHSET: c_int = 1;

/// A group.
#[allow(non_camel_case_types)]
pub struct sqlite3_changegroup {
    inner: ChangeGroup,
    /// The connection of `sqlite3changegroup_schema`, or null.
    db: *mut sqlite3,
}

/// A rebaser's configuration.
#[allow(non_camel_case_types)]
pub struct sqlite3_rebaser {
    inner: Rebaser,
}

/// Runs `f` on a group, with the connection of its schema.
///
/// # Safety
/// `handle` is a live group or null.
unsafe fn with_group(
    handle: *mut sqlite3_changegroup,
    f: impl FnOnce(&mut ChangeGroup, Option<&dyn SqlConnection>) -> Result,
) -> Result {
    // SAFETY: our caller's promise; the connection lives as long as the group is added to.
    let (group, db): (_, Option<Locked<'_>>) = unsafe {
        let group = handle.as_mut().ok_or(error(code::MISUSE))?;
        let db = group.db.as_ref().map(|db| connection::of_object(db));
        (group, db)
    };
    let core = db.as_ref().map(|db| db.core() as &dyn SqlConnection);
    f(&mut group.inner, core)
}

fn concat(
    one: std::result::Result<Input<'_>, Error>,
    other: std::result::Result<Input<'_>, Error>,
) -> Result<ChangeGroup> {
    let mut group = ChangeGroup::new();
    group.add(None, one?)?;
    group.add(None, other?)?;
    Ok(group)
}

/// Stores the message of an error where the application wants it.
///
/// # Safety
/// `message` can be written, or is null.
unsafe fn told(result: Result, message: *mut *mut c_char) -> c_int {
    // SAFETY: our caller's promise.
    if let Some(message) = unsafe { message.as_mut() } {
        *message = match &result {
            Err(error) if !error.message.is_empty() => memory::copy_text(error.message.as_bytes()),
            _ => null_mut(),
        };
    }
    code_of(result)
}

/// Gives a column of the open change a value.
///
/// # Safety
/// `handle` is a live group or null.
unsafe fn set(handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int, value: ValueRef<'_>) -> c_int {
    let column = usize::try_from(column).unwrap_or(usize::MAX);
    // SAFETY: our caller's promise.
    code_of(unsafe { with_group(handle, |group, _| group.set_value(is_new != 0, column, value)) })
}

api! {
    fn sqlite3changegroup_new(out: *mut *mut sqlite3_changegroup) -> c_int {
        let Some(out) = out.as_mut() else { return code::MISUSE };
        *out = Box::into_raw(Box::new(sqlite3_changegroup { inner: ChangeGroup::new(), db: null_mut() }));
        code::OK
    }

    fn sqlite3changegroup_delete(handle: *mut sqlite3_changegroup) {
        if !handle.is_null() {
            drop(Box::from_raw(handle));
        }
    }

    fn sqlite3changegroup_schema(
        handle: *mut sqlite3_changegroup, db: *mut sqlite3, database: *const c_char,
    ) -> c_int {
        let Some(group) = handle.as_mut() else { return code::MISUSE };
        // As in SQLite, the connection is only stored, and not locked: a caller that holds a lock of its own could wait
        // here for a thread that waits for that lock.
        if !db.as_ref().is_some_and(|db| db.is_open() && !db.is_zombie()) {
            return code::MISUSE;
        }
        let database = text::name(database).unwrap_or_else(|| "main".to_owned());
        let answer = code_of(group.inner.set_schema(&database));
        if answer == code::OK {
            group.db = db;
        }
        answer
    }

    fn sqlite3changegroup_add(handle: *mut sqlite3_changegroup, count: c_int, bytes: *mut c_void) -> c_int {
        code_of(with_group(handle, |group, db| group.add(db, whole(count, bytes)?)))
    }

    fn sqlite3changegroup_add_strm(handle: *mut sqlite3_changegroup, read: Option<XInput>, arg: *mut c_void) -> c_int {
        code_of(with_group(handle, |group, db| group.add(db, stream(read, arg)?)))
    }

    fn sqlite3changegroup_add_change(handle: *mut sqlite3_changegroup, change: *mut sqlite3_changeset_iter) -> c_int {
        let Some(change) = change.as_ref() else { return code::MISUSE };
        let changes = change.changes();
        if changes.inverts() {
            return code::ERROR;
        }
        code_of(with_group(handle, |group, db| group.add_current(db, changes)))
    }

    fn sqlite3changegroup_output(handle: *mut sqlite3_changegroup, count: *mut c_int, out: *mut *mut c_void) -> c_int {
        to_buffer(count, out, |push| with_group(handle, |group, _| group.write(push)))
    }

    fn sqlite3changegroup_output_strm(
        handle: *mut sqlite3_changegroup, write: Option<XOutput>, arg: *mut c_void,
    ) -> c_int {
        to_stream(write, arg, |push| with_group(handle, |group, _| group.write(push)))
    }

    fn sqlite3changegroup_config(handle: *mut sqlite3_changegroup, op: c_int, arg: *mut c_void) -> c_int {
        let (Some(group), Some(value)) = (handle.as_mut(), arg.cast::<c_int>().as_mut()) else { return code::MISUSE };
        if op != CONFIG_PATCHSET {
            return code::MISUSE;
        }
        if *value >= 0 {
            group.inner.set_format((*value != 0).then_some(Format::Patchset));
        }
        *value = c_int::from(group.inner.format() == Some(Format::Patchset));
        code::OK
    }

    fn sqlite3changegroup_change_begin(
        handle: *mut sqlite3_changegroup, op: c_int, table: *const c_char, indirect: c_int, message: *mut *mut c_char,
    ) -> c_int {
        let begun = with_group(handle, |group, db| {
            let operation = RowOperation::from_number(op).ok_or(error(code::ERROR))?;
            let table = text::name(table).ok_or(error(code::MISUSE))?;
            group.begin_change(db, operation, &table, indirect != 0)
        });
        told(begun, message)
    }

    fn sqlite3changegroup_change_int64(
        handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int, value: i64,
    ) -> c_int {
        set(handle, is_new, column, ValueRef::Integer(value))
    }

    fn sqlite3changegroup_change_null(handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int) -> c_int {
        set(handle, is_new, column, ValueRef::Null)
    }

    fn sqlite3changegroup_change_double(
        handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int, value: f64,
    ) -> c_int {
        set(handle, is_new, column, ValueRef::Real(value))
    }

    fn sqlite3changegroup_change_text(
        handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int, value: *const c_char, count: c_int,
    ) -> c_int {
        set(handle, is_new, column, ValueRef::Text(text::sized(value.cast(), i64::from(count))))
    }

    fn sqlite3changegroup_change_blob(
        handle: *mut sqlite3_changegroup, is_new: c_int, column: c_int, value: *const c_void, count: c_int,
    ) -> c_int {
        let count = i64::from(count.max(0));
        set(handle, is_new, column, ValueRef::Blob(if count == 0 { &[] } else { text::sized(value, count) }))
    }

    fn sqlite3changegroup_change_finish(
        handle: *mut sqlite3_changegroup, discard: c_int, message: *mut *mut c_char,
    ) -> c_int {
        told(with_group(handle, |group, _| group.finish_change(discard != 0)), message)
    }

    fn sqlite3changeset_concat(
        count_one: c_int, one: *mut c_void, count_other: c_int, other: *mut c_void, count: *mut c_int,
        out: *mut *mut c_void,
    ) -> c_int {
        to_buffer(count, out, |push| concat(whole(count_one, one), whole(count_other, other))?.write(push))
    }

    fn sqlite3changeset_concat_strm(
        read_one: Option<XInput>, one: *mut c_void, read_other: Option<XInput>, other: *mut c_void,
        write: Option<XOutput>, arg: *mut c_void,
    ) -> c_int {
        to_stream(write, arg, |push| concat(stream(read_one, one), stream(read_other, other))?.write(push))
    }

    fn sqlite3rebaser_create(out: *mut *mut sqlite3_rebaser) -> c_int {
        let Some(out) = out.as_mut() else { return code::MISUSE };
        *out = Box::into_raw(Box::new(sqlite3_rebaser { inner: Rebaser::new() }));
        code::OK
    }

    fn sqlite3rebaser_configure(handle: *mut sqlite3_rebaser, count: c_int, bytes: *const c_void) -> c_int {
        let Some(rebaser) = handle.as_mut() else { return code::MISUSE };
        code_of(whole(count, bytes).and_then(|input| rebaser.inner.configure(input)))
    }

    fn sqlite3rebaser_rebase(
        handle: *mut sqlite3_rebaser, count_in: c_int, bytes: *const c_void, count: *mut c_int, out: *mut *mut c_void,
    ) -> c_int {
        let Some(rebaser) = handle.as_ref() else { return code::MISUSE };
        to_buffer(count, out, |push| rebaser.inner.rebase(whole(count_in, bytes)?, push))
    }

    fn sqlite3rebaser_rebase_strm(
        handle: *mut sqlite3_rebaser, read: Option<XInput>, read_arg: *mut c_void, write: Option<XOutput>,
        arg: *mut c_void,
    ) -> c_int {
        let Some(rebaser) = handle.as_ref() else { return code::MISUSE };
        to_stream(write, arg, |push| rebaser.inner.rebase(stream(read, read_arg)?, push))
    }

    fn sqlite3rebaser_delete(handle: *mut sqlite3_rebaser) {
        if !handle.is_null() {
            drop(Box::from_raw(handle));
        }
    }
}
