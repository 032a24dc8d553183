/*
** Makes random calls of the C interface and prints what they answer. Standard input has the seed and the number of calls. The same
** seed makes the same calls with every library, as long as the answers are the same.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PICK(array) ((array)[below(COUNT(array))])

enum { CONNECTIONS = 2, STATEMENTS = 6, BLOBS = 2 };

static unsigned long long state;
static sqlite3 *connections[CONNECTIONS];
static sqlite3_stmt *statements[STATEMENTS];
static int statement_owner[STATEMENTS];
static sqlite3_blob *blobs[BLOBS];
static sqlite3_backup *backup;
static int backup_target; /* The application does not use it during the backup. */
static int commit_answer;

static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}

static int is_backup_target(int at) { return backup != NULL && at == backup_target; }

/* ASCII and two-byte UTF-8 as UTF-16; the text stays valid until the fourth call after this one. */
static const void *wide(const char *text) {
  static unsigned short buffers[4][1200];
  static int next;
  unsigned short *out = buffers[next++ % 4], *to = out;
  for (const unsigned char *at = (const unsigned char *)text; *at && to < out + 1199; at++) {
    int is_long = *at >= 0xc2 && *at < 0xe0;
    *to++ = is_long ? (unsigned short)((at[0] & 0x1f) << 6 | (at[1] & 0x3f)) : *at;
    at += is_long;
  }
  *to = 0;
  return out;
}

/* A UTF-16 text: its characters, those that are not ASCII as numbers. */
static void print_wide(const char *what, const void *text) {
  printf(" %s '", what);
  for (const unsigned short *at = text; at && *at; at++) {
    if (*at >= 32 && *at < 127) printf("%c", *at); else printf("\\%04x", *at);
  }
  printf(text ? "'" : "NULL'");
}

static const char *text_or_null(const void *text) { return text ? (const char *)text : "NULL"; }

static void print_bytes(const unsigned char *bytes, int n) {
  if (bytes == NULL) { printf("NULL"); return; }
  for (int i = 0; i < n && i < 24; i++) {
    if (bytes[i] >= 32 && bytes[i] < 127) printf("%c", bytes[i]); else printf("\\%02x", bytes[i]);
  }
  printf("#%d", n);
}

/* What a connection tells about its last call and its transaction. */
static void print_connection(int at) {
  sqlite3 *db = connections[at];
  if (db == NULL) { printf("    c%d closed\n", at); return; }
  int code = sqlite3_errcode(db);
  printf("    c%d error %d", at, code);
  /* A message is told for errors alone: SQLite leaves or clears it behind success by what ran inside a statement. */
  if (code != SQLITE_OK && code < SQLITE_ROW) printf(" %d '%s'", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  if (code != SQLITE_OK && code < SQLITE_ROW && state % 5 == 0) print_wide("wide", sqlite3_errmsg16(db));
  printf(" changes %lld of %lld rowid %lld autocommit %d", (long long)sqlite3_changes64(db), (long long)sqlite3_total_changes64(db),
         (long long)sqlite3_last_insert_rowid(db), sqlite3_get_autocommit(db));
  /* A statement that could not be compiled again keeps a lock in SQLite. */
  if (code == SQLITE_OK || code >= SQLITE_ROW) printf(" transaction %d", sqlite3_txn_state(db, NULL));
  printf("\n");
}

static const char *const texts[] = {"", "1", "abc", "ABC ", "12.5e2x", "-0", "9223372036854775808", "0x10", " 7 ", "\xc3\xa9\xe2\x82\xac",
  "\xf0\x9f\x98\x80 z", "null", "a%b_c"};

/* Values of functions and hooks. */

static void print_value(sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  switch (below(9)) {
    case 0: printf(" %d:i%lld", type, (long long)sqlite3_value_int64(value)); break;
    case 1: printf(" %d:r%.15g", type, sqlite3_value_double(value)); break;
    case 2: printf(" %d:n%d", type, sqlite3_value_numeric_type(value)); break;
    case 3: printf(" %d:b%d", type, sqlite3_value_bytes(value)); break;
    case 4: printf(" %d:w%d", type, sqlite3_value_bytes16(value)); break;
    case 5: printf(" %d:c%d f%d s%d e%d", type, sqlite3_value_nochange(value), sqlite3_value_frombind(value),
                   sqlite3_value_subtype(value), type == SQLITE_TEXT ? sqlite3_value_encoding(value) : 0); break;
    case 6: {
      sqlite3_value *copy = sqlite3_value_dup(value);
      printf(" %d:d'%s'", type, text_or_null(sqlite3_value_text(copy)));
      sqlite3_value_free(copy);
      break;
    }
    case 7: {
      const unsigned char *bytes = sqlite3_value_blob(value);
      printf(" %d:x", type);
      print_bytes(bytes, sqlite3_value_bytes(value));
      break;
    }
    default: printf(" %d:'%s'", type, text_or_null(sqlite3_value_text(value)));
  }
}

static void on_function(sqlite3_context *context, int count, sqlite3_value **values) {
  printf("    f%ld:", (long)(size_t)sqlite3_user_data(context));
  for (int i = 0; i < count; i++) print_value(values[i]);
  printf("\n");
  switch (below(14)) {
    case 0: sqlite3_result_error(context, "wrong \xe2\x82\xac", -1); break;
    case 1: sqlite3_result_error_code(context, SQLITE_CONSTRAINT_FUNCTION); break;
    case 2: sqlite3_result_error_toobig(context); break;
    case 3: sqlite3_result_null(context); break;
    case 4: sqlite3_result_int64(context, below(100) - 50); break;
    case 5: sqlite3_result_double(context, below(100) / 8.0); break;
    case 6: sqlite3_result_zeroblob(context, below(5)); break;
    case 7: sqlite3_result_text(context, PICK(texts), -1, SQLITE_TRANSIENT); break;
    case 8: sqlite3_result_blob(context, "\x01\x02z", 3, SQLITE_STATIC); break;
    case 9: sqlite3_result_text(context, "[1,2]", -1, SQLITE_STATIC); sqlite3_result_subtype(context, 'J'); break;
    case 10: sqlite3_result_text16(context, "a\0b\0", below(2) ? -1 : 4, SQLITE_TRANSIENT); break;
    default: if (count > 0) sqlite3_result_value(context, values[below(count)]);
  }
}

static void on_sum_step(sqlite3_context *context, int count, sqlite3_value **values) {
  long long *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (sum && count > 0) *sum += sqlite3_value_int64(values[0]);
}

static void on_sum_inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  long long *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (sum && count > 0) *sum -= sqlite3_value_int64(values[0]);
}

