/*
** The cost of single statements in instructions: the same program runs on Lithe's library and on SQLite's. The script
** tests/instructions/run.sh runs every operation on both and prints the table. By hand:
**
**   cc -O2 -g -o statements statements.c -I../include libsqlite3.so.0       (either library)
**   ./statements                                                            (lists the operations)
**   valgrind --tool=callgrind --toggle-collect=measured ./statements range 100
**
** The function measured() executes the operation as often as the count says, behind a few executions that warm up, so the cost of
** one is the instruction count that callgrind reports, divided by the count. Some operations run on a file that another
** process has to prepare: `./statements range fill`; for the others that does nothing.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

enum { ROWS = 10000, TEXT = 32, WARM_UP = 8 };

static const char FILENAME[] = "statements.db";

static const char SCHEMA[] =
    "PRAGMA synchronous = OFF;"
    "CREATE TABLE plain(a INTEGER, b INTEGER, c TEXT);"
    "CREATE TABLE keyed(a INTEGER PRIMARY KEY, b INTEGER, c TEXT);"
    "CREATE TABLE indexed(a INTEGER UNIQUE, b INTEGER, c TEXT);"
    "CREATE INDEX indexed_c ON indexed(c);"
    "CREATE TABLE named(name TEXT PRIMARY KEY, b INTEGER);"
    "CREATE TABLE numbered(id INTEGER PRIMARY KEY AUTOINCREMENT, b INTEGER, c TEXT);"
    "CREATE TABLE documents(body TEXT);"
    "CREATE TABLE files(id INTEGER PRIMARY KEY, body BLOB, note TEXT);"
    "CREATE TABLE tasks(id INTEGER PRIMARY KEY, state TEXT, due INTEGER);"
    "CREATE INDEX tasks_open ON tasks(due) WHERE state = 'open';";

/* How rows get into the tables before anything is measured. */
#define SERIES(columns) "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 10000) SELECT " columns " FROM s"
static const char FILL_NAMED[] = "INSERT INTO named " SERIES("'name ' || i, i");
static const char FILL_DOCUMENTS[] = "INSERT INTO documents " SERIES("json_object('id', i, 'tags', json_array(i % 7, 'x'))");
static const char FILL_TASKS[] = "INSERT INTO tasks " SERIES("i, CASE i % 50 WHEN 0 THEN 'open' ELSE 'done' END, i * 7919 % 10000");

static const char FILL_FILES[] = "INSERT INTO files SELECT i, zeroblob(500000), hex(zeroblob(250000)) FROM (" SERIES("i") " LIMIT 20)";

static const char PLAIN[] = "INSERT INTO plain VALUES (?1, ?2, ?3)";
static const char KEYED[] = "INSERT INTO keyed VALUES (?1, ?2, ?3)";
static const char INDEXED[] = "INSERT OR IGNORE INTO indexed VALUES (?2, ?1, ?3)";
static const char REPLACE[] = "REPLACE INTO indexed VALUES (?2, ?1, ?3)";
static const char INDEX[] = "CREATE INDEX plain_b ON plain(b)";

static const char IN_A_SCRIPT[] = "INSERT INTO keyed VALUES (NULL, %d, 'one of many');\n";

/* What is bound to the statement each time. */
enum parameters { NOTHING, KEY, ROW, NAME };

/* What one execution is. */
enum kind {
  RUN,      /* the prepared statement runs to its end, within a transaction */
  COMMIT,   /* the same, each time in a transaction of its own */
  PREPARE,  /* the text with another comment each time is prepared and finalized */
  NUMBER,   /* the text with another number each time in the place of %d is prepared and finalized */
  AGAIN,    /* the same text is prepared and finalized */
  SCRIPT,   /* a script of many such texts, each with another number, is executed */
  TAILS,    /* its statements are prepared, executed and finalized, each from where the one before ends */
  EXECUTE,  /* the text with a number in the place of %d is executed */
  OPEN,     /* a connection is opened, the statement executed, the connection closed */
  PRINT,    /* sqlite3_snprintf with four values */
  ALLOCATE, /* sqlite3_mprintf with four values, and sqlite3_free */
};

/* In which database. */
enum place { FILE_FILLED_HERE, MEMORY, TABLES_100, TABLES_1000, COLUMNS_100, COLUMNS_1000 };

