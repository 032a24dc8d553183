//! Rows that a module reads and writes by rowid without a statement.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// A table with an INTEGER PRIMARY KEY and a column of values, such as `x_data(id INTEGER PRIMARY KEY, block)`, whose rows a module
/// reads and writes by [`SqlConnection::read_row`](crate::SqlConnection::read_row) and its neighbours. Its connection finds the table
/// once, and keeps a position in it until this value is dropped.
#[derive(Debug)]
pub struct KeptTable {
    database: Box<str>,
    table: Box<str>,
    key_column: Box<str>,
    value_column: Box<str>,
    key: Arc<u64>,
}

impl KeptTable {
    /// The table of that name, whose first two columns are these.
    pub fn new(database: &str, table: &str, key_column: &str, value_column: &str) -> KeptTable {
        KeptTable {
            database: database.into(),
            table: table.into(),
            key_column: key_column.into(),
            value_column: value_column.into(),
            key: Arc::new(next_key()),
        }
    }

    /// The name of the database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The name of the table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The name of the first column, the INTEGER PRIMARY KEY.
    pub fn key_column(&self) -> &str {
        &self.key_column
    }

    /// The name of the second column.
    pub fn value_column(&self) -> &str {
        &self.value_column
    }

    /// The number by which a connection finds what it knows of the table.
    pub fn key(&self) -> u64 {
        *self.key
    }

    /// A weak reference to the number; it is dead once this value has been dropped.
    pub fn alive(&self) -> Weak<u64> {
        Arc::downgrade(&self.key)
    }
}

/// A number that no other [`KeptTable`] or [`Kept`](crate::Kept) has.
pub(crate) fn next_key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
