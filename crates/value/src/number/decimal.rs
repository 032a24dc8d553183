//! The decimal digits of a real.
//!
//! ```text
//!   real     =  mantissa (64 bits, the first one set) * 2^binary
//!   integer  =  mantissa * 10^power                   18 or 19 digits
//!
//!   digits   |1|2|3|4|5|0|0| ...        the digits of the integer, without zeros at the end
//!                 ^ point = 2           12.345
//! ```
//!
//! The power of ten depends on the binary exponent alone: it makes the integer at least 10^17 for every mantissa. For
//! fewer than 17 significant digits the power is smaller, and the integer has one or two digits more than that and is
//! truncated instead of rounded; then the digits are rounded. So 25 has the digit 3, and 250, slightly less after the
//! multiplication by 10^-1, has the digit 2.
//!
//! A number printed with 17 digits would often show a tail of noise (0.1 is 0.10000000000000001). SQLite detects such
//! tails and drops them if the shorter number is the same double.

use super::parse::decimal_to_real;
use super::power;
use crate::bytes;

/// The most digits that a real yields.
pub const DIGITS_MAX: usize = 20;

/// The decimal digits of a finite real, without its sign.
#[derive(Clone, Debug, PartialEq)]
pub struct Decimal {
    digits: [u8; DIGITS_MAX],
    len: usize,
    point: i32,
}

/// The number of digits that identifies every double: that of a plain conversion to text.
pub const ROUND_TRIP_DIGITS: i32 = 17;

impl Decimal {
    /// All the digits of `real`'s absolute value that SQLite computes; `real` must be finite.
    pub fn new(real: f64) -> Decimal {
        debug_assert!(real.is_finite());
        if real == 0.0 {
            return Decimal { digits: [b'0'; DIGITS_MAX], len: 1, point: 1 };
        }
        let scaled = Scaled::new(real, INTEGER_DIGITS);
        Decimal::of_integer(scaled.rounded(), scaled.power)
    }

    /// The digits of `integer` / 10^`power`.
    fn of_integer(integer: u64, power: i32) -> Decimal {
        let mut decimal = Decimal { digits: [b'0'; DIGITS_MAX], len: 0, point: 0 };
        decimal.len = write_integer(integer, &mut decimal.digits);
        decimal.point = decimal.len as i32 - power;
        decimal
    }

    /// `real` rounded to `digits` significant digits; `real` must be finite. 17 digits drop a tail of noise.
    ///
    /// `significant_max` limits the digits that are kept, for callers that pass more in `digits`; it does not reduce
    /// the digits that are computed.
    #[inline]
    pub fn significant(real: f64, digits: i32, significant_max: i32) -> Decimal {
        let kept = digits.min(significant_max);
        if kept == ROUND_TRIP_DIGITS {
            return Decimal::round_trip(real);
        }
        let mut decimal = if digits >= ROUND_TRIP_DIGITS || real == 0.0 {
            Decimal::new(real)
        } else {
            let scaled = Scaled::new(real, digits.max(1) + 1);
            Decimal::of_integer(scaled.cut_off(), scaled.power)
        };
        decimal.round(kept);
        decimal
    }

    /// `real` rounded to `fraction_digits` digits after the decimal point, of at most `significant_max` digits; `real`
    /// must be finite.
    pub fn fixed(real: f64, fraction_digits: i32, significant_max: i32) -> Decimal {
        let mut decimal = Decimal::new(real);
        let digits = decimal.point.saturating_add(fraction_digits).min(significant_max);
        if digits == ROUND_TRIP_DIGITS {
            return Decimal::round_trip(real);
        }
        decimal.round(digits);
        decimal
    }

    /// The absolute value of `real`, which must be finite, times 10^`fraction_digits`, rounded to an integer as [`Decimal::fixed`] rounds. `None`
    /// unless it is known that it has no more than `significant_max` digits.
    #[inline]
    pub fn fixed_point(real: f64, fraction_digits: usize, significant_max: i32) -> Option<u64> {
        if fraction_digits > significant_max as usize || significant_max >= ROUND_TRIP_DIGITS {
            return None;
        }
        if real == 0.0 {
            return Some(0);
        }
        let scaled = Scaled::new(real, INTEGER_DIGITS);
        // The integer has one digit more than it was scaled to, at most.
        let dropped = scaled.power - fraction_digits as i32;
        if dropped < INTEGER_DIGITS + 1 - significant_max {
            return None;
        }
        // What has more digits than any integer is nothing.
        let Some(&unit) = POWERS_OF_TEN.get(dropped as usize) else { return Some(0) };
        Some((scaled.rounded() + unit / 2) / unit)
    }

