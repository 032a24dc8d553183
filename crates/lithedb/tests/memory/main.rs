//! Out of memory: every large allocation of a script fails once. The statement reports SQLITE_NOMEM, the database has the content before or
//! after the statement, the statement succeeds when it is run again, and the connection stays usable.
//!
//! ```text
//!   script      line 1      line 2      line 3 ...
//!   files    |           |           |             kept as they were before each line
//!               allocation 1 refused: line 2, and the one after it, on a copy of the files
//!               allocation 2 refused: ...
//! ```
//!
//! Small allocations, also of single pages, do not fail: like most Rust programs, a process that cannot allocate a few bytes ends.
//! `MEMORY_SURVEY=1` shows the places of large allocations (and fails if one is not prepared for a failure), `MEMORY_LINE=7` and `MEMORY_ALLOCATION=3` select the failing ones, `MEMORY_CASES=1000` sets the most
//! failures of each setting (`MEMORY_CASES=1000000` for all). `MEMORY_SHOW=1` prints each case before it runs, because a case that ends the process
//! prints no message.
//!
//! | module | subject |
//! | --- | --- |
//! | `names` | statements on a schema with long names |
//! | `modules` | statements on R-Trees and other modules with large values |
//! | `scarce` | the allocator |
//! | `script` | statements of all kinds |
//! | `sessions` | sessions and changesets |
//! | `texts` | statements on full-text tables with large documents |
//! | `stage` | the files before each line, and the content of a database |

mod modules;
mod names;
mod scarce;
mod script;
mod sessions;
mod stage;
mod texts;

use std::collections::BTreeSet;

use lithe::Connection;

use scarce::{ENDS_PROCESS, Mode, take_places, with_budget, with_mode};
use script::{STATEMENTS, Script};
use stage::{Line, Stages, content, integrity, is_no_memory, only_reads, run};

/// The number of failing allocations of each setting, spread over the script.
const CASES: usize = 30;

/// The number of budgets with which a statement runs.
const BUDGETS: usize = 6;

/// A case: the line, and the number of its failing allocation.
type Case = (usize, u64);

pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn check_setting(script: Script, pragmas: &str) {
    let stages = Stages::prepare(script, pragmas);
    if number("MEMORY_SURVEY").is_some() {
        survey(&stages).iter().for_each(|place| eprintln!("{place}"));
        return;
    }
    let lines = (0..script.lines.len()).filter(|&at| number("MEMORY_LINE").is_none_or(|line| line == at as u64));
    let of_line = |at| (1..=count_allocations(&stages, at, Mode::Refuse(0))).map(move |number| (at, number));
    let all: Vec<Case> = lines.flat_map(of_line).collect();
    eprintln!("{pragmas}: {} large allocations", all.len());
    let cases: Vec<Case> = match number("MEMORY_ALLOCATION") {
        Some(allocation) => all.into_iter().filter(|case| case.1 == allocation).collect(),
        None => {
            assert!(all.len() > 10, "{} large allocations", all.len());
            let wanted = number("MEMORY_CASES").map_or(CASES, |cases| cases as usize).min(all.len());
            (0..wanted).map(|case| all[case * all.len() / wanted]).collect()
        }
    };
    let missed = cases.iter().filter(|case| !refuse(&stages, **case)).count();
    eprintln!("{pragmas}: {} allocations refused, {missed} of them not asked for", cases.len());
    // The allocations of two runs may differ slightly, depending on timing, but not by much.
    assert!(missed * 20 <= cases.len(), "{missed} of {} allocations were not asked for", cases.len());
}

/// The places of all large allocations of a script, none of which may end the process.
fn survey(stages: &Stages) -> BTreeSet<String> {
    for at in 0..stages.script.lines.len() {
        count_allocations(stages, at, Mode::Survey);
    }
    let places = take_places();
    assert_none_ends_process(&places);
    places
}

/// Fails if a process that cannot allocate ends at one of these places.
pub(crate) fn assert_none_ends_process(places: &BTreeSet<String>) {
    let ends: Vec<&String> = places.iter().filter(|place| place.starts_with(ENDS_PROCESS)).collect();
    assert!(ends.is_empty(), "{ends:#?}");
}

/// The number of large allocations of a line.
fn count_allocations(stages: &Stages, at: usize, mode: Mode) -> u64 {
    let line = stages.script.lines[at];
    let stage = stages.before(at);
    let connection = stage.open();
    let (ran, count) = with_mode(mode, || run(&connection, line));
    ran.unwrap_or_else(|error| panic!("{line}: {error}"));
    count
}

