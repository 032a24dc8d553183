//! A compiled statement and its run.

pub(crate) mod command;
mod compiled;
mod parameter_names;
mod parameters;
pub(crate) mod recompile;
mod runner;
mod sql_text;
mod step;

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use lithe_functions::Pointer;
use lithe_sql::ast::Explain;
use lithe_value::ValueRef;
use lithe_vfs::ResultCode;
use lithe_vm::operand::OnConflict;
use lithe_vm::register::Register;
use lithe_vm::result_columns::{ResultColumn, ResultColumns};
use lithe_vm::status::Counters;
use lithe_vm::vm::Vm;

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::connection::under_way::UnderWay;
use crate::error::{Error, Result};

pub(crate) use compiled::{Body, Compiled};
pub use parameter_names::{ParameterName, ParameterNames};
pub(crate) use runner::Runner;
pub use sql_text::SqlText;
pub(crate) use sql_text::text_of;

/// What a step found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A row: its values are valid until the next step.
    Row,
    /// The end.
    Done,
}

/// A value to be bound.
#[derive(Clone, Copy, Debug)]
pub enum BindValue<'v> {
    /// This value; text and blobs are copied.
    Value(ValueRef<'v>),
    /// A blob of this number of zeros.
    ZeroBlob(u64),
}

/// A statement of a connection. It holds no reference to its connection: calls that need the connection take it as an
/// argument, and it must be the one that prepared the statement. A statement is reset before it is dropped.
pub struct Statement {
    pub(crate) compiled: Arc<Compiled>,
    /// The text, where the program was compiled from its template or its bare text.
    pub(crate) own_sql: Option<SqlText>,
    /// The text as a string, if it is not valid UTF-8 and was asked for.
    replaced_sql: OnceCell<Box<str>>,
    pub(crate) runner: Runner,
    /// Set for a statement that is not compiled again when the schema has changed.
    pub(crate) is_legacy: bool,
    /// The parameter to which a BLOB of zeros is bound that exceeds the length limit, so that running fails. 0 for
    /// none.
    too_many_zeros: usize,
    /// A run has found that the schema has changed: the statement is compiled again before its next run.
    found_other_schema: bool,
    /// How often it was compiled again.
    pub(crate) reprepares: u64,
    /// How often it has got another program.
    programs: u32,
    /// A value on which the plan depends was bound since the statement was compiled.
    has_new_values: bool,
    /// The statement's part in the connection's transaction while it runs.
    run: StatementRun,
    is_running: bool,
    /// The last step came as far as the program, which was current or could be compiled again.
    has_begun: bool,
    /// The last step found that the statement had expired, and it could not be compiled again.
    is_refused: bool,
    /// The statement runs under locks on tables of shared caches.
    is_under_locks: bool,
    is_on_row: bool,
    /// A run that finds a database locked stays under way.
    can_wait: bool,
    /// The identifier that the interface above has given the statement.
    tag: usize,
}

impl Statement {
    /// A statement with this program, run by `idle` if there is such a machine.
    #[inline]
    pub(crate) fn new(compiled: Arc<Compiled>, idle: Option<Box<Vm>>) -> Statement {
        let runner = idle.map_or_else(|| Runner::new(&compiled), Runner::Program);
        Statement {
            compiled,
            own_sql: None,
            replaced_sql: OnceCell::new(),
            runner,
            is_legacy: false,
            too_many_zeros: 0,
            has_new_values: false,
            found_other_schema: false,
            reprepares: 0,
            programs: 0,
            run: StatementRun::default(),
            is_running: false,
            has_begun: false,
            is_refused: false,
            is_under_locks: false,
            is_on_row: false,
            can_wait: false,
            tag: 0,
        }
    }

    /// The same statement with another text that has the same program.
    pub(crate) fn with_text(self, sql: &[u8]) -> Result<Statement> {
        Ok(Statement { own_sql: Some(SqlText::new(sql)?), ..self })
    }

    /// The machine that runs the statement; `None` if the engine runs it.
    pub(crate) fn machine(&mut self) -> Option<&mut Vm> {
        match &mut self.runner {
            Runner::Program(vm) => Some(vm),
            Runner::Command(_) => None,
        }
    }

    /// Prepares the machine of a reset statement for another one: its parameters are unbound.
    pub(crate) fn clear_machine(&mut self) {
        assert!(!self.is_running, "a statement that runs has no machine to give");
        let Runner::Program(vm) = &mut self.runner else { return };
        if !self.compiled.is_template {
            vm.clear_bindings();
        }
        *vm.counters_mut() = Counters::default();
        vm.reset_profile();
    }

