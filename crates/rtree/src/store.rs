//! What a tree asks of the three tables that it is stored in.
//!
//! ```text
//!   x_node    nodeno → data              the nodes
//!   x_rowid   rowid  → nodeno, a0, …     the leaf in which a row's cell stands, and the auxiliary columns
//!   x_parent  nodeno → parentnode        of each node but the root
//! ```

use std::sync::Arc;

use crate::error::{self, Result};
use crate::node::{Layout, Node, NodeNo};

/// The three tables. An implementation answers with SQLite's codes if a table cannot be read or written.
#[allow(clippy::missing_errors_doc)] // said above, for all of them
pub trait Store {
    /// The data of a node; none if there is no such row.
    fn node(&self, node: NodeNo) -> Result<Option<Vec<u8>>>;
    /// A node, which must be there.
    fn shared_node(&self, layout: Layout, node: NodeNo) -> Result<Arc<Node>> {
        let bytes = self.node(node)?.ok_or_else(error::corrupt)?;
        Ok(Arc::new(Node::from_bytes(layout, bytes)?))
    }
    /// Writes a node that is there already.
    fn put_node(&self, node: NodeNo, data: &Arc<Node>) -> Result;
    /// Writes a new node; its number, as the table `x_node` allocates it.
    fn add_node(&self, data: &Arc<Node>) -> Result<NodeNo>;
    /// Removes a node.
    fn remove_node(&self, node: NodeNo) -> Result;

    /// The leaf in which a row's cell stands.
    fn leaf_of(&self, rowid: i64) -> Result<Option<NodeNo>>;
    /// Notes the leaf of a row; the auxiliary columns of a row that is there stay as they are.
    fn put_leaf(&self, rowid: i64, leaf: NodeNo) -> Result;
    /// Forgets a row.
    fn remove_row(&self, rowid: i64) -> Result;

    /// The parent of a node.
    fn parent_of(&self, node: NodeNo) -> Result<Option<NodeNo>>;
    /// Notes the parent of a node.
    fn put_parent(&self, node: NodeNo, parent: NodeNo) -> Result;
    /// Forgets the parent of a node.
    fn remove_parent(&self, node: NodeNo) -> Result;
}
