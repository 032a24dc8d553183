/*
** Threads that use one database at once, for ThreadSanitizer: each with a connection of its own (modes `delete` and `wal`), with
** connections of a shared cache (`shared`), or all with one connection (`one`).
*/
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

enum { THREADS = 4, ROUNDS = 60 };

static const char *mode;
static const char *path;
static sqlite3 *shared;

static void check(sqlite3 *db, int code, const char *what) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "%s: %d %s\n", what, code, sqlite3_errmsg(db));
  exit(1);
}

static sqlite3 *open_database(void) {
  sqlite3 *db;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
  if (strcmp(mode, "shared") == 0) flags |= SQLITE_OPEN_SHAREDCACHE;
  check(NULL, sqlite3_open_v2(path, &db, flags, NULL), "open");
  sqlite3_busy_timeout(db, 60000);
  return db;
}

/* Waiting for a table of a shared cache is the application's affair. */
static int run(sqlite3 *db, const char *sql) {
  int code;
  do code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  while ((code & 0xff) == SQLITE_LOCKED || (code & 0xff) == SQLITE_BUSY);
  return code;
}

static void read_rows(sqlite3 *db) {
  sqlite3_stmt *statement;
  long length = 0;
  int code = sqlite3_prepare_v2(db, "SELECT a, b FROM t ORDER BY a DESC LIMIT 20", -1, &statement, NULL);
  if ((code & 0xff) == SQLITE_LOCKED) return;
  check(db, code, "prepare");
  while (sqlite3_step(statement) == SQLITE_ROW) length += sqlite3_column_bytes(statement, 1);
  sqlite3_finalize(statement);
  if (length < 0) exit(1);
}

static void *work(void *number) {
  sqlite3 *db = shared ? shared : open_database();
  for (int round = 0; round < ROUNDS; round++) {
    char sql[128];
    snprintf(sql, sizeof sql, "INSERT INTO t(b) VALUES (printf('%%.*c', %d, 'x'))", 10 + 37 * round + *(int *)number);
    check(db, run(db, sql), sql);
    read_rows(db);
    if (round % 16 == 7 && !shared) check(db, run(db, "UPDATE t SET b = b || 'y' WHERE a % 7 = 0"), "update");
    if (round % 20 == 3) sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
  }
  if (!shared) check(db, sqlite3_close(db), "close");
  return NULL;
}

int main(int count, char **arguments) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  if (count != 3) return 2;
  mode = arguments[1];
  path = arguments[2];
  sqlite3 *db = open_database();
  check(db, run(db, strcmp(mode, "wal") == 0 ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE"), "mode");
  check(db, run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE INDEX i ON t(b)"), "schema");
  if (strcmp(mode, "one") == 0) shared = db;
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, work, &numbers[i])) return 1;
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  sqlite3_stmt *statement;
  check(db, sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &statement, NULL), "count");
  check(db, sqlite3_step(statement), "count");
  int rows = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  check(db, sqlite3_close(db), "close");
  if (rows != THREADS * ROUNDS) {
    fprintf(stderr, "%d rows\n", rows);
    return 1;
  }
  printf("%s: ok\n", mode);
  return 0;
}
