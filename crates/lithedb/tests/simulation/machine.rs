//! A run: random transactions on a simulated machine, beside a model that runs the same statements, recorded with the moments of all
//! commits.

use std::path::PathBuf;

use lithe::Connection;
use lithe::vfs::{DeviceCharacteristics, Random, Recording, Sim};

use crate::config::{Config, pick};
use crate::engines::{Code, Model, Op, open, run, set_up};
use crate::ops::{AUX_SCHEMA, LARGE_LOAD, Ops, SCHEMA};
use crate::promise::{Commit, ModeChange};
use crate::state::{State, damage_of, state_of};

const BUSY: Code = 5;

/// A machine with databases, the connections to them, and the model of their content.
pub struct Machine {
    pub config: Config,
    pub sim: Sim,
    pub folder: PathBuf,
    pub random: Random,
    /// Decides whether another process appears to be present.
    others: Random,
    one: Option<Connection>,
    two: Option<Connection>,
    /// The state at the start of the second connection's read transaction.
    reader: Option<State>,
    model: Model,
    ops: Ops,
    commits: Vec<Commit>,
    /// The statements that wrote to the disk: their first and last moments.
    spans: Vec<(usize, usize)>,
    /// The journal modes, in order.
    modes: Vec<ModeChange>,
    /// The statements, to explain a failure.
    trace: Vec<String>,
    /// Whether an integrity check follows each statement: `CHECK=1` finds the statement that damages a database.
    looks_closely: bool,
}

impl Drop for Machine {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{:?}\n{}", self.config, self.trace.join("\n"));
            crate::dump(&self.sim.files());
        }
    }
}

/// The recording of a run.
pub struct Run {
    pub recording: Recording,
    pub commits: Vec<Commit>,
    pub spans: Vec<(usize, usize)>,
    pub modes: Vec<ModeChange>,
    pub trace: Vec<String>,
}

impl Machine {
    /// A machine that starts with `files`, and the model of their content.
    pub fn new(
        seed: u64,
        random: Random,
        config: Config,
        files: Vec<(PathBuf, Vec<u8>)>,
        model: Model,
        generation: u64,
    ) -> Machine {
        let sim = Sim::with_files(seed, files);
        if !config.powersafe {
            sim.set_device(DeviceCharacteristics::default(), 2048);
        }
        sim.set_foreign(config.foreign);
        let state = model.state();
        let ops = Ops::new(&config, generation * 100_000);
        Machine {
            folder: Config::folder(seed),
            modes: vec![ModeChange { from: 0, journal: config.journal }],
            config,
            sim,
            random,
            others: Random::new(!seed),
            one: None,
            two: None,
            reader: None,
            model,
            ops,
            commits: vec![Commit { state, begun: 0, acknowledged: 0 }],
            spans: Vec::new(),
            trace: Vec::new(),
            looks_closely: std::env::var_os("CHECK").is_some(),
        }
    }

    /// Runs `count` transactions, with maintenance and other connections in between.
    pub fn run(mut self, count: u64, create: bool) -> Run {
        self.sim.record();
        self.reopen();
        if create {
            self.create();
        }
        for _ in 0..count {
            self.read_beside();
            if self.config.is_wal() && self.config.cache_pages < LARGE_LOAD && self.others.one_in(6) {
                self.load();
            }
            self.transaction();
            if self.random.one_in(2) {
                self.compare();
            }
            self.maintain();
            if self.others.one_in(5) {
                self.change_settings();
            }
        }
        self.end_reader();
        if self.random.one_in(2) {
            self.close();
        }
        Run {
            recording: self.sim.stop_recording(),
            commits: std::mem::take(&mut self.commits),
            spans: std::mem::take(&mut self.spans),
            modes: std::mem::take(&mut self.modes),
            trace: std::mem::take(&mut self.trace),
        }
    }

    fn create(&mut self) {
        for sql in SCHEMA {
            self.both(&Op::new(sql, []));
        }
        if self.config.attached {
            self.both(&Op::new(AUX_SCHEMA, []));
        }
    }

    // ---- connections ----

    fn reopen(&mut self) {
        self.close();
        let count = 1 + u64::from(self.config.two);
        for at in 0..count {
            let begun = self.sim.recorded();
            let connection = open(self.sim.vfs(), &self.folder, &self.config).unwrap();
            set_up(&connection, &self.config).unwrap();
            let checkpoint = pick(&mut self.random, &[1000, 1000, 10, 40]);
            connection.execute_batch(&format!("PRAGMA wal_autocheckpoint={checkpoint}")).unwrap();
            self.note(format!("open {at}; PRAGMA wal_autocheckpoint={checkpoint}"));
            self.note_span(begun);
            self.note_mode(self.config.journal);
            if at == 0 { self.one = Some(connection) } else { self.two = Some(connection) }
        }
    }

    fn close(&mut self) {
        self.end_reader();
        let begun = self.sim.recorded();
        self.note("close".to_string());
        self.one = None;
        self.two = None;
        self.note_span(begun);
    }

    fn one(&self) -> &Connection {
        self.one.as_ref().expect("it is open")
    }

