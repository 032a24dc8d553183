//! Aggregates: the steps for each row, the results, and the columns that a query reads besides them.
//!
//! A column that is neither grouped by nor inside an aggregate is *bare*: its value is that of the first row of the group, or of
//! the row that gave min() or max() its result.

use std::sync::Arc;

use lithe_catalog::Result;
use lithe_functions::Flags;
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::aggregates::{bare_columns, extreme};
use lithe_optimize::plan::AggregatePlan;
use lithe_resolve::ir::{Aggregate, Column, ColumnIndex, Expr, OrderTerm, Select};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AggregateId, CursorId, Reg};
use lithe_vm::program::{AggregateCall, CursorKind};

use super::super::access::ColumnAccess;
use super::super::loops::{begin_loops, end_loops, prepare_sources};
use super::super::{Codegen, Value};
use super::distinct::{self, Distinct};
use super::plain;
use super::sink::{self, Sink};
use crate::expr::call;

/// The registers that collect the rows of a group.
pub(super) struct Accumulators<'a> {
    calls: Vec<Accumulator<'a>>,
    /// Bare columns and their registers.
    bare: Vec<(&'a Column<'a>, Reg)>,
    /// Set once the group has a row, where `notes_row` says so: without min() or max(), bare columns are not read again then.
    pub has_row: Reg,
    /// With min() or max() among the calls: the register that says whether the last min() or max() that got the row kept its result.
    decider: Option<Reg>,
    /// Whether the FILTER of a min() or max() sets it, too. Without GROUP BY SQLite leaves that out if one of them has no FILTER.
    filters_decide: bool,
    /// The first of the registers that belong to one group: states, bare columns, `has_row`.
    block: Reg,
    /// Where `has_row` is set.
    notes_row: NotesRow,
}

/// Where the register that says that a group has a row is set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NotesRow {
    /// Nowhere: nothing reads it.
    Never,
    /// Where a GROUP BY begins a group, because a row has its key, or reads one from its table of groups.
    WithGroup,
    /// Where the first row of a group sets the bare columns.
    WithBareColumns,
    /// Behind each row, because the step reads it: a row that the FILTER of min() or max() drops sets the bare columns if it is the first.
    WithEachRow,
}

/// One call's registers.
struct Accumulator<'a> {
    call: &'a Aggregate<'a>,
    id: AggregateId,
    state: Reg,
    result: Reg,
    /// DISTINCT: the arguments so far.
    seen: Option<Distinct>,
    /// ORDER BY: the arguments wait here until the group is complete.
    ordered: Option<OrderedArguments>,
}

/// Rows of an aggregate with ORDER BY: its terms, then its arguments.
struct OrderedArguments {
    sorter: CursorId,
    row: Reg,
    terms: usize,
    /// The number of columns after the arguments that hold their subtypes, which the rows of a sorter do not keep.
    subtypes: usize,
    /// Of rows with equal terms only the last one counts.
    distinct: Option<LastOfEqual>,
}

/// The row before, while the sorted rows are read.
struct LastOfEqual {
    /// Compares the terms.
    key: CursorId,
    before: Reg,
    /// Whether there is a row before.
    has_row: Reg,
}

impl<'a> Accumulators<'a> {
    /// The registers that a table of groups keeps of each: the first, and their number. Its groups have rows, so that it need not keep
    /// `has_row` unless the step reads it.
    pub fn block(&self) -> (Reg, u32) {
        let has_row = usize::from(self.notes_row != NotesRow::WithGroup);
        (self.block, (self.calls.len() + self.bare.len() + has_row) as u32)
    }

    /// The bare columns.
    pub fn bare(&self) -> impl Iterator<Item = &'a Column<'a>> + '_ {
        self.bare.iter().map(|(column, _)| *column)
    }
}

/// Aggregates without GROUP BY: all rows are one group, which exists even without rows.
pub(super) fn emit_single_group<'a>(cg: &mut Codegen<'a>, plan: &'a AggregatePlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let AggregatePlan { select, ref from, extreme, .. } = *plan;
    let accumulators = open_accumulators(cg, select, plan.distinct, &[], true)?;
    emit_reset(cg, &accumulators);
    let join = prepare_sources(cg, from)?;
    plain::in_loop_of(cg, from, |cg| {
        let loops = begin_loops(cg, &join)?;
        emit_step(cg, select, &accumulators)?;
        if extreme.is_some() {
            // The rows come in its order, so the first one has the result, and bare columns.
            cg.b.emit(Insn::Goto { target: loops.done });
        }
        end_loops(cg, loops)
    })?;
    emit_results(cg, &accumulators);
    read_bare_columns(cg, select, &accumulators);
    let before = cg.known.begin_aggregate_query(select.sources);
    let end = cg.b.label();
    if let Some(having) = &select.having {
        cg.jump_if_false(having, end, true)?;
    }
    sink::emit_offset(cg, sink, end);
    let row = sink::row_registers(cg, sink, false);
    plain::emit_columns(cg, sink, select.columns, row)?;
    sink::deliver(cg, sink, row)?;
    cg.known.end_aggregate_query(before);
    cg.b.place(end);
    Ok(())
}

