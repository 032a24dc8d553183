//! Estimates of costs and numbers of rows, as logarithms.
//!
//! A [`LogEst`] is ten times the logarithm to base 2: 0 is one, 10 is two, 33 is ten, 100 is 1,024. Estimates are never
//! exact, costs of nested loops multiply, and an `i16` holds any estimate. SQLite's documentation describes its
//! estimates in the same numbers, and plans are the same only when they are rounded in the same way.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Ten times the binary logarithm of an estimate. `+` and `-` multiply and divide the estimates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogEst(pub i16);

/// The cost of fetching a row relative to stepping to an entry of an index: a factor of 3.
pub const ROW_FETCH: i16 = 16;

/// Beyond this difference the smaller of two summands does not change the sum.
const SUM_REACH: i16 = 49;

/// How much the sum of two estimates is above the larger one, by their difference: `round(10 * log2(1 + 2^(-d / 10)))`.
const SUM_STEPS: [i16; 32] =
    [10, 10, 9, 9, 8, 8, 7, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2];

/// `10 * log2(n / 8)` for n = 8 .. 16, rounded.
const EIGHTHS: [i16; 8] = [0, 2, 3, 5, 6, 7, 8, 9];

impl LogEst {
    /// One.
    pub const ONE: LogEst = LogEst(0);
    /// The largest estimate.
    pub const MAX: LogEst = LogEst(i16::MAX);

    /// The estimate of `n`; 0 counts as 1.
    pub fn of(n: u64) -> LogEst {
        let Some(exponent) = n.checked_ilog2() else { return LogEst::ONE };
        // The three bits below the leading one choose the eighth.
        let eighth = if exponent >= 3 { n >> (exponent - 3) } else { n << (3 - exponent) };
        LogEst(exponent as i16 * 10 + EIGHTHS[(eighth & 7) as usize])
    }

    /// The estimated number, approximately.
    pub fn to_u64(self) -> u64 {
        let exponent = i32::from(self.0.div_euclid(10));
        let rest = self.0.rem_euclid(10);
        let eighth = EIGHTHS.iter().rposition(|&step| step <= rest).unwrap_or(0) as u64;
        match exponent {
            61.. => i64::MAX as u64,
            3.. => (8 + eighth) << (exponent - 3),
            -3..3 => (8 + eighth) >> (3 - exponent),
            _ => 0,
        }
    }

    /// The estimated number with its fraction, to three bits.
    pub fn to_f64(self) -> f64 {
        let eighth = EIGHTHS.iter().rposition(|&step| step <= self.0.rem_euclid(10)).unwrap_or(0);
        (8 + eighth) as f64 / 8.0 * f64::from(self.0.div_euclid(10)).exp2()
    }

    /// The estimate of the sum of the two estimated numbers.
    #[must_use]
    pub fn sum(self, other: LogEst) -> LogEst {
        let (large, small) = if self >= other { (self, other) } else { (other, self) };
        match large.0.saturating_sub(small.0) {
            difference if difference > SUM_REACH => large,
            difference => LogEst(large.0 + SUM_STEPS.get(difference as usize).copied().unwrap_or(1)),
        }
    }

    /// The estimate of the binary logarithm of the estimated number: the cost of a search in a B-tree of so many rows.
    #[must_use]
    pub fn log2(self) -> LogEst {
        if self.0 <= 10 { LogEst::ONE } else { LogEst(LogEst::of(self.0 as u64).0 - LogEst::of(10).0) }
    }
}

impl Add for LogEst {
    type Output = LogEst;
    fn add(self, other: LogEst) -> LogEst {
        LogEst(self.0.saturating_add(other.0))
    }
}

impl Sub for LogEst {
    type Output = LogEst;
    fn sub(self, other: LogEst) -> LogEst {
        LogEst(self.0.saturating_sub(other.0))
    }
}

impl Add<i16> for LogEst {
    type Output = LogEst;
    fn add(self, factor: i16) -> LogEst {
        LogEst(self.0.saturating_add(factor))
    }
}

impl Sub<i16> for LogEst {
    type Output = LogEst;
    fn sub(self, factor: i16) -> LogEst {
        LogEst(self.0.saturating_sub(factor))
    }
}

impl AddAssign<i16> for LogEst {
    fn add_assign(&mut self, factor: i16) {
        *self = *self + factor;
    }
}

impl SubAssign<i16> for LogEst {
    fn sub_assign(&mut self, factor: i16) {
        *self = *self - factor;
    }
}

impl AddAssign for LogEst {
    fn add_assign(&mut self, other: LogEst) {
        *self = *self + other;
    }
}

impl SubAssign for LogEst {
    fn sub_assign(&mut self, other: LogEst) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_their_estimates() {
        let cases = [
            (0, 0),
            (1, 0),
            (2, 10),
            (3, 16),
            (4, 20),
            (5, 23),
            (6, 26),
            (7, 28),
            (8, 30),
            (10, 33),
            (15, 39),
            (16, 40),
            (20, 43),
            (25, 46),
            (100, 66),
            (1000, 99),
            (1024, 100),
            (1_048_576, 200),
            (u64::MAX, 639),
        ];
        for (n, expected) in cases {
            assert_eq!(LogEst::of(n), LogEst(expected), "{n}");
        }
    }

    #[test]
    fn estimates_and_their_numbers() {
        for (estimate, expected) in [(0, 1), (10, 2), (33, 10), (43, 20), (99, 960), (200, 1_048_576), (-10, 0)] {
            assert_eq!(LogEst(estimate).to_u64(), expected, "{estimate}");
        }
        assert_eq!(LogEst::MAX.to_u64(), i64::MAX as u64);
        assert_eq!(LogEst(i16::MIN).to_u64(), 0);
    }

    #[test]
    fn sums_are_those_of_the_numbers() {
        for difference in 0..=60_i16 {
            let exact = 10.0 * (1.0 + 2f64.powf(-f64::from(difference) / 10.0)).log2();
            let sum = LogEst(100).sum(LogEst(100 - difference)).0 - 100;
            assert!((f64::from(sum) - exact).abs() < 1.0, "{difference}: {sum} {exact}");
            assert_eq!(LogEst(100 - difference).sum(LogEst(100)).0 - 100, sum);
        }
    }

    #[test]
    fn logarithms() {
        for (n, expected) in [(0, 0), (10, 0), (33, 17), (200, 43), (100, 33)] {
            assert_eq!(LogEst(n).log2(), LogEst(expected), "{n}");
        }
    }
}
