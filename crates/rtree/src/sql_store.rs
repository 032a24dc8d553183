//! Access to the three tables of an R-Tree by SQL.

use std::cell::Cell;
use std::sync::Arc;

use lithe_vtab::{Kept, Names, SqlConnection, ValueRef, code};

use crate::check::Tables;
use crate::error::{self, Result};
use crate::node::{Layout, Node, NodeNo};
use crate::nodes::Nodes;
use crate::store::Store;

/// The suffixes of the tables.
pub const SUFFIXES: [&str; 3] = ["node", "parent", "rowid"];

/// The statements of one R-Tree, compiled at their first use.
pub struct Statements {
    read_node: Kept,
    put_node: Kept,
    add_node: Kept,
    remove_node: Kept,
    leaf_of: Kept,
    next_row: Kept,
    put_leaf: Kept,
    add_leaf: Kept,
    add_row: Kept,
    remove_row: Kept,
    parent_of: Kept,
    put_parent: Kept,
    remove_parent: Kept,
    put_auxiliary: Option<Kept>,
    row_count: Kept,
    parent_count: Kept,
    database: String,
    nodes: Nodes,
}

impl Statements {
    /// The statements for the tables of that name, with that number of auxiliary columns.
    pub fn new(names: &Names, auxiliary: usize) -> Statements {
        let (node, parent, rowid) = (names.shadow("node"), names.shadow("parent"), names.shadow("rowid"));
        let put_leaf = if auxiliary == 0 {
            format!("INSERT OR REPLACE INTO {rowid} VALUES(?1, ?2)")
        } else {
            // An existing row keeps its auxiliary columns.
            format!(
                "INSERT INTO {rowid}(rowid, nodeno) VALUES(?1, ?2) \
                 ON CONFLICT(rowid) DO UPDATE SET nodeno = excluded.nodeno"
            )
        };
        let put_auxiliary = (auxiliary > 0).then(|| {
            let set: Vec<String> = (0..auxiliary).map(|at| format!("a{at} = ?{}", at + 2)).collect();
            Kept::of_ordinary_tables(format!("UPDATE {rowid} SET {} WHERE rowid = ?1", set.join(", ")))
        });
        Statements {
            read_node: Kept::of_ordinary_tables(format!("SELECT data FROM {node} WHERE nodeno = ?1")),
            put_node: Kept::of_ordinary_tables(format!("INSERT OR REPLACE INTO {node} VALUES(?1, ?2)")),
            add_node: Kept::of_ordinary_tables(format!("INSERT INTO {node} VALUES(NULL, ?1)")),
            remove_node: Kept::of_ordinary_tables(format!("DELETE FROM {node} WHERE nodeno = ?1")),
            leaf_of: Kept::of_ordinary_tables(format!("SELECT nodeno FROM {rowid} WHERE rowid = ?1")),
            next_row: Kept::of_ordinary_tables(format!(
                "SELECT rowid FROM {rowid} WHERE rowid >= ?1 ORDER BY rowid LIMIT 1"
            )),
            put_leaf: Kept::of_ordinary_tables(put_leaf),
            add_leaf: Kept::of_ordinary_tables(format!("INSERT INTO {rowid}(rowid, nodeno) VALUES(?1, ?2)")),
            add_row: Kept::of_ordinary_tables(format!("INSERT INTO {rowid}(rowid, nodeno) VALUES(NULL, NULL)")),
            remove_row: Kept::of_ordinary_tables(format!("DELETE FROM {rowid} WHERE rowid = ?1")),
            parent_of: Kept::of_ordinary_tables(format!("SELECT parentnode FROM {parent} WHERE nodeno = ?1")),
            put_parent: Kept::of_ordinary_tables(format!("INSERT OR REPLACE INTO {parent} VALUES(?1, ?2)")),
            remove_parent: Kept::of_ordinary_tables(format!("DELETE FROM {parent} WHERE nodeno = ?1")),
            put_auxiliary,
            database: names.database.clone(),
            nodes: Nodes::default(),
            row_count: Kept::of_ordinary_tables(format!("SELECT count(*) FROM {rowid}")),
            parent_count: Kept::of_ordinary_tables(format!("SELECT count(*) FROM {parent}")),
        }
    }

