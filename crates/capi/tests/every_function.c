/*
** Calls every function of the library at least once, and checks what it answers.
**
** Argument: a folder for the databases. Prints what is wrong and ends with 1, or "ok".
** It is compiled with the header of this crate, and runs on SQLite's own library as well, but for what
** NOT_YET marks: functions that say "not supported yet".
*/
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static int failures;

#define CHECK(condition) do { if (!(condition)) { failures++; \
  fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); } } while (0)
#define SAME(text, expected) same(__LINE__, (const char*)(text), expected)
/* What has to fail with "not supported yet", for as long as it does. */
#define NOT_YET(db, call) do { int code_ = (call); if (code_ != SQLITE_OK) { CHECK(code_ == SQLITE_ERROR); \
  CHECK(strncmp(sqlite3_errmsg(db), "not supported yet: ", 19) == 0); } } while (0)

static void same(int line, const char *text, const char *expected) {
  if (text == NULL ? expected != NULL : expected == NULL || strcmp(text, expected) != 0) {
    failures++;
    fprintf(stderr, "%s:%d: got \"%s\", expected \"%s\"\n", __FILE__, line, text ? text : "NULL",
            expected ? expected : "NULL");
  }
}

static char path_of[1000];
static const char *path(const char *folder, const char *name) {
  snprintf(path_of, sizeof path_of, "%s/%s", folder, name);
  return path_of;
}

static sqlite3 *open_memory(void) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  return db;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
    failures++;
    fprintf(stderr, "%s: %s\n", sql, message);
  }
  sqlite3_free(message);
}

/* The text of the first column of the first row; in memory of its own. */
static char *text_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  char *result = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) return sqlite3_mprintf("%s", sqlite3_errmsg(db));
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) {
    const char *text = (const char*)sqlite3_column_text(statement, 0);
    if (text) result = sqlite3_mprintf("%s", text);
  } else if (code != SQLITE_DONE) {
    result = sqlite3_mprintf("%s", sqlite3_errmsg(db));
  }
  sqlite3_finalize(statement);
  return result;
}

static void answers(int line, sqlite3 *db, const char *sql, const char *expected) {
  char *text = text_of(db, sql);
  same(line, text, expected);
  sqlite3_free(text);
}
#define ANSWERS(db, sql, expected) answers(__LINE__, db, sql, expected)

/* ---- the library ---- */

static void the_library(void) {
  CHECK(sqlite3_initialize() == SQLITE_OK);
  SAME(sqlite3_libversion(), SQLITE_VERSION);
  SAME(sqlite3_version, SQLITE_VERSION);
  CHECK(sqlite3_libversion_number() == SQLITE_VERSION_NUMBER);
  CHECK(strlen(sqlite3_sourceid()) > 10);
  CHECK(sqlite3_threadsafe() != 0);
  CHECK(sqlite3_compileoption_get(0) != NULL && sqlite3_compileoption_get(10000) == NULL);
  CHECK(sqlite3_compileoption_used("SQLITE_THREADSAFE") && sqlite3_compileoption_used("threadsafe=1"));
  CHECK(!sqlite3_compileoption_used("THREADSAF") && !sqlite3_compileoption_used("NO_SUCH_OPTION"));
  CHECK(sqlite3_os_init() == SQLITE_OK && sqlite3_os_end() == SQLITE_OK);
  CHECK(sqlite3_global_recover() == SQLITE_OK);
  CHECK(sqlite3_memory_alarm(NULL, NULL, 0) == SQLITE_OK);
  sqlite3_thread_cleanup();
  CHECK(sqlite3_temp_directory == NULL && sqlite3_data_directory == NULL);
  CHECK(sqlite3_sleep(1) >= 1);
  unsigned char random[2][16] = {{0}, {0}};
  sqlite3_randomness(16, random[0]);
  sqlite3_randomness(16, random[1]);
  CHECK(memcmp(random[0], random[1], 16) != 0);
  CHECK(sqlite3_test_control(SQLITE_TESTCTRL_ALWAYS, 1) == 1);
  SAME(sqlite3_errstr(SQLITE_BUSY), "database is locked");
  SAME(sqlite3_errstr(SQLITE_ABORT_ROLLBACK), "abort due to ROLLBACK");
  SAME(sqlite3_errstr(SQLITE_DONE), "no more rows available");
}

static int log_calls;
static void count_log(void *arg, int code, const char *message) {
  log_calls++;
  CHECK(arg == &log_calls && code == SQLITE_NOTICE);
  SAME(message, "n=7");
}

static void configuration(void) {
  CHECK(sqlite3_initialize() == SQLITE_OK && sqlite3_config(SQLITE_CONFIG_SERIALIZED) == SQLITE_MISUSE);
  CHECK(sqlite3_shutdown() == SQLITE_OK);
  sqlite3_mem_methods methods;
  CHECK(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &methods) == SQLITE_OK && methods.xMalloc != NULL);
  sqlite3_mutex_methods mutexes;
  CHECK(sqlite3_config(SQLITE_CONFIG_GETMUTEX, &mutexes) == SQLITE_OK && mutexes.xMutexInit() == SQLITE_OK);
  sqlite3_mutex *mutex = mutexes.xMutexAlloc(SQLITE_MUTEX_RECURSIVE);
  mutexes.xMutexEnter(mutex);
  CHECK(mutexes.xMutexTry(mutex) == SQLITE_OK);
  mutexes.xMutexLeave(mutex);
  mutexes.xMutexLeave(mutex);
  mutexes.xMutexFree(mutex);
  CHECK(mutexes.xMutexEnd() == SQLITE_OK);
  int is_allowed = -1;
  CHECK(sqlite3_config(SQLITE_CONFIG_ROWID_IN_VIEW, &is_allowed) == SQLITE_OK && is_allowed == 0);
  CHECK(sqlite3_config(SQLITE_CONFIG_LOG, count_log, &log_calls) == SQLITE_OK);
  sqlite3_log(SQLITE_NOTICE, "n=%d", 7);
  CHECK(log_calls == 1);
  CHECK(sqlite3_config(SQLITE_CONFIG_LOG, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_config(SQLITE_CONFIG_SERIALIZED) == SQLITE_OK);
  CHECK(sqlite3_config(12345) == SQLITE_ERROR);
  CHECK(sqlite3_enable_shared_cache(0) == SQLITE_OK);
}

/* ---- memory, mutexes, strings ---- */

static void memory(void) {
  sqlite3_int64 before = sqlite3_memory_used();
  char *block = sqlite3_malloc(100);
  CHECK(block != NULL && sqlite3_msize(block) >= 100);
  memset(block, 'x', 100);
  CHECK(sqlite3_memory_used() >= before + 100);
  block = sqlite3_realloc(block, 1000);
  CHECK(block[99] == 'x');
  block = sqlite3_realloc64(block, 2000);
  CHECK(sqlite3_msize(block) >= 2000 && block[0] == 'x');
  CHECK(sqlite3_memory_highwater(0) >= before + 2000);
  sqlite3_free(block);
  CHECK(sqlite3_memory_used() == before);
  CHECK(sqlite3_memory_highwater(1) >= before + 2000 && sqlite3_memory_highwater(0) == before);
  CHECK(sqlite3_malloc(0) == NULL && sqlite3_malloc(-1) == NULL && sqlite3_malloc64(0x7fffffff) == NULL);
  block = sqlite3_malloc64(10);
  CHECK(sqlite3_realloc(block, 0) == NULL);
  block = sqlite3_realloc(NULL, 10);
  sqlite3_free(block);
  sqlite3_free(NULL);
  CHECK(sqlite3_msize(NULL) == 0);
  int current = -1, highest = -1;
  CHECK(sqlite3_status(SQLITE_STATUS_MEMORY_USED, &current, &highest, 0) == SQLITE_OK && highest >= current);
  sqlite3_int64 current64 = -1, highest64 = -1;
  CHECK(sqlite3_status64(SQLITE_STATUS_MALLOC_COUNT, &current64, &highest64, 1) == SQLITE_OK && current64 >= 0);
  CHECK(sqlite3_status(99, &current, &highest, 0) == SQLITE_MISUSE);
  CHECK(sqlite3_soft_heap_limit64(-1) == 0);
  CHECK(sqlite3_hard_heap_limit64(before + 10000) == 0 && sqlite3_hard_heap_limit64(-1) == before + 10000);
  CHECK(sqlite3_malloc(20000) == NULL);
  CHECK(sqlite3_hard_heap_limit64(0) == before + 10000);
  sqlite3_soft_heap_limit(0);
  CHECK(sqlite3_soft_heap_limit64(0) == 0);
  sqlite3_release_memory(1000);
}

static void mutexes(void) {
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_RECURSIVE);
  CHECK(mutex != NULL);
  sqlite3_mutex_enter(mutex);
  CHECK(sqlite3_mutex_try(mutex) == SQLITE_OK && sqlite3_mutex_held(mutex) && !sqlite3_mutex_notheld(mutex));
  sqlite3_mutex_leave(mutex);
  sqlite3_mutex_leave(mutex);
  sqlite3_mutex_free(mutex);
  mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_MAIN);
  CHECK(mutex != NULL && mutex == sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_MAIN));
  sqlite3_mutex_enter(mutex);
  sqlite3_mutex_leave(mutex);
}

static char *vmprintf_of(const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = sqlite3_vmprintf(format, list);
  va_end(list);
  return text;
}

static char *vsnprintf_of(int n, char *buffer, const char *format, ...) {
  va_list list;
  va_start(list, format);
  char *text = sqlite3_vsnprintf(n, buffer, format, list);
  va_end(list);
  return text;
}

static void vappendf_to(sqlite3_str *str, const char *format, ...) {
  va_list list;
  va_start(list, format);
  sqlite3_str_vappendf(str, format, list);
  va_end(list);
}

static void formatted(int line, char *text, const char *expected) {
  same(line, text, expected);
  sqlite3_free(text);
}
#define FORMATS(expected, ...) formatted(__LINE__, sqlite3_mprintf(__VA_ARGS__), expected)

