//! Table-valued functions, compared with SQLite's: pragmas as functions, json_each, json_tree.

mod common;

use common::{Rows, ask_lithe, ask_sqlite};
use lithe::Connection;

struct Pair {
    lithe: Connection,
    sqlite: rusqlite::Connection,
}

type Outcome = Result<Rows, String>;

impl Pair {
    /// Two databases in memory, after `schema`.
    fn with(schema: &str) -> Pair {
        let lithe = Connection::open_in_memory().unwrap();
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        lithe.execute_batch(schema).unwrap();
        sqlite.execute_batch(schema).unwrap();
        Pair { lithe, sqlite }
    }

    #[track_caller]
    fn check(&self, sql: &str) {
        assert_eq!(self.by_lithe(sql), self.by_sqlite(sql), "{sql}");
    }

    fn by_lithe(&self, sql: &str) -> Outcome {
        ask_lithe(&self.lithe, sql, |value| value.to_string()).map_err(|(_, message)| message)
    }

    fn by_sqlite(&self, sql: &str) -> Outcome {
        ask_sqlite(&self.sqlite, sql, |value| value.to_string()).map_err(|(_, message)| message)
    }
}

const TABLES: &str = "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT NOT NULL, c DEFAULT 5); CREATE TABLE u(x, y);
    CREATE INDEX i ON t(b, c); CREATE UNIQUE INDEX j ON u(x DESC); INSERT INTO u VALUES ('[1,2]', 'a'), ('{\"k\":3}', 'b')";

/// Both libraries answer each query over [`TABLES`] the same.
#[track_caller]
fn check_all(queries: &[&str]) {
    let pair = Pair::with(TABLES);
    queries.iter().for_each(|sql| pair.check(sql));
}

#[test]
fn pragmas_are_tables() {
    check_all(&[
        "SELECT * FROM pragma_table_info('t')",
        "SELECT name, type FROM pragma_table_info('t') WHERE pk = 0 ORDER BY name DESC",
        "SELECT m.name, p.name, p.cid FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1, 3",
        "SELECT m.name, p.name FROM sqlite_schema m JOIN pragma_table_info(m.name) p ON p.pk WHERE m.type = 'table'",
        "SELECT m.name, p.name FROM sqlite_schema m LEFT JOIN pragma_table_info(m.name) p ON p.name = 'x' WHERE type = 'table'",
        "SELECT p.name FROM pragma_table_info(m.name) p, sqlite_schema m WHERE m.name = 'u' ORDER BY 1",
        "SELECT * FROM pragma_table_info('nope')",
        "SELECT * FROM pragma_table_info",
        "SELECT * FROM pragma_table_info('t', 'main')",
        "SELECT * FROM pragma_table_info('t', 'temp')",
        "SELECT * FROM pragma_table_info('t', 'nodb')",
        "SELECT * FROM pragma_table_info('t', 'main', 3)",
        "SELECT * FROM pragma_index_list('t')",
        "SELECT * FROM pragma_index_info('i')",
        "SELECT il.name, ii.name FROM pragma_index_list('t') il, pragma_index_info(il.name) ii",
        "SELECT * FROM pragma_user_version",
        "SELECT user_version FROM pragma_user_version()",
        "SELECT name FROM pragma_database_list WHERE seq = 0",
        "SELECT (SELECT count(*) FROM pragma_table_info('t'))",
        "SELECT name FROM u, pragma_table_info(y || 'x')",
        "SELECT arg, schema FROM pragma_table_info('u')",
        "SELECT count(*), arg, schema FROM pragma_table_info('u', 'main')",
        "SELECT rowid > 0 FROM pragma_table_info('u')",
        "DELETE FROM pragma_table_info",
        "SELECT * FROM u(1)",
        "SELECT * FROM pragma_user_version WHERE schema = 'main'",
        "SELECT * FROM pragma_user_version('main')",
        "SELECT page_size FROM pragma_page_size('main')",
        "SELECT page_size, schema FROM pragma_page_size",
        "SELECT page_size FROM pragma_page_size WHERE arg = 1",
        "SELECT * FROM pragma_page_size('nodb')",
        "SELECT name FROM pragma_table_list('t')",
        "SELECT name FROM pragma_table_list('t', 'main')",
        "SELECT * FROM pragma_mmap_size",
        "SELECT * FROM pragma_wal_checkpoint",
        "SELECT * FROM pragma_wal_autocheckpoint",
    ]);
}

