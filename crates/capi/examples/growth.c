/*
** How the cost of an operation grows with the size of what it works on: the same program runs on Lithe's library and on SQLite's. The
** script tests/instructions/growth.sh runs every operation on both, at two sizes, and prints the table. By hand:
**
**   cc -O2 -g -o growth growth.c -I../include libsqlite3.so.0           (either library)
**   ./growth                                                            (lists the operations and their sizes)
**   valgrind --tool=callgrind --toggle-collect=measured ./growth 'length of BLOBs' 400000
**
** Each operation makes a database of that size and then does, within measured(), something that an application does with it.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

static const char FILENAME[] = "growth.db";
static const char COPY[] = "growth_copy.db";

static sqlite3 *db;

static void expect(int is_so, const char *what) {
  if (is_so) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { expect(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

/* Executes a text with the number in the place of each %d (five at most). */
static void run_with(const char *sql, int number) {
  char *text = sqlite3_mprintf(sql, number, number, number, number, number);
  run(text);
  sqlite3_free(text);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  expect(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, sql);
  return statement;
}

static void finish(sqlite3_stmt *statement) {
  while (sqlite3_step(statement) == SQLITE_ROW) {}
  expect(sqlite3_finalize(statement) == SQLITE_OK, "finalize");
}

static void query(const char *sql) { finish(prepare(sql)); }

static void remove_files(void) {
  remove(FILENAME);
  remove(COPY);
  remove("growth.db-wal");
  remove("growth.db-shm");
}

/* ---- what is there ---- */

#define SERIES "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < %d) "

static void nothing(int size) { (void)size; }

static void rows(int size) {
  run("CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b TEXT)");
  run_with("INSERT INTO t " SERIES "SELECT i, i %% 1000, 'row ' || i FROM s", size);
}

/* Twenty values of that many bytes each. */
static void blobs(int size) {
  run("CREATE TABLE files(id INTEGER PRIMARY KEY, name TEXT, body BLOB, note TEXT, size INTEGER)");
  for (int i = 0; i < 20; i++) run_with("INSERT INTO files VALUES (NULL, 'name', zeroblob(%d), hex(zeroblob(%d / 2)), 5)", size);
}

static void tables(int size) {
  run("BEGIN");
  for (int i = 0; i < size; i++) {
    run_with("CREATE TABLE t%d(id INTEGER PRIMARY KEY, a TEXT REFERENCES t%d, b UNIQUE); CREATE INDEX t%d_a ON t%d(a)", i);
  }
  run("COMMIT");
}

static void document(int size) {
  run("CREATE TABLE documents(body TEXT)");
  run_with("INSERT INTO documents " SERIES "SELECT json_group_array(json_object('id', i, 'name', 'name ' || i)) FROM s", size);
}

static char *script;
static void statements(int size) {
  sqlite3_str *text = sqlite3_str_new(db);
  run("CREATE TABLE t(a, b)");
  for (int i = 0; i < size; i++) sqlite3_str_appendf(text, "INSERT INTO t VALUES (%d, 'some text');\n", i);
  script = sqlite3_str_finish(text);
}

static void free_pages(int size) {
  run("PRAGMA page_size = 512; PRAGMA auto_vacuum = INCREMENTAL; CREATE TABLE t(a, b)");
  run_with("INSERT INTO t " SERIES "SELECT i, zeroblob(400) FROM s", size);
  run("DELETE FROM t");
}

/* ---- what is done ---- */

static void run_script(int size, const char *sql) { (void)size, (void)sql; run(script); }

static void run_by_tails(int size, const char *sql) {
  (void)size;
  for (sql = script; *sql;) {
    sqlite3_stmt *statement;
    expect(sqlite3_prepare_v2(db, sql, -1, &statement, &sql) == SQLITE_OK, "tail");
    finish(statement);
  }
}

static void run_by_lengths(int size, const char *sql) {
  (void)size;
  const char *end = script + strlen(script);
  for (sql = script; *sql;) {
    sqlite3_stmt *statement;
    expect(sqlite3_prepare_v2(db, sql, (int)(end - sql) + 1, &statement, &sql) == SQLITE_OK, "tail");
    finish(statement);
  }
}

