//! `WHERE EXISTS (SELECT … FROM t WHERE …)` becomes a join with t, whose loop ends with the first row that joins. The join may use a
//! hash table of t that is built once, and t may be the outer loop.

use lithe_resolve::ir::{
    CoreBody, Expr, JOIN_SOURCES_MAX, JoinKind, Query, Select, Source, SourceKind, Term, TermOrigin,
};

use super::Rewriter;

impl<'a> Rewriter<'a> {
    /// The SELECT with the tables of its EXISTS among its sources. As in SQLite, an EXISTS within these is not rewritten.
    pub(super) fn join_exists(&self, select: &'a Select<'a>) -> &'a Select<'a> {
        if select.sources.is_empty() || select.sources.iter().any(|source| source.join.keeps_right_rows()) {
            return select;
        }
        let mut sources = select.sources.to_vec();
        let mut terms: Vec<Term<'a>> = Vec::with_capacity(select.terms.len());
        // SQLite puts 1 in the place of an EXISTS and appends its conditions after all others: an index that has the columns of the first
        // conditions is the cheaper for each of them.
        let mut conditions_within: Vec<Term<'a>> = Vec::new();
        for term in select.terms {
            match joinable(term) {
                Some((source, conditions)) if sources.len() < JOIN_SOURCES_MAX => {
                    sources.push(Source { is_exists: true, join: JoinKind::Inner, ..*source });
                    conditions_within.extend(conditions.iter().map(|term| Term { origin: TermOrigin::Where, ..*term }));
                    terms.push(Term { expr: Expr::Integer(1), ..*term });
                }
                _ => terms.push(*term),
            }
        }
        if sources.len() == select.sources.len() {
            return select;
        }
        terms.append(&mut conditions_within);
        let (sources, terms) = (self.arena.alloc_slice_copy(&sources), self.arena.alloc_slice_copy(&terms));
        self.arena.alloc(Select { sources, terms, ..*select })
    }
}

/// The table of an EXISTS in WHERE, and its conditions, if it is a plain SELECT from one table.
fn joinable<'a>(term: &Term<'a>) -> Option<(&'a Source<'a>, &'a [Term<'a>])> {
    let Term { expr: Expr::Exists(subquery), origin: TermOrigin::Where, .. } = term else { return None };
    let query: &'a Query<'a> = subquery.query;
    let [core] = query.cores else { return None };
    let CoreBody::Select(select) = core.body else { return None };
    let [source] = select.sources else { return None };
    let is_plain = !select.is_aggregate && select.windows.is_empty() && query.limit.is_none();
    (is_plain && matches!(source.kind, SourceKind::Table(..))).then_some((source, select.terms))
}
