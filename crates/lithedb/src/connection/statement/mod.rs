//! A compiled statement.

pub(crate) mod params;

use std::time::Instant;

use lithe_engine as engine;
use lithe_engine::{Error, Result, ResultCode, Step};

use crate::connection::{Connection, misuse};
use crate::row::Row;
use crate::to_sql::ToSql;
use crate::trace::{TraceEvent, TracedStatement};
use params::Params;

/// A compiled statement of a connection. Its parameters can be bound, its rows read, and it can be run again.
pub struct Statement<'c> {
    connection: &'c Connection,
    /// `None` only while a cached statement is put back.
    inner: Option<engine::Statement>,
    /// The beginning of a run, if it is traced.
    began: Option<Instant>,
}

impl<'c> Statement<'c> {
    pub(crate) fn new(connection: &'c Connection, inner: engine::Statement) -> Statement<'c> {
        Statement { connection, inner: Some(inner), began: None }
    }

    /// Binds `value` to the parameter `number` (from 1), until it is bound again.
    ///
    /// Does not block. Text and BLOBs are copied.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT ?1")?;
    /// statement.bind(1, "x")?;
    /// assert_eq!(statement.step()?.unwrap().get::<String>(0)?, "x");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_RANGE if there is no such parameter, SQLITE_TOOBIG for a value over the length limit, SQLITE_MISUSE
    /// while the statement is on a row.
    pub fn bind(&mut self, number: usize, value: impl ToSql) -> Result<()> {
        let mut result = Ok(());
        let core = &self.connection.core;
        let inner = self.inner.as_mut().expect("a statement in use");
        value.with_value(&mut |value| result = inner.bind(core, number, value));
        result
    }

    /// Binds `value` to the parameter `name`, prefix (`:`, `@`, `$`) included.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT :word")?;
    /// statement.bind_named(":word", "x")?;
    /// assert!(statement.bind_named(":other", 1).is_err());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Statement::bind`]; SQLITE_RANGE if no parameter has the name.
    pub fn bind_named(&mut self, name: &str, value: impl ToSql) -> Result<()> {
        let number = self
            .parameter_index(name)
            .ok_or_else(|| Error::new(ResultCode::RANGE, format!("no such parameter: {name}")))?;
        self.bind(number, value)
    }

    /// Sets all parameters to NULL.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT ?1 IS NULL")?;
    /// statement.bind(1, 5)?;
    /// statement.clear_bindings();
    /// assert!(statement.step()?.unwrap().get::<bool>(0)?);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn clear_bindings(&mut self) {
        self.inner_mut().clear_bindings();
    }

