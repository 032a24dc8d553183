/*
** Statements that go on after a transaction within them was rolled back that had changed the schema. Whoever stands in a tree of the
** database ends with SQLITE_ABORT_ROLLBACK; a virtual table whose module stands there by a statement of its own ends with what the module
** is told, which has no extension unless extended codes are on; and a virtual table that has read what it needs goes on, also where the
** statement opens it once more.
*/
#include "check.h"

static const char *const setup =
  "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, 1), (2, 2), (3, 3);"
  "CREATE VIRTUAL TABLE f5 USING fts5(a); INSERT INTO f5 VALUES('w a'), ('w b'), ('w c');"
  "CREATE VIRTUAL TABLE f4 USING fts4(a); INSERT INTO f4 VALUES('w a'), ('w b'), ('w c');"
  "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, +note); INSERT INTO r VALUES(1, 1, 2, 'n'), (2, 2, 3, 'o')";

/* The first row of a query, and the rest of them behind a rollback. */
static void rolled_back(int extended, const char *within, const char *query, const char *expected) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  ANSWERS(db, setup, "");
  sqlite3_extended_result_codes(db, extended);
  CHECK(sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  ANSWERS(db, within, "");
  sqlite3_str *out = sqlite3_str_new(db);
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) sqlite3_str_appendf(out, "%s ", sqlite3_column_text(statement, 0));
  if (code == SQLITE_DONE) sqlite3_str_appendall(out, "done");
  else sqlite3_str_appendf(out, "error %d: %s", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  char *got = sqlite3_str_finish(out);
  if (strcmp(got, expected) != 0) {
    failures++;
    fprintf(stderr, "%s, then %s\n  got      %s\n  expected %s\n", query, within, got, expected);
  }
  sqlite3_free(got);
  CHECK(sqlite3_finalize(statement) == (code == SQLITE_DONE ? SQLITE_OK : code));
  ANSWERS(db, "SELECT count(*) FROM f5 WHERE f5 MATCH 'w'; INSERT INTO f5(f5) VALUES('integrity-check'); PRAGMA integrity_check", "3 ok");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(void) {
  const char *schema = "BEGIN; CREATE TABLE other(a); ROLLBACK";
  const char *terms = "BEGIN; INSERT INTO f5 VALUES('w q'); CREATE TABLE other(a); ROLLBACK";
  const char *rows = "BEGIN; INSERT INTO t VALUES(9, 9); ROLLBACK";
  const char *temporary = "BEGIN; CREATE TABLE temp.other(a); ROLLBACK";
  const char *all[] = {schema, terms, temporary};
  for (int i = 0; i < 3; i++) {
    rolled_back(0, all[i], "SELECT a FROM t", "error 516: abort due to ROLLBACK");
    rolled_back(0, all[i], "SELECT a FROM f5", "error 4: abort due to ROLLBACK");
    rolled_back(1, all[i], "SELECT a FROM f5", "error 516: abort due to ROLLBACK");
    rolled_back(0, all[i], "SELECT a FROM f4", "error 4: query aborted");
    rolled_back(1, all[i], "SELECT a FROM f4", "error 516: abort due to ROLLBACK");
    rolled_back(0, all[i], "SELECT name FROM dbstat", "error 4: query aborted");
    rolled_back(0, all[i], "SELECT a FROM f5 WHERE f5 MATCH 'w'", "w b w c done");
    rolled_back(0, all[i], "SELECT a FROM f4 WHERE f4 MATCH 'w'", "w b w c done");
    rolled_back(0, all[i], "SELECT note FROM r", "o done");
    rolled_back(0, all[i], "SELECT a FROM f5 WHERE f5 MATCH 'w' UNION ALL SELECT a FROM f5 WHERE f5 MATCH 'b OR c'", "w b w c w b w c done");
    rolled_back(0, all[i], "SELECT a FROM f4 WHERE f4 MATCH 'w' UNION ALL SELECT a FROM f5 WHERE f5 MATCH 'w'", "w b w c w a w b w c done");
    rolled_back(0, all[i], "SELECT f5.a FROM f5, r WHERE f5 MATCH 'w'", "w a w b w b w c w c done");
    rolled_back(0, all[i], "SELECT a FROM f5 WHERE f5 MATCH 'w' UNION ALL SELECT a FROM t", "w b w c error 516: abort due to ROLLBACK");
  }
  rolled_back(0, rows, "SELECT a FROM t", "2 3 done");
  rolled_back(0, rows, "SELECT a FROM f5", "w b w c done");
  rolled_back(0, "BEGIN; INSERT INTO f5 VALUES('w q'); ROLLBACK", "SELECT a FROM f5 WHERE f5 MATCH 'w' UNION ALL SELECT a FROM f5", "w b w c w a w b w c done");
  return failures != 0;
}
