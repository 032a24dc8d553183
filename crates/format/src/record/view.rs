//! Reading a record, one column at a time, from its bytes without a copy.

use super::{CONTENT_LONG, DISAGREE, HEADER_CUT, HEADER_LONG, header_len};
use crate::serial_type::SerialType;
use crate::{Malformed, varint};
use lithe_value::ValueRef;

/// The places of the columns of one record, as far as they were read.
///
/// A view borrows nothing: it is kept beside a cursor, [reset](View::reset) for each row, and gets the row's bytes at
/// each call. Its memory is reused, so that reading rows allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Columns located so far; they are located in order.
    columns: Vec<Column>,
    /// The number of the first of them. Only the lengths of those before were looked at.
    first: usize,
    /// No columns are passed over, because one of those was wanted after all: of this row or of one before.
    keeps_all: bool,
    /// 0 until the header's length has been read; no header is that short.
    header_len: u32,
    /// The offset of the next serial type.
    header_at: u32,
    /// The offset of the next column's content.
    content_at: u32,
    payload_len: u32,
}

/// The number of types of one byte that are passed over together.
const SKIPPED: usize = 16;
/// The number of types of one byte that are read together.
const BATCH: usize = 8;
/// The bits that are set in none of them.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Content lengths of the types of one byte.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const SHORT_LEN: [u8; 0x80] = {
    let mut lengths = [0; 0x80];
    let mut serial = 0;
    while serial < lengths.len() {
        lengths[serial] = SerialType(serial as u32).len() as u8;
        serial += 1;
    }
    lengths
};

/// One column of a record: its type, and the place of its content in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Column {
    /// Offset in the payload of the first content byte.
    pub at: u32,
    /// Storage class and length.
    pub serial: SerialType,
}

impl Column {
    /// The end of the content.
    #[inline]
    pub fn end(&self) -> u32 {
        self.at + self.serial.len()
    }

    /// The value, or `None` if `payload` (perhaps only the local part of a row) ends before it does.
    #[inline]
    pub fn value<'a>(&self, payload: &'a [u8]) -> Option<ValueRef<'a>> {
        self.serial.decode(payload, self.at as usize)
    }
}

/// The result of locating a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Located {
    /// The column's type and place.
    At(Column),
    /// The record has fewer columns: it was written before the column was added to its table.
    Absent,
    /// The header is longer than the bytes given: the caller calls again with at least this many bytes of the payload.
    NeedsBytes(u32),
}

impl View {
    /// A view of no record.
    pub const fn new() -> View {
        View {
            columns: Vec::new(),
            first: 0,
            keeps_all: false,
            header_len: 0,
            header_at: 0,
            content_at: 0,
            payload_len: 0,
        }
    }

    /// Forgets the row before; the next row's payload has `payload_len` bytes, overflow included.
    #[inline]
    pub fn reset(&mut self, payload_len: u32) {
        self.columns.clear();
        self.first = 0;
        self.header_len = 0;
        self.payload_len = payload_len;
    }

    /// The place of column `index`. `payload` is the start of the row's payload; the local part is enough for all but
    /// extremely wide tables.
    #[inline]
    pub fn locate(&mut self, payload: &[u8], index: usize) -> Result<Located, Malformed> {
        match self.known(index) {
            Some(column) => Ok(Located::At(column)),
            None => self.locate_further(payload, index),
        }
    }

    /// The place of column `index`, if it has been located.
    #[inline]
    pub fn known(&self, index: usize) -> Option<Column> {
        self.columns.get(index.wrapping_sub(self.first)).copied()
    }

    /// The number of columns that the record has, which parses all of its header.
    pub fn column_count(&mut self, payload: &[u8]) -> Result<Option<usize>, Malformed> {
        match self.locate(payload, usize::MAX)? {
            Located::NeedsBytes(_) => Ok(None),
            Located::At(_) | Located::Absent => Ok(Some(self.first + self.columns.len())),
        }
    }

