//! Colliding rows: tables with many constraints, each with a conflict clause of its own, over few values, with triggers and foreign keys
//! that make conflicting rows, and with all clauses of INSERT, UPDATE and DELETE. After each statement both engines must have the same
//! rows, and sound indexes.

use fastrand::Rng;

use crate::schema::{one_in, pick};

const CLAUSES: [&str; 8] = [
    "",
    "",
    "",
    " ON CONFLICT REPLACE",
    " ON CONFLICT REPLACE",
    " ON CONFLICT IGNORE",
    " ON CONFLICT FAIL",
    " ON CONFLICT ROLLBACK",
];
const POLICIES: [&str; 8] = ["", "", "", " OR REPLACE", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ROLLBACK"];
const TABLES: [&str; 3] = ["t0", "t1", "t2"];
const COLUMNS: [&str; 4] = ["a", "b", "c", "d"];
const STATEMENTS: usize = 40;

/// The statements of a world.
pub fn statements(seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed ^ 0x00c0_111d);
    let rng = &mut rng;
    let switch = |rng: &mut Rng| if rng.bool() { "ON" } else { "OFF" };
    let mut all = vec![
        format!("PRAGMA recursive_triggers = {}", switch(rng)),
        format!("PRAGMA foreign_keys = {}", switch(rng)),
        "CREATE TABLE log(x, y)".to_owned(),
    ];
    let without_rowid: Vec<bool> = TABLES.iter().map(|_| one_in(rng, 4)).collect();
    all.extend(TABLES.iter().zip(&without_rowid).map(|(table, without)| create_table(rng, table, *without)));
    for (number, table) in TABLES.iter().enumerate() {
        if rng.bool() && !without_rowid[number] {
            let filter = if one_in(rng, 3) { format!(" WHERE {}", condition(rng)) } else { String::new() };
            let unique = if rng.bool() { "UNIQUE " } else { "" };
            all.push(format!("CREATE {unique}INDEX i{number} ON {table}({}){filter}", pick(rng, &COLUMNS)));
        }
    }
    for number in 0..rng.usize(0..4) {
        all.push(create_trigger(rng, number));
    }
    for _ in 0..STATEMENTS {
        let at = rng.usize(0..TABLES.len());
        let table = TABLES[at];
        all.push(match rng.u32(0..21) {
            20 => "DELETE FROM sqlite_sequence".to_owned(),
            0 => "BEGIN".to_owned(),
            1 => "COMMIT".to_owned(),
            2 => "ROLLBACK".to_owned(),
            3 => (*pick(rng, &["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s"])).to_owned(),
            4..7 => delete(rng, table) + returning(rng),
            7..12 => update(rng, table, without_rowid[at]) + returning(rng),
            _ => insert(rng, table) + returning(rng),
        });
        all.extend(TABLES.iter().map(|table| format!("SELECT * FROM {table}")));
        all.push("SELECT * FROM log".to_owned());
        all.push("SELECT rowid, * FROM sqlite_sequence".to_owned());
        all.push("SELECT changes(), total_changes()".to_owned());
        all.push("PRAGMA integrity_check".to_owned());
    }
    all
}

fn create_table(rng: &mut Rng, name: &str, without_rowid: bool) -> String {
    let is_integer_key = !without_rowid && rng.bool();
    let mut parts = Vec::new();
    for (at, column) in COLUMNS.iter().enumerate() {
        let mut part = format!("{column} {}", pick(rng, &["", "", "INT", "TEXT", "REAL"]));
        if at == 0 && is_integer_key {
            part = format!("{column} INTEGER PRIMARY KEY{}", pick(rng, &CLAUSES));
            if one_in(rng, 3) {
                part.push_str(" AUTOINCREMENT");
            }
        } else if at == 0 && (without_rowid || one_in(rng, 4)) {
            part.push_str(&format!(" PRIMARY KEY{}", pick(rng, &CLAUSES)));
        } else if one_in(rng, 3) {
            part.push_str(&format!(" UNIQUE{}", pick(rng, &CLAUSES)));
        }
        if one_in(rng, 5) && !(at == 0 && is_integer_key) {
            part.push_str(&format!(" NOT NULL{}", pick(rng, &CLAUSES)));
        }
        if one_in(rng, 4) {
            part.push_str(&format!(" DEFAULT {}", value(rng)));
        }
        if one_in(rng, 8) {
            part.push_str(&format!(" CHECK({column} < 5)"));
        }
        parts.push(part);
    }
    if one_in(rng, 4) {
        let (one, other) = (pick(rng, &COLUMNS[..2]), pick(rng, &COLUMNS[2..]));
        parts.push(format!("UNIQUE({one}, {other}){}", pick(rng, &CLAUSES)));
    }
    if rng.bool() {
        let action = |rng: &mut Rng| *pick(rng, &["CASCADE", "CASCADE", "SET DEFAULT", "RESTRICT", "NO ACTION"]);
        let parent = *pick(rng, &TABLES);
        // SQLite mistakes every row of a REPLACE for one of a SET NULL action, and a table's keys to itself for satisfied.
        if parent != name {
            let (delete, update) = (action(rng), action(rng));
            let deferred = if one_in(rng, 3) { " DEFERRABLE INITIALLY DEFERRED" } else { "" };
            let column = pick(rng, &COLUMNS[1..]);
            parts.push(format!(
                "FOREIGN KEY({column}) REFERENCES {parent}(a) ON DELETE {delete} ON UPDATE {update}{deferred}"
            ));
        }
    }
    format!("CREATE TABLE {name}({}){}", parts.join(", "), if without_rowid { " WITHOUT ROWID" } else { "" })
}

