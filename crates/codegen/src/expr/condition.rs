//! Expressions as conditions: jumps instead of truth values.

use super::computed;
use super::operands;
use lithe_catalog::Result;
use lithe_resolve::ir::{
    Between, BetweenRows, Compare, CompareOp, CompareRows, Expr, TruthTest, UnaryOp, affinity_of, known_truth,
};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, Reg};

use super::super::Codegen;
use super::compare;
use super::in_set;

/// Jumps to `target` if the condition is true, and if it is NULL when `null_jumps` is set.
pub fn jump_if_true<'a>(cg: &mut Codegen<'a>, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
    match condition {
        _ if cg.known.replacement(condition).is_some() => jump_on_value(cg, condition, true, target, null_jumps),
        Expr::And(..) | Expr::Or(..) if known_truth(condition).is_some() => {
            jump_if_known(cg, known_truth(condition) == Some(true), target);
            Ok(())
        }
        Expr::And(left, right) => {
            let skip = cg.b.label();
            let (first, second) = operands::in_order(cg, left, right);
            cg.jump_if_false(first, skip, !null_jumps)?;
            cg.jump_if_true(second, target, null_jumps)?;
            cg.b.place(skip);
            Ok(())
        }
        Expr::Or(left, right) => {
            let (first, second) = operands::in_order(cg, left, right);
            cg.jump_if_true(first, target, null_jumps)?;
            cg.jump_if_true(second, target, null_jumps)
        }
        Expr::Unary(UnaryOp::Not, operand) => cg.jump_if_false(operand, target, null_jumps),
        Expr::Compare(compare) => compare::jump_if_compares(cg, compare, compare.op, target, null_jumps),
        Expr::IsNull(operand, not) => jump_if_null(cg, operand, *not, target),
        Expr::IsTrue(operand, TruthTest { null_gives, invert }) => {
            if *invert {
                cg.jump_if_false(operand, target, *null_gives)
            } else {
                cg.jump_if_true(operand, target, *null_gives)
            }
        }
        Expr::Between(between) => {
            let (skip, kept) = (cg.b.label(), between_value(cg, between)?);
            cg.jump_if_false(&kept.low, skip, !null_jumps)?;
            cg.jump_if_true(&kept.high, target, null_jumps)?;
            cg.b.place(skip);
            kept.value.into_iter().for_each(|value| cg.release(value));
            Ok(())
        }
        Expr::In(set) => in_set::jump_if_in(cg, set, target, null_jumps),
        _ => jump_on_value(cg, condition, true, target, null_jumps),
    }
}

/// Jumps to `target` if the condition is false, and if it is NULL when `null_jumps` is set.
pub fn jump_if_false<'a>(cg: &mut Codegen<'a>, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
    match condition {
        _ if cg.known.replacement(condition).is_some() => jump_on_value(cg, condition, false, target, null_jumps),
        Expr::And(..) | Expr::Or(..) if known_truth(condition).is_some() => {
            jump_if_known(cg, known_truth(condition) == Some(false), target);
            Ok(())
        }
        Expr::And(left, right) => {
            let (first, second) = operands::in_order(cg, left, right);
            cg.jump_if_false(first, target, null_jumps)?;
            cg.jump_if_false(second, target, null_jumps)
        }
        Expr::Or(left, right) => {
            let skip = cg.b.label();
            let (first, second) = operands::in_order(cg, left, right);
            cg.jump_if_true(first, skip, !null_jumps)?;
            cg.jump_if_false(second, target, null_jumps)?;
            cg.b.place(skip);
            Ok(())
        }
        Expr::Unary(UnaryOp::Not, operand) => cg.jump_if_true(operand, target, null_jumps),
        Expr::Compare(compare) => compare::jump_if_compares(cg, compare, compare.op.negated(), target, null_jumps),
        Expr::IsNull(operand, not) => jump_if_null(cg, operand, !not, target),
        Expr::IsTrue(operand, TruthTest { null_gives, invert }) => {
            if *invert {
                cg.jump_if_true(operand, target, !null_gives)
            } else {
                cg.jump_if_false(operand, target, !null_gives)
            }
        }
        Expr::Between(between) => {
            let kept = between_value(cg, between)?;
            cg.jump_if_false(&kept.low, target, null_jumps)?;
            cg.jump_if_false(&kept.high, target, null_jumps)?;
            kept.value.into_iter().for_each(|value| cg.release(value));
            Ok(())
        }
        Expr::In(set) => in_set::jump_if_not_in(cg, set, target, null_jumps),
        _ => jump_on_value(cg, condition, false, target, null_jumps),
    }
}

