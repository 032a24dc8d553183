/*
** Plays a script of SQL and session commands from standard input, one a line, on three databases, and prints all that the
** library answers: changesets byte by byte, conflicts, rows.
**
**   .db N                 the database that the following lines are about
**   .session [rowid]      records all its tables; .end forgets the session
**   .enable N .indirect N
**   .changeset X          writes the changeset of the session to slot X; .patchset X likewise
**   .diff TABLE           records what differs from TABLE of the database `other`
**   .invert X Y           slot Y becomes what undoes slot X
**   .concat X Y Z         slot Z becomes X and Y
**   .show X FLAGS         iterates over slot X; .read X FLAGS says nothing of what stands behind an error
**   .apply X POLICY FLAGS applies slot X; POLICY has an answer for each kind of conflict; what rebasing needs goes to slot 9
**   .rebase X Y           slot Y becomes X, rebased by slot 9
**   .damage X AT BYTE     changes a byte of slot X
**   .bytes X HEX          slot X becomes these bytes
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *dbs[3], *db;
static sqlite3_session *session;
static struct { int n; void *bytes; } slots[10];

static void print_value(sqlite3_value *value) {
  if (!value) { printf(" -"); return; }
  int n = sqlite3_value_bytes(value);
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: printf(" %lld", sqlite3_value_int64(value)); break;
    case SQLITE_FLOAT: printf(" r%.17g", sqlite3_value_double(value)); break;
    case SQLITE_TEXT: printf(" '%.*s'", n, (const char *)sqlite3_value_text(value)); break;
    case SQLITE_BLOB: printf(" x#%d", n); break;
    default: printf(" NULL");
  }
}

static void print_change(sqlite3_changeset_iter *it, int with_conflict) {
  const char *table = NULL;
  unsigned char *key = NULL;
  int n = 0, op = 0, indirect = 0, keys = 0;
  int code = sqlite3changeset_op(it, &table, &n, &op, &indirect);
  if (code != SQLITE_OK) { printf(" op %d\n", code); return; }
  sqlite3changeset_pk(it, &key, &keys);
  printf(" %s %d %d key", table ? table : "no table", op, indirect);
  for (int i = 0; i < keys; i++) printf("%d", key[i]);
  for (int which = 0; which < 2 + with_conflict; which++) {
    printf(" %s:", which == 0 ? "old" : which == 1 ? "new" : "conflict");
    for (int i = -1; i <= n; i++) {
      sqlite3_value *value = NULL;
      code = which == 0 ? sqlite3changeset_old(it, i, &value)
           : which == 1 ? sqlite3changeset_new(it, i, &value) : sqlite3changeset_conflict(it, i, &value);
      if (code != SQLITE_OK) printf(" e%d", code); else print_value(value);
    }
  }
  printf("\n");
}

static int on_conflict(void *arg, int kind, sqlite3_changeset_iter *it) {
  const char *policy = arg;
  int answer = policy[kind - 1] - '0', n = -1;
  printf("  conflict %d ->%d", kind, answer);
  if (kind == SQLITE_CHANGESET_FOREIGN_KEY) {
    int code = sqlite3changeset_fk_conflicts(it, &n);
    printf(" fk %d %d\n", code, n);
  } else {
    printf(" fk %d", sqlite3changeset_fk_conflicts(it, &n));
    print_change(it, 1);
  }
  return answer;
}

static int on_row(void *arg, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "  row ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void keep(int slot, int code, int n, void *bytes) {
  printf("  code %d size %d\n", code, n);
  if (bytes || code == SQLITE_OK) {
    sqlite3_free(slots[slot].bytes);
    slots[slot].n = n;
    slots[slot].bytes = bytes;
  }
  printf("  ");
  for (int i = 0; i < n && i < 4000; i++) printf("%02x", ((unsigned char *)bytes)[i]);
  printf("\n");
}

static void show(int slot, int flags, int behind_error) {
  sqlite3_changeset_iter *it = NULL;
  int code = sqlite3changeset_start_v2(&it, slots[slot].n, slots[slot].bytes, flags);
  if (code != SQLITE_OK) { printf("  start %d\n", code); return; }
  /* What is told of a change before the first one, and behind the last one or what is damaged. */
  print_change(it, 0);
  while ((code = sqlite3changeset_next(it)) == SQLITE_ROW) { printf(" "); print_change(it, 0); }
  if (code == SQLITE_DONE || behind_error) print_change(it, 0);
  printf("  end %d", code);
  printf(" finalize %d\n", sqlite3changeset_finalize(it));
}

