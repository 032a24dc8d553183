//! Statements that are no programs: what only the connection can do, and what EXPLAIN lists.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_pager::BeginKind;
use lithe_resolve::authorize::Action;
use lithe_sql::ast::{self, Command, Explain, TransactionKind};
use lithe_value::{Value, ValueRef};
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;
use lithe_vm::program::Program;
use lithe_vm::result_columns::ResultColumns;

use crate::attach;
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::pragma::{self, PragmaCall};
use crate::statement::Step;
use crate::transaction::StatementRun;
use crate::vacuum;

/// A row that the engine has made.
pub(crate) type NativeRow = Vec<Value>;

/// A statement that the engine runs itself.
#[derive(Debug)]
pub(crate) struct Native {
    kind: Kind,
    columns: ResultColumns,
    /// Of an EXPLAIN: the statement that it explains changes no database.
    explains_reader: bool,
    /// Of an EXPLAIN: the statement that it explains counts the rows that it changes. An EXPLAIN has changed none.
    explains_change: bool,
}

#[derive(Debug)]
enum Kind {
    Begin(TransactionKind),
    Commit,
    Rollback,
    Savepoint(String),
    Release(String),
    RollbackTo(String),
    Pragma(PragmaCall),
    Attach(attach::Attach),
    Detach(Arc<Program>),
    Vacuum(vacuum::Vacuum),
    ExplainProgram(Arc<Program>),
    ExplainQueryPlan(Vec<NativeRow>),
}

/// Makes a command ready to be run. `statement` is the whole statement.
pub(crate) fn compile<'a>(
    connection: &Connection,
    sql: &[u8],
    statement: &ast::Statement<'a>,
    command: &Command<'a>,
    arena: &'a Bump,
) -> Result<Arc<Native>> {
    let text = |name: &ast::Ident<'_>| name.name.to_str_lossy().into_owned();
    let plain =
        |kind| Native { kind, columns: ResultColumns::default(), explains_reader: true, explains_change: false };
    if !is_allowed(connection, command)? {
        return Ok(Arc::new(plain(Kind::ExplainQueryPlan(Vec::new()))));
    }
    let native = match *command {
        Command::Begin(kind) => plain(Kind::Begin(kind)),
        Command::Commit => plain(Kind::Commit),
        Command::Rollback => plain(Kind::Rollback),
        Command::Savepoint(name) => plain(Kind::Savepoint(text(name))),
        Command::Release(name) => plain(Kind::Release(text(name))),
        Command::RollbackTo(name) => plain(Kind::RollbackTo(text(name))),
        Command::Pragma(pragma) => {
            let (call, columns) = pragma::compile(connection, pragma)?;
            Native { kind: Kind::Pragma(call), columns, explains_reader: true, explains_change: false }
        }
        Command::Attach(attach) => {
            connection.load_schemas()?;
            plain(Kind::Attach(attach::compile(connection, sql, attach, statement, arena)?))
        }
        Command::Detach(schema) => {
            connection.load_schemas()?;
            plain(Kind::Detach(attach::compile_values(connection, sql, &[*schema], statement, arena)?))
        }
        Command::Vacuum(vacuum) => plain(Kind::Vacuum(vacuum::compile(connection, sql, vacuum, statement, arena)?)),
    };
    Ok(Arc::new(native))
}

/// Asks the authorizer. False says that the statement shall do nothing.
fn is_allowed(connection: &Connection, command: &Command<'_>) -> Result<bool> {
    if !connection.hooks.has_authorizer() {
        return Ok(true);
    }
    let may = |action, first: &str, second: Option<&str>| connection.may(action, Some(first), second, None);
    let savepoint =
        |operation, name: &ast::Ident<'_>| may(Action::Savepoint, operation, Some(&name.name.to_str_lossy()));
    match command {
        Command::Begin(_) => may(Action::Transaction, "BEGIN", None),
        Command::Commit => may(Action::Transaction, "COMMIT", None),
        Command::Rollback => may(Action::Transaction, "ROLLBACK", None),
        Command::Savepoint(name) => savepoint("BEGIN", name),
        Command::Release(name) => savepoint("RELEASE", name),
        Command::RollbackTo(name) => savepoint("ROLLBACK", name),
        Command::Pragma(pragma) => {
            let value = pragma.value.as_ref().map(|value| String::from_utf8_lossy(value).into_owned());
            let schema = pragma.name.schema.map(|schema| schema.name.to_str_lossy().into_owned());
            let name = pragma.name.name.name.to_str_lossy();
            connection.may(Action::Pragma, Some(&name), value.as_deref(), schema.as_deref())
        }
        Command::Attach(attach) => match literal(&attach.file) {
            Some(file) => may(Action::Attach, &file, None),
            None => connection.may(Action::Attach, None, None, None),
        },
        Command::Detach(schema) => match literal(schema) {
            Some(name) => may(Action::Detach, &name, None),
            None => connection.may(Action::Detach, None, None, None),
        },
        Command::Vacuum(_) => Ok(true),
    }
}

