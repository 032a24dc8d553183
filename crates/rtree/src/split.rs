//! Splits the cells of a full node in two, as the R*-tree does (Beckmann, Kriegel, Schneider, Seeger: "The R*-tree", SIGMOD 1990): along
//! the dimension whose divisions have the least margins, at the division whose halves overlap least.

use lithe_vtab::{Grow, OutOfMemory};

use crate::bounds::{Bounds, CoordinateType, Sides, greater, lesser};
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
    /// The indexes of the cells, sorted along the dimension.
    sorted: Vec<usize>,
    /// The number of cells in the left half.
    left_len: usize,
    /// The sum of the margins of all divisions along the dimension.
    margins: f64,
}

/// Divides cells in two halves of at least `layout.cells_min()` each. None if there are too few.
///
/// # Errors
/// If the memory is short: a tree's nodes may be of any length.
pub fn divide(layout: &Layout, cells: &[Cell]) -> Result<Option<Halves>, OutOfMemory> {
    // (With the number of dimensions as a constant, the compiler unrolls the loops over them.)
    let best = match layout.dimensions {
        1 => best_division::<1>(layout, cells),
        2 => best_division::<2>(layout, cells),
        3 => best_division::<3>(layout, cells),
        4 => best_division::<4>(layout, cells),
        _ => best_division::<5>(layout, cells),
    }?;
    let Some((left, right)) = best.as_ref().and_then(|best| best.sorted.split_at_checked(best.left_len)) else {
        return Ok(None);
    };
    let halves = half_of(cells, left)?.zip(half_of(cells, right)?);
    Ok(halves.map(|(left, right)| Halves { left, right }))
}

/// The cells with these indexes, and the box around them; `None` if there are none.
fn half_of(cells: &[Cell], indexes: &[usize]) -> Result<Option<(Vec<Cell>, Bounds)>, OutOfMemory> {
    let mut half: Vec<Cell> = Vec::new();
    half.try_grow(indexes.len())?;
    half.extend(indexes.iter().filter_map(|at| cells.get(*at)));
    let bounds = half.iter().map(|cell| cell.bounds).reduce(|all, bounds| all.union(&bounds));
    Ok(bounds.map(|bounds| (half, bounds)))
}

fn best_division<const D: usize>(layout: &Layout, cells: &[Cell]) -> Result<Option<Division>, OutOfMemory> {
    let mut boxes: Vec<Sides<D>> = Vec::new();
    boxes.try_grow(cells.len())?;
    boxes.extend(cells.iter().filter_map(|cell| cell.bounds.pairs().first_chunk()));
    let mut best: Option<Division> = None;
    for dimension in 0..D {
        let next = divide_along(layout, &boxes, dimension)?;
        if next.as_ref().is_some_and(|next| best.as_ref().is_none_or(|best| next.margins < best.margins)) {
            best = next;
        }
    }
    Ok(best)
}

fn divide_along<const D: usize>(
    layout: &Layout,
    boxes: &[Sides<D>],
    dimension: usize,
) -> Result<Option<Division>, OutOfMemory> {
    let sorted = sort_along(boxes, dimension)?;
    // The bounding boxes of the first and of the last cells, for every number of them.
    let first = growing(boxes, sorted.iter())?;
    let last = growing(boxes, sorted.iter().rev())?;
    let best = least_overlap(layout, &first, &last);
    Ok(best.map(|(left_len, margins)| Division { sorted, left_len, margins }))
}

/// The number of cells in the left half of the best division, and the sum of the margins of all divisions.
fn least_overlap<const D: usize>(layout: &Layout, first: &[Sides<D>], last: &[Sides<D>]) -> Option<(usize, f64)> {
    let cells_min = layout.cells_min();
    let mut margins = 0.0;
    let mut best: Option<(f64, f64, usize)> = None;
    for left_len in cells_min..=first.len().checked_sub(cells_min)? {
        let right_len = first.len().checked_sub(left_len)?;
        let (left, right) = (first.get(left_len.checked_sub(1)?)?, last.get(right_len.checked_sub(1)?)?);
        // (One after the other, as in SQLite: the order decides the rounding of the sum.)
        margins += margin(left);
        margins += margin(right);
        let overlap = common_area(left, right);
        if best.is_some_and(|best| overlap > best.0) {
            continue;
        }
        let area = area(layout.coordinates, left) + area(layout.coordinates, right);
        let is_better = best.is_none_or(|best| overlap < best.0 || (overlap == best.0 && area < best.1));
        if is_better {
            best = Some((overlap, area, left_len));
        }
    }
    best.map(|(_, _, left_len)| (left_len, margins))
}

