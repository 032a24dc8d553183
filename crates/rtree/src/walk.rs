//! A scan without callbacks: a depth-first walk of the tree in the order of the cells.

use std::sync::Arc;

use lithe_value::Numeric;
use lithe_vtab::{Grow, OutOfMemory};

use crate::bounds::{CoordinateType, MAX_DIMENSIONS, round_down, round_up};
use crate::constraint::{Comparison, Constraint};
use crate::error::Result;
use crate::node::{Cell, Layout, Node, NodeNo};
use crate::store::Store;

/// The scan: the nodes that are still to be visited, and the rows that were found on the last leaf.
pub struct Walk {
    layout: Layout,
    /// What a cell of a leaf must satisfy, and a cell of another node.
    of_rows: Ranges,
    of_nodes: Ranges,
    /// The next node comes last. Leaves have height 0.
    to_visit: Vec<(NodeNo, usize)>,
    /// The cells of the rows.
    found: Vec<u8>,
    /// The index of the row after the current one.
    next: usize,
}

/// For each coordinate, the range of its rank. Any comparison is such a range, and all coordinates are tested alike, so that a cell is
/// tested without a branch.
#[derive(Clone, Copy, Debug)]
struct Ranges([Range; 2 * MAX_DIMENSIONS]);

/// A range of ranks.
#[derive(Clone, Copy, Debug)]
struct Range {
    /// The least rank.
    low: i32,
    /// By how much the greatest rank is greater.
    span: u32,
}

impl Walk {
    /// A scan in front of the first row.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn new(layout: Layout, root: &Arc<Node>, constraints: &[Constraint]) -> Result<Walk> {
        let (mut of_rows, mut of_nodes) = (Ranges::ALL, Ranges::ALL);
        let mut can_find = true;
        for constraint in constraints {
            match *constraint {
                Constraint::Compare(index, comparison, value) if index < 2 * layout.dimensions => {
                    let (rows, nodes) = (&mut of_rows, &mut of_nodes);
                    can_find &= restrict(layout.coordinates, rows, nodes, index, comparison, value);
                }
                Constraint::Always | Constraint::Match(_) => {}
                Constraint::Never | Constraint::Compare(..) => can_find = false,
            }
        }
        let mut walk = Walk { layout, of_rows, of_nodes, to_visit: Vec::new(), found: Vec::new(), next: 0 };
        if can_find {
            walk.look_into(root.bytes(), root.depth())?;
        }
        Ok(walk)
    }

    /// Goes to the next row if it is in the current leaf; answers its rowid.
    pub fn next_in_leaf(&mut self) -> Option<i64> {
        let cell = self.layout.cell_of(&self.found, self.next)?;
        self.next += 1;
        Some(Layout::id_of(cell))
    }

    /// Goes to the next row; answers its rowid.
    ///
    /// # Errors
    /// If a node cannot be read, or is damaged.
    pub fn next(&mut self, store: &dyn Store) -> Result<Option<i64>> {
        loop {
            if let Some(id) = self.next_in_leaf() {
                return Ok(Some(id));
            }
            let Some((node, height)) = self.to_visit.pop() else { return Ok(None) };
            let mut looked = Ok(());
            store.visit_node(self.layout, node, &mut |bytes| looked = self.look_into(bytes, height))?;
            looked?;
        }
    }

    /// Notes the rows, or the nodes to visit, in a node of this height.
    fn look_into(&mut self, node: &[u8], height: usize) -> Result<(), OutOfMemory> {
        self.found.clear();
        self.next = 0;
        let Walk { layout, of_rows, of_nodes, to_visit, found, .. } = self;
        match height.checked_sub(1) {
            None => {
                found.try_grow(node.len())?;
                cells_that_pass(*layout, node, of_rows, |cell| found.extend_from_slice(cell));
            }
            Some(height) => {
                let before = to_visit.len();
                to_visit.try_grow(layout.cells_max())?;
                cells_that_pass(*layout, node, of_nodes, |cell| to_visit.push((NodeNo(Layout::id_of(cell)), height)));
                if let Some(added) = to_visit.get_mut(before..) {
                    added.reverse();
                }
            }
        }
        Ok(())
    }

    /// The cell of the row.
    pub fn cell(&self) -> Option<Cell> {
        self.cell_bytes().map(|cell| self.layout.decode(cell))
    }

    fn cell_bytes(&self) -> Option<&[u8]> {
        self.layout.cell_of(&self.found, self.next.checked_sub(1)?)
    }

    /// A coordinate of the row, if it is a number.
    pub fn coordinate(&self, index: usize) -> Option<Numeric> {
        let bytes = *Layout::coordinates_of(self.cell_bytes()?).get(index)?;
        match self.layout.coordinates {
            CoordinateType::Integer => Some(Numeric::Integer(i32::from_be_bytes(bytes).into())),
            CoordinateType::Float => {
                Some(f32::from_be_bytes(bytes)).filter(|at| !at.is_nan()).map(|at| Numeric::Real(at.into()))
            }
        }
    }
}

