//! The command line: `lithe [options] [FILE] [SQL…]`, with options spelled as `sqlite3` spells them (`-csv` and `--csv`).

use std::ffi::OsString;

use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::database::Opening;
use crate::output::style::{Escape, Limits};
use crate::output::{Mode, Titles};
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

    /// Read this file first, instead of ~/.litherc
    #[arg(long, value_name = "FILE")]
    pub init: Option<String>,

    /// Do not read ~/.litherc
    #[arg(long)]
    pub noinit: bool,

    /// Never prompt, even on a terminal
    #[arg(long)]
    pub batch: bool,

    /// Prompt, even if standard input is no terminal
    #[arg(long)]
    pub interactive: bool,

    /// Open the database for reading only
    #[arg(long)]
    pub readonly: bool,

    /// Open the database only if the file exists
    #[arg(long)]
    ifexists: bool,

    /// Refuse a file that is a symbolic link
    #[arg(long)]
    nofollow: bool,

    /// Read the file into memory, and leave the file as it is
    #[arg(long)]
    deserialize: bool,

    /// The most bytes that a database of --deserialize may have
    #[arg(long, value_name = "N")]
    maxsize: Option<u64>,

    /// The most bytes of a file that are mapped into memory
    #[arg(long, value_name = "N")]
    mmap: Option<u64>,

    /// The database lies behind the bytes of the file, which may be a program
    #[arg(long)]
    append: bool,

    /// The file is a ZIP archive, which is the table "zip"
    #[arg(long)]
    zip: bool,

    /// Open files through this VFS
    #[arg(long, value_name = "NAME")]
    vfs: Option<String>,

    /// Refuse what reaches beyond the database: other files, programs
    #[arg(long)]
    pub safe: bool,

    /// The word with which .nonce leaves the safe mode for one command
    #[arg(long, value_name = "STRING")]
    pub nonce: Option<String>,

    /// Allow what can damage a database and is meant for tests: .testctrl, .imposter, writing to the schema
    #[arg(long)]
    pub unsafe_testing: bool,

    /// Show what each statement has cost
    #[arg(long)]
    pub stats: bool,

    /// What becomes of control characters: ascii, symbol or off
    #[arg(long, value_name = "T", value_parser = Escape::named)]
    escape: Option<Escape>,

    /// Run ".archive ARGS" and leave (must be the last option)
    #[arg(short = 'A', value_name = "ARGS", num_args = 0.., allow_hyphen_values = true)]
    pub archive: Option<Vec<String>>,

    /// Has no effect: memory is not allocated in pools
    #[arg(long, num_args = 2, value_names = ["SIZE", "N"], hide = true)]
    lookaside: Option<Vec<String>>,

    /// Has no effect: memory is not allocated in pools
    #[arg(long, num_args = 2, value_names = ["SIZE", "N"], hide = true)]
    pagecache: Option<Vec<String>>,

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
    /// Whether the shell prompts and reads from a terminal.
    pub fn wants_terminal(&self) -> bool {
        self.interactive || (crate::input::is_terminal() && !self.batch)
    }

    /// The arguments of this process. Prints a message and exits if they are invalid.
    pub fn from_command_line() -> Args {
        Args::try_parse_from(normalised(std::env::args_os())).unwrap_or_else(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => error.exit(),
            _ => {
                eprintln!("{}", complaint(&error));
                std::process::exit(1) // the status of `sqlite3`, which scripts expect
            }
        })
    }

    /// The options with which the database is opened.
    pub fn opening(&self) -> Opening {
        Opening {
            readonly: self.readonly,
            nofollow: self.nofollow,
            exists: self.ifexists,
            deserialize: self.deserialize,
            hexdb: false,
            append: self.append,
            zip: self.zip,
            maxsize: self.maxsize,
            vfs: self.vfs.clone(),
            mmap: self.mmap,
            testing: self.unsafe_testing,
        }
    }

    /// Applies the arguments to the settings.
    pub fn apply(&self, settings: &mut Settings) {
        let style = &mut settings.style;
        if let Some(mode) = self.modes.chosen() {
            style.set_mode(mode);
            // CSV output is not truncated.
            if mode.name == "csv" {
                style.limits = Limits::default();
            }
        }
        if self.header || self.noheader {
            style.titles = Some(if self.header { Titles::On } else { Titles::Off });
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
        if let Some(escape) = self.escape {
            style.escape = escape;
        }
        settings.bail = self.bail;
        settings.echo = self.echo;
    }
}

/// The message of `sqlite3` for an error of the command line.
fn complaint(error: &clap::Error) -> String {
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) => option.split(' ').next().unwrap_or_default(),
        Some(ContextValue::Strings(options)) => options.first().map_or("", String::as_str),
        _ => "",
    };
    let option = option.strip_prefix('-').unwrap_or(option);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            format!("lithe: Error: unknown option: {option}\nUse -help for a list of options.")
        }
        ErrorKind::InvalidValue | ErrorKind::WrongNumberOfValues
            if error.get(ContextKind::InvalidValue).is_none_or(is_empty) =>
        {
            format!("lithe: Error: missing argument to {option}")
        }
        _ => error.to_string().trim_end().to_owned(),
    }
}

fn is_empty(value: &ContextValue) -> bool {
    matches!(value, ContextValue::String(text) if text.is_empty())
}

/// `-csv` becomes `--csv`; single letters, lone dashes and values stay as they are. The arguments after `-A` belong to `.archive`: `-Atf x`
/// is `-A -tf x`.
fn normalised(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all = Vec::new();
    let mut is_archive = false;
    for argument in arguments {
        match argument.to_str() {
            Some(text) if !is_archive && text.starts_with("-A") => {
                is_archive = true;
                all.push("-A".into());
                if text.len() > 2 {
                    all.push(format!("-{}", &text[2..]).into());
                }
            }
            _ if is_archive => all.push(argument),
            _ => all.push(with_two_dashes(argument)),
        }
    }
    all
}

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
