/*
** Virtual tables in C: a series of numbers, and a table of rows in memory that can be written, with transactions, savepoints,
** functions of its own and everything that xBestIndex can ask.
**
** Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well.
*/
#include "check.h"

/* ---- what was asked ---- */

static char heard[4000];

static void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = sqlite3_vmprintf(format, arguments);
  va_end(arguments);
  if (strlen(heard) + strlen(text) + 2 < sizeof heard) {
    if (heard[0]) strcat(heard, "; ");
    strcat(heard, text);
  }
  sqlite3_free(text);
}

static void hears(int line, const char *expected) {
  if (strcmp(heard, expected) != 0) {
    failures++;
    fprintf(stderr, "%s:%d: heard \"%s\", expected \"%s\"\n", __FILE__, line, heard, expected);
  }
  heard[0] = 0;
}
#define HEARS(expected) hears(__LINE__, expected)

/* What EXPLAIN QUERY PLAN says about the only loop of a statement. */
static void plans(int line, sqlite3 *db, const char *sql, const char *expected) {
  sqlite3_stmt *statement = NULL;
  const char *got = "nothing";
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
    got = (const char*)sqlite3_column_text(statement, 3);
  if (strcmp(got, expected) != 0) {
    failures++;
    fprintf(stderr, "%s:%d: got %s, expected %s\n", __FILE__, line, got, expected);
  }
  sqlite3_finalize(statement);
}
#define PLANS(db, sql, expected) plans(__LINE__, db, "EXPLAIN QUERY PLAN " sql, expected)

/* ---- numbers: value, start HIDDEN, stop HIDDEN ---- */

typedef struct { sqlite3_vtab_cursor base; sqlite3_int64 at, start, stop; int down; } series_cursor;

static int series_connect(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  CHECK(strcmp((char*)data, "data") == 0 && n >= 3 && strcmp(arguments[0], "series") == 0);
  (void)message;
  CHECK(sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS) == SQLITE_OK);
  *vtab = sqlite3_malloc(sizeof **vtab);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(value, start HIDDEN, stop hidden INT)");
}
static int series_disconnect(sqlite3_vtab *vtab) { sqlite3_free(vtab); return SQLITE_OK; }
static int series_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab;
  *cursor = sqlite3_malloc(sizeof(series_cursor));
  memset(*cursor, 0, sizeof(series_cursor));
  return SQLITE_OK;
}
static int series_close(sqlite3_vtab_cursor *cursor) { sqlite3_free(cursor); return SQLITE_OK; }
static int series_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  int wanted[2] = {-1, -1}, unusable = 0;
  for (int i = 0; i < info->nConstraint; i++) {
    int column = info->aConstraint[i].iColumn;
    if (column < 1 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (info->aConstraint[i].usable) wanted[column - 1] = i; else unusable = 1;
  }
  if (unusable && wanted[0] < 0) return SQLITE_CONSTRAINT;
  if (wanted[0] < 0) {
    vtab->zErrMsg = sqlite3_mprintf("first argument to \"%s()\" missing", "series");
    return SQLITE_ERROR;
  }
  int n = 0;
  for (int k = 0; k < 2; k++) if (wanted[k] >= 0) {
    info->aConstraintUsage[wanted[k]].argvIndex = ++n;
    info->aConstraintUsage[wanted[k]].omit = 1;
    info->idxNum |= 1 << k;
  }
  info->estimatedCost = 10;
  info->estimatedRows = 10;
  if (info->nOrderBy == 1 && info->aOrderBy[0].iColumn == 0) {
    info->orderByConsumed = 1;
    if (info->aOrderBy[0].desc) info->idxNum |= 4;
  }
  info->idxStr = sqlite3_mprintf("plan %d", info->idxNum);
  info->needToFreeIdxStr = 1;
  return SQLITE_OK;
}
static int series_filter(sqlite3_vtab_cursor *base, int number, const char *text, int n, sqlite3_value **values) {
  series_cursor *cursor = (series_cursor*)base;
  char expected[20];
  snprintf(expected, sizeof expected, "plan %d", number);
  CHECK(strcmp(text, expected) == 0 && n == (number & 1) + ((number >> 1) & 1));
  cursor->start = sqlite3_value_int64(values[0]);
  cursor->stop = n > 1 ? sqlite3_value_int64(values[1]) : 3;
  cursor->down = (number & 4) != 0;
  cursor->at = cursor->down ? cursor->stop : cursor->start;
  return SQLITE_OK;
}
static int series_next(sqlite3_vtab_cursor *base) {
  series_cursor *cursor = (series_cursor*)base;
  cursor->at += cursor->down ? -1 : 1;
  return SQLITE_OK;
}
static int series_eof(sqlite3_vtab_cursor *base) {
  series_cursor *cursor = (series_cursor*)base;
  return cursor->at > cursor->stop || cursor->at < cursor->start;
}
static int series_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  series_cursor *cursor = (series_cursor*)base;
  CHECK(!sqlite3_vtab_nochange(context));
  sqlite3_result_int64(context, column == 0 ? cursor->at : column == 1 ? cursor->start : cursor->stop);
  return SQLITE_OK;
}
static int series_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((series_cursor*)base)->at;
  return SQLITE_OK;
}

