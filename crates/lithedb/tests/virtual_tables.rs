//! Virtual tables of the application: a series of numbers, and a table in memory that logs its calls.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lithe::virtual_table::{
    Change, ColumnContext, ConnectRequest, Connected, FunctionError, IndexInfo, Module, ModuleKind, Result, Risk, Scan,
    ScanPlan, SqlConnection, Values, VirtualCursor, VirtualTable, constraint,
};
use lithe::{Connection, Value, ValueRef};

/// The rows of a query, columns separated by `|`.
#[track_caller]
fn check(connection: &Connection, sql: &str, expected: &[&str]) {
    assert_eq!(answer(connection, sql), expected, "{sql}");
}

fn answer(connection: &Connection, sql: &str) -> Vec<String> {
    let text = |value: ValueRef<'_>| match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(integer) => integer.to_string(),
        ValueRef::Real(real) => lithe::real_to_text(real),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    };
    let run = || -> lithe::Result<Vec<String>> {
        let mut statement = connection.prepare(sql)?;
        let width = statement.column_count();
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let columns: Vec<String> = (0..width).map(|at| text(row.get_ref(at))).collect();
            lines.push(columns.join("|"));
        }
        Ok(lines)
    };
    run().unwrap_or_else(|error| vec![format!("error: {error}")])
}

// ---- numbers from start to stop ----

struct Series;

const START: i32 = 1;
const STOP: i32 = 2;

impl Module for Series {
    fn kind(&self) -> ModuleKind {
        ModuleKind::EponymousOnly
    }

    fn connect(&self, _: &dyn SqlConnection, _: &ConnectRequest<'_>) -> Result<Connected> {
        let declaration = "CREATE TABLE x(value INTEGER, start INTEGER HIDDEN, stop hidden)".to_owned();
        Ok(Connected { table: Box::new(Series), declaration, risk: Risk::Innocuous })
    }
}

impl VirtualTable for Series {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let mut count = 0;
        for wanted in [START, STOP] {
            let is_it = |of: &lithe::virtual_table::IndexConstraint| of.column == wanted && of.op == constraint::EQ;
            let Some(at) = info.constraints.iter().position(is_it) else { continue };
            if !info.constraints[at].usable {
                return Ok(false);
            }
            count += 1;
            info.usage[at].argument = count;
            info.usage[at].omit = true;
            info.plan.number |= wanted;
        }
        (info.estimated_cost, info.estimated_rows) = if count == 2 { (2.0, 1000) } else { (2147483647.0, 2147483647) };
        if info.order_by.len() == 1 && info.order_by[0].column == 0 {
            info.order_by_consumed = true;
            info.plan.number |= if info.order_by[0].descending { 8 } else { 16 };
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(Numbers { at: 0, from: 0, to: 0, backwards: false }))
    }
}

struct Numbers {
    at: i64,
    from: i64,
    to: i64,
    backwards: bool,
}

impl VirtualCursor for Numbers {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let mut values = arguments.values.iter().map(|value| match value {
            ValueRef::Integer(integer) => *integer,
            _ => 0,
        });
        let mut given = |wanted: i32| if plan.number & wanted != 0 { values.next() } else { None };
        self.from = given(START).unwrap_or(0);
        self.to = given(STOP).unwrap_or(3);
        self.backwards = plan.number & 8 != 0;
        self.at = if self.backwards { self.to } else { self.from };
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += if self.backwards { -1 } else { 1 };
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at < self.from || self.at > self.to
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        answer.context.out.set_integer([self.at, self.from, self.to][column]);
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.at)
    }
}

