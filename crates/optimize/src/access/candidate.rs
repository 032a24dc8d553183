//! Candidates: the ways to run through one source that are worth considering, each with its costs.

use lithe_resolve::ir::SourceSet;
use lithe_vtab::CompiledScan;

use super::few::Few;
use super::log_est::LogEst;
use super::terms::ConstraintId;

/// A way to run through a source.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The source, by position.
    pub source: usize,
    /// Sources that must be in outer loops.
    pub needs: SourceSet,
    /// What it costs once.
    pub setup: LogEst,
    /// What it costs for each row of the outer loops.
    pub run: LogEst,
    /// The rows that come out for each row of the outer loops.
    pub rows: LogEst,
    /// The way.
    pub way: Way,
    /// Constraints that it uses, skipped columns left out.
    pub used: Few<ConstraintId, 6>,
    /// Those among them that are about another column, which is equal: using them does not make them true.
    pub borrowed: Few<ConstraintId, 6>,
    /// Candidates compete only with others of the same order: 0 when the order of its rows is of no use, else a number
    /// of the index.
    pub order: u8,
    /// A column is looked up by `=` or IS.
    pub has_equality: bool,
    /// A column is looked up, by any comparison that finds equal values.
    pub looks_up: bool,
    /// It must not be used any more.
    pub is_forbidden: bool,
    /// At most one row comes out for each row of the outer loops.
    pub one_row: bool,
    /// Conditions that are not used by the path drop rows of this source alone.
    pub culls_itself: bool,
    /// Its rows come in the order that is wanted, whatever that is.
    pub gives_order: bool,
}

/// The kinds of paths.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// All rows, in the order of the table.
    Scan,
    /// The rows with some rowids.
    Rowid(Key),
    /// A range of rowids.
    RowidRange(Range),
    /// Through an index.
    Index(IndexWay),
    /// A hash table is built of the rows: where SQLite makes an automatic index.
    Hash,
    /// The rows that a table-valued function gives for arguments: a constraint for each hidden column that has one.
    Function(Vec<Option<ConstraintId>>),
    /// A scan of a virtual table: [`Candidates::scans`] has it.
    Virtual(usize),
    /// Each branch of the disjunction of this number has its own path, chosen when the whole plan is known.
    Or(usize),
}

/// A scan of a virtual table.
#[derive(Clone, Debug)]
pub struct VirtualWay {
    /// What its module gets.
    pub arguments: Vec<Argument>,
    /// What its module has said about it.
    pub scan: CompiledScan,
    /// Its number is shown in hexadecimal.
    pub shows_hex: bool,
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
    /// Of an IN: all values together, not one after the other.
    pub all_at_once: bool,
}

/// A path through an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexWay {
    /// Which of the source's indexes.
    pub index: usize,
    /// What the first columns are equal to.
    pub keys: Few<Key, 6>,
    /// The range of the next column.
    pub range: Range,
    /// The table itself is not read.
    pub is_covering: bool,
}

/// What a column is equal to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Key {
    /// What a constraint says.
    Constraint(ConstraintId),
    /// Every value there is, one after the other (skip-scan).
    #[default]
    Any,
}

/// Bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// From here on.
    pub low: Option<Bound>,
    /// Up to here.
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
    /// How many constraints are used by it.
    fn used_count(&self) -> usize {
        self.used.len()
    }

    fn skipped(&self) -> usize {
        match &self.way {
            Way::Index(way) => way.keys.iter().filter(|key| **key == Key::Any).count(),
            _ => 0,
        }
    }

    fn is_covering_index(&self) -> bool {
        matches!(&self.way, Way::Index(way) if way.is_covering)
    }

    fn is_indexed(&self) -> bool {
        matches!(self.way, Way::Index(_))
    }

    /// Whether this one leaves out something that `other` uses, and claims to be cheaper.
    fn is_cheaper_part_of(&self, other: &Candidate) -> bool {
        (self.uses_part_of(other) || self.has_range_for_key_of(other))
            && !(self.run > other.run && self.rows > other.rows)
            && other.skipped() <= self.skipped()
            && (!self.is_covering_index() || other.is_covering_index())
    }

    /// Whether this one uses fewer constraints than `other`, all of which `other` uses.
    fn uses_part_of(&self, other: &Candidate) -> bool {
        self.used_count() < other.used_count() && self.used.iter().all(|constraint| other.used.contains(constraint))
    }

    /// Whether this one has a range of a column where `other` knows what the column is equal to.
    fn has_range_for_key_of(&self, other: &Candidate) -> bool {
        let (Way::Index(own), Way::Index(other)) = (&self.way, &other.way) else { return false };
        own.index == other.index
            && own.range != Range::default()
            && own.keys.len() < other.keys.len()
            && own.keys.iter().zip(other.keys.iter()).all(|(own, other)| own == other)
    }

    /// Whether nothing speaks for `other` when this one is there.
    fn makes_needless(&self, other: &Candidate) -> bool {
        // Of scans that cost the same, that of the table is taken.
        let is_tied = self.is_indexed() && other.way == Way::Scan && self.run == other.run && self.used.is_empty();
        !is_tied
            && self.needs.is_subset_of(other.needs)
            && self.setup <= other.setup
            && self.run <= other.run
            && self.rows <= other.rows
    }

    /// Whether this one, found later, takes the place of `other`.
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
}

impl Candidates {
    /// Adds a candidate, unless a better one is there; those it is better than go.
    pub fn add(&mut self, mut candidate: Candidate) {
        self.adjust_costs(&mut candidate);
        let mut place = None;
        let mut at = 0;
        while at < self.all.len() {
            let other = &self.all[at];
            if other.source != candidate.source || other.order != candidate.order {
                at += 1;
            } else if place.is_none() && other.makes_needless(&candidate) && !candidate.replaces_hash(other) {
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

    /// A path that uses more constraints than another one is not more expensive than that one: estimates that say so are
    /// wrong somewhere.
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

    /// Before the search for an order: tables that a good plan reaches by equalities are not to be scanned only because
    /// that gives the order. `loops` are those of the plan, from the outermost on.
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
