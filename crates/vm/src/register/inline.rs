//! A short text or blob within a register.

use lithe_value::ValueRef;

use super::{BytesKind, INLINE_MAX, Register};

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
        copy_short(&mut inline.bytes[..bytes.len()], bytes);
        inline
    }

    /// The same, if they are short enough.
    #[inline]
    pub fn of_short(bytes: &[u8]) -> Option<Inline> {
        (bytes.len() <= INLINE_MAX).then(|| Inline::new(bytes))
    }

    /// Appends bytes that fit.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        let end = usize::from(self.len) + bytes.len();
        copy_short(&mut self.bytes[usize::from(self.len)..end], bytes);
        self.len = end as u8;
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

/// Copies up to [`INLINE_MAX`] bytes of the same length: in two blocks of fixed size that overlap, which takes fewer instructions than a
/// call.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
    debug_assert!(to.len() == from.len() && from.len() <= INLINE_MAX, "a short copy is of one length");
    let is_copied =
        copy_overlapping::<16>(to, from) || copy_overlapping::<8>(to, from) || copy_overlapping::<4>(to, from);
    if !is_copied {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}

/// Copies the first and the last `LEN` bytes; false: there are fewer.
#[inline(always)]
fn copy_overlapping<const LEN: usize>(to: &mut [u8], from: &[u8]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<LEN>(), from.last_chunk::<LEN>()) else { return false };
    if let Some(to) = to.first_chunk_mut() {
        *to = *first;
    }
    if let Some(to) = to.last_chunk_mut() {
        *to = *last;
    }
    true
}

impl Register {
    /// Becomes the short text of `len` bytes at `start` of a page. False, and nothing has changed: it is not short, or not on the page.
    #[inline]
    pub(crate) fn set_short_text_at(&mut self, page: &[u8], start: usize, len: usize) -> bool {
        let text = page.get(start..).and_then(|rest| match rest.first_chunk::<INLINE_MAX>() {
            Some(chunk) if len <= INLINE_MAX => Some(Inline { len: len as u8, bytes: *chunk }),
            _ => Inline::of_short(rest.get(..len)?),
        });
        text.is_some_and(|text| {
            self.set_inline(BytesKind::Text, text);
            true
        })
    }

    /// Becomes a short text.
    #[inline]
    pub fn set_short_text(&mut self, text: Inline) {
        self.set_inline(BytesKind::Text, text);
    }

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
