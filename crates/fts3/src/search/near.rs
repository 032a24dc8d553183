//! NEAR: filters the positions of phrases to those that are near each other.
//!
//! In a chain, each phrase is near the one before it. A pass forwards keeps the positions of each phrase that are near those left of its
//! predecessor; then a pass backwards, those near its successor's.

use super::Rows;
use crate::doclist::{Position, PositionWriter};

/// The rows of each phrase of a chain in which all phrases are near; `lens` has the number of tokens of each.
pub(super) fn near(lists: &[Rows], lens: &[i64], distances: &[i64]) -> Vec<Rows> {
    let mut found = vec![Rows::default(); lists.len()];
    let Some((first, others)) = lists.split_first() else { return found };
    for docid in &first.docids {
        if !others.iter().all(|list| list.contains(*docid)) {
            continue;
        }
        let mut positions: Vec<Vec<Position>> = lists.iter().map(|list| list.positions(*docid).collect()).collect();
        if !trim(&mut positions, lens, distances) {
            continue;
        }
        for (rows, positions) in found.iter_mut().zip(&positions) {
            rows.push(*docid, |bytes| {
                let mut writer = PositionWriter::default();
                positions.iter().for_each(|position| writer.push(bytes, *position));
            });
        }
    }
    found
}

/// Filters the positions of one row; false if some phrase has none left.
fn trim(positions: &mut [Vec<Position>], lens: &[i64], distances: &[i64]) -> bool {
    let forwards = (1..positions.len()).map(|at| (at - 1, at, at - 1));
    let backwards = (1..positions.len()).rev().map(|at| (at, at - 1, at - 1));
    for (from, to, link) in forwards.chain(backwards) {
        let of = |values: &[i64], at: usize| values.get(at).copied().unwrap_or(0);
        let distance = of(distances, link);
        let (behind, before) = (distance + of(lens, to), distance + of(lens, from));
        let (Some(fixed), Some(trimmed)) = (positions.get(from).cloned(), positions.get_mut(to)) else { return false };
        trimmed.retain(|position| is_near(*position, &fixed, behind, before));
        if trimmed.is_empty() {
            return false;
        }
    }
    true
}

/// Whether one of `others` ends at most `behind` positions before this one, or `before` positions after it.
fn is_near(position: Position, others: &[Position], behind: i64, before: i64) -> bool {
    let lowest = Position { offset: position.offset.saturating_sub(behind), ..position };
    let highest = Position { offset: position.offset.saturating_add(before), ..position };
    let from = others.partition_point(|other| *other < lowest);
    let near = others.get(from..).unwrap_or_default().iter().take_while(|other| **other <= highest);
    near.into_iter().any(|other| *other != position)
}