    fn locate_further(&mut self, payload: &[u8], index: usize) -> Result<Located, Malformed> {
        if index < self.first {
            self.keeps_all = true;
            self.reset(self.payload_len);
        }
        if self.header_len == 0 && !self.read_header_len(payload)? {
            return Ok(Located::Absent);
        }
        let header = payload.get(..self.header_len as usize);
        let known = header.unwrap_or(payload);
        if !self.keeps_all && index - self.next_column() >= SKIPPED {
            self.skip_to(known, index);
        }
        self.locate_short(known, index);
        while self.next_column() <= index {
            if self.header_at >= self.header_len {
                return self.end_of_header();
            }
            let Some((serial, len)) = read_serial(known, self.header_at as usize) else {
                return match header {
                    Some(_) => Err(HEADER_CUT),
                    None => Ok(Located::NeedsBytes(self.header_len)),
                };
            };
            self.header_at += len;
            self.push(serial)?;
        }
        self.known(index).map_or_else(|| self.end_of_header(), |column| Ok(Located::At(column)))
    }

    /// The number of the column that is located next.
    #[inline]
    fn next_column(&self) -> usize {
        self.first + self.columns.len()
    }

    /// Passes over the columns before `index`, if all of them have types of one byte: of a wide table's rows often one column is wanted that is far
    /// behind the first.
    fn skip_to(&mut self, known: &[u8], index: usize) {
        let count = index - self.next_column();
        let Some(types) = known.get(self.header_at as usize..).and_then(|types| types.get(..count)) else { return };
        let (batches, rest) = types.as_chunks::<SKIPPED>();
        let mut at = u64::from(self.content_at);
        for types in batches {
            let Some(len) = content_len(types) else { return };
            at += len;
        }
        // A type of 0 has no content.
        let mut last = [0; SKIPPED];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        let Some(len) = content_len(&last) else { return };
        at += len;
        if at > u64::from(self.payload_len) {
            return;
        }
        self.columns.clear();
        self.first = index;
        self.content_at = at as u32;
        self.header_at += count as u32;
    }

    /// Locates columns up to `index` whose types have one byte, several at a time, until one has a longer type: the columns of wide
    /// tables that are read are mostly far behind the first.
    #[expect(clippy::indexing_slicing, reason = "the table has a place for each of seven bits")]
    fn locate_short(&mut self, known: &[u8], index: usize) {
        let types = known.get(self.header_at as usize..).unwrap_or_default();
        let wanted = index.saturating_add(1).saturating_sub(self.next_column());
        for types in types.get(..wanted).unwrap_or(types).as_chunks::<BATCH>().0 {
            if u64::from_le_bytes(*types) & HIGH_BITS != 0 {
                return;
            }
            let mut at = u64::from(self.content_at);
            let columns = types.map(|serial| {
                let column = Column { at: at as u32, serial: SerialType(u32::from(serial)) };
                at += u64::from(SHORT_LEN[usize::from(serial & 0x7f)]);
                column
            });
            if at > u64::from(self.payload_len) {
                return;
            }
            self.columns.extend_from_slice(&columns);
            self.content_at = at as u32;
            self.header_at += BATCH as u32;
        }
    }

    #[inline]
    fn push(&mut self, serial: SerialType) -> Result<(), Malformed> {
        let column = Column { at: self.content_at, serial };
        let end = u64::from(self.content_at) + u64::from(serial.len());
        if end > u64::from(self.payload_len) {
            return Err(CONTENT_LONG);
        }
        self.content_at = end as u32;
        self.columns.push(column);
        Ok(())
    }

    /// `false` for a header of length 0, which SQLite reads as a record without columns.
    fn read_header_len(&mut self, payload: &[u8]) -> Result<bool, Malformed> {
        let (len, at) = header_len(payload)?;
        if len == 0 {
            return Ok(false);
        }
        if len > self.payload_len || at > len as usize {
            return Err(HEADER_LONG);
        }
        (self.header_len, self.header_at, self.content_at) = (len, at as u32, len);
        Ok(true)
    }

