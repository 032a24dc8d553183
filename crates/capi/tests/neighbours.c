/*
** One of several processes that change one database at the same time, in all journal modes, with all kinds of changes, until it is killed.
** Arguments: the database, a seed, the process that started this one, and a second database, if transactions change two; or the database to
** be made and its auto_vacuum. What must hold at every moment: table `s` counts the rows and the bytes of table `t`, and never goes back; each
** row has the hash of its blob; both databases have the same version.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PICK(array) ((array)[below(COUNT(array))])
enum { BLOB_MAX = 5000 };

static unsigned long long state;
static sqlite3 *db;
/* The second database. Commits of two databases are one only with rollback journals. */
static const char *second;

static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}

static void wrong(const char *what, const char *detail) {
  printf("%s: %s\n", what, detail);
  fflush(stdout);
  _exit(9);
}

/* Errors that a process meets because others are at work; any other is wrong. */
static int expect(int code, const char *sql) {
  int primary = code & 0xff;
  if (primary == SQLITE_OK || primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_SCHEMA) return code;
  /* Changes of the journal mode and VACUUM within what another part of the program has open. */
  if (primary == SQLITE_ERROR && strstr(sqlite3_errmsg(db), "into wal mode")) return code;
  char detail[500];
  snprintf(detail, sizeof detail, "%s: %d %s", sql, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  wrong("error", detail);
  return code;
}

static int run(const char *sql) { return expect(sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

static int runf(const char *format, int number) {
  char sql[200];
  snprintf(sql, sizeof sql, format, number);
  return run(sql);
}

static int run_with(const char *format, const char *word) {
  char sql[200];
  snprintf(sql, sizeof sql, format, word);
  return run(sql);
}

/* The columns of a query's only row as numbers; the code of the failure, or SQLITE_OK. */
static int numbers(const char *sql, sqlite3_int64 *out, int count) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < count; i++) out[i] = sqlite3_column_int64(statement, i);
  }
  int end = sqlite3_finalize(statement);
  return expect(code ? code : end, sql);
}

static void open_anew(void) {
  const char *path = sqlite3_db_filename(db, "main");
  char kept[500];
  snprintf(kept, sizeof kept, "%s", path);
  if (sqlite3_close(db) != SQLITE_OK || sqlite3_open(kept, &db) != SQLITE_OK) wrong("open", sqlite3_errmsg(db));
}

static void configure(void) {
  while (second && run_with("ATTACH '%s' AS second", second) != SQLITE_OK) usleep(1000);
  sqlite3_busy_timeout(db, PICK(((const int[]){0, 200, 3000})));
  runf("PRAGMA cache_size = %d", PICK(((const int[]){5, 20, -2000, 1000})));
  /* With OFF, commits of two databases are two. */
  const char *const levels[] = {second ? "EXTRA" : "OFF", "NORMAL", "FULL"};
  run_with("PRAGMA synchronous = %s", PICK(levels));
  if (below(3) == 0) runf("PRAGMA mmap_size = %d", PICK(((const int[]){0, 1 << 20, 1 << 28})));
  if (below(10) == 0) run("PRAGMA locking_mode = EXCLUSIVE");
}

static sqlite3_int64 hash_of(const unsigned char *bytes, int n) {
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < n; i++) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return (sqlite3_int64)hash;
}

/* Binds a random blob and its hash. */
static void bind_blob(sqlite3_stmt *statement, int max) {
  static unsigned char bytes[BLOB_MAX];
  int n = below(max);
  for (int i = 0; i < n; i++) bytes[i] = (unsigned char)below(256);
  sqlite3_bind_blob(statement, 1, bytes, n, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, hash_of(bytes, n));
}

static int insert(int rows, int max) {
  const char *sql = "INSERT INTO t(b, h) VALUES (?1, ?2)";
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  while (code == SQLITE_OK && rows-- > 0) {
    bind_blob(statement, max);
    sqlite3_step(statement);
    code = sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return expect(code, sql);
}

/* Gives rows other blobs, while their own table is read. */
static int update(int every) {
  sqlite3_stmt *rows = NULL, *change = NULL;
  int code = sqlite3_prepare_v2(db, "SELECT a FROM t WHERE a % ?1 = 0", -1, &rows, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(db, "UPDATE t SET b = ?1, h = ?2 WHERE a = ?3", -1, &change, NULL);
  if (code == SQLITE_OK) sqlite3_bind_int(rows, 1, every);
  while (code == SQLITE_OK && sqlite3_step(rows) == SQLITE_ROW) {
    bind_blob(change, 2000);
    sqlite3_bind_int64(change, 3, sqlite3_column_int64(rows, 0));
    sqlite3_step(change);
    code = sqlite3_reset(change);
  }
  int end = sqlite3_finalize(rows);
  sqlite3_finalize(change);
  return expect(code ? code : end, "update of every nth row");
}

static int change(void) {
  switch (below(6)) {
    case 0: case 1: return insert(1 + below(3), 3000);
    case 2: return insert(100 + below(1400), 600);
    case 3: return runf("DELETE FROM t WHERE a %% %d = 0", PICK(((const int[]){2, 3, 7, 50})));
    case 4: return insert(2, BLOB_MAX);
    default: return update(PICK(((const int[]){3, 11})));
  }
}

static void transaction(void) {
  if (run_with("BEGIN %s", PICK(((const char *const[]){"IMMEDIATE", "EXCLUSIVE"}))) != SQLITE_OK) return;
  int code = change();
  if (code == SQLITE_OK) code = run("UPDATE s SET n = (SELECT count(*) FROM t), l = (SELECT total(length(b)) FROM t), v = v + 1");
  if (code == SQLITE_OK && second) code = run("UPDATE second.s SET v = v + 1");
  if (code == SQLITE_OK && second && below(3)) code = run("INSERT INTO second.t(b) VALUES (randomblob(900)); DELETE FROM second.t WHERE a % 40 = 3");
  if (code == SQLITE_OK && below(8)) code = run("COMMIT");
  if (!sqlite3_get_autocommit(db)) run("ROLLBACK");
}

static void check_hashes(void) {
  const char *sql = "SELECT b, h FROM t ORDER BY random() LIMIT 20";
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    const void *bytes = sqlite3_column_blob(statement, 0);
    if (hash_of(bytes, sqlite3_column_bytes(statement, 0)) != sqlite3_column_int64(statement, 1)) wrong("hash", "of a row");
  }
  int end = sqlite3_finalize(statement);
  expect(code ? code : end, sql);
}

static void check_integrity(void) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    const char *answer = (const char *)sqlite3_column_text(statement, 0);
    if (strcmp(answer, "ok") != 0) wrong("integrity", answer);
  }
  expect(sqlite3_finalize(statement), "integrity_check");
}

