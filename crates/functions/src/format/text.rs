//! Texts.

use lithe_value::{Buffer, bytes, utf8};

use super::Output;
use super::spec::{Quoted, Spec};
use crate::error::Result;
use crate::scalar::quote::{push_doubled, push_unistr_escapes};

/// `%s`: the text, cut at the precision. NULL is empty.
pub(super) fn write_text(output: &mut Output<'_>, spec: &Spec, text: Option<&[u8]>) -> Result {
    let text = limited(text.unwrap_or_default(), spec);
    push(output, text, spec)
}

/// `%c`: the first character, repeated by the precision. An empty text gives the character NUL.
pub(super) fn write_character(output: &mut Output<'_>, spec: &Spec, text: &[u8]) -> Result {
    let text = utf8::until_nul(text);
    let character = match utf8::decode(text) {
        Some((_, len)) => bytes::up_to(text, len.min(4)),
        None => b"\0",
    };
    let copies = spec.precision.unwrap_or(1).max(1) - 1;
    output.check_conversion(copies.saturating_mul(character.len()))?;
    // The width is that of all characters. Padding goes before the first, if there are several; otherwise the last is padded.
    let width = spec.width.saturating_sub(copies);
    let pads_first = copies > 0 && !spec.left && width > 1;
    let last = Spec { width: if pads_first { 0 } else { width }, ..spec.clone() };
    if pads_first {
        output.fill(b' ', width - 1)?;
    }
    output.repeat(character, copies)?;
    push_counted(output, character, &last)
}

/// `%q`, `%Q`, `%w`: the text with its quotes doubled.
pub(super) fn write_quoted(output: &mut Output<'_>, spec: &Spec, kind: Quoted, text: Option<&[u8]>) -> Result {
    let (mark, if_null): (u8, &[u8]) = match kind {
        Quoted::Inside => (b'\'', b"(NULL)"),
        Quoted::Literal => (b'\'', b"NULL"),
        Quoted::Identifier => (b'"', b"(NULL)"),
    };
    let is_null = text.is_none();
    let text = limited(text.unwrap_or(if_null), spec);
    if !spec.alternate && spec.width == 0 {
        return write_plainly_quoted(output, text, mark, kind == Quoted::Literal && !is_null);
    }
    let mut quoted = Buffer::with_capacity(text.len() + 2);
    let has_controls = || text.iter().any(|&byte| byte < b' ');
    let escapes = spec.alternate && kind != Quoted::Identifier && (kind == Quoted::Inside || has_controls());
    match kind {
        Quoted::Inside if escapes => push_unistr_escapes(text, &mut quoted),
        Quoted::Literal if escapes && !is_null => {
            quoted.extend(b"unistr('");
            push_unistr_escapes(text, &mut quoted);
            quoted.extend(b"')");
        }
        Quoted::Literal if !is_null => {
            quoted.push(mark);
            push_doubled(text, mark, &mut quoted);
            quoted.push(mark);
        }
        _ => push_doubled(text, mark, &mut quoted),
    }
    push(output, quoted.as_slice(), spec)
}

/// Writes `text` with its marks doubled, between two marks if it is a literal.
fn write_plainly_quoted(output: &mut Output<'_>, text: &[u8], mark: u8, is_literal: bool) -> Result {
    let around: &[u8] = if is_literal { &[mark] } else { b"" };
    output.push(around)?;
    let mut rest = text;
    while let Some(at) = memchr::memchr(mark, rest) {
        output.push(bytes::up_to(rest, at + 1))?;
        output.push(&[mark])?;
        rest = bytes::after(rest, at + 1);
    }
    output.push(rest)?;
    output.push(around)
}

/// `%j`, `%J`: the text as a string of JSON, without and with its quotes.
pub(super) fn write_json(output: &mut Output<'_>, spec: &Spec, quoted: bool, text: Option<&[u8]>) -> Result {
    let Some(text) = text else {
        let text: &[u8] = if quoted { b"null" } else { b"" };
        return push(output, text, spec);
    };
    let text = match spec.precision {
        // Unlike in other conversions, stray continuation bytes do not count.
        Some(characters) if spec.alternate2 => bytes::up_to(text, starts_len(text, characters)),
        _ => limited(text, spec),
    };
    let mut json = Buffer::with_capacity(text.len() + 2);
    if quoted {
        json.push(b'"');
    }
    for &byte in text {
        push_json(byte, &mut json);
    }
    if quoted {
        json.push(b'"');
    }
    push(output, json.as_slice(), spec)
}

fn push_json(byte: u8, out: &mut Buffer) {
    match byte {
        b'"' | b'\\' => out.extend(&[b'\\', byte]),
        0x08 => out.extend(b"\\b"),
        0x0c => out.extend(b"\\f"),
        b'\n' => out.extend(b"\\n"),
        b'\r' => out.extend(b"\\r"),
        b'\t' => out.extend(b"\\t"),
        0x00..=0x1f => out.extend(format!("\\u{byte:04x}").as_bytes()),
        _ => out.push(byte),
    }
}

/// The part of `text` within the precision: bytes, or characters with the flag `!`.
fn limited<'a>(text: &'a [u8], spec: &Spec) -> &'a [u8] {
    match spec.precision {
        None => text,
        Some(characters) if spec.alternate2 => bytes::up_to(text, characters_len(text, characters)),
        Some(len) => bytes::up_to(text, len),
    }
}

/// The number of bytes of the first `count` characters.
fn characters_len(text: &[u8], count: usize) -> usize {
    let mut at = 0;
    for _ in 0..count {
        match utf8::decode(bytes::after(text, at)) {
            Some((_, len)) => at += len,
            None => break,
        }
    }
    at
}

/// The number of bytes before the start of the character at index `count`.
fn starts_len(text: &[u8], count: usize) -> usize {
    let mut starts = text.iter().enumerate().filter(|(_, byte)| !utf8::is_continuation(**byte));
    starts.nth(count).map_or(text.len(), |(at, _)| at)
}

/// Writes `text` padded; with the flag `!` the width counts characters.
fn push(output: &mut Output<'_>, text: &[u8], spec: &Spec) -> Result {
    if spec.alternate2 { push_counted(output, text, spec) } else { output.push_padded(text, text.len(), spec) }
}

/// Writes `text` padded; the width counts characters.
fn push_counted(output: &mut Output<'_>, text: &[u8], spec: &Spec) -> Result {
    let characters = text.iter().filter(|&&byte| !utf8::is_continuation(byte)).count();
    output.push_padded(text, characters, spec)
}
