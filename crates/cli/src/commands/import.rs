//! `.import`: rows of a CSV file (or one with another separator) into a table.

use crate::commands::failure::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::Stdio;

use indicatif::{ProgressBar, ProgressStyle};
use lithe::{Connection, Statement};

use super::fields::{End, Fields, Separators};
use super::usage;
use crate::quote;
use crate::shell::Shell;
use crate::sink::shell_command;

type Result<T> = std::result::Result<T, Failure>;

/// The arguments of `.import`.
struct Options {
    file: String,
    table: String,
    schema: String,
    separators: Separators,
    skip: usize,
    verbose: bool,
}

pub fn import(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(shell, arguments)?;
    let mut source = Source::open(&options.file)?;
    let progress = source.progress_bar();
    let result = import_rows(&shell.database.connection, &options, BufReader::new(progress.wrap_read(&mut source)));
    progress.finish_and_clear();
    let counts = result?;
    if options.verbose {
        let Counts { added, failed, lines } = counts;
        shell.output.print(&format!("Added {added} rows with {failed} errors using {lines} lines of input\n"))?;
    }
    Ok(())
}

impl Options {
    fn parse(shell: &Shell, arguments: &[String]) -> Result<Options> {
        let style = &shell.settings.style;
        let (mut separator, mut newline) = (style.column_separator.clone(), style.row_separator.clone());
        let mut has_quotes = style.mode.name != "ascii";
        let (mut names, mut schema, mut skip, mut verbose) = (Vec::new(), "main".to_owned(), 0, false);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().cloned().ok_or_else(|| format!("missing argument to {argument}"));
            match argument.trim_start_matches('-') {
                "csv" if argument.starts_with('-') => (separator, newline) = (",".to_owned(), "\n".to_owned()),
                "tabs" if argument.starts_with('-') => (separator, newline) = ("\t".to_owned(), "\n".to_owned()),
                "ascii" if argument.starts_with('-') => {
                    (separator, newline, has_quotes) = ("\x1f".to_owned(), "\x1e".to_owned(), false);
                }
                "schema" if argument.starts_with('-') => schema = value()?,
                "skip" if argument.starts_with('-') => skip = value()?.parse().map_err(|_| usage(".import"))?,
                "v" if argument.starts_with('-') => verbose = true,
                _ if argument.starts_with('-') && argument.len() > 1 => {
                    return Err(format!("unknown option: {argument}").into());
                }
                _ => names.push(argument.clone()),
            }
        }
        let [file, table] = <[String; 2]>::try_from(names).map_err(|_| usage(".import"))?;
        let newline = if newline == "\r\n" { "\n" } else { &newline };
        let separators =
            Separators { column: one_byte(&separator, "column")?, row: one_byte(newline, "row")?, has_quotes };
        Ok(Options { file, table, schema, separators, skip, verbose })
    }

    fn qualified_table(&self) -> String {
        format!("{}.{}", quote::identifier(&self.schema), quote::identifier(&self.table))
    }
}

fn one_byte(separator: &str, what: &str) -> Result<u8> {
    match separator.as_bytes() {
        [byte] => Ok(*byte),
        [] => Err(format!("non-null {what} separator required for import").into()),
        _ => Err(format!("multi-character {what} separators not allowed for import").into()),
    }
}

/// A file, or the output of the program after a `|`.
enum Source {
    File(File),
    Program(std::process::Child),
}

impl Source {
    fn open(name: &str) -> Result<Source> {
        if let Some(command) = name.strip_prefix('|') {
            let child = shell_command(command).stdout(Stdio::piped()).spawn();
            return Ok(child.map(Source::Program).map_err(|e| format!("cannot run \"{command}\": {e}"))?);
        }
        let file = File::open(name).map_err(|e| format!("cannot open \"{name}\": {e}"))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(format!("cannot open \"{name}\": it is a folder").into());
        }
        Ok(Source::File(file))
    }

    /// A progress bar, on a terminal and for a file of known size.
    fn progress_bar(&self) -> ProgressBar {
        let Source::File(file) = self else { return ProgressBar::hidden() };
        let size = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
        match size {
            Some(size) if std::io::stderr().is_terminal() => {
                let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta} left");
                ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            }
            _ => ProgressBar::hidden(),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Source::File(file) => file.read(buffer),
            Source::Program(child) => child.stdout.as_mut().map_or(Ok(0), |stdout| stdout.read(buffer)),
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Program(child) = self {
            drop(child.stdout.take()); // a program that is still writing would block for ever
            let _ = child.wait();
        }
    }
}

#[derive(Default)]
struct Counts {
    added: u64,
    failed: u64,
    /// The number of input lines.
    lines: u64,
}

