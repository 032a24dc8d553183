//! `decimal()` and its family: arithmetic with decimal numbers of any length, in the form of texts.
//!
//! | function | answers |
//! | --- | --- |
//! | `decimal(X)`, `decimal_exp(X)` | X in decimal notation, or as `+1.25e+02` |
//! | `decimal_add`, `decimal_sub`, `decimal_mul` (A, B) | the result |
//! | `decimal_cmp(A, B)` | -1, 0 or 1 |
//! | `decimal_pow2(N)` | two to the power of an integer, as `+1.024e+03` |
//! | `decimal_sum(X)` | the sum of a group |
//!
//! decimal() and decimal_exp() expand a real to all digits of its binary value; the other functions take the text of a real.

use std::cmp::Ordering;
use std::sync::Arc;

use lithe_value::cast::to_text;
use lithe_value::grow::filled;
use lithe_vtab::{
    AggregateFunction, AggregateState, Arity, Context, Flags, Function, FunctionError, FunctionKind, Result, ValueRef,
};

use crate::function::{argument, scalar};

/// The most digits of a number, because the product of two longer ones takes too long.
const DIGITS_MAX: usize = 100_000;
/// The greatest exponent of a text: greater ones give too many digits.
const EXPONENT_MAX: i64 = 10_000;

/// The greatest power of two that is computed.
const POWER_MAX: u64 = 20_000;

/// The functions.
pub fn functions() -> Vec<Arc<Function>> {
    let flags = Flags::DETERMINISTIC.with(Flags::INNOCUOUS);
    let sum = FunctionKind::CustomAggregate(Arc::new(Sum));
    vec![
        scalar("decimal", Arity::Exactly(1), |context, args| written(context, args, Decimal::plain)),
        scalar("decimal_exp", Arity::Exactly(1), |context, args| written(context, args, Decimal::scientific)),
        scalar("decimal_add", Arity::Exactly(2), |context, args| of_two(context, args, |a, b| Ok(a.plus(b)))),
        scalar("decimal_sub", Arity::Exactly(2), |context, args| {
            of_two(context, args, |a, b| Ok(a.plus(&b.negated())))
        }),
        scalar("decimal_mul", Arity::Exactly(2), |context, args| of_two(context, args, Decimal::times)),
        scalar("decimal_cmp", Arity::Exactly(2), compare),
        scalar("decimal_pow2", Arity::Exactly(1), power_of_two),
        Arc::new(Function::custom("decimal_sum", Arity::Exactly(1), flags, sum)),
    ]
}

/// A number: its digits from the highest to the lowest, the last `fraction` of them after the point.
#[derive(Clone, Debug, Default)]
struct Decimal {
    is_negative: bool,
    digits: Vec<u8>,
    fraction: usize,
}

impl Decimal {
    /// The number at the start of a text; 0 if there is none.
    fn parse(text: &[u8]) -> Result<Decimal> {
        let text = text.trim_ascii_start();
        let (is_negative, mut rest) = match text.split_first() {
            Some((b'-', rest)) => (true, rest),
            Some((b'+', rest)) => (false, rest),
            _ => (false, text),
        };
        let mut number = Decimal { is_negative, ..Decimal::default() };
        let mut is_behind_point = false;
        while let Some((byte, behind)) = rest.split_first() {
            match byte {
                b'0'..=b'9' if number.digits.len() == DIGITS_MAX => return Err(FunctionError::too_big()),
                b'0'..=b'9' => {
                    number.digits.push(byte - b'0');
                    number.fraction += usize::from(is_behind_point);
                }
                b'.' if !is_behind_point => is_behind_point = true,
                _ => break,
            }
            rest = behind;
        }
        number.scale(exponent(rest))?;
        number.trim();
        Ok(number)
    }

