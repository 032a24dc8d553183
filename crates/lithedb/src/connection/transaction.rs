//! Transactions that roll back unless they are committed.

use std::ops::Deref;

use lithe_engine::Result;

use crate::connection::Connection;

/// The kinds of BEGIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransactionBehavior {
    /// Takes locks when a statement needs them.
    #[default]
    Deferred,
    /// Takes the write lock at once.
    Immediate,
    /// Takes the write lock at once and, outside WAL mode, excludes readers.
    Exclusive,
}

/// An open transaction. Dropped without [`Transaction::commit`] it rolls back. It dereferences to its connection.
///
/// ```
/// # let connection = lithe::Connection::open_in_memory().unwrap();
/// # connection.execute_batch("CREATE TABLE account(id INTEGER PRIMARY KEY, cents INTEGER); INSERT INTO account VALUES (1, 100), (2, 0)")?;
/// let transaction = connection.transaction()?;
/// transaction.execute("UPDATE account SET cents = cents - 30 WHERE id = 1", [])?;
/// transaction.execute("UPDATE account SET cents = cents + 30 WHERE id = 2", [])?;
/// transaction.commit()?;
/// # Ok::<(), lithe::Error>(())
/// ```
pub struct Transaction<'c> {
    connection: &'c Connection,
    is_open: bool,
}

impl<'c> Transaction<'c> {
    pub(crate) fn begin(connection: &'c Connection, behavior: TransactionBehavior) -> Result<Transaction<'c>> {
        connection.execute_batch(match behavior {
            TransactionBehavior::Deferred => "BEGIN DEFERRED",
            TransactionBehavior::Immediate => "BEGIN IMMEDIATE",
            TransactionBehavior::Exclusive => "BEGIN EXCLUSIVE",
        })?;
        Ok(Transaction { connection, is_open: true })
    }

    /// Makes the changes durable.
    ///
    /// Writes and syncs as `PRAGMA synchronous` says, and waits for locks as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let transaction = connection.transaction()?;
    /// transaction.execute("DELETE FROM t", [])?;
    /// transaction.commit()?;
    /// assert!(connection.is_autocommit());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY if readers hold locks: the transaction is rolled back then.
    pub fn commit(mut self) -> Result<()> {
        self.connection.execute_batch("COMMIT")?;
        self.is_open = false;
        Ok(())
    }

    /// Undoes the changes.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let transaction = connection.transaction()?;
    /// transaction.execute("DELETE FROM t", [])?;
    /// transaction.rollback()?;
    /// assert_eq!(connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0))?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR if the transaction has ended already, by an error that rolled it back.
    pub fn rollback(mut self) -> Result<()> {
        self.is_open = false;
        self.roll_back()
    }

    fn roll_back(&self) -> Result<()> {
        if self.connection.is_autocommit() {
            return Ok(()); // an error has rolled it back already
        }
        self.connection.execute_batch("ROLLBACK")
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // A destructor cannot return an error; the connection's next BEGIN would report it.
            let _ = self.roll_back();
        }
    }
}