    fn is_idle(&self) -> bool {
        self.model.db.is_autocommit()
    }

    /// Sometimes the second connection begins or ends a read transaction, and sometimes it writes.
    fn read_beside(&mut self) {
        if !self.config.two {
            return;
        }
        if self.reader.is_some() {
            if self.random.one_in(3) {
                self.end_reader();
            }
        } else if self.random.one_in(3) {
            std::mem::swap(&mut self.one, &mut self.two);
            self.note("swap".to_string());
        } else if self.random.one_in(2) {
            self.note("two: BEGIN; read".to_string());
            let two = self.two.as_ref().expect("it is open");
            two.execute_batch("BEGIN").unwrap();
            let seen = state_of(two, self.config.attached).unwrap();
            assert_eq!(seen, self.last_state(), "a reader sees the last commit");
            self.reader = Some(seen);
        }
    }

    fn end_reader(&mut self) {
        let Some(seen) = self.reader.take() else { return };
        self.note("two: COMMIT".to_string());
        let two = self.two.as_ref().expect("it is open");
        assert_eq!(state_of(two, self.config.attached).unwrap(), seen, "a snapshot changes");
        two.execute_batch("COMMIT").unwrap();
    }

    // ---- statements ----

    /// Runs a statement on both engines, whose results must agree.
    fn both(&mut self, op: &Op) {
        let begun = self.sim.recorded();
        self.note(format!("{} {:?}", op.sql, op.args));
        self.sim.set_shm_shared(self.others.one_in(4));
        let mut done = run(self.one(), op);
        if code_of(&done) == BUSY && self.reader.is_some() {
            // In rollback mode, a reader blocks the commits of other connections.
            self.note_span(begun);
            self.end_reader();
            self.note("again".to_string());
            return self.both(op);
        }
        if op.sql.starts_with("VACUUM") {
            if done.as_ref().is_err_and(|error| error.message().contains("not supported yet")) {
                done = Ok(());
            }
            assert!(done.is_ok(), "{done:?}");
            return self.note_commit(begun);
        }
        let expected = self.model.run(&Op { sql: op.sql.replace("CONCURRENT", ""), ..op.clone() });
        assert_eq!(code_of(&done), expected, "{op:.300?}: {done:?}");
        assert_eq!(self.one().is_autocommit(), self.is_idle(), "{op:.300?}");
        if self.is_idle() {
            self.note_commit(begun);
        } else {
            self.note_span(begun);
        }
        if self.looks_closely {
            assert_eq!(damage_of(self.one(), self.config.attached).unwrap(), [""; 0], "{op:.300?}");
        }
    }

    fn note(&mut self, mut what: String) {
        what.truncate(200);
        let at = self.sim.recorded();
        self.trace.push(format!("{at:5} {what}"));
    }

    fn note_span(&mut self, begun: usize) {
        let end = self.sim.recorded();
        if end > begun {
            self.spans.push((begun, end));
        }
    }

    fn note_commit(&mut self, begun: usize) {
        self.note_span(begun);
        let state = self.model.state();
        if state != self.last_state() {
            self.commits.push(Commit { state, begun, acknowledged: self.sim.recorded() });
        }
    }

    fn last_state(&self) -> State {
        self.commits.last().expect("there is a first one").state
    }

    fn transaction(&mut self) {
        if self.random.one_in(2) {
            let op = self.ops.write(&mut self.random);
            return self.both(&op);
        }
        let kind = pick(&mut self.random, &["", "", "IMMEDIATE", "EXCLUSIVE", "CONCURRENT"]);
        self.both(&Op::new(format!("BEGIN {kind}"), []));
        let most = if self.random.one_in(4) { 16 } else { 5 };
        let mut savepoints = 0;
        for _ in 0..1 + self.random.below(most) {
            match self.random.below(8) {
                0 => {
                    self.both(&Op::new(format!("SAVEPOINT s{savepoints}"), []));
                    savepoints += 1;
                }
                what @ (1 | 2) if savepoints > 0 => {
                    let which = self.random.below(savepoints);
                    let verb = if what == 1 { "RELEASE" } else { "ROLLBACK TO" };
                    self.both(&Op::new(format!("{verb} s{which}"), []));
                    savepoints = which + u64::from(what == 2);
                }
                _ => {
                    let op = self.ops.write(&mut self.random);
                    self.both(&op);
                }
            }
            if self.is_idle() {
                // OR ROLLBACK has ended the transaction.
                return;
            }
        }
        let end = if self.random.one_in(5) { "ROLLBACK" } else { "COMMIT" };
        self.both(&Op::new(end, []));
    }

