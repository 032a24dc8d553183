//! States of a database in the past, recorded and read later.

use crate::{Connection, Result};

pub use lithe_engine::Snapshot;

impl Connection {
    /// Records the state of the database `schema` that the transaction reads. The database must be in WAL mode, a
    /// transaction must be open and must not have written. The state can be read until a checkpoint overwrites it.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("lithe-snapshot-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("test.db");
    /// use lithe::Connection;
    ///
    /// let connection = Connection::open(&path)?;
    /// connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)")?;
    /// let transaction = connection.transaction()?;
    /// let before = transaction.snapshot("main")?;
    /// transaction.commit()?;
    /// connection.execute("UPDATE t SET a = 2", [])?;
    ///
    /// let transaction = connection.transaction()?;
    /// transaction.open_snapshot("main", &before)?;
    /// let a: i64 = transaction.query_row("SELECT a FROM t", [], |row| row.get(0))?;
    /// assert_eq!(a, 1);
    /// # drop(transaction);
    /// # drop(connection);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Does not block.
    ///
    /// # Errors
    /// SQLITE_ERROR if one of these conditions does not hold, and as long as nothing was written to the log.
    pub fn snapshot(&self, schema: &str) -> Result<Snapshot> {
        self.core.snapshot(schema)
    }

    /// Reads an earlier state until the open transaction ends.
    ///
    /// Does not block. [`Connection::snapshot`] has an example.
    ///
    /// # Errors
    /// SQLITE_ERROR without a transaction, within one that writes, and while statements run; SQLITE_ERROR_SNAPSHOT if a
    /// checkpoint has overwritten the state; SQLITE_BUSY during a checkpoint.
    pub fn open_snapshot(&self, schema: &str, snapshot: &Snapshot) -> Result<()> {
        self.core.open_snapshot(schema, snapshot)
    }

    /// Makes the states readable again that are in a log which existed before any connection was open.
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// [`Connection::snapshot`] has an example of reading such a state.
    ///
    /// # Errors
    /// SQLITE_ERROR while the database is read, or if it is not in WAL mode.
    pub fn recover_snapshots(&self, schema: &str) -> Result<()> {
        self.core.recover_snapshots(schema)
    }
}
