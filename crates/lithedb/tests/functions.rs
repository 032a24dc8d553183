//! The application's functions and collations, compared with SQLite's results for the same ones.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use common::{Failure, Rows, ask_lithe, ask_sqlite};
use lithe::{Aggregate, Connection, FunctionContext, FunctionFlags, ResultCode, Value, WindowAggregate};
use rusqlite::functions::{Aggregate as SqliteAggregate, Context as SqliteContext, FunctionFlags as SqliteFlags};

const ANY: i32 = -1;

/// A function on both sides that answers `value`.
fn constant(pair: &Pair, name: &str, args: i32, flags: FunctionFlags, value: i64) {
    pair.lithe.create_scalar_function(name, args, flags, move |_| Ok(value)).unwrap();
    let flags = SqliteFlags::from_bits_retain(flags.0 as i32) | SqliteFlags::SQLITE_UTF8;
    pair.sqlite.create_scalar_function(name, args, flags, move |_| Ok(value)).unwrap();
}

struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

impl Pair {
    fn new() -> Pair {
        Pair { lithe: Connection::open_in_memory().unwrap(), sqlite: rusqlite::Connection::open_in_memory().unwrap() }
    }

    /// Runs the statements on both sides: each must have the same outcome.
    #[track_caller]
    fn check(&self, sql: &str) {
        for statement in sql.split(";;").map(str::trim).filter(|s| !s.is_empty()) {
            assert_eq!(self.by_lithe(statement), self.by_sqlite(statement), "{statement}");
        }
    }

    fn by_lithe(&self, sql: &str) -> Result<Rows, Failure> {
        ask_lithe(&self.lithe, sql, |value| value.to_string())
    }

    fn by_sqlite(&self, sql: &str) -> Result<Rows, Failure> {
        ask_sqlite(&self.sqlite, sql, |value| value.to_string())
    }
}

#[test]
fn the_number_of_arguments_chooses() {
    let pair = Pair::new();
    constant(&pair, "f", 1, FunctionFlags::default(), 1);
    constant(&pair, "f", ANY, FunctionFlags::default(), 2);
    constant(&pair, "F", 3, FunctionFlags::default(), 3);
    constant(&pair, "abs", 1, FunctionFlags::default(), 4);
    constant(&pair, "upper", 2, FunctionFlags::default(), 5);
    pair.check("SELECT f(), f(1), f(1, 2), F(1, 2, 3), abs(-7), upper('a'), upper('a', 'b')");
    for (name, args) in [("f", 1), ("abs", 1), ("lower", 1), ("nothing", 1)] {
        pair.lithe.remove_function(name, args).unwrap();
        pair.sqlite.remove_function(name, args).unwrap();
    }
    pair.check("SELECT f() ;; SELECT f(1) ;; SELECT abs(-7) ;; SELECT lower('A') ;; SELECT nothing(1)");
    pair.lithe.remove_function("f", ANY).unwrap();
    pair.sqlite.remove_function("f", ANY).unwrap();
    pair.check("SELECT f(1) ;; SELECT f(1, 2, 3)");
}

