//! Databases in shared caches: locks on tables, and uncommitted changes of other connections of a cache.

use lithe_btree::Btree;
use lithe_catalog::Table;
use lithe_pager::{BeginKind, Pager};
use lithe_vm::operand::Db;

use super::Databases;
use crate::database::Database;
use crate::error::Error;
use crate::shared_cache::{SCHEMA, TableUse, UnlockCallback};

impl Databases {
    /// Whether any database shares its cache with other connections, or did so.
    #[inline]
    pub(crate) fn shares_cache(&self) -> bool {
        self.shares_cache.get()
    }

    /// A statement is about to run: takes the locks on the tables that it reads and writes in shared databases. Returns
    /// whether it has locks on all its tables.
    pub(crate) fn lock_tables(&self, tables: &[TableUse]) -> Result<bool, Error> {
        assert!(tables.is_sorted_by_key(|used| used.db.0), "the tables of one database stand together");
        let spares_reads = self.settings.read_uncommitted.get();
        for used in tables.chunk_by(|a, b| a.db == b.db) {
            assert!(&*used[0].table == SCHEMA && !used[0].writes, "the schema comes first");
            let database = self.get(used[0].db)?;
            let Some(share) = database.shared() else { continue };
            if used.iter().any(|used| used.writes) {
                share.begin_write(self.id, false)?;
            }
            if spares_reads {
                // The schema, which comes first, is locked all the same.
                share.lock_tables(self.id, &used[..1])?;
                for used in used[1..].iter().filter(|used| used.writes) {
                    share.lock_tables(self.id, std::slice::from_ref(used))?;
                }
            } else {
                share.lock_tables(self.id, used)?;
            }
            let pager = database.btree().pager();
            pager.resume()?;
            pager.follow_cache()?;
        }
        Ok(!spares_reads)
    }

    /// Locks a table that the engine itself reads or writes, without a program.
    pub(crate) fn lock_table(&self, db: Db, table: &Table, writes: bool) -> Result<(), Error> {
        let database = self.get(db)?;
        let Some(share) = database.shared() else { return Ok(()) };
        if writes {
            share.begin_write(self.id, false)?;
        }
        let table = String::from_utf8_lossy(table.name.as_bytes());
        let used = [TableUse { db, table: SCHEMA.into(), writes: false }, TableUse { db, table: table.into(), writes }];
        let spares_read = self.settings.read_uncommitted.get() && !writes;
        share.lock_tables(self.id, if spares_read { &used[..1] } else { &used })
    }

    /// A write transaction begins on a database. A cache has at most one.
    pub(crate) fn begin_shared_write(&self, database: &Database, kind: BeginKind) -> Result<(), Error> {
        database.shared().map_or(Ok(()), |share| share.begin_write(self.id, kind == BeginKind::Exclusive))
    }

    /// The transaction has ended in every shared cache. Statements that still run keep their read locks.
    pub(crate) fn end_shared_writes(&self) {
        for (_, database) in self.iter() {
            if let Some(share) = database.shared() {
                share.end_write(self.id);
            }
        }
    }

    /// The connection has stopped reading and writing a database.
    pub(crate) fn end_shared(&self, database: &Database) {
        if let Some(share) = database.shared() {
            share.end(self.id);
        }
    }

    /// The connection stops using a database: other connections of its cache no longer wait for it.
    pub(crate) fn leave_cache(&self, database: &Database) {
        if let Some(share) = database.shared() {
            share.leave(self.id);
        }
    }

    /// Whether another connection has a write transaction in the cache of a database.
    pub(crate) fn is_written_by_others(&self, database: &Database) -> bool {
        database.shared().is_some_and(|share| share.is_written_by_others(self.id))
    }

    /// Whether another connection has a transaction in the cache of a database.
    pub(crate) fn is_used_by_others(&self, database: &Database) -> bool {
        database.shared().is_some_and(|share| share.is_used_by_others(self.id))
    }

    /// Before a step: makes changes visible that other connections of the cache have made since the last step.
    pub(crate) fn resume_shared(&self) -> Result<(), Error> {
        let sees_uncommitted = self.settings.read_uncommitted.get();
        self.each_shared(|pager| {
            pager.resume()?;
            if sees_uncommitted { pager.see_uncommitted(false) } else { Ok(()) }
        })
    }

    /// After a step: until the next one, other connections of the cache may read what this one has changed and, if
    /// `may_pause`, commit.
    pub(crate) fn lend_shared(&self, may_pause: bool) {
        // Neither can fail.
        let _ = self.each_shared(|pager| {
            pager.lend_uncommitted();
            if may_pause {
                pager.pause();
            }
            Ok(())
        });
    }

    /// Reads data that belongs to no table: in a shared cache including uncommitted changes.
    pub(crate) fn as_it_is_written<T>(
        &self,
        db: Db,
        read: impl FnOnce(&Btree) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let database = self.get(db)?;
        let btree = database.btree();
        if database.shared().is_none() {
            return read(btree);
        }
        btree.pager().follow_cache()?;
        btree.pager().see_uncommitted(true)?;
        let read = read(btree);
        if !self.settings.read_uncommitted.get() {
            btree.pager().ignore_uncommitted();
        }
        read
    }

