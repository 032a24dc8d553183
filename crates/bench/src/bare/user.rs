//! The pages that the rows of the table `user` touch: two rows fill a leaf; appended leaves are adjacent, and a new parent precedes its
//! leaves.
//!
//! ```text
//!   1        2        3           4          5          6 ...
//!   | schema | root   | sequence  | orders   | parent   | leaf | leaf | ... | parent | leaf ...
//! ```

use super::{Page, Transaction};
use crate::sql::JournalMode;

const SCHEMA: Page = 1;
const ROOT: Page = 2;
const SEQUENCE: Page = 3;

/// The number of pages of a database without rows.
pub const EMPTY: Page = 4;

const ROWS_A_LEAF: usize = 2;

/// An interior page of 4,084 bytes has a cell of 9 bytes, pointer included, for each child.
const LEAVES_A_PARENT: Page = 453;

fn leaf(row: usize) -> Page {
    let leaf = ((row - 1) / ROWS_A_LEAF) as Page;
    parent(row) + 1 + leaf % LEAVES_A_PARENT
}

fn parent(row: usize) -> Page {
    let leaf = ((row - 1) / ROWS_A_LEAF) as Page;
    EMPTY + 1 + leaf / LEAVES_A_PARENT * (LEAVES_A_PARENT + 1)
}

/// The number of pages of a database with that many rows.
pub fn pages(rows: usize) -> Page {
    if rows == 0 { EMPTY } else { leaf(rows) }
}

/// Inserts the rows 1 to `rows` into a new database.
pub fn import(rows: usize) -> Transaction {
    let mut pages: Vec<Page> = (EMPTY + 1..=pages(rows)).collect();
    pages.extend([SCHEMA, ROOT, SEQUENCE]);
    Transaction::new(pages, EMPTY)
}

/// Inserts one row after all others: changes its leaf, and the AUTOINCREMENT counter. A new leaf also changes its parent, and the file's
/// length in page 1; with a rollback journal, page 1 has the change counter, which every transaction changes.
pub fn insert(row: usize, mode: JournalMode) -> Transaction {
    let before = pages(row - 1);
    let mut touched = vec![SEQUENCE, leaf(row)];
    let is_longer = leaf(row) > before;
    if is_longer {
        touched.push(parent(row));
    }
    if parent(row) > before {
        touched.push(ROOT);
    }
    if is_longer || mode != JournalMode::Wal {
        touched.push(SCHEMA);
    }
    Transaction::new(touched, before)
}

/// Updates rows of a database with `pages` pages: changes their leaves; with a rollback journal, also the change counter.
pub fn update(rows: &[usize], mode: JournalMode, pages: Page) -> Transaction {
    let mut touched: Vec<Page> = rows.iter().map(|&row| leaf(row)).collect();
    if mode != JournalMode::Wal {
        touched.push(SCHEMA);
    }
    Transaction::new(touched, pages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;
    use crate::sql::{Connection, Library, Settings, Sqlite, Statement};
    use crate::tables::{self, INSERT_USER, Strings};

    /// SQLite's layout is the same: as many pages, up to a few, and two rows a leaf.
    #[test]
    fn rows_lie_as_sqlite_lays_them() {
        const ROWS: usize = 4000;
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let connection = Sqlite::open(&scratch.file("user.db"), &Settings::default()).unwrap();
        let found = |sql: &str| connection.integer(sql).unwrap();
        connection.run(tables::SCHEMA).unwrap();
        assert_eq!(found("PRAGMA page_count"), i64::from(EMPTY));
        let strings = Strings::new(1);
        let mut insert = connection.prepare(INSERT_USER).unwrap();
        connection.run("BEGIN").unwrap();
        (1..=ROWS).for_each(|row| _ = insert.run(&strings.row(row)).unwrap());
        connection.run("COMMIT").unwrap();
        let leaves = found("SELECT count(*) FROM dbstat WHERE name = 'user' AND pagetype = 'leaf'");
        assert_eq!(leaves, (ROWS / ROWS_A_LEAF) as i64);
        let difference = found("PRAGMA page_count") - i64::from(pages(ROWS));
        assert!(difference.abs() <= 2, "{difference} pages more");
    }

    #[test]
    fn pages_of_single_rows() {
        use JournalMode::{Delete, Wal};
        check(insert(1, Delete), &[1, 2, 3, 5, 6], 4);
        check(insert(2, Delete), &[1, 3, 6], 6);
        check(insert(2, Wal), &[3, 6], 6);
        check(insert(3, Wal), &[1, 3, 5, 7], 6);
        check(update(&[3, 1, 4], Delete, 9), &[1, 6, 7], 9);
        check(update(&[3], Wal, 9), &[7], 9);
        check(import(4), &[1, 2, 3, 5, 6, 7], 4);
        assert_eq!((leaf(906), parent(907), leaf(907)), (458, 459, 460));
    }

    fn check(found: Transaction, pages: &[Page], count: Page) {
        assert_eq!(found, Transaction::new(pages.to_vec(), count));
    }
}
