//! The calls of applications on a connection. Statements, BLOB handles and backups have their own modules.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use lithe_catalog::Catalog;
use lithe_functions::{Arity, BlobPlace, ChangeWatcher, Function, Registry};
use lithe_pager::{CheckpointMode, PageCounter, Snapshot};
use lithe_sql::ast::Name;
use lithe_value::{Collation, Encoding};
use lithe_vfs::{UnixVfs, Vfs};
use lithe_vm::operand::Db;
use lithe_vm::virtual_table::{Extension, Module};

use crate::backup::{Backup, Deserialize};
use crate::blob::Blob;
use crate::busy::BusyCallback;
use crate::connection::Connection;
use crate::databases::TransactionKind;
use crate::databases::checkpoint::Checkpoint;
use crate::error::{Error, Result};
use crate::file_control::DatabaseFile;
use crate::hooks::{
    AuthorizerCallback, AutoVacuumHook, CollationNeeded, CommitHook, ExtensionLoader, PreUpdateHook, ProgressHandler,
    RollbackHook, TriggerTrace, UpdateHook, WalHook,
};
use crate::interrupt::InterruptHandle;
use crate::metadata::{self, ColumnMetadata};
use crate::open::{self, OpenFlags, VfsFinder};
use crate::settings::EMPTY_RESULT_CALLBACKS;
use crate::settings::config::Config;
use crate::settings::limit::Limit;
use crate::shared_cache::UnlockCallback;
use crate::table_functions::PragmasAndJson;
use crate::{backup, extension, internal_functions, snapshot, virtual_tables};

/// Opening.
impl Connection {
    /// Opens a connection. `filename` is a path, a URI if the flags allow it, ":memory:", or empty for a temporary database.
    pub fn open(filename: &[u8], flags: OpenFlags) -> Result<Connection> {
        Connection::open_with_vfs(filename, flags, None)
    }

    /// As [`Connection::open`], on files of `vfs` (`None`: the one that the URI names, else the operating system's).
    pub fn open_with_vfs(filename: &[u8], flags: OpenFlags, vfs: Option<Arc<dyn Vfs>>) -> Result<Connection> {
        let target = open::target(filename, flags)?;
        let vfs = match vfs {
            Some(vfs) => vfs,
            None => open::vfs(&target, &(Arc::new(UnixVfs) as Arc<dyn Vfs>))?,
        };
        Connection::open_target(&target, flags, vfs, &PragmasAndJson)
    }

    /// Adds the modules, functions and collations of these extensions. Meant for a connection that was just opened.
    pub fn add_extensions(&self, extensions: &[&Extension]) {
        extension::add(self, extensions);
    }

    /// Sets the function that finds a VFS by its name when a database is attached or created. Without one, only the
    /// engine's own VFSes are found.
    pub fn set_vfs_finder(&self, finder: Option<VfsFinder>) {
        self.databases.set_vfs_finder(finder);
    }

    /// Whether a panic has gone through a call on this connection.
    #[inline]
    pub fn is_broken(&self) -> bool {
        self.transaction.is_broken()
    }

    /// Whether a call that may run user code is under way, further down on the stack.
    pub fn is_under_way(&self) -> bool {
        self.transaction.is_under_way()
    }
}

/// Transactions and waiting.
impl Connection {
    /// Whether no transaction is open that BEGIN or SAVEPOINT has begun.
    pub fn is_autocommit(&self) -> bool {
        self.transaction.is_autocommit()
    }

    /// The state of the transaction on a database, or the highest state on any database (`None`). Returns nothing if
    /// there is no such database.
    pub fn transaction_kind(&self, database: Option<&str>) -> Option<TransactionKind> {
        let only = match database {
            None => None,
            Some(_) => Some(self.database_number(database)?),
        };
        self.databases.transaction_kind(only)
    }

    /// Whether a deferred foreign key is violated now, so that the transaction could not commit.
    pub fn has_deferred_violations(&self) -> bool {
        self.state.deferred_violations.get() > 0 || self.state.deferred_immediate_violations.get() > 0
    }

    /// Sets how long to wait for locks of other connections; zero: not at all.
    pub fn set_busy_timeout(&self, timeout: Duration) {
        self.busy.set_timeout(timeout);
    }

    /// Sets the callback that decides whether to try again while another connection holds a lock. It replaces a
    /// timeout.
    pub fn set_busy_handler(&self, callback: Option<BusyCallback>) {
        self.busy.set_callback(callback);
    }

    /// Calls the busy handler, or waits as the timeout says, and returns whether to try again. For a VFS that waits for
    /// locks by itself.
    pub fn ask_busy_handler(&self) -> bool {
        self.busy.should_retry_again()
    }

