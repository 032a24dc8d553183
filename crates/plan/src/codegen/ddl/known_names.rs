//! The functions and collations of the connection, as the catalog's builders ask for them.

use lithe_functions::Lookup;
use lithe_sql::ast::Name;

use crate::catalog::{BuildOptions, KnownFunction, KnownNames};
use crate::codegen::Codegen;
use crate::environment::Environment;
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

/// The options with which new objects are built.
pub(super) fn build_options<'a>(cg: &Codegen<'a>) -> BuildOptions<'a> {
    BuildOptions {
        names: Some(cg.env),
        limits: &cg.env.limits,
        quoted_strings: cg.env.flags.has_quoted_strings_in_ddl(),
        // A database without a table yet becomes one of format 4.
        descending_indexes: true,
        is_altering: false,
    }
}
