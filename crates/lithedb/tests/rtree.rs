//! R-Trees compared with SQLite's: the same statements leave the same cells in the same nodes, and find the same rows in the same order;
//! each library reads, changes and checks the files of the other.
#![cfg(feature = "rtree")]

mod common;

use common::pair::{Answer, Pair, answer_of_lithe};
use fastrand::Rng;

/// Removes a known difference: the numbers of EXPLAIN's lines.
fn level(sql: &str, answer: &mut Answer) {
    if sql.starts_with("EXPLAIN") {
        let rows = answer.iter_mut().flatten();
        rows.for_each(|row| *row = row.rsplit('|').next().unwrap_or_default().to_owned());
    }
}

/// Compares the cells of all nodes (the bytes after a node's last cell have no meaning), and the other tables.
fn compare_tables(pair: &mut Pair, dimensions: usize) {
    pair.ask(&format!("SELECT nodeno, rtreenode({dimensions}, data), length(data) FROM r_node ORDER BY 1")).unwrap();
    pair.ask("SELECT * FROM r_rowid ORDER BY 1").unwrap();
    pair.ask("SELECT * FROM r_parent ORDER BY 1").unwrap();
    pair.ask("SELECT total_changes(), last_insert_rowid()").unwrap();
    pair.ask("SELECT rtreedepth(data) FROM r_node WHERE nodeno = 1").unwrap();
    assert_eq!(pair.ask("SELECT rtreecheck('r')"), Ok(vec!["ok".to_owned()]), "{}", pair.log.join(";\n"));
    assert_eq!(pair.ask("PRAGMA integrity_check"), Ok(vec!["ok".to_owned()]));
}

fn number(rng: &mut Rng) -> String {
    match rng.u8(..12) {
        0 => "NULL".to_owned(),
        1 => format!("'{}'", rng.i32(-20..20)),
        2 => format!("{:?}", rng.f64() * 100.0),
        3 => "'x'".to_owned(),
        // (Not beyond 10^5: such ids leave random ones to the rows behind them. Longer boxes are in `rowids_of_virtual_tables.sql`.)
        4 => (rng.i64(..) >> rng.u8(46..60)).to_string(),
        _ => rng.i32(-50..150).to_string(),
    }
}

fn boxed(rng: &mut Rng, dimensions: usize) -> String {
    let side = |_| {
        let (min, len) = (f64::from(rng.i32(-100..1000)) / 4.0, f64::from(rng.i32(-1..60)) / 8.0);
        if rng.u8(..40) == 0 {
            format!("{}, {}", number(rng), number(rng))
        } else {
            format!("{min:?}, {:?}", min + len)
        }
    };
    (0..dimensions).map(side).collect::<Vec<_>>().join(", ")
}

fn id(rng: &mut Rng, rows: i64) -> String {
    match rng.u8(..10) {
        0 => "NULL".to_owned(),
        1 => format!("'{}'", rng.i64(0..rows)),
        2 => format!("{}.0", rng.i64(0..rows)),
        3 => number(rng),
        _ => rng.i64(0..rows).to_string(),
    }
}

fn constraint(rng: &mut Rng, dimensions: usize) -> String {
    let column = format!("{}{}", if rng.bool() { "a" } else { "b" }, rng.usize(..dimensions));
    let op = ["<", "<=", ">", ">=", "=", "<>", "IS"][rng.usize(..7)];
    match rng.u8(..8) {
        0 => format!("id {op} {}", number(rng)),
        1 => format!("id IN ({}, {})", number(rng), number(rng)),
        _ => format!("{column} {op} {}", number(rng)),
    }
}

