//! The 22 queries of TPC-H, in memory and on disk.
//!
//! This is not a result of the TPC benchmark: the queries run one after the other, with fixed parameters, without refreshes of the data,
//! and dates are texts, as usual in SQLite.

mod data;

use std::path::Path;
use std::time::Instant;

use clap::Args;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::duels::{Duel, Outcome, Worker, duel, worst};
use crate::frame::results::{Chart, Experiment, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::statistics::geometric_mean;
use crate::frame::{Error, Result};
use crate::sql::{Cell, Connection, Library, Statement, for_each_library};

/// See [`Command::Tpch`](crate::cli::Command::Tpch).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How much data: 1 is about a gigabyte
    #[arg(long, value_name = "FACTOR", default_value_t = 0.1)]
    pub scale: f64,
    /// Only these queries [default: all]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub queries: Vec<usize>,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--scale=0.01", "--rounds=3"];

const QUERIES: [&str; 22] = [
    include_str!("queries/01.sql"),
    include_str!("queries/02.sql"),
    include_str!("queries/03.sql"),
    include_str!("queries/04.sql"),
    include_str!("queries/05.sql"),
    include_str!("queries/06.sql"),
    include_str!("queries/07.sql"),
    include_str!("queries/08.sql"),
    include_str!("queries/09.sql"),
    include_str!("queries/10.sql"),
    include_str!("queries/11.sql"),
    include_str!("queries/12.sql"),
    include_str!("queries/13.sql"),
    include_str!("queries/14.sql"),
    include_str!("queries/15.sql"),
    include_str!("queries/16.sql"),
    include_str!("queries/17.sql"),
    include_str!("queries/18.sql"),
    include_str!("queries/19.sql"),
    include_str!("queries/20.sql"),
    include_str!("queries/21.sql"),
    include_str!("queries/22.sql"),
];

/// The query that depends on the scale: its fraction is this constant divided by the scale.
const QUERY_WITH_SCALE: usize = 11;
const FRACTION: f64 = 0.0001;

/// The smallest scale: with fewer suppliers, the same one would supply a part twice.
const SMALLEST_SCALE: f64 = 0.01;

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    if options.scale < SMALLEST_SCALE {
        return Err(Error::setup(format!("--scale: the data are defined from {SMALLEST_SCALE} on")));
    }
    let scratch = Scratch::new(&common.folder(), (4e9 * options.scale) as u64)?;
    let mut experiment = Experiment {
        id: "tpch".to_owned(),
        title: "The queries of TPC-H".to_owned(),
        about: format!(
            "Eight tables with {:.0} orders (scale {}), indexes on their keys and foreign keys, without ANALYZE; 22 queries \
             that join, group and sort, one after the other, with default settings. What they give is compared.",
            options.scale * data::ORDERS,
            options.scale
        ),
        options: options_of(&[("scale", options.scale.to_string()), ("rounds", common.rounds.to_string())]),
        ..Experiment::default()
    };
    for (id, title, words) in [("memory", "In memory", "in memory"), ("disk", "On disk", "on disk")] {
        let file = |side: Side| if id == "disk" { scratch.file(&format!("{side}.db")) } else { ":memory:".into() };
        let mut workers: Vec<Box<dyn Worker>> = Vec::new();
        for_each_library!(common, |L| {
            workers.push(Tables::<L>::boxed(&file(L::SIDE), options)?);
        });
        let names: Vec<_> = options.numbers().iter().map(|n| (n.to_string(), format!("query {n}"))).collect();
        let (duels, skipped) = duel(&format!("tpch: {words}"), common.rounds(), &names, &mut workers)?;
        experiment.charts.push(Chart::bars(id, title, "ms", duels.iter().flat_map(|duel| duel.rows.clone()).collect()));
        experiment.skipped.extend(skipped.into_iter().map(|line| format!("{words}: {line}")));
        judge(&mut experiment, &duels, words);
    }
    Ok(experiment)
}

impl Options {
    fn numbers(&self) -> Vec<usize> {
        let all = 1..=QUERIES.len();
        all.filter(|number| self.queries.is_empty() || self.queries.contains(number)).collect()
    }
}

fn judge(experiment: &mut Experiment, duels: &[Duel], words: &str) {
    let Some((duel, measured)) = worst(duels) else { return };
    let mean = geometric_mean(duels.iter().filter_map(Duel::advantage));
    let what = format!("Lithe answers the queries of TPC-H {words} (geometric mean)");
    experiment.judge_ratio(what, "SQLite", 3.0, mean);
    let what = format!("Where it does worst {words} ({}), Lithe is", duel.label);
    experiment.judge_ratio(what, "SQLite", 1.0, measured);
}

/// A database with the tables.
struct Tables<L: Library> {
    connection: L::Connection,
    numbers: Vec<usize>,
    scale: f64,
    is_warm_up: bool,
}

impl<L: Library> Tables<L> {
    fn boxed(path: &Path, options: &Options) -> Result<Box<dyn Worker>> {
        let connection = data::create::<L>(path, options.scale)?;
        let (numbers, scale) = (options.numbers(), options.scale);
        Ok(Box::new(Tables::<L> { connection, numbers, scale, is_warm_up: true }))
    }
}

impl<L: Library> Worker for Tables<L> {
    fn side(&self) -> Side {
        L::SIDE
    }

    fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.is_warm_up = is_warm_up;
        Ok(())
    }

    fn operate(&mut self, at: usize) -> Result<Outcome> {
        let number = self.numbers[at];
        let fraction = [Cell::Real(FRACTION / self.scale)];
        let parameters: &[Cell<'_>] = if number == QUERY_WITH_SCALE { &fraction } else { &[] };
        let mut digest = Digest::new(self.is_warm_up);
        let start = Instant::now();
        self.connection.prepare(QUERIES[number - 1])?.each(parameters, |row| {
            digest.add(row);
            Ok(())
        })?;
        Ok(Outcome { millis: start.elapsed().as_secs_f64() * 1e3, digest: Some(digest.finish()) })
    }
}
