//! Temporary tables that are filled when a loop over them begins.
//!
//! ```text
//!        filled ← 0                 only where the rows depend on an enclosing query's row
//!        Goto                       → behind
//! entry: ... fills the table ...
//!        Return
//! behind:
//!        ...
//!        Once                       → begun    (or If filled)
//!        Gosub entry
//! begun: the loop over the table
//! ```

use lithe_catalog::Result;
use lithe_vm::insn::Insn;
use lithe_vm::operand::{Addr, Reg};

use super::super::Codegen;

/// A subroutine that fills a temporary table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    entry: Addr,
    ret: Reg,
    /// The register that says whether the table is filled, if it must be filled more than once in a run.
    filled: Option<Reg>,
}

impl Fill {
    /// Emits the subroutine, which may be called from here on. With `is_again` the table is filled each time that the program
    /// comes here, otherwise once in a run.
    pub fn subroutine<'a>(
        cg: &mut Codegen<'a>,
        is_again: bool,
        fill: impl FnOnce(&mut Codegen<'a>) -> Result<()>,
    ) -> Result<Fill> {
        let (entry, done, behind) = (cg.b.label(), cg.b.label(), cg.b.label());
        let filled = is_again.then(|| cg.b.register());
        if let Some(dst) = filled {
            cg.b.emit(Insn::Integer { value: 0, dst });
        }
        let ret = cg.b.register();
        cg.b.emit(Insn::Goto { target: behind });
        cg.b.place(entry);
        // The caller's temporary registers must not be overwritten.
        let free = cg.b.reserve_temporaries();
        match filled {
            Some(dst) => cg.b.emit(Insn::Integer { value: 1, dst }),
            None => cg.b.emit(Insn::Once { target: done }),
        }
        let result = cg.in_loop(fill);
        cg.b.restore_temporaries(free);
        result?;
        cg.b.place(done);
        cg.b.emit(Insn::Return { ret });
        cg.b.place(behind);
        Ok(Fill { entry, ret, filled })
    }

    /// Fills the table unless it is filled already.
    pub fn emit_call(&self, cg: &mut Codegen<'_>) {
        let begun = cg.b.label();
        match self.filled {
            Some(reg) => cg.b.emit(Insn::If { null_jumps: 0, reg, target: begun }),
            None => cg.b.emit(Insn::Once { target: begun }),
        }
        cg.b.emit(Insn::Gosub { ret: self.ret, target: self.entry });
        cg.b.place(begun);
    }
}
