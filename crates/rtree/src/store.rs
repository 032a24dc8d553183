//! The interface of a tree to the three tables that store it.
//!
//! ```text
//!   x_node    nodeno → data              the nodes
//!   x_rowid   rowid  → nodeno, a0, …     the leaf with a row's cell, and the auxiliary columns
//!   x_parent  nodeno → parentnode        the parent of each node but the root
//! ```

use std::sync::Arc;

use crate::error::{self, Result};
use crate::node::{Cell, Layout, Node, NodeNo};

/// The three tables. An implementation answers with SQLite's codes if a table cannot be read or written.
#[allow(clippy::missing_errors_doc)] // stated above for all of them
pub trait Store {
    /// The data of a node; None if `x_node` has no such row.
    fn node(&self, node: NodeNo) -> Result<Option<Vec<u8>>>;
    /// A node that must exist.
    fn shared_node(&self, layout: Layout, node: NodeNo) -> Result<Arc<Node>> {
        let bytes = self.node(node)?.ok_or_else(error::corrupt)?;
        Ok(Arc::new(Node::from_bytes(layout, bytes)?))
    }
    /// Calls `visit` with the bytes of a node that must exist.
    fn visit_node(&self, layout: Layout, node: NodeNo, visit: &mut dyn FnMut(&[u8])) -> Result {
        visit(self.shared_node(layout, node)?.bytes());
        Ok(())
    }
    /// A node is about to be changed, and will be written: it need not be kept until then.
    fn release_node(&self, node: NodeNo);
    /// Writes an existing node.
    fn put_node(&self, node: NodeNo, data: &Arc<Node>) -> Result;
    /// Appends a cell to a stored node; false if the node must be read and written as a whole, because it is full, damaged, or not
    /// at hand.
    fn append_cell(&self, layout: Layout, node: NodeNo, cell: &Cell) -> Result<bool> {
        let _ = (layout, node, cell);
        Ok(false)
    }
    /// SQLite would have written this node last, of those that the change has written: `last_insert_rowid()` tells.
    fn wrote_last(&self, node: NodeNo) {
        let _ = node;
    }
    /// Writes a new node; answers the number that `x_node` allocates.
    fn add_node(&self, data: &Arc<Node>) -> Result<NodeNo>;
    /// Removes a node.
    fn remove_node(&self, node: NodeNo) -> Result;

    /// The leaf with a row's cell.
    fn leaf_of(&self, rowid: i64) -> Result<Option<NodeNo>>;
    /// Stores the leaf of a row; an existing row keeps its auxiliary columns.
    fn put_leaf(&self, rowid: i64, leaf: NodeNo) -> Result;
    /// Deletes a row of `x_rowid`.
    fn remove_row(&self, rowid: i64) -> Result;

    /// The parent of a node.
    fn parent_of(&self, node: NodeNo) -> Result<Option<NodeNo>>;
    /// Stores the parent of a node.
    fn put_parent(&self, node: NodeNo, parent: NodeNo) -> Result;
    /// Deletes the parent of a node.
    fn remove_parent(&self, node: NodeNo) -> Result;
}
