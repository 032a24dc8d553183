//! Resolved statements made ready for planning: the queries in them rewritten, and all that they use noted before joins are
//! planned.

use lithe_resolve::ir::{Derived, Expr, Query, Source, SourceKind, Term};
use lithe_resolve::{Assigned, InsertRows, ResolvedChange, ResolvedInsert, ResolvedUpsert, Returning, UpsertSet};

use crate::planner::Planner;

/// What making a statement ready changes.
struct Preparing<'p, 'a> {
    planner: &'p mut Planner<'a>,
}

/// Makes an INSERT ready.
pub(super) fn insert<'a>(planner: &mut Planner<'a>, insert: ResolvedInsert<'a>) -> ResolvedInsert<'a> {
    Preparing { planner }.insert(insert)
}

/// Makes an UPDATE or DELETE ready.
pub(super) fn change<'a>(planner: &mut Planner<'a>, change: ResolvedChange<'a>) -> ResolvedChange<'a> {
    Preparing { planner }.change(change)
}

impl<'a> Preparing<'_, 'a> {
    fn insert(&mut self, insert: ResolvedInsert<'a>) -> ResolvedInsert<'a> {
        let rows = match insert.rows {
            InsertRows::Default => InsertRows::Default,
            InsertRows::Values(values) => InsertRows::Values(self.exprs(values)),
            InsertRows::Query(query) => InsertRows::Query(self.query(query)),
        };
        let returning = insert.returning.map(|clause| self.returning(clause));
        let mut upserts = bumpalo::collections::Vec::with_capacity_in(insert.upserts.len(), self.planner.context.arena);
        for clause in insert.upserts {
            let update = clause.update.map(|update| UpsertSet {
                set: self.set(update.set),
                filter: update.filter.map(|filter| self.expr(&filter)),
            });
            upserts.push(ResolvedUpsert { update, ..*clause });
        }
        ResolvedInsert { rows, returning, upserts: upserts.into_bump_slice(), ..insert }
    }

    fn change(&mut self, change: ResolvedChange<'a>) -> ResolvedChange<'a> {
        let terms = self.terms(change.terms);
        // The query of a view that is changed becomes part of another query.
        let sources = if change.target.table.view().is_some() { change.sources } else { self.sources(change.sources) };
        let gathered = change.gathered.map(|query| self.query(query));
        let set = if gathered.is_some() { change.set } else { self.set(change.set) };
        let returning = change.returning.map(|clause| self.returning(clause));
        ResolvedChange { sources, terms, set, gathered, returning, ..change }
    }

    fn terms(&mut self, terms: &'a [Term<'a>]) -> &'a [Term<'a>] {
        if !self.planner.context.resolver.has_nested_queries() {
            // Nothing is rewritten.
            terms.iter().for_each(|term| self.note(&term.expr));
            return terms;
        }
        let mut prepared = bumpalo::collections::Vec::with_capacity_in(terms.len(), self.planner.context.arena);
        for term in terms {
            let expr = self.expr(&term.expr);
            prepared.push(Term { expr, ..*term });
        }
        prepared.into_bump_slice()
    }

    /// Notes what an expression uses that is not rewritten.
    fn note(&mut self, expr: &Expr<'a>) {
        self.planner.context.note_expr(expr);
    }

    fn sources(&mut self, sources: &'a [Source<'a>]) -> &'a [Source<'a>] {
        if !sources.iter().any(|source| matches!(source.kind, SourceKind::Subquery(_))) {
            return sources;
        }
        let mut prepared = bumpalo::collections::Vec::with_capacity_in(sources.len(), self.planner.context.arena);
        for source in sources {
            prepared.push(match source.kind {
                SourceKind::Subquery(derived) => {
                    let query = self.query(derived.query);
                    Source {
                        kind: SourceKind::Subquery(self.planner.context.arena.alloc(Derived { query, ..*derived })),
                        ..*source
                    }
                }
                _ => *source,
            });
        }
        prepared.into_bump_slice()
    }

    fn returning(&mut self, clause: Returning<'a>) -> Returning<'a> {
        Returning { exprs: self.exprs(clause.exprs), ..clause }
    }

    fn set(&mut self, set: &'a [Assigned<'a>]) -> &'a [Assigned<'a>] {
        if !self.planner.context.resolver.has_nested_queries() {
            set.iter().for_each(|assigned| self.note(&assigned.value));
            return set;
        }
        let mut prepared = bumpalo::collections::Vec::with_capacity_in(set.len(), self.planner.context.arena);
        for assigned in set {
            let value = self.expr(&assigned.value);
            prepared.push(Assigned { value, ..*assigned });
        }
        prepared.into_bump_slice()
    }

    fn exprs(&mut self, exprs: &'a [Expr<'a>]) -> &'a [Expr<'a>] {
        if !self.planner.context.resolver.has_nested_queries() {
            exprs.iter().for_each(|expr| self.note(expr));
            return exprs;
        }
        let mut prepared = bumpalo::collections::Vec::with_capacity_in(exprs.len(), self.planner.context.arena);
        for expr in exprs {
            prepared.push(self.expr(expr));
        }
        prepared.into_bump_slice()
    }

    fn query(&mut self, query: &'a Query<'a>) -> &'a Query<'a> {
        self.planner.prepare_query(query)
    }

    fn expr(&mut self, expr: &Expr<'a>) -> Expr<'a> {
        self.planner.prepare_expr(expr)
    }
}
