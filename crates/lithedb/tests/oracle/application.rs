//! An application's statements: a shop with customers, products, orders and events, and the queries and writes of its program.
//! DISTINCT and ORDER BY inside of aggregates, and use windows; common tables walk trees and calendars; pages follow a row value;
//! UPSERT, UPDATE … FROM, RETURNING, triggers between two tables, views under other queries, transactions and savepoints, new
//! indexes, ANALYZE, REINDEX and VACUUM come in between. After each write the contents of all tables are compared, by a scan of each.
//!
//! The result of every query is determined: ORDER BY ends with the primary keys of all sources, at the end of a query, inside aggregates
//! and in windows; LIMIT only follows such an order. The inputs of GROUP BY, DISTINCT, UNION, min and max have a single value for all that
//! compare equal (`World::settled`), and bare columns belong to the row whose key is grouped by.
//!
//! The generator cannot produce: ALTER TABLE and DROP TABLE; ATTACH and temporary objects; STRICT tables; parameters; BLOBs; UTF-16;
//! two statements open at once; CREATE TABLE AS; virtual tables, except `json_each` and `json_tree`; INSTEAD OF triggers and triggers
//! that call themselves; deferred foreign keys; NATURAL and USING; windows by name; functions of the clock and of chance; `median`
//! and the percentiles, which the oracle's library lacks. Other tests of this folder have most of these.

mod expressions;
mod queries;
mod reports;
mod rows;
mod schema;
mod tables;
mod writes;

use fastrand::Rng;

use crate::pair::{Difference, Ended, Pair};
use crate::{Found, report_by};

/// The number of statements of a world, after its tables are filled.
const STATEMENTS: usize = 120;

/// Marks a query whose ORDER BY determines the order of its rows.
const ORDERED: &str = " /* ordered */";
/// Marks a statement after which the tables are compared.
const WRITES: &str = " /* writes */";

/// The queries that are compared after a write. Those of the table that may be WITHOUT ROWID, and of AUTOINCREMENT, may fail.
const CONTENTS: [&str; 11] = [
    "SELECT changes(), total_changes(), last_insert_rowid()",
    "SELECT rowid, * FROM customer",
    "SELECT rowid, * FROM category",
    "SELECT rowid, * FROM product",
    "SELECT rowid, * FROM orders",
    "SELECT rowid, * FROM item",
    "SELECT rowid, * FROM tag",
    "SELECT rowid, * FROM product_tag",
    "SELECT * FROM product_tag",
    "SELECT rowid, * FROM event",
    "SELECT rowid, * FROM sqlite_sequence",
];

/// The report about a world, if the answers differ. `show` gets the statements.
pub fn check(seed: u64, show: impl Fn(&str)) -> Option<String> {
    let statements = World::new(seed).script();
    statements.iter().for_each(|sql| show(sql));
    let found = run(&statements).err()?;
    Some(report_by(seed, &statements[..=found.at], &found, run))
}

fn run(statements: &[String]) -> Result<(), Found> {
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        match step(&mut pair, sql) {
            Ok(Step::Done) => {}
            Ok(Step::Over) => return Ok(()),
            Err(difference) => return Err(Found { at, difference }),
        }
    }
    Ok(())
}

/// The result of a step.
enum Step {
    Done,
    /// SQLite was interrupted in a write that took too long, so Lithe was not run.
    Over,
}

fn step(pair: &mut Pair, sql: &str) -> Result<Step, Box<Difference>> {
    let is_write = sql.ends_with(WRITES);
    if pair.run(sql)? == Ended::TooLate {
        return Ok(if is_write { Step::Over } else { Step::Done });
    }
    if is_write {
        CONTENTS.iter().try_for_each(|query| pair.run(query).map(|_| ()))?;
    }
    Ok(Step::Done)
}

/// The generator.
pub struct World {
    rng: Rng,
    /// The approximate number of rows of the larger tables.
    size: i64,
    /// The number of aliases and names of objects so far.
    made: usize,
    views: Vec<View>,
    /// Whether `product_tag` has rowids.
    tags_have_rowids: bool,
}

/// A view and two of its columns.
#[derive(Clone)]
struct View {
    name: String,
    columns: [&'static str; 2],
}

impl World {
    fn new(seed: u64) -> World {
        let mut rng = Rng::with_seed(seed ^ 0x5409_0000);
        let size = [8, 20, 40, 80][rng.usize(0..4)];
        World { rng, size, made: 0, views: Vec::new(), tags_have_rowids: true }
    }

    fn script(&mut self) -> Vec<String> {
        let mut script = self.create_tables();
        script.push(format!("PRAGMA foreign_keys = {}", self.one(&["0", "0", "1"])));
        script.extend((0..self.rng.usize(0..10)).map(|_| self.create_index()).collect::<Vec<_>>());
        script.push("BEGIN".to_owned());
        script.extend(self.fill_tables());
        script.push("COMMIT".to_owned());
        script.extend((0..STATEMENTS).map(|_| self.statement()).collect::<Vec<_>>());
        script.push("PRAGMA integrity_check".to_owned());
        script.push("PRAGMA foreign_key_check".to_owned());
        script
    }

    fn statement(&mut self) -> String {
        match self.rng.u32(0..100) {
            0..4 => self.create_index(),
            4..6 => self.create_view(),
            6..7 => self.upkeep(),
            7..8 => self.create_trigger(),
            8..10 => self.transaction() + WRITES,
            10..28 => self.write() + WRITES,
            28..50 => self.plain().answer(),
            50..63 => self.grouped().answer(),
            63..68 => self.totals().answer(),
            68..78 => self.windowed().answer(),
            78..94 => self.composed().answer(),
            _ => self.of_view().answer(),
        }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn one<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[self.rng.usize(0..choices.len())]
    }

    fn below(&mut self, end: i64) -> i64 {
        self.rng.i64(0..end)
    }

    /// A name that is new among aliases and objects.
    fn name(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}{}", self.made)
    }

    /// `count` results of `make`, separated by commas.
    fn list(&mut self, count: usize, mut make: impl FnMut(&mut World) -> String) -> String {
        (0..count).map(|_| make(self)).collect::<Vec<_>>().join(", ")
    }
}

/// A query in parts: as a statement it is marked if its ORDER BY determines the order, within another query it is not.
pub struct Query {
    body: String,
    /// ORDER BY with all terms that determine the order, and LIMIT; or empty.
    order: String,
}

impl Query {
    fn unordered(body: String) -> Query {
        Query { body, order: String::new() }
    }

    fn nested(self) -> String {
        self.body + &self.order
    }

    fn answer(self) -> String {
        let mark = if self.order.is_empty() { "" } else { ORDERED };
        self.nested() + mark
    }
}