/// Inserts all rows in one transaction, unless one is open already. A row that violates a constraint is reported and skipped.
fn import_rows(connection: &Connection, options: &Options, text: impl BufRead) -> Result<Counts> {
    let mut fields = Fields::new(text, options.separators, &options.file).map_err(|e| e.to_string())?;
    for _ in 0..options.skip {
        fields.skip_row().map_err(|e| e.to_string())?;
    }
    let mut column_count = columns_of(connection, options)?;
    if column_count == 0 {
        let header = header(&mut fields).map_err(|e| e.to_string())?;
        if header.is_empty() {
            return Err(format!("{}: empty file", options.file).into());
        }
        create_table(connection, options, &header)?;
        column_count = header.len();
    }
    let is_own_transaction = connection.is_autocommit();
    if is_own_transaction {
        connection.execute_batch("BEGIN").map_err(|e| e.to_string())?;
    }
    let parameters = vec!["?"; column_count].join(",");
    let sql = format!("INSERT INTO {} VALUES({parameters})", options.qualified_table());
    let mut statement = connection.prepare(&sql).map_err(|e| e.to_string())?;
    let mut counts = Counts::default();
    loop {
        let line = fields.line();
        if !bind_row(&mut statement, &mut fields, column_count, options)? {
            break;
        }
        match run(&mut statement) {
            Ok(()) => counts.added += 1,
            Err(error) => {
                counts.failed += 1;
                eprintln!("{}:{line}: INSERT failed: {error}", options.file);
            }
        }
    }
    counts.lines = fields.line() - 1;
    drop(statement);
    if is_own_transaction {
        connection.execute_batch("COMMIT").map_err(|e| e.to_string())?;
    }
    Ok(counts)
}

/// The fields of the first row.
fn header(fields: &mut Fields<impl BufRead>) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    while let Some(field) = fields.next()? {
        names.push(if field.is_empty() { "?".to_owned() } else { String::from_utf8_lossy(field).into_owned() });
        if fields.end() != End::Column {
            break;
        }
    }
    Ok(names)
}

fn columns_of(connection: &Connection, options: &Options) -> Result<usize> {
    let pragma = format!("PRAGMA {}.table_info({})", quote::identifier(&options.schema), quote::string(&options.table));
    let mut statement = connection.prepare(&pragma).map_err(|e| e.to_string())?;
    Ok(statement.query_map([], |_| Ok(())).map(|columns| columns.len()).map_err(|e| e.to_string())?)
}

/// Creates a table with the names in the file's first row as columns. Repeated names get numbers.
fn create_table(connection: &Connection, options: &Options, wanted: &[String]) -> Result<()> {
    let occurs = |name: &String| wanted.iter().filter(|other| other.eq_ignore_ascii_case(name)).count();
    let mut names = wanted.to_vec();
    for i in 0..wanted.len() {
        let mut number = i + 1;
        while occurs(&wanted[i]) > 1 && (names[i] == wanted[i] || wanted.contains(&names[i])) {
            names[i] = format!("{}_{number}", wanted[i]);
            number += 1;
        }
    }
    let renamed: Vec<String> = wanted
        .iter()
        .zip(&names)
        .filter(|(wanted, name)| wanted != name)
        .map(|(wanted, name)| format!("\"{wanted}\" to \"{name}\""))
        .collect();
    if !renamed.is_empty() {
        eprintln!("Columns renamed during .import {} due to duplicates:\n{}", options.file, renamed.join(",\n"));
    }
    let columns: Vec<String> = names.iter().map(|name| format!("\"{}\" TEXT", name.replace('"', "\"\""))).collect();
    let table = format!("\"{}\"", options.table.replace('"', "\"\""));
    let sql = format!("CREATE TABLE {}.{table}(\n{})", quote::identifier(&options.schema), columns.join(", "));
    Ok(connection.execute_batch(&sql).map_err(|e| e.to_string())?)
}

/// Binds the fields of the next row; returns whether there is one. Missing fields become NULL, extra fields are ignored; both are reported.
fn bind_row(
    statement: &mut Statement<'_>,
    fields: &mut Fields<impl BufRead>,
    column_count: usize,
    options: &Options,
) -> Result<bool> {
    statement.reset().map_err(|e| e.to_string())?;
    statement.clear_bindings();
    let file = &options.file;
    let line = fields.line();
    let has_quotes = fields.separators().has_quotes;
    for index in 0..column_count {
        let is_last = index + 1 == column_count;
        let field = match fields.next().map_err(|e| e.to_string())? {
            None if index == 0 => return Ok(false),
            Some([]) if index == 0 && !has_quotes => return Ok(false),
            // The text ends behind the separator of the last column.
            None if is_last && has_quotes => Some(&[][..]),
            field => field,
        };
        if let Some(field) = field {
            statement.bind(index + 1, lithe::ValueRef::Text(field)).map_err(|e| e.to_string())?;
        }
        if !is_last && fields.end() != End::Column {
            let found = index + 1;
            eprintln!("{file}:{line}: expected {column_count} columns but found {found} - filling the rest with NULL");
            return Ok(true);
        }
    }
    if fields.end() == End::Column {
        let found = column_count as u64 + fields.skip_row().map_err(|e| e.to_string())?;
        eprintln!("{file}:{line}: expected {column_count} columns but found {found} - extras ignored");
    }
    Ok(true)
}

fn run(statement: &mut Statement<'_>) -> lithe::Result<()> {
    while statement.step()?.is_some() {}
    Ok(())
}
