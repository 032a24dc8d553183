//! How one SELECT is run: what its join is asked for, and what is left to be done to the rows.
//!
//! ```text
//!   Select, ORDER BY ──▶ SelectPlan     which kind of SELECT it is, decided by the tree alone
//!                            │ join request
//!                            ▼
//!                        JoinPlan ──▶ GroupPlan, Sorting, DistinctPlan: what the order of the rows leaves to do
//! ```

use lithe_base::Db;
use lithe_catalog::{Index, Table, TableKind};
use lithe_resolve::ir::{
    Aggregate, Expr, Indexed, Limit, OrderTerm, Select, SourceKind, collation_of, is_constant, same,
};

use crate::access::{JoinPlan, JoinRequest, PlanContext, Purpose, WantedOrder};

/// How a SELECT is run.
#[derive(Clone, Copy, Debug)]
pub enum SelectPlan<'a> {
    /// It has window functions: a SELECT without them gives the rows that they see.
    Windows {
        /// The terms of ORDER BY that are not the same for all rows.
        order_by: &'a [OrderTerm<'a>],
    },
    /// `SELECT count(*) FROM t`: counted from the pages, no row is visited.
    Count(CountPlan<'a>),
    /// Aggregates without GROUP BY: all rows are one group.
    Aggregate(AggregateRequest<'a>),
    /// GROUP BY, or DISTINCT with an ORDER BY of the very same columns.
    Group(GroupRequest<'a>),
    /// Each row of the join is one of the result, if DISTINCT does not drop it.
    Plain {
        /// The terms of ORDER BY that are not the same for all rows.
        order_by: &'a [OrderTerm<'a>],
    },
}

/// A tree whose entries are counted.
#[derive(Clone, Copy, Debug)]
pub struct CountPlan<'a> {
    /// The database.
    pub db: Db,
    /// The table.
    pub table: &'a Table,
    /// An index with fewer pages than the table.
    pub index: Option<&'a Index>,
}

/// Aggregates without GROUP BY.
#[derive(Clone, Copy, Debug)]
pub struct AggregateRequest<'a> {
    /// The order in which the first row decides: when the only aggregate is min() or max().
    pub extreme: Option<&'a OrderTerm<'a>>,
}

/// Groups.
#[derive(Clone, Copy, Debug)]
pub struct GroupRequest<'a> {
    /// The SELECT, with a GROUP BY.
    pub select: &'a Select<'a>,
    /// GROUP BY, in the directions of an ORDER BY with as many terms.
    pub terms: &'a [OrderTerm<'a>],
    /// ORDER BY.
    pub order_by: &'a [OrderTerm<'a>],
    /// ORDER BY has the same terms as GROUP BY: groups in the order of `terms` meet it.
    pub orders_groups: bool,
    /// What the statement calls it.
    pub clause: &'static str,
}

/// What is left to do for groups once the join is planned.
#[derive(Clone, Copy, Debug)]
pub struct GroupPlan<'a> {
    /// The loops bring the rows of a group together.
    pub is_streamed: bool,
    /// The ORDER BY that the order of the groups does not meet.
    pub order_by: &'a [OrderTerm<'a>],
}

/// What ORDER BY has to do once the join is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorting {
    /// Nothing: the rows come in its order.
    Nothing,
    /// Sort rows that are equal in the first terms, of which there are so many, among themselves. With none, sort all rows.
    Blocks(usize),
}

