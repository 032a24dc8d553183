//! Window functions.
//!
//! The leaves (`lithe_optimize::plan::WindowPlan`) come from a coroutine, and so do the rows of each pass, with the results behind what
//! the pass was given.
//!
//! ```text
//!   leaves, sorted ─▶ pass ─▶ sorter ─▶ pass ─▶ result columns ─▶ DISTINCT, ORDER BY, LIMIT
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `pass` | a partition: gathering its rows, going over them |
//! | `frame` | which rows are in the frame of a row |
//! | `state` | registers and cursors of a pass and its frames |
//! | `result` | the values of the functions |

mod frame;
mod pass;
mod result;
mod state;

use lithe_catalog::Result;
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::plan::{PassPlan, WindowPlan};
use lithe_resolve::ir::{Expr, OrderTerm};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::expr::Replacement;
use super::sink::Sink;
use crate::Coroutine;

/// Rows on their way through the passes: the leaves and the results so far, all of them expressions that need not be
/// computed any more.
#[derive(Clone)]
struct Carried<'a> {
    exprs: Vec<Expr<'a>>,
}

impl<'a> Codegen<'a> {
    /// A SELECT with window functions.
    pub(super) fn emit_windows(&mut self, plan: &'a WindowPlan<'a>, sink: &Sink) -> Result<()> {
        let mut carried = Carried { exprs: plan.leaves.to_vec() };
        let mut rows = self.emit_leaves(plan)?;
        for pass in plan.passes {
            if pass.is_sorted {
                rows = self.sort_for_pass(pass, &carried, rows)?;
            }
            rows = self.emit_pass(pass, &mut carried, rows)?;
        }
        self.emit_window_rows(plan, &carried, rows, sink)
    }

    /// The rows that the windows see, in the order of the first pass.
    fn emit_leaves(&mut self, plan: &'a WindowPlan<'a>) -> Result<Coroutine> {
        self.coroutine(plan.leaves.len(), |cg, coroutine| {
            let sink = cg.coroutine_sink(coroutine, Reg::NONE);
            cg.emit_select(&plan.input, &sink)?;
            cg.b.place(sink.done);
            Ok(())
        })
    }

    /// The rows of a pass in the order of the next.
    fn sort_for_pass(&mut self, pass: &PassPlan<'a>, carried: &Carried<'a>, rows: Coroutine) -> Result<Coroutine> {
        let (terms, width) = (pass.terms, carried.exprs.len());
        self.coroutine(width, |cg, sorted| {
            let sink = cg.coroutine_sink(sorted, Reg::NONE);
            let sorter = cg.open_sorter(terms, &sink)?;
            cg.for_each_row(carried, rows, |cg| {
                cg.emit_sorter_insert(&sorter, terms, &carried.exprs, Some(rows.start))
            })?;
            cg.emit_sorted(&sorter, &sink)?;
            cg.b.place(sink.done);
            Ok(())
        })
    }

    /// The rows behind the last pass: result columns, and what comes after them.
    fn emit_window_rows(
        &mut self,
        plan: &WindowPlan<'a>,
        carried: &Carried<'a>,
        rows: Coroutine,
        sink: &Sink,
    ) -> Result<()> {
        let WindowPlan { select, order_by, .. } = *plan;
        let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
        let distinct = self.open_distinct(select.columns, remembers)?;
        let sorter = if order_by.is_empty() { None } else { Some(self.open_sorter(order_by, sink)?) };
        self.for_each_row(carried, rows, |cg| {
            let next = cg.b.label();
            cg.emit_group_columns(select, order_by, sink, sorter.as_ref(), distinct.as_ref(), next)?;
            cg.b.place(next);
            Ok(())
        })?;
        sorter.map_or(Ok(()), |sorter| self.emit_sorted(&sorter, sink))
    }

    /// Runs `body` for each row of a coroutine, whose columns are what is carried.
    fn for_each_row(
        &mut self,
        carried: &Carried<'a>,
        rows: Coroutine,
        body: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
    ) -> Result<()> {
        let end = self.b.label();
        let top = self.b.here();
        self.b.emit(Insn::Yield { co: rows.co, target: end });
        let known = self.replacements();
        self.replace_carried(carried, rows.start);
        let result = self.in_loop(body);
        self.forget_replacements(known);
        result?;
        self.b.emit(Insn::Goto { target: top });
        self.b.place(end);
        Ok(())
    }

    /// What is carried stands in these registers.
    fn replace_carried(&mut self, carried: &Carried<'a>, start: Reg) {
        for (at, expr) in carried.exprs.iter().enumerate() {
            self.replace(*expr, Replacement::Register(start.at(at)));
        }
    }

    /// Describes keys that are only compared.
    fn key_only(&mut self, terms: &[OrderTerm<'a>]) -> Result<CursorId> {
        let key = self.order_key(terms)?;
        Ok(self.ephemeral(CursorKind::KeyOnly, key, terms.len()))
    }
}
