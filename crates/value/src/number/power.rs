//! Powers of ten in binary: the first 64 bits of each, truncated, not rounded.
//!
//! ```text
//!   10^n  =  0.1xxxxxxxx...xxx | xxxx...   * 2^(exponent + 1)
//!              <-- 64 bits -->   dropped
//! ```
//!
//! The truncation matters, because the digits that SQLite prints for a real depend on it. The compiler computes the
//! table with exact arithmetic, which rules out typing errors.

/// The smallest and largest power that the digits of a double need.
pub(super) const POWER_MIN: i32 = -306;
pub(super) const POWER_MAX: i32 = 341;
/// The powers of the table.
pub(super) const POWERS: std::ops::RangeInclusive<i32> = POWER_MIN..=POWER_MAX;
const COUNT: usize = (POWER_MAX - POWER_MIN + 1) as usize;

/// The first 64 bits of 10^`power`: 10^`power` is this times 2^([`exponent`]`(power)` - 63), and a little more.
#[expect(clippy::indexing_slicing, reason = "a caller owes a power of the table")]
pub(super) fn mantissa(power: i32) -> u64 {
    MANTISSAS[(power - POWER_MIN) as usize]
}

/// The largest e with 2^e <= 10^`power`.
pub(super) const fn exponent(power: i32) -> i32 {
    // log2(10) as a fraction of 2^16; exact for the powers of the table, as its computation asserts.
    (power * 217_706) >> 16
}

/// The largest p with 10^p <= 2^`exponent`.
pub(super) const fn decimal_exponent(exponent: i32) -> i32 {
    // log10(2) as a fraction of 2^20; exact for the exponents of doubles, as the tests check.
    (exponent * 315_653) >> 20
}

static MANTISSAS: [u64; COUNT] = mantissas();

/// Fits 10^341, and for 2^1152 divided by 10 until 64 bits are left of it after 10^306.
const LIMBS: usize = 18;

/// A natural number, least significant limb first.
struct Natural([u64; LIMBS]);

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn mantissas() -> [u64; COUNT] {
    let mut table = [0; COUNT];
    let mut number = Natural([0; LIMBS]);
    number.0[0] = 1;
    let mut power = 0;
    while power <= POWER_MAX {
        assert!(number.bits() as i32 - 1 == exponent(power));
        table[(power - POWER_MIN) as usize] = number.top();
        if power < POWER_MAX {
            number.multiply_by_10();
        }
        power += 1;
    }
    // Truncating after each division by ten is the same as truncating once after the division by 10^n.
    const SCALE: u32 = LIMBS as u32 * 64 - 1;
    let mut number = Natural([0; LIMBS]);
    number.0[LIMBS - 1] = 1 << 63;
    let mut power = -1;
    while power >= POWER_MIN {
        number.divide_by_10();
        assert!(number.bits() as i32 - 1 - SCALE as i32 == exponent(power));
        table[(power - POWER_MIN) as usize] = number.top();
        power -= 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "as above")]
impl Natural {
    const fn multiply_by_10(&mut self) {
        let mut carry = 0;
        let mut i = 0;
        while i < LIMBS {
            let product = self.0[i] as u128 * 10 + carry;
            self.0[i] = product as u64;
            carry = product >> 64;
            i += 1;
        }
        assert!(carry == 0);
    }

    const fn divide_by_10(&mut self) {
        let mut remainder = 0;
        let mut i = LIMBS;
        while i > 0 {
            i -= 1;
            let dividend = (remainder << 64) | self.0[i] as u128;
            self.0[i] = (dividend / 10) as u64;
            remainder = dividend % 10;
        }
    }

    const fn bits(&self) -> u32 {
        let mut i = LIMBS;
        while self.0[i - 1] == 0 {
            i -= 1;
        }
        i as u32 * 64 - self.0[i - 1].leading_zeros()
    }

    /// The 64 bits from the first set bit on.
    const fn top(&self) -> u64 {
        let bits = self.bits();
        let limb = (bits as usize - 1) / 64;
        let high = self.0[limb] as u128;
        let low = if limb == 0 { 0 } else { self.0[limb - 1] as u128 };
        (((high << 64) | low) >> (64 - self.0[limb].leading_zeros())) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mantissas_are_cut_off() {
        assert_eq!((mantissa(0), exponent(0)), (1 << 63, 0));
        assert_eq!((mantissa(1), exponent(1)), (10 << 60, 3));
        assert_eq!((mantissa(19), exponent(19)), (10_000_000_000_000_000_000, 63));
        assert_eq!((mantissa(-1), exponent(-1)), (0xcccc_cccc_cccc_cccc, -4));
        assert_eq!((mantissa(27), exponent(27)), ((10u128.pow(27) >> 26) as u64, 89));
    }

    #[test]
    fn decimal_exponents_of_doubles() {
        // A power of two, printed with all its digits, shows the expected exponent.
        for exponent in -1074..=1023 {
            let two_to_exponent = 2f64.powi(exponent.max(-1022)) * 2f64.powi(exponent.min(-1022) + 1022);
            let printed = format!("{two_to_exponent:.20e}");
            let expected: i32 = printed.split_once('e').unwrap().1.parse().unwrap();
            assert_eq!(decimal_exponent(exponent), expected, "2^{exponent}");
        }
    }
}
