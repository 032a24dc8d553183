//! Candidates: the access paths through one source that are worth considering, each with its costs.

use lithe_resolve::ir::SourceSet;
use lithe_vtab::CompiledScan;

use super::few::Few;
use super::log_est::LogEst;
use super::terms::ConstraintId;

/// An access path through a source.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The source, by position.
    pub source: usize,
    /// Sources that must be in outer loops.
    pub needs: SourceSet,
    /// The cost of setting it up once.
    pub setup: LogEst,
    /// The cost for each row of the outer loops.
    pub run: LogEst,
    /// The rows that come out for each row of the outer loops.
    pub rows: LogEst,
    /// The same before conditions that it does not use drop rows.
    pub found: LogEst,
    /// The kind of path.
    pub way: Way,
    /// Constraints that it uses, skipped columns left out.
    pub used: Few<ConstraintId, 6>,
    /// Those among them that constrain another, equal column: their use does not make them true.
    pub borrowed: Few<ConstraintId, 6>,
    /// Candidates compete only with others of the same order: 0 when the order of its rows is of no use, else the
    /// number of the index.
    pub order: u8,
    /// Whether a column is looked up by `=` or IS.
    pub has_equality: bool,
    /// Whether a column is looked up, by any comparison for equality.
    pub looks_up: bool,
    /// Whether it is excluded from the search.
    pub is_forbidden: bool,
    /// Whether it gives at most one row for each row of the outer loops.
    pub one_row: bool,
    /// Whether conditions that the path does not use drop rows of this source alone.
    pub culls_itself: bool,
    /// Whether its rows come in the wanted order.
    pub gives_order: bool,
}

/// The kinds of paths.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// Through the table or one of its indexes; or all rows of a query, as they come.
    Tree(TreeWay),
    /// A hash table of the rows, where SQLite makes an automatic index.
    Hash,
    /// The rows that a table-valued function returns for its arguments: a constraint for each hidden column that has
    /// one.
    Function(Vec<Option<ConstraintId>>),
    /// A scan of a virtual table: [`Candidates::scans`] has it.
    Virtual(usize),
    /// Each branch of the disjunction of this number has its own path, chosen when the whole plan is known.
    Or(usize),
}

/// The kinds of paths through the B-tree of a table or of one of its indexes.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeWay {
    /// All rows, in the order of the table.
    Scan,
    /// The rows with the rowid, or the rowids, of a constraint.
    Rowid(ConstraintId),
    /// A range of rowids.
    RowidRange(Range),
    /// A search or scan of an index.
    Index(IndexWay),
}

/// A scan of a virtual table.
#[derive(Clone, Debug)]
pub struct VirtualWay {
    /// The arguments that its module gets.
    pub arguments: Vec<Argument>,
    /// The plan that its module returned (xBestIndex).
    pub scan: CompiledScan,
    /// EXPLAIN QUERY PLAN shows its number in hexadecimal.
    pub shows_hex: bool,
}

impl VirtualWay {
    /// The constraints that the module ensures (`omit`): they need not be checked.
    pub fn ensured(&self) -> impl Iterator<Item = ConstraintId> {
        self.arguments.iter().filter(|argument| argument.omit).filter_map(|argument| match argument.of {
            ArgumentOf::Constraint(id) => Some(id),
            ArgumentOf::Limit | ArgumentOf::Offset => None,
        })
    }
}

/// What an argument of such a scan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentOf {
    /// The right side of a constraint.
    Constraint(ConstraintId),
    /// LIMIT.
    Limit,
    /// OFFSET.
    Offset,
}

/// An argument of such a scan.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// What it is.
    pub of: ArgumentOf,
    /// The scan makes the constraint true.
    pub omit: bool,
    /// The argument is an IN whose values are passed all together, not one after the other.
    pub all_at_once: bool,
}

