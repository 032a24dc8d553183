//! Shared cache: the table locks between connections of one process that opened a database with `cache=shared`.
//!
//! ```text
//!              a row of the table is read   … is written     the schema is written
//!   others     read: yes, write: no         neither          neither, and compile no statement
//! ```
//!
//! Only the locks on tables are shared. Pages are read and written as by separate connections, each with its snapshot,
//! so that threads share no written data. But a snapshot advances to what other connections of the cache commit, and
//! `read_uncommitted`, which reads without table locks, adds their uncommitted changes (see `lithe_pager`).
//!
//! Locks for reading are no point of contention between threads either: each connection notes for itself which tables
//! it reads.
//!
//! ```text
//!   reader   notes its tables, then checks whether a connection writes:   no: it has its locks
//!                                                                          yes: it takes each lock under the mutex
//!   writer   sets its flag, then reads all notes
//! ```

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use lithe_pager::CacheSize;
use lithe_vfs::{MemoryVfs, ResultCode};
use lithe_vm::operand::Db;

use crate::error::Error;

/// The number of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ConnectionId(u64);

impl ConnectionId {
    /// A number that no other connection of this process has or had.
    pub(crate) fn unique() -> ConnectionId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ConnectionId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Called when the connection that holds the conflicting locks has ended its transaction.
pub type UnlockCallback = Box<dyn FnOnce() + Send>;

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Sets whether databases are opened with a shared cache unless their flags say otherwise.
pub fn enable_shared_cache(on: bool) {
    ENABLED.store(on, Ordering::Relaxed);
}

pub(crate) fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// The state that the connections of one shared cache share.
#[derive(Debug, Default)]
pub(crate) struct SharedCache {
    locks: Mutex<Locks>,
    /// A connection has a write transaction, writes to a table, or is about to. Set under the lock of `locks`.
    is_written: AtomicBool,
    /// The files of a database in memory.
    memory: Option<Arc<MemoryVfs>>,
    /// The uncommitted changes of the writing transaction.
    members: Arc<lithe_pager::SharedCache>,
    /// The last cache size that any connection has set by PRAGMA cache_size.
    cache_size: Mutex<Option<CacheSize>>,
}

/// Named files in memory (the VFS "memdb"), kept as long as a database in them is open.
pub(crate) fn memory_files(name: &[u8]) -> Arc<MemoryVfs> {
    static FILES: Mutex<Option<HashMap<Vec<u8>, Weak<MemoryVfs>>>> = Mutex::new(None);
    let mut files = guard(&FILES);
    let files = files.get_or_insert_with(HashMap::new);
    if let Some(found) = files.get(name).and_then(Weak::upgrade) {
        return found;
    }
    files.retain(|_, files| files.strong_count() > 0);
    let fresh = Arc::new(MemoryVfs::new());
    files.insert(name.to_vec(), Arc::downgrade(&fresh));
    fresh
}

#[derive(Default)]
struct Locks {
    tables: Vec<TableLock>,
    /// The connection that has a write transaction.
    writer: Option<ConnectionId>,
    /// The writer excludes all other connections: BEGIN EXCLUSIVE.
    is_exclusive: bool,
    waiting: Vec<Waiting>,
    /// The tables that each connection has noted for reading.
    notes: Vec<Arc<Notes>>,
}

/// The tables that one connection reads, on cache lines of their own.
#[derive(Debug)]
#[repr(align(128))]
struct Notes {
    who: ConnectionId,
    reads: Mutex<Reads>,
}

#[derive(Debug, Default)]
struct Reads {
    tables: Vec<Arc<str>>,
    /// Another connection waits until this one stops reading.
    is_awaited: bool,
}

#[derive(Debug)]
struct TableLock {
    holder: ConnectionId,
    table: Box<str>,
    writes: bool,
}

struct Waiting {
    who: ConnectionId,
    on: ConnectionId,
    callback: Option<UnlockCallback>,
}

impl std::fmt::Debug for Locks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Locks").field("tables", &self.tables).field("writer", &self.writer).finish_non_exhaustive()
    }
}

/// The shared caches of this process, by the file's path or the name of the database in memory.
static CACHES: Mutex<Option<HashMap<Vec<u8>, Weak<SharedCache>>>> = Mutex::new(None);

/// A table that a program reads or writes.
pub(crate) struct TableUse {
    pub db: Db,
    pub table: Arc<str>,
    pub writes: bool,
}

