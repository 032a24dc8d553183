//! REINDEX.

use lithe_catalog::{Index, Result, Table, fail};
use lithe_optimize::write::table::{index_exprs, index_filter};
use lithe_resolve::authorize::Action;
use lithe_resolve::ir::Coll;
use lithe_sql::ast::{Name, QualifiedName};
use lithe_vm::operand::Db;

use super::create_index::uses_collation;
use super::fill_index::{Filling, Root, fill_index};
use crate::Codegen;

/// REINDEX of all indexes, of those that use a collation, of a table, of an index; `sql` is the statement's text.
pub(crate) fn reindex<'a>(cg: &mut Codegen<'a>, written: Option<&'a QualifiedName<'a>>, sql: &[u8]) -> Result<()> {
    let catalog = &cg.env.catalog;
    let Some(written) = written else { return reindex_all(cg, None) };
    let (schema, name) = (written.schema.map(|schema| schema.name), written.name.name);
    if schema.is_none() && (cg.env.collation(Coll::named(name)).is_ok() || is_named_as_collation(cg, name)) {
        return reindex_all(cg, Some(name));
    }
    if let Some(schema) = written.schema {
        catalog.named_database(schema, sql)?;
    }
    if let Some(found) = catalog.find_table(schema, name) {
        return reindex_table(cg, found.db, found.table, None);
    }
    match catalog.find_index(schema, name) {
        Some(found) => rebuild(cg, found.db, found.table, found.index),
        None => fail("unable to identify the object to be reindexed"),
    }
}

/// Whether any column has a collation of that name, whether it is defined or not. (SQLite does not find a name that stands in keys alone.)
fn is_named_as_collation(cg: &Codegen<'_>, name: Name<'_>) -> bool {
    let uses = |table: &Table| table.columns.iter().any(|column| column.collation.name() == name);
    cg.env.catalog.databases().iter().any(|database| database.schema.tables().into_iter().any(|table| uses(table)))
}

/// Rebuilds the indexes of all databases that use the collation.
fn reindex_all<'a>(cg: &mut Codegen<'a>, collation: Option<Name<'a>>) -> Result<()> {
    for (db, database) in cg.env.catalog.databases().iter().enumerate() {
        for table in database.schema.tables() {
            reindex_table(cg, Db(db as u8), table, collation)?;
        }
    }
    Ok(())
}

fn reindex_table<'a>(cg: &mut Codegen<'a>, db: Db, table: &'a Table, collation: Option<Name<'_>>) -> Result<()> {
    for index in &table.indexes {
        if collation.is_none_or(|collation| uses_collation(index, collation)) {
            rebuild(cg, db, table, index)?;
        }
    }
    Ok(())
}

fn rebuild<'a>(cg: &mut Codegen<'a>, db: Db, table: &'a Table, index: &'a Index) -> Result<()> {
    if !cg.env.authorize(Action::Reindex, Some(index.name.name()), None, Some(db), None)? {
        return Ok(());
    }
    cg.transactions.use_database(db, true);
    cg.journal.note_more_changes();
    cg.journal.note_may_abort();
    let source = cg.resolver.new_source();
    let exprs = index_exprs(cg.resolver, db, table, source, index)?;
    let filter = index_filter(cg.resolver, db, table, source, index)?;
    fill_index(cg, &Filling { db, table, source, index, exprs, filter, root: Root::OfIndex })
}
