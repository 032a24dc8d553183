/*
** Opens what the lines of standard input name and prints the answers: the codes, the message, what is known of the file, what its
** URI says, and whether it can be written and read. A line is the flags in hexadecimal, the VFS or `-`, and the name; the name `(null)` is
** the null pointer. The files lie in a folder of their own, with links, folders and what is no database among them.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sqlite3.h"

static const char *last_part(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash : path ? path : "NULL";
}

static void write_file(const char *name, const char *bytes, int n) {
  FILE *file = fopen(name, "w");
  fwrite(bytes, 1, n, file);
  fclose(file);
}

static void make_places(void) {
  sqlite3 *db;
  sqlite3_open("a.db", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL);
  sqlite3_close(db);
  mkdir("d", 0755);
  symlink("d", "ld");
  symlink("a.db", "link.db");
  symlink("missing.db", "lost.db");
  char junk[4000];
  for (int i = 0; i < (int)sizeof junk; i++) junk[i] = i % 251;
  write_file("junk.db", junk, sizeof junk);
  write_file("short.db", "hi", 2);
  write_file("header.db", "SQLite format 3", 16);
}

static int print_row(void *arg, int n, char **values, char **names) {
  (void)arg;
  for (int i = 0; i < n; i++) printf("  %s=%s\n", names[i], values[i] ? values[i] : "NULL");
  return 0;
}

static void try_statements(sqlite3 *db) {
  const char *statements[] = {
      "PRAGMA synchronous = OFF", "CREATE TABLE IF NOT EXISTS t(a)", "INSERT INTO t VALUES(1)",    "SELECT count(*) > 0 FROM t", "PRAGMA journal_mode",
      "PRAGMA query_only",               "PRAGMA locking_mode",        "DELETE FROM t",
  };
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    int code = sqlite3_exec(db, statements[i], print_row, NULL, NULL);
    if (code) printf("  %s: %d %s\n", statements[i], code, sqlite3_errmsg(db));
  }
}

static void print_uri(const char *file) {
  const char *a = sqlite3_uri_parameter(file, "a"), *b = sqlite3_uri_parameter(file, "b");
  const char *key = sqlite3_uri_key(file, 0);
  printf("  a=%s b=%s key %s, %d %d %lld, %s %s %s\n", a ? a : "NULL", b ? b : "NULL", key ? key : "NULL",
         sqlite3_uri_boolean(file, "a", 0), sqlite3_uri_boolean(file, "a", 1), sqlite3_uri_int64(file, "a", -5),
         last_part(sqlite3_filename_database(file)), last_part(sqlite3_filename_journal(file)), last_part(sqlite3_filename_wal(file)));
}

static void try_open(const char *name, int flags, const char *vfs) {
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2(name, &db, flags, vfs);
  const char *file = db && !code ? sqlite3_db_filename(db, "main") : NULL;
  printf("%x %s %s: %d, %d %s\n", flags, vfs ? vfs : "-", name ? name : "(null)", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  if (!code) {
    printf("  readonly %d, %s\n", sqlite3_db_readonly(db, "main"), last_part(file));
    try_statements(db);
    if (file && *file) print_uri(file);
  }
  sqlite3_close(db);
}

int main(void) {
  static char line[4096];
  char folder[] = "/tmp/opening-XXXXXX";
  /* The folder above is the program's own, too. */
  if (!mkdtemp(folder) || chdir(folder) || mkdir("inside", 0755) || chdir("inside")) return 1;
  make_places();
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char *vfs = strchr(line, ' '), *name = strchr(vfs + 1, ' ');
    *vfs++ = *name++ = 0;
    try_open(strcmp(name, "(null)") ? name : NULL, (int)strtoul(line, NULL, 16), strcmp(vfs, "-") ? vfs : NULL);
    unlink("new.db");
    unlink("missing.db");
    unlink("d/x.db");
  }
  char command[200];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}
