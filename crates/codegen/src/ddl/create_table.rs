//! CREATE TABLE.

use lithe_catalog::{CompileError, Result, Table, build_table, check_generated_loops};
use lithe_sql::ast::{CreateTable, TableBody};

use super::build_options::build_options;
use super::names::{database_of_table, is_new_table};
use super::new_table::{create_trees, finish};
use super::system;
use crate::Codegen;

/// CREATE TABLE; `sql` is the statement's text.
pub(crate) fn create_table<'a>(cg: &mut Codegen<'a>, create: &'a CreateTable<'a>, sql: &'a [u8]) -> Result<()> {
    let reading = |error: CompileError| error.while_reading(sql, create.name.name.span().end);
    let db = database_of_table(cg, sql, create.name, create.temporary).map_err(reading)?;
    if !is_new_table(cg, db, sql, create.name.name, create.if_not_exists).map_err(reading)? {
        cg.transactions.use_database(db, false);
        return Ok(());
    }
    if let TableBody::Select(select) = create.body {
        return super::create_as::create_table_as(cg, db, create, select, sql);
    }
    let table = build_table(create, sql, &build_options(cg))?;
    refuse_loops(cg, &table)?;
    lithe_resolve::authorize_expressions(cg.env, db, &table)?;
    let text = [b"CREATE TABLE ", create.text.text(sql)].concat();
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    system::prepare_database(cg, db);
    let sql = cg.b.register();
    system::load_text(cg, &text, sql);
    create_trees(cg, db, &table, sql)?;
    finish(cg, db, &table)
}

fn refuse_loops(cg: &Codegen<'_>, table: &Table) -> Result<()> {
    if !table.has_generated_columns() {
        return Ok(());
    }
    check_generated_loops(table, |column| crate::write::generated_column_uses(cg, table, column))
}
