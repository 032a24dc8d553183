//! Memory that is not there: every large allocation of a script is made to fail once. The statement reports SQLITE_NOMEM, what
//! is in the database is what was there before it or what it makes, and the connection goes on.
//!
//! Small allocations, single pages among them, are not made to fail: like most Rust programs, a process that cannot have a few
//! bytes ends.
//! `SURVEY=1` shows where large allocations are made, `CASE=7` runs one of them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use lithe::{Connection, OpenFlags, ResultCode, ValueRef};

/// What counts as large: more than a few pages.
const LARGE: usize = 256 << 10;

#[global_allocator]
static MEMORY: Scarce = Scarce;

/// The system's memory, of which a thread may be refused one large piece.
struct Scarce;

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Everything is granted.
    Plenty,
    /// Large allocations are counted; that of this number is refused.
    Refuse(u64),
    /// Large allocations are shown, once for each place.
    Survey,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Plenty) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn is_granted(size: usize) -> bool {
    if size < LARGE {
        return true;
    }
    match MODE.get() {
        Mode::Plenty => true,
        Mode::Refuse(number) => {
            COUNT.set(COUNT.get() + 1);
            COUNT.get() != number
        }
        Mode::Survey => {
            MODE.set(Mode::Plenty);
            show_place();
            MODE.set(Mode::Survey);
            true
        }
    }
}

// SAFETY: whatever is granted comes from the system's allocator and goes back to it.
unsafe impl GlobalAlloc for Scarce {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        if is_granted(layout.size()) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        if is_granted(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        if is_granted(new_size) { unsafe { System.realloc(memory, layout, new_size) } } else { std::ptr::null_mut() }
    }
}

/// Shows who allocates: the innermost functions of Lithe.
fn show_place() {
    thread_local!(static SEEN: Cell<BTreeSet<String>> = const { Cell::new(BTreeSet::new()) });
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let is_ours = |line: &&str| line.starts_with("at ./crates/") || line.contains("/crates/");
    let ours = trace.lines().map(str::trim).filter(is_ours).filter(|line| !line.contains("tests/memory.rs"));
    let place = ours.take(6).collect::<Vec<_>>().join(" < ");
    let mut seen = SEEN.take();
    if seen.insert(place.clone()) {
        eprintln!("{place}");
    }
    SEEN.set(seen);
}

