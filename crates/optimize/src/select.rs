//! How one SELECT is run: the request for its join, and what remains to be done to the rows.
//!
//! ```text
//!   Select, ORDER BY ──▶ which kind of SELECT it is, decided by the tree alone
//!                            │ join request
//!                            ▼
//!                        FromPlan ──▶ grouping, sorting, DISTINCT, as far as the order of the rows does not suffice
//! ```

use bumpalo::Bump;
use lithe_catalog::{Result, TableKind};
use lithe_resolve::ir::{
    Aggregate, Expr, Indexed, JoinKind, Limit, OrderTerm, Select, Source, SourceKind, any, collation_of, same,
    same_aggregate,
};
use lithe_value::Collation;

use crate::access::{DistinctPlan, JoinPlan, JoinRequest, Purpose, WantedOrder, smallest_index};
use crate::aggregates::{are_from_extreme_row, bare_columns, extreme};
use crate::plan::{AggregatePlan, CountPlan, ExprQueries, GroupPlan, Grouping, PlainPlan, SelectPlan, Sorting};
use crate::planner::Planner;
use crate::rewrite::may_fail;

/// The requirements on the rows of a SELECT.
#[derive(Clone, Copy)]
pub(crate) struct SelectRequest<'a> {
    /// The order of its rows.
    pub order_by: &'a [OrderTerm<'a>],
    /// LIMIT and OFFSET, if they apply to the SELECT alone.
    pub limit: Option<&'a Limit<'a>>,
    /// At most so many of its rows are read.
    pub row_limit: Option<u64>,
    /// The values of its rows are read.
    pub needs_columns: bool,
    /// Only its first row is read.
    pub is_first_row: bool,
}

impl SelectRequest<'_> {
    /// Whether rows behind the first ones may stay unread.
    fn may_end_early(&self) -> bool {
        self.limit.is_some() || self.row_limit.is_some() || self.is_first_row
    }
}

impl Default for SelectRequest<'_> {
    fn default() -> Self {
        SelectRequest { order_by: &[], limit: None, row_limit: None, needs_columns: true, is_first_row: false }
    }
}

/// What is computed for each row of a result.
pub(crate) struct ResultRow<'e, 'a> {
    pub columns: &'a [Expr<'a>],
    /// The ORDER BY of a sorter, if the rows go into one.
    pub order_by: &'a [OrderTerm<'a>],
    pub distinct: bool,
    /// The values of the columns are read.
    pub needs_columns: bool,
    /// Expressions whose values are computed already.
    pub known: &'e [Expr<'a>],
}

impl<'a> Planner<'a> {
    /// Plans a SELECT.
    pub(crate) fn plan_select(&mut self, select: &'a Select<'a>, request: SelectRequest<'a>) -> Result<SelectPlan<'a>> {
        let order_by = useful_order(request.order_by, select);
        if !select.windows.is_empty() {
            return self.plan_windows(select, order_by, request.needs_columns).map(SelectPlan::Windows);
        }
        if select.is_aggregate && select.group_by.is_empty() {
            return match counted(select) {
                Some(plan) => Ok(SelectPlan::Count(self.context.arena.alloc(plan))),
                None => self.plan_aggregate(select, request.needs_columns),
            };
        }
        if select.is_aggregate {
            // Constant terms, which order nothing, direct the groups, too.
            let terms = directed_like(self.context.arena, select.group_by, request.order_by);
            return self.plan_groups(select, terms, order_by, "GROUP BY", request);
        }
        if select.distinct && is_order_of_result(select, order_by) {
            // Rows grouped by the result columns come in their order.
            let arena = self.context.arena;
            let group_by = distinct_terms(arena, select.columns);
            let grouped = arena.alloc(Select { distinct: false, is_aggregate: true, group_by, ..*select });
            let terms = directed_like(arena, group_by, order_by);
            return self.plan_groups(grouped, terms, order_by, "DISTINCT", request);
        }
        self.plan_plain(select, order_by, request)
    }

    fn plan_plain(
        &mut self,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        request: SelectRequest<'a>,
    ) -> Result<SelectPlan<'a>> {
        let from = self.plan_from(plain_request(select, order_by, request))?;
        let sorting = sorting_of(from.join, order_by);
        let is_distinct = from.join.distinct != crate::access::DistinctPlan::Nothing;
        self.context.enter_loops(from.join.rows);
        let queries = self.plan_row(ResultRow {
            columns: select.columns,
            order_by: if sorting == Sorting::Nothing { &[] } else { order_by },
            distinct: is_distinct,
            needs_columns: request.needs_columns || is_distinct,
            known: &[],
        });
        self.context.leave_loops(from.join.rows);
        let plan = PlainPlan { select, order_by, sorting, queries: queries?, from };
        Ok(SelectPlan::Plain(self.context.arena.alloc(plan)))
    }

