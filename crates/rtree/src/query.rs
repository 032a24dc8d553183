//! Finds the rows whose boxes satisfy constraints.
//!
//! A scan has a priority queue of entries: nodes to visit, each with its next cell, and cells of leaves that were found. The entry of the
//! least score comes first, among equal scores the one nearest to the leaves. Without callbacks all scores are 0, so that the scan visits
//! the tree depth-first in the order of the cells.
//!
//! ```text
//!   level   depth + 1   the root
//!           …           inner nodes
//!           1           leaves
//!           0           cells of leaves: rows
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use lithe_value::Numeric;
use lithe_vtab::OutOfMemory;

pub use crate::constraint::{Candidate, Comparison, Constraint, Geometry, Rating, Within};
use crate::error::{self, Result};
use crate::node::{Cell, Layout, MAX_DEPTH, Node, NodeNo};
use crate::queue::{Entry, Queue, What};
use crate::store::Store;
use crate::walk::Walk;

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// Its rowid and its box.
    cell: Cell,
}

/// A scan under constraints.
pub struct Query {
    layout: Layout,
    constraints: Vec<Constraint>,
    queue: Queue,
    /// The number of queued entries at each level.
    queued: Vec<u32>,
    nodes: HashMap<NodeNo, Arc<Node>>,
    /// The scan without callbacks; then the queue is empty.
    walk: Option<Walk>,
    /// The current row, if there are callbacks.
    found: Option<Found>,
}

impl Query {
    /// A scan of the tree in `store`.
    ///
    /// # Errors
    /// If the root cannot be read, or is damaged.
    pub fn new(layout: Layout, store: &dyn Store, constraints: Vec<Constraint>) -> Result<Query> {
        let mut query = Query {
            layout,
            constraints,
            queue: Queue::default(),
            queued: Vec::new(),
            nodes: HashMap::new(),
            walk: None,
            found: None,
        };
        let root = store.shared_node(layout, NodeNo::ROOT)?;
        let depth = root.depth();
        if depth > MAX_DEPTH {
            return Err(error::corrupt());
        }
        if !query.constraints.iter().any(|constraint| matches!(constraint, Constraint::Match(_))) {
            query.walk = Some(Walk::new(layout, &root, &query.constraints)?);
            return Ok(query);
        }
        query.nodes.insert(NodeNo::ROOT, root);
        query.queued = vec![0; depth + 2];
        let rating = Rating { within: Within::Partly, score: 0.0 };
        query.push(rating, depth + 1, What::Node(NodeNo::ROOT, 0))?;
        Ok(query)
    }

    /// Goes to the next row; answers its rowid, None at the end.
    ///
    /// # Errors
    /// If a node cannot be read or is damaged, or a geometry fails.
    pub fn next(&mut self, store: &dyn Store) -> Result<Option<i64>> {
        if let Some(walk) = &mut self.walk {
            return walk.next(store);
        }
        self.found = self.next_by_score(store)?;
        Ok(self.found.map(|found| found.cell.id))
    }

    /// Goes to the next row if it is in the current leaf; answers its rowid.
    pub fn next_in_memory(&mut self) -> Option<i64> {
        self.walk.as_mut().and_then(Walk::next_in_leaf)
    }

    /// The cell of the row.
    pub fn cell(&self) -> Option<Cell> {
        self.walk.as_ref().map_or(self.found.map(|found| found.cell), Walk::cell)
    }

    /// A coordinate of the row, if the scan has no callbacks and the coordinate is a number.
    pub fn coordinate(&self, index: usize) -> Option<Numeric> {
        self.walk.as_ref()?.coordinate(index)
    }

    fn next_by_score(&mut self, store: &dyn Store) -> Result<Option<Found>> {
        while let Some(entry) = self.queue.first().copied() {
            match entry.what {
                What::Row(cell) => {
                    self.pop();
                    return Ok(Some(Found { cell }));
                }
                What::Node(number, next) => self.look_into(store, entry, number, next)?,
            }
        }
        Ok(None)
    }

    /// Continues with the cells of a node, until one satisfies the constraints.
    fn look_into(&mut self, store: &dyn Store, entry: Entry, number: NodeNo, mut next: usize) -> Result {
        let node = self.node(store, number)?;
        let level = entry.level.checked_sub(1).ok_or_else(error::corrupt)?;
        let mut found = None;
        while let (None, Some(cell)) = (found, node.cell(next)) {
            next += 1;
            found = self.rate(&cell, level, entry.rating)?.map(|rating| (cell, rating));
        }
        if next < node.cell_count() {
            // The node keeps its place in the queue.
            self.queue.set_first(What::Node(number, next));
        } else {
            self.pop();
            self.nodes.remove(&number);
        }
        if let Some((cell, rating)) = found {
            let what = if level == 0 { What::Row(cell) } else { What::Node(NodeNo(cell.id), 0) };
            self.push(rating, level, what)?;
        }
        Ok(())
    }

    /// Evaluates the constraints for a cell; None if it fails one.
    fn rate(&self, cell: &Cell, level: usize, parent: Rating) -> Result<Option<Rating>> {
        let coordinates = cell.bounds.coordinates();
        let mut rating = Rating { within: Within::Fully, score: -1.0 };
        for constraint in &self.constraints {
            let holds = if level == 0 {
                constraint.holds_for_row(coordinates)
            } else {
                constraint.can_hold_within(coordinates)
            };
            if !holds {
                return Ok(None);
            }
            let Constraint::Match(geometry) = constraint else { continue };
            let level_max = self.queued.len().saturating_sub(1);
            let candidate = Candidate { coordinates, queued: &self.queued, level, level_max, rowid: cell.id, parent };
            let one = geometry.rate(&candidate)?;
            rating.within = rating.within.min(one.within);
            // A negative score means that no geometry has given one yet.
            if rating.score < 0.0 || one.score < rating.score {
                rating.score = one.score;
            }
            if rating.within == Within::Not {
                return Ok(None);
            }
        }
        if rating.score < 0.0 {
            rating.score = 0.0;
        }
        Ok(Some(rating))
    }

    fn push(&mut self, rating: Rating, level: usize, what: What) -> Result {
        self.queue.push(Entry { rating, level, what })?;
        self.count(level, 1);
        Ok(())
    }

    fn pop(&mut self) {
        if let Some(entry) = self.queue.pop() {
            self.count(entry.level, -1);
        }
    }

    fn count(&mut self, level: usize, by: i32) {
        if let Some(count) = self.queued.get_mut(level) {
            *count = count.saturating_add_signed(by);
        }
    }

    fn node(&mut self, store: &dyn Store, number: NodeNo) -> Result<Arc<Node>> {
        if let Some(node) = self.nodes.get(&number) {
            return Ok(Arc::clone(node));
        }
        let node = store.shared_node(self.layout, number)?;
        self.nodes.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.nodes.insert(number, Arc::clone(&node));
        Ok(node)
    }
}
