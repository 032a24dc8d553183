//! The state that a connection keeps while methods of virtual tables in C run.

use std::cell::RefCell;
use std::ffi::c_int;

use lithe_engine::virtual_table::Risk;

/// The state of a table while its module creates or connects it.
#[derive(Default)]
pub(crate) struct Declaring {
    /// The argument of `sqlite3_declare_vtab`.
    pub(crate) declaration: Option<String>,
    /// SQLITE_VTAB_CONSTRAINT_SUPPORT.
    pub(crate) supports_constraints: bool,
    /// Where the table may be used (SQLITE_VTAB_INNOCUOUS, SQLITE_VTAB_DIRECTONLY).
    pub(crate) risk: Risk,
}

/// The state that a connection keeps for virtual tables.
#[derive(Default)]
pub(crate) struct VirtualTableState {
    /// The tables that are being created or connected, the innermost last.
    pub(crate) declaring: RefCell<Vec<Declaring>>,
    /// The conflict policies of the changes under way, the innermost last.
    pub(crate) policies: RefCell<Vec<c_int>>,
}
