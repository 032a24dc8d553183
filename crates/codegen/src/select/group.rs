//! GROUP BY: rows come ordered by the terms, from the loops or from a sorter, and each change of the terms' values ends a group.
//! Or they come in any order, and a table holds the groups.
//!
//! ```text
//!       reset
//!       for each row, in order:
//!           terms ≠ the last row's:  gosub output; gosub reset; note that the group has a row
//!           step
//!       gosub output
//! ```

use lithe_catalog::Result;
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::aggregates::{aggregate_columns, collect_columns};
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{GroupPlan, Grouping};
use lithe_optimize::select::keeps_term;
use lithe_resolve::ir::{Column, ColumnIndex, Expr, OrderTerm, Select, has_query, same, skip_likelihood};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::access::ColumnAccess;
use super::super::expr::{Replacement, computed};
use super::super::loops::{PreparedJoin, begin_loops, end_loops, prepare_sources};
use super::aggregate::{self, Accumulators};
use super::distinct::{self, Distinct};
use super::plain;
use super::sink::{self, Sink, Sorter};

/// The state that the parts of a GROUP BY share.
struct Groups<'a> {
    plan: &'a GroupPlan<'a>,
    select: &'a Select<'a>,
    /// GROUP BY, in the directions of an ORDER BY with as many terms.
    terms: &'a [OrderTerm<'a>],
    /// Carries the collations and directions of the terms.
    key: CursorId,
    /// The terms of the current row.
    current: Reg,
    /// The terms of the current group.
    group: Reg,
    accumulators: Accumulators<'a>,
    output: Subroutine,
    reset: Subroutine,
}

/// A sorter that brings the rows of a group together: the terms, then the columns that are used later.
struct GroupSorter<'a> {
    cursor: CursorId,
    columns: Vec<&'a Column<'a>>,
    row: Reg,
}

#[derive(Clone, Copy)]
struct Subroutine {
    entry: Addr,
    ret: Reg,
}

pub(super) fn emit<'a>(cg: &mut Codegen<'a>, plan: &'a GroupPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let GroupPlan { select, terms, ref from, order_by, .. } = *plan;
    let join = prepare_sources(cg, from)?;
    let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
    let distinct = distinct::open(cg, select.columns, remembers)?;
    let sorter = if order_by.is_empty() { None } else { Some(sink::open_sorter(cg, order_by, sink, plan)?) };
    let groups = open_groups(cg, plan)?;

    cg.b.emit(Insn::NullNever { start: groups.group, count: terms.len() as u32 });
    gosub(cg, groups.reset);
    match plan.grouping {
        Grouping::Streamed => group_from_loops(cg, &groups, &join)?,
        Grouping::Hashed => group_by_hash(cg, &groups, &join)?,
        Grouping::Sorted => group_from_sorter(cg, &groups, &join)?,
    }
    gosub(cg, groups.output);
    let end = cg.b.label();
    cg.b.emit(Insn::Goto { target: end });
    emit_group_output(cg, &groups, sink, sorter.as_ref(), distinct.as_ref())?;
    emit_group_reset(cg, &groups);
    cg.b.place(end);
    sorter.map_or(Ok(()), |sorter| sink::emit_sorted(cg, &sorter, sink))
}

fn open_groups<'a>(cg: &mut Codegen<'a>, plan: &'a GroupPlan<'a>) -> Result<Groups<'a>> {
    let GroupPlan { select, terms, order_by, .. } = *plan;
    let key = cg.order_key(terms)?;
    let accumulators =
        aggregate::open_accumulators(cg, select, plan.distinct, order_by, plan.grouping != Grouping::Streamed)?;
    Ok(Groups {
        plan,
        select,
        terms,
        key: cg.ephemeral(CursorKind::KeyOnly, key, terms.len()),
        current: cg.b.registers(terms.len()),
        group: cg.b.registers(terms.len()),
        accumulators,
        output: subroutine(cg),
        reset: subroutine(cg),
    })
}

/// The loops return the rows in order.
fn group_from_loops<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, join: &PreparedJoin<'a>) -> Result<()> {
    plain::in_loop_of(cg, join.from, |cg| {
        let loops = begin_loops(cg, join)?;
        for (at, term) in groups.terms.iter().enumerate() {
            cg.emit_into(&term.expr, groups.current.at(at))?;
        }
        emit_group_row(cg, groups, |_| {})?;
        end_loops(cg, loops)
    })
}