    /// Calls `act` for each shared database that is in use.
    fn each_shared(&self, mut act: impl FnMut(&Pager) -> lithe_pager::Result<()>) -> Result<(), Error> {
        let mut outcome = Ok(());
        self.any(|database| {
            if let (Some(_), Some(btree)) = (database.shared(), database.in_use()) {
                outcome = act(btree.pager());
            }
            outcome.is_err()
        });
        Ok(outcome?)
    }

    /// PRAGMA read_uncommitted.
    pub(crate) fn set_read_uncommitted(&self, on: bool) {
        self.settings.read_uncommitted.set(on);
        if !on {
            for (_, database) in self.iter() {
                if let Some(btree) = database.opened() {
                    btree.pager().ignore_uncommitted();
                }
            }
        }
    }

    /// A database whose schema another connection is changing. Meanwhile nothing can be compiled.
    pub(crate) fn locked_schema(&self) -> Option<Db> {
        let is_locked =
            |database: &Database| database.shared().is_some_and(|share| share.cache.is_schema_locked(self.id));
        self.iter().find(|(_, database)| is_locked(database)).map(|(db, _)| db)
    }

    /// See `Connection::unlock_notify`.
    pub(crate) fn unlock_notify(&self, callback: Option<UnlockCallback>) -> Result<(), Error> {
        let databases: Vec<_> = self.iter().collect();
        let blocked =
            databases.iter().filter_map(|(_, database)| database.shared()).find(|share| share.cache.blocks(self.id));
        match (blocked, callback) {
            (Some(share), callback) => share.cache.unlock_notify(self.id, callback),
            (None, Some(callback)) => {
                callback();
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;
    use std::sync::Arc;

    use lithe_vfs::{MemoryVfs, ResultCode, Vfs};

    use super::*;
    use crate::busy::BusyHandler;
    use crate::generation::Generation;
    use crate::interrupt::Interrupts;
    use crate::open::{self, OpenFlags};

    /// The databases of a connection whose main database is in memory and shared.
    fn sharing(name: &str) -> Databases {
        let vfs: Arc<dyn Vfs> = Arc::new(MemoryVfs::new());
        let busy = Rc::new(BusyHandler::new(Arc::clone(&vfs), &Interrupts::default()));
        let uri = format!("file:{name}?mode=memory&cache=shared");
        let target = open::target(uri.as_bytes(), OpenFlags::DEFAULT).unwrap();
        Databases::new(Database::open(&target, &vfs, &busy).unwrap(), vfs, Generation::default())
    }

    fn uses(table: &str, writes: bool) -> [TableUse; 2] {
        let of = |table: &str, writes| TableUse { db: Db::MAIN, table: table.into(), writes };
        [of(SCHEMA, false), of(table, writes)]
    }

    fn code(locked: Result<bool, Error>) -> Option<ResultCode> {
        locked.err().map(|error| error.code())
    }

    #[test]
    fn a_table_that_is_written_is_locked_until_the_transaction_ends() {
        let [one, other] = ["unit_locks"; 2].map(sharing);
        assert!(one.shares_cache() && !one.is_used_by_others(&one.get(Db::MAIN).unwrap()));
        assert_eq!(one.lock_tables(&uses("t", true)), Ok(true));
        assert!(other.is_written_by_others(&other.get(Db::MAIN).unwrap()));
        assert_eq!(code(other.lock_tables(&uses("t", false))), Some(ResultCode::LOCKED_SHAREDCACHE));
        assert_eq!(other.lock_tables(&uses("u", false)), Ok(true));
        one.end_shared_writes();
        assert_eq!(other.lock_tables(&uses("t", false)), Ok(true), "one reads on, and so may the other");
        assert_eq!(code(one.lock_tables(&uses("t", true))), Some(ResultCode::LOCKED_SHAREDCACHE));
    }

    #[test]
    fn read_uncommitted_locks_the_schema_alone() {
        let [one, other] = ["unit_uncommitted"; 2].map(sharing);
        other.set_read_uncommitted(true);
        assert_eq!(one.lock_tables(&uses("t", true)), Ok(true));
        assert_eq!(other.lock_tables(&uses("t", false)), Ok(false));
        assert_eq!(one.lock_tables(&[TableUse { db: Db::MAIN, table: SCHEMA.into(), writes: false }]), Ok(true));
        assert_eq!(one.locked_schema(), None);
    }

    #[test]
    fn a_connection_that_closes_is_waited_for_no_more() {
        let [one, other] = ["unit_closing"; 2].map(sharing);
        assert_eq!(one.lock_tables(&uses("t", true)), Ok(true));
        assert!(other.lock_tables(&uses("t", true)).is_err());
        one.close(true);
        assert_eq!(other.lock_tables(&uses("t", true)), Ok(true));
    }

    #[test]
    #[should_panic(expected = "the schema comes first")]
    fn locks_begin_with_the_schema() {
        let [_, table] = uses("t", false);
        let _ = sharing("unit_schema").lock_tables(&[table]);
    }
}