static void on_sum_value(sqlite3_context *context) {
  long long *sum = sqlite3_aggregate_context(context, 0);
  if (sum) sqlite3_result_int64(context, *sum);
}

static void on_destroy(void *arg) { printf("    destroyed %ld\n", (long)(size_t)arg); }

static int on_compare(void *arg, int n, const void *a, int m, const void *b) {
  int shorter = n < m ? n : m;
  int order = memcmp(a, b, (size_t)shorter);
  return arg ? (order ? -order : m - n) : (order ? order : n - m);
}

static void on_update(void *arg, int op, const char *database, const char *table, sqlite3_int64 rowid) {
  if (strncmp(database, "vacuum_", 7) == 0) return; /* SQLite tells of views and triggers that VACUUM copies */
  printf("    update hook %d %s.%s %lld\n", op, database, table, (long long)rowid);
}
static void on_rollback(void *arg) { printf("    rollback hook\n"); }
static int on_busy(void *arg, int count) { printf("    busy %d\n", count); return count < (int)(size_t)arg; }
static int on_progress(void *arg) { return 0; }

/* What the authorizer was asked during a call, each question once: SQLite repeats some, and orders them otherwise. */
enum { QUESTIONS = 200 };
static char questions[QUESTIONS][120];
static int question_count;

static int on_question(void *arg, int action, const char *first, const char *second, const char *database, const char *inner) {
  char question[120];
  /* What SQLite asks about tables of its own, and about a view that cannot be changed, is not compared. */
  if (first && strncmp(first, "sqlite_", 7) == 0) return SQLITE_OK;
  if (inner && strcmp(inner, "v") == 0) return SQLITE_OK;
  /* The name of the database that VACUUM attaches is random. */
  if (database && strncmp(database, "vacuum_", 7) == 0) database = "vacuum_";
  if (first && strncmp(first, "vacuum_", 7) == 0) first = "vacuum_";
  snprintf(question, sizeof question, "%d %s %s %s %s", action, text_or_null(first), text_or_null(second), text_or_null(database), text_or_null(inner));
  int at = 0;
  while (at < question_count && strcmp(questions[at], question) < 0) at++;
  int is_known = at < question_count && strcmp(questions[at], question) == 0;
  if (!is_known && question_count < QUESTIONS) {
    memmove(questions[at + 1 < QUESTIONS ? at + 1 : at], questions[at], (size_t)(question_count - at) * sizeof questions[0]);
    strcpy(questions[at], question);
    question_count++;
  }
  unsigned hash = (unsigned)(size_t)arg;
  for (const char *c = question; *c; c++) hash = hash * 31 + (unsigned char)*c;
  if (hash % 37 == 0 && action != SQLITE_SELECT) return SQLITE_DENY;
  return hash % 23 == 0 && action == SQLITE_READ ? SQLITE_IGNORE : SQLITE_OK;
}

static void print_questions(void) {
  for (int i = 0; i < question_count; i++) printf("    asked %s\n", questions[i]);
  question_count = 0;
}

