//! Paths through indexes.
//!
//! The columns of an index are tried from the left: each equality on a column extends the key by this column; a bound
//! ends the key. Every prefix is a candidate of its own.

use lithe_catalog::Result;
use lithe_resolve::ir::{CompareOp, Expr, Fixed, In, InSet, Indexed, JoinKind, SourceSet, indexed_column};
use lithe_value::Value;

use super::PathFinder;
use crate::access::candidate::{Bound, Candidate, IndexWay, Key, Range, TreeWay, Way};
use crate::access::context::PlanContext;
use crate::access::few::Few;
use crate::access::log_est::LogEst;
use crate::access::samples::{SampledBound, Samples};
use crate::access::sources::{IndexedTerm, SourceIndexInfo};
use crate::access::terms::{Constraint, ConstraintId, MadeOf, Op, Right, gives_parts};

/// IS NULL is estimated to find twice as many rows as `=`.
const NULL_FACTOR: i16 = 10;
/// An equality that an index scan can check before it fetches the row saves nearly all of the fetches.
const EQUALITY_SAVES: i16 = 19;
/// Skipping a column must leave at least so many equal rows (18) for each of its values.
const SKIP_ROWS_MIN: LogEst = LogEst(42);
/// The cost of the search for the next value of a skipped column: a factor of 1.4.
const SKIP_COST: i16 = 5;
/// How much better an IN must be than a scan of the entries found so far: a factor of 2.
const IN_MARGIN: i16 = 10;

/// Twice as many.
const HALF: i16 = 10;

/// An index path while its key is extended.
#[derive(Clone)]
struct Prefix {
    way: IndexWay,
    used: Few<ConstraintId, 6>,
    borrowed: Few<ConstraintId, 6>,
    needs: SourceSet,
    /// Entries that are equal to the key so far.
    rows: LogEst,
    /// How often the search is repeated: for each value of INs, for each skipped value.
    repeats: LogEst,
    /// The first values of the key, as far as they are constants that can be compared with samples.
    known: Vec<Value>,
    has_equality: bool,
    one_row: bool,
}

