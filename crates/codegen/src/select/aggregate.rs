//! Aggregates: the steps that rows feed to them, their results, and what a query shows beside them.
//!
//! A column that is neither grouped by nor inside an aggregate is *bare*: it is taken from the first row of the
//! group, or from the row that gave min() or max() its result.

use std::sync::Arc;

use lithe_catalog::Result;
use lithe_functions::Flags;
use lithe_optimize::plan::AggregatePlan;
use lithe_optimize::select::{are_from_extreme_row, distinct_terms, extreme};
use lithe_resolve::ir::{
    Aggregate, Child, Column, ColumnIndex, Expr, OrderTerm, Query, Select, for_each_child, for_each_in_query, same,
};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, AggregateId, CursorId, Reg};
use lithe_vm::program::{AggregateCall, CursorKind};

use super::super::access::ColumnAccess;
use super::super::loops::{begin_loops, end_loops};
use super::super::{Codegen, Value};
use super::sink::Sink;

/// The registers in which the rows of a group come together.
pub(super) struct Accumulators<'a> {
    calls: Vec<Accumulator<'a>>,
    /// Bare columns and their registers.
    bare: Vec<(&'a Column<'a>, Reg)>,
    /// Set when the group has had a row: then bare columns are not taken any more.
    pub has_row: Reg,
    /// With min() or max() among the calls: the place of the first, and the register that says of the last one that saw the
    /// row that its result has not changed.
    decider: Option<(usize, Reg)>,
    /// The first of the registers that belong to one group: states, bare columns, `has_row`.
    block: Reg,
    /// Whether anybody looks at `has_row`.
    notes_rows: bool,
}

/// One call's registers.
struct Accumulator<'a> {
    call: &'a Aggregate<'a>,
    id: AggregateId,
    state: Reg,
    result: Reg,
    /// DISTINCT: the arguments that have been there.
    seen: Option<CursorId>,
    /// ORDER BY: arguments wait here until the group is complete.
    waiting: Option<Waiting>,
}

/// Rows of an aggregate with ORDER BY: its terms, then its arguments.
struct Waiting {
    sorter: CursorId,
    row: Reg,
    terms: usize,
    /// How many columns behind the arguments hold their subtypes, which rows of a sorter do not have.
    subtypes: usize,
}

impl<'a> Accumulators<'a> {
    /// The registers that belong to one group: where they begin, and how many they are.
    pub fn block(&self) -> (Reg, u32) {
        (self.block, (self.calls.len() + self.bare.len() + 1) as u32)
    }

    /// The bare columns.
    pub fn bare(&self) -> impl Iterator<Item = &'a Column<'a>> + '_ {
        self.bare.iter().map(|(column, _)| *column)
    }
}

impl<'a> Codegen<'a> {
    /// Aggregates without GROUP BY: all rows are one group, which is there even without rows.
    pub(super) fn emit_single_group(&mut self, plan: &'a AggregatePlan<'a>, sink: &Sink) -> Result<()> {
        let AggregatePlan { select, ref from, extreme, .. } = *plan;
        let accumulators = self.open_accumulators(select, &[], true)?;
        self.emit_reset(&accumulators);
        self.prepare_sources(from)?;
        self.in_loop_of(from, |cg| {
            let loops = begin_loops(cg, from)?;
            cg.emit_step(&accumulators)?;
            if let Some(term) = extreme {
                let value = cg.emit(&term.expr)?;
                cg.b.emit(Insn::NotNull { reg: value.reg, target: loops.done });
                cg.release(value);
            }
            end_loops(cg, loops)
        })?;
        self.emit_results(&accumulators);
        self.read_bare_columns(select, &accumulators);
        let end = self.b.label();
        if let Some(having) = &select.having {
            self.jump_if_false(having, end, true)?;
        }
        self.emit_offset(sink, end);
        let row = self.row_registers(sink, false);
        self.emit_columns(sink, select.columns, row)?;
        self.deliver(sink, row)?;
        self.b.place(end);
        Ok(())
    }

