//! Simulated power losses at the level of SQL: databases must have exactly the committed transactions, whichever unsynced writes survive,
//! and whenever the power fails.
//!
//! A run is determined by its seed: `SIMULATION_SEED=17` replays one, `SIMULATION_FIRST=1000000` sets the first seed, and `SIMULATION_CRASHES=1000000` the number of
//! crashes; `SIMULATION_TRACE=1` shows the statements of the runs, without crashes. Each run is recorded once; the power fails after every operation
//! on the disk, and a machine with the surviving files recovers.

mod config;
mod engines;
mod explore;
mod faults;
mod machine;
mod ops;
mod promise;
mod state;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Writes the files of a failed machine to the folder `SIMULATION_DUMP`, for inspection.
fn dump(files: &[(PathBuf, Vec<u8>)]) {
    let Some(folder) = std::env::var_os("SIMULATION_DUMP").map(PathBuf::from) else { return };
    for (path, content) in files {
        let written = path.file_name().map(|name| std::fs::write(folder.join(name), content));
        written.transpose().expect("the folder exists");
    }
}

/// The number of crashes after which progress is printed.
const PROGRESS_EACH: u64 = 100_000;

/// Runs seeds on all processors until the number of crashes is reached.
#[test]
fn power_loss() {
    if let Ok(seed) = std::env::var("SIMULATION_SEED") {
        let crashes = explore::run_seed(seed.parse().unwrap());
        return println!("{crashes} crashes");
    }
    let wanted = number("SIMULATION_CRASHES", 20_000);
    let next = AtomicU64::new(number("SIMULATION_FIRST", 0));
    let crashes = AtomicU64::new(0);
    let begun = std::time::Instant::now();
    let work = || {
        while crashes.load(Ordering::Relaxed) < wanted {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            match std::panic::catch_unwind(|| explore::run_seed(seed)) {
                Ok(count) => {
                    let before = crashes.fetch_add(count, Ordering::Relaxed);
                    if before / PROGRESS_EACH < (before + count) / PROGRESS_EACH {
                        println!("{} crashes, {} seeds, {:.0} s", before + count, seed, begun.elapsed().as_secs_f64());
                    }
                }
                Err(panic) => {
                    eprintln!("with SIMULATION_SEED={seed}");
                    // Stops the other threads, too.
                    crashes.fetch_add(wanted, Ordering::Relaxed);
                    std::panic::resume_unwind(panic);
                }
            }
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    println!("{} crashes in {:.0} s", crashes.load(Ordering::Relaxed), begun.elapsed().as_secs_f64());
}

/// Every call on a file fails once. `SIMULATION_FAULTS=all` includes every call.
#[test]
fn failing_calls() {
    let stride = if std::env::var("SIMULATION_FAULTS").is_ok_and(|which| which == "all") { 1 } else { 3 };
    let journals = ["DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY"];
    let configs = journals.iter().flat_map(|&journal| (0..4).map(move |variant| (journal, variant)));
    let configs: Vec<(&str, usize)> = configs.collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        while let Some(&(journal, variant)) = configs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let config = config::Config {
                journal,
                synchronous: if variant == 3 { "NORMAL" } else { "FULL" },
                auto_vacuum: ["NONE", "FULL", "INCREMENTAL"][variant % 3],
                page_size: if variant == 1 { 1024 } else { 512 },
                cache_pages: if variant % 2 == 0 { 5 } else { 2000 },
                mapped: variant < 2,
                powersafe: variant != 1,
                exclusive: variant == 3,
                attached: variant == 2,
                two: false,
                foreign: variant == 1,
            };
            failed.fetch_add(faults::check(&config, stride), Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| (0..threads()).for_each(|_| drop(scope.spawn(work))));
    println!("{} calls failed", failed.load(Ordering::Relaxed));
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
