//! How costs grow: time against size, a curve for each library.

mod curves;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use fastrand::Rng;

use crate::common::Common;
use crate::frame::Result;
use crate::frame::progress::Progress;
use crate::frame::results::{Chart, Data, Experiment, Name, Row, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::frame::turns::{Contestants, Round, Turn, quiet_turns};
use crate::sql::{Cell, Connection, Library, Settings, Statement, for_each_library};

use curves::{CURVES, Curve, Timed};

/// See [`Command::Growth`](crate::cli::Command::Growth).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// No size above this
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub largest: usize,
    /// Only these curves [default: all]
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub curves: Vec<String>,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--largest=10000", "--rounds=3"];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let mut experiment = Experiment {
        id: "growth".to_owned(),
        title: "How cost grows".to_owned(),
        about: "Each curve is one operation, at sizes that grow tenfold or double, in a database made for that size, with default settings but for \
                `synchronous`. Both axes are logarithmic: a straight line that rises with the other one's slope grows alike."
            .to_owned(),
        options: options_of(&[
            ("largest", options.largest.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        ..Experiment::default()
    };
    let chosen = |curve: &&Curve| options.curves.is_empty() || options.curves.iter().any(|id| id == curve.id);
    let progress =
        Progress::start("growth", CURVES.iter().filter(chosen).map(|curve| options.sizes(curve).count()).sum());
    for curve in CURVES.iter().filter(chosen) {
        let chart = draw(curve, options, &progress)?;
        experiment.charts.push(chart);
    }
    progress.finish();
    judge(&mut experiment);
    Ok(experiment)
}

impl Options {
    fn sizes<'c>(&self, curve: &'c Curve) -> impl Iterator<Item = usize> + 'c {
        let largest = self.largest;
        curve.sizes.iter().copied().filter(move |&size| size <= largest)
    }
}

/// Measures a curve: size by size, the libraries in turn.
fn draw(curve: &Curve, options: &Options, progress: &Progress) -> Result<Chart> {
    let common = &options.common;
    let mut series: Vec<Vec<Row>> = Vec::new();
    for size in options.sizes(curve) {
        progress.now(curve.title);
        let scratch = Scratch::new(&common.folder(), 1000 * size as u64)?;
        let mut contestants: Contestants<'_> = Vec::new();
        for_each_library!(common, |L| {
            let mut place = Place::<L>::new(curve, size, &scratch)?;
            let name = Name::new(format!("{}/{size}", L::SIDE), L::SIDE.name(), L::SIDE);
            contestants.push(Box::new(Turn(name, move |round: Round| place.sample(round))));
        });
        let rows = quiet_turns(common.rounds(), common.seed, &mut contestants)?;
        series.resize(rows.len(), Vec::new());
        series.iter_mut().zip(rows).for_each(|(curve, row)| curve.push(row));
        progress.step();
    }
    Ok(Chart {
        id: curve.id.to_owned(),
        title: curve.title.to_owned(),
        unit: "µs".to_owned(),
        more_is_better: false,
        data: Data::Curves {
            along: curve.along.to_owned(),
            places: options.sizes(curve).map(|size| size as f64).collect(),
            series,
        },
    })
}

/// A database of one library at one size.
struct Place<'c, L: Library> {
    curve: &'c Curve,
    size: usize,
    path: PathBuf,
    connection: L::Connection,
}

impl<'c, L: Library> Place<'c, L> {
    fn new(curve: &'c Curve, size: usize, scratch: &Scratch) -> Result<Self> {
        let path = scratch.file(&format!("{}.db", L::SIDE));
        let connection = L::open(&path, &Settings::default())?;
        connection.run(&(curve.setup)(size))?;
        Ok(Place { curve, size, path, connection })
    }

    /// Microseconds for each operation.
    fn sample(&mut self, round: Round) -> Result<f64> {
        let (seconds, operations) = match self.curve.timed {
            Timed::Script(text, count) => {
                let text = text(self.size);
                (timed(|| self.connection.run(&text))?, count(self.size))
            }
            Timed::Open(sql) => {
                let open = || L::open(&self.path, &Settings::default())?.integer(sql);
                (timed(|| open().map(|value| _ = black_box(value)))?, 1)
            }
            Timed::Prepare(text, times) => {
                let text = text(self.size);
                let prepare = || (0..times).try_for_each(|_| self.connection.prepare(&text).map(|_| ()));
                (timed(prepare)?, times)
            }
            Timed::Run(text, times) => (self.run_prepared(&text(self.size), times, round)?, times),
        };
        self.connection.run(self.curve.undo)?;
        Ok(seconds * 1e6 / operations.max(1) as f64)
    }