    /// A bulk load of more than the cache holds, which may be written past the log.
    fn load(&mut self) {
        if self.others.one_in(2) {
            self.end_reader();
            let begun = self.sim.recorded();
            self.note("PRAGMA wal_checkpoint(TRUNCATE)".to_string());
            self.one().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
            self.note_span(begun);
        }
        self.both(&Op::new("BEGIN IMMEDIATE", []));
        let mut has_savepoint = false;
        for _ in 0..1 + self.others.below(2) {
            for insert in self.ops.load(&mut self.others) {
                self.both(&insert);
            }
            let sql = match self.others.below(5) {
                0 => "SAVEPOINT l",
                1 if has_savepoint => "ROLLBACK TO l",
                2 => "DELETE FROM t WHERE id % 3 = 1",
                3 => "UPDATE t SET n = n + 1 WHERE id % 5 = 1",
                _ => continue,
            };
            has_savepoint |= sql == "SAVEPOINT l";
            self.both(&Op::new(sql, []));
        }
        let end = if self.others.one_in(5) { "ROLLBACK" } else { "COMMIT" };
        self.both(&Op::new(end, []));
    }

    fn compare(&self) {
        assert_eq!(state_of(self.one(), self.config.attached).unwrap(), self.last_state(), "both engines agree");
    }

    /// Maintenance between transactions.
    fn maintain(&mut self) {
        let begun = self.sim.recorded();
        match self.random.below(24) {
            0..=4 if self.config.is_wal() => {
                let mode = pick(&mut self.random, &["PASSIVE", "FULL", "RESTART", "TRUNCATE"]);
                self.note(format!("PRAGMA wal_checkpoint({mode})"));
                self.one().execute_batch(&format!("PRAGMA wal_checkpoint({mode})")).unwrap();
                self.note_span(begun);
            }
            5..=7 if self.config.auto_vacuum == "INCREMENTAL" => {
                let pages = 1 + self.random.below(8);
                let vacuum = format!("PRAGMA incremental_vacuum({pages})");
                self.end_reader();
                self.note(vacuum.clone());
                self.one().execute_batch(&vacuum).unwrap();
                self.note_span(begun);
            }
            8 => {
                self.end_reader();
                let aux = self.config.attached && self.others.one_in(2);
                self.both(&Op::new(if aux { "VACUUM aux" } else { "VACUUM" }, []));
            }
            9 | 10 => self.reopen(),
            11..=13 => {
                self.compare();
                assert_eq!(damage_of(self.one(), self.config.attached).unwrap(), [""; 0]);
            }
            _ => {}
        }
    }

    /// Changes settings of a running application, if the promises after a crash stay at least as strong.
    fn change_settings(&mut self) {
        let lasts_alike = !self.config.attached || matches!(self.config.synchronous, "FULL" | "EXTRA");
        match self.others.below(7) {
            6 if !self.config.attached && !self.config.two && !self.config.is_wal() => self.change_journal_mode(),
            0 | 1 if !self.config.two && !self.config.exclusive => {
                let mode = pick(&mut self.others, &["EXCLUSIVE", "EXCLUSIVE", "NORMAL"]);
                self.set(&format!("PRAGMA locking_mode={mode}"));
            }
            2 if self.config.journal == "DELETE" && lasts_alike => {
                let mode = pick(&mut self.others, &["DELETE", "TRUNCATE", "PERSIST"]);
                self.set(&format!("PRAGMA journal_mode={mode}"));
            }
            3 => {
                let bytes = pick(&mut self.others, &["-1", "0", "1000", "5000"]);
                self.set(&format!("PRAGMA journal_size_limit={bytes}"));
            }
            4 => {
                let how = pick(&mut self.others, &["ON", "OFF", "FAST"]);
                self.set(&format!("PRAGMA secure_delete={how}"));
            }
            // All pages change, and the number of pages on a sector. (In WAL mode the page size stays.)
            _ => {
                let size = pick(&mut self.others, &[512, 1024, 2048, 4096]);
                let auto_vacuum = pick(&mut self.others, &["NONE", "FULL", "INCREMENTAL"]);
                self.set(&format!("PRAGMA page_size={size}; PRAGMA auto_vacuum={auto_vacuum}"));
                self.both(&Op::new("VACUUM", []));
            }
        }
    }

    /// Changes to any mode but WAL; on the engine's own VFSes also to one without a journal file, because commits of before and after must
    /// not meet in a journal that reappears.
    fn change_journal_mode(&mut self) {
        // Without a journal, changes that exceed the cache cannot be undone.
        let has_large_cache = self.config.cache_pages > 1000;
        let modes = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "MEMORY", "OFF", "OFF"];
        let count = match (self.config.foreign, has_large_cache) {
            (true, _) => 3,
            (false, false) => 5,
            (false, true) => modes.len(),
        };
        let mode = pick(&mut self.others, &modes[..count]);
        self.set(&format!("PRAGMA journal_mode={mode}"));
        self.note_mode(mode);
    }

    fn note_mode(&mut self, journal: &'static str) {
        self.modes.push(ModeChange { from: self.sim.recorded(), journal });
    }

    fn set(&mut self, pragmas: &str) {
        self.end_reader();
        let begun = self.sim.recorded();
        self.note(pragmas.to_string());
        self.one().execute_batch(pragmas).unwrap();
        self.note_span(begun);
    }
}

fn code_of(done: &lithe::Result<()>) -> Code {
    done.as_ref().err().map_or(0, |error| error.code().primary().0)
}