/// The bounding boxes of the first one, two, … of these boxes.
fn growing<'i, const D: usize>(
    boxes: &[Sides<D>],
    order: impl ExactSizeIterator<Item = &'i usize>,
) -> Result<Vec<Sides<D>>, OutOfMemory> {
    let mut all: Vec<Sides<D>> = Vec::new();
    all.try_grow(order.len())?;
    for next in order.filter_map(|at| boxes.get(*at)) {
        let mut union = *all.last().unwrap_or(next);
        for (mine, its) in union.iter_mut().zip(next) {
            *mine = [lesser(mine[0], its[0]), greater(mine[1], its[1])];
        }
        all.push(union);
    }
    Ok(all)
}

fn margin<const D: usize>(sides: &Sides<D>) -> f64 {
    sides.iter().map(|[min, max]| max - min).sum()
}

/// The product of the lengths of all sides, the last dimension first, as in SQLite.
fn area<const D: usize>(kind: CoordinateType, sides: &Sides<D>) -> f64 {
    sides.iter().rev().map(|[min, max]| kind.length(*min, *max)).product()
}

/// The area that both have in common.
fn common_area<const D: usize>(one: &Sides<D>, other: &Sides<D>) -> f64 {
    let mut area = 1.0;
    for (mine, its) in one.iter().zip(other) {
        let (min, max) = (greater(mine[0], its[0]), lesser(mine[1], its[1]));
        if max < min {
            return 0.0;
        }
        area *= max - min;
    }
    area
}

/// The indexes of the boxes, sorted by (minimum, maximum) of one dimension. Of two equal boxes the later comes first, so that the nodes
/// equal those that SQLite writes.
fn sort_along<const D: usize>(boxes: &[Sides<D>], dimension: usize) -> Result<Vec<usize>, OutOfMemory> {
    let mut sides = Vec::new();
    sides.try_grow(boxes.len())?;
    sides.extend(boxes.iter().enumerate().filter_map(|(at, sides)| {
        let [min, max] = *sides.get(dimension)?;
        Some((rank(min), rank(max), usize::MAX - at))
    }));
    sides.sort_unstable();
    let mut sorted = Vec::new();
    sorted.try_grow(sides.len())?;
    sorted.extend(sides.iter().map(|(.., at)| usize::MAX - at));
    Ok(sorted)
}

/// A number that is less or greater where the coordinate is. (A NaN, which only a damaged node has, comes first or last.)
fn rank(coordinate: f64) -> u64 {
    // Both zeros are equal.
    let bits = (coordinate + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clusters_come_apart_along_the_dimension_that_tells_them_apart() {
        let layout = Layout::for_page_size(2, CoordinateType::Float, 1024);
        let cells: Vec<Cell> = (0..=layout.cells_max())
            .map(|index| {
                let (x, y) = (index as f64, if index % 2 == 0 { 0.0 } else { 100.0 });
                Cell { id: index as i64, bounds: Bounds::new([x, x + 1.0, y, y + 1.0]) }
            })
            .collect();
        let halves = divide(&layout, &cells).unwrap().unwrap();
        assert!(halves.left.0.iter().all(|cell| cell.id % 2 == 0));
        assert!(halves.right.0.iter().all(|cell| cell.id % 2 == 1));
        assert!(!halves.left.1.overlaps(&halves.right.1));
    }

    #[test]
    fn measures_of_boxes() {
        let (one, other, far) = ([[0.0, 4.0], [0.0, 2.0]], [[1.0, 5.0], [1.0, 2.0]], [[9.0, 9.5], [0.0, 1.0]]);
        assert_eq!((area(CoordinateType::Float, &one), margin(&one)), (8.0, 6.0));
        assert_eq!((common_area(&one, &other), common_area(&one, &far)), (3.0, 0.0));
        assert_eq!(growing(&[one, other, far], [2, 1].iter()).unwrap(), [far, [[1.0, 9.5], [0.0, 2.0]]]);
    }

    #[test]
    fn of_equal_cells_the_later_comes_first() {
        assert_eq!(sort_along(&[[[0.0, 1.0]], [[-0.0, 1.0]], [[0.0, 1.0]], [[-1.0, 1.0]]], 0).unwrap(), [3, 2, 1, 0]);
        assert_eq!(sort_along(&[[[0.0, 2.0]], [[-3.0, 1.0]], [[0.0, 1.0]], [[-2.0, 1.0]]], 0).unwrap(), [1, 3, 2, 0]);
    }
}
