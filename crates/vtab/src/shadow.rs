//! The shadow tables of a virtual table: their names, and queries on them.

use lithe_functions::sql::quoted;
use lithe_functions::{FunctionError, SqlConnection};
use lithe_value::Value;

/// The names of a virtual table and of its shadow tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The name of the database.
    pub database: String,
    /// The name of the table.
    pub table: String,
}

impl Names {
    /// The names for a table of a database.
    pub fn new(database: &str, table: &str) -> Names {
        Names { database: database.to_owned(), table: table.to_owned() }
    }

    /// The SQL name of a shadow table: `"database"."table_suffix"`.
    pub fn shadow(&self, suffix: &str) -> String {
        format!("{}.{}", quoted(&self.database), quoted(&format!("{}_{suffix}", self.table)))
    }

    /// The SQL name of the table: `"database"."table"`.
    pub fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.database), quoted(&self.table))
    }

    /// Renames a shadow table to the name for the table `to`.
    ///
    /// # Errors
    /// Those of ALTER TABLE.
    pub fn rename_shadow(&self, connection: &dyn SqlConnection, suffix: &str, to: &str) -> Result<(), FunctionError> {
        let to = quoted(&format!("{to}_{suffix}"));
        connection.execute(&format!("ALTER TABLE {} RENAME TO {to}", self.shadow(suffix)))
    }
}

/// The first value of a statement's first row.
///
/// # Errors
/// Those of the statement.
pub fn first_value(connection: &dyn SqlConnection, sql: &str) -> Result<Option<Value>, FunctionError> {
    let mut statement = connection.prepare(sql)?;
    Ok(if statement.step()? { Some(Value::from(statement.column(0))) } else { None })
}