static sqlite3_module series = {
  0, NULL, series_connect, series_best_index, series_disconnect, NULL, series_open, series_close, series_filter,
  series_next, series_eof, series_column, series_rowid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
};

static int destroyed;
static void destroy(void *data) { destroyed++; CHECK(strcmp((char*)data, "data") == 0); }

static void numbers(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM series(1)", "error 1: no such table: series");
  CHECK(sqlite3_create_module_v2(db, "series", &series, "data", destroy) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM series(2)", "2 3");
  ANSWERS(db, "SELECT value, start, stop, rowid FROM series(1, 2)", "1|1|2|1 2|1|2|2");
  ANSWERS(db, "SELECT value FROM series WHERE start = 2 AND stop = 4 ORDER BY value DESC", "4 3 2");
  ANSWERS(db, "SELECT value FROM series(1, 4) ORDER BY value", "1 2 3 4");
  ANSWERS(db, "SELECT * FROM series", "error 1: first argument to \"series()\" missing");
  ANSWERS(db, "SELECT * FROM series(1, 2, 3)", "error 1: too many arguments on series() - max 2");
  ANSWERS(db, "SELECT a.value, b.value FROM series(1, 3) a JOIN series(a.value, 3) b ON b.value > 2", "1|3 2|3 3|3");
  ANSWERS(db, "SELECT a.value, b.value FROM series(b.value, 2) a JOIN series(1, 2) b ORDER BY 1, 2", "1|1 2|1 2|2");
  ANSWERS(db, "SELECT value FROM series WHERE start IN (1, 2) AND stop = 2 ORDER BY value", "1 2 2");
  ANSWERS(db, "SELECT count(*), sum(value) FROM series(1, 100)", "100|5050");
  ANSWERS(db, "CREATE TABLE t(x); INSERT INTO t SELECT value FROM series(1, 3); SELECT x, value FROM t LEFT JOIN series(x + 1, 2)",
          "1|2 2|NULL 3|NULL");
  PLANS(db, "SELECT * FROM series(1, 2)", "SCAN series VIRTUAL TABLE INDEX 3:plan 3");
  ANSWERS(db, "SELECT x, value FROM t RIGHT JOIN series(2, 4) ON x = value", "2|2 3|3 NULL|4");
  ANSWERS(db, "SELECT x, value FROM t FULL JOIN series(2, 4) ON x = value + 1", "1|NULL 2|NULL 3|2 NULL|3 NULL|4");
  ANSWERS(db, "SELECT x, value FROM t FULL JOIN series(2, 4) ON x = value + 1 WHERE value > 2 OR x = 1", "1|NULL NULL|3 NULL|4");
  ANSWERS(db, "SELECT x, value FROM t RIGHT JOIN json_each('[2, 9]') ON x = value", "2|2 NULL|9");
  ANSWERS(db, "SELECT name, type, hidden FROM pragma_table_xinfo('series')", "value||0 start||1 stop|INT|1");
  ANSWERS(db, "INSERT INTO series VALUES(1)", "error 1: table series may not be modified");
  ANSWERS(db, "CREATE VIRTUAL TABLE v USING series", "error 1: no such module: series");
  CHECK(sqlite3_declare_vtab(db, "CREATE TABLE x(a)") == SQLITE_MISUSE);
  CHECK(sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS) == SQLITE_MISUSE);
  const char *keep[] = {"other", NULL};
  CHECK(destroyed == 0 && sqlite3_drop_modules(db, keep) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM series(1)", "error 1: no such table: series");
  CHECK(destroyed == 1);
  CHECK(sqlite3_create_module(db, "series", &series, "data") == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM series(3)", "3");
  CHECK(sqlite3_create_module(db, "series", NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK && destroyed == 1);
}

/* ---- rows in memory: a, b, c ---- */

#define COLUMNS 3
typedef struct row { sqlite3_int64 rowid; sqlite3_value *values[COLUMNS]; struct row *next; } row;
typedef struct { sqlite3_vtab base; sqlite3 *db; row *rows; char *name; int is_quiet; } store;
typedef struct { sqlite3_vtab_cursor base; row *at; sqlite3_int64 only; int is_one; } store_cursor;

/* What tables keep while nobody is connected: one table is enough here. */
static row *kept;

static void free_row(row *one) {
  for (int i = 0; i < COLUMNS; i++) sqlite3_value_free(one->values[i]);
  sqlite3_free(one);
}

static int store_make(sqlite3 *db, const char *verb, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  note("%s %s.%s(%s)", verb, arguments[1], arguments[2], n > 3 ? arguments[3] : "");
  if (n > 3 && strcmp(arguments[3], "fail") == 0) {
    *message = sqlite3_mprintf("%s", "as you like");
    return SQLITE_ERROR;
  }
  if (n > 3 && strcmp(arguments[3], "silent") == 0) return SQLITE_ERROR;
  store *made = sqlite3_malloc(sizeof *made);
  memset(made, 0, sizeof *made);
  made->db = db;
  made->name = sqlite3_mprintf("%s", arguments[2]);
  *vtab = &made->base;
  if (n > 3 && strcmp(arguments[3], "undeclared") == 0) return SQLITE_OK;
  CHECK(sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1) == SQLITE_OK);
  CHECK(sqlite3_declare_vtab(db, "CREATE TABLE x(nonsense") == SQLITE_ERROR);
  made->rows = kept;
  kept = NULL;
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a, b TEXT COLLATE nocase, c REAL)");
}
static int store_create(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  (void)data;
  return store_make(db, "create", n, arguments, vtab, message);
}
static int store_connect(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  (void)data;
  return store_make(db, "connect", n, arguments, vtab, message);
}
static int store_disconnect(sqlite3_vtab *vtab) {
  store *table = (store*)vtab;
  note("disconnect %s", table->name);
  kept = table->rows;
  sqlite3_free(table->name);
  sqlite3_free(table);
  return SQLITE_OK;
}
static int store_destroy(sqlite3_vtab *vtab) {
  store *table = (store*)vtab;
  note("destroy %s", table->name);
  while (table->rows) {
    row *one = table->rows;
    table->rows = one->next;
    free_row(one);
  }
  sqlite3_free(table->name);
  sqlite3_free(table);
  return SQLITE_OK;
}

static int shows_questions;

static int store_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  (void)vtab;
  char text[500] = "";
  for (int i = 0; i < info->nConstraint; i++) {
    struct sqlite3_index_constraint *of = (void*)&info->aConstraint[i];
    sqlite3_value *value = NULL;
    char one[80];
    int known = sqlite3_vtab_rhs_value(info, i, &value);
    CHECK(known == (value ? SQLITE_OK : SQLITE_NOTFOUND));
    snprintf(one, sizeof one, "%s%d op%d%s%s %s=%s", i ? ", " : "", of->iColumn, of->op, of->usable ? "" : "!",
             sqlite3_vtab_in(info, i, -1) ? " in" : "", sqlite3_vtab_collation(info, i),
             value ? (sqlite3_value_type(value) == SQLITE_NULL ? "NULL" : (char*)sqlite3_value_text(value)) : "?");
    strcat(text, one);
    if (of->iColumn == -1 && of->op == SQLITE_INDEX_CONSTRAINT_EQ && of->usable && !info->idxNum) {
      if (sqlite3_vtab_in(info, i, 1)) info->idxNum = 2;
      else {
        info->idxNum = 1;
        info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
      }
      info->aConstraintUsage[i].argvIndex = 1;
      info->estimatedCost = 1;
      info->estimatedRows = 1;
    }
  }
  if (shows_questions) {
    char order[100] = "";
    for (int i = 0; i < info->nOrderBy; i++)
      snprintf(order + strlen(order), sizeof order - strlen(order), " by %d%s", info->aOrderBy[i].iColumn,
               info->aOrderBy[i].desc ? " desc" : "");
    note("asked [%s]%s distinct%d used%d", text, order, sqlite3_vtab_distinct(info), (int)info->colUsed);
  }
  sqlite3_value *none = NULL;
  CHECK(sqlite3_vtab_rhs_value(info, 99, &none) == SQLITE_MISUSE && none == NULL);
  info->idxStr = "a static text";
  return SQLITE_OK;
}
static int store_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab;
  *cursor = sqlite3_malloc(sizeof(store_cursor));
  memset(*cursor, 0, sizeof(store_cursor));
  return SQLITE_OK;
}
static int store_close(sqlite3_vtab_cursor *cursor) { sqlite3_free(cursor); return SQLITE_OK; }

