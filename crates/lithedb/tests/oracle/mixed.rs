//! Mixed statements: features that the other tests of this folder use separately, in one statement. Joins of views, queries in FROM, VALUES
//! and table-valued functions; aggregates with ORDER BY and FILTER, and windows, inside nested queries; tables and views made from such
//! queries, which later statements read; RETURNING, UPSERT and triggers over STRICT, WITHOUT ROWID and generated columns.
//!
//! Rows are compared in order if the statement's ORDER BY determines it, otherwise as a multiset. Only queries marked `/* open */` have a
//! LIMIT, an aggregate, or a window whose result depends on the order of ties; their rows are not compared. If SQLite's answer differs for
//! a known reason (`known.rs`), a world continues after a query, and ends after a write.

mod expr;
mod known;
mod query;
mod schema;
mod write;

use fastrand::Rng;

use crate::pair::{Difference, Ended, Pair};
use crate::{Found, report_by};

/// The number of statements of a world.
const STATEMENTS: usize = 60;

/// The generator, with the objects created so far.
pub struct World {
    rng: Rng,
    tables: Vec<Table>,
    views: Vec<View>,
    made: usize,
    /// Whether tables may be STRICT.
    may_be_strict: bool,
    /// Whether the next query may depend on an undetermined order of rows.
    is_open: bool,
    /// The numbers of tables and views before the last statement.
    before: (usize, usize),
}

/// A table.
struct Table {
    name: String,
    /// The writable columns.
    columns: Vec<String>,
    /// The writable columns, and the generated column.
    all: Vec<String>,
    has_rowid: bool,
}

/// A view.
struct View {
    name: String,
    columns: Vec<String>,
}

/// The report about a world, if the answers differ. `show` gets the statements.
pub fn check(seed: u64, show: impl Fn(&str)) -> Option<String> {
    let (mut world, mut pair) = (World::new(seed), Pair::open());
    let mut statements = Vec::with_capacity(STATEMENTS);
    for at in 0..STATEMENTS {
        let sql = if at + 1 == STATEMENTS { "PRAGMA integrity_check".to_owned() } else { world.statement(at) };
        show(&sql);
        statements.push(sql);
        match step(&mut pair, &statements[at]) {
            Ok(Step::Over) => return None,
            Ok(Step::Ended(Ended::Well)) => {}
            Ok(Step::Ended(_)) => world.forget_last(),
            Err(difference) => return Some(report_by(seed, &statements, &Found { at, difference }, run)),
        }
        if world.has_last_rowid(&pair, &statements[at]) {
            return None;
        }
    }
    None
}

/// The result of a step.
enum Step {
    Ended(Ended),
    /// The databases may differ from now on, for a known reason.
    Over,
}

fn step(pair: &mut Pair, sql: &str) -> Result<Step, Box<Difference>> {
    match pair.run(sql) {
        Ok(Ended::TooLate) => Ok(Step::Over),
        Ok(ended) => Ok(Step::Ended(ended)),
        Err(difference) if known::reason(&difference).is_none() => Err(difference),
        Err(_) if ["SELECT", "WITH"].iter().any(|verb| sql.starts_with(verb)) => Ok(Step::Ended(Ended::Well)),
        Err(_) => Ok(Step::Over),
    }
}

/// Runs the statements again; a world that ends early counts as equal.
fn run(statements: &[String]) -> Result<(), Found> {
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        match step(&mut pair, sql) {
            Ok(Step::Over) => return Ok(()),
            Ok(Step::Ended(_)) => {}
            Err(difference) => return Err(Found { at, difference }),
        }
    }
    Ok(())
}

impl World {
    fn new(seed: u64) -> World {
        let mut rng = Rng::with_seed(seed ^ 0x03e1_ed00);
        let may_be_strict = rng.u32(0..3) == 0;
        World { rng, tables: Vec::new(), views: Vec::new(), made: 0, may_be_strict, is_open: false, before: (0, 0) }
    }

    fn statement(&mut self, at: usize) -> String {
        self.before = (self.tables.len(), self.views.len());
        if at < 2 || self.tables.is_empty() {
            return self.create_table();
        }
        match self.rng.u32(0..100) {
            0..4 if self.tables.len() < 6 => self.create_table(),
            0..10 => self.create_index(),
            10..28 => self.insert(),
            28..35 => self.update(),
            35..39 => self.delete(),
            39..41 => self.create_trigger(),
            41..44 => self.create_view(),
            44..50 => self.maybe_open(Self::with_query),
            50..55 => self.setting(),
            55..58 if self.tables.len() < 8 => self.create_table_as(),
            _ => self.maybe_open(Self::top_query),
        }
    }

    /// A query; every third may depend on an undetermined order, and is marked.
    fn maybe_open(&mut self, query: impl Fn(&mut World) -> String) -> String {
        self.is_open = self.chance(35);
        let sql = query(self);
        if std::mem::take(&mut self.is_open) { format!("{sql} {}", known::OPEN) } else { sql }
    }

    /// Forgets the objects of the last statement, because it has failed.
    fn forget_last(&mut self) {
        let (tables, views) = self.before;
        self.tables.truncate(tables);
        self.views.truncate(views);
    }

    /// Whether SQLite chooses the rowid of the next row of a table at random, because the largest one is taken.
    fn has_last_rowid(&self, pair: &Pair, sql: &str) -> bool {
        let may_insert = ["INSERT", "UPDATE", "DELETE", "CREATE TABLE"].iter().any(|verb| sql.starts_with(verb));
        let has = |table: &Table| {
            let sql = format!("SELECT 1 FROM {} WHERE rowid > {} LIMIT 1", table.name, i64::MAX - 1000);
            !pair.ask_sqlite(&sql).is_empty()
        };
        may_insert && self.tables.iter().filter(|table| table.has_rowid).any(has)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn one(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.rng.usize(0..choices.len())]
    }

    fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    fn any_table(&mut self) -> usize {
        self.rng.usize(0..self.tables.len())
    }

    /// Some of the columns, at least one, in any order.
    fn some(&mut self, columns: &[String], most: usize) -> Vec<String> {
        let mut columns = columns.to_vec();
        self.rng.shuffle(&mut columns);
        columns.truncate(self.rng.usize(1..most.min(columns.len()) + 1));
        columns
    }
}

/// `prefix.column` for each of the columns.
fn qualified(prefix: &str, columns: &[String]) -> Vec<String> {
    columns.iter().map(|column| format!("{prefix}.{column}")).collect()
}

/// The columns `x0`, `x1`, … of a query with named columns.
fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|at| format!("x{at}")).collect()
}
