//! What the connection has not written to a segment yet: terms with their rows, in memory.
//!
//! ```text
//!   slots ──► entries ──► slices in one arena, each twice as long as the one before
//!                         | row | row | row ... link | ──► | ... row | row ... link | ──► ...
//!
//!   a row:  varint rowid (the first) or difference | [80 00: older entries are deleted] | positions | 00
//! ```
//!
//! A row of an arena has no length in front of its positions, since it is not known while they come; [`Pending::doclist`]
//! puts it there. No number of a position list is 0 (see [`crate::position`]), so 0 ends a row; with detail=none, a 1 stands for the
//! positions. Nothing is allocated for a token, or a term.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use lithe_vtab::FunctionError;

use crate::Result;
use crate::config::Detail;
use crate::varint;

/// How long the first slice of a term is, and the longest.
const SLICE_LEN_MIN: u32 = 16;
const SLICE_LEN_MAX: u32 = 4096;
/// The end of a slice: where the next one begins.
const LINK_LEN: u32 = 4;
/// In front of the positions of a row: a zero in two bytes.
const DELETED: [u8; 2] = [0x80, 0];
/// In front of a column's number, as in position lists.
const COLUMN_MARK: u8 = 1;
/// What stands for the positions with detail=none.
const CONTENT_MARK: u8 = 1;
/// What a term costs beside its key and doclist in SQLite's count, which says when to flush.
const ENTRY_COST: usize = 48;

/// Terms in memory.
#[derive(Debug, Default)]
pub struct Pending {
    slots: HashTable<u32>,
    hasher: DefaultHashBuilder,
    entries: Vec<Entry>,
    arena: Vec<u8>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    key_at: u32,
    key_len: u32,
    first_slice: u32,
    write_at: u32,
    /// Where the link of the last slice is.
    slice_end: u32,
    slice_len: u32,
    row: OpenRow,
}

/// The last row of a term.
#[derive(Clone, Copy, Debug, Default)]
struct OpenRow {
    rowid: i64,
    column: u32,
    offset: u32,
    /// How long its positions are.
    len: usize,
    is_open: bool,
    is_delete: bool,
    has_content: bool,
}

/// Where a token stands.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The rowid.
    pub rowid: i64,
    /// The column.
    pub column: u32,
    /// The offset. None: the row's older entries are deleted.
    pub offset: Option<u32>,
}

