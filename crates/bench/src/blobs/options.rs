//! The options of `blobs`.

use clap::{Args, ValueEnum};

use crate::blobs::tool::Tool;
use crate::common::Common;

/// See [`Command::Blobs`](crate::cli::Command::Blobs).
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    /// Instead of the experiment: work with a database or a folder that is to stay
    #[command(subcommand)]
    pub tool: Option<Tool>,
    #[command(flatten)]
    pub common: Common,
    /// How many BLOBs there are
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub count: usize,
    /// Their size in bytes, on average
    #[arg(long, value_name = "BYTES", default_value_t = 10_000)]
    pub size: usize,
    /// How many bytes more or less they may have
    #[arg(long, value_name = "BYTES", default_value_t = 2_000)]
    pub variance: usize,
    /// The databases' page size
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub page_size: usize,
    /// The page cache where a row says "small cache", in KiB
    #[arg(long, value_name = "KIB", default_value_t = 2000)]
    pub cache_kib: u32,
    /// How many BLOBs a turn reads [default: all]
    #[arg(long, value_name = "N")]
    pub reads: Option<usize>,
    /// How many BLOBs a turn reads after the caches were dropped
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub cold_reads: usize,
    /// How many BLOBs a turn overwrites in one transaction
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub overwrites: usize,
    /// How many BLOBs a turn overwrites where each is its own transaction
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub commits: usize,
    /// How many threads overwrite at once where several do
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub writers: usize,
    /// Which parts of the experiment
    #[arg(long, value_name = "PARTS", value_delimiter = ',', default_values_t = Part::ALL)]
    pub parts: Vec<Part>,
}

/// What `--quick` stands for.
pub const QUICK: &[&str] = &["--count=20000", "--rounds=3", "--cold-reads=500", "--overwrites=2000", "--commits=100"];

/// The parts of the experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Reading, all in the system's cache
    Read,
    /// Looking up small rows by their key
    Lookup,
    /// Reading after the caches were dropped
    Cold,
    /// Overwriting in one transaction
    Overwrite,
    /// Overwriting, each its own transaction
    Commit,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 5] = [Part::Read, Part::Lookup, Part::Cold, Part::Overwrite, Part::Commit];
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

impl Options {
    /// How many BLOBs a turn reads.
    pub fn reads(&self) -> usize {
        self.reads.unwrap_or(self.count).min(self.count)
    }

    /// Whether the part is wanted.
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}
