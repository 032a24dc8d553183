//! Instructions that read a column themselves, in place of one that reads it from a register.

use crate::insn::Insn;
use crate::operand::{CompareFlags, CursorId, Reg};

impl Insn {
    /// This instruction with a column in place of the register `reg`, if there is such an instruction. `is_real` says that the
    /// column has REAL affinity.
    pub(crate) fn with_column(self, cursor: CursorId, column: u16, is_real: bool, reg: Reg) -> Option<Insn> {
        match self {
            Insn::AggStep { aggregate, start, acc } if start == reg && acc != reg => {
                Some(Insn::AggColumn { is_real: u8::from(is_real), aggregate, cursor, column, acc })
            }
            Insn::IsNull { reg: operand, target } if operand == reg => {
                Some(Insn::ColumnIsNull { cursor, column, target })
            }
            Insn::NotNull { reg: operand, target } if operand == reg => {
                Some(Insn::ColumnNotNull { cursor, column, target })
            }
            _ => self.compare_with_column(cursor, column, is_real, reg),
        }
    }

    /// This instruction merged with the REAL affinity of the column that it reads.
    pub(crate) fn with_real_affinity(self, reg: Reg) -> Option<Insn> {
        match self {
            Insn::Column { cursor, column, dst } if dst == reg => Some(Insn::ColumnReal { cursor, column, dst }),
            _ => None,
        }
    }

    /// A comparison with the column as its left operand; one with the column on its right is reversed.
    fn compare_with_column(self, cursor: CursorId, column: u16, is_real: bool, reg: Reg) -> Option<Insn> {
        let of_column =
            |flags: CompareFlags| if is_real { CompareFlags(flags.0 | CompareFlags::REAL_COLUMN) } else { flags };
        use Insn::{ColumnEq, ColumnGe, ColumnGt, ColumnLe, ColumnLt, ColumnNe, Eq, Ge, Gt, Le, Lt, Ne};
        macro_rules! compare {
            ($($insn:ident => $column:ident / $turned:ident),*) => {
                match self {
                    $(
                        $insn { lhs, rhs, .. } if lhs == reg && rhs == reg => None,
                        $insn { flags, collation, lhs, rhs, target } if lhs == reg => {
                            Some($column { flags: of_column(flags), collation, cursor, column, rhs, target })
                        }
                        $insn { flags, collation, lhs, rhs, target } if rhs == reg => {
                            Some($turned { flags: of_column(flags), collation, cursor, column, rhs: lhs, target })
                        }
                    )*
                    _ => None,
                }
            };
        }
        compare! {
            Eq => ColumnEq / ColumnEq,
            Ne => ColumnNe / ColumnNe,
            Lt => ColumnLt / ColumnGt,
            Le => ColumnLe / ColumnGe,
            Gt => ColumnGt / ColumnLt,
            Ge => ColumnGe / ColumnLe
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::ProgramBuilder;
    use crate::insn::Insn;
    use crate::operand::{Addr, AggregateId, CollationId, CompareFlags, CursorId, Reg};

    const CURSOR: CursorId = CursorId(0);

    /// The names of the instructions that remain of a Column into a temporary register and what `user` makes of it.
    fn fused(label_between: bool, user: impl Fn(&mut ProgramBuilder, Reg) -> Insn) -> Vec<&'static str> {
        fused_behind(&[], label_between, user)
    }

    /// The same with other instructions directly after the Column.
    fn fused_behind(
        behind: &[fn(Reg) -> Insn],
        label_between: bool,
        user: impl Fn(&mut ProgramBuilder, Reg) -> Insn,
    ) -> Vec<&'static str> {
        let mut b = ProgramBuilder::new();
        let reg = b.temporary();
        b.emit(Insn::Column { cursor: CURSOR, column: 3, dst: reg });
        behind.iter().for_each(|insn| b.emit(insn(reg)));
        if label_between {
            b.here();
        }
        let user = user(&mut b, reg);
        b.emit(user);
        b.free(reg);
        b.finish().insns.iter().map(Insn::name).collect()
    }

    #[test]
    fn what_is_fused() {
        let (flags, collation, target) = (CompareFlags::default(), CollationId::BINARY, Addr::NONE);
        let less = |rhs_is_column: bool| {
            move |b: &mut ProgramBuilder, reg| {
                let other = b.register();
                let (lhs, rhs) = if rhs_is_column { (other, reg) } else { (reg, other) };
                Insn::Lt { flags, collation, lhs, rhs, target }
            }
        };
        let is_null = |_: &mut ProgramBuilder, reg| Insn::IsNull { reg, target };
        assert_eq!(fused(false, is_null), ["ColumnIsNull"]);
        assert_eq!(fused(false, less(false)), ["ColumnLt"]);
        assert_eq!(fused(false, less(true)), ["ColumnGt"]);
        let step =
            |b: &mut ProgramBuilder, reg| Insn::AggStep { aggregate: AggregateId(0), start: reg, acc: b.register() };
        assert_eq!(fused(false, step), ["AggColumn"]);
        assert_eq!(fused(true, step), ["Column", "AggStep"]);
        let real: fn(Reg) -> Insn = |reg| Insn::RealAffinity { reg };
        assert_eq!(fused_behind(&[real], false, step), ["AggColumn"]);
        assert_eq!(fused_behind(&[real], false, less(false)), ["ColumnLt"]);
        assert_eq!(fused_behind(&[real], true, step), ["ColumnReal", "AggStep"]);
        assert_eq!(
            fused_behind(&[|_| Insn::Noop {}, real], false, step),
            ["Column", "Noop", "RealAffinity", "AggStep"]
        );
        let copy = |b: &mut ProgramBuilder, reg| Insn::Copy { src: reg, dst: b.register(), count: 1 };
        assert_eq!(fused(false, copy), ["Column", "Copy"]);
    }
}
