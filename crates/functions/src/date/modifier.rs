//! The modifiers of time values.
//!
//! | modifier | |
//! | --- | --- |
//! | `+N days`, hours, minutes, seconds, months, years | |
//! | `+HH:MM[:SS[.SSS]]`, `+YYYY-MM-DD [HH:MM...]` | moves by that much |
//! | `ceiling`, `floor` | how a move by months that ends past the end of a month is resolved |
//! | `start of month`, `start of year`, `start of day` | |
//! | `weekday N` | forward to that day of the week, Sunday being 0; `-N`: back |
//! | `unixepoch`, `julianday`, `auto` | the unit of the number; only as the first modifier |
//! | `localtime`, `utc` | |
//! | `subsec`, `subsecond` | with milliseconds |

use lithe_value::number;

use super::calendar::{DAY, HALF_DAY};
use super::moment::{Date, Moment};
use super::{local, parse};
use crate::context::Context;
use crate::error::Result;

/// Applies the modifier number `index`, the first being 0; `None` if it is invalid.
pub(super) fn apply(
    moment: &mut Moment,
    text: &[u8],
    index: usize,
    context: &Context<'_>,
    function: &str,
) -> Result<Option<()>> {
    let lower = text.to_ascii_lowercase();
    Ok(match lower.as_slice() {
        b"auto" => (index == 0).then(|| moment.guess_number_kind()),
        b"unixepoch" => (index == 0 && moment.take_number_as_unix()).then_some(()),
        b"julianday" => (index == 0 && moment.take_number_as_day()).then_some(()),
        b"ceiling" => {
            moment.forget_overshoot();
            moment.add_milliseconds(0);
            Some(())
        }
        b"floor" => {
            moment.floor();
            Some(())
        }
        b"subsec" | b"subsecond" => {
            moment.show_milliseconds();
            Some(())
        }
        b"localtime" => {
            context.check_pure(function)?;
            local::to_local(moment, context.connection)?;
            Some(())
        }
        b"utc" => {
            context.check_pure(function)?;
            local::to_utc(moment, context.connection)?;
            Some(())
        }
        [b'+' | b'-' | b'0'..=b'9', ..] => move_by(moment, &lower),
        _ => match (lower.strip_prefix(b"weekday "), lower.strip_prefix(b"start of ")) {
            (Some(number), _) => weekday(moment, number),
            (_, Some(unit)) => start_of(moment, unit),
            _ => None,
        },
    })
}

/// Moves to the next day with that number, today included; a negative number moves back.
fn weekday(moment: &mut Moment, number: &[u8]) -> Option<()> {
    let number = number::whole_number(number)?.to_real();
    let weekday = number as i64;
    if weekday as f64 != number || !(-6..=6).contains(&weekday) {
        return None;
    }
    moment.drop_zone();
    // The division truncates: before the epoch, which a move may reach, the day is negative.
    let today = (moment.milliseconds() + HALF_DAY + DAY) / DAY % 7;
    let days = match weekday {
        ..0 => -(today + weekday).rem_euclid(7),
        _ if today > weekday => weekday - today + 7,
        _ => weekday - today,
    };
    moment.add_milliseconds(days * DAY);
    Some(())
}

fn start_of(moment: &mut Moment, unit: &[u8]) -> Option<()> {
    if !moment.is_known() {
        return None;
    }
    let date = moment.date();
    let start = match unit {
        b"day" => date,
        b"month" => Date { day: 1, ..date },
        b"year" => Date { month: 1, day: 1, ..date },
        _ => return None,
    };
    moment.set_midnight(start);
    Some(())
}

