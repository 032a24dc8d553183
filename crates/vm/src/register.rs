//! A register: 24 bytes that hold a value, or a state internal to the machine.
//!
//! ```text
//!   0      1        2        4        8                         24
//!   | kind |   -    | start, length   | the page                 |   on a page
//!   | kind | length | up to 22 bytes                             |   inline
//!   | kind | subtype |   -   | length | memory                   |   owned
//!   | kind |          -               | integer, real            |
//! ```
//!
//! Text and blobs come in four ways, cheapest first: *inline* (up to [`INLINE_MAX`] bytes), *borrowed* from
//! their page (the register keeps a reference to the page, so nothing is copied and nothing dangles),
//! *shared* (a bound parameter, a long value that was copied), and *owned*: in memory of the register's own, which the next long value
//! reuses. A register that is cleared between runs keeps that memory as [`Register::Spare`].

mod inline;
mod page;

use std::cell::OnceCell;
use std::rc::Rc;

use lithe_functions::Pointer;
use lithe_functions::aggregate::{Extreme, Sum};
use lithe_pager::PageRef;
use lithe_value::buffer::OutOfMemory;
use lithe_value::{Buffer, StorageClass, Value, ValueRef};

use crate::accumulator::Accumulator;
use crate::rowset::RowSet;

pub use inline::Inline;
use page::on_page;

/// The longest text or blob that is held in the register itself.
pub(crate) const INLINE_MAX: usize = 22;

/// Memory up to this size survives a reset; more is released.
pub const SPARE_MAX: usize = 4 << 20;

/// For values longer than this, the register reserves memory for a copy first, which may fail.
const LONG: usize = 64 << 10;

/// One register of a frame. The kinds that hold nothing which has to be dropped come first: one comparison tells them apart.
#[derive(Default)]
pub enum Register {
    /// NULL.
    #[default]
    Null,
    /// A NULL that does not even equal itself: "no group yet".
    NullNever,
    /// An integer.
    Integer(i64),
    /// A real, not NaN.
    Real(f64),
    /// A short text.
    InlineText(Inline),
    /// A short blob.
    InlineBlob(Inline),
    /// The state of count(*).
    CountRows(i64),
    /// The state of count(x).
    CountValues(i64),
    /// A text on a page.
    PageText {
        /// Where it starts on the page.
        start: u16,
        /// Its length.
        len: u16,
        /// The page.
        page: PageRef,
    },
    /// A blob on a page.
    PageBlob {
        /// Where it starts on the page.
        start: u16,
        /// Its length.
        len: u16,
        /// The page.
        page: PageRef,
    },
    /// A text in memory of this register's own.
    OwnedText {
        /// The subtype, by which JSON functions recognise their results.
        subtype: u8,
        /// How much of the memory it uses.
        len: u32,
        /// The memory.
        memory: Box<[u8]>,
    },
    /// A blob in memory of this register's own.
    OwnedBlob {
        /// The subtype, by which JSON functions recognise their results.
        subtype: u8,
        /// How much of the memory it uses.
        len: u32,
        /// The memory.
        memory: Box<[u8]>,
    },
    /// A text or blob shared with a bound parameter or with other registers.
    Shared(Rc<Value>),
    /// A blob of zeros that takes no memory until it is read.
    Zeros(Box<Zeros>),
    /// NULL, with memory to be reused.
    Spare(Box<[u8]>),
    /// The state of sum(), total() and avg().
    Sum(Box<Sum>),
    /// The state of min() and max().
    Extreme(Box<Extreme>),
    /// The state of any other aggregate function.
    Aggregate(Box<Accumulator>),
    /// A set of rowids.
    RowSet(Box<RowSet>),
    /// A pointer of the application; to SQL it is NULL.
    Pointer(Rc<Pointer>),
    /// A pointer of a module that has a number to SQL.
    Numbered(Rc<Pointer>),
}

const _: () = assert!(size_of::<Register>() == 24);