/// The name of the table that stands for the schema in locks.
pub(crate) const SCHEMA: &str = "sqlite_master";

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl SharedCache {
    /// The cache of the file at `path`.
    pub(crate) fn of_file(path: &[u8]) -> Arc<SharedCache> {
        SharedCache::of([b"file:", path].concat(), false)
    }

    /// The cache of the database in memory that is called `name`. It lives as long as a connection has it open.
    pub(crate) fn of_memory(name: &[u8]) -> Arc<SharedCache> {
        SharedCache::of([b"memory:", name].concat(), true)
    }

    fn of(key: Vec<u8>, in_memory: bool) -> Arc<SharedCache> {
        let mut caches = guard(&CACHES);
        let caches = caches.get_or_insert_with(HashMap::new);
        if let Some(cache) = caches.get(&key).and_then(Weak::upgrade) {
            return cache;
        }
        caches.retain(|_, cache| cache.strong_count() > 0);
        let memory = in_memory.then(|| Arc::new(MemoryVfs::new()));
        let cache = Arc::new(SharedCache { memory, ..SharedCache::default() });
        caches.insert(key, Arc::downgrade(&cache));
        cache
    }

    /// The files of a database in memory.
    fn memory(&self) -> Option<&Arc<MemoryVfs>> {
        self.memory.as_ref()
    }

    /// `me` locks a table for reading or writing, until its transaction ends.
    fn lock_table(&self, me: ConnectionId, table: &str, writes: bool) -> Result<(), Error> {
        let locks = &mut *guard(&self.locks);
        if writes {
            self.is_written.store(true, Ordering::SeqCst);
        }
        let locked = SharedCache::lock_table_in(locks, me, table, writes);
        self.is_written.store(locks.is_written(), Ordering::SeqCst);
        locks.assert_consistent();
        locked
    }

    fn lock_table_in(locks: &mut Locks, me: ConnectionId, table: &str, writes: bool) -> Result<(), Error> {
        if let Some(writer) = locks.excluding(me) {
            locks.note_blocked(me, writer);
            return Err(locked(&format!("database table is locked: {table}")));
        }
        let is_it = |lock: &TableLock| lock.table.eq_ignore_ascii_case(table);
        let against = |lock: &&TableLock| lock.holder != me && is_it(lock) && (writes || lock.writes);
        let holder = locks.tables.iter().find(against).map(|lock| lock.holder);
        let holder = holder.or_else(|| if writes { locks.reader_of(me, Some(table)) } else { None });
        if let Some(holder) = holder {
            locks.note_blocked(me, holder);
            return Err(locked(&format!("database table is locked: {table}")));
        }
        match locks.tables.iter_mut().find(|lock| lock.holder == me && is_it(lock)) {
            Some(lock) => lock.writes |= writes,
            None => locks.tables.push(TableLock { holder: me, table: table.into(), writes }),
        }
        Ok(())
    }

    /// `me` begins a write transaction, of which there is one at a time. An exclusive one requires that no other
    /// connection has a transaction.
    fn begin_write(&self, me: ConnectionId, exclusive: bool) -> Result<(), Error> {
        let locks = &mut *guard(&self.locks);
        self.is_written.store(true, Ordering::SeqCst);
        let begun = SharedCache::begin_write_in(locks, me, exclusive);
        self.is_written.store(locks.is_written(), Ordering::SeqCst);
        locks.assert_consistent();
        begun
    }

    fn begin_write_in(locks: &mut Locks, me: ConnectionId, exclusive: bool) -> Result<(), Error> {
        let other_writer = locks.writer.filter(|writer| *writer != me);
        let reader = || {
            let listed = locks.tables.iter().map(|lock| lock.holder).find(|holder| *holder != me);
            listed.or_else(|| locks.reader_of(me, None))
        };
        let in_the_way = other_writer.or_else(|| if exclusive { reader() } else { None });
        if let Some(other) = in_the_way {
            locks.note_blocked(me, other);
            return Err(locked("database table is locked"));
        }
        locks.writer = Some(me);
        locks.is_exclusive |= exclusive;
        Ok(())
    }

    /// Whether another connection is changing the schema.
    pub(crate) fn is_schema_locked(&self, me: ConnectionId) -> bool {
        let locks = &mut *guard(&self.locks);
        let holder = locks.tables.iter().find(|lock| lock.holder != me && lock.writes && &*lock.table == SCHEMA);
        let holder = holder.map(|lock| lock.holder).or_else(|| locks.excluding(me));
        let Some(holder) = holder else { return false };
        locks.note_blocked(me, holder);
        true
    }

    /// The transaction of `me` has ended. Statements that still run keep their read locks.
    fn end_write(&self, me: ConnectionId) {
        let woken = {
            let locks = &mut *guard(&self.locks);
            if locks.writer != Some(me) {
                return;
            }
            locks.writer = None;
            locks.is_exclusive = false;
            for lock in locks.tables.iter_mut().filter(|lock| lock.holder == me) {
                lock.writes = false;
            }
            self.is_written.store(locks.is_written(), Ordering::SeqCst);
            locks.assert_consistent();
            locks.wake(me)
        };
        woken.into_iter().for_each(|callback| callback());
    }

    /// `me` has stopped reading and writing.
    fn end(&self, me: ConnectionId) {
        let woken = {
            let locks = &mut *guard(&self.locks);
            if locks.writer == Some(me) {
                locks.writer = None;
                locks.is_exclusive = false;
            }
            locks.tables.retain(|lock| lock.holder != me);
            self.is_written.store(locks.is_written(), Ordering::SeqCst);
            locks.assert_consistent();
            locks.wake(me)
        };
        woken.into_iter().for_each(|callback| callback());
    }

    /// `me` closes the database, and stops waiting for other connections.
    fn leave(&self, me: ConnectionId) {
        self.end(me);
        let locks = &mut *guard(&self.locks);
        locks.waiting.retain(|waiting| waiting.who != me);
        locks.notes.retain(|notes| notes.who != me);
    }

    /// Whether `me` has failed because of a lock that another connection still holds.
    pub(crate) fn blocks(&self, me: ConnectionId) -> bool {
        guard(&self.locks).waiting.iter().any(|waiting| waiting.who == me)
    }

    /// Calls `callback` when the connection that last blocked `me` has ended its transaction; at once if none blocks it
    /// any more. SQLITE_LOCKED if that would be a deadlock. `None` removes a callback that was registered before.
    pub(crate) fn unlock_notify(&self, me: ConnectionId, callback: Option<UnlockCallback>) -> Result<(), Error> {
        let at_once = {
            let locks = &mut *guard(&self.locks);
            let blocked_by = locks.waiting.iter().find(|waiting| waiting.who == me).map(|waiting| waiting.on);
            match (blocked_by, callback) {
                (None, callback) => callback,
                (Some(_), None) => {
                    locks.waiting.retain(|waiting| waiting.who != me);
                    None
                }
                (Some(on), Some(_)) if locks.waits_for(on, me) => return Err(locked("database is deadlocked")),
                (Some(_), Some(callback)) => {
                    if let Some(waiting) = locks.waiting.iter_mut().find(|waiting| waiting.who == me) {
                        waiting.callback = Some(callback);
                    }
                    None
                }
            }
        };
        if let Some(callback) = at_once {
            callback();
        }
        Ok(())
    }
}

