//! Records as far as they can be read.

use lithe_format::serial_type::SerialType;
use lithe_format::varint;
use lithe_value::ValueRef;

/// A row: the record of one cell, and the rowid of a table's cell.
#[derive(Debug)]
pub struct Row {
    /// The rowid; `None` for the key of an index or of a table WITHOUT ROWID.
    pub rowid: Option<i64>,
    payload: Vec<u8>,
}

impl Row {
    pub(crate) fn new(rowid: Option<i64>, payload: Vec<u8>) -> Row {
        Row { rowid, payload }
    }

    /// The fields of the record. Texts are bytes in the encoding of the database. If the payload ends early, the truncated value keeps its
    /// first part, and the fields after it are missing.
    pub fn values(&self) -> Vec<ValueRef<'_>> {
        let mut values = Vec::new();
        let Some((header_len, mut at)) = varint::read(&self.payload) else { return values };
        let header_end = usize::try_from(header_len).unwrap_or(usize::MAX).min(self.payload.len());
        let mut content_at = header_end;
        while at < header_end {
            let Some((code, next)) = varint::read_at(&self.payload, at) else { break };
            let Ok(code) = u32::try_from(code) else { break };
            let serial_type = SerialType(code);
            at = next;
            match serial_type.decode(&self.payload, content_at) {
                Some(value) => values.push(value),
                None => {
                    values.extend(cut(serial_type, self.payload.get(content_at..).unwrap_or_default()));
                    break;
                }
            }
            content_at += serial_type.len() as usize;
        }
        values
    }
}

/// The first part of a truncated text or BLOB. A truncated number is dropped.
fn cut(serial_type: SerialType, bytes: &[u8]) -> Option<ValueRef<'_>> {
    match serial_type {
        _ if bytes.is_empty() => None,
        text if text.is_text() => Some(ValueRef::Text(bytes)),
        blob if blob.is_blob() => Some(ValueRef::Blob(bytes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(payload: &[u8], expected: &[ValueRef<'_>]) {
        let row = Row::new(None, payload.to_vec());
        assert_eq!(format!("{:?}", row.values()), format!("{expected:?}"));
    }

    #[test]
    fn fields_as_far_as_they_go() {
        use ValueRef::{Integer, Null, Text};
        check(b"\x04\x00\x01\x13\x05abc", &[Null, Integer(5), Text(b"abc")]);
        check(b"\x04\x00\x01\x17\x05abc", &[Null, Integer(5), Text(b"abc")]);
        check(b"\x04\x00\x01\x06\x05abc", &[Null, Integer(5)]);
        check(b"\x7f\x00", &[Null]);
        check(b"", &[]);
        check(&[0xff; 40], &[]);
    }
}
