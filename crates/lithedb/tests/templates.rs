//! Statements that differ only in literals and comments are compiled once for each template: rows, stored values, names and errors must equal
//! SQLite's, whichever statement of a template comes first.

mod common;

use common::{ask_lithe, ask_sqlite, exactly};
use lithe::Connection;

/// Literals of all kinds.
const LITERALS: [&str; 24] = [
    "5",
    "-5",
    "1",
    "-1",
    "0",
    "7.0",
    "-2.5e3",
    ".5",
    "'5'",
    "'it''s'",
    "'X'",
    "''",
    "x'35'",
    "x''",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "- 3",
    "0x10",
    "NULL",
    "'5.0'",
    "1e400",
    "'-2500'",
    "TRUE",
];

/// Both libraries, after the same statements.
struct Both {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

impl Both {
    fn open(schema: &str) -> Both {
        let both = Both {
            lithe: Connection::open_in_memory().unwrap(),
            sqlite: rusqlite::Connection::open_in_memory().unwrap(),
        };
        both.change(schema);
        both
    }

    fn change(&self, sql: &str) {
        self.lithe.execute_batch(sql).unwrap();
        self.sqlite.execute_batch(sql).unwrap();
    }

    /// Rows in their order, names and types of the columns, changes and errors are the same, and so is the plan.
    #[track_caller]
    fn same(&self, sql: &str) {
        self.same_rows(sql);
        let plan = format!("EXPLAIN QUERY PLAN {sql}");
        let detail = |rows: common::Rows| rows.into_iter().map(|row| row[3].clone()).collect::<Vec<_>>();
        let (ours, theirs) = (ask_lithe(&self.lithe, &plan, exactly), ask_sqlite(&self.sqlite, &plan, exactly));
        assert_eq!(ours.map(detail).ok(), theirs.map(detail).ok(), "{sql}");
    }

    /// All of this, but for the plan.
    #[track_caller]
    fn same_rows(&self, sql: &str) {
        let ours = ask_lithe(&self.lithe, sql, exactly);
        assert_eq!(ours, ask_sqlite(&self.sqlite, sql, exactly), "{sql}");
        assert_eq!(self.lithe.changes(), self.sqlite.changes(), "{sql}");
        if ours.is_err() {
            return;
        }
        let (mine, theirs) = (self.lithe.prepare(sql).unwrap(), self.sqlite.prepare(sql).unwrap());
        assert_eq!((mine.sql(), mine.parameter_count()), (sql, theirs.parameter_count()), "{sql}");
        let types = |at: usize| (mine.column_names()[at].to_owned(), mine.column_decltype(at).map(str::to_owned));
        let found: Vec<_> = (0..mine.column_count()).map(types).collect();
        let columns = theirs.columns();
        let expected: Vec<_> = columns.map(|c| (c.name().to_owned(), c.decl_type().map(str::to_owned))).collect();
        assert_eq!(found, expected, "{sql}");
    }

    /// The shape with each literal in the place of `{}`, and another one in the place of `{2}`.
    #[track_caller]
    fn same_for_all(&self, shape: &str) {
        for (at, literal) in LITERALS.iter().enumerate() {
            let other = LITERALS[(at * 7 + 3) % LITERALS.len()];
            self.same(&shape.replace("{}", literal).replace("{2}", other));
        }
    }
}

const SHOP: &str = "
    CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, r REAL, s TEXT, b BLOB, a, x NUMERIC COLLATE NOCASE);
    INSERT INTO t VALUES
        (1, 5, 7, '5', x'35', 5, 'x'), (2, -5, -2500, 'it''s', x'', '5', 'X'), (3, 7, 0.5, 'X', '5', 7.0, 5),
        (5, 0, -0.0, '', 5, NULL, -3), (7, NULL, NULL, NULL, NULL, x'35', NULL), (-5, 1, 1, '1', 1, 1, 1),
        (9223372036854775807, -9223372036854775808, 9e999, '5.0', x'78', 9223372036854775808.0, '5.0'),
        (16, 16, 16, '16', 16, 16, 16), (-2500, 9223372036854775807, -2.5e3, 'x', 'x', 'x', '-2500');
    CREATE TABLE u(id INTEGER PRIMARY KEY, t INTEGER, s TEXT);
    INSERT INTO u SELECT n, id, s FROM t WHERE n IS NOT NULL;
";