/// Makes one allocation of a line fail; answers whether the line reached it.
fn refuse(stages: &Stages, (at, number): Case) -> bool {
    let line = stages.script.lines[at];
    let place = format!("{}, MEMORY_LINE={at} MEMORY_ALLOCATION={number}, {line}", stages.pragmas);
    if self::number("MEMORY_SHOW").is_some() {
        eprintln!("{place}");
    }
    let stage = stages.before(at);
    let connection = stage.open();
    let (ran, count) = with_mode(Mode::Refuse(number), || run(&connection, line));
    let answer = match ran {
        Ok(answer) => answer,
        Err(error) => {
            assert!(is_no_memory(&error), "{place}: {:?} {error}", error.code());
            after_failure(stages, at, &connection, &place)
        }
    };
    let Line { before: _, after, answer: expected } = &stages.lines[at];
    assert_eq!(&content(&connection, stages.script), after, "{place}");
    assert!(answer.is_none() || answer == *expected, "{place}: another answer");
    if only_reads(line) {
        return count >= number;
    }
    if let Some(next) = stages.script.lines.get(at + 1) {
        run(&connection, next).unwrap_or_else(|error| panic!("{place}, then {next}: {error}"));
        assert_eq!(content(&connection, stages.script), stages.lines[at + 1].after, "{place}, then {next}");
    }
    assert_eq!(integrity(&connection), "ok", "{place}");
    count >= number
}

/// After a failed line: it has had no effect and succeeds when run again, or has had all its effect. Answers the result of the second run.
fn after_failure(stages: &Stages, at: usize, connection: &Connection, place: &str) -> Option<u64> {
    let line = stages.script.lines[at];
    if line.starts_with("BEGIN") && !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK").unwrap_or_else(|error| panic!("{place}: {error}"));
    }
    let now = content(connection, stages.script);
    if now == stages.lines[at].before {
        return run(connection, line).unwrap_or_else(|error| panic!("{place}, once more: {error}"));
    }
    assert_eq!(now, stages.lines[at].after, "{place}");
    None
}

#[test]
fn large_pages_small_cache() {
    check_setting(STATEMENTS, "PRAGMA page_size = 65536; PRAGMA cache_size = 10; PRAGMA mmap_size = 0");
}

#[test]
fn large_pages_in_a_log() {
    check_setting(STATEMENTS, "PRAGMA page_size = 65536; PRAGMA journal_mode = WAL; PRAGMA cache_size = 10");
}

#[test]
fn tiny_cache_and_temporary_files() {
    check_setting(
        STATEMENTS,
        "PRAGMA cache_size = -100; PRAGMA temp_store = FILE; PRAGMA journal_mode = WAL; PRAGMA mmap_size = 0",
    );
}

#[test]
fn temporary_tables_in_memory() {
    check_setting(STATEMENTS, "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = PERSIST");
}

/// All large allocations are looked at, and some of them fail.
fn check_texts(script: Script) {
    let pragmas = "PRAGMA cache_size = -100000";
    let places = survey(&Stages::prepare(script, pragmas));
    assert!(places.len() > 20, "{} places", places.len());
    check_setting(script, pragmas);
}

#[test]
fn large_texts_of_fts5() {
    check_texts(texts::FTS5);
}

#[test]
fn large_texts_of_fts4() {
    check_texts(texts::FTS4);
}

#[test]
fn large_nodes_and_polygons() {
    check_texts(modules::RTREE);
}

/// Whatever memory there is, a statement on long names succeeds or says that it is short.
#[test]
fn long_names() {
    let stages = Stages::prepare(names::script(), "PRAGMA cache_size = -100000");
    for (at, line) in stages.script.lines.iter().enumerate() {
        let stage = stages.before(at);
        let connection = stage.open();
        let (_, most) = with_budget(isize::MAX as usize, || run(&connection, line));
        let beginning: String = line.chars().take(80).collect();
        eprintln!("at most {most} bytes for {beginning}");
        for budget in (0..BUDGETS).map(|part| most * part / BUDGETS) {
            let place = format!("{budget} of {most} bytes, {beginning}");
            let stage = stages.before(at);
            let connection = stage.open();
            let (ran, _) = with_budget(budget, || run(&connection, line));
            check_scarce_run(&stages, at, &connection, ran, &place);
            assert_eq!(content(&connection, stages.script), stages.lines[at].after, "{place}");
        }
    }
}

/// A statement that was run with little memory has succeeded or says so.
fn check_scarce_run(stages: &Stages, at: usize, connection: &Connection, ran: lithe::Result<Option<u64>>, place: &str) {
    match ran {
        Ok(answer) => assert!(answer == stages.lines[at].answer, "{place}: another answer"),
        Err(error) => {
            assert!(is_no_memory(&error), "{place}: {:?} {error}", error.code());
            after_failure(stages, at, connection, place);
        }
    }
}

/// The same of opening a database whose schema has long names.
#[test]
fn long_names_are_loaded() {
    let stages = Stages::prepare(names::script(), "PRAGMA cache_size = -100000");
    for (at, line) in stages.script.lines.iter().enumerate().filter(|(_, line)| line.starts_with('?')) {
        let stage = stages.before(at);
        let open_and_run = || stage.try_open().and_then(|connection| run(&connection, line));
        let (_, most) = with_budget(isize::MAX as usize, open_and_run);
        for budget in (0..BUDGETS).map(|part| most * part / BUDGETS) {
            let (ran, _) = with_budget(budget, open_and_run);
            check_scarce_run(&stages, at, &stage.open(), ran, &format!("{budget} of {most} bytes, line {at}"));
        }
    }
}

#[test]
fn large_values_of_modules() {
    check_texts(modules::MODULES);
}
