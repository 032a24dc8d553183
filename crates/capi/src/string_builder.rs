//! `sqlite3_str`: a text that grows.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use lithe_engine::function::FormatOutput;

use crate::code;
use crate::connection::{locked, sqlite3};
use crate::context::sqlite3_context;
use crate::ffi_guard::{api, guard};
use crate::memory;
use crate::mprintf::{self, LENGTH_MAX, SHORT_LEN};
use crate::text;
use crate::variadic::{Arguments, CArgs};

/// A text under construction.
#[allow(non_camel_case_types)]
pub struct sqlite3_str {
    bytes: Vec<u8>,
    length_max: usize,
    error: c_int,
}

impl sqlite3_str {
    fn push(&mut self, bytes: &[u8]) {
        if self.error != code::OK {
            return;
        }
        if self.bytes.len() + bytes.len() > self.length_max {
            return self.too_big();
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn too_big(&mut self) {
        self.error = code::TOOBIG;
        self.bytes = Vec::new();
    }

    /// The text as memory of the application; null if it is empty or failed.
    fn take(&mut self) -> *mut c_char {
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.is_empty() { null_mut() } else { memory::copy_text(&bytes) }
    }
}

/// The destructor with which `sqlite3_result_str` takes over the text.
const XFER: c_int = 1;
const FINISH: c_int = 2;

api! {
    fn sqlite3_str_new(db: *mut sqlite3) -> *mut sqlite3_str {
        let length_max = locked(db).map_or(LENGTH_MAX, |db| db.length_max());
        Box::into_raw(Box::new(sqlite3_str { bytes: Vec::new(), length_max, error: code::OK }))
    }

    fn sqlite3_str_finish(str: *mut sqlite3_str) -> *mut c_char {
        if str.is_null() {
            return null_mut();
        }
        Box::from_raw(str).take()
    }

    fn sqlite3_str_free(str: *mut sqlite3_str) {
        if !str.is_null() {
            drop(Box::from_raw(str));
        }
    }

    fn sqlite3_result_str(context: *mut sqlite3_context, handle: *mut sqlite3_str, flag: c_int) {
        let (Some(context), Some(str)) = (context.as_mut(), handle.as_mut()) else { return };
        match str.error {
            code::OK => context.set_text(&str.bytes),
            error => context.fail_code(error),
        }
        if flag == XFER || flag == FINISH {
            str.bytes = Vec::new();
            str.error = code::OK;
        }
        if flag == FINISH {
            drop(Box::from_raw(handle));
        }
    }

    fn sqlite3_str_append(str: *mut sqlite3_str, bytes: *const c_char, n: c_int) {
        if let Some(str) = str.as_mut() {
            str.push(text::sized(bytes.cast(), n.max(0).into()));
        }
    }

    fn sqlite3_str_appendall(str: *mut sqlite3_str, bytes: *const c_char) {
        if let Some(str) = str.as_mut() {
            str.push(text::bytes(bytes).unwrap_or_default());
        }
    }

    fn sqlite3_str_appendchar(str: *mut sqlite3_str, n: c_int, c: c_char) {
        let (Some(str), Ok(n)) = (str.as_mut(), usize::try_from(n)) else { return };
        if str.error == code::OK {
            if str.bytes.len().saturating_add(n) > str.length_max {
                return str.too_big();
            }
            str.bytes.resize(str.bytes.len() + n, c as u8);
        }
    }

    fn sqlite3_str_reset(str: *mut sqlite3_str) {
        if let Some(str) = str.as_mut() {
            str.bytes = Vec::new();
            str.error = code::OK;
        }
    }

    fn sqlite3_str_truncate(str: *mut sqlite3_str, n: c_int) {
        if let (Some(str), Ok(n)) = (str.as_mut(), usize::try_from(n)) {
            str.bytes.truncate(n);
        }
    }

    fn sqlite3_str_errcode(str: *mut sqlite3_str) -> c_int {
        str.as_ref().map_or(code::NOMEM, |str| str.error)
    }

    fn sqlite3_str_length(str: *mut sqlite3_str) -> c_int {
        str.as_ref().map_or(0, |str| str.bytes.len() as c_int)
    }

    fn sqlite3_str_value(str: *mut sqlite3_str) -> *mut c_char {
        let Some(str) = str.as_mut().filter(|str| !str.bytes.is_empty()) else { return null_mut() };
        // The NUL stays in memory behind the text until the next append.
        str.bytes.push(0);
        str.bytes.pop();
        str.bytes.as_mut_ptr().cast()
    }
}

/// `sqlite3_str_appendf`, behind its C half.
#[unsafe(no_mangle)]
unsafe extern "C" fn lithe_str_appendf(str: *mut sqlite3_str, format: *const c_char, args: *mut CArgs) {
    guard(|| {
        // SAFETY: the C half passes on its own arguments.
        unsafe {
            let Some(str) = str.as_mut() else { return };
            let mut place = [0; SHORT_LEN];
            let mut output = FormatOutput::growing_from(&mut place, str.length_max);
            match mprintf::write(&mut output, format, &mut Arguments::new(args)) {
                Ok(()) => str.push(output.as_slice()),
                Err(_) => str.too_big(),
            }
        }
    });
}
