//! `.import`: rows of a CSV file (or one with another separator) into a table.

use std::fs::File;
use std::io::{BufReader, IsTerminal, Read};

use indicatif::{ProgressBar, ProgressStyle};
use lithe::{Connection, Statement};

use super::usage;
use crate::output::Mode;
use crate::quote;
use crate::shell::Shell;

type Result<T> = std::result::Result<T, String>;

/// What `.import` was asked to do.
struct Options {
    file: String,
    table: String,
    schema: String,
    separator: u8,
    skip: usize,
    verbose: bool,
}

pub fn import(shell: &mut Shell, arguments: &[String]) -> Result<()> {
    let options = Options::parse(shell, arguments)?;
    let file = File::open(&options.file).map_err(|e| format!("cannot open \"{}\": {e}", options.file))?;
    let progress = progress_bar(&file);
    let source = skip_lines(BufReader::new(progress.wrap_read(file)), options.skip)?;
    let mut reader =
        csv::ReaderBuilder::new().delimiter(options.separator).has_headers(false).flexible(true).from_reader(source);
    let result = import_rows(&shell.connection, &options, &mut reader);
    progress.finish_and_clear();
    let counts = result?;
    if options.verbose {
        shell.output.print(&format!("Added {} rows with {} errors\n", counts.added, counts.failed))?;
    }
    Ok(())
}

impl Options {
    fn parse(shell: &Shell, arguments: &[String]) -> Result<Options> {
        let mut separator = match shell.settings.mode {
            Mode::Csv => ",".to_owned(),
            _ => shell.settings.column_separator.clone(),
        };
        let (mut names, mut schema, mut skip, mut verbose) = (Vec::new(), "main".to_owned(), 0, false);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().cloned().ok_or_else(|| format!("missing argument to {argument}"));
            match argument.trim_start_matches('-') {
                "csv" if argument.starts_with('-') => separator = ",".to_owned(),
                "tabs" if argument.starts_with('-') => separator = "\t".to_owned(),
                "ascii" if argument.starts_with('-') => separator = "\x1f".to_owned(),
                "schema" if argument.starts_with('-') => schema = value()?,
                "skip" if argument.starts_with('-') => skip = value()?.parse().map_err(|_| usage(".import"))?,
                "v" if argument.starts_with('-') => verbose = true,
                _ if argument.starts_with('-') && argument.len() > 1 => {
                    return Err(format!("unknown option: {argument}"));
                }
                _ => names.push(argument.clone()),
            }
        }
        let [file, table] = <[String; 2]>::try_from(names).map_err(|_| usage(".import"))?;
        let [separator] = separator.as_bytes() else {
            return Err("multi-character column separators not allowed for import".to_owned());
        };
        Ok(Options { file, table, schema, separator: *separator, skip, verbose })
    }

    fn qualified_table(&self) -> String {
        format!("{}.{}", quote::identifier(&self.schema), quote::identifier(&self.table))
    }
}

/// A bar on a terminal when the file has a known size, else nothing.
fn progress_bar(file: &File) -> ProgressBar {
    let size = file.metadata().ok().filter(|m| m.is_file()).map(|m| m.len());
    match size {
        Some(size) if std::io::stderr().is_terminal() => {
            let style = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta} left");
            ProgressBar::new(size).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        }
        _ => ProgressBar::hidden(),
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
}

/// All rows in one transaction, unless one is open already. A row that the table refuses is told and passed over.
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
    for (number, record) in records.enumerate() {
        let record = record.map_err(|e| e.to_string())?;
        match insert(&mut statement, &record, column_count, options, number) {
            Ok(()) => counts.added += 1,
            Err(error) => {
                counts.failed += 1;
                eprintln!("{}:{}: INSERT failed: {error}", options.file, number + 1);
            }
        }
    }
    drop(statement);
    if is_own_transaction {
        connection.execute_batch("COMMIT").map_err(|e| e.to_string())?;
    }
    Ok(counts)
}

fn columns_of(connection: &Connection, options: &Options) -> Result<usize> {
    let pragma = format!("PRAGMA {}.table_info({})", quote::identifier(&options.schema), quote::string(&options.table));
    let mut statement = connection.prepare(&pragma).map_err(|e| e.to_string())?;
    statement.query_map([], |_| Ok(())).map(|columns| columns.len()).map_err(|e| e.to_string())
}

/// A table whose columns the file's first row names.
fn create_table(connection: &Connection, options: &Options, header: &csv::ByteRecord) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for (i, field) in header.iter().enumerate() {
        let name = String::from_utf8_lossy(field).into_owned();
        let name = if name.is_empty() { format!("c{}", i + 1) } else { name };
        let is_taken = names.iter().any(|other| other.eq_ignore_ascii_case(&name));
        names.push(if is_taken { format!("{name}_{}", i + 1) } else { name });
    }
    let columns: Vec<String> = names.iter().map(|name| format!("\"{}\" ANY", name.replace('"', "\"\""))).collect();
    let sql = format!("CREATE TABLE {}(\n{})", options.qualified_table(), columns.join(", "));
    connection.execute_batch(&sql).map_err(|e| e.to_string())
}

/// Fields that are missing become NULL, fields too many are ignored; both are told.
fn insert(
    statement: &mut Statement<'_>,
    record: &csv::ByteRecord,
    column_count: usize,
    options: &Options,
    number: usize,
) -> lithe::Result<()> {
    if record.len() != column_count {
        let (file, line, found) = (&options.file, number + 1, record.len());
        let treatment = if found < column_count { "filling the rest with NULL" } else { "extras ignored" };
        eprintln!("{file}:{line}: expected {column_count} columns but found {found} - {treatment}");
    }
    statement.reset();
    statement.clear_bindings();
    for (i, field) in record.iter().take(column_count).enumerate() {
        statement.bind(i + 1, lithe::ValueRef::Text(field))?;
    }
    while statement.step()?.is_some() {}
    Ok(())
}
