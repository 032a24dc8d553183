//! The oracle: random schemas, data and statements run on Lithe and on SQLite, and every answer must be equal: rows, values to the last
//! bit, result codes, changes and last rowids.
//!
//! One *world* is a seed: a fresh pair of databases in memory and a few hundred statements. `ORACLE_WORLDS` sets the number of worlds from
//! `ORACLE_FIRST` on, `ORACLE_SEED` runs a single one (and prints its statements), `ORACLE_MOST` sets the number of differing worlds after
//! which a thread stops, `ORACLE_ALL` also runs the worlds that are known to differ, `ORACLE_SCRIPT` names a file whose lines are run on
//! both engines and shown with both answers. A difference ends the run with the world's statements so far, shortened as far as the
//! difference remains.

mod alter;
mod altered;
mod application;
mod call;
mod catalog;
mod colliding;
#[path = "../common/mod.rs"]
mod common;
mod compounds;
mod conditions;
mod deep;
mod expr;
mod frames;
mod from;
mod functions;
mod json;
mod mixed;
mod modules;
mod order;
mod others;
mod pair;
mod predicate;
mod query;
mod schema;
mod settings;
mod shrink;
mod window;
mod with;
mod write;

use std::sync::atomic::Ordering;

use fastrand::Rng;

use pair::{Difference, Ended, Pair};
use schema::Schema;

/// The default number of worlds with random statements.
const WORLDS: u64 = 510;
/// As [`WORLDS`], with settings among the statements.
const SETTINGS_WORLDS: u64 = 300;
/// As [`WORLDS`], with virtual tables among the others.
const MODULE_WORLDS: u64 = 300;
/// As [`WORLDS`], for colliding rows.
const COLLIDING_WORLDS: u64 = 300;
/// As [`WORLDS`], for deep predicates.
const DEEP_WORLDS: u64 = 400;
/// As [`WORLDS`], for calls of functions.
const FUNCTION_WORLDS: u64 = 300;
/// As [`WORLDS`], for undetermined orders.
const ORDER_WORLDS: u64 = 1000;
/// As [`WORLDS`], for aggregates and windows over values.
const WINDOW_WORLDS: u64 = 300;
/// As [`WORLDS`], for altered schemas.
const ALTERED_WORLDS: u64 = 1000;
/// As [`WORLDS`], for mixed statements.
const MIXED_WORLDS: u64 = 1500;
/// As [`WORLDS`], for an application's statements.
const APPLICATION_WORLDS: u64 = 500;
/// The number of statements of a world.
const STATEMENTS: usize = 200;

#[test]
fn random_statements_have_the_same_answers() {
    if let Some(script) = std::env::var_os("ORACLE_SCRIPT")
        && number("ORACLE_SEED").is_none()
    {
        return show_script(&std::fs::read_to_string(script).unwrap());
    }
    check_worlds("statements", Kind::Statements, WORLDS);
}

#[test]
fn settings_have_the_same_effects() {
    check_worlds("settings", Kind::Settings, SETTINGS_WORLDS);
}

#[test]
fn statements_on_virtual_tables_have_the_same_answers() {
    check_worlds("modules", Kind::Modules, MODULE_WORLDS);
}

/// Runs the worlds of a kind but those that are known to differ under this name.
fn check_worlds(name: &str, kind: Kind, worlds: u64) {
    if let Some(seed) = number("ORACLE_SEED") {
        let checked = check_world(seed, kind, |sql| println!("{sql};"));
        return checked.unwrap_or_else(|report| panic!("{report}"));
    }
    if std::env::var_os("ORACLE_SCRIPT").is_none() {
        let known = known_to_differ(name);
        let check = |world| check_world(world, kind, |_| {}).err();
        run_worlds(worlds, |world| if known.contains(&world) { None } else { check(world) });
    }
}

#[test]
fn colliding_rows_have_the_same_answers() {
    if number("ORACLE_SEED").is_none() && std::env::var_os("ORACLE_SCRIPT").is_none() {
        let known = known_to_differ("colliding");
        run_worlds(COLLIDING_WORLDS, |world| if known.contains(&world) { None } else { check_colliding(world) });
    }
}

#[test]
fn deep_predicates_have_the_same_answers() {
    if number("ORACLE_SEED").is_none() && std::env::var_os("ORACLE_SCRIPT").is_none() {
        run_worlds(DEEP_WORLDS, |seed| check_statements(seed, deep::statements(seed)));
    }
}

