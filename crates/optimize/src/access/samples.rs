//! Estimates from the samples of an index (sqlite_stat4): how many entries have a constant in the first column, or lie
//! between two.
//!
//! ```text
//!   samples      less ─┬─ equal ─┐            less ─┬─ equal ─┐
//!   entries  ──────────┤    5    ├──────────────────┤    9    ├─────────
//!                      └─────────┘   the gap: 7     └─────────┘
//! ```
//!
//! A value that is a sample has as many entries as the sample says. Others have as many as the values between samples have on
//! average, and stand in the middle of their gap.

use std::cmp::Ordering;

use lithe_catalog::{IndexStatistics, Sample};
use lithe_format::record;
use lithe_resolve::ir::{Coll, Expr};
use lithe_value::{Collation, NumberText, ValueRef};

use super::facts::{IndexColumnFacts, IndexFacts};
use super::log_est::LogEst;

/// The samples of an index, looked at by its first column.
pub struct Samples<'f, 'a> {
    statistics: &'a IndexStatistics,
    column: &'f IndexColumnFacts<'a>,
    collation: Collation,
}

/// Where a value stands among the entries.
struct Place {
    /// Entries that are less.
    less: u64,
    /// Entries that are equal.
    equal: u64,
}

impl<'f, 'a> Samples<'f, 'a> {
    /// The samples, if there are any and they are in an order that is known here: that of a built-in collation.
    pub fn of(index: &'f IndexFacts<'a>) -> Option<Samples<'f, 'a>> {
        let statistics = index.index.statistics.as_deref().filter(|statistics| !statistics.samples.is_empty())?;
        let column = index.columns.first()?;
        let collation = match column.collation {
            Coll::Binary => Collation::Binary,
            Coll::NoCase => Collation::NoCase,
            Coll::RTrim => Collation::RTrim,
            Coll::Named(_) => return None,
        };
        Some(Samples { statistics, column, collation })
    }

    /// About how many entries are equal to the constant.
    pub fn equal(&self, value: &Expr<'_>) -> Option<LogEst> {
        Some(LogEst::of(self.place(value)?.equal.max(1)))
    }

    /// About how many entries lie between the constants; a bound says whether entries equal to it belong to the range.
    pub fn between(&self, low: Option<(&Expr<'_>, bool)>, high: Option<(&Expr<'_>, bool)>) -> Option<LogEst> {
        let (first, last) = if self.column.descending { (high, low) } else { (low, high) };
        let start = match first {
            None => 0,
            Some((value, inclusive)) => {
                let place = self.place(value)?;
                if inclusive { place.less } else { place.less + place.equal }
            }
        };
        let end = match last {
            None => self.statistics.rows,
            Some((value, inclusive)) => {
                let place = self.place(value)?;
                if inclusive { place.less + place.equal } else { place.less }
            }
        };
        Some(LogEst::of(end.saturating_sub(start).max(1)))
    }

    fn place(&self, value: &Expr<'_>) -> Option<Place> {
        let value = match value {
            Expr::Integer(integer) => ValueRef::Integer(*integer),
            Expr::Boolean(truth) => ValueRef::Integer(i64::from(*truth)),
            Expr::Real(real) => ValueRef::Real(*real),
            Expr::Text(text) => ValueRef::Text(text),
            Expr::Blob(blob) => ValueRef::Blob(blob),
            _ => return None,
        };
        let mut scratch = NumberText::default();
        Some(self.place_of(self.column.affinity.apply(value, &mut scratch)))
    }

    fn place_of(&self, value: ValueRef<'_>) -> Place {
        let mut less = 0;
        let (mut sampled_entries, mut sampled_values) = (0, 0);
        let mut above = None;
        for sample in &self.statistics.samples {
            let (Some(&before), Some(&equal)) = (sample.less.first(), sample.equal.first()) else { continue };
            match self.order(sample, value) {
                Ordering::Equal => return Place { less: before, equal },
                Ordering::Less => less = before.saturating_add(equal),
                Ordering::Greater if above.is_none() => above = Some(before),
                Ordering::Greater => {}
            }
            sampled_entries += equal;
            sampled_values += 1;
        }
        let gap = above.unwrap_or(self.statistics.rows).saturating_sub(less);
        let average = self.statistics.equal_rows.first().copied().unwrap_or(1).max(1);
        let values = (self.statistics.rows / average).max(1);
        let others = values.saturating_sub(sampled_values).max(1);
        let equal = (self.statistics.rows.saturating_sub(sampled_entries) / others).min(gap).max(u64::from(gap > 0));
        Place { less: less + gap / 2, equal }
    }

    /// The order of a sample and the value in the index.
    fn order(&self, sample: &Sample, value: ValueRef<'_>) -> Ordering {
        let first = record::values(&sample.record).ok().and_then(|values| values.first().copied());
        let order = lithe_value::compare(first.unwrap_or_default(), value, &self.collation);
        if self.column.descending { order.reverse() } else { order }
    }
}
