//! The trees of a new table, its rows in the schema table, and the steps after that.

use lithe_catalog::{IndexOrigin, Result, SEQUENCE_TABLE, Table};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Db, Reg};

use super::system::{self, NewRow, tree_kind};
use crate::Codegen;

/// Creates the B-trees of a table and of the indexes of its constraints, each with its row in the schema table. Returns the
/// register of the table's root page.
pub(super) fn create_trees(cg: &mut Codegen<'_>, db: Db, table: &Table, sql: Reg) -> Result<Reg> {
    let schema = system::open_schema_table(cg, db)?;
    let name = table.name.name();
    let kind = if table.is_without_rowid() { tree_kind::INDEX } else { tree_kind::TABLE };
    let root = cg.b.register();
    cg.b.emit(Insn::CreateTree { db, kind, dst: root });
    // As in SQLite, the text is written last: pages that it needs come behind the roots of the indexes.
    let reserved = system::reserve_schema_row(cg, schema);
    let mut indexes: Vec<_> = table.indexes.iter().collect();
    // Their names end in numbers in the order of the text.
    indexes.sort_by_key(|index| (index.name.as_bytes().len(), index.name.as_bytes().to_vec()));
    for index in indexes {
        cg.env.authorize_index_of_constraint(db, table, index)?;
        if table.is_without_rowid() && index.origin == IndexOrigin::PrimaryKey {
            continue;
        }
        let root = cg.b.register();
        cg.b.emit(Insn::CreateTree { db, kind: tree_kind::INDEX, dst: root });
        let row = NewRow { kind: "index", name: index.name.name(), table: name, root: Some(root), sql: None };
        system::insert_schema_row(cg, schema, &row);
    }
    let row = NewRow { kind: "table", name, table: name, root: Some(root), sql: Some(sql) };
    system::fill_schema_row(cg, schema, reserved, &row);
    cg.env.authorize_schema_row(db)?;
    Ok(root)
}

/// Increments the cookie and loads the new table; creates sqlite_sequence for the first AUTOINCREMENT table of a database.
pub(super) fn finish(cg: &mut Codegen<'_>, db: Db, table: &Table) -> Result<()> {
    system::bump_cookie(cg, db);
    if table.autoincrement && system::system_table(cg, db, SEQUENCE_TABLE).is_none() {
        cg.env.authorize_system_table(db, SEQUENCE_TABLE)?;
        let sequence = Table { name: SEQUENCE_TABLE.into(), ..Table::default() };
        let sql = cg.b.register();
        system::load_text(cg, b"CREATE TABLE sqlite_sequence(name,seq)", sql);
        create_trees(cg, db, &sequence, sql)?;
        system::load_object(cg, db, "table", sequence.name.name());
    }
    system::load_object(cg, db, "table", table.name.name());
    Ok(())
}
