//! Making a record from values.

use std::collections::TryReserveError;

use crate::payload::Payload;
use crate::serial_type::{SchemaFormat, SerialType, push_content};
use crate::varint;
use lithe_value::ValueRef;

/// Builds records in memory that it keeps: after the first few rows, building allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    format: SchemaFormat,
    bytes: Vec<u8>,
    serials: Vec<SerialType>,
    /// Memory for records of short values, longer than they are.
    short: Vec<u8>,
}

/// The longest content whose type takes one byte.
const SHORT_MAX: usize = 57;

/// Content at least this long is not copied into the record but becomes a part of the payload.
const LARGE: usize = 256;
/// The most large values: each cuts the record in two, and a payload has a limited number of parts.
const LARGE_COUNT_MAX: usize = (Payload::MAX_PARTS - 1) / 2;

impl Builder {
    /// A builder for schema format 4.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Changes the schema format of the following records.
    pub fn set_format(&mut self, format: SchemaFormat) {
        self.format = format;
    }

    /// The record of `values` in one piece.
    pub fn build(&mut self, values: &[ValueRef<'_>]) -> &[u8] {
        match self.fill_short(values.iter().copied()) {
            Some(len) => self.short.get(..len).unwrap_or_default(),
            None => self.build_longer(values),
        }
    }

    /// [`Builder::build`] if not all values are short.
    #[inline]
    fn build_longer(&mut self, values: &[ValueRef<'_>]) -> &[u8] {
        match short_header_len(values) {
            Some(header_len) => self.build_short(values, header_len),
            None => self.build_long(values),
        }
    }

    /// The record of values that are short, as in most rows, in one pass over them. `None`: a value is not short, and the
    /// record must be built in another way.
    #[inline]
    pub fn build_of_short<'v>(&mut self, values: impl ExactSizeIterator<Item = ValueRef<'v>>) -> Option<&[u8]> {
        let len = self.fill_short(values)?;
        self.short.get(..len)
    }

    /// Writes the record to `self.short`, and answers its length.
    #[inline]
    fn fill_short<'v>(&mut self, values: impl ExactSizeIterator<Item = ValueRef<'v>>) -> Option<usize> {
        let header_len = u8::try_from(values.len() + 1).ok().filter(|len| *len < 0x80)?;
        // An integer is stored as eight bytes; the next value overwrites those that are not its content.
        let len_max = usize::from(header_len) + values.len() * SHORT_MAX + size_of::<i64>();
        if self.short.len() < len_max {
            self.short.resize(len_max, 0);
        }
        let (header, content) = self.short.split_at_mut(usize::from(header_len));
        let (first, types) = header.split_first_mut()?;
        *first = header_len;
        let mut at = 0;
        for (place, value) in types.iter_mut().zip(values) {
            let serial = SerialType::of(&value, self.format);
            match value {
                ValueRef::Null => {}
                ValueRef::Integer(integer) => {
                    *content.get_mut(at..)?.first_chunk_mut()? = serial.leading_bytes(integer);
                }
                ValueRef::Real(real) => *content.get_mut(at..)?.first_chunk_mut()? = real.to_bits().to_be_bytes(),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) if bytes.len() <= SHORT_MAX => {
                    content.get_mut(at..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
                }
                ValueRef::Text(_) | ValueRef::Blob(_) => return None,
            }
            *place = serial.0 as u8;
            at += serial.len() as usize;
        }
        Some(usize::from(header_len) + at)
    }

