//! The two engines behind one face: a connection to a file that runs statements and gives rows.

use std::path::Path;

use lithe::ValueRef;

/// Which engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    Lithe,
    Sqlite,
}

impl Which {
    pub fn other(self) -> Which {
        match self {
            Which::Lithe => Which::Sqlite,
            Which::Sqlite => Which::Lithe,
        }
    }
}

/// An open database.
pub enum Connection {
    Lithe(Box<lithe::Connection>),
    Sqlite(rusqlite::Connection),
}

/// Result code and message.
pub type Failure = (i32, String);

/// Each value as a text that shows its class.
pub type Rows = Vec<Vec<String>>;

impl Connection {
    pub fn open(which: Which, path: &Path) -> Connection {
        match which {
            Which::Lithe => Connection::Lithe(Box::new(lithe::Connection::open(path).expect("Lithe opens a file"))),
            Which::Sqlite => {
                let connection = rusqlite::Connection::open(path).expect("SQLite opens a file");
                connection.execute_batch("PRAGMA foreign_keys = 0").expect("SQLite takes a pragma");
                Connection::Sqlite(connection)
            }
        }
    }

    /// Runs one statement and gives its rows.
    pub fn rows(&self, sql: &str) -> Result<Rows, Failure> {
        match self {
            Connection::Lithe(connection) => {
                rows_of_lithe(connection, sql).map_err(|error| (error.code().0, error.message().to_owned()))
            }
            Connection::Sqlite(connection) => rows_of_sqlite(connection, sql).map_err(failure),
        }
    }

    /// As [`Connection::rows`] where no failure is thinkable.
    pub fn must(&self, sql: &str) -> Rows {
        self.rows(sql).unwrap_or_else(|(code, message)| panic!("{}: {sql}: {code} {message}", self.name()))
    }

    pub fn name(&self) -> &'static str {
        match self {
            Connection::Lithe(_) => "Lithe",
            Connection::Sqlite(_) => "SQLite",
        }
    }

    pub fn close(self) {
        match self {
            Connection::Lithe(connection) => connection.close().expect("Lithe closes"),
            Connection::Sqlite(connection) => connection.close().map_err(|(_, error)| error).expect("SQLite closes"),
        }
    }
}

fn rows_of_lithe(connection: &lithe::Connection, sql: &str) -> lithe::Result<Rows> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = Vec::new();
    while let Some(row) = statement.step()? {
        rows.push((0..row.column_count()).map(|i| shown(row.get_ref(i))).collect());
    }
    Ok(rows)
}

fn rows_of_sqlite(connection: &rusqlite::Connection, sql: &str) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let mut found = statement.raw_query();
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push((0..columns).map(|i| row.get_ref(i).map(|v| shown(borrowed(v)))).collect::<Result<_, _>>()?);
    }
    Ok(rows)
}

fn failure(error: rusqlite::Error) -> Failure {
    match error {
        rusqlite::Error::SqliteFailure(error, message) => (error.extended_code, message.unwrap_or_default()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
        other => panic!("the oracle's own error: {other}"),
    }
}

fn borrowed(value: rusqlite::types::ValueRef<'_>) -> ValueRef<'_> {
    match value {
        rusqlite::types::ValueRef::Null => ValueRef::Null,
        rusqlite::types::ValueRef::Integer(i) => ValueRef::Integer(i),
        rusqlite::types::ValueRef::Real(r) => ValueRef::Real(r),
        rusqlite::types::ValueRef::Text(t) => ValueRef::Text(t),
        rusqlite::types::ValueRef::Blob(b) => ValueRef::Blob(b),
    }
}

/// A value with its class. What is long is told apart by its hash.
fn shown(value: ValueRef<'_>) -> String {
    let bytes = |prefix: &str, bytes: &[u8]| {
        if bytes.len() <= 60 {
            return format!("{prefix}'{}'", bytes.escape_ascii());
        }
        let hash =
            bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3));
        format!("{prefix}'{}…' {} bytes {hash:x}", bytes[..20].escape_ascii(), bytes.len())
    };
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => format!("{real:?}"),
        ValueRef::Text(text) => bytes("", text),
        ValueRef::Blob(blob) => bytes("x", blob),
    }
}