/// Runs the statements one by one on both libraries; answers and errors must be equal, and so must the final tables.
fn check(schema: &str, statements: &[&str], query: &str) {
    let ours = Connection::open_in_memory().unwrap();
    let theirs = rusqlite::Connection::open_in_memory().unwrap();
    ours.execute_batch(schema).unwrap();
    theirs.execute_batch(schema).unwrap();
    for sql in statements {
        let answer = ours.execute(sql, []).map_err(|error| error.to_string());
        let expected = theirs.execute(sql, []).map_err(|error| match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            rusqlite::Error::SqlInputError { msg, .. } => msg,
            other => other.to_string(),
        });
        assert_eq!(answer, expected, "{sql}");
        assert_eq!(ours.last_insert_rowid(), theirs.last_insert_rowid(), "{sql}");
    }
    assert_eq!(rows(&ours, query), expected_rows(&theirs, query));
}

fn rows(connection: &Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        found.push(row.get::<String>(0).unwrap());
    }
    found
}

fn expected_rows(connection: &rusqlite::Connection, query: &str) -> Vec<String> {
    let mut statement = connection.prepare(query).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn literals_of_all_kinds() {
    check(
        "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c TEXT, d REAL, e INT)",
        &[
            "INSERT INTO t VALUES(1,2,3,4,5)",
            "INSERT INTO t VALUES(2,'x','y''z','1.5','6')",
            "INSERT INTO t VALUES(-3,-9223372036854775808,9223372036854775808,-0.0,1e3)",
            "INSERT INTO t VALUES(4,x'00ff',x'',-1e400,1.0)",
            "INSERT INTO t VALUES('5',-0.0,-1.5,9223372036854775807,'x')",
            "INSERT INTO t VALUES('no',1,1,1,1)",
            "INSERT INTO t VALUES(1,2,3,4,5);",
            "INSERT INTO t VALUES(7,2,3,4,5),(8,NULL,'','a',.5)",
            "INSERT INTO t(b, a) VALUES('q',9)",
            "INSERT INTO t(b, a) VALUES('q',10) ;",
            "INSERT INTO t(b, a) VALUES('q')",
            "INSERT INTO t(b, nope) VALUES('q',1)",
            "REPLACE INTO t VALUES(1,upper('r'),1+1,4,5)",
            "REPLACE INTO t VALUES(1,upper('r'),1+1,40,5)",
        ],
        "SELECT quote(a)||quote(b)||quote(c)||quote(d)||quote(e)||typeof(b)||typeof(c)||typeof(d)||typeof(e) FROM t",
    );
}

#[test]
fn constraints_and_triggers() {
    check(
        "CREATE TABLE t(a UNIQUE, b NOT NULL DEFAULT 7 CHECK(b < 10));
         CREATE TABLE log(text);
         CREATE TRIGGER tr AFTER INSERT ON t WHEN new.a > 1 BEGIN INSERT INTO log VALUES(new.a || typeof(new.a)); END;
         CREATE INDEX i ON t(b) WHERE a = 'x';",
        &[
            "INSERT INTO t VALUES(1,2)",
            "INSERT INTO t VALUES(1,3)",
            "INSERT INTO t VALUES('1',3)",
            "INSERT INTO t VALUES(2,30)",
            "INSERT OR IGNORE INTO t VALUES(2,30)",
            "INSERT OR REPLACE INTO t VALUES(2,3)",
            "INSERT INTO t VALUES(3,NULL)",
            "INSERT INTO t VALUES('x',3)",
        ],
        "SELECT quote(a)||quote(b) FROM t UNION ALL SELECT text FROM log",
    );
}

#[test]
fn the_schema_changes_between_them() {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch("CREATE TABLE t(a TEXT); INSERT INTO t VALUES(1); DROP TABLE t; CREATE TABLE t(a INT)")
        .unwrap();
    connection.execute("INSERT INTO t VALUES('2')", []).unwrap();
    connection.execute("INSERT INTO t VALUES('3')", []).unwrap();
    assert_eq!(rows(&connection, "SELECT typeof(a) || a FROM t"), ["integer2", "integer3"]);
}

#[test]
fn a_prepared_statement_keeps_its_literals() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t(a)").unwrap();
    let mut first = connection.prepare("INSERT INTO t VALUES('first')").unwrap();
    let mut second = connection.prepare("INSERT INTO t VALUES('second')").unwrap();
    assert_eq!((first.parameter_count(), second.parameter_count()), (0, 0));
    first.clear_bindings();
    for _ in 0..2 {
        first.execute([]).unwrap();
        second.execute([]).unwrap();
    }
    drop((first, second));
    connection.execute("INSERT INTO t VALUES('third')", []).unwrap();
    let all = rows(&connection, "SELECT group_concat(a) FROM t");
    assert_eq!(all, ["first,second,first,second,third"]);
}

