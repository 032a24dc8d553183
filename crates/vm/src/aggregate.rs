//! Functions and aggregates.

use crate::error::Error;
use crate::host::Host;
use crate::machine::Machine;
use crate::operand::{AggregateId, CallId, Reg};
use crate::program::Program;

/// The state of an aggregate.
#[derive(Debug)]
pub struct Accumulator;

pub fn call(_: &mut Machine, _: &Program, _: &dyn Host, _: CallId, _: Reg, _: Reg) -> Result<(), Error> {
    todo!()
}
pub fn step(_: &mut Machine, _: &Program, _: &dyn Host, _: AggregateId, _: Reg, _: Reg) -> Result<(), Error> {
    todo!()
}
pub fn inverse(_: &mut Machine, _: &Program, _: &dyn Host, _: AggregateId, _: Reg, _: Reg) -> Result<(), Error> {
    todo!()
}
pub fn value(_: &mut Machine, _: &Program, _: &dyn Host, _: AggregateId, _: Reg, _: Reg) -> Result<(), Error> {
    todo!()
}
pub fn finish(_: &mut Machine, _: &Program, _: &dyn Host, _: AggregateId, _: Reg, _: Reg) -> Result<(), Error> {
    todo!()
}
pub fn watch_kept(_: &mut Machine, _: Reg) {
    todo!()
}
