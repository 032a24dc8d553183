//! One pass. The rows of a partition are collected in a temporary table, numbered from 1; each in turn is the current row, and
//! the frames move with it. Rows are collected only as far as the current row requires: one row after it (ROWS) or after its
//! peers (RANGE, GROUPS), and one after its frames. So a row is returned as soon as its frames are known, as in SQLite.
//!
//! A row of the table: the carried expressions, the number of its group of peers, then for each call its arguments and whether
//! FILTER accepts it.

use std::sync::Arc;

use lithe_catalog::Result;
use lithe_functions::Flags;
use lithe_optimize::access::LogEst;
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{PassPlan, WindowPlan};
use lithe_resolve::ir::{Expr, OrderTerm, WindowCall, collation_of, may_have_subtype};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg, Sequence};
use lithe_vm::program::AggregateCall;

use super::super::super::Codegen;
use super::super::super::measure::Begun;
use super::Carried;
use super::frame::{self, measures};
use super::result;
use super::state::{Ahead, CallInPass, CallKind, Frame, Pass};
use crate::Coroutine;

/// A coroutine that returns the rows of `input`, followed by the results of the pass.
pub(super) fn emit<'a>(
    cg: &mut Codegen<'a>,
    (all, plan): (&WindowPlan<'a>, &PassPlan<'a>),
    carried: &mut Carried<'a>,
    input: Coroutine,
) -> Result<Coroutine> {
    let before = carried.clone();
    carried.exprs.extend(plan.calls.iter().map(|call| Expr::Window(call)));
    cg.coroutine(carried.exprs.len(), |cg, output| emit_partitions(cg, (all, plan), &before, input, output))
}

fn emit_partitions<'a>(
    cg: &mut Codegen<'a>,
    (all, plan): (&WindowPlan<'a>, &PassPlan<'a>),
    carried: &Carried<'a>,
    input: Coroutine,
    output: &Coroutine,
) -> Result<()> {
    let (pass, width) = open_pass(cg, plan, carried, input)?;
    let known = cg.known.replacements();
    super::replace_carried(cg, carried, pass.ahead.input.start);
    let result = cg.in_loop(|cg| emit_pass_loop(cg, (all, plan), &pass, carried, width, output));
    cg.known.forget_replacements(known);
    result
}

/// One partition after the other: the first row of each is the one that was fetched last.
fn emit_pass_loop<'a>(
    cg: &mut Codegen<'a>,
    (all, plan): (&WindowPlan<'a>, &PassPlan<'a>),
    pass: &Pass<'a>,
    carried: &Carried<'a>,
    width: usize,
    output: &Coroutine,
) -> Result<()> {
    let end = cg.b.label();
    let Ahead { has_row, keys, order, partition, fetch, ret, .. } = pass.ahead;
    // (Where rows are sorted first, those that go to the sorter are counted.)
    let measured = if plan.is_sorted { None } else { cg.begin_part(Part::Window, plan) };
    cg.b.emit(Insn::Gosub { ret, target: fetch });
    let top = cg.b.here();
    cg.b.emit(Insn::IfNot { null_jumps: 0, reg: has_row, target: end });
    cg.b.emit(Insn::OpenEphemeral { cursor: pass.table });
    cg.emit_copy_row(keys, partition, plan.partition_by.len());
    cg.emit_copy_row(order, pass.ahead.peers, plan.order_by.len());
    cg.b.emit(Insn::Integer { value: 1, dst: pass.ahead.is_open });
    cg.b.emit(Insn::Integer { value: 1, dst: pass.ahead.group });
    emit_gather(cg, pass, carried, pass.ahead.input.start, width)?;
    emit_partition(cg, pass, carried, output)?;
    cg.b.emit(Insn::Goto { target: top });
    emit_fetch(cg, plan, pass, measured.map(|begun| (begun, all.scan)))?;
    emit_pull(cg, plan, pass, carried, width)?;
    cg.b.place(end);
    Ok(())
}

/// The subroutine that fetches a row of the input, and computes its keys.
fn emit_fetch<'a>(
    cg: &mut Codegen<'a>,
    plan: &PassPlan<'a>,
    pass: &Pass<'a>,
    measured: Option<(Begun, LogEst)>,
) -> Result<()> {
    let Ahead { has_row, keys, order, fetch, ret, .. } = pass.ahead;
    let done = cg.b.label();
    cg.b.place(fetch);
    cg.b.emit(Insn::Integer { value: 0, dst: has_row });
    cg.b.emit(Insn::Yield { co: pass.ahead.input.co, target: done });
    if let Some((begun, run)) = measured {
        cg.measure_scan(Some(begun), run);
    }
    cg.emit_list_into(plan.partition_by, keys)?;
    for (at, term) in plan.order_by.iter().enumerate() {
        cg.emit_into(&term.expr, order.at(at))?;
    }
    cg.b.emit(Insn::Integer { value: 1, dst: has_row });
    cg.b.place(done);
    cg.b.emit(Insn::Return { ret });
    Ok(())
}