static int on_commit(void *arg) { printf("    commit hook\n"); return commit_answer; }
static int on_wal(void *arg, sqlite3 *db, const char *name, int pages) {
  printf("    wal hook %s %d\n", name, pages);
  return SQLITE_OK;
}
static int on_trace(unsigned what, void *arg, void *p, void *x) {
  if (what == SQLITE_TRACE_STMT) printf("    trace %s\n", (const char *)x);
  if (what == SQLITE_TRACE_CLOSE) printf("    trace close\n");
  return 0;
}
/* SQL. */

static const char *const expressions[] = {"a", "b", "c", "d", "?", "?2", ":x", "@y", "$z::w(1)", "'text'", "1", "2.5", "NULL", "x'6162'",
  "f(a, ?)", "g(b)", "f()", "b || c", "json(c)", "changes()", "last_insert_rowid()", "typeof(?1)", "a + ?3", "b COLLATE k",
  "count(*) OVER (ORDER BY a)", "h(a) OVER (ORDER BY a)", "(SELECT max(a) FROM t)", "CAST(b AS INT)", "zeroblob(3)", "total_changes()", "length(c)"};
static const char *const tables[] = {"t", "t", "t", "u", "v", "temp.w", "aux.t", "json_each('[1,[2],{\"a\":3}]') AS t", "nowhere"};
static const char *const conditions[] = {"", "", "WHERE a > 2", "WHERE b = :x", "WHERE c IS NOT ?", "WHERE rowid IN (1, 3, 5)", "WHERE g(a)",
  "WHERE b LIKE ?", "ORDER BY c", "ORDER BY b COLLATE k, a DESC", "LIMIT 2", "LIMIT ?1", "GROUP BY b"};
static const char *const fixed[] = {"BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
  "ROLLBACK TO s", "PRAGMA user_version", "PRAGMA user_version = 7", "PRAGMA journal_mode", "PRAGMA journal_mode = WAL", "PRAGMA journal_mode = DELETE",
  "PRAGMA table_info(t)", "PRAGMA foreign_keys = ON", "VACUUM", "REINDEX", "", "  -- nothing", "SELECT 1; SELECT 2", "SELECT 1;;", "SELEC",
  "SELECT * FROM", "CREATE TABLE x(a, b)", "DROP TABLE x", "CREATE INDEX i ON t(b COLLATE k)", "DROP INDEX i", "ALTER TABLE u ADD COLUMN e DEFAULT 5",
  "ALTER TABLE u RENAME COLUMN q TO s", "ATTACH ':memory:' AS aux", "ATTACH '' AS aux", "DETACH aux", 
  "CREATE TEMP TABLE w(a, b, c, d)", "DROP TABLE temp.w", 
  "PRAGMA temp.user_version = 3", "PRAGMA wal_checkpoint", "PRAGMA locking_mode", "DELETE FROM t WHERE a = 4 RETURNING *",
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4) SELECT i, ? FROM n", "VALUES (1, ?), (?, 4)", "SELECT ?, ?2, ?, :x, ?9",
  "INSERT INTO v(a) VALUES (1)", "SELECT 'unclosed", "SELECT /* open", "SELECT a FROM t WHERE a = ?1 AND b = ?1", "SELECT $a, $b(c)", "PRAGMA encoding"};

/* A random statement; the text stays valid until the next. */
static const char *random_sql(void) {
  static char sql[1000];
  const char *table = PICK(tables);
  const char *or = PICK(((const char *const[]){"", "", "", "OR REPLACE ", "OR IGNORE ", "OR FAIL ", "OR ROLLBACK "}));
  switch (below(9)) {
    case 0: case 1:
      snprintf(sql, sizeof sql, "SELECT %s, %s FROM %s %s", PICK(expressions), PICK(expressions), table, PICK(conditions)); break;
    case 2: snprintf(sql, sizeof sql, "SELECT %s AS n, * FROM %s %s", PICK(expressions), table, PICK(conditions)); break;
    case 3: snprintf(sql, sizeof sql, "INSERT %sINTO t(a, b, c, d) VALUES (%d, ?, %s, 1.5)", or, below(12), PICK(((const char *const[]){"?", ":x", "NULL", "'v'"}))); break;
    case 4: snprintf(sql, sizeof sql, "UPDATE %st SET %s = %s WHERE a %s %d", or, PICK(((const char *const[]){"a", "b", "c"})),
                     PICK(((const char *const[]){"?", "a + 1", "f(b)", "NULL"})), PICK(((const char *const[]){"=", ">", "<"})), below(12)); break;
    case 5: snprintf(sql, sizeof sql, "DELETE FROM %s WHERE a = %d", PICK(((const char *const[]){"t", "u", "v"})), below(12)); break;
    case 6: snprintf(sql, sizeof sql, "INSERT INTO u VALUES (%d, ?, 'c') RETURNING p, q", below(6)); break;
    default: return PICK(fixed);
  }
  return sql;
}

/* Calls on statements. */

