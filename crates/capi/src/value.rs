//! `sqlite3_value`: a value as C sees it, and its converted forms.
//!
//! Reading never changes the value: a text that is read as UTF-16 keeps its UTF-8, so that pointers to one form stay
//! valid while another form is made. Text gets its NUL in a copy; blobs are returned in place.
//!
//! SQLite has one form of a value, and converts it to the one that is asked for; `sqlite3_value_blob` gives the bytes of
//! that form. So a value remembers here which form was asked for last, and begins with the database's encoding.

mod forms;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use lithe_engine::value::cast;
use lithe_engine::value::{Encoding, Numeric, Value, ValueRef};

use crate::code;
use crate::ffi_guard::api;
use crate::memory::Destructor;
use crate::text;

/// A value. Arguments and columns borrow their bytes; copies own them.
#[allow(non_camel_case_types)]
#[derive(Default)]
pub struct sqlite3_value {
    raw: Raw,
    owned: Value,
    /// The row for which the content was fetched; 0 for none.
    pub(crate) row: u64,
    text: Form<Vec<u8>>,
    wide: Form<Wide>,
    wide_encoding: Encoding,
    /// The database's encoding: the form in which a text begins, and in which the bytes of a blob are taken for a text.
    stored: Encoding,
    /// The form that was asked for last.
    present: Encoding,
    /// A blob or a number was asked for its text.
    is_converted: bool,
    /// The present form was asked for as a blob, so that its length is told as it is.
    is_shown: bool,
    pub(crate) subtype: u8,
    pub(crate) is_from_bind: bool,
    pub(crate) pointer: Option<Pointer>,
    /// An UPDATE does not change the column.
    pub(crate) is_unchanged: bool,
    /// The value stands for all values of an IN.
    list: Option<Box<List>>,
}

/// The values of an IN.
struct List {
    values: Vec<sqlite3_value>,
    /// The index of the next value.
    at: usize,
}

/// A converted form, or memory for it.
#[derive(Default)]
struct Form<T> {
    is_made: bool,
    memory: T,
}

/// A text in UTF-16 with a double NUL behind it.
#[derive(Default)]
struct Wide {
    units: Vec<u16>,
    /// Without the NULs; the bytes of a blob may be odd.
    len: usize,
}

/// The value. Its pointers are valid as long as it is used, which the caller of the setter promises.
#[derive(Clone, Copy, Default)]
enum Raw {
    #[default]
    Null,
    Integer(i64),
    Real(f64),
    Text(*const u8, usize),
    Blob(*const u8, usize),
}

/// A pointer in a NULL (`sqlite3_bind_pointer`, `sqlite3_result_pointer`).
#[derive(Clone, Copy)]
pub(crate) struct Pointer {
    pub(crate) address: *mut c_void,
    /// The name of its type, which ends with NUL and is static.
    pub(crate) kind: *const c_char,
    pub(crate) destructor: Destructor,
}

impl sqlite3_value {
    /// Sets the value without a copy.
    ///
    /// # Safety
    /// The bytes of `value` are valid until this is set again, dropped, or not read any more.
    #[inline]
    pub(crate) unsafe fn borrow(&mut self, value: ValueRef<'_>) {
        // SAFETY: our caller's promise.
        unsafe { self.borrow_stored(value, Encoding::Utf8) }
    }

    /// As [`sqlite3_value::borrow`], for a value of a database with this encoding.
    ///
    /// # Safety
    /// As [`sqlite3_value::borrow`].
    #[inline]
    pub(crate) unsafe fn borrow_stored(&mut self, value: ValueRef<'_>, encoding: Encoding) {
        self.raw = match value {
            ValueRef::Null => Raw::Null,
            ValueRef::Integer(integer) => Raw::Integer(integer),
            ValueRef::Real(real) => Raw::Real(real),
            ValueRef::Text(text) => Raw::Text(text.as_ptr(), text.len()),
            ValueRef::Blob(blob) => Raw::Blob(blob.as_ptr(), blob.len()),
        };
        self.text.is_made = false;
        self.wide.is_made = false;
        self.stored = encoding;
        self.present = encoding;
        self.is_converted = false;
        self.is_shown = false;
        self.pointer = None;
        self.subtype = 0;
        self.is_unchanged = false;
        if self.list.is_some() {
            self.list = None;
        }
    }

    /// Makes this stand for these values of an IN, or for none.
    pub(crate) fn set_list(&mut self, values: Option<&[Value]>) {
        let owned = |values: &[Value]| values.iter().cloned().map(sqlite3_value::owned).collect();
        self.list = values.map(|values| Box::new(List { values: owned(values), at: 0 }));
    }

    /// The first or next value of the list; none after the last one. `None`: this does not stand for a list.
    pub(crate) fn next_of_list(&mut self, is_first: bool) -> Option<Option<*mut sqlite3_value>> {
        let list = self.list.as_mut()?;
        list.at = if is_first { 0 } else { list.at };
        let next = list.values.get_mut(list.at).map(std::ptr::from_mut);
        list.at += 1;
        Some(next)
    }

    /// A value that owns its content.
    pub(crate) fn owned(value: Value) -> sqlite3_value {
        let mut made = sqlite3_value { owned: value, ..sqlite3_value::default() };
        let content: *const Value = &made.owned;
        // SAFETY: the bytes are in memory of `owned`, which does not move with it and is never changed.
        unsafe { made.borrow((*content).as_ref()) };
        made
    }

