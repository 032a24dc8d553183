//! Instructions of schema changes, of virtual tables that change, and of tracing: a statement runs them a few times at most. They are
//! called out of line, because the loop would otherwise prepare for the calls of all of them whenever it begins.

use crate::error::Error;
use crate::machine::Machine;

/// Runs an instruction out of line.
#[inline(never)]
pub fn run(m: &mut Machine, instruction: &dyn Fn(&mut Machine) -> Result<(), Error>) -> Result<(), Error> {
    instruction(m)
}
