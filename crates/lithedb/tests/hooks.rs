//! Hooks, progress handler and authorizer, compared with SQLite's calls for the same script.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use lithe::{Connection, Permission, Request, ResultCode, RowChange};
use rusqlite::hooks::{Action, AuthAction, AuthContext, Authorization};

type Log = Arc<Mutex<Vec<String>>>;

struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
    by_lithe: Log,
    by_sqlite: Log,
}

fn note(log: &Log, entry: String) {
    log.lock().unwrap().push(entry);
}

/// rusqlite calls freed hooks if a connection closes with an open transaction.
impl Drop for Pair {
    fn drop(&mut self) {
        let _ = self.sqlite.rollback_hook(None::<fn()>);
    }
}

impl Pair {
    fn new() -> Pair {
        Pair {
            lithe: Connection::open_in_memory().unwrap(),
            sqlite: rusqlite::Connection::open_in_memory().unwrap(),
            by_lithe: Log::default(),
            by_sqlite: Log::default(),
        }
    }

    /// Two connections with hooks that log their calls; the commit hook rolls back while `refuse` is set.
    fn with_hooks() -> (Pair, Arc<Mutex<bool>>) {
        let mut pair = Pair::new();
        let refuse = Arc::new(Mutex::new(false));
        let (log, refuses) = (Arc::clone(&pair.by_lithe), Arc::clone(&refuse));
        pair.lithe.set_commit_hook(Some(move || {
            note(&log, "commit".to_owned());
            *refuses.lock().unwrap()
        }));
        let log = Arc::clone(&pair.by_lithe);
        pair.lithe.set_rollback_hook(Some(move || note(&log, "rollback".to_owned())));
        let log = Arc::clone(&pair.by_lithe);
        pair.lithe.set_update_hook(Some(move |change, database: &str, table: &str, rowid| {
            note(&log, format!("{} {database}.{table} {rowid}", change as i32));
        }));
        let (log, refuses) = (Arc::clone(&pair.by_sqlite), Arc::clone(&refuse));
        let _ = pair.sqlite.commit_hook(Some(move || {
            note(&log, "commit".to_owned());
            *refuses.lock().unwrap()
        }));
        let log = Arc::clone(&pair.by_sqlite);
        let _ = pair.sqlite.rollback_hook(Some(move || note(&log, "rollback".to_owned())));
        let log = Arc::clone(&pair.by_sqlite);
        let _ = pair.sqlite.update_hook(Some(move |action: Action, database: &str, table: &str, rowid| {
            note(&log, format!("{} {database}.{table} {rowid}", action as i32));
        }));
        (pair, refuse)
    }

    /// Runs a statement on both sides: the same error or none, and the same log.
    #[track_caller]
    fn check(&self, sql: &str) {
        let lithe = self.lithe.execute_batch(sql).map_err(|e| (e.code().0, e.message().to_owned()));
        let sqlite = self.sqlite.execute_batch(sql).map_err(|error| match error {
            rusqlite::Error::SqliteFailure(code, message) => (code.extended_code, message.unwrap_or_default()),
            rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
            other => panic!("{other}"),
        });
        assert_eq!(lithe, sqlite, "{sql}");
        let (by_lithe, by_sqlite) =
            (self.by_lithe.lock().unwrap().split_off(0), self.by_sqlite.lock().unwrap().split_off(0));
        assert_eq!(by_lithe, by_sqlite, "{sql}");
    }
}

