//! Updates of rows: `update user set c1=c1+1 where id=?` at random ids, one, a thousand and ten thousand in a transaction.

use std::path::PathBuf;

use clap::Args;
use fastrand::Rng;

use crate::bare::{self, Database, user};
use crate::common::Common;
use crate::files::settle;
use crate::frame::goals::Better;
use crate::frame::judge::GoalSpec;
use crate::frame::results::{Chart, Experiment, Name, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::threads::together;
use crate::frame::turns::{Contestants, Round, Turn, micros_each, take_turns};
use crate::frame::{Error, Result};
use crate::modes::{Mode, ROLLBACK, WAL};
use crate::sql::{Cell, Connection, Library, Settings, Statement, for_each_library};
use crate::tables::{self, Strings};

/// See [`Command::Update`](crate::cli::Command::Update).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many rows the table has
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub rows: usize,
    /// How many rows a turn updates where each is its own transaction
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub commits: usize,
    /// How many rows a turn updates where a transaction has several
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub updates: usize,
    /// How many rows a transaction updates
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1_000, 10_000])]
    pub batches: Vec<usize>,
    /// How many threads update at once where several do
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub writers: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=20000", "--updates=10000", "--commits=200", "--rounds=3"];

const UPDATE: &str = "UPDATE user SET c1 = c1 + 1 WHERE id = ?";

