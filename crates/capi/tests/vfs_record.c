/*
** Records what a library asks of a VFS that the application has made: kind, order, offset and size of every call.
**
** Usage: vfs_record shim|memory [scenario]
**
** "shim" passes each call on to the default VFS; "memory" keeps files and shared memory in memory of its own. Two
** libraries that ask for the same print the same. Scripts are lists of lines: "a SQL" runs SQL on connection a, "open a",
** "close a", "step a SQL" leaves a statement on its first row, "end a" finalizes it, "snap" notes the content of all
** files, "snapat xDelete" does so just before the next file is deleted, "crash" closes everything and puts that content back,
** "fault CALL CODE" lets the next such call fail, "sector N" gives the device sectors of N bytes, which a write harms as a whole.
*/
#include "sqlite3.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- A VFS in memory ---- */

enum { SHM_SLOTS = 8, SHM_REGIONS = 64, REGION_BYTES = 32768, FILES = 64 };

typedef struct Content {
  char name[256];
  unsigned char *bytes;
  sqlite3_int64 size;
  sqlite3_int64 mapped;
  int fetched;
  int exists, handles, shared, reserved, pending, exclusive;
  int slotShared[SHM_SLOTS], slotExclusive[SHM_SLOTS];
  void *regions[SHM_REGIONS];
} Content;
static Content contents[FILES];

typedef struct MemoryFile {
  sqlite3_file base;
  Content *content;
  int level, dropAtClose;
  unsigned heldShared, heldExclusive;
} MemoryFile;

static Content *content(const char *name, int create) {
  for (int i = 0; i < FILES; i++) if (contents[i].exists && !strcmp(contents[i].name, name)) return &contents[i];
  for (int i = 0; create && i < FILES; i++)
    if (!contents[i].exists && !contents[i].handles) {
      memset(&contents[i], 0, sizeof contents[i]);
      snprintf(contents[i].name, sizeof contents[i].name, "%s", name);
      contents[i].exists = 1;
      return &contents[i];
    }
  return 0;
}
static void dropContent(Content *c) {
  free(c->bytes);
  c->bytes = 0;
  c->size = 0;
  c->exists = 0;
}
static void dropShm(Content *c) {
  for (int i = 0; i < SHM_REGIONS; i++) { free(c->regions[i]); c->regions[i] = 0; }
}
static int mUnlock(sqlite3_file *f, int level) {
  MemoryFile *p = (MemoryFile *)f;
  Content *c = p->content;
  if (p->level >= 4) c->exclusive = 0;
  if (p->level >= 3) c->pending = 0;
  if (p->level >= 2 && level < 2) c->reserved = 0;
  if (p->level >= 1 && level < 1) c->shared--;
  if (level < p->level) p->level = level;
  return SQLITE_OK;
}
static int mLock(sqlite3_file *f, int level) {
  MemoryFile *p = (MemoryFile *)f;
  Content *c = p->content;
  if (p->level >= level) return SQLITE_OK;
  if (p->level < 1) {
    if (c->pending || c->exclusive) return SQLITE_BUSY;
    c->shared++;
    p->level = 1;
  }
  if (level >= 2 && p->level < 2) {
    if (c->reserved && level == 2) return SQLITE_BUSY;
    if (c->reserved) return SQLITE_BUSY;
    c->reserved = 1;
    p->level = 2;
  }
  if (level >= 4) {
    c->pending = 1;
    p->level = 3;
    if (c->shared > 1) return SQLITE_BUSY;
    c->exclusive = 1;
    p->level = 4;
  }
  return SQLITE_OK;
}
static int mClose(sqlite3_file *f) {
  MemoryFile *p = (MemoryFile *)f;
  mUnlock(f, 0);
  p->content->handles--;
  if (p->dropAtClose) dropContent(p->content);
  return SQLITE_OK;
}
static int mRead(sqlite3_file *f, void *buf, int n, sqlite3_int64 at) {
  Content *c = ((MemoryFile *)f)->content;
  sqlite3_int64 have = c->size > at ? c->size - at : 0;
  if (have > n) have = n;
  if (have > 0) memcpy(buf, c->bytes + at, have);
  memset((char *)buf + have, 0, n - have);
  return have < n ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}
