//! What nobody can do without who writes pages durably in SQLite's file format: the same bytes to the same places, with
//! the same syncs in the same order, by bare calls. Nothing is parsed, searched, copied, checked or summed up.
//!
//! ```text
//!   rollback journal       write-ahead log                            no journal
//!   journal: old pages     log: a frame a page                        database: pages
//!   fdatasync, folder      fdatasync (one for all who wait)
//!   journal: their count   after 1,000 frames:
//!   fdatasync                log: fdatasync
//!   database: pages          database: the last image of each page
//!   fdatasync                fdatasync
//!   journal: unlink          log: begun anew, its header synced
//! ```
//!
//! `strace` shows these syncs of Lithe and of SQLite. The bytes are random and lie ready before the clock starts, so that
//! neighbouring pages, frames or records are one piece of memory and one call.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `database` | a file of pages |
//! | `journal` | a transaction with a rollback journal |
//! | `log` | transactions with a write-ahead log, of several threads too |
//! | `user` | which pages the rows of the table `user` touch |

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

/// What a transaction writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Ascending, each once.
    pages: Vec<Page>,
    /// How many of them, the first ones, existed before: the others lengthen the file, and nobody asks for them back.
    existed: usize,
}

impl Transaction {
    /// These pages, of a database that had `count` of them before.
    pub fn new(mut pages: Vec<Page>, count: Page) -> Transaction {
        pages.sort_unstable();
        pages.dedup();
        let existed = pages.partition_point(|page| *page <= count);
        Transaction { pages, existed }
    }
}

/// Does all transactions, each thread its share, and gives the seconds that it took. Of the settings only those about
/// journals and durability have a meaning; what is not set is SQLite's default.
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

    /// Two transactions change page 1 and lengthen the file; in the end it is as long as its last page says, and nothing
    /// lies beside it.
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
        check(&wal(Some(0)), 2, 4); // everything stays in the log
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
