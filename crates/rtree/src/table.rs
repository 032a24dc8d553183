//! An R-Tree that a connection has opened.

use lithe_value::cast;
use lithe_vtab::{Names, OnConflict, SqlConnection, ValueRef};

use crate::bounds::{Bounds, CoordinateType, round_down, round_up};
use crate::declaration::Columns;
use crate::error::{self, Result};
use crate::node::Layout;
use crate::scans::ActiveScans;
use crate::sql_store::{SqlStore, Statements};
use crate::tree::Tree;

/// An R-Tree.
pub struct RTree {
    /// The layout of its nodes.
    pub layout: Layout,
    /// Its statements.
    pub statements: Statements,
    /// The names of its tables.
    pub names: Names,
    /// Its columns.
    pub columns: Columns,
    /// The estimated number of rows.
    pub rows: i64,
    /// The scans that stand on a row.
    pub scans: ActiveScans,
}

impl RTree {
    /// Its tables.
    pub fn store<'c>(&'c self, connection: &'c dyn SqlConnection) -> SqlStore<'c> {
        SqlStore::new(connection, &self.statements)
    }

    /// The box of a new row.
    pub fn bounds_of(&self, columns: &[ValueRef<'_>]) -> Result<Bounds> {
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
                Err(error::constraint(format!("rtree constraint failed: {}.({min}<={max})", self.names.table)))
            }
        }
    }

    /// Makes the id of a new row free: deletes the row that has it under REPLACE, else fails.
    pub fn claim(&self, tree: &mut Tree<'_>, store: &SqlStore<'_>, id: i64, policy: OnConflict) -> Result {
        if !store.has_row(id)? {
            return Ok(());
        }
        if policy != OnConflict::Replace {
            let (table, id) = (&self.names.table, self.columns.id_name());
            return Err(error::constraint(format!("UNIQUE constraint failed: {table}.{id}")));
        }
        tree.delete(id).map(|_| ())
    }
}