impl Locks {
    /// The invariants of the locks.
    #[track_caller]
    fn assert_consistent(&self) {
        assert!(!self.is_exclusive || self.writer.is_some(), "all are kept out by no connection");
        assert!(self.waiting.iter().all(|waiting| waiting.who != waiting.on), "a connection waits for itself");
        let is_alone = |writer: &TableLock| {
            self.tables
                .iter()
                .all(|lock| lock.holder == writer.holder || !lock.table.eq_ignore_ascii_case(&writer.table))
        };
        debug_assert!(self.tables.iter().filter(|lock| lock.writes).all(is_alone), "a table is read beside its writer");
    }

    /// The connection that excludes all others, unless it is `me`.
    fn excluding(&self, me: ConnectionId) -> Option<ConnectionId> {
        self.writer.filter(|writer| self.is_exclusive && *writer != me)
    }

    fn is_written(&self) -> bool {
        self.writer.is_some() || self.tables.iter().any(|lock| lock.writes)
    }

    /// A connection other than `me` that has noted that it reads `table`, or any table. At its end it wakes the
    /// connections that wait for it.
    fn reader_of(&self, me: ConnectionId, table: Option<&str>) -> Option<ConnectionId> {
        let others = self.notes.iter().filter(|notes| notes.who != me);
        let reads = |notes: &&Arc<Notes>| {
            let reads = &mut *guard(&notes.reads);
            let is_it = |read: &Arc<str>| table.is_none_or(|table| read.eq_ignore_ascii_case(table));
            let any = reads.tables.iter().any(is_it);
            reads.is_awaited |= any;
            any
        };
        others.into_iter().find(reads).map(|notes| notes.who)
    }

    fn note_blocked(&mut self, who: ConnectionId, on: ConnectionId) {
        match self.waiting.iter_mut().find(|waiting| waiting.who == who) {
            Some(waiting) => waiting.on = on,
            None => self.waiting.push(Waiting { who, on, callback: None }),
        }
    }

