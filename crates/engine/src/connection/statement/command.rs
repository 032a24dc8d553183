//! A statement that the engine runs itself, without a program, and one run of such a statement.

use std::fmt;
use std::sync::Arc;

use lithe_value::{Value, ValueRef};
use lithe_vfs::ResultCode;
use lithe_vm::Program;
use lithe_vm::result_columns::ResultColumns;

use super::Step;
use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::error::{Error, Result};

/// A row that the engine has made.
pub(crate) type CommandRow = Vec<Value>;

/// A compiled statement that the engine runs itself. Its implementations are in `crate::command`.
pub(crate) trait Command: fmt::Debug + Send + Sync {
    /// The columns of the rows.
    fn columns(&self) -> &ResultColumns;

    /// What `sqlite3_stmt_readonly` returns.
    fn is_read_only(&self) -> bool;

    /// The program that an EXPLAIN shows.
    fn explained(&self) -> Option<&Program> {
        None
    }

    /// Whether the command, when a database is locked, goes on by another step.
    fn waits(&self, connection: &Connection) -> bool;

    /// Whether the command is compiled again when the schema has changed.
    fn uses_schema(&self) -> bool;

    /// Whether SQLite reads tables between the rows, so that a change of the schema that is rolled back ends the run.
    fn reads_between_rows(&self) -> bool;

    /// How many instructions SQLite's program has beside those of its rows.
    fn instructions(&self) -> u32;

    /// Runs the command and returns all rows.
    fn run(&self, connection: &Connection, run: &StatementRun, bindings: &[Value]) -> Result<Vec<CommandRow>>;
}

/// One run of a command: its rows, and how many of them were returned.
#[derive(Debug)]
pub(crate) struct CommandRun {
    command: Arc<dyn Command>,
    bindings: Vec<Value>,
    rows: Option<Vec<CommandRow>>,
    /// The number of rows returned so far.
    given: usize,
    /// A ROLLBACK has ended what the run reads.
    is_tripped: bool,
}

impl CommandRun {
    pub(crate) fn new(command: Arc<dyn Command>, parameter_count: usize) -> CommandRun {
        CommandRun { command, bindings: vec![Value::NULL; parameter_count], rows: None, given: 0, is_tripped: false }
    }

    /// A ROLLBACK has undone a change of the schema.
    pub(crate) fn trip(&mut self) {
        self.is_tripped = self.rows.is_some() && self.command.reads_between_rows();
    }

    /// The program that an EXPLAIN shows.
    pub(crate) fn explained(&self) -> Option<&Program> {
        self.command.explained()
    }

    /// Whether the command, when a database is locked, goes on by another step.
    pub(crate) fn waits(&self, connection: &Connection) -> bool {
        self.command.waits(connection)
    }

    pub(crate) fn bind(&mut self, number: usize, value: Value) {
        assert!((1..=self.bindings.len()).contains(&number), "a value is bound to a parameter that there is none of");
        self.bindings[number - 1] = value;
    }

    pub(crate) fn bound(&self, number: usize) -> ValueRef<'_> {
        let value = number.checked_sub(1).and_then(|index| self.bindings.get(index));
        value.map_or(ValueRef::Null, Value::as_ref)
    }

    pub(crate) fn clear_bindings(&mut self) {
        self.bindings.fill(Value::NULL);
    }

    pub(crate) fn take_bindings(&mut self, from: &mut CommandRun) {
        assert!(self.bindings.len() == from.bindings.len(), "statements of one text have as many parameters");
        std::mem::swap(&mut self.bindings, &mut from.bindings);
    }

    pub(crate) fn step(&mut self, connection: &Connection, run: &StatementRun) -> Result<Step> {
        if std::mem::take(&mut self.is_tripped) {
            return Err(Error::from_code(ResultCode::ABORT_ROLLBACK));
        }
        let has_given_all = self.rows.as_ref().is_none_or(|rows| self.given == rows.len());
        if self.rows.is_none() || (has_given_all && run.vacuumed.get().is_some()) {
            let instructions = self.command.instructions();
            connection.hooks.count_instructions(instructions)?;
            let rows = self.command.run(connection, run, &self.bindings)?;
            if instructions > 0 {
                let of_rows = rows.len().saturating_mul(1 + self.column_count());
                connection.hooks.count_instructions(u32::try_from(of_rows).unwrap_or(u32::MAX))?;
            }
            debug_assert!(rows.iter().all(|row| row.len() == self.column_count()), "a row has a value for each column");
            self.rows = Some(rows);
            self.given = 0;
        }
        let count = self.rows.as_ref().map_or(0, Vec::len);
        assert!(self.given <= count, "more rows are given out than there are");
        if self.given == count {
            return run.late_error.borrow_mut().take().map_or(Ok(Step::Done), Err);
        }
        self.given += 1;
        if !self.command.is_read_only() {
            // As in SQLite, a statement that may write and stands on a row keeps the changes of others from being committed, whatever it
            // does itself: PRAGMA journal_mode, EXPLAIN of an INSERT.
            connection.note_writer(run);
        }
        Ok(Step::Row)
    }

    pub(crate) fn reset(&mut self) {
        self.rows = None;
        self.given = 0;
        self.is_tripped = false;
    }

    /// How many columns its rows have.
    pub(crate) fn column_count(&self) -> usize {
        self.command.columns().len()
    }

    pub(crate) fn column(&self, index: usize) -> ValueRef<'_> {
        let row = self.rows.as_ref().and_then(|rows| rows.get(self.given.wrapping_sub(1)));
        row.and_then(|row| row.get(index)).map_or(ValueRef::Null, Value::as_ref)
    }
}
