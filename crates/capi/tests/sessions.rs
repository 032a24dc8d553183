//! Sessions: this library and SQLite's record the same changesets, byte for byte, and apply them with the same results.
//!
//! `session_record.c` runs a script on three databases and prints the results. It runs on both libraries. SESSION_FIRST
//! and SESSION_WORLDS choose the random worlds.

mod common;

use common::worlds::range;

use common::recording::compare;

const SESSION_OPTIONS: &[&str] = &["-DSQLITE_ENABLE_PREUPDATE_HOOK", "-DSQLITE_ENABLE_SESSION"];

fn compare_sessions(name: &str, worlds: impl Iterator<Item = (String, Vec<String>)>) {
    compare(name, "session_record.c", SESSION_OPTIONS, worlds);
}

#[test]
fn sessions_of_every_kind() {
    let script = include_str!("sessions.sql").lines().map(str::to_owned).collect();
    compare_sessions("sessions", [("sessions.sql".to_owned(), script)].into_iter());
}

/// Two databases that begin equal are changed, exchange their changesets with and without conflicts, and rebase.
#[test]
fn random_worlds_are_alike() {
    let worlds = range("SESSION_FIRST", "SESSION_WORLDS", 60);
    compare_sessions("sessions-random", worlds.map(|world| (format!("world {world}"), script(world))));
}

/// The same with damaged changesets: both libraries return errors, which may differ.
#[test]
fn damaged_changesets_do_no_harm() {
    let scripts = (0..40).map(|world| {
        let mut lines = script(world);
        let random = &mut fastrand::Rng::with_seed(world);
        for slot in ["5", "3", "6"] {
            for _ in 0..random.usize(1..4) {
                lines.push(format!(".damage {slot} {} {}", random.u16(..), random.u8(..)));
            }
            lines.extend([".show", ".invert", ".rebase"].map(|what| format!("{what} {slot} 8")));
            lines.push(format!(".concat {slot} 1 8"));
            lines.push(format!(".apply {slot} 10100 0"));
            dump(&mut lines);
            lines.push("PRAGMA integrity_check".to_owned());
        }
        lines
    });
    common::recording::play("sessions-damaged", "session_record.c", SESSION_OPTIONS, scripts);
}

/// And what is read, combined and applied is the same, but for what a rebaser makes of them: SQLite's says that it went well.
#[test]
fn damaged_changesets_are_alike() {
    let worlds = range("SESSION_FIRST", "SESSION_WORLDS", 40);
    compare_sessions("sessions-damaged-alike", worlds.map(|world| (format!("damaged {world}"), damaged(world))));
}

fn damaged(world: u64) -> Vec<String> {
    let mut lines = script(world);
    let random = &mut fastrand::Rng::with_seed(world);
    for slot in ["5", "3", "6"] {
        for _ in 0..random.usize(1..4) {
            let byte =
                if random.bool() { random.u8(..) } else { pick(random, &[0, 1, 2, 3, 4, 5, 9, 18, 23, b'T', b'P']) };
            lines.push(format!(".damage {slot} {} {byte}", random.u16(..)));
        }
        lines.extend([0, 2].map(|flags| format!(".read {slot} {flags}")));
        lines.extend([format!(".invert {slot} 8"), format!(".concat {slot} 1 8")]);
        for flags in [0, 2] {
            lines.push(format!(".apply {slot} 10100 {flags}"));
            dump(&mut lines);
        }
    }
    lines
}

/// Local changes are rebased by resolved conflicts that no changeset of one database would have: of one row, several in any order.
#[test]
fn rebases_of_several_conflicts_of_a_row_are_alike() {
    let worlds = range("SESSION_FIRST", "SESSION_WORLDS", 60);
    compare_sessions("sessions-rebases", worlds.map(|world| (format!("rebase {world}"), rebases(world))));
}