static const struct operation {
  const char *name;
  enum kind kind;
  int count;
  const char *sql;
  enum parameters parameters;
  const char *fill;   /* makes ROWS rows first, if there is one */
  const char *before; /* then this, if there is one */
  enum place place;
} operations[] = {
    /* The seventeen of docs/BENCHMARKS.md; their order matters to run.sh. */
    {"insert", RUN, 200, PLAIN, ROW},
    {"insert-keyed", RUN, 200, KEYED, ROW},
    {"insert-indexed", RUN, 200, INDEXED, ROW},
    {"update", RUN, 200, "UPDATE keyed SET b = b + 1 WHERE a = ?1", KEY, KEYED},
    {"update-all", RUN, 1, "UPDATE keyed SET b = b + 1, c = c || 'x'", NOTHING, KEYED},
    {"upsert", RUN, 200, "INSERT INTO keyed VALUES (?2, ?1, ?3) ON CONFLICT(a) DO UPDATE SET b = b + excluded.b", ROW, KEYED},
    {"replace", RUN, 200, REPLACE, ROW, INDEXED},
    {"select", RUN, 200, "SELECT b, c FROM keyed WHERE a = ?1", KEY, KEYED},
    {"like", RUN, 1, "SELECT count(*), avg(b) FROM plain WHERE c LIKE '%ab%'", NOTHING, PLAIN},
    {"range", RUN, 100, "SELECT count(*), avg(a), sum(length(c)) FROM plain WHERE b BETWEEN ?1 AND ?1 + 20", KEY, PLAIN, INDEX},
    {"correlated", RUN, 200, "SELECT ?1, (SELECT max(c) FROM plain WHERE plain.b = ?1)", KEY, PLAIN, INDEX},
    {"expressions", RUN, 1, "SELECT sum(CASE WHEN b % 2 THEN abs(a - b) ELSE length(upper(substr(c, 2, 9))) END) FROM keyed", NOTHING, KEYED},
    {"join", RUN, 1, "SELECT count(*), sum(k.b) FROM plain p JOIN plain k ON k.rowid = p.b WHERE p.b % 2 = 0", NOTHING, PLAIN},
    {"aggregates", RUN, 1, "SELECT sum(a), avg(b), min(c), max(c), total(length(c)) FROM keyed WHERE b % 3 <> 0", NOTHING, KEYED},
    {"check", RUN, 1, "PRAGMA integrity_check", NOTHING, INDEXED},
    {"compile", NUMBER, 50, "SELECT b, c FROM keyed AS k%d WHERE a = ?1"},
    {"compile-insert", NUMBER, 50, "INSERT INTO keyed AS k%d VALUES (1, 2, 'abc')"},
    /* The others of issue 18. */
    {"prepare-again", AGAIN, 50, "SELECT b, c FROM keyed WHERE a = ?1"},
    {"compile-update", NUMBER, 50, "UPDATE keyed AS k%d SET b = ?2, c = ?3 WHERE a = ?1"},
    {"compile-delete", NUMBER, 50, "DELETE FROM keyed AS k%d WHERE a = ?1"},
    {"compile-indexed", NUMBER, 50, "INSERT INTO indexed AS i%d VALUES (?1, ?2, ?3)"},
    {"compile-join", NUMBER, 50,
     "SELECT p.a AS a%d, k.c FROM plain p JOIN keyed k ON k.a = p.b LEFT JOIN named n ON n.b = k.b WHERE p.c > ?1 ORDER BY k.c LIMIT 10"},
    {"literal-select", NUMBER, 50, "SELECT b, c FROM keyed WHERE a = %d"},
    {"literal-insert", NUMBER, 50, "INSERT INTO keyed VALUES (%d, 2, 'abc')"},
    {"literal-update", NUMBER, 50, "UPDATE keyed SET b = %d, c = 'abc' WHERE a = 17"},
    {"literal-delete", NUMBER, 50, "DELETE FROM keyed WHERE a = %d"},
    {"prepare", PREPARE, 50, "SELECT b, c FROM keyed WHERE a = ?1"},
    {"prepare-insert", PREPARE, 50, "INSERT INTO keyed VALUES (1, 2, 'abc')"},
    {"prepare-update", PREPARE, 50, "UPDATE keyed SET b = ?2, c = ?3 WHERE a = ?1"},
    {"prepare-delete", PREPARE, 50, "DELETE FROM keyed WHERE a = ?1"},
    {"prepare-indexed", PREPARE, 50, "INSERT INTO indexed VALUES (?1, ?2, ?3)"},
    {"prepare-join", PREPARE, 50,
     "SELECT p.a, k.c FROM plain p JOIN keyed k ON k.a = p.b LEFT JOIN named n ON n.b = k.b WHERE p.c > ?1 ORDER BY k.c LIMIT 10"},
    {"commit", COMMIT, 100, "UPDATE keyed SET b = b + 1 WHERE a = ?1", KEY, KEYED},
    {"select-alone", COMMIT, 100, "SELECT b, c FROM keyed WHERE a = ?1", KEY, KEYED},
    {"count", RUN, 20, "SELECT count(*) FROM keyed", NOTHING, KEYED},
    {"count-distinct", RUN, 1, "SELECT count(DISTINCT c) FROM keyed", NOTHING, KEYED},
    {"update-in", RUN, 1, "UPDATE keyed SET b = 0 WHERE a IN (SELECT plain.b FROM plain WHERE plain.a % 10 = 0)", NOTHING, KEYED, "INSERT INTO plain SELECT * FROM keyed"},
    {"upsert-select", RUN, 1, "INSERT INTO keyed SELECT a + 5000, b, c FROM plain WHERE true ON CONFLICT DO UPDATE SET b = excluded.b", NOTHING, KEYED, "INSERT INTO plain SELECT * FROM keyed"},
    {"json", RUN, 1, "SELECT sum(body ->> '$.id') FROM documents WHERE json_extract(body, '$.tags[0]') = 3", NOTHING, NULL, FILL_DOCUMENTS},
    {"partial", RUN, 100, "SELECT count(*), max(id) FROM tasks WHERE state = 'open' AND due BETWEEN ?1 AND ?1 + 50", KEY, NULL, FILL_TASKS},
    {"last-of-100", RUN, 1, "SELECT sum(c99) FROM wide", NOTHING, NULL, NULL, COLUMNS_100},
    {"last-of-1000", RUN, 1, "SELECT sum(c999) FROM wide", NOTHING, NULL, NULL, COLUMNS_1000},
    {"memory-key", RUN, 200, "SELECT b, c FROM keyed WHERE a = ?1", KEY, KEYED, NULL, MEMORY},
    {"memory-name", RUN, 200, "SELECT b FROM named WHERE name = ?1", NAME, NULL, FILL_NAMED, MEMORY},
    {"memory-replace", RUN, 200, REPLACE, ROW, INDEXED, NULL, MEMORY},
    {"memory-delete", RUN, 100, "DELETE FROM plain WHERE b BETWEEN ?1 AND ?1 + 20", KEY, PLAIN, INDEX, MEMORY},
    {"memory-insert", RUN, 200, PLAIN, ROW, NULL, NULL, MEMORY},
    {"memory-commit", COMMIT, 200, PLAIN, ROW, NULL, NULL, MEMORY},
    {"create-table", EXECUTE, 10, "CREATE TABLE new%d(a INTEGER PRIMARY KEY, b TEXT, c)"},
    {"create-table-100", EXECUTE, 10, "CREATE TABLE new%d(a INTEGER PRIMARY KEY, b TEXT, c)", NOTHING, NULL, NULL, TABLES_100},
    {"create-table-1000", EXECUTE, 10, "CREATE TABLE new%d(a INTEGER PRIMARY KEY, b TEXT, c)", NOTHING, NULL, NULL, TABLES_1000},
    {"create-index-1000", EXECUTE, 10, "CREATE INDEX new%d ON t5(b)", NOTHING, NULL, NULL, TABLES_1000},
    {"drop-table-1000", EXECUTE, 10, "DROP TABLE t%d", NOTHING, NULL, NULL, TABLES_1000},
    {"open-join", OPEN, 5, "SELECT i.c FROM keyed k JOIN indexed i ON i.b = k.b JOIN plain p ON p.rowid = i.a WHERE k.a = 7", NOTHING, KEYED,
     "INSERT INTO indexed SELECT * FROM keyed; INSERT INTO plain SELECT * FROM keyed UNION ALL SELECT * FROM keyed"},
    {"open-few", OPEN, 5, "SELECT a FROM keyed LIMIT 1", NOTHING, KEYED},
    {"open-100", OPEN, 5, "SELECT a FROM t7", NOTHING, NULL, NULL, TABLES_100},
    {"open-1000", OPEN, 5, "SELECT a FROM t7", NOTHING, NULL, NULL, TABLES_1000},
    {"autoincrement", RUN, 200, "INSERT INTO numbered VALUES (NULL, ?2, ?3)", ROW},
    {"lengths", RUN, 20, "SELECT sum(length(body)), sum(octet_length(note)), count(*) FROM files WHERE body IS NOT NULL AND typeof(body) = 'blob'", NOTHING, NULL, FILL_FILES},
    {"script", SCRIPT, 1, IN_A_SCRIPT},
    {"script-tails", TAILS, 1, IN_A_SCRIPT},
    {"snprintf", PRINT, 200, NULL},
    {"mprintf", ALLOCATE, 200, NULL},
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

/* Half a megabyte: what is done for each statement with all of the rest shows. */
static const char *script(const char *sql) {
  static char *script;
  if (script) return script;
  sqlite3_str *text = sqlite3_str_new(db);
  sqlite3_str_appendall(text, "BEGIN;\n");
  for (int i = 0; i < ROWS; i++) sqlite3_str_appendf(text, sql, i);
  sqlite3_str_appendall(text, "COMMIT;\n");
  return script = sqlite3_str_finish(text);
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
  if (parameters == NAME) {
    int len = snprintf(text, sizeof text, "name %u", random_number() % ROWS + 1);
    sqlite3_bind_text(statement, 1, text, len, SQLITE_TRANSIENT);
  }
  if (parameters != ROW) return;
  int len = snprintf(text, sizeof text, "%08x %08x", random_number(), random_number());
  sqlite3_bind_int64(statement, 1, index + 1);
  sqlite3_bind_int64(statement, 2, random_number() % ROWS);
  sqlite3_bind_text(statement, 3, text, len, SQLITE_TRANSIENT);
}

static void step_to_the_end(sqlite3_stmt *statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) {
    sqlite3_column_int64(statement, 0);
    if (sqlite3_column_count(statement) > 1) sqlite3_column_text(statement, 1);
  }
  expect(sqlite3_reset(statement) == SQLITE_OK, sqlite3_sql(statement));
}

