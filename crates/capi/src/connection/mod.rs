//! The handle of a connection, `sqlite3*`: its content, its lock, and its life.
//!
//! ```text
//!   open ──► Open ──close──► freed          close answers SQLITE_BUSY while statements, blobs or backups exist
//!              │
//!          close_v2 ──► Zombie ──the last statement, blob or backup goes──► freed
//! ```
//!
//! | module | its one subject |
//! | --- | --- |
//! | [`error`] | the last error |
//! | [`statement`] | the handle of a statement |
//! | [`published`] | the state of a statement that is read without the connection's mutex |
//! | [`hook`], [`preupdate`] | the application's callbacks |
//! | [`virtual_tables`] | state that is needed while methods of virtual tables run |

pub(crate) mod error;
pub(crate) mod hook;
pub(crate) mod preupdate;
pub(crate) mod published;
pub(crate) mod statement;
pub(crate) mod virtual_tables;

use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use lithe_engine::{Connection, InterruptHandle, OpenFlags};

use crate::code;
use crate::ffi_guard::settle_later;
use crate::recursive_mutex::RecursiveMutex;
use crate::uri::Filename;
use crate::vfs::{FilePointer, sqlite3_file};
use error::LastError;
use hook::Hooks;
use statement::sqlite3_stmt;
use virtual_tables::VirtualTableState;

/// The state of a handle. The numbers are unlikely to occur in memory by accident.
const OPEN: u32 = 0x4c69_7468;
const ZOMBIE: u32 = 0x5a6f_6d62;
const CLOSED: u32 = 0xdead_0000;
/// Opening has failed: the handle has only an error, and can be closed.
const SICK: u32 = 0x5369_636b;

/// Keys and values of a URI.
pub(crate) type UriParameters = Vec<(Vec<u8>, Vec<u8>)>;

/// The state of a connection after a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Poison {
    None,
    /// There was a panic, and calls are still under way, further down on the stack.
    Spreading,
    /// The databases are closed, and no lock is held: only the handle is left to close.
    Settled,
}

/// A connection.
#[allow(non_camel_case_types)]
pub struct sqlite3 {
    state: AtomicU32,
    /// `None`: the application promises that only one thread at a time uses the connection.
    pub(crate) mutex: Option<RecursiveMutex>,
    /// `None` if opening has failed.
    core: UnsafeCell<Option<Connection>>,
    pub(crate) interrupt: Option<InterruptHandle>,
    pub(crate) error: LastError,
    /// 0xff, or all bits if extended codes are enabled.
    pub(crate) code_mask: Cell<c_int>,
    /// Calls under way that may run code of the application. Steps of statements are not counted here: see
    /// [`Connection::is_under_way`].
    depth: Cell<u32>,
    /// Set when a panic has left the connection in an unknown state.
    poison: Cell<Poison>,
    /// The newest of the connection's statements, which form a list.
    pub(crate) statements: Cell<*mut sqlite3_stmt>,
    /// The number of open blobs and backups.
    pub(crate) others: Cell<usize>,
    pub(crate) hooks: Hooks,
    /// `sqlite3_set_clientdata`.
    pub(crate) client_data: RefCell<HashMap<Vec<u8>, Box<dyn Any>>>,
    /// Names that were returned as C strings, by their key.
    pub(crate) names: RefCell<HashMap<String, Box<[u8]>>>,
    /// Filenames that were returned, with the URI's parameters in them.
    pub(crate) filenames: RefCell<HashMap<(Vec<u8>, UriParameters), Filename>>,
    /// Whether `sqlite3_load_extension` and the SQL function `load_extension()` are enabled.
    pub(crate) can_load_extensions: Cell<bool>,
    pub(crate) can_load_by_sql: Cell<bool>,
    pub(crate) virtual_tables: VirtualTableState,
    /// Data that other modules store as long as the connection lives, one value of a type: see [`sqlite3::kept`].
    kept: RefCell<Vec<Rc<dyn Any>>>,
    /// Files of the engine that were returned as C structures, and structures for files that are not open.
    pub(crate) file_pointers: RefCell<Vec<FilePointer>>,
    pub(crate) no_file: sqlite3_file,
}