    /// How many parameters there are (the largest number in use).
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT ?1, ?3")?.parameter_count(), 3);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn parameter_count(&self) -> usize {
        self.inner().parameter_count()
    }

    /// The name of a parameter, prefix included; `None` if it has none.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let statement = connection.prepare("SELECT :a, ?2")?;
    /// assert_eq!((statement.parameter_name(1), statement.parameter_name(2)), (Some(":a"), Some("?2")));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn parameter_name(&self, number: usize) -> Option<&str> {
        self.inner().parameter_name(number)
    }

    /// The number of the parameter of that name, prefix included.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT $x, $y")?.parameter_index("$y"), Some(2));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn parameter_index(&self, name: &str) -> Option<usize> {
        self.inner().parameter_index(name)
    }

    /// How many columns a row has; 0 for a statement that returns no rows.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1, 2")?.column_count(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_count(&self) -> usize {
        self.inner().column_count()
    }

    /// The name of column `index` (from 0).
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1 AS one")?.column_name(0), "one");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column_name(&self, index: usize) -> &str {
        self.inner().column(index).expect("a column of the statement").name
    }

    /// The names of all columns.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1 AS one, 2 AS two")?.column_names(), ["one", "two"]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_names(&self) -> Vec<&str> {
        self.inner().columns().iter().map(|column| column.name).collect()
    }

    /// The index of the column of that name, ignoring the case of letters.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1 AS one, 2 AS two")?.column_index("TWO"), Some(1));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.inner().columns().iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The declared type of column `index`; `None` if the column is not a table's, or the statement has no such column.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE person(name VARCHAR(20))")?;
    /// let statement = connection.prepare("SELECT name, 1 FROM person")?;
    /// assert_eq!((statement.column_decltype(0), statement.column_decltype(1)), (Some("VARCHAR(20)"), None));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_decltype(&self, index: usize) -> Option<&str> {
        self.inner().column(index)?.declared_type
    }

    /// Whether the statement changes no database.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// assert!(connection.prepare("SELECT * FROM t")?.is_read_only());
    /// assert!(!connection.prepare("DELETE FROM t")?.is_read_only());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_read_only(&self) -> bool {
        self.inner().is_read_only()
    }

    /// Whether the statement is EXPLAIN (1), EXPLAIN QUERY PLAN (2), or neither (0).
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("EXPLAIN QUERY PLAN SELECT 1")?.is_explain(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn is_explain(&self) -> u8 {
        self.inner().explain()
    }

    /// The statement's text.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1")?.sql(), "SELECT 1");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn sql(&self) -> &str {
        self.inner().sql()
    }

    /// The statement's text with the bound values in place of its parameters.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT ?1")?;
    /// statement.bind(1, "it's")?;
    /// assert_eq!(statement.expanded_sql(), "SELECT 'it''s'");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn expanded_sql(&self) -> String {
        String::from_utf8_lossy(&self.inner().expanded_sql()).into_owned()
    }

    /// The statement's text with its literals and parameters replaced by `?`.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let statement = connection.prepare("select  1 + :one, 'two'")?;
    /// assert_eq!(statement.normalized_sql(), "SELECT?+?,?;");
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn normalized_sql(&self) -> String {
        String::from_utf8_lossy(&self.inner().normalized_sql()).into_owned()
    }

    /// Database, table and column from which the values of a result column come; `None` if the column is not directly
    /// one of a table, or the statement has no such column.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let statement = connection.prepare("SELECT a AS b, 1 FROM t")?;
    /// assert_eq!((statement.column_origin(0), statement.column_origin(1)), (Some(("main", "t", "a")), None));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_origin(&self, index: usize) -> Option<(&str, &str, &str)> {
        let origin = self.inner().column(index)?.origin?;
        Some((origin.database, origin.table, origin.column))
    }

    /// Steps to the next row: `None` at the end. After the end or an error, the next call starts over.
    ///
    /// Waits for locks of other connections as [`Connection::busy_timeout`] says.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut statement = connection.prepare("SELECT a FROM t")?;
    /// let mut sum = 0;
    /// while let Some(row) = statement.step()? {
    ///     sum += row.get::<i64>(0)?;
    /// }
    /// assert_eq!(sum, 3);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_BUSY and SQLITE_LOCKED if another connection holds a conflicting lock, SQLITE_INTERRUPT,
    /// SQLITE_CONSTRAINT, SQLITE_CORRUPT, and the other errors of SQLite for the statement.
    pub fn step(&mut self) -> Result<Option<Row<'_>>> {
        if self.connection.tracer.is_on() || self.began.is_some() {
            return self.step_traced();
        }
        let inner = self.inner.as_mut().expect("a statement in use");
        match inner.step(&self.connection.core)? {
            Step::Row => Ok(Some(Row::new(inner))),
            Step::Done => Ok(None),
        }
    }

    #[cold]
    fn step_traced(&mut self) -> Result<Option<Row<'_>>> {
        let tracer = &self.connection.tracer;
        if !self.inner().is_running() {
            self.began = tracer.begin(self.inner());
        }
        let inner = self.inner.as_mut().expect("a statement in use");
        let stepped = inner.step(&self.connection.core);
        if matches!(stepped, Ok(Step::Row)) {
            tracer.tell(TraceEvent::Row(TracedStatement(self.inner())));
            return Ok(Some(Row::new(self.inner())));
        }
        self.end_traced();
        stepped.map(|_| None)
    }

    /// Calls the trace hook for the end of the run, if the run was traced.
    fn end_traced(&mut self) {
        if let (Some(began), Some(inner)) = (self.began.take(), &self.inner) {
            self.connection.tracer.tell(TraceEvent::Profile(TracedStatement(inner), began.elapsed()));
        }
    }

    /// Runs the statement to its end with these parameters and returns how many rows it changed.
    ///
    /// Blocks as [`Statement::step`] does.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// assert_eq!(connection.prepare("DELETE FROM t WHERE a > ?1")?.execute([1])?, 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Statement::step`]; SQLITE_MISUSE if the number of values is not that of the parameters.
    pub fn execute(&mut self, params: impl Params) -> Result<usize> {
        self.reset()?;
        params.bind_to(self)?;
        let before = self.connection.core.total_changes();
        while self.step()?.is_some() {}
        let changed = if self.inner().counts_changes() && self.connection.core.total_changes() != before {
            self.connection.core.changes()
        } else {
            0
        };
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Starts the query with these parameters. The rows are read with [`Rows::next`] or [`Rows::map`].
    ///
    /// Runs nothing yet, and does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut statement = connection.prepare("SELECT a FROM t WHERE a > ?1")?;
    /// let mut rows = statement.query([1])?;
    /// assert_eq!(rows.next()?.unwrap().get::<i64>(0)?, 2);
    /// assert!(rows.next()?.is_none());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_MISUSE if the number of values is not that of the parameters, and as [`Statement::bind`].
    pub fn query(&mut self, params: impl Params) -> Result<Rows<'_, 'c>> {
        self.reset()?;
        params.bind_to(self)?;
        Ok(Rows { statement: self })
    }

    /// Runs the query and calls `f` with each row; returns the results as a vector.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory().unwrap();
    /// let mut statement = connection.prepare("VALUES (1, 'one'), (2, 'two')")?;
    /// let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    /// assert_eq!(rows, [(1, "one".to_owned()), (2, "two".to_owned())]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Blocks as [`Statement::step`] does.
    ///
    /// # Errors
    /// As [`Statement::step`] and [`Statement::query`], and those of `f`.
    pub fn query_map<T>(&mut self, params: impl Params, f: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
        self.query(params)?.map(f).collect()
    }

    /// Ends a run: locks are released, and the next [`Statement::step`] starts over. Bound values stay.
    ///
    /// An INSERT, UPDATE or DELETE with RETURNING that stands on a row has made all its changes; outside a transaction they are
    /// committed now, which waits for locks of other connections as [`Connection::busy_timeout`] says. (Dropping the statement does the
    /// same, and cannot report an error.)
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut statement = connection.prepare("SELECT a FROM t")?;
    /// statement.step()?;
    /// statement.reset()?;
    /// assert_eq!(statement.step()?.unwrap().get::<i64>(0)?, 1);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the commit, SQLITE_BUSY, SQLITE_FULL or a violated deferred foreign key among them: the changes are rolled back.
    pub fn reset(&mut self) -> Result<()> {
        self.end_traced();
        let core = &self.connection.core;
        self.inner.as_mut().expect("a statement in use").reset(core)
    }

    pub(crate) fn take_inner(&mut self) -> Option<engine::Statement> {
        self.inner.take()
    }

    pub(crate) fn inner(&self) -> &engine::Statement {
        self.inner.as_ref().expect("a statement in use")
    }

    pub(crate) fn inner_mut(&mut self) -> &mut engine::Statement {
        self.inner.as_mut().expect("a statement in use")
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        self.end_traced();
        if let Some(inner) = self.inner.take() {
            self.connection.core.put_back(inner);
        }
    }
}

