//! Texts and blobs on a page, and their copies in memory of the register's own.

use lithe_pager::PageRef;

use super::inline::Inline;
use super::{BytesKind, INLINE_MAX, Register};

/// Texts on a page up to this length are copied when they are asked for with a NUL behind them, and memory up to this size is kept for the
/// values of the next rows, even if they are short.
const KEPT_MAX: usize = 1024;

/// The bytes of a value on a page.
#[inline]
pub(super) fn on_page(page: &PageRef, start: u16, len: u16) -> &[u8] {
    &page[usize::from(start)..][..usize::from(len)]
}

impl Register {
    /// Becomes the bytes `start..start + len` of `page`: inline if they are short, else borrowed (then the answer
    /// is true). The caller has checked that they are within the page.
    ///
    /// A register with memory of its own gets a copy instead: usually [`Register::own`] or [`Register::text_with_nul`] has allocated that
    /// memory, and would copy the next value, too. To free and allocate memory costs more than to copy the bytes.
    #[inline]
    pub(crate) fn set_from_page(&mut self, kind: BytesKind, page: &PageRef, start: usize, len: usize) -> bool {
        if kind == BytesKind::Text && self.set_text_in_place(&page[start..start + len]) {
            return false;
        }
        if len <= INLINE_MAX {
            self.set_inline(kind, Inline::from_page(page, start, len));
            return false;
        }
        if self.has_memory() {
            self.set_bytes(kind, &page[start..start + len]);
            return false;
        }
        // A page has at most 65,536 bytes, and headers before its cells: both numbers fit 16 bits.
        let (start, len, page) = (start as u16, len as u16, page.clone());
        self.replace(match kind {
            BytesKind::Text => Register::PageText { start, len, page },
            BytesKind::Blob => Register::PageBlob { start, len, page },
        });
        true
    }

    /// Becomes this text, if it fits in memory that holds a text now. False: it does not, and the memory may be too large to be kept for short
    /// texts.
    #[inline]
    fn set_text_in_place(&mut self, text: &[u8]) -> bool {
        let Register::OwnedText { subtype, len, memory } = self else { return false };
        let is_small = memory.len() <= KEPT_MAX;
        match memory.get_mut(..text.len()) {
            Some(room) if text.len() > INLINE_MAX || is_small => room.copy_from_slice(text),
            _ => return false,
        }
        (*subtype, *len) = (0, text.len() as u32);
        true
    }

    /// Copies bytes that are borrowed from a page.
    #[inline]
    pub fn own(&mut self) {
        if matches!(self, Register::PageText { .. } | Register::PageBlob { .. }) {
            self.own_page_bytes();
        }
    }

    /// Copies a text on a page, with room for a NUL and for somewhat longer texts of other rows, unless it is long.
    #[inline(never)]
    pub(super) fn own_text(&mut self) {
        const LEAST: usize = 64;
        if let Register::PageText { start, len, page } = self
            && usize::from(*len) < KEPT_MAX
        {
            let text = on_page(page, *start, *len);
            let mut memory = vec![0; (text.len() + 1).next_power_of_two().max(LEAST)].into_boxed_slice();
            memory[..text.len()].copy_from_slice(text);
            *self = Register::OwnedText { subtype: 0, len: u32::from(*len), memory };
        }
    }

    #[inline(never)]
    fn own_page_bytes(&mut self) {
        match std::mem::take(self) {
            Register::PageText { start, len, page } => self.set_bytes(BytesKind::Text, on_page(&page, start, len)),
            Register::PageBlob { start, len, page } => self.set_bytes(BytesKind::Blob, on_page(&page, start, len)),
            other => *self = other,
        }
    }
}
