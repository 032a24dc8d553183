//! A cursor of a module in C, as an implementation of the engine's trait.

use std::ffi::c_int;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use lithe_engine::function::FunctionError;
use lithe_engine::virtual_table::{ColumnContext, Result, Scan, ScanPlan, Values, VirtualCursor};

use super::{ModuleData, failure, sqlite3_vtab_cursor};
use crate::code;
use crate::context::sqlite3_context;
use crate::function::Frame;

/// A cursor of a module in C.
pub(super) struct CCursor {
    pub(super) cursor: *mut sqlite3_vtab_cursor,
    pub(super) module: Arc<ModuleData>,
    /// The arguments of the scan, which the application may read until the scan ends.
    pub(super) frame: Frame,
}

impl CCursor {
    fn finish(&self, code: c_int) -> Result {
        match code {
            code::OK => Ok(()),
            // SAFETY: the cursor and its table exist.
            code => Err(unsafe { failure((*self.cursor).vtab, code) }),
        }
    }
}

impl Drop for CCursor {
    fn drop(&mut self) {
        if let Some(close) = self.module.methods().close {
            // SAFETY: the application's function, called as documented; the cursor is not used any more.
            unsafe { close(self.cursor) };
        }
    }
}

impl VirtualCursor for CCursor {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let Some(filter) = self.module.methods().filter else { return Err(FunctionError::of_code(code::ERROR)) };
        let text = crate::index_info::text_of(plan);
        // SAFETY: the arguments are valid during the call; the application's function is called as documented.
        let code = unsafe {
            self.frame.fill(self.module.db, arguments.attributes, arguments.values, u32::MAX);
            for (at, value) in self.frame.values.iter_mut().enumerate() {
                value.set_list(arguments.list(at));
            }
            let count = arguments.values.len() as c_int;
            filter(self.cursor, plan.number, text, count, self.frame.pointers.as_mut_ptr())
        };
        self.finish(code)
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        // SAFETY: the application's function, called as documented.
        let code = self.module.methods().next.map_or(code::ERROR, |next| unsafe { next(self.cursor) });
        self.finish(code)
    }

    fn eof(&self) -> bool {
        // SAFETY: the application's function, called as documented.
        self.module.methods().eof.is_none_or(|eof| unsafe { eof(self.cursor) } != 0)
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(method) = self.module.methods().column else { return Err(FunctionError::of_code(code::ERROR)) };
        let mut call = sqlite3_context::new(self.module.db, null(), Some(answer.context), null_mut());
        call.is_unchanged = answer.is_unchanged;
        // SAFETY: the application's function, called as documented.
        let code = unsafe { method(self.cursor, &mut call, column as c_int) };
        answer.leaves_out = answer.is_unchanged && !call.is_answered;
        if code != code::OK {
            call.fail_code(code);
        }
        let failure = call.finish(answer.context);
        match (code, failure) {
            (code::OK, finished) => finished,
            // An error of the table takes precedence over one of the call.
            (code, Err(error)) => Err(match self.finish(code) {
                Err(own) if !own.message.is_empty() => own,
                _ => error,
            }),
            (code, Ok(())) => self.finish(code),
        }
    }

    fn rowid(&mut self) -> Result<i64> {
        let mut rowid = 0;
        // SAFETY: the application's function, called as documented.
        let code = self.module.methods().rowid.map_or(code::ERROR, |method| unsafe { method(self.cursor, &mut rowid) });
        self.finish(code).map(|()| rowid)
    }
}