static void skip(store_cursor *cursor) {
  while (cursor->is_one && cursor->at && cursor->at->rowid != cursor->only) cursor->at = cursor->at->next;
}
static int store_filter(sqlite3_vtab_cursor *base, int number, const char *text, int n, sqlite3_value **values) {
  store_cursor *cursor = (store_cursor*)base;
  CHECK(strcmp(text, "a static text") == 0 && n == (number != 0));
  cursor->at = ((store*)base->pVtab)->rows;
  cursor->is_one = number == 1;
  if (number == 1) cursor->only = sqlite3_value_int64(values[0]);
  if (number == 2) {
    sqlite3_value *one = NULL;
    char list[100] = "";
    int code = sqlite3_vtab_in_first(values[0], &one);
    for (; code == SQLITE_OK && one; code = sqlite3_vtab_in_next(values[0], &one))
      snprintf(list + strlen(list), sizeof list - strlen(list), " %s", sqlite3_value_text(one));
    CHECK(code == SQLITE_DONE);
    note("list%s", list);
  } else if (n) {
    sqlite3_value *one = NULL;
    CHECK(sqlite3_vtab_in_first(values[0], &one) == SQLITE_ERROR);
  }
  skip(cursor);
  return SQLITE_OK;
}
static int store_next(sqlite3_vtab_cursor *base) {
  store_cursor *cursor = (store_cursor*)base;
  cursor->at = cursor->at->next;
  skip(cursor);
  return SQLITE_OK;
}
static int store_eof(sqlite3_vtab_cursor *base) { return ((store_cursor*)base)->at == NULL; }
static int store_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  store_cursor *cursor = (store_cursor*)base;
  if (sqlite3_vtab_nochange(context)) return SQLITE_OK;
  sqlite3_value *value = cursor->at->values[column];
  if (sqlite3_value_type(value) == SQLITE_TEXT && strcmp((char*)sqlite3_value_text(value), "bad") == 0) {
    base->pVtab->zErrMsg = sqlite3_mprintf("%s", "a bad value");
    return SQLITE_CORRUPT_VTAB;
  }
  sqlite3_result_value(context, value);
  return SQLITE_OK;
}
static int store_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((store_cursor*)base)->at->rowid;
  return SQLITE_OK;
}

