//! One pass: the rows of a partition are gathered in a temporary table, numbered from 1; each in turn is the
//! current row, and the frames move along. Rows are gathered only as far as the current row wants them: one row behind it (ROWS) or its
//! peers (RANGE, GROUPS), and one behind its frames. So a row is given as soon as its frames are known, as in SQLite.
//!
//! A row of the table: what is carried, the number of its group of peers, then for each call its arguments and whether
//! FILTER lets it in.

use std::sync::Arc;

use lithe_catalog::Result;
use lithe_functions::Flags;
use lithe_optimize::plan::PassPlan;
use lithe_resolve::ir::{Expr, OrderTerm, WindowCall, collation_of, may_have_subtype};
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{Addr, AffinityListId, AggregateId, CollationId, CompareFlags, CursorId, Reg, Sequence};
use lithe_vm::program::AggregateCall;

use super::super::super::Codegen;
use super::Carried;
use super::frame::measures;
use super::result::looks_rows_up;
use super::state::{Ahead, CallInPass, Frame, Pass};
use crate::Coroutine;

impl<'a> Codegen<'a> {
    /// A coroutine that gives the rows of `input` with the results of the pass behind them.
    pub(super) fn emit_pass(
        &mut self,
        plan: &PassPlan<'a>,
        carried: &mut Carried<'a>,
        input: Coroutine,
    ) -> Result<Coroutine> {
        let before = carried.clone();
        carried.exprs.extend(plan.calls.iter().map(|call| Expr::Window(call)));
        self.coroutine(carried.exprs.len(), |cg, output| cg.emit_partitions(plan, &before, input, output))
    }

    fn emit_partitions(
        &mut self,
        plan: &PassPlan<'a>,
        carried: &Carried<'a>,
        input: Coroutine,
        output: &Coroutine,
    ) -> Result<()> {
        let (pass, width) = self.open_pass(plan, carried, input)?;
        let known = self.replacements();
        self.replace_carried(carried, pass.ahead.input.start);
        let result = self.in_loop(|cg| cg.emit_pass_loop(plan, &pass, carried, width, output));
        self.forget_replacements(known);
        result
    }

    /// One partition after the other: its first row is the one that was fetched last.
    fn emit_pass_loop(
        &mut self,
        plan: &PassPlan<'a>,
        pass: &Pass<'a>,
        carried: &Carried<'a>,
        width: usize,
        output: &Coroutine,
    ) -> Result<()> {
        let end = self.b.label();
        let Ahead { has_row, keys, order, partition, fetch, ret, .. } = pass.ahead;
        self.b.emit(Insn::Gosub { ret, target: fetch });
        let top = self.b.here();
        self.b.emit(Insn::IfNot { null_jumps: 0, reg: has_row, target: end });
        self.b.emit(Insn::OpenEphemeral { cursor: pass.table });
        self.emit_copy_row(keys, partition, plan.partition_by.len());
        self.emit_copy_row(order, pass.ahead.peers, plan.order_by.len());
        self.b.emit(Insn::Integer { value: 1, dst: pass.ahead.is_open });
        self.b.emit(Insn::Integer { value: 1, dst: pass.ahead.group });
        self.emit_gather(pass, carried, pass.ahead.input.start, width)?;
        self.emit_partition(pass, carried, output)?;
        self.b.emit(Insn::Goto { target: top });
        self.emit_fetch(plan, pass)?;
        self.emit_pull(plan, pass, carried, width)?;
        self.b.place(end);
        Ok(())
    }

    /// The subroutine that fetches a row of the input, and computes its keys.
    fn emit_fetch(&mut self, plan: &PassPlan<'a>, pass: &Pass<'a>) -> Result<()> {
        let Ahead { has_row, keys, order, fetch, ret, .. } = pass.ahead;
        let done = self.b.label();
        self.b.place(fetch);
        self.b.emit(Insn::Integer { value: 0, dst: has_row });
        self.b.emit(Insn::Yield { co: pass.ahead.input.co, target: done });
        self.emit_list_into(plan.partition_by, keys)?;
        for (at, term) in plan.order_by.iter().enumerate() {
            self.emit_into(&term.expr, order.at(at))?;
        }
        self.b.emit(Insn::Integer { value: 1, dst: has_row });
        self.b.place(done);
        self.b.emit(Insn::Return { ret });
        Ok(())
    }

