//! Makes a script from a seed.
//!
//! Not generated, because the right answer is undefined or SQLite's is wrong:
//! * `journal_mode=OFF`: SQLite documents the effect of a rollback as undefined, and statements often fail here;
//! * BEGIN and SAVEPOINT while a statement with RETURNING is on a row: if a later statement of the transaction fails, SQLite undoes the
//!   changes of the first one;
//! * BLOB handles on temporary tables beside a transaction: SQLite answers SQLITE_CORRUPT;
//! * a cache that spills beside other connections: SQLite locks the file exclusively at the first spilled page, Lithe at the commit;
//! * two statements with RETURNING on rows: when the first one ends, the journals of later statements are mixed up, and a statement that
//!   fails undoes the changes of another;
//! * VACUUM beside a temporary table that may have the name of another table: SQLite looks for the tables of indexes in temp first, and loses
//!   the indexes or fails;
//! * ALTER TABLE beside BLOB handles: if it fails, SQLite does not find the table for the next handle;
//! * WAL mode, or a change of `journal_mode`, under exclusive locking beside other connections: if the lock cannot be had, SQLite forgets the mode;
//! * changes of the schema by another connection beside a stale schema with triggers: SQLite reports errors within the triggers that the
//!   new schema does not have;
//! * writing beside a join that stays on its row: the row is gone, and which neighbour the scan goes on from depends, in the tree of an index, on how full
//!   its pages are;
//! * DROP TABLE beside triggers and open statements: it fails, but SQLite has dropped the triggers;
//! * BEGIN IMMEDIATE after a savepoint without a read: it fails, but takes its locks, and after ROLLBACK TO SQLite takes the database for
//!   an empty one.

use fastrand::Rng;

use crate::scans;
use crate::script::{CONNECTIONS, SLOTS, Script, Step};
use crate::writes;

/// One of `choices`.
pub fn pick<'c, T>(rng: &mut Rng, choices: &'c [T]) -> &'c T {
    &choices[rng.usize(0..choices.len())]
}

/// `true` once in `n` times.
pub fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.u32(0..n) == 0
}

/// The objects that a script's statements use. Tables have the columns a (a key, if there is one), b (a few different numbers), c (texts)
/// and d (BLOBs).
pub struct World {
    tables: Vec<Table>,
    in_memory: bool,
    /// The frequencies of the kinds of steps, in percent.
    weights: Weights,
}

/// A table.
pub struct Table {
    /// The name, qualified if the database is not `main`.
    pub name: String,
    pub has_rowid: bool,
    /// The initial number of rows.
    pub rows: u64,
}

