//! Full-text search: tokenizers and auxiliary functions of your own.
//!
//! Tables are made by `CREATE VIRTUAL TABLE … USING fts5(…)` and searched by MATCH, as SQLite's documentation of FTS5 describes it.
//!
//! ```
//! use lithe::Connection;
//! let connection = Connection::open_in_memory()?;
//! connection.execute_batch(
//!     "CREATE VIRTUAL TABLE mail USING fts5(subject, body);
//!      INSERT INTO mail VALUES ('Lunch', 'Pizza at noon?'), ('Minutes', 'We had lunch, then talked.');",
//! )?;
//! let found: String = connection.query_row(
//!     "SELECT highlight(mail, 1, '<b>', '</b>') FROM mail WHERE mail MATCH 'body : lunch' ORDER BY rank",
//!     [],
//!     |row| row.get(0),
//! )?;
//! assert_eq!(found, "We had <b>lunch</b>, then talked.");
//! # Ok::<(), lithe::Error>(())
//! ```

use std::sync::Arc;

pub use lithe_engine::function::{FunctionError, Result};
pub use lithe_fts5::auxiliary::AuxiliaryFunction;
pub use lithe_fts5::auxiliary::api::{Api, PhraseRows};
pub use lithe_fts5::auxiliary::state::{Instance, LocaleText};
pub use lithe_fts5::position::{column_of, offset_of};
pub use lithe_fts5::tokenizer::{Flow, Purpose, Sink, Token, Tokenizer};

use crate::{Connection, Value, ValueRef};

impl Connection {
    /// Adds a tokenizer, for tables that are used for the first time from now on: `tokenize = 'name argument …'`.
    /// `make` gets the arguments. The newest tokenizer of a name is used, also in place of a built-in one.
    ///
    /// ```
    /// use lithe::Connection;
    /// use lithe::fts5::{Flow, Purpose, Result, Sink, Token, Tokenizer};
    ///
    /// /// Each line is a token.
    /// struct Lines;
    ///
    /// impl Tokenizer for Lines {
    ///     fn tokenize(&self, text: &[u8], _: Purpose, _: Option<&[u8]>, sink: &mut Sink<'_>) -> Result {
    ///         let mut start = 0;
    ///         for line in text.split(|byte| *byte == b'\n') {
    ///             let range = start..start + line.len();
    ///             start = range.end + 1;
    ///             if sink(Token { text: line, range, is_colocated: false })? == Flow::Enough {
    ///                 break;
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_fts5_tokenizer("lines", |_| Ok(Box::new(Lines)));
    /// connection.execute_batch(
    ///     "CREATE VIRTUAL TABLE poem USING fts5(text, tokenize = 'lines');
    ///      INSERT INTO poem VALUES ('roses are red' || char(10) || 'violets are blue');",
    /// )?;
    /// let found = |query: &str| -> lithe::Result<i64> {
    ///     connection.query_row("SELECT count(*) FROM poem WHERE poem MATCH ?1", [query], |row| row.get(0))
    /// };
    /// assert_eq!((found("\"violets are blue\"")?, found("violets")?), (1, 0));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Does not block.
    pub fn create_fts5_tokenizer<F>(&self, name: &str, make: F)
    where
        F: Fn(&[String]) -> Result<Box<dyn Tokenizer>> + Send + Sync + 'static,
    {
        lithe_fts5::registry::add_tokenizer(self.engine(), name, Arc::new(move |_, arguments| make(arguments)));
    }

    /// Adds an auxiliary function. Its first argument is the table; it reads the row, the query, and the positions of
    /// the query's phrases in the row. `rank` can be set to it.
    ///
    /// ```
    /// use lithe::{Connection, Value, ValueRef};
    /// let connection = Connection::open_in_memory()?;
    /// connection.create_fts5_function("hits", |api, _| {
    ///     Ok(Value::from(ValueRef::Integer(api.instances()?.len() as i64)))
    /// })?;
    /// connection.execute_batch(
    ///     "CREATE VIRTUAL TABLE t USING fts5(a);
    ///      INSERT INTO t VALUES ('one two one'), ('two');",
    /// )?;
    /// let hits: i64 = connection.query_row("SELECT hits(t) FROM t WHERE t MATCH 'one'", [], |row| row.get(0))?;
    /// assert_eq!(hits, 2);
    /// let first: i64 = connection.query_row(
    ///     "SELECT rowid FROM t WHERE t MATCH 'one OR two' AND rank MATCH 'hits()' ORDER BY rank",
    ///     [],
    ///     |row| row.get(0),
    /// )?;
    /// assert_eq!(first, 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// Does not block.
    ///
    /// # Errors
    /// SQLITE_MISUSE if the name is too long.
    pub fn create_fts5_function<F>(&self, name: &str, function: F) -> crate::Result<()>
    where
        F: Fn(&mut Api<'_>, &[ValueRef<'_>]) -> Result<Value> + Send + Sync + 'static,
    {
        let added = lithe_fts5::registry::add_function(self.engine(), name, Arc::new(function));
        added.map_err(|error| crate::Error::from_code(crate::ResultCode(error.code)))
    }
}
