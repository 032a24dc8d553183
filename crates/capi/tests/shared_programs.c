/*
** Statements that differ in comments and literals: each of them shows its own text, whatever program it shares with others. The program
** expects what SQLite answers.
*/
#include "check.h"

#define SAME(text, expected) do { const char *got = (const char*)(text); if (!got || strcmp(got, expected) != 0) { \
  failures++; fprintf(stderr, "%s:%d: got %s\n  expected %s\n", __FILE__, __LINE__, got ? got : "(null)", expected); } } while (0)

static char traced[300];

static int on_trace(unsigned what, void *arg, void *statement, void *text) {
  if (what == SQLITE_TRACE_STMT) snprintf(traced, sizeof traced, "%s", (const char*)text);
  return 0;
}

static sqlite3 *opened(void) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  ANSWERS(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b VARCHAR(9)); INSERT INTO t VALUES (5, 'five'), (6, 'six'), (7, 'seven')", "");
  return db;
}

/* A statement, and what is behind it in its text. */
static sqlite3_stmt *prepared(sqlite3 *db, const char *sql, const char *tail) {
  sqlite3_stmt *statement = NULL;
  const char *rest = NULL;
  CHECK(sqlite3_prepare_v3(db, sql, -1, 0, &statement, &rest) == SQLITE_OK);
  SAME(rest, tail);
  return statement;
}

/* The statement is the text before `tail`, without parameters. */
static void shows_itself(sqlite3 *db, sqlite3_stmt *statement, const char *sql, const char *tail) {
  char own[300];
  snprintf(own, sizeof own, "%.*s", (int)(strlen(sql) - strlen(tail)), sql);
  SAME(sqlite3_sql(statement), own);
  char *expanded = sqlite3_expanded_sql(statement);
  SAME(expanded, own);
  sqlite3_free(expanded);
  CHECK(sqlite3_bind_parameter_count(statement) == 0);
  CHECK(sqlite3_bind_parameter_name(statement, 1) == NULL);
  CHECK(sqlite3_bind_int(statement, 1, 5) == SQLITE_RANGE);
  CHECK(sqlite3_clear_bindings(statement) == SQLITE_OK);
  CHECK(sqlite3_stmt_isexplain(statement) == 0);
  CHECK(sqlite3_db_handle(statement) == db && sqlite3_next_stmt(db, NULL) == statement);
  int step = sqlite3_step(statement);
  CHECK(step == SQLITE_ROW || step == SQLITE_DONE);
  SAME(traced, own);
}

