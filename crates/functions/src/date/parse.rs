//! Text to time value.
//!
//! ```text
//!   YYYY-MM-DD   HH:MM[:SS[.SSS]]   zone
//!            T or spaces            [+-]HH:MM or Z
//! ```
//!
//! Either half may be missing. Other time values are `now`, `subsec`, and numbers.

use lithe_value::{bytes, number};

use super::moment::{Date, Moment, Time};
use crate::error::Result;

/// The time value in `text`; `now` is called if it is the current time. `None` if it is invalid.
pub(super) fn time_value(text: &[u8], now: impl FnOnce() -> Result<i64>) -> Result<Option<Moment>> {
    if let Some(moment) = fields(text) {
        return Ok(Some(moment));
    }
    if text.eq_ignore_ascii_case(b"now") {
        return now().map(|now| Some(Moment::now(now)));
    }
    if let Some(number) = number::whole_number(text) {
        return Ok(Some(Moment::from_number(number.to_real())));
    }
    if is_subsecond(text) {
        let mut moment = Moment::now(now()?);
        moment.show_milliseconds();
        return Ok(Some(moment));
    }
    Ok(None)
}

/// Whether the text is the time value or modifier for milliseconds.
pub(super) fn is_subsecond(text: &[u8]) -> bool {
    text.eq_ignore_ascii_case(b"subsec") || text.eq_ignore_ascii_case(b"subsecond")
}

fn fields(text: &[u8]) -> Option<Moment> {
    if let Some((date, rest)) = date(text) {
        let rest = skip(rest, |byte| number::parse::is_space(byte) || byte == b'T');
        if rest.is_empty() {
            return Some(Moment::from_fields(Some(date), None, None));
        }
        let (time, zone) = time_and_zone(rest)?;
        return Some(Moment::from_fields(Some(date), Some(time), zone));
    }
    let (time, zone) = time_and_zone(text)?;
    Some(Moment::from_fields(None, Some(time), zone))
}

/// `YYYY-MM-DD`, perhaps with a minus sign before it.
fn date(text: &[u8]) -> Option<(Date, &[u8])> {
    let (is_negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (year, rest) = digits(text, 4, 0..=9999)?;
    let (month, rest) = digits(rest.strip_prefix(b"-")?, 2, 1..=12)?;
    let (day, rest) = digits(rest.strip_prefix(b"-")?, 2, 1..=31)?;
    Some((Date { year: if is_negative { -year } else { year }, month, day }, rest))
}

/// A time of day and the zone after it, up to the end of `text`.
pub(super) fn time_and_zone(text: &[u8]) -> Option<(Time, Option<i64>)> {
    let (time, rest) = time(text)?;
    let rest = skip_spaces(rest);
    let (zone, rest) = match rest {
        [b'Z' | b'z', rest @ ..] => (Some(0), rest),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let (hours, rest) = digits(rest, 2, 0..=14)?;
            let (minutes, rest) = digits(rest.strip_prefix(b":")?, 2, 0..=59)?;
            let minutes = hours * 60 + minutes;
            (Some(if *sign == b'-' { -minutes } else { minutes }), rest)
        }
        _ => (None, rest),
    };
    skip_spaces(rest).is_empty().then_some((time, zone))
}

/// `HH:MM`, `HH:MM:SS`, `HH:MM:SS.SSS`. The last time of a day is 24:00.
fn time(text: &[u8]) -> Option<(Time, &[u8])> {
    let (hour, rest) = digits(text, 2, 0..=24)?;
    let (minute, mut rest) = digits(rest.strip_prefix(b":")?, 2, 0..=59)?;
    let mut second = 0.0;
    if let Some(behind) = rest.strip_prefix(b":") {
        let (whole, behind) = digits(behind, 2, 0..=59)?;
        (second, rest) = (whole as f64, behind);
        if let [b'.', first, ..] = rest
            && first.is_ascii_digit()
        {
            let fraction;
            (fraction, rest) = fraction_of_second(bytes::after(rest, 1));
            second += fraction;
        }
    }
    let time = Time { hour, minute, second };
    (hour < 24 || (minute == 0 && second == 0.0)).then_some((time, rest))
}

/// The fraction of a second. It is at most 0.999, so that rounding to milliseconds changes no other field.
fn fraction_of_second(text: &[u8]) -> (f64, &[u8]) {
    const FRACTION_MAX: f64 = 0.999;
    let (mut fraction, mut scale) = (0.0, 1.0);
    let mut rest = text;
    while let Some((digit @ b'0'..=b'9', behind)) = rest.split_first() {
        fraction = fraction * 10.0 + f64::from(digit - b'0');
        scale *= 10.0;
        rest = behind;
    }
    // More digits than a real can hold make both infinite, and their quotient not a number.
    ((fraction / scale).min(FRACTION_MAX), rest)
}

/// A number with exactly this number of digits.
pub(super) fn digits(text: &[u8], count: usize, range: std::ops::RangeInclusive<i64>) -> Option<(i64, &[u8])> {
    let (digits, rest) = text.split_at_checked(count)?;
    let number = digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))?;
    range.contains(&number).then_some((number, rest))
}

pub(super) fn skip_spaces(text: &[u8]) -> &[u8] {
    skip(text, number::parse::is_space)
}

fn skip(text: &[u8], is_skipped: impl Fn(u8) -> bool) -> &[u8] {
    let count = text.iter().take_while(|&&byte| is_skipped(byte)).count();
    bytes::after(text, count)
}