    fn plan_aggregate(&mut self, select: &'a Select<'a>, needs_columns: bool) -> Result<SelectPlan<'a>> {
        let extreme = single_extreme(self.context.arena, select);
        let request = select_request(select, extreme.map_or(WantedOrder::Any, WantedOrder::MinMax));
        let request = match single_distinct(select) {
            Some(args) => JoinRequest { result: args, distinct: true, is_aggregated: true, ..request },
            None => request,
        };
        let from = self.plan_from(request)?;
        let distinct = if request.distinct { from.join.distinct } else { DistinctPlan::Remember };
        self.context.enter_loops(from.join.rows);
        let step_queries = self.plan_steps(select);
        self.context.leave_loops(from.join.rows);
        let columns = if needs_columns { select.columns } else { &[] };
        let queries = self.plan_exprs(select.having.iter().chain(columns), &[])?;
        let extreme = extreme.filter(|_| from.join.in_order);
        let plan = AggregatePlan { select, extreme, distinct, step_queries: step_queries?, queries, from };
        Ok(SelectPlan::Aggregate(self.context.arena.alloc(plan)))
    }

    fn plan_groups(
        &mut self,
        select: &'a Select<'a>,
        terms: &'a [OrderTerm<'a>],
        order_by: &'a [OrderTerm<'a>],
        clause: &'static str,
        wanted: SelectRequest<'a>,
    ) -> Result<SelectPlan<'a>> {
        // ORDER BY has the same terms as GROUP BY: groups in the order of `terms` meet it.
        let orders_groups = is_order_of(select, terms, order_by);
        let behind = if orders_groups { order_by } else { &[] };
        let request = JoinRequest {
            groups_are_distinct: clause == "DISTINCT",
            ..select_request(select, WantedOrder::GroupBy(terms, behind))
        };
        let request = match self.distinct_in_groups(select, terms) {
            Some(result) => JoinRequest { result, distinct: true, is_aggregated: true, ..request },
            None => request,
        };
        let from = self.plan_from(request)?;
        let join = from.join;
        // A sorter gives the groups in the order of ORDER BY; loops in which equal rows are adjacent may give them in
        // another order.
        let is_ordered = orders_groups && (!join.in_order || join.order_by_met);
        let order_by = if is_ordered { &[] } else { order_by };
        let may_end_early = wanted.may_end_early() && order_by.is_empty();
        let grouping = self.grouping(select, terms, join, may_end_early)?;

        self.context.enter_loops(join.rows);
        let term_queries = self.plan_exprs(terms.iter().map(|term| &term.expr), &[]);
        let steps_in_loops = if grouping == Grouping::Sorted { Ok(&[][..]) } else { self.plan_steps(select) };
        self.context.leave_loops(join.rows);
        let step_queries = if grouping == Grouping::Sorted { self.plan_steps(select) } else { steps_in_loops };

        let known = terms_known(select, terms, grouping);
        let having = self.plan_exprs(&select.having, &known)?;
        let needs_columns = wanted.needs_columns;
        let row =
            ResultRow { columns: select.columns, order_by, distinct: select.distinct, needs_columns, known: &known };
        let queries = self.plan_row(row)?;
        let queries = match having {
            [] => queries,
            having => self.context.arena.alloc_slice_copy(&[having, queries].concat()),
        };
        let plan = GroupPlan {
            select,
            terms,
            clause,
            grouping,
            distinct: match join.distinct {
                DistinctPlan::ComparePrevious if grouping != Grouping::Streamed => DistinctPlan::Remember,
                plan if request.distinct && follows_groups(select, terms) => plan,
                _ => DistinctPlan::Remember,
            },
            order_by,
            term_queries: term_queries?,
            step_queries: step_queries?,
            queries,
            from,
        };
        Ok(SelectPlan::Group(self.context.arena.alloc(plan)))
    }

    /// How the rows of a group are brought together. A hash table holds the groups if the state of each is small and has a fixed size;
    /// rows of groups for which the table has no space are sorted.
    fn grouping(
        &self,
        select: &Select<'a>,
        terms: &[OrderTerm<'a>],
        join: &JoinPlan<'a>,
        may_end_early: bool,
    ) -> Result<Grouping> {
        if join.in_order || join.one_row {
            return Ok(Grouping::Streamed);
        }
        // A function that fails for a row of a group that nobody asks for must not be called.
        let is_called = |call: &Aggregate<'a>| call.args.iter().chain(&call.filter).any(calls_function);
        if may_end_early && select.aggregates.iter().any(|call| is_called(call)) {
            return Ok(Grouping::Sorted);
        }
        // Of a term and an argument that fail, the term comes first, in whatever rows.
        let fails_in_step = |call: &Aggregate<'a>| call.args.iter().chain(&call.filter).any(may_fail);
        if terms.iter().any(|term| may_fail(&term.expr)) && select.aggregates.iter().any(|call| fails_in_step(call)) {
            return Ok(Grouping::Sorted);
        }
        if !select.aggregates.iter().all(|call| is_small(call)) {
            return Ok(Grouping::Sorted);
        }
        for term in terms {
            // A collation of the application only compares; it cannot hash.
            if matches!(self.context.env.collation(term.collation)?, Collation::Custom(_)) {
                return Ok(Grouping::Sorted);
            }
        }
        Ok(Grouping::Hashed)
    }

    /// The queries in the arguments of a SELECT's aggregates.
    fn plan_steps(&mut self, select: &'a Select<'a>) -> Result<ExprQueries<'a>> {
        self.walk_exprs(&[], |walk| {
            for call in select.aggregates {
                let terms = call.order_by.iter().map(|term| &term.expr);
                call.filter.iter().chain(call.args).chain(terms).try_for_each(|expr| walk.expr(expr))?;
            }
            Ok(())
        })
    }

    /// The queries in the expressions of a row: first the terms of a sorter, then the columns that are not among them.
    pub(crate) fn plan_row(&mut self, row: ResultRow<'_, 'a>) -> Result<ExprQueries<'a>> {
        let ResultRow { columns, order_by, distinct, needs_columns, known } = row;
        self.walk_exprs(known, |walk| {
            if order_by.is_empty() || distinct {
                if needs_columns {
                    columns.iter().try_for_each(|column| walk.expr(column))?;
                }
                let others = order_by.iter().filter(|term| term.output.is_none());
                return others.map(|term| &term.expr).try_for_each(|expr| walk.expr(expr));
            }
            order_by.iter().try_for_each(|term| walk.expr(&term.expr))?;
            let is_term = |at: usize| order_by.iter().any(|term| term.output == Some(at as u16));
            let others = columns.iter().enumerate().filter(|(at, _)| !is_term(*at));
            others.map(|(_, column)| column).try_for_each(|column| walk.expr(column))
        })
    }
}

