/*
** The C interface as its documentation has it, at its edges: VFSes and URIs of attached databases, statements of the old
** interface, what errors are told, limits, load_extension(), traces of nested statements, callbacks without rows.
**
** Argument: an empty folder. Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well.
*/
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include "check.h"
#include <pthread.h>
#include <unistd.h>

static sqlite3 *open_on(const char *name, const char *vfs) {
  sqlite3 *db = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  CHECK(sqlite3_open_v2(name, &db, flags, vfs) == SQLITE_OK);
  return db;
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  return statement;
}

static sqlite3_stmt *prepared_in_old_way(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare(db, sql, -1, &statement, NULL) == SQLITE_OK);
  return statement;
}

#define SAME(text, expected) do { const char *got = (const char*)(text); if (!got || strcmp(got, expected) != 0) { \
  failures++; fprintf(stderr, "%s:%d: got %s\n  expected %s\n", __FILE__, __LINE__, got ? got : "(null)", expected); } } while (0)

/* The VFSes that are built in, and how each locks. */
static void locking_styles(void) {
  static const char *const names[] = {"unix", "unix-excl", "unix-dotfile", "unix-none"};
  static const char *const journals[] = {"wal", "wal", "delete", "delete"};
  for (int i = 0; i < 4; i++) {
    unlink("style.db");
    sqlite3 *db = open_on("style.db", names[i]);
    char *name = NULL;
    CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name) == SQLITE_OK);
    SAME(name, names[i]);
    sqlite3_free(name);
    CHECK(sqlite3_vfs_find(names[i]) && strcmp(sqlite3_vfs_find(names[i])->zName, names[i]) == 0);
    ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
    ANSWERS(db, "PRAGMA journal_mode = wal", journals[i]);
    ANSWERS(db, "BEGIN; INSERT INTO t VALUES(2)", "");
    CHECK((access("style.db.lock", F_OK) == 0) == (i == 2));
    CHECK((access("style.db-shm", F_OK) == 0) == (i == 0));
    sqlite3 *other = open_on("style.db", names[i]);
    ANSWERS(other, "SELECT count(*) FROM t", i == 2 ? "error 5: database is locked" : "1");
    ANSWERS(other, "INSERT INTO t VALUES(3)", i == 3 ? "" : "error 5: database is locked");
    if (i != 3) ANSWERS(db, "COMMIT", "");
    CHECK(sqlite3_close(other) == SQLITE_OK && sqlite3_close(db) == SQLITE_OK);
    CHECK(access("style.db.lock", F_OK) != 0);
  }
  sqlite3 *db = NULL;
  CHECK(sqlite3_open_v2("x.db", &db, SQLITE_OPEN_READWRITE, "unix-nolock") == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "no such vfs: unix-nolock");
  sqlite3_close(db);
  db = open_on("in memory", "memdb");
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1); SELECT * FROM t", "1");
  CHECK(sqlite3_close(db) == SQLITE_OK && access("in memory", F_OK) != 0);
}

static sqlite3_vfs *system_vfs;
static char seen[200];

static int open_and_look(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  if (flags & SQLITE_OPEN_MAIN_DB) {
    const char *value = sqlite3_uri_parameter(name, "hello");
    snprintf(seen, sizeof seen, "%s %s", value ? value : "NULL", sqlite3_uri_key(name, 1) ? sqlite3_uri_key(name, 1) : "NULL");
  }
  return system_vfs->xOpen(system_vfs, name, file, flags, out);
}

/* ATTACH's URI has parameters of its own, and may name any VFS. */
static void attached_uris(void) {
  static sqlite3_vfs mine;
  system_vfs = sqlite3_vfs_find(NULL);
  mine = *system_vfs;
  mine.zName = "mine";
  mine.xOpen = open_and_look;
  mine.pNext = NULL;
  CHECK(sqlite3_vfs_register(&mine, 0) == SQLITE_OK);
  sqlite3 *db = open_on("file:u1.db?hello=main", NULL);
  SAME(seen, "");
  ANSWERS(db, "ATTACH 'file:u2.db?hello=attached&vfs=mine' AS two; CREATE TABLE two.t(a)", "");
  SAME(seen, "attached vfs");
  SAME(sqlite3_uri_parameter(sqlite3_db_filename(db, "two"), "hello"), "attached");
  SAME(sqlite3_uri_parameter(sqlite3_db_filename(db, "main"), "hello"), "main");
  ANSWERS(db, "ATTACH 'file:u3.db?vfs=unix-dotfile' AS three; ATTACH 'file:u4.db?vfs=nobody' AS four",
          "error 1: no such vfs: nobody");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_on("file:u1.db?vfs=mine", NULL);
  SAME(seen, "NULL NULL");
  ANSWERS(db, "ATTACH 'file:u2.db?hello=again&x=y' AS two", "");
  SAME(seen, "again x");
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_vfs_unregister(&mine) == SQLITE_OK);
}

