//! Virtual tables: tables whose rows a module provides, such as full-text search, an R-Tree, or a series of numbers.
//!
//! ```text
//!   Module ── create, connect ──► VirtualTable ── open ──► VirtualCursor ── filter, next, column ──► rows
//!                                      │                         ▲
//!                                      ├─ best_index: IndexInfo ─┘  the planner's constraints, and the plan of the scan
//!                                      └─ update, begin, sync, commit, savepoint …   changes, and transactions
//!
//!   every method that may run SQL gets  &dyn SqlConnection  (crate lithe-functions, module `sql`)
//! ```
//!
//! Read first: [`Module`], [`VirtualTable`], [`VirtualCursor`]. This crate has the traits and must not know an engine: a module that uses only this crate runs in the Rust library, in
//! the shell and in `libsqlite3.so`, and the modules of C programs implement the same traits. SQLite's names are in brackets
//! below.
//!
//! # Creating tables
//!
//! [`Module::create`] (xCreate) creates a new table with everything that it stores; [`Module::connect`] (xConnect) opens an
//! existing table. Both return a [`Connected`]: the table, its columns as a CREATE TABLE statement (sqlite3_declare_vtab; a type
//! with the word HIDDEN makes a hidden column; WITHOUT ROWID is allowed at the end), and where the table may be used
//! (SQLITE_VTAB_INNOCUOUS, SQLITE_VTAB_DIRECTONLY). [`Module::kind`] determines whether there is also a table with the name of
//! the module (eponymous), or only that table.
//!
//! A table stores its data in *shadow tables*, which `create` creates by SQL: `x_data` for `x`. [`Module::is_shadow_name`]
//! (xShadowName) recognizes their suffixes; on a defensive connection only the module can write them. [`VirtualTable::destroy`]
//! (xDestroy) drops them, [`VirtualTable::rename`] (xRename) renames them. The engine disconnects a table by dropping its value
//! (xDisconnect).
//!
//! # Reading
//!
//! The planner calls [`VirtualTable::best_index`] (xBestIndex) several times while a statement is compiled, each time with
//! another selection of usable constraints. The [`IndexInfo`] has these fields:
//!
//! | field | meaning |
//! | --- | --- |
//! | `usage[i].argument` | the right side of constraint `i` becomes this argument of `filter`, counted from 1 (argvIndex) |
//! | `usage[i].omit` | the engine need not check the constraint again |
//! | `usage[i].all_at_once` | the values of an IN are passed as one list, [`Values::list`] (sqlite3_vtab_in) |
//! | `constraints[i].value` | the right side, if it is a constant (sqlite3_vtab_rhs_value) |
//! | `order_by_consumed`, `order_use` | the rows are in the required order (orderByConsumed); its purpose (sqlite3_vtab_distinct) |
//! | `estimated_cost`, `estimated_rows`, `finds_one_row` | for the choice of plans (SQLITE_INDEX_SCAN_UNIQUE) |
//! | `columns_used` | the columns that the statement reads (colUsed) |
//! | `plan` | a number, a text, or another value for `filter` (idxNum, idxStr) |
//!
//! A scan with a cursor ([`VirtualTable::open`]) begins with [`VirtualCursor::filter`], which is called repeatedly if the table
//! is the inner table of a join. The methods of a cursor receive a [`Scan`], with the connection and the table: [`Scan::table`]
//! returns the table as its own type, so cursors need no reference to the table. [`VirtualCursor::column`] writes its value to
//! `answer.context.out`, as a function does with its result: a value, a subtype, or a pointer for functions of the same
//! extension. A cursor that has the following rows in memory can return them by [`VirtualCursor::next_in_memory`], which the
//! machine calls without pausing the statement; where rows are only counted, all at once by [`VirtualCursor::pass_in_memory`]. A
//! cursor that can find rows more cheaply than what belongs to them looks at [`Scan::columns_read`].
//!
//! # Writing
//!
//! A table whose [`VirtualTable::is_writable`] is `true` implements [`VirtualTable::update`] (xUpdate), which receives a
//! [`Change`]. (Without `is_writable`, the error is "table x may not be modified"; without `update`, "the virtual table is
//! read-only".) If [`VirtualTable::supports_constraints`] (SQLITE_VTAB_CONSTRAINT_SUPPORT) is `true`, an update that fails with
//! SQLITE_CONSTRAINT must not have changed anything; then INSERT OR IGNORE, OR FAIL and so on are implemented by the engine, and
//! `Change::policy` (sqlite3_vtab_on_conflict) is `Replace` if the table must replace rows. `begin` (xBegin) is called before the
//! first change in a transaction, `sync` is the part of the commit that can fail, and `commit` or `rollback` is the end. A table
//! that keeps changes in memory writes them in `sync` and in `savepoint`, and discards them in `rollback` and `rollback_to`.
//! Numbers of savepoints start at 0; -1 is the transaction.
//!
//! # SQL in modules
//!
//! A method can run any SQL on the [`SqlConnection`] that it receives, nested in the calling statement:
//!
//! ```
//! use lithe_vtab::{Kept, Result, SqlConnection, ValueRef};
//!
//! struct Blocks {
//!     read: Kept,
//! }
//!
//! impl Blocks {
//!     fn new(database: &str, table: &str) -> Blocks {
//!         Blocks { read: Kept::new(format!("SELECT block FROM {database:?}.\"{table}_data\" WHERE id = ?1")) }
//!     }
//!
//!     fn read(&self, connection: &dyn SqlConnection, id: i64) -> Result<Option<Vec<u8>>> {
//!         let mut statement = connection.statement(&self.read)?; // compiled once, found again
//!         statement.bind(1, ValueRef::Integer(id))?;
//!         if !statement.step()? {
//!             return Ok(None);
//!         }
//!         match statement.column(0) {
//!             ValueRef::Blob(bytes) | ValueRef::Text(bytes) => Ok(Some(bytes.to_vec())),
//!             _ => Ok(None),
//!         } // dropping the statement resets it
//!     }
//! }
//! ```
//!
//! A row of a shadow table with two columns is read and written without a statement, which takes a fraction of the time:
//! [`SqlConnection::read_row`], [`SqlConnection::write_row`] and their neighbours find the table by a [`KeptTable`]. Where triggers, indexes,
//! hooks or other columns need a statement they answer `None`, and the module runs the statement.
//!
//! Data that a module has read from its shadow tables is valid for later calls as long as [`SqlConnection::content_version`] is
//! the same.
//!
//! [`SqlConnection::resume`] continues a statement that a cursor has left on a row; such a cursor has its own [`Kept`].
//! [`SqlConnection::open_blob`] reads and writes BLOBs in place. [`SqlConnection::with_virtual_table`] gives access to another
//! virtual table (the full-text index, for a vocabulary table), [`SqlConnection::pages`] to the pages of a database,
//! [`SqlConnection::with_client_data`] to data that all tables of a connection share.
//!
//! # Functions
//!
//! [`VirtualTable::find_function`] (xFindFunction) overloads a function for calls whose first argument is a column of the table.
//! Such a function finds its cursor by a hidden column: `column` returns a pointer (`Context::pointer`, with its own kind) to an
//! `Rc` that the cursor shares, and the function reads it by `Context::arg_pointer`. Functions run SQL by
//! `Context::connection.sql()`.
//!
//! # Shipping
//!
//! An [`Extension`] lists the modules, functions and collations of a crate. A connection creates the modules when it is opened,
//! which must be cheap, and connects a table when a statement first uses it.
//!
//! # Rules
//!
//! * Tables are `Send`: a connection may move to another thread together with its tables. `Cell` and `RefCell` are allowed, `Rc`
//!   is not; a cursor may hold an `Rc`, since a connection does not move while a statement is on a row.
//! * A module must not hold a borrow of a cell across a call of the connection: the SQL may use the same table.
//! * The content of shadow tables is untrusted: malformed content is the error SQLITE_CORRUPT_VTAB, never a panic.
#![forbid(unsafe_code)]
#![deny(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

