//! A cursor on the rows of a table-valued function.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{Value, ValueRef};

use crate::host::TableRows;
use crate::register::Register;

/// The rows, and the position of the cursor.
#[derive(Debug, Default)]
pub struct RowsCursor {
    made: TableRows,
    at: usize,
    is_null: bool,
}

impl RowsCursor {
    /// A cursor on the first of these rows.
    pub fn new(made: TableRows) -> RowsCursor {
        RowsCursor { made, at: 0, is_null: false }
    }

    /// Goes to the first row; false if there is none.
    pub fn first(&mut self) -> bool {
        (self.at, self.is_null) = (0, false);
        !self.made.rows.is_empty()
    }

    /// Goes to the next row; false if there is none.
    pub fn next(&mut self) -> bool {
        self.at = (self.at + 1).min(self.made.rows.len());
        self.at < self.made.rows.len()
    }

    /// Puts a column of the row into a register.
    pub fn column(&self, column: usize, dst: &mut Register) -> Result<(), OutOfMemory> {
        let made = &self.made;
        let value = match column.checked_sub(made.hidden_at) {
            _ if self.is_null || self.at >= made.rows.len() => None,
            Some(hidden) => made.hidden.get(hidden),
            None => made.rows.get(self.at, column),
        };
        match value.map(Value::as_ref) {
            Some(value) => {
                if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
                    dst.reserve(bytes.len())?;
                }
                dst.set(value);
                dst.restore_subtype((made.subtype)(&made.rows, self.at, column))?;
            }
            None => dst.set_null(),
        }
        Ok(())
    }

    /// The rowid of the row.
    pub fn rowid(&self) -> Option<i64> {
        (!self.is_null).then_some(self.made.first_rowid + self.at as i64)
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
