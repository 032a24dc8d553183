//! The last error of a connection, and the texts of result codes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use lithe_engine::value::utf8::until_nul;
use lithe_engine::{Error, ResultCode};

use crate::code;
use crate::connection::{Locked, locked, sqlite3};
use crate::ffi_guard::api;
use crate::text::{self, c_string};

/// The result of `sqlite3_errcode` and related functions.
#[derive(Debug)]
pub(crate) struct LastError {
    /// The extended code.
    code: Cell<c_int>,
    /// -1: nowhere.
    offset: Cell<c_int>,
    system: Cell<c_int>,
    /// There is an offset or a message, which the next call without them has to clear.
    has_details: Cell<bool>,
    /// The message with its NUL; it counts if `has_message` says so, else the text of the code does. The memory stays, and what stands in it
    /// until there is another message: programs read a message behind the call that ends its statement, as they can on SQLite.
    message: RefCell<Vec<u8>>,
    has_message: Cell<bool>,
    wide: RefCell<Vec<u16>>,
}

/// The memory for messages at first: most never need more, so that it is not moved.
const MESSAGE_LEN: usize = 256;

impl LastError {
    pub(crate) fn new() -> LastError {
        LastError {
            code: Cell::new(code::OK),
            offset: Cell::new(-1),
            system: Cell::new(0),
            has_details: Cell::new(false),
            message: RefCell::default(),
            has_message: Cell::new(false),
            wide: RefCell::new(Vec::new()),
        }
    }

    /// The last step ended with a row or with the last one: as in SQLite, an older message and its offset stay.
    #[inline]
    pub(crate) fn set_step(&self, code: c_int) {
        self.code.set(code);
    }

    /// The last call succeeded.
    #[inline]
    fn clear(&self) {
        self.code.set(code::OK);
        if self.has_details.get() {
            self.forget();
        }
    }

    #[cold]
    fn forget(&self) {
        self.has_details.set(false);
        self.offset.set(-1);
        self.has_message.set(false);
    }

    /// An error that is no error in SQL: as in SQLite, an older offset stays.
    fn set(&self, code: c_int, message: Option<&[u8]>) {
        self.code.set(code);
        self.has_message.set(message.is_some());
        if let Some(message) = message {
            let mut kept = self.message.borrow_mut();
            kept.clear();
            kept.reserve(MESSAGE_LEN);
            kept.extend_from_slice(until_nul(message));
            kept.push(0);
        }
        self.has_details.set(message.is_some() || self.offset.get() >= 0);
    }

    /// An error with its place in the SQL, if it has one.
    fn set_with_offset(&self, code: c_int, message: &[u8], offset: Option<u32>) {
        self.offset.set(offset.and_then(|offset| c_int::try_from(offset).ok()).unwrap_or(-1));
        self.set(code, Some(message));
    }

    /// The system's code of the last failure of a file.
    pub(crate) fn system_errno(&self) -> c_int {
        self.system.get()
    }

    fn message(&self) -> *const c_char {
        match self.has_message.get() {
            true => self.message.borrow().as_ptr().cast(),
            false => errstr(self.code.get()).as_ptr(),
        }
    }
}

impl sqlite3 {
    /// The code, without the bits of an extended code unless the application has enabled these.
    #[inline]
    pub(crate) fn masked(&self, code: c_int) -> c_int {
        code & self.code_mask.get()
    }

    /// The call has succeeded.
    #[inline]
    pub(crate) fn ok(&self) -> c_int {
        self.error.clear();
        code::OK
    }

    /// The call has failed.
    #[cold]
    pub(crate) fn fail(&self, error: &Error) -> c_int {
        self.error.set_with_offset(error.code().0, error.message().as_bytes(), error.offset());
        if let Some(errno) = error.system_errno() {
            self.error.system.set(errno);
        }
        self.masked(error.code().0)
    }

    /// The call has failed with SQLITE_ERROR, and the error itself is reported later. The previous message stays.
    pub(crate) fn fail_untold(&self) -> c_int {
        self.error.code.set(code::ERROR);
        code::ERROR
    }

    /// The call has failed with this code and its text.
    pub(crate) fn fail_code(&self, code: c_int) -> c_int {
        self.error.set(code, None);
        self.masked(code)
    }

    /// The call has failed with this code and a text of its own.
    pub(crate) fn fail_with(&self, code: c_int, message: &str) -> c_int {
        self.error.set(code, Some(message.as_bytes()));
        self.masked(code)
    }

