//! Callbacks of the application: before commits and rollbacks, for each changed row, while statements are compiled and run.
//!
//! A hook is called while a statement runs, and may use the connection (within what SQLite's documentation allows). So
//! it is cloned out of its cell before the call, and may even replace itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lithe_functions::{ChangeWatcher, RowChange, RowOperation as Change, SqlConnection};
use lithe_resolve::authorize::{Action, Authorizer, Request};
use lithe_value::{Collation, Encoding};
use lithe_vfs::ResultCode;

use crate::error::{Error, Result};
use crate::generation::Generation;

/// Called before a commit; returning true rolls the transaction back.
pub type CommitHook = Rc<dyn Fn() -> bool>;
/// Called after a rollback.
pub type RollbackHook = Rc<dyn Fn()>;
/// Called for a changed row, with the kind of change, the database, the table, and the rowid (the new one for an
/// UPDATE).
pub type UpdateHook = Rc<dyn Fn(Change, &str, &str, i64)>;
/// Called after a commit to a database in WAL mode, with the database and the number of frames in its log. The
/// statement ends with the code that the hook returns.
pub type WalHook = Rc<dyn Fn(&str, u32) -> ResultCode>;
/// Called at the commit to a database in auto-vacuum mode FULL, with its name and its sizes: returns how many free
/// pages to remove from the file.
pub type AutoVacuumHook = Rc<dyn Fn(&str, lithe_btree::Sizes) -> u32>;
/// Called while a statement runs; returning true stops it.
pub type ProgressHandler = Rc<dyn Fn() -> bool>;
/// Called for a collation that is not defined, in a database of that encoding. A returned collation is defined; the
/// callback may also define it itself.
pub type CollationNeeded = Rc<dyn Fn(&str, Encoding) -> Option<Collation>>;
/// Called while statements are compiled.
pub type AuthorizerCallback = lithe_resolve::authorize::Callback;
/// Loads an extension for `load_extension()`: a file, and its entry point if that cannot be derived from the file's
/// name. The error is a message.
pub type ExtensionLoader = Rc<dyn Fn(&[u8], Option<&[u8]>) -> std::result::Result<(), String>>;
/// Called when a trigger begins to run and before each of its statements, with an SQL comment that names it.
pub type TriggerTrace = Rc<dyn Fn(&str)>;
/// Called for a row before it changes.
pub type PreUpdateHook = Rc<dyn Fn(&RowChange<'_>)>;

/// A hook that may be set.
pub(crate) struct Slot<H>(RefCell<Option<H>>);

impl<H: Clone> Slot<H> {
    pub(crate) fn get(&self) -> Option<H> {
        self.0.borrow().clone()
    }

    pub(crate) fn set(&self, hook: Option<H>) {
        // The old hook is dropped after the borrow has ended, because its destructor may call this.
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
pub(crate) struct Hooks {
    pub(crate) commit: Slot<CommitHook>,
    skips_commit: Cell<bool>,
    pub(crate) rollback: Slot<RollbackHook>,
    pub(crate) update: Slot<UpdateHook>,
    pub(crate) preupdate: PreUpdateHooks,
    pub(crate) wal: Slot<WalHook>,
    pub(crate) auto_vacuum: Slot<AutoVacuumHook>,
    progress: Slot<ProgressHandler>,
    /// Instructions between two calls of the progress handler; 0 without one.
    progress_interval: Cell<u32>,
    pub(crate) collation_needed: Slot<CollationNeeded>,
    authorizer: RefCell<Authorizer>,
    pub(crate) extension_loader: Slot<ExtensionLoader>,
    pub(crate) trigger_trace: Slot<TriggerTrace>,
    generation: Generation,
}

impl Hooks {
    pub(crate) fn new(generation: Generation) -> Hooks {
        Hooks {
            commit: Slot::default(),
            skips_commit: Cell::new(false),
            rollback: Slot::default(),
            update: Slot::default(),
            preupdate: PreUpdateHooks::new(generation.clone()),
            wal: Slot::default(),
            auto_vacuum: Slot::default(),
            progress: Slot::default(),
            progress_interval: Cell::new(0),
            collation_needed: Slot::default(),
            authorizer: RefCell::default(),
            extension_loader: Slot::default(),
            trigger_trace: Slot::default(),
            generation,
        }
    }

    // ---- the authorizer ----

    /// Sets the authorizer. Existing statements are compiled again.
    pub(crate) fn set_authorizer(&self, callback: Option<AuthorizerCallback>) {
        let _old = self.authorizer.replace(Authorizer::from(callback));
        self.generation.expire_programs();
    }

    pub(crate) fn authorizer(&self) -> Authorizer {
        self.authorizer.borrow().clone()
    }

    pub(crate) fn has_authorizer(&self) -> bool {
        self.authorizer.borrow().0.is_some()
    }

    /// Calls the authorizer for a statement that the engine runs itself. False: the statement does nothing.
    pub(crate) fn authorize(
        &self,
        action: Action,
        first: Option<&str>,
        second: Option<&str>,
        database: Option<&str>,
    ) -> Result<bool> {
        Ok(self.authorizer().call(&Request { action, first, second, database, within: None })?)
    }

    // ---- the progress handler ----

    /// Sets the progress handler, which is called whenever this number of instructions has run; 0 removes it.
    pub(crate) fn set_progress_handler(&self, instructions: u32, handler: Option<ProgressHandler>) {
        let handler = handler.filter(|_| instructions > 0);
        self.progress_interval.set(if handler.is_some() { instructions } else { 0 });
        self.progress.set(handler);
    }

    /// Instructions between two calls of the progress handler; 0 without one.
    pub(crate) fn progress_interval(&self) -> u32 {
        self.progress_interval.get()
    }

    /// Calls the progress handler: true stops the statement.
    pub(crate) fn call_progress_handler(&self) -> bool {
        self.progress.get().is_some_and(|handler| handler())
    }

    /// Calls the progress handler for a statement that the engine runs itself, as SQLite does for a program of `instructions`.
    pub(crate) fn count_instructions(&self, instructions: u32) -> Result<()> {
        let calls = instructions.checked_div(self.progress_interval()).unwrap_or(0);
        if (0..calls).any(|_| self.call_progress_handler()) { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// The function that loads extensions.
    pub(crate) fn loader(&self) -> std::result::Result<ExtensionLoader, &'static str> {
        self.extension_loader.get().ok_or("not authorized")
    }

    // ---- transactions, rows and triggers ----

    /// A VACUUM has rebuilt a database: as in SQLite, the hook is not asked about the commit that follows.
    pub(crate) fn skip_commit_hook(&self) {
        self.skips_commit.set(self.commit.is_set());
    }

    /// A transaction that has written is about to commit.
    ///
    /// # Errors
    /// SQLITE_CONSTRAINT_COMMITHOOK if the hook returns true, so that the transaction is rolled back.
    pub(crate) fn call_commit_hook(&self) -> Result<()> {
        match self.commit.get().filter(|_| !self.skips_commit.take()) {
            Some(hook) if hook() => {
                let code = ResultCode::CONSTRAINT_COMMITHOOK;
                Err(Error::new(code, code.primary().text()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn call_rollback_hook(&self) {
        if let Some(hook) = self.rollback.get() {
            hook();
        }
    }

    pub(crate) fn call_update_hook(&self, change: Change, database: &str, table: &str, rowid: i64) {
        if let Some(hook) = self.update.get() {
            hook(change, database, table, rowid);
        }
    }

    pub(crate) fn call_trigger_trace(&self, comment: &str) {
        if let Some(hook) = self.trigger_trace.get() {
            hook(comment);
        }
    }

    /// The connection closes: no hook is called any more, but that for the rollback that this may cause.
    pub(crate) fn clear_but_rollback(&self) {
        self.trigger_trace.set(None);
        self.commit.set(None);
        self.update.set(None);
        self.preupdate.clear();
        self.wal.set(None);
        self.auto_vacuum.set(None);
        self.set_progress_handler(0, None);
        self.collation_needed.set(None);
        self.extension_loader.set(None);
        let _authorizer = self.authorizer.take();
    }
}

/// Callbacks before each row change: the application's hook, and watchers beside it (sessions).
///
/// Programs call them only if a callback was registered at the time of compiling. So the first registration makes the
/// programs of the connection stale, and so does the removal of the last callback.
pub(crate) struct PreUpdateHooks {
    application: Slot<PreUpdateHook>,
    watchers: RefCell<Vec<(u64, ChangeWatcher)>>,
    /// The number of the next watcher.
    next: Cell<u64>,
    /// Whether a callback was registered when programs last became stale.
    was_wanted: Cell<bool>,
    generation: Generation,
}

impl PreUpdateHooks {
    fn new(generation: Generation) -> PreUpdateHooks {
        PreUpdateHooks {
            application: Slot::default(),
            watchers: RefCell::default(),
            next: Cell::new(0),
            was_wanted: Cell::new(false),
            generation,
        }
    }

    /// Whether a callback is registered.
    pub(crate) fn is_wanted(&self) -> bool {
        self.application.is_set() || !self.watchers.borrow().is_empty()
    }

    /// Sets the application's hook.
    pub(crate) fn set(&self, hook: Option<PreUpdateHook>) {
        self.application.set(hook);
        self.note_change();
    }

    /// Adds a watcher; returns its number.
    pub(crate) fn watch(&self, watcher: ChangeWatcher) -> u64 {
        let number = self.next.get();
        self.next.set(number + 1);
        self.watchers.borrow_mut().push((number, watcher));
        self.note_change();
        number
    }

    /// Removes the watcher with this number.
    pub(crate) fn unwatch(&self, number: u64) {
        // Dropped after the borrow has ended, because a destructor may call this.
        let _gone: Vec<_> = self.watchers.borrow_mut().extract_if(.., |(watcher, _)| *watcher == number).collect();
        self.note_change();
    }

    fn clear(&self) {
        self.application.set(None);
        let _gone = self.watchers.take();
    }

    fn note_change(&self) {
        let is_wanted = self.is_wanted();
        if self.was_wanted.replace(is_wanted) != is_wanted {
            self.generation.change_schema();
        }
    }

    /// A row is about to change.
    pub(crate) fn call(&self, connection: &dyn SqlConnection, change: &RowChange<'_>) {
        if let Some(hook) = self.application.get() {
            hook(change);
        }
        // By index, because a watcher may be removed while it is called.
        let mut at = 0;
        loop {
            let watcher = self.watchers.borrow().get(at).map(|(_, watcher)| Rc::clone(watcher));
            let Some(watcher) = watcher else { return };
            watcher(connection, change);
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hooks() -> (Hooks, Generation) {
        let generation = Generation::default();
        (Hooks::new(generation.clone()), generation)
    }

    #[test]
    fn a_hook_may_replace_itself() {
        let (hooks, _) = hooks();
        let hooks = Rc::new(hooks);
        let inner = Rc::downgrade(&hooks);
        hooks.commit.set(Some(Rc::new(move || {
            if let Some(hooks) = inner.upgrade() {
                hooks.commit.set(None);
            }
            true
        })));
        let refused = hooks.call_commit_hook().unwrap_err();
        assert_eq!((refused.code(), refused.message()), (ResultCode::CONSTRAINT_COMMITHOOK, "constraint failed"));
        assert_eq!(hooks.call_commit_hook(), Ok(()));
    }

    #[test]
    fn the_first_and_the_last_preupdate_hook_make_programs_stale() {
        let (hooks, generation) = hooks();
        let hooks = &hooks.preupdate;
        let changes = |act: &dyn Fn()| {
            let before = generation.number();
            act();
            generation.number() != before
        };
        assert!(changes(&|| hooks.set(Some(Rc::new(|_: &RowChange<'_>| {})))));
        let number = Cell::new(0);
        assert!(!changes(&|| number.set(hooks.watch(Rc::new(|_: &dyn SqlConnection, _: &RowChange<'_>| {})))));
        assert!(!changes(&|| hooks.set(None)), "the watcher is left");
        assert!(hooks.is_wanted());
        assert!(changes(&|| hooks.unwatch(number.get())));
        assert!(!hooks.is_wanted());
    }

    #[test]
    fn a_progress_handler_needs_an_interval() {
        let (hooks, _) = hooks();
        hooks.set_progress_handler(0, Some(Rc::new(|| true)));
        assert!(hooks.progress_interval() == 0 && !hooks.call_progress_handler());
        hooks.set_progress_handler(5, Some(Rc::new(|| true)));
        assert!(hooks.progress_interval() == 5 && hooks.call_progress_handler());
        hooks.clear_but_rollback();
        assert!(hooks.progress_interval() == 0 && !hooks.call_progress_handler());
    }
}
