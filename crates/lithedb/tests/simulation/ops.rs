//! Random statements: small and large ones, successful ones and ones that fail halfway.

use lithe::vfs::Random;

use crate::config::{Config, pick};
use crate::engines::{Arg, Op};

/// The tables of every run.
pub const SCHEMA: [&str; 7] = [
    "CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, v BLOB)",
    "CREATE INDEX t_n ON t(n)",
    "CREATE TABLE u(k TEXT PRIMARY KEY, n INT UNIQUE, v BLOB) WITHOUT ROWID",
    "CREATE TABLE x0(id INTEGER PRIMARY KEY, w TEXT UNIQUE, z)",
    "CREATE VIRTUAL TABLE words USING fts5(body)",
    "CREATE VIRTUAL TABLE letters USING fts4(body)",
    "CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1)",
];

/// The table of the second database.
pub const AUX_SCHEMA: &str = "CREATE TABLE aux.a(id INTEGER PRIMARY KEY, n INT, v BLOB)";

/// A number of pages that exceeds a small cache.
pub const LARGE_LOAD: u32 = 12;

const COUNT: &str = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<?1)";
const POLICIES: [&str; 6] = ["ABORT", "ABORT", "FAIL", "ROLLBACK", "IGNORE", "REPLACE"];

/// Makes statements; no two of them write the same bytes.
pub struct Ops {
    page_size: u32,
    attached: bool,
    number: u64,
    columns: u32,
    indexes: u32,
}

impl Ops {
    pub fn new(config: &Config, first_number: u64) -> Ops {
        Ops { page_size: config.page_size, attached: config.attached, number: first_number, columns: 0, indexes: 0 }
    }

    /// Unique bytes: at most `pages` pages of them, mostly few.
    fn bytes(&mut self, random: &mut Random, pages: u64) -> Arg {
        self.number += 1;
        let most = if random.one_in(4) { u64::from(self.page_size) * pages } else { 60 };
        let mut bytes = vec![0; random.below(most + 1) as usize];
        Random::new(self.number).fill(&mut bytes);
        Arg::Blob(bytes)
    }

    /// A statement that writes.
    pub fn write(&mut self, random: &mut Random) -> Op {
        let choices = if self.attached { 28 } else { 24 };
        match random.below(choices) {
            0..=3 => self.insert(random),
            4 => self.insert_many(random),
            5..=7 => self.update(random),
            8 | 9 => self.delete(random),
            10..=12 => self.insert_unique(random),
            13 => self.update_unique(random),
            14 => self.replace_text(random),
            15..=17 => self.schema(random),
            18 => Op::new("UPDATE x0 SET w = w || 'x', z = ?1", [self.bytes(random, 1)]),
            19 => self.insert_text(random),
            20 | 21 => self.change_words(random),
            22 | 23 => self.change_boxes(random),
            24 | 25 => {
                let bytes = self.bytes(random, 2);
                Op::new("INSERT INTO aux.a(n, v) VALUES (?1, ?2)", [Arg::Int(random.below(9) as i64), bytes])
            }
            26 => {
                let bytes = self.bytes(random, 1);
                Op::new("UPDATE aux.a SET v = ?2 WHERE id % 3 = ?1", [Arg::Int(random.below(3) as i64), bytes])
            }
            _ => Op::new("DELETE FROM aux.a WHERE id % 4 = ?1", [Arg::Int(random.below(4) as i64)]),
        }
    }

    fn insert(&mut self, random: &mut Random) -> Op {
        let bytes = self.bytes(random, 4);
        Op::new("INSERT INTO t(n, v) VALUES (?1, ?2)", [Arg::Int(random.below(20) as i64), bytes])
    }

    fn insert_many(&mut self, random: &mut Random) -> Op {
        let count = Arg::Int(1 + random.below(40) as i64);
        let bytes = self.bytes(random, 1);
        Op::new(format!("INSERT INTO t(n, v) {COUNT} SELECT i % 7, substr(?2, 1 + i) FROM c"), [count, bytes])
    }

    /// INSERTs of many pages: one of all rows, or one of each row.
    pub fn load(&mut self, random: &mut Random) -> Vec<Op> {
        self.number += 1;
        let mut bytes = vec![0; self.page_size as usize];
        Random::new(self.number).fill(&mut bytes);
        let count = LARGE_LOAD + random.below(8) as u32;
        if random.one_in(2) {
            let insert = "INSERT INTO t(n, v) VALUES (?1 % 7, substr(?2, 1 + ?1))";
            return (0..count).map(|i| Op::new(insert, [Arg::Int(i.into()), Arg::Blob(bytes.clone())])).collect();
        }
        let insert = format!("INSERT INTO t(n, v) {COUNT} SELECT i % 7, substr(?2, 1 + i) FROM c");
        vec![Op::new(insert, [Arg::Int(count.into()), Arg::Blob(bytes)])]
    }

    fn update(&mut self, random: &mut Random) -> Op {
        let [modulus, rest] = self.some_rows(random);
        let bytes = self.bytes(random, 2);
        Op::new("UPDATE t SET n = n + 1, v = ?3 WHERE id % ?1 = ?2", [modulus, rest, bytes])
    }

