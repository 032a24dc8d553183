//! The connection: its parts, and how they begin and end together.
//!
//! Each part owns its state: its cells are private, and its methods take what they need of other parts as arguments.
//! The calls of applications are in `api`, those of modules of virtual tables in `module_sql`.
//!
//! | part | its one subject |
//! | --- | --- |
//! | `databases` | the list of databases, their VFS, settings of the files, shared caches |
//! | `definitions` | what names mean: the catalog, functions, collations |
//! | `settings` | flags of the compiler, limits, switches |
//! | `hooks` | callbacks of the application |
//! | `virtual_tables` | modules, and tables that are connected |
//! | `transaction` | where the connection stands between BEGIN, savepoints and statements |
//! | `state` | the state that running programs read and change: counters, encoding, limits of values |
//! | `programs`, `compile_memory`, `measured` | compiled programs by their text, and memory and sizes that compilations
//! reuse |
//! | `row_watches`, `kept_statements`, `kept_tables`, `table_uses` | rows of BLOB handles, statements and tables of modules, tables of the last program |
//!
//! Beside the parts are `statement` (compiled statements and their runs; commands that the engine runs itself), `host`
//! (the connection as running programs see it) and `under_way` (calls in progress, for the case of a panic).
//!
//! Every method takes `&self`. User functions, collations, hooks and virtual tables may call the connection while one
//! of its statements runs, so its state is in cells, and no borrow of a cell outlives its line.

pub(crate) mod compile_memory;
pub(crate) mod host;
pub(crate) mod kept_statements;
pub(crate) mod measured;
pub(crate) mod program_cache;
pub(crate) mod statement;
pub(crate) mod table_uses;
pub(crate) mod transaction;
pub(crate) mod under_way;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashSet;
use lithe_catalog::{Catalog, Table, Wanted};
use lithe_format::PageNo;
use lithe_resolve::environment::{
    Environment, Flags as CompileFlags, OverloadedFunctions, PlannedParameters, ShadowTables,
};
use lithe_sql::Limits;
use lithe_value::ValueRef;
use lithe_vfs::Vfs;
use lithe_vm::connection_state::ConnectionState;
use lithe_vm::host::TableRows;
use lithe_vm::operand::Db;

use crate::busy::BusyHandler;
use crate::database::Database;
use crate::databases::Databases;
use crate::definitions::Definitions;
use crate::error::Result;
use crate::generation::Generation;
use crate::heap_limit;
use crate::hooks::Hooks;
use crate::interrupt::Interrupts;
use crate::kept_tables::KeptTables;
use crate::open::{OpenFlags, Target};
use crate::random::Random;
use crate::row_watches::RowWatches;
use crate::settings::Settings;
use crate::settings::config::Config;
use crate::virtual_tables::{ModuleContext, VirtualTables};
use compile_memory::CompileMemory;
use kept_statements::{ClientData, KeptStatements};
use measured::Measured;
use program_cache::ProgramCache;
use table_uses::TableUses;
use transaction::{StatementRun, TransactionState};

/// The built-in table-valued functions.
pub(crate) trait TableFunctions {
    /// The functions as tables of the catalog.
    fn tables(&self) -> Arc<Vec<Arc<Table>>>;