static int prepare_wide(sqlite3 *db, const char *sql, int length, sqlite3_stmt **statement, const char **tail) {
  const void *text = wide(sql), *rest = NULL;
  int code = sqlite3_prepare16_v2(db, text, length < 0 ? -1 : 2 * length, statement, &rest);
  *tail = rest ? sql + ((const char *)rest - (const char *)text) / 2 : NULL;
  return code;
}

static void prepare(int at) {
  int owner = below(CONNECTIONS);
  sqlite3 *db = connections[owner];
  if (db == NULL || is_backup_target(owner) || (statements[at] && is_backup_target(statement_owner[at]))) return;
  if (statements[at]) printf("  finalize s%d %d\n", at, sqlite3_finalize(statements[at]));
  statements[at] = NULL;
  const char *sql = random_sql();
  const char *tail = NULL;
  if (strncmp(sql, "PRAGMA journal_mode =", 21) == 0) return; /* its program keeps locks while it stands on its row */
  /* SQLite compiles it to nothing before it has loaded the schema. */
  if (strcmp(sql, "REINDEX") == 0 && sqlite3_exec(db, "SELECT 1 FROM t", NULL, NULL, NULL) != SQLITE_OK) return;
  int length = below(8) == 0 ? below((int)strlen(sql) + 2) : -1;
  int kind = below(8);
  printf("  prepare s%d on c%d kind %d length %d: %s\n", at, owner, kind, length, sql);
  int code = kind == 1 ? sqlite3_prepare_v3(db, sql, length, SQLITE_PREPARE_PERSISTENT, &statements[at], &tail)
           : kind == 2 ? sqlite3_prepare(db, sql, length, &statements[at], &tail)
           : kind == 3 ? prepare_wide(db, sql, length, &statements[at], &tail)
                       : sqlite3_prepare_v2(db, sql, length, &statements[at], &tail);
  statement_owner[at] = owner;
  if (code != SQLITE_INTERRUPT) printf("    offset %d\n", sqlite3_error_offset(db));
  /* Where the parser stops at an interruption is not compared. */
  printf("    %d %s tail %d\n", code, statements[at] ? "made" : "none", tail && code != SQLITE_INTERRUPT ? (int)(tail - sql) : -1);
  sqlite3_stmt *made = statements[at];
  if (made) {
    printf("    columns %d parameters %d readonly %d explain %d\n", sqlite3_column_count(made), sqlite3_bind_parameter_count(made),
           sqlite3_stmt_readonly(made), sqlite3_stmt_isexplain(made));
  }
}

/* The type first: after a conversion it is undefined. */
static void print_column(sqlite3_stmt *statement, int column, int wide) {
  switch (wide ? PICK(((const int[]){0, 1, 2, 3, 4, 4, 5, 6, 7})) : PICK(((const int[]){0, 1, 2, 4, 6, 7, 8}))) {
    case 0: printf(" i%lld", (long long)sqlite3_column_int64(statement, column)); break;
    case 1: printf(" r%.15g", sqlite3_column_double(statement, column)); break;
    case 2: printf(" n%d", sqlite3_column_bytes(statement, column)); break;
    case 3: printf(" w%d", sqlite3_column_bytes16(statement, column)); break;
    case 4: {
      const unsigned char *bytes = sqlite3_column_blob(statement, column);
      printf(" b");
      print_bytes(bytes, sqlite3_column_bytes(statement, column));
      break;
    }
    case 5: {
      const unsigned char *bytes = sqlite3_column_text16(statement, column);
      printf(" u");
      print_bytes(bytes, sqlite3_column_bytes16(statement, column));
      break;
    }
    case 6: printf(" j%d", sqlite3_column_int(statement, column)); break;
    default: printf(" '%s'", text_or_null(sqlite3_column_text(statement, column)));
  }
}

static void print_columns(sqlite3_stmt *statement) {
  int count = sqlite3_column_count(statement);
  int wide = below(4) == 0;
  printf("    data %d:", sqlite3_data_count(statement));
  for (int i = 0; i < count; i++) printf(" %d", sqlite3_column_type(statement, i));
  for (int calls = below(2 * count + 2); calls > 0; calls--) {
    int column = below(count + 2) - (below(10) == 0);
    printf(" [%d]", column);
    print_column(statement, column, wide);
  }
  printf("\n");
}

