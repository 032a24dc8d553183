//! Sessions whose memory fails: recording, changesets, applying them, and what is made of them.
//!
//! Each operation runs on a copy of one database, once for each of its large allocations, which fails. The operation answers SQLITE_NOMEM
//! or does all of its work, and the database and the session stay usable. A session that could not record a change says so when it is
//! asked for its changeset.

use std::fs;
use std::path::PathBuf;

use lithe::session::{Answer, ChangesetIterator, Conflict, Session, apply, concat, invert, rebase};
use lithe::{Connection, Error, ResultCode};
use tempfile::TempDir;

use crate::scarce::{Mode, take_places, with_mode};
use crate::stage::{integrity, run};
use crate::{assert_none_ends_process, number};

/// The number of failing allocations of each operation, spread over it.
const CASES: usize = 12;

/// Many short rows and some long ones.
const SETUP: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c UNIQUE)",
    "CREATE TABLE w(a, b TEXT, d, PRIMARY KEY (a, b)) WITHOUT ROWID",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 70000) INSERT INTO t SELECT i, i * 7, 'c' || i FROM n",
    "UPDATE t SET b = hex(zeroblob(200000 + a)) WHERE a % 20000 = 1",
    "INSERT INTO w SELECT a, 'key' || hex(zeroblob(150000)), hex(zeroblob(150000)) FROM t WHERE a < 4",
];

/// Every kind of change: of short rows, of long ones, of keys, and of unique values that are exchanged.
const CHANGES: &str = "UPDATE t SET b = b || 'x'; DELETE FROM t WHERE a % 5 = 0; INSERT INTO t VALUES (100000, zeroblob(400000), 'new'); \
    UPDATE t SET a = a + 200000 WHERE a % 1000 = 13; UPDATE t SET c = NULL WHERE a < 5; UPDATE t SET c = 'c' || (5 - a) WHERE a < 5; \
    UPDATE w SET d = d || 'y' WHERE a < 3; DELETE FROM w WHERE a = 3";

/// Changes of another connection to the same rows.
const OTHER_CHANGES: &str = "UPDATE t SET b = hex(zeroblob(160000)) WHERE a % 20000 = 1; DELETE FROM t WHERE a = 7; \
    INSERT INTO t VALUES (100000, 'other', 'mine'); UPDATE w SET d = hex(zeroblob(170000)); UPDATE t SET c = 'new' WHERE a = 11";

/// A database in a file, of which each case gets a copy.
struct Original {
    folder: TempDir,
}

impl Original {
    fn new() -> Original {
        let original = Original { folder: tempfile::tempdir().unwrap() };
        let connection = Connection::open(original.file()).unwrap();
        SETUP.iter().for_each(|line| connection.execute_batch(line).unwrap());
        original
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("original")
    }

    /// Calls `work` with a copy.
    fn with_copy<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("copy");
        fs::copy(self.file(), &file).unwrap();
        work(&Connection::open(file).unwrap())
    }

    /// The changes that statements make.
    fn changes_of(&self, sql: &str) -> Vec<u8> {
        self.with_copy(|connection| {
            let session = session(connection);
            connection.execute_batch(sql).unwrap();
            session.changeset().unwrap()
        })
    }
}

fn session(connection: &Connection) -> Session<'_> {
    let session = Session::new(connection, "main");
    session.attach(None);
    session
}

fn content(connection: &Connection) -> Option<u64> {
    run(connection, "?SELECT * FROM t; SELECT * FROM w").unwrap()
}

fn assert_no_memory(error: &Error, place: &str) {
    assert!(matches!(error.code(), ResultCode::NOMEM | ResultCode::IOERR_NOMEM), "{place}: {error}");
}

/// The connection works, and its database is sound.
fn check_connection(connection: &Connection, place: &str) {
    assert!(connection.is_autocommit(), "{place}");
    assert_eq!(integrity(connection), "ok", "{place}");
    connection.execute_batch("BEGIN; DELETE FROM t; ROLLBACK").unwrap_or_else(|error| panic!("{place}: {error}"));
}

