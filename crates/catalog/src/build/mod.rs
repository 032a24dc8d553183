//! Catalog objects from CREATE statements, with SQLite's checks and messages.
//!
//! Two callers: DDL, which checks everything, and the loading of a schema table, whose text SQLite or Lithe checked when it
//! was written, but which may have been written by hand: errors that loading does not find are reported when a statement
//! uses the object.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `table` | CREATE TABLE: columns, constraints, options |
//! | `default` | the value that a DEFAULT has in rows that are older than the column |
//! | `key` | PRIMARY KEY and UNIQUE: the indexes of the constraints, WITHOUT ROWID |
//! | `index` | CREATE INDEX |
//! | `collation` | COLLATE in definitions |
//! | `view`, `trigger` | CREATE VIEW, CREATE TRIGGER, CREATE VIRTUAL TABLE |
//! | `connect` | virtual tables as their modules declare them |
//! | `prohibit` | what expressions in the schema may not contain |
//! | `load` | rows of the schema table |

mod collation;
mod connect;
mod default;
mod foreign_key;
mod index;
mod key;
mod load;
mod prohibit;
mod table;
mod trigger;
mod view;

#[cfg(test)]
mod tests;

use lithe_sql::Limits;
use lithe_sql::ast::Name;

pub use collation::split_collation;
pub use connect::connect_table;
pub use index::build_index;
pub use load::{NewObject, SchemaRow};
pub use prohibit::Place;
pub use table::{ColumnUse, build_table, check_generated_loops};
pub use trigger::{build_trigger, trigger_database};
pub use view::{build_view, build_virtual_table};

/// What building needs to know about the connection.
#[derive(Clone, Copy)]
pub struct BuildOptions<'e> {
    /// Names of functions and collations. `None` while a schema is loaded: names in it are not checked.
    pub names: Option<&'e dyn KnownNames>,
    /// The limits of statements.
    pub limits: &'e Limits,
    /// A name in double quotes that is no column is a string.
    pub quoted_strings: bool,
    /// DESC counts in indexes: the database's schema format is 4 or more.
    pub descending_indexes: bool,
    /// ALTER TABLE checks the text that it has written, subexpressions that are never evaluated included.
    pub is_altering: bool,
}

impl<'e> BuildOptions<'e> {
    /// For text read from a schema table, which was checked when it was written.
    pub fn of_stored(limits: &'e Limits) -> BuildOptions<'e> {
        BuildOptions { names: None, limits, quoted_strings: true, descending_indexes: true, is_altering: false }
    }
}

/// Which functions and collations a connection has.
pub trait KnownNames {
    /// What a call of function `name` is.
    fn function(&self, name: Name<'_>, argument_count: usize) -> KnownFunction;
    /// Whether the collation exists.
    fn has_collation(&self, name: Name<'_>) -> bool;
}

/// What a call of a function would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFunction {
    /// There is no function of that name.
    Missing,
    /// The function exists, but takes another number of arguments.
    WrongArguments,
    /// A scalar function.
    Scalar {
        /// Whether equal arguments give equal results.
        deterministic: bool,
        /// Whether a schema may call it.
        is_trusted: bool,
    },
    /// An aggregate function, perhaps one that may also be a window function.
    Aggregate,
    /// A function that is a window function only.
    Window,
}
