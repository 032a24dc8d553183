//! Changes of the tree: the choice of a leaf, growth of the boxes above it, split and removal of nodes.
//!
//! ```text
//!   insert:  root ─ choose ─► leaf ── fits ──► append, grow the boxes above
//!                              └─── full ──► split ─► a cell for the new node, inserted one level higher
//!
//!   delete:  leaf ─ remove ─► enough cells left: shrink the boxes above
//!                      └────► too few: remove the node, insert its cells again at their height
//! ```
//!
//! An insertion changes nodes in memory, and [`Tree::finish`] writes them, but for a leaf that a cell is only appended to. Leaves have
//! height 0.

use std::sync::Arc;

use lithe_vtab::Grow;

use crate::bounds::Bounds;
use crate::choose::choose;
use crate::error::{self, Result};
use crate::node::{Cell, Layout, MAX_DEPTH, Node, NodeNo};
use crate::split::{Halves, divide};
use crate::store::Store;

/// One change of a tree.
pub struct Tree<'s> {
    layout: Layout,
    store: &'s dyn Store,
    /// Few: those of a path, and those that are split or removed.
    held: Vec<Held>,
    depth: usize,
    /// The leaf that a cell was appended to without reading it.
    appended_to: Option<NodeNo>,
    /// Removed nodes, with their height: their cells must be inserted again.
    dissolved: Vec<(Arc<Node>, usize)>,
}

/// A change mostly reads no more nodes than this.
const HELD_USUAL: usize = 8;

/// A node that the change has read.
struct Held {
    number: NodeNo,
    node: Arc<Node>,
    is_dirty: bool,
}

/// Which of the changed nodes are written.
#[derive(Clone, Copy, PartialEq)]
enum WhichNodes {
    /// The root stays in memory until the deletion ends.
    BelowRoot,
    All,
}

/// A node of a path.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    node: NodeNo,
    /// Where its parent had its cell, if that is known; the cell may have moved since.
    at: usize,
}

impl Step {
    const ROOT: Step = Step { node: NodeNo::ROOT, at: 0 };
}

/// The nodes from the root down to a node.
type Path = Vec<Step>;

/// Removes a row's cell from the tree in `store`, if the row exists.
///
/// # Errors
/// If the tree is damaged, or cannot be read or written.
pub fn delete_row(layout: Layout, store: &dyn Store, rowid: i64) -> Result {
    let mut tree = Tree::new(layout, store)?;
    tree.delete(rowid)?;
    tree.finish()
}

