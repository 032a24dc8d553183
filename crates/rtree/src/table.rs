//! R-Trees as virtual tables: modules `rtree` and `rtree_i32`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lithe_value::cast;
use lithe_vtab::{
    Change, ConnectRequest, Connected, IndexInfo, Module, OnConflict, Risk, SqlConnection, Usage, ValueRef,
    VirtualCursor, VirtualTable, constraint,
};

use crate::bounds::{Bounds, CoordinateType, MAX_DIMENSIONS, round_down, round_up};
use crate::check;
use crate::cursor::RTreeCursor;
use crate::declaration::Columns;
use crate::error::{self, Error, Result};
use crate::node::{Cell, Layout};
use crate::sql_store::{Names, SUFFIXES, SqlStore, Statements, quoted};
use crate::store::Store;
use crate::tree::Tree;

/// The page size from which every node has the greatest length; the least length of a node is that for a page of 512 bytes.
const NODE_LEN_MIN: usize = 512 - 64;
/// How many rows a table is thought to have that ANALYZE has not counted, and the fewest of one that it has.
const ROWS_UNKNOWN: i64 = 1 << 20;
const ROWS_MIN: i64 = 100;
/// How many constraints a scan uses; rows are checked against the others when they are found.
const CONSTRAINTS_MAX: usize = 4 * MAX_DIMENSIONS;

/// How a scan is made: the numbers that EXPLAIN QUERY PLAN shows.
pub mod plan_number {
    /// By the id.
    pub const LOOKUP: i32 = 1;
    /// By constraints of coordinates.
    pub const QUERY: i32 = 2;
}

/// The module `rtree`, or `rtree_i32`.
pub struct RTreeModule(pub CoordinateType);

impl RTreeModule {
    fn open(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>, is_new: bool) -> Result<Connected> {
        let columns = Columns::parse(request.arguments)?;
        let names = Names::new(request.database, request.table);
        let table = open_table(connection, &names, columns, self.0, is_new)?;
        let declaration = table.columns.declaration(self.0);
        Ok(Connected { table: Box::new(table), declaration, risk: Risk::Innocuous })
    }
}

impl Module for RTreeModule {
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.open(connection, request, true)
    }

    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.open(connection, request, false)
    }

    fn is_shadow_name(&self, suffix: &str) -> bool {
        SUFFIXES.iter().any(|own| own.eq_ignore_ascii_case(suffix))
    }
}

/// Opens the tables of an R-Tree; makes them if it is new.
fn open_table(
    connection: &dyn SqlConnection,
    names: &Names,
    columns: Columns,
    coordinates: CoordinateType,
    is_new: bool,
) -> Result<RTree> {
    let dimensions = columns.dimensions();
    if is_new {
        create_tables(connection, names, columns.auxiliary.len(), dimensions, coordinates)?;
    }
    let node_len = node_len(connection, names)?;
    let rows = estimated_rows(connection, names);
    Ok(RTree {
        layout: Layout { dimensions, coordinates, node_len },
        statements: Statements::new(names, columns.auxiliary.len()),
        names: names.clone(),
        columns,
        rows,
        scans: Arc::default(),
    })
}

/// How long the nodes of a tree are.
pub(crate) fn node_len(connection: &dyn SqlConnection, names: &Names) -> Result<usize> {
    let node = names.of("node");
    let len = SqlStore::value(connection, &format!("SELECT length(data) FROM {node} WHERE nodeno = 1"))?;
    let len = len.and_then(|len| usize::try_from(cast::to_integer(len.as_ref())).ok()).unwrap_or(0);
    if len < NODE_LEN_MIN {
        let message = format!("undersize RTree blobs in \"{}_node\"", names.table());
        return Err(Error { message: message.into(), ..error::corrupt() });
    }
    Ok(len)
}