static row **place_of(store *table, sqlite3_int64 rowid) {
  row **place = &table->rows;
  while (*place && (*place)->rowid < rowid) place = &(*place)->next;
  return place;
}
/* What a change runs on its connection, too. */
static const char *inner;

static int store_update(sqlite3_vtab *vtab, int n, sqlite3_value **values, sqlite3_int64 *rowid) {
  store *table = (store*)vtab;
  int is_insert = n > 1 && sqlite3_value_type(values[0]) == SQLITE_NULL, unchanged = 0;
  sqlite3_int64 old = is_insert ? 0 : sqlite3_value_int64(values[0]);
  for (int i = 2; i < n; i++) unchanged += sqlite3_value_nochange(values[i]);
  note("%s %d unchanged%d", n == 1 ? "delete" : is_insert ? "insert" : "update", sqlite3_vtab_on_conflict(table->db), unchanged);
  if (inner) CHECK(sqlite3_exec(table->db, inner, NULL, NULL, NULL) == SQLITE_OK);
  row **place = place_of(table, old);
  if (n == 1) {
    row *gone = *place;
    *place = gone->next;
    free_row(gone);
    return SQLITE_OK;
  }
  CHECK(n == 2 + COLUMNS);
  sqlite3_int64 key = sqlite3_value_int64(values[1]);
  if (sqlite3_value_type(values[1]) == SQLITE_NULL) {
    key = 1;
    for (row *one = table->rows; one; one = one->next) key = one->rowid + 1;
  }
  row **there = place_of(table, key);
  if (*there && (*there)->rowid == key && (is_insert || key != old)) {
    if (sqlite3_vtab_on_conflict(table->db) != SQLITE_REPLACE) {
      vtab->zErrMsg = sqlite3_mprintf("the key %lld is taken", key);
      return SQLITE_CONSTRAINT;
    }
    row *gone = *there;
    *there = gone->next;
    free_row(gone);
    place = place_of(table, old);
  }
  row *changed = is_insert ? sqlite3_malloc(sizeof *changed) : *place;
  if (is_insert) memset(changed, 0, sizeof *changed); else *place = changed->next;
  changed->rowid = key;
  for (int i = 0; i < COLUMNS; i++) if (!sqlite3_value_nochange(values[i + 2])) {
    sqlite3_value_free(changed->values[i]);
    changed->values[i] = sqlite3_value_dup(values[i + 2]);
  }
  there = place_of(table, key);
  changed->next = *there;
  *there = changed;
  *rowid = key;
  return SQLITE_OK;
}
static int store_begin(sqlite3_vtab *vtab) { (void)vtab; note("begin"); return SQLITE_OK; }
static int store_sync(sqlite3_vtab *vtab) { (void)vtab; note("sync"); return SQLITE_OK; }
static int store_commit(sqlite3_vtab *vtab) { (void)vtab; note("commit"); return SQLITE_OK; }
static int store_rollback(sqlite3_vtab *vtab) { (void)vtab; note("rollback"); return SQLITE_OK; }
static int store_savepoint(sqlite3_vtab *vtab, int n) { (void)vtab; note("savepoint %d", n); return SQLITE_OK; }
static int store_release(sqlite3_vtab *vtab, int n) { (void)vtab; note("release %d", n); return SQLITE_OK; }
static int store_rollback_to(sqlite3_vtab *vtab, int n) { (void)vtab; note("rollback to %d", n); return SQLITE_OK; }
static int store_rename(sqlite3_vtab *vtab, const char *name) {
  store *table = (store*)vtab;
  note("rename %s to %s", table->name, name);
  sqlite3_free(table->name);
  table->name = sqlite3_mprintf("%s", name);
  return SQLITE_OK;
}
static int shadow_names_asked;
static int store_shadow_name(const char *name) { shadow_names_asked++; return strcmp(name, "shadow") == 0; }
static int integrity_code;
static int store_integrity(sqlite3_vtab *vtab, const char *schema, const char *table, int flags, char **message) {
  (void)vtab;
  note("integrity %s.%s %d", schema, table, flags);
  if (kept == NULL && ((store*)vtab)->is_quiet == 0) *message = sqlite3_mprintf("something about %s", table);
  return integrity_code;
}

static void own_match(sqlite3_context *context, int n, sqlite3_value **values) {
  CHECK(n == 2 && strcmp((char*)sqlite3_user_data(context), "of match") == 0);
  const char *pattern = (const char*)sqlite3_value_text(values[0]), *text = (const char*)sqlite3_value_text(values[1]);
  sqlite3_result_int(context, pattern && text && strstr(text, pattern) != NULL);
}
static void own_length(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)values;
  sqlite3_result_int(context, 1000 + n);
}
typedef void (*call_fn)(sqlite3_context*, int, sqlite3_value**);
static int store_find_function(sqlite3_vtab *vtab, int n, const char *name, call_fn *call, void **data) {
  (void)vtab;
  if (sqlite3_stricmp(name, "match") == 0 && n == 2) {
    *call = own_match;
    *data = "of match";
    return 1;
  }
  if (sqlite3_stricmp(name, "within") == 0) {
    *call = own_length;
    return SQLITE_INDEX_CONSTRAINT_FUNCTION + 1;
  }
  return 0;
}