    /// The rows of a function with these arguments, which are its hidden columns, as far as the columns with these bits are read.
    fn rows(
        &self,
        connection: &Connection,
        run: &StatementRun,
        function: &str,
        call: (&[Option<ValueRef<'_>>], u64),
    ) -> Result<TableRows>;
}

/// A connection to a database and to those attached to it.
pub struct Connection {
    pub(crate) databases: Databases,
    pub(crate) definitions: Definitions,
    pub(crate) settings: Settings,
    pub(crate) hooks: Hooks,
    pub(crate) virtual_tables: VirtualTables,
    pub(crate) transaction: TransactionState,
    pub(crate) state: ConnectionState,
    /// Counts the changes that make compiled programs stale; each part that makes such changes has a clone.
    pub(crate) generation: Generation,
    pub(crate) programs: ProgramCache,
    pub(crate) compile_memory: CompileMemory,
    pub(crate) measured: Measured,
    /// The roots of the indexes that statements have used: PRAGMA optimize analyses the tables of these.
    pub(crate) searches: RefCell<HashSet<(Db, Option<PageNo>)>>,
    pub(crate) row_watches: RowWatches,
    pub(crate) kept: KeptStatements,
    pub(crate) kept_tables: KeptTables,
    pub(crate) client_data: ClientData,
    pub(crate) table_uses: TableUses,
    /// The built-in table-valued functions.
    pub(crate) table_functions: &'static dyn TableFunctions,
    pub(crate) interrupts: Interrupts,
    pub(crate) busy: Rc<BusyHandler>,
    pub(crate) random: Random,
    /// The flags that the connection was opened with.
    pub(crate) flags: OpenFlags,
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
        let mut catalog = Catalog::new();
        catalog.set_table_functions(table_functions.tables());
        let generation = Generation::default();
        Ok(Connection {
            databases: Databases::new(main, vfs, generation.clone()),
            definitions: Definitions::new(catalog, generation.clone()),
            settings: Settings::new(generation.clone()),
            hooks: Hooks::new(generation.clone()),
            virtual_tables: VirtualTables::default(),
            transaction: TransactionState::new(),
            state: ConnectionState::default(),
            generation,
            programs: ProgramCache::new(),
            compile_memory: CompileMemory::default(),
            measured: Measured::default(),
            searches: RefCell::default(),
            row_watches: RowWatches::default(),
            kept: KeptStatements::default(),
            kept_tables: KeptTables::default(),
            client_data: ClientData::default(),
            table_uses: TableUses::default(),
            table_functions,
            interrupts,
            busy,
            random: Random::default(),
            flags,
        })
    }

    /// Closes the connection: rolls back an open transaction, releases the locks, closes the files. The last connection
    /// to a database in WAL mode checkpoints it.
    pub fn close(self) -> Result<()> {
        self.close_databases()
    }

    /// Rolls an open transaction back, before the connection is closed, and calls the rollback hook, but no other, as SQLite's
    /// `sqlite3_close` does.
    pub fn roll_back_at_close(&self) {
        if self.transaction.is_broken() {
            return;
        }
        self.hooks.clear_but_rollback();
        self.kept.clear(self);
        if !self.transaction.is_autocommit() || self.transaction.has_active() {
            self.roll_back_all();
        }
    }

    fn close_databases(&self) -> Result<()> {
        self.hooks.clear_but_rollback();
        self.hooks.rollback.set(None);
        if self.transaction.is_broken() {
            self.abandon();
        }
        self.kept.clear(self);
        if !self.transaction.is_autocommit() || self.transaction.has_active() {
            self.roll_back_all();
        }
        self.programs.clear();
        self.kept_tables.clear();
        self.virtual_tables.close(self);
        self.kept.clear(self);
        self.databases.close(!self.settings.config(Config::NoCheckpointOnClose));
        Ok(())
    }

    /// Abandons the connection after a panic, unless a call on it is still under way.
    pub(crate) fn abandon_if_idle(&self) {
        if !self.transaction.is_under_way() {
            self.abandon();
        }
    }

    /// After a panic in the middle of a call on this connection: rolls its transaction back and releases every lock, so
    /// that other connections can continue. From then on the connection answers SQLITE_INTERNAL, and can only be
    /// closed.
    ///
    /// The caller makes sure that no call on the connection is under way.
    pub fn abandon(&self) {
        if self.transaction.abandon() {
            return;
        }
        for (_, database) in self.databases.iter() {
            if let Some(btree) = database.opened() {
                quietly(|| btree.pager().abandon());
            }
            quietly(|| self.databases.leave_cache(&database));
        }
        self.transaction.forget();
        self.state.in_transaction.set(false);
        self.state.has_writer.set(false);
        quietly(|| self.virtual_tables.roll_back(self));
    }

    // ---- what parts need from each other ----

    /// Asserts that the catalog and the list have the same databases.
    #[track_caller]
    pub(crate) fn assert_databases(&self) {
        let known = self.definitions.catalog().databases().len();
        assert!(known == self.databases.count(), "the catalog has other databases than the connection");
    }

    /// The environment in which statements are compiled.
    pub(crate) fn environment(&self) -> Environment {
        Environment {
            catalog: self.definitions.catalog(),
            functions: self.definitions.functions(),
            collations: self.definitions.collations(),
            missing_collations: Vec::new(),
            // Comments are allowed in the texts of the schema, even if they are forbidden in statements.
            limits: Limits { comments: true, ..self.settings.limits() },
            flags: CompileFlags { preupdate_hook: self.hooks.preupdate.is_wanted(), ..self.settings.flags() },
            authorizer: self.hooks.authorizer(),
            shadow_tables: self.shadow_tables(),
            virtual_tables: self.virtual_tables.connected.clone(),
            overloaded: OverloadedFunctions::default(),
            parameters: Vec::new(),
            planned_parameters: PlannedParameters::default(),
            measures: self.measured.measures(),
            wanted: Wanted::default(),
        }
    }

    /// The shadow tables of virtual tables, which statements of a defensive connection may not write. Statements that
    /// methods of virtual tables run may.
    fn shadow_tables(&self) -> ShadowTables {
        if !self.settings.flags().defensive || self.may_be_within_method() {
            return ShadowTables::default();
        }
        self.virtual_tables.shadow_tables(self.definitions.catalog())
    }

    /// Whether the statement being compiled may be one that a method of a virtual table runs: a step or a method is
    /// under way.
    fn may_be_within_method(&self) -> bool {
        self.transaction.is_executing() || self.virtual_tables.is_within_method()
    }

    /// Whether the statement being compiled may do more than the same text may at other times.
    pub(crate) fn is_privileged(&self) -> bool {
        self.settings.flags().defensive && self.may_be_within_method()
    }

    /// What virtual tables need of the connection.
    pub(crate) fn module_context(&self) -> ModuleContext<'_> {
        ModuleContext { connection: self, definitions: &self.definitions, settings: &self.settings }
    }

