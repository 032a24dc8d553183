//! A node: one BLOB of the table `x_node`. Integers and coordinates are big-endian.
//!
//! ```text
//!   0       2       4                                            node size
//!   | depth | cells | cell | cell | …  unused, zero              |
//!
//!   cell:  0    8      12     16
//!          | id | min0 | max0 | min1 | max1 | …       8 + 8 × dimensions bytes
//! ```
//!
//! Only the root stores the depth of the tree, 0 if the root is a leaf; other nodes have 0 there. The id of a cell is a rowid in a leaf,
//! and the number of a child node in other nodes. Cells are appended; the removal of one moves the later ones down.

use std::fmt;
use std::sync::OnceLock;

use lithe_value::grow::{copied, filled};
use lithe_vtab::OutOfMemory;

use crate::bounds::{Bounds, CoordinateType};
use crate::columns::Columns;
use crate::error::{self, Result};

/// Where the number of cells is.
const CELL_COUNT_AT: usize = 2;
/// Where the cells begin.
pub const HEADER_LEN: usize = 4;
/// The length of an id.
const ID_LEN: usize = 8;
/// The length of one coordinate.
const COORDINATE_LEN: usize = 4;
/// The most cells of a node in a tree that this crate creates.
const MAX_CELLS: usize = 51;
/// The greatest depth; a greater one is damage.
pub const MAX_DEPTH: usize = 40;
/// The bytes of a page beside the node, if one row is to fit on it.
const PAGE_OVERHEAD: usize = 64;

/// The number of a node, a rowid of `x_node`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeNo(pub i64);

impl NodeNo {
    /// The root is always node 1.
    pub const ROOT: NodeNo = NodeNo(1);
}

impl fmt::Display for NodeNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The layout of a table's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The number of dimensions, 1 to [`MAX_DIMENSIONS`](crate::bounds::MAX_DIMENSIONS).
    pub dimensions: usize,
    /// How a coordinate is stored.
    pub coordinates: CoordinateType,
    /// The length of a node in bytes.
    pub node_len: usize,
}

impl Layout {
    /// The layout of a new table in a database with pages of this size.
    pub fn for_page_size(dimensions: usize, coordinates: CoordinateType, page_size: usize) -> Layout {
        let layout = Layout { dimensions, coordinates, node_len: 0 };
        let node_len = page_size.saturating_sub(PAGE_OVERHEAD).min(HEADER_LEN + MAX_CELLS * layout.cell_len());
        Layout { node_len, ..layout }
    }

    /// The length of a cell in bytes.
    pub fn cell_len(&self) -> usize {
        ID_LEN + 2 * COORDINATE_LEN * self.dimensions
    }

    /// The most cells of a node.
    pub fn cells_max(&self) -> usize {
        self.node_len.saturating_sub(HEADER_LEN) / self.cell_len()
    }

    /// The fewest cells of a node that is not the root.
    pub fn cells_min(&self) -> usize {
        self.cells_max() / 3
    }

    fn cell_at(&self, index: usize) -> usize {
        HEADER_LEN + index * self.cell_len()
    }

    /// The cells of a node, from its bytes: each cell, and its undecoded coordinates.
    pub fn cells_of<'n>(&self, node: &'n [u8]) -> impl Iterator<Item = (&'n [u8], &'n [[u8; COORDINATE_LEN]])> {
        let end = self.cell_at(number_at(node, CELL_COUNT_AT));
        let cells = node.get(HEADER_LEN..end).unwrap_or_default().chunks_exact(self.cell_len());
        cells.map(|cell| (cell, Layout::coordinates_of(cell)))
    }

    /// The undecoded coordinates of a cell.
    pub fn coordinates_of(cell: &[u8]) -> &[[u8; COORDINATE_LEN]] {
        cell.get(ID_LEN..).unwrap_or_default().as_chunks().0
    }

    /// One of several cells, which lie one after the other.
    pub fn cell_of<'c>(&self, cells: &'c [u8], index: usize) -> Option<&'c [u8]> {
        let at = index * self.cell_len();
        cells.get(at..at + self.cell_len())
    }

    /// The id of a cell.
    pub fn id_of(cell: &[u8]) -> i64 {
        id_of(cell)
    }

    /// A cell from its bytes.
    pub fn decode(&self, cell: &[u8]) -> Cell {
        let (id, coordinates) = cell.split_at_checked(ID_LEN).unwrap_or_default();
        Cell { id: id_of(id), bounds: Bounds::decode(self.coordinates, coordinates) }
    }

    /// Checks the bytes of a node.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the length is wrong, or the cell count exceeds the length.
    pub fn check(&self, node: &[u8]) -> Result {
        let is_sound = node.len() == self.node_len && number_at(node, CELL_COUNT_AT) <= self.cells_max();
        if is_sound { Ok(()) } else { Err(error::corrupt()) }
    }

    fn put_cell(&self, node: &mut [u8], index: usize, cell: &Cell) {
        let at = self.cell_at(index);
        let Some(slot) = node.get_mut(at..at + self.cell_len()) else { return };
        let (id, coordinates) = slot.split_at_mut(ID_LEN);
        id.copy_from_slice(&cell.id.to_be_bytes());
        for (slot, coordinate) in coordinates.chunks_exact_mut(COORDINATE_LEN).zip(cell.bounds.coordinates()) {
            slot.copy_from_slice(&self.coordinates.encode(*coordinate));
        }
    }

    /// Appends a cell to the bytes of a node; false if the node is full, or its length is wrong.
    pub fn append(&self, node: &mut [u8], cell: &Cell) -> bool {
        let count = number_at(node, CELL_COUNT_AT);
        if node.len() != self.node_len || count >= self.cells_max() {
            return false;
        }
        self.put_cell(node, count, cell);
        put_number(node, CELL_COUNT_AT, count + 1);
        true
    }
}

