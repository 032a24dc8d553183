//! Serial types: the storage class and length of one column of a record, as one varint.
//!
//! | serial type | content bytes | value |
//! | --- | --- | --- |
//! | 0 | 0 | NULL |
//! | 1 2 3 4 5 6 | 1 2 3 4 6 8 | integer, big-endian, two's complement |
//! | 7 | 8 | real, IEEE 754, big-endian |
//! | 8, 9 | 0 | the integers 0 and 1 (schema format 4) |
//! | 10, 11 | 0 | not used in files; read as NULL |
//! | even, 12 and more | (n - 12) / 2 | BLOB |
//! | odd, 13 and more | (n - 13) / 2 | text in the encoding of the database |

use lithe_value::ValueRef;

/// The type of one column of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SerialType(pub u32);

/// Content lengths of the types below [`FIRST_BLOB`].
const FIXED_LEN: [u8; FIRST_BLOB as usize] = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0];

/// Content lengths of all types that fit in one byte of a header.
const SHORT_LEN: [u8; 128] = short_lengths();

const FIRST_BLOB: u32 = 12;

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn short_lengths() -> [u8; 128] {
    let mut lengths = [0; 128];
    let mut n = 0;
    while n < 128 {
        lengths[n] = if n < FIRST_BLOB as usize { FIXED_LEN[n] } else { ((n - FIRST_BLOB as usize) / 2) as u8 };
        n += 1;
    }
    lengths
}

impl SerialType {
    /// NULL.
    pub const NULL: SerialType = SerialType(0);
    /// An integer of eight bytes.
    pub const INTEGER_8: SerialType = SerialType(6);
    /// A real.
    pub const REAL: SerialType = SerialType(7);
    /// The integer 0 without content.
    pub const ZERO: SerialType = SerialType(8);
    /// The integer 1 without content.
    pub const ONE: SerialType = SerialType(9);

    /// The type of a BLOB of `len` bytes.
    #[inline]
    pub const fn blob(len: u32) -> SerialType {
        SerialType(2 * len + FIRST_BLOB)
    }

    /// The type of a text of `len` bytes.
    #[inline]
    pub const fn text(len: u32) -> SerialType {
        SerialType(2 * len + FIRST_BLOB + 1)
    }

    /// The shortest type for an integer.
    #[inline]
    pub const fn integer(value: i64, format: SchemaFormat) -> SerialType {
        // One magnitude is compared instead of two limits: -128 and 127 both become 127.
        let magnitude = (value ^ (value >> 63)) as u64;
        if magnitude <= 1 && matches!(format, SchemaFormat::Four) && value >= 0 {
            return SerialType(8 + value as u32);
        }
        SerialType(match magnitude {
            0..=0x7f => 1,
            0x80..=0x7fff => 2,
            0x8000..=0x7f_ffff => 3,
            0x80_0000..=0x7fff_ffff => 4,
            0x8000_0000..=0x7fff_ffff_ffff => 5,
            _ => 6,
        })
    }

    /// The type in which a value is stored.
    #[inline]
    pub fn of(value: &ValueRef<'_>, format: SchemaFormat) -> SerialType {
        match value {
            ValueRef::Null => SerialType::NULL,
            ValueRef::Integer(i) => SerialType::integer(*i, format),
            ValueRef::Real(_) => SerialType::REAL,
            ValueRef::Text(bytes) => SerialType::text(bytes.len() as u32),
            ValueRef::Blob(bytes) => SerialType::blob(bytes.len() as u32),
        }
    }

    /// Eight bytes that begin with the content of an integer of this type.
    #[inline]
    pub(crate) const fn leading_bytes(self, integer: i64) -> [u8; 8] {
        let shift = 64 - 8 * self.len();
        ((integer as u64) << if shift < 63 { shift } else { 63 }).to_be_bytes()
    }

    /// The number of content bytes.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a constant function, which has no other way; the bounds are checked in front"
    )]
    pub const fn len(self) -> u32 {
        if self.0 < 128 { SHORT_LEN[self.0 as usize] as u32 } else { (self.0 - FIRST_BLOB) / 2 }
    }

    /// Whether the value has no content bytes.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Whether the value is NULL.
    #[inline]
    pub const fn is_null(self) -> bool {
        matches!(self.0, 0 | 10 | 11)
    }

    /// Whether the value is an integer.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.0, 1..=6 | 8 | 9)
    }

    /// Whether the value is text.
    #[inline]
    pub const fn is_text(self) -> bool {
        self.0 > FIRST_BLOB && self.0 & 1 == 1
    }

    /// The length of a text of less than 58 bytes, whose type is one byte.
    #[inline]
    pub const fn short_text_len(self) -> Option<usize> {
        if self.is_text() && self.0 < 0x80 { Some((self.0 as usize - FIRST_BLOB as usize - 1) / 2) } else { None }
    }

    /// Whether the value is a BLOB.
    #[inline]
    pub const fn is_blob(self) -> bool {
        self.0 >= FIRST_BLOB && self.0 & 1 == 0
    }

    /// The value whose content starts at `at`, or `None` if it does not lie within `bytes`.
    #[inline]
    pub fn decode(self, bytes: &[u8], at: usize) -> Option<ValueRef<'_>> {
        Some(match self.0 {
            0 | 10 | 11 => ValueRef::Null,
            1..=6 | 8 | 9 => ValueRef::Integer(self.decode_integer(bytes, at)?),
            7 => {
                let real = f64::from_bits(u64::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
                // SQLite never stores NaN, and reads one as NULL.
                if real.is_nan() { ValueRef::Null } else { ValueRef::Real(real) }
            }
            n => {
                let content = bytes.get(at..)?.get(..self.len() as usize)?;
                if n & 1 == 1 { ValueRef::Text(content) } else { ValueRef::Blob(content) }
            }
        })
    }

    /// The integer whose content starts at `at`. The type must be an integer's.
    #[inline]
    pub fn decode_integer(self, bytes: &[u8], at: usize) -> Option<i64> {
        let tail = bytes.get(at..)?;
        Some(match self.0 {
            1 => i64::from(*tail.first()? as i8),
            2 => i64::from(i16::from_be_bytes(*tail.first_chunk()?)),
            3 => {
                let [a, b, c] = *tail.first_chunk::<3>()?;
                i64::from(i32::from_be_bytes([a, b, c, 0]) >> 8)
            }
            4 => i64::from(i32::from_be_bytes(*tail.first_chunk()?)),
            5 => {
                let [a, b, c, d, e, f] = *tail.first_chunk::<6>()?;
                i64::from_be_bytes([a, b, c, d, e, f, 0, 0]) >> 16
            }
            6 => i64::from_be_bytes(*tail.first_chunk()?),
            n => i64::from(n == 9),
        })
    }
}

