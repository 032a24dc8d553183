//! `lithe`: a shell for database files, compatible with `sqlite3`.
//!
//! ```text
//!   arguments, standard input, files ── input ──► Line ── lines ──┬─ SQL ─────────► Shell ──► lithe::Statement
//!                                                                 │                   ▲              │ rows
//!                                                                 └─ .command ──► commands           ▼
//!                                                                                           output: a Printer for each mode
//!                                                                                                    │ text
//!                                                                                                    ▼
//!                                                                                     Sink: standard output, file, program
//! ```
//!
//! Read first: [`shell::Shell`], [`input::Line`], [`output::Printer`]. The crate must not know pages, plans or programs: it uses a database
//! through `lithedb`. For what is no business of applications (imposter tables, switches of `.testctrl`) it calls `engine`, for extensions
//! written in C `capi`, for damaged files `recover`.
//!
//! | module | subject |
//! | --- | --- |
//! | `args` | the command line |
//! | `lines` | reading lines: SQL and dot commands |
//! | `database` | opening databases |
//! | `appended` | databases appended to another file |
//! | `shell` | the state between statements; running SQL |
//! | `expert` | the indexes that a statement would use: `.expert` |
//! | `plan` | query plans as trees |
//! | `restoring` | scripts of `.dump`, which may write the schema of an empty database |
//! | `parameters` | the values of statements' parameters |
//! | `input` | the sources of lines: terminal, file, argument |
//! | `sink` | the destinations of rows: standard output, file, program |
//! | `guard` | restrictions of statements: the safe mode, and the requests that `.auth` prints |
//! | `progress`, `recording`, `statistics` | the state of `.progress`, `.session` and `.stats` |
//! | `scan_status` | the costs of a statement's loops: `.scanstats` |
//! | `commands` | the dot commands, one table entry each |
//! | `output` | the output modes, a module for each family |
//! | `prompt` | the prompts, and the missing parts of an unfinished statement |
//! | `complete` | completion of keywords and names |
//! | `report` | error messages, with an arrow to the place |
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
mod plan;
mod progress;
mod prompt;
mod quote;
mod recording;
mod report;
mod restoring;
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
