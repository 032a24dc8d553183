//! Whom the application wants asked or told: at commits and rollbacks, for each changed row, while statements run.
//!
//! A hook is called while a statement runs, and may use the connection (within what SQLite's documentation allows). So it
//! is taken out of its cell before it is called, and may even replace itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lithe_functions::{ChangeWatcher, RowChange, RowOperation as Change};
use lithe_resolve::authorize::{Action, Authorizer, Request};
use lithe_value::{Collation, Encoding};
use lithe_vfs::ResultCode;

use crate::connection::Connection;
use crate::error::{Error, Result};

/// Asked before a commit: true makes a rollback of it.
pub type CommitHook = Rc<dyn Fn() -> bool>;
/// Told after a rollback.
pub type RollbackHook = Rc<dyn Fn()>;
/// Told of a changed row: what was done, the database, the table, the rowid (the new one, of an UPDATE).
pub type UpdateHook = Rc<dyn Fn(Change, &str, &str, i64)>;
/// Told after a commit to a database in WAL mode: the database, and how many frames its log has. What it answers is what the
/// statement ends with.
pub type WalHook = Rc<dyn Fn(&str, u32) -> ResultCode>;
/// Asked at the commit to a database in auto-vacuum mode FULL, by its name and what there is: how many free pages to take
/// out of the file.
pub type AutoVacuumHook = Rc<dyn Fn(&str, lithe_btree::Sizes) -> u32>;
/// Asked while a statement runs: true stops it.
pub type ProgressHandler = Rc<dyn Fn() -> bool>;
/// Asked for a collation that nobody has defined, in a database of that encoding. What it answers is defined; it may as well
/// define it itself.
pub type CollationNeeded = Rc<dyn Fn(&str, Encoding) -> Option<Collation>>;
/// Asked while statements are compiled.
pub type AuthorizerCallback = lithe_resolve::authorize::Callback;
/// Asked to load an extension for `load_extension()`: a file, and its entry point if that is not to be found by the file's name.
/// The error is its message.
pub type ExtensionLoader = Rc<dyn Fn(&[u8], Option<&[u8]>) -> std::result::Result<(), String>>;
/// Told, as comments, that a trigger begins to run and which statement of it is next.
pub type TriggerTrace = Rc<dyn Fn(&str)>;

/// A hook that may be set.
pub(crate) struct Slot<H>(RefCell<Option<H>>);

impl<H: Clone> Slot<H> {
    pub(crate) fn get(&self) -> Option<H> {
        self.0.borrow().clone()
    }

    pub(crate) fn set(&self, hook: Option<H>) {
        // The old one is dropped after the borrow has ended: dropping it may come back here.
        let _old = self.0.replace(hook);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.borrow().is_some()
    }
}

impl<H> Default for Slot<H> {
    fn default() -> Self {
        Slot(RefCell::new(None))
    }
}

/// The hooks of a connection.
#[derive(Default)]
pub(crate) struct Hooks {
    commit: Slot<CommitHook>,
    rollback: Slot<RollbackHook>,
    update: Slot<UpdateHook>,
    pub(crate) preupdate: PreUpdateHooks,
    wal: Slot<WalHook>,
    auto_vacuum: Slot<AutoVacuumHook>,
    progress: Slot<ProgressHandler>,
    /// Instructions between two calls of the progress handler; 0 without one.
    progress_interval: Cell<u32>,
    collation_needed: Slot<CollationNeeded>,
    authorizer: RefCell<Authorizer>,
    extension_loader: Slot<ExtensionLoader>,
    trigger_trace: Slot<TriggerTrace>,
}

impl Hooks {
    pub(crate) fn authorizer(&self) -> Authorizer {
        self.authorizer.borrow().clone()
    }

    pub(crate) fn extension_loader(&self) -> Option<ExtensionLoader> {
        self.extension_loader.get()
    }

    pub(crate) fn has_authorizer(&self) -> bool {
        self.authorizer.borrow().0.is_some()
    }
}

