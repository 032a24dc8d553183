//! Chooses the child of a node for a new box: one that contains the box, of least area; else the one whose area grows least, among equals
//! the smallest.

use crate::bounds::{Bounds, CoordinateType, greater, lesser};
use crate::node::Node;

/// How well a child fits.
#[derive(Clone, Copy)]
struct Choice {
    contains: bool,
    growth: f64,
    area: f64,
    id: i64,
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

/// The id of the child. None if the node has no cell.
pub fn choose(node: &Node, bounds: &Bounds) -> Option<i64> {
    // (With the number of dimensions as a constant, the compiler unrolls the loop over them.)
    match bounds.pairs().len() {
        1 => choose_of::<1>(node, bounds),
        2 => choose_of::<2>(node, bounds),
        3 => choose_of::<3>(node, bounds),
        4 => choose_of::<4>(node, bounds),
        _ => choose_of::<5>(node, bounds),
    }
}

fn choose_of<const DIMENSIONS: usize>(node: &Node, bounds: &Bounds) -> Option<i64> {
    let wanted: &[[f64; 2]; DIMENSIONS] = bounds.pairs().first_chunk()?;
    match node.coordinates() {
        CoordinateType::Float => best(node, wanted, |bytes| CoordinateType::Float.decode(bytes)),
        CoordinateType::Integer => best(node, wanted, |bytes| CoordinateType::Integer.decode(bytes)),
    }
}

#[inline]
fn best<const DIMENSIONS: usize>(
    node: &Node,
    wanted: &[[f64; 2]; DIMENSIONS],
    decode: impl Fn([u8; 4]) -> f64,
) -> Option<i64> {
    let mut best: Option<Choice> = None;
    for (id, coordinates) in node.raw_cells() {
        let mut sides = [[0.0; 2]; DIMENSIONS];
        for (side, coordinates) in sides.iter_mut().zip(coordinates.as_chunks().0) {
            let [min, max] = *coordinates;
            *side = [decode(min), decode(max)];
        }
        let contains = sides
            .iter()
            .zip(wanted)
            .fold(true, |all, (side, wanted)| all & (side[0] <= wanted[0]) & (side[1] >= wanted[1]));
        if !contains && best.is_some_and(|best| best.contains) {
            continue;
        }
        // The last dimension first, as in SQLite: the order decides the rounding of the product, and so which child is chosen.
        let area = sides.iter().rev().fold(1.0, |area, [min, max]| area * (max - min));
        let with = |area: f64, (side, wanted): (&[f64; 2], &[f64; 2])| {
            area * (greater(side[1], wanted[1]) - lesser(side[0], wanted[0]))
        };
        let growth = if contains { 0.0 } else { sides.iter().zip(wanted).rev().fold(1.0, with) - area };
        let choice = Choice { contains, growth, area, id };
        if best.is_none_or(|best| choice.is_better_than(&best)) {
            best = Some(choice);
        }
    }
    best.map(|best| best.id)
}