    /// A handle that stops the running statements from any thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.interrupts.handle()
    }

    /// Calls `callback` when the connection that holds the conflicting locks on a shared cache ends its transaction.
    pub fn unlock_notify(&self, callback: Option<UnlockCallback>) -> Result<()> {
        self.databases.unlock_notify(callback)
    }

    /// Checkpoints the database of that name, or all databases, and then returns the numbers of main. No statement is
    /// compiled and the authorizer is not called. A database that was not read yet is not known to have a log.
    ///
    /// # Errors
    /// SQLITE_ERROR without such a database, SQLITE_LOCKED within a transaction of this connection, SQLITE_INTERRUPT
    /// where the interrupt handle has stopped it: the next checkpoint resumes behind the last one that was complete.
    pub fn wal_checkpoint(&self, schema: Option<&str>, mode: CheckpointMode) -> Result<Checkpoint> {
        let db = schema.map(|schema| {
            let unknown = || Error::generic(format!("unknown database: {schema}"));
            self.catalog().find_database(Name::new(schema.as_bytes())).ok_or_else(unknown)
        });
        let done = self.databases.checkpoint(db.transpose()?, mode, |pager| pager.has_read_state());
        if !self.transaction.has_active() {
            self.interrupts.clear();
        }
        done
    }

    /// Sets how many frames the log may have before a commit runs a checkpoint; 0 means any number. It replaces the WAL
    /// hook.
    pub fn set_wal_autocheckpoint(&self, frames: u32) {
        self.hooks.wal.set(None);
        self.databases.settings.wal_autocheckpoint.set(frames.min(i32::MAX.unsigned_abs()));
    }

    /// The number of frames of [`Connection::set_wal_autocheckpoint`], 0 while the application has a hook of its own.
    pub fn wal_autocheckpoint(&self) -> u32 {
        self.databases.settings.wal_autocheckpoint.get()
    }

    /// Records the state of a database that the transaction reads. If it reads none yet, the read begins now.
    ///
    /// # Errors
    /// SQLITE_ERROR in autocommit mode, while the transaction writes the database, if the database has no log, and
    /// while the log is empty.
    pub fn snapshot(&self, schema: &str) -> Result<Snapshot> {
        snapshot::record(self, schema)
    }

    /// Reads an earlier state of the database until the transaction ends.
    ///
    /// # Errors
    /// SQLITE_ERROR in autocommit mode, while the transaction writes the database or statements run, and without a log;
    /// SQLITE_ERROR_SNAPSHOT if the state has been overwritten by a checkpoint; SQLITE_BUSY beside a checkpoint.
    pub fn open_snapshot(&self, schema: &str, snapshot: &Snapshot) -> Result<()> {
        snapshot::open(self, schema, snapshot)
    }

    /// Makes all states readable that are in a log which existed before any connection was open.
    ///
    /// # Errors
    /// SQLITE_ERROR without such a database or without a log, and while it is read.
    pub fn recover_snapshots(&self, schema: &str) -> Result<()> {
        snapshot::recover(self, schema)
    }
}

/// Settings.
impl Connection {
    /// Whether a switch is on.
    pub fn config(&self, config: Config) -> bool {
        self.settings.config(config)
    }

    /// Turns a switch on or off.
    pub fn set_config(&self, config: Config, on: bool) {
        self.settings.set_config(config, on, &self.state);
        if config == Config::ResetDatabase {
            // The catalog's schema of the file is not valid while the file is to be reset, nor afterwards.
            self.databases.forget_schema(Db::MAIN);
        }
    }

    /// The encoding of the databases' texts, or the one that they would have.
    #[inline]
    pub fn encoding(&self) -> Encoding {
        self.state.encoding.get()
    }

    /// The value of a limit.
    pub fn limit(&self, limit: Limit) -> i32 {
        self.settings.limit(limit, &self.state)
    }

    /// Sets a limit, to its maximum at most, and returns the value before. A negative value changes nothing.
    pub fn set_limit(&self, limit: Limit, value: i32) -> i32 {
        self.settings.set_limit(limit, value, &self.state)
    }

    /// Sets how many significant digits a real has as a text (SQLITE_DBCONFIG_FP_DIGITS), and returns the number in force: one that is not
    /// between 4 and 23 changes nothing.
    pub fn set_real_digits(&self, digits: i32) -> i32 {
        self.settings.set_real_digits(digits)
    }

    /// Calls `f`, during which reals become texts as on this connection.
    #[inline]
    pub fn with_real_digits<T>(&self, f: impl FnOnce() -> T) -> T {
        self.settings.with_real_digits(f)
    }

