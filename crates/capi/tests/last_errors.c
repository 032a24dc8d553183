/*
** What a connection tells about its last error when a statement or a BLOB handle ends, which statements have columns though they give no rows, and
** which hooks are called. The program expects what SQLite answers.
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

/* A statement that had expired before it ran, and could not be compiled again: a reset returns its code, and leaves the last error. */
static void refused(void) {
  sqlite3 *db = open_on(":memory:");
  ANSWERS(db, "CREATE TABLE t(a, b)", "");
  sqlite3_stmt *statement = prepared(db, "SELECT a FROM t");
  ANSWERS(db, "CREATE INDEX i ON t(b); ALTER TABLE t RENAME COLUMN a TO c", "");
  CHECK(sqlite3_step(statement) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "no such column: a") == 0);
  ANSWERS(db, "SELECT 1", "1");
  int code = sqlite3_errcode(db);
  CHECK(code != SQLITE_ERROR && sqlite3_reset(statement) == SQLITE_ERROR && sqlite3_errcode(db) == code);
  CHECK(sqlite3_step(statement) == SQLITE_ERROR);
  ANSWERS(db, "SELECT x FROM t", "error 1: no such column: x");
  CHECK(sqlite3_finalize(statement) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "no such column: x") == 0);
  /* One that failed while it ran. */
  statement = prepared(db, "INSERT INTO t VALUES (abs(-9223372036854775808), 1)");
  CHECK(sqlite3_step(statement) == SQLITE_ERROR);
  ANSWERS(db, "SELECT x FROM t", "error 1: no such column: x");
  CHECK(sqlite3_reset(statement) == SQLITE_ERROR && strcmp(sqlite3_errmsg(db), "integer overflow") == 0);
  sqlite3_finalize(statement);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Closing a BLOB handle is the last call, with its result; which tables have no handles. */
static void blob_handles(void) {
  sqlite3 *db = open_on(":memory:");
  sqlite3_blob *blob = NULL;
  ANSWERS(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'xy'); CREATE TABLE g(a, b AS (a));"
              "CREATE TABLE w(a PRIMARY KEY, b AS (a)) WITHOUT ROWID", "");
  CHECK(sqlite3_blob_open(db, "main", "t", "b", 1, 0, &blob) == SQLITE_OK);
  ANSWERS(db, "SELECT x FROM t", "error 1: no such column: x");
  CHECK(sqlite3_blob_close(blob) == SQLITE_OK && sqlite3_errcode(db) == SQLITE_OK);
  CHECK(sqlite3_blob_open(db, "main", "t", "b", 1, 0, &blob) == SQLITE_OK);
  CHECK(sqlite3_blob_reopen(blob, 7) == SQLITE_ERROR);
  CHECK(sqlite3_blob_close(blob) == SQLITE_OK && sqlite3_errcode(db) == SQLITE_ERROR);
  CHECK(sqlite3_blob_open(db, "main", "g", "a", 1, 0, &blob) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "cannot open table with generated columns: g") == 0);
  CHECK(sqlite3_blob_open(db, "main", "w", "a", 1, 0, &blob) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "cannot open table without rowid: w") == 0);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A check of rows that ALTER TABLE makes is a query to SQLite, with a column. */
static void columns_of_alter(void) {
  static const char *const statements[][2] = {
    {"ALTER TABLE t ADD CHECK (a > 0)", "sqlite_fail('constraint failed', 19)"},
    {"ALTER TABLE t ADD CONSTRAINT \"o'o\" CHECK (a > 0)", "sqlite_fail('constraint o''o already exists', 1)"},
    {"ALTER TABLE t ALTER COLUMN a SET NOT NULL", "sqlite_fail('constraint failed', 19)"},
    {"ALTER TABLE t ADD COLUMN b NOT NULL", "raise(ABORT,'Cannot add a NOT NULL column with default value NULL')"},
    {"ALTER TABLE t ADD COLUMN b AS (a) STORED", "raise(ABORT,'cannot add a STORED column')"},
    {"ALTER TABLE t ADD COLUMN b DEFAULT (1 + 1)", "raise(ABORT,'Cannot add a column with non-constant default')"},
    {"ALTER TABLE t ADD COLUMN b CHECK (a > 0)", NULL},
    {"ALTER TABLE t ALTER COLUMN a DROP NOT NULL", NULL},
    {"ALTER TABLE t DROP CONSTRAINT x", NULL},
  };
  sqlite3 *db = open_on(":memory:");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    sqlite3_stmt *statement = prepared(db, statements[i][0]);
    const char *expected = statements[i][1], *name = sqlite3_column_name(statement, 0);
    CHECK(sqlite3_column_count(statement) == (expected != NULL));
    CHECK(expected ? name && strcmp(name, expected) == 0 : name == NULL);
    sqlite3_finalize(statement);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static int rollbacks, updates;

static void on_rollback(void *arg) { rollbacks++; }

static void on_update(void *arg, int what, const char *database, const char *table, sqlite3_int64 rowid) { updates++; }

/* Closing a connection rolls back, and says so. Rows that lose a column are not updated. */
static void hooks(void) {
  sqlite3 *db = open_on(":memory:");
  sqlite3_rollback_hook(db, on_rollback, NULL);
  ANSWERS(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4)", "");
  sqlite3_update_hook(db, on_update, NULL);
  ANSWERS(db, "ALTER TABLE t DROP COLUMN b", "");
  CHECK(updates == 0);
  ANSWERS(db, "BEGIN", "");
  CHECK(rollbacks == 0);
  CHECK(sqlite3_close(db) == SQLITE_OK && rollbacks == 1);
}

/* What goes on, or does not, beside a statement on a row. */
static void beside_rows(void) {
  sqlite3 *db = open_on(":memory:");
  ANSWERS(db, "CREATE TABLE p(a PRIMARY KEY); CREATE TABLE t(a REFERENCES p); INSERT INTO t VALUES (1), (2)", "");
  sqlite3_stmt *rows = prepared(db, "SELECT a FROM t");
  CHECK(sqlite3_step(rows) == SQLITE_ROW);
  ANSWERS(db, "PRAGMA case_sensitive_like = 1; SELECT 'A' LIKE 'a'", "1");
  sqlite3_reset(rows);
  ANSWERS(db, "PRAGMA case_sensitive_like = 1; SELECT 'A' LIKE 'a'", "0");
  sqlite3_finalize(rows);
  ANSWERS(db, "BEGIN", "");
  rows = prepared(db, "PRAGMA foreign_key_check");
  CHECK(sqlite3_step(rows) == SQLITE_ROW);
  ANSWERS(db, "CREATE TABLE u(a); ROLLBACK", "");
  CHECK(sqlite3_step(rows) == SQLITE_ABORT && sqlite3_extended_errcode(db) == SQLITE_ABORT_ROLLBACK);
  sqlite3_finalize(rows);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(int count, char **arguments) {
  if (count > 1 && chdir(arguments[1]) != 0) return 2;
  refused();
  blob_handles();
  columns_of_alter();
  hooks();
  beside_rows();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