    /// Compiles the writes of `x_rowid` and `x_parent`: SQLite does not open a tree without these tables, even for a query that needs
    /// neither.
    ///
    /// # Errors
    /// Those of compiling.
    pub fn check(&self, connection: &dyn SqlConnection) -> Result {
        for kept in [&self.put_leaf, &self.put_parent] {
            connection.statement(kept)?;
        }
        Ok(())
    }
}

/// Access to the tables during one call.
#[derive(Clone)]
pub struct SqlStore<'c> {
    /// The connection.
    pub connection: &'c dyn SqlConnection,
    /// The statements of the R-Tree.
    pub statements: &'c Statements,
    /// The content version of the database, read at the first use: during a call, only writes of the store change it.
    version: Cell<Option<Option<u64>>>,
    /// The id of the new row, which `x_rowid` does not have yet.
    free_row: Cell<Option<i64>>,
}

impl<'c> SqlStore<'c> {
    /// Access for one call.
    pub fn new(connection: &'c dyn SqlConnection, statements: &'c Statements) -> SqlStore<'c> {
        SqlStore { connection, statements, version: Cell::new(None), free_row: Cell::new(None) }
    }
}

impl SqlStore<'_> {
    fn run(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result {
        self.connection.statement(kept)?.run(values)
    }

    /// Runs a statement that changes one row; answers whether no trigger changed another one.
    fn write(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result<bool> {
        let (version, changes) = (self.version(), self.connection.total_changes());
        let done = self.run(kept, values);
        self.version.set(None);
        done?;
        let is_alone = self.connection.total_changes() <= changes + 1;
        match is_alone {
            true => self.statements.nodes.advance(version, self.version()),
            false => self.free_row.set(None),
        }
        Ok(is_alone)
    }

    fn version(&self) -> Option<u64> {
        let known = self.version.get();
        let version = known.unwrap_or_else(|| self.connection.content_version(&self.statements.database));
        self.version.set(Some(version));
        version
    }

    /// The first column of the first row, as an integer.
    fn integer(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result<Option<i64>> {
        let mut statement = self.connection.statement(kept)?;
        statement.bind_all(values)?;
        Ok(if statement.step()? { Some(lithe_value::cast::to_integer(statement.column(0))) } else { None })
    }

    /// Inserts a row without content; answers its rowid.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn add_row(&self) -> Result<i64> {
        self.write(&self.statements.add_row, &[])?;
        let rowid = self.connection.last_insert_rowid();
        self.statements.nodes.include_row(rowid);
        Ok(rowid)
    }

    /// Whether there is a row with this id. If not, the row can be added with [`Store::put_leaf`].
    ///
    /// # Errors
    /// If the table cannot be read.
    pub fn has_row(&self, rowid: i64) -> Result<bool> {
        let nodes = &self.statements.nodes;
        let is_beyond = nodes.largest_row(self.version()).is_some_and(|largest| largest < rowid);
        if !is_beyond {
            let next = self.integer(&self.statements.next_row, &[ValueRef::Integer(rowid)])?;
            match next {
                Some(next) if next == rowid => return Ok(true),
                Some(_) => {}
                None => nodes.set_largest_row(self.version(), rowid),
            }
        }
        self.free_row.set(Some(rowid));
        Ok(false)
    }

    /// Writes the auxiliary columns of a row.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn put_auxiliary(&self, rowid: i64, values: &[ValueRef<'_>]) -> Result {
        let Some(kept) = &self.statements.put_auxiliary else { return Ok(()) };
        let all: Vec<ValueRef<'_>> = [ValueRef::Integer(rowid)].into_iter().chain(values.iter().copied()).collect();
        self.write(kept, &all).map(|_| ())
    }
}

