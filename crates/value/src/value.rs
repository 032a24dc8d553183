//! An owned value: 24 bytes, and a buffer that is reused.
//!
//! ```text
//!   0      1        4          8                            24
//!   | class |  pad  | length   | integer, real, or the buffer |
//! ```
//!
//! A function that returns a text writes into the buffer that the slot had for the previous row; only a text longer
//! than all before allocates.

use crate::buffer::{Buffer, OutOfMemory};
use crate::bytes;
use crate::value_ref::ValueRef;

/// An SQL value that owns its text or blob.
#[derive(Debug, Default)]
pub struct Value(Repr);

const _: () = assert!(size_of::<Value>() == 24);

/// `len` is never more than `bytes.len()`, which is the capacity.
#[derive(Debug, Default)]
enum Repr {
    #[default]
    Null,
    Integer(i64),
    Real(f64),
    Text {
        len: u32,
        bytes: Box<[u8]>,
    },
    Blob {
        len: u32,
        bytes: Box<[u8]>,
    },
}

impl Value {
    /// NULL.
    pub const NULL: Value = Value(Repr::Null);

    /// A text in a buffer of its own.
    pub fn text(text: impl Into<Buffer>) -> Value {
        let mut value = Value::NULL;
        value.set_text_buffer(text.into());
        value
    }

    /// A copy of a value, or the error that memory is short.
    pub fn try_copy(value: ValueRef<'_>) -> Result<Value, OutOfMemory> {
        let (ValueRef::Text(bytes) | ValueRef::Blob(bytes)) = value else { return Ok(Value::from(value)) };
        let mut buffer = Buffer::new();
        buffer.try_reserve(bytes.len())?;
        buffer.extend(bytes);
        let is_text = matches!(value, ValueRef::Text(_));
        Ok(if is_text { Value::text(buffer) } else { Value::blob(buffer) })
    }

    /// A blob in a buffer of its own.
    pub fn blob(blob: impl Into<Buffer>) -> Value {
        let mut value = Value::NULL;
        value.set_blob_buffer(blob.into());
        value
    }

    /// The value, borrowed.
    #[inline]
    pub fn as_ref(&self) -> ValueRef<'_> {
        match &self.0 {
            Repr::Null => ValueRef::Null,
            Repr::Integer(integer) => ValueRef::Integer(*integer),
            Repr::Real(real) => ValueRef::Real(*real),
            Repr::Text { len, bytes } => ValueRef::Text(bytes::up_to(bytes, *len as usize)),
            Repr::Blob { len, bytes } => ValueRef::Blob(bytes::up_to(bytes, *len as usize)),
        }
    }

    /// Whether this is NULL.
    #[inline]
    pub fn is_null(&self) -> bool {
        matches!(self.0, Repr::Null)
    }

    /// The size of its memory for a text or blob.
    #[inline]
    pub fn capacity(&self) -> usize {
        match &self.0 {
            Repr::Text { bytes, .. } | Repr::Blob { bytes, .. } => bytes.len(),
            Repr::Null | Repr::Integer(_) | Repr::Real(_) => 0,
        }
    }

    /// Becomes NULL.
    #[inline]
    pub fn set_null(&mut self) {
        self.0 = Repr::Null;
    }

    /// Becomes an integer.
    #[inline]
    pub fn set_integer(&mut self, integer: i64) {
        self.0 = Repr::Integer(integer);
    }

    /// Becomes a real, or NULL if it is NaN.
    #[inline]
    pub fn set_real(&mut self, real: f64) {
        self.0 = if real.is_nan() { Repr::Null } else { Repr::Real(real) };
    }

    /// Becomes a copy of `text`, in the existing memory if that is enough.
    #[inline]
    pub fn set_text(&mut self, text: &[u8]) {
        let mut buffer = self.take_buffer();
        buffer.extend(text);
        self.set_text_buffer(buffer);
    }

    /// Becomes a copy of `blob`, in the existing memory if that is enough.
    #[inline]
    pub fn set_blob(&mut self, blob: &[u8]) {
        let mut buffer = self.take_buffer();
        buffer.extend(blob);
        self.set_blob_buffer(buffer);
    }

    /// Becomes a copy of `value`, in the existing memory if that is enough.
    #[inline]
    pub fn set(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.set_null(),
            ValueRef::Integer(integer) => self.set_integer(integer),
            ValueRef::Real(real) => self.set_real(real),
            ValueRef::Text(text) => self.set_text(text),
            ValueRef::Blob(blob) => self.set_blob(blob),
        }
    }

    /// As [`Value::set`], or the error that memory is short; then it is NULL.
    pub fn try_set(&mut self, value: ValueRef<'_>) -> Result<(), OutOfMemory> {
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
            let mut buffer = self.take_buffer();
            buffer.try_reserve(bytes.len())?;
            self.set_blob_buffer(buffer);
        }
        self.set(value);
        Ok(())
    }

    /// The memory of this value as an empty buffer, to build the next text or blob in; the value becomes NULL.
    /// [`set_text_buffer`](Self::set_text_buffer) or [`set_blob_buffer`](Self::set_blob_buffer) returns the buffer to
    /// it.
    #[inline]
    pub fn take_buffer(&mut self) -> Buffer {
        match std::mem::take(&mut self.0) {
            Repr::Text { bytes, .. } | Repr::Blob { bytes, .. } => Buffer::from_parts(bytes, 0),
            Repr::Null | Repr::Integer(_) | Repr::Real(_) => Buffer::new(),
        }
    }

    /// Becomes the text in `buffer`.
    ///
    /// # Panics
    /// If it is 4 GiB or longer: the builder of a text checks the length limit first.
    #[inline]
    pub fn set_text_buffer(&mut self, buffer: Buffer) {
        let (bytes, len) = buffer.into_parts();
        self.0 = Repr::Text { len: length(len), bytes };
    }

    /// Becomes the blob in `buffer`.
    ///
    /// # Panics
    /// If it is 4 GiB or longer: the builder of a blob checks the length limit first.
    #[inline]
    pub fn set_blob_buffer(&mut self, buffer: Buffer) {
        let (bytes, len) = buffer.into_parts();
        self.0 = Repr::Blob { len: length(len), bytes };
    }

    /// The buffer of a text or blob with its content, without a copy; empty for the other classes.
    #[inline]
    pub fn into_buffer(self) -> Buffer {
        match self.0 {
            Repr::Text { len, bytes } | Repr::Blob { len, bytes } => Buffer::from_parts(bytes, len as usize),
            Repr::Null | Repr::Integer(_) | Repr::Real(_) => Buffer::new(),
        }
    }

    /// The bytes of a text or blob, without a copy; empty for the other classes.
    pub fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            Repr::Text { len, bytes } | Repr::Blob { len, bytes } => Buffer::from_parts(bytes, len as usize).into_vec(),
            Repr::Null | Repr::Integer(_) | Repr::Real(_) => Vec::new(),
        }
    }
}