/// A path through an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexWay {
    /// Which of the source's indexes.
    pub index: usize,
    /// The values of the first columns.
    pub keys: Few<Key, 6>,
    /// The range of the next column.
    pub range: Range,
    /// The table itself is not read.
    pub is_covering: bool,
}

/// The value of an index column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Key {
    /// The value of a constraint.
    Constraint(ConstraintId),
    /// Every value in the index, one after the other (skip-scan).
    #[default]
    Any,
}

/// Bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// The lower bound.
    pub low: Option<Bound>,
    /// The upper bound.
    pub high: Option<Bound>,
}

/// A bound of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// The constraint.
    pub constraint: ConstraintId,
    /// How many columns of the index it bounds: more than one for row values.
    pub columns: u16,
}

impl Candidate {
    /// A candidate that has no costs yet.
    pub fn new(source: usize, needs: SourceSet, way: Way) -> Candidate {
        Candidate {
            source,
            needs,
            setup: LogEst::ONE,
            run: LogEst::ONE,
            rows: LogEst::ONE,
            found: LogEst::ONE,
            way,
            used: Few::new(),
            borrowed: Few::new(),
            order: 0,
            has_equality: false,
            looks_up: false,
            is_forbidden: false,
            one_row: false,
            culls_itself: false,
            gives_order: false,
        }
    }

    /// How many constraints it uses.
    fn used_count(&self) -> usize {
        self.used.len()
    }

    fn skipped(&self) -> usize {
        match &self.way {
            Way::Tree(TreeWay::Index(way)) => way.keys.iter().filter(|key| **key == Key::Any).count(),
            _ => 0,
        }
    }

    fn is_covering_index(&self) -> bool {
        matches!(&self.way, Way::Tree(TreeWay::Index(way)) if way.is_covering)
    }

    fn is_indexed(&self) -> bool {
        matches!(self.way, Way::Tree(TreeWay::Index(_)))
    }

    /// Whether this candidate uses only some of the constraints of `other`, and is estimated to be cheaper.
    fn is_cheaper_part_of(&self, other: &Candidate) -> bool {
        (self.uses_part_of(other) || self.has_range_for_key_of(other))
            && !(self.run > other.run && self.rows > other.rows)
            && other.skipped() <= self.skipped()
            && (!self.is_covering_index() || other.is_covering_index())
    }

    /// Whether this candidate's constraints are a proper subset of those of `other`.
    fn uses_part_of(&self, other: &Candidate) -> bool {
        self.used_count() < other.used_count() && self.used.iter().all(|constraint| other.used.contains(constraint))
    }

    /// Whether this candidate has a range of a column for which `other` has an equality.
    fn has_range_for_key_of(&self, other: &Candidate) -> bool {
        let (Way::Tree(TreeWay::Index(own)), Way::Tree(TreeWay::Index(other))) = (&self.way, &other.way) else {
            return false;
        };
        own.index == other.index
            && own.range != Range::default()
            && own.keys.len() < other.keys.len()
            && own.keys.iter().zip(other.keys.iter()).all(|(own, other)| own == other)
    }

    /// Whether this candidate is at least as good as `other` in every respect.
    fn is_as_good_as(&self, other: &Candidate) -> bool {
        // Of two scans that cost the same, the scan of the table is preferred.
        let is_tied =
            self.is_indexed() && other.way == Way::Tree(TreeWay::Scan) && self.run == other.run && self.used.is_empty();
        !is_tied
            && self.needs.is_subset_of(other.needs)
            && self.setup <= other.setup
            && self.run <= other.run
            && self.rows <= other.rows
    }

    /// Whether this candidate, which was found later, replaces `other`.
    fn replaces(&self, other: &Candidate) -> bool {
        let is_better_than_hash = other.way == Way::Hash
            && self.skipped() == 0
            && self.is_indexed()
            && self.has_equality
            && self.needs.is_subset_of(other.needs);
        let is_better = self.needs.is_subset_of(other.needs) && self.run <= other.run && self.rows <= other.rows;
        is_better || is_better_than_hash
    }
}

