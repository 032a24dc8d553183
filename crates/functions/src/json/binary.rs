//! JSONB: <https://sqlite.org/jsonb.html>.
//!
//! ```text
//!   | size or its length : 4 bits | kind : 4 bits |  size, big-endian, 0, 1, 2, 4 or 8 bytes  |  content  |
//! ```

use std::borrow::Cow;

use lithe_value::buffer::OutOfMemory;

use super::output::{self, Output};
use super::parse::Failure;
use super::tree::{DEPTH_MAX, Escapes, Json, Text};

mod kind {
    pub const NULL: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const INT: u8 = 3;
    pub const INT5: u8 = 4;
    pub const FLOAT: u8 = 5;
    pub const FLOAT5: u8 = 6;
    pub const TEXT: u8 = 7;
    pub const TEXTJ: u8 = 8;
    pub const TEXT5: u8 = 9;
    pub const TEXTRAW: u8 = 10;
    pub const ARRAY: u8 = 11;
    pub const OBJECT: u8 = 12;
}

/// The largest size that stands in the first byte.
const SIZE_INLINE_MAX: usize = 11;

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
            let mut content = Output::default();
            items.iter().for_each(|item| push(item, &mut content));
            push_container(false, content, out);
        }
        Json::Object(members) => {
            let mut content = Output::default();
            for (label, value) in members {
                push_text(label, &mut content);
                push(value, &mut content);
            }
            push_container(true, content, out);
        }
    }
}

/// Appends an object or array with this content.
pub fn push_container(is_object: bool, content: Output, out: &mut Output) {
    match content.finish() {
        Ok(content) => push_bytes(if is_object { kind::OBJECT } else { kind::ARRAY }, content.as_slice(), out),
        Err(OutOfMemory) => out.lose(),
    }
}

fn push_text(text: &Text<'_>, out: &mut Output) {
    let kind = match text.escapes {
        Escapes::None => kind::TEXT,
        Escapes::Json => kind::TEXTJ,
        Escapes::Json5 => kind::TEXT5,
        Escapes::Raw => kind::TEXTRAW,
    };
    push_bytes(kind, &text.bytes, out);
}

fn push_bytes(kind: u8, content: &[u8], out: &mut Output) {
    let size = content.len();
    if size <= SIZE_INLINE_MAX {
        out.push((size as u8) << 4 | kind);
    } else if let Ok(size) = u8::try_from(size) {
        out.extend(&[0xc0 | kind, size]);
    } else if let Ok(size) = u16::try_from(size) {
        out.push(0xd0 | kind);
        out.extend(&size.to_be_bytes());
    } else {
        out.push(0xe0 | kind);
        out.extend(&(size as u32).to_be_bytes());
    }
    out.extend(content);
}

/// Why a BLOB is no JSONB; nobody wants to know where.
const MALFORMED: Failure = Failure::Malformed(0);

/// Reads a blob that is JSONB and nothing else.
pub fn parse(blob: &[u8]) -> Result<Json<'_>, Failure> {
    let (json, rest) = value(blob, 0)?;
    if rest.is_empty() { Ok(json) } else { Err(MALFORMED) }
}

/// Whether the outermost header fits the blob.
pub fn looks_right(blob: &[u8]) -> bool {
    header(blob).is_some_and(|(kind, _, rest)| kind <= kind::OBJECT && rest.is_empty())
}

/// The kind, the content, and what follows.
fn header(blob: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&first, rest) = blob.split_first()?;
    let (size, rest) = match first >> 4 {
        size @ 0..=11 => (u64::from(size), rest),
        12 => (u64::from(*rest.first()?), &rest[1..]),
        13 => (u64::from(u16::from_be_bytes(*rest.first_chunk()?)), &rest[2..]),
        14 => (u64::from(u32::from_be_bytes(*rest.first_chunk()?)), &rest[4..]),
        _ => (u64::from_be_bytes(*rest.first_chunk()?), &rest[8..]),
    };
    let size = usize::try_from(size).ok().filter(|&size| size <= rest.len())?;
    Some((first & 15, &rest[..size], &rest[size..]))
}

fn value(blob: &[u8], depth: usize) -> Result<(Json<'_>, &[u8]), Failure> {
    let (kind, mut content, rest) = header(blob).ok_or(MALFORMED)?;
    if depth > DEPTH_MAX {
        return Err(MALFORMED);
    }
    let json = match kind {
        kind::NULL | kind::TRUE | kind::FALSE if !content.is_empty() => return Err(MALFORMED),
        kind::NULL => Json::Null,
        kind::TRUE => Json::True,
        kind::FALSE => Json::False,
        kind::INT..=kind::FLOAT5 => number(kind, content).ok_or(MALFORMED)?,
        kind::TEXT..=kind::TEXTRAW => Json::Text(text(kind, content).ok_or(MALFORMED)?),
        kind::ARRAY => {
            let mut items = Vec::new();
            while !content.is_empty() {
                let (item, behind) = value(content, depth + 1)?;
                output::push(&mut items, item)?;
                content = behind;
            }
            Json::Array(items)
        }
        kind::OBJECT => {
            let mut members = Vec::new();
            while !content.is_empty() {
                let (kind, bytes, behind) = header(content).ok_or(MALFORMED)?;
                let label = text(kind, bytes).ok_or(MALFORMED)?;
                let (member, behind) = value(behind, depth + 1)?;
                output::push(&mut members, (label, member))?;
                content = behind;
            }
            Json::Object(members)
        }
        _ => return Err(MALFORMED),
    };
    Ok((json, rest))
}

/// The bytes have to be what the text parser reads as that kind.
fn number(kind: u8, content: &[u8]) -> Option<Json<'_>> {
    let parsed = super::parse::parse(content).ok()?.json;
    let digits = Cow::Borrowed(content);
    match (kind, parsed) {
        (kind::INT, Json::Integer(_)) => Some(Json::Integer(digits)),
        (kind::INT5, Json::Hex(_)) => Some(Json::Hex(digits)),
        (kind::FLOAT, Json::Real(_)) => Some(Json::Real(digits)),
        (kind::FLOAT5, Json::BareReal(_) | Json::Real(_)) => Some(Json::BareReal(digits)),
        _ => None,
    }
}

fn text(kind: u8, content: &[u8]) -> Option<Text<'_>> {
    let escapes = match kind {
        kind::TEXT => Escapes::None,
        kind::TEXTJ => Escapes::Json,
        kind::TEXT5 => Escapes::Json5,
        kind::TEXTRAW => Escapes::Raw,
        _ => return None,
    };
    Some(Text { escapes, bytes: Cow::Borrowed(content) })
}
