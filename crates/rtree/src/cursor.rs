//! Scans of an R-Tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lithe_value::Numeric;
use lithe_value::number::whole_number;
use lithe_vtab::{ColumnContext, Kept, Scan, ScanPlan, Value, ValueRef, Values, VirtualCursor};

use crate::bounds::CoordinateType;
use crate::error::{self, Result};
use crate::geometry::{MatchArgument, POINTER_KIND};
use crate::node::{Cell, Layout, Node};
use crate::query::{Comparison, Constraint, Found, Query, Verdict, Within};
use crate::sql_store::Names;
use crate::store::Store;
use crate::table::{RTree, plan_number};

/// From here on integers are not exact as doubles with room to spare: a comparison is widened.
const EXACT_MAX: i64 = 1 << 48;

/// A scan of an R-Tree.
pub struct RTreeCursor {
    query: Option<Query>,
    row: Option<Found>,
    /// The auxiliary columns of the row, once somebody has asked for one.
    auxiliary: Option<Vec<Value>>,
    read_auxiliary: Kept,
    /// How many scans hold nodes: while any does, the table is not changed.
    scans: Arc<AtomicUsize>,
    is_counted: bool,
}

impl RTreeCursor {
    /// A scan that has not begun.
    pub fn new(names: &Names, scans: Arc<AtomicUsize>) -> RTreeCursor {
        let read_auxiliary = Kept::of_ordinary_tables(format!("SELECT * FROM {} WHERE rowid = ?1", names.of("rowid")));
        RTreeCursor { query: None, row: None, auxiliary: None, read_auxiliary, scans, is_counted: false }
    }

    fn go_to(&mut self, row: Option<Found>) {
        self.row = row;
        self.auxiliary = None;
        match (row.is_some(), self.is_counted) {
            (true, false) => _ = self.scans.fetch_add(1, Ordering::Relaxed),
            (false, true) => _ = self.scans.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
        self.is_counted = row.is_some();
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

impl Drop for RTreeCursor {
    fn drop(&mut self) {
        self.go_to(None);
    }
}

impl VirtualCursor for RTreeCursor {
    fn filter(&mut self, scan: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        self.go_to(None);
        self.query = None;
        let table: &RTree = scan.table()?;
        let store = table.store(scan.connection);
        if plan.number == plan_number::LOOKUP {
            let id = arguments.values.first().copied().unwrap_or_default();
            let found = look_up(table, &store, id)?;
            self.go_to(found);
            return Ok(());
        }
        let text = plan.text.as_deref().unwrap_or_default();
        let constraints = constraints(text, arguments)?;
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
    let Some(id) = as_integer(id) else { return Ok(None) };
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

/// The integer that a value is, or equals.
pub(crate) fn as_integer(value: ValueRef<'_>) -> Option<i64> {
    match number(value)? {
        ValueRef::Integer(integer) => Some(integer),
        ValueRef::Real(real) => Some(real as i64).filter(|integer| *integer as f64 == real),
        _ => None,
    }
}

/// The number that a value is, or that it is the text of, as a whole.
fn number(value: ValueRef<'_>) -> Option<ValueRef<'static>> {
    match value {
        ValueRef::Integer(integer) => Some(ValueRef::Integer(integer)),
        ValueRef::Real(real) => Some(ValueRef::Real(real)),
        ValueRef::Text(text) => whole_number(text).map(|number| match number {
            Numeric::Integer(integer) => ValueRef::Integer(integer),
            Numeric::Real(real) => ValueRef::Real(real),
        }),
        _ => None,
    }
}

/// The constraints of a plan's text with the values of the scan.
fn constraints(text: &str, arguments: &Values<'_>) -> Result<Vec<Constraint>> {
    let (letters, coordinates) = (text.chars().step_by(2), text.chars().skip(1).step_by(2));
    let value = |at: usize| arguments.values.get(at).copied().unwrap_or_default();
    let one = |(at, (letter, coordinate)): (usize, (char, char))| {
        if letter == 'F' {
            return geometry(arguments, at);
        }
        let comparison = match letter {
            'A' => Comparison::Equal,
            'B' => Comparison::AtMost,
            'C' => Comparison::Below,
            'D' => Comparison::AtLeast,
            _ => Comparison::Above,
        };
        Ok(compare(coordinate.to_digit(10).unwrap_or(0) as usize, comparison, value(at)))
    };
    letters.zip(coordinates).enumerate().map(one).collect()
}

fn compare(coordinate: usize, comparison: Comparison, value: ValueRef<'_>) -> Constraint {
    let is_upper = matches!(comparison, Comparison::Below | Comparison::AtMost);
    match number(value) {
        Some(ValueRef::Integer(integer)) => {
            let is_exact = (-EXACT_MAX..=EXACT_MAX).contains(&integer);
            let widened = match comparison {
                Comparison::Below if !is_exact => Comparison::AtMost,
                Comparison::Above if !is_exact => Comparison::AtLeast,
                comparison => comparison,
            };
            Constraint::Compare(coordinate, widened, integer as f64)
        }
        Some(ValueRef::Real(real)) => Constraint::Compare(coordinate, comparison, real),
        // Every number is below a text and a BLOB; nothing compares with NULL.
        _ if value.is_null() => Constraint::Never,
        _ if is_upper => Constraint::Always,
        _ => Constraint::Never,
    }
}

/// The geometry that an argument points to.
fn geometry(arguments: &Values<'_>, at: usize) -> Result<Constraint> {
    let pointer = arguments.facts.pointer(at).filter(|pointer| *pointer.kind == *POINTER_KIND);
    let argument =
        pointer.and_then(|pointer| pointer.value.downcast_ref::<MatchArgument>()).ok_or_else(error::logic)?;
    Ok(Constraint::Match(argument.kind.begin(&argument.parameters)?))
}
