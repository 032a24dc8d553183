//! Writes the seed corpora: `cargo +nightly run --bin seeds` in this folder.

use std::fs;

use lithe_engine::{Connection, OpenFlags, Step};
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
    let archive = archive();
    for what in [2, 3] {
        write("modules", &format!("archive{what}"), &[&[what, 0][..], &archive].concat());
    }
    for (at, seed) in MODULES.iter().enumerate() {
        write("modules", &format!("{at}"), seed);
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

/// An archive of a file that is stored, one that is compressed, and a folder.
fn archive() -> Vec<u8> {
    let connection = Connection::open(b":memory:", OpenFlags::READWRITE | OpenFlags::CREATE).expect("memory");
    connection.add_extensions(&[&lithe_modules::SHELL]);
    let sql = b"SELECT zipfile(column1, column2, 86400, column3) FROM
        (VALUES ('a', 33188, x'616263'), ('b.txt', '-rw-r--r--', zeroblob(300)), ('c', 'drwxr-xr-x', NULL))";
    let mut statement = connection.prepare(sql).ok().and_then(|prepared| prepared.statement).expect("a statement");
    assert!(matches!(statement.step(&connection), Ok(Step::Row)), "an archive is made");
    statement.value(0).bytes().expect("an archive").to_vec()
}

/// What is done, options, and the bytes for it.
const MODULES: &[&[u8]] = &[
    b"\x00\x04-12.5e-7",
    b"\x00\x0c1.5\xff-2e9",
    b"\x00\x00aGVsbG8=",
    b"\x00\x02BQn3;Cp;@k",
    b"\x00\x2a^(a|b+)[c-f]{2,3}\\d?$\xffxxabccd7",
    b"\x00\x261\xff20\xff3",
    b"\x00\x26SELECT 1, 'x', x'00', NULL, 2.5",
    b"\x00\x3cSEL\xffSELECT * FROM",
    b"\x00\x3e50",
    b"\x04\x00a,b,c\n1,\"x\"\"y\nz\",3\r\n4,5\n",
    b"\x04\x05a INTEGER PRIMARY KEY, b COLLATE NOCASE, c HIDDEN",
    b"\x05\x00\x02\x03\x02\x01\x02\x01\x10\x04\x00\x00\x00\x30",
];

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
