/*
** Prepares the statements of standard input and prints the answers: the code, the message, sqlite3_error_offset, and where the
** tail begins. A line is a statement, in which `\n` stands for a new line; a line that begins with `!` is run, and one that begins
** with `#` opens a new database.
*/
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

int main(void) {
  static char line[4096], text[4096];
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '#') {
      sqlite3_close(db);
      sqlite3_open(":memory:", &db);
      continue;
    }
    if (line[0] == '!') {
      printf("%s: %d\n", line, sqlite3_exec(db, line + 1, NULL, NULL, NULL));
      continue;
    }
    char *end = text;
    for (const char *at = line; *at; at++) {
      int is_new_line = at[0] == '\\' && at[1] == 'n';
      *end++ = is_new_line ? '\n' : *at;
      at += is_new_line;
    }
    *end = 0;
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    int code = sqlite3_prepare_v2(db, text, -1, &statement, &tail);
    printf("%s\n  %d %s, at %d, tail %d\n", line, code, sqlite3_errmsg(db), sqlite3_error_offset(db), (int)(tail - text));
    sqlite3_finalize(statement);
  }
  return sqlite3_close(db);
}
