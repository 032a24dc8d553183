//! The rows of a RIGHT JOIN's table that have not joined: its table is gone through once more.

use lithe_resolve::ir::{JoinKind, Source, SourceSet, Term, TermOrigin, has_query, is_deterministic, sources_of};

use super::context::PlanContext;
use super::plan::{JoinPlan, JoinRequest, Purpose};

/// What is asked for to go through the table of the source at `at`.
pub fn rest_request<'a>(context: &PlanContext<'a>, join: &JoinPlan<'a>, at: usize) -> JoinRequest<'a> {
    let all = join.request.sources;
    // The row part checks all conditions of WHERE: these only lead to rows. Where another RIGHT JOIN stands behind, each row counts: with
    // what it joins there is decided before WHERE is asked.
    let is_last = !all[at + 1..].iter().any(|source| source.join.keeps_right_rows());
    let leads = |term: &Term<'a>| {
        is_last
            && term.origin == TermOrigin::Where
            && sources_of(all, &term.expr) == SourceSet::single(at)
            && is_deterministic(&term.expr)
            && !has_query(&term.expr)
    };
    let terms: Vec<Term<'a>> = join.request.terms.iter().copied().filter(leads).collect();
    let source: &'a Source<'a> = context.arena.alloc(Source { join: JoinKind::Inner, ..all[at] });
    JoinRequest::of_rows(std::slice::from_ref(source), context.arena.alloc_slice_copy(&terms), Purpose::Unjoined)
}
