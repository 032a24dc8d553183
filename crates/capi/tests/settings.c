/*
** Settings of connections, statements and files, with what they change: sqlite3_db_config, sqlite3_file_control,
** sqlite3_stmt_explain, sqlite3_transfer_bindings, sqlite3_autovacuum_pages, checkpoints.
**
** Argument: an empty folder. Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well.
*/
#include "check.h"
#include <unistd.h>

static const char *folder;

static const char *path(const char *name) {
  static char buffers[4][1000];
  static int next;
  char *buffer = buffers[next++ % 4];
  snprintf(buffer, sizeof buffers[0], "%s/%s", folder, name);
  return buffer;
}

static sqlite3 *open_file(const char *name) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open_v2(path(name), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL) == SQLITE_OK);
  return db;
}

static sqlite3 *open_memory(void) {
  sqlite3 *db = NULL;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  return db;
}

static void set(sqlite3 *db, int verb, int on) {
  int stands = -1;
  CHECK(sqlite3_db_config(db, verb, on, &stands) == SQLITE_OK && stands == on);
}

static long size_of_file(const char *name) {
  FILE *file = fopen(path(name), "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

/* The byte of a file at that offset. */
static int byte_of(const char *name, long at) {
  FILE *file = fopen(path(name), "rb");
  if (!file) return -1;
  fseek(file, at, SEEK_SET);
  int byte = fgetc(file);
  fclose(file);
  return byte;
}

static void all_switches(void) {
  sqlite3 *db = open_memory();
  for (int verb = SQLITE_DBCONFIG_ENABLE_FKEY; verb <= SQLITE_DBCONFIG_ENABLE_COMMENTS; verb++) {
    int before = -1, on = -1, off = -1, asked = -1;
    CHECK(sqlite3_db_config(db, verb, -1, &before) == SQLITE_OK && (before == 0 || before == 1));
    CHECK(sqlite3_db_config(db, verb, 1, &on) == SQLITE_OK && on == 1);
    CHECK(sqlite3_db_config(db, verb, 0, &off) == SQLITE_OK && off == 0);
    CHECK(sqlite3_db_config(db, verb, -1, &asked) == SQLITE_OK && asked == 0);
    CHECK(sqlite3_db_config(db, verb, before, NULL) == SQLITE_OK);
  }
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0) == SQLITE_OK);
  CHECK(sqlite3_db_config(db, 999, 0, NULL) == SQLITE_ERROR);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void comments(void) {
  sqlite3 *db = open_file("comments.db");
  ANSWERS(db, "CREATE TABLE t(a /* first */); INSERT INTO t VALUES(1 /* one */); -- end", "");
  ANSWERS(db, "CREATE VIEW v AS SELECT /* all */ a FROM t", "");
  ANSWERS(db, "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; /* nothing */ SELECT 2; END", "");
  set(db, SQLITE_DBCONFIG_ENABLE_COMMENTS, 0);
  ANSWERS(db, "SELECT 1 -- y", "error 1: unrecognized token: \"-- y\"");
  ANSWERS(db, "/* x */ SELECT 1", "error 1: unrecognized token: \"/* x */\"");
  ANSWERS(db, "-- only", "error 1: unrecognized token: \"-- only\"");
  ANSWERS(db, "INSERT INTO t VALUES(1 /* one */)", "error 1: unrecognized token: \"/* one */\"");
  ANSWERS(db, "SELECT 1 - - 1, 3 / 2, '--x', '/*'", "2|1|--x|/*");
  ANSWERS(db, "SELECT * FROM v; INSERT INTO t VALUES(3); ALTER TABLE t RENAME TO u; SELECT count(*) FROM v", "1 2");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_file("comments.db");
  set(db, SQLITE_DBCONFIG_ENABLE_COMMENTS, 0);
  ANSWERS(db, "SELECT * FROM v; INSERT INTO u VALUES(4)", "1 3");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void name_of_main(void) {
  static const char prime[] = "prime";
  sqlite3 *db = open_memory();
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", "");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_MAINDBNAME, prime) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM prime.t; SELECT * FROM main.t; SELECT prime.t.a FROM t", "1 1 1");
  ANSWERS(db, "SELECT name FROM pragma_database_list", "prime");
  ANSWERS(db, "ATTACH ':memory:' AS main", "error 1: database main is already in use");
  ANSWERS(db, "ATTACH ':memory:' AS prime", "error 1: database prime is already in use");
  ANSWERS(db, "DETACH prime", "error 1: cannot detach database prime");
  CHECK(strcmp(sqlite3_db_name(db, 0), prime) == 0);
  CHECK(sqlite3_txn_state(db, "main") == 0 && sqlite3_txn_state(db, prime) == 0);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void attaching(void) {
  sqlite3 *db = open_memory();
  char *sql = sqlite3_mprintf("ATTACH %Q AS b", path("attached.db"));
  char *refused = sqlite3_mprintf("error 14: unable to open database: %s", path("attached.db"));
  set(db, SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 0);
  ANSWERS(db, sql, refused);
  ANSWERS(db, "ATTACH ':memory:' AS m; CREATE TABLE m.t(a); DETACH m", "");
  set(db, SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 1);
  set(db, SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0);
  ANSWERS(db, sql, refused);
  set(db, SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 1);
  ANSWERS(db, sql, "");
  ANSWERS(db, "CREATE TABLE b.x(a); INSERT INTO x VALUES(7); DETACH b", "");
  set(db, SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0);
  ANSWERS(db, sql, "");
  ANSWERS(db, "SELECT * FROM b.x; INSERT INTO b.x VALUES(1)", "error 8: attempt to write a readonly database");
  CHECK(sqlite3_db_readonly(db, "b") == 1 && sqlite3_db_readonly(db, "main") == 0);
  ANSWERS(db, "ATTACH ':memory:' AS m; CREATE TABLE m.t(a)", "error 8: attempt to write a readonly database");
  sqlite3_free(sql);
  sqlite3_free(refused);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void defensive(void) {
  sqlite3 *db = open_file("defensive.db");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  set(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1);
  ANSWERS(db, "UPDATE sqlite_schema SET name = 'q' WHERE name = 'z'", "");
  set(db, SQLITE_DBCONFIG_DEFENSIVE, 1);
  ANSWERS(db, "PRAGMA writable_schema", "1");
  ANSWERS(db, "UPDATE sqlite_schema SET name = 'q' WHERE name = 'z'", "error 1: table sqlite_master may not be modified");
  ANSWERS(db, "CREATE TABLE sqlite_foo(a)", "error 1: object name reserved for internal use: sqlite_foo");
  ANSWERS(db, "PRAGMA writable_schema = OFF; PRAGMA writable_schema", "0");
  ANSWERS(db, "PRAGMA writable_schema = ON; PRAGMA writable_schema", "0");
  ANSWERS(db, "PRAGMA journal_mode = OFF; PRAGMA journal_mode = MEMORY; PRAGMA journal_mode = DELETE", "delete memory delete");
  ANSWERS(db, "PRAGMA schema_version = 99; SELECT schema_version < 99 FROM pragma_schema_version", "1");
  ANSWERS(db, "PRAGMA user_version = 9; PRAGMA user_version", "9");
  set(db, SQLITE_DBCONFIG_DEFENSIVE, 0);
  ANSWERS(db, "PRAGMA schema_version = 99; PRAGMA schema_version; PRAGMA journal_mode = OFF", "99 off");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void resetting(void) {
  sqlite3 *db = open_file("reset.db");
  ANSWERS(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA user_version = 7", "wal");
  set(db, SQLITE_DBCONFIG_RESET_DATABASE, 1);
  ANSWERS(db, "VACUUM", "");
  set(db, SQLITE_DBCONFIG_RESET_DATABASE, 0);
  ANSWERS(db, "SELECT count(*) FROM sqlite_schema; PRAGMA journal_mode; PRAGMA user_version; PRAGMA page_count", "0 wal 0 1");
  ANSWERS(db, "CREATE TABLE u(a); INSERT INTO u VALUES(2); SELECT * FROM u; PRAGMA integrity_check", "2 ok");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  FILE *file = fopen(path("garbage.db"), "wb");
  for (int i = 0; i < 20000; i++) fputc(i * 7, file);
  fclose(file);
  db = open_file("garbage.db");
  ANSWERS(db, "SELECT * FROM sqlite_schema", "error 26: file is not a database");
  set(db, SQLITE_DBCONFIG_RESET_DATABASE, 1);
  ANSWERS(db, "VACUUM", "");
  set(db, SQLITE_DBCONFIG_RESET_DATABASE, 0);
  ANSWERS(db, "CREATE TABLE u(a); INSERT INTO u VALUES(2); SELECT * FROM u; PRAGMA integrity_check; PRAGMA page_count", "2 ok 2");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_file("garbage.db");
  ANSWERS(db, "SELECT * FROM u; PRAGMA integrity_check", "2 ok");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void plans_of_triggers(void) {
  const char *plan = "EXPLAIN QUERY PLAN INSERT INTO a VALUES(1, 2)";
  sqlite3 *db = open_memory();
  ANSWERS(db, "CREATE TABLE a(x, y); CREATE TABLE b(x, y); CREATE INDEX bx ON b(x);"
              "CREATE TRIGGER r AFTER INSERT ON a BEGIN UPDATE b SET y = 1 WHERE x = new.x; END;"
              "CREATE TRIGGER r2 AFTER UPDATE ON b BEGIN DELETE FROM a WHERE x = new.x; END", "");
  ANSWERS(db, plan, "");
  set(db, SQLITE_DBCONFIG_TRIGGER_EQP, 1);
  sqlite3_stmt *statement = NULL;
  char details[400] = "";
  CHECK(sqlite3_prepare_v2(db, plan, -1, &statement, NULL) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    strcat(strcat(details, (const char*)sqlite3_column_text(statement, 3)), ";");
  }
  CHECK(strcmp(details, "-- TRIGGER r;SEARCH b USING COVERING INDEX bx (x=?);-- TRIGGER r2;SCAN a;") == 0
        || strcmp(details, "-- TRIGGER r;SEARCH b USING INDEX bx (x=?);-- TRIGGER r2;SCAN a;") == 0);
  sqlite3_finalize(statement);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void legacy_format(void) {
  sqlite3 *db = open_file("legacy.db");
  set(db, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 1);
  ANSWERS(db, "CREATE TABLE t(a, b); CREATE INDEX i ON t(a DESC); INSERT INTO t VALUES(1, 0), (2, 1);"
              "SELECT a FROM t ORDER BY a DESC; PRAGMA integrity_check", "2 1 ok");
  CHECK(byte_of("legacy.db", 47) == 1);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_file("legacy.db");
  ANSWERS(db, "CREATE INDEX j ON t(b DESC); SELECT b FROM t ORDER BY b DESC; PRAGMA integrity_check", "1 0 ok");
  CHECK(byte_of("legacy.db", 47) == 1);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  db = open_file("modern.db");
  ANSWERS(db, "CREATE TABLE t(a)", "");
  CHECK(byte_of("modern.db", 47) == 4);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* What is left of a log after the last connection has gone. */
static void logs(void) {
  int on = 1;
  sqlite3 *db = open_file("log.db");
  ANSWERS(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)", "wal");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(size_of_file("log.db-wal") == -1);
  db = open_file("log.db");
  set(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
  ANSWERS(db, "INSERT INTO t VALUES(7)", "");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(size_of_file("log.db-wal") > 4096);
  db = open_file("log.db");
  ANSWERS(db, "SELECT * FROM t", "7");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(size_of_file("log.db-wal") == -1);
  db = open_file("log.db");
  ANSWERS(db, "INSERT INTO t VALUES(8)", "");
  CHECK(sqlite3_file_control(db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on) == SQLITE_OK && on == 1);
  on = -1;
  CHECK(sqlite3_file_control(db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on) == SQLITE_OK && on == 1);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(size_of_file("log.db-wal") > 4096 && size_of_file("log.db") == 8192);
  db = open_file("log.db");
  on = -1;
  CHECK(sqlite3_file_control(db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on) == SQLITE_OK && on == 0);
  on = 1;
  CHECK(sqlite3_file_control(db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM t; INSERT INTO t VALUES(9); PRAGMA journal_size_limit = 5000", "7 8 5000");
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(size_of_file("log.db-wal") == 0);
  db = open_file("log.db");
  ANSWERS(db, "SELECT * FROM t", "7 8 9");
  int frames = -7, done = -7;
  ANSWERS(db, "INSERT INTO t VALUES(10)", "");
  CHECK(sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_NOOP, &frames, &done) == SQLITE_OK);
  CHECK(frames > 0 && done == 0);
  CHECK(sqlite3_wal_checkpoint_v2(db, "main", -2, &frames, &done) == SQLITE_MISUSE);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void explaining(void) {
  sqlite3 *db = open_memory();
  sqlite3_stmt *statement = NULL, *other = NULL;
  ANSWERS(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES(5, 'five')", "");
  CHECK(sqlite3_prepare_v2(db, "SELECT b FROM t WHERE a = ?1", -1, &statement, NULL) == SQLITE_OK);
  sqlite3_bind_int(statement, 1, 5);
  CHECK(sqlite3_stmt_explain(statement, 2) == SQLITE_OK && sqlite3_stmt_isexplain(statement) == 2);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_count(statement) == 4);
  CHECK(strcmp((const char*)sqlite3_column_text(statement, 3), "SCAN t") == 0);
  CHECK(sqlite3_stmt_explain(statement, 0) == SQLITE_BUSY);
  sqlite3_reset(statement);
  CHECK(sqlite3_stmt_explain(statement, 1) == SQLITE_OK && sqlite3_stmt_isexplain(statement) == 1);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_count(statement) == 8);
  sqlite3_reset(statement);
  CHECK(sqlite3_stmt_explain(statement, 3) == SQLITE_ERROR && sqlite3_stmt_explain(statement, -1) == SQLITE_ERROR);
  CHECK(sqlite3_stmt_explain(statement, 0) == SQLITE_OK && sqlite3_stmt_isexplain(statement) == 0);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(strcmp((const char*)sqlite3_column_text(statement, 0), "five") == 0);
  sqlite3_finalize(statement);
  CHECK(sqlite3_prepare_v2(db, "EXPLAIN INSERT INTO t VALUES(6, ?)", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_stmt_explain(statement, 0) == SQLITE_OK && sqlite3_step(statement) == SQLITE_DONE);
  sqlite3_finalize(statement);
  ANSWERS(db, "SELECT count(*) FROM t", "2");
  CHECK(sqlite3_prepare(db, "SELECT 1", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_stmt_explain(statement, 1) == SQLITE_ERROR);
  sqlite3_finalize(statement);
  /* Bound values change hands. */
  CHECK(sqlite3_prepare_v2(db, "SELECT ?1, ?2", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_prepare_v2(db, "SELECT ?1 + ?2", -1, &other, NULL) == SQLITE_OK);
  sqlite3_bind_int(statement, 1, 5);
  sqlite3_bind_int(statement, 2, 7);
  CHECK(sqlite3_transfer_bindings(statement, other) == SQLITE_OK);
  CHECK(sqlite3_step(other) == SQLITE_ROW && sqlite3_column_int(other, 0) == 12);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_NULL);
  sqlite3_finalize(other);
  CHECK(sqlite3_prepare_v2(db, "SELECT ?", -1, &other, NULL) == SQLITE_OK);
  CHECK(sqlite3_transfer_bindings(statement, other) == SQLITE_ERROR);
  sqlite3_finalize(statement);
  sqlite3_finalize(other);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static int asked, destroyed;
static unsigned pages_to_free;
static unsigned how_many(void *arg, const char *schema, unsigned pages, unsigned free_pages, unsigned page_size) {
  CHECK(arg == &asked && strcmp(schema, "main") == 0);
  CHECK(pages > free_pages && page_size == 4096);
  asked++;
  return pages_to_free < free_pages ? pages_to_free : free_pages;
}
static void destroy(void *arg) {
  CHECK(arg == &asked);
  destroyed++;
}

static void auto_vacuum(void) {
  sqlite3 *db = open_file("vacuum.db");
  ANSWERS(db, "PRAGMA auto_vacuum = FULL; CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))", "");
  CHECK(sqlite3_autovacuum_pages(db, how_many, &asked, destroy) == SQLITE_OK);
  ANSWERS(db, "INSERT INTO t VALUES(zeroblob(100000))", "");
  CHECK(asked == 1);
  ANSWERS(db, "DELETE FROM t WHERE rowid = 1", "");
  CHECK(asked == 2);
  ANSWERS(db, "PRAGMA freelist_count", "24");
  pages_to_free = 5;
  ANSWERS(db, "INSERT INTO t VALUES(1); PRAGMA freelist_count; PRAGMA integrity_check", "19 ok");
  CHECK(sqlite3_autovacuum_pages(db, NULL, NULL, NULL) == SQLITE_OK && destroyed == 1);
  ANSWERS(db, "INSERT INTO t VALUES(2); PRAGMA freelist_count; PRAGMA integrity_check", "0 ok");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void files(void) {
  sqlite3 *db = open_file("file.db"), *image = open_memory();
  int number = -1;
  sqlite3_int64 wide = -1;
  char *text = NULL;
  ANSWERS(db, "CREATE TABLE t(a); ATTACH ':memory:' AS m", "");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &number) == SQLITE_OK && number == 1);
  number = 0;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &number) == SQLITE_OK && number == 0);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LOCKSTATE, &number) == SQLITE_OK && number == 0);
  ANSWERS(db, "BEGIN IMMEDIATE", "");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LOCKSTATE, &number) == SQLITE_OK && number == SQLITE_LOCK_RESERVED);
  ANSWERS(db, "COMMIT", "");
  number = 65536;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_CHUNK_SIZE, &number) == SQLITE_OK);
  ANSWERS(db, "INSERT INTO t VALUES(zeroblob(10000)); PRAGMA page_count; PRAGMA integrity_check", "4 ok");
  CHECK(size_of_file("file.db") == 65536);
  wide = 200000;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_HINT, &wide) == SQLITE_OK);
  CHECK(size_of_file("file.db") == 4 * 65536);
  ANSWERS(db, "INSERT INTO t VALUES(2); PRAGMA page_count; PRAGMA integrity_check; SELECT count(*) FROM t", "4 ok 2");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_TEMPFILENAME, &text) == SQLITE_OK && text && text[0] == '/');
  sqlite3_free(text);
  text = NULL;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &text) == SQLITE_OK && strcmp(text, "unix") == 0);
  sqlite3_free(text);
  CHECK(rename(path("file.db"), path("moved.db")) == 0);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &number) == SQLITE_OK && number == 1);
  CHECK(rename(path("moved.db"), path("file.db")) == 0);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &number) == SQLITE_OK && number == 0);
  wide = 1 << 20;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_MMAP_SIZE, &wide) == SQLITE_OK);
  wide = -1;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_MMAP_SIZE, &wide) == SQLITE_OK && wide == 1 << 20);
  unsigned before = 0, after = 0;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &before) == SQLITE_OK);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &after) == SQLITE_OK && after == before);
  ANSWERS(db, "INSERT INTO t VALUES(3)", "");
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &after) == SQLITE_OK && after != before);
  /* Lock timeouts are an option of SQLite's build; other verbs are for the files of others. */
  number = 100;
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_LOCK_TIMEOUT, &number) == SQLITE_NOTFOUND);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &wide) == SQLITE_NOTFOUND);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_BUSYHANDLER, &wide) == SQLITE_NOTFOUND);
  CHECK(sqlite3_file_control(db, "m", SQLITE_FCNTL_PERSIST_WAL, &number) == SQLITE_NOTFOUND);
  CHECK(sqlite3_file_control(db, "nope", SQLITE_FCNTL_PERSIST_WAL, &number) == SQLITE_ERROR);
  sqlite3_int64 size = 0;
  unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
  int flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  CHECK(sqlite3_deserialize(image, "main", bytes, size, size, flags) == SQLITE_OK);
  wide = -1;
  CHECK(sqlite3_file_control(image, "main", SQLITE_FCNTL_SIZE_LIMIT, &wide) == SQLITE_OK && wide == 1 << 30);
  wide = 40960;
  CHECK(sqlite3_file_control(image, "main", SQLITE_FCNTL_SIZE_LIMIT, &wide) == SQLITE_OK && wide == 40960);
  ANSWERS(image, "INSERT INTO t VALUES(zeroblob(60000))", "error 13: database or disk is full");
  CHECK(sqlite3_close(image) == SQLITE_OK);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static sqlite3_int64 of_connection(sqlite3 *db, int verb, int reset) {
  sqlite3_int64 now = -1, highest = -1;
  CHECK(sqlite3_db_status64(db, verb, &now, &highest, reset) == SQLITE_OK);
  return now;
}

