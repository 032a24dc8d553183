//! Snapshots: states of a database that has a log, recorded and read again later (`sqlite3_snapshot_get`, `sqlite3_snapshot_open`).

use std::rc::Rc;

use lithe_pager::Snapshot;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

/// See `Connection::snapshot`.
pub(crate) fn record(connection: &Connection, schema: &str) -> Result<Snapshot> {
    let database = database_of_snapshot(connection, schema)?;
    let pager = database.btree().pager();
    if !pager.is_reading() {
        database.check_free()?;
        pager.begin_read_to_record()?;
    }
    assert!(pager.is_reading() && !connection.is_autocommit(), "a state is recorded that is not read");
    Ok(pager.record_snapshot()?)
}

/// See `Connection::open_snapshot`.
pub(crate) fn open(connection: &Connection, schema: &str, snapshot: &Snapshot) -> Result<()> {
    let database = database_of_snapshot(connection, schema)?;
    let pager = database.btree().pager();
    if pager.is_reading() && connection.transaction.has_active() {
        return Err(no_snapshot());
    }
    assert!(!pager.is_writing(), "a state of the past is not written to");
    Ok(pager.begin_read_at(snapshot)?)
}

/// See `Connection::recover_snapshots`.
pub(crate) fn recover(connection: &Connection, schema: &str) -> Result<()> {
    Ok(database_named(connection, schema)?.btree().pager().find_snapshots()?)
}

fn database_of_snapshot(connection: &Connection, schema: &str) -> Result<Rc<Database>> {
    let database = database_named(connection, schema)?;
    if connection.is_autocommit() || database.btree().pager().is_writing() {
        return Err(no_snapshot());
    }
    Ok(database)
}

fn database_named(connection: &Connection, schema: &str) -> Result<Rc<Database>> {
    let db = connection.catalog().find_database(Name::new(schema.as_bytes())).filter(|db| *db != Db::TEMP);
    let database = connection.databases.get(db.ok_or_else(no_snapshot)?)?;
    if database.shared().is_some() {
        return Err(Error::generic("not supported yet: snapshots in a shared cache"));
    }
    Ok(database)
}

fn no_snapshot() -> Error {
    Error::from_code(ResultCode::ERROR)
}