#[test]
fn conditions_of_queries() {
    let both = Both::open(SHOP);
    for column in ["id", "n", "r", "s", "b", "a", "x", "rowid"] {
        for op in ["=", "==", "<>", "!=", "<", "<=", ">", ">=", "IS", "IS NOT"] {
            both.same_for_all(&format!("SELECT id, {column} FROM t WHERE {column} {op} {{}}"));
        }
    }
}

#[test]
fn conditions_with_indexes() {
    let both = Both::open(SHOP);
    both.change("CREATE INDEX t_n ON t(n, r DESC); CREATE INDEX t_s ON t(s, a); CREATE INDEX t_x ON t(x); CREATE INDEX t_b ON t(b)");
    for shape in [
        "SELECT * FROM t WHERE n = {}",
        "SELECT * FROM t WHERE n = {} AND r > {2}",
        "SELECT * FROM t WHERE n > {} AND n < {2} ORDER BY n DESC",
        "SELECT id FROM t WHERE s = {} OR x = {2}",
        "SELECT id FROM t WHERE s >= {} AND a <> {2} ORDER BY s LIMIT 3",
        "SELECT b + 1, count(*) FROM t WHERE b < {} GROUP BY b HAVING count(*) > 0 ORDER BY 1",
        "SELECT t.id, u.s FROM t JOIN u ON u.t = t.id WHERE t.n = {} AND u.s <> {2}",
        "SELECT t.id, u.s FROM t LEFT JOIN u ON u.t = t.id WHERE u.s = {} OR t.x = {2}",
        "SELECT t.id, u.s FROM t, u WHERE t.s = u.s AND t.s = {} AND t.id > {2}",
        "SELECT t.id, u.s FROM t, u WHERE t.n = u.id AND t.n = {}",
        "SELECT id FROM t WHERE n > {} OR n = {}",
        "SELECT id FROM t WHERE n > 5 OR n = {}",
        "SELECT id FROM t WHERE n = {} AND n = {2}",
        "SELECT id FROM t WHERE n = {} OR n = {2} OR n = 7",
        "SELECT id FROM t WHERE NOT n = {} AND x LIKE '%x%' AND s = {2}",
        "SELECT id FROM t WHERE CASE n WHEN 5 THEN 1 ELSE 0 END = {} AND s = {2}",
        "SELECT id FROM t WHERE x COLLATE BINARY = {} AND lower(s) = {2}",
        "SELECT id FROM t WHERE n BETWEEN r = {} AND 7 AND s = {2}",
        "SELECT 3 AS k, id FROM t WHERE k = {} AND n > {2}",
        "SELECT s FROM (SELECT s, n FROM t WHERE n = 5 UNION ALL SELECT s, id FROM u) WHERE n = {}",
        "SELECT s, c FROM (SELECT s, count(*) AS c FROM t GROUP BY s) WHERE s = {} AND c >= {2}",
        "SELECT id FROM t WHERE id = {} UNION SELECT id FROM u WHERE id = {2}",
        "SELECT max(n) FROM t WHERE id < {}",
        "SELECT id, row_number() OVER (PARTITION BY s ORDER BY n) FROM t WHERE n > {} ORDER BY id",
        "SELECT (SELECT count(*) FROM u WHERE u.t = t.id AND u.s = 'x') FROM t WHERE n = {}",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t = t.id) AND n >= {}",
        "/* {} */ SELECT id FROM t WHERE n = {2} -- {}",
        "SELECT n + 1 /* {} */ FROM t WHERE n = {2} /* {} */ ;",
        "SELECT 1 + 1 /* {} */",
        "SELECT id FROM t WHERE n = {} {2}",
        "SELECT id FROM t WHERE n = {} AND nope = {2}",
        "SELECT id FROM t WHERE (n, s) = {}",
    ] {
        both.same_for_all(shape);
    }
    // SQLite joins these tables in another order.
    LITERALS
        .iter()
        .for_each(|literal| both.same_rows(&format!("SELECT t.id FROM t, u WHERE t.s = u.id AND t.s = {literal}")));
}