    fn delete(&mut self, random: &mut Random) -> Op {
        let rows = self.some_rows(random);
        let sql = pick(
            random,
            &[
                "DELETE FROM t WHERE id % ?1 = ?2",
                "DELETE FROM t WHERE id % ?1 >= ?2",
                "DELETE FROM u WHERE n % ?1 = ?2",
                "DELETE FROM x0 WHERE id % ?1 = ?2",
            ],
        );
        Op::new(sql, rows)
    }

    fn some_rows(&mut self, random: &mut Random) -> [Arg; 2] {
        let modulus = 2 + random.below(9);
        [Arg::Int(modulus as i64), Arg::Int(random.below(modulus) as i64)]
    }

    /// An INSERT that sometimes fails halfway, with each conflict clause.
    fn insert_unique(&mut self, random: &mut Random) -> Op {
        let policy = pick(random, &POLICIES);
        let count = Arg::Int(1 + random.below(8) as i64);
        let (keys, numbers) = (Arg::Int(3 + random.below(40) as i64), Arg::Int(3 + random.below(60) as i64));
        let bytes = self.bytes(random, 1);
        Op::new(
            format!(
                "INSERT OR {policy} INTO u(k, n, v) {COUNT} SELECT 'key' || (i * 7 % ?2), i * 5 % ?3, substr(?4, i) FROM c"
            ),
            [count, keys, numbers, bytes],
        )
    }

    fn update_unique(&mut self, random: &mut Random) -> Op {
        let policy = pick(random, &POLICIES);
        let [modulus, rest] = self.some_rows(random);
        Op::new(format!("UPDATE OR {policy} u SET n = n + ?2 WHERE n % ?1 < 2"), [modulus, rest])
    }

    fn insert_text(&mut self, random: &mut Random) -> Op {
        let count = Arg::Int(1 + random.below(6) as i64);
        self.number += 1;
        let number = Arg::Int(self.number as i64);
        Op::new(
            format!("INSERT INTO x0(w, z) {COUNT} SELECT 'word ' || (?2 * 100 + i), i * 0.5 FROM c"),
            [count, number],
        )
    }

    fn replace_text(&mut self, random: &mut Random) -> Op {
        let bytes = self.bytes(random, 3);
        Op::new("REPLACE INTO x0(id, w, z) VALUES (?1, 'row ' || ?1, ?2)", [Arg::Int(random.below(9) as i64), bytes])
    }

    /// A change of a full-text table, whose index is written at the end of the transaction.
    fn change_words(&mut self, random: &mut Random) -> Op {
        let table = pick(random, &["words", "letters"]);
        let [modulus, rest] = self.some_rows(random);
        self.number += 1;
        let number = Arg::Int(self.number as i64);
        match random.below(5) {
            0 => Op::new(format!("DELETE FROM {table} WHERE rowid % ?1 = ?2"), [modulus, rest]),
            1 => {
                let sql = format!("UPDATE {table} SET body = body || ' w' || ?3 WHERE rowid % ?1 = ?2");
                Op::new(sql, [modulus, rest, number])
            }
            2 => Op::new(format!("INSERT INTO {table}({table}) VALUES('optimize')"), []),
            _ => {
                let body = "'w' || i || ' of w' || ?2 || ' x' || i % 3";
                Op::new(format!("INSERT INTO {table} {COUNT} SELECT {body} FROM c"), [modulus, number])
            }
        }
    }

    fn change_boxes(&mut self, random: &mut Random) -> Op {
        let policy = pick(random, &POLICIES);
        let [modulus, rest] = self.some_rows(random);
        match random.below(4) {
            0 => Op::new("DELETE FROM boxes WHERE id % ?1 = ?2", [modulus, rest]),
            1 => Op::new("UPDATE boxes SET x1 = x1 + 1 WHERE id % ?1 = ?2", [modulus, rest]),
            _ => {
                // Some boxes end before they begin, and some keys exist already.
                let first = Arg::Int(random.below(60) as i64);
                let values = "?2 + i * ?3, i * 2, i * 2 + (i % 9) - (i = 7)";
                let sql = format!("INSERT OR {policy} INTO boxes {COUNT} SELECT {values} FROM c");
                Op::new(sql, [Arg::Int(1 + random.below(12) as i64), first, modulus])
            }
        }
    }

    fn schema(&mut self, random: &mut Random) -> Op {
        let table = 1 + random.below(3);
        let sql = match random.below(8) {
            0 | 1 => format!("CREATE TABLE IF NOT EXISTS x{table} AS SELECT id, n, v FROM t WHERE id % 3 = 0"),
            2 | 3 => format!("DROP TABLE IF EXISTS x{table}"),
            4 => {
                self.indexes += 1;
                format!("CREATE INDEX IF NOT EXISTS i{} ON t(v, n)", self.indexes % 3)
            }
            5 => format!("DROP INDEX IF EXISTS i{}", random.below(3)),
            6 if self.columns < 3 => {
                self.columns += 1;
                format!("ALTER TABLE x0 ADD COLUMN c{} DEFAULT 'd'", self.number)
            }
            _ => format!("CREATE TABLE x{table}(id INTEGER PRIMARY KEY, w TEXT UNIQUE, z)"),
        };
        self.number += 1;
        Op::new(sql, [])
    }
}
