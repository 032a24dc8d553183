//! Virtual tables: tables whose rows a module makes up, be it full-text search, an R-Tree, or a series of numbers.
//!
//! ```text
//!   Module ── create, connect ──► VirtualTable ── open ──► VirtualCursor ── filter, next, column ──► rows
//!                                      │                         ▲
//!                                      ├─ best_index: IndexInfo ─┘  what the planner asks, what the scan is told
//!                                      └─ update, begin, sync, commit, savepoint …   changes, and transactions
//!
//!   every method that may run SQL gets  &dyn SqlConnection  (crate lithe-functions, module `sql`)
//! ```
//!
//! This crate has the traits and knows no engine: a module that is written against it alone runs in the Rust library, in
//! the shell and in `libsqlite3.so`, and the modules of C programs come through the same traits. What SQLite calls a thing
//! is in brackets below.
//!
//! # Making tables
//!
//! [`Module::create`] (xCreate) makes a new table with all that it stores; [`Module::connect`] (xConnect) opens one
//! that is there already. Both answer a [`Connected`]: the table, its columns as a CREATE TABLE statement
//! (sqlite3_declare_vtab; a type with the word HIDDEN makes a hidden column; WITHOUT ROWID may stand at the end), and where
//! it may be used (SQLITE_VTAB_INNOCUOUS, SQLITE_VTAB_DIRECTONLY). [`Module::kind`] says whether there is also a table of
//! the module's own name (eponymous), perhaps nothing but that.
//!
//! What a table stores lies in *shadow tables*, which `create` makes by SQL: `x_data` beside `x`. [`Module::is_shadow_name`]
//! (xShadowName) names them by their suffix; a defensive connection lets nobody but the module write them.
//! [`VirtualTable::destroy`] (xDestroy) drops them, [`VirtualTable::rename`] (xRename) renames them. A table that is let go
//! is dropped (xDisconnect).
//!
//! # Reading
//!
//! [`VirtualTable::best_index`] (xBestIndex) is asked several times while a statement is compiled, each time with another
//! selection of usable constraints. It says in the [`IndexInfo`]:
//!
//! | field | meaning |
//! | --- | --- |
//! | `usage[i].argument` | the right side of constraint `i` becomes this argument of `filter`, counted from 1 (argvIndex) |
//! | `usage[i].omit` | the engine need not check it again |
//! | `usage[i].all_at_once` | an IN comes as one list, [`Values::list`] (sqlite3_vtab_in) |
//! | `constraints[i].value` | the right side, if it is a constant (sqlite3_vtab_rhs_value) |
//! | `order_by_consumed`, `order_use` | rows come in the wanted order (orderByConsumed; sqlite3_vtab_distinct says how it is wanted) |
//! | `estimated_cost`, `estimated_rows`, `finds_one_row` | for the choice of plans (SQLITE_INDEX_SCAN_UNIQUE) |
//! | `columns_used` | which columns the statement reads (colUsed) |
//! | `plan` | a number, a text, or anything else for `filter` (idxNum, idxStr) |
//!
//! A cursor ([`VirtualTable::open`]) begins with [`VirtualCursor::filter`], as often as the table is the inner one of a join.
//! Its methods get a [`Scan`], with the connection and the table: [`Scan::table`] gives the table as its own type, so
//! cursors need no reference of their own to it. [`VirtualCursor::column`] puts its value into `answer.context.out`, as a function does into
//! its context: a value, a subtype, or a pointer for functions of the same extension. A cursor that knows the rows that follow gives them by
//! [`VirtualCursor::next_in_memory`], for which the machine does not stop.
//!
//! # Writing
//!
//! A table whose [`VirtualTable::is_writable`] answers `true` implements [`VirtualTable::update`] (xUpdate), which gets a [`Change`]. (Without the
//! first, "table x may not be modified"; without the second, "the virtual table is read-only".) Where [`VirtualTable::supports_constraints`]
//! (SQLITE_VTAB_CONSTRAINT_SUPPORT), an error with the code SQLITE_CONSTRAINT must have changed nothing; then INSERT OR IGNORE,
//! FAIL and so on mean what they say, and `Change::policy` (sqlite3_vtab_on_conflict) tells the table when to REPLACE.
//! `begin` (xBegin) comes before the first change in a transaction, `sync` is the half of the commit that can fail, and
//! `commit` or `rollback` the end. A table that keeps changes in memory writes them in `sync` and in `savepoint`, and forgets
//! them in `rollback` and `rollback_to`. Numbers of savepoints count up from 0; -1 stands for the transaction.
//!
//! # SQL of the module's own
//!
//! A method may run any SQL on the [`SqlConnection`] that it gets, nested in the statement that called it:
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
//! What a module has read of its shadow tables may serve later calls as long as [`SqlConnection::content_version`] is the same.
//!
//! [`SqlConnection::resume`] goes on with a statement that a cursor has left on a row; a cursor that does so has a [`Kept`]
//! of its own. [`SqlConnection::open_blob`] reads and writes BLOBs in place. [`SqlConnection::with_virtual_table`] shows
//! another virtual table (a vocabulary its index), [`SqlConnection::pages`] the pages of a database, [`SqlConnection::with_client_data`] what all tables of a connection share.
//!
//! # Functions
//!
//! [`VirtualTable::find_function`] (xFindFunction) gives a function another meaning where its first argument is a column of
//! the table. How such a function finds its cursor: `column` answers a hidden column with a pointer (`Context::pointer`, of a kind
//! of its own) to an `Rc` that the cursor shares, and the function reads it by `Context::arg_pointer`. Functions
//! run SQL by `Context::connection.sql()`.
//!
//! # Shipping
//!
//! An [`Extension`] lists what a crate offers: modules, functions, collations. A connection makes the modules when it is opened, which has to cost
//! nothing, and connects a table when a statement first names it.
//!
//! # Rules
//!
//! * Tables are `Send`: a connection may move to another thread, and its tables with it. Cells are fine, `Rc` is not; a cursor may
//!   hold an `Rc`, since no connection moves while a statement is on a row.
//! * Never hold a borrow of a cell across a call of the connection: SQL may come back to the same table.
//! * What shadow tables contain is data from outside: SQLITE_CORRUPT_VTAB, never a panic.
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
    AggregateFunction, AggregateState, Arity, BlobPlace, ChangeWatcher, Context, Flags, Function, FunctionError, Kept,
    Kind as FunctionKind, PageAccess, Pointer, RowChange, RowOperation, ScalarFunction, SqlBlob, SqlConnection,
    SqlStatement,
};
pub use lithe_value::{Value, ValueRef};
pub use module::{ConnectRequest, Connected, Module, ModuleKind, Risk};
pub use number::{as_integer, as_number, as_rowid};
pub use plan::{CompiledScan, IndexConstraint, IndexInfo, IndexOrder, OrderUse, ScanId, ScanPlan, Usage, constraint};
pub use shadow::{Names, first_value};
pub use table::{Overloaded, Scan, VirtualCursor, VirtualTable};

/// What modules return: a code and a message, or no message for that of the code.
pub type Result<T = (), E = FunctionError> = std::result::Result<T, E>;
