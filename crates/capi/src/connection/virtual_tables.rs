//! What a connection keeps for virtual tables in C while their methods run.

use std::cell::RefCell;
use std::ffi::c_int;

use lithe_engine::virtual_table::Risk;

/// What a connection knows while a module makes a table.
#[derive(Default)]
pub(crate) struct Declaring {
    /// What `sqlite3_declare_vtab` was given.
    pub(crate) declaration: Option<String>,
    /// SQLITE_VTAB_CONSTRAINT_SUPPORT.
    pub(crate) supports_constraints: bool,
    /// Where the table may be used.
    pub(crate) risk: Risk,
}

/// What a connection keeps for virtual tables.
#[derive(Default)]
pub(crate) struct VirtualTableState {
    /// The tables that are being made, the innermost last.
    pub(crate) declaring: RefCell<Vec<Declaring>>,
    /// The conflict policies of the changes that are being made, the innermost last.
    pub(crate) policies: RefCell<Vec<c_int>>,
}
