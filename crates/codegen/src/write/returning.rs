//! RETURNING: the rows are computed when they are changed, and returned after all changes.

use lithe_catalog::Result;
use lithe_optimize::write::returning::ReturningPlan;
use lithe_resolve::Returning;
use lithe_resolve::ir::Expr;
use lithe_value::Affinity;
use lithe_vm::insn::{Insn, insert_flags};
use lithe_vm::operand::{AffinityListId, CursorId, Reg, Sequence};

use crate::Codegen;

/// The rows of a RETURNING clause.
pub(super) struct Rows<'a> {
    returning: Returning<'a>,
    kept: Kept,
}

/// Computes the row of RETURNING, if there is a RETURNING, from the row that is the access of the target's source.
pub(super) fn emit_row<'a>(
    cg: &mut Codegen<'a>,
    rows: Option<&Rows<'a>>,
    plan: Option<&ReturningPlan<'a>>,
) -> Result<()> {
    let (Some(rows), Some(plan)) = (rows, plan) else { return Ok(()) };
    rows.emit_row(cg, plan)
}

/// Where the rows are kept until all changes are made.
#[derive(Clone, Copy)]
enum Kept {
    /// At most one row, in registers; `is_there` is 1 if there is one.
    Row { start: Reg, is_there: Reg },
    /// In a temporary table.
    Table(CursorId),
}

impl<'a> Rows<'a> {
    /// Opens the temporary table, if there is a RETURNING and it may have more than one row.
    pub fn open(cg: &mut Codegen<'a>, returning: Option<Returning<'a>>, is_single: bool) -> Result<Option<Rows<'a>>> {
        let Some(returning) = returning else { return Ok(None) };
        let width = returning.exprs.len();
        let kept = if is_single {
            let (start, is_there) = (cg.b.registers(width), cg.b.register());
            cg.b.emit(Insn::Integer { value: 0, dst: is_there });
            Kept::Row { start, is_there }
        } else {
            let cursor = cg.ephemeral_table(width);
            cg.b.emit(Insn::OpenEphemeral { cursor });
            Kept::Table(cursor)
        };
        Ok(Some(Rows { returning, kept }))
    }

    fn emit_row(&self, cg: &mut Codegen<'a>, plan: &ReturningPlan<'a>) -> Result<()> {
        cg.resolver.report_returning()?;
        let exprs = plan.exprs;
        cg.explain.expr_queries(plan.queries()?);
        // The row has been changed, even if it is the only one.
        cg.journal.note_more_changes();
        match self.kept {
            Kept::Row { start, is_there } => {
                cg.emit_list_into(exprs, start)?;
                self.emit_reals(cg, start);
                cg.b.emit(Insn::Integer { value: 1, dst: is_there });
            }
            Kept::Table(cursor) => {
                let start = cg.emit_list(exprs)?;
                self.emit_reals(cg, start);
                let (record, rowid) = (cg.b.register(), cg.b.register());
                let (count, affinities) = (exprs.len() as u16, AffinityListId::NONE);
                cg.b.emit(Insn::MakeRecord { count, affinities, start, dst: record });
                cg.b.emit(Insn::NewRowid { cursor, dst: rowid, sequence: Sequence::NONE });
                cg.b.emit(Insn::Insert { flags: insert_flags::APPEND, cursor, rowid, record });
            }
        }
        Ok(())
    }

    /// A REAL column of a view may have an integer.
    fn emit_reals(&self, cg: &mut Codegen<'a>, start: Reg) {
        for (at, expr) in self.returning.exprs.iter().enumerate() {
            if matches!(expr, Expr::Column(column) if column.table.is_none() && column.affinity == Some(Affinity::Real))
            {
                cg.b.emit(Insn::RealAffinity { reg: start.at(at) });
            }
        }
    }

    /// Returns the rows.
    pub fn emit_results(&self, cg: &mut Codegen<'a>) {
        let count = self.returning.exprs.len() as u32;
        let done = cg.b.label();
        match self.kept {
            Kept::Row { start, is_there } => {
                cg.b.emit(Insn::IfNot { null_jumps: 1, reg: is_there, target: done });
                cg.b.emit(Insn::ResultRow { start, count });
            }
            Kept::Table(cursor) => {
                let start = cg.b.registers(self.returning.exprs.len());
                cg.b.emit(Insn::Rewind { cursor, target: done });
                let top = cg.b.here();
                cg.b.emit(Insn::Columns { cursor, column: 0, dst: start, count });
                cg.b.emit(Insn::ResultRow { start, count });
                cg.b.emit(Insn::Next { cursor, target: top });
            }
        }
        cg.b.place(done);
    }
}
