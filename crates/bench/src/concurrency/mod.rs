//! Concurrent access to one database in WAL mode: readers beside a writer, and several writers that commit durably.
//!
//! Every writer updates rows of its own part of the table, each update in a transaction. SQLite serializes commits; Lithe lets waiting
//! commits share a sync, and with BEGIN CONCURRENT runs transactions concurrently.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::Args;
use fastrand::Rng;

use crate::bare::{self, Database, user};
use crate::common::Common;
use crate::files::settle;
use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;
use crate::frame::results::{Chart, Data, Experiment, Name, Row, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::threads::together;
use crate::frame::turns::{Contestants, Round, Turn, take_turns};
use crate::frame::{Error, Result};
use crate::sql::{Cell, Connection, JournalMode, Library, Lithe, Settings, Statement, Synchronous, for_each_library};
use crate::tables::{self, Strings};

/// See [`Command::Concurrency`](crate::cli::Command::Concurrency).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many rows the table has
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub rows: usize,
    /// How many rows a reader asks for in a turn
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub queries: usize,
    /// How many commits all writers of a turn do together
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub commits: usize,
    /// How many readers beside a writer
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 4])]
    pub readers: Vec<usize>,
    /// How many writers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16])]
    pub writers: Vec<usize>,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=20000", "--queries=10000", "--commits=320", "--rounds=3", "--writers=1,2,8"];

struct World<'a> {
    options: &'a Options,
    scratch: Scratch,
    /// The database of the limit.
    limit: Option<Database>,
}

