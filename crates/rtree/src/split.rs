//! Splits the cells of a full node in two, as the R*-tree does (Beckmann, Kriegel, Schneider, Seeger: "The R*-tree", SIGMOD 1990): along
//! the dimension whose divisions have the least margins, at the division whose halves overlap least.

use std::cmp::Ordering;

use crate::bounds::Bounds;
use crate::node::{Cell, Layout};

/// The two halves of a node's cells, each with its bounding box.
pub struct Halves {
    /// The cells that stay.
    pub left: (Vec<Cell>, Bounds),
    /// The cells that go to a new node.
    pub right: (Vec<Cell>, Bounds),
}

/// The best division along one dimension.
struct Division {
    /// The cells, sorted along the dimension.
    sorted: Vec<Cell>,
    /// The number of cells in the left half.
    left_len: usize,
    /// The sum of the margins of all divisions along the dimension.
    margins: f64,
}

/// Divides cells in two halves of at least `layout.cells_min()` each. None if there are too few.
pub fn divide(layout: &Layout, cells: &[Cell]) -> Option<Halves> {
    let divisions = (0..layout.dimensions).filter_map(|dimension| divide_along(layout, cells, dimension));
    let best = divisions.reduce(|best, next| if next.margins < best.margins { next } else { best })?;
    let (left, right) = best.sorted.split_at_checked(best.left_len)?;
    let half = |cells: &[Cell]| Some((cells.to_vec(), around(cells)?));
    Some(Halves { left: half(left)?, right: half(right)? })
}

fn around(cells: &[Cell]) -> Option<Bounds> {
    cells.iter().map(|cell| cell.bounds).reduce(|all, bounds| all.union(&bounds))
}

fn divide_along(layout: &Layout, cells: &[Cell], dimension: usize) -> Option<Division> {
    let sorted = sort_along(cells, dimension);
    // The bounding boxes of the first and of the last cells, for every number of them.
    let grow = |all: &mut Option<Bounds>, cell: &Cell| {
        *all = Some(all.map_or(cell.bounds, |all: Bounds| all.union(&cell.bounds)));
        *all
    };
    let first: Vec<Bounds> = sorted.iter().scan(None, grow).collect();
    let mut last: Vec<Bounds> = sorted.iter().rev().scan(None, grow).collect();
    last.reverse();

    let mut margins = 0.0;
    let mut best: Option<(f64, f64, usize)> = None;
    for left_len in layout.cells_min()..=cells.len().checked_sub(layout.cells_min())? {
        let (left, right) = (first.get(left_len.checked_sub(1)?)?, last.get(left_len)?);
        margins += left.margin() + right.margin();
        let (overlap, area) = (left.common_area(right), left.area() + right.area());
        let is_better = best.is_none_or(|best| overlap < best.0 || (overlap == best.0 && area < best.1));
        if is_better {
            best = Some((overlap, area, left_len));
        }
    }
    let (_, _, left_len) = best?;
    Some(Division { sorted, left_len, margins })
}

/// Sorts by (minimum, maximum) of one dimension. In each merge, of two equal cells that of the right half comes first, so that the nodes
/// equal those that SQLite writes.
fn sort_along(cells: &[Cell], dimension: usize) -> Vec<Cell> {
    let mut sides: Vec<Side> = cells.iter().enumerate().map(|(at, cell)| (cell.bounds.side(dimension), at)).collect();
    let mut merged = sides.clone();
    merge_sort(&mut sides, &mut merged);
    sides.iter().filter_map(|(_, at)| cells.get(*at).copied()).collect()
}

/// The side of a cell, and the index of the cell.
type Side = ((f64, f64), usize);

/// Sorts `sides`. `merged` is scratch space of the same length.
fn merge_sort(sides: &mut [Side], merged: &mut [Side]) {
    if sides.len() < 2 {
        return;
    }
    let half = sides.len() / 2;
    let (Some((left, right)), Some((left_merged, right_merged))) =
        (sides.split_at_mut_checked(half), merged.split_at_mut_checked(half))
    else {
        return;
    };
    merge_sort(left, left_merged);
    merge_sort(right, right_merged);
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    for slot in merged.iter_mut() {
        let is_left = match (left.peek(), right.peek()) {
            (Some((one, _)), Some((other, _))) => one.partial_cmp(other) == Some(Ordering::Less),
            (one, _) => one.is_some(),
        };
        if let Some(next) = if is_left { left.next() } else { right.next() } {
            *slot = next;
        }
    }
    sides.copy_from_slice(merged);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::CoordinateType;

    #[test]
    fn two_clusters_come_apart_along_the_dimension_that_tells_them_apart() {
        let layout = Layout::for_page_size(2, CoordinateType::Float, 1024);
        let cells: Vec<Cell> = (0..=layout.cells_max())
            .map(|index| {
                let (x, y) = (index as f64, if index % 2 == 0 { 0.0 } else { 100.0 });
                Cell { id: index as i64, bounds: Bounds::new([x, x + 1.0, y, y + 1.0]) }
            })
            .collect();
        let halves = divide(&layout, &cells).unwrap();
        assert!(halves.left.0.iter().all(|cell| cell.id % 2 == 0));
        assert!(halves.right.0.iter().all(|cell| cell.id % 2 == 1));
        assert_eq!(halves.left.1.common_area(&halves.right.1), 0.0);
    }

    #[test]
    fn of_equal_cells_the_later_comes_first() {
        let cells: Vec<Cell> = (0..4).map(|id| Cell { id, bounds: Bounds::new([0.0, 1.0]) }).collect();
        let ids: Vec<i64> = sort_along(&cells, 0).iter().map(|cell| cell.id).collect();
        assert_eq!(ids, [3, 2, 1, 0]);
    }
}
