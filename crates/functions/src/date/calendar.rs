//! Days, months, years.
//!
//! If the year begins in March, the lengths of months repeat in groups of five:
//!
//! ```text
//!   Mar Apr May Jun Jul | Aug Sep Oct Nov Dec | Jan Feb
//!    31  30  31  30  31 |  31  30  31  30  31 |  31  28 or 29, and no month after it shifts
//! ```
//!
//! so a day number is (153 * month + 2) / 5, and leap days are at the ends of years.

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;
/// Noon to midnight.
pub(super) const HALF_DAY: i64 = DAY / 2;
/// 1970-01-01 00:00 in milliseconds since the Julian epoch.
pub(super) const UNIX_EPOCH: i64 = 210_866_760_000_000;
/// The last millisecond of the year 9999.
pub(super) const LAST: i64 = 464_269_060_799_999;

/// The Julian day number of the noon of 0000-03-01.
const MARCH_1_OF_YEAR_0: i64 = 1_721_120;
/// Days of four centuries.
const ERA: i64 = 146_097;

/// The Julian day number of the noon of a day. A day beyond the end of its month belongs to the next.
pub(super) fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    MARCH_1_OF_YEAR_0 + era * ERA + day_of_era
}

/// Year, month and day of a Julian day number.
pub(super) fn date_of(day_number: i64) -> (i64, i64, i64) {
    let days = day_number - MARCH_1_OF_YEAR_0;
    let era = days.div_euclid(ERA);
    let day_of_era = days.rem_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / (ERA - 1)) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The Julian day number of 1970-01-01.
const UNIX_DAY: i64 = 2_440_588;

/// The day of a date, counted from 1970-01-01. A day beyond the end of its month belongs to the next.
pub fn day_of_date(year: i64, month: i64, day: i64) -> i64 {
    day_number(year, month, day) - UNIX_DAY
}

/// Year, month and day of a day that is counted from 1970-01-01. A day millions of years away is replaced by the most distant one
/// that can be computed.
pub fn date_of_day(day: i64) -> (i64, i64, i64) {
    const DAYS_MAX: i64 = 1_000_000_000;
    date_of(day.clamp(-DAYS_MAX, DAYS_MAX) + UNIX_DAY)
}

/// The number of days of a month.
pub(super) fn month_length(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers() {
        for (year, month, day, number) in [
            (-4713, 11, 24, 0),
            (0, 1, 1, 1_721_060),
            (1858, 11, 17, 2_400_001),
            (1970, 1, 1, 2_440_588),
            (2000, 2, 29, 2_451_604),
            (2000, 3, 1, 2_451_605),
            (2100, 3, 1, 2_488_129),
            (9999, 12, 31, 5_373_484),
        ] {
            assert_eq!(day_number(year, month, day), number);
            assert_eq!(date_of(number), (year, month, day));
        }
        assert_eq!(day_number(2023, 2, 31), day_number(2023, 3, 3));
        for (day, date) in [(0, (1970, 1, 1)), (19_782, (2024, 2, 29)), (-719_468, (0, 3, 1)), (47_541, (2100, 3, 1))] {
            assert_eq!((date_of_day(day), day_of_date(date.0, date.1, date.2)), (date, day));
        }
        assert!(date_of_day(i64::MAX) > date_of_day(0));
    }

    #[test]
    fn every_day_comes_back() {
        for number in 0..5_373_485 {
            let (year, month, day) = date_of(number);
            assert_eq!(day_number(year, month, day), number);
            assert!((1..=month_length(year, month)).contains(&day));
        }
    }
}