    /// `real` rounded to 17 digits, or to less if the rest looks like noise. It works on the integer, because every
    /// real that becomes text is converted here.
    fn round_trip(real: f64) -> Decimal {
        /// Integers up to here are exact, and have 16 digits at the most.
        const EXACT_MAX: f64 = (1u64 << 53) as f64;
        let real = real.abs();
        if real < EXACT_MAX && real.trunc() == real {
            return Decimal::without_zeros(real as u64, 0);
        }
        let scaled = Scaled::new(real, INTEGER_DIGITS);
        let integer = scaled.rounded();
        // The first 16 digits, the first 17 rounded, and how many more there are: divisions by constants are cheap.
        let (digits, rounded, surplus) = if integer < 10u64.pow(INTEGER_DIGITS as u32) {
            (integer / 100, (integer + 5) / 10, 1)
        } else {
            (integer / 1000, (integer + 50) / 100, 2)
        };
        Decimal::without_noise(real, digits, surplus + 1, scaled.power)
            .unwrap_or_else(|| Decimal::without_zeros(rounded, scaled.power - surplus))
    }

    /// If the last of 16 digits look like noise around a shorter number, and the shorter number is the same double:
    /// that number. The digits are those of an integer without its last `cut` digits; the integer is `real` *
    /// 10^`power`.
    fn without_noise(real: f64, digits: u64, cut: i32, power: i32) -> Option<Decimal> {
        let (shorter, cut) = match digits % 1000 {
            tail if tail % 100 == 99 => (digits / 100 + 1, cut + 2),
            0 => (digits / 1000, cut + 3),
            // For numbers of 10^17 and more SQLite does not check the 16th digit.
            1..=9 if power < 0 => (digits / 1000, cut + 3),
            _ => return None,
        };
        let (significand, zeros) = strip_zeros(shorter);
        let power = power - cut - zeros;
        (decimal_to_real(significand, -power) == real).then(|| Decimal::of_integer(significand, power))
    }

    /// The digits of `integer` / 10^`power`, without zeros at the end.
    fn without_zeros(integer: u64, power: i32) -> Decimal {
        let (significand, zeros) = strip_zeros(integer);
        Decimal::of_integer(significand, power - zeros)
    }

    /// The digits in ASCII, the first not zero unless the number is, no zeros at the end. Never empty.
    #[inline]
    pub fn digits(&self) -> &[u8] {
        bytes::up_to(&self.digits, self.len)
    }

    /// How many digits are before the decimal point: if more than there are, zeros follow the last digit; if negative,
    /// so many zeros come between the point and the first digit.
    #[inline]
    pub fn point(&self) -> i32 {
        self.point
    }

    /// Whether the number is zero, or was rounded to it.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.digits[0] == b'0'
    }

    /// Keeps the first `digits` digits, rounded half up, and drops zeros at the end.
    fn round(&mut self, digits: i32) {
        if digits < 0 || (digits == 0 && self.digits[0] < b'5') {
            *self = Decimal { digits: [b'0'; DIGITS_MAX], len: 1, point: 1 };
            return;
        }
        let keep = digits as usize;
        if keep < self.len {
            let up = self.digits.get(keep).is_some_and(|&next| next >= b'5');
            self.len = keep;
            if up {
                self.increment();
            }
        }
        while let [_, .., b'0'] = self.digits() {
            self.len -= 1;
        }
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        while let [.., b'9'] = self.digits() {
            self.len -= 1;
        }
        match self.digits.get_mut(..self.len) {
            Some([.., last]) => *last += 1,
            _ => {
                self.digits[0] = b'1';
                self.len = 1;
                self.point += 1;
            }
        }
    }
}

/// The powers of ten that a number of 64 bits holds.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = 10 * powers[exponent - 1];
        exponent += 1;
    }
    powers
};

/// `integer` without the zeros at its end, and the number of them. Zero has none.
fn strip_zeros(mut integer: u64) -> (u64, i32) {
    let mut zeros = 0;
    if integer == 0 {
        return (0, 0);
    }
    while integer.is_multiple_of(10_000) {
        integer /= 10_000;
        zeros += 4;
    }
    while integer.is_multiple_of(10) {
        integer /= 10;
        zeros += 1;
    }
    (integer, zeros)
}

/// The number of digits of the integer for 17 significant digits and more.
const INTEGER_DIGITS: i32 = 18;

/// A real as product / 2^`surplus` / 10^`power`.
struct Scaled {
    product: u128,
    surplus: i32,
    power: i32,
}

