/* An extension that is loaded at run time: it reaches the library only through the table it is given. */
#include "sqlite3.h"


static int (*create_function)(sqlite3*, const char*, int, int, void*, void (*)(sqlite3_context*, int, sqlite3_value**),
                              void (*)(sqlite3_context*, int, sqlite3_value**), void (*)(sqlite3_context*));
static sqlite3_int64 (*value_int64)(sqlite3_value*);
static void (*result_int64)(sqlite3_context*, sqlite3_int64);

static void twice(sqlite3_context *context, int n, sqlite3_value **values) {
  (void)n;
  result_int64(context, 2 * value_int64(values[0]));
}

int sqlite3_extension_init(sqlite3 *db, char **message, const void *const *routines) {
  (void)message;
  /* The places of these functions in sqlite3_api_routines. */
  create_function = (int (*)(sqlite3*, const char*, int, int, void*, void (*)(sqlite3_context*, int, sqlite3_value**),
                             void (*)(sqlite3_context*, int, sqlite3_value**), void (*)(sqlite3_context*)))routines[CREATE_FUNCTION];
  value_int64 = (sqlite3_int64 (*)(sqlite3_value*))routines[VALUE_INT64];
  result_int64 = (void (*)(sqlite3_context*, sqlite3_int64))routines[RESULT_INT64];
  return create_function(db, "twice", 1, SQLITE_UTF8, 0, twice, 0, 0);
}
