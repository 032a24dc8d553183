//! The recorded rows, one after the other in blocks: an allocation for each row would take as long as writing it.

use lithe_format::varint;
use lithe_vtab::{FunctionError, Result, ValueRef, code};

use crate::record::{BLOB, INTEGER, NULL, REAL, TEXT, UNDEFINED};

/// The first block is this long; each further one is as long as all before it, up to the limit.
const BLOCK_MIN: usize = 1 << 10;
const BLOCK_MAX: usize = 256 << 10;

/// The place of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    block: u32,
    start: u32,
    end: u32,
}

/// The records of one table.
#[derive(Default)]
pub(crate) struct Records {
    blocks: Vec<Vec<u8>>,
    /// The length of the longest record.
    longest: usize,
    /// The sum of the lengths of all blocks but the last.
    full: usize,
}

impl Records {
    /// A record; empty for a place of other records.
    pub fn get(&self, place: Place) -> &[u8] {
        let block = self.blocks.get(place.block as usize).map_or(&[][..], Vec::as_slice);
        block.get(place.start as usize..place.end as usize).unwrap_or_default()
    }

    /// Adds a record of these values; `None` is an undefined one.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn add<'v>(&mut self, values: impl Iterator<Item = Option<ValueRef<'v>>>) -> Result<Place> {
        let (at, block) = self.block()?;
        let start = block.len();
        for value in values {
            if !add_field(block, value) {
                return Err(no_memory());
            }
        }
        self.place(at, start)
    }

    /// Adds a record of other records, with more values.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn add_extended(&mut self, record: &[u8], more: &[u8]) -> Result<Place> {
        let (at, block) = self.block()?;
        let start = block.len();
        reserve(block, record.len() + more.len())?;
        block.extend_from_slice(record);
        block.extend_from_slice(more);
        self.place(at, start)
    }

    /// The memory of the blocks.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }

    /// The block for the next record, with its number. A block that has no place for the longest record so far is full, unless that one
    /// was extraordinary.
    fn block(&mut self) -> Result<(usize, &mut Vec<u8>)> {
        let last = self.blocks.last();
        let wanted = self.longest.min(BLOCK_MAX / 8);
        if last.is_none_or(|last| last.capacity() - last.len() <= wanted) {
            self.full += last.map_or(0, Vec::len);
            let mut block = Vec::new();
            reserve(&mut block, self.full.clamp(BLOCK_MIN, BLOCK_MAX))?;
            self.blocks.push(block);
        }
        let at = self.blocks.len().saturating_sub(1);
        self.blocks.last_mut().map(|block| (at, block)).ok_or_else(no_memory)
    }

    /// The place of the record from `start` to the end of the last block.
    fn place(&mut self, block: usize, start: usize) -> Result<Place> {
        let end = self.blocks.last().map_or(start, Vec::len);
        self.longest = self.longest.max(end - start);
        let number = |number: usize| u32::try_from(number).map_err(|_| no_memory());
        Ok(Place { block: number(block)?, start: number(start)?, end: number(end)? })
    }
}

/// Appends a value as [`push`](crate::record::push) does; false if there is no memory. (A `Result` would take as long as the value.)
#[inline]
fn add_field(block: &mut Vec<u8>, value: Option<ValueRef<'_>>) -> bool {
    match value {
        None => add_kind(block, UNDEFINED),
        Some(ValueRef::Null) => add_kind(block, NULL),
        Some(ValueRef::Integer(integer)) => add_number(block, INTEGER, integer.to_be_bytes()),
        Some(ValueRef::Real(real)) => add_number(block, REAL, real.to_be_bytes()),
        Some(ValueRef::Text(bytes)) => add_bytes(block, TEXT, bytes),
        Some(ValueRef::Blob(bytes)) => add_bytes(block, BLOB, bytes),
    }
}

#[inline]
fn add_kind(block: &mut Vec<u8>, kind: u8) -> bool {
    let has_space = has_space(block, 1);
    if has_space {
        block.push(kind);
    }
    has_space
}

#[inline]
fn add_number(block: &mut Vec<u8>, kind: u8, number: [u8; 8]) -> bool {
    let [a, b, c, d, e, f, g, h] = number;
    let field = [kind, a, b, c, d, e, f, g, h];
    let has_space = has_space(block, field.len());
    if has_space {
        block.extend_from_slice(&field);
    }
    has_space
}

#[inline]
fn add_bytes(block: &mut Vec<u8>, kind: u8, bytes: &[u8]) -> bool {
    let mut front = [kind; 1 + varint::MAX_LEN];
    let len = front.split_first_mut().map_or(0, |(_, rest)| varint::write(rest, bytes.len() as u64));
    let has_space = has_space(block, front.len() + bytes.len());
    if has_space {
        block.extend_from_slice(front.get(..1 + len).unwrap_or_default());
        block.extend_from_slice(bytes);
    }
    has_space
}

/// Whether there is memory for so many more bytes; reserves it if need be.
#[inline]
fn has_space(block: &mut Vec<u8>, len: usize) -> bool {
    block.capacity() - block.len() >= len || block.try_reserve(len).is_ok()
}

/// Reserves memory; fails without a panic if there is none.
fn reserve(block: &mut Vec<u8>, len: usize) -> Result {
    if has_space(block, len) { Ok(()) } else { Err(no_memory()) }
}

fn no_memory() -> FunctionError {
    FunctionError::of_code(code::NOMEM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{fields, value};

    #[test]
    fn records_of_all_lengths_are_read_back() {
        let mut records = Records::default();
        let text = |number: usize| vec![b'x'; number * number % 3000];
        let places: Vec<Place> = (0..2000)
            .map(|number| {
                let text = text(number);
                let values = [Some(ValueRef::Integer(number as i64)), None, Some(ValueRef::Text(&text))];
                records.add(values.into_iter()).unwrap()
            })
            .collect();
        for (number, place) in places.iter().enumerate() {
            let found: Vec<_> = fields(records.get(*place)).map(value).collect();
            assert_eq!(found, [Some(ValueRef::Integer(number as i64)), None, Some(ValueRef::Text(&text(number)))]);
        }
        let used: usize = places.iter().map(|place| (place.end - place.start) as usize).sum();
        assert!(records.bytes() < used + used / 4 + BLOCK_MAX, "{used} of {} bytes are used", records.bytes());
        let before = records.bytes();
        let giant = vec![b'y'; 10 << 20];
        for text in [giant.as_slice(), b"a", b"b", b"c"].repeat(3) {
            records.add([Some(ValueRef::Text(text))].into_iter()).unwrap();
        }
        let grown = records.bytes() - before;
        assert!(grown < 3 * (10 << 20) + 4 * BLOCK_MAX, "{grown} bytes");
        let longer = records.add_extended(records.get(places[7]).to_vec().as_slice(), &[NULL]).unwrap();
        assert_eq!(fields(records.get(longer)).map(value).last(), Some(Some(ValueRef::Null)));
    }
}
