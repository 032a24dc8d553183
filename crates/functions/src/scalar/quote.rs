//! Values as SQL literals, and escapes of Unicode characters.

use lithe_value::{Buffer, NumberText, ValueRef, bytes, utf8};

use super::{arg, null, pure, text_of};
use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::signature::Scalar;

pub(super) const FUNCTIONS: [Scalar; 3] =
    [pure("quote", 1, quote), pure("unistr", 1, unistr), pure("unistr_quote", 1, unistr_quote)];

/// The argument as an SQL literal.
fn quote(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut buffer = context.out.take_buffer();
    reserve(context, arg(args, 0), &mut buffer)?;
    push_literal(arg(args, 0), &mut buffer);
    context.answer_text(buffer)
}

/// Like `quote`; but a text with control characters becomes a call of `unistr`, so that the literal has no control characters.
fn unistr_quote(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut buffer = context.out.take_buffer();
    reserve(context, arg(args, 0), &mut buffer)?;
    match arg(args, 0) {
        ValueRef::Text(text) if utf8::until_nul(text).iter().any(u8::is_ascii_control) => {
            push_unistr_call(utf8::until_nul(text), &mut buffer);
        }
        value => push_literal(value, &mut buffer),
    }
    context.answer_text(buffer)
}

/// Reserves space for the literal of a value, which is seldom longer than twice the value.
fn reserve(context: &Context<'_>, value: ValueRef<'_>, buffer: &mut Buffer) -> Result {
    let length = match value {
        ValueRef::Text(text) => text.len(),
        ValueRef::Blob(blob) => blob.len().saturating_mul(2),
        _ => 0,
    };
    context.reserve(buffer, length.saturating_add(LITERAL_MARKS_LEN))
}

/// An upper bound of the length of the marks around a literal.
const LITERAL_MARKS_LEN: usize = 16;

fn push_literal(value: ValueRef<'_>, buffer: &mut Buffer) {
    match value {
        ValueRef::Null => buffer.extend(b"NULL"),
        ValueRef::Integer(integer) => buffer.extend(NumberText::from(integer).as_bytes()),
        // A literal that overflows: there is no other literal for infinity.
        ValueRef::Real(f64::INFINITY) => buffer.extend(b"9.0e+999"),
        ValueRef::Real(f64::NEG_INFINITY) => buffer.extend(b"-9.0e+999"),
        ValueRef::Real(real) => buffer.extend(NumberText::from(real).as_bytes()),
        ValueRef::Text(text) => push_quoted(utf8::until_nul(text), b'\'', buffer),
        ValueRef::Blob(blob) => {
            buffer.extend(b"X'");
            push_hex(blob, buffer);
            buffer.push(b'\'');
        }
    }
}

/// `text` between two `mark`s, each `mark` within it doubled.
pub(crate) fn push_quoted(text: &[u8], mark: u8, buffer: &mut Buffer) {
    buffer.push(mark);
    push_doubled(text, mark, buffer);
    buffer.push(mark);
}

/// `text` with every `mark` doubled.
pub(crate) fn push_doubled(text: &[u8], mark: u8, buffer: &mut Buffer) {
    let mut copied = 0;
    for at in memchr::memchr_iter(mark, text) {
        buffer.extend(text.get(copied..=at).unwrap_or_default());
        copied = at; // the mark is copied a second time
    }
    buffer.extend(bytes::after(text, copied));
}

/// Hexadecimal digits, in capitals.
pub(super) fn push_hex(bytes: &[u8], buffer: &mut Buffer) {
    let digit_of = |half: u8| if half < 10 { b'0' + half } else { b'A' - 10 + half };
    let digits = buffer.append(bytes.len() * 2);
    for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit_of(byte >> 4), digit_of(byte & 15)];
    }
}

/// `unistr('...')`
pub(crate) fn push_unistr_call(text: &[u8], buffer: &mut Buffer) {
    buffer.extend(b"unistr('");
    push_unistr_escapes(text, buffer);
    buffer.extend(b"')");
}

/// `text` as the argument of `unistr`.
pub(crate) fn push_unistr_escapes(text: &[u8], buffer: &mut Buffer) {
    for &byte in text {
        match byte {
            b'\'' => buffer.extend(b"''"),
            b'\\' => buffer.extend(b"\\\\"),
            0x01..=0x1f => {
                buffer.extend(b"\\u00");
                let low = byte & 15;
                buffer.extend(&[b'0' + (byte >> 4), if low < 10 { b'0' + low } else { b'a' - 10 + low }]);
            }
            _ => buffer.push(byte),
        }
    }
}

/// Replaces `\XXXX`, `\+XXXXXX`, `\uXXXX`, `\UXXXXXXXX` by the characters with these numbers, and `\\` by `\`.
fn unistr(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let mut scratch = NumberText::default();
    let Some(text) = text_of(arg(args, 0), &mut scratch) else { return null(context) };
    let mut buffer = context.out.take_buffer();
    let mut rest = text;
    // Nothing is replaced after a NUL.
    while let Some(at) = memchr::memchr2(b'\\', 0, rest).filter(|&at| rest.get(at) != Some(&0)) {
        buffer.extend(bytes::up_to(rest, at));
        rest = bytes::after(rest, at + 1);
        let (skip, digits) = match rest.first() {
            Some(b'\\') => {
                buffer.push(b'\\');
                rest = bytes::after(rest, 1);
                continue;
            }
            Some(b'+') => (1, 6),
            Some(b'u') => (1, 4),
            Some(b'U') => (1, 8),
            _ => (0, 4),
        };
        let number = rest.get(skip..skip + digits).and_then(hexadecimal);
        let character = number.ok_or_else(|| FunctionError::new("invalid Unicode escape"))?;
        utf8::encode(character, &mut buffer);
        rest = bytes::after(rest, skip + digits);
    }
    buffer.extend(rest);
    context.answer_text(buffer)
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0u32, |number, &digit| Some(number << 4 | char::from(digit).to_digit(16)?))
}