#[test]
fn a_series_is_a_function_and_a_table() {
    let connection = Connection::open_in_memory().unwrap();
    check(&connection, "SELECT * FROM series(1, 3)", &["error: no such table: series"]);
    connection.create_module("series", Series);
    check(&connection, "SELECT * FROM series(1, 3)", &["1", "2", "3"]);
    check(&connection, "SELECT *, start, stop, rowid FROM series(2, 3)", &["2|2|3|2", "3|2|3|3"]);
    check(&connection, "SELECT value FROM series WHERE stop = 2 AND start = 1", &["1", "2"]);
    check(&connection, "SELECT value FROM series(1, 4) WHERE value % 2 = 0", &["2", "4"]);
    check(&connection, "SELECT a.value, b.value FROM series(1, 2) a, series(a.value, 2) b", &["1|1", "1|2", "2|2"]);
    check(&connection, "SELECT b.value FROM series(a.value, 2) b, series(1, 2) a ORDER BY 1", &["1", "2", "2"]);
    check(&connection, "SELECT value FROM series(1, 3) ORDER BY value DESC", &["3", "2", "1"]);
    check(&connection, "SELECT value FROM series(1, 3) ORDER BY -value", &["3", "2", "1"]);
    check(&connection, "SELECT value FROM series(1, 9) LIMIT 2 OFFSET 3", &["4", "5"]);
    check(
        &connection,
        "SELECT value FROM series WHERE start IN (1, 3) AND stop = 3 ORDER BY value",
        &["1", "2", "3", "3"],
    );
    check(&connection, "SELECT max(value), count(*) FROM series(1, 100)", &["100|100"]);
    check(
        &connection,
        "SELECT x.column1, s.value FROM (VALUES (5), (1)) x LEFT JOIN series(x.column1, 1) s",
        &["5|NULL", "1|1"],
    );
    check(&connection, "SELECT * FROM series(1, 2, 3)", &["error: too many arguments on series() - max 2"]);
    check(&connection, "INSERT INTO series VALUES (1)", &["error: table series may not be modified"]);
    check(&connection, "CREATE VIRTUAL TABLE s USING series", &["error: no such module: series"]);
    check(&connection, "CREATE INDEX i ON series(value)", &["error: virtual tables may not be indexed"]);
    check(
        &connection,
        "SELECT name, type, hidden FROM pragma_table_xinfo('series')",
        &["value|INTEGER|0", "start|INTEGER|1", "stop||1"],
    );
    check(&connection, "SELECT value FROM series(1, 2) UNION SELECT value FROM series(2, 3)", &["1", "2", "3"]);
    check(&connection, "SELECT 2 IN series(1, 3), 4 IN series(1, 3)", &["1|0"]);
    connection.remove_module("series");
    check(&connection, "SELECT * FROM series(1, 3)", &["error: no such table: series"]);
}

#[test]
fn plans_show_what_the_module_says() {
    let connection = Connection::open_in_memory().unwrap();
    connection.create_module("series", Series);
    let explain = |sql: &str, expected: &[&str]| {
        let lines = answer(&connection, &format!("EXPLAIN QUERY PLAN {sql}"));
        let details: Vec<&str> = lines.iter().map(|line| line.rsplit('|').next().unwrap()).collect();
        assert_eq!(details, expected, "{sql}");
    };
    explain("SELECT * FROM series(1, 2)", &["SCAN series VIRTUAL TABLE INDEX 3:"]);
    explain("SELECT * FROM series(1, 2) ORDER BY value", &["SCAN series VIRTUAL TABLE INDEX 19:"]);
    explain(
        "SELECT * FROM series(1, 2) ORDER BY -value",
        &["SCAN series VIRTUAL TABLE INDEX 3:", "USE TEMP B-TREE FOR ORDER BY"],
    );
    explain(
        "SELECT * FROM series(a.value, 2) b, series(1, 2) a",
        &["SCAN a VIRTUAL TABLE INDEX 3:", "SCAN b VIRTUAL TABLE INDEX 3:"],
    );
}

// ---- a table in memory ----

/// The calls of a module's tables, and their rows.
#[derive(Default)]
struct Store {
    log: Vec<String>,
    tables: BTreeMap<String, BTreeMap<i64, Vec<Value>>>,
    /// The rows at each savepoint.
    savepoints: Vec<BTreeMap<String, BTreeMap<i64, Vec<Value>>>>,
    before: Option<BTreeMap<String, BTreeMap<i64, Vec<Value>>>>,
}

#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Store>>);

