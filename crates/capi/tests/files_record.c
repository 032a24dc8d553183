/*
** Databases as others have left them: files and folders that the process may not write, logs and journals that do not belong to the
** database beside them. Prints the answers of statements, and which files there are afterwards. Rights are tried by a user who has
** none, so that part needs root and is skipped for others.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sqlite3.h"

#define NOBODY 65534

static void ask(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
  printf("  %s:", sql);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); i++) printf(" %s", (const char *)sqlite3_column_text(statement, i));
      printf(";");
    }
  }
  sqlite3_finalize(statement);
  /* Whether the schema is read while a statement is compiled or when it runs decides between codes of one kind. */
  printf(" %d%s%s\n", code & 255, code == SQLITE_DONE ? "" : " ", code == SQLITE_DONE ? "" : sqlite3_errmsg(db));
}

static sqlite3 *open_db(const char *name) {
  sqlite3 *db = NULL;
  int code = sqlite3_open(name, &db);
  printf("  open %d, read only %d\n", code, sqlite3_db_readonly(db, "main"));
  return db;
}

/* Runs statements in a process of its own, as nobody or as the present user. */
static void run(int as_nobody, const char *const *statements) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (as_nobody && (setgid(NOBODY) || setuid(NOBODY))) _exit(1);
    sqlite3 *db = open_db("p.db");
    for (; *statements; statements++) ask(db, *statements);
    printf("  close %d\n", sqlite3_close(db));
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static long size_of(const char *name) {
  struct stat found;
  return stat(name, &found) ? -1 : (long)found.st_size;
}

static int version_in_header(void) {
  unsigned char header[20] = {0};
  FILE *file = fopen("p.db", "rb");
  if (file && fread(header, 1, sizeof header, file) != sizeof header) header[18] = 0;
  if (file) fclose(file);
  return header[18];
}

/* The length of the log is a matter of how many frames a commit makes. */
static void show_files(void) {
  printf("  log %d, index %d, journal %d, version %d\n", size_of("p.db-wal") >= 0, size_of("p.db-shm") >= 0,
    size_of("p.db-journal") >= 0, version_in_header());
}

static void clean(void) {
  static const char *const names[] = {"p.db", "p.db-wal", "p.db-shm", "p.db-journal", "old.db", "other.db", "other.db-wal"};
  for (unsigned at = 0; at < sizeof names / sizeof *names; at++) unlink(names[at]);
}

static void copy(const char *from, const char *to) {
  static char bytes[1 << 16];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (in && out) fwrite(bytes, 1, fread(bytes, 1, sizeof bytes, in), out);
  if (in) fclose(in);
  if (out) fclose(out);
}

static void junk(const char *name) {
  FILE *file = fopen(name, "wb");
  for (int at = 0; file && at < 5000; at++) fputc('x', file);
  if (file) fclose(file);
}

static void make(int has_log) {
  const char *const statements[] = {has_log ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE", "CREATE TABLE t(a)",
    "INSERT INTO t VALUES(1)", NULL};
  run(0, statements);
}

static void rights_of_files(void) {
  static const char *const modes[] = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"};
  for (int at = 0; at < 2 * 2 * 2 * 6; at++) {
    int folder = at & 1, file = at >> 1 & 1, has_log = at >> 2 & 1;
    char mode[40];
    snprintf(mode, sizeof mode, "PRAGMA journal_mode=%s", modes[at >> 3]);
    printf("== folder %d, file %d, log %d, %s\n", folder, file, has_log, modes[at >> 3]);
    clean();
    chmod(".", 0777);
    make(has_log);
    chmod("p.db", file ? 0666 : 0444);
    chmod(".", folder ? 0777 : 0555);
    const char *const statements[] = {"SELECT * FROM t", "INSERT INTO t VALUES(2)", mode, "INSERT INTO t VALUES(3)", "SELECT * FROM t",
      "BEGIN IMMEDIATE", "CREATE TABLE x(a)", "ROLLBACK", "PRAGMA journal_mode", "VACUUM", NULL};
    run(1, statements);
    chmod(".", 0777);
    show_files();
  }
}

/* A reader without rights beside a writer that has the log open. */
static void rights_beside_a_writer(void) {
  for (int folder = 0; folder < 2; folder++) {
    printf("== beside a writer, folder %d\n", folder);
    clean();
    sqlite3 *db = open_db("p.db");
    ask(db, "PRAGMA journal_mode=WAL");
    ask(db, "CREATE TABLE t(a)");
    ask(db, "INSERT INTO t VALUES(1)");
    chmod("p.db", 0444);
    chmod("p.db-wal", 0444);
    chmod("p.db-shm", 0444);
    chmod(".", folder ? 0777 : 0555);
    const char *const statements[] = {"SELECT * FROM t", "INSERT INTO t VALUES(2)", "BEGIN IMMEDIATE", "ROLLBACK", "PRAGMA journal_mode", "SELECT * FROM t", NULL};
    run(1, statements);
    chmod(".", 0777);
    ask(db, "INSERT INTO t VALUES(2)");
    sqlite3_close(db);
    show_files();
  }
}

/* A database without a log, and another state of it with one. */
static void make_states(void) {
  clean();
  make(0);
  copy("p.db", "old.db");
  sqlite3 *db = open_db("p.db");
  ask(db, "PRAGMA journal_mode=WAL");
  ask(db, "INSERT INTO t VALUES(2)");
  copy("p.db", "other.db");
  copy("p.db-wal", "other.db-wal");
  sqlite3_close(db);
  unlink("p.db");
}

static void strays(void) {
  static const char *const reads[] = {"SELECT * FROM t", "PRAGMA journal_mode", "INSERT INTO t VALUES(9)", "SELECT * FROM t", NULL};
  static const char *const writes[] = {"INSERT INTO t VALUES(9)", "SELECT * FROM t", "PRAGMA journal_mode", "PRAGMA integrity_check", NULL};
  static const char *const enters[] = {"PRAGMA journal_mode=WAL", "INSERT INTO t VALUES(9)", "SELECT * FROM t", NULL};
  static const char *const leaves[] = {"PRAGMA journal_mode=DELETE", "INSERT INTO t VALUES(9)", "SELECT * FROM t", NULL};
  static const char *const *const all[] = {reads, writes, enters, leaves};
  for (int at = 0; at < 4 * 4 * 2; at++) {
    int log = at >> 2 & 3;
    printf("== %s, log %d, statements %d\n", at >> 4 ? "a file with a log" : "a file without a log", log, at & 3);
    make_states();
    copy(at >> 4 ? "other.db" : "old.db", "p.db");
    if (log == 1) junk("p.db-wal");
    if (log == 2) copy("other.db-wal", "p.db-wal");
    if (log == 3) fclose(fopen("p.db-wal", "wb"));
    run(0, all[at & 3]);
    show_files();
  }
  for (int at = 0; at < 4; at++) {
    printf("== a junk journal, statements %d\n", at);
    make_states();
    copy("old.db", "p.db");
    junk("p.db-journal");
    run(0, all[at]);
    show_files();
  }
}

int main(void) {
  char folder[] = "/tmp/lithe-files-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder)) return 1;
  strays();
  if (geteuid() == 0) {
    rights_of_files();
    rights_beside_a_writer();
  }
  clean();
  return chdir("/") || rmdir(folder);
}
