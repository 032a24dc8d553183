//! DISTINCT.

use lithe_catalog::Result;
use lithe_optimize::access::DistinctPlan;
use lithe_optimize::select::distinct_terms;
use lithe_resolve::ir::Expr;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, AffinityListId, CursorId, Reg};
use lithe_vm::program::CursorKind;

use super::super::Codegen;

/// How duplicates are found.
pub(super) enum Distinct {
    /// Equal rows come one after the other: each is compared with the last that was let through.
    Neighbours {
        /// Carries the collations.
        key: CursorId,
        last: Reg,
        count: usize,
    },
    /// All rows that were let through are kept.
    Seen {
        /// A set.
        cursor: CursorId,
        count: usize,
    },
}

impl<'a> Codegen<'a> {
    /// Prepares to find duplicates, in the way that the plan allows.
    pub(super) fn open_distinct(&mut self, columns: &[Expr<'a>], plan: DistinctPlan) -> Result<Option<Distinct>> {
        if plan == DistinctPlan::Nothing {
            return Ok(None);
        }
        let terms = distinct_terms(self.arena, columns);
        let (key, count) = (self.order_key(terms)?, terms.len());
        if plan == DistinctPlan::ComparePrevious {
            let last = self.b.registers(count);
            self.b.emit(Insn::NullNever { start: last, count: count as u32 });
            let key = self.ephemeral(CursorKind::KeyOnly, key, count);
            return Ok(Some(Distinct::Neighbours { key, last, count }));
        }
        let cursor = self.ephemeral(CursorKind::EphemeralSet, key, count);
        self.b.emit(Insn::OpenEphemeral { cursor });
        Ok(Some(Distinct::Seen { cursor, count }))
    }

    /// Jumps to `next` if the row has been there before.
    pub(super) fn emit_distinct(&mut self, distinct: &Distinct, row: Reg, next: Addr) -> Result<()> {
        match *distinct {
            Distinct::Neighbours { key, last, count } => {
                let is_new = self.b.label();
                self.b.emit(Insn::CompareVectors { key, lhs: row, rhs: last, count: count as u32 });
                self.b.emit(Insn::Jump { less: is_new, equal: next, greater: is_new });
                self.b.place(is_new);
                self.emit_copy_row(row, last, count);
            }
            Distinct::Seen { cursor, count } => {
                let (count, affinities) = (count as u16, AffinityListId::NONE);
                self.b.emit(Insn::Found { cursor, count, start: row, target: next });
                self.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
            }
        }
        Ok(())
    }
}
