//! A transaction with a rollback journal, `synchronous=FULL`: the old pages are durable before the database changes.
//!
//! ```text
//!   0          512        4,616
//!   | header   | record   | record   ...      a record: page number, page image, sum
//! ```

use super::{Database, PAGE_LEN, Transaction};
use crate::frame::Result;

const HEADER_LEN: usize = 512;
const RECORD_LEN: usize = 4 + PAGE_LEN + 4;

/// The part of the header that has the number of durable records.
const COUNT_LEN: usize = 12;

/// Writes the transaction.
pub fn commit(database: &Database, transaction: &Transaction) -> Result<()> {
    let journal = database.beside("-journal")?;
    journal.write(0, HEADER_LEN + transaction.existed * RECORD_LEN)?;
    journal.sync()?;
    database.sync_folder()?;
    journal.write(0, COUNT_LEN)?;
    journal.sync()?;
    database.write(&transaction.pages)?;
    database.sync()?;
    journal.unlink()
}