impl Store for SqlStore<'_> {
    fn node(&self, node: NodeNo) -> Result<Option<Vec<u8>>> {
        // A missing or different table of nodes is reported as damage, as a missing node is.
        let damaged = |error: error::Error| if error.code == code::ERROR { error::corrupt() } else { error };
        let mut statement = self.connection.statement(&self.statements.read_node).map_err(damaged)?;
        statement.bind(1, ValueRef::Integer(node.0))?;
        if !statement.step().map_err(damaged)? {
            return Ok(None);
        }
        match statement.column(0) {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Ok(Some(bytes.to_vec())),
            _ => Err(error::corrupt()),
        }
    }

    fn shared_node(&self, layout: Layout, node: NodeNo) -> Result<Arc<Node>> {
        let version = self.version();
        if let Some(known) = self.statements.nodes.get(version, node) {
            return Ok(known);
        }
        let bytes = self.node(node)?.ok_or_else(error::corrupt)?;
        let found = Arc::new(Node::from_bytes(layout, bytes)?);
        self.statements.nodes.put(version, node, Arc::clone(&found));
        Ok(found)
    }

    fn release_node(&self, node: NodeNo) {
        self.statements.nodes.remove(node);
    }

    fn put_node(&self, node: NodeNo, data: &Arc<Node>) -> Result {
        self.statements.nodes.remove(node);
        if self.write(&self.statements.put_node, &[ValueRef::Integer(node.0), ValueRef::Blob(data.bytes())])? {
            self.statements.nodes.put(self.version(), node, Arc::clone(data));
        }
        Ok(())
    }

    fn add_node(&self, data: &Arc<Node>) -> Result<NodeNo> {
        let is_alone = self.write(&self.statements.add_node, &[ValueRef::Blob(data.bytes())])?;
        let number = NodeNo(self.connection.last_insert_rowid());
        if is_alone {
            self.statements.nodes.put(self.version(), number, Arc::clone(data));
        }
        Ok(number)
    }

    fn remove_node(&self, node: NodeNo) -> Result {
        self.statements.nodes.remove(node);
        self.write(&self.statements.remove_node, &[ValueRef::Integer(node.0)]).map(|_| ())
    }

    fn leaf_of(&self, rowid: i64) -> Result<Option<NodeNo>> {
        Ok(self.integer(&self.statements.leaf_of, &[ValueRef::Integer(rowid)])?.map(NodeNo))
    }

    fn put_leaf(&self, rowid: i64, leaf: NodeNo) -> Result {
        let is_new = self.free_row.get() == Some(rowid);
        if is_new {
            self.free_row.set(None);
            self.statements.nodes.include_row(rowid);
        }
        let kept = if is_new { &self.statements.add_leaf } else { &self.statements.put_leaf };
        self.write(kept, &[ValueRef::Integer(rowid), ValueRef::Integer(leaf.0)]).map(|_| ())
    }

    fn remove_row(&self, rowid: i64) -> Result {
        self.write(&self.statements.remove_row, &[ValueRef::Integer(rowid)]).map(|_| ())
    }

    fn parent_of(&self, node: NodeNo) -> Result<Option<NodeNo>> {
        Ok(self.integer(&self.statements.parent_of, &[ValueRef::Integer(node.0)])?.map(NodeNo))
    }

    fn put_parent(&self, node: NodeNo, parent: NodeNo) -> Result {
        self.write(&self.statements.put_parent, &[ValueRef::Integer(node.0), ValueRef::Integer(parent.0)]).map(|_| ())
    }

    fn remove_parent(&self, node: NodeNo) -> Result {
        self.write(&self.statements.remove_parent, &[ValueRef::Integer(node.0)]).map(|_| ())
    }
}

impl Tables for SqlStore<'_> {
    fn row_count(&self) -> Result<i64> {
        Ok(self.integer(&self.statements.row_count, &[])?.unwrap_or(0))
    }

    fn parent_count(&self) -> Result<i64> {
        Ok(self.integer(&self.statements.parent_count, &[])?.unwrap_or(0))
    }
}