static void run_by_tails(const char *sql) {
  while (*sql) {
    sqlite3_stmt *statement;
    expect(sqlite3_prepare_v2(db, sql, -1, &statement, &sql) == SQLITE_OK, "prepare");
    if (statement) step_to_the_end(statement);
    sqlite3_finalize(statement);
  }
}

/* Each execution has a number, so that no text and no key comes again unless it is meant to. */
static void execute(const struct operation *operation, sqlite3_stmt *statement, int number) {
  char text[300];
  switch (operation->kind) {
    case RUN:
    case COMMIT:
      bind(statement, operation->parameters, number);
      step_to_the_end(statement);
      break;
    case PREPARE: /* SQLite compiles each of these texts */
      snprintf(text, sizeof text, "%s /*%d*/", operation->sql, number);
      sqlite3_finalize(prepare(text));
      break;
    case NUMBER: /* in a name, it makes each text one that has to be compiled */
      snprintf(text, sizeof text, operation->sql, number);
      sqlite3_finalize(prepare(text));
      break;
    case AGAIN:
      sqlite3_finalize(prepare(operation->sql));
      break;
    case SCRIPT:
      run(script(operation->sql));
      break;
    case TAILS:
      run_by_tails(script(operation->sql));
      break;
    case EXECUTE:
      snprintf(text, sizeof text, operation->sql, number + 10);
      run(text);
      break;
    case OPEN: {
      sqlite3 *other;
      expect(sqlite3_open(FILENAME, &other) == SQLITE_OK, FILENAME);
      expect(sqlite3_exec(other, operation->sql, NULL, NULL, NULL) == SQLITE_OK, operation->sql);
      sqlite3_close(other);
      break;
    }
    case PRINT:
      sqlite3_snprintf(sizeof text, text, "%d %s %5.2f %x", number, "some text", 3.25 * number, number);
      break;
    case ALLOCATE:
      sqlite3_free(sqlite3_mprintf("%d %s %5.2f %x", number, "some text", 3.25 * number, number));
      break;
  }
}