static sqlite3_module rows = {
  4, store_create, store_connect, store_best_index, store_disconnect, store_destroy, store_open, store_close, store_filter,
  store_next, store_eof, store_column, store_rowid, store_update, store_begin, store_sync, store_commit, store_rollback,
  store_find_function, store_rename, store_savepoint, store_release, store_rollback_to, store_shadow_name, store_integrity
};

static void changes(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_create_module(db, "rows", &rows, NULL) == SQLITE_OK);
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows(fail)", "error 1: as you like");
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows(silent)", "error 1: vtable constructor failed: t");
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows(undeclared)", "error 1: vtable constructor did not declare schema: t");
  ANSWERS(db, "SELECT count(*) FROM sqlite_schema", "0");
  HEARS("create main.t(fail); create main.t(silent); create main.t(undeclared); disconnect t");
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows(x  y, 'z')", "");
  HEARS("create main.t(x  y); sync; commit");
  ANSWERS(db, "SELECT type, name, rootpage, sql FROM sqlite_schema", "table|t|0|CREATE VIRTUAL TABLE t USING rows(x  y, 'z')");
  ANSWERS(db, "INSERT INTO t VALUES(1, 'one', 1.5)", "");
  HEARS("begin; insert 4 unchanged0; sync; commit");
  CHECK(sqlite3_last_insert_rowid(db) == 1 && sqlite3_changes(db) == 1);
  ANSWERS(db, "INSERT OR REPLACE INTO t(rowid, a) VALUES(1, 'again')", "");
  HEARS("begin; insert 5 unchanged0; sync; commit");
  ANSWERS(db, "SELECT rowid, * FROM t", "1|again|NULL|NULL");
  ANSWERS(db, "INSERT INTO t(rowid) VALUES(1)", "error 19: the key 1 is taken");
  HEARS("begin; insert 4 unchanged0; rollback");
  ANSWERS(db, "INSERT OR IGNORE INTO t(rowid) VALUES(1), (4); SELECT rowid FROM t", "1 4");
  HEARS("begin; insert 2 unchanged0; insert 2 unchanged0; sync; commit");
  ANSWERS(db, "UPDATE t SET b = 'new' WHERE rowid = 4; SELECT rowid, * FROM t", "1|again|NULL|NULL 4|NULL|new|NULL");
  HEARS("begin; update 4 unchanged2; sync; commit");
  ANSWERS(db, "UPDATE t SET rowid = 5, a = a || 'x' WHERE rowid = 4; SELECT rowid, a, b FROM t", "1|again|NULL 5|NULL|new");
  HEARS("begin; update 4 unchanged2; sync; commit");
  ANSWERS(db, "UPDATE t SET a = rowid; SELECT a FROM t; DELETE FROM t WHERE a = 5; SELECT count(*) FROM t", "1 5 1");
  HEARS("begin; update 4 unchanged2; update 4 unchanged2; sync; commit; begin; delete 4 unchanged0; sync; commit");
  ANSWERS(db, "DELETE FROM t RETURNING a", "error 1: DELETE RETURNING is not available on virtual tables");
  ANSWERS(db, "UPDATE t SET a = 1 RETURNING a", "error 1: UPDATE RETURNING is not available on virtual tables");
  ANSWERS(db, "INSERT INTO t(rowid) VALUES(9) ON CONFLICT DO NOTHING", "error 1: UPSERT not implemented for virtual table \"t\"");
  ANSWERS(db, "CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT 1; END", "error 1: cannot create triggers on virtual tables");
  ANSWERS(db, "CREATE INDEX i ON t(a)", "error 1: virtual tables may not be indexed");
  ANSWERS(db, "ALTER TABLE t ADD COLUMN z", "error 1: virtual tables may not be altered");
  HEARS("");
  ANSWERS(db, "INSERT INTO t(rowid, a) VALUES(7, 'bad'); SELECT a FROM t", "error 267: a bad value");
  ANSWERS(db, "DELETE FROM t WHERE rowid = 7; ALTER TABLE t RENAME TO u", "");
  ANSWERS(db, "SELECT sql FROM sqlite_schema; SELECT rowid FROM u", "CREATE VIRTUAL TABLE \"u\" USING rows(x  y, 'z') 1");
  heard[0] = 0;
  ANSWERS(db, "PRAGMA integrity_check", "something about u");
  ANSWERS(db, "PRAGMA quick_check", "something about u");
  HEARS("integrity main.u 0; integrity main.u 1");
  integrity_code = SQLITE_CORRUPT_VTAB;
  ANSWERS(db, "PRAGMA integrity_check", "error 267: database disk image is malformed");
  integrity_code = SQLITE_OK;
  shadow_names_asked = 0;
  ANSWERS(db, "CREATE TABLE other_first(x)", "");
  CHECK(shadow_names_asked == 0);
  ANSWERS(db, "CREATE TABLE u_first(x); CREATE TABLE u_second(x)", "");
  CHECK(shadow_names_asked >= 2);
  ANSWERS(db, "DROP TABLE u_first; DROP TABLE u_second; DROP TABLE other_first", "");
  ANSWERS(db, "CREATE TABLE u_shadow(x); CREATE TABLE u_other(x); SELECT name, type FROM pragma_table_list WHERE name LIKE 'u%' ORDER BY 1",
          "u|virtual u_other|table u_shadow|shadow");
  heard[0] = 0;
  ANSWERS(db, "BEGIN; INSERT INTO u(a) VALUES(1); SAVEPOINT s; INSERT INTO u(a) VALUES(2); ROLLBACK TO s; RELEASE s; COMMIT", "");
  HEARS("begin; insert 4 unchanged0; savepoint 0; insert 4 unchanged0; rollback to 0; release 0; sync; commit");
  ANSWERS(db, "SAVEPOINT s; INSERT INTO u(a) VALUES(1); RELEASE s", "");
  HEARS("begin; insert 4 unchanged0; sync; commit");
  ANSWERS(db, "SAVEPOINT s; INSERT INTO u(a) VALUES(1); SAVEPOINT z; RELEASE z; ROLLBACK TO s; RELEASE s", "");
  HEARS("begin; insert 4 unchanged0; savepoint 0; release 0; rollback to -1; sync; commit");
  sqlite3_stmt *open = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT a FROM u", -1, &open, NULL) == SQLITE_OK && sqlite3_step(open) == SQLITE_ROW);
  ANSWERS(db, "DROP TABLE u", "error 6: database table is locked");
  CHECK(sqlite3_finalize(open) == SQLITE_OK);
  heard[0] = 0;
  ANSWERS(db, "DROP TABLE u; SELECT count(*) FROM sqlite_schema WHERE name = 'u'", "0");
  HEARS("destroy u");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void questions(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_create_module(db, "rows", &rows, NULL) == SQLITE_OK);
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows; CREATE TABLE plain(x)", "");
  ANSWERS(db, "INSERT INTO t VALUES(1, 'one', 1.5), (2, 'two', 2), (3, 'three', NULL)", "");
  heard[0] = 0;
  shows_questions = 1;
  ANSWERS(db, "SELECT a FROM t WHERE a = 1", "1");
  HEARS("asked [0 op2 BINARY=1] distinct0 used1");
  ANSWERS(db, "SELECT a FROM t WHERE b > 'p' AND c < 5", "2");
  HEARS("asked [1 op4 NOCASE=p, 2 op16 BINARY=5] distinct0 used7");
  ANSWERS(db, "SELECT 1 FROM t WHERE c IS NULL", "1");
  HEARS("asked [2 op71 BINARY=?] distinct0 used4");
  ANSWERS(db, "SELECT a FROM t WHERE c IS NOT NULL AND a IS NOT 2 AND b <> 'x'", "1");
  HEARS("asked [1 op68 BINARY=x, 0 op69 BINARY=2, 2 op70 BINARY=?] distinct0 used7");
  ANSWERS(db, "SELECT a FROM t WHERE b LIKE '%w%' AND a IS 2", "2");
  HEARS("asked [0 op72 BINARY=2, 1 op65 BINARY=%w%] distinct0 used3");
  ANSWERS(db, "SELECT a FROM t WHERE b GLOB '*e'", "1 3");
  HEARS("asked [1 op66 BINARY=*e] distinct0 used3");
  ANSWERS(db, "SELECT a FROM t WHERE b MATCH 'hre'", "3");
  HEARS("asked [1 op64 BINARY=hre] distinct0 used3");
  ANSWERS(db, "SELECT a FROM t ORDER BY c DESC, a", "2 1 3");
  HEARS("asked [] by 2 desc by 0 distinct0 used5");
  ANSWERS(db, "SELECT DISTINCT a FROM t", "1 2 3");
  HEARS("asked [] by 0 distinct2 used1");
  ANSWERS(db, "SELECT a, count(*) FROM t GROUP BY a", "1|1 2|1 3|1");
  HEARS("asked [] by 0 distinct1 used1");
  ANSWERS(db, "SELECT a FROM t WHERE rowid = 2", "2");
  HEARS("asked [-1 op2 BINARY=2] distinct0 used1");
  ANSWERS(db, "SELECT a FROM t WHERE rowid IN (1, 3)", "1 3");
  HEARS("asked [-1 op2 in BINARY=?] distinct0 used1; list 1 3");
  /* The table is asked whenever a text is compiled, also if it was compiled before; and no question is put twice. */
  ANSWERS(db, "SELECT a FROM t WHERE rowid = 2", "2");
  ANSWERS(db, "SELECT a FROM t WHERE rowid = 2", "2");
  HEARS("asked [-1 op2 BINARY=2] distinct0 used1; asked [-1 op2 BINARY=2] distinct0 used1");
  /* GROUP BY has the directions of an ORDER BY of as many terms. */
  ANSWERS(db, "SELECT a, count(*) FROM t GROUP BY a ORDER BY count(*) DESC", "3|1 2|1 1|1");
  HEARS("asked [] by 0 desc distinct1 used1");
  CHECK(sqlite3_overload_function(db, "within", 2) == SQLITE_OK);
  ANSWERS(db, "SELECT a FROM t WHERE within(b, 5)", "1 2 3");
  HEARS("asked [1 op151 BINARY=5] distinct0 used3");
  ANSWERS(db, "SELECT within(1, 2)", "error 1: unable to use function within in the requested context");
  ANSWERS(db, "SELECT 1 MATCH 2", "error 1: unable to use function MATCH in the requested context");
  shows_questions = 0;
  PLANS(db, "SELECT * FROM t WHERE rowid = 1", "SCAN t VIRTUAL TABLE INDEX 1:a static text");
  ANSWERS(db, "SELECT x.a, y.b FROM t x, t y WHERE x.rowid = y.a", "1|one 2|two 3|three");
  ANSWERS(db, "SELECT a FROM t WHERE a = 1 OR b = 'TWO'", "1 2");
  ANSWERS(db, "SELECT y.k, t.a FROM (SELECT 2 AS k UNION SELECT 5) y RIGHT JOIN t ON t.a = y.k", "2|2 NULL|1 NULL|3");
  ANSWERS(db, "SELECT y.k, t.a FROM (SELECT 2 AS k UNION SELECT 5) y FULL JOIN t ON t.rowid = y.k AND t.a = 2", "2|2 5|NULL NULL|1 NULL|3");
  ANSWERS(db, "UPDATE t SET a = p.x FROM (SELECT 2 AS k, 22 AS x) p WHERE t.rowid = p.k; SELECT a FROM t", "1 22 3");
  ANSWERS(db, "CREATE VIEW v AS SELECT a FROM t; PRAGMA trusted_schema = OFF; SELECT * FROM v", "error 1: unsafe use of virtual table \"t\"");
  ANSWERS(db, "PRAGMA trusted_schema = ON; SELECT * FROM v", "1 22 3");
  ANSWERS(db, "ATTACH ':memory:' AS two; CREATE VIRTUAL TABLE two.t2 USING rows; INSERT INTO t2(a) SELECT a FROM t; SELECT sum(a) FROM t2", "26");
  ANSWERS(db, "DETACH two; SELECT a FROM t LIMIT 1", "1");
  while (kept) {
    row *one = kept;
    kept = one->next;
    free_row(one);
  }
  ANSWERS(db, "DROP TABLE t", "");
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT * FROM v", -1, &statement, NULL) == SQLITE_ERROR && statement == NULL);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* ---- six rows (n % 3, n), told of LIMIT and OFFSET ---- */

