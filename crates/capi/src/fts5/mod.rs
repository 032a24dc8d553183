//! FTS5 in C: tokenizers and auxiliary functions of the application.
//!
//! ```text
//!   SELECT fts5(?1)    writes the address of the connection's fts5_api through a pointer of the kind "fts5_api_ptr"
//!
//!   fts5_api ── xCreateTokenizer(_v2) ──► tokenizer: CTokenizer, which tables use like those of the library
//!      ├─────── xFindTokenizer(_v2) ────► tokenizer: the application's own structure, or one that stands for the library's
//!      └─────── xCreateFunction ────────► auxiliary: CAuxiliary, which is called with an Fts5ExtensionApi
//! ```
//!
//! The structures are those of `fts5.h`, with the same layout.

mod auxiliary;
mod tokenizer;

use std::cell::{OnceCell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::rc::Rc;
use std::sync::Arc;

use lithe_engine::function::{self, Arity, Context, Flags, Function, Kind, ScalarFunction};
use lithe_engine::value::ValueRef;
use lithe_engine::virtual_table::SqlConnection;
use lithe_fts5::registry;

use crate::code;
use crate::connection::{Locked, live, sqlite3};
use crate::context::{UserData, application_pointer};
use crate::ffi_guard::guard;
use crate::memory::Destructor;
use crate::text;
use auxiliary::{CAuxiliary, ExtensionFn};
use tokenizer::{Found, Kind as TokenizerKind, Methods, fts5_tokenizer, fts5_tokenizer_v2};

/// The kind of the pointers through which the address of the interface is returned.
const POINTER_KIND: &[u8] = b"fts5_api_ptr";
/// The version of [`fts5_api`] that has the functions with `_v2`.
const API_VERSION: c_int = 3;
/// The highest version of a tokenizer's methods.
const TOKENIZER_VERSION: c_int = 2;

/// The interface by which an application extends FTS5.
#[allow(non_camel_case_types)]
#[repr(C)]
pub struct fts5_api {
    version: c_int,
    create_tokenizer:
        unsafe extern "C" fn(*mut fts5_api, *const c_char, *mut c_void, *const fts5_tokenizer, Destructor) -> c_int,
    find_tokenizer: unsafe extern "C" fn(*mut fts5_api, *const c_char, *mut *mut c_void, *mut fts5_tokenizer) -> c_int,
    create_function:
        unsafe extern "C" fn(*mut fts5_api, *const c_char, *mut c_void, Option<ExtensionFn>, Destructor) -> c_int,
    create_tokenizer_v2:
        unsafe extern "C" fn(*mut fts5_api, *const c_char, *mut c_void, *const fts5_tokenizer_v2, Destructor) -> c_int,
    find_tokenizer_v2:
        unsafe extern "C" fn(*mut fts5_api, *const c_char, *mut *mut c_void, *mut *const fts5_tokenizer_v2) -> c_int,
}

const _: () = assert!(size_of::<fts5_api>() == 6 * size_of::<usize>());

/// The interface of one connection.
#[repr(C)]
struct ConnectionApi {
    api: fts5_api,
    db: *mut sqlite3,
}

/// The state of a connection for FTS5.
#[derive(Default)]
pub(crate) struct Fts5State {
    api: OnceCell<Box<ConnectionApi>>,
    /// The application's tokenizers by their names, the newest last.
    tokenizers: RefCell<Vec<(String, Arc<TokenizerKind>)>>,
    /// Structures for tokenizers that the application has looked up. Pointers to them are valid until the connection
    /// ends.
    found: RefCell<Vec<Rc<Found>>>,
}

impl Fts5State {
    fn tokenizer(&self, name: &str) -> Option<Arc<TokenizerKind>> {
        let all = self.tokenizers.borrow();
        let found = all.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, kind)| Arc::clone(kind))
    }

    /// A structure for a tokenizer of the library or, in the other version, of the application.
    fn stand_in(&self, db: &sqlite3, handle: *mut sqlite3, name: &str) -> Option<*const Found> {
        let constructor = registry::Registry::of(db.core()).tokenizer(name)?;
        let mut all = self.found.borrow_mut();
        let known = all.iter().find(|found| Arc::ptr_eq(&found.constructor, &constructor));
        let found = known.cloned().unwrap_or_else(|| {
            let made = Rc::new(Found { db: handle, constructor });
            all.push(Rc::clone(&made));
            made
        });
        Some(Rc::as_ptr(&found))
    }
}

/// The function `fts5()` of a connection.
pub(crate) fn function(db: *mut sqlite3) -> Function {
    let kind = Kind::CustomScalar(Arc::new(TellApi(db)));
    Function::custom("fts5", Arity::Exactly(1), Flags::default(), kind)
}

struct TellApi(*mut sqlite3);

// SAFETY: only its connection calls it, and only one thread at a time uses that: its mutex, or the application, makes
// sure.
unsafe impl Send for TellApi {}
// SAFETY: as above.
unsafe impl Sync for TellApi {}

impl ScalarFunction for TellApi {
    fn call(&self, context: &mut Context<'_>, _: &[ValueRef<'_>]) -> function::Result {
        let pointer = context.arguments.pointer(0).filter(|pointer| *pointer.kind == *POINTER_KIND);
        if let Some(pointer) = pointer.and_then(application_pointer) {
            // SAFETY: the connection calls this, so it lives; a pointer of this kind is the address of the
            // application's variable.
            unsafe { pointer.address.cast::<*mut fts5_api>().write((*self.0).fts5_api(self.0)) };
        }
        context.answer(ValueRef::Null)
    }
}

