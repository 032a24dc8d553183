//! Rows that nobody asks more about than their rowids: they are read many at a time.

use fastrand::Rng;
use lithe::Connection;

use crate::common::pair::{Pair, answer_of_lithe, answer_of_sqlite};
use crate::{Queries, document, make_table, setting};

/// Adds many documents, with gaps between their rowids, and removes some.
fn fill(rng: &mut Rng, pair: &mut Pair, vocabulary: usize, is_contentless: bool) {
    let (mut rowid, spread) = (-100, [1, 3, 1000][rng.usize(..3)]);
    for _ in 0..rng.usize(1..12) {
        let mut rows = Vec::new();
        for _ in 0..rng.usize(1..300) {
            rowid += rng.i64(1..=spread);
            let (len, other_len) = (rng.usize(0..8), rng.usize(0..3));
            let (a, b) = (document(rng, len, vocabulary), document(rng, other_len, vocabulary));
            rows.push(format!("({rowid}, '{a}', '{b}')"));
        }
        pair.ask(&format!("INSERT INTO t(rowid, a, b) VALUES {}", rows.join(","))).unwrap();
        for _ in 0..rng.usize(..4) {
            let (row, other) = (rng.i64(-100..rowid.max(0)), rng.i64(-100..rowid.max(0)));
            let _ = pair.ask(&format!("DELETE FROM t WHERE rowid IN ({row}, {other})"));
            if !is_contentless {
                let text = document(rng, 5, vocabulary);
                let _ = pair.ask(&format!("UPDATE t SET a = '{text}' WHERE rowid = {}", rng.i64(-100..rowid.max(0))));
            }
        }
    }
}

/// FTS5_QUERIES are asked in each of FTS5_WORLDS.
#[test]
fn many_rows_are_those_of_sqlite() {
    let (first, worlds) = (setting("FTS5_FIRST", 0), setting("FTS5_WORLDS", 20));
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let mut pair = Pair::new();
        pair.log.push(format!("-- world {seed}"));
        let (is_contentless, _) = make_table(&mut rng, &mut pair, seed % 2 == 0);
        let vocabulary = [5, 20, 100][rng.usize(..3)];
        fill(&mut rng, &mut pair, vocabulary, is_contentless);
        let mut queries = Queries { rng: &mut rng, vocabulary };
        for _ in 0..setting("FTS5_QUERIES", 40) {
            let text = queries.text(2).replace('\'', "''");
            let columns = ["rowid", "count(*)", "sum(rowid), count(*)"][queries.rng.usize(..3)];
            let range = ["", "", " AND rowid > 20", " AND rowid BETWEEN 3 AND 300"][queries.rng.usize(..4)];
            let tail = ["", "", " LIMIT 10", " ORDER BY rowid", " ORDER BY rowid DESC"][queries.rng.usize(..5)];
            let len = pair.log.len();
            let _ = pair.ask(&format!("SELECT {columns} FROM t WHERE t MATCH '{text}'{range}{tail}"));
            pair.log.truncate(len);
        }
    }
}

/// A table that is changed while a statement stands on a row goes on as SQLite's does. FTS5_WORLDS as above.
#[test]
fn rows_that_were_read_ahead_may_go() {
    let (first, worlds) = (setting("FTS5_FIRST", 0), setting("FTS5_WORLDS", 60));
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let vocabulary = [4, 12][rng.usize(..2)];
        let mut setup = vec!["CREATE VIRTUAL TABLE t USING fts5(a, b)".to_owned()];
        for rowid in 1..rng.i64(20..120) {
            let (a, b) = (document(&mut rng, 4, vocabulary), document(&mut rng, 2, vocabulary));
            setup.push(format!("INSERT INTO t(rowid, a, b) VALUES({}, '{a}', '{b}')", 2 * rowid));
        }
        let query = Queries { rng: &mut rng, vocabulary }.text(2);
        let select = format!("SELECT rowid FROM t WHERE t MATCH '{query}'");
        let change = |row: i64| {
            // (What happens to a row depends on the row alone: both libraries come to the same ones.)
            let mut rng = Rng::with_seed(seed * 1000 + row as u64);
            let other = row + rng.i64(-6..20);
            let text = document(&mut rng, 4, vocabulary);
            match rng.u8(..12) {
                0 => format!("DELETE FROM t WHERE rowid = {other}"),
                1 => format!("INSERT OR REPLACE INTO t(rowid, a) VALUES({other}, '{text}')"),
                2 => format!("UPDATE t SET a = '{text}' WHERE rowid = {other}"),
                _ => "SELECT 1".to_owned(),
            }
        };
        let lithe = Connection::open_in_memory().unwrap();
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        for sql in &setup {
            answer_of_lithe(&lithe, sql).unwrap();
            answer_of_sqlite(&sqlite, sql).unwrap();
        }
        if answer_of_sqlite(&sqlite, &select).is_err() {
            continue; // A random text is not always a query.
        }
        let mut found = Vec::new();
        let mut statement = lithe.prepare(&select).unwrap();
        while let Some(row) = statement.step().unwrap() {
            let rowid: i64 = row.get(0).unwrap();
            answer_of_lithe(&lithe, &change(rowid)).unwrap();
            found.push(rowid);
        }
        let mut expected = Vec::new();
        let mut statement = sqlite.prepare(&select).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let rowid: i64 = row.get(0).unwrap();
            answer_of_sqlite(&sqlite, &change(rowid)).unwrap();
            expected.push(rowid);
        }
        assert_eq!(found, expected, "world {seed}: {select}\n{}", setup.join(";\n"));
    }
}

/// Pages with random bytes in them: whatever a query finds, it comes to its end, and says nothing that the machine must not hear.
#[test]
fn damaged_pages_end_queries() {
    let (first, worlds) = (setting("FTS5_FIRST", 0), setting("FTS5_WORLDS", 40));
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let lithe = Connection::open_in_memory().unwrap();
        let detail = ["full", "full", "columns", "none"][rng.usize(..4)];
        answer_of_lithe(&lithe, &format!("CREATE VIRTUAL TABLE t USING fts5(a, b, detail={detail})")).unwrap();
        answer_of_lithe(&lithe, "INSERT INTO t(t, rank) VALUES('pgsz', 100)").unwrap();
        for _ in 0..4 {
            let rows: Vec<String> = (0..60)
                .map(|_| {
                    let len = rng.usize(0..12);
                    format!("('{}', '{}')", document(&mut rng, len, 12), document(&mut rng, 2, 12))
                })
                .collect();
            answer_of_lithe(&lithe, &format!("INSERT INTO t(a, b) VALUES {}", rows.join(","))).unwrap();
        }
        for _ in 0..rng.usize(1..12) {
            // (The records below 100 are the structure and the averages.)
            let (page, at, byte) = (rng.u32(..), 1 + rng.usize(..100), rng.u8(..));
            let damage = format!(
                "UPDATE t_data SET block = CAST(substr(block, 1, {at}) || x'{byte:02x}' || substr(block, {at} + 2) AS BLOB)
                 WHERE id = (SELECT id FROM t_data WHERE id > 100 ORDER BY (id * 7919 + {page}) % 1013 LIMIT 1)"
            );
            answer_of_lithe(&lithe, &damage).unwrap();
        }
        for _ in 0..30 {
            let text = Queries { rng: &mut rng, vocabulary: 12 }.text(2).replace('\'', "''");
            for columns in ["rowid", "count(*)", "rowid, rank"] {
                let _ = answer_of_lithe(&lithe, &format!("SELECT {columns} FROM t WHERE t MATCH '{text}'"));
            }
        }
    }
}
