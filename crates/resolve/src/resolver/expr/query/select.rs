//! One SELECT, from FROM to ORDER BY.

use lithe_catalog::{Result, fail};
use lithe_sql::ast;

use super::SelectPart;
use super::columns::{ResultItem, aliases_of, resolve_result_columns};
use super::from::resolve_from;
use super::group::resolve_group_by;
use super::join::{FromPart, JoinTerms, error_in_on, resolve_join_terms};
use super::order::resolve_order_by;
use super::with::Recursion;
use crate::ir::{
    Aggregate, AndSide, CoreBody, Expr, OrderTerm, Select, Source, SourceKind, Term, TermOrigin, any, sources_of,
    split_and,
};
use crate::resolver::Resolver;
use crate::resolver::expr::window::resolve_window_clause;
use crate::resolver::expr::{or_later_error, resolve_expr};
use crate::resolver::reads::note_tables_without_columns;
use crate::resolver::scope::{Found, Rules, Scope};

/// Resolves a SELECT in SQLite's order, which decides which of several errors is reported, and in which order the authorizer is called:
/// FROM, result columns, HAVING, WHERE with ON, ORDER BY, GROUP BY.
pub(super) fn resolve_select<'a>(
    resolver: &Resolver<'a>,
    outer: &Scope<'_, 'a>,
    query: &ast::Query<'a>,
    order_by: &[ast::OrderTerm<'a>],
    recursion: Option<&Recursion<'_, 'a>>,
) -> Result<SelectPart<'a>> {
    let found = Found::default();
    let from = resolve_from(resolver, outer, query.from, &found, recursion)?;
    let scope = Scope {
        parent: Some(outer),
        sources: &from.scope,
        aliases: &[],
        rules: Rules { aggregates: true, windows: true, ..outer.clause_rules() },
        found: &found,
        windows: query.windows,
        ..*outer
    };
    let items = resolve_result_columns(resolver, &scope, query.columns)?;
    let is_aggregate = !query.group_by.is_empty() || !found.aggregates.borrow().is_empty();
    if let Some(recursion) = recursion {
        check_recursive(recursion, is_aggregate, &found)?;
    }
    if query.having.is_some() && !is_aggregate {
        return fail("HAVING clause on a non-aggregate query");
    }
    let aliases = aliases_of(&items);
    let rules = Rules { aggregates_elsewhere: is_aggregate, in_where: true, ..outer.clause_rules() };
    let conditions = Scope { rules, aliases: &aliases, ..scope };
    let of_columns = found.aggregates.borrow().len();
    let Clauses { having, terms, order_by, group_by } =
        resolve_clauses(resolver, &conditions, query, order_by, &from, &items)?;
    note_tables_without_columns(resolver, &scope, scope.sources);
    if having.is_some() {
        sort_aggregates(&mut found.aggregates.borrow_mut()[of_columns..], order_by);
    }
    let columns = resolver.arena.alloc_slice_fill_iter(items.iter().map(ResultItem::output));
    let exprs = resolver.arena.alloc_slice_fill_iter(items.iter().map(|item| item.expr));
    let body = CoreBody::Select(resolver.arena.alloc(Select {
        distinct: query.distinct,
        columns: exprs,
        sources: resolver.slice(&from.sources),
        terms,
        group_by,
        having,
        aggregates: resolver.slice(&found.aggregates.borrow()),
        is_aggregate,
        windows: resolver.slice(&found.windows.borrow()),
        is_update: false,
        is_complex: is_complex(&from, query.columns),
    }));
    Ok(SelectPart { body, columns, order_by, uses: found.outer.take() })
}

/// Puts the aggregates of ORDER BY before those of HAVING alone, where they are in SQLite. Of several min() and max() the last one decides
/// from which row bare columns are.
fn sort_aggregates<'a>(aggregates: &mut [&'a Aggregate<'a>], order_by: &[OrderTerm<'a>]) {
    let mut sorted = 0;
    for term in order_by {
        any(&term.expr, &mut |part| {
            let left = &mut aggregates[sorted..];
            if let Expr::Aggregate(call) = part
                && let Some(at) = left.iter().position(|known| known.id == call.id)
            {
                left[..=at].rotate_right(1);
                sorted += 1;
            }
            false
        });
    }
}

/// Whether a result column of a SELECT from a single query calls a function or has a query.
fn is_complex(from: &FromPart<'_>, columns: &[ast::ResultColumn<'_>]) -> bool {
    let mut found = false;
    let mut visit = |node: ast::Node<'_, '_>| {
        let ast::Node::Expr(expr) = node else { return };
        found = found
            || match &expr.kind {
                ast::ExprKind::Function(_) | ast::ExprKind::Like(_) | ast::ExprKind::Current(_) => true,
                ast::ExprKind::Exists(_) | ast::ExprKind::Subquery(_) => true,
                ast::ExprKind::In(set) => !matches!(set.set, ast::InSet::List(_)),
                ast::ExprKind::Binary(op, ..) => matches!(op, ast::BinaryOp::Arrow | ast::BinaryOp::DoubleArrow),
                _ => false,
            };
    };
    if let [Source { kind: SourceKind::Subquery(_), .. }] = from.sources[..] {
        for column in columns {
            if let ast::ResultColumnKind::Expr(expr) = &column.kind {
                ast::walk_expr(expr, &mut visit);
            }
        }
    }
    found
}

/// The clauses behind FROM.
struct Clauses<'a> {
    having: Option<Expr<'a>>,
    /// The conditions of WHERE and ON.
    terms: &'a [Term<'a>],
    order_by: &'a [OrderTerm<'a>],
    group_by: &'a [OrderTerm<'a>],
}

