//! The rows of one term in memory.
//!
//! ```text
//!   detail=full, columns    varint rowid | size | positions            size: a byte below 80, as in a segment
//!                           varint rowid | 80 | positions | 00         or the positions are longer than it could say
//!                           varint rowid | 81 | positions | 00         the same, and older entries are deleted
//!   detail=none             varint rowid | nothing, 00 or 00 00, as in a segment
//! ```
//!
//! A rowid is a difference to the one before. The size of the last row is known to its [`Rows`] only, since positions may follow. A
//! term without long rows, as most are, thus has its doclist ready. No number of a position list is 0 (see
//! [`crate::position`]), so that 0 ends a long row.

use lithe_format::varint::MAX_LEN;
use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_vtab::FunctionError;

use crate::Result;
use crate::config::Detail;
use crate::varint;

/// How long the first slice of a term is, and the longest.
const SLICE_LEN_MIN: u32 = 16;
const SLICE_LEN_MAX: u32 = 4096;
/// The end of a slice: where the next one begins.
const LINK_LEN: u32 = 4;
/// In place of the size of a long row. The lowest bit: older entries are deleted.
const LONG: u8 = 0x80;
/// Added to the difference of two offsets, as in position lists.
const BIAS: u64 = 2;
/// In front of a column's number, as in position lists.
const COLUMN_MARK: u8 = 1;
/// At least so much memory is taken at a time.
const ARENA_STEP: usize = 1 << 16;

/// The memory of all terms.
#[derive(Debug, Default)]
pub(super) struct Arena {
    bytes: Vec<u8>,
    used: usize,
}

impl Arena {
    /// Forgets everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Takes so many bytes, which contain anything; where they are.
    ///
    /// # Errors
    /// SQLITE_NOMEM: 4 GiB are full.
    pub fn reserve(&mut self, len: usize) -> Result<u32> {
        let (at, end) = (self.used, self.used + len);
        if end > self.bytes.len() {
            self.grow(end)?;
        }
        self.used = end;
        Ok(at as u32)
    }

    #[cold]
    fn grow(&mut self, end: usize) -> Result {
        let wanted = end.max(2 * self.bytes.len()).max(ARENA_STEP).min(u32::MAX as usize);
        if end > wanted || self.bytes.try_reserve(wanted - self.bytes.len()).is_err() {
            return Err(FunctionError::out_of_memory());
        }
        self.bytes.resize(wanted, 0);
        Ok(())
    }

    pub fn slice(&self, at: u32, len: usize) -> &[u8] {
        self.bytes.get(at as usize..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    pub fn slice_mut(&mut self, at: u32, len: usize) -> &mut [u8] {
        self.bytes.get_mut(at as usize..).and_then(|rest| rest.get_mut(..len)).unwrap_or_default()
    }

    pub fn byte(&self, at: u32) -> u8 {
        self.bytes.get(at as usize).copied().unwrap_or(0)
    }

    fn put(&mut self, at: u32, byte: u8) {
        if let Some(place) = self.bytes.get_mut(at as usize) {
            *place = byte;
        }
    }

    /// The beginning of the slice that follows the one that ends at `end`.
    fn link(&self, end: u32) -> u32 {
        self.bytes.get(end as usize..).and_then(<[u8]>::first_chunk).map_or(0, |link| u32::from_le_bytes(*link))
    }
}

/// A place of a token.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The rowid.
    pub rowid: i64,
    /// The column.
    pub column: u32,
    /// The offset. None: the row's older entries are deleted.
    pub offset: Option<u32>,
}

/// The rows of one term, and where in the last of them it is.
#[derive(Debug)]
pub(super) struct Rows {
    first_slice: u32,
    write_at: u32,
    /// Where the link of the last slice is.
    slice_end: u32,
    slice_len: u32,
    rowid: i64,
    column: u32,
    offset: u32,
    /// How long the positions of the last row are, and where its size is to be.
    len: u32,
    size_at: u32,
    is_open: bool,
    is_delete: bool,
    has_content: bool,
    has_long_rows: bool,
}

/// Bytes that are about to be appended: the end of a row, a rowid, a column, a position.
#[derive(Default)]
struct Piece {
    bytes: [u8; 32],
    len: usize,
}

impl Piece {
    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len += 1;
        }
    }

    /// Appends a varint; its length.
    #[inline]
    fn push_varint(&mut self, value: u64) -> usize {
        if value < 0x80 {
            self.push(value as u8);
            return 1;
        }
        let mut bytes = [0; lithe_format::varint::MAX_LEN];
        let len = lithe_format::varint::write(&mut bytes, value);
        bytes.iter().take(len).for_each(|byte| self.push(*byte));
        len
    }
}

