//! Preparing resolved statements for planning: the queries in them are rewritten, and the columns that they use are
//! recorded before joins are planned.

use lithe_resolve::ir::{Derived, Expr, Source, SourceKind, Term};
use lithe_resolve::{Assigned, InsertRows, ResolvedChange, ResolvedInsert, ResolvedUpsert, Returning, UpsertSet};

use crate::planner::Planner;

/// Prepares an INSERT.
pub(super) fn insert<'a>(planner: &mut Planner<'a>, insert: &mut ResolvedInsert<'a>) {
    insert.rows = match insert.rows {
        InsertRows::Default => InsertRows::Default,
        InsertRows::Values(values) => InsertRows::Values(prepare_exprs(planner, values)),
        InsertRows::Query(query) => InsertRows::Query(planner.prepare_query(query)),
    };
    insert.returning = insert.returning.map(|clause| prepare_returning(planner, clause));
    if insert.upserts.is_empty() {
        return;
    }
    let mut upserts = bumpalo::collections::Vec::with_capacity_in(insert.upserts.len(), planner.context.arena);
    for clause in insert.upserts {
        let update = clause.update.map(|update| UpsertSet {
            set: prepare_set(planner, update.set),
            filter: update.filter.map(|filter| planner.prepare_expr(&filter)),
        });
        upserts.push(ResolvedUpsert { update, ..*clause });
    }
    insert.upserts = upserts.into_bump_slice();
}

/// Prepares an UPDATE or DELETE.
pub(super) fn change<'a>(planner: &mut Planner<'a>, change: &mut ResolvedChange<'a>) {
    match change.gathered {
        // This query has all parts. As they are written, they would count as uses of columns that it does not read.
        Some(query) => change.gathered = Some(planner.prepare_query(query)),
        None => prepare_parts(planner, change),
    }
    change.returning = change.returning.map(|clause| prepare_returning(planner, clause));
}

fn prepare_parts<'a>(planner: &mut Planner<'a>, change: &mut ResolvedChange<'a>) {
    change.terms = prepare_each(planner, change.terms, |term| &term.expr, |term, expr| Term { expr, ..*term });
    // The query of a view that is changed becomes part of another query.
    if change.target.table.view().is_none() {
        change.sources = prepare_sources(planner, change.sources);
    }
    change.set = prepare_set(planner, change.set);
}

fn prepare_sources<'a>(planner: &mut Planner<'a>, sources: &'a [Source<'a>]) -> &'a [Source<'a>] {
    if !sources.iter().any(|source| matches!(source.kind, SourceKind::Subquery(_))) {
        return sources;
    }
    let arena = planner.context.arena;
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(sources.len(), arena);
    for source in sources {
        prepared.push(match source.kind {
            SourceKind::Subquery(derived) => {
                let query = planner.prepare_query(derived.query);
                Source { kind: SourceKind::Subquery(arena.alloc(Derived { query, ..*derived })), ..*source }
            }
            _ => *source,
        });
    }
    prepared.into_bump_slice()
}

fn prepare_returning<'a>(planner: &mut Planner<'a>, clause: Returning<'a>) -> Returning<'a> {
    Returning { exprs: prepare_exprs(planner, clause.exprs), ..clause }
}

fn prepare_set<'a>(planner: &mut Planner<'a>, set: &'a [Assigned<'a>]) -> &'a [Assigned<'a>] {
    prepare_each(planner, set, |assigned| &assigned.value, |assigned, value| Assigned { value, ..*assigned })
}

fn prepare_exprs<'a>(planner: &mut Planner<'a>, exprs: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
    prepare_each(planner, exprs, |expr| expr, |_, expr| expr)
}

/// Prepares the expression in each item. Without nested queries nothing is rewritten, and only the used columns are recorded.
fn prepare_each<'a, T>(
    planner: &mut Planner<'a>,
    items: &'a [T],
    expr_of: impl Fn(&T) -> &Expr<'a>,
    with: impl Fn(&T, Expr<'a>) -> T,
) -> &'a [T] {
    if !planner.context.resolver.has_nested_queries() {
        items.iter().for_each(|item| planner.context.note_expr(expr_of(item)));
        return items;
    }
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(items.len(), planner.context.arena);
    for item in items {
        let expr = planner.prepare_expr(expr_of(item));
        prepared.push(with(item, expr));
    }
    prepared.into_bump_slice()
}