/// The bits of codes that the application is told.
fn code_mask(has_extended: bool) -> c_int {
    if has_extended { -1 } else { 0xff }
}

impl sqlite3 {
    /// Switches extended codes on or off.
    pub(crate) fn set_extended_codes(&self, on: bool) {
        self.code_mask.set(code_mask(on));
        self.core().set_code_mask(code_mask(on));
    }

    /// A handle for the result of opening; without a connection it is a sick one.
    pub(crate) fn new(core: Option<Connection>, flags: OpenFlags, has_mutex: bool) -> sqlite3 {
        let interrupt = core.as_ref().map(Connection::interrupt_handle);
        let code_mask = code_mask(flags.contains(OpenFlags::EXRESCODE));
        core.iter().for_each(|core| core.set_code_mask(code_mask));
        sqlite3 {
            state: AtomicU32::new(if core.is_some() { OPEN } else { SICK }),
            mutex: has_mutex.then(RecursiveMutex::favouring),
            core: UnsafeCell::new(core),
            interrupt,
            error: LastError::new(),
            code_mask: Cell::new(code_mask),
            depth: Cell::new(0),
            poison: Cell::new(Poison::None),
            statements: Cell::new(null_mut()),
            others: Cell::new(0),
            hooks: Hooks::default(),
            client_data: RefCell::default(),
            names: RefCell::default(),
            file_pointers: RefCell::default(),
            no_file: sqlite3_file { methods: std::ptr::null() },
            filenames: RefCell::default(),
            can_load_extensions: Cell::new(false),
            can_load_by_sql: Cell::new(false),
            virtual_tables: VirtualTableState::default(),
            kept: RefCell::default(),
        }
    }

    /// The engine's connection.
    ///
    /// # Panics
    /// If there is none; [`live`] has checked that there is.
    #[inline]
    pub(crate) fn core(&self) -> &Connection {
        // SAFETY: it is only ever taken out by `destroy`, when no reference is left.
        unsafe { &*self.core.get() }.as_ref().expect("an open connection")
    }

    fn state(&self) -> u32 {
        self.state.load(Ordering::Relaxed)
    }

    /// Whether there is an engine's connection.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state(), OPEN | ZOMBIE)
    }

    /// The connection's value of a type, created at its first use.
    pub(crate) fn kept<T: Default + 'static>(&self) -> Rc<T> {
        let mut all = self.kept.borrow_mut();
        let known = all.iter().find_map(|kept| Rc::clone(kept).downcast::<T>().ok());
        known.unwrap_or_else(|| {
            let made = Rc::new(T::default());
            all.push(Rc::<T>::clone(&made));
            made
        })
    }

    fn is_in_use(&self) -> bool {
        !self.statements.get().is_null() || self.others.get() > 0
    }

    /// Whether the application has closed the connection already.
    pub(crate) fn is_zombie(&self) -> bool {
        self.state() == ZOMBIE
    }
}

/// A connection whose mutex is held until this is dropped.
pub(crate) struct Locked<'a> {
    db: &'a sqlite3,
    as_favourite: bool,
    is_counted: bool,
}

impl Deref for Locked<'_> {
    type Target = sqlite3;

    #[inline]
    fn deref(&self) -> &sqlite3 {
        self.db
    }
}

impl<'a> Locked<'a> {
    #[inline(always)]
    fn new(db: &'a sqlite3) -> Locked<'a> {
        let as_favourite = enter(db);
        db.depth.set(db.depth.get() + 1);
        Locked { db, as_favourite, is_counted: true }
    }

    /// For a call on a statement, which the engine counts itself.
    #[inline(always)]
    fn uncounted(db: &'a sqlite3) -> Locked<'a> {
        Locked { db, as_favourite: enter(db), is_counted: false }
    }

    /// Leaves the mutex at the end of a call without a panic. Calls that are made for each row end so: their code need not find out whether
    /// a panic goes on.
    #[inline(always)]
    pub(crate) fn release(mut self) {
        self.end_call(false);
        leave(self.db, self.as_favourite);
        std::mem::forget(self);
    }

    #[inline(always)]
    fn end_call(&mut self, panics: bool) {
        let db = self.db;
        if std::mem::take(&mut self.is_counted) {
            db.depth.set(db.depth.get() - 1);
        }
        if panics {
            note_panic(db);
        } else if db.poison.get() == Poison::Spreading {
            db.settle_poison();
        }
    }
}

impl Drop for Locked<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        // Only panics of this library reach this destructor. They end the use of the connection in which they happen.
        self.end_call(std::thread::panicking());
        leave(self.db, self.as_favourite);
    }
}

