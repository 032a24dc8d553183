/*
** Random statements between which the switches of sqlite3_db_config() are thrown: strings in double quotes, a schema that is written by hand, defensive
** connections, views and triggers, trusted schemas, the order of scans, resets, logs that stay behind. Prints what everything answers. Standard
** input has the seed and the number of steps. The same seed makes the same steps with every library.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PICK(array) ((array)[below(COUNT(array))])

static unsigned long long state;
static sqlite3 *db;
static sqlite3_stmt *open_statement;

static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}

static void on_function(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int64(context, (count ? sqlite3_value_int64(values[0]) : 0) + (sqlite3_int64)(size_t)sqlite3_user_data(context));
}

static void open_connection(void) {
  int code = sqlite3_open("switches.db", &db);
  sqlite3_create_function(db, "plain", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, (void *)1, on_function, NULL, NULL);
  sqlite3_create_function(db, "direct", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, (void *)2, on_function, NULL, NULL);
  sqlite3_create_function(db, "harmless", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, (void *)3, on_function, NULL, NULL);
  sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
  printf("open %d\n", code);
}

static void print_row(sqlite3_stmt *statement) {
  printf("  (");
  /* Of a plan, the lines alone: their numbers are each library's affair. */
  for (int i = sqlite3_stmt_isexplain(statement) ? 3 : 0; i < sqlite3_column_count(statement); i++) {
    const unsigned char *text = sqlite3_column_text(statement, i);
    printf("%s%.80s", i ? ", " : "", text ? (const char *)text : "NULL");
  }
  printf(")\n");
}

static void print_end(int code) {
  printf("  %d", code);
  if (code != SQLITE_OK && code < SQLITE_ROW) printf(" %d '%s' at %d", sqlite3_extended_errcode(db), sqlite3_errmsg(db), sqlite3_error_offset(db));
  printf(" changes %lld autocommit %d\n", (long long)sqlite3_total_changes64(db), sqlite3_get_autocommit(db));
}

static void run(const char *sql) {
  sqlite3_stmt *statement = NULL;
  printf("%s\n", sql);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) print_row(statement);
  }
  print_end(code);
  sqlite3_finalize(statement);
}

static const struct { int number; const char *name; } switches[] = {
  {SQLITE_DBCONFIG_ENABLE_FKEY, "fkey"}, {SQLITE_DBCONFIG_ENABLE_TRIGGER, "trigger"}, {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, "no checkpoint"},
  {SQLITE_DBCONFIG_ENABLE_QPSG, "qpsg"}, {SQLITE_DBCONFIG_DEFENSIVE, "defensive"}, {SQLITE_DBCONFIG_WRITABLE_SCHEMA, "writable schema"},
  {SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, "legacy alter"}, {SQLITE_DBCONFIG_DQS_DML, "dqs dml"}, {SQLITE_DBCONFIG_DQS_DDL, "dqs ddl"},
  {SQLITE_DBCONFIG_ENABLE_VIEW, "view"}, {SQLITE_DBCONFIG_TRUSTED_SCHEMA, "trusted"},
  {SQLITE_DBCONFIG_REVERSE_SCANORDER, "reverse"}, {SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, "attach create"},
  {SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, "attach write"}, {SQLITE_DBCONFIG_ENABLE_COMMENTS, "comments"}, {SQLITE_DBCONFIG_FP_DIGITS, "digits"}};

static void throw_switch(void) {
  int at = below(COUNT(switches)), now = -7;
  int on = switches[at].number == SQLITE_DBCONFIG_FP_DIGITS ? PICK(((const int[]){0, 3, 4, 10, 15, 17, 20, -1})) : PICK(((const int[]){0, 1, 1, -1, 2}));
  int code = sqlite3_db_config(db, switches[at].number, on, &now);
  printf("switch %s %d: %d %d\n", switches[at].name, on, code, now);
}

static void reset(void) {
  int now = -7;
  printf("reset %d", sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, &now));
  printf(" %d\n", now);
  run("VACUUM");
  printf("reset %d", sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, &now));
  printf(" %d\n", now);
}

