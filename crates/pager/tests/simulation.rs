//! Power losses and failing calls, simulated: a database must hold exactly what was committed.
//!
//! A run is a function of its seed. `PAGER_SEED=…` replays one, `PAGER_WORLDS=…` sets how many there are, `PAGER_FIRST=…` the first.

mod model;

use std::path::Path;

use lithe_format::PageNo;
use lithe_format::db_header::DbHeader;
use lithe_pager::{
    BeginKind, CacheSize, CheckpointMode, JournalMode, OpenOptions, Pager, Synchronous, commit_multi_file,
};
use lithe_vfs::{Fault, Loss, Random, Sim};
use model::{Config, Machine, Outcome};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn each_seed(default: u64, run: impl Fn(u64)) {
    if let Ok(seed) = std::env::var("PAGER_SEED") {
        return run(seed.parse().unwrap());
    }
    let first = number("PAGER_FIRST", 0);
    for seed in first..first + number("PAGER_WORLDS", default) {
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed)));
        if let Err(panic) = failed {
            eprintln!("with PAGER_SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
}

const JOURNALS: [JournalMode; 4] = [JournalMode::Delete, JournalMode::Truncate, JournalMode::Persist, JournalMode::Wal];
const LOSSES: [Loss; 4] = [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn];

/// With synchronous NORMAL the records of a rollback journal and their number are synced together, and
/// the checksum of a record, which samples it, does not see every torn one. SQLite's documentation says
/// so: "a very small (though non-zero) chance". Torn sectors would find it, so they are left out there.
fn losses(config: &Config) -> &'static [Loss] {
    let weak = config.synchronous == Synchronous::Normal && config.journal != JournalMode::Wal;
    if weak { &LOSSES[..3] } else { &LOSSES }
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len() as u64) as usize]
}

/// Power is cut again and again, while transactions run, and while what it left is recovered.
#[test]
fn power_loss() {
    each_seed(400, |seed| {
        let mut random = Random::new(seed);
        let config = Config {
            journal: pick(&mut random, &JOURNALS),
            synchronous: pick(&mut random, &[Synchronous::Normal, Synchronous::Full, Synchronous::Extra]),
            ..Config::random(&mut random)
        };
        let mut machine = Machine::new(seed, config);
        machine.create();
        for _ in 0..4 {
            machine.sim.fail_at(1 + random.below(150), Fault::PowerLoss);
            while machine.transaction(&mut random) == Outcome::Ok {
                if config.journal == JournalMode::Wal && random.one_in(5) {
                    let modes = [
                        CheckpointMode::Passive,
                        CheckpointMode::Full,
                        CheckpointMode::Restart,
                        CheckpointMode::Truncate,
                    ];
                    let mode = pick(&mut random, &modes);
                    machine.checkpoint(mode);
                }
                if random.one_in(10) {
                    machine.reopen();
                }
            }
            let loss = pick(&mut random, losses(&config));
            machine.lose_power(loss);
            // Recovery is interrupted, too.
            while random.one_in(2) {
                machine.sim.fail_at(1 + random.below(30), Fault::PowerLoss);
                machine.try_to_read();
                let loss = pick(&mut random, losses(&config));
                machine.lose_power_unknowing(loss);
            }
            machine.check_after_power_loss();
        }
    });
}

/// A process that dies loses nothing that was written, whatever was synced.
#[test]
fn death_of_a_process() {
    each_seed(200, |seed| {
        let mut random = Random::new(seed);
        let config = Config {
            journal: pick(&mut random, &JOURNALS),
            synchronous: pick(&mut random, &[Synchronous::Off, Synchronous::Normal, Synchronous::Full]),
            ..Config::random(&mut random)
        };
        let mut machine = Machine::new(seed, config);
        machine.create();
        for _ in 0..3 {
            machine.sim.fail_at(1 + random.below(150), Fault::PowerLoss);
            while machine.transaction(&mut random) == Outcome::Ok {}
            machine.die();
            machine.check_exactly();
        }
    });
}

/// One call fails: the error is reported, the transaction rolls back, and the connection can be used again.
#[test]
fn failing_calls() {
    each_seed(400, |seed| {
        let mut random = Random::new(seed);
        let config = Config {
            journal: pick(&mut random, &[JOURNALS[0], JOURNALS[1], JOURNALS[2], JOURNALS[3], JournalMode::Memory]),
            synchronous: pick(&mut random, &[Synchronous::Off, Synchronous::Normal, Synchronous::Full]),
            ..Config::random(&mut random)
        };
        let mut machine = Machine::new(seed, config);
        machine.create();
        for _ in 0..10 {
            let fault = pick(&mut random, &[Fault::Eio, Fault::Enospc, Fault::Short]);
            machine.sim.fail_at(1 + random.below(60), fault);
            machine.transaction(&mut random);
            machine.sim.fail_no_more();
            machine.check_exactly();
        }
    });
}

/// One call fails while the database leaves WAL mode: the database is in one mode or the other, with everything that was
/// committed.
#[test]
fn failing_calls_while_the_log_is_left() {
    each_seed(400, |seed| {
        let mut random = Random::new(seed);
        let config = Config { journal: JournalMode::Wal, ..Config::random(&mut random) };
        let mut machine = Machine::new(seed, config);
        machine.create();
        while machine.transaction(&mut random) == Outcome::Ok && !random.one_in(3) {}
        machine.sim.fail_at(1 + random.below(40), Fault::Eio);
        let left = machine.leave_wal();
        machine.sim.fail_no_more();
        if left {
            // A log that stays is empty, so that a connection that finds it reads nothing from it.
            let log = machine.sim.read_file(Path::new("/db-wal"));
            assert!(log.is_none_or(|log| log.is_empty()), "the log of before stays");
        }
        for _ in 0..3 {
            machine.check_exactly();
            machine.transaction(&mut random);
            machine.reopen();
        }
        machine.check_exactly();
    });
}