/// A table holds the groups, and only the groups are sorted. Rows of groups that do not fit the table go through a sorter; the
/// sorted groups are merged with those of the table.
///
/// ```text
///       for each row:  known or new group: step;  table full: into the sorter
///       for each row of the sorter, in order:
///           terms ≠ the last row's:  gosub output; the table's groups before this one: gosub output; gosub reset
///           step
///       gosub output
///       the table's other groups: gosub output
/// ```
fn group_by_hash<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, join: &PreparedJoin<'a>) -> Result<()> {
    let terms = groups.terms;
    let key = cg.order_key(terms)?;
    let table = cg.ephemeral(CursorKind::Groups, key, terms.len());
    let (start, count) = groups.accumulators.block();
    cg.b.emit(Insn::OpenGroups { cursor: table, start, count });
    let sorter = open_group_sorter(cg, groups)?;
    let measured = cg.begin_part(Part::Group, groups.plan);
    plain::in_loop_of(cg, join.from, |cg| {
        let loops = begin_loops(cg, join)?;
        for (at, term) in terms.iter().enumerate() {
            cg.emit_into(&term.expr, groups.current.at(at))?;
        }
        let (known, full, next) = (cg.b.label(), cg.b.label(), cg.b.label());
        cg.measure_insert(measured, table);
        cg.b.emit(Insn::GroupFind { cursor: table, start: groups.current, known, full });
        gosub(cg, groups.reset);
        aggregate::emit_begin_with_row(cg, &groups.accumulators);
        cg.b.place(known);
        aggregate::emit_step(cg, groups.select, &groups.accumulators)?;
        cg.b.emit(Insn::Goto { target: next });
        cg.b.place(full);
        emit_group_sorter_insert(cg, groups, &sorter, true)?;
        cg.b.place(next);
        end_loops(cg, loops)
    })?;
    cg.b.emit(Insn::GroupSort { cursor: table });
    gosub(cg, groups.reset);
    read_group_sorter(cg, groups, &sorter, |cg| emit_groups_before(cg, groups, table, groups.current))?;
    gosub(cg, groups.output);
    emit_groups_before(cg, groups, table, Reg::NONE);
    gosub(cg, groups.reset);
    Ok(())
}

/// Shows the groups of the table that precede the key at `limit`, or all that are left.
fn emit_groups_before<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, table: CursorId, limit: Reg) {
    let done = cg.b.label();
    let top = cg.b.here();
    cg.b.emit(Insn::GroupNext { cursor: table, start: groups.group, limit, target: done });
    aggregate::emit_begin_with_row(cg, &groups.accumulators);
    gosub(cg, groups.output);
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(done);
}

/// Sorts the terms, with every column that is used later, and reads them back in order.
fn group_from_sorter<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, join: &PreparedJoin<'a>) -> Result<()> {
    let sorter = open_group_sorter(cg, groups)?;
    let measured = cg.begin_part(Part::Group, groups.plan);
    plain::in_loop_of(cg, join.from, |cg| {
        let loops = begin_loops(cg, join)?;
        cg.measure_insert(measured, sorter.cursor);
        emit_group_sorter_insert(cg, groups, &sorter, false)?;
        end_loops(cg, loops)
    })?;
    read_group_sorter(cg, groups, &sorter, |_| {})
}

fn open_group_sorter<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>) -> Result<GroupSorter<'a>> {
    let columns = columns_behind_sorter(groups);
    let width = groups.terms.len() + columns.len();
    let key = cg.order_key(groups.terms)?;
    let cursor = cg.ephemeral(CursorKind::Sorter, key, width);
    cg.b.emit(Insn::SorterOpen { cursor, limit: Reg::NONE });
    Ok(GroupSorter { cursor, columns, row: cg.b.registers(width) })
}

