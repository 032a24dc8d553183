//! The module `geopoly`: an R-Tree of two dimensions over the bounding boxes of polygons.
//!
//! ```text
//!   g_rowid   rowid | nodeno | a0: _shape | a1, a2, …: the other columns
//! ```

use lithe_value::cast;
use lithe_vtab::{
    Change, ColumnContext, ConnectRequest, Connected, IndexInfo, Kept, Module, Names, OnConflict, Overloaded, Risk,
    Scan, ScanPlan, SqlConnection, Usage, Value, ValueRef, Values, VirtualCursor, VirtualTable, constraint,
};

use super::functions;
use super::polygon::{NO_BOX, Shape};
use crate::bounds::{Bounds, CoordinateType};
use crate::check;
use crate::cursor::cell_of;
use crate::error::{self, Error, Result};
use crate::node::{Cell, Layout};
use crate::query::{Comparison, Constraint, Query};
use crate::scans::{ActiveScans, ScanGuard};
use crate::shadow_tables::{create_tables, drop_tables, node_len, rename_tables};
use crate::sql_store::{SUFFIXES, SqlStore, Statements};
use crate::tree::{self, Tree};

const DIMENSIONS: usize = 2;

/// The plans: the numbers that EXPLAIN QUERY PLAN shows.
mod plan_number {
    pub const LOOKUP: i32 = 1;
    pub const OVERLAP: i32 = 2;
    pub const WITHIN: i32 = 3;
    pub const ALL: i32 = 4;
}

/// The constraints for calls of `geopoly_overlap` and `geopoly_within`.
const OVERLAP: u8 = constraint::FUNCTION;
const WITHIN: u8 = constraint::FUNCTION + 1;

/// The module.
pub(crate) struct GeopolyModule;

impl GeopolyModule {
    fn open(connection: &dyn SqlConnection, request: &ConnectRequest<'_>, is_new: bool) -> Result<Connected> {
        let columns: Vec<_> = request.arguments.iter().map(|column| String::from_utf8_lossy(column)).collect();
        let columns: Vec<_> = columns.iter().filter(|column| !column.trim().is_empty()).collect();
        let names = Names::new(request.database, request.table);
        if is_new {
            create_tables(connection, &names, 1 + columns.len(), DIMENSIONS, CoordinateType::Float)?;
        }
        let node_len = node_len(connection, &names)?;
        let declared: String = columns.iter().map(|column| format!(",{column}")).collect();
        let table = Geopoly {
            layout: Layout { dimensions: DIMENSIONS, coordinates: CoordinateType::Float, node_len },
            statements: Statements::new(&names, 1 + columns.len()),
            read_row: Kept::of_ordinary_tables(format!("SELECT * FROM {} WHERE rowid = ?1", names.shadow("rowid"))),
            names,
            scans: ActiveScans::default(),
        };
        let declaration = format!("CREATE TABLE x(_shape{declared})");
        Ok(Connected { table: Box::new(table), declaration, risk: Risk::Innocuous })
    }
}

impl Module for GeopolyModule {
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        GeopolyModule::open(connection, request, true)
    }

    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        GeopolyModule::open(connection, request, false)
    }

    fn is_shadow_name(&self, suffix: &str) -> bool {
        SUFFIXES.iter().any(|own| own.eq_ignore_ascii_case(suffix))
    }
}

struct Geopoly {
    layout: Layout,
    statements: Statements,
    read_row: Kept,
    names: Names,
    /// The scans that stand on a row.
    scans: ActiveScans,
}

impl Geopoly {
    fn store<'c>(&'c self, connection: &'c dyn SqlConnection) -> SqlStore<'c> {
        SqlStore::new(connection, &self.statements)
    }

    /// The shape and the other columns of a row.
    fn columns_of(&self, connection: &dyn SqlConnection, rowid: i64) -> Result<Vec<Value>> {
        let mut statement = connection.statement(&self.read_row)?;
        statement.bind(1, ValueRef::Integer(rowid))?;
        let count = statement.column_count();
        let is_there = statement.step()?;
        (2..count).filter(|_| is_there).map(|at| Ok(Value::try_copy(statement.column(at))?)).collect()
    }

