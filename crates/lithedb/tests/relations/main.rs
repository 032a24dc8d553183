//! Relations that need no oracle: two forms of a query that must have the same rows. A predicate is split into true, false and null; a
//! query runs without its indexes, with `+` before each column, as a view, a common table expression, a subquery, as a value; sorted with
//! an index and without; counted; UPDATE and DELETE change the rows that SELECT finds; joins are written in another order, and outer joins
//! composed from inner ones.
//!
//! A seed makes tables and some relations. `RELATIONS_WORLDS` sets the number of seeds from `RELATIONS_FIRST` on, `RELATIONS_SEED` runs a
//! single one, `RELATIONS_MOST` sets the number of failing seeds after which a thread stops. A failure is printed with the fewest
//! statements that it needs, and with SQLite's answer.

#![allow(dead_code, reason = "of the oracle's modules a part is used")]

#[path = "../oracle/call.rs"]
mod call;
#[path = "../oracle/catalog.rs"]
mod catalog;
#[path = "../common/mod.rs"]
mod common;
#[path = "../oracle/conditions.rs"]
mod conditions;
#[path = "../oracle/expr.rs"]
mod expr;
#[path = "../oracle/from.rs"]
mod from;
#[path = "../oracle/json.rs"]
mod json;
#[path = "../oracle/predicate.rs"]
mod predicate;
#[path = "../oracle/query.rs"]
mod query;
mod relation;
#[path = "../oracle/schema.rs"]
mod schema;
#[path = "../oracle/shrink.rs"]
mod shrink;
#[path = "../oracle/window.rs"]
mod window;
#[path = "../oracle/with.rs"]
mod with;
mod world;

use common::{Failure, Rows, ask_lithe, ask_sqlite, exactly};
use fastrand::Rng;
use relation::Relation;
use world::World;

/// The number of relations of a world.
const RELATIONS: usize = 60;

#[test]
fn two_ways_to_ask_have_one_answer() {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("RELATIONS_SEED") {
        return check_world(seed).unwrap_or_else(|report| panic!("{report}"));
    }
    let (worlds, first) = (number("RELATIONS_WORLDS").unwrap_or(4_000), number("RELATIONS_FIRST").unwrap_or(0));
    let most = number("RELATIONS_MOST").unwrap_or(1) as usize;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let reports: Vec<String> = std::thread::scope(|scope| {
        let run = |worker| {
            let seeds = (first + worker..first + worlds).step_by(workers as usize);
            move || seeds.filter_map(|seed| check_world(seed).err()).take(most).collect::<Vec<String>>()
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(run(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(reports.is_empty(), "{} worlds fail\n{}", reports.len(), reports.join("\n\n"));
}

fn check_world(seed: u64) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let world = World::random(&mut rng);
    let connection = lithe(&world.script);
    for _ in 0..RELATIONS {
        let relation = relation::random(&mut rng, &world);
        if !holds(&connection, &relation) {
            let fails = |script: &[String]| !holds(&lithe(script), &relation);
            let script = if fails(&world.script) { shrink::shortest(&world.script, fails) } else { world.script };
            return Err(report(seed, &script, &relation));
        }
    }
    Ok(())
}

/// A database in memory, after the script.
fn lithe(script: &[String]) -> lithe::Connection {
    let connection = lithe::Connection::open_in_memory().expect("Lithe opens a database in memory");
    for sql in script {
        // A statement that fails creates no object.
        let _ = connection.execute(sql, []);
    }
    connection
}

/// Whether both sides have the same rows. If one side fails, the relation holds, unless the error is unexpected.
fn holds(connection: &lithe::Connection, relation: &Relation) -> bool {
    let ask = |sql: &str| {
        let rows = std::panic::AssertUnwindSafe(|| ask_lithe(connection, sql, exactly));
        std::panic::catch_unwind(rows).unwrap_or_else(|_| Err((lithe::ResultCode::INTERNAL.0, "panic".to_owned())))
    };
    let (left, right) = (side(&relation.left, ask, relation), side(&relation.right, ask, relation));
    match (left, right) {
        (Ok(left), Ok(right)) => left == right,
        // Overflow and malformed JSON depend on the rows that are read, and a key may exist already.
        (Err((code, _)), _) | (_, Err((code, _))) => {
            [lithe::ResultCode::ERROR, lithe::ResultCode::CONSTRAINT].iter().any(|known| known.0 == code & 0xff)
        }
    }
}

/// The rows of all statements of one side.
fn side(
    statements: &[String],
    mut ask: impl FnMut(&str) -> Result<Rows, Failure>,
    relation: &Relation,
) -> Result<Rows, Failure> {
    let mut rows = Rows::new();
    let mut failure = None;
    for sql in statements {
        match ask(sql) {
            Ok(more) => rows.extend(more),
            // The later statements end the transaction.
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    if !relation.is_ordered {
        rows.sort();
    }
    failure.map_or(Ok(rows), Err)
}

fn report(seed: u64, script: &[String], relation: &Relation) -> String {
    let (ours, theirs) =
        (lithe(script), rusqlite::Connection::open_in_memory().expect("SQLite opens a database in memory"));
    script.iter().for_each(|sql| drop(theirs.execute_batch(sql)));
    let mut report = format!("seed {seed}:\n");
    script.iter().for_each(|sql| report.push_str(&format!("{sql};\n")));
    for (name, statements) in [("left", &relation.left), ("right", &relation.right)] {
        report.push_str(&format!("-- {name}\n"));
        statements.iter().for_each(|sql| report.push_str(&format!("{sql};\n")));
        let lithe = side(statements, |sql| ask_lithe(&ours, sql, exactly), relation);
        let sqlite = side(statements, |sql| ask_sqlite(&theirs, sql, exactly), relation);
        report.push_str(&format!("    Lithe:  {}\n    SQLite: {}\n", shown(&lithe), shown(&sqlite)));
    }
    report
}

fn shown(answer: &Result<Rows, Failure>) -> String {
    match answer {
        Ok(rows) => rows.iter().map(|row| format!("({})", row.join(", "))).collect::<Vec<_>>().join(" "),
        Err((code, message)) => format!("{code} {message}"),
    }
}