    /// Runs the statement that many times in one transaction.
    fn run_prepared(&self, text: &str, times: usize, round: Round) -> Result<f64> {
        let mut rng = Rng::with_seed(round.seed);
        let numbers: Vec<usize> = (0..times).map(|_| rng.usize(1..=self.size.max(1))).collect();
        self.connection.run("BEGIN")?;
        let mut statement = self.connection.prepare(text)?;
        let has_number = text.contains("?1");
        let seconds = timed(|| {
            numbers.iter().try_for_each(|&number| {
                let number = [Cell::from(number)];
                let parameters = if has_number { &number[..] } else { &[] };
                statement.each(parameters, |row| {
                    _ = black_box(row.cell(0));
                    Ok(())
                })?;
                Ok(())
            })
        })?;
        drop(statement);
        self.connection.run("COMMIT")?;
        Ok(seconds)
    }
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The goals: Lithe is never slower, and no curve rises more than SQLite's from its first size to its last.
fn judge(experiment: &mut Experiment) {
    let (mut worst, mut bent) = (None, None);
    for chart in &experiment.charts {
        let advantages = advantages(chart);
        let Some((&(_, first), &(_, last))) = advantages.first().zip(advantages.last()) else { continue };
        for (size, advantage) in advantages {
            note(&mut worst, format!("{}, {size}", chart.title), advantage);
        }
        note(&mut bent, chart.title.clone(), last / first);
    }
    if let Some((title, measured)) = worst {
        experiment.judge_ratio(format!("Where it does worst ({title}), Lithe is"), "SQLite", 1.0, measured);
    }
    if let Some((title, measured)) = bent {
        let what = format!("Where its curve rises most ({title}), from the first size to the last Lithe becomes");
        experiment.judge_ratio(what, "SQLite", 0.95, measured);
    }
}

fn note(worst: &mut Option<(String, f64)>, title: String, value: f64) {
    if value.is_finite() && worst.as_ref().is_none_or(|(_, least)| value < *least) {
        *worst = Some((title, value));
    }
}

/// For each size, how many times faster Lithe is than SQLite.
fn advantages(chart: &Chart) -> Vec<(f64, f64)> {
    let Data::Curves { places, series, .. } = &chart.data else { return Vec::new() };
    let of = |side: Side| series.iter().find(|rows| rows.first().is_some_and(|row| row.name.side == side));
    let (Some(ours), Some(theirs)) = (of(Side::Lithe), of(Side::Sqlite)) else { return Vec::new() };
    let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| chart.advantage(ours, theirs));
    places.iter().copied().zip(ratios).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_and_have_names_of_their_own() {
        for (at, curve) in CURVES.iter().enumerate() {
            assert!(curve.sizes.is_sorted() && curve.sizes.len() > 2, "{}", curve.id);
            assert!(CURVES[..at].iter().all(|other| other.id != curve.id), "{}", curve.id);
        }
    }

    #[test]
    fn the_worst_size_and_the_steepest_curve_are_judged() {
        let row = |side, median| Row { name: Name::new("x", "x", side), samples: vec![median] };
        let series = vec![
            vec![row(Side::Lithe, 1.0), row(Side::Lithe, 4.0)],
            vec![row(Side::Sqlite, 2.0), row(Side::Sqlite, 2.0)],
        ];
        let data = Data::Curves { along: "rows".to_owned(), places: vec![1.0, 10.0], series };
        let chart = Chart { id: "c".into(), title: "C".into(), unit: "µs".into(), more_is_better: false, data };
        let mut experiment = Experiment { charts: vec![chart], ..Experiment::default() };
        judge(&mut experiment);
        let measured: Vec<f64> = experiment.goals.iter().map(|goal| goal.measured).collect();
        assert_eq!(measured, [0.5, 0.25]);
    }
}
