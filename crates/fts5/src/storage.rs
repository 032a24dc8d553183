//! The tables beside the index: the documents, their sizes, and the totals.
//!
//! | table | what it has |
//! | --- | --- |
//! | `x_content` | the documents as they were given; with locale=1 also their locales |
//! | `x_docsize` | how many tokens each column of a row has; with contentless_delete=1 also the row's origin |
//! | record 1 of `x_data` | how many rows there are, and how many tokens in each column |

use std::sync::Mutex;

use lithe_vtab::{FunctionError, Kept, SqlConnection, SqlStatement, Value, ValueRef, code};

use crate::Result;
use crate::config::{Config, Content};
use crate::varint;
use lithe_vtab::{Names, quoted};

/// The statements of a table, compiled when they are first used.
#[derive(Debug)]
pub struct Storage {
    /// The name of the content table, for messages.
    content: String,
    /// The columns of `x_content`.
    stored: Vec<usize>,
    /// The number of columns for locales that follow.
    locales: Vec<usize>,
    has_content: bool,
    has_sizes: bool,
    has_origins: bool,
    insert: Kept,
    replace: Kept,
    delete: Kept,
    add_sizes: Kept,
    delete_sizes: Kept,
    find_sizes: Kept,
    scan_sizes: Kept,
    set_config: Kept,
    pub(crate) totals: Mutex<Option<Totals>>,
    lookup_sql: String,
    scan_up_sql: String,
    scan_down_sql: String,
}

/// The size of a table, for ranking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of rows.
    pub rows: u64,
    /// The number of tokens in each column.
    pub tokens: Vec<u64>,
}

impl Totals {
    /// Reads the record of a table with this number of columns.
    pub fn read(bytes: &[u8], columns: usize) -> Totals {
        let mut at = 0;
        let rows = varint::read(bytes, &mut at).unwrap_or(0);
        let mut tokens = vec![0; columns];
        for count in &mut tokens {
            let Some(number) = varint::read(bytes, &mut at) else { break };
            *count = number;
        }
        Totals { rows, tokens }
    }

    /// The record.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        varint::write(&mut out, self.rows);
        self.tokens.iter().for_each(|count| varint::write(&mut out, *count));
        out
    }
}

/// The number of tokens in each column of a row, and the row's origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The tokens.
    pub tokens: Vec<u64>,
    /// The origin: when the row was inserted (contentless_delete=1).
    pub origin: u64,
}

impl Storage {
    /// The storage of a table.
    pub fn new(config: &Config, names: &Names) -> Storage {
        let columns = config.columns.iter().enumerate();
        let stored: Vec<usize> = match config.content {
            Content::Own => columns.map(|(at, _)| at).collect(),
            Content::None if config.contentless_unindexed => {
                columns.filter(|(_, column)| !column.is_indexed).map(|(at, _)| at).collect()
            }
            _ => Vec::new(),
        };
        let columns = config.columns.iter().enumerate();
        let locales: Vec<usize> = match config.content {
            Content::Own if config.locale => {
                columns.filter(|(_, column)| column.is_indexed).map(|(at, _)| at).collect()
            }
            _ => Vec::new(),
        };
        let count = 1 + stored.len() + locales.len();
        let marks = (1..=count).map(|number| format!("?{number}")).collect::<Vec<_>>().join(",");
        let (content, docsize) = (names.shadow("content"), names.shadow("docsize"));
        let source = Source::new(config, names, &stored, &locales);
        let size_marks = if config.contentless_delete { "?1,?2,?3" } else { "?1,?2" };
        let columns = if config.contentless_delete { "sz, origin" } else { "sz" };
        Storage {
            content: source.display.clone(),
            has_content: !stored.is_empty() || config.content == Content::Own,
            stored,
            locales,
            has_sizes: config.column_size,
            has_origins: config.contentless_delete,
            insert: Kept::new(format!("INSERT INTO {content} VALUES({marks})")),
            replace: Kept::new(format!("REPLACE INTO {content} VALUES({marks})")),
            delete: Kept::new(format!("DELETE FROM {content} WHERE id=?1")),
            add_sizes: Kept::new(format!("REPLACE INTO {docsize} VALUES({size_marks})")),
            delete_sizes: Kept::new(format!("DELETE FROM {docsize} WHERE id=?1")),
            find_sizes: Kept::new(format!("SELECT {columns} FROM {docsize} WHERE id=?1")),
            scan_sizes: Kept::new(format!("SELECT id, sz FROM {docsize} WHERE id>=?1 ORDER BY id")),
            set_config: Kept::new(format!("REPLACE INTO {} VALUES(?1,?2)", names.shadow("config"))),
            totals: Mutex::new(None),
            lookup_sql: source.lookup(),
            scan_up_sql: source.scan("ASC"),
            scan_down_sql: source.scan("DESC"),
        }
    }

