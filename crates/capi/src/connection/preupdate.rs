//! The pre-update hook, and its functions that read the row that is about to change.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::rc::Rc;

use lithe_engine::function::FunctionError;
use lithe_engine::value::ValueRef;
use lithe_engine::{PreUpdateHook, RowChange};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::text::c_string;
use crate::value::sqlite3_value;

type PreUpdateFn = unsafe extern "C" fn(*mut c_void, *mut sqlite3, c_int, *const c_char, *const c_char, i64, i64);

/// The hook of a connection.
#[derive(Default)]
pub(crate) struct PreUpdate {
    /// The application's pointer: setting a hook returns the former one.
    arg: Cell<*mut c_void>,
    /// The change for which the hook is being called.
    change: Cell<Option<NonNull<RowChange<'static>>>>,
    /// Values that were returned, kept until the hook returns.
    #[allow(clippy::vec_box)] // their addresses are given out
    values: RefCell<Vec<Box<sqlite3_value>>>,
}

impl PreUpdate {
    /// Calls `hook`, during which `change` can be read. A hook that changes rows is called recursively.
    pub(crate) fn during(&self, change: &RowChange<'_>, hook: impl FnOnce()) {
        let address = NonNull::from(change).cast::<RowChange<'static>>();
        let outer = self.change.replace(Some(address));
        let values = self.values.take();
        hook();
        self.change.set(outer);
        self.values.replace(values);
    }

    fn change(&self) -> Option<&RowChange<'_>> {
        // SAFETY: the change is valid until the hook has returned, which clears the pointer (`during`), and the
        // reference that is returned here is not kept beyond a call of the interface.
        self.change.get().map(|change| unsafe { change.as_ref() })
    }
}

/// Writes the address of one of the change's values to `out`.
///
/// # Safety
/// `db` is a handle or null, and `out` can be written.
unsafe fn value_of(
    db: *mut sqlite3,
    column: c_int,
    out: *mut *mut sqlite3_value,
    read: impl for<'c> Fn(&RowChange<'c>, usize) -> Result<ValueRef<'c>, FunctionError>,
) -> c_int {
    // SAFETY: our caller's promise.
    let db = match unsafe { live(db) } {
        Ok(db) => db,
        Err(code) => return code,
    };
    let hooks = &db.hooks.preupdate;
    let Some(change) = hooks.change() else { return db.fail_code(code::MISUSE) };
    // A negative column is out of range, provided that the operation has such a row at all.
    let value = match usize::try_from(column) {
        Ok(column) => read(change, column),
        Err(_) => read(change, 0).and(Err(FunctionError::of_code(code::RANGE))),
    };
    match value {
        Ok(value) => {
            let mut given = Box::<sqlite3_value>::default();
            // SAFETY: the value is dropped when the hook returns, and the change is valid until then.
            unsafe { given.borrow_stored(value, db.core().encoding()) };
            // SAFETY: our caller's promise.
            unsafe { *out = std::ptr::from_mut(&mut *given) };
            hooks.values.borrow_mut().push(given);
            db.ok()
        }
        Err(error) => db.fail_code(error.code),
    }
}

api! {
    fn sqlite3_preupdate_hook(handle: *mut sqlite3, hook: Option<PreUpdateFn>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(handle) else { return null_mut() };
        db.core().set_preupdate_hook(hook.map(|hook| -> PreUpdateHook {
            Rc::new(move |change: &RowChange<'_>| {
                let (database, table) = (c_string(change.database.as_bytes()), c_string(change.table.as_bytes()));
                let operation = change.operation as c_int;
                // SAFETY: the hook is dropped with the connection, whose handle this is.
                let hooks = unsafe { &(*handle).hooks.preupdate };
                hooks.during(change, || {
                    let (database, table) = (database.as_ptr(), table.as_ptr());
                    // SAFETY: the application's function, called as documented.
                    unsafe { hook(arg, handle, operation, database, table, change.old_rowid, change.new_rowid) };
                });
            })
        }));
        db.hooks.preupdate.arg.replace(arg)
    }

    fn sqlite3_preupdate_old(db: *mut sqlite3, column: c_int, value: *mut *mut sqlite3_value) -> c_int {
        value_of(db, column, value, |change, column| change.old_value(column))
    }

    fn sqlite3_preupdate_new(db: *mut sqlite3, column: c_int, value: *mut *mut sqlite3_value) -> c_int {
        value_of(db, column, value, |change, column| change.new_value(column))
    }

    fn sqlite3_preupdate_count(db: *mut sqlite3) -> c_int {
        let Ok(db) = live(db) else { return 0 };
        db.hooks.preupdate.change().map_or(0, |change| change.column_count as c_int)
    }

    fn sqlite3_preupdate_depth(db: *mut sqlite3) -> c_int {
        let Ok(db) = live(db) else { return 0 };
        db.hooks.preupdate.change().map_or(0, |change| change.depth as c_int)
    }

    fn sqlite3_preupdate_blobwrite(db: *mut sqlite3) -> c_int {
        let Ok(db) = live(db) else { return -1 };
        let column = db.hooks.preupdate.change().and_then(|change| change.blob_column);
        column.map_or(-1, |column| column as c_int)
    }
}
