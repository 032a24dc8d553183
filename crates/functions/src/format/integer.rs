//! Integers.
//!
//! ```text
//!   spaces  prefix  zeros  digits
//!             -                        a sign, or 0x
//!                   <- precision ->    the flag 0 makes it the width
//! ```

use super::Output;
use super::spec::{Integer, Spec};
use crate::error::Result;
use lithe_value::bytes;

/// Space for sign, prefix and ending, which SQLite counts towards the limit even if they are absent.
const SURPLUS: usize = 10;

pub(super) fn write(output: &mut Output<'_>, spec: &Spec, kind: Integer, integer: i64) -> Result {
    let (magnitude, sign) = match kind {
        Integer::Signed | Integer::Ordinal => {
            let sign = if integer < 0 { Some(b'-') } else { spec.plus };
            (integer.unsigned_abs(), sign)
        }
        _ => (integer as u64, None), // the bits
    };
    let mut precision = spec.precision.unwrap_or(0);
    if spec.zero {
        precision = precision.max(spec.width.saturating_sub(usize::from(sign.is_some())));
    }
    let has_groups = spec.thousands && matches!(kind, Integer::Signed | Integer::Unsigned);
    let groups = if has_groups { precision / 3 } else { 0 };
    output.check_conversion(precision + groups + SURPLUS)?;
    if !has_groups && precision <= SHORT_LEN - SURPLUS {
        return write_short(output, spec, kind, (magnitude, sign, precision));
    }
    let mut reversed = reversed_digits(magnitude, kind, precision);
    if has_groups {
        reversed = grouped(&reversed);
    }
    if spec.alternate && magnitude != 0 {
        reversed.extend_from_slice(prefix(kind));
    }
    reversed.extend(sign);
    reversed.reverse();
    output.push_padded(&reversed, reversed.len(), spec)
}

/// More than the digits of an integer in any base, and than a real has that is written without zeros of its own; a power of two.
const SHORT_LEN: usize = 64;

/// `%d` without flags, width and precision.
#[inline]
pub(super) fn write_signed(output: &mut Output<'_>, integer: i64) -> Result {
    output.check_conversion(SURPLUS)?;
    let mut text = FromTheEnd::new();
    text.put_digits::<10>(integer.unsigned_abs(), b'a');
    if integer < 0 {
        text.put(b'-');
    }
    output.push(text.as_slice())
}

/// `%x` without flags, width and precision.
#[inline]
pub(super) fn write_hex(output: &mut Output<'_>, bits: u64) -> Result {
    output.check_conversion(SURPLUS)?;
    let mut text = FromTheEnd::new();
    text.put_digits::<16>(bits, b'a');
    output.push(text.as_slice())
}

/// Writes a number that is not widened far, as most are not: its text is built on the stack, from its end.
fn write_short(
    output: &mut Output<'_>,
    spec: &Spec,
    kind: Integer,
    (magnitude, sign, precision): (u64, Option<u8>, usize),
) -> Result {
    let mut text = FromTheEnd::new();
    if kind == Integer::Ordinal {
        ending(magnitude).bytes().rev().for_each(|byte| text.put(byte));
    }
    match kind {
        // Divisions by constants are cheap.
        Integer::Signed | Integer::Unsigned | Integer::Ordinal => text.put_digits::<10>(magnitude, b'a'),
        Integer::Hex => text.put_digits::<16>(magnitude, b'a'),
        Integer::HexCapital | Integer::Pointer => text.put_digits::<16>(magnitude, b'A'),
        Integer::Octal => text.put_digits::<8>(magnitude, b'a'),
    }
    // Leading zeros are in place already.
    text.start = text.start.min(SHORT_LEN - precision);
    if spec.alternate && magnitude != 0 {
        prefix(kind).iter().for_each(|byte| text.put(*byte));
    }
    sign.into_iter().for_each(|sign| text.put(sign));
    let text = text.as_slice();
    output.push_padded(text, text.len(), spec)
}

/// A text that is built from its end.
pub(super) struct FromTheEnd {
    bytes: [u8; SHORT_LEN],
    start: usize,
}

impl FromTheEnd {
    #[inline]
    pub fn new() -> FromTheEnd {
        FromTheEnd { bytes: [b'0'; SHORT_LEN], start: SHORT_LEN }
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        bytes::after(&self.bytes, self.start)
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the remainder is within the array")]
    pub fn put(&mut self, byte: u8) {
        debug_assert!(self.start > 0, "more digits than there is space for");
        self.start = self.start.wrapping_sub(1) % SHORT_LEN;
        self.bytes[self.start] = byte;
    }

    #[inline]
    pub fn put_digits<const BASE: u64>(&mut self, magnitude: u64, letters: u8) {
        let mut rest = magnitude;
        loop {
            let digit = (rest % BASE) as u8;
            self.put(if digit < 10 { b'0' + digit } else { letters + digit - 10 });
            rest /= BASE;
            if rest == 0 {
                return;
            }
        }
    }
}

/// The digits from the last to the first, at least `precision` of them, preceded by the ending of an ordinal.
fn reversed_digits(magnitude: u64, kind: Integer, precision: usize) -> Vec<u8> {
    let (base, letters) = match kind {
        Integer::Signed | Integer::Unsigned | Integer::Ordinal => (10, b'a'),
        Integer::Hex => (16, b'a'),
        Integer::HexCapital | Integer::Pointer => (16, b'A'),
        Integer::Octal => (8, b'a'),
    };
    let mut digits = Vec::with_capacity(precision.max(24) + 8);
    if kind == Integer::Ordinal {
        digits.extend(ending(magnitude).bytes().rev());
    }
    let mut rest = magnitude;
    loop {
        let digit = (rest % base) as u8;
        digits.push(if digit < 10 { b'0' + digit } else { letters + digit - 10 });
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    // The ending of an ordinal counts as two of its digits.
    if digits.len() < precision {
        digits.resize(precision, b'0');
    }
    digits
}

fn ending(magnitude: u64) -> &'static str {
    let is_teen = magnitude / 10 % 10 == 1;
    match magnitude % 10 {
        1 if !is_teen => "st",
        2 if !is_teen => "nd",
        3 if !is_teen => "rd",
        _ => "th",
    }
}

/// Inserts a comma after every three digits, counted from the last.
fn grouped(reversed: &[u8]) -> Vec<u8> {
    reversed.chunks(3).collect::<Vec<_>>().join(&b',')
}

/// The prefix of the alternate form, from its last character to its first.
fn prefix(kind: Integer) -> &'static [u8] {
    match kind {
        Integer::Hex | Integer::Pointer => b"x0",
        Integer::HexCapital => b"X0",
        Integer::Octal => b"0",
        Integer::Signed | Integer::Unsigned | Integer::Ordinal => b"",
    }
}