/// The schema format of the header: whether serial types 8 and 9 may be written. All formats are read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SchemaFormat {
    /// 1, 2 and 3: integers 0 and 1 take a byte.
    Legacy,
    /// 4: that of nearly every database.
    #[default]
    Four,
}

impl SchemaFormat {
    /// From the header's value.
    pub const fn from_meta(value: u32) -> SchemaFormat {
        if value >= 4 { SchemaFormat::Four } else { SchemaFormat::Legacy }
    }
}

/// Appends the content of `value` to `out`, as its serial type stores it.
#[inline]
pub(crate) fn push_content(out: &mut Vec<u8>, value: &ValueRef<'_>, serial: SerialType) {
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(i) => {
            // All eight bytes, which is one store, and then as many as the type has.
            let start = out.len();
            out.extend_from_slice(&serial.leading_bytes(*i));
            out.truncate(start + serial.len() as usize);
        }
        ValueRef::Real(r) => out.extend_from_slice(&r.to_bits().to_be_bytes()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => out.extend_from_slice(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: ValueRef<'_>, format: SchemaFormat, serial: u32, content: &[u8]) {
        let found = SerialType::of(&value, format);
        assert_eq!(found, SerialType(serial), "{value:?}");
        assert_eq!(found.len() as usize, content.len());
        let mut out = vec![0xaa];
        push_content(&mut out, &value, found);
        assert_eq!(&out[1..], content, "{value:?}");
        assert_eq!(format!("{:?}", found.decode(&out, 1)), format!("{:?}", Some(value)));
        if !content.is_empty() {
            assert!(found.decode(&out[..out.len() - 1], 1).is_none());
            assert!(found.decode(&out, usize::MAX).is_none());
        }
    }

    #[test]
    fn integers_take_the_fewest_bytes() {
        use SchemaFormat::{Four, Legacy};
        check(ValueRef::Integer(0), Four, 8, &[]);
        check(ValueRef::Integer(1), Four, 9, &[]);
        check(ValueRef::Integer(0), Legacy, 1, &[0]);
        check(ValueRef::Integer(1), Legacy, 1, &[1]);
        check(ValueRef::Integer(-1), Four, 1, &[0xff]);
        check(ValueRef::Integer(2), Four, 1, &[2]);
        check(ValueRef::Integer(-128), Four, 1, &[0x80]);
        check(ValueRef::Integer(128), Four, 2, &[0, 0x80]);
        check(ValueRef::Integer(-32769), Four, 3, &[0xff, 0x7f, 0xff]);
        check(ValueRef::Integer(8_388_607), Four, 3, &[0x7f, 0xff, 0xff]);
        check(ValueRef::Integer(8_388_608), Four, 4, &[0, 0x80, 0, 0]);
        check(ValueRef::Integer(1 << 31), Four, 5, &[0, 0, 0x80, 0, 0, 0]);
        check(ValueRef::Integer(-(1 << 47)), Four, 5, &[0x80, 0, 0, 0, 0, 0]);
        check(ValueRef::Integer(1 << 47), Four, 6, &[0, 0, 0x80, 0, 0, 0, 0, 0]);
        check(ValueRef::Integer(i64::MIN), Four, 6, &[0x80, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn other_classes() {
        check(ValueRef::Null, SchemaFormat::Four, 0, &[]);
        check(ValueRef::Real(1.5), SchemaFormat::Four, 7, &[0x3f, 0xf8, 0, 0, 0, 0, 0, 0]);
        check(ValueRef::Text(b""), SchemaFormat::Four, 13, b"");
        check(ValueRef::Text(b"abc"), SchemaFormat::Four, 19, b"abc");
        check(ValueRef::Blob(b""), SchemaFormat::Four, 12, b"");
        check(ValueRef::Blob(&[9; 100]), SchemaFormat::Four, 212, &[9; 100]);
        assert_eq!(SerialType(10).decode(&[], 0).map(|v| matches!(v, ValueRef::Null)), Some(true));
        let nan = f64::NAN.to_bits().to_be_bytes();
        assert!(matches!(SerialType::REAL.decode(&nan, 0), Some(ValueRef::Null)));
    }
}