fn statement(rng: &mut Rng, dimensions: usize, rows: i64, extra: &str) -> String {
    let conflict = ["", "", "OR REPLACE", "OR IGNORE", "OR FAIL"][rng.usize(..5)];
    match rng.u8(..21) {
        20 => format!("INSERT INTO p VALUES({})", rng.i64(0..rows)),
        0..11 => format!("INSERT {conflict} INTO r VALUES({}, {}{extra})", id(rng, rows), boxed(rng, dimensions)),
        11 => format!("INSERT {conflict} INTO r(id, a0) VALUES({}, {})", id(rng, rows), number(rng)),
        12..15 => format!("DELETE FROM r WHERE id = {}", rng.i64(0..rows)),
        15 => format!("DELETE FROM r WHERE {}", constraint(rng, dimensions)),
        16 => format!("UPDATE {conflict} r SET id = {} WHERE id = {}", id(rng, rows), rng.i64(0..rows)),
        17 => format!("UPDATE {conflict} r SET b0 = b0 + 3, a0 = a0 - 1 WHERE {}", constraint(rng, dimensions)),
        _ => {
            let constraints: Vec<String> = (0..rng.usize(1..4)).map(|_| constraint(rng, dimensions)).collect();
            format!("SELECT * FROM r WHERE {}", constraints.join(if rng.u8(..5) == 0 { " OR " } else { " AND " }))
        }
    }
}

/// A trigger that reads and changes the R-Tree.
fn trigger(rng: &mut Rng) -> Option<String> {
    let statement = match rng.u8(..5) {
        0 => "DELETE FROM r WHERE id = new.k",
        1 => "DELETE FROM r WHERE a0 > new.k AND b0 < new.k + 2",
        2 => "UPDATE r SET a0 = a0 - 1 WHERE id BETWEEN new.k AND new.k + 3",
        3 => "INSERT OR REPLACE INTO r(id, a0, b0) SELECT id + 1, a0, b0 + 1 FROM r WHERE id = new.k",
        _ => return None,
    };
    Some(format!("CREATE TRIGGER t AFTER INSERT ON p WHEN (SELECT count(*) FROM r) > 3 BEGIN {statement}; END"))
}

#[test]
fn random_statements_leave_the_same_cells() {
    let worlds = std::env::var("RTREE_WORLDS").ok().and_then(|worlds| worlds.parse().ok()).unwrap_or(24);
    let first: u64 = std::env::var("RTREE_FIRST").ok().and_then(|first| first.parse().ok()).unwrap_or(0);
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let mut pair = Pair::level_with(level);
        let dimensions = rng.usize(1..=5);
        let module = if rng.u8(..3) == 0 { "rtree_i32" } else { "rtree" };
        let has_notes = rng.u8(..3) == 0;
        let columns: Vec<String> = (0..dimensions).map(|at| format!("a{at}, b{at}")).collect();
        let page_size = [512, 1024, 4096][rng.usize(..3)];
        pair.ask(&format!("PRAGMA page_size = {page_size}")).unwrap();
        let notes = if has_notes { ", +note TEXT, +more" } else { "" };
        pair.ask(&format!("CREATE VIRTUAL TABLE r USING {module}(id, {}{notes})", columns.join(", "))).unwrap();
        let rows = [40, 400, 4000][rng.usize(..3)];
        pair.ask("CREATE TABLE p(k)").unwrap();
        if let Some(action) = trigger(&mut rng) {
            pair.ask(&action).unwrap();
        }
        let extra = if has_notes { ", 'n', x'01'" } else { "" };
        for step in 0..600 {
            let sql = statement(&mut rng, dimensions, rows, extra);
            let _ = pair.ask(&sql);
            if step % 200 == 199 {
                compare_tables(&mut pair, dimensions);
            }
        }
        let _ = pair.ask("SELECT * FROM r");
    }
}

