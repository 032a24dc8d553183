//! The last step of planning: from chosen candidates to a plan with the values of all keys and bounds, and a place for
//! every condition.

use lithe_catalog::{CompileError, Result};
use lithe_resolve::ir::{ColumnIndex, CompareRows, Expr, How, SourceKind, SourceSet};

use super::candidate::{self, ArgumentOf, Candidate, Candidates, TreeWay, VirtualWay, Way};
use super::checks::Checks;
use super::context::PlanContext;
use super::order::{OrderColumns, OrderResult, Wish};
use super::paths::{describe_scan, hash};
use super::plan::*;
use super::search::Found;
use super::sources::SourceInfo;
use super::terms::{Constraint, ConstraintId, Left, Op, Right, Terms};
use super::{Join, LogEst, is_whole, partial};
use crate::rewrite::keeps_columns;

/// DISTINCT leaves an eighth of the rows.
const DISTINCT_FRACTION: i16 = 30;

/// The plan of a query without FROM: one row, if the conditions hold.
pub fn without_sources<'a>(join: &Join<'_, 'a>) -> Result<&'a mut JoinPlan<'a>> {
    let checks: Vec<Expr<'a>> = join.terms.conditions.iter().map(|condition| condition.expr).collect();
    Ok(join.context.arena.alloc(JoinPlan {
        request: join.request,
        constant_checks: join.context.arena.alloc_slice_copy(&checks),
        loops: &[],
        in_order: true,
        ordered_terms: join.order.columns.len(),
        order_by_met: false,
        distinct: DistinctPlan::Nothing,
        one_row: true,
        rows: LogEst::ONE,
        scans: &[],
    }))
}

/// The plan that was found.
pub fn plan<'a>(join: &Join<'_, 'a>, candidates: &Candidates, found: &Found) -> Result<&'a mut JoinPlan<'a>> {
    let loops = join.without_eliminated(candidates, &found.loops);
    // The rows that a RIGHT JOIN adds come last, in no order. As in SQLite, the loops run in the direction of the order all the same.
    let keeps_order = join.infos.iter().all(|info| !info.source.join.keeps_right_rows());
    let behind = join.order_by_behind(candidates, found);
    let order = behind.or_else(|| join.order_of_innermost(candidates, found)).unwrap_or(found.order);
    let arena = join.context.arena;
    let mut chosen = bumpalo::collections::Vec::with_capacity_in(loops.len(), arena);
    loops.iter().for_each(|&number| chosen.push(&candidates.all[number]));
    let mut checks = Checks::new(join, &chosen);
    let mut planned = bumpalo::collections::Vec::with_capacity_in(chosen.len(), arena);
    let mut outside = SourceSet::EMPTY;
    // A DISTINCT that has something to do is an order, too.
    let runs_backwards = !join.removes_duplicates() && runs_backwards(join.context, join.request);
    for (level, candidate) in chosen.iter().enumerate() {
        let is_last = if chosen.len() == 1 { join.infos.len() == 1 } else { level + 1 == chosen.len() };
        let path = join.path(candidate, &candidates.scans, (outside, is_last), &mut checks)?;
        outside.insert(candidate.source);
        planned.push(Loop {
            source: candidate.source,
            path,
            reverse: match path {
                Path::Or(_) => branches_run_backwards(join.context, join.request),
                _ => runs_backwards || order.reversed.contains(candidate.source),
            },
            nulls_moved: order.nulls_moved.contains(candidate.source),
            join_checks: &[],
            row_checks: &[],
            shows_filter: match path {
                Path::Hash(path) => path.is_binary(),
                _ => join.shows_filter(&chosen, level),
            },
            one_row: candidate.one_row,
            setup: candidate.setup,
            run: candidate.run,
            rows: candidate.rows,
            found: candidate.found,
        });
    }
    checks.place(&mut planned);
    let ordered = if keeps_order { found.ordered } else { 0 };
    let in_order = ordered == join.order.columns.len();
    let distinct = join.distinct_plan(candidates, found, in_order, keeps_order);
    Ok(arena.alloc(JoinPlan {
        request: join.request,
        constant_checks: checks.constant(),
        loops: planned.into_bump_slice(),
        in_order,
        ordered_terms: ordered,
        order_by_met: behind.is_some() && keeps_order,
        distinct,
        one_row: chosen.iter().all(|candidate| candidate.one_row),
        // DISTINCT is assumed to leave one row of eight.
        rows: match distinct {
            DistinctPlan::ComparePrevious | DistinctPlan::Remember if !join.request.is_aggregated => {
                found.rows - DISTINCT_FRACTION
            }
            _ => found.rows,
        },
        scans: arena.alloc_slice_fill_iter(join.infos.iter().map(SourceInfo::scan_cost)),
    }))
}

