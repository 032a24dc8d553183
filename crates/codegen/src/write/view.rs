//! INSTEAD OF triggers: what happens to the rows of a view.

use lithe_catalog::Result;
use lithe_optimize::insert::value_for;
use lithe_optimize::plan::RowsFor;
use lithe_resolve::ir::{Core, CoreBody, Expr, Query, Select};
use lithe_resolve::{Assigned, ChangeTarget, ChangedColumn, InsertRows, ResolvedChange, ResolvedInsert};
use lithe_sql::ast::{CompoundOp, SelectNumber};
use lithe_value::Affinity;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Reg;

use super::fire::{Firing, Triggers};
use super::returning::Rows as ReturningRows;
use super::row::{self, Row};
use super::rows::Rows;
use crate::{Codegen, Destination};

/// INSERT INTO a view.
pub(super) fn insert<'a>(cg: &mut Codegen<'a>, resolved: &ResolvedInsert<'a>, triggers: &Triggers<'a>) -> Result<()> {
    let target = &resolved.target;
    cg.note_more_changes();
    let is_single = !matches!(resolved.rows, InsertRows::Query(_));
    let returning = ReturningRows::open(cg, resolved.returning, is_single)?;
    let new = Row::new(cg, target.width());
    let plan = cg.plan_insert(resolved, !triggers.is_empty())?;
    let rows = Rows::begin(cg, &plan, None)?;
    for at in 0..target.width() as u16 {
        match value_for(resolved, ChangedColumn::Column(at)) {
            Some(place) => rows.emit_value(cg, place, new.column(at))?,
            None => cg.b.emit(Insn::Null { start: new.column(at), count: 1 }),
        }
    }
    cg.b.emit(Insn::Integer { value: -1, dst: new.rowid });
    let firing = Firing { policy: super::statement_policy(cg, resolved.or), ignore: rows.next() };
    // NEW has reals in REAL columns, as wherever such a column is read; RETURNING gives the values as they are.
    let seen = Row::new(cg, target.width());
    cg.b.emit(Insn::Copy { src: new.rowid, dst: seen.rowid, count: target.width() as u32 + 1 });
    for (at, column) in target.view_columns.iter().enumerate() {
        if column.affinity == Some(Affinity::Real) {
            cg.b.emit(Insn::RealAffinity { reg: seen.column(at as u16) });
        }
    }
    triggers.fire_instead(cg, target, None, Some(seen), firing)?;
    cg.emit_row_count();
    cg.set_access(target.source, new.access());
    finish_row(cg, returning.as_ref())?;
    rows.end(cg);
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// UPDATE or DELETE of the rows of a view: they are all computed first, with the values of SET behind them.
pub(super) fn change<'a>(cg: &mut Codegen<'a>, change: &ResolvedChange<'a>, triggers: &Triggers<'a>) -> Result<()> {
    cg.note_more_changes();
    let target = &change.target;
    let returning = ReturningRows::open(cg, change.returning, false)?;
    let width = target.width();
    let query = rows_and_values(cg, change);
    let query = cg.prepare_query(query);
    let cursor = cg.ephemeral_table(width + change.set.len());
    cg.b.emit(Insn::OpenEphemeral { cursor });
    let plan = cg.plan_query(query, RowsFor::Use)?;
    cg.emit_query(plan, &Destination::Table { cursor })?;
    let (next, done) = (cg.b.label(), cg.b.label());
    let old = Row::new(cg, width);
    let values = cg.b.registers(change.set.len());
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor, column: 0, dst: old.columns, count: width as u32 });
    cg.b.emit(Insn::Integer { value: -1, dst: old.rowid });
    let new = if change.set.is_empty() { None } else { Some(emit_new(cg, target, change.set, old, values, cursor)) };
    let firing = Firing { policy: super::statement_policy(cg, change.or), ignore: next };
    // PRAGMA count_changes counts the rows of a DELETE when they are found.
    if change.set.is_empty() {
        cg.emit_row_count();
    }
    triggers.fire_instead(cg, target, Some(old), new, firing)?;
    if !change.set.is_empty() {
        cg.emit_row_count();
    }
    cg.set_access(target.source, new.unwrap_or(old).access());
    finish_row(cg, returning.as_ref())?;
    cg.b.place(next);
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    super::finish_statement(cg, returning.as_ref());
    Ok(())
}

/// NEW of an UPDATE, with the affinities of the view's columns. (That of an INSERT has values as they are given.)
fn emit_new<'a>(
    cg: &mut Codegen<'a>,
    target: &ChangeTarget<'a>,
    set: &[Assigned<'a>],
    old: Row,
    values: Reg,
    cursor: lithe_vm::operand::CursorId,
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
    let affinities = target.view_columns.iter().map(|column| column.affinity.unwrap_or(Affinity::Blob));
    row::emit_affinities(cg, new.columns, affinities);
    new
}

/// SELECT view.*, values of SET FROM view, ... WHERE ...
fn rows_and_values<'a>(cg: &Codegen<'a>, change: &ResolvedChange<'a>) -> &'a Query<'a> {
    let arena = cg.arena;
    let target = &change.target;
    let own = (0..target.width()).map(|at| cg.resolver.query_column(target.source, target.view_columns, at));
    let set = change.set.iter().map(|assigned| assigned.value);
    let columns: &'a [Expr<'a>] = bumpalo::collections::Vec::from_iter_in(own.chain(set), arena).into_bump_slice();
    let outputs = columns.iter().map(lithe_resolve::plain_output);
    let outputs = bumpalo::collections::Vec::from_iter_in(outputs, arena).into_bump_slice();
    let select = arena.alloc(Select {
        distinct: false,
        columns,
        sources: change.sources,
        terms: change.terms,
        group_by: &[],
        having: None,
        aggregates: &[],
        is_aggregate: false,
        windows: &[],
    });
    let core = Core { op: CompoundOp::UnionAll, body: CoreBody::Select(select), number: SelectNumber::default() };
    let cores = arena.alloc_slice_copy(&[core]);
    arena.alloc(Query { cores, order_by: &[], limit: None, columns: outputs, outer: &[] })
}

fn finish_row<'a>(cg: &mut Codegen<'a>, returning: Option<&ReturningRows<'a>>) -> Result<()> {
    returning.map_or(Ok(()), |returning| returning.emit_row(cg))
}
