//! CREATE INDEX.

use lithe_catalog::{CompileError, FoundTable, Index, IndexTerm, Result, Table, build_index, fail, qualified};
use lithe_resolve::Stored;
use lithe_resolve::ir::{Expr, SourceId};
use lithe_sql::ast::{CreateIndex, Name};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Db;

use super::build_options::build_options;
use super::fill_index::{Filling, Root, fill_index};
use super::names::{database_of, refuse_reserved};
use super::system::{self, NewRow, tree_kind};
use crate::Codegen;

/// CREATE INDEX; `sql` is the statement's text.
pub(crate) fn create_index<'a>(cg: &mut Codegen<'a>, create: &'a CreateIndex<'a>, sql: &'a [u8]) -> Result<()> {
    let (db, table) = indexed_table(cg, create, sql)?;
    if !is_new_index(cg, db, create)? {
        cg.transactions.use_database(db, false);
        return Ok(());
    }
    let index = build_index(create, sql, table, &build_options(cg))?;
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    let (root, text) = (cg.b.register(), cg.b.register());
    cg.b.emit(Insn::CreateTree { db, kind: tree_kind::INDEX, dst: root });
    let unique = if create.unique { "UNIQUE " } else { "" };
    let stored_sql = [b"CREATE ", unique.as_bytes(), b"INDEX ", create.text.text(sql)].concat();
    system::load_text(cg, &stored_sql, text);
    let schema = system::open_schema_table(cg, db)?;
    let (name, table_name) = (index.name.name(), table.name.name());
    let row = NewRow { kind: "index", name, table: table_name, root: Some(root), sql: Some(text) };
    system::insert_schema_row(cg, schema, &row);
    let source = cg.resolver.new_source();
    let filter = match &create.filter {
        Some(filter) => Some(cg.resolver.table_expr(filter, sql, Stored::PartialIndex, source, db, table)?),
        None => None,
    };
    let exprs = &new_index_exprs(cg, create, sql, &index, source, db, table)?;
    cg.env.authorize_fill_index(db, &index)?;
    fill_index(cg, &Filling { db, table, source, index: &index, exprs, filter, root: Root::Register(root) })?;
    system::bump_cookie(cg, db);
    system::load_object(cg, db, "index", name);
    Ok(())
}

/// The database of the table and its index, and the table.
fn indexed_table<'a>(cg: &Codegen<'a>, create: &CreateIndex<'a>, sql: &[u8]) -> Result<(Db, &'a Table)> {
    let catalog = &cg.env.catalog;
    let mut db = database_of(cg, sql, create.name)?;
    let anywhere = catalog.find_table(None, create.table.name);
    let is_temporary = anywhere.is_some_and(|found| found.db == Db::TEMP);
    if create.name.schema.is_none() && is_temporary {
        db = Db::TEMP;
    }
    let schema = catalog.database_name(db).name();
    let scope = if db == Db::TEMP { None } else { Some(schema) };
    let Some(FoundTable { db: of_table, table }) = catalog.find_table(scope, create.table.name) else {
        return Err(CompileError::no_such("table", qualified(scope, create.table.name)));
    };
    if db == Db::TEMP && of_table != Db::TEMP {
        return fail(format!("cannot create a TEMP index on non-TEMP table \"{}\"", table.name));
    }
    if table.is_system() {
        return fail(format!("table {} may not be indexed", table.name));
    }
    if table.view().is_some() {
        return fail("views may not be indexed");
    }
    if table.virtual_table().is_some() {
        return fail("virtual tables may not be indexed");
    }
    Ok((db, table))
}

fn is_new_index(cg: &Codegen<'_>, db: Db, create: &CreateIndex<'_>) -> Result<bool> {
    let name = create.name.name.name;
    refuse_reserved(cg, name)?;
    let schema = cg.env.catalog.schema(db);
    if schema.table(name).is_some() {
        return fail(format!("there is already a table named {name}"));
    }
    match schema.index(name) {
        None => Ok(true),
        Some(_) if create.if_not_exists => Ok(false),
        Some(_) => fail(format!("index {name} already exists")),
    }
}

/// The expressions of the new index's columns, taken from the statement, whose text is not yet in the catalog.
fn new_index_exprs<'a>(
    cg: &Codegen<'a>,
    create: &CreateIndex<'a>,
    sql: &'a [u8],
    index: &Index,
    source: SourceId,
    db: Db,
    table: &'a Table,
) -> Result<Vec<Expr<'a>>> {
    let mut exprs = Vec::with_capacity(index.columns.len());
    for (at, column) in index.columns.iter().enumerate() {
        exprs.push(match column.term {
            IndexTerm::Column(column) => {
                if at < usize::from(index.key_count) {
                    cg.env.authorize_read(
                        table.name.name(),
                        table.columns[usize::from(column)].name.name(),
                        db,
                        None,
                    )?;
                }
                cg.resolver.table_column(source, table, column)
            }
            IndexTerm::Rowid => cg.resolver.rowid(source, table),
            IndexTerm::Expr(_) => {
                let term = &create.columns[at].expr;
                cg.resolver.table_expr(term, sql, Stored::Index, source, db, table)?
            }
        });
    }
    Ok(exprs)
}

/// Whether one of the index's columns has the collation `name`.
pub(super) fn uses_collation(index: &Index, name: Name<'_>) -> bool {
    index.columns.iter().any(|column| column.collation.name() == name)
}
