//! The state of planning a statement: the context of joins, common tables that are planned already, and the queries in expressions.

use lithe_resolve::Resolver;
use lithe_resolve::ir::{Query, SubqueryId};

use crate::access::PlanContext;
use crate::plan::{ExprQuery, ExprQueryWay, QueryPlan};

/// Plans a statement. Its methods are in the modules of their subjects: `query`, `select`, `window`, `compound`, `from`,
/// `queries`. The functions of `write` plan INSERT, UPDATE and DELETE.
pub struct Planner<'a> {
    /// The context in which joins are planned.
    pub context: PlanContext<'a>,
    /// Common tables that several sources use.
    pub(crate) shared: Vec<(SubqueryId, &'a QueryPlan<'a>)>,
    expr_queries: Vec<PlannedQuery<'a>>,
    /// All queries before this one are taken.
    first_left: usize,
}

/// A query in an expression.
struct PlannedQuery<'a> {
    query: ExprQuery<'a>,
    is_taken: bool,
}

impl<'a> Planner<'a> {
    /// Nothing is planned yet.
    #[inline]
    pub fn new(resolver: &'a Resolver<'a>) -> Planner<'a> {
        Planner { context: PlanContext::new(resolver), shared: Vec::new(), expr_queries: Vec::new(), first_left: 0 }
    }

    /// Keeps the plan of a query in an expression for the code of the expression.
    pub(crate) fn keep_expr_query(&mut self, query: ExprQuery<'a>) {
        self.expr_queries.push(PlannedQuery { query, is_taken: false });
    }

    /// The plan of a query in an expression whose code is emitted now. An expression may stand in several places, each with a plan of its
    /// own: the plans are returned in the order in which they were made. Code that is emitted once more gets the last plan.
    pub fn take_expr_query(
        &mut self,
        query: &Query<'a>,
        fits: impl Fn(&ExprQueryWay<'a>) -> bool,
    ) -> Option<ExprQuery<'a>> {
        let is_it = |planned: &PlannedQuery<'a>| std::ptr::eq(planned.query.query, query) && fits(&planned.query.way);
        let left = &self.expr_queries[self.first_left..];
        let at = match left.iter().position(|planned| !planned.is_taken && is_it(planned)) {
            Some(at) => self.first_left + at,
            None => self.expr_queries.iter().rposition(is_it)?,
        };
        self.expr_queries[at].is_taken = true;
        while self.expr_queries.get(self.first_left).is_some_and(|planned| planned.is_taken) {
            self.first_left += 1;
        }
        Some(self.expr_queries[at].query)
    }
}