#[test]
fn functions_have_the_same_results() {
    if number("ORACLE_SEED").is_none() && std::env::var_os("ORACLE_SCRIPT").is_none() {
        run_worlds(FUNCTION_WORLDS, |seed| check_statements(seed, functions::statements(seed)));
    }
}

#[test]
fn rows_come_in_the_same_order() {
    if number("ORACLE_SEED").is_none() && std::env::var_os("ORACLE_SCRIPT").is_none() {
        let known = if asks_all() { Vec::new() } else { order::known_to_differ() };
        let check = |world| check_statements(world, order::statements(world));
        run_worlds(ORDER_WORLDS, |world| if known.contains(&world) { None } else { check(world) });
    }
}

#[test]
fn aggregates_and_windows_have_the_same_answers() {
    if number("ORACLE_SEED").is_none() && std::env::var_os("ORACLE_SCRIPT").is_none() {
        run_worlds(WINDOW_WORLDS, |world| check_statements(world, frames::statements(world)));
    }
}

#[test]
fn altered_schemas_have_the_same_texts() {
    if let Some(seed) = number("ORACLE_SEED") {
        let checked = altered::check(seed, |sql| println!("{sql};"));
        return checked
            .unwrap_or_else(|(statements, difference)| panic!("{}", altered_report(seed, &statements, difference)));
    }
    if std::env::var_os("ORACLE_SCRIPT").is_none() {
        let report =
            |(world, (statements, difference)): (u64, (Vec<String>, _))| altered_report(world, &statements, difference);
        let known = if asks_all() { Vec::new() } else { altered::known_to_differ() };
        run_worlds(ALTERED_WORLDS, |world| {
            let is_asked = !known.contains(&world);
            is_asked.then(|| altered::check(world, |_| {}).err().map(|found| report((world, found)))).flatten()
        });
    }
}

#[test]
fn mixed_statements_have_the_same_answers() {
    if let Some(seed) = number("ORACLE_SEED") {
        return assert_eq!(mixed::check(seed, |sql| println!("{sql};")), None);
    }
    if std::env::var_os("ORACLE_SCRIPT").is_none() {
        let known = known_to_differ("mixed");
        run_worlds(MIXED_WORLDS, |world| if known.contains(&world) { None } else { mixed::check(world, |_| {}) });
    }
}

#[test]
fn application_scripts_have_the_same_answers() {
    if let Some(seed) = number("ORACLE_SEED") {
        return assert_eq!(application::check(seed, |sql| println!("{sql};")), None);
    }
    if std::env::var_os("ORACLE_SCRIPT").is_none() {
        let known = known_to_differ("application");
        let check = |world| application::check(world, |_| {});
        run_worlds(APPLICATION_WORLDS, |world| if known.contains(&world) { None } else { check(world) });
    }
}

/// Whether the worlds that are known to differ are run, too.
fn asks_all() -> bool {
    std::env::var_os("ORACLE_ALL").is_some()
}

fn altered_report(world: u64, statements: &[String], difference: Box<Difference>) -> String {
    report(world, statements, &Found { at: statements.len() - 1, difference })
}

/// The worlds of a test that are known to differ, from `known.txt`, each with a reason. `ORACLE_ALL` runs them, too.
fn known_to_differ(test: &str) -> Vec<u64> {
    if std::env::var_os("ORACLE_ALL").is_some() {
        return Vec::new();
    }
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        (words.next()? == test).then(|| words.next()?.parse().ok()).flatten()
    };
    include_str!("known.txt").lines().filter_map(of_line).collect()
}

