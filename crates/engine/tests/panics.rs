//! A panic in the middle of a transaction: the transaction is rolled back, and other connections continue while the
//! broken connection still exists.
//!
//! In every journal mode, with private caches and with a shared one, each call on a file during a transaction panics
//! once; so does user code in the middle of a statement.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lithe_engine::function::{self, Arity, Context, Flags, Function, Kind, ScalarFunction};
use lithe_engine::value::{Value, ValueRef};
use lithe_engine::{Connection, Error, OpenFlags, ResultCode, Step};
use lithe_vfs::{Fault, Sim};

const JOURNAL_MODES: [&str; 5] = ["DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY"];

/// Spills, overflows, an index, pages to and from the freelist.
const TRANSACTION: [&str; 5] = [
    "BEGIN",
    "INSERT INTO t SELECT a + 100, b || 'x', zeroblob(3000) FROM t WHERE a < 30",
    "DELETE FROM t WHERE a BETWEEN 10 AND 40",
    "UPDATE t SET b = 'changed ' || a, c = NULL WHERE a % 3 = 0",
    "COMMIT",
];

/// How both connections are opened.
#[derive(Clone, Copy, Debug)]
struct World {
    journal_mode: &'static str,
    shared_cache: bool,
    exclusive: bool,
    /// Part of the name of the database, by which shared caches are found.
    number: u32,
}

impl World {
    fn new(journal_mode: &'static str, shared_cache: bool, exclusive: bool) -> World {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        World { journal_mode, shared_cache, exclusive, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }
}

/// A function that panics in the middle of an UPDATE.
struct Panics;

impl ScalarFunction for Panics {
    fn call(&self, context: &mut Context<'_>, args: &[ValueRef<'_>]) -> function::Result {
        assert!(!matches!(args, [ValueRef::Integer(20)]), "a bug of the application");
        context.answer(ValueRef::Null)
    }
}

fn open(sim: &Sim, world: World) -> Connection {
    let flags = if world.shared_cache { OpenFlags::DEFAULT | OpenFlags::SHAREDCACHE } else { OpenFlags::DEFAULT };
    let connection =
        Connection::open_with_vfs(format!("/data/panics{}.db", world.number).as_bytes(), flags, Some(sim.vfs()))
            .expect("opening");
    connection.set_busy_timeout(Duration::ZERO);
    connection
}

fn run(connection: &Connection, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    let mut statement = connection.prepare(sql.as_bytes())?.statement.expect("a statement");
    let mut rows = Vec::new();
    let result = loop {
        match statement.step(connection) {
            Ok(Step::Row) => {
                rows.push((0..statement.column_count()).map(|i| Value::from(statement.value(i))).collect())
            }
            Ok(Step::Done) => break Ok(rows),
            Err(error) => break Err(error),
        }
    };
    let ended = statement.reset(connection);
    result.and_then(|rows| ended.map(|()| rows))
}

fn must(connection: &Connection, sql: &str, context: &str) -> Vec<Vec<Value>> {
    run(connection, sql).unwrap_or_else(|error| panic!("{context}: {sql}: {error}"))
}

fn prepare(sim: &Sim, world: World) -> Connection {
    let connection = open(sim, world);
    for sql in [
        "PRAGMA page_size = 1024",
        &format!("PRAGMA journal_mode = {}", world.journal_mode),
        "PRAGMA cache_size = 10",
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60)
            INSERT INTO t SELECT i, 'row ' || i, zeroblob(i * 20) FROM n",
    ] {
        must(&connection, sql, "preparing");
    }
    connection
}

fn content(connection: &Connection, context: &str) -> Vec<Vec<Value>> {
    must(connection, "SELECT a, b, length(c) FROM t ORDER BY a", context)
}