    /// Inserts a row, or replaces the one with the rowid `old`.
    fn put(&self, connection: &dyn SqlConnection, change: &Change<'_>, columns: &[ValueRef<'_>]) -> Result<i64> {
        let store = self.store(connection);
        let old = change.old_key().map(cast::to_integer);
        let rowid = change.new_key().filter(|key| !key.is_null()).map(cast::to_integer);
        // (If the rowid changes, SQLite requires a valid shape, even an unchanged one.)
        let kept = old.filter(|_| change.is_unchanged(0) && old == rowid);
        let (bounds, shape) = match kept {
            Some(old) => {
                let cell = cell_of(self.layout, &store, old)?.ok_or_else(error::corrupt)?;
                (cell.bounds, self.columns_of(connection, old)?.into_iter().next().unwrap_or_default())
            }
            None => stored(columns.first().copied().unwrap_or_default())?,
        };
        let mut tree = Tree::new(self.layout, &store)?;
        if let Some(rowid) = rowid.filter(|rowid| old != Some(*rowid))
            && store.has_row(rowid)?
        {
            if change.policy != OnConflict::Replace {
                return Err(error::constraint(format!("UNIQUE constraint failed: {}._shape", self.names.table)));
            }
            tree.delete(rowid)?;
        }
        if let Some(old) = old.filter(|_| kept.is_none()) {
            tree.delete(old)?;
        }
        let rowid = rowid.map_or_else(|| store.add_row(), Ok)?;
        if kept.is_none() {
            tree.insert(&Cell { id: rowid, bounds })?;
        }
        tree.finish()?;
        let others = columns.iter().copied().skip(1);
        let all: Vec<ValueRef<'_>> = [shape.as_ref()].into_iter().chain(others).collect();
        store.put_auxiliary(rowid, &all)?;
        Ok(rowid)
    }
}

/// The box of a shape, and the value that is stored.
fn stored(shape: ValueRef<'_>) -> Result<(Bounds, Value)> {
    match Shape::of(shape)? {
        Shape::Invalid => Err(Error::new("_shape does not contain a valid polygon")),
        Shape::Other => Ok((Bounds::new(NO_BOX), Value::try_copy(shape)?)),
        Shape::Polygon(polygon) => {
            let is_blob = matches!(shape, ValueRef::Blob(_));
            let value = if is_blob { Value::try_copy(shape)? } else { Value::blob(polygon.blob()?) };
            Ok((polygon.bounds(), value))
        }
    }
}

impl VirtualTable for Geopoly {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut choice: Option<(i32, usize)> = None;
        for (at, asked) in info.constraints.iter().enumerate().filter(|(_, asked)| asked.usable) {
            if asked.column < 0 && asked.op == constraint::EQ {
                choice = Some((plan_number::LOOKUP, at));
                break;
            }
            match asked.op {
                OVERLAP if asked.column == 0 => choice = Some((plan_number::OVERLAP, at)),
                WITHIN if asked.column == 0 => choice = Some((plan_number::WITHIN, at)),
                _ => {}
            }
        }
        let (number, text, cost, rows) = match choice {
            Some((number @ plan_number::LOOKUP, _)) => (number, "rowid", 30.0, 1),
            Some((number, _)) => (number, "rtree", 300.0, 10),
            None => (plan_number::ALL, "fullscan", 3_000_000.0, 100_000),
        };
        if let Some(usage) = choice.and_then(|(_, at)| info.usage.get_mut(at)) {
            *usage = Usage { argument: 1, omit: number == plan_number::LOOKUP, all_at_once: false };
        }
        (info.plan.number, info.plan.text) = (number, Some(text.into()));
        (info.estimated_cost, info.estimated_rows) = (cost, rows);
        info.finds_one_row = number == plan_number::LOOKUP;
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(GeopolyCursor { query: None, row: None, columns: None, guard: self.scans.new_scan() }))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        self.scans.refuse_change()?;
        if let Some(columns) = change.columns() {
            return self.put(connection, change, columns).map(Some);
        }
        if let Some(old) = change.old_key() {
            tree::delete_row(self.layout, &self.store(connection), cast::to_integer(old))?;
        }
        Ok(None)
    }

    fn rename(&self, connection: &dyn SqlConnection, name: &str) -> Result {
        rename_tables(connection, &self.names, name)
    }

    fn destroy(&self, connection: &dyn SqlConnection) -> Result {
        drop_tables(connection, &self.names)
    }

    fn find_function(&self, name: &str, arguments: usize) -> Option<Overloaded> {
        let op = match name.to_ascii_lowercase().as_str() {
            "geopoly_overlap" => OVERLAP,
            "geopoly_within" => WITHIN,
            _ => return None,
        };
        let function = functions::named(name).filter(|_| arguments == 2)?;
        Some(Overloaded { function, op: Some(op) })
    }

    fn integrity(
        &self,
        connection: &dyn SqlConnection,
        database: &str,
        table: &str,
        _: bool,
    ) -> Result<Option<String>> {
        check::report(&self.layout, &self.store(connection), database, table)
    }
}

