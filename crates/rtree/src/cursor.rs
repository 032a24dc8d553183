//! Scans of an R-Tree.

use lithe_vtab::{ColumnContext, Kept, Names, Scan, ScanPlan, Value, ValueRef, Values, VirtualCursor};

use crate::bounds::CoordinateType;
use crate::error::{self, Result};
use crate::node::{Cell, Layout, Node};
use crate::plan;
use crate::query::{Found, Query, Verdict, Within};
use crate::scans::Standing;
use crate::store::Store;
use crate::table::RTree;

/// A scan of an R-Tree.
pub struct RTreeCursor {
    query: Option<Query>,
    row: Option<Found>,
    /// The auxiliary columns of the row, once somebody has asked for one.
    auxiliary: Option<Vec<Value>>,
    read_auxiliary: Kept,
    standing: Standing,
}

impl RTreeCursor {
    /// A scan that has not begun.
    pub fn new(names: &Names, standing: Standing) -> RTreeCursor {
        let read_auxiliary =
            Kept::of_ordinary_tables(format!("SELECT * FROM {} WHERE rowid = ?1", names.shadow("rowid")));
        RTreeCursor { query: None, row: None, auxiliary: None, read_auxiliary, standing }
    }

    fn go_to(&mut self, row: Option<Found>) {
        self.row = row;
        self.auxiliary = None;
        self.standing.set(row.is_some());
    }

    fn column_of_auxiliary(&mut self, scan: &Scan<'_>, rowid: i64, at: usize) -> Result<ValueRef<'_>> {
        if self.auxiliary.is_none() {
            let mut statement = scan.connection.statement(&self.read_auxiliary)?;
            statement.bind(1, ValueRef::Integer(rowid))?;
            let count = statement.column_count();
            let found = statement.step()?;
            let values = (2..count).filter(|_| found).map(|at| Value::from(statement.column(at))).collect();
            drop(statement);
            self.auxiliary = Some(values);
        }
        Ok(self.auxiliary.as_ref().and_then(|values| values.get(at)).map_or(ValueRef::Null, Value::as_ref))
    }
}

impl VirtualCursor for RTreeCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        self.go_to(None);
        self.query = None;
        let table: &RTree = scan.table()?;
        let store = table.store(scan.connection);
        if plan.number == plan::LOOKUP {
            let id = arguments.values.first().copied().unwrap_or_default();
            let found = look_up(table, &store, id)?;
            self.go_to(found);
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

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn column(&mut self, scan: &Scan<'_>, context: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        let Some(row) = self.row else { return context.context.answer(ValueRef::Null) };
        if column == 0 {
            return context.context.answer(ValueRef::Integer(row.cell.id));
        }
        let table: &RTree = scan.table()?;
        let coordinates = row.cell.bounds.coordinates();
        let value = match coordinates.get(column - 1) {
            Some(at) if table.layout.coordinates == CoordinateType::Integer => ValueRef::Integer(*at as i64),
            Some(at) => ValueRef::Real(*at),
            None => self.column_of_auxiliary(scan, row.cell.id, column - 1 - coordinates.len())?,
        };
        context.context.answer(value)
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.row.map_or(0, |row| row.cell.id))
    }
}

/// The row with an id: an integer, or what equals one.
fn look_up(table: &RTree, store: &dyn Store, id: ValueRef<'_>) -> Result<Option<Found>> {
    let Some(id) = lithe_vtab::as_rowid(id) else { return Ok(None) };
    let cell = cell_of(table.layout, store, id)?;
    Ok(cell.map(|cell| Found { cell, verdict: Verdict { within: Within::Fully, score: 0.0 } }))
}

/// The cell of a row, if there is such a row.
pub(crate) fn cell_of(layout: Layout, store: &dyn Store, id: i64) -> Result<Option<Cell>> {
    let Some(leaf) = store.leaf_of(id)? else { return Ok(None) };
    let bytes = store.node(leaf)?.ok_or_else(error::corrupt)?;
    let node = Node::from_bytes(layout, bytes)?;
    let cell = node.find(id).and_then(|index| node.cell(index)).ok_or_else(error::corrupt)?;
    Ok(Some(cell))
}