    /// The call has failed, with an error that has no place in SQL: as in SQLite, an older offset stays.
    pub(crate) fn fail_without_place(&self, error: &Error) -> c_int {
        self.fail_with(error.code().0, error.message())
    }

    /// The end of a call that leaves the connection's last error what it is.
    pub(crate) fn finish_silently(&self, result: Result<(), Error>) -> c_int {
        result.map_or_else(|error| self.masked(error.code().0), |()| code::OK)
    }

    /// The end of a call that sets the last error.
    pub(crate) fn finish(&self, result: Result<(), Error>) -> c_int {
        match result {
            Ok(()) => self.ok(),
            Err(error) => self.fail(&error),
        }
    }

    /// The message of the last error.
    pub(crate) fn message_bytes(&self) -> Vec<u8> {
        // SAFETY: both kinds of messages end with NUL.
        unsafe { CStr::from_ptr(self.error.message()) }.to_bytes().to_vec()
    }
}

/// The text of a code. The texts are converted to C strings once and cached; there are about thirty.
pub(crate) fn errstr(code: c_int) -> &'static CStr {
    static KEPT: Mutex<BTreeMap<&'static str, &'static CStr>> = Mutex::new(BTreeMap::new());
    let text = ResultCode(code).text();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.entry(text).or_insert_with(|| Box::leak(c_string(text.as_bytes()).into_boxed_c_str()))
}

/// The text for a null connection.
const NO_MEMORY: &CStr = c"out of memory";
const MISUSED: &CStr = c"bad parameter or other API misuse";

/// Both texts in UTF-16.
static WIDE: LazyLock<[Vec<u16>; 2]> = LazyLock::new(|| {
    [NO_MEMORY, MISUSED].map(|text| text::to_utf16(text.to_bytes(), lithe_engine::value::Encoding::UTF16_NATIVE))
});

fn of_connection<T>(db: Option<Locked<'_>>, is_null: bool, f: impl FnOnce(&sqlite3) -> T, none: fn(c_int) -> T) -> T {
    // A closed connection has no error any more, although its statements may still exist.
    match db {
        Some(db) if !db.is_zombie() => f(&db),
        _ => none(if is_null { code::NOMEM } else { code::MISUSE }),
    }
}

api! {
    fn sqlite3_errcode(db: *mut sqlite3) -> c_int {
        of_connection(locked(db), db.is_null(), |db| db.masked(db.error.code.get()), |code| code)
    }

    fn sqlite3_extended_errcode(db: *mut sqlite3) -> c_int {
        of_connection(locked(db), db.is_null(), |db| db.error.code.get(), |code| code)
    }

    fn sqlite3_errmsg(db: *mut sqlite3) -> *const c_char {
        let none = |code| if code == code::NOMEM { NO_MEMORY.as_ptr() } else { MISUSED.as_ptr() };
        of_connection(locked(db), db.is_null(), |db| db.error.message(), none)
    }

    fn sqlite3_errmsg16(db: *mut sqlite3) -> *const c_void {
        let none = |code| if code == code::NOMEM { WIDE[0].as_ptr() } else { WIDE[1].as_ptr() };
        let wide = |db: &sqlite3| {
            let mut wide = db.error.wide.borrow_mut();
            wide.clear();
            wide.reserve(MESSAGE_LEN);
            wide.extend(text::to_utf16(&db.message_bytes(), lithe_engine::value::Encoding::UTF16_NATIVE));
            wide.as_ptr()
        };
        of_connection(locked(db), db.is_null(), wide, none).cast()
    }

    fn sqlite3_errstr(code: c_int) -> *const c_char {
        errstr(code).as_ptr()
    }

    fn sqlite3_error_offset(db: *mut sqlite3) -> c_int {
        of_connection(locked(db), db.is_null(), |db| db.error.offset.get(), |_| -1)
    }

    fn sqlite3_system_errno(db: *mut sqlite3) -> c_int {
        of_connection(locked(db), db.is_null(), |db| db.error.system.get(), |_| 0)
    }

    fn sqlite3_set_errmsg(db: *mut sqlite3, code: c_int, message: *const c_char) -> c_int {
        let Some(db) = locked(db) else { return code::MISUSE };
        if code == code::OK { db.error.clear() } else { db.error.set(code, text::bytes(message)) }
        code::OK
    }

    fn sqlite3_extended_result_codes(db: *mut sqlite3, on: c_int) -> c_int {
        let Some(db) = locked(db) else { return code::MISUSE };
        db.set_extended_codes(on != 0);
        code::OK
    }
}
