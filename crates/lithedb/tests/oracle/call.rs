//! Random calls of functions.

use fastrand::Rng;

use crate::expr::deterministic;
use crate::json;
use crate::schema::pick;

/// A call of a function whose result depends only on its arguments.
pub fn call(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    match rng.u32(0..10) {
        0..2 => rare(rng, columns, depth),
        2 => json::call(rng, columns, depth),
        _ => common(rng, columns, depth),
    }
}

fn common(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    let sub = |rng: &mut Rng| deterministic(rng, columns, depth - 1);
    match rng.u32(0..22) {
        // The planner decides for which rows an overflowing function is called, so calls do not overflow.
        0 => format!("abs(nullif({}, -9223372036854775808))", sub(rng)),
        1 => format!("length({})", sub(rng)),
        2 => format!("lower({})", sub(rng)),
        3 => format!("upper({})", sub(rng)),
        4 => format!("typeof({})", sub(rng)),
        5 => format!("substr({}, {}, {})", sub(rng), rng.i32(-4..5), rng.i32(-3..5)),
        6 => format!("min({}, {})", sub(rng), sub(rng)),
        7 => format!("max({}, {}, {})", sub(rng), sub(rng), sub(rng)),
        8 => format!("nullif({}, {})", sub(rng), sub(rng)),
        9 => format!("ifnull({}, {})", sub(rng), sub(rng)),
        10 => format!("instr({}, {})", sub(rng), sub(rng)),
        11 => format!("replace({}, {}, {})", sub(rng), sub(rng), sub(rng)),
        12 => format!("trim({})", sub(rng)),
        13 => format!("hex({})", sub(rng)),
        14 => format!("quote({})", sub(rng)),
        15 => format!("round({}, {})", sub(rng), rng.i32(0..4)),
        16 => format!("iif({}, {}, {})", sub(rng), sub(rng), sub(rng)),
        17 => format!("unicode({})", sub(rng)),
        18 => format!("sign({})", sub(rng)),
        19 => format!("printf('%s|%d|%.3f', {}, {}, {})", sub(rng), sub(rng), sub(rng)),
        20 => format!("concat({}, {})", sub(rng), sub(rng)),
        _ => format!("ltrim({}, {})", sub(rng), sub(rng)),
    }
}

fn rare(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    let sub = |rng: &mut Rng| deterministic(rng, columns, depth - 1);
    match rng.u32(0..22) {
        0 => format!("rtrim({})", sub(rng)),
        1 => format!("rtrim({}, {})", sub(rng), sub(rng)),
        2 => format!("octet_length({})", sub(rng)),
        3 => format!("concat_ws({}, {}, {})", sub(rng), sub(rng), sub(rng)),
        4 => format!("char({}, {})", rng.u32(0..0x3000), sub(rng)),
        5 => format!("unhex({})", sub(rng)),
        6 => format!("zeroblob({})", rng.i32(-2..6)),
        7 => format!("substr({}, {})", sub(rng), sub(rng)),
        8 => format!("likely({})", sub(rng)),
        9 => format!("like({}, {})", sub(rng), sub(rng)),
        10 => format!("glob({}, {})", sub(rng), sub(rng)),
        11 => format!("unlikely({})", sub(rng)),
        12 => format!("format('{}', {})", pick(rng, &FORMATS), sub(rng)),
        13 => format!("format('{}', {}, {})", pick(rng, &FORMATS), sub(rng), sub(rng)),
        14..17 => format!("{}({}{})", pick(rng, &DATES), moment(rng, columns, depth), modifiers(rng)),
        17..19 => format!("strftime('{}', {}{})", pick(rng, &TIMES), moment(rng, columns, depth), modifiers(rng)),
        19 => format!("timediff({}, {})", moment(rng, columns, depth), moment(rng, columns, depth)),
        20 => format!("iif({}, {})", sub(rng), sub(rng)),
        _ => format!("if({}, {}, {})", sub(rng), sub(rng), sub(rng)),
    }
}

const FORMATS: [&str; 17] = [
    "%d", "%5d|", "%-6d|", "%06d", "%+d", "%,d", "%x", "%X", "%o", "%e", "%.2g", "%10.3f", "%s", "%-8.2s|", "%Q", "%w",
    "%c%%",
];
const DATES: [&str; 5] = ["date", "time", "datetime", "julianday", "unixepoch"];
const TIMES: [&str; 18] = [
    "%Y-%m-%d", "%H:%M:%f", "%j", "%J", "%s", "%w", "%W", "%u", "%G-%V", "%e|%k|%l", "%p %P %I", "%F %T", "%R", "%U%g",
    "%d.%m.%y", "%T.%f", "%%|%s", "%h",
];
const MOMENTS: [&str; 12] = [
    "'2024-02-29'",
    "'2024-12-31 23:59:59.999'",
    "'1969-12-31T12:00'",
    "'0000-01-01'",
    "'9999-12-31'",
    "'12:34'",
    "2460000.5",
    "0",
    "1700000000",
    "'2024-03-10 01:02:03+05:30'",
    "'2024-13-01'",
    "-1",
];
/// Without `localtime` and `utc`, because SQLite makes dates of invalid numbers with them.
const MODIFIERS: [&str; 26] = [
    "+1 day",
    "-1 month",
    "+1 month",
    "+13 months",
    "-3.5 hours",
    "+90 minutes",
    "start of month",
    "start of year",
    "start of day",
    "weekday 0",
    "weekday 3",
    "unixepoch",
    "auto",
    "julianday",
    "subsec",
    "+0001-02-03 04:05",
    "ceiling",
    "nonsense",
    "floor",
    "+1 year",
    "-400 days",
    "+00:30",
    "-0100-00-00",
    "+1.5 seconds",
    "weekday 7",
    "subsecond",
];

fn moment(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    if rng.u32(0..4) == 0 { deterministic(rng, columns, depth - 1) } else { (*pick(rng, &MOMENTS)).to_owned() }
}

fn modifiers(rng: &mut Rng) -> String {
    (0..rng.usize(0..3)).map(|_| format!(", '{}'", pick(rng, &MODIFIERS))).collect()
}
