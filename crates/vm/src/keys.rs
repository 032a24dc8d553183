//! Keys of rows in memory: comparing, hashing, and a prefix that orders most of them as one number.
//!
//! Sorters, hash tables and temporary indexes hold their rows as records (in UTF-8). A key is the first columns
//! of such a record, under a [`KeyInfo`].
//!
//! The prefix of a key is 64 bits that order as its first column does:
//!
//! ```text
//!   63   62 61                                            0
//!   | class | first bits of the real                            |   all inverted under DESC
//!   | class | first bytes of the text or blob | length, up to 8 |
//! ```
//!
//! Unequal prefixes decide a comparison without the rows; what decides between equal ones is their [`Rest`].

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};

use hashbrown::DefaultHashBuilder;
use lithe_btree::{KeyColumn, KeyInfo};
use lithe_format::record;
use lithe_format::serial_type::SerialType;
use lithe_format::varint;
use lithe_value::{Collation, ValueRef};

/// The columns of a record in memory, one after the other. A column past the end is NULL, as is one that is
/// malformed, which cannot happen because this crate builds the records.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    record: &'a [u8],
    header_at: usize,
    header_end: usize,
    content_at: usize,
}

impl<'a> Columns<'a> {
    /// From the first column on.
    #[inline]
    pub fn new(record: &'a [u8]) -> Columns<'a> {
        let (len, at) = record::header_len(record).unwrap_or((0, 0));
        let len = (len as usize).min(record.len());
        Columns { record, header_at: at, header_end: len, content_at: len }
    }

    /// Whether there is no further column.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.header_at >= self.header_end
    }

    /// The next column, NULL past the last.
    #[inline]
    pub fn value(&mut self) -> ValueRef<'a> {
        if self.header_at >= self.header_end {
            return ValueRef::Null;
        }
        let Some((serial, len)) = varint::read(&self.record[self.header_at..]) else {
            return ValueRef::Null;
        };
        let serial = SerialType(u32::try_from(serial).unwrap_or(0));
        let value = serial.decode(self.record, self.content_at);
        self.header_at += len;
        self.content_at = self.content_at.saturating_add(serial.len() as usize);
        value.unwrap_or(ValueRef::Null)
    }
}

/// The order of two values of a key's column.
#[inline]
pub fn compare_column(left: ValueRef<'_>, right: ValueRef<'_>, column: &KeyColumn) -> Ordering {
    let order = if column.nulls_large && left.is_null() != right.is_null() {
        left.is_null().cmp(&right.is_null())
    } else {
        lithe_value::compare(left, right, &column.collation)
    };
    if column.descending { order.reverse() } else { order }
}

/// The order of two records by the key's columns.
#[inline]
pub fn compare_records(left: &[u8], right: &[u8], key: &KeyInfo) -> Ordering {
    compare_short_headers(left, right, key).unwrap_or_else(|| compare_any_records(left, right, key))
}

/// As [`compare_records`], for records with short headers and types of one or two bytes; `None` for other records.
#[inline]
fn compare_short_headers(left: &[u8], right: &[u8], key: &KeyInfo) -> Option<Ordering> {
    let (mut left, mut right) = (ShortColumns::new(left)?, ShortColumns::new(right)?);
    for column in key.columns() {
        let order = compare_column(left.value()?, right.value()?, column);
        if order.is_ne() {
            return Some(order);
        }
    }
    Some(Ordering::Equal)
}

/// The number of the key's leading columns in which two records are equal.
pub fn equal_columns(left: &[u8], right: &[u8], key: &KeyInfo) -> usize {
    equal_short_columns(left, right, key).unwrap_or_else(|| {
        let (mut left, mut right) = (Columns::new(left), Columns::new(right));
        let differs = |column| compare_column(left.value(), right.value(), column).is_ne();
        key.columns().iter().position(differs).unwrap_or(key.columns().len())
    })
}

fn equal_short_columns(left: &[u8], right: &[u8], key: &KeyInfo) -> Option<usize> {
    let (mut left, mut right) = (ShortColumns::new(left)?, ShortColumns::new(right)?);
    for (at, column) in key.columns().iter().enumerate() {
        if compare_column(left.value()?, right.value()?, column).is_ne() {
            return Some(at);
        }
    }
    Some(key.columns().len())
}

/// The value of column `index` of a record in memory, NULL past the last.
#[inline]
pub fn value_at(record: &[u8], index: usize) -> ValueRef<'_> {
    let value = || {
        let mut columns = ShortColumns::new(record)?;
        for _ in 0..index {
            columns.skip()?;
        }
        columns.value()
    };
    value().unwrap_or_else(|| {
        let mut columns = Columns::new(record);
        for _ in 0..index {
            columns.value();
        }
        columns.value()
    })
}