impl Table {
    /// The name without the database.
    pub fn alias(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// The frequencies of the kinds of steps.
struct Weights {
    transactions: u32,
    definitions: u32,
    pragmas: u32,
    others: u32,
    blobs: u32,
}

impl World {
    pub fn table(&self, rng: &mut Rng) -> &Table {
        &self.tables[rng.usize(0..self.tables.len())]
    }

    /// A view; a table if the script has no view.
    pub fn view(&self, rng: &mut Rng) -> String {
        if rng.bool() { "v".to_owned() } else { self.table(rng).name.clone() }
    }

    fn connection(&self, rng: &mut Rng) -> usize {
        if self.in_memory || rng.u32(0..100) >= self.weights.others { 0 } else { rng.usize(1..3) }
    }
}

/// Statements that are left out because the answers are known to differ. `INTERLEAVE_ALL=1` generates all of them, a list of names only
/// those.
pub struct NotYet {
    /// Indexes on an expression. (They cover as SQLite's do, but beside them the outer source of a join may differ.)
    pub no_covering_expression: bool,
}

impl NotYet {
    fn new() -> NotYet {
        let asked = std::env::var("INTERLEAVE_ALL").unwrap_or_default();
        let is = |what: &str| asked != "1" && !asked.split(',').any(|one| one == what);
        NotYet { no_covering_expression: is("no_covering_expression") }
    }

    /// Whether a step is generated.
    fn allows(&self, step: &Step) -> bool {
        let sql = step.sql().unwrap_or_default();
        let is_index = sql.starts_with("CREATE") && sql.contains("INDEX");
        !(self.no_covering_expression && is_index && (sql.contains("(length") || sql.contains("(a % 3")))
    }
}

/// The script of a seed.
pub fn script(seed: u64) -> Script {
    let (not_yet, mut script) = (NotYet::new(), whole_script(seed));
    script.steps.retain(|step| not_yet.allows(step));
    script
}

fn whole_script(seed: u64) -> Script {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let in_memory = one_in(rng, 6);
    let weights = Weights {
        transactions: *pick(rng, &[0, 6, 12, 25]),
        definitions: *pick(rng, &[0, 0, 3, 10]),
        pragmas: *pick(rng, &[0, 0, 2, 8]),
        others: *pick(rng, &[0, 0, 0, 10, 30]),
        blobs: *pick(rng, &[0, 0, 5, 20]),
    };
    let mut world = World { tables: Vec::new(), in_memory, weights };
    let mut steps = Vec::new();
    settings(rng, &world, &mut steps);
    tables(rng, &mut world, &mut steps);
    for _ in 0..rng.u32(8..50) {
        step(rng, &world, &mut steps);
    }
    Script { in_memory, steps }
}

fn quiet(sql: impl Into<String>) -> Step {
    Step::Quiet { conn: 0, sql: sql.into() }
}

fn run(sql: impl Into<String>) -> Step {
    Step::Run { conn: 0, sql: sql.into() }
}

/// Settings of the file before it has content.
fn settings(rng: &mut Rng, world: &World, steps: &mut Vec<Step>) {
    steps.push(quiet("PRAGMA synchronous = 0"));
    steps.push(quiet(format!("PRAGMA page_size = {}", pick(rng, &[512, 512, 1024, 1024, 4096]))));
    let vacuum = pick(rng, &["0", "0", "0", "1", "2"]);
    if *vacuum != "0" {
        steps.push(quiet(format!("PRAGMA auto_vacuum = {vacuum}")));
    }
    if !world.in_memory {
        let mode = pick(rng, &["delete", "delete", "truncate", "persist", "memory", "wal", "wal"]);
        steps.push(run(format!("PRAGMA journal_mode = {mode}")));
        if one_in(rng, 3) {
            steps.push(quiet("PRAGMA mmap_size = 0"));
        }
        if one_in(rng, 10) && !(*mode == "wal" && world.weights.others > 0) {
            steps.push(run("PRAGMA locking_mode = exclusive"));
        }
    }
    if one_in(rng, 3) && world.weights.others == 0 {
        steps.push(quiet(format!("PRAGMA cache_size = {}", pick(rng, &[1, 5, 10, 50]))));
    }
    no_spill(world, steps);
    if one_in(rng, 12) {
        steps.push(quiet("PRAGMA temp_store = 2"));
    }
    if one_in(rng, 12) {
        steps.push(quiet("PRAGMA recursive_triggers = 1"));
    }
}

/// Beside other connections no page is written before the commit. (SQLite is built here with one cache for all files of the process, so a
/// script does not decide when it is full.)
fn no_spill(world: &World, steps: &mut Vec<Step>) {
    if world.weights.others > 0 {
        steps.extend((0..CONNECTIONS).map(|conn| Step::Quiet { conn, sql: "PRAGMA cache_spill = 0".to_owned() }));
    }
}

fn tables(rng: &mut Rng, world: &mut World, steps: &mut Vec<Step>) {
    let wanted = rng.usize(1..4);
    if one_in(rng, 6) {
        steps.push(run(if world.in_memory { "ATTACH ':memory:' AS aux" } else { "ATTACH '{dir}/aux.db' AS aux" }));
        table(rng, world, "aux.x", steps);
    }
    for name in ["t", "w", "u", "s"] {
        if world.tables.len() < wanted && rng.u32(0..3) > 0 {
            table(rng, world, name, steps);
        }
    }
    if one_in(rng, 8) {
        table(rng, world, "temp.m", steps);
    }
    if world.tables.is_empty() {
        table(rng, world, "t", steps);
    }
    if one_in(rng, 4) {
        steps.push(run(trigger(rng, world, 0)));
    }
    if one_in(rng, 6) {
        steps.push(run(view(rng, world)));
    }
}

/// A table, its indexes, its rows.
fn table(rng: &mut Rng, world: &mut World, name: &str, steps: &mut Vec<Step>) {
    let rows = *pick(rng, &[0, 1, 3, 10, 10, 40, 100, 300]);
    let (key, has_rowid) = match name {
        "t" | "temp.m" => ("a INTEGER PRIMARY KEY, b, c, d", true),
        "u" => (*pick(rng, &["a UNIQUE, b, c, d", "a INT, b INT, c TEXT UNIQUE, d", "a, b, c, d, UNIQUE(b, a)"]), true),
        "w" => (
            *pick(
                rng,
                &[
                    "a PRIMARY KEY, b, c, d) WITHOUT ROWID",
                    "a, b, c, d, PRIMARY KEY(b, a)) WITHOUT ROWID",
                    "a, b, c, d, PRIMARY KEY(a DESC, b)) WITHOUT ROWID",
                    "a INT, b, c TEXT, d, PRIMARY KEY(c, a)) WITHOUT ROWID",
                ],
            ),
            false,
        ),
        _ => (
            *pick(rng, &["a, b, c, d", "a INTEGER PRIMARY KEY AUTOINCREMENT, b, c, d", "a INT, b INT, c TEXT, d BLOB"]),
            true,
        ),
    };
    let end = if has_rowid { ")" } else { "" };
    steps.push(run(format!("CREATE TABLE {name}({key}{end}")));
    let own = Table { name: name.to_owned(), has_rowid, rows };
    for i in 0..rng.usize(0..3) {
        steps.push(run(index(rng, &own, i)));
    }
    if rows > 0 {
        steps.push(run(format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO {name} SELECT i{}, i * 7919 % {}, printf('%03d%.*c', i * 37 % 1000, i % {}, 'x'), zeroblob(i % {}) FROM n",
            pick(rng, &["", "", " * 2", " - 5"]),
            pick(rng, &[5, 11, 1000]),
            pick(rng, &[1, 20, 50, 200, 700]),
            pick(rng, &[1, 1, 10, 100, 1000])
        )));
    }
    world.tables.push(own);
}

/// CREATE INDEX, number `i` of a table.
fn index(rng: &mut Rng, table: &Table, i: usize) -> String {
    let terms = ["b", "b, a", "b DESC", "c", "b, c", "a", "a DESC, b", "length(c)", "c COLLATE NOCASE", "a % 3, b"];
    let filter = pick(rng, &["", "", "", "", " WHERE b > 3", " WHERE c IS NOT NULL"]);
    let unique = if one_in(rng, 12) { "UNIQUE " } else { "" };
    let (database, name) = match table.name.split_once('.') {
        Some((database, name)) => (format!("{database}."), name),
        None => (String::new(), table.name.as_str()),
    };
    format!("CREATE {unique}INDEX {database}i_{name}{i} ON {name}({}){filter}", pick(rng, &terms))
}

fn trigger(rng: &mut Rng, world: &World, i: usize) -> String {
    let (table, other) = (world.table(rng), world.table(rng));
    let event = pick(rng, &["INSERT", "DELETE", "UPDATE", "UPDATE OF b"]);
    let time = pick(rng, &["BEFORE", "AFTER"]);
    let row = if event.starts_with("DELETE") { "OLD" } else { "NEW" };
    let when = if one_in(rng, 3) { format!(" WHEN {row}.a % 3 = 0") } else { String::new() };
    let name = other.alias();
    let action = match rng.u32(0..7) {
        0 => format!("UPDATE {name} SET b = b + 1 WHERE a = {row}.a"),
        1 => format!("INSERT INTO {name}(a, b) VALUES ({row}.a + 500, {row}.b)"),
        2 => format!("INSERT OR REPLACE INTO {name}(a, b) VALUES ({row}.a, {row}.b)"),
        3 => format!("DELETE FROM {name} WHERE a = {row}.a + 1"),
        4 => format!("SELECT RAISE(IGNORE) WHERE {row}.b = 3"),
        5 => format!("SELECT RAISE(ABORT, 'no') WHERE {row}.b = 4"),
        _ => format!("UPDATE {name} SET c = {} WHERE b = {row}.b", writes::text(rng)),
    };
    let temp = if table.name == "temp.m" || one_in(rng, 3) { "TEMP " } else { "" };
    let database = if table.name == "aux.x" && temp.is_empty() { "aux." } else { "" };
    format!(
        "CREATE {temp}TRIGGER {database}g{i} {time} {event} ON {}{when} BEGIN {action}; END",
        if temp.is_empty() { table.alias() } else { &table.name }
    )
}

fn view(rng: &mut Rng, world: &World) -> String {
    let table = world.table(rng);
    match rng.u32(0..3) {
        0 => format!("CREATE VIEW v AS SELECT * FROM {}", table.alias()),
        1 => {
            format!("CREATE VIEW v AS SELECT a, b, c, d FROM {} WHERE {}", table.alias(), scans::predicate(rng, table))
        }
        _ => format!("CREATE TEMP VIEW v AS SELECT a, max(b) AS b, c, d FROM {} GROUP BY a", table.name),
    }
}

fn step(rng: &mut Rng, world: &World, steps: &mut Vec<Step>) {
    let weights = &world.weights;
    let slot = rng.usize(0..SLOTS);
    let conn = world.connection(rng);
    let choice = rng.u32(0..100);
    let definitions = weights.transactions + weights.definitions;
    let pragmas = definitions + weights.pragmas;
    let blobs = pragmas + weights.blobs;
    if choice < weights.transactions {
        let sql = *pick(rng, &TRANSACTIONS);
        if sql.starts_with("BEGIN ") {
            steps.push(Step::Run { conn, sql: "ROLLBACK".to_owned() });
        }
        if sql.starts_with("BEGIN") || sql.starts_with("SAVEPOINT") {
            close_slots(steps, is_writer);
        }
        steps.push(Step::Run { conn, sql: sql.to_owned() });
    } else if choice < definitions {
        if world.weights.others > 0 {
            // Reads the schema, because each engine notices changes by other connections at a different time.
            steps.push(Step::Quiet { conn, sql: "SELECT count(*) FROM sqlite_schema".to_owned() });
        }
        let has_made = |what: &str| steps.iter().any(|step| step.sql().is_some_and(|sql| sql.contains(what)));
        let has_triggers = has_made("TRIGGER g");
        let sql = definition(rng, world, has_triggers);
        if sql.starts_with("ALTER") {
            close_slots(steps, |step| matches!(step, Step::Blob { .. }));
        }
        steps.push(Step::Run { conn, sql });
        if world.weights.others > 0 && has_triggers {
            let read = |conn| Step::Quiet { conn, sql: "SELECT count(*) FROM sqlite_schema".to_owned() };
            steps.extend((0..CONNECTIONS).filter(|other| *other != conn).map(read));
        }
    } else if choice < pragmas {
        pragma(rng, world, conn, steps);
    } else if choice < blobs {
        blob(rng, world, conn, slot, steps);
    } else {
        rows(rng, world, conn, slot, steps);
    }
}

/// Closes the slots that were filled by such a step.
pub fn close_slots(steps: &mut Vec<Step>, is_such: impl Fn(&Step) -> bool) {
    let mut filled = Vec::new();
    for step in steps.iter() {
        if let Step::Open { slot, .. } | Step::Blob { slot, .. } | Step::Close { slot } = step {
            filled.retain(|other| other != slot);
            if is_such(step) {
                filled.push(*slot);
            }
        }
    }
    steps.extend(filled.into_iter().map(|slot| Step::Close { slot }));
}

/// Whether the step opens a statement with RETURNING.
pub fn is_writer(step: &Step) -> bool {
    matches!(step, Step::Open { sql, .. } if sql.contains("RETURNING"))
}

const TRANSACTIONS: [&str; 16] = [
    "BEGIN",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "COMMIT",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT p",
    "SAVEPOINT q",
    "RELEASE p",
    "RELEASE q",
    "ROLLBACK TO p",
    "ROLLBACK TO p",
    "ROLLBACK TO q",
    "SAVEPOINT p",
];

fn rows(rng: &mut Rng, world: &World, conn: usize, slot: usize, steps: &mut Vec<Step>) {
    let count = |rng: &mut Rng| *pick(rng, &[1, 1, 2, 3, 10, 40, 1000]);
    match rng.u32(0..100) {
        0..30 => {
            let open = Step::Open { conn, slot, sql: scans::scan(rng, world) };
            if is_writer(&open) {
                close_slots(steps, is_writer);
            }
            steps.push(open);
            if !one_in(rng, 8) {
                steps.push(Step::Rows { slot, count: *pick(rng, &[1, 1, 2, 5, 20]) });
            }
        }
        30..52 => steps.push(Step::Rows { slot, count: count(rng) }),
        52..62 => {
            let (count, sql) = (count(rng).min(400), writes::write_for_row(rng, world));
            steps.push(Step::Each { slot, count, conn, sql });
        }
        62..65 => steps.push(Step::Close { slot }),
        65..70 => steps.push(Step::Run { conn, sql: scans::scan(rng, world) }),
        70..99 => steps.push(Step::Run { conn, sql: writes::write(rng, world) }),
        _ if one_in(rng, 3) && !world.in_memory => {
            steps.push(Step::Reopen);
            no_spill(world, steps);
        }
        _ => steps.push(Step::Run { conn, sql: "PRAGMA integrity_check".to_owned() }),
    }
}

fn blob(rng: &mut Rng, world: &World, conn: usize, slot: usize, steps: &mut Vec<Step>) {
    let table = world.table(rng);
    if table.name == "temp.m" {
        return;
    }
    let row = rng.i64(0..i64::try_from(table.rows).unwrap_or(0) + 4);
    let (offset, count) = (rng.usize(0..400), rng.usize(1..60));
    match rng.u32(0..8) {
        0..3 => {
            let (database, name) = table.name.split_once('.').unwrap_or(("main", &table.name));
            let (database, name) = (database.to_owned(), name.to_owned());
            let column = (*pick(rng, &["d", "d", "c"])).to_owned();
            steps.push(Step::Blob { conn, slot, database, table: name, column, row, writes: rng.bool() });
            steps.push(Step::Read { slot, offset, count });
        }
        3 => steps.push(Step::Row { slot, row }),
        4 | 5 => steps.push(Step::Write { slot, offset, count }),
        6 => steps.push(Step::Read { slot, offset, count }),
        _ => steps.push(Step::Close { slot }),
    }
}

fn definition(rng: &mut Rng, world: &World, has_triggers: bool) -> String {
    let table = world.table(rng);
    let name = &table.name;
    let number = rng.usize(0..3);
    match rng.u32(0..16) {
        0..4 => index(rng, table, number),
        4..7 => format!(
            "DROP INDEX {}i_{}{number}",
            name.split_once('.').map_or("", |(database, _)| if database == "aux" { "aux." } else { "temp." }),
            table.alias()
        ),
        7 => format!("ALTER TABLE {name} ADD e DEFAULT 5"),
        8 => format!("ALTER TABLE {name} DROP e"),
        9 => format!("ALTER TABLE {name} RENAME e TO f"),
        10 => format!("ALTER TABLE {name} RENAME TO {}", pick(rng, &["z", "t", "u", "s", "w"])),
        11 => trigger(rng, world, number),
        12 => format!("DROP TRIGGER g{number}"),
        13 => (*pick(
            rng,
            &[
                "CREATE TABLE z(a, b, c, d)",
                "DROP TABLE z",
                "CREATE TEMP TABLE z(a, b)",
                "DROP VIEW v",
                "CREATE TABLE z AS SELECT * FROM t",
            ],
        ))
        .to_owned(),
        14 if !has_triggers => format!("DROP TABLE {name}"),
        _ => view(rng, world),
    }
}

fn pragma(rng: &mut Rng, world: &World, conn: usize, steps: &mut Vec<Step>) {
    let compared = [
        "VACUUM",
        "VACUUM",
        "REINDEX",
        "PRAGMA user_version = 7",
        "PRAGMA user_version",
        "PRAGMA integrity_check",
        "PRAGMA schema_version",
        "PRAGMA foreign_keys = 1",
        "PRAGMA recursive_triggers = 1",
        "PRAGMA locking_mode = normal",
        "PRAGMA auto_vacuum = 1",
        "PRAGMA auto_vacuum = 0",
        "PRAGMA journal_mode",
    ];
    let modes = ["delete", "truncate", "persist", "memory", "wal"];
    // The numbers of pages differ between the engines.
    let silent = [
        "PRAGMA wal_checkpoint",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA cache_size = 20",
        "PRAGMA mmap_size = 0",
        "PRAGMA mmap_size = 1000000",
        "PRAGMA cache_spill = 0",
        "PRAGMA shrink_memory",
    ];
    let of_alone = if world.weights.others > 0 { "cache_size" } else { "nothing" };
    let has_run = |what: &str| steps.iter().any(|step| step.sql().is_some_and(|sql| sql.starts_with(what)));
    let is_exclusive = world.weights.others > 0 && has_run("PRAGMA locking_mode = exclusive");
    let may_have_namesakes = has_run("ALTER TABLE temp.m RENAME TO") || has_run("CREATE TEMP TABLE z");
    steps.push(match rng.u32(0..10) {
        0 if !world.in_memory => {
            let mode = *pick(rng, &modes);
            let change = if is_exclusive { String::new() } else { format!(" = {mode}") };
            Step::Run { conn, sql: format!("PRAGMA journal_mode{change}") }
        }
        1..4 => {
            let sql = *pick(rng, &silent);
            Step::Quiet { conn, sql: if sql.contains(of_alone) { "PRAGMA mmap_size = 0" } else { sql }.to_owned() }
        }
        _ => {
            let sql = *pick(rng, &compared);
            let is_avoided = sql == "VACUUM" && may_have_namesakes;
            Step::Run { conn, sql: if is_avoided { "PRAGMA user_version" } else { sql }.to_owned() }
        }
    });
}
