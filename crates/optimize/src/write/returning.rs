//! RETURNING: what is computed of each row that is changed.

use lithe_catalog::Result;
use lithe_resolve::Returning;
use lithe_resolve::ir::Expr;

use super::stored_reals::StoredRow;
use crate::plan::ExprQueries;
use crate::planner::Planner;

/// What RETURNING computes of a row.
#[derive(Debug)]
pub struct ReturningPlan<'a> {
    /// The values.
    pub exprs: &'a [Expr<'a>],
    queries: Result<ExprQueries<'a>>,
}

impl<'a> ReturningPlan<'a> {
    /// Plans the clause, if there is one. `stored` is the row if its record is made from its registers.
    pub(super) fn of(
        planner: &mut Planner<'a>,
        returning: Option<Returning<'a>>,
        stored: Option<StoredRow<'a>>,
    ) -> Option<ReturningPlan<'a>> {
        let exprs = returning?.exprs;
        let exprs = stored.map_or(exprs, |row| row.exprs(planner.context.arena, exprs));
        Some(ReturningPlan { exprs, queries: planner.plan_exprs(exprs, &[]) })
    }

    /// The queries in the values. An error in them is reported where the values are computed.
    pub fn queries(&self) -> Result<ExprQueries<'a>> {
        self.queries.clone()
    }
}
