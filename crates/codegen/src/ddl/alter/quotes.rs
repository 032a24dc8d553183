//! The rewrite of a single statement of the schema that ALTER TABLE does for all of them: its strings in double quotes are put
//! into single quotes.

use bumpalo::Bump;
use lithe_catalog::{BuildOptions, CompileError, Result, Table, build_table, fail};
use lithe_resolve::environment::Environment;
use lithe_resolve::{Found, Resolver, Scope, Stored};
use lithe_sql::ast::{CreateIndex, Stmt};
use lithe_vm::operand::Db;

use super::definitions::resolve_constraints;
use super::objects::{logging, replace_strings};
use super::text::TextEdits;
use super::verify;

/// The CREATE statement `sql`, read as one of the schema of `db`.
///
/// # Errors
/// If the statement cannot be parsed, or a name in it cannot be resolved.
pub fn with_single_quotes(env: &Environment, db: Db, sql: &[u8]) -> Result<Vec<u8>> {
    let arena = Bump::new();
    let table: Table;
    let resolver = logging(env, &arena, sql);
    match resolver.parse_stored(sql)? {
        Stmt::CreateTable(create) => {
            let options = BuildOptions::of_stored(&env.limits);
            table = build_table(create, sql, &options)?;
            resolve_constraints(&resolver, db, &table, create, sql)?;
        }
        Stmt::CreateIndex(create) => resolve_index(&resolver, db, create, sql)?,
        Stmt::CreateView(create) => {
            let found = Found::default();
            let fixed_db = (db != Db::TEMP).then_some(db);
            verify::query(&resolver, &Scope { fixed_db, ..Scope::outermost(sql, &found) }, create.select)?;
        }
        Stmt::CreateTrigger(create) => verify::resolve_trigger(&resolver, db, create, sql)?,
        _ => return fail("not a statement of the schema"),
    }
    let mut edits = TextEdits::default();
    replace_strings(&resolver, sql, &mut edits);
    Ok(edits.apply(sql))
}

fn resolve_index<'a>(resolver: &Resolver<'a>, db: Db, create: &CreateIndex<'a>, sql: &'a [u8]) -> Result<()> {
    let name = create.table.name;
    let Some(table) = resolver.env.catalog.schema(db).table(name) else {
        return Err(CompileError::no_such("table", name));
    };
    let source = resolver.new_source();
    let terms = create.columns.iter().map(|term| (&term.expr, Stored::Index));
    for (expr, clause) in terms.chain(create.filter.iter().map(|filter| (filter, Stored::PartialIndex))) {
        resolver.table_expr(expr, sql, clause, source, db, table)?;
    }
    Ok(())
}
