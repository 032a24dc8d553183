//! The engine: connections, schema loading, transactions, pragmas, ATTACH, VACUUM, statements.
//!
//! ```text
//!   text ── prepare ──► Compiled ── Statement::step ──► rows
//!              │            │              │
//!   sql, resolve,      a Program       Vm on RunHost ──► Connection ──► Database ──► Btree, Pager
//!   optimize, codegen  or a Command                          │
//!                                                    catalog, transaction, settings
//! ```
//!
//! Read first: [`Connection`], [`Statement`], [`Prepared`]. The crate must not know C, or the interfaces above it (`lithedb`, `capi`).
//!
//! A connection consists of parts, each with its own state and methods: `databases`, `definitions`, `settings`, `hooks`,
//! `virtual_tables`, and the modules below [`connection`], which puts them together.
//!
//! | module | subject |
//! | --- | --- |
//! | [`connection`] | the connection, its transaction, its statements, and `host`, their view of it |
//! | `api` | the calls of applications on a connection |
//! | `prepare`, `shared_program`, `generation` | from text to a statement; texts that share a program; stale programs |
//! | `command`, `pragma` | statements that the engine runs itself |
//! | `definitions`, `schema`, `statistics`, `collations` | the meaning of names; loading the catalog; the statistics of ANALYZE |
//! | `database`, `databases`, `open`, `attach`, `journal_mode` | the databases of a connection |
//! | `commit`, `busy`, `shared_cache`, `snapshot` | commits; waiting for locks; table locks; recorded states |
//! | `settings`, `heap_limit`, `random` | settings, limits of memory, random numbers |
//! | `hooks`, `preupdate`, `interrupt` | callbacks of the application; stopping a statement |
//! | `blob`, `row_watches`, `backup`, `vacuum` | parts of BLOBs; copies of databases |
//! | `virtual_tables`, `module_sql`, `module_pages`, `table_functions`, `extension` | virtual tables, and the SQL that modules run |
//! | `integrity`, `foreign_key_check` | checks of a database |
//! | `metadata`, `listing`, `expanded`, `status`, `scan_status`, `file_control` | information about columns, statements and files |
//! | `internal_functions`, `imposter`, `error` | SQLite's functions for its own tests; tables over the entries of an index; errors |
#![forbid(unsafe_code)]

mod api;
mod attach;
mod backup;
mod blob;
mod busy;
mod collations;
mod command;
mod commit;
mod connection;
mod database;
mod databases;
mod definitions;
mod error;
mod expanded;
mod extension;
mod file_control;
mod foreign_key_check;
mod generation;
mod heap_limit;
mod hooks;
mod imposter;
mod integrity;
mod internal_functions;
mod interrupt;
mod journal_mode;
mod kept_tables;
mod listing;
mod metadata;
mod module_pages;
mod module_rows;
mod module_sql;
mod open;
mod planner_calls;
mod pragma;
mod prepare;
mod preupdate;
mod random;
mod row_watches;
mod scan_status;
mod schema;
mod setting_text;
mod settings;
mod shared_cache;
mod shared_program;
mod snapshot;
mod statement_text;
mod statistics;
mod status;
mod table_functions;
mod vacuum;
mod virtual_tables;

pub use backup::{Backup, BackupStep, Deserialize};
pub use blob::Blob;
pub use busy::BusyCallback;
pub use connection::Connection;
pub use connection::host::fail_local_time;
pub use connection::statement::{BindValue, ParameterName, ParameterNames, SqlText, Statement, Step};
pub use databases::TransactionKind;
pub use databases::checkpoint::Checkpoint;
pub use error::{Error, Result};
pub use file_control::DatabaseFile;
pub use heap_limit::{hard_heap_limit, is_over_hard_limit, set_memory_gauge, soft_heap_limit};
pub use hooks::{
    AuthorizerCallback, AutoVacuumHook, CollationNeeded, CommitHook, ExtensionLoader, PreUpdateHook, ProgressHandler,
    RollbackHook, TriggerTrace, UpdateHook, WalHook,
};
pub use interrupt::InterruptHandle;
pub use listing::{Instruction, TreeOpened};
pub use lithe_btree::Sizes;
pub use lithe_format::locks::{move_pending_byte, pending_byte};
pub use lithe_functions as function;
pub use lithe_functions::{RowChange, RowOperation as Change};
pub use lithe_pager::{CheckpointMode, PageCounter, Snapshot};
pub use lithe_resolve::authorize;
pub use lithe_sql as sql;
pub use lithe_value as value;
pub use lithe_vfs as vfs;
pub use lithe_vfs::{ResultCode, TempDirectory, keep_temp_directory, set_error_log};
pub use lithe_vm::operand::OnConflict;
pub use lithe_vm::virtual_table;
pub use metadata::ColumnMetadata;
pub use open::{OpenFlags, Target, VfsFinder, builtin_vfs, target};
pub use prepare::Prepared;
pub use scan_status::PlanElement;
pub use setting_text::boolean;
pub use settings::config::Config;
pub use settings::limit::Limit;
pub use shared_cache::{UnlockCallback, enable_shared_cache};
pub use status::Counter;

/// The SQLite version whose behaviour this one follows.
pub const SQLITE_VERSION: &str = lithe_base::SQLITE_VERSION;

/// The options with which SQLite would have been compiled to have the features of this library, in order.
pub fn compile_options() -> &'static [&'static str] {
    lithe_functions::scalar::compile_options()
}

/// Adds the options for extensions that every connection of the process has. Only the first call has an effect, and
/// only before the options were read.
pub fn add_compile_options(of_extensions: &[&'static str]) {
    lithe_functions::scalar::add_compile_options(of_extensions);
}
