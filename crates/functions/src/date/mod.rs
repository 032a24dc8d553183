//! Dates and times.
//!
//! All functions read a time value, apply modifiers from left to right, and print the result in different forms.
//!
//! | module | its one subject |
//! | --- | --- |
//! | `calendar` | days, months, years: arithmetic |
//! | `moment` | [`Moment`](moment::Moment): a time value, as a day number, as calendar fields, or as a bare number |
//! | `parse` | text to time value |
//! | `modifier` | the modifiers |
//! | `local` | conversion to local time and back |
//! | `print` | strftime, and the fixed forms of the other functions |
//! | `difference` | timediff |
//!
//! The calendar is Gregorian, also before its introduction. Time is counted in milliseconds since noon of November 24 of the year
//! -4713 (Julian day number 0), and ends with the year 9999.

mod calendar;
mod difference;
mod local;
mod modifier;
mod moment;
mod parse;
mod print;

use lithe_value::{NumberText, ValueRef, cast, utf8};

use crate::context::Context;
use crate::error::{FunctionError, Result};
use crate::scalar::{PURE, null};
use crate::signature::{Arity, Flags, Scalar, ScalarFn};
use moment::Moment;

pub use calendar::{date_of_day, day_of_date};

pub(crate) const FUNCTIONS: [Scalar; 10] = [
    Scalar { flags: STABLE, ..entry("current_date", Arity::Exactly(0), current_date) },
    Scalar { flags: STABLE, ..entry("current_time", Arity::Exactly(0), current_time) },
    Scalar { flags: STABLE, ..entry("current_timestamp", Arity::Exactly(0), current_timestamp) },
    entry("date", Arity::AtLeast(0), date),
    entry("datetime", Arity::AtLeast(0), datetime),
    entry("julianday", Arity::AtLeast(0), julianday),
    entry("strftime", Arity::AtLeast(0), strftime),
    entry("time", Arity::AtLeast(0), time),
    entry("timediff", Arity::Exactly(2), timediff),
    entry("unixepoch", Arity::AtLeast(0), unixepoch),
];

const STABLE: Flags = Flags::INNOCUOUS.with(Flags::STABLE).with(Flags::USES_CLOCK);

const fn entry(name: &'static str, args: Arity, eval: ScalarFn) -> Scalar {
    Scalar { name, args, flags: PURE.with(Flags::USES_CLOCK), eval, shortcut: None }
}

fn date(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(mut moment) = time_value(context, "date", args)? else { return null(context) };
    let mut buffer = context.out.take_buffer();
    print::push_date(&mut moment, &mut buffer);
    context.answer_text(buffer)
}

fn time(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(mut moment) = time_value(context, "time", args)? else { return null(context) };
    let mut buffer = context.out.take_buffer();
    print::push_time(&mut moment, &mut buffer);
    context.answer_text(buffer)
}

fn datetime(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(mut moment) = time_value(context, "datetime", args)? else { return null(context) };
    let mut buffer = context.out.take_buffer();
    print::push_date(&mut moment, &mut buffer);
    buffer.push(b' ');
    print::push_time(&mut moment, &mut buffer);
    context.answer_text(buffer)
}

fn julianday(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(mut moment) = time_value(context, "julianday", args)? else { return null(context) };
    context.out.set_real(moment.julian_day());
    Ok(())
}

/// Seconds since 1970; with `subsec` a real.
fn unixepoch(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some(mut moment) = time_value(context, "unixepoch", args)? else { return null(context) };
    if moment.shows_milliseconds() {
        context.out.set_real(moment.unix_milliseconds() as f64 / 1000.0);
    } else {
        context.out.set_integer(moment.unix_milliseconds().div_euclid(1000));
    }
    Ok(())
}

fn strftime(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let Some((&format, args)) = args.split_first() else { return null(context) };
    if format.is_null() {
        return null(context);
    }
    let Some(mut moment) = time_value(context, "strftime", args)? else { return null(context) };
    let mut scratch = NumberText::default();
    let format = utf8::until_nul(cast::to_bytes(format, &mut scratch));
    let mut buffer = context.out.take_buffer();
    match print::push_format(&mut moment, format, &mut buffer) {
        // As in SQLite, the NUL after the text counts.
        Some(()) if buffer.len() >= context.connection.length_max() => Err(FunctionError::too_big()),
        Some(()) => context.answer_text(buffer),
        None => null(context),
    }
}

fn timediff(context: &mut Context<'_>, args: &[ValueRef<'_>]) -> Result {
    let (first, second) = args.split_at_checked(1).unwrap_or_default();
    let Some(first) = time_value(context, "timediff", first)? else { return null(context) };
    let Some(second) = time_value(context, "timediff", second)? else { return null(context) };
    let mut buffer = context.out.take_buffer();
    difference::push(first, second, &mut buffer);
    context.answer_text(buffer)
}

fn current_date(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    date(context, &[])
}

fn current_time(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    time(context, &[])
}

fn current_timestamp(context: &mut Context<'_>, _args: &[ValueRef<'_>]) -> Result {
    datetime(context, &[])
}

/// The time value in the first argument, after the modifiers in the further arguments; without arguments the current time. `None` if it is
/// invalid, for which the functions return NULL.
fn time_value(context: &Context<'_>, function: &str, args: &[ValueRef<'_>]) -> Result<Option<Moment>> {
    let Some((&value, modifiers)) = args.split_first() else {
        return Ok(Some(Moment::now(context.now(function)?)));
    };
    let moment = match value {
        ValueRef::Null => None,
        ValueRef::Integer(integer) => Some(Moment::from_number(integer as f64)),
        ValueRef::Real(real) => Some(Moment::from_number(real)),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            parse::time_value(utf8::until_nul(text), || context.now(function))?
        }
    };
    let Some(mut moment) = moment else { return Ok(None) };
    for (index, &value) in modifiers.iter().enumerate() {
        if value.is_null() {
            return Ok(None);
        }
        let mut scratch = NumberText::default();
        let text = utf8::until_nul(cast::to_bytes(value, &mut scratch));
        if modifier::apply(&mut moment, text, index, context, function)?.is_none() {
            return Ok(None);
        }
    }
    Ok(moment.finish(modifiers.is_empty()))
}
