//! Comparisons.

use lithe_catalog::Result;
use lithe_resolve::ir::{Compare, CompareOp, CompareRows, Expr, How, is_constant};
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, CollationId, CompareFlags, Reg};

use super::super::Codegen;
use super::Value;
use super::operands;
use super::subquery;

/// The operands of a comparison instruction.
#[derive(Clone, Copy)]
struct Operands {
    flags: CompareFlags,
    collation: CollationId,
    lhs: Reg,
    rhs: Reg,
}

/// Jumps if `left op right`, where `op` replaces the comparison's own.
pub(super) fn jump_if_compares<'a>(
    cg: &mut Codegen<'a>,
    compare: &Compare<'a>,
    op: CompareOp,
    target: Addr,
    null_jumps: bool,
) -> Result<()> {
    let skip = (!is_null_safe(op) && operands::have_query(cg, &compare.left, &compare.right)).then(|| cg.b.label());
    let null = skip.map(|skip| if null_jumps { target } else { skip });
    let (left, right) = emit_compared(cg, &compare.left, &compare.right, null)?;
    jump_compare(cg, op, &compare.how, left.reg, right.reg, target, null_jumps)?;
    cg.release(right);
    cg.release(left);
    skip.into_iter().for_each(|skip| cg.b.place(skip));
    Ok(())
}

/// Computes the operands of a comparison. A constant on the right is computed first: then a column on the left is read right
/// before its comparison, and the builder fuses both into one instruction.
fn emit_compared<'a>(
    cg: &mut Codegen<'a>,
    left: &Expr<'a>,
    right: &Expr<'a>,
    null: Option<Addr>,
) -> Result<(Value, Value)> {
    if matches!(left, Expr::Column(_)) && is_constant(right) {
        let right = cg.emit(right)?;
        return Ok((cg.emit(left)?, right));
    }
    operands::emit_pair(cg, left, right, null)
}

/// Jumps if the values of two registers compare so.
pub(crate) fn jump_compare<'a>(
    cg: &mut Codegen<'a>,
    op: CompareOp,
    how: &How<'a>,
    lhs: Reg,
    rhs: Reg,
    target: Addr,
    null_jumps: bool,
) -> Result<()> {
    let mut operands = operands(cg, op, how, lhs, rhs)?;
    if null_jumps && !is_null_safe(op) {
        operands.flags.0 |= CompareFlags::NULL_JUMPS;
    }
    let Operands { flags, collation, lhs, rhs } = operands;
    cg.b.emit(match op {
        CompareOp::Eq | CompareOp::Is => Insn::Eq { flags, collation, lhs, rhs, target },
        CompareOp::Ne | CompareOp::IsNot => Insn::Ne { flags, collation, lhs, rhs, target },
        CompareOp::Lt => Insn::Lt { flags, collation, lhs, rhs, target },
        CompareOp::Le => Insn::Le { flags, collation, lhs, rhs, target },
        CompareOp::Gt => Insn::Gt { flags, collation, lhs, rhs, target },
        CompareOp::Ge => Insn::Ge { flags, collation, lhs, rhs, target },
    });
    Ok(())
}

pub(super) fn emit_comparison<'a>(cg: &mut Codegen<'a>, compare: &Compare<'a>, dst: Reg) -> Result<()> {
    if !is_null_safe(compare.op) {
        return operands::emit_strict(cg, &compare.left, &compare.right, dst, |cg, lhs, rhs| {
            emit_compare(cg, compare.op, &compare.how, lhs, rhs, dst)
        });
    }
    let (left, right) = operands::emit_pair(cg, &compare.left, &compare.right, None)?;
    emit_compare(cg, compare.op, &compare.how, left.reg, right.reg, dst)?;
    cg.release(right);
    cg.release(left);
    Ok(())
}

/// The truth value of a comparison of two registers.
fn emit_compare<'a>(cg: &mut Codegen<'a>, op: CompareOp, how: &How<'a>, lhs: Reg, rhs: Reg, dst: Reg) -> Result<()> {
    let Operands { flags, collation, lhs, rhs } = operands(cg, op, how, lhs, rhs)?;
    cg.b.emit(match op {
        CompareOp::Eq | CompareOp::Is => Insn::EqValue { flags, collation, lhs, rhs, dst },
        CompareOp::Ne | CompareOp::IsNot => Insn::NeValue { flags, collation, lhs, rhs, dst },
        CompareOp::Lt => Insn::LtValue { flags, collation, lhs, rhs, dst },
        CompareOp::Le => Insn::LeValue { flags, collation, lhs, rhs, dst },
        CompareOp::Gt => Insn::GtValue { flags, collation, lhs, rhs, dst },
        CompareOp::Ge => Insn::GeValue { flags, collation, lhs, rhs, dst },
    });
    Ok(())
}