#[inline]
#[expect(clippy::expect_used, reason = "no buffer is longer: its writers keep to SQLITE_LIMIT_LENGTH")]
fn length(len: usize) -> u32 {
    u32::try_from(len).expect("value longer than 4 GiB")
}

impl Clone for Value {
    /// The copy has as much memory as its content needs, not as much as the original has.
    fn clone(&self) -> Self {
        Value::from(self.as_ref())
    }

    fn clone_from(&mut self, source: &Self) {
        self.set(source.as_ref());
    }
}

impl PartialEq for Value {
    /// The same class and the same content. SQL's comparison is [`compare`](crate::compare).
    fn eq(&self, other: &Self) -> bool {
        self.as_ref() == other.as_ref()
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Value::NULL,
            ValueRef::Integer(integer) => Value(Repr::Integer(integer)),
            ValueRef::Real(real) => Value::from(real),
            ValueRef::Text(text) => Value::text(text),
            ValueRef::Blob(blob) => Value::blob(blob),
        }
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Value(Repr::Integer(integer))
    }
}

impl From<f64> for Value {
    /// NaN becomes NULL.
    fn from(real: f64) -> Self {
        let mut value = Value::NULL;
        value.set_real(real);
        value
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::from(i64::from(truth))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::text(text.as_bytes())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::text(text.into_bytes())
    }
}

impl From<&[u8]> for Value {
    /// A blob.
    fn from(blob: &[u8]) -> Self {
        Value::blob(blob)
    }
}

impl From<Vec<u8>> for Value {
    /// A blob.
    fn from(blob: Vec<u8>) -> Self {
        Value::blob(blob)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_fits_reuses_the_buffer() {
        let mut value = Value::from("a text of some length");
        let address = value.as_ref().bytes().unwrap().as_ptr();
        for text in ["shorter", "", "a text of some lengt!"] {
            value.set_text(text.as_bytes());
            assert_eq!(value.as_ref(), ValueRef::from(text));
            assert_eq!(value.as_ref().bytes().unwrap().as_ptr(), address);
        }
        value.set_blob(b"\x00\x01");
        assert_eq!(value.as_ref(), ValueRef::Blob(&[0, 1]));
        assert_eq!(value.as_ref().bytes().unwrap().as_ptr(), address);
    }

    #[test]
    fn nan_is_null() {
        assert!(Value::from(f64::NAN).is_null());
        assert!(ValueRef::from(f64::NAN).is_null());
        assert_eq!(Value::from(f64::INFINITY).as_ref(), ValueRef::Real(f64::INFINITY));
    }

    #[test]
    fn bytes_come_out_again() {
        assert_eq!(Value::from("abc").into_bytes(), b"abc");
        assert_eq!(Value::from(vec![1, 2]).into_bytes(), [1, 2]);
        assert_eq!(Value::from(5).into_bytes(), []);
    }
}