/* sqlite3_prepare: the schema has changed, and the statement is not compiled again. */
static void changed_schemas(void) {
  sqlite3 *db = open_on("schema.db", NULL), *other = open_on("schema.db", NULL);
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
  sqlite3_stmt *old = prepared_in_old_way(db, "SELECT * FROM t");
  sqlite3_stmt *constant = prepared_in_old_way(db, "SELECT 1");
  ANSWERS(other, "CREATE TABLE u(a)", "");
  for (int i = 0; i < 2; i++) {
    CHECK(sqlite3_step(old) == SQLITE_ERROR);
    CHECK(sqlite3_reset(old) == SQLITE_SCHEMA);
    SAME(sqlite3_errmsg(db), "database schema has changed");
  }
  ANSWERS(db, "SELECT * FROM t", "1");
  CHECK(sqlite3_step(old) == SQLITE_ERROR && sqlite3_finalize(old) == SQLITE_SCHEMA);
  CHECK(sqlite3_step(constant) == SQLITE_ROW && sqlite3_finalize(constant) == SQLITE_OK);
  old = prepared_in_old_way(db, "SELECT * FROM t");
  CHECK(!sqlite3_expired(old));
  ANSWERS(db, "CREATE TEMP TABLE w(a)", "");
  CHECK(sqlite3_step(old) == SQLITE_ERROR && sqlite3_finalize(old) == SQLITE_SCHEMA);
  sqlite3_stmt *now = prepared(db, "SELECT * FROM t");
  old = prepared_in_old_way(db, "SELECT * FROM t");
  ANSWERS(db, "CREATE TABLE v(a)", "");
  CHECK(sqlite3_step(now) == SQLITE_ROW && sqlite3_finalize(now) == SQLITE_OK);
  CHECK(sqlite3_step(old) == SQLITE_ERROR && sqlite3_expired(old) && sqlite3_finalize(old) == SQLITE_SCHEMA);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

static int is_read_only(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = prepared(db, sql);
  int is = sqlite3_stmt_readonly(statement);
  sqlite3_finalize(statement);
  return is;
}

/* What is told of bindings, of connections that are closed, of calls that are misuse; EXPLAIN is what it explains. */
static void errors(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  ANSWERS(db, "CREATE TABLE t(a)", "");
  sqlite3_stmt *statement = prepared(db, "SELECT ?1");
  CHECK(sqlite3_bind_null(statement, 2) == SQLITE_RANGE);
  SAME(sqlite3_errmsg(db), "column index out of range");
  CHECK(sqlite3_bind_text(statement, 1, "x", 1, SQLITE_STATIC) == SQLITE_OK);
  SAME(sqlite3_errmsg(db), "not an error");
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_bind_int(statement, 1, 1) == SQLITE_MISUSE);
  CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_bind_int(statement, 1, 1) == SQLITE_MISUSE);
  CHECK(sqlite3_reset(statement) == SQLITE_OK && sqlite3_bind_int(statement, 1, 1) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "nonsense", -1, &statement, NULL) == SQLITE_ERROR && statement == NULL);
  CHECK(sqlite3_prepare_v2(db, NULL, -1, &statement, NULL) == SQLITE_MISUSE);
  CHECK(sqlite3_create_function(db, NULL, 1, SQLITE_UTF8, NULL, NULL, NULL, NULL) == SQLITE_MISUSE);
  CHECK(sqlite3_create_collation(db, "c", 99, NULL, NULL) == SQLITE_MISUSE);
  SAME(sqlite3_errmsg(db), "near \"nonsense\": syntax error");
  CHECK(!is_read_only(db, "EXPLAIN INSERT INTO t VALUES(1)") && is_read_only(db, "EXPLAIN QUERY PLAN SELECT * FROM t"));
  CHECK(!is_read_only(db, "EXPLAIN PRAGMA user_version = 1") && !is_read_only(db, "EXPLAIN BEGIN IMMEDIATE"));
  CHECK(is_read_only(db, "EXPLAIN BEGIN") && !is_read_only(db, "EXPLAIN VACUUM"));
  CHECK(is_read_only(db, "REINDEX") && is_read_only(db, "REINDEX t") && is_read_only(db, "DROP TRIGGER IF EXISTS g"));
  CHECK(!is_read_only(db, "DROP TABLE IF EXISTS g") && !is_read_only(db, "CREATE TABLE IF NOT EXISTS t(a)"));
  ANSWERS(db, "CREATE TABLE \"t\"(a)", "error 1: table \"t\" already exists");
  statement = prepared(db, "SELECT 1");
  sqlite3_stmt *first = sqlite3_next_stmt(db, statement);
  CHECK(sqlite3_close_v2(db) == SQLITE_OK && sqlite3_errcode(db) == SQLITE_MISUSE);
  SAME(sqlite3_errmsg(db), "bad parameter or other API misuse");
  CHECK(((const unsigned short*)sqlite3_errmsg16(db))[0] == 'b');
  sqlite3_finalize(first);
  sqlite3_finalize(statement);
}

