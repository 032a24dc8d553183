//! The step of a loop from row to row.

use lithe_optimize::access::IndexPath;
use lithe_vm::insn::Insn;

use super::super::Codegen;
use super::keys::{Around, end_around};

/// The instructions that take a loop to its next row.
#[derive(Debug, Default)]
pub struct Walk {
    /// Goes to the next row and jumps to the top of the loop; `None` if there is at most one row.
    pub step: Option<Insn>,
    /// The loops around the search, from the outermost.
    pub around: Vec<Around>,
}

impl Walk {
    /// The walk of an index. It has no step if each search finds one row at most: an UPDATE may move the row, and the next entry would
    /// then be a wrong one.
    pub fn of_index(self, path: &IndexPath<'_>, one_row: bool) -> Walk {
        if one_row || path.finds_one_each() { Walk { step: None, ..self } } else { self }
    }

    /// Whether there may be more than one row.
    pub fn is_loop(&self) -> bool {
        self.step.is_some() || !self.around.is_empty()
    }

    /// Goes to the next row; falls through when there is none.
    pub fn emit_next(&self, cg: &mut Codegen<'_>) {
        if let Some(step) = self.step {
            cg.b.emit(step);
        }
        end_around(cg, &self.around);
    }
}