    /// Registers, sets and sorters for the aggregates of a SELECT.
    pub(super) fn open_accumulators(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        keeps_terms: bool,
    ) -> Result<Accumulators<'a>> {
        let bare = bare_columns(select, order_by, keeps_terms);
        let block = self.b.registers(select.aggregates.len() + bare.len() + 1);
        let mut calls = Vec::with_capacity(select.aggregates.len());
        for (at, call) in select.aggregates.iter().enumerate() {
            calls.push(self.open_accumulator(call, block.at(at))?);
        }
        let decider = select.aggregates.iter().position(|call| extreme(call).is_some());
        let bare: Vec<_> =
            bare.into_iter().enumerate().map(|(at, column)| (column, block.at(calls.len() + at))).collect();
        let has_row = block.at(calls.len() + bare.len());
        let decider = decider.map(|at| (at, self.b.register()));
        let notes_rows = !select.group_by.is_empty() || !bare.is_empty();
        Ok(Accumulators { calls, bare, has_row, decider, block, notes_rows })
    }

    fn open_accumulator(&mut self, call: &'a Aggregate<'a>, state: Reg) -> Result<Accumulator<'a>> {
        let id = self.b.aggregate(AggregateCall {
            function: Arc::clone(call.function),
            argument_count: call.args.len() as u16,
            collation: self.env.collation(call.collation)?,
        });
        let result = self.b.register();
        let seen = if call.distinct {
            let terms = distinct_terms(self.arena, call.args);
            let key = self.order_key(terms)?;
            Some(self.ephemeral(CursorKind::EphemeralSet, key, call.args.len()))
        } else {
            None
        };
        let waiting = if call.order_by.is_empty() {
            None
        } else {
            let reads_subtypes = call.function.flags().contains(Flags::SUBTYPE);
            let subtypes = if reads_subtypes { call.args.len() } else { 0 };
            let (key, width) = (self.order_key(call.order_by)?, call.order_by.len() + call.args.len() + subtypes);
            let sorter = self.ephemeral(CursorKind::Sorter, key, width);
            Some(Waiting { sorter, row: self.b.registers(width), terms: call.order_by.len(), subtypes })
        };
        self.set_aggregate(call.id, result);
        Ok(Accumulator { call, id, state, result, seen, waiting })
    }

    /// Begins a new group.
    pub(super) fn emit_reset(&mut self, accumulators: &Accumulators<'a>) {
        self.b.emit(Insn::Integer { value: 0, dst: accumulators.has_row });
        for call in &accumulators.calls {
            self.b.emit(Insn::Null { start: call.state, count: 1 });
            if let Some(cursor) = call.seen {
                self.b.emit(Insn::OpenEphemeral { cursor });
            }
            if let Some(waiting) = &call.waiting {
                self.b.emit(Insn::SorterOpen { cursor: waiting.sorter, limit: Reg::NONE });
            }
        }
        for &(_, start) in &accumulators.bare {
            self.b.emit(Insn::Null { start, count: 1 });
        }
    }

    /// Adds the present row to the group.
    pub(super) fn emit_step(&mut self, accumulators: &Accumulators<'a>) -> Result<()> {
        let takes_bare = !accumulators.bare.is_empty();
        for (at, call) in accumulators.calls.iter().enumerate() {
            let flag = accumulators.decider.filter(|_| takes_bare && extreme(call.call).is_some());
            if let (Some((first, dst)), Some(_)) = (flag, call.call.filter)
                && first == at
            {
                // A row that the filter drops gives the bare columns only if it is the first.
                self.b.emit(Insn::Copy { src: accumulators.has_row, dst, count: 1 });
            }
            self.emit_call_step(call, flag.map(|(_, flag)| flag))?;
        }
        if takes_bare {
            let taken = self.b.label();
            let reg = accumulators.decider.map_or(accumulators.has_row, |(_, flag)| flag);
            self.b.emit(Insn::If { null_jumps: 0, reg, target: taken });
            for &(column, reg) in &accumulators.bare {
                self.emit_into(&Expr::Column(column), reg)?;
            }
            self.b.place(taken);
        }
        if accumulators.notes_rows {
            self.b.emit(Insn::Integer { value: 1, dst: accumulators.has_row });
        }
        Ok(())
    }

    /// Feeds the row to a call. A min() or max() says in `flag` whether the row has changed its result.
    fn emit_call_step(&mut self, accumulator: &Accumulator<'a>, flag: Option<Reg>) -> Result<()> {
        let Accumulator { call, id, state, .. } = *accumulator;
        let skip = self.b.label();
        if let Some(filter) = &call.filter {
            self.jump_if_false(filter, skip, true)?;
        }
        match &accumulator.waiting {
            Some(waiting) => self.emit_wait(accumulator, waiting, skip)?,
            None => {
                let (start, values) = self.emit_aggregate_arguments(call.args)?;
                if let Some(cursor) = accumulator.seen {
                    self.emit_seen(cursor, call.args.len(), start, skip);
                }
                if let Some(flag) = flag {
                    let collation = self.collation(call.collation)?;
                    self.b.emit(Insn::CollationFor { collation, flag });
                }
                self.b.emit(Insn::AggStep { aggregate: id, start, acc: state });
                values.into_iter().for_each(|value| self.release(value));
            }
        }
        self.b.place(skip);
        Ok(())
    }

    /// The arguments of an aggregate, in a row; a single one where it stands.
    fn emit_aggregate_arguments(&mut self, args: &[Expr<'a>]) -> Result<(Reg, Option<Value>)> {
        match args {
            [] => Ok((Reg(0), None)),
            [one] => {
                let value = self.emit(one)?;
                Ok((value.reg, Some(value)))
            }
            several => Ok((self.emit_arguments(several, false)?, None)),
        }
    }

    fn emit_seen(&mut self, cursor: CursorId, count: usize, start: Reg, seen: Addr) {
        let (count, affinities) = (count as u16, AffinityListId::NONE);
        self.b.emit(Insn::Found { cursor, count, start, target: seen });
        self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start });
    }

    /// Puts the arguments aside until the group is complete.
    fn emit_wait(&mut self, accumulator: &Accumulator<'a>, waiting: &Waiting, skip: Addr) -> Result<()> {
        let call = accumulator.call;
        let args = waiting.row.at(waiting.terms);
        self.emit_list_into(call.args, args)?;
        if let Some(cursor) = accumulator.seen {
            self.emit_seen(cursor, call.args.len(), args, skip);
        }
        for (at, term) in call.order_by.iter().enumerate() {
            self.emit_into(&term.expr, waiting.row.at(at))?;
        }
        for at in 0..waiting.subtypes {
            self.b.emit(Insn::Subtype { src: args.at(at), dst: args.at(call.args.len() + at) });
        }
        let count = (waiting.terms + call.args.len() + waiting.subtypes) as u32;
        self.b.emit(Insn::SorterInsert { cursor: waiting.sorter, start: waiting.row, count });
        Ok(())
    }

    /// The group is complete: its results.
    pub(super) fn emit_results(&mut self, accumulators: &Accumulators<'a>) {
        for accumulator in &accumulators.calls {
            if let Some(waiting) = &accumulator.waiting {
                self.emit_waiting_steps(accumulator, waiting);
            }
            let Accumulator { id, state, result, .. } = *accumulator;
            self.b.emit(Insn::AggFinal { aggregate: id, acc: state, dst: result });
        }
    }

    fn emit_waiting_steps(&mut self, accumulator: &Accumulator<'a>, waiting: &Waiting) {
        let cursor = waiting.sorter;
        let end = self.b.label();
        self.b.emit(Insn::SorterSort { cursor, target: end });
        let top = self.b.here();
        let start = waiting.row.at(waiting.terms);
        let args = accumulator.call.args.len();
        for at in 0..args + waiting.subtypes {
            let column = (waiting.terms + at) as u16;
            self.b.emit(Insn::Column { cursor, column, dst: start.at(at) });
        }
        for at in 0..waiting.subtypes {
            self.b.emit(Insn::SetSubtype { src: start.at(args + at), dst: start.at(at) });
        }
        self.b.emit(Insn::AggStep { aggregate: accumulator.id, start, acc: accumulator.state });
        self.b.emit(Insn::SorterNext { cursor, target: top });
        self.b.place(end);
    }

    /// From here on the sources' columns are the bare ones that were kept.
    pub(super) fn read_bare_columns(&mut self, select: &Select<'a>, accumulators: &Accumulators<'a>) {
        for source in select.sources {
            let own = accumulators.bare.iter().filter(|(column, _)| column.source == source.id);
            let columns: Vec<(ColumnIndex, Reg)> = own.map(|&(column, reg)| (column.index, reg)).collect();
            self.set_access(source.id, ColumnAccess::RegisterMap { columns: self.arena.alloc_slice_copy(&columns) });
        }
    }
}