    /// A real, expanded to all its digits.
    fn exactly(real: f64) -> Result<Decimal> {
        if !real.is_finite() {
            return Ok(Decimal::default());
        }
        // A double has at most 1,074 digits after the point, so this prints all of them.
        let text = format!("{real:.1074}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        Decimal::parse(text.as_bytes())
    }

    /// The value of an argument. `exact` expands reals and 8-byte BLOBs.
    fn of(value: ValueRef<'_>, exact: bool) -> Result<Option<Decimal>> {
        Ok(Some(match value {
            ValueRef::Null => return Ok(None),
            ValueRef::Real(real) if exact => Decimal::exactly(real)?,
            ValueRef::Blob(bytes) if exact => match <[u8; 8]>::try_from(bytes) {
                Ok(bytes) => Decimal::exactly(f64::from_be_bytes(bytes))?,
                Err(_) => Decimal::parse(bytes)?,
            },
            value => Decimal::parse(&to_text(value))?,
        }))
    }

    /// Multiplies by a power of ten.
    fn scale(&mut self, exponent: i64) -> Result {
        let places = exponent.unsigned_abs() as usize;
        if exponent.abs() > EXPONENT_MAX {
            return Err(FunctionError::too_big());
        }
        if exponent >= 0 {
            let zeros = places.saturating_sub(self.fraction);
            self.fraction = self.fraction.saturating_sub(places);
            self.digits.extend(std::iter::repeat_n(0, zeros));
        } else {
            self.fraction += places;
        }
        Ok(())
    }

    /// Strips leading zeros, and keeps at least one digit before the point.
    fn trim(&mut self) {
        let whole = self.digits.len().saturating_sub(self.fraction);
        let zeros = self.digits.iter().take(whole).take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros.min(whole));
        let missing = (self.fraction + 1).saturating_sub(self.digits.len());
        self.digits.splice(0..0, std::iter::repeat_n(0, missing));
        if self.digits.iter().all(|digit| *digit == 0) && self.fraction == 0 {
            self.is_negative = false;
        }
    }

    fn plain(&self) -> String {
        let mut text = String::with_capacity(self.digits.len() + 2);
        if self.is_negative {
            text.push('-');
        }
        let whole = self.digits.len().saturating_sub(self.fraction);
        for (at, digit) in self.digits.iter().enumerate() {
            if at == whole {
                text.push('.');
            }
            text.push(char::from(b'0' + digit));
        }
        text
    }

    fn scientific(&self) -> String {
        let sign = if self.is_negative { '-' } else { '+' };
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        let mut digits: Vec<u8> = self.digits.iter().skip(zeros).map(|digit| b'0' + digit).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let Some((first, rest)) = digits.split_first() else { return format!("{sign}0.0e+00") };
        let exponent = self.digits.len() as i64 - self.fraction as i64 - zeros as i64 - 1;
        let rest = if rest.is_empty() { "0".into() } else { String::from_utf8_lossy(rest) };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{}.{rest}e{exponent_sign}{:02}", char::from(*first), exponent.abs())
    }

    fn negated(&self) -> Decimal {
        Decimal { is_negative: !self.is_negative, ..self.clone() }
    }

    /// The digits, padded with zeros to these numbers of digits before and after the point.
    fn widened(&self, whole: usize, fraction: usize) -> Vec<u8> {
        let own = self.digits.len() - self.fraction;
        let mut digits = vec![0; whole.saturating_sub(own)];
        digits.extend_from_slice(&self.digits);
        digits.extend(std::iter::repeat_n(0, fraction.saturating_sub(self.fraction)));
        digits
    }

    fn plus(&self, other: &Decimal) -> Decimal {
        let fraction = self.fraction.max(other.fraction);
        let whole = (self.digits.len() - self.fraction).max(other.digits.len() - other.fraction) + 1;
        let (mut one, mut another) = (self.widened(whole, fraction), other.widened(whole, fraction));
        let mut is_negative = self.is_negative;
        if self.is_negative == other.is_negative {
            let mut carry = 0;
            for (digit, added) in one.iter_mut().zip(&another).rev() {
                let sum = *digit + added + carry;
                (*digit, carry) = (sum % 10, sum / 10);
            }
        } else {
            if one < another {
                std::mem::swap(&mut one, &mut another);
                is_negative = other.is_negative;
            }
            let mut borrow = 0;
            for (digit, taken) in one.iter_mut().zip(&another).rev() {
                let taken = taken + borrow;
                borrow = u8::from(*digit < taken);
                *digit = *digit + 10 * borrow - taken;
            }
        }
        let mut sum = Decimal { is_negative, digits: one, fraction };
        sum.trim();
        sum
    }

