//! A time value.
//!
//! It has up to three representations, and each modifier changes the one that it needs:
//!
//! ```text
//!   day       milliseconds since the Julian epoch        + days, weekday, hours
//!   date, time   year, month, day; hour, minute, second  + months, start of year
//!   number    as it was given                            unixepoch, auto, julianday
//! ```
//!
//! The other representations are computed when they are used. A representation that has not been recomputed is not normalised:
//! February 31 stays until the day number is computed.

use super::calendar::{self, DAY, HALF_DAY, LAST, UNIX_EPOCH};

/// Year, month and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub year: i64,
    pub month: i64,
    pub day: i64,
}

/// Hour, minute and second of a day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    pub hour: i64,
    pub minute: i64,
    pub second: f64,
}

/// A time value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Moment {
    /// Milliseconds since the Julian epoch, if computed.
    milliseconds: Option<i64>,
    date: Option<Date>,
    time: Option<Time>,
    /// The offset of date and time from UTC in minutes.
    zone: i64,
    /// The number that was given, until its unit is known.
    number: Option<f64>,
    /// The number of days that the date is past the end of its month.
    overshoot: i64,
    is_wrong: bool,
    shows_milliseconds: bool,
    pub(super) is_utc: bool,
    pub(super) is_local: bool,
}

const MIDNIGHT: Time = Time { hour: 0, minute: 0, second: 0.0 };
/// The date of a time value that has only a time.
const DEFAULT_DATE: Date = Date { year: 2000, month: 1, day: 1 };
const YEARS: std::ops::RangeInclusive<i64> = -4713..=9999;

impl Time {
    /// Milliseconds since midnight.
    pub(super) fn milliseconds(self) -> i64 {
        self.hour * 3_600_000 + self.minute * 60_000 + (self.second * 1000.0 + 0.5) as i64
    }
}

impl Moment {
    /// A time in milliseconds since the Julian epoch.
    pub(super) fn now(milliseconds: i64) -> Moment {
        Moment { milliseconds: Some(milliseconds), is_utc: true, ..Moment::default() }
    }

    /// A number: a Julian day number if it is in range, unless a modifier says otherwise.
    pub(super) fn from_number(number: f64) -> Moment {
        const DAYS_END: f64 = 5_373_484.5;
        let is_day = (0.0..DAYS_END).contains(&number);
        let milliseconds = is_day.then_some((number * DAY as f64 + 0.5) as i64);
        Moment { number: Some(number), milliseconds, ..Moment::default() }
    }

    /// The fields of a text: a date, a time, or both, and the offset from UTC.
    pub(super) fn from_fields(date: Option<Date>, time: Option<Time>, zone: Option<i64>) -> Moment {
        let is_utc = zone == Some(0);
        let mut moment = Moment { date, time, zone: zone.unwrap_or(0), is_utc, ..Moment::default() };
        moment.measure_overshoot();
        // A time alone keeps its zone, and its hour 24, until the day number is used; some modifiers come before.
        let is_next_day = time.is_some_and(|time| time.hour == 24);
        if date.is_some() && (moment.zone != 0 || is_next_day) {
            moment.milliseconds();
        }
        if is_next_day {
            moment.forget_overshoot(); // the next day exists, unless this is the last one
            moment.is_wrong |= moment.milliseconds.is_some_and(|milliseconds| milliseconds > LAST);
        }
        moment
    }

    /// Makes it print with milliseconds.
    pub(super) fn show_milliseconds(&mut self) {
        self.shows_milliseconds = true;
    }

    pub(super) fn shows_milliseconds(&self) -> bool {
        self.shows_milliseconds
    }

    /// The time value after all modifiers; `None` if it is invalid.
    pub(super) fn finish(mut self, is_unmodified: bool) -> Option<Moment> {
        let milliseconds = self.milliseconds();
        if self.is_wrong || !(0..=LAST).contains(&milliseconds) {
            return None;
        }
        if is_unmodified && self.date.is_some_and(|date| date.day > 28) {
            self.date = None; // to be computed again, within its month
        }
        Some(self)
    }

    /// Milliseconds since the Julian epoch.
    pub(super) fn milliseconds(&mut self) -> i64 {
        if let Some(milliseconds) = self.milliseconds {
            return milliseconds;
        }
        let date = self.date.unwrap_or(DEFAULT_DATE);
        if !YEARS.contains(&date.year) || self.number.is_some() {
            *self = Moment { is_wrong: true, ..Moment::default() };
            return 0;
        }
        let noon = calendar::day_number(date.year, date.month, date.day) * DAY;
        let mut milliseconds = noon - HALF_DAY;
        if let Some(time) = self.time {
            milliseconds += time.milliseconds() - self.zone * 60_000;
            if self.zone != 0 {
                (self.is_utc, self.is_local) = (true, false);
            }
            if self.zone != 0 || time.hour == 24 {
                self.forget_fields(); // they may belong to another day
            }
        }
        self.milliseconds = Some(milliseconds);
        milliseconds
    }

    /// Days since the Julian epoch.
    pub(super) fn julian_day(&mut self) -> f64 {
        self.milliseconds() as f64 / DAY as f64
    }

    /// Milliseconds since 1970.
    pub(super) fn unix_milliseconds(&mut self) -> i64 {
        self.milliseconds() - UNIX_EPOCH
    }

