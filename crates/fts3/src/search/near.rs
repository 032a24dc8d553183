//! NEAR: filters the positions of phrases to those that are near each other.
//!
//! In a chain, each phrase is near the one before it. A pass forwards keeps the positions of each phrase that are near those left of its
//! predecessor; then a pass backwards, those near its successor's.

use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::{collected, copied, filled};

use super::Rows;
use super::phrase::write;
use crate::doclist::Position;

/// The rows of each phrase of a chain in which all phrases are near; `lens` has the number of tokens of each. Beside them, if they are wanted,
/// the rows that have all phrases, but not near each other, with the positions that are left where that is found out.
pub(super) fn near(
    lists: &[Rows],
    (lens, distances): (&[i64], &[i64]),
    wants_failed: bool,
) -> Result<(Vec<Rows>, Vec<Rows>), OutOfMemory> {
    let (mut found, mut failed) = (filled(Rows::default(), lists.len())?, filled(Rows::default(), lists.len())?);
    let Some((first, others)) = lists.split_first() else { return Ok((found, failed)) };
    for docid in &first.docids {
        if !others.iter().all(|list| list.contains(*docid)) {
            continue;
        }
        let of_list = |list: &Rows| collected(list.positions(*docid));
        let mut positions = lists.iter().map(of_list).collect::<Result<Vec<Vec<Position>>, _>>()?;
        let target = match trim(&mut positions, lens, distances)? {
            true => &mut found,
            false if wants_failed => &mut failed,
            false => continue,
        };
        for (rows, positions) in target.iter_mut().zip(&positions) {
            rows.push(*docid, |bytes| write(bytes, positions.iter().copied()))?;
        }
    }
    Ok((found, failed))
}

/// Filters the positions of one row; false if some phrase would have none left: it keeps what it has.
fn trim(positions: &mut [Vec<Position>], lens: &[i64], distances: &[i64]) -> Result<bool, OutOfMemory> {
    let forwards = (1..positions.len()).map(|at| (at - 1, at, at - 1));
    let backwards = (1..positions.len()).rev().map(|at| (at, at - 1, at - 1));
    for (from, to, link) in forwards.chain(backwards) {
        let of = |values: &[i64], at: usize| values.get(at).copied().unwrap_or(0);
        let distance = of(distances, link);
        let (behind, before) = (distance + of(lens, to), distance + of(lens, from));
        let fixed = copied(positions.get(from).map(Vec::as_slice).unwrap_or_default())?;
        let Some(trimmed) = positions.get_mut(to) else { return Ok(false) };
        let is_near = |position: &Position| is_near(*position, &fixed, behind, before);
        if !trimmed.iter().any(is_near) {
            return Ok(false);
        }
        trimmed.retain(is_near);
    }
    Ok(true)
}

/// Whether one of `others` ends at most `behind` positions before this one, or `before` positions after it.
fn is_near(position: Position, others: &[Position], behind: i64, before: i64) -> bool {
    let lowest = Position { offset: position.offset.saturating_sub(behind), ..position };
    let highest = Position { offset: position.offset.saturating_add(before), ..position };
    let from = others.partition_point(|other| *other < lowest);
    let near = others.get(from..).unwrap_or_default().iter().take_while(|other| **other <= highest);
    near.into_iter().any(|other| *other != position)
}
