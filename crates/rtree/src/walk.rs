//! A scan without callbacks: a depth-first walk of the tree in the order of the cells.

use std::sync::Arc;

use crate::bounds::CoordinateType;
use crate::constraint::Constraint;
use crate::error::Result;
use crate::node::{Cell, Layout, Node, NodeNo};
use crate::store::Store;

/// The scan, with the path to its current cell.
pub struct Walk {
    layout: Layout,
    constraints: Vec<Constraint>,
    depth: usize,
    /// The nodes from the root down, each with its next cell.
    path: Vec<(Arc<Node>, usize)>,
}

impl Walk {
    /// A scan in front of the first row.
    pub fn new(layout: Layout, root: Arc<Node>, constraints: Vec<Constraint>) -> Walk {
        let depth = root.depth();
        Walk { layout, constraints, depth, path: vec![(root, 0)] }
    }

    /// Goes to the next row if it is in the current leaf; answers its rowid.
    pub fn next_in_leaf(&mut self) -> Option<i64> {
        if self.path.len() == self.depth + 1 { self.next_on_path() } else { None }
    }

    /// Goes to the next row; answers its rowid.
    ///
    /// # Errors
    /// If a node cannot be read, or is damaged.
    pub fn next(&mut self, store: &dyn Store) -> Result<Option<i64>> {
        while !self.path.is_empty() {
            let is_leaf = self.path.len() == self.depth + 1;
            match self.next_on_path() {
                Some(id) if is_leaf => return Ok(Some(id)),
                Some(id) => self.path.push((store.shared_node(self.layout, NodeNo(id))?, 0)),
                None => _ = self.path.pop(),
            }
        }
        Ok(None)
    }

    /// The next cell of the lowest node that satisfies the constraints; answers its id.
    fn next_on_path(&mut self) -> Option<i64> {
        let is_leaf = self.path.len() == self.depth + 1;
        let (node, next) = self.path.last_mut()?;
        let (constraints, kind) = (&self.constraints, self.layout.coordinates);
        let found = match is_leaf {
            true => node.find_from(*next, |cell| constraints.iter().all(|one| holds_for_row(one, cell, kind))),
            false => node.find_from(*next, |cell| constraints.iter().all(|one| can_hold_within(one, cell, kind))),
        };
        *next = found.map_or(node.cell_count(), |found| found + 1);
        node.id(found?)
    }

    /// The cell of the row.
    pub fn cell(&self) -> Option<Cell> {
        let (node, next) = self.path.last()?;
        node.cell(next.checked_sub(1)?)
    }
}

/// Whether a row's coordinates satisfy a comparison.
#[inline]
fn holds_for_row(constraint: &Constraint, cell: &[[u8; 4]], kind: CoordinateType) -> bool {
    match *constraint {
        Constraint::Compare(index, comparison, value) => {
            cell.get(index).is_some_and(|at| comparison.holds(kind.decode(*at), value))
        }
        Constraint::Never => false,
        Constraint::Always | Constraint::Match(_) => true,
    }
}

/// Whether a row within this box could satisfy a comparison.
#[inline]
fn can_hold_within(constraint: &Constraint, cell: &[[u8; 4]], kind: CoordinateType) -> bool {
    match *constraint {
        Constraint::Compare(index, comparison, value) => {
            let (min, max) = (cell.get(index & !1), cell.get(index | 1));
            min.zip(max).is_some_and(|(min, max)| comparison.can_hold(kind.decode(*min), kind.decode(*max), value))
        }
        Constraint::Never => false,
        Constraint::Always | Constraint::Match(_) => true,
    }
}
