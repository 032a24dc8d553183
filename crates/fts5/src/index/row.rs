//! One row of a doclist.
//!
//! ```text
//!   detail=full, columns    varint rowid | varint 2 * length + deleted | positions
//!   detail=none             varint rowid | nothing, 00: deleted, 00 00: deleted and inserted again
//! ```

use super::leaf::Leaf;
use crate::config::Detail;
use crate::varint;

/// A row of a doclist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its rowid.
    pub rowid: i64,
    /// Older entries of the row are deleted.
    pub is_delete: bool,
    /// Whether the term occurs in the row.
    pub has_content: bool,
    /// Where the positions are.
    pub data_at: usize,
    /// How many bytes they take.
    pub data_len: usize,
}

/// Reads the row at `at` of a page whose doclist ends at `end`: a difference to `last`, or, without it, the rowid itself.
pub fn read_row(leaf: &Leaf, at: usize, end: usize, last: Option<i64>, detail: Detail) -> Option<Row> {
    read_from(leaf.content().get(..end)?, at, last, detail)
}

/// Reads the row at `at` of a doclist.
#[inline]
pub fn read_from(bytes: &[u8], at: usize, last: Option<i64>, detail: Detail) -> Option<Row> {
    if let (Some(last), Detail::Full | Detail::Columns) = (last, detail)
        && let Some([number @ 0..0x80, size @ 0..0x80]) = bytes.get(at..).and_then(<[u8]>::first_chunk)
    {
        // A near row with few positions, as most are.
        let (rowid, data_len) = (last.wrapping_add(i64::from(*number)), usize::from(size >> 1));
        return Some(Row { rowid, is_delete: size & 1 != 0, has_content: data_len > 0, data_at: at + 2, data_len });
    }
    read_any(bytes, at, last, detail)
}

fn read_any(bytes: &[u8], at: usize, last: Option<i64>, detail: Detail) -> Option<Row> {
    if detail != Detail::None
        && let Some([high @ 0x80..=0xff, low @ 0..0x80, size @ 0..0x80]) = bytes.get(at..).and_then(<[u8]>::first_chunk)
    {
        // A rowid of two bytes, as the first one of most terms is where there are fewer than 16,384 rows.
        let number = i64::from(high & 0x7f) << 7 | i64::from(*low);
        let (rowid, data_len) = (last.unwrap_or(0).wrapping_add(number), usize::from(size >> 1));
        return Some(Row { rowid, is_delete: size & 1 != 0, has_content: data_len > 0, data_at: at + 3, data_len });
    }
    if let (Some(last), Detail::Full | Detail::Columns) = (last, detail)
        && let Some([number @ 0..0x80, high @ 0x80..=0xff, low @ 0..0x80]) =
            bytes.get(at..).and_then(<[u8]>::first_chunk)
    {
        // A near row with many positions, as frequent words have.
        let (rowid, size) = (last.wrapping_add(i64::from(*number)), usize::from(high & 0x7f) << 7 | usize::from(*low));
        let data_len = size >> 1;
        return Some(Row { rowid, is_delete: size & 1 != 0, has_content: data_len > 0, data_at: at + 3, data_len });
    }
    let mut at = at;
    let number = varint::read(bytes, &mut at)? as i64;
    let rowid = last.map_or(number, |last| last.wrapping_add(number));
    if detail == Detail::None {
        let zeros = bytes.get(at..).unwrap_or_default().iter().take(2).take_while(|byte| **byte == 0).count();
        return Some(Row { rowid, is_delete: zeros > 0, has_content: zeros != 1, data_at: at + zeros, data_len: 0 });
    }
    let size = varint::read(bytes, &mut at)?;
    let data_len = usize::try_from(size >> 1).ok().filter(|len| *len <= i32::MAX as usize)?;
    Some(Row { rowid, is_delete: size & 1 != 0, has_content: data_len > 0, data_at: at, data_len })
}
