//! Estimates from the samples of an index (sqlite_stat4): how many entries begin with some constants, or lie between two.
//!
//! ```text
//!   samples      less ─┬─ equal ─┐            less ─┬─ equal ─┐
//!   entries  ──────────┤    5    ├──────────────────┤    9    ├─────────
//!                      └─────────┘   the gap: 7     └─────────┘
//! ```
//!
//! Constants that a sample begins with have as many entries as the sample counts. Other constants have the average number of entries
//! between samples, and are placed a third into their gap, or two thirds if they end a range. The estimates are exactly SQLite's.

use std::cmp::Ordering;

use lithe_catalog::{IndexStatistics, Sample};
use lithe_resolve::ir::{Coll, Expr};
use lithe_value::{Collation, NumberText, Value, ValueRef};

use super::context::PlanContext;
use super::log_est::LogEst;
use super::sources::{IndexColumnInfo, SourceIndexInfo};

/// The estimate where samples have no entry between two bounds: 2.
const NEARLY_NONE: LogEst = LogEst(10);
/// Two bounds in one gap have a quarter of the gap's entries between them.
const SAME_GAP: i16 = 20;

/// The samples of an index.
pub struct Samples<'f, 'a> {
    context: &'f PlanContext<'a>,
    statistics: &'a IndexStatistics,
    columns: &'f [IndexColumnInfo<'a>],
}

/// A bound of a range: constants for the columns after the key.
pub struct SampledBound {
    /// The constants, as the index stores them.
    pub values: Vec<Value>,
    /// Entries that begin with them lie below the bound.
    pub is_above_equal: bool,
}

/// Where constants stand among the entries.
struct Place {
    /// Which prefix of which sample is the first that is not less.
    at: usize,
    /// Entries that are less.
    less: u64,
    /// Entries that are equal.
    equal: u64,
}

impl<'f, 'a> Samples<'f, 'a> {
    /// The samples, if there are any and their order is that of built-in collations.
    pub fn of(context: &'f PlanContext<'a>, index: &'f SourceIndexInfo<'a>) -> Option<Samples<'f, 'a>> {
        let statistics = index.index.statistics.as_deref().filter(|statistics| !statistics.samples.is_empty())?;
        let width = statistics.samples.first().map_or(0, |sample| sample.equal.len());
        let columns = index.columns.get(..width).unwrap_or(index.columns);
        if columns.iter().any(|column| matches!(column.collation, Coll::Named(_))) {
            return None;
        }
        Some(Samples { context, statistics, columns })
    }

    /// How many columns the samples have.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The value of a constant expression, as the index stores it in column `at`; none for another expression.
    pub fn constant(&self, at: usize, expr: &Expr<'a>) -> Option<Value> {
        let value = super::known::value_of(self.context, expr)?;
        let mut scratch = NumberText::default();
        Some(Value::from(self.columns.get(at)?.affinity.apply(value.as_ref(), &mut scratch)))
    }

    /// About how many entries begin with the values.
    pub fn equal(&self, key: &[Value]) -> u64 {
        if key.len() >= self.columns.len() { 1 } else { self.place(key, false).equal }
    }

    /// About how many of the entries that begin with `key` lie between the bounds.
    pub fn between(&self, key: &[Value], low: Option<SampledBound>, high: Option<SampledBound>) -> LogEst {
        let (first, last) = if self.columns[key.len()].descending { (high, low) } else { (low, high) };
        let (mut start, mut end) = match key {
            [] => (0, self.rows()),
            key => {
                let place = self.place(key, false);
                (place.less, place.less.saturating_add(place.equal))
            }
        };
        let whole = |bound: &SampledBound| [key, &bound.values].concat();
        let side = |bound: &SampledBound, is_end: bool| {
            let place = self.place(&whole(bound), is_end);
            (place.at, if bound.is_above_equal { place.less.saturating_add(place.equal) } else { place.less })
        };
        let first = first.map(|bound| side(&bound, false));
        let last = last.map(|bound| side(&bound, true));
        start = first.map_or(start, |(_, entries)| start.max(entries));
        end = last.map_or(end, |(_, entries)| end.min(entries));
        let is_one_gap = first.zip(last).is_some_and(|((one, _), (other, _))| one == other);
        match end.checked_sub(start) {
            None | Some(0) => NEARLY_NONE,
            Some(entries) if is_one_gap => LogEst::of(entries) - SAME_GAP,
            Some(entries) => LogEst::of(entries),
        }
    }

    /// The place of entries that begin with the values. Samples and their prefixes are searched, from the shortest prefix of a sample that
    /// is greater than the previous sample.
    fn place(&self, key: &[Value], is_end: bool) -> Place {
        let key = &key[..key.len().min(self.columns.len())];
        let width = key.len();
        let samples = &self.statistics.samples;
        let (mut from, mut to) = (0, samples.len() * width);
        let (mut less, mut columns) = (0, 1);
        while from < to {
            let middle = from.midpoint(to);
            let at = middle / width;
            let count = self.prefix(at, middle % width + 1, width);
            let sample = &samples[at];
            match self.order(sample, &key[..count]) {
                Ordering::Less => {
                    less = number(&sample.less, count).saturating_add(number(&sample.equal, count));
                    from = middle + 1;
                }
                Ordering::Equal if count < width => {
                    less = number(&sample.less, count);
                    from = middle + 1;
                }
                Ordering::Equal => {
                    return Place { at, less: number(&sample.less, count), equal: number(&sample.equal, count) };
                }
                Ordering::Greater => {
                    columns = count;
                    to = middle;
                }
            }
        }
        let at = to / width;
        let above = samples.get(at).map_or(self.rows(), |sample| number(&sample.less, columns));
        let gap = above.saturating_sub(less);
        let before = if is_end { gap.saturating_mul(2) / 3 } else { gap / 3 };
        Place { at, less: less.saturating_add(before), equal: self.average(width - 1) }
    }

