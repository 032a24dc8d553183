//! Access to the three tables of an R-Tree: rows by rowid where the connection can do without a statement, and SQL elsewhere.

use std::cell::Cell;
use std::sync::Arc;

use lithe_vtab::{Kept, KeptTable, Names, SqlConnection, ValueRef, code, copied};

use crate::check::Tables;
use crate::error::{self, Result};
use crate::node::{self, Layout, Node, NodeNo};
use crate::nodes::Nodes;
use crate::store::Store;

/// The suffixes of the tables.
pub const SUFFIXES: [&str; 3] = ["node", "parent", "rowid"];

/// The tables of one R-Tree, and the statements on them, compiled at their first use.
pub struct Statements {
    nodes_table: KeptTable,
    rows_table: KeptTable,
    parents_table: KeptTable,
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
        let table =
            |suffix, key, value| KeptTable::new(&names.database, &format!("{}_{suffix}", names.table), key, value);
        Statements {
            nodes_table: table("node", "nodeno", "data"),
            rows_table: table("rowid", "rowid", "nodeno"),
            parents_table: table("parent", "nodeno", "parentnode"),
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
pub struct SqlStore<'c> {
    /// The connection.
    pub connection: &'c dyn SqlConnection,
    /// The statements of the R-Tree.
    pub statements: &'c Statements,
    /// The content version of the database before the writes of this call, read at the first use: during a call, only writes of the
    /// store change it. Cached nodes are those of this version until the call ends.
    version: Cell<Option<Option<u64>>>,
    has_written: Cell<bool>,
    /// The id of the new row, which `x_rowid` does not have yet.
    free_row: Cell<Option<i64>>,
}

impl<'c> SqlStore<'c> {
    /// Access for one call.
    pub fn new(connection: &'c dyn SqlConnection, statements: &'c Statements) -> SqlStore<'c> {
        let (version, free_row) = (Cell::new(None), Cell::new(None));
        SqlStore { connection, statements, version, has_written: Cell::new(false), free_row }
    }
}

impl Drop for SqlStore<'_> {
    /// Cached nodes stay valid after the writes of this call.
    fn drop(&mut self) {
        if let Some(before) = self.version.get().filter(|_| self.has_written.get()) {
            self.statements.nodes.advance(before, self.content_version());
        }
    }
}

