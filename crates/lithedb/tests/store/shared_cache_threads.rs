//! Connections that share a cache, each in a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use lithe::{Connection, ResultCode};

use crate::script::Folder;
use crate::shared_cache::numbers;

/// Each thread reads one table during a transaction; meanwhile other tables are written.
#[test]
fn commits_beside_readers_in_threads() {
    for (mode, mapped) in [("DELETE", 0), ("DELETE", 1 << 30), ("WAL", 0), ("WAL", 1 << 30)] {
        let folder = Folder::new();
        let uri = format!("file:{}?cache=shared", folder.file("test.db").display());
        let open = || {
            let connection = Connection::open(&uri).unwrap();
            connection.busy_timeout(std::time::Duration::from_secs(20));
            let settings = "PRAGMA synchronous = off; PRAGMA wal_autocheckpoint = 20";
            connection.execute_batch(&format!("PRAGMA mmap_size = {mapped}; {settings}")).unwrap();
            connection
        };
        let writer = open();
        writer.execute_batch(&format!("PRAGMA journal_mode = {mode}")).unwrap();
        writer.execute_batch("CREATE TABLE v(x)").unwrap();
        writer.execute_batch("CREATE TABLE t(x, y); CREATE TABLE u(x, y); CREATE INDEX i ON u(x)").unwrap();
        writer
            .execute_batch(&format!("INSERT INTO t SELECT value, hex(zeroblob(99)) FROM ({})", numbers(2000)))
            .unwrap();
        let is_done = AtomicBool::new(false);
        let read = || {
            let reader = open();
            while !is_done.load(Ordering::Relaxed) {
                read_in_transaction(&reader);
            }
        };
        let written = std::thread::scope(|scope| {
            (0..3).for_each(|_| drop(scope.spawn(read)));
            let written = write_pairs(&writer);
            is_done.store(true, Ordering::Relaxed);
            written
        });
        // (The number of commits between the reads depends on the scheduler.)
        let commits = written.unwrap();
        let rows: i64 = writer.query_row("SELECT count(*) FROM u", [], |row| row.get(0)).unwrap();
        assert!(rows <= 2 * commits);
        assert_eq!(writer.query_row("PRAGMA integrity_check", [], |row| row.get::<String>(0)).unwrap(), "ok");
    }
}

/// Within one transaction, t is unchanged, u has whole pairs or is locked, and v can be written unless it is locked.
fn read_in_transaction(reader: &Connection) {
    let (sum_of_t, pairs_of_u) = ("SELECT sum(x), sum(length(y)) FROM t", "SELECT count(*) % 2, sum(x) % 2 FROM u");
    let ask =
        |sql: &str| reader.query_row(sql, [], |row| Ok((row.get::<i64>(0)?, row.get::<Option<i64>>(1)?.unwrap_or(0))));
    reader.execute_batch("BEGIN").unwrap();
    for _ in 0..5 {
        assert_eq!(ask(sum_of_t).unwrap(), (2_001_000, 396_000));
    }
    match ask(pairs_of_u) {
        Ok(pairs) => assert_eq!(pairs, (0, 0)),
        Err(error) => assert_eq!(error.code(), ResultCode::LOCKED_SHAREDCACHE, "{error}"),
    }
    // A connection that has read before another connection of the cache commits can write after the commit.
    if let Err(error) = reader.execute("INSERT INTO v VALUES (1)", []) {
        assert_eq!(error.code(), ResultCode::LOCKED_SHAREDCACHE, "{error}");
    }
    reader.execute_batch("COMMIT").unwrap();
}

/// Inserts rows of u in pairs, and deletes as many, unless u is locked. Answers the number of changes of u.
fn write_pairs(writer: &Connection) -> lithe::Result<i64> {
    let mut commits = 0;
    for n in 0..300 {
        let pair = "INSERT INTO u VALUES (?1, hex(zeroblob(200))), (?1 + 2, zeroblob(3000))";
        let written = match n % 5 {
            4 => writer.execute("DELETE FROM u WHERE rowid <= 10", []),
            _ => writer.execute(pair, [n * 7919 % 600]),
        };
        match written {
            Ok(_) => commits += 1,
            Err(error) if error.code() == ResultCode::LOCKED_SHAREDCACHE => std::thread::yield_now(),
            Err(error) => return Err(error),
        }
    }
    Ok(commits)
}

#[test]
fn readers_of_what_is_not_committed_in_threads() {
    // Rows are written in pairs, by one statement each: a reader sees only whole pairs.
    for kind in ["memory", "wal", "delete"] {
        let folder = Folder::new();
        let uri = match kind {
            "memory" => "file:pairs?mode=memory&cache=shared".to_owned(),
            kind => format!("file:{}?cache=shared", folder.file(&format!("{kind}.db")).display()),
        };
        let open = || {
            let connection = Connection::open(&uri).unwrap();
            connection.busy_timeout(std::time::Duration::from_secs(20));
            connection
        };
        let writer = open();
        if kind != "memory" {
            writer.execute_batch(&format!("PRAGMA journal_mode = {kind}; PRAGMA synchronous = off")).unwrap();
        }
        writer.execute_batch("PRAGMA cache_size = 20; CREATE TABLE t(x, y); CREATE INDEX i ON t(x)").unwrap();
        let is_done = AtomicBool::new(false);
        let read = || {
            let reader = open();
            reader.execute_batch("PRAGMA read_uncommitted = 1").unwrap();
            while !is_done.load(Ordering::Relaxed) {
                let odd = "SELECT count(*) FROM (SELECT x FROM t GROUP BY x HAVING count(*) % 2 OR sum(length(y)) % 2)";
                assert_eq!(reader.query_row(odd, [], |row| row.get::<i64>(0)).unwrap(), 0);
            }
        };
        let pair = format!("INSERT INTO t SELECT ?1, hex(zeroblob(30 * value)) || 'z' FROM ({})", numbers(2));
        let write = || -> lithe::Result<()> {
            for round in 0..30 {
                writer.execute_batch("BEGIN")?;
                for at in 0..20 {
                    let x = (round * 20 + at) * 7919 % 600;
                    writer.execute(&pair, [x])?;
                    if at % 5 == 4 {
                        writer.execute_batch("SAVEPOINT s; DELETE FROM t WHERE x % 2; ROLLBACK TO s; RELEASE s")?;
                    }
                }
                writer.execute_batch(if round % 3 == 0 { "ROLLBACK" } else { "COMMIT" })?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            (0..2).for_each(|_| drop(scope.spawn(read)));
            let written = write();
            is_done.store(true, Ordering::Relaxed);
            written.unwrap_or_else(|error| panic!("{kind}: {error}"));
        });
    }
}

#[test]
fn threads_on_one_database_in_memory() {
    let open = || {
        let connection = Connection::open("file:threads?mode=memory&cache=shared").unwrap();
        connection.busy_timeout(std::time::Duration::from_secs(20));
        connection
    };
    let keeper = open();
    keeper.execute_batch("CREATE TABLE t(x)").unwrap();
    let work = |thread: i64| {
        let connection = open();
        let mut done = 0;
        while done < 50 {
            match connection.execute("INSERT INTO t VALUES (?1)", [thread]) {
                Ok(_) => done += 1,
                Err(error) => {
                    assert_eq!(error.code().primary(), ResultCode::LOCKED, "{error}");
                    std::thread::yield_now();
                }
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|thread| drop(scope.spawn(move || work(thread)))));
    assert_eq!(keeper.query_row("SELECT count(*) FROM t", [], |row| row.get::<i64>(0)).unwrap(), 200);
}