/* What it does with them: nothing, all of it, only what SQLite checks again, or all of it but the order. */
static enum { IGNORES, SKIPS, LEAVES, SORTS_NOT } counting;
typedef struct { sqlite3_vtab_cursor base; int at; } counted_cursor;

static int counted_connect(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  (void)data; (void)n; (void)arguments; (void)message;
  *vtab = sqlite3_malloc(sizeof **vtab);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a, b)");
}
static int counted_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  int arguments = 0;
  (void)vtab;
  note("asked");
  for (int i = 0; i < info->nConstraint; i++) {
    sqlite3_value *value = NULL;
    int op = info->aConstraint[i].op, is_limit = op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
    int is_known = sqlite3_vtab_rhs_value(info, i, &value) == SQLITE_OK;
    note("%d%s %s", op, info->aConstraint[i].usable ? "" : "!", is_known ? (const char*)sqlite3_value_text(value) : "?");
    CHECK(!is_limit || info->aConstraint[i].iColumn == 0);
    if (!info->aConstraint[i].usable || (is_limit ? counting == IGNORES : op != SQLITE_INDEX_CONSTRAINT_EQ)) continue;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = !is_limit || counting == SKIPS;
  }
  info->orderByConsumed = counting != IGNORES && counting != SORTS_NOT;
  return SQLITE_OK;
}
static int counted_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab;
  *cursor = sqlite3_malloc(sizeof(counted_cursor));
  memset(*cursor, 0, sizeof(counted_cursor));
  return SQLITE_OK;
}
static int counted_filter(sqlite3_vtab_cursor *base, int number, const char *text, int n, sqlite3_value **values) {
  (void)number; (void)text;
  char list[100] = "";
  for (int i = 0; i < n; i++) strcat(strcat(list, " "), (const char*)sqlite3_value_text(values[i]));
  note("filter%s", list);
  ((counted_cursor*)base)->at = 0;
  return SQLITE_OK;
}
static int counted_next(sqlite3_vtab_cursor *base) { ((counted_cursor*)base)->at++; return SQLITE_OK; }
static int counted_eof(sqlite3_vtab_cursor *base) { return ((counted_cursor*)base)->at >= 6; }
static int counted_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  int at = ((counted_cursor*)base)->at;
  sqlite3_result_int(context, column == 0 ? at % 3 : at);
  return SQLITE_OK;
}
static int counted_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((counted_cursor*)base)->at;
  return SQLITE_OK;
}

