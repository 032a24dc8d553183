//! INSERT INTO … SELECT * FROM a table of the same shape: which records can be inserted as they are.
//!
//! Decoding a record and encoding it again gives the same bytes if both tables declare every column alike. So if no trigger, foreign
//! key or hook reads the rows, the records are inserted as they are.

use std::sync::Arc;

use bumpalo::Bump;
use lithe_base::Db;
use lithe_catalog::{CollationName, Column as TableColumn, Index, IndexTerm, Table, TableKind};
use lithe_resolve::environment::Flags;
use lithe_resolve::ir::{Column, ColumnIndex, Core, CoreBody, Expr, Query, Select, SourceId, SourceKind, plain_output};
use lithe_resolve::{ChangedColumn, InsertRows, ResolvedInsert};
use lithe_sql::ast;
use lithe_value::Affinity;

/// The table whose records can be inserted as they are, if neither triggers nor foreign keys nor a hook read the rows.
pub(super) fn transferred<'a>(insert: &ast::Insert<'a>, resolved: &ResolvedInsert<'a>) -> Option<(Db, &'a Table)> {
    let InsertRows::Query(query) = resolved.rows else { return None };
    let target = resolved.target.table;
    let (db, table) = whole_table(query).filter(|_| is_star(insert))?;
    let is_plain = resolved.upserts.is_empty() && resolved.returning.is_none() && is_transferred(target);
    let is_same_place = db == resolved.target.db && !std::ptr::eq(table, target);
    (is_plain && is_same_place && is_whole_row(resolved, target) && have_one_shape(table, target))
        .then_some((db, table))
}

/// Whether the new rows get the rowids of the old ones if the table is empty: where SQLite copies records into a table that has indexes, but
/// no column for its rowids. (There are neither triggers nor clauses for conflicts or RETURNING.)
pub(super) fn keeps_rowids(insert: &ast::Insert<'_>, resolved: &ResolvedInsert<'_>, flags: &Flags) -> bool {
    let InsertRows::Query(query) = resolved.rows else { return false };
    let target = resolved.target.table;
    let Some((_, from)) = whole_table(query).filter(|_| is_star(insert)) else { return false };
    let has_same_index = |to: &Arc<Index>| from.indexes.iter().any(|from| are_alike(from, to));
    target.kind == TableKind::Ordinary
        && target.has_rowid()
        && target.rowid_column.is_none()
        && !target.indexes.is_empty()
        && !std::ptr::eq(from, target)
        && (!target.strict || from.strict)
        && (!flags.foreign_keys || target.foreign_keys.is_empty())
        && !flags.count_changes
        && from.has_rowid()
        && is_whole_row(resolved, target)
        && have_one_shape(from, target)
        && from.columns.iter().zip(&target.columns).all(|(from, to)| from.collation == to.collation)
        && from.checks.iter().map(|check| &check.text).eq(target.checks.iter().map(|check| &check.text))
        && target.indexes.iter().all(has_same_index)
}

/// Whether two indexes have the same terms and conditions.
fn are_alike(one: &Index, other: &Index) -> bool {
    fn terms(index: &Index) -> impl Iterator<Item = (&IndexTerm, &CollationName, bool)> {
        index.key_columns().iter().map(|column| (&column.term, &column.collation, column.descending))
    }
    one.unique == other.unique && one.filter == other.filter && terms(one).eq(terms(other))
}

/// Lets the query return the rowids of the table, too, behind its columns.
pub(super) fn add_rowids<'a>(arena: &'a Bump, resolved: &mut ResolvedInsert<'a>) {
    let InsertRows::Query(query) = resolved.rows else { return };
    let [core] = query.cores else { return };
    let CoreBody::Select(select) = core.body else { return };
    let [Expr::Column(first), ..] = select.columns else { return };
    let of_rowid = Column { index: ColumnIndex::ROWID, affinity: Some(Affinity::Integer), ..**first };
    let rowid = Expr::Column(arena.alloc(of_rowid));
    let columns = arena.alloc_slice_copy(&[select.columns, &[rowid]].concat());
    let select = arena.alloc(Select { columns, ..*select });
    let cores = arena.alloc_slice_copy(&[Core { body: CoreBody::Select(select), ..*core }]);
    let columns = arena.alloc_slice_copy(&[query.columns, &[plain_output(&rowid)]].concat());
    resolved.add_rowid(arena, arena.alloc(Query { cores, columns, ..*query }));
}

/// The table, if the query returns all its rows unchanged.
fn whole_table<'a>(query: &'a Query<'a>) -> Option<(Db, &'a Table)> {
    let select = query.single_select().filter(|_| query.order_by.is_empty() && query.limit.is_none())?;
    let Select { sources: [source], terms: [], windows: [], having: None, .. } = *select else { return None };
    let SourceKind::Table(db, table) = source.kind else { return None };
    let is_each = select.columns.len() == table.columns.len()
        && select.columns.iter().enumerate().all(|(at, expr)| is_column(expr, source.id, table, at));
    (is_each && !select.distinct && !select.is_aggregate).then_some((db, table))
}

fn is_column(expr: &Expr<'_>, source: SourceId, table: &Table, at: usize) -> bool {
    let Expr::Column(column) = expr else { return false };
    let is_rowid = column.index == ColumnIndex::ROWID && table.rowid_column == Some(at as u16);
    column.source == source && (is_rowid || column.index.position() == Some(at))
}

/// Whether the query is written as SELECT *. (Otherwise SQLite does not use its transfer optimization, and EXPLAIN QUERY
/// PLAN shows the scan.)
fn is_star(insert: &ast::Insert<'_>) -> bool {
    let Some(select) = insert.source else { return false };
    match select.first {
        ast::SelectCore::Query(query) => {
            matches!(query.columns, [ast::ResultColumn { kind: ast::ResultColumnKind::Star, .. }])
        }
        ast::SelectCore::Values(_) => false,
    }
}

/// Whether the values of a row are those of the columns, one after the other.
fn is_whole_row(resolved: &ResolvedInsert<'_>, table: &Table) -> bool {
    let own = |at: u16| if table.rowid_column == Some(at) { ChangedColumn::Rowid } else { ChangedColumn::Column(at) };
    resolved.columns.len() == table.columns.len()
        && resolved.columns.iter().zip(0..).all(|(column, at)| *column == own(at))
}

/// Whether new rows of the table need no check but that of the rowid.
fn is_transferred(table: &Table) -> bool {
    table.kind == TableKind::Ordinary
        && table.indexes.is_empty()
        && table.checks.is_empty()
        && !table.strict
        && !table.autoincrement
}

/// Whether the records of one table can be those of the other.
fn have_one_shape(from: &Table, to: &Table) -> bool {
    from.kind == TableKind::Ordinary
        && from.rowid_column == to.rowid_column
        && from.columns.len() == to.columns.len()
        && from.columns.iter().zip(&to.columns).all(|(from, to)| holds_the_same(from, to))
}

/// Records that are older than a column lack it, so both columns must have the same default.
fn holds_the_same(from: &TableColumn, to: &TableColumn) -> bool {
    from.affinity == to.affinity
        && from.default == to.default
        && (to.not_null.is_none() || from.not_null.is_some())
        && !from.is_generated()
        && !to.is_generated()
}
