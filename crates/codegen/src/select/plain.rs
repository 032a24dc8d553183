//! A SELECT without grouping; VALUES.

use lithe_catalog::Result;
use lithe_optimize::explain::Part;
use lithe_optimize::plan::{FromPlan, PlainPlan, Sorting, ValuesPlan};
use lithe_resolve::ir::Expr;
use lithe_vm::operand::Reg;

use super::super::Codegen;
use super::super::loops::{begin_loops, end_loops, prepare_sources};
use super::distinct;
use super::sink::{self, Sink};

pub(super) fn emit<'a>(cg: &mut Codegen<'a>, plan: &'a PlainPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let PlainPlan { select, order_by, ref from, sorting, .. } = *plan;
    let join = prepare_sources(cg, from)?;
    let distinct = distinct::open(cg, select.columns, from.join.distinct)?;
    let sorter = match sorting {
        Sorting::Nothing => None,
        Sorting::Blocks(terms) => Some(sink::open_block_sorter(cg, order_by, terms, sink, plan)?),
    };
    in_loop_of(cg, from, |cg| {
        let loops = begin_loops(cg, &join)?;
        match (&sorter, &distinct) {
            (None, None) => {
                if !from.join.skips_offset() {
                    sink::emit_offset(cg, sink, loops.next);
                }
                let row = sink::row_registers(cg, sink, false);
                emit_columns(cg, sink, select.columns, row)?;
                sink::deliver(cg, sink, row)?;
            }
            (Some(sorter), None) => sink::emit_sorter_insert(cg, sorter, order_by, select.columns, None)?,
            (_, Some(distinct)) => {
                let row = sink::row_registers(cg, sink, true);
                cg.emit_list_into(select.columns, row)?;
                distinct::emit(cg, distinct, row, loops.next)?;
                match &sorter {
                    Some(sorter) => sink::emit_sorter_insert(cg, sorter, order_by, select.columns, Some(row))?,
                    None => {
                        sink::emit_offset(cg, sink, loops.next);
                        sink::deliver(cg, sink, row)?;
                    }
                }
            }
        }
        end_loops(cg, loops)
    })?;
    sorter.map_or(Ok(()), |sorter| sink::emit_sorted(cg, &sorter, sink))
}

/// Runs `f` as the body of a loop, if there are loops.
pub(super) fn in_loop_of<'a, T>(
    cg: &mut Codegen<'a>,
    from: &FromPlan<'a>,
    f: impl FnOnce(&mut Codegen<'a>) -> Result<T>,
) -> Result<T> {
    if from.join.loops.is_empty() { f(cg) } else { cg.in_loop(f) }
}

/// Computes the result columns, unless they are not used.
pub(super) fn emit_columns<'a>(cg: &mut Codegen<'a>, sink: &Sink<'a>, columns: &[Expr<'a>], row: Reg) -> Result<()> {
    if sink::only_counts(sink) {
        return Ok(());
    }
    cg.emit_list_into(columns, row)
}

/// VALUES: one row after the other.
pub(super) fn emit_values<'a>(cg: &mut Codegen<'a>, plan: &ValuesPlan<'a>, sink: &Sink<'a>) -> Result<()> {
    let ValuesPlan { rows, order_by, .. } = *plan;
    let sorter = if order_by.is_empty() { None } else { Some(sink::open_sorter(cg, order_by, sink, plan)?) };
    let row = sink::row_registers(cg, sink, sink.offset.is_some() || sorter.is_some());
    let mut measured = cg.begin_part(Part::Loop, plan);
    for columns in rows {
        let next = cg.b.label();
        cg.measure_values(&mut measured);
        if let Some(sorter) = &sorter {
            cg.emit_list_into(columns, row)?;
            sink::emit_sorter_insert(cg, sorter, order_by, columns, Some(row))?;
        } else {
            sink::emit_offset(cg, sink, next);
            cg.emit_list_into(columns, row)?;
            sink::deliver(cg, sink, row)?;
        }
        cg.b.place(next);
    }
    if let Some(sorter) = &sorter {
        sink::emit_sorted(cg, sorter, sink)?;
    }
    Ok(())
}
