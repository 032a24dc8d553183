//! LEFT JOINs that change nothing: at most one row joins (or DISTINCT drops equal rows), and nothing else uses its
//! columns.

use lithe_resolve::ir::{JoinKind, SourceSet, TermOrigin, sources_of};

use super::Join;
use super::candidate::Candidates;
use super::few::Few;

impl Join<'_, '_> {
    /// The loops without those of LEFT JOINs that change no row of the result.
    pub fn without_eliminated(&self, candidates: &Candidates, loops: &Few<usize, 8>) -> Few<usize, 8> {
        let mut kept = loops.clone();
        if self.request.result.is_empty() || self.request.is_aggregated || loops.len() < 2 {
            return kept;
        }
        let mut used = self.order.columns.iter().fold(SourceSet::EMPTY, |used, column| used.union(column.needs));
        for expr in self.request.result {
            used = used.union(sources_of(self.request.sources, expr));
        }
        for at in (1..loops.len()).rev() {
            let candidate = &candidates.all[loops[at]];
            let source = candidate.source;
            let is_left = self.request.sources[source].join == JoinKind::Left;
            let adds_no_rows = candidate.one_row || self.request.distinct;
            if is_left && adds_no_rows && !used.contains(source) && self.only_its_on_uses(source) {
                kept.remove(at);
            }
        }
        kept
    }

    /// Whether no condition but those of its own ON uses the source.
    fn only_its_on_uses(&self, source: usize) -> bool {
        let own = TermOrigin::OuterOn(self.request.sources[source].id);
        let others = self.terms.conditions.iter().filter(|condition| condition.origin != own);
        others.into_iter().all(|condition| !condition.needs.contains(source))
    }
}
