//! Power loss during statements that the engine itself runs: VACUUM with another page size, and commits over attached
//! files.

use std::sync::Arc;

use lithe_engine::vfs::{Fault, Loss, Random, Sim, Vfs};
use lithe_engine::{Connection, OpenFlags, Result, Step};

const LOSSES: [Loss; 4] = [Loss::DropAll, Loss::KeepAll, Loss::KeepPrefix, Loss::Torn];

fn open(vfs: &Arc<dyn Vfs>) -> Result<Connection> {
    Connection::open_with_vfs(b"/one.db", OpenFlags::DEFAULT, Some(Arc::clone(vfs)))
}

/// Runs all statements of a text and answers the first value of the last row.
fn run(connection: &Connection, sql: &str) -> Result<String> {
    let mut last = String::new();
    for sql in sql.split_inclusive(';') {
        let Some(mut statement) = connection.prepare(sql.as_bytes())?.statement else { continue };
        let outcome = loop {
            match statement.step(connection) {
                Ok(Step::Row) if statement.column_count() > 0 => {
                    last =
                        String::from_utf8_lossy(&lithe_engine::value::cast::to_text(statement.value(0))).into_owned();
                }
                Ok(Step::Row) => {}
                Ok(Step::Done) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let outcome = outcome.and(statement.reset(connection));
        outcome?;
    }
    Ok(last)
}

fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize]
}

#[test]
fn commits_over_attached_files() {
    for seed in 0..120 {
        let mut random = Random::new(seed);
        let sim = Sim::new(seed);
        let vfs = sim.vfs();
        let mode = one_of(&mut random, &["DELETE", "TRUNCATE", "PERSIST"]);
        let open = || -> Result<Connection> {
            let connection = open(&vfs)?;
            run(&connection, "ATTACH '/two.db' AS two; ATTACH '/three.db' AS three")?;
            run(&connection, &format!("PRAGMA journal_mode = {mode}; PRAGMA cache_size = 10"))?;
            Ok(connection)
        };
        let tables = "CREATE TABLE a(n, x); CREATE TABLE two.b(n, x); CREATE TABLE three.c(n, x);";
        let rows = "INSERT INTO a VALUES (0, 0); INSERT INTO b VALUES (0, 0); INSERT INTO c VALUES (0, 0)";
        run(&open().unwrap(), &format!("{tables}{rows}")).unwrap();
        sim.restart(Loss::KeepAll);
        let mut number = 0_u64;
        for _ in 0..6 {
            let connection = open().unwrap();
            sim.fail_at(1 + random.below(160), Fault::PowerLoss);
            loop {
                let n = number + 1;
                let size = random.below(40_000);
                let set = |table| format!("UPDATE {table} SET n = {n}, x = zeroblob({size});");
                // Main is not always among the databases that are written.
                let sql = if n.is_multiple_of(3) {
                    format!("{}{}", set("b"), set("c"))
                } else {
                    format!("{}{}{}", set("a"), set("b"), set("c"))
                };
                if run(&connection, &format!("BEGIN;{sql}COMMIT")).is_err() {
                    break;
                }
                number = n;
            }
            drop(connection);
            sim.restart(one_of(&mut random, &LOSSES));
            let connection = open().unwrap();
            let found = run(&connection, "SELECT b.n || ' ' || c.n FROM b, c").unwrap();
            let found: Vec<u64> = found.split(' ').map(|n| n.parse().unwrap()).collect();
            assert_eq!(found[0], found[1], "seed {seed}");
            assert!((number..=number + 1).contains(&found[0]), "seed {seed}: {found:?} after {number}");
            let main: u64 = run(&connection, "SELECT n FROM a").unwrap().parse().unwrap();
            assert_eq!(
                main,
                if found[0].is_multiple_of(3) { found[0].saturating_sub(1) } else { found[0] },
                "seed {seed}"
            );
            number = found[0];
            for schema in ["main", "two", "three"] {
                assert_eq!(run(&connection, &format!("PRAGMA {schema}.integrity_check")).unwrap(), "ok", "seed {seed}");
            }
        }
    }
}

