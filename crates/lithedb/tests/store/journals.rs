//! The files beside a database between transactions: with exclusive locking, the journal of DELETE mode stays, without its header, as long
//! as the lock is held.

use crate::script::check;

const EXCLUSIVE: &str = "PRAGMA locking_mode = EXCLUSIVE";
const NORMAL: &str = "PRAGMA locking_mode = NORMAL";
const CREATE: &str = "CREATE TABLE t(a)";
const INSERT: &str = "INSERT INTO t VALUES (1)";
const READ: &str = "SELECT count(*) FROM t";

/// Runs statements on one connection, and compares the journals after each statement and after the close; not within a transaction or after
/// its ROLLBACK, because the engines write to the journal at different times.
#[track_caller]
fn check_journals(statements: &[&str]) {
    let mut within = false;
    let lines = statements.iter().map(|statement| {
        within = statement.starts_with("BEGIN") || within && !matches!(*statement, "COMMIT" | "ROLLBACK");
        let looks = !within && *statement != "ROLLBACK";
        format!("a: {statement}\n{}", if looks { "a journals\n" } else { "" })
    });
    check(&format!("{}a close\na journals\nb: PRAGMA integrity_check", lines.collect::<String>()));
}

#[test]
fn exclusive_locking() {
    let grow = "INSERT INTO t VALUES (zeroblob(10000))";
    check_journals(&[EXCLUSIVE, CREATE, grow, READ, "BEGIN", INSERT, "ROLLBACK", NORMAL, READ, INSERT]);
    check_journals(&[EXCLUSIVE, CREATE]);
    check_journals(&[EXCLUSIVE, CREATE, NORMAL]);
    check_journals(&[CREATE, EXCLUSIVE, READ, INSERT, "BEGIN", "PRAGMA user_version = 3", NORMAL, "COMMIT", READ]);
    check_journals(&[CREATE, EXCLUSIVE, "BEGIN IMMEDIATE", "COMMIT", "BEGIN", "PRAGMA user_version = 3", "ROLLBACK"]);
    check_journals(&[EXCLUSIVE, "PRAGMA synchronous = OFF", CREATE, INSERT, NORMAL, "PRAGMA user_version"]);
    check_journals(&[EXCLUSIVE, CREATE, "VACUUM", "PRAGMA incremental_vacuum", NORMAL, "BEGIN IMMEDIATE", "COMMIT"]);
}

#[test]
fn size_limits() {
    let limit = "PRAGMA journal_size_limit = 512";
    check_journals(&[
        EXCLUSIVE,
        CREATE,
        limit,
        INSERT,
        "PRAGMA journal_size_limit = 0",
        INSERT,
        "VACUUM",
        NORMAL,
        READ,
    ]);
}

#[test]
fn changes_of_the_journal_mode() {
    let (delete, persist, truncate) =
        ("PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = PERSIST", "PRAGMA journal_mode = TRUNCATE");
    let (memory, off, wal) = ("PRAGMA journal_mode = MEMORY", "PRAGMA journal_mode = OFF", "PRAGMA journal_mode = WAL");
    check_journals(&[
        EXCLUSIVE, CREATE, persist, INSERT, delete, INSERT, truncate, INSERT, memory, INSERT, off, INSERT, delete,
    ]);
    for without in [memory, off] {
        check_journals(&[EXCLUSIVE, CREATE, without, delete]);
        check_journals(&[EXCLUSIVE, CREATE, without, INSERT, NORMAL, READ, INSERT]);
        check_journals(&[EXCLUSIVE, CREATE, without, INSERT, delete, NORMAL, READ]);
    }
    for leaving in [persist, truncate] {
        check_journals(&[EXCLUSIVE, leaving, CREATE, INSERT, NORMAL, READ]);
        check_journals(&[EXCLUSIVE, CREATE, leaving, delete]);
        check_journals(&[EXCLUSIVE, CREATE, leaving, INSERT, delete]);
        check_journals(&[EXCLUSIVE, CREATE, leaving, INSERT, NORMAL, READ, delete]);
        check_journals(&[leaving, CREATE, EXCLUSIVE, INSERT, delete, READ]);
        check_journals(&[leaving, CREATE, EXCLUSIVE, READ, delete, READ]);
        check_journals(&[CREATE, EXCLUSIVE, INSERT, NORMAL, leaving, READ]);
    }
    check_journals(&[EXCLUSIVE, CREATE, wal, INSERT, delete, INSERT]);
    check_journals(&[CREATE, EXCLUSIVE, INSERT, NORMAL, wal, READ, INSERT]);
}

#[test]
fn several_files() {
    let attach = "ATTACH '{dir}/other.db' AS u";
    let create = "CREATE TABLE u.t(a)";
    check_journals(&[
        EXCLUSIVE,
        attach,
        CREATE,
        create,
        "BEGIN",
        INSERT,
        "INSERT INTO u.t VALUES (1)",
        "COMMIT",
        INSERT,
        "DETACH u",
        NORMAL,
        READ,
    ]);
}
