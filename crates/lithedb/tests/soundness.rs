//! A small sample of all features, for an interpreter that checks every pointer: `tests/soundness/run.sh` runs this under Miri.
//!
//! Files are in memory, and mapped: registers, rows and cursors borrow pages, commits overwrite the pages, and the borrowed values must
//! have been copied before.

use std::path::Path;
use std::sync::Arc;

use lithe::vfs::MemoryVfs;
use lithe::{Connection, OpenFlags, Result, Value};

/// Longer than a page of 512 bytes.
const LONG: usize = 700;

fn open(vfs: &Arc<MemoryVfs>, mode: &str) -> Result<Connection> {
    let connection = Connection::open_with_vfs(Path::new("/db"), OpenFlags::DEFAULT, vfs.clone())?;
    // The last connection that closes the database locks it exclusively.
    connection.busy_timeout(std::time::Duration::from_secs(60));
    connection.execute_batch(&format!("PRAGMA page_size = 512; PRAGMA journal_mode = {mode}"))?;
    Ok(connection)
}

fn texts(connection: &Connection, sql: &str) -> Result<String> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut texts = Vec::new();
    while let Some(row) = rows.next()? {
        texts.push(row.get::<String>(0)?);
    }
    Ok(texts.join(" "))
}

fn fill(connection: &Connection, rows: i64) -> Result<()> {
    connection.execute_batch("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c); CREATE INDEX i ON t(b)")?;
    for a in 1..=rows {
        let long = "x".repeat(if a % 4 == 0 { LONG } else { 20 });
        connection.execute("INSERT INTO t VALUES (?1, ?2, ?3)", lithe::params![a, format!("row {a}"), long])?;
    }
    Ok(())
}

/// A statement is on a row, whose text is borrowed from a page, while other connections write and commit.
fn check_rows_beside_commits(mode: &str) -> Result<()> {
    let vfs = Arc::new(MemoryVfs::new());
    let connection = open(&vfs, mode)?;
    fill(&connection, 9)?;
    let mut scan = connection.prepare("SELECT a, b, c FROM t ORDER BY b")?;
    let mut count = 0;
    let mut rows = scan.query([])?;
    while let Some(row) = rows.next()? {
        let (a, text): (i64, &str) = (row.get(0)?, row.get(1)?);
        connection.execute("UPDATE t SET c = c || 'y' WHERE a = ?1", [a])?;
        assert_eq!(text, format!("row {a}"));
        count += 1;
    }
    drop(rows);
    assert_eq!(count, 9);
    let other = open(&vfs, mode)?;
    connection
        .execute_batch("BEGIN; DELETE FROM t WHERE a % 2; SAVEPOINT s; UPDATE t SET b = 'gone'; ROLLBACK TO s")?;
    assert_eq!(texts(&other, "SELECT CAST(count(*) AS TEXT) FROM t")?, "9");
    connection.execute_batch("COMMIT")?;
    assert_eq!(texts(&other, "SELECT b FROM t ORDER BY a DESC")?, "row 8 row 6 row 4 row 2");
    assert_eq!(texts(&connection, "PRAGMA quick_check")?, "ok");
    Ok(())
}

#[test]
fn rows_beside_commits() -> Result<()> {
    ["DELETE", "WAL"].into_iter().try_for_each(check_rows_beside_commits)
}

#[test]
fn statements_of_many_kinds() -> Result<()> {
    let connection = Connection::open_in_memory()?;
    fill(&connection, 6)?;
    connection.execute_batch(
        "CREATE TABLE log(x); CREATE TRIGGER r AFTER DELETE ON t BEGIN INSERT INTO log VALUES (old.b || length(old.c)); END;
         DELETE FROM t WHERE a IN (SELECT a FROM t WHERE b LIKE '%4'); CREATE VIEW v AS SELECT a, b FROM t WHERE a > 1",
    )?;
    assert_eq!(texts(&connection, "SELECT x FROM log")?, "row 4700");
    let grouped = "SELECT b || count(*) || max(length(c)) FROM t GROUP BY a % 2, b HAVING sum(a) > 2 ORDER BY 1 DESC";
    assert_eq!(texts(&connection, grouped)?, "row 6120 row 5120 row 3120");
    let windows = "SELECT CAST(sum(a) OVER (ORDER BY b ROWS 1 PRECEDING) AS TEXT) FROM v ORDER BY a";
    assert_eq!(texts(&connection, windows)?, "2 5 8 11");
    let recursion = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4)
                     SELECT format('%03d', i) FROM n LEFT JOIN t ON t.a = n.i ORDER BY i DESC";
    assert_eq!(texts(&connection, recursion)?, "004 003 002 001");
    let json = r#"SELECT json_extract(json_set('{"a":[1,2,{"b":"c"}]}', '$.a[2].b', upper('d')), '$.a') || substr('späße', 3, 2)"#;
    assert_eq!(texts(&connection, json)?, r#"[1,2,{"b":"D"}]äß"#);
    assert_eq!(texts(&connection, "SELECT DISTINCT hex(replace('a b', 'a', x'C3A4')) FROM t")?, "C3A42062");
    Ok(())
}

#[test]
fn values_that_are_bound_and_functions_of_the_application() -> Result<()> {
    let connection = Connection::open_in_memory()?;
    connection.create_scalar_function("twice", 1, lithe::FunctionFlags::DETERMINISTIC, |call| {
        let kept = call.auxiliary(0, |value| Ok(value.bytes().map_or(0, <[u8]>::len)))?;
        Ok(format!("{}{kept}", call.get::<&str>(0)?.repeat(2)))
    })?;
    let mut statement = connection.prepare_cached("SELECT twice(?1), ?2, zeroblob(3)")?;
    for _ in 0..2 {
        statement.bind(1, "ab")?;
        statement.bind(2, vec![0_u8; LONG])?;
        let row = statement.step()?.expect("a row");
        assert_eq!(row.get::<String>(0)?, "abab2");
        assert_eq!(row.get::<Value>(1)?.as_ref().bytes().map(<[u8]>::len), Some(LONG));
        statement.reset().unwrap();
    }
    Ok(())
}

#[test]
fn threads_that_share_a_log() -> Result<()> {
    let vfs = Arc::new(MemoryVfs::new());
    fill(&open(&vfs, "WAL")?, 2)?;
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    let connection = open(&vfs, "WAL")?;
                    for _ in 0..3 {
                        connection.execute("INSERT INTO t(b) VALUES ('thread')", [])?;
                        texts(&connection, "SELECT b FROM t WHERE b = 'thread'")?;
                    }
                    Ok(())
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
    })?;
    assert_eq!(texts(&open(&vfs, "WAL")?, "SELECT CAST(count(*) AS TEXT) FROM t")?, "8");
    Ok(())
}
