//! The callbacks of an application: commits, rollbacks, changed rows, progress, and tracing of statements.
//!
//! Trace callbacks are called from here, between the steps of the engine, so that a callback may use every function on
//! the statement. The engine calls the other callbacks.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::rc::Rc;
use std::time::Instant;

use lithe_engine::ResultCode;
use lithe_engine::authorize::Permission;

use crate::code;
use crate::connection::preupdate::PreUpdate;
use crate::connection::statement::sqlite3_stmt;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text::c_string;

const STATEMENT: c_uint = 1;
const PROFILE: c_uint = 2;
const ROW: c_uint = 4;
const CLOSE: c_uint = 8;

type TraceV2 = unsafe extern "C" fn(c_uint, *mut c_void, *mut c_void, *mut c_void) -> c_int;
type TraceV1 = unsafe extern "C" fn(*mut c_void, *const c_char);
type ProfileV1 = unsafe extern "C" fn(*mut c_void, *const c_char, u64);

/// The callbacks, each with the application's pointer.
pub(crate) struct Hooks {
    mask: Cell<c_uint>,
    trace: Cell<Option<(TraceV2, *mut c_void)>>,
    trace_v1: Cell<Option<(TraceV1, *mut c_void)>>,
    profile_v1: Cell<Option<(ProfileV1, *mut c_void)>>,
    /// The traced statement whose step is under way, the innermost of several; null: none is.
    stepped: Cell<*const sqlite3_stmt>,
    /// The pointers of the hooks that the engine calls: setting a hook returns the former pointer.
    commit: Cell<*mut c_void>,
    rollback: Cell<*mut c_void>,
    update: Cell<*mut c_void>,
    wal: Cell<*mut c_void>,
    pub(crate) preupdate: PreUpdate,
}

impl Default for Hooks {
    fn default() -> Self {
        Hooks {
            mask: Cell::new(0),
            trace: Cell::new(None),
            trace_v1: Cell::new(None),
            profile_v1: Cell::new(None),
            stepped: Cell::new(std::ptr::null()),
            commit: Cell::new(null_mut()),
            rollback: Cell::new(null_mut()),
            update: Cell::new(null_mut()),
            wal: Cell::new(null_mut()),
            preupdate: PreUpdate::default(),
        }
    }
}

impl Hooks {
    /// Whether statements are traced.
    #[inline]
    pub(crate) fn is_traced(&self) -> bool {
        self.mask.get() != 0
    }

    fn wants(&self, event: c_uint) -> bool {
        self.mask.get() & event != 0
    }

    /// Automatic checkpoints have replaced the WAL hook.
    pub(crate) fn forget_wal_hook(&self) {
        self.wal.set(null_mut());
    }

    /// A statement begins to run. Of one that explains another, only its profile is told.
    pub(crate) fn trace_statement(&self, statement: &sqlite3_stmt, explains: bool) {
        if self.wants(PROFILE) {
            statement.began.set(Some(Instant::now()));
        }
        if explains || !self.wants(STATEMENT) {
            return;
        }
        // A nested statement is traced as a comment.
        let is_nested = !self.stepped.get().is_null();
        if let Some((callback, arg)) = self.trace.get() {
            let comment = is_nested.then(|| c_string(&[b"-- ", statement.sql.as_bytes()].concat()));
            let text = comment.as_deref().unwrap_or_else(|| statement.sql.as_c_str());
            // SAFETY: the application's function, called as documented.
            unsafe { callback(STATEMENT, arg, handle(statement), text.as_ptr().cast_mut().cast()) };
        } else if let (true, Some((callback, arg))) = (is_nested, self.trace_v1.get()) {
            let lines = statement.sql.as_bytes().split_inclusive(|byte| *byte == b'\n');
            let comment = c_string(&lines.flat_map(|line| [b"-- ", line].concat()).collect::<Vec<u8>>());
            // SAFETY: the application's function, called as documented.
            unsafe { callback(arg, comment.as_ptr().cast_mut()) };
        } else if let Some((callback, arg)) = self.trace_v1.get() {
            // The old interface passes the text with its values.
            // SAFETY: the statement is live, and the text is freed after the callback.
            unsafe {
                let text = statement.expanded_sql((*statement.db()).length_max());
                callback(arg, text);
                crate::memory::free(text.cast());
            }
        }
    }

    /// A step of the statement begins. Returns the statement of the enclosing step, for [`Hooks::end_step`].
    pub(crate) fn begin_step(&self, statement: &sqlite3_stmt) -> *const sqlite3_stmt {
        self.stepped.replace(statement)
    }

    /// The innermost step has ended.
    pub(crate) fn end_step(&self, around: *const sqlite3_stmt) {
        self.stepped.set(around);
    }

