//! The command line: subcommands, and what `--quick` stands for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::blobs;
use crate::frame::results::Side;
use crate::frame::{Result, table};
use crate::machine::Machine;

/// Lithe side by side with plain files, SQLite and others: the same work, turn by turn, on this machine.
#[derive(Debug, Parser)]
#[command(name = "lithe-bench", version, args_override_self = true)]
pub struct Cli {
    /// Which experiment.
    #[command(subcommand)]
    pub command: Command,
}

/// The experiments.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// BLOBs in a database against BLOBs in files: reading, cold reading, overwriting, disk space
    Blobs(blobs::Options),
}

/// Options of every experiment.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Write the report (report.html) and the raw figures (results.json) into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Where the files that are measured go, in a temporary folder that is removed again [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// How many rounds count, after one to warm up
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Makes all random choices; the same seed, the same choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Who takes part
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Side::ALL)]
    pub contestants: Vec<Side>,
    /// A short version: smaller tables, fewer rounds
    #[arg(long)]
    pub quick: bool,
}

impl Command {
    /// Its options that every experiment has.
    pub fn common(&self) -> &Common {
        match self {
            Command::Blobs(options) => &options.common,
        }
    }

    /// Runs it, and shows what it found.
    pub fn run(&self) -> Result<()> {
        let machine = Machine::here(&self.common().folder());
        machine.warnings().iter().for_each(|warning| eprintln!("note: {warning}"));
        let experiment = match self {
            Command::Blobs(options) => blobs::run(options)?,
        };
        print!("{}", table::experiment(&experiment));
        Ok(())
    }
}

impl Common {
    /// Where the temporary folder goes.
    pub fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Whether that side takes part.
    pub fn has(&self, side: Side) -> bool {
        self.contestants.contains(&side)
    }

    /// How many rounds count.
    pub fn rounds(&self) -> usize {
        usize::from(self.rounds)
    }
}

/// What `--quick` stands for: options that come before those of the command line, which override them.
pub const QUICK: &[(&str, &[&str])] = &[("blobs", blobs::QUICK)];

impl Cli {
    /// Reads the command line; ends the program if it is wrong, or asks for help.
    pub fn from_command_line() -> Cli {
        Cli::parse_from(with_quick_options(std::env::args().collect()))
    }
}

/// The arguments with the options that `--quick` stands for behind the subcommand.
pub fn with_quick_options(arguments: Vec<String>) -> Vec<String> {
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let options = arguments.get(1).and_then(|command| QUICK.iter().find(|(name, _)| name == command));
    let (true, Some((_, options))) = (quick, options) else { return arguments };
    let mut expanded = arguments;
    expanded.splice(2..2, options.iter().map(|option| (*option).to_owned()));
    expanded
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
    fn quick_options_are_options_and_give_way_to_given_ones() {
        for (command, _) in QUICK {
            let arguments = ["lithe-bench", command, "--quick", "--rounds", "9"].map(str::to_owned).to_vec();
            let cli = Cli::try_parse_from(with_quick_options(arguments)).unwrap();
            assert_eq!(cli.command.common().rounds, 9, "{command}");
        }
    }
}
