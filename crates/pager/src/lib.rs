//! Transactions over pages.
//!
//! A [`Pager`] is one connection's handle of one database: it reads pages in place, keeps what a transaction writes in
//! private copies (the dirty set), and publishes them at commit, through a rollback journal or a write-ahead log. What
//! connections of one process share of a file is a [`Database`]. The crate must not know what a page means, except for
//! the fields of page 1 that count transactions and pages.
//!
//! Read first: [`Pager`] (`pager`), which owns the order of all steps; `Snapshot` (`snapshot`), the committed state that
//! it reads; `WriteTxn` (`write_txn`), what it has written and not committed.
//!
//! ```text
//!   multi_file                     commits over several databases
//!       ▼
//!     pager                        the order of all steps: read, write, spill, begin, commit
//!       │    ╲         ╲
//!       ▼     ▼         ▼
//!   shared_cache  file_store  memory         readers of one process     a file     no file
//!                   │    │   ╲
//!                   ▼    ▼    ▼
//!                 wal  rollback  pool        the two kinds of journal   pages that are not mapped
//!                   ╲    │    ╱
//!                    ▼   ▼   ▼
//!        write_txn, savepoint, spill, dirty, snapshot, page_ref
//! ```
//!
//! The states of a pager and of a write transaction are drawn in `pager/state.rs`, with what holds in each.
//!
//! | module | subject |
//! | --- | --- |
//! | `pager` | the pager: begin, read, write, spill, commit, settings |
//! | `file_store` | databases in files: locks, snapshots, clean pages, what a commit does to the files |
//! | `memory` | databases that have no file |
//! | `wal` | write-ahead logs: frames, index, checkpoints, group commit |
//! | `rollback` | rollback journals: writing, playing back, super-journals |
//! | `spill` | where pages go that leave memory before the commit |
//! | `snapshot` | which committed state is read; counting changes |
//! | `write_txn`, `dirty`, `savepoint` | what a transaction has written, in memory; going back |
//! | `shared_cache` | what connections of one shared cache see of each other's transactions |
//! | `pool` | pages of files that are not mapped |
//! | `page_ref` | a page that is read, wherever its bytes are: the crate's one unsafe module |
//! | `mappings`, `read_ahead` | mapped files, which grow; mapped pages that are not in memory yet |
//! | `concurrent` | what a transaction beside other writers has read |
//! | `multi_file` | commits over several databases |
//! | `call_policy`, `sector` | which calls a VFS sees; pages that a torn write harms together |
//! | `page_map`, `temp_file` | where each of many pages has been put; pages in a temporary file |
//! | `database` | what connections share |
//! | `settings`, `options`, `counts`, `error` | settings, how a database is opened, counters, errors |
//!
//! Why it is so: [docs/decisions](../../../docs/decisions).
#![deny(unsafe_code)]

mod call_policy;
mod concurrent;
mod counts;
mod database;
mod dirty;
mod error;
mod file_store;
mod mappings;
mod memory;
mod multi_file;
mod options;
mod page_map;
mod page_ref;
mod pager;
mod pool;
mod read_ahead;
mod rollback;
mod savepoint;
mod sector;
mod settings;
mod shared_cache;
mod snapshot;
mod spill;
mod temp_file;

mod wal;
mod write_txn;

pub use counts::PageCounter;
pub use database::Database;
pub use error::{Error, Result};
pub use lithe_vfs::ResultCode;
pub use multi_file::commit_multi_file;
pub use options::{BeginKind, CacheSize, JournalMode, LockingMode, OpenOptions, Synchronous};
pub use page_ref::PageRef;
pub use pager::{ChangeLog, Head, PageHolder, PageHolders, PageInPlace, PageMut, Pager};
pub use rollback::SuperJournal;
pub use settings::BusyHandler;
pub use shared_cache::SharedCache;
pub use wal::{Checkpoint, CheckpointMode, Snapshot};
