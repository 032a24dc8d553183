//! Calls a function in Lithe and in SQLite, and generates arguments for it.

use lithe_functions::{CallSite, Connection, Context, Function};
use lithe_value::{Collation, Encoding, Value, ValueRef};
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef as SqlRef};
use rusqlite::{Statement, ToSql, params_from_iter};

/// The number of cases of a test whose usual number is `usual`.
pub fn rounds(usual: u32) -> u32 {
    usual * std::env::var("FUNCTIONS_ROUNDS").map_or(1, |rounds| rounds.parse().expect("FUNCTIONS_ROUNDS is a number"))
}

/// The oracle, with limits low enough to meet.
pub fn oracle() -> rusqlite::Connection {
    let oracle = rusqlite::Connection::open_in_memory().expect("SQLite opens a database in memory");
    let limit = i32::try_from(LENGTH_MAX).unwrap();
    oracle.set_limit(rusqlite::limits::Limit::SQLITE_LIMIT_LENGTH, limit).unwrap();
    oracle
}

pub const LENGTH_MAX: usize = 100_000;

/// A connection whose clock is fixed.
pub struct Still;

/// 2026-10-16 14:45:20.123
pub const NOW: i64 = 212_658_921_920_123;

impl Connection for Still {
    fn changes(&self) -> i64 {
        0
    }
    fn total_changes(&self) -> i64 {
        0
    }
    fn last_insert_rowid(&self) -> i64 {
        0
    }
    fn encoding(&self) -> Encoding {
        Encoding::Utf8
    }
    fn length_max(&self) -> usize {
        LENGTH_MAX
    }
    fn like_pattern_length_max(&self) -> usize {
        50_000
    }
    fn case_sensitive_like(&self) -> bool {
        false
    }
    fn now(&self) -> i64 {
        NOW
    }
    fn local_offset(&self, unix_seconds: i64) -> Option<i32> {
        lithe_vfs::local_offset(unix_seconds)
    }
    fn randomness(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// A result, or the message of an error.
pub type Answer = Result<Value, String>;

/// Calls a function of this crate.
pub fn call_function(function: &Function, args: &[ValueRef<'_>], site: &mut CallSite) -> Answer {
    let mut out = Value::from("left from the last call");
    let mut context = Context::new(&mut out, &Collation::Binary, site, &Still);
    function.call(&mut context, args).map_err(|error| error.into_message().into_owned())?;
    Ok(out)
}

/// A value that SQLite can bind.
pub struct Bound<'a>(pub ValueRef<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            ValueRef::Null => ToSqlOutput::Owned(SqlValue::Null),
            ValueRef::Integer(integer) => ToSqlOutput::Owned(SqlValue::Integer(integer)),
            ValueRef::Real(real) => ToSqlOutput::Owned(SqlValue::Real(real)),
            ValueRef::Text(text) => ToSqlOutput::Borrowed(SqlRef::Text(text)),
            ValueRef::Blob(blob) => ToSqlOutput::Borrowed(SqlRef::Blob(blob)),
        })
    }
}

/// The single value of a statement's result.
pub fn ask(statement: &mut Statement<'_>, args: &[ValueRef<'_>]) -> Answer {
    let bound = params_from_iter(args.iter().map(|&arg| Bound(arg)));
    let answer = statement.query_row(bound, |row| Ok(value_of(row.get_ref(0)?)));
    answer.map_err(|error| match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message,
        other => other.to_string(),
    })
}

pub fn value_of(value: SqlRef<'_>) -> Value {
    match value {
        SqlRef::Null => Value::NULL,
        SqlRef::Integer(integer) => Value::from(integer),
        SqlRef::Real(real) => Value::from(real),
        SqlRef::Text(text) => Value::text(text),
        SqlRef::Blob(blob) => Value::blob(blob),
    }
}

