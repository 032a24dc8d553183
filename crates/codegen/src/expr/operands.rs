//! Two operands, of which one may have a query in it.
//!
//! As in SQLite, the operand without a query is computed first, and the query is not run where that operand decides: it is NULL to an operator
//! that makes NULL of every NULL, false to AND, true to OR. Without queries both operands are computed, be the first one decisive or not; but
//! beside a number that decides, wherever it stands, none is.

use lithe_catalog::Result;
use lithe_resolve::ir::{Expr, has_query};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, Reg};

use super::super::Codegen;
use super::Value;

/// The two operators that may know their result after one operand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Logical {
    And,
    Or,
}

/// What AND, OR or a number is, if numbers alone decide that. Those are numbers of 31 bits without a sign, as in SQLite.
pub(super) fn known_truth(expr: &Expr<'_>) -> Option<bool> {
    const TRUE: std::ops::RangeInclusive<i64> = 1..=i32::MAX as i64;
    match expr {
        Expr::Boolean(truth) => Some(*truth),
        Expr::Integer(0) => Some(false),
        Expr::Integer(number) => TRUE.contains(number).then_some(true),
        Expr::And(left, right) => match (known_truth(left), known_truth(right)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Expr::Or(left, right) => match (known_truth(left), known_truth(right)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Codegen<'a> {
    /// Whether a query stands in one of the operands.
    pub(super) fn have_query(&self, left: &Expr<'a>, right: &Expr<'a>) -> bool {
        self.resolver.has_subqueries() && (has_query(left) || has_query(right))
    }

    /// The operands in the order in which they are computed.
    pub(super) fn in_order<'e>(&self, left: &'e Expr<'a>, right: &'e Expr<'a>) -> (&'e Expr<'a>, &'e Expr<'a>) {
        if self.is_right_first(left, right) { (right, left) } else { (left, right) }
    }

    fn is_right_first(&self, left: &Expr<'a>, right: &Expr<'a>) -> bool {
        self.resolver.has_subqueries() && has_query(left) && !has_query(right)
    }

    /// Computes the operands. Jumps to `null`, if given, where the first one that is computed is NULL.
    pub(super) fn emit_pair(
        &mut self,
        left: &Expr<'a>,
        right: &Expr<'a>,
        null: Option<Addr>,
    ) -> Result<(Value, Value)> {
        let (first, second) = self.in_order(left, right);
        let first = self.emit(first)?;
        if let Some(target) = null {
            self.b.emit(Insn::IsNull { reg: first.reg, target });
        }
        let second = self.emit(second)?;
        Ok(if self.is_right_first(left, right) { (second, first) } else { (first, second) })
    }

    /// Computes two operands and emits the instruction that takes them, which makes NULL of every NULL.
    pub(super) fn emit_strict(
        &mut self,
        left: &Expr<'a>,
        right: &Expr<'a>,
        dst: Reg,
        emit: impl FnOnce(&mut Codegen<'a>, Reg, Reg) -> Result<()>,
    ) -> Result<()> {
        let skip = self.have_query(left, right).then(|| (self.b.label(), self.b.label()));
        let (lhs, rhs) = self.emit_pair(left, right, skip.map(|(null, _)| null))?;
        emit(self, lhs.reg, rhs.reg)?;
        self.release(rhs);
        self.release(lhs);
        if let Some((null, end)) = skip {
            self.b.emit(Insn::Goto { target: end });
            self.b.place(null);
            self.b.emit(Insn::Null { start: dst, count: 1 });
            self.b.place(end);
        }
        Ok(())
    }

    /// AND and OR as values.
    pub(super) fn emit_logical(&mut self, op: Logical, left: &Expr<'a>, right: &Expr<'a>, dst: Reg) -> Result<()> {
        let insn = |lhs, rhs| match op {
            Logical::And => Insn::And { lhs, rhs, dst },
            Logical::Or => Insn::Or { lhs, rhs, dst },
        };
        let decisive = match op {
            Logical::And => Some(false),
            Logical::Or => Some(true),
        };
        if known_truth(left) == decisive || known_truth(right) == decisive {
            self.b.emit(Insn::Integer { value: i32::from(op == Logical::Or), dst });
            return Ok(());
        }
        if !self.have_query(left, right) {
            let (lhs, rhs) = self.emit_pair(left, right, None)?;
            self.b.emit(insn(lhs.reg, rhs.reg));
            self.release(rhs);
            self.release(lhs);
            return Ok(());
        }
        let (decided, end) = (self.b.label(), self.b.label());
        let (first, second) = self.in_order(left, right);
        let first = self.emit(first)?;
        self.b.emit(match op {
            Logical::And => Insn::IfNot { null_jumps: 0, reg: first.reg, target: decided },
            Logical::Or => Insn::If { null_jumps: 0, reg: first.reg, target: decided },
        });
        let second = self.emit(second)?;
        self.b.emit(insn(first.reg, second.reg));
        self.release(second);
        self.release(first);
        self.b.emit(Insn::Goto { target: end });
        self.b.place(decided);
        self.b.emit(Insn::Integer { value: i32::from(op == Logical::Or), dst });
        self.b.place(end);
        Ok(())
    }
}
