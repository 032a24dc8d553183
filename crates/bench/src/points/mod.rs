//! Point queries by threads: `select * from user where id = ?`, prepared, each thread with its own connection, each query in its own
//! transaction.

mod goals;

use std::hint::black_box;
use std::path::PathBuf;

use clap::Args;

use crate::common::Common;
use crate::content::{Order, keys};
use crate::frame::results::{Chart, Data, Experiment, Name, Row, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::threads::{Gate, together};
use crate::frame::turns::{Contestants, Round, Turn, take_turns};
use crate::frame::{Error, Result};
use crate::sql::{Cell, Connection, JournalMode, Library, Settings, Statement, for_each_library};
use crate::tables::{self, Strings};

/// See [`Command::Points`](crate::cli::Command::Points).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many rows each table has
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub rows: usize,
    /// How many queries a thread runs in a turn
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub queries: usize,
    /// How many threads
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 2, 4, 8])]
    pub threads: Vec<usize>,
    /// In which journal modes
    #[arg(long, value_name = "MODES", value_delimiter = ',', default_values = ["delete", "wal"])]
    pub journal_modes: Vec<JournalMode>,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=20000", "--queries=4000", "--rounds=3", "--threads=1,2,8"];

/// The percentages of ids that have a row.
const HITS: [(usize, &str, &str); 2] = [(100, "hit", "every id has a row"), (10, "miss", "one id in ten has a row")];

/// The state that all contestants share.
struct World<'a> {
    options: &'a Options,
    strings: Strings,
    scratch: Scratch,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), tables::bytes_needed(options.rows, 2))?;
    let world = World { options, strings: Strings::new(common.seed), scratch };
    for_each_library!(common, |L| {
        tables::create::<L>(&world.database::<L>(), options.rows, &world.strings)?;
    });
    let mut experiment = Experiment {
        id: "points".to_owned(),
        title: "Point queries by threads".to_owned(),
        about: format!(
            "A table of {} rows with an integer key, an integer and two strings of 1,000 characters. Every thread has a \
             connection of its own and asks {} times for all columns of a random row with a prepared statement, each \
             query its own transaction. A point is the number of queries of all threads together in a second.",
            options.rows, options.queries
        ),
        options: described(options),
        ..Experiment::default()
    };
    for &mode in &options.journal_modes {
        world.set_mode(mode)?;
        for hits in HITS {
            experiment.charts.push(world.chart(mode, hits)?);
        }
    }
    experiment.judge(&goals::goals(&options.threads));
    Ok(experiment)
}

impl World<'_> {
    fn database<L: Library>(&self) -> PathBuf {
        self.scratch.file(&format!("{}.db", L::SIDE))
    }

    /// Sets the journal mode, which is stored in the files.
    fn set_mode(&self, mode: JournalMode) -> Result<()> {
        let settings = Settings { journal_mode: Some(mode), ..Settings::default() };
        for_each_library!(self.options.common, |L| {
            L::open(&self.database::<L>(), &settings)?;
        });
        Ok(())
    }

    fn chart(&self, mode: JournalMode, (percent, hit, words): (usize, &str, &str)) -> Result<Chart> {
        let common = &self.options.common;
        let mut contestants: Contestants<'_> = Vec::new();
        for shared_cache in [false, true] {
            for_each_library!(common, |L| {
                self.add::<L>(&mut contestants, shared_cache, percent);
            });
        }
        let journal = if mode == JournalMode::Wal { "WAL".to_owned() } else { format!("journal {}", mode.name()) };
        let title = format!("points: {journal}, {words}");
        let mut rows = take_turns(&title, common.rounds(), common.seed, &mut contestants)?.into_iter();
        let mut series: Vec<Vec<Row>> = Vec::new();
        while rows.len() > 0 {
            series.push(rows.by_ref().take(self.options.threads.len()).collect());
        }
        Ok(Chart {
            id: format!("{}-{hit}", mode.name()),
            title: format!("Point queries, {journal}: {words}"),
            unit: "queries a second".to_owned(),
            more_is_better: true,
            data: Data::Curves {
                along: "threads".to_owned(),
                places: self.options.threads.iter().map(|&threads| threads as f64).collect(),
                series,
            },
        })
    }

    /// A contestant for every number of threads.
    fn add<'w, L: Library>(&'w self, contestants: &mut Contestants<'w>, shared_cache: bool, percent: usize) {
        let (id, label) = (L::SIDE.to_string(), L::SIDE.name());
        let (id, label) = if shared_cache {
            (format!("{id}-shared"), format!("{label}, shared cache"))
        } else {
            (id, label.to_owned())
        };
        for &threads in &self.options.threads {
            let name = Name::new(format!("{id}/{threads}"), label.clone(), L::SIDE);
            let ask = move |round: Round| self.ask::<L>(round, shared_cache, threads, percent);
            contestants.push(Box::new(Turn(name, ask)));
        }
    }

    fn ask<L: Library>(&self, round: Round, shared_cache: bool, threads: usize, percent: usize) -> Result<f64> {
        let settings = Settings { shared_cache, busy_timeout: Some(60_000), ..Settings::default() };
        // This connection stays open, so that no thread is the first to open the log, or the last, which removes it.
        let main = L::open(&self.database::<L>(), &settings)?;
        main.integer("SELECT count(*) FROM sqlite_schema")?;
        let mut workers = Vec::new();
        for thread in 0..threads {
            let connection = L::open(&self.database::<L>(), &settings)?;
            workers.push((connection, self.ids(round.seed + 1000 * thread as u64, percent)));
        }
        let (seconds, _) = together(workers, |_, (connection, ids), gate| self.work(round, &connection, &ids, gate))?;
        Ok((threads * self.options.queries) as f64 / seconds)
    }

    /// Ids in random order, of which that percentage has a row.
    fn ids(&self, seed: u64, percent: usize) -> Vec<usize> {
        let range = self.options.rows * 100 / percent;
        let some = keys(Order::Random, range, self.options.queries.min(range), seed);
        some.into_iter().cycle().take(self.options.queries).collect()
    }

    fn work(&self, round: Round, connection: &impl Connection, ids: &[usize], gate: &Gate<'_>) -> Result<()> {
        let mut select = connection.prepare("SELECT * FROM user WHERE id = ?")?;
        if round.is_warm_up() {
            for &id in ids {
                select.each(&[Cell::from(id)], |row| self.strings.check(id, row))?;
            }
        }
        gate.pass();
        let (mut found, mut bytes) = (0, 0);
        for &id in ids {
            found += select.each(&[Cell::from(id)], |row| {
                bytes += black_box(row.bytes(2)).len() + black_box(row.bytes(3)).len();
                Ok(())
            })?;
        }
        let wanted = ids.iter().filter(|&&id| id <= self.options.rows).count();
        if (found, bytes) == (wanted, wanted * 2 * tables::STRING_LEN) {
            return Ok(());
        }
        Err(Error::WrongContent(format!("{found} rows with {bytes} bytes found instead of {wanted} rows")))
    }
}

fn described(options: &Options) -> std::collections::BTreeMap<String, String> {
    let threads: Vec<String> = options.threads.iter().map(usize::to_string).collect();
    options_of(&[
        ("rows", options.rows.to_string()),
        ("queries a thread", options.queries.to_string()),
        ("threads", threads.join(", ")),
        ("rounds", options.common.rounds.to_string()),
        ("seed", options.common.seed.to_string()),
    ])
}
