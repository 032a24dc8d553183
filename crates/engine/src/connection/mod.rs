//! The connection: the databases it has open, its catalog, its settings and its transaction.
//!
//! Every method takes `&self`. User functions, collations, hooks and virtual tables may come back to the connection
//! while one of its statements runs, so its state is in cells, and no borrow of a cell outlives the line it is on.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `transaction` | where the connection stands between BEGIN, savepoints and statements |
//! | `statement` | compiled statements and their runs; commands that the engine runs itself |
//! | `program_cache` | compiled programs by their text |
//! | `host` | what a running program asks of the connection |
//! | `hooks`, `config`, `limit` | callbacks, switches, limits |
//! | `virtual_tables`, `module_sql` | modules, and the SQL that they run |
//! | `blob` | BLOB handles, and rows that they watch |
//! | `table_locks` | locks on tables in shared caches |
//! | `measure` | how large trees are, for the planner |
//! | `abandon` | what is left after a panic |

pub(crate) mod abandon;
pub(crate) mod blob;
pub(crate) mod config;
pub(crate) mod hooks;
pub(crate) mod host;
pub(crate) mod limit;
pub(crate) mod measure;
pub(crate) mod module_sql;
pub(crate) mod program_cache;
pub(crate) mod statement;
pub(crate) mod table_locks;
pub(crate) mod transaction;
pub(crate) mod virtual_tables;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bumpalo::Bump;
use hashbrown::HashSet;
use lithe_btree::Btree;
use lithe_catalog::{Catalog, Schema, Table, Wanted};
use lithe_format::PageNo;
use lithe_functions::Registry;
use lithe_resolve::environment::{Environment, Flags as CompileFlags, OverloadedFunctions};
use lithe_sql::{Limits, Shape};
use lithe_value::ValueRef;
use lithe_vfs::{ResultCode, Vfs};
use lithe_vm::builder::SpareBuilder;
use lithe_vm::facts::ConnectionFacts;
use lithe_vm::host::TableRows;
use lithe_vm::operand::Db;

use crate::busy::{BusyCallback, BusyHandler};
use crate::collations::Collations;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::interrupt::{InterruptHandle, Interrupts};
use crate::open::{self, OpenFlags, Target, VfsFinder};
use crate::random::Random;
use crate::settings::StoreSettings;
use crate::shared_cache::ConnectionId;
use blob::RowWatches;
use config::{Config, OtherSwitches};
use hooks::Hooks;
use limit::OtherLimits;
use measure::Measured;
use module_sql::{ClientData, KeptStatements};
use program_cache::ProgramCache;
use table_locks::TableUses;
use transaction::{StatementRun, TransactionState};
use virtual_tables::VirtualTables;

/// The table-valued functions that the engine brings along.
pub(crate) trait TableFunctions {
    /// The functions as tables of the catalog.
    fn tables(&self) -> Arc<Vec<Arc<Table>>>;