/// Adds the current row. `has_terms`: its terms are in `current`.
fn emit_group_sorter_insert<'a>(
    cg: &mut Codegen<'a>,
    groups: &Groups<'a>,
    sorter: &GroupSorter<'a>,
    has_terms: bool,
) -> Result<()> {
    let (row, width) = (sorter.row, groups.terms.len());
    if has_terms {
        cg.emit_copy_row(groups.current, row, width);
    } else {
        for (at, term) in groups.terms.iter().enumerate() {
            cg.emit_into(&term.expr, row.at(at))?;
        }
    }
    for (at, column) in sorter.columns.iter().enumerate() {
        cg.emit_into(&Expr::Column(column), row.at(width + at))?;
    }
    let count = (width + sorter.columns.len()) as u32;
    cg.b.emit(Insn::SorterInsert { cursor: sorter.cursor, start: row, count });
    Ok(())
}

/// Steps over the sorter's rows. `between` emits the code between the end of a group, once it is shown, and the next group.
fn read_group_sorter<'a>(
    cg: &mut Codegen<'a>,
    groups: &Groups<'a>,
    sorter: &GroupSorter<'a>,
    between: impl FnOnce(&mut Codegen<'a>),
) -> Result<()> {
    let Groups { select, terms, .. } = *groups;
    let cursor = sorter.cursor;
    for source in select.sources {
        let own = sorter.columns.iter().enumerate().filter(|(_, column)| column.source == source.id);
        let places = own.map(|(at, column)| (column.index, (terms.len() + at) as u16));
        let columns: Vec<(ColumnIndex, u16)> = places.collect();
        let columns = cg.arena.alloc_slice_copy(&columns);
        cg.set_access(source.id, ColumnAccess::CursorMap { cursor, columns });
    }
    let end = cg.b.label();
    cg.b.emit(Insn::SorterSort { cursor, target: end });
    let top = cg.b.here();
    for at in 0..terms.len() {
        cg.b.emit(Insn::Column { cursor, column: at as u16, dst: groups.current.at(at) });
    }
    let known = cg.known.replacements();
    replace_terms(cg, groups, groups.current);
    cg.in_loop(|cg| emit_group_row(cg, groups, between))?;
    cg.known.forget_replacements(known);
    cg.b.emit(Insn::SorterNext { cursor, target: top });
    cg.b.place(end);
    Ok(())
}

/// Steps over one row, whose terms are in `current`.
fn emit_group_row<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, between: impl FnOnce(&mut Codegen<'a>)) -> Result<()> {
    let (count, width) = (groups.terms.len() as u32, groups.terms.len());
    let (other, same) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::CompareVectors { key: groups.key, lhs: groups.current, rhs: groups.group, count });
    cg.b.emit(Insn::Jump { less: other, equal: same, greater: other });
    cg.b.place(other);
    gosub(cg, groups.output);
    between(cg);
    cg.emit_copy_row(groups.current, groups.group, width);
    gosub(cg, groups.reset);
    aggregate::emit_begin_with_row(cg, &groups.accumulators);
    cg.b.place(same);
    aggregate::emit_step(cg, groups.select, &groups.accumulators)
}

/// The subroutine that shows a group, if it has had a row.
fn emit_group_output<'a>(
    cg: &mut Codegen<'a>,
    groups: &Groups<'a>,
    sink: &Sink<'a>,
    sorter: Option<&Sorter>,
    distinct: Option<&Distinct>,
) -> Result<()> {
    let Groups { select, plan: GroupPlan { order_by, .. }, .. } = *groups;
    let end = cg.b.label();
    cg.b.place(groups.output.entry);
    cg.b.emit(Insn::IfNot { null_jumps: 0, reg: groups.accumulators.has_row, target: end });
    aggregate::emit_results(cg, &groups.accumulators);
    aggregate::read_bare_columns(cg, select, &groups.accumulators);
    let known = cg.known.replacements();
    for (at, term) in groups.terms.iter().enumerate() {
        if keeps_term(select, &term.expr, groups.plan.grouping) {
            cg.known.replace(term.expr, Replacement::Register(groups.group.at(at)));
        }
    }
    let result = cg.in_loop(|cg| {
        let before = cg.known.begin_aggregate_query(select.sources);
        if let Some(having) = &select.having {
            cg.jump_if_false(having, end, true)?;
        }
        let result = emit_group_columns(cg, with_terms_shown(cg, groups), order_by, sink, sorter, distinct, end);
        cg.known.end_aggregate_query(before);
        result
    });
    cg.known.forget_replacements(known);
    result?;
    cg.b.place(end);
    cg.b.emit(Insn::Return { ret: groups.output.ret });
    Ok(())
}