impl Pending {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How much there is, as SQLite counts.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.entries.clear();
        self.arena.clear();
        self.bytes = 0;
    }

    /// Notes that a term stands in a place. Rowids never go down, nor do places within a row.
    ///
    /// # Errors
    /// SQLITE_NOMEM: 4 GiB are full.
    pub fn add(&mut self, kind: u8, token: &[u8], place: Place, detail: Detail) -> Result {
        let index = self.entry(kind, token)?;
        let Some(entry) = self.entries.get_mut(index) else { return Ok(()) };
        let mut writer = Writer { entry, arena: &mut self.arena, bytes: &mut self.bytes };
        writer.add(place, detail)
    }

    /// The entry of a term, which is made if there is none.
    fn entry(&mut self, kind: u8, token: &[u8]) -> Result<usize> {
        let hash = self.hasher.hash_one((kind, token));
        if let Some(index) = self.find(hash, kind, token) {
            return Ok(index);
        }
        let index = self.entries.len() as u32;
        let key_at = reserve(&mut self.arena, 1 + token.len())?;
        if let Some((first, rest)) = self.arena.get_mut(key_at as usize..).and_then(<[u8]>::split_first_mut) {
            *first = kind;
            rest.copy_from_slice(token);
        }
        let first_slice = reserve(&mut self.arena, SLICE_LEN_MIN as usize)?;
        let slice_end = first_slice + SLICE_LEN_MIN - LINK_LEN;
        let key_len = first_slice - key_at;
        let (slice_len, row) = (SLICE_LEN_MIN, OpenRow::default());
        self.entries.push(Entry {
            hash,
            key_at,
            key_len,
            first_slice,
            write_at: first_slice,
            slice_end,
            slice_len,
            row,
        });
        self.bytes += ENTRY_COST + key_len as usize;
        let entries = &self.entries;
        let rehash = |index: &u32| entries.get(*index as usize).map_or(0, |entry| entry.hash);
        self.slots.insert_unique(hash, index, rehash);
        Ok(index as usize)
    }

    fn find(&self, hash: u64, kind: u8, token: &[u8]) -> Option<usize> {
        let is_it = |index: &u32| {
            let entry = self.entries.get(*index as usize);
            let key = entry.filter(|entry| entry.hash == hash).map(|entry| self.key(entry)).unwrap_or_default();
            key.split_first().is_some_and(|(first, rest)| *first == kind && rest == token)
        };
        self.slots.find(hash, is_it).map(|index| *index as usize)
    }

    fn key(&self, entry: &Entry) -> &[u8] {
        let at = entry.key_at as usize;
        self.arena.get(at..at + entry.key_len as usize).unwrap_or_default()
    }

    /// Whether a term is here.
    pub fn has(&self, key: &[u8]) -> bool {
        self.index_of(key).is_some()
    }

    fn index_of(&self, key: &[u8]) -> Option<usize> {
        let (kind, token) = key.split_first()?;
        self.find(self.hasher.hash_one((*kind, token)), *kind, token)
    }

    /// Appends the doclist of a term to `out`, as a segment has it.
    pub fn doclist_of(&self, key: &[u8], detail: Detail, out: &mut Vec<u8>) {
        if let Some(entry) = self.index_of(key).and_then(|index| self.entries.get(index)) {
            self.doclist(entry, detail, out);
        }
    }

    /// Shows all terms that begin with `prefix`, in the order of their bytes.
    ///
    /// # Errors
    /// Those of `show`.
    pub fn in_order(&self, prefix: &[u8], mut show: impl FnMut(Term<'_>) -> Result) -> Result {
        let wanted = self.entries.iter().filter(|entry| self.key(entry).starts_with(prefix));
        let mut sorted: Vec<(u64, &Entry)> = wanted.map(|entry| (leading_bytes(self.key(entry)), entry)).collect();
        sorted.sort_unstable_by(|(left_lead, left), (right_lead, right)| {
            left_lead.cmp(right_lead).then_with(|| self.key(left).cmp(self.key(right)))
        });
        sorted.into_iter().try_for_each(|(_, entry)| show(Term { pending: self, entry }))
    }

    fn doclist(&self, entry: &Entry, detail: Detail, out: &mut Vec<u8>) {
        let mut stream = Stream { arena: &self.arena, at: entry.first_slice, slice_end: 0, slice_len: SLICE_LEN_MIN };
        stream.slice_end = entry.first_slice + SLICE_LEN_MIN - LINK_LEN;
        let mut positions = Vec::new();
        while stream.place() != entry.write_at {
            stream.copy_varint(out);
            let is_delete = stream.row(&mut positions, entry.write_at);
            match detail {
                Detail::None if is_delete => out.extend_from_slice(if positions.is_empty() { &[0] } else { &[0, 0] }),
                Detail::None => {}
                Detail::Full | Detail::Columns => {
                    varint::write(out, (positions.len() as u64) << 1 | u64::from(is_delete));
                    out.extend_from_slice(&positions);
                }
            }
        }
    }
}

/// A term with its rows.
#[derive(Clone, Copy)]
pub struct Term<'p> {
    pending: &'p Pending,
    entry: &'p Entry,
}

impl Term<'_> {
    /// The term: the number of its index, and the token.
    pub fn key(&self) -> &[u8] {
        self.pending.key(self.entry)
    }

    /// Appends its doclist to `out`, as a segment has it.
    pub fn doclist(&self, detail: Detail, out: &mut Vec<u8>) {
        self.pending.doclist(self.entry, detail, out);
    }
}

/// The first bytes as a number, for sorting.
fn leading_bytes(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(bytes)
}

