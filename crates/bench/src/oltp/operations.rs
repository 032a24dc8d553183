//! The operations: typical work of embedded applications on a few tables, in an order in which each finds the data it needs.

use fastrand::Rng;

use crate::content::text;

/// A parameter of a statement.
#[derive(Clone, Debug)]
pub enum Value {
    /// INTEGER.
    Integer(i64),
    /// TEXT.
    Text(String),
}

/// The operations of one chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// INSERT, UPDATE, DELETE, REPLACE.
    Change,
    /// SELECT.
    Query,
    /// Operations on a whole table or database: indexes, VACUUM, checks.
    Whole,
}

/// The parameters of one run of the statement; `n` is the number of rows of a table, `i` the number of the run.
type Parameters = fn(&mut Rng, n: i64, i: i64) -> Vec<Value>;

/// One operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The name in output.
    pub label: &'static str,
    /// Its chart.
    pub group: Group,
    /// SQL that runs first, not timed.
    pub before: &'static str,
    /// The timed SQL.
    pub sql: &'static str,
    /// The number of runs is `n / divisor`, where `n` is the number of rows of a table; with 0, one run.
    pub divisor: usize,
    /// The parameters of a run.
    pub parameters: Parameters,
    /// Whether all runs are in one transaction.
    pub in_transaction: bool,
}

const fn many(
    group: Group,
    label: &'static str,
    divisor: usize,
    sql: &'static str,
    parameters: Parameters,
) -> Operation {
    Operation { label, group, before: "", sql, divisor, parameters, in_transaction: true }
}

const fn once(group: Group, label: &'static str, sql: &'static str) -> Operation {
    Operation { label, group, before: "", sql, divisor: 0, parameters: nothing, in_transaction: false }
}

impl Operation {
    const fn after(self, before: &'static str) -> Operation {
        Operation { before, ..self }
    }
}

use Group::{Change, Query, Whole};
use Value::{Integer, Text};

/// The number of rows in a range.
const RANGE: i64 = 20;