/// The text of an expression that is a string or a bare name.
fn literal(expr: &ast::Expr<'_>) -> Option<String> {
    match expr.kind {
        ast::ExprKind::String(text) => Some(String::from_utf8_lossy(text).into_owned()),
        ast::ExprKind::Column(name) => Some(name.name.to_str_lossy().into_owned()),
        _ => None,
    }
}

fn columns(names: &[&str]) -> ResultColumns {
    ResultColumns::of_names(names)
}

impl Native {
    /// EXPLAIN of a program.
    pub(crate) fn explain(program: Arc<Program>) -> Arc<Native> {
        let columns = columns(&lithe_vm::explain::COLUMNS);
        let (explains_reader, explains_change) = (program.is_read_only, program.counts_changes);
        Arc::new(Native { kind: Kind::ExplainProgram(program), columns, explains_reader, explains_change })
    }

    /// EXPLAIN QUERY PLAN of a program, and of its triggers if that is wanted.
    pub(crate) fn explain_query_plan(program: &Program, with_triggers: bool) -> Arc<Native> {
        let row = |row: &lithe_vm::program::QueryPlanRow| {
            vec![
                Value::from(i64::from(row.id)),
                Value::from(i64::from(row.parent)),
                Value::from(i64::from(row.cost)),
                Value::from(row.detail.as_str()),
            ]
        };
        let mut rows: Vec<NativeRow> = program.query_plan.iter().map(row).collect();
        for trigger in program.subprograms.iter().filter(|trigger| with_triggers && !trigger.name.is_empty()) {
            let title = format!("-- TRIGGER {}", trigger.name);
            rows.push(vec![Value::from(0_i64), Value::from(1_i64), Value::from(0_i64), Value::from(title)]);
            rows.extend(trigger.program.query_plan.iter().map(row));
        }
        let columns = columns(&["id", "parent", "notused", "detail"]);
        let (explains_reader, explains_change) = (program.is_read_only, program.counts_changes);
        Arc::new(Native { kind: Kind::ExplainQueryPlan(rows), columns, explains_reader, explains_change })
    }

    /// EXPLAIN of a statement that has no program: no rows.
    pub(crate) fn nothing_to_explain(&self, explain: Explain) -> Arc<Native> {
        let columns = match explain {
            Explain::QueryPlan => columns(&["id", "parent", "notused", "detail"]),
            _ => columns(&lithe_vm::explain::COLUMNS),
        };
        let explains_reader = self.is_read_only();
        let kind = Kind::ExplainQueryPlan(Vec::new());
        Arc::new(Native { kind, columns, explains_reader, explains_change: false })
    }

    pub(crate) fn columns(&self) -> &ResultColumns {
        &self.columns
    }

    /// Whether `sqlite3_stmt_readonly` says so: transaction control counts as reading, and an EXPLAIN is what it explains.
    pub(crate) fn is_read_only(&self) -> bool {
        match &self.kind {
            Kind::Pragma(call) => call.is_read_only(),
            Kind::Vacuum(_) => false,
            Kind::Begin(kind) => matches!(kind, TransactionKind::Deferred | TransactionKind::Concurrent),
            Kind::ExplainProgram(_) | Kind::ExplainQueryPlan(_) => self.explains_reader,
            _ => true,
        }
    }

    fn run(&self, connection: &Connection, run: &StatementRun, bindings: &[Value]) -> Result<Vec<NativeRow>> {
        if self.explains_change {
            connection.facts.changes.set(0);
        }
        match &self.kind {
            Kind::Begin(kind) => begin(connection, *kind)?,
            Kind::Commit => connection.commit()?,
            Kind::Rollback => connection.rollback()?,
            Kind::Savepoint(name) => connection.savepoint(name)?,
            Kind::Release(name) => connection.release(name)?,
            Kind::RollbackTo(name) => connection.rollback_to(name)?,
            Kind::Pragma(call) => return call.run(connection, run),
            Kind::Attach(attach) => attach.run(connection, bindings, run)?,
            Kind::Detach(program) => attach::detach(connection, program, bindings, run)?,
            Kind::Vacuum(vacuum) => vacuum.run(connection, bindings, run)?,
            Kind::ExplainProgram(program) => return Ok(explained(program)),
            Kind::ExplainQueryPlan(rows) => return Ok(rows.clone()),
        }
        Ok(Vec::new())
    }
}

