//! Transactions over pages.
//!
//! A [`Pager`] is one connection's hold on one database: it reads pages in place, keeps what a
//! transaction writes in private copies (the dirty set), and publishes them at commit, through a
//! rollback journal or a write-ahead log. What connections of one process share of a file is a
//! [`Database`]. The crate must not know what a page means: of page 1 it knows the fields that
//! count transactions and pages, and of the others nothing.
//!
//! | module | subject |
//! | --- | --- |
//! | [`page_ref`] | a page that is read, wherever its bytes are: the crate's one unsafe room |
//! | `mappings` | mapped files, which grow |
//! | `page_holders` | who holds mapped pages while a commit changes them |
//! | `pager`, `read`, `write`, `run` | the pager itself; its hot paths |
//! | `read_ahead` | mapped pages that are not in memory yet |
//! | `reshape` | another page size |
//! | `dirty`, `savepoint` | the private copies of a write transaction, and going back |
//! | `transaction`, `together`, `settings` | begin, commit, rollback; several databases at once; what pragmas set |
//! | `file_store` | databases in files: locks, snapshots, sources of pages |
//! | `call_policy` | which calls a VFS sees |
//! | `pool` | pages of files that are not mapped |
//! | `rollback` | rollback journals |
//! | `wal`, `checkpoint` | write-ahead logs |
//! | `sector` | pages that a torn write harms together |
//! | `spill`, `temp_file`, `page_map` | transactions larger than the cache |
//! | `in_place`, `straight` | transactions without a journal, which write before they commit |
//! | `concurrent` | write transactions side by side |
//! | `uncommitted` | what connections of one shared cache see of each other's transactions |
//! | `busy` | waiting for others |
//! | `change_log` | which pages commits change, for backups |
//! | `memory` | databases that have no file |
//! | `abandon` | after a panic: every lock is given back |
//! | `database` | what connections share |
#![deny(unsafe_code)]

mod abandon;
mod assert_state;
mod busy;
mod bypass;
mod call_policy;
mod change_log;
mod checkpoint;
mod concurrent;
mod counts;
mod database;
mod dirty;
mod error;
mod file_control;
mod file_store;
mod in_place;
mod journal_mode;
mod mappings;
mod memory;
mod options;
mod page_holders;
mod page_map;
mod page_ref;
mod pager;
mod pool;
mod read;
mod read_ahead;
mod reshape;
mod rollback;
mod run;
mod savepoint;
mod sector;
mod settings;
mod spill;
mod straight;
mod temp_file;
mod together;
mod transaction;
mod uncommitted;
mod wal;
mod write;

pub use change_log::ChangeLog;
pub use counts::PageCounter;
pub use database::Database;
pub use error::{Error, Result};
pub use lithe_vfs::ResultCode;
pub use options::{BeginKind, CacheSize, JournalMode, LockingMode, OpenOptions, Synchronous};
pub use page_holders::{PageHolder, PageHolders};
pub use page_ref::PageRef;
pub use pager::Pager;
pub use rollback::SuperJournal;
pub use run::Head;
pub use settings::BusyHandler;
pub use together::commit_together;
pub use uncommitted::Uncommitted;
pub use wal::{Checkpoint, CheckpointMode};
pub use write::PageMut;

/// What databases are marked with as the version of the library that wrote them: the SQLite that we are
/// level with.
const SQLITE_VERSION_NUMBER: u32 = 3_054_001;
