//! A table of a module in C, as an implementation of the engine's trait.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::Arc;

use lithe_engine::OnConflict;
use lithe_engine::function::{Function, FunctionError};
use lithe_engine::virtual_table::{
    Change, IndexInfo, Overloaded, Result, SqlConnection, VirtualCursor, VirtualTable, constraint,
};

use super::cursor::CCursor;
use super::{ModuleData, SavepointFn, TableFn, failure, sqlite3_vtab};
use crate::code;
use crate::function::{self, Frame};
use crate::index_info::Asked;
use crate::memory;
use crate::text::c_string;

/// A table of a module in C.
pub(super) struct CTable {
    /// Null after it was destroyed.
    pub(super) vtab: Cell<*mut sqlite3_vtab>,
    pub(super) module: Arc<ModuleData>,
    pub(super) supports_constraints: bool,
}

// SAFETY: as for modules.
unsafe impl Send for CTable {}

impl CTable {
    /// Calls a method without further arguments; a missing method counts as successful.
    fn call(&self, method: Option<TableFn>) -> Result {
        self.finish(|vtab| {
            // SAFETY: the application's function, called as documented.
            method.map_or(code::OK, |method| unsafe { method(vtab) })
        })
    }

    fn call_savepoint(&self, method: Option<SavepointFn>, savepoint: i32) -> Result {
        let method = method.filter(|_| self.module.has_version(2));
        self.finish(|vtab| {
            // SAFETY: the application's function, called as documented.
            method.map_or(code::OK, |method| unsafe { method(vtab, savepoint) })
        })
    }

    fn finish(&self, call: impl FnOnce(*mut sqlite3_vtab) -> c_int) -> Result {
        let vtab = self.vtab.get();
        if vtab.is_null() {
            return Ok(());
        }
        match call(vtab) {
            code::OK => Ok(()),
            // SAFETY: the table exists.
            code => Err(unsafe { failure(vtab, code) }),
        }
    }
}

impl Drop for CTable {
    fn drop(&mut self) {
        // An unread message of a failure is freed, too.
        let _ = self.finish(|vtab| {
            // SAFETY: the message is not used any more.
            drop(unsafe { failure(vtab, code::OK) });
            code::OK
        });
        let vtab = self.vtab.replace(null_mut());
        if let Some(disconnect) = self.module.methods().disconnect.filter(|_| !vtab.is_null()) {
            // SAFETY: the application's function, called as documented; the table is not used any more.
            unsafe { disconnect(vtab) };
        }
    }
}