/// Runs the number of worlds that the environment sets, on all processors.
fn run_worlds(worlds: u64, check: impl Fn(u64) -> Option<String> + Sync) {
    let worlds = number("ORACLE_WORLDS").unwrap_or(worlds);
    let first = number("ORACLE_FIRST").unwrap_or(0);
    let most = number("ORACLE_MOST").unwrap_or(1) as usize;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let reports: Vec<String> = std::thread::scope(|scope| {
        let run = |worker| {
            let worlds = (first + worker..first + worlds).step_by(workers as usize);
            let check = &check;
            move || worlds.filter_map(|world| checked(world, check)).take(most).collect::<Vec<String>>()
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(run(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let damaged = pair::DAMAGED.load(Ordering::Relaxed);
    eprintln!("{worlds} worlds from {first} on: {} statements compared", pair::COMPARED.load(Ordering::Relaxed));
    if damaged > 0 {
        eprintln!("{damaged} times a world was ended because SQLite had damaged its own database");
    }
    assert!(reports.is_empty(), "{}", reports.join("\n\n"));
}

/// The report about a differing world; also printed to standard error at once, because the next world may take long.
fn checked(world: u64, check: &impl Fn(u64) -> Option<String>) -> Option<String> {
    let report = check(world);
    report.iter().for_each(|report| eprintln!("{report}"));
    report
}

/// Runs the scripts of earlier differences, and scripts written for comparison.
#[test]
fn scripts_have_the_same_answers() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/scripts");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mut pair = Pair::open();
        for sql in std::fs::read_to_string(&path).unwrap().lines().filter(|line| is_statement(line)) {
            pair.run(sql).unwrap_or_else(|difference| panic!("{}: {difference}", path.display()));
        }
    }
}

fn is_statement(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with("--")
}

/// Runs the lines of a script on both engines and shows both answers.
fn show_script(script: &str) {
    let mut pair = Pair::open();
    for sql in script.lines().filter(|line| is_statement(line)) {
        println!("{}", pair.show(sql));
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn next_statement(rng: &mut Rng, schema: &mut Schema) -> String {
    match rng.u32(0..100) {
        0..2 if schema.tables.len() < 6 => schema.create_table(rng),
        2..5 => schema.create_index(rng),
        5..6 => schema.create_view(rng),
        6..7 => schema.drop_something(rng),
        7..8 if schema.triggers.len() < 4 => schema.create_trigger(rng),
        40..43 if schema.upserts && schema.triggers.len() < 3 => schema.create_trigger(rng),
        8..9 => schema.alter(rng),
        9..10 => schema.upkeep(rng),
        10..32 => write::insert(rng, schema),
        32..40 => write::update(rng, schema),
        40..45 => write::delete(rng, schema),
        45..50 => write::transaction_control(rng),
        _ => query::select(rng, schema),
    }
}

/// What a world consists of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Statements,
    /// Statements, and settings between them.
    Settings,
    /// Statements on tables of which some are virtual.
    Modules,
}

impl Kind {
    /// Runs a statement. A known difference counts as none.
    fn run(self, pair: &mut Pair, sql: &str) -> Result<Ended, Box<Difference>> {
        pair.run(sql).or_else(|difference| {
            let known = match self {
                Kind::Statements => None,
                Kind::Settings => settings::known(&difference),
                Kind::Modules => modules::known(&difference),
            };
            known.ok_or(difference)
        })
    }
}

/// Runs a world; SQLite's schema determines which objects are created next. `show` gets the statements.
fn check_world(seed: u64, kind: Kind, show: impl Fn(&str)) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let (mut schema, mut pair) = (Schema::default(), Pair::open());
    let mut statements = Vec::with_capacity(STATEMENTS);
    schema.may_be_strict = rng.u32(0..8) == 0;
    let attaches = rng.u32(0..4) == 0;
    schema.has_foreign_keys = !attaches && rng.u32(0..3) == 0;
    schema.analyzes = rng.u32(0..4) == 0;
    schema.upserts = rng.u32(0..4) == 0;
    schema.has_modules = kind == Kind::Modules;
    let encoding = ["UTF-16le", "UTF-16be"].get(rng.usize(0..16));
    let tables = rng.usize(1..4);
    // In a transaction, SQLite does not undo a failed statement if the CASCADE of a foreign key does not find the row that its check finds,
    // because their columns have different affinities; or if triggers nest too deep; or if a value has the wrong type for a STRICT table.
    let mut must_roll_back = false;
    for at in 0..STATEMENTS {
        let sql = match at {
            0 if let Some(encoding) = encoding => format!("PRAGMA encoding = '{encoding}'"),
            0 if attaches => "ATTACH ':memory:' AS aux".to_owned(),
            0 if schema.has_foreign_keys => "PRAGMA foreign_keys = ON".to_owned(),
            _ if must_roll_back => "ROLLBACK".to_owned(),
            1 if schema.analyzes => "PRAGMA analysis_limit = 1000".to_owned(),
            _ if at <= tables && encoding.is_none() => schema.create_table(&mut rng),
            _ if kind == Kind::Settings && rng.u32(0..8) == 0 => settings::pragma(&mut rng, &schema),
            _ if encoding.is_some() => without_blobs(&mut rng, &mut schema),
            _ => next_statement(&mut rng, &mut schema),
        };
        show(&sql);
        statements.push(sql);
        let sql = &statements[at];
        match kind.run(&mut pair, sql) {
            Ok(Ended::TooLate) => return Ok(()),
            Ok(ended) => {
                let is_left_half = matches!(ended, Ended::WithForeignKey | Ended::WithType | Ended::TooDeep);
                must_roll_back = is_left_half && pair.is_in_transaction();
                if ended != Ended::Well || may_change_schema(sql) {
                    pair.read_schema(&mut schema);
                }
                if may_insert(sql) && pair.has_last_rowid(&schema) {
                    return Ok(());
                }
            }
            Err(difference) => {
                let again = |statements: &[String]| run_each(statements, |pair, sql| kind.run(pair, sql));
                return Err(report_by(seed, &statements, &Found { at, difference }, again));
            }
        }
    }
    Ok(())
}

/// A statement that makes no BLOBs, because the texts of their bytes in a UTF-16 database are not compared.
fn without_blobs(rng: &mut Rng, schema: &mut Schema) -> String {
    const MAKERS: [&str; 6] = ["x'", "X'", "AS BLOB", "zeroblob", "unhex", "jsonb"];
    let statements =
        (0..20).map(|_| if schema.tables.is_empty() { schema.create_table(rng) } else { next_statement(rng, schema) });
    statements
        .into_iter()
        .find(|sql| !MAKERS.iter().any(|maker| sql.contains(maker)))
        .unwrap_or_else(|| "SELECT 1".to_owned())
}

/// The report about a world of colliding rows, if the answers differ.
fn check_colliding(seed: u64) -> Option<String> {
    let statements = colliding::statements(seed);
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        match pair.run(sql) {
            Ok(Ended::TooLate) => return None,
            // The errors about keys without a parent, and triggers without a table, are not compared.
            Ok(Ended::WithError) if sql.starts_with("CREATE") => return None,
            // Nested too deep in a transaction, SQLite does not undo the statement.
            Ok(Ended::TooDeep) if pair.is_in_transaction() => return None,
            Ok(_) => {}
            Err(difference) => return Some(report(seed, &statements[..=at], &Found { at, difference })),
        }
    }
    None
}

/// The report about a world whose statements do not depend on answers, if the answers differ.
fn check_statements(seed: u64, statements: Vec<String>) -> Option<String> {
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        match pair.run(sql) {
            Ok(Ended::TooLate) => return None,
            Ok(_) => {}
            Err(difference) => return Some(report(seed, &statements[..=at], &Found { at, difference })),
        }
    }
    None
}

fn may_change_schema(sql: &str) -> bool {
    ["CREATE", "DROP", "ALTER", "ROLLBACK", "ATTACH"].iter().any(|verb| sql.starts_with(verb))
}

fn may_insert(sql: &str) -> bool {
    ["INSERT", "REPLACE", "UPDATE", "DELETE"].iter().any(|verb| sql.starts_with(verb))
}

/// The first difference of the engines.
struct Found {
    at: usize,
    difference: Box<Difference>,
}

fn run(statements: &[String]) -> Result<(), Found> {
    run_each(statements, Pair::run)
}

fn run_each(
    statements: &[String],
    run: impl Fn(&mut Pair, &str) -> Result<Ended, Box<Difference>>,
) -> Result<(), Found> {
    let mut pair = Pair::open();
    for (at, sql) in statements.iter().enumerate() {
        run(&mut pair, sql).map_err(|difference| Found { at, difference })?;
    }
    Ok(())
}

fn report(seed: u64, statements: &[String], found: &Found) -> String {
    report_by(seed, statements, found, run)
}

/// The report with the shortest differing script, as `run` determines it.
fn report_by(seed: u64, statements: &[String], found: &Found, run: impl Fn(&[String]) -> Result<(), Found>) -> String {
    let shortest =
        shrink::shortest(statements, |candidate| run(candidate).is_err_and(|again| again.at + 1 == candidate.len()));
    let script: String = shortest.iter().map(|sql| format!("{sql};\n")).collect();
    let difference = run(&shortest).err().map_or(found.difference.clone(), |found| found.difference);
    let plans = shortest.last().map_or(String::new(), |sql| different_plans(&shortest, sql));
    format!("world {seed}: {difference}\n{plans}{script}")
}

/// The plans of both engines for the last statement, if they differ.
fn different_plans(statements: &[String], sql: &str) -> String {
    let mut pair = Pair::open();
    for sql in &statements[..statements.len() - 1] {
        let _ = pair.run(sql);
    }
    match pair.compare_plans(sql) {
        Ok(()) => String::new(),
        Err(difference) => format!("{difference}\n"),
    }
}
