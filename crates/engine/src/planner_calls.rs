//! Calls of functions while a statement of the connection is planned.

use std::fmt;

use lithe_functions::Function;
use lithe_resolve::environment::Evaluator;
use lithe_value::{Collation, Value, ValueRef};

use crate::connection::Connection;
use crate::connection::host::RunHost;
use crate::connection::transaction::StatementRun;

/// Calls functions on behalf of the planner.
pub(crate) struct PlannerCalls<'c>(pub(crate) &'c Connection);

impl fmt::Debug for PlannerCalls<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlannerCalls")
    }
}

impl Evaluator for PlannerCalls<'_> {
    fn call(
        &self,
        function: &Function,
        arguments: &[ValueRef<'_>],
        collation: &Collation,
    ) -> lithe_functions::Result<Value> {
        let connection = self.0;
        if !connection.transaction.is_executing() {
            connection.state.now.set(None);
        }
        let run = StatementRun::default();
        lithe_vm::call_alone(function, arguments, collation, &RunHost { connection, run: &run })
    }
}
