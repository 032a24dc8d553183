//! The candidates of one source: every path that its table, indexes and conditions offer, with costs.
//!
//! Costs are logarithms (see [`LogEst`]) of a unit in which stepping to the next entry of an index is about 1 and fetching
//! a row 3: a factor of 3 is 16. They are exactly those of SQLite, because users compare plans:
//!
//! ```text
//!   scan of a table             rows + 16
//!   search in a B-tree          log2(rows)
//!   range of an index           search, then entries, each by its size relative to a row's
//!   rows of an index's entries + entries + 16, unless the index is covering
//! ```

mod function;
pub mod hash;
mod index;
mod or;
mod table;
mod virtual_table;

pub use virtual_table::describe as describe_scan;

use lithe_catalog::Result;
use lithe_resolve::ir::{ColumnIndex, Expr, Limit, SourceId, SourceSet, TermOrigin};

use super::candidate::{Candidate, Candidates, TreeWay, Way};
use super::log_est::LogEst;
use super::order::OrderColumns;
use super::sources::SourceInfo;
use super::terms::{
    Condition, Constraint, ConstraintId, Left, MadeOf, Op, Scope, Selectivity, Terms, is_pattern_match,
};
use crate::access::context::PlanContext;
use crate::access::few::Few;

/// Finds the candidates of the sources of one join, or of a branch of an OR in it.
pub struct PathFinder<'c, 'a> {
    /// The statement.
    pub context: &'c PlanContext<'a>,
    /// The sources.
    pub infos: &'c [SourceInfo<'a>],
    /// What the conditions are about.
    pub scope: Scope<'c, 'a>,
    /// The conditions: of the join, or of the branch and then of the join around it.
    pub terms: &'c Terms<'a>,
    /// How many of the conditions, from the first on, reduce the number of rows. The others are estimated elsewhere.
    pub own_conditions: usize,
    /// The columns whose order is wanted.
    pub order: &'c OrderColumns<'a>,
    /// There is one source, whose rows are wanted in no order.
    pub is_alone: bool,
    /// LIMIT and OFFSET, if a virtual table may apply them.
    pub limit: Option<&'a Limit<'a>>,
    /// Whether the conditions are those of a branch of an OR.
    pub in_or: bool,
    /// The rows will be changed, so an index cannot be scanned instead of the table.
    pub for_write: bool,
    /// The rows are those of a SELECT's loops: neither changed, nor those that a RIGHT JOIN adds, nor those of an OR's branch.
    pub in_select: bool,
    /// The order of the last candidates: [`Candidate::order`]. As in SQLite, that of a hash table is left from the path before, even of
    /// another source, so that some paths of its source do not rule it out.
    pub last_order: u8,
    /// The candidates found.
    pub found: Candidates,
}