/* To statements compiled with SQLITE_PREPARE_NO_VTAB there are no virtual tables. */
static void no_virtual_tables(void) {
  sqlite3 *db = open_file("novtab.db");
  const char *const refused[][2] = {
    {"SELECT * FROM json_each('[1,2]')", "no such table: json_each"},
    {"SELECT * FROM pragma_table_info('t')", "no such table: pragma_table_info"},
    {"SELECT * FROM v", "no such table: main.json_each"},
    {"SELECT (SELECT 1 FROM json_each('[1]'))", "no such table: json_each"},
    {"EXPLAIN SELECT * FROM json_tree, t", "no such table: json_tree"},
  };
  const char *const accepted[] = {"SELECT * FROM t", "PRAGMA table_info(t)", "INSERT INTO t VALUES (1)",
                                  "CREATE VIEW w AS SELECT * FROM json_each('[1]')"};
  sqlite3_stmt *statement = NULL;
  ANSWERS(db, "CREATE TABLE t(a); CREATE VIEW v AS SELECT * FROM json_each('[1]'); SELECT value FROM v", "1");
  for (unsigned i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
    CHECK(sqlite3_prepare_v3(db, refused[i][0], -1, SQLITE_PREPARE_NO_VTAB, &statement, NULL) == SQLITE_ERROR);
    CHECK(statement == NULL && strcmp(sqlite3_errmsg(db), refused[i][1]) == 0);
    CHECK(sqlite3_prepare_v3(db, refused[i][0], -1, 0, &statement, NULL) == SQLITE_OK);
    sqlite3_finalize(statement);
  }
  for (unsigned i = 0; i < sizeof(accepted) / sizeof(*accepted); i++) {
    CHECK(sqlite3_prepare_v3(db, accepted[i], -1, SQLITE_PREPARE_NO_VTAB, &statement, NULL) == SQLITE_OK);
    sqlite3_finalize(statement);
  }
  /* Also after the schema has changed and the statement is compiled again. */
  CHECK(sqlite3_prepare_v3(db, "SELECT value FROM changing", -1, SQLITE_PREPARE_NO_VTAB, &statement, NULL) == SQLITE_ERROR);
  ANSWERS(db, "CREATE TABLE changing(value)", "");
  CHECK(sqlite3_prepare_v3(db, "SELECT value FROM changing", -1, SQLITE_PREPARE_NO_VTAB, &statement, NULL) == SQLITE_OK);
  ANSWERS(db, "DROP TABLE changing; CREATE VIEW changing AS SELECT value FROM json_each('[1]')", "");
  CHECK(sqlite3_step(statement) == SQLITE_ERROR);
  sqlite3_finalize(statement);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Steps over whole tables and indexes, as SQLite counts them: the first row is no step. */
static void steps_of_scans(void) {
  sqlite3 *db = open_file("steps.db");
  const struct { const char *sql; int steps; } scans[] = {
    {"SELECT * FROM t", 2}, {"SELECT * FROM t WHERE a = 2", 0}, {"SELECT * FROM t NOT INDEXED WHERE rowid = 2", 0},
    {"SELECT * FROM w", 1}, {"SELECT * FROM w WHERE b = 2", 1}, {"SELECT * FROM w ORDER BY a DESC", 1},
    {"SELECT * FROM t x, t y", 8}, {"SELECT * FROM t NOT INDEXED ORDER BY a", 2}, {"SELECT * FROM t WHERE a > 1", 0},
    {"SELECT * FROM t LIMIT 1", 0}, {"SELECT max(a) FROM t", 0}, {"SELECT * FROM json_each('[1,2,3]')", 0},
  };
  ANSWERS(db, "CREATE TABLE t(a); CREATE INDEX i ON t(a); INSERT INTO t VALUES (1), (2), (3);"
              "CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES (1, 1), (2, 2)", "");
  for (unsigned i = 0; i < sizeof(scans) / sizeof(*scans); i++) {
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(db, scans[i].sql, -1, &statement, NULL) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
    if (steps != scans[i].steps) fprintf(stderr, "%s: %d steps\n", scans[i].sql, steps);
    CHECK(steps == scans[i].steps);
    sqlite3_finalize(statement);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

static void counters(void) {
  sqlite3_int64 before = sqlite3_memory_used(), now = 0, highest = 0;
  sqlite3 *db = open_file("count.db");
  sqlite3_stmt *statement = NULL;
  int narrow = 0, high = 0;
  ANSWERS(db, "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))", "");
  CHECK(sqlite3_memory_used() > before);
  CHECK(sqlite3_status64(SQLITE_STATUS_MEMORY_USED, &now, &highest, 0) == SQLITE_OK && now > before && highest >= now);
  CHECK(sqlite3_status(SQLITE_STATUS_MALLOC_COUNT, &narrow, &high, 0) == SQLITE_OK && narrow > 0 && high >= narrow);
  CHECK(sqlite3_memory_highwater(0) >= sqlite3_memory_used());
  CHECK(of_connection(db, SQLITE_DBSTATUS_CACHE_WRITE, 0) > 20);
  of_connection(db, SQLITE_DBSTATUS_CACHE_WRITE, 1);
  CHECK(of_connection(db, SQLITE_DBSTATUS_CACHE_WRITE, 0) == 0);
  CHECK(of_connection(db, SQLITE_DBSTATUS_SCHEMA_USED, 0) > 50);
  CHECK(of_connection(db, SQLITE_DBSTATUS_STMT_USED, 0) == 0);
  CHECK(sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &statement, NULL) == SQLITE_OK);
  CHECK(of_connection(db, SQLITE_DBSTATUS_STMT_USED, 0) > 50);
  CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_MEMUSED, 0) > 50);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0) == 1);
  CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0) > 0);
  sqlite3_finalize(statement);
  ANSWERS(db, "PRAGMA mmap_size = 0; SELECT length(a) FROM t", "0 100000");
  of_connection(db, SQLITE_DBSTATUS_CACHE_HIT, 1);
  of_connection(db, SQLITE_DBSTATUS_CACHE_MISS, 1);
  ANSWERS(db, "SELECT count(*) FROM t", "1");
  CHECK(of_connection(db, SQLITE_DBSTATUS_CACHE_HIT, 0) > 0);
  ANSWERS(db, "PRAGMA cache_size = 20; BEGIN; INSERT INTO t SELECT zeroblob(3000) FROM t, t, t", "");
  ANSWERS(db, "INSERT INTO t SELECT randomblob(3000) FROM json_each('[1,2,3,4,5,6,7,8,9]'), json_each('[1,2,3,4,5,6,7,8,9]')", "");
  CHECK(of_connection(db, SQLITE_DBSTATUS_CACHE_SPILL, 0) > 0 && of_connection(db, SQLITE_DBSTATUS_CACHE_USED, 0) > 4096);
  ANSWERS(db, "ROLLBACK", "");
  CHECK(of_connection(db, SQLITE_DBSTATUS_DEFERRED_FKS, 0) == 0);
  ANSWERS(db, "CREATE TEMP TABLE large AS WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 30000)"
              "SELECT randomblob(100) AS r FROM c;"
              "SELECT count(*) FROM (SELECT r FROM large ORDER BY r LIMIT -1 OFFSET 1)", "29999");
  CHECK(of_connection(db, SQLITE_DBSTATUS_TEMPBUF_SPILL, 1) > 0);
  CHECK(of_connection(db, SQLITE_DBSTATUS_TEMPBUF_SPILL, 0) == 0);
  CHECK(sqlite3_db_release_memory(db) == SQLITE_OK);
  /* Above the hard limit there is no memory, until it is lifted. */
  CHECK(sqlite3_hard_heap_limit64(1000) == 0 && sqlite3_hard_heap_limit64(-1) == 1000);
  CHECK(sqlite3_soft_heap_limit64(-1) == 1000);
  CHECK(sqlite3_malloc(100000) == NULL);
  int code = sqlite3_prepare_v2(db, "SELECT length(hex(zeroblob(1000000)))", -1, &statement, NULL);
  CHECK((code == SQLITE_OK ? sqlite3_step(statement) : code) == SQLITE_NOMEM);
  sqlite3_finalize(statement);
  CHECK(sqlite3_hard_heap_limit64(0) == 1000);
  CHECK(sqlite3_soft_heap_limit64(0) == 0);
  ANSWERS(db, "SELECT a = a, 1 FROM t", "1|1");
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* A statement of many cores, each of which is flattened, is compiled in little memory. */
static void many_cores(void) {
  sqlite3 *db = open_memory();
  sqlite3_str *text = sqlite3_str_new(db);
  for (int i = 0; i < 500; i++)
    sqlite3_str_appendf(text, "%sSELECT x + %d FROM (SELECT a + %d AS x FROM t)", i ? " UNION ALL " : "", i, i);
  char *sql = sqlite3_str_finish(text);
  ANSWERS(db, "CREATE TABLE t(a)", "");
  sqlite3_memory_highwater(1);
  sqlite3_int64 before = sqlite3_memory_used();
  ANSWERS(db, sql, "");
  CHECK(sqlite3_memory_highwater(0) - before < 200000000);
  sqlite3_free(sql);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* How many digits a real has where it becomes a text, and only there. */
static void digits(void) {
  sqlite3 *db = open_memory(), *other = open_memory();
  sqlite3_stmt *statement = NULL;
  const char *query = "SELECT 1.0/3, 1.0/3||'', length(1.0/3), quote(1.0/3), json_array(1.0/3), 123456.7, typeof(1.0/3)";
  int stands = -1;
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, -1, &stands) == SQLITE_OK && stands == 17);
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, 3, &stands) == SQLITE_OK && stands == 17);
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, 24, &stands) == SQLITE_OK && stands == 17);
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, 5, &stands) == SQLITE_OK && stands == 5);
  ANSWERS(db, query, "0.33333|0.33333|7|0.33333333333333332|[0.33333333333333332]|1.2346e+05|real");
  ANSWERS(other, query, "0.33333333333333332|0.33333333333333332|19|0.33333333333333332|[0.33333333333333332]|123456.7|real");
  CHECK(sqlite3_prepare_v2(db, "SELECT 2.0/3", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == 7);
  CHECK(strcmp((const char*)sqlite3_column_text(statement, 0), "0.66667") == 0);
  CHECK(sqlite3_column_double(statement, 0) == 2.0 / 3);
  sqlite3_finalize(statement);
  ANSWERS(db, "CREATE TABLE t(a TEXT, b); INSERT INTO t VALUES(1.0/3, 1.0/3)", "");
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, 17, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT * FROM t", "0.33333|0.33333333333333332");
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

/* Where the text goes on behind a statement that is wrong. */
static void tails(void) {
  static const struct { const char *sql, *tail; } wrong[] = {
    {"selekt 1; select 2", " 1; select 2"},
    {"select 1 from; select 2", " select 2"},
    {"select * from nope; select 2", " select 2"},
    {"insert into x values(1) blah; select 3", "; select 3"},
    {"select 'abc; select 2", "'abc; select 2"},
    {"select 1, @ ; select 2", "@ ; select 2"},
    {"select abs(1, 2) /* x */ ; select 2", " select 2"},
    {"select", ""},
  };
  sqlite3 *db = open_memory();
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sqlite3_stmt *statement = NULL;
    const char *tail = NULL;
    CHECK(sqlite3_prepare_v2(db, wrong[i].sql, -1, &statement, &tail) == SQLITE_ERROR && statement == NULL);
    CHECK(strcmp(tail, wrong[i].tail) == 0);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Which pragmas may change a database. */
static void writing_pragmas(void) {
  static const struct { const char *sql; int is_read_only; } pragmas[] = {
    {"PRAGMA user_version", 1}, {"PRAGMA user_version = 1", 0}, {"PRAGMA journal_mode", 0}, {"PRAGMA wal_checkpoint", 0},
    {"PRAGMA incremental_vacuum", 0}, {"PRAGMA foreign_keys = 1", 1}, {"PRAGMA table_info(t)", 1},
  };
  sqlite3 *db = open_memory();
  for (unsigned i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
    sqlite3_stmt *statement = NULL;
    CHECK(sqlite3_prepare_v2(db, pragmas[i].sql, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_stmt_readonly(statement) == pragmas[i].is_read_only);
    sqlite3_finalize(statement);
  }
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Texts have their NUL, whatever their length and wherever they lie. */
static void ends_of_texts(void) {
  sqlite3 *db = open_memory();
  sqlite3_stmt *statement = NULL;
  ANSWERS(db, "CREATE TABLE t(a, b)", "");
  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?1, ?1 || ?1)", -1, &statement, NULL) == SQLITE_OK);
  char text[201];
  for (int length = 0; length <= 100; length++) {
    memset(text, 'a' + length % 26, sizeof text);
    sqlite3_bind_text(statement, 1, text, length, SQLITE_TRANSIENT);
    CHECK(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK);
  }
  sqlite3_finalize(statement);
  CHECK(sqlite3_prepare_v2(db, "SELECT a, b, upper(a), ?1, a || '' FROM t ORDER BY length(a)", -1, &statement, NULL) == SQLITE_OK);
  sqlite3_bind_text(statement, 1, "bound to a parameter, and long", -1, SQLITE_STATIC);
  for (int length = 0; sqlite3_step(statement) == SQLITE_ROW; length++) {
    memset(text, 'a' + length % 26, sizeof text);
    for (int column = 0; column < 5; column++) {
      const char *found = (const char*)sqlite3_column_text(statement, column);
      const char *again = (const char*)sqlite3_column_blob(statement, column);
      int bytes = sqlite3_column_bytes(statement, column);
      CHECK((int)strlen(found) == bytes);
      CHECK(bytes == 0 ? again == NULL : memcmp(again, found, bytes + 1) == 0);
      if (column != 2 && column != 3) CHECK(bytes == (column == 1 ? 2 : 1) * length && memcmp(found, text, bytes) == 0);
    }
  }
  sqlite3_finalize(statement);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* Statements of the old interface say what went wrong when they are reset; so does the next step, which resets them. */
static void old_interface(void) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL, *other = NULL;
  const char *message = "UNIQUE constraint failed: t.a";
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES(1)", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_prepare(db, "INSERT INTO t VALUES(1)", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ERROR && sqlite3_extended_errcode(db) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "SQL logic error") == 0);
  CHECK(sqlite3_step(statement) == SQLITE_ERROR && sqlite3_extended_errcode(db) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), message) == 0);
  CHECK(sqlite3_reset(statement) == SQLITE_CONSTRAINT && sqlite3_extended_errcode(db) == SQLITE_CONSTRAINT_UNIQUE);
  CHECK(strcmp(sqlite3_errmsg(db), message) == 0);
  CHECK(sqlite3_reset(statement) == SQLITE_OK);
  /* What has happened since does not matter, with the new interface neither. */
  CHECK(sqlite3_step(statement) == SQLITE_ERROR);
  CHECK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(1)", -1, &other, NULL) == SQLITE_OK);
  CHECK(sqlite3_errcode(db) == SQLITE_OK);
  CHECK(sqlite3_finalize(statement) == SQLITE_CONSTRAINT && strcmp(sqlite3_errmsg(db), message) == 0);
  CHECK(sqlite3_step(other) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_exec(db, "DELETE FROM t", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_step(other) == SQLITE_DONE && sqlite3_errcode(db) == SQLITE_DONE);
  CHECK(sqlite3_step(other) == SQLITE_CONSTRAINT);
  CHECK(sqlite3_exec(db, "DELETE FROM t", NULL, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_reset(other) == SQLITE_CONSTRAINT && strcmp(sqlite3_errmsg(db), message) == 0);
  sqlite3_finalize(other);
  CHECK(sqlite3_close(db) == SQLITE_OK);
}

/* The folder for temporary files is one for the process: a pragma sets it, or the application its variable. */
static void temporary_folder(void) {
  sqlite3 *db = open_memory();
  char sql[1100];
  ANSWERS(db, "PRAGMA temp_store_directory", "");
  CHECK(sqlite3_exec(db, "PRAGMA temp_store_directory = '/no/such/folder'", NULL, NULL, NULL) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "not a writable directory") == 0 && sqlite3_temp_directory == NULL);
  snprintf(sql, sizeof sql, "CREATE TEMP TABLE t(a); PRAGMA temp_store_directory = '%s'", folder);
  CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
  CHECK(strcmp(sqlite3_temp_directory, folder) == 0);
  CHECK(sqlite3_exec(db, "SELECT * FROM t", NULL, NULL, NULL) == SQLITE_ERROR);
  sqlite3 *other = open_memory();
  char *name = NULL;
  ANSWERS(other, "PRAGMA temp_store_directory", folder);
  CHECK(sqlite3_file_control(db, "main", SQLITE_FCNTL_TEMPFILENAME, &name) == SQLITE_OK || name == NULL);
  sqlite3_free(name);
  ANSWERS(db, "PRAGMA temp_store_directory = ''; PRAGMA temp_store_directory", "");
  CHECK(sqlite3_temp_directory == NULL);
  sqlite3_temp_directory = sqlite3_mprintf("%s", folder);
  ANSWERS(db, "BEGIN; CREATE TEMP TABLE t(a); PRAGMA temp_store_directory", folder);
  CHECK(sqlite3_exec(db, "PRAGMA temp_store_directory = ''", NULL, NULL, NULL) == SQLITE_ERROR);
  CHECK(strcmp(sqlite3_errmsg(db), "temporary storage cannot be changed from within a transaction") == 0);
  CHECK(sqlite3_close(db) == SQLITE_OK && sqlite3_close(other) == SQLITE_OK);
}

int main(int count, char **arguments) {
  folder = count > 1 ? arguments[1] : ".";
  all_switches();
  comments();
  name_of_main();
  attaching();
  defensive();
  resetting();
  plans_of_triggers();
  legacy_format();
  logs();
  explaining();
  auto_vacuum();
  digits();
  tails();
  writing_pragmas();
  ends_of_texts();
  files();
  counters();
  many_cores();
  no_virtual_tables();
  steps_of_scans();
  old_interface();
  temporary_folder();
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