/// Registers, sets and sorters for the aggregates of a SELECT. `distinct` says how duplicate arguments of a DISTINCT are found.
pub(super) fn open_accumulators<'a>(
    cg: &mut Codegen<'a>,
    select: &'a Select<'a>,
    distinct: DistinctPlan,
    order_by: &'a [OrderTerm<'a>],
    keeps_terms: bool,
) -> Result<Accumulators<'a>> {
    let bare = bare_columns(select, order_by, keeps_terms);
    let block = cg.b.registers(select.aggregates.len() + bare.len() + 1);
    let mut calls = Vec::with_capacity(select.aggregates.len());
    for (at, call) in select.aggregates.iter().enumerate() {
        calls.push(open_accumulator(cg, call, distinct, block.at(at))?);
    }
    let mut extremes = select.aggregates.iter().filter(|call| extreme(call).is_some());
    let decider = extremes.clone().next().map(|_| cg.b.register());
    let filters_decide = !select.group_by.is_empty() || extremes.all(|call| call.filter.is_some());
    let bare: Vec<_> = bare.into_iter().enumerate().map(|(at, column)| (column, block.at(calls.len() + at))).collect();
    let has_row = block.at(calls.len() + bare.len());
    let reads_has_row =
        filters_decide && select.aggregates.iter().any(|call| extreme(call).is_some() && call.filter.is_some());
    let notes_row = if reads_has_row && !bare.is_empty() {
        NotesRow::WithEachRow
    } else if decider.is_none() && !bare.is_empty() {
        NotesRow::WithBareColumns
    } else if select.group_by.is_empty() {
        NotesRow::Never
    } else {
        NotesRow::WithGroup
    };
    Ok(Accumulators { calls, bare, has_row, decider, filters_decide, block, notes_row })
}

fn open_accumulator<'a>(
    cg: &mut Codegen<'a>,
    call: &'a Aggregate<'a>,
    distinct: DistinctPlan,
    state: Reg,
) -> Result<Accumulator<'a>> {
    let id = cg.b.aggregate(AggregateCall {
        function: Arc::clone(call.function),
        argument_count: call.args.len() as u16,
        collation: cg.env.collation(call.collation)?,
    });
    let result = cg.b.register();
    let is_remembered = call.distinct && !call.is_distinct_by_order();
    let seen = if is_remembered { distinct::allocate(cg, call.args, distinct)? } else { None };
    let ordered = if call.order_by.is_empty() {
        None
    } else {
        let reads_subtypes = call.function.flags().contains(Flags::SUBTYPE);
        let subtypes = if reads_subtypes { call.args.len() } else { 0 };
        let (key, width) = (cg.order_key(call.order_by)?, call.order_by.len() + call.args.len() + subtypes);
        let distinct = call.is_distinct_by_order().then(|| LastOfEqual {
            key: cg.ephemeral(CursorKind::KeyOnly, Arc::clone(&key), call.order_by.len()),
            before: cg.b.registers(width),
            has_row: cg.b.register(),
        });
        let sorter = cg.ephemeral(CursorKind::Sorter, key, width);
        Some(OrderedArguments { sorter, row: cg.b.registers(width), terms: call.order_by.len(), subtypes, distinct })
    };
    cg.known.set_aggregate(call.id, result);
    Ok(Accumulator { call, id, state, result, seen, ordered })
}

/// Begins a new group.
pub(super) fn emit_reset<'a>(cg: &mut Codegen<'a>, accumulators: &Accumulators<'a>) {
    cg.b.emit(Insn::Integer { value: 0, dst: accumulators.has_row });
    for call in &accumulators.calls {
        cg.b.emit(Insn::Null { start: call.state, count: 1 });
        if let Some(seen) = &call.seen {
            distinct::emit_reset(cg, seen);
        }
        if let Some(ordered) = &call.ordered {
            cg.b.emit(Insn::SorterOpen { cursor: ordered.sorter, limit: Reg::NONE });
        }
    }
    for &(_, start) in &accumulators.bare {
        cg.b.emit(Insn::Null { start, count: 1 });
    }
}

/// A group has begun that has a row: the current one, which [`emit_step`] adds, or those of a table's group.
pub(super) fn emit_begin_with_row(cg: &mut Codegen<'_>, accumulators: &Accumulators<'_>) {
    if accumulators.notes_row == NotesRow::WithGroup {
        note_row(cg, accumulators);
    }
}