    fn times(&self, other: &Decimal) -> Result<Decimal> {
        if self.digits.len().saturating_mul(other.digits.len()) > DIGITS_MAX.saturating_mul(1000) {
            return Err(FunctionError::too_big());
        }
        let mut sums = filled(0u64, self.digits.len() + other.digits.len())?;
        for (at, digit) in self.digits.iter().rev().enumerate() {
            for (sum, its) in sums.iter_mut().skip(at).zip(other.digits.iter().rev()) {
                *sum += u64::from(*digit) * u64::from(*its);
            }
        }
        let mut carry = 0;
        let mut digits = Vec::with_capacity(sums.len());
        for sum in sums {
            let sum = sum + carry;
            digits.push((sum % 10) as u8);
            carry = sum / 10;
        }
        digits.reverse();
        let mut product = Decimal {
            is_negative: self.is_negative != other.is_negative,
            digits,
            fraction: self.fraction + other.fraction,
        };
        // Trailing zeros are dropped down to the fraction length of the operand with the shorter fraction.
        let least = self.fraction.min(other.fraction);
        while product.fraction > least && product.digits.last() == Some(&0) {
            product.digits.pop();
            product.fraction -= 1;
        }
        let is_negative = product.is_negative;
        product.trim();
        product.is_negative = is_negative;
        Ok(product)
    }

    /// Compares by value; among equal values, one with more digits after the point is greater, as in SQLite.
    fn order(&self, other: &Decimal) -> Ordering {
        if self.is_negative != other.is_negative {
            return other.is_negative.cmp(&self.is_negative);
        }
        let whole = |one: &Decimal| one.digits.len() - one.fraction;
        let order = whole(self).cmp(&whole(other)).then_with(|| self.digits.cmp(&other.digits));
        if self.is_negative { order.reverse() } else { order }
    }
}

/// The exponent at the start of a text, such as `e+10`.
fn exponent(text: &[u8]) -> i64 {
    let Some((b'e' | b'E', rest)) = text.split_first() else { return 0 };
    let (sign, digits) = match rest.split_first() {
        Some((b'-', rest)) => (-1, rest),
        Some((b'+', rest)) => (1, rest),
        _ => (1, rest),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    sign * digits.fold(0i64, |number, digit| (number * 10 + i64::from(digit - b'0')).min(EXPONENT_MAX + 1))
}

fn written(context: &mut Context<'_>, args: &[ValueRef<'_>], write: fn(&Decimal) -> String) -> Result {
    match Decimal::of(argument(args, 0), true)? {
        Some(number) => context.answer(ValueRef::Text(write(&number).as_bytes())),
        None => context.answer(ValueRef::Null),
    }
}

type Two = (Option<Decimal>, Option<Decimal>);

