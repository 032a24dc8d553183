//! The content of a table beside its index: the documents, their sizes, the totals, and settings.
//!
//! | table | content |
//! | --- | --- |
//! | `x_content` | the documents as they were inserted, with their language |
//! | `x_docsize` | the number of tokens in each column of a row: a varint each |
//! | `x_stat` 0 | varints: the number of rows, the number of tokens in each column, the bytes of all text |
//! | `x_stat` 1, 2 | the hint of incremental merges; the setting `automerge` |

use lithe_vtab::{FunctionError, Kept, Names, SqlConnection, SqlStatement, Value, ValueRef, quoted};

use crate::config::{Config, Content};
use crate::doclist::Order;
use crate::{Result, corrupt, varint};

/// The row of `x_stat` with the totals.
const TOTALS_ID: i64 = 0;
/// The row of `x_stat` with the hint of incremental merges.
pub const HINT_ID: i64 = 1;
/// The row of `x_stat` with the setting `automerge`.
pub const AUTOMERGE_ID: i64 = 2;

/// The statements of a table, compiled at their first use.
#[derive(Debug)]
pub struct Storage {
    insert: Kept,
    delete: Kept,
    is_only: Kept,
    put_sizes: Kept,
    delete_sizes: Kept,
    find_sizes: Kept,
    put_stat: Kept,
    find_stat: Kept,
    /// Finds a row by its docid, as [`Storage::lookup`] does, for callers that read the row at once.
    pub(crate) find: Kept,
    select: String,
    columns: usize,
    has_language: bool,
}

/// The size of a row, or of the table: tokens in each column, then bytes of text.
pub type Sizes = Vec<u64>;

/// The size of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of rows.
    pub rows: u64,
    /// Tokens in each column, then bytes of text.
    pub sizes: Sizes,
}

impl Storage {
    /// The statements of a table.
    pub fn new(config: &Config, names: &Names) -> Storage {
        let (content, docsize, stat) = (names.shadow("content"), names.shadow("docsize"), names.shadow("stat"));
        let mark = |number: usize| match &config.compression {
            Some(both) => format!(",{}(?{number})", quoted(&both.compress)),
            None => format!(",?{number}"),
        };
        let count = config.columns.len();
        let mut marks: String = (2..2 + count).map(mark).collect();
        if config.language.is_some() {
            marks.push_str(&format!(",?{}", 2 + count));
        }
        let select = select(config, names);
        Storage {
            find: Kept::new(lookup(&select)),
            insert: Kept::new(format!("INSERT INTO {content} VALUES(?1{marks})")),
            delete: Kept::new(format!("DELETE FROM {content} WHERE rowid=?1")),
            is_only: Kept::new(match &config.content {
                Content::Own => format!("SELECT NOT EXISTS(SELECT docid FROM {content} WHERE rowid!=?1)"),
                Content::None => "SELECT 0 WHERE ?1 IS NULL".to_owned(),
                Content::External(name) => {
                    let table = format!("{}.{}", quoted(&names.database), quoted(name));
                    format!("SELECT NOT EXISTS(SELECT rowid FROM {table} WHERE rowid!=?1)")
                }
            }),
            put_sizes: Kept::new(format!("REPLACE INTO {docsize} VALUES(?1,?2)")),
            delete_sizes: Kept::new(format!("DELETE FROM {docsize} WHERE docid=?1")),
            find_sizes: Kept::new(format!("SELECT size FROM {docsize} WHERE docid=?1")),
            put_stat: Kept::new(format!("REPLACE INTO {stat} VALUES(?1,?2)")),
            find_stat: Kept::new(format!("SELECT value FROM {stat} WHERE id=?1")),
            select,
            columns: count,
            has_language: config.language.is_some(),
        }
    }

    /// A statement that finds a row by its docid. Its columns: the docid, all columns of the table, and the language if the table has one.
    pub fn lookup(&self) -> Kept {
        Kept::new(lookup(&self.select))
    }

    /// A statement that lists rows with docids from ?1 to ?2.
    pub fn scan(&self, order: Order) -> Kept {
        let direction = if order == Order::Descending { "DESC" } else { "ASC" };
        Kept::new(format!("{} WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid {direction}", self.select))
    }

