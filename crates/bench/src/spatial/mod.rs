//! Boxes in an R-Tree: building it, and queries for the boxes that overlap a window.
//!
//! Every round begins with an empty database.

use std::time::Instant;

use clap::Args;
use fastrand::Rng;

use crate::common::Common;
use crate::digest::Digest;
use crate::frame::Result;
use crate::frame::duels::{Outcome, Worker, duel};
use crate::frame::results::{Chart, Experiment, Side, options_of};
use crate::frame::scratch::Scratch;
use crate::sql::{Cell, Connection, Fresh, Library, Statement, for_each_library};

/// See [`Command::Spatial`](crate::cli::Command::Spatial).
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(flatten)]
    pub common: Common,
    /// How many boxes there are
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub boxes: usize,
    /// How many windows are asked for
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub windows: usize,
}

/// The options of `--quick`.
pub const QUICK: &[&str] = &["--boxes=50000", "--windows=1000", "--rounds=3"];

const OPERATIONS: [(&str, &str); 2] = [("build", "building in one transaction"), ("window", "queries for a window")];
/// The width of the plane, and of the widest box and window.
const PLANE: f64 = 10_000.0;
const BOX_MAX: f64 = 10.0;
const WINDOW_MAX: f64 = 200.0;
/// The goal of each operation: how many times faster than SQLite.
const WANTED: f64 = 2.0;

/// The ends of a box on both axes.
type Bounds = [f64; 4];

/// Runs the experiment.
pub fn run(options: &Options) -> Result<Experiment> {
    let common = &options.common;
    let scratch = Scratch::new(&common.folder(), options.boxes as u64 * 300)?;
    let mut rng = Rng::with_seed(common.seed);
    let boxes: Vec<Bounds> = (0..options.boxes).map(|_| bounds(&mut rng, BOX_MAX)).collect();
    let windows: Vec<Bounds> = (0..options.windows).map(|_| bounds(&mut rng, WINDOW_MAX)).collect();
    let mut workers: Vec<Box<dyn Worker + '_>> = Vec::new();
    for_each_library!(common, |L| {
        workers.push(Box::new(Surveyor::<L> { database: Fresh::new(&scratch), boxes: &boxes, windows: &windows }));
    });
    let names = OPERATIONS.map(|(id, label)| (id.to_owned(), label.to_owned()));
    let (duels, skipped) = duel("spatial", common.rounds(), &names, &mut workers)?;
    let mut experiment = Experiment {
        id: "spatial".to_owned(),
        title: "Boxes in an R-Tree".to_owned(),
        about: format!(
            "{} boxes of random sizes at random places are inserted in one transaction; then {} windows are asked \
             for the sum of the ids that they meet, which is compared.",
            options.boxes, options.windows
        ),
        options: options_of(&[
            ("boxes", options.boxes.to_string()),
            ("windows", options.windows.to_string()),
            ("rounds", common.rounds.to_string()),
            ("seed", common.seed.to_string()),
        ]),
        skipped,
        ..Experiment::default()
    };
    let rows = duels.iter().flat_map(|duel| duel.rows.clone()).collect();
    experiment.charts.push(Chart::bars("rtree", "Building and asking", "ms", rows));
    for (duel, (_, label)) in duels.iter().zip(OPERATIONS) {
        if let Some(measured) = duel.advantage() {
            experiment.judge_ratio(format!("Lithe, {label},"), "SQLite", WANTED, measured);
        }
    }
    Ok(experiment)
}

fn bounds(rng: &mut Rng, widest: f64) -> Bounds {
    let mut side = || {
        let low = rng.f64() * PLANE;
        (low, low + rng.f64() * widest)
    };
    let ((left, right), (bottom, top)) = (side(), side());
    [left, right, bottom, top]
}

struct Surveyor<'a, L: Library> {
    database: Fresh<L>,
    boxes: &'a [Bounds],
    windows: &'a [Bounds],
}

impl<L: Library> Worker for Surveyor<'_, L> {
    fn side(&self) -> Side {
        L::SIDE
    }

    fn begin_round(&mut self, is_warm_up: bool) -> Result<()> {
        self.database.begin_round(is_warm_up)?;
        self.database.connection()?.run("CREATE VIRTUAL TABLE boxes USING rtree(id, left, right, bottom, top)")
    }

    fn operate(&mut self, operation: usize) -> Result<Outcome> {
        let mut digest = Digest::new(self.database.is_warm_up());
        let (boxes, windows) = (self.boxes, self.windows);
        let connection = self.database.connection()?;
        let start = Instant::now();
        if operation == 0 {
            build(connection, boxes)?;
        } else {
            let sql = "SELECT count(*), sum(id) FROM boxes WHERE right >= ? AND left <= ? AND top >= ? AND bottom <= ?";
            let mut statement = connection.prepare(sql)?;
            for window in windows {
                statement.each(&window.map(Cell::Real), |row| {
                    digest.add(row);
                    Ok(())
                })?;
            }
        }
        Ok(Outcome { millis: start.elapsed().as_secs_f64() * 1e3, digest: Some(digest.finish()) })
    }
}

fn build(connection: &impl Connection, boxes: &[Bounds]) -> Result<()> {
    connection.run("BEGIN")?;
    let mut insert = connection.prepare("INSERT INTO boxes VALUES (?, ?, ?, ?, ?)")?;
    for (at, [left, right, bottom, top]) in boxes.iter().enumerate() {
        insert.run(&[
            Cell::from(at + 1),
            Cell::Real(*left),
            Cell::Real(*right),
            Cell::Real(*bottom),
            Cell::Real(*top),
        ])?;
    }
    connection.run("COMMIT")
}