    /// The rows of a function. The hidden columns are its arguments.
    fn rows(
        &self,
        connection: &Connection,
        run: &StatementRun,
        function: &str,
        arguments: &[Option<ValueRef<'_>>],
    ) -> Result<TableRows>;
}

/// A connection to a database and to those attached to it.
pub struct Connection {
    /// main, temp, and the attached ones: the positions are the catalog's.
    databases: RefCell<Vec<Rc<Database>>>,
    pub(crate) vfs: Arc<dyn Vfs>,
    pub(crate) vfs_finder: RefCell<Option<VfsFinder>>,
    pub(crate) random: Random,
    pub(crate) flags: OpenFlags,
    pub(crate) catalog: RefCell<Arc<Catalog>>,
    /// How large the trees are that joins use.
    pub(crate) measured: RefCell<Measured>,
    pub(crate) functions: RefCell<Arc<Registry>>,
    pub(crate) collations: RefCell<Collations>,
    /// Counts what makes compiled programs stale: schemas, functions, collations, settings.
    generation: Rc<Cell<u64>>,
    /// A database shares its cache with other connections, or did.
    shares_cache: Cell<bool>,
    /// Who this is among the connections that share caches.
    pub(crate) id: ConnectionId,
    /// What the program that ran last reads and writes, if a database is shared.
    pub(crate) table_uses: RefCell<Option<TableUses>>,
    pub(crate) compile_flags: Cell<CompileFlags>,
    pub(crate) limits: Cell<Limits>,
    pub(crate) facts: ConnectionFacts,
    pub(crate) transaction: TransactionState,
    pub(crate) programs: RefCell<ProgramCache>,
    /// The roots of the indexes that statements have used: PRAGMA optimize looks after their tables.
    pub(crate) searches: RefCell<HashSet<(Db, Option<PageNo>)>>,
    /// The memory of the last shape, for the next one.
    pub(crate) shape: Cell<Shape>,
    pub(crate) interrupts: Interrupts,
    pub(crate) busy: Rc<BusyHandler>,
    pub(crate) settings: StoreSettings,
    pub(crate) hooks: Hooks,
    pub(crate) row_watches: RowWatches,
    pub(crate) virtual_tables: VirtualTables,
    /// Statements that functions and modules keep.
    pub(crate) kept: KeptStatements,
    /// The engine's own table-valued functions.
    pub(crate) table_functions: &'static dyn TableFunctions,
    pub(crate) client_data: ClientData,
    pub(crate) other_limits: Cell<OtherLimits>,
    pub(crate) other_switches: Cell<OtherSwitches>,
    /// How many digits a real has as a text.
    pub(crate) real_digits: Cell<i32>,
    /// How often mappings of the process had failed when this connection last looked.
    mapping_faults: Cell<u64>,
    /// The arena of the last compilation, for the next one.
    arena: Cell<Option<Bump>>,
    /// The builder of the last program, likewise.
    pub(crate) builder: SpareBuilder,
}

impl Connection {
    /// Opens a connection on files of `vfs`, with these table-valued functions.
    pub(crate) fn open_target(
        target: &Target,
        flags: OpenFlags,
        vfs: Arc<dyn Vfs>,
        table_functions: &'static dyn TableFunctions,
    ) -> Result<Connection> {
        let interrupts = Interrupts::default();
        let busy = Rc::new(BusyHandler::new(Arc::clone(&vfs), &interrupts));
        let main = Database::open(target, &vfs, &busy)?;
        let shares_cache = main.shared().is_some();
        let temp = Database::temporary(Some(Arc::clone(&vfs)));
        let mut catalog = Catalog::new();
        catalog.set_table_functions(table_functions.tables());
        Ok(Connection {
            databases: RefCell::new(vec![Rc::new(main), Rc::new(temp)]),
            vfs,
            vfs_finder: RefCell::default(),
            random: Random::default(),
            flags,
            catalog: RefCell::new(Arc::new(catalog)),
            measured: RefCell::default(),
            functions: RefCell::new(Arc::new(Registry::builtin())),
            collations: RefCell::default(),
            generation: Rc::default(),
            shares_cache: Cell::new(shares_cache),
            id: ConnectionId::unique(),
            table_uses: RefCell::default(),
            compile_flags: Cell::default(),
            limits: Cell::default(),
            facts: ConnectionFacts::default(),
            transaction: TransactionState::new(),
            programs: RefCell::new(ProgramCache::new()),
            shape: Cell::default(),
            interrupts,
            busy,
            searches: RefCell::default(),
            settings: StoreSettings::default(),
            hooks: Hooks::default(),
            row_watches: RowWatches::default(),
            virtual_tables: VirtualTables::default(),
            kept: KeptStatements::default(),
            table_functions,
            client_data: ClientData::default(),
            other_limits: Cell::default(),
            other_switches: Cell::default(),
            real_digits: Cell::new(lithe_value::number::decimal::ROUND_TRIP_DIGITS),
            mapping_faults: Cell::new(lithe_vfs::mapping_faults()),
            arena: Cell::new(None),
            builder: SpareBuilder::default(),
        })
    }

    /// Closes the connection: rolls back an open transaction, gives locks back, closes the files. The last connection to a
    /// database in WAL mode checkpoints it.
    pub fn close(self) -> Result<()> {
        self.close_databases()
    }