/* One moment of the database. */
static void check(void) {
  static sqlite3_int64 last;
  sqlite3_int64 counted[2] = {0, 0}, told[3] = {0, 0, 0};
  if (run("BEGIN") != SQLITE_OK) return;
  int code = numbers("SELECT count(*), total(length(b)) FROM t", counted, 2);
  if (code == SQLITE_OK) code = numbers("SELECT n, l, v FROM s", told, 3);
  if (code == SQLITE_OK) {
    char detail[200];
    snprintf(detail, sizeof detail, "%lld rows, %lld bytes; told %lld, %lld, version %lld after %lld", (long long)counted[0], (long long)counted[1],
             (long long)told[0], (long long)told[1], (long long)told[2], (long long)last);
    if (counted[0] != told[0] || counted[1] != told[1]) wrong("counts", detail);
    if (told[2] < last) wrong("back", detail);
    sqlite3_int64 version = told[2];
    if (second) code = numbers("SELECT v FROM second.s", &version, 1);
    if (code == SQLITE_OK && version != told[2]) wrong("two versions", detail);
    last = told[2];
    if (below(3) == 0) check_hashes();
    if (below(10) == 0) check_integrity();
  }
  run(sqlite3_get_autocommit(db) ? "SELECT 1" : "COMMIT");
  if (!sqlite3_get_autocommit(db)) run("ROLLBACK");
}

static void change_page_size(void) {
  runf("PRAGMA page_size = %d", PICK(((const int[]){512, 1024, 4096})));
  run("PRAGMA journal_mode = DELETE");
  run("VACUUM");
}

static void act(void) {
  const char *logged = second ? "DELETE" : "WAL";
  const char *const modes[] = {logged, logged, "DELETE", "TRUNCATE", "PERSIST"};
  int what = below(100);
  if (what < 5) { open_anew(); configure(); }
  else if (what < 60) transaction();
  else if (what < 63) run("VACUUM");
  else if (what < 66) runf("PRAGMA incremental_vacuum(%d)", below(300));
  else if (what < 68) { run_with("PRAGMA auto_vacuum = %s", PICK(((const char *const[]){"NONE", "FULL", "INCREMENTAL"}))); run("VACUUM"); }
  else if (what < 74) run_with("PRAGMA wal_checkpoint(%s)", PICK(((const char *const[]){"PASSIVE", "FULL", "RESTART", "TRUNCATE"})));
  else if (what < 77) run_with("PRAGMA journal_mode = %s", PICK(modes));
  else if (what < 78) change_page_size();
  else if (what < 80) runf("PRAGMA wal_autocheckpoint = %d", PICK(((const int[]){0, 10, 1000})));
  else if (what < 82) run(below(2) ? "CREATE INDEX IF NOT EXISTS i ON t(h)" : "DROP INDEX IF EXISTS i");
  else check();
  if (below(3) == 0) usleep((useconds_t)below(10000));
}

static int make(const char *path, const char *auto_vacuum) {
  if (sqlite3_open(path, &db) != SQLITE_OK) wrong("open", sqlite3_errmsg(db));
  run_with("PRAGMA auto_vacuum = %s", auto_vacuum);
  run("PRAGMA page_size = 1024");
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b, h); CREATE TABLE s(n, l, v); INSERT INTO s VALUES (0, 0.0, 0)");
  return sqlite3_close(db);
}

int main(int count, char **arguments) {
  if (count == 3) return make(arguments[1], arguments[2]);
  if (count != 4 && count != 5) return 2;
  second = arguments[4]; /* or NULL */
  pid_t parent = (pid_t)atoi(arguments[3]);
  state = strtoull(arguments[2], NULL, 10) * 2654435761u + 88172645463325252ull;
  if (sqlite3_open(arguments[1], &db) != SQLITE_OK) wrong("open", sqlite3_errmsg(db));
  configure();
  while (getppid() == parent) act();
  return 0;
}
