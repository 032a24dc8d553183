//! `.import`: rows of a CSV file (or one with another separator) into a table.

use crate::commands::failure::Failure;
use std::fs::File;
use std::io::{BufReader, IsTerminal, Read};
use std::process::Stdio;

use indicatif::{ProgressBar, ProgressStyle};
use lithe::{Connection, Statement};

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
    separator: u8,
    /// Whether rows end with U+001E, and quotes have no meaning.
    is_ascii: bool,
    skip: usize,
    verbose: bool,
}

pub fn import(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(shell, arguments)?;
    let mut source = Source::open(&options.file)?;
    let progress = source.progress_bar();
    let lines = skip_lines(BufReader::new(progress.wrap_read(&mut source)), options.skip)?;
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(options.separator).has_headers(false).flexible(true);
    if options.is_ascii {
        builder.terminator(csv::Terminator::Any(b'\x1e')).quoting(false);
    }
    let mut reader = builder.from_reader(lines);
    let result = import_rows(&shell.database.connection, &options, &mut reader);
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
        let (mut separator, mut is_ascii) = (style.column_separator.clone(), style.mode.name == "ascii");
        let (mut names, mut schema, mut skip, mut verbose) = (Vec::new(), "main".to_owned(), 0, false);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().cloned().ok_or_else(|| format!("missing argument to {argument}"));
            match argument.trim_start_matches('-') {
                "csv" if argument.starts_with('-') => separator = ",".to_owned(),
                "tabs" if argument.starts_with('-') => separator = "\t".to_owned(),
                "ascii" if argument.starts_with('-') => (separator, is_ascii) = ("\x1f".to_owned(), true),
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
        let [separator] = separator.as_bytes() else {
            return Err("multi-character column separators not allowed for import".into());
        };
        Ok(Options { file, table, schema, separator: *separator, is_ascii, skip, verbose })
    }

    fn qualified_table(&self) -> String {
        format!("{}.{}", quote::identifier(&self.schema), quote::identifier(&self.table))
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

fn skip_lines<R: Read>(mut source: BufReader<R>, count: usize) -> Result<BufReader<R>> {
    use std::io::BufRead;
    let mut line = Vec::new();
    for _ in 0..count {
        source.read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
        line.clear();
    }
    Ok(source)
}

#[derive(Default)]
struct Counts {
    added: u64,
    failed: u64,
    /// The number of input lines.
    lines: u64,
}

/// Inserts all rows in one transaction, unless one is open already. A row that violates a constraint is reported and skipped.
fn import_rows<R: Read>(connection: &Connection, options: &Options, reader: &mut csv::Reader<R>) -> Result<Counts> {
    let mut records = reader.byte_records();
    let mut column_count = columns_of(connection, options)?;
    if column_count == 0 {
        let header =
            records.next().ok_or_else(|| format!("{}: empty file", options.file))?.map_err(|e| e.to_string())?;
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
    for record in records.by_ref() {
        let record = record.map_err(|e| e.to_string())?;
        let line = record.position().map_or(0, csv::Position::line) + options.skip as u64;
        match insert(&mut statement, &record, column_count, options, line) {
            Ok(()) => counts.added += 1,
            Err(error) => {
                counts.failed += 1;
                eprintln!("{}:{line}: INSERT failed: {error}", options.file);
            }
        }
    }
    counts.lines = records.reader().position().line().saturating_sub(1) + options.skip as u64;
    drop(statement);
    if is_own_transaction {
        connection.execute_batch("COMMIT").map_err(|e| e.to_string())?;
    }
    Ok(counts)
}

fn columns_of(connection: &Connection, options: &Options) -> Result<usize> {
    let pragma = format!("PRAGMA {}.table_info({})", quote::identifier(&options.schema), quote::string(&options.table));
    let mut statement = connection.prepare(&pragma).map_err(|e| e.to_string())?;
    Ok(statement.query_map([], |_| Ok(())).map(|columns| columns.len()).map_err(|e| e.to_string())?)
}

/// Creates a table with the names in the file's first row as columns. Repeated names get numbers.
fn create_table(connection: &Connection, options: &Options, header: &csv::ByteRecord) -> Result<()> {
    let name =
        |field: &[u8]| if field.is_empty() { "?".to_owned() } else { String::from_utf8_lossy(field).into_owned() };
    let wanted: Vec<String> = header.iter().map(name).collect();
    let occurs = |name: &String| wanted.iter().filter(|other| other.eq_ignore_ascii_case(name)).count();
    let mut names = wanted.clone();
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

/// Inserts a row. Missing fields become NULL, extra fields are ignored; both are reported.
fn insert(
    statement: &mut Statement<'_>,
    record: &csv::ByteRecord,
    column_count: usize,
    options: &Options,
    line: u64,
) -> lithe::Result<()> {
    if record.len() != column_count {
        let (file, found) = (&options.file, record.len());
        let treatment = if found < column_count { "filling the rest with NULL" } else { "extras ignored" };
        eprintln!("{file}:{line}: expected {column_count} columns but found {found} - {treatment}");
    }
    statement.reset()?;
    statement.clear_bindings();
    for (i, field) in record.iter().take(column_count).enumerate() {
        statement.bind(i + 1, lithe::ValueRef::Text(field))?;
    }
    while statement.step()?.is_some() {}
    Ok(())
}