pub(crate) fn create_tables(
    connection: &dyn SqlConnection,
    names: &Names,
    auxiliary: usize,
    dimensions: usize,
    coordinates: CoordinateType,
) -> Result {
    let page_size = SqlStore::value(connection, &format!("PRAGMA {}.page_size", quoted(names.database())))?;
    let page_size = page_size.and_then(|size| usize::try_from(cast::to_integer(size.as_ref())).ok()).unwrap_or(0);
    let layout = Layout::for_page_size(dimensions, coordinates, page_size);
    let extra: String = (0..auxiliary).map(|at| format!(",a{at}")).collect();
    let (node, parent, rowid) = (names.of("node"), names.of("parent"), names.of("rowid"));
    connection.execute(&format!(
        "CREATE TABLE {rowid}(rowid INTEGER PRIMARY KEY,nodeno{extra});\
         CREATE TABLE {node}(nodeno INTEGER PRIMARY KEY,data);\
         CREATE TABLE {parent}(nodeno INTEGER PRIMARY KEY,parentnode);\
         INSERT INTO {node} VALUES(1,zeroblob({}))",
        layout.node_len
    ))
}

/// How many rows ANALYZE has counted.
fn estimated_rows(connection: &dyn SqlConnection, names: &Names) -> i64 {
    let sql = format!("SELECT stat FROM {}.sqlite_stat1 WHERE tbl = ?1", quoted(names.database()));
    let read = || -> Result<Option<i64>> {
        let mut statement = connection.prepare(&sql)?;
        statement.bind(1, ValueRef::Text(format!("{}_rowid", names.table()).as_bytes()))?;
        Ok(if statement.step()? { Some(cast::to_integer(statement.column(0))) } else { None })
    };
    // (There may be no statistics at all.)
    read().ok().flatten().map_or(ROWS_UNKNOWN, |rows| rows.max(ROWS_MIN))
}

/// An R-Tree.
pub struct RTree {
    /// How its nodes are laid out.
    pub layout: Layout,
    /// Its statements.
    pub statements: Statements,
    /// The names of its tables.
    pub names: Names,
    /// Its columns.
    pub columns: Columns,
    rows: i64,
    /// How many scans stand on a row, or hold nodes.
    pub scans: Arc<AtomicUsize>,
}

impl RTree {
    /// Its tables.
    pub fn store<'c>(&'c self, connection: &'c dyn SqlConnection) -> SqlStore<'c> {
        SqlStore { connection, statements: &self.statements }
    }

    /// The box of a new row.
    fn bounds_of(&self, columns: &[ValueRef<'_>]) -> Result<Bounds> {
        let coordinate = |at: usize| {
            let value = columns.get(at + 1).copied().unwrap_or_default();
            match self.layout.coordinates {
                CoordinateType::Integer => {
                    cast::to_integer(value).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as f64
                }
                CoordinateType::Float if at.is_multiple_of(2) => round_down(cast::to_real(value)),
                CoordinateType::Float => round_up(cast::to_real(value)),
            }
        };
        let bounds = Bounds::new((0..2 * self.layout.dimensions).map(coordinate));
        match bounds.sides().position(|(min, max)| min > max) {
            None => Ok(bounds),
            Some(dimension) => {
                let (min, max) = (self.columns.name(2 * dimension), self.columns.name(2 * dimension + 1));
                Err(error::constraint(format!("rtree constraint failed: {}.({min}<={max})", self.names.table())))
            }
        }
    }

    /// Makes room for the id that a row is given: it must be free, or is taken from the row that has it.
    fn claim(&self, tree: &mut Tree<'_>, store: &SqlStore<'_>, id: i64, policy: OnConflict) -> Result {
        if store.leaf_of(id)?.is_none() {
            return Ok(());
        }
        if policy != OnConflict::Replace {
            let (table, id) = (self.names.table(), self.columns.id_name());
            return Err(error::constraint(format!("UNIQUE constraint failed: {table}.{id}")));
        }
        tree.delete(id).map(|_| ())
    }
}

impl VirtualTable for RTree {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        plan(info, 2 * self.layout.dimensions, self.rows);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(RTreeCursor::new(&self.names, Arc::clone(&self.scans))))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        if self.scans.load(Ordering::Relaxed) > 0 {
            return Err(error::locked());
        }
        let store = self.store(connection);
        let old = change.old_key().map(cast::to_integer);
        let Some(columns) = change.columns() else {
            let mut tree = Tree::new(self.layout, &store)?;
            if let Some(old) = old {
                tree.delete(old)?;
            }
            tree.finish()?;
            return Ok(None);
        };

