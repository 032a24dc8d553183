//! The order in which nested loops give their rows, and how much of the wanted order it meets.
//!
//! The rows of nested loops are sorted first by the order of the outermost loop, rows that are equal in it by the next
//! loop's, and so on; but the order of an inner loop matters only if the order of the outer loops distinguishes all
//! their rows:
//!
//! ```text
//!   outer: index on (a, b), b unique          ORDER BY a, b, c      a, b: from the outer loop
//!   inner: index on (c)                                             c: from the inner loop, as (a, b) is unique
//! ```
//!
//! A wanted column is also satisfied when it is the same in every row, or when it depends only on loops whose rows the
//! order so far distinguishes.

use lithe_resolve::ir::{
    Coll, ColumnIndex, CompareOp, Expr, How, OrderOrigin, OrderTerm, Query, SourceKind, SourceSet, TermOrigin,
    affinity_of, collation_of, is_constant, same, skip_likelihood, sources_of,
};
use lithe_value::Affinity;
use lithe_vtab::OrderUse;

use super::candidate::{Candidate, Key, TreeWay, Way};
use super::few::Few;
use super::sources::{IndexedTerm, SourceIndexInfo, SourceInfo};
use super::terms::{Constraint, Left, Op, Right, Terms, fits_affinity};

/// The columns whose order is wanted.
#[derive(Debug)]
pub struct OrderColumns<'a> {
    /// From the most significant on.
    pub columns: Vec<OrderColumn<'a>>,
    /// The purpose of the order.
    pub wish: Wish,
    /// What virtual tables are told of it; nothing if they are not asked for the order.
    pub told: Option<OrderUse>,
}

/// What an order is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// ORDER BY: exactly this order.
    Sorted,
    /// GROUP BY: equal rows together, in any sequence of the columns and any direction.
    Grouped,
    /// min() or max(): the first row decides. As in SQLite, the values of an IN do not come in order for it.
    Extreme,
    /// DISTINCT: equal rows together, in any sequence of the columns.
    Distinct,
}

/// A column whose order is wanted.
#[derive(Clone, Copy, Debug)]
pub struct OrderColumn<'a> {
    /// The expression to sort by, without COLLATE.
    pub expr: Expr<'a>,
    /// The source and its column, when it is one.
    pub column: Option<(usize, ColumnIndex)>,
    /// The sources that it depends on.
    pub needs: SourceSet,
    /// The collation.
    pub collation: Coll<'a>,
    /// COLLATE was written.
    pub has_collate: bool,
    /// DESC.
    pub descending: bool,
    /// NULLs at the other end.
    pub nulls_opposite: bool,
}

/// How much of an order loops give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Satisfied {
    /// So many columns, from the first on; further loops change nothing.
    Columns(usize),
    /// All columns so far that could be; further loops may give more.
    #[default]
    Open,
}

/// What the loops of a path do for the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderResult {
    /// How much of the order is met.
    pub satisfied: Satisfied,
    /// The sources whose loops have to run backwards.
    pub reversed: SourceSet,
    /// The sources whose loops have to move NULLs to the other end: the values first, then the NULLs (or the reverse).
    pub nulls_moved: SourceSet,
}