impl Rows {
    /// No rows yet, and a first slice for them.
    pub fn new(arena: &mut Arena) -> Result<Rows> {
        let first_slice = arena.reserve(SLICE_LEN_MIN as usize)?;
        Ok(Rows {
            first_slice,
            write_at: first_slice,
            slice_end: first_slice + SLICE_LEN_MIN - LINK_LEN,
            slice_len: SLICE_LEN_MIN,
            rowid: 0,
            column: 0,
            offset: 0,
            len: 0,
            size_at: 0,
            is_open: false,
            is_delete: false,
            has_content: false,
            has_long_rows: false,
        })
    }

    /// Notes that the term occurs in a place; how many bytes that is in SQLite's count.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    #[inline]
    pub fn add(&mut self, arena: &mut Arena, place: Place, detail: Detail) -> Result<usize> {
        if let (Detail::Full, Some(offset)) = (detail, place.offset) {
            let short = match self.is_open {
                true if self.rowid == place.rowid => self.add_near(arena, place.column, offset),
                true => self.add_short_row(arena, place, offset),
                false => self.add_first_row(arena, place, offset),
            };
            if let Some(len) = short {
                return Ok(len);
            }
        }
        self.add_any(arena, place, detail)
    }

    /// Appends a position that takes one byte, behind another of the same column of the row; its length.
    #[inline]
    fn add_near(&mut self, arena: &mut Arena, column: u32, offset: u32) -> Option<usize> {
        let number = u64::from(offset.wrapping_sub(self.offset)) + BIAS;
        let is_near = self.has_content && self.column == column && number < 0x80 && self.write_at < self.slice_end;
        is_near.then(|| {
            arena.put(self.write_at, number as u8);
            self.write_at += 1;
            self.len += 1;
            self.offset = offset;
            1
        })
    }

    /// Ends the last row, whose size takes a byte, and begins one with a near rowid and an offset of a byte or two in the first column; how many
    /// bytes that is in SQLite's count.
    #[inline]
    fn add_short_row(&mut self, arena: &mut Arena, place: Place, offset: u32) -> Option<usize> {
        let (size, rowid) = (self.size(), place.rowid.wrapping_sub(self.rowid) as u64);
        let number = u64::from(offset) + BIAS;
        let is_short = self.is_open && size < u64::from(LONG) && rowid < 0x80 && place.column == 0 && number < 0x4000;
        if !is_short || self.slice_end - self.write_at < 4 {
            return None;
        }
        arena.put(self.size_at, size as u8);
        let len = if number < 0x80 { 1 } else { 2 };
        let bytes = match len {
            1 => [rowid as u8, 0, number as u8, 0],
            _ => [rowid as u8, 0, (number >> 7) as u8 | 0x80, number as u8 & 0x7f],
        };
        // (The fourth byte may be written over.)
        if let Some(place) = arena.slice_mut(self.write_at, bytes.len()).first_chunk_mut() {
            *place = bytes;
        }
        self.size_at = self.write_at + 1;
        self.write_at += 2 + len;
        (self.rowid, self.column, self.offset, self.len) = (place.rowid, 0, offset, len);
        (self.is_delete, self.has_content) = (false, true);
        Some(2 + len as usize)
    }

    /// Begins the first row, where its rowid takes up to three bytes and the offset, in the first column, one or two; how many bytes that is in
    /// SQLite's count.
    #[inline]
    fn add_first_row(&mut self, arena: &mut Arena, place: Place, offset: u32) -> Option<usize> {
        let (rowid, number) = (place.rowid as u64, u64::from(offset) + BIAS);
        if rowid >= 1 << 21 || place.column != 0 || number >= 0x4000 {
            return None;
        }
        let rowid_len = 1 + u32::from(rowid >= 0x80) + u32::from(rowid >= 0x4000);
        let len = 1 + u32::from(number >= 0x80);
        // All but the last byte of a number have the highest bit. The bytes that are not needed are written over later.
        let rowid = ((rowid >> 14 | 0x80) << 16 | (rowid >> 7 & 0x7f | 0x80) << 8 | rowid & 0x7f)
            << (64 - 24)
            << (8 * (3 - rowid_len));
        let number = ((number >> 7 | 0x80) << 8 | number & 0x7f) << (64 - 16) << (8 * (2 - len));
        let bytes = rowid | number >> (8 * (rowid_len + 1));
        let size_at = self.write_at + rowid_len;
        // (The first slice is long enough.)
        let to = arena.slice_mut(self.write_at, size_of::<u64>()).first_chunk_mut()?;
        *to = bytes.to_be_bytes();
        self.write_at = size_at + 1 + len;
        self.size_at = size_at;
        (self.rowid, self.column, self.offset, self.len) = (place.rowid, 0, offset, len);
        (self.is_open, self.is_delete, self.has_content) = (true, false, true);
        Some((rowid_len + 1 + len) as usize)
    }

