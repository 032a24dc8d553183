//! Both engines behind one interface: a connection to a file that runs statements and returns rows.

use std::path::Path;

use lithe::ValueRef;

use crate::common::{Failure, Rows, ask_lithe, ask_sqlite};

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

    /// Runs one statement; answers its rows.
    pub fn rows(&self, sql: &str) -> Result<Rows, Failure> {
        match self {
            Connection::Lithe(connection) => ask_lithe(connection, sql, shown),
            Connection::Sqlite(connection) => ask_sqlite(connection, sql, shown),
        }
    }

    /// As [`Connection::rows`], for statements that cannot fail.
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

/// A value with its class. A long value is replaced by its hash.
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