fn create_trigger(rng: &mut Rng, number: usize) -> String {
    let temp = if one_in(rng, 4) { "TEMP " } else { "" };
    let time = *pick(rng, &["BEFORE", "AFTER"]);
    let event = *pick(rng, &["INSERT", "UPDATE", "DELETE", "DELETE", "DELETE"]);
    let table = *pick(rng, &TABLES);
    let row = if event == "DELETE" { "old" } else { "new" };
    let when = if rng.bool() { format!(" WHEN {row}.{} > {}", pick(rng, &COLUMNS), value(rng)) } else { String::new() };
    let target = if rng.bool() { table } else { *pick(rng, &TABLES) };
    let of_row = |rng: &mut Rng| {
        if rng.bool() { format!("{row}.{}", pick(rng, &COLUMNS)) } else { format!("{row}.{} + 1", pick(rng, &COLUMNS)) }
    };
    let step = match rng.u32(0..7) {
        0..3 => {
            let values: Vec<String> =
                COLUMNS.iter().map(|_| if rng.bool() { of_row(rng) } else { value(rng) }).collect();
            format!("INSERT{} INTO {target} VALUES ({})", pick(rng, &POLICIES), values.join(", "))
        }
        3 => format!("DELETE FROM {target} WHERE {} = {}", pick(rng, &COLUMNS), of_row(rng)),
        4 => format!("UPDATE{} {target} SET {} = {}", pick(rng, &POLICIES), pick(rng, &COLUMNS), of_row(rng)),
        5 => format!("SELECT RAISE(IGNORE) WHERE {} = {}", of_row(rng), value(rng)),
        _ => format!("INSERT INTO log VALUES ({}, changes())", of_row(rng)),
    };
    format!("CREATE {temp}TRIGGER r{number} {time} {event} ON {table}{when} BEGIN {step}; END")
}

fn insert(rng: &mut Rng, table: &str) -> String {
    let policy = *pick(rng, &POLICIES);
    let row = |rng: &mut Rng| format!("({}, {}, {}, {})", value(rng), value(rng), value(rng), value(rng));
    match rng.u32(0..12) {
        0 => format!("INSERT{policy} INTO {table} DEFAULT VALUES"),
        1 => format!("INSERT{policy} INTO {table} SELECT * FROM {}", pick(rng, &TABLES)),
        2 => format!("INSERT{policy} INTO {table}(b, c) VALUES ({}, {})", value(rng), value(rng)),
        3..6 => {
            let column = pick(rng, &COLUMNS);
            let set = format!("{} = excluded.{}", pick(rng, &COLUMNS), pick(rng, &COLUMNS));
            let rows: Vec<String> = (0..rng.usize(1..4)).map(|_| row(rng)).collect();
            let rows = rows.join(", ");
            match rng.u32(0..3) {
                0 => format!("INSERT INTO {table} VALUES {rows} ON CONFLICT({column}) DO NOTHING"),
                1 => format!("INSERT INTO {table} VALUES {rows} ON CONFLICT DO NOTHING"),
                _ => format!("INSERT INTO {table} VALUES {rows} ON CONFLICT({column}) DO UPDATE SET {set}"),
            }
        }
        _ => {
            let rows: Vec<String> = (0..rng.usize(1..4)).map(|_| row(rng)).collect();
            format!("INSERT{policy} INTO {table} VALUES {}", rows.join(", "))
        }
    }
}

/// An UPDATE. Of a WITHOUT ROWID table it changes one row at most, because the engines may choose different indexes.
fn update(rng: &mut Rng, table: &str, without_rowid: bool) -> String {
    let mut set = format!("{} = {}", pick(rng, &COLUMNS), new_value(rng));
    if one_in(rng, 3) {
        set.push_str(&format!(", {} = {}", pick(rng, &COLUMNS), new_value(rng)));
    }
    let filter = match without_rowid {
        true => format!(" WHERE a = {}", rng.u32(0..6)),
        false if one_in(rng, 3) => String::new(),
        false => format!(" WHERE {}", condition(rng)),
    };
    format!("UPDATE{} {table} SET {set}{filter}", pick(rng, &POLICIES))
}

fn delete(rng: &mut Rng, table: &str) -> String {
    if one_in(rng, 4) {
        format!("DELETE FROM {table}")
    } else {
        format!("DELETE FROM {table} WHERE {}", condition(rng))
    }
}

fn returning(rng: &mut Rng) -> &'static str {
    if one_in(rng, 4) { " RETURNING a, b, c, d" } else { "" }
}

fn new_value(rng: &mut Rng) -> String {
    match rng.u32(0..3) {
        0 => format!("{} + {}", pick(rng, &COLUMNS), rng.i32(-1..2)),
        1 => (*pick(rng, &COLUMNS)).to_owned(),
        _ => value(rng),
    }
}

fn condition(rng: &mut Rng) -> String {
    format!("{} {} {}", pick(rng, &COLUMNS), pick(rng, &["=", "<", ">", "<>", "IS"]), rng.u32(0..5))
}

fn value(rng: &mut Rng) -> String {
    match rng.u32(0..9) {
        0 => "NULL".to_owned(),
        1 => format!("'{}'", rng.u32(0..4)),
        2 => format!("{}.5", rng.u32(0..3)),
        _ => rng.u32(0..6).to_string(),
    }
}
