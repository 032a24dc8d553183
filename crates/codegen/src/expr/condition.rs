//! Expressions as conditions: jumps instead of truth values.

use super::computed;
use super::operands::known_truth;
use lithe_catalog::Result;
use lithe_resolve::ir::{Between, BetweenRows, Compare, CompareOp, CompareRows, Expr, TruthTest, UnaryOp, affinity_of};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, Reg};

use super::super::Codegen;

impl<'a> Codegen<'a> {
    /// Jumps to `target` if the condition is true; if it is NULL, when `null_jumps` says so.
    pub fn jump_if_true(&mut self, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        match condition {
            _ if self.is_replaced(condition) => self.jump_on_value(condition, true, target, null_jumps),
            Expr::And(..) | Expr::Or(..) if known_truth(condition).is_some() => {
                self.jump_if_known(known_truth(condition) == Some(true), target);
                Ok(())
            }
            Expr::And(left, right) => {
                let skip = self.b.label();
                let (first, second) = self.in_order(left, right);
                self.jump_if_false(first, skip, !null_jumps)?;
                self.jump_if_true(second, target, null_jumps)?;
                self.b.place(skip);
                Ok(())
            }
            Expr::Or(left, right) => {
                let (first, second) = self.in_order(left, right);
                self.jump_if_true(first, target, null_jumps)?;
                self.jump_if_true(second, target, null_jumps)
            }
            Expr::Unary(UnaryOp::Not, operand) => self.jump_if_false(operand, target, null_jumps),
            Expr::Compare(compare) => self.jump_if_compares(compare, compare.op, target, null_jumps),
            Expr::IsNull(operand, not) => self.jump_if_null(operand, *not, target),
            Expr::IsTrue(operand, TruthTest { null_gives, invert }) => {
                if *invert {
                    self.jump_if_false(operand, target, *null_gives)
                } else {
                    self.jump_if_true(operand, target, *null_gives)
                }
            }
            Expr::Between(between) => {
                let (skip, kept) = (self.b.label(), self.between_value(between)?);
                self.jump_if_false(&kept.low, skip, !null_jumps)?;
                self.jump_if_true(&kept.high, target, null_jumps)?;
                self.b.place(skip);
                kept.value.into_iter().for_each(|value| self.release(value));
                Ok(())
            }
            Expr::In(set) => self.jump_if_in(set, target, null_jumps),
            _ => self.jump_on_value(condition, true, target, null_jumps),
        }
    }

    /// Jumps to `target` if the condition is false; if it is NULL, when `null_jumps` says so.
    pub fn jump_if_false(&mut self, condition: &Expr<'a>, target: Addr, null_jumps: bool) -> Result<()> {
        match condition {
            _ if self.is_replaced(condition) => self.jump_on_value(condition, false, target, null_jumps),
            Expr::And(..) | Expr::Or(..) if known_truth(condition).is_some() => {
                self.jump_if_known(known_truth(condition) == Some(false), target);
                Ok(())
            }
            Expr::And(left, right) => {
                let (first, second) = self.in_order(left, right);
                self.jump_if_false(first, target, null_jumps)?;
                self.jump_if_false(second, target, null_jumps)
            }
            Expr::Or(left, right) => {
                let skip = self.b.label();
                let (first, second) = self.in_order(left, right);
                self.jump_if_true(first, skip, !null_jumps)?;
                self.jump_if_false(second, target, null_jumps)?;
                self.b.place(skip);
                Ok(())
            }
            Expr::Unary(UnaryOp::Not, operand) => self.jump_if_true(operand, target, null_jumps),
            Expr::Compare(compare) => self.jump_if_compares(compare, compare.op.negated(), target, null_jumps),
            Expr::IsNull(operand, not) => self.jump_if_null(operand, !not, target),
            Expr::IsTrue(operand, TruthTest { null_gives, invert }) => {
                if *invert {
                    self.jump_if_true(operand, target, !null_gives)
                } else {
                    self.jump_if_false(operand, target, !null_gives)
                }
            }
            Expr::Between(between) => {
                let kept = self.between_value(between)?;
                self.jump_if_false(&kept.low, target, null_jumps)?;
                self.jump_if_false(&kept.high, target, null_jumps)?;
                kept.value.into_iter().for_each(|value| self.release(value));
                Ok(())
            }
            Expr::In(set) => self.jump_if_not_in(set, target, null_jumps),
            _ => self.jump_on_value(condition, false, target, null_jumps),
        }
    }

