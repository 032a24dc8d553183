/*
** Statements whose schema another connection has changed, while databases are locked and statements are interrupted: what is told, in
** which order, and which locks stay; statements that wait; what the authorizer is asked about ALTER TABLE
** and VACUUM. The program expects what SQLite answers.
*/
#include <unistd.h>

#include "check.h"

static sqlite3 *open_on(const char *name) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(name, &db) == SQLITE_OK);
  return db;
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  return statement;
}

static int traced;

static int on_trace(unsigned what, void *arg, void *p, void *x) {
  traced++;
  return 0;
}

static int called;

static int on_wal(void *arg, sqlite3 *db, const char *name, int pages) {
  called++;
  return SQLITE_OK;
}

static void on_function(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int64(context, (sqlite3_int64)(size_t)sqlite3_user_data(context));
}

/* A statement that has come to its end, and is not reset, is compiled again by its next step: it has other columns then. */
static void columns(void) {
  sqlite3 *db = open_on("columns.db"), *other = open_on("columns.db");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  sqlite3_stmt *all = prepared(db, "SELECT * FROM t");
  CHECK(sqlite3_step(all) == SQLITE_DONE && sqlite3_column_count(all) == 1);
  ANSWERS(other, "ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 2)", "");
  CHECK(sqlite3_step(all) == SQLITE_ROW && sqlite3_column_count(all) == 2 && sqlite3_data_count(all) == 2);
  CHECK(sqlite3_column_int(all, 1) == 2);
  CHECK(sqlite3_finalize(all) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

/* The transaction begins first: a lock of another connection is told, not what the new schema lacks. */
static void order(void) {
  sqlite3 *db = open_on("order.db"), *other = open_on("order.db");
  ANSWERS(db, "CREATE TABLE t(a); CREATE TABLE u(a)", "");
  sqlite3_stmt *insert = prepared(db, "INSERT INTO t VALUES (1)");
  ANSWERS(other, "ALTER TABLE t ADD COLUMN b; BEGIN IMMEDIATE", "");
  CHECK(sqlite3_step(insert) == SQLITE_BUSY && sqlite3_reset(insert) == SQLITE_BUSY);
  ANSWERS(other, "COMMIT", "");
  CHECK(sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_trace, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(insert) == SQLITE_ERROR && traced == 1);
  /* From now on it is compiled before anything else. */
  CHECK(sqlite3_step(insert) == SQLITE_ERROR && traced == 1);
  CHECK(sqlite3_txn_state(db, "main") == SQLITE_TXN_NONE);
  sqlite3_trace_v2(db, 0, NULL, NULL);
  sqlite3_finalize(insert);
  /* Beside a statement that reads it keeps its lock, until a statement ends. */
  insert = prepared(db, "INSERT INTO u VALUES (1)");
  ANSWERS(other, "ALTER TABLE u ADD COLUMN b", "");
  sqlite3_stmt *reader = prepared(db, "SELECT * FROM (SELECT a FROM t UNION ALL SELECT 1)");
  CHECK(sqlite3_step(reader) == SQLITE_ROW && sqlite3_step(insert) == SQLITE_ERROR);
  CHECK(sqlite3_txn_state(db, "main") == SQLITE_TXN_WRITE);
  ANSWERS(other, "INSERT INTO t VALUES (1, 2)", "error 5: database is locked");
  sqlite3_finalize(reader);
  CHECK(sqlite3_txn_state(db, "main") == SQLITE_TXN_NONE);
  ANSWERS(other, "INSERT INTO t VALUES (1, 2)", "");
  sqlite3_finalize(insert);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

/* A query that names no table does not wait for the schema; an error that no other schema would mend does not load it. */
static void without_the_schema(void) {
  sqlite3 *db = open_on("locked.db"), *other = open_on("locked.db");
  ANSWERS(other, "CREATE TABLE t(a); BEGIN EXCLUSIVE", "");
  ANSWERS(db, "SELECT 1", "error 5: database is locked");
  ANSWERS(other, "COMMIT", "");
  ANSWERS(db, "BEGIN; CREATE TABLE u(a); ROLLBACK", "");
  ANSWERS(other, "BEGIN EXCLUSIVE", "");
  ANSWERS(db, "SELECT 1, abs(-2), last_insert_rowid()", "1|2|0");
  ANSWERS(db, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 3) SELECT n, n IN c FROM c", "1|1 2|1 3|1");
  ANSWERS(db, "WITH c(n) AS (SELECT 1) SELECT * FROM c, json_each('[1]')", "error 5: database is locked");
  ANSWERS(db, "SELECT * FROM t", "error 5: database is locked");
  sqlite3_int64 size = 0;
  CHECK(sqlite3_serialize(db, "main", &size, 0) == NULL && size == -1 && sqlite3_errcode(db) == SQLITE_BUSY);
  ANSWERS(other, "COMMIT", "");
  ANSWERS(db, "SELECT * FROM t", "");
  ANSWERS(other, "ALTER TABLE t ADD COLUMN b", "");
  ANSWERS(db, "INSERT INTO t VALUES (1, 2, 3)", "error 1: table t has 1 columns but 3 values were supplied");
  ANSWERS(db, "SELECT b FROM t", "");
  ANSWERS(db, "INSERT INTO t VALUES (1, 2, 3)", "error 1: table t has 2 columns but 3 values were supplied");
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

/* A function that replaces none is not called by statements that are compiled already. */
static void functions(void) {
  sqlite3 *db = open_on(":memory:");
  CHECK(sqlite3_create_function(db, "f", -1, SQLITE_UTF8, (void *)1, on_function, NULL, NULL) == SQLITE_OK);
  sqlite3_stmt *call = prepared(db, "SELECT f(5)");
  CHECK(sqlite3_create_function(db, "f", 1, SQLITE_UTF8, (void *)2, on_function, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(call) == SQLITE_ROW && sqlite3_column_int(call, 0) == 1);
  sqlite3_reset(call);
  ANSWERS(db, "SELECT f(5)", "2");
  CHECK(sqlite3_create_function(db, "f", -1, SQLITE_UTF8, (void *)3, on_function, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(call) == SQLITE_ROW && sqlite3_column_int(call, 0) == 2);
  sqlite3_finalize(call);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Whether a statement of the old interface is as it was after a run of its own (or after `sql`, if that is given). */
static int stays(const char *own, const char *sql) {
  sqlite3 *db = open_on("expired.db");
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare(db, own, -1, &statement, NULL) == SQLITE_OK);
  if (sql) CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
  else sqlite3_step(statement);
  int expired = sqlite3_expired(statement);
  sqlite3_reset(statement);
  CHECK((sqlite3_step(statement) == SQLITE_ERROR) == (expired != 0));
  CHECK(sqlite3_finalize(statement) == (expired ? SQLITE_SCHEMA : SQLITE_OK));
  CHECK(sqlite3_close(db) == SQLITE_OK);
  return !expired;
}

/* Most pragmas are for one run, ATTACH is for one that succeeds. Switches expire all statements, and so does reading the schema for the first time. */
static void used_up(void) {
  sqlite3 *db = open_on("expired.db");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  sqlite3_stmt *pragma = prepared(db, "PRAGMA cache_size");
  CHECK(sqlite3_step(pragma) == SQLITE_ROW && sqlite3_reset(pragma) == SQLITE_OK);
  CHECK(sqlite3_step(pragma) == SQLITE_ROW && sqlite3_stmt_status(pragma, SQLITE_STMTSTATUS_REPREPARE, 0) == 1);
  sqlite3_finalize(pragma);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(!stays("PRAGMA cache_size", NULL) && !stays("PRAGMA table_info(t)", NULL) && !stays("PRAGMA unknown", NULL));
  CHECK(!stays("PRAGMA user_version = 3", NULL) && stays("PRAGMA user_version", NULL) && stays("PRAGMA freelist_count", NULL));
  CHECK(!stays("ATTACH ':memory:' AS x", NULL) && stays("SELECT 1", NULL) && stays("REINDEX", NULL));
  CHECK(!stays("SELECT 1", "PRAGMA fullfsync = 0") && !stays("SELECT 1", "PRAGMA automatic_index = 1"));
  CHECK(!stays("SELECT 1", "BEGIN; PRAGMA foreign_keys = 1; COMMIT") && stays("SELECT 1", "PRAGMA fullfsync"));
  CHECK(!stays("PRAGMA user_version", "SELECT * FROM t") && stays("SELECT 1", "SELECT * FROM t"));
  CHECK(stays("PRAGMA table_info(t)", "SELECT * FROM t"));
  db = open_on("expired.db");
  sqlite3_stmt *reader = prepared(db, "SELECT * FROM t");
  ANSWERS(db, "ATTACH ':memory:' AS x", "");
  CHECK(sqlite3_step(reader) == SQLITE_DONE && sqlite3_stmt_status(reader, SQLITE_STMTSTATUS_REPREPARE, 0) == 0);
  sqlite3_finalize(reader);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* What an interruption ends before it begins, and what it rolls back. */
static void interruptions(void) {
  sqlite3 *db = open_on("interrupted.db");
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES ('text'), (2)", "");
  sqlite3_stmt *reader = prepared(db, "SELECT * FROM t"), *begin = prepared(db, "BEGIN IMMEDIATE"), *made = NULL;
  sqlite3_blob *blob = NULL;
  CHECK(sqlite3_step(reader) == SQLITE_ROW);
  ANSWERS(db, "BEGIN", "");
  sqlite3_interrupt(db);
  CHECK(sqlite3_prepare_v2(db, "SELECT 1", -1, &made, NULL) == SQLITE_INTERRUPT);
  CHECK(sqlite3_prepare_v2(db, "COMMIT", -1, &made, NULL) == SQLITE_INTERRUPT);
  CHECK(sqlite3_prepare_v2(db, "IN", -1, &made, NULL) == SQLITE_ERROR);
  CHECK(sqlite3_prepare_v2(db, "COMMIT;", -1, &made, NULL) == SQLITE_OK && made != NULL);
  CHECK(sqlite3_blob_open(db, "main", "t", "a", 1, 0, &blob) == SQLITE_INTERRUPT);
  CHECK(sqlite3_get_autocommit(db) == 0);
  CHECK(sqlite3_step(begin) == SQLITE_INTERRUPT && sqlite3_get_autocommit(db) == 1);
  sqlite3_finalize(reader);
  sqlite3_finalize(begin);
  sqlite3_finalize(made);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* The hook of logs is called by steps that come to their end, for commits that have written. */
static void hooks_of_logs(void) {
  sqlite3 *db = open_on("hooks.db");
  ANSWERS(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a UNIQUE)", "wal");
  sqlite3_wal_hook(db, on_wal, NULL);
  ANSWERS(db, "INSERT INTO t VALUES (1)", "");
  CHECK(called == 1);
  ANSWERS(db, "INSERT OR IGNORE INTO t VALUES (1)", "");
  CHECK(called == 1);
  sqlite3_stmt *insert = prepared(db, "INSERT INTO t VALUES (2), (3) RETURNING a");
  CHECK(sqlite3_step(insert) == SQLITE_ROW && sqlite3_finalize(insert) == SQLITE_OK);
  CHECK(called == 1);
  ANSWERS(db, "SELECT 1", "1");
  CHECK(called == 2);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Executes `change` on a connection that has read the schema neither before nor after it, and `sql` on one that knows the older schema. */
static void beside(int line, const char *change, int with_strings, const char *sql, const char *expected) {
  unlink("names.db");
  sqlite3 *db = open_on("names.db"), *other = open_on("names.db");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, with_strings, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, with_strings, NULL);
  answers(line, __FILE__, db, 
    "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE VIEW w AS SELECT 1; SELECT * FROM t, w", "1|1");
  answers(line, __FILE__, other, change, "");
  answers(line, __FILE__, db, sql, expected);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}
#define BESIDE(change, sql, expected) beside(__LINE__, change, 1, sql, expected)
#define WITHOUT_STRINGS(change, sql, expected) beside(__LINE__, change, 0, sql, expected)

/* What a statement names and the schema lacks, or what exists already, is looked up again in the schema as others have left it; what
** ALTER TABLE, REINDEX and USING name is not. */
static void names(void) {
  const char *column = "ALTER TABLE t ADD COLUMN b DEFAULT 2", *table = "CREATE TABLE n(a); INSERT INTO n VALUES (3)";
  const char *view = "CREATE VIEW v AS SELECT 4", *index = "CREATE INDEX i ON t(a)";
  const char *trigger = "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; END";
  BESIDE(column, "SELECT b FROM t", "2");
  BESIDE(column, "SELECT t.b FROM t", "2");
  BESIDE(column, "SELECT \"b\" FROM t", "2");
  WITHOUT_STRINGS(column, "SELECT \"b\" FROM t", "2");
  BESIDE(column, "INSERT INTO t(b) VALUES (5); SELECT b FROM t", "2 5");
  BESIDE(column, "UPDATE t SET b = 5; SELECT b FROM t", "5");
  BESIDE(column, "CREATE INDEX j ON t(b)", "");
  BESIDE(column, "CREATE INDEX j ON t(b + 1)", "");
  WITHOUT_STRINGS(column, "CREATE INDEX j ON t(\"b\")", "");
  BESIDE(column, "SELECT x.a FROM t AS x JOIN t AS y USING (b)",
    "error 1: cannot join using column b - column not present in both tables");
  BESIDE(column, "CREATE TRIGGER r AFTER UPDATE OF b ON t BEGIN SELECT 1; END", "");
  BESIDE(column, "ALTER TABLE t RENAME COLUMN b TO c", "error 1: no such column: \"b\"");
  BESIDE(column, "ALTER TABLE t DROP COLUMN b", "error 1: no such column: \"b\"");
  BESIDE("ALTER TABLE t RENAME COLUMN a TO b", "SELECT a FROM t AS x, t AS y", "error 1: no such column: a");
  BESIDE(table, "SELECT a FROM n", "3");
  BESIDE(table, "SELECT main.n.a FROM main.n", "3");
  BESIDE(table, "SELECT n.* FROM n", "3");
  BESIDE(table, "CREATE INDEX j ON n(a)", "");
  BESIDE(table, "CREATE TRIGGER r AFTER INSERT ON n BEGIN SELECT 1; END", "");
  BESIDE(table, "ANALYZE n", "");
  BESIDE(table, "REINDEX n", "error 1: unable to identify the object to be reindexed");
  BESIDE(table, "DROP TABLE n", "");
  BESIDE(table, "DROP VIEW n", "error 1: use DROP TABLE to delete table n");
  BESIDE(table, "ALTER TABLE n RENAME TO o; DROP TABLE o", "");
  BESIDE(table, "CREATE TABLE n(a)", "error 1: table n already exists");
  BESIDE(view, "SELECT * FROM v", "4");
  BESIDE(view, "DROP VIEW v", "");
  BESIDE(index, "SELECT a FROM t INDEXED BY i", "1");
  BESIDE(index, "DROP INDEX i", "");
  BESIDE(index, "REINDEX i", "error 1: unable to identify the object to be reindexed");
  BESIDE(trigger, "DROP TRIGGER r", "");
  BESIDE("DROP TABLE t", "CREATE TABLE t(b); SELECT count(*) FROM t", "0");
  BESIDE("DROP VIEW w", "CREATE VIEW w AS SELECT 6; SELECT * FROM w", "6");
  BESIDE("DROP VIEW w", "CREATE TABLE w(a); SELECT count(*) FROM w; DROP TABLE w", "0");
}

/* Steps a statement that finds the database locked: its answer, and whether it is under way then. */
#define WAITS(db, prepare, sql, answer, busy) do { \
    sqlite3_stmt *waiting = NULL; \
    CHECK(prepare(db, sql, -1, &waiting, NULL) == SQLITE_OK); \
    CHECK(sqlite3_step(waiting) == answer && sqlite3_stmt_busy(waiting) == busy); \
    CHECK(sqlite3_reset(waiting) == SQLITE_BUSY && sqlite3_stmt_busy(waiting) == 0); \
    sqlite3_finalize(waiting); \
  } while (0)

/* A statement that waits for a lock is under way, and the next step tries again; other statements have ended. */
static void waiting(void) {
  sqlite3 *db = open_on("waiting.db"), *other = open_on("waiting.db");
  CHECK(sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_exec(other, "SELECT * FROM t; BEGIN IMMEDIATE; INSERT INTO t VALUES (3)", NULL, NULL, NULL) == SQLITE_OK);
  WAITS(db, sqlite3_prepare_v2, "INSERT INTO t VALUES (4)", SQLITE_BUSY, 1);
  WAITS(db, sqlite3_prepare_v2, "BEGIN IMMEDIATE", SQLITE_BUSY, 1);
  WAITS(db, sqlite3_prepare_v2, "PRAGMA user_version = 5", SQLITE_BUSY, 1);
  WAITS(db, sqlite3_prepare_v2, "VACUUM", SQLITE_BUSY, 0);
  WAITS(db, sqlite3_prepare, "INSERT INTO t VALUES (4)", SQLITE_BUSY, 1);
  WAITS(db, sqlite3_prepare, "VACUUM", SQLITE_ERROR, 0);
  WAITS(db, sqlite3_prepare, "PRAGMA journal_mode = WAL", SQLITE_ERROR, 0);
  sqlite3_stmt *insert = prepared(db, "INSERT INTO t VALUES (5)");
  CHECK(sqlite3_step(insert) == SQLITE_BUSY && sqlite3_stmt_busy(insert) == 1);
  CHECK(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(insert) == SQLITE_DONE && sqlite3_stmt_busy(insert) == 0);
  CHECK(sqlite3_reset(insert) == SQLITE_OK && sqlite3_total_changes(db) == 3);
  sqlite3_stmt *reader = prepared(other, "SELECT * FROM t");
  CHECK(sqlite3_step(reader) == SQLITE_ROW);
  WAITS(db, sqlite3_prepare_v2, "INSERT INTO t VALUES (6)", SQLITE_BUSY, 0);
  CHECK(sqlite3_exec(db, "BEGIN; INSERT INTO t VALUES (7)", NULL, NULL, NULL) == SQLITE_OK);
  WAITS(db, sqlite3_prepare_v2, "COMMIT", SQLITE_BUSY, 1);
  sqlite3_finalize(reader);
  sqlite3_finalize(insert);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

static int asked, refused;

static int on_question(void *arg, int action, const char *one, const char *two, const char *database, const char *within) {
  return ++asked == refused ? SQLITE_DENY : SQLITE_OK;
}

/* SQLite carries ALTER TABLE out by statements of its own, about which it asks the authorizer; not so about a view that is renamed. */
static void questions(void) {
  static const struct { const char *sql; int asked, refused; const char *error; } cases[] = {
    {"ALTER TABLE t RENAME TO u", 54, 9, "not authorized to use function: LIKE"},
    {"ALTER TABLE t RENAME COLUMN a TO d", 66, 4, "access to sqlite_master.name is prohibited"},
    {"ALTER TABLE t ADD COLUMN d", 11, 2, "not authorized to use function: printf"},
    {"ALTER TABLE t DROP COLUMN b", 56, 22, "not authorized"},
    {"ALTER TABLE t ALTER COLUMN c SET NOT NULL", 10, 1, "not authorized"},
    {"VACUUM", 42, 1, "authorization denied"},
    {"VACUUM", 42, 9, "not authorized"},
    {"VACUUM INTO 'questions.db'", 42, 1, "authorization denied"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sqlite3 *db = open_on(":memory:");
    CHECK(sqlite3_exec(db, "CREATE TABLE t(a, b, c); CREATE VIEW v AS SELECT a FROM t WHERE a > abs(c)", NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_set_authorizer(db, on_question, NULL) == SQLITE_OK);
    asked = 0, refused = cases[i].refused;
    CHECK(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL) != SQLITE_OK);
    CHECK(strcmp(sqlite3_errmsg(db), cases[i].error) == 0);
    asked = 0, refused = 0;
    unlink("questions.db");
    CHECK(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL) == SQLITE_OK);
    if (asked != cases[i].asked) printf("%s: asked %d\n", cases[i].sql, asked);
    CHECK(asked == cases[i].asked);
    CHECK(sqlite3_close(db) == SQLITE_OK);
  }
}

/* A connection that has seen an empty file learns the encoding of the one that another has made of it. */
static void encodings(void) {
  static const char *const first[] = {"SELECT 1", "PRAGMA synchronous = OFF", "SELECT * FROM sqlite_schema", "PRAGMA encoding"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    unlink("encodings.db");
    sqlite3 *one = open_on("encodings.db"), *other = open_on("encodings.db");
    CHECK(sqlite3_exec(other, first[i], NULL, NULL, NULL) == SQLITE_OK);
    ANSWERS(one, "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES ('\xc3\xa9')", "");
    ANSWERS(other, "CREATE TABLE u(a); INSERT INTO u SELECT a FROM t; PRAGMA encoding", "UTF-16le");
    ANSWERS(other, "SELECT hex(CAST(a AS BLOB)), a FROM u", "E900|\xc3\xa9");
    sqlite3_close(one);
    sqlite3_close(other);
  }
  /* CREATE settles the encoding when it runs, whatever becomes of the table. */
  sqlite3 *db = open_on(":memory:");
  CHECK(sqlite3_exec(db, "CREATE TABLE sqlite_x(a)", NULL, NULL, NULL) == SQLITE_ERROR);
  CHECK(sqlite3_exec(db, "EXPLAIN CREATE TABLE x(a)", NULL, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "PRAGMA encoding = 'UTF-16be'; PRAGMA encoding", "UTF-16be");
  ANSWERS(db, "BEGIN; CREATE TABLE x(a); ROLLBACK; PRAGMA encoding = 'UTF-8'; PRAGMA encoding", "UTF-16be");
  sqlite3_close(db);
}

/* The bytes of a text are those of the form in which it is: the database's, until it is asked for in another. */
static void forms(void) {
  sqlite3 *db = open_on(":memory:");
  ANSWERS(db, "PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(a, b); INSERT INTO t VALUES ('xy', x'0041')", "");
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT a, b FROM t", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(memcmp(sqlite3_column_blob(statement, 0), "\0x\0y", 4) == 0 && sqlite3_column_bytes(statement, 0) == 4);
  CHECK(strcmp((const char *)sqlite3_column_text(statement, 0), "xy") == 0 && sqlite3_column_bytes(statement, 0) == 2);
  CHECK(memcmp(sqlite3_column_blob(statement, 0), "xy", 2) == 0);
  CHECK(memcmp(sqlite3_column_text16(statement, 0), "x\0y", 4) == 0 && sqlite3_column_bytes16(statement, 0) == 4);
  CHECK(memcmp(sqlite3_column_blob(statement, 0), "x\0y", 4) == 0 && sqlite3_column_bytes(statement, 0) == 4);
  CHECK(sqlite3_column_bytes(statement, 1) == 2 && strcmp((const char *)sqlite3_column_text(statement, 1), "A") == 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

int main(int count, char **arguments) {
  if (count > 1 && chdir(arguments[1]) != 0) return 2;
  columns();
  order();
  without_the_schema();
  functions();
  used_up();
  interruptions();
  hooks_of_logs();
  names();
  waiting();
  questions();
  encodings();
  forms();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
