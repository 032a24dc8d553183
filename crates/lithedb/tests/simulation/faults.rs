//! Every call on a file fails once: the error is reported, no change is half done, and the connection stays usable.

use lithe::Connection;
use lithe::vfs::{DeviceCharacteristics, Fault, Loss, Sim};

use crate::config::Config;
use crate::engines::{Arg, Code, Model, Op, open, run, set_up};
use crate::ops::{AUX_SCHEMA, SCHEMA};
use crate::state::{damage_of, state_of};

const FAULTS: [Fault; 3] = [Fault::Eio, Fault::Enospc, Fault::Short];

/// NOMEM, IOERR, FULL, CANTOPEN: the possible codes of a failed call.
const CODES: [Code; 4] = [7, 10, 13, 14];

const COUNT: &str = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<?1)";

/// One statement of every kind: small and large transactions, savepoints, failing statements, schema changes, statements that free pages,
/// checkpoints, and a connection that closes.
fn script(config: &Config) -> Vec<Op> {
    let sql = |text: &str| Op::new(text, []);
    let many =
        |rows: i64| Op::new(format!("INSERT INTO t(n, v) {COUNT} SELECT i, zeroblob(i * 9) FROM c"), [Arg::Int(rows)]);
    let mut script = vec![
        sql("INSERT INTO t(n, v) VALUES (1, zeroblob(3000))"),
        sql("SELECT count(*), sum(length(v)) FROM t"),
        sql("BEGIN"),
        many(50),
        sql("SAVEPOINT a"),
        sql("UPDATE t SET v = 'short' WHERE n % 2"),
        sql("ROLLBACK TO a"),
        sql("DELETE FROM t WHERE n % 3 = 0"),
        sql("INSERT INTO u VALUES ('b', 2, 1), ('c', 3, 1), ('a', 9, 1)"),
        sql("RELEASE a"),
        sql("COMMIT"),
        sql("PRAGMA incremental_vacuum(2)"),
        sql("PRAGMA wal_checkpoint(PASSIVE)"),
        sql("BEGIN IMMEDIATE"),
        sql("CREATE TABLE x9 AS SELECT n, v FROM t"),
        sql("DROP TABLE x0"),
        sql("COMMIT"),
        sql("BEGIN"),
        many(20),
        sql("ROLLBACK"),
        sql("close"),
        sql("UPDATE u SET n = n + 1 WHERE k = 'a'"),
        sql("DELETE FROM t WHERE n > 5"),
        sql("PRAGMA wal_checkpoint(TRUNCATE)"),
        sql("VACUUM"),
        sql("INSERT INTO t(n, v) VALUES (7, 'last')"),
    ];
    if config.attached {
        let both = [
            sql("BEGIN"),
            sql("INSERT INTO aux.a(n, v) VALUES (1, 'both')"),
            sql("INSERT INTO t(n, v) VALUES (1, 'both')"),
            sql("COMMIT"),
        ];
        script.splice(0..0, both);
    }
    script
}

fn schema(config: &Config) -> Vec<Op> {
    let mut schema: Vec<Op> = SCHEMA.iter().map(|sql| Op::new(*sql, [])).collect();
    schema.push(Op::new("INSERT INTO u VALUES ('a', 1, zeroblob(700))", []));
    if config.attached {
        schema.push(Op::new(AUX_SCHEMA, []));
    }
    schema
}

/// A machine on which one call fails.
struct Failing<'c> {
    config: &'c Config,
    sim: Sim,
    connection: Option<Connection>,
    model: Model,
    /// The statements of the open transaction.
    transaction: Vec<Op>,
}

/// Makes every `stride`-th call of the script fail, one in each run. Answers the number of failed calls.
pub fn check(config: &Config, stride: usize) -> u64 {
    let base = {
        let sim = Sim::new(1);
        let connection = open(sim.vfs(), &Config::folder(0), config).unwrap();
        set_up(&connection, config).unwrap();
        schema(config).iter().for_each(|op| run(&connection, op).unwrap());
        drop(connection);
        sim.files()
    };
    let start = || {
        let model = Model::new(config);
        schema(config).iter().for_each(|op| assert_eq!(model.run(op), 0));
        let sim = Sim::with_files(2, base.clone());
        if !config.powersafe {
            sim.set_device(DeviceCharacteristics::default(), 2048);
        }
        Failing { config, sim, connection: None, model, transaction: Vec::new() }
    };
    let script = script(config);
    let calls = start().run(&script);
    let mut failed = 0;
    for call in (1..=calls).step_by(stride) {
        let fault = FAULTS[failed as usize % FAULTS.len()];
        let failing = start();
        failing.sim.fail_at(call, fault);
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| failing.run(&script)));
        if let Err(panic) = checked {
            eprintln!("call {call} of {calls} met {fault:?}: {config:?}");
            std::panic::resume_unwind(panic);
        }
        failed += 1;
    }
    failed
}