impl<'a> SelectPlan<'a> {
    /// Decides how the SELECT is run.
    pub fn of(context: &PlanContext<'a>, select: &'a Select<'a>, order_by: &'a [OrderTerm<'a>]) -> SelectPlan<'a> {
        let order_by = useful_order(order_by, select);
        if !select.windows.is_empty() {
            return SelectPlan::Windows { order_by };
        }
        if select.is_aggregate && select.group_by.is_empty() {
            return match counted(select) {
                Some(plan) => SelectPlan::Count(plan),
                None => SelectPlan::Aggregate(AggregateRequest { extreme: single_extreme(context, select) }),
            };
        }
        if select.is_aggregate {
            return SelectPlan::Group(GroupRequest::of(context, select, order_by, "GROUP BY"));
        }
        if select.distinct && is_order_of_result(select, order_by) {
            // What is grouped by the result columns comes in their order.
            let group_by = distinct_terms(context, select.columns);
            let grouped = Select { distinct: false, is_aggregate: true, group_by, ..*select };
            return SelectPlan::Group(GroupRequest::of(context, context.arena.alloc(grouped), order_by, "DISTINCT"));
        }
        SelectPlan::Plain { order_by }
    }
}

impl<'a> AggregateRequest<'a> {
    /// What the join is asked for.
    pub fn join(&self, select: &'a Select<'a>) -> JoinRequest<'a> {
        select_request(select, self.extreme.map_or(WantedOrder::Any, WantedOrder::MinMax))
    }
}

impl<'a> GroupRequest<'a> {
    fn of(
        context: &PlanContext<'a>,
        select: &'a Select<'a>,
        order_by: &'a [OrderTerm<'a>],
        clause: &'static str,
    ) -> GroupRequest<'a> {
        let terms = directed_like(context, select.group_by, order_by);
        GroupRequest { select, terms, order_by, orders_groups: is_order_of(terms, order_by), clause }
    }

    /// What the join is asked for.
    pub fn join(&self) -> JoinRequest<'a> {
        let behind = if self.orders_groups { self.order_by } else { &[] };
        select_request(self.select, WantedOrder::GroupBy(self.terms, behind))
    }

    /// What is left to do.
    pub fn plan(&self, join: &JoinPlan<'a>) -> GroupPlan<'a> {
        // A sorter has the groups in the order of ORDER BY; loops that bring equal rows together may have them in another.
        let is_ordered = self.orders_groups && (!join.in_order || join.order_by_met || join.one_row);
        GroupPlan { is_streamed: join.in_order || join.one_row, order_by: if is_ordered { &[] } else { self.order_by } }
    }
}

/// What the join of a plain SELECT is asked for. No more than `row_limit` of its rows are wanted; `limit` says so where a virtual table may be
/// told.
pub fn plain_request<'a>(
    select: &'a Select<'a>,
    order_by: &'a [OrderTerm<'a>],
    row_limit: Option<u64>,
    limit: Option<&'a Limit<'a>>,
) -> JoinRequest<'a> {
    let order = if order_by.is_empty() { WantedOrder::Any } else { WantedOrder::OrderBy(order_by) };
    JoinRequest {
        result: select.columns,
        distinct: select.distinct,
        row_limit,
        limit: limit.filter(|_| !select.distinct),
        ..select_request(select, order)
    }
}

/// What the order of the join's rows leaves to ORDER BY.
pub fn sorting_of(join: &JoinPlan<'_>, order_by: &[OrderTerm<'_>]) -> Sorting {
    if order_by.is_empty() || join.in_order || join.one_row {
        Sorting::Nothing
    } else {
        Sorting::Blocks(join.ordered_terms.min(order_by.len()))
    }
}

/// The columns as terms that bring equal rows together.
pub fn distinct_terms<'a>(context: &PlanContext<'a>, columns: &[Expr<'a>]) -> &'a [OrderTerm<'a>] {
    let term = |(at, expr): (usize, &Expr<'a>)| OrderTerm {
        expr: *expr,
        collation: collation_of(expr).unwrap_or_default(),
        descending: false,
        nulls_opposite: false,
        output: Some(at as u16),
    };
    bumpalo::collections::Vec::from_iter_in(columns.iter().enumerate().map(term), context.arena).into_bump_slice()
}

/// Whether the call is min() (`false`) or max() (`true`).
pub fn extreme(call: &Aggregate<'_>) -> Option<bool> {
    match call.function.name() {
        "min" if call.function.is_builtin() => Some(false),
        "max" if call.function.is_builtin() => Some(true),
        _ => None,
    }
}

fn select_request<'a>(select: &'a Select<'a>, order: WantedOrder<'a>) -> JoinRequest<'a> {
    JoinRequest {
        order,
        result_width: select.columns.len(),
        ..JoinRequest::of_rows(select.sources, select.terms, Purpose::Read)
    }
}