static void formats(void) {
  FORMATS("-1 4294967295 ffffffff 37777777777", "%d %u %x %o", -1, -1, -1, -1);
  FORMATS("-1 18446744073709551615 ff", "%lld %llu %lx", -1LL, -1LL, 255L);
  FORMATS("   42|42   |00042|+42| 42|1,234,567", "%5d|%-5d|%05d|%+d|% d|%,d", 42, 42, 42, 42, 42, 1234567);
  FORMATS("1.500000 1.5e+00 1.5 0.1 1e+20 Inf", "%f %.1e %g %!.15g %g %f", 1.5, 1.5, 1.5, 0.1, 1e20, 1e999);
  FORMATS("a|  a|a  |ab|a", "%s|%3s|%-3s|%.2s|%.*s", "a", "a", "a", "abc", 1, "abc");
  volatile double zero = 0.0;
  FORMATS("NaN|       NaN|NaN  |      null", "%f|%10g|%-5e|%010f", zero / zero, zero / zero, zero / zero, zero / zero);
  FORMATS("x\xe2\x82\xac  y", "%c%c%3c", 'x', 0x20ac, 'y');
  FORMATS("it''s 'it''s' NULL (NULL) \"\"", "%q %Q %Q %q \"%w\"", "it's", "it's", (char*)NULL, (char*)NULL, "");
  FORMATS("owned%", "%z%%", sqlite3_mprintf("owned"));
  FORMATS("FF 3rd", "%p %r", (void*)255, 3);
  FORMATS("", "%s", (char*)NULL);
  FORMATS("\xc3\xa4|\xc3\xa4" "b", "%.2s|%!.2s", "\xc3\xa4" "bc", "\xc3\xa4" "bc");
  formatted(__LINE__, vmprintf_of("%d %s %g", 1, "two", 3.0), "1 two 3");
  char buffer[8];
  CHECK(sqlite3_snprintf(sizeof buffer, buffer, "%s-%d", "abcdef", 12) == buffer);
  SAME(buffer, "abcdef-");
  CHECK(vsnprintf_of(4, buffer, "%d", 123456) == buffer);
  SAME(buffer, "123");
  buffer[0] = 'z';
  sqlite3_snprintf(0, buffer, "abc");
  CHECK(buffer[0] == 'z');
}

static void string_builder(void) {
  sqlite3_str *str = sqlite3_str_new(NULL);
  CHECK(sqlite3_str_length(str) == 0 && sqlite3_str_value(str) == NULL);
  sqlite3_str_appendall(str, "abc");
  sqlite3_str_append(str, "defghi", 3);
  sqlite3_str_appendchar(str, 2, '-');
  sqlite3_str_appendf(str, "%d/%s", 7, "x");
  vappendf_to(str, "[%g]", 0.5);
  SAME(sqlite3_str_value(str), "abcdef--7/x[0.5]");
  sqlite3_str_truncate(str, 6);
  CHECK(sqlite3_str_length(str) == 6 && sqlite3_str_errcode(str) == SQLITE_OK);
  formatted(__LINE__, sqlite3_str_finish(str), "abcdef");
  str = sqlite3_str_new(NULL);
  sqlite3_str_appendall(str, "gone");
  sqlite3_str_reset(str);
  CHECK(sqlite3_str_finish(str) == NULL);
  str = sqlite3_str_new(NULL);
  sqlite3_str_appendall(str, "freed");
  sqlite3_str_free(str);
}

static void strings(void) {
  CHECK(sqlite3_stricmp("abc", "ABC") == 0 && sqlite3_stricmp("ab", "ABC") < 0 && sqlite3_stricmp(NULL, "") < 0);
  CHECK(sqlite3_strnicmp("abcX", "ABCy", 3) == 0 && sqlite3_strnicmp("abcX", "ABCy", 4) < 0);
  CHECK(sqlite3_strglob("a*[0-9]", "abc7") == 0 && sqlite3_strglob("a*", "b") == 1 && sqlite3_strglob("*a", "") == 2);
  CHECK(sqlite3_strlike("A%_c", "abc", 0) == 0 && sqlite3_strlike("a!%", "a%", '!') == 0);
  CHECK(sqlite3_strlike("a!%", "ab", '!') != 0);
  CHECK(sqlite3_complete("SELECT 1;") && !sqlite3_complete("SELECT 1"));
  const unsigned short wide[] = {'x', ';', 0};
  CHECK(sqlite3_complete16(wide) && !sqlite3_complete16(wide + 2));
  CHECK(sqlite3_incomplete("x;") == SQLITE_OK && sqlite3_incomplete(" ") == SQLITE_EMPTY);
  CHECK(sqlite3_incomplete("x") == 0x101 && sqlite3_incomplete("'") == 0x270001 && sqlite3_incomplete(NULL) == SQLITE_MISUSE);
  const char *name = NULL;
  int len = 0;
  CHECK(sqlite3_keyword_count() > 100 && sqlite3_keyword_name(0, &name, &len) == SQLITE_OK && len > 0);
  CHECK(sqlite3_keyword_name(-1, &name, &len) == SQLITE_ERROR);
  CHECK(sqlite3_keyword_check("select", 6) && !sqlite3_keyword_check("selec", 5));
}

/* ---- running SQL ---- */

static int destroyed;
static void destroy(void *arg) {
  destroyed++;
  (void)arg;
}

static void statements(void) {
  sqlite3 *db = open_memory();
  sqlite3_stmt *statement = NULL, *other = NULL;
  const char *tail = NULL;
  run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c); CREATE VIEW v AS SELECT b AS bee FROM t");

  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(:a, @b, ?9); SELECT 1", -1, &statement, &tail) == SQLITE_OK);
  SAME(tail, " SELECT 1");
  SAME(sqlite3_sql(statement), "INSERT INTO t VALUES(:a, @b, ?9);");
  CHECK(sqlite3_db_handle(statement) == db && sqlite3_next_stmt(db, NULL) == statement);
  CHECK(sqlite3_next_stmt(db, statement) == NULL);
  CHECK(sqlite3_bind_parameter_count(statement) == 9);
  SAME(sqlite3_bind_parameter_name(statement, 2), "@b");
  SAME(sqlite3_bind_parameter_name(statement, 3), NULL);
  CHECK(sqlite3_bind_parameter_index(statement, ":a") == 1 && sqlite3_bind_parameter_index(statement, "a") == 0);
  CHECK(!sqlite3_stmt_readonly(statement) && !sqlite3_stmt_isexplain(statement) && !sqlite3_stmt_busy(statement));
  CHECK(!sqlite3_expired(statement));
  CHECK(sqlite3_bind_int(statement, 1, 1) == SQLITE_OK && sqlite3_bind_text(statement, 2, "one", -1, SQLITE_STATIC) == SQLITE_OK);
  CHECK(sqlite3_bind_double(statement, 9, 1.5) == SQLITE_OK);
  CHECK(sqlite3_bind_int(statement, 10, 1) == SQLITE_RANGE && sqlite3_bind_int(statement, 0, 1) == SQLITE_RANGE);
  CHECK(sqlite3_errcode(db) == SQLITE_RANGE);
  SAME(sqlite3_errmsg(db), "column index out of range");
  formatted(__LINE__, sqlite3_expanded_sql(statement), "INSERT INTO t VALUES(1, 'one', 1.5);");
#ifdef LITHE
  SAME(sqlite3_normalized_sql(statement), "INSERT INTO t VALUES(?,?,?);");