/// The rows of a running query. The statement is reset when they are dropped; what a commit says then is lost: read a statement with
/// RETURNING to its end, or call [`Statement::reset`].
pub struct Rows<'s, 'c> {
    statement: &'s mut Statement<'c>,
}

impl<'s, 'c> Rows<'s, 'c> {
    /// The next row.
    ///
    /// Blocks as [`Statement::step`] does.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut statement = connection.prepare("SELECT a FROM t")?;
    /// let mut rows = statement.query([])?;
    /// while let Some(row) = rows.next()? {
    ///     println!("{}", row.get::<i64>(0)?);
    /// }
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Statement::step`].
    #[allow(clippy::should_implement_trait)] // a row borrows from the statement, which `Iterator` cannot express
    pub fn next(&mut self) -> Result<Option<Row<'_>>> {
        self.statement.step()
    }

    /// An iterator over the results of `f` for each row. It ends after the first error.
    ///
    /// Blocks, row by row, as [`Statement::step`] does. Each item is a result: the errors are those of [`Statement::step`] and of `f`.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// let mut statement = connection.prepare("SELECT a FROM t")?;
    /// let doubled: lithe::Result<Vec<i64>> = statement.query([])?.map(|row| Ok(2 * row.get::<i64>(0)?)).collect();
    /// assert_eq!(doubled?, [2, 4]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn map<T, F: FnMut(&Row<'_>) -> Result<T>>(self, f: F) -> MappedRows<'s, 'c, F> {
        MappedRows { rows: self, f, is_done: false }
    }
}

impl Drop for Rows<'_, '_> {
    fn drop(&mut self) {
        let _ = self.statement.reset();
    }
}

/// See [`Rows::map`].
pub struct MappedRows<'s, 'c, F> {
    rows: Rows<'s, 'c>,
    f: F,
    is_done: bool,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for MappedRows<'_, '_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if self.is_done {
            return None;
        }
        let item = match self.rows.next() {
            Ok(Some(row)) => Some((self.f)(&row)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        };
        self.is_done = !matches!(item, Some(Ok(_)));
        item
    }
}

/// Binds positional values one after the other; their number must be that of the parameters.
pub(crate) fn bind_all<'v>(
    statement: &mut Statement<'_>,
    values: impl ExactSizeIterator<Item = &'v dyn ToSql>,
) -> Result<()> {
    let (given, wanted) = (values.len(), statement.parameter_count());
    if given != wanted {
        return Err(misuse(&format!("{given} values given for {wanted} parameters")));
    }
    for (i, value) in values.enumerate() {
        statement.bind(i + 1, value)?;
    }
    Ok(())
}