    /// A statement that finds a row by its rowid. Its columns: the rowid, all columns of the table, and their locales.
    pub fn lookup(&self) -> Kept {
        Kept::new(self.lookup_sql.as_str())
    }

    /// A statement that lists rows with rowids from ?1 to ?2; its columns are those of [`Storage::lookup`].
    pub fn scan(&self, is_descending: bool) -> Kept {
        Kept::new(if is_descending { self.scan_down_sql.as_str() } else { self.scan_up_sql.as_str() })
    }

    /// The content table, as messages name it.
    pub fn content_name(&self) -> &str {
        &self.content
    }

    /// Where the locale of a column is in the rows of [`Storage::lookup`].
    pub fn locale_at(&self, column: usize, columns: usize) -> Option<usize> {
        self.locales.iter().position(|at| *at == column).map(|at| 1 + columns + at)
    }

    /// Whether the table has rows of its own in `x_content`.
    pub fn has_content(&self) -> bool {
        self.has_content
    }

    /// Writes a row to `x_content`; its rowid.
    ///
    /// # Errors
    /// SQLITE_CONSTRAINT if the rowid is taken and the row does not replace another one; the errors of writing.
    pub fn put_content(
        &self,
        connection: &dyn SqlConnection,
        rowid: Option<i64>,
        values: &[ValueRef<'_>],
        locales: &[Option<&[u8]>],
        replaces: bool,
    ) -> Result<i64> {
        let mut all = vec![rowid.map_or(ValueRef::Null, ValueRef::Integer)];
        all.extend(self.stored.iter().map(|at| values.get(*at).copied().unwrap_or_default()));
        all.extend(self.locales.iter().map(|at| locale_value(locales.get(*at).copied().flatten())));
        let done = connection.statement(if replaces { &self.replace } else { &self.insert })?.run(&all);
        done.map_err(|error| match error.code & 0xff {
            // The application does not know the table of the constraint.
            code::CONSTRAINT => error.silent(),
            _ => error,
        })?;
        Ok(rowid.unwrap_or_else(|| connection.last_insert_rowid()))
    }

    /// Deletes a row of `x_content`.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn delete_content(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        connection.statement(&self.delete)?.run(&[ValueRef::Integer(rowid)])
    }

    /// Finds a rowid that no row has, in a table without content of its own.
    ///
    /// # Errors
    /// SQLITE_MISMATCH if there is no `x_docsize` to find it by.
    pub fn new_rowid(&self, connection: &dyn SqlConnection) -> Result<i64> {
        if !self.has_sizes {
            return Err(FunctionError::of_code(code::MISMATCH));
        }
        let mut statement = connection.statement(&self.add_sizes)?;
        let all = [ValueRef::Null, ValueRef::Null, ValueRef::Null];
        statement.run(all.get(..if self.has_origins { 3 } else { 2 }).unwrap_or_default())?;
        Ok(connection.last_insert_rowid())
    }

