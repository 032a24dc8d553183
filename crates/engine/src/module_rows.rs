//! Rows of shadow tables that modules read and write by rowid, without a statement.
//!
//! A statement that writes one row takes some 8,000 instructions, and the B-tree under it some 1,000. What a statement
//! would do beside the B-tree is known for a table that has nothing but its rows ([`Found`]), on a connection that nobody watches
//! (`usable`): its effects on `changes()`, on `last_insert_rowid()`, and on the transaction when it fails. Anything else is left to a
//! statement.

use std::rc::Rc;

use lithe_btree::Btree;
use lithe_catalog::{Schema, Table, TableKind};
use lithe_format::PageNo;
use lithe_functions::{FunctionError, KeptTable};
use lithe_sql::ast::Name;
use lithe_value::{Affinity, ValueRef};
use lithe_vm::operand::{Db, OnConflict};

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::kept_tables::{Found, Known, Position, VALUE_COLUMN};

type CallResult<T = ()> = lithe_functions::Result<T>;

/// The most columns of a row that is written: the key, the value, and NULLs.
const COLUMNS_MAX: usize = 128;
/// The first schema format whose records have integers without content.
const SHORT_INTEGERS_FORMAT: u32 = 4;
/// More than a record adds to the length of its value.
const RECORD_OVERHEAD: usize = 2 * COLUMNS_MAX;

/// The database of the table, if rows can be read there.
pub(crate) fn database_of(connection: &Connection, table: &KeptTable) -> Option<Db> {
    Some(find(connection, table).found.as_ref()?.db)
}

/// See `SqlConnection::read_row`.
pub(crate) fn read_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: i64,
    read: &mut dyn FnMut(ValueRef<'_>),
) -> Option<CallResult<bool>> {
    access(connection, table, false, |position, btree, _| position.read(btree, rowid, read))?.transpose()
}

/// See `SqlConnection::next_row`.
pub(crate) fn next_row(connection: &Connection, table: &KeptTable, rowid: i64) -> Option<CallResult<Option<i64>>> {
    access(connection, table, false, |position, btree, _| position.next(btree, rowid))
}

/// See `SqlConnection::write_row`.
pub(crate) fn write_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: Option<i64>,
    value: ValueRef<'_>,
) -> Option<CallResult<i64>> {
    let is_short = match value {
        ValueRef::Null | ValueRef::Integer(_) => true,
        ValueRef::Blob(bytes) => bytes.len() + RECORD_OVERHEAD <= connection.state.length_max.get() as usize,
        _ => false,
    };
    if !is_short {
        return None;
    }
    let written = access(connection, table, true, |position, btree, found| {
        let written = position.write(btree, rowid, value, found.columns)?;
        note_written(connection, written);
        Ok(written)
    });
    written?.transpose()
}

/// See `SqlConnection::edit_row`.
pub(crate) fn edit_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: i64,
    edit: &mut dyn FnMut(&mut [u8]) -> bool,
) -> Option<CallResult<bool>> {
    let edited = access(connection, table, true, |position, btree, _| {
        let edited = position.edit(btree, rowid, edit)?;
        note_written(connection, (edited == Some(true)).then_some(rowid));
        Ok(edited)
    });
    edited?.transpose()
}

/// See `SqlConnection::delete_row`.
pub(crate) fn delete_row(connection: &Connection, table: &KeptTable, rowid: i64) -> Option<CallResult> {
    access(connection, table, true, |position, btree, _| {
        let is_deleted = position.delete(btree, rowid)?;
        connection.state.set_changes(i64::from(is_deleted));
        Ok(())
    })
}

/// The counts and the rowid after an INSERT.
#[inline]
fn note_written(connection: &Connection, rowid: Option<i64>) {
    if let Some(rowid) = rowid {
        connection.state.last_insert_rowid.set(rowid);
        connection.state.set_changes(1);
    }
}

/// The outcome of `work` on the rows of a table; `None` if only a statement can do it.
#[inline]
fn access<T>(
    connection: &Connection,
    table: &KeptTable,
    writes: bool,
    work: impl FnOnce(&mut Position, &Btree, &Found) -> Result<T>,
) -> Option<CallResult<T>> {
    let known = find(connection, table);
    let found = known.found.as_ref()?;
    let btree = usable(connection, found, writes)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    if writes {
        connection.state.note_write();
    }
    let result = work(&mut position, &btree, found);
    position.reset();
    drop(position);
    Some(ended(connection, result, writes))
}

