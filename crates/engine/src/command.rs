//! Statements that the engine runs itself, without a program: transaction control, pragmas, ATTACH, VACUUM, and the
//! rows of EXPLAIN.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_pager::BeginKind;
use lithe_resolve::authorize::Action;
use lithe_sql::ast::{self, Explain, TransactionKind};
use lithe_value::Value;
use lithe_vm::operand::Db;
use lithe_vm::program::Program;
use lithe_vm::result_columns::ResultColumns;

use crate::attach;
use crate::connection::Connection;
use crate::connection::statement::command::{Command, CommandRow};
use crate::connection::transaction::StatementRun;
use crate::error::Result;
use crate::pragma::{self, PragmaCall};
use crate::vacuum;

/// A statement that the engine runs itself.
#[derive(Debug)]
pub(crate) struct EngineCommand {
    kind: Kind,
    columns: ResultColumns,
    /// For an EXPLAIN: the explained statement changes no database.
    explains_reader: bool,
    /// For an EXPLAIN: the explained statement counts changed rows. The EXPLAIN itself changes none.
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
    /// The rows, and the program whose plan they show.
    ExplainQueryPlan(Vec<CommandRow>, Option<Arc<Program>>),
}

/// Compiles a command. `statement` is the whole statement.
pub(crate) fn compile<'a>(
    connection: &Connection,
    sql: &[u8],
    statement: &ast::Statement<'a>,
    command: &ast::Command<'a>,
    arena: &'a Bump,
) -> Result<Arc<EngineCommand>> {
    let text = |name: &ast::Ident<'_>| name.name.to_str_lossy().into_owned();
    let plain =
        |kind| EngineCommand { kind, columns: ResultColumns::default(), explains_reader: true, explains_change: false };
    if !is_allowed(connection, command)? {
        return Ok(Arc::new(plain(Kind::ExplainQueryPlan(Vec::new(), None))));
    }
    let compiled = match *command {
        ast::Command::Begin(kind) => plain(Kind::Begin(kind)),
        ast::Command::Commit => plain(Kind::Commit),
        ast::Command::Rollback => plain(Kind::Rollback),
        ast::Command::Savepoint(name) => plain(Kind::Savepoint(text(name))),
        ast::Command::Release(name) => plain(Kind::Release(text(name))),
        ast::Command::RollbackTo(name) => plain(Kind::RollbackTo(text(name))),
        ast::Command::Pragma(pragma) => {
            let (call, columns) = pragma::compile(connection, sql, pragma)?;
            EngineCommand { kind: Kind::Pragma(call), columns, explains_reader: true, explains_change: false }
        }
        ast::Command::Attach(attach) => {
            connection.load_schemas()?;
            plain(Kind::Attach(attach::compile(connection, sql, attach, statement, arena)?))
        }
        ast::Command::Detach(schema) => {
            connection.load_schemas()?;
            plain(Kind::Detach(attach::compile_values(connection, sql, &[*schema], statement, arena)?))
        }
        ast::Command::Vacuum(vacuum) => {
            plain(Kind::Vacuum(vacuum::compile(connection, sql, vacuum, statement, arena)?))
        }
    };
    Ok(Arc::new(compiled))
}

