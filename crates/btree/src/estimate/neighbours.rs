//! Comparing neighbouring entries of an index: in how many of their first columns they are equal, and where their rows are.

use lithe_format::record;
use lithe_format::serial_type::SerialType;
use lithe_value::ValueRef;

/// What two entries have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The number of leading columns that are equal, as far as they were compared.
    pub same: usize,
    /// The integers at the ends of both, which are rowids in an index of a table that has them.
    pub rowids: Option<(i64, i64)>,
}

/// The largest type of a number or NULL.
const NUMBER_MAX: u8 = 9;

/// Compares entries; `None` if one is no record.
pub fn compare(before: &[u8], entry: &[u8]) -> Option<Pair> {
    let (before, entry) = (record::values(before).ok()?, record::values(entry).ok()?);
    let rowids = match (before.last(), entry.last()) {
        (Some(ValueRef::Integer(a)), Some(ValueRef::Integer(b))) => Some((*a, *b)),
        _ => None,
    };
    let same = before.iter().zip(&entry).take_while(|(a, b)| a == b).count();
    Some(Pair { same, rowids })
}

/// The same for entries all of whose types have one byte, of which up to `most` columns are compared, where they lie. `None`: the
/// caller must use [`compare`].
#[inline]
pub fn compare_short(before: &[u8], entry: &[u8], most: usize) -> Option<Pair> {
    let (types, others) = (short_types(before)?, short_types(entry)?);
    let (mut at, mut other_at) = (1 + types.len(), 1 + others.len());
    let mut same = 0;
    for (serial, other) in types.iter().zip(others).take(most) {
        let (len, other_len) = (len_of(*serial), len_of(*other));
        let is_equal = if serial == other {
            before.get(at..at + len)? == entry.get(other_at..other_at + len)?
        } else {
            // Texts and BLOBs of different types or lengths differ.
            *serial.max(other) <= NUMBER_MAX
                && SerialType(u32::from(*serial)).decode(before, at)?
                    == SerialType(u32::from(*other)).decode(entry, other_at)?
        };
        if !is_equal {
            break;
        }
        (same, at, other_at) = (same + 1, at + len, other_at + other_len);
    }
    let rowids = last_integer(before, types).zip(last_integer(entry, others));
    Some(Pair { same, rowids })
}

/// The types of a record whose header, and each type in it, is short.
#[inline]
fn short_types(record: &[u8]) -> Option<&[u8]> {
    let &header_len @ 2..0x80 = record.first()? else { return None };
    let types = record.get(1..usize::from(header_len))?;
    types.iter().all(|serial| *serial < 0x80).then_some(types)
}

#[inline]
fn len_of(serial: u8) -> usize {
    SerialType(u32::from(serial)).len() as usize
}

/// The last column, which ends the record, if it is an integer.
#[inline]
fn last_integer(record: &[u8], types: &[u8]) -> Option<i64> {
    let serial = SerialType(u32::from(*types.last()?));
    let at = record.len().checked_sub(serial.len() as usize)?;
    if serial.is_integer() { serial.decode_integer(record, at) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lithe_format::record::Builder;

    /// Entries compare where they lie as they do by their values.
    #[test]
    fn entries_compare_as_their_values() {
        use ValueRef::{Blob, Integer, Null, Real, Text};
        let values = [
            Null,
            Integer(0),
            Integer(1),
            Integer(7),
            Integer(700),
            Integer(1 << 40),
            Real(7.0),
            Real(0.5),
            Text(b""),
            Text(b"a"),
            Text(b"ab"),
            Blob(b"a"),
            Text(&[b'x'; 80]),
        ];
        let mut builder = Builder::new();
        let mut short = 0;
        for (first, other_first) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
            for (second, rowid) in [(Null, 5), (Text(b"ab"), 1 << 50), (Integer(700), 6)] {
                let before = builder.build(&[first, Integer(700), Integer(5)]).to_vec();
                let entry = builder.build(&[other_first, second, Integer(rowid)]).to_vec();
                let expected = compare(&before, &entry).unwrap();
                for most in 0..4 {
                    let Some(pair) = compare_short(&before, &entry, most) else { continue };
                    short += 1;
                    assert_eq!(
                        pair,
                        Pair { same: expected.same.min(most), ..expected },
                        "{first} {other_first} {second}"
                    );
                }
            }
        }
        assert!(short > 1_000, "most entries are short");
        assert_eq!(compare_short(&[], &[2, 1, 1], 1), None);
        assert_eq!(compare_short(&[9, 1], &[2, 1, 1], 1), None);
        assert_eq!(compare_short(&[2, 1], &[2, 1], 1), None);
    }
}