impl VirtualTable for CTable {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let (vtab, Some(best_index)) = (self.vtab.get(), self.module.methods().best_index) else {
            return Err(FunctionError::of_code(code::ERROR));
        };
        let mut asked = Asked::new(info);
        // SAFETY: the application's function, called as documented.
        match unsafe { best_index(vtab, asked.pointer()) } {
            code::OK => {
                asked.answer(info);
                Ok(true)
            }
            code if code & 0xff == code::CONSTRAINT => {
                asked.forget();
                // SAFETY: the table exists; the message is not used.
                drop(unsafe { failure(vtab, code) });
                Ok(false)
            }
            code => {
                asked.forget();
                // SAFETY: the table exists.
                Err(unsafe { failure(vtab, code) })
            }
        }
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        let (vtab, mut cursor) = (self.vtab.get(), null_mut());
        // SAFETY: the application's function, called as documented.
        let code = self.module.methods().open.map_or(code::ERROR, |open| unsafe { open(vtab, &mut cursor) });
        if code != code::OK || cursor.is_null() {
            let code = if code == code::OK { code::ERROR } else { code };
            // SAFETY: the table exists.
            return Err(unsafe { failure(vtab, code) });
        }
        // SAFETY: the application allocates the cursor; this library sets this member.
        unsafe { (*cursor).vtab = vtab };
        Ok(Box::new(CCursor { cursor, module: Arc::clone(&self.module), frame: Frame::default() }))
    }

    fn is_writable(&self) -> bool {
        self.module.methods().update.is_some()
    }

    fn supports_constraints(&self) -> bool {
        self.supports_constraints
    }

    fn update(&self, _: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let Some(update) = self.module.methods().update else { return Err(FunctionError::of_code(code::READONLY)) };
        let policy = match change.policy {
            OnConflict::Rollback => 1,
            OnConflict::Ignore => 2,
            OnConflict::Fail => 3,
            OnConflict::Abort => 4,
            OnConflict::Replace => 5,
        };
        let values = &change.values;
        let mut rowid = 0;
        self.finish(|vtab| {
            let mut frame = Frame::default();
            // SAFETY: the values are valid during the call; the connection outlives its tables; the application's
            // function is called as documented.
            unsafe {
                frame.fill(self.module.db, values.attributes, values.values, u32::MAX);
                for (at, value) in frame.values.iter_mut().enumerate() {
                    value.is_unchanged = values.is_unchanged(at);
                }
                let state = &(*self.module.db).virtual_tables;
                state.policies.borrow_mut().push(policy);
                let code = update(vtab, values.values.len() as c_int, frame.pointers.as_mut_ptr(), &mut rowid);
                state.policies.borrow_mut().pop();
                code
            }
        })?;
        Ok(Some(rowid))
    }

    fn begin(&self, _: &dyn SqlConnection) -> Result {
        self.call(self.module.methods().begin)
    }

    fn sync(&self, _: &dyn SqlConnection) -> Result {
        self.call(self.module.methods().sync)
    }

    fn commit(&self, _: &dyn SqlConnection) {
        let _ = self.call(self.module.methods().commit);
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        let _ = self.call(self.module.methods().rollback);
    }

    fn savepoint(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.call_savepoint(self.module.methods().savepoint, savepoint)
    }

    fn release(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.call_savepoint(self.module.methods().release, savepoint)
    }

    fn rollback_to(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.call_savepoint(self.module.methods().rollback_to, savepoint)
    }

    fn rename(&self, _: &dyn SqlConnection, name: &str) -> Result {
        let Some(rename) = self.module.methods().rename else {
            return Err(FunctionError::new("virtual tables may not be altered"));
        };
        let name = c_string(name.as_bytes());
        // SAFETY: the application's function, called as documented.
        self.finish(|vtab| unsafe { rename(vtab, name.as_ptr()) })
    }

    fn destroy(&self, _: &dyn SqlConnection) -> Result {
        let methods = self.module.methods();
        self.call(methods.destroy.or(methods.disconnect))?;
        self.vtab.set(null_mut());
        Ok(())
    }

    fn find_function(&self, name: &str, arguments: usize) -> Option<Overloaded> {
        let find_function = self.module.methods().find_function?;
        let (mut call, mut user_data) = (None, null_mut());
        let count = c_int::try_from(arguments).ok()?;
        // SAFETY: the application's function, called as documented.
        let found = unsafe {
            let name = c_string(name.as_bytes());
            find_function(self.vtab.get(), count, name.as_ptr(), &mut call, &mut user_data)
        };
        let call = call.filter(|_| found != 0)?;
        let function: Arc<Function> = Arc::new(function::overloaded(self.module.db, name, count, call, user_data));
        let op = u8::try_from(found).ok().filter(|op| *op >= constraint::FUNCTION);
        Some(Overloaded { function, op })
    }

    fn integrity(&self, _: &dyn SqlConnection, database: &str, table: &str, is_quick: bool) -> Result<Option<String>> {
        let Some(integrity) = self.module.methods().integrity.filter(|_| self.module.has_version(4)) else {
            return Ok(None);
        };
        let (database, table) = (c_string(database.as_bytes()), c_string(table.as_bytes()));
        let mut message = null_mut();
        // SAFETY: the application's function, called as documented.
        let called = self.finish(|vtab| unsafe {
            integrity(vtab, database.as_ptr(), table.as_ptr(), is_quick.into(), &mut message)
        });
        // SAFETY: the method has stored the message.
        let message = unsafe { memory::take_text(message) };
        called.map(|()| message)
    }
}
