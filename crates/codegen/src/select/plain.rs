//! A SELECT without grouping; VALUES.

use lithe_catalog::Result;
use lithe_optimize::plan::{FromPlan, PlainPlan, Sorting, ValuesPlan};
use lithe_resolve::ir::Expr;
use lithe_vm::operand::Reg;

use super::super::Codegen;
use super::super::loops::{begin_loops, end_loops};
use super::sink::Sink;

impl<'a> Codegen<'a> {
    pub(super) fn emit_plain(&mut self, plan: &'a PlainPlan<'a>, sink: &Sink) -> Result<()> {
        let PlainPlan { select, order_by, ref from, sorting, .. } = *plan;
        self.prepare_sources(from)?;
        let distinct = self.open_distinct(select.columns, from.join.distinct)?;
        let sorter = match sorting {
            Sorting::Nothing => None,
            Sorting::Blocks(terms) => Some(self.open_block_sorter(order_by, terms, sink)?),
        };
        self.in_loop_of(from, |cg| {
            let loops = begin_loops(cg, from)?;
            match (&sorter, &distinct) {
                (None, None) => {
                    if !from.join.skips_offset() {
                        cg.emit_offset(sink, loops.next);
                    }
                    let row = cg.row_registers(sink, false);
                    cg.emit_columns(sink, select.columns, row)?;
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
        sorter.map_or(Ok(()), |sorter| self.emit_sorted(&sorter, sink))
    }

    /// Runs `f`, inside of loops if there are any.
    pub(super) fn in_loop_of<T>(
        &mut self,
        from: &FromPlan<'a>,
        f: impl FnOnce(&mut Codegen<'a>) -> Result<T>,
    ) -> Result<T> {
        if from.join.loops.is_empty() { f(self) } else { self.in_loop(f) }
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
    pub(super) fn emit_values(&mut self, plan: &ValuesPlan<'a>, sink: &Sink) -> Result<()> {
        let ValuesPlan { rows, order_by, .. } = *plan;
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
}