static const char *const definitions[] = {
  "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c REFERENCES t(a))", "CREATE TABLE u(a REAL, b TEXT DEFAULT \"word\", c CHECK (c <> \"no\"))",
  "CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID", "CREATE TABLE g(a, b AS (harmless(a)), c AS (a || \"c\"))",
  "CREATE TABLE d(a DEFAULT (plain(1)), b)", "CREATE TABLE s(a, b, PRIMARY KEY(a DESC))", "CREATE INDEX i ON t(b DESC)", "CREATE INDEX j ON t(\"b\", \"nothing\")", "CREATE INDEX k ON t(harmless(b))",
  "CREATE INDEX l ON t(b) WHERE c > \"x\"", "CREATE VIEW v AS SELECT a, b, plain(a) AS p FROM t",
  "CREATE VIEW v AS SELECT a, b, \"text\" AS p FROM t", "CREATE VIEW v AS SELECT a, direct(a) AS b, 1 AS p FROM t", "CREATE TEMP VIEW v AS SELECT a, direct(a) AS b, 2 AS p FROM t",
  "CREATE TEMP VIEW x AS SELECT a, b FROM u", "CREATE VIEW x AS SELECT harmless(a) AS a, 1 AS b FROM u", "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.a, \"by r\", plain(1)); END",
  "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES (direct(new.a), 'by r', 3); END", "CREATE TEMP TRIGGER r AFTER DELETE ON t BEGIN INSERT INTO u VALUES (old.a, 'by r', 4); END",
  "CREATE TRIGGER q INSTEAD OF INSERT ON v BEGIN INSERT INTO t(b) VALUES (new.b); END", "CREATE TRIGGER q INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE a = old.a; END",
  "DROP TABLE u", "DROP TABLE t", "DROP VIEW v", "DROP VIEW x", "DROP TRIGGER r", "DROP TRIGGER q", "DROP INDEX i", "DROP INDEX k", "DROP INDEX j", "DROP TABLE d",
  "CREATE TABLE c(a) -- a comment", "CREATE TABLE /* inside */ c(b)", "CREATE TABLE c2 AS SELECT \"a\", 'b' FROM t"};

static const char *const alterations[] = {
  "ALTER TABLE t RENAME TO t2", "ALTER TABLE t2 RENAME TO t", "ALTER TABLE u RENAME TO u2", "ALTER TABLE u2 RENAME TO u", "ALTER TABLE t RENAME b TO bb", "ALTER TABLE t RENAME bb TO b",
  "ALTER TABLE t RENAME \"b\" TO \"bb\"", "ALTER TABLE t ADD z DEFAULT \"zz\"", "ALTER TABLE t ADD z DEFAULT 'zz'", "ALTER TABLE t DROP z", "ALTER TABLE u DROP c", "ALTER TABLE u RENAME c TO cc", "ALTER TABLE w RENAME v TO vv", "ALTER TABLE w RENAME vv TO v"};

static const char *const changes[] = {
  "INSERT INTO t(b, c) VALUES (\"b\", NULL)", "INSERT INTO t(b, c) VALUES (\"word\", 1)", "INSERT INTO t(b) VALUES (1.0 / 3), (2), ('x')", "INSERT INTO t(b, c) VALUES (5, 77)", "INSERT OR REPLACE INTO t VALUES (1, 'one', NULL)",
  "INSERT INTO u(a) VALUES (0.1), (1e20), (3)", "INSERT INTO u VALUES (1, 2, 'no')", "INSERT INTO w VALUES (1, 'a'), (2, 'b')", "INSERT INTO g(a) VALUES (1), (2)", "INSERT INTO d DEFAULT VALUES",
  "INSERT INTO s VALUES (1, 2), (2, 1)", "INSERT INTO v(b) VALUES (8)", "DELETE FROM v WHERE a = 1", "DELETE FROM t WHERE b = \"word\"", "UPDATE t SET b = \"nothing\" WHERE a = 1", "UPDATE t SET b = plain(b), c = NULL", "DELETE FROM u WHERE a > 1", "DELETE FROM t",
  "UPDATE sqlite_schema SET sql = replace(sql, 'CHECK', 'CHECK') WHERE name = 'u'", "DELETE FROM sqlite_schema WHERE name = 'nobody'", "UPDATE sqlite_schema SET name = 'r' WHERE name = 'r'", "DELETE FROM sqlite_temp_schema WHERE name = 'x'",
  "INSERT INTO sqlite_stat1 VALUES ('t', 'i', '10 5')", "UPDATE sqlite_sequence SET seq = 5"};