/// `+N units`, `+HH:MM`, `+YYYY-MM-DD`
fn move_by(moment: &mut Moment, text: &[u8]) -> Option<()> {
    // The number ends at a space, a colon, or the hyphen after a year of four or five digits.
    let (&sign, unsigned) = text.split_first()?;
    let ends = |(at, byte): (usize, &u8)| {
        let is_year = |digits: usize| at == digits && parse::digits(unsigned, digits, 0..=99_999).is_some();
        match byte {
            b':' => true,
            b'-' => is_year(4) || is_year(5),
            byte => number::parse::is_space(*byte),
        }
    };
    let end = 1 + unsigned.iter().enumerate().position(ends).unwrap_or(unsigned.len());
    let (number, behind) = text.split_at_checked(end)?;
    let number = number::whole_number(number)?.to_real();
    match behind.first() {
        Some(b'-') => move_by_date(moment, text, end),
        Some(b':') => move_by_time(moment, sign == b'-', text),
        _ => move_by_units(moment, number, parse::skip_spaces(behind)),
    }
}

/// The years from the first to the last of the calendar.
const YEARS_MAX: i64 = 14_712;

/// `+YYYY-MM-DD`, perhaps followed by `HH:MM...`
fn move_by_date(moment: &mut Moment, text: &[u8], year_end: usize) -> Option<()> {
    let (is_negative, text) = match text {
        [b'+', text @ ..] => (false, text),
        [b'-', text @ ..] => (true, text),
        _ => return None,
    };
    let (year, rest) = parse::digits(text, year_end - 1, 0..=YEARS_MAX)?;
    let (month, rest) = parse::digits(rest.strip_prefix(b"-")?, 2, 0..=11)?;
    let (day, rest) = parse::digits(rest.strip_prefix(b"-")?, 2, 0..=30)?;
    let sign = if is_negative { -1 } else { 1 };
    moment.add_months(sign * year, sign * month);
    moment.add_milliseconds(sign * day * DAY);
    let Some((&first, time)) = rest.split_first() else { return Some(()) };
    if !number::parse::is_space(first) {
        return None;
    }
    move_by_time(moment, is_negative, time)
}

/// `HH:MM...`, perhaps with a sign before it. Whole days are ignored.
fn move_by_time(moment: &mut Moment, is_negative: bool, text: &[u8]) -> Option<()> {
    let text = match text.split_first()? {
        (first, _) if first.is_ascii_digit() => text,
        (_, unsigned) => unsigned,
    };
    let (time, zone) = parse::time_and_zone(text)?;
    let milliseconds = (time.milliseconds() - zone.unwrap_or(0) * 60_000).rem_euclid(DAY);
    moment.add_milliseconds(if is_negative { -milliseconds } else { milliseconds });
    Some(())
}

/// A unit of time.
struct Unit {
    name: &'static [u8],
    /// The limit: a number of this size, or larger, is out of range.
    limit: f64,
    /// Its length; for months and years that of a fraction.
    seconds: f64,
}

const UNITS: [Unit; 6] = [
    Unit { name: b"second", limit: 4.6427e+14, seconds: 1.0 },
    Unit { name: b"minute", limit: 7.7379e+12, seconds: 60.0 },
    Unit { name: b"hour", limit: 1.2897e+11, seconds: 3600.0 },
    Unit { name: b"day", limit: 5_373_485.0, seconds: 86_400.0 },
    Unit { name: b"month", limit: 176_546.0, seconds: 30.0 * 86_400.0 },
    Unit { name: b"year", limit: 14_713.0, seconds: 365.0 * 86_400.0 },
];

fn move_by_units(moment: &mut Moment, number: f64, name: &[u8]) -> Option<()> {
    let name = name.strip_suffix(b"s").unwrap_or(name);
    let unit = UNITS.iter().find(|unit| unit.name == name && number > -unit.limit && number < unit.limit)?;
    moment.milliseconds();
    moment.forget_overshoot();
    let whole = number.trunc() as i64;
    let rest = match unit.name {
        b"month" => {
            moment.add_months(0, whole);
            number.fract()
        }
        b"year" => {
            moment.add_months(whole, 0);
            number.fract()
        }
        _ => number,
    };
    let rounding = if number < 0.0 { -0.5 } else { 0.5 };
    moment.add_milliseconds((rest * 1000.0 * unit.seconds + rounding) as i64);
    Some(())
}
