//! Writes the seed corpora: `cargo +nightly run --bin seeds` in this folder.

use std::fs;

use lithe_engine::{Connection, OpenFlags};
use lithe_fuzz::{run, sample};
use lithe_session::{Format, Session};

fn main() {
    let write = |target: &str, name: &str, content: &[u8]| {
        let folder = format!("corpus/{target}");
        fs::create_dir_all(&folder).expect("a folder for seeds");
        fs::write(format!("{folder}/{name}"), content).expect("a seed");
    };
    for (name, pragmas) in [
        ("plain", ""),
        ("vacuum", "PRAGMA auto_vacuum = 2"),
        ("utf16", "PRAGMA encoding = 'UTF-16le'"),
        ("utf16be", "PRAGMA encoding = 'UTF-16be'; PRAGMA auto_vacuum = 1"),
    ] {
        for target in ["database_image", "recover"] {
            write(target, name, &sample::database(pragmas));
        }
    }
    write("wal_image", "log", &sample::with_log().1);
    write("journal_image", "journal", &sample::with_journal().1);
    write("shm_image", "changes", b"\0\x04\xff\x10\x20\x30\x40\x50\x60\x70");
    for (name, format) in [("changeset", Format::Changeset), ("patchset", Format::Patchset)] {
        write("changeset", name, &changes(format));
    }
    for target in ["fts3", "fts5"] {
        for (at, seed) in FULL_TEXT.iter().enumerate() {
            write(target, &format!("{at}"), seed);
        }
    }
    for (at, seed) in R_TREES.iter().enumerate() {
        write("rtree", &format!("{at}"), seed);
    }
    for (at, sql) in SQL.iter().enumerate() {
        write("sql_text", &format!("{at}"), sql.as_bytes());
    }
}

/// Changes of each kind to the table that the target applies them to.
fn changes(format: Format) -> Vec<u8> {
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    run(&connection, b"CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c); INSERT INTO t VALUES(1,'x',2.5),(2,NULL,x'00')");
    let session = Session::new("main");
    session.attach(None);
    let watch = connection.watch_changes(session.watcher());
    run(&connection, b"INSERT INTO t VALUES(3,'three',NULL); UPDATE t SET c = 'new' WHERE a = 1; DELETE FROM t WHERE a = 2");
    connection.unwatch_changes(watch);
    session.changeset(&connection, format).expect("the changes of a table that is there")
}

/// Options, a query, and a change of a shadow table.
const FULL_TEXT: &[&[u8]] = &[
    b"\x00often word\0\x00\x09\x00\x05often\x03\x03",
    b"\x81\"often other\" NOT w7\0\x08\x04\x00\x00\x00\x00",
    b"\x02a:w* NEAR/3 often\0\x01\x05\x01\x02\x03\x04\x05",
    b"\x03^word OR (other AND o1)\0\x05\x02\xff\xff\x06\x01\x7f",
];

/// Options, a window, and a change of a shadow table.
const R_TREES: &[&[u8]] = &[
    b"\x00\x60\x70\x80\x80\0\0\0\0\0\0\0\0\0\0\0\0\x05\x05\x00\x01\x00\x03",
    b"\x01\x60\x70\x80\x80\0\0\0\0\0\0\0\0\0\0\0\0\x0d\x05\x00\x00\x00\x03\x24\x02\x30\x32",
    b"\x02\x60\x70\x80\x80\0\0\0\0\0\0\0\0\0\0\0\0\x08\x01\x32",
    b"\x03\x01\0\0\x03\0\0\0\0\0\0\x40\x40\0\0\0\0\x05\x03\x00\x01\x00",
];

const SQL: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c DEFAULT 5); INSERT INTO t(b) VALUES('x'),('y'); SELECT * FROM t",
    "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n LIMIT 9) SELECT i, sum(i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM n",
    "CREATE TABLE t(a,b); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET b=new.a; END; INSERT INTO t VALUES(1,2) RETURNING *",
    "SELECT json_extract('{\"a\":[1,2]}','$.a[1]'), printf('%5.2f|%-8s|%x', 1.5, 'a', 255), date('now','+1 day')",
    "CREATE TABLE a(x); CREATE TABLE b(y); SELECT * FROM a LEFT JOIN b ON x=y FULL JOIN (SELECT 3 z) ON z=x ORDER BY 1 NULLS LAST LIMIT 3 OFFSET 1",
    "CREATE VIEW v(p,q) AS SELECT 1,2 UNION SELECT 3,4 EXCEPT SELECT 5,6; SELECT CASE p WHEN 1 THEN q ELSE -q END FROM v WHERE p IN (SELECT 1)",
    "BEGIN; SAVEPOINT s; CREATE TABLE t(a COLLATE NOCASE, PRIMARY KEY(a)) WITHOUT ROWID; ROLLBACK TO s; RELEASE s; COMMIT; PRAGMA table_info(t)",
    "INSERT INTO t VALUES(1) ON CONFLICT(a) DO UPDATE SET a=excluded.a WHERE a>1; ALTER TABLE t RENAME TO u; REPLACE INTO u DEFAULT VALUES",
    "SELECT group_concat(DISTINCT a ORDER BY b) FILTER (WHERE c) FROM (SELECT 1 a, 2 b, 3 c) GROUP BY a HAVING count(*)>0 WINDOW w AS ()",
    "SELECT 'a' LIKE 'A%' ESCAPE '\\', x'00ff' || 1e308*10, 9223372036854775807+1, CAST('12abc' AS INT), 5/0, ~1<<70, 'a' GLOB '[^a-c]*'",
    "EXPLAIN QUERY PLAN SELECT 1; EXPLAIN SELECT * FROM sqlite_master; ATTACH ':memory:' AS m; CREATE TABLE m.t(a CHECK(a>0), b AS (a*2) STORED)",
];
