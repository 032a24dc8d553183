//! Snapshots: states of a database that has a log, recorded and read again later (`sqlite3_snapshot_get`, `sqlite3_snapshot_open`).

use std::rc::Rc;

use lithe_pager::Snapshot;
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::connection::Connection;
use crate::database::Database;
use crate::error::{Error, Result};

impl Connection {
    /// Records the state of a database that the transaction reads, or begins to read now.
    ///
    /// # Errors
    /// SQLITE_ERROR in autocommit mode, while the transaction writes the database, without a log, and as long as nothing was written
    /// to the log.
    pub fn snapshot(&self, schema: &str) -> Result<Snapshot> {
        let database = self.database_of_snapshot(schema)?;
        let pager = database.btree().pager();
        if !pager.is_reading() {
            database.check_free()?;
            pager.begin_read_to_record()?;
        }
        assert!(pager.is_reading() && !self.is_autocommit(), "a state is recorded by who reads it");
        Ok(pager.record_snapshot()?)
    }

    /// Reads a state of the past from now on, until the transaction ends.
    ///
    /// # Errors
    /// SQLITE_ERROR in autocommit mode, while the transaction writes the database or statements run, and without a log;
    /// SQLITE_ERROR_SNAPSHOT if the state has been overwritten by a checkpoint; SQLITE_BUSY beside a checkpoint.
    pub fn open_snapshot(&self, schema: &str, snapshot: &Snapshot) -> Result<()> {
        let database = self.database_of_snapshot(schema)?;
        let pager = database.btree().pager();
        if pager.is_reading() && self.transaction.has_active() {
            return Err(no_snapshot());
        }
        assert!(!pager.is_writing(), "a state of the past is not written to");
        Ok(pager.begin_read_at(snapshot)?)
    }

    /// Makes all states readable that a log has which was there before any connection was open.
    ///
    /// # Errors
    /// SQLITE_ERROR without such a database or without a log, and while it is read.
    pub fn recover_snapshots(&self, schema: &str) -> Result<()> {
        Ok(self.database_named(schema)?.btree().pager().find_snapshots()?)
    }

    fn database_of_snapshot(&self, schema: &str) -> Result<Rc<Database>> {
        let database = self.database_named(schema)?;
        if self.is_autocommit() || database.btree().pager().is_writing() {
            return Err(no_snapshot());
        }
        Ok(database)
    }

    fn database_named(&self, schema: &str) -> Result<Rc<Database>> {
        let db = self.catalog().find_database(Name::new(schema.as_bytes())).filter(|db| *db != Db::TEMP);
        let database = self.database(db.ok_or_else(no_snapshot)?)?;
        if database.shared().is_some() {
            return Err(Error::generic("not supported yet: snapshots in a shared cache"));
        }
        Ok(database)
    }
}

fn no_snapshot() -> Error {
    Error::from_code(ResultCode::ERROR)
}
