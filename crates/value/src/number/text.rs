//! A number as text, on the stack.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use super::decimal::{DIGITS_MAX, Decimal, ROUND_TRIP_DIGITS, write_integer};
use crate::bytes;

/// The longest text: sign, 23 digits, point, `e-308`, and zeros before the digits of small numbers.
const CAPACITY: usize = 40;

/// The text of a number as SQLite writes it; borrowing it allocates nothing.
#[derive(Clone, Copy)]
pub struct NumberText {
    bytes: [u8; CAPACITY],
    len: u8,
}

thread_local! {
    /// The most digits of a real that SQL converts to text.
    static DIGITS: Cell<i32> = const { Cell::new(ROUND_TRIP_DIGITS) };
}

/// A connection uses another number of digits than the default.
static DIGITS_VARY: AtomicBool = AtomicBool::new(false);

/// Calls `f` with a limit of `digits` significant digits for reals that become texts.
///
/// The limit is a setting of the thread while a statement runs, because conversions happen everywhere, and few connections
/// set it.
#[inline]
pub fn with_digits<T>(digits: i32, f: impl FnOnce() -> T) -> T {
    if digits == ROUND_TRIP_DIGITS && !DIGITS_VARY.load(Ordering::Relaxed) { f() } else { with_varying(digits, f) }
}

/// As [`with_digits`], where connections use different numbers. Out of line, because the thread's variable is looked up by calls.
#[inline(never)]
fn with_varying<T>(digits: i32, f: impl FnOnce() -> T) -> T {
    /// Restores the number before, also if `f` panics.
    struct Before(i32);
    impl Drop for Before {
        fn drop(&mut self) {
            DIGITS.set(self.0);
        }
    }
    DIGITS_VARY.store(true, Ordering::Relaxed);
    let _before = Before(DIGITS.replace(digits));
    f()
}

/// The text of a real in SQLite.
pub fn real_to_text(real: f64) -> NumberText {
    NumberText::from(real)
}

impl NumberText {
    /// A real with at most `digits` significant digits (`SQLITE_DBCONFIG_FP_DIGITS`, 4 to 23).
    pub fn real_with_digits(real: f64, digits: i32) -> NumberText {
        let mut text = NumberText::default();
        if real.is_nan() {
            return text;
        }
        if real.is_sign_negative() && real != 0.0 {
            text.push(b'-');
        }
        if real.is_infinite() {
            text.extend(b"Inf");
            return text;
        }
        let digits = digits.clamp(1, 23);
        let decimal = Decimal::significant(real, digits, digits);
        let exponent = decimal.point() - 1;
        if (-4..digits).contains(&exponent) {
            text.push_positional(&decimal);
        } else {
            text.push_scientific(&decimal, exponent);
        }
        text
    }

    /// A real as SQL converts it to text: with the digits of [`with_digits`].
    pub fn of_real(real: f64) -> NumberText {
        let digits = if DIGITS_VARY.load(Ordering::Relaxed) { DIGITS.get() } else { ROUND_TRIP_DIGITS };
        NumberText::real_with_digits(real, digits)
    }

    /// The text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        bytes::up_to(&self.bytes, usize::from(self.len))
    }

    /// The text, which is ASCII.
    pub fn as_str(&self) -> &str {
        let text = std::str::from_utf8(self.as_bytes());
        debug_assert!(text.is_ok(), "numbers are ASCII");
        text.unwrap_or_default()
    }

    /// `12.5`, `0.00125`, `1200.0`.
    fn push_positional(&mut self, decimal: &Decimal) {
        let (digits, point) = (decimal.digits(), decimal.point());
        if point <= 0 {
            self.extend(b"0.");
            self.pad(-point);
            self.extend(digits);
            return;
        }
        let whole = (point as usize).min(digits.len());
        self.extend(bytes::up_to(digits, whole));
        self.pad(point - whole as i32);
        self.push_fraction(bytes::after(digits, whole));
    }

    /// `1.25e+20`.
    fn push_scientific(&mut self, decimal: &Decimal, exponent: i32) {
        self.extend(bytes::up_to(decimal.digits(), 1));
        self.push_fraction(bytes::after(decimal.digits(), 1));
        self.extend(if exponent < 0 { b"e-" } else { b"e+" });
        let mut digits = [0; DIGITS_MAX];
        let len = write_integer(u64::from(exponent.unsigned_abs()), &mut digits);
        self.pad(2 - len as i32);
        self.extend(bytes::up_to(&digits, len));
    }

    /// A point and at least one digit, so that a real is not read as an integer.
    fn push_fraction(&mut self, digits: &[u8]) {
        self.push(b'.');
        self.extend(if digits.is_empty() { b"0" } else { digits });
    }

    fn pad(&mut self, zeros: i32) {
        for _ in 0..zeros {
            self.push(b'0');
        }
    }

    #[expect(clippy::indexing_slicing, reason = "no number is longer than the buffer")]
    fn push(&mut self, byte: u8) {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
    }

    #[expect(clippy::indexing_slicing, reason = "no number is longer than the buffer")]
    fn extend(&mut self, bytes: &[u8]) {
        let start = usize::from(self.len);
        self.bytes[start..start + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len() as u8;
    }
}