    /// Whether `waiter` waits for `other`, directly or through other connections. Only connections that have registered
    /// a callback wait.
    fn waits_for(&self, waiter: ConnectionId, other: ConnectionId) -> bool {
        let mut at = waiter;
        for _ in 0..=self.waiting.len() {
            let next = self.waiting.iter().find(|waiting| waiting.who == at && waiting.callback.is_some());
            match next.map(|waiting| waiting.on) {
                Some(on) if on == other => return true,
                Some(on) => at = on,
                None => return false,
            }
        }
        true
    }

    /// Removes the waits for `ended`; returns their callbacks.
    fn wake(&mut self, ended: ConnectionId) -> Vec<UnlockCallback> {
        let woken = self.waiting.extract_if(.., |waiting| waiting.on == ended);
        woken.filter_map(|waiting| waiting.callback).collect()
    }
}

/// One connection's part in a shared cache.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) cache: Arc<SharedCache>,
    notes: OnceCell<Arc<Notes>>,
    /// The connection may hold locks on the common list.
    is_listed: Cell<bool>,
}

impl Share {
    pub(crate) fn new(cache: Arc<SharedCache>) -> Share {
        Share { cache, notes: OnceCell::new(), is_listed: Cell::new(false) }
    }

    /// The files of a database in memory.
    pub(crate) fn memory(&self) -> Option<&Arc<MemoryVfs>> {
        self.cache.memory()
    }

    /// Sets the cache size for all connections.
    pub(crate) fn set_cache_size(&self, size: CacheSize) {
        *guard(&self.cache.cache_size) = Some(size);
    }

    /// The cache size for all connections, if it was set.
    pub(crate) fn cache_size(&self) -> Option<CacheSize> {
        *guard(&self.cache.cache_size)
    }

    /// The uncommitted changes of the writing transaction.
    pub(crate) fn members(&self) -> &Arc<lithe_pager::SharedCache> {
        &self.cache.members
    }

    /// `me` locks tables for reading and writing, until its transaction ends.
    pub(crate) fn lock_tables(&self, me: ConnectionId, tables: &[TableUse]) -> Result<(), Error> {
        if tables.iter().all(|used| !used.writes) && self.note_reads(me, tables) {
            return Ok(());
        }
        self.is_listed.set(true);
        tables.iter().try_for_each(|used| self.cache.lock_table(me, &used.table, used.writes))
    }

    /// Notes the tables that are read. `false`: a connection writes, so each lock has to be taken under the mutex.
    fn note_reads(&self, me: ConnectionId, tables: &[TableUse]) -> bool {
        let notes = self.notes.get_or_init(|| {
            let notes = Arc::new(Notes { who: me, reads: Mutex::default() });
            guard(&self.cache.locks).notes.push(Arc::clone(&notes));
            notes
        });
        let before = {
            let noted = &mut guard(&notes.reads).tables;
            let before = noted.len();
            for TableUse { table, .. } in tables {
                if !noted.iter().any(|read| Arc::ptr_eq(read, table) || read == table) {
                    noted.push(Arc::clone(table));
                }
            }
            before
        };
        // After the notes: a writer sets its flag before it reads them.
        if !self.cache.is_written.load(Ordering::SeqCst) {
            return true;
        }
        guard(&notes.reads).tables.truncate(before);
        false
    }

    /// Whether both belong to the same cache.
    pub(crate) fn is_same(&self, other: &Share) -> bool {
        Arc::ptr_eq(&self.cache, &other.cache)
    }

    /// Whether another connection has a write transaction.
    pub(crate) fn is_written_by_others(&self, me: ConnectionId) -> bool {
        guard(&self.cache.locks).writer.is_some_and(|writer| writer != me)
    }

    /// Whether another connection has a transaction.
    pub(crate) fn is_used_by_others(&self, me: ConnectionId) -> bool {
        let locks = guard(&self.cache.locks);
        let is_used =
            locks.writer.is_some_and(|writer| writer != me) || locks.tables.iter().any(|lock| lock.holder != me);
        let others = locks.notes.iter().filter(|notes| notes.who != me);
        is_used || others.into_iter().any(|notes| !guard(&notes.reads).tables.is_empty())
    }

    /// `me` begins a write transaction.
    pub(crate) fn begin_write(&self, me: ConnectionId, exclusive: bool) -> Result<(), Error> {
        self.is_listed.set(true);
        self.cache.begin_write(me, exclusive)
    }

    /// The transaction of `me` has ended. Statements that still run keep their read locks.
    pub(crate) fn end_write(&self, me: ConnectionId) {
        if self.is_listed.get() {
            self.cache.end_write(me);
        }
    }