static void lengths(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  sqlite3_stmt *statement = prepared(db, "SELECT length(?)");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 60);
  ANSWERS(db, "SELECT length('123456789012345678901234567890123456789012345678901234567890') AS n", "60");
  ANSWERS(db, "SELECT length('1234567890123456789012345678901234567890123456789012345678901') AS n", "error 18: string or blob too big");
  CHECK(sqlite3_bind_zeroblob64(statement, 1, 61) == SQLITE_TOOBIG && sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_reset(statement) == SQLITE_OK && sqlite3_bind_zeroblob(statement, 1, 61) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_TOOBIG && sqlite3_reset(statement) == SQLITE_TOOBIG);
  CHECK(sqlite3_bind_zeroblob(statement, 1, 30) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW);
  sqlite3_finalize(statement);
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 2);
  ANSWERS(db, "SELECT a FROM t GROUP BY a, a, a", "error 1: too many terms in GROUP BY clause");
  ANSWERS(db, "SELECT a FROM t ORDER BY 1, 1, 1", "error 1: too many terms in ORDER BY clause");
  ANSWERS(db, "SELECT 1 UNION SELECT 2 ORDER BY 1, 1, 1", "error 1: too many terms in ORDER BY clause");
  ANSWERS(db, "SELECT sum(a) OVER (ORDER BY a, a, a) FROM t", "error 1: too many terms in ORDER BY clause");
  ANSWERS(db, "VALUES(1, 2, 3)", "error 1: too many columns in result set");
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 12);
  ANSWERS(db, "SELECT 1; SELECT 2; SELECT 3", "1 2 3");
  ANSWERS(db, "SELECT 1   ;;; ", "1");
  ANSWERS(db, "SELECT 1 + 22 + 3", "error 18: string or blob too big");
  CHECK(sqlite3_prepare_v2(db, "SELECT 1 + 22 + 3", 17, &statement, NULL) == SQLITE_TOOBIG);
  SAME(sqlite3_errmsg(db), "statement too long");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void extensions(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  char *message = NULL;
  ANSWERS(db, "SELECT load_extension('./none')", "error 1: not authorized");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT load_extension('./none')", "error 1: not authorized");
  CHECK(sqlite3_enable_load_extension(db, 1) == SQLITE_OK);
  ANSWERS(db, "SELECT load_extension(NULL)", "NULL");
  ANSWERS(db, "SELECT load_extension('./none', 'x')",
          "error 1: ./none.so: cannot open shared object file: No such file or directory");
  ANSWERS(db, "SELECT 1", "1");
  CHECK(sqlite3_load_extension(db, "./none", NULL, &message) == SQLITE_ERROR && sqlite3_errcode(db) == SQLITE_OK);
  SAME(message, "./none.so: cannot open shared object file: No such file or directory");
  sqlite3_free(message);
  CHECK(sqlite3_compileoption_used("ENABLE_LOAD_EXTENSION") && !sqlite3_compileoption_used("OMIT_LOAD_EXTENSION"));
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* What sqlite3_user_data() of another copy of SQLite does. */
static void data_of_a_copy(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  void *data = (*(void***)((char*)context + sizeof(void*)))[1];
  sqlite3_result_int(context, data == sqlite3_user_data(context) && *(int*)data == 7);
}

/* Extensions that have a copy of SQLite in themselves call it for user data, and to free what the library has allocated, or the other way round. */
static void copies_in_extensions(void) {
  static int seven = 7;
  sqlite3 *db = open_on(":memory:", NULL);
  CHECK(sqlite3_create_function(db, "f", 0, SQLITE_UTF8, &seven, data_of_a_copy, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT f()", "1");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  sqlite3_int64 *block = malloc(40 + sizeof *block);
  *block = 40;
  sqlite3_free(block + 1);
  block = sqlite3_malloc(40);
  CHECK(block[-1] == 40);
  free(block - 1);
}

static void fail_with_nothing(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  sqlite3_result_error(context, "failed", 0);
}

static void behind_blob(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *blob = sqlite3_value_blob(values[0]);
  sqlite3_result_int(context, blob[sqlite3_value_bytes(values[0])]);
}

/* What programs rely on, although no documentation says it. */
static void empty_messages_and_ends_of_blobs(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  CHECK(sqlite3_create_function(db, "fail", 0, SQLITE_UTF8, NULL, fail_with_nothing, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_create_function(db, "behind", 1, SQLITE_UTF8, NULL, behind_blob, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT fail()", "error 1: ");
  ANSWERS(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES (x'610062', 'xyz'), (x'4142434445', 7); SELECT behind(a) FROM t", "0 0");
  ANSWERS(db, "SELECT behind(substr(a, 1, 2)) FROM t ORDER BY b", "0 0");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static char logged[200];

static void write_log(void *argument, int code, const char *message) {
  (void)argument;
  snprintf(logged, sizeof logged, "%d %s", code, message);
}

static void error_log(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  ANSWERS(db, "SELECT sqlite_log(123, 'hello')", "NULL");
  SAME(logged, "123 hello");
  ANSWERS(db, "SELECT nosuch", "error 1: no such column: nosuch");
  SAME(logged, "1 no such column: nosuch in \"SELECT nosuch\"");
  ANSWERS(db, "CREATE TABLE t(a UNIQUE); SELECT \"quoted\"", "quoted");
  SAME(logged, "28 double-quoted string literal: \"quoted\"");
  ANSWERS(db, "INSERT INTO t VALUES(1)", "");
  ANSWERS(db, "INSERT INTO t VALUES(1)", "error 2067: UNIQUE constraint failed: t.a");
  CHECK(strncmp(logged, "2067 statement aborts at ", 25) == 0);
  CHECK(strstr(logged, ": UNIQUE constraint failed: t.a; [INSERT INTO t VALUES(1)]") != NULL);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static char trace[1000];

static void note(void *argument, const char *text) {
  (void)argument;
  snprintf(trace + strlen(trace), sizeof trace - strlen(trace), "[%s]", text);
}

static void run_sql(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_stmt *statement = prepared(sqlite3_context_db_handle(context), (const char*)sqlite3_value_text(values[0]));
  if (sqlite3_step(statement) == SQLITE_ROW) sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  sqlite3_finalize(statement);
}

static void from_bind(sqlite3_context *context, int count, sqlite3_value **values) {
  int bits = 0;
  for (int i = 0; i < count; i++) bits |= sqlite3_value_frombind(values[i]) << i;
  sqlite3_result_int(context, bits);
}

static int count_calls(void *argument, int count, char **values, char **names) {
  snprintf((char*)argument + strlen(argument), 50, "%d%s%s ", count, values ? "v" : "-", count ? names[0] : "");
  return 0;
}

static int stop(void *argument) {
  return *(int*)argument;
}

static void callbacks(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  sqlite3_create_function(db, "run_sql", 1, SQLITE_UTF8, NULL, run_sql, NULL, NULL);
  sqlite3_create_function(db, "from_bind", -1, SQLITE_UTF8, NULL, from_bind, NULL, NULL);
  sqlite3_trace(db, note, NULL);
  ANSWERS(db, "SELECT run_sql('SELECT 1,\n 2')", "1");
  SAME(trace, "[SELECT run_sql('SELECT 1,\n 2')][-- SELECT 1,\n--  2]");
  sqlite3_trace(db, NULL, NULL);
  ANSWERS(db, "SELECT from_bind(1, ?, (?), ?+1, +?, CAST(? AS TEXT), ? COLLATE nocase)", "118");
  char calls[200] = "";
  ANSWERS(db, "CREATE TABLE t(a, b); PRAGMA empty_result_callbacks = 1", "");
  CHECK(sqlite3_exec(db, "SELECT a, b FROM t; INSERT INTO t VALUES(1, 2); SELECT b FROM t", count_calls, calls, NULL) == SQLITE_OK);
  SAME(calls, "2-a 0- 1vb ");
  char **table = NULL;
  int rows = -1, columns = -1;
  CHECK(sqlite3_get_table(db, "SELECT a, b FROM t WHERE 0", &table, &rows, &columns, NULL) == SQLITE_OK);
  CHECK(rows == 0 && columns == 2 && strcmp(table[1], "b") == 0);
  sqlite3_free_table(table);
  /* A writer that is interrupted takes its transaction with it. */
  int stops = 1;
  ANSWERS(db, "BEGIN; INSERT INTO t VALUES(3, 4)", "");
  sqlite3_progress_handler(db, 1, stop, &stops);
  ANSWERS(db, "INSERT INTO t VALUES(5, 6)", "error 9: interrupted");
  sqlite3_progress_handler(db, 0, NULL, NULL);
  ANSWERS(db, "SELECT count(*) FROM t", "1");
  ANSWERS(db, "COMMIT", "error 1: cannot commit - no transaction is active");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static int count_calls_of_progress(void *count) {
  (*(int *)count)++;
  return 0;
}

/* Short statements call the progress handler, too: programs yield to others in it. */
static void progress(void) {
  static const char *const statements[] = {
    "SELECT 1", "PRAGMA user_version", "PRAGMA table_info(t)", "BEGIN", "INSERT INTO t VALUES(1, 2)", "COMMIT", "DROP TABLE t",
  };
  sqlite3 *db = open_on(":memory:", NULL);
  ANSWERS(db, "CREATE TABLE t(a, b)", "");
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    int calls = 0;
    sqlite3_progress_handler(db, 3, count_calls_of_progress, &calls);
    CHECK(sqlite3_exec(db, statements[i], NULL, NULL, NULL) == SQLITE_OK && calls > 0);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A database has no difference from itself that SQLite could ask for; a table without a key has none that could be recorded. */
static void differences(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  sqlite3_session *session = NULL;
  ANSWERS(db, "ATTACH ':memory:' AS other; CREATE TABLE t(a PRIMARY KEY); CREATE TABLE keyless(a); CREATE TABLE other.t(a PRIMARY KEY)", "");
  ANSWERS(db, "INSERT INTO t VALUES(1)", "");
  CHECK(sqlite3session_create(db, "main", &session) == SQLITE_OK);
  CHECK(sqlite3session_diff(session, "main", "t", NULL) == SQLITE_ERROR);
  CHECK(sqlite3session_diff(session, "other", "keyless", NULL) == SQLITE_OK && sqlite3session_isempty(session));
  sqlite3session_delete(session);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* The step that completes a backup gives its target back. */
static void complete_backup(void) {
  sqlite3 *source = open_on(":memory:", NULL), *target = open_on(":memory:", NULL);
  ANSWERS(source, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
  sqlite3_backup *backup = sqlite3_backup_init(target, "main", source, "main");
  CHECK(sqlite3_backup_step(backup, 1) == SQLITE_OK);
  CHECK(sqlite3_backup_step(backup, -1) == SQLITE_DONE);
  ANSWERS(target, "INSERT INTO t VALUES(2); SELECT count(*) FROM t", "2");
  CHECK(sqlite3_backup_finish(backup) == SQLITE_OK);
  ANSWERS(target, "SELECT count(*) FROM t", "2");
  CHECK(sqlite3_close(source) == SQLITE_OK && sqlite3_close(target) == SQLITE_OK);
}

/* sqlite3_db_cacheflush in the middle of a transaction: nothing is lost, and it can still be rolled back. */
static void flushing(void) {
  for (int wal = 0; wal < 2; wal++) {
    unlink("flush.db");
    sqlite3 *db = open_on("flush.db", NULL);
    ANSWERS(db, wal ? "PRAGMA journal_mode = wal" : "PRAGMA journal_mode = delete", wal ? "wal" : "delete");
    ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
    CHECK(sqlite3_db_cacheflush(db) == SQLITE_OK);
    const char *fill = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200) "
                       "INSERT INTO t SELECT zeroblob(2000) FROM c";
    ANSWERS(db, "BEGIN", "");
    ANSWERS(db, fill, "");
    CHECK(sqlite3_db_cacheflush(db) == SQLITE_OK);
    ANSWERS(db, "SELECT count(*) FROM t; ROLLBACK; SELECT count(*) FROM t; BEGIN", "201 1");
    ANSWERS(db, fill, "");
    CHECK(sqlite3_db_cacheflush(db) == SQLITE_OK);
    ANSWERS(db, "COMMIT; SELECT count(*) FROM t; PRAGMA integrity_check", "201 ok");
    CHECK(sqlite3_close(db) == SQLITE_OK);
  }
}

/* SQLITE_FCNTL_FILE_POINTER and JOURNAL_POINTER give structures that can be called, or have no methods; never null. */
static void file_pointers(void) {
  unlink("pointers.db");
  sqlite3 *db = open_on("pointers.db", NULL);
  sqlite3_file *file = NULL, *journal = NULL, *again = NULL;
  sqlite3_int64 size = 0;
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file && file->pMethods);
  CHECK(file->pMethods->xFileSize(file, &size) == SQLITE_OK && size == 8192);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &again) == SQLITE_OK && again == file);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK && journal && !journal->pMethods);
  ANSWERS(db, "BEGIN; INSERT INTO t VALUES(2)", "");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK && journal->pMethods);
  ANSWERS(db, "COMMIT; PRAGMA journal_mode = wal; INSERT INTO t VALUES(3)", "wal");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal) == SQLITE_OK && journal->pMethods);
  CHECK(journal->pMethods->xFileSize(journal, &size) == SQLITE_OK && size > 4096);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static int hook_answer, hook_frames;
static int checkpoint_in_hook(void *arg, sqlite3 *db, const char *name, int frames) {
  hook_frames = frames;
  CHECK(arg == &hook_frames && strcmp(name, "main") == 0);
  CHECK(sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) == SQLITE_OK);
  return hook_answer;
}

/* The hook of commits to a log may checkpoint, and what it answers is what the statement ends with; the commit stands. */
static void commit_hooks_of_logs(void) {
  unlink("hook.db");
  sqlite3 *db = open_on("hook.db", NULL);
  sqlite3_file *file = NULL;
  sqlite3_int64 size = 0;
  ANSWERS(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a)", "wal");
  sqlite3_wal_hook(db, checkpoint_in_hook, &hook_frames);
  ANSWERS(db, "INSERT INTO t VALUES(1)", "");
  CHECK(hook_frames > 2);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK);
  CHECK(file->pMethods->xFileSize(file, &size) == SQLITE_OK && size == 8192);
  hook_answer = SQLITE_BUSY;
  CHECK(sqlite3_exec(db, "INSERT INTO t VALUES(2)", NULL, NULL, NULL) == SQLITE_BUSY);
  SAME(sqlite3_errmsg(db), "database is locked");
  hook_answer = SQLITE_OK;
  ANSWERS(db, "SELECT a FROM t; BEGIN; INSERT INTO t VALUES(3); COMMIT; SELECT count(*) FROM t", "1 2 3");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A database can be replaced by bytes within a transaction that has not touched it. */
static void bytes_within_a_transaction(void) {
  const char *begun[] = {"BEGIN", "SAVEPOINT s", "BEGIN; SELECT 1", "BEGIN; SELECT count(*) FROM old", "BEGIN IMMEDIATE"};
  for (int i = 0; i < 5; i++) {
    sqlite3 *db = open_on(":memory:", NULL), *from = open_on(":memory:", NULL);
    sqlite3_int64 size = 0;
    ANSWERS(db, "CREATE TABLE old(a)", "");
    ANSWERS(from, "CREATE TABLE t(a); INSERT INTO t VALUES(42)", "");
    unsigned char *bytes = sqlite3_serialize(from, "main", &size, 0);
    sqlite3_free(answer_of(db, begun[i]));
    int code = sqlite3_deserialize(db, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    CHECK(code == (i < 3 ? SQLITE_OK : SQLITE_BUSY));
    if (i < 3) {
      ANSWERS(db, "SELECT * FROM t; INSERT INTO t VALUES(1)", "42");
      ANSWERS(db, "ROLLBACK; SELECT count(*) FROM t", "1");
    }
    CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(from) == SQLITE_OK);
  }
}

/* What a backup reads is not detached; a database that was made from bytes has no log. */
static void what_is_in_use(void) {
  unlink("used.db");
  sqlite3 *db = open_on("used.db", NULL), *to = open_on(":memory:", NULL);
  sqlite3_int64 size = 0;
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1),(2); ATTACH 'used.db' AS two", "");
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", db, "two");
  CHECK(backup != NULL);
  ANSWERS(db, "DETACH two", "error 1: database two is locked");
  CHECK(sqlite3_backup_finish(backup) == SQLITE_OK);
  ANSWERS(db, "DETACH two", "");
  unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
  CHECK(sqlite3_deserialize(to, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK);
  ANSWERS(to, "PRAGMA journal_mode = delete; PRAGMA journal_mode = wal; SELECT a FROM t", "delete delete 1 2");
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(to) == SQLITE_OK);
}

/* Who traces statements is told which triggers run, and which statement of them. */
static void traced_triggers(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  ANSWERS(db, "CREATE TABLE t(a); CREATE TABLE log(b);"
    "CREATE TRIGGER r AFTER INSERT ON t WHEN new.a > 1 BEGIN INSERT INTO log VALUES (new.a);  SELECT 'x' ; END", "");
  trace[0] = 0;
  sqlite3_trace(db, note, NULL);
  ANSWERS(db, "INSERT INTO t VALUES (1), (2)", "");
  SAME(trace, "[INSERT INTO t VALUES (1), (2)][-- TRIGGER r][-- TRIGGER r][-- INSERT INTO log VALUES (new.a)][-- SELECT 'x']");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A checkpoint stops when the application says so; the next one completes it. */
static void interrupted_checkpoints(void) {
  int frames = -1, done = -1;
  unlink("stopped.db");
  sqlite3 *db = open_on("stopped.db", NULL);
  ANSWERS(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(20000))", "wal");
  sqlite3_interrupt(db);
  CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &done) == SQLITE_INTERRUPT);
  CHECK(frames == -1 && done == -1 && sqlite3_is_interrupted(db) == 0);
  CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames, &done) == SQLITE_OK);
  CHECK(frames == 0 && done == 0);
  sqlite3_close(db);
}

/* Without SQLITE_CONFIG_MEMSTATUS nobody is told of memory; what outlives the library is not counted. */
static void memory_that_is_not_counted(void) {
  CHECK(sqlite3_shutdown() == SQLITE_OK && sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK);
  sqlite3_initialize();
  void *block = sqlite3_malloc(1000);
  CHECK(sqlite3_memory_used() == 0 && sqlite3_memory_highwater(0) == 0);
  sqlite3_free(block);
  CHECK(sqlite3_shutdown() == SQLITE_OK && sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1) == SQLITE_OK);
  sqlite3_initialize();
  CHECK(sqlite3_memory_used() == 0 && sqlite3_memory_highwater(1) == 0);
  block = sqlite3_malloc(1000);
  CHECK(sqlite3_memory_used() >= 1000 && sqlite3_memory_highwater(0) >= 1000);
  sqlite3_free(block);
}

