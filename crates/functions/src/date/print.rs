//! Time values as text.

use std::fmt::Write;

use lithe_value::Buffer;

use super::calendar::{DAY, HALF_DAY};
use super::moment::{Date, Moment};
use crate::format;

/// `YYYY-MM-DD`, with a minus sign before it for the years before 0.
pub(super) fn push_date(moment: &mut Moment, out: &mut Buffer) {
    let Date { year, month, day } = moment.date();
    if year < 0 {
        out.push(b'-');
    }
    put(out, format_args!("{:04}-{month:02}-{day:02}", year.abs()));
}

/// `HH:MM:SS`, with milliseconds if requested.
pub(super) fn push_time(moment: &mut Moment, out: &mut Buffer) {
    let time = moment.time();
    put(out, format_args!("{:02}:{:02}:", time.hour, time.minute));
    if moment.shows_milliseconds() {
        push_milliseconds(time.second, out);
    } else {
        put(out, format_args!("{:02}", time.second as i64));
    }
}

/// `SS.SSS`
fn push_milliseconds(second: f64, out: &mut Buffer) {
    let milliseconds = (second.min(59.999) * 1000.0 + 0.5) as i64;
    put(out, format_args!("{:02}.{:03}", milliseconds / 1000, milliseconds % 1000));
}

/// `strftime`; `None` if the format has an unknown letter.
pub(super) fn push_format(moment: &mut Moment, format: &[u8], out: &mut Buffer) -> Option<()> {
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (text, field) = rest.split_at_checked(at)?;
        out.extend(text);
        let [_, letter, behind @ ..] = field else { return None };
        push_field(moment, *letter, out)?;
        rest = behind;
    }
    out.extend(rest);
    Some(())
}

fn push_field(moment: &mut Moment, letter: u8, out: &mut Buffer) -> Option<()> {
    let Date { year, month, day } = moment.date();
    let time = moment.time();
    let hour12 = (time.hour + 11) % 12 + 1;
    let is_afternoon = time.hour >= 12;
    match letter {
        b'%' => out.push(b'%'),
        b'd' => put(out, format_args!("{day:02}")),
        b'e' => put(out, format_args!("{day:2}")),
        b'f' => push_milliseconds(time.second, out),
        b'F' => put(out, format_args!("{year:04}-{month:02}-{day:02}")),
        b'g' => put(out, format_args!("{:02}", week_year(moment) % 100)),
        b'G' => put(out, format_args!("{:04}", week_year(moment))),
        b'H' => put(out, format_args!("{:02}", time.hour)),
        b'I' => put(out, format_args!("{hour12:02}")),
        b'j' => put(out, format_args!("{:03}", day_of_year(moment) + 1)),
        b'J' => format::general(moment.julian_day(), 16, out),
        b'k' => put(out, format_args!("{:2}", time.hour)),
        b'l' => put(out, format_args!("{hour12:2}")),
        b'm' => put(out, format_args!("{month:02}")),
        b'M' => put(out, format_args!("{:02}", time.minute)),
        b'p' => out.extend(if is_afternoon { b"PM" } else { b"AM" }),
        b'P' => out.extend(if is_afternoon { b"pm" } else { b"am" }),
        b'R' => put(out, format_args!("{:02}:{:02}", time.hour, time.minute)),
        b's' => push_unix_seconds(moment, out),
        b'S' => put(out, format_args!("{:02}", time.second as i64)),
        b'T' => put(out, format_args!("{:02}:{:02}:{:02}", time.hour, time.minute, time.second as i64)),
        b'u' => put(out, format_args!("{}", (weekday(moment) + 6) % 7 + 1)),
        b'U' => put(out, format_args!("{:02}", (day_of_year(moment) - weekday(moment) + 7) / 7)),
        b'V' => put(out, format_args!("{:02}", week_of_year(moment))),
        b'w' => put(out, format_args!("{}", weekday(moment))),
        b'W' => put(out, format_args!("{:02}", (day_of_year(moment) - (weekday(moment) + 6) % 7 + 7) / 7)),
        b'Y' => put(out, format_args!("{year:04}")),
        _ => return None,
    }
    Some(())
}

fn push_unix_seconds(moment: &mut Moment, out: &mut Buffer) {
    let milliseconds = moment.unix_milliseconds();
    if moment.shows_milliseconds() {
        put(out, format_args!("{:.3}", milliseconds as f64 / 1000.0));
    } else {
        put(out, format_args!("{}", milliseconds.div_euclid(1000)));
    }
}

/// Sunday is 0.
fn weekday(moment: &mut Moment) -> i64 {
    (moment.milliseconds() + HALF_DAY + DAY) / DAY % 7
}

/// January 1 is 0.
fn day_of_year(moment: &mut Moment) -> i64 {
    let year = moment.date().year;
    let january = super::calendar::day_number(year, 1, 1);
    (moment.milliseconds() + HALF_DAY) / DAY - january
}

/// The Thursday of the same week, which determines the year and the week of ISO 8601.
fn thursday(moment: &mut Moment) -> Moment {
    let days = 3 - (weekday(moment) + 6) % 7;
    let mut thursday = moment.clone();
    thursday.add_milliseconds(days * DAY);
    thursday
}

fn week_year(moment: &mut Moment) -> i64 {
    thursday(moment).date().year
}

fn week_of_year(moment: &mut Moment) -> i64 {
    day_of_year(&mut thursday(moment)) / 7 + 1
}

/// Appends formatted text, which never fails for a buffer.
pub(super) fn put(out: &mut Buffer, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "a buffer takes any text");
}
