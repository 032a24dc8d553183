//! Resolved statements made ready for code: the queries in them rewritten, and all that they use noted before joins are
//! planned.

use lithe_resolve::ir::{Derived, Expr, Source, SourceKind, Term};
use lithe_resolve::{Assigned, InsertRows, ResolvedChange, ResolvedInsert, ResolvedUpsert, Returning, UpsertSet};

use crate::Codegen;

/// Makes an INSERT ready.
pub(super) fn insert<'a>(cg: &mut Codegen<'a>, insert: ResolvedInsert<'a>) -> ResolvedInsert<'a> {
    let rows = match insert.rows {
        InsertRows::Default => InsertRows::Default,
        InsertRows::Values(values) => InsertRows::Values(exprs(cg, values)),
        InsertRows::Query(query) => InsertRows::Query(cg.prepare_query(query)),
    };
    let returning = insert.returning.map(|clause| returning(cg, clause));
    let mut upserts = bumpalo::collections::Vec::with_capacity_in(insert.upserts.len(), cg.arena);
    for clause in insert.upserts {
        let update = clause.update.map(|update| UpsertSet {
            set: set(cg, update.set),
            filter: update.filter.map(|filter| cg.prepare_expr(&filter)),
        });
        upserts.push(ResolvedUpsert { update, ..*clause });
    }
    ResolvedInsert { rows, returning, upserts: upserts.into_bump_slice(), ..insert }
}

/// Makes an UPDATE or DELETE ready.
pub(super) fn change<'a>(cg: &mut Codegen<'a>, change: ResolvedChange<'a>) -> ResolvedChange<'a> {
    let terms = terms(cg, change.terms);
    // The query of a view that is changed becomes part of another query.
    let sources = if change.target.table.view().is_some() { change.sources } else { sources(cg, change.sources) };
    let gathered = change.gathered.map(|query| cg.prepare_query(query));
    let set = if gathered.is_some() { change.set } else { set(cg, change.set) };
    let returning = change.returning.map(|clause| returning(cg, clause));
    ResolvedChange { sources, terms, set, gathered, returning, ..change }
}

fn terms<'a>(cg: &mut Codegen<'a>, terms: &'a [Term<'a>]) -> &'a [Term<'a>] {
    if !cg.resolver.has_nested_queries() {
        // Nothing is rewritten.
        terms.iter().for_each(|term| note(cg, &term.expr));
        return terms;
    }
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(terms.len(), cg.arena);
    for term in terms {
        let expr = cg.prepare_expr(&term.expr);
        prepared.push(Term { expr, ..*term });
    }
    prepared.into_bump_slice()
}

/// Notes what an expression uses that is not rewritten.
fn note<'a>(cg: &mut Codegen<'a>, expr: &Expr<'a>) {
    cg.planner.context.note_expr(expr);
}

fn sources<'a>(cg: &mut Codegen<'a>, sources: &'a [Source<'a>]) -> &'a [Source<'a>] {
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(sources.len(), cg.arena);
    for source in sources {
        prepared.push(match source.kind {
            SourceKind::Subquery(derived) => {
                let query = cg.prepare_query(derived.query);
                Source { kind: SourceKind::Subquery(cg.arena.alloc(Derived { query, ..*derived })), ..*source }
            }
            _ => *source,
        });
    }
    prepared.into_bump_slice()
}

fn returning<'a>(cg: &mut Codegen<'a>, clause: Returning<'a>) -> Returning<'a> {
    Returning { exprs: exprs(cg, clause.exprs), ..clause }
}

fn set<'a>(cg: &mut Codegen<'a>, set: &'a [Assigned<'a>]) -> &'a [Assigned<'a>] {
    if !cg.resolver.has_nested_queries() {
        set.iter().for_each(|assigned| note(cg, &assigned.value));
        return set;
    }
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(set.len(), cg.arena);
    for assigned in set {
        let value = cg.prepare_expr(&assigned.value);
        prepared.push(Assigned { value, ..*assigned });
    }
    prepared.into_bump_slice()
}

fn exprs<'a>(cg: &mut Codegen<'a>, exprs: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
    if !cg.resolver.has_nested_queries() {
        exprs.iter().for_each(|expr| note(cg, expr));
        return exprs;
    }
    let mut prepared = bumpalo::collections::Vec::with_capacity_in(exprs.len(), cg.arena);
    for expr in exprs {
        prepared.push(cg.prepare_expr(expr));
    }
    prepared.into_bump_slice()
}