/// Two connections take turns; each sees what the other committed.
#[test]
fn two_connections() {
    each_seed(100, |seed| {
        let mut random = Random::new(seed);
        let config = Config { journal: pick(&mut random, &JOURNALS), ..Config::random(&mut random) };
        let mut machine = Machine::new(seed, config);
        machine.create();
        for _ in 0..20 {
            assert_eq!(machine.transaction(&mut random), Outcome::Ok);
            machine.swap_connections();
            machine.check_exactly();
            if random.one_in(4) && config.journal == JournalMode::Wal {
                machine.checkpoint(pick(&mut random, &[CheckpointMode::Passive, CheckpointMode::Truncate]));
            }
        }
    });
}

/// Two databases change together or not at all.
#[test]
fn commits_over_two_files() {
    each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let sim = Sim::new(seed);
        let journal = pick(&mut random, &JOURNALS[..3]);
        let open = || [Path::new("/one"), Path::new("/two")].map(|path| open_pair(&sim, path, journal));
        let mut pagers = open();
        for pager in &pagers {
            write_number(pager, 1).unwrap();
            pager.commit().unwrap();
            pager.end_read().unwrap();
        }
        sim.restart(Loss::KeepAll);
        pagers = open();
        let mut number = 1;
        for _ in 0..4 {
            sim.fail_at(1 + random.below(120), Fault::PowerLoss);
            let committed = |n: u64| -> Result<(), lithe_pager::Error> {
                pagers.iter().try_for_each(|pager| write_number(pager, n))?;
                commit_multi_file(&[&pagers[0], &pagers[1]])?;
                pagers.iter().try_for_each(|pager| pager.end_read())
            };
            while committed(number + 1).is_ok() {
                number += 1;
            }
            sim.restart(pick(&mut random, &LOSSES));
            pagers = open();
            // Either database may be read first, and the recovery interrupted.
            if random.one_in(2) {
                sim.fail_at(1 + random.below(20), Fault::PowerLoss);
                let _ = pagers[random.below(2) as usize].begin_read();
                sim.restart(pick(&mut random, &LOSSES));
                pagers = open();
            }
            let found = pagers.each_ref().map(read_number);
            assert_eq!(found[0], found[1], "{journal:?}");
            // With synchronous FULL, the disappearance of the super-journal is durable.
            assert!((number..=number + 1).contains(&found[0]), "{found:?} after {number}");
            number = found[0];
        }
    });
}

fn open_pair(sim: &Sim, path: &Path, journal: JournalMode) -> Pager {
    let pager = Pager::open(sim.vfs(), path, &OpenOptions::default()).unwrap();
    pager.set_journal_mode(journal).unwrap();
    pager
}

fn write_number(pager: &Pager, number: u64) -> Result<(), lithe_pager::Error> {
    pager.begin_write(BeginKind::Immediate)?;
    let first = PageNo::FIRST;
    let mut page = if pager.page_count() == 0 { pager.new_page(first)? } else { pager.write(first)? };
    DbHeader::new(pager.page_size(), 0).write(&mut page);
    page[1000..1008].copy_from_slice(&number.to_le_bytes());
    Ok(())
}

fn read_number(pager: &Pager) -> u64 {
    pager.begin_read().unwrap();
    let number = u64::from_le_bytes(pager.page(PageNo::FIRST).unwrap()[1000..1008].try_into().unwrap());
    pager.end_read().unwrap();
    number
}

/// Pages that went to their place before a savepoint come back with it, even from a savepoint opened when the database was shorter: the
/// commit knows that they have to be forced to the device.
#[test]
fn pages_in_their_place_come_back_with_an_outer_savepoint() {
    for journal in JOURNALS {
        let sim = Sim::new(1);
        let open = || {
            let options = OpenOptions { cache_size: CacheSize::Pages(4), mmap_size: 0, ..OpenOptions::default() };
            let pager = Pager::open(sim.vfs(), Path::new("/db"), &options).unwrap();
            pager.set_synchronous(Synchronous::Extra);
            pager.set_may_append_past_log(true);
            pager
        };
        let pager = open();
        write_number(&pager, 1).unwrap();
        pager.commit().unwrap();
        pager.end_read().unwrap();
        pager.set_journal_mode(journal).unwrap();
        write_number(&pager, 2).unwrap();
        let pages = 2..=30;
        for no in pages.clone() {
            pager.new_page(PageNo::new(no).unwrap()).unwrap().fill(no as u8);
        }
        pager.savepoint().unwrap();
        pager.set_page_count(1).unwrap();
        pager.savepoint().unwrap();
        pager.rollback_to(1).unwrap();
        pager.rollback_to(0).unwrap();
        pager.commit().unwrap();
        pager.end_read().unwrap();
        sim.restart(Loss::DropAll);
        drop(pager);
        let pager = open();
        assert_eq!(read_number(&pager), 2, "{journal:?}");
        pager.begin_read().unwrap();
        for no in pages {
            assert_eq!(pager.page(PageNo::new(no).unwrap()).unwrap()[0], no as u8, "{journal:?}, page {no}");
        }
        pager.end_read().unwrap();
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let trace = |seed: u64| {
        let mut random = Random::new(seed);
        let mut machine = Machine::new(seed, Config::random(&mut random));
        machine.create();
        for _ in 0..5 {
            machine.transaction(&mut random);
        }
        (machine.sim.calls(), machine.committed())
    };
    assert_eq!(trace(7), trace(7));
    assert!(Sim::new(1).calls() == 0);
}
