//! Star joins: a large fact table, and dimension tables that its rows refer to.
//!
//! The best plan scans the fact table and looks up the dimensions. But in partial plans, scans of the small dimensions are so
//! cheap that a narrow beam keeps nothing but products of dimensions. So scans of dimensions get the cost of the most
//! expensive path through the fact table.

use lithe_resolve::ir::{JoinKind, Source, SourceKind, SourceSet};

use super::candidate::{Candidate, Candidates, Way};
use super::log_est::LogEst;

/// A join of fewer sources needs no help.
const SOURCES_MIN: usize = 5;
/// A fact table has at least so many dimensions.
const DIMENSIONS_MIN: usize = 3;

/// Raises the cost of scans of dimensions. Returns whether a fact table was found.
pub fn adjust(candidates: &mut Candidates, sources: &[Source<'_>]) -> bool {
    if sources.len() < SOURCES_MIN {
        return false;
    }
    let mut is_star = false;
    for fact in 0..sources.len() {
        let dimensions = dimensions_of(candidates, sources, fact);
        if dimensions.len() < DIMENSIONS_MIN {
            continue;
        }
        is_star = true;
        let runs = candidates.all.iter().filter(|candidate| candidate.source == fact).map(|candidate| candidate.run);
        let Some(dearest) = runs.max() else { continue };
        let floor = dearest + 1;
        let is_scan = |candidate: &Candidate| candidate.used.is_empty() && !matches!(candidate.way, Way::Or(_));
        for candidate in candidates.all.iter_mut().filter(|c| dimensions.contains(c.source) && is_scan(c)) {
            candidate.run = LogEst::max(candidate.run, floor);
        }
    }
    is_star
}

/// The sources that paths look up by rows of `fact`, without an outer or CROSS join in between. Another use of the same table
/// is no dimension.
fn dimensions_of(candidates: &Candidates, sources: &[Source<'_>], fact: usize) -> SourceSet {
    // The right side of an outer join can only have dimensions on its own right.
    let first = if is_fixed(&sources[fact]) { fact + 1 } else { 0 };
    let end = (first..sources.len()).find(|&at| is_fixed(&sources[at])).unwrap_or(sources.len());
    let mut dimensions = SourceSet::EMPTY;
    for candidate in &candidates.all {
        let source = candidate.source;
        let is_near = (first..end).contains(&source);
        if is_near && candidate.needs.contains(fact) && !is_same_table(&sources[source], &sources[fact]) {
            dimensions.insert(source);
        }
    }
    dimensions
}

fn is_fixed(source: &Source<'_>) -> bool {
    source.join != JoinKind::Inner
}

fn is_same_table(left: &Source<'_>, right: &Source<'_>) -> bool {
    match (left.kind, right.kind) {
        (SourceKind::Table(_, left), SourceKind::Table(_, right)) => std::ptr::eq(left, right),
        _ => false,
    }
}