fn operands<'a>(cg: &mut Codegen<'a>, op: CompareOp, how: &How<'a>, lhs: Reg, rhs: Reg) -> Result<Operands> {
    let affinity = how.affinity.map_or(0, |affinity| affinity as u8);
    let null = if is_null_safe(op) { CompareFlags::NULL_EQ } else { 0 };
    let collation = cg.collation(how.collation)?;
    Ok(Operands { flags: CompareFlags(affinity | null), collation, lhs, rhs })
}

/// `(a, b) op (c, d)`. Equality needs all columns; an order is decided by the first columns that differ.
pub(super) fn emit_row_comparison<'a>(cg: &mut Codegen<'a>, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
    match compare.op {
        CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => emit_row_order(cg, compare, dst),
        _ => emit_row_equality(cg, compare, dst),
    }
}

/// Columns after the first that differs are not computed.
fn emit_row_equality<'a>(cg: &mut Codegen<'a>, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
    let (left, right) = (begin_row(cg, &compare.left)?, begin_row(cg, &compare.right)?);
    let all = matches!(compare.op, CompareOp::Eq | CompareOp::Is);
    let end = cg.b.label();
    for (at, how) in compare.how.iter().enumerate() {
        if at > 0 {
            cg.b.emit(if all {
                Insn::IfNot { null_jumps: 0, reg: dst, target: end }
            } else {
                Insn::If { null_jumps: 0, reg: dst, target: end }
            });
        }
        let (lhs, rhs) = (row_column(cg, &left, at)?, row_column(cg, &right, at)?);
        let equal = if at == 0 { dst } else { cg.b.temporary() };
        emit_compare(cg, compare.op, how, lhs.reg, rhs.reg, equal)?;
        cg.release(rhs);
        cg.release(lhs);
        if at > 0 {
            cg.b.emit(if all {
                Insn::And { lhs: dst, rhs: equal, dst }
            } else {
                Insn::Or { lhs: dst, rhs: equal, dst }
            });
            cg.b.free(equal);
        }
    }
    cg.b.place(end);
    Ok(())
}

/// Columns after the one that decides are not computed.
fn emit_row_order<'a>(cg: &mut Codegen<'a>, compare: &CompareRows<'a>, dst: Reg) -> Result<()> {
    let (left, right) = (begin_row(cg, &compare.left)?, begin_row(cg, &compare.right)?);
    let strict = match compare.op {
        CompareOp::Lt | CompareOp::Le => CompareOp::Lt,
        _ => CompareOp::Gt,
    };
    let end = cg.b.label();
    let last = compare.how.len() - 1;
    for (at, how) in compare.how[..last].iter().enumerate() {
        let (lhs, rhs) = (row_column(cg, &left, at)?, row_column(cg, &right, at)?);
        emit_compare(cg, strict, how, lhs.reg, rhs.reg, dst)?;
        cg.b.emit(Insn::If { null_jumps: 1, reg: dst, target: end });
        jump_compare(cg, CompareOp::Ne, how, lhs.reg, rhs.reg, end, false)?;
        cg.release(rhs);
        cg.release(lhs);
    }
    let (lhs, rhs) = (row_column(cg, &left, last)?, row_column(cg, &right, last)?);
    emit_compare(cg, compare.op, &compare.how[last], lhs.reg, rhs.reg, dst)?;
    cg.release(rhs);
    cg.release(lhs);
    cg.b.place(end);
    Ok(())
}

/// A row value whose columns are computed one after the other.
fn begin_row<'a>(cg: &mut Codegen<'a>, row: &Expr<'a>) -> Result<RowColumns<'a>> {
    match row {
        Expr::Row(items) => Ok(RowColumns::Exprs(items)),
        row => Ok(RowColumns::Registers(emit_row(cg, row)?)),
    }
}

fn row_column<'a>(cg: &mut Codegen<'a>, row: &RowColumns<'a>, at: usize) -> Result<Value> {
    match row {
        RowColumns::Exprs(items) => cg.emit(&items[at]),
        RowColumns::Registers(start) => Ok(Value { reg: start.at(at), is_temporary: false }),
    }
}

/// The columns of a row value in adjacent registers, which must only be read.
pub(crate) fn emit_row<'a>(cg: &mut Codegen<'a>, row: &Expr<'a>) -> Result<Reg> {
    match row {
        Expr::Row(items) => cg.emit_list(items),
        Expr::Subquery(subquery) if subquery.query.columns.len() > 1 => subquery::emit_row(cg, subquery),
        scalar => {
            let reg = cg.b.register();
            cg.emit_into(scalar, reg)?;
            Ok(reg)
        }
    }
}

/// The columns of a row value.
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