#[test]
fn the_schema_may_not_call_everything() {
    let pair = Pair::new();
    constant(&pair, "direct", 1, FunctionFlags::DIRECT_ONLY, 5);
    constant(&pair, "harmless", 1, FunctionFlags::INNOCUOUS.with(FunctionFlags::DETERMINISTIC), 6);
    constant(&pair, "pure", 1, FunctionFlags::DETERMINISTIC, 7);
    constant(&pair, "wild", 1, FunctionFlags::default(), 8);
    pair.check(
        "CREATE TABLE t(a) ;; INSERT INTO t VALUES (1) ;; SELECT DIRECT(a) FROM t
         ;; CREATE VIEW v AS SELECT DIRECT(a) FROM t ;; SELECT * FROM v
         ;; CREATE TEMP VIEW tv AS SELECT direct(a) FROM t ;; SELECT * FROM tv
         ;; CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT direct(new.a); END ;; INSERT INTO t VALUES (2)
         ;; DROP TRIGGER tr
         ;; CREATE TEMP TRIGGER tr AFTER INSERT ON t BEGIN SELECT direct(new.a); END ;; INSERT INTO t VALUES (3)
         ;; DROP TRIGGER tr
         ;; CREATE TABLE c1(a CHECK (direct(a)))
         ;; CREATE TABLE c2(a DEFAULT (direct(1))) ;; INSERT INTO c2 DEFAULT VALUES
         ;; CREATE TABLE c3(a, b AS (direct(a)))
         ;; CREATE INDEX i2 ON t(a) WHERE direct(a)
         ;; CREATE INDEX i3 ON t(wild(a)) ;; CREATE INDEX i4 ON t(pure(a))
         ;; CREATE TABLE c6(a CHECK (wild(a))) ;; INSERT INTO c6 VALUES (2)
         ;; PRAGMA trusted_schema = 0
         ;; CREATE VIEW v2 AS SELECT pure(a) FROM t ;; SELECT * FROM v2
         ;; CREATE VIEW v3 AS SELECT harmless(a), abs(a) FROM t ;; SELECT * FROM v3
         ;; INSERT INTO c6 VALUES (2) ;; SELECT * FROM c6 ;; SELECT pure(a) FROM t
         ;; CREATE TEMP VIEW tv4 AS SELECT pure(a) FROM t ;; SELECT * FROM tv4",
    );
}

#[test]
fn functions_in_use_stay() {
    let connection = Connection::open_in_memory().unwrap();
    let define = |value: i64| connection.create_scalar_function("f", 0, FunctionFlags::default(), move |_| Ok(value));
    define(1).unwrap();
    connection.create_collation("c", |a, b| a.cmp(b)).unwrap();
    let mut statement = connection.prepare("SELECT f() FROM (VALUES (1), (2))").unwrap();
    assert_eq!(statement.step().unwrap().unwrap().get::<i64>(0).unwrap(), 1);
    let busy = define(2).unwrap_err();
    assert_eq!(busy.code(), ResultCode::BUSY);
    assert_eq!(busy.message(), "unable to delete/modify user-function due to active statements");
    assert_eq!(connection.remove_function("f", 0).unwrap_err().code(), ResultCode::BUSY);
    let busy = connection.create_collation("C", |a, b| b.cmp(a)).unwrap_err();
    assert_eq!(busy.message(), "unable to delete/modify collation sequence due to active statements");
    connection.create_scalar_function("g", 0, FunctionFlags::default(), |_| Ok(3)).unwrap();
    statement.reset().unwrap();
    define(2).unwrap();
    // The statement was compiled with the old function, and is compiled again.
    assert_eq!(statement.step().unwrap().unwrap().get::<i64>(0).unwrap(), 2);
}

#[test]
fn errors_come_through() {
    let connection = Connection::open_in_memory().unwrap();
    let fail = |_: &mut FunctionContext<'_, '_>| -> lithe::Result<i64> {
        Err(lithe::Error::new(ResultCode::CONSTRAINT_CHECK, "not like this"))
    };
    connection.create_scalar_function("fail", ANY, FunctionFlags::default(), fail).unwrap();
    let error = connection.execute("SELECT fail()", []).unwrap_err();
    assert_eq!((error.code(), error.message()), (ResultCode::CONSTRAINT_CHECK, "not like this"));
    connection.create_scalar_function("big", 0, FunctionFlags::default(), |_| Ok(lithe::ZeroBlob(1 << 31))).unwrap();
    let error = connection.execute("SELECT big()", []).unwrap_err();
    assert_eq!((error.code(), error.message()), (ResultCode::TOOBIG, "string or blob too big"));
    connection.create_scalar_function("get", 1, FunctionFlags::default(), |call| call.get::<i64>(0)).unwrap();
    let error = connection.execute("SELECT get('x')", []).unwrap_err();
    assert_eq!(error.message(), "argument 0: text value, integer wanted");
}

/// An own sum(), which counts its starts.
struct Sum(Arc<AtomicI64>);

impl Aggregate for Sum {
    type State = i64;
    type Output = Option<i64>;

