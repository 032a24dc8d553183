/*
** Scan status: what the loops of statements have cost. What is expected is what a SQLite with SQLITE_ENABLE_STMT_SCANSTATUS answers,
** but that the switch is off at first.
*/
#include "check.h"

static sqlite3_stmt *run(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {}
  return statement;
}

/* Name, runs, rows, estimate and line of all elements. */
static char *elements(sqlite3_stmt *statement, int flags) {
  sqlite3_str *out = sqlite3_str_new(NULL);
  for (int i = 0; ; i++) {
    sqlite3_int64 loops = -7, rows = -7, cycles = -7;
    double estimate = -7;
    const char *name = "", *line = "";
    int id = -7, parent = -7;
    if (sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_NLOOP, flags, &loops)) break;
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_NVISIT, flags, &rows) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_EST, flags, &estimate) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_NAME, flags, (void*)&name) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_EXPLAIN, flags, (void*)&line) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_SELECTID, flags, &id) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_PARENTID, flags, &parent) == 0);
    CHECK(sqlite3_stmt_scanstatus_v2(statement, i, SQLITE_SCANSTAT_NCYCLE, flags, &cycles) == 0);
    /* (A table that is materialised has cycles, but SQLite does not count how often it is.) */
    CHECK(id > parent && parent >= 0 && (loops <= 0 || cycles > 0) && (loops >= 0 || cycles < 0 || !strncmp(line, "MATER", 5)));
    sqlite3_str_appendf(out, "%s%s %lld %lld %g %s", i ? "; " : "", name ? name : "NULL", loops, rows, estimate, line);
  }
  return sqlite3_str_finish(out);
}

static void measures(sqlite3 *db, const char *sql, int flags, const char *expected) {
  sqlite3_stmt *statement = run(db, sql);
  char *got = elements(statement, flags);
  if (strcmp(got ? got : "", expected) != 0) {
    failures++;
    fprintf(stderr, "%s\n  expected: %s\n       got: %s\n", sql, expected, got ? got : "");
  }
  sqlite3_free(got);
  sqlite3_finalize(statement);
}

