//! Position lists: the places of a token in a row.
//!
//! ```text
//!   detail=full      varint(offset + 2 - last offset) ...        column 0
//!                    01 varint(column) varint(...) ...           each later column, offsets again from 0
//!   detail=columns   varint(column + 2 - last column) ...
//! ```
//!
//! A position is one number, column << 32 | offset, so that positions are in order as numbers are. An offset has 31 bits.

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;

use crate::varint;

/// Precedes the number of a column. Offsets are written as a difference plus [`BIAS`], so no offset has this value.
pub(crate) const COLUMN_MARK: u64 = 1;
/// Added to each difference, because 0 and 1 have other meanings.
pub(crate) const BIAS: u64 = 2;
/// The least number that is a difference.
const SHORT_MIN: u8 = BIAS as u8;
/// The most bytes of a position, with its column.
const POSITION_LEN_MAX: usize = 1 + 2 * lithe_format::varint::MAX_LEN;
/// Offsets have 31 bits.
const OFFSET_MAX: u64 = 0x7fff_ffff;
/// More columns than any table has: a list with a larger number is damaged.
pub(crate) const COLUMN_MAX: u64 = 0x7fff;

/// A column and an offset as one number.
pub const fn position(column: u32, offset: u32) -> u64 {
    (column as u64) << 32 | offset as u64
}

/// The column of a position.
pub const fn column_of(position: u64) -> usize {
    (position >> 32) as usize
}

/// The offset of a position.
pub const fn offset_of(position: u64) -> u32 {
    position as u32
}

/// Appends the positions of one row, which come in order, to a list.
#[derive(Debug, Default)]
pub struct Writer {
    last: u64,
}

impl Writer {
    /// Appends one position.
    ///
    /// # Errors
    /// If the memory is short.
    #[inline]
    pub fn push(&mut self, out: &mut Vec<u8>, position: u64) -> Result<(), OutOfMemory> {
        out.try_grow(POSITION_LEN_MAX)?;
        let column = position >> 32;
        if column != self.last >> 32 {
            varint::write(out, COLUMN_MARK);
            varint::write(out, column);
            self.last = column << 32;
        }
        varint::write(out, position.wrapping_sub(self.last).wrapping_add(BIAS));
        self.last = position;
        Ok(())
    }
}

/// Reads the positions of one row in place. Damage ends the list.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    last: u64,
}

impl<'a> Reader<'a> {
    /// From the beginning of a list.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0, last: 0 }
    }
}

impl Reader<'_> {
    /// The next position, whatever its form.
    #[inline(never)]
    fn next_of_any_form(&mut self) -> Option<u64> {
        let mut number = varint::read(self.bytes, &mut self.at)?;
        if number == COLUMN_MARK {
            let column = varint::read(self.bytes, &mut self.at).filter(|column| *column <= COLUMN_MAX)?;
            self.last = column << 32;
            number = varint::read(self.bytes, &mut self.at)?;
        }
        let offset = number.checked_sub(BIAS)?.checked_add(self.last & OFFSET_MAX)?;
        self.last = self.last & !OFFSET_MAX | offset & OFFSET_MAX;
        Some(self.last)
    }
}

impl Iterator for Reader<'_> {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        // Most positions are a difference to the one before of one byte or two.
        let (number, len) = match *self.bytes.get(self.at..)? {
            [byte @ SHORT_MIN..=0x7f, ..] => (u64::from(byte), 1),
            [high @ 0x81..=0xff, low @ 0..0x80, ..] => (u64::from(high & 0x7f) << 7 | u64::from(low), 2),
            [] => return None,
            _ => return self.next_of_any_form(),
        };
        let offset = (self.last & OFFSET_MAX) + number - BIAS;
        if offset > OFFSET_MAX {
            return self.next_of_any_form();
        }
        self.at += len;
        self.last = self.last & !OFFSET_MAX | offset;
        Some(self.last)
    }
}

/// Appends the positions of one row to `out`, as a [`Reader`] returns them.
///
/// # Errors
/// If the memory is short.
pub fn read_all(bytes: &[u8], out: &mut Vec<u64>) -> Result<(), OutOfMemory> {
    // (Each position has a byte at least: the vector grows once.)
    out.try_grow(bytes.len())?;
    out.extend(Reader::new(bytes));
    Ok(())
}

/// Appends the columns of one row, which come in order (detail=columns).
pub(crate) fn write_columns(out: &mut Vec<u8>, columns: impl IntoIterator<Item = u32>) {
    let mut last = 0;
    for column in columns {
        varint::write(out, u64::from(column.wrapping_sub(last)) + BIAS);
        last = column;
    }
}

/// The columns of one row (detail=columns). Damage ends the list.
pub(crate) fn read_columns(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut at = 0;
    let mut last = 0u32;
    std::iter::from_fn(move || {
        let delta = varint::read(bytes, &mut at)?.checked_sub(BIAS)?;
        last = last.checked_add(u32::try_from(delta).ok()?)?;
        Some(last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_lists_are_sqlites() {
        // The first row of the example in SQLite's pages: `ab abc ab` and `ab`, the token `ab`.
        let expected = [0x02, 0x04, 0x01, 0x01, 0x02];
        let positions = [position(0, 0), position(0, 2), position(1, 0)];
        let (mut out, mut writer) = (Vec::new(), Writer::default());
        for position in positions {
            writer.push(&mut out, position).unwrap();
        }
        assert_eq!(out, expected);
        assert_eq!(Reader::new(&out).collect::<Vec<_>>(), positions);
        let mut all = Vec::new();
        read_all(&out, &mut all).unwrap();
        assert_eq!(all, positions);
    }

    #[test]
    fn column_lists_come_back() {
        let mut out = Vec::new();
        write_columns(&mut out, [0, 3, 700]);
        assert_eq!(out[..2], [2, 5]);
        assert_eq!(read_columns(&out).collect::<Vec<_>>(), [0, 3, 700]);
    }

    #[test]
    fn damage_ends_a_list() {
        for damage in [&[0x00][..], &[0x01], &[0x01, 0x81], &[0xff; 20], &[0x01, 0xff, 0xff, 0xff, 0x7f, 0x02]] {
            assert!(Reader::new(damage).count() < 3, "{damage:x?}");
            let mut all = Vec::new();
            read_all(damage, &mut all).unwrap();
            assert_eq!(all, Reader::new(damage).collect::<Vec<_>>());
            assert!(read_columns(damage).count() < 3, "{damage:x?}");
        }
    }
}