#[test]
fn changes_commits_and_rollbacks_are_told() {
    let (pair, refuse) = Pair::with_hooks();
    for sql in [
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE)",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        "UPDATE t SET b = b || a",
        "UPDATE t SET a = a + 10 WHERE a = 2",
        "REPLACE INTO t VALUES (5, 'x1')",
        "INSERT INTO t VALUES (7, 'x1')",
        "BEGIN; INSERT INTO t VALUES (8, 'z'); ROLLBACK",
        "BEGIN; INSERT INTO t VALUES (8, 'z'); COMMIT",
        "BEGIN; ROLLBACK",
        "BEGIN; COMMIT",
        "BEGIN; SELECT * FROM t; COMMIT",
        "SAVEPOINT s; INSERT INTO t VALUES (9, 'q'); ROLLBACK TO s; RELEASE s",
        "INSERT OR ROLLBACK INTO t VALUES (8, 'again')",
        "DELETE FROM t WHERE a = 8",
        "DELETE FROM t",
        "CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID",
        "INSERT INTO w VALUES (1, 2)",
        "CREATE TEMP TABLE tt(a)",
        "INSERT INTO tt VALUES (1)",
        "CREATE TEMP TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO tt VALUES (new.a); END",
        "INSERT INTO t VALUES (3, 'y')",
        "INSERT INTO t VALUES (3, 'y') ON CONFLICT DO UPDATE SET b = 'z'",
        "INSERT OR IGNORE INTO t VALUES (3, 'y')",
    ] {
        pair.check(sql);
    }
    *refuse.lock().unwrap() = true;
    pair.check("INSERT INTO t VALUES (100, 'refused')");
    pair.check("BEGIN; INSERT INTO t VALUES (100, 'refused'); COMMIT");
    pair.check("CREATE TABLE never(a)");
    assert_eq!((pair.lithe.is_autocommit(), pair.sqlite.is_autocommit()), (true, true));
    *refuse.lock().unwrap() = false;
    pair.check("SELECT count(*) FROM t; INSERT INTO t VALUES (101, 'kept')");
    pair.check("CREATE TABLE never(a)");
}

