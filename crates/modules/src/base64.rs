//! `base64(X)`: encodes a BLOB as text, and decodes such a text.
//!
//! Three bytes become four digits. A line has 72 digits; each line, also the last, ends with a newline.
//!
//! A decoder skips characters that are not digits between groups of four, but a `=` ends the text. Within a group, white space and `=` end
//! the group; any other character ends the text. A group of n digits gives n - 1 bytes.

use lithe_vtab::{Arity, Context, Function, FunctionError, Grow, OutOfMemory, Result, ValueRef};
use std::sync::Arc;

use crate::function::{argument, scalar};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LINE_LEN: usize = 72;
const PAD: u8 = b'=';

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    vec![scalar("base64", Arity::Exactly(1), base64)]
}

fn base64(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match argument(args, 0) {
        ValueRef::Blob(bytes) => {
            // Four digits for three bytes, and the newlines.
            let len = bytes.len().div_ceil(3).saturating_mul(4);
            if len.saturating_add(len.div_ceil(LINE_LEN)) > context.connection.length_max() {
                return Err(FunctionError::too_big());
            }
            context.answer(ValueRef::Text(&encoded(bytes)?))
        }
        ValueRef::Text(text) => context.answer(ValueRef::Blob(&decoded(text)?)),
        _ => Err(FunctionError::new("base64 accepts only blob or text")),
    }
}

fn encoded(bytes: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Vec::new();
    out.try_grow(bytes.len() / 2 * 3 + 6)?;
    for line in bytes.chunks(LINE_LEN / 4 * 3) {
        for group in line.chunks(3) {
            let number =
                (0..3).fold(0usize, |number, at| number << 8 | usize::from(group.get(at).copied().unwrap_or(0)));
            let digit = |at: usize| DIGITS.get(number >> (18 - 6 * at) & 63).copied().unwrap_or(PAD);
            out.extend((0..4).map(|at| if at <= group.len() { digit(at) } else { PAD }));
        }
        out.push(b'\n');
    }
    Ok(out)
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

fn decoded(text: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Vec::new();
    out.try_grow(text.len() / 4 * 3 + 3)?;
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        if *first == PAD {
            break;
        }
        if value(*first).is_none() {
            rest = behind;
            continue;
        }
        let group = rest.get(..4).unwrap_or(rest);
        let digits = group.iter().map_while(|digit| value(*digit));
        let (count, number) = digits.fold((0, 0), |(count, number), digit| (count + 1, number << 6 | digit));
        let bytes = (number << (6 * (4 - count))).to_be_bytes();
        out.extend(bytes.iter().skip(1).take(count - 1));
        let ends_group = |byte: &u8| *byte == PAD || byte.is_ascii_whitespace();
        match group.get(count) {
            Some(byte) if !ends_group(byte) => break,
            _ => rest = rest.get(group.len()..).unwrap_or_default(),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for len in 0..200u8 {
            let bytes: Vec<u8> = (0..len).map(|byte| byte.wrapping_mul(37)).collect();
            let text = encoded(&bytes).unwrap();
            assert_eq!(decoded(&text).unwrap(), bytes, "{len}");
            assert!(text.split(|byte| *byte == b'\n').all(|line| line.len() <= LINE_LEN));
        }
        assert_eq!(encoded(&[0, 0xff, 0x10]).unwrap(), b"AP8Q\n");
    }

    #[test]
    fn texts_that_others_wrote() {
        for (text, bytes) in [
            ("AP8Q", &[0, 0xff, 0x10][..]),
            ("  AP8Q\n\nAP8Q", &[0, 0xff, 0x10, 0, 0xff, 0x10]),
            ("AP8Q=AP8Q", &[0, 0xff, 0x10]),
            ("AP==", &[0]),
            ("AP*QAP8Q", &[0]),
            ("", &[]),
        ] {
            assert_eq!(decoded(text.as_bytes()).unwrap(), bytes, "{text}");
        }
    }
}
