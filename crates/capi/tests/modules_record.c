/*
** Random queries and changes of virtual tables that an application has made, among ordinary tables. Prints what xBestIndex is asked, what
** xFilter and xUpdate get (unless it is to be quiet), and the rows. Standard input has the seed, the number of statements and perhaps "quiet".
**
** Each table is made with a number whose bits say what the module takes: see `enum`. The module filters exactly as the comparison of
** ordinary values does, so that it may say that the core need not check again.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PICK(array) ((array)[below(COUNT(array))])

enum {
  TAKES_EQ = 1,        /* equalities */
  TAKES_RANGES = 2,    /* <, <=, >, >= */
  OMITS = 4,           /* what it takes need not be checked again */
  TAKES_LISTS = 8,     /* IN as a whole */
  SORTS = 16,          /* any order */
  UNIQUE = 32,         /* an equality of the rowid finds one row */
  TAKES_LIMITS = 64,   /* LIMIT and OFFSET, if it takes all else */
  WANTS_PARAMETER = 128, /* no plan without the hidden column */
  TAKES_OTHERS = 256,  /* LIKE, GLOB, MATCH, REGEXP, IS, IS NOT, NE, NULL tests */
};
enum { COLUMNS = 4, ROWS_MAX = 40 };

static unsigned long long state;
static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}
static int is_quiet; /* Prints rows only. */

/* ---- the module ---- */

typedef struct { sqlite3_int64 rowid; sqlite3_value *values[COLUMNS]; } Row;
typedef struct { sqlite3_vtab base; char name[16]; int bits, n; sqlite3_int64 next; Row rows[ROWS_MAX]; } Table;
typedef struct {
  sqlite3_vtab_cursor base;
  int n, at, chosen[ROWS_MAX];
  sqlite3_value *parameter;
} Cursor;

static void print_value(sqlite3_value *value) {
  switch (sqlite3_value_type(value)) {
  case SQLITE_NULL: printf("NULL"); break;
  case SQLITE_INTEGER: printf("%lld", sqlite3_value_int64(value)); break;
  case SQLITE_FLOAT: printf("%.15g~", sqlite3_value_double(value)); break;
  case SQLITE_TEXT: printf("'%s'", (const char *)sqlite3_value_text(value)); break;
  default: printf("x#%d", sqlite3_value_bytes(value));
  }
}

static int class_of(sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  return type == SQLITE_NULL ? 0 : type == SQLITE_TEXT ? 2 : type == SQLITE_BLOB ? 3 : 1;
}

/* The order of two values, texts by their bytes. */
static int compare(sqlite3_value *a, sqlite3_value *b) {
  int left = class_of(a), right = class_of(b);
  if (left != right) return left - right;
  if (left == 0) return 0;
  if (left == 1) {
    double x = sqlite3_value_double(a), y = sqlite3_value_double(b);
    return x < y ? -1 : x > y;
  }
  int n = sqlite3_value_bytes(a), m = sqlite3_value_bytes(b);
  int order = memcmp(sqlite3_value_blob(a) ? sqlite3_value_blob(a) : "", sqlite3_value_blob(b) ? sqlite3_value_blob(b) : "", n < m ? n : m);
  return order ? order : n - m;
}

static int connect(sqlite3 *db, void *data, int n, const char *const *arguments, sqlite3_vtab **vtab, char **message) {
  (void)data;
  (void)message;
  Table *table = sqlite3_malloc(sizeof *table);
  memset(table, 0, sizeof *table);
  snprintf(table->name, sizeof table->name, "%s", arguments[2]);
  table->bits = n > 3 ? atoi(arguments[3]) : 0;
  *vtab = &table->base;
  sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  return sqlite3_declare_vtab(db, n > 4 ? "CREATE TABLE x(a INTEGER PRIMARY KEY, b TEXT, c TEXT, d, p HIDDEN) WITHOUT ROWID"
                                        : "CREATE TABLE x(a INTEGER, b TEXT COLLATE NOCASE, c, d NUMERIC, p HIDDEN)");
}

static void free_row(Row *row) {
  for (int i = 0; i < COLUMNS; i++) sqlite3_value_free(row->values[i]);
}

