//! Joins that need no search: one source, one row of it.

use lithe_catalog::Table;
use lithe_resolve::ir::{ColumnIndex, Indexed, JoinKind, Source, SourceKind, SourceSet};

use super::Join;
use super::candidate::{Candidate, Candidates, IndexWay, Key, TreeWay, Way};
use super::few::Few;
use super::log_est::LogEst;
use super::order::{OrderResult, Satisfied};
use super::search::Found;
use super::sources::{IndexedTerm, SourceIndexInfo};
use super::terms::{ConstraintId, Op, Right, Terms};

/// SQLite's cost of such a plan.
pub(super) const ROWID_COST: LogEst = LogEst(33);
const UNIQUE_COST: LogEst = LogEst(39);
/// The number of rows that SQLite expects of it: a little more than one.
pub(super) const ROWS: LogEst = LogEst(1);

/// The plan, when the rowid or all columns of a unique index are known.
pub fn find(join: &Join<'_, '_>) -> Option<(Candidates, Found)> {
    let [info] = join.infos else { return None };
    let table = only_table(join.request.sources)?;
    let (way, used, run) = match constraint_on_rowid(table, join.terms) {
        Some(id) => (TreeWay::Rowid(id), Few::one(id), ROWID_COST),
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
            (TreeWay::Index(way), keys, UNIQUE_COST)
        }
    };
    let candidate = Candidate {
        source: 0,
        needs: SourceSet::EMPTY,
        setup: LogEst::ONE,
        run,
        rows: LogEst::ONE,
        found: LogEst::ONE,
        way: Way::Tree(way),
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
    let found = Found { loops: Few::one(0), rows: ROWS, ordered, order, is_shortcut: true };
    Some((Candidates { all: vec![candidate], ..Candidates::default() }, found))
}

/// The table that is the only source, if it may be searched in any way.
pub(super) fn only_table<'a>(sources: &[Source<'a>]) -> Option<&'a Table> {
    let [source] = sources else { return None };
    let is_free = matches!(source.indexed, Indexed::Any) && matches!(source.join, JoinKind::Inner | JoinKind::Cross);
    match source.kind {
        SourceKind::Table(_, table) if is_free && table.virtual_table().is_none() => Some(table),
        _ => None,
    }
}

/// The constraint that gives one rowid of the table.
pub(super) fn constraint_on_rowid(table: &Table, terms: &Terms<'_>) -> Option<ConstraintId> {
    let is_it = |id| {
        let constraint = terms.constraint(id);
        IndexedTerm::Column(ColumnIndex::ROWID).is(&constraint.left)
            && constraint.fits_affinity(lithe_value::Affinity::Integer)
    };
    if table.has_rowid() { single_value(terms, &is_it, true) } else { None }
}

/// A constraint that passes `test` and gives one value.
fn single_value(terms: &Terms<'_>, test: &dyn Fn(ConstraintId) -> bool, is_allowed: bool) -> Option<ConstraintId> {
    terms.numbered().find_map(|(id, constraint)| {
        let op_fits = constraint.op == Op::Eq || constraint.op == Op::Is && is_allowed;
        let is_value = matches!(constraint.right, Right::Value(_));
        (op_fits && is_value && constraint.needs.is_empty() && test(id)).then_some(id)
    })
}

impl Join<'_, '_> {
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
                let is_compared = |id| index.columns[at].is_compared_by(self.terms.constraint(id));
                single_value(self.terms, &is_compared, index.is_unique_not_null)
            })
            .collect()
    }
}
