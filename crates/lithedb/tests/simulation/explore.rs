//! Power failures at all moments of a run, and checks of the recovered databases.

use std::path::PathBuf;

use lithe::vfs::{DeviceCharacteristics, Fault, Loss, Random, Sim};

use crate::config::{Config, has_journal_file, pick};
use crate::engines::{Files, Model, open};
use crate::machine::{Machine, Run};
use crate::promise::{Promise, mode_at};
use crate::state::{State, damage_of, state_of};

/// The most moments of one run that are explored.
const MOMENTS_MAX: u64 = 600;

/// One in this many recoveries is interrupted by another power loss.
const INTERRUPTED_ONE_IN: u64 = 4;

/// One in this many crashes is checked by SQLite, too.
const SQLITE_ONE_IN: u64 = 60;

/// The files of a machine.
type Disk = Vec<(PathBuf, Vec<u8>)>;

/// Runs a seed: several generations, each on the files that a crash of the one before has left. Answers the number of crashes.
pub fn run_seed(seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let mut config = Config::random(&mut random);
    let mut model = Model::new(&config);
    let mut disk = Disk::new();
    let mut crashes = 0;
    for generation in 0..1 + random.below(3) {
        let machine = Machine::new(seed, random.clone(), config.clone(), disk, model, generation);
        let run = machine.run(3 + random.below(12), generation == 0);
        if std::env::var_os("SIMULATION_TRACE").is_some() {
            println!("{config:?}\n{}", run.trace.join("\n"));
            let mut replay = run.recording.replay();
            for at in 0..run.recording.len() {
                replay.advance(|done| println!("{at:5} {done:?}"));
            }
        }
        let mut explorer =
            Explorer { seed, config: &config, run: &run, random: random.clone(), crashes: 0, left: None };
        explorer.explore();
        crashes += explorer.crashes;
        let Some(left) = explorer.left else { break };
        // The next generation begins with the files of the crash, as SQLite reads them.
        let files = Files::new(&Config::folder(seed), &left);
        model = Model::of_files(&files, &config).unwrap();
        disk = left;
        let other = Config::random(&mut random);
        config = config.next_generation(other);
    }
    crashes
}

struct Explorer<'r> {
    seed: u64,
    config: &'r Config,
    run: &'r Run,
    random: Random,
    crashes: u64,
    /// The files of one of the crashes.
    left: Option<Disk>,
}