/// A cell: a box, and the row or the child node that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The rowid in a leaf; the number of the child node in other nodes.
    pub id: i64,
    /// The box around it.
    pub bounds: Bounds,
}

/// A node in memory.
#[derive(Debug)]
pub struct Node {
    bytes: Vec<u8>,
    layout: Layout,
    /// The decoded coordinates, from the first use on.
    columns: OnceLock<Columns>,
}

impl Node {
    /// An empty node.
    pub fn new(layout: Layout) -> Result<Node, OutOfMemory> {
        Ok(Node { bytes: filled(0, layout.node_len)?, layout, columns: OnceLock::new() })
    }

    /// A copy.
    pub fn try_clone(&self) -> Result<Node, OutOfMemory> {
        let columns = self.columns.get().map(Columns::try_clone).transpose()?;
        let columns = columns.map_or_else(OnceLock::new, OnceLock::from);
        Ok(Node { bytes: copied(&self.bytes)?, layout: self.layout, columns })
    }

    /// A node from its stored bytes.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the length is wrong, or the cell count exceeds the length.
    pub fn from_bytes(layout: Layout, bytes: Vec<u8>) -> Result<Node> {
        layout.check(&bytes)?;
        Ok(Node { bytes, layout, columns: OnceLock::new() })
    }

    /// The stored form.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of levels below the root. Only the root stores it.
    pub fn depth(&self) -> usize {
        self.number_at(0)
    }

    /// Sets the number of levels below the root.
    pub fn set_depth(&mut self, depth: usize) {
        self.put_number(0, depth);
    }

    /// The number of cells.
    pub fn cell_count(&self) -> usize {
        self.number_at(CELL_COUNT_AT)
    }

    fn number_at(&self, at: usize) -> usize {
        number_at(&self.bytes, at)
    }

    fn put_number(&mut self, at: usize, number: usize) {
        put_number(&mut self.bytes, at, number);
    }

    fn cell_at(&self, index: usize) -> usize {
        self.layout.cell_at(index)
    }