#endif
  CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_errcode(db) == SQLITE_DONE);
  CHECK(sqlite3_changes(db) == 1 && sqlite3_changes64(db) == 1 && sqlite3_last_insert_rowid(db) == 1);
  CHECK(sqlite3_step(statement) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_extended_errcode(db) == SQLITE_CONSTRAINT_PRIMARYKEY && sqlite3_errcode(db) == SQLITE_CONSTRAINT);
  SAME(sqlite3_errmsg(db), "UNIQUE constraint failed: t.a");
  CHECK(sqlite3_reset(statement) == SQLITE_CONSTRAINT && sqlite3_reset(statement) == SQLITE_OK);
  destroyed = 0;
  CHECK(sqlite3_bind_int64(statement, 1, 2) == SQLITE_OK);
  CHECK(sqlite3_bind_text64(statement, 2, "two-", 3, destroy, SQLITE_UTF8) == SQLITE_OK);
  CHECK(sqlite3_bind_blob(statement, 9, "\0\1\2", 3, SQLITE_TRANSIENT) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
  const unsigned short three[] = {'t', 'h', 'r', 0xe9, 'e', 0};
  CHECK(sqlite3_bind_int(statement, 1, 3) == SQLITE_OK);
  CHECK(sqlite3_bind_text16(statement, 2, three, -1, SQLITE_STATIC) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_bind_zeroblob(statement, 9, 4) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
  CHECK(sqlite3_clear_bindings(statement) == SQLITE_OK);
  CHECK(sqlite3_bind_zeroblob64(statement, 9, 2) == SQLITE_OK && sqlite3_bind_null(statement, 9) == SQLITE_OK);
  CHECK(sqlite3_bind_blob64(statement, 9, "abc", 3, destroy) == SQLITE_OK);
  CHECK(sqlite3_bind_blob64(statement, 9, "abc", 0x100000000LL, destroy) == SQLITE_TOOBIG);
  CHECK(sqlite3_bind_pointer(statement, 9, &destroyed, "mine", destroy) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_DONE);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK && destroyed == 4);
  CHECK(sqlite3_total_changes(db) == 4 && sqlite3_total_changes64(db) == 4);

  CHECK(sqlite3_prepare_v3(db, "SELECT a, b, c, 'x' || b AS d FROM t ORDER BY a", -1, SQLITE_PREPARE_PERSISTENT,
                           &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_stmt_readonly(statement) && sqlite3_column_count(statement) == 4 && sqlite3_data_count(statement) == 0);
  SAME(sqlite3_column_name(statement, 3), "d");
  SAME(sqlite3_column_name(statement, 4), NULL);
  CHECK(((const unsigned short*)sqlite3_column_name16(statement, 1))[0] == 'b');
  SAME(sqlite3_column_database_name(statement, 0), "main");
  SAME(sqlite3_column_table_name(statement, 0), "t");
  SAME(sqlite3_column_origin_name(statement, 0), "a");
  SAME(sqlite3_column_origin_name(statement, 3), NULL);
  SAME(sqlite3_column_decltype(statement, 0), "INTEGER");
  CHECK(((const unsigned short*)sqlite3_column_database_name16(statement, 0))[0] == 'm');
  CHECK(((const unsigned short*)sqlite3_column_table_name16(statement, 0))[0] == 't');
  CHECK(((const unsigned short*)sqlite3_column_origin_name16(statement, 0))[0] == 'a');
  CHECK(((const unsigned short*)sqlite3_column_decltype16(statement, 0))[0] == 'I');
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_data_count(statement) == 4 && sqlite3_stmt_busy(statement));
  CHECK(sqlite3_column_type(statement, 0) == SQLITE_INTEGER && sqlite3_column_int(statement, 0) == 1);
  CHECK(sqlite3_column_int64(statement, 0) == 1 && sqlite3_column_double(statement, 2) == 1.5);
  CHECK(sqlite3_column_type(statement, 2) == SQLITE_FLOAT);
  SAME(sqlite3_column_text(statement, 2), "1.5");
  SAME(sqlite3_column_text(statement, 1), "one");
  CHECK(sqlite3_column_bytes(statement, 1) == 3);
  const unsigned short *wide = sqlite3_column_text16(statement, 1);
  CHECK(wide[0] == 'o' && wide[3] == 0 && sqlite3_column_bytes16(statement, 1) == 6);
  CHECK(sqlite3_column_type(statement, 4) == SQLITE_NULL && sqlite3_column_text(statement, -1) == NULL);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(sqlite3_column_type(statement, 2) == SQLITE_BLOB && sqlite3_column_bytes(statement, 2) == 3);
  CHECK(memcmp(sqlite3_column_blob(statement, 2), "\0\1\2", 3) == 0);
  sqlite3_value *value = sqlite3_value_dup(sqlite3_column_value(statement, 1));
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  SAME(sqlite3_column_text(statement, 1), "thr\xc3\xa9" "e");
  CHECK(sqlite3_column_bytes(statement, 2) == 4);
  SAME(sqlite3_value_text(value), "two");
  CHECK(sqlite3_prepare_v2(db, "SELECT ?1, typeof(?1)", -1, &other, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_value(other, 1, value) == SQLITE_OK && sqlite3_step(other) == SQLITE_ROW);
  SAME(sqlite3_column_text(other, 0), "two");
  sqlite3_value_free(value);
  sqlite3_value_free(NULL);
  CHECK(sqlite3_finalize(other) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_blob(statement, 2) == NULL);
  CHECK(sqlite3_step(statement) == SQLITE_DONE && !sqlite3_stmt_busy(statement));
  CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 1) >= 1);
  CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 0);
  CHECK(sqlite3_stmt_explain(statement, 0) == SQLITE_OK);
  sqlite3_stmt_scanstatus_reset(statement);
  CHECK(sqlite3_stmt_scanstatus(statement, 1000, SQLITE_SCANSTAT_NLOOP, NULL) != 0);
  CHECK(sqlite3_stmt_scanstatus_v2(statement, 1000, SQLITE_SCANSTAT_NLOOP, 0, NULL) != 0);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);

  /* the old interface: what went wrong comes out of reset */
  CHECK(sqlite3_prepare(db, "INSERT INTO t(a) VALUES(1)", -1, &statement, &tail) == SQLITE_OK && *tail == 0);
  CHECK(sqlite3_step(statement) == SQLITE_ERROR && sqlite3_reset(statement) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  const unsigned short select[] = {'S', 'E', 'L', 'E', 'C', 'T', ' ', '7', ';', 'x', 0};
  const void *tail16 = NULL;
  CHECK(sqlite3_prepare16(db, select, -1, &statement, &tail16) == SQLITE_OK && tail16 == select + 9);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 7);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  CHECK(sqlite3_prepare16_v2(db, select, 16, &statement, NULL) == SQLITE_OK && sqlite3_finalize(statement) == SQLITE_OK);
  CHECK(sqlite3_prepare16_v3(db, select, 18, 0, &statement, NULL) == SQLITE_OK && sqlite3_finalize(statement) == SQLITE_OK);

  /* errors of preparing, texts without a statement */
  CHECK(sqlite3_prepare_v2(db, "SELECT nope", -1, &statement, &tail) == SQLITE_ERROR && statement == NULL);
  SAME(sqlite3_errmsg(db), "no such column: nope");
  CHECK(sqlite3_error_offset(db) == 7);
  CHECK(((const unsigned short*)sqlite3_errmsg16(db))[0] == 'n');
  CHECK(sqlite3_prepare_v2(db, " -- nothing", -1, &statement, NULL) == SQLITE_OK && statement == NULL);
  CHECK(sqlite3_prepare_v2(db, "SELECT 12", 8, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1);
  CHECK(sqlite3_prepare_v2(db, "SELECT ?", -1, &other, NULL) == SQLITE_OK);
  sqlite3_transfer_bindings(statement, other);
  CHECK(sqlite3_finalize(other) == SQLITE_OK && sqlite3_finalize(statement) == SQLITE_OK);
  CHECK(sqlite3_finalize(NULL) == SQLITE_OK && sqlite3_reset(NULL) == SQLITE_OK && sqlite3_step(NULL) == SQLITE_MISUSE);
  CHECK(sqlite3_bind_int(NULL, 1, 1) == SQLITE_MISUSE && sqlite3_column_count(NULL) == 0);
  CHECK(sqlite3_carray_bind(NULL, 1, NULL, 0, 0, NULL) == SQLITE_MISUSE);
  CHECK(sqlite3_carray_bind_v2(NULL, 1, NULL, 0, 0, NULL, NULL) == SQLITE_MISUSE);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static int rows_seen;
static int count_row(void *arg, int n, char **texts, char **names) {
  rows_seen++;
  CHECK(arg == &rows_seen && n == 2);
  SAME(names[0], "a");
  if (rows_seen == 1) CHECK(texts[1] == NULL);
  return rows_seen == 3;
}

static void whole_texts(void) {
  sqlite3 *db = open_memory();
  char *message = NULL;
  const char *sql = "SELECT 1 AS a, NULL AS b UNION ALL SELECT 2, 'x'; SELECT 3 AS a, 4; SELECT 5";
  CHECK(sqlite3_exec(db, sql, count_row, &rows_seen, &message) == SQLITE_ABORT && rows_seen == 3);
  SAME(message, "query aborted");
  sqlite3_free(message);
  CHECK(sqlite3_exec(db, "SELECT 1;\n  ;nonsense", NULL, NULL, &message) == SQLITE_ERROR);
  SAME(message, "near \"nonsense\": syntax error");
  sqlite3_free(message);
  char **table = NULL;
  int rows = 0, columns = 0;
  CHECK(sqlite3_get_table(db, "SELECT 1 AS a, NULL AS b UNION ALL SELECT 2, 'x'", &table, &rows, &columns, &message) == SQLITE_OK);
  CHECK(rows == 2 && columns == 2 && table[3] == NULL);
  SAME(table[1], "b");
  SAME(table[4], "2");
  sqlite3_free_table(table);
  sqlite3_free_table(NULL);
  CHECK(sqlite3_get_table(db, "SELECT 1; SELECT 1, 2", &table, &rows, &columns, &message) == SQLITE_ERROR);
  SAME(message, "sqlite3_get_table() called with two or more incompatible queries");
  sqlite3_free(message);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* ---- functions and collations ---- */

static void describe(sqlite3_context *context, int n, sqlite3_value **values) {
  sqlite3_value *v = values[0];
  CHECK(n == 1 && sqlite3_user_data(context) == &rows_seen && sqlite3_context_db_handle(context) != NULL);
  int type = sqlite3_value_type(v), bytes = sqlite3_value_bytes(v), bytes16 = sqlite3_value_bytes16(v);
  CHECK(sqlite3_value_encoding(v) > 0);
  char *text = sqlite3_mprintf("%d %d %lld %g %d %d %d %u %d", type, sqlite3_value_int(v), sqlite3_value_int64(v),
    sqlite3_value_double(v), bytes, bytes16, sqlite3_value_nochange(v), sqlite3_value_subtype(v),
    sqlite3_value_numeric_type(v));
  sqlite3_value_frombind(v);
  sqlite3_result_text(context, text, -1, sqlite3_free);
}

/* The value after sqlite3_value_numeric_type(), which makes numbers of texts. */
static void numeric(sqlite3_context *context, int n, sqlite3_value **values) {
  int kind = sqlite3_value_numeric_type(values[0]);
  int type = sqlite3_value_type(values[0]), number = sqlite3_value_int(values[0]);
  CHECK(n == 1);
  sqlite3_result_text(context, sqlite3_mprintf("%d %d %d %s", kind, type, number, sqlite3_value_text(values[0])), -1, sqlite3_free);
}

static void results(sqlite3_context *context, int n, sqlite3_value **values) {
  static const unsigned short wide[] = {'w', 0xe4, 0};
  static const unsigned char little[] = {'l', 0}, big[] = {0, 'b'};
  sqlite3_str *str;
  CHECK(n == 2);
  switch (sqlite3_value_int(values[0])) {
    case 0: sqlite3_result_null(context); break;
    case 1: sqlite3_result_int(context, -7); break;
    case 2: sqlite3_result_int64(context, 1LL << 40); break;
    case 3: sqlite3_result_double(context, 0.25); break;
    case 4: sqlite3_result_text(context, "text!", 4, SQLITE_TRANSIENT); break;
    case 5: sqlite3_result_text16(context, wide, -1, SQLITE_STATIC); break;
    case 6: sqlite3_result_text16le(context, little, 2, SQLITE_STATIC); break;
    case 7: sqlite3_result_text16be(context, big, 2, SQLITE_STATIC); break;
    case 8: sqlite3_result_text64(context, "text64", 6, destroy, SQLITE_UTF8); break;
    case 9: sqlite3_result_blob(context, "bl", 2, SQLITE_TRANSIENT); break;
    case 10: sqlite3_result_blob64(context, "blob", 4, destroy); break;
    case 11: sqlite3_result_zeroblob(context, 3); break;
    case 12: CHECK(sqlite3_result_zeroblob64(context, 2) == SQLITE_OK); break;
    case 13: sqlite3_result_value(context, values[1]); break;
    case 14: sqlite3_result_error(context, "my error", -1); break;
    case 15: sqlite3_result_error16(context, wide, -1); break;
    case 16: sqlite3_result_error_code(context, SQLITE_BUSY); break;
    case 17: sqlite3_result_error_toobig(context); break;
    case 18: sqlite3_result_error_nomem(context); break;
    case 19:
      str = sqlite3_str_new(NULL);
      sqlite3_str_appendall(str, "built");
      sqlite3_result_str(context, str, SQLITE_FINISH);
      break;
    case 20: sqlite3_result_pointer(context, &failures, "mine", destroy); break;
    case 21:
      sqlite3_result_text(context, "sub", -1, SQLITE_STATIC);
      sqlite3_result_subtype(context, 'J');
      break;
    case 22: CHECK(sqlite3_vtab_nochange(context) == 0); break;
    case 23: {
      const unsigned short *le = sqlite3_value_text16le(values[1]), *native = sqlite3_value_text16(values[1]);
      const unsigned char *be = sqlite3_value_text16be(values[1]);
      CHECK(le != NULL && native != NULL && be[0] == 0);
      CHECK(sqlite3_value_blob(values[1]) != NULL);
      break;
    }
  }
}

static void take_pointer(sqlite3_context *context, int n, sqlite3_value **values) {
  CHECK(n == 1 && sqlite3_value_pointer(values[0], "other") == NULL);
  sqlite3_result_int(context, sqlite3_value_pointer(values[0], "mine") == &failures);
}

static void pointer_final(sqlite3_context *context) {
  sqlite3_result_pointer(context, &failures, "mine", NULL);
}

static void subtype(sqlite3_context *context, int n, sqlite3_value **values) {
  CHECK(n == 1);
  sqlite3_result_int(context, (int)sqlite3_value_subtype(values[0]));
}

static void remember(sqlite3_context *context, int n, sqlite3_value **values) {
  int *count = sqlite3_get_auxdata(context, 0);
  CHECK(n == 2 && sqlite3_value_type(values[0]) == SQLITE_TEXT);
  if (count == NULL) {
    count = sqlite3_malloc(sizeof *count);
    *count = 0;
    sqlite3_set_auxdata(context, 0, count, sqlite3_free);
    count = sqlite3_get_auxdata(context, 0);
  }
  sqlite3_result_int(context, ++*count);
}

static void sum_step(sqlite3_context *context, int n, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  CHECK(n == 1);
  *sum += sqlite3_value_int64(values[0]);
  if (sqlite3_value_int64(values[0]) == 99) sqlite3_result_error(context, "no 99", -1);
}
static void sum_inverse(sqlite3_context *context, int n, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  CHECK(n == 1);
  *sum -= sqlite3_value_int64(values[0]);
}
static void sum_value(sqlite3_context *context) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  sqlite3_result_int64(context, *sum);
}
static int finals;
static void sum_final(sqlite3_context *context) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, 0);
  finals++;
  sqlite3_aggregate_count(context);
  if (sum) sqlite3_result_int64(context, *sum);
}

