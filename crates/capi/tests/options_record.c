/*
** What SQLite has where it is built with options: snapshots and normalized SQL. Plays the lines of standard input on three
** connections to one database, and prints what they answer:
**
**   A SQL            runs SQL on connection A (or B, C)
**   A .get 3         records the state that A reads as snapshot 3
**   A .open 3        reads snapshot 3
**   A .recover       finds the snapshots of a log that was left behind
**   A .again         closes the connection, its log left behind, and opens it again
**   A .checkpoint 3  a checkpoint of that mode; how many frames there are is each library's affair
**   A .compare 1 2   which of two snapshots is older, where the salts say that one's log came out of the other's
**   A .normalize SQL the normalized text
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

#define SNAPSHOTS 10

static char folder[] = "/tmp/lithe-options-XXXXXX";
static char path[100];
static sqlite3 *connections[3];
static sqlite3_snapshot *snapshots[SNAPSHOTS];

static int on_row(void *arg, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : " ", values[i] ? values[i] : "NULL");
  return 0;
}

static void open_one(int at) {
  sqlite3_open(path, &connections[at]);
  sqlite3_exec(connections[at], "PRAGMA journal_mode", 0, 0, 0);
  sqlite3_wal_autocheckpoint(connections[at], 0);
}

static void close_one(int at) {
  int on = 1;
  sqlite3_file_control(connections[at], "main", SQLITE_FCNTL_PERSIST_WAL, &on);
  sqlite3_db_config(connections[at], SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  printf(" %d", sqlite3_close(connections[at]));
}

/* The first salt of a log that began anew is that of the log before, plus one; of a log that was made by itself it is random. */
static unsigned first_salt(const sqlite3_snapshot *snapshot) {
  const unsigned char *salt = snapshot->hidden + 32;
  return (unsigned)salt[0] << 24 | salt[1] << 16 | salt[2] << 8 | salt[3];
}

static void compare(const sqlite3_snapshot *one, const sqlite3_snapshot *other) {
  int distance = (int)(first_salt(one) - first_salt(other));
  int order = sqlite3_snapshot_cmp((sqlite3_snapshot *)one, (sqlite3_snapshot *)other);
  if (distance < -200 || distance > 200) {
    printf(" unrelated");
    return;
  }
  /* SQLite compares the salts' low bytes first, and so one time in 256 the wrong way round. */
  if (first_salt(one) / 256 != first_salt(other) / 256) order = distance;
  printf(" %d", (order > 0) - (order < 0));
}

static void normalize(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  printf(" %d", sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
  if (statement) printf(" %s", sqlite3_normalized_sql(statement));
  sqlite3_finalize(statement);
}

static void play(int at, char *line) {
  sqlite3 *db = connections[at];
  int one, other;
  if (sscanf(line, ".get %d", &one) == 1) {
    sqlite3_snapshot *taken = NULL;
    int code = sqlite3_snapshot_get(db, "main", &taken);
    if (code == SQLITE_OK) {
      sqlite3_snapshot_free(snapshots[one]);
      snapshots[one] = taken;
    }
    printf(" %d", code);
  } else if (sscanf(line, ".open %d", &one) == 1) {
    if (snapshots[one]) printf(" %d", sqlite3_snapshot_open(db, "main", snapshots[one]));
  } else if (sscanf(line, ".compare %d %d", &one, &other) == 2) {
    if (snapshots[one] && snapshots[other]) compare(snapshots[one], snapshots[other]);
  } else if (sscanf(line, ".checkpoint %d", &one) == 1) {
    printf(" %d", sqlite3_wal_checkpoint_v2(db, "main", one, NULL, NULL));
  } else if (strcmp(line, ".recover") == 0) {
    printf(" %d", sqlite3_snapshot_recover(db, "main"));
  } else if (strcmp(line, ".again") == 0) {
    close_one(at);
    open_one(at);
  } else if (strncmp(line, ".normalize ", 11) == 0) {
    normalize(db, line + 11);
  } else {
    int code = sqlite3_exec(db, line, on_row, NULL, NULL);
    if (code) printf(" %d %s", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  }
}

int main(void) {
  char line[4000];
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/test.db", folder);
  for (int at = 0; at < 3; at++) open_one(at);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] < 'A' || line[0] > 'C' || line[1] != ' ') continue;
    printf("%s:", line);
    play(line[0] - 'A', line + 2);
    printf("\n");
  }
  for (int at = 0; at < 3; at++) {
    sqlite3_exec(connections[at], "ROLLBACK", 0, 0, 0);
    sqlite3_close(connections[at]);
  }
  for (int at = 0; at < SNAPSHOTS; at++) sqlite3_snapshot_free(snapshots[at]);
  for (const char **end = (const char *[]){"", "-wal", "-shm", "-journal", NULL}; *end; end++) {
    char name[120];
    snprintf(name, sizeof name, "%s%s", path, *end);
    unlink(name);
  }
  return rmdir(folder) ? 1 : 0;
}
