//! The options of the connection for the catalog's builders.

use lithe_catalog::BuildOptions;
use lithe_resolve::environment::Environment;

use crate::Codegen;

/// The options with which new objects are built.
pub(super) fn build_options<'a>(cg: &Codegen<'a>) -> BuildOptions<'a> {
    BuildOptions { names: Some(cg.env), ..stored_options(cg.env) }
}

/// The options with which the texts of the schema are built again when ALTER TABLE has changed them: functions and collations that they
/// name may not exist.
pub(super) fn stored_options(env: &Environment) -> BuildOptions<'_> {
    BuildOptions {
        names: None,
        limits: &env.limits,
        quoted_strings: env.flags.has_quoted_strings_in_ddl(),
        // A database without a table gets format 4.
        descending_indexes: true,
        is_altering: false,
    }
}
