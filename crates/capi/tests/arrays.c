/*
** carray and sqlite_stmt: arrays of the application as tables, and the statements of a connection.
**
** Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well, built with SQLITE_ENABLE_CARRAY and
** SQLITE_ENABLE_STMTVTAB.
*/
#include <sys/uio.h>
#include "check.h"

static int freed;
static void free_it(void *array) { (void)array; freed++; }

/* The rows of a statement that stays. */
static void rows(int line, sqlite3_stmt *statement, const char *expected) {
  char found[1000] = "";
  int rc;
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const char *text = (const char*)sqlite3_column_text(statement, i);
      strcat(strcat(found, i ? "|" : found[0] ? " " : ""), text ? text : "NULL");
    }
  }
  if (rc != SQLITE_DONE) strcat(found, sqlite3_errmsg(sqlite3_db_handle(statement)));
  sqlite3_reset(statement);
  if (strcmp(found, expected) != 0) {
    failures++;
    fprintf(stderr, "%s:%d: got %s, expected %s\n", __FILE__, line, found, expected);
  }
}
#define ROWS(expected) rows(__LINE__, statement, expected)

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  return statement;
}

static void bound(sqlite3 *db) {
  int integers[] = {5, -6, 7};
  sqlite3_int64 large[] = {1LL << 40, 2};
  double doubles[] = {1.5, 2};
  char *texts[] = {"x", NULL, "yy"};
  struct iovec blobs[] = {{"ab", 2}, {NULL, 0}};
  sqlite3_stmt *statement = prepared(db, "SELECT rowid, value, pointer, count, ctype FROM carray(?1)");
  ROWS("");
  CHECK(sqlite3_carray_bind(statement, 1, integers, 3, SQLITE_CARRAY_INT32, free_it) == SQLITE_OK);
  ROWS("1|5|NULL|3|int32 2|-6|NULL|3|int32 3|7|NULL|3|int32");
  CHECK(sqlite3_carray_bind(statement, 1, integers, 0, SQLITE_CARRAY_INT32, free_it) == SQLITE_OK && freed == 1);
  ROWS("");
  CHECK(sqlite3_carray_bind(statement, 1, integers, 0, SQLITE_CARRAY_INT32, SQLITE_TRANSIENT) == SQLITE_NOMEM);
  CHECK(sqlite3_carray_bind(statement, 1, integers, 1, 5, free_it) == SQLITE_ERROR && freed == 2);
  CHECK(sqlite3_carray_bind(statement, 9, integers, 1, 0, free_it) == SQLITE_RANGE && freed == 3);
  CHECK(sqlite3_carray_bind(statement, 1, large, 2, SQLITE_CARRAY_INT64, SQLITE_STATIC) == SQLITE_OK && freed == 4);
  ROWS("1|1099511627776|NULL|2|int64 2|2|NULL|2|int64");
  CHECK(sqlite3_carray_bind(statement, 1, doubles, 2, SQLITE_CARRAY_DOUBLE, SQLITE_TRANSIENT) == SQLITE_OK);
  doubles[0] = 9;
  ROWS("1|1.5|NULL|2|double 2|2.0|NULL|2|double");
  CHECK(sqlite3_carray_bind(statement, 1, texts, 3, SQLITE_CARRAY_TEXT, SQLITE_TRANSIENT) == SQLITE_OK);
  texts[0] = "changed";
  ROWS("1|x|NULL|3|char* 2|NULL|NULL|3|char* 3|yy|NULL|3|char*");
  CHECK(sqlite3_carray_bind(statement, 1, blobs, 2, SQLITE_CARRAY_BLOB, SQLITE_STATIC) == SQLITE_OK);
  ROWS("1|ab|NULL|2|struct iovec 2|NULL|NULL|2|struct iovec");
  freed = 0;
  CHECK(sqlite3_carray_bind_v2(statement, 1, integers, 3, SQLITE_CARRAY_INT32, free_it, &freed) == SQLITE_OK);
  CHECK(freed == 0 && sqlite3_clear_bindings(statement) == SQLITE_OK && freed == 1);
  CHECK(sqlite3_carray_bind(statement, 1, integers, 3, 0, SQLITE_STATIC) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_carray_bind(statement, 1, integers, 3, 0, free_it) == SQLITE_MISUSE && freed == 2);
  sqlite3_finalize(statement);
}

static void addressed(sqlite3 *db) {
  sqlite3_int64 large[] = {1LL << 40, 2};
  sqlite3_stmt *statement = prepared(db, "SELECT value, count, ctype FROM carray(?1, ?2, ?3)");
  CHECK(sqlite3_bind_pointer(statement, 1, large, "carray", NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_int(statement, 2, 2) == SQLITE_OK);
  ROWS("unknown datatype: NULL");
  CHECK(sqlite3_bind_text(statement, 3, "INT64", -1, SQLITE_STATIC) == SQLITE_OK);
  ROWS("1099511627776|2|int64 2|2|int64");
  CHECK(sqlite3_bind_text(statement, 3, "x'y", -1, SQLITE_STATIC) == SQLITE_OK);
  ROWS("unknown datatype: 'x''y'");
  CHECK(sqlite3_bind_text(statement, 3, "int32", -1, SQLITE_STATIC) == SQLITE_OK);
  CHECK(sqlite3_bind_pointer(statement, 1, large, "another", NULL) == SQLITE_OK);
  ROWS("");
  sqlite3_finalize(statement);
  ANSWERS(db, "SELECT count(*) FROM carray", "0");
  ANSWERS(db, "SELECT count(*) FROM carray(5)", "0");
  ANSWERS(db, "CREATE VIRTUAL TABLE x USING carray", "error 1: no such module: carray");
}

static void statements(sqlite3 *db) {
  sqlite3_stmt *one = prepared(db, "SELECT 1, 2"), *two = prepared(db, "CREATE TABLE t(a)");
  ANSWERS(db, "SELECT sql, ncol, ro, busy, run FROM sqlite_stmt",
    "SELECT sql, ncol, ro, busy, run FROM sqlite_stmt|5|1|1|1 CREATE TABLE t(a)|0|0|0|0 SELECT 1, 2|2|1|0|0");
  CHECK(sqlite3_step(one) == SQLITE_ROW);
  ANSWERS(db, "SELECT busy, run FROM sqlite_stmt WHERE sql LIKE '%2'", "1|1");
  sqlite3_finalize(one);
  sqlite3_finalize(two);
  ANSWERS(db, "SELECT count(*) FROM sqlite_stmt", "1");
}

int main(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  bound(db);
  addressed(db);
  statements(db);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