    fn end_of_header(&self) -> Result<Located, Malformed> {
        if self.header_at > self.header_len || self.content_at != self.payload_len {
            return Err(DISAGREE);
        }
        Ok(Located::Absent)
    }
}

/// The length of the content of columns with these types together; `None` if a type has more bytes. The compiler makes vectors of this.
#[inline]
fn content_len(types: &[u8; SKIPPED]) -> Option<u64> {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    const ONES: u64 = 0x0001_0001_0001_0001;
    let (low, high) = halves(types);
    if (low | high) & HIGH_BITS != 0 {
        return None;
    }
    // Up to 4 the length of an integer is its type, then come 6, 8 and 8; from 8 on there is no content, and from 12 on half of what exceeds that.
    let lengths = types.map(|serial| {
        let number = serial.min(4) + 2 * serial.saturating_sub(4).min(2);
        let text = serial.saturating_sub(12) / 2;
        (if serial < 8 { number } else { 0 }) + text
    });
    let (low, high) = halves(&lengths);
    // Sums of two bytes each, then of all four of those.
    let pairs = (low & EVEN) + (low >> 8 & EVEN) + (high & EVEN) + (high >> 8 & EVEN);
    Some(pairs.wrapping_mul(ONES) >> 48)
}

#[inline]
fn halves(bytes: &[u8; SKIPPED]) -> (u64, u64) {
    let all = u128::from_le_bytes(*bytes);
    (all as u64, (all >> 64) as u64)
}

/// The serial type at `at` and the length of its varint.
#[inline]
fn read_serial(header: &[u8], at: usize) -> Option<(SerialType, u32)> {
    let tail = header.get(at..)?;
    let (serial, len) = varint::read(tail)?;
    // A type too large for 32 bits has more content than any payload; u32::MAX fails in the same way.
    Some((SerialType(u32::try_from(serial).unwrap_or(u32::MAX)), len as u32))
}

#[cfg(test)]
mod tests {
    use super::super::{Builder, values};
    use super::*;

    #[test]
    fn columns_in_any_order() {
        let mut builder = Builder::new();
        let row = [ValueRef::Integer(7), ValueRef::Null, ValueRef::Text(b"text"), ValueRef::Real(0.5)];
        let record = builder.build(&row).to_vec();
        let mut view = View::new();
        for _ in 0..2 {
            view.reset(record.len() as u32);
            for index in [2, 0, 3, 1] {
                let Ok(Located::At(column)) = view.locate(&record, index) else { panic!("{index}") };
                assert_eq!(format!("{:?}", column.value(&record)), format!("{:?}", Some(row[index])));
            }
            assert_eq!(view.locate(&record, 4), Ok(Located::Absent));
            assert_eq!(view.column_count(&record), Ok(Some(4)));
        }
    }

    #[test]
    fn wide_rows() {
        let mut builder = Builder::new();
        let text = [b'x'; 200];
        let row: Vec<ValueRef<'_>> = (0..300)
            .map(|at| match at % 37 {
                36 => ValueRef::Text(&text[..at / 2]), // the type takes two bytes from 58 on
                5 => ValueRef::Null,
                _ => ValueRef::Integer(1 << (at % 60)),
            })
            .collect();
        let record = builder.build(&row).to_vec();
        let mut view = View::new();
        for index in [299, 0, 36, 7, 8, 9, 110, 111] {
            view.reset(record.len() as u32);
            let Ok(Located::At(column)) = view.locate(&record, index) else { panic!("{index}") };
            assert_eq!(format!("{:?}", column.value(&record)), format!("{:?}", Some(row[index])));
        }
        assert_eq!(view.column_count(&record), Ok(Some(300)));
        view.keeps_all = false;
        view.reset(record.len() as u32);
        for index in [20, 21, 20, 70, 3, 299, 298] {
            let Ok(Located::At(column)) = view.locate(&record, index) else { panic!("{index}") };
            assert_eq!(format!("{:?}", column.value(&record)), format!("{:?}", Some(row[index])));
        }
        view.reset(record.len() as u32 - 1);
        assert_eq!(view.locate(&record, 299), Err(Malformed("record content longer than its payload")));
    }

