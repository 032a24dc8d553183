//! sum, total, avg.
//!
//! Integers are added exactly as long as all values are integers and the sum fits. From the first real or the first overflow on,
//! all values are added as reals, and the rounding errors are summed separately (Kahan, Babuška and Neumaier), so that 1e100 + 1
//! - 1e100 is 1.

use lithe_value::number::Numeric;
use lithe_value::{ValueRef, cast, number};

/// The state of sum, total and avg after the rows so far.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The sum while it is exact.
    integer: i64,
    /// The sum once it is not exact, and the sum of its rounding errors.
    real: f64,
    error: f64,
    /// The number of values that are not NULL.
    count: i64,
    /// The sum is `real`, no longer `integer`.
    is_real: bool,
    /// A value was not an integer.
    has_reals: bool,
    /// The sum of integers has overflowed.
    has_overflown: bool,
}

/// The sum of integers does not fit into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Sum {
    /// Adds a value.
    #[inline]
    pub fn step(&mut self, value: ValueRef<'_>) {
        let Some(number) = summand(value) else { return };
        self.count += 1;
        match number {
            Numeric::Integer(integer) if !self.is_real => match self.integer.checked_add(integer) {
                Some(sum) => self.integer = sum,
                None => {
                    self.has_overflown = true;
                    self.become_real();
                    self.add_integer(integer);
                }
            },
            Numeric::Integer(integer) => self.add_integer(integer),
            Numeric::Real(real) => {
                self.become_real();
                self.has_reals = true;
                self.add(real);
            }
        }
    }

    /// Adds an integer, if the sum is exact and stays so. False: nothing is changed, and the caller must use
    /// [`step`](Self::step).
    #[inline]
    pub fn step_exactly(&mut self, integer: i64) -> bool {
        match self.integer.checked_add(integer) {
            Some(sum) if !self.is_real => {
                self.integer = sum;
                self.count += 1;
                true
            }
            _ => false,
        }
    }

    /// Removes a value.
    pub fn inverse(&mut self, value: ValueRef<'_>) {
        let Some(number) = summand(value) else { return };
        self.count -= 1;
        match number {
            Numeric::Integer(integer) if !self.is_real => match self.integer.checked_sub(integer) {
                Some(sum) => self.integer = sum,
                None => {
                    self.has_overflown = true;
                    self.become_real();
                    self.subtract_integer(integer);
                }
            },
            Numeric::Integer(integer) => self.subtract_integer(integer),
            Numeric::Real(real) => self.add(-real),
        }
    }

    /// `sum()`: NULL for no values, an integer for integers only.
    pub fn sum(&self) -> Result<ValueRef<'static>, Overflow> {
        if self.count == 0 {
            return Ok(ValueRef::Null);
        }
        if !self.is_real {
            return Ok(ValueRef::Integer(self.integer));
        }
        if self.has_overflown && !self.has_reals {
            return Err(Overflow);
        }
        Ok(ValueRef::from(self.total()))
    }

    /// `total()`: always a real.
    pub fn total(&self) -> f64 {
        if !self.is_real {
            return self.integer as f64;
        }
        // With infinities in the sum the error is not a number and is ignored.
        if self.error.is_finite() { self.real + self.error } else { self.real }
    }

    /// `avg()`: NULL for no values.
    pub fn average(&self) -> ValueRef<'static> {
        if self.count == 0 { ValueRef::Null } else { ValueRef::from(self.total() / self.count as f64) }
    }

    /// Makes the sum a real. The error begins with the part of the integer that a real cannot represent.
    fn become_real(&mut self) {
        if !self.is_real {
            self.is_real = true;
            let (high, low) = split(self.integer);
            (self.real, self.error) = (high as f64, low as f64);
        }
    }

    fn add_integer(&mut self, integer: i64) {
        let (high, low) = split(integer);
        self.add(high as f64);
        if low != 0 {
            self.add(low as f64);
        }
    }

    fn subtract_integer(&mut self, integer: i64) {
        match integer.checked_neg() {
            Some(negative) => self.add_integer(negative),
            None => {
                self.add_integer(i64::MAX);
                self.add_integer(1);
            }
        }
    }

    fn add(&mut self, real: f64) {
        let (before, after) = (self.real, self.real + real);
        self.error += if before.abs() > real.abs() { (before - after) + real } else { (real - after) + before };
        self.real = after;
    }
}

/// Splits an integer into two that are exact as reals.
fn split(integer: i64) -> (i64, i64) {
    /// Integers up to here are exact as reals.
    const EXACT_MAX: i64 = 1 << 52;
    /// A larger one is exact once this remainder is subtracted, because it ends in enough zero bits.
    const LOW_PART: i64 = 1 << 14;
    let low = if (-EXACT_MAX..=EXACT_MAX).contains(&integer) { 0 } else { integer % LOW_PART };
    (integer - low, low)
}

/// The summand for a value. A text counts as an integer only if the whole text is one; other texts, and blobs, count as the real
/// at their start.
#[inline]
fn summand(value: ValueRef<'_>) -> Option<Numeric> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(integer) => Some(Numeric::Integer(integer)),
        ValueRef::Real(real) => Some(Numeric::Real(real)),
        ValueRef::Text(text) => {
            Some(number::whole_number(text).unwrap_or_else(|| Numeric::Real(number::text_to_real(text))))
        }
        ValueRef::Blob(_) => Some(Numeric::Real(cast::to_real(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[ValueRef<'_>], expected: Result<ValueRef<'_>, Overflow>) {
        let mut sum = Sum::default();
        values.iter().for_each(|&value| sum.step(value));
        assert_eq!(sum.sum(), expected);
    }

    #[test]
    fn sums() {
        check(&[], Ok(ValueRef::Null));
        check(&[ValueRef::Null], Ok(ValueRef::Null));
        check(&[1.into(), "2".into(), ValueRef::Null], Ok(3.into()));
        check(&[1.into(), "2x".into()], Ok(3.0.into()));
        check(&[1.into(), ValueRef::Blob(b"2")], Ok(3.0.into()));
        check(&[i64::MAX.into(), 1.into()], Err(Overflow));
        check(&[i64::MAX.into(), 1.into(), (-5).into()], Err(Overflow));
        check(&[i64::MAX.into(), 1.into(), 1.0.into()], Ok(9_223_372_036_854_775_808.0.into()));
        check(&[1e100.into(), 1.into(), (-1e100).into()], Ok(1.0.into()));
        check(&[f64::INFINITY.into(), 1.into()], Ok(f64::INFINITY.into()));
        check(&[f64::INFINITY.into(), f64::NEG_INFINITY.into()], Ok(ValueRef::Null));
    }

    #[test]
    fn what_was_added_can_be_taken_back() {
        let mut sum = Sum::default();
        for value in [ValueRef::Integer(5), 7.into(), 0.5.into()] {
            sum.step(value);
        }
        sum.inverse(5.into());
        assert_eq!(sum.sum(), Ok(7.5.into()));
        assert_eq!(sum.average(), 3.75.into());
    }
}
