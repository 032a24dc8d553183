//! INSTEAD OF triggers, which run for the rows of a view.

use lithe_catalog::Result;
use lithe_optimize::write::insert::ViewInsert;
use lithe_optimize::write::view::ViewChange;
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, InsertRows, ResolvedChange, ResolvedInsert};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Reg};

use super::fire;
use super::returning::{Rows as ReturningRows, emit_row as emit_returning};
use super::row::{self, Row, RowChange};
use super::rows::Rows;
use crate::{Codegen, Destination};

/// INSERT INTO a view.
pub(super) fn insert<'a>(cg: &mut Codegen<'a>, resolved: &ResolvedInsert<'a>, plan: &ViewInsert<'a>) -> Result<()> {
    let target = &resolved.target;
    begin(cg, target);
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    let returning = ReturningRows::open(cg, resolved.returning, is_single)?;
    let new = Row::new(cg, target.width());
    cg.explain.inserted_rows(&plan.rows);
    let rows = Rows::begin(cg, &plan.rows, None)?;
    for at in 0..target.width() as u16 {
        match resolved.place_of(ChangedColumn::Column(at)) {
            Some(place) => rows.emit_value(cg, place, new.column(at))?,
            None => cg.b.emit(Insn::Null { start: new.column(at), count: 1 }),
        }
    }
    cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
    let (policy, ignore) = (plan.policy, rows.next());
    // NEW has reals in REAL columns, as wherever such a column is read; RETURNING returns the values as they are.
    let seen = Row::new(cg, target.width());
    cg.b.emit(Insn::Copy { src: new.rowid, dst: seen.rowid, count: target.width() as u32 + 1 });
    for (at, column) in target.view_columns.iter().enumerate() {
        if column.affinity == Some(Affinity::Real) {
            cg.b.emit(Insn::RealAffinity { reg: seen.column(at as u16) });
        }
    }
    fire::instead(cg, &plan.triggers, &RowChange { target, old: None, new: Some(seen), policy, ignore })?;
    cg.emit_row_count();
    cg.set_access(target.source, new.access());
    let emit_returned = |cg: &mut Codegen<'a>| emit_returning(cg, returning.as_ref(), plan.returning.as_ref());
    if is_single { emit_returned(cg) } else { cg.in_loop(emit_returned) }?;
    rows.end(cg);
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// UPDATE or DELETE of the rows of a view: all rows are computed first, each followed by the values of SET.
pub(super) fn change<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, plan: &ViewChange<'a>) -> Result<()> {
    let target = &change.target;
    begin(cg, target);
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let width = target.width();
    cg.explain.query(plan.rows);
    let cursor = cg.ephemeral_table(width + change.set.len());
    cg.b.emit(Insn::OpenEphemeral { cursor });
    cg.emit_query(plan.rows, &Destination::Table { cursor })?;
    let (next, done) = (cg.b.label(), cg.b.label());
    let old = Row::new(cg, width);
    let values = cg.b.registers(change.set.len());
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor, column: 0, dst: old.columns, count: width as u32 });
    cg.b.emit(Insn::Integer { value: -1, dst: old.rowid });
    let new = if change.set.is_empty() { None } else { Some(emit_new(cg, target, change.set, old, values, cursor)) };
    // RETURNING alone sees the values as they are given, like NEW of an INSERT.
    if let Some(new) = new.filter(|_| !plan.triggers.is_empty()) {
        emit_affinities(cg, target, new);
    }
    // PRAGMA count_changes counts the rows of a DELETE when they are found.
    if change.set.is_empty() {
        cg.emit_row_count();
    }
    let row_change = RowChange { target, old: Some(old), new, policy: plan.policy, ignore: next };
    fire::instead(cg, &plan.triggers, &row_change)?;
    if !change.set.is_empty() {
        cg.emit_row_count();
    }
    cg.set_access(target.source, new.unwrap_or(old).access());
    cg.in_loop(|cg| emit_returning(cg, returning.as_ref(), plan.returning.as_ref()))?;
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// The database of the view is locked for writing, even if no trigger changes a table.
fn begin(cg: &mut Codegen<'_>, target: &ChangeTarget<'_>) {
    cg.journal.note_more_changes();
    cg.transactions.use_database(target.db, true);
}

/// NEW of an UPDATE, with the values as they are given.
fn emit_new<'a>(
    cg: &mut Codegen<'a>,
    target: &ChangeTarget<'a>,
    set: &[Assigned<'a>],
    old: Row,
    values: Reg,
    cursor: CursorId,
) -> Row {
    let width = target.width();
    let new = Row::new(cg, width);
    cg.b.emit(Insn::Copy { src: old.rowid, dst: new.rowid, count: width as u32 + 1 });
    cg.b.emit(Insn::Columns { cursor, column: width as u16, dst: values, count: set.len() as u32 });
    for (at, assigned) in set.iter().enumerate() {
        let dst = match assigned.column {
            ChangedColumn::Column(column) => new.column(column),
            ChangedColumn::Rowid => new.rowid,
        };
        cg.b.emit(Insn::Copy { src: values.at(at), dst, count: 1 });
    }
    new
}

/// Gives NEW the affinities of the view's columns.
fn emit_affinities(cg: &mut Codegen<'_>, target: &ChangeTarget<'_>, new: Row) {
    let affinities = target.view_columns.iter().map(|column| column.affinity.unwrap_or(Affinity::Blob));
    row::emit_affinities(cg, new.columns, affinities);
}