static void print_names(sqlite3_stmt *statement) {
  for (int i = -1; i <= sqlite3_column_count(statement); i++) {
    printf("    name %s type %s from %s.%s.%s\n", text_or_null(sqlite3_column_name(statement, i)),
           text_or_null(sqlite3_column_decltype(statement, i)), text_or_null(sqlite3_column_database_name(statement, i)),
           text_or_null(sqlite3_column_table_name(statement, i)), text_or_null(sqlite3_column_origin_name(statement, i)));
    if (state % 3 == 0) {
      print_wide("name", sqlite3_column_name16(statement, i));
      print_wide("type", sqlite3_column_decltype16(statement, i));
      print_wide("table", sqlite3_column_table_name16(statement, i));
      printf("\n");
    }
  }
  for (int i = 0; i <= sqlite3_bind_parameter_count(statement) + 1; i++) {
    printf("    parameter %d %s\n", i, text_or_null(sqlite3_bind_parameter_name(statement, i)));
  }
  printf("    :x is %d, $z is %d, ?2 is %d\n", sqlite3_bind_parameter_index(statement, ":x"),
         sqlite3_bind_parameter_index(statement, "$z::w(1)"), sqlite3_bind_parameter_index(statement, "?2"));
}

static int bind(sqlite3_stmt *statement, int index) {
  const char *text = PICK(texts);
  int other = below(STATEMENTS), column = below(4);
  switch (below(13)) {
    case 0: return sqlite3_bind_null(statement, index);
    case 10: return sqlite3_bind_value(statement, index, statements[other] ? sqlite3_column_value(statements[other], column) : sqlite3_column_value(statement, 0));
    case 1: return sqlite3_bind_int(statement, index, below(12));
    case 2: return sqlite3_bind_int64(statement, index, 9007199254740993LL + below(3));
    case 3: return sqlite3_bind_double(statement, index, below(64) / 4.0);
    case 4: return sqlite3_bind_blob(statement, index, text, (int)strlen(text), SQLITE_TRANSIENT);
    case 5: return sqlite3_bind_zeroblob(statement, index, below(6));
    case 6: return sqlite3_bind_text16(statement, index, "x\0y\0", below(2) ? -1 : 2, SQLITE_STATIC);
    case 7: return sqlite3_bind_text64(statement, index, text, strlen(text), SQLITE_TRANSIENT, SQLITE_UTF8);
    case 8: return sqlite3_bind_pointer(statement, index, (void *)text, "kind", NULL);
    case 9: return sqlite3_bind_text(statement, index, NULL, 5, SQLITE_STATIC);
    default: return sqlite3_bind_text(statement, index, text, below(4) ? -1 : below((int)strlen(text) + 1), SQLITE_STATIC);
  }
}

static void call_statement(void) {
  int at = below(STATEMENTS);
  sqlite3_stmt *statement = statements[at];
  if (statement == NULL) { prepare(at); return; }
  if (is_backup_target(statement_owner[at])) return;
  switch (below(24)) {
    case 0: case 1: prepare(at); break;
    case 2: printf("  finalize s%d %d\n", at, sqlite3_finalize(statement)); statements[at] = NULL; break;
    case 3: case 4: printf("  reset s%d %d\n", at, sqlite3_reset(statement)); break;
    case 5: printf("  clear s%d %d\n", at, sqlite3_clear_bindings(statement)); break;
    case 6: printf("  names s%d\n", at); print_names(statement); break;
    case 7: {
      char *expanded = sqlite3_expanded_sql(statement);
      printf("  sql s%d %s / %s busy %d\n", at, text_or_null(sqlite3_sql(statement)), text_or_null(expanded), sqlite3_stmt_busy(statement));
      sqlite3_free(expanded);
      break;
    }
    case 8: {
      int count = sqlite3_data_count(statement);
      printf("  columns s%d\n", at);
      for (int i = 0; i < count; i++) printf("    '%s'\n", text_or_null(sqlite3_column_text(statement, i)));
      break;
    }
    case 9: {
      int mode = -below(2); /* a listing on a row keeps the snapshot in SQLite */
      printf("  explain s%d %d: %d\n", at, mode, sqlite3_stmt_explain(statement, mode));
      break;
    }
    case 10: {
      int to = below(STATEMENTS);
      if (statements[to] && statement_owner[to] == statement_owner[at]) printf("  transfer s%d to s%d %d\n", at, to, sqlite3_transfer_bindings(statement, statements[to]));
      break;
    }
    case 11: case 12: case 13: case 14: {
      int index = below(sqlite3_bind_parameter_count(statement) + 2);
      printf("  bind s%d %d: ", at, index);
      printf("%d\n", bind(statement, index));
      break;
    }
    default: {
      printf("  step s%d %s\n", at, sqlite3_sql(statement));
      int code = sqlite3_step(statement);
      printf("    %d\n", code);
      /* SQLite does not end a statement that waits for a lock; a reset behind a preparation that failed has its code, and the last error
         of another call. */
      if (code != SQLITE_ROW && code != SQLITE_DONE && code != SQLITE_CONSTRAINT) sqlite3_reset(statement);
      /* Listings of programs are each library's own. */
      if ((code == SQLITE_ROW || (code == SQLITE_DONE && below(8) == 0)) && !sqlite3_stmt_isexplain(statement)) print_columns(statement);
    }
  }
  if (statements[at]) print_connection(statement_owner[at]);
}