fn rebases(world: u64) -> Vec<String> {
    let random = &mut fastrand::Rng::with_seed(world);
    let mut lines = Vec::new();
    for _ in 0..40 {
        let columns = random.usize(1..5);
        // A table of an integer key and other columns.
        let header = format!("54{:02x}01{}7400", columns + 1, "00".repeat(columns));
        let mut conflicts = header.clone();
        for _ in 0..random.usize(1..5) {
            let (is_delete, is_replaced) = (random.u8(..6) == 0, random.bool());
            conflicts += &format!("{:02x}{:02x}{}", if is_delete { 9 } else { 18 }, u8::from(is_replaced), integer(1));
            conflicts.extend((0..columns).map(|_| maybe(random, !is_delete)));
        }
        let mut local = header;
        match pick(random, &[9_u8, 18, 23, 23, 23]) {
            23 => {
                let changed: Vec<bool> = (0..columns).map(|_| random.bool()).collect();
                let side = |value| -> String {
                    changed.iter().map(|is| if *is { integer(value) } else { "00".to_owned() }).collect()
                };
                local += &format!("1700{}{}00{}", integer(1), side(100), side(101));
            }
            operation => {
                local += &format!("{operation:02x}00{}", integer(1));
                local.extend((0..columns).map(|_| maybe(random, false)));
            }
        }
        lines.extend([format!(".bytes 9 {conflicts}"), format!(".bytes 1 {local}"), ".rebase 1 2".to_owned()]);
    }
    lines
}

/// An integer as a changeset has it.
fn integer(value: u8) -> String {
    format!("01{value:016x}")
}

/// A value of a changeset, or none.
fn maybe(random: &mut fastrand::Rng, may_lack: bool) -> String {
    match random.u8(..3) {
        0 if may_lack => "00".to_owned(),
        1 => "05".to_owned(),
        _ => integer(random.u8(2..)),
    }
}

fn pick<T: Copy>(random: &mut fastrand::Rng, from: &[T]) -> T {
    from[random.usize(..from.len())]
}

fn script(world: u64) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(world);
    let random = &mut random;
    // A generator of its own, so that the other random numbers of a world do not change.
    let mut more = fastrand::Rng::with_seed(!world);
    let mut lines = Vec::new();
    let schema = schema(random);
    for db in 0..3 {
        lines.push(format!(".db {db}"));
        lines.extend(schema.iter().cloned());
    }
    let rows: Vec<String> = (0..random.usize(..12)).map(|_| insert(random, "OR IGNORE")).collect();
    for db in 0..3 {
        lines.push(format!(".db {db}"));
        lines.extend(rows.iter().cloned());
    }
    // The local changes, in two steps, and the remote changes.
    for (db, slot) in [(0, 1), (0, 2), (1, 3)] {
        lines.push(format!(".db {db}"));
        lines.push(if random.u8(..6) == 0 { ".session rowid" } else { ".session" }.to_owned());
        for _ in 0..random.usize(1..8) {
            lines.push(statement(random));
            if random.u8(..8) == 0 {
                lines.push(format!(".indirect {}", random.u8(..2)));
            }
            if random.u8(..12) == 0 {
                lines.push(format!(".enable {}", random.u8(..2)));
            }
        }
        if more.u8(..4) == 0 {
            lines.extend(swap(&mut more));
        }
        let kind = if random.u8(..6) == 0 { "patchset" } else { "changeset" };
        lines.push(format!(".{kind} {slot}"));
        lines.push(".end".to_owned());
    }
    lines.extend([".show 1 0", ".show 1 2", ".invert 1 4", ".concat 1 2 5", ".concat 5 3 6"].map(str::to_owned));
    let policy = |random: &mut fastrand::Rng| {
        let answers = [random.u8(..2), 0, random.u8(..2), 0, 0];
        let abort = random.u8(..20) == 0;
        answers.map(|answer| if abort { '2' } else { char::from(b'0' + answer) }).iter().collect::<String>()
    };
    let flags: u8 = pick(random, &["0", "0", "4", "1", "8"]).parse().unwrap();
    let flags = flags | if more.u8(..6) == 0 { 16 } else { 0 };
    lines.push(".db 1".to_owned());
    lines.push(format!(".apply 5 {} {flags}", policy(random)));
    lines.push(".rebase 3 7".to_owned());
    dump(&mut lines);
    lines.push(".db 0".to_owned());
    lines.push(format!(".apply 7 {} 0", policy(random)));
    dump(&mut lines);
    lines.push(format!(".apply 4 {} 0", policy(random)));
    lines.push(format!(".apply 5 {} 2", policy(random)));
    dump(&mut lines);
    lines.push(".db 2".to_owned());
    lines.push(format!(".apply 6 {} 0", policy(random)));
    dump(&mut lines);
    lines
}