    /// The lengths of sixteen types together are those of each.
    #[test]
    fn lengths_of_short_types() {
        for serial in 0..=0x7f {
            let mut types = [serial; SKIPPED];
            types[5] = 127;
            let expected: u32 = types.iter().map(|serial| SerialType(u32::from(*serial)).len()).sum();
            assert_eq!(content_len(&types), Some(u64::from(expected)), "{serial}");
            types[9] = 0x80;
            assert_eq!(content_len(&types), None);
        }
    }

    /// A column is found behind others that were passed over, and absent or malformed as if all had been looked at.
    #[test]
    fn columns_that_are_passed_over() {
        let mut builder = Builder::new();
        let row: Vec<ValueRef<'_>> = (0..100).map(|at| ValueRef::Integer([0, 1, -7, 300, 1 << 40][at % 5])).collect();
        let record = builder.build(&row).to_vec();
        for (index, value) in row.iter().enumerate() {
            let mut view = View::new();
            view.reset(record.len() as u32);
            let Ok(Located::At(column)) = view.locate(&record, index) else { panic!("{index}") };
            assert_eq!(format!("{:?}", column.value(&record)), format!("{:?}", Some(*value)));
            assert_eq!(view.locate(&record, 100), Ok(Located::Absent));
            assert_eq!(view.column_count(&record), Ok(Some(100)));
            view.reset(column.at);
            let is_absent = column.serial.is_empty();
            assert_eq!(view.locate(&record, index).is_ok(), is_absent, "{index}");
        }
    }

    #[test]
    fn content_may_be_elsewhere() {
        let mut builder = Builder::new();
        let record = builder.build(&[ValueRef::Integer(1000), ValueRef::Blob(&[5; 1000])]).to_vec();
        let mut view = View::new();
        view.reset(record.len() as u32);
        let local = &record[..100];
        let Ok(Located::At(blob)) = view.locate(local, 1) else { panic!() };
        assert!(blob.value(local).is_none());
        assert_eq!((blob.at, blob.end()), (6, 1006));
        let Ok(Located::At(first)) = view.locate(local, 0) else { panic!() };
        assert!(matches!(first.value(local), Some(ValueRef::Integer(1000))));
    }

    #[test]
    fn header_longer_than_the_local_part() {
        let mut builder = Builder::new();
        let row = vec![ValueRef::Integer(3); 500];
        let record = builder.build(&row).to_vec();
        let mut view = View::new();
        view.reset(record.len() as u32);
        assert!(matches!(view.locate(&record[..100], 50), Ok(Located::At(_))));
        assert_eq!(view.locate(&record[..100], 400), Ok(Located::NeedsBytes(502)));
        assert!(matches!(view.locate(&record[..502], 400), Ok(Located::At(_))));
        assert_eq!(values(&record).map(|v| v.len()), Ok(500));
    }

    #[test]
    fn malformed_records() {
        let check = |record: &[u8], what: &'static str| {
            assert_eq!(values(record).map(|v| v.len()), Err(Malformed(what)), "{record:?}");
        };
        check(&[], "record ends within its header");
        check(&[0x81], "record ends within its header");
        check(&[9, 1], "record header longer than its payload");
        check(&[2, 1], "record content longer than its payload");
        check(&[2, 1, 5, 5], "record header and content disagree");
        check(&[2, 0x81, 1], "record ends within its header");
        check(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "record header longer than any");
        let huge = [10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        check(&huge, "record content longer than its payload");
        assert_eq!(values(&[0, 1, 2]).map(|v| v.len()), Ok(0)); // as SQLite reads it
        assert_eq!(values(&[1]).map(|v| v.len()), Ok(0));
    }
}