static int disconnect(sqlite3_vtab *vtab) {
  Table *table = (Table *)vtab;
  for (int i = 0; i < table->n; i++) free_row(&table->rows[i]);
  sqlite3_free(table);
  return SQLITE_OK;
}

static int is_range(int op) {
  return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
}
static int is_other(int op) {
  return op >= SQLITE_INDEX_CONSTRAINT_LIKE && op <= SQLITE_INDEX_CONSTRAINT_IS && op != SQLITE_INDEX_CONSTRAINT_MATCH && op != SQLITE_INDEX_CONSTRAINT_REGEXP;
}
static int is_limit(int op) { return op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET; }

static void print_question(const Table *table, sqlite3_index_info *info) {
  printf("    ask %s", table->name);
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *one = &info->aConstraint[i];
    sqlite3_value *value = NULL;
    int known = sqlite3_vtab_rhs_value(info, i, &value);
    printf(" %d:%d%s%s", is_limit(one->op) ? 0 : one->iColumn, one->op, one->usable ? "" : "-", sqlite3_vtab_in(info, i, -1) ? "in" : "");
    if (!is_limit(one->op)) printf("/%c", sqlite3_vtab_collation(info, i)[0]);
    if (known == SQLITE_OK) { printf("="); print_value(value); }
  }
  for (int i = 0; i < info->nOrderBy; i++) printf(" by%d%s", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc ? "-" : "");
  printf(" distinct%d used%llx\n", sqlite3_vtab_distinct(info), (unsigned long long)info->colUsed);
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  Table *table = (Table *)vtab;
  char plan[400] = "";
  int arguments = 0, has_parameter = 0, takes_all = 1, finds_one = 0;
  if (!is_quiet) print_question(table, info);
  for (int i = 0; i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *one = &info->aConstraint[i];
    if (is_limit(one->op)) continue;
    int is_eq = one->op == SQLITE_INDEX_CONSTRAINT_EQ;
    int is_parameter = one->iColumn == COLUMNS && is_eq;
    int wanted = is_parameter || (is_eq && table->bits & TAKES_EQ) || (is_range(one->op) && table->bits & TAKES_RANGES) ||
                 (is_other(one->op) && table->bits & TAKES_OTHERS);
    /* A text column is compared by its bytes here. */
    int is_exact = !is_other(one->op) && strcmp(sqlite3_vtab_collation(info, i), "BINARY") == 0 && one->iColumn != 1;
    if (!one->usable || !wanted || (!is_exact && !is_parameter)) {
      takes_all = 0;
      if (!one->usable || !wanted || is_other(one->op) == 0) continue;
    }
    int as_list = table->bits & TAKES_LISTS && sqlite3_vtab_in(info, i, -1);
    if (as_list) sqlite3_vtab_in(info, i, 1);
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = (is_exact && table->bits & OMITS) || is_parameter;
    has_parameter |= is_parameter;
    finds_one |= is_eq && one->iColumn < 0 && table->bits & UNIQUE && !as_list;
    char one_of[40];
    snprintf(one_of, sizeof one_of, "%d %d %d;", one->iColumn, is_other(one->op) ? 0 : one->op, as_list);
    strcat(plan, one_of);
  }
  if (table->bits & WANTS_PARAMETER && !has_parameter) return SQLITE_CONSTRAINT;
  int can_limit = takes_all && table->bits & TAKES_LIMITS && table->bits & OMITS && sqlite3_vtab_distinct(info) < 2;
  int is_sorted = info->nOrderBy > 0 && table->bits & SORTS && info->nOrderBy < 3;
  for (int i = 0; i < info->nOrderBy; i++) is_sorted &= info->aOrderBy[i].iColumn != 1 && info->aOrderBy[i].iColumn < COLUMNS;
  if (info->nOrderBy && !is_sorted) can_limit = 0;
  for (int i = 0; can_limit && i < info->nConstraint; i++) {
    const struct sqlite3_index_constraint *one = &info->aConstraint[i];
    if (!is_limit(one->op) || !one->usable) continue;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = 1;
    char one_of[40];
    snprintf(one_of, sizeof one_of, "0 %d 0;", one->op);
    strcat(plan, one_of);
  }
  if (is_sorted) {
    info->orderByConsumed = 1;
    for (int i = 0; i < info->nOrderBy; i++) {
      char one_of[40];
      snprintf(one_of, sizeof one_of, "%d %d 0;", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc ? 998 : 999);
      strcat(plan, one_of);
    }
  }
  if (finds_one) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  info->idxNum = arguments;
  info->idxStr = sqlite3_mprintf("%s", plan);
  info->needToFreeIdxStr = 1;
  info->estimatedCost = finds_one ? 1 : 100.0 / (1 + arguments);
  info->estimatedRows = finds_one ? 1 : 40 / (1 + arguments);
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor) {
  (void)vtab;
  *cursor = sqlite3_malloc(sizeof(Cursor));
  memset(*cursor, 0, sizeof(Cursor));
  return SQLITE_OK;
}
static int close_cursor(sqlite3_vtab_cursor *base) {
  sqlite3_value_free(((Cursor *)base)->parameter);
  sqlite3_free(base);
  return SQLITE_OK;
}

