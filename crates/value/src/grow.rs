//! Vectors and texts that grow only if there is memory: for whatever is as long as data.
//!
//! `Vec` ends the process where an allocation fails. These methods do what those of `Vec` with similar names do, and fail instead. Where the
//! vector has space, they cost a comparison, which `Vec` makes as well.

use std::borrow::Cow;
use std::fmt;

use crate::buffer::OutOfMemory;

/// The growth of a vector.
pub trait Grow<T> {
    /// Reserves `additional` more elements, and some of those that will follow.
    ///
    /// # Errors
    /// If the memory is short.
    fn try_grow(&mut self, additional: usize) -> Result<(), OutOfMemory>;

    /// Appends an element.
    ///
    /// # Errors
    /// If the memory is short.
    fn try_push(&mut self, element: T) -> Result<(), OutOfMemory>;

    /// Appends copies of elements.
    ///
    /// # Errors
    /// If the memory is short; then none is appended.
    fn try_append(&mut self, elements: &[T]) -> Result<(), OutOfMemory>
    where
        T: Clone;

    /// Appends all elements of an iterator.
    ///
    /// # Errors
    /// If the memory is short; then some are appended.
    fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), OutOfMemory>;

    /// Changes the length; new elements are copies of `element`.
    ///
    /// # Errors
    /// If the memory is short.
    fn try_resize(&mut self, len: usize, element: T) -> Result<(), OutOfMemory>
    where
        T: Clone;
}

impl<T> Grow<T> for Vec<T> {
    #[inline]
    fn try_grow(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        if additional > self.capacity().wrapping_sub(self.len()) { more(self, additional) } else { Ok(()) }
    }

    #[inline]
    fn try_push(&mut self, element: T) -> Result<(), OutOfMemory> {
        self.try_grow(1)?;
        self.push(element);
        Ok(())
    }

    #[inline]
    fn try_append(&mut self, elements: &[T]) -> Result<(), OutOfMemory>
    where
        T: Clone,
    {
        self.try_grow(elements.len())?;
        self.extend_from_slice(elements);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, elements: impl IntoIterator<Item = T>) -> Result<(), OutOfMemory> {
        let mut elements = elements.into_iter();
        let (least, most) = elements.size_hint();
        self.try_grow(least)?;
        if most == Some(least) {
            self.extend(elements); // There is space for all.
            return Ok(());
        }
        elements.try_for_each(|element| self.try_push(element))
    }

    fn try_resize(&mut self, len: usize, element: T) -> Result<(), OutOfMemory>
    where
        T: Clone,
    {
        self.try_grow(len.saturating_sub(self.len()))?;
        self.resize(len, element);
        Ok(())
    }
}

#[cold]
fn more<T>(vector: &mut Vec<T>, additional: usize) -> Result<(), OutOfMemory> {
    vector.try_reserve(additional).map_err(|_| OutOfMemory)
}

/// Fails if there is no room for what long names and texts of a schema grow to while they are compiled: names, trees and messages have
/// hundreds of places in which a long name is copied, too many for a fallible copy each. Texts that are not long take memory as anything small
/// does.
///
/// # Errors
/// If the memory is short.
#[inline]
pub fn check_room(text_len: usize) -> Result<(), OutOfMemory> {
    if text_len < LONG_TEXT { Ok(()) } else { check_room_for(text_len) }
}

/// The length from which a text is long.
pub const LONG_TEXT: usize = 128 << 10;

/// More than a statement takes at once for each byte of its text and of the longest text of the schema: `crates/lithedb/tests/memory` runs
/// statements with all kinds of long names under budgets up to what they take.
const COPIES: usize = 32;

#[cold]
fn check_room_for(text_len: usize) -> Result<(), OutOfMemory> {
    let mut room: Vec<u8> = Vec::new();
    more(&mut room, text_len.saturating_mul(COPIES))?;
    // A vector that nobody reads would not be allocated.
    std::hint::black_box(&room);
    Ok(())
}

/// The elements of an iterator.
///
/// # Errors
/// If the memory is short.
pub fn collected<T>(elements: impl IntoIterator<Item = T>) -> Result<Vec<T>, OutOfMemory> {
    let mut all = Vec::new();
    all.try_extend(elements)?;
    Ok(all)
}