    fn init(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        0
    }

    fn step(&self, sum: &mut i64, row: &mut FunctionContext<'_, '_>) -> lithe::Result<()> {
        *sum += row.get::<i64>(0)?;
        Ok(())
    }

    fn finish(&self, sum: i64) -> lithe::Result<Option<i64>> {
        Ok((sum != 0).then_some(sum))
    }
}

impl WindowAggregate for Sum {
    fn inverse(&self, sum: &mut i64, row: &mut FunctionContext<'_, '_>) -> lithe::Result<()> {
        *sum -= row.get::<i64>(0)?;
        Ok(())
    }

    fn value(&self, sum: &i64) -> lithe::Result<Option<i64>> {
        self.finish(*sum)
    }
}

struct SqliteSum;

impl SqliteAggregate<i64, Option<i64>> for SqliteSum {
    fn init(&self, _: &mut SqliteContext<'_>) -> rusqlite::Result<i64> {
        Ok(0)
    }

    fn step(&self, row: &mut SqliteContext<'_>, sum: &mut i64) -> rusqlite::Result<()> {
        *sum += row.get::<i64>(0)?;
        Ok(())
    }

    fn finalize(&self, _: &mut SqliteContext<'_>, sum: Option<i64>) -> rusqlite::Result<Option<i64>> {
        Ok(sum.filter(|&sum| sum != 0))
    }
}

impl rusqlite::functions::WindowAggregate<i64, Option<i64>> for SqliteSum {
    fn value(&self, sum: Option<&mut i64>) -> rusqlite::Result<Option<i64>> {
        Ok(sum.copied().filter(|&sum| sum != 0))
    }

    fn inverse(&self, row: &mut SqliteContext<'_>, sum: &mut i64) -> rusqlite::Result<()> {
        *sum -= row.get::<i64>(0)?;
        Ok(())
    }
}

#[test]
fn aggregates_and_windows() {
    let pair = Pair::new();
    let flags = FunctionFlags::default();
    pair.lithe.create_aggregate_function("plain_sum", 1, flags, Sum(Arc::default())).unwrap();
    pair.lithe.create_window_function("my_sum", 1, flags, Sum(Arc::default())).unwrap();
    pair.sqlite.create_aggregate_function("plain_sum", 1, SqliteFlags::SQLITE_UTF8, SqliteSum).unwrap();
    pair.sqlite.create_window_function("my_sum", 1, SqliteFlags::SQLITE_UTF8, SqliteSum).unwrap();
    pair.check(
        "CREATE TABLE t(a INTEGER, g) ;; INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x'), (4, 'z'), (-4, 'z')
         ;; SELECT plain_sum(a) FROM t ;; SELECT g, my_sum(a), plain_sum(a + 1) FROM t GROUP BY g ORDER BY g
         ;; SELECT plain_sum(a) FROM t WHERE 0 ;; SELECT plain_sum(DISTINCT a % 2) FROM t WHERE a > 0
         ;; SELECT my_sum(a) FILTER (WHERE g = 'x') FROM t
         ;; SELECT a, my_sum(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t ORDER BY a
         ;; SELECT a, my_sum(a) OVER (PARTITION BY g) FROM t ORDER BY g, a
         ;; SELECT a, my_sum(a) OVER (ORDER BY a) FROM t ORDER BY a
         ;; SELECT plain_sum(a) OVER () FROM t ;; SELECT plain_sum(a, a) FROM t
         ;; SELECT my_sum(g) FROM t WHERE 0 ;; SELECT a FROM t WHERE my_sum(a) > 1",
    );
}

#[test]
fn what_is_made_of_a_constant_is_kept() {
    let connection = Connection::open_in_memory().unwrap();
    let made = Arc::new(AtomicI64::new(0));
    let counter = Arc::clone(&made);
    let function = move |call: &mut FunctionContext<'_, '_>| {
        let kept = call.auxiliary(0, |value| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(Value::from(value))
        })?;
        Ok(Value::clone(&kept))
    };
    connection.create_scalar_function("keep", 1, FunctionFlags::default(), function).unwrap();
    let check = |sql: &str, runs: usize, expected: i64| {
        made.store(0, Ordering::Relaxed);
        let mut statement = connection.prepare(sql).unwrap();
        for _ in 0..runs {
            statement.query_map([], |_| Ok(())).unwrap();
        }
        assert_eq!(made.load(Ordering::Relaxed), expected, "{sql}");
    };
    check("SELECT keep('x') FROM (VALUES (1), (2), (3))", 1, 1);
    check("SELECT keep('x') FROM (VALUES (1), (2), (3))", 2, 2);
    check("SELECT keep(column1) FROM (VALUES (1), (2), (3))", 1, 3);
}

