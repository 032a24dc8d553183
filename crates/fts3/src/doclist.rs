//! Doclists: the rows that have a term, with its positions.
//!
//! ```text
//!   doclist     ( varint docid delta | position list | 00 )*
//!   positions   positions of column 0 | ( 01 | varint column | positions of that column )*
//!   position    varint: 2 + the distance from the position before it in the column
//! ```
//!
//! The first docid is absolute; the others are distances, upwards or (`order=desc`) downwards. A docid without positions is
//! a deletion: it hides the row in older segments.

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;

use crate::{Result, corrupt, varint};

/// The valid offsets: a position list ends at any other, as damaged.
const OFFSETS: std::ops::RangeInclusive<i64> = 0..=i32::MAX as i64;
/// The most bytes of a position, with its column.
const POSITION_LEN_MAX: usize = 1 + 2 * varint::LEN_MAX;
/// The byte in front of a column number.
const COLUMN_MARK: u8 = 1;

/// The order of docids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Upwards.
    #[default]
    Ascending,
    /// Downwards (`order=desc`).
    Descending,
}

/// One row of a doclist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'d> {
    /// The row.
    pub docid: i64,
    /// Its positions, without the 00 at the end.
    pub positions: &'d [u8],
}

/// Reads a doclist row by row.
#[derive(Clone, Debug)]
pub struct Reader<'d> {
    bytes: &'d [u8],
    at: usize,
    docid: i64,
    order: Order,
}

impl<'d> Reader<'d> {
    /// At the beginning.
    pub fn new(bytes: &'d [u8], order: Order) -> Reader<'d> {
        Reader { bytes, at: 0, docid: 0, order }
    }

    /// The next row. None at the end.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    #[inline]
    pub fn read(&mut self) -> Result<Option<Entry<'d>>> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let is_first = self.at == 0;
        let delta = varint::read(self.bytes, &mut self.at).ok_or_else(corrupt)?;
        self.docid = match self.order {
            Order::Descending if !is_first => self.docid.wrapping_sub(delta),
            _ => self.docid.wrapping_add(delta),
        };
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            // The 00 at the end was the docid: a row without positions.
            return Ok(Some(Entry { docid: self.docid, positions: &[] }));
        }
        let len = positions_len(rest).ok_or_else(corrupt)?;
        let positions = self.bytes.get(self.at..self.at + len).unwrap_or_default();
        self.at += len + 1;
        Ok(Some(Entry { docid: self.docid, positions }))
    }
}

/// How many bytes precede the 00 that ends a position list. None if no 00 ends it.
fn positions_len(bytes: &[u8]) -> Option<usize> {
    let mut continues = false;
    bytes.iter().position(|byte| {
        let is_end = *byte == 0 && !continues;
        continues = *byte & 0x80 != 0;
        is_end
    })
}

/// Writes a doclist row by row.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// The bytes so far.
    pub bytes: Vec<u8>,
    last: i64,
    order: Order,
}

impl Writer {
    /// An empty doclist.
    pub fn new(order: Order) -> Writer {
        Writer { order, ..Writer::default() }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If the memory is short.
    #[inline]
    pub fn push(&mut self, entry: Entry<'_>) -> std::result::Result<(), OutOfMemory> {
        self.bytes.try_grow(varint::LEN_MAX + entry.positions.len() + 1)?;
        let delta = match self.order {
            Order::Descending if !self.bytes.is_empty() => self.last.wrapping_sub(entry.docid),
            _ => entry.docid.wrapping_sub(self.last),
        };
        varint::write(&mut self.bytes, delta);
        self.bytes.extend_from_slice(entry.positions);
        self.bytes.push(0);
        self.last = entry.docid;
        Ok(())
    }

    /// Begins an empty doclist.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.last = 0;
    }
}

/// The same doclist in the other order.
///
/// # Errors
/// SQLITE_CORRUPT_VTAB.
pub fn reversed(bytes: &[u8], from: Order) -> Result<Vec<u8>> {
    let mut reader = Reader::new(bytes, from);
    let mut entries = Vec::new();
    while let Some(entry) = reader.read()? {
        entries.try_push(entry)?;
    }
    let to = if from == Order::Ascending { Order::Descending } else { Order::Ascending };
    let mut writer = Writer::new(to);
    entries.into_iter().rev().try_for_each(|entry| writer.push(entry))?;
    Ok(writer.bytes)
}

