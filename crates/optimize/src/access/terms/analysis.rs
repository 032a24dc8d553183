//! What the analysis of a join's conditions works on.

use lithe_resolve::ir::Source;

use super::Terms;
use crate::access::context::PlanContext;

/// What the analysis of a join's conditions needs to know.
#[derive(Clone, Copy)]
pub struct Scope<'c, 'a> {
    /// The statement.
    pub context: &'c PlanContext<'a>,
    /// FROM.
    pub sources: &'a [Source<'a>],
    /// Whether any source has an index on an expression: else expressions on the left side are of no use.
    pub has_expression_indexes: bool,
    /// Whether conditions are looked for that others imply. SQLite does not, so only where its plans are left anyway.
    pub finds_implied: bool,
}

/// An analysis under way.
pub(super) struct Analysis<'c, 'a> {
    pub scope: Scope<'c, 'a>,
    pub terms: Terms<'a>,
}