#[test]
fn what_is_wrong_with_a_table_is_told_as_by_sqlite() {
    let mut pair = Pair::level_with(level);
    for columns in [
        "id",
        "id, a",
        "id, a, b, c",
        "id, a, b, +c, d",
        "id, a, b, c, d, e, f, g, h, i, j, k, l",
        "+id, a, b",
        "+id, a, b, c",
        "id, a, b, + c",
    ] {
        let _ = pair.ask(&format!("CREATE VIRTUAL TABLE w USING rtree({columns})"));
        let _ = pair.ask("DROP TABLE IF EXISTS w");
    }
    pair.ask("CREATE VIRTUAL TABLE r USING rtree(id, \"min x\" REAL, [max x], +note)").unwrap();
    pair.ask("SELECT name, type FROM pragma_table_info('r')").unwrap();
    pair.ask("INSERT INTO r VALUES(1, 2, 3, 'one'), (7, 0.1, 0.1, 'seven')").unwrap();
    let _ = pair.ask("INSERT INTO r VALUES(2, 5, 3, 'upside down')");
    let _ = pair.ask("INSERT INTO r VALUES(1, 5, 6, 'twice')");
    pair.ask("SELECT *, typeof(id), rowid FROM r").unwrap();
    pair.ask("EXPLAIN QUERY PLAN SELECT * FROM r WHERE \"min x\" >= 2 AND [max x] < 9").unwrap();
    pair.ask("EXPLAIN QUERY PLAN SELECT * FROM r WHERE id = 2").unwrap();
    let _ = pair.ask("SELECT * FROM r WHERE id MATCH 3");
    for call in
        ["rtreenode(1, x'00')", "rtreenode(9, x'0000000000')", "rtreedepth('x')", "rtreedepth(x'0003')", "rtreecheck()"]
    {
        let _ = pair.ask(&format!("SELECT {call}"));
    }
    pair.ask("ALTER TABLE r RENAME TO s").unwrap();
    pair.ask("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    pair.ask("UPDATE s_parent SET parentnode = 5").unwrap();
    pair.ask("UPDATE s_rowid SET nodeno = 9 WHERE rowid = 7").unwrap();
    let _ = pair.ask("SELECT rtreecheck('s')");
    let _ = pair.ask("PRAGMA integrity_check");
    let _ = pair.ask("DELETE FROM s WHERE id = 7");
    let _ = pair.ask("UPDATE s_node SET data = x'00000064' || zeroblob(900)");
    let _ = pair.ask("SELECT * FROM s");
    let _ = pair.ask("SELECT rtreecheck('nothing')");
    pair.ask("CREATE VIRTUAL TABLE u USING rtree(id, a, b)").unwrap();
    pair.ask("INSERT INTO u VALUES(1, 2, 3)").unwrap();
    for node in ["x'123456'", "x'00001234'", "x'00000064' || zeroblob(816)", "x'00640000' || zeroblob(816)"] {
        pair.ask(&format!("UPDATE u_node SET data = {node}")).unwrap();
        let _ = pair.ask("SELECT * FROM u");
        assert!(answer_of_lithe(&pair.lithe, "SELECT rtreecheck('u')").is_ok_and(|found| found[0] != "ok"));
    }
    pair.ask("DROP TABLE s").unwrap();
    pair.ask("DROP TABLE u").unwrap();
    pair.ask("SELECT count(*) FROM sqlite_schema").unwrap();
}

/// Nodes are cached between statements, but writes of other connections, writes of the application to the table of nodes, and rollbacks
/// invalidate the cache.
#[test]
fn nodes_are_those_of_the_database() {
    let mut pair = Pair::new();
    let select = "SELECT id, a, b FROM r WHERE b >= 3 AND a <= 900";
    for sql in [
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b)",
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 300) \
         INSERT INTO r SELECT i, i * 7919 % 1000, i * 7919 % 1000 + 5 FROM s",
        select,
        "CREATE TABLE nodes AS SELECT * FROM r_node",
        "SAVEPOINT s",
        "DELETE FROM r WHERE id % 3 = 0",
        select,
        "UPDATE r_node SET data = (SELECT data FROM nodes WHERE nodes.nodeno = r_node.nodeno)",
        select,
        "ROLLBACK TO s",
        select,
        "INSERT INTO r VALUES(1001, 10, 11), (1002, 20, 21)",
        "SAVEPOINT t",
        "INSERT INTO r VALUES(1003, 30, 31)",
        select,
        "ROLLBACK TO t",
        "INSERT INTO r VALUES(1004, 40, 41)",
        select,
        "RELEASE s",
        "SAVEPOINT s",
        "CREATE TRIGGER other AFTER INSERT ON r_node BEGIN UPDATE r_node SET data = zeroblob(length(data)); END",
        "INSERT INTO r VALUES(1005, 50, 51)",
        select,
        "ROLLBACK TO s",
        select,
    ] {
        let _ = pair.ask(sql);
    }
    compare_tables(&mut pair, 1);
}