/* Whether a value that has this order beside another one meets the constraint. */
static int order_holds(int op, int order) {
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ: return order == 0;
  case SQLITE_INDEX_CONSTRAINT_GT: return order > 0;
  case SQLITE_INDEX_CONSTRAINT_GE: return order >= 0;
  case SQLITE_INDEX_CONSTRAINT_LT: return order < 0;
  default: return order <= 0;
  }
}

static int holds(int op, sqlite3_value *value, sqlite3_value *other) {
  if (op == 0) return 1;
  if (class_of(value) == 0 || class_of(other) == 0) return 0;
  return order_holds(op, compare(value, other));
}

static int rowid_holds(int op, sqlite3_int64 rowid, sqlite3_value *other) {
  if (op == 0) return 1;
  int class = class_of(other);
  if (class == 0) return 0;
  int order = class > 1 ? -1 : rowid < sqlite3_value_double(other) ? -1 : rowid > sqlite3_value_double(other);
  return order_holds(op, order);
}

static Table *sorted_table;
static int sort_columns[4], sort_descends[4], sort_n;
static int by_order(const void *a, const void *b) {
  int left = *(const int *)a, right = *(const int *)b;
  for (int i = 0; i < sort_n; i++) {
    int column = sort_columns[i];
    int order;
    if (column < 0) {
      sqlite3_int64 x = sorted_table->rows[left].rowid, y = sorted_table->rows[right].rowid;
      order = x < y ? -1 : x > y;
    } else {
      order = compare(sorted_table->rows[left].values[column], sorted_table->rows[right].values[column]);
    }
    if (order) return sort_descends[i] ? -order : order;
  }
  return left - right;
}

