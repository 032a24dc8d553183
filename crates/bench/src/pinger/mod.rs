//! A month of network measurements: a script of INSERTs, and three reports. It is the experiment that once compared SQLite with MySQL.

mod data;
mod mariadb;

use std::time::Instant;

use clap::Args;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::Result;
use crate::frame::duels::{Duel, Outcome, Worker, duel};
use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;
use crate::frame::results::{Chart, Experiment, Name, Row, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::sql::{Connection, Fresh, Library, Statement, for_each_library};

use data::{DDL, QUERIES};
use mariadb::MariaDb;

/// See [`Command::Pinger`](crate::cli::Command::Pinger).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many measurements there are
    #[arg(long, value_name = "N", default_value_t = 325_720)]
    pub rows: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=50000", "--rounds=3"];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    // Two databases, the script, and a server that needs some hundred megabytes.
    let scratch = Scratch::new(&common.folder(), 2000 * options.rows as u64 + 300_000_000)?;
    let lines = data::script(options.rows, common.seed);
    let mut skipped = Vec::new();
    let mut workers: Vec<Box<dyn Worker + '_>> = Vec::new();
    for_each_library!(common, |L| {
        workers.push(Box::new(Database::<L>::new(&scratch, &lines)));
    });
    if common.has(Side::Mariadb) && mariadb::is_installed() {
        workers.push(Box::new(MariaDb::start(&scratch, &lines)?));
    } else if common.has(Side::Mariadb) {
        skipped.push("MariaDB: it is not installed (Debian's package mariadb-server)".to_owned());
    }
    let (duels, failed) = duel("pinger", common.rounds(), &operations(), &mut workers)?;
    skipped.extend(failed);
    let mut experiment = Experiment {
        id: "pinger".to_owned(),
        title: "A month of network measurements".to_owned(),
        about: format!(
            "Two tables, of 210 pairs of hosts and of {} measurements between them, filled by a script of single-row \
             INSERTs in one transaction, which is run statement by statement. Then three queries join them, filter host \
             names with LIKE and aggregate per host.",
            options.rows
        ),
        options: options_of(&[
            ("rows", options.rows.to_string()),
            ("bytes of the script", lines.iter().map(String::len).sum::<usize>().to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        skipped,
        ..Experiment::default()
    };
    let bars = |id: &str, title: &str, rows| Chart::bars(id, title, "ms", rows);
    experiment.charts.push(bars("load", "Loading the script", duels[1].rows.clone()));
    experiment.charts.push(bars("queries", "The three queries together", together(&duels[2..])));
    let each = duels[2..].iter().flat_map(|duel| duel.rows.clone()).collect();
    experiment.charts.push(bars("query", "The queries one by one", each));
    experiment.charts.push(bars("ddl", "Making the tables", duels[0].rows.clone()));
    experiment.judge(&goals());
    Ok(experiment)
}

fn operations() -> Vec<(String, String)> {
    let names = [
        ("ddl", "tables"),
        ("load", "loading"),
        ("query-1", "query 1"),
        ("query-2", "query 2"),
        ("query-3", "query 3"),
    ];
    names.map(|(id, label)| (id.to_owned(), label.to_owned())).to_vec()
}

/// The sums of each round's samples.
fn together(duels: &[Duel]) -> Vec<Row> {
    let Some(first) = duels.first() else { return Vec::new() };
    let row = |(at, row): (usize, &Row)| {
        let side = row.name.side;
        let sum = |round: usize| duels.iter().filter_map(|duel| duel.rows[at].samples.get(round)).sum();
        Row {
            name: Name::new(format!("{side}-queries"), side.name(), side),
            samples: (0..row.samples.len()).map(sum).collect(),
        }
    };
    first.rows.iter().enumerate().map(row).collect()
}

/// The goals, the headline first.
fn goals() -> Vec<GoalSpec<'static>> {
    let wanted = |chart, row, against, what: &str, than, times| {
        let what = format!("Lithe {what}");
        GoalSpec { chart, row, against, what, than, times, better: Better::Faster, limit: None }
    };
    let load = "loads a script of INSERTs";
    vec![
        wanted("load", "lithe-load", "sqlite-load", load, "SQLite", 2.6),
        wanted("queries", "lithe-queries", "sqlite-queries", "answers the three queries", "SQLite", 3.5),
        wanted("ddl", "lithe-ddl", "sqlite-ddl", "makes the tables", "SQLite", 1.0),
        wanted("load", "lithe-load", "mariadb-load", load, "MariaDB", 1.0),
        wanted("queries", "lithe-queries", "mariadb-queries", "answers the three queries", "MariaDB", 1.0),
    ]
}

/// A database in this process.
struct Database<'a, L: Library> {
    database: Fresh<L>,
    lines: &'a [String],
}

impl<'a, L: Library> Database<'a, L> {
    fn new(scratch: &Scratch, lines: &'a [String]) -> Self {
        Database { database: Fresh::new(scratch), lines }
    }
}

impl<L: Library> Worker for Database<'_, L> {
    fn side(&self) -> Side {
        L::SIDE
    }

    fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.database.begin_round(is_warm_up)
    }

    fn operate(&mut self, at: usize) -> Result<Outcome> {
        let mut digest = Digest::new(self.database.is_warm_up());
        let connection = self.database.connection()?;
        let start = Instant::now();
        match at {
            0 => DDL.iter().try_for_each(|sql| connection.run(sql))?,
            1 => self.lines.iter().try_for_each(|sql| connection.run(sql))?,
            query => {
                connection.prepare(QUERIES[query - 2])?.each(&[], |row| {
                    digest.add(row);
                    Ok(())
                })?;
            }
        }
        Ok(Outcome { millis: start.elapsed().as_secs_f64() * 1e3, digest: Some(digest.finish()) })
    }
}
