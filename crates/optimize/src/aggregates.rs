//! The aggregates of a SELECT, and the columns of its sources that are used inside and outside of them.
//!
//! A column that is neither grouped by nor inside an aggregate is *bare*.

use lithe_resolve::ir::{
    Aggregate, Child, Column, Expr, OrderTerm, Query, Select, for_each_child, for_each_in_query, same,
};

/// Whether the call is min() (`false`) or max() (`true`).
pub fn extreme(call: &Aggregate<'_>) -> Option<bool> {
    match call.function.name() {
        "min" if call.function.is_builtin() => Some(false),
        "max" if call.function.is_builtin() => Some(true),
        _ => None,
    }
}

/// Whether GROUP BY terms are shown as in the row with the result of min() or max(), because equal values can differ.
pub(crate) fn are_from_extreme_row(select: &Select<'_>) -> bool {
    select.aggregates.iter().any(|call| extreme(call).is_some())
}

/// The columns of the SELECT's own sources that it uses outside its aggregates and GROUP BY terms. `keeps_terms`: terms that are
/// no columns are kept as a whole, so their columns do not count either.
pub fn bare_columns<'a>(
    select: &'a Select<'a>,
    order_by: &'a [OrderTerm<'a>],
    keeps_terms: bool,
) -> Vec<&'a Column<'a>> {
    let mut found = Vec::new();
    let keeps_any = !are_from_extreme_row(select);
    let is_kept = |expr: &Expr<'a>| {
        let is_own = matches!(expr, Expr::Aggregate(call) if select.aggregates.iter().any(|own| own.id == call.id));
        let is_term = |term: &OrderTerm<'a>| same(&term.expr, expr);
        let may_keep = keeps_any && (keeps_terms || !matches!(expr, Expr::Column(_)));
        is_own || may_keep && select.group_by.iter().any(is_term)
    };
    let shown = select.columns.iter().chain(&select.having).chain(order_by.iter().map(|term| &term.expr));
    shown.for_each(|expr| collect_columns(expr, select, &is_kept, &mut found));
    found
}

/// The columns of the SELECT's own sources that its aggregates use.
pub fn aggregate_columns<'a>(select: &'a Select<'a>) -> Vec<&'a Column<'a>> {
    let mut found = Vec::new();
    for call in select.aggregates {
        let exprs = call.args.iter().chain(&call.filter).chain(call.order_by.iter().map(|term| &term.expr));
        exprs.for_each(|expr| collect_columns(expr, select, &|_| false, &mut found));
    }
    found
}

/// Adds the columns of the SELECT's own sources in `expr`, nested queries included, but not those inside the
/// expressions `kept` as a whole.
pub fn collect_columns<'a>(
    expr: &Expr<'a>,
    select: &'a Select<'a>,
    is_kept: &dyn Fn(&Expr<'a>) -> bool,
    found: &mut Vec<&'a Column<'a>>,
) {
    if is_kept(expr) {
        return;
    }
    if let Expr::Column(column) = expr {
        let is_known = found.iter().any(|known| known.is_same(column));
        if !is_known && select.position(column.source).is_some() {
            found.push(column);
        }
        return;
    }
    for_each_child(expr, &mut |child| match child {
        Child::Expr(operand) => collect_columns(operand, select, is_kept, found),
        Child::Query(query) => collect_in_query(query, select, is_kept, found),
    });
}

fn collect_in_query<'a>(
    query: &'a Query<'a>,
    select: &'a Select<'a>,
    is_kept: &dyn Fn(&Expr<'a>) -> bool,
    found: &mut Vec<&'a Column<'a>>,
) {
    if query.outer.is_empty() {
        return;
    }
    for_each_in_query(query, &mut |child| match child {
        Child::Expr(expr) => collect_columns(expr, select, is_kept, found),
        Child::Query(query) => collect_in_query(query, select, is_kept, found),
    });
}