    /// A statement that lists all rows in any order.
    pub fn scan_all(&self) -> Kept {
        Kept::new(self.select.as_str())
    }

    /// The language of the current row of such a statement.
    pub fn language(&self, statement: &dyn SqlStatement) -> i32 {
        if !self.has_language {
            return 0;
        }
        lithe_value::cast::to_integer(statement.column(1 + self.columns)) as i32
    }

    /// Writes a row to `x_content`; answers its docid.
    ///
    /// # Errors
    /// SQLITE_CONSTRAINT if the docid exists; those of writing.
    pub fn put_content(
        &self,
        connection: &dyn SqlConnection,
        docid: ValueRef<'_>,
        values: &[ValueRef<'_>],
        language: i32,
    ) -> Result<i64> {
        let mut all = vec![docid];
        all.extend((0..self.columns).map(|at| values.get(at).copied().unwrap_or_default()));
        if self.has_language {
            all.push(ValueRef::Integer(i64::from(language)));
        }
        connection.statement(&self.insert).and_then(|mut insert| insert.run(&all)).map_err(FunctionError::silent)?;
        Ok(connection.last_insert_rowid())
    }

    /// Deletes a row of `x_content`.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_content(&self, connection: &dyn SqlConnection, docid: i64) -> Result {
        run(connection, &self.delete, &[ValueRef::Integer(docid)])
    }

    /// Whether `x_content` has no other row.
    ///
    /// # Errors
    /// Those of reading.
    pub fn is_only_row(&self, connection: &dyn SqlConnection, docid: i64) -> Result<bool> {
        let mut statement = connection.statement(&self.is_only).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(docid))?;
        Ok(statement.step().map_err(FunctionError::silent)? && lithe_value::cast::to_integer(statement.column(0)) != 0)
    }

    /// Writes the number of tokens in each column of a row.
    ///
    /// # Errors
    /// Those of writing.
    pub fn put_sizes(&self, connection: &dyn SqlConnection, docid: i64, sizes: &[u64]) -> Result {
        let mut bytes = Vec::new();
        sizes.iter().take(self.columns).for_each(|count| varint::write(&mut bytes, *count as i64));
        run(connection, &self.put_sizes, &[ValueRef::Integer(docid), ValueRef::Blob(&bytes)])
    }

    /// Deletes the sizes of a row.
    ///
    /// # Errors
    /// Those of writing.
    pub fn delete_sizes(&self, connection: &dyn SqlConnection, docid: i64) -> Result {
        run(connection, &self.delete_sizes, &[ValueRef::Integer(docid)])
    }

    /// The number of tokens in each column of a row.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if `x_docsize` lacks the row; those of reading.
    pub fn sizes(&self, connection: &dyn SqlConnection, docid: i64) -> Result<Sizes> {
        let mut statement = connection.statement(&self.find_sizes).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(docid))?;
        let ValueRef::Blob(bytes) =
            (if statement.step().map_err(FunctionError::silent)? { statement.column(0) } else { ValueRef::Null })
        else {
            return Err(corrupt());
        };
        let mut at = 0;
        let sizes = (0..self.columns).map(|_| varint::read(bytes, &mut at).map(|count| u64::from(count as u32)));
        sizes.collect::<Option<Sizes>>().ok_or_else(corrupt)
    }

    /// A value of `x_stat`.
    ///
    /// # Errors
    /// Those of reading.
    pub fn stat(&self, connection: &dyn SqlConnection, id: i64) -> Result<Option<Value>> {
        let mut statement = connection.statement(&self.find_stat).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(id))?;
        Ok(if statement.step().map_err(FunctionError::silent)? {
            Some(Value::try_copy(statement.column(0))?)
        } else {
            None
        })
    }

    /// Sets a value of `x_stat`.
    ///
    /// # Errors
    /// Those of writing.
    pub fn set_stat(&self, connection: &dyn SqlConnection, id: i64, value: ValueRef<'_>) -> Result {
        run(connection, &self.put_stat, &[ValueRef::Integer(id), value])
    }

    /// The totals. None if they were never written.
    ///
    /// # Errors
    /// Those of reading.
    pub fn totals(&self, connection: &dyn SqlConnection) -> Result<Option<Totals>> {
        let Some(value) = self.stat(connection, TOTALS_ID)? else { return Ok(None) };
        let bytes = match value.as_ref() {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) if !bytes.is_empty() => bytes,
            _ => return Ok(None),
        };
        let mut at = 0;
        let mut next = || varint::read(bytes, &mut at).unwrap_or(0) as u64;
        let rows = next();
        Ok(Some(Totals { rows, sizes: (0..=self.columns).map(|_| next()).collect() }))
    }

    /// The number of rows, and of tokens in the first `columns` columns. None if the stored totals lack one of them.
    ///
    /// # Errors
    /// Those of reading.
    pub fn exact_totals(&self, connection: &dyn SqlConnection, columns: usize) -> Result<Option<Totals>> {
        let value = self.stat(connection, TOTALS_ID)?;
        let Some(ValueRef::Blob(bytes)) = value.as_ref().map(Value::as_ref) else { return Ok(None) };
        let mut at = 0;
        let mut next = || varint::read(bytes, &mut at).map(|number| number as u64);
        let Some(rows) = next() else { return Ok(None) };
        let sizes: Option<Sizes> = (0..columns).map(|_| next()).collect();
        Ok(sizes.map(|sizes| Totals { rows, sizes }))
    }

    /// Adds rows and sizes to the totals, and subtracts those that were deleted.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn change_totals(&self, connection: &dyn SqlConnection, rows: i64, added: &[u64], removed: &[u64]) -> Result {
        let mut totals = self.totals(connection)?.unwrap_or_default();
        totals.sizes.resize(self.columns + 1, 0);
        // (SQLite counts in 32 bits.)
        let changed = |old: u64, plus: u64, minus: u64| {
            let more = (old as u32).wrapping_add(plus as u32);
            u64::from(more.saturating_sub(minus as u32))
        };
        let of = |sizes: &[u64], at: usize| sizes.get(at).copied().unwrap_or(0);
        totals.rows = u64::from((totals.rows as u32 as i64 + rows).max(0) as u32);
        for (at, total) in totals.sizes.iter_mut().enumerate() {
            *total = changed(*total, of(added, at), of(removed, at));
        }
        self.set_totals(connection, &totals)
    }

    /// Writes the totals.
    ///
    /// # Errors
    /// Those of writing.
    pub fn set_totals(&self, connection: &dyn SqlConnection, totals: &Totals) -> Result {
        let mut bytes = Vec::new();
        varint::write(&mut bytes, totals.rows as i64);
        totals.sizes.iter().for_each(|size| varint::write(&mut bytes, *size as i64));
        self.set_stat(connection, TOTALS_ID, ValueRef::Blob(&bytes))
    }
}