impl<'a> PathFinder<'_, 'a> {
    /// The paths through all indexes of the source.
    pub(super) fn add_index_paths(&mut self, source: usize, needs: SourceSet) -> Result<()> {
        let infos = self.infos;
        // The table is counted, too.
        let first = if infos[source].table.is_some_and(lithe_catalog::Table::has_rowid) { 2 } else { 1 };
        for (at, index) in infos[source].indexes.iter().enumerate() {
            if !self.may_use(source, index)? {
                continue;
            }
            let helps = !index.is_unordered && self.order.may_be_met_by(source, index);
            let order = if helps { u8::try_from(first + at).unwrap_or(u8::MAX) } else { 0 };
            self.last_order = order;
            self.add_index_scan(source, at, needs, order);
            let prefix = Prefix {
                way: IndexWay { index: at, is_covering: self.gives_all(source, index), ..IndexWay::default() },
                used: Few::new(),
                borrowed: Few::new(),
                needs,
                rows: index.rows[0],
                repeats: LogEst::ONE,
                known: Vec::new(),
                has_equality: false,
                one_row: false,
            };
            self.extend(source, index, order, prefix);
        }
        Ok(())
    }

    /// Whether the index holds all rows that meet the conditions. As in SQLite, only the conditions of the branch count while the
    /// union of an OR is estimated.
    fn may_use(&self, source: usize, index: &SourceIndexInfo<'a>) -> Result<bool> {
        let info = &self.infos[source];
        match info.table {
            Some(table) if self.in_or && index.is_partial => crate::access::partial::is_usable(
                self.context,
                info,
                table,
                index.index,
                self.terms,
                self.own_conditions,
            ),
            _ => Ok(index.is_usable),
        }
    }

    /// A scan of the index, if it is better than a scan of the table, or gives an order.
    fn add_index_scan(&mut self, source: usize, at: usize, needs: SourceSet, order: u8) {
        let info = &self.infos[source];
        let index = &info.indexes[at];
        let has_columns = index.is_covering && !self.hides_expressions(source, index);
        let is_smaller = has_columns && !index.is_unordered && index.entry_size < info.row_size && !self.for_write;
        let has_rowid = info.table.is_some_and(lithe_catalog::Table::has_rowid);
        let is_forced = matches!(info.source.indexed, Indexed::By(_));
        if order == 0 && has_rowid && !index.is_partial && !is_forced && !is_smaller {
            return;
        }
        if self.hides_expressions(source, index) {
            return;
        }
        let is_covering = self.gives_all(source, index);
        let way = Way::Tree(TreeWay::Index(IndexWay { index: at, is_covering, ..IndexWay::default() }));
        let mut candidate = Candidate::new(source, needs, way);
        candidate.rows = index.rows[0];
        candidate.run = index.rows[0] + 1 + self.relative_size(source, index);
        if !has_columns {
            candidate.run = candidate.run.sum(index.rows[0] + index.row_fetch - self.fetches_saved(source, index));
        }
        candidate.order = order;
        self.add(candidate);
    }

    /// Whether the rows need not be fetched: all their columns are in the index. Outside of a SELECT, and in the branches of an OR,
    /// SQLite requires that an index of a WITHOUT ROWID table has all columns of the table.
    fn gives_all(&self, source: usize, index: &SourceIndexInfo<'a>) -> bool {
        let has_rowid = self.infos[source].table.is_some_and(lithe_catalog::Table::has_rowid);
        let is_believed = self.in_select || has_rowid || index.is_whole;
        let is_known = !(self.in_or && index.covers_by_expressions);
        index.is_covering && is_believed && is_known && !self.hides_expressions(source, index)
    }

    /// Whether the source is that of a RIGHT JOIN, whose rows are read from the table, and the index has expressions.
    fn hides_expressions(&self, source: usize, index: &SourceIndexInfo<'a>) -> bool {
        let has_expressions = index.columns.iter().any(|column| matches!(column.term, IndexedTerm::Expr(_)));
        has_expressions && matches!(self.infos[source].source.join, JoinKind::Right | JoinKind::Full)
    }

    /// How many fetches of rows are saved by conditions that need only the entries. SQLite counts its terms in order, up to
    /// the first that needs the row.
    fn fetches_saved(&self, source: usize, index: &SourceIndexInfo<'a>) -> i16 {
        let mut saved = 0;
        let mut rows = self.terms.row_equalities.iter().peekable();
        for (at, condition) in self.terms.conditions.iter().enumerate() {
            while let Some((_, equality)) = rows.next_if(|(before, _)| *before == at) {
                if !self.is_covered(source, index, equality) {
                    return saved;
                }
                saved += 1;
            }
            if !self.is_covered(source, index, &condition.expr) {
                return saved;
            }
            saved += match condition.likelihood {
                Some(likelihood) => -likelihood,
                None if condition.equality != super::Selectivity::NotEqual => 1 + EQUALITY_SAVES,
                None => 1,
            };
        }
        for (_, expr) in &self.terms.following {
            if let Expr::Compare(compare) = expr
                && self.is_covered(source, index, expr)
            {
                saved += if compare.op == CompareOp::Eq { 1 + EQUALITY_SAVES } else { 1 };
            }
        }
        for constraint in self.terms.constraints.iter().filter(|constraint| constraint.is_extra) {
            let is_within = constraint.needs.contains(constraint.source);
            let is_equality = matches!(constraint.op, Op::Eq | Op::Is) && !is_within;
            saved += if is_equality { 1 + EQUALITY_SAVES } else { 1 };
        }
        // Each column of a row value is a term, too.
        let parts = self.terms.conditions.iter().map(|condition| match &condition.expr {
            Expr::In(In { value: Expr::Row(items), set: InSet::Query(query), .. }) if gives_parts(query) => items.len(),
            _ => 0,
        });
        saved + i16::try_from(parts.sum::<usize>()).unwrap_or(i16::MAX / 2)
    }

    /// Whether the index has all columns of the source that the expression uses.
    fn is_covered(&self, source: usize, index: &SourceIndexInfo<'a>, expr: &Expr<'a>) -> bool {
        let id = self.infos[source].source.id;
        !lithe_resolve::ir::any(expr, &mut |part| match part {
            Expr::Column(column) | Expr::Fixed(Fixed { column, .. }) if column.source == id => !index
                .columns
                .iter()
                .any(|indexed| matches!(indexed.term, IndexedTerm::Column(at) if at == column.index)),
            _ => false,
        })
    }

    /// The cost that the size of entries relative to rows adds to stepping.
    fn relative_size(&self, source: usize, index: &SourceIndexInfo<'a>) -> i16 {
        15 * index.entry_size.0 / self.infos[source].row_size.0.max(1)
    }

    /// Adds candidates for all constraints on the next column, and extends each of them.
    fn extend(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: Prefix) {
        let at = prefix.way.keys.len();
        if at >= self.searchable(source, index) {
            return;
        }
        let column = index.columns[at].term.column();
        let ids = self.constraints_on(source, column, |constraint| index.serves(at, constraint));
        for &id in ids.iter() {
            self.extend_by(source, index, order, &prefix, id);
        }
        self.skip(source, index, order, prefix);
    }

    /// The number of columns that a search can use: those of the primary key if the index is the table, else all.
    fn searchable(&self, source: usize, index: &SourceIndexInfo<'a>) -> usize {
        let table = self.infos[source].table.and_then(|table| table.root);
        let is_table = index.index.root.is_some() && index.index.root == table;
        if is_table { index.key_count() } else { index.columns.len() }
    }

    fn extend_by(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: &Prefix, id: ConstraintId) {
        let constraint = *self.terms.constraint(id);
        let at = prefix.way.keys.len();
        if self.in_or && constraint.made_of == MadeOf::NotNull {
            return;
        }
        let asks_for_null = constraint.op == Op::IsNull || constraint.made_of == MadeOf::NotNull;
        if asks_for_null && !index.columns[at].nullable {
            return;
        }
        // An index may name a column twice, or two equal columns. The rows of a query are gone through once.
        let is_of_query = matches!(constraint.right, Right::Set(In { set: InSet::Query(_), .. }, _));
        if is_of_query && prefix.used.contains(&id) {
            return;
        }
        let mut next = prefix.clone();
        self.take(source, index, &mut next, id);
        if constraint.op.is_equality() {
            if self.extend_key(index, &mut next, id, &constraint) {
                self.add_prefix(source, index, order, &next, next.rows);
                self.extend(source, index, order, next);
            }
            return;
        }
        if index.is_unordered {
            return;
        }
        match (constraint.op.is_lower(), constraint.made_of) {
            (true, made_of) => {
                next.way.range.low = Some(self.bound(source, index, at, id));
                if made_of == MadeOf::Like {
                    // The two bounds of a LIKE are only used together.
                    let high = ConstraintId(id.0 + 1);
                    next.way.range.high = Some(Bound { constraint: high, columns: 1 });
                    next.used.push(high);
                }
                self.add_range(source, index, order, &next);
                if made_of != MadeOf::Like {
                    self.add_upper_bounds(source, index, order, &next);
                }
            }
            (false, MadeOf::Like) => {}
            (false, _) => {
                next.way.range.high = Some(self.bound(source, index, at, id));
                self.add_range(source, index, order, &next);
            }
        }
    }

    /// Records that the constraint is used for the column after the key.
    fn take(&self, source: usize, index: &SourceIndexInfo<'a>, next: &mut Prefix, id: ConstraintId) {
        let column = index.columns[next.way.keys.len()].term.column();
        if self.is_borrowed(id, source, column) {
            next.borrowed.push(id);
        }
        next.used.push(id);
        next.needs = next.needs.union(self.terms.constraint(id).needs);
    }

    /// Extends the key by one column. `false`: the extension is not worth its cost.
    fn extend_key(
        &self,
        index: &SourceIndexInfo<'a>,
        next: &mut Prefix,
        id: ConstraintId,
        constraint: &Constraint<'a>,
    ) -> bool {
        let at = next.way.keys.len();
        let is_first_repeat = next.repeats == LogEst::ONE;
        let values = if constraint.op == Op::In {
            // A further column of the same query repeats nothing.
            let is_again = next.used[..next.used.len() - 1]
                .iter()
                .any(|&used| self.terms.constraint(used).condition == constraint.condition);
            let is_of_query = matches!(constraint.right, Right::Set(In { set: InSet::Query(_), .. }, _));
            if is_again && is_of_query { LogEst::ONE } else { self.values_of(&constraint.right) }
        } else {
            LogEst::ONE
        };
        if constraint.op == Op::In && self.in_loses(index, at, values) && next.repeats.0 >= 2 {
            return false;
        }
        next.way.keys.push(Key::Constraint(id));
        next.rows = self.rows_after(index, next, at, constraint);
        next.repeats += values;
        next.has_equality |= matches!(constraint.op, Op::Eq | Op::Is);
        let column = &index.columns[at];
        let is_rowid = matches!(column.term, IndexedTerm::Column(column) if column.is_rowid());
        let is_last_key = at + 1 == index.key_count() && is_first_repeat;
        if matches!(constraint.op, Op::Eq | Op::Is) && (is_rowid || is_last_key) {
            let is_single = index.key_count() == 1 && index.index.is_unique() && constraint.op == Op::Eq;
            next.one_row |= is_rowid || index.is_unique_not_null || is_single;
        }
        true
    }

    /// Whether scanning the entries found so far would be cheaper than searching for each value of an IN.
    fn in_loses(&self, index: &SourceIndexInfo<'a>, at: usize, values: LogEst) -> bool {
        let search = index.rows[0].log2();
        index.is_analyzed && search.0 >= 10 && (index.rows[at] + values.log2() + IN_MARGIN) < values + search
    }

    /// How many entries are left with an equality on the column at `at`, too.
    fn rows_after(
        &self,
        index: &SourceIndexInfo<'a>,
        prefix: &mut Prefix,
        at: usize,
        constraint: &Constraint<'a>,
    ) -> LogEst {
        let rows = prefix.rows;
        let is_column = matches!(index.columns[at].term, IndexedTerm::Column(column) if !column.is_rowid());
        if let Some(likelihood) = self.terms.conditions[constraint.condition].likelihood.filter(|_| is_column) {
            return rows + likelihood - self.values_of(&constraint.right);
        }
        if prefix.repeats == LogEst::ONE
            && self.terms.conditions[constraint.condition].replaced.is_none()
            && let Some(sampled) = sampled_rows(self.context, index, &mut prefix.known, at, constraint)
        {
            return LogEst::of(sampled).min(rows) - self.values_of(&constraint.right);
        }
        let equal = rows + (index.rows[at + 1] - index.rows[at]);
        if constraint.op == Op::IsNull { equal + NULL_FACTOR } else { equal }
    }

    fn add_upper_bounds(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: &Prefix) {
        let at = prefix.way.keys.len();
        let column = index.columns[at].term.column();
        let ids = self.constraints_on(source, column, |constraint| {
            constraint.op.is_upper() && constraint.made_of != MadeOf::Like && index.serves(at, constraint)
        });
        for &id in ids.iter() {
            let mut next = prefix.clone();
            self.take(source, index, &mut next, id);
            next.way.range.high = Some(self.bound(source, index, at, id));
            self.add_range(source, index, order, &next);
        }
    }

    fn add_range(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: &Prefix) {
        let rows = self.sampled_range(index, prefix);
        let rows = rows.unwrap_or_else(|| self.rows_in_range(prefix.rows, &prefix.way.range));
        self.add_prefix(source, index, order, prefix, rows);
    }

    /// The number of entries in the range by samples, if its bounds are constants.
    fn sampled_range(&self, index: &SourceIndexInfo<'a>, prefix: &Prefix) -> Option<LogEst> {
        let samples = Samples::of(self.context, index)?;
        let (range, at) = (&prefix.way.range, prefix.way.keys.len());
        if at >= samples.width() {
            return None;
        }
        if prefix.known.len() != at {
            let value = |bound: &Bound| match self.terms.constraint(bound.constraint).right {
                Right::Value(_) if self.is_of_column(bound) => None,
                Right::Value(value) => samples.constant(at, &value),
                Right::Null => Some(Value::NULL),
                Right::Set(..) | Right::Row(..) => None,
            };
            let share = samples.share(at, range.low.as_ref().map(value), range.high.as_ref().map(value))?;
            return Some(prefix.rows + share);
        }
        let (mut rows, mut unknown) = (prefix.rows, *range);
        let mut sampled = |bound: &mut Option<Bound>| {
            let found = self.sampled_bound(&samples, at, bound.as_ref()?)?;
            rows -= 1;
            *bound = None;
            Some(found)
        };
        let (low, high) = (sampled(&mut unknown.low), sampled(&mut unknown.high));
        let rows = rows.min(samples.between(&prefix.known, low, high));
        Some(self.rows_in_range(rows, &unknown))
    }

    /// The constants at the start of a bound; none if its first value is no constant.
    fn sampled_bound(&self, samples: &Samples<'_, 'a>, at: usize, bound: &Bound) -> Option<SampledBound> {
        let constraint = self.terms.constraint(bound.constraint);
        let is_above = |op: Op| matches!(op, Op::Gt | Op::Le);
        match constraint.right {
            Right::Value(_) if self.is_of_column(bound) => None,
            Right::Value(value) => {
                let value = samples.constant(at, &value)?;
                Some(SampledBound { values: vec![value], is_above_equal: is_above(constraint.op) })
            }
            Right::Row(compare, swapped) => {
                let row = if swapped { &compare.left } else { &compare.right };
                let Expr::Row(items) = row else { return None };
                let constants = items.iter().take(usize::from(bound.columns)).enumerate();
                let values: Vec<Value> = constants.map_while(|(n, item)| samples.constant(at + n, item)).collect();
                let is_whole = values.len() == items.len();
                let is_above_equal = if is_whole { is_above(constraint.op) } else { constraint.op.is_upper() };
                (!values.is_empty()).then_some(SampledBound { values, is_above_equal })
            }
            Right::Null => Some(SampledBound { values: vec![Value::NULL], is_above_equal: is_above(constraint.op) }),
            Right::Set(..) => None,
        }
    }

    /// Whether the value of the bound is a constant in the place of a column, which SQLite does not look up in samples.
    fn is_of_column(&self, bound: &Bound) -> bool {
        self.terms.conditions[self.terms.constraint(bound.constraint).condition].replaced.is_some()
    }

    /// How many columns of the index, from `at` on, the constraint bounds.
    fn bound(&self, source: usize, index: &SourceIndexInfo<'a>, at: usize, id: ConstraintId) -> Bound {
        let columns = match self.terms.constraint(id).right {
            Right::Row(compare, swapped) => {
                let row = if swapped { &compare.right } else { &compare.left };
                let items = if let Expr::Row(items) = row { *items } else { std::slice::from_ref(row) };
                let columns = &index.columns[..self.searchable(source, index)];
                let matches = items.iter().zip(compare.how).enumerate().skip(1).take_while(|(n, (item, how))| {
                    columns.get(at + n).is_some_and(|column| {
                        self.is_bounded(source, column, item, how) && column.descending == index.columns[at].descending
                    })
                });
                1 + matches.count()
            }
            _ => 1,
        };
        Bound { constraint: id, columns: columns as u16 }
    }

    /// Whether an item of a row value is the index's column, compared as the index sorts it. As in SQLite, neither the rowid nor an item
    /// with COLLATE is one.
    fn is_bounded(
        &self,
        source: usize,
        column: &crate::access::sources::IndexColumnInfo<'a>,
        item: &Expr<'a>,
        how: &lithe_resolve::ir::How<'a>,
    ) -> bool {
        let (IndexedTerm::Column(indexed), Some(of)) = (column.term, indexed_column(item)) else { return false };
        of.source == self.infos[source].source.id
            && of.index == indexed
            && !indexed.is_rowid()
            && how.collation == column.collation
            && crate::access::terms::fits_affinity(how.affinity, column.affinity)
    }

    /// Adds the candidate that the prefix is, with `rows` entries found by each search.
    fn add_prefix(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: &Prefix, rows: LogEst) {
        let entries = rows + 1 + self.relative_size(source, index);
        let mut run = index.rows[0].log2().sum(entries);
        if !prefix.way.is_covering {
            run = run.sum(rows + index.row_fetch);
        }
        let mut candidate = Candidate::new(source, prefix.needs, Way::Tree(TreeWay::Index(prefix.way.clone())));
        candidate.run = run + prefix.repeats;
        candidate.rows = rows + prefix.repeats;
        candidate.used = prefix.used.clone();
        candidate.borrowed = prefix.borrowed.clone();
        candidate.order = order;
        candidate.has_equality = prefix.has_equality;
        candidate.looks_up = prefix.way.keys.iter().any(|key| *key != Key::Any);
        candidate.one_row = prefix.one_row;
        self.add(candidate);
    }

    /// Skips the next column: all its values are visited, one after the other. Only the first columns are skipped, and only
    /// if statistics show that they have few values.
    fn skip(&mut self, source: usize, index: &SourceIndexInfo<'a>, order: u8, prefix: Prefix) {
        let at = prefix.way.keys.len();
        let is_good = index.is_analyzed
            && prefix.way.keys.iter().all(|key| *key == Key::Any)
            && !index.no_skip_scan
            && at + 1 < index.key_count()
            && prefix.way.range == Range::default()
            && index.rows[at + 1] >= SKIP_ROWS_MIN;
        if !is_good {
            return;
        }
        let values = index.rows[at] - index.rows[at + 1];
        let mut next = prefix;
        next.way.keys.push(Key::Any);
        next.rows -= values;
        next.repeats += values + SKIP_COST;
        self.extend(source, index, order, next);
    }
}