/// Equal to the bit: -0.0 is not 0.0.
pub fn same(left: &Answer, right: &Answer) -> bool {
    match (left, right) {
        (Ok(left), Ok(right)) => match (left.as_ref(), right.as_ref()) {
            (ValueRef::Real(left), ValueRef::Real(right)) => left.to_bits() == right.to_bits(),
            (left, right) => left == right,
        },
        (left, right) => left == right,
    }
}

/// A readable form of a result, for failure messages.
pub fn show(answer: &Answer) -> String {
    match answer {
        Ok(value) => show_value(value.as_ref()),
        Err(message) => format!("error: {message}"),
    }
}

pub fn show_value(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(text) if text.len() > 500 => format!("a text of {} bytes", text.len()),
        ValueRef::Text(text) => format!("'{}'", text.escape_ascii()),
        ValueRef::Real(real) => format!("{real:e}"),
        value => value.to_string(),
    }
}

pub fn show_call(name: &str, args: &[Value]) -> String {
    let args: Vec<String> = args.iter().map(|arg| show_value(arg.as_ref())).collect();
    format!("{name}({})", args.join(", "))
}

/// An endless sequence of random numbers from a seed (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(stream: u64) -> Random {
        let seed = std::env::var("FUNCTIONS_SEED").map_or(1, |seed| seed.parse().expect("FUNCTIONS_SEED is a number"));
        Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed).wrapping_add(stream * 2) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Up to `len_max` pieces, concatenated.
    pub fn text(&mut self, pieces: &[&[u8]], len_max: u64) -> Vec<u8> {
        (0..self.below(len_max + 1)).flat_map(|_| self.pick(pieces).to_vec()).collect()
    }

    /// A value of any class.
    pub fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::NULL,
            1 => Value::from(self.below(20) as i64 - 10),
            2 => Value::from(*self.pick(&INTEGERS)),
            3 => Value::from(*self.pick(&REALS)),
            4 => Value::from(self.real()),
            5 => Value::text(*self.pick(&TEXTS)),
            6 => Value::blob(*self.pick(&TEXTS)),
            7 => Value::blob(self.text(&PIECES, 8)),
            _ => Value::text(self.text(&PIECES, 8)),
        }
    }

    pub fn real(&mut self) -> f64 {
        let real = match self.below(4) {
            0 => f64::from_bits(self.next()),
            1 => self.next() as i32 as f64 / 100.0,
            2 => (self.next() as i64 >> self.below(64)) as f64,
            _ => (self.below(2_000_000) as f64 - 1_000_000.0) / 10f64.powi(self.below(12) as i32),
        };
        if real.is_finite() { real } else { 1.0 }
    }
}

const INTEGERS: [i64; 12] =
    [0, 1, -1, 65, 0xd800, 0x1_f600, 0x10_ffff, 99_999, i64::MAX, i64::MIN, i64::MIN + 1, 4_294_967_296];

const REALS: [f64; 14] =
    [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 1e15, -4.6e15, 9.3e18, 1e300, f64::INFINITY, f64::NEG_INFINITY];

const TEXTS: [&[u8]; 22] = [
    b"",
    b"0",
    b"1",
    b"-1",
    b"2",
    b"12",
    b" 3 ",
    b"1.5",
    b"-2.5e1",
    b"1e400",
    b"9223372036854775808",
    b"12abc",
    b"abc",
    b"ABC",
    b"hello world",
    "Grüße €😀".as_bytes(),
    b"4142",
    b"41 42",
    b"it's",
    b"a\0b",
    b"%\\_",
    b"-0.0",
];

const PIECES: [&[u8]; 26] = [
    b"a",
    b"b",
    b"A",
    b"B",
    b"c",
    b" ",
    b"x",
    b"1",
    b"2",
    b"4",
    b"F",
    b"'",
    b"\"",
    b"%",
    b"_",
    b"\\",
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x98\x80",
    b"\0",
    b"\n",
    b"\x80",
    b"\xff",
    b"\xc3",
    b"-",
    b"aa",
];