impl Memory {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().log.push(what.into());
    }

    fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().log)
    }

    fn make(&self, request: &ConnectRequest<'_>, verb: &str) -> Result<Connected> {
        let arguments: Vec<_> = request.arguments.iter().map(|text| String::from_utf8_lossy(text)).collect();
        self.note(format!("{verb} {}.{}({})", request.database, request.table, arguments.join(",")));
        if arguments.iter().any(|argument| argument == "fail") {
            return Err(FunctionError::new("as you like"));
        }
        let name = request.table.to_owned();
        if verb == "create" {
            self.0.lock().unwrap().tables.insert(name.clone(), BTreeMap::new());
        }
        let width = arguments.len();
        let declaration = format!("CREATE TABLE x({})", arguments.join(","));
        let table = Box::new(MemoryTable { store: self.clone(), name: Mutex::new(name), width });
        Ok(Connected { table, declaration, risk: Risk::Normal })
    }
}

impl Module for Memory {
    fn create(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.make(request, "create")
    }

    fn connect(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.make(request, "connect")
    }
}

struct MemoryTable {
    store: Memory,
    name: Mutex<String>,
    width: usize,
}

impl MemoryTable {
    fn name(&self) -> String {
        self.name.lock().unwrap().clone()
    }

    fn with<T>(&self, f: impl FnOnce(&mut BTreeMap<i64, Vec<Value>>) -> T) -> T {
        let mut store = self.store.0.lock().unwrap();
        f(store.tables.entry(self.name()).or_default())
    }
}

impl Drop for MemoryTable {
    fn drop(&mut self) {
        self.store.note(format!("disconnect {}", self.name()));
    }
}

impl VirtualTable for MemoryTable {
    fn best_index(&self, info: &mut IndexInfo) -> Result<bool> {
        let rowid = info.constraints.iter().position(|of| of.column == -1 && of.op == constraint::EQ && of.usable);
        info.estimated_cost = 1000.0;
        if let Some(at) = rowid {
            info.usage[at].argument = 1;
            info.plan = ScanPlan { number: 1, text: Some("rowid".into()), extra: None };
            (info.estimated_cost, info.estimated_rows, info.finds_one_row) = (1.0, 1, true);
        }
        Ok(true)
    }

    fn open(&self) -> Result<Box<dyn VirtualCursor>> {
        Ok(Box::new(MemoryCursor { rows: Vec::new(), at: 0, all: self.with(|rows| rows.clone()) }))
    }

    fn is_writable(&self) -> bool {
        true
    }

    fn supports_constraints(&self) -> bool {
        true
    }

    fn update(&self, _: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let integer = |value: ValueRef<'_>| if let ValueRef::Integer(integer) = value { Some(integer) } else { None };
        let old = change.old_key().and_then(integer);
        let new = change.new_key().and_then(integer);
        let unchanged = (0..self.width).filter(|&at| change.is_unchanged(at)).count();
        let what = match (old, change.columns()) {
            (None, _) => "insert",
            (Some(_), Some(_)) => "update",
            (Some(_), None) => "delete",
        };
        self.store.note(format!("{what} {old:?} {new:?} {unchanged}"));
        self.with(|rows| {
            let Some(columns) = change.columns() else {
                rows.remove(&old.unwrap_or_default());
                return Ok(None);
            };
            let last = rows.last_key_value().map_or(0, |(key, _)| *key);
            let key = new.unwrap_or(last + 1);
            if rows.contains_key(&key) && old != Some(key) {
                return Err(FunctionError::with_code(19, "UNIQUE constraint failed: rowid"));
            }
            let before = old.and_then(|old| rows.remove(&old)).unwrap_or_default();
            let column = |(at, value): (usize, &ValueRef<'_>)| match change.is_unchanged(at) {
                true => before[at].clone(),
                false => Value::from(*value),
            };
            rows.insert(key, columns.iter().enumerate().map(column).collect());
            Ok(Some(key))
        })
    }

    fn begin(&self, _: &dyn SqlConnection) -> Result {
        self.store.note("begin");
        let mut store = self.store.0.lock().unwrap();
        store.before = Some(store.tables.clone());
        Ok(())
    }

    fn sync(&self, _: &dyn SqlConnection) -> Result {
        self.store.note("sync");
        let is_bad = self.with(|rows| rows.contains_key(&666));
        if is_bad { Err(FunctionError::new("cannot sync")) } else { Ok(()) }
    }