impl Default for NumberText {
    /// The empty text.
    fn default() -> Self {
        NumberText { bytes: [0; CAPACITY], len: 0 }
    }
}

impl From<i64> for NumberText {
    fn from(integer: i64) -> Self {
        let mut text = NumberText::default();
        if integer < 0 {
            text.push(b'-');
        }
        let mut digits = [0; DIGITS_MAX];
        let len = write_integer(integer.unsigned_abs(), &mut digits);
        text.extend(bytes::up_to(&digits, len));
        text
    }
}

impl From<f64> for NumberText {
    /// With 17 digits where they are needed. NaN, which no value contains, would be empty.
    fn from(real: f64) -> Self {
        NumberText::real_with_digits(real, ROUND_TRIP_DIGITS)
    }
}

impl fmt::Display for NumberText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for NumberText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: impl Into<NumberText>, expected: &str) {
        assert_eq!(number.into().as_str(), expected);
    }

    #[test]
    fn integers() {
        check(0, "0");
        check(-1, "-1");
        check(1234567890, "1234567890");
        check(i64::MAX, "9223372036854775807");
        check(i64::MIN, "-9223372036854775808");
    }

    #[test]
    fn reals() {
        check(0.0, "0.0");
        check(-0.0, "0.0");
        check(0.1 + 0.2, "0.30000000000000004");
        check(-2.5, "-2.5");
        check(1e16, "10000000000000000.0");
        check(1e17, "1.0e+17");
        check(1e-4, "0.0001");
        check(1e-5, "1.0e-05");
        check(5e-324, "4.9406564584124654e-324");
        check(f64::MIN, "-1.7976931348623157e+308");
        check(f64::INFINITY, "Inf");
        check(f64::NEG_INFINITY, "-Inf");
    }

    #[test]
    fn digits_are_set_for_a_while() {
        let shown = || NumberText::of_real(1.0 / 3.0).as_str().to_owned();
        let usual = shown();
        let inner = || (shown(), with_digits(5, shown), with_digits(ROUND_TRIP_DIGITS, shown), shown());
        let (before, fewer, again, after) = with_digits(4, inner);
        assert_eq!((before.as_str(), fewer.as_str(), after.as_str()), ("0.3333", "0.33333", "0.3333"));
        assert_eq!((again, shown()), (usual.clone(), usual));
        assert_eq!(
            with_digits(4, || NumberText::from(1.0 / 3.0).as_str().len()),
            shown().len(),
            "not where SQL does not ask"
        );
    }

    #[test]
    fn fewer_and_more_digits() {
        for (digits, expected) in [(3, "0.1"), (15, "0.1"), (18, "0.100000000000000006"), (19, "0.1000000000000000056")]
        {
            assert_eq!(NumberText::real_with_digits(0.1, digits).as_str(), expected);
        }
        assert_eq!(NumberText::real_with_digits(1234.5, 3).as_str(), "1.23e+03");
        assert_eq!(NumberText::real_with_digits(1.25e-300, 23).as_str(), "1.24999999999999999e-300");
        // The longest text.
        assert_eq!(
            NumberText::real_with_digits(-0.000_123_456_789_012_345_67, 23).as_str(),
            "-0.000123456789012345671"
        );
    }
}
