//! Interleaving: random scripts with several open statements on a connection, stepped in part; between their steps, tables are written,
//! altered, dropped, vacuumed, and transactions and savepoints begun and undone, on Lithe and on SQLite. Every row, code, message, change
//! count and rowid must be equal, and so must the final content of the files.
//!
//! A script is made from a seed, for one database or for several. `INTERLEAVE_WORLDS` sets the number of scripts from `INTERLEAVE_FIRST` on, `INTERLEAVE_SEED` plays a
//! single one (and prints it), `INTERLEAVE_MOST` sets the number of differing scripts after which a thread stops, `INTERLEAVE_SCRIPT` names
//! a file with a script that is played and shown with both answers. A differing script is shortened as far as it still differs, and
//! printed.

#[path = "../common/mod.rs"]
mod common;
mod databases;
mod engine;
mod generate;
mod play;
mod scans;
mod script;
#[path = "../oracle/shrink.rs"]
mod shrink;
mod writes;

use std::path::Path;

use script::{Script, Step};

/// Makes the script of a seed.
type Generator = fn(u64) -> Script;

#[test]
fn interleaved_statements_have_the_same_answers() {
    if let Some(file) = std::env::var_os("INTERLEAVE_SCRIPT") {
        let script = Script::parse(&std::fs::read_to_string(file).unwrap());
        return println!("{}", play::show_all(&script, folder().path()));
    }
    check_scripts(generate::script, 2_000);
}

#[test]
fn statements_on_several_databases_have_the_same_answers() {
    if std::env::var_os("INTERLEAVE_SCRIPT").is_none() {
        check_scripts(databases::script, 500);
    }
}

/// Plays the scripts that the environment selects, by default the first `scripts`.
fn check_scripts(script: Generator, scripts: u64) {
    refuse_unknown_variables();
    if let Some(seed) = number("INTERLEAVE_SEED") {
        println!("{}", script(seed));
        return check(seed, script, folder().path()).unwrap_or_else(|report| panic!("{report}"));
    }
    let scripts = number("INTERLEAVE_WORLDS").unwrap_or(scripts);
    let first = number("INTERLEAVE_FIRST").unwrap_or(0);
    let most = number("INTERLEAVE_MOST").unwrap_or(1) as usize;
    let workers = std::thread::available_parallelism().map_or(1, |n| n.get()) as u64;
    let reports: Vec<String> = std::thread::scope(|scope| {
        let run = |worker| {
            let seeds = (first + worker..first + scripts).step_by(workers as usize);
            move || {
                let folder = folder();
                seeds.filter_map(|seed| checked(seed, script, folder.path())).take(most).collect::<Vec<String>>()
            }
        };
        let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(run(worker))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(reports.is_empty(), "{}", reports.join("\n\n"));
}

/// Plays the scripts of earlier differences.
#[test]
fn kept_scripts_have_the_same_answers() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interleave/scripts");
    for entry in std::fs::read_dir(kept).unwrap() {
        let path = entry.unwrap().path();
        let script = Script::parse(&std::fs::read_to_string(&path).unwrap());
        let folder = folder();
        if play::compare(&script, folder.path()).is_some() {
            panic!("{}:\n{}", path.display(), play::show(&script, folder.path()));
        }
    }
}

/// A folder in memory, if there is such a file system, because the test does not depend on a device.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.expect("a folder for the files")
}

/// Fails if a variable of this test has a name that the test does not read: the run would be shorter than it seems.
fn refuse_unknown_variables() {
    let known = ["ALL", "FIRST", "MOST", "SCRIPT", "SEED", "TRACE", "WORLDS"];
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let Some(name) = name.strip_prefix("INTERLEAVE_") else { continue };
        assert!(known.contains(&name), "INTERLEAVE_{name} is none of INTERLEAVE_{known:?}");
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The report about a differing script; also printed to standard error at once, because the next script may take long.
fn checked(seed: u64, script: Generator, folder: &Path) -> Option<String> {
    if std::env::var_os("INTERLEAVE_TRACE").is_some() {
        eprintln!("seed {seed}");
    }
    let report = check(seed, script, folder).err();
    report.iter().for_each(|report| eprintln!("{report}"));
    report
}

fn check(seed: u64, script: Generator, folder: &Path) -> Result<(), String> {
    let script = script(seed);
    match play::compare(&script, folder) {
        None => Ok(()),
        Some(found) => {
            let short = shorten(&script, found.at, folder);
            Err(format!("seed {seed}:\n{}", play::show(&short, folder)))
        }
    }
}

/// Shortens a script as far as it still differs.
fn shorten(script: &Script, at: usize, folder: &Path) -> Script {
    let of = |steps: &[Step]| Script { in_memory: script.in_memory, steps: steps.to_vec() };
    let differs = |steps: &[Step]| play::compare(&of(steps), folder).is_some();
    let mut steps = script.steps[..(at + 1).min(script.steps.len())].to_vec();
    if !differs(&steps) {
        steps.clone_from(&script.steps);
    }
    loop {
        let before = steps.len();
        steps = shrink::shortest(&steps, differs);
        if steps.len() == before {
            break;
        }
    }
    shrink_numbers(&mut steps, &differs);
    of(&steps)
}

/// Reduces the numbers in a script, and the numbers of steps, as far as it still differs.
fn shrink_numbers(steps: &mut [Step], differs: &impl Fn(&[Step]) -> bool) {
    for at in 0..steps.len() {
        for smaller in smaller_counts(&steps[at]) {
            try_step(steps, at, smaller, differs);
        }
        let Some(sql) = steps[at].sql().map(str::to_owned) else { continue };
        let mut sql = sql;
        let mut from = 0;
        while let Some((start, end)) = next_number(&sql, from) {
            let Ok(number) = sql[start..end].parse::<u64>() else { break };
            from = end;
            for smaller in [number / 8, number / 2, number * 3 / 4, number.saturating_sub(1)] {
                let text = format!("{}{smaller}{}", &sql[..start], &sql[end..]);
                if number > 4 && smaller < number && try_step(steps, at, steps[at].with_sql(text.clone()), differs) {
                    sql = text;
                    from = start;
                    break;
                }
            }
        }
    }
}

fn smaller_counts(step: &Step) -> Vec<Step> {
    match step {
        Step::Rows { slot, count } => {
            [1, 2, count / 4, count / 2].map(|count| Step::Rows { slot: *slot, count }).to_vec()
        }
        Step::Each { slot, count, conn, sql } => [1, 2, count / 4, count / 2]
            .map(|count| Step::Each { slot: *slot, count, conn: *conn, sql: sql.clone() })
            .to_vec(),
        _ => Vec::new(),
    }
}

fn try_step(steps: &mut [Step], at: usize, smaller: Step, differs: &impl Fn(&[Step]) -> bool) -> bool {
    let before = std::mem::replace(&mut steps[at], smaller);
    if steps[at] != before && differs(steps) {
        return true;
    }
    steps[at] = before;
    false
}

/// The position of the next number with several digits that is not part of a name.
fn next_number(sql: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = sql.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'?';
    let mut start = from;
    while start < bytes.len() {
        let begins = bytes[start].is_ascii_digit() && (start == 0 || !is_part(bytes[start - 1]));
        let end = start + bytes[start..].iter().take_while(|byte| is_part(**byte)).count();
        if begins && bytes[start..end].iter().all(u8::is_ascii_digit) {
            return Some((start, end));
        }
        start = end.max(start + 1);
    }
    None
}
