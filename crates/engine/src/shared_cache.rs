//! Shared cache: what connections of one process that opened a database with `cache=shared` may do beside each other.
//!
//! ```text
//!              a row of the table is read   … is written     the schema is written
//!   others     read: yes, write: no         neither          neither, and compile no statement
//! ```
//!
//! Only the locks on tables are shared. Pages are read and written as separate connections do, each with its snapshot,
//! so that threads share nothing that is written: `read_uncommitted` spares a reader the locks, and shows it what
//! was committed last.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use lithe_format::PageNo;
use lithe_plan::catalog::{Schema, Table};
use lithe_vfs::{MemoryVfs, ResultCode};
use lithe_vm::insn::Insn;
use lithe_vm::operand::Db;
use lithe_vm::program::Program;

use crate::connection::Connection;
use crate::error::Error;

/// Which connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ConnectionId(u64);

impl ConnectionId {
    /// A number that no other connection of this process has or had.
    pub(crate) fn unique() -> ConnectionId {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ConnectionId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Called when the connection that was in the way has ended its transaction.
pub type UnlockCallback = Box<dyn FnOnce() + Send>;

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Whether databases are opened with a shared cache unless they ask for one of their own.
pub fn enable_shared_cache(on: bool) {
    ENABLED.store(on, Ordering::Relaxed);
}

pub(crate) fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// What the connections of one shared cache have in common.
#[derive(Debug, Default)]
pub(crate) struct SharedCache {
    locks: Mutex<Locks>,
    /// The files of a database in memory.
    memory: Option<Arc<MemoryVfs>>,
}

/// Files in memory under a name, as long as a database in them is open: the VFS "memdb".
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
    /// Who has a write transaction.
    writer: Option<ConnectionId>,
    /// It is alone: BEGIN EXCLUSIVE.
    is_exclusive: bool,
    waiting: Vec<Waiting>,
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

/// The shared caches of this process, by what was opened: a file's path, or the name of a database in memory.
static CACHES: Mutex<Option<HashMap<Vec<u8>, Weak<SharedCache>>>> = Mutex::new(None);

/// The name under which locks on the schema are held.
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
        let cache = Arc::new(SharedCache { locks: Mutex::default(), memory });
        caches.insert(key, Arc::downgrade(&cache));
        cache
    }

    /// The files of a database in memory.
    pub(crate) fn memory(&self) -> Option<&Arc<MemoryVfs>> {
        self.memory.as_ref()
    }

    /// `me` begins to read or write a table, until its transaction ends.
    pub(crate) fn lock_table(&self, me: ConnectionId, table: &str, writes: bool) -> Result<(), Error> {
        let locks = &mut *guard(&self.locks);
        if let Some(writer) = locks.excluding(me) {
            locks.note_blocked(me, writer);
            return Err(locked(&format!("database table is locked: {table}")));
        }
        let is_it = |lock: &TableLock| lock.table.eq_ignore_ascii_case(table);
        let against = |lock: &&TableLock| lock.holder != me && is_it(lock) && (writes || lock.writes);
        if let Some(holder) = locks.tables.iter().find(against).map(|lock| lock.holder) {
            locks.note_blocked(me, holder);
            return Err(locked(&format!("database table is locked: {table}")));
        }
        match locks.tables.iter_mut().find(|lock| lock.holder == me && is_it(lock)) {
            Some(lock) => lock.writes |= writes,
            None => locks.tables.push(TableLock { holder: me, table: table.into(), writes }),
        }
        Ok(())
    }

    /// `me` begins a write transaction: there is one at a time. An exclusive one needs all others to be idle.
    pub(crate) fn begin_write(&self, me: ConnectionId, exclusive: bool) -> Result<(), Error> {
        let locks = &mut *guard(&self.locks);
        let other_writer = locks.writer.filter(|writer| *writer != me);
        let reader = || locks.tables.iter().map(|lock| lock.holder).find(|holder| *holder != me);
        let in_the_way = other_writer.or_else(|| if exclusive { reader() } else { None });
        if let Some(other) = in_the_way {
            locks.note_blocked(me, other);
            return Err(locked("database table is locked"));
        }
        locks.writer = Some(me);
        locks.is_exclusive |= exclusive;
        Ok(())
    }

    /// Whether somebody else is changing the schema.
    pub(crate) fn is_schema_locked(&self, me: ConnectionId) -> bool {
        let locks = &mut *guard(&self.locks);
        let holder = locks.tables.iter().find(|lock| lock.holder != me && lock.writes && &*lock.table == SCHEMA);
        let holder = holder.map(|lock| lock.holder).or_else(|| locks.excluding(me));
        let Some(holder) = holder else { return false };
        locks.note_blocked(me, holder);
        true
    }

