//! Joins that need no search: one source, one row of it.

use lithe_resolve::ir::{ColumnIndex, Indexed, JoinKind, SourceKind, SourceSet};

use super::Join;
use super::candidate::{Candidate, Candidates, IndexWay, Key, Way};
use super::few::Few;
use super::log_est::LogEst;
use super::order::{OrderResult, Satisfied};
use super::search::Found;
use super::sources::{IndexedTerm, SourceIndexInfo};
use super::terms::{ConstraintId, Op, Right};

/// SQLite's cost of such a plan.
const ROWID_COST: LogEst = LogEst(33);
const UNIQUE_COST: LogEst = LogEst(39);

/// The plan, when the rowid or all columns of a unique index are known.
pub fn find(join: &Join<'_, '_>) -> Option<(Candidates, Found)> {
    let [info] = join.infos else { return None };
    let table = match info.source.kind {
        SourceKind::Table(_, table) if table.virtual_table().is_none() => table,
        _ => return None,
    };
    if !matches!(info.source.indexed, Indexed::Any) || !matches!(info.source.join, JoinKind::Inner | JoinKind::Cross) {
        return None;
    }
    let by_rowid = table.has_rowid().then(|| join.constraint_on_rowid()).flatten();
    let (way, used, run) = match by_rowid {
        Some(id) => (Way::Rowid(Key::Constraint(id)), Few::one(id), ROWID_COST),
        None => {
            let (at, keys) =
                info.indexes.iter().enumerate().find_map(|(at, index)| Some((at, join.all_keys(index)?)))?;
            let is_covering = info.indexes[at].is_covering;
            let way = IndexWay {
                index: at,
                keys: keys.iter().map(|&id| Key::Constraint(id)).collect(),
                is_covering,
                ..IndexWay::default()
            };
            (Way::Index(way), keys, UNIQUE_COST)
        }
    };
    let candidate = Candidate {
        source: 0,
        needs: SourceSet::EMPTY,
        setup: LogEst::ONE,
        run,
        rows: LogEst::ONE,
        way,
        used,
        borrowed: Few::new(),
        order: 0,
        has_equality: true,
        looks_up: true,
        is_forbidden: false,
        one_row: true,
        culls_itself: false,
        gives_order: false,
    };
    let ordered = join.order.columns.len();
    let order = OrderResult { satisfied: Satisfied::Columns(ordered), ..OrderResult::default() };
    let found = Found { loops: Few::one(0), rows: LogEst::ONE, ordered, order };
    Some((Candidates { all: vec![candidate], scans: Vec::new() }, found))
}

impl Join<'_, '_> {
    fn constraint_on_rowid(&self) -> Option<ConstraintId> {
        self.single_value(
            &|id| {
                let constraint = self.terms.constraint(id);
                IndexedTerm::Column(ColumnIndex::ROWID).is(&constraint.left)
                    && constraint.fits_affinity(lithe_value::Affinity::Integer)
            },
            true,
        )
    }

    /// A value for each column of the index, if it is unique.
    fn all_keys(&self, index: &SourceIndexInfo<'_>) -> Option<Few<ConstraintId, 6>> {
        /// SQLite checks no more than three columns here; paths by more columns are found elsewhere and have other
        /// costs.
        const COLUMNS_MAX: usize = 3;
        if !index.index.is_unique() || index.is_partial || index.key_count() > COLUMNS_MAX {
            return None;
        }
        (0..index.key_count())
            .map(|at| {
                self.single_value(
                    &|id| index.columns[at].is_compared_by(self.terms.constraint(id)),
                    index.is_unique_not_null,
                )
            })
            .collect()
    }

    /// A constraint that passes `test` and gives one value.
    fn single_value(&self, test: &dyn Fn(ConstraintId) -> bool, is_allowed: bool) -> Option<ConstraintId> {
        self.terms.numbered().find_map(|(id, constraint)| {
            let op_fits = constraint.op == Op::Eq || constraint.op == Op::Is && is_allowed;
            let is_value = matches!(constraint.right, Right::Value(_));
            (op_fits && is_value && constraint.needs.is_empty() && test(id)).then_some(id)
        })
    }
}