/// Whether rows come in the reverse order, because there is no ORDER BY and `reverse_unordered_selects` is on.
pub fn runs_backwards(context: &PlanContext<'_>, request: &JoinRequest<'_>) -> bool {
    matches!(request.order, WantedOrder::Any) && branches_run_backwards(context, request)
}

/// Whether the rows of each branch of an OR come in the reverse order: a branch is a search of its own, without an ORDER BY.
fn branches_run_backwards(context: &PlanContext<'_>, request: &JoinRequest<'_>) -> bool {
    context.env.flags.reverse_unordered_selects && request.purpose != Purpose::Write
}

impl<'a> Join<'_, 'a> {
    fn distinct_plan(&self, candidates: &Candidates, found: &Found, in_order: bool, keeps_order: bool) -> DistinctPlan {
        if !self.removes_duplicates() {
            return DistinctPlan::Nothing;
        }
        let is_grouped = match self.order.wish {
            Wish::Distinct => in_order,
            Wish::Sorted | Wish::Extreme | Wish::Grouped => {
                let wanted = OrderColumns::of_exprs(self.request.sources, self.request.result, Wish::Distinct);
                is_whole(&self.order_given(candidates, &found.loops, &wanted), &wanted)
            }
        };
        if is_grouped && keeps_order { DistinctPlan::ComparePrevious } else { DistinctPlan::Remember }
    }

    /// What the loops do for the ORDER BY after a GROUP BY, if they meet it, too. Of a row that needs no search SQLite does not ask that,
    /// and sorts.
    fn order_by_behind(&self, candidates: &Candidates, found: &Found) -> Option<OrderResult> {
        let WantedOrder::GroupBy(_, order_by @ [_, ..]) = self.request.order else { return None };
        if found.is_shortcut {
            return None;
        }
        let wanted = OrderColumns::of_terms(self.request.sources, order_by, Wish::Sorted);
        let result = self.order_given(candidates, &found.loops, &wanted);
        (found.ordered == self.order.columns.len() && is_whole(&result, &wanted)).then_some(result)
    }

    /// What the innermost loop does for the order, where the loops together do nothing.
    fn order_of_innermost(&self, candidates: &Candidates, found: &Found) -> Option<OrderResult> {
        if found.ordered > 0 || self.order.columns.is_empty() || self.order.wish == Wish::Distinct {
            return None;
        }
        let (&last, outer) = found.loops.split_last()?;
        let sources = outer.iter().map(|&number| SourceSet::single(candidates.all[number].source));
        let outside = sources.fold(SourceSet::EMPTY, SourceSet::union);
        self.order.met_by_innermost(&candidates.all[last], outside, self.infos, self.terms)
    }

    /// Whether SQLite would put a Bloom filter before the search of this loop: all tables so far are analysed, an equality
    /// finds rows of which other conditions drop many, and there are more searches than rows.
    fn shows_filter(&self, chosen: &[&Candidate], level: usize) -> bool {
        let is_analyzed = chosen[..=level].iter().all(|candidate| self.infos[candidate.source].is_analyzed);
        let searches = chosen[..level].iter().fold(LogEst::ONE, |all, candidate| all + candidate.rows);
        let candidate = chosen[level];
        level > 0
            && is_analyzed
            && candidate.has_equality
            && candidate.culls_itself
            && searches > self.infos[candidate.source].rows
    }

    /// The path of a candidate with its values. The conditions that it makes true are recorded in `checks`. Whether the loop `is_last`
    /// matters to the branches of an OR: SQLite plans each over its source and those of the loops inside.
    fn path(
        &self,
        candidate: &Candidate,
        scans: &[VirtualWay],
        (outside, is_last): (SourceSet, bool),
        checks: &mut Checks<'_, 'a>,
    ) -> Result<Path<'a>> {
        match &candidate.way {
            Way::Or(number) => {
                if self.or_is_decided(*number, outside.union(SourceSet::single(candidate.source))) {
                    checks.note_or(*number);
                }
                self.or_path(candidate.source, *number, outside, is_last)
            }
            Way::Hash => Ok(self.hash_path(candidate.source, outside, checks)),
            Way::Tree(_) | Way::Function(_) | Way::Virtual(_) => {
                if let Way::Tree(TreeWay::Index(way)) = &candidate.way {
                    self.note_met_by_entries(candidate.source, way.index, checks)?;
                }
                let path = self.single_path(self.terms, candidate, scans, |id| checks.note_used(id));
                path.map(Path::from).ok_or_else(|| CompileError::new("no query solution"))
            }
        }
    }

    /// The path of a candidate that is a single search, with values of `terms`: those of the join, or of a branch of an OR. The constraints
    /// that it makes true are noted.
    pub fn single_path(
        &self,
        terms: &Terms<'a>,
        candidate: &Candidate,
        scans: &[VirtualWay],
        mut note: impl FnMut(ConstraintId),
    ) -> Option<BranchPath<'a>> {
        let used = candidate.used.iter().filter(|id| !candidate.borrowed.contains(id)).copied();
        Some(match &candidate.way {
            Way::Tree(way) => {
                used.for_each(note);
                BranchPath::Tree(self.tree_path(terms, candidate.source, way))
            }
            Way::Function(arguments) => {
                used.for_each(note);
                BranchPath::Function(self.function_path(terms, arguments))
            }
            Way::Virtual(scan) => {
                let way = &scans[*scan];
                way.ensured().for_each(&mut note);
                BranchPath::Virtual(self.virtual_path(terms, way))
            }
            Way::Hash | Way::Or(_) => return None,
        })
    }

    /// The conditions that every entry of a partial index meets need not be checked.
    fn note_met_by_entries(&self, source: usize, index: usize, checks: &mut Checks<'_, 'a>) -> Result<()> {
        let info = &self.infos[source];
        let index = &info.indexes[index];
        if let Some(table) = info.table.filter(|_| index.is_partial) {
            let met = partial::conditions_of_entries(self.context, info.source, table, index.index)?;
            checks.note_met_by_entries(source, &met);
        }
        Ok(())
    }

    /// The path of such a candidate through the trees, with values of `terms`: those of the join, or of a branch of an OR.
    pub fn tree_path(&self, terms: &Terms<'a>, source: usize, way: &TreeWay) -> TreePath<'a> {
        let values = Values { join: self, terms };
        match way {
            TreeWay::Scan => TreePath::Scan,
            TreeWay::Rowid(id) => TreePath::Rowid(rowid_key_of(terms.constraint(*id))),
            TreeWay::RowidRange(range) => TreePath::RowidRange(values.bound(&range.low), values.bound(&range.high)),
            TreeWay::Index(way) => {
                let info = &self.infos[source];
                let index = &info.indexes[way.index];
                let keys: Vec<Key<'a>> = way.keys.iter().map(|key| values.key(key)).collect();
                let is_like = way
                    .range
                    .low
                    .is_some_and(|bound| terms.constraint(bound.constraint).made_of == super::terms::MadeOf::Like);
                TreePath::Index(self.context.arena.alloc(IndexPath {
                    db: index.db,
                    table: index.table,
                    index: index.index,
                    keys: self.context.arena.alloc_slice_copy(&keys),
                    low: values.bound(&way.range.low),
                    high: values.bound(&way.range.high),
                    // The rows that a RIGHT JOIN adds are read from the table, by the same code.
                    is_covering: way.is_covering && !index.needs_row && !info.source.join.keeps_right_rows(),
                    fixed: index.fixed,
                    is_like,
                }))
            }
        }
    }

    /// The arguments of a table-valued function, with values of `terms`: those of the join, or of a branch of an OR.
    pub fn function_path(&self, terms: &Terms<'a>, arguments: &[Option<ConstraintId>]) -> &'a [Option<Key<'a>>] {
        let key = |id: &Option<ConstraintId>| Some(key_of(terms.constraint((*id)?)));
        self.context.arena.alloc_slice_fill_iter(arguments.iter().map(key))
    }

    /// The scan of a virtual table, with values of `terms`: those of the join, or of a branch of an OR.
    pub fn virtual_path(&self, terms: &Terms<'a>, way: &VirtualWay) -> &'a VirtualPath<'a> {
        let values = Values { join: self, terms };
        // A LIMIT that the module applies needs no record: the statement reads no more rows anyway.
        let skips_offset = way.arguments.iter().any(|argument| argument.omit && argument.of == ArgumentOf::Offset);
        let limit = self.request.limit;
        let plain = |value: Option<Expr<'a>>| match value {
            Some(value) => Key::Value { value, how: How::default(), is: false },
            None => Key::Null,
        };
        let (arena, arguments) = (self.context.arena, way.arguments.iter());
        let keys = arena.alloc_slice_fill_iter(arguments.clone().map(|argument| match argument.of {
            ArgumentOf::Constraint(id) => values.key(&candidate::Key::Constraint(id)),
            ArgumentOf::Limit => plain(limit.map(|limit| limit.limit)),
            ArgumentOf::Offset => plain(limit.and_then(|limit| limit.offset)),
        }));
        let omit = arena.alloc_slice_fill_iter(arguments.clone().map(|argument| argument.omit));
        let all_at_once = arena.alloc_slice_fill_iter(arguments.map(|argument| argument.all_at_once));
        let text = arena.alloc_str(&describe_scan(&way.scan.plan, way.shows_hex));
        let scan = self.context.add_scan(way.scan.clone());
        arena.alloc(VirtualPath { scan, keys, all_at_once, omit, skips_offset, text })
    }

    /// All equalities with known values are the key, not only the one that the candidate was made for.
    fn hash_path(&self, source: usize, outside: SourceSet, checks: &mut Checks<'_, 'a>) -> Path<'a> {
        let info = &self.infos[source];
        let mut keys: Vec<HashKey<'a>> = Vec::new();
        for (id, constraint) in self.terms.numbered() {
            let (Left::Column(column), Right::Value(value)) = (constraint.left, constraint.right) else { continue };
            let is_new = keys.iter().all(|other| other.column != column);
            if is_new && constraint.needs.is_subset_of(outside) && hash::is_key(info, self.terms, source, constraint) {
                keys.push(HashKey { column, value, how: constraint.how, is: constraint.op == Op::Is });
                checks.note_used(id);
            }
        }
        let filter = checks.take_own(source);
        let columns = columns_behind(info, &keys);
        let arena = self.context.arena;
        Path::Hash(arena.alloc(HashPath {
            keys: arena.alloc_slice_copy(&keys),
            filter: arena.alloc_slice_copy(&filter),
            columns: arena.alloc_slice_copy(&columns),
        }))
    }
}