    /// A trigger, or a statement of it, begins to run; `comment` names it.
    fn trace_trigger(&self, comment: &str) {
        let statement = self.stepped.get();
        if statement.is_null() || !self.wants(STATEMENT) {
            return;
        }
        let comment = c_string(comment.as_bytes());
        if let Some((callback, arg)) = self.trace.get() {
            // SAFETY: the application's function, called as documented; the statement is live during its step.
            unsafe { callback(STATEMENT, arg, statement.cast_mut().cast(), comment.as_ptr().cast_mut().cast()) };
        } else if let Some((callback, arg)) = self.trace_v1.get() {
            // SAFETY: as above.
            unsafe { callback(arg, comment.as_ptr().cast_mut()) };
        }
    }

    /// The statement has returned a row.
    pub(crate) fn trace_row(&self, statement: &sqlite3_stmt) {
        if let (true, Some((callback, arg))) = (self.wants(ROW), self.trace.get()) {
            // SAFETY: the application's function, called as documented.
            unsafe { callback(ROW, arg, handle(statement), null_mut()) };
        }
    }

    /// The run of the statement has ended.
    pub(crate) fn profile(&self, statement: &sqlite3_stmt) {
        let Some(began) = statement.began.take() else { return };
        if !self.wants(PROFILE) {
            return;
        }
        let mut nanoseconds = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the application's functions, called as documented.
        unsafe {
            if let Some((callback, arg)) = self.trace.get() {
                callback(PROFILE, arg, handle(statement), std::ptr::from_mut(&mut nanoseconds).cast());
            } else if let Some((callback, arg)) = self.profile_v1.get() {
                callback(arg, statement.sql.as_ptr().cast(), nanoseconds);
            }
        }
    }

    /// The connection closes.
    pub(crate) fn trace_close(&self, db: *mut sqlite3) {
        if let (true, Some((callback, arg))) = (self.wants(CLOSE), self.trace.get()) {
            // SAFETY: the application's function, called as documented.
            unsafe { callback(CLOSE, arg, db.cast(), null_mut()) };
        }
    }
}

/// Makes the engine call the trace callback for triggers, if statements are traced.
fn trace_triggers(db: &sqlite3) {
    let handle = std::ptr::from_ref(db);
    let wants = db.hooks.wants(STATEMENT);
    db.core().set_trigger_trace(wants.then(|| -> lithe_engine::TriggerTrace {
        // SAFETY: the engine's connection is a part of the handle, and calls no hook after its end.
        Rc::new(move |comment| unsafe { (*handle).hooks.trace_trigger(comment) })
    }));
}

fn handle(statement: &sqlite3_stmt) -> *mut c_void {
    std::ptr::from_ref(statement).cast_mut().cast()
}

type AutoVacuumFn = unsafe extern "C" fn(*mut c_void, *const c_char, c_uint, c_uint, c_uint) -> c_uint;

/// A pointer of the application, destroyed with the hook that holds it.
struct Kept {
    arg: *mut c_void,
    destroy: Destructor,
}

impl Kept {
    fn arg(&self) -> *mut c_void {
        self.arg
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destroy, self.arg) };
    }
}

type CommitFn = unsafe extern "C" fn(*mut c_void) -> c_int;
type RollbackFn = unsafe extern "C" fn(*mut c_void);
type UpdateFn = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char, i64);
type AuthorizeFn =
    unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char, *const c_char, *const c_char) -> c_int;
/// The results of an authorizer besides SQLITE_OK.
const DENY: c_int = 1;
const IGNORE: c_int = 2;
type WalFn = unsafe extern "C" fn(*mut c_void, *mut sqlite3, *const c_char, c_int) -> c_int;

