//! The number at the start of a text.
//!
//! ```text
//!   spaces  sign  digits  .  digits  e  sign  digits  spaces
//!     *      ?      *     ?    *     ?   ?      +       *      at least one digit before the e
//! ```
//!
//! No hexadecimal, no underscores, no names: those are literals of the SQL text, not numbers in values. An `e` without
//! digits behind it is not part of the number.

use super::power;
use crate::bytes;

/// A number of either class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numeric {
    /// An integer.
    Integer(i64),
    /// A real.
    Real(f64),
}

impl Numeric {
    /// The number as a real.
    #[inline]
    pub fn to_real(self) -> f64 {
        match self {
            Numeric::Integer(integer) => integer as f64,
            Numeric::Real(real) => real,
        }
    }
}

/// The result of parsing the start of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parsed {
    /// The number: an integer if it is written as one and fits, otherwise a real; 0 if there is none.
    pub number: Numeric,
    /// Whether the text has nothing else, except for spaces around the number, up to a NUL.
    pub is_whole: bool,
}

/// The number at the start of `text`, as arithmetic reads it: an integer with only a NUL behind it is a real.
#[inline]
pub fn parse(text: &[u8]) -> Parsed {
    let scan = Scan::new(text);
    let end = scan.end();
    let number = match scan.to_integer() {
        Some(integer) if end != End::Nul => Numeric::Integer(integer),
        _ => Numeric::Real(scan.to_real()),
    };
    Parsed { number, is_whole: end != End::Other }
}

/// The number that the whole of `text` is, as functions read it: an integer if it is written as one; before a NUL only
/// a small one.
#[inline]
pub fn whole_number(text: &[u8]) -> Option<Numeric> {
    let scan = Scan::new(text);
    let integer = match scan.end() {
        End::Other => return None,
        End::Text => scan.to_integer(),
        End::Nul if scan.is_real => None,
        End::Nul => small_integer(scan.to_real()),
    };
    Some(integer.map_or_else(|| Numeric::Real(scan.to_real()), Numeric::Integer))
}

/// The number at the start of `text`, as CAST AS NUMERIC reads it: an integer if it is written as one, or as a small
/// real without a fraction.
pub(crate) fn numeric_prefix(text: &[u8]) -> Numeric {
    let scan = Scan::new(text);
    let integer = scan.to_integer().or_else(|| small_integer(scan.to_real()));
    integer.map_or_else(|| Numeric::Real(scan.to_real()), Numeric::Integer)
}

/// The integer that equals `real`, if it fits 52 bits with its sign: SQLite avoids the range where reals get sparse.
fn small_integer(real: f64) -> Option<i64> {
    const LIMIT: i64 = 1 << 51;
    let integer = real as i64; // saturates, and the ends are out of bounds
    (integer as f64 == real && (-LIMIT..LIMIT).contains(&integer)).then_some(integer)
}

/// The number at the start of `text` as a real, 0.0 if there is none.
pub fn text_to_real(text: &[u8]) -> f64 {
    Scan::new(text).to_real()
}

/// The integer at the start of `text`; the first or last integer if the number is out of range; 0 if there is none. A
/// fraction or exponent is ignored: `1e3` is 1.
pub fn integer_prefix(text: &[u8]) -> i64 {
    let text = trim_start(text);
    let (is_negative, text) = sign(text);
    let mut integer: u64 = 0;
    for digit in text.iter().map_while(|&byte| digit(byte)) {
        // After an overflow the value stays at the maximum, because every further digit overflows again.
        integer = integer.checked_mul(10).and_then(|tens| tens.checked_add(digit)).unwrap_or(u64::MAX);
    }
    match (is_negative, i64::try_from(integer)) {
        (false, Ok(integer)) => integer,
        (false, Err(_)) => i64::MAX,
        (true, Ok(integer)) => -integer,
        (true, Err(_)) => i64::MIN,
    }
}

/// `significand` * 10^`exponent`, correctly rounded.
pub fn decimal_to_real(significand: u64, exponent: i32) -> f64 {
    /// Integers up to here, and powers of ten up to this one, are exact doubles: one operation rounds once.
    const EXACT_MAX: u64 = 1 << 53;
    const EXACT_POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ];
    if exponent == 0 || significand == 0 {
        return significand as f64; // rounds to nearest, ties to even
    }
    if significand <= EXACT_MAX
        && let Some(&power) = EXACT_POWERS.get(exponent.unsigned_abs() as usize)
    {
        let significand = significand as f64;
        return if exponent < 0 { significand / power } else { significand * power };
    }
    by_one_product(significand, exponent).unwrap_or_else(|| slow_decimal_to_real(significand, exponent))
}