fn note_row(cg: &mut Codegen<'_>, accumulators: &Accumulators<'_>) {
    cg.b.emit(Insn::Integer { value: 1, dst: accumulators.has_row });
}

/// Adds the current row to the group.
pub(super) fn emit_step<'a>(cg: &mut Codegen<'a>, select: &Select<'a>, accumulators: &Accumulators<'a>) -> Result<()> {
    let before = cg.known.begin_aggregate_query(select.sources);
    let takes_bare = !accumulators.bare.is_empty();
    for call in &accumulators.calls {
        let flag = accumulators.decider.filter(|_| takes_bare && extreme(call.call).is_some());
        if let (Some(dst), Some(_), true) = (flag, call.call.filter, accumulators.filters_decide) {
            // A row that the filter drops sets the bare columns only if it is the first, as far as the calls before it are concerned, too.
            cg.b.emit(Insn::Copy { src: accumulators.has_row, dst, count: 1 });
        }
        emit_call_step(cg, call, flag)?;
    }
    if takes_bare {
        let taken = cg.b.label();
        let reg = accumulators.decider.unwrap_or(accumulators.has_row);
        cg.b.emit(Insn::If { null_jumps: 0, reg, target: taken });
        for &(column, reg) in &accumulators.bare {
            cg.emit_into(&Expr::Column(column), reg)?;
        }
        if accumulators.notes_row == NotesRow::WithBareColumns {
            note_row(cg, accumulators);
        }
        cg.b.place(taken);
    }
    if accumulators.notes_row == NotesRow::WithEachRow {
        note_row(cg, accumulators);
    }
    cg.known.end_aggregate_query(before);
    Ok(())
}

/// Steps a call with the row. A min() or max() records in `flag` whether it kept its result.
fn emit_call_step<'a>(cg: &mut Codegen<'a>, accumulator: &Accumulator<'a>, flag: Option<Reg>) -> Result<()> {
    let Accumulator { call, id, state, .. } = *accumulator;
    let skip = cg.b.label();
    if let Some(filter) = &call.filter {
        cg.jump_if_false(filter, skip, true)?;
    }
    match &accumulator.ordered {
        Some(ordered) => emit_sort_arguments(cg, accumulator, ordered, skip)?,
        None => {
            // Nothing between CollationFor and a column that the step reads itself: the two become AggColumn.
            let is_column = matches!(call.args, [Expr::Column(_)]) && accumulator.seen.is_none();
            let watch = match flag {
                Some(flag) => Some(Insn::CollationFor { collation: cg.collation(call.collation)?, flag }),
                None => None,
            };
            if let Some(insn) = watch.filter(|_| is_column) {
                cg.b.emit(insn);
            }
            let (start, values) = emit_aggregate_arguments(cg, call.args)?;
            if let Some(seen) = &accumulator.seen {
                distinct::emit(cg, seen, start, skip)?;
            }
            if let Some(insn) = watch.filter(|_| !is_column) {
                cg.b.emit(insn);
            }
            cg.b.emit(Insn::AggStep { aggregate: id, start, acc: state });
            values.into_iter().for_each(|value| cg.release(value));
        }
    }
    cg.b.place(skip);
    Ok(())
}

/// The arguments of an aggregate, in adjacent registers; a single one in its own register.
fn emit_aggregate_arguments<'a>(cg: &mut Codegen<'a>, args: &[Expr<'a>]) -> Result<(Reg, Option<Value>)> {
    match args {
        [] => Ok((Reg(0), None)),
        [one] => {
            let value = if call::is_operator_of_call(one) { cg.emit_anew(one)? } else { cg.emit(one)? };
            Ok((value.reg, Some(value)))
        }
        several => Ok((call::emit_aggregate_arguments(cg, several)?, None)),
    }
}

/// Puts the arguments into a sorter until the group is complete.
fn emit_sort_arguments<'a>(
    cg: &mut Codegen<'a>,
    accumulator: &Accumulator<'a>,
    ordered: &OrderedArguments,
    skip: Addr,
) -> Result<()> {
    let call = accumulator.call;
    let args = ordered.row.at(ordered.terms);
    cg.emit_list_into(call.args, args)?;
    if let Some(seen) = &accumulator.seen {
        distinct::emit(cg, seen, args, skip)?;
    }
    for (at, term) in call.order_by.iter().enumerate() {
        cg.emit_into(&term.expr, ordered.row.at(at))?;
    }
    for at in 0..ordered.subtypes {
        cg.b.emit(Insn::Subtype { src: args.at(at), dst: args.at(call.args.len() + at) });
    }
    let count = (ordered.terms + call.args.len() + ordered.subtypes) as u32;
    cg.b.emit(Insn::SorterInsert { cursor: ordered.sorter, start: ordered.row, count });
    Ok(())
}

