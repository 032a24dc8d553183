//! The text so far, whose length is limited.
//!
//! ```text
//!   place    |x|x|x|x|x| | |     memory of the caller, while the text fits
//!   buffer   empty               the whole text, once it does not fit
//! ```

use lithe_value::{Buffer, bytes};

use super::spec::Spec;
use crate::error::{FunctionError, Result};

/// The destination of a text.
pub struct Output<'o> {
    place: &'o mut [u8],
    /// The text is still in `place`.
    is_in_place: bool,
    buffer: Buffer,
    len: usize,
    length_max: usize,
    /// The text may become so long in `place`, if it is there.
    len_in_place: usize,
}

impl<'o> Output<'o> {
    /// Appends to the content of `buffer`.
    pub fn appending_to(buffer: Buffer, length_max: usize) -> Output<'static> {
        Output { place: &mut [], is_in_place: false, len: buffer.len(), buffer, length_max, len_in_place: 0 }
    }

    /// Writes to `place`, and allocates memory if that is too small.
    #[inline]
    pub fn growing_from(place: &'o mut [u8], length_max: usize) -> Output<'o> {
        let len_in_place = place.len().min(length_max.saturating_sub(1));
        Output { place, is_in_place: true, buffer: Buffer::new(), len: 0, length_max, len_in_place }
    }

    /// The text.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        if self.is_in_place { bytes::up_to(self.place, self.len) } else { self.buffer.as_slice() }
    }

    /// The text that was written to allocated memory.
    pub(super) fn into_buffer(self) -> Buffer {
        debug_assert!(!self.is_in_place, "the text is elsewhere");
        self.buffer
    }

    /// Fails if one conversion alone is too long. To be called before memory is allocated for a length in the format.
    pub(super) fn check_conversion(&self, length: usize) -> Result {
        if length > self.length_max { Err(FunctionError::too_big()) } else { Ok(()) }
    }

    /// Fails if the text would become too long with this number of additional bytes. SQLite counts the NUL after it.
    fn check(&self, additional: usize) -> Result {
        self.check_conversion(self.len.saturating_add(additional).saturating_add(1))
    }

    /// Writes `count` bytes by `put`, which gets the slice for them.
    #[inline]
    fn put(&mut self, count: usize, put: impl FnOnce(&mut [u8])) -> Result {
        self.check(count)?;
        let end = self.len.saturating_add(count);
        if self.is_in_place {
            if let Some(place) = self.place.get_mut(self.len..end) {
                put(place);
                self.len = end;
                return Ok(());
            }
            self.leave_place(count)?;
        }
        self.buffer.try_reserve(count)?;
        put(self.buffer.append(count));
        self.len = end;
        Ok(())
    }

    #[cold]
    fn leave_place(&mut self, additional: usize) -> Result {
        self.buffer.try_reserve(self.len + additional)?;
        self.buffer.extend(bytes::up_to(self.place, self.len));
        self.is_in_place = false;
        self.len_in_place = 0;
        Ok(())
    }

    #[inline]
    pub(super) fn push(&mut self, text: &[u8]) -> Result {
        let end = self.len.saturating_add(text.len());
        if end <= self.len_in_place
            && let Some(place) = self.place.get_mut(self.len..end)
        {
            copy(place, text);
            self.len = end;
            return Ok(());
        }
        self.push_elsewhere(text)
    }

    #[inline(never)]
    fn push_elsewhere(&mut self, text: &[u8]) -> Result {
        self.put(text.len(), |place| place.copy_from_slice(text))
    }

    pub(super) fn fill(&mut self, byte: u8, count: usize) -> Result {
        self.put(count, |place| place.fill(byte))
    }

    pub(super) fn repeat(&mut self, text: &[u8], count: usize) -> Result {
        self.put(text.len().saturating_mul(count), |place| {
            place.chunks_exact_mut(text.len().max(1)).for_each(|place| place.copy_from_slice(text));
        })
    }

    /// Writes `text` with spaces before or after it, up to the width of `spec`. `len` is the width of the text.
    pub(super) fn push_padded(&mut self, text: &[u8], len: usize, spec: &Spec) -> Result {
        let padding = spec.width.saturating_sub(len);
        if padding > 0 && !spec.left {
            self.fill(b' ', padding)?;
        }
        self.push(text)?;
        if padding > 0 && spec.left {
            self.fill(b' ', padding)?;
        }
        Ok(())
    }
}

/// Copies `text` to a place of its length. What is between two conversions has often one byte, for which a call would take longer.
#[inline]
fn copy(place: &mut [u8], text: &[u8]) {
    match (&mut *place, text) {
        ([place], [byte]) => *place = *byte,
        _ => place.copy_from_slice(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_its_place_and_beyond() {
        let mut place = [b'-'; 8];
        let mut output = Output::growing_from(&mut place, 100);
        output.push(b"abc").unwrap();
        output.fill(b'x', 5).unwrap();
        assert_eq!(output.as_slice(), b"abcxxxxx");
        output.repeat(b"12", 3).unwrap();
        assert_eq!(output.as_slice(), b"abcxxxxx121212");
        assert_eq!(output.fill(b'x', 100), Err(FunctionError::too_big()));
    }
}
