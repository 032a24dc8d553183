/*
** FTS3's tokenizers in C: fts3_tokenizer() with modules of the application and of the library, languages, errors, and who may
** register.
**
** Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well, built with SQLITE_ENABLE_FTS3 and
** SQLITE_ENABLE_FTS3_TOKENIZER, but for what is marked.
*/
#include "check.h"

typedef struct sqlite3_tokenizer_module sqlite3_tokenizer_module;
typedef struct { const sqlite3_tokenizer_module *pModule; int separator; } sqlite3_tokenizer;
typedef struct { sqlite3_tokenizer *pTokenizer; const char *text; int n, at, position, language; } sqlite3_tokenizer_cursor;
struct sqlite3_tokenizer_module {
  int iVersion;
  int (*xCreate)(int, const char *const*, sqlite3_tokenizer**);
  int (*xDestroy)(sqlite3_tokenizer*);
  int (*xOpen)(sqlite3_tokenizer*, const char*, int, sqlite3_tokenizer_cursor**);
  int (*xClose)(sqlite3_tokenizer_cursor*);
  int (*xNext)(sqlite3_tokenizer_cursor*, const char**, int*, int*, int*, int*);
  int (*xLanguageid)(sqlite3_tokenizer_cursor*, int);
};

static int living, open_cursors;

/* Cuts at one character, its argument; of texts in language 1, at any digit, too. */
static int create(int n, const char *const *args, sqlite3_tokenizer **out) {
  if (n > 0 && strcmp(args[0], "wrong") == 0) return SQLITE_ERROR;
  *out = sqlite3_malloc(sizeof **out);
  (*out)->separator = n > 0 ? args[0][0] : ',';
  living++;
  return SQLITE_OK;
}
static int destroy(sqlite3_tokenizer *p) { sqlite3_free(p); living--; return SQLITE_OK; }
static int begin(sqlite3_tokenizer *p, const char *text, int n, sqlite3_tokenizer_cursor **out) {
  (void)p;
  *out = sqlite3_malloc(sizeof **out);
  memset(*out, 0, sizeof **out);
  (*out)->text = text;
  (*out)->n = n < 0 ? (int)strlen(text) : n;
  open_cursors++;
  return SQLITE_OK;
}
static int finish(sqlite3_tokenizer_cursor *p) { sqlite3_free(p); open_cursors--; return SQLITE_OK; }
static int separates(sqlite3_tokenizer_cursor *p, char c) {
  return c == p->pTokenizer->separator || (p->language == 1 && c >= '0' && c <= '9');
}
static int next(sqlite3_tokenizer_cursor *p, const char **token, int *n, int *start, int *end, int *position) {
  while (p->at < p->n && separates(p, p->text[p->at])) p->at++;
  if (p->at >= p->n) return SQLITE_DONE;
  if (p->text[p->at] == '!') return SQLITE_IOERR;
  *start = p->at;
  while (p->at < p->n && !separates(p, p->text[p->at])) p->at++;
  *token = p->text + *start;
  *n = p->at - *start;
  *end = p->at;
  *position = p->position++;
  return SQLITE_OK;
}
static int language(sqlite3_tokenizer_cursor *p, int language) { p->language = language; return SQLITE_OK; }

static const sqlite3_tokenizer_module cutter = { 1, create, destroy, begin, finish, next, language };

static int add(sqlite3 *db, const char *name, const sqlite3_tokenizer_module *module) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, "SELECT fts3_tokenizer(?1, ?2)", -1, &statement, NULL);
  if (code != SQLITE_OK) return code;
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, &module, sizeof module, SQLITE_STATIC);
  sqlite3_step(statement);
  return sqlite3_finalize(statement);
}

static const sqlite3_tokenizer_module *find(sqlite3 *db, const char *name) {
  const sqlite3_tokenizer_module *module = NULL;
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT fts3_tokenizer(?)", -1, &statement, NULL);
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == sizeof module)
    memcpy(&module, sqlite3_column_blob(statement, 0), sizeof module);
  sqlite3_finalize(statement);
  return module;
}

