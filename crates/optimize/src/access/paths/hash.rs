//! Hash joins: a hash table of a source's rows, built when the statement runs, where SQLite makes an automatic index.

use lithe_catalog::IndexTerm;
use lithe_resolve::ir::{ColumnIndex, Indexed, SourceKind, SourceSet};

use super::PathFinder;
use crate::access::candidate::{Candidate, Way};
use crate::access::log_est::LogEst;
use crate::access::sources::SourceInfo;
use crate::access::terms::{Constraint, ConstraintId, Left, Op, Terms};

/// The cost of building relative to a sort of the rows: 7 for a table, a sixth for rows that are in memory anyway.
const BUILD_TABLE: i16 = 28;
const BUILD_DERIVED: i16 = -25;
/// A search finds about 20 rows.
const FOUND_ROWS: LogEst = LogEst(43);

impl<'a> PathFinder<'_, 'a> {
    /// Adds a hash table for each equality with a value of outer loops.
    pub(super) fn add_hashes(&mut self, source: usize, needs: SourceSet) {
        let info = &self.infos[source];
        if !self.context.env.flags.automatic_index || !may_be_hashed(info) {
            return;
        }
        let ids: Vec<ConstraintId> =
            self.terms.numbered().filter(|(_, c)| is_key(info, self.terms, source, c)).map(|(id, _)| id).collect();
        for id in ids {
            let info = &self.infos[source];
            let search = info.rows.log2();
            let build = if info.table.is_some() { BUILD_TABLE } else { BUILD_DERIVED };
            let mut candidate = Candidate::new(source, needs.union(self.terms.constraint(id).needs), Way::Hash);
            candidate.setup = (search + info.rows + build).max(LogEst::ONE);
            candidate.run = search.sum(FOUND_ROWS);
            candidate.rows = FOUND_ROWS;
            candidate.order = self.last_order;
            if info.is_measured && self.terms.constraint(id).needs.is_empty() {
                // A hash table pays only if the searched value differs from row to row of the outer loops.
                let condition = self.terms.constraint(id).condition;
                candidate.rows = info.rows - self.rarity_in(self.terms, &self.terms.conditions[condition], condition);
                candidate.run = search.sum(candidate.rows);
            }
            candidate.used.push(id);
            self.add(candidate);
        }
    }
}

/// Whether the constraint can be a key of a hash table of the source's rows.
pub fn is_key<'a>(info: &SourceInfo<'a>, terms: &Terms<'a>, source: usize, constraint: &Constraint<'a>) -> bool {
    let Left::Column(column) = constraint.left else { return false };
    constraint.source == source
        && matches!(constraint.op, Op::Eq | Op::Is)
        && !constraint.needs.contains(source)
        && !column.is_rowid()
        && info.admits(terms.conditions[constraint.condition].origin)
        && constraint.fits_affinity(info.affinity(column))
        && !has_good_index(info, column)
}

fn may_be_hashed(info: &SourceInfo<'_>) -> bool {
    let rows_are_reusable = match info.source.kind {
        SourceKind::Table(..) => true,
        SourceKind::Subquery(derived) => !derived.query.is_correlated(),
        SourceKind::Recursive(_) | SourceKind::Row(_) => false,
    };
    rows_are_reusable && matches!(info.source.indexed, Indexed::Any) && !info.source.join.keeps_right_rows()
}

/// Whether an index begins with the column, even one that this query cannot use, or the statistics show that the column has few
/// distinct values.
fn has_good_index(info: &SourceInfo<'_>, column: ColumnIndex) -> bool {
    /// How many rows may be equal in the column (4) before a hash table by it is no gain.
    const EQUAL_ROWS_MAX: LogEst = LogEst(20);
    let indexes = info.table.map_or(&[][..], |table| &table.indexes);
    indexes.iter().any(|index| {
        let is_column =
            |term: &IndexTerm| matches!(term, IndexTerm::Column(at) if column.position() == Some(usize::from(*at)));
        let at = index.key_columns().iter().position(|column| is_column(&column.term));
        let equal_rows = |at: usize| index.statistics.as_ref().and_then(|counted| counted.equal_rows.get(at).copied());
        at.is_some_and(|at| at == 0 || equal_rows(at).is_some_and(|rows| LogEst::of(rows) > EQUAL_ROWS_MAX))
    })
}