    #[cold]
    fn add_any(&mut self, arena: &mut Arena, place: Place, detail: Detail) -> Result<usize> {
        let mut piece = Piece::default();
        let mut counted = 0;
        let mut size_at = None;
        if !self.is_open || self.rowid != place.rowid {
            counted += self.end_row(arena, &mut piece, detail);
            counted += self.begin_row(&mut piece, place.rowid);
            if detail != Detail::None {
                size_at = Some(piece.len);
                piece.push(0);
                counted += 1;
            }
        }
        match place.offset {
            None => self.is_delete = true,
            Some(offset) => {
                let len = self.add_position(&mut piece, place.column, offset, detail);
                self.len += len as u32;
                self.has_content = true;
                counted += len;
            }
        }
        let marked = self.append(arena, piece.bytes.get(..piece.len).unwrap_or_default(), size_at.unwrap_or(0))?;
        if size_at.is_some() {
            self.size_at = marked;
        }
        Ok(counted)
    }

    /// Appends a position, or what is left of it with less detail; its length.
    #[inline]
    fn add_position(&mut self, piece: &mut Piece, column: u32, offset: u32, detail: Detail) -> usize {
        match detail {
            Detail::Full => {
                let (mut last, mut len) = (self.offset, 0);
                if self.column != column {
                    piece.push(COLUMN_MARK);
                    len += 1 + piece.push_varint(u64::from(column));
                    self.column = column;
                    last = 0;
                }
                self.offset = offset;
                len + piece.push_varint(u64::from(offset.wrapping_sub(last)) + BIAS)
            }
            Detail::Columns if !self.has_content || self.column != column => {
                let last = std::mem::replace(&mut self.column, column);
                piece.push_varint(u64::from(column.wrapping_sub(last)) + BIAS)
            }
            Detail::Columns | Detail::None => 0,
        }
    }

    /// Ends the last row, if there is one. (SQLite counts a byte for its length from the beginning, and others now.)
    #[inline]
    fn end_row(&mut self, arena: &mut Arena, piece: &mut Piece, detail: Detail) -> usize {
        if !self.is_open {
            return 0;
        }
        if detail == Detail::None {
            let zeros = self.zeros();
            (0..zeros).for_each(|_| piece.push(0));
            return zeros;
        }
        let size = self.size();
        match u8::try_from(size).ok().filter(|size| *size < LONG) {
            Some(size) => arena.put(self.size_at, size),
            None => {
                arena.put(self.size_at, LONG | u8::from(self.is_delete));
                piece.push(0);
                self.has_long_rows = true;
            }
        }
        lithe_format::varint::len(size) - 1
    }

    /// The size of the last row, as segments have it.
    fn size(&self) -> u64 {
        u64::from(self.len) << 1 | u64::from(self.is_delete)
    }

    /// With detail=none: how many zeros follow the last rowid.
    fn zeros(&self) -> usize {
        if self.is_delete { 1 + usize::from(self.has_content) } else { 0 }
    }

    /// Begins a row; the length of its rowid.
    #[inline]
    fn begin_row(&mut self, piece: &mut Piece, rowid: i64) -> usize {
        let number = if self.is_open { rowid.wrapping_sub(self.rowid) } else { rowid };
        (self.rowid, self.column, self.offset, self.len) = (rowid, 0, 0, 0);
        (self.is_open, self.is_delete, self.has_content) = (true, false, false);
        piece.push_varint(number as u64)
    }

    /// Appends bytes; where the one with the number `marked` is.
    #[inline]
    fn append(&mut self, arena: &mut Arena, bytes: &[u8], marked: usize) -> Result<u32> {
        let (at, len) = (self.write_at, bytes.len() as u32);
        if len > self.slice_end - at {
            return self.append_across(arena, bytes, marked);
        }
        // (A loop: pieces are a few bytes long, mostly one.)
        for (to, from) in arena.slice_mut(at, bytes.len()).iter_mut().zip(bytes) {
            *to = *from;
        }
        self.write_at = at + len;
        Ok(at + marked as u32)
    }

    fn append_across(&mut self, arena: &mut Arena, bytes: &[u8], marked: usize) -> Result<u32> {
        // (Pieces are shorter than the shortest slice.)
        let (now, later) = bytes.split_at_checked((self.slice_end - self.write_at) as usize).unwrap_or((bytes, &[]));
        arena.slice_mut(self.write_at, now.len()).copy_from_slice(now);
        let marked_now = self.write_at + marked as u32;
        self.add_slice(arena)?;
        arena.slice_mut(self.write_at, later.len()).copy_from_slice(later);
        let place = if marked < now.len() { marked_now } else { self.write_at + (marked - now.len()) as u32 };
        self.write_at += later.len() as u32;
        Ok(place)
    }

