//! Reads records: fields between commas, in quotes or not, up to the end of a line.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor};
use std::sync::Arc;

use lithe_vtab::{FunctionError, Grow, Result, code};

use crate::function::possible;

/// The source of the text.
pub enum Source {
    /// The file of that name.
    File(String),
    /// An argument of the table.
    Data(Arc<String>),
}

/// The text of a table, which its scans share.
struct Data(Arc<String>);

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A reader of a text.
pub struct Reader {
    input: Box<dyn BufRead>,
    /// The longest field.
    field_bytes_max: usize,
}

/// A byte order mark that may precede a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Reader {
    /// Opens a source.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(source: &Source, field_bytes_max: usize) -> Result<Reader> {
        let mut input: Box<dyn BufRead> = match source {
            Source::File(name) => {
                let unreadable =
                    |_| FunctionError::quoting(code::ERROR, format_args!("cannot open '{name}' for reading"));
                let file = possible(name.as_ref()).and_then(File::open);
                Box::new(BufReader::new(file.map_err(unreadable)?))
            }
            Source::Data(text) => Box::new(Cursor::new(Data(Arc::clone(text)))),
        };
        if input.fill_buf().is_ok_and(|start| start.starts_with(BYTE_ORDER_MARK)) {
            input.consume(BYTE_ORDER_MARK.len());
        }
        Ok(Reader { input, field_bytes_max })
    }

    /// Reads a record into `fields`, of which only the first `count` are kept. False at the end of the text.
    ///
    /// # Errors
    /// SQLITE_TOOBIG for a field that is too long; those of reading the file.
    pub fn record(&mut self, fields: &mut Vec<Vec<u8>>, count: usize) -> Result<bool> {
        let Some(mut next) = self.byte()? else {
            fields.clear();
            return Ok(false);
        };
        let mut kept = 0;
        loop {
            // The buffers of the previous record are reused.
            let mut field = fields.get_mut(kept).map(std::mem::take).unwrap_or_default();
            field.clear();
            let end = self.field(next, &mut field)?;
            if kept < count {
                match fields.get_mut(kept) {
                    Some(place) => *place = field,
                    None => fields.try_push(field)?,
                }
                kept += 1;
            }
            if end != Some(b',') {
                break;
            }
            // An empty field follows a comma at the very end of the text.
            match self.byte()? {
                Some(byte) => next = byte,
                None => next = b'\n',
            }
        }
        fields.truncate(kept);
        Ok(true)
    }

    /// Reads a field that begins with the byte `first`; answers its terminator: a comma, a line feed, or None at the end of the text.
    fn field(&mut self, first: u8, field: &mut Vec<u8>) -> Result<Option<u8>> {
        if first == b'"' {
            return self.quoted_field(field);
        }
        let mut next = Some(first);
        while let Some(byte) = next.filter(|byte| !matches!(byte, b',' | b'\n')) {
            self.push(field, byte)?;
            next = self.byte()?;
        }
        if next != Some(b',') && field.last() == Some(&b'\r') {
            field.pop();
        }
        Ok(next)
    }

    /// Reads the rest of a field after its opening quote. A doubled quote stands for one; a quote that neither ends the field nor is
    /// doubled stands for itself; without a closing quote, the field ends with the text.
    fn quoted_field(&mut self, field: &mut Vec<u8>) -> Result<Option<u8>> {
        while let Some(byte) = self.byte()? {
            if byte != b'"' {
                self.push(field, byte)?;
                continue;
            }
            match self.byte()? {
                Some(b'"') => self.push(field, b'"')?,
                end @ (Some(b',' | b'\n') | None) => return Ok(end),
                Some(b'\r') if matches!(self.peek()?, Some(b'\n') | None) => return self.byte(),
                Some(other) => {
                    self.push(field, b'"')?;
                    self.push(field, other)?;
                }
            }
        }
        Ok(None)
    }

    fn push(&self, field: &mut Vec<u8>, byte: u8) -> Result {
        if field.len() >= self.field_bytes_max {
            return Err(FunctionError::too_big());
        }
        Ok(field.try_push(byte)?)
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        let buffer = self.input.fill_buf().map_err(|error| FunctionError::new(error.to_string()))?;
        Ok(buffer.first().copied())
    }

    fn byte(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        if byte.is_some() {
            self.input.consume(1);
        }
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<Vec<String>> {
        let mut reader = Reader::open(&Source::Data(Arc::new(text.to_owned())), 100).unwrap();
        let (mut all, mut fields) = (Vec::new(), Vec::new());
        while reader.record(&mut fields, 3).unwrap() {
            all.push(fields.iter().map(|field| String::from_utf8(field.clone()).unwrap()).collect());
        }
        all
    }

    #[test]
    fn fields_and_records() {
        let check = |text: &str, expected: &[&[&str]]| assert_eq!(records(text), expected, "{text:?}");
        check("", &[]);
        check("a", &[&["a"]]);
        check("a,b\r\nc,d\n", &[&["a", "b"], &["c", "d"]]);
        check("\u{feff}a,,\n\nb,\n", &[&["a", "", ""], &[""], &["b", ""]]);
        check("1,2,3,4\n5", &[&["1", "2", "3"], &["5"]]);
        check("a,", &[&["a", ""]]);
        check("\"a,\"\"b\nc\",d\r\n\"\"\r\ne", &[&["a,\"b\nc", "d"], &[""], &["e"]]);
        check("a\"b,\"c\"d\",\"open\nend", &[&["a\"b", "c\"d", "open\nend"]]);
    }

    #[test]
    fn a_field_has_a_longest_length() {
        let mut reader = Reader::open(&Source::Data(Arc::new("abcdef".to_owned())), 5).unwrap();
        assert!(reader.record(&mut Vec::new(), 3).is_err());
    }
}