fn compare_any_records(left: &[u8], right: &[u8], key: &KeyInfo) -> Ordering {
    let (mut left, mut right) = (Columns::new(left), Columns::new(right));
    let unequal = |column| compare_column(left.value(), right.value(), column);
    first_unequal(key.columns().iter().map(unequal))
}

/// As [`Columns`], for records with short headers and types.
struct ShortColumns<'a> {
    record: &'a [u8],
    header: &'a [u8],
    content_at: usize,
}

impl<'a> ShortColumns<'a> {
    #[inline]
    fn new(record: &'a [u8]) -> Option<ShortColumns<'a>> {
        let &len @ 1..0x80 = record.first()? else {
            return None;
        };
        let content_at = usize::from(len);
        Some(ShortColumns { record, header: record.get(1..content_at)?, content_at })
    }

    #[inline]
    fn value(&mut self) -> Option<ValueRef<'a>> {
        let at = self.content_at;
        let serial = self.skip()?;
        crate::row::columns::value(self.record, serial, at)
    }

    /// Passes over a column; its type.
    #[inline]
    fn skip(&mut self) -> Option<SerialType> {
        let (serial, rest) = match self.header {
            [serial @ ..0x80, rest @ ..] => (u32::from(*serial), rest),
            [high, low @ ..0x80, rest @ ..] => (u32::from(high & 0x7f) << 7 | u32::from(*low), rest),
            _ => return None,
        };
        let serial = SerialType(serial);
        self.header = rest;
        self.content_at += serial.len() as usize;
        Some(serial)
    }
}

/// The order of a record and a key of `values`, which may be fewer than the key's columns.
#[inline]
pub fn compare_to_values(record: &[u8], values: &[ValueRef<'_>], key: &KeyInfo) -> Ordering {
    compare_short_to_values(record, values, key).unwrap_or_else(|| {
        let mut columns = Columns::new(record);
        let pairs = values.iter().zip(key.columns());
        first_unequal(pairs.map(|(value, column)| compare_column(columns.value(), *value, column)))
    })
}

fn compare_short_to_values(record: &[u8], values: &[ValueRef<'_>], key: &KeyInfo) -> Option<Ordering> {
    let mut columns = ShortColumns::new(record)?;
    for (value, column) in values.iter().zip(key.columns()) {
        let order = compare_column(columns.value()?, *value, column);
        if order.is_ne() {
            return Some(order);
        }
    }
    Some(Ordering::Equal)
}

#[inline]
fn first_unequal(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// A key's first column as a number that orders the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// The number.
    pub bits: u64,
    /// What decides between two values with this prefix.
    pub rest: Rest,
}

/// What decides between two values whose prefixes have equal bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing, if the other's rest is nothing, too: they are equal.
    Nothing,
    /// The bytes after the first [`PREFIX_BYTES`], compared as bytes.
    Bytes,
    /// A comparison.
    Comparison,
}

/// The bytes of a text or blob that a prefix has.
pub const PREFIX_BYTES: usize = 7;
const CLASS_SHIFT: u32 = 62;
/// In the prefix of a text or blob, the bits for its length.
const LENGTH_BITS: u32 = 6;
const SIGN: u64 = 1 << 63;
/// Integers up to here are reals whose two last bits are 0, so that the prefix keeps all their bits.
const EXACT_INTEGER_MAX: u64 = 1 << 50;

/// The prefix of a key whose first column is `value`.
#[inline]
pub fn prefix(value: ValueRef<'_>, column: &KeyColumn) -> Prefix {
    let unless = |is_inexact| if is_inexact { Rest::Comparison } else { Rest::Nothing };
    let (class, content, rest) = match value {
        ValueRef::Null => (if column.nulls_large { 3 } else { 0 }, 0, Rest::Nothing),
        ValueRef::Integer(integer) => {
            (1, real_bits(integer as f64) >> 2, unless(integer.unsigned_abs() > EXACT_INTEGER_MAX))
        }
        ValueRef::Real(real) => (1, real_bits(real) >> 2, unless(real.to_bits() & 3 != 0)),
        ValueRef::Text(text) => {
            let (bits, rest) = text_bits(text, &column.collation);
            (2, bits, rest)
        }
        ValueRef::Blob(blob) => {
            let (bits, rest) = byte_bits(blob);
            (3, bits, rest)
        }
    };
    // With NULL at the top, the other classes move one down and keep their order.
    let class = if column.nulls_large && !value.is_null() { class - 1 } else { class };
    let bits = class << CLASS_SHIFT | content;
    Prefix { bits: if column.descending { !bits } else { bits }, rest }
}

/// The prefix of the bytes of a text or blob from `from` on, among those that are equal up to there.
#[inline]
pub fn prefix_of_rest(value: ValueRef<'_>, from: usize, column: &KeyColumn) -> Prefix {
    let bytes = value.bytes().unwrap_or_default();
    let (bits, rest) = byte_bits(bytes.get(from..).unwrap_or_default());
    Prefix { bits: if column.descending { !bits } else { bits }, rest }
}

/// The first bytes and, below them, the length as far as they have it.
#[inline]
fn byte_bits(bytes: &[u8]) -> (u64, Rest) {
    let rest = if bytes.len() <= PREFIX_BYTES { Rest::Nothing } else { Rest::Bytes };
    (first_bytes(bytes) | bytes.len().min(PREFIX_BYTES + 1) as u64, rest)
}

/// Bits that order as reals do: the sign bit inverted, and for negative reals all other bits, too.
#[inline]
fn real_bits(real: f64) -> u64 {
    // -0.0 equals 0.0, so its bits must be equal, too.
    let bits = (real + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The first bytes of the prefix, padded with zeros, above the bits for the length.
#[inline]
fn first_bytes(bytes: &[u8]) -> u64 {
    let first = match bytes.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(chunk)
        }
    };
    first >> 8 << LENGTH_BITS
}

/// A collation of the application may order in any way: its texts all have the same prefix.
fn text_bits(text: &[u8], collation: &Collation) -> (u64, Rest) {
    match collation {
        Collation::Binary => byte_bits(text),
        Collation::NoCase => {
            let mut bytes = [0; PREFIX_BYTES];
            let len = text.len().min(PREFIX_BYTES);
            bytes[..len].copy_from_slice(&text[..len]);
            bytes.make_ascii_lowercase();
            // Under NOCASE a comparison ends at a NUL, and the length decides: the bytes after it must not count.
            if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
                bytes[nul..].fill(0);
            }
            let rest = if text.len() <= PREFIX_BYTES { Rest::Nothing } else { Rest::Comparison };
            (first_bytes(&bytes) | text.len().min(PREFIX_BYTES + 1) as u64, rest)
        }
        Collation::RTrim => {
            let trimmed = trim_spaces(text);
            let rest = if trimmed.len() <= PREFIX_BYTES { Rest::Nothing } else { Rest::Comparison };
            (byte_bits(trimmed).0, rest)
        }
        Collation::Custom(_) => (0, Rest::Comparison),
    }
}