/// The terms of GROUP BY whose values a group has. For streamed rows, a column has the value of the row added last; with min() or max(),
/// that of the row with the result.
fn terms_known<'a>(select: &Select<'a>, terms: &[OrderTerm<'a>], grouping: Grouping) -> Vec<Expr<'a>> {
    terms.iter().map(|term| term.expr).filter(|expr| keeps_term(select, expr, grouping)).collect()
}

/// Whether the value of a GROUP BY term is kept for the result of its group.
pub fn keeps_term(select: &Select<'_>, term: &Expr<'_>, grouping: Grouping) -> bool {
    let is_bare = grouping == Grouping::Streamed && matches!(term, Expr::Column(_));
    !is_bare && !are_from_extreme_row(select)
}

fn calls_function(expr: &Expr<'_>) -> bool {
    any(expr, &mut |part| matches!(part, Expr::Function(_)))
}

/// Whether the states of a call for many groups can stand side by side.
fn is_small(call: &Aggregate<'_>) -> bool {
    // The code of a query is emitted only once.
    let is_query =
        |expr: &Expr<'_>| matches!(expr, Expr::Subquery(_) | Expr::SubqueryColumn(..) | Expr::Exists(..) | Expr::In(_));
    let has_query = |expr: &Expr<'_>| any(expr, &mut |part| is_query(part));
    matches!(call.function.name(), "count" | "sum" | "total" | "avg" | "min" | "max")
        && call.function.is_builtin()
        && !call.distinct
        && call.order_by.is_empty()
        && !call.args.iter().chain(&call.filter).any(has_query)
}

/// The request for the join of a plain SELECT.
fn plain_request<'a>(
    select: &'a Select<'a>,
    order_by: &'a [OrderTerm<'a>],
    request: SelectRequest<'a>,
) -> JoinRequest<'a> {
    let order = if order_by.is_empty() { WantedOrder::Any } else { WantedOrder::OrderBy(order_by) };
    JoinRequest {
        result: select.columns,
        distinct: select.distinct,
        row_limit: request.row_limit,
        limit: request.limit.filter(|_| !select.distinct),
        ..select_request(select, order)
    }
}