#[inline]
fn find(connection: &Connection, table: &KeptTable) -> Rc<Known> {
    connection.kept_tables.find(table, connection.generation.number(), || look_for(connection, table))
}

/// The table, if its rows can be read without a statement.
fn look_for(connection: &Connection, wanted: &KeptTable) -> Option<Found> {
    let catalog = connection.catalog();
    let db = catalog.find_database(Name::new(wanted.database().as_bytes()))?;
    let schema = catalog.schema(db);
    let table = schema.table(Name::new(wanted.table().as_bytes()))?;
    let root = root_of(table, wanted)?;
    if connection.hooks.has_authorizer() || !connection.databases.get(db).ok()?.is_loaded() {
        return None;
    }
    Some(Found {
        db,
        cookie: schema.cookie,
        columns: table.columns.len(),
        can_write: can_write(connection, schema, table) && !catalog.schema(Db::TEMP).has_triggers(),
        position: Position::new(root).into(),
    })
}

/// The trees of the table's database, if a statement would do no more than read or write a row, and a transaction allows it.
#[inline]
fn usable(connection: &Connection, found: &Found, writes: bool) -> Option<Rc<Btree>> {
    let (databases, hooks) = (&connection.databases, &connection.hooks);
    let is_watched = hooks.progress_interval() != 0 || connection.interrupts.is_set() || databases.shares_cache();
    if is_watched || !connection.transaction.has_active() || connection.check_memory().is_err() {
        return None;
    }
    let btree = databases.btree(found.db).ok()?;
    let pager = btree.pager();
    let is_open = match writes {
        false => pager.is_reading(),
        true => {
            found.can_write
                && pager.is_writing()
                && connection.transaction.may_write_directly(pager.savepoint_count())
                && connection.row_watches.is_empty()
                && !hooks.update.is_set()
                && !connection.settings.flags().query_only
        }
    };
    (is_open && btree.schema_cookie().ok()? == found.cookie).then_some(btree)
}

/// The root of an ordinary table that has these columns.
fn root_of(table: &Table, wanted: &KeptTable) -> Option<PageNo> {
    let [key, value, ..] = &*table.columns else { return None };
    let is_as_wanted = matches!(table.kind, TableKind::Ordinary)
        && table.rowid_column == Some(0)
        && key.name == Name::new(wanted.key_column().as_bytes())
        && value.name == Name::new(wanted.value_column().as_bytes())
        && value.affinity == Affinity::Blob
        && usize::from(value.stored_at) == VALUE_COLUMN
        && !table.has_generated_columns();
    table.root.filter(|_| is_as_wanted)
}

/// Whether a row of the table is written by writing its record.
fn can_write(connection: &Connection, schema: &Schema, table: &Table) -> bool {
    let is_plain = table.triggers.is_empty()
        && table.indexes.is_empty()
        && table.checks.is_empty()
        && table.foreign_keys.is_empty()
        && table.rowid_conflict.is_none()
        && !table.autoincrement
        && !table.strict
        && table.columns.len() <= COLUMNS_MAX
        && table.columns.iter().all(|column| column.not_null.is_none() && column.default.is_none());
    let is_parent = |child: &Table| child.foreign_keys.iter().any(|key| key.parent == table.name);
    is_plain
        && schema.file_format >= SHORT_INTEGERS_FORMAT
        && !connection.hooks.preupdate.is_wanted()
        && !(connection.settings.flags().foreign_keys && schema.tables().iter().any(|child| is_parent(child)))
}

/// The outcome. A failure has the effects that it has at the end of a statement.
#[inline]
fn ended<T>(connection: &Connection, result: Result<T>, writes: bool) -> CallResult<T> {
    // Pages that were read may have been zeros.
    match connection.databases.check_mappings().and(result) {
        Ok(done) => Ok(done),
        Err(error) => Err(failed(connection, error, writes)),
    }
}

#[cold]
fn failed(connection: &Connection, error: Error, writes: bool) -> FunctionError {
    let run = connection.statement_begins();
    if writes {
        connection.note_writer(&run);
    }
    let undone = connection.statement_fails(&run, error.code(), OnConflict::Abort);
    connection.told(undone.err().unwrap_or(error))
}