static void keep(Table *table, Cursor *cursor, int column, int op, int as_list, sqlite3_value *argument) {
  int kept = 0;
  for (int i = 0; i < cursor->n; i++) {
    Row *row = &table->rows[cursor->chosen[i]];
    int is_kept = 0;
    if (column < 0) {
      sqlite3_value *one = argument;
      if (!as_list) is_kept = rowid_holds(op, row->rowid, one);
      else
        for (int code = sqlite3_vtab_in_first(argument, &one); code == SQLITE_OK && one; code = sqlite3_vtab_in_next(argument, &one))
          is_kept |= rowid_holds(op, row->rowid, one);
    } else if (as_list) {
      sqlite3_value *one = NULL;
      for (int code = sqlite3_vtab_in_first(argument, &one); code == SQLITE_OK && one; code = sqlite3_vtab_in_next(argument, &one))
        is_kept |= holds(op, row->values[column], one);
    } else {
      is_kept = holds(op, row->values[column], argument);
    }
    if (is_kept) cursor->chosen[kept++] = cursor->chosen[i];
  }
  cursor->n = kept;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int n, sqlite3_value **arguments) {
  Cursor *cursor = (Cursor *)base;
  Table *table = (Table *)base->pVtab;
  sqlite3_int64 limit = -1, offset = 0;
  if (!is_quiet) printf("    filter %s %d [%s]", table->name, number, plan ? plan : "");
  cursor->at = cursor->n = sort_n = 0;
  sqlite3_value_free(cursor->parameter);
  cursor->parameter = NULL;
  for (int i = 0; i < table->n; i++) cursor->chosen[cursor->n++] = i;
  int argument = 0;
  for (const char *at = plan; at && *at; at = strchr(at, ';') + 1) {
    int column, op, as_list;
    sscanf(at, "%d %d %d", &column, &op, &as_list);
    if (op == 998 || op == 999) {
      sort_columns[sort_n] = column;
      sort_descends[sort_n++] = op == 998;
      continue;
    }
    sqlite3_value *value = arguments[argument++];
    if (as_list) {
      sqlite3_value *one = NULL;
      if (!is_quiet) printf(" (");
      for (int code = sqlite3_vtab_in_first(value, &one); code == SQLITE_OK && one; code = sqlite3_vtab_in_next(value, &one))
        if (!is_quiet) { printf(" "); print_value(one); }
      if (!is_quiet) printf(")");
    } else if (!is_quiet) {
      printf(" ");
      print_value(value);
    }
    if (op == SQLITE_INDEX_CONSTRAINT_LIMIT) limit = sqlite3_value_int64(value);
    else if (op == SQLITE_INDEX_CONSTRAINT_OFFSET) offset = sqlite3_value_int64(value);
    else if (column == COLUMNS) cursor->parameter = as_list ? NULL : sqlite3_value_dup(value);
    else keep(table, cursor, column, op, as_list, value);
  }
  if (!is_quiet) printf(" of %d\n", n);
  sorted_table = table;
  if (sort_n) qsort(cursor->chosen, cursor->n, sizeof(int), by_order);
  if (offset > 0) cursor->at = offset < cursor->n ? (int)offset : cursor->n;
  if (limit >= 0 && cursor->n - cursor->at > limit) cursor->n = cursor->at + (int)limit;
  return SQLITE_OK;
}
static int next(sqlite3_vtab_cursor *cursor) { ((Cursor *)cursor)->at++; return SQLITE_OK; }
static int eof(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->at >= ((Cursor *)cursor)->n; }
static Row *row_of(sqlite3_vtab_cursor *base) {
  Cursor *cursor = (Cursor *)base;
  return &((Table *)base->pVtab)->rows[cursor->chosen[cursor->at]];
}
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int i) {
  if (i == COLUMNS) {
    if (((Cursor *)base)->parameter) sqlite3_result_value(context, ((Cursor *)base)->parameter);
  } else if (!sqlite3_vtab_nochange(context)) {
    sqlite3_result_value(context, row_of(base)->values[i]);
  }
  return SQLITE_OK;
}
static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out) { *out = row_of(base)->rowid; return SQLITE_OK; }

static int find(Table *table, sqlite3_int64 wanted) {
  for (int i = 0; i < table->n; i++) if (table->rows[i].rowid == wanted) return i;
  return -1;
}
static void remove_row(Table *table, int at) {
  if (at < 0) return;
  free_row(&table->rows[at]);
  memmove(&table->rows[at], &table->rows[at + 1], sizeof(Row) * (size_t)(table->n - at - 1));
  table->n--;
}
static int update(sqlite3_vtab *vtab, int n, sqlite3_value **values, sqlite3_int64 *out) {
  Table *table = (Table *)vtab;
  if (!is_quiet) {
    printf("    update %s", table->name);
    for (int i = 0; i < n; i++) {
      printf(sqlite3_value_nochange(values[i]) ? " =" : " ");
      print_value(values[i]);
    }
    printf("\n");
  }
  if (n == 1) {
    remove_row(table, find(table, sqlite3_value_int64(values[0])));
    return SQLITE_OK;
  }
  int is_insert = sqlite3_value_type(values[0]) == SQLITE_NULL;
  int old = is_insert ? -1 : find(table, sqlite3_value_int64(values[0]));
  sqlite3_int64 wanted = sqlite3_value_type(values[1]) == SQLITE_NULL ? ++table->next : sqlite3_value_int64(values[1]);
  int other = find(table, wanted);
  if (other >= 0 && other != old) {
    if (!is_insert || table->n == 0) { vtab->zErrMsg = sqlite3_mprintf("row %lld is there", wanted); return SQLITE_CONSTRAINT; }
    remove_row(table, other);
  }
  if (table->next < wanted && wanted < 1000000) table->next = wanted;
  Row row = {wanted, {NULL}};
  for (int i = 0; i < COLUMNS; i++)
    row.values[i] = sqlite3_value_dup(!is_insert && sqlite3_value_nochange(values[i + 2]) ? table->rows[old].values[i] : values[i + 2]);
  if (old >= 0) {
    free_row(&table->rows[old]);
    table->rows[old] = row;
  } else {
    if (table->n == ROWS_MAX) { free_row(&row); return SQLITE_FULL; }
    table->rows[table->n++] = row;
  }
  *out = wanted;
  return SQLITE_OK;
}
static void overloaded(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  (void)values;
  sqlite3_result_int(context, 1);
}
static int find_function(sqlite3_vtab *vtab, int n, const char *name, void (**function)(sqlite3_context *, int, sqlite3_value **), void **data) {
  (void)vtab;
  (void)data;
  if (n != 2 || sqlite3_stricmp(name, "match") != 0) return 0;
  *function = overloaded;
  return 1;
}

