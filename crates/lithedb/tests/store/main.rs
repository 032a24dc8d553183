//! The store as SQL sees it, side by side with SQLite: each script runs on both, each engine with files of its own in a
//! folder of its own, and every answer must be the same.
//!
//! | module | subject |
//! | --- | --- |
//! | `script` | the scripts and how they are run |
//! | `vacuum` | VACUUM, VACUUM INTO, auto_vacuum, incremental_vacuum |
//! | `pragmas` | what pragmas answer |
//! | `backup` | online backup, serialize, deserialize |
//! | `opening` | URIs, read-only files and folders, databases in memory |
//! | `shared_cache` | locks on tables, unlock-notify |
//! | `shared_cache_threads` | the same in threads |
//! | `beside_readers` | writing while statements of the same connection stand on their rows |
//! | `mapped_files` | address space, growing, files that lose their bytes |
//! | `transactions` | several files, concurrent writers, waiting |
//! | `busy` | which connection gets SQLITE_BUSY, and with what code |
//! | `super_journal` | what SQLite makes of a crash within a commit over two files |
//! | `recovery` | connections that come while a log is recovered |
//! | `journals` | what lies beside a database between transactions |
//! | `bulk` | bulk loads past the log |
//! | `large` | files over 4 GB, temporary files |
//! | `new_objects` | rows of the schema table, and entries of indexes, found where they were just written or read |
//! | `overwrites` | long values overwritten in place |
//! | `snapshots` | which statements outdate the snapshots of other connections |

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