    fn commit(&self, _: &dyn SqlConnection) {
        self.store.note("commit");
    }

    fn rollback(&self, _: &dyn SqlConnection) {
        self.store.note("rollback");
        let mut store = self.store.0.lock().unwrap();
        if let Some(before) = store.before.take() {
            store.tables = before;
        }
    }

    fn savepoint(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.store.note(format!("savepoint {savepoint}"));
        let mut store = self.store.0.lock().unwrap();
        let (tables, savepoint) = (store.tables.clone(), savepoint as usize);
        while store.savepoints.len() <= savepoint {
            store.savepoints.push(tables.clone());
        }
        store.savepoints.truncate(savepoint + 1);
        store.savepoints[savepoint] = tables;
        Ok(())
    }

    fn release(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.store.note(format!("release {savepoint}"));
        Ok(())
    }

    fn rollback_to(&self, _: &dyn SqlConnection, savepoint: i32) -> Result {
        self.store.note(format!("rollback to {savepoint}"));
        let mut store = self.store.0.lock().unwrap();
        store.tables = store.savepoints[savepoint as usize].clone();
        Ok(())
    }

    fn rename(&self, _: &dyn SqlConnection, name: &str) -> Result {
        self.store.note(format!("rename {} to {name}", self.name()));
        let mut store = self.store.0.lock().unwrap();
        let rows = store.tables.remove(&self.name()).unwrap_or_default();
        store.tables.insert(name.to_owned(), rows);
        *self.name.lock().unwrap() = name.to_owned();
        Ok(())
    }

    fn destroy(&self, _: &dyn SqlConnection) -> Result {
        self.store.note(format!("destroy {}", self.name()));
        let mut store = self.store.0.lock().unwrap();
        store.tables.remove(&self.name());
        Ok(())
    }

    fn integrity(&self, _: &dyn SqlConnection, database: &str, table: &str, is_quick: bool) -> Result<Option<String>> {
        self.store.note(format!("integrity {database}.{table} {is_quick}"));
        Ok(self.with(|rows| rows.contains_key(&13)).then(|| "an unlucky row".to_owned()))
    }
}

struct MemoryCursor {
    all: BTreeMap<i64, Vec<Value>>,
    rows: Vec<(i64, Vec<Value>)>,
    at: usize,
}

impl VirtualCursor for MemoryCursor {
    fn filter(&mut self, _: &Scan<'_>, plan: &ScanPlan, arguments: &Values<'_>) -> Result {
        let wanted = arguments.values.first().copied();
        let is_wanted = |key: i64| {
            plan.number == 0
                || wanted.is_some_and(|wanted| lithe_compare(ValueRef::Integer(key), wanted) == Ordering::Equal)
        };
        self.rows = self.all.iter().filter(|(key, _)| is_wanted(**key)).map(|(k, v)| (*k, v.clone())).collect();
        self.at = 0;
        Ok(())
    }

    fn next(&mut self, _: &Scan<'_>) -> Result {
        self.at += 1;
        Ok(())
    }

    fn eof(&self) -> bool {
        self.at >= self.rows.len()
    }

    fn column(&mut self, _: &Scan<'_>, answer: &mut ColumnContext<'_, '_>, column: usize) -> Result {
        if answer.is_unchanged {
            answer.leaves_out = true;
            return Ok(());
        }
        answer.context.out.set(self.rows[self.at].1[column].as_ref());
        Ok(())
    }

    fn rowid(&mut self) -> Result<i64> {
        Ok(self.rows[self.at].0)
    }
}

fn lithe_compare(left: ValueRef<'_>, right: ValueRef<'_>) -> Ordering {
    match (left, right) {
        (ValueRef::Integer(left), ValueRef::Integer(right)) => left.cmp(&right),
        _ => Ordering::Less,
    }
}

