//! The state of the analysis of a join's conditions.

use lithe_resolve::ir::Source;

use super::Terms;
use crate::access::context::PlanContext;

/// The input of the analysis of a join's conditions.
#[derive(Clone, Copy)]
pub struct Scope<'c, 'a> {
    /// The statement.
    pub context: &'c PlanContext<'a>,
    /// FROM.
    pub sources: &'a [Source<'a>],
    /// Whether any source has an index on an expression: else expressions on the left side are of no use.
    pub has_expression_indexes: bool,
    /// Whether any source has a partial index.
    pub has_partial_indexes: bool,
    /// Whether implied conditions are derived. SQLite does not do so, so this is set only where plans differ from
    /// SQLite's anyway.
    pub finds_implied: bool,
}

/// An analysis under way.
pub(super) struct Analysis<'c, 'a> {
    pub scope: Scope<'c, 'a>,
    pub terms: Terms<'a>,
}