#[test]
fn no_rollback_is_told_when_a_connection_closes() {
    let connection = Connection::open_in_memory().unwrap();
    let log = Log::default();
    let notes = Arc::clone(&log);
    connection.set_rollback_hook(Some(move || note(&notes, "rollback".to_owned())));
    connection.execute_batch("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1)").unwrap();
    drop(connection);
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn the_progress_handler_counts_instructions() {
    let connection = Connection::open_in_memory().unwrap();
    let count = |every: u32, sql: &str| {
        let asked = Arc::new(Mutex::new(0_u32));
        let counter = Arc::clone(&asked);
        connection.set_progress_handler(
            every,
            Some(move || {
                *counter.lock().unwrap() += 1;
                false
            }),
        );
        connection.execute_batch(sql).unwrap();
        connection.set_progress_handler(0, None::<fn() -> bool>);
        *asked.lock().unwrap()
    };
    assert!(count(1, "CREATE TABLE t(a)") > 5);
    let numbers =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT sum(i) FROM n";
    let (every, every_tenth) = (count(1, numbers), count(10, numbers));
    assert!(every > 500 && (every / 10).abs_diff(every_tenth) <= 1, "{every} {every_tenth}");
    connection.set_progress_handler(1, Some(|| true));
    let error = connection.execute("SELECT 1 UNION SELECT 2", []).unwrap_err();
    assert_eq!((error.code(), error.message()), (ResultCode::INTERRUPT, "interrupted"));
    connection.set_progress_handler(1, None::<fn() -> bool>);
    connection.execute_batch("SELECT 1 UNION SELECT 2").unwrap();
}

fn shown(details: [Option<&str>; 4]) -> String {
    details.map(|detail| detail.unwrap_or("-").to_owned()).join(" ")
}

impl Pair {
    /// Two connections with the schema, and authorizers that answer by the rule.
    fn with_authorizers(rule: fn(&str) -> Permission) -> Pair {
        let mut pair = Pair::new();
        for sql in SCHEMA {
            pair.lithe.execute_batch(sql).unwrap();
            pair.sqlite.execute_batch(sql).unwrap();
        }
        let log = Arc::clone(&pair.by_lithe);
        pair.lithe.set_authorizer(Some(move |request: &Request<'_>| {
            let details = [request.first, request.second, request.database, request.within];
            let entry = format!("{} {}", request.action as i32, shown(details));
            let answer = rule(&entry);
            note(&log, entry);
            answer
        }));
        let log = Arc::clone(&pair.by_sqlite);
        let _ = pair.sqlite.authorizer(Some(move |context: AuthContext<'_>| {
            let entry = sqlite_request(&context);
            let answer = rule(&entry);
            note(&log, entry);
            match answer {
                Permission::Allow => Authorization::Allow,
                Permission::Ignore => Authorization::Ignore,
                _ => Authorization::Deny,
            }
        }));
        pair
    }

    /// Runs a statement on both sides: the same error, rows, and set of authorizer calls.
    #[track_caller]
    fn check_questions(&self, sql: &str) {
        let lithe = self.rows_by_lithe(sql);
        let sqlite = self.rows_by_sqlite(sql);
        assert_eq!(lithe, sqlite, "{sql}");
        let set = |log: &Log| log.lock().unwrap().split_off(0).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(set(&self.by_lithe), set(&self.by_sqlite), "{sql}");
    }

    /// As [`Pair::check_questions`], with the same order and number of calls.
    fn has_same_order(&self, sql: &str) -> bool {
        let rows = [self.rows_by_lithe(sql), self.rows_by_sqlite(sql)];
        let questions = [&self.by_lithe, &self.by_sqlite].map(|log: &Log| log.lock().unwrap().split_off(0));
        let is_same = rows[0] == rows[1] && questions[0] == questions[1];
        if !is_same {
            eprintln!("{sql}\n  Lithe:  {:?} {:?}\n  SQLite: {:?} {:?}", rows[0], questions[0], rows[1], questions[1]);
        }
        is_same
    }

    fn rows_by_lithe(&self, sql: &str) -> Result<Vec<String>, (i32, String)> {
        let run = || {
            let mut statement = self.lithe.prepare(sql)?;
            let columns = statement.column_count();
            statement
                .query_map([], |row| Ok((0..columns).map(|i| row.get_ref(i).to_string() + "|").collect::<String>()))
        };
        run().map_err(|e| (e.code().0, e.message().to_owned()))
    }

    fn rows_by_sqlite(&self, sql: &str) -> Result<Vec<String>, (i32, String)> {
        let run = || {
            let mut statement = self.sqlite.prepare(sql)?;
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                let shown = |i| row.get::<_, rusqlite::types::Value>(i).map(|value| sql_text(&value) + "|");
                (0..columns).map(shown).collect::<rusqlite::Result<String>>()
            })?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        };
        run().map_err(|error| match error {
            rusqlite::Error::SqliteFailure(code, message) => (code.extended_code, message.unwrap_or_default()),
            rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
            other => panic!("{other}"),
        })
    }
}

fn sql_text(value: &rusqlite::types::Value) -> String {
    use rusqlite::types::Value as V;
    match value {
        V::Null => "NULL".to_owned(),
        V::Integer(i) => i.to_string(),
        V::Real(r) => r.to_string(),
        V::Text(t) => format!("'{t}'"),
        V::Blob(_) => "blob".to_owned(),
    }
}