fn two(args: &[ValueRef<'_>]) -> Result<Two> {
    Ok((Decimal::of(argument(args, 0), false)?, Decimal::of(argument(args, 1), false)?))
}

fn of_two(
    context: &mut Context<'_>,
    args: &[ValueRef<'_>],
    compute: fn(&Decimal, &Decimal) -> Result<Decimal>,
) -> Result {
    match two(args)? {
        (Some(one), Some(other)) => context.answer(ValueRef::Text(compute(&one, &other)?.plain().as_bytes())),
        _ => context.answer(ValueRef::Null),
    }
}

fn compare(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    match two(args)? {
        (Some(one), Some(other)) => context.answer(ValueRef::Integer(one.order(&other) as i64)),
        _ => context.answer(ValueRef::Null),
    }
}

fn power_of_two(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let ValueRef::Integer(power) = argument(args, 0) else { return context.answer(ValueRef::Null) };
    let count = power.unsigned_abs();
    if count > POWER_MAX {
        return Err(FunctionError::out_of_memory());
    }
    let mut result = Decimal { digits: vec![1], ..Decimal::default() };
    // 2^-n is 5^n with the point n places further left.
    let mut factor = Decimal { digits: vec![if power < 0 { 5 } else { 2 }], ..Decimal::default() };
    let mut rest = count;
    while rest > 0 {
        if rest & 1 == 1 {
            result = result.times(&factor)?;
        }
        rest >>= 1;
        if rest > 0 {
            factor = factor.times(&factor)?;
        }
    }
    if power < 0 {
        result.fraction = count as usize;
        result.trim();
    }
    context.answer(ValueRef::Text(result.scientific().as_bytes()))
}

/// The collation `decimal`.
pub fn collate(one: &[u8], other: &[u8]) -> Ordering {
    match (Decimal::parse(one), Decimal::parse(other)) {
        (Ok(one), Ok(other)) => one.order(&other),
        // Texts too long for numbers are compared bytewise.
        _ => one.cmp(other),
    }
}

struct Sum;

struct SumState(Option<Decimal>);

impl AggregateFunction for Sum {
    fn start(&self) -> Box<dyn AggregateState> {
        Box::new(SumState(None))
    }

    fn has_inverse(&self) -> bool {
        true
    }
}

impl SumState {
    fn add(&mut self, args: &[ValueRef<'_>], is_negated: bool) -> Result {
        if let Some(number) = Decimal::of(argument(args, 0), false)? {
            let number = if is_negated { number.negated() } else { number };
            self.0 = Some(match &self.0 {
                Some(sum) => sum.plus(&number),
                None => number,
            });
        }
        Ok(())
    }
}

impl AggregateState for SumState {
    fn step(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        self.add(args, false)
    }

    fn inverse(&mut self, _: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
        self.add(args, true)
    }

    fn value(&mut self, context: &mut Context<'_>) -> Result {
        match &self.0 {
            Some(sum) => context.answer(ValueRef::Text(sum.plain().as_bytes())),
            None => context.answer(ValueRef::Null),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn numbers_written_out() {
        for (text, plain, scientific) in [
            ("007.50", "7.50", "+7.5e+00"),
            ("-0", "0", "+0.0e+00"),
            ("1e3", "1000", "+1.0e+03"),
            ("1.5e-3", "0.0015", "+1.5e-03"),
            ("abc", "0", "+0.0e+00"),
            ("1.", "1", "+1.0e+00"),
            ("-123.45", "-123.45", "-1.2345e+02"),
            ("  +.5x", "0.5", "+5.0e-01"),
        ] {
            assert_eq!(number(text).plain(), plain, "{text}");
            assert_eq!(number(text).scientific(), scientific, "{text}");
        }
        let tenth = "0.1000000000000000055511151231257827021181583404541015625";
        assert_eq!(Decimal::exactly(0.1).unwrap().plain(), tenth);
        assert_eq!(Decimal::exactly(-1.5).unwrap().plain(), "-1.5");
    }

    #[test]
    fn arithmetic() {
        for (one, other, sum, difference, product) in [
            ("1.10", "2.2", "3.30", "-1.10", "2.42"),
            ("1", "2.50", "3.50", "-1.50", "2.5"),
            ("1.50", "2.0", "3.50", "-0.50", "3.0"),
            ("1.50", "2.5", "4.00", "-1.00", "3.75"),
            ("0.10", "0.100", "0.200", "0.000", "0.01"),
            ("100", "0.0", "100.0", "100.0", "0"),
            ("-1", "0", "-1", "-1", "-0"),
            ("99999999999999999999", "1", "100000000000000000000", "99999999999999999998", "99999999999999999999"),
        ] {
            let (a, b) = (number(one), number(other));
            assert_eq!(a.plus(&b).plain(), sum, "{one} + {other}");
            assert_eq!(a.plus(&b.negated()).plain(), difference, "{one} - {other}");
            assert_eq!(a.times(&b).unwrap().plain(), product, "{one} * {other}");
        }
    }

    #[test]
    fn order() {
        for pair in ["-2", "-1", "0.5", "1", "1.0", "1.5", "10"].windows(2) {
            assert_eq!(number(pair[0]).order(&number(pair[1])), Ordering::Less, "{pair:?}");
        }
    }
}