/// The columns of a hash table's rows after the key. The rows of a key come in the order of these columns, as in SQLite's automatic
/// index: all columns that the statement uses, for a WITHOUT ROWID table also the primary key, and last the rowid. A query all of whose
/// columns are kept, whether they are used or not, counts as used in all of them.
fn columns_behind(info: &SourceInfo<'_>, keys: &[HashKey<'_>]) -> Vec<ColumnIndex> {
    let mut used = info.used.clone();
    if let Some(table) = info.table.filter(|table| table.is_without_rowid()) {
        let primary = table.columns.iter().enumerate().filter(|(_, column)| column.primary_key > 0);
        primary.for_each(|(at, _)| used.insert(ColumnIndex::new(at)));
    }
    if let SourceKind::Subquery(derived) = info.source.kind
        && derived.cte.is_none()
        && keeps_columns(derived.query)
    {
        (0..derived.columns.len()).for_each(|at| used.insert(ColumnIndex::new(at)));
    }
    let key_on = |column: ColumnIndex| keys.iter().find(|key| key.column == column);
    let all = || used.positions().map(ColumnIndex::new);
    let rowid = used.has_rowid().then_some(ColumnIndex::ROWID);
    // A column compared by IS is stored in the key as two values, neither of which is the column.
    let compared_by_is = all().filter(|column| key_on(*column).is_some_and(|key| key.is));
    all().filter(|column| key_on(*column).is_none()).chain(rowid).chain(compared_by_is).collect()
}

