//! Reals.
//!
//! As in SQLite, at most 16 digits are significant, 26 with the flag `!`; zeros follow.

use lithe_value::bytes;
use lithe_value::number::Decimal;

use super::Output;
use super::integer::FromTheEnd;
use super::scratch::Scratch;
use super::spec::{Real, Spec};
use crate::error::Result;

const DIGITS_MAX: i32 = 16;
const DIGITS_MAX_ALTERNATE: i32 = 26;
const PRECISION_DEFAULT: usize = 6;
/// The precision is limited to this.
const PRECISION_MAX: usize = 100_000_000;

/// Space for sign, point and exponent, which SQLite counts towards the limit even if they are absent.
const SURPLUS: usize = 15;

/// The layout of a number.
struct Layout {
    /// The decimal place of the first digit: 0 for units, 1 for tens.
    exponent: i32,
    is_scientific: bool,
    /// Digits after the point.
    fraction: usize,
    has_point: bool,
    drops_zeros: bool,
}

pub(super) fn write(output: &mut Output<'_>, spec: &Spec, kind: Real, real: f64) -> Result {
    if real.is_nan() {
        // Values of SQL are never NaN; arguments of C programs may be.
        let text: &[u8] = if spec.zero { b"null" } else { b"NaN" };
        return output.push_padded(text, text.len(), spec);
    }
    if real.is_infinite() && !spec.zero {
        return write_infinity(output, spec, real);
    }
    let precision = spec.precision.unwrap_or(PRECISION_DEFAULT).min(PRECISION_MAX);
    if kind == Real::Fixed
        && let Some(digits) = plain_digits(output, spec, real, precision)
    {
        return write_plain(output, spec, (real < 0.0, digits, precision));
    }
    let decimal = Digits::new(real, kind, precision, spec.alternate2);
    let layout = layout(&decimal, kind, precision, spec);
    let whole = if layout.is_scientific { 0 } else { usize::try_from(layout.exponent).unwrap_or(0) };
    output.check_conversion(whole + layout.fraction + spec.width + SURPLUS)?;

    let mut text = Scratch::new();
    // The flag # drops the sign of a number whose digits are all zeros, unless the flags request a sign.
    let drops_sign = spec.alternate && spec.plus.is_none() && decimal.is_zero();
    if real < 0.0 && !drops_sign {
        text.push(b'-');
    } else if let Some(sign) = spec.plus {
        text.push(sign);
    }
    let sign_len = text.len();
    push_whole(&mut text, &decimal, &layout, spec.thousands);
    if layout.has_point {
        push_fraction(&mut text, &decimal, &layout, spec);
    }
    if layout.is_scientific {
        push_exponent(&mut text, layout.exponent, kind);
    }
    if spec.zero && !spec.left {
        let text = text.as_slice();
        output.push(bytes::up_to(text, sign_len))?;
        output.fill(b'0', spec.width.saturating_sub(text.len()))?;
        return output.push(bytes::after(text, sign_len));
    }
    output.push_padded(text.as_slice(), text.len(), spec)
}

/// The digits of a number that is written without flags for its digits, the last `precision` of them behind the point, if they are few.
#[inline]
fn plain_digits(output: &Output<'_>, spec: &Spec, real: f64, precision: usize) -> Option<u64> {
    let has_flags = spec.alternate || spec.alternate2 || spec.thousands || spec.zero;
    let len_max = DIGITS_MAX as usize + spec.width.checked_add(precision)? + SURPLUS;
    if has_flags || output.check_conversion(len_max).is_err() {
        return None;
    }
    Decimal::fixed_point(real, precision, DIGITS_MAX)
}

