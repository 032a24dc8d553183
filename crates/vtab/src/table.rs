//! Virtual tables and their cursors.

use std::any::Any;
use std::sync::Arc;

use lithe_functions::error::code;
use lithe_functions::{Function, FunctionError, SqlConnection};
use lithe_value::Numeric;

use crate::Result;
use crate::change::{Change, ColumnContext, Values};
use crate::plan::{IndexInfo, ScanPlan};

/// A virtual table of a connection. The connection disconnects the table by dropping it.
pub trait VirtualTable: Any + Send {
    /// Chooses the plan of a scan with these constraints, and estimates its cost. `false`: such a scan is not possible.
    ///
    /// # Errors
    /// Ends the compilation of the statement.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool>;

    /// Whether `best_index` and `find_function` always have the same result for the same arguments, so that a compiled statement
    /// can be reused when its text is prepared again.
    fn has_reusable_plans(&self) -> bool {
        false
    }

    /// A cursor before its first scan.
    ///
    /// # Errors
    /// Ends the statement.
    fn open(&self) -> Result<Box<dyn VirtualCursor>>;

    /// Whether rows can be inserted, updated and deleted: only then is [`VirtualTable::update`] called.
    fn is_writable(&self) -> bool {
        false
    }

    /// Whether a change that fails with SQLITE_CONSTRAINT has changed nothing, so that the engine can apply the ON CONFLICT
    /// policy.
    fn supports_constraints(&self) -> bool {
        false
    }

    /// Inserts, updates or deletes a row; returns the rowid of an inserted row.
    ///
    /// # Errors
    /// Undoes the statement, or applies the conflict policy if the code is SQLITE_CONSTRAINT.
    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let _ = (connection, change);
        Err(FunctionError::new("the virtual table is read-only"))
    }

    /// Called before the first change of the table in a transaction.
    ///
    /// # Errors
    /// Ends the statement.
    fn begin(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// Called as the first phase of a commit, which can still fail.
    ///
    /// # Errors
    /// Rolls the transaction back.
    fn sync(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// Called after the transaction was committed.
    fn commit(&self, connection: &dyn SqlConnection) {
        let _ = connection;
    }

    /// Called after the transaction was rolled back.
    fn rollback(&self, connection: &dyn SqlConnection) {
        let _ = connection;
    }

    /// Called after savepoint number `savepoint` was opened; numbers start at 0.
    ///
    /// # Errors
    /// Ends the statement.
    fn savepoint(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// Called after this savepoint and the later ones were released; their changes stay.
    ///
    /// # Errors
    /// Ends the statement.
    fn release(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// Undoes the changes since this savepoint was opened, or since the transaction began if the number is -1.
    ///
    /// # Errors
    /// Ends the statement.
    fn rollback_to(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// ALTER TABLE RENAME: renames what the table stores.
    ///
    /// # Errors
    /// Undoes the statement.
    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        let _ = (connection, name);
        Ok(())
    }

    /// DROP TABLE: drops everything that the table stores.
    ///
    /// # Errors
    /// The table is not dropped.
    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// The overloaded function for calls whose first argument (the second one for `LIKE` and similar operators) is a column of
    /// this table.
    fn find_function(&self, name: &str, arguments: usize) -> Option<Overloaded> {
        let _ = (name, arguments);
        None
    }

    /// Checks what the table stores (PRAGMA integrity_check); returns a message if there is an error.
    ///
    /// # Errors
    /// Ends the check.
    fn integrity(
        &self,
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        is_quick: bool,
    ) -> Result<Option<String>> {
        let _ = (connection, database, table, is_quick);
        Ok(None)
    }
}

/// A function that a virtual table overloads.
pub struct Overloaded {
    /// The function.
    pub function: Arc<Function>,
    /// The kind of constraint that a call of the function is in [`VirtualTable::best_index`], if any: at least 150.
    pub op: Option<u8>,
}

/// The table and the connection that a cursor may use during a call.
#[derive(Clone, Copy)]
pub struct Scan<'s> {
    /// The connection.
    pub connection: &'s dyn SqlConnection,
    /// The table that opened the cursor.
    pub table: &'s dyn VirtualTable,
    /// The columns that the statement asks the cursor for, one bit each; the highest bit stands for all from the 64th on. (Unlike
    /// [`crate::IndexInfo::columns_used`], without columns that are only the left side of a constraint which the table enforces.)
    pub columns_read: u64,
}

impl<'s> Scan<'s> {
    /// The table as its own type.
    ///
    /// # Errors
    /// SQLITE_INTERNAL if it has another type.
    pub fn table<T: VirtualTable>(&self) -> Result<&'s T> {
        let table: &'s dyn Any = self.table;
        table.downcast_ref().ok_or_else(|| FunctionError::of_code(code::INTERNAL))
    }
}

/// One scan of a virtual table.
pub trait VirtualCursor {
    /// Begins a scan, and moves to its first row.
    ///
    /// # Errors
    /// Ends the statement.
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result;

    /// Moves to the next row.
    ///
    /// # Errors
    /// Ends the statement.
    fn next(&mut self, scan: &Scan<'_>) -> Result;

    /// Moves to the next row if the cursor already has that row in memory, so that the connection is not needed. `false`: the
    /// cursor has not moved, and [`VirtualCursor::next`] must be called.
    fn next_in_memory(&mut self) -> bool {
        false
    }

    /// Moves as often as [`VirtualCursor::next_in_memory`] can, about a thousand times at most, where rows are only counted; returns how often.
    fn pass_in_memory(&mut self) -> usize {
        (0..1000).take_while(|_| self.next_in_memory()).count()
    }

    /// Whether there is no current row, because the scan has ended.
    fn eof(&self) -> bool;

    /// A column of the row, if the cursor has it in memory as a number that is not a NaN, so that the connection is not needed. `None`:
    /// [`VirtualCursor::column`] must be called.
    fn number_in_memory(&self, column: usize) -> Option<Numeric> {
        let _ = column;
        None
    }

    /// Writes a column of the row to `answer.context.out`.
    ///
    /// # Errors
    /// Ends the statement.
    fn column(&mut self, scan: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result;

    /// The rowid of the row.
    ///
    /// # Errors
    /// Ends the statement.
    fn rowid(&mut self) -> Result<i64>;
}