static void resize(Content *c, sqlite3_int64 size) {
  if (c->fetched) { printf("  A FETCHED PAGE MOVES\n"); c->fetched = 0; }
  c->bytes = realloc(c->bytes, size + 1);
  if (size > c->size) memset(c->bytes + c->size, 0, size - c->size);
  c->size = size;
}
static int mWrite(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at) {
  Content *c = ((MemoryFile *)f)->content;
  if (at + n > c->size) resize(c, at + n);
  memcpy(c->bytes + at, buf, n);
  return SQLITE_OK;
}
static int mTruncate(sqlite3_file *f, sqlite3_int64 size) { resize(((MemoryFile *)f)->content, size); return SQLITE_OK; }
static int mSync(sqlite3_file *f, int flags) { (void)f; (void)flags; return SQLITE_OK; }
static int mSize(sqlite3_file *f, sqlite3_int64 *out) { *out = ((MemoryFile *)f)->content->size; return SQLITE_OK; }
static int mReserved(sqlite3_file *f, int *out) { *out = ((MemoryFile *)f)->content->reserved; return SQLITE_OK; }
static int mControl(sqlite3_file *f, int op, void *arg) {
  Content *c = ((MemoryFile *)f)->content;
  if (op != SQLITE_FCNTL_MMAP_SIZE) return SQLITE_NOTFOUND;
  sqlite3_int64 wanted = *(sqlite3_int64 *)arg;
  *(sqlite3_int64 *)arg = c->mapped;
  if (wanted >= 0) c->mapped = wanted;
  return SQLITE_OK;
}
static int mSector(sqlite3_file *f) { (void)f; return 512; }
static int mDevice(sqlite3_file *f) { (void)f; return 0; }
static int mShmMap(sqlite3_file *f, int region, int size, int extend, void volatile **out) {
  Content *c = ((MemoryFile *)f)->content;
  *out = 0;
  if (size != REGION_BYTES || region >= SHM_REGIONS) return SQLITE_IOERR_SHMSIZE;
  if (!c->regions[region] && extend) c->regions[region] = calloc(1, REGION_BYTES);
  *out = c->regions[region];
  return SQLITE_OK;
}
static int mShmLock(sqlite3_file *f, int first, int count, int flags) {
  MemoryFile *p = (MemoryFile *)f;
  Content *c = p->content;
  for (int i = first; i < first + count; i++) {
    unsigned bit = 1u << i;
    if (flags & SQLITE_SHM_UNLOCK) {
      if (flags & SQLITE_SHM_SHARED && p->heldShared & bit) { p->heldShared &= ~bit; c->slotShared[i]--; }
      if (flags & SQLITE_SHM_EXCLUSIVE && p->heldExclusive & bit) { p->heldExclusive &= ~bit; c->slotExclusive[i] = 0; }
    } else if (flags & SQLITE_SHM_SHARED) {
      if (c->slotExclusive[i] && !(p->heldExclusive & bit)) return SQLITE_BUSY;
      if (!(p->heldShared & bit)) { p->heldShared |= bit; c->slotShared[i]++; }
    } else if (c->slotExclusive[i] || c->slotShared[i]) return SQLITE_BUSY;
  }
  for (int i = first; i < first + count; i++)
    if (flags & SQLITE_SHM_LOCK && flags & SQLITE_SHM_EXCLUSIVE) { p->heldExclusive |= 1u << i; c->slotExclusive[i] = 1; }
  return SQLITE_OK;
}
static void mShmBarrier(sqlite3_file *f) { (void)f; __sync_synchronize(); }
static int mShmUnmap(sqlite3_file *f, int drop) {
  MemoryFile *p = (MemoryFile *)f;
  mShmLock(f, 0, SHM_SLOTS, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED | SQLITE_SHM_EXCLUSIVE);
  if (drop) dropShm(p->content);
  return SQLITE_OK;
}
/* As far as the file reaches, while nothing that was fetched is held; then it does not move. */
static int mFetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out) {
  Content *c = ((MemoryFile *)f)->content;
  *out = at + n <= c->size && at + n <= c->mapped ? c->bytes + at : 0;
  if (*out) c->fetched++;
  return SQLITE_OK;
}
static int mUnfetch(sqlite3_file *f, sqlite3_int64 at, void *p) {
  (void)at;
  if (p) ((MemoryFile *)f)->content->fetched--;
  return SQLITE_OK;
}
static sqlite3_io_methods memoryMethods = {3, mClose, mRead, mWrite, mTruncate, mSync, mSize, mLock, mUnlock, mReserved,
  mControl, mSector, mDevice, mShmMap, mShmLock, mShmBarrier, mShmUnmap, mFetch, mUnfetch};