    fn close_databases(&self) -> Result<()> {
        self.drop_hooks();
        if self.is_broken() {
            self.abandon();
        }
        self.forget_kept_statements();
        if !self.is_autocommit() || self.transaction.has_active() {
            self.roll_back_all();
        }
        self.forget_programs();
        self.close_virtual_tables();
        self.forget_kept_statements();
        for (_, database) in self.databases() {
            self.say_whether_to_checkpoint(&database);
            if let Some(cache) = database.shared() {
                cache.leave(self.id);
            }
        }
        self.databases.borrow_mut().clear();
        Ok(())
    }

    // ---- databases ----

    /// Whom to ask for a VFS by its name, when a database is attached or made. By default there are the engine's own.
    pub fn set_vfs_finder(&self, finder: Option<VfsFinder>) {
        let _old = self.vfs_finder.replace(finder);
    }

    /// The place where the files of `target` are: the one that it names, else that of the connection's main database.
    pub(crate) fn vfs_of(&self, target: &Target) -> Result<Arc<dyn Vfs>> {
        let finder = self.vfs_finder.borrow().clone();
        let name = target.vfs.as_deref().unwrap_or(self.vfs.name());
        match finder.map(|finder| finder(name, target)).transpose()?.flatten() {
            Some(vfs) => Ok(vfs),
            None => open::vfs(target, &self.vfs),
        }
    }

    /// Database `db`. Programs name only databases that exist: a change of the list makes them stale.
    pub(crate) fn database(&self, db: Db) -> Result<Rc<Database>> {
        let found = self.databases.borrow().get(usize::from(db.0)).cloned();
        found.ok_or_else(|| Error::from_code(ResultCode::SCHEMA))
    }

    /// The B-trees of a database.
    #[inline]
    pub(crate) fn btree(&self, db: Db) -> Result<Rc<Btree>> {
        let databases = self.databases.borrow();
        let database = databases.get(usize::from(db.0)).ok_or_else(|| Error::from_code(ResultCode::SCHEMA))?;
        Ok(Rc::clone(database.btree()))
    }

    /// Whether any database shares its cache with other connections.
    #[inline]
    pub(crate) fn has_shared_cache(&self) -> bool {
        self.shares_cache.get()
    }

    /// All databases with their numbers. Nothing is borrowed between two of them, and nothing allocated.
    pub(crate) fn databases(&self) -> impl Iterator<Item = (Db, Rc<Database>)> {
        (0..).map_while(|at| Some((Db(at), self.databases.borrow().get(usize::from(at)).cloned()?)))
    }

    /// Whether `is_it` holds for any database.
    pub(crate) fn any_database(&self, mut is_it: impl FnMut(&Database) -> bool) -> bool {
        self.databases.borrow().iter().any(|database| is_it(database))
    }

    /// Fails if what a database of this connection has read may be zeros, because its file could not be shown where it is mapped:
    /// see `Pager::check_mapping`.
    #[inline]
    pub(crate) fn check_mappings(&self) -> Result<()> {
        let faults = lithe_vfs::mapping_faults();
        if faults == self.mapping_faults.get() { Ok(()) } else { self.look_at_mappings(faults) }
    }

    #[cold]
    fn look_at_mappings(&self, faults: u64) -> Result<()> {
        for (_, database) in self.databases() {
            if let Some(btree) = database.opened() {
                btree.pager().check_mapping()?;
            }
        }
        self.mapping_faults.set(faults);
        Ok(())
    }

    pub(crate) fn add_database(&self, database: Database) {
        self.shares_cache.set(self.shares_cache.get() || database.shared().is_some());
        self.databases.borrow_mut().push(Rc::new(database));
    }

    /// Puts another database in the place of `db`.
    pub(crate) fn replace_database(&self, db: Db, fresh: Database) {
        let before = std::mem::replace(&mut self.databases.borrow_mut()[usize::from(db.0)], Rc::new(fresh));
        drop(before);
        self.expire_programs();
    }

    /// Puts another temporary database in the place of the one there is, and its objects with it.
    pub(crate) fn replace_temporary(&self) {
        self.replace_database(Db::TEMP, Database::temporary(self.temporary_files()));
        self.change_catalog(|catalog| catalog.set_schema(Db::TEMP, Arc::new(Schema::new(true))));
    }