    /// The value itself.
    #[inline]
    pub(crate) fn get(&self) -> ValueRef<'_> {
        match self.raw {
            Raw::Null => ValueRef::Null,
            Raw::Integer(integer) => ValueRef::Integer(integer),
            Raw::Real(real) => ValueRef::Real(real),
            // SAFETY: the promise of the setter: the bytes are valid.
            Raw::Text(start, len) => ValueRef::Text(unsafe { std::slice::from_raw_parts(start, len) }),
            // SAFETY: as above.
            Raw::Blob(start, len) => ValueRef::Blob(unsafe { std::slice::from_raw_parts(start, len) }),
        }
    }

    pub(crate) fn kind(&self) -> c_int {
        kind_of(self.get())
    }

    /// Makes a number of a text that is one, and returns the storage class (`sqlite3_value_numeric_type`).
    fn make_numeric(&mut self) -> c_int {
        if let ValueRef::Text(text) = self.get()
            && let Some(number) = lithe_engine::value::number::whole_number(text)
        {
            self.raw = match number {
                Numeric::Integer(integer) => Raw::Integer(integer),
                Numeric::Real(real) => Raw::Real(real),
            };
            self.text.is_made = false;
            self.wide.is_made = false;
        }
        kind_of(self.get())
    }
}

/// The number of the storage class.
#[inline]
pub(crate) fn kind_of(value: ValueRef<'_>) -> c_int {
    match value {
        ValueRef::Null => code::NULL,
        ValueRef::Integer(_) => code::INTEGER,
        ValueRef::Real(_) => code::FLOAT,
        ValueRef::Text(_) => code::TEXT,
        ValueRef::Blob(_) => code::BLOB,
    }
}

/// The value behind a handle.
///
/// # Safety
/// `value` is null, or a value that is still valid and that no other code uses now.
#[inline]
unsafe fn value_mut<'a>(value: *mut sqlite3_value) -> Option<&'a mut sqlite3_value> {
    // SAFETY: our caller's promise.
    unsafe { value.as_mut() }
}

api! {
    fn sqlite3_value_type(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(code::NULL, |value| value.kind())
    }

    fn sqlite3_value_numeric_type(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(code::NULL, sqlite3_value::make_numeric)
    }

    fn sqlite3_value_int(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(0, |value| cast::to_integer(value.get()) as c_int)
    }

    fn sqlite3_value_int64(value: *mut sqlite3_value) -> i64 {
        value_mut(value).map_or(0, |value| cast::to_integer(value.get()))
    }

    fn sqlite3_value_double(value: *mut sqlite3_value) -> f64 {
        value_mut(value).map_or(0.0, |value| cast::to_real(value.get()))
    }

    fn sqlite3_value_text(value: *mut sqlite3_value) -> *const u8 {
        value_mut(value).map_or(null(), sqlite3_value::text)
    }

    fn sqlite3_value_text16(value: *mut sqlite3_value) -> *const c_void {
        value_mut(value).map_or(null(), |value| value.wide(Encoding::UTF16_NATIVE))
    }

    fn sqlite3_value_text16le(value: *mut sqlite3_value) -> *const c_void {
        value_mut(value).map_or(null(), |value| value.wide(Encoding::Utf16le))
    }

    fn sqlite3_value_text16be(value: *mut sqlite3_value) -> *const c_void {
        value_mut(value).map_or(null(), |value| value.wide(Encoding::Utf16be))
    }

    fn sqlite3_value_blob(value: *mut sqlite3_value) -> *const c_void {
        value_mut(value).map_or(null(), sqlite3_value::blob)
    }

    fn sqlite3_value_bytes(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(0, |value| value.len() as c_int)
    }

    fn sqlite3_value_bytes16(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(0, |value| value.wide_len() as c_int)
    }

    fn sqlite3_value_pointer(value: *mut sqlite3_value, kind: *const c_char) -> *mut c_void {
        let Some(pointer) = value_mut(value).and_then(|value| value.pointer) else { return null_mut() };
        let is_kind = text::bytes(pointer.kind).is_some() && text::bytes(pointer.kind) == text::bytes(kind);
        if is_kind { pointer.address } else { null_mut() }
    }

    fn sqlite3_value_subtype(value: *mut sqlite3_value) -> c_uint {
        value_mut(value).map_or(0, |value| value.subtype.into())
    }

    fn sqlite3_value_nochange(value: *mut sqlite3_value) -> c_int {
        value_mut(value).is_some_and(|value| value.is_unchanged).into()
    }

    fn sqlite3_value_frombind(value: *mut sqlite3_value) -> c_int {
        value_mut(value).is_some_and(|value| value.is_from_bind).into()
    }

    fn sqlite3_value_encoding(value: *mut sqlite3_value) -> c_int {
        value_mut(value).map_or(code::UTF8, |value| text::representation(value.present))
    }

    fn sqlite3_value_dup(value: *const sqlite3_value) -> *mut sqlite3_value {
        let Some(value) = value.as_ref() else { return null_mut() };
        let mut copy = sqlite3_value::owned(Value::from(value.get()));
        // The copy of a pointer is NULL, because its destructor could run before the copy's end.
        copy.stored = value.stored;
        copy.present = value.present;
        copy.subtype = value.subtype;
        copy.is_from_bind = value.is_from_bind;
        Box::into_raw(Box::new(copy))
    }

    fn sqlite3_value_free(value: *mut sqlite3_value) {
        if !value.is_null() {
            drop(Box::from_raw(value));
        }
    }
}
