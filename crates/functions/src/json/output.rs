//! Writing bytes of JSON, and growing lists: a failed allocation is an error, not an abort.
//!
//! After a failed allocation a writer ignores further output, and `finish` returns the error.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{Buffer, Value};

use crate::error::FunctionError;

/// Why the output is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputError {
    /// There was not enough memory.
    OutOfMemory,
    /// A value was damaged JSONB.
    Damaged,
}

impl From<OutputError> for FunctionError {
    fn from(error: OutputError) -> FunctionError {
        match error {
            OutputError::OutOfMemory => FunctionError::out_of_memory(),
            OutputError::Damaged => FunctionError::new("malformed JSON"),
        }
    }
}

impl From<OutOfMemory> for OutputError {
    fn from(_: OutOfMemory) -> OutputError {
        OutputError::OutOfMemory
    }
}

impl From<OutputError> for OutOfMemory {
    /// For output without values, which cannot be damaged.
    fn from(_: OutputError) -> OutOfMemory {
        OutOfMemory
    }
}

/// The output so far.
#[derive(Debug, Default)]
pub struct Output {
    buffer: Buffer,
    error: Option<OutputError>,
}

impl Output {
    /// Appends to the content of the buffer.
    pub fn appending_to(buffer: Buffer) -> Output {
        Output { buffer, error: None }
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
            self.fail(OutputError::OutOfMemory);
        }
    }

    /// Writes one byte, and others behind it.
    #[inline]
    pub fn push_before(&mut self, byte: u8, bytes: &[u8]) {
        if self.buffer.try_reserve(bytes.len() + 1).is_err() {
            return self.fail(OutputError::OutOfMemory);
        }
        if let [first, rest @ ..] = self.buffer.append(bytes.len() + 1) {
            *first = byte;
            rest.copy_from_slice(bytes);
        }
    }

    /// Writes bytes between quotes.
    #[inline]
    pub fn push_quoted(&mut self, bytes: &[u8]) {
        if self.buffer.try_reserve(bytes.len() + 2).is_err() {
            return self.fail(OutputError::OutOfMemory);
        }
        if let [first, middle @ .., last] = self.buffer.append(bytes.len() + 2) {
            (*first, *last) = (b'"', b'"');
            middle.copy_from_slice(bytes);
        }
    }

    /// How much has been written.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Reserves space for what will probably be written.
    pub fn expect(&mut self, len: usize) {
        if self.buffer.try_reserve(len).is_err() {
            self.fail(OutputError::OutOfMemory);
        }
    }

    /// Puts a byte in the place of another.
    pub fn set(&mut self, at: usize, byte: u8) {
        if let Some(place) = self.buffer.as_mut_slice().get_mut(at) {
            *place = byte;
        }
    }

    /// Puts bytes in the place of `replaced` bytes, which are not more, at `at`.
    pub fn put(&mut self, at: usize, replaced: usize, bytes: &[u8]) {
        let (end, longer) = (self.buffer.len(), bytes.len().saturating_sub(replaced));
        if longer > 0 {
            if self.buffer.try_reserve(longer).is_err() {
                return self.fail(OutputError::OutOfMemory);
            }
            self.buffer.append(longer);
            if at + replaced <= end {
                self.buffer.as_mut_slice().copy_within(at + replaced..end, at + bytes.len());
            }
        }
        if let Some(place) = self.buffer.as_mut_slice().get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// Records that output was lost elsewhere.
    pub fn fail(&mut self, error: OutputError) {
        self.error.get_or_insert(error);
    }

    /// Records that a value cannot be written, because it is damaged.
    pub fn refuse(&mut self) {
        self.fail(OutputError::Damaged);
    }

    /// What has been written.
    pub fn written(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// Gives up the bytes before `at`.
    pub fn remove_before(&mut self, at: usize) {
        let len = self.buffer.len();
        if at <= len {
            self.buffer.as_mut_slice().copy_within(at.., 0);
            self.buffer.truncate(len - at);
        }
    }

    /// The error of what could not be written.
    pub fn check(&self) -> Result<(), OutputError> {
        self.error.map_or(Ok(()), Err)
    }

    /// The whole output.
    pub fn finish(self) -> Result<Buffer, OutputError> {
        self.error.map_or(Ok(self.buffer), Err)
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
