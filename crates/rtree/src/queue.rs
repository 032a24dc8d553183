//! The priority queue of a scan with callbacks.
//!
//! It is a binary heap, because the order in which a heap gives what is equal is visible: it is that of SQLite.

use lithe_vtab::{Grow, OutOfMemory};

use crate::constraint::Rating;
use crate::node::{Cell, NodeNo};

/// An entry of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The rating: the least score comes first.
    pub rating: Rating,
    /// The level in the tree: among equal scores, the one nearest to the rows comes first.
    pub level: usize,
    /// What is to be looked at.
    pub what: What,
}

/// A row that was found, or a node to visit.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A row.
    Row(Cell),
    /// A node, and its next cell.
    Node(NodeNo, usize),
}

impl Entry {
    fn is_before(&self, other: &Entry) -> bool {
        let (score, its) = (self.rating.score, other.rating.score);
        score < its || (score == its && self.level < other.level)
    }
}

/// The queue.
#[derive(Debug, Default)]
pub struct Queue {
    /// An entry that came before all others when it was added, and is not in the heap.
    front: Option<Entry>,
    /// Each entry comes before the two behind it: those in twice its place, counted from 1.
    heap: Vec<Entry>,
}

impl Queue {
    /// The first entry.
    pub fn first(&self) -> Option<&Entry> {
        self.front.as_ref().or(self.heap.first())
    }

    /// Changes what the first entry says.
    pub fn set_first(&mut self, what: What) {
        if let Some(first) = self.front.as_mut().or(self.heap.first_mut()) {
            first.what = what;
        }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn push(&mut self, entry: Entry) -> Result<(), OutOfMemory> {
        if self.first().is_some_and(|first| !entry.is_before(first)) {
            return self.add(entry);
        }
        if let Some(before) = self.front {
            self.add(before)?;
        }
        self.front = Some(entry);
        Ok(())
    }

    /// Removes the first entry.
    pub fn pop(&mut self) -> Option<Entry> {
        if let Some(front) = self.front.take() {
            return Some(front);
        }
        let last = self.heap.len().checked_sub(1)?;
        self.heap.swap(0, last);
        let first = self.heap.pop();
        let mut at = 0;
        while let Some(child) = self.first_child(at).filter(|child| self.is_before(*child, at)) {
            self.heap.swap(at, child);
            at = child;
        }
        first
    }

    fn add(&mut self, entry: Entry) -> Result<(), OutOfMemory> {
        let mut at = self.heap.len();
        self.heap.try_push(entry)?;
        while at > 0 && self.is_before(at, (at - 1) / 2) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        Ok(())
    }

    /// The child of an entry that comes first, the left one of two equal ones.
    fn first_child(&self, at: usize) -> Option<usize> {
        let left = 2 * at + 1;
        let child = if self.is_before(left + 1, left) { left + 1 } else { left };
        (child < self.heap.len()).then_some(child)
    }

    fn is_before(&self, one: usize, other: usize) -> bool {
        self.heap.get(one).zip(self.heap.get(other)).is_some_and(|(one, other)| one.is_before(other))
    }
}
