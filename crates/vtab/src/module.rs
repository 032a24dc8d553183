//! Modules, which create virtual tables.

use lithe_functions::SqlConnection;

use crate::Result;
use crate::table::VirtualTable;

/// The kinds of tables that a module can create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// Tables of CREATE VIRTUAL TABLE.
    Ordinary,
    /// Tables of CREATE VIRTUAL TABLE, and one table with the name of the module, which exists without being created.
    Eponymous,
    /// Only the table with the name of the module, which exists without being created.
    EponymousOnly,
}

/// Creates virtual tables.
pub trait Module: Send {
    /// The kinds of tables that the module can create.
    fn kind(&self) -> ModuleKind {
        ModuleKind::Ordinary
    }

    /// Creates a new table with everything that it stores.
    ///
    /// # Errors
    /// If the arguments are invalid, or the stored data cannot be created.
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.connect(connection, request)
    }

    /// Connects to an existing table.
    ///
    /// # Errors
    /// If the stored data of the table is missing.
    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected>;

    /// The message about a declaration that is wrong, of which the error is this; `None`: only that the module has failed.
    fn declaration_error(&self, declaration: &str, error: &str) -> Option<String> {
        let _ = declaration;
        Some(error.to_owned())
    }

    /// Whether a table called `x_suffix` belongs to the table `x` of this module. (In defensive mode only the module writes such
    /// tables.)
    fn is_shadow_name(&self, suffix: &str) -> bool {
        let _ = suffix;
        false
    }
}

/// The table that a module must create or connect.
#[derive(Clone, Copy)]
pub struct ConnectRequest<'r> {
    /// The name of the module in CREATE VIRTUAL TABLE.
    pub module: &'r str,
    /// The name of the database.
    pub database: &'r str,
    /// The name of the table.
    pub table: &'r str,
    /// The arguments as written.
    pub arguments: &'r [&'r [u8]],
}

/// A table that a module has created or connected.
pub struct Connected {
    /// The table.
    pub table: Box<dyn VirtualTable>,
    /// The columns, as a CREATE TABLE statement. The name in the statement is ignored; a type with the word HIDDEN makes a column
    /// that `*` does not include, which is also an argument of the table if it is called as a function.
    pub declaration: String,
    /// Where the table may be used.
    pub risk: Risk,
}

/// Where a virtual table may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Risk {
    /// Anywhere if the schema is trusted.
    #[default]
    Normal,
    /// Anywhere: the table can do no harm.
    Innocuous,
    /// Only in statements of the application, not in triggers and views.
    DirectOnly,
}
