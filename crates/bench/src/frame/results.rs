//! The results, as stored in JSON: every raw sample, with the machine that it was measured on.
//!
//! A [`Report`] has experiments, an [`Experiment`] has charts, a [`Chart`] has rows of samples. The page and the tables are computed only
//! from this, so that a stored file can be shown again later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::frame::goals::Goal;
use crate::frame::statistics::{Summary, median};
use crate::machine::Machine;

/// The version of the JSON format; changed when old files can no longer be read.
pub const FORMAT: u32 = 1;

/// The results of one run of the program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: u32,
    /// The machine.
    pub machine: Machine,
    /// The command that repeats it.
    pub command: String,
    /// The start, in seconds since 1970.
    pub started: u64,
    /// Whether `--quick` was used.
    pub is_quick: bool,
    /// The experiments.
    pub experiments: Vec<Experiment>,
}

/// One subcommand's results.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Experiment {
    /// The subcommand.
    pub id: String,
    /// A headline.
    pub title: String,
    /// A description of the experiment, one to three sentences.
    pub about: String,
    /// The command that repeats this experiment alone.
    pub command: String,
    /// The values of all options.
    pub options: BTreeMap<String, String>,
    /// The charts.
    pub charts: Vec<Chart>,
    /// The goals.
    pub goals: Vec<Goal>,
    /// Figures that are not samples: sizes on disk, versions.
    pub figures: Vec<(String, String)>,
    /// The parts that were left out, with reasons.
    pub skipped: Vec<String>,
    /// The total duration.
    pub seconds: f64,
}

/// The samples of one picture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chart {
    /// Its name within the experiment.
    pub id: String,
    /// A headline.
    pub title: String,
    /// The unit of the samples: "µs a BLOB", "queries/s".
    pub unit: String,
    /// Whether more is better: a rate, not a time.
    #[serde(default)]
    pub more_is_better: bool,
    /// The numbers.
    pub data: Data,
}

/// The samples of a chart, by their shape.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Data {
    /// One bar for each row.
    Bars {
        /// From top to bottom.
        rows: Vec<Row>,
    },
    /// One curve for each series, over the same places.
    Curves {
        /// The meaning of the places: "threads".
        along: String,
        /// The places.
        places: Vec<f64>,
        /// A row for each curve and place, in the order of `places`.
        series: Vec<Vec<Row>>,
    },
    /// One table of cells for each contestant.
    Matrix {
        /// The meaning of the lines, and their names.
        lines: (String, Vec<String>),
        /// The meaning of the columns, and their names.
        columns: (String, Vec<String>),
        /// The id of the series that is the baseline.
        baseline: String,
        /// The cells of each contestant, line by line.
        series: Vec<Vec<Row>>,
    },
}

/// One contestant's samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The contestant's name.
    #[serde(flatten)]
    pub name: Name,
    /// One sample for each measured round.
    pub samples: Vec<f64>,
}

/// A contestant's name.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Name {
    /// Its name within the chart.
    pub id: String,
    /// Its name in output.
    pub label: String,
    /// Its side.
    pub side: Side,
}

impl Name {
    /// A name.
    pub fn new(id: impl Into<String>, label: impl Into<String>, side: Side) -> Name {
        Name { id: id.into(), label: label.into(), side }
    }
}

/// The side of a contestant, which also decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Lithe.
    Lithe,
    /// SQLite.
    Sqlite,
    /// Plain files.
    Files,
    /// MariaDB.
    Mariadb,
    /// The first library that `--library` names.
    Library,
    /// The second one.
    Library2,
    /// The limit of the hardware.
    Limit,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name().to_lowercase())
    }
}

impl Side {
    /// All sides.
    pub const ALL: [Side; 7] =
        [Side::Lithe, Side::Sqlite, Side::Files, Side::Mariadb, Side::Library, Side::Library2, Side::Limit];

    /// The name in output.
    pub fn name(self) -> &'static str {
        match self {
            Side::Lithe => "Lithe",
            Side::Sqlite => "SQLite",
            Side::Files => "files",
            Side::Mariadb => "MariaDB",
            Side::Library => "library",
            Side::Library2 => "library2",
            Side::Limit => "limit",
        }
    }
}

impl Row {
    /// The median of its samples.
    pub fn median(&self) -> f64 {
        median(&self.samples)
    }

    /// Median and spread of its samples.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.samples)
    }
}

impl Chart {
    /// A chart of bars where less is better.
    pub fn bars(id: &str, title: impl Into<String>, unit: &str, rows: Vec<Row>) -> Chart {
        Chart {
            id: id.to_owned(),
            title: title.into(),
            unit: unit.to_owned(),
            more_is_better: false,
            data: Data::Bars { rows },
        }
    }

    /// All rows, of any shape.
    pub fn rows(&self) -> Box<dyn Iterator<Item = &Row> + '_> {
        match &self.data {
            Data::Bars { rows } => Box::new(rows.iter()),
            Data::Curves { series, .. } | Data::Matrix { series, .. } => Box::new(series.iter().flatten()),
        }
    }

    /// The row of that id.
    pub fn row(&self, id: &str) -> Option<&Row> {
        self.rows().find(|row| row.name.id == id)
    }

    /// How many times better `row` is than `other`; below 1 means worse.
    pub fn advantage(&self, row: &Row, other: &Row) -> f64 {
        let ratio = other.median() / row.median();
        if self.more_is_better { 1.0 / ratio } else { ratio }
    }
}

/// Options by their names, as an experiment stores them.
pub fn options_of(pairs: &[(&str, String)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

impl Experiment {
    /// The chart of that id.
    pub fn chart(&self, id: &str) -> Option<&Chart> {
        self.charts.iter().find(|chart| chart.id == id)
    }
}