/// The arguments of a call of SQLite's authorizer.
fn sqlite_request(context: &AuthContext<'_>) -> String {
    use AuthAction as A;
    let (code, first, second) = match context.action {
        A::CreateIndex { index_name, table_name } => (1, Some(index_name), Some(table_name)),
        A::CreateTable { table_name } => (2, Some(table_name), None),
        A::CreateTempTable { table_name } => (4, Some(table_name), None),
        A::CreateTempTrigger { trigger_name, table_name } => (5, Some(trigger_name), Some(table_name)),
        A::CreateTempView { view_name } => (6, Some(view_name), None),
        A::CreateTrigger { trigger_name, table_name } => (7, Some(trigger_name), Some(table_name)),
        A::CreateView { view_name } => (8, Some(view_name), None),
        A::Delete { table_name } => (9, Some(table_name), None),
        A::DropIndex { index_name, table_name } => (10, Some(index_name), Some(table_name)),
        A::DropTable { table_name } => (11, Some(table_name), None),
        A::DropTempTable { table_name } => (13, Some(table_name), None),
        A::DropTrigger { trigger_name, table_name } => (16, Some(trigger_name), Some(table_name)),
        A::DropView { view_name } => (17, Some(view_name), None),
        A::Insert { table_name } => (18, Some(table_name), None),
        A::Pragma { pragma_name, pragma_value } => (19, Some(pragma_name), pragma_value),
        A::Read { table_name, column_name } => (20, Some(table_name), Some(column_name)),
        A::Select => (21, None, None),
        A::Transaction { operation } => (22, Some(operation_name(&operation)), None),
        A::Update { table_name, column_name } => (23, Some(table_name), Some(column_name)),
        A::Attach { filename } => (24, Some(filename), None),
        A::Detach { database_name } => (25, Some(database_name), None),
        A::AlterTable { database_name, table_name } => (26, Some(database_name), Some(table_name)),
        A::Reindex { index_name } => (27, Some(index_name), None),
        A::Function { function_name } => (31, None, Some(function_name)),
        A::Savepoint { operation, savepoint_name } => (32, Some(operation_name(&operation)), Some(savepoint_name)),
        A::Recursive => (33, None, None),
        other => panic!("{other:?}"),
    };
    format!("{code} {}", shown([first, second, context.database_name, context.accessor]))
}

fn operation_name(operation: &rusqlite::hooks::TransactionOperation) -> &'static str {
    use rusqlite::hooks::TransactionOperation as T;
    match operation {
        T::Begin => "BEGIN",
        T::Release => "RELEASE",
        T::Rollback => "ROLLBACK",
        _ => "COMMIT",
    }
}

/// The schema for the authorizer tests. The authorizers do not see its creation, because SQLite writes its schema by statements.
const SCHEMA: &[&str] = &[
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c)",
    "CREATE TABLE u(x, y)",
    "CREATE INDEX i ON t(c)",
    "CREATE VIEW v AS SELECT a, b FROM t WHERE c > 1",
    "CREATE TEMP TABLE tt(z)",
    "CREATE TABLE calls(a, b CHECK(length(b) < 9), c AS (lower(a)), d DEFAULT (hex(1)))",
    "CREATE INDEX of_calls ON calls(abs(a)) WHERE trim(b) <> ''",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN UPDATE u SET x = new.b WHERE y = 1; DELETE FROM u WHERE x = new.a; END",
    "INSERT INTO u VALUES (1, 2)",
    "INSERT INTO t VALUES (1, 2, 3)",
];

#[test]
fn statements_ask_the_authorizer_what_sqlite_asks() {
    let pair = Pair::with_authorizers(|_| Permission::Allow);
    for sql in [
        "SELECT 1",
        "SELECT a FROM t",
        "SELECT rowid FROM u",
        "SELECT b, c FROM t WHERE a = 1 ORDER BY c",
        "SELECT count(*) FROM t",
        "SELECT * FROM t",
        "SELECT t.* FROM t, u",
        "SELECT t.a, u.x FROM t JOIN u ON t.b = u.y",
        "SELECT (SELECT x FROM u WHERE y = t.a) FROM t",
        "SELECT a FROM t UNION SELECT x FROM u",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
        "WITH q AS (SELECT b FROM t) SELECT * FROM q",
        "VALUES (1, 2)",
        "INSERT INTO u VALUES (1, 2)",
        "INSERT INTO t(b) VALUES (abs(-1))",
        "INSERT INTO u SELECT b, c FROM t",
        "UPDATE u SET x = y + 1 WHERE y = 2",
        "UPDATE t SET b = 17, c = 2 WHERE c = 3",
        "DELETE FROM u WHERE x = 1",
        "DELETE FROM u",
        "BEGIN",
        "SAVEPOINT s",
        "ROLLBACK TO s",
        "RELEASE s",
        "COMMIT",
        "ATTACH ':memory:' AS aux",
        "DETACH aux",
        "PRAGMA user_version",
        "PRAGMA user_version = 3",
        "PRAGMA main.page_count",
        "SELECT max(a), upper('x') LIKE 'x' FROM t",
        "SELECT name FROM sqlite_schema WHERE 0",
        "SELECT x FROM u AS k WHERE k.y = 1",
    ] {
        pair.check_questions(sql);
    }
}

