//! The databases of a connection: main, temp, and the attached ones.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `checkpoint` | checkpoints of the logs |
//! | `sharing` | locks on tables in shared caches, and uncommitted changes of other connections of a cache |
//!
//! Nothing is borrowed between two calls, because a call on a database may call the connection, and change the list.

pub(crate) mod checkpoint;
pub(crate) mod sharing;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_catalog::Catalog;
use lithe_pager::{PageCounter, Pager};
use lithe_vfs::{ResultCode, Vfs};
use lithe_vm::operand::Db;

use crate::database::{Database, while_reading_schema};
use crate::error::{Error, Result};
use crate::generation::Generation;
use crate::open::{self, Target, VfsFinder};
use crate::settings::store::StoreSettings;
use crate::shared_cache::ConnectionId;

/// The state of a connection's transaction (`sqlite3_txn_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TransactionKind {
    /// Nothing is read or written.
    None = 0,
    /// The transaction reads.
    Read = 1,
    /// The transaction writes, or has the write lock.
    Write = 2,
}

/// The databases of a connection, in the order of the catalog.
pub(crate) struct Databases {
    list: RefCell<Vec<Rc<Database>>>,
    /// What pragmas have set for the files.
    pub(crate) settings: StoreSettings,
    /// The VFS of the main database, also used for temporary files.
    vfs: Arc<dyn Vfs>,
    vfs_finder: RefCell<Option<VfsFinder>>,
    /// The number of the connection in shared caches.
    id: ConnectionId,
    /// A database shares its cache with other connections, or did so.
    shares_cache: Cell<bool>,
    /// The number of failed mappings in the process at the last [`Databases::check_mappings`].
    mapping_faults: Cell<u64>,
    generation: Generation,
}

impl Databases {
    /// The databases of a connection with this main database, whose files are on `vfs`.
    pub(crate) fn new(main: Database, vfs: Arc<dyn Vfs>, generation: Generation) -> Databases {
        let shares_cache = Cell::new(main.shared().is_some());
        let temp = Database::temporary(Some(Arc::clone(&vfs)));
        Databases {
            list: RefCell::new(vec![Rc::new(main), Rc::new(temp)]),
            settings: StoreSettings::default(),
            vfs,
            vfs_finder: RefCell::default(),
            id: ConnectionId::unique(),
            shares_cache,
            mapping_faults: Cell::new(lithe_vfs::mapping_faults()),
            generation,
        }
    }

    // ---- the list ----

    /// Database `db`. A program names only databases that exist, because DETACH makes it stale.
    pub(crate) fn get(&self, db: Db) -> Result<Rc<Database>> {
        let found = self.list.borrow().get(usize::from(db.0)).cloned();
        found.ok_or_else(|| Error::from_code(ResultCode::SCHEMA))
    }

    /// The B-trees of a database.
    #[inline]
    pub(crate) fn btree(&self, db: Db) -> Result<Rc<Btree>> {
        let list = self.list.borrow();
        let database = list.get(usize::from(db.0)).ok_or_else(|| Error::from_code(ResultCode::SCHEMA))?;
        Ok(Rc::clone(database.btree()))
    }

    /// Looks at database `db`; false without one. The list is borrowed meanwhile, so `look` must call nothing that could change it.
    #[inline]
    pub(crate) fn look(&self, db: Db, look: impl FnOnce(&Database) -> bool) -> bool {
        self.list.borrow().get(usize::from(db.0)).is_some_and(|database| look(database))
    }

