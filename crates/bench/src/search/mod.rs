//! Full-text search with FTS5: building an index, adding documents, and queries of five kinds.
//!
//! Every round begins with an empty database, and runs all operations in order.

mod text;

use std::time::Instant;

use clap::Args;
use fastrand::Rng;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::Result;
use crate::frame::duels::{Duel, Outcome, Worker, duel};
use crate::frame::results::{Chart, Experiment, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::sql::{Cell, Connection, Fresh, Library, Statement, for_each_library};

/// See [`Command::Search`](crate::cli::Command::Search).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many documents there are
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub documents: usize,
    /// How many words a document has at least
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub words_min: usize,
    /// How many it has at most
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub words_max: usize,
    /// How many documents are added one by one
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub singles: usize,
    /// How many queries of each kind there are
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub queries: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--documents=3000", "--singles=50", "--queries=50", "--rounds=3"];

/// The operations, the headline first, with the goal of each: how many times faster than SQLite.
const OPERATIONS: [(&str, &str, f64); 8] = [
    ("build", "building in one transaction", 2.0),
    ("single", "documents one by one", 1.0),
    ("word", "one word", 2.0),
    ("phrase", "a phrase of two words", 2.0),
    ("prefix", "a prefix", 2.0),
    ("near", "NEAR", 2.0),
    ("ranked", "the ten best of two words", 2.0),
    ("size", "the size of the database in MB", 1.0),
];
const SIZE: usize = OPERATIONS.len() - 1;

const COUNT: &str = "SELECT count(*) FROM docs WHERE docs MATCH ?";
const BEST: &str = "SELECT rowid FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10";

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let bytes = options.documents as u64 * (options.words_max as u64 + options.words_min as u64) / 2 * 10;
    let scratch = Scratch::new(&common.folder(), 2 * bytes)?;
    let work = Work::new(options);
    let mut workers: Vec<Box<dyn Worker + '_>> = Vec::new();
    for_each_library!(common, |L| {
        workers.push(Box::new(Searcher::<L> { database: Fresh::new(&scratch), work: &work }));
    });
    let names: Vec<_> = OPERATIONS.iter().map(|(id, label, _)| ((*id).to_owned(), (*label).to_owned())).collect();
    let (duels, skipped) = duel("search", common.rounds(), &names, &mut workers)?;
    let mut experiment = Experiment {
        id: "search".to_owned(),
        title: "Full-text search with FTS5".to_owned(),
        about: format!(
            "{} documents of {} to {} words from a vocabulary of {} by Zipf's law. The index is built in one \
             transaction; then documents are added, a transaction each; then {} queries of each kind are asked through \
             a prepared statement. What queries find is compared.",
            options.documents,
            options.words_min,
            options.words_max,
            text::VOCABULARY,
            options.queries
        ),
        options: options_of(&[
            ("documents", options.documents.to_string()),
            ("documents added one by one", options.singles.to_string()),
            ("queries of each kind", options.queries.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        skipped,
        ..Experiment::default()
    };
    let rows = |duels: &[Duel]| duels.iter().flat_map(|duel| duel.rows.clone()).collect();
    experiment.charts.push(Chart::bars("build", "Building and adding", "ms", rows(&duels[..2])));
    experiment.charts.push(Chart::bars("query", "Queries", "ms", rows(&duels[2..SIZE])));
    experiment.charts.push(Chart::bars("size", "Size", "MB", rows(&duels[SIZE..])));
    for (duel, (_, label, wanted)) in duels.iter().zip(OPERATIONS) {
        if let Some(measured) = duel.advantage() {
            experiment.judge_ratio(format!("Lithe, {label},"), "SQLite", wanted, measured);
        }
    }
    Ok(experiment)
}

/// The work of all libraries, made before the clock starts.
struct Work {
    options: Options,
    words: Vec<String>,
    /// The queries of each kind, from "word" on.
    queries: Vec<Vec<String>>,
}

impl Work {
    fn new(options: &Options) -> Work {
        let words: Vec<String> = (0..text::VOCABULARY).map(text::word).collect();
        let mut rng = Rng::with_seed(options.common.seed);
        let mut two = || {
            // Two adjacent words of a document, so that the query has a result.
            let document = text::document(options.common.seed, rng.usize(..options.documents.max(1)), lens(options));
            let at = rng.usize(..document.len().saturating_sub(1).max(1));
            (words[document[at]].clone(), words[document[(at + 1) % document.len()]].clone())
        };
        let mut many = |query: fn((String, String)) -> String| (0..options.queries).map(|_| query(two())).collect();
        let queries = vec![
            many(|(one, _)| one),
            many(|(one, other)| format!("\"{one} {other}\"")),
            many(|(one, _)| format!("{}*", one.get(..3).unwrap_or(&one))),
            many(|(one, other)| format!("NEAR({one} {other}, 5)")),
            many(|(one, other)| format!("{one} {other}")),
        ];
        Work { options: options.clone(), words, queries }
    }

    fn text(&self, number: usize) -> String {
        text::text(&text::document(self.options.common.seed, number, lens(&self.options)), &self.words)
    }
}

fn lens(options: &Options) -> (usize, usize) {
    (options.words_min.max(1), options.words_max)
}

struct Searcher<'a, L: Library> {
    database: Fresh<L>,
    work: &'a Work,
}

impl<L: Library> Worker for Searcher<'_, L> {
    fn side(&self) -> Side {
        L::SIDE
    }

    fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.database.begin_round(is_warm_up)?;
        self.database.connection()?.run("CREATE VIRTUAL TABLE docs USING fts5(body)")
    }

    fn operate(&mut self, operation: usize) -> Result<Outcome> {
        let (work, is_warm_up) = (self.work, self.database.is_warm_up());
        let connection = self.database.connection()?;
        let options = &work.options;
        match operation {
            0 => {
                let millis = add(connection, work, 0..options.documents, true)?;
                Ok(Outcome { millis, digest: None })
            }
            1 => {
                let numbers = options.documents..options.documents + options.singles;
                Ok(Outcome { millis: add(connection, work, numbers, false)?, digest: None })
            }
            SIZE => {
                let bytes = connection.integer("PRAGMA page_count")? * connection.integer("PRAGMA page_size")?;
                Ok(Outcome { millis: bytes as f64 / 1e6, digest: None })
            }
            kind => ask(connection, &work.queries[kind - 2], if kind == SIZE - 1 { BEST } else { COUNT }, is_warm_up),
        }
    }
}