impl<'a> OrderColumns<'a> {
    /// No order is wanted.
    pub fn none() -> OrderColumns<'a> {
        OrderColumns { columns: Vec::new(), wish: Wish::Sorted, told: None }
    }

    /// The columns of ORDER BY or GROUP BY.
    pub fn of_terms(
        sources: &[lithe_resolve::ir::Source<'a>],
        terms: &[OrderTerm<'a>],
        wish: Wish,
    ) -> OrderColumns<'a> {
        let column = |term: &OrderTerm<'a>| OrderColumn {
            collation: term.collation,
            descending: term.descending,
            nulls_opposite: term.nulls_opposite,
            ..OrderColumn::of(sources, &term.expr)
        };
        OrderColumns { columns: terms.iter().map(column).collect(), wish, told: None }
    }

    /// Expressions whose equal values must be adjacent.
    pub fn of_exprs(sources: &[lithe_resolve::ir::Source<'a>], exprs: &[Expr<'a>], wish: Wish) -> OrderColumns<'a> {
        let columns = exprs.iter().map(|expr| OrderColumn::of(sources, expr)).collect();
        OrderColumns { columns, wish, told: None }
    }

    /// Whether the order of the source's rowids may be of use.
    pub fn wants_rowid_of(&self, source: usize) -> bool {
        self.columns.iter().any(|column| column.column == Some((source, ColumnIndex::ROWID)))
    }

    /// Whether the order of the index may be of use.
    pub fn may_be_met_by(&self, source: usize, index: &SourceIndexInfo<'a>) -> bool {
        let keys = &index.columns[..index.key_count()];
        self.columns.iter().any(|wanted| match wanted.column {
            Some((of, column)) => {
                of == source && (column.is_rowid() || keys.iter().any(|key| key.term.is_column(column)))
            }
            None => wanted.needs == SourceSet::single(source) && keys.iter().any(|key| key.term.is_expr(&wanted.expr)),
        })
    }

    /// How much of this order the loops give, from the outermost on.
    pub fn satisfied_by<'l>(
        &self,
        loops: impl Iterator<Item = &'l Candidate>,
        infos: &[SourceInfo<'a>],
        terms: &Terms<'a>,
    ) -> OrderResult {
        let mut check = Check {
            wanted: self,
            infos,
            terms,
            done: 0,
            outside: SourceSet::EMPTY,
            distinct: SourceSet::EMPTY,
            sets_are_values: false,
            result: OrderResult::default(),
        };
        let columns = self.columns.len();
        if columns > ORDER_COLUMNS_MAX {
            return OrderResult { satisfied: Satisfied::Columns(0), ..check.result };
        }
        let all = (1_u64 << columns) - 1;
        for candidate in loops {
            if check.done == all {
                break;
            }
            if !check.add(candidate) {
                let satisfied = Satisfied::Columns((check.done.trailing_ones() as usize).min(columns));
                return OrderResult { satisfied, ..check.result };
            }
        }
        let satisfied = if check.done == all { Satisfied::Columns(columns) } else { Satisfied::Open };
        OrderResult { satisfied, ..check.result }
    }
}

impl OrderColumns<'_> {
    /// What the innermost loop does for the whole order for one row of the outer loops, and one value of each IN; none if it does not
    /// meet the order even then. As in SQLite, the loop runs in this direction although all rows are sorted.
    pub fn met_by_innermost(
        &self,
        candidate: &Candidate,
        outside: SourceSet,
        infos: &[SourceInfo<'_>],
        terms: &Terms<'_>,
    ) -> Option<OrderResult> {
        let is_rowid_of_set = match &candidate.way {
            Way::Tree(TreeWay::Rowid(id)) => terms.constraint(*id).op == Op::In,
            _ => false,
        };
        let columns = self.columns.len();
        if candidate.one_row || is_rowid_of_set || columns > ORDER_COLUMNS_MAX {
            return None;
        }
        let wanted = OrderColumns { columns: self.columns.clone(), wish: Wish::Sorted, told: None };
        let mut check = Check {
            wanted: &wanted,
            infos,
            terms,
            done: 0,
            outside,
            distinct: SourceSet::EMPTY,
            sets_are_values: true,
            result: OrderResult::default(),
        };
        check.add(candidate);
        (check.done == (1 << columns) - 1).then_some(check.result)
    }
}

/// Whether values that equal this one are the same. If its affinity is another one than the column's, different values may equal it: the
/// texts '2' and '2.0' both equal the integer 2. A constant in the place of a column has no affinity, but is compared with that of the
/// column.
fn has_affinity<'a>(value: &Expr<'a>, how: How<'a>, wanted: &OrderColumn<'a>) -> bool {
    let affinity = affinity_of(&wanted.expr);
    affinity_of(value).is_none_or(|of| Some(of) == affinity)
        && fits_affinity(how.affinity, affinity.unwrap_or(Affinity::Blob))
}