    /// The bytes of all cells, one after the other.
    fn cell_bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.layout.cells_of(&self.bytes).map(|(cell, _)| cell)
    }

    fn decode(&self, bytes: &[u8]) -> Cell {
        self.layout.decode(bytes)
    }

    /// The decoded coordinates of the cells.
    pub fn columns(&self) -> Result<&Columns, OutOfMemory> {
        if let Some(known) = self.columns.get() {
            return Ok(known);
        }
        let cells = self.cells().map(|cell| cell.bounds);
        let columns = Columns::of(self.layout.coordinates, self.layout.dimensions, self.cell_count(), cells)?;
        Ok(self.columns.get_or_init(|| columns))
    }

    /// The id of a cell.
    pub fn id(&self, index: usize) -> Option<i64> {
        let bytes = self.bytes.get(self.cell_at(index)..self.cell_at(index + 1))?;
        (index < self.cell_count()).then(|| id_of(bytes))
    }

    /// The cells in their order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        self.cell_bytes().map(|bytes| self.decode(bytes))
    }

    /// One cell.
    pub fn cell(&self, index: usize) -> Option<Cell> {
        let bytes = self.bytes.get(self.cell_at(index)..self.cell_at(index + 1))?;
        (index < self.cell_count()).then(|| self.decode(bytes))
    }

    /// The index of the cell with this id.
    pub fn find(&self, id: i64) -> Option<usize> {
        self.cell_bytes().position(|bytes| bytes.starts_with(&id.to_be_bytes()))
    }

    /// The least box around all cells; None without cells.
    pub fn bounds(&self) -> Option<Bounds> {
        self.cells().map(|cell| cell.bounds).reduce(|all, bounds| all.union(&bounds))
    }

    /// Replaces a cell.
    pub fn set(&mut self, index: usize, cell: &Cell) {
        self.layout.put_cell(&mut self.bytes, index, cell);
        if let Some(columns) = self.columns.get_mut() {
            columns.set(index, &cell.bounds);
        }
    }

    /// Appends a cell; false if the node is full.
    pub fn push(&mut self, cell: &Cell) -> bool {
        let is_appended = self.layout.append(&mut self.bytes, cell);
        // Where there is no space for one more, they are decoded anew.
        if self.columns.get_mut().is_some_and(|columns| is_appended && columns.push(&cell.bounds).is_err()) {
            self.columns.take();
        }
        is_appended
    }

    /// Removes a cell.
    pub fn remove(&mut self, index: usize) {
        self.columns.take();
        let (at, next, end) = (self.cell_at(index), self.cell_at(index + 1), self.cell_at(self.cell_count()));
        if end <= self.bytes.len() && next <= end {
            self.bytes.copy_within(next..end, at);
            self.put_number(CELL_COUNT_AT, self.cell_count() - 1);
        }
    }

    /// Removes all cells. The depth stays.
    pub fn clear(&mut self) {
        self.columns.take();
        if let Some(rest) = self.bytes.get_mut(2..) {
            rest.fill(0);
        }
    }
}

fn number_at(node: &[u8], at: usize) -> usize {
    node.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).map_or(0, |bytes| u16::from_be_bytes(bytes).into())
}

fn put_number(node: &mut [u8], at: usize, number: usize) {
    if let (Some(slot), Ok(number)) = (node.get_mut(at..at + 2), u16::try_from(number)) {
        slot.copy_from_slice(&number.to_be_bytes());
    }
}

/// The id that a cell begins with.
fn id_of(cell: &[u8]) -> i64 {
    cell.first_chunk().map_or(0, |id| i64::from_be_bytes(*id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_of_new_tables() {
        let len = |dimensions, page| Layout::for_page_size(dimensions, CoordinateType::Float, page).node_len;
        assert_eq!((len(1, 4096), len(2, 4096), len(5, 1024)), (820, 1228, 960));
    }

    #[test]
    fn cells_come_and_go() {
        let layout = Layout::for_page_size(1, CoordinateType::Integer, 512);
        let mut node = Node::new(layout).unwrap();
        let cell = |id: i64| Cell { id, bounds: Bounds::new([-(id as f64), id as f64]) };
        for id in 0..layout.cells_max() as i64 {
            assert!(node.push(&cell(id)));
        }
        assert!(!node.push(&cell(99)));
        node.remove(1);
        assert_eq!(node.cell_count(), layout.cells_max() - 1);
        assert_eq!((node.cell(1), node.find(1), node.find(3)), (Some(cell(2)), None, Some(2)));
        assert_eq!(Node::from_bytes(layout, node.bytes().to_vec()).unwrap().bytes(), node.bytes());
        assert!(Node::from_bytes(layout, vec![0; 7]).is_err());
    }

    #[test]
    fn decoded_coordinates_are_those_of_the_cells() {
        let layout = Layout::for_page_size(2, CoordinateType::Float, 512);
        let mut node = Node::new(layout).unwrap();
        let cell = |id: i64, x: f64| Cell { id, bounds: Bounds::new([x, x + 2.0, -x, 3.0]) };
        let check = |node: &Node| {
            let anew = Node::from_bytes(layout, node.bytes().to_vec()).unwrap();
            assert_eq!(node.columns().unwrap(), anew.columns().unwrap());
        };
        check(&node);
        for (id, x) in [(1, 0.5), (2, 1.5), (3, 2.5)] {
            node.push(&cell(id, x));
            check(&node);
        }
        node.set(1, &cell(2, 8.5));
        check(&node);
        node.remove(0);
        check(&node);
        node.push(&cell(4, 9.0));
        check(&node);
        node.clear();
        check(&node);
        while node.push(&cell(5, 1.0)) {}
        check(&node);
    }
}
