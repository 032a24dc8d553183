//! Some thirty operations of embedded applications, each against SQLite.
//!
//! Every round begins with an empty database, and runs all operations in order.

mod operations;

use std::time::Instant;

use clap::Args;
use fastrand::Rng;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::Result;
use crate::frame::duels::{Duel, Outcome, Worker, duel, worst};
use crate::frame::results::{Chart, Experiment, Name, Row, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::sql::{Cell, Connection, Fresh, Library, Statement, for_each_library};

use operations::{Group, OPERATIONS, Operation, Value};

/// See [`Command::Oltp`](crate::cli::Command::Oltp).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many rows a table has
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub rows: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=10000", "--rounds=3"];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), 4000 * options.rows as u64)?;
    let parameters = parameters(options);
    let mut workers: Vec<Box<dyn Worker + '_>> = Vec::new();
    for_each_library!(common, |L| {
        workers.push(Box::new(Database::<L>::new(&scratch, &parameters)));
    });
    let names: Vec<_> = OPERATIONS.iter().map(|operation| (id(operation), operation.label.to_owned())).collect();
    let (duels, skipped) = duel("oltp", common.rounds(), &names, &mut workers)?;
    let mut experiment = Experiment {
        id: "oltp".to_owned(),
        title: format!("{} operations of embedded applications", OPERATIONS.len()),
        about: format!(
            "Each operation is done by SQLite and by Lithe, one after the other, with default settings, in a database of \
             four small tables of up to {} rows, through prepared statements; changes are one transaction each. What \
             queries give is compared.",
            options.rows
        ),
        options: options_of(&[
            ("rows", options.rows.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        skipped,
        ..Experiment::default()
    };
    experiment.charts.extend(sum(&duels));
    for (group, id, title) in [
        (Group::Query, "query", "Queries"),
        (Group::Change, "change", "Changes"),
        (Group::Whole, "whole", "Whole tables and the whole database"),
    ] {
        let rows = duels.iter().zip(OPERATIONS).filter(|(_, o)| o.group == group).flat_map(|(d, _)| d.rows.clone());
        experiment.charts.push(Chart::bars(id, title, "ms", rows.collect()));
    }
    judge(&mut experiment, &duels);
    Ok(experiment)
}

fn id(operation: &Operation) -> String {
    let letters = operation.label.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    letters.collect()
}

/// The total over the operations that both libraries completed; `None` if there is none.
fn sum(duels: &[Duel]) -> Option<Chart> {
    let both: Vec<&Duel> = duels.iter().filter(|duel| duel.advantage().is_some()).collect();
    if both.is_empty() {
        return None;
    }
    let row = |side: Side| {
        let total = both.iter().filter_map(|duel| duel.median(side)).sum();
        let label = format!("{}: {} operations", side.name(), both.len());
        Row { name: Name::new(side.to_string(), label, side), samples: vec![total] }
    };
    Some(Chart::bars(
        "sum",
        "All operations together (the sum of their medians)",
        "ms",
        vec![row(Side::Sqlite), row(Side::Lithe)],
    ))
}

fn judge(experiment: &mut Experiment, duels: &[Duel]) {
    let Some(chart) = experiment.chart("sum") else { return };
    let (Some(ours), Some(theirs)) = (chart.row("lithe"), chart.row("sqlite")) else { return };
    let together = chart.advantage(ours, theirs);
    experiment.judge_ratio("Lithe does all operations together".to_owned(), "SQLite", 2.0, together);
    if let Some((duel, measured)) = worst(duels) {
        let what = format!("Where it does worst ({}), Lithe is", duel.label);
        experiment.judge_ratio(what, "SQLite", 1.0, measured);
    }
}

/// The parameters of all runs of all operations: the same for every library, made before the clock starts.
fn parameters(options: &Options) -> Vec<Vec<Vec<Value>>> {
    let mut rng = Rng::with_seed(options.common.seed);
    let n = options.rows as i64;
    let mut runs = |operation: &Operation| {
        let count = options.rows.checked_div(operation.divisor).unwrap_or(1).max(1);
        (0..count as i64).map(|i| (operation.parameters)(&mut rng, n, i)).collect()
    };
    OPERATIONS.iter().map(&mut runs).collect()
}

/// A database that runs the operations.
struct Database<'a, L: Library> {
    database: Fresh<L>,
    parameters: &'a [Vec<Vec<Value>>],
}

impl<'a, L: Library> Database<'a, L> {
    fn new(scratch: &Scratch, parameters: &'a [Vec<Vec<Value>>]) -> Self {
        Database { database: Fresh::new(scratch), parameters }
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
        let (operation, runs) = (&OPERATIONS[at], &self.parameters[at]);
        let mut digest = Digest::new(self.database.is_warm_up());
        let connection = self.database.connection()?;
        connection.run(operation.before)?;
        let bound: Vec<Vec<Cell<'_>>> = runs.iter().map(|run| run.iter().map(cell).collect()).collect();
        let start = Instant::now();
        let result = perform(connection, operation, &bound, &mut digest);
        let millis = start.elapsed().as_secs_f64() * 1e3;
        if result.is_err() {
            // A transaction that is still open would make all later operations fail.
            let _ = connection.run("ROLLBACK");
        }
        result?;
        Ok(Outcome { millis, digest: Some(digest.finish()) })
    }
}

fn perform(
    connection: &impl Connection,
    operation: &Operation,
    bound: &[Vec<Cell<'_>>],
    digest: &mut Digest,
) -> Result<()> {
    if operation.divisor == 0 {
        // Of several statements, the digest has the rows of the last one.
        let (first, last) = operation.sql.rsplit_once("; ").unwrap_or(("", operation.sql));
        connection.run(first)?;
        connection.prepare(last)?.each(&[], |row| {
            digest.add(row);
            Ok(())
        })?;
        return Ok(());
    }
    if operation.in_transaction {
        connection.run("BEGIN")?;
    }
    let mut statement = connection.prepare(operation.sql)?;
    for parameters in bound {
        statement.each(parameters, |row| {
            digest.add(row);
            Ok(())
        })?;
    }
    drop(statement);
    if operation.in_transaction { connection.run("COMMIT") } else { Ok(()) }
}

fn cell(value: &Value) -> Cell<'_> {
    match value {
        Value::Integer(integer) => Cell::Integer(*integer),
        Value::Text(text) => Cell::from(text.as_str()),
    }
}
