//! The limit of overwriting BLOBs in a database: writes of the leaf and the overflow pages of each, by bare system calls.
//!
//! ```text
//!   1        2          3 ...
//!   | schema | BLOB 1's run | leaf | BLOB 2's run | BLOB 3's run | leaf | ...     leaves are shared by neighbours
//! ```
//!
//! The pages of a BLOB are those that the file format gives it; the interior pages between them are left out.

use crate::bare::{self, Database, PAGE_LEN, Page, Transaction};
use crate::blobs::workload::Workload;
use crate::content::Content;
use crate::frame::Result;
use crate::frame::results::{Name, Side};
use crate::frame::turns::{Contestants, Round, Turn};
use crate::sql::{JournalMode, Settings, Synchronous};

/// A database of such pages, with random content.
pub struct Bare<'w> {
    workload: &'w Workload,
    database: Database,
    /// The places by key: that of key `n` is at `n - 1`.
    places: Vec<Place>,
    pages: Page,
}

/// The pages of a BLOB.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    leaf: Page,
    /// The first of its overflow pages, and their number.
    run: Page,
    run_len: Page,
}

impl<'w> Bare<'w> {
    /// Creates the database.
    pub fn create(workload: &'w Workload) -> Result<Self> {
        let (places, pages) = lay_out(&workload.content, workload.options.count);
        let database = Database::create(&workload.folder().join("limit.db"), pages)?;
        Ok(Bare { workload, database, places, pages })
    }

    /// The contestants that overwrite in one transaction.
    pub fn in_one_transaction(&self) -> Contestants<'_> {
        let overwrites = self.workload.options.overwrites;
        [
            ("wal", "WAL, sync NORMAL", JournalMode::Wal, Synchronous::Normal),
            ("off", "no journal, sync OFF", JournalMode::Off, Synchronous::Off),
        ]
        .map(|(id, words, mode, synchronous)| {
            self.contestant(id, words, settings(mode, synchronous), 1, overwrites, overwrites)
        })
        .into()
    }

    /// The contestants with one durable transaction for each BLOB.
    pub fn one_by_one(&self) -> Contestants<'_> {
        let (commits, writers) = (self.workload.options.commits, self.workload.options.writers);
        let several = format!("WAL, {writers} threads");
        [
            ("wal", "WAL", JournalMode::Wal, 1),
            ("delete", "rollback journal", JournalMode::Delete, 1),
            ("wal-threads", several.as_str(), JournalMode::Wal, writers),
        ]
        .map(|(id, words, mode, threads)| {
            self.contestant(id, words, settings(mode, Synchronous::Full), threads, commits, 1)
        })
        .into()
    }

    fn contestant(
        &self,
        id: &str,
        words: &str,
        settings: Settings,
        threads: usize,
        count: usize,
        batch: usize,
    ) -> Box<dyn crate::frame::turns::Contestant + '_> {
        let name = Name::new(format!("limit-{id}"), format!("limit: {words}"), Side::Limit);
        Box::new(Turn(name, move |round: Round| {
            let keys = self.workload.some_keys(round, count);
            let transactions: Vec<_> =
                keys.chunks(batch.max(1)).map(|keys| self.transaction(keys, settings.journal_mode)).collect();
            let seconds = bare::work(&self.database, &settings, threads, &transactions)?;
            Ok(seconds * 1e6 / keys.len().max(1) as f64)
        }))
    }

    /// Overwrites these BLOBs. Without a log, the transaction changes the counter in page 1.
    fn transaction(&self, keys: &[usize], mode: Option<JournalMode>) -> Transaction {
        let mut pages = if mode == Some(JournalMode::Wal) { Vec::new() } else { vec![1] };
        for &key in keys {
            let Place { leaf, run, run_len } = self.places[key - 1];
            pages.push(leaf);
            pages.extend(run..run + run_len);
        }
        Transaction::new(pages, self.pages)
    }
}

