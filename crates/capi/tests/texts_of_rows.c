/*
** Texts of all lengths, row after row, read in all ways: each pointer shows the row's own text, with a NUL behind it, until the next step,
** whatever is read or written meanwhile.
*/
#include "check.h"

/* The text of a row: its length varies from nothing to more than a page. */
static int length_of(int row) {
  static const int lengths[] = {0, 21, 22, 23, 63, 64, 65, 5, 300, 1, 1023, 1024, 40, 3000, 2, 9000, 30};
  return row % 7 == 6 ? -1 : lengths[row % (int)(sizeof lengths / sizeof *lengths)];
}

static const char *text_of(int row) {
  static char text[9001];
  int n = length_of(row);
  for (int i = 0; i < n; i++) text[i] = (char)('a' + (row + i) % 26);
  text[n < 0 ? 0 : n] = 0;
  return text;
}

static int is_text(const void *text, int row) {
  return length_of(row) < 0 ? text == NULL : text != NULL && strcmp(text, text_of(row)) == 0;
}

enum { ROWS = 120 };

static void fill(sqlite3 *db) {
  sqlite3_stmt *insert = NULL;
  CHECK(sqlite3_exec(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, n INT); BEGIN", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?1, ?2, ?1)", -1, &insert, NULL) == SQLITE_OK);
  for (int row = 0; row < ROWS; row++) {
    sqlite3_bind_int(insert, 1, row);
    if (length_of(row) < 0) sqlite3_bind_null(insert, 2); else sqlite3_bind_text(insert, 2, text_of(row), -1, SQLITE_TRANSIENT);
    CHECK(sqlite3_step(insert) == SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  CHECK(sqlite3_exec(db, "COMMIT; CREATE INDEX i ON t(n, b)", NULL, NULL, NULL) == SQLITE_OK);
}

/* Reads one row in the way of `how`. */
static void read_row(sqlite3 *db, sqlite3_stmt *select, int row, int how) {
  int n = length_of(row) < 0 ? 0 : length_of(row);
  const void *first = NULL, *second = NULL;
  switch (how) {
    case 0: first = sqlite3_column_text(select, 0); CHECK(sqlite3_column_bytes(select, 0) == n); break;
    case 1: CHECK(sqlite3_column_bytes(select, 0) == n); first = sqlite3_column_text(select, 0); break;
    case 2: first = sqlite3_value_text(sqlite3_column_value(select, 0)); second = sqlite3_column_text(select, 0); CHECK(is_text(second, row)); break;
    case 3:
      CHECK(is_text(sqlite3_column_text(select, 0), row));
      CHECK(sqlite3_column_bytes16(select, 0) == 2 * n);
      first = sqlite3_column_text(select, 0); /* The conversion may have moved the text. */
      break;
    case 4: {
      const void *blob = sqlite3_column_blob(select, 0);
      CHECK(n == 0 ? blob == NULL : memcmp(blob, text_of(row), (size_t)n) == 0);
      first = sqlite3_column_text(select, 0);
      CHECK(n == 0 || memcmp(blob, text_of(row), (size_t)n) == 0);
      break;
    }
    case 5:
      first = sqlite3_column_text(select, 0);
      CHECK(sqlite3_exec(db, "UPDATE t SET b = 'other', n = -1 WHERE a % 3 = 0; DELETE FROM t WHERE a % 3 = 1", NULL, NULL, NULL) == SQLITE_OK);
      CHECK(is_text(sqlite3_column_text(select, 0), row));
      CHECK(sqlite3_exec(db, "ROLLBACK TO s", NULL, NULL, NULL) == SQLITE_OK);
      break;
    default: first = sqlite3_column_text(select, 0); second = sqlite3_column_text(select, 1); CHECK(atoi(second) == row); break;
  }
  CHECK(is_text(first, row));
}

static void read_all(sqlite3 *db, const char *sql, int how) {
  sqlite3_stmt *select = NULL;
  int row = 0;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &select, NULL) == SQLITE_OK);
  for (int turn = 0; turn < 2; turn++) {
    for (row = 0; sqlite3_step(select) == SQLITE_ROW; row++) read_row(db, select, row, how == 7 ? row % 5 : how);
    CHECK(row == ROWS);
    sqlite3_reset(select);
  }
  sqlite3_finalize(select);
}

int main(void) {
  const char *files[] = {":memory:", "texts.db"};
  for (int i = 0; i < 2; i++) {
    sqlite3 *db = NULL;
    CHECK(sqlite3_open(files[i], &db) == SQLITE_OK);
    fill(db);
    for (int how = 0; how < 8; how++) {
      if (how == 5) CHECK(sqlite3_exec(db, "SAVEPOINT s", NULL, NULL, NULL) == SQLITE_OK);
      if (how != 5) read_all(db, "SELECT b, a FROM t", how);
      if (how != 5) read_all(db, "SELECT b, n FROM t INDEXED BY i ORDER BY n", how);
      read_all(db, "SELECT b, a FROM (SELECT b, a, random() FROM t ORDER BY a % 1000)", how);
      if (how == 5) CHECK(sqlite3_exec(db, "RELEASE s", NULL, NULL, NULL) == SQLITE_OK);
    }
    CHECK(sqlite3_close(db) == SQLITE_OK);
  }
  remove("texts.db");
  return failures != 0;
}
