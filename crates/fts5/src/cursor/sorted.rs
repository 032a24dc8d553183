//! The rows of a scan in the order of their ranks.
//!
//! A heap, because most queries want the first few rows only: to make one takes a few comparisons a row, and to take a row out of it as many as
//! the heap is high.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::collation::Collation;
use lithe_value::compare::compare;
use lithe_value::grow::{collected, filled};
use lithe_vtab::{Value, ValueRef};

use crate::search::Found;

/// A row of a scan that is sorted by rank.
pub(super) struct SortedRow {
    pub rank: Value,
    pub rowid: i64,
    /// The positions of the phrases, if the phrases may find others when the scan comes back to the row.
    pub found: Option<Found>,
}

/// Rows that come in the order of their ranks; of equal ranks, the one that was found first.
pub(super) struct Sorted {
    rows: Vec<SortedRow>,
    /// The rows that are left: a number that is in the order of the ranks, and where the row is.
    order: BinaryHeap<Reverse<(u64, usize)>>,
}

impl Sorted {
    /// All rows that were found.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn new(rows: Vec<SortedRow>, is_descending: bool) -> Result<Sorted, OutOfMemory> {
        let numbers = match numbers_of_reals(&rows)? {
            Some(numbers) => numbers,
            None => numbers_of_any(&rows)?,
        };
        let number = |number: u64| if is_descending { !number } else { number };
        let order = collected(numbers.into_iter().enumerate().map(|(at, one)| Reverse((number(one), at))))?;
        Ok(Sorted { rows, order: order.into() })
    }

    /// Takes out the next row.
    pub fn pop(&mut self) -> Option<SortedRow> {
        let Reverse((_, at)) = self.order.pop()?;
        let row = self.rows.get_mut(at)?;
        Some(SortedRow { rank: std::mem::take(&mut row.rank), rowid: row.rowid, found: row.found.take() })
    }
}

/// For each row a number that is in the order of the ranks. None: a rank is no real number.
fn numbers_of_reals(rows: &[SortedRow]) -> Result<Option<Vec<u64>>, OutOfMemory> {
    let number = |row: &SortedRow| {
        let ValueRef::Real(rank) = row.rank.as_ref() else { return None };
        // (Negative numbers have the highest bit, and are the lower the more the others say. The sum makes 0.0 of -0.0.)
        let bits = (rank + 0.0).to_bits();
        Some(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    };
    let mut numbers = Vec::new();
    numbers.try_grow(rows.len())?;
    for row in rows {
        let Some(number) = number(row) else { return Ok(None) };
        numbers.push(number);
    }
    Ok(Some(numbers))
}

/// The same for ranks of any kind: how many different ranks are lower.
fn numbers_of_any(rows: &[SortedRow]) -> Result<Vec<u64>, OutOfMemory> {
    let ranks =
        |left: &SortedRow, right: &SortedRow| compare(left.rank.as_ref(), right.rank.as_ref(), &Collation::Binary);
    let mut sorted: Vec<(usize, &SortedRow)> = collected(rows.iter().enumerate())?;
    sorted.sort_unstable_by(|(_, left), (_, right)| ranks(left, right));
    let mut numbers = filled(0, rows.len())?;
    let mut lower = 0;
    let mut last: Option<&SortedRow> = None;
    for (at, row) in sorted {
        lower += u64::from(last.is_some_and(|last| ranks(last, row).is_lt()));
        last = Some(row);
        if let Some(number) = numbers.get_mut(at) {
            *number = lower;
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranks: &[ValueRef<'_>], is_descending: bool, expected: &[i64]) {
        let row = |(rowid, rank): (i64, &ValueRef<'_>)| SortedRow { rank: Value::from(*rank), rowid, found: None };
        let mut sorted = Sorted::new((0..).zip(ranks).map(row).collect(), is_descending).unwrap();
        let found: Vec<i64> = std::iter::from_fn(|| sorted.pop()).map(|row| row.rowid).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn reals_come_in_order() {
        let ranks = [0.0, -1.5, 2.0, -0.0, -1.5, f64::INFINITY, f64::MIN, 1e-300].map(ValueRef::Real);
        check(&ranks, false, &[6, 1, 4, 0, 3, 7, 2, 5]);
        check(&ranks, true, &[5, 2, 7, 0, 3, 1, 4, 6]);
    }

    #[test]
    fn other_values_come_in_order() {
        let ranks =
            [ValueRef::Text(b"b"), ValueRef::Real(2.0), ValueRef::Null, ValueRef::Integer(2), ValueRef::Text(b"a")];
        check(&ranks, false, &[2, 1, 3, 4, 0]);
        check(&ranks, true, &[0, 4, 1, 3, 2]);
    }
}
