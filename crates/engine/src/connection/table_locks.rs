//! The tables that a statement reads and writes, and their locks in shared caches.

use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::Btree;
use lithe_catalog::{Schema, Table};
use lithe_format::PageNo;
use lithe_pager::Pager;
use lithe_vm::insn::Insn;
use lithe_vm::operand::Db;
use lithe_vm::program::Program;

use crate::connection::Connection;
use crate::error::Error;
use crate::shared_cache::{SCHEMA, TableUse, UnlockCallback, locked};

/// The tables that a program reads and writes.
pub(crate) struct TableUses {
    program: Arc<Program>,
    generation: u64,
    tables: Rc<[TableUse]>,
}

impl Connection {
    /// A statement is about to run: takes the locks on the tables that it reads and writes in shared databases. Answers whether
    /// it has locks on all.
    pub(crate) fn lock_tables(&self, program: &Arc<Program>) -> Result<bool, Error> {
        let tables = self.tables_of(program);
        let spares_reads = self.settings.read_uncommitted.get();
        for used in tables.chunk_by(|a, b| a.db == b.db) {
            let database = self.database(used[0].db)?;
            let Some(share) = database.shared() else { continue };
            if used.iter().any(|used| used.writes) {
                share.begin_write(self.id, false)?;
            }
            if spares_reads {
                // The schema is locked all the same: it comes first.
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

    /// What is no program reads or writes a table.
    pub(crate) fn lock_table(&self, db: Db, table: &Table, writes: bool) -> Result<(), Error> {
        let database = self.database(db)?;
        let Some(share) = database.shared() else { return Ok(()) };
        if writes {
            share.begin_write(self.id, false)?;
        }
        let table = String::from_utf8_lossy(table.name.as_bytes());
        let used = [TableUse { db, table: SCHEMA.into(), writes: false }, TableUse { db, table: table.into(), writes }];
        let spares_read = self.settings.read_uncommitted.get() && !writes;
        share.lock_tables(self.id, if spares_read { &used[..1] } else { &used })
    }

    /// Before a step: what others of the cache have changed meanwhile is looked at.
    pub(crate) fn step_begins(&self) -> Result<(), Error> {
        let sees_uncommitted = self.settings.read_uncommitted.get();
        self.facts.note_write(); // others of the cache may have
        self.each_shared(|pager| {
            pager.resume()?;
            if sees_uncommitted { pager.see_uncommitted(false) } else { Ok(()) }
        })
    }

    /// After a step: others of the cache may look at what it has changed, or commit, until the next one.
    pub(crate) fn step_ends(&self) {
        let state = &self.transaction;
        if !self.has_shared_cache() || state.executing.get() > 0 {
            return;
        }
        let may_rest = state.active_count() == state.active_under_locks.get();
        // Neither can fail.
        let _ = self.each_shared(|pager| {
            pager.lend_uncommitted();
            if may_rest {
                pager.pause();
            }
            Ok(())
        });
    }

    /// Reads what belongs to no table: where the cache is shared, that is seen as it is written, whether or not it is committed.
    pub(crate) fn as_it_is_written<T>(
        &self,
        db: Db,
        read: impl FnOnce(&Btree) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let database = self.database(db)?;
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
        self.any_database(|database| {
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
            for (_, database) in self.databases() {
                if let Some(btree) = database.opened() {
                    btree.pager().ignore_uncommitted();
                }
            }
        }
    }

    /// What a program reads and writes, by database, each beginning with the schema. Most statements that run are the
    /// one that ran before.
    fn tables_of(&self, program: &Arc<Program>) -> Rc<[TableUse]> {
        if let Some(known) = &*self.table_uses.borrow()
            && Arc::ptr_eq(&known.program, program)
            && known.generation == self.generation()
        {
            return Rc::clone(&known.tables);
        }
        let mut trees = Vec::new();
        collect_uses(program, &mut trees);
        trees.sort_by_key(|tree| tree.db.0);
        let catalog = self.catalog();
        let mut tables = Vec::new();
        for trees in trees.chunk_by(|a, b| a.db == b.db) {
            let db = trees[0].db;
            tables.push(TableUse { db, table: SCHEMA.into(), writes: false });
            tables.extend(trees.iter().map(|tree| TableUse {
                db,
                table: table_of(catalog.schema(db), tree.root).into(),
                writes: tree.writes,
            }));
        }
        let tables: Rc<[TableUse]> = tables.into();
        let (program, generation) = (Arc::clone(program), self.generation());
        self.table_uses.replace(Some(TableUses { program, generation, tables: Rc::clone(&tables) }));
        tables
    }

    /// Nothing can be compiled while another connection changes the schema.
    pub(crate) fn check_schema_locks(&self) -> Result<(), Error> {
        for (db, database) in self.databases() {
            if database.shared().is_some_and(|share| share.cache.is_schema_locked(self.id)) {
                let name = self.catalog().database_name(db).clone();
                let name = String::from_utf8_lossy(name.as_bytes()).into_owned();
                return Err(locked(&format!("database schema is locked: {name}")));
            }
        }
        Ok(())
    }

    /// Calls `callback` when the connection whose locks on a shared cache were in this one's way ends its transaction.
    pub fn unlock_notify(&self, callback: Option<UnlockCallback>) -> Result<(), Error> {
        let databases: Vec<_> = self.databases().collect();
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