    /// Gives the main database a name besides "main" (SQLITE_DBCONFIG_MAINDBNAME).
    pub fn rename_main(&self, name: &str) {
        self.definitions.change_catalog(|catalog| catalog.rename_main(name.into()));
    }

    /// PRAGMA empty_result_callbacks: `sqlite3_exec` calls back once for a statement without rows.
    pub fn has_empty_result_callbacks(&self) -> bool {
        self.settings.remembers(EMPTY_RESULT_CALLBACKS)
    }
}

/// Hooks.
impl Connection {
    /// Sets the authorizer: called while statements are compiled, it allows or forbids what they do. Statements that exist are compiled again.
    pub fn set_authorizer(&self, callback: Option<AuthorizerCallback>) {
        self.hooks.set_authorizer(callback);
    }

    /// Sets the hook that is called before each commit; returning true rolls the transaction back.
    pub fn set_commit_hook(&self, hook: Option<CommitHook>) {
        self.hooks.commit.set(hook);
    }

    /// Sets the hook that is called after rollbacks.
    pub fn set_rollback_hook(&self, hook: Option<RollbackHook>) {
        self.hooks.rollback.set(hook);
    }

    /// Sets the hook that is called for changed rows. It is not called for rows of tables WITHOUT ROWID and of the schema, for rows that
    /// REPLACE removes, and for those that a DELETE without WHERE removes together.
    pub fn set_update_hook(&self, hook: Option<UpdateHook>) {
        self.hooks.update.set(hook);
    }

    /// Sets the hook that is called after commits to databases in WAL mode. From now on the application runs the
    /// checkpoints; there are no automatic ones.
    pub fn set_wal_hook(&self, hook: Option<WalHook>) {
        self.databases.settings.wal_autocheckpoint.set(0);
        self.hooks.wal.set(hook);
    }

    /// Sets the hook that decides how many free pages a commit takes out of a database in auto-vacuum mode FULL; all, without a hook.
    pub fn set_auto_vacuum_hook(&self, hook: Option<AutoVacuumHook>) {
        self.hooks.auto_vacuum.set(hook);
    }

    /// Sets the handler that is called whenever this number of instructions has run and decides whether to go on; 0 removes it.
    pub fn set_progress_handler(&self, instructions: u32, handler: Option<ProgressHandler>) {
        self.hooks.set_progress_handler(instructions, handler);
    }

    /// Sets the callback that is called for a collation that is not defined.
    pub fn set_collation_needed(&self, callback: Option<CollationNeeded>) {
        self.hooks.collation_needed.set(callback);
    }

    /// Sets the function that loads extensions for `load_extension()`; without one, it is not authorized.
    pub fn set_extension_loader(&self, loader: Option<ExtensionLoader>) {
        self.hooks.extension_loader.set(loader);
    }

    /// Loads an extension by the function that [`Connection::set_extension_loader`] has set.
    ///
    /// # Errors
    /// The reason why the extension cannot be loaded.
    pub fn load_extension(&self, file: &[u8], entry: Option<&[u8]>) -> Result<(), String> {
        self.hooks.loader()?(file, entry)
    }

    /// Sets the hook that is called when triggers run.
    pub fn set_trigger_trace(&self, hook: Option<TriggerTrace>) {
        self.hooks.trigger_trace.set(hook);
    }

    /// Sets the hook that is called before each row is inserted, updated or deleted, also by REPLACE and foreign-key
    /// actions. While the hook is set, a DELETE without WHERE deletes row by row.
    pub fn set_preupdate_hook(&self, hook: Option<PreUpdateHook>) {
        self.hooks.preupdate.set(hook);
    }

    /// Adds a watcher that is called before each row changes, beside the pre-update hook; returns the number that
    /// [`Connection::unwatch_changes`] takes.
    pub fn watch_changes(&self, watcher: ChangeWatcher) -> u64 {
        self.hooks.preupdate.watch(watcher)
    }

    /// Removes the watcher with this number.
    pub fn unwatch_changes(&self, number: u64) {
        self.hooks.preupdate.unwatch(number);
    }
}

/// Functions, collations and modules.
impl Connection {
    /// Adds a function, in place of one of the same name, arguments and encoding.
    ///
    /// # Errors
    /// SQLITE_BUSY if it would replace one while statements run; SQLITE_MISUSE for a name or number of arguments out of bounds.
    pub fn create_function(&self, function: Function) -> Result<()> {
        let old = self.definitions.create_function(function, self.transaction.has_active())?;
        self.forget_function(old);
        Ok(())
    }

