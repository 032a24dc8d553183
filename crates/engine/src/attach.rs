//! ATTACH and DETACH.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{Catalog, NameBuf, Schema};
use lithe_codegen::CompileRequest;
use lithe_resolve::authorize::Authorizer;
use lithe_resolve::environment::Environment;
use lithe_sql::ast::{self, Explain, Expr, ExprKind, Name, Stmt};
use lithe_value::{Value, ValueRef};
use lithe_vm::operand::Db;
use lithe_vm::program::Program;
use lithe_vm::vm::{Step, Vm};

use crate::connection::Connection;
use crate::connection::host::RunHost;
use crate::connection::transaction::StatementRun;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::open::{self, OpenFlags};
use crate::settings::config::Config;
use crate::settings::limit::Limit;

/// A compiled ATTACH: a program that computes the file name and the schema name.
#[derive(Debug)]
pub(crate) struct Attach(Arc<Program>);

pub(crate) fn compile<'a>(
    connection: &Connection,
    sql: &[u8],
    attach: &ast::Attach<'a>,
    statement: &ast::Statement<'a>,
    arena: &'a Bump,
) -> Result<Attach> {
    compile_values(connection, sql, &[attach.file, attach.schema], statement, arena).map(Attach)
}

/// A program whose only row has the values of these expressions. A bare name stands for its own text.
pub(crate) fn compile_values<'a>(
    connection: &Connection,
    sql: &[u8],
    exprs: &[Expr<'a>],
    statement: &ast::Statement<'a>,
    arena: &'a Bump,
) -> Result<Arc<Program>> {
    let row = arena.alloc_slice_fill_iter(exprs.iter().map(as_text));
    compile_row(connection, sql, row, statement, arena)
}

/// A program whose only row has the values of these expressions.
pub(crate) fn compile_row<'a>(
    connection: &Connection,
    sql: &[u8],
    row: &[Expr<'a>],
    statement: &ast::Statement<'a>,
    arena: &'a Bump,
) -> Result<Arc<Program>> {
    let row = arena.alloc_slice_copy(row);
    let select = ast::Select {
        with: None,
        first: ast::SelectCore::Values(arena.alloc_slice_copy(&[&*row])),
        has_rows_apart: false,
        number: ast::SelectNumber::default(),
        rest: &[],
        order_by: &[],
        limit: None,
        span: statement.span,
        height: 1,
    };
    let request = CompileRequest {
        stmt: Stmt::Select(arena.alloc(select)),
        sql,
        explain: Explain::No,
        parameter_count: statement.parameters.count,
        select_count: statement.select_count,
        builders: None,
        evaluator: None,
    };
    // The authorizer was called for the statement, and is not called for the program that runs it.
    let environment = Environment { authorizer: Authorizer::default(), ..connection.environment() };
    Ok(lithe_codegen::compile(&request, arena, &environment)?)
}

fn as_text<'a>(expr: &Expr<'a>) -> Expr<'a> {
    match expr.kind {
        ExprKind::Column(name) => Expr { kind: ExprKind::String(name.name.as_bytes()), ..*expr },
        _ => *expr,
    }
}

/// Runs such a program and returns its row.
pub(crate) fn values(
    connection: &Connection,
    program: &Arc<Program>,
    bindings: &[Value],
    run: &StatementRun,
) -> Result<Vec<Value>> {
    let mut vm = Vm::new(Arc::clone(program));
    for (i, value) in bindings.iter().enumerate().take(program.parameter_count as usize) {
        vm.bind(i + 1, value.as_ref())?;
    }
    let host = RunHost { connection, run };
    let row = match vm.step(&host)? {
        Step::Row => (0..program.columns.len()).map(|i| Value::from(vm.column(i))).collect(),
        Step::Done => Vec::new(),
    };
    vm.reset();
    Ok(row)
}

