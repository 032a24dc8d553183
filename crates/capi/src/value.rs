//! `sqlite3_value`: a value as C sees it, and its converted forms.
//!
//! Reading never changes the value: a text that is read as UTF-16 keeps its UTF-8, so that pointers to one form stay
//! valid while another form is made. Text gets its NUL in a copy; blobs are returned in place.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use lithe_engine::value::cast;
use lithe_engine::value::{Encoding, NumberText, Numeric, Value, ValueRef};

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
    wide: Form<Vec<u16>>,
    wide_encoding: Encoding,
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

/// Longer blobs are given to the application where they lie, without a NUL behind them.
const TERMINATED_MAX: usize = 8 * 1024;

impl sqlite3_value {
    /// Sets the value without a copy.
    ///
    /// # Safety
    /// The bytes of `value` are valid until this is set again, dropped, or not read any more.
    #[inline]
    pub(crate) unsafe fn borrow(&mut self, value: ValueRef<'_>) {
        self.raw = match value {
            ValueRef::Null => Raw::Null,
            ValueRef::Integer(integer) => Raw::Integer(integer),
            ValueRef::Real(real) => Raw::Real(real),
            ValueRef::Text(text) => Raw::Text(text.as_ptr(), text.len()),
            ValueRef::Blob(blob) => Raw::Blob(blob.as_ptr(), blob.len()),
        };
        self.text.is_made = false;
        self.wide.is_made = false;
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

    /// The text with its NUL; null for NULL.
    #[inline]
    pub(crate) fn text(&mut self) -> *const u8 {
        if self.text.is_made {
            return self.text.memory.as_ptr();
        }
        match self.get() {
            ValueRef::Null => null(),
            // SAFETY: the bytes are not in the memory to which they are copied.
            ValueRef::Text(text) => unsafe { self.make_text(std::ptr::from_ref(text)) },
            value => {
                let mut scratch = NumberText::default();
                let bytes = std::ptr::from_ref(cast::to_bytes(value, &mut scratch));
                // SAFETY: as above.
                unsafe { self.make_text(bytes) }
            }
        }
    }

    /// Copies the text, and puts a NUL behind it.
    ///
    /// # Safety
    /// `text` can be read, and is not in the memory of this form.
    #[inline]
    unsafe fn make_text(&mut self, text: *const [u8]) -> *const u8 {
        let memory = &mut self.text.memory;
        memory.clear();
        memory.reserve(text.len() + 1);
        // SAFETY: our caller's promise.
        memory.extend_from_slice(unsafe { &*text });
        memory.push(0);
        self.text.is_made = true;
        memory.as_ptr()
    }

    /// The text in UTF-16 with a double NUL; null for NULL.
    pub(crate) fn wide(&mut self, encoding: Encoding) -> *const c_void {
        if matches!(self.raw, Raw::Null) {
            return null();
        }
        self.make_wide(encoding);
        self.wide.memory.as_ptr().cast()
    }

    fn make_wide(&mut self, encoding: Encoding) {
        if !self.wide.is_made || self.wide_encoding != encoding {
            let mut scratch = NumberText::default();
            let memory = text::to_utf16(cast::to_bytes(self.get(), &mut scratch), encoding);
            self.wide = Form { is_made: true, memory };
            self.wide_encoding = encoding;
        }
    }

    /// The address of the bytes; null if there are none.
    pub(crate) fn blob(&mut self) -> *const c_void {
        match self.raw {
            Raw::Null => null(),
            Raw::Text(_, 0) | Raw::Blob(_, 0) => null(),
            Raw::Blob(start, len) if len > TERMINATED_MAX => start.cast(),
            // Programs that read text this way expect the NUL that SQLite happens to leave behind it, and some store texts in a blob and rely
            // on it, too.
            Raw::Text(..) | Raw::Integer(_) | Raw::Real(_) | Raw::Blob(..) => self.text().cast(),
        }
    }

    /// How many bytes the blob or the UTF-8 text has.
    pub(crate) fn len(&self) -> usize {
        len_of(self.get())
    }

    /// How many bytes the UTF-16 text has; a blob is not converted, and has its own length.
    pub(crate) fn wide_len(&mut self) -> usize {
        match self.raw {
            Raw::Null => 0,
            Raw::Blob(_, len) if !self.wide.is_made => len,
            _ => {
                let encoding = if self.wide.is_made { self.wide_encoding } else { Encoding::UTF16_NATIVE };
                self.make_wide(encoding);
                2 * (self.wide.memory.len() - 1)
            }
        }
    }

    /// The storage class after numeric affinity (`sqlite3_value_numeric_type`).
    fn numeric_kind(&self) -> c_int {
        match self.get() {
            ValueRef::Text(text) => match lithe_engine::value::number::whole_number(text) {
                Some(Numeric::Integer(_)) => code::INTEGER,
                Some(Numeric::Real(_)) => code::FLOAT,
                None => code::TEXT,
            },
            other => kind_of(other),
        }
    }
}

/// How many bytes a value has as a blob or UTF-8 text.
fn len_of(value: ValueRef<'_>) -> usize {
    cast::to_bytes(value, &mut NumberText::default()).len()
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
        value_mut(value).map_or(code::NULL, |value| value.numeric_kind())
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

    /// Text is stored in UTF-8 here, whatever the file's encoding is.
    fn sqlite3_value_encoding(value: *mut sqlite3_value) -> c_int {
        let is_wide = value_mut(value).filter(|value| value.wide.is_made && !value.text.is_made);
        match is_wide.map(|value| value.wide_encoding) {
            Some(Encoding::Utf16le) => code::UTF16LE,
            Some(Encoding::Utf16be) => code::UTF16BE,
            _ => code::UTF8,
        }
    }

    fn sqlite3_value_dup(value: *const sqlite3_value) -> *mut sqlite3_value {
        let Some(value) = value.as_ref() else { return null_mut() };
        let mut copy = sqlite3_value::owned(Value::from(value.get()));
        // The copy of a pointer is NULL, because its destructor could run before the copy's end.
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
