//! The curves: the growing quantity, and the operation at each size.

use std::fmt::Write;

/// One curve.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Its name in ids.
    pub id: &'static str,
    /// A headline.
    pub title: &'static str,
    /// The meaning of the sizes.
    pub along: &'static str,
    /// The sizes, ascending.
    pub sizes: &'static [usize],
    /// The script that makes the database, not timed.
    pub setup: fn(usize) -> String,
    /// The timed operation.
    pub timed: Timed,
    /// The script that undoes it, not timed.
    pub undo: &'static str,
}

/// The timed operation at one size.
#[derive(Clone, Copy, Debug)]
pub enum Timed {
    /// A script: its text, and the number of its operations.
    Script(fn(usize) -> String, fn(usize) -> usize),
    /// Opening a connection, and the first row of a query.
    Open(&'static str),
    /// Compiling a statement that many times.
    Prepare(fn(usize) -> String, usize),
    /// A prepared statement, run that many times in one transaction; `?1` is a different number up to the size in each run.
    Run(fn(usize) -> String, usize),
}

use Timed::{Open, Prepare, Run, Script};

/// The number of tables created for a sample of the first curve.
const TABLES_MADE: usize = 20;

/// All curves.
pub const CURVES: &[Curve] = &[
    Curve {
        id: "schema-create",
        title: "CREATE TABLE and CREATE INDEX in a schema of many tables",
        along: "tables",
        sizes: &[10, 100, 1000, 10_000],
        setup: schema,
        timed: Script(create_tables, |_| 2 * TABLES_MADE),
        undo: "ROLLBACK",
    },
    Curve {
        id: "schema-open",
        title: "Opening a database of many tables, and the first query",
        along: "tables",
        sizes: &[10, 100, 1000, 10_000],
        setup: schema,
        timed: Open("SELECT count(*) FROM t1"),
        undo: "",
    },
    Curve {
        id: "join-prepare",
        title: "Compiling a chain of joins",
        along: "tables in the join",
        sizes: &[1, 2, 4, 8, 16, 32, 64],
        setup: |_| schema(64),
        timed: Prepare(chain, 5),
        undo: "",
    },
    Curve {
        id: "columns-last",
        title: "The last column of 200 rows",
        along: "columns",
        sizes: &[1, 10, 100, 1000, 2000],
        setup: wide,
        timed: Run(|n| format!("SELECT c{} FROM wide", n - 1), 10),
        undo: "",
    },
    Curve {
        id: "columns-insert",
        title: "INSERT of one row of many columns, prepared",
        along: "columns",
        sizes: &[1, 10, 100, 1000, 2000],
        setup: wide,
        timed: Run(insert_wide, 50),
        undo: "DELETE FROM wide WHERE rowid > 200",
    },
    Curve {
        id: "in-list",
        title: "SELECT with a list of numbers in IN, compiled and run",
        along: "numbers",
        sizes: &[1, 10, 100, 1000, 10_000],
        setup: |_| rows(20_000),
        timed: Script(|n| format!("SELECT count(*) FROM t WHERE id IN ({})", list(n)), |_| 1),
        undo: "",
    },
    Curve {
        id: "or-list",
        title: "SELECT with comparisons joined by OR, compiled and run",
        along: "comparisons",
        sizes: &[1, 10, 100, 900],
        setup: |_| rows(1000),
        timed: Script(
            |n| format!("SELECT count(*) FROM t WHERE {}", repeated(n, " OR ", |i| format!("k = {i}"))),
            |_| 1,
        ),
        undo: "",
    },
    Curve {
        id: "values",
        title: "INSERT of many rows of VALUES, compiled and run",
        along: "rows",
        sizes: &[1, 10, 100, 1000, 10_000],
        setup: |_| rows(10),
        timed: Script(insert_values, |n| n),
        undo: "ROLLBACK",
    },
    Curve {
        id: "rows-scan",
        title: "A sum over all rows, a row",
        along: "rows",
        sizes: &[1000, 10_000, 100_000, 1_000_000],
        setup: rows,
        timed: Script(|_| "SELECT sum(k) FROM t".to_owned(), |n| n),
        undo: "",
    },
    Curve {
        id: "rows-lookup",
        title: "A row by its rowid",
        along: "rows",
        sizes: &[1000, 10_000, 100_000, 1_000_000],
        setup: rows,
        timed: Run(|_| "SELECT s FROM t WHERE id = ?1".to_owned(), 1000),
        undo: "",
    },
    Curve {
        id: "rows-index",
        title: "Rows by an index",
        along: "rows",
        sizes: &[1000, 10_000, 100_000, 1_000_000],
        setup: |n| rows(n) + "CREATE INDEX t_s ON t(s);",
        timed: Run(|_| "SELECT id FROM t WHERE s = 'text ' || ?1".to_owned(), 1000),
        undo: "",
    },
    Curve {
        id: "rows-sort",
        title: "Sorting all rows by a text, a row",
        along: "rows",
        sizes: &[1000, 10_000, 100_000, 1_000_000],
        setup: rows,
        timed: Script(|_| "SELECT id FROM t ORDER BY s".to_owned(), |n| n),
        undo: "",
    },
    Curve {
        id: "rows-group",
        title: "Grouping all rows, a row",
        along: "rows",
        sizes: &[1000, 10_000, 100_000, 1_000_000],
        setup: rows,
        timed: Script(|_| "SELECT k, count(*) FROM t GROUP BY k".to_owned(), |n| n),
        undo: "",
    },
    Curve {
        id: "transaction",
        title: "A transaction of many INSERTs, a row",
        along: "rows",
        sizes: &[10, 100, 1000, 10_000, 100_000],
        setup: |_| rows(10),
        timed: Script(insert_many, |n| n),
        undo: "DELETE FROM t WHERE id > 10",
    },
    Curve {
        id: "log",
        title: "A row by its rowid, beside a long log",
        along: "frames in the log",
        sizes: &[10, 100, 1000, 10_000],
        setup: log,
        timed: Run(|_| "SELECT s FROM t WHERE id = ?1".to_owned(), 1000),
        undo: "",
    },
    Curve {
        id: "savepoints",
        title: "Nested savepoints with an INSERT each, a savepoint",
        along: "savepoints",
        sizes: &[1, 10, 100, 1000],
        setup: |_| rows(1000),
        timed: Script(savepoints, |n| n),
        undo: "ROLLBACK",
    },
];

fn repeated(n: usize, between: &str, one: impl Fn(usize) -> String) -> String {
    (1..=n).map(one).collect::<Vec<_>>().join(between)
}

fn list(n: usize) -> String {
    repeated(n, ",", |i| (i * 7).to_string())
}

/// `n` tables with an index each.
fn schema(n: usize) -> String {
    let mut sql = String::from("PRAGMA synchronous=OFF; BEGIN;");
    for i in 1..=n {
        let _ = write!(sql, "CREATE TABLE t{i}(a INTEGER PRIMARY KEY, b TEXT, c INT REFERENCES t1(a));");
        let _ = write!(sql, "CREATE INDEX t{i}_b ON t{i}(b);");
    }
    sql + "COMMIT;"
}

fn create_tables(_: usize) -> String {
    let one = |i| format!("CREATE TABLE new{i}(a INTEGER PRIMARY KEY, b, c); CREATE INDEX new{i}_b ON new{i}(b)");
    format!("BEGIN; {}", repeated(TABLES_MADE, "; ", one))
}

/// Each table joined to the one before it.
fn chain(n: usize) -> String {
    let mut sql = String::from("SELECT t1.b FROM t1");
    for i in 2..=n {
        let _ = write!(sql, " JOIN t{i} ON t{i}.a = t{}.c", i - 1);
    }
    sql
}

fn wide(n: usize) -> String {
    format!(
        "CREATE TABLE wide({}); BEGIN; {}; COMMIT",
        repeated(n, ", ", |i| format!("c{}", i - 1)),
        repeated(200, "; ", |_| insert_wide(n))
    )
}

fn insert_wide(n: usize) -> String {
    format!("INSERT INTO wide VALUES ({})", repeated(n, ",", |i| (i % 1000).to_string()))
}

/// A table of `n` rows: `k` has a hundred values, `s` a different text in each row.
fn rows(n: usize) -> String {
    format!(
        "PRAGMA synchronous=OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, k INT, s TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
         WHERE i < {n}) INSERT INTO t SELECT i, i * 7919 % 100, 'text ' || (i * 7919 % 1000003) FROM n;"
    )
}

fn insert_values(n: usize) -> String {
    format!("BEGIN; INSERT INTO t(k, s) VALUES {}", repeated(n, ",", |i| format!("({i},'text {i}')")))
}

fn insert_many(n: usize) -> String {
    format!("BEGIN; {}; COMMIT", repeated(n, "; ", |i| format!("INSERT INTO t(k, s) VALUES ({i}, 'text {i}')")))
}

/// A table with its pages in the log: `frames` updates make several versions of each page.
fn log(frames: usize) -> String {
    let sql = rows(20_000);
    let changes = repeated(frames, "; ", |i| format!("UPDATE t SET k = k + 1 WHERE id = {}", 1 + i * 7919 % 20_000));
    format!("{sql} PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; {changes}")
}

fn savepoints(n: usize) -> String {
    format!("BEGIN; {}", repeated(n, "; ", |i| format!("SAVEPOINT s{i}; INSERT INTO t(k, s) VALUES ({i}, 'x')")))
}
