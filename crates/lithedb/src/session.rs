//! Sessions: changes of a database, recorded as a changeset and applied to another database.
//!
//! ```
//! use lithe::Connection;
//! use lithe::session::{Answer, Session, apply};
//!
//! let schema = "CREATE TABLE note(id INTEGER PRIMARY KEY, text)";
//! let (phone, laptop) = (Connection::open_in_memory()?, Connection::open_in_memory()?);
//! phone.execute_batch(schema)?;
//! laptop.execute_batch(schema)?;
//!
//! let session = Session::new(&phone, "main");
//! session.attach(None);
//! phone.execute_batch("INSERT INTO note VALUES (1, 'milk'), (2, 'bread')")?;
//! let changeset = session.changeset()?;
//!
//! // What the laptop has stays where both have something.
//! laptop.execute_batch("INSERT INTO note VALUES (2, 'butter')")?;
//! apply(&laptop, &changeset, |_conflict, _change| Answer::Omit)?;
//! let texts = laptop.query_row("SELECT group_concat(text) FROM note", [], |row| row.get::<String>(0))?;
//! assert_eq!(texts, "milk,butter");
//! # Ok::<(), lithe::Error>(())
//! ```
//!
//! If both devices make changes, they exchange changesets and rebase: see [`apply_with`] and [`rebase`].

use std::ops::Deref;
use std::rc::Rc;

use lithe_engine as engine;
use lithe_engine::{Error, Result, ResultCode};
use lithe_session as session;
use lithe_session::Grow;
pub use lithe_session::{
    Answer, Apply, ChangeGroup, ChangesetIterator, Conflict, Format, FunctionError, Handler, Input, RowOperation,
    SessionOptions, TableHeader,
};

use crate::connection::Connection;

fn told(error: session::FunctionError) -> Error {
    match error.message.is_empty() {
        true => Error::from_code(ResultCode(error.code)),
        false => Error::new(ResultCode(error.code), error.into_message()),
    }
}

/// Records the changes of one database of a connection, until it is dropped.
pub struct Session<'c> {
    inner: session::Session,
    connection: Held<'c>,
    /// The watcher's number in the connection.
    watch: u64,
}

/// How a session holds its connection.
enum Held<'c> {
    Borrowed(&'c Connection),
    Shared(Rc<Connection>),
}

impl Deref for Held<'_> {
    type Target = engine::Connection;

    fn deref(&self) -> &engine::Connection {
        match self {
            Held::Borrowed(connection) => &connection.core,
            Held::Shared(connection) => &connection.core,
        }
    }
}