/// For orders of more columns, the loops are not examined.
pub const ORDER_COLUMNS_MAX: usize = 63;

impl<'a> OrderColumn<'a> {
    fn of(sources: &[lithe_resolve::ir::Source<'a>], expr: &Expr<'a>) -> OrderColumn<'a> {
        let bare = skip_likelihood(*expr);
        let column = match bare {
            Expr::Column(column) => {
                sources.iter().position(|source| source.id == column.source).map(|at| (at, column.index))
            }
            _ => None,
        };
        OrderColumn {
            expr: bare,
            column,
            needs: sources_of(sources, &bare),
            collation: collation_of(expr).unwrap_or_default(),
            has_collate: matches!(expr, Expr::Collate(..)),
            descending: false,
            nulls_opposite: false,
        }
    }
}

/// The examination of a sequence of loops.
struct Check<'c, 'a> {
    wanted: &'c OrderColumns<'a>,
    infos: &'c [SourceInfo<'a>],
    terms: &'c Terms<'a>,
    /// The columns that are satisfied, one bit each.
    done: u64,
    /// The sources of the loops so far.
    outside: SourceSet,
    /// The sources of loops whose rows the order so far distinguishes.
    distinct: SourceSet,
    /// Each IN counts as one value.
    sets_are_values: bool,
    result: OrderResult,
}

/// A column of the order in which a loop gives its rows.
struct LoopColumn<'a> {
    term: IndexedTerm<'a>,
    collation: Option<Coll<'a>>,
    descending: bool,
    nullable: bool,
}

