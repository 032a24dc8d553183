//! Dates and times: random time values, modifiers and formats.
//!
//! Local time is that of the environment: `TZ=Europe/Zurich cargo test -p lithe-functions` compares it elsewhere.

use lithe_functions::{CallSite, Lookup, Registry};
use lithe_value::{Value, ValueRef};

use crate::support::{Random, ask, call_function, oracle, rounds, same, show, show_call};

const FUNCTIONS: [&str; 5] = ["date", "time", "datetime", "julianday", "unixepoch"];

#[test]
fn random_dates() {
    let mut random = Random::new(1);
    let mut cases = Vec::new();
    for _ in 0..rounds(60_000) {
        let mut args = vec![time_value(&mut random)];
        args.extend((0..random.below(4)).map(|_| modifier(&mut random)));
        cases.push((*random.pick(&FUNCTIONS), args));
    }
    check(cases);
}

#[test]
fn random_formats() {
    const FIELDS: [&[u8]; 29] = [
        b"%d", b"%e", b"%f", b"%F", b"%g", b"%G", b"%H", b"%I", b"%j", b"%J", b"%k", b"%l", b"%m", b"%M", b"%p", b"%P",
        b"%R", b"%s", b"%S", b"%T", b"%u", b"%U", b"%V", b"%w", b"%W", b"%Y", b"%%", b"-", b"%d ",
    ];
    let mut random = Random::new(2);
    let mut cases = Vec::new();
    for _ in 0..rounds(30_000) {
        let mut format = random.text(&FIELDS, 4);
        if random.below(100) == 0 {
            format.extend_from_slice(&[b'%', random.below(128) as u8]);
        }
        let mut args = vec![Value::text(format), time_value(&mut random)];
        args.extend((0..random.below(2)).map(|_| modifier(&mut random)));
        cases.push(("strftime", args));
    }
    check(cases);
}

/// The test connection's clock is fixed, SQLite's is not: the results are compared with constants.
#[test]
fn now() {
    for (call, args, expected) in [
        ("date", &[][..], "2026-10-16"),
        ("time", &[], "14:45:20"),
        ("datetime", &["now"], "2026-10-16 14:45:20"),
        ("datetime", &["NOW", "+1 day"], "2026-10-17 14:45:20"),
        ("datetime", &["subsec"], "2026-10-16 14:45:20.123"),
        ("strftime", &["%s"], "1792161920"),
        ("current_date", &[], "2026-10-16"),
        ("current_time", &[], "14:45:20"),
        ("current_timestamp", &[], "2026-10-16 14:45:20"),
        ("timediff", &["now", "now"], "+0000-00-00 00:00:00.000"),
    ] {
        let registry = Registry::builtin();
        let Lookup::Found(function) = registry.find(call.as_bytes(), args.len()) else { panic!("no {call}()") };
        let args: Vec<ValueRef<'_>> = args.iter().map(|&arg| ValueRef::from(arg)).collect();
        let answer = call_function(function, &args, &mut CallSite::new());
        assert_eq!(answer, Ok(Value::from(expected)), "{call}{args:?}");
    }
}

/// Cases that random tests have found.
#[test]
fn known_cases() {
    let texts = |texts: &[&str]| texts.iter().map(|&text| Value::from(text)).collect::<Vec<_>>();
    check(vec![
        ("datetime", texts(&["2024-02-31 24:00", "floor"])),
        ("datetime", texts(&["2024-02-31", "floor"])),
        ("date", texts(&["2024-02-31", "subsec"])),
        ("date", texts(&["2024-05-15", "weekday -6"])),
        ("datetime", texts(&["24:00", "start of day"])),
        ("datetime", texts(&["9999-12-31 24:00", "-11:00"])),
        ("date", texts(&[".5", "start of year", "weekday 3", "+97587 day"])),
        ("datetime", texts(&["00:51-00:30", "weekday 6"])),
        ("datetime", texts(&["-5541-10-23 19:35", "+15471-03-20"])),
        ("datetime", texts(&["-6737-11-06 13:18:21", "+5129-10-03"])),
    ]);
}

#[test]
fn differences() {
    let mut random = Random::new(3);
    let mut cases = Vec::new();
    for _ in 0..rounds(30_000) {
        cases.push(("timediff", vec![time_value(&mut random), time_value(&mut random)]));
    }
    check(cases);
}

