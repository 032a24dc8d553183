//! Aggregates, over all rows and over windows.

use lithe_functions::{BuiltinAccumulator, Kind, Lookup, Registry};
use lithe_value::{Collation, Value, ValueRef};

use crate::support::{Answer, LENGTH_MAX, Random, oracle, rounds, same, show, show_call, value_of};

const CALLS: [(&str, &str, usize); 9] = [
    ("count", "count(*)", 0),
    ("count", "count(a)", 1),
    ("sum", "sum(a)", 1),
    ("total", "total(a)", 1),
    ("avg", "avg(a)", 1),
    ("min", "min(a)", 1),
    ("max", "max(a)", 1),
    ("group_concat", "group_concat(a)", 1),
    ("string_agg", "string_agg(a, b)", 2),
];

#[test]
fn groups() {
    let oracle = oracle();
    oracle.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)").unwrap();
    let mut random = Random::new(1);
    for _ in 0..rounds(400) {
        let rows = fill(&oracle, &mut random);
        for (name, sql, args) in CALLS {
            let theirs = ask(&oracle, &format!("SELECT {sql} FROM t"));
            let mut accumulator = accumulator(name, args, false);
            let ours = rows
                .iter()
                .try_for_each(|row| accumulator.step(&borrow(row)[..args], &Collation::Binary, LENGTH_MAX))
                .and_then(|()| {
                    let mut out = Value::NULL;
                    accumulator.value(&mut out).map(|()| out)
                })
                .map_err(|error| error.into_message().into_owned());
            compare(sql, &rows, &[ours], &[theirs]);
        }
    }
}

#[test]
fn windows() {
    let oracle = oracle();
    oracle.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)").unwrap();
    let mut random = Random::new(2);
    for _ in 0..rounds(200) {
        let rows = fill(&oracle, &mut random);
        // SQLite's separators of empty values are inconsistent; see `aggregate::concat`.
        if rows.iter().any(|[value, _]| value.as_ref().bytes().is_some_and(<[u8]>::is_empty)) {
            continue;
        }
        let preceding = random.below(4) as usize;
        for (name, sql, args) in CALLS {
            let sql = format!("SELECT {sql} OVER (ORDER BY id ROWS {preceding} PRECEDING) FROM t ORDER BY id");
            let theirs = ask_all(&oracle, &sql);
            let mut accumulator = accumulator(name, args, true);
            let mut ours = Vec::new();
            for (at, row) in rows.iter().enumerate() {
                accumulator.step(&borrow(row)[..args], &Collation::Binary, LENGTH_MAX).unwrap();
                let mut out = Value::NULL;
                let result = accumulator.value(&mut out).map(|()| out);
                ours.push(result.map_err(|error| error.into_message().into_owned()));
                if ours.last().is_some_and(Result::is_err) {
                    break;
                }
                // Removes the row before the next one is added, as the machine does: the order of operations changes the sum of
                // reals.
                if let Some(leaving) = at.checked_sub(preceding) {
                    accumulator.inverse(&borrow(&rows[leaving])[..args]);
                }
            }
            compare(&sql, &rows, &ours, &theirs);
        }
    }
}

fn accumulator(name: &str, args: usize, is_window: bool) -> BuiltinAccumulator {
    match Registry::builtin().find(name.as_bytes(), args) {
        Lookup::Found(function) => match function.kind() {
            Kind::Aggregate(kind) if is_window => BuiltinAccumulator::for_window(*kind),
            Kind::Aggregate(kind) => BuiltinAccumulator::new(*kind),
            other => panic!("{name} is {other:?}"),
        },
        other => panic!("{name}: {other:?}"),
    }
}

fn borrow(row: &[Value; 2]) -> [ValueRef<'_>; 2] {
    [row[0].as_ref(), row[1].as_ref()]
}

#[track_caller]
fn compare(sql: &str, rows: &[[Value; 2]], ours: &[Answer], theirs: &[Answer]) {
    for (ours, theirs) in ours.iter().zip(theirs) {
        if !same(ours, theirs) {
            let rows: Vec<String> = rows.iter().map(|row| show_call("", row)).collect();
            panic!("{sql} of {}: {} is not {}", rows.join(" "), show(ours), show(theirs));
        }
    }
    assert_eq!(ours.len(), theirs.len());
}

/// Fills `t` with random rows, of a kind that changes from time to time.
fn fill(oracle: &rusqlite::Connection, random: &mut Random) -> Vec<[Value; 2]> {
    oracle.execute_batch("DELETE FROM t").unwrap();
    let mut insert = oracle.prepare("INSERT INTO t(a, b) VALUES(?1, ?2)").unwrap();
    let kind = random.below(5);
    let mut rows = Vec::new();
    for _ in 0..random.below(9) {
        let value = match kind {
            0 => Value::from(random.next() as i64 >> random.below(64)),
            1 => Value::from(random.real()),
            2 if random.below(2) == 0 => Value::from(random.next() as i64 >> random.below(64)),
            2 => Value::from(random.real()),
            _ => random.value(),
        };
        let row = [value, random.value()];
        let bound = row.each_ref().map(|value| crate::support::Bound(value.as_ref()));
        insert.execute(rusqlite::params_from_iter(bound)).unwrap();
        rows.push(row);
    }
    rows
}

fn ask(oracle: &rusqlite::Connection, sql: &str) -> Answer {
    ask_all(oracle, sql).pop().expect("one row")
}

fn ask_all(oracle: &rusqlite::Connection, sql: &str) -> Vec<Answer> {
    let mut statement = oracle.prepare(sql).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut answers = Vec::new();
    loop {
        match rows.next() {
            Ok(Some(row)) => answers.push(Ok(value_of(row.get_ref(0).unwrap()))),
            Ok(None) => return answers,
            Err(rusqlite::Error::SqliteFailure(_, message)) => {
                answers.push(Err(message.unwrap_or_default()));
                return answers;
            }
            Err(other) => panic!("{other}"),
        }
    }
}
