//! A cursor on a virtual table.

use std::rc::Rc;

use lithe_functions::{FunctionError, SqlConnection};
use lithe_value::Numeric;
use lithe_vfs::ResultCode;

use crate::error::Error;
use crate::virtual_table::{ColumnContext, CompiledScan, Scan, Values, VirtualCursor, VirtualTable};

type ModuleResult = lithe_vtab::Result;

/// One scan. The cursor is declared before its table, so that it is dropped first.
pub struct ScanCursor {
    /// The module's cursor.
    cursor: Box<dyn VirtualCursor>,
    is_null: bool,
    columns_read: u64,
    table: Rc<dyn VirtualTable>,
}

impl ScanCursor {
    /// A cursor on `table`, not on any row yet.
    pub fn open(table: Rc<dyn VirtualTable>) -> Result<ScanCursor, Error> {
        let cursor = table.open().map_err(failed)?;
        Ok(ScanCursor { cursor, is_null: false, columns_read: u64::MAX, table })
    }

    /// Whether it is a cursor on `table`.
    pub fn is_on(&self, table: &Rc<dyn VirtualTable>) -> bool {
        Rc::ptr_eq(&self.table, table)
    }

    /// Goes to the next row; false if there is none.
    pub fn next(&mut self, connection: &dyn SqlConnection) -> Result<bool, Error> {
        self.is_null = false;
        let scan = Scan { connection, table: &*self.table, columns_read: self.columns_read };
        self.cursor.next(&scan).map_err(failed)?;
        Ok(!self.cursor.eof())
    }

    /// Goes to the next row if the module's cursor has that row in memory.
    #[inline]
    pub fn next_in_memory(&mut self) -> bool {
        let has_moved = self.cursor.next_in_memory();
        self.is_null &= !has_moved;
        has_moved
    }

    /// Passes over rows that the module's cursor has in memory; how many.
    pub fn pass_in_memory(&mut self) -> usize {
        self.cursor.pass_in_memory()
    }

    /// Begins the scan as `compiled` says.
    pub fn filter(
        &mut self,
        connection: &dyn SqlConnection,
        compiled: &CompiledScan,
        arguments: &Values<'_>,
    ) -> ModuleResult {
        self.columns_read = compiled.columns_read;
        let scan = Scan { connection, table: &*self.table, columns_read: self.columns_read };
        self.cursor.filter(&scan, &compiled.plan, arguments)
    }

    /// Whether the scan has ended.
    pub fn eof(&self) -> bool {
        self.cursor.eof()
    }

    /// A column of the row, if the module's cursor has it in memory as a number.
    #[inline]
    pub fn number_in_memory(&self, column: usize) -> Option<Numeric> {
        self.cursor.number_in_memory(column)
    }

    /// A column of the row.
    pub fn column(
        &mut self,
        connection: &dyn SqlConnection,
        context: &mut ColumnContext<'_, '_>,
        column: usize,
    ) -> ModuleResult {
        debug_assert!(!self.is_null, "the columns of a row of NULLs are not asked for");
        let scan = Scan { connection, table: &*self.table, columns_read: self.columns_read };
        self.cursor.column(&scan, context, column)
    }

    /// Marks the start of a scan: the cursor is no longer on a null row.
    pub fn begin(&mut self) {
        self.is_null = false;
    }

    /// The rowid of the row; none on a null row.
    pub fn rowid(&mut self) -> Result<Option<i64>, Error> {
        if self.is_null { Ok(None) } else { self.cursor.rowid().map(Some).map_err(failed) }
    }

    /// Every column is NULL until the next move.
    pub fn set_null_row(&mut self) {
        self.is_null = true;
    }

    /// Whether every column is NULL.
    pub fn is_null_row(&self) -> bool {
        self.is_null
    }
}

/// The error of a module. Without a message, it has the text of its code.
#[cold]
pub fn failed(error: FunctionError) -> Error {
    let code = ResultCode(error.code);
    if error.message.is_empty() { Error::from_code(code) } else { Error::new(code, error.into_message()) }
}
