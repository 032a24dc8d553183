//! Bytes of JSON as they are written, and lists as they grow: memory that is not there is an error in the end, not the end.
//!
//! Writers go on when there is no memory for what they write, and write nothing: whoever takes the bytes is told.

use lithe_value::Buffer;
use lithe_value::buffer::OutOfMemory;

/// What has been written.
#[derive(Debug, Default)]
pub struct Output {
    buffer: Buffer,
    /// There was no memory for something.
    is_lost: bool,
}

impl Output {
    /// Writes behind what is in the buffer.
    pub fn behind(buffer: Buffer) -> Output {
        Output { buffer, is_lost: false }
    }

    /// Writes one byte.
    #[inline]
    pub fn push(&mut self, byte: u8) {
        self.extend(&[byte]);
    }

    /// Writes bytes.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        if self.buffer.try_reserve(bytes.len()).is_ok() {
            self.buffer.extend(bytes);
        } else {
            self.is_lost = true;
        }
    }

    /// Something that should have been written was lost elsewhere.
    pub fn lose(&mut self) {
        self.is_lost = true;
    }

    /// All that was written.
    pub fn finish(self) -> Result<Buffer, OutOfMemory> {
        if self.is_lost { Err(OutOfMemory) } else { Ok(self.buffer) }
    }
}

/// Adds to a list that may become long.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() {
        list.try_reserve(1).map_err(|_| OutOfMemory)?;
    }
    list.push(item);
    Ok(())
}
