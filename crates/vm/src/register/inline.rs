//! A short text or blob within a register.

use lithe_value::ValueRef;

use super::{INLINE_MAX, Register};

/// Up to [`INLINE_MAX`] bytes.
#[derive(Clone, Copy, Debug)]
pub struct Inline {
    pub(super) len: u8,
    pub(super) bytes: [u8; INLINE_MAX],
}

impl Inline {
    /// At most [`INLINE_MAX`] bytes.
    #[inline]
    pub(super) fn new(bytes: &[u8]) -> Inline {
        let mut inline = Inline { len: bytes.len() as u8, bytes: [0; INLINE_MAX] };
        inline.bytes[..bytes.len()].copy_from_slice(bytes);
        inline
    }

    /// The bytes `start..start + len` of `page`. Where the page is long enough, a block of fixed size is copied, because that is
    /// faster: the bytes after `len` are never read.
    #[inline]
    pub(super) fn from_page(page: &[u8], start: usize, len: usize) -> Inline {
        match page[start..].first_chunk::<INLINE_MAX>() {
            Some(chunk) => Inline { len: len as u8, bytes: *chunk },
            None => Inline::new(&page[start..start + len]),
        }
    }

    /// The bytes.
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl Register {
    /// The value, where an integer or a short text is so frequent that it is told from the others first.
    #[inline(always)]
    pub fn usual_ref(&self) -> ValueRef<'_> {
        match self {
            Register::Integer(integer) => ValueRef::Integer(*integer),
            Register::InlineText(inline) => ValueRef::Text(inline.as_slice()),
            other => other.as_ref(),
        }
    }
}
