/*
** Two processes with two connections each share a database, and do one step after the other: statements that are stepped in part, transactions,
** checkpoints, changes of the schema and of the journal mode. Prints what each step answers. Standard input has the seed, the number of steps,
** and whether the connections of a process share a cache. The same seed makes the same steps with every library.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sqlite3.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PICK(array) ((array)[below(COUNT(array))])

enum { PROCESSES = 2, CONNECTIONS = 2, STATEMENTS = 3 };

static unsigned long long state;

static int below(int n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int)(state % (unsigned long long)n);
}

/* A process that does what it is told. */

static sqlite3 *connections[CONNECTIONS];
static sqlite3_stmt *statements[CONNECTIONS][STATEMENTS];

static void print_row(sqlite3_stmt *statement) {
  printf(" (");
  for (int i = 0; i < sqlite3_column_count(statement); i++) {
    const unsigned char *text = sqlite3_column_text(statement, i);
    printf("%s%.12s", i ? ", " : "", text ? (const char *)text : "NULL");
  }
  printf(")");
}

static void print_state(int at, int code) {
  sqlite3 *db = connections[at];
  printf(" %d", code);
  if (code != SQLITE_OK && code < SQLITE_ROW) printf(" %d '%s'", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  printf(" autocommit %d state %d changes %lld\n", sqlite3_get_autocommit(db), sqlite3_txn_state(db, "main"), (long long)sqlite3_total_changes64(db));
}

static void open_connection(int at, int is_shared) {
  if (connections[at]) {
    for (int i = 0; i < STATEMENTS; i++) { sqlite3_finalize(statements[at][i]); statements[at][i] = NULL; }
    sqlite3_close(connections[at]);
  }
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | (is_shared ? SQLITE_OPEN_SHAREDCACHE : 0);
  int code = sqlite3_open_v2("shared.db", &connections[at], flags, NULL);
  sqlite3_exec(connections[at], "PRAGMA synchronous = OFF; PRAGMA cache_spill = 0", NULL, NULL, NULL);
  print_state(at, code);
}

/* Only whether the number is another one means something. */
static void print_data_version(sqlite3 *db, int at) {
  static int last[CONNECTIONS];
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2(db, "PRAGMA data_version", -1, &statement, NULL), now = -1;
  if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) now = sqlite3_column_int(statement, 0);
  printf(" %s", now == last[at] ? "same" : "changed");
  last[at] = now;
  print_state(at, code);
  sqlite3_finalize(statement);
}

static int step_rows(sqlite3_stmt *statement, int count) {
  int code = SQLITE_OK;
  for (int i = 0; i < count; i++) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    print_row(statement);
  }
  return code;
}

static void obey(char *line) {
  int at = line[1] - '0', slot = line[2] - '0', number = 0;
  char *rest = line + 4;
  sqlite3_stmt **statement = &statements[at][slot];
  switch (line[0]) {
    case 'o': open_connection(at, line[2] == '1'); return;
    case 'e': {
      sqlite3_stmt *made = NULL;
      if (strcmp(rest, "PRAGMA data_version") == 0) { print_data_version(connections[at], at); return; }
      if (strstr(rest, "journal_mode =")) usleep(30000); /* as for checkpoints */
      int code = sqlite3_prepare_v2(connections[at], rest, -1, &made, NULL);
      if (code == SQLITE_OK) {
        code = step_rows(made, 1000);
        if (code == SQLITE_DONE) code = SQLITE_OK;
      }
      print_state(at, code);
      sqlite3_finalize(made);
      return;
    }
    case 'p': {
      sqlite3_finalize(*statement);
      *statement = NULL;
      print_state(at, sqlite3_prepare_v2(connections[at], rest, -1, statement, NULL));
      return;
    }
    case 's': {
      number = atoi(rest);
      int code = *statement ? step_rows(*statement, number) : SQLITE_OK;
      print_state(at, code);
      /* A statement that waits for a lock is under way until it is reset. */
      int stays = (code & 0xff) == SQLITE_BUSY && strchr(rest, 'w');
      if (stays) printf("busy %d, autocommit %d\n", sqlite3_stmt_busy(*statement), sqlite3_get_autocommit(connections[at]));
      if (*statement && code != SQLITE_ROW && !stays) sqlite3_reset(*statement);
      return;
    }
    case 'f': {
      int code = sqlite3_finalize(*statement);
      *statement = NULL;
      print_state(at, code);
      return;
    }
    case 'k': {
      /* Lithe keeps the lock of a reader of a log for some milliseconds. */
      int code = SQLITE_BUSY;
      for (int i = 0; i < 6 && code == SQLITE_BUSY; i++) {
        if (i) usleep(10000);
        code = sqlite3_wal_checkpoint_v2(connections[at], NULL, atoi(rest), NULL, NULL);
      }
      print_state(at, code);
      return;
    }
    default: printf("?\n");
  }
}

