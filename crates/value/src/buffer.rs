//! The byte buffer behind a [`Value`](crate::Value): it grows while a text is built, and is reused for the next one.
//!
//! ```text
//!   bytes  |x|x|x|x|x|0|0|0|     a box: its length is the capacity
//!           <-- len -->          the written bytes
//! ```
//!
//! A `Vec<u8>` would do the same, but would make a `Value` 32 bytes: vector, and class beside it. The length of a value
//! fits 32 bits (SQLite's limit is 2^31 - 1), which leaves a byte for the class in 24. New memory is allocated zeroed,
//! which for large buffers costs only the kernel's fresh pages.

use crate::bytes;

/// A growable string of bytes whose memory can be reused.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    bytes: Box<[u8]>,
    len: usize,
}

/// An allocation for a large value has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

/// The smallest allocation: the allocator gains nothing from less.
const CAPACITY_MIN: usize = 32;

impl Buffer {
    /// An empty buffer without memory.
    #[inline]
    pub fn new() -> Self {
        Buffer::default()
    }

    /// An empty buffer of `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut buffer = Buffer::new();
        buffer.reserve(capacity);
        buffer
    }

    /// A buffer over memory whose first `len` bytes are written.
    ///
    /// # Panics
    /// If `len` is more than there are bytes.
    #[inline]
    pub fn from_parts(bytes: Box<[u8]>, len: usize) -> Self {
        assert!(len <= bytes.len(), "buffer longer than its memory");
        Buffer { bytes, len }
    }

    /// The memory, and the number of written bytes.
    #[inline]
    pub fn into_parts(self) -> (Box<[u8]>, usize) {
        (self.bytes, self.len)
    }

    /// How many bytes are written.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes fit without an allocation.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// The written bytes.
    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        bytes::up_to(&self.bytes, self.len)
    }

    /// The written bytes, mutable.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.len).unwrap_or_default()
    }

    /// Forgets the written bytes from `len` on; keeps the memory.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Forgets the written bytes; keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Reserves `additional` more bytes.
    #[inline]
    pub fn reserve(&mut self, additional: usize) {
        if self.bytes.len() - self.len < additional {
            self.grow(additional);
        }
    }

    /// Reserves `additional` more bytes, or fails if there is not enough memory. A function that builds a value whose length
    /// depends on its data reserves its bytes here; writing them then allocates nothing.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        if self.bytes.len() - self.len < additional { self.try_grow(additional) } else { Ok(()) }
    }

    #[cold]
    fn try_grow(&mut self, additional: usize) -> Result<(), OutOfMemory> {
        let capacity = self.grown(additional);
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(capacity).map_err(|_| OutOfMemory)?;
        bytes.extend_from_slice(self.as_slice());
        bytes.resize(capacity, 0);
        self.bytes = bytes.into_boxed_slice();
        Ok(())
    }

    #[cold]
    fn grow(&mut self, additional: usize) {
        let mut bytes = vec![0; self.grown(additional)].into_boxed_slice();
        if let Some(begin) = bytes.get_mut(..self.len) {
            begin.copy_from_slice(self.as_slice());
        }
        self.bytes = bytes;
    }

    /// The capacity for `additional` more bytes, and for some of those that will follow.
    fn grown(&self, additional: usize) -> usize {
        let needed = self.len.saturating_add(additional); // too much for any memory: the allocation then fails
        // Doubling while small; past a mebibyte by half, so that a long text does not hold twice its size.
        let amortized = if self.bytes.len() < 1 << 20 { self.bytes.len() * 2 } else { self.bytes.len() / 2 * 3 };
        // An empty buffer gets the requested size, because texts that are written in one go know their size.
        needed.max(amortized).max(CAPACITY_MIN)
    }

    /// Appends one byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        if self.len == self.bytes.len() {
            self.grow(1);
        }
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Appends `bytes`.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        self.append(bytes.len()).copy_from_slice(bytes);
    }

    /// Appends `count` times `byte`.
    pub fn fill(&mut self, byte: u8, count: usize) {
        self.append(count).fill(byte);
    }

    /// Appends `count` bytes of any content and returns them, to be written.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the bytes were just reserved")]
    pub fn append(&mut self, count: usize) -> &mut [u8] {
        self.reserve(count);
        let start = self.len;
        self.len += count;
        &mut self.bytes[start..self.len]
    }

    /// The written bytes as a vector, without a copy.
    pub fn into_vec(self) -> Vec<u8> {
        let mut bytes = self.bytes.into_vec();
        bytes.truncate(self.len);
        bytes
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        let len = bytes.len();
        Buffer { bytes: bytes.into_boxed_slice(), len }
    }
}

impl From<&[u8]> for Buffer {
    fn from(bytes: &[u8]) -> Self {
        Buffer { bytes: bytes.into(), len: bytes.len() }
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl std::fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.extend(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_when_there_is_no_memory() {
        let mut buffer = Buffer::from(&b"kept"[..]);
        assert_eq!(buffer.try_reserve(isize::MAX as usize - 100), Err(OutOfMemory));
        assert_eq!(buffer.try_reserve(1 << 20), Ok(()));
        assert_eq!(buffer.as_slice(), b"kept");
        assert!(buffer.capacity() >= 4 + (1 << 20));
    }

    #[test]
    fn grows_and_keeps_its_memory() {
        let mut buffer = Buffer::new();
        for i in 0..1000u32 {
            buffer.extend(&i.to_le_bytes());
            buffer.push(7);
        }
        assert_eq!(buffer.len(), 5000);
        assert_eq!(&buffer.as_slice()[4995..], [0xe7, 3, 0, 0, 7]);
        let capacity = buffer.capacity();
        buffer.clear();
        buffer.fill(b'x', 5000);
        assert_eq!(buffer.capacity(), capacity);
        assert_eq!(buffer.into_vec(), [b'x'; 5000]);
    }
}