static int destroyed;
static void destroy(void *thing) { destroyed++; (void)thing; }
static int by_length(void *arg, int n1, const void *one, int n2, const void *two) {
  (void)arg, (void)one, (void)two;
  return n1 - n2;
}

/* What a call refuses, or has no use for, stays the application's: it is not destroyed. A null pointer that was taken is. */
static void what_is_refused(void) {
  static const sqlite3_module module = {1};
  sqlite3 *db = open_on(":memory:", NULL);
  sqlite3_stmt *statement = NULL;
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES('x'), ('yy')", "");
  CHECK(sqlite3_create_collation_v2(db, "c", SQLITE_UTF8, db, by_length, destroy) == SQLITE_OK && destroyed == 0);
  CHECK(sqlite3_prepare_v2(db, "SELECT a FROM t ORDER BY a COLLATE c", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_create_collation_v2(db, "c", SQLITE_UTF8, db, by_length, destroy) == SQLITE_BUSY && destroyed == 0);
  sqlite3_finalize(statement);
  CHECK(sqlite3_create_collation_v2(db, "c", SQLITE_UTF8, NULL, NULL, NULL) == SQLITE_OK && destroyed == 1);
  destroyed = 0;
  CHECK(sqlite3_create_module_v2(db, "m", NULL, db, destroy) == SQLITE_OK && destroyed == 0);
  CHECK(sqlite3_create_module_v2(db, NULL, &module, db, destroy) == SQLITE_MISUSE && destroyed == 0);
  CHECK(sqlite3_create_module_v2(db, "m", &module, db, destroy) == SQLITE_OK && destroyed == 0);
  CHECK(sqlite3_create_module_v2(db, "m", NULL, db, destroy) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_prepare_v2(db, "SELECT ?1", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_blob(statement, 1, "x", -1, destroy) == SQLITE_MISUSE && destroyed == 1);
  CHECK(sqlite3_bind_pointer(statement, 1, NULL, "kind", destroy) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK && destroyed == 2);
  CHECK(sqlite3_close(db) == SQLITE_OK && destroyed == 2);
}

/* A step of a backup that is refused leaves the connection's error alone; finishing the backup answers it. */
static void locked_backups(void) {
  sqlite3 *from = open_on(":memory:", NULL), *to = NULL, *other = NULL;
  CHECK(sqlite3_open("locked.db", &to) == SQLITE_OK && sqlite3_open("locked.db", &other) == SQLITE_OK);
  ANSWERS(from, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
  ANSWERS(other, "CREATE TABLE u(a); BEGIN EXCLUSIVE", "");
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  CHECK(sqlite3_backup_step(backup, -1) == SQLITE_BUSY && sqlite3_errcode(to) == SQLITE_OK);
  CHECK(sqlite3_backup_finish(backup) == SQLITE_BUSY && sqlite3_errcode(to) == SQLITE_BUSY);
  SAME(sqlite3_errmsg(to), "database is locked");
  /* A step that could be repeated, and was. */
  backup = sqlite3_backup_init(to, "main", from, "main");
  CHECK(sqlite3_backup_step(backup, -1) == SQLITE_BUSY);
  ANSWERS(other, "COMMIT", "");
  CHECK(sqlite3_backup_step(backup, -1) == SQLITE_DONE && sqlite3_backup_finish(backup) == SQLITE_OK);
  ANSWERS(to, "SELECT a FROM t", "1");
  CHECK(sqlite3_exec(to, "SELECT nothing", NULL, NULL, NULL) == SQLITE_ERROR);
  backup = sqlite3_backup_init(to, "main", from, "main");
  CHECK(backup != NULL && sqlite3_errcode(to) == SQLITE_ERROR);
  CHECK(sqlite3_backup_finish(backup) == SQLITE_OK && sqlite3_errcode(to) == SQLITE_OK);
  CHECK(sqlite3_close(from) == SQLITE_OK && sqlite3_close(to) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

static int on_foreign_key(void *arg, int kind, sqlite3_changeset_iter *change) {
  const char *table = "unknown";
  unsigned char *key = NULL;
  int columns = 0, op = -1, is_indirect = -1, violations = 0, *asked = arg;
  if (kind != SQLITE_CHANGESET_FOREIGN_KEY) return SQLITE_CHANGESET_ABORT;
  ++*asked;
  CHECK(sqlite3changeset_op(change, &table, &columns, &op, &is_indirect) == SQLITE_OK);
  CHECK(table == NULL && op == 0 && is_indirect == 0);
  CHECK(sqlite3changeset_pk(change, &key, &columns) == SQLITE_OK && key == NULL);
  CHECK(sqlite3changeset_fk_conflicts(change, &violations) == SQLITE_OK && violations == 1);
  return SQLITE_CHANGESET_OMIT;
}

/* Databases that are not attached, foreign keys that a changeset violates, what a group is told before its schema. */
static void sessions(void) {
  sqlite3 *db = open_on(":memory:", NULL), *other = open_on(":memory:", NULL);
  sqlite3_session *session = NULL;
  sqlite3_changegroup *group = NULL;
  char *message = NULL;
  void *changes = NULL;
  int size = 0, asked = 0, patchset = 0;
  ANSWERS(db, "CREATE TABLE t(a PRIMARY KEY, b)", "");
  CHECK(sqlite3session_create(db, "main", &session) == SQLITE_OK && sqlite3session_memory_used(session) == 0);
  CHECK(sqlite3session_attach(session, NULL) == SQLITE_OK);
  CHECK(sqlite3session_diff(session, "nowhere", "t", &message) == SQLITE_SCHEMA);
  SAME(message, "no such table: nowhere.t");
  sqlite3_free(message);
  CHECK(sqlite3session_diff(session, "nowhere", "nothing", &message) == SQLITE_OK && message == NULL);
  ANSWERS(db, "INSERT INTO t VALUES(1, 2)", "");
  CHECK(sqlite3session_memory_used(session) > 0 && sqlite3session_changeset(session, &size, &changes) == SQLITE_OK);
  ANSWERS(other, "PRAGMA foreign_keys=ON; CREATE TABLE p(a PRIMARY KEY); CREATE TABLE t(a PRIMARY KEY REFERENCES p, b)", "");
  CHECK(sqlite3changeset_apply(other, size, changes, NULL, on_foreign_key, &asked) == SQLITE_OK && asked == 1);
  sqlite3_free(changes);
  sqlite3session_delete(session);
  CHECK(sqlite3changegroup_new(&group) == SQLITE_OK);
  CHECK(sqlite3changegroup_config(group, SQLITE_CHANGEGROUP_CONFIG_PATCHSET, &patchset) == SQLITE_OK);
  CHECK(sqlite3changegroup_schema(group, db, "main") == SQLITE_OK);
  CHECK(sqlite3changegroup_schema(group, db, "main") == SQLITE_MISUSE);
  sqlite3changegroup_delete(group);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

/* What is told of a statement while another thread holds the connection's mutex: nobody waits for it. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int isHeld, mayLeave;

static void *hold_mutex(void *db) {
  sqlite3_mutex_enter(sqlite3_db_mutex(db));
  pthread_mutex_lock(&gate);
  isHeld = 1;
  pthread_cond_signal(&changed);
  while (!mayLeave) pthread_cond_wait(&changed, &gate);
  pthread_mutex_unlock(&gate);
  sqlite3_mutex_leave(sqlite3_db_mutex(db));
  return NULL;
}

static void asked_while_held(void) {
  sqlite3 *db = open_on(":memory:", NULL);
  ANSWERS(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2)", "");
  sqlite3_stmt *row = prepared(db, "SELECT *, ?2, :name FROM t WHERE a = ?1");
  sqlite3_stmt *writer = prepared(db, "INSERT INTO t VALUES(1, 2)");
  sqlite3_bind_int(row, 1, 1);
  CHECK(sqlite3_stmt_busy(row) == 0 && sqlite3_data_count(row) == 0);
  ANSWERS(db, "ALTER TABLE t ADD c", "");
  CHECK(sqlite3_step(row) == SQLITE_ROW);
  pthread_t holder;
  CHECK(pthread_create(&holder, NULL, hold_mutex, db) == 0);
  pthread_mutex_lock(&gate);
  while (!isHeld) pthread_cond_wait(&changed, &gate);
  pthread_mutex_unlock(&gate);
  alarm(60);
  CHECK(sqlite3_db_mutex(db) != NULL);
  CHECK(sqlite3_bind_parameter_count(row) == 3 && sqlite3_bind_parameter_count(writer) == 0);
  SAME(sqlite3_bind_parameter_name(row, 3), ":name");
  CHECK(sqlite3_bind_parameter_name(row, 4) == NULL && sqlite3_bind_parameter_name(writer, 1) == NULL);
  CHECK(sqlite3_bind_parameter_index(row, ":name") == 3 && sqlite3_bind_parameter_index(row, ":other") == 0);
  CHECK(sqlite3_stmt_readonly(row) == 1 && sqlite3_stmt_readonly(writer) == 0);
  CHECK(sqlite3_stmt_busy(row) == 1 && sqlite3_stmt_busy(writer) == 0);
  CHECK(sqlite3_column_count(row) == 5 && sqlite3_column_count(writer) == 0);
  CHECK(sqlite3_data_count(row) == 5 && sqlite3_data_count(writer) == 0);
  alarm(0);
  pthread_mutex_lock(&gate);
  mayLeave = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&gate);
  pthread_join(holder, NULL);
  CHECK(sqlite3_step(row) == SQLITE_DONE);
  CHECK(sqlite3_stmt_busy(row) == 0 && sqlite3_data_count(row) == 0 && sqlite3_column_count(row) == 5);
  sqlite3_finalize(row);
  sqlite3_finalize(writer);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

int main(int count, char **arguments) {
  CHECK(chdir(count > 1 ? arguments[1] : ".") == 0);
  CHECK(sqlite3_config(SQLITE_CONFIG_LOG, write_log, NULL) == SQLITE_OK);
  asked_while_held();
  locking_styles();
  attached_uris();
  error_log();
  changed_schemas();
  errors();
  lengths();
  extensions();
  copies_in_extensions();
  empty_messages_and_ends_of_blobs();
  callbacks();
  flushing();
  file_pointers();
  commit_hooks_of_logs();
  bytes_within_a_transaction();
  what_is_in_use();
  traced_triggers();
  interrupted_checkpoints();
  memory_that_is_not_counted();
  what_is_refused();
  locked_backups();
  sessions();
  progress();
  complete_backup();
  differences();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