impl Ranges {
    /// Those of any coordinates.
    const ALL: Ranges = Ranges([Range { low: i32::MIN, span: u32::MAX }; 2 * MAX_DIMENSIONS]);

    /// Leaves the ranks of a coordinate that are from `low` to `high` as well; false if there are none.
    fn restrict(&mut self, coordinate: usize, (low, high): (i32, i32)) -> bool {
        let Some(range) = self.0.get_mut(coordinate) else { return false };
        let low = range.low.max(low);
        let high = range.low.wrapping_add(range.span as i32).min(high);
        *range = Range { low, span: high.wrapping_sub(low) as u32 };
        low <= high
    }
}

/// Leaves the ranges in which a comparison holds as well; false if no coordinate satisfies all.
fn restrict(
    kind: CoordinateType,
    rows: &mut Ranges,
    nodes: &mut Ranges,
    index: usize,
    comparison: Comparison,
    value: f64,
) -> bool {
    let (is_lower, is_upper) = match comparison {
        Comparison::Equal => (true, true),
        Comparison::AtMost | Comparison::Below => (false, true),
        Comparison::AtLeast | Comparison::Above => (true, false),
    };
    let narrow = |ranges: &mut Ranges, coordinate, (low, high): (f64, f64)| {
        ranks(kind, low, high).is_some_and(|ranks| ranges.restrict(coordinate, ranks))
    };
    // Coordinates are exact as doubles: what is less than a double is at most the one before it.
    let mut can_hold = true;
    if is_lower {
        let least = if comparison == Comparison::Above { value.next_up() } else { value };
        can_hold &= narrow(rows, index, (least, f64::INFINITY));
        can_hold &= narrow(nodes, index | 1, (value, f64::INFINITY));
    }
    if is_upper {
        let most = if comparison == Comparison::Below { value.next_down() } else { value };
        can_hold &= narrow(rows, index, (f64::NEG_INFINITY, most));
        can_hold &= narrow(nodes, index & !1, (f64::NEG_INFINITY, value));
    }
    let is_beyond =
        matches!((comparison, value), (Comparison::Above, f64::INFINITY) | (Comparison::Below, f64::NEG_INFINITY));
    can_hold && !is_beyond
}

/// The ranks of the coordinates from `low` to `high`; `None` if there are no such coordinates.
fn ranks(kind: CoordinateType, low: f64, high: f64) -> Option<(i32, i32)> {
    let (low, high) = match kind {
        CoordinateType::Float => {
            // Both zeros are equal, and differ in rank.
            let (low, high) = (round_up(low) as f32, round_down(high) as f32);
            let (low, high) = (if low == 0.0 { -0.0 } else { low }, if high == 0.0 { 0.0 } else { high });
            (float_rank(low.to_bits()), float_rank(high.to_bits()))
        }
        CoordinateType::Integer if low > f64::from(i32::MAX) || high < f64::from(i32::MIN) => return None,
        CoordinateType::Integer => (low.ceil() as i32, high.floor() as i32),
    };
    (low <= high).then_some((low, high))
}

