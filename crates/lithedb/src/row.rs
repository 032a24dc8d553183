//! A row of a result.

use lithe_engine as engine;
use lithe_engine::value::ValueRef;
use lithe_engine::{Error, Result, ResultCode};

use crate::from_sql::FromSql;

/// The current row of a statement. Its values borrow from the statement (and, where possible, directly from the
/// database's page): they live until the next step.
pub struct Row<'s> {
    statement: &'s engine::Statement,
}

impl<'s> Row<'s> {
    pub(crate) fn new(statement: &'s engine::Statement) -> Row<'s> {
        Row { statement }
    }

    /// The value of a column as a Rust type. The column is given by its index (from 0) or its name.
    ///
    /// Does not block.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT 1 AS one, 'x' AS letter")?;
    /// let row = statement.step()?.unwrap();
    /// assert_eq!((row.get::<i64>(0)?, row.get::<&str>("letter")?), (1, "x"));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    ///
    /// # Errors
    /// SQLITE_MISMATCH if the value is not of that type (integers do not lose bits, text must be UTF-8); SQLITE_RANGE
    /// if there is no such column.
    pub fn get<T: FromSql<'s>>(&self, column: impl ColumnIndex) -> Result<T> {
        let index = column.position(self)?;
        T::from_sql(self.statement.value(index)).map_err(|e| {
            let name = self.statement.column(index).map_or("", |column| column.name);
            Error::new(ResultCode::MISMATCH, format!("column {index} ({name}): {e}"))
        })
    }

    /// The value of column `index`, borrowed. NULL if there is no such column.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT 1 AS one, 'x' AS letter")?;
    /// let row = statement.step()?.unwrap();
    /// assert_eq!(row.get_ref(1), lithe::ValueRef::Text(b"x"));
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn get_ref(&self, index: usize) -> ValueRef<'s> {
        if index < self.column_count() { self.statement.value(index) } else { ValueRef::Null }
    }

    /// How many columns the row has.
    ///
    /// ```
    /// # let connection = lithe::Connection::open_in_memory()?;
    /// let mut statement = connection.prepare("SELECT 1 AS one, 'x' AS letter")?;
    /// let row = statement.step()?.unwrap();
    /// assert_eq!(row.column_count(), 2);
    /// # Ok::<(), lithe::Error>(())
    /// ```
    pub fn column_count(&self) -> usize {
        self.statement.column_count()
    }
}

/// Identifies a column: by its index or its name.
pub trait ColumnIndex {
    /// The index of the column in `row`.
    fn position(&self, row: &Row<'_>) -> Result<usize>;
}

impl ColumnIndex for usize {
    fn position(&self, row: &Row<'_>) -> Result<usize> {
        if *self < row.column_count() {
            return Ok(*self);
        }
        Err(Error::new(ResultCode::RANGE, format!("no column {self}: the row has {}", row.column_count())))
    }
}

impl ColumnIndex for &str {
    fn position(&self, row: &Row<'_>) -> Result<usize> {
        let mut columns = row.statement.columns().iter();
        columns
            .position(|column| column.name.eq_ignore_ascii_case(self))
            .ok_or_else(|| Error::new(ResultCode::RANGE, format!("no column named {self}")))
    }
}