impl<'a> Check<'_, 'a> {
    /// Adds the next loop; `false` when the order of further loops does not matter.
    fn add(&mut self, candidate: &Candidate) -> bool {
        // What a virtual table's column equals says nothing about its values, which need not have the declared affinity.
        if matches!(candidate.way, Way::Virtual(_) | Way::Function(_)) {
            return false;
        }
        // As in SQLite, not even the order of the loops outside counts then.
        if !candidate.one_row && self.has_no_order(candidate) {
            self.done = 0;
            return false;
        }
        self.note_constants(candidate);
        let is_distinct = candidate.one_row || self.follow(candidate);
        self.outside.insert(candidate.source);
        if is_distinct {
            self.distinct.insert(candidate.source);
            self.note_determined();
        }
        is_distinct
    }

    /// Whether the rows come through an automatic index, the branches of an OR, or an index whose order the statistics say not to use.
    fn has_no_order(&self, candidate: &Candidate) -> bool {
        match &candidate.way {
            Way::Hash | Way::Or(_) => true,
            Way::Tree(TreeWay::Index(way)) => self.infos[candidate.source].indexes[way.index].is_unordered,
            Way::Tree(_) | Way::Function(_) | Way::Virtual(_) => false,
        }
    }

    /// Columns that an equality binds have one value only for each row of the loops outside.
    fn note_constants(&mut self, candidate: &Candidate) {
        for (at, wanted) in self.wanted.columns.iter().enumerate() {
            let Some((source, column)) = wanted.column else { continue };
            if self.done >> at & 1 == 0 && source == candidate.source && self.is_bound(candidate, column, wanted) {
                self.done |= 1 << at;
            }
        }
    }

    /// Whether an equality leaves one value of the column. As in SQLite, the first one decides: of the column itself before those of others
    /// that equal it, with a value that is known outside of all loops before others.
    fn is_bound(&self, candidate: &Candidate, column: ColumnIndex, wanted: &OrderColumn<'a>) -> bool {
        let source = candidate.source;
        let equals = self.terms.equal_columns(source, column, |origin| self.infos[source].admits(origin));
        // All rows that are sorted meet WHERE, whatever a path may use of it.
        let holds = |origin: TermOrigin| origin == TermOrigin::Where || self.infos[source].admits(origin);
        let found = self.terms.numbered().filter_map(|(id, constraint)| {
            let Left::Column(of) = constraint.left else { return None };
            let is_own = constraint.source == source && of == column;
            let rank =
                if is_own { 0 } else { 1 + equals.iter().position(|equal| *equal == (constraint.source, of))? };
            let counts = (matches!(constraint.op, Op::Eq | Op::Is | Op::IsNull)
                || self.sets_are_values && constraint.op == Op::In && candidate.used.contains(&id))
                && constraint.needs.is_subset_of(self.outside)
                && holds(self.terms.conditions[constraint.condition].origin);
            counts.then_some((!constraint.needs.is_empty(), rank, constraint))
        });
        let Some((_, rank, first)) = found.min_by_key(|(waits, rank, _)| (*waits, *rank)) else { return false };
        // An equality of the column that another one has replaced by a constant is found, too.
        let replaced = if rank == 0 { self.replaced_before(source, column, first) } else { None };
        let (value, how) = match (replaced, first.right) {
            (Some((value, how)), _) => (Some(value), how),
            (None, Right::Value(value)) => (Some(value), first.how),
            (None, Right::Null | Right::Set(..) | Right::Row(..)) => (None, first.how),
        };
        let is_set_or_null = replaced.is_none() && matches!(first.op, Op::IsNull | Op::In);
        value.is_none_or(|value| has_affinity(&value, how, wanted))
            && (is_set_or_null || column.is_rowid() || how.collation == wanted.collation)
    }

    /// The other side of an equality of the column that stands before `first`, in which the column has become a constant.
    fn replaced_before(
        &self,
        source: usize,
        column: ColumnIndex,
        first: &Constraint<'a>,
    ) -> Option<(Expr<'a>, How<'a>)> {
        let end = if first.is_extra { self.terms.conditions.len() } else { first.condition };
        let id = self.infos[source].source.id;
        let is_it = |side: &Expr<'a>| matches!(side, Expr::Fixed(fixed) if fixed.column.source == id && fixed.column.index == column);
        self.terms.conditions.iter().take(end).find_map(|condition| {
            let Expr::Compare(compare) = condition.expr else { return None };
            if !matches!(compare.op, CompareOp::Eq | CompareOp::Is) {
                return None;
            }
            match (is_it(&compare.left), is_it(&compare.right)) {
                (true, _) => Some((compare.right, compare.how)),
                (_, true) => Some((compare.left, compare.how)),
                _ => None,
            }
        })
    }

    /// Compares the order of the loop with the wanted one as far as they agree. Returns whether the order distinguishes
    /// all rows of the loop.
    fn follow(&mut self, candidate: &Candidate) -> bool {
        let Some(order) = loop_order(&self.infos[candidate.source], candidate) else {
            self.note_order_of_query(candidate);
            return false;
        };
        if self.wanted.wish == Wish::Extreme && (0..order.keys.len()).any(|at| self.key_op(&order, at) == Some(Op::In))
        {
            return false;
        }
        let mut is_distinct = order.is_unique;
        let mut reverse = None;
        for (at, column) in order.columns.iter().enumerate() {
            match self.key_op(&order, at) {
                Some(Op::In) if !self.sets_are_values => {}
                None => {}
                Some(op) => {
                    is_distinct &= op != Op::IsNull;
                    continue;
                }
            }
            is_distinct &= at < order.keys.len() || !column.nullable;
            let matching =
                if self.is_part_of_row(&order, at) { None } else { self.matching(candidate, column, reverse) };
            let Some((wanted, backwards)) = matching else {
                is_distinct &= at > 0 && at >= order.unique_columns;
                break;
            };
            // NULLs can be moved to the other end only if their column is the first one without an equality.
            if self.wanted.columns[wanted].nulls_opposite {
                if at != order.keys.len() {
                    // As in SQLite, the loop runs in the wanted direction nevertheless.
                    reverse = backwards.or(reverse);
                    is_distinct &= at > 0 && at >= order.unique_columns;
                    break;
                }
                if column.nullable {
                    self.result.nulls_moved.insert(candidate.source);
                }
            }
            reverse = backwards.or(reverse);
            self.done |= 1 << wanted;
            if column.term.is_column(ColumnIndex::ROWID) {
                // The rowid distinguishes all rows, so columns after it do not matter.
                is_distinct = true;
                break;
            }
        }
        // DISTINCT needs no direction: as in SQLite, the index is read forwards.
        if reverse == Some(true) && self.wanted.wish != Wish::Distinct {
            self.result.reversed.insert(candidate.source);
        }
        is_distinct
    }

    /// Notes the wanted columns that the ORDER BY of a query in FROM meets. SQLite compares the two lists term by term. A table of the rows may
    /// be read backwards, if all terms are met that way.
    fn note_order_of_query(&mut self, candidate: &Candidate) {
        let info = &self.infos[candidate.source];
        let SourceKind::Subquery(derived) = info.source.kind else { return };
        if candidate.way != Way::Tree(TreeWay::Scan) || derived.is_recursive() {
            return;
        }
        let is_same = |(wanted, given): &(&OrderColumn<'a>, GivenTerm<'a>)| {
            wanted.column.is_some()
                && wanted.column == given.output.map(|at| (candidate.source, ColumnIndex::new(at)))
                && !wanted.has_collate
                && wanted.collation == given.collation
                && (self.wanted.wish == Wish::Grouped || wanted.nulls_opposite == given.nulls_opposite)
        };
        // Columns that have one value need no order.
        let bound = (self.done.trailing_ones() as usize).min(self.wanted.columns.len());
        let open = &self.wanted.columns[bound..];
        let is_any_way = self.wanted.wish == Wish::Grouped;
        let mut backwards = None;
        let mut met = 0;
        for (wanted, given) in open.iter().zip(order_given(derived.query)).take_while(is_same) {
            let against = !is_any_way && wanted.descending != given.descending;
            if against && !info.is_table || backwards.is_some_and(|before| before != against) {
                break;
            }
            backwards = Some(against);
            met += 1;
        }
        self.done |= ((1 << met) - 1) << bound;
        // DISTINCT needs no direction: as in SQLite, the table is read forwards.
        if backwards == Some(true) && self.wanted.wish != Wish::Distinct {
            self.result.reversed.insert(candidate.source);
        }
    }

    /// The comparison that binds the loop's column at `at`.
    fn key_op(&self, order: &LoopOrder<'a>, at: usize) -> Option<Op> {
        match order.keys.get(at) {
            Some(Key::Constraint(id)) => Some(self.terms.constraint(*id).op),
            Some(Key::Any) | None => None,
        }
    }

    /// Whether the column is bound by an IN of row values that binds a later one, too: the order is that of the rows then.
    fn is_part_of_row(&self, order: &LoopOrder<'a>, at: usize) -> bool {
        let condition = |key: &Key| match key {
            Key::Constraint(id) => Some(self.terms.constraint(*id).condition),
            Key::Any => None,
        };
        let Some(this) = order.keys.get(at).and_then(condition) else { return false };
        order.keys[at + 1..].iter().any(|key| condition(key) == Some(this))
    }

    /// The wanted column that the loop's next column satisfies, and the direction in which the loop must run for it, if it
    /// matters.
    fn matching(
        &self,
        candidate: &Candidate,
        column: &LoopColumn<'a>,
        reverse: Option<bool>,
    ) -> Option<(usize, Option<bool>)> {
        let mut open = self.wanted.columns.iter().enumerate().filter(|(at, _)| self.done >> at & 1 == 0);
        let fits = |wanted: &OrderColumn<'a>| {
            let is_it = match wanted.column {
                Some((of, index)) => of == candidate.source && column.term.is_column(index),
                None => wanted.needs == SourceSet::single(candidate.source) && column.term.is_expr(&wanted.expr),
            };
            is_it && column.collation.is_none_or(|collation| collation == wanted.collation)
        };
        // In an ORDER BY the next wanted column must come next.
        let (at, wanted) = match self.wanted.wish {
            Wish::Sorted | Wish::Extreme => open.next().filter(|(_, wanted)| fits(wanted))?,
            Wish::Grouped | Wish::Distinct => open.find(|(_, wanted)| fits(wanted))?,
        };
        if self.wanted.wish == Wish::Grouped {
            return Some((at, None));
        }
        let backwards = column.descending != wanted.descending;
        reverse.is_none_or(|reverse| reverse == backwards).then_some((at, Some(backwards)))
    }

    /// Columns that depend only on loops whose rows are all distinguished are met.
    fn note_determined(&mut self) {
        for (at, wanted) in self.wanted.columns.iter().enumerate() {
            let is_determined = wanted.needs.is_subset_of(self.distinct);
            if is_determined && (!wanted.needs.is_empty() || is_constant(&wanted.expr)) {
                self.done |= 1 << at;
            }
        }
    }
}