    /// All databases with their numbers. Between two steps nothing is borrowed; nothing is allocated.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Db, Rc<Database>)> {
        (0..).map_while(|at| Some((Db(at), self.list.borrow().get(usize::from(at)).cloned()?)))
    }

    /// How many databases there are.
    pub(crate) fn count(&self) -> usize {
        self.list.borrow().len()
    }

    /// Whether `holds` is true for any database. It must not change the list.
    pub(crate) fn any(&self, mut holds: impl FnMut(&Database) -> bool) -> bool {
        self.list.borrow().iter().any(|database| holds(database))
    }

    /// Adds a database at the end of the list, and applies the settings of the files.
    pub(crate) fn attach(&self, database: Database) -> Result<()> {
        assert!(self.count() < usize::from(u8::MAX), "a database without a number");
        assert!(!database.is_writing(), "a database is attached within a transaction of its own");
        self.settings.apply_to(database.btree());
        database.btree().set_secure_delete(self.get(Db::MAIN)?.btree().secure_delete_mode());
        self.shares_cache.set(self.shares_cache() || database.shared().is_some());
        self.list.borrow_mut().push(Rc::new(database));
        self.generation.add();
        Ok(())
    }

    /// Replaces the database `db`.
    pub(crate) fn replace(&self, db: Db, fresh: Database) {
        let before = std::mem::replace(&mut self.list.borrow_mut()[usize::from(db.0)], Rc::new(fresh));
        assert!(!before.is_writing(), "a database is replaced within its transaction");
        // Dropped when nothing is borrowed.
        drop(before);
        self.generation.expire_programs();
    }

    /// Removes an attached database from the list; those after it move up. Unless a statement still holds the database,
    /// it is closed, with or without a checkpoint.
    pub(crate) fn detach(&self, db: Db, checkpoints: bool) {
        assert!(db.0 >= 2, "main and temp stay");
        let removed = self.list.borrow_mut().remove(usize::from(db.0));
        assert!(!removed.is_writing(), "a database is detached within its transaction");
        self.leave(&removed, checkpoints);
        self.generation.expire_programs();
    }

    /// Closes all databases, with or without checkpoints.
    pub(crate) fn close(&self, checkpoints: bool) {
        for (_, database) in self.iter() {
            self.leave(&database, checkpoints);
        }
        let closed = self.list.take();
        drop(closed);
    }

    /// The connection stops using a database.
    fn leave(&self, database: &Database, checkpoints: bool) {
        if let Some(btree) = database.opened() {
            btree.pager().set_checkpoint_on_close(checkpoints);
        }
        self.leave_cache(database);
    }

    // ---- files ----

    /// The VFS of the main database.
    pub(crate) fn vfs(&self) -> &Arc<dyn Vfs> {
        &self.vfs
    }

    /// See `Connection::set_vfs_finder`.
    pub(crate) fn set_vfs_finder(&self, finder: Option<VfsFinder>) {
        let _old = self.vfs_finder.replace(finder);
    }

    /// The VFS of the files of `target`: the one that `target` names, else that of the main database.
    pub(crate) fn vfs_of(&self, target: &Target) -> Result<Arc<dyn Vfs>> {
        let finder = self.vfs_finder.borrow().clone();
        let name = target.vfs.as_deref().unwrap_or(self.vfs.name());
        match finder.map(|finder| finder(name, target)).transpose()?.flatten() {
            Some(vfs) => Ok(vfs),
            None => open::vfs(target, &self.vfs),
        }
    }

    /// The VFS for temporary content that is too large for memory; `None`: it stays in memory.
    pub(crate) fn temporary_files(&self) -> Option<Arc<dyn Vfs>> {
        const MEMORY: u8 = 2;
        (self.settings.temp_store.get() != MEMORY).then(|| Arc::clone(&self.vfs))
    }

    /// Fails if pages that this connection has read may be zeros, because a part of a mapped file could not be read:
    /// see `Pager::check_mapping`.
    #[inline]
    pub(crate) fn check_mappings(&self) -> Result<()> {
        if self.has_no_new_faults() { Ok(()) } else { self.check_each_mapping(lithe_vfs::mapping_faults()) }
    }

    /// Whether no mapping of the process has failed since the last look at those of this connection.
    #[inline]
    pub(crate) fn has_no_new_faults(&self) -> bool {
        lithe_vfs::mapping_faults() == self.mapping_faults.get()
    }

    #[cold]
    fn check_each_mapping(&self, faults: u64) -> Result<()> {
        for (_, database) in self.iter() {
            if let Some(btree) = database.opened() {
                btree.pager().check_mapping()?;
            }
        }
        self.mapping_faults.set(faults);
        Ok(())
    }

    /// Spills the dirty pages of all databases to the log or to a temporary file.
    pub(crate) fn flush(&self) -> Result<()> {
        self.iter().try_for_each(|(_, database)| match database.in_use() {
            Some(btree) => Ok(btree.pager().flush()?),
            None => Ok(()),
        })
    }

    /// About how many bytes of memory the pages take.
    pub(crate) fn page_memory(&self) -> u64 {
        self.sum_of_pagers(Pager::memory_used)
    }

    /// The value of a counter, summed over all databases; `reset` sets it to 0.
    pub(crate) fn page_count_of(&self, counter: PageCounter, reset: bool) -> u64 {
        self.sum_of_pagers(|pager| pager.count(counter, reset))
    }

    fn sum_of_pagers(&self, of: impl Fn(&Pager) -> u64) -> u64 {
        self.iter().filter_map(|(_, database)| Some(of(database.opened()?.pager()))).sum()
    }

    // ---- transactions ----

    /// Whether a write transaction is open on any database.
    pub(crate) fn is_writing(&self) -> bool {
        self.any(Database::is_writing)
    }

    /// The databases on which a write transaction is open.
    pub(crate) fn writing(&self) -> Vec<Rc<Btree>> {
        let writing = self.iter().filter(|(_, database)| database.is_writing());
        writing.map(|(_, database)| Rc::clone(database.btree())).collect()
    }

    /// The state of the transaction on a database, or the highest state on any database (`None`).
    pub(crate) fn transaction_kind(&self, only: Option<Db>) -> Option<TransactionKind> {
        let wanted = self.iter().filter(|(db, _)| only.is_none_or(|only| only == *db));
        let kind = wanted.map(|(_, database)| match database.opened().map(|btree| btree.pager()) {
            Some(pager) if pager.is_writing() => TransactionKind::Write,
            Some(pager) if pager.is_reading() => TransactionKind::Read,
            _ => TransactionKind::None,
        });
        kind.max()
    }

    /// See `SqlConnection::content_version`.
    pub(crate) fn content_version(&self, db: Db) -> Option<u64> {
        let list = self.list.borrow();
        let pager = list.get(usize::from(db.0))?.btree().pager();
        pager.is_reading().then(|| pager.write_version())
    }

    // ---- schemas ----

    /// Marks the catalog's schema of `db` as stale; it is loaded again at its next use. That of temp is in memory only,
    /// and never stale.
    pub(crate) fn forget_schema(&self, db: Db) {
        if let Ok(database) = self.get(db)
            && db != Db::TEMP
        {
            database.set_loaded(false);
            self.generation.change_schema();
        }
    }

    /// The same for all databases, temp included, whose schema table may have been written by hand.
    pub(crate) fn forget_all_schemas(&self) {
        self.iter().for_each(|(_, database)| database.set_loaded(false));
        self.generation.change_schema();
    }

    /// Fails unless the catalog agrees with the file of `db`, on which a transaction is open.
    pub(crate) fn check_schema(&self, db: Db, database: &Database, catalog: &Catalog) -> Result<()> {
        debug_assert!(database.btree().pager().is_reading(), "a schema is compared that may change at once");
        if database.is_loaded() && database.schema_cookie()? == catalog.schema(db).cookie {
            return Ok(());
        }
        self.forget_schema(db);
        Err(Error::from_code(ResultCode::SCHEMA))
    }

    /// Forgets the schemas that other connections have changed since they were loaded; returns whether there were any. `users` statements
    /// use databases meanwhile.
    pub(crate) fn forget_stale_schemas(&self, catalog: &Catalog, users: usize) -> bool {
        let is_stale = |db: Db, database: &Database| -> Result<bool> {
            let Some(btree) = database.in_use().filter(|_| db != Db::TEMP && database.is_loaded()) else {
                return Ok(false);
            };
            let cookie = while_reading_schema(btree.pager(), users, || database.schema_cookie())?;
            Ok(cookie != catalog.schema(db).cookie)
        };
        let stale = self.iter().filter(|(db, database)| is_stale(*db, database).unwrap_or(false));
        let stale: Vec<Db> = stale.map(|(db, _)| db).collect();
        stale.iter().for_each(|db| self.forget_schema(*db));
        !stale.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::busy::BusyHandler;
    use crate::interrupt::Interrupts;
    use crate::open::OpenFlags;
    use lithe_pager::{BeginKind, LockingMode};
    use lithe_vfs::MemoryVfs;

    struct World {
        vfs: Arc<dyn Vfs>,
        busy: Rc<BusyHandler>,
        databases: Databases,
        generation: Generation,
    }

    impl World {
        fn new() -> World {
            let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
            let busy = Rc::new(BusyHandler::new(Arc::clone(&vfs), &Interrupts::default()));
            let generation = Generation::default();
            let main = in_memory(&vfs, &busy);
            let databases = Databases::new(main, Arc::clone(&vfs), generation.clone());
            World { vfs, busy, databases, generation }
        }

        fn attach(&self) {
            self.databases.attach(in_memory(&self.vfs, &self.busy)).unwrap();
        }
    }

    fn in_memory(vfs: &Arc<dyn Vfs>, busy: &Rc<BusyHandler>) -> Database {
        Database::open(&open::target(b":memory:", OpenFlags::DEFAULT).unwrap(), vfs, busy).unwrap()
    }

    #[test]
    fn the_list_and_its_numbers() {
        let world = World::new();
        world.databases.settings.locking_mode.set(LockingMode::Exclusive);
        let before = world.generation.number();
        (0..2).for_each(|_| world.attach());
        assert_ne!(world.generation.number(), before, "a change of the list makes programs stale");
        let numbers: Vec<u8> = world.databases.iter().map(|(db, _)| db.0).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        let last = world.databases.get(Db(3)).unwrap();
        assert_eq!(last.btree().pager().locking_mode(), LockingMode::Exclusive, "it has the settings of the others");
        world.databases.detach(Db(2), true);
        assert!(Rc::ptr_eq(&world.databases.get(Db(2)).unwrap(), &last), "those behind move up");
        assert_eq!(world.databases.get(Db(3)).err().map(|error| error.code()), Some(ResultCode::SCHEMA));
        world.databases.close(true);
        assert_eq!(world.databases.iter().count(), 0);
    }

    #[test]
    #[should_panic(expected = "main and temp stay")]
    fn main_is_never_detached() {
        World::new().databases.detach(Db::MAIN, true);
    }

    #[test]
    fn the_furthest_transaction_counts() {
        let World { databases, .. } = World::new();
        let main = databases.btree(Db::MAIN).unwrap();
        assert_eq!(databases.transaction_kind(None), Some(TransactionKind::None));
        main.pager().begin_read().unwrap();
        assert_eq!(databases.transaction_kind(None), Some(TransactionKind::Read));
        main.pager().begin_write(BeginKind::Immediate).unwrap();
        assert_eq!(databases.transaction_kind(None), Some(TransactionKind::Write));
        assert_eq!(databases.transaction_kind(Some(Db::TEMP)), Some(TransactionKind::None));
        assert!(databases.is_writing());
        assert_eq!(databases.writing().len(), 1);
    }

    #[test]
    fn temporary_content_stays_in_memory_if_that_is_wanted() {
        let World { databases, .. } = World::new();
        assert!(databases.temporary_files().is_some());
        databases.settings.temp_store.set(2);
        assert!(databases.temporary_files().is_none());
    }
}