/// One of everything that takes much memory. `?` before a statement: it only reads.
const SCRIPT: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c)",
    "INSERT INTO t(b, c) VALUES (zeroblob(1000000), 'x')",
    "INSERT INTO t(b, c) SELECT randomblob(900000), hex(zeroblob(50000))",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000) INSERT INTO t(b, c) SELECT i, hex(i) || printf('%040d', i * 7919 % 4001) FROM n",
    "CREATE INDEX i ON t(c)",
    "?SELECT count(*), max(length(b)), sum(length(hex(b))) FROM t",
    "?SELECT b, c FROM t WHERE a < 4",
    "?SELECT length(b || c || b), length(replace(c, '0', 'zero')), length(quote(b)) FROM t WHERE a < 3",
    "?SELECT length(printf('%.*c', 1000000, 'x')), length(upper(c)) FROM t WHERE a < 3",
    "?SELECT length(group_concat(c)), length(group_concat(c || '' ORDER BY c)) FROM t WHERE a <> 1",
    "?SELECT count(*) FROM (SELECT c, b FROM t ORDER BY b DESC, c LIMIT 3000)",
    "?SELECT count(*) FROM (SELECT DISTINCT c || 'x' FROM t)",
    "?SELECT count(*) FROM (SELECT substr(c, 3) AS k, count(*) FROM t GROUP BY k)",
    "?SELECT count(*) FROM t WHERE c || '' IN (SELECT c || '' FROM t)",
    "?SELECT count(*) FROM t AS x JOIN t AS y ON x.c || '' = y.c || ''",
    "?SELECT count(*) FROM (SELECT c FROM t UNION SELECT c || 'y' FROM t)",
    "?SELECT sum(n) FROM (SELECT count(*) OVER (ORDER BY c ROWS 3 PRECEDING) AS n FROM t)",
    "?SELECT length(hex(b)), length(substr(b, 5)), length(unhex(hex(b))), length(coalesce(NULL, b)) FROM t WHERE a < 3",
    "?WITH m AS MATERIALIZED (SELECT c FROM t) SELECT count(*) FROM m AS x, m AS y WHERE x.c = y.c",
    "?SELECT length(CAST(b AS TEXT)), length(CAST(c AS BLOB)), typeof(CAST(hex(b) AS TEXT)) FROM t WHERE a < 3",
    "?WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40000) SELECT count(*) FROM (SELECT i FROM n ORDER BY i * 7919 % 40009)",
    "?SELECT length(json_group_array(c)), length(jsonb_group_array(c)), length(json_group_object(a, c)) FROM t WHERE a > 2",
    "?SELECT length(json(j)), length(jsonb(j)), json_array_length(jsonb(j)), length(j ->> '$[1]'), length(json_pretty(j)), json_valid(jsonb(j), 8) FROM (SELECT json_group_array(c || char(10, 34)) AS j FROM t WHERE a > 1)",
    "?SELECT length(json_array(hex(b))), length(json_quote(hex(b) || char(34))), json_array(hex(b)) -> '$[0]' IS NULL FROM t WHERE a < 3",
    "?SELECT sum(length(value)) FROM t, json_each(json_array(c, c || char(9))) WHERE a < 3",
    "?WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000), d AS MATERIALIZED (SELECT json_group_array(i) AS j FROM n) SELECT length(json_set(j, '$[#]', 7)), length(json_insert(j, '$[#]', json(j))), length(json_replace(j, '$[1]', json(j))), length(json_array_insert(j, '$[0]', 1)), length(jsonb_remove(jsonb(j), '$[1]')), length(json_extract(j, '$', '$[2]')), length(json_array(json(j))), j -> '$[7]' FROM d",
    "?WITH d AS MATERIALIZED (SELECT json_group_object('k' || a, a) AS o FROM t WHERE a < 4200) SELECT length(json_patch(o, '{\"new\":1}')), length(json_patch('{}', o)), length(json_set(o, '$.x', json(o), '$.y.z', json(o))), length(json_remove(o, '$.x')) FROM d",
    "?SELECT json_extract(o, '$.\"' || k || '\"'), json_type(o, '$.' || k), o -> k, o ->> ('$.' || k), length(json_insert(o, '$.' || k || 'x', k)), length(json_set('{}', '$.a.' || k, 1)), length(json_remove(o, '$.' || k)), length(json_patch(o, o)), length(jsonb_set(jsonb(o), '$.x', k)) FROM (SELECT hex(zeroblob(150000)) AS k, json_object(hex(zeroblob(150000)), 1) AS o)",
    "?SELECT json_extract(o, '$.\"' || k || '\\n\"'), length(json_set(o, '$.\"' || k || '\\n\"', k || char(10))), length(json_pretty(o, k)) FROM (SELECT hex(zeroblob(150000)) AS k, json_object(hex(zeroblob(150000)) || char(10), 1) AS o)",
    "?SELECT sum(length(key) + length(fullkey) + length(path) + length(value) + length(atom)) FROM (SELECT hex(zeroblob(150000)) AS k) CROSS JOIN json_tree(json_object(k, json_array(k || char(10)), k || char(10), k), '$.' || k)",
    "?SELECT sum(length(key) + length(fullkey) + length(path)) FROM (SELECT hex(zeroblob(150000)) AS k) CROSS JOIN json_each(json_object(k || char(10), 1, k, 2))",
    "UPDATE t SET c = c || 'u' WHERE a % 3 = 0",
    "BEGIN; UPDATE t SET b = zeroblob(300) WHERE a > 3; SAVEPOINT s; DELETE FROM t WHERE a % 2; ROLLBACK TO s; COMMIT",
    "BEGIN; INSERT INTO t(b) VALUES (randomblob(1500000)); DELETE FROM t WHERE a < 1000; ROLLBACK",
    "DELETE FROM t WHERE a > 3500",
    "PRAGMA wal_checkpoint(TRUNCATE)",
    "?PRAGMA integrity_check",
    "ANALYZE",
    "ALTER TABLE t ADD COLUMN d DEFAULT 7",
    "VACUUM",
    "DROP INDEX i",
    "DELETE FROM t",
];

struct World {
    pragmas: &'static str,
}

fn open(folder: &Path, pragmas: &str) -> Connection {
    let connection = Connection::open_with_flags(folder.join("db"), OpenFlags::DEFAULT).unwrap();
    connection.execute_batch(pragmas).unwrap();
    connection
}

