/*
** Streams of changesets whose callbacks fail: each call of xInput and xOutput once, with SQLITE_NOMEM and with another code. The operation
** answers the code, the database is as it was, and the next try gives what the same operation without streams gives.
*/
#include "check.h"

/* A changeset that is read piece by piece, and one that is written. The call with the number fail_at fails. */
typedef struct Stream { const char *data; int size, at; char *out; int out_size; int *calls; int fail_at, code; } Stream;

static int read_piece(void *context, void *to, int *size) {
  Stream *stream = context;
  if (++*stream->calls == stream->fail_at) return stream->code;
  int left = stream->size - stream->at;
  if (*size > left) *size = left;
  memcpy(to, stream->data + stream->at, *size);
  stream->at += *size;
  return SQLITE_OK;
}

static int write_piece(void *context, const void *piece, int size) {
  Stream *stream = context;
  if (++*stream->calls == stream->fail_at) return stream->code;
  stream->out = realloc(stream->out, stream->out_size + size + 1);
  memcpy(stream->out + stream->out_size, piece, size);
  stream->out_size += size;
  return SQLITE_OK;
}

static int omit(void *context, int kind, sqlite3_changeset_iter *iterator) {
  (void)context; (void)kind; (void)iterator;
  return SQLITE_CHANGESET_OMIT;
}

static int iterate(Stream *in, Stream *other, Stream *out, sqlite3 *db) {
  (void)other; (void)out; (void)db;
  sqlite3_changeset_iter *iterator = NULL;
  int code = sqlite3changeset_start_strm(&iterator, read_piece, in);
  if (code != SQLITE_OK) return code;
  while (sqlite3changeset_next(iterator) == SQLITE_ROW) {}
  return sqlite3changeset_finalize(iterator);
}

static int invert(Stream *in, Stream *other, Stream *out, sqlite3 *db) {
  (void)other; (void)db;
  return sqlite3changeset_invert_strm(read_piece, in, write_piece, out);
}

static int concat(Stream *in, Stream *other, Stream *out, sqlite3 *db) {
  (void)db;
  return sqlite3changeset_concat_strm(read_piece, in, read_piece, other, write_piece, out);
}

static int group(Stream *in, Stream *other, Stream *out, sqlite3 *db) {
  (void)db;
  sqlite3_changegroup *group = NULL;
  int code = sqlite3changegroup_new(&group);
  if (code == SQLITE_OK) code = sqlite3changegroup_add_strm(group, read_piece, in);
  if (code == SQLITE_OK) code = sqlite3changegroup_add_strm(group, read_piece, other);
  if (code == SQLITE_OK) code = sqlite3changegroup_output_strm(group, write_piece, out);
  sqlite3changegroup_delete(group);
  return code;
}

static int apply(Stream *in, Stream *other, Stream *out, sqlite3 *db) {
  (void)other; (void)out;
  return sqlite3changeset_apply_strm(db, read_piece, in, NULL, omit, NULL);
}

/* The changeset of statements. */
static char *record(const char *sql, int *size, sqlite3 **keep) {
  sqlite3 *db;
  sqlite3_session *session;
  void *changes = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  ANSWERS(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 90) "
    "INSERT INTO t SELECT i, 'row ' || i FROM n", "");
  if (keep) { *keep = db; return NULL; }
  CHECK(sqlite3session_create(db, "main", &session) == SQLITE_OK && sqlite3session_attach(session, NULL) == SQLITE_OK);
  ANSWERS(db, sql, "");
  CHECK(sqlite3session_changeset(session, size, &changes) == SQLITE_OK && *size > 2000);
  sqlite3session_delete(session);
  sqlite3_close(db);
  return changes;
}

typedef int (*Operation)(Stream*, Stream*, Stream*, sqlite3*);

/* One operation, whose call number fail_at fails; answers the number of calls. */
static int try_once(Operation operation, char *data[2], int size[2], int fail_at, int code, int *answer, char **out, int *out_size) {
  const char *content = "SELECT count(*), sum(a), sum(length(b)) FROM t";
  int calls = 0;
  sqlite3 *db = NULL;
  record(NULL, NULL, &db);
  Stream in = {data[0], size[0], 0, NULL, 0, &calls, fail_at, code};
  Stream other = {data[1], size[1], 0, NULL, 0, &calls, fail_at, code};
  Stream written = {NULL, 0, 0, NULL, 0, &calls, fail_at, code};
  char *before = answer_of(db, content);
  *answer = operation(&in, &other, &written, db);
  if (*answer != SQLITE_OK) ANSWERS(db, content, before);
  else if (operation == apply) ANSWERS(db, "SELECT count(*), sum(b = 'other') FROM t", "91|44");
  CHECK(sqlite3_get_autocommit(db));
  ANSWERS(db, "PRAGMA integrity_check", "ok");
  sqlite3_free(before);
  sqlite3_close(db);
  *out = written.out;
  *out_size = written.out_size;
  return calls;
}