/* Calls on BLOB handles and backups. */

static void call_blob(void) {
  int at = below(BLOBS);
  sqlite3 *db = connections[0];
  char buffer[20] = "0123456789";
  if (db == NULL || is_backup_target(0)) return;
  if (blobs[at] == NULL || below(6) == 0) {
    if (blobs[at]) printf("  blob %d close %d\n", at, sqlite3_blob_close(blobs[at]));
    blobs[at] = NULL;
    const char *table = PICK(tables), *column = PICK(((const char *const[]){"a", "b", "c", "nowhere"}));
    int row = below(12), flags = below(2);
    printf("  blob %d open %s %s %d %d\n", at, table, column, row, flags);
    int code = sqlite3_blob_open(db, PICK(((const char *const[]){"main", "main", "temp", "aux", "zz"})), table, column, row, flags, &blobs[at]);
    printf("    %d %s\n", code, blobs[at] ? "open" : "none");
  } else {
    int n = below(6) - (below(10) == 0), offset = below(6) - (below(10) == 0);
    switch (below(4)) {
      case 0: printf("  blob %d read %d %d: %d ", at, n, offset, sqlite3_blob_read(blobs[at], buffer, n, offset)); print_bytes((unsigned char *)buffer, 10); printf("\n"); break;
      case 1: printf("  blob %d write %d %d: %d\n", at, n, offset, sqlite3_blob_write(blobs[at], "ABCDEFGH", n, offset)); break;
      case 2: {
        int row = below(12), code = sqlite3_blob_reopen(blobs[at], row);
        printf("  blob %d reopen %d: %d\n", at, row, code & 0xff);
        if (code != SQLITE_OK) {
          sqlite3_blob_close(blobs[at]);
          blobs[at] = NULL;
        }
        break;
      }
      default: printf("  blob %d bytes %d\n", at, sqlite3_blob_bytes(blobs[at]));
    }
  }
  print_connection(0);
}

static void call_backup(void) {
  if (connections[0] == NULL || connections[1] == NULL) return;
  if (backup == NULL) {
    int back = below(2);
    const char *to = PICK(((const char *const[]){"aux", "aux", "zz"})), *from = PICK(((const char *const[]){"main", "main", "main", "zz"}));
    printf("  backup init c%d %s from c%d %s\n", back, to, 1 - back, from);
    backup_target = back;
    backup = sqlite3_backup_init(connections[back], to, connections[1 - back], from);
    printf("    %s\n", backup ? "made" : "none");
    print_connection(back);
  } else if (below(3)) {
    int pages = below(4) - 1;
    int code = sqlite3_backup_step(backup, pages);
    printf("  backup step %d: %d remaining %d of %d\n", pages, code, sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup));
    if (code != SQLITE_OK) {
      printf("  backup finish %d\n", sqlite3_backup_finish(backup));
      backup = NULL;
    }
  } else {
    printf("  backup finish %d\n", sqlite3_backup_finish(backup));
    backup = NULL;
  }
}

/* Calls on connections. */

static void define(sqlite3 *db) {
  void *id = (void *)(size_t)(1 + below(9));
  int flags = PICK(((const int[]){SQLITE_UTF8, SQLITE_UTF16LE, SQLITE_ANY, SQLITE_UTF8 | SQLITE_DETERMINISTIC, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                  SQLITE_UTF8 | SQLITE_SUBTYPE | SQLITE_RESULT_SUBTYPE, 77}));
  int code;
  int what = below(7);
  printf("  define %d flags %d\n", what, flags);
  switch (what) {
    case 0: code = sqlite3_create_function_v2(db, "f", below(4) - 1, flags, id, on_function, NULL, NULL, on_destroy); break;
    case 1: code = sqlite3_create_function_v2(db, "g", 1, flags, id, on_function, NULL, NULL, on_destroy); break;
    case 2: code = sqlite3_create_function_v2(db, below(2) ? "f" : "length", 1, flags, NULL, NULL, NULL, NULL, NULL); break;
    case 3: code = sqlite3_create_window_function(db, "h", 1, SQLITE_UTF8, id, on_sum_step, on_sum_value, on_sum_value, on_sum_inverse, on_destroy); break;
    case 4: code = sqlite3_create_function_v2(db, "h", 1, SQLITE_UTF8, id, NULL, on_sum_step, on_sum_value, on_destroy); break;
    case 5: code = sqlite3_create_function(db, "m", 1, SQLITE_UTF8, NULL, on_function, on_sum_step, NULL); break;
    default: code = sqlite3_create_collation_v2(db, "k", below(8) ? SQLITE_UTF8 : 9, (void *)(size_t)below(2), below(6) ? on_compare : NULL, on_destroy);
  }
  printf("    %d\n", code);
}

