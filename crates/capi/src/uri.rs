//! Filenames as a VFS gets them (`sqlite3_filename`), and the parameters in them.
//!
//! ```text
//!   4 NULs | database NUL | key NUL value NUL … | NUL | journal NUL | wal NUL | NUL NUL
//!            ▲ the filename                            ▲             ▲
//! ```
//!
//! The database's name is found from a journal's or a WAL's name by going back to the four NULs.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::null;

use crate::ffi_guard::api;
use crate::text;

const PREFIX: usize = 4;

/// Makes a filename. It is freed by [`sqlite3_free_filename`].
pub(crate) fn create<'a>(
    database: &[u8],
    journal: &[u8],
    wal: &[u8],
    parameters: impl Iterator<Item = (&'a [u8], &'a [u8])>,
) -> *const c_char {
    let mut block = vec![0; PREFIX];
    let mut push = |part: &[u8]| {
        block.extend_from_slice(part);
        block.push(0);
    };
    push(database);
    for (key, value) in parameters {
        push(key);
        push(value);
    }
    push(b"");
    push(journal);
    push(wal);
    push(b"");
    push(b"");
    let memory = crate::memory::malloc(block.len() as u64).cast::<u8>();
    if memory.is_null() {
        return null();
    }
    // SAFETY: the memory is as long as the block.
    unsafe {
        memory.copy_from_nonoverlapping(block.as_ptr(), block.len());
        memory.add(PREFIX).cast()
    }
}

/// The C string behind this one.
///
/// # Safety
/// `text` is within a filename.
unsafe fn next(text: *const c_char) -> *const c_char {
    // SAFETY: our caller's promise.
    unsafe { text.add(CStr::from_ptr(text).count_bytes() + 1) }
}

/// Keys and values.
///
/// # Safety
/// `filename` is the database's name in a filename that [`create`] has made.
unsafe fn parameters(filename: *const c_char) -> Vec<(*const c_char, *const c_char)> {
    let mut found = Vec::new();
    // SAFETY: our caller's promise: an empty key ends the list.
    unsafe {
        let mut at = next(filename);
        while *at != 0 {
            let value = next(at);
            found.push((at, value));
            at = next(value);
        }
    }
    found
}

/// The end of the list of parameters: the empty string before the journal's name.
///
/// # Safety
/// As [`parameters`].
unsafe fn end_of_parameters(filename: *const c_char) -> *const c_char {
    // SAFETY: our caller's promise.
    unsafe {
        match parameters(filename).last() {
            Some((_, value)) => next(*value),
            None => next(filename),
        }
    }
}

/// # Safety
/// `filename` is null or was made by [`create`].
unsafe fn value(filename: *const c_char, key: *const c_char) -> Option<*const c_char> {
    // SAFETY: our caller's promise.
    unsafe {
        if filename.is_null() || key.is_null() {
            return None;
        }
        let wanted = CStr::from_ptr(key);
        parameters(filename).into_iter().find(|(key, _)| CStr::from_ptr(*key) == wanted).map(|(_, value)| value)
    }
}

/// A number in SQL's syntax, decimal or hexadecimal; `None` if it is not a number.
fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(u64::cast_signed),
        None => text.parse().ok(),
    }
}

api! {
    fn sqlite3_uri_parameter(filename: *const c_char, key: *const c_char) -> *const c_char {
        value(filename, key).unwrap_or(null())
    }

    fn sqlite3_uri_boolean(filename: *const c_char, key: *const c_char, default: c_int) -> c_int {
        let default = default != 0;
        value(filename, key).map_or(default, |value| lithe_engine::boolean(text::bytes(value).unwrap_or_default(), default)).into()
    }

    fn sqlite3_uri_int64(filename: *const c_char, key: *const c_char, default: i64) -> i64 {
        value(filename, key).and_then(|value| integer(text::bytes(value).unwrap_or_default())).unwrap_or(default)
    }

    fn sqlite3_uri_key(filename: *const c_char, n: c_int) -> *const c_char {
        if filename.is_null() {
            return null();
        }
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        parameters(filename).get(n).map_or(null(), |(key, _)| *key)
    }

    fn sqlite3_filename_database(filename: *const c_char) -> *const c_char {
        if filename.is_null() {
            return null();
        }
        let mut at = filename;
        while [at.sub(1), at.sub(2), at.sub(3), at.sub(4)].iter().any(|before| **before != 0) {
            at = at.sub(1);
        }
        at
    }

    fn sqlite3_filename_journal(filename: *const c_char) -> *const c_char {
        if filename.is_null() {
            return null();
        }
        next(end_of_parameters(sqlite3_filename_database(filename)))
    }

    fn sqlite3_filename_wal(filename: *const c_char) -> *const c_char {
        if filename.is_null() { null() } else { next(sqlite3_filename_journal(filename)) }
    }

    fn sqlite3_create_filename(
        database: *const c_char, journal: *const c_char, wal: *const c_char, n: c_int, pairs: *mut *const c_char,
    ) -> *const c_char {
        let get = |text: *const c_char| text::bytes(text).unwrap_or_default();
        let count = if pairs.is_null() { 0 } else { usize::try_from(n).unwrap_or(0) };
        let pair = |i: usize| (get(*pairs.add(2 * i)), get(*pairs.add(2 * i + 1)));
        create(get(database), get(journal), get(wal), (0..count).map(pair))
    }

    fn sqlite3_free_filename(filename: *const c_char) {
        if !filename.is_null() {
            crate::memory::free(sqlite3_filename_database(filename).cast_mut().sub(PREFIX).cast());
        }
    }
}

/// A filename in the form that SQLite passes to a VFS, freed on drop.
pub(crate) struct Filename(*const c_char);

impl Filename {
    /// The names of a database, its journal and its log, and the URI's parameters.
    pub(crate) fn new<'a>(
        database: &[u8],
        journal: &[u8],
        wal: &[u8],
        parameters: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Filename {
        Filename(create(database, journal, wal, parameters))
    }

    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0
    }
}

impl Drop for Filename {
    fn drop(&mut self) {
        // SAFETY: `create` made the name.
        unsafe { sqlite3_free_filename(self.0) };
    }
}
