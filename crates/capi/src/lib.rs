//! The C library: `libsqlite3.so` and `libsqlite3.a`, every public symbol of SQLite's header over the same engine.
//!
//! ```text
//!   program ──► sqlite3_* (api! { … })          a module for each subject below
//!                  │  ffi_guard: a panic goes no further
//!                  │  connection (statements among it), value, context: handles to references
//!                  ▼
//!               lithe_engine::Connection, Statement, Blob …
//! ```
//!
//! Handles are structures of this library, opaque to the application. A call takes the connection's mutex, calls the
//! engine, stores the result in the connection's last error, and returns a code.
//!
//! | to … | see |
//! | --- | --- |
//! | open, close, load extensions | `open`, `connection`, `uri`, `extension`, `api_routines` |
//! | give a connection of Rust code a handle | `handle` |
//! | run SQL | `prepare`, `bind`, `step`, `column`, `exec`, `connection::statement` |
//! | values, functions, collations | `value`, `context`, `function`, `collation` |
//! | callbacks | `connection::hook`, `connection::preupdate` |
//! | virtual tables | `virtual_table`, `index_info`, `rtree` (its geometries), `fts3` (tokenizers), `fts5` (tokenizers, auxiliary functions), `carray`, `statement_table`, `program_tables` |
//! | parts of BLOBs, copies of databases, snapshots, checkpoints | `blob`, `backup`, `snapshot`, `wal` |
//! | settings, counts, names, messages | `config`, `code`, `error_log`, `database_config`, `status`, `connection_info`, `database`, `connection::error`,
//! `threading`, `version` |
//! | changesets | `session` |
//! | files | `vfs`, `file_control` |
//! | memory, mutexes, strings | `heap`, `memory`, `small_blocks`, `mutex`, `recursive_mutex`, `thread`, `mprintf`, `string_builder`, `string`, `incomplete`, `text` |
//! | functions with variable arguments | `variadic` and `csrc/variadic.c` |
//! | the costs of the loops of statements | `scan_status` |
//!
//! Read first: `connection::sqlite3`, `connection::statement::sqlite3_stmt`, `ffi_guard`. The crate must not know SQL, pages or files:
//! each call ends in the engine.

mod api_routines;
mod backup;
mod bind;
mod blob;
mod carray;
mod code;
mod collation;
mod column;
mod config;
mod connection;
mod connection_info;
mod context;
mod database;
mod database_config;
mod error_log;
mod exec;
mod extension;
mod ffi_guard;
mod file_control;
mod fts3;
mod fts5;
mod function;
mod handle;
mod heap;
mod incomplete;
mod index_info;
mod memory;
mod mprintf;
mod mutex;
mod open;
#[cfg(test)]
mod panic_tests;
mod prepare;
mod program_tables;
mod recursive_mutex;
mod rtree;
mod scan_status;
mod session;
mod small_blocks;
mod snapshot;
mod statement_table;
mod status;
mod step;
mod string;
mod string_builder;
mod temp_directory;
mod text;
mod thread;
mod threading;
mod uri;
mod value;
mod variadic;
mod version;
mod vfs;
mod virtual_table;
mod wal;

pub use handle::Handle;