#[test]
fn vacuum() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let sim = Sim::new(seed);
        let vfs = sim.vfs();
        let mode = one_of(&mut random, &["DELETE", "TRUNCATE", "PERSIST", "WAL"]);
        let sizes = [512, 1024, 4096];
        let (before, after) = (one_of(&mut random, &sizes), one_of(&mut random, &sizes));
        let auto_vacuum = random.below(3);
        {
            let connection = open(&vfs).unwrap();
            let setup = format!(
                "PRAGMA page_size = {before}; PRAGMA journal_mode = {mode}; CREATE TABLE t(a, b); CREATE INDEX i ON t(b);"
            );
            run(&connection, &setup).unwrap();
            run(&connection, "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO t SELECT zeroblob(i * 7), i FROM n; DELETE FROM t WHERE b % 3 = 0").unwrap();
        }
        sim.restart(Loss::KeepAll);
        let look = "SELECT count(*) || ' ' || sum(b) || ' ' || sum(length(a)) FROM t";
        let expected = run(&open(&vfs).unwrap(), look).unwrap();
        for _ in 0..4 {
            let connection = open(&vfs).unwrap();
            run(&connection, "PRAGMA synchronous = FULL").unwrap();
            run(
                &connection,
                &format!("PRAGMA page_size = {after}; PRAGMA auto_vacuum = {auto_vacuum}; PRAGMA cache_size = 5"),
            )
            .unwrap();
            sim.fail_at(1 + random.below(250), Fault::PowerLoss);
            while run(&connection, "VACUUM").is_ok() {}
            drop(connection);
            sim.restart(one_of(&mut random, &LOSSES));
            // Recovery itself may be interrupted.
            sim.fail_at(1 + random.below(60), Fault::PowerLoss);
            if let Ok(connection) = open(&vfs) {
                let _ = run(&connection, look);
            }
            sim.restart(one_of(&mut random, &LOSSES));
            let connection = open(&vfs).unwrap();
            assert_eq!(run(&connection, look).unwrap(), expected, "seed {seed}, {mode}, {before} to {after}");
            assert_eq!(
                run(&connection, "PRAGMA integrity_check").unwrap(),
                "ok",
                "seed {seed}, {mode}, {before} to {after}"
            );
        }
    }
}

#[test]
fn every_call_of_a_vacuum_may_fail() {
    for fault in [Fault::Eio, Fault::Enospc, Fault::Short] {
        for mode in ["DELETE", "WAL"] {
            let mut n = 1;
            loop {
                let sim = Sim::new(n);
                let vfs = sim.vfs();
                let connection = open(&vfs).unwrap();
                let setup = format!(
                    "PRAGMA journal_mode = {mode}; CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(20000)), (2); DELETE FROM t WHERE a <> 2"
                );
                run(&connection, &setup).unwrap();
                run(&connection, "PRAGMA page_size = 1024; PRAGMA cache_size = 5").unwrap();
                sim.fail_at(n, fault);
                let vacuumed = run(&connection, "VACUUM");
                let met = sim.calls();
                sim.fail_no_more();
                // A retry on the same connection works, whatever has happened.
                let content = run(&connection, "SELECT count(*) || ' ' || sum(a) FROM t").unwrap();
                assert_eq!(content, "1 2", "{fault:?} {mode} {n} of {met}");
                assert_eq!(run(&connection, "PRAGMA integrity_check").unwrap(), "ok", "{fault:?} {mode} {n}");
                run(&connection, "INSERT INTO t VALUES (3); DELETE FROM t WHERE a = 3; VACUUM").unwrap();
                if vacuumed.is_ok() && n > 200 {
                    break;
                }
                n += 1;
            }
        }
    }
}
