//! The inverted index: for each token, in which rows it stands and where.
//!
//! ```text
//!   Index ── reader(connection) ──► Reader ── term, prefix, token_data ──► Postings     rows of a token, in order
//!                                      └───── terms ─────────────────────► Terms        all tokens, in order
//! ```
//!
//! # Reading
//!
//! A [`Postings`] is an iterator over rows (rowid and position list), up or down ([`Order`]), that can [`seek`](Postings::seek).
//! What segments say is merged with what the connection has not written yet; deleted rows and tombstones are
//! left out. It outlives a call, so each movement gets a [`Reader`], which is made anew with each call ([`Index::reader`]).
//!
//! Position lists are those of [`crate::position`]: read them by [`position::Reader`](crate::position::Reader) with detail=full, by
//! [`position::read_columns`](crate::position::read_columns) with detail=columns; with detail=none they are empty.
//!
//! A change of the table ([`Index::generation`] tells) makes postings invalid: whoever keeps some across calls compares
//! generations, and opens them anew at the row where they stood.

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;

/// In which order rows come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The lowest rowid first.
    #[default]
    Ascending,
    /// The highest rowid first.
    Descending,
}

/// The index of a table.
#[derive(Debug, Default)]
pub struct Index {}

impl Index {
    /// Reads the index during a call.
    pub fn reader<'c>(&'c self, connection: &'c dyn SqlConnection) -> Reader<'c> {
        Reader { index: self, connection }
    }

    /// Another number after each change that makes postings invalid.
    pub fn generation(&self) -> u64 {
        0
    }
}

/// The index, during one call.
#[derive(Clone, Copy)]
pub struct Reader<'c> {
    /// The index.
    pub index: &'c Index,
    /// The connection.
    pub connection: &'c dyn SqlConnection,
}

impl Reader<'_> {
    /// The rows of a token; on the first of them. With tokendata=1, a token that has data behind a NUL is another one.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and those of reading shadow tables.
    pub fn term(&self, token: &[u8], order: Order) -> Result<Postings> {
        let _ = (token, order);
        Err(not_yet())
    }

    /// The rows of all tokens that begin so, with the positions of all of them. Prefix indexes are used where they are.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn prefix(&self, prefix: &[u8], order: Order) -> Result<Postings> {
        let _ = (prefix, order);
        Err(not_yet())
    }

    /// The rows of a token, whatever data it has behind a NUL (tokendata=1).
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn token_data(&self, token: &[u8], order: Order) -> Result<Postings> {
        let _ = (token, order);
        Err(not_yet())
    }

    /// All tokens from this one on, in the order of their bytes; on the first of them.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn terms(&self, from: &[u8]) -> Result<Terms> {
        let _ = from;
        Err(not_yet())
    }
}

/// The rows of a token, in order.
#[derive(Debug)]
pub struct Postings {}

impl Postings {
    /// Whether there is no row (any more).
    pub fn is_at_end(&self) -> bool {
        true
    }

    /// The rowid of the row.
    pub fn rowid(&self) -> i64 {
        0
    }

    /// Where in the row: see [`crate::position`].
    pub fn positions(&self) -> &[u8] {
        &[]
    }

    /// Goes to the next row, in its order.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn next(&mut self, reader: &Reader<'_>) -> Result {
        let _ = reader;
        Err(not_yet())
    }

    /// Goes to the first row that is not before `rowid` in its order. Never goes back.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn seek(&mut self, reader: &Reader<'_>, rowid: i64) -> Result {
        let _ = (reader, rowid);
        Err(not_yet())
    }
}

/// Tokens, in the order of their bytes, each with its rows.
#[derive(Debug)]
pub struct Terms {}

impl Terms {
    /// Whether there is no token (any more).
    pub fn is_at_end(&self) -> bool {
        true
    }

    /// The token.
    pub fn token(&self) -> &[u8] {
        &[]
    }

    /// The row of the token that the iterator stands on.
    pub fn rowid(&self) -> i64 {
        0
    }

    /// Where in the row: see [`crate::position`].
    pub fn positions(&self) -> &[u8] {
        &[]
    }

    /// Goes to the next row of the token, or to the first of the next token.
    ///
    /// # Errors
    /// As [`Reader::term`].
    pub fn next(&mut self, reader: &Reader<'_>) -> Result {
        let _ = reader;
        Err(not_yet())
    }
}

fn not_yet() -> FunctionError {
    FunctionError::new("not supported yet: reading the index of FTS5")
}