/// What may use the value of a literal when it plans.
#[test]
fn plans_that_depend_on_literals() {
    let both = Both::open(SHOP);
    both.change(
        "CREATE INDEX t_open ON t(s) WHERE n = 5; CREATE INDEX t_some ON t(r) WHERE n IS NOT NULL;
         CREATE INDEX t_sum ON t(n + 5); CREATE INDEX t_is ON t(a = 5, id);
         CREATE TABLE g(a, b AS (a = 5) VIRTUAL, c AS (a || 'x')); CREATE INDEX g_b ON g(b); CREATE INDEX g_c ON g(c);
         INSERT INTO g SELECT a FROM t;
         CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w SELECT DISTINCT coalesce(s, 'n'), n FROM t;
         CREATE VIEW v AS SELECT id, n FROM t WHERE n = 5 OR s = 'X';",
    );
    for shape in [
        "SELECT id FROM t WHERE n = {} AND s > 'a'",
        "SELECT id FROM t WHERE n = {} AND s = {2}",
        "SELECT id FROM t WHERE n > {} AND r = {2}",
        "SELECT id FROM t WHERE n + 5 = {} ORDER BY n",
        "SELECT id FROM t WHERE n + {} = {2}",
        "SELECT id, n FROM t WHERE a = {}",
        "SELECT id FROM t WHERE (a = 5) = {}",
        "SELECT a FROM g WHERE a = {}",
        "SELECT a FROM g WHERE b = {} AND c > {2}",
        "SELECT k FROM w WHERE k = {} OR v = {2}",
        "SELECT id FROM v WHERE n = {}",
        "SELECT value FROM json_each('[5, \"X\", 7.0, null]') WHERE value = {}",
        "DELETE FROM g WHERE b = {}",
        "UPDATE t SET r = r + 1 WHERE n = {} AND s >= 'a'",
    ] {
        both.same_for_all(shape);
    }
}

#[test]
fn samples_of_analyze() {
    let both = Both::open("CREATE TABLE t(a, b, c); CREATE INDEX t_a ON t(a); CREATE INDEX t_b ON t(b);");
    both.change(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
         INSERT INTO t SELECT CASE WHEN i % 10 THEN 5 ELSE i END, i % 7, i FROM n",
    );
    let shapes = [
        "SELECT count(*) FROM t WHERE a = {} AND b = {2}",
        "SELECT count(*) FROM t WHERE a < {} AND b = 3",
        "SELECT count(*) FROM t WHERE b = {}",
        "DELETE FROM t WHERE a = {} AND b = {2} AND c > 5",
    ];
    shapes.iter().for_each(|shape| both.same_for_all(shape));
    both.change("ANALYZE");
    shapes.iter().for_each(|shape| both.same_for_all(shape));
    both.change("DROP INDEX t_a");
    shapes.iter().for_each(|shape| both.same_for_all(shape));
}

#[test]
fn updates_and_deletes() {
    let both = Both::open(SHOP);
    both.change(
        "CREATE TABLE log(what, id, value);
         CREATE TRIGGER tu AFTER UPDATE OF n ON t WHEN new.n > 5 BEGIN INSERT INTO log VALUES ('u', old.id, new.n || typeof(new.n)); END;
         CREATE TRIGGER td BEFORE DELETE ON t BEGIN INSERT INTO log VALUES ('d', old.id, NULL); END;
         CREATE UNIQUE INDEX t_s ON t(s);
         CREATE TABLE c(id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE SET NULL, n INT CHECK (n < 100) NOT NULL DEFAULT 3);
         INSERT INTO c(t) SELECT id FROM t;
         CREATE TABLE s(i INT, r REAL, t TEXT, a ANY) STRICT; INSERT INTO s VALUES (1, 2, 'x', NULL);
         PRAGMA foreign_keys = ON;",
    );
    for shape in [
        "UPDATE t SET n = {} WHERE id = 5",
        "UPDATE t SET r = {}, b = {2} WHERE id > {} AND n = 5 RETURNING id, r, b + 1 /* x */",
        "UPDATE t SET r = {}, b = {2} WHERE id > {} RETURNING id, r, b + 1",
        "UPDATE t SET (r, b) = ({}, {2}), a = {} WHERE s = 'X'",
        "UPDATE t SET s = {} WHERE id = {2}",
        "UPDATE OR IGNORE t SET s = {}",
        "UPDATE OR REPLACE u SET id = {} WHERE id = {2}",
        "UPDATE t SET id = {} WHERE id = 16",
        "UPDATE c SET n = {} WHERE t = {2}",
        "UPDATE c SET n = {}, t = {2} WHERE id = 3",
        "UPDATE s SET i = {}",
        "UPDATE s SET r = {}, t = {2}",
        "UPDATE s SET a = {}",
        "UPDATE t SET a = {} FROM u WHERE u.t = t.id AND u.s = {2}",
        "DELETE FROM t WHERE n = {} RETURNING *",
        "DELETE FROM u WHERE id = {} OR s = {2}",
        "INSERT INTO u(s) VALUES ({}) /* {2} */",
    ] {
        both.same_for_all(shape);
        both.same("SELECT * FROM t");
        both.same("SELECT * FROM u");
        both.same("SELECT * FROM c");
        both.same("SELECT * FROM s");
        both.same("SELECT * FROM log");
    }
}