/// Makes the arena longer; where it ended before.
fn reserve(arena: &mut Vec<u8>, len: usize) -> Result<u32> {
    let at = u32::try_from(arena.len()).map_err(|_| FunctionError::out_of_memory())?;
    let end = arena.len() + len;
    if end > u32::MAX as usize || arena.try_reserve(len).is_err() {
        return Err(FunctionError::out_of_memory());
    }
    arena.resize(end, 0);
    Ok(at)
}

/// Appends to the rows of one term.
struct Writer<'w> {
    entry: &'w mut Entry,
    arena: &'w mut Vec<u8>,
    bytes: &'w mut usize,
}

impl Writer<'_> {
    fn add(&mut self, place: Place, detail: Detail) -> Result {
        if !self.entry.row.is_open || self.entry.row.rowid != place.rowid {
            self.begin_row(place.rowid, detail)?;
        }
        let Some(offset) = place.offset else {
            if !self.entry.row.is_delete {
                self.entry.row.is_delete = true;
                self.push(DELETED[0])?;
                self.push(DELETED[1])?;
            }
            return Ok(());
        };
        let row = self.entry.row;
        match detail {
            Detail::Full => {
                let mut last = row.offset;
                if row.column != place.column {
                    self.push(COLUMN_MARK)?;
                    self.push_counted(u64::from(place.column))?;
                    self.entry.row.len += 1;
                    *self.bytes += 1;
                    self.entry.row.column = place.column;
                    last = 0;
                }
                self.push_counted(u64::from(offset.wrapping_sub(last)) + 2)?;
                self.entry.row.offset = offset;
            }
            Detail::Columns if !row.has_content || row.column != place.column => {
                self.push_counted(u64::from(place.column.wrapping_sub(row.column)) + 2)?;
                self.entry.row.column = place.column;
            }
            Detail::None if !row.has_content => self.push(CONTENT_MARK)?,
            Detail::Columns | Detail::None => {}
        }
        self.entry.row.has_content = true;
        Ok(())
    }

    fn begin_row(&mut self, rowid: i64, detail: Detail) -> Result {
        let last = self.entry.row;
        let mut number = rowid;
        if last.is_open {
            self.push(0)?;
            number = rowid.wrapping_sub(last.rowid);
            // SQLite counts a byte for the length from the beginning, and others when the row ends.
            *self.bytes += match detail {
                Detail::None => usize::from(last.is_delete) + usize::from(last.is_delete && last.has_content),
                Detail::Full | Detail::Columns => lithe_format::varint::len((last.len as u64) << 1) - 1,
            };
        }
        if detail != Detail::None {
            *self.bytes += 1;
        }
        *self.bytes += lithe_format::varint::len(number as u64);
        self.push_varint(number as u64)?;
        self.entry.row = OpenRow { rowid, is_open: true, ..OpenRow::default() };
        Ok(())
    }

    fn push_counted(&mut self, value: u64) -> Result {
        let len = lithe_format::varint::len(value);
        self.entry.row.len += len;
        *self.bytes += len;
        self.push_varint(value)
    }

    fn push_varint(&mut self, value: u64) -> Result {
        if value < 0x80 {
            return self.push(value as u8);
        }
        let mut bytes = [0; lithe_format::varint::MAX_LEN];
        let len = lithe_format::varint::write(&mut bytes, value);
        bytes.iter().take(len).try_for_each(|byte| self.push(*byte))
    }

    fn push(&mut self, byte: u8) -> Result {
        if self.entry.write_at == self.entry.slice_end {
            self.add_slice()?;
        }
        if let Some(place) = self.arena.get_mut(self.entry.write_at as usize) {
            *place = byte;
        }
        self.entry.write_at += 1;
        Ok(())
    }

    fn add_slice(&mut self) -> Result {
        let len = (self.entry.slice_len * 2).min(SLICE_LEN_MAX);
        let at = reserve(self.arena, len as usize)?;
        let link = self.entry.slice_end as usize;
        if let Some(place) = self.arena.get_mut(link..).and_then(<[u8]>::first_chunk_mut) {
            *place = at.to_le_bytes();
        }
        self.entry.write_at = at;
        self.entry.slice_end = at + len - LINK_LEN;
        self.entry.slice_len = len;
        Ok(())
    }
}