impl<'a> PathFinder<'_, 'a> {
    /// Finds the candidates of `source`. `must_follow` are sources that have to be in outer loops whatever the path.
    ///
    /// # Errors
    /// Those of virtual tables.
    pub fn find(&mut self, source: usize, must_follow: SourceSet) -> Result<()> {
        let info = &self.infos[source];
        if let Some(table) = info.table
            && let Some(connected) = table.connected()
        {
            self.add_virtual(source, must_follow, table, *connected)?;
        } else if info.table.is_some_and(|table| table.virtual_table().is_some()) {
            self.add_function(source, must_follow);
        } else {
            self.add_stored(source, must_follow)?;
        }
        if self.in_or { Ok(()) } else { self.add_disjunctions(source, must_follow) }
    }

    /// Adds the candidates of a table that is stored, or of a query.
    fn add_stored(&mut self, source: usize, must_follow: SourceSet) -> Result<()> {
        // The rows of a hash table have no rowids, by which a RIGHT JOIN tells which of its rows have joined.
        let adds_unjoined = !self.in_select && !self.for_write;
        if !self.in_or && !adds_unjoined {
            self.add_hashes(source, must_follow);
        }
        // Where sizes are known, the scan of the only source comes last: it then neither raises the costs of searches nor rules any out.
        let comes_last = self.is_alone && self.infos[source].is_measured;
        if !comes_last {
            self.add_table_paths(source, must_follow);
        }
        self.add_index_paths(source, must_follow)?;
        if comes_last {
            self.add_table_paths(source, must_follow);
        }
        Ok(())
    }

    /// Whether the constraint is on another, equal column.
    fn is_borrowed(&self, id: ConstraintId, source: usize, column: Option<ColumnIndex>) -> bool {
        let constraint = self.terms.constraint(id);
        match (constraint.left, column) {
            (Left::Column(of), Some(column)) => constraint.source != source || of != column,
            _ => false,
        }
    }

    /// Adds the candidate, with its number of rows reduced by the conditions that it does not use.
    fn add(&mut self, mut candidate: Candidate) {
        candidate.found = candidate.rows;
        // The number of rows found in a hash table is a guess that includes all conditions, unless the table was measured.
        let is_or = matches!(candidate.way, Way::Or(_));
        if !is_or && candidate.way != Way::Hash || self.infos[candidate.source].is_measured {
            self.apply_other_conditions(&mut candidate);
        }
        // The loop over the table of an EXISTS ends with its first row; SQLite ignores that for an automatic index.
        if self.infos[candidate.source].source.is_exists && candidate.way != Way::Hash {
            candidate.rows = LogEst::ONE;
        }
        self.found.add(candidate);
    }

    /// Whether the source, or one behind it, is joined by RIGHT or FULL JOIN.
    fn is_left_of_right(&self, id: SourceId) -> bool {
        let from = self.infos.iter().position(|info| info.source.id == id).unwrap_or(self.infos.len());
        self.infos[from..].iter().any(|info| info.source.join.keeps_right_rows())
    }

    /// Conditions that the path does not use still drop rows: each drops a few, an equality many.
    fn apply_other_conditions(&self, candidate: &mut Candidate) {
        let info = &self.infos[candidate.source];
        let own = SourceSet::single(candidate.source);
        let known = candidate.needs.union(own);
        let found = candidate.rows;
        let mut most_dropped = 0;
        for (at, condition) in self.terms.conditions[..self.own_conditions].iter().enumerate() {
            // SQLite looks the replaced column up by the other condition, and lets its constant drop rows.
            candidate.culls_itself |= condition.replaced == Some(candidate.source) && candidate.has_equality;
            if !condition.needs.is_subset_of(known) || !condition.needs.contains(candidate.source) {
                continue;
            }
            // As in SQLite, what an ON must not reject before a RIGHT JOIN drops no rows.
            if matches!(condition.origin, TermOrigin::InnerOn(id) if self.is_left_of_right(id)) {
                continue;
            }
            let serves = |used| {
                let constraint = self.terms.constraint(used);
                constraint.condition == at && !constraint.follows
            };
            if candidate.used.iter().any(|&used| serves(used)) {
                continue;
            }
            if condition.needs == own && (condition.is_simple || info.restriction == super::sources::Restriction::None)
            {
                candidate.culls_itself = true;
            }
            match condition.likelihood {
                Some(likelihood) => candidate.rows += likelihood,
                None if info.is_measured => candidate.rows -= self.rarity_in(self.terms, condition, at),
                None => {
                    candidate.rows -= 1 + condition.dropped_by_pattern;
                    let dropped = dropped_by(condition.equality);
                    if dropped > most_dropped && !(info.is_sampled && self.is_met_by_most(candidate.source, at)) {
                        most_dropped = dropped;
                    }
                }
            }
        }
        let all = match &candidate.way {
            Way::Tree(TreeWay::Index(way)) if !info.is_measured => info.indexes[way.index].rows[0],
            _ => info.rows,
        };
        candidate.rows = candidate.rows.min(all - most_dropped);
        // SQLite does not ask how many rows a single source gives if nothing depends on it.
        if self.is_alone && !info.is_measured {
            candidate.rows = found;
        }
    }

    /// How many rows a condition that no path uses probably drops, if sizes are known: more than SQLite assumes, which
    /// has no sizes.
    pub(super) fn rarity_in(&self, terms: &Terms<'a>, condition: &Condition<'a>, at: usize) -> i16 {
        const EQUALITY: i16 = 33;
        const PATTERN: i16 = 26;
        const BOUND: i16 = 10;
        const OTHER: i16 = 3;
        if let Some(likelihood) = condition.likelihood {
            return -likelihood;
        }
        let equal = terms.constraints.iter().filter(|c| c.condition == at && c.op.is_equality());
        if let Some(distinct) = equal.filter_map(|constraint| self.distinct(constraint)).max() {
            return distinct.0.max(OTHER);
        }
        match condition.equality {
            Selectivity::FewRows => return EQUALITY,
            Selectivity::ManyRows => return BOUND,
            Selectivity::NotEqual => {}
        }
        if matches!(condition.expr, Expr::Function(call) if is_pattern_match(call)) {
            return PATTERN;
        }
        let source = terms.constraints.iter().find(|c| c.condition == at).map(|constraint| constraint.source);
        let constraints = terms.constraints.iter().filter(|c| c.condition == at && Some(c.source) == source);
        let dropped = constraints.map(|constraint| match (constraint.op, constraint.made_of) {
            (_, MadeOf::NotNull) => 1,
            (Op::Eq | Op::Is | Op::In | Op::IsNull, _) => (EQUALITY - self.values_of(&constraint.right).0).max(OTHER),
            (Op::Lt | Op::Le | Op::Gt | Op::Ge, _) => BOUND,
            // A copy of another constraint for a virtual table.
            (Op::Virtual(_), _) => 0,
        });
        // Both bounds of BETWEEN count, but no condition drops more than an equality.
        dropped.sum::<i16>().clamp(OTHER, EQUALITY)
    }

    /// The average number of distinct values of the column in an equality: one of so many rows meets it.
    fn distinct(&self, constraint: &Constraint<'a>) -> Option<LogEst> {
        let Left::Column(column) = constraint.left else { return None };
        let distinct = *self.infos[constraint.source].distinct.get(column.position()?)?;
        Some(LogEst::of(distinct) - self.values_of(&constraint.right))
    }

    /// The constraints on a column or expression of `source`: its own, then those on an equal column of any source: `a = b
    /// AND b = 5` constrains a, too.
    fn constraints_on(
        &self,
        source: usize,
        column: Option<ColumnIndex>,
        serves: impl Fn(&Constraint<'a>) -> bool,
    ) -> Few<ConstraintId, 6> {
        let usable = |constraint: &Constraint<'a>| {
            let origin = self.terms.conditions[constraint.condition].origin;
            !constraint.needs.contains(source) && self.infos[source].admits(origin)
        };
        let own = self.terms.numbered().filter(|(_, c)| c.source == source && usable(c) && serves(c));
        let mut found: Few<ConstraintId, 6> = own.map(|(id, _)| id).collect();
        let Some(column) = column else { return found };
        for (other, of) in self.terms.equal_columns(source, column, |origin| self.infos[source].admits(origin)) {
            // What only the module of a virtual table can use is about no other table.
            let is_of = |c: &Constraint<'a>| {
                c.source == other
                    && matches!(c.left, Left::Column(left) if left == of)
                    && !matches!(c.op, Op::Virtual(_))
            };
            let as_own = |c: &Constraint<'a>| Constraint { left: Left::Column(column), ..*c };
            let of_equal = self.terms.numbered().filter(|(_, c)| is_of(c) && usable(c) && serves(&as_own(c)));
            found.extend(of_equal.map(|(id, _)| id));
        }
        found
    }
}

/// How many of a table's rows an equality that no index serves drops.
fn dropped_by(equality: Selectivity) -> i16 {
    match equality {
        Selectivity::NotEqual => 0,
        Selectivity::ManyRows => 10,
        Selectivity::FewRows => 20,
    }
}
