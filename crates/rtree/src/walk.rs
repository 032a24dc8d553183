//! A scan without callbacks: a depth-first walk of the tree in the order of the cells.

use std::sync::Arc;

use crate::bounds::CoordinateType;
use crate::constraint::{Comparison, Constraint};
use crate::error::Result;
use crate::node::{Cell, Layout, Node, NodeNo};
use crate::store::Store;

/// The scan: the nodes that are still to be visited, and the rows that were found on the last leaf.
pub struct Walk {
    layout: Layout,
    /// What a cell of a leaf must satisfy, and a cell of another node.
    of_rows: Vec<Test>,
    of_nodes: Vec<Test>,
    /// The next node comes last. Leaves have height 0.
    to_visit: Vec<(NodeNo, usize)>,
    /// The cells of the rows.
    found: Vec<u8>,
    /// The index of the row after the current one.
    next: usize,
}

/// A scan mostly visits no more children of a node than this.
const CHILDREN_USUAL: usize = 8;

/// A condition on one coordinate. (Both directions are one comparison, so that a cell is tested without a branch for the kind of
/// condition.)
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test {
    coordinate: usize,
    /// 1, or -1 for a condition that the coordinate is at most a number.
    sign: f64,
    /// What the coordinate times `sign` is at least.
    least: f64,
}

impl Walk {
    /// A scan in front of the first row.
    pub fn new(layout: Layout, root: &Arc<Node>, constraints: &[Constraint]) -> Walk {
        let tests_max = 2 * constraints.len();
        let (mut of_rows, mut of_nodes) = (Vec::with_capacity(tests_max), Vec::with_capacity(tests_max));
        let mut can_find = true;
        for constraint in constraints {
            match *constraint {
                Constraint::Compare(index, comparison, value) if index < 2 * layout.dimensions => {
                    can_find &= Test::add(&mut of_rows, &mut of_nodes, index, comparison, value);
                }
                Constraint::Always | Constraint::Match(_) => {}
                Constraint::Never | Constraint::Compare(..) => can_find = false,
            }
        }
        let mut walk = Walk { layout, of_rows, of_nodes, to_visit: Vec::new(), found: Vec::new(), next: 0 };
        if can_find {
            walk.look_into(root.bytes(), root.depth());
        }
        walk
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
            store.visit_node(self.layout, node, &mut |bytes| self.look_into(bytes, height))?;
        }
    }

    /// Notes the rows, or the nodes to visit, in a node of this height.
    fn look_into(&mut self, node: &[u8], height: usize) {
        self.found.clear();
        self.next = 0;
        let Walk { layout, of_rows, of_nodes, to_visit, found, .. } = self;
        match height.checked_sub(1) {
            None => cells_that_pass(*layout, node, of_rows, |cell| found.extend_from_slice(cell)),
            Some(height) => {
                let before = to_visit.len();
                to_visit.reserve(CHILDREN_USUAL);
                cells_that_pass(*layout, node, of_nodes, |cell| to_visit.push((NodeNo(Layout::id_of(cell)), height)));
                if let Some(added) = to_visit.get_mut(before..) {
                    added.reverse();
                }
            }
        }
    }

    /// The cell of the row.
    pub fn cell(&self) -> Option<Cell> {
        self.layout.cell_of(&self.found, self.next.checked_sub(1)?).map(|cell| self.layout.decode(cell))
    }
}

impl Test {
    /// Adds the tests of a comparison; false if no coordinate satisfies it.
    fn add(rows: &mut Vec<Test>, nodes: &mut Vec<Test>, index: usize, comparison: Comparison, value: f64) -> bool {
        let at_least = |coordinate, least| Test { coordinate, sign: 1.0, least };
        let at_most = |coordinate, most: f64| Test { coordinate, sign: -1.0, least: -most };
        let (is_lower, is_upper) = match comparison {
            Comparison::Equal => (true, true),
            Comparison::AtMost | Comparison::Below => (false, true),
            Comparison::AtLeast | Comparison::Above => (true, false),
        };
        // Coordinates are exact as doubles: what is less than a double is at most the one before it.
        if is_lower {
            rows.push(at_least(index, if comparison == Comparison::Above { value.next_up() } else { value }));
            nodes.push(at_least(index | 1, value));
        }
        if is_upper {
            rows.push(at_most(index, if comparison == Comparison::Below { value.next_down() } else { value }));
            nodes.push(at_most(index & !1, value));
        }
        !matches!((comparison, value), (Comparison::Above, f64::INFINITY) | (Comparison::Below, f64::NEG_INFINITY))
    }
}

/// Calls `pass` with each cell that satisfies the tests.
fn cells_that_pass(layout: Layout, node: &[u8], tests: &[Test], mut pass: impl FnMut(&[u8])) {
    let is_float = layout.coordinates == CoordinateType::Float;
    for (cell, coordinates) in layout.cells_of(node) {
        let passes = |test: &Test| {
            let bytes = coordinates.get(test.coordinate).copied().unwrap_or_default();
            let kind = if is_float { CoordinateType::Float } else { CoordinateType::Integer };
            kind.decode(bytes) * test.sign >= test.least
        };
        if tests.iter().all(passes) {
            pass(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_the_comparisons() {
        let numbers =
            [f64::NEG_INFINITY, -2.5, -0.0, 0.0, f64::from(f32::MIN_POSITIVE), 1.5, 16_777_216.5, f64::INFINITY];
        let all = [Comparison::Equal, Comparison::AtMost, Comparison::Below, Comparison::AtLeast, Comparison::Above];
        let passes =
            |tests: &[Test], at: &[f64; 2]| tests.iter().all(|test| at[test.coordinate] * test.sign >= test.least);
        for (comparison, value) in all.into_iter().flat_map(|comparison| numbers.map(|value| (comparison, value))) {
            for (index, at) in [0, 1].into_iter().flat_map(|index| numbers.map(|at| (index, f64::from(at as f32)))) {
                let (mut rows, mut nodes) = (Vec::new(), Vec::new());
                let can_find = Test::add(&mut rows, &mut nodes, index, comparison, value);
                let holds = can_find && passes(&rows, &[at, at]);
                assert_eq!(holds, comparison.holds(at, value), "{at} {comparison:?} {value}");
                assert_eq!(passes(&nodes, &[at, at + 1.0]), comparison.can_hold(at, at + 1.0, value));
            }
        }
    }
}
