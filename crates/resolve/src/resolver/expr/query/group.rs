//! GROUP BY.

use lithe_catalog::{Result, fail};
use lithe_sql::ast;

use super::columns::ResultItem;
use super::order::position_of_term;
use crate::ir::{Aggregate, AggregateId, Child, Expr, OrderTerm, for_each_child, for_each_in_query};
use crate::resolver::Resolver;
use crate::resolver::expr::function::misuse_of_aggregate;
use crate::resolver::expr::resolve_expr;
use crate::resolver::expr::terms::{check_term_count, term_of};
use crate::resolver::scope::Scope;

/// GROUP BY. Aggregates are resolved here only to report an error, which comes after the errors of all terms.
pub(super) fn resolve_group_by<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    terms: &[ast::Expr<'a>],
    items: &[ResultItem<'a>],
) -> Result<&'a [OrderTerm<'a>]> {
    check_term_count(resolver, "GROUP", terms.len())?;
    let mut resolved = bumpalo::collections::Vec::with_capacity_in(terms.len(), resolver.arena);
    for (at, term) in terms.iter().enumerate() {
        let position = position_of_term(resolver, term, at, "GROUP", items.len())?;
        let expr = match position.filter(|_| !resolver.only_names) {
            Some(position) => items[position].expr,
            None => resolve_expr(resolver, scope, term)?,
        };
        resolved.push(OrderTerm { output: position.map(|at| at as u16), ..term_of(expr) });
    }
    if let Some(name) = resolved.iter().find_map(|term| window_in(&term.expr)) {
        return fail(format!("misuse of window function {name}()"));
    }
    refuse_aggregates_in_groups(resolver, scope, terms, &resolved)?;
    misuse_collated_aggregates(resolver, scope, terms, &mut resolved);
    Ok(resolved.into_bump_slice())
}

/// Whether the term is the number of a result column with COLLATE.
fn is_collated_number(written: &ast::Expr<'_>, term: &OrderTerm<'_>) -> bool {
    term.output.is_some() && matches!(written.kind, ast::ExprKind::Collate(..))
}

/// Puts an aggregate that is never computed in the place of one that a number with COLLATE names: as in SQLite, it is misused when the
/// query's code is made, if it is. Of several, the last is reported.
fn misuse_collated_aggregates<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    terms: &[ast::Expr<'a>],
    resolved: &mut [OrderTerm<'a>],
) {
    let known = scope.found.aggregates.borrow();
    let places = terms.iter().zip(resolved.iter_mut()).filter(|(written, term)| is_collated_number(written, term));
    let mut misused: Vec<(&mut OrderTerm<'a>, &'a Aggregate<'a>)> =
        places.filter_map(|(_, term)| first_used(&known, &term.expr).map(|used| (term, used))).collect();
    let Some(&(_, last)) = misused.last() else { return };
    let never: &'a Aggregate<'a> = resolver.arena.alloc(Aggregate { id: AggregateId(u32::MAX), ..*last });
    misused.iter_mut().for_each(|(term, _)| term.expr = Expr::Aggregate(never));
}

/// The error of an aggregate in GROUP BY. An aggregate that is written there, or that an alias or number names, is not allowed; one in an expression
/// by an alias is misused.
fn refuse_aggregates_in_groups<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    terms: &[ast::Expr<'a>],
    resolved: &[OrderTerm<'a>],
) -> Result<()> {
    let known: Vec<&'a Aggregate<'a>> = scope.found.aggregates.borrow().clone();
    let mut misused = None;
    for (written, term) in terms.iter().zip(resolved) {
        if is_collated_number(written, term) {
            continue;
        }
        let Some(aggregate) = first_used(&known, &term.expr) else { continue };
        let is_whole = term.output.is_some() || matches!(written.kind, ast::ExprKind::Column(_));
        let is_written = || resolve_expr(resolver, &scope.with_aliases(&[]), written).is_ok();
        if is_whole || is_written() {
            return fail("aggregate functions are not allowed in the GROUP BY clause");
        }
        misused = misused.or(Some(aggregate));
    }
    misused.map_or(Ok(()), |aggregate| Err(misuse_of_aggregate(aggregate)))
}

/// The first aggregate that the expression or a query in the expression uses.
fn first_used<'a>(known: &[&'a Aggregate<'a>], expr: &Expr<'a>) -> Option<&'a Aggregate<'a>> {
    fn uses(child: Child<'_, '_>, id: AggregateId) -> bool {
        let mut found = false;
        match child {
            Child::Expr(Expr::Aggregate(aggregate)) if aggregate.id == id => return true,
            Child::Expr(expr) => for_each_child(expr, &mut |child| found = found || uses(child, id)),
            Child::Query(query) => for_each_in_query(query, &mut |child| found = found || uses(child, id)),
        }
        found
    }
    known.iter().copied().find(|aggregate| uses(Child::Expr(expr), aggregate.id))
}

/// The name of a window function in an expression.
fn window_in<'a>(expr: &Expr<'a>) -> Option<&'a str> {
    let mut name = None;
    crate::ir::any(expr, &mut |expr| {
        if let Expr::Window(call) = expr {
            name = Some(call.function.name());
        }
        name.is_some()
    });
    name
}
