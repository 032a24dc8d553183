//! Checks a tree for damage: `rtreecheck()` and PRAGMA integrity_check.

use crate::bounds::Bounds;
use crate::error::Result;
use crate::node::{HEADER_LEN, Layout, MAX_DEPTH, Node, NodeNo};
use crate::store::Store;

/// The most findings that are reported.
const FINDINGS_MAX: usize = 100;

/// The tables of a tree, with the row counts that the check compares.
pub trait Tables: Store {
    /// Looks whether there is the table of nodes: a node that is missing is a finding, a missing table is an error.
    ///
    /// # Errors
    /// If it cannot be read.
    fn find_nodes(&self) -> Result;
    /// The number of rows of `x_rowid`.
    ///
    /// # Errors
    /// If it cannot be read.
    fn row_count(&self) -> Result<i64>;
    /// The number of rows of `x_parent`.
    ///
    /// # Errors
    /// If it cannot be read.
    fn parent_count(&self) -> Result<i64>;
}

/// The damage of the tree, in the words of PRAGMA integrity_check. `None` if there is none.
///
/// # Errors
/// If the tables cannot be read.
pub fn report(layout: &Layout, tables: &dyn Tables, database: &str, table: &str) -> Result<Option<String>> {
    let findings = check(layout, tables)?;
    Ok((!findings.is_empty()).then(|| format!("In RTree {database}.{table}:\n{}", findings.join("\n"))))
}

/// The findings about the tree; empty if it is undamaged.
///
/// # Errors
/// If the tables cannot be read.
pub fn check(layout: &Layout, tables: &dyn Tables) -> Result<Vec<String>> {
    tables.find_nodes()?;
    let mut check = Check { layout, tables, findings: Vec::new(), rows: 0, children: 0 };
    check.node(NodeNo::ROOT, None, None)?;
    check.count("_rowid", check.rows, tables.row_count()?);
    check.count("_parent", check.children, tables.parent_count()?);
    Ok(check.findings)
}

struct Check<'c> {
    layout: &'c Layout,
    tables: &'c dyn Tables,
    findings: Vec<String>,
    rows: i64,
    children: i64,
}

impl Check<'_> {
    fn report(&mut self, finding: String) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    fn count(&mut self, table: &str, expected: i64, actual: i64) {
        if expected != actual {
            self.report(format!("Wrong number of entries in %{table} table - expected {expected}, actual {actual}"));
        }
    }

    /// Checks a node and its subtree. `height` is None for the root, which stores the depth of the tree.
    fn node(&mut self, number: NodeNo, height: Option<usize>, bounds: Option<&Bounds>) -> Result {
        if self.findings.len() >= FINDINGS_MAX {
            return Ok(());
        }
        let Some(bytes) = self.tables.node(number)? else {
            self.report(format!("Node {number} missing from database"));
            return Ok(());
        };
        if bytes.len() < HEADER_LEN {
            self.report(format!("Node {number} is too small ({} bytes)", bytes.len()));
            return Ok(());
        }
        let layout = Layout { node_len: bytes.len(), ..*self.layout };
        let len = bytes.len();
        let count = match bytes.get(2..HEADER_LEN) {
            Some([high, low]) => usize::from(u16::from_be_bytes([*high, *low])),
            _ => 0,
        };
        if count > layout.cells_max() {
            self.report(format!("Node {number} is too small for cell count of {count} ({len} bytes)"));
            return Ok(());
        }
        let node = Node::from_bytes(layout, bytes)?;
        let height = height.unwrap_or_else(|| node.depth());
        if height > MAX_DEPTH {
            self.report(format!("Rtree depth out of range ({height})"));
            return Ok(());
        }
        self.cells(number, &node, height, bounds)
    }

    fn cells(&mut self, number: NodeNo, node: &Node, height: usize, bounds: Option<&Bounds>) -> Result {
        for (index, cell) in node.cells().enumerate() {
            self.sides(number, index, &cell.bounds, bounds);
            if height == 0 {
                self.mapping("_rowid", cell.id, self.tables.leaf_of(cell.id)?, number);
                self.rows += 1;
            } else {
                self.mapping("_parent", cell.id, self.tables.parent_of(NodeNo(cell.id))?, number);
                self.children += 1;
                self.node(NodeNo(cell.id), Some(height - 1), Some(&cell.bounds))?;
            }
        }
        Ok(())
    }

    fn sides(&mut self, number: NodeNo, index: usize, bounds: &Bounds, parent: Option<&Bounds>) {
        for dimension in 0..self.layout.dimensions {
            let (min, max) = bounds.side(dimension);
            if min > max {
                self.report(format!("Dimension {dimension} of cell {index} on node {number} is corrupt"));
            }
            let Some((least, greatest)) = parent.map(|parent| parent.side(dimension)) else { continue };
            if min < least || max > greatest {
                let place = format!("Dimension {dimension} of cell {index} on node {number}");
                self.report(format!("{place} is corrupt relative to parent"));
            }
        }
    }

    fn mapping(&mut self, table: &str, from: i64, found: Option<NodeNo>, expected: NodeNo) {
        match found {
            None => self.report(format!("Mapping ({from} -> {expected}) missing from %{table} table")),
            Some(found) if found != expected => {
                self.report(format!("Found ({from} -> {found}) in %{table} table, expected ({from} -> {expected})"));
            }
            Some(_) => {}
        }
    }
}
