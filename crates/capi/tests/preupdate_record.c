/*
** Runs the statements of standard input, one a line, and prints what they answer and what the pre-update hook and the update
** hook are told. `.hook` and `.unhook` set and remove the hook; `.outside` asks where there is no change;
** `.blob TABLE COLUMN ROWID OFFSET TEXT` writes in place.
*/
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static void print_value(sqlite3_value *value) {
  int n = sqlite3_value_bytes(value);
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: printf(" i%lld", sqlite3_value_int64(value)); break;
    case SQLITE_FLOAT: printf(" r%.17g", sqlite3_value_double(value)); break;
    case SQLITE_TEXT: printf(" '%s'%d", (const char *)sqlite3_value_text(value), n); break;
    case SQLITE_BLOB: {
      const unsigned char *bytes = sqlite3_value_blob(value);
      printf(" x");
      for (int i = 0; i < n && i < 20; i++) printf("%02x", bytes[i]);
      printf("#%d", n);
      break;
    }
    default: printf(" NULL");
  }
}

static void print_row(sqlite3 *db, const char *name, int (*get)(sqlite3 *, int, sqlite3_value **)) {
  printf("    %s", name);
  for (int i = -1; i <= sqlite3_preupdate_count(db) + 1; i++) {
    sqlite3_value *value = NULL;
    int code = get(db, i, &value);
    if (code == SQLITE_OK) print_value(value); else printf(" error%d", code);
  }
  printf("\n");
}

static void on_preupdate(void *arg, sqlite3 *db, int op, const char *database, const char *table,
                         sqlite3_int64 old_rowid, sqlite3_int64 new_rowid) {
  printf("  %d %s.%s %lld %lld count %d depth %d blob %d\n", op, database, table, (long long)old_rowid,
         (long long)new_rowid, sqlite3_preupdate_count(db), sqlite3_preupdate_depth(db), sqlite3_preupdate_blobwrite(db));
  print_row(db, "old", sqlite3_preupdate_old);
  print_row(db, "new", sqlite3_preupdate_new);
}

static void on_update(void *arg, int op, const char *database, const char *table, sqlite3_int64 rowid) {
  printf("  updated %d %s.%s %lld\n", op, database, table, (long long)rowid);
}

static int on_row(void *arg, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "  row ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void write_blob(sqlite3 *db, const char *line) {
  char table[100], column[100], text[100];
  long long rowid;
  int offset;
  sqlite3_blob *blob = NULL;
  if (sscanf(line, "%99s %99s %lld %d %99s", table, column, &rowid, &offset, text) != 5) return;
  printf("  open %d\n", sqlite3_blob_open(db, "main", table, column, rowid, 1, &blob));
  printf("  write %d\n", sqlite3_blob_write(blob, text, (int)strlen(text), offset));
  printf("  close %d\n", sqlite3_blob_close(blob));
}

static void run(sqlite3 *db, const char *line) {
  if (strcmp(line, ".hook") == 0) {
    printf("  before %d\n", sqlite3_preupdate_hook(db, on_preupdate, db) != NULL);
  } else if (strcmp(line, ".unhook") == 0) {
    printf("  before %d\n", sqlite3_preupdate_hook(db, NULL, NULL) != NULL);
  } else if (strcmp(line, ".outside") == 0) {
    sqlite3_value *value;
    printf("  %d %d %d %d\n", sqlite3_preupdate_count(db), sqlite3_preupdate_depth(db),
           sqlite3_preupdate_blobwrite(db), sqlite3_preupdate_old(db, 0, &value));
  } else if (strncmp(line, ".blob ", 6) == 0) {
    write_blob(db, line + 6);
  } else {
    char *message = NULL;
    int code = sqlite3_exec(db, line, on_row, NULL, &message);
    if (code != SQLITE_OK) printf("  error %d %s\n", code, message);
    sqlite3_free(message);
  }
}

int main(void) {
  static char line[65536];
  sqlite3 *db = NULL;
  sqlite3_open(":memory:", &db);
  sqlite3_update_hook(db, on_update, NULL);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!line[0]) continue;
    printf("> %s\n", line);
    run(db, line);
  }
  return sqlite3_close(db);
}