    /// The subroutine that gathers one more row of the partition, or finds that there is none.
    fn emit_pull(&mut self, plan: &PassPlan<'a>, pass: &Pass<'a>, carried: &Carried<'a>, width: usize) -> Result<()> {
        let Ahead { is_open, has_row, keys, order, partition, peers, group, fetch, ret, .. } = pass.ahead;
        let (closed, same_partition, gather) = (self.b.label(), self.b.label(), self.b.label());
        let partition_terms = self.partition_terms(plan);
        let partition_key = self.key_only(&partition_terms)?;
        let peer_key = self.key_only(plan.order_by)?;
        self.b.place(pass.ahead.pull);
        self.b.emit(Insn::Gosub { ret, target: fetch });
        self.b.emit(Insn::IfNot { null_jumps: 0, reg: has_row, target: closed });
        self.emit_compare_keys(partition_key, keys, partition, plan.partition_by.len(), same_partition);
        self.b.place(closed);
        self.b.emit(Insn::Integer { value: 0, dst: is_open });
        self.b.emit(Insn::Return { ret: pass.ahead.pull_ret });
        self.b.place(same_partition);
        self.emit_compare_keys(peer_key, order, peers, plan.order_by.len(), gather);
        self.b.emit(Insn::AddImmediate { reg: group, value: 1 });
        self.emit_copy_row(order, peers, plan.order_by.len());
        self.b.place(gather);
        self.emit_gather(pass, carried, pass.ahead.input.start, width)?;
        self.b.emit(Insn::Return { ret: pass.ahead.pull_ret });
        Ok(())
    }

    /// Gathers one more row and goes to `again`, or to `none` if the partition has no more.
    pub(super) fn emit_pull_or(&mut self, pass: &Pass<'a>, again: Addr, none: Addr) {
        let Ahead { is_open, pull, pull_ret, .. } = pass.ahead;
        self.b.emit(Insn::IfNot { null_jumps: 0, reg: is_open, target: none });
        self.b.emit(Insn::Gosub { ret: pull_ret, target: pull });
        self.b.emit(Insn::Goto { target: again });
    }

    /// Falls through when the keys differ.
    fn emit_compare_keys(&mut self, key: CursorId, lhs: Reg, rhs: Reg, count: usize, equal: Addr) {
        if count == 0 {
            self.b.emit(Insn::Goto { target: equal });
            return;
        }
        let differ = self.b.label();
        self.b.emit(Insn::CompareVectors { key, lhs, rhs, count: count as u32 });
        self.b.emit(Insn::Jump { less: differ, equal, greater: differ });
        self.b.place(differ);
    }

    fn partition_terms(&self, plan: &PassPlan<'a>) -> Vec<OrderTerm<'a>> {
        let term = |expr: &Expr<'a>| OrderTerm {
            expr: *expr,
            collation: collation_of(expr).unwrap_or_default(),
            descending: false,
            nulls_opposite: false,
            output: None,
        };
        plan.partition_by.iter().map(term).collect()
    }

