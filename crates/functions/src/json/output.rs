//! Bytes of JSON as they are written, and lists as they grow: memory that is not there is an error in the end, not the end.
//!
//! Writers go on when there is no memory for what they write, and write nothing: whoever takes the bytes is told.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{Buffer, Value};

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

/// Makes room for one more in a list that may become long.
pub fn make_room<T>(list: &mut Vec<T>) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() { list.try_reserve(1).map_err(|_| OutOfMemory) } else { Ok(()) }
}

/// Adds to a list that may become long.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    make_room(list)?;
    list.push(item);
    Ok(())
}

/// Lists items.
pub fn collect<T>(items: impl ExactSizeIterator<Item = Result<T, OutOfMemory>>) -> Result<Vec<T>, OutOfMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(items.len()).map_err(|_| OutOfMemory)?;
    for item in items {
        list.push(item?);
    }
    Ok(list)
}

/// A copy of bytes.
pub fn copy(bytes: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    concat(&[bytes])
}

/// The pieces one behind the other.
pub fn concat(pieces: &[&[u8]]) -> Result<Vec<u8>, OutOfMemory> {
    let mut all = Vec::new();
    all.try_reserve_exact(pieces.iter().map(|piece| piece.len()).sum()).map_err(|_| OutOfMemory)?;
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    Ok(all)
}

/// A text as a value.
pub fn text_value(text: &[u8]) -> Result<Value, OutOfMemory> {
    let mut buffer = Buffer::new();
    buffer.try_reserve(text.len())?;
    buffer.extend(text);
    let mut value = Value::NULL;
    value.set_text_buffer(buffer);
    Ok(value)
}
