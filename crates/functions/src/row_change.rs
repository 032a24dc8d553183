//! A change of a row, as the pre-update hook receives it before the change: with the old and the new values.

use lithe_value::ValueRef;

use crate::error::{FunctionError, Result, code};

/// The kind of a change, with SQLite's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum RowOperation {
    /// SQLITE_DELETE
    Delete = 9,
    /// SQLITE_INSERT
    Insert = 18,
    /// SQLITE_UPDATE
    Update = 23,
}

impl RowOperation {
    /// The operation with that number.
    pub fn from_number(number: i32) -> Option<RowOperation> {
        [RowOperation::Delete, RowOperation::Insert, RowOperation::Update].into_iter().find(|op| *op as i32 == number)
    }
}

/// A change that is about to be made to a row.
#[derive(Clone, Copy, Debug)]
pub struct RowChange<'r> {
    /// The kind of the change. A write to a BLOB in place is a [`RowOperation::Delete`].
    pub operation: RowOperation,
    /// The name of the database: `main`, `temp`, or that of an attached one.
    pub database: &'r str,
    /// The name of the table.
    pub table: &'r str,
    /// The rowid before the change; of an INSERT, the new one. 0 in a WITHOUT ROWID table.
    pub old_rowid: i64,
    /// The rowid after the change; of a DELETE, the old one. 0 in a WITHOUT ROWID table.
    pub new_rowid: i64,
    /// Whether the table is WITHOUT ROWID.
    pub is_without_rowid: bool,
    /// The values before the change, in the order of the table's columns; there are none before an INSERT.
    pub old_values: Option<&'r [ValueRef<'r>]>,
    /// The values after the change; there are none after a DELETE.
    pub new_values: Option<&'r [ValueRef<'r>]>,
    /// The positions of VIRTUAL generated columns, whose values the hook does not receive.
    pub computed: &'r [u16],
    /// How many columns the table has.
    pub column_count: usize,
    /// 0 for a change by the statement itself; greater for changes by triggers and foreign-key actions.
    pub depth: usize,
    /// The column of the BLOB that is about to be written in place.
    pub blob_column: Option<usize>,
}

impl<'r> RowChange<'r> {
    /// The value of a column before the change.
    ///
    /// # Errors
    /// SQLITE_MISUSE before an INSERT; SQLITE_RANGE if there is no such column, or it is VIRTUAL.
    pub fn old_value(&self, column: usize) -> Result<ValueRef<'r>> {
        let beyond = if self.is_without_rowid { code::RANGE } else { code::MISUSE };
        self.value(self.old_values, column, beyond)
    }

    /// The value of a column after the change.
    ///
    /// # Errors
    /// SQLITE_MISUSE before a DELETE; SQLITE_RANGE if there is no such column, or it is VIRTUAL.
    pub fn new_value(&self, column: usize) -> Result<ValueRef<'r>> {
        let is_entry = self.is_without_rowid && self.operation == RowOperation::Insert;
        let beyond = if is_entry { code::RANGE } else { code::MISUSE };
        self.value(self.new_values, column, beyond)
    }

    /// `beyond` is the error code for a column after the last one, for which SQLite's code differs between operations.
    fn value(&self, values: Option<&'r [ValueRef<'r>]>, column: usize, beyond: i32) -> Result<ValueRef<'r>> {
        let values = values.ok_or(FunctionError::of_code(code::MISUSE))?;
        let is_computed = self.computed.iter().any(|computed| usize::from(*computed) == column);
        if is_computed {
            return Err(FunctionError::of_code(code::RANGE));
        }
        values.get(column).copied().ok_or(FunctionError::of_code(beyond))
    }
}