    /// Lays out the table's rows; gives their width, too.
    fn open_pass(&mut self, plan: &PassPlan<'a>, carried: &Carried<'a>, input: Coroutine) -> Result<(Pass<'a>, usize)> {
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
                    frames.push(self.open_frame(call.window)?);
                    frames.len() - 1
                }
            };
            let aggregate = self.window_aggregate(call)?;
            calls.push(CallInPass { call, args, subtypes, filter, frame, aggregate });
        }
        let table = self.ephemeral_table(width);
        let pass = Pass {
            table,
            current: self.ephemeral_table(width),
            other: self.ephemeral_table(width),
            number: self.b.register(),
            group_column: group_column as u16,
            key_column,
            order_by: plan.order_by,
            calls,
            frames,
            ahead: self.read_ahead(plan, input),
        };
        Ok((pass, width))
    }

    fn read_ahead(&mut self, plan: &PassPlan<'a>, input: Coroutine) -> Ahead {
        Ahead {
            input,
            is_open: self.b.register(),
            has_row: self.b.register(),
            keys: self.b.registers(plan.partition_by.len()),
            order: self.b.registers(plan.order_by.len()),
            partition: self.b.registers(plan.partition_by.len()),
            peers: self.b.registers(plan.order_by.len()),
            last: self.b.register(),
            group: self.b.register(),
            fetch: self.b.label(),
            ret: self.b.register(),
            pull: self.b.label(),
            pull_ret: self.b.register(),
        }
    }

    fn window_aggregate(&mut self, call: &WindowCall<'a>) -> Result<Option<(AggregateId, Reg)>> {
        if looks_rows_up(call) {
            return Ok(None);
        }
        let id = self.b.aggregate(AggregateCall {
            function: Arc::clone(call.function),
            argument_count: call.args.len() as u16,
            collation: self.env.collation(call.collation)?,
        });
        Ok(Some((id, self.b.register())))
    }

    /// Puts a row into the table.
    fn emit_gather(&mut self, pass: &Pass<'a>, carried: &Carried<'a>, input: Reg, width: usize) -> Result<()> {
        let row = self.b.registers(width);
        self.emit_copy_row(input, row, carried.exprs.len());
        self.emit_copy(pass.ahead.group, row.at(usize::from(pass.group_column)));
        if let Some(column) = pass.key_column {
            self.emit_into(&pass.order_by[0].expr, row.at(usize::from(column)))?;
        }
        for CallInPass { call, args, subtypes, filter, .. } in &pass.calls {
            self.emit_list_into(call.args, row.at(usize::from(*args)))?;
            for (at, arg) in call.args.iter().enumerate() {
                let Some(subtypes) = subtypes else { break };
                let dst = row.at(usize::from(*subtypes) + at);
                self.b.emit(if has_subtype(arg) {
                    Insn::Subtype { src: row.at(usize::from(*args) + at), dst }
                } else {
                    Insn::Integer { value: 0, dst }
                });
            }
            if let (Some(column), Some(filter)) = (filter, &call.filter) {
                self.emit_into(filter, row.at(usize::from(*column)))?;
            }
        }
        let (cursor, rowid) = (pass.table, pass.ahead.last);
        self.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
        let (flags, affinities) = (insert_flags::APPEND, AffinityListId::NONE);
        self.b.emit(Insn::InsertRow { flags, cursor, count: width as u16, affinities, rowid, start: row });
        Ok(())
    }

    /// Goes over the rows of a partition, which are gathered as far as the frames want them.
    fn emit_partition(&mut self, pass: &Pass<'a>, carried: &Carried<'a>, output: &Coroutine) -> Result<()> {
        for cursor in [pass.current, pass.other] {
            self.b.emit(Insn::OpenDup { cursor, original: pass.table });
        }
        for frame in &pass.frames {
            self.begin_frame(frame, pass)?;
        }
        for call in &pass.calls {
            if let Some((_, state)) = call.aggregate {
                self.b.emit(Insn::Null { start: state, count: 1 });
            }
        }
        let done = self.b.label();
        let (cursor, group) = (pass.current, self.b.register());
        self.b.emit(Insn::Rewind { cursor, target: done });
        let top = self.b.here();
        self.b.emit(Insn::Rowid { cursor, dst: pass.number });
        self.b.emit(Insn::Column { cursor, column: pass.group_column, dst: group });
        self.emit_pull_until(pass, pass.ahead.last, pass.number);
        for (at, frame) in pass.frames.iter().enumerate() {
            if frame.waits_for_peers() {
                self.emit_pull_until(pass, pass.ahead.group, group);
            }
            self.move_frame(pass, at, group)?;
        }
        for at in 0..carried.exprs.len() {
            self.b.emit(Insn::Column { cursor, column: at as u16, dst: output.start.at(at) });
        }
        for (at, call) in pass.calls.iter().enumerate() {
            self.emit_window_result(pass, call, group, output.start.at(carried.exprs.len() + at))?;
        }
        self.b.emit(Insn::Yield { co: output.co, target: Addr::NONE });
        self.b.emit(Insn::Next { cursor, target: top });
        self.b.place(done);
        Ok(())
    }

    /// Gathers rows until the number in `gathered` is greater than `current`, or the partition has no more.
    fn emit_pull_until(&mut self, pass: &Pass<'a>, gathered: Reg, current: Reg) {
        let done = self.b.label();
        let top = self.b.here();
        let (flags, collation) = (CompareFlags::default(), CollationId::BINARY);
        self.b.emit(Insn::Gt { flags, collation, lhs: gathered, rhs: current, target: done });
        self.emit_pull_or(pass, top, done);
        self.b.place(done);
    }
}

/// Whether an argument brings a subtype with it. What windows are made of (columns, aggregates) has lost it on the way.
fn has_subtype(arg: &Expr<'_>) -> bool {
    !matches!(arg, Expr::Column(_) | Expr::Aggregate(_)) && may_have_subtype(arg)
}