/// Runs a statement and checks the calls of the module.
#[track_caller]
fn hears(connection: &Connection, memory: &Memory, sql: &str, expected: &[&str]) {
    connection.execute_batch(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    assert_eq!(memory.take_log(), expected, "{sql}");
}

#[test]
fn a_table_of_a_module_can_be_written() {
    let connection = Connection::open_in_memory().unwrap();
    let memory = Memory::default();
    connection.create_module("memory", memory.clone());
    let run = |sql: &str, expected: &[&str]| hears(&connection, &memory, sql, expected);
    run("CREATE VIRTUAL TABLE t USING memory(a, b TEXT)", &["create main.t(a,b TEXT)", "sync", "commit"]);
    check(
        &connection,
        "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema",
        &["table|t|t|0|CREATE VIRTUAL TABLE t USING memory(a, b TEXT)"],
    );
    run("INSERT INTO t VALUES (1, 'one')", &["begin", "insert None None 0", "sync", "commit"]);
    assert_eq!((connection.last_insert_rowid(), connection.changes()), (1, 1));
    run("INSERT INTO t(rowid, b) VALUES (7, 'seven')", &["begin", "insert None Some(7) 0", "sync", "commit"]);
    run(
        "INSERT INTO t SELECT column1, 'x' FROM (VALUES (8), (9))",
        &["begin", "insert None None 0", "insert None None 0", "sync", "commit"],
    );
    check(&connection, "SELECT rowid, * FROM t", &["1|1|one", "7|NULL|seven", "8|8|x", "9|9|x"]);
    run("UPDATE t SET b = b || '!' WHERE rowid = 8", &["begin", "update Some(8) Some(8) 1", "sync", "commit"]);
    run("UPDATE t SET rowid = 10 WHERE a = 9", &["begin", "update Some(9) Some(10) 2", "sync", "commit"]);
    check(&connection, "SELECT rowid, a, b FROM t WHERE rowid >= 8", &["8|8|x!", "10|9|x"]);
    run(
        "DELETE FROM t WHERE b LIKE 'x%'",
        &["begin", "delete Some(8) None 0", "delete Some(10) None 0", "sync", "commit"],
    );
    assert_eq!(connection.changes(), 2);
    check(&connection, "SELECT count(*) FROM t", &["2"]);
    check(&connection, "INSERT INTO t VALUES (2, 'two') RETURNING a, b", &["2|two"]);
    memory.take_log();
    check(&connection, "DELETE FROM t RETURNING a", &["error: DELETE RETURNING is not available on virtual tables"]);
    let upsert = "INSERT INTO t(rowid) VALUES (1) ON CONFLICT DO NOTHING";
    check(&connection, upsert, &["error: UPSERT not implemented for virtual table \"t\""]);
    check(&connection, "INSERT INTO t(rowid) VALUES (1)", &["error: UNIQUE constraint failed: rowid"]);
    check(&connection, "INSERT OR IGNORE INTO t(rowid) VALUES (1)", &[]);
    assert_eq!(connection.changes(), 0);
    memory.take_log();
    run("ALTER TABLE t RENAME TO u", &["rename t to u", "disconnect u"]);
    check(&connection, "SELECT rowid FROM u", &["1", "7", "8"]);
    check(&connection, "SELECT sql FROM sqlite_schema", &["CREATE VIRTUAL TABLE \"u\" USING memory(a, b TEXT)"]);
    check(&connection, "ALTER TABLE u ADD COLUMN c", &["error: virtual tables may not be altered"]);
    check(
        &connection,
        "CREATE TRIGGER g AFTER INSERT ON u BEGIN SELECT 1; END",
        &["error: cannot create triggers on virtual tables"],
    );
    memory.take_log();
    run("DROP TABLE u", &["destroy u", "disconnect u"]);
    check(&connection, "SELECT * FROM u", &["error: no such table: u"]);
    check(&connection, "SELECT count(*) FROM sqlite_schema", &["0"]);
}

#[test]
fn a_table_of_a_module_takes_part_in_transactions() {
    let connection = Connection::open_in_memory().unwrap();
    let memory = Memory::default();
    connection.create_module("memory", memory.clone());
    let run = |sql: &str, expected: &[&str]| hears(&connection, &memory, sql, expected);
    connection.execute_batch("CREATE VIRTUAL TABLE t USING memory(a); CREATE TABLE plain(x)").unwrap();
    memory.take_log();
    run("BEGIN; INSERT INTO plain VALUES (1)", &[]);
    run("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", &["begin", "insert None None 0", "insert None None 0"]);
    run("SAVEPOINT s; INSERT INTO t VALUES (3)", &["savepoint 0", "insert None None 0"]);
    run("ROLLBACK TO s", &["rollback to 0"]);
    check(&connection, "SELECT a FROM t", &["1", "2"]);
    run("RELEASE s; COMMIT", &["release 0", "sync", "commit"]);
    run("BEGIN; INSERT INTO t VALUES (9); ROLLBACK", &["begin", "insert None None 0", "rollback"]);
    check(&connection, "SELECT a FROM t", &["1", "2"]);
    // A statement that fails halfway has a savepoint of its own.
    run("BEGIN; INSERT INTO t VALUES (9)", &["begin", "insert None None 0"]);
    check(
        &connection,
        "INSERT INTO t(rowid) SELECT column1 FROM (VALUES (50), (1))",
        &["error: UNIQUE constraint failed: rowid"],
    );
    let heard = ["savepoint 0", "insert None Some(50) 0", "insert None Some(1) 0", "rollback to 0", "release 0"];
    assert_eq!(memory.take_log(), heard);
    check(&connection, "SELECT rowid FROM t", &["1", "2", "3"]);
    run("COMMIT", &["sync", "commit"]);
    // xSync can fail.
    check(&connection, "INSERT INTO t(rowid) VALUES (666)", &["error: cannot sync"]);
    assert_eq!(memory.take_log(), ["begin", "insert None Some(666) 0", "sync", "rollback"]);
    check(&connection, "SELECT rowid FROM t", &["1", "2", "3"]);
    check(&connection, "PRAGMA integrity_check", &["ok"]);
    assert_eq!(memory.take_log(), ["integrity main.t false"]);
    connection.execute("INSERT INTO t(rowid) VALUES (13)", []).unwrap();
    check(&connection, "PRAGMA quick_check", &["an unlucky row"]);
}

#[test]
fn tables_are_connected_when_they_are_first_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("db");
    let memory = Memory::default();
    {
        let connection = Connection::open(&path).unwrap();
        connection.create_module("memory", memory.clone());
        connection.execute_batch("CREATE VIRTUAL TABLE t USING memory(a); INSERT INTO t VALUES (5)").unwrap();
        check(&connection, "CREATE VIRTUAL TABLE x USING memory(fail)", &["error: as you like"]);
        check(&connection, "CREATE VIRTUAL TABLE x USING nobody", &["error: no such module: nobody"]);
        check(&connection, "SELECT name FROM sqlite_schema", &["t"]);
        check(&connection, "CREATE VIRTUAL TABLE IF NOT EXISTS t USING nobody", &[]);
        check(&connection, "CREATE VIRTUAL TABLE t USING memory(a)", &["error: table t already exists"]);
    }
    memory.take_log();
    let connection = Connection::open(&path).unwrap();
    check(&connection, "SELECT * FROM t", &["error: no such module: memory"]);
    check(&connection, "SELECT name FROM sqlite_schema", &["t"]);
    connection.create_module("memory", memory.clone());
    check(&connection, "CREATE VIEW v AS SELECT a + 1 AS b FROM t", &[]);
    check(&connection, "SELECT b FROM v", &["6"]);
    assert_eq!(memory.take_log(), ["connect main.t(a)"]);
    check(&connection, "SELECT name FROM pragma_module_list WHERE name LIKE 'mem%'", &["memory"]);
    // Another connection changes the schema: the table is connected again.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE more(x)").unwrap();
    check(&connection, "SELECT a FROM t", &["5"]);
    assert_eq!(memory.take_log(), ["disconnect t", "connect main.t(a)"]);
    check(&connection, "ATTACH ':memory:' AS other", &[]);
    check(&connection, "CREATE VIRTUAL TABLE other.t2 USING memory(x, y)", &[]);
    check(&connection, "SELECT * FROM other.t2, t", &[]);
    memory.take_log();
    check(&connection, "DETACH other", &[]);
    assert_eq!(memory.take_log(), ["disconnect t2"]);
    drop(connection);
    assert_eq!(memory.take_log(), ["disconnect t"]);
}