#[test]
fn nodes_that_others_write_are_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let open = || lithe::Connection::open(folder.path().join("boxes.db")).unwrap();
    let (writer, reader) = (open(), open());
    let count = || answer_of_lithe(&reader, "SELECT count(*), sum(id) FROM r WHERE b >= 0").unwrap();
    answer_of_lithe(&writer, "CREATE VIRTUAL TABLE r USING rtree(id, a, b)").unwrap();
    for id in 1..200 {
        answer_of_lithe(&writer, &format!("INSERT INTO r VALUES({id}, {id}, {id})")).unwrap();
        assert_eq!(count(), [format!("{id}|{}", id * (id + 1) / 2)]);
    }
}

/// A tree remembers that all ids are below a number: until rows come by another way.
#[test]
fn ids_that_others_add_are_taken() {
    let mut pair = Pair::new();
    let mut all = |statements: &[&str]| {
        for sql in statements {
            let _ = pair.ask(sql);
        }
        pair.ask("SELECT * FROM r_rowid ORDER BY rowid").unwrap();
        pair.ask("SELECT id, a FROM r WHERE b >= 0 ORDER BY id").unwrap();
    };
    all(&["CREATE VIRTUAL TABLE r USING rtree(id, a, b)", "INSERT INTO r VALUES(5, 1, 2), (7, 1, 2)"]);
    // The table of rowids is written by hand.
    all(&["INSERT INTO r_rowid VALUES(9, 1)", "INSERT INTO r VALUES(9, 1, 2)", "INSERT INTO r VALUES(NULL, 1, 2)"]);
    all(&[
        "INSERT INTO r VALUES(10, 1, 2)",
        "INSERT OR REPLACE INTO r VALUES(7, 3, 4)",
        "DELETE FROM r_rowid WHERE rowid = 9",
    ]);
    // Changes that are rolled back.
    all(&["BEGIN", "INSERT INTO r VALUES(20, 1, 2)", "SAVEPOINT s", "INSERT INTO r VALUES(21, 1, 2)", "ROLLBACK TO s"]);
    all(&[
        "INSERT INTO r VALUES(21, 5, 6)",
        "INSERT INTO r VALUES(20, 5, 6)",
        "ROLLBACK",
        "INSERT INTO r VALUES(20, 5, 6)",
    ]);
    all(&["UPDATE r SET id = 30 WHERE id = 20", "INSERT INTO r VALUES(20, 7, 8)", "INSERT INTO r VALUES(30, 7, 8)"]);
    all(&["UPDATE r SET id = id + 1", "UPDATE r SET id = -id", "INSERT INTO r VALUES(9223372036854775807, 1, 2)"]);
    // A trigger adds a row, also the very row that the tree is about to add.
    all(&[
        "CREATE TRIGGER more AFTER INSERT ON r_rowid WHEN new.rowid < 200 BEGIN INSERT OR IGNORE INTO r_rowid VALUES(new.rowid + 100, 1); END",
    ]);
    all(&[
        "INSERT INTO r VALUES(41, 1, 2)",
        "INSERT INTO r VALUES(141, 1, 2)",
        "INSERT INTO r VALUES(142, 1, 2), (143, 1, 2)",
    ]);
    all(&["CREATE TRIGGER node AFTER INSERT ON r_node BEGIN INSERT OR IGNORE INTO r_rowid VALUES(300, 1); END"]);
    all(&["INSERT INTO r VALUES(299, 1, 2)", "INSERT INTO r VALUES(300, 1, 2)", "INSERT INTO r VALUES(301, 1, 2)"]);
}