/// Takes the connection's mutex. Returns whether this thread took it as its favourite.
#[inline(always)]
fn enter(db: &sqlite3) -> bool {
    db.mutex.as_ref().is_some_and(RecursiveMutex::enter)
}

/// Leaves the connection's mutex as it was taken.
#[inline(always)]
fn leave(db: &sqlite3, as_favourite: bool) {
    if let Some(mutex) = &db.mutex {
        mutex.leave_as(as_favourite);
    }
}

/// A connection whose mutex is held for a call that only reads the connection's objects, so that a panic cannot leave
/// them inconsistent.
pub(crate) struct Held<'a> {
    db: &'a sqlite3,
    as_favourite: bool,
}

impl Deref for Held<'_> {
    type Target = sqlite3;

    #[inline]
    fn deref(&self) -> &sqlite3 {
        self.db
    }
}

impl<'a> Held<'a> {
    #[inline(always)]
    fn new(db: &'a sqlite3) -> Held<'a> {
        Held { db, as_favourite: enter(db) }
    }
}

impl Drop for Held<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        leave(self.db, self.as_favourite);
    }
}

/// The connection of a statement, for reading. It may be poisoned.
///
/// # Safety
/// As [`of_object`].
#[inline(always)]
pub(crate) unsafe fn held<'a>(db: *const sqlite3) -> Held<'a> {
    // SAFETY: our caller's promise.
    Held::new(unsafe { &*db })
}

/// The connection behind a handle, even a sick one.
///
/// # Safety
/// `db` is null, or a handle that `sqlite3_open*` returned. A closed handle is recognised in most cases, as in SQLite.
#[inline]
pub(crate) unsafe fn locked<'a>(db: *const sqlite3) -> Option<Locked<'a>> {
    // SAFETY: our caller's promise.
    unsafe { known(db) }.map(Locked::new)
}

/// The connection behind a handle, even a sick one, without its mutex: for reading what never changes.
///
/// # Safety
/// As [`locked`].
#[inline]
pub(crate) unsafe fn known<'a>(db: *const sqlite3) -> Option<&'a sqlite3> {
    // SAFETY: our caller's promise.
    unsafe { db.as_ref() }.filter(|db| matches!(db.state(), OPEN | ZOMBIE | SICK))
}

/// The connection behind a usable handle; SQLITE_MISUSE for other handles.
///
/// # Safety
/// As [`locked`].
#[inline]
pub(crate) unsafe fn live<'a>(db: *const sqlite3) -> Result<Locked<'a>, c_int> {
    // SAFETY: our caller's promise.
    let db = unsafe { db.as_ref() }.ok_or(code::MISUSE)?;
    if db.state() != OPEN {
        return Err(code::MISUSE);
    }
    let db = Locked::new(db);
    if is_poisoned(&db) {
        return Err(db.fail_poisoned());
    }
    Ok(db)
}

/// The connection of a statement, a blob or a backup; it may be a zombie.
///
/// # Safety
/// `db` is the live connection that the object was made on.
#[inline(always)]
pub(crate) unsafe fn of_object<'a>(db: *const sqlite3) -> Locked<'a> {
    // SAFETY: our caller's promise.
    Locked::new(unsafe { &*db })
}

/// The connection of a statement that is about to be used.
///
/// # Safety
/// As [`of_object`].
#[inline(always)]
pub(crate) unsafe fn of_statement<'a>(db: *const sqlite3) -> Locked<'a> {
    // SAFETY: our caller's promise.
    Locked::uncounted(unsafe { &*db })
}

/// Whether a panic has made the connection useless.
#[inline]
pub(crate) fn is_poisoned(db: &sqlite3) -> bool {
    db.poison.get() != Poison::None
}