    /// The shortest prefix of a sample, of at least `count` columns and at most `width`, that is greater than the previous
    /// sample.
    fn prefix(&self, at: usize, count: usize, width: usize) -> usize {
        let Some(before) = at.checked_sub(1) else { return count };
        let samples = &self.statistics.samples;
        let is_behind = |count: &usize| number(&samples[before].less, *count) != number(&samples[at].less, *count);
        (count..width).find(is_behind).unwrap_or(width)
    }

    /// The average number of entries that are equal in columns up to `at`, of those outside the samples.
    fn average(&self, at: usize) -> u64 {
        const HUNDREDTHS: u64 = 100;
        if at > 0 && at + 1 == self.columns.len() {
            return 1; // all columns of an index are unique
        }
        let samples = &self.statistics.samples;
        let rows = self.rows_for(at);
        let (groups, counted) = match (self.equal_rows(at), samples.split_last()) {
            (Some(equal), _) => (rows.saturating_mul(HUNDREDTHS) / equal, samples.len()),
            (None, Some((last, before))) => {
                (number(&last.distinct_less, at + 1).saturating_mul(HUNDREDTHS), before.len())
            }
            (None, None) => return 1,
        };
        let is_last_of_group = |&index: &usize| {
            let own = number(&samples[index].distinct_less, at + 1);
            samples.get(index + 1).is_none_or(|next| own != number(&next.distinct_less, at + 1))
        };
        let sampled = (0..counted).filter(is_last_of_group);
        let (entries, sampled_groups) = sampled.fold((0u64, 0u64), |(entries, groups), index| {
            (entries.saturating_add(number(&samples[index].equal, at + 1)), groups + HUNDREDTHS)
        });
        if groups <= sampled_groups || entries >= rows {
            return 1;
        }
        ((rows - entries).saturating_mul(HUNDREDTHS) / (groups - sampled_groups)).max(1)
    }

    /// The number of equal entries in columns up to `at`, by sqlite_stat1.
    fn equal_rows(&self, at: usize) -> Option<u64> {
        self.statistics.equal_rows.get(at).copied().filter(|&equal| equal > 0)
    }

    /// The number of entries. For columns without statistics in sqlite_stat1, SQLite uses the last sample as the end.
    fn rows_for(&self, at: usize) -> u64 {
        match (self.equal_rows(at), self.statistics.samples.last()) {
            (None, Some(last)) => number(&last.less, at + 1),
            _ => self.statistics.rows,
        }
    }

    /// The number of entries for ranges: by the last column but one.
    fn rows(&self) -> u64 {
        self.rows_for(self.columns.len().saturating_sub(2))
    }

    /// The order of a sample and an entry that begins with the values, in the index.
    fn order(&self, sample: &Sample, key: &[Value]) -> Ordering {
        let orders = key.iter().zip(self.columns).enumerate().map(|(at, (value, column))| {
            let order = lithe_value::compare(value_of(sample, at), value.as_ref(), &collation(column));
            if column.descending { order.reverse() } else { order }
        });
        orders.fold(Ordering::Equal, Ordering::then)
    }

    /// The share of entries in a range of column `at`, if the columns before it are unknown: the share of samples between the bounds. A
    /// bound may have no known value. The result is a logarithm, at most 0; none if no bound is known.
    pub fn share(&self, at: usize, low: Option<Option<Value>>, high: Option<Option<Value>>) -> Option<i16> {
        if [&low, &high].into_iter().flatten().all(Option::is_none) {
            return None;
        }
        let column = self.columns.get(at)?;
        let not_above = |bound: &Value| {
            let collation = collation(column);
            let is_above =
                |sample: &&Sample| lithe_value::compare(bound.as_ref(), value_of(sample, at), &collation).is_ge();
            self.statistics.samples.iter().filter(is_above).count() as i64
        };
        let samples = self.statistics.samples.len() as i64;
        let first = match &low {
            None => -1,
            Some(value) => value.as_ref().map_or(0, not_above),
        };
        let last = match &high {
            None => samples + 1,
            Some(value) => value.as_ref().map_or(samples, not_above),
        };
        let between = (last - first).max(1);
        // Bounds that are close to each other are estimated without samples.
        let is_known = between != 1 || low.is_none() || high.is_none();
        is_known.then(|| LogEst::of(between as u64).0 - LogEst::of(samples as u64).0)
    }
}

fn collation(column: &IndexColumnInfo<'_>) -> Collation {
    match column.collation {
        Coll::NoCase => Collation::NoCase,
        Coll::RTrim => Collation::RTrim,
        Coll::Binary | Coll::Named(_) => Collation::Binary,
    }
}

/// The number for `count` columns.
fn number(numbers: &[u64], count: usize) -> u64 {
    numbers.get(count - 1).copied().unwrap_or(0)
}

/// The sample's value in a column.
fn value_of(sample: &Sample, column: usize) -> ValueRef<'_> {
    sample.values.get(column).map_or(ValueRef::Null, Value::as_ref)
}