impl<'c> Session<'c> {
    /// Begins to watch the changes of a database (`main`, `temp`, or an attached one). Nothing is recorded until a
    /// table is attached.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.attach(Some("t"));
    /// connection.execute("INSERT INTO t VALUES (1)", [])?;
    /// assert!(!session.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn new(connection: &'c Connection, database: &str) -> Session<'c> {
        Session::on(Held::Borrowed(connection), database)
    }

    /// As [`Session::new`], for a program that stores the session beside its connection.
    ///
    /// ```
    /// # use std::rc::Rc;
    /// # use lithe::{Connection, session::Session};
    /// struct Document {
    ///     changes: Session<'static>,
    ///     connection: Rc<Connection>,
    /// }
    /// let connection = Rc::new(Connection::open_in_memory()?);
    /// let changes = Session::shared(Rc::clone(&connection), "main");
    /// let document = Document { changes, connection };
    /// document.changes.attach(None);
    /// document.connection.execute_batch("CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES (1)")?;
    /// assert!(!document.changes.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn shared(connection: Rc<Connection>, database: &str) -> Session<'static> {
        Session::on(Held::Shared(connection), database)
    }

    fn on(connection: Held<'c>, database: &str) -> Session<'c> {
        let inner = session::Session::new(database);
        let watch = connection.watch_changes(inner.watcher());
        Session { inner, connection, watch }
    }

    /// Records the tables for which `filter` returns true, besides those that are attached.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.set_table_filter(Some(|table: &str| table != "log"));
    /// connection.execute("INSERT INTO t VALUES (1)", [])?;
    /// assert!(!session.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_table_filter(&self, filter: Option<impl Fn(&str) -> bool + 'static>) {
        self.inner.set_table_filter(filter.map(|filter| -> session::TableFilter { Rc::new(filter) }));
    }

    /// Whether changes are recorded.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// assert!(session.is_enabled());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_enabled(&self) -> bool {
        self.inner.is_enabled()
    }

    /// Whether all changes are marked as indirect.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// assert!(!session.is_indirect());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_indirect(&self) -> bool {
        self.inner.is_indirect()
    }

    /// Records the changes of a table, or of all tables, from now on. Only tables with a primary key are recorded.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.attach(None); // all tables
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn attach(&self, table: Option<&str>) {
        self.inner.attach(table);
    }

    /// Switches recording on or off.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.attach(None);
    /// session.set_enabled(false);
    /// connection.execute("INSERT INTO t VALUES (1)", [])?;
    /// assert!(session.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_enabled(&self, enabled: bool) {
        self.inner.set_enabled(enabled);
    }

    /// Marks all changes as indirect, like those of triggers.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.set_indirect(true);
    /// assert!(session.is_indirect());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_indirect(&self, indirect: bool) {
        self.inner.set_indirect(indirect);
    }

    /// Sets options of the recording, before a table is attached.
    ///
    /// Does not block.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.set_options(lithe::session::SessionOptions::default())?;
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_MISUSE once a table is attached.
    pub fn set_options(&self, options: SessionOptions) -> Result<()> {
        self.inner.set_options(options).map_err(told)
    }

    /// Whether no row has changed. Changes that cancel each other out are not subtracted.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// assert!(session.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// The changes so far, with old and new values. The session continues to record.
    ///
    /// Reads the rows that have changed: waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.attach(None);
    /// connection.execute("INSERT INTO t VALUES (1)", [])?;
    /// assert!(!session.changeset()?.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_SCHEMA if a table has lost columns, or has another primary key; the errors of reading the rows.
    pub fn changeset(&self) -> Result<Vec<u8>> {
        self.inner.changeset(&*self.connection, Format::Changeset).map_err(told)
    }

    /// As [`Session::changeset`], without the old values that are not in the primary key: smaller, but conflicts are
    /// found by the key alone, and a patchset can be neither inverted nor rebased.
    ///
    /// Blocks as [`Session::changeset`] does.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// session.attach(None);
    /// connection.execute("INSERT INTO t VALUES (1)", [])?;
    /// assert!(!session.patchset()?.is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::changeset`].
    pub fn patchset(&self) -> Result<Vec<u8>> {
        self.inner.changeset(&*self.connection, Format::Patchset).map_err(told)
    }

    /// Records the changes that would turn a table of the database `from` into that of the session's database.
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// use lithe::{Connection, session::Session};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
    /// let session = Session::new(&connection, "main");
    /// connection.execute_batch("ATTACH ':memory:' AS other; CREATE TABLE other.t(a PRIMARY KEY); INSERT INTO other.t VALUES (1)")?;
    /// session.attach(Some("t"));
    /// session.diff("other", "t")?;
    /// assert!(!session.is_empty()); // the DELETE of a row that only `other` has
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_SCHEMA if the tables have other columns or another primary key.
    pub fn diff(&self, from: &str, table: &str) -> Result<()> {
        self.inner.diff(&*self.connection, from, table).map_err(told)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.connection.unwatch_changes(self.watch);
    }
}

/// A handler that applies all changes.
struct Closure<F>(F);

impl<F: FnMut(Conflict, &ChangesetIterator<'_>) -> Answer> Handler for Closure<F> {
    fn conflict(&mut self, conflict: Conflict, change: &ChangesetIterator<'_>) -> Option<Answer> {
        Some((self.0)(conflict, change))
    }
}

