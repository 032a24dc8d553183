//! Online backups of databases that other connections write meanwhile, and databases as bytes.

use std::path::Path;

use lithe::{Backup, BackupStep, Connection, Deserialize, ResultCode};

use crate::script::Folder;

fn filled(path: &Path, rows: i64) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("CREATE TABLE t(a)").unwrap();
    let fill = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) \
                INSERT INTO t SELECT zeroblob(20) FROM n";
    connection.execute(fill, [rows]).unwrap();
    connection
}

fn count(connection: &Connection) -> i64 {
    connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
}

fn text(connection: &Connection, sql: &str) -> String {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn cookie(connection: &Connection) -> i64 {
    connection.query_row("PRAGMA schema_version", [], |row| row.get(0)).unwrap()
}

/// Before its first step, a backup does not lock its target; a reader blocks the first step.
#[test]
fn the_target_is_free_until_the_first_step() {
    let (source, target) = (Connection::open(":memory:").unwrap(), Connection::open(":memory:").unwrap());
    source.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)").unwrap();
    target.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(3))").unwrap();
    let mut backup = Backup::new(&target, "main", &source, "main").unwrap();
    assert_eq!(count(&target), 1);
    target.execute_batch("INSERT INTO t VALUES (1)").unwrap();
    let blob = target.blob_open("main", "t", "a", 1, true).unwrap();
    assert_eq!(backup.step(-1).unwrap_err().code(), ResultCode::BUSY);
    drop(blob);
    assert_eq!(backup.step(-1).unwrap(), BackupStep::Done);
    backup.finish().unwrap();
    assert_eq!(count(&target), 2);
}

