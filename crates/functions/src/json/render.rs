//! Tree and JSONB to text, and to SQL's values.

use lithe_value::buffer::OutOfMemory;
use lithe_value::{NumberText, ValueRef, number};

use super::output::{Output, OutputError};
use super::tree::{DEPTH_MAX, Escapes, Json, Text, escape, is_plain_escape, needs_escape, push_escaped};
use super::{binary, kind};

/// The value as JSON text, without any space.
pub fn push_json(json: &Json<'_>, out: &mut Output) {
    match json {
        Json::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_json(item, out);
            }
            out.push(b']');
        }
        Json::Object(members) => {
            out.push(b'{');
            for (at, (label, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                push_string(label, out);
                out.push(b':');
                push_json(value, out);
            }
            out.push(b'}');
        }
        Json::Binary(blob) => push_binary(blob, out),
        scalar => push_scalar(scalar, out),
    }
}

/// The first value of JSONB as JSON text, without any space: what [`push_json`] writes of its tree.
pub fn push_binary(blob: &[u8], out: &mut Output) {
    push_binary_at(blob, 0, out);
}

/// Answers the bytes behind the value; none behind one that is damaged.
fn push_binary_at<'a>(blob: &'a [u8], depth: usize, out: &mut Output) -> &'a [u8] {
    let Some((kind, content, rest)) = binary::header(blob).filter(|_| depth <= DEPTH_MAX) else {
        out.refuse();
        return &[];
    };
    match kind {
        kind::INT | kind::FLOAT if !content.is_empty() => out.extend(content),
        kind::TEXT | kind::TEXTJ => out.push_quoted(content),
        kind::ARRAY => push_binary_parts(content, *b"[]", out, |item, out| push_binary_at(item, depth + 1, out)),
        kind::OBJECT => {
            push_binary_parts(content, *b"{}", out, |member, out| push_binary_member(member, depth + 1, out))
        }
        _ => match binary::parse(blob) {
            Ok(scalar) => push_scalar(&scalar, out),
            Err(_) => out.refuse(),
        },
    }
    rest
}

/// The parts of an array or object between brackets; `push` writes the first one, and answers the bytes behind it.
#[inline]
fn push_binary_parts<'a>(
    mut parts: &'a [u8],
    [open, close]: [u8; 2],
    out: &mut Output,
    push: impl Fn(&'a [u8], &mut Output) -> &'a [u8],
) {
    out.push(open);
    while !parts.is_empty() {
        parts = push(parts, out);
        if !parts.is_empty() {
            out.push(b',');
        }
    }
    out.push(close);
}

fn push_binary_member<'a>(member: &'a [u8], depth: usize, out: &mut Output) -> &'a [u8] {
    let label = binary::header(member).and_then(|(kind, bytes, rest)| Some((binary::label(kind, bytes)?, rest)));
    let Some((label, rest)) = label else {
        out.refuse();
        return &[];
    };
    push_string(&label, out);
    out.push(b':');
    push_binary_at(rest, depth, out)
}

/// An SQL text as a string.
pub fn push_sql_text(text: &[u8], out: &mut Output) {
    // (Without an early end, long texts are compared many bytes at once.)
    if !text.iter().fold(false, |found, &byte| found | needs_escape(byte)) {
        return out.push_quoted(text);
    }
    push_raw_string(text, out);
}

fn push_raw_string(text: &[u8], out: &mut Output) {
    out.push(b'"');
    text.iter().for_each(|&byte| push_escaped(byte, out));
    out.push(b'"');
}

/// The value as JSON text over several lines, with `indent` for each level.
pub fn push_pretty(json: &Json<'_>, indent: &[u8], level: usize, out: &mut Output) {
    let line = |level: usize, out: &mut Output| {
        out.push(b'\n');
        (0..level).for_each(|_| out.extend(indent));
    };
    match json {
        Json::Array(items) if !items.is_empty() => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                line(level + 1, out);
                push_pretty(item, indent, level + 1, out);
            }
            line(level, out);
            out.push(b']');
        }
        Json::Object(members) if !members.is_empty() => {
            out.push(b'{');
            for (at, (label, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                line(level + 1, out);
                push_string(label, out);
                out.extend(b": ");
                push_pretty(value, indent, level + 1, out);
            }
            line(level, out);
            out.push(b'}');
        }
        other => push_json(other, out),
    }
}

fn push_scalar(json: &Json<'_>, out: &mut Output) {
    match json {
        Json::Null => out.extend(b"null"),
        Json::True => out.extend(b"true"),
        Json::False => out.extend(b"false"),
        Json::Integer(digits) | Json::Real(digits) => out.extend(digits),
        Json::Hex(digits) => match hex(digits) {
            Ok(Some(value)) => out.extend(value.to_string().as_bytes()),
            Ok(None) => out.extend(b"9.0e999"),
            Err(error) => out.fail(error),
        },
        Json::BareReal(digits) => push_bare_real(digits, out),
        Json::Text(text) => push_string(text, out),
        Json::Array(_) | Json::Object(_) | Json::Binary(_) => {}
        Json::Damaged(_) => out.refuse(),
    }
}

