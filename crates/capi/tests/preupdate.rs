//! The pre-update hook: this library and SQLite's pass the same arguments for the same statements, fixed ones and
//! random ones.
//!
//! `preupdate_record.c` runs statements and prints the hook's arguments. It runs on both libraries. PREUPDATE_FIRST and
//! PREUPDATE_WORLDS choose the random worlds.

mod common;

use common::worlds::range;

const OPTIONS: &[&str] = &["-DSQLITE_ENABLE_PREUPDATE_HOOK"];

fn compare(name: &str, worlds: impl Iterator<Item = (String, Vec<String>)>) {
    common::recording::compare(name, "preupdate_record.c", OPTIONS, worlds);
}

#[test]
fn changes_of_every_kind_are_told() {
    let statements = include_str!("preupdate.sql").lines().map(str::to_owned).collect();
    compare("preupdate", [("preupdate.sql".to_owned(), statements)].into_iter());
}

/// Random statements over tables with triggers, foreign-key actions and REPLACE, by which rows change indirectly.
#[test]
fn random_changes_are_told_alike() {
    let worlds = range("PREUPDATE_FIRST", "PREUPDATE_WORLDS", 60);
    compare(
        "preupdate-random",
        worlds.map(|world| {
            let mut random = fastrand::Rng::with_seed(world);
            let mut statements = schema(&mut random);
            statements.insert(random.usize(..=statements.len()), ".hook".to_owned());
            statements.extend((0..60).map(|_| statement(&mut random)));
            (format!("world {world}"), statements)
        }),
    );
}

fn pick<'a>(random: &mut fastrand::Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(..from.len())]
}

fn schema(random: &mut fastrand::Rng) -> Vec<String> {
    let actions = ["", "ON DELETE CASCADE", "ON DELETE SET NULL ON UPDATE CASCADE", "ON DELETE SET DEFAULT"];
    let mut sql = vec![
        format!("PRAGMA foreign_keys = {}", random.u8(..2)),
        format!("PRAGMA recursive_triggers = {}", random.u8(..2)),
        format!(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b REAL {}, c TEXT, d {})",
            pick(random, &["", "UNIQUE", "UNIQUE ON CONFLICT REPLACE"]),
            pick(random, &["", "AS (b + 1) STORED", "AS (c || 'x')", "DEFAULT 4"]),
        ),
        format!(
            "CREATE TABLE w(a INT REFERENCES t {}, b TEXT, c DEFAULT 5, PRIMARY KEY({})) WITHOUT ROWID",
            pick(random, &actions),
            pick(random, &["a, b", "b", "c, a"]),
        ),
        format!("CREATE TABLE r(a, b, c INT, UNIQUE({}))", pick(random, &["a", "a, b", "c"])),
    ];
    for (at, (table, other)) in [("t", "r"), ("w", "r"), ("r", "w"), ("t", "w")].into_iter().enumerate() {
        if random.bool() {
            let when = pick(random, &["BEFORE", "AFTER"]);
            let event = pick(random, &["INSERT", "DELETE", "UPDATE"]);
            let body = match random.u8(..4) {
                0 => format!("INSERT OR REPLACE INTO {other}(a, b, c) VALUES (1, 2, 3)"),
                1 => format!("UPDATE OR IGNORE {other} SET c = c + 1 WHERE a > 2"),
                2 => format!("DELETE FROM {other} WHERE a = 3"),
                _ => format!("INSERT OR IGNORE INTO {other}(a, b, c) SELECT a, b, c FROM {table} WHERE a = 2"),
            };
            sql.push(format!("CREATE TRIGGER x{at} {when} {event} ON {table} BEGIN {body}; END"));
        }
    }
    if random.bool() {
        sql.push(format!("CREATE INDEX i ON t({})", pick(random, &["c", "b, c", "c) WHERE (c > 2"])));
    }
    sql
}

fn statement(random: &mut fastrand::Rng) -> String {
    let table = pick(random, &["t", "t", "w", "r"]);
    let value = |random: &mut fastrand::Rng| match random.u8(..8) {
        0 => "NULL".to_owned(),
        1 => format!("'{}'", random.u8(..6)),
        2 => format!("{}.5", random.u8(..4)),
        3 => "x'01'".to_owned(),
        _ => random.u8(..6).to_string(),
    };
    let column = pick(random, &["a", "b", "c"]);
    let or = pick(random, &["", "", "OR IGNORE", "OR REPLACE", "OR FAIL"]);
    let condition = match random.u8(..5) {
        0 => String::new(),
        1 => format!("WHERE {column} IN (1, 2, 3)"),
        2 => format!("WHERE a = {}", random.u8(..6)),
        _ => format!("WHERE {column} > {}", value(random)),
    };
    let row = |random: &mut fastrand::Rng| format!("({}, {}, {})", value(random), value(random), value(random));
    if random.u8(..20) == 0 {
        // Rows that are there lack the column, whose default the hook is told.
        let (name, default) = (random.u16(..), value(random));
        let kind = pick(random, &["", "REAL", "REAL", "TEXT", "INT", "NUMERIC"]);
        return format!("ALTER TABLE {table} ADD COLUMN x{name} {kind} DEFAULT {default}");
    }
    match random.u8(..10) {
        0..=3 => format!("INSERT {or} INTO {table}(a, b, c) VALUES {}, {}", row(random), row(random)),
        4 => format!(
            "INSERT INTO {table}(a, b, c) VALUES {} ON CONFLICT DO {}",
            row(random),
            pick(random, &["NOTHING", "UPDATE SET c = excluded.c", "UPDATE SET a = a + 1, b = 7"]),
        ),
        5 => format!("INSERT {or} INTO r SELECT a, b, c FROM {table} {condition}"),
        6 | 7 => format!("UPDATE {or} {table} SET {column} = {} {condition}", value(random)),
        8 => format!("UPDATE {or} {table} SET c = {}, a = a + 1 {condition}", value(random)),
        _ => format!("DELETE FROM {table} {condition}"),
    }
}