static void queries(void) {
  sqlite3 *db = opened();
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_trace, NULL);
  static const char *const names[] = {"five", "six", "seven"};
  for (int i = 0; i < 3; i++) {
    char sql[300], text[100];
    snprintf(sql, sizeof sql, "/* %d */ SELECT b, a + 1 /* sum */ FROM t AS u WHERE a = %d /* '%d */ ; SELECT 2", i, i + 5, i);
    sqlite3_stmt *statement = prepared(db, sql, " SELECT 2");
    shows_itself(db, statement, sql, " SELECT 2");
    CHECK(sqlite3_stmt_readonly(statement) && sqlite3_stmt_busy(statement) && sqlite3_column_count(statement) == 2);
    SAME(sqlite3_column_name(statement, 1), "a + 1 /* sum */");
    SAME(sqlite3_column_decltype(statement, 0), "VARCHAR(9)");
    CHECK(sqlite3_column_decltype(statement, 1) == NULL);
    SAME(sqlite3_column_text(statement, 0), names[i]);
    CHECK(sqlite3_column_int(statement, 1) == i + 6 && sqlite3_step(statement) == SQLITE_DONE);
    CHECK(sqlite3_reset(statement) == SQLITE_OK && sqlite3_stmt_explain(statement, 2) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    SAME(sqlite3_column_text(statement, 3), "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)");
    CHECK(sqlite3_reset(statement) == SQLITE_OK && sqlite3_stmt_explain(statement, 0) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    SAME(sqlite3_column_text(statement, 0), names[i]);
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
    /* A comment behind a result column is a part of its name. */
    snprintf(sql, sizeof sql, "SELECT 1 + 1 /* %d */", i);
    snprintf(text, sizeof text, "1 + 1 /* %d */", i);
    statement = prepared(db, sql, "");
    SAME(sqlite3_column_name(statement, 0), text);
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void changes(void) {
  sqlite3 *db = opened();
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT, on_trace, NULL);
  for (int i = 0; i < 3; i++) {
    char sql[300];
    snprintf(sql, sizeof sql, "UPDATE t SET b = %d WHERE a = %d RETURNING a + b", i, i + 5);
    sqlite3_stmt *statement = prepared(db, sql, "");
    shows_itself(db, statement, sql, "");
    CHECK(!sqlite3_stmt_readonly(statement) && sqlite3_column_int(statement, 0) == 2 * i + 5);
    SAME(sqlite3_column_name(statement, 0), "a + b");
    CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_changes(db) == 1);
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
    snprintf(sql, sizeof sql, "UPDATE t SET b = %d WHERE a = %d RETURNING a + b -- %d", i, i + 5, i);
    statement = prepared(db, sql, "");
    SAME(sqlite3_column_name(statement, 0), sql + strlen(sql) - strlen("a + b -- 1"));
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
    snprintf(sql, sizeof sql, "DELETE FROM t WHERE a = %d AND b > 'x' /* page %d */;;", i + 5, i);
    statement = prepared(db, sql, ";");
    shows_itself(db, statement, sql, ";");
    CHECK(!sqlite3_stmt_readonly(statement) && sqlite3_changes(db) == 0 && sqlite3_finalize(statement) == SQLITE_OK);
    snprintf(sql, sizeof sql, "INSERT INTO t(b) VALUES ('%d') -- %d", i, i);
    statement = prepared(db, sql, "");
    shows_itself(db, statement, sql, "");
    CHECK(sqlite3_last_insert_rowid(db) == i + 8 && sqlite3_finalize(statement) == SQLITE_OK);
  }
  ANSWERS(db, "SELECT a, b FROM t", "5|0 6|1 7|2 8|0 9|1 10|2");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Parameters stay parameters where comments differ. */
static void parameters(void) {
  sqlite3 *db = opened();
  for (int i = 0; i < 3; i++) {
    char sql[300], expected[300];
    snprintf(sql, sizeof sql, "SELECT b FROM t WHERE a = :key -- %d", i);
    sqlite3_stmt *statement = prepared(db, sql, "");
    CHECK(sqlite3_bind_parameter_count(statement) == 1 && sqlite3_bind_parameter_index(statement, ":key") == 1);
    SAME(sqlite3_bind_parameter_name(statement, 1), ":key");
    CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
    CHECK(sqlite3_bind_int(statement, 1, 6) == SQLITE_OK);
    char *expanded = sqlite3_expanded_sql(statement);
    snprintf(expected, sizeof expected, "SELECT b FROM t WHERE a = 6 -- %d", i);
    SAME(expanded, expected);
    sqlite3_free(expanded);
    SAME(sqlite3_sql(statement), sql);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    SAME(sqlite3_column_text(statement, 0), "six");
    CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Statements of one template are independent of each other. */
static void beside_each_other(void) {
  sqlite3 *db = opened();
  sqlite3_stmt *statements[6];
  for (int i = 0; i < 6; i++) {
    char sql[300];
    snprintf(sql, sizeof sql, "SELECT b, a FROM t WHERE a >= %d AND b <> 'x'", i % 3 + 5);
    statements[i] = prepared(db, sql, "");
    CHECK(sqlite3_step(statements[i]) == SQLITE_ROW);
  }
  for (int i = 0; i < 6; i++) {
    CHECK(sqlite3_column_int(statements[i], 1) == i % 3 + 5);
    for (int more = i % 3; more < 2; more++) CHECK(sqlite3_step(statements[i]) == SQLITE_ROW);
    CHECK(sqlite3_step(statements[i]) == SQLITE_DONE);
    if (i == 2) ANSWERS(db, "ALTER TABLE t ADD COLUMN c DEFAULT 'new'", "");
  }
  for (int i = 0; i < 6; i++) {
    CHECK(sqlite3_step(statements[i]) == SQLITE_ROW && sqlite3_column_int(statements[i], 1) == i % 3 + 5);
    CHECK(sqlite3_finalize(statements[i]) == SQLITE_OK);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Errors are those of the text, and so are their offsets. */
static void errors(void) {
  sqlite3 *db = opened();
  for (int i = 0; i < 3; i++) {
    char sql[300];
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql, "/* %d */ SELECT b FROM t WHERE nope = %d -- x", i, i + 5);
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_ERROR && statement == NULL);
    SAME(sqlite3_errmsg(db), "no such column: nope");
    CHECK(sqlite3_error_offset(db) == 30);
    snprintf(sql, sizeof sql, "/* %d */ SELECT b FROM t WHERE a = %d x -- x", i, i + 5);
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_ERROR && statement == NULL);
    SAME(sqlite3_errmsg(db), "near \"x\": syntax error");
    snprintf(sql, sizeof sql, "UPDATE t SET a = '%d' || 'x' WHERE a = %d /* %d */", i, i + 5, i);
    ANSWERS(db, sql, "error 20: datatype mismatch");
    ANSWERS(db, "UPDATE t SET a = 'x' WHERE a = 6", "error 20: datatype mismatch");
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Limits and settings count for each text. */
static void limits(void) {
  sqlite3 *db = opened();
  char sql[300];
  for (int i = 0; i < 4; i++) {
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, i < 3 ? 1000 : 39);
    snprintf(sql, sizeof sql, "SELECT a FROM t WHERE b = %d /* page %d */", i + 5, i);
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == (i < 3 ? SQLITE_OK : SQLITE_TOOBIG));
    sqlite3_finalize(statement);
  }
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1000);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 40);
  ANSWERS(db, "SELECT a FROM t WHERE b = '0123456789 0123456789 0123456789 0123456789'", "error 18: string or blob too big");
  ANSWERS(db, "SELECT a FROM t WHERE b = 'six' /* 0123456789 0123456789 0123456789 0123456789 */", "6");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 2);
  for (int i = 0; i < 3; i++) {
    snprintf(sql, sizeof sql, "SELECT a FROM t WHERE a = %d", i + 5);
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_finalize(statement) == SQLITE_OK);
    snprintf(sql, sizeof sql, "SELECT a FROM t WHERE a = -%d", i + 5);
    CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_ERROR);
    SAME(sqlite3_errmsg(db), "Expression tree is too large (maximum depth 2)");
  }
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 1000);
#ifdef SQLITE_DBCONFIG_ENABLE_COMMENTS
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_COMMENTS, 0, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT a FROM t WHERE b = 'six'", "6");
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT a FROM t WHERE b = 'six' /* x */", -1, &statement, NULL) == SQLITE_ERROR);
  CHECK(sqlite3_prepare_v2(db, "-- x\nSELECT a FROM t", -1, &statement, NULL) == SQLITE_ERROR);
#endif
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(void) {
  queries();
  changes();
  parameters();
  beside_each_other();
  errors();
  limits();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
