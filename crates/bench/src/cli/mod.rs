//! The command line: subcommands, and what `--quick` stands for.
//!
//! | module | subject |
//! | --- | --- |
//! | `quick` | the options of `--quick` |
//! | `run` | running a command, and showing its results |

pub mod quick;
mod run;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::common::Common;
use crate::{blobs, concurrency, growth, import, matrix, oltp, pinger, points, search, shapes, spatial, tpch, update};

/// Lithe side by side with plain files, SQLite and others: the same work, turn by turn, on this machine.
#[derive(Debug, Parser)]
#[command(name = "lithe-bench", version, args_override_self = true)]
pub struct Cli {
    /// Which experiment.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Parses the command line; ends the process if it is invalid, or to print the help.
    pub fn from_command_line() -> Cli {
        Cli::parse_from(quick::expand(std::env::args().collect()))
    }
}

/// The experiments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// BLOBs in a database against BLOBs in files: reading, cold reading, overwriting, disk space
    Blobs(blobs::Options),
    /// BLOBs inside or outside the database, by their size and the database's page size
    Matrix(matrix::Options),
    /// Point queries from several threads
    Points(points::Options),
    /// Importing rows: one a transaction, as text, prepared
    Import(import::Options),
    /// Updating rows: one, a thousand and ten thousand a transaction
    Update(update::Options),
    /// A month of network measurements: a script of INSERTs and three reports, also against MariaDB
    Pinger(pinger::Options),
    /// Some thirty operations of embedded applications, each against SQLite
    Oltp(oltp::Options),
    /// The 22 queries of TPC-H, in memory and on disk
    Tpch(tpch::Options),
    /// Readers beside a writer, and several writers
    Concurrency(concurrency::Options),
    /// A hundred shapes of statements on one database, each against SQLite, with its plan
    Shapes(shapes::Options),
    /// Time against size: schemas, joins, columns, lists, rows, transactions, logs, savepoints
    Growth(growth::Options),
    /// Full-text search with FTS5: building an index, queries of five kinds
    Search(search::Options),
    /// Boxes in an R-Tree: building it, queries for a window
    Spatial(spatial::Options),
    /// Every experiment, one after the other
    All(All),
    /// The report of raw figures that were kept (results.json), of several runs if several are given
    Report(ReportOptions),
}

/// See [`Command::All`].
#[derive(Clone, Debug, Args)]
pub struct All {
    #[command(flatten)]
    pub common: Common,
    /// Only these experiments
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = EXPERIMENTS.map(str::to_owned), value_parser = EXPERIMENTS)]
    pub only: Vec<String>,
}

/// The experiments in the order of `all`.
pub const EXPERIMENTS: [&str; 13] = [
    "blobs",
    "matrix",
    "points",
    "import",
    "update",
    "pinger",
    "oltp",
    "tpch",
    "concurrency",
    "shapes",
    "growth",
    "search",
    "spatial",
];

/// See [`Command::Report`].
#[derive(Clone, Debug, Args)]
pub struct ReportOptions {
    /// Raw figures that were kept
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where the report goes
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn all_runs_every_experiment() {
        let command = Cli::command();
        let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        assert_eq!(names[..EXPERIMENTS.len()], EXPERIMENTS);
    }
}
