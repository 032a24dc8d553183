//! A connection to a database.

pub(crate) mod blob;
pub(crate) mod cache;
pub(crate) mod core;
pub(crate) mod statement;
pub(crate) mod transaction;

use std::cell::RefCell;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lithe_engine as engine;
use lithe_engine::{Error, OpenFlags, Result, ResultCode};

use crate::row::Row;
use crate::trace::Tracer;
use cache::{CachedStatement, StatementCache};
use core::Core;
use statement::Statement;
use statement::params::Params;
use transaction::{Transaction, TransactionBehavior};

/// A connection to a database. Closed when dropped; a transaction that is still open is rolled back.
/// It must not be used after `fork()`: a child process opens connections of its own, and neither uses nor drops those
/// of the parent.
/// It can be sent to another thread, but only one thread at a time uses it: `Send`, not `Sync`. A program with several
/// threads opens a connection for each.
///
/// ```compile_fail
/// fn is_sync<T: Sync>() {}
/// is_sync::<lithe::Connection>();
/// ```
pub struct Connection {
    pub(crate) core: Core,
    pub(crate) cache: RefCell<StatementCache>,
    pub(crate) tracer: Tracer,
}

// SAFETY: the engine's connection is not `Send` by itself because it and its statements share parts of it by `Rc`. All
// those `Rc`s are owned by the connection and its statements, and none is given to other code. A `Statement`, `Blob` or
// `Transaction` borrows its `Connection`, so while one of them exists the connection cannot be sent to another thread;
// the statements in the cache are sent with it. User-supplied closures are `Send`.
#[allow(unsafe_code)]
unsafe impl Send for Connection {}

/// The capacity of the cache of [`Connection::prepare_cached`].
const STATEMENT_CACHE_CAPACITY: usize = 32;

/// The rows of `PRAGMA compile_options` for the features of this crate.
const OPTIONS: &[&str] = &[
    #[cfg(feature = "modules")]
    "ENABLE_DBPAGE_VTAB",
    #[cfg(feature = "modules")]
    "ENABLE_DBSTAT_VTAB",
    #[cfg(feature = "modules")]
    "ENABLE_PERCENTILE",
    #[cfg(feature = "rtree")]
    "ENABLE_GEOPOLY",
    #[cfg(feature = "rtree")]
    "ENABLE_RTREE",
    #[cfg(feature = "fts3")]
    "ENABLE_FTS3",
    #[cfg(feature = "fts3")]
    "ENABLE_FTS3_PARENTHESIS",
    #[cfg(feature = "fts3")]
    "ENABLE_FTS4",
    #[cfg(feature = "fts5")]
    "ENABLE_FTS5",
];

impl Connection {
    /// Opens the database file at `path` for reading and writing, and creates it if it does not exist.
    ///
    /// `":memory:"` is a database in memory, `""` a temporary one, and a path that begins with `file:` is a
    /// [URI](https://www.sqlite.org/uri.html). An existing file is not read before the first statement needs it.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("lithe-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let path = folder.join("test.db");
    /// let connection = lithe::Connection::open(&path)?;
    /// connection.execute_batch("CREATE TABLE t(a)")?;
    /// # drop(connection);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// `SQLITE_CANTOPEN` if the file can be neither opened nor created.
    pub fn open(path: impl AsRef<Path>) -> Result<Connection> {
        Connection::open_with_flags(path, OpenFlags::DEFAULT)
    }

    /// Opens a database as `flags` say.
    ///
    /// ```
    /// use lithe::{Connection, OpenFlags};
    /// assert!(Connection::open_with_flags("/no/such/file", OpenFlags::READONLY).is_err());
    /// ```
    ///
    /// Does not block.
    ///
    /// # Errors
    /// SQLITE_CANTOPEN if the file can be neither opened nor created as the flags say, SQLITE_ERROR for a URI with unknown words,
    /// SQLITE_MISUSE for flags that contradict each other.
    pub fn open_with_flags(path: impl AsRef<Path>, flags: OpenFlags) -> Result<Connection> {
        let core = engine::Connection::open(path.as_ref().as_os_str().as_encoded_bytes(), flags)?;
        Ok(Connection::new(core))
    }