    // ---- properties ----

    /// The text of the statement.
    pub fn sql_text(&self) -> &SqlText {
        self.own_sql.as_ref().unwrap_or(&self.compiled.sql)
    }

    /// The text of the statement as a string; invalid UTF-8 is replaced. All of it is checked each time.
    pub fn sql(&self) -> &str {
        let sql = self.sql_text().as_bytes();
        std::str::from_utf8(sql).unwrap_or_else(|_| self.replaced_sql.get_or_init(|| text_of(sql).into()))
    }

    /// The text with its literals and parameters replaced by `?` (`sqlite3_normalized_sql`).
    pub fn normalized_sql(&self) -> Vec<u8> {
        let is_string = |text: &[u8]| self.compiled.quoted_strings.iter().any(|string| **string == *text);
        lithe_sql::normalize(self.sql_text().as_bytes(), is_string)
    }

    /// How many parameters there are.
    pub fn parameter_count(&self) -> usize {
        self.compiled.parameter_count
    }

    /// The name of a parameter (numbered from 1), prefix included.
    pub fn parameter_name(&self, number: usize) -> Option<&str> {
        self.compiled.parameter_names().find(|p| p.number() == number).map(ParameterName::name)
    }

    /// The number of the parameter of that name.
    pub fn parameter_index(&self, name: &str) -> Option<usize> {
        self.compiled.parameter_names().find(|p| p.name() == name).map(ParameterName::number)
    }

    /// The number of its program: another one after it was compiled again, in whatever way.
    #[inline]
    pub fn program_number(&self) -> u32 {
        self.programs
    }

    /// How many columns the rows have.
    pub fn column_count(&self) -> usize {
        self.columns().len()
    }