#[test]
fn the_schema_changes_between_queries() {
    let both = Both::open(SHOP);
    let shapes =
        ["SELECT * FROM t WHERE n = {}", "UPDATE t SET r = {} WHERE s = {2}", "DELETE FROM u WHERE s = {} /* {2} */"];
    for change in [
        "CREATE INDEX t_n ON t(n)",
        "ALTER TABLE t ADD COLUMN y DEFAULT 5",
        "CREATE INDEX t_r ON t(r) WHERE n = 5",
        "ANALYZE",
        "DROP INDEX t_n",
        "ALTER TABLE t RENAME COLUMN n TO m; ALTER TABLE t ADD COLUMN n AS (m + 1)",
        "CREATE TEMP TABLE t(n TEXT, s, r); INSERT INTO temp.t VALUES (5, '5', 5)",
        "DROP TABLE temp.t",
        "ATTACH ':memory:' AS aux; CREATE TABLE aux.t(n)",
        "DETACH aux",
        "BEGIN; ALTER TABLE t DROP COLUMN y",
        "ROLLBACK",
        "PRAGMA case_sensitive_like = ON",
        "PRAGMA reverse_unordered_selects = ON",
    ] {
        both.change(change);
        shapes.iter().for_each(|shape| both.same_for_all(shape));
    }
}

/// A statement that was prepared before its schema changed is compiled again, from its own text.
#[test]
fn the_schema_changes_before_a_step() {
    let both = Both::open(SHOP);
    let sql = |number: usize| format!("SELECT * FROM t WHERE n = {number} /* {number} */");
    (5..8).for_each(|number| both.same(&sql(number)));
    let mut mine = both.lithe.prepare(&sql(7)).unwrap();
    let mut theirs = both.sqlite.prepare(&sql(7)).unwrap();
    both.change("ALTER TABLE t ADD COLUMN z DEFAULT 'z'; CREATE INDEX t_n ON t(z) WHERE n = 7");
    let row = mine.step().unwrap().unwrap();
    let found: Vec<String> = (0..row.column_count()).map(|at| exactly(row.get_ref(at))).collect();
    let mut rows = theirs.raw_query();
    let row = rows.next().unwrap().unwrap();
    let value = |at| exactly(common::borrowed(row.get_ref(at).unwrap()));
    assert_eq!(found, (0..row.as_ref().column_count()).map(value).collect::<Vec<_>>());
    assert_eq!(found.len(), 8);
    assert_eq!(mine.sql(), sql(7));
}

/// The plan of a join is that of the sizes that its tables have now, whatever they were when its template was compiled.
#[test]
fn tables_grow_between_queries() {
    let connection = Connection::open_in_memory().unwrap();
    let batch = |sql: &str| connection.execute_batch(sql).unwrap();
    batch(
        "CREATE TABLE part(id INTEGER PRIMARY KEY, kind TEXT); CREATE TABLE sale(part INTEGER, state, price); CREATE INDEX sale_part ON sale(part)",
    );
    let series = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ";
    batch(&format!("{series} 20) INSERT INTO sale SELECT i, 'a', i FROM n"));
    batch(&format!("{series} 20) INSERT INTO part SELECT i, 'kind ' || i FROM n"));
    let steps = |kind: usize| {
        let sql =
            format!("SELECT count(*), sum(price) FROM sale, part WHERE sale.part = part.id AND kind = 'kind {kind}'");
        let mut statement = connection.prepare(&sql).unwrap();
        let mut count = 0;
        while statement.step().unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 1);
        statement.counter(lithe::Counter::VmStep, true)
    };
    (0..3).for_each(|kind| assert!(steps(kind) < 1000));
    batch(&format!("{series} 50000) INSERT OR IGNORE INTO part SELECT i, 'kind ' || i FROM n"));
    // One loop over the sales, not over the parts.
    assert!(steps(5) < 1000, "{}", steps(5));
}
