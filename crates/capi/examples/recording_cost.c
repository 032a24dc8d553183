/*
** What recording changes costs: 100,000 rows are inserted, updated and deleted in memory, with a session and without. The best
** of some rounds, in milliseconds of processor time.
**
**   cc -O2 -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_PREUPDATE_HOOK -Iinclude recording_cost.c -o recording_cost -lsqlite3
**   LD_LIBRARY_PATH=... ./recording_cost 7
*/
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "sqlite3.h"

enum { ROWS = 100000, KINDS = 4 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
  }
}

/* Runs the statement for each row if it has a parameter, in one transaction. */
static void run_for_rows(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  int runs = sqlite3_bind_parameter_count(statement) > 0 ? ROWS : 1;
  run(db, "BEGIN");
  for (int i = 1; i <= runs; i++) {
    if (runs > 1) sqlite3_bind_int(statement, 1, i);
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    sqlite3_reset(statement);
  }
  run(db, "COMMIT");
  sqlite3_finalize(statement);
}

int main(int argc, char **argv) {
  static const char *const kinds[KINDS][2] = {
    {"INSERT", "INSERT INTO t VALUES(?1, 'text of row ' || ?1, ?1 * 7, ?1 * 0.5)"},
    {"UPDATE", "UPDATE t SET c = c + 1, b = 'other text ' || ?1 WHERE a = ?1"},
    {"UPDATE of all", "UPDATE t SET d = d + 1"},
    {"DELETE", "DELETE FROM t WHERE a = ?1"},
  };
  double best[KINDS][2], writing = 1e9;
  for (int kind = 0; kind < KINDS; kind++) best[kind][0] = best[kind][1] = 1e9;
  int rounds = argc > 1 ? atoi(argv[1]) : 5, size = 0;
  for (int round = 0; round < 2 * rounds; round++) {
    int with = round % 2;
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c, d REAL)");
    for (int kind = 0; kind < KINDS; kind++) {
      sqlite3_session *session = NULL;
      if (with) {
        sqlite3session_create(db, "main", &session);
        sqlite3session_attach(session, NULL);
      }
      double begun = now();
      run_for_rows(db, kinds[kind][1]);
      double took = now() - begun;
      if (took < best[kind][with]) best[kind][with] = took;
      if (with) {
        void *bytes = NULL;
        begun = now();
        sqlite3session_changeset(session, &size, &bytes);
        if (kind == 1 && now() - begun < writing) writing = now() - begun;
        sqlite3_free(bytes);
        sqlite3session_delete(session);
      }
    }
    sqlite3_close(db);
  }
  printf("%s\n", sqlite3_sourceid());
  for (int kind = 0; kind < KINDS; kind++) {
    printf("%-14s without %6.1f with %6.1f recording %6.1f ms\n", kinds[kind][0], best[kind][0], best[kind][1],
           best[kind][1] - best[kind][0]);
  }
  printf("writing the changeset of the updates: %.1f ms\n", writing);
  return 0;
}
