/*
** What the test programs have in common: checks that count what is wrong, and SQL with the answer that is expected.
*/
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static int failures;

#define CHECK(condition) do { if (!(condition)) { failures++; \
  fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); } } while (0)

/* All rows of all statements: columns separated by '|', rows by ' '; or the error. */
static char *answer_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  sqlite3_str *out = sqlite3_str_new(db);
  const char *rest = sql;
  int code = SQLITE_OK;
  while (code == SQLITE_OK && *rest) {
    code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
    while (code == SQLITE_OK && statement && (code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (sqlite3_str_length(out)) sqlite3_str_appendchar(out, 1, ' ');
      for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *text = (const char*)sqlite3_column_text(statement, i);
        sqlite3_str_appendf(out, "%s%s", i ? "|" : "", text ? text : "NULL");
      }
      code = SQLITE_OK;
    }
    if (code == SQLITE_DONE) code = SQLITE_OK;
    if (code != SQLITE_OK) {
      sqlite3_str_reset(out);
      sqlite3_str_appendf(out, "error %d: %s", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    statement = NULL;
  }
  return sqlite3_str_finish(out);
}

static void answers(int line, const char *file, sqlite3 *db, const char *sql, const char *expected) {
  char *got = answer_of(db, sql);
  if (strcmp(got ? got : "", expected) != 0) {
    failures++;
    fprintf(stderr, "%s:%d: %s\n  got      %s\n  expected %s\n", file, line, sql, got ? got : "", expected);
  }
  sqlite3_free(got);
}
#define ANSWERS(db, sql, expected) answers(__LINE__, __FILE__, db, sql, expected)

#endif