/// The columns of the SELECT's own sources that it shows beside its aggregates and GROUP BY terms. `keeps_terms`: of those terms,
/// too, whatever is no column is kept as a whole.
fn bare_columns<'a>(select: &'a Select<'a>, order_by: &'a [OrderTerm<'a>], keeps_terms: bool) -> Vec<&'a Column<'a>> {
    let mut found = Vec::new();
    let keeps_any = !are_from_extreme_row(select);
    let is_kept = |expr: &Expr<'a>| {
        let is_own = matches!(expr, Expr::Aggregate(call) if select.aggregates.iter().any(|own| own.id == call.id));
        let is_term = |term: &OrderTerm<'a>| same(&term.expr, expr);
        let may_keep = keeps_any && (keeps_terms || !matches!(expr, Expr::Column(_)));
        is_own || may_keep && select.group_by.iter().any(is_term)
    };
    let shown = select.columns.iter().chain(&select.having).chain(order_by.iter().map(|term| &term.expr));
    shown.for_each(|expr| collect_columns(expr, select, &is_kept, &mut found));
    found
}

/// The columns of the SELECT's own sources that its aggregates use.
pub(super) fn aggregate_columns<'a>(select: &'a Select<'a>) -> Vec<&'a Column<'a>> {
    let mut found = Vec::new();
    for call in select.aggregates {
        let exprs = call.args.iter().chain(&call.filter).chain(call.order_by.iter().map(|term| &term.expr));
        exprs.for_each(|expr| collect_columns(expr, select, &|_| false, &mut found));
    }
    found
}

/// Adds the columns of the SELECT's own sources in `expr`, nested queries included, but not what is `kept` as a whole.
pub(super) fn collect_columns<'a>(
    expr: &Expr<'a>,
    select: &'a Select<'a>,
    is_kept: &dyn Fn(&Expr<'a>) -> bool,
    found: &mut Vec<&'a Column<'a>>,
) {
    if is_kept(expr) {
        return;
    }
    if let Expr::Column(column) = expr {
        let is_known = found.iter().any(|known| known.source == column.source && known.index == column.index);
        if !is_known && select.position(column.source).is_some() {
            found.push(column);
        }
        return;
    }
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => collect_columns(operand, select, is_kept, found),
        Child::Query(query) => collect_in_query(query, select, is_kept, found),
    });
}

fn collect_in_query<'a>(
    query: &'a Query<'a>,
    select: &'a Select<'a>,
    is_kept: &dyn Fn(&Expr<'a>) -> bool,
    found: &mut Vec<&'a Column<'a>>,
) {
    if query.outer.is_empty() {
        return;
    }
    for_each_in_query(query, &mut |child| match child {
        Child::Expr(expr) => collect_columns(expr, select, is_kept, found),
        Child::Query(query) => collect_in_query(query, select, is_kept, found),
    });
}