    /// The transaction of `me` has ended. Statements that still run go on reading.
    pub(crate) fn end_write(&self, me: ConnectionId) {
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
            locks.wake(me)
        };
        woken.into_iter().for_each(|callback| callback());
    }

    /// `me` neither reads nor writes any more.
    pub(crate) fn end(&self, me: ConnectionId) {
        let woken = {
            let locks = &mut *guard(&self.locks);
            if locks.writer == Some(me) {
                locks.writer = None;
                locks.is_exclusive = false;
            }
            locks.tables.retain(|lock| lock.holder != me);
            locks.wake(me)
        };
        woken.into_iter().for_each(|callback| callback());
    }

    /// `me` closes the database: it waits for nobody any more.
    pub(crate) fn leave(&self, me: ConnectionId) {
        self.end(me);
        guard(&self.locks).waiting.retain(|waiting| waiting.who != me);
    }

    /// Whether somebody was in the way of `me` and still is.
    pub(crate) fn blocks(&self, me: ConnectionId) -> bool {
        guard(&self.locks).waiting.iter().any(|waiting| waiting.who == me)
    }

    /// Calls `callback` when whoever was in the way of `me` last has ended its transaction: at once if nobody is any more.
    /// SQLITE_LOCKED if that would wait in a circle. `None` takes back what was asked for before.
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
    /// Who keeps everybody else out, if that is not `me`.
    fn excluding(&self, me: ConnectionId) -> Option<ConnectionId> {
        self.writer.filter(|writer| self.is_exclusive && *writer != me)
    }

    fn note_blocked(&mut self, who: ConnectionId, on: ConnectionId) {
        match self.waiting.iter_mut().find(|waiting| waiting.who == who) {
            Some(waiting) => waiting.on = on,
            None => self.waiting.push(Waiting { who, on, callback: None }),
        }
    }

    /// Whether `who` waits, over others perhaps, for `for_whom`. Only those wait who have asked to be called.
    fn waits_for(&self, who: ConnectionId, for_whom: ConnectionId) -> bool {
        let mut at = who;
        for _ in 0..=self.waiting.len() {
            let next = self.waiting.iter().find(|waiting| waiting.who == at && waiting.callback.is_some());
            match next.map(|waiting| waiting.on) {
                Some(on) if on == for_whom => return true,
                Some(on) => at = on,
                None => return false,
            }
        }
        true
    }

    /// Nobody waits for `whom` any more; answers whom to call.
    fn wake(&mut self, whom: ConnectionId) -> Vec<UnlockCallback> {
        let woken = self.waiting.extract_if(.., |waiting| waiting.on == whom);
        woken.filter_map(|waiting| waiting.callback).collect()
    }
}

impl Connection {
    /// A statement is about to run: takes the locks on the tables that it reads and writes in shared databases.
    pub(crate) fn lock_tables(&self, program: &Program) -> Result<(), Error> {
        let mut uses = Vec::new();
        collect_uses(program, &mut uses);
        let catalog = self.catalog();
        for (db, database) in self.databases() {
            let Some(cache) = database.shared() else { continue };
            let own: Vec<&TreeUse> = uses.iter().filter(|used| used.db == db).collect();
            if own.is_empty() {
                continue;
            }
            if own.iter().any(|used| used.writes) {
                cache.begin_write(self.id, false)?;
            }
            cache.lock_table(self.id, SCHEMA, false)?;
            for used in own {
                if !used.writes && self.settings.read_uncommitted.get() {
                    continue;
                }
                let table = table_of(catalog.schema(db), used.root);
                cache.lock_table(self.id, &table, used.writes)?;
            }
        }
        Ok(())
    }

    /// Nothing can be compiled while another connection changes the schema.
    pub(crate) fn check_schema_locks(&self) -> Result<(), Error> {
        for (db, database) in self.databases() {
            if database.shared().is_some_and(|cache| cache.is_schema_locked(self.id)) {
                let name = self.catalog().database_name(db).clone();
                let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                return Err(locked(&format!("database schema is locked: {name}")));
            }
        }
        Ok(())
    }

    /// Calls `callback` when the connection whose locks on a shared cache were in this one's way ends its transaction.
    pub fn unlock_notify(&self, callback: Option<UnlockCallback>) -> Result<(), Error> {
        let databases = self.databases();
        let blocked =
            databases.iter().filter_map(|(_, database)| database.shared()).find(|cache| cache.blocks(self.id));
        match (blocked, callback) {
            (Some(cache), callback) => cache.unlock_notify(self.id, callback),
            (None, Some(callback)) => {
                callback();
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }
}

/// A tree that a program reads or writes.
struct TreeUse {
    db: Db,
    root: PageNo,
    writes: bool,
}

fn collect_uses(program: &Program, uses: &mut Vec<TreeUse>) {
    for insn in program.insns.iter() {
        let (cursor, writes) = match insn {
            Insn::OpenRead { cursor } => (*cursor, false),
            Insn::OpenWrite { cursor } | Insn::OpenWriteAt { cursor, .. } | Insn::ClearTree { cursor, .. } => {
                (*cursor, true)
            }
            _ => continue,
        };
        let info = program.cursor(cursor);
        uses.extend(info.root.map(|root| TreeUse { db: info.db, root, writes }));
    }
    program.subprograms.iter().for_each(|sub| collect_uses(&sub.program, uses));
}

/// The name of the table that a tree belongs to.
fn table_of(schema: &Schema, root: PageNo) -> String {
    let is_it =
        |table: &&Arc<Table>| table.root == Some(root) || table.indexes.iter().any(|index| index.root == Some(root));
    match schema.tables().into_iter().find(is_it) {
        Some(table) if root != PageNo::FIRST => String::from_utf8_lossy(table.name.as_bytes()).into_owned(),
        _ => SCHEMA.to_owned(),
    }
}

fn locked(message: &str) -> Error {
    Error::new(ResultCode::LOCKED_SHAREDCACHE, message)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn whoever_waits_is_called() {
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