/// The subroutine that collects one more row of the partition, or finds that there is none.
fn emit_pull<'a>(
    cg: &mut Codegen<'a>,
    plan: &PassPlan<'a>,
    pass: &Pass<'a>,
    carried: &Carried<'a>,
    width: usize,
) -> Result<()> {
    let Ahead { is_open, has_row, keys, order, partition, peers, group, fetch, ret, .. } = pass.ahead;
    let (closed, same_partition, gather) = (cg.b.label(), cg.b.label(), cg.b.label());
    let partition_terms = partition_terms(plan);
    let partition_key = super::key_only(cg, &partition_terms)?;
    let peer_key = super::key_only(cg, plan.order_by)?;
    cg.b.place(pass.ahead.pull);
    cg.b.emit(Insn::Gosub { ret, target: fetch });
    cg.b.emit(Insn::IfNot { null_jumps: 0, reg: has_row, target: closed });
    emit_compare_keys(cg, partition_key, keys, partition, plan.partition_by.len(), same_partition);
    cg.b.place(closed);
    cg.b.emit(Insn::Integer { value: 0, dst: is_open });
    cg.b.emit(Insn::Return { ret: pass.ahead.pull_ret });
    cg.b.place(same_partition);
    emit_compare_keys(cg, peer_key, order, peers, plan.order_by.len(), gather);
    cg.b.emit(Insn::AddImmediate { reg: group, value: 1 });
    cg.emit_copy_row(order, peers, plan.order_by.len());
    cg.b.place(gather);
    emit_gather(cg, pass, carried, pass.ahead.input.start, width)?;
    cg.b.emit(Insn::Return { ret: pass.ahead.pull_ret });
    Ok(())
}

/// Falls through if the keys differ.
fn emit_compare_keys(cg: &mut Codegen<'_>, key: CursorId, lhs: Reg, rhs: Reg, count: usize, equal: Addr) {
    if count == 0 {
        cg.b.emit(Insn::Goto { target: equal });
        return;
    }
    let differ = cg.b.label();
    cg.b.emit(Insn::CompareVectors { key, lhs, rhs, count: count as u32 });
    cg.b.emit(Insn::Jump { less: differ, equal, greater: differ });
    cg.b.place(differ);
}

fn partition_terms<'a>(plan: &PassPlan<'a>) -> Vec<OrderTerm<'a>> {
    let term = |expr: &Expr<'a>| OrderTerm {
        expr: *expr,
        collation: collation_of(expr).unwrap_or_default(),
        descending: false,
        nulls_opposite: false,
        output: None,
    };
    plan.partition_by.iter().map(term).collect()
}

/// Lays out the table's rows; returns their width, too.
fn open_pass<'a>(
    cg: &mut Codegen<'a>,
    plan: &PassPlan<'a>,
    carried: &Carried<'a>,
    input: Coroutine,
) -> Result<(Pass<'a>, usize)> {
    let group_column = carried.exprs.len();
    let mut width = group_column + 1;
    let needs_key = plan.calls.iter().any(|call| measures(call.window));
    let key_column = needs_key.then_some(width as u16);
    width += usize::from(needs_key);
    let mut frames: Vec<Frame<'a>> = Vec::new();
    let mut calls = Vec::with_capacity(plan.calls.len());
    for &call in plan.calls {
        let args = width as u16;
        width += call.args.len();
        let has_subtypes = call.function.flags().contains(Flags::SUBTYPE) && call.args.iter().any(has_subtype);
        let subtypes = has_subtypes.then_some(width as u16);
        width += if has_subtypes { call.args.len() } else { 0 };
        let filter = call.filter.map(|_| width as u16);
        width += usize::from(call.filter.is_some());
        let frame = match frames.iter().position(|frame| frame.is_of(call.window)) {
            Some(frame) => frame,
            None => {
                frames.push(frame::open(cg, call.window)?);
                frames.len() - 1
            }
        };
        let kind = call_kind(cg, call)?;
        calls.push(CallInPass { call, args, subtypes, filter, frame, kind });
    }
    let table = cg.ephemeral_table(width);
    let pass = Pass {
        table,
        current: cg.ephemeral_table(width),
        other: cg.ephemeral_table(width),
        number: cg.b.register(),
        group_column: group_column as u16,
        key_column,
        order_by: plan.order_by,
        calls,
        frames,
        ahead: read_ahead(cg, plan, input),
    };
    Ok((pass, width))
}

