//! Parsing JSON and JSON5 text: into a tree, into JSONB, or only to know whether it is JSON.

use std::borrow::Cow;

use lithe_value::buffer::OutOfMemory;

use super::kind;
use super::output::{self, Output};
use super::tree::{DEPTH_MAX, Escapes, Json, Text, escape, is_plain_escape};
use crate::error::FunctionError;

/// What the values of a text become, from the first to the last.
pub trait Sink<'a> {
    /// Where an array or object begins.
    type Mark;
    /// null, true, false, or a number as it is written.
    fn scalar(&mut self, kind: u8, bytes: &'a [u8]) -> Result<()>;
    /// A string or a label.
    fn text(&mut self, escapes: Escapes, bytes: &'a [u8]) -> Result<()>;
    /// An array or object begins: what follows is in it.
    fn open(&mut self) -> Self::Mark;
    /// The array or object ends. An object's labels and values alternate.
    fn close(&mut self, is_object: bool, mark: Self::Mark) -> Result<()>;
}

/// Why a text could not be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is not JSON5; the offset of the error.
    Malformed(usize),
    /// The memory for the tree could not be allocated.
    OutOfMemory,
}

impl From<OutOfMemory> for Failure {
    fn from(_: OutOfMemory) -> Failure {
        Failure::OutOfMemory
    }
}

impl From<Failure> for FunctionError {
    fn from(failure: Failure) -> FunctionError {
        match failure {
            Failure::Malformed(_) => FunctionError::new("malformed JSON"),
            Failure::OutOfMemory => FunctionError::out_of_memory(),
        }
    }
}

/// Parses a text into a tree.
pub fn parse(text: &[u8]) -> Result<Json<'_>> {
    let mut tree = Tree(Vec::new());
    read(text, &mut tree)?;
    let json = tree.0.pop().unwrap_or(Json::Null);
    debug_assert!(tree.0.is_empty(), "a text is one value");
    Ok(json)
}

/// Parses a text into JSONB, which is appended to `out`.
pub fn to_binary(text: &[u8], out: &mut Output) -> Result<()> {
    read(text, out).map(|_| ())
}

/// Whether a text is JSON5 and not JSON.
pub fn is_json5(text: &[u8]) -> Result<bool> {
    read(text, &mut Nothing)
}

/// Reads a text; returns whether it is JSON5 and not JSON. Text that is not JSON5 is an error with an offset. For text after a
/// complete value, SQLite reports the offset at which the parser last tried to read a value or label and found something else.
fn read<'a>(text: &'a [u8], sink: &mut impl Sink<'a>) -> Result<bool> {
    let mut parser = Parser { text, at: 0, depth: 0, is_json5: false, missed: 0, space_at: 0, json5_space_at: 0, sink };
    parser.skip_space();
    parser.value()?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(parser.is_json5),
        Some(_) => Err(Failure::Malformed(parser.missed)),
    }
}

/// The values that have no array or object around them yet.
struct Tree<'a>(Vec<Json<'a>>);

impl<'a> Sink<'a> for Tree<'a> {
    type Mark = usize;

    fn scalar(&mut self, kind: u8, bytes: &'a [u8]) -> Result<()> {
        let digits = Cow::Borrowed(bytes);
        let json = match kind {
            kind::TRUE => Json::True,
            kind::FALSE => Json::False,
            kind::INT => Json::Integer(digits),
            kind::INT5 => Json::Hex(digits),
            kind::FLOAT => Json::Real(digits),
            kind::FLOAT5 => Json::BareReal(digits),
            _ => Json::Null,
        };
        Ok(output::push(&mut self.0, json)?)
    }

    fn text(&mut self, escapes: Escapes, bytes: &'a [u8]) -> Result<()> {
        Ok(output::push(&mut self.0, Json::Text(Text { escapes, bytes: Cow::Borrowed(bytes) }))?)
    }

    fn open(&mut self) -> usize {
        self.0.len()
    }

    fn close(&mut self, is_object: bool, mark: usize) -> Result<()> {
        let mut content = self.0.drain(mark..);
        let json = if is_object {
            let mut members = Vec::new();
            members.try_reserve_exact(content.len() / 2).map_err(|_| OutOfMemory)?;
            while let (Some(Json::Text(label)), Some(value)) = (content.next(), content.next()) {
                members.push((label, value));
            }
            Json::Object(members)
        } else {
            Json::Array(output::collect(content.by_ref().map(Ok))?)
        };
        drop(content);
        Ok(output::push(&mut self.0, json)?)
    }
}

