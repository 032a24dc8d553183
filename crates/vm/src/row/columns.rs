//! The positions of the first columns of a row on a page, and reading a column into a register.
//!
//! ```text
//!   page      ...| header length | type | type | ... | content | content | ...| ...
//!   types                          type   type
//!   starts       base                                  start     start      (counted from the base)
//! ```
//!
//! All columns of a row are located together, up to the last one that was read of any row. Reading a column then costs two array
//! accesses. Rows of a table begin with the same types up to the first that differs, so that columns up to there have the same
//! distances, and only the others are placed anew. Rarer cases (a header of more than 127 bytes, a type of more than four bytes) and later columns are left to
//! the record's view.

use lithe_format::cell::PayloadSpan;
use lithe_format::serial_type::SerialType;
use lithe_pager::PageRef;
use lithe_value::{Buffer, Encoding, ValueRef};

use super::wide_header::WideHeader;
use crate::register::{BytesKind, INLINE_MAX, Register};

/// The most columns that are located without the view.
const COLUMNS_MAX: usize = 16;
/// The type of a text or blob is twice its length, plus this (or one more).
const FIRST_LONG: u32 = 12;

/// Content lengths of the types of one byte.
const SHORT_LEN: [u16; 0x80] = {
    let mut lengths = [0; 0x80];
    let mut serial = 0;
    while serial < lengths.len() {
        lengths[serial] = SerialType(serial as u32).len() as u16;
        serial += 1;
    }
    lengths
};

/// The number of types that are examined together.
const BATCH: usize = 4;
const HIGH_BITS: u32 = 0x8080_8080;
/// The number of types that are compared with those of the row before together.
const GROUP: usize = 8;
const HIGH_BITS_OF_EIGHT: u64 = 0x8080_8080_8080_8080;

/// The first columns of the row under a cursor.
#[derive(Debug, Default)]
pub struct Columns {
    /// A group of types may extend past the last column: the buffer has space for it.
    types: [u32; COLUMNS_MAX + BATCH],
    /// Where the record starts on the page.
    base: u32,
    /// Where each content starts, counted from the base; after the last one, where it ends.
    starts: [u32; COLUMNS_MAX + BATCH + 1],
    /// How many columns of this row are located and end on the page.
    known: usize,
    /// How many are located if the page has only the beginning of the record.
    placed: usize,
    /// The column after those that are known ends on another page.
    is_cut: bool,
    /// The record has no more columns than those, because later ones were added to the table after it was written.
    is_short: bool,
    /// How many columns of each row to locate.
    wanted: usize,
    /// The beginning of the last header, if its types are few and short, for comparison with the next one.
    last: Beginning,
    /// The last header, if it has types of several bytes, and how its columns were located.
    wide: WideHeader,
}

/// What no byte is.
const NO_HEADER: u16 = 0x100;
/// Marks the length of a header of which two groups of types are compared.
const TWO_GROUPS: u16 = 0x200;

/// The beginning of a record's header.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    /// The length of the header, its first byte, perhaps with [`TWO_GROUPS`]; [`NO_HEADER`] if there is none to compare with.
    header_len: u16,
    first: Group,
    second: Group,
    /// The header has fewer columns than are wanted.
    is_short: bool,
}

/// Eight types of one byte each, the first one lowest.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    /// The types of the columns that are located.
    types: u64,
    /// The bits of those types.
    mask: u64,
}

impl Group {
    /// The first `count` of these types.
    fn of(types: u64, count: usize) -> Group {
        let mask = u64::MAX.checked_shr(u64::BITS - 8 * count.min(GROUP) as u32).unwrap_or(0);
        Group { types: types & mask, mask }
    }

    /// The bits in which the types differ from those of another row.
    #[inline]
    fn changed(self, types: u64) -> u64 {
        (types ^ self.types) & self.mask
    }
}

impl Default for Beginning {
    fn default() -> Beginning {
        Beginning { header_len: NO_HEADER, first: Group::default(), second: Group::default(), is_short: false }
    }
}

impl Columns {
    /// Makes [`Columns::find`] locate column `index` too, from the next row on, unless it is too far behind.
    #[inline]
    pub fn locate_up_to(&mut self, index: usize) {
        if index < COLUMNS_MAX {
            self.locate_first(index + 1);
        }
    }

    /// Makes [`Columns::find`] locate the first `count` columns, or as many as it can.
    pub fn locate_first(&mut self, count: usize) {
        let wanted = self.wanted.max(count.min(COLUMNS_MAX));
        if wanted != self.wanted {
            self.wanted = wanted;
            self.last.header_len = NO_HEADER;
            self.wide.forget();
        }
    }