impl<'s> Tree<'s> {
    /// The tree in `store`.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the root is missing or damaged.
    pub fn new(layout: Layout, store: &'s dyn Store) -> Result<Tree<'s>> {
        let mut tree = Tree {
            layout,
            store,
            held: Vec::with_capacity(HELD_USUAL),
            depth: 0,
            appended_to: None,
            dissolved: Vec::new(),
        };
        tree.depth = tree.node(NodeNo::ROOT)?.depth();
        if tree.depth > MAX_DEPTH { Err(error::corrupt()) } else { Ok(tree) }
    }

    /// Adds a row's cell. The row must not exist.
    ///
    /// # Errors
    /// If the tree is damaged, or cannot be read or written.
    pub fn insert(&mut self, cell: &Cell) -> Result {
        let path = self.choose(&cell.bounds, 0)?;
        let leaf = last(&path)?;
        // A leaf that the change has not read need not be read, unless it is full.
        let is_held = self.held.iter().any(|held| held.number == leaf);
        if is_held || !self.store.append_cell(self.layout, leaf, cell)? {
            return self.insert_at(&path, cell, 0);
        }
        self.appended_to = Some(leaf);
        self.grow(&path, &cell.bounds)?;
        self.note_place(cell.id, leaf, 0)
    }

    /// Removes a row's cell; answers whether the row existed.
    ///
    /// # Errors
    /// If the tree is damaged, or cannot be read or written.
    pub fn delete(&mut self, rowid: i64) -> Result<bool> {
        let Some(leaf) = self.store.leaf_of(rowid)? else { return Ok(false) };
        let path = self.path_to(leaf)?;
        let index = self.node(leaf)?.find(rowid).ok_or_else(error::corrupt)?;
        self.remove_cell(&path, index, 0)?;
        self.write(WhichNodes::BelowRoot)?;
        self.store.remove_row(rowid)?;
        self.lower_root()?;
        while let Some((node, height)) = self.dissolved.pop() {
            self.insert_again(&node, height)?;
        }
        self.write(WhichNodes::All)?;
        Ok(true)
    }

    /// Writes the changed nodes.
    ///
    /// # Errors
    /// If a table cannot be written.
    pub fn finish(mut self) -> Result {
        self.write(WhichNodes::All)?;
        if let Some(leaf) = self.appended_to {
            self.store.wrote_last(leaf);
        }
        Ok(())
    }

    /// Writes changed nodes. Deletions do so as often as in SQLite: `total_changes()` counts the writes, and triggers see them.
    fn write(&mut self, which: WhichNodes) -> Result {
        let is_written = |held: &Held| held.is_dirty && (which == WhichNodes::All || held.number != NodeNo::ROOT);
        let mut numbers: Vec<NodeNo> = Vec::with_capacity(HELD_USUAL);
        numbers.try_extend(self.held.iter().filter(|held| is_written(held)).map(|held| held.number))?;
        numbers.sort_unstable();
        for number in numbers {
            let store = self.store;
            let held = self.hold(number)?;
            store.put_node(number, &held.node)?;
            held.is_dirty = false;
        }
        Ok(())
    }

    fn node(&mut self, number: NodeNo) -> Result<&Node> {
        Ok(&self.hold(number)?.node)
    }

    fn node_mut(&mut self, number: NodeNo) -> Result<&mut Node> {
        let store = self.store;
        let held = self.hold(number)?;
        if !held.is_dirty {
            // A node that no cache and no scan holds is changed without a copy.
            store.release_node(number);
            held.is_dirty = true;
        }
        if Arc::get_mut(&mut held.node).is_none() {
            held.node = Arc::new(held.node.try_clone()?);
        }
        Arc::get_mut(&mut held.node).ok_or_else(error::corrupt)
    }

    fn hold(&mut self, number: NodeNo) -> Result<&mut Held> {
        let known = self.held.iter().position(|held| held.number == number);
        let at = match known {
            Some(at) => at,
            None => {
                let node = self.store.shared_node(self.layout, number)?;
                self.held.try_push(Held { number, node, is_dirty: false })?;
                self.held.len() - 1
            }
        };
        self.held.get_mut(at).ok_or_else(error::corrupt)
    }

    /// The path to the node at this height that is best for a box.
    fn choose(&mut self, bounds: &Bounds, height: usize) -> Result<Path> {
        let mut path = Vec::with_capacity(self.depth + 1);
        path.push(Step::ROOT);
        for _ in height..self.depth {
            let node = self.node(last(&path)?)?;
            let at = choose(node, bounds)?.ok_or_else(error::corrupt)?;
            path.push(Step { node: NodeNo(node.id(at).ok_or_else(error::corrupt)?), at });
        }
        Ok(path)
    }

    /// The path from the root to a node, by the stored parents.
    fn path_to(&mut self, node: NodeNo) -> Result<Path> {
        let mut path = vec![Step { node, at: 0 }];
        while last(&path)? != NodeNo::ROOT {
            let parent = self.store.parent_of(last(&path)?)?.ok_or_else(error::corrupt)?;
            // A cycle of parents would never reach the root.
            if path.len() > self.depth || path.iter().any(|step| step.node == parent) {
                return Err(error::corrupt());
            }
            path.push(Step { node: parent, at: 0 });
        }
        path.reverse();
        if path.len() == self.depth + 1 { Ok(path) } else { Err(error::corrupt()) }
    }

    fn insert_at(&mut self, path: &[Step], cell: &Cell, height: usize) -> Result {
        let node = last(path)?;
        if !self.node_mut(node)?.push(cell) {
            return self.split(path, cell, height);
        }
        self.grow(path, &cell.bounds)?;
        self.note_place(cell.id, node, height)
    }

    /// Stores the node that contains a cell: as the row's leaf, or as the child's parent.
    fn note_place(&mut self, id: i64, node: NodeNo, height: usize) -> Result {
        if height == 0 { self.store.put_leaf(id, node) } else { self.store.put_parent(NodeNo(id), node) }
    }

    /// Grows the boxes above a node until they contain this one.
    fn grow(&mut self, path: &[Step], bounds: &Bounds) -> Result {
        for pair in path.windows(2).rev() {
            let [parent, child] = *pair else { continue };
            let (index, mut cell) = self.cell_of(parent.node, child)?;
            if !cell.bounds.contains(bounds) {
                cell.bounds.include(bounds);
                self.node_mut(parent.node)?.set(index, &cell);
            }
        }
        Ok(())
    }

    /// The cell of a child in its parent.
    fn cell_of(&mut self, parent: NodeNo, child: Step) -> Result<(usize, Cell)> {
        let node = self.node(parent)?;
        let is_there = node.id(child.at) == Some(child.node.0);
        let index = if is_there { Some(child.at) } else { node.find(child.node.0) }.ok_or_else(error::corrupt)?;
        Ok((index, node.cell(index).ok_or_else(error::corrupt)?))
    }

    /// Splits a full node with one more cell. A split root gets two children instead.
    fn split(&mut self, path: &[Step], cell: &Cell, height: usize) -> Result {
        let (step, above) = path.split_last().ok_or_else(error::corrupt)?;
        let node = step.node;
        let mut cells: Vec<Cell> = Vec::new();
        cells.try_grow(self.node(node)?.cell_count() + 1)?;
        cells.extend(self.node(node)?.cells());
        cells.push(*cell);
        let halves = divide(&self.layout, &cells)?.ok_or_else(error::corrupt)?;

        let right = self.add(&halves.right.0)?;
        self.note_places(&halves.right.0, right, height)?;
        let right_cell = Cell { id: right.0, bounds: halves.right.1 };
        if node == NodeNo::ROOT {
            return self.deepen(&halves, &right_cell, height);
        }
        let left = self.node_mut(node)?;
        left.clear();
        halves.left.0.iter().for_each(|cell| _ = left.push(cell));
        if halves.left.0.iter().any(|other| other.id == cell.id) {
            self.note_place(cell.id, node, height)?;
        }

        let parent = last(above)?;
        let (index, _) = self.cell_of(parent, *step)?;
        self.node_mut(parent)?.set(index, &Cell { id: node.0, bounds: halves.left.1 });
        self.grow(above, &halves.left.1)?;
        self.insert_at(above, &right_cell, height + 1)
    }

    /// Moves both halves of the root one level down.
    fn deepen(&mut self, halves: &Halves, right: &Cell, height: usize) -> Result {
        let left = self.add(&halves.left.0)?;
        self.note_places(&halves.left.0, left, height)?;
        self.depth += 1;
        let depth = self.depth;
        let root = self.node_mut(NodeNo::ROOT)?;
        root.clear();
        root.set_depth(depth);
        self.insert_at(&[Step::ROOT], &Cell { id: left.0, bounds: halves.left.1 }, height + 1)?;
        self.insert_at(&[Step::ROOT], right, height + 1)
    }

    /// A new node with these cells.
    fn add(&mut self, cells: &[Cell]) -> Result<NodeNo> {
        let mut node = Node::new(self.layout)?;
        cells.iter().for_each(|cell| _ = node.push(cell));
        let node = Arc::new(node);
        let number = self.store.add_node(&node)?;
        self.held.retain(|held| held.number != number);
        self.held.try_push(Held { number, node, is_dirty: false })?;
        Ok(number)
    }

    fn note_places(&mut self, cells: &[Cell], node: NodeNo, height: usize) -> Result {
        cells.iter().try_for_each(|cell| self.note_place(cell.id, node, height))
    }

    fn remove_cell(&mut self, path: &[Step], index: usize, height: usize) -> Result {
        let number = last(path)?;
        let cells_min = self.layout.cells_min();
        let node = self.node_mut(number)?;
        node.remove(index);
        if number == NodeNo::ROOT {
            Ok(())
        } else if node.cell_count() < cells_min {
            self.dissolve(path, height)
        } else {
            self.shrink(path)
        }
    }

    /// Removes a node from the tree, and keeps its cells to be inserted again.
    fn dissolve(&mut self, path: &[Step], height: usize) -> Result {
        let (step, above) = path.split_last().ok_or_else(error::corrupt)?;
        let number = step.node;
        let (index, _) = self.cell_of(last(above)?, *step)?;
        self.remove_cell(above, index, height + 1)?;
        self.store.remove_node(number)?;
        self.store.remove_parent(number)?;
        let at = self.held.iter().position(|held| held.number == number).ok_or_else(error::corrupt)?;
        let held = self.held.swap_remove(at);
        self.dissolved.push((held.node, height));
        Ok(())
    }

    /// Shrinks the boxes above a node to the least size.
    fn shrink(&mut self, path: &[Step]) -> Result {
        for pair in path.windows(2).rev() {
            let [parent, child] = *pair else { continue };
            let bounds = self.node(child.node)?.bounds().ok_or_else(error::corrupt)?;
            let (index, _) = self.cell_of(parent.node, child)?;
            self.node_mut(parent.node)?.set(index, &Cell { id: child.node.0, bounds });
        }
        Ok(())
    }

    /// Replaces a root with a single child by that child.
    fn lower_root(&mut self) -> Result {
        let root = self.node(NodeNo::ROOT)?;
        let (1, Some(only)) = (root.cell_count(), root.cell(0)) else { return Ok(()) };
        if self.depth == 0 {
            return Ok(());
        }
        let child = NodeNo(only.id);
        self.node(child)?;
        self.dissolve(&[Step::ROOT, Step { node: child, at: 0 }], self.depth - 1)?;
        self.depth -= 1;
        let depth = self.depth;
        self.node_mut(NodeNo::ROOT)?.set_depth(depth);
        Ok(())
    }

    fn insert_again(&mut self, node: &Node, height: usize) -> Result {
        for cell in node.cells() {
            let path = self.choose(&cell.bounds, height)?;
            self.insert_at(&path, &cell, height)?;
            self.write(WhichNodes::BelowRoot)?;
        }
        Ok(())
    }
}

fn last(path: &[Step]) -> Result<NodeNo> {
    path.last().map(|step| step.node).ok_or_else(error::corrupt)
}