static sqlite3_module counted = {
  0, counted_connect, counted_connect, counted_best_index, series_disconnect, series_disconnect, counted_open, series_close,
  counted_filter, counted_next, counted_eof, counted_column, counted_rowid, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL
};

/* The table does nothing about its constraints: what rows come out shows what it was trusted with. */
static void limits(void) {
  sqlite3 *db;
  heard[0] = 0;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_create_module(db, "counted", &counted, NULL) == SQLITE_OK);
  ANSWERS(db, "CREATE VIRTUAL TABLE v USING counted; CREATE TABLE o(x); INSERT INTO o VALUES(1), (2)", "");
  counting = IGNORES;
  ANSWERS(db, "SELECT b FROM v LIMIT 2 OFFSET 1", "1 2");
  HEARS("asked; 74 1; 73 2; filter");
  ANSWERS(db, "SELECT b FROM v WHERE a + 0 = 1 LIMIT 1", "1");
  HEARS("asked; filter");
  ANSWERS(db, "SELECT b FROM v ORDER BY b LIMIT 2", "0 1");
  HEARS("asked; 73 2; filter");
  ANSWERS(db, "SELECT b FROM v ORDER BY b + 0 LIMIT 2; SELECT count(*) FROM v LIMIT 2; SELECT b FROM v, o LIMIT 2", "0 1 6 0 0");
  HEARS("asked; filter; asked; filter; asked; filter");
  counting = LEAVES; /* other texts: a program that is known is not compiled again */
  ANSWERS(db, "SELECT v.b FROM v LIMIT 2 OFFSET 1", "1 2");
  HEARS("asked; 74 1; 73 2; filter 1 2");
  counting = SKIPS;
  ANSWERS(db, "SELECT w.b FROM v AS w LIMIT 2 OFFSET 1", "0 1");
  HEARS("asked; 74 1; 73 2; filter 1 2");
  ANSWERS(db, "SELECT b FROM v WHERE a = 1 LIMIT 1 OFFSET 1", "0");
  HEARS("asked; 2 1; 74 1; 73 1; filter 1 1 1");
  ANSWERS(db, "SELECT b FROM v WHERE a = 1 AND b > 2 LIMIT 1", "3");
  HEARS("asked; 2 1; 4 2; 73 1; asked; 2 1; 4 2; 73! 1; filter 1");
  ANSWERS(db, "SELECT x, (SELECT b FROM v WHERE a = x LIMIT 1) FROM o", "1|0 2|0");
  HEARS("asked; 2 ?; 73 1; filter 1 1; filter 2 1");
  ANSWERS(db, "SELECT b FROM (SELECT b FROM v ORDER BY b LIMIT 1 + 1)", "0 1");
  HEARS("asked; 73 ?; filter 2");
  counting = SORTS_NOT; /* it is trusted to know which rows are the first */
  ANSWERS(db, "SELECT b FROM v ORDER BY b DESC LIMIT 2", "5 4");
  HEARS("asked; 73 2; filter 2");
  ANSWERS(db, "SELECT b FROM v WHERE a = 1 AND b > 2 ORDER BY b DESC LIMIT 1", "5");
  HEARS("asked; 2 1; 4 2; 73 1; asked; 2 1; 4 2; 73! 1; filter 1");
  ANSWERS(db, "SELECT DISTINCT b FROM v LIMIT 2; SELECT row_number() OVER () FROM v LIMIT 1", "0 1 1");
  HEARS("asked; filter; asked; filter");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A defensive connection: the tables that belong to virtual ones are theirs alone. */
