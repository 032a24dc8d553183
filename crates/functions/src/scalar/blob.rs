//! Blobs, and bytes of values.

use lithe_value::{Encoding, NumberText, ValueRef, bytes, cast, utf8};

use super::quote::push_hex;
use super::{arg, null, pure, text_of};
use crate::context::Context;
use crate::error::Result;
use crate::signature::{Arity, Flags, Scalar, Shortcut};

pub(super) const FUNCTIONS: [Scalar; 6] = [
    pure("hex", 1, hex),
    pure("octet_length", 1, octet_length).or_shortcut(Shortcut::Integer(short_octet_length)).and(Flags::READS_SIZE),
    Scalar { name: "randomblob", args: Arity::Exactly(1), flags: Flags::INNOCUOUS, eval: randomblob, shortcut: None },
    pure("unhex", 1, unhex),
    pure("unhex", 2, unhex),
    pure("zeroblob", 1, zeroblob),
];

/// `hex(x)`: the bytes of the argument in hexadecimal; for a text in the database's encoding, for a number as ASCII digits.
fn hex(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let bytes = cast::to_bytes(arg(args, 0), &mut scratch);
    let mut buffer = context.out.take_buffer();
    let encoding = context.connection.encoding();
    if encoding == Encoding::Utf8 || !matches!(arg(args, 0), ValueRef::Text(_)) {
        context.reserve(&mut buffer, bytes.len().saturating_mul(2))?;
        push_hex(bytes, &mut buffer);
    } else {
        let mut encoded = lithe_value::Buffer::new();
        context.reserve(&mut encoded, bytes.len().saturating_mul(2))?;
        encoding.encode(bytes, &mut encoded);
        context.reserve(&mut buffer, encoded.len().saturating_mul(2))?;
        push_hex(encoded.as_slice(), &mut buffer);
    }
    context.answer_text(buffer)
}

/// `unhex(x, ignored)`: decodes hexadecimal digits; NULL if there is any other character, or a single digit. Between bytes, the
/// characters of the second argument are skipped.
fn unhex(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (mut scratch, mut ignored_scratch) = (NumberText::default(), NumberText::default());
    let Some(text) = text_of(arg(args, 0), &mut scratch).map(utf8::until_nul) else { return null(context) };
    let ignored = match args.get(1) {
        None => b"",
        Some(&ignored) => match text_of(ignored, &mut ignored_scratch) {
            Some(ignored) => ignored,
            None => return null(context),
        },
    };
    let mut buffer = context.out.take_buffer();
    context.reserve(&mut buffer, text.len() / 2)?;
    let mut rest = text;
    while let Some(&first) = rest.first() {
        if let Some(high) = hex_digit(first) {
            let Some(low) = rest.get(1).copied().and_then(hex_digit) else { return null(context) };
            buffer.push(high << 4 | low);
            rest = bytes::after(rest, 2);
            continue;
        }
        match utf8::decode(rest) {
            Some((character, len)) if has_character(ignored, character) => rest = bytes::after(rest, len),
            _ => return null(context),
        }
    }
    context.answer_blob(buffer)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn has_character(mut text: &[u8], wanted: u32) -> bool {
    while let Some((character, len)) = utf8::decode(text) {
        if character == wanted {
            return true;
        }
        text = bytes::after(text, len);
    }
    false
}

/// `octet_length(x)`: the number of bytes in the database's encoding.
fn octet_length(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let Some(bytes) = text_of(arg(args, 0), &mut scratch) else { return null(context) };
    let length = match arg(args, 0) {
        ValueRef::Blob(blob) => blob.len(),
        _ => context.connection.encoding().encoded_len(bytes),
    };
    context.out.set_integer(length as i64);
    Ok(())
}

fn short_octet_length(value: ValueRef<'_>) -> Option<i64> {
    value.bytes().map(|bytes| bytes.len() as i64)
}

/// `zeroblob(n)`: `n` zero bytes.
fn zeroblob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let length = usize::try_from(cast::to_integer(arg(args, 0)).max(0)).unwrap_or(usize::MAX);
    let mut buffer = context.out.take_buffer();
    context.reserve(&mut buffer, length)?;
    buffer.fill(0, length);
    context.answer_blob(buffer)
}

/// `randomblob(n)`: `n` random bytes, at least one.
fn randomblob(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let length = usize::try_from(cast::to_integer(arg(args, 0)).max(1)).unwrap_or(usize::MAX);
    let mut buffer = context.out.take_buffer();
    context.reserve(&mut buffer, length)?;
    context.connection.randomness(buffer.append(length));
    context.answer_blob(buffer)
}
