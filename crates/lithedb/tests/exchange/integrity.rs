//! integrity_check, quick_check and foreign_key_check at the level of rows: their reports on databases whose schema was changed without
//! their rows equal SQLite's word for word.

use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::{Connection, Which};

/// The queries on each damaged database, for both engines.
const QUESTIONS: [&str; 8] = [
    "PRAGMA integrity_check",
    "PRAGMA quick_check",
    "PRAGMA integrity_check(1)",
    "PRAGMA integrity_check(3)",
    "PRAGMA integrity_check(t)",
    "PRAGMA main.quick_check(t)",
    "PRAGMA integrity_check(nothing)",
    "PRAGMA temp.integrity_check(t)",
];

/// SQLite does the damage: it creates `schema` and rows, then replaces some rows of sqlite_master.
fn check(name: &str, setup: &str, damage: &[(&str, &str)], expected: &str) {
    let path = make(name, setup, damage);
    for question in QUESTIONS {
        compare(&path, question);
    }
    let lithe = Connection::open(Which::Lithe, &path);
    let said = format!("{:?}", lithe.must("PRAGMA integrity_check"));
    assert!(said.contains(expected), "{name}: {said}");
    lithe.close();
    fs::remove_file(path).unwrap();
}

fn make(name: &str, setup: &str, damage: &[(&str, &str)]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lithe-integrity-{}-{name}.db", std::process::id()));
    let _ = fs::remove_file(&path);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite.execute_batch("PRAGMA foreign_keys = 0").unwrap();
    sqlite.execute_batch(setup).unwrap();
    sqlite.execute_batch("PRAGMA writable_schema = 1").unwrap();
    for (object, change) in damage {
        let sql = format!("UPDATE sqlite_master SET {change} WHERE name = '{object}'");
        sqlite.execute_batch(&sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
    path
}

fn compare(path: &Path, question: &str) {
    let answer = |which| {
        let connection = Connection::open(which, path);
        let answer = connection.rows(question);
        connection.close();
        answer
    };
    let (ours, theirs) = (answer(Which::Lithe), answer(Which::Sqlite));
    assert_eq!(ours, theirs, "{question} of {}", path.display());
}

#[test]
fn rows_against_constraints() {
    let rows = "CREATE TABLE t(a, b, c); INSERT INTO t VALUES (1, 'x', 2.5), (NULL, NULL, NULL), ('7', 8, x'00'), ('abc', 1.5, '9')";
    check("sound", rows, &[], "ok");
    check("not_null", rows, &[("t", "sql = 'CREATE TABLE t(a, b NOT NULL, c NOT NULL)'")], "NULL value in t.b");
    check("types", rows, &[("t", "sql = 'CREATE TABLE t(a INT, b TEXT, c REAL)'")], "TEXT value in t.a");
    check(
        "both",
        rows,
        &[("t", "sql = 'CREATE TABLE t(a NUMERIC NOT NULL, b CHAR NOT NULL, c BLOB NOT NULL)'")],
        "NUMERIC value in t.b",
    );
    check(
        "check",
        rows,
        &[("t", "sql = 'CREATE TABLE t(a, b CHECK(b <> 8), c CHECK (a > 0), CHECK(c))'")],
        "CHECK constraint failed in t",
    );
    for types in ["INT, b TEXT, c REAL", "INTEGER, b BLOB, c TEXT", "ANY, b ANY NOT NULL, c INT"] {
        check("strict", rows, &[("t", &format!("sql = 'CREATE TABLE t(a {types}) STRICT'"))], "value in t.");
    }
    check(
        "generated",
        rows,
        &[("t", "sql = 'CREATE TABLE t(a, b, c, g INT NOT NULL AS (a), h TEXT AS (b || c) NOT NULL)'")],
        "NULL value in t.g",
    );
    check(
        "default",
        rows,
        &[("t", "sql = 'CREATE TABLE t(a, b, c, d INT NOT NULL DEFAULT 5, e TEXT NOT NULL)'")],
        "NULL value in t.e",
    );
    check("key", rows, &[("t", "sql = 'CREATE TABLE t(a, b, c INTEGER PRIMARY KEY)'")], "ok");
}

#[test]
fn rows_against_indexes() {
    let rows = "CREATE TABLE t(a, b, c REAL); CREATE INDEX i ON t(a); CREATE INDEX j ON t(b DESC, c);
                CREATE TABLE u(x); CREATE INDEX ux ON u(x);
                INSERT INTO t VALUES (1, 'B', 2), (1, 'a', 3.5), (2, NULL, NULL), (3, 'A', 4), (3, 'a ', 4); INSERT INTO u VALUES (1), (2)";
    check("sound_index", rows, &[], "ok");
    check("column", rows, &[("i", "sql = 'CREATE INDEX i ON t(b)'")], "row 1 missing from index i");
    check("unique", rows, &[("i", "sql = 'CREATE UNIQUE INDEX i ON t(a)'")], "non-unique entry in index i");
    check("expression", rows, &[("i", "sql = 'CREATE INDEX i ON t(a + (b > ''B''))'")], "missing from index i");
    check("partial", rows, &[("i", "sql = 'CREATE INDEX i ON t(a) WHERE b > ''B'''")], "ok");
    check("partial_wrong", rows, &[("i", "sql = 'CREATE INDEX i ON t(c) WHERE b > ''B'''")], "missing from index i");
    check("collation", rows, &[("j", "sql = 'CREATE INDEX j ON t(b COLLATE NOCASE DESC, c)'")], "missing from index j");
    check(
        "rootpage",
        rows,
        &[("i", "rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'ux')")],
        "wrong # of entries in index i",
    );
    check("wide", rows, &[("i", "sql = 'CREATE INDEX i ON t(a, b)'")], "missing from index i");
    check("as_text", rows, &[("t", "sql = 'CREATE TABLE t(a TEXT, b, c REAL)'")], "NUMERIC value in t.a");
    let texts = "CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES ('7'), ('x'), (8), (NULL), (NULL)";
    check("as_number", texts, &[("t", "sql = 'CREATE TABLE t(a INT)'")], "TEXT value in t.a");
    check("nulls", texts, &[("i", "sql = 'CREATE UNIQUE INDEX i ON t(a)'")], "ok");
}

/// Which rows a search finds in an index out of order is arbitrary, but some are missing.
#[test]
fn an_index_out_of_order() {
    let rows = "CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1), (2), (3), (4), (5)";
    let path = make("order", rows, &[("i", "sql = 'CREATE INDEX i ON t(a DESC)'")]);
    let lithe = Connection::open(Which::Lithe, &path);
    let said = format!("{:?}", lithe.must("PRAGMA integrity_check"));
    assert!(said.contains("missing from index i"), "{said}");
    lithe.close();
    fs::remove_file(path).unwrap();
}

#[test]
fn tables_without_rowid() {
    let rows = "CREATE TABLE t(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID; CREATE INDEX i ON t(c); CREATE UNIQUE INDEX j ON t(c, a);
                INSERT INTO t VALUES (1, 'B', 2), (1, 'a', 3.5), (2, 'c', NULL), (3, 'A', 4), (4, 'a ', 4)";
    check("sound_wr", rows, &[], "ok");
    // The result of a search in an unsorted index is arbitrary: these tables have no index.
    let plain = "CREATE TABLE t(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;
                 INSERT INTO t VALUES (1, 'B', 2), (1, 'a', 3.5), (2, 'c', NULL), (3, 'A', 4), (4, 'a ', 4)";
    let key = |key: &str| format!("sql = 'CREATE TABLE t(a, b, c, PRIMARY KEY({key})) WITHOUT ROWID'");
    check("wr_order", plain, &[("t", &key("b DESC, a"))], "row not in PRIMARY KEY order for t");
    check("wr_collation", plain, &[("t", &key("b COLLATE NOCASE, a"))], "row not in PRIMARY KEY order for t");
    check("wr_other", rows, &[("t", &key("a, b"))], "missing from index j");
}

#[test]
fn foreign_keys() {
    const TABLES: &str =
        "CREATE TABLE p(id INTEGER PRIMARY KEY, t TEXT COLLATE NOCASE UNIQUE, n NUMERIC, UNIQUE(n, t));
        CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE TABLE loose(x); CREATE INDEX lx ON loose(x);
        INSERT INTO p VALUES (1, 'one', 1), (2, 'Two', 2.5), (3, '3', NULL); INSERT INTO w VALUES ('k', 1), ('7', 2);";
    let ask = |name: &str, tables: &str, questions: &[&str]| {
        let path = make(name, &format!("{TABLES} {tables}"), &[]);
        questions.iter().for_each(|question| compare(&path, question));
        fs::remove_file(path).unwrap();
    };
    let all = [
        "PRAGMA foreign_key_check",
        "PRAGMA foreign_key_check(c)",
        "PRAGMA main.foreign_key_check('C')",
        "PRAGMA foreign_key_check(nope)",
        "PRAGMA temp.foreign_key_check(c)",
    ];
    ask(
        "fk_rowid",
        "CREATE TABLE c(a REFERENCES p, b REFERENCES p(id)); INSERT INTO c VALUES (1, '2'), (4, 1), (NULL, 'x'), ('3', 2.0), (2.5, NULL)",
        &all,
    );
    ask(
        "fk_text",
        "CREATE TABLE c(a REFERENCES p(t), b INTEGER REFERENCES w); INSERT INTO c VALUES ('ONE', 7), ('two', 8), (3, NULL), ('x', 'k')",
        &all,
    );
    ask(
        "fk_pair",
        "CREATE TABLE c(a, b, FOREIGN KEY(a, b) REFERENCES p(t, n)); INSERT INTO c VALUES ('ONE', '1'), ('two', 2), (NULL, 9), ('Two', 2.5)",
        &all,
    );
    ask(
        "fk_gone",
        "CREATE TABLE c(a REFERENCES gone, b REFERENCES gone(x) ON DELETE CASCADE); INSERT INTO c VALUES (1, NULL), (NULL, NULL)",
        &all,
    );
    ask("fk_wr", "CREATE TABLE c(a PRIMARY KEY REFERENCES p) WITHOUT ROWID; INSERT INTO c VALUES (1), (9)", &all);
    ask(
        "fk_self",
        "CREATE TABLE c(id INTEGER PRIMARY KEY, up REFERENCES c); INSERT INTO c VALUES (1, 1), (2, 1), (3, 5)",
        &all,
    );
    ask("fk_mismatch", "CREATE TABLE c(a REFERENCES loose(x)); INSERT INTO c VALUES (1)", &all);
    ask("fk_mismatch2", "CREATE TABLE c(a REFERENCES loose); INSERT INTO c VALUES (1)", &all);
    ask("fk_mismatch3", "CREATE TABLE c(a, b, FOREIGN KEY(a, b) REFERENCES w); INSERT INTO c VALUES (1, 2)", &all);
    ask(
        "fk_names",
        "CREATE TABLE c(rowid REFERENCES p, \"a\"\"b\" REFERENCES w); INSERT INTO c VALUES (9, 'zz')",
        &all,
    );
}
