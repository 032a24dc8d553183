/*
** FTS5's interface in C: tokenizers of both versions, found and wrapped ones, auxiliary functions and all that they may ask.
**
** Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well, built with SQLITE_ENABLE_FTS5.
*/
#include "check.h"

static int made, deleted, destroyed;
static int last_flags;
static char last_locale[32];

static void destroy(void *p) { (void)p; destroyed++; }

/* A tokenizer: single letters, small ones; "x" stands at the place of the letter before it. Its argument is an error to be had. */
typedef struct { int error; int version; } Letters;

static int letters_create(void *context, const char **args, int n, Fts5Tokenizer **out) {
  CHECK(context == (void*)&made);
  if (n > 0 && strcmp(args[0], "busy") == 0) return SQLITE_BUSY;
  if (n > 0 && strcmp(args[0], "error") == 0) return SQLITE_ERROR;
  Letters *letters = sqlite3_malloc(sizeof *letters);
  letters->error = n > 1 && strcmp(args[0], "later") == 0 ? atoi(args[1]) : 0;
  *out = (Fts5Tokenizer*)letters;
  made++;
  return SQLITE_OK;
}

static void letters_delete(Fts5Tokenizer *p) { sqlite3_free(p); deleted++; }

static int letters_cut(Fts5Tokenizer *p, void *context, int flags, const char *text, int n,
                       int (*token)(void*, int, const char*, int, int, int)) {
  Letters *letters = (Letters*)p;
  last_flags = flags;
  for (int i = 0; i < n; i++) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c += 32;
    if (c < 'a' || c > 'z') continue;
    if (c == 'q' && letters->error) return letters->error;
    int code = token(context, c == 'x' ? FTS5_TOKEN_COLOCATED : 0, &c, 1, i, i + 1);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

static int letters_cut_locale(Fts5Tokenizer *p, void *context, int flags, const char *text, int n, const char *locale,
                              int locale_len, int (*token)(void*, int, const char*, int, int, int)) {
  snprintf(last_locale, sizeof last_locale, "%.*s", locale_len, locale ? locale : "");
  return letters_cut(p, context, flags, text, n, token);
}

/* A tokenizer that wraps another one, found by its name, and doubles each token. */
typedef struct { fts5_tokenizer_v2 *methods; Fts5Tokenizer *base; void *context; int (*token)(void*, int, const char*, int, int, int); } Twice;

static int twice_create(void *context, const char **args, int n, Fts5Tokenizer **out) {
  fts5_api *api = context;
  Twice *twice = sqlite3_malloc(sizeof *twice);
  void *user = NULL;
  memset(twice, 0, sizeof *twice);
  int code = api->xFindTokenizer_v2(api, n > 0 ? args[0] : NULL, &user, &twice->methods);
  if (code == SQLITE_OK) code = twice->methods->xCreate(user, args + (n > 0), n > 0 ? n - 1 : 0, &twice->base);
  if (code != SQLITE_OK) { sqlite3_free(twice); return code; }
  *out = (Fts5Tokenizer*)twice;
  return SQLITE_OK;
}

static void twice_delete(Fts5Tokenizer *p) {
  Twice *twice = (Twice*)p;
  twice->methods->xDelete(twice->base);
  sqlite3_free(twice);
}

static int twice_token(void *p, int flags, const char *text, int n, int start, int end) {
  Twice *twice = p;
  char both[64];
  int len = snprintf(both, sizeof both, "%.*s%.*s", n, text, n, text);
  return twice->token(twice->context, flags, both, len, start, end);
}

static int twice_cut(Fts5Tokenizer *p, void *context, int flags, const char *text, int n, const char *locale, int locale_len,
                     int (*token)(void*, int, const char*, int, int, int)) {
  Twice *twice = (Twice*)p;
  twice->context = context;
  twice->token = token;
  return twice->methods->xTokenize(twice->base, twice, flags, text, n, locale, locale_len, twice_token);
}

static fts5_api *api_of(sqlite3 *db) {
  fts5_api *api = NULL;
  sqlite3_stmt *statement = NULL;
  CHECK(sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", NULL) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_NULL);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
  return api;
}

/* Everything that a function may ask, as a text. */
typedef struct { sqlite3_str *out; const Fts5ExtensionApi *api; Fts5Context *context; int stop; } Told;

static int tell_token(void *p, int flags, const char *text, int n, int start, int end) {
  Told *told = p;
  sqlite3_str_appendf(told->out, " %.*s/%d-%d/%d", n, text, start, end, flags);
  /* The context may be used meanwhile. */
  CHECK(told->api->xColumnCount(told->context) == 2);
  return told->stop && --told->stop == 0 ? SQLITE_DONE : SQLITE_OK;
}

static int tell_row(const Fts5ExtensionApi *api, Fts5Context *context, void *p) {
  Told *told = p;
  int count = -7;
  CHECK(api->xInstCount(context, &count) == SQLITE_OK);
  CHECK(api->xGetAuxdata(context, 0) == NULL);
  CHECK(told->api->xRowid(told->context) > 0);
  sqlite3_str_appendf(told->out, " row %lld:%d:%d", api->xRowid(context), count, api->xPhraseCount(context));
  return told->stop && --told->stop == 0 ? SQLITE_DONE : SQLITE_OK;
}

static void tell(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *answer, int n, sqlite3_value **args) {
  Told told = { sqlite3_str_new(NULL), api, context, 0 };
  sqlite3_str *out = told.out;
  sqlite3_int64 count = -7;
  const char *text, *what = n > 0 ? (const char*)sqlite3_value_text(args[0]) : "all";
  int len, code, i, j, a, b, c;
  CHECK(api->iVersion == 4 && api->xUserData(context) == (void*)&destroyed);
  if (strcmp(what, "counts") == 0) {
    code = api->xRowCount(context, &count);
    sqlite3_str_appendf(out, "rows %d %lld, columns %d, phrases %d, totals", code, count, api->xColumnCount(context), api->xPhraseCount(context));
    for (i = -2; i < 4; i++) {
      count = -7;
      code = api->xColumnTotalSize(context, i, &count);
      sqlite3_str_appendf(out, " %d:%lld", code, count);
    }
    sqlite3_str_appendf(out, ", sizes");
    for (i = -2; i < 4; i++) {
      a = -7;
      code = api->xColumnSize(context, i, &a);
      sqlite3_str_appendf(out, " %d:%d", code, a);
    }
  } else if (strcmp(what, "columns") == 0) {
    for (i = -1; i < 3; i++) {
      text = "?"; len = -7;
      code = api->xColumnText(context, i, &text, &len);
      sqlite3_str_appendf(out, "%s%d:%d", i < 0 ? "" : " ", code, len);
      if (code == SQLITE_OK) sqlite3_str_appendf(out, ":%.*s", len, text ? text : "(null)");
      text = "?"; len = -7;
      code = api->xColumnLocale(context, i, &text, &len);
      sqlite3_str_appendf(out, " locale %d:%d:%.*s", code, len, len > 0 ? len : 0, text ? text : "");
    }
  } else if (strcmp(what, "phrases") == 0) {
    for (i = -1; i < api->xPhraseCount(context) + 1; i++) {
      sqlite3_str_appendf(out, "%ssize %d", i < 0 ? "" : " ", api->xPhraseSize(context, i));
      for (j = -1; j < api->xPhraseSize(context, i) + 1; j++) {
        text = "?"; len = -7;
        code = api->xQueryToken(context, i, j, &text, &len);
        sqlite3_str_appendf(out, " %d:%.*s", code, len > 0 ? len : 0, text ? text : "");
      }
      Fts5PhraseIter at;
      a = b = -7;
      code = api->xPhraseFirst(context, i, &at, &a, &b);
      sqlite3_str_appendf(out, " first %d", code);
      if (code == SQLITE_OK) for (; a >= 0; api->xPhraseNext(context, &at, &a, &b)) sqlite3_str_appendf(out, " %d.%d", a, b);
      if (code == SQLITE_OK) sqlite3_str_appendf(out, " end %d.%d", a, b);
      a = -7;
      code = api->xPhraseFirstColumn(context, i, &at, &a);
      sqlite3_str_appendf(out, " column %d", code);
      if (code == SQLITE_OK) for (; a >= 0; api->xPhraseNextColumn(context, &at, &a)) sqlite3_str_appendf(out, " %d", a);
    }
  } else if (strcmp(what, "instances") == 0) {
    CHECK(api->xInstCount(context, &len) == SQLITE_OK);
    sqlite3_str_appendf(out, "%d", len);
    for (i = -1; i <= len; i++) {
      a = b = c = -7;
      code = api->xInst(context, i, &a, &b, &c);
      sqlite3_str_appendf(out, " %d:%d,%d,%d", code, a, b, c);
      for (j = -1; j < 2; j++) {
        int token_len = -7;
        text = "?";
        code = api->xInstToken(context, i, j, &text, &token_len);
        sqlite3_str_appendf(out, "/%d:%.*s", code, token_len > 0 ? token_len : 0, text ? text : "");
      }
    }
  } else if (strcmp(what, "tokenize") == 0) {
    const char *given = (const char*)sqlite3_value_text(args[1]);
    told.stop = n > 2 ? sqlite3_value_int(args[2]) : 0;
    code = api->xTokenize(context, given, (int)strlen(given), &told, tell_token);
    sqlite3_str_appendf(out, " | %d", code);
    if (n > 3) {
      code = api->xTokenize_v2(context, given, (int)strlen(given), (const char*)sqlite3_value_text(args[3]), sqlite3_value_bytes(args[3]), &told, tell_token);
      sqlite3_str_appendf(out, " | %d", code);
    }
  } else if (strcmp(what, "rows") == 0) {
    told.stop = n > 2 ? sqlite3_value_int(args[2]) : 0;
    code = api->xQueryPhrase(context, sqlite3_value_int(args[1]), &told, tell_row);
    sqlite3_str_appendf(out, " | %d", code);
  } else if (strcmp(what, "auxdata") == 0) {
    int *seen = api->xGetAuxdata(context, 0);
    if (seen == NULL) {
      seen = sqlite3_malloc(sizeof *seen);
      *seen = 0;
      CHECK(api->xSetAuxdata(context, seen, sqlite3_free) == SQLITE_OK);
    }
    sqlite3_str_appendf(out, "%d", ++*seen);
    if (*seen == 2 && n > 1) {
      CHECK(api->xGetAuxdata(context, 1) == seen);
      CHECK(api->xGetAuxdata(context, 0) == NULL);
      sqlite3_free(seen);
    }
  } else if (strcmp(what, "error") == 0) {
    sqlite3_result_error(answer, "an error of its own", -1);
    sqlite3_free(sqlite3_str_finish(out));
    return;
  } else if (strcmp(what, "code") == 0) {
    sqlite3_result_error_code(answer, SQLITE_FULL);
    sqlite3_free(sqlite3_str_finish(out));
    return;
  } else if (strcmp(what, "nothing") == 0) {
    sqlite3_free(sqlite3_str_finish(out));
    return;
  }
  sqlite3_result_text(answer, sqlite3_str_value(out), -1, SQLITE_TRANSIENT);
  sqlite3_free(sqlite3_str_finish(out));
}

static void rowid_of(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *answer, int n, sqlite3_value **args) {
  sqlite3_result_int64(answer, -api->xRowid(context) + (n > 0 ? sqlite3_value_int(args[0]) : 0));
}

/* What an argument is beside its value, and a result with a subtype and a pointer. */
static void properties(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *answer, int n, sqlite3_value **args) {
  char text[200];
  int len = 0;
  for (int i = 0; i < n; i++) {
    const char *pointer = sqlite3_value_pointer(args[i], "mark");
    len += snprintf(text + len, sizeof text - len, "%s%u %s %d", i ? ", " : "", sqlite3_value_subtype(args[i]), pointer ? pointer : "-", sqlite3_value_frombind(args[i]));
  }
  (void)api, (void)context;
  sqlite3_result_text(answer, text, len, SQLITE_TRANSIENT);
  sqlite3_result_subtype(answer, 21);
}

static void pointing(const Fts5ExtensionApi *api, Fts5Context *context, sqlite3_context *answer, int n, sqlite3_value **args) {
  (void)api, (void)context, (void)n, (void)args;
  sqlite3_result_pointer(answer, "from the row", "mark", 0);
}

static void subtype_of(sqlite3_context *answer, int n, sqlite3_value **args) {
  const char *pointer = sqlite3_value_pointer(args[0], "mark");
  (void)n;
  if (pointer) sqlite3_result_text(answer, pointer, -1, SQLITE_STATIC);
  else sqlite3_result_int(answer, (int)sqlite3_value_subtype(args[0]));
}

static void arguments_and_results(sqlite3 *db, fts5_api *api) {
  CHECK(api->xCreateFunction(api, "properties", NULL, properties, NULL) == SQLITE_OK);
  CHECK(api->xCreateFunction(api, "pointing", NULL, pointing, NULL) == SQLITE_OK);
  CHECK(sqlite3_create_function(db, "subtype_of", 1, SQLITE_UTF8 | SQLITE_SUBTYPE, NULL, subtype_of, NULL, NULL) == SQLITE_OK);
  CHECK(sqlite3_exec(db, "CREATE VIRTUAL TABLE p USING fts5(a); INSERT INTO p VALUES('one two')", 0, 0, 0) == SQLITE_OK);
  ANSWERS(db, "SELECT properties(p, json('[1]'), 7, '[2]') FROM p('one')", "74 - 0, 0 - 0, 0 - 0");
  ANSWERS(db, "SELECT subtype_of(properties(p)), subtype_of(pointing(p)), typeof(pointing(p)) FROM p('one')", "21|from the row|null");
  ANSWERS(db, "SELECT properties(p, pointing(p), NULL) FROM p('one')", "112 from the row 0, 0 - 0");
  sqlite3_stmt *statement;
  CHECK(sqlite3_prepare_v2(db, "SELECT properties(p, ?1, ?2) FROM p('one')", -1, &statement, NULL) == SQLITE_OK);
  CHECK(sqlite3_bind_pointer(statement, 1, "bound", "mark", NULL) == SQLITE_OK && sqlite3_bind_int(statement, 2, 5) == SQLITE_OK);
  CHECK(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(strcmp((const char *)sqlite3_column_text(statement, 0), "112 bound 1, 0 - 1") == 0);
  CHECK(sqlite3_finalize(statement) == SQLITE_OK);
}

static void tokenizers(sqlite3 *db, fts5_api *api) {
  fts5_tokenizer first = { letters_create, letters_delete, letters_cut }, found;
  fts5_tokenizer_v2 second = { 2, letters_create, letters_delete, letters_cut_locale }, *found_v2;
  fts5_tokenizer_v2 twice = { 2, twice_create, twice_delete, twice_cut };
  void *user;
  CHECK(api->xCreateTokenizer(api, "letters", &made, &first, destroy) == SQLITE_OK);
  CHECK(api->xCreateTokenizer_v2(api, "Letters2", &made, &second, destroy) == SQLITE_OK);
  CHECK(api->xCreateTokenizer_v2(api, "twice", api, &twice, destroy) == SQLITE_OK);
  second.iVersion = 3;
  CHECK(api->xCreateTokenizer_v2(api, "third", &made, &second, destroy) == SQLITE_ERROR);

  CHECK(api->xFindTokenizer(api, "LETTERS", &user, &found) == SQLITE_OK && user == (void*)&made && found.xTokenize == letters_cut);
  CHECK(api->xFindTokenizer_v2(api, "letters2", &user, &found_v2) == SQLITE_OK && user == (void*)&made && found_v2->xTokenize == letters_cut_locale);
  user = &user; found.xCreate = letters_create;
  CHECK(api->xFindTokenizer(api, "nobody", &user, &found) == SQLITE_ERROR && user == NULL && found.xCreate == NULL);
  user = &user;
  CHECK(api->xFindTokenizer_v2(api, "nobody", &user, &found_v2) == SQLITE_ERROR && user == NULL && found_v2 == NULL);
  CHECK(api->xFindTokenizer_v2(api, NULL, &user, &found_v2) == SQLITE_OK && found_v2->xTokenize != NULL);

  CHECK(sqlite3_exec(db, "CREATE VIRTUAL TABLE l USING fts5(a, b, tokenize='letters', prefix=1);"
    "INSERT INTO l VALUES('abxc', 'B'), ('Cab', ''), ('', 'xa')", 0, 0, 0) == SQLITE_OK);
  CHECK(made == 1 && last_flags == FTS5_TOKENIZE_DOCUMENT);
  ANSWERS(db, "SELECT rowid FROM l('ab')", "1 2");
  ANSWERS(db, "SELECT rowid FROM l('a + b')", "1 2");
  CHECK(last_flags == FTS5_TOKENIZE_QUERY);
  ANSWERS(db, "SELECT rowid FROM l('x*')", "1 3");
  CHECK(last_flags == (FTS5_TOKENIZE_QUERY | FTS5_TOKENIZE_PREFIX));
  ANSWERS(db, "SELECT highlight(l, 0, '[', ']') FROM l('ab OR x')", "[ab]xc C[ab] ");
  CHECK(last_flags == FTS5_TOKENIZE_AUX);
  ANSWERS(db, "INSERT INTO l(l) VALUES('integrity-check')", "");
  ANSWERS(db, "CREATE VIRTUAL TABLE e USING fts5(a, tokenize='letters busy')",
    "error 5: error in tokenizer constructor");
  ANSWERS(db, "CREATE VIRTUAL TABLE e USING fts5(a, tokenize='letters error')",
    "error 1: error in tokenizer constructor");
  ANSWERS(db, "CREATE VIRTUAL TABLE e USING fts5(a, tokenize='nobody')", "error 1: no such tokenizer: nobody");
  ANSWERS(db, "CREATE VIRTUAL TABLE e USING fts5(a, tokenize='letters later 13'); INSERT INTO e VALUES('abc')",
    "");
  ANSWERS(db, "INSERT INTO e VALUES('aqc')", "error 13: database or disk is full");
  ANSWERS(db, "SELECT * FROM e('q')", "error 13: database or disk is full");
  ANSWERS(db, "DROP TABLE e", "");

  ANSWERS(db, "CREATE VIRTUAL TABLE l2 USING fts5(a, b, tokenize='letters2', locale=1);"
    "INSERT INTO l2 VALUES('abc', fts5_locale('en', 'qrx'))", "");
  CHECK(strcmp(last_locale, "en") == 0);
  ANSWERS(db, "SELECT rowid FROM l2(fts5_locale('de', 'r'))", "1");
  CHECK(strcmp(last_locale, "de") == 0);

  ANSWERS(db, "CREATE VIRTUAL TABLE t2 USING fts5(a, tokenize='twice'); INSERT INTO t2 VALUES('One, two')", "");
  ANSWERS(db, "CREATE VIRTUAL TABLE t3 USING fts5(a, tokenize='twice porter ascii'); INSERT INTO t3 VALUES('Running wolves')",
    "");
  ANSWERS(db, "CREATE VIRTUAL TABLE t4 USING fts5(a, tokenize='twice letters2'); INSERT INTO t4 VALUES('Ab')", "");
  ANSWERS(db, "CREATE VIRTUAL TABLE t5 USING fts5(a, tokenize='porter letters'); INSERT INTO t5 VALUES('Ab')", "");
  ANSWERS(db, "CREATE VIRTUAL TABLE t6 USING fts5(a, tokenize='twice letters'); INSERT INTO t6 VALUES('Ab')", "");
  ANSWERS(db, "CREATE VIRTUAL TABLE t7 USING fts5(a, tokenize='twice nobody')",
    "error 1: error in tokenizer constructor");
  ANSWERS(db, "CREATE VIRTUAL TABLE v2 USING fts5vocab(t2, row); CREATE VIRTUAL TABLE v3 USING fts5vocab(t3, row);"
    "CREATE VIRTUAL TABLE v4 USING fts5vocab(t4, row); CREATE VIRTUAL TABLE v5 USING fts5vocab(t5, row);"
    "CREATE VIRTUAL TABLE v6 USING fts5vocab(t6, row);"
    "SELECT term FROM v2 UNION ALL SELECT term FROM v3 UNION ALL SELECT term FROM v4 UNION ALL SELECT term FROM v5 UNION ALL SELECT term FROM v6",
    "oneone twotwo runrun wolvwolv aa bb a b aa bb");
  ANSWERS(db, "SELECT snippet(t3, 0, '<', '>', '...', 5) FROM t3('running')", "<Running> wolves");

  /* A tokenizer of the library's by the first version. */
  Fts5Tokenizer *porter = NULL;
  CHECK(api->xFindTokenizer(api, "porter", &user, &found) == SQLITE_OK);
  const char *ascii[] = { "ascii", "tokenchars" };
  CHECK(found.xCreate(user, ascii, 2, &porter) == SQLITE_ERROR && porter == NULL);
  CHECK(found.xCreate(user, ascii, 1, &porter) == SQLITE_OK && porter != NULL);
  found.xDelete(porter);
}

static void functions(sqlite3 *db, fts5_api *api) {
  CHECK(api->xCreateFunction(api, "tell", &destroyed, tell, destroy) == SQLITE_OK);
  CHECK(api->xCreateFunction(api, "Rowid_Of", NULL, rowid_of, NULL) == SQLITE_OK);
  char name[300];
  memset(name, 'n', sizeof name);
  name[299] = 0;
  CHECK(api->xCreateFunction(api, name, NULL, rowid_of, destroy) == SQLITE_MISUSE);

  ANSWERS(db, "CREATE VIRTUAL TABLE t USING fts5(a, b, locale=1);"
    "INSERT INTO t(rowid, a, b) VALUES(1, 'one two three two', 'one'), (2, 'two', fts5_locale('en', 'Three two')), (5, NULL, 7), (9, 'one', 'two one')",
    "");
  ANSWERS(db, "SELECT tell(t, 'counts') FROM t('one')",
    "rows 0 4, columns 2, phrases 1, totals 0:12 0:12 0:6 0:6 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 4, columns 2, phrases 1, totals 0:12 0:12 0:6 0:6 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0");
  ANSWERS(db, "SELECT tell(t, 'counts') FROM t WHERE rowid = 5",
    "rows 0 4, columns 2, phrases 0, totals 0:12 0:12 0:6 0:6 25:0 25:0, sizes 0:1 0:1 0:0 0:1 25:0 25:0");
  ANSWERS(db, "SELECT tell(t, 'columns') FROM t",
    "25:-7 locale 25:0: 0:17:one two three two locale 0:0: 0:3:one locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:3:two locale 0:0: 0:9:Three two locale 0:2:en 25:-7 locale 25:0: 25:-7 locale 25:0: 0:0: locale 0:0: 0:1:7 locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:3:one locale 0:0: 0:7:two one locale 0:0: 25:-7 locale 25:0:");
  ANSWERS(db, "SELECT tell(t, 'phrases') FROM t('one two OR thr*')",
    "size 0 25: 25: first 25 column 25 size 1 25: 0:one 25: first 0 0.0 1.0 end -1.-1 column 0 0 1 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:one 25: first 0 end -1.-1 column 0 size 1 25: 0:two 25: first 0 end -1.-1 column 0 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:one 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:two 25: first 0 1.0 end -1.-1 column 0 1 size 1 25: 0:thr 25: first 0 end -1.-1 column 0 size 0 25: 25: first 25 column 25");
  ANSWERS(db, "SELECT tell(t, 'phrases') FROM t('one + two OR b:three')",
    "size 0 25: 25: first 25 column 25 size 2 25: 0:one 0:two 25: first 0 0.0 end -1.-1 column 0 0 size 1 25: 0:three 25: first 0 end -1.-1 column 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 2 25: 0:one 0:two 25: first 0 end -1.-1 column 0 size 1 25: 0:three 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25");
#ifdef LITHE /* SQLite's looks at the phrases of a query that is not there. */
  ANSWERS(db, "SELECT tell(t, 'phrases') FROM t LIMIT 1", "size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25");
#endif
  ANSWERS(db, "SELECT tell(t, 'instances') FROM t('one two OR thr*')",
    "5 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:one/25: 0:1,0,1/25:/0:two/25: 0:2,0,2/25:/0:three/25: 0:1,0,3/25:/0:two/25: 0:0,1,0/25:/0:one/25: 25:-7,-7,-7/25:/25:/25: 1 25:-7,-7,-7/25:/25:/25: 0:2,1,0/25:/0:three/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:one/25: 0:1,1,0/25:/0:two/25: 0:0,1,1/25:/0:one/25: 25:-7,-7,-7/25:/25:/25:");
  ANSWERS(db, "SELECT tell(t, 'instances') FROM t(fts5_insttoken('t*'))",
    "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:0,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:0,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 1 25:-7,-7,-7/25:/25:/25: 0:0,1,0/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:");
  ANSWERS(db, "SELECT tell(t, 'instances') FROM t WHERE a MATCH 'one' AND b MATCH 'two'",
    "2 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:one/25: 0:1,1,0/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:");
  ANSWERS(db, "SELECT tell(t, 'instances') FROM t WHERE rowid = 1",
    "0 25:-7,-7,-7/25:/25:/25: 25:-7,-7,-7/25:/25:/25:");
  ANSWERS(db, "SELECT tell(t, 'tokenize', 'Red, green') FROM t('three')",
    " red/0-3/0 green/5-10/0 | 0  red/0-3/0 green/5-10/0 | 0");
  ANSWERS(db, "SELECT tell(t, 'tokenize', 'Red, green blue', 2) FROM t('three')",
    " red/0-3/0 green/5-10/0 | 0  red/0-3/0 green/5-10/0 | 0");
  ANSWERS(db, "SELECT tell(t, 'tokenize', 'Red', 0, 'en') FROM t WHERE rowid = 1", " red/0-3/0 | 0 red/0-3/0 | 0");
  ANSWERS(db, "SELECT tell(t, 'rows', 0) FROM t('one AND two')",
    " row 1:2:1 row 9:2:1 | 0  row 1:2:1 row 9:2:1 | 0");
  ANSWERS(db, "SELECT tell(t, 'rows', 1, 2) FROM t('one AND two')",
    " row 1:2:1 row 2:2:1 | 0  row 1:2:1 row 2:2:1 | 0");
  ANSWERS(db, "SELECT tell(t, 'rows', 2), tell(t, 'rows', -1) FROM t('one AND two') LIMIT 1", " | 25| | 25");
  ANSWERS(db, "SELECT tell(t, 'auxdata') FROM t('two')", "1 2 3");
  ANSWERS(db, "SELECT tell(t, 'auxdata', 'clear') FROM t('two')", "1 2 1");
  ANSWERS(db, "SELECT tell(t, 'auxdata'), rowid_of(t), rowid_of(t, 100) FROM t",
    "1|-1|99 2|-2|98 3|-5|95 4|-9|91");
  ANSWERS(db, "SELECT tell(t, 'error') FROM t('two')", "error 1: an error of its own");
  ANSWERS(db, "SELECT tell(t, 'code') FROM t('two')", "error 13: database or disk is full");
  ANSWERS(db, "SELECT tell(t, 'nothing') FROM t('one two')", "NULL NULL");
  ANSWERS(db, "SELECT tell('t', 'nothing') FROM t('one two')",
    "error 1: unable to use function tell in the requested context");
  ANSWERS(db, "SELECT tell(1, 2)", "error 1: unable to use function tell in the requested context");
  ANSWERS(db, "SELECT tell()", "error 1: unable to use function tell in the requested context");
  ANSWERS(db, "SELECT rowid, rank FROM t('two') WHERE rank MATCH 'rowid_of(7)' ORDER BY rank", "9|-2 2|5 1|6");
  ANSWERS(db, "INSERT INTO t(t, rank) VALUES('rank', 'rowid_of()'); SELECT rowid FROM t('two') ORDER BY rank",
    "9 2 1");
  ANSWERS(db, "INSERT INTO t(t, rank) VALUES('rank', 'nobody()'); SELECT rowid FROM t('two') ORDER BY rank",
    "error 1: no such function: nobody");

  ANSWERS(db, "CREATE VIRTUAL TABLE u USING fts5(x, y UNINDEXED, z, columnsize=0, content=''); INSERT INTO u(rowid, x, y, z) VALUES(1, 'a a', 'b', 'c');"
    "SELECT tell(u, 'counts') FROM u('a')",
    "rows 0 1, columns 3, phrases 1, totals 0:3 0:3 0:2 0:0 0:1 25:0, sizes 0:-2 0:-2 0:-1 0:0 0:-1 25:0");
  /* More is deleted than there is: no rows, on one of them. */
  ANSWERS(db, "CREATE VIRTUAL TABLE n USING fts5(a, content=''); INSERT INTO n(rowid, a) VALUES(1, 'one one one'), (2, 'two two two');"
    "INSERT INTO n(n, rowid, a) VALUES('delete', 1, 'one'), ('delete', 1, 'one');"
    "SELECT tell(n, 'counts') FROM n('two')",
    "rows 267 0, columns 1, phrases 1, totals 0:4 0:4 0:4 25:0 25:0 25:0, sizes 0:3 0:3 0:3 25:0 25:0 25:0");
  ANSWERS(db, "SELECT bm25(n) FROM n('two')", "error 267: database disk image is malformed");

  static const char *const OPTIONS[] = { "detail=column", "detail=none", "content=''", "content='', columnsize=0", "columnsize=0", "detail=column, content=''" };
  for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
    char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS d; CREATE VIRTUAL TABLE d USING fts5(a, b, %s);"
      "INSERT INTO d(rowid, a, b) VALUES(1, 'one two three two', 'one'), (2, 'two', 'Three two')", OPTIONS[i]);
    CHECK(sqlite3_exec(db, sql, 0, 0, 0) == SQLITE_OK);
    sqlite3_free(sql);
    static const char *const EXPECTED[][5] = {
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0",
        "25:-7 locale 25:0: 0:17:one two three two locale 0:0: 0:3:one locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:3:two locale 0:0: 0:9:Three two locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:1,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:1,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:" },
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0",
        "25:-7 locale 25:0: 0:17:one two three two locale 0:0: 0:3:one locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:3:two locale 0:0: 0:9:Three two locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:1,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:1,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:" },
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0",
        "25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:1,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:1,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:" },
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:-2 0:-2 0:-1 0:-1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:-2 0:-2 0:-1 0:-1 25:0 25:0",
        "25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:1,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:1,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:" },
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0",
        "25:-7 locale 25:0: 0:17:one two three two locale 0:0: 0:3:one locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:3:two locale 0:0: 0:9:Three two locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.1 0.3 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 0.2 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 0.0 1.1 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 1.0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "3 25:-7,-7,-7/25:/25:/25: 0:0,0,1/25:/0:two/25: 0:1,0,2/25:/0:three/25: 0:0,0,3/25:/0:two/25: 25:-7,-7,-7/25:/25:/25: 3 25:-7,-7,-7/25:/25:/25: 0:0,0,0/25:/0:two/25: 0:1,1,0/25:/0:three/25: 0:0,1,1/25:/0:two/25: 25:-7,-7,-7/25:/25:/25:" },
      { "rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:5 0:5 0:4 0:1 25:0 25:0 rows 0 2, columns 2, phrases 2, totals 0:8 0:8 0:5 0:3 25:0 25:0, sizes 0:3 0:3 0:1 0:2 25:0 25:0",
        "25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0: 25:-7 locale 25:0: 0:0: locale 0:0: 0:0: locale 0:0: 25:-7 locale 25:0:",
        "size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 end -1.-1 column 0 0 size 1 25: 0:thr 25: first 0 end -1.-1 column 0 0 size 0 25: 25: first 25 column 25 size 0 25: 25: first 25 column 25 size 1 25: 0:two 25: first 0 end -1.-1 column 0 0 1 size 1 25: 0:thr 25: first 0 end -1.-1 column 0 1 size 0 25: 25: first 25 column 25",
        "0 25:-7,-7,-7/25:/25:/25: 25:-7,-7,-7/25:/25:/25: 0 25:-7,-7,-7/25:/25:/25: 25:-7,-7,-7/25:/25:/25:" }
    };
    static const char *const QUESTIONS[] = { "counts", "columns", "phrases", "instances" };
    for (size_t j = 0; j < 4; j++) {
      char *ask = sqlite3_mprintf("SELECT tell(d, '%s') FROM d('two OR thr*')", QUESTIONS[j]);
      answers(__LINE__, OPTIONS[i], db, ask, EXPECTED[i][j]);
      sqlite3_free(ask);
    }
  }
}

int main(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  fts5_api *api = api_of(db);
  CHECK(api != NULL && api->iVersion == 3 && api == api_of(db));
  ANSWERS(db, "SELECT fts5(1), fts5(NULL)", "NULL|NULL");
  tokenizers(db, api);
  functions(db, api);
  arguments_and_results(db, api);
  /* The older one of a name goes with the connection, or is kept while something uses it. */
  CHECK(destroyed == 0);
  CHECK(api->xCreateFunction(api, "tell", &destroyed, rowid_of, destroy) == SQLITE_OK);
  ANSWERS(db, "SELECT tell(t) FROM t('three')", "-1 -2");
  int before = destroyed;
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(made == deleted);
  CHECK(before == 0 && destroyed == 5);
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