    /// Column `index` (from 0), if there is one.
    pub fn column(&self, index: usize) -> Option<ResultColumn<'_>> {
        self.columns().get(index)
    }

    /// The columns of the rows.
    pub fn columns(&self) -> &ResultColumns {
        match &self.compiled.body {
            Body::Program(program) => &program.columns,
            Body::Command(command) => command.columns(),
        }
    }

    /// Whether the statement changes no database.
    pub fn is_read_only(&self) -> bool {
        match &self.compiled.body {
            Body::Program(program) => program.is_read_only,
            Body::Command(command) => command.is_read_only(),
        }
    }

    /// Words in double quotes that name nothing and were taken for strings.
    pub fn quoted_strings(&self) -> &[Box<[u8]>] {
        &self.compiled.quoted_strings
    }

    /// Whether the statement is an INSERT, UPDATE or DELETE.
    pub fn counts_changes(&self) -> bool {
        matches!(&self.compiled.body, Body::Program(program) if program.counts_changes)
    }

    /// 1 for EXPLAIN, 2 for EXPLAIN QUERY PLAN.
    pub fn explain(&self) -> u8 {
        match self.compiled.explain {
            Explain::No => 0,
            Explain::Program => 1,
            Explain::QueryPlan => 2,
        }
    }

    /// Whether the statement has begun to run and is neither at its end nor reset.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// The value that [`Statement::set_tag`] has set, by which hooks tell the interface above which statement calls
    /// them.
    pub fn tag(&self) -> usize {
        self.tag
    }

    /// Sets what [`Statement::tag`] answers.
    pub fn set_tag(&mut self, tag: usize) {
        self.tag = tag;
    }

    pub(crate) fn counters_mut(&mut self) -> Option<&mut Counters> {
        match &mut self.runner {
            Runner::Program(vm) => Some(vm.counters_mut()),
            Runner::Command(_) => None,
        }
    }

    /// Roughly how many bytes of memory the statement takes.
    pub(crate) fn memory_used(&self) -> u64 {
        let program = match &self.compiled.body {
            Body::Program(program) => size_of_val(&*program.insns) + program.register_count as usize * 24,
            Body::Command(_) => 0,
        };
        (size_of::<Statement>() + self.compiled.sql.as_bytes().len() + program) as u64
    }

    /// Whether the last step began a run. It did not if the statement had to be compiled again and could not be.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the last step found that the statement had expired, before it ran, and could not compile it again.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Makes the statement behave as one of the C interface: when a step finds a database locked before it has done anything, the
    /// statement stays under way, and counts among those that write if it may write. The next step tries again; a reset gives up, as after
    /// other errors.
    pub fn set_can_wait(&mut self) {
        self.can_wait = true;
    }

    /// Whether the last step, which ended with SQLITE_BUSY, found a database locked before it did anything, and the next step tries again.
    pub fn waits(&self) -> bool {
        self.run.waits.get()
    }

    /// Whether the machine runs the statement.
    pub fn has_program(&self) -> bool {
        matches!(self.runner, Runner::Program(_))
    }

    // ---- the end of a run ----

    /// Ends a run: releases its locks and cursors, and the next step starts over. Bound values stay.
    ///
    /// # Errors
    /// Those of the commit with which a writer ends in autocommit mode, if the run stood on a row: its changes are rolled back.
    pub fn reset(&mut self, connection: &Connection) -> Result<()> {
        self.is_on_row = false;
        if !self.is_running && self.has_program() && !connection.transaction.is_broken() {
            return Ok(()); // the machine was reset at the end of its run
        }
        if !self.is_running || connection.transaction.is_broken() {
            return self.end(connection, None);
        }
        let under_way = UnderWay::begin(&connection.transaction);
        let ended = self.end(connection, None);
        connection.step_ends();
        under_way.end();
        ended
    }

    /// Ends the run before its last row. A reader that is stopped counts as successful; a writer's changes are kept,
    /// because its rows were already returned; an error says that they could not be committed.
    pub(crate) fn end(&mut self, connection: &Connection, error: Option<&Error>) -> Result<()> {
        if connection.transaction.is_broken() {
            // After a panic the machine is not used any more, and the statement's changes are not kept.
            self.is_running = false;
            connection.abandon_if_idle();
            return Ok(());
        }
        let counted = match &self.runner {
            Runner::Program(_) if self.is_running && self.run.waits.get() && self.counts_changes() => Some(0),
            Runner::Program(vm) if self.is_running && error.is_none() => vm.changes_of_run(),
            _ => None,
        };
        if let Some(changes) = counted {
            connection.state.set_changes(changes);
        }
        self.release_rows();
        if !std::mem::take(&mut self.is_running) {
            return Ok(());
        }
        connection.kept.end_orphaned(connection);
        self.leave_locks(connection);
        let run = &self.run;
        let busy = run.waits.get().then(|| Error::from_code(ResultCode::BUSY));
        let mut ended = Ok(());
        match error.or(busy.as_ref()) {
            Some(error) => drop(connection.statement_fails(run, error.code(), OnConflict::Abort)),
            None => {
                if let Err(error) = connection.statement_succeeds(run) {
                    // The changes could not be committed.
                    if let Some(changes) = counted {
                        connection.state.take_back_changes(changes);
                    }
                    let _ = connection.statement_fails(run, error.code(), OnConflict::Abort);
                    ended = Err(error);
                }
            }
        }
        // As in SQLite, the WAL hook is called by the next step that comes to its end.
        ended
    }

    /// Closes the cursors, so that locks can be released.
    fn release_rows(&mut self) {
        match &mut self.runner {
            Runner::Program(vm) if self.is_running => vm.reset(),
            Runner::Program(_) => {}
            Runner::Command(command) => {
                command.reset();
                self.run.late_error.take();
                self.run.vacuumed.take();
            }
        }
    }

    // ---- the current row ----

    /// The value of column `index` of the current row; NULL if there is no row.
    #[inline]
    pub fn value(&self, index: usize) -> ValueRef<'_> {
        self.value_if_any(index).unwrap_or(ValueRef::Null)
    }

    /// The same; `None` if there is no such column, or no row.
    #[inline]
    pub fn value_if_any(&self, index: usize) -> Option<ValueRef<'_>> {
        if !self.is_on_row {
            return None;
        }
        match &self.runner {
            Runner::Program(vm) => vm.register(index).map(Register::as_ref),
            Runner::Command(command) => (index < command.column_count()).then(|| command.column(index)),
        }
    }

    /// The text of column `index` with a NUL behind it, if the column is a text and the NUL fits into its buffer.
    #[inline]
    pub fn text_with_nul(&mut self, index: usize) -> Option<&[u8]> {
        match &mut self.runner {
            Runner::Program(vm) if self.is_on_row => vm.column_with_nul(index),
            _ => None,
        }
    }

    /// Whether the statement is on a row.
    #[inline]
    pub fn is_on_row(&self) -> bool {
        self.is_on_row
    }

    /// The subtype of column `index` of the current row.
    pub fn value_subtype(&self, index: usize) -> u8 {
        match &self.runner {
            Runner::Program(vm) if self.is_on_row => vm.column_subtype(index),
            _ => 0,
        }
    }

    /// The pointer in column `index` of the current row.
    pub fn value_pointer(&self, index: usize) -> Option<&Rc<Pointer>> {
        match &self.runner {
            Runner::Program(vm) if self.is_on_row => vm.column_pointer(index),
            _ => None,
        }
    }
}
