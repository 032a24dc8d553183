//! INSERT INTO … SELECT * FROM a table of the same shape: its records are inserted as they are.
//!
//! Taking a record apart and putting it together again gives the same bytes if both tables say the same about every column, and
//! nobody looks at the rows on their way. Only the rowid is another one, unless a column is its other name.

use lithe_catalog::{Column, Result, Table, TableKind};
use lithe_resolve::ir::{ColumnIndex, Expr, Query, Select, SourceId, SourceKind};
use lithe_resolve::{ChangedColumn, InsertRows, ResolvedInsert};
use lithe_sql::ast;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Db, Sequence};

use super::constraint::Checked;
use super::row::Row;
use super::target::Target;
use super::unique::{Uniqueness, emit_unique};
use crate::Codegen;

/// The table whose records can be inserted as they are, if it is so. Triggers and foreign keys are the caller's to ask about.
pub(super) fn source<'a>(insert: &ast::Insert<'a>, resolved: &ResolvedInsert<'a>) -> Option<(Db, &'a Table)> {
    let InsertRows::Query(query) = resolved.rows else { return None };
    let target = resolved.target.table;
    let (db, table) = whole_table(query).filter(|_| is_star(insert))?;
    let is_plain = resolved.upserts.is_empty() && resolved.returning.is_none() && is_transferred(target);
    let is_same_place = db == resolved.target.db && !std::ptr::eq(table, target);
    (is_plain && is_same_place && is_whole_row(resolved, target) && have_one_shape(table, target))
        .then_some((db, table))
}

/// Emits the loop over the rows of `source`. The target is open.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    target: &Target<'a>,
    policy: Option<ast::Conflict>,
    source: (Db, &'a Table),
) -> Result<()> {
    let from = cg.open_table(source.0, source.1)?;
    let row = Row::new(cg, target.table.columns.len());
    let record = cg.b.register();
    let (next, done) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::Rewind { cursor: from, target: done });
    let top = cg.b.here();
    let mut flags = insert_flags::COUNT_CHANGE | insert_flags::LAST_ROWID;
    if target.table.rowid_column.is_some() {
        cg.b.emit(Insn::Rowid { cursor: from, dst: row.rowid });
        let checked = Checked { target, row, policy, changed: None, ignore: next };
        let unique = Uniqueness { checked, old_key: None, rowid_is_given: true, affinity_waits: false, upserts: &[] };
        let is_sought = cg.in_loop(|cg| emit_unique(cg, &unique))?.is_sought;
        flags |= if is_sought { insert_flags::USE_SEEK } else { 0 };
    } else {
        let cursor = target.cursor;
        cg.b.emit(Insn::NewRowid { cursor, dst: row.rowid, sequence: Sequence::NONE });
        flags |= insert_flags::APPEND;
    }
    cg.b.emit(Insn::RowData { cursor: from, dst: record });
    cg.b.emit(Insn::Insert { flags, cursor: target.cursor, rowid: row.rowid, record });
    cg.emit_row_count();
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor: from, target: top });
    cg.b.place(done);
    Ok(())
}

/// The one table that the query gives as it is.
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

/// Whether the query is written as SELECT *. (Otherwise SQLite makes no short cut, and EXPLAIN QUERY PLAN shows the scan.)
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

/// Whether nothing has to be looked at in new rows of the table, but the rowid.
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

/// Records that are older than a column do not have it: then both must have the same default.
fn holds_the_same(from: &Column, to: &Column) -> bool {
    from.affinity == to.affinity
        && from.default == to.default
        && (to.not_null.is_none() || from.not_null.is_some())
        && !from.is_generated()
        && !to.is_generated()
}
