//! What runs a statement: the machine, or the engine itself.

use std::sync::Arc;

use lithe_vm::operand::OnConflict;
use lithe_vm::vm::Vm;

use super::command::CommandRun;
use super::{Body, Compiled, Step};
use crate::connection::host::RunHost;
use crate::error::Error;

/// What runs the statement.
pub(crate) enum Runner {
    /// Boxed, because the machine is passed from one statement to the next.
    Program(Box<Vm>),
    Command(CommandRun),
}

impl Runner {
    /// Goes on to a row, which `is_row` tells, or to the end. An error tells by `policy` what is undone. (Not one result with all of it: that would
    /// lie in memory, written in parts and read as a whole, for which a processor waits at each row.)
    #[inline]
    pub(super) fn run(&mut self, host: &RunHost<'_>, is_row: &mut bool, policy: &mut OnConflict) -> Option<Error> {
        match self {
            Runner::Program(vm) => match host.connection.settings.with_real_digits(|| vm.advance(host)) {
                Ok(()) => {
                    *is_row = vm.is_on_row();
                    None
                }
                Err(error) => {
                    *policy = error.policy();
                    Some(Error::from(*error))
                }
            },
            Runner::Command(command) => match command.step(host.connection, host.run) {
                Ok(step) => {
                    *is_row = step == Step::Row;
                    None
                }
                Err(error) => Some(host.run.failed(error, command.waits(host.connection))),
            },
        }
    }

    pub(crate) fn new(compiled: &Compiled) -> Runner {
        match &compiled.body {
            Body::Program(program) => Runner::Program(Box::new(Vm::new(Arc::clone(program)))),
            Body::Command(command) => Runner::Command(CommandRun::new(Arc::clone(command), compiled.parameter_count)),
        }
    }
}