    fn new(core: engine::Connection) -> Connection {
        engine::add_compile_options(OPTIONS);
        #[cfg(feature = "modules")]
        core.add_extensions(&[&lithe_modules::LIBRARY]);
        #[cfg(feature = "rtree")]
        core.add_extensions(&[&lithe_rtree::EXTENSION]);
        #[cfg(feature = "fts3")]
        core.add_extensions(&[&lithe_fts3::EXTENSION]);
        #[cfg(feature = "fts5")]
        core.add_extensions(&[&lithe_fts5::EXTENSION]);
        let cache = RefCell::new(StatementCache::new(STATEMENT_CACHE_CAPACITY));
        Connection { core: Core::Own(core), cache, tracer: Tracer::default() }
    }

    /// Adds the contents of an extension: modules of virtual tables, functions, collations.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// # #[cfg(feature = "modules")] {
    /// connection.add_extension(&lithe::extension::SHELL);
    /// let sum: i64 = connection.query_row("SELECT sum(value) FROM generate_series(1, 10)", [], |row| row.get(0))?;
    /// assert_eq!(sum, 55);
    /// # }
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn add_extension(&self, extension: &engine::virtual_table::Extension) {
        self.core.add_extensions(&[extension]);
    }

    /// Moves the engine's connection into a handle of another interface, such as the C interface (`lithe_capi`, whose handle can load
    /// extensions made in C). The handle is dropped with the connection. A connection that has a handle already stays as it is.
    ///
    /// Does not block, unless `make` does.
    ///
    /// ```
    /// # use lithe::Connection;
    /// // A handle has to be `Deref<Target = lithe_engine::Connection>`; a box is the simplest one.
    /// # struct Handle<T>(Box<T>);
    /// # impl<T> std::ops::Deref for Handle<T> { type Target = T; fn deref(&self) -> &T { &self.0 } }
    /// # unsafe impl<T> Send for Handle<T> {}
    /// let connection = Connection::open_in_memory()?.with_handle(|core| Ok(Handle(Box::new(core))))?;
    /// connection.execute_batch("CREATE TABLE t(a)")?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `make`.
    pub fn with_handle<H>(self, make: impl FnOnce(engine::Connection) -> Result<H>) -> Result<Connection>
    where
        H: Deref<Target = engine::Connection> + Send + 'static,
    {
        let core = match self.core {
            Core::Own(core) => Core::Handle(Box::new(make(core)?)),
            handle @ Core::Handle(_) => handle,
        };
        Ok(Connection { core, ..self })
    }