/// Values of constraints.
struct Values<'c, 'a> {
    join: &'c Join<'c, 'a>,
    terms: &'c Terms<'a>,
}

impl<'a> Values<'_, 'a> {
    fn key(&self, key: &candidate::Key) -> Key<'a> {
        match key {
            candidate::Key::Any => Key::Any,
            candidate::Key::Constraint(id) => key_of(self.terms.constraint(*id)),
        }
    }

    fn bound(&self, bound: &Option<candidate::Bound>) -> Option<Bound<'a>> {
        let bound = (*bound)?;
        let constraint = self.terms.constraint(bound.constraint);
        self.bound_of(constraint, usize::from(bound.columns))
    }

    /// The end of a range that the constraint makes; `None` for IN, which limits no range.
    fn bound_of(&self, constraint: &Constraint<'a>, columns: usize) -> Option<Bound<'a>> {
        let arena = self.join.context.arena;
        let inclusive = constraint.op.is_inclusive();
        Some(match constraint.right {
            Right::Null => Bound { values: &[], how: &[], inclusive: false },
            Right::Value(value) => Bound {
                values: arena.alloc_slice_copy(&[value]),
                how: arena.alloc_slice_copy(&[constraint.how]),
                inclusive,
            },
            Right::Row(compare, swapped) => Bound {
                values: arena.alloc_slice_copy(&row_values(compare, swapped, columns)),
                how: &compare.how[..columns],
                // If the bound has fewer columns than the comparison, rows equal to the bound may lie on either side.
                inclusive: inclusive || columns < compare.how.len(),
            },
            Right::Set(..) => return None,
        })
    }
}