/// How a writer begins a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begin {
    /// No BEGIN: the statement is the transaction.
    Automatically,
    /// BEGIN CONCURRENT.
    Concurrently,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), tables::bytes_needed(options.rows, 2))?;
    let limit = if common.has(Side::Limit) { Some(tables::bare(&scratch, options.rows)?) } else { None };
    let (world, strings) = (World { options, scratch, limit }, Strings::new(common.seed));
    for_each_library!(common, |L| {
        world.create::<L>(&strings)?;
    });
    let mut skipped = Vec::new();
    if let (true, Err(error)) = (common.has(Side::Lithe), world.try_begin_concurrent()) {
        skipped.push(format!("BEGIN CONCURRENT: {error}"));
    }
    let mut experiment = Experiment {
        id: "concurrency".to_owned(),
        title: "Several at once".to_owned(),
        about: format!(
            "A table of {} rows with two strings of 1,000 characters, in WAL mode. Beside a writer that commits without \
             pause (synchronous NORMAL), readers ask for random rows. Then several writers commit one update a \
             transaction, each durable before the next (synchronous FULL), on rows of their own. The limit appends the \
             same pages to a log by bare calls, one fdatasync for all who wait.",
            options.rows
        ),
        options: options_of(&[
            ("rows", options.rows.to_string()),
            ("queries a reader", options.queries.to_string()),
            ("commits a turn", options.commits.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        skipped,
        ..Experiment::default()
    };
    experiment.charts.push(world.writers(experiment.skipped.is_empty())?);
    experiment.charts.push(world.readers()?);
    experiment.judge(&goals());
    Ok(experiment)
}

/// The goals, the headline first.
fn goals() -> Vec<GoalSpec<'static>> {
    let wanted = |chart, row, against, what: &str, than, times| GoalSpec {
        chart,
        row,
        against,
        what: what.to_owned(),
        than,
        times,
        better: Better::Faster,
        limit: None,
    };
    vec![
        wanted("writers", "lithe/8", "sqlite/8", "With eight writers, Lithe commits", "SQLite", 4.0).within("limit/8"),
        wanted(
            "writers",
            "lithe-concurrent/8",
            "sqlite/8",
            "With eight writers and BEGIN CONCURRENT, Lithe commits",
            "SQLite",
            4.0,
        )
        .within("limit/8"),
        wanted("writers", "lithe/1", "sqlite/1", "With one writer, Lithe commits", "SQLite", 1.0).within("limit/1"),
        wanted("readers", "lithe/1", "sqlite/1", "Beside a writer, Lithe answers one reader", "SQLite", 1.0),
        wanted("readers", "lithe/2", "sqlite/2", "Beside a writer, Lithe answers two readers", "SQLite", 1.0),
    ]
}

impl World<'_> {
    fn database<L: Library>(&self) -> PathBuf {
        self.scratch.file(&format!("{}.db", L::SIDE))
    }

    fn create<L: Library>(&self, strings: &Strings) -> Result<()> {
        let path = self.database::<L>();
        tables::create::<L>(&path, self.options.rows, strings)?;
        L::open(&path, &Settings { journal_mode: Some(JournalMode::Wal), ..Settings::default() })?;
        Ok(())
    }

    fn open<L: Library>(&self, synchronous: Synchronous) -> Result<L::Connection> {
        let synchronous = Some(synchronous);
        L::open(&self.database::<L>(), &Settings { synchronous, busy_timeout: Some(60_000), ..Settings::default() })
    }

    /// Fails if the library lacks BEGIN CONCURRENT.
    fn try_begin_concurrent(&self) -> Result<()> {
        self.open::<Lithe>(Synchronous::Full)?.run("BEGIN CONCURRENT; ROLLBACK")
    }

    fn writers(&self, has_begin_concurrent: bool) -> Result<Chart> {
        let common = &self.options.common;
        let mut contestants: Contestants<'_> = Vec::new();
        for_each_library!(common, |L| {
            let (id, label) = (L::SIDE.to_string(), L::SIDE.name());
            self.add_writers::<L>(&mut contestants, &id, label, Begin::Automatically);
        });
        if common.has(Side::Lithe) && has_begin_concurrent {
            let label = "Lithe, BEGIN CONCURRENT";
            self.add_writers::<Lithe>(&mut contestants, "lithe-concurrent", label, Begin::Concurrently);
        }
        if let Some(database) = &self.limit {
            for &writers in &self.options.writers {
                let name = Name::new(format!("limit/{writers}"), "limit", Side::Limit);
                contestants.push(Box::new(Turn(name, move |round| self.write_bare(database, round, writers))));
            }
        }
        self.curves("writers", "Commits of several writers", "commits a second", &self.options.writers, contestants)
    }

    fn readers(&self) -> Result<Chart> {
        let common = &self.options.common;
        let mut contestants: Contestants<'_> = Vec::new();
        for_each_library!(common, |L| {
            self.add_readers::<L>(&mut contestants);
        });
        self.curves("readers", "Readers beside a writer", "queries a second", &self.options.readers, contestants)
    }

    fn curves(
        &self,
        id: &str,
        title: &str,
        unit: &str,
        places: &[usize],
        mut contestants: Contestants<'_>,
    ) -> Result<Chart> {
        let common = &self.options.common;
        let title_of_progress = format!("concurrency: {}", title.to_lowercase());
        let rows = take_turns(&title_of_progress, common.rounds(), common.seed, &mut contestants)?;
        let series: Vec<Vec<Row>> = rows.chunks(places.len()).map(<[Row]>::to_vec).collect();
        let places = places.iter().map(|&place| place as f64).collect();
        let (id, title, unit) = (id.to_owned(), title.to_owned(), unit.to_owned());
        let along = id.clone();
        Ok(Chart { id, title, unit, more_is_better: true, data: Data::Curves { along, places, series } })
    }

    fn add_writers<'w, L: Library>(&'w self, contestants: &mut Contestants<'w>, id: &str, label: &str, begin: Begin) {
        for &writers in &self.options.writers {
            let name = Name::new(format!("{id}/{writers}"), label, L::SIDE);
            contestants.push(Box::new(Turn(name, move |round: Round| self.write::<L>(round, writers, begin))));
        }
    }

    fn add_readers<'w, L: Library>(&'w self, contestants: &mut Contestants<'w>) {
        for &readers in &self.options.readers {
            let name = Name::new(format!("{}/{readers}", L::SIDE), L::SIDE.name(), L::SIDE);
            contestants.push(Box::new(Turn(name, move |round: Round| self.read::<L>(round, readers))));
        }
    }

    /// The total commits per second of all writers.
    fn write<L: Library>(&self, round: Round, writers: usize, begin: Begin) -> Result<f64> {
        let connection = self.open::<L>(Synchronous::Full)?;
        let before = connection.integer("SELECT sum(c1) FROM user")?;
        let connections = (0..writers).map(|_| self.open::<L>(Synchronous::Full)).collect::<Result<Vec<_>>>()?;
        settle(self.scratch.path())?;
        let (seconds, _) = together(connections, |at, connection, gate| {
            let ids = self.ids(round, writers, at);
            let mut update = connection.prepare("UPDATE user SET c1 = c1 + 1 WHERE id = ?")?;
            gate.pass();
            ids.into_iter().try_for_each(|id| count_up(&connection, &mut update, id, begin))
        })?;
        let (found, wanted) = (connection.integer("SELECT sum(c1) FROM user")? - before, self.share(writers) * writers);
        if usize::try_from(found) != Ok(wanted) {
            return Err(Error::WrongContent(format!("{found} updates found instead of {wanted}")));
        }
        Ok(wanted as f64 / seconds)
    }

    fn write_bare(&self, database: &Database, round: Round, writers: usize) -> Result<f64> {
        let (settings, pages) =
            (Settings { journal_mode: Some(JournalMode::Wal), ..Settings::default() }, user::pages(self.options.rows));
        let ids = (0..writers).flat_map(|at| self.ids(round, writers, at));
        let transactions: Vec<_> = ids.map(|id| user::update(&[id], JournalMode::Wal, pages)).collect();
        Ok(transactions.len() as f64 / bare::work(database, &settings, writers, &transactions)?)
    }

    /// The number of commits of a writer.
    fn share(&self, writers: usize) -> usize {
        (self.options.commits / writers).max(1)
    }

    /// The rows that writer `at` updates, all in its own part of the table.
    fn ids(&self, round: Round, writers: usize, at: usize) -> Vec<usize> {
        let (mut rng, rows) = (Rng::with_seed(round.seed + at as u64), self.options.rows / writers);
        (0..self.share(writers)).map(|_| at * rows + rng.usize(1..=rows)).collect()
    }

    /// The total queries per second of all readers, beside a writer that commits until the last reader has finished.
    fn read<L: Library>(&self, round: Round, readers: usize) -> Result<f64> {
        let is_done = AtomicBool::new(false);
        let reading = AtomicUsize::new(readers);
        let connections = (0..=readers).map(|_| self.open::<L>(Synchronous::Normal)).collect::<Result<Vec<_>>>()?;
        let (seconds, _) = together(connections, |at, connection, gate| {
            let mut rng = Rng::with_seed(round.seed + at as u64);
            if at == readers {
                let mut update = connection.prepare("UPDATE user SET c1 = c1 + 1 WHERE id = ?")?;
                gate.pass();
                while !is_done.load(Ordering::Relaxed) {
                    update.run(&[Cell::from(rng.usize(1..=self.options.rows))])?;
                }
                return Ok(());
            }
            let result = self.ask(&connection, &mut rng, gate);
            if reading.fetch_sub(1, Ordering::Relaxed) == 1 {
                is_done.store(true, Ordering::Relaxed);
            }
            result
        })?;
        Ok((readers * self.options.queries) as f64 / seconds)
    }

    fn ask(&self, connection: &impl Connection, rng: &mut Rng, gate: &crate::frame::threads::Gate<'_>) -> Result<()> {
        let mut select = connection.prepare("SELECT * FROM user WHERE id = ?")?;
        gate.pass();
        let mut found = 0;
        for _ in 0..self.options.queries {
            found += select.each(&[Cell::from(rng.usize(1..=self.options.rows))], |row| {
                black_box(row.bytes(2));
                Ok(())
            })?;
        }
        if found == self.options.queries { Ok(()) } else { Err(Error::WrongContent(format!("{found} rows found"))) }
    }
}

/// Updates one row in a transaction; retries it after a conflict.
fn count_up(connection: &impl Connection, update: &mut impl Statement, id: usize, begin: Begin) -> Result<()> {
    if begin == Begin::Automatically {
        return update.run(&[Cell::from(id)]).map(|_| ());
    }
    loop {
        connection.run("BEGIN CONCURRENT")?;
        let result = update.run(&[Cell::from(id)]).and_then(|_| connection.run("COMMIT"));
        match result {
            Err(error) if error.is_busy() => _ = connection.run("ROLLBACK"),
            result => return result,
        }
    }
}
