//! Rows of a UTF-16 database: their texts are decoded when a row is read, and encoded when it is written.

use lithe_format::record::Builder;
use lithe_value::{Buffer, Encoding, ValueRef};

use crate::error::Error;

/// The texts of a row in the encoding of a UTF-16 database.
pub struct EncodedTexts(Vec<Buffer>);

impl EncodedTexts {
    /// Encodes the texts of `values`.
    #[cold]
    pub fn new(values: &[ValueRef<'_>], encoding: Encoding) -> EncodedTexts {
        EncodedTexts(values.iter().map(|value| recode(*value, |text, out| encoding.encode(text, out))).collect())
    }

    /// Decodes the texts of `values`, which come from a UTF-16 database.
    #[cold]
    pub fn decoded(values: &[ValueRef<'_>], encoding: Encoding) -> EncodedTexts {
        EncodedTexts(values.iter().map(|value| recode(*value, |text, out| encoding.decode(text, out))).collect())
    }

    /// The values with these texts.
    pub fn replace<'a>(&'a self, values: &[ValueRef<'a>]) -> Vec<ValueRef<'a>> {
        let replaced = |(value, text): (&ValueRef<'a>, &'a Buffer)| match value {
            ValueRef::Text(_) => ValueRef::Text(text.as_slice()),
            other => *other,
        };
        values.iter().zip(&self.0).map(replaced).collect()
    }
}

fn recode(value: ValueRef<'_>, convert: impl Fn(&[u8], &mut Buffer)) -> Buffer {
    let mut out = Buffer::new();
    if let ValueRef::Text(text) = value {
        convert(text, &mut out);
    }
    out
}

/// A record of a UTF-16 database as one with texts in UTF-8.
#[cold]
pub fn decode_record(record: &[u8], encoding: Encoding) -> Result<Vec<u8>, Error> {
    let values = lithe_format::record::values(record)?;
    let texts = EncodedTexts::decoded(&values, encoding);
    Ok(Builder::new().build(&texts.replace(&values)).to_vec())
}