static const char *const queries[] = {
  "SELECT a, b, c FROM t", "SELECT \"b\", \"absent\" FROM t", "SELECT a FROM t WHERE b = \"word\"", "SELECT * FROM u", "SELECT a FROM u", "SELECT * FROM w", "SELECT k FROM w WHERE v > \"a\"", "SELECT * FROM g", "SELECT b FROM g", "SELECT * FROM d", "SELECT * FROM v", "SELECT b FROM v",
  "SELECT * FROM x", "SELECT plain(1), direct(1), harmless(1)", "SELECT 1.0 / 3, 0.1 + 0.2, 1e300 * 3, 123456789012345678.0", "SELECT printf('%!.20g', 0.1), round(2.0 / 3, 17), CAST(2.0 / 3 AS TEXT)", "SELECT type, name, tbl_name, sql FROM sqlite_schema", "SELECT name, sql FROM sqlite_temp_schema",
  "PRAGMA integrity_check", "PRAGMA writable_schema", "PRAGMA trusted_schema", "PRAGMA legacy_alter_table", "PRAGMA foreign_keys", "PRAGMA reverse_unordered_selects", "SELECT a FROM t ORDER BY a", "SELECT count(*), group_concat(a) FROM t", "SELECT 1 -- comment", "SELECT /* in */ 2",
  "SELECT a FROM s", "EXPLAIN QUERY PLAN SELECT * FROM t WHERE b > 3", "SELECT x.a FROM t AS x, u AS y WHERE x.b = y.b", "SELECT DISTINCT b FROM t", "PRAGMA foreign_key_check", "PRAGMA table_info(v)"};

static const char *const others[] = {
  "PRAGMA writable_schema = 1", "PRAGMA writable_schema = 0", "PRAGMA writable_schema = reset", "PRAGMA trusted_schema = 0", "PRAGMA trusted_schema = 1", "PRAGMA legacy_alter_table = 1", "PRAGMA legacy_alter_table = 0", "PRAGMA reverse_unordered_selects = 1",
  "PRAGMA foreign_keys = 1", "PRAGMA foreign_keys = 0", "PRAGMA journal_mode = wal", "PRAGMA journal_mode = delete", "PRAGMA user_version = 4", "PRAGMA schema_version = 12", "VACUUM", "REINDEX", "BEGIN", "COMMIT", "ROLLBACK",
  "ATTACH 'other.db' AS o", "CREATE TABLE o.t(a)", "INSERT INTO o.t VALUES (1)", "SELECT * FROM o.t", "DETACH o", "ATTACH ':memory:' AS o", "PRAGMA defensive"};

static void close_connection(void) {
  sqlite3_finalize(open_statement);
  open_statement = NULL;
  printf("close %d", sqlite3_close(db));
  printf(" log %d\n", access("switches.db-wal", F_OK) == 0);
  open_connection();
}

static void step_statement(void) {
  if (open_statement == NULL) {
    const char *sql = PICK(queries);
    printf("prepare %s\n", sql);
    print_end(sqlite3_prepare_v2(db, sql, -1, &open_statement, NULL));
    return;
  }
  printf("step\n");
  int code = sqlite3_step(open_statement);
  if (code == SQLITE_ROW) print_row(open_statement);
  print_end(code);
  if (code != SQLITE_ROW) { sqlite3_finalize(open_statement); open_statement = NULL; }
}

int main(void) {
  int count = 0;
  if (scanf("%llu %d", &state, &count) != 2) return 2;
  state = state * 2654435761u + 88172645463325252ull;
  below(9);
  char folder[] = "/tmp/lithe-switches-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 3;
  open_connection();
  for (int i = 0; i < 6; i++) run(definitions[below(4)]);
  for (int i = 0; i < count; i++) {
    int what = below(100);
    if (what < 22) throw_switch();
    else if (what < 40) run(PICK(definitions));
    else if (what < 44) run(PICK(alterations));
    else if (what < 62) run(PICK(changes));
    else if (what < 82) run(PICK(queries));
    else if (what < 89) run(PICK(others));
    else if (what < 97) step_statement();
    else if (what < 99) close_connection();
    else if (below(3) == 0) reset();
  }
  sqlite3_finalize(open_statement);
  sqlite3_close(db);
  const char *files[] = {"switches.db", "switches.db-journal", "switches.db-wal", "switches.db-shm", "other.db", "other.db-journal", "other.db-wal", "other.db-shm"};
  for (int i = 0; i < COUNT(files); i++) remove(files[i]);
  return rmdir(folder) != 0;
}