__attribute__((noinline)) void measured(const struct operation *operation, sqlite3_stmt *statement, int first, int count) {
  for (int i = 0; i < count; i++) execute(operation, statement, first + i);
}

/* A function of another name, so that callgrind leaves it out. */
static void warm_up(const struct operation *operation, sqlite3_stmt *statement) {
  int count = operation->count < WARM_UP ? operation->count : WARM_UP;
  for (int i = 0; i < count; i++) execute(operation, statement, i);
}

static void measure(const struct operation *operation, int count) {
  sqlite3_stmt *statement = operation->kind == RUN || operation->kind == COMMIT ? prepare(operation->sql) : NULL;
  if (operation->kind == RUN) run("BEGIN");
  warm_up(operation, statement);
  measured(operation, statement, WARM_UP, count);
  sqlite3_finalize(statement);
  if (operation->kind == RUN) run("COMMIT");
}

static void fill(const char *sql) {
  sqlite3_stmt *statement = prepare(sql);
  for (int i = 0; i < ROWS; i++) {
    bind(statement, ROW, i);
    step_to_the_end(statement);
  }
  sqlite3_finalize(statement);
}

static void make_tables(int count) {
  char text[200];
  for (int i = 0; i < count; i++) {
    snprintf(text, sizeof text, "CREATE TABLE t%d(a INTEGER PRIMARY KEY, b TEXT, c); CREATE INDEX t%d_b ON t%d(b)", i, i, i);
    run(text);
  }
}

