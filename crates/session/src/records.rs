//! The recorded rows, one after the other in blocks: an allocation for each row would take as long as writing it.

use lithe_format::varint;
use lithe_vtab::{FunctionError, Grow, Result, ValueRef, code};

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
    /// All bytes of a block are there from the beginning.
    blocks: Vec<Vec<u8>>,
    /// How many bytes of the last block have records.
    used: usize,
    /// The sum of the lengths of the records of all blocks but the last.
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
    #[inline]
    pub fn add<'v>(&mut self, values: impl Iterator<Item = Option<ValueRef<'v>>> + Clone) -> Result<Place> {
        // Space for all values is made at once, so that writing one compares no lengths of blocks.
        let len_max = values.clone().map(field_len_max).sum::<usize>();
        let (at, start, block) = self.block(len_max)?;
        if !make_space(block, start + len_max) {
            return Err(no_memory());
        }
        let space = block.get_mut(start..).unwrap_or_default();
        let before = space.len();
        let left = values.fold(space, |space, value| write_field(space, value)).len();
        self.place(at, start + (before - left))
    }

    /// Adds a record of other records, with more values.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn add_extended(&mut self, record: &[u8], more: &[u8]) -> Result<Place> {
        let (at, mut end, block) = self.block(record.len() + more.len())?;
        if !put(block, &mut end, record) || !put(block, &mut end, more) {
            return Err(no_memory());
        }
        self.place(at, end)
    }

    /// The length of all records.
    pub fn bytes(&self) -> usize {
        self.full + self.used
    }

    /// The memory of the blocks.
    #[cfg(test)]
    fn capacity(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }

    /// The block for a record of that length, with its number, and where the record begins. A block that has no place for the record is full, unless
    /// the record is extraordinarily long.
    #[inline]
    fn block(&mut self, len: usize) -> Result<(usize, usize, &mut Vec<u8>)> {
        let wanted = len.min(BLOCK_MAX / 8);
        if self.blocks.last().is_none_or(|last| last.len() - self.used < wanted) {
            self.add_block()?;
        }
        let (at, start) = (self.blocks.len().saturating_sub(1), self.used);
        self.blocks.last_mut().map(|block| (at, start, block)).ok_or_else(no_memory)
    }

    #[cold]
    fn add_block(&mut self) -> Result {
        let full = self.full + self.used;
        let mut block = Vec::new();
        if !lengthen(&mut block, full.clamp(BLOCK_MIN, BLOCK_MAX)) {
            return Err(no_memory());
        }
        self.blocks.try_push(block)?;
        (self.full, self.used) = (full, 0);
        Ok(())
    }

    /// The place of the record that begins behind the others of the last block.
    fn place(&mut self, block: usize, end: usize) -> Result<Place> {
        let start = std::mem::replace(&mut self.used, end);
        match (u32::try_from(block), u32::try_from(end)) {
            (Ok(block), Ok(end)) => Ok(Place { block, start: start as u32, end }),
            _ => Err(no_memory()),
        }
    }
}

/// At most so many bytes [`write_field`] writes.
#[inline]
fn field_len_max(value: Option<ValueRef<'_>>) -> usize {
    let content = match value {
        Some(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes.len(),
        _ => 0,
    };
    1 + varint::MAX_LEN + content
}

/// Writes a value as [`push`](crate::record::push) does; what is left of the space, which is long enough.
#[inline(always)]
fn write_field<'s>(space: &'s mut [u8], value: Option<ValueRef<'_>>) -> &'s mut [u8] {
    match value {
        None => write(space, [UNDEFINED]),
        Some(ValueRef::Null) => write(space, [NULL]),
        Some(ValueRef::Integer(integer)) => write_number(space, INTEGER, integer.to_be_bytes()),
        Some(ValueRef::Real(real)) => write_number(space, REAL, real.to_be_bytes()),
        Some(ValueRef::Text(bytes)) => write_bytes(space, TEXT, bytes),
        Some(ValueRef::Blob(bytes)) => write_bytes(space, BLOB, bytes),
    }
}

#[inline(always)]
fn write_number(space: &mut [u8], kind: u8, number: [u8; 8]) -> &mut [u8] {
    let [a, b, c, d, e, f, g, h] = number;
    write(space, [kind, a, b, c, d, e, f, g, h])
}

#[inline]
fn write_bytes<'s>(space: &'s mut [u8], kind: u8, bytes: &[u8]) -> &'s mut [u8] {
    let space = match u8::try_from(bytes.len()) {
        Ok(len @ ..0x80) => write(space, [kind, len]),
        _ => {
            let space = write(space, [kind]);
            let len = varint::write(space, bytes.len() as u64);
            space.get_mut(len..).unwrap_or_default()
        }
    };
    match space.split_at_mut_checked(bytes.len()) {
        Some((to, left)) => {
            to.copy_from_slice(bytes);
            left
        }
        None => &mut [],
    }
}

#[inline(always)]
fn write<const N: usize>(space: &mut [u8], bytes: [u8; N]) -> &mut [u8] {
    match space.split_first_chunk_mut() {
        Some((to, left)) => {
            *to = bytes;
            left
        }
        None => &mut [],
    }
}

/// Writes bytes, for which the block becomes longer if need be.
fn put(block: &mut Vec<u8>, at: &mut usize, bytes: &[u8]) -> bool {
    let end = *at + bytes.len();
    if !make_space(block, end) {
        return false;
    }
    if let Some(space) = block.get_mut(*at..end) {
        space.copy_from_slice(bytes);
    }
    *at = end;
    true
}

/// Makes a block at least so long; false if there is no memory.
#[inline]
fn make_space(block: &mut Vec<u8>, len: usize) -> bool {
    len <= block.len() || lengthen(block, len)
}

/// Makes a block as long as that, or longer; false if there is no memory.
#[cold]
fn lengthen(block: &mut Vec<u8>, len: usize) -> bool {
    let has_memory = block.try_reserve(len - block.len()).is_ok();
    if has_memory {
        block.resize(block.capacity(), 0);
    }
    has_memory
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
        assert!(records.capacity() < used + used / 4 + BLOCK_MAX, "{used} of {} bytes are used", records.capacity());
        let before = records.capacity();
        let giant = vec![b'y'; 10 << 20];
        for text in [giant.as_slice(), b"a", b"b", b"c"].repeat(3) {
            records.add([Some(ValueRef::Text(text))].into_iter()).unwrap();
        }
        let grown = records.capacity() - before;
        assert!(grown < 3 * (10 << 20) + 4 * BLOCK_MAX, "{grown} bytes");
        let longer = records.add_extended(records.get(places[7]).to_vec().as_slice(), &[NULL]).unwrap();
        assert_eq!(fields(records.get(longer)).map(value).last(), Some(Some(ValueRef::Null)));
    }
}
