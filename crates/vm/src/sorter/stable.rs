//! A stable sort of long lists that reports it when there is no memory.
//!
//! ```text
//!   | piece | piece | piece | piece |     each sorted by itself, with little memory
//!   |    merged     |    merged     |     two and two, in other memory
//! ```

use std::cmp::Ordering;
use std::collections::TryReserveError;

/// The length of the pieces that the standard library sorts. It allocates as much memory again, and aborts if there is
/// none.
const PIECE: usize = 8192;

/// Sorts a list.
pub fn sort<T: Copy>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) -> Result<(), TryReserveError> {
    list.chunks_mut(PIECE).for_each(|piece| piece.sort_by(&mut compare));
    if list.len() <= PIECE {
        return Ok(());
    }
    let mut merged = Vec::new();
    merged.try_reserve_exact(list.len())?;
    let mut width = PIECE;
    while width < list.len() {
        merged.clear();
        for pair in list.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, &mut compare, &mut merged);
        }
        assert_eq!(merged.len(), list.len(), "all that was there is there");
        list.copy_from_slice(&merged);
        width *= 2;
    }
    Ok(())
}

/// Appends two sorted lists as one, within the capacity.
fn merge<T: Copy>(mut left: &[T], mut right: &[T], compare: &mut impl FnMut(&T, &T) -> Ordering, merged: &mut Vec<T>) {
    let are_in_order = match (left.last(), right.first()) {
        (Some(last), Some(first)) => compare(last, first).is_le(),
        _ => true,
    };
    if !are_in_order {
        while let ([first, left_rest @ ..], [other, right_rest @ ..]) = (left, right) {
            if compare(other, first).is_lt() {
                merged.push(*other);
                right = right_rest;
            } else {
                merged.push(*first);
                left = left_rest;
            }
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as the standard library: numbers by their remainder, in the order of arrival among equals.
    fn check(numbers: impl Iterator<Item = u64>, modulus: u64) {
        let mut list: Vec<u64> = numbers.collect();
        let mut expected = list.clone();
        let by_remainder = |a: &u64, b: &u64| (a % modulus).cmp(&(b % modulus));
        expected.sort_by(by_remainder);
        sort(&mut list, by_remainder).unwrap();
        assert_eq!(list, expected);
    }

    #[test]
    fn long_lists_are_sorted_stably() {
        for len in [0, 1, 100, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE - 1, 5 * PIECE + 7] {
            let mixed = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            check((0..len).map(mixed), u64::MAX);
            check((0..len).map(mixed), 7);
            check((0..len).map(|i| i as u64), u64::MAX);
            check((0..len).rev().map(|i| i as u64), u64::MAX);
        }
    }
}
