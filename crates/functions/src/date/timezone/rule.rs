//! Rules for the change of the clocks, as POSIX writes them in TZ.
//!
//! ```text
//!   CET  -1  CEST  ,  M3.5.0  ,  M10.5.0 / 3
//!   name offset name  start       end       hour
//!        west of UTC  month.week.weekday, the fifth being the last
//! ```
//!
//! `J60` is a day of a year without February 29, from 1; `60` a day of the year, from 0. An offset for the summer may follow its
//! name; without it the offset is one hour more.

use crate::date::calendar;

/// The offsets of a time zone for all times.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    /// Seconds ahead of UTC.
    standard: i32,
    summer: Option<Summer>,
}

#[derive(Clone, Debug, PartialEq)]
struct Summer {
    offset: i32,
    start: Change,
    end: Change,
}

/// A day of the year, and seconds from its midnight, in local time before the change.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    day: Day,
    seconds: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Day {
    /// Counted from 1, without February 29.
    Julian(i64),
    /// Counted from 0.
    OfYear(i64),
    Weekday {
        month: i64,
        week: i64,
        weekday: i64,
    },
}

const HOUR: i64 = 3600;
const DAY_SECONDS: i64 = 86_400;
/// The Julian day number of 1970-01-01.
const UNIX_DAY: i64 = 2_440_588;
/// Two in the morning.
const CHANGE_DEFAULT: i64 = 2 * HOUR;
/// The default if a name for the summer has no dates.
const CHANGES_DEFAULT: &[u8] = b",M3.2.0,M11.1.0";

impl Rule {
    pub(super) fn parse(text: &[u8]) -> Option<Rule> {
        let rest = skip_name(text)?;
        let (west, rest) = seconds(rest)?;
        let standard = -west;
        if rest.is_empty() {
            return Some(Rule { standard: i32::try_from(standard).ok()?, summer: None });
        }
        let rest = skip_name(rest)?;
        let (offset, rest) = match rest.first() {
            None | Some(b',') => (standard + HOUR, rest),
            Some(_) => seconds(rest).map(|(west, rest)| (-west, rest))?,
        };
        let changes = if rest.is_empty() { CHANGES_DEFAULT } else { rest };
        let (start, rest) = Change::parse(changes.strip_prefix(b",")?)?;
        let (end, rest) = Change::parse(rest.strip_prefix(b",")?)?;
        if !rest.is_empty() {
            return None;
        }
        let summer = Summer { offset: i32::try_from(offset).ok()?, start, end };
        Some(Rule { standard: i32::try_from(standard).ok()?, summer: Some(summer) })
    }

    /// Seconds ahead of UTC at a time in seconds since 1970.
    pub(super) fn offset(&self, unix_seconds: i64) -> i32 {
        let Some(summer) = &self.summer else { return self.standard };
        let local = unix_seconds.saturating_add(i64::from(self.standard));
        let (year, ..) = calendar::date_of(local.div_euclid(DAY_SECONDS) + UNIX_DAY);
        let start = summer.start.local_time(year) - i64::from(self.standard);
        let end = summer.end.local_time(year) - i64::from(summer.offset);
        let is_summer = if start < end {
            (start..end).contains(&unix_seconds)
        } else {
            !(end..start).contains(&unix_seconds) // in the southern hemisphere, summer includes the new year
        };
        if is_summer { summer.offset } else { self.standard }
    }
}

impl Change {
    fn parse(text: &[u8]) -> Option<(Change, &[u8])> {
        let (day, rest) = match text {
            [b'J', rest @ ..] => number(rest, 1..=365).map(|(day, rest)| (Day::Julian(day), rest))?,
            [b'M', rest @ ..] => {
                let (month, rest) = number(rest, 1..=12)?;
                let (week, rest) = number(rest.strip_prefix(b".")?, 1..=5)?;
                let (weekday, rest) = number(rest.strip_prefix(b".")?, 0..=6)?;
                (Day::Weekday { month, week, weekday }, rest)
            }
            _ => number(text, 0..=365).map(|(day, rest)| (Day::OfYear(day), rest))?,
        };
        let (seconds, rest) = match rest {
            [b'/', rest @ ..] => seconds(rest)?,
            _ => (CHANGE_DEFAULT, rest),
        };
        Some((Change { day, seconds }, rest))
    }

