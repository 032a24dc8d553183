//! The command line: `lithe [options] [FILE] [SQL…]`, with options spelled as `sqlite3` spells them (`-csv` and `--csv`).

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind;

use crate::output::Mode;
use crate::settings::Settings;

/// A shell for databases in SQLite's file format.
#[derive(Debug, Parser)]
#[command(name = "lithe", version, disable_version_flag = true)]
pub struct Args {
    /// The database; without one, a database in memory
    pub file: Option<String>,

    /// SQL and dot commands to run instead of reading them from standard input
    pub sql: Vec<String>,

    /// Run this before anything else (may be given several times)
    #[arg(long, value_name = "COMMAND")]
    pub cmd: Vec<String>,

    /// Read this file first
    #[arg(long, value_name = "FILE")]
    pub init: Option<String>,

    /// Never prompt, even on a terminal
    #[arg(long)]
    pub batch: bool,

    /// Prompt, even if standard input is no terminal
    #[arg(long)]
    pub interactive: bool,

    /// Open the database for reading only
    #[arg(long)]
    pub readonly: bool,

    /// Stop at the first error
    #[arg(long)]
    pub bail: bool,

    /// Print statements before running them
    #[arg(long)]
    pub echo: bool,

    /// Show column names
    #[arg(long)]
    header: bool,

    /// Do not show column names
    #[arg(long)]
    noheader: bool,

    /// The text between columns
    #[arg(long, value_name = "SEP")]
    separator: Option<String>,

    /// The text between rows
    #[arg(long, value_name = "SEP")]
    newline: Option<String>,

    /// The text shown for NULL
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    nullvalue: Option<String>,

    #[command(flatten)]
    modes: Modes,

    /// Show the version
    #[arg(long)]
    pub version: bool,
}

/// One switch an output mode.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Modes {
    /// Columns aligned, without lines
    #[arg(long)]
    column: bool,
    /// Columns in a box of lines
    #[arg(long)]
    r#box: bool,
    /// Columns in a box of ASCII lines
    #[arg(long)]
    table: bool,
    /// A Markdown table
    #[arg(long)]
    markdown: bool,
    /// One value a line
    #[arg(long)]
    line: bool,
    /// Values with a separator between them (the default)
    #[arg(long)]
    list: bool,
    /// Comma-separated values
    #[arg(long)]
    csv: bool,
    /// Tab-separated values
    #[arg(long)]
    tabs: bool,
    /// Values and rows between the separators that ASCII has for them
    #[arg(long)]
    ascii: bool,
    /// A JSON array of objects
    #[arg(long)]
    json: bool,
    /// Rows of an HTML table
    #[arg(long)]
    html: bool,
    /// SQL literals
    #[arg(long)]
    quote: bool,
}

impl Modes {
    fn chosen(&self) -> Option<&'static Mode> {
        let switches = [
            (self.column, "column"),
            (self.r#box, "box"),
            (self.table, "table"),
            (self.markdown, "markdown"),
            (self.line, "line"),
            (self.list, "list"),
            (self.csv, "csv"),
            (self.tabs, "tabs"),
            (self.ascii, "ascii"),
            (self.json, "json"),
            (self.html, "html"),
            (self.quote, "quote"),
        ];
        switches.into_iter().find(|(is_on, _)| *is_on).map(|(_, name)| Mode::known(name))
    }
}

impl Args {
    /// Whether a person is to be talked to.
    pub fn wants_terminal(&self) -> bool {
        self.interactive || (crate::input::is_terminal() && !self.batch)
    }

    /// The arguments of this process. Leaves it with a message if they are wrong.
    pub fn from_command_line() -> Args {
        Args::try_parse_from(std::env::args_os().map(with_two_dashes)).unwrap_or_else(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => error.exit(),
            _ => {
                let _ = error.print();
                std::process::exit(1) // what scripts expect that know `sqlite3`
            }
        })
    }

    /// Makes the settings what the arguments say.
    pub fn apply(&self, settings: &mut Settings) {
        let style = &mut settings.style;
        if let Some(mode) = self.modes.chosen() {
            style.set_mode(mode);
        }
        if self.header || self.noheader {
            style.titles = Some(self.header);
        }
        if let Some(separator) = &self.separator {
            style.column_separator = separator.clone();
        }
        if let Some(newline) = &self.newline {
            style.row_separator = newline.clone();
        }
        if let Some(null) = &self.nullvalue {
            style.null = Some(null.clone());
        }
        settings.bail = self.bail;
        settings.echo = self.echo;
    }
}

/// `-csv` becomes `--csv`; single letters, lone dashes and values stay as they are.
fn with_two_dashes(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.len() > 2 && text.starts_with('-') && text.as_bytes()[1].is_ascii_alphabetic() => {
            format!("-{text}").into()
        }
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dash_or_two() {
        let args = |list: &[&str]| {
            Args::parse_from(
                std::iter::once(OsString::from("lithe")).chain(list.iter().map(|a| with_two_dashes((*a).into()))),
            )
        };
        let parsed = args(&["-csv", "--header", "-nullvalue", "-", "a.db", "SELECT -1"]);
        assert_eq!(parsed.modes.chosen().map(|mode| mode.name), Some("csv"));
        assert!(parsed.header && parsed.file.as_deref() == Some("a.db"));
        assert_eq!((parsed.nullvalue.as_deref(), parsed.sql), (Some("-"), vec!["SELECT -1".to_owned()]));
    }
}