/// Runs one line of the script; every value is looked at.
fn run(connection: &Connection, line: &str) -> lithe::Result<()> {
    let mut rest = line.trim_start_matches('?');
    while !rest.trim().is_empty() {
        let (sql, tail) = rest.split_once("; ").unwrap_or((rest, ""));
        let mut statement = connection.prepare(sql)?;
        while let Some(row) = statement.step()? {
            for column in 0..row.column_count() {
                if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column) {
                    std::hint::black_box(bytes.iter().fold(0, |sum, byte| sum ^ byte));
                }
            }
        }
        rest = tail;
    }
    Ok(())
}

/// What is in the database, told by who has plenty of memory.
fn content(connection: &Connection) -> String {
    let mode = MODE.replace(Mode::Plenty);
    let tables = "SELECT group_concat(name || coalesce(sql, '')) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%'";
    let text = |sql: &str| connection.query_row(sql, [], |row| Ok(row.get_ref(0).to_string())).unwrap_or_default();
    let rows = "SELECT count(*) || ' ' || total(length(b)) || ' ' || total(length(c)) || ' ' || total(a) FROM t";
    let content = format!("{} {}", text(tables), text(rows));
    MODE.set(mode);
    content
}

impl World {
    /// What is in the database before each line and after the last, and how many large allocations the script makes.
    fn measure(&self, mode: Mode) -> (Vec<String>, u64) {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(folder.path(), self.pragmas);
        COUNT.set(0);
        MODE.set(mode);
        let mut contents = vec![content(&connection)];
        for line in SCRIPT {
            run(&connection, line).unwrap_or_else(|error| panic!("{line}: {error}"));
            contents.push(content(&connection));
        }
        MODE.set(Mode::Plenty);
        (contents, COUNT.get())
    }

    /// Refuses one allocation; whether it was asked for.
    fn check(&self, number: u64, contents: &[String]) {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(folder.path(), self.pragmas);
        COUNT.set(0);
        MODE.set(Mode::Refuse(number));
        for (at, line) in SCRIPT.iter().enumerate() {
            let place = format!("{}, allocation {number}, {line}", self.pragmas);
            if let Err(error) = run(&connection, line) {
                MODE.set(Mode::Plenty);
                let code = error.code();
                assert!(matches!(code, ResultCode::NOMEM | ResultCode::IOERR_NOMEM), "{place}: {code:?} {error}");
                if line.starts_with("BEGIN") && !connection.is_autocommit() {
                    connection.execute_batch("ROLLBACK").unwrap_or_else(|error| panic!("{place}: {error}"));
                }
                let after = content(&connection);
                assert!(contents[at..at + 2].contains(&after), "{place}: {after}");
                if after == contents[at] {
                    run(&connection, line).unwrap_or_else(|error| panic!("{place}, once more: {error}"));
                }
            }
            assert_eq!(content(&connection), contents[at + 1], "{place}");
        }
        MODE.set(Mode::Plenty);
        let answer: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(answer, "ok", "{}, allocation {number}", self.pragmas);
    }
}

const WORLDS: [World; 4] = [
    World { pragmas: "PRAGMA page_size = 65536; PRAGMA cache_size = 10; PRAGMA mmap_size = 0" },
    World { pragmas: "PRAGMA page_size = 65536; PRAGMA journal_mode = WAL; PRAGMA cache_size = 10" },
    World {
        pragmas: "PRAGMA cache_size = -100; PRAGMA temp_store = FILE; PRAGMA journal_mode = WAL; PRAGMA mmap_size = 0",
    },
    World { pragmas: "PRAGMA temp_store = MEMORY; PRAGMA journal_mode = PERSIST" },
];

/// How many allocations of each world are refused in a run: these, spread over the script.
const CASES: u64 = 6;

#[test]
fn large_allocations_that_fail_are_errors() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    for world in &WORLDS {
        if number("SURVEY").is_some() {
            eprintln!("{}", world.pragmas);
            world.measure(Mode::Survey);
            continue;
        }
        let (contents, count) = world.measure(Mode::Refuse(0));
        assert!(count > 10, "{count} large allocations");
        if let Some(case) = number("CASE") {
            world.check(case, &contents);
            continue;
        }
        let cases = number("CASES").unwrap_or(CASES).min(count);
        (0..cases).for_each(|case| world.check(1 + case * count / cases, &contents));
    }
}