    fn jump_if_known(&mut self, jumps: bool, target: Addr) {
        if jumps {
            self.b.emit(Insn::Goto { target });
        }
    }

    /// The truth value of a condition that is best emitted as jumps.
    pub(super) fn emit_truth(&mut self, condition: &Expr<'a>, dst: Reg) -> Result<()> {
        if let Expr::Between(between) = condition {
            let kept = self.between_value(between)?;
            let (low, high) = (self.emit(&kept.low)?, self.emit(&kept.high)?);
            self.b.emit(Insn::And { lhs: low.reg, rhs: high.reg, dst });
            self.release(high);
            self.release(low);
            kept.value.into_iter().for_each(|value| self.release(value));
            return Ok(());
        }
        // `dst` may be an operand's register only after it is read, so it is set on both ways.
        let (is_true, end) = (self.b.label(), self.b.label());
        self.jump_if_true(condition, is_true, false)?;
        self.b.emit(Insn::Integer { value: 0, dst });
        self.b.emit(Insn::Goto { target: end });
        self.b.place(is_true);
        self.b.emit(Insn::Integer { value: 1, dst });
        self.b.place(end);
        Ok(())
    }

    fn jump_if_null(&mut self, operand: &Expr<'a>, not: bool, target: Addr) -> Result<()> {
        let value = self.emit(operand)?;
        let reg = value.reg;
        self.b.emit(if not { Insn::NotNull { reg, target } } else { Insn::IsNull { reg, target } });
        self.release(value);
        Ok(())
    }

    fn jump_on_value(&mut self, condition: &Expr<'a>, wanted: bool, target: Addr, null_jumps: bool) -> Result<()> {
        let known = match condition {
            Expr::Integer(value) => Some((*value != 0) == wanted),
            Expr::Boolean(truth) => Some(*truth == wanted),
            Expr::Null => Some(null_jumps),
            _ => None,
        };
        match known {
            Some(true) => self.b.emit(Insn::Goto { target }),
            Some(false) => {}
            None => {
                let value = self.emit(condition)?;
                let (reg, null_jumps) = (value.reg, u8::from(null_jumps));
                self.b.emit(if wanted {
                    Insn::If { null_jumps, reg, target }
                } else {
                    Insn::IfNot { null_jumps, reg, target }
                });
                self.release(value);
            }
        }
        Ok(())
    }

    /// BETWEEN as two comparisons of a value that is computed once.
    fn between_value(&mut self, between: &Between<'a>) -> Result<KeptBetween<'a>> {
        if let Some(rows) = between.rows {
            return self.between_row(rows);
        }
        let value = self.emit(&between.value)?;
        let left = computed(value.reg, affinity_of(&between.value));
        let compare =
            |op, right, how| Expr::Compare(self.arena.alloc(Compare { op, left, right, how, replaced: None }));
        Ok(KeptBetween {
            value: Some(value),
            low: compare(CompareOp::Ge, between.low, between.low_how),
            high: compare(CompareOp::Le, between.high, between.high_how),
        })
    }

    /// As [`Codegen::between_value`], of a row value.
    fn between_row(&mut self, rows: &BetweenRows<'a>) -> Result<KeptBetween<'a>> {
        let width = rows.low.how.len();
        let start = self.emit_row(&rows.low.left)?;
        let columns = (0..width).map(|at| computed(start.at(at), None));
        let left = Expr::Row(bumpalo::collections::Vec::from_iter_in(columns, self.arena).into_bump_slice());
        let compare = |rows: CompareRows<'a>| Expr::CompareRows(self.arena.alloc(CompareRows { left, ..rows }));
        Ok(KeptBetween { value: None, low: compare(rows.low), high: compare(rows.high) })
    }
}

struct KeptBetween<'a> {
    /// To be released; the columns of a row are in registers of their own.
    value: Option<super::Value>,
    low: Expr<'a>,
    high: Expr<'a>,
}
