//! Virtual tables and their cursors.

use std::any::Any;
use std::sync::Arc;

use lithe_functions::error::code;
use lithe_functions::{Function, FunctionError, SqlConnection};

use crate::Result;
use crate::change::{Change, ColumnContext, Values};
use crate::plan::{IndexInfo, ScanPlan};

/// A virtual table of a connection. It is dropped when the connection lets go of it.
pub trait VirtualTable: Any + Send {
    /// Says how a scan under these constraints would be made and what it would cost. `false`: it cannot be made.
    ///
    /// # Errors
    /// Ends the compilation of the statement.
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool>;

    /// Whether `best_index` and `find_function` answer the same question always the same, so that a statement that was
    /// compiled serves when its text is prepared again.
    fn plans_stand(&self) -> bool {
        false
    }

    /// A cursor, not yet on any row.
    ///
    /// # Errors
    /// Ends the statement.
    fn open(&self) -> Result<Box<dyn VirtualCursor>>;

    /// Whether rows can be inserted, updated and deleted: by [`VirtualTable::update`], which is called only if this is `true`.
    fn is_writable(&self) -> bool {
        false
    }

    /// Whether a change that fails with SQLITE_CONSTRAINT has changed nothing, so that ON CONFLICT means what it says.
    fn supports_constraints(&self) -> bool {
        false
    }

    /// Inserts, updates or deletes a row; the rowid of one that was inserted.
    ///
    /// # Errors
    /// Undoes the statement, or what the conflict policy says if the code is SQLITE_CONSTRAINT.
    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let _ = (connection, change);
        Err(FunctionError::new("the virtual table is read-only"))
    }

    /// The table is about to be changed for the first time in this transaction.
    ///
    /// # Errors
    /// Ends the statement.
    fn begin(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// The first half of a commit: it can still fail.
    ///
    /// # Errors
    /// Rolls the transaction back.
    fn sync(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// The transaction was committed.
    fn commit(&self, connection: &dyn SqlConnection) {
        let _ = connection;
    }

    /// The transaction was rolled back.
    fn rollback(&self, connection: &dyn SqlConnection) {
        let _ = connection;
    }

    /// Savepoint number `savepoint` was opened; numbers count up from 0.
    ///
    /// # Errors
    /// Ends the statement.
    fn savepoint(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// This savepoint and those above it are gone, what was changed stays.
    ///
    /// # Errors
    /// Ends the statement.
    fn release(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// What was changed since this savepoint was opened is undone; since the transaction began if the number is -1.
    ///
    /// # Errors
    /// Ends the statement.
    fn rollback_to(&self, connection: &dyn SqlConnection, savepoint: i32) -> Result {
        let _ = (connection, savepoint);
        Ok(())
    }

    /// ALTER TABLE RENAME.
    ///
    /// # Errors
    /// Undoes the statement.
    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        let _ = (connection, name);
        Ok(())
    }

    /// DROP TABLE: what the table stores goes, too.
    ///
    /// # Errors
    /// The table stays.
    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        let _ = connection;
        Ok(())
    }

    /// What a function means when a column of this table is its first argument (or the second one of `LIKE` and the like).
    fn find_function(&self, name: &str, arguments: usize) -> Option<Overloaded> {
        let _ = (name, arguments);
        None
    }

    /// What is wrong with what the table stores (PRAGMA integrity_check).
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

/// A function as a virtual table has it.
pub struct Overloaded {
    /// The function.
    pub function: Arc<Function>,
    /// The constraint that a call of it is to [`VirtualTable::best_index`], if any: at least 150.
    pub op: Option<u8>,
}

/// What a cursor may use during a call: its table and the connection.
#[derive(Clone, Copy)]
pub struct Scan<'s> {
    /// The connection.
    pub connection: &'s dyn SqlConnection,
    /// The table that has opened the cursor.
    pub table: &'s dyn VirtualTable,
}

impl<'s> Scan<'s> {
    /// The table as what it is.
    ///
    /// # Errors
    /// SQLITE_INTERNAL if it is something else.
    pub fn table<T: VirtualTable>(&self) -> Result<&'s T> {
        let table: &'s dyn Any = self.table;
        table.downcast_ref().ok_or_else(|| FunctionError::of_code(code::INTERNAL))
    }
}

/// One scan of a virtual table.
pub trait VirtualCursor {
    /// Begins the scan again, on its first row.
    ///
    /// # Errors
    /// Ends the statement.
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result;

    /// Goes to the next row.
    ///
    /// # Errors
    /// Ends the statement.
    fn next(&mut self, scan: &Scan<'_>) -> Result;

    /// Goes to the next row if the cursor has that row in memory already, so that nothing of the connection is needed. False: nothing has
    /// moved, and [`VirtualCursor::next`] has to be called.
    fn next_in_memory(&mut self) -> bool {
        false
    }

    /// Whether there is no row (any more).
    fn eof(&self) -> bool;

    /// Puts a column of the row into `answer.context.out`.
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