impl sqlite3 {
    /// The connection's interface, which is not moved.
    fn fts5_api(&self, handle: *mut sqlite3) -> *mut fts5_api {
        let state = self.kept::<Fts5State>();
        let made = state.api.get_or_init(|| {
            let api = fts5_api {
                version: API_VERSION,
                create_tokenizer,
                find_tokenizer,
                create_function,
                create_tokenizer_v2,
                find_tokenizer_v2,
            };
            Box::new(ConnectionApi { api, db: handle })
        });
        std::ptr::from_ref(&**made).cast_mut().cast()
    }
}

/// The connection that an interface belongs to.
///
/// # Safety
/// The application got `api` from `fts5()`, and has not closed the connection.
unsafe fn connection<'a>(api: *mut fts5_api) -> Result<(Locked<'a>, *mut sqlite3), c_int> {
    // SAFETY: our caller's promise: it is the beginning of such a structure.
    unsafe {
        let db = (*api.cast::<ConnectionApi>()).db;
        live(db).map(|locked| (locked, db))
    }
}

/// Adds a tokenizer for tables that are connected from now on.
///
/// # Safety
/// As [`connection`]; the rest is as `fts5.h` wants it.
unsafe fn add_tokenizer(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut c_void,
    methods: Methods,
    destructor: Destructor,
) -> c_int {
    // SAFETY: our caller's promise.
    let (db, name) = match unsafe { (connection(api), text::name(name)) } {
        (Ok((db, _)), Some(name)) => (db, name),
        (Ok(_), None) => return code::MISUSE,
        (Err(code), _) => return code,
    };
    let kind = Arc::new(TokenizerKind { methods, user_data, destructor });
    registry::add_tokenizer(db.core(), &name, tokenizer::constructor(&kind));
    db.kept::<Fts5State>().tokenizers.borrow_mut().push((name, kind));
    code::OK
}

unsafe extern "C" fn create_tokenizer(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut c_void,
    methods: *const fts5_tokenizer,
    destructor: Destructor,
) -> c_int {
    // SAFETY: the application calls this as `fts5.h` says.
    guard(|| unsafe { add_tokenizer(api, name, user_data, Methods::First(*methods), destructor) })
}

unsafe extern "C" fn create_tokenizer_v2(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut c_void,
    methods: *const fts5_tokenizer_v2,
    destructor: Destructor,
) -> c_int {
    // SAFETY: as above.
    guard(|| unsafe {
        if (*methods).version > TOKENIZER_VERSION {
            return code::ERROR;
        }
        add_tokenizer(api, name, user_data, Methods::Second(*methods), destructor)
    })
}

/// The name of a tokenizer; the default one's for a null pointer.
///
/// # Safety
/// `name` is null or a string of C.
unsafe fn tokenizer_name(name: *const c_char) -> String {
    // SAFETY: our caller's promise.
    unsafe { text::name(name) }.unwrap_or_else(|| lithe_fts5::tokenizer::DEFAULT.to_owned())
}

unsafe extern "C" fn find_tokenizer(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut *mut c_void,
    methods: *mut fts5_tokenizer,
) -> c_int {
    // SAFETY: the application calls this as `fts5.h` says: the variables for results can be written.
    guard(|| unsafe {
        let (db, handle) = match connection(api) {
            Ok(connection) => connection,
            Err(code) => return code,
        };
        let name = tokenizer_name(name);
        let own = db.kept::<Fts5State>().tokenizer(&name);
        if let Some((kind, Methods::First(found))) = own.as_deref().map(|kind| (kind, kind.methods)) {
            *user_data = kind.user_data;
            *methods = found;
            return code::OK;
        }
        match db.kept::<Fts5State>().stand_in(&db, handle, &name) {
            Some(found) => {
                *user_data = found.cast_mut().cast();
                *methods = tokenizer::STAND_IN;
                code::OK
            }
            None => {
                *user_data = std::ptr::null_mut();
                *methods = fts5_tokenizer::default();
                code::ERROR
            }
        }
    })
}

unsafe extern "C" fn find_tokenizer_v2(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut *mut c_void,
    methods: *mut *const fts5_tokenizer_v2,
) -> c_int {
    // SAFETY: as above.
    guard(|| unsafe {
        let (db, handle) = match connection(api) {
            Ok(connection) => connection,
            Err(code) => return code,
        };
        let name = tokenizer_name(name);
        let own = db.kept::<Fts5State>().tokenizer(&name);
        if let Some((kind, Methods::Second(found))) = own.as_deref().map(|kind| (kind, &kind.methods)) {
            // (The connection keeps the kind, and the kind its methods.)
            *user_data = kind.user_data;
            *methods = found;
            return code::OK;
        }
        match db.kept::<Fts5State>().stand_in(&db, handle, &name) {
            Some(found) => {
                *user_data = found.cast_mut().cast();
                *methods = &raw const tokenizer::STAND_IN_V2;
                code::OK
            }
            None => {
                *user_data = std::ptr::null_mut();
                *methods = std::ptr::null();
                code::ERROR
            }
        }
    })
}

unsafe extern "C" fn create_function(
    api: *mut fts5_api,
    name: *const c_char,
    user_data: *mut c_void,
    call: Option<ExtensionFn>,
    destructor: Destructor,
) -> c_int {
    // SAFETY: as above.
    guard(|| unsafe {
        let (db, handle) = match connection(api) {
            Ok(connection) => connection,
            Err(code) => return code,
        };
        let Some(name) = text::name(name) else { return code::MISUSE };
        // A name that SQL functions cannot have is refused first, before the function is taken and can be destroyed.
        if let Err(error) = SqlConnection::overload_function(db.core(), &name) {
            return error.code;
        }
        let function = CAuxiliary { db: handle, call, user_data: UserData::new(user_data), destructor };
        match registry::add_function(db.core(), &name, Arc::new(function)) {
            Ok(()) => code::OK,
            Err(error) => error.code,
        }
    })
}
