//! Sorting rows by numbers: first by the prefixes of their keys, then those with equal prefixes by what comes next.
//!
//! ```text
//!   prefixes           rows with equal ones, by the next bytes      by the next column
//!   | customer 17 |      | er 17  |                                   | 2021-03-04 |
//!   | customer 9  |      | er 9   | two rows ──────────────────────►  | 2021-01-09 |
//!   | zz          |      | er 9   |                                   `-- compared, being few
//! ```
//!
//! Most keys differ early, so most rows are compared as numbers only. What numbers do not decide is compared: texts under other
//! collations than BINARY past their first bytes, large integers, the last bits of reals, and texts that stay equal for long.

use std::cmp::Ordering;
use std::collections::TryReserveError;

use lithe_btree::KeyInfo;

use super::stable;
use crate::arena::{Arena, Span};
use crate::keys::{PREFIX_BYTES, Prefix, Rest, compare_records, prefix, prefix_of_rest, value_at};

/// A row: the bits of its key by which it is sorted, and the span of its record. Of equal rows, the one whose span starts first
/// was added first.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// At first the prefix of the key.
    pub prefix: u64,
    pub span: Span,
}

/// The order of entries.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    pub key: &'a KeyInfo,
    pub records: &'a Arena,
}

/// Up to so many rows with equal bits are compared: making other bits costs more.
const FEW: usize = 3;
/// After so many refinements rows are compared.
const DEPTH_MAX: usize = 12;

impl<'a> Order<'a> {
    /// By key and arrival, as long as the entries have the prefixes of their keys: no two entries are equal.
    #[inline]
    pub fn compare_all(&self, left: &Entry, right: &Entry) -> Ordering {
        let order = left.prefix.cmp(&right.prefix).then_with(|| self.compare_records(left, right));
        order.then(left.span.cmp(&right.span))
    }

    #[inline]
    fn compare_records(&self, left: &Entry, right: &Entry) -> Ordering {
        compare_records(self.records.get(left.span), self.records.get(right.span), self.key)
    }

    fn prefix_at(&self, entry: &Entry, place: Place) -> Option<Prefix> {
        let column = self.key.columns().get(place.column)?;
        let value = value_at(self.records.get(entry.span), place.column);
        Some(if place.from == 0 { prefix(value, column) } else { prefix_of_rest(value, place.from, column) })
    }
}

/// A place in a key.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    /// Bytes of its text or blob before the place.
    from: usize,
}

/// Sorts the entries, which have the prefixes of their keys, as far as the first `limit` need it. `all_exact`: no prefix leaves
/// out a part of the first column. Equal rows stay in the order of arrival.
pub fn sort(entries: &mut [Entry], order: Order<'_>, all_exact: bool, limit: usize) -> Result<(), TryReserveError> {
    stable::sort(entries, |a, b| a.prefix.cmp(&b.prefix))?;
    if all_exact && order.key.columns().len() <= 1 {
        return Ok(());
    }
    refine_groups(entries, order, Place { column: 0, from: 0 }, limit, 0)
}

/// Sorts the groups of entries with equal bits, which are those of `place`, by what comes next.
fn refine_groups(
    entries: &mut [Entry],
    order: Order<'_>,
    place: Place,
    limit: usize,
    depth: usize,
) -> Result<(), TryReserveError> {
    let mut rest = entries;
    let mut left = limit;
    while let Some(first) = rest.first()
        && left > 0
    {
        let bits = first.prefix;
        let len = rest.iter().take_while(|entry| entry.prefix == bits).count();
        let (group, behind) = rest.split_at_mut(len);
        if len > 1 {
            refine(group, order, place, left, depth)?;
        }
        rest = behind;
        left = left.saturating_sub(len);
    }
    Ok(())
}

/// Sorts entries whose bits at `place` are equal.
fn refine(
    group: &mut [Entry],
    order: Order<'_>,
    place: Place,
    limit: usize,
    depth: usize,
) -> Result<(), TryReserveError> {
    debug_assert!(depth <= DEPTH_MAX, "the depth is limited");
    let next = if group.len() <= FEW || depth == DEPTH_MAX { None } else { next_place(group, order, place) };
    let Some(next) = next else {
        return stable::sort(group, |a, b| order.compare_records(a, b));
    };
    if next.column >= order.key.columns().len() {
        return Ok(());
    }
    for entry in group.iter_mut() {
        entry.prefix = order.prefix_at(entry, next).map_or(0, |prefix| prefix.bits);
    }
    stable::sort(group, |a, b| a.prefix.cmp(&b.prefix))?;
    refine_groups(group, order, next, limit, depth + 1)
}

/// The place that decides between entries whose bits at `place` are equal; `None` if a comparison does.
fn next_place(group: &[Entry], order: Order<'_>, place: Place) -> Option<Place> {
    let rest = |entry| order.prefix_at(entry, place).map_or(Rest::Comparison, |prefix| prefix.rest);
    match rest(group.first()?) {
        // Whether bytes remain is among the bits. Of numbers, each may have bits that are left out.
        Rest::Bytes => Some(Place { from: place.from + PREFIX_BYTES, ..place }),
        Rest::Nothing if place.from > 0 || group.iter().all(|entry| rest(entry) == Rest::Nothing) => {
            Some(Place { column: place.column + 1, from: 0 })
        }
        _ => None,
    }
}