/// Reads the rows of one term.
struct Stream<'p> {
    arena: &'p [u8],
    at: u32,
    slice_end: u32,
    slice_len: u32,
}

impl Stream<'_> {
    fn place(&self) -> u32 {
        self.at
    }

    fn next(&mut self) -> u8 {
        if self.at == self.slice_end {
            let link = self.arena.get(self.slice_end as usize..).and_then(<[u8]>::first_chunk);
            self.at = link.map_or(0, |link| u32::from_le_bytes(*link));
            self.slice_len = (self.slice_len * 2).min(SLICE_LEN_MAX);
            self.slice_end = self.at.wrapping_add(self.slice_len - LINK_LEN);
        }
        let byte = self.arena.get(self.at as usize).copied().unwrap_or(0);
        self.at = self.at.wrapping_add(1);
        byte
    }

    /// Appends a varint to `out`; its first byte and its length.
    fn copy_varint(&mut self, out: &mut Vec<u8>) -> (u8, usize) {
        let first = self.next();
        out.push(first);
        let mut len = 1;
        let mut byte = first;
        while byte >= 0x80 && len < lithe_format::varint::MAX_LEN {
            byte = self.next();
            out.push(byte);
            len += 1;
        }
        (first, len)
    }

    /// Takes the positions of a row, up to its 0 or to the end of the rows. Whether older entries are deleted.
    fn row(&mut self, positions: &mut Vec<u8>, end: u32) -> bool {
        positions.clear();
        let mut is_delete = false;
        while self.at != end {
            let start = positions.len();
            let number = self.copy_varint(positions);
            if number == (0, 1) {
                positions.truncate(start);
                break;
            }
            if positions.get(start..) == Some(&DELETED[..]) {
                positions.truncate(start);
                is_delete = true;
            }
        }
        is_delete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doclist(places: &[(i64, u32, Option<u32>)], detail: Detail) -> Vec<u8> {
        let mut pending = Pending::default();
        for (rowid, column, offset) in places {
            let place = Place { rowid: *rowid, column: *column, offset: *offset };
            pending.add(b'0', b"term", place, detail).unwrap();
        }
        let mut out = Vec::new();
        pending.doclist_of(b"0term", detail, &mut out);
        out
    }

    #[test]
    fn doclists_are_those_of_segments() {
        let places = [(1, 0, Some(0)), (1, 0, Some(2)), (1, 1, Some(0)), (2, 0, None), (2, 0, Some(3)), (300, 1, None)];
        let full = [1, 0x0a, 2, 4, 1, 1, 2, 1, 3, 5, 0x82, 0x2a, 1];
        assert_eq!(doclist(&places, Detail::Full), full);
        assert_eq!(doclist(&places, Detail::Columns), [1, 4, 2, 3, 1, 3, 2, 0x82, 0x2a, 1]);
        assert_eq!(doclist(&places, Detail::None), [1, 1, 0, 0, 0x82, 0x2a, 0]);
    }

    #[test]
    fn long_doclists_cross_slices() {
        let places: Vec<_> = (0..5000).map(|at| (at / 7 * 1000, 0, Some(at as u32 % 7 * 300))).collect();
        let bytes = doclist(&places, Detail::Full);
        let (mut at, mut found, mut rowid) = (0, Vec::new(), 0i64);
        while at < bytes.len() {
            rowid += varint::read(&bytes, &mut at).unwrap() as i64;
            let len = varint::read(&bytes, &mut at).unwrap() as usize / 2;
            let positions = crate::position::Reader::new(&bytes[at..at + len]);
            found.extend(positions.map(|position| (rowid, 0, Some(position as u32))));
            at += len;
        }
        assert_eq!(found, places);
    }
}