static const sqlite3_module module = {
    .iVersion = 2, .xCreate = connect, .xConnect = connect, .xBestIndex = best_index, .xDisconnect = disconnect, .xDestroy = disconnect,
    .xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = eof, .xColumn = column, .xRowid = rowid,
    .xUpdate = update, .xFindFunction = find_function,
};

/* ---- statements ---- */

static char sql[4000];
static void add(const char *format, ...) {
  va_list list;
  va_start(list, format);
  size_t n = strlen(sql);
  vsnprintf(sql + n, sizeof sql - n, format, list);
  va_end(list);
}

static const char *const tables[] = {"v1", "v2", "v3", "t"};
static const char *const aliases[] = {"x", "y", "z"};
static const char *const columns[] = {"a", "b", "c", "d", "rowid"};
static const char *const values[] = {"1", "2", "3", "5", "'a'", "'B'", "'b'", "2.5", "NULL", "'2'", "?1", "?2", "1 + 1", "abs(-3)", "x'61'", "-1"};
static int sources;

static void add_column(void) { add("%s.%s", aliases[below(sources)], PICK(columns)); }
static void add_value(void) {
  if (below(5) == 0) add_column(); else add("%s", PICK(values));
}
static void add_condition(int depth) {
  static const char *const ops[] = {"=", "=", "=", "<", "<=", ">", ">=", "IS", "IS NOT", "<>"};
  switch (below(depth ? 12 : 9)) {
  case 0: case 1: case 2: case 3: add_column(); add(" %s ", PICK(ops)); add_value(); break;
  case 4: add_column(); add(" IN ("); add_value(); add(", "); add_value(); add(below(2) ? ", 3)" : ")"); break;
  case 5: add_column(); add(" BETWEEN "); add_value(); add(" AND "); add_value(); break;
  case 6: add_column(); add(" IN (SELECT %s FROM %s)", PICK(columns), PICK(tables)); break;
  case 7: add_column(); add(below(2) ? " IS NULL" : " IS NOT NULL"); break;
  case 8: add_column(); add(below(2) ? " LIKE 'a%%'" : " GLOB '*'"); break;
  case 9: add("("); add_condition(depth - 1); add(" OR "); add_condition(depth - 1); add(")"); break;
  case 10: add("("); add_condition(depth - 1); add(" AND "); add_condition(depth - 1); add(")"); break;
  default: add("EXISTS (SELECT 1 FROM %s AS w WHERE w.%s = ", PICK(tables), PICK(columns)); add_column(); add(")");
  }
}
static void add_where(void) {
  int n = below(4);
  for (int i = 0; i < n; i++) { add(i ? " AND " : " WHERE "); add_condition(2); }
}
static void add_sources(void) {
  static const char *const joins[] = {", ", " JOIN ", " LEFT JOIN ", " CROSS JOIN "};
  int n = 1 + (below(3) == 0) + (below(6) == 0);
  sources = 0;
  for (int i = 0; i < n; i++) {
    const char *join = i ? PICK(joins) : "";
    int takes_parameter = below(8) == 0;
    const char *table = PICK(tables);
    add("%s%s", join, table);
    if (takes_parameter && strcmp(table, "t") != 0) add("(%s)", i && below(2) ? "x.a" : "7");
    add(" AS %s", aliases[i]);
    sources = i + 1;
    if (i && join[1] != ' ' && below(2)) { add(" ON "); add_condition(1); }
  }
}
static void add_order(void) {
  if (below(2) == 0) {
    int n = 1 + below(2);
    for (int i = 0; i < n; i++) { add(i ? ", " : " ORDER BY "); add_column(); add(below(3) ? "" : " DESC"); }
  }
  if (below(3) == 0) { add(" LIMIT %d", below(6)); if (below(2)) add(" OFFSET %d", below(4)); }
}
static void make_query(void) {
  char from[2000];
  add_sources();
  add_where();
  strcpy(from, sql);
  *sql = 0;
  switch (below(6)) {
  case 0: add("SELECT DISTINCT "); add_column(); if (below(2)) { add(", "); add_column(); } add(" FROM %s", from); add_order(); break;
  case 1: add("SELECT "); add_column(); add(", count(*), "); add("%s(", PICK(((const char *const[]){"min", "max", "sum", "group_concat"}))); add_column(); add(") FROM %s GROUP BY ", from); add_column(); break;
  case 2: add("SELECT %s(", PICK(((const char *const[]){"min", "max", "count"}))); add_column(); add(") FROM %s", from); break;
  default: add("SELECT "); add_column(); add(", "); add_column(); if (below(4) == 0) add(", x.*"); add(" FROM %s", from); add_order();
  }
}
static void make_change(void) {
  const char *table = PICK(tables);
  sources = 1;
  switch (below(5)) {
  case 0: add("INSERT INTO %s(a, b, c, d) VALUES(%d, %s, %s, %s)", table, below(9), PICK(values), PICK(values), PICK(values)); break;
  case 1: add("REPLACE INTO %s(rowid, a, b) VALUES(%d, %d, %s)", table, below(9), below(9), PICK(values)); break;
  case 2: add("INSERT INTO %s(a, b, c) SELECT a + 1, b, d FROM %s WHERE a < 4 LIMIT 2", table, PICK(tables)); break;
  case 3: add("UPDATE %s AS x SET %s = %s", table, PICK(columns), below(2) ? "x.a" : PICK(values)); add_where(); break;
  default: add("DELETE FROM %s AS x", table); add_where();
  }
  if (below(4) == 0 && strncmp(sql, "REPLACE", 7) != 0) add(" RETURNING a, b");
}

