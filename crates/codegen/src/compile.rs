//! One statement, from tree to program.

use bumpalo::Bump;
use lithe_catalog::{CompileError, Result};
use lithe_optimize::explain::Explain;
use lithe_resolve::environment::Environment;
use lithe_resolve::ir::{Origin, OutputColumn};
use lithe_resolve::{Found, Resolver, Rules, Scope};
use lithe_sql::ast::{Explain as ExplainKind, Statement, Stmt};
use lithe_vfs::ResultCode;
use lithe_vm::insn::Insn;
use lithe_vm::program::{ColumnOrigin, Program, ResultColumn};

use crate::ddl::{
    alter_table, analyze, create_index, create_table, create_trigger, create_view, create_virtual_table, drop_object,
    reindex,
};
use crate::write::{delete, insert, update};
use crate::{Codegen, Destination};

/// Compiles a statement that is a program: a query, a change, or DDL. The others are the engine's.
///
/// `sql` is the text that the tree was parsed from. The resolved tree lives in `arena` and is not needed any more when
/// the program is there.
pub fn compile<'a>(statement: &Statement<'a>, sql: &'a [u8], arena: &'a Bump, env: &'a Environment) -> Result<Program> {
    let resolver: &'a Resolver<'a> = arena.alloc(Resolver::new(env, arena));
    let explain = if statement.explain == ExplainKind::QueryPlan { Explain::on() } else { Explain::off() };
    let mut cg = Codegen::new(resolver, explain);
    let columns = match compile_statement(&mut cg, statement, sql) {
        // The authorizer says that nothing shall be done.
        Err(error) if error.code == ResultCode::OK => {
            cg = Codegen::new(resolver, Explain::off());
            &[]
        }
        result => result?,
    };
    cg.b.emit(Insn::Halt {});
    let drops_rows = cg.drops_rows();
    let mut program = cg.finish(statement.parameters.count);
    program.quoted_strings = resolver.quoted_strings();
    program.columns = columns.iter().map(|column| result_column(env, column)).collect();
    (program.is_read_only, program.counts_changes) = match statement.kind {
        Stmt::Select(_) => (true, false),
        Stmt::Insert(_) | Stmt::Update(_) | Stmt::Delete(_) => (false, true),
        _ => (false, drops_rows),
    };
    Ok(program)
}

/// Emits the statement's code; gives the columns of its rows.
fn compile_statement<'a>(
    cg: &mut Codegen<'a>,
    statement: &Statement<'a>,
    sql: &'a [u8],
) -> Result<&'a [OutputColumn<'a>]> {
    let found = Found::default();
    let rules = Rules { no_strings_in_double_quotes: !cg.env.flags.dqs_dml, ..Rules::default() };
    let scope = Scope { rules, ..Scope::outermost(sql, &found) };
    let parameters = statement.parameters.count;
    if !cg.env.ask_schema_change(&statement.kind)? {
        return Err(CompileError::nothing_to_do());
    }
    match statement.kind {
        Stmt::Select(select) => {
            let query = cg.resolver.query(&scope, select)?;
            let query = cg.prepare_query(query);
            cg.emit_query(query, &Destination::Output)?;
            return Ok(query.columns);
        }
        Stmt::Insert(statement) => return insert(cg, &scope, statement),
        Stmt::Update(statement) => return update(cg, &scope, statement),
        Stmt::Delete(statement) => return delete(cg, &scope, statement),
        Stmt::CreateTable(create) => create_table(cg, create, sql)?,
        Stmt::CreateIndex(create) => create_index(cg, create, sql)?,
        Stmt::CreateView(create) => create_view(cg, create, sql, parameters)?,
        Stmt::CreateTrigger(create) => create_trigger(cg, create, sql, parameters)?,
        Stmt::Drop(drop) => drop_object(cg, drop)?,
        Stmt::Reindex(name) => reindex(cg, name)?,
        Stmt::CreateVirtualTable(create) => create_virtual_table(cg, create, sql)?,
        Stmt::AlterTable(alter) => alter_table(cg, alter, sql)?,
        Stmt::Analyze(name) => analyze(cg, name)?,
        Stmt::Pragma(_)
        | Stmt::Begin(_)
        | Stmt::Commit
        | Stmt::Rollback
        | Stmt::Savepoint(_)
        | Stmt::Release(_)
        | Stmt::RollbackTo(_)
        | Stmt::Attach(_)
        | Stmt::Detach(_)
        | Stmt::Vacuum(_) => unreachable!("the connection does this itself"),
    }
    Ok(&[])
}

/// What the application is told about a result column.
fn result_column(env: &Environment, column: &OutputColumn<'_>) -> ResultColumn {
    ResultColumn {
        name: column.name.to_str_lossy().into_owned(),
        declared_type: column.origin.as_ref().and_then(declared_type),
        affinity: column.affinity,
        origin: column.origin.map(|origin| ColumnOrigin {
            database: env.catalog.database_name(origin.db).into(),
            table: (&origin.table.name).into(),
            column: origin
                .column
                .map_or_else(|| "rowid".to_owned(), |at| (&origin.table.columns[usize::from(at)].name).into()),
        }),
    }
}

fn declared_type(origin: &Origin<'_>) -> Option<String> {
    let Some(at) = origin.column else { return Some("INTEGER".to_owned()) };
    let declared = &origin.table.columns[usize::from(at)].declared_type;
    (!declared.is_empty()).then(|| String::from_utf8_lossy(declared).into_owned())
}
