/* What SQLite documents about fork(): a connection that is open when a process forks is not for the child. The child may open
 * the database anew, it may simply end, and whatever it does, the parent's locks and its transaction stay what they are.
 *
 * The program is run in an empty folder. It says nothing and answers 0 if all is as it should be. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite3.h"

static const char *mode;

static void check(int good, int line, const char *what) {
  if (good) return;
  fprintf(stderr, "forks.c:%d, %s: %s\n", line, mode, what);
  _exit(1);
}
#define CHECK(x) check((x), __LINE__, #x)

static sqlite3 *open_anew(void) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open("forks.db", &db) == SQLITE_OK);
  return db;
}

/* The integer that a query gives, or minus the result code. */
static int ask(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  int answer, rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (rc != SQLITE_OK) return -rc;
  rc = sqlite3_step(statement);
  answer = rc == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -rc;
  sqlite3_finalize(statement);
  return answer;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

/* Runs `body` in a child, and waits for its end. */
static void in_child(void (*body)(void)) {
  int status = 0;
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    body();
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A child's own connection sees what is committed, and is turned away like that of any other process. */
static void reads_and_is_turned_away(void) {
  sqlite3 *db = open_anew();
  CHECK(ask(db, "SELECT count(*) FROM t") == 2);
  CHECK(run(db, "INSERT INTO t VALUES (50)") == SQLITE_BUSY);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A child that ends without a word. */
static void ends(void) {}

/* A child that ends in the middle of a transaction of its own. */
static void ends_while_reading(void) {
  sqlite3 *db = open_anew();
  CHECK(run(db, "BEGIN") == SQLITE_OK);
  CHECK(ask(db, "SELECT count(*) FROM t") == 2);
}

/* Nobody holds a lock any more. */
static void writes(void) {
  sqlite3 *db = open_anew();
  CHECK(ask(db, "SELECT count(*) FROM t") == 3);
  CHECK(run(db, "INSERT INTO t VALUES (60)") == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A child that ends in the middle of a change: what it did is undone by whoever comes next. */
static void ends_while_writing(void) {
  sqlite3 *db = open_anew();
  CHECK(run(db, "PRAGMA cache_size = 5") == SQLITE_OK);
  CHECK(run(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES (70)") == SQLITE_OK);
  /* More than fits into the cache: it is in the file, or in the log. */
  CHECK(run(db, "CREATE TABLE u(b); INSERT INTO u VALUES (zeroblob(300000))") == SQLITE_OK);
}

/* A child of a child. */
static void forks_on(void) {
  sqlite3 *db = open_anew();
  CHECK(run(db, "BEGIN IMMEDIATE") == SQLITE_OK);
  pid_t child = fork();
  if (child == 0) {
    sqlite3 *own = open_anew();
    CHECK(run(own, "INSERT INTO t VALUES (80)") == SQLITE_BUSY);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(run(db, "INSERT INTO t VALUES (81); COMMIT") == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void in_mode(const char *journal_mode) {
  char sql[100];
  mode = journal_mode;
  unlink("forks.db"), unlink("forks.db-wal"), unlink("forks.db-shm"), unlink("forks.db-journal");
  sqlite3 *db = open_anew();
  sqlite3_stmt *reader = NULL;
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s; CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)", mode);
  CHECK(run(db, sql) == SQLITE_OK);

  /* A transaction that writes outlives whatever children do. */
  CHECK(run(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES (3)") == SQLITE_OK);
  in_child(reads_and_is_turned_away);
  in_child(ends);
  in_child(reads_and_is_turned_away);
  in_child(ends_while_reading);
  in_child(reads_and_is_turned_away);
  CHECK(run(db, "COMMIT") == SQLITE_OK);
  CHECK(ask(db, "SELECT count(*) FROM t") == 3);

  /* One that reads keeps its snapshot while a child writes (in WAL mode), or keeps the child from committing. */
  CHECK(sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &reader, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(reader) == SQLITE_ROW);
  if (strcmp(mode, "WAL") == 0) {
    in_child(writes);
    CHECK(ask(db, "SELECT count(*) FROM t") == 3);
    sqlite3_finalize(reader);
  } else {
    sqlite3_finalize(reader);
    in_child(writes);
  }
  CHECK(ask(db, "SELECT count(*) FROM t") == 4);

  in_child(ends_while_writing);
  CHECK(ask(db, "SELECT count(*) FROM t") == 4);
  CHECK(run(db, "INSERT INTO t VALUES (71)") == SQLITE_OK);
  in_child(forks_on);
  CHECK(ask(db, "SELECT count(*) FROM t") == 6);
  CHECK(ask(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(void) {
  in_mode("DELETE");
  in_mode("TRUNCATE");
  in_mode("PERSIST");
  in_mode("WAL");
  return 0;
}