/// All operations, in order.
pub const OPERATIONS: &[Operation] = &[
    many(Change, "INSERT, no index", 1, "INSERT INTO plain VALUES (?1, ?2, ?3)", row)
        .after("CREATE TABLE plain(a INTEGER, b INTEGER, c TEXT)"),
    many(Change, "INSERT, ascending keys", 1, "INSERT INTO keyed VALUES (?1, ?2, ?3)", row)
        .after("CREATE TABLE keyed(a INTEGER PRIMARY KEY, b INTEGER, c TEXT)"),
    many(Change, "INSERT, random keys, two indexes", 1, "INSERT OR IGNORE INTO indexed VALUES (?2, ?1, ?3)", row)
        .after("CREATE TABLE indexed(a INTEGER UNIQUE, b INTEGER, c TEXT); CREATE INDEX indexed_c ON indexed(c)"),
    once(Change, "INSERT … SELECT", "INSERT INTO copied SELECT b, a, c FROM keyed")
        .after("CREATE TABLE copied(a INTEGER, b INTEGER, c TEXT)"),
    once(Change, "INSERT … SELECT into text keys", "INSERT OR IGNORE INTO named SELECT c, a FROM keyed ORDER BY c")
        .after("CREATE TABLE named(name TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID"),
    many(Query, "SELECT by integer key", 1, "SELECT b, c FROM keyed WHERE a = ?1", key),
    many(
        Query,
        "SELECT range of keys",
        5,
        "SELECT count(*), avg(b), sum(length(c)) FROM keyed WHERE a BETWEEN ?1 AND ?2",
        range,
    ),
    many(
        Query,
        "SELECT range, no index",
        2500,
        "SELECT count(*), avg(a), sum(length(c)) FROM plain WHERE b BETWEEN ?1 AND ?2",
        range,
    ),
    many(Query, "LIKE scan", 5000, "SELECT count(*), avg(b) FROM plain WHERE c LIKE ?1", pattern),
    once(
        Whole,
        "CREATE INDEX on integers and text",
        "CREATE INDEX plain_b ON plain(b); CREATE INDEX plain_c ON plain(c)",
    ),
    many(
        Query,
        "SELECT range of an index",
        5,
        "SELECT count(*), avg(a), sum(length(c)) FROM plain WHERE b BETWEEN ?1 AND ?2",
        range,
    ),
    many(Query, "SELECT range of an index of text", 5, "SELECT c FROM plain WHERE c >= ?1 ORDER BY c LIMIT 10", word),
    once(Query, "ORDER BY without index", "SELECT a, c FROM keyed ORDER BY b, a"),
    once(Query, "ORDER BY text, LIMIT 10", "SELECT a, c FROM keyed ORDER BY c, a LIMIT 10"),
    once(Query, "GROUP BY", "SELECT b % 100, count(*), sum(a), max(c) FROM keyed GROUP BY b % 100 ORDER BY 1"),
    once(Query, "DISTINCT", "SELECT DISTINCT b % 1000 FROM plain ORDER BY 1"),
    once(Query, "count(*)", "SELECT count(*) FROM keyed"),
    once(
        Query,
        "aggregates of a scan",
        "SELECT sum(a), avg(b), min(c), max(c), total(length(c)) FROM keyed WHERE b % 3 <> 0",
    ),
    once(
        Query,
        "expressions",
        "SELECT sum(CASE WHEN b % 2 THEN abs(a - b) ELSE length(upper(substr(c, 2, 9))) END) FROM keyed",
    ),
    once(
        Query,
        "join of three tables",
        "SELECT count(*), sum(k.b) FROM plain p JOIN keyed k ON k.a = p.a JOIN indexed i ON i.a = p.b WHERE p.b % 2 = 0",
    ),
    once(
        Query,
        "join without index",
        "SELECT count(*), sum(x.a) FROM copied x JOIN copied y ON y.a = x.b WHERE x.a % 4 = 0",
    ),
    many(
        Query,
        "correlated subquery",
        5,
        "SELECT a, (SELECT max(c) FROM plain WHERE plain.b = keyed.b) FROM keyed WHERE a = ?1",
        key,
    ),
    once(Query, "IN (SELECT …)", "SELECT count(*) FROM keyed WHERE b IN (SELECT a FROM indexed WHERE c > 'm')"),
    once(
        Query,
        "UNION and EXCEPT",
        "SELECT count(*) FROM (SELECT a FROM plain UNION SELECT b FROM keyed EXCEPT SELECT a FROM indexed)",
    ),
    once(
        Query,
        "window function",
        "SELECT sum(r) FROM (SELECT rank() OVER (PARTITION BY b % 50 ORDER BY c) AS r FROM keyed)",
    ),
    once(
        Query,
        "recursive query",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT sum(i) FROM n",
    ),
    many(Change, "UPDATE by integer key", 1, "UPDATE keyed SET b = b + 1 WHERE a = ?1", key),
    many(Change, "UPDATE of an indexed column", 5, "UPDATE plain SET b = b + 1 WHERE b = ?1", key),
    once(Change, "UPDATE of all rows", "UPDATE copied SET a = a + 1, c = c || 'x'"),
    many(Change, "REPLACE", 2, "REPLACE INTO indexed VALUES (?2, ?1, ?3)", row),
    many(
        Change,
        "INSERT … ON CONFLICT DO UPDATE",
        2,
        "INSERT INTO keyed VALUES (?1, ?2, ?3) ON CONFLICT(a) DO UPDATE SET b = b + excluded.b",
        row,
    ),
    many(Change, "DELETE by integer key", 5, "DELETE FROM keyed WHERE a = ?1", key),
    many(Change, "DELETE range of an index", 100, "DELETE FROM plain WHERE b BETWEEN ?1 AND ?2", range),
    once(Change, "DELETE of all rows", "DELETE FROM copied"),
    once(
        Whole,
        "ALTER TABLE ADD COLUMN, and reading it",
        "ALTER TABLE keyed ADD COLUMN d DEFAULT 7; SELECT sum(d) FROM keyed",
    ),
    once(Whole, "ANALYZE", "ANALYZE"),
    once(Whole, "VACUUM", "VACUUM"),
    once(Whole, "integrity_check", "PRAGMA integrity_check"),
    once(Whole, "DROP TABLE", "DROP TABLE plain; DROP TABLE indexed"),
];

fn nothing(_: &mut Rng, _: i64, _: i64) -> Vec<Value> {
    Vec::new()
}

fn row(rng: &mut Rng, n: i64, i: i64) -> Vec<Value> {
    let words = 1 + rng.usize(0..4);
    let name: Vec<String> = (0..words).map(|_| text(rng, 8).to_lowercase()).collect();
    vec![Integer(i + 1), Integer(rng.i64(1..=n)), Text(name.join(" "))]
}

fn key(rng: &mut Rng, n: i64, _: i64) -> Vec<Value> {
    vec![Integer(rng.i64(1..=n))]
}

fn range(rng: &mut Rng, n: i64, _: i64) -> Vec<Value> {
    let first = rng.i64(1..=n);
    vec![Integer(first), Integer(first + RANGE)]
}

fn pattern(rng: &mut Rng, _: i64, _: i64) -> Vec<Value> {
    vec![Text(format!("%{}%", text(rng, 2)))]
}

fn word(rng: &mut Rng, _: i64, _: i64) -> Vec<Value> {
    vec![Text(text(rng, 3).to_lowercase())]
}
