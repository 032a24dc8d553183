//! The limit of durable writes in SQLite's file format: the same bytes at the same offsets, with the same syncs in the same order, by bare
//! system calls, without parsing, searching, copying, checks or checksums.
//!
//! ```text
//!   rollback journal       write-ahead log                            no journal
//!   journal: old pages     log: a frame a page                        database: pages
//!   fdatasync, folder      fdatasync (one for all waiting commits)
//!   journal: their count   after 1,000 frames:
//!   fdatasync                log: fdatasync
//!   database: pages          database: the last image of each page
//!   fdatasync                fdatasync
//!   journal: unlink          log: restarted, its header synced
//! ```
//!
//! `strace` shows these syncs for Lithe and for SQLite. The bytes are random and prepared before the clock starts, so that adjacent pages,
//! frames or records are one piece of memory and one call.
//!
//! | module | subject |
//! | --- | --- |
//! | `database` | a file of pages |
//! | `journal` | a transaction with a rollback journal |
//! | `log` | transactions with a write-ahead log, of several threads too |
//! | `user` | the pages that the rows of the table `user` touch |

mod database;
mod journal;
mod log;
pub mod user;

use std::time::Instant;

use crate::files::settle;
use crate::frame::threads::together;
use crate::frame::{Error, Result};
use crate::sql::{JournalMode, Settings, Synchronous};

pub use database::{Database, PAGE_LEN, Page};
use log::Log;

/// The pages that a transaction writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Ascending, without duplicates.
    pages: Vec<Page>,
    /// How many of them, the first ones, existed before. The others extend the file, so a rollback journal does not save them.
    existed: usize,
}

impl Transaction {
    /// The transaction of these pages, in a database with `count` pages before it.
    pub fn new(mut pages: Vec<Page>, count: Page) -> Transaction {
        pages.sort_unstable();
        pages.dedup();
        let existed = pages.partition_point(|page| *page <= count);
        Transaction { pages, existed }
    }
}

/// Runs all transactions, divided among the threads; answers the seconds. Only the settings about journals and durability have an effect;
/// missing ones have SQLite's defaults.
pub fn work(database: &Database, settings: &Settings, threads: usize, transactions: &[Transaction]) -> Result<f64> {
    let mode = settings.journal_mode.unwrap_or(JournalMode::Delete);
    let is_durable = settings.synchronous.unwrap_or(Synchronous::Full) == Synchronous::Full;
    match mode {
        JournalMode::Wal => {
            let log = Log::create(database, is_durable, settings.wal_autocheckpoint)?;
            settle(database.path())?;
            let shares = transactions.chunks(transactions.len().div_ceil(threads).max(1)).collect();
            let (seconds, _) = together(shares, |_, share: &[Transaction], gate| {
                gate.pass();
                share.iter().try_for_each(|transaction| log.commit(transaction))
            })?;
            Ok(seconds)
        }
        JournalMode::Delete if is_durable => alone(database, transactions, |one| journal::commit(database, one)),
        JournalMode::Off if !is_durable => alone(database, transactions, |one| database.write(&one.pages)),
        _ => Err(Error::setup(format!("no bare calls are known for journal mode {}", mode.name()))),
    }
}

fn alone(
    database: &Database,
    transactions: &[Transaction],
    commit: impl FnMut(&Transaction) -> Result<()>,
) -> Result<f64> {
    settle(database.path())?;
    let start = Instant::now();
    transactions.iter().try_for_each(commit)?;
    Ok(start.elapsed().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;
    use std::fs;

    #[test]
    fn pages_that_existed_come_first() {
        let transaction = Transaction::new(vec![9, 1, 5, 1], 5);
        assert_eq!(transaction, Transaction { pages: vec![1, 5, 9], existed: 2 });
    }

    /// Two transactions change page 1 and extend the file; at the end the file has the last page's length, and no file is beside it.
    #[test]
    fn every_mode_writes_the_pages_and_clears_up() {
        let wal = |autocheckpoint| Settings {
            journal_mode: Some(JournalMode::Wal),
            wal_autocheckpoint: autocheckpoint,
            ..Settings::default()
        };
        let off = Settings {
            journal_mode: Some(JournalMode::Off),
            synchronous: Some(Synchronous::Off),
            ..Settings::default()
        };
        check(&Settings::default(), 1, 8);
        check(&off, 1, 8);
        check(&wal(Some(2)), 1, 8);
        check(&wal(Some(2)), 2, 8);
        check(&wal(Some(0)), 2, 4); // all pages stay in the log
    }

    fn check(settings: &Settings, threads: usize, pages: u64) {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let database = Database::create(&scratch.file("bare.db"), 4).unwrap();
        let before = first_page(&database);
        let transactions = [Transaction::new(vec![1, 5, 6], 4), Transaction::new(vec![1, 7, 8], 6)];
        assert!(work(&database, settings, threads, &transactions).unwrap() > 0.0);
        assert_eq!(fs::metadata(database.path()).unwrap().len(), pages * PAGE_LEN as u64, "{settings:?}");
        assert_eq!(first_page(&database) == before, pages == 4, "{settings:?}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "{settings:?}");
    }

    fn first_page(database: &Database) -> Vec<u8> {
        fs::read(database.path()).unwrap()[..PAGE_LEN].to_vec()
    }

    #[test]
    fn unknown_modes_are_refused() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let database = Database::create(&scratch.file("bare.db"), 1).unwrap();
        let settings = Settings { journal_mode: Some(JournalMode::Memory), ..Settings::default() };
        assert!(work(&database, &settings, 1, &[]).is_err());
    }
}