/// A hexadecimal integer; `None` if it has more than 64 bits.
fn hex(digits: &[u8]) -> Result<Option<i128>, OutputError> {
    let (sign, digits) = digits.strip_prefix(b"-").map_or((1, digits), |digits| (-1, digits));
    let digits = digits.get(2..).unwrap_or_default();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(OutputError::Damaged);
    }
    let add = |value: u64, digit: &u8| {
        let digit = char::from(*digit).to_digit(16).unwrap_or_default();
        value.checked_mul(16).map(|value| value + u64::from(digit))
    };
    Ok(digits.iter().try_fold(0, add).map(|value| sign * i128::from(value)))
}

/// JSON requires digits on both sides of the point.
fn push_bare_real(digits: &[u8], out: &mut Output) {
    let mut before = None;
    for (at, &byte) in digits.iter().enumerate() {
        if byte == b'.' && !before.is_some_and(|before: u8| before.is_ascii_digit()) {
            out.push(b'0');
        }
        out.push(byte);
        if byte == b'.' && !digits.get(at + 1).is_some_and(u8::is_ascii_digit) {
            out.push(b'0');
        }
        before = Some(byte);
    }
}

fn push_string(text: &Text<'_>, out: &mut Output) {
    match text.escapes {
        Escapes::None | Escapes::Json => out.push_quoted(&text.bytes),
        Escapes::Raw => push_raw_string(&text.bytes, out),
        Escapes::Json5 => {
            out.push(b'"');
            push_json5_bytes(&text.bytes, out);
            out.push(b'"');
        }
    }
}

/// The escapes of JSON5 as those of JSON.
fn push_json5_bytes(bytes: &[u8], out: &mut Output) {
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'\\' {
            push_escaped(byte, out);
            continue;
        }
        // JSONB is not validated when it is read: SQLite copies the two bytes unchanged.
        if let [b'x', digits @ ..] = behind
            && let Some((digits, after)) = digits.split_at_checked(2)
        {
            out.extend(b"\\u00");
            out.extend(digits);
            rest = after;
            continue;
        }
        let Some((character, len)) = escape(behind) else { continue };
        let Some((escaped, after)) = behind.split_at_checked(len) else { continue };
        rest = after;
        match character {
            _ if escaped.first().is_some_and(|&first| is_plain_escape(first)) => {
                out.push(b'\\');
                out.extend(escaped);
            }
            Some(character) if character == u32::from(b'\'') => out.push(b'\''),
            Some(character) => out.extend(format!("\\u{character:04x}").as_bytes()),
            None => {}
        }
    }
}

/// Calls `f` with the SQL value of a scalar; returns `None` for arrays and objects.
pub fn with_sql_value<T>(json: &Json<'_>, f: impl FnOnce(ValueRef<'_>) -> T) -> Result<Option<T>, OutputError> {
    Ok(Some(match json {
        Json::Null => f(ValueRef::Null),
        Json::True => f(ValueRef::Integer(1)),
        Json::False => f(ValueRef::Integer(0)),
        Json::Integer(digits) => match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
            Some(integer) => f(ValueRef::Integer(integer)),
            None => f(ValueRef::from(number::text_to_real(digits))),
        },
        Json::Hex(digits) => {
            let value = hex(digits)?.filter(|_| digits.len() > 2).ok_or(OutputError::Damaged)?;
            match i64::try_from(value) {
                Ok(integer) => f(ValueRef::Integer(integer)),
                Err(_) => f(ValueRef::from(value as f64)),
            }
        }
        Json::Real(digits) | Json::BareReal(digits) => f(ValueRef::from(number::text_to_real(digits))),
        Json::Text(text) => f(ValueRef::Text(&text.to_sql().map_err(OutputError::from)?)),
        Json::Array(_) | Json::Object(_) | Json::Damaged(_) | Json::Binary(_) => return Ok(None),
    }))
}

/// A JSON value for an SQL value that is not a BLOB.
pub fn of_sql_value(value: ValueRef<'_>) -> Result<Json<'_>, OutOfMemory> {
    Ok(match value {
        ValueRef::Null | ValueRef::Blob(_) => Json::Null,
        ValueRef::Integer(integer) => Json::Integer(NumberText::from(integer).as_bytes().to_vec().into()),
        ValueRef::Real(real) if real.is_infinite() => {
            let digits: &'static [u8] = if real > 0.0 { b"9.0e+999" } else { b"-9.0e+999" };
            Json::Real(digits.into())
        }
        ValueRef::Real(real) => Json::Real(NumberText::from(real).as_bytes().to_vec().into()),
        ValueRef::Text(text) => Json::Text(Text::from_sql(text)?),
    })
}