impl Failing<'_> {
    /// Runs the script; answers the number of its calls.
    fn run(mut self, script: &[Op]) -> u64 {
        for op in script {
            self.step(op);
        }
        // An integrity check that cannot read reports damage, so no call must fail during it.
        self.sim.fail_no_more();
        self.check_integrity();
        self.connection = None;
        let calls = self.sim.calls();
        self.compare("after closing");
        self.connection = None;
        self.sim.restart(Loss::KeepAll);
        self.compare("after starting again");
        self.check_integrity();
        calls
    }

    fn check_integrity(&mut self) {
        let attached = self.config.attached;
        assert_eq!(damage_of(self.connection(), attached), Ok(vec![]));
    }

    /// The connection, opened if necessary. The failing call may be one of the opening; then the second attempt succeeds.
    fn connection(&mut self) -> &Connection {
        for attempt in 0..2 {
            if self.connection.is_some() {
                break;
            }
            let opened = open(self.sim.vfs(), &Config::folder(0), self.config)
                .and_then(|connection| set_up(&connection, self.config).map(|()| connection));
            match opened {
                Ok(connection) => self.connection = Some(connection),
                Err(error) => assert!(attempt == 0 && is_expected(&error), "opening: {error:?}"),
            }
        }
        self.connection.as_ref().expect("a call fails once")
    }

    fn compare(&mut self, when: &str) {
        let expected = self.model.state();
        let attached = self.config.attached;
        let mut found = state_of(self.connection(), attached);
        if found.is_err() {
            // The failing call may be one of these.
            found = state_of(self.connection(), attached);
        }
        assert_eq!(found, Ok(expected), "{when}");
    }

    fn step(&mut self, op: &Op) {
        if op.sql == "close" {
            self.connection = None;
            return;
        }
        let was_open = !self.connection().is_autocommit();
        let done = run(self.connection(), op);
        if op.sql.starts_with("VACUUM") || op.sql.starts_with("PRAGMA") {
            if let Err(error) = &done
                && !error.message().contains("not supported yet")
            {
                assert!(is_expected(error), "{}: {error:?}", op.sql);
                self.compare(&op.sql);
            }
            return;
        }
        match done {
            Ok(()) => {
                assert_eq!(self.model.run(op), 0, "{}", op.sql);
                self.transaction.push(op.clone());
                if self.model.db.is_autocommit() {
                    self.transaction.clear();
                }
            }
            Err(error) if !is_expected(&error) => {
                assert_eq!(self.model.run(op), error.code().primary().0, "{}: {error:?}", op.sql);
            }
            Err(_) => self.failed(op, was_open),
        }
    }

    /// Handles a failed statement: the statement is undone, or the whole transaction. A commit may have happened.
    fn failed(&mut self, op: &Op, was_open: bool) {
        let is_open = !self.connection().is_autocommit();
        if was_open && op.sql != "COMMIT" {
            if !is_open {
                assert_eq!(self.model.run(&Op::new("ROLLBACK", [])), 0);
                self.transaction.clear();
            } else if op.sql.starts_with("ROLLBACK TO") {
                // The transaction is partly rolled back: every statement but ROLLBACK fails.
                self.roll_back();
            }
            return self.compare(&op.sql);
        }
        if was_open && is_open {
            self.roll_back();
            return self.compare("a commit that failed and was rolled back");
        }
        // The application must query the database to learn whether the commit has happened.
        let attached = self.config.attached;
        let found = state_of(self.connection(), attached).expect("a call fails once");
        if was_open {
            self.model.run(&Op::new("ROLLBACK", []));
        }
        let before = self.model.state();
        if found != before {
            let transaction = std::mem::take(&mut self.transaction);
            // Without super-journals, each file commits separately.
            let is_whole = !attached || self.config.is_atomic_over_files();
            let has_happened = |op: &Op| match database_of(op) {
                Some(database) => is_whole || found[database] != before[database],
                None => true,
            };
            for op in transaction.iter().chain([op]).filter(|op| has_happened(op)) {
                self.model.run(op);
            }
        }
        self.transaction.clear();
        self.compare(&op.sql);
    }
}

/// The index in `State` of the database that a statement writes; `None` for BEGIN, COMMIT and the like.
fn database_of(op: &Op) -> Option<usize> {
    let writes = ["INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER"];
    writes.iter().any(|verb| op.sql.starts_with(verb)).then(|| usize::from(op.sql.contains("aux.")))
}

impl Failing<'_> {
    fn roll_back(&mut self) {
        let rollback = Op::new("ROLLBACK", []);
        run(self.connection(), &rollback).expect("a call fails once");
        assert_eq!(self.model.run(&rollback), 0);
        self.transaction.clear();
    }
}

fn is_expected(error: &lithe::Error) -> bool {
    CODES.contains(&error.code().primary().0)
}