/// Two rows of `t` exchange their values of `c`, which may be unique.
fn swap(random: &mut fastrand::Rng) -> [String; 3] {
    let (one, other) = (random.u8(..8), random.u8(..8));
    let update = |to: &str, of: &str| format!("UPDATE OR IGNORE t SET c = '{to}' WHERE c = '{of}'");
    let (one, other) = (one.to_string(), other.to_string());
    [update("between", &one), update(&one, &other), update(&other, "between")]
}

fn dump(lines: &mut Vec<String>) {
    lines.extend(["t", "w", "r"].map(|table| format!("SELECT * FROM {table} ORDER BY 1, 2, 3")));
}

fn schema(random: &mut fastrand::Rng) -> Vec<String> {
    let mut sql = vec![
        format!("PRAGMA foreign_keys = {}", u8::from(random.u8(..4) == 0)),
        format!(
            "CREATE TABLE t({} PRIMARY KEY, b REAL, c TEXT {}, d)",
            pick(random, &["a INTEGER", "a", "a TEXT", "a COLLATE NOCASE", "a REAL"]),
            pick(random, &["", "", "UNIQUE", "CHECK(c <> 'x')"]),
        ),
        format!(
            "CREATE TABLE w(a INT {}, b TEXT, c DEFAULT 5, PRIMARY KEY({})) WITHOUT ROWID",
            pick(random, &["", "", "REFERENCES t ON DELETE CASCADE", "REFERENCES t"]),
            pick(random, &["a, b", "b", "b, a"]),
        ),
        "CREATE TABLE r(a, b, c INT)".to_owned(),
    ];
    if random.u8(..3) == 0 {
        sql.push("CREATE TRIGGER x AFTER UPDATE ON t BEGIN UPDATE w SET c = c + 1 WHERE a = old.b; END".to_owned());
    }
    sql
}

fn value(random: &mut fastrand::Rng) -> String {
    match random.u8(..9) {
        0 => "NULL".to_owned(),
        1 => format!("'{}'", pick(random, &["x", "X", "y", "text of some length", ""])),
        2 => format!("{}.5", random.u8(..4)),
        3 => "x'0102'".to_owned(),
        4 => random.i64(..).to_string(),
        _ => random.u8(..8).to_string(),
    }
}

fn insert(random: &mut fastrand::Rng, or: &str) -> String {
    let table = pick(random, &["t", "t", "w", "r"]);
    let (a, b, c) = (value(random), value(random), value(random));
    format!("INSERT {or} INTO {table}(a, b, c) VALUES ({a}, {b}, {c})")
}

fn statement(random: &mut fastrand::Rng) -> String {
    let table = pick(random, &["t", "t", "w", "r"]);
    let or = pick(random, &["", "OR IGNORE", "OR REPLACE"]);
    let column = pick(random, &["a", "b", "c"]);
    let condition = match random.u8(..4) {
        0 => String::new(),
        1 => format!("WHERE a = {}", value(random)),
        _ => format!("WHERE {column} > {}", random.u8(..6)),
    };
    match random.u8(..8) {
        0..=3 => insert(random, or),
        4 | 5 => format!("UPDATE {or} {table} SET {column} = {} {condition}", value(random)),
        6 => format!("UPDATE {or} {table} SET b = {}, c = {} {condition}", value(random), value(random)),
        _ => format!("DELETE FROM {table} {condition}"),
    }
}