    fn add_slice(&mut self, arena: &mut Arena) -> Result {
        let len = (self.slice_len * 2).min(SLICE_LEN_MAX);
        let at = arena.reserve(len as usize)?;
        arena.slice_mut(self.slice_end, LINK_LEN as usize).copy_from_slice(&at.to_le_bytes());
        self.write_at = at;
        self.slice_end = at + len - LINK_LEN;
        self.slice_len = len;
        Ok(())
    }

    /// Appends all rows to `out`, as a segment has them.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn doclist(&self, arena: &Arena, detail: Detail, out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        if self.has_long_rows {
            return self.doclist_with_long_rows(arena, out);
        }
        let (mut at, mut len) = (self.first_slice, SLICE_LEN_MIN);
        let mut size_at = out.len();
        loop {
            let slice_end = at + len - LINK_LEN;
            let is_last = slice_end == self.slice_end;
            let end = if is_last { self.write_at } else { slice_end };
            if (at..end).contains(&self.size_at) {
                size_at = out.len() + (self.size_at - at) as usize;
            }
            out.try_append(arena.slice(at, (end - at) as usize))?;
            if is_last {
                break;
            }
            at = arena.link(slice_end);
            len = (len * 2).min(SLICE_LEN_MAX);
        }
        // (For the zeros, or for a size that takes more than its byte.)
        out.try_grow(MAX_LEN)?;
        if detail == Detail::None {
            out.resize(out.len() + self.zeros(), 0);
        } else {
            put_size(out, size_at, self.size());
        }
        Ok(())
    }

    fn doclist_with_long_rows(&self, arena: &Arena, out: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        let slice_end = self.first_slice + SLICE_LEN_MIN - LINK_LEN;
        let mut stream = Stream { arena, at: self.first_slice, slice_end, slice_len: SLICE_LEN_MIN };
        while stream.at != self.write_at {
            // (A rowid, its mark, the size of a row before.)
            out.try_grow(3 * MAX_LEN)?;
            stream.copy_varint(out);
            stream.cross();
            let (place, size_at) = (stream.at, out.len());
            let mark = stream.next();
            out.push(mark);
            if place == self.size_at {
                while stream.at != self.write_at {
                    out.try_push(stream.next())?;
                }
                out.try_grow(MAX_LEN)?;
                put_size(out, size_at, self.size());
            } else if mark < LONG {
                (0..mark >> 1).try_for_each(|_| out.try_push(stream.next()))?;
            } else {
                let start = out.len();
                while stream.copy_varint(out) != (0, 1) {
                    out.try_grow(2 * MAX_LEN)?;
                }
                out.pop();
                put_size(out, size_at, ((out.len() - start) as u64) << 1 | u64::from(mark & 1));
            }
        }
        Ok(())
    }
}

/// Puts a size in the place of the byte that was left for it.
fn put_size(out: &mut Vec<u8>, at: usize, size: u64) {
    match out.get_mut(at) {
        Some(place) if size < 0x80 => *place = size as u8,
        Some(_) => {
            let mut bytes = Vec::with_capacity(MAX_LEN);
            varint::write(&mut bytes, size);
            out.splice(at..=at, bytes);
        }
        None => {}
    }
}

/// Reads the rows of one term, byte by byte.
struct Stream<'p> {
    arena: &'p Arena,
    at: u32,
    slice_end: u32,
    slice_len: u32,
}

impl Stream<'_> {
    /// Goes to the next slice, if this one ends here.
    fn cross(&mut self) {
        if self.at == self.slice_end {
            self.at = self.arena.link(self.slice_end);
            self.slice_len = (self.slice_len * 2).min(SLICE_LEN_MAX);
            self.slice_end = self.at.wrapping_add(self.slice_len - LINK_LEN);
        }
    }

    fn next(&mut self) -> u8 {
        self.cross();
        let byte = self.arena.slice(self.at, 1).first().copied().unwrap_or(0);
        self.at = self.at.wrapping_add(1);
        byte
    }

    /// Appends a varint to `out`; its first byte and its length.
    fn copy_varint(&mut self, out: &mut Vec<u8>) -> (u8, usize) {
        let first = self.next();
        out.push(first);
        let mut len = 1;
        let mut byte = first;
        while byte >= 0x80 && len < MAX_LEN {
            byte = self.next();
            out.push(byte);
            len += 1;
        }
        (first, len)
    }
}