    /// Locates the columns of another row, whose payload is at `span` of `page`.
    #[inline]
    pub fn find(&mut self, page: &[u8], span: PayloadSpan) {
        self.base = span.at;
        self.is_cut = false;
        if !self.are_as_before(page, span) {
            self.find_anew(page, span);
        }
    }

    /// Locates the columns by those of the last row, if the header is as long, the types are as short, and there are no more than one group of
    /// them.
    #[inline]
    fn are_as_before(&mut self, page: &[u8], span: PayloadSpan) -> bool {
        self.is_short = self.last.is_short;
        let Some((header_len, types)) = beginning_at(page, span) else { return false };
        if u16::from(header_len) != self.last.header_len {
            return false;
        }
        let changed = self.last.first.changed(types);
        if changed != 0 && !self.place_changed(0, types, changed) {
            return false;
        }
        self.starts[self.known] <= span.local
    }

    /// The same of two groups of types.
    fn are_two_groups_as_before(&mut self, page: &[u8], span: PayloadSpan) -> bool {
        let Beginning { header_len: last_len, first, second, is_short } = self.last;
        self.is_short = is_short;
        let Some((header_len, types)) = beginning_at(page, span) else { return false };
        let Some(others) = group_at(page, span.at as usize + 1 + GROUP) else { return false };
        if TWO_GROUPS | u16::from(header_len) != last_len {
            return false;
        }
        let (changed, others_changed) = (first.changed(types), second.changed(others));
        (changed == 0 || self.place_changed(0, types, changed))
            && (others_changed == 0 || self.place_changed(GROUP, others, others_changed))
            && self.starts[self.known] <= span.local
    }

    /// Places the columns from the first type on that has changed, in the group that begins with column `from`; false if one is not short any
    /// more.
    #[inline(never)]
    fn place_changed(&mut self, from: usize, types: u64, changed: u64) -> bool {
        if changed & HIGH_BITS_OF_EIGHT != 0 {
            return false;
        }
        let group = if from == 0 { &mut self.last.first } else { &mut self.last.second };
        group.types ^= changed;
        let before = changed.trailing_zeros() as usize / 8;
        let (first, behind) = (from + before, self.known.min(from + GROUP));
        let mut start = self.starts[first];
        let slots = self.types[first..behind].iter_mut().zip(&mut self.starts[first + 1..]);
        for ((slot, end), serial) in slots.zip(&types.to_le_bytes()[before..]) {
            *slot = u32::from(*serial);
            start += u32::from(SHORT_LEN[usize::from(*serial & 0x7f)]);
            *end = start;
        }
        for (serial, end) in self.types[behind..self.known].iter().zip(&mut self.starts[behind + 1..]) {
            start += u32::from(SHORT_LEN[(*serial & 0x7f) as usize]);
            *end = start;
        }
        true
    }

    #[inline(never)]
    fn find_anew(&mut self, page: &[u8], span: PayloadSpan) {
        if self.last.header_len & TWO_GROUPS != 0 && self.are_two_groups_as_before(page, span) {
            return;
        }
        if self.wide.is_of(page, span) {
            (self.is_cut, self.is_short) = self.wide.found();
            return;
        }
        self.is_short = false;
        self.placed = 0;
        self.last.header_len = NO_HEADER;
        if !self.find_few(page, span) {
            self.known = self.find_known(page, span).unwrap_or(0);
        }
        self.wide.forget();
        if !self.is_cut {
            self.last = self.beginning(page, span).unwrap_or_default();
        }
        if self.last.header_len == NO_HEADER && self.placed > 0 {
            self.wide.keep(page, span, self.is_cut, self.is_short);
        }
    }

    /// The beginning of the header, if the types of all columns that are wanted are short.
    fn beginning(&self, page: &[u8], span: PayloadSpan) -> Option<Beginning> {
        let (header_len @ 1..0x80, types) = beginning_at(page, span)? else { return None };
        let first = Group::of(types, self.known);
        let (mark, second) = match self.known.checked_sub(GROUP) {
            Some(count @ 1..) => (TWO_GROUPS, Group::of(group_at(page, span.at as usize + 1 + GROUP)?, count)),
            _ => (0, Group::default()),
        };
        let is_all = self.known == self.wanted.min(usize::from(header_len) - 1);
        let are_short = (first.types | second.types) & HIGH_BITS_OF_EIGHT == 0;
        (is_all && are_short).then_some(Beginning {
            header_len: mark | u16::from(header_len),
            first,
            second,
            is_short: self.is_short,
        })
    }

