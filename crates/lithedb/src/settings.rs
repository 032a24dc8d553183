//! Limits, switches and counters of a connection.

pub use lithe_engine::{Config, Counter, DatabaseFile, Instruction, Limit, PageCounter, PlanElement};

use crate::connection::Connection;
use crate::connection::statement::Statement;

impl Connection {
    /// The value of a limit.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert_eq!(connection.limit(lithe::Limit::Length), 1_000_000_000);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn limit(&self, limit: Limit) -> i32 {
        self.core.limit(limit)
    }

    /// Lowers or raises a limit, to its maximum at most, and returns the value before. A negative value changes
    /// nothing.
    ///
    /// ```
    /// # use lithe::{Connection, Limit};
    /// let connection = Connection::open_in_memory()?;
    /// assert_eq!(connection.set_limit(Limit::Column, 2), 2000);
    /// assert!(connection.execute("CREATE TABLE t(a, b, c)", []).is_err());
    /// assert_eq!(connection.limit(Limit::Column), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_limit(&self, limit: Limit, value: i32) -> i32 {
        self.core.set_limit(limit, value)
    }

    /// Whether a switch is on.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// assert!(connection.config(lithe::Config::EnableTriggers));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn config(&self, config: Config) -> bool {
        self.core.config(config)
    }

    /// Turns a switch on or off.
    ///
    /// ```
    /// # use lithe::{Config, Connection};
    /// let connection = Connection::open_in_memory()?;
    /// connection.set_config(Config::EnableTriggers, false);
    /// assert!(!connection.config(Config::EnableTriggers));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn set_config(&self, config: Config, on: bool) {
        self.core.set_config(config, on);
    }

    /// The file of a database (`main`, `temp` or an attached one), with properties that SQL cannot read or set; `None`
    /// if there is no database of that name.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// let before = connection.database_file("main").unwrap().data_version()?;
    /// connection.execute("CREATE TABLE t(a)", [])?;
    /// assert_ne!(connection.database_file("main").unwrap().data_version()?, before);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn database_file(&self, database: &str) -> Option<DatabaseFile> {
        self.core.database_file(Some(database))
    }

    /// Whether a database (`main`, `temp` or an attached one) has a table or view of that name. No statement is run.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TEMP TABLE t(a)")?;
    /// assert!(connection.has_table("temp", "t") && !connection.has_table("main", "t"));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn has_table(&self, database: &str, table: &str) -> bool {
        self.core.column_metadata(Some(database), table, None).is_ok()
    }

    /// About how many bytes of memory the pages of all databases take.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// println!("{} bytes", connection.page_memory());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn page_memory(&self) -> u64 {
        self.core.page_memory()
    }

    /// About how many bytes of memory the schemas of all databases take.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// # connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")?;
    /// println!("{} bytes", connection.schema_memory());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn schema_memory(&self) -> u64 {
        self.core.schema_memory()
    }

    /// The value of a page counter, summed over all databases; `reset` sets it to 0.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// println!("{} pages were read", connection.page_count(lithe::PageCounter::Miss, false));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn page_count(&self, counter: PageCounter, reset: bool) -> u64 {
        self.core.page_count_of(counter, reset)
    }

    /// Removes all modules of virtual tables except those of these names.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// connection.keep_modules(&["fts5"]);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn keep_modules(&self, names: &[&str]) {
        self.core.drop_modules(names);
    }
}

impl Statement<'_> {
    /// The value of a counter of the statement; `reset` sets it to 0.
    ///
    /// ```
    /// # use lithe::{Connection, Counter};
    /// let connection = Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("VALUES (1), (2)")?;
    /// while statement.step()?.is_some() {}
    /// assert_eq!(statement.counter(Counter::Run, false), 1);
    /// assert!(statement.counter(Counter::VmStep, true) > 0);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn counter(&mut self, counter: Counter, reset: bool) -> u64 {
        self.inner_mut().status(counter, reset)
    }

    /// A line of the query plan with its measured costs, counted among all lines, or only among the loops over tables.
    /// None: there are fewer, or [`Config::StatementScanStatus`] was off when the statement was prepared.
    ///
    /// ```
    /// # use lithe::{Config, Connection};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)")?;
    /// connection.set_config(Config::StatementScanStatus, true);
    /// let mut statement = connection.prepare("SELECT * FROM t")?;
    /// while statement.step()?.is_some() {}
    /// let scan = statement.plan_element(0, false).expect("there is one loop");
    /// assert_eq!((&*scan.detail, scan.loops, scan.rows), ("SCAN t", Some(1), Some(2)));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn plan_element(&self, index: usize, among_all: bool) -> Option<PlanElement> {
        self.inner().plan_element(index, among_all)
    }

    /// The processor cycles that the statement has taken, in nanoseconds, if it is measured. Does not block.
    ///
    /// ```
    /// # use lithe::{Config, Connection};
    /// let connection = Connection::open_in_memory()?;
    /// assert_eq!(connection.prepare("SELECT 1")?.measured_cycles(), None);
    /// connection.set_config(Config::StatementScanStatus, true);
    /// assert!(connection.prepare("SELECT 1")?.measured_cycles().is_some());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn measured_cycles(&self) -> Option<u64> {
        self.inner().measured_cycles()
    }

    /// Resets the counters of [`Statement::plan_element`].
    ///
    /// ```
    /// # use lithe::{Config, Connection};
    /// let connection = Connection::open_in_memory()?;
    /// connection.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES(1)")?;
    /// connection.set_config(Config::StatementScanStatus, true);
    /// let mut statement = connection.prepare("SELECT * FROM t")?;
    /// while statement.step()?.is_some() {}
    /// statement.reset_measurement();
    /// assert_eq!(statement.plan_element(0, false).and_then(|scan| scan.rows), Some(0));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn reset_measurement(&mut self) {
        self.inner_mut().reset_measurement();
    }

    /// The instructions of the statement and of its triggers, as in EXPLAIN, and their costs if the statement is
    /// measured.
    ///
    /// ```
    /// # use lithe::Connection;
    /// let connection = Connection::open_in_memory()?;
    /// let statement = connection.prepare("SELECT 1 + 1")?;
    /// assert!(!statement.instructions().is_empty());
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn instructions(&self) -> Vec<Instruction> {
        self.inner().instructions()
    }
}
