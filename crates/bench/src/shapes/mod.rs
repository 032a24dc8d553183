//! A hundred shapes of queries and changes on one database, each against SQLite.

mod list;

use std::path::Path;
use std::time::Instant;

use clap::Args;
use fastrand::Rng;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::Result;
use crate::frame::duels::{Duel, Outcome, Worker, duel, worst};
use crate::frame::results::{Chart, Experiment, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::statistics::geometric_mean;
use crate::sql::{Cell, Connection, Library, Settings, Statement, for_each_library};

use list::{Group, SHAPES, Shape};

/// See [`Command::Shapes`](crate::cli::Command::Shapes).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many purchases the shop has; the other tables follow from that
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub rows: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--rows=10000", "--rounds=3"];

const SCHEMA: &str = include_str!("schema.sql");
const FILL: &str = include_str!("fill.sql");
const INDEXES: &str = include_str!("indexes.sql");

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), 2000 * options.rows as u64)?;
    let numbers = numbers(options);
    let mut workers: Vec<Box<dyn Worker + '_>> = Vec::new();
    let mut plans = Vec::new();
    for_each_library!(common, |L| {
        let shop = Shop::<L>::new(&scratch.file(&format!("{}.db", L::SIDE)), options.rows, &numbers)?;
        plans.push((L::SIDE.name(), shop.plans()?));
        workers.push(Box::new(shop));
    });
    let names: Vec<_> = SHAPES.iter().map(|shape| (id(shape), shape.label.to_owned())).collect();
    let (duels, skipped) = duel("shapes", common.rounds(), &names, &mut workers)?;
    let mut experiment = Experiment {
        id: "shapes".to_owned(),
        title: format!("{} shapes of statements", SHAPES.len()),
        about: format!(
            "One database of a shop with {} purchases, default settings, without ANALYZE. Each shape is one prepared \
             statement, compiled in the timed part, and run once or several times with other numbers. A change is undone behind \
             the clock. What statements give is compared.",
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
    for (group, id, title) in Group::ALL {
        let rows = duels.iter().zip(SHAPES).filter(|(_, shape)| shape.group == group);
        let rows = rows.flat_map(|(duel, _)| duel.rows.clone()).collect();
        experiment.charts.push(Chart::bars(id, title, "ms", rows));
    }
    for (at, shape) in SHAPES.iter().enumerate() {
        experiment.figures.push((shape.label.to_owned(), shape.sql.to_owned()));
        let plans = plans.iter().map(|(name, plans)| (format!("{}: {name}", shape.label), plans[at].clone()));
        experiment.figures.extend(plans);
    }
    judge(&mut experiment, &duels);
    Ok(experiment)
}

fn id(shape: &Shape) -> String {
    let letters = shape.label.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let group = Group::ALL.iter().find(|(group, ..)| *group == shape.group).map_or("", |(_, id, _)| id);
    format!("{group}-{}", letters.collect::<String>())
}

fn judge(experiment: &mut Experiment, duels: &[Duel]) {
    let Some((duel, measured)) = worst(duels) else { return };
    let mean = geometric_mean(duels.iter().filter_map(Duel::advantage));
    experiment.judge_ratio("Lithe runs all shapes (geometric mean)".to_owned(), "SQLite", 2.0, mean);
    let what = format!("Where it does worst ({}), Lithe is", duel.label);
    experiment.judge_ratio(what, "SQLite", 0.95, measured);
}

/// The numbers of all runs of all shapes: the same for every library.
fn numbers(options: &Options) -> Vec<Vec<usize>> {
    let mut rng = Rng::with_seed(options.common.seed);
    SHAPES.iter().map(|shape| (0..shape.runs).map(|_| rng.usize(1..=options.rows.max(1))).collect()).collect()
}

/// The database of one library.
struct Shop<'a, L: Library> {
    connection: L::Connection,
    numbers: &'a [Vec<usize>],
    is_warm_up: bool,
}

impl<'a, L: Library> Shop<'a, L> {
    fn new(path: &Path, rows: usize, numbers: &'a [Vec<usize>]) -> Result<Self> {
        let connection = L::open(path, &Settings::default())?;
        connection.run(SCHEMA)?;
        connection.run("BEGIN")?;
        for statement in FILL.lines() {
            connection.prepare(statement)?.run(&parameters(statement, rows))?;
        }
        connection.run("COMMIT")?;
        connection.run(INDEXES)?;
        Ok(Shop { connection, numbers, is_warm_up: true })
    }

    /// The output of EXPLAIN QUERY PLAN for each shape.
    fn plans(&self) -> Result<Vec<String>> {
        SHAPES.iter().map(|shape| self.plan(shape)).collect()
    }

    fn plan(&self, shape: &Shape) -> Result<String> {
        let mut lines = Vec::new();
        let mut statement = self.connection.prepare(&format!("EXPLAIN QUERY PLAN {}", shape.sql))?;
        statement.each(&parameters(shape.sql, 1), |row| {
            lines.push(String::from_utf8_lossy(row.bytes(3)).into_owned());
            Ok(())
        })?;
        Ok(lines.join("; "))
    }

    fn perform(&self, shape: &Shape, numbers: &[usize], digest: &mut Digest) -> Result<()> {
        let mut statement = self.connection.prepare(shape.sql)?;
        for &number in numbers {
            statement.each(&parameters(shape.sql, number), |row| {
                digest.add(row);
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The number, if the statement has a parameter for it.
fn parameters(sql: &str, number: usize) -> Vec<Cell<'static>> {
    if sql.contains("?1") { vec![Cell::from(number)] } else { Vec::new() }
}

impl<L: Library> Worker for Shop<'_, L> {
    fn side(&self) -> crate::frame::results::Side {
        L::SIDE
    }

    fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.is_warm_up = is_warm_up;
        Ok(())
    }

    fn operate(&mut self, at: usize) -> Result<Outcome> {
        let shape = &SHAPES[at];
        let is_change = shape.group == Group::Change;
        if is_change {
            self.connection.run("BEGIN")?;
        }
        let mut digest = Digest::new(self.is_warm_up);
        let start = Instant::now();
        let result = self.perform(shape, &self.numbers[at], &mut digest);
        let millis = start.elapsed().as_secs_f64() * 1e3;
        if is_change {
            self.connection.run("ROLLBACK")?;
        }
        result?;
        Ok(Outcome { millis, digest: Some(digest.finish()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_different() {
        let ids: BTreeSet<String> = SHAPES.iter().map(id).collect();
        assert_eq!(ids.len(), SHAPES.len());
    }
}