/// Writes the digits of a number, from the last to the first.
fn write_plain(output: &mut Output<'_>, spec: &Spec, (is_negative, digits, precision): (bool, u64, usize)) -> Result {
    let mut text = FromTheEnd::new();
    let mut rest = digits;
    for _ in 0..precision {
        text.put(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    if precision > 0 {
        text.put(b'.');
    }
    text.put_digits::<10>(rest, b'a');
    if is_negative {
        text.put(b'-');
    } else if let Some(sign) = spec.plus {
        text.put(sign);
    }
    let text = text.as_slice();
    output.push_padded(text, text.len(), spec)
}

fn write_infinity(output: &mut Output<'_>, spec: &Spec, real: f64) -> Result {
    let text: &[u8] = match (real < 0.0, spec.plus) {
        (true, _) => b"-Inf",
        (false, Some(b'+')) => b"+Inf",
        (false, Some(_)) => b" Inf",
        (false, None) => b"Inf",
    };
    output.push_padded(text, text.len(), spec)
}

/// Decimal digits, with the position of the point.
enum Digits {
    Finite(Decimal),
    /// Padded with zeros, infinity is written as a number, too: 9 with a thousand places.
    Infinite,
}

impl Digits {
    fn new(real: f64, kind: Real, precision: usize, alternate2: bool) -> Digits {
        let digits_max = if alternate2 { DIGITS_MAX_ALTERNATE } else { DIGITS_MAX };
        if real.is_infinite() {
            return Digits::Infinite;
        }
        let precision = precision as i32; // at most PRECISION_MAX
        Digits::Finite(match kind {
            Real::Fixed => Decimal::fixed(real, precision, digits_max),
            Real::Exponent | Real::ExponentCapital => Decimal::significant(real, precision + 1, digits_max),
            Real::General | Real::GeneralCapital => Decimal::significant(real, precision.max(1), digits_max),
        })
    }

    fn point(&self) -> i32 {
        match self {
            Digits::Finite(decimal) => decimal.point(),
            Digits::Infinite => 1000,
        }
    }

    fn is_zero(&self) -> bool {
        matches!(self, Digits::Finite(decimal) if decimal.is_zero())
    }

    /// The digit at `index`, 0 being the first; zero after the last.
    fn digit(&self, index: usize) -> u8 {
        match self {
            Digits::Finite(decimal) => decimal.digits().get(index).copied().unwrap_or(b'0'),
            Digits::Infinite if index == 0 => b'9',
            Digits::Infinite => b'0',
        }
    }
}

fn layout(decimal: &Digits, kind: Real, precision: usize, spec: &Spec) -> Layout {
    let exponent = decimal.point() - 1;
    let (is_scientific, fraction, drops_zeros) = match kind {
        Real::Fixed => (false, precision, spec.alternate2),
        Real::Exponent | Real::ExponentCapital => (true, precision, spec.alternate2),
        Real::General | Real::GeneralCapital => {
            // The precision counts all digits here, including the one before the point.
            let behind_first = precision.max(1) - 1;
            let is_scientific = exponent < -4 || i64::from(exponent) > behind_first as i64;
            let fraction =
                if is_scientific { behind_first } else { (behind_first as i64 - i64::from(exponent)) as usize };
            (is_scientific, fraction, !spec.alternate)
        }
    };
    let has_point = fraction > 0 || spec.alternate || spec.alternate2;
    Layout { exponent, is_scientific, fraction, has_point, drops_zeros }
}

fn push_whole(text: &mut Scratch, decimal: &Digits, layout: &Layout, thousands: bool) {
    if layout.is_scientific {
        return text.push(decimal.digit(0));
    }
    if layout.exponent < 0 {
        return text.push(b'0');
    }
    let last = layout.exponent as usize;
    for index in 0..=last {
        text.push(decimal.digit(index));
        let left = last - index;
        if thousands && left > 0 && left.is_multiple_of(3) {
            text.push(b',');
        }
    }
}

fn push_fraction(text: &mut Scratch, decimal: &Digits, layout: &Layout, spec: &Spec) {
    text.push(b'.');
    let first = if layout.is_scientific { 1 } else { i64::from(layout.exponent) + 1 };
    for place in 0..layout.fraction as i64 {
        // Zeros precede the first digit of a small number.
        text.push(usize::try_from(first + place).map_or(b'0', |index| decimal.digit(index)));
    }
    if !layout.drops_zeros {
        return;
    }
    let kept = text.as_slice().iter().rposition(|&digit| digit != b'0').map_or(0, |at| at + 1);
    text.truncate(kept);
    if text.as_slice().last() == Some(&b'.') {
        if spec.alternate2 {
            text.push(b'0');
        } else {
            text.truncate(kept - 1);
        }
    }
}

/// `e+05`, `E-100`
fn push_exponent(text: &mut Scratch, exponent: i32, kind: Real) {
    let is_capital = matches!(kind, Real::ExponentCapital | Real::GeneralCapital);
    text.push(if is_capital { b'E' } else { b'e' });
    text.push(if exponent < 0 { b'-' } else { b'+' });
    let magnitude = exponent.unsigned_abs(); // three digits at most
    if magnitude >= 100 {
        text.push(b'0' + (magnitude / 100) as u8);
    }
    text.push(b'0' + (magnitude / 10 % 10) as u8);
    text.push(b'0' + (magnitude % 10) as u8);
}
