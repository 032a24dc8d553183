//! CREATE TABLE.

use lithe_catalog::{IndexOrigin, Result, SEQUENCE_TABLE, Table, build_table, check_generated_loops};
use lithe_sql::ast::{CreateTable, TableBody};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Db, Reg};

use super::build_options::build_options;
use super::names::{database_of_table, is_new_table};
use super::system::{self, NewRow, tree_kind};
use crate::Codegen;

/// CREATE TABLE; `sql` is the statement's text.
pub(crate) fn create_table<'a>(cg: &mut Codegen<'a>, create: &'a CreateTable<'a>, sql: &'a [u8]) -> Result<()> {
    let db = database_of_table(cg, create.name, create.temporary)?;
    if !is_new_table(cg, db, sql, create.name.name, create.if_not_exists)? {
        cg.use_database(db, false);
        return Ok(());
    }
    if let TableBody::Select(select) = create.body {
        return super::create_as::create_table_as(cg, db, create, select, sql);
    }
    let table = build_table(create, sql, &build_options(cg))?;
    refuse_loops(cg, &table)?;
    let text = [b"CREATE TABLE ", create.text.text(sql)].concat();
    cg.use_database(db, true);
    system::prepare_database(cg, db);
    let sql = cg.b.register();
    system::load_text(cg, &text, sql);
    create_trees(cg, db, &table, sql)?;
    finish(cg, db, &table)
}

/// Creates the B-trees of a table and of the indexes that its constraints bring, each with its row in the schema table.
/// Gives the register of the table's root page.
pub(super) fn create_trees(cg: &mut Codegen<'_>, db: Db, table: &Table, sql: Reg) -> Result<Reg> {
    let schema = system::open_schema_table(cg, db)?;
    let name = table.name.name();
    let kind = if table.is_without_rowid() { tree_kind::INDEX } else { tree_kind::TABLE };
    let root = cg.b.register();
    cg.b.emit(Insn::CreateTree { db, kind, dst: root });
    let row = NewRow { kind: "table", name, table: name, root: Some(root), sql: Some(sql) };
    system::insert_schema_row(cg, schema, &row);
    let mut indexes: Vec<_> = table.indexes.iter().collect();
    // Their names end in numbers that count them as they were written.
    indexes.sort_by_key(|index| (index.name.as_bytes().len(), index.name.as_bytes().to_vec()));
    for index in indexes {
        cg.env.ask_index_of_constraint(db, table, index)?;
        if table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey {
            continue;
        }
        let root = cg.b.register();
        cg.b.emit(Insn::CreateTree { db, kind: tree_kind::INDEX, dst: root });
        let row = NewRow { kind: "index", name: index.name.name(), table: name, root: Some(root), sql: None };
        system::insert_schema_row(cg, schema, &row);
    }
    cg.env.ask_schema_row(db)?;
    Ok(root)
}

/// Tells everybody about the new table, and creates sqlite_sequence for the first AUTOINCREMENT table of a database.
pub(super) fn finish(cg: &mut Codegen<'_>, db: Db, table: &Table) -> Result<()> {
    system::bump_cookie(cg, db);
    if table.autoincrement && system::system_table(cg, db, SEQUENCE_TABLE).is_none() {
        cg.env.ask_system_table(db, SEQUENCE_TABLE)?;
        let sequence = Table { name: SEQUENCE_TABLE.into(), ..Table::default() };
        let sql = cg.b.register();
        system::load_text(cg, b"CREATE TABLE sqlite_sequence(name,seq)", sql);
        create_trees(cg, db, &sequence, sql)?;
        system::load_object(cg, db, "table", sequence.name.name());
    }
    system::load_object(cg, db, "table", table.name.name());
    Ok(())
}

fn refuse_loops(cg: &Codegen<'_>, table: &Table) -> Result<()> {
    if !table.has_generated_columns() {
        return Ok(());
    }
    check_generated_loops(table, |column| crate::write::generated_column_uses(cg, table, column))
}