/// Calls `case` once for each large allocation, or for some of them: with the mode in which that one fails. It answers how many there were.
fn each_allocation(name: &str, case: impl Fn(Mode, &str) -> u64) {
    let count = case(Mode::Refuse(0), name);
    case(Mode::Survey, name);
    assert_none_ends_process(&take_places());
    let wanted = number("MEMORY_CASES").map_or(CASES, |cases| cases as usize).min(count as usize);
    eprintln!("{name}: {count} large allocations, {wanted} refused");
    assert!(count > 1, "{name}: {count} large allocations");
    let chosen = (0..wanted as u64).map(|at| 1 + at * count / wanted as u64);
    for number in chosen.filter(|one| number("MEMORY_ALLOCATION").is_none_or(|wanted| *one == wanted)) {
        let place = format!("{name}, MEMORY_ALLOCATION={number}");
        if self::number("MEMORY_SHOW").is_some() {
            eprintln!("{place}");
        }
        case(Mode::Refuse(number), &place);
    }
}

/// Whatever is computed from bytes alone: it fails, or answers what it answers otherwise.
fn check_function(name: &str, compute: impl Fn() -> lithe::Result<Vec<u8>>) {
    let expected = compute().unwrap();
    each_allocation(name, |mode, place| {
        let (found, count) = with_mode(mode, &compute);
        match found {
            Ok(found) => assert!(found == expected, "{place}: another answer"),
            Err(error) => assert_no_memory(&error, place),
        }
        count
    });
}

#[test]
fn sessions_record_all_or_say_that_they_have_not() {
    let original = Original::new();
    each_allocation("recording", |mode, place| {
        original.with_copy(|connection| {
            let session = session(connection);
            let (ran, count) = with_mode(mode, || connection.execute_batch(CHANGES));
            let _ = ran.inspect_err(|error| assert_no_memory(error, place));
            match session.changeset() {
                Err(error) => assert_no_memory(&error, place),
                Ok(changes) => original.with_copy(|other| {
                    apply(other, &changes, |conflict, _| panic!("{place}: {conflict:?}")).unwrap();
                    assert_eq!(content(other), content(connection), "{place}");
                }),
            }
            drop(session);
            check_connection(connection, place);
            count
        })
    });
}

#[test]
fn changesets_are_whole_or_fail() {
    let original = Original::new();
    original.with_copy(|connection| {
        let session = session(connection);
        connection.execute_batch(CHANGES).unwrap();
        check_function("changeset", || session.changeset());
        check_function("patchset", || session.patchset());
        drop(session);
        check_connection(connection, "changeset");
    });
    original.with_copy(|connection| {
        connection.execute_batch(CHANGES).unwrap();
        connection.execute_batch(&format!("ATTACH '{}' AS original", original.file().display())).unwrap();
        check_function("diff", || {
            let session = session(connection);
            session.diff("original", "t")?;
            session.diff("original", "w")?;
            session.changeset()
        });
    });
}

fn handler(conflict: Conflict, _: &ChangesetIterator<'_>) -> Answer {
    match conflict {
        Conflict::Data | Conflict::Conflict => Answer::Replace,
        _ => Answer::Omit,
    }
}

#[test]
fn changesets_are_applied_whole_or_not_at_all() {
    let original = Original::new();
    let changes = original.changes_of(CHANGES);
    for (name, before) in [("apply", ""), ("apply with conflicts", OTHER_CHANGES)] {
        let (expected, conflicts) = original.with_copy(|connection| {
            connection.execute_batch(before).unwrap();
            let conflicts = apply(connection, &changes, handler).unwrap();
            (content(connection), conflicts)
        });
        each_allocation(name, |mode, place| {
            original.with_copy(|connection| {
                connection.execute_batch(before).unwrap();
                let unchanged = content(connection);
                let (applied, count) = with_mode(mode, || apply(connection, &changes, handler));
                let applied = applied.unwrap_or_else(|error| {
                    assert_no_memory(&error, place);
                    assert_eq!(content(connection), unchanged, "{place}");
                    apply(connection, &changes, handler).unwrap_or_else(|error| panic!("{place}, once more: {error}"))
                });
                assert!(applied == conflicts, "{place}: other conflicts");
                assert_eq!(content(connection), expected, "{place}");
                check_connection(connection, place);
                count
            })
        });
    }
}

#[test]
fn what_is_made_of_changesets_is_whole_or_fails() {
    let original = Original::new();
    let (ours, theirs) = (original.changes_of(CHANGES), original.changes_of(OTHER_CHANGES));
    check_function("invert", || invert(&ours));
    check_function("concat", || concat(&[&ours, &theirs, &ours]));
    let conflicts = original.with_copy(|connection| {
        connection.execute_batch(CHANGES).unwrap();
        apply(connection, &theirs, |_, _| Answer::Omit).unwrap()
    });
    check_function("rebase", || rebase(&ours, conflicts.as_slice()));
}