/// A term of the order in which a query in FROM gives its rows.
struct GivenTerm<'a> {
    /// The result column; none for anything else, and for a column with COLLATE.
    output: Option<usize>,
    collation: Coll<'a>,
    descending: bool,
    nulls_opposite: bool,
}

/// The order in which a query gives its rows: its ORDER BY and, if its sides are merged to find equal rows, all columns.
fn order_given<'a>(query: &'a Query<'a>) -> impl Iterator<Item = GivenTerm<'a>> {
    let is_taken = query.order_origin == OrderOrigin::Taken;
    let written = query.order_by.iter().filter(move |_| !is_taken).map(|term| GivenTerm {
        output: term.output.map(usize::from).filter(|_| !matches!(term.expr, Expr::Collate(..))),
        collation: term.collation,
        descending: term.descending,
        nulls_opposite: term.nulls_opposite,
    });
    let is_written = |at: usize| query.order_by.iter().any(|term| term.output.map(usize::from) == Some(at));
    let columns = if query.ends_merged() { query.columns } else { &[] };
    let others = columns.iter().enumerate().filter(move |(at, _)| !is_written(*at)).map(|(at, column)| GivenTerm {
        output: Some(at),
        collation: column.collation,
        descending: false,
        nulls_opposite: false,
    });
    written.chain(others)
}

