//! Values and records as bytes.
//!
//! ```text
//!   00                     undefined: the change does not have this column
//!   01 i64 big-endian      integer
//!   02 f64 big-endian      real
//!   03 varint n, n bytes   text, UTF-8
//!   04 varint n, n bytes   BLOB
//!   05                     NULL
//!   ff                     in memory only: a replaced column of a rebase
//! ```

use lithe_format::varint;
use lithe_vtab::{Grow, OutOfMemory, Result, Value, ValueRef};

use crate::corrupt;

pub(crate) const UNDEFINED: u8 = 0;
pub(crate) const INTEGER: u8 = 1;
pub(crate) const REAL: u8 = 2;
pub(crate) const TEXT: u8 = 3;
pub(crate) const BLOB: u8 = 4;
pub(crate) const NULL: u8 = 5;
pub(crate) const REPLACED: u8 = 0xff;

/// The value of a column that a change does not have.
pub(crate) const UNDEFINED_FIELD: &[u8] = &[UNDEFINED];

/// The bytes of an integer or a real after its type.
const NUMBER_LEN: usize = 8;
/// The greatest length of a text or BLOB, because sizes are ints in SQLite's interface.
const LEN_MAX: u64 = i32::MAX as u64;

/// The length of the value at the start of the bytes; `Err` has the number of bytes that are needed to know it.
pub(crate) fn field_len(bytes: &[u8]) -> Result<std::result::Result<usize, usize>> {
    let Some((kind, rest)) = bytes.split_first() else { return Ok(Err(1)) };
    Ok(match *kind {
        INTEGER | REAL => Ok(1 + NUMBER_LEN),
        TEXT | BLOB => match varint::read(rest) {
            None => Err(bytes.len() + 1),
            Some((len, _)) if len > LEN_MAX => return Err(corrupt()),
            Some((len, size)) => Ok(1 + size + len as usize),
        },
        _ => Ok(1),
    })
}

/// Writes a value.
///
/// # Errors
/// If the memory is short.
pub(crate) fn push(out: &mut Vec<u8>, value: ValueRef<'_>) -> std::result::Result<(), OutOfMemory> {
    let content = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len(),
        _ => NUMBER_LEN,
    };
    out.try_grow(1 + varint::MAX_LEN + content)?;
    match value {
        ValueRef::Null => out.push(NULL),
        ValueRef::Integer(integer) => {
            out.push(INTEGER);
            out.extend_from_slice(&integer.to_be_bytes());
        }
        ValueRef::Real(real) => {
            out.push(REAL);
            out.extend_from_slice(&real.to_be_bytes());
        }
        ValueRef::Text(bytes) => push_bytes(out, TEXT, bytes),
        ValueRef::Blob(bytes) => push_bytes(out, BLOB, bytes),
    }
    Ok(())
}

fn push_bytes(out: &mut Vec<u8>, kind: u8, bytes: &[u8]) {
    out.push(kind);
    varint::push(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// The encoded value.
///
/// # Errors
/// If the memory is short.
pub(crate) fn field_of(value: ValueRef<'_>) -> std::result::Result<Vec<u8>, OutOfMemory> {
    let mut field = Vec::new();
    push(&mut field, value)?;
    Ok(field)
}

/// The value; `None` if it is undefined.
pub(crate) fn value(field: &[u8]) -> Option<ValueRef<'_>> {
    let (kind, rest) = field.split_first()?;
    let number = || rest.first_chunk::<NUMBER_LEN>().copied();
    let bytes = || varint::read(rest).and_then(|(_, size)| rest.get(size..)).unwrap_or_default();
    match *kind {
        INTEGER => Some(ValueRef::Integer(i64::from_be_bytes(number()?))),
        REAL => Some(ValueRef::Real(f64::from_be_bytes(number()?))),
        TEXT => Some(ValueRef::Text(bytes())),
        BLOB => Some(ValueRef::Blob(bytes())),
        NULL => Some(ValueRef::Null),
        _ => None,
    }
}

/// As [`value`], as an owned value; NULL if it is undefined.
///
/// # Errors
/// If the memory is short.
pub(crate) fn owned_value(field: &[u8]) -> std::result::Result<Value, OutOfMemory> {
    Value::try_copy(value(field).unwrap_or(ValueRef::Null))
}

/// Whether the change has the column.
pub(crate) fn is_defined(field: &[u8]) -> bool {
    field.first() != Some(&UNDEFINED)
}

/// The encoded values of a record. The record was checked when it was read.
pub(crate) fn fields(record: &[u8]) -> Fields<'_> {
    Fields(record)
}

/// The iterator of [`fields`].
#[derive(Clone)]
pub(crate) struct Fields<'r>(&'r [u8]);

impl<'r> Iterator for Fields<'r> {
    type Item = &'r [u8];

    fn next(&mut self) -> Option<&'r [u8]> {
        let len = field_len(self.0).ok()?.ok()?;
        let (field, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(field)
    }
}

/// The encoded value of one column.
pub(crate) fn field(record: &[u8], column: usize) -> &[u8] {
    fields(record).nth(column).unwrap_or(UNDEFINED_FIELD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_there_and_back() {
        let values = [
            ValueRef::Null,
            ValueRef::Integer(-2),
            ValueRef::Real(0.5),
            ValueRef::Text(b"text"),
            ValueRef::Blob(&[0; 200]),
        ];
        let mut record = Vec::new();
        values.iter().try_for_each(|value| push(&mut record, *value)).unwrap();
        let back: Vec<_> = fields(&record).map(|field| value(field).unwrap()).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn damaged_values_are_errors() {
        assert!(field_len(&[TEXT, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
        assert_eq!(field_len(&[TEXT]).unwrap(), Err(2));
        assert_eq!(field_len(&[INTEGER, 0]).unwrap(), Ok(9));
        assert_eq!(fields(&[INTEGER, 0]).count(), 0);
    }
}