impl<'a> Planner<'a> {
    /// The terms of GROUP BY and the argument of the only aggregate, if it has DISTINCT: an index can make rows that are equal in all of
    /// these adjacent.
    fn distinct_in_groups(&self, select: &Select<'a>, terms: &[OrderTerm<'a>]) -> Option<&'a [Expr<'a>]> {
        let args = single_distinct_argument(select)?;
        let exprs = terms.iter().map(|term| term.expr).chain(args.iter().copied());
        Some(bumpalo::collections::Vec::from_iter_in(exprs, self.context.arena).into_bump_slice())
    }
}

/// The argument of the only aggregate, if it has DISTINCT.
fn single_distinct_argument<'a>(select: &Select<'a>) -> Option<&'a [Expr<'a>]> {
    let [first, others @ ..] = select.aggregates else { return None };
    // Written twice, it is one aggregate.
    let is_only = first.distinct && first.args.len() == 1 && others.iter().all(|other| same_aggregate(first, other));
    is_only.then_some(first.args)
}

/// Whether equal arguments of the only aggregate can be adjacent within groups. A term of GROUP BY counts, in SQLite, as one more term of the
/// order, and does not follow it; neither does any argument where the groups' order descends, though it makes the sorter cheaper.
fn follows_groups<'a>(select: &Select<'a>, terms: &[OrderTerm<'a>]) -> bool {
    let is_term = |arg: &Expr<'a>| terms.iter().any(|term| term.descending || same(&term.expr, arg));
    !single_distinct_argument(select).is_some_and(|args| is_term(&args[0]))
}

/// The argument of the only aggregate, if it has DISTINCT and no bare column is used: an index can make equal arguments adjacent.
fn single_distinct<'a>(select: &'a Select<'a>) -> Option<&'a [Expr<'a>]> {
    let args = single_distinct_argument(select)?;
    bare_columns(select, &[], true).is_empty().then_some(args)
}

/// What remains to be sorted, given the order of the join's rows.
fn sorting_of(join: &JoinPlan<'_>, order_by: &[OrderTerm<'_>]) -> Sorting {
    if order_by.is_empty() || join.in_order || join.one_row {
        Sorting::Nothing
    } else {
        Sorting::Blocks(join.ordered_terms.min(order_by.len()))
    }
}

/// The columns as terms of an order in which equal rows are adjacent.
pub fn distinct_terms<'a>(arena: &'a Bump, columns: &[Expr<'a>]) -> &'a [OrderTerm<'a>] {
    let term = |(at, expr): (usize, &Expr<'a>)| OrderTerm {
        expr: *expr,
        collation: collation_of(expr).unwrap_or_default(),
        descending: false,
        nulls_opposite: false,
        output: Some(at as u16),
    };
    arena.alloc_slice_fill_iter(columns.iter().enumerate().map(term))
}

fn select_request<'a>(select: &'a Select<'a>, order: WantedOrder<'a>) -> JoinRequest<'a> {
    JoinRequest {
        order,
        result_width: select.columns.len(),
        allows_coroutine: !select.is_update,
        ..JoinRequest::of_rows(select.sources, select.terms, Purpose::Read)
    }
}

/// Whether ORDER BY names the result columns, all of them, one after the other, with NULLs where the direction puts them.
fn is_order_of_result<'a>(select: &Select<'a>, order_by: &[OrderTerm<'a>]) -> bool {
    let is_same = |(at, (term, column)): (usize, (&OrderTerm<'a>, &Expr<'a>))| {
        let is_it = !has_collate(term) || term.output.is_some_and(|of| usize::from(of) == at);
        same(&term.expr, column) && is_it && !term.nulls_opposite
    };
    order_by.len() == select.columns.len() && order_by.iter().zip(select.columns).enumerate().all(is_same)
}