static void loops_are_counted(sqlite3 *db) {
  measures(db, "EXPLAIN SELECT * FROM t WHERE b = 5", 0, "tb 0 0 10 SEARCH t USING INDEX tb (b=?)");
  measures(db, "EXPLAIN QUERY PLAN SELECT * FROM t WHERE b = 5 ORDER BY c", SQLITE_SCANSTAT_COMPLEX,
    "tb 0 0 10 SEARCH t USING INDEX tb (b=?); NULL 0 0 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT * FROM t", 0, "t 1 100 1.04858e+06 SCAN t");
  measures(db, "SELECT * FROM t WHERE b IN (1, 2, 3)", 0, "tb 1 30 30 SEARCH t USING INDEX tb (b=?)");
  measures(db, "SELECT * FROM u, t WHERE t.b = u.y", 0,
    "u 1 20 1.04858e+06 SCAN u; tb 20 200 10 SEARCH t USING INDEX tb (b=?)");
  measures(db, "SELECT * FROM t WHERE b = 5 OR c = 3", 0,
    "tb 1 10 10 SEARCH t USING INDEX tb (b=?); tc 1 14 10 SEARCH t USING INDEX tc (c=?)");
  measures(db, "SELECT * FROM t WHERE b = 5 OR c = 3", SQLITE_SCANSTAT_COMPLEX,
    "NULL -1 -1 1 MULTI-INDEX OR; NULL -1 -1 1 INDEX 1; tb 1 10 10 SEARCH t USING INDEX tb (b=?); "
    "NULL -1 -1 1 INDEX 2; tc 1 14 10 SEARCH t USING INDEX tc (c=?)");
  measures(db, "SELECT * FROM t WHERE a BETWEEN 3 AND 6 LIMIT 2", 0,
    "t 1 2 16384 SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
  measures(db, "UPDATE t SET c = c WHERE b = 5", 0, "tb 1 10 10 SEARCH t USING INDEX tb (b=?)");
  /* What other conditions drop counts, unless a table is read alone and in any order. */
  measures(db, "SELECT * FROM t WHERE b = 5 AND c = 5", 0, "tc 1 14 10 SEARCH t USING INDEX tc (c=?)");
  measures(db, "SELECT * FROM t WHERE b > 5 AND +c < 5", 0, "tb 1 40 262144 SEARCH t USING INDEX tb (b>?)");
  measures(db, "SELECT * FROM t WHERE a > 5 AND +c < 5", 0, "t 1 95 262144 SEARCH t USING INTEGER PRIMARY KEY (rowid>?)");
  measures(db, "SELECT * FROM t WHERE b = 5 AND +c > 5 ORDER BY +c", 0, "tb 1 10 9 SEARCH t USING INDEX tb (b=?)");
  measures(db, "SELECT DISTINCT +c FROM t WHERE b = 5 AND +c > 5", 0, "tb 1 10 9 SEARCH t USING INDEX tb (b=?)");
  measures(db, "SELECT * FROM t WHERE (b = 5 OR c = 3) AND +a > 5", 0,
    "tb 1 10 10 SEARCH t USING INDEX tb (b=?); tc 1 14 10 SEARCH t USING INDEX tc (c=?)");
  measures(db, "SELECT 1", SQLITE_SCANSTAT_COMPLEX, "NULL -1 -1 1 SCAN CONSTANT ROW");
  measures(db, "PRAGMA user_version", 0, "");
}

#define COMPLEX SQLITE_SCANSTAT_COMPLEX

static void sorters_are_counted(sqlite3 *db) {
  measures(db, "SELECT * FROM u ORDER BY y LIMIT 3", COMPLEX,
    "u 1 20 1.04858e+06 SCAN u; NULL 1 20 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT * FROM u ORDER BY y", 0, "u 1 20 1.04858e+06 SCAN u");
  measures(db, "SELECT * FROM u WHERE y > 100 ORDER BY y", COMPLEX,
    "u 1 20 983040 SCAN u; NULL 1 0 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT * FROM u ORDER BY y LIMIT 0", COMPLEX,
    "u 0 0 1.04858e+06 SCAN u; NULL 0 0 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT * FROM t ORDER BY b, c", COMPLEX,
    "tb 1 100 1.04858e+06 SCAN t USING INDEX tb; NULL 1 100 1 USE TEMP B-TREE FOR LAST TERM OF ORDER BY");
  measures(db, "SELECT y, count(*) FROM u GROUP BY y ORDER BY 2", COMPLEX,
    "u 1 20 1.04858e+06 SCAN u; NULL 1 20 1 USE TEMP B-TREE FOR GROUP BY; NULL 1 10 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT DISTINCT y FROM u ORDER BY x", COMPLEX,
    "u 1 20 1.04858e+06 SCAN u; NULL -1 -1 1 USE TEMP B-TREE FOR DISTINCT; NULL 1 10 1 USE TEMP B-TREE FOR ORDER BY");
  measures(db, "SELECT x FROM u UNION SELECT b FROM t WHERE b > 4", COMPLEX,
    "NULL -1 -1 1 MERGE (UNION); NULL -1 -1 1 LEFT; u 1 20 1.04858e+06 SCAN u; NULL 1 20 1 USE TEMP B-TREE FOR ORDER BY; "
    "NULL -1 -1 1 RIGHT; tb 1 50 262144 SEARCH t USING COVERING INDEX tb (b>?)");
  measures(db, "SELECT sum(x) OVER (PARTITION BY y ORDER BY x) FROM u", COMPLEX,
    "NULL -1 -1 1 CO-ROUTINE (subquery-2); u 1 20 1.04858e+06 SCAN u; NULL 1 20 1 USE TEMP B-TREE FOR ORDER BY; "
    "NULL 1 20 1.04858e+06 SCAN (subquery-2)");
}

static void queries_are_counted(sqlite3 *db) {
  measures(db, "SELECT (SELECT max(x) FROM u), (SELECT c FROM t WHERE a = u.x) FROM u", COMPLEX,
    "u 1 20 1.04858e+06 SCAN u; NULL 1 -1 1 SCALAR SUBQUERY 1; u 1 20 1.04858e+06 SEARCH u; "
    "NULL 20 -1 1 CORRELATED SCALAR SUBQUERY 2; t 20 20 1 SEARCH t USING INTEGER PRIMARY KEY (rowid=?)");
  measures(db, "SELECT CASE WHEN 0 THEN (SELECT max(x) FROM u) END FROM u", COMPLEX,
    "u 1 20 1.04858e+06 SCAN u; NULL 0 -1 1 SCALAR SUBQUERY 1; u 0 0 1.04858e+06 SEARCH u");
  measures(db, "SELECT * FROM u WHERE x > (SELECT min(y) FROM u)", COMPLEX,
    "NULL 1 -1 1 SCALAR SUBQUERY 1; u 1 20 1.04858e+06 SEARCH u; u 1 20 1.04858e+06 SCAN u");
  measures(db, "SELECT * FROM u WHERE y IN (SELECT b FROM t WHERE c = 3)", COMPLEX,
    "NULL -1 -1 1 LIST SUBQUERY 1; tc 1 14 10 SEARCH t USING INDEX tc (c=?); "
    "NULL -1 -1 1 CREATE BLOOM FILTER; u 1 20 1.04858e+06 SCAN u");
  measures(db, "WITH v AS MATERIALIZED (SELECT * FROM u) SELECT * FROM v a, v b", COMPLEX,
    "NULL -1 -1 1 MATERIALIZE v; u 1 20 1.04858e+06 SCAN u; v 1 20 1.04858e+06 SCAN a; v 20 400 1.04858e+06 SCAN b");
  measures(db, "SELECT * FROM (SELECT y, count(*) n FROM u GROUP BY y) WHERE n > 1", COMPLEX,
    "NULL -1 -1 1 CO-ROUTINE (subquery-1); u 1 20 1.04858e+06 SCAN u; NULL 1 20 1 USE TEMP B-TREE FOR GROUP BY; "
    "NULL 1 10 96 SCAN (subquery-1)");
  measures(db, "SELECT * FROM (SELECT y, count(*) n FROM u GROUP BY y) WHERE n > 1", 0, "u 1 20 1.04858e+06 SCAN u");
  measures(db, "VALUES (1), (2), (3)", COMPLEX, "NULL 1 3 1.04858e+06 SCAN 3-ROW VALUES CLAUSE");
  measures(db, "SELECT count(*) FROM u", COMPLEX, "");
}

static void automatic_indexes_are_counted(sqlite3 *db) {
  measures(db, "SELECT * FROM u a, u b WHERE a.x = b.y", COMPLEX,
    "u 1 20 1.04858e+06 SCAN a; NULL 1 20 1 CREATE AUTOMATIC INDEX ON u(y, x); NULL -1 -1 1 BLOOM FILTER ON b (y=?); "
    "auto-index 20 18 20 SEARCH b USING AUTOMATIC COVERING INDEX (y=?)");
  measures(db, "SELECT a.x FROM u a WHERE EXISTS (SELECT 1 FROM u b WHERE b.y = a.x)", COMPLEX,
    "u 1 20 1.04858e+06 SCAN a; NULL 1 20 1 CREATE AUTOMATIC INDEX ON u(y) WHERE <expr>; NULL -1 -1 1 BLOOM FILTER ON b (y=?); "
    "auto-index 20 9 20 SEARCH b EXISTS USING AUTOMATIC PARTIAL COVERING INDEX (y=?)");
}

static void a_statement_in_its_course(sqlite3 *db) {
  sqlite3_stmt *statement;
  sqlite3_int64 number = -7;
  CHECK(sqlite3_prepare_v2(db, "SELECT * FROM u", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_stmt_scanstatus(statement, 0, SQLITE_SCANSTAT_NLOOP, &number) == 0 && number == 0);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_stmt_scanstatus(statement, 0, SQLITE_SCANSTAT_NVISIT, &number) == 0 && number == 2);
  CHECK(sqlite3_stmt_scanstatus(statement, -1, SQLITE_SCANSTAT_NCYCLE, &number) == 0 && number > 0);
  number = -7;
  CHECK(sqlite3_stmt_scanstatus(statement, -1, SQLITE_SCANSTAT_NLOOP, &number) == 1 && number == -7);
  CHECK(sqlite3_stmt_scanstatus(statement, 1, SQLITE_SCANSTAT_NLOOP, &number) == 1 && number == -7);
  sqlite3_stmt_scanstatus_reset(statement);
  CHECK(sqlite3_stmt_scanstatus(statement, 0, SQLITE_SCANSTAT_NVISIT, &number) == 0 && number == 0);
  sqlite3_finalize(statement);
}

static void instructions_are_counted(sqlite3 *db) {
  sqlite3_stmt *statement = run(db, "SELECT * FROM u");
  sqlite3_stmt *bytecode;
  const char *sql = "SELECT max(nexec), sum(ncycle) > 0 FROM bytecode(?) WHERE opcode = 'Next'";
  CHECK(sqlite3_prepare_v2(db, sql, -1, &bytecode, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_pointer(bytecode, 1, statement, "stmt-pointer", NULL) == SQLITE_OK);
  CHECK(sqlite3_step(bytecode) == SQLITE_ROW);
  CHECK(sqlite3_column_int(bytecode, 0) == 20 && sqlite3_column_int(bytecode, 1) == 1);
  sqlite3_finalize(bytecode);
  sqlite3_finalize(statement);
}

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  sqlite3_int64 number = -7;
  int is_on = -1;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  ANSWERS(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX tb ON t(b); CREATE INDEX tc ON t(c);"
    "CREATE TABLE u(x, y);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
    "INSERT INTO t SELECT i, i % 10, i % 7 FROM n; INSERT INTO u SELECT a, b FROM t WHERE a <= 20", "");
  statement = run(db, "SELECT * FROM t");
  CHECK(sqlite3_stmt_scanstatus(statement, 0, SQLITE_SCANSTAT_NLOOP, &number) == 1 && number == -7);
  sqlite3_finalize(statement);
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_STMT_SCANSTATUS, 1, &is_on) == SQLITE_OK && is_on == 1);
  loops_are_counted(db);
  sorters_are_counted(db);
  queries_are_counted(db);
  automatic_indexes_are_counted(db);
  a_statement_in_its_course(db);
  instructions_are_counted(db);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
