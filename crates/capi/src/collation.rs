//! Collations of the application.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use lithe_engine::value::{Buffer, Collation, CustomCollation, Encoding};

use crate::code;
use crate::connection::{live, sqlite3};
use crate::ffi_guard::api;
use crate::memory::{self, Destructor};
use crate::text;

type CompareFn = unsafe extern "C" fn(*mut c_void, c_int, *const c_void, c_int, *const c_void) -> c_int;

/// A collation as the application registered it.
struct CCollation {
    name: String,
    encoding: Encoding,
    arg: *mut c_void,
    compare: CompareFn,
    /// None until the connection has taken the collation, and after the destructor was called.
    destructor: Cell<Destructor>,
}

// SAFETY: as for functions: a connection is used by one thread at a time, and only it compares.
unsafe impl Send for CCollation {}
// SAFETY: as above.
unsafe impl Sync for CCollation {}

impl Drop for CCollation {
    fn drop(&mut self) {
        self.removed();
    }
}

impl CCollation {
    fn ask(&self, left: &[u8], right: &[u8]) -> Ordering {
        let (left_len, right_len) = (left.len() as c_int, right.len() as c_int);
        // SAFETY: the application's function, called as documented.
        let answer =
            unsafe { (self.compare)(self.arg, left_len, left.as_ptr().cast(), right_len, right.as_ptr().cast()) };
        answer.cmp(&0)
    }
}

impl CustomCollation for CCollation {
    fn name(&self) -> &str {
        &self.name
    }

    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        if self.encoding == Encoding::Utf8 {
            return self.ask(left, right);
        }
        let (mut wide_left, mut wide_right) = (Buffer::new(), Buffer::new());
        self.encoding.encode(left, &mut wide_left);
        self.encoding.encode(right, &mut wide_right);
        self.ask(wide_left.as_slice(), wide_right.as_slice())
    }

    fn removed(&self) {
        // SAFETY: the application gave both for this. The collation is not used any more.
        unsafe { memory::destroy(self.destructor.take(), self.arg) };
    }
}

/// # Safety
/// As the C functions document it.
unsafe fn create(
    db: *mut sqlite3,
    name: Option<&[u8]>,
    representation: c_int,
    arg: *mut c_void,
    compare: Option<CompareFn>,
    destructor: Destructor,
) -> c_int {
    // SAFETY: our caller's promise.
    let db = match unsafe { live(db) } {
        Ok(db) => db,
        Err(code) => return code,
    };
    let encoding = text::encoding(representation).filter(|_| !matches!(representation, code::ANY | code::UTF8_ZT));
    let (Some(name), Some(encoding)) = (name, encoding) else { return code::MISUSE };
    let name = String::from_utf8_lossy(name).into_owned();
    let made = compare.map(|compare| {
        Arc::new(CCollation { name: name.clone(), encoding, arg, compare, destructor: Cell::new(None) })
    });
    let collation = made.clone().map(|made| Collation::Custom(made));
    let answer = match db.core().set_collation_for(&name, encoding, collation) {
        Ok(()) => db.ok(),
        Err(error) => db.fail_without_place(&error),
    };
    // A collation that was refused still belongs to the application: its destructor is not called.
    if let Some(made) = made.filter(|_| answer == code::OK) {
        made.destructor.set(destructor);
    }
    answer
}

type NeededFn = unsafe extern "C" fn(*mut c_void, *mut sqlite3, c_int, *const c_char);
type NeededFn16 = unsafe extern "C" fn(*mut c_void, *mut sqlite3, c_int, *const c_void);

api! {
    fn sqlite3_create_collation(
        db: *mut sqlite3, name: *const c_char, representation: c_int, arg: *mut c_void, compare: Option<CompareFn>,
    ) -> c_int {
        create(db, text::bytes(name), representation, arg, compare, None)
    }

    fn sqlite3_create_collation_v2(
        db: *mut sqlite3, name: *const c_char, representation: c_int, arg: *mut c_void, compare: Option<CompareFn>,
        destroy: Destructor,
    ) -> c_int {
        create(db, text::bytes(name), representation, arg, compare, destroy)
    }

    fn sqlite3_create_collation16(
        db: *mut sqlite3, name: *const c_void, representation: c_int, arg: *mut c_void, compare: Option<CompareFn>,
    ) -> c_int {
        create(db, text::utf16_string(name).as_deref(), representation, arg, compare, None)
    }

    fn sqlite3_collation_needed(handle: *mut sqlite3, arg: *mut c_void, needed: Option<NeededFn>) -> c_int {
        let db = match live(handle) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let callback = needed.map(|needed| -> lithe_engine::CollationNeeded {
            std::rc::Rc::new(move |name: &str, encoding| {
                let name = crate::text::c_string(name.as_bytes());
                // SAFETY: the application's function, called as documented.
                unsafe { needed(arg, handle, text::representation(encoding), name.as_ptr()) };
                None // None; the callback has defined the collation itself, if it could
            })
        });
        db.core().set_collation_needed(callback);
        code::OK
    }

    fn sqlite3_collation_needed16(handle: *mut sqlite3, arg: *mut c_void, needed: Option<NeededFn16>) -> c_int {
        let db = match live(handle) {
            Ok(db) => db,
            Err(code) => return code,
        };
        let callback = needed.map(|needed| -> lithe_engine::CollationNeeded {
            std::rc::Rc::new(move |name: &str, encoding| {
                let name = text::to_utf16(name.as_bytes(), Encoding::UTF16_NATIVE);
                // SAFETY: the application's function, called as documented.
                unsafe { needed(arg, handle, text::representation(encoding), name.as_ptr().cast()) };
                None
            })
        });
        db.core().set_collation_needed(callback);
        code::OK
    }
}