static void run(sqlite3 *db) {
  sqlite3_stmt *statement = NULL;
  printf("%s\n", sql);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  if (code == SQLITE_OK) {
    sqlite3_bind_int(statement, 1, 2);
    sqlite3_bind_text(statement, 2, "a", -1, SQLITE_STATIC);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      printf("  row");
      for (int i = 0; i < sqlite3_column_count(statement); i++) { printf(" "); print_value(sqlite3_column_value(statement, i)); }
      printf("\n");
    }
  }
  printf("  %d %s, %d\n", code, code == SQLITE_DONE ? "" : sqlite3_errmsg(db), sqlite3_changes(db));
  sqlite3_finalize(statement);
}

int main(void) {
  unsigned long long seed;
  int n;
  char how[10] = "";
  if (scanf("%llu %d %9s", &seed, &n, how) < 2) return 1;
  is_quiet = strcmp(how, "quiet") == 0;
  state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
  for (int i = 0; i < 20; i++) below(2);
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module_v2(db, "rows", &module, NULL, NULL);
  for (int i = 1; i <= 3; i++) {
    *sql = 0;
    int bits = below(512) & (below(6) ? ~WANTS_PARAMETER : -1);
    add("CREATE VIRTUAL TABLE v%d USING rows(%d)", i, bits);
    run(db);
  }
  sqlite3_exec(db, "CREATE TABLE t(a INTEGER, b TEXT COLLATE NOCASE, c, d REAL)", NULL, NULL, NULL);
  if (below(2)) sqlite3_exec(db, "CREATE INDEX ta ON t(a)", NULL, NULL, NULL);
  for (int i = 0; i < 24; i++) {
    *sql = 0;
    add("INSERT INTO %s(a, b, c, d) VALUES(%d, %s, %s, %d)", tables[i % 4], below(6), PICK(values), PICK(values), below(4));
    run(db);
  }
  for (int i = 0; i < n; i++) {
    *sql = 0;
    if (below(5)) make_query(); else make_change();
    run(db);
  }
  return sqlite3_close(db);
}