static void read_again(int size, const char *sql) {
  (void)size;
  sqlite3_stmt *statement = prepare(sql);
  sqlite3_step(statement);
  for (int i = 0; i < 100; i++) {
    sqlite3_column_text(statement, 0);
    sqlite3_column_bytes(statement, 0);
  }
  finish(statement);
}

static void read_pieces(int size, const char *sql) {
  (void)sql;
  sqlite3_blob *blob;
  char bytes[100];
  expect(sqlite3_blob_open(db, "main", "files", "body", 1, 1, &blob) == SQLITE_OK, "blob");
  for (int i = 0; i < 200; i++) {
    int at = (int)((i * 7919LL * 4096) % (size - 100));
    sqlite3_blob_read(blob, bytes, sizeof bytes, at);
    sqlite3_blob_write(blob, bytes, sizeof bytes, at);
  }
  sqlite3_blob_close(blob);
}

static void many_statements(int size, const char *sql) {
  sqlite3_stmt **all = malloc((size_t)size * sizeof *all);
  for (int i = 0; i < size; i++) {
    char *text = sqlite3_mprintf(sql, i);
    all[i] = prepare(text);
    sqlite3_free(text);
  }
  for (int i = 0; i < size; i += 2) sqlite3_finalize(all[i]);
  for (int i = size - 1; i >= 0; i--) {
    if (i % 2) sqlite3_finalize(all[i]);
  }
  free(all);
}

static void one(sqlite3_context *context, int count, sqlite3_value **arguments) { (void)count, (void)arguments; sqlite3_result_int(context, 1); }
static int equal(void *data, int a_len, const void *a, int b_len, const void *b) { (void)data, (void)a_len, (void)a, (void)b_len, (void)b; return 0; }

static void many_definitions(int size, const char *sql) {
  char name[40];
  for (int i = 0; i < size; i++) {
    snprintf(name, sizeof name, "defined_%d", i);
    sqlite3_create_function(db, name, 1, SQLITE_UTF8, NULL, one, NULL, NULL);
    sqlite3_create_collation(db, name, SQLITE_UTF8, NULL, equal);
  }
  for (int i = 0; i < size; i++) run_with(sql, i);
}

static void page_by_page(int size, const char *sql) {
  (void)size, (void)sql;
  sqlite3 *copy;
  sqlite3_open(COPY, &copy);
  sqlite3_exec(copy, "PRAGMA synchronous = OFF", NULL, NULL, NULL);
  sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
  while (sqlite3_backup_step(backup, 1) == SQLITE_OK) {}
  sqlite3_backup_finish(backup);
  sqlite3_close(copy);
}

static int nothing_of_a_row(void *data, int count, char **texts, char **names) { (void)data, (void)count, (void)texts, (void)names; return 0; }
static void by_callback(int size, const char *sql) { (void)size; expect(sqlite3_exec(db, sql, nothing_of_a_row, NULL, NULL) == SQLITE_OK, sql); }

static void as_table(int size, const char *sql) {
  char **cells;
  int count, columns;
  (void)size;
  sqlite3_get_table(db, sql, &cells, &count, &columns, NULL);
  sqlite3_free_table(cells);
}

static void other_connections(int size, const char *sql) {
  (void)size;
  for (int i = 0; i < 5; i++) {
    sqlite3 *other;
    sqlite3_open(FILENAME, &other);
    sqlite3_exec(other, sql, NULL, NULL, NULL);
    sqlite3_close(other);
  }
}

/* Once. */
static void once(int size, const char *sql) { (void)size; query(sql); }
/* With each number up to the size, in one transaction. */
static void with_each(int size, const char *sql) {
  run("BEGIN");
  for (int i = 0; i < size; i++) run_with(sql, i);
  run("COMMIT");
}
/* With the first numbers. */
static void with_ten(int size, const char *sql) {
  (void)size;
  for (int i = 1; i <= 10; i++) run_with(sql, i);
}