    /// Makes sure that a function of this name exists. A virtual table may overload it; a call elsewhere is an error.
    ///
    /// # Errors
    /// As [`Connection::create_function`].
    pub fn overload_function(&self, name: &str, args: Arity) -> Result<()> {
        if self.definitions.has_function(name, args) {
            return Ok(());
        }
        self.create_function(Function::unusable(name, args))
    }

    /// Removes a function, which may be a built-in one. Nothing happens if there is none.
    ///
    /// # Errors
    /// SQLITE_BUSY while statements run.
    pub fn remove_function(&self, name: &str, args: Arity, encoding: Encoding) -> Result<()> {
        let old = self.definitions.remove_function(name, args, encoding, self.transaction.has_active())?;
        self.forget_function(old);
        Ok(())
    }

    /// Empties the cache of programs, which may call a function that is replaced, and tells that function.
    fn forget_function(&self, old: Option<Arc<Function>>) {
        self.programs.clear();
        if let Some(old) = old {
            old.removed();
        }
    }

    /// The functions that are registered now.
    pub fn functions(&self) -> Arc<Registry> {
        self.definitions.functions()
    }

    /// Makes the internal functions callable from SQL, or hides them again.
    ///
    /// # Errors
    /// SQLITE_BUSY if statements run and the functions were callable.
    pub fn toggle_internal_functions(&self) -> Result<()> {
        internal_functions::toggle(self)
    }

    /// The application's collations, by name in lower case.
    pub fn collations(&self) -> Arc<HashMap<String, Collation>> {
        self.definitions.collations()
    }

    /// Adds, replaces (`Some`) or removes (`None`) a collation of texts in UTF-8.
    ///
    /// # Errors
    /// SQLITE_BUSY if there is one of that name and statements run.
    pub fn set_collation(&self, name: &str, collation: Option<Collation>) -> Result<()> {
        self.set_collation_for(name, Encoding::Utf8, collation)
    }

    /// As [`Connection::set_collation`], for a collation that takes its texts in this encoding. If several collations
    /// have one name, the database's encoding decides which one is used.
    ///
    /// # Errors
    /// As [`Connection::set_collation`].
    pub fn set_collation_for(&self, name: &str, encoding: Encoding, collation: Option<Collation>) -> Result<()> {
        let own = self.state.encoding.get();
        let statements_run = self.transaction.has_active();
        let old = self.definitions.set_collation(name, encoding, collation, own, statements_run)?;
        self.programs.clear();
        if let Some(Collation::Custom(old)) = old {
            old.removed();
        }
        Ok(())
    }

    /// Adds a module for virtual tables, in place of one of the same name (`None`: removes that one). Its eponymous
    /// tables exist at once.
    pub fn create_module(&self, name: &str, module: Option<Box<dyn Module>>) {
        self.virtual_tables.create_module(&self.definitions, name, module, !self.transaction.has_active());
    }

    /// Removes all modules but these.
    pub fn drop_modules(&self, keep: &[&str]) {
        self.virtual_tables.drop_modules(&self.definitions, keep, !self.transaction.has_active());
    }

    /// The bits of codes that functions and modules are told of their own SQL: all of them, or 0xff where extended codes are off.
    pub fn set_code_mask(&self, mask: i32) {
        self.settings.code_mask.set(mask);
    }

    /// Checks a declaration of the columns of a virtual table.
    ///
    /// # Errors
    /// What is wrong with the declaration.
    pub fn check_declaration(&self, declaration: &str) -> Result<()> {
        virtual_tables::check_declaration(declaration, &self.settings)
    }

    /// Disconnects all virtual tables, so that statements that they keep do not hold a connection open that is being
    /// closed. A table is connected again when a statement uses it again.
    pub fn disconnect_virtual_tables(&self) {
        self.virtual_tables.disconnect_all();
    }
}

