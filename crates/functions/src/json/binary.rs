//! JSONB: <https://sqlite.org/jsonb.html>.
//!
//! ```text
//!   | size or its length : 4 bits | kind : 4 bits |  size, big-endian, 0, 1, 2, 4 or 8 bytes  |  content  |
//! ```

use std::borrow::Cow;

use super::kind;
use super::output::{self, Output};
use super::parse::{Failure, Sink};
use super::tree::{DEPTH_MAX, Escapes, Json, Text, escape, is_plain_escape, needs_escape};

/// The largest size in the first byte.
const SIZE_INLINE_MAX: usize = 11;

/// The name of a kind, as json_type() says it.
pub fn type_name(kind: u8) -> Option<&'static str> {
    Some(match kind {
        kind::NULL => "null",
        kind::TRUE => "true",
        kind::FALSE => "false",
        kind::INT | kind::INT5 => "integer",
        kind::FLOAT | kind::FLOAT5 => "real",
        kind::TEXT..=kind::TEXTRAW => "text",
        kind::ARRAY => "array",
        kind::OBJECT => "object",
        _ => return None,
    })
}

/// Appends the value.
pub fn push(json: &Json<'_>, out: &mut Output) {
    match json {
        Json::Null => push_bytes(kind::NULL, b"", out),
        Json::True => push_bytes(kind::TRUE, b"", out),
        Json::False => push_bytes(kind::FALSE, b"", out),
        Json::Integer(digits) => push_bytes(kind::INT, digits, out),
        Json::Hex(digits) => push_bytes(kind::INT5, digits, out),
        Json::Real(digits) => push_bytes(kind::FLOAT, digits, out),
        Json::BareReal(digits) => push_bytes(kind::FLOAT5, digits, out),
        Json::Text(text) => push_text(text, out),
        Json::Array(items) => {
            let start = out.len();
            items.iter().for_each(|item| push(item, out));
            put_header(kind::ARRAY, start, out);
        }
        Json::Object(members) => {
            let start = out.len();
            for (label, value) in members {
                push_text(label, out);
                push(value, out);
            }
            put_header(kind::OBJECT, start, out);
        }
        Json::Damaged(bytes) | Json::Binary(bytes) => out.extend(bytes),
    }
}

impl<'a> Sink<'a> for Output {
    type Mark = usize;

    fn scalar(&mut self, kind: u8, bytes: &'a [u8]) -> Result<(), Failure> {
        push_bytes(kind, bytes, self);
        Ok(())
    }

    fn text(&mut self, escapes: Escapes, bytes: &'a [u8]) -> Result<(), Failure> {
        push_bytes(kind_of(escapes), bytes, self);
        Ok(())
    }

    /// A byte is there for the header; most arrays and objects need one more.
    fn open(&mut self) -> usize {
        self.push(0);
        self.len()
    }

    fn close(&mut self, is_object: bool, mark: usize) -> Result<(), Failure> {
        let kind = if is_object { kind::OBJECT } else { kind::ARRAY };
        let size = self.len().saturating_sub(mark);
        if size <= SIZE_INLINE_MAX {
            self.set(mark.saturating_sub(1), (size as u8) << 4 | kind);
            return Ok(());
        }
        let (header, len) = header_of(kind, size);
        self.put(mark.saturating_sub(1), 1, header.get(..len).unwrap_or_default());
        Ok(())
    }
}

/// Appends an object or array with this content.
pub fn push_container(is_object: bool, content: &[u8], out: &mut Output) {
    push_bytes(if is_object { kind::OBJECT } else { kind::ARRAY }, content, out);
}

fn push_text(text: &Text<'_>, out: &mut Output) {
    push_bytes(kind_of(text.escapes), &text.bytes, out);
}

fn kind_of(escapes: Escapes) -> u8 {
    match escapes {
        Escapes::None => kind::TEXT,
        Escapes::Json => kind::TEXTJ,
        Escapes::Json5 => kind::TEXT5,
        Escapes::Raw => kind::TEXTRAW,
    }
}