static void command(char *line) {
  char name[20] = "", arg[100] = "";
  int x = 0, y = 0, z = 0, n = 0, code;
  void *bytes = NULL;
  sscanf(line, "%19s %99s", name, arg);
  x = atoi(arg) % 10;
  if (!strcmp(name, ".db")) {
    db = dbs[x % 3];
  } else if (!strcmp(name, ".session")) {
    code = sqlite3session_create(db, "main", &session);
    if (arg[0]) { int on = 1; printf("  config %d\n", sqlite3session_object_config(session, SQLITE_SESSION_OBJCONFIG_ROWID, &on)); }
    printf("  create %d attach %d\n", code, sqlite3session_attach(session, NULL));
  } else if (!strcmp(name, ".end")) {
    sqlite3session_delete(session);
    session = NULL;
  } else if (!strcmp(name, ".enable")) {
    printf("  %d\n", sqlite3session_enable(session, atoi(arg)));
  } else if (!strcmp(name, ".indirect")) {
    printf("  %d\n", sqlite3session_indirect(session, atoi(arg)));
  } else if (!strcmp(name, ".changeset") || !strcmp(name, ".patchset")) {
    code = name[1] == 'c' ? sqlite3session_changeset(session, &n, &bytes) : sqlite3session_patchset(session, &n, &bytes);
    printf("  empty %d\n", sqlite3session_isempty(session));
    keep(x, code, n, bytes);
  } else if (!strcmp(name, ".diff")) {
    char *message = NULL;
    code = sqlite3session_diff(session, "other", arg, &message);
    printf("  diff %d %s\n", code, message ? message : "");
    sqlite3_free(message);
  } else if (!strcmp(name, ".invert")) {
    sscanf(line, "%*s %d %d", &x, &y);
    code = sqlite3changeset_invert(slots[x].n, slots[x].bytes, &n, &bytes);
    keep(y, code, n, bytes);
  } else if (!strcmp(name, ".concat")) {
    sscanf(line, "%*s %d %d %d", &x, &y, &z);
    code = sqlite3changeset_concat(slots[x].n, slots[x].bytes, slots[y].n, slots[y].bytes, &n, &bytes);
    keep(z, code, n, bytes);
  } else if (!strcmp(name, ".show") || !strcmp(name, ".read")) {
    sscanf(line, "%*s %d %d", &x, &y);
    show(x, y, name[1] == 's');
  } else if (!strcmp(name, ".apply")) {
    char policy[10] = "00000";
    sscanf(line, "%*s %d %9s %d", &x, policy, &y);
    code = sqlite3changeset_apply_v2(db, slots[x].n, slots[x].bytes, NULL, on_conflict, policy, &bytes, &n, y);
    printf("  apply\n");
    keep(9, code, n, bytes);
  } else if (!strcmp(name, ".rebase")) {
    sqlite3_rebaser *rebaser = NULL;
    sscanf(line, "%*s %d %d", &x, &y);
    sqlite3rebaser_create(&rebaser);
    printf("  configure %d\n", sqlite3rebaser_configure(rebaser, slots[9].n, slots[9].bytes));
    code = sqlite3rebaser_rebase(rebaser, slots[x].n, slots[x].bytes, &n, &bytes);
    sqlite3rebaser_delete(rebaser);
    keep(y, code, n, bytes);
  } else if (!strcmp(name, ".bytes")) {
    const char *digits = strrchr(line, ' ') + 1;
    unsigned char *made = sqlite3_malloc((int)strlen(digits) / 2 + 1);
    for (; sscanf(digits + 2 * n, "%2x", &y) == 1; n++) made[n] = (unsigned char)y;
    sqlite3_free(slots[x].bytes);
    slots[x].bytes = made;
    slots[x].n = n;
  } else if (!strcmp(name, ".damage")) {
    sscanf(line, "%*s %d %d %d", &x, &y, &z);
    if (slots[x].n) ((unsigned char *)slots[x].bytes)[y % slots[x].n] = (unsigned char)z;
  }
}

int main(void) {
  static char line[65536];
  for (int i = 0; i < 3; i++) sqlite3_open(":memory:", &dbs[i]);
  db = dbs[0];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (!line[0]) continue;
    printf("> %s\n", line);
    if (line[0] == '.') {
      command(line);
    } else {
      char *message = NULL;
      int code = sqlite3_exec(db, line, on_row, NULL, &message);
      if (code != SQLITE_OK) printf("  error %d %s\n", code, message);
      sqlite3_free(message);
    }
  }
  if (session) sqlite3session_delete(session);
  for (int i = 0; i < 10; i++) sqlite3_free(slots[i].bytes);
  for (int i = 0; i < 3; i++) sqlite3_close(dbs[i]);
  return 0;
}