    /// The number of open savepoints, as virtual tables count them.
    pub(crate) fn virtual_savepoints(&self) -> i32 {
        self.transaction.virtual_savepoint(self.transaction.depth())
    }

    /// Enforces the limits of the process's memory: called when a statement begins and periodically while it runs.
    ///
    /// # Errors
    /// SQLITE_NOMEM above the hard limit.
    #[inline]
    pub(crate) fn check_memory(&self) -> Result<()> {
        heap_limit::keep(|| self.release_memory())
    }

    /// Whether no panic, limit of memory, shared cache, lost mapping or interruption has to be heeded by the next step of a statement.
    #[inline]
    pub(crate) fn is_usual(&self) -> bool {
        let is_interrupted = self.transaction.has_active() && self.interrupts.is_set();
        let is_alone = !self.transaction.is_broken() && !self.databases.shares_cache();
        is_alone && !is_interrupted && heap_limit::is_unlimited() && self.databases.has_no_new_faults()
    }

    /// Frees memory that is kept for reuse.
    pub fn release_memory(&self) {
        self.programs.clear();
        self.compile_memory.release();
    }

    /// After a step: until the next one, other connections of a shared cache may read what this one has changed, or
    /// commit.
    #[inline]
    pub(crate) fn step_ends(&self) {
        if self.databases.shares_cache() && !self.transaction.is_executing() {
            self.databases.lend_shared(self.transaction.all_have_locks());
        }
    }
}

/// Runs one step of abandoning the connection. A panic in it does not prevent the other steps.
fn quietly(step: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(step));
}

impl Drop for Connection {
    fn drop(&mut self) {
        // `close` reports errors; a destructor has no caller that could take one.
        let _ = self.close_databases();
    }
}