impl Explorer<'_> {
    fn explore(&mut self) {
        let run = self.run;
        let mut replay = run.recording.replay();
        let mut promise = Promise::new(self.config, &run.modes, &run.commits);
        let moments = run.recording.len() as u64 + 1;
        for at in 0..=run.recording.len() {
            if self.is_promised(at) && self.random.below(moments) < MOMENTS_MAX {
                let losses = self.config.losses(self.is_setting_up(at));
                let loss = pick(&mut self.random, losses);
                let disk = replay.lose_power(loss, &mut self.random);
                self.crash(&promise, loss, disk);
            }
            replay.advance(|done| promise.advance(done));
        }
    }

    /// Whether the databases are still being set up in the journal mode.
    fn is_setting_up(&self, at: usize) -> bool {
        self.run.spans.first().is_some_and(|&(_, end)| at < end)
    }

    /// Whether a state is promised: without a journal on the disk, a crash in the middle of a commit may leave any state.
    fn is_promised(&self, at: usize) -> bool {
        let writing = || self.run.spans.iter().any(|&(begun, end)| begun < at && at < end);
        has_journal_file(mode_at(&self.run.modes, at)) || !writing()
    }

    fn crash(&mut self, promise: &Promise<'_>, loss: Loss, disk: Disk) {
        self.crashes += 1;
        let only_process = loss == Loss::KeepAll;
        let found = self.recover(&disk).unwrap_or_else(|error| {
            crate::dump(&disk);
            self.fail(promise, loss, &error)
        });
        if !promise.allows(found, only_process) {
            crate::dump(&disk);
            self.fail(promise, loss, &promise.explain(found, only_process));
        }
        if self.random.one_in(SQLITE_ONE_IN)
            && let Err(error) = self.compare_with_sqlite(&disk, found)
        {
            self.fail(promise, loss, &error);
        }
        if self.left.is_none() || self.random.one_in(100) {
            self.left = Some(disk);
        }
    }

    /// Starts a machine with the files of the crash, and reads the databases.
    fn recover(&mut self, disk: &Disk) -> Result<State, String> {
        let sim = Sim::with_files(self.random.number(), disk.clone());
        if !self.config.powersafe {
            sim.set_device(DeviceCharacteristics::default(), 2048);
        }
        while self.random.one_in(INTERRUPTED_ONE_IN) {
            sim.fail_at(1 + self.random.below(60), Fault::PowerLoss);
            let _ = self.read(&sim);
            let loss = pick(&mut self.random, &[Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn]);
            sim.restart(if self.recovery_survives(loss) { loss } else { Loss::KeepAll });
        }
        let found = self.read(&sim)?;
        if self.random.one_in(8) {
            self.use_again(&sim, found)?;
        }
        Ok(found)
    }

    /// Whether a loss during a recovery is survived. With a VFS of the application the calls are SQLite's, and without syncs there
    /// are none in a recovery either: the journal may end before what was played back has reached the disk.
    fn recovery_survives(&self, loss: Loss) -> bool {
        loss == Loss::KeepAll || !self.config.foreign || self.config.synchronous != "OFF"
    }

    fn read(&self, sim: &Sim) -> Result<State, String> {
        let connection =
            open(sim.vfs(), &Config::folder(self.seed), self.config).map_err(|e| e.message().to_owned())?;
        if !self.config.mapped {
            let _ = connection.execute_batch("PRAGMA mmap_size=0");
        }
        let found = state_of(&connection, self.config.attached)?;
        match damage_of(&connection, self.config.attached)? {
            damage if damage.is_empty() => Ok(found),
            damage => Err(format!("integrity_check: {damage:?}")),
        }
    }

    /// Checks that the databases can be written after the recovery.
    fn use_again(&self, sim: &Sim, found: State) -> Result<(), String> {
        let connection =
            open(sim.vfs(), &Config::folder(self.seed), self.config).map_err(|e| e.message().to_owned())?;
        let written = connection.execute_batch(
            "CREATE TABLE again(id INTEGER PRIMARY KEY, v); INSERT INTO again VALUES (1, zeroblob(3000)), (2, 'x')",
        );
        written.map_err(|error| format!("writing after the crash: {}", error.message()))?;
        drop(connection);
        let after = self.read(sim)?;
        if after[0] == found[0] || after[1] != found[1] {
            return Err("what was written after the crash is not there".to_string());
        }
        Ok(())
    }

    fn compare_with_sqlite(&self, disk: &Disk, found: State) -> Result<(), String> {
        let files = Files::new(&Config::folder(self.seed), disk);
        let sqlite = files.open(self.config).map_err(|error| error.to_string())?;
        let seen = state_of(&sqlite, self.config.attached)?;
        let damage = damage_of(&sqlite, self.config.attached)?;
        if seen != found || !damage.is_empty() {
            return Err(format!("SQLite sees {seen:x?} and {damage:?}, Lithe {found:x?}"));
        }
        Ok(())
    }

    fn fail(&self, promise: &Promise<'_>, loss: Loss, what: &str) -> ! {
        eprintln!("{}", self.run.trace.join("\n"));
        for (at, commit) in self.run.commits.iter().enumerate() {
            eprintln!("commit {at}: {commit:x?}");
        }
        panic!("{what}\n{loss:?}, {:?}\n{:?}", self.config, promise.explain([0; 2], loss == Loss::KeepAll))
    }
}