/// Resolves the clauses behind FROM in the order of SQLite's errors and authorizer checks. `conditions` is the scope of WHERE.
fn resolve_clauses<'a>(
    resolver: &Resolver<'a>,
    conditions: &Scope<'_, 'a>,
    query: &ast::Query<'a>,
    order_by: &[ast::OrderTerm<'a>],
    from: &FromPart<'a>,
    items: &[ResultItem<'a>],
) -> Result<Clauses<'a>> {
    // A clause that is not there needs no scope.
    let after = || behind_conditions(conditions);
    let having = |having| resolve_expr(resolver, &conditions.with_rules(after()), having);
    let having = || query.having.as_ref().map(having).transpose();
    let terms = || resolve_conditions(resolver, conditions, from, query.filter.as_ref());
    let order = || match order_by {
        [] => Ok(Default::default()),
        order_by => resolve_order_by(resolver, &order_scope(conditions), order_by, items),
    };
    let group_scope = || conditions.with_rules(Rules { aggregates: true, ..after() });
    let group = || match query.group_by {
        [] => Ok(Default::default()),
        group_by => resolve_group_by(resolver, &group_scope(), group_by, items),
    };
    let numbers = &resolver.numbers;
    let (having, of_having) = numbers.counted(having);
    let having = having?;
    let terms = terms()?;
    if resolver.only_names && !query.windows.is_empty() {
        let resolve = || resolve_window_clause(resolver, &order_scope(conditions), query.windows);
        resolver.nesting.outside_source_view(resolve)?;
    }
    // SELECTs are numbered in another order: WHERE, GROUP BY, HAVING, ORDER BY.
    numbers.move_behind(of_having.clone());
    let behind_where = numbers.select_count() - (of_having.end - of_having.start);
    let order_by = order()?;
    let behind_order = numbers.select_count();
    let group_by = group()?;
    numbers.move_behind(behind_where..behind_order);
    Ok(Clauses { having, terms, order_by, group_by })
}

/// The rules of the clauses that may use aggregates.
fn behind_conditions(conditions: &Scope<'_, '_>) -> Rules {
    let is_aggregate = conditions.rules.aggregates_elsewhere;
    Rules { aggregates: is_aggregate, aggregates_elsewhere: true, in_where: false, ..conditions.rules }
}

fn order_scope<'s, 'a>(conditions: &Scope<'s, 'a>) -> Scope<'s, 'a> {
    conditions.with_rules(Rules { windows: true, ..behind_conditions(conditions) })
}

/// The conjuncts of WHERE, ON and USING.
pub(crate) fn resolve_conditions<'a>(
    resolver: &Resolver<'a>,
    scope: &Scope<'_, 'a>,
    from: &FromPart<'a>,
    filter: Option<&ast::Expr<'a>>,
) -> Result<&'a [Term<'a>]> {
    // SQLite resolves ON behind WHERE. That decides the order of errors, of authorizer checks and of the numbers of SELECTs.
    let on = || from.conditions.iter().filter_map(|join| join.on.as_ref());
    let filter = filter.map(|filter| or_later_error(resolver, resolve_expr(resolver, scope, filter), scope, on()));
    let filter = filter.transpose().map_err(|error| on().fold(error, error_in_on))?;
    let joined = resolve_join_terms(resolver, scope, from)?;
    all_conditions(resolver, &from.sources, filter, joined)
}

/// The conjuncts of WHERE, of ON and USING, and the equalities of arguments of functions. They are evaluated in this order where a row has
/// all their columns, and the order decides between plans of equal cost.
pub(crate) fn all_conditions<'a>(
    resolver: &Resolver<'a>,
    sources: &[Source<'a>],
    filter: Option<Expr<'a>>,
    joined: JoinTerms<'a>,
) -> Result<&'a [Term<'a>]> {
    for term in joined.terms.iter().chain(&joined.arguments) {
        check_on_reach(sources, term)?;
    }
    let capacity = joined.terms.len() + joined.arguments.len() + 4;
    let mut terms = bumpalo::collections::Vec::with_capacity_in(capacity, resolver.arena);
    if let Some(filter) = filter {
        split_and(filter, TermOrigin::Where, &mut terms);
    }
    let mut joined_terms = joined.terms;
    if let Some(first) = joined_terms.first_mut().filter(|_| joined.starts_with_one && filter.is_some()) {
        first.side = AndSide::Right;
    }
    terms.extend(joined_terms);
    terms.extend(joined.arguments);
    Ok(terms.into_bump_slice())
}

/// The ON clause of an outer join must not name sources on the right of its own. The ON clause of an inner join may, unless FROM has a RIGHT or
/// FULL JOIN.
fn check_on_reach<'a>(sources: &[Source<'a>], term: &Term<'a>) -> Result<()> {
    let has_right = || sources.iter().any(|source| source.join.keeps_right_rows());
    let of = match term.origin {
        TermOrigin::OuterOn(of) => of,
        TermOrigin::InnerOn(of) if has_right() => of,
        TermOrigin::InnerOn(_) | TermOrigin::Where => return Ok(()),
    };
    let own = sources.iter().take_while(|source| source.id != of).count();
    if sources_of(sources, &term.expr).iter().any(|position| position > own) {
        return fail("ON clause references tables to its right");
    }
    Ok(())
}

fn check_recursive(recursion: &Recursion<'_, '_>, is_aggregate: bool, found: &Found<'_>) -> Result<()> {
    if is_aggregate {
        return fail("recursive aggregate queries not supported");
    }
    if recursion.is_in_last_term() && !found.windows.borrow().is_empty() {
        return fail("cannot use window functions in recursive queries");
    }
    Ok(())
}