fn push_bytes(kind: u8, content: &[u8], out: &mut Output) {
    if content.len() <= SIZE_INLINE_MAX {
        return out.push_before((content.len() as u8) << 4 | kind, content);
    }
    let (header, len) = header_of(kind, content.len());
    out.extend(header.get(..len).unwrap_or_default());
    out.extend(content);
}

/// Puts the header before an array or object whose content begins at `start`.
fn put_header(kind: u8, start: usize, out: &mut Output) {
    let (header, len) = header_of(kind, out.len().saturating_sub(start));
    out.put(start, 0, header.get(..len).unwrap_or_default());
}

/// The shortest header of a value with content of this size, and its length.
fn header_of(kind: u8, size: usize) -> ([u8; 5], usize) {
    let [.., a, b, c, d] = (size as u64).to_be_bytes();
    match size {
        ..=SIZE_INLINE_MAX => ([d << 4 | kind, 0, 0, 0, 0], 1),
        12..=0xff => ([0xc0 | kind, d, 0, 0, 0], 2),
        0x100..=0xffff => ([0xd0 | kind, c, d, 0, 0], 3),
        _ => ([0xe0 | kind, a, b, c, d], 5),
    }
}

/// The error of a BLOB that is not JSONB. Its position is not reported.
const MALFORMED: Failure = Failure::Malformed(0);

/// Whether a BLOB is taken for JSONB: its outermost header must fit. One that begins like a text of JSON must be valid JSONB.
pub fn has_plausible_header(blob: &[u8]) -> Result<bool, Failure> {
    let Some((kind, content, [])) = header(blob) else { return Ok(false) };
    if kind > kind::OBJECT || (kind <= kind::FALSE && !content.is_empty()) {
        return Ok(false);
    }
    if matches!(blob.first(), Some(b'{' | b'[' | b'0'..=b'9')) { is_valid(blob) } else { Ok(true) }
}

/// Whether the whole BLOB is valid JSONB.
pub fn is_valid(blob: &[u8]) -> Result<bool, Failure> {
    match value(blob, 0, true) {
        Ok((_, rest)) => Ok(rest.is_empty()),
        Err(Failure::Malformed(_)) => Ok(false),
        Err(failure) => Err(failure),
    }
}

/// Reads a BLOB. Damage within it is an error of the function that reads the damaged part.
pub fn parse(blob: &[u8]) -> Result<Json<'_>, Failure> {
    value(blob, 0, false).map(|(json, _)| json)
}

/// The kind, the content, and the bytes after it.
#[inline]
pub fn header(blob: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&first, rest) = blob.split_first()?;
    let (size, rest) = match first >> 4 {
        size @ 0..=11 => (u64::from(size), rest),
        12 => rest.split_first().map(|(&size, rest)| (u64::from(size), rest))?,
        13 => rest.split_first_chunk().map(|(size, rest)| (u64::from(u16::from_be_bytes(*size)), rest))?,
        14 => rest.split_first_chunk().map(|(size, rest)| (u64::from(u32::from_be_bytes(*size)), rest))?,
        _ => rest.split_first_chunk().map(|(size, rest)| (u64::from_be_bytes(*size), rest))?,
    };
    let (content, rest) = rest.split_at_checked(usize::try_from(size).ok()?)?;
    Some((first & 15, content, rest))
}

