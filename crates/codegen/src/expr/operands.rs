//! Two operands, one of which may contain a query.
//!
//! As in SQLite, the operand without a query is computed first, and the query does not run if that operand decides: if it is
//! NULL, for an operator whose result is then NULL; if it is false, for AND; if it is true, for OR. Without queries both operands
//! are computed, even if the first one decides. If one operand is a number that decides, on either side, none is computed.

use lithe_catalog::Result;
use lithe_resolve::ir::{Expr, has_query, known_truth};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, Reg};

use super::super::Codegen;
use super::Value;

/// The two operators that one operand may decide.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Logical {
    And,
    Or,
}

/// Whether one of the operands contains a query.
pub(super) fn have_query<'a>(cg: &Codegen<'a>, left: &Expr<'a>, right: &Expr<'a>) -> bool {
    cg.resolver.has_subqueries() && (has_query(left) || has_query(right))
}

/// The operands in the order in which they are computed.
pub(super) fn in_order<'a, 'e>(
    cg: &Codegen<'a>,
    left: &'e Expr<'a>,
    right: &'e Expr<'a>,
) -> (&'e Expr<'a>, &'e Expr<'a>) {
    if is_right_first(cg, left, right) { (right, left) } else { (left, right) }
}

fn is_right_first<'a>(cg: &Codegen<'a>, left: &Expr<'a>, right: &Expr<'a>) -> bool {
    cg.resolver.has_subqueries() && has_query(left) && !has_query(right)
}

/// Computes the operands. Jumps to `null`, if given, when the first one that is computed is NULL.
pub(super) fn emit_pair<'a>(
    cg: &mut Codegen<'a>,
    left: &Expr<'a>,
    right: &Expr<'a>,
    null: Option<Addr>,
) -> Result<(Value, Value)> {
    let (first, second) = in_order(cg, left, right);
    let first = cg.emit(first)?;
    if let Some(target) = null {
        cg.b.emit(Insn::IsNull { reg: first.reg, target });
    }
    let second = cg.emit(second)?;
    Ok(if is_right_first(cg, left, right) { (second, first) } else { (first, second) })
}

/// Computes two operands and emits the instruction that takes them. Its result is NULL if an operand is NULL.
pub(super) fn emit_strict<'a>(
    cg: &mut Codegen<'a>,
    left: &Expr<'a>,
    right: &Expr<'a>,
    dst: Reg,
    emit: impl FnOnce(&mut Codegen<'a>, Reg, Reg) -> Result<()>,
) -> Result<()> {
    let skip = have_query(cg, left, right).then(|| (cg.b.label(), cg.b.label()));
    let (lhs, rhs) = emit_pair(cg, left, right, skip.map(|(null, _)| null))?;
    emit(cg, lhs.reg, rhs.reg)?;
    cg.release(rhs);
    cg.release(lhs);
    if let Some((null, end)) = skip {
        cg.b.emit(Insn::Goto { target: end });
        cg.b.place(null);
        cg.b.emit(Insn::Null { start: dst, count: 1 });
        cg.b.place(end);
    }
    Ok(())
}

/// AND and OR as values.
pub(super) fn emit_logical<'a>(
    cg: &mut Codegen<'a>,
    op: Logical,
    left: &Expr<'a>,
    right: &Expr<'a>,
    dst: Reg,
) -> Result<()> {
    let insn = |lhs, rhs| match op {
        Logical::And => Insn::And { lhs, rhs, dst },
        Logical::Or => Insn::Or { lhs, rhs, dst },
    };
    let decisive = match op {
        Logical::And => Some(false),
        Logical::Or => Some(true),
    };
    if known_truth(left) == decisive || known_truth(right) == decisive {
        cg.b.emit(Insn::Integer { value: i32::from(op == Logical::Or), dst });
        return Ok(());
    }
    if !have_query(cg, left, right) {
        let (lhs, rhs) = emit_pair(cg, left, right, None)?;
        cg.b.emit(insn(lhs.reg, rhs.reg));
        cg.release(rhs);
        cg.release(lhs);
        return Ok(());
    }
    let (decided, end) = (cg.b.label(), cg.b.label());
    let (first, second) = in_order(cg, left, right);
    let first = cg.emit(first)?;
    cg.b.emit(match op {
        Logical::And => Insn::IfNot { null_jumps: 0, reg: first.reg, target: decided },
        Logical::Or => Insn::If { null_jumps: 0, reg: first.reg, target: decided },
    });
    let second = cg.emit(second)?;
    cg.b.emit(insn(first.reg, second.reg));
    cg.release(second);
    cg.release(first);
    cg.b.emit(Insn::Goto { target: end });
    cg.b.place(decided);
    cg.b.emit(Insn::Integer { value: i32::from(op == Logical::Or), dst });
    cg.b.place(end);
    Ok(())
}
