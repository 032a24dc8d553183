//! The options common to all experiments.

use std::path::PathBuf;

use clap::Args;

use crate::frame::results::Side;

/// See the options' own words.
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
    /// The contestants
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_values_t = Side::ALL)]
    pub contestants: Vec<Side>,
    /// A libsqlite3.so as another contestant, called through the C interface; can be given twice. (Not in blobs and matrix.)
    #[arg(long, value_name = "PATH")]
    pub library: Vec<PathBuf>,
    /// A short version: smaller tables, fewer rounds
    #[arg(long)]
    pub quick: bool,
}

impl Common {
    /// The parent of the temporary folder.
    pub fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Whether that side is a contestant.
    pub fn has(&self, side: Side) -> bool {
        let is_there = match side {
            Side::Library => !self.library.is_empty(),
            Side::Library2 => self.library.len() > 1,
            Side::Lithe | Side::Sqlite | Side::Files | Side::Mariadb | Side::Limit => true,
        };
        is_there && self.contestants.contains(&side)
    }

    /// The number of measured rounds.
    pub fn rounds(&self) -> usize {
        usize::from(self.rounds)
    }

    /// These options as arguments for another experiment. `--rounds` is left out, because experiments have different defaults.
    pub fn as_arguments(&self) -> Vec<String> {
        let mut arguments = vec![format!("--seed={}", self.seed)];
        if let Some(folder) = &self.folder {
            arguments.push(format!("--folder={}", folder.display()));
        }
        let names: Vec<String> = self.contestants.iter().map(Side::to_string).collect();
        arguments.push(format!("--contestants={}", names.join(",")));
        arguments.extend(self.library.iter().map(|path| format!("--library={}", path.display())));
        if self.quick {
            arguments.push("--quick".to_owned());
        }
        arguments
    }
}