/// Adds documents; answers the milliseconds of the statements alone, because making the texts takes time, too.
fn add(
    connection: &impl Connection,
    work: &Work,
    numbers: std::ops::Range<usize>,
    in_transaction: bool,
) -> Result<f64> {
    let mut insert = connection.prepare("INSERT INTO docs(rowid, body) VALUES (?, ?)")?;
    let mut seconds = 0.0;
    let mut timed = |what: &mut dyn FnMut() -> Result<()>| {
        let start = Instant::now();
        let done = what();
        seconds += start.elapsed().as_secs_f64();
        done
    };
    if in_transaction {
        timed(&mut || connection.run("BEGIN"))?;
    }
    for number in numbers {
        let text = work.text(number);
        timed(&mut || insert.run(&[Cell::from(number + 1), Cell::Text(text.as_bytes())]).map(|_| ()))?;
    }
    if in_transaction {
        timed(&mut || connection.run("COMMIT"))?;
    }
    Ok(seconds * 1e3)
}

fn ask(connection: &impl Connection, queries: &[String], sql: &str, is_warm_up: bool) -> Result<Outcome> {
    let mut digest = Digest::new(is_warm_up);
    let mut statement = connection.prepare(sql)?;
    let start = Instant::now();
    for query in queries {
        statement.each(&[Cell::Text(query.as_bytes())], |row| {
            digest.add(row);
            Ok(())
        })?;
    }
    Ok(Outcome { millis: start.elapsed().as_secs_f64() * 1e3, digest: Some(digest.finish()) })
}