static const struct operation {
  const char *name;
  int size; /* the smaller one */
  void (*make)(int size);
  void (*measured)(int size, const char *sql);
  const char *sql;
} operations[] = {
    {"script", 500, statements, run_script, NULL},
    {"script by tails", 500, statements, run_by_tails, NULL},
    {"script by lengths", 500, statements, run_by_lengths, NULL},
    {"length of BLOBs", 100000, blobs, once, "SELECT sum(length(body)) FROM files"},
    {"octet_length of texts", 100000, blobs, once, "SELECT sum(octet_length(note)) FROM files"},
    {"typeof", 100000, blobs, once, "SELECT id FROM files WHERE typeof(body) = 'blob' AND typeof(note) = 'text'"},
    {"IS NULL", 100000, blobs, once, "SELECT id, body IS NULL FROM files WHERE note NOT NULL"},
    {"length in CASE", 100000, blobs, once, "SELECT CASE WHEN body IS NULL THEN 0 ELSE length(body) END FROM files ORDER BY length(body)"},
    {"column behind BLOBs", 100000, blobs, once, "SELECT sum(size) FROM files"},
    {"beginnings of BLOBs", 100000, blobs, once, "SELECT substr(body, 1, 10), substr(note, 1, 10) FROM files"},
    {"text read again", 100000, blobs, read_again, "SELECT note FROM files"},
    {"pieces of a BLOB", 100000, blobs, read_pieces, NULL},
    {"UPDATE beside BLOBs", 50000, blobs, once, "UPDATE files SET size = 7"},
    {"DELETE of BLOBs", 100000, blobs, once, "DELETE FROM files"},
    {"statements at once", 500, rows, many_statements, "SELECT a + %d FROM t"},
    {"functions and collations", 200, nothing, many_definitions, "SELECT defined_%d(1) WHERE 'a' = 'b' COLLATE defined_%d"},
    {"backup page by page", 2000, rows, page_by_page, NULL},
    {"rows by callback", 2000, rows, by_callback, "SELECT * FROM t"},
    {"rows as a table", 2000, rows, as_table, "SELECT * FROM t"},
    {"incremental vacuum", 1000, free_pages, with_each, "PRAGMA incremental_vacuum(1)"},
    {"DELETE of the first", 1000, rows, with_each, "DELETE FROM t WHERE id = (SELECT min(id) FROM t) AND %d = %d"},
    {"savepoints", 500, rows, with_each, "SAVEPOINT s; UPDATE t SET a = a + 1 WHERE id = %d; ROLLBACK TO s; RELEASE s"},
    {"window of rows", 2000, rows, once, "SELECT sum(a) OVER (ORDER BY id ROWS 1000 PRECEDING) FROM t"},
    {"window of peers", 2000, rows, once, "SELECT count(*) OVER (ORDER BY a RANGE BETWEEN 3 PRECEDING AND 3 FOLLOWING) FROM t"},
    {"group_concat", 5000, rows, once, "SELECT length(group_concat(b)), length(group_concat(DISTINCT b)), length(group_concat(b ORDER BY b DESC)) FROM t"},
    {"the ten first", 5000, rows, once, "SELECT id FROM t ORDER BY b DESC LIMIT 10"},
    {"the largest", 5000, rows, once, "SELECT max(id) FROM t"},
    {"NOT IN", 5000, rows, once, "SELECT count(*) FROM t WHERE id NOT IN (SELECT a FROM t)"},
    {"list of values", 500, rows, once, "SELECT count(*) FROM t WHERE b IN (SELECT b FROM t WHERE a < 5)"},
    {"json_extract four times", 500, document, once,
     "SELECT json_extract(body, '$[0].id'), body ->> '$[1].id', body -> '$[2]', json_extract(body, '$[#-1].id') FROM documents"},
    {"json_extract by index", 500, document, once,
     "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s WHERE i < 50) SELECT json_extract((SELECT body FROM documents), '$[' || i || '].id') FROM s"},
    {"json_array_length", 2000, document, once, "SELECT json_array_length(body) FROM documents"},
    {"json_valid", 2000, document, once, "SELECT json_valid(body) FROM documents"},
    {"json_each", 1000, document, once, "SELECT sum(e.value ->> 'id') FROM documents, json_each(body) e"},
    {"json_tree", 1000, document, once, "SELECT count(*) FROM documents, json_tree(body)"},
    {"json_set", 1000, document, once, "SELECT length(json_set(body, '$[0].id', 5)), length(json_remove(body, '$[1]')) FROM documents"},
    {"json_group_array", 2000, rows, once, "SELECT length(json_group_array(b)), length(json_group_object(id, b)) FROM t"},
    {"pragmas joined", 50, tables, once, "SELECT count(*) FROM sqlite_schema m, pragma_table_info(m.name) UNION ALL SELECT count(*) FROM sqlite_schema m, pragma_index_list(m.name) l, pragma_index_info(l.name)"},
    {"pragmas of each table", 50, tables, with_each, "PRAGMA table_info(t%d); PRAGMA index_list(t%d); PRAGMA foreign_key_list(t%d)"},
    {"list of tables", 50, tables, once, "PRAGMA table_list"},
    {"foreign keys of DELETE", 50, tables, with_each, "PRAGMA foreign_keys = ON; DELETE FROM t%d"},
    {"foreign_key_check", 50, tables, once, "PRAGMA foreign_key_check"},
    {"RENAME TABLE", 30, tables, with_ten, "ALTER TABLE t%d RENAME TO renamed_%d"},
    {"RENAME COLUMN", 30, tables, with_ten, "ALTER TABLE t%d RENAME COLUMN a TO renamed"},
    {"ADD COLUMN", 30, tables, with_ten, "ALTER TABLE t%d ADD COLUMN added INT"},
    {"DROP COLUMN", 30, tables, with_ten, "DROP INDEX t%d_a; ALTER TABLE t%d DROP COLUMN a"},
    {"DROP TABLE", 50, tables, with_each, "DROP TABLE t%d"},
    {"CREATE VIEW", 50, rows, with_each, "CREATE VIEW v%d AS SELECT a, b FROM t; SELECT count(*) FROM v%d WHERE a = 5"},
    {"CREATE TRIGGER", 50, rows, with_each, "CREATE TRIGGER g%d AFTER INSERT ON t WHEN new.a = %d BEGIN DELETE FROM t WHERE a = -1; END; INSERT INTO t VALUES (NULL, -2, %d)"},
    {"CREATE TEMP TABLE", 50, rows, with_each, "CREATE TEMP TABLE temporary_%d(a, b); INSERT INTO temporary_%d VALUES (1, 2)"},
    {"integrity_check", 50, tables, once, "PRAGMA integrity_check"},
    {"REINDEX", 50, tables, once, "REINDEX"},
    {"ANALYZE", 50, tables, once, "ANALYZE"},
    {"VACUUM", 50, tables, once, "VACUUM"},
    {"connections", 50, tables, other_connections, "SELECT * FROM t1"},
    {"schema changed by another", 50, tables, other_connections, "CREATE TABLE IF NOT EXISTS other(a); DROP TABLE other"},
    {"long log", 500, rows, with_each, "COMMIT; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE t SET a = a + 1 WHERE id = %d; SELECT a FROM t WHERE id = 7; BEGIN"},
    {"LIKE", 2000, rows, once, "SELECT count(*) FROM t WHERE b LIKE '%w 1%2%'"},
    {"printf", 20000, nothing, once, "SELECT length(printf('%.*c', 100000, 'x')), length(printf('%q', hex(zeroblob(50000))))"},
    {"dbstat", 2000, rows, once, "SELECT sum(unused) FROM dbstat"},
};

__attribute__((noinline)) void measured(const struct operation *operation, int size) { operation->measured(size, operation->sql); }

int main(int argc, char **argv) {
  const struct operation *operation = operations;
  const struct operation *end = operations + sizeof operations / sizeof *operations;
  if (argc != 3) {
    for (; operation < end; operation++) printf("%d %s\n", operation->size, operation->name);
    return 0;
  }
  while (operation < end && strcmp(operation->name, argv[1]) != 0) operation++;
  if (operation == end) return fprintf(stderr, "no operation %s\n", argv[1]), 2;
  remove_files();
  expect(sqlite3_open(FILENAME, &db) == SQLITE_OK, FILENAME);
  run("PRAGMA synchronous = OFF");
  operation->make(atoi(argv[2]));
  measured(operation, atoi(argv[2]));
  sqlite3_close(db);
  remove_files();
  return 0;
}