static int serve(int in, int out) {
  FILE *told = fdopen(in, "r");
  dup2(out, 1);
  char line[2000];
  while (fgets(line, sizeof line, told)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == 'q') break;
    obey(line);
    printf(".\n");
    fflush(stdout);
  }
  for (int at = 0; at < CONNECTIONS; at++) {
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(statements[at][i]);
    sqlite3_close(connections[at]);
  }
  _exit(0);
}

/* The process that tells them. */

static FILE *to[PROCESSES], *from[PROCESSES];
static pid_t children[PROCESSES];

static void start(int at) {
  int in[2], out[2];
  if (pipe(in) || pipe(out)) exit(4);
  fflush(stdout);
  children[at] = fork();
  if (children[at] == 0) {
    for (int i = 0; i < PROCESSES; i++) { if (to[i]) close(fileno(to[i])); if (from[i]) close(fileno(from[i])); }
    close(in[1]);
    close(out[0]);
    serve(in[0], out[1]);
  }
  close(in[0]);
  close(out[1]);
  to[at] = fdopen(in[1], "w");
  from[at] = fdopen(out[0], "r");
}

static void end(int at) {
  fprintf(to[at], "q\n");
  fclose(to[at]);
  fclose(from[at]);
  waitpid(children[at], NULL, 0);
  to[at] = from[at] = NULL;
}

static void tell(int process, const char *line) {
  printf("%d %s\n", process, line);
  fprintf(to[process], "%s\n", line);
  fflush(to[process]);
  char answer[4000];
  for (;;) {
    if (!fgets(answer, sizeof answer, from[process])) { printf("the process has ended\n"); exit(5); }
    if (strcmp(answer, ".\n") == 0) return;
    fputs(answer, stdout);
  }
}

static int may_change_mode, reads_uncommitted, changes_schema;

static const char *random_write(void) {
  static char sql[400];
  int a = below(60), b = below(30);
  switch (below(9)) {
    case 0: sprintf(sql, "INSERT INTO t(b) VALUES (%d)", b); break;
    case 1: sprintf(sql, "INSERT OR REPLACE INTO t VALUES (%d, %d)", a, b); break;
    case 2: sprintf(sql, "UPDATE t SET b = b + 1 WHERE a %% 7 = %d", a % 7); break;
    case 3: sprintf(sql, "DELETE FROM t WHERE a = %d", a); break;
    case 4: sprintf(sql, "INSERT OR IGNORE INTO u VALUES (%d, %d)", a, b); break;
    case 5: sprintf(sql, "DELETE FROM u WHERE b > %d", b); break;
    case 6: sprintf(sql, "INSERT INTO u SELECT a, b + %d FROM t WHERE a < %d", a * 100, b); break;
    case 7: sprintf(sql, "UPDATE u SET b = -b WHERE a = %d RETURNING a, b", a); break;
    default: sprintf(sql, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d) INSERT INTO t(b) SELECT i FROM n", 1 + b); break;
  }
  return sql;
}

static const char *random_read(void) {
  static char sql[400];
  int a = below(60);
  switch (below(7)) {
    case 0: return "SELECT a, b FROM t";
    case 1: sprintf(sql, "SELECT a, b FROM t WHERE b > %d ORDER BY b, a", a % 20); break;
    case 2: return "SELECT count(*), sum(a), sum(b) FROM t";
    case 3: return "SELECT a, b FROM u ORDER BY b DESC";
    case 4: return "SELECT count(*), max(b) FROM u";
    case 5: sprintf(sql, "SELECT t.a, u.b FROM t JOIN u ON u.a = t.a WHERE t.a > %d", a); break;
    default: return "SELECT name FROM sqlite_schema ORDER BY 1";
  }
  return sql;
}

static const char *random_transaction(void) {
  static const char *const all[] = {"BEGIN", "BEGIN", "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK",
    "ROLLBACK", "SAVEPOINT p", "RELEASE p", "ROLLBACK TO p"};
  return PICK(all);
}