/// Merges the doclists of one term into `out`. A row that several of them have comes from the newest.
///
/// # Errors
/// SQLITE_CORRUPT_VTAB.
pub fn merge(newest_first: &[&[u8]], order: Order, keeps_deletions: bool, out: &mut Writer) -> Result {
    let mut readers: Vec<_> = newest_first.iter().map(|bytes| Reader::new(bytes, order)).collect();
    let mut heads = Vec::with_capacity(readers.len());
    for reader in &mut readers {
        heads.push(reader.read()?);
    }
    let comes_first = |one: i64, other: i64| match order {
        Order::Ascending => one < other,
        Order::Descending => one > other,
    };
    loop {
        let mut next: Option<Entry<'_>> = None;
        for head in heads.iter().flatten() {
            if next.is_none_or(|next| comes_first(head.docid, next.docid)) {
                next = Some(*head);
            }
        }
        let Some(next) = next else { return Ok(()) };
        if keeps_deletions || !next.positions.is_empty() {
            out.push(next)?;
        }
        for (head, reader) in heads.iter_mut().zip(&mut readers) {
            if head.is_some_and(|head| head.docid == next.docid) {
                *head = reader.read()?;
                // Docids that do not ascend in the order would make the merge run for ever.
                if head.is_some_and(|head| !comes_first(next.docid, head.docid)) {
                    return Err(corrupt());
                }
            }
        }
    }
}

/// The position of a token in a row: the column, and the number of tokens before it in the column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The column.
    pub column: u32,
    /// The offset.
    pub offset: i64,
}

/// Reads a position list.
#[derive(Clone, Debug, Default)]
pub struct Positions<'d> {
    bytes: &'d [u8],
    at: usize,
    last: Position,
}

impl<'d> Positions<'d> {
    /// At the beginning.
    pub fn new(bytes: &'d [u8]) -> Positions<'d> {
        Positions { bytes, at: 0, last: Position::default() }
    }
}

impl Iterator for Positions<'_> {
    type Item = Position;

    /// The next position. A damaged one ends the list.
    #[inline]
    fn next(&mut self) -> Option<Position> {
        while self.bytes.get(self.at) == Some(&COLUMN_MARK) {
            self.at += 1;
            let column = u32::try_from(varint::read(self.bytes, &mut self.at)?).ok()?;
            self.last = Position { column, offset: 0 };
        }
        let delta = varint::read(self.bytes, &mut self.at)?;
        self.last.offset = self.last.offset.wrapping_add(delta.wrapping_sub(2));
        OFFSETS.contains(&self.last.offset).then_some(self.last)
    }
}

/// Writes a position list, position by position.
#[derive(Clone, Debug, Default)]
pub struct PositionWriter {
    last: Position,
}

impl PositionWriter {
    /// Appends a position, which must come after those before it.
    ///
    /// # Errors
    /// If the memory is short.
    #[inline]
    pub fn push(&mut self, out: &mut Vec<u8>, position: Position) -> std::result::Result<(), OutOfMemory> {
        out.try_grow(POSITION_LEN_MAX)?;
        if position.column != self.last.column {
            out.push(COLUMN_MARK);
            varint::write(out, i64::from(position.column));
            self.last = Position { column: position.column, offset: 0 };
        }
        varint::write(out, position.offset.wrapping_sub(self.last.offset).wrapping_add(2));
        self.last = position;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_downwards() {
        let mut writer = Writer::new(Order::Descending);
        for docid in [300, 5, 1] {
            writer.push(Entry { docid, positions: &[2] }).unwrap();
        }
        assert_eq!(writer.bytes, [0xac, 0x02, 2, 0, 0xa7, 0x02, 2, 0, 4, 2, 0]);
        let upwards = reversed(&writer.bytes, Order::Descending).unwrap();
        let mut reader = Reader::new(&upwards, Order::Ascending);
        let mut docids = Vec::new();
        while let Some(entry) = reader.read().unwrap() {
            docids.push(entry.docid);
        }
        assert_eq!(docids, [1, 5, 300]);
    }

    #[test]
    fn newer_rows_hide_older_ones() {
        let list = |docids: &[(i64, &'static [u8])]| {
            let mut writer = Writer::new(Order::Ascending);
            docids.iter().try_for_each(|(docid, positions)| writer.push(Entry { docid: *docid, positions })).unwrap();
            writer.bytes
        };
        let (new, old) = (list(&[(2, &[]), (3, &[5])]), list(&[(1, &[2]), (2, &[2]), (3, &[2])]));
        let mut out = Writer::new(Order::Ascending);
        merge(&[&new, &old], Order::Ascending, false, &mut out).unwrap();
        assert_eq!(out.bytes, list(&[(1, &[2]), (3, &[5])]));
    }

    #[test]
    fn positions_there_and_back() {
        let all = [(0, 3), (0, 4), (2, 0), (200, 70_000)].map(|(column, offset)| Position { column, offset });
        let (mut bytes, mut writer) = (Vec::new(), PositionWriter::default());
        all.iter().try_for_each(|position| writer.push(&mut bytes, *position)).unwrap();
        assert_eq!(Positions::new(&bytes).collect::<Vec<_>>(), all);
        assert_eq!(positions_len(&[0x80, 0, 0]), Some(2));
    }
}