    pub(super) fn date(&mut self) -> Date {
        if let Some(date) = self.date {
            return date;
        }
        let date = match self.milliseconds {
            None => DEFAULT_DATE,
            Some(milliseconds) if !(0..=LAST).contains(&milliseconds) => {
                *self = Moment { is_wrong: true, ..Moment::default() };
                return DEFAULT_DATE;
            }
            Some(milliseconds) => {
                let (year, month, day) = calendar::date_of((milliseconds + HALF_DAY) / DAY);
                Date { year, month, day }
            }
        };
        self.date = Some(date);
        date
    }

    pub(super) fn time(&mut self) -> Time {
        if let Some(time) = self.time {
            return time;
        }
        let since_midnight = (self.milliseconds() + HALF_DAY).rem_euclid(DAY);
        let minutes = since_midnight / 60_000;
        let second = (since_midnight % 60_000) as f64 / 1000.0;
        let time = Time { hour: minutes / 60, minute: minutes % 60, second };
        self.time = Some(time);
        time
    }

    /// Moves by a number of milliseconds; drops date and time, which are recomputed.
    pub(super) fn add_milliseconds(&mut self, milliseconds: i64) {
        let sum = self.milliseconds().saturating_add(milliseconds);
        self.milliseconds = Some(sum);
        self.forget_fields();
    }

    /// Moves to another date at the same time of day, perhaps past the end of a month.
    pub(super) fn set_date(&mut self, date: Date) {
        self.time(); // and if the number cannot be a day, this is wrong from here on
        self.number = None;
        self.date = Some(date);
        self.milliseconds = None;
        self.measure_overshoot();
    }

    /// Moves by years and months; the day stays, perhaps past the end of the month.
    pub(super) fn add_months(&mut self, years: i64, months: i64) {
        let Date { year, month, day } = self.date();
        let months = month - 1 + months;
        let year = year.saturating_add(years) + months.div_euclid(12);
        self.set_date(Date { year, month: months.rem_euclid(12) + 1, day });
    }

    /// Moves to midnight of a date.
    pub(super) fn set_midnight(&mut self, date: Date) {
        self.number = None;
        self.zone = 0;
        self.milliseconds = None;
        self.date = Some(date);
        self.time = Some(MIDNIGHT);
    }

    /// Drops the offset from UTC, unless it has been applied already.
    pub(super) fn drop_zone(&mut self) {
        self.date();
        self.time();
        self.zone = 0;
        self.milliseconds = None;
        self.number = None;
    }

    /// Whether it is only a number that cannot be a day.
    pub(super) fn is_invalid_day(&self) -> bool {
        self.number.is_some() && self.milliseconds.is_none()
    }

    /// Marks it as valid again.
    pub(super) fn mark_valid(&mut self) {
        self.is_wrong = false;
    }

    /// Becomes the given date and time of day.
    pub(super) fn set_fields(&mut self, date: Date, time: Time) {
        self.number = None;
        self.zone = 0;
        self.milliseconds = None;
        (self.date, self.time) = (Some(date), Some(time));
    }

    /// Becomes the given time in UTC. The request for milliseconds is dropped.
    pub(super) fn set_utc(&mut self, milliseconds: i64) {
        *self = Moment { is_wrong: self.is_wrong, ..Moment::now(milliseconds) };
    }

    /// Moves back to the end of the month if the date is past it.
    pub(super) fn floor(&mut self) {
        let overshoot = self.overshoot * DAY;
        self.add_milliseconds(-overshoot);
    }

    /// Drops the overshoot, so that `floor` has no effect.
    pub(super) fn forget_overshoot(&mut self) {
        self.overshoot = 0;
    }

    fn measure_overshoot(&mut self) {
        self.overshoot = match self.date {
            Some(date) => (date.day - calendar::month_length(date.year, date.month)).max(0),
            None => 0,
        };
    }

    fn forget_fields(&mut self) {
        (self.date, self.time, self.zone) = (None, None, 0);
    }

    /// Whether it is more than a number of unknown unit.
    pub(super) fn is_known(&self) -> bool {
        self.milliseconds.is_some() || self.date.is_some() || self.time.is_some()
    }

    /// Takes the number as a Julian day number; false if it cannot be one.
    pub(super) fn take_number_as_day(&mut self) -> bool {
        let is_day = self.milliseconds.is_some() && self.number.is_some();
        if is_day {
            self.number = None;
        }
        is_day
    }

    /// Takes the number as seconds since 1970; false if it is out of range.
    pub(super) fn take_number_as_unix(&mut self) -> bool {
        let Some(number) = self.number else { return false };
        let milliseconds = number * 1000.0 + UNIX_EPOCH as f64;
        if !(0.0..(LAST + 1) as f64).contains(&milliseconds) {
            return false;
        }
        self.milliseconds = Some((milliseconds + 0.5) as i64);
        self.forget_fields();
        self.number = None;
        true
    }

    /// Takes the number as days if it can be, otherwise as seconds.
    pub(super) fn guess_number_kind(&mut self) {
        const UNIX: std::ops::RangeInclusive<f64> = -210_866_760_000.0..=253_402_300_799.0;
        match self.number {
            Some(number) if self.milliseconds.is_none() && UNIX.contains(&number) => {
                self.milliseconds = Some((number * 1000.0 + UNIX_EPOCH as f64 + 0.5) as i64);
                self.forget_fields();
                self.number = None;
            }
            Some(_) if self.milliseconds.is_none() => {}
            _ => self.number = None,
        }
    }
}