/// Steps through a backup, runs `between` between the steps, and checks the copy with SQLite.
fn check_backup(mode: &str, page_size: u32, target_mode: &str, between: impl Fn(u32, &Connection, &Connection)) -> i64 {
    let folder = Folder::new();
    let (from, to) = (folder.file("from.db"), folder.file("to.db"));
    Connection::open(&from).unwrap().execute_batch(&format!("PRAGMA page_size = {page_size}")).unwrap();
    let source = filled(&from, 2000);
    source.execute_batch(&format!("PRAGMA journal_mode = {mode}")).unwrap();
    let other = Connection::open(&from).unwrap();
    let target = Connection::open(&to).unwrap();
    target.execute_batch(&format!("CREATE TABLE old(a, b); PRAGMA journal_mode = {target_mode}")).unwrap();
    let mut backup = Backup::new(&target, "main", &source, "main").unwrap();
    let mut steps = 0;
    while backup.step(3).unwrap() == BackupStep::More {
        assert!(backup.remaining() > 0 && backup.remaining() < backup.page_count());
        steps += 1;
        between(steps, &source, &other);
    }
    assert_eq!(backup.remaining(), 0);
    backup.finish().unwrap();
    assert_eq!(count(&target), count(&source));
    assert_eq!(text(&target, "PRAGMA integrity_check"), "ok");
    let rows = count(&target);
    target.execute_batch("INSERT INTO t VALUES (1)").unwrap();
    drop((source, target, other));
    let sqlite = rusqlite::Connection::open(&to).unwrap();
    let (found, sound): (i64, String) = sqlite
        .query_row("SELECT (SELECT count(*) FROM t), integrity_check FROM pragma_integrity_check", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!((found, sound.as_str()), (rows + 1, "ok"));
    i64::from(steps)
}

#[test]
fn nobody_writes() {
    let steps = check_backup("DELETE", 4096, "DELETE", |_, _, _| {});
    assert_eq!(steps, 16 / 3);
    check_backup("WAL", 4096, "DELETE", |_, _, _| {});
    check_backup("WAL", 4096, "WAL", |_, _, _| {});
    check_backup("DELETE", 4096, "WAL", |_, _, _| {});
    check_backup("DELETE", 1024, "DELETE", |_, _, _| {});
    check_backup("DELETE", 65536, "PERSIST", |_, _, _| {});
}

#[test]
fn what_its_own_connection_writes_is_carried_over() {
    for mode in ["DELETE", "WAL"] {
        let steps = check_backup(mode, 4096, "DELETE", |step, source, _| {
            source.execute("UPDATE t SET a = ?1 WHERE rowid IN (1, 1000, 2000)", [i64::from(step)]).unwrap();
        });
        assert_eq!(steps, 16 / 3, "{mode}");
        check_backup(mode, 512, "TRUNCATE", |step, source, _| {
            if step % 10 == 0 {
                source.execute("INSERT INTO t SELECT a FROM t LIMIT 100", []).unwrap();
            }
        });
    }
}

#[test]
fn what_others_write_starts_the_copy_over() {
    for mode in ["DELETE", "WAL"] {
        let steps = check_backup(mode, 4096, "DELETE", |step, _, other| {
            if step == 4 {
                other.execute("DELETE FROM t WHERE rowid < 100", []).unwrap();
            }
        });
        assert!(steps > 16 / 3, "{mode}: {steps}");
    }
}

#[test]
fn who_is_in_the_way() {
    let folder = Folder::new();
    let source = filled(&folder.file("from.db"), 1000);
    let other = Connection::open(folder.file("from.db")).unwrap();
    let target = Connection::open(folder.file("to.db")).unwrap();
    let error = |outcome: Result<_, lithe::Error>| outcome.err().map(|error: lithe::Error| error.message().to_owned());
    let init = |schema: &str, from: &str| error(Backup::new(&target, schema, &source, from).map(drop));
    assert_eq!(init("nosuch", "main").as_deref(), Some("unknown database nosuch"));
    assert_eq!(init("main", "nosuch").as_deref(), Some("unknown database nosuch"));
    let same = error(Backup::new(&source, "main", &source, "main").map(drop));
    assert_eq!(same.as_deref(), Some("source and destination must be distinct"));
    target.execute_batch("CREATE TABLE x(a); BEGIN; SELECT * FROM x").unwrap();
    assert_eq!(init("main", "main").as_deref(), Some("destination database is in use"));
    target.execute_batch("COMMIT").unwrap();

    let mut backup = Backup::new(&target, "main", &source, "main").unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    assert_eq!(backup.step(1).unwrap_err().code(), ResultCode::BUSY);
    other.execute_batch("COMMIT").unwrap();
    backup.step(1).unwrap();
    source.execute_batch("BEGIN; INSERT INTO t VALUES (1)").unwrap();
    assert_eq!(backup.step(1).unwrap_err().code(), ResultCode::BUSY);
    source.execute_batch("COMMIT").unwrap();
    assert_eq!(target.execute_batch("SELECT * FROM x").unwrap_err().code(), ResultCode::BUSY);
    backup.step(1).unwrap();
    // An abandoned backup leaves the target unchanged.
    drop(backup);
    assert_eq!(target.query_row("SELECT count(*) FROM x", [], |row| row.get::<i64>(0)).unwrap(), 0);

    let memory = Connection::open_in_memory().unwrap();
    memory.execute_batch("PRAGMA page_size = 1024; CREATE TABLE x(a)").unwrap();
    let mut backup = Backup::new(&memory, "main", &source, "main").unwrap();
    assert_eq!(backup.step(-1).unwrap_err().code(), ResultCode::READONLY);
    assert_eq!(backup.finish().unwrap_err().code(), ResultCode::READONLY);
    let empty = Connection::open_in_memory().unwrap();
    let mut backup = Backup::new(&empty, "main", &source, "main").unwrap();
    let mut heard = Vec::new();
    backup.run(4, std::time::Duration::ZERO, |left, of| heard.push((left, of))).unwrap();
    drop(backup);
    assert_eq!((count(&empty), heard.first(), heard.last()), (1001, Some(&(5, 9)), Some(&(0, 9))));
}

/// A connection that has read the target's schema reads it again, even if the target's new cookie, the source's plus one, equals the one it
/// knows.
#[test]
fn a_backup_changes_the_cookie_of_the_target() {
    let folder = Folder::new();
    let (from, to) = (folder.file("from.db"), folder.file("to.db"));
    let target = Connection::open(&to).unwrap();
    target.execute_batch("CREATE TABLE a(x); CREATE TABLE b(y); INSERT INTO b VALUES ('old')").unwrap();
    let other = Connection::open(&to).unwrap();
    assert_eq!((text(&other, "SELECT y FROM b"), cookie(&other)), ("old".into(), 2));
    let source = Connection::open(&from).unwrap();
    source.execute_batch("CREATE TABLE b(y); INSERT INTO b VALUES ('new')").unwrap();
    Backup::new(&target, "main", &source, "main").unwrap().step(-1).unwrap();
    assert_eq!((text(&other, "SELECT y FROM b"), cookie(&other)), ("new".into(), 3));
}

#[test]
fn the_source_changes_its_page_size_on_the_way() {
    let folder = Folder::new();
    let (from, to) = (folder.file("from.db"), folder.file("to.db"));
    Connection::open(&from).unwrap().execute_batch("PRAGMA page_size = 1024").unwrap();
    let source = filled(&from, 2000);
    let target = Connection::open(&to).unwrap();
    target.execute_batch("CREATE TABLE old(a)").unwrap();
    let mut backup = Backup::new(&target, "main", &source, "main").unwrap();
    assert_eq!(backup.step(5).unwrap(), BackupStep::More);
    for page_size in [2048, 512, 1024] {
        let other = Connection::open(&from).unwrap();
        other.execute_batch(&format!("PRAGMA page_size = {page_size}; VACUUM")).unwrap();
        assert_eq!(backup.step(5).unwrap(), BackupStep::More);
    }
    assert_eq!(backup.step(-1).unwrap(), BackupStep::Done);
    drop(backup);
    assert_eq!((count(&source), count(&target)), (2000, 2000));
    assert_eq!(text(&target, "PRAGMA integrity_check"), "ok");
}

#[test]
fn databases_as_bytes() {
    let folder = Folder::new();
    let path = folder.file("test.db");
    let source = filled(&path, 500);
    let bytes = source.serialize("main").unwrap();
    assert_eq!(bytes, std::fs::read(&path).unwrap());
    let open = |how: Deserialize| {
        let connection = Connection::open_in_memory().unwrap();
        connection.deserialize("main", &bytes, how).unwrap();
        connection
    };
    let fixed = open(Deserialize::default());
    assert_eq!((count(&fixed), text(&fixed, "PRAGMA journal_mode")), (500, "memory".to_owned()));
    fixed.execute_batch("DELETE FROM t WHERE rowid > 400").unwrap();
    assert_eq!(fixed.execute("INSERT INTO t VALUES (zeroblob(50000))", []).unwrap_err().code(), ResultCode::FULL);
    assert_eq!(count(&fixed), 400);
    assert_eq!(fixed.serialize("main").unwrap().len(), bytes.len());

    let growing = open(Deserialize { resizeable: true, size_max: Some(100_000), ..Deserialize::default() });
    growing.execute_batch("INSERT INTO t VALUES (zeroblob(50000))").unwrap();
    assert_eq!(growing.execute("INSERT INTO t VALUES (zeroblob(50000))", []).unwrap_err().code(), ResultCode::FULL);
    let read_only = open(Deserialize { read_only: true, ..Deserialize::default() });
    assert_eq!(read_only.execute("DELETE FROM t", []).unwrap_err().code(), ResultCode::READONLY);

    let image = folder.file("image.db");
    std::fs::write(&image, growing.serialize("main").unwrap()).unwrap();
    let sqlite = rusqlite::Connection::open(&image).unwrap();
    assert_eq!(sqlite.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 501);

    let connection = Connection::open_in_memory().unwrap();
    connection.deserialize("main", b"no database at all", Deserialize::default()).unwrap();
    assert_eq!(connection.execute_batch("SELECT * FROM t").unwrap_err().code(), ResultCode::NOTADB);
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("BEGIN; CREATE TABLE x(a)").unwrap();
    assert_eq!(connection.deserialize("main", &bytes, Deserialize::default()).unwrap_err().code(), ResultCode::BUSY);
    let unknown = connection.deserialize("nosuch", &bytes, Deserialize::default()).unwrap_err();
    assert_eq!(unknown.code(), ResultCode::ERROR);
    assert_eq!(connection.serialize("nosuch").unwrap_err().code(), ResultCode::ERROR);
}
