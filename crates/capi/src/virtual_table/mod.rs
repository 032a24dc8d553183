//! Virtual tables in C: a module's methods as the engine's traits.
//!
//! ```text
//!   sqlite3_create_module ──► CModule ── xCreate, xConnect ──► CTable ── xOpen ──► CCursor
//!                                │                               │ sqlite3_vtab       │ sqlite3_vtab_cursor
//!                                └────── the application's pointer, until the last of them is gone
//! ```
//!
//! The structures are those of `sqlite3.h`, with the same layout.

mod cursor;
mod table;

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use lithe_engine::ResultCode;
use lithe_engine::function::FunctionError;
use lithe_engine::virtual_table::{ConnectRequest, Connected, Module, ModuleKind, Result, Risk, SqlConnection};

use crate::code;
use crate::connection::virtual_tables::Declaring;
use crate::connection::{live, sqlite3};
use crate::context::sqlite3_context;
use crate::ffi_guard::{api, guard};
use crate::function::CallFn;
use crate::index_info::sqlite3_index_info;
use crate::memory::{self, Destructor};
use crate::text::{self, c_string};
use crate::value::sqlite3_value;
use crate::variadic::{Arguments, CArgs};
use table::CTable;

/// A table: the first members are of this library, the application appends its own.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_vtab {
    module: *const sqlite3_module,
    references: c_int,
    message: *mut c_char,
}

/// A cursor: the first member is of this library, the application appends its own.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_vtab_cursor {
    vtab: *mut sqlite3_vtab,
}

type ConnectFn = unsafe extern "C" fn(
    *mut sqlite3,
    *mut c_void,
    c_int,
    *const *const c_char,
    *mut *mut sqlite3_vtab,
    *mut *mut c_char,
) -> c_int;
type TableFn = unsafe extern "C" fn(*mut sqlite3_vtab) -> c_int;
type CursorFn = unsafe extern "C" fn(*mut sqlite3_vtab_cursor) -> c_int;
type SavepointFn = unsafe extern "C" fn(*mut sqlite3_vtab, c_int) -> c_int;
type FilterFn =
    unsafe extern "C" fn(*mut sqlite3_vtab_cursor, c_int, *const c_char, c_int, *mut *mut sqlite3_value) -> c_int;
type FindFunctionFn =
    unsafe extern "C" fn(*mut sqlite3_vtab, c_int, *const c_char, *mut Option<CallFn>, *mut *mut c_void) -> c_int;
type IntegrityFn =
    unsafe extern "C" fn(*mut sqlite3_vtab, *const c_char, *const c_char, c_int, *mut *mut c_char) -> c_int;

/// The methods of a module. Those from `savepoint` on exist from version 2 on, `shadow_name` from 3, `integrity` from
/// 4.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct sqlite3_module {
    version: c_int,
    create: Option<ConnectFn>,
    connect: Option<ConnectFn>,
    best_index: Option<unsafe extern "C" fn(*mut sqlite3_vtab, *mut sqlite3_index_info) -> c_int>,
    disconnect: Option<TableFn>,
    destroy: Option<TableFn>,
    open: Option<unsafe extern "C" fn(*mut sqlite3_vtab, *mut *mut sqlite3_vtab_cursor) -> c_int>,
    close: Option<CursorFn>,
    filter: Option<FilterFn>,
    next: Option<CursorFn>,
    eof: Option<CursorFn>,
    column: Option<unsafe extern "C" fn(*mut sqlite3_vtab_cursor, *mut sqlite3_context, c_int) -> c_int>,
    rowid: Option<unsafe extern "C" fn(*mut sqlite3_vtab_cursor, *mut i64) -> c_int>,
    update: Option<unsafe extern "C" fn(*mut sqlite3_vtab, c_int, *mut *mut sqlite3_value, *mut i64) -> c_int>,
    begin: Option<TableFn>,
    sync: Option<TableFn>,
    commit: Option<TableFn>,
    rollback: Option<TableFn>,
    find_function: Option<FindFunctionFn>,
    rename: Option<unsafe extern "C" fn(*mut sqlite3_vtab, *const c_char) -> c_int>,
    savepoint: Option<SavepointFn>,
    release: Option<SavepointFn>,
    rollback_to: Option<SavepointFn>,
    shadow_name: Option<unsafe extern "C" fn(*const c_char) -> c_int>,
    integrity: Option<IntegrityFn>,
}

/// The data that a module's tables share.
struct ModuleData {
    db: *mut sqlite3,
    methods: *const sqlite3_module,
    user_data: *mut c_void,
    destructor: Destructor,
}