#[test]
fn documents_are_tables() {
    check_all(&[
        "SELECT value, json, root FROM json_each('[7]', '$')",
        "SELECT value, json, root FROM json_tree('[7]')",
        "SELECT key, value, type, atom, fullkey, path FROM json_each('{\"a\":[1,2],\"b c\":{\"x\":null},\"d\":\"s\"}')",
        "SELECT key, value, type, atom, fullkey, path FROM json_tree('{\"a\":[1,{\"q\":2}],\"b\":true}')",
        "SELECT key, value, fullkey, path FROM json_each('[1,[2]]', '$[1]')",
        "SELECT key, value, fullkey, path FROM json_tree('{\"a\":[5]}', '$.a')",
        "SELECT key, value, type, fullkey, path FROM json_each('5')",
        "SELECT count(*) FROM json_each(NULL)",
        "SELECT count(*) FROM json_each",
        "SELECT * FROM json_each('[1')",
        "SELECT * FROM json_each('[1]', 'x')",
        "SELECT key, fullkey FROM json_each('{\"a_b\":1,\"1a\":2,\"é\":3,\"a\\\"b\":4,\"\":5}')",
        "SELECT json, root FROM json_each('[1]', '$')",
    ]);
}

#[test]
fn documents_are_joined_and_searched() {
    check_all(&[
        // (The hidden columns are the same in all of 10,000 rows: 50 kB, not 500 MB.)
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000), d AS MATERIALIZED (SELECT json_group_array(i) AS j FROM n) \
         SELECT count(*), min(length(json)), max(length(json)), sum(value) FROM d, json_each(j)",
        "SELECT u.y, j.key, j.value FROM u, json_each(u.x) j ORDER BY 1, 2",
        "SELECT y FROM u WHERE EXISTS (SELECT 1 FROM json_each(u.x) WHERE value = 3)",
        "SELECT sum(value) FROM json_each('[1,2,3]') WHERE value > 1",
        "SELECT a.value, b.value FROM json_each('[1,2]') a, json_each('[3,4]') b ORDER BY 1, 2",
        "SELECT value FROM json_each('[3,1,2]') ORDER BY value DESC LIMIT 2",
        "SELECT group_concat(p.key) FROM json_tree('{\"a\":{\"b\":1}}') p JOIN json_tree('{\"a\":{\"b\":1}}') c ON c.parent = p.id",
        "SELECT 2 IN (SELECT value FROM json_each('[1,2]'))",
        "SELECT value FROM json_each('[1,2]') WHERE json = '[7]'",
    ]);
}