        let bounds = self.bounds_of(columns)?;
        let mut tree = Tree::new(self.layout, &store)?;
        let id = columns.first().filter(|id| !id.is_null()).map(|id| cast::to_integer(*id));
        if let Some(id) = id.filter(|id| old != Some(*id)) {
            self.claim(&mut tree, &store, id, change.policy)?;
        }
        if let Some(old) = old {
            tree.delete(old)?;
        }
        let id = id.map_or_else(|| store.add_row(), Ok)?;
        tree.insert(&Cell { id, bounds })?;
        tree.finish()?;
        let auxiliary = columns.get(1 + 2 * self.layout.dimensions..).unwrap_or_default();
        store.put_auxiliary(id, auxiliary)?;
        Ok(Some(id))
    }

    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        rename_tables(connection, &self.names, name)
    }

    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        drop_tables(connection, &self.names)
    }

    fn integrity(
        &self,
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        _: bool,
    ) -> Result<Option<String>> {
        let findings = check::check(&self.layout, &self.store(connection))?;
        Ok((!findings.is_empty()).then(|| format!("In RTree {database}.{table}:\n{}", findings.join("\n"))))
    }
}

/// Renames the tables of an R-Tree.
pub fn rename_tables(connection: &dyn SqlConnection, names: &Names, name: &str) -> Result {
    for suffix in SUFFIXES {
        let to = quoted(&format!("{name}_{suffix}"));
        connection.execute(&format!("ALTER TABLE {} RENAME TO {to}", names.of(suffix)))?;
    }
    Ok(())
}

/// Drops the tables of an R-Tree.
pub fn drop_tables(connection: &dyn SqlConnection, names: &Names) -> Result {
    SUFFIXES.iter().try_for_each(|suffix| connection.execute(&format!("DROP TABLE {}", names.of(suffix))))
}

/// Says how a scan under these constraints is made: two letters for each that is used, the comparison and the coordinate.
fn plan(info: &mut IndexInfo, coordinates: usize, rows: i64) {
    let has_match = info.constraints.iter().any(|constraint| constraint.op == constraint::MATCH);
    let mut text = String::new();
    for (index, asked) in info.constraints.iter().enumerate() {
        if text.len() >= 2 * CONSTRAINTS_MAX {
            break;
        }
        if !asked.usable {
            continue;
        }
        if !has_match && asked.column <= 0 && asked.op == constraint::EQ {
            info.usage.fill(Usage::default());
            if let Some(usage) = info.usage.get_mut(index) {
                *usage = Usage { argument: 1, omit: true, all_at_once: false };
            }
            info.plan.number = plan_number::LOOKUP;
            info.estimated_cost = 30.0;
            info.estimated_rows = 1;
            info.finds_one_row = true;
            return;
        }
        let coordinate = usize::try_from(asked.column - 1).ok().filter(|coordinate| *coordinate < coordinates);
        let letter = match asked.op {
            constraint::MATCH => 'F',
            _ if coordinate.is_none() => continue,
            constraint::EQ => 'A',
            constraint::LE => 'B',
            constraint::LT => 'C',
            constraint::GE => 'D',
            constraint::GT => 'E',
            _ => continue,
        };
        text.push(letter);
        text.push(coordinate.and_then(|coordinate| char::from_digit(coordinate as u32, 10)).unwrap_or('/'));
        if let Some(usage) = info.usage.get_mut(index) {
            let omit = matches!(letter, 'B' | 'D' | 'F');
            *usage = Usage { argument: (text.len() / 2) as u32, omit, all_at_once: false };
        }
    }
    info.plan.number = plan_number::QUERY;
    info.estimated_rows = rows >> (text.len() / 2).min(62);
    info.estimated_cost = 6.0 * info.estimated_rows as f64;
    info.plan.text = (!text.is_empty()).then(|| text.into());
}
