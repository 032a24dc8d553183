//! Writing bytes of JSON, and growing lists: a failed allocation is an error, not an abort.
//!
//! After a failed allocation a writer ignores further output, and `finish` returns the error.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{Buffer, Value};

use crate::error::FunctionError;

/// Why the output is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// There was not enough memory.
    OutOfMemory,
    /// A value was damaged JSONB.
    Damaged,
}

impl From<Lost> for FunctionError {
    fn from(lost: Lost) -> FunctionError {
        match lost {
            Lost::OutOfMemory => FunctionError::out_of_memory(),
            Lost::Damaged => FunctionError::new("malformed JSON"),
        }
    }
}

impl From<OutOfMemory> for Lost {
    fn from(_: OutOfMemory) -> Lost {
        Lost::OutOfMemory
    }
}

impl From<Lost> for OutOfMemory {
    /// For output without values, which cannot be damaged.
    fn from(_: Lost) -> OutOfMemory {
        OutOfMemory
    }
}

/// The output so far.
#[derive(Debug, Default)]
pub struct Output {
    buffer: Buffer,
    lost: Option<Lost>,
}

impl Output {
    /// Appends to the content of the buffer.
    pub fn behind(buffer: Buffer) -> Output {
        Output { buffer, lost: None }
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
            self.lose(Lost::OutOfMemory);
        }
    }

    /// Records that output was lost elsewhere.
    pub fn lose(&mut self, lost: Lost) {
        self.lost.get_or_insert(lost);
    }

    /// Records that a value cannot be written, because it is damaged.
    pub fn refuse(&mut self) {
        self.lose(Lost::Damaged);
    }

    /// The whole output.
    pub fn finish(self) -> Result<Buffer, Lost> {
        self.lost.map_or(Ok(self.buffer), Err)
    }
}

/// Reserves space for one more item in a list that may become long.
pub fn reserve_one<T>(list: &mut Vec<T>) -> Result<(), OutOfMemory> {
    if list.len() == list.capacity() { list.try_reserve(1).map_err(|_| OutOfMemory) } else { Ok(()) }
}

/// Adds an item to a list that may become long.
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), OutOfMemory> {
    reserve_one(list)?;
    list.push(item);
    Ok(())
}

/// Collects items in a list.
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

/// The pieces, concatenated.
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