// SAFETY: only its connection uses a module, and only one thread at a time uses that: its mutex makes sure, or the
// application, if it asked for none.
unsafe impl Send for ModuleData {}
// SAFETY: as above.
unsafe impl Sync for ModuleData {}

impl Drop for ModuleData {
    fn drop(&mut self) {
        // SAFETY: the application gave both for this.
        unsafe { memory::destroy(self.destructor, self.user_data) };
    }
}

impl ModuleData {
    fn methods(&self) -> &sqlite3_module {
        // SAFETY: the application keeps the methods as long as the module is registered and used.
        unsafe { &*self.methods }
    }

    fn has_version(&self, version: c_int) -> bool {
        self.methods().version >= version
    }
}

struct CModule(Arc<ModuleData>);

impl Module for CModule {
    fn kind(&self) -> ModuleKind {
        let methods = self.0.methods();
        match (methods.create, methods.connect) {
            (None, _) => ModuleKind::EponymousOnly,
            (Some(create), Some(connect)) if create as usize == connect as usize => ModuleKind::Eponymous,
            _ => ModuleKind::Ordinary,
        }
    }

    fn create(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.make(request, self.0.methods().create)
    }

    fn connect(&self, _: &dyn SqlConnection, request: &ConnectRequest<'_>) -> Result<Connected> {
        self.make(request, self.0.methods().connect)
    }

    fn is_shadow_name(&self, suffix: &str) -> bool {
        let Some(shadow_name) = self.0.methods().shadow_name.filter(|_| self.0.has_version(3)) else { return false };
        // SAFETY: the application's function, called as documented.
        unsafe { shadow_name(c_string(suffix.as_bytes()).as_ptr()) != 0 }
    }
}

impl CModule {
    fn make(&self, request: &ConnectRequest<'_>, method: Option<ConnectFn>) -> Result<Connected> {
        let Some(method) = method else { return Err(FunctionError::of_code(code::ERROR)) };
        let names = [request.module, request.database, request.table].map(|name| c_string(name.as_bytes()));
        let arguments: Vec<CString> =
            names.into_iter().chain(request.arguments.iter().map(|text| c_string(text))).collect();
        let pointers: Vec<*const c_char> = arguments.iter().map(|text| text.as_ptr()).collect();
        let (mut vtab, mut message) = (null_mut(), null_mut());
        // SAFETY: the connection outlives its modules; the application's function is called as documented.
        let (code, declared) = unsafe {
            let state = &(*self.0.db).virtual_tables;
            state.declaring.borrow_mut().push(Declaring::default());
            let count = pointers.len() as c_int;
            let code = method(self.0.db, self.0.user_data, count, pointers.as_ptr(), &mut vtab, &mut message);
            (code, state.declaring.borrow_mut().pop().unwrap_or_default())
        };
        // SAFETY: the method has stored the message.
        let message = unsafe { memory::take_text(message) };
        if code != code::OK || vtab.is_null() {
            let code = if code == code::OK { code::ERROR } else { code };
            return Err(FunctionError::with_code(code, message.unwrap_or_default()));
        }
        // SAFETY: the application allocates the table; this library sets these members.
        unsafe { *vtab = sqlite3_vtab { module: self.0.methods, references: 1, message: null_mut() } };
        let Declaring { declaration, supports_constraints, risk } = declared;
        let table = CTable { vtab: Cell::new(vtab), module: Arc::clone(&self.0), supports_constraints };
        Ok(Connected { table: Box::new(table), declaration: declaration.unwrap_or_default(), risk })
    }
}

/// The error of a method, with the application's message.
///
/// # Safety
/// `vtab` is a table of the application.
unsafe fn failure(vtab: *mut sqlite3_vtab, code: c_int) -> FunctionError {
    // SAFETY: our caller's promise.
    let message = unsafe { memory::take_text(std::mem::replace(&mut (*vtab).message, null_mut())) };
    FunctionError::with_code(code, message.unwrap_or_default())
}

/// # Safety
/// As the C functions document it.
unsafe fn create(
    handle: *mut sqlite3,
    name: *const c_char,
    methods: *const sqlite3_module,
    user_data: *mut c_void,
    destructor: Destructor,
) -> c_int {
    // SAFETY: our caller's promise.
    let (db, name) = match unsafe { (live(handle), text::name(name)) } {
        (Ok(db), Some(name)) => (db, name),
        (Ok(db), None) => return db.fail_code(code::MISUSE),
        (Err(code), _) => return code,
    };
    // If no module is registered, the destructor is not called.
    let module = (!methods.is_null()).then(|| -> Box<dyn Module> {
        Box::new(CModule(Arc::new(ModuleData { db: handle, methods, user_data, destructor })))
    });
    db.core().create_module(&name, module);
    code::OK
}

