//! `lithe-bench`: the experiments, Lithe compared with files, SQLite and other databases. docs/BENCHMARKS.md has the method.
//!
//! ```text
//!   cli ──► experiment (blobs, import, tpch …) ──► Experiment ──► report: a page, raw figures, charts
//!               │                                     ▲
//!               ├─ frame: turns, duels, threads ──────┘  contestants in turn; medians, spread, goals
//!               │
//!               └─ sql: Library, Connection, Statement    files        bare
//!                       │         │          │            plain files  system calls: the limit of the hardware
//!                     Lithe     Sqlite     First, Second: any libsqlite3.so
//! ```
//!
//! Read first: [`frame::turns::Contestant`], [`sql::Library`], [`frame::results::Experiment`]. The crate must not know the inside of a library:
//! it measures Lithe through `lithedb` and through `libsqlite3.so`, as an application does.
//!
//! | module | subject |
//! | --- | --- |
//! | `cli` | the command line |
//! | `common` | the options common to all experiments |
//! | `frame` | turns, clocks, temporary folders, progress, results |
//! | `content` | the stored data, and the order of its keys |
//! | `machine` | the machine of the measurements |
//! | `sql` | SQL libraries behind one interface |
//! | `files` | plain files |
//! | `bare` | the limit of durable writes: bare system calls |
//! | `tables` | the tables of several experiments |
//! | `report` | the page, the raw figures, the pictures |
//! | `blobs` … | the experiments |
#![forbid(unsafe_code)]
// The frame serves all experiments; some of its parts are used only by those after `blobs`.
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
mod growth;
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
