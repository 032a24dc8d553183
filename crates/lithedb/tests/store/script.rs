//! Scripts for several connections of one engine.
//!
//! ```text
//!   a: SQL                   runs SQL on the connection a, which opens {dir}/test.db at its first use
//!   b open URI               opens the connection b
//!   b close
//!   b journals               lists the journals, their lengths up to a sector, and whether they have a header
//!   sqlite: SQL              runs SQL on SQLite in both engines' runs, while no other connection has test.db open
//! ```
//!
//! `{dir}` stands for the folder of the engine's files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::{Failure, Rows, ask_lithe, ask_sqlite, exactly, failure_of_lithe, failure_of_sqlite};

/// An engine that runs scripts.
trait Engine {
    type Connection;
    fn open(uri: &str) -> Result<Self::Connection, Failure>;
    fn rows(connection: &Self::Connection, sql: &str) -> Result<Rows, Failure>;
}

struct Lithe;
struct Sqlite;

/// Runs the script on both engines: the answers to every line must be equal. At the end SQLite must find each of Lithe's databases sound.
#[track_caller]
pub fn check(script: &str) {
    let differences = differences(script, |_, answer| answer.to_owned());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Runs the script on both engines; answers the differences in the relevant parts of the answers: `matters` extracts that part of the
/// answer to a line. At the end SQLite must find each of Lithe's databases sound.
#[track_caller]
pub fn differences(script: &str, matters: impl Fn(&str, &str) -> String) -> Vec<String> {
    let folder = Folder::new();
    let (lithe, sqlite) = (folder.sub("lithe"), folder.sub("sqlite"));
    let answers = (play::<Lithe>(script, &lithe), play::<Sqlite>(script, &sqlite));
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let differences = lines
        .zip(answers.0.iter().zip(&answers.1))
        .filter(|(line, (lithe, sqlite))| matters(line, lithe) != matters(line, sqlite))
        .map(|(line, (lithe, sqlite))| format!("{line}\n  Lithe:  {}\n  SQLite: {}", cut(lithe), cut(sqlite)))
        .collect();
    check_files(&lithe);
    differences
}

/// The beginning of an answer, for a message.
fn cut(answer: &str) -> String {
    answer.chars().take(1500).collect()
}

/// Checks every database in the folder with SQLite.
#[track_caller]
pub fn check_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "db") {
            let connection = rusqlite::Connection::open(&path).unwrap();
            let found: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(found, "ok", "{}", path.display());
        }
    }
}

/// A new folder that is removed at the end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::Builder::new().prefix("lithe-store-").tempdir().unwrap())
    }

    pub fn sub(&self, name: &str) -> PathBuf {
        let path = self.file(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn play<E: Engine>(script: &str, folder: &Path) -> Vec<String> {
    let dir = folder.to_str().unwrap();
    let mut connections: BTreeMap<String, E::Connection> = BTreeMap::new();
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let answer = |line: &str| {
        let at = line.find([':', ' ']).expect("a line begins with the name of a connection");
        let (name, rest) = line.split_at(at);
        let outcome = if let Some(sql) = line.strip_prefix("sqlite:") {
            Sqlite::open(&format!("file:{dir}/test.db")).and_then(|connection| Sqlite::rows(&connection, sql))
        } else if let Some(sql) = rest.strip_prefix(':') {
            if !connections.contains_key(name) {
                connections.insert(name.to_owned(), E::open(&format!("file:{dir}/test.db")).unwrap());
            }
            E::rows(&connections[name], &sql.replace("{dir}", dir))
        } else if let Some(uri) = rest.strip_prefix(" open ") {
            connections.remove(name);
            E::open(&uri.replace("{dir}", dir)).map(|connection| {
                connections.insert(name.to_owned(), connection);
                Vec::new()
            })
        } else if rest == " journals" {
            Ok(vec![journals(folder)])
        } else {
            assert_eq!(rest, " close", "{line}");
            connections.remove(name);
            Ok(Vec::new())
        };
        match outcome {
            Ok(rows) => rows.iter().map(|row| format!("({})", row.join(", "))).collect::<Vec<String>>().join(" "),
            Err((code, message)) => format!("error {code}: {message}"),
        }
        .replace(dir, "{dir}")
    };
    lines.map(answer).collect()
}

/// The rollback journals in a folder.
fn journals(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut journals: Vec<PathBuf> = entries.filter(|path| path.to_str().unwrap().ends_with("-journal")).collect();
    journals.sort();
    let tell = |path: &PathBuf| {
        let content = std::fs::read(path).unwrap();
        let has_header = content.first().is_some_and(|&byte| byte != 0);
        let name = path.file_name().unwrap().to_str().unwrap();
        // The number of a transaction's pages in the journal differs between the engines.
        let len = if content.len() > 512 { "more".to_owned() } else { content.len().to_string() };
        format!("{name} {len}{}", if has_header { " with a header" } else { "" })
    };
    journals.iter().map(tell).collect()
}

impl Engine for Lithe {
    type Connection = lithe::Connection;

    fn open(uri: &str) -> Result<lithe::Connection, Failure> {
        lithe::Connection::open(uri).map_err(failure_of_lithe)
    }

    fn rows(connection: &lithe::Connection, sql: &str) -> Result<Rows, Failure> {
        ask_lithe(connection, sql, exactly)
    }
}

impl Engine for Sqlite {
    type Connection = rusqlite::Connection;

    fn open(uri: &str) -> Result<rusqlite::Connection, Failure> {
        let connection = rusqlite::Connection::open(uri).map_err(|error| {
            let (code, message) = failure_of_sqlite(error);
            // rusqlite appends the name of the file.
            (code, message.split(": file:").next().unwrap_or_default().to_owned())
        })?;
        connection.busy_timeout(std::time::Duration::ZERO).map_err(failure_of_sqlite)?;
        Ok(connection)
    }

    fn rows(connection: &rusqlite::Connection, sql: &str) -> Result<Rows, Failure> {
        ask_sqlite(connection, sql, exactly)
    }
}