/// The definitions that come first in each test; they call the authorizer themselves.
const DEFINITIONS: &[&str] = &[
    "PRAGMA foreign_keys = 1",
    "CREATE TABLE p(k PRIMARY KEY, n UNIQUE)",
    "CREATE TABLE w(k, n UNIQUE, PRIMARY KEY(n, k)) WITHOUT ROWID",
    "CREATE TABLE s(i INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE s2(i INTEGER PRIMARY KEY AUTOINCREMENT)",
    "CREATE TABLE child(a REFERENCES p, b REFERENCES p(n) DEFERRABLE INITIALLY DEFERRED, c REFERENCES child)",
    "CREATE TABLE cascade(a REFERENCES w(n) ON UPDATE CASCADE ON DELETE SET NULL)",
    "CREATE TABLE checked(a, b, c DEFAULT (1 + 1))",
    "CREATE INDEX e ON checked(a + b) WHERE c",
    "CREATE TABLE made(a CHECK (abs(a) > 1), b AS (lower(a) || c), c, CHECK (length(c) < a))",
    "CREATE INDEX of_w ON w(k)",
    "CREATE VIEW sum AS SELECT a + b AS x, c FROM checked",
    "CREATE TRIGGER of_view INSTEAD OF INSERT ON sum BEGIN SELECT new.x, max(new.c); END",
    "CREATE TEMP TRIGGER tempt AFTER DELETE ON checked WHEN old.a BEGIN SELECT x FROM sum; END",
];

/// After [`DEFINITIONS`], each statement calls both authorizers with the same arguments in the same order.
#[track_caller]
fn check_order(statements: &[&str]) {
    let pair = Pair::with_authorizers(|_| Permission::Allow);
    let others = DEFINITIONS.iter().chain(statements).filter(|sql| !pair.has_same_order(sql)).count();
    assert_eq!(others, 0);
}

#[test]
fn questions_about_changes_come_in_sqlites_order() {
    check_order(&[
        // Expressions of the definitions cause no further calls.
        "INSERT INTO checked(a) VALUES (1)",
        "UPDATE checked SET a = 2 WHERE b",
        "DELETE FROM checked",
        "INSERT INTO calls(a, b) VALUES (1, 2)",
        "SELECT c FROM calls WHERE abs(a) = 1",
        "DELETE FROM calls WHERE a = 3",
        "REINDEX of_calls",
        // Foreign keys.
        "INSERT INTO p VALUES (1, 2)",
        "INSERT INTO child VALUES (1, 2, NULL)",
        "UPDATE child SET a = 1, c = NULL",
        "UPDATE p SET k = 1",
        "UPDATE p SET n = 2 WHERE k",
        "REPLACE INTO p VALUES (3, 4)",
        "DELETE FROM child",
        "DELETE FROM p",
        "UPDATE w SET n = 5",
        "DELETE FROM w",
        // Several rows, and RETURNING after the queries.
        "INSERT INTO u VALUES (1, abs(2)), (3, 4)",
        "INSERT INTO u SELECT c, 1 FROM checked",
        "UPDATE u SET x = (SELECT c FROM sum) RETURNING x, y",
    ]);
}

