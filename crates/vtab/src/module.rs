//! Modules: what makes virtual tables.

use lithe_functions::SqlConnection;

use crate::Result;
use crate::table::VirtualTable;

/// Which tables a module can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// Those that CREATE VIRTUAL TABLE makes.
    Ordinary,
    /// Those, and one that is there without being created, under the module's name.
    Eponymous,
    /// Only the one that is there without being created.
    EponymousOnly,
}

/// Makes virtual tables.
pub trait Module: Send {
    /// Which ones.
    fn kind(&self) -> ModuleKind {
        ModuleKind::Ordinary
    }

    /// Makes a table that is not there yet, with what it stores.
    ///
    /// # Errors
    /// If the arguments make no sense, or what it stores cannot be made.
    fn create(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.connect(connection, request)
    }

    /// Connects to a table that was made earlier.
    ///
    /// # Errors
    /// If what it has stored is not there.
    fn connect(&self, connection: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected>;

    /// Whether a table called `x_suffix` belongs to the table `x` of this module. (In defensive mode nobody else writes it.)
    fn is_shadow_name(&self, suffix: &str) -> bool {
        let _ = suffix;
        false
    }
}

/// The table that a module is asked for.
#[derive(Clone, Copy)]
pub struct ConnectRequest<'r> {
    /// The module's name as CREATE VIRTUAL TABLE has it.
    pub module: &'r str,
    /// The name of the database.
    pub database: &'r str,
    /// The table's name.
    pub table: &'r str,
    /// The arguments as they are written.
    pub arguments: &'r [&'r [u8]],
}

/// A table that a module has made.
pub struct Connected {
    /// The table.
    pub table: Box<dyn VirtualTable>,
    /// Its columns, as a CREATE TABLE statement. The name in it does not matter; a type with the word HIDDEN makes a column
    /// that `*` does not show, which is also an argument of the table if it is called as a function.
    pub declaration: String,
    /// Where it may be used.
    pub risk: Risk,
}

/// Where a virtual table may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Risk {
    /// Anywhere if the schema is trusted.
    #[default]
    Normal,
    /// Anywhere: it can do no harm.
    Innocuous,
    /// In statements of the application only, not in triggers and views.
    DirectOnly,
}