impl Scaled {
    /// The real multiplied by the power of ten that makes it an integer of `digits` digits, or one more; at least 2.
    #[inline]
    fn new(real: f64, digits: i32) -> Scaled {
        const FRACTION_BITS: u32 = 52;
        const BIAS: i32 = 1023;
        let bits = real.to_bits();
        let fraction = bits & ((1 << FRACTION_BITS) - 1);
        let (mantissa, biased) = match (bits >> FRACTION_BITS) as i32 & 0x7ff {
            0 => (fraction, 1),
            biased => (fraction | 1 << FRACTION_BITS, biased),
        };
        let shift = mantissa.leading_zeros();
        let mantissa = mantissa << shift;
        // real = mantissa / 2^63 * 2^binary
        let binary = biased - BIAS - (shift as i32 - (63 - FRACTION_BITS as i32));
        let power = digits - 1 - power::decimal_exponent(binary);
        let product = u128::from(mantissa) * u128::from(power::mantissa(power));
        // The integer has at most 61 bits and the product at least 127: enough bits are left for rounding or
        // truncation.
        Scaled { product, surplus: 126 - binary - power::exponent(power), power }
    }

    #[inline]
    fn rounded(&self) -> u64 {
        (((self.product >> (self.surplus - 1)) + 1) >> 1) as u64
    }

    #[inline]
    fn cut_off(&self) -> u64 {
        (self.product >> self.surplus) as u64
    }
}

/// Writes `integer` in decimal and returns its number of digits.
#[expect(clippy::indexing_slicing, reason = "an integer has no more digits than fit")]
pub(super) fn write_integer(integer: u64, digits: &mut [u8; DIGITS_MAX]) -> usize {
    let mut reversed = [0; DIGITS_MAX];
    let mut at = DIGITS_MAX;
    let mut rest = integer;
    while rest >= 100 {
        at -= 2;
        reversed[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    if rest >= 10 {
        at -= 2;
        reversed[at..at + 2].copy_from_slice(&PAIRS[rest as usize]);
    } else {
        at -= 1;
        reversed[at] = b'0' + rest as u8;
    }
    let len = DIGITS_MAX - at;
    digits[..len].copy_from_slice(&reversed[at..]);
    len
}

/// "00" to "99".
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(decimal: Decimal, digits: &str, point: i32) {
        assert_eq!((std::str::from_utf8(decimal.digits()).unwrap(), decimal.point()), (digits, point));
    }

    #[test]
    fn all_digits() {
        check(Decimal::new(0.0), "0", 1);
        check(Decimal::new(0.1), "1000000000000000056", 0);
        check(Decimal::new(1e23), "999999999999999916", 23);
        check(Decimal::new(5e-324), "494065645841246544", -323);
        check(Decimal::new(f64::MAX), "1797693134862315708", 309);
    }

    #[test]
    fn rounded() {
        check(Decimal::significant(0.1, 17, 26), "1", 0);
        check(Decimal::significant(0.1 + 0.2, 17, 26), "30000000000000004", 0);
        check(Decimal::significant(1e23, 17, 26), "1", 24);
        check(Decimal::significant(1e23, 18, 26), "999999999999999916", 23);
        check(Decimal::significant(999.96, 4, 26), "1", 4);
        check(Decimal::significant(25.0, 1, 26), "3", 2);
        check(Decimal::significant(250.0, 1, 26), "2", 3);
        check(Decimal::significant(8.9827e-4, 16, 16), "8982699999999999", -3);
        check(Decimal::significant(8.9827e-4, 17, 16), "89827", -3);
        check(Decimal::significant(f64::MAX, 1, 26), "2", 309);
        check(Decimal::significant(5e-324, 1, 26), "5", -323);
        check(Decimal::fixed(2.5, 0, 16), "3", 1);
        check(Decimal::fixed(0.5, 0, 16), "1", 1);
        check(Decimal::fixed(0.4, 0, 16), "0", 1);
        check(Decimal::fixed(0.04, 0, 16), "0", 1);
        check(Decimal::fixed(123.456, 1, 16), "1235", 3);
        assert_eq!(Decimal::fixed_point(0.0, 17, 16), None);
    }

    #[test]
    fn fixed_point_is_the_integer_of_fixed() {
        let mut bits: u64 = 88_172_645_463_325_252;
        for number in 0..200_000u32 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            let real = match number % 3 {
                0 => f64::from_bits(bits),
                1 => (bits % 1_000_000) as f64 / 1000.0,
                _ => (bits >> 32) as f64 / f64::from(1u32 << (bits % 32)),
            };
            let places = (bits % 18) as usize;
            let (true, Some(integer)) = (real.is_finite(), Decimal::fixed_point(real, places, 16)) else { continue };
            let fixed = Decimal::fixed(real, places as i32, 16);
            let mut expected = Decimal::of_integer(integer, places as i32);
            expected.round(DIGITS_MAX as i32);
            if fixed.is_zero() {
                assert_eq!(integer, 0, "{real:e} {places}");
            } else {
                assert_eq!((expected.digits(), expected.point()), (fixed.digits(), fixed.point()), "{real:e} {places}");
            }
        }
    }
}