/// A value as the name of a file or schema: NULL is empty.
fn text(value: Option<&Value>) -> Vec<u8> {
    match value.map(Value::as_ref) {
        None | Some(ValueRef::Null) => Vec::new(),
        Some(value) => lithe_value::cast::to_text(value).into_owned(),
    }
}

impl Attach {
    pub(crate) fn run(&self, connection: &Connection, bindings: &[Value], run: &StatementRun) -> Result<()> {
        let row = values(connection, &self.0, bindings, run)?;
        let (file, name) = (text(row.first()), text(row.get(1)));
        let catalog = connection.catalog();
        let attached_max = connection.settings.limit(Limit::Attached, &connection.state);
        if catalog.databases().len() >= attached_max.unsigned_abs() as usize + 2 {
            return Err(Error::generic(format!("too many attached databases - max {attached_max}")));
        }
        let name = Name::new(&name);
        if catalog.find_database(name).is_some() {
            return Err(Error::generic(format!("database {name} is already in use")));
        }
        let mut target = open::target(&file, connection.flags).map_err(|error| Error::generic(error.message()))?;
        target.flags = attach_flags(connection, target.flags);
        let vfs = connection.databases.vfs_of(&target)?;
        let database = Database::open(&target, &vfs, &connection.busy).map_err(|error| {
            Error::new(error.code(), format!("unable to open database: {}", String::from_utf8_lossy(&file)))
        })?;
        let is_same =
            |other: &Database| matches!((other.shared(), database.shared()), (Some(a), Some(b)) if a.is_same(b));
        if connection.databases.any(is_same) {
            return Err(Error::generic("database is already attached"));
        }
        connection.load_schemas()?;
        connection.generation.adding_database(|| {
            connection.databases.attach(database)?;
            let attach = |catalog: &mut Catalog| catalog.attach(NameBuf::from(name), Arc::new(Schema::new(false)));
            let db = connection.definitions.change_catalog(attach);
            connection.assert_databases();
            connection.load_schemas().inspect_err(|_| remove(connection, db))
        })
    }
}

/// The flags with which ATTACH may open a file, without those that SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE and _WRITE
/// forbid.
fn attach_flags(connection: &Connection, flags: OpenFlags) -> OpenFlags {
    if !connection.settings.config(Config::EnableAttachWrite) {
        return flags.without(OpenFlags::READWRITE | OpenFlags::CREATE) | OpenFlags::READONLY;
    }
    if !connection.settings.config(Config::EnableAttachCreate) {
        return flags.without(OpenFlags::CREATE);
    }
    flags
}

/// DETACH.
pub(crate) fn detach(
    connection: &Connection,
    program: &Arc<Program>,
    bindings: &[Value],
    run: &StatementRun,
) -> Result<()> {
    let row = values(connection, program, bindings, run)?;
    let name = text(row.first());
    let name = Name::new(&name);
    let catalog = connection.catalog();
    let is_open = |db: &Db| *db != Db::TEMP || connection.databases.get(*db).is_ok_and(|temp| temp.opened().is_some());
    let Some(db) = catalog.find_database(name).filter(is_open) else {
        return Err(Error::generic(format!("no such database: {name}")));
    };
    if db.0 < 2 {
        return Err(Error::generic(format!("cannot detach database {name}")));
    }
    let database = connection.databases.get(db)?;
    let pager_is_busy = database.opened().is_some_and(|btree| btree.pager().is_reading());
    if pager_is_busy || database.backups.get() > 0 || database.is_backup_target.get() {
        return Err(Error::generic(format!("database {name} is locked")));
    }
    remove(connection, db);
    connection.expire_statements();
    Ok(())
}

fn remove(connection: &Connection, db: Db) {
    connection.kept_tables.clear();
    connection.databases.detach(db, !connection.settings.config(Config::NoCheckpointOnClose));
    connection.definitions.change_catalog(|catalog| catalog.detach(db));
    connection.assert_databases();
    connection.disconnect_unknown_tables();
}