    /// Locates the columns if they are few and have types of one byte, as in most reads.
    #[inline]
    fn find_few(&mut self, page: &[u8], span: PayloadSpan) -> bool {
        let start = span.at as usize;
        let Some(&[header_len, ref types @ ..]) = page.get(start..).and_then(<[u8]>::first_chunk::<{ 1 + BATCH }>)
        else {
            return false;
        };
        let known = self.wanted.min(usize::from(header_len).saturating_sub(1));
        // The high bits of the types that are columns.
        let counted = (1u64 << (8 * known.min(BATCH))) as u32;
        let long = u32::from_le_bytes(*types) & HIGH_BITS & counted.wrapping_sub(1);
        if self.wanted > BATCH || header_len >= 0x80 || long != 0 {
            return false;
        }
        self.starts[0] = u32::from(header_len);
        self.place_short(0, *types);
        self.known = known;
        let is_whole = self.starts[known] <= span.local;
        self.is_short = is_whole && known < self.wanted;
        is_whole
    }

    #[inline(never)]
    fn find_known(&mut self, page: &[u8], span: PayloadSpan) -> Option<usize> {
        let start = span.at as usize;
        let &header_len @ 1..0x80 = page.get(start)? else {
            return None;
        };
        let header_end = start + usize::from(header_len);
        self.starts[0] = u32::from(header_len);
        let (mut known, mut at) = (0, start + 1);
        // A type takes a byte at least.
        let wanted = self.wanted.min(usize::from(header_len) - 1);
        while known < wanted {
            // Bytes after the header, which are read as types here, are not counted: they are past `wanted`, or past
            // `header_end`.
            let types = types_at(page, at)?;
            let long = u32::from_le_bytes(types) & HIGH_BITS;
            self.place_short(known, types);
            if long == 0 {
                (known, at) = (known + BATCH, at + BATCH);
                continue;
            }
            let short = long.trailing_zeros() as usize / 8;
            (known, at) = (known + short, at + short);
            if known < wanted && at + 1 < header_end {
                let Some((serial, len)) = wide_type(page.get(at..header_end)?) else {
                    break;
                };
                self.types[known] = serial;
                self.starts[known + 1] = self.starts[known] + (serial - FIRST_LONG) / 2;
                (known, at) = (known + 1, at + len);
            } else {
                break;
            }
        }
        // With long types there are fewer columns than bytes in the header.
        let beyond = at.saturating_sub(header_end);
        let known = known.saturating_sub(beyond).min(wanted);
        self.placed = known;
        if self.starts[known] > span.local {
            self.is_cut = true;
            return Some(self.known_before(known, span.local));
        }
        self.is_short = known < self.wanted && at >= header_end;
        Some(known)
    }

    /// Stores the types of one byte and the starts of columns from `known` on.
    #[inline]
    fn place_short(&mut self, known: usize, types: [u8; BATCH]) {
        let known = known.min(COLUMNS_MAX);
        let mut start = self.starts[known];
        let slots = self.types[known..][..BATCH].iter_mut().zip(&mut self.starts[known + 1..][..BATCH]);
        for ((slot, end), serial) in slots.zip(types) {
            *slot = u32::from(serial);
            start += u32::from(SHORT_LEN[usize::from(serial & 0x7f)]);
            *end = start;
        }
    }

    /// How many of the columns end before `end`.
    #[inline]
    fn known_before(&self, known: usize, end: u32) -> usize {
        self.starts[1..=known].iter().take_while(|start| **start <= end).count()
    }

    /// Whether the record lacks column `index`, as far as is known.
    #[inline]
    pub fn lacks(&self, index: usize) -> bool {
        self.is_short && index >= self.known
    }

    /// The type of column `index`, and where its content would start if the page had all of the record, if it ends on another page.
    #[inline]
    pub fn cut(&self, index: usize) -> Option<(SerialType, usize)> {
        if !self.is_cut || index < self.known || index >= self.placed {
            return None;
        }
        Some((SerialType(self.types[index]), (self.base + self.starts[index]) as usize))
    }

    /// The type of column `index`, and where its content starts on the page.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(SerialType, usize)> {
        if index >= self.known {
            return None;
        }
        let (serial, start) = (*self.types.get(index)?, *self.starts.get(index)?);
        Some((SerialType(serial), (self.base + start) as usize))
    }
}