static void tables(sqlite3 *db) {
  CHECK(add(db, "cutter", &cutter) == SQLITE_OK);
  CHECK(find(db, "cutter") == &cutter);
  ANSWERS(db, "CREATE VIRTUAL TABLE t USING fts4(a, tokenize=cutter ';', languageid=l)", "");
  CHECK(living == 1);
  ANSWERS(db, "INSERT INTO t VALUES('one two;three'), ('x5y;z')", "");
  ANSWERS(db, "INSERT INTO t(a, l) VALUES('x5y;z', 1)", "");
  ANSWERS(db, "SELECT docid, offsets(t) FROM t WHERE t MATCH 'three'", "1|0 0 8 5");
  ANSWERS(db, "SELECT docid FROM t WHERE t MATCH '\"x5y;z\"'", "2");
  ANSWERS(db, "SELECT docid FROM t WHERE l = 1 AND t MATCH 'y'", "3");
  ANSWERS(db, "INSERT INTO t VALUES('fine;!')", "error 10: disk I/O error");
  ANSWERS(db, "CREATE VIRTUAL TABLE u USING fts3(a, tokenize=cutter wrong)", "error 1: unknown tokenizer");
  ANSWERS(db, "CREATE VIRTUAL TABLE u USING fts3(a, tokenize=CUTTER)", "error 1: unknown tokenizer: CUTTER");
  ANSWERS(db, "CREATE VIRTUAL TABLE cut USING fts3tokenize(cutter); SELECT token FROM cut WHERE input = 'a b,c'", "a b c");
  ANSWERS(db, "DROP TABLE t; DROP TABLE cut", "");
  CHECK(living == 0 && open_cursors == 0);
}

static void own_modules(sqlite3 *db) {
  const sqlite3_tokenizer_module *porter = find(db, "porter");
  sqlite3_tokenizer *tokenizer = NULL;
  sqlite3_tokenizer_cursor *cursor = NULL;
  const char *token;
  int n, start, end, position;
  CHECK(porter != NULL);
  CHECK(porter->xCreate(0, NULL, &tokenizer) == SQLITE_OK);
  tokenizer->pModule = porter;
  CHECK(porter->xOpen(tokenizer, "a Running", -1, &cursor) == SQLITE_OK);
  cursor->pTokenizer = tokenizer;
  CHECK(porter->xNext(cursor, &token, &n, &start, &end, &position) == SQLITE_OK && n == 1);
  CHECK(porter->xNext(cursor, &token, &n, &start, &end, &position) == SQLITE_OK);
  CHECK(n == 3 && memcmp(token, "run", 3) == 0 && start == 2 && end == 9 && position == 1);
  CHECK(porter->xNext(cursor, &token, &n, &start, &end, &position) == SQLITE_DONE);
  CHECK(porter->xClose(cursor) == SQLITE_OK && porter->xDestroy(tokenizer) == SQLITE_OK);
  ANSWERS(db, "SELECT fts3_tokenizer('stems', fts3_tokenizer('porter')) IS NULL", "0");
  ANSWERS(db, "CREATE VIRTUAL TABLE v USING fts3(a, tokenize=stems); INSERT INTO v VALUES('running');"
             "SELECT a FROM v WHERE v MATCH 'runs'", "running");
}

static void who_may(sqlite3 *db) {
  int is_on = -1;
  CHECK(sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, &is_on) == SQLITE_OK && is_on == 0);
  ANSWERS(db, "SELECT fts3_tokenizer('simple') IS NULL", "1");
  ANSWERS(db, "SELECT fts3_tokenizer('x', fts3_tokenizer('simple'))", "error 1: fts3tokenize disabled");
  CHECK(find(db, "simple") != NULL);
  CHECK(add(db, "again", &cutter) == SQLITE_OK);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 1, &is_on);
  ANSWERS(db, "SELECT typeof(fts3_tokenizer('again'))", "blob");
  ANSWERS(db, "SELECT fts3_tokenizer('x', x'00')", "error 1: argument type mismatch");
  ANSWERS(db, "SELECT fts3_tokenizer('nothing')", "error 1: unknown tokenizer: nothing");
  ANSWERS(db, "CREATE VIEW w AS SELECT fts3_tokenizer('simple'); SELECT * FROM w",
         "error 1: unsafe use of fts3_tokenizer()");
  /* Not as in SQLite, which would call what is at this address: */
  ANSWERS(db, "SELECT fts3_tokenizer('x', x'0102030405060708')", "error 1: argument type mismatch");
}

int main(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  tables(db);
  own_modules(db);
  who_may(db);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(living == 0);
  if (failures) return 1;
  puts("ok");
  return 0;
}
