//! The oracle: random schemas, data and statements run on Lithe and on SQLite, and every answer must be the same:
//! rows, values to the last bit, result codes, changes and last rowids.
//!
//! One *world* is a seed: a fresh pair of databases in memory and a few hundred statements. `ORACLE_WORLDS` says how many are
//! run, `ORACLE_SEED` runs one alone (and prints its statements). A difference ends the run with the world's statements so far,
//! shortened as far as the difference stays.

mod expr;
mod pair;
mod query;
mod schema;
mod shrink;
mod write;

use fastrand::Rng;

use pair::{Difference, Pair};
use schema::Schema;

/// Statements a world.
const STATEMENTS: usize = 400;

#[test]
#[ignore = "finds differences that are being worked on: see docs/PLAN.md"]
fn random_statements_have_the_same_answers() {
    if let Some(seed) = number("ORACLE_SEED") {
        let statements = statements_of(seed);
        statements.iter().for_each(|sql| println!("{sql};"));
        return check_world(seed).unwrap_or_else(|report| panic!("{report}"));
    }
    let worlds = number("ORACLE_WORLDS").unwrap_or(if cfg!(debug_assertions) { 260 } else { 1000 });
    let first = number("ORACLE_FIRST").unwrap_or(0);
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let reports: Vec<String> = std::thread::scope(|scope| {
        let run = |worker| {
            move || (first + worker..first + worlds).step_by(workers as usize).find_map(|w| check_world(w).err())
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(run(worker))).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(reports.is_empty(), "{}", reports.join("\n\n"));
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The statements of a world: a function of its seed alone.
fn statements_of(seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed);
    let mut schema = Schema::default();
    let mut statements = Vec::with_capacity(STATEMENTS);
    for _ in 0..rng.usize(1..4) {
        statements.push(schema.create_table(&mut rng));
    }
    while statements.len() < STATEMENTS {
        statements.push(next_statement(&mut rng, &mut schema));
    }
    statements
}

fn next_statement(rng: &mut Rng, schema: &mut Schema) -> String {
    match rng.u32(0..100) {
        0..2 if schema.tables.len() < 6 => schema.create_table(rng),
        2..5 => schema.create_index(rng),
        5..6 => schema.create_view(rng),
        6..7 => schema.drop_something(rng),
        7..32 => write::insert(rng, schema),
        32..40 => write::update(rng, schema),
        40..45 => write::delete(rng, schema),
        45..50 => write::transaction_control(rng),
        _ => query::select(rng, schema),
    }
}

fn check_world(seed: u64) -> Result<(), String> {
    let statements = statements_of(seed);
    match run(&statements) {
        Ok(()) => Ok(()),
        Err(found) => Err(report(seed, &statements[..=found.at], &found)),
    }
}

/// Where two engines differ first.
struct Found {
    at: usize,
    difference: Difference,
}

fn run(statements: &[String]) -> Result<(), Found> {
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        pair.run(sql).map_err(|difference| Found { at, difference })?;
    }
    Ok(())
}

fn report(seed: u64, statements: &[String], found: &Found) -> String {
    let shortest =
        shrink::shortest(statements, |candidate| run(candidate).is_err_and(|again| again.at + 1 == candidate.len()));
    let script: String = shortest.iter().map(|sql| format!("{sql};\n")).collect();
    let difference = run(&shortest).err().map_or(found.difference.clone(), |found| found.difference);
    format!("world {seed}: {difference}\n{script}")
}