/// The rowid, or the rowids, that a constraint gives.
pub fn rowid_key_of<'a>(constraint: &Constraint<'a>) -> RowidKey<'a> {
    match constraint.right {
        Right::Value(value) => RowidKey::Value(value),
        Right::Null => RowidKey::Value(Expr::Null),
        Right::Set(set, column) => RowidKey::In { set, column, how: constraint.how },
        Right::Row(compare, swapped) => RowidKey::Value(first_value(compare, swapped)),
    }
}

fn key_of<'a>(constraint: &Constraint<'a>) -> Key<'a> {
    match constraint.right {
        Right::Value(value) => Key::Value { value, how: constraint.how, is: constraint.op == Op::Is },
        Right::Null => Key::Null,
        Right::Set(set, column) => Key::In { set, column, how: constraint.how },
        Right::Row(compare, swapped) => {
            Key::Value { value: first_value(compare, swapped), how: compare.how[0], is: false }
        }
    }
}

/// The first value of the row that is the bound.
fn first_value<'a>(compare: &CompareRows<'a>, swapped: bool) -> Expr<'a> {
    match if swapped { compare.left } else { compare.right } {
        Expr::Row(items) => items[0],
        Expr::Subquery(query) => Expr::SubqueryColumn(query, 0),
        single => single,
    }
}

/// The first values of the row that is the bound.
fn row_values<'a>(compare: &CompareRows<'a>, swapped: bool, count: usize) -> Vec<Expr<'a>> {
    match if swapped { compare.left } else { compare.right } {
        Expr::Row(items) => items[..count].to_vec(),
        Expr::Subquery(query) => (0..count).map(|at| Expr::SubqueryColumn(query, at as u16)).collect(),
        single => vec![single],
    }
}