static int mOpen(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
  static int temporary;
  char made[32];
  (void)v;
  MemoryFile *p = (MemoryFile *)f;
  memset(p, 0, sizeof *p);
  snprintf(made, sizeof made, "temporary%d", ++temporary);
  p->content = content(name ? name : made, flags & SQLITE_OPEN_CREATE);
  if (!p->content) return SQLITE_CANTOPEN;
  p->content->handles++;
  p->dropAtClose = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  p->base.pMethods = &memoryMethods;
  if (out) *out = flags;
  return SQLITE_OK;
}
static int mDelete(sqlite3_vfs *v, const char *name, int sync) {
  (void)v; (void)sync;
  Content *c = content(name, 0);
  if (!c) return SQLITE_IOERR_DELETE_NOENT;
  dropContent(c);
  return SQLITE_OK;
}
static int mAccess(sqlite3_vfs *v, const char *name, int flags, int *out) {
  (void)v;
  Content *c = content(name, 0);
  *out = c && (flags != SQLITE_ACCESS_EXISTS || c->size > 0);
  return SQLITE_OK;
}
static int mFullPath(sqlite3_vfs *v, const char *name, int n, char *out) {
  (void)v;
  snprintf(out, n, "%s%s", name[0] == '/' ? "" : "/", name);
  return SQLITE_OK;
}

/* ---- The VFS that records ---- */

typedef struct File { sqlite3_file base; sqlite3_file *real; char what[16]; int mapped; } File;
static sqlite3_vfs *under, memoryVfs, recordVfs;
static int recording, threads;
static pthread_t mainThread;
static char faultCall[32], snapCall[32];
static int faultCode;
static void snap(void);

#define RECORD(...) do { \
  if (!pthread_equal(pthread_self(), mainThread)) { printf("  FOREIGN THREAD "); threads++; } \
  if (recording) { printf("  "); printf(__VA_ARGS__); printf("\n"); } } while (0)

