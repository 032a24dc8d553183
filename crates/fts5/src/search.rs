//! A query that is being evaluated: the rows that match, in the order of their rowids.
//!
//! [`Search::prepare`] parses the operands of all MATCHes of a scan and cuts their strings into tokens; [`Search::start`] finds
//! the first row. Between two calls it keeps its postings, not the connection.

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;
use crate::index::Order;
use crate::table::Table;

/// An operand of a scan that the index serves. A scan's operands must all be true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// The text on the right side.
    pub text: Vec<u8>,
    /// The locale that `fts5_locale()` has given the text.
    pub locale: Option<Vec<u8>>,
    /// The column on the left side; None: the table.
    pub column: Option<usize>,
    /// `fts5_insttoken()` was called on it.
    pub wants_tokens: bool,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// `MATCH` or `=`.
    Match,
    /// `LIKE`, served by the trigrams of the pattern.
    Like,
    /// `GLOB`, likewise.
    Glob,
}

/// A query.
#[derive(Debug)]
pub struct Search {}

impl Search {
    /// Makes a query of operands, which is on no row yet. None: a pattern has too few characters in a row, so all rows are
    /// to be looked at.
    ///
    /// # Errors
    /// SQLite's messages for queries.
    pub fn prepare(table: &Table, connection: &dyn SqlConnection, operands: &[Operand]) -> Result<Option<Search>> {
        let _ = (table, connection, operands);
        Err(FunctionError::new("not supported yet: MATCH"))
    }

    /// Goes to the first row that is not before `from`, in that order. Postings are opened anew.
    ///
    /// # Errors
    /// Those of reading the index.
    pub fn start(&mut self, table: &Table, connection: &dyn SqlConnection, order: Order, from: Option<i64>) -> Result {
        let _ = (table, connection, order, from);
        Err(FunctionError::new("not supported yet: MATCH"))
    }

    /// Goes to the next row.
    ///
    /// # Errors
    /// Those of reading the index.
    pub fn next(&mut self, table: &Table, connection: &dyn SqlConnection) -> Result {
        let _ = (table, connection);
        Err(FunctionError::new("not supported yet: MATCH"))
    }

    /// Whether there is no row (any more).
    pub fn is_at_end(&self) -> bool {
        true
    }

    /// The rowid of the row.
    pub fn rowid(&self) -> i64 {
        0
    }
}
