//! The invariants of a finished program: each operand refers to an entry that the program has, and each jump leads into
//! it.
//!
//! The code generator is trusted, and the machine does not check its indexes. This check runs before a program runs,
//! in builds with debug assertions.

use crate::insn::Insn;
use crate::operand::OperandText;
use crate::program::Program;

impl Program {
    /// Asserts the invariants.
    pub fn assert_sound(&self) {
        assert!(!self.insns.is_empty(), "a program without instructions");
        for (addr, insn) in self.insns.iter().enumerate() {
            for (name, operand) in insn.operands() {
                self.assert_operand(addr, insn, name, &operand);
            }
        }
        assert!(self.cursors.len() <= usize::from(u16::MAX), "more cursors than have numbers");
        let parameters = self.insns.iter().filter_map(|insn| match insn {
            Insn::Parameter { number, .. } => Some(*number),
            _ => None,
        });
        for number in parameters {
            assert!(number > 0 && number <= self.parameter_count, "parameter {number} of {}", self.parameter_count);
        }
    }

    fn assert_operand(&self, addr: usize, insn: &Insn, name: &str, operand: &OperandText) {
        let (table, id) = match operand {
            OperandText::Target(target) => {
                let is_inside = (*target as usize) < self.insns.len();
                assert!(is_inside, "{} at {addr} jumps to {target}, out of the program", insn.name());
                return;
            }
            OperandText::Id(table, id) => (*table, *id as usize),
            OperandText::Number(_) | OperandText::None => return,
        };
        let len = match table {
            "c" => self.cursors.len(),
            "k" => self.constants.len(),
            "t" => self.texts.len(),
            "coll" => self.collations.len() + 1, // number 0 is BINARY
            "aff" => self.affinities.len(),
            "f" => self.calls.len(),
            "agg" => self.aggregates.len(),
            "scan" => self.scans.len(),
            "sub" if !self.subprograms.is_empty() => self.subprograms.len(),
            // The subprograms of a trigger may be in the table of the statement.
            "sub" => return,
            // The connection numbers virtual tables, and the programs of a statement share their sequences.
            "v" | "seq" => return,
            table => panic!("{} at {addr}: a program has no table \"{table}\"", insn.name()),
        };
        assert!(id < len, "{} at {addr}: {name} is {id} of {len}", insn.name());
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::ProgramBuilder;
    use crate::insn::Insn;
    use crate::operand::CursorId;

    fn program(insn: Insn) -> crate::program::Program {
        let mut builder = ProgramBuilder::new();
        builder.emit(insn);
        builder.emit(Insn::Halt {});
        builder.finish()
    }

    #[test]
    fn what_is_there_is_sound() {
        program(Insn::Halt {}).assert_sound();
    }

    #[test]
    #[should_panic(expected = "cursor is 3 of 0")]
    fn a_cursor_that_is_not_there_is_found() {
        program(Insn::Close { cursor: CursorId(3) }).assert_sound();
    }

    #[test]
    #[should_panic(expected = "a program has no table \"new\"")]
    fn a_kind_of_operand_that_is_not_checked_is_found() {
        let program = program(Insn::Halt {});
        program.assert_operand(0, &Insn::Halt {}, "operand", &crate::operand::OperandText::Id("new", 0));
    }
}