static int fault(const char *call) {
  if (strcmp(faultCall, call)) return 0;
  faultCall[0] = 0;
  return faultCode;
}
static const char *levelName(int level) {
  static const char *names[] = {"NONE", "SHARED", "RESERVED", "PENDING", "EXCLUSIVE"};
  return names[level];
}
#define REAL(f) ((File *)(f))->real
#define WHAT(f) ((File *)(f))->what
static int rClose(sqlite3_file *f) {
  RECORD("xClose %s%s", WHAT(f), ((File *)f)->mapped ? " STILL MAPPED" : "");
  int rc = REAL(f)->pMethods->xClose(REAL(f));
  free(REAL(f));
  return rc;
}
static int rRead(sqlite3_file *f, void *b, int n, sqlite3_int64 at) {
  RECORD("xRead %s %d@%lld", WHAT(f), n, at);
  int rc = fault("xRead");
  return rc ? rc : REAL(f)->pMethods->xRead(REAL(f), b, n, at);
}
static int rWrite(sqlite3_file *f, const void *b, int n, sqlite3_int64 at) {
  RECORD("xWrite %s %d@%lld", WHAT(f), n, at);
  int rc = fault("xWrite");
  return rc ? rc : REAL(f)->pMethods->xWrite(REAL(f), b, n, at);
}
static int rTruncate(sqlite3_file *f, sqlite3_int64 n) {
  RECORD("xTruncate %s %lld", WHAT(f), n);
  return REAL(f)->pMethods->xTruncate(REAL(f), n);
}
static int rSync(sqlite3_file *f, int flags) {
  RECORD("xSync %s %d", WHAT(f), flags);
  int rc = fault("xSync");
  return rc ? rc : REAL(f)->pMethods->xSync(REAL(f), flags);
}
static int rSize(sqlite3_file *f, sqlite3_int64 *out) {
  int rc = REAL(f)->pMethods->xFileSize(REAL(f), out);
  RECORD("xFileSize %s %lld", WHAT(f), *out);
  return rc;
}
static int rLock(sqlite3_file *f, int level) {
  int rc = REAL(f)->pMethods->xLock(REAL(f), level);
  RECORD("xLock %s %s rc=%d", WHAT(f), levelName(level), rc);
  return rc;
}
static int rUnlock(sqlite3_file *f, int level) {
  RECORD("xUnlock %s %s", WHAT(f), levelName(level));
  return REAL(f)->pMethods->xUnlock(REAL(f), level);
}
static int rReserved(sqlite3_file *f, int *out) {
  int rc = REAL(f)->pMethods->xCheckReservedLock(REAL(f), out);
  RECORD("xCheckReservedLock %s %d", WHAT(f), *out);
  return rc;
}
static int rControl(sqlite3_file *f, int op, void *arg) {
  if (op == SQLITE_FCNTL_PRAGMA) RECORD("xFileControl %s PRAGMA %s", WHAT(f), ((char **)arg)[1]);
  else if (op == SQLITE_FCNTL_SIZE_HINT) RECORD("xFileControl %s SIZE_HINT %lld", WHAT(f), *(sqlite3_int64 *)arg);
  else RECORD("xFileControl %s %d", WHAT(f), op);
  return REAL(f)->pMethods->xFileControl(REAL(f), op, arg);
}
/* 0, or the size of a sector of a device without powersafe overwrite. */
static int sector;
static int rSector(sqlite3_file *f) { return sector ? sector : REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int rDevice(sqlite3_file *f) { return sector ? 0 : REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }
static int rShmMap(sqlite3_file *f, int region, int size, int extend, void volatile **out) {
  int rc = fault("xShmMap");
  if (rc) *out = 0;
  else rc = REAL(f)->pMethods->xShmMap(REAL(f), region, size, extend, out);
  ((File *)f)->mapped = 1;
  RECORD("xShmMap %s %d extend=%d rc=%d%s", WHAT(f), region, extend, rc, *out ? "" : " nothing");
  return rc;
}
static int rShmLock(sqlite3_file *f, int first, int count, int flags) {
  int rc = REAL(f)->pMethods->xShmLock(REAL(f), first, count, flags);
  RECORD("xShmLock %s %d+%d %s %s rc=%d%s", WHAT(f), first, count, flags & SQLITE_SHM_UNLOCK ? "unlock" : "lock",
         flags & SQLITE_SHM_SHARED ? "shared" : "exclusive", rc, ((File *)f)->mapped ? "" : " NOT MAPPED");
  return rc;
}
static void rShmBarrier(sqlite3_file *f) {
  RECORD("xShmBarrier %s", WHAT(f));
  REAL(f)->pMethods->xShmBarrier(REAL(f));
}
static int rShmUnmap(sqlite3_file *f, int drop) {
  RECORD("xShmUnmap %s delete=%d", WHAT(f), drop);
  ((File *)f)->mapped = 0;
  return REAL(f)->pMethods->xShmUnmap(REAL(f), drop);
}
static int rFetch(sqlite3_file *f, sqlite3_int64 at, int n, void **out) {
  int rc = REAL(f)->pMethods->xFetch(REAL(f), at, n, out);
  RECORD("xFetch %s %d@%lld%s", WHAT(f), n, at, *out ? "" : " nothing");
  return rc;
}
static int rUnfetch(sqlite3_file *f, sqlite3_int64 at, void *p) {
  RECORD("xUnfetch %s %lld%s", WHAT(f), at, p ? "" : " all");
  return REAL(f)->pMethods->xUnfetch(REAL(f), at, p);
}
static sqlite3_io_methods recordMethods = {3, rClose, rRead, rWrite, rTruncate, rSync, rSize, rLock, rUnlock, rReserved,
  rControl, rSector, rDevice, rShmMap, rShmLock, rShmBarrier, rShmUnmap, rFetch, rUnfetch};
static const char *kind(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return "db";
  if (flags & SQLITE_OPEN_MAIN_JOURNAL) return "journal";
  if (flags & SQLITE_OPEN_WAL) return "wal";
  if (flags & SQLITE_OPEN_SUPER_JOURNAL) return "super";
  return "temp";
}
static int rOpen(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out) {
  (void)v;
  File *p = (File *)f;
  memset(p, 0, sizeof *p);
  p->real = calloc(1, under->szOsFile);
  snprintf(p->what, sizeof p->what, "%s", kind(flags));
  int rc = under->xOpen(under, name, p->real, flags, out);
  RECORD("xOpen %s %x rc=%d", p->what, flags, rc);
  if (p->real->pMethods) p->base.pMethods = &recordMethods;
  else free(p->real);
  return rc;
}
static const char *base(const char *name) { const char *slash = strrchr(name, '/'); return slash ? slash + 1 : name; }
static int rDelete(sqlite3_vfs *v, const char *name, int sync) {
  (void)v;
  if (!strcmp(snapCall, "xDelete")) { snapCall[0] = 0; snap(); }
  int rc = under->xDelete(under, name, sync);
  RECORD("xDelete %s sync=%d rc=%d", strstr(name, "-mj") ? "super" : base(name), sync, rc);
  return rc;
}
static int rAccess(sqlite3_vfs *v, const char *name, int flags, int *out) {
  (void)v;
  int rc = under->xAccess(under, name, flags, out);
  RECORD("xAccess %s %d %d", strstr(name, "-mj") ? "super" : base(name), flags, *out);
  return rc;
}
static int rFullPath(sqlite3_vfs *v, const char *name, int n, char *out) { (void)v; return under->xFullPathname(under, name, n, out); }

/* ---- Scenarios ---- */

typedef struct Scenario { const char *name; const char *lines[24]; } Scenario;
#define FILL "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<300) INSERT INTO t SELECT i, hex(zeroblob(200)) FROM n"
#define DOUBLE "a INSERT INTO t SELECT NULL, y FROM t"
static const Scenario scenarios[] = {
  {"open and create", {"open a", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "close a"}},
  {"read", {"open a", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a", "open a", "a SELECT * FROM t", "a SELECT * FROM t", "close a"}},
  {"read what another has written", {"open a", "a CREATE TABLE t(x,y)", "open b", "b SELECT * FROM t", "a INSERT INTO t VALUES(1,2)", "b SELECT * FROM t", "close b", "close a"}},
  {"rollback", {"open a", "a CREATE TABLE t(x,y)", "a BEGIN", "a INSERT INTO t VALUES(1,2)", "a ROLLBACK", "a SELECT * FROM t", "close a"}},
  {"begin immediate and exclusive", {"open a", "a CREATE TABLE t(x,y)", "a BEGIN IMMEDIATE", "a COMMIT", "a BEGIN EXCLUSIVE", "a COMMIT", "close a"}},
  {"savepoint", {"open a", "a CREATE TABLE t(x,y)", "a BEGIN", "a INSERT INTO t VALUES(1,2)", "a SAVEPOINT s", "a INSERT INTO t VALUES(3,4)", "a ROLLBACK TO s", "a COMMIT", "close a"}},
  {"many pages", {"open a", "a CREATE TABLE t(x,y)", "a " FILL, "a SELECT count(*), sum(length(y)) FROM t", "a DELETE FROM t", "close a"}},
  {"pages smaller than sectors", {"sector 4096", "open a", "a PRAGMA page_size=1024", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=1 WHERE rowid=70", "a UPDATE t SET x=1 WHERE rowid IN (1,70,90)", "a BEGIN", "a UPDATE t SET x=2 WHERE rowid IN (10,95)", "a ROLLBACK", "a INSERT INTO t SELECT * FROM t LIMIT 3", "a CREATE INDEX i ON t(x)", "close a"}},
  {"pages smaller than sectors, auto-vacuum", {"sector 4096", "open a", "a PRAGMA page_size=1024", "a PRAGMA auto_vacuum=full", "a CREATE TABLE t(x,y)", "a " FILL, "a DELETE FROM t WHERE rowid % 3 = 1", "close a"}},
  {"pages smaller than sectors, log", {"sector 4096", "open a", "a PRAGMA page_size=1024", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=1 WHERE rowid=70", "close a"}},
  {"spill", {"open a", "a PRAGMA cache_size=10", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=x+1", "close a"}},
  {"persist", {"open a", "a PRAGMA journal_mode=persist", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"truncate", {"open a", "a PRAGMA journal_mode=truncate", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"memory journal", {"open a", "a PRAGMA journal_mode=memory", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"no journal", {"open a", "a PRAGMA journal_mode=off", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"synchronous off", {"open a", "a PRAGMA synchronous=off", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"synchronous extra", {"open a", "a PRAGMA synchronous=extra", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"exclusive locking", {"open a", "a PRAGMA locking_mode=exclusive", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "a PRAGMA locking_mode=normal", "a SELECT * FROM t", "close a"}},
  {"busy writer", {"open a", "a CREATE TABLE t(x,y)", "open b", "a BEGIN IMMEDIATE", "b INSERT INTO t VALUES(1,2)", "a COMMIT", "b INSERT INTO t VALUES(1,2)", "close a", "close b"}},
  {"busy reader", {"open a", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "open b", "step b SELECT * FROM t", "a INSERT INTO t VALUES(3,4)", "end b", "a INSERT INTO t VALUES(3,4)", "close a", "close b"}},
  {"spill and go on", {"open a", "a PRAGMA page_size=1024", "a PRAGMA auto_vacuum=2", "a PRAGMA cache_size=10", "a CREATE TABLE t(x INTEGER PRIMARY KEY,y)", "a BEGIN", "a INSERT INTO t VALUES(NULL,hex(zeroblob(400)))", DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, DOUBLE, "a COMMIT", "a BEGIN", "a INSERT INTO t VALUES(NULL,'x')", "a SELECT count(*) FROM t", "a COMMIT", "a PRAGMA integrity_check", "close a"}},
  {"hot journal", {"open a", "a CREATE TABLE t(x,y)", "a PRAGMA cache_size=5", "a BEGIN", "a " FILL, "snap", "crash", "open a", "a SELECT count(*) FROM t", "close a"}},
  {"hot journal of a commit", {"open a", "a CREATE TABLE t(x,y)", "a " FILL, "snapat xDelete", "a UPDATE t SET x=x+1 WHERE x<20", "crash", "open a", "a SELECT sum(x) FROM t", "close a"}},
  {"hot journal to write", {"open a", "a CREATE TABLE t(x,y)", "snapat xDelete", "a INSERT INTO t VALUES(1,2)", "crash", "open a", "a INSERT INTO t VALUES(3,4)", "a SELECT * FROM t", "close a"}},
  {"failing sync", {"open a", "a CREATE TABLE t(x,y)", "fault xSync 1034", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"failing write", {"open a", "a CREATE TABLE t(x,y)", "fault xWrite 778", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"journal of another commit", {"open a", "a PRAGMA journal_mode=persist", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=x+1", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"synchronous normal", {"open a", "a PRAGMA synchronous=normal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"temporary table", {"open a", "a CREATE TEMP TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "close a"}},
  {"pragmas", {"open a", "a CREATE TABLE t(x,y)", "a PRAGMA user_version=7", "a PRAGMA user_version", "a PRAGMA page_count", "a PRAGMA freelist_count", "a PRAGMA integrity_check", "a PRAGMA journal_size_limit=1000", "a PRAGMA wal_checkpoint", "close a"}},
  {"vacuum", {"open a", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a VACUUM", "close a"}},
  {"auto-vacuum", {"open a", "a PRAGMA auto_vacuum=1", "a CREATE TABLE t(x,y)", "a " FILL, "a DELETE FROM t WHERE x>10", "close a"}},
  {"page size", {"open a", "a PRAGMA page_size=1024", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"attached", {"open a", "a CREATE TABLE t(x,y)", "a ATTACH 't2.db' AS two", "a CREATE TABLE two.u(x)", "a BEGIN", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO u VALUES(1)", "a COMMIT", "close a"}},
  {"wal: enter", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "close a"}},
  {"wal: enter with content", {"open a", "a CREATE TABLE t(x,y)", "a PRAGMA journal_mode=wal", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: leave", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a PRAGMA journal_mode=delete", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: reopen", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "close a", "open a", "a SELECT * FROM t", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: two connections", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "open b", "b SELECT * FROM t", "a INSERT INTO t VALUES(1,2)", "b SELECT * FROM t", "b INSERT INTO t VALUES(3,4)", "a SELECT * FROM t", "close b", "close a"}},
  {"wal: recover", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a " FILL, "snap", "crash", "open a", "a SELECT count(*) FROM t", "close a"}},
  {"wal: recover to write", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "snap", "crash", "open a", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: failing sync", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "fault xSync 1034", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "a INSERT INTO t VALUES(3,4)", "close a"}},
  {"wal: leave beside another", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "open b", "b SELECT * FROM t", "a PRAGMA journal_mode=delete", "close b", "a PRAGMA journal_mode=delete", "close a"}},
  {"wal: rollback", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a BEGIN", "a INSERT INTO t VALUES(1,2)", "a ROLLBACK", "a SELECT * FROM t", "close a"}},
  {"wal: savepoint", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a BEGIN", "a INSERT INTO t VALUES(1,2)", "a SAVEPOINT s", "a INSERT INTO t VALUES(3,4)", "a ROLLBACK TO s", "a COMMIT", "close a"}},
  {"wal: spill", {"open a", "a PRAGMA journal_mode=wal", "a PRAGMA cache_size=10", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=x+1", "close a"}},
  {"wal: passive checkpoint", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a " FILL, "a PRAGMA wal_checkpoint", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: full checkpoint", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a PRAGMA wal_checkpoint=full", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: restart checkpoint", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a PRAGMA wal_checkpoint=restart", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: truncate checkpoint", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a PRAGMA wal_checkpoint=truncate", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: checkpoint beside a reader", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "open b", "step b SELECT * FROM t", "a INSERT INTO t VALUES(1,2)", "a PRAGMA wal_checkpoint", "a PRAGMA wal_checkpoint=restart", "end b", "a PRAGMA wal_checkpoint", "close a", "close b"}},
  {"wal: automatic checkpoint", {"open a", "a PRAGMA journal_mode=wal", "a PRAGMA wal_autocheckpoint=4", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(1,2)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: busy writer", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "open b", "a BEGIN IMMEDIATE", "b INSERT INTO t VALUES(1,2)", "b SELECT * FROM t", "a COMMIT", "b INSERT INTO t VALUES(1,2)", "close a", "close b"}},
  {"wal: stale snapshot", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "open b", "b BEGIN", "b SELECT * FROM t", "a INSERT INTO t VALUES(1,2)", "b INSERT INTO t VALUES(3,4)", "b ROLLBACK", "close a", "close b"}},
  {"wal: exclusive locking", {"open a", "a PRAGMA locking_mode=exclusive", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a SELECT * FROM t", "close a"}},
  {"wal: synchronous full", {"open a", "a PRAGMA journal_mode=wal", "a PRAGMA synchronous=full", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: synchronous normal", {"open a", "a PRAGMA journal_mode=wal", "a PRAGMA synchronous=normal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "close a"}},
  {"wal: failing xShmMap", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "close a", "open a", "fault xShmMap 3082", "a SELECT * FROM t", "a SELECT * FROM t", "close a"}},
  {"wal: vacuum", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a INSERT INTO t VALUES(1,2)", "a VACUUM", "close a"}},
  {"spill and roll back", {"open a", "a PRAGMA cache_size=10", "a CREATE TABLE t(x,y)", "a " FILL, "a BEGIN", "a UPDATE t SET x=x+1", "a ROLLBACK", "a SELECT sum(x) FROM t", "a PRAGMA integrity_check", "close a"}},
  {"spill and roll back to a savepoint", {"open a", "a PRAGMA cache_size=10", "a CREATE TABLE t(x,y)", "a " FILL, "a BEGIN", "a UPDATE t SET x=x+1", "a SAVEPOINT s", "a UPDATE t SET x=x+1", "a INSERT INTO t SELECT * FROM t", "a ROLLBACK TO s", "a SELECT sum(x) FROM t", "a COMMIT", "a SELECT sum(x) FROM t", "a PRAGMA integrity_check", "close a"}},
  {"spill without syncs", {"open a", "a PRAGMA cache_size=10", "a PRAGMA synchronous=off", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=x+1", "close a"}},
  {"spill with a memory journal", {"open a", "a PRAGMA cache_size=10", "a PRAGMA journal_mode=memory", "a CREATE TABLE t(x,y)", "a " FILL, "a BEGIN", "a UPDATE t SET x=x+1", "a ROLLBACK", "a SELECT sum(x) FROM t", "close a"}},
  {"spill without a journal", {"open a", "a PRAGMA cache_size=10", "a PRAGMA journal_mode=off", "a CREATE TABLE t(x,y)", "a " FILL, "a UPDATE t SET x=x+1", "a SELECT sum(x) FROM t", "close a"}},
  {"spill beside a reader", {"open a", "a CREATE TABLE t(x,y)", "a " FILL, "open b", "step b SELECT * FROM t", "a PRAGMA cache_size=10", "a BEGIN", "a UPDATE t SET x=x+1", "end b", "a COMMIT", "a SELECT sum(x) FROM t", "close b", "close a"}},
  {"crash after a spill", {"open a", "a CREATE TABLE t(x,y)", "a " FILL, "a PRAGMA cache_size=10", "a BEGIN", "a UPDATE t SET x=x+1", "snap", "crash", "open a", "a SELECT sum(x) FROM t", "a PRAGMA integrity_check", "close a"}},
  {"fetched pages", {"open a", "a PRAGMA mmap_size=1000000", "a CREATE TABLE t(x,y)", "a " FILL, "a SELECT sum(x) FROM t", "a INSERT INTO t VALUES(1,2)", "a SELECT sum(x) FROM t", "open b", "b PRAGMA mmap_size=1000000", "b UPDATE t SET x=x+1", "a SELECT sum(x) FROM t", "a DELETE FROM t WHERE x>5", "a SELECT sum(x) FROM t", "a PRAGMA mmap_size=0", "a SELECT sum(x) FROM t", "close b", "close a"}},
  {"wal: fetched pages", {"open a", "a PRAGMA mmap_size=1000000", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "a " FILL, "a SELECT sum(x) FROM t", "a PRAGMA wal_checkpoint", "a SELECT sum(x) FROM t", "a INSERT INTO t VALUES(1,2)", "a SELECT sum(x) FROM t", "close a"}},
  {"wal: keep the log", {"open a", "a PRAGMA journal_mode=wal", "a CREATE TABLE t(x,y)", "keep a", "close a", "open a", "a SELECT * FROM t", "close a"}},
};

static sqlite3 *connections[2];
static sqlite3_stmt *statements[2];
static const char *const FILE_NAMES[] = {"/t.db", "/t.db-journal", "/t.db-wal", "/t2.db", "/t2.db-journal"};
enum { NAMES = 5, PIECE = 4096 };
static char folder[200];
static unsigned char *snapBytes[NAMES];
static sqlite3_int64 snapSizes[NAMES];

static const char *path(int i) {
  static char paths[2][256];
  static int next;
  char *p = paths[next++ % 2];
  snprintf(p, 256, "%s%s", folder, FILE_NAMES[i]);
  return p;
}
/* Reads or writes a whole file, in pieces: a call takes no more than some VFSes expect of a page. */
static void whole(sqlite3_file *f, unsigned char *bytes, sqlite3_int64 size, int writes) {
  for (sqlite3_int64 at = 0; at < size; at += PIECE) {
    int n = size - at < PIECE ? (int)(size - at) : PIECE;
    if (writes) f->pMethods->xWrite(f, bytes + at, n, at);
    else f->pMethods->xRead(f, bytes + at, n, at);
  }
}
static void snap(void) {
  for (int i = 0; i < NAMES; i++) {
    sqlite3_file *f = calloc(1, under->szOsFile);
    int out = 0;
    snapSizes[i] = -1;
    if (under->xAccess(under, path(i), SQLITE_ACCESS_EXISTS, &out) || !out) { free(f); continue; }
    if (under->xOpen(under, sqlite3_create_filename(path(i), "", "", 0, 0), f, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB, 0)) { free(f); continue; }
    f->pMethods->xFileSize(f, &snapSizes[i]);
    snapBytes[i] = malloc(snapSizes[i] + 1);
    whole(f, snapBytes[i], snapSizes[i], 0);
    f->pMethods->xClose(f);
    free(f);
  }
}
static void closeAll(void) {
  for (int i = 0; i < 2; i++) {
    sqlite3_finalize(statements[i]);
    statements[i] = 0;
    sqlite3_close(connections[i]);
    connections[i] = 0;
  }
}
static void removeAll(void) {
  for (int i = 0; i < NAMES; i++) under->xDelete(under, path(i), 0);
}
static void crash(void) {
  recording = 0;
  closeAll();
  removeAll();
  for (int i = 0; i < NAMES; i++) {
    if (snapSizes[i] < 0) continue;
    sqlite3_file *f = calloc(1, under->szOsFile);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB;
    if (!under->xOpen(under, sqlite3_create_filename(path(i), "", "", 0, 0), f, flags, 0)) {
      whole(f, snapBytes[i], snapSizes[i], 1);
      f->pMethods->xClose(f);
    }
    free(f);
    free(snapBytes[i]);
  }
  recording = 1;
}
static int row(void *out, int n, char **values, char **names) {
  (void)out; (void)names;
  printf("  row");
  for (int i = 0; i < n; i++) printf(" %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}
static void play(const char *line) {
  char word[16];
  int used = 0;
  printf("- %.70s\n", line);
  sscanf(line, "%15s %n", word, &used);
  const char *rest = line + used;
  int which = rest[0] == 'b';
  if (!strcmp(word, "open")) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    printf("  rc=%d\n", sqlite3_open_v2(path(0), &connections[which], flags, "record"));
  } else if (!strcmp(word, "close")) {
    printf("  rc=%d\n", sqlite3_close(connections[which]));
    connections[which] = 0;
  } else if (!strcmp(word, "step")) {
    sqlite3_prepare_v2(connections[which], rest + 2, -1, &statements[which], 0);
    printf("  rc=%d\n", sqlite3_step(statements[which]));
  } else if (!strcmp(word, "end")) {
    sqlite3_finalize(statements[which]);
    statements[which] = 0;
  } else if (!strcmp(word, "keep")) {
    int on = 1;
    printf("  rc=%d\n", sqlite3_file_control(connections[which], "main", SQLITE_FCNTL_PERSIST_WAL, &on));
  } else if (!strcmp(word, "sector")) sector = atoi(rest);
  else if (!strcmp(word, "fault")) sscanf(rest, "%31s %d", faultCall, &faultCode);
  else if (!strcmp(word, "snapat")) sscanf(rest, "%31s", snapCall);
  else if (!strcmp(word, "snap")) snap();
  else if (!strcmp(word, "crash")) crash();
  else {
    char *message = 0;
    int rc = sqlite3_exec(connections[word[0] == 'b'], rest, row, 0, &message);
    if (rc) printf("  rc=%d %s\n", rc, message ? message : "");
    sqlite3_free(message);
  }
  fflush(stdout);
}
int main(int argc, char **argv) {
  int memory = argc > 1 && !strcmp(argv[1], "memory");
  mainThread = pthread_self();
  sqlite3_initialize();
  under = sqlite3_vfs_find(0);
  memoryVfs = *under;
  memoryVfs.zName = "in-memory";
  memoryVfs.szOsFile = sizeof(MemoryFile);
  memoryVfs.xOpen = mOpen;
  memoryVfs.xDelete = mDelete;
  memoryVfs.xAccess = mAccess;
  memoryVfs.xFullPathname = mFullPath;
  if (memory) under = &memoryVfs;
  else snprintf(folder, sizeof folder, "%s", getenv("RECORD_FOLDER") ? getenv("RECORD_FOLDER") : ".");
  recordVfs = *under;
  recordVfs.zName = "record";
  recordVfs.pNext = 0;
  recordVfs.szOsFile = sizeof(File);
  recordVfs.xOpen = rOpen;
  recordVfs.xDelete = rDelete;
  recordVfs.xAccess = rAccess;
  recordVfs.xFullPathname = rFullPath;
  sqlite3_vfs_register(&recordVfs, 0);
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    if (argc > 2 && strcmp(argv[2], scenarios[i].name)) continue;
    removeAll();
    for (int k = 0; k < FILES; k++) dropShm(&contents[k]);
    printf("=== %s\n", scenarios[i].name);
    sector = 0;
    recording = 1;
    for (int k = 0; k < 24 && scenarios[i].lines[k]; k++) play(scenarios[i].lines[k]);
    recording = 0;
    closeAll();
  }
  printf("=== calls from other threads: %d\n", threads);
  return 0;
}