fn read_ahead<'a>(cg: &mut Codegen<'a>, plan: &PassPlan<'a>, input: Coroutine) -> Ahead {
    Ahead {
        input,
        is_open: cg.b.register(),
        has_row: cg.b.register(),
        keys: cg.b.registers(plan.partition_by.len()),
        order: cg.b.registers(plan.order_by.len()),
        partition: cg.b.registers(plan.partition_by.len()),
        peers: cg.b.registers(plan.order_by.len()),
        last: cg.b.register(),
        group: cg.b.register(),
        fetch: cg.b.label(),
        ret: cg.b.register(),
        pull: cg.b.label(),
        pull_ret: cg.b.register(),
    }
}

fn call_kind<'a>(cg: &mut Codegen<'a>, call: &WindowCall<'a>) -> Result<CallKind> {
    if let Some(lookup) = result::lookup(call) {
        return Ok(CallKind::Lookup(lookup));
    }
    let id = cg.b.aggregate(AggregateCall {
        function: Arc::clone(call.function),
        argument_count: call.args.len() as u16,
        collation: cg.env.collation(call.collation)?,
    });
    Ok(CallKind::Aggregate(id, cg.b.register()))
}

/// Puts a row into the table.
fn emit_gather<'a>(
    cg: &mut Codegen<'a>,
    pass: &Pass<'a>,
    carried: &Carried<'a>,
    input: Reg,
    width: usize,
) -> Result<()> {
    let row = cg.b.registers(width);
    cg.emit_copy_row(input, row, carried.exprs.len());
    cg.emit_copy(pass.ahead.group, row.at(usize::from(pass.group_column)));
    if let Some(column) = pass.key_column {
        cg.emit_into(&pass.order_by[0].expr, row.at(usize::from(column)))?;
    }
    for CallInPass { call, args, subtypes, filter, .. } in &pass.calls {
        cg.emit_list_into(call.args, row.at(usize::from(*args)))?;
        for (at, arg) in call.args.iter().enumerate() {
            let Some(subtypes) = subtypes else { break };
            let dst = row.at(usize::from(*subtypes) + at);
            cg.b.emit(if has_subtype(arg) {
                Insn::Subtype { src: row.at(usize::from(*args) + at), dst }
            } else {
                Insn::Integer { value: 0, dst }
            });
        }
        if let (Some(column), Some(filter)) = (filter, &call.filter) {
            cg.emit_into(filter, row.at(usize::from(*column)))?;
        }
    }
    let (cursor, rowid) = (pass.table, pass.ahead.last);
    cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
    let (flags, affinities) = (insert_flags::APPEND, AffinityListId::NONE);
    cg.b.emit(Insn::InsertRow { flags, cursor, count: width as u16, affinities, rowid, start: row });
    Ok(())
}

/// Iterates over the rows of a partition, which are collected as far as the frames require.
fn emit_partition<'a>(cg: &mut Codegen<'a>, pass: &Pass<'a>, carried: &Carried<'a>, output: &Coroutine) -> Result<()> {
    for cursor in [pass.current, pass.other] {
        cg.b.emit(Insn::OpenDup { cursor, original: pass.table });
    }
    // SQLite computes the window that is written last first, and so finds what is wrong with its frame first.
    for frame in pass.frames.iter().rev() {
        frame::begin(cg, frame, pass)?;
    }
    for call in &pass.calls {
        if let CallKind::Aggregate(_, state) = call.kind {
            cg.b.emit(Insn::Null { start: state, count: 1 });
        }
    }
    let done = cg.b.label();
    let (cursor, group) = (pass.current, cg.b.register());
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Rowid { cursor, dst: pass.number });
    cg.b.emit(Insn::Column { cursor, column: pass.group_column, dst: group });
    pass.emit_pull_until(cg, pass.ahead.last, pass.number);
    for at in 0..pass.frames.len() {
        frame::emit_move(cg, pass, at, group)?;
    }
    for at in 0..carried.exprs.len() {
        cg.b.emit(Insn::Column { cursor, column: at as u16, dst: output.start.at(at) });
    }
    for (at, call) in pass.calls.iter().enumerate() {
        result::emit(cg, pass, call, group, output.start.at(carried.exprs.len() + at))?;
    }
    cg.b.emit(Insn::Yield { co: output.co, target: Addr::NONE });
    cg.b.emit(Insn::Next { cursor, target: top });
    cg.b.place(done);
    Ok(())
}

/// Whether an argument may have a subtype. The input of windows (columns, aggregates) has lost it before.
fn has_subtype(arg: &Expr<'_>) -> bool {
    !matches!(arg, Expr::Column(_) | Expr::Aggregate(_)) && may_have_subtype(arg)
}