/// Only the question whether a text is JSON.
struct Nothing;

impl<'a> Sink<'a> for Nothing {
    type Mark = ();

    fn scalar(&mut self, _kind: u8, _bytes: &'a [u8]) -> Result<()> {
        Ok(())
    }

    fn text(&mut self, _escapes: Escapes, _bytes: &'a [u8]) -> Result<()> {
        Ok(())
    }

    fn open(&mut self) {}

    fn close(&mut self, _is_object: bool, _mark: ()) -> Result<()> {
        Ok(())
    }
}

/// Whether a string may have the byte, whatever its quotes, without being JSON5 or an escape.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the table has a place for every byte")]
fn is_plain(byte: u8) -> bool {
    const PLAIN: [bool; 256] = {
        let mut plain = [false; 256];
        let mut byte = 0x20;
        while byte < plain.len() {
            plain[byte] = !matches!(byte as u8, b'"' | b'\'' | b'\\');
            byte += 1;
        }
        plain
    };
    PLAIN[usize::from(byte)]
}

struct Parser<'a, 's, S> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    is_json5: bool,
    /// Where the parser last expected a value or a quoted label and found none.
    missed: usize,
    /// Where the last skipped white space began, and where its JSON5-only part began.
    space_at: usize,
    json5_space_at: usize,
    sink: &'s mut S,
}

type Result<T, E = Failure> = std::result::Result<T, E>;