static void functions(void) {
  sqlite3 *db = open_memory();
  CHECK(sqlite3_create_function(db, "describe", 1, SQLITE_UTF8, &rows_seen, describe, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT describe('12')", "3 12 12 12 2 4 0 0 1");
  ANSWERS(db, "SELECT describe(x'3132')", "4 12 12 12 2 2 0 0 4");
  ANSWERS(db, "SELECT describe(NULL)", "5 0 0 0 0 0 0 0 5");
  ANSWERS(db, "SELECT describe(2.5)", "2 2 2 2.5 3 6 0 0 2");
  CHECK(sqlite3_create_function(db, "numeric", 1, SQLITE_UTF8, NULL, numeric, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT numeric(' 1e3 ')", "2 2 1000 1000.0");
  ANSWERS(db, "SELECT numeric('12 ')", "1 1 12 12");
  ANSWERS(db, "SELECT numeric('12x')", "3 3 12 12x");
  ANSWERS(db, "SELECT describe(1, 2)", "wrong number of arguments to function describe()");
  int flags = SQLITE_UTF8 | SQLITE_RESULT_SUBTYPE | SQLITE_SUBTYPE;
  destroyed = 0;
  CHECK(sqlite3_create_function_v2(db, "results", 2, flags, &failures, results, NULL, NULL, destroy) == SQLITE_OK);
  const char *expected[] = {NULL, "-7", "1099511627776", "0.25", "text", "w\xc3\xa4", "l", "b", "text64", "bl", "blob", "",
    "", "x", "my error", "w\xc3\xa4", "database is locked", "string or blob too big", "out of memory", "built", NULL, "sub",
    NULL, NULL};
  for (int i = 0; i < 24; i++) {
    char *sql = sqlite3_mprintf("SELECT results(%d, 'x')", i);
    ANSWERS(db, sql, expected[i]);
    sqlite3_free(sql);
  }
  CHECK(destroyed == 3);
  ANSWERS(db, "SELECT length(results(11, 0))", "3");
  CHECK(sqlite3_create_function_v2(db, "take_pointer", 1, SQLITE_UTF8, NULL, take_pointer, NULL, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT take_pointer(results(20, 0))", "1");
  CHECK(sqlite3_create_function(db, "pointer_of", 1, SQLITE_UTF8, NULL, NULL, sum_step, pointer_final) == SQLITE_OK);
  ANSWERS(db, "SELECT take_pointer(pointer_of(x)) FROM (SELECT 1 AS x)", "1");
  CHECK(sqlite3_create_function_v2(db, "subtype_of", 1, flags, NULL, subtype, NULL, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT subtype_of(results(21, 0))", "74");
  CHECK(sqlite3_create_function_v2(db, "remember", 2, SQLITE_UTF8, NULL, remember, NULL, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT max(remember('k', n)) FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3)", "3");
  ANSWERS(db, "SELECT max(remember('k' || n, n)) FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3)", "1");
  CHECK(sqlite3_create_function_v2(db, "both", 1, SQLITE_UTF8, NULL, describe, sum_step, NULL, destroy) == SQLITE_MISUSE);
  const unsigned short wide[] = {'w', 'i', 'd', 'e', 0};
  CHECK(sqlite3_create_function16(db, wide, 1, SQLITE_UTF16, &rows_seen, describe, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT wide(1)", "1 1 1 1 1 2 0 0 1");

  CHECK(sqlite3_create_function(db, "my_sum", 1, SQLITE_UTF8, NULL, NULL, sum_step, sum_final) == SQLITE_OK);
  ANSWERS(db, "SELECT my_sum(n) FROM (SELECT 1 AS n UNION ALL SELECT 2)", "3");
  ANSWERS(db, "SELECT my_sum(n) FROM (SELECT 1 AS n) WHERE 0", NULL);
  finals = 0;
  ANSWERS(db, "SELECT my_sum(n) FROM (SELECT 1 AS n UNION ALL SELECT 99)", "no 99");
  CHECK(finals == 1);
  CHECK(sqlite3_create_window_function(db, "win_sum", 1, SQLITE_UTF8, NULL, sum_step, sum_final, sum_value, sum_inverse,
                                       destroy) == SQLITE_OK);
  ANSWERS(db, "SELECT group_concat(s) FROM (SELECT win_sum(n) OVER (ORDER BY n ROWS 1 PRECEDING) AS s FROM "
              "(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 4))", "1,3,6");
  CHECK(sqlite3_overload_function(db, "overloaded", 2) == SQLITE_OK);
  ANSWERS(db, "SELECT overloaded(1, 2)", "unable to use function overloaded in the requested context");

  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT take_pointer(?)", -1, &statement, NULL) == SQLITE_OK);
  destroyed = 0;
  CHECK(sqlite3_bind_pointer(statement, 1, &failures, "mine", destroy) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == 1);
  CHECK(sqlite3_create_function(db, "take_pointer", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL) == SQLITE_BUSY);
  SAME(sqlite3_errmsg(db), "unable to delete/modify user-function due to active statements");
  CHECK(sqlite3_finalize(statement) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_create_function(db, "take_pointer", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT take_pointer(1)", "no such function: take_pointer");
  destroyed = 0;
  CHECK(sqlite3_close(db) == SQLITE_OK && destroyed == 2);
}

static int backwards(void *arg, int n1, const void *one, int n2, const void *two) {
  int n = n1 < n2 ? n1 : n2, order = memcmp(two, one, n);
  CHECK(arg == &rows_seen || arg == NULL);
  return order ? order : n2 - n1;
}
static void needed(void *arg, sqlite3 *db, int encoding, const char *name) {
  CHECK(arg == &failures && encoding > 0);
  if (strcmp(name, "late") == 0) sqlite3_create_collation(db, name, SQLITE_UTF8, NULL, backwards);
}
static void needed16(void *arg, sqlite3 *db, int encoding, const void *name) {
  CHECK(arg == &failures && encoding > 0);
  sqlite3_create_collation16(db, name, SQLITE_UTF8, NULL, backwards);
}

static void collations(void) {
  sqlite3 *db = open_memory();
  run(db, "CREATE TABLE t(a); INSERT INTO t VALUES('b'), ('c'), ('a')");
  destroyed = 0;
  CHECK(sqlite3_create_collation_v2(db, "back", SQLITE_UTF8, &rows_seen, backwards, destroy) == SQLITE_OK);
  ANSWERS(db, "SELECT group_concat(a, '') FROM (SELECT a FROM t ORDER BY a COLLATE back)", "cba");
  ANSWERS(db, "SELECT a FROM t ORDER BY a COLLATE nope", "no such collation sequence: nope");
  CHECK(sqlite3_collation_needed(db, &failures, needed) == SQLITE_OK);
  ANSWERS(db, "SELECT a FROM t ORDER BY a COLLATE late", "c");
  CHECK(sqlite3_collation_needed16(db, &failures, needed16) == SQLITE_OK);
  ANSWERS(db, "SELECT a FROM t ORDER BY a COLLATE later", "c");
  CHECK(sqlite3_create_collation(db, "x", 77, NULL, backwards) == SQLITE_MISUSE);
  CHECK(sqlite3_create_collation(db, "back", SQLITE_UTF8, NULL, NULL) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* ---- hooks ---- */

static int commits, rollbacks, updates, progress, wal_commits, refuse_commit, traced[16];
static int on_commit(void *arg) { commits++; (void)arg; return refuse_commit; }
static void on_rollback(void *arg) { rollbacks++; (void)arg; }
static void on_update(void *arg, int op, const char *database, const char *table, sqlite3_int64 rowid) {
  updates++;
  CHECK(arg == &updates && op == SQLITE_INSERT && rowid > 0);
  SAME(database, "main");
  SAME(table, "t");
}
static int on_progress(void *arg) { progress++; return arg != NULL && progress > 5; }
static int on_wal(void *arg, sqlite3 *db, const char *name, int frames) {
  wal_commits++;
  CHECK(arg == &wal_commits && db != NULL && frames > 0);
  SAME(name, "main");
  return SQLITE_OK;
}
static int on_trace(unsigned event, void *arg, void *what, void *more) {
  traced[event]++;
  CHECK(arg == traced);
  if (event == SQLITE_TRACE_STMT) SAME(more, sqlite3_sql(what));
  if (event == SQLITE_TRACE_STMT) sqlite3_free(sqlite3_expanded_sql(what));
  return 0;
}
static void on_old_trace(void *arg, const char *sql) { traced[0]++; (void)arg; SAME(sql, "SELECT 1"); }
static void on_old_profile(void *arg, const char *sql, sqlite3_uint64 time) { traced[3]++; (void)arg; (void)sql; (void)time; }
static int authorized;
static int authorize(void *arg, int op, const char *a, const char *b, const char *c, const char *d) {
  authorized++;
  (void)arg; (void)a; (void)b; (void)c; (void)d;
  return op == SQLITE_DROP_TABLE ? SQLITE_DENY : SQLITE_OK;
}
static void unlocked(void **args, int n) { CHECK(n == 1 && args[0] == &failures); }
static unsigned pages(void *a, const char *b, unsigned c, unsigned d, unsigned e) { (void)a; (void)b; (void)c; (void)e; return d; }
static void preupdate(void *a, sqlite3 *b, int c, const char *d, const char *e, sqlite3_int64 f, sqlite3_int64 g) {
  (void)a; (void)b; (void)c; (void)d; (void)e; (void)f; (void)g;
}

static void hooks(const char *folder) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(path(folder, "hooks.db"), &db) == SQLITE_OK);
  run(db, "CREATE TABLE t(a)");
  CHECK(sqlite3_commit_hook(db, on_commit, &commits) == NULL);
  CHECK(sqlite3_rollback_hook(db, on_rollback, &rollbacks) == NULL);
  CHECK(sqlite3_update_hook(db, on_update, &updates) == NULL);
  run(db, "INSERT INTO t VALUES(1), (2)");
  CHECK(commits == 1 && updates == 2 && rollbacks == 0);
  refuse_commit = 1;
  CHECK(sqlite3_exec(db, "INSERT INTO t VALUES(3)", NULL, NULL, NULL) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_extended_errcode(db) == SQLITE_CONSTRAINT_COMMITHOOK);
  CHECK(rollbacks == 1);
  CHECK(sqlite3_commit_hook(db, NULL, NULL) == &commits && sqlite3_rollback_hook(db, NULL, NULL) == &rollbacks);
  CHECK(sqlite3_update_hook(db, NULL, NULL) == &updates);
  ANSWERS(db, "SELECT count(*) FROM t", "2");
  sqlite3_progress_handler(db, 10, on_progress, db);
  ANSWERS(db, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n", "interrupted");
  CHECK(progress > 5);
  sqlite3_progress_handler(db, 0, NULL, NULL);
  run(db, "PRAGMA journal_mode=WAL");
  CHECK(sqlite3_wal_hook(db, on_wal, &wal_commits) == NULL || 1);
  run(db, "INSERT INTO t VALUES(4)");
  ANSWERS(db, "PRAGMA wal_autocheckpoint", "0");
  CHECK(wal_commits == 1 && sqlite3_wal_hook(db, NULL, NULL) == &wal_commits);
  CHECK(sqlite3_wal_autocheckpoint(db, 5) == SQLITE_OK);
  ANSWERS(db, "PRAGMA wal_autocheckpoint", "5");
  int frames = 0, checkpointed = 0;
  CHECK(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_FULL, &frames, &checkpointed) == SQLITE_OK);
  CHECK(frames > 0 && frames == checkpointed);
  CHECK(sqlite3_wal_checkpoint(db, "main") == SQLITE_OK && sqlite3_wal_checkpoint(db, "nope") == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "unknown database: nope");
  CHECK(sqlite3_wal_autocheckpoint(db, 100) == SQLITE_OK);
  CHECK(sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE | SQLITE_TRACE_CLOSE, on_trace, traced) == SQLITE_OK);
  ANSWERS(db, "SELECT 1", "1");
  CHECK(traced[SQLITE_TRACE_STMT] == 1 && traced[SQLITE_TRACE_ROW] == 1 && traced[SQLITE_TRACE_PROFILE] == 1);
  CHECK(sqlite3_exec(db, "EXPLAIN QUERY PLAN SELECT 1", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(traced[SQLITE_TRACE_STMT] == 1 && traced[SQLITE_TRACE_ROW] == 1 && traced[SQLITE_TRACE_PROFILE] == 2);
  CHECK(sqlite3_unlock_notify(db, unlocked, &failures) == SQLITE_OK);
  CHECK(sqlite3_set_authorizer(db, authorize, NULL) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "DROP TABLE t", NULL, NULL, NULL) == SQLITE_AUTH && authorized > 0);
  SAME(sqlite3_errmsg(db), "not authorized");
  CHECK(sqlite3_set_authorizer(db, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_autovacuum_pages(db, pages, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_autovacuum_pages(db, NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK && traced[SQLITE_TRACE_CLOSE] == 1);

  db = open_memory();
  traced[0] = traced[3] = 0;
  CHECK(sqlite3_trace(db, on_old_trace, &traced[0]) == NULL);
  ANSWERS(db, "SELECT 1", "1");
  CHECK(traced[0] == 1 && sqlite3_trace(db, NULL, NULL) == &traced[0]);
  CHECK(sqlite3_profile(db, on_old_profile, &traced[3]) == NULL);
  ANSWERS(db, "SELECT 1", "1");
  CHECK(traced[3] == 1 && sqlite3_profile(db, NULL, NULL) == &traced[3]);
  sqlite3_preupdate_hook(db, preupdate, NULL);
  sqlite3_preupdate_hook(db, NULL, NULL);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* ---- information about a connection ---- */

static int busy_calls;
static int on_busy(void *arg, int n) { busy_calls++; CHECK(arg == &busy_calls); return n < 2; }

static void connection_info(const char *folder) {
  sqlite3 *db = NULL, *other = NULL;
  const char *name = path(folder, "connection_info.db");
  CHECK(sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK);
  run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT COLLATE NOCASE NOT NULL, c)");
  CHECK(sqlite3_get_autocommit(db) && sqlite3_txn_state(db, NULL) == SQLITE_TXN_NONE);
  run(db, "BEGIN IMMEDIATE");
  CHECK(!sqlite3_get_autocommit(db) && sqlite3_txn_state(db, "main") == SQLITE_TXN_WRITE && sqlite3_txn_state(db, "x") == -1);
  CHECK(sqlite3_open(name, &other) == SQLITE_OK);
  CHECK(sqlite3_busy_handler(other, on_busy, &busy_calls) == SQLITE_OK);
  CHECK(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_BUSY && busy_calls == 3);
  CHECK(sqlite3_busy_timeout(other, 10) == SQLITE_OK && sqlite3_setlk_timeout(other, 10, 0) == SQLITE_OK);
  CHECK(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_BUSY);
  SAME(sqlite3_errmsg(other), "database is locked");
  CHECK(sqlite3_close_v2(other) == SQLITE_OK);
  run(db, "ROLLBACK");
  sqlite3_set_last_insert_rowid(db, 1234);
  CHECK(sqlite3_last_insert_rowid(db) == 1234);
  SAME(sqlite3_db_name(db, 0), "main");
  SAME(sqlite3_db_name(db, 1), "temp");
  SAME(sqlite3_db_name(db, 2), NULL);
  CHECK(strstr(sqlite3_db_filename(db, "main"), "connection_info.db") != NULL && sqlite3_db_filename(db, "x") == NULL);
  CHECK(strstr(sqlite3_filename_journal(sqlite3_db_filename(db, "main")), "connection_info.db-journal") != NULL);
  CHECK(strstr(sqlite3_filename_wal(sqlite3_db_filename(db, "main")), "connection_info.db-wal") != NULL);
  CHECK(sqlite3_db_readonly(db, "main") == 0 && sqlite3_db_readonly(db, "x") == -1);
  CHECK(sqlite3_db_mutex(db) != NULL);
  CHECK(sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 5) == 32766);
  CHECK(sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 1 << 30) == 5 && sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, -1) == 32766);
  CHECK(sqlite3_limit(db, 1000, 1) == -1);
  const char *type = NULL, *collation = NULL;
  int not_null = -1, key = -1, autoincrement = -1;
  CHECK(sqlite3_table_column_metadata(db, "main", "t", "a", &type, &collation, &not_null, &key, &autoincrement) == SQLITE_OK);
  SAME(type, "INTEGER");
  SAME(collation, "BINARY");
  CHECK(not_null == 0 && key == 1 && autoincrement == 1);
  CHECK(sqlite3_table_column_metadata(db, NULL, "t", "b", &type, &collation, &not_null, &key, &autoincrement) == SQLITE_OK);
  SAME(collation, "NOCASE");
  CHECK(not_null == 1 && key == 0 && autoincrement == 0);
  CHECK(sqlite3_table_column_metadata(db, NULL, "t", "x", NULL, NULL, NULL, NULL, NULL) == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "no such table column: t.x");
  int on = -1;
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, &on) == SQLITE_OK && on == 1);
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, -1, NULL) == SQLITE_OK);
  ANSWERS(db, "PRAGMA foreign_keys", "1");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, &on) == SQLITE_OK && on == 0);
  CHECK(sqlite3_db_config(db, 5000) == SQLITE_ERROR);
  int current = -1, highest = -1;
  sqlite3_int64 current64 = -1, highest64 = -1;
  CHECK(sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0) == SQLITE_OK && current >= 0);
  CHECK(sqlite3_db_status64(db, SQLITE_DBSTATUS_DEFERRED_FKS, &current64, &highest64, 0) == SQLITE_OK && current64 == 0);
  CHECK(sqlite3_db_status(db, 1000, &current, &highest, 0) == SQLITE_ERROR);
  CHECK(sqlite3_db_release_memory(db) == SQLITE_OK && sqlite3_db_cacheflush(db) == SQLITE_OK);
  unsigned version = 0;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK && version > 0);
  CHECK(sqlite3_file_control(db, "main", 12345, &version) == SQLITE_NOTFOUND && sqlite3_file_control(db, "x", 1, NULL) == SQLITE_ERROR);
  sqlite3_interrupt(db);
  CHECK(!sqlite3_is_interrupted(db) || 1);
  ANSWERS(db, "SELECT 1", "1");
  destroyed = 0;
  CHECK(sqlite3_set_clientdata(db, "mine", &failures, destroy) == SQLITE_OK && sqlite3_get_clientdata(db, "mine") == &failures);
  CHECK(sqlite3_get_clientdata(db, "other") == NULL);
  CHECK(sqlite3_set_clientdata(db, "mine", &rows_seen, destroy) == SQLITE_OK && destroyed == 1);
  CHECK(sqlite3_extended_result_codes(db, 1) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "INSERT INTO t(b) VALUES(NULL)", NULL, NULL, NULL) == SQLITE_CONSTRAINT_NOTNULL);
  sqlite3_system_errno(db);
  CHECK(sqlite3_set_errmsg(db, SQLITE_MISMATCH, "my own") == SQLITE_OK && sqlite3_errcode(db) == SQLITE_MISMATCH);
  SAME(sqlite3_errmsg(db), "my own");
  CHECK(sqlite3_close(db) == SQLITE_OK && destroyed == 2);
  CHECK(sqlite3_open_v2(name, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK && sqlite3_db_readonly(db, "main") == 1);
  CHECK(sqlite3_exec(db, "DELETE FROM t", NULL, NULL, NULL) == SQLITE_READONLY);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  SAME(sqlite3_errmsg(NULL), "out of memory");
  CHECK(sqlite3_errcode(NULL) == SQLITE_NOMEM && sqlite3_changes(NULL) == 0 && sqlite3_close(NULL) == SQLITE_OK);
}

static void opening(const char *folder) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_open_v2("/no/such/folder/x.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_CANTOPEN);
  SAME(sqlite3_errmsg(db), "unable to open database file");
  CHECK(sqlite3_exec(db, "SELECT 1", NULL, NULL, NULL) == SQLITE_MISUSE && sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, "nope") == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "no such vfs: nope");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_open_v2(":memory:", &db, 0, NULL) == SQLITE_MISUSE && sqlite3_open_v2(":memory:", NULL, 6, NULL) == SQLITE_MISUSE);
  SAME(sqlite3_errmsg(db), "bad parameter or other API misuse");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  char *uri = sqlite3_mprintf("file:%s?mode=rwc&mine=0x10&flag=on", path(folder, "uri.db"));
  CHECK(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK);
  sqlite3_free(uri);
  CHECK(sqlite3_db_mutex(db) == NULL);
  const char *file = sqlite3_db_filename(db, "main");
  SAME(sqlite3_uri_parameter(file, "mine"), "0x10");
  SAME(sqlite3_uri_parameter(file, "other"), NULL);
  SAME(sqlite3_uri_key(file, 0), "mode");
  SAME(sqlite3_uri_key(file, 9), NULL);
  CHECK(sqlite3_uri_int64(file, "mine", 1) == 16 && sqlite3_uri_int64(file, "flag", 7) == 7);
  CHECK(sqlite3_uri_boolean(file, "flag", 0) == 1 && sqlite3_uri_boolean(file, "none", 1) == 1);
  SAME(sqlite3_filename_database(sqlite3_filename_wal(file)), file);
  sqlite3_database_file_object(file);
  CHECK(sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_BUSY);
  SAME(sqlite3_errmsg(db), "unable to close due to unfinalized statements or unfinished backups");
  CHECK(sqlite3_close_v2(db) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_finalize(statement) == SQLITE_OK);
  const unsigned short wide[] = {':', 'm', 'e', 'm', 'o', 'r', 'y', ':', 0};
  CHECK(sqlite3_open16(wide, &db) == SQLITE_OK);
  ANSWERS(db, "SELECT substr(encoding, 1, 6) FROM pragma_encoding", "UTF-16");
  run(db, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES('\xc3\xa9')");
  ANSWERS(db, "SELECT length(hex(a)) FROM t", "4");
  /* An error stays the last one until something else happens. */
  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t SELECT a FROM t", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_CONSTRAINT && sqlite3_reset(statement) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_reset(statement) == SQLITE_OK && sqlite3_extended_errcode(db) == SQLITE_CONSTRAINT_UNIQUE);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  SAME(sqlite3_errmsg(db), "UNIQUE constraint failed: t.a");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  const char *pairs[] = {"k", "v"};
  const char *made = sqlite3_create_filename("d", "j", "w", 1, pairs);
  SAME(made, "d");
  SAME(sqlite3_uri_parameter(made, "k"), "v");
  SAME(sqlite3_filename_journal(made), "j");
  SAME(sqlite3_filename_wal(made), "w");
  SAME(sqlite3_filename_database(sqlite3_filename_journal(made)), "d");
  sqlite3_free_filename(made);
  sqlite3_free_filename(NULL);
}

/* ---- blobs, backups ---- */

static void blobs(void) {
  sqlite3 *db = open_memory();
  sqlite3_blob *blob = NULL;
  char bytes[8] = {0};
  run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES(1, zeroblob(8)), (2, x'0102'), (3, 7)");
  CHECK(sqlite3_blob_open(db, "main", "t", "b", 1, 1, &blob) == SQLITE_OK && sqlite3_blob_bytes(blob) == 8);
  CHECK(sqlite3_blob_write(blob, "hello", 5, 2) == SQLITE_OK && sqlite3_blob_write(blob, "hello", 5, 4) == SQLITE_ERROR);
  CHECK(sqlite3_blob_read(blob, bytes, 8, 0) == SQLITE_OK && memcmp(bytes, "\0\0hello\0", 8) == 0);
  CHECK(sqlite3_close(db) == SQLITE_BUSY);
  CHECK(sqlite3_blob_reopen(blob, 2) == SQLITE_OK && sqlite3_blob_bytes(blob) == 2);
  CHECK(sqlite3_blob_reopen(blob, 3) == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "cannot open value of type integer");
  CHECK(sqlite3_blob_reopen(blob, 1) == SQLITE_ABORT);
  CHECK(sqlite3_blob_read(blob, bytes, 1, 0) == SQLITE_ABORT && sqlite3_blob_close(blob) == SQLITE_OK);
  CHECK(sqlite3_blob_open(db, "main", "t", "b", 9, 0, &blob) == SQLITE_ERROR && blob == NULL);
  SAME(sqlite3_errmsg(db), "no such rowid: 9");
  CHECK(sqlite3_blob_open(db, "main", "sqlite_schema", "name", 1, 0, &blob) == SQLITE_OK && sqlite3_blob_bytes(blob) == 1);
  CHECK(sqlite3_blob_close(blob) == SQLITE_OK);
  CHECK(sqlite3_blob_close(NULL) == SQLITE_OK && sqlite3_blob_bytes(NULL) == 0);
  ANSWERS(db, "SELECT hex(b) FROM t WHERE a = 1", "000068656C6C6F00");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void backups(void) {
  sqlite3 *from = open_memory(), *to = open_memory();
  run(from, "CREATE TABLE t(a); INSERT INTO t VALUES(randomblob(20000)), ('x')");
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  if (backup) {
    CHECK(sqlite3_backup_step(backup, 1) == SQLITE_OK);
    CHECK(sqlite3_backup_pagecount(backup) > 2 && sqlite3_backup_remaining(backup) == sqlite3_backup_pagecount(backup) - 1);
    CHECK(sqlite3_backup_step(backup, -1) == SQLITE_DONE && sqlite3_backup_finish(backup) == SQLITE_OK);
    ANSWERS(to, "SELECT a FROM t LIMIT 1 OFFSET 1", "x");
  } else {
    NOT_YET(to, sqlite3_errcode(to));
  }
  CHECK(sqlite3_backup_finish(NULL) == SQLITE_OK);
  sqlite3_int64 size = 0;
  sqlite3 *empty = open_memory();
  unsigned char *bytes = sqlite3_serialize(empty, NULL, &size, 0);
  CHECK(bytes != NULL && size == 4096 && memcmp(bytes, "SQLite format 3", 16) == 0);
  sqlite3_free(bytes);
  CHECK(sqlite3_serialize(empty, "temp", &size, 0) == NULL && size == -1 && sqlite3_close(empty) == SQLITE_OK);
  bytes = sqlite3_serialize(from, "main", &size, 0);
  if (bytes) {
    CHECK(size > 20000 && memcmp(bytes, "SQLite format 3", 16) == 0);
    CHECK(sqlite3_deserialize(to, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK);
    ANSWERS(to, "SELECT a FROM t LIMIT 1 OFFSET 1", "x");
  } else {
    NOT_YET(from, sqlite3_errcode(from));
    NOT_YET(to, sqlite3_deserialize(to, "main", NULL, 0, 0, 0));
  }
  CHECK(sqlite3_close(from) == SQLITE_OK && sqlite3_close(to) == SQLITE_OK);
}

/* ---- a VFS of our own: a shim around the default one ---- */

typedef struct { sqlite3_file base; sqlite3_file *real; } shim_file;
static sqlite3_vfs *real_vfs;
static int shim_reads, shim_writes, shim_opens, shim_closes;
static char shim_parameter[20];

#define REAL(file) (((shim_file*)(file))->real)
static int shim_close(sqlite3_file *f) { shim_closes++; return REAL(f)->pMethods->xClose(REAL(f)); }
static int shim_read(sqlite3_file *f, void *b, int n, sqlite3_int64 at) { shim_reads++; return REAL(f)->pMethods->xRead(REAL(f), b, n, at); }
static int shim_write(sqlite3_file *f, const void *b, int n, sqlite3_int64 at) { shim_writes++; return REAL(f)->pMethods->xWrite(REAL(f), b, n, at); }
static int shim_truncate(sqlite3_file *f, sqlite3_int64 size) { return REAL(f)->pMethods->xTruncate(REAL(f), size); }
static int shim_sync(sqlite3_file *f, int flags) { return REAL(f)->pMethods->xSync(REAL(f), flags); }
static int shim_size(sqlite3_file *f, sqlite3_int64 *size) { return REAL(f)->pMethods->xFileSize(REAL(f), size); }
static int shim_lock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xLock(REAL(f), level); }
static int shim_unlock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xUnlock(REAL(f), level); }
static int shim_reserved(sqlite3_file *f, int *out) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), out); }
static int shim_control(sqlite3_file *f, int op, void *arg) { return REAL(f)->pMethods->xFileControl(REAL(f), op, arg); }
static int shim_sector(sqlite3_file *f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int shim_device(sqlite3_file *f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }
static int shim_map(sqlite3_file *f, int i, int n, int extend, void volatile **out) { return REAL(f)->pMethods->xShmMap(REAL(f), i, n, extend, out); }
static int shim_shm_lock(sqlite3_file *f, int at, int n, int flags) { return REAL(f)->pMethods->xShmLock(REAL(f), at, n, flags); }
static void shim_barrier(sqlite3_file *f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }
static int shim_unmap(sqlite3_file *f, int delete) { return REAL(f)->pMethods->xShmUnmap(REAL(f), delete); }

static const sqlite3_io_methods shim_methods = {
  2, shim_close, shim_read, shim_write, shim_truncate, shim_sync, shim_size, shim_lock, shim_unlock, shim_reserved,
  shim_control, shim_sector, shim_device, shim_map, shim_shm_lock, shim_barrier, shim_unmap, NULL, NULL
};

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
  shim_file *shim = (shim_file*)file;
  (void)vfs;
  shim_opens++;
  shim->base.pMethods = NULL;
  shim->real = (sqlite3_file*)(shim + 1);
  if (flags & SQLITE_OPEN_MAIN_DB) {
    const char *parameter = sqlite3_uri_parameter(name, "mine");
    sqlite3_snprintf(sizeof shim_parameter, shim_parameter, "%s", parameter);
  }
  int code = real_vfs->xOpen(real_vfs, name, shim->real, flags, out);
  if (code == SQLITE_OK) shim->base.pMethods = &shim_methods;
  return code;
}

static void vfs(const char *folder) {
  real_vfs = sqlite3_vfs_find(NULL);
  CHECK(real_vfs != NULL && sqlite3_vfs_find("nope") == NULL && sqlite3_vfs_find(real_vfs->zName) == real_vfs);
  sqlite3_vfs shim = *real_vfs;
  shim.zName = "shim";
  shim.szOsFile = (int)sizeof(shim_file) + real_vfs->szOsFile;
  shim.xOpen = shim_open;
  CHECK(sqlite3_vfs_register(&shim, 0) == SQLITE_OK && sqlite3_vfs_find("shim") == &shim);
  CHECK(sqlite3_vfs_find(NULL) == real_vfs);

  sqlite3 *db = NULL;
  char *uri = sqlite3_mprintf("file:%s?vfs=shim&mine=yours", path(folder, "shim.db"));
  CHECK(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
  run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  run(db, "PRAGMA journal_mode=WAL");
  run(db, "INSERT INTO t VALUES(2)");
  ANSWERS(db, "SELECT sum(a) FROM t", "3");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(shim_opens > 1 && shim_opens == shim_closes && shim_reads > 0 && shim_writes > 0);
  SAME(shim_parameter, "yours");
  CHECK(sqlite3_open_v2(path(folder, "shim.db"), &db, SQLITE_OPEN_READWRITE, "shim") == SQLITE_OK);
  ANSWERS(db, "SELECT sum(a) FROM t", "3");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  sqlite3_free(uri);
  CHECK(sqlite3_vfs_unregister(&shim) == SQLITE_OK && sqlite3_vfs_find("shim") == NULL);

  /* the methods of the default one */
  int found = -1;
  char full[1100], error[100] = "";
  CHECK(real_vfs->xAccess(real_vfs, folder, SQLITE_ACCESS_EXISTS, &found) == SQLITE_OK && found == 1);
  CHECK(real_vfs->xFullPathname(real_vfs, "x", sizeof full, full) == SQLITE_OK && full[0] == '/');
  CHECK(real_vfs->xRandomness(real_vfs, 8, full) == 8 && real_vfs->xSleep(real_vfs, 1) >= 1);
  sqlite3_int64 now = 0;
  double days = 0;
  CHECK(real_vfs->xCurrentTimeInt64(real_vfs, &now) == SQLITE_OK && real_vfs->xCurrentTime(real_vfs, &days) == SQLITE_OK);
  CHECK(now / 86400000 == (sqlite3_int64)days);
  CHECK(real_vfs->xDlOpen(real_vfs, "/no/such/library.so") == NULL);
  real_vfs->xDlError(real_vfs, sizeof error, error);
  CHECK(error[0] != 0);
  real_vfs->xGetLastError(real_vfs, 0, NULL);
  CHECK(real_vfs->xDelete(real_vfs, path(folder, "not there"), 0) == SQLITE_IOERR_DELETE_NOENT);
}

static void engines_own_vfs(void) {
  sqlite3 *db = NULL;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  CHECK(sqlite3_open_v2("file:/of_two?vfs=memdb", &db, flags, NULL) == SQLITE_OK);
  run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(7)");
  ANSWERS(db, "SELECT a FROM t", "7");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_open_v2("file:x?vfs=nobody", &db, flags, NULL) == SQLITE_ERROR);
  SAME(sqlite3_errmsg(db), "no such vfs: nobody");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_open_v2("/no/such/folder/file.db", &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_CANTOPEN);
  CHECK(sqlite3_system_errno(db) == 2);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* ---- extensions ---- */

static int automatic_calls;
static int automatic(sqlite3 *db, char **message, const void *routines) {
  automatic_calls++;
  CHECK(db != NULL && message != NULL && routines != NULL);
  return SQLITE_OK;
}

static void extensions(const char *library) {
  sqlite3 *db = open_memory();
  char *message = NULL;
  CHECK(sqlite3_enable_load_extension(db, 0) == SQLITE_OK);
  CHECK(sqlite3_load_extension(db, "/no/such/extension", NULL, &message) == SQLITE_ERROR);
  SAME(message, "not authorized");
  sqlite3_free(message);
  CHECK(sqlite3_enable_load_extension(db, 1) == SQLITE_OK);
  CHECK(sqlite3_load_extension(db, "/no/such/extension", NULL, &message) == SQLITE_ERROR && message != NULL);
  sqlite3_free(message);
  if (library) {
    CHECK(sqlite3_load_extension(db, library, NULL, &message) == SQLITE_OK);
    ANSWERS(db, "SELECT twice(21)", "42");
    ANSWERS(db, "SELECT group_concat(word, '-') FROM words(' some more  words')", "some-more-words");
    ANSWERS(db, "SELECT word FROM words('longest is short') ORDER BY word COLLATE by_length LIMIT 1", "is");
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_auto_extension((void(*)(void))automatic) == SQLITE_OK);
  db = open_memory();
  CHECK(automatic_calls == 1 && sqlite3_close(db) == SQLITE_OK);
  CHECK(sqlite3_cancel_auto_extension((void(*)(void))automatic) == 1);
  CHECK(sqlite3_cancel_auto_extension((void(*)(void))automatic) == 0);
  sqlite3_auto_extension((void(*)(void))automatic);
  sqlite3_reset_auto_extension();
  db = open_memory();
  CHECK(automatic_calls == 1 && sqlite3_close(db) == SQLITE_OK);
}

/* ---- what may not be there yet ---- */

static void not_yet(void) {
  sqlite3 *db = open_memory();
  static const sqlite3_module module;
  sqlite3_value *value = NULL;
  CHECK(sqlite3_create_module(db, "m", &module, NULL) == SQLITE_OK);
  CHECK(sqlite3_create_module_v2(db, "m", &module, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_drop_modules(db, NULL) == SQLITE_OK);
  CHECK(sqlite3_declare_vtab(db, "CREATE TABLE x(a)") != SQLITE_OK);
  CHECK(sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS) != SQLITE_OK);
  CHECK(sqlite3_vtab_in_first(NULL, &value) != SQLITE_OK && sqlite3_vtab_in_next(NULL, &value) != SQLITE_OK);
  CHECK(sqlite3_rtree_geometry_callback(db, "g", NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_rtree_query_callback(db, "g", NULL, NULL, NULL) == SQLITE_OK);
#ifdef LITHE
  CHECK(sqlite3_vtab_on_conflict(db) == SQLITE_ABORT && sqlite3_vtab_collation(NULL, 0) == NULL);
  CHECK(sqlite3_vtab_distinct(NULL) == 0 && sqlite3_vtab_in(NULL, 0, 0) == 0);
  CHECK(sqlite3_vtab_rhs_value(NULL, 0, &value) == SQLITE_MISUSE);
  sqlite3_snapshot *snapshot = NULL;
  /* Only in WAL mode, and within a transaction. */
  CHECK(sqlite3_snapshot_get(db, "main", &snapshot) == SQLITE_ERROR && snapshot == NULL);
  CHECK(sqlite3_snapshot_get(db, NULL, &snapshot) == SQLITE_ERROR && sqlite3_snapshot_get(NULL, "main", &snapshot) == SQLITE_MISUSE);
  CHECK(sqlite3_snapshot_open(db, "main", snapshot) == SQLITE_MISUSE);
  CHECK(sqlite3_snapshot_recover(db, "main") == SQLITE_ERROR && sqlite3_snapshot_recover(db, "none") == SQLITE_ERROR);
  CHECK(sqlite3_snapshot_cmp(NULL, NULL) == 0);
  sqlite3_snapshot_free(NULL);
  CHECK(sqlite3_preupdate_old(db, 0, &value) == SQLITE_MISUSE && sqlite3_preupdate_new(db, 0, &value) == SQLITE_MISUSE);
  CHECK(sqlite3_preupdate_count(db) == 0 && sqlite3_preupdate_depth(db) == 0 && sqlite3_preupdate_blobwrite(db) == -1);
  CHECK(sqlite3_backup_step(NULL, 1) == SQLITE_MISUSE);
  CHECK(sqlite3_backup_remaining(NULL) == 0 && sqlite3_backup_pagecount(NULL) == 0);
#endif
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

#ifdef LITHE
/* A stream that gives what is there, and one that counts what comes. */
struct stream { const char *bytes; int left; };

static int read_stream(void *arg, void *out, int *n) {
  struct stream *stream = arg;
  if (*n > stream->left) *n = stream->left;
  memcpy(out, stream->bytes, *n);
  stream->bytes += *n;
  stream->left -= *n;
  return SQLITE_OK;
}

static int count_bytes(void *arg, const void *bytes, int n) {
  (void)bytes;
  *(int*)arg += n;
  return SQLITE_OK;
}

static int any_table(void *arg, const char *table) {
  (void)arg;
  return table != NULL;
}

static int any_change(void *arg, sqlite3_changeset_iter *change) {
  (void)arg;
  return change != NULL;
}

static int omit(void *arg, int kind, sqlite3_changeset_iter *change) {
  sqlite3_value *value = NULL;
  int n = 0;
  (void)arg;
  CHECK(sqlite3changeset_conflict(change, 0, &value) == (kind == SQLITE_CHANGESET_CONFLICT ? SQLITE_OK : SQLITE_MISUSE));
  CHECK(sqlite3changeset_fk_conflicts(change, &n) == SQLITE_MISUSE && sqlite3changeset_next(change) == SQLITE_MISUSE);
  return SQLITE_CHANGESET_OMIT;
}

static void groups(sqlite3 *db, void *changeset, int size) {
  sqlite3_changegroup *group = NULL;
  sqlite3_changeset_iter *change = NULL;
  struct stream stream = {changeset, size};
  int n = 0, count = 0, patchset = -1;
  void *bytes = NULL;
  char *message = NULL;
  CHECK(sqlite3changegroup_new(&group) == SQLITE_OK);
  CHECK(sqlite3changegroup_config(group, SQLITE_CHANGEGROUP_CONFIG_PATCHSET, &patchset) == SQLITE_OK && patchset == 0);
  CHECK(sqlite3changegroup_schema(group, db, "main") == SQLITE_OK);
  CHECK(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "nowhere", 0, &message) == SQLITE_ERROR && message);
  sqlite3_free(message);
  CHECK(sqlite3changegroup_change_begin(group, SQLITE_INSERT, "s", 0, &message) == SQLITE_OK);
  CHECK(sqlite3changegroup_change_int64(group, 1, 0, 7) == SQLITE_OK && sqlite3changegroup_change_int64(group, 1, 9, 7) == SQLITE_RANGE);
  CHECK(sqlite3changegroup_change_null(group, 1, 1) == SQLITE_OK && sqlite3changegroup_change_double(group, 1, 1, 0.5) == SQLITE_OK);
  CHECK(sqlite3changegroup_change_text(group, 1, 1, "t", 1) == SQLITE_OK && sqlite3changegroup_change_blob(group, 1, 1, "b", 1) == SQLITE_OK);
  CHECK(sqlite3changegroup_change_finish(group, 0, &message) == SQLITE_OK);
  CHECK(sqlite3changegroup_add(group, size, changeset) == SQLITE_OK);
  CHECK(sqlite3changegroup_add_strm(group, read_stream, &stream) == SQLITE_OK);
  CHECK(sqlite3changeset_start(&change, size, changeset) == SQLITE_OK && sqlite3changeset_next(change) == SQLITE_ROW);
  CHECK(sqlite3changegroup_add_change(group, change) == SQLITE_OK && sqlite3changeset_finalize(change) == SQLITE_OK);
  CHECK(sqlite3changegroup_output(group, &n, &bytes) == SQLITE_OK && n > size);
  CHECK(sqlite3changegroup_output_strm(group, count_bytes, &count) == SQLITE_OK && count == n);
  sqlite3_free(bytes);
  sqlite3changegroup_delete(group);
}

static void rebasing(void *changeset, int size, void *rebase, int rebase_size) {
  sqlite3_rebaser *rebaser = NULL;
  struct stream stream = {changeset, size};
  int n = 0, count = 0;
  void *bytes = NULL;
  CHECK(sqlite3rebaser_create(&rebaser) == SQLITE_OK);
  CHECK(sqlite3rebaser_configure(rebaser, rebase_size, rebase) == SQLITE_OK);
  CHECK(sqlite3rebaser_rebase(rebaser, size, changeset, &n, &bytes) == SQLITE_OK && n > 0);
  CHECK(sqlite3rebaser_rebase_strm(rebaser, read_stream, &stream, count_bytes, &count) == SQLITE_OK && count == n);
  sqlite3_free(bytes);
  sqlite3rebaser_delete(rebaser);
}

static void iterating(void *changeset, int size) {
  struct stream streams[] = {{changeset, size}, {changeset, size}};
  sqlite3_changeset_iter *change = NULL, *others[3];
  const char *table = NULL;
  unsigned char *key = NULL;
  int n = 0, op = 0, indirect = 1;
  sqlite3_value *value = NULL;
  CHECK(sqlite3changeset_start(&change, size, changeset) == SQLITE_OK && sqlite3changeset_next(change) == SQLITE_ROW);
  CHECK(sqlite3changeset_op(change, &table, &n, &op, &indirect) == SQLITE_OK);
  CHECK(strcmp(table, "s") == 0 && n == 2 && op == SQLITE_INSERT && indirect == 0);
  CHECK(sqlite3changeset_pk(change, &key, &n) == SQLITE_OK && key[0] == 1 && key[1] == 0);
  CHECK(sqlite3changeset_old(change, 0, &value) == SQLITE_MISUSE);
  CHECK(sqlite3changeset_new(change, 0, &value) == SQLITE_OK && sqlite3_value_int(value) == 1);
  CHECK(sqlite3changeset_finalize(change) == SQLITE_OK);
  CHECK(sqlite3changeset_start_v2(&others[0], size, changeset, SQLITE_CHANGESETSTART_INVERT) == SQLITE_OK);
  CHECK(sqlite3changeset_start_strm(&others[1], read_stream, &streams[0]) == SQLITE_OK);
  CHECK(sqlite3changeset_start_v2_strm(&others[2], read_stream, &streams[1], 0) == SQLITE_OK);
  for (int i = 0; i < 3; i++) {
    CHECK(sqlite3changeset_next(others[i]) == SQLITE_ROW && sqlite3changeset_next(others[i]) == SQLITE_DONE);
    CHECK(sqlite3changeset_finalize(others[i]) == SQLITE_OK);
  }
}

static void applying(sqlite3 *db, void *changeset, int size) {
  struct stream streams[] = {{changeset, size}, {changeset, size}, {changeset, size}};
  void *rebase = NULL;
  int n = 0;
  CHECK(sqlite3changeset_apply(db, size, changeset, any_table, omit, NULL) == SQLITE_OK);
  CHECK(sqlite3changeset_apply_v2(db, size, changeset, NULL, omit, NULL, &rebase, &n, 0) == SQLITE_OK && n > 0);
  rebasing(changeset, size, rebase, n);
  sqlite3_free(rebase);
  CHECK(sqlite3changeset_apply_v3(db, size, changeset, any_change, omit, NULL, &rebase, &n, 0) == SQLITE_OK);
  sqlite3_free(rebase);
  CHECK(sqlite3changeset_apply_strm(db, read_stream, &streams[0], any_table, omit, NULL) == SQLITE_OK);
  CHECK(sqlite3changeset_apply_v2_strm(db, read_stream, &streams[1], NULL, omit, NULL, NULL, NULL, 0) == SQLITE_OK);
  CHECK(sqlite3changeset_apply_v3_strm(db, read_stream, &streams[2], NULL, omit, NULL, NULL, NULL, 0) == SQLITE_OK);
}

static void combining(void *changeset, int size) {
  struct stream streams[] = {{changeset, size}, {changeset, size}, {changeset, size}};
  void *bytes = NULL;
  int n = 0, count = 0;
  CHECK(sqlite3changeset_invert(size, changeset, &n, &bytes) == SQLITE_OK && n == size);
  sqlite3_free(bytes);
  CHECK(sqlite3changeset_invert_strm(read_stream, &streams[0], count_bytes, &count) == SQLITE_OK && count == size);
  CHECK(sqlite3changeset_concat(size, changeset, size, changeset, &n, &bytes) == SQLITE_OK && n == size);
  sqlite3_free(bytes);
  count = 0;
  CHECK(sqlite3changeset_concat_strm(read_stream, &streams[1], read_stream, &streams[2], count_bytes, &count) == SQLITE_OK);
  CHECK(count == size);
}

static void sessions(void) {
  sqlite3 *db = NULL;
  sqlite3_session *session = NULL;
  void *changeset = NULL, *patchset = NULL;
  int size = 0, n = 0, count = 0, chunk = 0, on = 1;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "CREATE TABLE s(a INTEGER PRIMARY KEY, b); ATTACH ':memory:' AS o; CREATE TABLE o.s(a INTEGER PRIMARY KEY, b)", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3session_config(SQLITE_SESSION_CONFIG_STRMSIZE, &chunk) == SQLITE_OK && chunk > 0);
  CHECK(sqlite3session_create(db, "main", &session) == SQLITE_OK);
  CHECK(sqlite3session_object_config(session, SQLITE_SESSION_OBJCONFIG_SIZE, &on) == SQLITE_OK && on == 1);
  sqlite3session_table_filter(session, any_table, NULL);
  CHECK(sqlite3session_attach(session, "s") == SQLITE_OK && sqlite3session_isempty(session) == 1);
  CHECK(sqlite3session_enable(session, -1) == 1 && sqlite3session_indirect(session, -1) == 0);
  CHECK(sqlite3_exec(db, "INSERT INTO s VALUES(1, 'x')", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3session_isempty(session) == 0 && sqlite3session_memory_used(session) > 0);
  CHECK(sqlite3session_changeset(session, &size, &changeset) == SQLITE_OK && size > 0);
  CHECK(sqlite3session_patchset(session, &n, &patchset) == SQLITE_OK && n == size);
  CHECK(sqlite3session_changeset_size(session) >= size);
  CHECK(sqlite3session_changeset_strm(session, count_bytes, &count) == SQLITE_OK && count == size);
  CHECK(sqlite3session_patchset_strm(session, count_bytes, &count) == SQLITE_OK && count == 2 * size);
  CHECK(sqlite3session_diff(session, "o", "s", NULL) == SQLITE_OK);
  sqlite3session_delete(session);
  iterating(changeset, size);
  combining(changeset, size);
  groups(db, changeset, size);
  applying(db, changeset, size);
  sqlite3_free(changeset);
  sqlite3_free(patchset);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}
#endif

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".";
  the_library();
  configuration();
#ifdef LITHE
  sessions();
#endif
  memory();
  mutexes();
  formats();
  string_builder();
  strings();
  statements();
  whole_texts();
  functions();
  collations();
  hooks(folder);
  connection_info(folder);
  opening(folder);
  blobs();
  backups();
  vfs(folder);
  engines_own_vfs();
  extensions(argc > 2 ? argv[2] : NULL);
  not_yet();
  CHECK(sqlite3_shutdown() == SQLITE_OK);
  if (failures) return 1;
  puts("ok");
  return 0;
}
