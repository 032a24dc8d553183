//! What was measured, as it is kept in JSON: every raw sample, beside what it was measured on.
//!
//! A [`Report`] has experiments, an [`Experiment`] has charts, a [`Chart`] has rows of samples. Everything that the page
//! and the tables say is computed from this and nothing else, so that a kept file can be shown again later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::frame::goals::Goal;
use crate::frame::statistics::{Summary, median};
use crate::machine::Machine;

/// The form of the JSON file; changes when old files can no longer be read.
pub const FORMAT: u32 = 1;

/// Everything that one call of the program measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: u32,
    /// Where it was measured.
    pub machine: Machine,
    /// How to repeat it.
    pub command: String,
    /// When it began, in seconds since 1970.
    pub started: u64,
    /// Whether it is the short version.
    pub is_quick: bool,
    /// What was measured.
    pub experiments: Vec<Experiment>,
}

/// One subcommand's results.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Experiment {
    /// The subcommand.
    pub id: String,
    /// A headline.
    pub title: String,
    /// What was measured and how, a sentence or three.
    pub about: String,
    /// How to repeat this one alone.
    pub command: String,
    /// Every option's value.
    pub options: BTreeMap<String, String>,
    /// What was measured.
    pub charts: Vec<Chart>,
    /// What was to be reached.
    pub goals: Vec<Goal>,
    /// Figures that are not samples: sizes on disk, versions.
    pub figures: Vec<(String, String)>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
    /// How long it all took.
    pub seconds: f64,
}

/// Samples that belong into one picture.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chart {
    /// Its name within the experiment.
    pub id: String,
    /// A headline.
    pub title: String,
    /// What the numbers are: "µs a BLOB", "queries/s".
    pub unit: String,
    /// Whether more is better: a rate, not a time.
    #[serde(default)]
    pub more_is_better: bool,
    /// The numbers.
    pub data: Data,
}

/// The numbers of a chart, by their shape.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Data {
    /// One bar a row.
    Bars {
        /// From top to bottom.
        rows: Vec<Row>,
    },
    /// One curve a series, over the same places.
    Curves {
        /// What the places are: "threads".
        along: String,
        /// The places.
        places: Vec<f64>,
        /// A row a curve and place, in the order of `places`.
        series: Vec<Vec<Row>>,
    },
    /// One table of cells a contestant.
    Matrix {
        /// What a line of the table is, and the lines' names.
        lines: (String, Vec<String>),
        /// What a column of the table is, and the columns' names.
        columns: (String, Vec<String>),
        /// The id of the series that the others are compared with.
        baseline: String,
        /// A contestant's cells, line by line.
        series: Vec<Vec<Row>>,
    },
}

/// One contestant's samples.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Who, and how.
    #[serde(flatten)]
    pub name: Name,
    /// One sample a round, the first round left out.
    pub samples: Vec<f64>,
}

/// A contestant's name.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Name {
    /// Its name within the chart.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Whose it is.
    pub side: Side,
}

impl Name {
    /// A name.
    pub fn new(id: impl Into<String>, label: impl Into<String>, side: Side) -> Name {
        Name { id: id.into(), label: label.into(), side }
    }
}

/// Whose contestant it is; also its colour.
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
    /// What the hardware allows: nobody can be faster.
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

    /// The name for people.
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

    /// All rows, whatever the shape.
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

    /// How many times better `row` is than `other`: below 1 it is worse.
    pub fn advantage(&self, row: &Row, other: &Row) -> f64 {
        let ratio = other.median() / row.median();
        if self.more_is_better { 1.0 / ratio } else { ratio }
    }
}

/// Options as an experiment keeps them, by their names.
pub fn options_of(pairs: &[(&str, String)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

impl Experiment {
    /// The chart of that id.
    pub fn chart(&self, id: &str) -> Option<&Chart> {
        self.charts.iter().find(|chart| chart.id == id)
    }
}
