//! A SELECT without grouping; VALUES.

use lithe_catalog::Result;
use lithe_optimize::access::JoinPlan;
use lithe_optimize::select::{SelectPlan, Sorting, plain_request, sorting_of};
use lithe_resolve::ir::{Expr, Limit, OrderTerm, Select};
use lithe_sql::ast::Span;
use lithe_vm::operand::Reg;

use super::super::Codegen;
use super::super::loops::{begin_loops, end_loops};
use super::distinct::Distinct;
use super::sink::Sink;

impl<'a> Codegen<'a> {
    /// Emits one SELECT.
    pub(super) fn emit_select(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        span: Span,
        limit: Option<&'a Limit<'a>>,
        sink: &Sink,
    ) -> Result<()> {
        match SelectPlan::of(&self.planning, select, order_by) {
            SelectPlan::Windows { order_by } => self.emit_windows(select, order_by, span, sink),
            SelectPlan::Count(plan) => self.emit_count(select, &plan, sink),
            SelectPlan::Aggregate(request) => self.emit_single_group(select, &request, sink),
            SelectPlan::Group(request) => self.emit_group_by(&request, sink),
            SelectPlan::Plain { order_by } => self.emit_plain(select, order_by, limit, sink),
        }
    }

    fn emit_plain(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        limit: Option<&'a Limit<'a>>,
        sink: &Sink,
    ) -> Result<()> {
        let plan = self.plan_join(plain_request(select, order_by, sink.row_limit, limit))?;
        self.explain_constant_row(&plan);
        let distinct = self.open_distinct(select.columns, plan.distinct)?;
        let sorter = match sorting_of(&plan, order_by) {
            Sorting::Nothing => None,
            Sorting::Blocks(terms) => Some(self.open_block_sorter(order_by, terms, sink)?),
        };
        self.in_loop_of(&plan, |cg| {
            let loops = begin_loops(cg, &plan)?;
            match (&sorter, &distinct) {
                (None, None) => {
                    if !plan.skips_offset() {
                        cg.emit_offset(sink, loops.next);
                    }
                    let row = cg.row_registers(sink, false);
                    cg.emit_columns(sink, select.columns, row)?;
                    cg.explain_filter(sink);
                    cg.deliver(sink, row)?;
                }
                (Some(sorter), None) => cg.emit_sorter_insert(sorter, order_by, select.columns, None)?,
                (_, Some(distinct)) => {
                    let row = cg.row_registers(sink, true);
                    cg.emit_list_into(select.columns, row)?;
                    cg.emit_distinct(distinct, row, loops.next)?;
                    match &sorter {
                        Some(sorter) => cg.emit_sorter_insert(sorter, order_by, select.columns, Some(row))?,
                        None => {
                            cg.emit_offset(sink, loops.next);
                            cg.deliver(sink, row)?;
                        }
                    }
                }
            }
            end_loops(cg, loops)
        })?;
        if distinct.as_ref().is_some_and(Distinct::uses_table) {
            self.explain.line(|| "USE TEMP B-TREE FOR DISTINCT".to_owned());
        }
        if let Some(sorter) = &sorter {
            self.explain_order(order_by, &plan);
            self.emit_sorted(sorter, sink)?;
        }
        Ok(())
    }

    /// Runs `f`, inside of loops if the plan has any.
    pub(super) fn in_loop_of<T>(
        &mut self,
        plan: &JoinPlan<'a>,
        f: impl FnOnce(&mut Codegen<'a>) -> Result<T>,
    ) -> Result<T> {
        if plan.loops.is_empty() { f(self) } else { self.in_loop(f) }
    }

    /// Computes the result columns, unless nobody will look at them.
    pub(super) fn emit_columns(&mut self, sink: &Sink, columns: &[Expr<'a>], row: Reg) -> Result<()> {
        if Codegen::only_counts(sink) {
            return Ok(());
        }
        self.emit_list_into(columns, row)
    }

    /// Puts the values into the registers from `start` on.
    pub(crate) fn emit_list_into(&mut self, exprs: &[Expr<'a>], start: Reg) -> Result<()> {
        for (at, expr) in exprs.iter().enumerate() {
            self.emit_into(expr, start.at(at))?;
        }
        Ok(())
    }

    /// VALUES: one row after the other.
    pub(super) fn emit_values(
        &mut self,
        rows: &[&'a [Expr<'a>]],
        order_by: &[OrderTerm<'a>],
        sink: &Sink,
    ) -> Result<()> {
        self.explain_values(rows.len(), &sink.destination);
        let sorter = if order_by.is_empty() { None } else { Some(self.open_sorter(order_by, sink)?) };
        let row = self.row_registers(sink, sink.offset.is_some() || sorter.is_some());
        for columns in rows {
            let next = self.b.label();
            if let Some(sorter) = &sorter {
                self.emit_list_into(columns, row)?;
                self.emit_sorter_insert(sorter, order_by, columns, Some(row))?;
            } else {
                self.emit_offset(sink, next);
                self.emit_list_into(columns, row)?;
                self.deliver(sink, row)?;
            }
            self.b.place(next);
        }
        if let Some(sorter) = &sorter {
            self.emit_sorted(sorter, sink)?;
        }
        Ok(())
    }

    /// EXPLAIN QUERY PLAN of a SELECT without FROM.
    pub(super) fn explain_constant_row(&mut self, plan: &JoinPlan<'a>) {
        if plan.request.sources.is_empty() {
            self.explain.line(|| "SCAN CONSTANT ROW".to_owned());
        }
    }
}
