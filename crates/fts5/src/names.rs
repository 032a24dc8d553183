//! The names of a table and its shadow tables.

/// The suffixes of the shadow tables, in the order in which they are made.
pub const SUFFIXES: [&str; 5] = ["data", "idx", "content", "docsize", "config"];

/// The names of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The name of the database.
    pub database: String,
    /// The table's own name.
    pub table: String,
}

impl Names {
    /// Of the table in the database.
    pub fn new(database: &str, table: &str) -> Names {
        Names { database: database.to_owned(), table: table.to_owned() }
    }

    /// A shadow table as SQL has it: `"database"."table_suffix"`.
    pub fn shadow(&self, suffix: &str) -> String {
        format!("{}.{}", quoted(&self.database), quoted(&format!("{}_{suffix}", self.table)))
    }

    /// The table itself as SQL has it: `"database"."table"`.
    pub fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.database), quoted(&self.table))
    }
}

/// A name in double quotes.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
