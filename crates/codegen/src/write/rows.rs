//! The rows of an INSERT: one row of values, or those of a query.
//!
//! A query's rows come from a coroutine, unless the plan requires that all rows are computed before the first one is inserted.

use lithe_catalog::Result;
use lithe_optimize::plan::{InsertSource, QueryPlan};
use lithe_resolve::ir::{CoreBody, Expr};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CursorId, Reg};

use crate::{Codegen, Coroutine, Destination};

/// The rows, while code for one of them is generated.
pub(super) struct Rows<'a> {
    kind: Kind<'a>,
    next: Addr,
    done: Addr,
}

enum Kind<'a> {
    /// One row, of these values.
    Values(&'a [Expr<'a>]),
    /// From a coroutine.
    Coroutine(Coroutine),
    /// From a temporary table.
    Table { cursor: CursorId, top: Addr, start: Reg },
}

/// A value of a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowValue<'a> {
    /// To be computed.
    Expr(&'a Expr<'a>),
    /// In a register.
    Register(Reg),
}

impl<'a> Rows<'a> {
    /// Begins the loop over the rows; the code that follows runs for each of them. `place` has the registers that a row may be
    /// computed in directly: the code may change them.
    pub fn begin(cg: &mut Codegen<'a>, source: &InsertSource<'a>, place: Option<Reg>) -> Result<Rows<'a>> {
        let (next, done) = (cg.b.label(), cg.b.label());
        let kind = match *source {
            InsertSource::Row { values, .. } => Kind::Values(values),
            InsertSource::Query { plan, is_collected: true } => begin_table(cg, plan, done, place)?,
            InsertSource::Query { plan, is_collected: false } => {
                let coroutine = emit_coroutine(cg, plan, place)?;
                cg.b.place(next);
                cg.b.emit(Insn::Yield { co: coroutine.co, target: done });
                Kind::Coroutine(coroutine)
            }
        };
        Ok(Rows { kind, next, done })
    }

    /// The target when the row is done, or ignored.
    pub fn next(&self) -> Addr {
        self.next
    }

    /// The value at this position of the row.
    pub fn value(&self, at: usize) -> RowValue<'a> {
        match &self.kind {
            Kind::Values(values) => RowValue::Expr(&values[at]),
            Kind::Coroutine(coroutine) => RowValue::Register(coroutine.start.at(at)),
            Kind::Table { start, .. } => RowValue::Register(start.at(at)),
        }
    }

    /// Puts the value at this position into a register.
    pub fn emit_value(&self, cg: &mut Codegen<'a>, at: usize, dst: Reg) -> Result<()> {
        match self.value(at) {
            RowValue::Expr(expr) => cg.emit_into(expr, dst),
            RowValue::Register(src) => {
                cg.emit_copy(src, dst);
                Ok(())
            }
        }
    }

    /// Ends the loop.
    pub fn end(self, cg: &mut Codegen<'a>) {
        match self.kind {
            Kind::Values(_) => cg.b.place(self.next),
            Kind::Coroutine(_) => cg.b.emit(Insn::Goto { target: self.next }),
            Kind::Table { cursor, top, .. } => {
                cg.b.place(self.next);
                cg.b.emit(Insn::Next { cursor, target: top });
            }
        }
        cg.b.place(self.done);
    }
}

/// A coroutine that puts each row at `place`, if it computes each row entirely. DISTINCT, for instance, does not: it may compare
/// with the row before.
fn emit_coroutine<'a>(cg: &mut Codegen<'a>, plan: &'a QueryPlan<'a>, place: Option<Reg>) -> Result<Coroutine> {
    let query = plan.query;
    let is_fresh = match query.cores {
        [core] => match core.body {
            CoreBody::Select(select) => !select.distinct && !select.is_aggregate && select.windows.is_empty(),
            CoreBody::Values(_) => true,
            CoreBody::UnionAll(_) => false,
        },
        _ => false,
    };
    let Some(start) = place.filter(|_| is_fresh) else { return cg.emit_coroutine(plan) };
    let coroutine = Coroutine { co: cg.b.register(), start, count: query.columns.len() };
    let Coroutine { co, .. } = coroutine;
    let (entry, after) = (cg.b.label(), cg.b.label());
    cg.b.emit(Insn::InitCoroutine { co, entry, target: after });
    cg.b.place(entry);
    cg.emit_query(plan, &Destination::Coroutine { co, start, is_written: true })?;
    cg.b.emit(Insn::EndCoroutine { co });
    cg.b.place(after);
    Ok(coroutine)
}

fn begin_table<'a>(cg: &mut Codegen<'a>, plan: &'a QueryPlan<'a>, done: Addr, place: Option<Reg>) -> Result<Kind<'a>> {
    let width = plan.query.columns.len();
    let cursor = cg.ephemeral_table(width);
    cg.b.emit(Insn::OpenEphemeral { cursor });
    cg.emit_query(plan, &Destination::Table { cursor })?;
    let start = place.unwrap_or_else(|| cg.b.registers(width));
    cg.b.emit(Insn::Rewind { cursor, target: done });
    let top = cg.b.here();
    cg.b.emit(Insn::Columns { cursor, column: 0, dst: start, count: width as u32 });
    Ok(Kind::Table { cursor, top, start })
}
