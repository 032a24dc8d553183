//! Scans of an R-Tree.

use lithe_value::{Numeric, cast};
use lithe_vtab::{ColumnContext, Kept, Scan, ScanPlan, Value, ValueRef, Values, VirtualCursor};

use crate::bounds::CoordinateType;
use crate::error::{self, Result};
use crate::node::{Cell, Layout, Node};
use crate::plan;
use crate::query::Query;
use crate::scans::ScanGuard;
use crate::store::Store;
use crate::table::RTree;

/// A scan of an R-Tree.
pub struct RTreeCursor {
    query: Option<Query>,
    row: Option<i64>,
    /// The cell of the row, if it was looked up by its id.
    cell: Option<Cell>,
    /// The auxiliary columns of the row, read at the first use.
    auxiliary: Option<Vec<Value>>,
    /// The statement that reads them, made at the first use.
    read_auxiliary: Option<Kept>,
    guard: ScanGuard,
}

impl RTreeCursor {
    /// A scan that has not begun.
    pub fn new(guard: ScanGuard) -> RTreeCursor {
        RTreeCursor { query: None, row: None, cell: None, auxiliary: None, read_auxiliary: None, guard }
    }

    fn go_to(&mut self, row: Option<i64>) {
        self.row = row;
        self.auxiliary = None;
        self.guard.set(row.is_some());
    }

    fn column_of_auxiliary(&mut self, scan: &Scan<'_>, rowid: i64, at: usize) -> Result<ValueRef<'_>> {
        if self.auxiliary.is_none() {
            let table: &RTree = scan.table()?;
            let sql = || format!("SELECT * FROM {} WHERE rowid = ?1", table.names.shadow("rowid"));
            let kept = self.read_auxiliary.get_or_insert_with(|| Kept::of_ordinary_tables(sql()));
            let mut statement = scan.connection.statement(kept)?;
            statement.bind(1, ValueRef::Integer(rowid))?;
            let count = statement.column_count();
            let found = statement.step()?;
            let values = (2..count).filter(|_| found).map(|at| Ok(Value::try_copy(statement.column(at))?));
            let values = values.collect::<Result<Vec<Value>>>()?;
            drop(statement);
            self.auxiliary = Some(values);
        }
        Ok(self.auxiliary.as_ref().and_then(|values| values.get(at)).map_or(ValueRef::Null, Value::as_ref))
    }
}

impl VirtualCursor for RTreeCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        self.go_to(None);
        (self.query, self.cell) = (None, None);
        let table: &RTree = scan.table()?;
        let store = table.store(scan.connection);
        if plan.number == plan::LOOKUP {
            let id = arguments.values.first().copied().unwrap_or_default();
            self.cell = look_up(table, &store, id)?;
            self.go_to(self.cell.map(|cell| cell.id));
            return Ok(());
        }
        let text = plan.text.as_deref().unwrap_or_default();
        let constraints = plan::constraints(text, arguments)?;
        self.query = Some(Query::new(table.layout, &store, constraints)?);
        self.next(scan)
    }

    fn next(&mut self, scan: &Scan<'_>) -> Result {
        let table: &RTree = scan.table()?;
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
            self.auxiliary = None;
        }
        next.is_some()
    }

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn number_in_memory(&self, column: usize) -> Option<Numeric> {
        match column.checked_sub(1) {
            None => self.row.map(Numeric::Integer),
            Some(coordinate) => self.query.as_ref()?.coordinate(coordinate),
        }
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(row) = self.row else { return context.context.answer(ValueRef::Null) };
        if column == 0 {
            return context.context.answer(ValueRef::Integer(row));
        }
        let table: &RTree = scan.table()?;
        let Some(cell) = self.cell.or_else(|| self.query.as_ref().and_then(Query::cell)) else {
            return context.context.answer(ValueRef::Null);
        };
        let coordinates = cell.bounds.coordinates();
        let value = match coordinates.get(column - 1) {
            Some(at) if table.layout.coordinates == CoordinateType::Integer => ValueRef::Integer(*at as i64),
            Some(at) => ValueRef::Real(*at),
            None => self.column_of_auxiliary(scan, row, column - 1 - coordinates.len())?,
        };
        context.context.answer(value)
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row.unwrap_or(0))
    }
}

/// The cell of the row with that id: an integer, or a value equal to one.
fn look_up(table: &RTree, store: &dyn Store, id: ValueRef<'_>) -> Result<Option<Cell>> {
    let Some(rowid) = lithe_vtab::as_rowid(id) else { return Ok(None) };
    // (A text counts where the digits that it begins with say the same: '5.0' is 5, '0.5e1' is no id, in SQLite.)
    if matches!(id, ValueRef::Text(_)) && cast::to_integer(id) != rowid {
        return Ok(None);
    }
    let id = rowid;
    cell_of(table.layout, store, id)
}

/// The cell of a row, if the row exists.
pub(crate) fn cell_of(layout: Layout, store: &dyn Store, id: i64) -> Result<Option<Cell>> {
    let Some(leaf) = store.leaf_of(id)? else { return Ok(None) };
    let bytes = store.node(leaf)?.ok_or_else(error::corrupt)?;
    let node = Node::from_bytes(layout, bytes)?;
    let cell = node.find(id).and_then(|index| node.cell(index)).ok_or_else(error::corrupt)?;
    Ok(Some(cell))
}