/// A number that is less or greater where the coordinate with these bits is. A NaN, which only a damaged node has, is beyond the infinities.
#[inline(always)]
fn float_rank(bits: u32) -> i32 {
    let bits = bits as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// Calls `pass` with each cell whose coordinates are in the ranges.
fn cells_that_pass(layout: Layout, node: &[u8], ranges: &Ranges, pass: impl FnMut(&[u8])) {
    match layout.coordinates {
        CoordinateType::Float => cells_in_ranges(layout, node, ranges, float_rank, pass),
        CoordinateType::Integer => cells_in_ranges(layout, node, ranges, |bits| bits as i32, pass),
    }
}

#[inline(always)]
fn cells_in_ranges(layout: Layout, node: &[u8], ranges: &Ranges, rank: impl Fn(u32) -> i32, pass: impl FnMut(&[u8])) {
    // (With the number of coordinates as a constant, the compiler makes one instruction of what is done with several.)
    match layout.dimensions {
        1 => cells_of::<2>(layout, node, ranges, rank, pass),
        2 => cells_of::<4>(layout, node, ranges, rank, pass),
        3 => cells_of::<6>(layout, node, ranges, rank, pass),
        4 => cells_of::<8>(layout, node, ranges, rank, pass),
        _ => cells_of::<10>(layout, node, ranges, rank, pass),
    }
}

#[inline(always)]
fn cells_of<const N: usize>(
    layout: Layout,
    node: &[u8],
    ranges: &Ranges,
    rank: impl Fn(u32) -> i32,
    mut pass: impl FnMut(&[u8]),
) {
    let Some(ranges) = ranges.0.first_chunk::<N>() else { return };
    for (cell, coordinates) in layout.cells_of(node) {
        let Some(coordinates) = coordinates.first_chunk::<N>() else { return };
        let is_within = |(bytes, range): (&[u8; 4], &Range)| {
            rank(u32::from_be_bytes(*bytes)).wrapping_sub(range.low) as u32 <= range.span
        };
        if coordinates.iter().zip(ranges).map(is_within).fold(true, |all, is_within| all & is_within) {
            pass(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::Bounds;

    #[test]
    fn ranges_are_the_comparisons() {
        let numbers = [
            f64::NEG_INFINITY,
            -1e300,
            -2_147_483_649.0,
            -2_147_483_648.0,
            -2.5,
            -1.0,
            -0.0,
            0.0,
            f64::from(f32::MIN_POSITIVE),
            1e-300,
            1.0,
            1.5,
            16_777_216.5,
            2_147_483_647.0,
            2_147_483_647.5,
            1e39,
            f64::INFINITY,
        ];
        let all = [Comparison::Equal, Comparison::AtMost, Comparison::Below, Comparison::AtLeast, Comparison::Above];
        for kind in [CoordinateType::Float, CoordinateType::Integer] {
            let coordinates = numbers.map(|number| kind.decode(kind.encode(number)));
            let layout = Layout::for_page_size(1, kind, 512);
            let passes = |ranges: &Ranges, min: f64, max: f64| {
                let mut node = Node::new(layout).unwrap();
                assert!(node.push(&Cell { id: 7, bounds: Bounds::new([min, max]) }));
                let mut passed = false;
                cells_that_pass(layout, node.bytes(), ranges, |_| passed = true);
                passed
            };
            for (comparison, value) in all.into_iter().flat_map(|comparison| numbers.map(|value| (comparison, value))) {
                for (index, at) in [0, 1].into_iter().flat_map(|index| coordinates.map(|at| (index, at))) {
                    let (mut rows, mut nodes) = (Ranges::ALL, Ranges::ALL);
                    let can_find = restrict(kind, &mut rows, &mut nodes, index, comparison, value);
                    let holds = can_find && passes(&rows, at, at);
                    assert_eq!(holds, comparison.holds(at, value), "{at} {comparison:?} {value}");
                    let above = kind.decode(kind.encode(at + 1.0));
                    let can_hold = passes(&nodes, at, above);
                    assert!(
                        !can_find || can_hold == comparison.can_hold(at, above, value),
                        "{at} {comparison:?} {value}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_passes_no_test() {
        let layout = Layout::for_page_size(1, CoordinateType::Float, 512);
        for nan in [f32::NAN, -f32::NAN] {
            let mut node = Node::new(layout).unwrap();
            node.push(&Cell { id: 7, bounds: Bounds::new([f64::from(nan), f64::from(nan)]) });
            for (comparison, value) in [(Comparison::AtMost, f64::INFINITY), (Comparison::AtLeast, f64::NEG_INFINITY)] {
                let (mut rows, mut nodes) = (Ranges::ALL, Ranges::ALL);
                assert!(restrict(CoordinateType::Float, &mut rows, &mut nodes, 0, comparison, value));
                cells_that_pass(layout, node.bytes(), &rows, |_| panic!("a row"));
                cells_that_pass(layout, node.bytes(), &nodes, |_| panic!("a node"));
            }
        }
    }
}