fn jump_if_known(cg: &mut Codegen<'_>, jumps: bool, target: Addr) {
    if jumps {
        cg.b.emit(Insn::Goto { target });
    }
}

/// The truth value of a condition that is emitted as jumps.
pub(super) fn emit_truth<'a>(cg: &mut Codegen<'a>, condition: &Expr<'a>, dst: Reg) -> Result<()> {
    if let Expr::Between(between) = condition {
        let kept = between_value(cg, between)?;
        let (low, high) = (cg.emit(&kept.low)?, cg.emit(&kept.high)?);
        cg.b.emit(Insn::And { lhs: low.reg, rhs: high.reg, dst });
        cg.release(high);
        cg.release(low);
        kept.value.into_iter().for_each(|value| cg.release(value));
        return Ok(());
    }
    // `dst` may be the register of an operand, so it is set in both branches, after the operands are read.
    let (is_true, end) = (cg.b.label(), cg.b.label());
    cg.jump_if_true(condition, is_true, false)?;
    cg.b.emit(Insn::Integer { value: 0, dst });
    cg.b.emit(Insn::Goto { target: end });
    cg.b.place(is_true);
    cg.b.emit(Insn::Integer { value: 1, dst });
    cg.b.place(end);
    Ok(())
}

fn jump_if_null<'a>(cg: &mut Codegen<'a>, operand: &Expr<'a>, not: bool, target: Addr) -> Result<()> {
    let value = cg.emit(operand)?;
    let reg = value.reg;
    cg.b.emit(if not { Insn::NotNull { reg, target } } else { Insn::IsNull { reg, target } });
    cg.release(value);
    Ok(())
}

fn jump_on_value<'a>(
    cg: &mut Codegen<'a>,
    condition: &Expr<'a>,
    wanted: bool,
    target: Addr,
    null_jumps: bool,
) -> Result<()> {
    let known = match condition {
        Expr::Integer(value) => Some((*value != 0) == wanted),
        Expr::Boolean(truth) => Some(*truth == wanted),
        Expr::Null => Some(null_jumps),
        _ => None,
    };
    match known {
        Some(true) => cg.b.emit(Insn::Goto { target }),
        Some(false) => {}
        None => {
            let value = cg.emit(condition)?;
            let (reg, null_jumps) = (value.reg, u8::from(null_jumps));
            cg.b.emit(if wanted {
                Insn::If { null_jumps, reg, target }
            } else {
                Insn::IfNot { null_jumps, reg, target }
            });
            cg.release(value);
        }
    }
    Ok(())
}

/// BETWEEN as two comparisons of a value that is computed once.
fn between_value<'a>(cg: &mut Codegen<'a>, between: &Between<'a>) -> Result<KeptBetween<'a>> {
    if let Some(rows) = between.rows {
        return between_row(cg, rows);
    }
    let value = cg.emit(&between.value)?;
    let left = computed(value.reg, affinity_of(&between.value));
    let compare = |op, right, how| Expr::Compare(cg.arena.alloc(Compare { op, left, right, how, replaced: None }));
    Ok(KeptBetween {
        value: Some(value),
        low: compare(CompareOp::Ge, between.low, between.low_how),
        high: compare(CompareOp::Le, between.high, between.high_how),
    })
}

/// As [`Codegen::between_value`], of a row value.
fn between_row<'a>(cg: &mut Codegen<'a>, rows: &BetweenRows<'a>) -> Result<KeptBetween<'a>> {
    let width = rows.low.how.len();
    let start = compare::emit_row(cg, &rows.low.left)?;
    let columns = (0..width).map(|at| computed(start.at(at), None));
    let left = Expr::Row(bumpalo::collections::Vec::from_iter_in(columns, cg.arena).into_bump_slice());
    let compare = |rows: CompareRows<'a>| Expr::CompareRows(cg.arena.alloc(CompareRows { left, ..rows }));
    Ok(KeptBetween { value: None, low: compare(rows.low), high: compare(rows.high) })
}

struct KeptBetween<'a> {
    /// To be released; `None` for a row value, whose columns are in registers of their own.
    value: Option<super::Value>,
    low: Expr<'a>,
    high: Expr<'a>,
}