/// Whether the term has a COLLATE: for SQLite, a COLLATE in the clause differs from one in the result column that the clause names by
/// number.
fn has_collate(term: &OrderTerm<'_>) -> bool {
    matches!(term.expr, Expr::Collate(..))
}

/// GROUP BY in the directions of an ORDER BY with as many terms. If the terms are the same, nothing has to be sorted again. If
/// they are not, groups that tie in ORDER BY come in these directions, as SQLite's do: `GROUP BY x ORDER BY count(*) DESC` shows the
/// greatest x first.
fn directed_like<'a>(
    arena: &'a Bump,
    group_by: &'a [OrderTerm<'a>],
    order_by: &[OrderTerm<'a>],
) -> &'a [OrderTerm<'a>] {
    if group_by.len() != order_by.len() {
        return group_by;
    }
    let directed =
        |(group, order): (&OrderTerm<'a>, &OrderTerm<'a>)| OrderTerm { descending: order.descending, ..*group };
    arena.alloc_slice_fill_iter(group_by.iter().zip(order_by).map(directed))
}

/// Whether groups in the order of `terms` are in the order of ORDER BY.
fn is_order_of<'a>(select: &Select<'a>, terms: &[OrderTerm<'a>], order_by: &[OrderTerm<'a>]) -> bool {
    let names_column = |term: &OrderTerm<'a>| {
        let column = term.output.and_then(|at| select.columns.get(usize::from(at)));
        column.is_some_and(|column| same(column, &term.expr))
    };
    let is_same = |(group, order): (&OrderTerm<'a>, &OrderTerm<'a>)| {
        same(&group.expr, &order.expr)
            && group.collation == order.collation
            && group.descending == order.descending
            && group.nulls_opposite == order.nulls_opposite
            && (!has_collate(group) || names_column(group) == names_column(order))
    };
    !order_by.is_empty() && terms.len() == order_by.len() && terms.iter().zip(order_by).all(is_same)
}

/// ORDER BY, unless there is one row. (As in SQLite, terms that are the same for all rows are sorted by, too: all rows are read before the
/// first is returned.)
fn useful_order<'a>(order_by: &'a [OrderTerm<'a>], select: &Select<'a>) -> &'a [OrderTerm<'a>] {
    let is_single_row = select.is_aggregate && select.group_by.is_empty();
    if is_single_row { &[] } else { order_by }
}

/// The order for a single min() or max(), in which the first row decides.
fn single_extreme<'a>(arena: &'a Bump, select: &'a Select<'a>) -> Option<&'a OrderTerm<'a>> {
    let [call] = select.aggregates else { return None };
    let is_max = extreme(call)?;
    // As in SQLite, not beside HAVING: its bare columns are those of the row that is found first in a scan.
    if call.filter.is_some() || select.having.is_some() {
        return None;
    }
    Some(arena.alloc(OrderTerm {
        expr: call.args[0],
        collation: call.collation,
        descending: is_max,
        // NULLs come last.
        nulls_opposite: !is_max && !is_rowid_of_inner_source(select, &call.args[0]),
        output: None,
    }))
}

/// Whether the expression is the rowid of a source whose rows no outer join fills with NULLs.
fn is_rowid_of_inner_source(select: &Select<'_>, expr: &Expr<'_>) -> bool {
    let is_inner = |source: &Source<'_>| matches!(source.join, JoinKind::Inner | JoinKind::Cross);
    matches!(expr, Expr::Column(column) if column.index.is_rowid()) && select.sources.iter().all(is_inner)
}

/// The tree to count, if the query only counts the rows of a table.
fn counted<'a>(select: &'a Select<'a>) -> Option<CountPlan<'a>> {
    let ([source], [Expr::Aggregate(call)], [], None) = (select.sources, select.columns, select.terms, &select.having)
    else {
        return None;
    };
    let SourceKind::Table(db, table) = source.kind else { return None };
    let is_count = call.function.is_builtin()
        && call.function.name() == "count"
        && call.args.is_empty()
        && call.filter.is_none()
        && select.aggregates.iter().any(|own| own.id == call.id);
    let is_tree = matches!(table.kind, TableKind::Ordinary | TableKind::WithoutRowid);
    let index = match source.indexed {
        Indexed::Not => None,
        // As in SQLite, which does not look at the name here.
        Indexed::Any | Indexed::By(_) => smallest_index(table),
    };
    (is_count && is_tree).then_some(CountPlan { source, db, table, index })
}
