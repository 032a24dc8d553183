//! `lithe-bench`: the experiments, Lithe side by side with files, SQLite and others. docs/BENCHMARKS.md has the method.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `cli` | the command line |
//! | `common` | options that every experiment has |
//! | `frame` | turns, clocks, temporary folders, progress, results |
//! | `content` | what is stored, and in which order it is visited |
//! | `machine` | what it was measured on |
//! | `sql` | SQL libraries behind one interface |
//! | `files` | plain files |
//! | `bare` | what nobody can do without who writes pages durably: the limit |
//! | `tables` | the tables of several experiments |
//! | `report` | the page, the raw figures, the pictures |
//! | `blobs` … | the experiments |
#![forbid(unsafe_code)]
// The frame is made for all experiments; those after `blobs` use the rest of it.
#![allow(dead_code)]

mod bare;
mod blobs;
mod cli;
mod common;
mod concurrency;
mod content;
mod digest;
mod files;
mod frame;
mod import;
mod machine;
mod matrix;
mod modes;
mod oltp;
mod pinger;
mod points;
mod report;
mod search;
mod shapes;
mod spatial;
mod sql;
mod tables;
mod tpch;
mod update;

use std::process::ExitCode;

use cli::Cli;
use frame::scratch;

fn main() -> ExitCode {
    let cli = Cli::from_command_line();
    let result = scratch::clear_up_on_interrupt().and_then(|()| cli.command.run());
    scratch::wait_if_interrupted();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lithe-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
