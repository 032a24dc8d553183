//! What a full-text table is, shared by the virtual table and its cursors.

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;
use crate::config::Config;
use crate::index::Index;
use crate::names::Names;
use crate::tokenizer::Tokenizer;

/// A full-text table of one connection. Cursors and functions hold it by an `Arc`, beyond the call that has found it.
pub struct Table {
    /// Its names. (ALTER TABLE connects the table anew.)
    pub names: Names,
    /// What CREATE VIRTUAL TABLE says.
    pub config: Config,
    /// What cuts its texts.
    pub tokenizer: Box<dyn Tokenizer>,
    /// The index.
    pub index: Index,
}

/// How much there is in a table, for ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// How many rows.
    pub rows: u64,
    /// How many tokens, in each column.
    pub tokens: Vec<u64>,
}

impl Table {
    /// How much there is in the table, what is not yet written included.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and those of reading shadow tables.
    pub fn totals(&self, connection: &dyn SqlConnection) -> Result<Totals> {
        let _ = connection;
        Err(FunctionError::new("not supported yet: FTS5"))
    }
}