/// A blob of zeros. Its memory is allocated when it is first read as a blob.
#[derive(Debug)]
pub struct Zeros {
    len: u32,
    bytes: OnceCell<Box<[u8]>>,
}

/// Whether bytes are a text or a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytesKind {
    /// Text.
    Text,
    /// A blob.
    Blob,
}

impl Zeros {
    fn as_slice(&self) -> &[u8] {
        self.bytes.get_or_init(|| vec![0; self.len as usize].into_boxed_slice())
    }
}

impl Register {
    /// The value, borrowed. A state of the machine (of an aggregate, a rowid set) reads as NULL.
    #[inline]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Register::Integer(integer) => ValueRef::Integer(*integer),
            Register::Real(real) => ValueRef::Real(*real),
            Register::InlineText(inline) => ValueRef::Text(inline.as_slice()),
            Register::InlineBlob(inline) => ValueRef::Blob(inline.as_slice()),
            Register::PageText { start, len, page } => ValueRef::Text(on_page(page, *start, *len)),
            Register::PageBlob { start, len, page } => ValueRef::Blob(on_page(page, *start, *len)),
            Register::OwnedText { len, memory, .. } => ValueRef::Text(&memory[..*len as usize]),
            Register::OwnedBlob { len, memory, .. } => ValueRef::Blob(&memory[..*len as usize]),
            Register::Shared(value) => Value::as_ref(value),
            Register::Zeros(zeros) => ValueRef::Blob(zeros.as_slice()),
            Register::Numbered(pointer) => pointer.number.map_or(ValueRef::Null, ValueRef::Integer),
            Register::Null
            | Register::NullNever
            | Register::Spare(_)
            | Register::CountRows(_)
            | Register::CountValues(_)
            | Register::Sum(_)
            | Register::Extreme(_)
            | Register::Aggregate(_)
            | Register::RowSet(_)
            | Register::Pointer(_) => ValueRef::Null,
        }
    }

    /// The storage class of the value.
    #[inline]
    pub fn class(&self) -> StorageClass {
        match self {
            Register::Integer(_) => StorageClass::Integer,
            Register::Real(_) => StorageClass::Real,
            Register::InlineText(_) | Register::PageText { .. } | Register::OwnedText { .. } => StorageClass::Text,
            other => other.as_ref().class(),
        }
    }

    /// The text with a NUL after it, in the register's own memory. A text on a page is copied there if it is not long; those of the next
    /// rows are then copied at once (see [`Register::set_from_page`]). `None` if it is no text, or the NUL does not fit.
    #[inline]
    pub fn text_with_nul(&mut self) -> Option<&[u8]> {
        if matches!(self, Register::PageText { .. }) {
            self.own_text();
        }
        let (len, memory) = match self {
            Register::InlineText(inline) => (usize::from(inline.len), &mut inline.bytes[..]),
            Register::OwnedText { len, memory, .. } => (*len as usize, &mut memory[..]),
            _ => return None,
        };
        *memory.get_mut(len)? = 0;
        memory.get(..=len)
    }

    /// The bytes of a text.
    #[inline]
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Register::InlineText(inline) => Some(inline.as_slice()),
            other => match other.as_ref() {
                ValueRef::Text(text) => Some(text),
                _ => None,
            },
        }
    }

    /// Whether the value is NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(
            self,
            Register::Null
                | Register::NullNever
                | Register::Spare(_)
                | Register::Aggregate(_)
                | Register::RowSet(_)
                | Register::Pointer(_)
        )
    }

    /// The integer in a register that the program counts with; any other value is converted as by CAST.
    #[inline]
    pub fn integer(&self) -> i64 {
        match self {
            Register::Integer(integer) => *integer,
            other => lithe_value::cast::to_integer(other.as_ref()),
        }
    }

    /// Becomes NULL.
    #[inline]
    pub fn set_null(&mut self) {
        self.replace(Register::Null);
    }

    /// Becomes an integer. In a loop the register usually holds an integer already, and there is nothing to drop.
    #[inline]
    pub fn set_integer(&mut self, integer: i64) {
        match self {
            Register::Integer(old) => *old = integer,
            _ => self.replace(Register::Integer(integer)),
        }
    }

    /// Takes another value. Usually there is nothing to drop, and no destructor is called.
    #[inline]
    fn replace(&mut self, with: Register) {
        if self.holds_nothing() {
            std::mem::forget(std::mem::replace(self, with));
        } else {
            self.drop_and_replace(with);
        }
    }

    /// Out of line, because a register with something to drop is not on the hot path.
    #[inline(never)]
    fn drop_and_replace(&mut self, with: Register) {
        *self = with;
    }

    /// Whether the whole content is in the register itself, so that there is nothing to drop.
    #[inline]
    fn holds_nothing(&self) -> bool {
        matches!(
            self,
            Register::Null
                | Register::NullNever
                | Register::Integer(_)
                | Register::Real(_)
                | Register::InlineText(_)
                | Register::InlineBlob(_)
                | Register::CountRows(_)
                | Register::CountValues(_)
        )
    }

    /// Becomes a real, or NULL if it is NaN.
    #[inline]
    pub fn set_real(&mut self, real: f64) {
        match self {
            Register::Real(old) if !real.is_nan() => *old = real,
            _ => self.replace(if real.is_nan() { Register::Null } else { Register::Real(real) }),
        }
    }

    /// Becomes 1, 0 or NULL.
    #[inline]
    pub(crate) fn set_truth(&mut self, truth: Option<bool>) {
        self.replace(truth.map_or(Register::Null, |truth| Register::Integer(i64::from(truth))));
    }

    /// Becomes a copy of `bytes`.
    #[inline]
    pub fn set_bytes(&mut self, kind: BytesKind, bytes: &[u8]) {
        if bytes.len() <= INLINE_MAX {
            self.set_inline(kind, Inline::new(bytes));
        } else {
            let mut buffer = self.take_buffer();
            buffer.extend(bytes);
            self.set_buffer(kind, buffer);
        }
    }

    #[inline]
    fn set_inline(&mut self, kind: BytesKind, inline: Inline) {
        match (kind, self) {
            (BytesKind::Text, Register::InlineText(old)) | (BytesKind::Blob, Register::InlineBlob(old)) => {
                *old = inline
            }
            (BytesKind::Text, other) => other.replace(Register::InlineText(inline)),
            (BytesKind::Blob, other) => other.replace(Register::InlineBlob(inline)),
        }
    }

    /// Becomes the bytes in `buffer`.
    #[inline]
    pub(crate) fn set_buffer(&mut self, kind: BytesKind, buffer: Buffer) {
        let (memory, len) = buffer.into_parts();
        let len = u32::try_from(len).expect("a value is shorter than the limit on lengths");
        self.replace(match kind {
            BytesKind::Text => Register::OwnedText { subtype: 0, len, memory },
            BytesKind::Blob => Register::OwnedBlob { subtype: 0, len, memory },
        });
    }

    /// Becomes a copy of `value`.
    #[inline]
    pub fn set(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.set_null(),
            ValueRef::Integer(integer) => self.set_integer(integer),
            ValueRef::Real(real) => self.set_real(real),
            ValueRef::Text(text) => self.set_bytes(BytesKind::Text, text),
            ValueRef::Blob(blob) => self.set_bytes(BytesKind::Blob, blob),
        }
    }

    /// Becomes `value`, and takes its memory.
    #[inline]
    pub fn set_value(&mut self, value: Value) {
        match value.as_ref() {
            ValueRef::Null => self.set_null(),
            ValueRef::Integer(integer) => self.set_integer(integer),
            ValueRef::Real(real) => self.set_real(real),
            ValueRef::Text(_) => self.set_buffer(BytesKind::Text, value.into_buffer()),
            ValueRef::Blob(_) => self.set_buffer(BytesKind::Blob, value.into_buffer()),
        }
    }

    /// Becomes the result of a function. A pointer is kept with NULL only, a subtype with texts and blobs. Only a long value's memory leaves `out`.
    #[inline]
    pub(crate) fn set_result(&mut self, out: &mut Value, subtype: u8, pointer: Option<Rc<Pointer>>) {
        match out.as_ref() {
            ValueRef::Null if pointer.is_some() => self.set_pointer(pointer),
            ValueRef::Null => self.set_null(),
            ValueRef::Integer(integer) => self.set_integer(integer),
            ValueRef::Real(real) => self.set_real(real),
            ValueRef::Text(text) if text.len() <= INLINE_MAX && subtype == 0 => {
                self.set_inline(BytesKind::Text, Inline::new(text));
            }
            ValueRef::Text(_) | ValueRef::Blob(_) => {
                self.set_value(std::mem::take(out));
                self.set_subtype(subtype);
            }
        }
    }

    /// The subtype of a text or blob that a function returned.
    pub fn subtype(&self) -> u8 {
        match self {
            Register::OwnedText { subtype, .. } | Register::OwnedBlob { subtype, .. } => *subtype,
            _ => 0,
        }
    }

    /// Gives the result of a function a subtype.
    pub fn set_subtype(&mut self, new: u8) {
        if let Register::OwnedText { subtype, .. } | Register::OwnedBlob { subtype, .. } = self {
            *subtype = new;
        }
    }

    /// Sets the subtype that a text or blob had before it was stored in a row. Only a value in memory of its own has one, so the bytes are copied.
    pub(crate) fn restore_subtype(&mut self, subtype: u8) -> std::result::Result<(), OutOfMemory> {
        let (kind, bytes) = match self.as_ref() {
            ValueRef::Text(text) => (BytesKind::Text, text),
            ValueRef::Blob(blob) => (BytesKind::Blob, blob),
            _ => return Ok(()),
        };
        if subtype != 0 {
            let mut owned = Buffer::new();
            owned.try_reserve(bytes.len())?;
            owned.extend(bytes);
            self.set_buffer(kind, owned);
            self.set_subtype(subtype);
        }
        Ok(())
    }

    /// The pointer that the register carries.
    pub fn pointer(&self) -> Option<&Rc<Pointer>> {
        if let Register::Pointer(pointer) | Register::Numbered(pointer) = self { Some(pointer) } else { None }
    }

    /// Becomes a pointer, or NULL.
    pub(crate) fn set_pointer(&mut self, pointer: Option<Rc<Pointer>>) {
        let of = |one: Rc<Pointer>| if one.number.is_some() { Register::Numbered(one) } else { Register::Pointer(one) };
        *self = pointer.map_or(Register::Null, of);
    }

    /// Becomes `len` zeros.
    pub(crate) fn set_zeros(&mut self, len: u32) {
        let zeros = Zeros { len, bytes: OnceCell::new() };
        match self {
            Register::Zeros(old) => **old = zeros,
            _ => *self = Register::Zeros(Box::new(zeros)),
        }
    }

    /// The length of a blob of zeros.
    pub fn zeros(&self) -> Option<u32> {
        if let Register::Zeros(zeros) = self { Some(zeros.len) } else { None }
    }

    /// The length of a blob of zeros that has not been read.
    #[inline]
    pub(crate) fn untouched_zeros(&self) -> Option<u32> {
        match self {
            Register::Zeros(zeros) if zeros.bytes.get().is_none() => Some(zeros.len),
            _ => None,
        }
    }

    /// Whether the register has memory in which a result can be built.
    #[inline]
    pub(crate) fn has_memory(&self) -> bool {
        matches!(self, Register::OwnedText { .. } | Register::OwnedBlob { .. } | Register::Spare(_))
    }

    /// An empty buffer with this register's memory; the register becomes NULL.
    #[inline]
    pub fn take_buffer(&mut self) -> Buffer {
        match std::mem::take(self) {
            Register::OwnedText { memory, .. } | Register::OwnedBlob { memory, .. } | Register::Spare(memory) => {
                Buffer::from_parts(memory, 0)
            }
            _ => Buffer::new(),
        }
    }

    /// A value to write a result into, with this register's memory; the register becomes NULL.
    #[inline]
    pub(crate) fn take_memory(&mut self) -> Value {
        let mut value = Value::NULL;
        value.set_blob_buffer(self.take_buffer());
        value
    }

    /// Reserves memory for a copy of a long value, which [`Register::copy_from`] then uses.
    #[inline]
    pub(crate) fn reserve_for(&mut self, source: &Register) -> Result<(), OutOfMemory> {
        match source {
            Register::OwnedText { len, .. } | Register::OwnedBlob { len, .. } => self.reserve(*len as usize),
            _ => Ok(()),
        }
    }

    /// Reserves memory for a long value of `len` bytes; the old value may be dropped.
    #[inline]
    pub fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if len <= LONG {
            return Ok(());
        }
        let mut buffer = self.take_buffer();
        buffer.try_reserve(len)?;
        *self = Register::Spare(buffer.into_parts().0);
        Ok(())
    }

    /// Becomes a copy of another register. Pages and what is shared are not copied.
    #[inline]
    pub(crate) fn copy_from(&mut self, source: &Register) {
        let copy = match source {
            Register::Integer(integer) => Register::Integer(*integer),
            Register::Real(real) => Register::Real(*real),
            Register::InlineText(inline) => Register::InlineText(*inline),
            Register::InlineBlob(inline) => Register::InlineBlob(*inline),
            Register::PageText { start, len, page } => {
                Register::PageText { start: *start, len: *len, page: page.clone() }
            }
            Register::PageBlob { start, len, page } => {
                Register::PageBlob { start: *start, len: *len, page: page.clone() }
            }
            Register::Shared(value) => Register::Shared(Rc::clone(value)),
            Register::Zeros(zeros) => return self.set_zeros(zeros.len),
            Register::OwnedText { subtype: 0, .. } | Register::OwnedBlob { subtype: 0, .. } => {
                return self.set(source.as_ref());
            }
            Register::OwnedText { subtype, len, .. } | Register::OwnedBlob { subtype, len, .. }
                if *len as usize > LONG =>
            {
                self.set(source.as_ref());
                return self.set_subtype(*subtype);
            }
            Register::OwnedText { subtype, len, memory } => {
                Register::OwnedText { subtype: *subtype, len: *len, memory: memory.clone() }
            }
            Register::OwnedBlob { subtype, len, memory } => {
                Register::OwnedBlob { subtype: *subtype, len: *len, memory: memory.clone() }
            }
            Register::NullNever => Register::NullNever,
            Register::Pointer(pointer) => Register::Pointer(Rc::clone(pointer)),
            Register::Numbered(pointer) => Register::Numbered(Rc::clone(pointer)),
            Register::Null
            | Register::Spare(_)
            | Register::CountRows(_)
            | Register::CountValues(_)
            | Register::Sum(_)
            | Register::Extreme(_)
            | Register::Aggregate(_)
            | Register::RowSet(_) => Register::Null,
        };
        self.replace(copy);
    }

    /// Becomes NULL for the next run: pages and states are released, memory up to [`SPARE_MAX`] is kept.
    #[inline]
    pub fn clear(&mut self) {
        if self.holds_nothing() {
            std::mem::forget(std::mem::take(self));
        } else {
            self.clear_memory();
        }
    }

    /// Releases the memory of a long value that [`Register::clear`] has kept.
    #[inline]
    pub fn release_memory(&mut self) {
        if let Register::Spare(memory) = self
            && memory.len() > LONG
        {
            *self = Register::Null;
        }
    }

    #[inline(never)]
    fn clear_memory(&mut self) {
        match self {
            Register::Spare(_) => {}
            Register::OwnedText { memory, .. } | Register::OwnedBlob { memory, .. } if memory.len() <= SPARE_MAX => {
                let memory = std::mem::take(memory);
                std::mem::forget(std::mem::replace(self, Register::Spare(memory))); // an empty box has nothing to drop
            }
            _ => *self = Register::Null,
        }
    }
}

#[cfg(test)]
mod tests;