/// A function is called for each value of an IN, and for each branch of an OR.
#[test]
fn arguments_may_be_sets() {
    check_all(&[
        "SELECT value FROM json_each WHERE json IN ('[1,2]', '[3]', NULL)",
        "SELECT value FROM json_each WHERE json = '[1]' OR json = '[2,3]'",
        "SELECT value FROM json_each WHERE json IN ('{\"a\":[1,2]}', '{\"a\":[7]}') AND root = '$.a'",
        "SELECT value FROM json_each WHERE json = '{\"a\":[1,2],\"b\":[5]}' AND root IN ('$.b', '$.a')",
        "SELECT value FROM json_each WHERE (json, root) IN (VALUES ('{\"a\":[1]}', '$.a'))",
        "SELECT value, atom FROM json_tree WHERE json IN (SELECT x FROM u) AND type = 'integer'",
        "SELECT y, value FROM u, json_each WHERE json = x OR json = '[7,8,9]'",
        "SELECT y, value FROM u, json_each WHERE (json = x AND value > 1) OR (json = '[7,8,9]' AND key = 0)",
        "SELECT y, value FROM u LEFT JOIN json_each ON json IN (x, '[7]')",
        "SELECT y, value FROM json_each RIGHT JOIN u ON json IN (x, '[7]')",
        "SELECT count(*) FROM u WHERE EXISTS (SELECT 1 FROM json_each WHERE json IN (x, '[4]') AND value = 4)",
        "SELECT name FROM pragma_table_info WHERE arg IN ('t', 'u')",
        "SELECT name FROM pragma_table_info WHERE arg = 'u' OR arg = 't'",
        "SELECT name FROM pragma_table_info WHERE arg IN (SELECT name FROM sqlite_schema)",
        "SELECT name FROM pragma_index_list WHERE arg IN ('t', 'u') ORDER BY name",
    ]);
}

#[test]
fn binary_documents_are_tables() {
    check_all(&[
        "SELECT * FROM jsonb_each('{\"a\":[1,2],\"b\":{\"c\":3},\"d\":\"x\",\"e\":null,\"f\":1.5,\"g\":true}')",
        "SELECT * FROM jsonb_tree('{\"a\":[1,[2]],\"b\":{\"c\":3}}', '$.a')",
        "SELECT hex(value), type, path, subtype(value) FROM jsonb_tree(x'CB04CB021331')",
        "SELECT json_group_array(value), json, root FROM jsonb_each('[[1],{\"a\":2}]')",
        "SELECT value FROM jsonb_each('[')",
    ]);
}

/// The plans show the costs and arguments of SQLite's implementations of these functions.
#[test]
fn plans_are_sqlites() {
    let pair = Pair::with("CREATE TABLE t(a, j); CREATE TABLE k(a INTEGER PRIMARY KEY, b, c); CREATE INDEX kb ON k(b)");
    // The numbers of lines are left out.
    let lines = |outcome: Outcome| {
        outcome.map(|rows| rows.into_iter().map(|row| row[2..].to_vec()).collect::<Vec<Vec<String>>>())
    };
    for query in [
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM json_tree('[1]', '$.a')",
        "SELECT * FROM json_each",
        "SELECT * FROM json_each WHERE root = '$'",
        "SELECT * FROM t, json_each(t.j) x WHERE x.key = 3 ORDER BY x.id",
        "SELECT * FROM t LEFT JOIN json_each(t.j) e ON e.value = t.a",
        "SELECT * FROM t WHERE a IN (SELECT value FROM json_each('[1,2]'))",
        "SELECT * FROM k, json_each('[1,2]') x WHERE k.b = x.value",
        "SELECT * FROM k, json_each('[1,2]') x ORDER BY k.a",
        "SELECT * FROM t RIGHT JOIN json_each((SELECT j FROM t)) e ON e.value = t.a",
        "SELECT * FROM t FULL JOIN json_each(t.j) e ON e.value = t.a",
        "SELECT * FROM json_each WHERE json IN ('[1]', '[2]')",
        "SELECT * FROM json_each WHERE json = '[1]' AND root IN ('$', '$.a')",
        "SELECT * FROM t, json_each e WHERE e.json = t.j OR e.json = t.a",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT * FROM pragma_table_info WHERE arg IN ('t', 'k')",
        "SELECT * FROM pragma_table_info",
        "SELECT * FROM pragma_table_info WHERE schema = 'main'",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM sqlite_schema m JOIN pragma_table_info(m.name) p JOIN pragma_index_list(m.name) i ORDER BY 1",
    ] {
        let sql = format!("EXPLAIN QUERY PLAN {query}");
        assert_eq!(lines(pair.by_lithe(&sql)), lines(pair.by_sqlite(&sql)), "{query}");
    }
}