    /// `me` has stopped reading and writing.
    pub(crate) fn end(&self, me: ConnectionId) {
        let is_awaited = self.forget_reads();
        if self.is_listed.take() || is_awaited {
            self.cache.end(me);
        }
    }

    /// Clears the notes; returns whether another connection waits for that.
    fn forget_reads(&self) -> bool {
        let Some(notes) = self.notes.get() else { return false };
        let reads = &mut *guard(&notes.reads);
        reads.tables.clear();
        std::mem::take(&mut reads.is_awaited)
    }

    /// `me` closes the database.
    pub(crate) fn leave(&self, me: ConnectionId) {
        self.forget_reads();
        self.cache.leave(me);
    }
}

pub(crate) fn locked(message: &str) -> Error {
    Error::new(ResultCode::LOCKED_SHAREDCACHE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_vm::operand::Db;

    fn check(outcome: Result<(), Error>, expected: Option<&str>) {
        assert_eq!(outcome.err().map(|error| error.message().to_owned()).as_deref(), expected);
    }

    #[test]
    fn readers_and_one_writer() {
        let cache = SharedCache::default();
        let [a, b] = [ConnectionId::unique(), ConnectionId::unique()];
        check(cache.lock_table(a, "t", false), None);
        check(cache.lock_table(b, "T", false), None);
        check(cache.begin_write(b, false), None);
        check(cache.begin_write(a, false), Some("database table is locked"));
        check(cache.lock_table(b, "t", true), Some("database table is locked: t"));
        cache.end(a);
        check(cache.lock_table(b, "t", true), None);
        check(cache.lock_table(a, "t", false), Some("database table is locked: t"));
        check(cache.lock_table(a, "u", false), None);
        cache.end_write(b);
        check(cache.lock_table(a, "t", false), None);
    }

    #[test]
    fn what_readers_have_noted_is_in_a_writers_way() {
        let cache = Arc::new(SharedCache::default());
        let [a, b] = [Share::new(Arc::clone(&cache)), Share::new(Arc::clone(&cache))];
        let [me, other] = [ConnectionId::unique(), ConnectionId::unique()];
        let used = |table: &str, writes| [TableUse { db: Db(0), table: table.into(), writes }];
        check(a.lock_tables(me, &used("t", false)), None);
        assert!(guard(&cache.locks).tables.is_empty(), "it is noted only");
        check(b.lock_tables(other, &used("T", true)), Some("database table is locked: T"));
        check(b.begin_write(other, true), Some("database table is locked"));
        check(b.lock_tables(other, &used("u", true)), None);
        // A connection writes, so the reader's locks are on the list now.
        check(a.lock_tables(me, &used("u", false)), Some("database table is locked: u"));
        check(a.lock_tables(me, &used("v", false)), None);
        check(b.lock_tables(other, &used("v", true)), Some("database table is locked: v"));
        let called = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&called);
        check(cache.unlock_notify(other, Some(Box::new(move || flag.store(true, Ordering::Relaxed)))), None);
        a.end(me);
        assert!(called.load(Ordering::Relaxed));
        check(b.lock_tables(other, &used("t", true)), None);
        check(b.lock_tables(other, &used("v", true)), None);
        b.end(other);
        check(a.lock_tables(me, &used("u", false)), None);
        // Waiting ends also for a reader whose locks are only noted.
        check(b.begin_write(other, true), Some("database table is locked"));
        a.end(me);
        check(b.begin_write(other, true), None);
        check(a.lock_tables(me, &used("u", false)), Some("database table is locked: u"));
        b.leave(other);
        a.leave(me);
        assert!(guard(&cache.locks).notes.is_empty());
    }

    #[test]
    fn a_waiting_connection_is_called() {
        let cache = SharedCache::default();
        let [a, b] = [ConnectionId::unique(), ConnectionId::unique()];
        let called = Arc::new(AtomicU64::new(0));
        let callback = || -> Option<UnlockCallback> {
            let called = Arc::clone(&called);
            Some(Box::new(move || {
                called.fetch_add(1, Ordering::Relaxed);
            }))
        };
        check(cache.unlock_notify(b, callback()), None);
        assert_eq!(called.load(Ordering::Relaxed), 1);
        check(cache.lock_table(a, "t", true), None);
        check(cache.lock_table(b, "u", true), None);
        check(cache.lock_table(b, "t", false), Some("database table is locked: t"));
        check(cache.unlock_notify(b, callback()), None);
        check(cache.lock_table(a, "u", false), Some("database table is locked: u"));
        check(cache.unlock_notify(a, callback()), Some("database is deadlocked"));
        cache.end(a);
        assert_eq!(called.load(Ordering::Relaxed), 2);
    }
}