mod change;
mod connected;
mod extension;
mod module;
mod number;
mod plan;
mod shadow;
mod table;

pub use change::{Change, ColumnContext, OnConflict, Values, is_unchanged_pointer, list_pointer, unchanged_pointer};
pub use connected::{VirtualId, VirtualTables};
pub use extension::{Compare, Extension, ExtensionModule};
pub use lithe_functions::date::{date_of_day, day_of_date};
pub use lithe_functions::error::code;
pub use lithe_functions::scalar::SOURCE_ID;
pub use lithe_functions::signature::ScalarFn;
pub use lithe_functions::sql::quoted;
pub use lithe_functions::{
    AggregateFunction, AggregateState, Arguments, Arity, BlobPlace, ChangeWatcher, Context, Flags, Function,
    FunctionError, Kept, KeptTable, Kind as FunctionKind, PageAccess, PlainArguments, Pointer, RowChange, RowOperation,
    ScalarFunction, SqlBlob, SqlConnection, SqlStatement,
};
pub use lithe_value::buffer::OutOfMemory;
pub use lithe_value::grow::{Grow, Lossy, collected, copied, copied_text, formatted, lossy, lossy_copy, lowercase};
pub use lithe_value::{Value, ValueRef};
pub use module::{ConnectRequest, Connected, Module, ModuleKind, Risk};
pub use number::{as_integer, as_number, as_rowid};
pub use plan::{CompiledScan, IndexConstraint, IndexInfo, IndexOrder, OrderUse, ScanId, ScanPlan, Usage, constraint};
pub use shadow::{Names, first_value};
pub use table::{Overloaded, Scan, VirtualCursor, VirtualTable};

/// The result of modules. An error has a code and a message; an empty message means the default message of the code.
pub type Result<T = (), E = FunctionError> = std::result::Result<T, E>;
