//! The rows that a sorter holds in memory.
//!
//! ```text
//!   entries   | prefix, span | prefix, span | ...        16 bytes each: what is sorted ([`refine`](super::refine))
//!                        │              │
//!   records   | record ..| record ......| ...            in the order of arrival
//! ```
//!
//! With a limit N, rows are collected up to twice that number. Then only the N smallest are kept, and the largest of them becomes
//! the bar: new rows must be less. Each cut is linear, so that the cost of a row is constant for any N.

use std::cmp::Ordering;
use std::collections::TryReserveError;
use std::sync::Arc;

use lithe_btree::KeyInfo;
use lithe_value::ValueRef;

use super::refine::{self, Entry, Order};
use crate::arena::{Arena, Stored};
use crate::keys::{Prefix, Rest, compare_to_values, prefix, value_at};

/// Rows collected beyond the limit before a cut: a cut per row would be quadratic for small limits.
const CUT_SLACK: usize = 256;

/// Rows in memory.
#[derive(Debug)]
pub struct Batch {
    key: Arc<KeyInfo>,
    entries: Vec<Entry>,
    records: Arena,
    /// All prefixes determine the first column of their keys.
    all_exact: bool,
    limit: Option<usize>,
    /// The entry that new rows must be less than, once a cut has been made.
    bar: Option<Entry>,
}

impl Batch {
    pub fn new(key: Arc<KeyInfo>, limit: Option<usize>) -> Batch {
        Batch { key, entries: Vec::new(), records: Arena::default(), all_exact: true, limit, bar: None }
    }

    pub fn clear(&mut self) {
        self.entries.clear();
        self.records.clear();
        self.all_exact = true;
        self.bar = None;
    }

    pub fn set_limit(&mut self, limit: Option<usize>) {
        self.limit = limit;
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Bytes of memory in use.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.records.bytes() + self.entries.len() * size_of::<Entry>()
    }

    /// Whether a row with this first column may be among the smallest. False is certain.
    #[inline]
    pub fn may_admit(&self, first: ValueRef<'_>) -> bool {
        match (&self.bar, self.key.columns().first()) {
            (Some(bar), Some(column)) => prefix(first, column).bits <= bar.prefix,
            _ => true,
        }
    }

    /// The prefix of the row's key, unless the limit has been reached by smaller rows.
    #[inline]
    pub fn admits(&self, row: &[ValueRef<'_>]) -> Option<Prefix> {
        let prefix = match (self.key.columns().first(), row.first()) {
            (Some(column), Some(value)) => prefix(*value, column),
            _ => Prefix { bits: 0, rest: Rest::Comparison },
        };
        match &self.bar {
            None if self.limit == Some(0) => None,
            None => Some(prefix),
            Some(bar) => self.passes(bar, prefix, row).then_some(prefix),
        }
    }

    #[inline]
    fn passes(&self, bar: &Entry, prefix: Prefix, row: &[ValueRef<'_>]) -> bool {
        match prefix.bits.cmp(&bar.prefix) {
            Ordering::Less => true,
            Ordering::Greater => false,
            // A row that equals the bar came later, so it is not needed.
            Ordering::Equal => {
                let key_len = self.key.columns().len().min(row.len());
                compare_to_values(self.record(bar), &row[..key_len], &self.key).is_gt()
            }
        }
    }

    /// Reserves space for one more record.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.records.reserve(len)?;
        if self.entries.len() == self.entries.capacity() { self.entries.try_reserve(1) } else { Ok(()) }
    }

    /// Adds a record.
    #[inline]
    pub fn push(&mut self, prefix: Prefix, record: &[u8]) {
        self.all_exact &= prefix.rest == Rest::Nothing;
        self.entries.push(Entry { prefix: prefix.bits, span: self.records.push(record) });
        if let Some(limit) = self.limit
            && self.entries.len() >= limit.saturating_add(limit.max(CUT_SLACK))
        {
            self.cut(limit);
        }
    }

    /// Keeps the `limit` smallest rows.
    #[inline(never)]
    fn cut(&mut self, limit: usize) {
        assert!(limit > 0 && self.entries.len() > limit, "nothing is to be cut");
        let order = Order { key: &self.key, records: &self.records };
        self.entries.select_nth_unstable_by(limit - 1, |a, b| order.compare_all(a, b));
        self.entries.truncate(limit);
        // Back to the order of arrival, in which the remaining records are moved to the front.
        self.entries.sort_unstable_by_key(|entry| entry.span);
        self.records.retain(self.entries.iter_mut().map(|entry| &mut entry.span));
        let order = Order { key: &self.key, records: &self.records };
        self.bar = self.entries.iter().copied().max_by(|a, b| order.compare_all(a, b));
        assert!(self.bar.is_some(), "after a cut, there is a bar for new rows");
    }

    /// Sorts the rows, and drops those past the limit. Their prefixes are no longer those of their keys.
    pub fn sort(&mut self) -> Result<(), TryReserveError> {
        let order = Order { key: &self.key, records: &self.records };
        let limit = self.limit.unwrap_or(usize::MAX);
        // Equal rows stay in the order of arrival.
        refine::sort(&mut self.entries, order, self.all_exact, limit)?;
        self.entries.truncate(limit);
        Ok(())
    }

    /// The row at place `index`.
    #[inline]
    pub fn row(&self, index: usize) -> Option<Stored<'_>> {
        self.entries.get(index).map(|entry| self.records.stored(entry.span))
    }

    /// The rows in order, with the prefixes of their keys.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let prefix_of = |record| match self.key.columns().first() {
            Some(column) => prefix(value_at(record, 0), column).bits,
            None => 0,
        };
        self.entries.iter().map(move |entry| {
            let record = self.record(entry);
            (prefix_of(record), record)
        })
    }

    #[inline]
    fn record(&self, entry: &Entry) -> &[u8] {
        self.records.get(entry.span)
    }
}
