//! Window functions.
//!
//! Everything of the SELECT that comes before its windows (FROM, WHERE, GROUP BY, HAVING) is a coroutine whose rows are
//! the *leaves*: the columns, GROUP BY terms and aggregates that windows and result columns are made of. A *pass* takes
//! rows ordered by PARTITION BY and ORDER BY, computes all functions over windows with these two clauses, whatever
//! their frames, and gives the rows on with the results behind the leaves. Windows with other clauses are further passes;
//! the first one written is computed last, and so decides the order of the rows.
//!
//! ```text
//!   leaves, sorted ─▶ pass ─▶ sorter ─▶ pass ─▶ result columns ─▶ DISTINCT, ORDER BY, LIMIT
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `leaves` | which values are carried through |
//! | `pass` | a partition: gathering its rows, going over them |
//! | `frame` | which rows are in the frame of a row |
//! | `state` | registers and cursors of a pass and its frames |
//! | `result` | the values of the functions |

mod frame;
mod leaves;
mod pass;
mod result;
mod state;

use lithe_catalog::Result;
use lithe_optimize::access::DistinctPlan;
use lithe_resolve::ir::{Expr, OrderTerm, Select, WindowCall, same_all, same_order};
use lithe_sql::ast::Span;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::expr::Replacement;
use super::Coroutine;
use super::sink::Sink;

/// The functions whose windows have the same PARTITION BY and ORDER BY.
struct PassPlan<'a> {
    partition_by: &'a [Expr<'a>],
    order_by: &'a [OrderTerm<'a>],
    calls: Vec<&'a WindowCall<'a>>,
}

/// Rows on their way through the passes: the leaves and the results so far, all of them expressions that need not be
/// computed any more.
#[derive(Clone)]
struct Carried<'a> {
    exprs: Vec<Expr<'a>>,
}

impl<'a> Codegen<'a> {
    /// A SELECT with window functions.
    pub(super) fn emit_windows(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        span: Span,
        sink: &Sink,
    ) -> Result<()> {
        let mut passes = passes_of(select);
        let mut carried = Carried { exprs: leaves::leaves_of(select, order_by) };
        let number = self.explain_window_subquery();
        let mut rows = match passes.pop() {
            Some(first) => {
                let leaves = self.emit_leaves(select, &carried, &first, span)?;
                self.emit_pass(&first, &mut carried, leaves)?
            }
            None => self.emit_leaves(select, &carried, &PassPlan::none(), span)?,
        };
        while let Some(pass) = passes.pop() {
            let sorted = self.sort_for_pass(&pass, &carried, rows)?;
            rows = self.emit_pass(&pass, &mut carried, sorted)?;
        }
        self.explain.close();
        let cost = self.planning.cost_of_rows(select);
        self.explain.loop_line(cost, || format!("SCAN (subquery-{number})"));
        self.emit_window_rows(select, order_by, &carried, rows, sink)
    }

    /// The rows that the windows see, in the order of the first pass.
    fn emit_leaves(
        &mut self,
        select: &'a Select<'a>,
        carried: &Carried<'a>,
        pass: &PassPlan<'a>,
        span: Span,
    ) -> Result<Coroutine> {
        let columns = self.arena.alloc_slice_copy(&carried.exprs);
        let terms = self.pass_order(pass, columns);
        let inner: &'a Select<'a> = self.arena.alloc(Select { columns, distinct: false, windows: &[], ..*select });
        self.coroutine(columns.len(), |cg, coroutine| {
            let sink = cg.coroutine_sink(coroutine, Reg::NONE);
            cg.emit_select(inner, terms, span, None, &sink)?;
            cg.b.place(sink.done);
            Ok(())
        })
    }

    /// PARTITION BY and ORDER BY as one order.
    fn pass_order(&self, pass: &PassPlan<'a>, columns: &[Expr<'a>]) -> &'a [OrderTerm<'a>] {
        let partition = pass.partition_by.iter().map(|expr| OrderTerm {
            expr: *expr,
            collation: lithe_resolve::ir::collation_of(expr).unwrap_or_default(),
            descending: false,
            nulls_opposite: false,
            output: None,
        });
        let terms = partition.chain(pass.order_by.iter().copied()).map(|term| {
            let output = columns.iter().position(|column| lithe_resolve::ir::same(column, &term.expr));
            OrderTerm { output: output.map(|at| at as u16), ..term }
        });
        self.arena.alloc_slice_copy(&terms.collect::<Vec<_>>())
    }

    /// The rows of a pass in the order of the next.
    fn sort_for_pass(&mut self, pass: &PassPlan<'a>, carried: &Carried<'a>, rows: Coroutine) -> Result<Coroutine> {
        let terms = self.pass_order(pass, &carried.exprs);
        let width = carried.exprs.len();
        self.coroutine(width, |cg, sorted| {
            let sink = cg.coroutine_sink(sorted, Reg::NONE);
            let sorter = cg.open_sorter(terms, &sink)?;
            cg.explain.line(|| "USE TEMP B-TREE FOR ORDER BY".to_owned());
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
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        carried: &Carried<'a>,
        rows: Coroutine,
        sink: &Sink,
    ) -> Result<()> {
        let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
        let distinct = self.open_distinct(select.columns, remembers)?;
        let sorter = if order_by.is_empty() { None } else { Some(self.open_sorter(order_by, sink)?) };
        self.for_each_row(carried, rows, |cg| {
            let next = cg.b.label();
            cg.emit_group_columns(select, order_by, sink, sorter.as_ref(), distinct.as_ref(), next)?;
            cg.b.place(next);
            Ok(())
        })?;
        if distinct.is_some() {
            self.explain.line(|| "USE TEMP B-TREE FOR DISTINCT".to_owned());
        }
        if let Some(sorter) = &sorter {
            self.explain.line(|| "USE TEMP B-TREE FOR ORDER BY".to_owned());
            self.emit_sorted(sorter, sink)?;
        }
        Ok(())
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

    fn explain_window_subquery(&mut self) -> usize {
        if !self.explain.is_on() {
            return 0;
        }
        let number = self.new_select_number();
        self.explain.open(|| format!("CO-ROUTINE (subquery-{number})"));
        number
    }
}

impl<'a> PassPlan<'a> {
    fn none() -> PassPlan<'a> {
        PassPlan { partition_by: &[], order_by: &[], calls: Vec::new() }
    }
}

/// The passes of a SELECT, the one that is run last first.
fn passes_of<'a>(select: &Select<'a>) -> Vec<PassPlan<'a>> {
    let mut passes: Vec<PassPlan<'a>> = Vec::new();
    for &call in select.windows {
        let window = call.window;
        let fits = |pass: &&mut PassPlan<'a>| {
            same_all(pass.partition_by, window.partition_by) && same_order(pass.order_by, window.order_by)
        };
        match passes.iter_mut().find(fits) {
            Some(pass) => pass.calls.push(call),
            None => passes.push(PassPlan {
                partition_by: window.partition_by,
                order_by: window.order_by,
                calls: vec![call],
            }),
        }
    }
    passes
}