    /// Where temporary content goes that is too large for memory; `None`: it stays there.
    pub(crate) fn temporary_files(&self) -> Option<Arc<dyn Vfs>> {
        const MEMORY: u8 = 2;
        (self.settings.temp_store.get() != MEMORY).then(|| Arc::clone(&self.vfs))
    }

    pub(crate) fn remove_database(&self, db: Db) -> Rc<Database> {
        let removed = self.databases.borrow_mut().remove(usize::from(db.0));
        self.say_whether_to_checkpoint(&removed);
        if let Some(cache) = removed.shared() {
            cache.leave(self.id);
        }
        removed
    }

    /// A database is about to be closed: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE says what becomes of its log.
    fn say_whether_to_checkpoint(&self, database: &Database) {
        if let Some(btree) = database.opened() {
            btree.pager().set_checkpoint_on_close(!self.config(Config::NoCheckpointOnClose));
        }
    }

    // ---- what compiling needs ----

    /// The catalog as it is now. It does not change in the caller's hands.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.borrow())
    }

    /// Changes the catalog: programs compiled before are stale.
    pub(crate) fn change_catalog<T>(&self, change: impl FnOnce(&mut Catalog) -> T) -> T {
        let result = change(Arc::make_mut(&mut self.catalog.borrow_mut()));
        self.expire_programs();
        result
    }

    /// What makes compiled programs stale has changed.
    pub(crate) fn expire_programs(&self) {
        self.generation.set(self.generation.get() + 1);
    }

    /// The counter itself, for code that makes programs stale without the connection at hand.
    pub(crate) fn shared_generation(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.generation)
    }

    /// The number of changes so far of what programs are compiled against.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.get()
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment {
            catalog: self.catalog(),
            functions: Arc::clone(&self.functions.borrow()),
            collations: Arc::clone(self.collations.borrow().chosen()),
            // What the schema has may have comments, whatever statements may.
            limits: Limits { comments: true, ..self.limits.get() },
            flags: self.compile_flags.get(),
            authorizer: self.hooks.authorizer(),
            shadow_tables: self.shadow_tables(),
            virtual_tables: self.virtual_tables.connected.clone(),
            overloaded: OverloadedFunctions::default(),
            parameters: Vec::new(),
            measures: self.measured.borrow().measures(),
            wanted: Wanted::default(),
        }
    }

    /// Runs `f` with an arena that is empty and usually has memory already.
    pub(crate) fn with_arena<T>(&self, f: impl FnOnce(&Bump) -> T) -> T {
        let mut arena = self.arena.take().unwrap_or_default();
        let result = f(&arena);
        arena.reset();
        self.arena.set(Some(arena));
        result
    }

    pub(crate) fn forget_arena(&self) {
        drop(self.arena.take());
    }

    // ---- facts ----

    /// The rowid of the last row that this connection inserted.
    pub fn last_insert_rowid(&self) -> i64 {
        self.facts.last_insert_rowid.get()
    }

    /// Sets what [`Connection::last_insert_rowid`] answers.
    pub fn set_last_insert_rowid(&self, rowid: i64) {
        self.facts.last_insert_rowid.set(rowid);
    }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    pub fn changes(&self) -> u64 {
        self.facts.changes.get().cast_unsigned()
    }

    /// Rows changed since the connection was opened.
    pub fn total_changes(&self) -> u64 {
        self.facts.total_changes.get().cast_unsigned()
    }

    /// Whether no transaction is open that BEGIN or SAVEPOINT has begun.
    pub fn is_autocommit(&self) -> bool {
        self.transaction.autocommit.get()
    }

    /// How long to wait for locks of others; zero: not at all.
    pub fn set_busy_timeout(&self, timeout: Duration) {
        self.busy.set_timeout(timeout);
    }

    /// Whom to ask while others hold locks: whether to try again. Takes the place of a timeout.
    pub fn set_busy_handler(&self, callback: Option<BusyCallback>) {
        self.busy.set_callback(callback);
    }

    /// Asks the busy handler, or waits as the timeout says: whether to try again. For a VFS that waits for locks by itself.
    pub fn ask_busy_handler(&self) -> bool {
        self.busy.should_retry_again()
    }

    /// A handle that stops the running statements from any thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.interrupts.handle()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // `close` reports what goes wrong; here nobody is left to hear of it.
        let _ = self.close_databases();
    }
}