static void protection(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_create_module(db, "rows", &rows, NULL) == SQLITE_OK);
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING rows; CREATE TABLE t_shadow(x); INSERT INTO t_shadow VALUES(1)", "");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM t_shadow; CREATE INDEX i ON t_shadow(x)", "1");
  ANSWERS(db, "INSERT INTO t_shadow VALUES(2)", "error 1: table t_shadow may not be modified");
  ANSWERS(db, "UPDATE t_shadow SET x = 2", "error 1: table t_shadow may not be modified");
  ANSWERS(db, "DELETE FROM t_shadow", "error 1: table t_shadow may not be modified");
  ANSWERS(db, "DROP TABLE t_shadow", "error 1: table t_shadow may not be dropped");
  ANSWERS(db, "ALTER TABLE t_shadow ADD COLUMN y", "error 1: table t_shadow may not be altered");
  ANSWERS(db, "ALTER TABLE t_shadow RENAME TO y", "error 1: table t_shadow may not be altered");
  ANSWERS(db, "CREATE TRIGGER r AFTER INSERT ON t_shadow BEGIN SELECT 1; END", "error 1: cannot create triggers on shadow tables");
  ANSWERS(db, "CREATE TEMP TABLE t_shadow(a)", "error 1: object name reserved for internal use: t_shadow");
  ANSWERS(db, "CREATE TABLE u_shadow(a); DROP TABLE u_shadow", "");
  /* What a method runs may touch them, even if the same text was refused before. */
  inner = "INSERT INTO t_shadow VALUES(2)";
  ANSWERS(db, "INSERT INTO t(a) VALUES(1)", "");
  inner = NULL;
  ANSWERS(db, "INSERT INTO t_shadow VALUES(2)", "error 1: table t_shadow may not be modified");
  ANSWERS(db, "SELECT * FROM t_shadow", "1 2");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL) == SQLITE_OK);
  ANSWERS(db, "INSERT INTO t_shadow VALUES(2); DROP TABLE t_shadow; DROP TABLE t", "");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  heard[0] = 0;
}

int main(void) {
  numbers();
  changes();
  questions();
  limits();
  protection();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