/// The candidates of all sources.
#[derive(Debug, Default)]
pub struct Candidates {
    /// In the order in which they were found.
    pub all: Vec<Candidate>,
    /// The scans of virtual tables.
    pub scans: Vec<VirtualWay>,
    /// Whether they are those of a branch of an OR whose paths are not yet chosen: as in SQLite, all that use a constraint, with the costs
    /// as they are estimated. A scan for one branch could serve all branches.
    pub of_branch: bool,
}

impl Candidates {
    /// No candidates, with memory for so many.
    pub fn with_capacity(count: usize) -> Candidates {
        Candidates { all: Vec::with_capacity(count), ..Candidates::default() }
    }

    /// Adds a candidate, unless there is a better one, and removes those that it is better than.
    pub fn add(&mut self, mut candidate: Candidate) {
        if self.of_branch {
            self.all.extend((!candidate.used.is_empty()).then_some(candidate));
            return;
        }
        self.adjust_costs(&mut candidate);
        let mut place = None;
        let mut at = 0;
        while at < self.all.len() {
            let other = &self.all[at];
            if other.source != candidate.source || other.order != candidate.order {
                at += 1;
            } else if place.is_none() && other.is_as_good_as(&candidate) && !candidate.replaces_hash(other) {
                return;
            } else if candidate.replaces(other) {
                if place.is_none() {
                    place = Some(at);
                    at += 1;
                } else {
                    self.all.remove(at);
                }
            } else {
                at += 1;
            }
        }
        match place {
            Some(place) => self.all[place] = candidate,
            None => self.all.push(candidate),
        }
    }

    /// Adjusts costs so that a path that uses more constraints than another path is not more expensive than that path.
    /// Estimates that differ from this are wrong.
    fn adjust_costs(&mut self, candidate: &mut Candidate) {
        if !candidate.is_indexed() {
            return;
        }
        for other in self.all.iter().filter(|other| other.source == candidate.source && other.is_indexed()) {
            if other.is_cheaper_part_of(candidate) {
                candidate.run = other.run.min(candidate.run);
                candidate.rows = (other.rows - 1).min(candidate.rows);
            } else if candidate.is_cheaper_part_of(other) {
                candidate.run = other.run.max(candidate.run);
                candidate.rows = (other.rows + 1).max(candidate.rows);
            }
        }
    }

    /// Excludes scans before the search for an order, because a table that a good plan reaches by equalities should not
    /// be scanned only to get the order. `loops` are those of the plan, from the outermost on.
    pub fn forbid_scans_where_keys_serve(&mut self, loops: &[usize]) {
        let by_key = loops.iter().map_while(|&at| self.all[at].looks_up.then_some(self.all[at].source));
        let sources = by_key.fold(SourceSet::EMPTY, |all, source| all.union(SourceSet::single(source)));
        let is_scan = |candidate: &Candidate| candidate.used.is_empty() && candidate.way != Way::Hash;
        for candidate in self.all.iter_mut().filter(|candidate| sources.contains(candidate.source)) {
            candidate.is_forbidden |= is_scan(candidate);
        }
    }
}