impl<'a, S: Sink<'a>> Parser<'a, '_, S> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text from `start` up to the current position.
    fn since(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The bytes after the current one.
    fn behind(&self) -> &'a [u8] {
        self.text.get(self.at + 1..).unwrap_or_default()
    }

    fn fail<T>(&self) -> Result<T> {
        Err(Failure::Malformed(self.at))
    }

    fn skip_space(&mut self) {
        self.space_at = self.at;
        // Most text has no white space here.
        if matches!(self.peek(), Some(b'!'..=b'.' | b'0'..=0x7f)) {
            self.json5_space_at = self.at;
            return;
        }
        self.skip_plain_space();
        self.json5_space_at = self.at;
        loop {
            match json5_space(self.rest()) {
                0 => return,
                len => {
                    self.at += len;
                    self.is_json5 = true;
                }
            }
            self.skip_plain_space();
        }
    }

    fn skip_plain_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// A value. The caller has skipped the white space before it.
    fn value(&mut self) -> Result<()> {
        let (kind, bytes) = match self.peek() {
            Some(b'{') => return self.nested(Self::object),
            Some(b'[') => return self.nested(Self::array),
            Some(quote @ (b'"' | b'\'')) => return self.string(quote),
            Some(b'-' | b'+' | b'.' | b'0'..=b'9') => self.number()?,
            // If there is no value, the reported offset is that before the white space.
            None | Some(b',' | b':' | b']' | b'}') => return Err(Failure::Malformed(self.space_at)),
            Some(_) => self.word()?,
        };
        self.sink.scalar(kind, bytes)
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == DEPTH_MAX {
            return self.fail();
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        read(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn array(&mut self) -> Result<()> {
        let mark = self.sink.open();
        while self.peek() != Some(b']') {
            self.value()?;
            if !self.separator(b']')? {
                self.at += 1;
                return self.sink.close(false, mark);
            }
        }
        self.missed = self.at;
        self.at += 1;
        self.sink.close(false, mark)
    }

    fn object(&mut self) -> Result<()> {
        let mark = self.sink.open();
        while self.peek() != Some(b'}') {
            match self.peek() {
                Some(quote @ (b'"' | b'\'')) => self.string(quote)?,
                _ => self.bare_label()?,
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(Failure::Malformed(self.json5_space_at));
            }
            self.at += 1;
            self.skip_space();
            self.value()?;
            if !self.separator(b'}')? {
                self.at += 1;
                return self.sink.close(true, mark);
            }
        }
        self.missed = self.at;
        self.at += 1;
        self.sink.close(true, mark)
    }

    /// Skips a comma and the white space around it, unless `close` follows; returns whether there was one. A comma before `close`
    /// is JSON5.
    fn separator(&mut self, close: u8) -> Result<bool> {
        // Most text has no white space here.
        match self.rest() {
            [b',', b'!'..=b'.' | b'0'..=0x7f, ..] => {
                self.at += 1;
                (self.space_at, self.json5_space_at) = (self.at, self.at);
                self.is_json5 |= self.peek() == Some(close);
                return Ok(true);
            }
            [byte, ..] if *byte == close => {
                (self.space_at, self.json5_space_at) = (self.at, self.at);
                return Ok(false);
            }
            _ => {}
        }
        let start = self.at;
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                self.is_json5 |= self.peek() == Some(close);
                Ok(true)
            }
            Some(byte) if byte == close => {
                if !self.since(start).iter().all(|byte| b" \t\n\r".contains(byte)) {
                    self.missed = self.at;
                }
                Ok(false)
            }
            _ => Err(Failure::Malformed(self.json5_space_at)),
        }
    }

    /// A label without quotes. A word that is a value (`true`, `null`, ...) is not a label.
    fn bare_label(&mut self) -> Result<()> {
        let start = self.at;
        if !matches!(self.peek(), Some(b'}' | b',' | b':' | b'{' | b'[') | None) && self.word().is_ok() {
            return Err(Failure::Malformed(start));
        }
        let mut escapes = Escapes::None;
        loop {
            match self.peek() {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80..) if json5_space(self.rest()) == 0 => self.at += 1,
                Some(b'0'..=b'9') if self.at > start => self.at += 1,
                Some(b'\\') => match escape(self.behind()) {
                    Some((_, len @ 5)) => {
                        escapes = Escapes::Json;
                        self.at += 1 + len;
                    }
                    _ => return self.fail(),
                },
                _ => break,
            }
        }
        if self.at == start {
            return self.fail();
        }
        (self.is_json5, self.missed) = (true, start);
        self.sink.text(escapes, self.since(start))
    }

    fn string(&mut self, quote: u8) -> Result<()> {
        self.at += 1;
        let start = self.at;
        let mut escapes = Escapes::None;
        if quote == b'\'' {
            (escapes, self.is_json5) = (Escapes::Json5, true);
        }
        loop {
            self.at += self.rest().iter().take_while(|byte| is_plain(**byte)).count();
            match self.peek() {
                Some(byte) if byte == quote => break,
                Some(b'\\') => {
                    let Some((_, len)) = escape(self.behind()) else {
                        return Err(Failure::Malformed(self.at + 1));
                    };
                    if self.behind().first().is_some_and(|&first| is_plain_escape(first)) {
                        escapes = if escapes == Escapes::Json5 { escapes } else { Escapes::Json };
                    } else {
                        (escapes, self.is_json5) = (Escapes::Json5, true);
                    }
                    self.at += 1 + len;
                }
                Some(0) | None => return self.fail(),
                Some(byte) => {
                    if byte < 0x20 {
                        (escapes, self.is_json5) = (Escapes::Json5, true);
                    }
                    self.at += 1;
                }
            }
        }
        let bytes = self.since(start);
        self.at += 1;
        if escapes == Escapes::Json5 && !bytes.iter().any(|&byte| byte == b'\\' || byte == b'"' || byte < 0x20) {
            escapes = Escapes::None; // only the quotes were JSON5
        }
        self.sink.text(escapes, bytes)
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// A number. For a sign without a number, SQLite reports the offset of the sign; for other malformed numbers, the offset of
    /// the first wrong byte.
    fn number(&mut self) -> Result<(u8, &'a [u8])> {
        let sign_at = self.at;
        let sign = self.peek().filter(|byte| matches!(byte, b'-' | b'+'));
        self.at += usize::from(sign.is_some());
        self.is_json5 |= sign == Some(b'+');
        let start = if sign == Some(b'+') { self.at } else { sign_at };
        if sign.is_some() {
            // After a sign, SQLite does not check the byte after the word.
            if let Some(len) = infinity(self.rest()) {
                self.at += len;
                self.is_json5 = true;
                return Ok((kind::FLOAT, if sign == Some(b'-') { b"-9e999" } else { b"9e999" }));
            }
            if !matches!(self.peek(), Some(b'.' | b'0'..=b'9')) {
                return Err(Failure::Malformed(sign_at));
            }
        }
        if matches!(self.rest(), [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit()) {
            self.at += 2;
            while self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                self.at += 1;
            }
            self.is_json5 = true;
            return Ok((kind::INT5, self.since(start)));
        }
        self.decimal(sign_at, start)
    }

    /// The digits of a number, its point and its exponent. A sign may be at `sign_at`; the bytes of the number begin at `start`.
    fn decimal(&mut self, sign_at: usize, start: usize) -> Result<(u8, &'a [u8])> {
        let zero_first = self.peek() == Some(b'0');
        let whole = self.digits();
        if zero_first && whole > 1 {
            return Err(Failure::Malformed(sign_at + 1));
        }
        let (mut is_real, mut is_bare) = (false, false);
        if self.peek() == Some(b'.') {
            let has_sign = self.at > sign_at && whole == 0;
            self.at += 1;
            let fraction = self.digits();
            if whole + fraction == 0 {
                return Err(Failure::Malformed(if has_sign { self.at } else { sign_at }));
            }
            (is_real, is_bare) = (true, whole == 0 || fraction == 0);
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(Failure::Malformed(self.at - 1));
            }
            is_real = true;
        }
        self.is_json5 |= is_bare;
        let kind = match (is_real, is_bare) {
            (_, true) => kind::FLOAT5,
            (true, false) => kind::FLOAT,
            (false, false) => kind::INT,
        };
        Ok((kind, self.since(start)))
    }

    fn word(&mut self) -> Result<(u8, &'static [u8])> {
        for (word, kind) in [("true", kind::TRUE), ("false", kind::FALSE), ("null", kind::NULL)] {
            if self.rest().starts_with(word.as_bytes()) && !is_word(self.text.get(self.at + word.len())) {
                self.at += word.len();
                return Ok((kind, b""));
            }
        }
        let json5 = |word: &str| {
            let has = self.rest().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
            has && !is_word(self.text.get(self.at + word.len()))
        };
        let whole_infinity = |len: &usize| !is_word(self.text.get(self.at + len));
        let (scalar, len): ((u8, &[u8]), usize) = if let Some(len) = infinity(self.rest()).filter(whole_infinity) {
            ((kind::FLOAT, b"9e999"), len)
        } else if json5("nan") {
            ((kind::NULL, b""), 3)
        } else if json5("qnan") || json5("snan") {
            ((kind::NULL, b""), 4)
        } else {
            return self.fail();
        };
        self.at += len;
        self.is_json5 = true;
        Ok(scalar)
    }
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_alphanumeric)
}

/// The length of the word Infinity at the start of a text, or of its short form.
fn infinity(text: &[u8]) -> Option<usize> {
    let is = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    if is("infinity") {
        Some(8)
    } else if is("inf") {
        Some(3)
    } else {
        None
    }
}

/// The length of white space or a comment that only JSON5 has; 0 for none.
fn json5_space(text: &[u8]) -> usize {
    match text {
        [0x0b | 0x0c, ..] => 1,
        [0xc2, 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        [b'/', b'/', rest @ ..] => {
            let is_end = |at: &usize| {
                let rest = rest.get(*at..).unwrap_or_default();
                matches!(rest, [b'\n' | b'\r', ..] | [0xe2, 0x80, 0xa8 | 0xa9, ..])
            };
            2 + (0..rest.len()).find(is_end).unwrap_or(rest.len())
        }
        [b'/', b'*', rest @ ..] => rest.windows(2).position(|pair| pair == b"*/").map_or(0, |at| at + 4),
        _ => 0,
    }
}