struct World<'a> {
    options: &'a Options,
    scratch: Scratch,
    /// The database of the limit.
    limit: Option<Database>,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), tables::bytes_needed(options.rows, 2))?;
    let limit = if common.has(Side::Limit) { Some(tables::bare(&scratch, options.rows)?) } else { None };
    let (world, strings) = (World { options, scratch, limit }, Strings::new(common.seed));
    for_each_library!(common, |L| {
        tables::create::<L>(&world.database::<L>(), options.rows, &strings)?;
    });
    let mut experiment = Experiment {
        id: "update".to_owned(),
        title: "Updating rows".to_owned(),
        about: format!(
            "A table of {} rows with two strings of 1,000 characters; an integer is counted up at random keys, \
             synchronous FULL. Times include the commits. The limit writes the same pages by bare calls.",
            options.rows
        ),
        options: options_of(&[
            ("rows", options.rows.to_string()),
            ("updates one by one", options.commits.to_string()),
            ("updates in larger transactions", options.updates.to_string()),
            ("writers", options.writers.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        ..Experiment::default()
    };
    let bulk: Vec<Way> =
        options.batches.iter().flat_map(|&batch| [ROLLBACK, WAL].map(|mode| Way { mode, batch, threads: 1 })).collect();
    experiment.charts.push(world.chart("bulk", "Updating rows, many in a transaction", &bulk)?);
    let one_by_one =
        [(ROLLBACK, 1), (WAL, 1), (WAL, options.writers)].map(|(mode, threads)| Way { mode, batch: 1, threads });
    experiment.charts.push(world.chart("commit", "Updating rows, each durable before the next", &one_by_one)?);
    experiment.judge(&goals());
    Ok(experiment)
}

/// The goals, the headline first.
fn goals() -> Vec<GoalSpec<'static>> {
    let wanted = |chart, row, against, what: &str, times| {
        let what = format!("Lithe updates rows {what}");
        GoalSpec { chart, row, against, what, than: "SQLite", times, better: Better::Faster, limit: None }
    };
    let bulk = |row, against, what, times| wanted("bulk", row, against, what, times);
    let commit = |row, against, what, times| wanted("commit", row, against, what, times);
    vec![
        bulk("lithe-delete-1000", "sqlite-delete-1000", "1,000 a transaction", 2.0).within("limit-delete-1000"),
        bulk("lithe-wal-1000", "sqlite-wal-1000", "1,000 a transaction (WAL)", 2.0).within("limit-wal-1000"),
        bulk("lithe-delete-10000", "sqlite-delete-10000", "10,000 a transaction", 2.0).within("limit-delete-10000"),
        bulk("lithe-wal-10000", "sqlite-wal-10000", "10,000 a transaction (WAL)", 2.0).within("limit-wal-10000"),
        commit("lithe-delete", "sqlite-delete", "durably one by one", 1.0).within("limit-delete"),
        commit("lithe-wal", "sqlite-wal", "durably one by one (WAL)", 1.0).within("limit-wal"),
        commit("lithe-wal-threads", "sqlite-wal-threads", "durably from several threads", 4.0)
            .within("limit-wal-threads"),
    ]
}

/// How rows are updated.
#[derive(Clone, Copy, Debug)]
struct Way {
    mode: Mode,
    /// The number of rows in a transaction.
    batch: usize,
    threads: usize,
}

impl Way {
    fn name(self, side: Side) -> Name {
        let (id, words) = match self {
            Way { batch: 1, threads: 1, .. } => (String::new(), String::new()),
            Way { batch: 1, threads, .. } => ("-threads".to_owned(), format!("{threads} threads")),
            Way { batch, .. } => (format!("-{batch}"), format!("{batch} rows a transaction")),
        };
        self.mode.name(side, &id, &words)
    }

    fn settings(self) -> Settings {
        Settings { journal_mode: Some(self.mode.journal), busy_timeout: Some(60_000), ..Settings::default() }
    }
}

impl World<'_> {
    fn database<L: Library>(&self) -> PathBuf {
        self.scratch.file(&format!("{}.db", L::SIDE))
    }

    fn chart(&self, id: &str, title: &str, ways: &[Way]) -> Result<Chart> {
        let common = &self.options.common;
        let mut contestants: Contestants<'_> = Vec::new();
        for &way in ways {
            for_each_library!(common, |L| {
                let name = way.name(L::SIDE);
                contestants.push(Box::new(Turn(name, move |round| self.update::<L>(round, way))));
            });
            if let Some(database) = &self.limit {
                let name = way.name(Side::Limit);
                contestants.push(Box::new(Turn(name, move |round| self.update_bare(database, round, way))));
            }
        }
        let rows = take_turns(&title.to_lowercase(), common.rounds(), common.seed, &mut contestants)?;
        Ok(Chart::bars(id, title, "µs a row", rows))
    }

    /// The rows that a turn of this round updates.
    fn ids(&self, round: Round, way: Way) -> Vec<usize> {
        let count = if way.batch == 1 { self.options.commits } else { self.options.updates };
        let mut rng = Rng::with_seed(round.seed);
        (0..count).map(|_| rng.usize(1..=self.options.rows)).collect()
    }

    fn update_bare(&self, database: &Database, round: Round, way: Way) -> Result<f64> {
        let (ids, pages) = (self.ids(round, way), 2 * user::pages(self.options.rows));
        let transactions: Vec<_> =
            ids.chunks(way.batch).map(|ids| user::update(ids, way.mode.journal, pages)).collect();
        Ok(bare::work(database, &way.settings(), way.threads, &transactions)? * 1e6 / ids.len().max(1) as f64)
    }

    fn update<L: Library>(&self, round: Round, way: Way) -> Result<f64> {
        let path = self.database::<L>();
        let settings = way.settings();
        let connection = L::open(&path, &settings)?;
        let before = connection.integer("SELECT sum(c1) FROM user")?;
        let ids = self.ids(round, way);
        let count = ids.len();
        settle(self.scratch.path())?;
        let micros = if way.threads == 1 {
            micros_each(count, || count_up(&connection, &ids, way.batch))?.0
        } else {
            let mut workers = Vec::new();
            for share in ids.chunks(count.div_ceil(way.threads).max(1)) {
                workers.push((L::open(&path, &settings)?, share));
            }
            let (seconds, _) = together(workers, |_, (connection, share), gate| {
                gate.pass();
                count_up(&connection, share, 1)
            })?;
            seconds * 1e6 / count as f64
        };
        let after = connection.integer("SELECT sum(c1) FROM user")?;
        connection.run("PRAGMA journal_mode=DELETE")?;
        if usize::try_from(after - before) != Ok(count) {
            return Err(Error::WrongContent(format!("{} rows updated instead of {count}", after - before)));
        }
        Ok(micros)
    }
}

fn count_up(connection: &impl Connection, ids: &[usize], batch: usize) -> Result<()> {
    let mut update = connection.prepare(UPDATE)?;
    for ids in ids.chunks(batch) {
        if batch > 1 {
            connection.run("BEGIN IMMEDIATE")?;
        }
        for &id in ids {
            update.run(&[Cell::from(id)])?;
        }
        if batch > 1 {
            connection.run("COMMIT")?;
        }
    }
    Ok(())
}
