//! A record: the columns of a row or of an index key.
//!
//! ```text
//!   | header length | serial type 0 | serial type 1 | ... | content 0 | content 1 | ...
//!     varint, itself  varint          varint
//!     included
//! ```
//!
//! [`Builder`] makes one from values; [`View`] reads one column by column, and parses the header no further than the
//! highest column that was read.

mod builder;
mod view;

pub use builder::Builder;
pub use view::{Column, Located, View};

use crate::serial_type::SerialType;
use crate::{Malformed, varint};
use lithe_value::ValueRef;

/// The length of the header of a record, and the offset of its first serial type.
///
/// The length is not checked against the record: it may be beyond the bytes that are available.
#[inline]
pub fn header_len(record: &[u8]) -> Result<(u32, usize), Malformed> {
    let (len, at) = varint::read(record).ok_or(HEADER_CUT)?;
    u32::try_from(len).map(|len| (len, at)).map_err(|_| Malformed("record header longer than any"))
}

/// All values of a record, for tests and tools; hot paths use [`View`].
pub fn values(record: &[u8]) -> Result<Vec<ValueRef<'_>>, Malformed> {
    let mut values = Vec::new();
    read_values(record, &mut values)?;
    Ok(values)
}

/// Replaces the content of a list by all values of a record.
pub fn read_values<'a>(record: &'a [u8], values: &mut Vec<ValueRef<'a>>) -> Result<(), Malformed> {
    values.clear();
    let mut all = Values::new(record)?;
    while let Some(value) = all.next_value()? {
        values.push(value);
    }
    if all.content.is_empty() { Ok(()) } else { Err(DISAGREE) }
}

/// The longest content of a number.
pub const PADDING: usize = 8;

/// The values of a record, one after the other. What lies behind the record does not matter; with [`PADDING`] bytes there, numbers are read
/// sooner.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// The serial types that follow.
    types: &'a [u8],
    /// The content of their values, and what lies behind it.
    content: &'a [u8],
}

impl<'a> Values<'a> {
    /// In front of the first value.
    ///
    /// # Errors
    /// A header that is longer than the record.
    #[inline]
    pub fn new(record: &'a [u8]) -> Result<Values<'a>, Malformed> {
        let (len, types_at) = header_len(record)?;
        if len == 0 {
            // As SQLite reads it: without values.
            return Ok(Values { types: &[], content: &[] });
        }
        let (header, content) = record.split_at_checked(len as usize).ok_or(HEADER_LONG)?;
        Ok(Values { types: header.get(types_at..).ok_or(HEADER_LONG)?, content })
    }

    /// The next value; none behind the last one.
    ///
    /// # Errors
    /// A serial type that ends beyond the header, or content beyond the record.
    #[inline(always)]
    pub fn next_value(&mut self) -> Result<Option<ValueRef<'a>>, Malformed> {
        let Some((short, types)) = self.types.split_first() else { return Ok(None) };
        let serial = SerialType(u32::from(*short));
        let len = serial.len() as usize;
        let (Some((content, rest)), 0..0x80) = (self.content.split_at_checked(len), *short) else {
            return self.next_of_any_type().map(Some);
        };
        let value = match (*short, self.content.first_chunk()) {
            (0, _) => ValueRef::Null,
            (1..=6, Some(number)) => ValueRef::Integer(i64::from_be_bytes(*number) >> (u64::BITS - 8 * len as u32)),
            (13.., _) if serial.is_text() => ValueRef::Text(content),
            _ => return self.next_of_any_type().map(Some),
        };
        (self.types, self.content) = (types, rest);
        Ok(Some(value))
    }

    /// The next value, be it a long one, a rare one, or the last number in front of the end of the bytes.
    #[inline(never)]
    fn next_of_any_type(&mut self) -> Result<ValueRef<'a>, Malformed> {
        let (serial, len) = varint::read(self.types).ok_or(HEADER_CUT)?;
        let serial = SerialType(u32::try_from(serial).unwrap_or(u32::MAX));
        let value = serial.decode(self.content, 0).ok_or(CONTENT_LONG)?;
        self.types = self.types.get(len..).unwrap_or_default();
        self.content = self.content.get(serial.len() as usize..).unwrap_or_default();
        Ok(value)
    }
}

const HEADER_CUT: Malformed = Malformed("record ends within its header");
const HEADER_LONG: Malformed = Malformed("record header longer than its payload");
const CONTENT_LONG: Malformed = Malformed("record content longer than its payload");
const DISAGREE: Malformed = Malformed("record header and content disagree");