/// Databases and their contents.
impl Connection {
    /// The catalog as it is now: an immutable snapshot.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.definitions.catalog()
    }

    /// The number of the database with that name; main if no name is given.
    fn database_number(&self, name: Option<&str>) -> Option<Db> {
        match name {
            None => Some(Db::MAIN),
            Some(name) => self.catalog().find_database(Name::new(name.as_bytes())),
        }
    }

    /// The database with that name; main if no name is given.
    fn database_named(&self, name: Option<&str>) -> Option<Rc<crate::database::Database>> {
        self.databases.get(self.database_number(name)?).ok()
    }

    /// The name of the database with that number: 0 is main, 1 is temp.
    pub fn database_name(&self, number: usize) -> Option<String> {
        let catalog = self.catalog();
        let database = catalog.databases().get(number)?;
        Some(database.name.to_string())
    }

    /// Whether a database is read-only. Returns nothing if there is no such database, and for the temporary one before its first use.
    pub fn is_read_only(&self, database: Option<&str>) -> Option<bool> {
        let number = self.database_number(database)?;
        match self.databases.get(number).ok()?.opened() {
            Some(btree) => Some(btree.pager().is_read_only()),
            None => (number != Db::TEMP).then_some(false),
        }
    }

    /// The absolute path of a database's file, empty for a database without a file. Returns nothing if there is no such
    /// database.
    pub fn file_name(&self, database: Option<&str>) -> Option<PathBuf> {
        Some(self.database_named(database)?.file_name().to_path_buf())
    }

    /// Keys and values of the URI that a database was opened with.
    pub fn uri_parameters(&self, database: Option<&str>) -> Vec<(Vec<u8>, Vec<u8>)> {
        self.database_named(database).map_or_else(Vec::new, |database| database.parameters().to_vec())
    }

    /// The file of the database of that name, of main if none is given; `None` if there is no such database.
    pub fn database_file(&self, schema: Option<&str>) -> Option<DatabaseFile> {
        let name = Name::new(schema.unwrap_or("main").as_bytes());
        Some(DatabaseFile::new(self.databases.get(self.catalog().find_database(name)?).ok()?))
    }

    /// A column of a table. Without a database all databases are searched; without a column the function describes the
    /// rowid.
    ///
    /// # Errors
    /// SQLITE_ERROR "no such table column: X.Y".
    pub fn column_metadata(&self, database: Option<&str>, table: &str, column: Option<&str>) -> Result<ColumnMetadata> {
        metadata::column(self, database, table, column)
    }

    /// Opens the value of `column` in row `rowid` of a table, for reading, or for reading and writing.
    pub fn blob_open(&self, database: &str, table: &str, column: &str, rowid: i64, write: bool) -> Result<Blob> {
        Blob::open(self, &BlobPlace { database, table, column, writable: write }, rowid)
    }

    /// Copies the database `schema` page by page to the file `path`, whose content is replaced.
    pub fn backup(&self, schema: &str, path: &[u8]) -> Result<()> {
        let target = Connection::open(path, OpenFlags::DEFAULT)?;
        Backup::new(&target, "main", self, schema)?.step(-1)?;
        Ok(())
    }

    /// The database `schema` as the bytes of its file.
    pub fn serialize(&self, schema: &str) -> Result<Vec<u8>> {
        backup::serialize(self, schema)
    }

    /// Replaces the database `schema` by a database in memory with the content `bytes`.
    ///
    /// # Errors
    /// SQLITE_ERROR for the temporary database or an unknown one, SQLITE_BUSY while it is in use.
    pub fn deserialize(&self, schema: &str, bytes: &[u8], how: Deserialize) -> Result<()> {
        backup::deserialize(self, schema, bytes, how)
    }
}

/// Counters and memory.
impl Connection {
    /// The rowid of the last row that this connection inserted.
    pub fn last_insert_rowid(&self) -> i64 {
        self.state.last_insert_rowid.get()
    }

    /// Sets what [`Connection::last_insert_rowid`] answers.
    pub fn set_last_insert_rowid(&self, rowid: i64) {
        self.state.last_insert_rowid.set(rowid);
    }

    /// Rows changed by the last INSERT, UPDATE or DELETE.
    pub fn changes(&self) -> u64 {
        self.state.changes.get().cast_unsigned()
    }

    /// Rows changed since the connection was opened.
    pub fn total_changes(&self) -> u64 {
        self.state.total_changes.get().cast_unsigned()
    }

    /// Spills the dirty pages of all databases: they go to the log or a temporary file.
    pub fn flush_cache(&self) -> Result<()> {
        self.databases.flush()
    }

    /// About how many bytes the catalog takes.
    pub fn schema_memory(&self) -> u64 {
        self.definitions.schema_memory()
    }

    /// About how many bytes of memory the pages of all databases take.
    pub fn page_memory(&self) -> u64 {
        self.databases.page_memory()
    }

    /// The value of a counter, summed over all databases; `reset` sets it to 0.
    pub fn page_count_of(&self, counter: PageCounter, reset: bool) -> u64 {
        self.databases.page_count_of(counter, reset)
    }

    /// Bytes that sorts have written to temporary files; `reset` sets the count to 0.
    pub fn temporary_spilled(&self, reset: bool) -> u64 {
        let spilled = &self.state.temporary_spilled;
        if reset { spilled.take() } else { spilled.get() }
    }
}
