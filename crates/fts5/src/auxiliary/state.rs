//! The state of a scan, as its cursor and the functions of its row share it.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_value::grow::copied;
use lithe_vtab::{FunctionError, Kept, SqlConnection, Value, ValueRef, code};

use super::AuxiliaryFunction;
use super::sizes_ahead::SizesAhead;
use crate::search::Search;
use crate::table::Table;
use crate::{Result, locale};

/// The state of a scan, as its cursor and functions share it.
pub type SharedState = Rc<RefCell<CursorState>>;

/// The kind of the pointer by which the hidden column that is named like the table answers: an `Rc<RefCell<CursorState>>`.
pub const POINTER_KIND: &[u8] = b"fts5-cursor";

/// A cursor as functions see it, which get it as the value of the hidden column that is named like the table.
pub struct CursorState {
    /// The table.
    pub table: Arc<Table>,
    /// The query, on the row; none in a scan without MATCH.
    pub search: Option<Search>,
    /// The row. `None` before the first and behind the last.
    pub rowid: Option<i64>,
    /// The data that functions keep for the length of a scan.
    pub auxiliary: Auxiliary,
    /// The statement that reads rows, and its current row.
    pub(crate) reader: Kept,
    pub(crate) read: Option<i64>,
    /// Whether the reader scans the table, so that it is always on the row.
    pub(crate) is_scan: bool,
    sizes_ahead: SizesAhead,
}

/// A text with the locale that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct LocaleText {
    /// The text, or another value of the column.
    pub value: Value,
    /// The locale.
    pub locale: Option<Vec<u8>>,
}

impl CursorState {
    /// The state before the first row, without a query.
    pub fn new(table: &Arc<Table>) -> CursorState {
        CursorState {
            table: Arc::clone(table),
            search: None,
            rowid: None,
            auxiliary: Auxiliary::default(),
            reader: table.storage.lookup(),
            read: None,
            is_scan: false,
            sizes_ahead: SizesAhead::default(),
        }
    }

    /// Counts the cursors that SQLite opens once more.
    pub(crate) fn repeat(&self) {
        self.table.cursors.count(self.auxiliary.repeated.take());
    }

    /// Goes to another row.
    pub fn go_to(&mut self, rowid: Option<i64>) {
        self.rowid = rowid;
        self.auxiliary.forget_row();
    }

    /// A column of the row. NULL in a contentless table.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the row is not there, and the errors of reading it.
    pub fn column(&mut self, connection: &dyn SqlConnection, column: usize) -> Result<LocaleText> {
        let table = Arc::clone(&self.table);
        let nothing = LocaleText { value: Value::default(), locale: None };
        let Some(rowid) = self.rowid.filter(|_| self.table.has_column(column)) else { return Ok(nothing) };
        let mut statement = connection.resume(&self.reader)?;
        if !self.is_scan && self.read != Some(rowid) {
            self.read = None;
            statement.reset();
            statement.bind(1, ValueRef::Integer(rowid))?;
            let reading = table.begin_reading()?;
            let is_row = statement.step()?;
            drop(reading);
            if !is_row {
                return Err(FunctionError::of_code(code::CORRUPT_VTAB));
            }
            self.read = Some(rowid);
        }
        let value = statement.column(1 + column);
        if let Some((found, text)) = locale::split(connection, value).filter(|_| table.config.locale) {
            let value = Value::try_copy(ValueRef::Text(text))?;
            return Ok(LocaleText { value, locale: Some(copied(found)?) });
        }
        let locale = table.stored_locale(&*statement, column)?;
        Ok(LocaleText { value: Value::try_copy(value)?, locale })
    }

    /// An error of [`CursorState::column`] with the message that a statement shows. (Auxiliary functions, as in SQLite, show that of the
    /// code.)
    pub fn of_missing_row(&self, error: FunctionError) -> FunctionError {
        match self.rowid {
            Some(rowid) if error.code == code::CORRUPT_VTAB && error.message.is_empty() => {
                let name = self.table.storage.content_name();
                let message = format!("fts5: missing row {rowid} from content table {name}");
                FunctionError::with_code(code::CORRUPT_VTAB, message)
            }
            _ => error,
        }
    }

    /// The number of tokens in each column of the row. `None` with columnsize=0, which stores no sizes.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the row is not there, and the errors of reading it.
    pub fn sizes(&mut self, connection: &dyn SqlConnection) -> Result<Option<&[u64]>> {
        let Some(rowid) = self.rowid.filter(|_| self.table.config.column_size) else { return Ok(None) };
        self.sizes_ahead.find(&self.table, connection, rowid).map(Some)
    }
}

/// A phrase of the query, in the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The number of the phrase.
    pub phrase: usize,
    /// The column.
    pub column: usize,
    /// The number of tokens before it in the column.
    pub offset: u32,
}

/// The offsets of the beginnings and ends of tokens in a text.
pub(super) type Places = Vec<(usize, usize)>;

/// The positions that functions have read of a row, kept because they read them several times.
#[derive(Default)]
pub struct RowMatches {
    pub(super) positions: Option<Rc<Vec<Vec<u64>>>>,
    pub(super) instances: Option<Rc<Vec<Instance>>>,
}

/// The data that functions keep for the length of a scan, each its own.
#[derive(Default)]
pub struct Auxiliary {
    pub(super) kept: Vec<(usize, Rc<dyn Any>)>,
    /// The positions in the current row of the scan.
    pub(super) row: Option<(i64, RowMatches)>,
    /// The function of `rank`.
    pub(crate) ranking: Option<Rc<Ranking>>,
    /// The cursors that functions opened while the rows were sorted: in SQLite they are opened once more when the first row is ranked again.
    pub(crate) repeated: Cell<i64>,
}

/// The function of `rank` in a scan, with its arguments.
pub(crate) struct Ranking {
    pub function: Arc<dyn AuxiliaryFunction>,
    pub arguments: Vec<lithe_vtab::Value>,
}

impl Auxiliary {
    /// Called when the scan has moved to another row.
    pub fn forget_row(&mut self) {
        self.row = None;
    }

    /// Called when the scan begins anew.
    pub fn clear(&mut self) {
        *self = Auxiliary::default();
    }
}
