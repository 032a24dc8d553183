/*
** An extension that is loaded at run time: it reaches the library only through the table it is given. It brings a function,
** a collation, and a virtual table of the words of a text: SELECT word FROM words('some text').
*/
#include <string.h>
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

static void twice(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  sqlite3_result_int64(context, 2 * sqlite3_value_int64(values[0]));
}

static int by_length(void *data, int n, const void *left, int m, const void *right) {
  (void)data, (void)left, (void)right;
  return n - m;
}

typedef struct { sqlite3_vtab_cursor base; char *text; int start, end, number; } words_cursor;

static int words_connect(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  (void)data, (void)n, (void)arguments, (void)message;
  *vtab = sqlite3_malloc(sizeof **vtab);
  if (*vtab == NULL) return SQLITE_NOMEM;
  memset(*vtab, 0, sizeof **vtab);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(word TEXT, text HIDDEN)");
}
static int words_disconnect(sqlite3_vtab *vtab) { sqlite3_free(vtab); return SQLITE_OK; }
static int words_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  (void)vtab;
  for (int i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn == 1 && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ && info->aConstraint[i].usable) {
      info->aConstraintUsage[i].argvIndex = 1;
      info->aConstraintUsage[i].omit = 1;
      return SQLITE_OK;
    }
  }
  return SQLITE_CONSTRAINT;
}
static int words_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab;
  *cursor = sqlite3_malloc(sizeof(words_cursor));
  if (*cursor == NULL) return SQLITE_NOMEM;
  memset(*cursor, 0, sizeof(words_cursor));
  return SQLITE_OK;
}
static int words_close(sqlite3_vtab_cursor *base) {
  sqlite3_free(((words_cursor*)base)->text);
  sqlite3_free(base);
  return SQLITE_OK;
}
static int words_next(sqlite3_vtab_cursor *base) {
  words_cursor *cursor = (words_cursor*)base;
  cursor->start = cursor->end;
  while (cursor->text[cursor->start] == ' ') cursor->start++;
  cursor->end = cursor->start;
  while (cursor->text[cursor->end] && cursor->text[cursor->end] != ' ') cursor->end++;
  cursor->number++;
  return SQLITE_OK;
}
static int words_filter(sqlite3_vtab_cursor *base, int number, const char *text, int n, sqlite3_value **values) {
  (void)number, (void)text, (void)n;
  words_cursor *cursor = (words_cursor*)base;
  sqlite3_free(cursor->text);
  const char *given = (const char*)sqlite3_value_text(values[0]);
  cursor->text = sqlite3_mprintf("%s", given ? given : "");
  cursor->end = cursor->number = 0;
  return words_next(base);
}
static int words_eof(sqlite3_vtab_cursor *base) { return ((words_cursor*)base)->start == ((words_cursor*)base)->end; }
static int words_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  words_cursor *cursor = (words_cursor*)base;
  if (column == 0) sqlite3_result_text(context, cursor->text + cursor->start, cursor->end - cursor->start, SQLITE_TRANSIENT);
  else sqlite3_result_text(context, cursor->text, -1, SQLITE_TRANSIENT);
  return SQLITE_OK;
}
static int words_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((words_cursor*)base)->number;
  return SQLITE_OK;
}

static sqlite3_module words = {
  .xConnect = words_connect, .xBestIndex = words_best_index, .xDisconnect = words_disconnect, .xOpen = words_open,
  .xClose = words_close, .xFilter = words_filter, .xNext = words_next, .xEof = words_eof, .xColumn = words_column,
  .xRowid = words_rowid
};

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *routines) {
  SQLITE_EXTENSION_INIT2(routines);
  if (sqlite3_libversion_number() < 3054000) {
    *message = sqlite3_mprintf("an older library: %s", sqlite3_libversion());
    return SQLITE_ERROR;
  }
  int code = sqlite3_create_function(db, "twice", 1, SQLITE_UTF8, 0, twice, 0, 0);
  if (code == SQLITE_OK) code = sqlite3_create_collation(db, "by_length", SQLITE_UTF8, 0, by_length);
  if (code == SQLITE_OK) code = sqlite3_create_module(db, "words", &words, 0);
  return code;
}