fn explained(program: &Program) -> Vec<NativeRow> {
    let text = |text: Option<String>| text.map_or(Value::NULL, Value::from);
    let row = |row: lithe_vm::explain::ExplainRow| {
        let numbers = [row.p1, row.p2, row.p3].map(Value::from);
        let mut values = vec![Value::from(row.addr), Value::from(row.opcode)];
        values.extend(numbers);
        values.extend([text(row.p4), Value::from(row.p5), text(row.comment)]);
        values
    };
    lithe_vm::explain::listing(program).into_iter().map(row).collect()
}

/// BEGIN: the immediate kinds take the write locks of all databases at once, and as in SQLite before it shows whether
/// there is a transaction already.
fn begin(connection: &Connection, kind: TransactionKind) -> Result<()> {
    match kind {
        TransactionKind::Deferred | TransactionKind::Concurrent => {}
        TransactionKind::Immediate => take_locks(connection, BeginKind::Immediate)?,
        TransactionKind::Exclusive => take_locks(connection, BeginKind::Exclusive)?,
    }
    connection.begin()?;
    connection.transaction.concurrent.set(kind == TransactionKind::Concurrent);
    Ok(())
}

fn take_locks(connection: &Connection, kind: BeginKind) -> Result<()> {
    let mut databases = connection.databases().filter(|(db, _)| *db != Db::TEMP);
    let taken = databases.try_for_each(|(db, _)| connection.begin_immediate(db, kind));
    // A handle that writes keeps what it has, and its lock.
    if taken.is_err() && connection.is_autocommit() && !connection.transaction.has_writers() {
        connection.roll_back_all();
    }
    taken
}

/// One run of a native statement: the rows that it made, and where the reader stands.
#[derive(Debug)]
pub(crate) struct NativeRun {
    native: Arc<Native>,
    bindings: Vec<Value>,
    rows: Option<Vec<NativeRow>>,
    /// The number of rows given out.
    given: usize,
}

impl NativeRun {
    pub(crate) fn new(native: Arc<Native>, parameter_count: usize) -> NativeRun {
        NativeRun { native, bindings: vec![Value::NULL; parameter_count], rows: None, given: 0 }
    }

    pub(crate) fn bind(&mut self, number: usize, value: Value) {
        self.bindings[number - 1] = value;
    }

    pub(crate) fn bound(&self, number: usize) -> ValueRef<'_> {
        let value = number.checked_sub(1).and_then(|index| self.bindings.get(index));
        value.map_or(ValueRef::Null, Value::as_ref)
    }

    pub(crate) fn clear_bindings(&mut self) {
        self.bindings.fill(Value::NULL);
    }

    pub(crate) fn take_bindings(&mut self, from: &mut NativeRun) {
        std::mem::swap(&mut self.bindings, &mut from.bindings);
    }

    pub(crate) fn step(&mut self, connection: &Connection, run: &StatementRun) -> Result<Step> {
        let has_given_all = self.rows.as_ref().is_none_or(|rows| self.given == rows.len());
        if self.rows.is_none() || (has_given_all && run.vacuumed.get().is_some()) {
            self.rows = Some(self.native.run(connection, run, &self.bindings)?);
            self.given = 0;
        }
        if self.given > 0 && connection.interrupts.is_set() {
            return Err(Error::new(ResultCode::INTERRUPT, "interrupted"));
        }
        let count = self.rows.as_ref().map_or(0, Vec::len);
        if self.given == count {
            return run.late_error.borrow_mut().take().map_or(Ok(Step::Done), Err);
        }
        self.given += 1;
        Ok(Step::Row)
    }

    pub(crate) fn reset(&mut self) {
        self.rows = None;
        self.given = 0;
    }

    /// How many columns its rows have.
    pub(crate) fn column_count(&self) -> usize {
        self.native.columns().len()
    }

    pub(crate) fn column(&self, index: usize) -> ValueRef<'_> {
        let row = self.rows.as_ref().and_then(|rows| rows.get(self.given.wrapping_sub(1)));
        row.and_then(|row| row.get(index)).map_or(ValueRef::Null, Value::as_ref)
    }
}
