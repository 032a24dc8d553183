//! The store at the level of SQL, compared with SQLite: each script runs on both engines, each with its own files in its own folder, and
//! every answer must be equal.
//!
//! | module | subject |
//! | --- | --- |
//! | `script` | the scripts and how they are run |
//! | `vacuum` | VACUUM, VACUUM INTO, auto_vacuum, incremental_vacuum |
//! | `pragmas` | the answers of pragmas |
//! | `backup` | online backup, serialize, deserialize |
//! | `opening` | URIs, read-only files and folders, databases in memory |
//! | `shared_cache` | locks on tables, unlock-notify |
//! | `shared_cache_threads` | the same in threads |
//! | `beside_readers` | writes while statements of the same connection are on a row |
//! | `mapped_files` | address space, growth, truncated files |
//! | `transactions` | several files, concurrent writers, waiting |
//! | `busy` | which connection gets SQLITE_BUSY, and with which code |
//! | `super_journal` | SQLite's recovery after a crash within a commit over two files |
//! | `recovery` | connections during the recovery of a log |
//! | `journals` | the files beside a database between transactions |
//! | `bulk` | bulk loads past the log |
//! | `large` | files over 4 GB, temporary files |
//! | `new_objects` | rows of the schema table, and entries of indexes, found where they were just written or read |
//! | `overwrites` | long values overwritten in place |
//! | `snapshots` | statements that outdate the snapshots of other connections |

mod backup;
mod beside_readers;
mod bulk;
mod busy;
#[path = "../common/mod.rs"]
mod common;
mod journals;
mod large;
mod mapped_files;
mod new_objects;
mod opening;
mod overwrites;
mod polled;
mod pragmas;
mod recovery;
mod script;
mod shared_cache;
mod shared_cache_threads;
mod snapshots;
mod super_journal;
mod transactions;
mod vacuum;
