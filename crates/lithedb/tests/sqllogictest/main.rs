//! Runs the sqllogictest corpus: every `*.test` file under the corpus folder must pass.
//!
//! The folder is `$SLT_FOLDER`, or `../shared/slt` beside the checkout. Each file gets an in-memory database of its own.
//! The format is described at <https://www.sqlite.org/sqllogictest/doc/trunk/about.wiki>.

mod render;
mod script;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lithe::Connection;
use script::{Expected, Record, SortMode};

/// The failures of one file that are shown; further ones are only counted.
const SHOWN_FAILURES_MAX: usize = 5;

#[test]
fn the_corpus_passes() {
    let folder = std::env::var_os("SLT_FOLDER")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/slt"), PathBuf::from);
    let only = std::env::var("SLT_ONLY").unwrap_or_default();
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.retain(|file| file.to_string_lossy().contains(&only));
    files.sort_by_key(|file| std::cmp::Reverse(std::fs::metadata(file).map_or(0, |m| m.len())));
    if files.is_empty() {
        eprintln!("no corpus at {}: set SLT_FOLDER to its folder", folder.display());
        return;
    }
    let failures = run_all(&files);
    assert!(failures.is_empty(), "{} of {} files failed:\n{}", failures.len(), files.len(), failures.join("\n"));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "test") {
            files.push(path);
        }
    }
}

/// Runs the files on all cores, the largest first; returns a report for each file that failed.
fn run_all(files: &[PathBuf]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(report) = run_file(file) {
                        failures.lock().unwrap().push(format!("{}\n{report}", file.display()));
                    }
                }
            });
        }
    });
    failures.into_inner().unwrap()
}

fn run_file(file: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let connection = Connection::open_in_memory().map_err(|e| e.to_string())?;
    let mut failures = Vec::new();
    for record in script::parse(&text)? {
        if let Err(failure) = run_record(&connection, &record) {
            failures.push(format!("  line {}: {failure}\n    {}", record.line, record.sql.replace('\n', "\n    ")));
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    let hidden = failures.len().saturating_sub(SHOWN_FAILURES_MAX);
    failures.truncate(SHOWN_FAILURES_MAX);
    if hidden > 0 {
        failures.push(format!("  … and {hidden} more"));
    }
    Err(failures.join("\n"))
}

fn run_record(connection: &Connection, record: &Record<'_>) -> Result<(), String> {
    match &record.expected {
        Expected::Ok => connection.execute_batch(&record.sql).map_err(|e| format!("error: {e}")),
        Expected::Error => match connection.execute_batch(&record.sql) {
            Ok(()) => Err("succeeded, an error was expected".to_owned()),
            Err(_) => Ok(()),
        },
        Expected::Rows { types, sort, values } => {
            match query(connection, &record.sql, types, *sort) {
                // A query that fails on SQLite, too, is recorded without values.
                Err(_) if values.is_none() => Ok(()),
                found => values.check(&found?),
            }
        }
    }
}

/// All values of the result, rendered and sorted by the rules of the record, row after row.
fn query(connection: &Connection, sql: &str, types: &str, sort: SortMode) -> Result<Vec<String>, String> {
    let mut statement = connection.prepare(sql).map_err(|e| format!("error: {e}"))?;
    let columns = statement.column_count();
    if columns != types.len() {
        return Err(format!("{columns} columns, {} expected", types.len()));
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    while let Some(row) = statement.step().map_err(|e| format!("error: {e}"))? {
        rows.push(types.bytes().enumerate().map(|(i, class)| render::value(row.get_ref(i), class)).collect());
    }
    match sort {
        SortMode::None => {}
        SortMode::Rows => rows.sort(),
        SortMode::Values => {
            let mut values: Vec<String> = rows.into_iter().flatten().collect();
            values.sort();
            return Ok(values);
        }
    }
    Ok(rows.into_iter().flatten().collect())
}
