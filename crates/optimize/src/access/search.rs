//! The order of the loops: a beam search over partial plans.
//!
//! A partial plan is a sequence of candidates, one for each of some sources. From level to level the best few are
//! extended by every candidate whose needs they meet. Of two plans over the same sources that give the same order, only
//! the cheaper one is kept.

use std::cmp::Ordering;

use bumpalo::Bump;
use bumpalo::collections::Vec as ArenaVec;
use lithe_resolve::ir::SourceSet;

use super::candidate::{Candidate, Candidates, TreeWay, Way};
use super::few::Few;
use super::log_est::LogEst;
use super::order::{OrderColumns, OrderResult, Satisfied, Wish};
use super::sources::SourceInfo;
use super::terms::Terms;

/// The cost of finding the group of a row: 2.
const GROUPING: i16 = 10;
/// If a join runs more often than this (28 times), this number counts.
pub const REPEATS_MAX: LogEst = LogEst(48);

/// The join to be ordered.
pub struct Search<'c, 'a> {
    /// Where partial plans lie until the statement is compiled.
    pub arena: &'a Bump,
    /// The sources.
    pub infos: &'c [SourceInfo<'a>],
    /// The conditions.
    pub terms: &'c Terms<'a>,
    /// All candidates.
    pub candidates: &'c Candidates,
    /// The order that is wanted.
    pub order: &'c OrderColumns<'a>,
    /// Whether a fact table has been found among the sources: see [`super::star`].
    pub is_star: bool,
    /// How many rows are wanted at most, if it is known.
    pub row_limit: Option<LogEst>,
    /// Whether only distinct rows are wanted.
    pub is_distinct: bool,
    /// How many values a row of a sorter has.
    pub result_width: usize,
    /// How often the whole join is run.
    pub repeats: LogEst,
}

/// A complete plan: candidates by their number, from the outermost loop to the innermost.
#[derive(Clone, Debug)]
pub struct Found {
    /// The loops.
    pub loops: Few<usize, 8>,
    /// The estimated number of rows.
    pub rows: LogEst,
    /// How many columns of the wanted order are met.
    pub ordered: usize,
    /// What the loops do for the order.
    pub order: OrderResult,
    /// Found without a search: one row of one source.
    pub is_shortcut: bool,
}

/// A loop of a plan that is extended, and those outside of it. The plans that extend it share them.
#[derive(Debug)]
struct Step<'s> {
    before: Option<&'s Step<'s>>,
    number: usize,
}

/// A partial plan.
#[derive(Clone, Copy, Debug)]
struct Partial<'s> {
    /// All loops but the innermost.
    before: Option<&'s Step<'s>>,
    /// The innermost loop; none of the plan of no sources.
    last: Option<usize>,
    sources: SourceSet,
    rows: LogEst,
    cost: LogEst,
    /// The cost without a sort.
    unsorted: LogEst,
    order: OrderResult,
}

impl Partial<'_> {
    /// The loops, from the outermost on.
    fn loops(&self) -> Few<usize, 8> {
        let mut loops: Few<usize, 8> = self.last.into_iter().collect();
        let mut step = self.before;
        while let Some(Step { before, number }) = step {
            loops.push(*number);
            step = *before;
        }
        loops.reverse();
        loops
    }
}

/// The best plans over so many sources.
struct Kept<'s> {
    plans: ArenaVec<'s, Partial<'s>>,
    /// How many are kept.
    breadth: usize,
    /// The highest cost of the kept plans, once there are so many.
    cost_max: Option<LogEst>,
}

