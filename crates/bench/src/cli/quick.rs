//! The options of `--quick`: they are inserted before those of the command line, which override them.

use crate::{blobs, concurrency, growth, import, matrix, oltp, pinger, points, search, shapes, spatial, tpch, update};

/// The options by subcommand.
const QUICK: &[(&str, &[&str])] = &[
    ("blobs", blobs::QUICK),
    ("matrix", matrix::QUICK),
    ("points", points::QUICK),
    ("import", import::QUICK),
    ("update", update::QUICK),
    ("pinger", pinger::QUICK),
    ("oltp", oltp::QUICK),
    ("tpch", tpch::QUICK),
    ("concurrency", concurrency::QUICK),
    ("shapes", shapes::QUICK),
    ("growth", growth::QUICK),
    ("search", search::QUICK),
    ("spatial", spatial::QUICK),
];

/// The arguments, with the options of `--quick` after the subcommand.
pub fn expand(mut arguments: Vec<String>) -> Vec<String> {
    let is_quick = arguments.iter().any(|argument| argument == "--quick");
    let options = arguments.get(1).and_then(|command| QUICK.iter().find(|(name, _)| name == command));
    if let (true, Some((_, options))) = (is_quick, options) {
        arguments.splice(2..2, options.iter().map(|option| (*option).to_owned()));
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, EXPERIMENTS};
    use clap::Parser;

    #[test]
    fn quick_options_are_options_and_give_way_to_given_ones() {
        assert_eq!(QUICK.iter().map(|(name, _)| *name).collect::<Vec<_>>(), EXPERIMENTS);
        for (command, _) in QUICK {
            let arguments = ["lithe-bench", command, "--quick", "--rounds", "9"].map(str::to_owned).to_vec();
            let cli = Cli::try_parse_from(expand(arguments)).unwrap();
            assert_eq!(cli.command.common().unwrap().rounds, 9, "{command}");
        }
    }
}