/// The text without the spaces at its end.
fn trim_spaces(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &text[..end]
}

/// Hashes keys: keys that are equal under their collations have equal hashes.
#[derive(Clone, Debug, Default)]
pub struct KeyHasher(DefaultHashBuilder);

impl KeyHasher {
    /// Whether keys of this kind can be hashed: a collation of the application orders texts, but does not say which
    /// hash alike.
    pub fn can_hash(key: &KeyInfo) -> bool {
        !key.columns().iter().any(|column| matches!(column.collation, Collation::Custom(_)))
    }

    /// The hash of the key's columns of a record.
    pub fn hash_record(&self, record: &[u8], key: &KeyInfo) -> u64 {
        self.hash_short_record(record, key).unwrap_or_else(|| {
            let mut columns = Columns::new(record);
            self.hash(key, |_| columns.value())
        })
    }

    fn hash_short_record(&self, record: &[u8], key: &KeyInfo) -> Option<u64> {
        let mut columns = ShortColumns::new(record)?;
        let mut hasher = self.0.build_hasher();
        for column in key.columns() {
            hash_value(&mut hasher, columns.value()?, &column.collation);
        }
        Some(hasher.finish())
    }

    /// The hash of a key of `values`, as many as the key has columns.
    pub fn hash_values(&self, values: &[ValueRef<'_>], key: &KeyInfo) -> u64 {
        self.hash(key, |index| values.get(index).copied().unwrap_or_default())
    }

    /// The hash of a key whose columns `value` returns.
    #[inline]
    pub fn hash<'a>(&self, key: &KeyInfo, mut value: impl FnMut(usize) -> ValueRef<'a>) -> u64 {
        let mut hasher = self.0.build_hasher();
        for (index, column) in key.columns().iter().enumerate() {
            hash_value(&mut hasher, value(index), &column.collation);
        }
        hasher.finish()
    }
}

#[inline]
fn hash_value(hasher: &mut impl Hasher, value: ValueRef<'_>, collation: &Collation) {
    match value {
        ValueRef::Null => hasher.write_u8(0),
        ValueRef::Integer(integer) => hasher.write_i64(integer),
        ValueRef::Real(real) => hash_real(hasher, real),
        ValueRef::Text(text) => hash_text(hasher, text, collation),
        ValueRef::Blob(blob) => {
            hasher.write(blob);
            hasher.write_u8(3);
        }
    }
}

/// A real that equals an integer hashes as that integer.
fn hash_real(hasher: &mut impl Hasher, real: f64) {
    let integer = real as i64;
    if integer as f64 == real && integer != i64::MAX {
        hasher.write_i64(integer);
    } else {
        hasher.write_u64(real.to_bits());
    }
}