/// The settings of [`OverwriteSql`](super::overwrite::OverwriteSql): no checkpoint while the clock runs.
fn settings(mode: JournalMode, synchronous: Synchronous) -> Settings {
    Settings {
        journal_mode: Some(mode),
        synchronous: Some(synchronous),
        wal_autocheckpoint: Some(0),
        ..Settings::default()
    }
}

/// The places of BLOBs 1 to `count` after INSERTs in this order, and the number of pages.
fn lay_out(content: &Content, count: usize) -> (Vec<Place>, Page) {
    let (mut places, mut pages): (Vec<Place>, Page) = (Vec::new(), 2);
    let (mut leaf, mut free) = (pages, LEAF_CAPACITY);
    for key in 1..=count {
        let (local, run_len) = split(record_len(content.size(key)));
        let run = pages + 1;
        pages += run_len;
        let cell = CELL_OVERHEAD + local;
        if cell > free {
            pages += 1;
            (leaf, free) = (pages, LEAF_CAPACITY);
        }
        free = free.saturating_sub(cell);
        places.push(Place { leaf, run, run_len });
    }
    (places, pages)
}

/// The bytes of a leaf after its header.
const LEAF_CAPACITY: usize = PAGE_LEN - 8;

/// A cell's pointer, payload length, key (of three bytes), and first overflow page.
const CELL_OVERHEAD: usize = 2 + 2 + 3 + 4;

/// A record of NULL for the key and a BLOB of some 10 kB, of which the type, a varint, is `2 * len + 12`.
fn record_len(len: usize) -> usize {
    let type_len = if 2 * len + 12 < 1 << 14 { 2 } else { 3 };
    1 + 1 + type_len + len
}

/// The bytes of a payload that stay in the leaf, and the number of overflow pages for the rest: the file format's rule.
fn split(payload: usize) -> (usize, Page) {
    const LARGEST: usize = PAGE_LEN - 35;
    const SMALLEST: usize = (PAGE_LEN - 12) * 32 / 255 - 23;
    const OVERFLOW: usize = PAGE_LEN - 4;
    if payload <= LARGEST {
        return (payload, 0);
    }
    let local = SMALLEST + (payload - SMALLEST) % OVERFLOW;
    let local = if local <= LARGEST { local } else { SMALLEST };
    (local, (payload - local).div_ceil(OVERFLOW) as Page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;
    use crate::sql::{Cell, Connection, Library, Sqlite, Statement};

    /// SQLite needs as many pages for the same BLOBs, apart from interior pages.
    #[test]
    fn blobs_lie_as_sqlite_lays_them() {
        const BLOBS: usize = 500;
        let (scratch, content) = (Scratch::new(&std::env::temp_dir(), 1).unwrap(), Content::new(1, 10_000, 2_000));
        let connection = Sqlite::open(&scratch.file("kv.db"), &Settings::default()).unwrap();
        connection.run(crate::blobs::schema::SCHEMA).unwrap();
        connection.run("BEGIN").unwrap();
        let (mut insert, mut bytes) = (connection.prepare("INSERT INTO kv VALUES (?1, ?2)").unwrap(), Vec::new());
        for key in 1..=BLOBS {
            content.fill(key, 0, &mut bytes);
            insert.run(&[Cell::from(key), Cell::Blob(&bytes)]).unwrap();
        }
        connection.run("COMMIT").unwrap();
        let found = |kind: &str| {
            let sql = format!("SELECT count(*) FROM dbstat WHERE name = 'kv' AND pagetype = '{kind}'");
            connection.integer(&sql).unwrap()
        };
        let (places, pages) = lay_out(&content, BLOBS);
        let overflow: Page = places.iter().map(|place| place.run_len).sum();
        assert_eq!(found("overflow"), i64::from(overflow));
        let leaves = i64::from(pages - overflow - 1);
        assert!((found("leaf") - leaves).abs() <= leaves / 50, "{} leaves, {leaves} expected", found("leaf"));
    }
}
