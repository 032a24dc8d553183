//! `lithe`: a shell on database files, as users of `sqlite3` expect it.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `args` | the command line |
//! | `lines` | reading lines: SQL and dot commands |
//! | `database` | opening databases |
//! | `appended` | databases behind the bytes of another file |
//! | `shell` | the state between statements; running SQL |
//! | `expert` | the indexes that a statement would use: `.expert` |
//! | `parameters` | the values of statements' parameters |
//! | `input` | where lines come from: terminal, file, argument |
//! | `sink` | where rows go: standard output, file, program |
//! | `guard` | what statements may do: the safe mode, and what `.auth` shows |
//! | `progress`, `recording`, `statistics` | what `.progress`, `.session` and `.stats` keep |
//! | `scan_status` | what the loops of a statement have cost: `.scanstats` |
//! | `commands` | the dot commands, one table entry each |
//! | `output` | how rows are shown, a module for each mode |
//! | `prompt` | the prompts, and what a statement that is being typed lacks |
//! | `complete` | completion of keywords and names |
//! | `report` | errors, with a caret under the place |
#![forbid(unsafe_code)]

mod appended;
mod args;
mod commands;
mod complete;
mod database;
mod expert;
mod guard;
mod input;
mod lines;
mod output;
mod parameters;
mod progress;
mod prompt;
mod quote;
mod recording;
mod report;
mod scan_status;
mod settings;
mod shell;
mod sink;
mod statistics;
mod stopwatch;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args = args::Args::from_command_line();
    match shell::Shell::open(&args) {
        Ok(mut shell) => lines::run(&mut shell, &args),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