fn hash_text(hasher: &mut impl Hasher, text: &[u8], collation: &Collation) {
    match collation {
        Collation::NoCase => {
            // After a NUL only the length counts.
            let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
            for chunk in text[..end].chunks(64) {
                let mut folded = [0; 64];
                folded[..chunk.len()].copy_from_slice(chunk);
                folded.make_ascii_lowercase();
                hasher.write(&folded[..chunk.len()]);
            }
            hasher.write_usize(text.len());
        }
        Collation::RTrim => hasher.write(trim_spaces(text)),
        Collation::Binary | Collation::Custom(_) => hasher.write(text),
    }
    hasher.write_u8(2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_format::db_header::TextEncoding;
    use lithe_format::record::Builder;

    /// Values of every kind, some equal to one another under some collation.
    fn values() -> Vec<ValueRef<'static>> {
        use ValueRef::{Blob, Integer, Null, Real, Text};
        vec![
            Null,
            Integer(i64::MIN),
            Integer(-1),
            Integer(0),
            Integer(1),
            Integer(1 << 53),
            Integer((1 << 53) + 1),
            Integer(i64::MAX),
            Integer(i64::MAX - 1),
            Real(f64::NEG_INFINITY),
            Real(-1.5),
            Real(-0.0),
            Real(0.0),
            Real(1.0),
            Real(9_007_199_254_740_992.0),
            Real(9_223_372_036_854_775_808.0),
            Real(1e300),
            Text(b""),
            Text(b"  "),
            Text(b"abc"),
            Text(b"ABC"),
            Text(b"abc  "),
            Text(b"abcdefghij"),
            Text(b"abcdefgHik"),
            Text(b"a\0b"),
            Text(b"A\0c"),
            Text("ä".as_bytes()),
            Blob(b""),
            Blob(b"abc"),
            Blob(b"abc\0"),
            Blob(&[0xff; 9]),
        ]
    }

    fn columns() -> Vec<KeyColumn> {
        let mut columns = Vec::new();
        for collation in [Collation::Binary, Collation::NoCase, Collation::RTrim] {
            for (descending, nulls_large) in [(false, false), (true, false), (false, true), (true, true)] {
                columns.push(KeyColumn { collation: collation.clone(), descending, nulls_large });
            }
        }
        columns
    }

    #[test]
    fn prefixes_order_as_their_values() {
        for column in columns() {
            for left in values() {
                for right in values() {
                    let order = compare_column(left, right, &column);
                    let (a, b) = (prefix(left, &column), prefix(right, &column));
                    if a.bits != b.bits {
                        assert_eq!(a.bits.cmp(&b.bits), order, "{left} {right} {column:?}");
                    } else if (a.rest, b.rest) == (Rest::Nothing, Rest::Nothing) {
                        assert_eq!(order, Ordering::Equal, "{left} {right} {column:?}");
                    } else if (a.rest, b.rest) == (Rest::Bytes, Rest::Bytes) {
                        let rest = |value| prefix_of_rest(value, PREFIX_BYTES, &column);
                        let (a, b) = (rest(left), rest(right));
                        assert_eq!(a.bits.cmp(&b.bits), order, "{left} {right} {column:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_keys_hash_alike() {
        let hasher = KeyHasher::default();
        for column in columns() {
            let key = KeyInfo::new(vec![column.clone()], TextEncoding::Utf8);
            for left in values() {
                for right in values() {
                    let equal = compare_column(left, right, &column).is_eq();
                    let alike = hasher.hash_values(&[left], &key) == hasher.hash_values(&[right], &key);
                    assert!(alike || !equal, "{left} {right} {column:?}");
                }
            }
        }
    }

    #[test]
    fn records_compare_as_their_values() {
        let key = KeyInfo::new(vec![KeyColumn::default(); 2], TextEncoding::Utf8);
        let mut builder = Builder::new();
        let hasher = KeyHasher::default();
        for left in values() {
            for right in values() {
                let rows = [[ValueRef::Integer(7), left], [ValueRef::Integer(7), right]];
                let (a, b) = (builder.build(&rows[0]).to_vec(), builder.build(&rows[1]).to_vec());
                let order = lithe_value::compare(left, right, &Collation::Binary);
                assert_eq!(compare_records(&a, &b, &key), order);
                assert_eq!(equal_columns(&a, &b, &key), if order.is_eq() { 2 } else { 1 });
                assert_eq!(compare_to_values(&a, &rows[1], &key), order);
                assert_eq!(compare_to_values(&a, &rows[1][..1], &key), Ordering::Equal);
                assert_eq!(hasher.hash_record(&b, &key), hasher.hash_values(&rows[1], &key));
            }
        }
    }
}
