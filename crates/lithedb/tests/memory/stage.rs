//! The files before each line of the script, and the content of a database.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use lithe::{Connection, OpenFlags, ResultCode, ValueRef};
use tempfile::TempDir;

use crate::script::Script;

/// The effect of one line without failures.
pub(crate) struct Line {
    pub(crate) before: String,
    pub(crate) after: String,
    /// A checksum of its rows, if the line only reads.
    pub(crate) answer: Option<u64>,
}

/// A script, run once without failures.
pub(crate) struct Stages {
    pub(crate) script: Script,
    pub(crate) pragmas: String,
    pub(crate) lines: Vec<Line>,
    /// The files before each line: lines that only read share those of the line before.
    files: Vec<PathBuf>,
    _folder: TempDir,
}

/// A private copy of the files.
pub(crate) struct Stage<'s> {
    pragmas: &'s str,
    folder: TempDir,
}

impl Stages {
    pub(crate) fn prepare(script: Script, pragmas: &str) -> Stages {
        let folder = tempfile::tempdir().unwrap();
        let live = folder.path().join("live");
        fs::create_dir(&live).unwrap();
        let connection = open(&live, pragmas).unwrap();
        let (mut lines, mut files): (Vec<Line>, Vec<PathBuf>) = (Vec::new(), Vec::new());
        let mut before = content(&connection, script);
        for (at, line) in script.lines.iter().enumerate() {
            let changed = at == 0 || !only_reads(script.lines[at - 1]);
            let kept = if changed { folder.path().join(at.to_string()) } else { files[at - 1].clone() };
            if changed {
                copy_files(&live, &kept);
            }
            files.push(kept);
            if std::env::var_os("MEMORY_SHOW").is_some() {
                eprintln!("{at}: {line}");
            }
            let answer = run(&connection, line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let after = content(&connection, script);
            lines.push(Line { before, after: after.clone(), answer });
            before = after;
        }
        Stages { script, pragmas: pragmas.to_owned(), lines, files, _folder: folder }
    }

    pub(crate) fn before(&self, line: usize) -> Stage<'_> {
        let folder = tempfile::tempdir().unwrap();
        copy_files(&self.files[line], folder.path());
        Stage { pragmas: &self.pragmas, folder }
    }
}

impl Stage<'_> {
    pub(crate) fn open(&self) -> Connection {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> lithe::Result<Connection> {
        open(self.folder.path(), self.pragmas)
    }
}

fn open(folder: &Path, pragmas: &str) -> lithe::Result<Connection> {
    let connection = Connection::open_with_flags(folder.join("db"), OpenFlags::DEFAULT)?;
    connection.add_extension(&lithe::extension::SHELL);
    connection.execute_batch(pragmas)?;
    Ok(connection)
}

/// Copies all files except the shared memory, which the next connection creates.
fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if file.file_name() != "db-shm" {
            fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
}

/// Whether a line leaves the database as it is: a query, or a statement that fails.
pub(crate) fn only_reads(line: &str) -> bool {
    line.starts_with(['?', '!'])
}

/// Whether an error says that memory is short.
pub(crate) fn is_no_memory(error: &lithe::Error) -> bool {
    matches!(error.code(), ResultCode::NOMEM | ResultCode::IOERR_NOMEM)
}

/// Runs one line of the script and reads every value. Answers their checksum, if the line only reads; of a line that fails, that of its
/// message.
pub(crate) fn run(connection: &Connection, line: &str) -> lithe::Result<Option<u64>> {
    if let Some(wrong) = line.strip_prefix('!') {
        let failed = run_statements(connection, wrong).expect_err(wrong);
        return if is_no_memory(&failed) { Err(failed) } else { Ok(Some(added(0, failed.message().as_bytes()))) };
    }
    let sum = run_statements(connection, line.trim_start_matches('?'))?;
    Ok(only_reads(line).then_some(sum))
}

/// A checksum with more bytes.
fn added(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)))
}

fn run_statements(connection: &Connection, line: &str) -> lithe::Result<u64> {
    let mut sum = 0;
    let line = with_folder(connection, line);
    let mut rest = &*line;
    while !rest.trim().is_empty() {
        let (sql, tail) = rest.split_once("; ").unwrap_or((rest, ""));
        let mut statement = connection.prepare(sql)?;
        while let Some(row) = statement.step()? {
            for column in 0..row.column_count() {
                sum = match row.get_ref(column) {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => added(sum, bytes),
                    value => added(sum, value.to_string().as_bytes()),
                };
            }
        }
        rest = tail;
    }
    Ok(sum)
}

/// The line with the folder of the database in the place of `FOLDER`.
fn with_folder<'l>(connection: &Connection, line: &'l str) -> Cow<'l, str> {
    if !line.contains("FOLDER") {
        return Cow::Borrowed(line);
    }
    let file: String = connection.query_row("SELECT file FROM pragma_database_list", [], |row| row.get(0)).unwrap();
    Cow::Owned(line.replace("FOLDER", file.trim_end_matches("/db")))
}

/// The content of the database: its schema, and what the queries of the script say.
pub(crate) fn content(connection: &Connection, script: Script) -> String {
    let tables = "SELECT group_concat(name || coalesce(sql, '')) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'";
    let text = |sql: &&str| {
        connection
            .query_row(&with_folder(connection, sql), [], |row| Ok(row.get_ref(0).to_string()))
            .unwrap_or_default()
    };
    std::iter::once(&tables).chain(script.contents).map(text).collect::<Vec<_>>().join(" ")
}

pub(crate) fn integrity(connection: &Connection) -> String {
    connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap()
}