impl Candidate {
    fn replaces_hash(&self, other: &Candidate) -> bool {
        other.way == Way::Hash && self.replaces(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path through source 0 with these costs for each row of the outer loops.
    fn path(way: Way, run: i16, rows: i16) -> Candidate {
        Candidate { run: LogEst(run), rows: LogEst(rows), ..Candidate::new(0, SourceSet::EMPTY, way) }
    }

    fn scan(run: i16, rows: i16) -> Candidate {
        path(Way::Tree(TreeWay::Scan), run, rows)
    }

    /// A search of an index by equalities with these constraints.
    fn search(index: usize, constraints: &[u16], run: i16, rows: i16) -> Candidate {
        let used: Few<ConstraintId, 6> = constraints.iter().map(|&id| ConstraintId(id)).collect();
        let keys = used.iter().map(|&id| Key::Constraint(id)).collect();
        let way = Way::Tree(TreeWay::Index(IndexWay { index, keys, ..IndexWay::default() }));
        Candidate { used, has_equality: true, looks_up: true, ..path(way, run, rows) }
    }

    fn kept(candidates: impl IntoIterator<Item = Candidate>) -> Vec<Candidate> {
        let mut all = Candidates::default();
        candidates.into_iter().for_each(|candidate| all.add(candidate));
        all.all
    }

    #[test]
    fn the_cheaper_path_is_kept_whichever_comes_first() {
        for order in [[0, 1], [1, 0]] {
            let kept = kept(order.map(|at| if at == 0 { scan(100, 90) } else { search(0, &[1], 40, 30) }));
            assert_eq!(kept.len(), 1);
            assert!(kept[0].is_indexed());
        }
    }

    #[test]
    fn a_path_that_is_better_in_one_respect_stays() {
        // The cheaper path needs the row of another source.
        let needy = Candidate { needs: SourceSet::single(1), ..search(0, &[1], 20, 10) };
        assert_eq!(kept([scan(100, 90), needy]).len(), 2);
        // It costs more, and leaves fewer rows.
        assert_eq!(kept([scan(100, 90), search(0, &[1], 110, 10)]).len(), 2);
        // Its rows come in another order.
        assert_eq!(kept([scan(100, 90), Candidate { order: 1, ..scan(120, 90) }]).len(), 2);
        // It is a path through another source.
        assert_eq!(kept([scan(100, 90), Candidate { source: 1, ..scan(120, 90) }]).len(), 2);
    }

    #[test]
    fn of_equal_scans_the_one_of_the_table_is_kept() {
        let index = path(Way::Tree(TreeWay::Index(IndexWay::default())), 100, 90);
        for order in [[0, 1], [1, 0]] {
            let kept = kept(order.map(|at| if at == 0 { scan(100, 90) } else { index.clone() }));
            assert!(kept.iter().any(|candidate| candidate.way == Way::Tree(TreeWay::Scan)), "{order:?}");
        }
    }

    #[test]
    fn a_path_that_uses_more_constraints_is_not_dearer() {
        // Index 1 serves both constraints; its statistics say that it is worse than index 0 with one of them.
        let kept = kept([search(0, &[1], 40, 30), search(1, &[1, 2], 60, 50)]);
        assert_eq!(kept.len(), 1, "{kept:?}");
        let LogEst(rows) = kept[0].rows;
        assert_eq!((&*kept[0].used, kept[0].run, rows), (&[ConstraintId(1), ConstraintId(2)][..], LogEst(40), 29));
    }

    #[test]
    fn an_index_replaces_a_hash_table() {
        let hash = Candidate { setup: LogEst(80), ..path(Way::Hash, 10, 5) };
        let kept = kept([hash, search(0, &[1], 40, 30)]);
        assert!(kept.len() == 1 && kept[0].is_indexed(), "{kept:?}");
    }

    #[test]
    fn a_source_that_is_looked_up_is_not_scanned_for_an_order() {
        let needy = Candidate { needs: SourceSet::single(1), ..search(0, &[1], 20, 10) };
        let mut candidates = Candidates { all: kept([scan(100, 90), needy]), ..Candidates::default() };
        let looks_up = candidates.all.iter().position(|candidate| candidate.looks_up).unwrap();
        candidates.forbid_scans_where_keys_serve(&[looks_up]);
        let forbidden: Vec<bool> = candidates.all.iter().map(|candidate| candidate.is_forbidden).collect();
        assert_eq!(forbidden.iter().filter(|is_forbidden| **is_forbidden).count(), 1);
        assert!(!forbidden[looks_up]);
    }
}
