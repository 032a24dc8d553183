//! The rows of a RIGHT JOIN's table that have not joined: the table is read once more.

use lithe_resolve::ir::{
    JoinKind, Source, SourceSet, Term, TermOrigin, has_correlated_query, is_deterministic, sources_of,
};

use super::context::PlanContext;
use super::plan::{JoinPlan, JoinRequest, Purpose};

/// The request to read the table of the source at `at` once more.
pub fn rest_request<'a>(context: &PlanContext<'a>, join: &JoinPlan<'a>, at: usize) -> JoinRequest<'a> {
    let all = join.request.sources;
    // The code for a row checks all conditions of WHERE; the conditions here only help to find rows. If another RIGHT JOIN follows, no
    // row may be left out, because its matches there are found before WHERE is checked.
    let is_last = !all[at + 1..].iter().any(|source| source.join.keeps_right_rows());
    // Those on outer loops, too, all of whose columns are NULL by then: they count where an index saves fetches.
    let own = join.loops.iter().position(|planned| planned.source == at).unwrap_or(0);
    let known = join.loops[..=own]
        .iter()
        .fold(SourceSet::EMPTY, |known, planned| known.union(SourceSet::single(planned.source)));
    let leads = |term: &Term<'a>| {
        is_last
            && term.origin == TermOrigin::Where
            && sources_of(all, &term.expr).is_subset_of(known)
            && is_deterministic(&term.expr)
            && !has_correlated_query(&term.expr)
    };
    let terms: Vec<Term<'a>> = join.request.terms.iter().copied().filter(leads).collect();
    let source: &'a Source<'a> = context.arena.alloc(Source { join: JoinKind::Inner, ..all[at] });
    JoinRequest::of_rows(std::slice::from_ref(source), context.arena.alloc_slice_copy(&terms), Purpose::Unjoined)
}