/// The first byte of a record's header, its length, and the eight after it, the first one lowest.
#[inline]
fn beginning_at(page: &[u8], span: PayloadSpan) -> Option<(u8, u64)> {
    let &[header_len, ref types @ ..] = page.get(span.at as usize..)?.first_chunk::<{ 1 + GROUP }>()?;
    Some((header_len, u64::from_le_bytes(*types)))
}

/// Eight bytes of a record's header, the first one lowest.
#[inline]
fn group_at(page: &[u8], at: usize) -> Option<u64> {
    page.get(at..)?.first_chunk().map(|types| u64::from_le_bytes(*types))
}

/// A type of two to four bytes, and its length; `None` if it is longer, or if one byte would do. All columns together then have less than
/// 2^32 bytes.
#[inline]
fn wide_type(header: &[u8]) -> Option<(u32, usize)> {
    let bits = |byte: u8| u32::from(byte & 0x7f);
    let (serial, len) = match *header {
        [first, second @ ..0x80, ..] => (bits(first) << 7 | bits(second), 2),
        [first, second, third @ ..0x80, ..] => (bits(first) << 14 | bits(second) << 7 | bits(third), 3),
        [first, second, third, fourth @ ..0x80, ..] => {
            (bits(first) << 21 | bits(second) << 14 | bits(third) << 7 | bits(fourth), 4)
        }
        _ => return None,
    };
    (serial >= 0x80).then_some((serial, len))
}

/// The bytes at `at`, padded with zeros at the end of the page.
#[inline]
fn types_at(page: &[u8], at: usize) -> Option<[u8; BATCH]> {
    let rest = page.get(at..)?;
    Some(rest.first_chunk().copied().unwrap_or_else(|| {
        let mut types = [0; BATCH];
        types[..rest.len()].copy_from_slice(rest);
        types
    }))
}

/// How far the first eight bytes of an integer's content are shifted to leave the integer, by serial type.
const SHIFTS: [u32; 7] = [0, 56, 48, 40, 32, 16, 0];

/// The value whose content is at `at` of a page.
#[inline(always)]
pub fn value(page: &[u8], serial: SerialType, at: usize) -> Option<ValueRef<'_>> {
    if let Some(integer) = integer(page, serial, at) {
        return Some(ValueRef::Integer(integer));
    }
    if serial.is_text() {
        return page.get(at..)?.get(..serial.len() as usize).map(ValueRef::Text);
    }
    serial.decode(page, at)
}

/// The integer whose content is at `at` of a page, if the type is one of an integer with content.
#[inline]
pub fn integer(page: &[u8], serial: SerialType, at: usize) -> Option<i64> {
    let 1..=6 = serial.0 else {
        return None;
    };
    let content: &[u8; 8] = page.get(at..)?.first_chunk()?;
    Some(i64::from_be_bytes(*content) >> SHIFTS[serial.0 as usize])
}

/// Puts a column whose content is at `at` of a page into a register; true if the register borrows the page.
#[inline]
pub fn put(page: &PageRef, serial: SerialType, at: usize, encoding: Encoding, dst: &mut Register) -> bool {
    match integer(page, serial, at) {
        Some(integer) => {
            dst.set_integer(integer);
            false
        }
        None => put_other(page, serial, at, encoding, dst),
    }
}

/// Any value except an integer with content: first the most frequent one.
#[inline(never)]
fn put_other(page: &PageRef, serial: SerialType, at: usize, encoding: Encoding, dst: &mut Register) -> bool {
    if let Some(len @ ..=INLINE_MAX) = serial.short_text_len()
        && encoding == Encoding::Utf8
        && !dst.has_memory()
        && dst.set_short_text_at(page, at, len)
    {
        return false;
    }
    match serial.decode(page, at).unwrap_or_default() {
        ValueRef::Null => dst.set_null(),
        ValueRef::Integer(integer) => dst.set_integer(integer),
        ValueRef::Real(real) => dst.set_real(real),
        ValueRef::Blob(blob) => return dst.set_from_page(BytesKind::Blob, page, at, blob.len()),
        ValueRef::Text(text) => {
            let is_lent = dst.set_from_page(BytesKind::Text, page, at, text.len());
            if encoding == Encoding::Utf8 {
                return is_lent;
            }
            decode_text(dst, encoding);
        }
    }
    false
}

