//! One statement, from tree to program.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_catalog::{CompileError, ErrorKind, Result};
use lithe_optimize::explain::Explain;
use lithe_optimize::plan::RowsFor;
use lithe_resolve::environment::{Environment, Evaluator};
use lithe_resolve::ir::OutputColumn;
use lithe_resolve::{Found, Resolver, Rules, Scope};
use lithe_sql::ast::{Drop, Explain as ExplainKind, ObjectKind, Stmt};
use lithe_vm::builder::SpareBuilder;
use lithe_vm::insn::Insn;
use lithe_vm::program::Program;
use lithe_vm::result_columns::{NewColumn, ResultColumns};

use crate::ddl::{
    alter_table, analyze, create_index, create_table, create_trigger, create_view, create_virtual_table, drop_object,
    reindex,
};
use crate::derived::table_column;
use crate::write::emit_change;
use crate::{Codegen, Destination, new_program};

/// A statement to be compiled.
#[derive(Clone, Copy, Debug)]
pub struct CompileRequest<'a> {
    /// The statement. The engine's commands are of another type.
    pub stmt: Stmt<'a>,
    /// The text that the tree was parsed from.
    pub sql: &'a [u8],
    /// Whether its plan is explained: only then are the lines of EXPLAIN QUERY PLAN built.
    pub explain: ExplainKind,
    /// The largest number of a parameter in the text.
    pub parameter_count: u32,
    /// The number of SELECTs in the text that are numbered.
    pub select_count: u32,
    /// Where the memory of a program under construction is kept for reuse, if anywhere.
    pub builders: Option<&'a SpareBuilder>,
    /// Calls functions for the planner.
    pub evaluator: Option<&'a dyn Evaluator>,
}

/// Compiles a statement. The resolved tree is in `arena`, which may be freed after the compilation.
pub fn compile<'a>(request: &CompileRequest<'a>, arena: &'a Bump, env: &'a Environment) -> Result<Arc<Program>> {
    let resolver = arena.alloc_with(|| Resolver::new(env, arena));
    resolver.evaluator = request.evaluator;
    let resolver: &'a Resolver<'a> = resolver;
    resolver.number_selects_from(request.select_count);
    let is_measured = env.flags.scan_status;
    let explain = match request.explain {
        ExplainKind::QueryPlan => Explain::on(),
        _ if is_measured => Explain::measuring(),
        _ => Explain::off(),
    };
    let mut cg = Codegen::new(resolver, explain, request.builders);
    cg.is_measured = is_measured;
    let columns = match compile_statement(&mut cg, request) {
        Err(error) if error.kind == ErrorKind::Ignored => return Ok(compile_nothing(resolver, request)),
        columns => columns?,
    };
    let program = finish(&mut cg, columns, request);
    if let Some(builders) = request.builders {
        builders.put(cg.b);
    }
    Ok(program)
}

/// The program of a statement for which the authorizer returned SQLITE_IGNORE: it does nothing.
#[cold]
fn compile_nothing<'a>(resolver: &'a Resolver<'a>, request: &CompileRequest<'a>) -> Arc<Program> {
    finish(&mut Codegen::new(resolver, Explain::off(), None), &[], request)
}

/// Ends the statement's program.
fn finish<'a>(cg: &mut Codegen<'a>, columns: &'a [OutputColumn<'a>], request: &CompileRequest<'a>) -> Arc<Program> {
    cg.b.emit(Insn::Halt {});
    let drops_rows = cg.drops_rows();
    let writes = cg.transactions.write();
    let mut finished = cg.finish(request.parameter_count);
    let program = new_program(&mut finished);
    program.quoted_strings = cg.resolver.quoted_strings();
    program.planned_parameters = cg.env.planned_parameters.bits();
    program.has_compared_parameters = cg.env.planned_parameters.has_compared();
    program.uses_sizes = cg.env.wanted.is_asked();
    program.columns = result_columns(cg.env, columns);
    (program.is_read_only, program.counts_changes) = match request.stmt {
        Stmt::Select(_) => (true, false),
        Stmt::Insert(_) | Stmt::Update(_) | Stmt::Delete(_) => (false, true),
        // As in SQLite, these do not write where they find nothing to do; other statements on the schema always count as writing.
        Stmt::Reindex(_) | Stmt::CreateTrigger(_) | Stmt::Drop(Drop { kind: ObjectKind::Trigger, .. }) => {
            (!writes, false)
        }
        _ => (false, drops_rows),
    };
    finished
}

/// Emits the statement's code; returns the columns of its rows.
fn compile_statement<'a>(cg: &mut Codegen<'a>, request: &CompileRequest<'a>) -> Result<&'a [OutputColumn<'a>]> {
    let CompileRequest { stmt, sql, parameter_count: parameters, .. } = *request;
    let found = Found::default();
    let rules = Rules::of_statements(&cg.env.flags);
    let scope = Scope { rules, ..Scope::outermost(sql, &found) };
    if !cg.env.authorize_schema_change(&stmt)? {
        return Err(CompileError::ignored());
    }
    match stmt {
        Stmt::Select(select) => {
            let query = cg.resolver.query(&scope, select)?;
            let query = cg.prepare_query(query);
            let plan = cg.plan_query(query, RowsFor::Use)?;
            cg.emit_query(plan, &Destination::Output)?;
            return Ok(query.columns);
        }
        Stmt::Insert(_) | Stmt::Update(_) | Stmt::Delete(_) => return emit_change(cg, &scope, &stmt),
        Stmt::CreateTable(create) => create_table(cg, create, sql)?,
        Stmt::CreateIndex(create) => create_index(cg, create, sql)?,
        Stmt::CreateView(create) => create_view(cg, create, sql, parameters)?,
        Stmt::CreateTrigger(create) => create_trigger(cg, create, sql, parameters)?,
        Stmt::Drop(drop) => return drop_object(cg, drop),
        Stmt::Reindex(name) => reindex(cg, name, sql)?,
        Stmt::CreateVirtualTable(create) => create_virtual_table(cg, create, sql)?,
        Stmt::AlterTable(alter) => return alter_table(cg, alter, sql),
        Stmt::Analyze(name) => analyze(cg, name, sql)?,
    }
    Ok(&[])
}

/// The descriptions of the result columns, for the application.
fn result_columns<'a>(env: &'a Environment, columns: &'a [OutputColumn<'a>]) -> ResultColumns {
    ResultColumns::new(columns.iter().map(|column| NewColumn {
        name: column.name.as_bytes(),
        affinity: column.affinity,
        origin: column.origin.as_ref().map(|origin| table_column(env, origin.db, origin.table, origin.column)),
    }))
}