/* What the last error of the connection is when a changeset cannot be applied. */
static void check_messages(char *data, int size) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "CREATE VIEW t AS SELECT 1 AS a, 2 AS b", 0, 0, 0) == SQLITE_OK);
  CHECK(sqlite3changeset_apply(db, size, data, NULL, omit, NULL) != SQLITE_OK);
  CHECK(strcmp(sqlite3_errmsg(db), "cannot modify t because it is a view") == 0);
  CHECK(sqlite3_exec(db, "DROP VIEW t; CREATE TABLE t(a INTEGER PRIMARY KEY, b); PRAGMA query_only = 1", 0, 0, 0) == SQLITE_OK);
  CHECK(sqlite3changeset_apply(db, size, data, NULL, omit, NULL) == SQLITE_READONLY);
  CHECK(strcmp(sqlite3_errmsg(db), "attempt to write a readonly database") == 0 && sqlite3_errcode(db) == SQLITE_READONLY);
  CHECK(sqlite3changeset_apply(db, size - 1, data, NULL, omit, NULL) != SQLITE_OK);
  sqlite3_close(db);
}

/* A group whose format is chosen, whose schema lacks a table, and a change with values that it cannot have. */
static void check_groups(char *data, int size) {
  sqlite3 *db;
  sqlite3_changegroup *group;
  int patchset = 0;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "CREATE TABLE other(a INTEGER PRIMARY KEY, b)", 0, 0, 0) == SQLITE_OK);
  CHECK(sqlite3changegroup_new(&group) == SQLITE_OK);
  CHECK(sqlite3changegroup_config(group, SQLITE_CHANGEGROUP_CONFIG_PATCHSET, &patchset) == SQLITE_OK && patchset == 0);
  CHECK(sqlite3changegroup_add(group, 4, "P\001\001t") == SQLITE_CORRUPT);
  CHECK(sqlite3changegroup_add(group, 16, "P\001\001p\000\022\000\001\0\0\0\0\0\0\0\007") == SQLITE_OK);
  sqlite3changegroup_delete(group);
  CHECK(sqlite3changegroup_new(&group) == SQLITE_OK);
  CHECK(sqlite3changegroup_schema(group, db, "main") == SQLITE_OK);
  CHECK(sqlite3changegroup_add(group, size, data) == SQLITE_ERROR);
  CHECK(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "other", 0, NULL) == SQLITE_OK);
  CHECK(sqlite3changegroup_change_int64(group, 0, 9, 1) == SQLITE_RANGE);
  CHECK(sqlite3changegroup_change_int64(group, 0, 0, 1) == SQLITE_ERROR);
  CHECK(sqlite3changegroup_change_int64(group, 1, -1, 1) == SQLITE_RANGE);
  CHECK(sqlite3changegroup_change_finish(group, 1, NULL) == SQLITE_OK);
  sqlite3changegroup_delete(group);
  sqlite3_close(db);
}

int main(void) {
  const Operation operations[] = {iterate, invert, concat, group, apply};
  const int codes[] = {SQLITE_NOMEM, SQLITE_FULL};
  char *data[2];
  int size[2], piece = 200;
  CHECK(sqlite3session_config(SQLITE_SESSION_CONFIG_STRMSIZE, &piece) == SQLITE_OK);
  data[0] = record("UPDATE t SET b = 'other' WHERE a % 2; DELETE FROM t WHERE a = 1; INSERT INTO t VALUES(100, hex(zeroblob(4000))), (101, 2)", &size[0], NULL);
  data[1] = record("UPDATE t SET b = 'second' WHERE a % 3 = 0; INSERT INTO t VALUES(200, hex(zeroblob(3000)))", &size[1], NULL);
  for (size_t at = 0; at < sizeof(operations) / sizeof(*operations); at++) {
    int answer, expected_size, tries = 0;
    char *expected, *out;
    int calls = try_once(operations[at], data, size, 0, 0, &answer, &expected, &expected_size);
    CHECK(answer == SQLITE_OK && calls > 9);
    for (int fail_at = 1; fail_at <= calls; fail_at++) {
      for (int i = 0; i < 2; i++, tries++) {
        int out_size;
        try_once(operations[at], data, size, fail_at, codes[i], &answer, &out, &out_size);
        if (answer != codes[i]) { failures++; fprintf(stderr, "operation %d, call %d of %d: %d\n", (int)at, fail_at, calls, answer); }
        CHECK(out_size <= expected_size && (out_size == 0 || memcmp(out, expected, out_size) == 0));
        free(out);
      }
    }
    CHECK(tries > 18);
    free(expected);
  }
  check_messages(data[0], size[0]);
  check_groups(data[0], size[0]);
  sqlite3_free(data[0]);
  sqlite3_free(data[1]);
  return failures != 0;
}
