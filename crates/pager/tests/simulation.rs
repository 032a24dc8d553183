//! Power losses and failing calls, simulated: a database must hold exactly what was committed.
//!
//! A run is a function of its seed. `SEED=…` replays one, `RUNS=…` says how many there are.

mod model;

use lithe_pager::{CheckpointMode, JournalMode, Synchronous};
use lithe_vfs::{Fault, Loss, Random, Sim};
use model::{Config, Machine, Outcome};

fn runs(default: u64) -> u64 {
    std::env::var("RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(default)
}

fn each_seed(default: u64, run: impl Fn(u64)) {
    if let Ok(seed) = std::env::var("SEED") {
        return run(seed.parse().unwrap());
    }
    for seed in 0..runs(default) {
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed)));
        if let Err(panic) = failed {
            eprintln!("with SEED={seed}");
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

/// One call fails: the error is reported, the transaction rolls back, and the connection goes on.
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
