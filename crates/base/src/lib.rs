//! Numbers that every layer shares: SQLite's result codes, the databases of a connection, and the version of SQLite.
//!
//! ```text
//!   vfs, pager, btree, vm          functions, vtab          catalog, resolve, optimize, codegen
//!            \                         |                        /
//!             +----------- ResultCode, Db (this crate) --------+
//! ```
//!
//! The crate is the lowest one, so that the planner's crates can name a database and an error's code without a dependency on
//! files or the system. Read first: [`ResultCode`], [`Db`], [`SQLITE_VERSION`]. The crate must not know any other.
#![forbid(unsafe_code)]

mod database;
mod result_code;
mod version;

pub use database::Db;
pub use result_code::ResultCode;
pub use version::{SQLITE_VERSION, SQLITE_VERSION_C, SQLITE_VERSION_NUMBER};