/// Computes the results, after the last row of the group.
pub(super) fn emit_results<'a>(cg: &mut Codegen<'a>, accumulators: &Accumulators<'a>) {
    for accumulator in &accumulators.calls {
        if let Some(ordered) = &accumulator.ordered {
            emit_sorted_steps(cg, accumulator, ordered);
        }
        let Accumulator { id, state, result, .. } = *accumulator;
        cg.b.emit(Insn::AggFinal { aggregate: id, acc: state, dst: result });
    }
}

fn emit_sorted_steps<'a>(cg: &mut Codegen<'a>, accumulator: &Accumulator<'a>, ordered: &OrderedArguments) {
    let (cursor, end) = (ordered.sorter, cg.b.label());
    if let Some(last) = &ordered.distinct {
        cg.b.emit(Insn::Integer { value: 0, dst: last.has_row });
    }
    cg.b.emit(Insn::SorterSort { cursor, target: end });
    let top = cg.b.here();
    match &ordered.distinct {
        Some(last) => emit_step_of_row_before(cg, accumulator, ordered, last),
        None => {
            emit_read_sorted(cg, accumulator, ordered, ordered.row);
            emit_sorted_step(cg, accumulator, ordered, ordered.row);
        }
    }
    cg.b.emit(Insn::SorterNext { cursor, target: top });
    cg.b.place(end);
    if let Some(last) = &ordered.distinct {
        let none = cg.b.label();
        cg.b.emit(Insn::IfNot { null_jumps: 0, reg: last.has_row, target: none });
        emit_sorted_step(cg, accumulator, ordered, last.before);
        cg.b.place(none);
    }
}

/// Steps with the row before, if the terms of this one differ.
fn emit_step_of_row_before<'a>(
    cg: &mut Codegen<'a>,
    accumulator: &Accumulator<'a>,
    ordered: &OrderedArguments,
    last: &LastOfEqual,
) {
    let LastOfEqual { key, before, has_row } = *last;
    let (differs, takes) = (cg.b.label(), cg.b.label());
    emit_read_sorted(cg, accumulator, ordered, ordered.row);
    cg.b.emit(Insn::IfNot { null_jumps: 0, reg: has_row, target: takes });
    cg.b.emit(Insn::CompareVectors { key, lhs: before, rhs: ordered.row, count: ordered.terms as u32 });
    cg.b.emit(Insn::Jump { less: differs, equal: takes, greater: differs });
    cg.b.place(differs);
    emit_sorted_step(cg, accumulator, ordered, before);
    cg.b.place(takes);
    let count = ordered.terms + accumulator.call.args.len() + ordered.subtypes;
    cg.b.emit(Insn::Copy { src: ordered.row, dst: before, count: count as u32 });
    cg.b.emit(Insn::Integer { value: 1, dst: has_row });
}

/// Reads a row of the sorter: the terms if they are compared, and the arguments.
fn emit_read_sorted<'a>(cg: &mut Codegen<'a>, accumulator: &Accumulator<'a>, ordered: &OrderedArguments, row: Reg) {
    let first = if ordered.distinct.is_some() { 0 } else { ordered.terms };
    for at in first..ordered.terms + accumulator.call.args.len() + ordered.subtypes {
        cg.b.emit(Insn::Column { cursor: ordered.sorter, column: at as u16, dst: row.at(at) });
    }
}

/// Steps with the arguments in `row`.
fn emit_sorted_step<'a>(cg: &mut Codegen<'a>, accumulator: &Accumulator<'a>, ordered: &OrderedArguments, row: Reg) {
    let start = row.at(ordered.terms);
    let args = accumulator.call.args.len();
    for at in 0..ordered.subtypes {
        cg.b.emit(Insn::SetSubtype { src: start.at(args + at), dst: start.at(at) });
    }
    cg.b.emit(Insn::AggStep { aggregate: accumulator.id, start, acc: accumulator.state });
}

/// From here on the columns of the sources are the bare columns in registers.
pub(super) fn read_bare_columns<'a>(cg: &mut Codegen<'a>, select: &Select<'a>, accumulators: &Accumulators<'a>) {
    for source in select.sources {
        let own = accumulators.bare.iter().filter(|(column, _)| column.source == source.id);
        let columns: Vec<(ColumnIndex, Reg)> = own.map(|&(column, reg)| (column.index, reg)).collect();
        cg.set_access(source.id, ColumnAccess::RegisterMap { columns: cg.arena.alloc_slice_copy(&columns) });
    }
}