static const char *random_other(void) {
  static const char *const schema[] = {"CREATE TABLE n(a)", "DROP TABLE n", "CREATE INDEX i ON t(b)", "DROP INDEX i", "CREATE TEMP TABLE k(a)"};
  static const char *const modes[] = {"PRAGMA journal_mode = wal", "PRAGMA journal_mode = delete", "PRAGMA journal_mode = persist", "PRAGMA journal_mode = truncate"};
  static const char *const plain[] = {"PRAGMA journal_mode", "PRAGMA user_version", "PRAGMA user_version = 3", "PRAGMA data_version", "PRAGMA schema_version", "PRAGMA integrity_check",
    "SELECT changes()", "PRAGMA quick_check"};
  switch (below(6)) {
    case 0: if (changes_schema) return PICK(schema); break;
    case 1: if (may_change_mode) return PICK(modes); break;
    case 2: if (reads_uncommitted) return below(2) ? "PRAGMA read_uncommitted = 1" : "PRAGMA read_uncommitted = 0"; break;
    default: break;
  }
  return PICK(plain);
}

static void step(int is_shared) {
  char line[1000];
  int process = below(PROCESSES), at = below(CONNECTIONS), slot = below(STATEMENTS);
  int what = below(100);
  if (what < 22) sprintf(line, "e%d  %s", at, random_write());
  else if (what < 42) sprintf(line, "e%d  %s", at, random_transaction());
  else if (what < 48) sprintf(line, "e%d  %s", at, random_other());
  else if (what < 54) sprintf(line, "e%d  %s", at, random_read());
  else if (what < 68) sprintf(line, "p%d%d %s", at, slot, below(8) ? random_read() : random_write());
  else if (what < 88) sprintf(line, "s%d%d %d%s", at, slot, PICK(((const int[]){1, 1, 2, 3, 10, 100})), below(2) ? " w" : "");
  else if (what < 93) sprintf(line, "f%d%d ", at, slot);
  else if (what < 98) sprintf(line, "k%d  %d", at, below(4));
  else sprintf(line, "o%d%d", at, is_shared);
  tell(process, line);
}

/* The steps of a file: a process and what it is told, as they are printed. */
static void play(const char *name) {
  FILE *script = fopen(name, "r");
  char line[2000];
  while (script && fgets(line, sizeof line, script)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '0' || line[0] == '1') tell(line[0] - '0', line + 2);
  }
  if (script) fclose(script);
}

static void begin(int is_shared) {
  char line[200];
  const char *mode = PICK(((const char *const[]){"wal", "wal", "wal", "delete", "persist", "truncate"}));
  for (int process = 0; process < PROCESSES; process++) {
    for (int at = 0; at < CONNECTIONS; at++) {
      sprintf(line, "o%d%d", at, is_shared);
      tell(process, line);
      if (process == 0 && at == 0) {
        tell(0, "e0  PRAGMA page_size = 512");
        sprintf(line, "e0  PRAGMA journal_mode = %s", mode);
        tell(0, line);
        tell(0, "e0  CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
        tell(0, "e0  CREATE TABLE u(a, b UNIQUE)");
        tell(0, "e0  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 150) INSERT INTO t SELECT i, i % 20 FROM n");
        tell(0, "e0  INSERT INTO u SELECT a, a FROM t WHERE a < 30");
      }
    }
  }
}

int main(int argc, char **argv) {
  int count = 0, is_shared = 0;
  char *script = argc > 1 ? realpath(argv[1], NULL) : NULL;
  if (!script && scanf("%llu %d %d", &state, &count, &is_shared) != 3) return 2;
  state = state * 2654435761u + 88172645463325252ull;
  below(9);
  char folder[] = "/tmp/lithe-processes-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 3;
  may_change_mode = below(6) == 0;
  changes_schema = below(3) == 0;
  reads_uncommitted = is_shared;
  for (int i = 0; i < PROCESSES; i++) start(i);
  if (script) play(script); else begin(is_shared);
  for (int i = 0; i < count; i++) step(is_shared);
  for (int i = 0; i < PROCESSES; i++) end(i);
  start(0);
  tell(0, "o00");
  tell(0, "e0  PRAGMA integrity_check");
  tell(0, "e0  SELECT a, b FROM t");
  tell(0, "e0  SELECT a, b FROM u");
  end(0);
  const char *files[] = {"shared.db", "shared.db-journal", "shared.db-wal", "shared.db-shm"};
  for (int i = 0; i < COUNT(files); i++) remove(files[i]);
  return rmdir(folder) != 0;
}