/// Whether ORDER BY names the result columns, all of them, one after the other.
fn is_order_of_result<'a>(select: &Select<'a>, order_by: &[OrderTerm<'a>]) -> bool {
    let is_same = |(term, column): (&OrderTerm<'a>, &Expr<'a>)| same(&term.expr, column);
    order_by.len() == select.columns.len() && order_by.iter().zip(select.columns).all(is_same)
}

/// GROUP BY in the directions of an ORDER BY with as many terms. If the terms are the same, nothing has to be sorted again. If
/// they are not, groups that tie in ORDER BY come in these directions, as SQLite's do: `GROUP BY x ORDER BY count(*) DESC` shows the
/// greatest x first.
fn directed_like<'a>(
    context: &PlanContext<'a>,
    group_by: &'a [OrderTerm<'a>],
    order_by: &[OrderTerm<'a>],
) -> &'a [OrderTerm<'a>] {
    if group_by.len() != order_by.len() {
        return group_by;
    }
    let directed =
        |(group, order): (&OrderTerm<'a>, &OrderTerm<'a>)| OrderTerm { descending: order.descending, ..*group };
    context.arena.alloc_slice_fill_iter(group_by.iter().zip(order_by).map(directed))
}

/// Whether groups that come in the order of `terms` come in that of ORDER BY.
fn is_order_of(terms: &[OrderTerm<'_>], order_by: &[OrderTerm<'_>]) -> bool {
    let is_same = |(group, order): (&OrderTerm<'_>, &OrderTerm<'_>)| {
        same(&group.expr, &order.expr)
            && group.collation == order.collation
            && group.descending == order.descending
            && group.nulls_opposite == order.nulls_opposite
    };
    !order_by.is_empty() && terms.len() == order_by.len() && terms.iter().zip(order_by).all(is_same)
}

/// ORDER BY without the terms that are the same for all rows.
fn useful_order<'a>(order_by: &'a [OrderTerm<'a>], select: &Select<'a>) -> &'a [OrderTerm<'a>] {
    let is_single_row = select.is_aggregate && select.group_by.is_empty();
    if is_single_row || order_by.iter().all(|term| is_constant(&term.expr)) { &[] } else { order_by }
}

/// The order in which the first row decides.
fn single_extreme<'a>(context: &PlanContext<'a>, select: &'a Select<'a>) -> Option<&'a OrderTerm<'a>> {
    let [call] = select.aggregates else { return None };
    let is_max = extreme(call)?;
    if call.filter.is_some() {
        return None;
    }
    Some(context.arena.alloc(OrderTerm {
        expr: call.args[0],
        collation: call.collation,
        descending: is_max,
        nulls_opposite: false,
        output: None,
    }))
}

/// The tree that is counted, when the query does nothing but count the rows of a table.
fn counted<'a>(select: &Select<'a>) -> Option<CountPlan<'a>> {
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
    let counts = is_count && is_tree && matches!(source.indexed, Indexed::Any);
    counts.then(|| CountPlan { db, table, index: smallest_index(table) })
}

/// The index with the fewest columns, if it has fewer than the table: its tree is likely the smallest.
fn smallest_index(table: &Table) -> Option<&Index> {
    let whole = table.indexes.iter().filter(|index| index.filter.is_none() && index.root != table.root);
    let index = whole.min_by_key(|index| index.columns.len())?;
    (index.columns.len() <= table.stored_columns()).then_some(&**index)
}
