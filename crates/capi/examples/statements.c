/*
** What single statements cost, for counting instructions: the same program on Lithe's library and on SQLite's.
**
**   cc -O2 -o statements statements.c -I../include libsqlite3.so.0       (either library)
**   valgrind --tool=callgrind ./statements range 10
**   valgrind --tool=callgrind ./statements range 110
**
** The difference of two runs with different counts, divided by the difference of the counts, is the cost of one.
** Without arguments the operations are listed.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

enum { ROWS = 10000, TEXT = 32 };

static const char FILENAME[] = "statements.db";

static const char SCHEMA[] =
    "PRAGMA synchronous = OFF;"
    "CREATE TABLE plain(a INTEGER, b INTEGER, c TEXT);"
    "CREATE TABLE keyed(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);"
    "CREATE TABLE indexed(a INTEGER UNIQUE, b INTEGER, c TEXT);"
    "CREATE INDEX indexed_c ON indexed(c);";

static const char PLAIN[] = "INSERT INTO plain VALUES (?1, ?2, ?3)";
static const char KEYED[] = "INSERT INTO keyed VALUES (?1, ?2, ?3)";
static const char INDEXED[] = "INSERT OR IGNORE INTO indexed VALUES (?2, ?1, ?3)";
static const char INDEX[] = "CREATE INDEX plain_b ON plain(b)";

/* What is bound to the statement each time. */
enum parameters { NOTHING, KEY, ROW };

static const struct operation {
  const char *name;
  const char *fill;   /* makes ROWS rows first, if there is one */
  const char *before; /* then this, if there is one */
  const char *sql;
  enum parameters parameters;
  int prepares; /* the statement is prepared each time, and not run */
} operations[] = {
    {"insert", NULL, NULL, PLAIN, ROW, 0},
    {"insert-keyed", NULL, NULL, KEYED, ROW, 0},
    {"insert-indexed", NULL, NULL, INDEXED, ROW, 0},
    {"update", KEYED, NULL, "UPDATE keyed SET b = b + 1 WHERE a = ?1", KEY, 0},
    {"update-all", KEYED, NULL, "UPDATE keyed SET b = b + 1, c = c || 'x'", NOTHING, 0},
    {"upsert", KEYED, NULL, "INSERT INTO keyed VALUES (?2, ?1, ?3) ON CONFLICT(a) DO UPDATE SET b = b + excluded.b", ROW, 0},
    {"replace", INDEXED, NULL, "REPLACE INTO indexed VALUES (?2, ?1, ?3)", ROW, 0},
    {"select", KEYED, NULL, "SELECT b, c FROM keyed WHERE a = ?1", KEY, 0},
    {"like", PLAIN, NULL, "SELECT count(*), avg(b) FROM plain WHERE c LIKE '%ab%'", NOTHING, 0},
    {"range", PLAIN, INDEX, "SELECT count(*), avg(a), sum(length(c)) FROM plain WHERE b BETWEEN ?1 AND ?1 + 20", KEY, 0},
    {"correlated", PLAIN, INDEX, "SELECT ?1, (SELECT max(c) FROM plain WHERE plain.b = ?1)", KEY, 0},
    {"expressions", KEYED, NULL,
     "SELECT sum(CASE WHEN b % 2 THEN abs(a - b) ELSE length(upper(substr(c, 2, 9))) END) FROM keyed", NOTHING, 0},
    {"join", PLAIN, NULL, "SELECT count(*), sum(k.b) FROM plain p JOIN plain k ON k.rowid = p.b WHERE p.b % 2 = 0", NOTHING, 0},
    {"aggregates", KEYED, NULL, "SELECT sum(a), avg(b), min(c), max(c), total(length(c)) FROM keyed WHERE b % 3 <> 0", NOTHING, 0},
    {"check", INDEXED, NULL, "PRAGMA integrity_check", NOTHING, 0},
    {"prepare", NULL, NULL, "SELECT b, c FROM keyed WHERE a = ?1", NOTHING, 1},
    {"prepare-insert", NULL, NULL, "INSERT INTO keyed VALUES (1, 2, 'abc')", NOTHING, 1},
};

static sqlite3 *db;

static void expect(int is_so, const char *what) {
  if (is_so) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { expect(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  expect(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, sql);
  return statement;
}

/* The same numbers in each run. */
static unsigned random_number(void) {
  static unsigned long long state = 88172645463325252ULL;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 33);
}

static void bind(sqlite3_stmt *statement, enum parameters parameters, int index) {
  char text[TEXT];
  if (parameters == KEY) sqlite3_bind_int64(statement, 1, random_number() % ROWS + 1);
  if (parameters != ROW) return;
  int len = snprintf(text, sizeof text, "%08x %08x", random_number(), random_number());
  sqlite3_bind_int64(statement, 1, index + 1);
  sqlite3_bind_int64(statement, 2, random_number() % ROWS);
  sqlite3_bind_text(statement, 3, text, len, SQLITE_TRANSIENT);
}

static void repeat(const char *sql, enum parameters parameters, int count) {
  sqlite3_stmt *statement = prepare(sql);
  run("BEGIN");
  for (int i = 0; i < count; i++) {
    bind(statement, parameters, i);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      sqlite3_column_int64(statement, 0);
      if (sqlite3_column_count(statement) > 1) sqlite3_column_text(statement, 1);
    }
    expect(sqlite3_reset(statement) == SQLITE_OK, sql);
  }
  sqlite3_finalize(statement);
  run("COMMIT");
}

/* A comment makes each text another one: no library has it prepared already. */
static void prepare_often(const char *sql, int count) {
  char text[200];
  for (int i = 0; i < count; i++) {
    snprintf(text, sizeof text, "%s /*%d*/", sql, i);
    sqlite3_finalize(prepare(text));
  }
}

static int list(void) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) puts(operations[i].name);
  return 2;
}

int main(int argc, char **argv) {
  const struct operation *operation = operations;
  const struct operation *end = operations + sizeof operations / sizeof *operations;
  while (argc == 3 && operation < end && strcmp(operation->name, argv[1]) != 0) operation++;
  if (argc != 3 || operation == end) return list();
  remove(FILENAME);
  expect(sqlite3_open(FILENAME, &db) == SQLITE_OK, FILENAME);
  run(SCHEMA);
  if (operation->fill) repeat(operation->fill, ROW, ROWS);
  if (operation->before) run(operation->before);
  if (operation->prepares) {
    prepare_often(operation->sql, atoi(argv[2]));
  } else {
    repeat(operation->sql, operation->parameters, atoi(argv[2]));
  }
  sqlite3_close(db);
  return remove(FILENAME);
}
