//! Lithe: an embedded SQL database. One library, one file, no server.
//!
//! It reads and writes SQLite's file format and implements its SQL.
//!
//! ```
//! use lithe::{Connection, params};
//!
//! # fn main() -> lithe::Result<()> {
//! let connection = Connection::open_in_memory()?;
//! connection.execute_batch("CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
//! connection.execute("INSERT INTO note(text) VALUES (?1)", params!["buy milk"])?;
//!
//! let mut statement = connection.prepare("SELECT id, text FROM note WHERE text LIKE ?1")?;
//! statement.bind(1, "%milk%")?;
//! while let Some(row) = statement.step()? {
//!     let (id, text): (i64, &str) = (row.get(0)?, row.get(1)?);
//!     assert_eq!((id, text), (1, "buy milk"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | to … | see |
//! | --- | --- |
//! | open a database | [`Connection::open`], [`Connection::open_with_flags`] |
//! | run SQL | [`Connection::execute`], [`Connection::execute_batch`], [`Connection::query_row`] |
//! | run the same SQL often | [`Connection::prepare`], [`Connection::prepare_cached`], [`Statement`] |
//! | read rows | [`Statement::step`], [`Statement::query`], [`Row`] |
//! | make changes that belong together | [`Connection::transaction`], [`Transaction`] |
//! | read and write parts of a large BLOB | [`Connection::blob_open`], [`Blob`] |
//! | copy a live database | [`Backup`], [`Connection::backup`], [`Connection::serialize`], [`Connection::deserialize`] |
//! | call Rust from SQL | [`Connection::create_scalar_function`], [`Connection::create_aggregate_function`] |
//! | offer rows of your own as a table | [`virtual_table`], [`Connection::create_module`], [`Connection::add_extension`] |
//! | compare texts your way | [`Connection::create_collation`] |
//! | be notified of changes, commits, rollbacks | [`Connection::set_update_hook`], [`Connection::set_preupdate_hook`],
//! [`Connection::set_commit_hook`] |
//! | trace statements, and read their costs | [`Connection::set_trace_hook`], [`Statement::counter`] |
//! | lower limits, switch features off | [`Connection::set_limit`], [`Connection::set_config`] |
//! | record changes and apply them elsewhere | [`session`] |
//! | search texts, with tokenizers and functions of your own | [`fts5`] |
//! | stop a long statement from another thread | [`Connection::interrupt_handle`] |
//!
//! # The structure of this crate
//!
//! ```text
//!   Connection ── prepare ──► Statement ── step ──► Row ── get ──► FromSql        Params, ToSql: values of parameters
//!       │ core                    │
//!       │                         ▼
//!       └────────► lithe_engine::Connection, Statement, Blob, Backup ◄── Transaction, Blob, Backup, Session
//!                         ▲
//!                         └── Extension: modules, functions and collations of the crates fts5, fts3, rtree, modules
//! ```
//!
//! Read first: [`Connection`], [`Statement`], [`Row`]. `Connection` wraps `lithe_engine::Connection` (field `core`) with a cache of
//! statements. The crate has no SQL code of its own, and must not know pages or files.

#![deny(unsafe_code)]

mod backup;
#[cfg(doctest)]
mod book;
mod connection;
mod from_sql;
#[cfg(feature = "fts5")]
pub mod fts5;
mod functions;
mod hooks;
mod row;
#[cfg(feature = "session")]
pub mod session;
mod settings;
mod snapshot;
mod to_sql;
mod trace;
pub mod virtual_table;

/// Extensions for [`Connection::add_extension`].
pub mod extension {
    #[cfg(feature = "modules")]
    pub use lithe_modules::{LIBRARY, SHELL};
    #[cfg(feature = "rtree")]
    pub use lithe_rtree::{EXTENSION as RTREE, geometry, geometry_function, query};
}

pub use backup::{Backup, BackupStep, Deserialize};
pub use connection::blob::Blob;
pub use connection::cache::CachedStatement;
pub use connection::statement::params::Params;
pub use connection::statement::{Rows, Statement};
pub use connection::transaction::{Transaction, TransactionBehavior};
pub use connection::{Connection, InterruptHandle};
pub use from_sql::{FromSql, FromSqlError};
pub use functions::{Aggregate, FunctionContext, FunctionFlags, WindowAggregate};
pub use hooks::{Action, Change, Permission, Request, RowChange};
pub use lithe_engine::value::{Value, ValueRef};
/// Access to the files of a database: files, locks, clock and randomness, for [`Connection::open_with_vfs`].
pub use lithe_engine::vfs;
pub use lithe_engine::{Error, OpenFlags, Result, ResultCode, enable_shared_cache, set_error_log};
pub use row::Row;
pub use settings::{Config, Counter, DatabaseFile, Instruction, Limit, PageCounter, PlanElement};
pub use snapshot::Snapshot;
pub use to_sql::{Null, ToSql, ZeroBlob};
pub use trace::{TraceEvent, TracedStatement};

/// Whether `sql` ends with a complete statement: a semicolon that is not within a literal, a comment or a trigger's body.
///
/// ```
/// assert!(lithe::is_complete("SELECT 1;") && !lithe::is_complete("SELECT '1;"));
/// ```
pub fn is_complete(sql: impl AsRef<[u8]>) -> bool {
    lithe_engine::sql::is_complete(sql.as_ref())
}

/// A real in SQLite's text form: `0.1`, `1.0e+20`, `Inf`.
///
/// ```
/// assert_eq!((lithe::real_to_text(0.1), lithe::real_to_text(1e20)), ("0.1".to_owned(), "1.0e+20".to_owned()));
/// ```
pub fn real_to_text(real: f64) -> String {
    lithe_engine::value::number::real_to_text(real).as_str().to_owned()
}

/// The year, month and day of a number of days since 1970-01-01.
///
/// ```
/// assert_eq!(lithe::date_of_day(19_782), (2024, 2, 29));
/// ```
pub fn date_of_day(day: i64) -> (i64, i64, i64) {
    lithe_engine::function::date::date_of_day(day)
}

/// The number of days from 1970-01-01 to a date.
///
/// ```
/// assert_eq!(lithe::day_of_date(2024, 2, 29), 19_782);
/// ```
pub fn day_of_date(year: i64, month: i64, day: i64) -> i64 {
    lithe_engine::function::date::day_of_date(year, month, day)
}

/// Whether `text` matches a pattern of GLOB.
///
/// ```
/// assert!(lithe::glob_matches("src/*.[ch]", "src/main.c"));
/// assert!(!lithe::glob_matches("*.C", "main.c"));
/// ```
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    use lithe_engine::value::pattern::{Dialect, Pattern};
    Pattern::new(pattern.as_bytes(), Dialect::Glob, None).matches(text.as_bytes())
}

/// All keywords, in capitals.
///
/// ```
/// assert!(lithe::keywords().any(|keyword| keyword == "SELECT"));
/// ```
pub fn keywords() -> impl Iterator<Item = &'static str> {
    lithe_engine::sql::keywords().iter().map(|keyword| keyword.text)
}

/// Whether `word` is a keyword, ignoring the case of letters.
///
/// ```
/// assert!(lithe::is_keyword("select") && !lithe::is_keyword("selection"));
/// ```
pub fn is_keyword(word: &str) -> bool {
    keywords().any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The SQLite version whose behaviour this one follows: the result of `sqlite_version()`.
pub const SQLITE_VERSION: &str = lithe_engine::SQLITE_VERSION;