#[test]
fn questions_about_queries_come_in_sqlites_order() {
    check_order(&[
        // ON, after WHERE.
        "SELECT 1 FROM checked JOIN u ON a = x WHERE b = y",
        "SELECT c FROM checked LEFT JOIN u ON a = x WHERE b = y",
        "SELECT count(x) FROM checked JOIN u ON a = x WHERE b > 1 GROUP BY c, y HAVING max(b) > 0 ORDER BY min(a), length(c)",
        "SELECT a FROM checked WHERE abs(b) IN (SELECT y FROM u WHERE x) ORDER BY c",
        "DELETE FROM u WHERE x IN (SELECT c FROM checked) AND y",
        // Tables of which no column is read.
        "SELECT count(*) FROM u",
        "SELECT a, (SELECT count(*) FROM u) FROM checked",
        "SELECT n FROM (SELECT count(*) AS n FROM u LIMIT 1)",
        // Nested queries, after all names.
        "SELECT x FROM u LIMIT (SELECT c FROM sum)",
        "SELECT x, c FROM sum",
        "SELECT j.x FROM sum AS i, sum AS j WHERE i.c = j.x",
        "SELECT (SELECT x FROM sum) FROM checked",
        "SELECT q FROM (SELECT x AS q FROM sum)",
        "WITH c(i) AS (SELECT x FROM sum) SELECT i FROM c",
        "SELECT a FROM checked UNION SELECT x FROM sum",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3) SELECT i FROM c",
        "INSERT INTO u VALUES ((SELECT x FROM sum), 1)",
        "UPDATE u SET x = (SELECT c FROM sum)",
        "SELECT * FROM pragma_table_info('u')",
    ]);
}

#[test]
fn questions_about_what_is_dropped_come_in_sqlites_order() {
    check_order(&[
        "DROP VIEW v",
        "DROP TRIGGER of_view",
        "DROP INDEX e",
        "DROP TABLE s",
        "DROP TABLE child",
        "DROP TABLE p",
        "DROP TABLE t",
    ]);
}

#[test]
fn what_is_denied_or_ignored() {
    let pair = Pair::with_authorizers(|entry| match entry {
        "20 t c main -" => Permission::Deny,
        "20 u y main -" | "31 - upper - -" | "23 u x main -" | "18 tt - temp -" => Permission::Ignore,
        "31 - lower - -" | "9 t - main -" | "11 t - main -" | "2 refused - main -" | "22 BEGIN - - -" => {
            Permission::Deny
        }
        "19 user_version - - -" => Permission::Ignore,
        _ => Permission::Allow,
    });
    for sql in [
        "SELECT c FROM t",
        "SELECT b FROM t",
        "SELECT * FROM t",
        "SELECT x, y FROM u",
        "SELECT * FROM u WHERE y IS NULL",
        "SELECT upper('x')",
        "SELECT lower('X')",
        "UPDATE u SET x = 77, y = 78",
        "SELECT x FROM u",
        "INSERT INTO tt VALUES (5)",
        "SELECT count(*) FROM tt",
        "DELETE FROM t",
        "DROP TABLE t",
        "CREATE TABLE refused(a)",
        "BEGIN",
        "PRAGMA user_version",
        "SELECT count(*) FROM sqlite_schema",
    ] {
        assert_eq!(pair.rows_by_lithe(sql), pair.rows_by_sqlite(sql), "{sql}");
    }
}

#[test]
fn statements_prepared_before_the_preupdate_hook_tell_it() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(a)").unwrap();
    let log = Log::default();
    let mut insert = connection.prepare("INSERT INTO t VALUES (?1)").unwrap();
    insert.execute([1]).unwrap();
    let notes = Arc::clone(&log);
    let hook = move |change: &RowChange<'_>| note(&notes, format!("{:?} {}", change.operation, change.new_rowid));
    connection.set_preupdate_hook(Some(hook));
    insert.execute([2]).unwrap();
    connection.set_preupdate_hook(None::<fn(&RowChange<'_>)>);
    insert.execute([3]).unwrap();
    assert_eq!(*log.lock().unwrap(), ["Insert 2"]);
}