impl<'a> PathFinder<'_, 'a> {
    /// Whether, by the samples of an index, more than half of a source's rows meet the condition, which is an equality.
    pub(super) fn is_met_by_most(&self, source: usize, condition: usize) -> bool {
        let indexes = self.infos[source].indexes.iter().filter(|index| index.is_usable && index.is_sampled());
        indexes.into_iter().any(|index| {
            let mut constraints = self.terms.constraints.iter().filter(|constraint| {
                constraint.condition == condition && constraint.source == source && index.serves(0, constraint)
            });
            constraints.any(|constraint| {
                let rows = sampled_rows(self.context, index, &mut Vec::new(), 0, constraint);
                rows.is_some_and(|rows| LogEst::of(rows) + HALF > index.rows[0])
            })
        })
    }
}

/// The number of entries, by samples, that are equal to the constant (or to one of them) in the column at `at`, and to the `known` values
/// before it.
fn sampled_rows<'a>(
    context: &PlanContext<'a>,
    index: &SourceIndexInfo<'a>,
    known: &mut Vec<Value>,
    at: usize,
    constraint: &Constraint<'a>,
) -> Option<u64> {
    if known.len() != at {
        return None;
    }
    let samples = Samples::of(context, index)?;
    let mut equal = |value: &Expr<'a>| {
        known.truncate(at);
        known.push(samples.constant(at, value)?);
        Some(samples.equal(known))
    };
    match &constraint.right {
        Right::Value(value) => equal(value),
        Right::Null => equal(&Expr::Null),
        Right::Set(set, _) => {
            let InSet::List(items) = &set.set else { return None };
            let each = items.iter().map(equal).collect::<Option<Vec<u64>>>();
            known.truncate(at);
            Some(each?.into_iter().fold(0, u64::saturating_add).min(index.rows[0].to_u64()))
        }
        Right::Row(..) => None,
    }
}
