//! The fields of a text for `.import`, by the rules of SQLite's shell.
//!
//! A quote begins a quoted field only as its first byte. There a quote that neither a separator nor a quote follows is a part of the field;
//! it is reported. A line without a byte is a row with one empty field. (The crate `csv` drops such lines, and quotes within a field.)

use std::io::{self, BufRead};

/// What stands behind a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Column,
    Row,
    Text,
}

/// What separates fields and rows.
#[derive(Clone, Copy, Debug)]
pub struct Separators {
    pub column: u8,
    pub row: u8,
    /// Whether quotes have their meaning.
    pub has_quotes: bool,
}

/// Reads one field after the other.
pub struct Fields<R> {
    text: R,
    separators: Separators,
    /// The name of the text for reports.
    name: String,
    /// The number of the line that is read next, from 1.
    line: u64,
    field: Vec<u8>,
    end: End,
}

const QUOTE: u8 = b'"';

impl<R: BufRead> Fields<R> {
    /// The fields of the text, without its byte order mark.
    pub fn new(mut text: R, separators: Separators, name: &str) -> io::Result<Fields<R>> {
        if text.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
            text.consume('\u{feff}'.len_utf8());
        }
        Ok(Fields { text, separators, name: name.to_owned(), line: 1, field: Vec::new(), end: End::Row })
    }

    /// Reads the next field; `None` at the end of the text.
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.field.clear();
        match self.text.fill_buf()?.first() {
            None => {
                self.end = End::Text;
                return Ok(None);
            }
            Some(&QUOTE) if self.separators.has_quotes => {
                self.text.consume(1);
                self.quoted()?;
            }
            Some(_) => self.plain()?,
        }
        Ok(Some(&self.field))
    }

    /// The fields up to the end of the row; returns their number.
    pub fn skip_row(&mut self) -> io::Result<u64> {
        let mut count = 0;
        while self.next()?.is_some() {
            count += 1;
            if self.end != End::Column {
                break;
            }
        }
        Ok(count)
    }

    pub fn separators(&self) -> Separators {
        self.separators
    }

    /// What stands behind the last field.
    pub fn end(&self) -> End {
        self.end
    }

    pub fn line(&self) -> u64 {
        self.line
    }

    fn plain(&mut self) -> io::Result<()> {
        let Separators { column, row, .. } = self.separators;
        loop {
            let bytes = self.text.fill_buf()?;
            let found = bytes.iter().position(|byte| *byte == column || *byte == row);
            let len = found.unwrap_or(bytes.len());
            self.field.extend_from_slice(&bytes[..len]);
            self.end = match bytes.get(len) {
                Some(byte) if *byte == column => End::Column,
                Some(_) => End::Row,
                None if len > 0 => {
                    self.text.consume(len);
                    continue;
                }
                None => End::Text,
            };
            self.text.consume(len + usize::from(found.is_some()));
            break;
        }
        if self.end == End::Row {
            self.line += 1;
            if self.field.last() == Some(&b'\r') && self.separators.has_quotes {
                self.field.pop();
            }
        }
        Ok(())
    }

    /// The rest of a quoted field.
    fn quoted(&mut self) -> io::Result<()> {
        let first_line = self.line;
        // The last two bytes; none behind a doubled quote.
        let (mut before, mut last) = (None, None);
        loop {
            let byte = self.text.fill_buf()?.first().copied();
            self.text.consume(usize::from(byte.is_some()));
            if byte == Some(self.separators.row) {
                self.line += 1;
            }
            if byte == Some(QUOTE) && last == Some(QUOTE) {
                last = None;
                continue;
            }
            if let Some(end) = self.end_behind_quote(byte, before, last) {
                let len = self.field.iter().rposition(|byte| *byte == QUOTE).unwrap_or(0);
                self.field.truncate(len);
                self.end = end;
                return Ok(());
            }
            if last == Some(QUOTE) && byte != Some(b'\r') {
                eprintln!("{}:{}: unescaped \" character", self.name, self.line);
            }
            let Some(byte) = byte else {
                eprintln!("{}:{first_line}: unterminated \"-quoted field", self.name);
                self.end = End::Text;
                return Ok(());
            };
            self.field.push(byte);
            (before, last) = (last, Some(byte));
        }
    }

    /// The end that `byte` is for a quoted field with these last two bytes.
    fn end_behind_quote(&self, byte: Option<u8>, before: Option<u8>, last: Option<u8>) -> Option<End> {
        let is_closed = last == Some(QUOTE);
        let is_closed_line = is_closed || (last == Some(b'\r') && before == Some(QUOTE));
        match byte {
            None => is_closed.then_some(End::Text),
            Some(byte) if byte == self.separators.column => is_closed.then_some(End::Column),
            Some(byte) if byte == self.separators.row => is_closed_line.then_some(End::Row),
            Some(_) => None,
        }
    }
}
