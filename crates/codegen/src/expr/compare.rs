//! Comparisons.

use lithe_catalog::Result;
use lithe_resolve::ir::{Compare, CompareOp, CompareRows, Expr, How, is_constant};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::super::Codegen;
use super::Value;

/// The operands of a comparison instruction.
#[derive(Clone, Copy)]
struct Operands {
    flags: CompareFlags,
    collation: CollationId,
    lhs: Reg,
    rhs: Reg,
}

impl<'a> Codegen<'a> {
    /// Jumps if `left op right`, where `op` replaces the comparison's own.
    pub(super) fn jump_if_compares(
        &mut self,
        compare: &Compare<'a>,
        op: CompareOp,
        target: Addr,
        null_jumps: bool,
    ) -> Result<()> {
        let skip = (!is_null_safe(op) && self.have_query(&compare.left, &compare.right)).then(|| self.b.label());
        let null = skip.map(|skip| if null_jumps { target } else { skip });
        let (left, right) = self.emit_compared(&compare.left, &compare.right, null)?;
        self.jump_compare(op, &compare.how, left.reg, right.reg, target, null_jumps)?;
        self.release(right);
        self.release(left);
        skip.into_iter().for_each(|skip| self.b.place(skip));
        Ok(())
    }

    /// Two operands to be read. A constant at the right that is computed where it is first needed comes first: then the left
    /// one, if it is a column, stands right before its comparison, and both become one instruction.
    fn emit_compared(&mut self, left: &Expr<'a>, right: &Expr<'a>, null: Option<Addr>) -> Result<(Value, Value)> {
        if matches!(left, Expr::Column(_)) && is_constant(right) {
            let right = self.emit(right)?;
            return Ok((self.emit(left)?, right));
        }
        self.emit_pair(left, right, null)
    }

    /// Jumps if the values of two registers compare so.
    pub(crate) fn jump_compare(
        &mut self,
        op: CompareOp,
        how: &How<'a>,
        lhs: Reg,
        rhs: Reg,
        target: Addr,
        null_jumps: bool,
    ) -> Result<()> {
        let mut operands = self.operands(op, how, lhs, rhs)?;
        if null_jumps && !is_null_safe(op) {
            operands.flags.0 |= CompareFlags::NULL_JUMPS;
        }
        let Operands { flags, collation, lhs, rhs } = operands;
        self.b.emit(match op {
            CompareOp::Eq | CompareOp::Is => Insn::Eq { flags, collation, lhs, rhs, target },
            CompareOp::Ne | CompareOp::IsNot => Insn::Ne { flags, collation, lhs, rhs, target },
            CompareOp::Lt => Insn::Lt { flags, collation, lhs, rhs, target },
            CompareOp::Le => Insn::Le { flags, collation, lhs, rhs, target },
            CompareOp::Gt => Insn::Gt { flags, collation, lhs, rhs, target },
            CompareOp::Ge => Insn::Ge { flags, collation, lhs, rhs, target },
        });
        Ok(())
    }

    pub(super) fn emit_comparison(&mut self, compare: &Compare<'a>, dst: Reg) -> Result<()> {
        if !is_null_safe(compare.op) {
            return self.emit_strict(&compare.left, &compare.right, dst, |cg, lhs, rhs| {
                cg.emit_compare(compare.op, &compare.how, lhs, rhs, dst)
            });
        }
        let (left, right) = self.emit_pair(&compare.left, &compare.right, None)?;
        self.emit_compare(compare.op, &compare.how, left.reg, right.reg, dst)?;
        self.release(right);
        self.release(left);
        Ok(())
    }

    /// The truth value of a comparison of two registers.
    fn emit_compare(&mut self, op: CompareOp, how: &How<'a>, lhs: Reg, rhs: Reg, dst: Reg) -> Result<()> {
        let Operands { flags, collation, lhs, rhs } = self.operands(op, how, lhs, rhs)?;
        self.b.emit(match op {
            CompareOp::Eq | CompareOp::Is => Insn::EqValue { flags, collation, lhs, rhs, dst },
            CompareOp::Ne | CompareOp::IsNot => Insn::NeValue { flags, collation, lhs, rhs, dst },
            CompareOp::Lt => Insn::LtValue { flags, collation, lhs, rhs, dst },
            CompareOp::Le => Insn::LeValue { flags, collation, lhs, rhs, dst },
            CompareOp::Gt => Insn::GtValue { flags, collation, lhs, rhs, dst },
            CompareOp::Ge => Insn::GeValue { flags, collation, lhs, rhs, dst },
        });
        Ok(())
    }