struct GeopolyCursor {
    query: Option<Query>,
    row: Option<i64>,
    /// The columns of the row, read at the first use.
    columns: Option<Vec<Value>>,
    guard: ScanGuard,
}

impl GeopolyCursor {
    fn go_to(&mut self, row: Option<i64>) {
        self.row = row;
        self.columns = None;
        self.guard.set(row.is_some());
    }
}

/// The constraints on the boxes of rows that can overlap a polygon, or lie within it.
fn constraints(number: i32, shape: ValueRef<'_>) -> Result<Vec<Constraint>> {
    let bounds = match Shape::of(shape)? {
        Shape::Polygon(polygon) => polygon.bounds(),
        Shape::Other => return Ok(vec![Constraint::Never]),
        Shape::Invalid => return Err(error::logic()),
    };
    let side = |(dimension, (min, max)): (usize, (f64, f64))| {
        let (lower, upper) = (2 * dimension, 2 * dimension + 1);
        match number {
            plan_number::OVERLAP => [
                Constraint::Compare(lower, Comparison::AtMost, max),
                Constraint::Compare(upper, Comparison::AtLeast, min),
            ],
            _ => [
                Constraint::Compare(lower, Comparison::AtLeast, min),
                Constraint::Compare(upper, Comparison::AtMost, max),
            ],
        }
    };
    Ok(bounds.sides().enumerate().flat_map(side).collect())
}

impl VirtualCursor for GeopolyCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        self.go_to(None);
        self.query = None;
        let table: &Geopoly = scan.table()?;
        let store = table.store(scan.connection);
        let argument = arguments.values.first().copied().unwrap_or_default();
        if plan.number == plan_number::LOOKUP {
            // (SQLite takes any value for the integer that it begins with, NULL for 0.)
            let found = cell_of(table.layout, &store, cast::to_integer(argument))?;
            self.go_to(found.map(|cell| cell.id));
            return Ok(());
        }
        let constraints = match plan.number {
            plan_number::OVERLAP | plan_number::WITHIN => constraints(plan.number, argument)?,
            _ => Vec::new(),
        };
        self.query = Some(Query::new(table.layout, &store, constraints)?);
        self.next(scan)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        let table: &Geopoly = scan.table()?;
        let found = match &mut self.query {
            Some(query) => query.next(&table.store(scan.connection))?,
            None => None,
        };
        self.go_to(found);
        Ok(())
    }

    fn next_in_memory(&mut self) -> bool {
        let next = self.query.as_mut().and_then(Query::next_in_memory);
        if next.is_some() {
            self.row = next;
            self.columns = None;
        }
        next.is_some()
    }

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        if column == 0 && context.is_unchanged {
            context.leaves_out = true;
            return Ok(());
        }
        let table: &Geopoly = scan.table()?;
        if let (None, Some(row)) = (&self.columns, self.row) {
            self.columns = Some(table.columns_of(scan.connection, row)?);
        }
        let value = self.columns.as_ref().and_then(|columns| columns.get(column));
        context.context.answer(value.map_or(ValueRef::Null, Value::as_ref))
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row.unwrap_or(0))
    }
}