#[test]
fn collations() {
    let pair = Pair::new();
    let by_last = |a: &str, b: &str| a.bytes().rev().cmp(b.bytes().rev());
    pair.check("SELECT 'a' COLLATE last ;; SELECT 'a' COLLATE last < 'b' ;; CREATE TABLE t(a COLLATE last)");
    pair.check("CREATE TABLE o(a) ;; INSERT INTO o VALUES (-1) ;; SELECT abs(a COLLATE last) FROM o");
    pair.lithe.create_collation("last", by_last).unwrap();
    pair.sqlite.create_collation("last", by_last).unwrap();
    pair.check(
        "CREATE TABLE t(a COLLATE last, b) ;; INSERT INTO t VALUES ('az', 1), ('by', 2), ('cx', 3), ('CX', 4)
         ;; CREATE INDEX i ON t(b COLLATE last) ;; SELECT a FROM t ORDER BY a ;; SELECT a FROM t WHERE a > 'zy'
         ;; SELECT max(a), min(a), min(a, 'ab') FROM t ;; SELECT DISTINCT a FROM t ORDER BY a
         ;; CREATE UNIQUE INDEX u ON t(a) ;; INSERT INTO t VALUES ('az', 5) ;; PRAGMA integrity_check",
    );
    pair.lithe.remove_collation("last").unwrap();
    pair.sqlite.remove_collation("last").unwrap();
    pair.check(
        "SELECT a FROM t WHERE b = 1 ;; SELECT a FROM t ORDER BY a ;; INSERT INTO t VALUES ('q', 6)
         ;; SELECT nullif(b COLLATE last, 1) FROM t",
    );
}

#[test]
fn collations_are_asked_for() {
    let connection = Connection::open_in_memory().unwrap();
    let asked = Arc::new(AtomicI64::new(0));
    let counter = Arc::clone(&asked);
    connection.set_collation_needed(Some(move |name: &str| {
        counter.fetch_add(1, Ordering::Relaxed);
        name.eq_ignore_ascii_case("known").then_some(|a: &str, b: &str| b.cmp(a))
    }));
    let first = |sql: &str| connection.query_row(sql, [], |row| row.get::<String>(0));
    assert_eq!(first("SELECT column1 FROM (VALUES ('a'), ('b')) ORDER BY column1 COLLATE KNOWN").unwrap(), "b");
    assert_eq!(first("SELECT column1 FROM (VALUES ('a'), ('b')) ORDER BY column1 COLLATE known").unwrap(), "b");
    let error = first("SELECT 'a' WHERE 'a' < 'b' COLLATE unknown").unwrap_err();
    assert_eq!(error.message(), "no such collation sequence: unknown");
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[test]
fn bound_values_are_shown_in_the_text() {
    let connection = Connection::open_in_memory().unwrap();
    let mut statement = connection.prepare("SELECT ?, ?3, :a, '?', \"?\" /* ? */, ?2, ?9 -- ?").unwrap();
    statement.bind(1, 0.1 + 0.2).unwrap();
    statement.bind(2, "it's").unwrap();
    statement.bind(3, &[1_u8, 0xab][..]).unwrap();
    statement.bind_named(":a", lithe::ZeroBlob(7)).unwrap();
    let expected = "SELECT 0.3, x'01ab', zeroblob(7), '?', \"?\" /* ? */, 'it''s', NULL -- ?";
    assert_eq!(statement.expanded_sql(), expected);
}
