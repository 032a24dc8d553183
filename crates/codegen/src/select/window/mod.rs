//! Window functions.
//!
//! The leaves (`lithe_optimize::plan::WindowPlan`) come from a coroutine, and so do the rows of each pass: the input of the pass,
//! followed by the results.
//!
//! ```text
//!   leaves, sorted ─▶ pass ─▶ sorter ─▶ pass ─▶ result columns ─▶ DISTINCT, ORDER BY, LIMIT
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | `pass` | a partition: collecting its rows, and iterating over them |
//! | `frame` | which rows are in the frame of a row |
//! | `state` | registers and cursors of a pass and its frames |
//! | `result` | the values of the functions |

mod frame;
mod pass;
mod result;
mod state;

use lithe_catalog::Result;
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{PassPlan, WindowPlan};
use lithe_resolve::ir::{Expr, OrderTerm};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;
use super::super::expr::Replacement;
use super::distinct;
use super::group;
use super::sink::{self, Sink};
use crate::Coroutine;

/// Rows between the passes: the leaves and the results so far, all of them expressions that need not be computed again.
#[derive(Clone)]
struct Carried<'a> {
    exprs: Vec<Expr<'a>>,
    /// Whether the leaves are groups.
    is_grouped: bool,
}

/// A SELECT with window functions.
pub(super) fn emit<'a>(cg: &mut Codegen<'a>, plan: &'a WindowPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let is_grouped = plan.select.is_aggregate;
    let mut carried = Carried { exprs: plan.leaves.to_vec(), is_grouped };
    let mut rows = emit_leaves(cg, plan)?;
    // As in an aggregate query, virtual tables overload functions only where the first pass computes their calls.
    let mut before = is_grouped.then(|| cg.known.begin_aggregate_query(plan.select.sources));
    for pass in plan.passes {
        if pass.is_sorted {
            rows = sort_for_pass(cg, (plan, pass), &carried, rows)?;
        }
        rows = pass::emit(cg, (plan, pass), &mut carried, rows)?;
        before = before.or_else(|| Some(cg.known.begin_aggregate_query(plan.select.sources)));
    }
    let result = emit_window_rows(cg, plan, &carried, rows, sink);
    if let Some(before) = before {
        cg.known.end_aggregate_query(before);
    }
    result
}

/// The input rows of the windows, in the order of the first pass.
fn emit_leaves<'a>(cg: &mut Codegen<'a>, plan: &'a WindowPlan<'a>) -> Result<Coroutine> {
    cg.coroutine(plan.leaves.len(), |cg, coroutine| {
        let sink = sink::of_coroutine(cg, coroutine, Reg::NONE);
        cg.emit_select(&plan.input, &sink)?;
        cg.b.place(sink.done);
        Ok(())
    })
}

/// The rows of a pass in the order of the next.
fn sort_for_pass<'a>(
    cg: &mut Codegen<'a>,
    (plan, pass): (&WindowPlan<'a>, &PassPlan<'a>),
    carried: &Carried<'a>,
    rows: Coroutine,
) -> Result<Coroutine> {
    let (terms, width) = (pass.terms, carried.exprs.len());
    cg.coroutine(width, |cg, sorted| {
        let sink = sink::of_coroutine(cg, sorted, Reg::NONE);
        let sorter = sink::open_sorter(cg, terms, &sink, pass)?;
        let measured = cg.begin_part(Part::Window, pass);
        for_each_row(cg, carried, rows, |cg| {
            cg.measure_scan(measured, plan.scan);
            sink::emit_sorter_insert(cg, &sorter, terms, &carried.exprs, Some(rows.start))
        })?;
        sink::emit_sorted(cg, &sorter, &sink)?;
        cg.b.place(sink.done);
        Ok(())
    })
}

/// The rows after the last pass: result columns, and the steps after them.
fn emit_window_rows<'a>(
    cg: &mut Codegen<'a>,
    plan: &WindowPlan<'a>,
    carried: &Carried<'a>,
    rows: Coroutine,
    sink: &Sink<'a>,
) -> Result<()> {
    let WindowPlan { select, order_by, .. } = *plan;
    let remembers = if select.distinct { DistinctPlan::Remember } else { DistinctPlan::Nothing };
    let distinct = distinct::open(cg, select.columns, remembers)?;
    let sorter = if order_by.is_empty() { None } else { Some(sink::open_sorter(cg, order_by, sink, plan)?) };
    let measured = cg.begin_part(Part::Window, plan);
    for_each_row(cg, carried, rows, |cg| {
        cg.measure_scan(measured, plan.scan);
        let next = cg.b.label();
        group::emit_group_columns(cg, select, order_by, sink, sorter.as_ref(), distinct.as_ref(), next)?;
        cg.b.place(next);
        Ok(())
    })?;
    sorter.map_or(Ok(()), |sorter| sink::emit_sorted(cg, &sorter, sink))
}

/// Runs `body` for each row of a coroutine, whose columns are the carried expressions.
fn for_each_row<'a>(
    cg: &mut Codegen<'a>,
    carried: &Carried<'a>,
    rows: Coroutine,
    body: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
) -> Result<()> {
    let end = cg.b.label();
    let top = cg.b.here();
    cg.b.emit(Insn::Yield { co: rows.co, target: end });
    let known = cg.known.replacements();
    replace_carried(cg, carried, rows.start);
    let result = cg.in_loop(body);
    cg.known.forget_replacements(known);
    result?;
    cg.b.emit(Insn::Goto { target: top });
    cg.b.place(end);
    Ok(())
}

/// Reads the carried expressions from these registers.
fn replace_carried<'a>(cg: &mut Codegen<'a>, carried: &Carried<'a>, start: Reg) {
    for (at, expr) in carried.exprs.iter().enumerate() {
        let is_for_first_pass = matches!(expr, Expr::Function(call) if cg.known.is_not_overloaded(call));
        if carried.is_grouped || !is_for_first_pass {
            cg.known.replace(*expr, Replacement::Register(start.at(at)));
        }
    }
}

/// The description of keys that are only compared.
fn key_only<'a>(cg: &mut Codegen<'a>, terms: &[OrderTerm<'a>]) -> Result<CursorId> {
    let key = cg.order_key(terms)?;
    Ok(cg.ephemeral(CursorKind::KeyOnly, key, terms.len()))
}
