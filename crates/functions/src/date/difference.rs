//! `timediff(a, b)`: the time to add to `b` to get `a`.
//!
//! ```text
//!   +YYYY-MM-DD HH:MM:SS.SSS
//! ```
//!
//! First the years and months that bring `b` nearest to `a` without passing it, then days and time of day.

use lithe_value::Buffer;

use super::calendar::{DAY, HALF_DAY};
use super::moment::Moment;
use super::print::put;

pub(super) fn push(mut first: Moment, mut second: Moment, out: &mut Buffer) {
    let is_negative = first.milliseconds() < second.milliseconds();
    let direction = if is_negative { -1 } else { 1 };
    let (from, to) = (second.date(), first.date());
    let mut months = direction * ((to.year - from.year) * 12 + to.month - from.month);
    let mut near = moved(&second, direction * months);
    // The day of the month, or the time of day, may be past that of `a`.
    while direction * (first.milliseconds() - near.milliseconds()) < 0 {
        months -= 1;
        near = moved(&second, direction * months);
    }
    let rest = direction * (first.milliseconds() - near.milliseconds());
    let mut time = Moment::now(rest % DAY + HALF_DAY);
    let time = time.time();
    let (years, months, days) = (months / 12, months % 12, rest / DAY);
    out.push(if is_negative { b'-' } else { b'+' });
    put(out, format_args!("{years:04}-{months:02}-{days:02} "));
    put(out, format_args!("{:02}:{:02}:{:06.3}", time.hour, time.minute, time.second));
}

fn moved(moment: &Moment, months: i64) -> Moment {
    let mut moved = moment.clone();
    moved.add_months(0, months);
    moved
}
