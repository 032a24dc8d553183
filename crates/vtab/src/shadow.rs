//! The shadow tables of a virtual table: what they are called, and what is asked of them by SQL.

use lithe_functions::sql::quoted;
use lithe_functions::{FunctionError, SqlConnection};
use lithe_value::Value;

/// The names of a virtual table, and of the shadow tables beside it.
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

    /// Renames a shadow table as that of the table `to`.
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