/// `sqlite3_vtab_config`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_vtab_config(db: *mut sqlite3, op: c_int, args: *mut CArgs) -> c_int {
    /// The verbs.
    const CONSTRAINT_SUPPORT: c_int = 1;
    const INNOCUOUS: c_int = 2;
    const DIRECT_ONLY: c_int = 3;
    const USES_ALL_SCHEMAS: c_int = 4;
    // SAFETY: the C half passes on its own arguments.
    guard(|| unsafe {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let mut all = db.virtual_tables.declaring.borrow_mut();
        let Some(declaring) = all.last_mut() else {
            drop(all);
            return db.fail_code(code::MISUSE);
        };
        match op {
            CONSTRAINT_SUPPORT => declaring.supports_constraints = Arguments::new(args).int() != 0,
            INNOCUOUS => declaring.risk = Risk::Innocuous,
            DIRECT_ONLY => declaring.risk = Risk::DirectOnly,
            // All schemas are loaded before a statement is compiled.
            USES_ALL_SCHEMAS => {}
            _ => {
                drop(all);
                return db.fail_code(code::MISUSE);
            }
        }
        drop(all);
        db.ok()
    })
}

api! {
    fn sqlite3_create_module(
        db: *mut sqlite3, name: *const c_char, methods: *const sqlite3_module, data: *mut c_void,
    ) -> c_int {
        create(db, name, methods, data, None)
    }

    fn sqlite3_create_module_v2(
        db: *mut sqlite3, name: *const c_char, methods: *const sqlite3_module, data: *mut c_void,
        destroy: Destructor,
    ) -> c_int {
        create(db, name, methods, data, destroy)
    }

    fn sqlite3_drop_modules(db: *mut sqlite3, keep: *mut *const c_char) -> c_int {
        let db = match live(db) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let mut kept = Vec::new();
        if !keep.is_null() {
            let mut at = keep;
            while let Some(name) = text::name(*at) {
                kept.push(name);
                at = at.add(1);
            }
        }
        let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
        db.core().drop_modules(&kept);
        code::OK
    }

    fn sqlite3_declare_vtab(db: *mut sqlite3, sql: *const c_char) -> c_int {
        let (db, sql) = match (live(db), text::name(sql)) {
            (Ok(db), Some(sql)) => (db, sql),
            (Ok(db), None) => return db.fail_code(code::MISUSE),
            (Err(code), _) => return code,
        };
        {
            let mut all = db.virtual_tables.declaring.borrow_mut();
            // Allowed once for each table that is being made.
            let Some(declaring) = all.last_mut().filter(|declaring| declaring.declaration.is_none()) else {
                drop(all);
                return db.fail_code(code::MISUSE);
            };
            declaring.declaration = Some(sql.clone());
        }
        let checked = db.core().check_declaration(&sql);
        if checked.is_err()
            && let Some(declaring) = db.virtual_tables.declaring.borrow_mut().last_mut()
        {
            declaring.declaration = None;
        }
        db.finish(checked)
    }

    fn sqlite3_vtab_on_conflict(db: *mut sqlite3) -> c_int {
        let Ok(db) = live(db) else { return 0 };
        let policy = db.virtual_tables.policies.borrow().last().copied();
        // SQLITE_ABORT is the default policy.
        policy.unwrap_or(code::ABORT)
    }

    fn sqlite3_vtab_nochange(context: *mut sqlite3_context) -> c_int {
        context.as_ref().is_some_and(|context| context.is_unchanged).into()
    }

    fn sqlite3_vtab_in_first(value: *mut sqlite3_value, out: *mut *mut sqlite3_value) -> c_int {
        next_of_list(value, out, true)
    }

    fn sqlite3_vtab_in_next(value: *mut sqlite3_value, out: *mut *mut sqlite3_value) -> c_int {
        next_of_list(value, out, false)
    }
}

/// The next value of a list that stands for the right-hand side of an IN.
///
/// # Safety
/// As the C functions document it.
unsafe fn next_of_list(value: *mut sqlite3_value, out: *mut *mut sqlite3_value, is_first: bool) -> c_int {
    // SAFETY: our caller's promise.
    let (value, out) = unsafe { (value.as_mut(), out.as_mut()) };
    let Some(out) = out else { return code::MISUSE };
    *out = null_mut();
    let Some(value) = value else { return code::MISUSE };
    match value.next_of_list(is_first) {
        None => ResultCode::ERROR.0,
        Some(None) => code::DONE,
        Some(Some(next)) => {
            *out = next;
            code::OK
        }
    }
}

const _: () = assert!(size_of::<sqlite3_vtab>() == 3 * size_of::<usize>());
const _: () = assert!(size_of::<sqlite3_module>() == 25 * size_of::<usize>());