#[track_caller]
fn check(cases: Vec<(&str, Vec<Value>)>) {
    let oracle = oracle();
    let registry = Registry::builtin();
    let mut failures = Vec::new();
    for (name, args) in cases {
        let places = vec!["?"; args.len()].join(",");
        let mut statement = oracle.prepare_cached(&format!("SELECT {name}({places})")).unwrap();
        let borrowed: Vec<ValueRef<'_>> = args.iter().map(Value::as_ref).collect();
        let Lookup::Found(function) = registry.find(name.as_bytes(), args.len()) else { panic!("no {name}()") };
        let ours = call_function(function, &borrowed, &mut CallSite::new());
        let theirs = ask(&mut statement, &borrowed);
        // A date outside the calendar is NULL in Lithe, whatever modifiers follow; in SQLite these two modifiers make it a date
        // again.
        let is_local = |arg: &Value| matches!(arg.as_ref().bytes(), Some(b"utc" | b"localtime"));
        let is_revived = args.iter().any(is_local) && ours == Ok(Value::NULL);
        if !same(&ours, &theirs) && !is_revived && failures.len() < 25 {
            failures.push(format!("{}: {} is not {}", show_call(name, &args), show(&ours), show(&theirs)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn time_value(random: &mut Random) -> Value {
    match random.below(12) {
        0 => random.value(),
        1 => Value::from(random.below(5_400_000) as f64 + random.below(1000) as f64 / 1000.0),
        2 => Value::from(random.below(1 << 33) as i64 - (1 << 31)),
        3 => Value::from(random.next() as i64 >> random.below(64)),
        4 => Value::from(time(random).as_str()),
        5 => Value::text(random.text(&[b"2024", b"-", b"01", b"31", b" ", b"T", b"12", b":", b"00", b".5", b"Z"], 9)),
        _ => {
            let mut text = date(random);
            if random.below(3) > 0 {
                text += random.pick::<&str>(&[" ", "T", "  ", " T"]);
                text += &time(random);
            }
            // SQLite takes the end of the year -1 for the beginning of the year -2.
            Value::from(if text.starts_with('-') { text.replace("24:00", "23:00") } else { text })
        }
    }
}

fn date(random: &mut Random) -> String {
    let year = match random.below(4) {
        0 => random.below(10_000) as i64,
        1 => *random.pick(&[0, 1, 4, 100, 400, 1900, 1970, 2000, 2038, 9999]),
        _ => 1960 + random.below(90) as i64,
    };
    let sign = if random.below(20) == 0 { "-" } else { "" };
    let (month, day) = (random.below(13), random.below(32));
    let (month, day) = if random.below(30) == 0 { (month, day) } else { (month.max(1), day.max(1)) };
    format!("{sign}{year:04}-{month:02}-{day:02}")
}

fn time(random: &mut Random) -> String {
    let mut text = format!("{:02}:{:02}", random.below(25), random.below(60));
    if random.below(20) == 0 {
        text = "24:00".to_owned();
    }
    if random.below(3) > 0 {
        text += &format!(":{:02}", random.below(60));
        if random.below(2) == 0 {
            text += random.pick::<&str>(&[
                ".",
                ".5",
                ".123",
                ".9995",
                ".99951",
                ".0004",
                ".123456789",
                ".9999999999999999",
            ]);
        }
    }
    if random.below(4) == 0 {
        text +=
            random.pick::<&str>(&["Z", "z", " Z ", "+01:00", "-14:00", "+15:00", " +00:00", "-00:30", " ", "+1:00"]);
    }
    text
}

fn modifier(random: &mut Random) -> Value {
    const FIXED: [&str; 22] = [
        "auto",
        "unixepoch",
        "julianday",
        "floor",
        "ceiling",
        "subsec",
        "subsecond",
        "start of month",
        "start of year",
        "start of day",
        "START OF DAY",
        "start of week",
        "utc",
        "localtime",
        "now",
        "",
        "weekday",
        "weekday 7",
        "start of month ",
        "floor ",
        "1",
        "+",
    ];
    match random.below(12) {
        0 => random.value(),
        1..=3 => Value::from(*random.pick(&FIXED)),
        4 => Value::from(format!("weekday {}", random.below(15) as i64 - 7)),
        5 => Value::from(random.pick(&["+", "-", ""]).to_string() + &time(random)),
        6 => Value::from(random.pick(&["+", "-", ""]).to_string() + &date(random)),
        7 => Value::from(format!("{}{} {}", random.pick(&["+", "-"]), move_date(random), time(random))),
        8 => Value::from(random.pick(&["+", "-"]).to_string() + &move_date(random)),
        _ => Value::from(units(random)),
    }
}

fn move_date(random: &mut Random) -> String {
    let digits = random.below(6) as u32;
    let year = random.below(10u64.pow(digits));
    format!("{year:04}-{:02}-{:02}", random.below(13), random.below(32))
}

fn units(random: &mut Random) -> String {
    const UNITS: [&str; 15] = [
        "second", "seconds", "minute", "minutes", "hour", "hours", "day", "days", "month", "months", "year", "years",
        "Day", "d", "week",
    ];
    let digits = random.below(8) as u32;
    let whole = random.below(10u64.pow(digits));
    let number = match random.below(4) {
        0 => format!("{whole}.{}", random.below(10_000)),
        1 => format!("{whole}e{}", random.below(8)),
        _ => whole.to_string(),
    };
    let space = random.pick::<&str>(&[" ", " ", " ", "  ", ""]);
    format!("{}{number}{space}{}", random.pick(&["+", "-", ""]), random.pick(&UNITS))
}