/// `significand` * 10^`exponent`, correctly rounded, if one multiplication of 64 by 64 bits is enough: the power of ten
/// is a little greater than its first 64 bits, and in one case of some hundreds that may change the rounding.
#[inline]
fn by_one_product(significand: u64, exponent: i32) -> Option<f64> {
    const MANTISSA_BITS: u32 = 53;
    const BIAS: i32 = 1023;
    if significand == 0 || !power::POWERS.contains(&exponent) {
        return None;
    }
    let shift = significand.leading_zeros();
    let product = u128::from(significand << shift) * u128::from(power::mantissa(exponent));
    // The power lacks less than one unit, so the product lacks less than the significand: 2^64.
    const ERROR: u128 = 1 << 64;
    let surplus = 128 - product.leading_zeros() - MANTISSA_BITS;
    let (half, rest) = (1u128 << (surplus - 1), product & ((1u128 << surplus) - 1));
    let mantissa = (product >> surplus) as u64;
    let mantissa = if rest + ERROR <= half {
        mantissa
    } else if rest > half && rest + ERROR <= half * 2 {
        mantissa + 1
    } else {
        return None;
    };
    // The number is mantissa * 2^binary.
    let binary = power::exponent(exponent) - shift as i32 - 63 + surplus as i32;
    let biased = binary + BIAS + MANTISSA_BITS as i32 - 1;
    // Subnormal and infinite results are excluded, and those that rounding up makes so.
    if !(1..2 * BIAS).contains(&biased) {
        return None;
    }
    // A mantissa that was rounded up to 2^53 carries into the exponent, which is right.
    Some(f64::from_bits(((biased as u64) << (MANTISSA_BITS - 1)) + (mantissa - (1 << (MANTISSA_BITS - 1)))))
}

/// Uses the standard library, whose conversion is correct for every text.
#[cold]
fn slow_decimal_to_real(significand: u64, exponent: i32) -> f64 {
    use std::io::Write;
    let mut text = [0; 40];
    let mut rest = &mut text[..];
    let is_written = write!(rest, "{significand}e{exponent}").is_ok();
    let unused = rest.len();
    let written = bytes::up_to(&text, text.len() - unused);
    let real = std::str::from_utf8(written).ok().and_then(|text| text.parse().ok());
    debug_assert!(is_written && real.is_some(), "20 digits and an exponent fit, and are a number");
    real.unwrap_or_default()
}

/// The parts of a number.
struct Scan<'a> {
    is_negative: bool,
    /// The digits as an integer, as far as they fit.
    significand: u64,
    /// The number is `significand` * 10^`exponent`.
    exponent: i32,
    has_digits: bool,
    /// Written with a point or an exponent, or with more digits than fit.
    is_real: bool,
    rest: &'a [u8],
}

/// What follows a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Only spaces.
    Text,
    /// Spaces, and then a NUL: for SQLite the text ends here, but it distinguishes this case.
    Nul,
    /// Other text; or there was no number.
    Other,
}

/// Exponents beyond this make every significand 0 or infinite.
const EXPONENT_MAX: i32 = 10_000;

impl<'a> Scan<'a> {
    #[inline]
    fn new(text: &'a [u8]) -> Scan<'a> {
        let (is_negative, rest) = sign(trim_start(text));
        let mut scan = Scan { is_negative, significand: 0, exponent: 0, has_digits: false, is_real: false, rest };
        scan.whole();
        if scan.rest.first() == Some(&b'.') {
            scan.fraction();
        }
        if scan.has_digits && matches!(scan.rest, [b'e' | b'E', ..]) {
            scan.exponent();
        }
        scan
    }

    fn whole(&mut self) {
        while let Some(digit) = self.next_digit() {
            if !self.push(digit) {
                self.exponent = self.exponent.saturating_add(1);
                self.is_real = true;
            }
        }
    }

    fn fraction(&mut self) {
        let before = self.rest;
        self.rest = bytes::after(self.rest, 1);
        while let Some(digit) = self.next_digit() {
            if self.push(digit) {
                self.exponent = self.exponent.saturating_sub(1);
            }
        }
        if self.has_digits {
            self.is_real = true;
        } else {
            self.rest = before; // a lone point is no number
        }
    }

    fn exponent(&mut self) {
        let (is_negative, digits) = sign(bytes::after(self.rest, 1));
        if !digits.first().is_some_and(u8::is_ascii_digit) {
            return;
        }
        self.rest = digits;
        let mut exponent: i32 = 0;
        while let Some(digit) = self.next_digit() {
            exponent = (exponent * 10 + digit as i32).min(EXPONENT_MAX);
        }
        let exponent = if is_negative { -exponent } else { exponent };
        self.exponent = self.exponent.saturating_add(exponent);
        self.is_real = true;
    }

    #[inline]
    fn next_digit(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        let digit = digit(first)?;
        self.rest = rest;
        self.has_digits = true;
        Some(digit)
    }

    /// Appends a digit to the significand, if it fits.
    #[inline]
    fn push(&mut self, digit: u64) -> bool {
        /// Below this another digit fits whatever it is. Checking the digit as well would make no difference after
        /// rounding to a double.
        const SIGNIFICAND_MAX: u64 = (u64::MAX - 9) / 10;
        let fits = self.significand <= SIGNIFICAND_MAX;
        if fits {
            self.significand = self.significand * 10 + digit;
        }
        fits
    }

    #[inline]
    fn end(&self) -> End {
        match trim_start(self.rest).first() {
            _ if !self.has_digits => End::Other,
            None => End::Text,
            Some(0) => End::Nul,
            Some(_) => End::Other,
        }
    }

    #[inline]
    fn to_integer(&self) -> Option<i64> {
        if self.is_real {
            return None;
        }
        if self.is_negative { 0i64.checked_sub_unsigned(self.significand) } else { self.significand.try_into().ok() }
    }

    fn to_real(&self) -> f64 {
        let real = decimal_to_real(self.significand, self.exponent);
        if self.is_negative && self.has_digits { -real } else { real }
    }
}

/// Whether SQLite treats the byte as a space.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn trim_start(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|&&byte| is_space(byte)).count();
    bytes::after(text, spaces)
}

#[inline]
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

#[inline]
fn digit(byte: u8) -> Option<u64> {
    let digit = byte.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cfg(test)]
mod tests;