static void set_hooks(sqlite3 *db) {
  switch (below(12)) {
    case 8: printf("  rollback hook %d\n", sqlite3_rollback_hook(db, below(3) ? on_rollback : NULL, (void *)1) != NULL); break;
    case 9: printf("  busy handler %d\n", sqlite3_busy_handler(db, below(4) ? on_busy : NULL, (void *)(size_t)below(3))); break;
    case 10: sqlite3_progress_handler(db, below(3) * 100, below(2) ? on_progress : NULL, NULL); break;
    case 11: printf("  authorizer %d\n", sqlite3_set_authorizer(db, below(2) ? on_question : NULL, (void *)(size_t)below(1000))); break;
    case 0: printf("  update hook %d\n", sqlite3_update_hook(db, below(2) ? on_update : NULL, (void *)1) != NULL); break;
    case 1: commit_answer = below(5) == 0; printf("  commit hook %d\n", sqlite3_commit_hook(db, below(3) ? on_commit : NULL, (void *)1) != NULL); break;
    case 3: printf("  wal hook %d\n", sqlite3_wal_hook(db, below(2) ? on_wal : NULL, (void *)1) != NULL); break;
    case 4: printf("  trace %d\n", sqlite3_trace_v2(db, PICK(((const unsigned[]){0, SQLITE_TRACE_STMT, SQLITE_TRACE_STMT | SQLITE_TRACE_CLOSE})), below(3) ? on_trace : NULL, NULL)); break;
    case 5: printf("  autocheckpoint %d\n", sqlite3_wal_autocheckpoint(db, below(3))); break;
    default: printf("  busy timeout %d\n", sqlite3_busy_timeout(db, 0));
  }
}

static int on_row(void *arg, int count, char **values, char **names) {
  printf("    row");
  for (int i = 0; i < count; i++) printf(" %s=%s", names[i], text_or_null(values[i]));
  printf("\n");
  return arg != NULL;
}

/* SQLite calls the commit hook about a change of the journal mode. */
static void forget_commit_hook(sqlite3 *db, const char *sql) {
  if (strncmp(sql, "PRAGMA journal_mode =", 21) == 0) sqlite3_commit_hook(db, NULL, NULL);
}

static void execute(sqlite3 *db) {
  char *message = NULL;
  int stops = below(10) == 0;
  const char *sql = random_sql();
  printf("  exec %d: %s\n", stops, sql);
  forget_commit_hook(db, sql);
  int code = sqlite3_exec(db, sql, on_row, stops ? db : NULL, &message);
  printf("    %d %s\n", code, text_or_null(message));
  sqlite3_free(message);
}

static void table(sqlite3 *db) {
  char **result = NULL, *message = NULL;
  int rows = 0, columns = 0;
  const char *sql = random_sql();
  printf("  table: %s\n", sql);
  forget_commit_hook(db, sql);
  int code = sqlite3_get_table(db, sql, &result, &rows, &columns, &message);
  printf("    %d rows %d columns %d %s\n", code, rows, columns, text_or_null(message));
  for (int i = 0; result && i < (rows + 1) * columns && i < 12; i++) printf("    %s\n", text_or_null(result[i]));
  sqlite3_free_table(result);
  sqlite3_free(message);
}

static void print_metadata(sqlite3 *db) {
  const char *type = NULL, *collation = NULL;
  int not_null = 0, primary_key = 0, autoincrement = 0;
  const char *schema = PICK(((const char *const[]){NULL, "main", "temp", "aux", "zz"})), *name = PICK(tables);
  const char *column = PICK(((const char *const[]){NULL, "a", "b", "rowid", "d", "nowhere"}));
  int code = sqlite3_table_column_metadata(db, schema, name, column, &type, &collation, &not_null, &primary_key, &autoincrement);
  printf("  metadata %s.%s.%s: %d %s %s %d %d %d\n", text_or_null(schema), name, text_or_null(column), code, text_or_null(type),
         text_or_null(collation), not_null, primary_key, autoincrement);
}

static void configure(sqlite3 *db) {
  switch (below(9)) {
    case 0: { int id = PICK(((const int[]){-1, 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12})), value = below(3) ? -1 : 1 + below(2000); printf("  limit %d %d: %d\n", id, value, sqlite3_limit(db, id, value)); break; }
    case 1: {
      int what = PICK(((const int[]){SQLITE_DBCONFIG_ENABLE_FKEY, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_DEFENSIVE,
                                     SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_TRIGGER_EQP, SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_REVERSE_SCANORDER, 999}));
      int on = below(3) - 1, now = -1;
      printf("  config %d %d: %d", what, on, sqlite3_db_config(db, what, on, &now));
      printf(" %d\n", now);
      break;
    }
    case 2: printf("  extended codes %d\n", sqlite3_extended_result_codes(db, below(2))); break;
    case 3: sqlite3_set_last_insert_rowid(db, below(100)); printf("  set rowid\n"); break;
    case 4: sqlite3_interrupt(db); printf("  interrupt %d\n", sqlite3_is_interrupted(db)); break;
    case 5: printf("  release %d\n", sqlite3_db_release_memory(db)); break;
    case 6: printf("  set error %d\n", sqlite3_set_errmsg(db, PICK(((const int[]){0, 1, 19, 5})), PICK(((const char *const[]){NULL, "told so"})))); break;
    case 7: printf("  overload %d\n", sqlite3_overload_function(db, PICK(((const char *const[]){"f", "h", "zz", "abs"})), below(3))); break;
    default: printf("  names %s %s readonly %d %d %d\n", text_or_null(sqlite3_db_name(db, 0)), text_or_null(sqlite3_db_name(db, 2)),
                    sqlite3_db_readonly(db, "main"), sqlite3_db_readonly(db, "aux"), sqlite3_db_readonly(db, "zz"));
  }
}