    /// A record whose header has a known length, with types of one or two bytes.
    fn build_short(&mut self, values: &[ValueRef<'_>], header_len: u8) -> &[u8] {
        self.fill(values, header_len, &mut Cuts::none());
        &self.bytes
    }

    /// Writes such a record to `self.bytes`, without the large values that are cut out.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "our own record: its header and its parts were counted before")]
    fn fill<'a>(&mut self, values: &[ValueRef<'a>], header_len: u8, cuts: &mut Cuts<'a>) {
        self.bytes.clear();
        self.bytes.resize(usize::from(header_len), 0);
        self.bytes[0] = header_len;
        let mut at = 1;
        for value in values {
            let serial = SerialType::of(value, self.format);
            match serial.0 {
                ..0x80 => {
                    self.bytes[at] = serial.0 as u8;
                    at += 1;
                }
                wide => {
                    self.bytes[at..at + 2].copy_from_slice(&[(wide >> 7) as u8 | 0x80, wide as u8 & 0x7f]);
                    at += 2;
                }
            }
            if !cuts.take(value, self.bytes.len()) {
                push_content(&mut self.bytes, value, serial);
            }
        }
    }

    fn build_long(&mut self, values: &[ValueRef<'_>]) -> &[u8] {
        self.start(values, 0);
        for (value, serial) in values.iter().zip(&self.serials) {
            push_content(&mut self.bytes, value, *serial);
        }
        &self.bytes
    }

    /// As [`Builder::build`], if there is memory for the record.
    pub fn try_build(&mut self, values: &[ValueRef<'_>]) -> Result<&[u8], TryReserveError> {
        let content = |value: &ValueRef<'_>| match value {
            ValueRef::Text(content) | ValueRef::Blob(content) if content.len() >= LARGE => content.len(),
            _ => 0,
        };
        // Numbers, short texts and the header take little memory.
        let large: usize = values.iter().map(content).sum();
        if large > 0 {
            self.bytes.clear();
            self.bytes.try_reserve(large + LARGE * values.len())?;
        }
        Ok(self.build(values))
    }

    /// The record of `values` in parts: large texts and BLOBs stay where they are. `zeros` zero bytes
    /// are added to the last value, which must then be a BLOB; they cost no memory.
    #[inline]
    pub fn build_parts<'a>(&'a mut self, values: &[ValueRef<'a>], zeros: u32) -> Payload<'a> {
        if zeros == 0
            && let Some(len) = self.fill_short(values.iter().copied())
        {
            return Payload::from_bytes(self.short.get(..len).unwrap_or_default());
        }
        self.build_longer_parts(values, zeros)
    }

    /// [`Builder::build_parts`] for values for which [`Builder::build_of_short`] has answered `None`.
    #[inline]
    pub fn build_longer_parts<'a>(&'a mut self, values: &[ValueRef<'a>], zeros: u32) -> Payload<'a> {
        let mut cuts = Cuts { count_max: LARGE_COUNT_MAX, ..Cuts::none() };
        match short_header_len(values).filter(|_| zeros == 0) {
            Some(header_len) => self.fill(values, header_len, &mut cuts),
            None => self.fill_long(values, zeros, &mut cuts),
        }
        if cuts.count == 0 && zeros == 0 { Payload::from_bytes(&self.bytes) } else { self.cut(&cuts, zeros) }
    }

    #[inline(never)]
    fn fill_long<'a>(&mut self, values: &[ValueRef<'a>], zeros: u32, cuts: &mut Cuts<'a>) {
        self.start(values, zeros);
        for (value, serial) in values.iter().zip(&self.serials) {
            if !cuts.take(value, self.bytes.len()) {
                push_content(&mut self.bytes, value, *serial);
            }
        }
    }

    /// Interleaves the pieces of `self.bytes` with the large values between them.
    #[expect(clippy::indexing_slicing, reason = "our own record: its header and its parts were counted before")]
    fn cut<'a>(&'a self, cuts: &Cuts<'a>, zeros: u32) -> Payload<'a> {
        let cuts = &cuts.at[..cuts.count];
        let mut parts = [&[] as &[u8]; Payload::MAX_PARTS];
        let mut from = 0;
        for (index, &(to, content)) in cuts.iter().enumerate() {
            parts[2 * index] = &self.bytes[from..to];
            parts[2 * index + 1] = content;
            from = to;
        }
        let mut count = 2 * cuts.len();
        if from < self.bytes.len() {
            parts[count] = &self.bytes[from..];
            count += 1;
        }
        Payload::from_parts(&parts[..count], zeros)
    }

    /// Finds the serial types and writes the header.
    #[expect(clippy::indexing_slicing, reason = "our own record: its header and its parts were counted before")]
    fn start(&mut self, values: &[ValueRef<'_>], zeros: u32) {
        self.serials.clear();
        self.serials.extend(values.iter().map(|value| SerialType::of(value, self.format)));
        if zeros > 0 {
            self.lengthen_last(zeros);
        }
        // Nearly every header is shorter than 128 bytes, so that its length takes one byte.
        self.bytes.clear();
        self.bytes.push(0);
        for serial in &self.serials {
            match u8::try_from(serial.0) {
                Ok(short @ ..0x80) => self.bytes.push(short),
                _ => varint::push(&mut self.bytes, u64::from(serial.0)),
            }
        }
        match u8::try_from(self.bytes.len()) {
            Ok(len @ ..0x80) => self.bytes[0] = len,
            _ => self.lengthen_header(),
        }
    }

    /// Makes space for a length of the header that takes more than one byte.
    #[cold]
    fn lengthen_header(&mut self) {
        let types_len = self.bytes.len() - 1;
        let mut len = Vec::new();
        varint::push(&mut len, header_len(types_len));
        self.bytes.splice(..1, len);
    }

    /// Adds `zeros` to the last value's type.
    #[expect(clippy::expect_used, reason = "a caller owes the value that zeros belong to")]
    fn lengthen_last(&mut self, zeros: u32) {
        let last = self.serials.last_mut().expect("zeros belong to a value");
        assert!(last.is_blob(), "only a BLOB ends in zeros");
        *last = SerialType::blob(last.len() + zeros);
    }
}

/// The large values that are left out of a record, and their places.
struct Cuts<'a> {
    count: usize,
    /// The most values that may be left out.
    count_max: usize,
    at: [(usize, &'a [u8]); LARGE_COUNT_MAX],
}

impl<'a> Cuts<'a> {
    /// For a record in one piece.
    fn none() -> Cuts<'a> {
        Cuts { count: 0, count_max: 0, at: [(0, &[]); LARGE_COUNT_MAX] }
    }

    /// Leaves `value` out at `at`, if it is large; answers whether.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "no more are counted than fit")]
    fn take(&mut self, value: &ValueRef<'a>, at: usize) -> bool {
        match value {
            ValueRef::Text(content) | ValueRef::Blob(content)
                if content.len() >= LARGE && self.count < self.count_max =>
            {
                self.at[self.count] = (at, content);
                self.count += 1;
                true
            }
            _ => false,
        }
    }
}

/// The length of the header of a record of `values`, if it takes one byte and each type at most two.
#[inline]
fn short_header_len(values: &[ValueRef<'_>]) -> Option<u8> {
    /// The longest content whose type takes two bytes.
    const TWO: usize = 8185;
    let mut len = 1;
    for value in values {
        len += match value {
            ValueRef::Text(content) | ValueRef::Blob(content) if content.len() > SHORT_MAX => {
                if content.len() > TWO {
                    return None;
                }
                2
            }
            _ => 1,
        };
    }
    u8::try_from(len).ok().filter(|len| *len < 0x80)
}

/// The length that a header of `types_len` bytes of serial types has with its own varint.
fn header_len(types_len: usize) -> u64 {
    let types_len = types_len as u64;
    let mut len = types_len + 1;
    while types_len + varint::len(len) as u64 > len {
        len += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::super::values;
    use super::*;

    fn joined(payload: &Payload<'_>) -> Vec<u8> {
        let mut out = vec![0xee; payload.len() as usize];
        payload.reader().copy_to(&mut out);
        out
    }

    #[test]
    fn known_records() {
        let mut builder = Builder::new();
        assert_eq!(builder.build(&[]), [1]);
        assert_eq!(builder.build(&[ValueRef::Integer(1), ValueRef::Null]), [3, 9, 0]);
        assert_eq!(builder.build(&[ValueRef::Text(b"ab"), ValueRef::Integer(300)]), [3, 17, 2, b'a', b'b', 1, 44]);
        builder.set_format(SchemaFormat::Legacy);
        assert_eq!(builder.build(&[ValueRef::Integer(1)]), [2, 1, 1]);
    }

    #[test]
    fn header_length_counts_itself() {
        for (types, len) in [(0, 1), (126, 127), (127, 129), (128, 130), (16381, 16383), (16382, 16385)] {
            assert_eq!(header_len(types), len, "{types}");
        }
    }

    #[test]
    fn short_and_long_headers_agree() {
        let bytes = [b'x'; 9000];
        for len in [0, 57, 58, 8185, 8186, 9000] {
            for count in [1, 2, 62, 63, 64, 126, 127, 200] {
                let mut row = vec![ValueRef::Blob(&bytes[..len]); count.min(130)];
                row[0] = ValueRef::Text(&bytes[..len]);
                row.resize(count, ValueRef::Integer(-300));
                let long = Builder::new().build_long(&row).to_vec();
                assert_eq!(Builder::new().build(&row), long, "{count} of {len}");
                let is_short = len <= SHORT_MAX && count < 127;
                let short = is_short.then_some(&long[..]);
                assert_eq!(Builder::new().build_of_short(row.iter().copied()), short, "{count} of {len}");
            }
        }
    }

    #[test]
    fn short_records_overwrite_each_other() {
        let mut builder = Builder::new();
        let numbers = [i64::MIN, -(1 << 40), -1, 0, 1, 2, 300, 70_000, 1 << 30, i64::MAX];
        for width in (1..numbers.len()).rev() {
            for row in numbers.windows(width) {
                let mut row: Vec<_> = row.iter().map(|n| ValueRef::Integer(*n)).collect();
                row.extend([ValueRef::Text(b"ab"), ValueRef::Real(0.5), ValueRef::Null]);
                let long = Builder::new().build_long(&row).to_vec();
                assert_eq!(builder.build_of_short(row.iter().copied()), Some(&long[..]));
            }
        }
    }

    #[test]
    fn parts_hold_the_same_bytes() {
        let large = vec![3u8; 5000];
        let text = vec![b'x'; LARGE];
        let rows: [&[ValueRef]; 5] = [
            &[ValueRef::Integer(5), ValueRef::Blob(&large)],
            &[ValueRef::Blob(&large), ValueRef::Integer(5)],
            &[ValueRef::Blob(&large), ValueRef::Text(&text), ValueRef::Real(1.0)],
            &[ValueRef::Blob(&large); 6],
            &[ValueRef::Text(b"short")],
        ];
        for row in rows {
            let whole = Builder::new().build(row).to_vec();
            let mut builder = Builder::new();
            let payload = builder.build_parts(row, 0);
            assert_eq!(joined(&payload), whole);
        }
        let mut builder = Builder::new();
        let row = [ValueRef::Integer(5), ValueRef::Blob(&large)];
        let parts = builder.build_parts(&row, 0);
        assert_eq!(parts.parts()[1].as_ptr(), large.as_ptr());
    }

    #[test]
    fn zeros_at_the_end() {
        for (content, zeros) in [(&b"ab"[..], 3000), (b"", 100_000), (&[1; 2000], 50)] {
            let mut builder = Builder::new();
            let row = [ValueRef::Integer(7), ValueRef::Blob(content)];
            let payload = builder.build_parts(&row, zeros);
            let record = joined(&payload);
            let mut expected = content.to_vec();
            expected.resize(content.len() + zeros as usize, 0);
            let found = values(&record).unwrap();
            assert!(matches!(found[1], ValueRef::Blob(bytes) if bytes == expected));
        }
    }
}
