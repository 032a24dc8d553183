//! `base85(X)`: encodes a BLOB as text, and decodes such a text; `is_base85(X)`: whether a text is valid.
//!
//! Four bytes become five digits, n last bytes n + 1 digits, the highest first. A line has 80 digits; each line, also the last, ends with a
//! newline. The digits 0 to 3 are `#$%&`, the digits from 4 on `*` to `z`.

use lithe_vtab::{Arity, Context, Function, FunctionError, Grow, OutOfMemory, Result, ValueRef};
use std::sync::Arc;

use crate::function::{argument, scalar};

const LINE_LEN: usize = 80;
const BASE: u64 = 85;

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    vec![scalar("base85", Arity::Exactly(1), base85), scalar("is_base85", Arity::Exactly(1), is_base85)]
}

fn base85(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match argument(args, 0) {
        ValueRef::Blob(bytes) => {
            // Five digits for four bytes, and the newlines.
            let len = bytes.len().div_ceil(4).saturating_mul(5);
            if len.saturating_add(len.div_ceil(LINE_LEN)) > context.connection.length_max() {
                return Err(FunctionError::too_big());
            }
            context.answer(ValueRef::Text(&encoded(bytes)?))
        }
        ValueRef::Text(text) => context.answer(ValueRef::Blob(&decoded(text)?)),
        _ => Err(FunctionError::new("base85 accepts only blob or text.")),
    }
}

fn is_base85(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match argument(args, 0) {
        ValueRef::Text(text) => {
            let is = text.iter().all(|byte| value(*byte).is_some() || byte.is_ascii_whitespace());
            context.answer(ValueRef::Integer(is.into()))
        }
        ValueRef::Null => context.answer(ValueRef::Null),
        _ => Err(FunctionError::new("is_base85 accepts only text or NULL")),
    }
}

fn digit(value: u64) -> u8 {
    let value = value as u8;
    if value < 4 { b'#' + value } else { b'*' + (value - 4) }
}

fn value(digit: u8) -> Option<u64> {
    Some(u64::from(match digit {
        b'#'..=b'&' => digit - b'#',
        b'*'..=b'z' => digit - b'*' + 4,
        _ => return None,
    }))
}

fn encoded(bytes: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Vec::new();
    out.try_grow(bytes.len() / 2 * 3 + 4)?;
    for line in bytes.chunks(LINE_LEN / 5 * 4) {
        for group in line.chunks(4) {
            let number = group.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
            let places = (0..=group.len() as u32).rev();
            out.extend(places.map(|place| digit(number / BASE.pow(place) % BASE)));
        }
        out.push(b'\n');
    }
    Ok(out)
}

fn decoded(text: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
    let mut out = Vec::new();
    out.try_grow(text.len() / 5 * 4 + 4)?;
    let mut rest = text;
    while !rest.is_empty() {
        let group = rest.get(..5).unwrap_or(rest);
        let digits = group.iter().map_while(|digit| value(*digit));
        let (count, number) = digits.fold((0, 0), |(count, number), digit| (count + 1, number * BASE + digit));
        if count == 0 {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        // (A number beyond 32 bits, which no encoder writes, loses its highest bits.)
        out.extend((number as u32).to_be_bytes().iter().skip(4 - (count - 1)));
        rest = rest.get(count..).unwrap_or_default();
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
        for (bytes, text) in
            [(&[0, 0xff, 0x10, 0x20][..], "#A8YV\n"), (&[0], "##\n"), (&[0, 1, 2], "##&&\n"), (&[0xff; 4], "x=\\2#\n")]
        {
            assert_eq!(encoded(bytes).unwrap(), text.as_bytes());
        }
    }
}
