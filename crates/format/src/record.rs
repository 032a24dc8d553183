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
    let len = u32::try_from(record.len()).map_err(|_| Malformed("record longer than any"))?;
    let mut view = View::new();
    view.reset(len);
    let mut values = Vec::new();
    while let Located::At(column) = view.locate(record, values.len())? {
        values.push(column.value(record).ok_or(Malformed("record content ends too soon"))?);
    }
    Ok(values)
}

const HEADER_CUT: Malformed = Malformed("record ends within its header");