/// A copy of a slice, of its length exactly.
///
/// # Errors
/// If the memory is short.
pub fn copied<T: Clone>(elements: &[T]) -> Result<Vec<T>, OutOfMemory> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(elements.len()).map_err(|_| OutOfMemory)?;
    copy.extend_from_slice(elements);
    Ok(copy)
}

/// `len` copies of an element.
///
/// # Errors
/// If the memory is short.
pub fn filled<T: Clone>(element: T, len: usize) -> Result<Vec<T>, OutOfMemory> {
    let mut all = Vec::new();
    all.try_reserve_exact(len).map_err(|_| OutOfMemory)?;
    all.resize(len, element);
    Ok(all)
}

/// A text with values in it, such as a message that quotes what is wrong.
///
/// # Errors
/// If the memory is short.
pub fn formatted(text: fmt::Arguments<'_>) -> Result<String, OutOfMemory> {
    let mut growing = Growing(String::new());
    fmt::write(&mut growing, text).map_err(|_| OutOfMemory)?;
    Ok(growing.0)
}

/// A text that fails where it cannot grow.
struct Growing(String);

impl fmt::Write for Growing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.try_reserve(text.len()).map_err(|_| fmt::Error)?;
        self.0.push_str(text);
        Ok(())
    }
}

/// Bytes as text, which is a copy if they are not UTF-8: what is not becomes U+FFFD.
///
/// # Errors
/// If the memory is short.
pub fn lossy(bytes: &[u8]) -> Result<Cow<'_, str>, OutOfMemory> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => lossy_copy(bytes).map(Cow::Owned),
    }
}

/// The same as a text of its own.
///
/// # Errors
/// If the memory is short.
pub fn lossy_copy(bytes: &[u8]) -> Result<String, OutOfMemory> {
    formatted(format_args!("{}", Lossy(bytes)))
}

/// A copy of a text.
///
/// # Errors
/// If the memory is short.
pub fn copied_text(text: &str) -> Result<String, OutOfMemory> {
    formatted(format_args!("{text}"))
}

/// Bytes as text whose ASCII letters are small.
///
/// # Errors
/// If the memory is short.
pub fn lowercase(bytes: &[u8]) -> Result<String, OutOfMemory> {
    let mut text = lossy_copy(bytes)?;
    text.make_ascii_lowercase();
    Ok(text)
}

/// Bytes that are shown as text; what is not UTF-8 is shown as U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Lossy<'b>(pub &'b [u8]);

impl fmt::Display for Lossy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.utf8_chunks().try_for_each(|chunk| {
            f.write_str(chunk.valid())?;
            if chunk.invalid().is_empty() { Ok(()) } else { f.write_str("\u{fffd}") }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_grow_as_vec_does() {
        let mut vector = copied(&[1u8, 2]).unwrap();
        vector.try_push(3).unwrap();
        vector.try_append(&[4, 5]).unwrap();
        vector.try_extend(6..9).unwrap();
        vector.try_resize(10, 7).unwrap();
        assert_eq!(vector, [1, 2, 3, 4, 5, 6, 7, 8, 7, 7]);
        assert_eq!(collected(vector.iter().copied().filter(|one| *one > 6)).unwrap(), [7, 8, 7, 7]);
        assert_eq!(filled(1u8, 3).unwrap(), [1; 3]);
    }

    #[test]
    fn texts_are_those_of_the_standard_library() {
        for bytes in [&b""[..], b"plain", b"\xffa\xe2\x82b\xc3\xa4\xe2", b"\xf0\x9f\x98\x80\x80"] {
            assert_eq!(lossy(bytes).unwrap(), String::from_utf8_lossy(bytes));
            assert_eq!(
                formatted(format_args!("[{}]", Lossy(bytes))).unwrap(),
                format!("[{}]", String::from_utf8_lossy(bytes))
            );
        }
    }

    #[test]
    fn what_does_not_fit_fails() {
        let mut vector = vec![1u64];
        assert_eq!(vector.try_grow(isize::MAX as usize / 4), Err(OutOfMemory));
        assert_eq!(vector.try_resize(usize::MAX, 0), Err(OutOfMemory));
        assert_eq!(filled(0u8, usize::MAX), Err(OutOfMemory));
        assert_eq!(vector, [1]);
    }
}