    /// The engine's connection, for what this interface does not offer. Its interface may change with any version.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert!(connection.engine().is_autocommit());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn engine(&self) -> &engine::Connection {
        &self.core
    }

    /// Opens a database whose files are on `vfs`: in memory, on a simulated machine, or in a place of your own.
    ///
    /// Does not block, unless the VFS does.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lithe::{Connection, OpenFlags, vfs::MemoryVfs};
    /// let flags = OpenFlags::READWRITE.with(OpenFlags::CREATE);
    /// let connection = Connection::open_with_vfs("test.db", flags, Arc::new(MemoryVfs::new()))?;
    /// connection.execute_batch("CREATE TABLE t(a)")?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Connection::open_with_flags`], and those of the VFS.
    pub fn open_with_vfs(
        path: impl AsRef<Path>,
        flags: OpenFlags,
        vfs: Arc<dyn lithe_engine::vfs::Vfs>,
    ) -> Result<Connection> {
        let core = engine::Connection::open_with_vfs(path.as_ref().as_os_str().as_encoded_bytes(), flags, Some(vfs))?;
        Ok(Connection::new(core))
    }

    /// Opens a new database in memory. Closing the connection deletes it.
    ///
    /// Does not block.
    ///
    /// ```
    /// let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a)")?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn open_in_memory() -> Result<Connection> {
        Connection::open(":memory:")
    }

    /// Runs one statement to its end and returns how many rows it changed (0 for a statement that changes none). Rows
    /// that it returns are ignored.
    ///
    /// ```
    /// # use lithe::{Connection, params};
    /// # let connection = Connection::open_in_memory().unwrap();
    /// connection.execute("CREATE TABLE t(a, b)", [])?;
    /// assert_eq!(connection.execute("INSERT INTO t VALUES (?, ?), (?, ?)", params![1, "x", 2, "y"])?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// # Errors
    /// Those of the statement; SQLITE_MISUSE if the text holds more than one statement.
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepare(sql)?.execute(params)
    }

    /// Runs all statements of `sql`, one after the other, up to the first error. SQL ends at a NUL.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a);; INSERT INTO t VALUES (1);\0 nonsense")?;
    /// assert_eq!(connection.total_changes(), 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// # Errors
    /// Those of the first statement that fails; the effects of the statements before it stay.
    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        let mut rest = sql.as_bytes();
        while !rest.is_empty() {
            let prepared = self.core.prepare(rest)?;
            if prepared.tail == 0 {
                break; // ends at a NUL
            }
            if let Some(statement) = prepared.statement {
                let mut statement = Statement::new(self, statement);
                while statement.step()?.is_some() {}
            }
            rest = &rest[prepared.tail..];
        }
        Ok(())
    }

    /// Compiles a statement. Running it does not compile it again, unless the schema changes.
    ///
    /// Reads the schema when it is first needed, and waits for locks then as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut insert = connection.prepare("INSERT INTO t VALUES (?1)")?;
    /// assert_eq!(insert.execute([3])? + insert.execute([4])?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR with SQLite's message for SQL that cannot be compiled, and its place in [`Error::offset`];
    /// SQLITE_MISUSE for a text without a statement or with more than one.
    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        let prepared = self.core.prepare(sql.as_bytes())?;
        let statement = prepared.statement.ok_or_else(|| misuse("the text holds no statement"))?;
        let statement = Statement::new(self, statement);
        let rest = &sql.as_bytes()[prepared.tail..];
        if rest.is_empty() || self.core.prepare(rest).is_ok_and(|rest| rest.statement.is_none()) {
            Ok(statement)
        } else {
            Err(misuse("the text holds more than one statement"))
        }
    }

    /// Compiles the first statement of `sql`, and returns it with the number of bytes up to the next statement: so
    /// scripts are run statement by statement. There is no statement if only white space and comments are left. The
    /// text may contain literals that are not UTF-8: they become values of the same bytes.
    ///
    /// Blocks as [`Connection::prepare`] does.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut script = "SELECT 1; -- two\n SELECT 2;";
    /// let mut statements = 0;
    /// while let (Some(_), len) = connection.prepare_first(script)? {
    ///     (statements, script) = (statements + 1, &script[len..]);
    /// }
    /// assert_eq!(statements, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR with SQLite's message for SQL that cannot be compiled.
    pub fn prepare_first(&self, sql: impl AsRef<[u8]>) -> Result<(Option<Statement<'_>>, usize)> {
        let prepared = self.core.prepare(sql.as_ref())?;
        Ok((prepared.statement.map(|statement| Statement::new(self, statement)), prepared.tail))
    }

    /// As [`Connection::prepare`], but takes the compiled statement from the connection's cache if it is there.
    /// Dropping the statement puts it back.
    ///
    /// Blocks as [`Connection::prepare`] does.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// for a in 3..10 {
    ///     connection.prepare_cached("INSERT INTO t VALUES (?1)")?.execute([a])?; // compiled once
    /// }
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Connection::prepare`].
    pub fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        CachedStatement::get(self, sql)
    }

    /// Whether a database is read-only, because of how it was opened or because of its file's permissions. Returns
    /// `None` if there is no such database.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!((connection.is_read_only("main"), connection.is_read_only("other")), (Some(false), None));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_read_only(&self, database: &str) -> Option<bool> {
        self.core.is_read_only(Some(database))
    }

    /// Runs a query and calls `f` with its first row.
    ///
    /// ```
    /// # use lithe::Connection;
    /// # let connection = Connection::open_in_memory().unwrap();
    /// let sum: i64 = connection.query_row("SELECT ?1 + ?2", [3, 4], |row| row.get(0))?;
    /// assert_eq!(sum, 7);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// # Errors
    /// Those of the statement, of its commit and of `f`; SQLITE_NOTFOUND "query returned no rows".
    pub fn query_row<T>(&self, sql: &str, params: impl Params, f: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        let mut statement = self.prepare(sql)?;
        params.bind_to(&mut statement)?;
        let answer = match statement.step()? {
            Some(row) => f(&row)?,
            None => return Err(Error::new(ResultCode::NOTFOUND, "query returned no rows")),
        };
        statement.reset()?;
        Ok(answer)
    }

    /// Begins a transaction: BEGIN DEFERRED.
    ///
    /// Takes no lock: the first statement does so.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let transaction = connection.transaction()?;
    /// transaction.execute("DELETE FROM t", [])?;
    /// drop(transaction); // rolls back
    /// assert_eq!(connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0))?, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR within another transaction.
    pub fn transaction(&self) -> Result<Transaction<'_>> {
        Transaction::begin(self, TransactionBehavior::Deferred)
    }

    /// Begins a transaction of the given kind.
    ///
    /// IMMEDIATE and EXCLUSIVE wait for other writers as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// use lithe::TransactionBehavior;
    /// let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    /// transaction.execute("INSERT INTO t VALUES (3)", [])?;
    /// transaction.commit()?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR within another transaction, SQLITE_BUSY if other connections hold their locks for too long.
    pub fn transaction_with_behavior(&self, behavior: TransactionBehavior) -> Result<Transaction<'_>> {
        Transaction::begin(self, behavior)
    }

    /// Opens a BLOB (or text) for reading and writing in place: the value of `column` in the row `rowid` of `table` in
    /// the schema `database` ("main", "temp" or an attached name).
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says. The BLOB may be as long as a value may be;
    /// offsets and lengths are bytes.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE file(data); INSERT INTO file VALUES (x'0102')")?;
    /// let blob = connection.blob_open("main", "file", "data", 1, true)?;
    /// assert_eq!(blob.len(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_ERROR if there is no such table, column or row, or the value is neither a blob nor text.
    pub fn blob_open(
        &self,
        database: &str,
        table: &str,
        column: &str,
        rowid: i64,
        read_only: bool,
    ) -> Result<crate::Blob<'_>> {
        let blob = self.core.blob_open(database, table, column, rowid, !read_only)?;
        Ok(crate::Blob::new(self, blob))
    }

    /// The rowid of the last row that this connection inserted, 0 if there was none.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// assert_eq!(connection.last_insert_rowid(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn last_insert_rowid(&self) -> i64 {
        self.core.last_insert_rowid()
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// connection.execute("UPDATE t SET a = a + 1", [])?;
    /// assert_eq!(connection.changes(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn changes(&self) -> u64 {
        self.core.changes()
    }

    /// How many rows this connection has changed since it was opened.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// connection.execute("DELETE FROM t", [])?;
    /// assert_eq!(connection.total_changes(), 4);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn total_changes(&self) -> u64 {
        self.core.total_changes()
    }

    /// Whether no transaction is open that BEGIN has begun.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert!(connection.is_autocommit());
    /// connection.execute("BEGIN", [])?;
    /// assert!(!connection.is_autocommit());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_autocommit(&self) -> bool {
        self.core.is_autocommit()
    }

    /// How long a statement waits for a lock before it fails with SQLITE_BUSY. Zero, the default, does not wait.
    ///
    /// The timeout counts whole milliseconds: a shorter one means no wait. Does not block itself. Removes a handler
    /// ([`Connection::set_busy_handler`]).
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.busy_timeout(std::time::Duration::from_secs(5));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn busy_timeout(&self, timeout: Duration) {
        self.core.set_busy_timeout(timeout);
    }

    /// A handle that stops this connection's statements from another thread.
    ///
    /// ```
    /// # use lithe::{Connection, ResultCode};
    /// let connection = Connection::open_in_memory()?;
    /// let handle = connection.interrupt_handle();
    /// let timer = std::thread::spawn(move || {
    ///     std::thread::sleep(std::time::Duration::from_millis(50));
    ///     handle.interrupt();
    /// });
    /// let forever = "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    /// let error = connection.query_row(forever, [], |row| row.get::<i64>(0)).unwrap_err();
    /// assert_eq!(error.code(), ResultCode::INTERRUPT);
    /// # timer.join().unwrap();
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle(self.core.interrupt_handle())
    }

    /// Closes the connection, and returns the errors that dropping it would ignore.
    ///
    /// The last connection to a database in WAL mode checkpoints it, with its writes and syncs. The checkpoint waits
    /// for no lock.
    ///
    /// ```
    /// let connection = lithe::Connection::open_in_memory()?;
    /// connection.close()?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the checkpoint and of closing files (SQLITE_IOERR); the connection is closed nevertheless.
    pub fn close(self) -> Result<()> {
        drop(self.cache);
        self.core.close()
    }
}

/// Stops the running statements of a connection, from any thread.
#[derive(Clone, Debug)]
pub struct InterruptHandle(engine::InterruptHandle);

impl InterruptHandle {
    /// Statements that are running now end with SQLITE_INTERRUPT; statements that start later are not affected.
    ///
    /// Does not block: it sets a flag that statements read.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.interrupt_handle().interrupt();
    /// connection.query_row("SELECT 1", [], |_| Ok(()))?; // begins later
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

pub(crate) fn misuse(message: &str) -> Error {
    Error::new(ResultCode::MISUSE, message)
}