/// Reads a value; returns the value and the bytes after it. Strictly, or as SQLite reads it, which checks only the parts that it needs.
fn value(blob: &[u8], depth: usize, is_strict: bool) -> Result<(Json<'_>, &[u8]), Failure> {
    let (kind, content, rest) = header(blob).ok_or(MALFORMED)?;
    if depth > DEPTH_MAX {
        return Err(MALFORMED);
    }
    let json = match kind {
        // Each of them must be one byte, although a longer header could encode it.
        kind::NULL | kind::TRUE | kind::FALSE if is_strict && blob.first() != Some(&kind) => return Err(MALFORMED),
        kind::NULL => Json::Null,
        kind::TRUE => Json::True,
        kind::FALSE => Json::False,
        kind::INT..=kind::FLOAT5 => number(kind, content, is_strict)?,
        kind::TEXT..=kind::TEXTRAW => Json::Text(text(kind, content, is_strict)?),
        kind::ARRAY => Json::Array(elements(content, depth, is_strict)?),
        kind::OBJECT => Json::Object(members(content, depth, is_strict)?),
        _ => return Err(MALFORMED),
    };
    Ok((json, rest))
}

/// Makes [JSONB](Json::Binary) a tree, down to its children; any other value is left as it is.
pub fn open(json: &mut Json<'_>) -> Result<(), Failure> {
    let Json::Binary(blob) = *json else { return Ok(()) };
    let (kind, mut rest, _) = header(blob).ok_or(MALFORMED)?;
    *json = match kind {
        kind::ARRAY => {
            let mut items = Vec::new();
            while !rest.is_empty() {
                output::push(&mut items, Json::Binary(split(&mut rest)?))?;
            }
            Json::Array(items)
        }
        kind::OBJECT => {
            let mut members = Vec::new();
            while !rest.is_empty() {
                let (kind, bytes, behind) = header(rest).ok_or(MALFORMED)?;
                rest = behind;
                output::push(&mut members, (text(kind, bytes, false)?, Json::Binary(split(&mut rest)?)))?;
            }
            Json::Object(members)
        }
        _ => parse(blob)?,
    };
    Ok(())
}

/// Takes the first value off `rest`: its bytes.
fn split<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], Failure> {
    let (_, _, behind) = header(rest).ok_or(MALFORMED)?;
    let (value, _) = rest.split_at_checked(rest.len() - behind.len()).ok_or(MALFORMED)?;
    *rest = behind;
    Ok(value)
}

fn elements(mut content: &[u8], depth: usize, is_strict: bool) -> Result<Vec<Json<'_>>, Failure> {
    let mut items = Vec::new();
    while !content.is_empty() {
        let (item, behind) = match value(content, depth + 1, is_strict) {
            Err(Failure::Malformed(_)) if !is_strict => (Json::Damaged(content), &[][..]),
            read => read?,
        };
        output::push(&mut items, item)?;
        content = behind;
    }
    Ok(items)
}

fn members(mut content: &[u8], depth: usize, is_strict: bool) -> Result<Vec<(Text<'_>, Json<'_>)>, Failure> {
    let mut members = Vec::new();
    while !content.is_empty() {
        let member = header(content).ok_or(MALFORMED).and_then(|(kind, bytes, behind)| {
            let label = text(kind, bytes, is_strict)?;
            let (member, behind) = value(behind, depth + 1, is_strict)?;
            Ok((label, member, behind))
        });
        let (label, member, behind) = match member {
            Err(Failure::Malformed(_)) if !is_strict => {
                (Text { escapes: Escapes::None, bytes: Cow::Borrowed(b"") }, Json::Damaged(content), &[][..])
            }
            read => read?,
        };
        output::push(&mut members, (label, member))?;
        content = behind;
    }
    Ok(members)
}

/// A number. Read strictly, the bytes must be digits of that kind.
fn number(kind: u8, content: &[u8], is_strict: bool) -> Result<Json<'_>, Failure> {
    let digits = Cow::Borrowed(content);
    if content.is_empty() {
        return Err(MALFORMED);
    }
    let json = match kind {
        kind::INT => Json::Integer(digits),
        kind::INT5 => Json::Hex(digits),
        kind::FLOAT => Json::Real(digits),
        _ => Json::BareReal(digits),
    };
    if !is_strict {
        return Ok(json);
    }
    if is_written_as(kind, content) { Ok(json) } else { Err(MALFORMED) }
}