api! {
    fn sqlite3_commit_hook(db: *mut sqlite3, hook: Option<CommitFn>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(db) else { return null_mut() };
        db.core().set_commit_hook(hook.map(|hook| -> lithe_engine::CommitHook {
            // SAFETY: the application's function, called as documented.
            Rc::new(move || unsafe { hook(arg) } != 0)
        }));
        db.hooks.commit.replace(arg)
    }

    fn sqlite3_rollback_hook(db: *mut sqlite3, hook: Option<RollbackFn>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(db) else { return null_mut() };
        db.core().set_rollback_hook(hook.map(|hook| -> lithe_engine::RollbackHook {
            // SAFETY: the application's function, called as documented.
            Rc::new(move || unsafe { hook(arg) })
        }));
        db.hooks.rollback.replace(arg)
    }

    fn sqlite3_update_hook(db: *mut sqlite3, hook: Option<UpdateFn>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(db) else { return null_mut() };
        db.core().set_update_hook(hook.map(|hook| -> lithe_engine::UpdateHook {
            Rc::new(move |change, database: &str, table: &str, rowid| {
                let (database, table) = (c_string(database.as_bytes()), c_string(table.as_bytes()));
                // SAFETY: the application's function, called as documented.
                unsafe { hook(arg, change as c_int, database.as_ptr(), table.as_ptr(), rowid) };
            })
        }));
        db.hooks.update.replace(arg)
    }

    fn sqlite3_wal_hook(handle: *mut sqlite3, hook: Option<WalFn>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(handle) else { return null_mut() };
        // SQLite's automatic checkpoints are a hook whose argument is the number of frames.
        let before = match db.core().wal_autocheckpoint() {
            0 => db.hooks.wal.get(),
            frames => std::ptr::without_provenance_mut(frames as usize),
        };
        db.core().set_wal_hook(hook.map(|hook| -> lithe_engine::WalHook {
            Rc::new(move |database: &str, frames| {
                let name = c_string(database.as_bytes());
                // SAFETY: the application's function, called as documented.
                ResultCode(unsafe { hook(arg, handle, name.as_ptr(), frames as c_int) })
            })
        }));
        db.hooks.wal.set(arg);
        before
    }

    fn sqlite3_autovacuum_pages(
        db: *mut sqlite3, callback: Option<AutoVacuumFn>, arg: *mut c_void, destroy: Destructor,
    ) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => {
                memory::destroy(destroy, arg);
                return code;
            }
        };
        let kept = Kept { arg, destroy };
        db.core().set_auto_vacuum_hook(callback.map(|callback| -> lithe_engine::AutoVacuumHook {
            Rc::new(move |database: &str, sizes: lithe_engine::Sizes| {
                let name = c_string(database.as_bytes());
                let lithe_engine::Sizes { pages, free_pages, page_size } = sizes;
                // SAFETY: the application's function, called as documented.
                unsafe { callback(kept.arg(), name.as_ptr(), pages, free_pages, page_size) }
            })
        }));
        db.ok()
    }

    fn sqlite3_set_authorizer(db: *mut sqlite3, authorizer: Option<AuthorizeFn>, arg: *mut c_void) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        db.core().set_authorizer(authorizer.map(|authorizer| -> lithe_engine::AuthorizerCallback {
            Rc::new(move |request| {
                let details = [request.first, request.second, request.database, request.within];
                let details = details.map(|detail| detail.map(|detail| c_string(detail.as_bytes())));
                let [first, second, database, within] =
                    details.each_ref().map(|detail| detail.as_ref().map_or(null(), |detail| detail.as_ptr()));
                // SAFETY: the application's function, called as documented.
                match unsafe { authorizer(arg, request.action as c_int, first, second, database, within) } {
                    code::OK => Permission::Allow,
                    DENY => Permission::Deny,
                    IGNORE => Permission::Ignore,
                    _ => Permission::Malfunction,
                }
            })
        }));
        code::OK
    }

    fn sqlite3_progress_handler(
        db: *mut sqlite3, instructions: c_int, handler: Option<CommitFn>, arg: *mut c_void,
    ) {
        let Ok(db) = live(db) else { return };
        let interval = u32::try_from(instructions).unwrap_or(0);
        db.core().set_progress_handler(interval, handler.map(|handler| -> lithe_engine::ProgressHandler {
            // SAFETY: the application's function, called as documented.
            Rc::new(move || unsafe { handler(arg) } != 0)
        }));
    }

    fn sqlite3_trace_v2(db: *mut sqlite3, mask: c_uint, callback: Option<TraceV2>, arg: *mut c_void) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let callback = callback.filter(|_| mask != 0);
        db.hooks.trace.set(callback.map(|callback| (callback, arg)));
        db.hooks.trace_v1.set(None);
        db.hooks.profile_v1.set(None);
        db.hooks.mask.set(if callback.is_some() { mask } else { 0 });
        trace_triggers(&db);
        code::OK
    }

    fn sqlite3_trace(db: *mut sqlite3, callback: Option<TraceV1>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(db) else { return null_mut() };
        let before = db.hooks.trace_v1.replace(callback.map(|callback| (callback, arg)));
        db.hooks.trace.set(None);
        // As in SQLite, this ends an earlier sqlite3_profile; the other way round both stay.
        db.hooks.mask.set(if callback.is_some() { STATEMENT } else { 0 });
        trace_triggers(&db);
        before.map_or(null_mut(), |(_, arg)| arg)
    }

    fn sqlite3_profile(db: *mut sqlite3, callback: Option<ProfileV1>, arg: *mut c_void) -> *mut c_void {
        let Ok(db) = live(db) else { return null_mut() };
        let before = db.hooks.profile_v1.replace(callback.map(|callback| (callback, arg)));
        db.hooks.trace.set(None);
        let trace = db.hooks.mask.get() & STATEMENT;
        db.hooks.mask.set(trace | if callback.is_some() { PROFILE } else { 0 });
        trace_triggers(&db);
        before.map_or(null_mut(), |(_, arg)| arg)
    }
}
