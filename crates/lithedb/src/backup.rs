//! Online backup, and databases as bytes.

use std::marker::PhantomData;
use std::time::Duration;

use lithe_engine as engine;
use lithe_engine::{Result, ResultCode};

use crate::connection::Connection;

pub use lithe_engine::{BackupStep, Deserialize};

/// Copies a database page by page while other connections use it.
///
/// A step holds the source's read lock only while it runs. Pages that the source's own connection writes between steps
/// are copied again; if another connection writes, the copy starts over. The target is complete when a step returns
/// [`BackupStep::Done`]; dropping the backup before that leaves the target as it was. Until then statements on the
/// target answer SQLITE_BUSY.
///
/// ```
/// use lithe::{Backup, BackupStep, Connection};
///
/// let source = Connection::open_in_memory()?;
/// source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
/// let target = Connection::open_in_memory()?;
/// let mut backup = Backup::new(&target, "main", &source, "main")?;
/// while backup.step(1)? == BackupStep::More {
///     println!("{} of {} pages left", backup.remaining(), backup.page_count());
/// }
/// backup.finish()?;
/// assert_eq!(target.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0))?, 2);
/// # Ok::<(), lithe::Error>(())
/// ```
pub struct Backup<'c> {
    inner: engine::Backup,
    /// The backup shares parts of both connections.
    connections: PhantomData<&'c Connection>,
}

impl<'c> Backup<'c> {
    /// Prepares to copy the database `source_schema` of `source` over the database `target_schema` of `target`.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// assert_eq!(backup.step(-1)?, BackupStep::Done);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR for unknown databases, and if the target is in use.
    pub fn new(
        target: &'c Connection,
        target_schema: &str,
        source: &'c Connection,
        source_schema: &str,
    ) -> Result<Backup<'c>> {
        let inner = engine::Backup::new(&target.core, target_schema, &source.core, source_schema)?;
        Ok(Backup { inner, connections: PhantomData })
    }

    /// Copies up to `pages` pages, or all that are left if `pages` is negative.
    ///
    /// Does not wait for locks.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// assert_eq!(backup.step(1)?, BackupStep::More);
    /// assert_eq!(backup.remaining(), 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY and SQLITE_LOCKED if another connection holds a conflicting lock: the step can be tried again.
    /// SQLITE_READONLY if the target cannot have the source's page size. After other errors the backup cannot continue.
    pub fn step(&mut self, pages: i32) -> Result<BackupStep> {
        self.inner.step(pages)
    }

    /// Copies everything, `pages` pages per step, with a pause between steps in which other connections can write.
    /// `progress` gets the number of pages that are left, and of all pages.
    ///
    /// Blocks until all pages are copied, with pauses of this length.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// backup.run(100, std::time::Duration::from_millis(5), |left, all| println!("{left} of {all} pages left"))?;
    /// backup.finish()?;
    /// # let _ = BackupStep::Done;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Backup::step`], except SQLITE_BUSY and SQLITE_LOCKED, after which it tries again.
    pub fn run(&mut self, pages: i32, pause: Duration, mut progress: impl FnMut(u32, u32)) -> Result<()> {
        loop {
            match self.step(pages) {
                Ok(BackupStep::Done) => {
                    progress(self.remaining(), self.page_count());
                    return Ok(());
                }
                Ok(BackupStep::More) => progress(self.remaining(), self.page_count()),
                Err(error) if matches!(error.code().primary(), ResultCode::BUSY | ResultCode::LOCKED) => {}
                Err(error) => return Err(error),
            }
            std::thread::sleep(pause);
        }
    }

    /// The number of pages that were left when the last step ended.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// backup.step(1)?;
    /// assert_eq!(backup.remaining(), 1);
    /// # let _ = BackupStep::Done;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn remaining(&self) -> u32 {
        self.inner.remaining()
    }

    /// The number of the source's pages when the last step ended.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// backup.step(1)?;
    /// assert_eq!(backup.page_count(), 2);
    /// # let _ = BackupStep::Done;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn page_count(&self) -> u32 {
        self.inner.page_count()
    }

    /// Ends the backup; an incomplete backup leaves the target as it was. Returns the error that stopped it.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Backup, BackupStep, Connection};
    /// # let source = Connection::open_in_memory()?;
    /// # source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let target = Connection::open_in_memory()?;
    /// let mut backup = Backup::new(&target, "main", &source, "main")?;
    /// backup.step(-1)?;
    /// backup.finish()?;
    /// # let _ = BackupStep::Done;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of the last step, if the backup could not continue.
    pub fn finish(self) -> Result<()> {
        self.inner.finish()
    }
}

impl Connection {
    /// Copies the database `schema` ("main", or an attached name) page by page to the file at `path`. The former
    /// content of the file is lost.
    ///
    /// Blocks until all pages are copied.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// # let path = std::env::temp_dir().join(format!("lithe-backup-{}.db", std::process::id()));
    /// connection.backup("main", &path)?;
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR if no database has the name, SQLITE_CANTOPEN, SQLITE_BUSY, SQLITE_IOERR and SQLITE_FULL of the copy.
    pub fn backup(&self, schema: &str, path: impl AsRef<std::path::Path>) -> Result<()> {
        self.core.backup(schema, path.as_ref().as_os_str().as_encoded_bytes())
    }

    /// The database `schema` as the bytes of its file.
    ///
    /// ```
    /// # use lithe::{Connection, Deserialize};
    /// let one = Connection::open_in_memory()?;
    /// one.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (42)")?;
    /// let bytes = one.serialize("main")?;
    /// let other = Connection::open_in_memory()?;
    /// other.deserialize("main", &bytes, Deserialize { read_only: true, ..Deserialize::default() })?;
    /// assert_eq!(other.query_row("SELECT a FROM t", [], |row| row.get::<i64>(0))?, 42);
    /// assert!(other.execute("DELETE FROM t", []).is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// # Errors
    /// SQLITE_ERROR if no database has the name, SQLITE_NOMEM, and those of reading.
    pub fn serialize(&self, schema: &str) -> Result<Vec<u8>> {
        self.core.serialize(schema)
    }

    /// Replaces the database `schema` by a database in memory with the content `bytes`. Invalid bytes are found at the
    /// first use.
    ///
    /// Does not block. The bytes are copied.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let bytes = connection.serialize("main")?;
    /// let copy = lithe::Connection::open_in_memory()?;
    /// copy.deserialize("main", &bytes, lithe::Deserialize::default())?;
    /// assert_eq!(copy.query_row("SELECT max(a) FROM t", [], |row| row.get::<i64>(0))?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR for the temporary database or an unknown one, SQLITE_BUSY while it is in use.
    pub fn deserialize(&self, schema: &str, bytes: &[u8], how: Deserialize) -> Result<()> {
        self.core.deserialize(schema, bytes, how)
    }

    /// Calls `callback` when the connection that holds the conflicting locks in a shared cache has ended its
    /// transaction; at once if no connection holds any.
    ///
    /// Does not block: the callback runs in the thread that ends the transaction.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.unlock_notify(|| println!("no connection is in the way"))?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_LOCKED "database is deadlocked" if the other connection waits for this one in the same way.
    pub fn unlock_notify(&self, callback: impl FnOnce() + Send + 'static) -> Result<()> {
        self.core.unlock_notify(Some(Box::new(callback)))
    }
}