/// Runs one of the module's own statements.
pub(crate) fn run(connection: &dyn SqlConnection, kept: &Kept, values: &[ValueRef<'_>]) -> Result {
    connection.statement(kept).and_then(|mut statement| statement.run(values)).map_err(FunctionError::silent)
}

fn lookup(select: &str) -> String {
    format!("{select} WHERE rowid=?1")
}

/// The SELECT that reads rows of the content.
fn select(config: &Config, names: &Names) -> String {
    let language = config.language.as_deref();
    let column = |(at, name): (usize, &String)| match (&config.content, &config.compression) {
        (Content::Own, Some(both)) => format!(",{}(x.{})", quoted(&both.uncompress), quoted(&format!("c{at}{name}"))),
        (Content::Own, None) => format!(",x.{}", quoted(&format!("c{at}{name}"))),
        _ => format!(",x.{}", quoted(name)),
    };
    let mut columns: String = config.columns.iter().enumerate().map(column).collect();
    let (table, docid) = match &config.content {
        Content::Own => (names.shadow("content"), "docid"),
        Content::None => (names.shadow("docsize"), "docid"),
        Content::External(name) => (format!("{}.{}", quoted(&names.database), quoted(name)), "rowid"),
    };
    if let Some(language) = language {
        let name = if config.content == Content::Own { "langid".to_owned() } else { quoted(language) };
        columns.push_str(&format!(",x.{name}"));
    }
    format!("SELECT {docid}{columns} FROM {table} AS x")
}