static void image(sqlite3 *db) {
  sqlite3_int64 size = 0;
  sqlite3_trace_v2(db, 0, NULL, NULL); /* SQLite runs statements of its own. */
  sqlite3_commit_hook(db, NULL, NULL);
  unsigned char *bytes = sqlite3_serialize(db, PICK(((const char *const[]){"main", "aux", "zz"})), &size, 0);
  printf("  serialize %s %lld\n", bytes ? "made" : "none", (long long)size);
  if (bytes && sqlite3_get_autocommit(db) && below(2)) {
    printf("    deserialize %d\n", sqlite3_deserialize(db, "aux", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  } else {
    sqlite3_free(bytes);
  }
}

static void checkpoint(sqlite3 *db) {
  int log = -7, done = -7, mode = below(6) - 1;
  const char *name = PICK(((const char *const[]){NULL, "main", "main", "zz"}));
  int code = sqlite3_wal_checkpoint_v2(db, name, mode, &log, &done);
  printf("  checkpoint %s %d: %d %d %d\n", text_or_null(name), mode, code, log, done);
}

static void open_connection(int at) {
  int code = sqlite3_open("calls.db", &connections[at]);
  sqlite3_exec(connections[at], "PRAGMA synchronous = OFF", NULL, NULL, NULL);
  printf("  open c%d %d\n", at, code);
}

static void close_connection(int at) {
  if (blobs[0] || blobs[1]) return; /* SQLite forgets about a handle whose row is gone */
  int code = sqlite3_close(connections[at]);
  printf("  close c%d %d\n", at, code);
  if (code == SQLITE_OK) connections[at] = NULL;
}

static void call_connection(void) {
  int at = below(CONNECTIONS);
  sqlite3 *db = connections[at];
  if (db == NULL) { open_connection(at); return; }
  if (is_backup_target(at)) return;
  switch (below(22)) {
    case 0: case 1: define(db); break;
    case 2: case 3: set_hooks(db); break;
    case 4: print_metadata(db); break;
    case 5: case 6: configure(db); break;
    case 7: if (below(3) == 0) image(db); break;
    case 8: checkpoint(db); break;
    case 9: table(db); break;
    case 10: if (below(4) == 0) close_connection(at); break;
    default: execute(db);
  }
  print_connection(at);
}

int main(void) {
  int count = 0;
  if (scanf("%llu %d", &state, &count) != 2) return 2;
  state = state * 2654435761u + 88172645463325252ull;
  char folder[] = "/tmp/lithe-calls-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 3;
  int encoding = (int)(state % 11);
  for (int i = 0; i < CONNECTIONS; i++) open_connection(i);
  if (encoding < 2) sqlite3_exec(connections[0], encoding ? "PRAGMA encoding = 'UTF-16be'" : "PRAGMA encoding = 'UTF-16le'", NULL, NULL, NULL);
  sqlite3_exec(connections[0],
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c, d REAL DEFAULT 1); CREATE TABLE u(p INT PRIMARY KEY, q TEXT NOT NULL, r CHECK (r <> 'z')) WITHOUT ROWID;"
    "CREATE VIEW v AS SELECT a, b AS name, c FROM t; CREATE TRIGGER g AFTER DELETE ON t BEGIN INSERT OR IGNORE INTO u VALUES (old.a, old.a, 'd'); END;"
    "INSERT INTO t VALUES (1, 'one', x'000102', 1), (2, 'two', '[1,{}]', 2.5), (3, NULL, NULL, 'x'), (4, '4', zeroblob(9), 9), (5, 'five', 5.0, NULL);", NULL, NULL, NULL);
  for (int i = 0; i < count; i++) {
    printf("%d\n", i);
    int what = below(20);
    print_questions();
    if (what < 11) call_statement();
    else if (what < 17) call_connection();
    else if (what < 19) call_blob();
    else call_backup();
  }
  const char *files[] = {"calls.db", "calls.db-journal", "calls.db-wal", "calls.db-shm"};
  for (int i = 0; i < COUNT(files); i++) remove(files[i]);
  return rmdir(folder) != 0;
}
