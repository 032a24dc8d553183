//! R-Trees as virtual tables: modules `rtree` and `rtree_i32`.

use lithe_value::cast;
use lithe_vtab::{
    Change, ConnectRequest, Connected, IndexInfo, Module, Names, Risk, SqlConnection, VirtualCursor, VirtualTable,
};

use crate::bounds::CoordinateType;
use crate::check;
use crate::cursor::RTreeCursor;
use crate::declaration::Columns;
use crate::error::Result;
use crate::node::{Cell, Layout};
use crate::plan;
use crate::scans::ActiveScans;
use crate::shadow_tables::{create_tables, drop_tables, estimated_rows, node_len, rename_tables};
use crate::sql_store::{SUFFIXES, Statements};
use crate::table::RTree;
use crate::tree::{self, Tree};

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

/// Opens the tables of an R-Tree; creates them if it is new.
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
    let statements = Statements::new(names, columns.auxiliary.len());
    statements.check(connection)?;
    let rows = estimated_rows(connection, names)?;
    Ok(RTree {
        layout: Layout { dimensions, coordinates, node_len },
        statements,
        names: names.clone(),
        columns,
        rows,
        scans: ActiveScans::default(),
    })
}

impl VirtualTable for RTree {
    fn has_reusable_plans(&self) -> bool {
        true
    }

    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        plan::choose(info, 2 * self.layout.dimensions, self.rows);
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(RTreeCursor::new(self.scans.new_scan())))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        self.scans.refuse_change()?;
        let store = self.store(connection);
        let old = change.old_key().map(cast::to_integer);
        let Some(columns) = change.columns() else {
            if let Some(old) = old {
                tree::delete_row(self.layout, &store, old)?;
            }
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
        check::report(&self.layout, &self.store(connection), database, table)
    }
}