/// Calls the authorizer. False: the statement does nothing.
fn is_allowed(connection: &Connection, command: &ast::Command<'_>) -> Result<bool> {
    if !connection.hooks.has_authorizer() {
        return Ok(true);
    }
    let may = |action, first: &str, second: Option<&str>| connection.hooks.authorize(action, Some(first), second, None);
    let savepoint =
        |operation, name: &ast::Ident<'_>| may(Action::Savepoint, operation, Some(&name.name.to_str_lossy()));
    match command {
        ast::Command::Begin(_) => may(Action::Transaction, "BEGIN", None),
        ast::Command::Commit => may(Action::Transaction, "COMMIT", None),
        ast::Command::Rollback => may(Action::Transaction, "ROLLBACK", None),
        ast::Command::Savepoint(name) => savepoint("BEGIN", name),
        ast::Command::Release(name) => savepoint("RELEASE", name),
        ast::Command::RollbackTo(name) => savepoint("ROLLBACK", name),
        ast::Command::Pragma(pragma) => {
            let value = pragma.value.as_ref().map(|value| String::from_utf8_lossy(value).into_owned());
            let schema = pragma.name.schema.map(|schema| schema.name.to_str_lossy().into_owned());
            let name = pragma.name.name.name.to_str_lossy();
            connection.hooks.authorize(Action::Pragma, Some(&name), value.as_deref(), schema.as_deref())
        }
        ast::Command::Attach(attach) => match literal(&attach.file) {
            Some(file) => may(Action::Attach, &file, None),
            None => connection.hooks.authorize(Action::Attach, None, None, None),
        },
        ast::Command::Detach(schema) => match literal(schema) {
            Some(name) => may(Action::Detach, &name, None),
            None => connection.hooks.authorize(Action::Detach, None, None, None),
        },
        ast::Command::Vacuum(_) => Ok(true),
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

impl EngineCommand {
    /// EXPLAIN of a program.
    pub(crate) fn explain(program: Arc<Program>) -> Arc<EngineCommand> {
        let columns = columns(&lithe_vm::explain::COLUMNS);
        let (explains_reader, explains_change) = (program.is_read_only, program.counts_changes);
        Arc::new(EngineCommand { kind: Kind::ExplainProgram(program), columns, explains_reader, explains_change })
    }

    /// EXPLAIN QUERY PLAN of a program, with its triggers if `with_triggers`.
    pub(crate) fn explain_query_plan(program: Arc<Program>, with_triggers: bool) -> Arc<EngineCommand> {
        let row = |row: &lithe_vm::program::QueryPlanRow| {
            vec![
                Value::from(i64::from(row.id)),
                Value::from(i64::from(row.parent)),
                Value::from(i64::from(row.cost)),
                Value::from(row.detail.as_str()),
            ]
        };
        let mut rows: Vec<CommandRow> = program.query_plan.iter().map(row).collect();
        for trigger in program.subprograms.iter().filter(|trigger| with_triggers && !trigger.name.is_empty()) {
            let title = format!("-- TRIGGER {}", trigger.name);
            rows.push(vec![Value::from(0_i64), Value::from(1_i64), Value::from(0_i64), Value::from(title)]);
            rows.extend(trigger.program.query_plan.iter().map(row));
        }
        let columns = columns(&["id", "parent", "notused", "detail"]);
        let (explains_reader, explains_change) = (program.is_read_only, program.counts_changes);
        let kind = Kind::ExplainQueryPlan(rows, Some(program));
        Arc::new(EngineCommand { kind, columns, explains_reader, explains_change })
    }

    /// EXPLAIN of a statement that has no program: no rows.
    pub(crate) fn nothing_to_explain(&self, explain: Explain) -> Arc<EngineCommand> {
        let columns = match explain {
            Explain::QueryPlan => columns(&["id", "parent", "notused", "detail"]),
            _ => columns(&lithe_vm::explain::COLUMNS),
        };
        let explains_reader = self.is_read_only();
        let kind = Kind::ExplainQueryPlan(Vec::new(), None);
        Arc::new(EngineCommand { kind, columns, explains_reader, explains_change: false })
    }
}

impl Command for EngineCommand {
    fn columns(&self) -> &ResultColumns {
        &self.columns
    }

    /// What `sqlite3_stmt_readonly` returns: transaction control counts as reading, and an EXPLAIN as the statement
    /// that it explains.
    fn is_read_only(&self) -> bool {
        match &self.kind {
            Kind::Pragma(call) => call.is_read_only(),
            Kind::Vacuum(_) => false,
            Kind::Begin(kind) => matches!(kind, TransactionKind::Deferred | TransactionKind::Concurrent),
            Kind::ExplainProgram(_) | Kind::ExplainQueryPlan(..) => self.explains_reader,
            _ => true,
        }
    }

    fn waits(&self, connection: &Connection) -> bool {
        match &self.kind {
            // Beside statements that write they are refused, and do not wait for them.
            Kind::Commit | Kind::Savepoint(_) | Kind::Release(_) => !connection.transaction.has_writers(),
            Kind::Pragma(call) => call.waits(),
            Kind::Attach(_) | Kind::Detach(_) | Kind::Vacuum(_) => false,
            _ => true,
        }
    }

    fn uses_schema(&self) -> bool {
        !matches!(
            &self.kind,
            Kind::Begin(_)
                | Kind::Commit
                | Kind::Rollback
                | Kind::Savepoint(_)
                | Kind::Release(_)
                | Kind::RollbackTo(_)
        )
    }

    fn reads_between_rows(&self) -> bool {
        matches!(&self.kind, Kind::Pragma(call) if call.reads_between_rows())
    }

    fn explained(&self) -> Option<&Program> {
        match &self.kind {
            Kind::ExplainProgram(program) => Some(program),
            Kind::ExplainQueryPlan(_, program) => program.as_deref(),
            _ => None,
        }
    }

    fn instructions(&self) -> u32 {
        match &self.kind {
            Kind::Begin(_) | Kind::Commit | Kind::Rollback => 3,
            Kind::Savepoint(_) | Kind::Release(_) | Kind::RollbackTo(_) => 4,
            Kind::Pragma(_) => 6,
            Kind::Attach(_) | Kind::Detach(_) => 6, // beside those of the program that computes the names
            Kind::Vacuum(_) => 100,
            Kind::ExplainProgram(_) | Kind::ExplainQueryPlan(..) => 0,
        }
    }

    fn run(&self, connection: &Connection, run: &StatementRun, bindings: &[Value]) -> Result<Vec<CommandRow>> {
        if self.explains_change {
            connection.state.changes.set(0);
        }
        if self.explained().is_some_and(|program| !program.schema_cookies.is_empty()) {
            connection.note_user(run);
        }
        match &self.kind {
            Kind::Begin(kind) => begin(connection, *kind)?,
            Kind::Commit => connection.commit()?,
            Kind::Rollback => connection.rollback()?,
            Kind::Savepoint(name) => connection.savepoint(name)?,
            Kind::Release(name) => connection.release(name)?,
            Kind::RollbackTo(name) => connection.rollback_to(name)?,
            Kind::Pragma(call) => {
                run.is_used_up.set(call.is_for_one_run());
                return call.run(connection, run);
            }
            Kind::Attach(attach) => {
                attach.run(connection, bindings, run)?;
                run.is_used_up.set(true);
            }
            Kind::Detach(program) => attach::detach(connection, program, bindings, run)?,
            Kind::Vacuum(vacuum) => vacuum.run(connection, bindings, run)?,
            Kind::ExplainProgram(program) => return Ok(explained(program)),
            Kind::ExplainQueryPlan(rows, _) => return Ok(rows.clone()),
        }
        Ok(Vec::new())
    }
}

fn explained(program: &Program) -> Vec<CommandRow> {
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

/// BEGIN: the immediate kinds take the write locks of all databases at once. As in SQLite, they do so before the check
/// whether a transaction is open already.
fn begin(connection: &Connection, kind: TransactionKind) -> Result<()> {
    match kind {
        TransactionKind::Deferred | TransactionKind::Concurrent => {}
        TransactionKind::Immediate => take_locks(connection, BeginKind::Immediate)?,
        TransactionKind::Exclusive => take_locks(connection, BeginKind::Exclusive)?,
    }
    connection.begin()?;
    connection.transaction.set_concurrent(kind == TransactionKind::Concurrent);
    Ok(())
}

fn take_locks(connection: &Connection, kind: BeginKind) -> Result<()> {
    let mut databases = connection.databases.iter().filter(|(db, _)| *db != Db::TEMP);
    let taken = databases.try_for_each(|(db, _)| connection.begin_immediate(db, kind));
    // If a BLOB handle writes, its transaction and its lock are kept.
    if taken.is_err() && connection.is_autocommit() && !connection.transaction.has_writers() {
        connection.roll_back_all();
    }
    taken
}