/// The SELECT with result columns that are GROUP BY terms read from the group's, whose values are those of its first row. With min() or
/// max() that is all that shows them: every other expression is computed from the row with the result. Of equal columns it is the one that GROUP
/// BY names by its number, or else the last.
fn with_terms_shown<'a>(cg: &Codegen<'a>, groups: &Groups<'a>) -> &'a Select<'a> {
    let select = groups.select;
    let columns = cg.arena.alloc_slice_copy(select.columns);
    for (at, term) in groups.terms.iter().enumerate() {
        let is_column = matches!(skip_likelihood(term.expr), Expr::Column(_));
        let is_shown = |column: &Expr<'a>| !is_column && same(column, &term.expr);
        let is_named = |column: &Expr<'a>| is_shown(column) || has_query(column) && has_query(&term.expr);
        let named = term.output.map(usize::from).filter(|&named| select.columns.get(named).is_some_and(is_named));
        if let Some(shown) = named.or_else(|| select.columns.iter().rposition(is_shown)) {
            columns[shown] = computed(groups.group.at(at), None);
        }
    }
    cg.arena.alloc(Select { columns, ..*select })
}

pub(super) fn emit_group_columns<'a>(
    cg: &mut Codegen<'a>,
    select: &'a Select<'a>,
    order_by: &[OrderTerm<'a>],
    sink: &Sink<'a>,
    sorter: Option<&Sorter>,
    distinct: Option<&Distinct>,
    end: Addr,
) -> Result<()> {
    if let (Some(sorter), None) = (sorter, distinct) {
        return sink::emit_sorter_insert(cg, sorter, order_by, select.columns, None);
    }
    if distinct.is_none() {
        sink::emit_offset(cg, sink, end);
    }
    let row = sink::row_registers(cg, sink, distinct.is_some());
    plain::emit_columns(cg, sink, select.columns, row)?;
    if let Some(distinct) = distinct {
        distinct::emit(cg, distinct, row, end)?;
        match sorter {
            Some(sorter) => return sink::emit_sorter_insert(cg, sorter, order_by, select.columns, Some(row)),
            None => sink::emit_offset(cg, sink, end),
        }
    }
    sink::deliver(cg, sink, row)
}

fn emit_group_reset<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>) {
    cg.b.place(groups.reset.entry);
    aggregate::emit_reset(cg, &groups.accumulators);
    cg.b.emit(Insn::Return { ret: groups.reset.ret });
}

/// Reads the terms of GROUP BY that are columns, or have queries, from these registers. As in SQLite, the aggregates compute others anew, whose
/// values have subtypes then.
fn replace_terms<'a>(cg: &mut Codegen<'a>, groups: &Groups<'a>, start: Reg) {
    let is_read = |expr: &Expr<'a>| matches!(skip_likelihood(*expr), Expr::Column(_)) || has_query(expr);
    for (at, term) in groups.terms.iter().enumerate().filter(|(_, term)| is_read(&term.expr)) {
        cg.known.replace(term.expr, Replacement::Register(start.at(at)));
    }
}

fn subroutine(cg: &mut Codegen<'_>) -> Subroutine {
    Subroutine { entry: cg.b.label(), ret: cg.b.register() }
}

fn gosub(cg: &mut Codegen<'_>, subroutine: Subroutine) {
    cg.b.emit(Insn::Gosub { ret: subroutine.ret, target: subroutine.entry });
}

/// The columns that the rows of the sorter have besides the GROUP BY terms.
fn columns_behind_sorter<'a>(groups: &Groups<'a>) -> Vec<&'a Column<'a>> {
    let select = groups.select;
    let is_term = |expr: &Expr<'a>| groups.terms.iter().any(|term| same(&term.expr, expr));
    let mut columns: Vec<&'a Column<'a>> = groups.accumulators.bare().collect();
    for column in aggregate_columns(select) {
        collect_columns(&Expr::Column(column), select, &is_term, &mut columns);
    }
    columns
}