/// Whether SQLite accepts the digits for a number of that kind in the strict check: an integer may have leading zeros, and a real
/// may begin with its exponent.
fn is_written_as(kind: u8, content: &[u8]) -> bool {
    let digits = content.strip_prefix(b"-").unwrap_or(content);
    match kind {
        kind::INT => all(digits, u8::is_ascii_digit),
        kind::INT5 => matches!(digits, [b'0', b'x' | b'X', hex @ ..] if all(hex, u8::is_ascii_hexdigit)),
        _ => {
            let mut parts = digits.splitn(2, |byte| matches!(byte, b'e' | b'E'));
            let (mantissa, exponent) = (parts.next().unwrap_or_default(), parts.next());
            is_mantissa(kind, mantissa, exponent.is_some()) && exponent.is_none_or(is_exponent)
        }
    }
}

fn all(digits: &[u8], is_digit: impl Fn(&u8) -> bool) -> bool {
    !digits.is_empty() && digits.iter().all(is_digit)
}

fn is_mantissa(kind: u8, digits: &[u8], has_exponent: bool) -> bool {
    let leads_with_zero = |whole: &[u8]| whole.len() > 1 && whole.starts_with(b"0");
    let mut parts = digits.splitn(2, |&byte| byte == b'.');
    let (whole, fraction) = (parts.next().unwrap_or_default(), parts.next());
    let are_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    if !are_digits(whole) || !fraction.is_none_or(are_digits) || (kind == kind::FLOAT && leads_with_zero(whole)) {
        return false;
    }
    match fraction {
        None => has_exponent,
        Some(fraction) if kind == kind::FLOAT => !whole.is_empty() && !fraction.is_empty(),
        Some(fraction) => !whole.is_empty() || !fraction.is_empty(),
    }
}

fn is_exponent(exponent: &[u8]) -> bool {
    all(exponent.strip_prefix(b"-").or(exponent.strip_prefix(b"+")).unwrap_or(exponent), u8::is_ascii_digit)
}

/// A text. Read strictly, it has only escapes of its kind; otherwise any value except arrays and objects may be a label.
fn text(kind: u8, content: &[u8], is_strict: bool) -> Result<Text<'_>, Failure> {
    let escapes = match kind {
        kind::TEXT => Escapes::None,
        kind::TEXTJ => Escapes::Json,
        kind::TEXT5 => Escapes::Json5,
        kind::TEXTRAW => Escapes::Raw,
        kind::INT..=kind::FLOAT5 if !is_strict => Escapes::None,
        _ => return Err(MALFORMED),
    };
    if is_strict && !fits(escapes, content) {
        return Err(MALFORMED);
    }
    Ok(Text { escapes, bytes: Cow::Borrowed(content) })
}

/// A label, decoded without the strict check of its escapes.
pub fn label(kind: u8, content: &[u8]) -> Option<Text<'_>> {
    text(kind, content, false).ok()
}

/// Whether a string may have these bytes between its quotes.
fn fits(escapes: Escapes, mut bytes: &[u8]) -> bool {
    while let Some((&byte, behind)) = bytes.split_first() {
        bytes = behind;
        match (escapes, byte) {
            (Escapes::Raw, _) => return true,
            (Escapes::Json5, b'"') => {}
            // SQLite does not check the two bytes after it.
            (Escapes::Json5, b'\\') if behind.starts_with(b"x") => match behind.get(3..) {
                Some(rest) => bytes = rest,
                None => return false,
            },
            (Escapes::Json | Escapes::Json5, b'\\') => {
                let Some((_, len)) = escape(behind) else { return false };
                if escapes == Escapes::Json && !behind.first().is_some_and(|&first| is_plain_escape(first)) {
                    return false;
                }
                bytes = behind.get(len..).unwrap_or_default();
            }
            (Escapes::Json5, _) => {}
            (_, byte) if needs_escape(byte) => return false,
            _ => {}
        }
    }
    true
}