/// Applies a changeset or patchset to the main database; `on_conflict` decides what to do if the database is not in the
/// expected state. Returns the rebase buffer for [`rebase`], if there were conflicts.
///
/// Waits for locks of other connections as [`Connection::busy_timeout`] says.
///
/// ```
/// use lithe::{Connection, session::{Answer, Session, apply}};
/// let connection = Connection::open_in_memory()?;
/// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
/// let session = Session::new(&connection, "main");
/// session.attach(None);
/// connection.execute("INSERT INTO t VALUES (1)", [])?;
/// let changes = session.changeset()?;
/// let other = Connection::open_in_memory()?;
/// other.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
/// apply(&other, &changes, |_, _| Answer::Abort)?;
/// assert_eq!(other.query_row("SELECT a FROM t", [], |row| row.get::<i64>(0))?, 1);
/// # Ok::<(), lithe::Error>(())
/// ```
///
/// # Errors
/// SQLITE_ABORT if the handler says so, SQLITE_CORRUPT for bytes that are not a changeset, SQLITE_CONSTRAINT if foreign
/// keys are violated at the end, SQLITE_MISUSE if an answer does not fit the conflict. Nothing is applied then.
pub fn apply(
    connection: &Connection,
    changeset: &[u8],
    on_conflict: impl FnMut(Conflict, &ChangesetIterator<'_>) -> Answer,
) -> Result<Option<Vec<u8>>> {
    apply_with(connection, changeset, &mut Closure(on_conflict), Apply::default())
}

/// As [`apply`], with a handler that chooses tables and changes, and options.
///
/// Blocks as [`apply`] does, which has an example.
///
/// # Errors
/// As [`apply`].
pub fn apply_with(
    connection: &Connection,
    changeset: &[u8],
    handler: &mut dyn Handler,
    options: Apply,
) -> Result<Option<Vec<u8>>> {
    session::apply(connection.engine(), Input::whole(changeset), handler, options).map_err(told)
}

/// The changeset that undoes another.
///
/// ```
/// # use lithe::Connection;
/// # use lithe::session::{Answer, Session, apply, invert};
/// # let connection = Connection::open_in_memory()?;
/// # connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
/// # let session = Session::new(&connection, "main");
/// # session.attach(None);
/// connection.execute("INSERT INTO t VALUES (1)", [])?;
/// let undo = invert(&session.changeset()?)?;
/// drop(session);
/// apply(&connection, &undo, |_, _| Answer::Abort)?;
/// assert_eq!(connection.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0))?, 0);
/// # Ok::<(), lithe::Error>(())
/// ```
///
/// Does not block.
///
/// # Errors
/// SQLITE_CORRUPT for a patchset and for bytes that are not a changeset.
pub fn invert(changeset: &[u8]) -> Result<Vec<u8>> {
    collected(|out| session::invert(Input::whole(changeset), out))
}

/// Several changesets, or several patchsets, as one.
///
/// Does not block.
///
/// ```
/// use lithe::{Connection, session::{Session, concat}};
/// let connection = Connection::open_in_memory()?;
/// connection.execute_batch("CREATE TABLE t(a PRIMARY KEY)")?;
/// let session = Session::new(&connection, "main");
/// session.attach(None);
/// connection.execute("INSERT INTO t VALUES (1)", [])?;
/// let changes = session.changeset()?;
/// assert!(concat(&[&changes, &changes])?.len() >= changes.len());
/// # Ok::<(), lithe::Error>(())
/// ```
///
/// # Errors
/// SQLITE_ERROR if there are both; SQLITE_SCHEMA if a table has other columns in one than in another.
pub fn concat(changesets: &[&[u8]]) -> Result<Vec<u8>> {
    let mut group = ChangeGroup::new();
    changesets.iter().try_for_each(|changeset| group.add(None, Input::whole(*changeset))).map_err(told)?;
    group.changeset().map_err(told)
}

/// Rebases local changes onto remote changesets that were applied before them: `rebases` are the results of [`apply`],
/// in that order.
///
/// ```
/// # use lithe::Connection;
/// # use lithe::session::{Answer, Session, apply, rebase};
/// # let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'old')";
/// # let (here, there) = (Connection::open_in_memory()?, Connection::open_in_memory()?);
/// # here.execute_batch(schema)?;
/// # there.execute_batch(schema)?;
/// # let change = |connection: &Connection, value: &str| {
/// #     let session = Session::new(connection, "main");
/// #     session.attach(None);
/// #     connection.execute("UPDATE t SET v = ?1", [value])?;
/// #     session.changeset()
/// # };
/// let (ours, theirs) = (change(&here, "ours")?, change(&there, "theirs")?);
/// // Here our value wins, so there it has to replace theirs.
/// let conflicts = apply(&here, &theirs, |_, _| Answer::Omit)?;
/// let ours = rebase(&ours, conflicts.as_slice())?;
/// apply(&there, &ours, |_, _| Answer::Abort)?;
/// assert_eq!(there.query_row("SELECT v FROM t", [], |row| row.get::<String>(0))?, "ours");
/// # Ok::<(), lithe::Error>(())
/// ```
///
/// Does not block.
///
/// # Errors
/// SQLITE_ERROR for a patchset, SQLITE_CORRUPT for bytes that are not a changeset.
pub fn rebase(local: &[u8], rebases: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut rebaser = session::Rebaser::new();
    rebases.iter().try_for_each(|rebase| rebaser.configure(Input::whole(&rebase[..]))).map_err(told)?;
    collected(|out| rebaser.rebase(Input::whole(local), out))
}

fn collected(write: impl FnOnce(&mut dyn FnMut(&[u8]) -> session::Result) -> session::Result) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut |piece| Ok(bytes.try_append(piece)?)).map_err(told)?;
    Ok(bytes)
}
