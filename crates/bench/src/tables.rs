//! The two tables of the experiments `points`, `import`, `update` and `concurrency`, with 2,000 characters in each row.

use std::path::Path;

use crate::bare::{Database, user};
use crate::content::text;
use crate::files::settle;
use crate::frame::progress::Progress;
use crate::frame::scratch::Scratch;
use crate::frame::{Error, Result};
use crate::sql::{Cell, Connection, Library, Settings, Statement};

/// Both tables, as they were published.
pub const SCHEMA: &str = "\
CREATE TABLE user(id INTEGER PRIMARY KEY AUTOINCREMENT, c1 INT, c2 VARCHAR(1000), c3 VARCHAR(1000));\
CREATE TABLE orders(id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INT, c1 VARCHAR(1000), c2 VARCHAR(1000));";

/// Inserts a row of `user`: c1, c2, c3.
pub const INSERT_USER: &str = "INSERT INTO user(c1, c2, c3) VALUES (?1, ?2, ?3)";

const INSERT_ORDER: &str = "INSERT INTO orders(user_id, c1, c2) VALUES (?1, ?2, ?3)";

/// The length of a string: the longest that its column allows.
pub const STRING_LEN: usize = 1000;

/// The approximate bytes of a row in a file.
const ROW_BYTES: u64 = 2100;

/// Random strings by row and column: pieces of one long text, so that they cost no time while the clock runs.
#[derive(Clone, Debug)]
pub struct Strings(String);

impl Strings {
    /// The strings of a seed.
    pub fn new(seed: u64) -> Strings {
        Strings(text(&mut fastrand::Rng::with_seed(seed), 1 << 20))
    }

    /// The string of a row and column.
    pub fn of(&self, key: usize, column: usize) -> &str {
        let at = (key * 2 + column).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let begin = at % (self.0.len() - STRING_LEN);
        &self.0[begin..begin + STRING_LEN]
    }

    /// The values of row `key`: a number and two strings.
    pub fn row(&self, key: usize) -> [Cell<'_>; 3] {
        [Cell::from(number(key)), Cell::from(self.of(key, 0)), Cell::from(self.of(key, 1))]
    }

    /// Fails if a row of `user` differs from [`Strings::row`].
    pub fn check(&self, key: usize, row: &dyn crate::sql::Row) -> Result<()> {
        let is_right = row.integer(0) as usize == key
            && row.bytes(2) == self.of(key, 0).as_bytes()
            && row.bytes(3) == self.of(key, 1).as_bytes();
        if is_right { Ok(()) } else { Err(Error::WrongContent(format!("row {key} of user differs"))) }
    }
}

/// The number in row `key`.
pub fn number(key: usize) -> usize {
    key * 7 % 1000
}

/// The disk space of `rows` rows in both tables, in `databases` databases.
pub fn bytes_needed(rows: usize, databases: u64) -> u64 {
    // One factor 2 is for the log.
    2 * 2 * ROW_BYTES * rows as u64 * databases
}

/// Creates a database with `rows` rows in both tables.
pub fn create<L: Library>(path: &Path, rows: usize, strings: &Strings) -> Result<()> {
    let progress = Progress::start(&format!("making {}'s database", L::SIDE.name()), 2 * rows);
    let connection = L::open(path, &Settings::default())?;
    connection.run(SCHEMA)?;
    for insert in [INSERT_USER, INSERT_ORDER] {
        let mut insert = connection.prepare(insert)?;
        connection.run("BEGIN")?;
        for key in 1..=rows {
            insert.run(&strings.row(key))?;
            progress.step();
        }
        connection.run("COMMIT")?;
    }
    progress.finish();
    settle(path)
}

/// The database of the limit: with as many pages as such a database has.
pub fn bare(scratch: &Scratch, rows: usize) -> Result<Database> {
    Database::create(&scratch.file("limit.db"), 2 * user::pages(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_full_and_differ() {
        let strings = Strings::new(1);
        assert_eq!(strings.of(7, 0).len(), STRING_LEN);
        assert_ne!(strings.of(7, 0), strings.of(7, 1));
        assert_ne!(strings.of(7, 0), strings.of(8, 0));
    }
}
