//! The functions and collations of the connection, for the catalog's builders.

use lithe_catalog::{KnownFunction, KnownNames};
use lithe_functions::Lookup;
use lithe_sql::ast::Name;

use super::Environment;
use crate::ir::Coll;

impl KnownNames for Environment {
    fn function(&self, name: Name<'_>, argument_count: usize) -> KnownFunction {
        match self.functions.find(name.as_bytes(), argument_count) {
            Lookup::Unknown => KnownFunction::Missing,
            Lookup::WrongArguments => KnownFunction::WrongArguments,
            Lookup::Found(function) if function.is_window_only() => KnownFunction::Window,
            Lookup::Found(function) if function.is_aggregate() => KnownFunction::Aggregate,
            Lookup::Found(function) => KnownFunction::Scalar {
                deterministic: function.is_deterministic(),
                is_trusted: !function.is_direct_only() && (self.flags.trusted_schema || function.is_innocuous()),
            },
        }
    }

    fn has_collation(&self, name: Name<'_>) -> bool {
        self.collation(Coll::named(name)).is_ok()
    }
}