    /// Writes how many tokens each column of a row has.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn put_sizes(&self, connection: &dyn SqlConnection, rowid: i64, sizes: &Sizes) -> Result {
        if !self.has_sizes {
            return Ok(());
        }
        let mut bytes = Vec::new();
        sizes.tokens.iter().for_each(|count| varint::write(&mut bytes, *count));
        let all = [ValueRef::Integer(rowid), ValueRef::Blob(&bytes), ValueRef::Integer(sizes.origin as i64)];
        let all = all.get(..if self.has_origins { 3 } else { 2 }).unwrap_or_default();
        connection.statement(&self.add_sizes)?.run(all)
    }

    /// Deletes the sizes of a row.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn delete_sizes(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        if !self.has_sizes {
            return Ok(());
        }
        connection.statement(&self.delete_sizes)?.run(&[ValueRef::Integer(rowid)])
    }

    /// The number of tokens in each column of a row. `None`: there is no such row.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn sizes(&self, connection: &dyn SqlConnection, rowid: i64, columns: usize) -> Result<Option<Sizes>> {
        let mut statement = connection.statement(&self.find_sizes)?;
        statement.bind(1, ValueRef::Integer(rowid))?;
        if !statement.step()? {
            return Ok(None);
        }
        let (ValueRef::Blob(bytes) | ValueRef::Text(bytes)) = statement.column(0) else { return Ok(None) };
        let mut tokens = Vec::with_capacity(columns);
        let origin = if self.has_origins { lithe_value::cast::to_integer(statement.column(1)) as u64 } else { 0 };
        Ok(read_sizes(bytes, columns, &mut tokens).then_some(Sizes { tokens, origin }))
    }

    /// Reads the sizes of up to `count` rows, from one on: their rowids, and how many tokens each of their columns has. A malformed
    /// row ends them.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn sizes_from(
        &self,
        connection: &dyn SqlConnection,
        rowid: i64,
        columns: usize,
        count: usize,
        rowids: &mut Vec<i64>,
        tokens: &mut Vec<u64>,
    ) -> Result {
        let mut statement = connection.statement(&self.scan_sizes)?;
        statement.bind(1, ValueRef::Integer(rowid))?;
        while rowids.len() < count && statement.step()? {
            let (ValueRef::Blob(bytes) | ValueRef::Text(bytes)) = statement.column(1) else { return Ok(()) };
            let known = tokens.len();
            if !read_sizes(bytes, columns, tokens) {
                tokens.truncate(known);
                return Ok(());
            }
            rowids.push(lithe_value::cast::to_integer(statement.column(0)));
        }
        Ok(())
    }

    /// Sets a value of `x_config`.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn set_config(&self, connection: &dyn SqlConnection, key: &str, value: ValueRef<'_>) -> Result {
        connection.statement(&self.set_config)?.run(&[ValueRef::Text(key.as_bytes()), value])
    }
}

/// Reads a row of `x_docsize`; returns whether it is well-formed.
fn read_sizes(bytes: &[u8], columns: usize, tokens: &mut Vec<u64>) -> bool {
    let mut at = 0;
    for _ in 0..columns {
        let Some(count) = varint::read(bytes, &mut at) else { return false };
        tokens.push(count);
    }
    at == bytes.len()
}

fn locale_value(locale: Option<&[u8]>) -> ValueRef<'_> {
    locale.map_or(ValueRef::Null, ValueRef::Text)
}

/// The table from which documents are read.
struct Source {
    /// The name of the table in SQL.
    table: String,
    /// The name in messages.
    display: String,
    rowid: String,
    columns: Vec<String>,
}

impl Source {
    fn new(config: &Config, names: &Names, stored: &[usize], locales: &[usize]) -> Source {
        let of_shadow = |suffix: &str| format!("'{}'.'{}_{suffix}'", escaped(&names.database), escaped(&names.table));
        let null = || "NULL".to_owned();
        let (table, display, rowid) = match &config.content {
            Content::External(name) => {
                let table = format!("{}.{}", quoted(&names.database), quoted(name));
                let display = format!("'{}'.'{}'", escaped(&names.database), escaped(name));
                (table, display, quoted(&config.content_rowid))
            }
            Content::None if stored.is_empty() => (names.shadow("docsize"), of_shadow("docsize"), "id".to_owned()),
            _ => (names.shadow("content"), of_shadow("content"), "id".to_owned()),
        };
        let is_external = matches!(config.content, Content::External(_));
        let column = |(at, column): (usize, &crate::config::Column)| match (is_external, stored.contains(&at)) {
            (true, _) => format!("T.{}", quoted(&column.name)),
            (false, true) => format!("T.c{at}"),
            (false, false) => null(),
        };
        let mut columns: Vec<String> = config.columns.iter().enumerate().map(column).collect();
        columns.extend(locales.iter().map(|at| format!("T.l{at}")));
        Source { table, display, rowid, columns }
    }

    fn select(&self) -> String {
        let columns: String = self.columns.iter().map(|column| format!(", {column}")).collect();
        format!("SELECT T.{}{columns} FROM {} T WHERE T.{}", self.rowid, self.table, self.rowid)
    }

    fn lookup(&self) -> String {
        format!("{}=?1", self.select())
    }

    fn scan(&self, order: &str) -> String {
        format!("{}>=?1 AND T.{}<=?2 ORDER BY T.{} {order}", self.select(), self.rowid, self.rowid)
    }
}

fn escaped(name: &str) -> String {
    name.replace('\'', "''")
}

/// The values of a statement's current row, from the column `first` on.
///
/// # Errors
/// SQLITE_NOMEM.
pub fn values(statement: &dyn SqlStatement, first: usize, count: usize) -> Result<Vec<Value>> {
    (first..first + count).map(|at| Ok(Value::try_copy(statement.column(at))?)).collect()
}
