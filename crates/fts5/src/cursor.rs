//! Cursors: scans of a table, and what functions see of the row that one stands on.

use std::rc::Rc;
use std::sync::Arc;

use lithe_vtab::{FunctionError, SqlConnection, Value};

use crate::Result;
use crate::search::Search;
use crate::table::Table;

/// The kind of the pointer by which the hidden column that is named like the table answers: an `Rc<RefCell<CursorState>>`.
pub const POINTER_KIND: &[u8] = b"fts5-cursor";

/// A cursor as functions see it, which get it as the value of the hidden column that is named like the table.
pub struct CursorState {
    /// The table.
    pub table: Arc<Table>,
    /// The query; none in a scan without MATCH. (Its rows come from a sorter if they are in the order of `rank`; the query
    /// stands on the row all the same.)
    pub search: Option<Search>,
    /// The row. None before the first and behind the last.
    pub rowid: Option<i64>,
    /// What functions keep for the length of a scan, by the name of the function.
    pub auxiliary: Vec<(Rc<str>, Rc<dyn std::any::Any>)>,
}

/// A text with the locale that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LocaleText {
    /// The text, or what else the column has.
    pub value: Value,
    /// The locale.
    pub locale: Option<Vec<u8>>,
}

impl CursorState {
    /// A column of the row. NULL in a contentless table.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the row is not there, and those of reading it.
    pub fn column(&mut self, connection: &dyn SqlConnection, column: usize) -> Result<LocaleText> {
        let _ = (connection, column);
        Err(FunctionError::new("not supported yet: columns of FTS5"))
    }

    /// How many tokens each column of the row has. None with columnsize=0 and no content: nobody knows.
    ///
    /// # Errors
    /// As [`CursorState::column`].
    pub fn sizes(&mut self, connection: &dyn SqlConnection) -> Result<Option<Vec<u64>>> {
        let _ = connection;
        Err(FunctionError::new("not supported yet: columns of FTS5"))
    }
}