    /// The time of the change in a year, in seconds since 1970, in local time.
    fn local_time(self, year: i64) -> i64 {
        let day = match self.day {
            Day::Julian(day) => {
                let is_leap = calendar::month_length(year, 2) == 29;
                calendar::day_number(year, 1, 1) + day - 1 + i64::from(is_leap && day > 59)
            }
            Day::OfYear(day) => calendar::day_number(year, 1, 1) + day,
            Day::Weekday { month, week, weekday } => {
                let first = calendar::day_number(year, month, 1);
                // Julian day number 0 was a Monday.
                let days = (weekday - (first + 1)).rem_euclid(7) + (week - 1) * 7;
                let is_past = days >= calendar::month_length(year, month);
                first + if is_past { days - 7 } else { days }
            }
        };
        (day - UNIX_DAY) * DAY_SECONDS + self.seconds
    }
}

/// The text after a name: three letters or more, or any text between angle brackets.
fn skip_name(text: &[u8]) -> Option<&[u8]> {
    const LEN_MIN: usize = 3;
    if let Some(quoted) = text.strip_prefix(b"<") {
        let end = quoted.iter().position(|&byte| byte == b'>')?;
        return if end >= LEN_MIN { quoted.get(end + 1..) } else { None };
    }
    let len = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if len >= LEN_MIN { text.get(len..) } else { None }
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn seconds(text: &[u8]) -> Option<(i64, &[u8])> {
    /// A week less an hour, as time zone files allow it for the hour of a change.
    const HOURS_MAX: i64 = 167;
    let (sign, text) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    let (hours, mut rest) = number(text, 0..=HOURS_MAX)?;
    let mut seconds = hours * HOUR;
    for unit in [60, 1] {
        let Some(behind) = rest.strip_prefix(b":") else { break };
        let (count, behind) = number(behind, 0..=59)?;
        seconds += count * unit;
        rest = behind;
    }
    Some((sign * seconds, rest))
}

fn number(text: &[u8], range: std::ops::RangeInclusive<i64>) -> Option<(i64, &[u8])> {
    const DIGITS_MAX: usize = 3;
    let len = text.iter().take(DIGITS_MAX).take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    let number = digits.iter().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    (len > 0 && range.contains(&number)).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &str, offsets: &[(i64, i32)]) {
        let parsed = Rule::parse(rule.as_bytes()).unwrap_or_else(|| panic!("{rule} is no rule"));
        for &(time, hours) in offsets {
            assert_eq!(parsed.offset(time), hours * 3600, "{rule} at {time}");
        }
    }

    #[test]
    fn offsets() {
        check("UTC0", &[(0, 0)]);
        check("<+03>-3", &[(0, 3)]);
        // 2024-03-31 01:00 and 2024-10-27 01:00 UTC.
        check(
            "CET-1CEST,M3.5.0,M10.5.0/3",
            &[(1_711_846_799, 1), (1_711_846_800, 2), (1_729_990_799, 2), (1_729_990_800, 1)],
        );
        // 2024-03-10 07:00 and 2024-11-03 06:00 UTC.
        check("EST5EDT", &[(1_710_053_999, -5), (1_710_054_000, -4), (1_730_613_599, -4), (1_730_613_600, -5)]);
        // 2024-04-06 16:00 and 2024-10-05 16:00 UTC.
        check(
            "AEST-10AEDT,M10.1.0,M4.1.0/3",
            &[(1_712_419_199, 11), (1_712_419_200, 10), (1_728_143_999, 10), (1_728_144_000, 11)],
        );
        check("XXX0YYY,J60/0,J61/0", &[(1_709_251_200, 1), (1_709_251_199, 0), (1_677_628_800, 1)]);
    }

    #[test]
    fn nonsense() {
        for rule in ["", "A", "AB0", "ABC", "ABC5D", "ABC5DEF,", "ABC5DEF,M3.2.0", "ABC5DEF,M13.1.0,M1.1.0", "<ab0"] {
            assert_eq!(Rule::parse(rule.as_bytes()), None, "{rule}");
        }
    }
}
