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
    let len = u32::try_from(record.len()).map_err(|_| Malformed("record longer than any"))?;
    let (header_len, mut header_at) = header_len(record)?;
    if header_len == 0 {
        return Ok(()); // as SQLite reads it
    }
    if header_len > len || header_at > header_len as usize {
        return Err(HEADER_LONG);
    }
    let header = record.get(..header_len as usize).ok_or(HEADER_LONG)?;
    let mut at = header_len as usize;
    while header_at < header.len() {
        let (serial, next) = varint::read_at(header, header_at).ok_or(HEADER_CUT)?;
        let serial = SerialType(u32::try_from(serial).unwrap_or(u32::MAX));
        values.push(serial.decode(record, at).ok_or(CONTENT_LONG)?);
        (header_at, at) = (next, at + serial.len() as usize);
    }
    if at == record.len() { Ok(()) } else { Err(DISAGREE) }
}

const HEADER_CUT: Malformed = Malformed("record ends within its header");
const HEADER_LONG: Malformed = Malformed("record header longer than its payload");
const CONTENT_LONG: Malformed = Malformed("record content longer than its payload");
const DISAGREE: Malformed = Malformed("record header and content disagree");