impl<'a> Search<'_, 'a> {
    /// The cheapest plan; none when a source has no path.
    ///
    /// `rows_sorted` is an estimate of the rows to be sorted. `None` ignores the order; this search gives the estimate.
    pub fn run(&self, rows_sorted: Option<LogEst>) -> Option<Found> {
        let breadth = self.breadth();
        let wants_order = rows_sorted.is_some() && !self.order.columns.is_empty();
        let start = Partial {
            before: None,
            last: None,
            sources: SourceSet::EMPTY,
            rows: self.repeats,
            cost: LogEst::ONE,
            unsorted: LogEst::ONE,
            order: OrderResult {
                satisfied: if wants_order { Satisfied::Open } else { Satisfied::Columns(0) },
                ..OrderResult::default()
            },
        };
        let mut partials = ArenaVec::with_capacity_in(1, self.arena);
        partials.push(start);
        for _ in self.infos {
            let mut next = Kept { plans: ArenaVec::with_capacity_in(breadth, self.arena), breadth, cost_max: None };
            for partial in &partials {
                let before = partial.last.map(|number| &*self.arena.alloc(Step { before: partial.before, number }));
                for (number, candidate) in self.candidates.all.iter().enumerate() {
                    if self.fits(partial, candidate) {
                        let rows_sorted = rows_sorted.filter(|_| wants_order);
                        let extended = self.extend(partial, (before, number), candidate, rows_sorted);
                        self.keep(&mut next, extended);
                    }
                }
            }
            partials = next.plans;
        }
        let best = partials.into_iter().min_by_key(|partial| partial.cost)?;
        let ordered = match best.order.satisfied {
            Satisfied::Columns(columns) => columns,
            Satisfied::Open => 0,
        };
        Some(Found { loops: best.loops(), rows: best.rows, ordered, order: best.order, is_shortcut: false })
    }

    /// How many partial plans are kept from level to level.
    fn breadth(&self) -> usize {
        match self.infos.len() {
            0 | 1 => 1,
            2 => 5,
            _ if self.is_star => 18,
            _ => 12,
        }
    }

    fn fits(&self, partial: &Partial<'_>, candidate: &Candidate) -> bool {
        /// A hash table is not built for fewer searches than about two.
        const HASH_ROWS_MIN: LogEst = LogEst(3);
        !candidate.is_forbidden
            && !partial.sources.contains(candidate.source)
            && candidate.needs.is_subset_of(partial.sources)
            && (!matches!(candidate.way, Way::Hash) || partial.rows >= HASH_ROWS_MIN)
    }

    fn extend<'s>(
        &self,
        partial: &Partial<'s>,
        (before, number): (Option<&'s Step<'s>>, usize),
        candidate: &Candidate,
        rows_sorted: Option<LogEst>,
    ) -> Partial<'s> {
        /// A plan that sorts is preferred only when it is clearly better, and one that does not a little sooner.
        const SORT_PENALTY: i16 = 3;
        const NO_SORT_BONUS: i16 = 2;
        let mut run = candidate.run + partial.rows;
        if candidate.setup != LogEst::ONE {
            run = candidate.setup.sum(run);
        }
        let mut unsorted = run.sum(partial.unsorted);
        let mut extended = Partial { before, last: Some(number), ..*partial };
        let order = match partial.order.satisfied {
            Satisfied::Open if candidate.gives_order && self.is_one_row(partial) => {
                OrderResult { satisfied: Satisfied::Columns(self.order.columns.len()), ..OrderResult::default() }
            }
            Satisfied::Open => {
                let loops = extended.loops();
                let path = loops.iter().map(|&number| &self.candidates.all[number]);
                self.order.satisfied_by(path, self.infos, self.terms)
            }
            Satisfied::Columns(_) => partial.order,
        };
        let wanted = self.order.columns.len();
        let cost = match (order.satisfied, rows_sorted) {
            (Satisfied::Columns(sorted), Some(rows)) if sorted < wanted => {
                unsorted.sum(self.sort_cost(rows, sorted)) + SORT_PENALTY
            }
            _ => {
                let cost = unsorted;
                unsorted -= NO_SORT_BONUS;
                cost
            }
        };
        extended.sources.insert(candidate.source);
        Partial { rows: partial.rows + candidate.rows, cost, unsorted, order, ..extended }
    }

    /// Whether the loops so far have one row together at most.
    fn is_one_row(&self, partial: &Partial<'_>) -> bool {
        partial.loops().iter().all(|&number| self.candidates.all[number].one_row)
    }

    /// The cost of sorting `rows` that are sorted by the first `sorted` columns already.
    fn sort_cost(&self, rows: LogEst, sorted: usize) -> LogEst {
        if self.order.wish == Wish::Grouped && self.infos.iter().any(|info| info.is_measured) {
            // The groups are found in a hash table.
            return rows + GROUPING;
        }
        let wanted = self.order.columns.len();
        let width = LogEst::of((self.result_width as u64 + 59) / 30);
        let mut cost = rows + width;
        let mut rows = rows;
        if sorted > 0 {
            cost += LogEst::of(((wanted - sorted) * 100 / wanted) as u64) - LogEst(66);
        }
        if let Some(limit) = self.row_limit {
            cost += 10;
            if sorted > 0 {
                cost += 6;
            }
            rows = rows.min(limit);
        } else if self.is_distinct && rows.0 > 10 {
            rows -= 10;
        }
        cost + rows.log2()
    }
}

impl Search<'_, '_> {
    /// Keeps a partial plan if it is among the best.
    fn keep<'s>(&self, kept: &mut Kept<'s>, plan: Partial<'s>) {
        // A plan that costs more than all kept ones is better neither than a plan over the same sources nor than the
        // worst.
        if kept.cost_max.is_some_and(|max| plan.cost > max) {
            return;
        }
        self.put(&mut kept.plans, plan, kept.breadth);
        if kept.plans.len() == kept.breadth {
            kept.cost_max = kept.plans.iter().map(|plan| plan.cost).max();
        }
    }

    fn put<'s>(&self, plans: &mut ArenaVec<'s, Partial<'s>>, plan: Partial<'s>, breadth: usize) {
        let is_open = |plan: &Partial<'_>| plan.order.satisfied == Satisfied::Open;
        if let Some(rival) =
            plans.iter_mut().find(|other| other.sources == plan.sources && is_open(other) == is_open(&plan))
        {
            let rank = |plan: &Partial<'_>| (plan.cost, plan.rows, plan.unsorted);
            let is_better = match rank(&plan).cmp(&rank(rival)) {
                Ordering::Equal => self.ends_narrower(&plan, rival),
                order => order.is_lt(),
            };
            if is_better {
                *rival = plan;
            }
            return;
        }
        if plans.len() < breadth {
            plans.push(plan);
            return;
        }
        let rank = |plan: &Partial<'_>| (plan.cost, plan.unsorted);
        // SQLite compares with the rows of the first plan here, where its cost is meant. Ties are decided in the same
        // way only if this code does so, too.
        let mut worst = (0, (plans[0].cost, plans[0].rows));
        for (at, other) in plans.iter().enumerate().skip(1) {
            if rank(other) > worst.1 {
                worst = (at, rank(other));
            }
        }
        if rank(&plan) < worst.1 {
            plans[worst.0] = plan;
        }
    }

    /// Whether the innermost loops of both read indexes, and the index of this plan has smaller entries.
    fn ends_narrower(&self, plan: &Partial<'_>, rival: &Partial<'_>) -> bool {
        let entry_size = |plan: &Partial<'_>| {
            let candidate = &self.candidates.all[plan.last?];
            match &candidate.way {
                Way::Tree(TreeWay::Index(way)) => Some(self.infos[candidate.source].indexes[way.index].entry_size),
                _ => None,
            }
        };
        matches!((entry_size(plan), entry_size(rival)), (Some(one), Some(other)) if one < other)
    }
}
