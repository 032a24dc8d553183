//! The options of the connection for the catalog's builders.

use lithe_catalog::BuildOptions;

use crate::Codegen;

/// The options with which new objects are built.
pub(super) fn build_options<'a>(cg: &Codegen<'a>) -> BuildOptions<'a> {
    BuildOptions {
        names: Some(cg.env),
        limits: &cg.env.limits,
        quoted_strings: cg.env.flags.has_quoted_strings_in_ddl(),
        // A database without a table gets format 4.
        descending_indexes: true,
        is_altering: false,
    }
}