/// The order in which the candidate's rows come; none when it has none.
fn loop_order<'a>(info: &SourceInfo<'a>, candidate: &Candidate) -> Option<LoopOrder<'a>> {
    let rowid = || LoopColumn {
        term: IndexedTerm::Column(ColumnIndex::ROWID),
        collation: None,
        descending: false,
        nullable: false,
    };
    let by_rowid = |keys| {
        let has_rowid = info.table.is_some_and(lithe_catalog::Table::has_rowid);
        has_rowid.then(|| LoopOrder { keys, columns: vec![rowid()], unique_columns: 0, is_unique: true })
    };
    let Way::Tree(way) = &candidate.way else { return None };
    match way {
        TreeWay::Scan | TreeWay::RowidRange(_) => by_rowid(Few::new()),
        TreeWay::Rowid(id) => by_rowid(Few::one(Key::Constraint(*id))),
        TreeWay::Index(way) => {
            let index = &info.indexes[way.index];
            let columns = index.columns.iter().map(|column| LoopColumn {
                term: column.term,
                collation: Some(column.collation),
                descending: column.descending,
                nullable: column.nullable,
            });
            Some(LoopOrder {
                keys: way.keys.clone(),
                columns: columns.collect(),
                unique_columns: index.key_count(),
                is_unique: index.index.is_unique() && !way.keys.contains(&Key::Any),
            })
        }
    }
}

/// The order in which a loop gives its rows.
struct LoopOrder<'a> {
    keys: Few<Key, 6>,
    columns: Vec<LoopColumn<'a>>,
    /// The first columns that are unique together.
    unique_columns: usize,
    is_unique: bool,
}

impl<'a> IndexedTerm<'a> {
    /// Whether it is that column.
    pub fn is_column(&self, column: ColumnIndex) -> bool {
        matches!(self, IndexedTerm::Column(of) if *of == column)
    }

    /// Whether it is that expression.
    pub fn is_expr(&self, expr: &Expr<'a>) -> bool {
        matches!(self, IndexedTerm::Expr(of) if same(of, expr))
    }
}
