//! A power loss within a commit over two files, on a simulated machine: SQLite recovers the files, and finds the same transaction in both.

use std::path::{Path, PathBuf};

use lithe_engine::vfs::{Fault, Loss, Random, Sim};
use lithe_engine::{Connection, OpenFlags, Result, Step};

use crate::script::Folder;

const LOSSES: [Loss; 4] = [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn];

fn run(connection: &Connection, sql: &str) -> Result<()> {
    for sql in sql.split_inclusive(';') {
        let Some(mut statement) = connection.prepare(sql.as_bytes())?.statement else { continue };
        let outcome = loop {
            match statement.step(connection) {
                Ok(Step::Row) => {}
                Ok(Step::Done) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        outcome.and(statement.reset(connection))?;
    }
    Ok(())
}

fn open(sim: &Sim, files: &[PathBuf; 2], mode: &str) -> Result<Connection> {
    let main = files[0].as_os_str().as_encoded_bytes();
    let connection = Connection::open_with_vfs(main, OpenFlags::DEFAULT, Some(sim.vfs()))?;
    run(&connection, &format!("ATTACH '{}' AS two; PRAGMA journal_mode = {mode}", files[1].display()))?;
    Ok(connection)
}

/// Copies the simulated disk into real files of the same names. Answers whether a super-journal is among them.
fn copy_out(sim: &Sim, files: &[PathBuf; 2]) -> bool {
    let mut super_journal = None;
    for file in files {
        let journal = PathBuf::from(format!("{}-journal", file.display()));
        for path in [file, &journal] {
            let Some(content) = sim.read_file(path) else { continue };
            super_journal = super_journal.or_else(|| super_journal_in(&content, &files[0]));
            std::fs::write(path, content).unwrap();
        }
    }
    let content = super_journal.and_then(|path| sim.read_file(&path).map(|content| (path, content)));
    let Some((path, content)) = content else { return false };
    std::fs::write(path, content).unwrap();
    true
}

/// The name of the super-journal in a file: that of the main database, `-mj` and nine more characters.
fn super_journal_in(content: &[u8], main: &Path) -> Option<PathBuf> {
    let start = format!("{}-mj", main.display());
    let at = content.windows(start.len()).position(|window| window == start.as_bytes())?;
    let name = content.get(at..at + start.len() + 9)?;
    Some(PathBuf::from(String::from_utf8_lossy(name).into_owned()))
}

fn number_in(file: &Path, table: &str) -> i64 {
    let sqlite = rusqlite::Connection::open(file).unwrap();
    let sound: String = sqlite.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    sqlite.query_row(&format!("SELECT n FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn sqlite_recovers_both_files_or_neither() {
    let mut with_super_journal = 0;
    for seed in 0..80 {
        let mut random = Random::new(seed);
        let folder = Folder::new();
        let files = ["one.db", "two.db"].map(|name| folder.file(name));
        let sim = Sim::new(seed);
        let mode = ["DELETE", "TRUNCATE", "PERSIST"][random.below(3) as usize];
        let tables =
            "CREATE TABLE a(n, x); CREATE TABLE two.b(n, x); INSERT INTO a VALUES (0, 0); INSERT INTO b VALUES (0, 0)";
        run(&open(&sim, &files, mode).unwrap(), tables).unwrap();
        sim.restart(Loss::KeepAll);
        let connection = open(&sim, &files, mode).unwrap();
        sim.fail_at(1 + random.below(90), Fault::PowerLoss);
        let mut number: i64 = 0;
        loop {
            let set = format!("n = {}, x = zeroblob({})", number + 1, random.below(20_000));
            if run(&connection, &format!("BEGIN; UPDATE a SET {set}; UPDATE b SET {set}; COMMIT")).is_err() {
                break;
            }
            number += 1;
        }
        drop(connection);
        sim.restart(LOSSES[random.below(4) as usize]);
        with_super_journal += u32::from(copy_out(&sim, &files));
        let found = (number_in(&files[0], "a"), number_in(&files[1], "b"));
        assert_eq!(found.0, found.1, "seed {seed}, {mode}");
        assert!((number..=number + 1).contains(&found.0), "seed {seed}, {mode}: {found:?} after {number}");
    }
    assert!(with_super_journal >= 5, "{with_super_journal} crashes of 80 left a super-journal");
}
