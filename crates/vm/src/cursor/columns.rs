//! Where the first columns of a row on a page are, and putting one into a register.
//!
//! ```text
//!   page      ...| header length | type | type | ... | content | content | ...| ...
//!   types                          type   type
//!   starts                                             start     start
//! ```
//!
//! The columns of a row are found together, as far as any column of any row has been asked for: then a column costs
//! a look into two small arrays. What is not so ordinary (a header of more than 127 bytes, a type of more than two,
//! content that is not on the page), and columns further on, are left to the record's view.

use lithe_format::cell::PayloadSpan;
use lithe_format::serial_type::SerialType;
use lithe_pager::PageRef;
use lithe_value::{Buffer, Encoding, ValueRef};

use crate::register::{BytesKind, Register};

/// How many columns are found without the view.
const COLUMNS_MAX: usize = 16;
/// Texts and blobs: the type is twice the length, and this.
const FIRST_LONG: u16 = 12;

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

/// The first columns of the row under a cursor.
#[derive(Debug, Default)]
pub struct Columns {
    types: [u16; COLUMNS_MAX],
    starts: [u16; COLUMNS_MAX],
    /// How many columns of this row are known.
    known: usize,
    /// How many columns of each row are to be found.
    wanted: usize,
}

impl Columns {
    /// Column `index` is to be found with the others, from the next row on.
    pub fn want(&mut self, index: usize) {
        self.wanted = self.wanted.max((index + 1).min(COLUMNS_MAX));
    }

    /// The cursor stands on another row, whose payload is at `span` of `page`.
    #[inline]
    pub fn find(&mut self, page: &[u8], span: PayloadSpan) {
        self.known = self.find_known(page, span).unwrap_or(0);
    }

    #[inline]
    fn find_known(&mut self, page: &[u8], span: PayloadSpan) -> Option<usize> {
        let start = span.at as usize;
        // Starts have 16 bits. Pages end before that; records in memory may not.
        let end = (start + span.local as usize).min(1 << 16);
        let &header_len @ 1..0x80 = page.get(start)? else {
            return None;
        };
        let mut content = start + usize::from(header_len);
        let header = page.get(start + 1..content)?;
        let wanted = self.wanted.min(COLUMNS_MAX);
        let mut known = 0;
        let mut at = 0;
        while known < wanted && at < header.len() {
            let first = header[at];
            let (serial, len) = if first < 0x80 {
                at += 1;
                (u16::from(first), SHORT_LEN[usize::from(first)])
            } else {
                let &second @ ..0x80 = header.get(at + 1)? else {
                    break;
                };
                at += 2;
                let serial = u16::from(first & 0x7f) << 7 | u16::from(second);
                (serial, serial.saturating_sub(FIRST_LONG) / 2)
            };
            self.types[known] = serial;
            self.starts[known] = content as u16;
            content += usize::from(len);
            if content > end {
                break;
            }
            known += 1;
        }
        Some(known)
    }

    /// The type of column `index`, and where on the page its content starts.
    #[inline]
    pub fn get(&self, index: usize) -> Option<(SerialType, usize)> {
        if index >= self.known {
            return None;
        }
        let (serial, start) = (*self.types.get(index)?, *self.starts.get(index)?);
        Some((SerialType(u32::from(serial)), usize::from(start)))
    }
}

/// How far the first eight bytes of an integer's content are shifted to leave the integer, by serial type.
const SHIFTS: [u32; 7] = [0, 56, 48, 40, 32, 16, 0];

/// The value whose content is at `at` of a page.
#[inline]
pub fn value(page: &[u8], serial: SerialType, at: usize) -> Option<ValueRef<'_>> {
    match integer(page, serial, at) {
        Some(integer) => Some(ValueRef::Integer(integer)),
        None => serial.decode(page, at),
    }
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

/// Puts a column whose content is at `at` of a page into a register; true if that borrows the page.
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

/// Anything but an integer with content.
#[inline(never)]
fn put_other(page: &PageRef, serial: SerialType, at: usize, encoding: Encoding, dst: &mut Register) -> bool {
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

/// Makes the text in a register, which has the encoding of the database, UTF-8.
#[cold]
pub fn decode_text(dst: &mut Register, encoding: Encoding) {
    let mut utf8 = Buffer::new();
    if let ValueRef::Text(text) = dst.as_ref() {
        encoding.decode(text, &mut utf8);
    }
    dst.set_buffer(BytesKind::Text, utf8);
}
