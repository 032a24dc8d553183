/*
** R-Tree geometries in C: both kinds of callbacks, what they are told, what their answers do, and what is freed.
**
** Prints what is wrong and ends with 1, or "ok". It runs on SQLite's own library as well, built with SQLITE_ENABLE_RTREE.
*/
#include "check.h"

static int calls, freed_users, freed_contexts;

static void free_user(void *user) { freed_users++; sqlite3_free(user); }
static void free_context(void *context) { (void)context; freed_contexts++; }

/* Boxes that touch the window x in [a, b]. */
static int touches(sqlite3_rtree_geometry *geometry, int n, sqlite3_rtree_dbl *at, int *result) {
  calls++;
  CHECK(n == 4 && geometry->pContext == (void*)&calls);
  if (geometry->nParam != 2) return SQLITE_BUSY;
  if (geometry->pUser == NULL) {
    geometry->pUser = sqlite3_malloc(8);
    geometry->xDelUser = free_user;
  }
  *result = at[1] >= geometry->aParam[0] && at[0] <= geometry->aParam[1];
  return SQLITE_OK;
}

/* Everything, the highest rowid first; what lies within x <= limit is found without another look. */
static int downwards(sqlite3_rtree_query_info *info) {
  calls++;
  CHECK(info->nCoord == 4 && info->mxLevel >= 1 && info->iLevel < info->mxLevel);
  CHECK(info->nParam == 2 && sqlite3_value_type(info->apSqlParam[1]) == SQLITE_TEXT);
  CHECK(info->eParentWithin == PARTLY_WITHIN || info->eParentWithin == FULLY_WITHIN);
  CHECK(info->eWithin == info->eParentWithin && info->rScore == info->rParentScore);
  CHECK(info->anQueue[info->mxLevel] <= 1);
  if (strcmp((const char*)sqlite3_value_text(info->apSqlParam[1]), "text") != 0) return SQLITE_INTERRUPT;
  info->eWithin = info->aCoord[0] > info->aParam[0] ? NOT_WITHIN : PARTLY_WITHIN;
  info->rScore = info->iLevel > 0 ? 1.0 : 1000.0 - (double)info->iRowid;
  return SQLITE_OK;
}

/* Some scores are equal, so that the order is that of a heap. */
static int in_classes(sqlite3_rtree_query_info *info) {
  info->eWithin = PARTLY_WITHIN;
  info->rScore = info->iLevel > 0 ? -1.0 : (double)(info->iRowid % 3);
  return SQLITE_OK;
}

int main(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_rtree_geometry_callback(db, "touches", touches, &calls) == SQLITE_OK);
  CHECK(sqlite3_rtree_query_callback(db, "downwards", downwards, &calls, free_context) == SQLITE_OK);
  CHECK(sqlite3_exec(db,
    "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1, +note);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
    "  INSERT INTO r SELECT i, i, i + 0.5, i % 7, i % 7 + 1, 'note ' || i FROM n;", 0, 0, 0) == SQLITE_OK);

  ANSWERS(db, "SELECT id FROM r WHERE id MATCH touches(10, 12) ORDER BY id", "10 11 12");
  ANSWERS(db, "SELECT note FROM r WHERE id MATCH touches('10', 11.2) AND y0 > 3.5 ORDER BY id", "note 11");
  ANSWERS(db, "SELECT count(*) FROM r WHERE id MATCH touches(1, 100) AND id MATCH touches(99, 300)", "2");
  CHECK(calls > 0 && freed_users == 4);
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH touches(10)", "error 5: database is locked");
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH 5", "error 1: SQL logic error");
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH NULL", "error 1: SQL logic error");
  ANSWERS(db, "SELECT touches(1, 2) IS NULL", "1");

  ANSWERS(db, "SELECT id FROM r WHERE id MATCH downwards(5, 'text')", "5 4 3 2 1");
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH downwards(5, 'text') AND id MATCH touches(2, 3)", "2 3");
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH downwards(5, 'other')", "error 9: interrupted");
  ANSWERS(db, "SELECT id FROM r, (SELECT 3 AS limit_ UNION ALL SELECT 1) WHERE id MATCH downwards(limit_, 'text')", "3 2 1 1");

  CHECK(sqlite3_rtree_query_callback(db, "in_classes", in_classes, NULL, NULL) == SQLITE_OK);
  ANSWERS(db, "SELECT id FROM r WHERE id MATCH in_classes() AND x0 < 20", "3 6 9 12 15 18 1 10 4 13 19 16 7 5 11 14 2 8 17");

  CHECK(freed_contexts == 0);
  CHECK(sqlite3_rtree_query_callback(db, "downwards", downwards, &calls, free_context) == SQLITE_OK);
  CHECK(freed_contexts == 1);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  CHECK(freed_contexts == 2);
  if (failures == 0) printf("ok\n");
  return failures != 0;
}