/// Told of a row before it changes.
pub type PreUpdateHook = Rc<dyn Fn(&RowChange<'_>)>;

/// Who is told of rows before they change: the application, and watchers beside it (sessions).
#[derive(Default)]
pub(crate) struct PreUpdateHooks {
    pub(crate) application: Slot<PreUpdateHook>,
    pub(crate) watchers: RefCell<Vec<(u64, ChangeWatcher)>>,
    /// The number of the next watcher.
    pub(crate) next: Cell<u64>,
}

impl PreUpdateHooks {
    /// Whether anybody listens.
    pub(crate) fn is_wanted(&self) -> bool {
        self.application.is_set() || !self.watchers.borrow().is_empty()
    }
}

impl Connection {
    /// Whom to ask while statements are compiled whether they may do what they say. Statements that exist are compiled again.
    pub fn set_authorizer(&self, callback: Option<AuthorizerCallback>) {
        let _old = self.hooks.authorizer.replace(Authorizer(callback));
        self.expire_programs();
    }

    /// Asks the authorizer about a statement that the engine runs itself. False says that it shall do nothing.
    pub(crate) fn may(
        &self,
        action: Action,
        first: Option<&str>,
        second: Option<&str>,
        database: Option<&str>,
    ) -> Result<bool> {
        let authorizer = self.hooks.authorizer();
        Ok(authorizer.ask(&Request { action, first, second, database, within: None })?)
    }

    /// Whom to ask before each commit.
    pub fn set_commit_hook(&self, hook: Option<CommitHook>) {
        self.hooks.commit.set(hook);
    }

    /// Whom to tell of rollbacks.
    pub fn set_rollback_hook(&self, hook: Option<RollbackHook>) {
        self.hooks.rollback.set(hook);
    }

    /// Whom to tell of changed rows. Not told of are rows of tables WITHOUT ROWID and of the schema, rows that REPLACE removes, and
    /// those that a DELETE without WHERE removes together.
    pub fn set_update_hook(&self, hook: Option<UpdateHook>) {
        self.hooks.update.set(hook);
    }

    /// Whom to tell of commits to databases in WAL mode: the log is theirs from now on, and there are no more automatic
    /// checkpoints.
    pub fn set_wal_hook(&self, hook: Option<WalHook>) {
        self.settings.wal_autocheckpoint.set(0);
        self.hooks.wal.set(hook);
    }

    /// Whom to ask how many free pages a commit takes out of a database in auto-vacuum mode FULL; all, if nobody.
    pub fn set_auto_vacuum_hook(&self, hook: Option<AutoVacuumHook>) {
        self.hooks.auto_vacuum.set(hook);
    }

    /// Whom to ask every so many instructions whether to go on; 0 means nobody.
    pub fn set_progress_handler(&self, instructions: u32, handler: Option<ProgressHandler>) {
        let handler = handler.filter(|_| instructions > 0);
        self.hooks.progress_interval.set(if handler.is_some() { instructions } else { 0 });
        self.hooks.progress.set(handler);
    }

    /// Whom to ask for a collation that is not there.
    pub fn set_collation_needed(&self, callback: Option<CollationNeeded>) {
        self.hooks.collation_needed.set(callback);
    }

    /// Whom to ask to load extensions for `load_extension()`; without one, it is not authorized.
    pub fn set_extension_loader(&self, loader: Option<ExtensionLoader>) {
        self.hooks.extension_loader.set(loader);
    }

    /// Whom to tell which triggers run.
    pub fn set_trigger_trace(&self, hook: Option<TriggerTrace>) {
        self.hooks.trigger_trace.set(hook);
    }

    // ---- what the engine asks ----

    /// A transaction that has written is about to commit.
    pub(crate) fn ask_commit_hook(&self) -> Result<()> {
        match self.hooks.commit.get() {
            Some(hook) if hook() => {
                let code = ResultCode::CONSTRAINT_COMMITHOOK;
                Err(Error::new(code, code.primary().text()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn tell_rollback_hook(&self) {
        if let Some(hook) = self.hooks.rollback.get() {
            hook();
        }
    }

    pub(crate) fn has_update_hook(&self) -> bool {
        self.hooks.update.is_set()
    }

    pub(crate) fn tell_update_hook(&self, change: Change, database: &str, table: &str, rowid: i64) {
        if let Some(hook) = self.hooks.update.get() {
            hook(change, database, table, rowid);
        }
    }

    /// Tells of what was committed to logs since it was last told, once the locks of the transaction are given back: the hook may
    /// read, write and checkpoint. The commit stands, whatever it answers, but the statement fails with that.
    #[inline]
    pub(crate) fn tell_wal_hook(&self) -> Result<()> {
        if self.transaction.committed.borrow().is_empty() { Ok(()) } else { self.tell_wal_hook_of_commits() }
    }

    #[cold]
    fn tell_wal_hook_of_commits(&self) -> Result<()> {
        let committed = self.transaction.committed.take();
        let Some(hook) = self.hooks.wal.get() else { return Ok(()) };
        let mut answer = ResultCode::OK;
        for (db, database) in committed {
            if let Some(frames) = database.btree().pager().log_frames() {
                let name = self.catalog().database_name(db).to_string();
                let code = hook(&name, frames);
                if answer == ResultCode::OK {
                    answer = code;
                }
            }
        }
        if answer == ResultCode::OK { Ok(()) } else { Err(Error::from_code(answer)) }
    }

    pub(crate) fn auto_vacuum_hook(&self) -> Option<AutoVacuumHook> {
        self.hooks.auto_vacuum.get()
    }

    pub(crate) fn has_wal_hook(&self) -> bool {
        self.hooks.wal.is_set()
    }

    pub(crate) fn progress_interval(&self) -> u32 {
        self.hooks.progress_interval.get()
    }

    pub(crate) fn ask_progress_handler(&self) -> bool {
        self.hooks.progress.get().is_some_and(|handler| handler())
    }

    /// Asks for a collation; answers whether it is there now.
    pub(crate) fn ask_for_collation(&self, name: &str) -> bool {
        let Some(callback) = self.hooks.collation_needed.get() else { return false };
        if let Some(collation) = callback(name, self.facts.encoding.get())
            && self.set_collation(name, Some(collation)).is_err()
        {
            return false;
        }
        self.collations().contains_key(&name.to_ascii_lowercase())
    }

    pub(crate) fn trace_trigger(&self, comment: &str) {
        if let Some(hook) = self.hooks.trigger_trace.get() {
            hook(comment);
        }
    }

    /// The connection closes: nobody is told of the rollback that this may cause.
    pub(crate) fn drop_hooks(&self) {
        self.set_trigger_trace(None);
        self.set_commit_hook(None);
        self.set_rollback_hook(None);
        self.set_update_hook(None);
        self.drop_preupdate_hooks();
        self.set_wal_hook(None);
        self.set_auto_vacuum_hook(None);
        self.set_progress_handler(0, None);
        self.set_collation_needed(None);
        self.set_extension_loader(None);
        let _authorizer = self.hooks.authorizer.take();
    }
}
