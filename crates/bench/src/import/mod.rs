//! Imports of rows with 2,000 characters: a transaction for each row, all in one transaction as SQL text, all in one transaction through a
//! prepared statement. Every turn imports into a new database.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::bare::{self, Database, user};
use crate::common::Common;
use crate::files::settle;
use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;
use crate::frame::results::{Chart, Experiment, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::threads::together;
use crate::frame::turns::{Contestants, Round, Turn, micros_each, take_turns};
use crate::frame::{Error, Result};
use crate::modes::{Mode, ROLLBACK, WAL};
use crate::sql::{Connection, Library, Settings, Statement, for_each_library};
use crate::tables::{self, INSERT_USER, Strings, number};

/// See [`Command::Import`](crate::cli::Command::Import).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many rows a turn imports in one transaction
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub rows: usize,
    /// How many rows a turn imports where each is its own transaction
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub commits: usize,
    /// How many threads import at once where several do
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub writers: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=20000", "--commits=200", "--rounds=3"];

/// How rows are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A transaction for each row, from that many threads, through a prepared statement.
    OneByOne(usize),
    /// All in one transaction, an SQL text for each row.
    Text,
    /// All in one transaction, one prepared statement.
    Prepared,
}

struct World<'a> {
    options: &'a Options,
    strings: Strings,
    /// The statements of [`Way::Text`].
    texts: Vec<String>,
    scratch: Scratch,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), tables::bytes_needed(options.rows, 1))?;
    let strings = Strings::new(common.seed);
    let texts = (1..=options.rows).map(|key| text(&strings, key)).collect();
    let world = World { options, strings, texts, scratch };
    let mut experiment = Experiment {
        id: "import".to_owned(),
        title: "Importing rows".to_owned(),
        about: format!(
            "Rows of an integer and two strings of 1,000 characters, into a new database every time, synchronous FULL: \
             {} rows each in its own transaction, and {} rows in one transaction, as SQL text a row and through a \
             prepared statement. Times include the commit. The limit writes the same pages by bare calls.",
            options.commits, options.rows
        ),
        options: options_of(&[
            ("rows", options.rows.to_string()),
            ("rows one by one", options.commits.to_string()),
            ("writers", options.writers.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        ..Experiment::default()
    };
    let bulk = [(ROLLBACK, Way::Text), (WAL, Way::Text), (ROLLBACK, Way::Prepared), (WAL, Way::Prepared)];
    let title = format!("Importing {} rows in one transaction", options.rows);
    experiment.charts.push(world.chart("bulk", &title, &bulk)?);
    let one_by_one = [(ROLLBACK, Way::OneByOne(1)), (WAL, Way::OneByOne(1)), (WAL, Way::OneByOne(options.writers))];
    experiment.charts.push(world.chart("commit", "Importing rows, each durable before the next", &one_by_one)?);
    experiment.judge(&goals());
    Ok(experiment)
}

/// The goals, the headline first.
fn goals() -> Vec<GoalSpec<'static>> {
    let wanted = |chart, row, against, what: &str, times| {
        let what = format!("Lithe imports rows {what}");
        GoalSpec { chart, row, against, what, than: "SQLite", times, better: Better::Faster, limit: None }
    };
    let bulk = |row, against, what, times| wanted("bulk", row, against, what, times);
    let commit = |row, against, what, times| wanted("commit", row, against, what, times);
    vec![
        bulk("lithe-delete-prepared", "sqlite-delete-prepared", "through a prepared statement", 2.0)
            .within("limit-delete"),
        bulk("lithe-wal-prepared", "sqlite-wal-prepared", "through a prepared statement (WAL)", 2.0)
            .within("limit-wal"),
        bulk("lithe-delete-text", "sqlite-delete-text", "as SQL text", 2.5).within("limit-delete"),
        bulk("lithe-wal-text", "sqlite-wal-text", "as SQL text (WAL)", 2.5).within("limit-wal"),
        commit("lithe-delete", "sqlite-delete", "durably one by one", 1.0).within("limit-delete"),
        commit("lithe-wal", "sqlite-wal", "durably one by one (WAL)", 1.0).within("limit-wal"),
        commit("lithe-wal-threads", "sqlite-wal-threads", "durably from several threads", 4.0)
            .within("limit-wal-threads"),
    ]
}

impl World<'_> {
    fn chart(&self, id: &str, title: &str, ways: &[(Mode, Way)]) -> Result<Chart> {
        let common = &self.options.common;
        let mut contestants: Contestants<'_> = Vec::new();
        for &(mode, way) in ways {
            for_each_library!(common, |L| {
                self.add::<L>(&mut contestants, mode, way);
            });
            // Both ways write the same pages, so one limit serves for both.
            if common.has(Side::Limit) && way != Way::Text {
                self.add_limit(&mut contestants, mode, way);
            }
        }
        let rows =
            take_turns(&format!("import: {}", title.to_lowercase()), common.rounds(), common.seed, &mut contestants)?;
        Ok(Chart::bars(id, title, "µs a row", rows))
    }

    fn add<'w, L: Library>(&'w self, contestants: &mut Contestants<'w>, mode: Mode, way: Way) {
        let (id, words) = match way {
            Way::OneByOne(1) => ("", String::new()),
            Way::OneByOne(threads) => ("-threads", format!("{threads} threads")),
            Way::Text => ("-text", "SQL text".to_owned()),
            Way::Prepared => ("-prepared", "prepared".to_owned()),
        };
        let name = mode.name(L::SIDE, id, &words);
        contestants.push(Box::new(Turn(name, move |round: Round| self.import::<L>(round, mode, way))));
    }

    fn add_limit<'w>(&'w self, contestants: &mut Contestants<'w>, mode: Mode, way: Way) {
        let Options { rows, commits, .. } = *self.options;
        let (id, words, rows, threads) = match way {
            Way::OneByOne(1) => ("", String::new(), commits, 1),
            Way::OneByOne(threads) => ("-threads", format!("{threads} threads"), commits / threads * threads, threads),
            Way::Text | Way::Prepared => ("", String::new(), rows, 1),
        };
        let transactions = match way {
            Way::OneByOne(_) => (1..=rows).map(|row| user::insert(row, mode.journal)).collect(),
            Way::Text | Way::Prepared => vec![user::import(rows)],
        };
        contestants.push(Box::new(Turn(mode.name(Side::Limit, id, &words), move |_| {
            let database = Database::create(&self.scratch.file("limit.db"), user::EMPTY)?;
            let seconds = bare::work(&database, &settings(mode), threads, &transactions)?;
            Ok(seconds * 1e6 / rows.max(1) as f64)
        })));
    }

    fn import<L: Library>(&self, round: Round, mode: Mode, way: Way) -> Result<f64> {
        let path = self.scratch.file("import.db");
        let settings = settings(mode);
        let connection = L::open(&path, &settings)?;
        connection.run(tables::SCHEMA)?;
        settle(self.scratch.path())?;
        let (micros, count) = match way {
            Way::OneByOne(1) => {
                let rows = self.options.commits;
                (micros_each(rows, || self.insert(&connection, 1..=rows))?.0, rows)
            }
            Way::OneByOne(threads) => self.import_in_threads::<L>(&path, &settings, threads)?,
            Way::Text => (
                self.in_one_transaction(|| self.texts.iter().try_for_each(|sql| connection.run(sql)), &connection)?,
                self.options.rows,
            ),
            Way::Prepared => {
                let rows = self.options.rows;
                (self.in_one_transaction(|| self.insert(&connection, 1..=rows), &connection)?, rows)
            }
        };
        self.check(&connection, count, round)?;
        drop(connection);
        remove_database(&path);
        Ok(micros)
    }

    fn in_one_transaction(&self, work: impl FnOnce() -> Result<()>, connection: &impl Connection) -> Result<f64> {
        let (micros, ()) = micros_each(self.options.rows, || {
            connection.run("BEGIN")?;
            work()?;
            connection.run("COMMIT")
        })?;
        Ok(micros)
    }

    fn insert(&self, connection: &impl Connection, keys: std::ops::RangeInclusive<usize>) -> Result<()> {
        let mut insert = connection.prepare(INSERT_USER)?;
        for key in keys {
            insert.run(&self.strings.row(key))?;
        }
        Ok(())
    }

    fn import_in_threads<L: Library>(&self, path: &Path, settings: &Settings, threads: usize) -> Result<(f64, usize)> {
        let share = (self.options.commits / threads).max(1);
        let mut connections = Vec::new();
        for _ in 0..threads {
            connections.push(L::open(path, settings)?);
        }
        let (seconds, _) = together(connections, |at, connection, gate| {
            gate.pass();
            self.insert(&connection, at * share + 1..=(at + 1) * share)
        })?;
        let count = share * threads;
        Ok((seconds * 1e6 / count as f64, count))
    }

    /// Checks the sum of the numbers in every round, and the strings in the first.
    fn check(&self, connection: &impl Connection, count: usize, round: Round) -> Result<()> {
        let wanted: usize = (1..=count).map(number).sum();
        let found = connection.integer("SELECT sum(c1) FROM user")?;
        if usize::try_from(found) != Ok(wanted) {
            return Err(Error::WrongContent(format!("the rows imported add up to {found} instead of {wanted}")));
        }
        if round.is_warm_up() {
            // Threads insert in any order, so the number identifies a row only with a single thread.
            let sql = "SELECT count(*) FROM user WHERE length(c2) = 1000 AND length(c3) = 1000 AND c2 <> c3";
            if usize::try_from(connection.integer(sql)?) != Ok(count) {
                return Err(Error::WrongContent("strings imported are not whole".to_owned()));
            }
        }
        Ok(())
    }
}

fn settings(mode: Mode) -> Settings {
    Settings { journal_mode: Some(mode.journal), busy_timeout: Some(60_000), ..Settings::default() }
}

fn text(strings: &Strings, key: usize) -> String {
    let (c1, c2, c3) = (number(key), strings.of(key, 0), strings.of(key, 1));
    format!("INSERT INTO user(c1, c2, c3) VALUES ({c1}, '{c2}', '{c3}')")
}

/// Removes a database and the files beside it.
fn remove_database(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        // Most of these files do not exist.
        let _ = fs::remove_file(PathBuf::from(name));
    }
}
