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
    /// Equal rows are adjacent: each is compared with the last one that passed.
    Neighbours {
        /// Carries the collations.
        key: CursorId,
        last: Reg,
        count: usize,
    },
    /// All rows that passed are kept.
    Seen {
        /// A set.
        cursor: CursorId,
        count: usize,
    },
}

/// Prepares to find duplicates in the way that the plan allows; no row has passed yet.
pub(super) fn open<'a>(cg: &mut Codegen<'a>, columns: &[Expr<'a>], plan: DistinctPlan) -> Result<Option<Distinct>> {
    let distinct = allocate(cg, columns, plan)?;
    if let Some(distinct) = &distinct {
        emit_reset(cg, distinct);
    }
    Ok(distinct)
}

/// The cursor and registers by which duplicates are found; `None` if the plan says that there are none.
pub(super) fn allocate<'a>(cg: &mut Codegen<'a>, columns: &[Expr<'a>], plan: DistinctPlan) -> Result<Option<Distinct>> {
    if plan == DistinctPlan::Nothing {
        return Ok(None);
    }
    let terms = distinct_terms(cg.arena, columns);
    let (key, count) = (cg.order_key(terms)?, terms.len());
    if plan == DistinctPlan::ComparePrevious {
        let last = cg.b.registers(count);
        let key = cg.ephemeral(CursorKind::KeyOnly, key, count);
        return Ok(Some(Distinct::Neighbours { key, last, count }));
    }
    let cursor = cg.ephemeral(CursorKind::EphemeralSet, key, count);
    Ok(Some(Distinct::Seen { cursor, count }))
}

/// Drops all rows.
pub(super) fn emit_reset(cg: &mut Codegen<'_>, distinct: &Distinct) {
    match *distinct {
        Distinct::Neighbours { last, count, .. } => cg.b.emit(Insn::NullNever { start: last, count: count as u32 }),
        Distinct::Seen { cursor, .. } => cg.b.emit(Insn::OpenEphemeral { cursor }),
    }
}

/// Jumps to `next` if the row is a duplicate.
pub(super) fn emit(cg: &mut Codegen<'_>, distinct: &Distinct, row: Reg, next: Addr) -> Result<()> {
    match *distinct {
        Distinct::Neighbours { key, last, count } => {
            let is_new = cg.b.label();
            cg.b.emit(Insn::CompareVectors { key, lhs: row, rhs: last, count: count as u32 });
            cg.b.emit(Insn::Jump { less: is_new, equal: next, greater: is_new });
            cg.b.place(is_new);
            cg.emit_copy_row(row, last, count);
        }
        Distinct::Seen { cursor, count } => {
            let (count, affinities) = (count as u16, AffinityListId::NONE);
            cg.b.emit(Insn::Found { cursor, count, start: row, target: next });
            cg.b.emit(Insn::IdxInsertRow { flags: 0, cursor, count, affinities, start: row });
        }
    }
    Ok(())
}