impl sqlite3 {
    /// The result of a call on a poisoned connection.
    #[cold]
    pub(crate) fn fail_poisoned(&self) -> c_int {
        self.fail_with(
            code::INTERNAL,
            "internal error: the transaction was rolled back, and the connection must be closed",
        )
    }

    /// Whether the connection was abandoned after a panic.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.poison.get() == Poison::Settled
    }

    /// After a panic, in any call: abandons the connection, unless a call on it is still under way. That call settles
    /// the poison when it ends.
    #[cold]
    fn settle_poison(&self) {
        if self.poison.get() == Poison::Settled {
            return;
        }
        self.poison.set(Poison::Spreading);
        if let Some(interrupt) = &self.interrupt {
            // The interrupt makes statements under way end soon.
            interrupt.interrupt();
        }
        if !self.is_open() || self.depth.get() > 0 || self.core().is_under_way() {
            return;
        }
        self.poison.set(Poison::Settled);
        self.close_rows();
        let _ = catch_unwind(AssertUnwindSafe(|| self.core().abandon()));
        self.fail_poisoned();
    }

    /// Invalidates the current rows of all statements, because the memory that their values borrow may change.
    fn close_rows(&self) {
        let mut next = self.statements.get();
        // SAFETY: the list holds live statements of this connection only, and every user of them holds its mutex.
        while let Some(statement) = unsafe { next.as_ref() } {
            statement.leave_row();
            statement.close();
            next = statement.next.get();
        }
    }
}

/// A panic goes through a call on `db`.
#[cold]
fn note_panic(db: &sqlite3) {
    if db.poison.get() == Poison::None {
        db.poison.set(Poison::Spreading);
    }
    // SAFETY: the call that panics was made on this handle and comes back only after the panic was caught: the application does
    // not close the handle meanwhile.
    unsafe { settle_later(std::ptr::from_ref(db).cast(), settle_panic) };
}

/// The panic has been caught.
///
/// # Safety
/// `db` is a handle that is not closed.
unsafe fn settle_panic(db: *const ()) {
    // SAFETY: our caller's promise.
    unsafe { held(db.cast::<sqlite3>()) }.settle_poison();
}

/// `sqlite3_close` (SQLITE_BUSY while something is open) and `sqlite3_close_v2` (frees the handle when nothing is open
/// any more).
///
/// # Safety
/// As [`locked`]; the handle is not used afterwards if this succeeds.
pub(crate) unsafe fn close(handle: *mut sqlite3, may_linger: bool) -> c_int {
    if handle.is_null() {
        return code::OK;
    }
    // SAFETY: our caller's promise.
    let Some(db) = (unsafe { locked(handle) }) else { return code::MISUSE };
    if db.is_zombie() {
        return code::MISUSE;
    }
    if db.is_open() && !is_poisoned(&db) {
        // Virtual tables may hold statements of their own.
        db.core().disconnect_virtual_tables();
    }
    db.hooks.trace_close(handle);
    if db.is_in_use() && !may_linger {
        return db.fail_with(code::BUSY, "unable to close due to unfinalized statements or unfinished backups");
    }
    db.client_data.borrow_mut().clear();
    db.state.store(ZOMBIE, Ordering::Relaxed);
    drop(db);
    // SAFETY: the handle is a zombie now, and ours.
    unsafe { free_if_unused(handle) };
    code::OK
}

/// Frees a zombie when the last object that used it is gone.
///
/// # Safety
/// `handle` is live, and the caller holds no reference into it.
pub(crate) unsafe fn free_if_unused(handle: *mut sqlite3) {
    {
        // SAFETY: our caller's promise.
        let db = unsafe { &*handle };
        if !db.is_zombie() || db.is_in_use() {
            return;
        }
        db.state.store(CLOSED, Ordering::Relaxed);
        // User functions are dropped with the connection, and their destructors may still use the handle.
        // SAFETY: no other reference exists, because the state says that the handle is closed.
        let core = unsafe { &mut *db.core.get() }.take();
        if let Some(core) = &core {
            core.roll_back_at_close();
        }
        drop(core);
    }
    // SAFETY: it was made by `Box::into_raw`, and this is the only place that takes it back.
    drop(unsafe { Box::from_raw(handle) });
}