/// Checks what another connection reads and writes while the connection that panicked is still open, and afterwards.
fn check_others(sim: &Sim, world: World, broken: Connection, allowed: &[&[Vec<Value>]], context: &str) {
    let error = run(&broken, "SELECT 1").expect_err("it can only be closed");
    assert_eq!(error.code(), ResultCode::INTERNAL, "{context}");
    assert!(error.message().contains("must be closed"), "{context}: {error}");
    let other = open(sim, world);
    let now = content(&other, context);
    assert!(allowed.contains(&&*now), "{context}: neither before nor after");
    assert_eq!(must(&other, "PRAGMA integrity_check", context), [[Value::text(b"ok".as_slice())]], "{context}");
    must(&other, "INSERT INTO t(b) VALUES ('of another')", context);
    must(&other, "PRAGMA wal_checkpoint(TRUNCATE)", context);
    let now = content(&other, context);
    drop(broken);
    assert_eq!(content(&other, context), now, "{context}: closing changes nothing");
    must(&other, "UPDATE t SET c = 1", context);
    drop(other);
    assert_eq!(
        must(&open(sim, world), "PRAGMA integrity_check", context),
        [[Value::text(b"ok".as_slice())]],
        "{context}"
    );
}

/// Runs the transaction with its `n`-th call panicking. Returns whether the panic occurred.
fn check_call(world: World, n: u64) -> bool {
    let context = format!("{world:?}, call {n}");
    let sim = Sim::new(7);
    let connection = prepare(&sim, world);
    let reader = open(&sim, world);
    let before = content(&reader, &context);
    if world.exclusive {
        drop(reader);
        must(&connection, "PRAGMA locking_mode = EXCLUSIVE", &context);
    }
    sim.fail_at(n, Fault::Panic);
    let ran = catch_unwind(AssertUnwindSafe(|| {
        TRANSACTION.iter().try_for_each(|sql| run(&connection, sql).map(drop)).unwrap_or_else(|e| panic!("{e}"));
    }));
    sim.fail_no_more();
    if ran.is_ok() {
        return false;
    }
    connection.abandon();
    let after = {
        let (sim, world) = (Sim::new(7), World::new(world.journal_mode, false, false));
        let connection = prepare(&sim, world);
        TRANSACTION.iter().for_each(|sql| drop(must(&connection, sql, "the model")));
        content(&connection, "the model")
    };
    check_others(&sim, world, connection, &[&before, &after], &context);
    true
}

fn check_calls(shared_cache: bool, exclusive: bool) {
    for journal_mode in JOURNAL_MODES {
        let world = || World::new(journal_mode, shared_cache, exclusive);
        let reached = (1..).take_while(|n| check_call(world(), *n)).count();
        assert!(reached > 15, "{:?}: only {reached} calls panicked", world());
    }
}

#[test]
fn in_a_call_on_a_file() {
    check_calls(false, false);
}

#[test]
fn in_a_call_on_a_file_with_a_shared_cache() {
    check_calls(true, false);
}

#[test]
fn in_a_call_on_a_file_that_is_locked_for_good() {
    check_calls(false, true);
}

/// A panic in user code in the middle of a statement that writes: neither the statement's changes nor the transaction's
/// are kept.
#[test]
fn in_user_code() {
    for journal_mode in JOURNAL_MODES {
        for (shared_cache, begin) in [(false, "BEGIN"), (false, "SELECT 1"), (true, "BEGIN"), (true, "SELECT 1")] {
            let world = World::new(journal_mode, shared_cache, false);
            let context = format!("{world:?}, {begin}");
            let sim = Sim::new(7);
            let connection = prepare(&sim, world);
            let before = content(&connection, &context);
            let kind = Kind::CustomScalar(Arc::new(Panics));
            connection.create_function(Function::custom("panics", Arity::Exactly(1), Flags::default(), kind)).unwrap();
            must(&connection, begin, &context);
            let ran = catch_unwind(AssertUnwindSafe(|| run(&connection, "UPDATE t SET c = panics(a)")));
            assert!(ran.is_err(), "{context}");
            check_others(&sim, world, connection, &[&before], &context);
        }
    }
}