    fn operands(&mut self, op: CompareOp, how: &How<'a>, lhs: Reg, rhs: Reg) -> Result<Operands> {
        let affinity = how.affinity.map_or(0, |affinity| affinity as u8);
        let null = if is_null_safe(op) { CompareFlags::NULL_EQ } else { 0 };
        let collation = self.collation(how.collation)?;
        Ok(Operands { flags: CompareFlags(affinity | null), collation, lhs, rhs })
    }

    /// `(a, b) op (c, d)`. Equality needs all columns; an order is decided by the first columns that differ.
    pub(super) fn emit_row_comparison(&mut self, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
        match compare.op {
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => self.emit_row_order(compare, dst),
            _ => self.emit_row_equality(compare, dst),
        }
    }

    /// Columns behind the first that differs are not computed.
    fn emit_row_equality(&mut self, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
        let (left, right) = (self.begin_row(&compare.left)?, self.begin_row(&compare.right)?);
        let all = matches!(compare.op, CompareOp::Eq | CompareOp::Is);
        let end = self.b.label();
        for (at, how) in compare.how.iter().enumerate() {
            if at > 0 {
                self.b.emit(if all {
                    Insn::IfNot { null_jumps: 0, reg: dst, target: end }
                } else {
                    Insn::If { null_jumps: 0, reg: dst, target: end }
                });
            }
            let (lhs, rhs) = (self.row_column(&left, at)?, self.row_column(&right, at)?);
            let equal = if at == 0 { dst } else { self.b.temporary() };
            self.emit_compare(compare.op, how, lhs.reg, rhs.reg, equal)?;
            self.release(rhs);
            self.release(lhs);
            if at > 0 {
                self.b.emit(if all {
                    Insn::And { lhs: dst, rhs: equal, dst }
                } else {
                    Insn::Or { lhs: dst, rhs: equal, dst }
                });
                self.b.free(equal);
            }
        }
        self.b.place(end);
        Ok(())
    }

    /// Columns behind the one that decides are not computed.
    fn emit_row_order(&mut self, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
        let (left, right) = (self.begin_row(&compare.left)?, self.begin_row(&compare.right)?);
        let strict = match compare.op {
            CompareOp::Lt | CompareOp::Le => CompareOp::Lt,
            _ => CompareOp::Gt,
        };
        let end = self.b.label();
        let last = compare.how.len() - 1;
        for (at, how) in compare.how[..last].iter().enumerate() {
            let (lhs, rhs) = (self.row_column(&left, at)?, self.row_column(&right, at)?);
            self.emit_compare(strict, how, lhs.reg, rhs.reg, dst)?;
            self.b.emit(Insn::If { null_jumps: 1, reg: dst, target: end });
            self.jump_compare(CompareOp::Ne, how, lhs.reg, rhs.reg, end, false)?;
            self.release(rhs);
            self.release(lhs);
        }
        let (lhs, rhs) = (self.row_column(&left, last)?, self.row_column(&right, last)?);
        self.emit_compare(compare.op, &compare.how[last], lhs.reg, rhs.reg, dst)?;
        self.release(rhs);
        self.release(lhs);
        self.b.place(end);
        Ok(())
    }

    /// A row value of which columns are wanted one after the other.
    fn begin_row(&mut self, row: &Expr<'a>) -> Result<RowColumns<'a>> {
        match row {
            Expr::Row(items) => Ok(RowColumns::Exprs(items)),
            row => Ok(RowColumns::Registers(self.emit_row(row)?)),
        }
    }

    fn row_column(&mut self, row: &RowColumns<'a>, at: usize) -> Result<Value> {
        match row {
            RowColumns::Exprs(items) => self.emit(&items[at]),
            RowColumns::Registers(start) => Ok(Value { reg: start.at(at), is_temporary: false }),
        }
    }

    /// The columns of a row value in a row of registers, which must only be read.
    pub(crate) fn emit_row(&mut self, row: &Expr<'a>) -> Result<Reg> {
        match row {
            Expr::Row(items) => self.emit_list(items),
            Expr::Subquery(subquery) if subquery.query.columns.len() > 1 => self.emit_subquery_row(subquery),
            scalar => {
                let reg = self.b.register();
                self.emit_into(scalar, reg)?;
                Ok(reg)
            }
        }
    }
}

/// Where the columns of a row value are.
enum RowColumns<'a> {
    /// Still to be computed.
    Exprs(&'a [Expr<'a>]),
    /// In registers.
    Registers(Reg),
}

/// Whether the comparison never gives NULL.
fn is_null_safe(op: CompareOp) -> bool {
    matches!(op, CompareOp::Is | CompareOp::IsNot)
}
