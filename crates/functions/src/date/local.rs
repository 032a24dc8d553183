//! Conversion to local time and back.

use super::calendar::{DAY, HALF_DAY, UNIX_EPOCH};
use super::moment::{Date, Moment, Time};
use super::{calendar, moment};
use crate::context::Connection;
use crate::error::{FunctionError, Result};

/// The years for which the system's rules are used (1970 to 2037). Any other year is replaced by a similar one among them.
const ASKED: std::ops::RangeInclusive<i64> = 210_866_760_000_000..=213_014_145_600_000;

/// `localtime`: the local time at a time in UTC.
pub(super) fn to_local(moment: &mut Moment, connection: &dyn Connection) -> Result {
    if !moment.is_local {
        let is_invalid_day = moment.is_invalid_day();
        let (date, time) = local_fields(moment, connection)?;
        moment.set_fields(date, time);
        if is_invalid_day {
            // As in SQLite, the value becomes the first day of 2000.
            moment.mark_valid();
        }
        (moment.is_utc, moment.is_local) = (false, true);
    }
    Ok(())
}

/// `utc`: the time in UTC for a local time. Around a change of the clocks the guess is corrected three times, and then used as it
/// is.
pub(super) fn to_utc(moment: &mut Moment, connection: &dyn Connection) -> Result {
    const CORRECTIONS_MAX: u32 = 3;
    if moment.is_utc {
        return Ok(());
    }
    let is_invalid_day = moment.is_invalid_day();
    let wanted = moment.milliseconds();
    let mut guess = wanted;
    for _ in 0..CORRECTIONS_MAX {
        let (date, time) = local_fields(&mut Moment::now(guess), connection)?;
        let shown = moment::Moment::from_fields(Some(date), Some(time), None).milliseconds();
        let error = shown - wanted;
        if error == 0 {
            break;
        }
        guess -= error;
    }
    moment.set_utc(guess);
    if is_invalid_day {
        // As in SQLite, the value becomes the first of all days.
        moment.mark_valid();
    }
    Ok(())
}

fn local_fields(moment: &mut Moment, connection: &dyn Connection) -> Result<(Date, Time)> {
    let milliseconds = moment.milliseconds();
    let (asked, years_away) = if ASKED.contains(&milliseconds) {
        (milliseconds, 0)
    } else {
        // Leap years and months are the same in the similar year; the days of the week are not.
        let date = moment.date();
        let like = 2000 + date.year % 4;
        let time = moment.time();
        let noon = calendar::day_number(like, date.month, date.day) * DAY;
        (noon - HALF_DAY + time.milliseconds(), like - date.year)
    };
    let seconds = (asked - UNIX_EPOCH).div_euclid(1000);
    let offset = connection.local_offset(seconds).ok_or_else(|| FunctionError::new("local time unavailable"))?;
    let local = Moment::now((seconds + i64::from(offset)) * 1000 + UNIX_EPOCH);
    let mut local = local;
    let (date, time) = (local.date(), local.time());
    let fraction = milliseconds.rem_euclid(1000) as f64 * 0.001;
    Ok((Date { year: date.year - years_away, ..date }, Time { second: time.second + fraction, ..time }))
}