impl SqlStore<'_> {
    /// Runs a statement that writes one row.
    fn write(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result {
        let changes = self.connection.total_changes();
        let done = self.connection.statement(kept)?.run(values);
        if done.is_err() || self.connection.total_changes() > changes + 1 {
            // A trigger may have changed any node.
            self.forget();
        }
        done
    }

    /// Before a write.
    fn begin_write(&self) {
        self.version();
        self.has_written.set(true);
    }

    /// The outcome of a write without a statement.
    fn written<T>(&self, done: Result<T>) -> Result<T> {
        if done.is_err() {
            self.forget();
        }
        done
    }

    /// What is known of the tables is not valid any more.
    fn forget(&self) {
        self.version.set(None);
        self.has_written.set(false);
        self.free_row.set(None);
    }

    /// Writes an integer of a row.
    fn put_integer(&self, table: &KeptTable, kept: &Kept, rowid: i64, value: i64) -> Result {
        self.begin_write();
        match self.connection.write_row(table, Some(rowid), ValueRef::Integer(value)) {
            Some(done) => self.written(done.map(|_| ())),
            None => self.write(kept, &[ValueRef::Integer(rowid), ValueRef::Integer(value)]),
        }
    }

    fn remove(&self, table: &KeptTable, kept: &Kept, rowid: i64) -> Result {
        self.begin_write();
        match self.connection.delete_row(table, rowid) {
            Some(done) => self.written(done),
            None => self.write(kept, &[ValueRef::Integer(rowid)]),
        }
    }

    fn content_version(&self) -> Option<u64> {
        self.connection.content_version_at(&self.statements.nodes_table)
    }

    fn version(&self) -> Option<u64> {
        let known = self.version.get();
        let version = known.unwrap_or_else(|| self.content_version());
        self.version.set(Some(version));
        version
    }

    /// The first column of the first row, as an integer.
    fn integer(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result<Option<i64>> {
        let mut statement = self.connection.statement(kept)?;
        statement.bind_all(values)?;
        Ok(if statement.step()? { Some(lithe_value::cast::to_integer(statement.column(0))) } else { None })
    }

    /// The value of the row with this rowid, as an integer.
    fn integer_of_row(&self, table: &KeptTable, kept: &Kept, rowid: i64) -> Result<Option<i64>> {
        let mut found = None;
        let mut read = |value: ValueRef<'_>| found = Some(lithe_value::cast::to_integer(value));
        match self.connection.read_row(table, rowid, &mut read) {
            Some(done) => done.map(|_| found),
            None => self.integer(kept, &[ValueRef::Integer(rowid)]),
        }
    }

    /// Inserts a row without content; answers its rowid.
    ///
    /// # Errors
    /// If the table cannot be written.
    pub fn add_row(&self) -> Result<i64> {
        self.begin_write();
        let rowid = match self.connection.write_row(&self.statements.rows_table, None, ValueRef::Null) {
            Some(done) => self.written(done)?,
            None => {
                self.write(&self.statements.add_row, &[])?;
                self.connection.last_insert_rowid()
            }
        };
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
            let next = match self.connection.next_row(&self.statements.rows_table, rowid) {
                Some(next) => next?,
                None => self.integer(&self.statements.next_row, &[ValueRef::Integer(rowid)])?,
            };
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
        self.begin_write();
        self.write(kept, &all)
    }

    /// Caches a node that was written, unless a trigger may have written another one.
    fn keep_written(&self, node: NodeNo, data: &Arc<Node>) {
        if self.has_written.get() {
            self.statements.nodes.put(self.version(), node, Arc::clone(data));
        }
    }

    /// The data of a node, read by a statement.
    fn node_by_statement(&self, node: NodeNo) -> Result<Option<Vec<u8>>> {
        // A missing or different table of nodes is reported as damage, as a missing node is.
        let damaged = |error: error::Error| if error.code == code::ERROR { error::corrupt() } else { error };
        let mut statement = self.connection.statement(&self.statements.read_node).map_err(damaged)?;
        statement.bind(1, ValueRef::Integer(node.0))?;
        if !statement.step().map_err(damaged)? {
            return Ok(None);
        }
        match statement.column(0) {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Ok(Some(copied(bytes)?)),
            _ => Err(error::corrupt()),
        }
    }
}

impl Store for SqlStore<'_> {
    fn node(&self, node: NodeNo) -> Result<Option<Vec<u8>>> {
        let mut data = None;
        let mut read = |value: ValueRef<'_>| {
            if let ValueRef::Blob(bytes) = value {
                data = Some(copied(bytes));
            }
        };
        match self.connection.read_row(&self.statements.nodes_table, node.0, &mut read) {
            Some(is_there) => match (is_there?, data) {
                (true, None) => Err(error::corrupt()),
                (_, data) => Ok(data.transpose()?),
            },
            None => self.node_by_statement(node),
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

    fn visit_node(&self, layout: Layout, node: NodeNo, visit: &mut dyn FnMut(&[u8])) -> Result {
        let (version, nodes) = (self.version(), &self.statements.nodes);
        if let Some(known) = nodes.get(version, node) {
            visit(known.bytes());
            return Ok(());
        }
        if !nodes.is_occupied(version, node) {
            visit(self.shared_node(layout, node)?.bytes());
            return Ok(());
        }
        // The cache has another node of the tree in this place, and a scan visits a node once.
        let mut checked = Err(error::corrupt());
        let mut read = |value: ValueRef<'_>| {
            if let ValueRef::Blob(bytes) = value {
                checked = layout.check(bytes);
                if checked.is_ok() {
                    visit(bytes);
                }
            }
        };
        match self.connection.read_row(&self.statements.nodes_table, node.0, &mut read) {
            Some(done) => done.and(checked),
            None => {
                visit(self.shared_node(layout, node)?.bytes());
                Ok(())
            }
        }
    }

    fn release_node(&self, node: NodeNo) {
        self.statements.nodes.remove(node);
    }

    fn put_node(&self, node: NodeNo, data: &Arc<Node>) -> Result {
        self.begin_write();
        self.statements.nodes.remove(node);
        let bytes = ValueRef::Blob(data.bytes());
        match self.connection.write_row(&self.statements.nodes_table, Some(node.0), bytes) {
            Some(done) => _ = self.written(done)?,
            None => self.write(&self.statements.put_node, &[ValueRef::Integer(node.0), bytes])?,
        }
        self.keep_written(node, data);
        Ok(())
    }

    fn append_cell(&self, layout: Layout, node: NodeNo, cell: &node::Cell) -> Result<bool> {
        self.begin_write();
        let mut append = |bytes: &mut [u8]| layout.append(bytes, cell);
        match self.connection.edit_row(&self.statements.nodes_table, node.0, &mut append) {
            Some(done) => {
                self.statements.nodes.remove(node);
                self.written(done)
            }
            None => Ok(false),
        }
    }

    fn wrote_last(&self, node: NodeNo) {
        self.connection.set_last_insert_rowid(node.0);
    }

    fn add_node(&self, data: &Arc<Node>) -> Result<NodeNo> {
        self.begin_write();
        let bytes = ValueRef::Blob(data.bytes());
        let number = match self.connection.write_row(&self.statements.nodes_table, None, bytes) {
            Some(done) => self.written(done)?,
            None => {
                self.write(&self.statements.add_node, &[bytes])?;
                self.connection.last_insert_rowid()
            }
        };
        self.keep_written(NodeNo(number), data);
        Ok(NodeNo(number))
    }

    fn remove_node(&self, node: NodeNo) -> Result {
        self.statements.nodes.remove(node);
        self.remove(&self.statements.nodes_table, &self.statements.remove_node, node.0)
    }

    fn leaf_of(&self, rowid: i64) -> Result<Option<NodeNo>> {
        let leaf = self.integer_of_row(&self.statements.rows_table, &self.statements.leaf_of, rowid)?;
        Ok(leaf.map(NodeNo))
    }

    fn put_leaf(&self, rowid: i64, leaf: NodeNo) -> Result {
        let statements = self.statements;
        let is_new = self.free_row.get() == Some(rowid);
        if is_new {
            self.free_row.set(None);
            statements.nodes.include_row(rowid);
        } else if statements.put_auxiliary.is_some() {
            // The auxiliary columns stay.
            self.begin_write();
            return self.write(&statements.put_leaf, &[ValueRef::Integer(rowid), ValueRef::Integer(leaf.0)]);
        }
        let kept = if is_new { &statements.add_leaf } else { &statements.put_leaf };
        self.put_integer(&statements.rows_table, kept, rowid, leaf.0)
    }

    fn remove_row(&self, rowid: i64) -> Result {
        self.remove(&self.statements.rows_table, &self.statements.remove_row, rowid)
    }

    fn parent_of(&self, node: NodeNo) -> Result<Option<NodeNo>> {
        let parent = self.integer_of_row(&self.statements.parents_table, &self.statements.parent_of, node.0)?;
        Ok(parent.map(NodeNo))
    }

    fn put_parent(&self, node: NodeNo, parent: NodeNo) -> Result {
        self.put_integer(&self.statements.parents_table, &self.statements.put_parent, node.0, parent.0)
    }

    fn remove_parent(&self, node: NodeNo) -> Result {
        self.remove(&self.statements.parents_table, &self.statements.remove_parent, node.0)
    }
}

impl Tables for SqlStore<'_> {
    fn find_nodes(&self) -> Result {
        self.connection.statement(&self.statements.read_node).map(drop).map_err(error::Error::silent)
    }

    fn row_count(&self) -> Result<i64> {
        Ok(self.integer(&self.statements.row_count, &[])?.unwrap_or(0))
    }

    fn parent_count(&self) -> Result<i64> {
        Ok(self.integer(&self.statements.parent_count, &[])?.unwrap_or(0))
    }
}