static void make_columns(int count) {
  char *text = sqlite3_mprintf("CREATE TABLE wide(c0");
  char *values = sqlite3_mprintf("INSERT INTO wide SELECT i");
  for (int i = 1; i < count; i++) {
    char *longer = sqlite3_mprintf("%s, c%d", text, i);
    sqlite3_free(text);
    text = longer;
    longer = sqlite3_mprintf("%s, i + %d", values, i);
    sqlite3_free(values);
    values = longer;
  }
  sqlite3_str *sql = sqlite3_str_new(db);
  sqlite3_str_appendf(sql, "%s); WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000) %s FROM s", text, values);
  char *all = sqlite3_str_finish(sql);
  run(all);
  sqlite3_free(all);
  sqlite3_free(text);
  sqlite3_free(values);
}

/* Prepares the file, where that takes a process of its own because it would take long under callgrind. */
static int fill_file(enum place place) {
  remove(FILENAME);
  if (place == FILE_FILLED_HERE || place == MEMORY) return 0;
  expect(sqlite3_open(FILENAME, &db) == SQLITE_OK, FILENAME);
  run("BEGIN");
  if (place == TABLES_100) make_tables(100);
  if (place == TABLES_1000) make_tables(1000);
  if (place == COLUMNS_100) make_columns(100);
  if (place == COLUMNS_1000) make_columns(1000);
  run("COMMIT");
  return sqlite3_close(db);
}

static int list(void) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    printf("%s %d\n", operations[i].name, operations[i].count);
  }
  return 0;
}

int main(int argc, char **argv) {
  const struct operation *operation = operations;
  const struct operation *end = operations + sizeof operations / sizeof *operations;
  while (argc == 3 && operation < end && strcmp(operation->name, argv[1]) != 0) operation++;
  if (argc != 3 || operation == end) return list();
  if (strcmp(argv[2], "fill") == 0) return fill_file(operation->place);
  expect(sqlite3_open(operation->place == MEMORY ? ":memory:" : FILENAME, &db) == SQLITE_OK, FILENAME);
  if (operation->place == FILE_FILLED_HERE || operation->place == MEMORY) {
    run(SCHEMA);
    run("BEGIN");
    if (operation->fill) fill(operation->fill);
    if (operation->before) run(operation->before);
    run("COMMIT");
  }
  run("PRAGMA synchronous = OFF");
  measure(operation, atoi(argv[2]));
  sqlite3_close(db);
  return 0;
}