/// Converts the text in a register from the encoding of the database to UTF-8.
#[cold]
pub fn decode_text(dst: &mut Register, encoding: Encoding) {
    let mut utf8 = Buffer::new();
    if let ValueRef::Text(text) = dst.as_ref() {
        encoding.decode(text, &mut utf8);
    }
    dst.set_buffer(BytesKind::Text, utf8);
}

#[cfg(test)]
mod tests {
    use lithe_format::record::Builder;

    use super::*;

    /// The type of a column and where it lies, if that is known.
    type Place = Option<(u32, usize)>;

    /// What is known of the columns of a row: places, the column that ends on another page, and whether the row is short.
    fn located(columns: &Columns) -> (Vec<Place>, Place, bool) {
        let plain = |found: Option<(SerialType, usize)>| found.map(|(serial, at)| (serial.0, at));
        let all = (0..COLUMNS_MAX).map(|at| plain(columns.get(at))).collect();
        (all, (0..COLUMNS_MAX).find_map(|at| plain(columns.cut(at))), columns.is_short)
    }

    /// Rows of few kinds, one after the other, are located like each row alone.
    #[test]
    fn a_row_is_located_whatever_the_row_before_was() {
        let mut state = 1u64;
        let mut below = |n: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % n
        };
        let texts = [vec![b'x'; 3], vec![b'y'; 20], vec![b'z'; 100]];
        let mut guessed = 0;
        for wanted in 1..=COLUMNS_MAX {
            let mut columns = Columns::default();
            columns.locate_up_to(0);
            for row in 0..4_000 {
                if row == 2_000 {
                    columns.locate_up_to(wanted - 1);
                }
                let width = if wanted <= 9 { 2 + below(4) / 2 * 4 } else { 6 + below(4) / 3 * 10 };
                let values: Vec<ValueRef<'_>> = (0..width)
                    .map(|_| match below(8) {
                        0 => ValueRef::Null,
                        1 => ValueRef::Real(0.5),
                        2 => ValueRef::Text(&texts[below(3) as usize]),
                        n => ValueRef::Integer(if n == 3 { 70_000 } else { 7 }),
                    })
                    .collect();
                let record = Builder::new().build(&values).to_vec();
                let at = below(30) as usize;
                let mut page = vec![0xff; at];
                page.extend_from_slice(&record);
                page.resize(page.len() + below(12) as usize, 0xff);
                if below(40) == 0 {
                    page[at] = below(3) as u8; // damaged
                }
                let len = record.len() as u32;
                let local = if below(5) == 0 { len - below(u64::from(len)) as u32 } else { len };
                let span = PayloadSpan { at: at as u32, local, len };
                let mut alone = Columns::default();
                alone.locate_up_to(columns.wanted - 1);
                alone.find(&page, span);
                guessed +=
                    u32::from(columns.are_as_before(&page, span) || columns.are_two_groups_as_before(&page, span));
                columns.find(&page, span);
                assert_eq!(located(&columns), located(&alone), "{values:?}, {local} of {len} bytes on the page");
            }
        }
        assert!(guessed > 1_000, "{guessed} rows were like the row before");
    }

    /// A type in more bytes than it needs is left to the view: its content is not that of a text.
    #[test]
    fn a_type_in_too_many_bytes() {
        let page = [4, 0x80, 1, 1, 7, 8, 0, 0, 0, 0, 0, 0];
        let mut columns = Columns::default();
        columns.locate_first(2);
        columns.find(&page, PayloadSpan { at: 0, local: 6, len: 6 });
        assert_eq!(located(&columns).0, [None; COLUMNS_MAX]);
    }

    /// Columns behind one that is very long, and ends on another page, are located with it.
    #[test]
    fn columns_behind_a_long_one() {
        let long = vec![0; 2_000_000];
        let values = [ValueRef::Integer(7), ValueRef::Blob(&long), ValueRef::Null, ValueRef::Text(&long[..70_000])];
        let record = Builder::new().build(&values).to_vec();
        let mut columns = Columns::default();
        columns.locate_first(6);
        columns.find(&record[..500], PayloadSpan { at: 0, local: 500, len: record.len() as u32 });
        let cut = |at| columns.cut(at).map(|(serial, at)| (serial.0, at));
        assert_eq!(columns.get(0).map(|(serial, at)| (serial.0, at)), Some((1, 10)));
        assert_eq!(
            [1, 2, 3, 4].map(cut),
            [Some((4_000_012, 11)), Some((0, 2_000_011)), Some((140_013, 2_000_011)), None]
        );
    }
}
