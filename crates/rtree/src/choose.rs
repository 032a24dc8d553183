//! Chooses the child of a node for a new box: one that contains the box, of least area; else the one whose area grows least, among equals
//! the smallest.

use lithe_vtab::OutOfMemory;

use crate::bounds::{Bounds, CoordinateType, greater, lesser};
use crate::columns::{BLOCK, Block, Column};
use crate::node::Node;

/// How well a child fits.
#[derive(Clone, Copy)]
struct Choice {
    contains: bool,
    growth: f64,
    area: f64,
    index: usize,
}

impl Choice {
    fn is_better_than(&self, other: &Choice) -> bool {
        match (self.contains, other.contains) {
            (true, false) => true,
            (false, true) => false,
            _ => self.growth < other.growth || (self.growth == other.growth && self.area < other.area),
        }
    }
}

/// The index of the child. None if the node has no cell.
pub fn choose(node: &Node, bounds: &Bounds) -> Result<Option<usize>, OutOfMemory> {
    // (With the number of dimensions as a constant, the compiler unrolls the loop over them.)
    match bounds.pairs().len() {
        1 => choose_of::<1>(node, bounds),
        2 => choose_of::<2>(node, bounds),
        3 => choose_of::<3>(node, bounds),
        4 => choose_of::<4>(node, bounds),
        _ => choose_of::<5>(node, bounds),
    }
}

fn choose_of<const D: usize>(node: &Node, bounds: &Bounds) -> Result<Option<usize>, OutOfMemory> {
    let Some(wanted): Option<&[[f64; 2]; D]> = bounds.pairs().first_chunk() else { return Ok(None) };
    let mut best: Option<Choice> = None;
    // A child that grows by more is not better. One that contains the box does not grow.
    let mut limit = f64::INFINITY;
    let columns = node.columns()?;
    for (block, cells) in columns.blocks::<D>().enumerate() {
        let growths = match columns.coordinates {
            CoordinateType::Float => growths(&cells, wanted, |min, max| CoordinateType::Float.length(min, max)),
            CoordinateType::Integer => growths(&cells, wanted, |min, max| CoordinateType::Integer.length(min, max)),
        };
        if growths.iter().fold(true, |all, growth| all & (*growth > limit)) {
            continue;
        }
        for (at, growth) in growths.into_iter().enumerate().take(cells.count) {
            if growth > limit {
                continue;
            }
            let contains = contains(&cells, at, wanted);
            let area = cells.areas.get(at).copied().unwrap_or_default();
            let index = block * BLOCK + at;
            let choice = Choice { contains, growth: if contains { 0.0 } else { growth }, area, index };
            if best.is_none_or(|best| choice.is_better_than(&best)) {
                best = Some(choice);
                limit = choice.growth.max(0.0);
            }
        }
    }
    Ok(best.map(|best| best.index))
}

/// By how much the areas of a block's children would grow. (The loops over the children are innermost and have no branch, so that the
/// compiler makes them of instructions for several numbers.)
#[expect(clippy::indexing_slicing, reason = "the indexes are those of arrays whose lengths are constants")]
#[inline(always)]
fn growths<const D: usize>(cells: &Block<'_, D>, wanted: &[[f64; 2]; D], length: impl Fn(f64, f64) -> f64) -> Column {
    let mut growths = [1.0; BLOCK];
    // The last dimension first, as in SQLite: the order decides the rounding of the product, and so which child is chosen.
    for ([minima, maxima], [low, high]) in cells.sides.iter().zip(wanted).rev() {
        for at in 0..BLOCK {
            growths[at] *= length(lesser(minima[at], *low), greater(maxima[at], *high));
        }
    }
    for (growth, area) in growths.iter_mut().zip(cells.areas) {
        *growth -= area;
    }
    growths
}

fn contains<const D: usize>(cells: &Block<'_, D>, at: usize, wanted: &[[f64; 2]; D]) -> bool {
    cells.sides.iter().zip(wanted).all(|([minima, maxima], [low, high])| {
        minima.get(at).is_some_and(|min| min <= low) && maxima.get(at).is_some_and(|max| max >= high)
    })
}
