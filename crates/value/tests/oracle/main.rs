//! This crate against SQLite: random values, texts and patterns must give the same results.
//!
//! `VALUE_ROUNDS=100 cargo test --profile checked -p lithe-value` makes a hundred times as many; another `VALUE_SEED` makes
//! other values.

mod casting;
mod encodings;
mod numbers;
mod operators;
mod patterns;

use lithe_value::{Value, ValueRef};
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef as SqlRef};
use rusqlite::{Connection, Statement, ToSql, params_from_iter};

/// The number of cases of a kind whose default number is `usual`.
fn rounds(usual: u32) -> u32 {
    usual * std::env::var("VALUE_ROUNDS").map_or(1, |rounds| rounds.parse().expect("VALUE_ROUNDS is a number"))
}

fn oracle() -> Connection {
    Connection::open_in_memory().expect("SQLite opens a database in memory")
}

/// A value that SQLite can bind.
struct Bound<'a>(ValueRef<'a>);

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

/// The row that a statement returns.
fn ask(statement: &mut Statement<'_>, args: &[ValueRef<'_>]) -> rusqlite::Result<Vec<Value>> {
    let columns = statement.column_count();
    statement.query_row(params_from_iter(args.iter().map(|&arg| Bound(arg))), |row| {
        (0..columns).map(|column| row.get_ref(column).map(value_of)).collect()
    })
}

fn value_of(value: SqlRef<'_>) -> Value {
    match value {
        SqlRef::Null => Value::NULL,
        SqlRef::Integer(integer) => Value::from(integer),
        SqlRef::Real(real) => Value::from(real),
        SqlRef::Text(text) => Value::text(text),
        SqlRef::Blob(blob) => Value::blob(blob),
    }
}

/// Equal to the bit: -0.0 is not 0.0.
fn same(left: ValueRef<'_>, right: ValueRef<'_>) -> bool {
    match (left, right) {
        (ValueRef::Real(left), ValueRef::Real(right)) => left.to_bits() == right.to_bits(),
        _ => left == right,
    }
}

/// An endless sequence of numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn new(stream: u64) -> Random {
        let seed = std::env::var("VALUE_SEED").map_or(1, |seed| seed.parse().expect("VALUE_SEED is a number"));
        Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed).wrapping_add(stream) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Up to `len_max` pieces, one behind the other.
    fn text(&mut self, pieces: &[&[u8]], len_max: u64) -> Vec<u8> {
        (0..self.below(len_max + 1)).flat_map(|_| self.pick(pieces).to_vec()).collect()
    }

    /// A double: any bits, few digits, an integer, or a neighbour of one of these. Finite.
    fn real(&mut self) -> f64 {
        let real = match self.below(5) {
            0 => f64::from_bits(self.next()),
            1 => self.short_decimal(600),
            2 => self.short_decimal(30),
            3 => f64::from_bits(self.short_decimal(30).to_bits() ^ self.below(4)),
            _ => (self.next() as i64 >> self.below(64)) as f64,
        };
        if real.is_finite() { real } else { 1.0 }
    }

    fn short_decimal(&mut self, exponents: u64) -> f64 {
        let digit_count = self.below(18) as u32 + 1;
        let digits = self.below(10u64.pow(digit_count));
        let exponent = self.below(exponents) as i64 - exponents as i64 / 2;
        format!("{digits}e{exponent}").parse().expect("digits and an exponent are a number")
    }

    /// A text that is nearly a number.
    fn number_text(&mut self) -> Vec<u8> {
        const PIECES: [&[u8]; 25] = [
            b"0",
            b"1",
            b"9",
            b"5",
            b"12",
            b"007",
            b"9223372036854775807",
            b"9223372036854775808",
            b"99999",
            b"18446744073709551616",
            b".",
            b".",
            b"e",
            b"E",
            b"e-",
            b"e+1",
            b"-",
            b"+",
            b" ",
            b"\t",
            b"x",
            b"_",
            b"\xa0",
            b"e300",
            b"\0",
        ];
        if self.below(2) == 0 { NUMBERS.with(|usual| self.pick(usual).to_vec()) } else { self.text(&PIECES, 6) }
    }

    /// A value of any class, often near a limit.
    fn value(&mut self) -> Value {
        match self.below(9) {
            0 => Value::NULL,
            1 => Value::from(*self.pick(&[0, 1, -1, 2, 63, 64, 65, -64, i64::MAX, i64::MIN, i64::MAX - 1])),
            2 => Value::from(self.next() as i64 >> self.below(64)),
            3 => Value::from(*self.pick(&[0.0, -0.0, 0.5, -1.5, 9.3e18, -9.3e18, 9.007e15, 1e300, f64::INFINITY])),
            4 => Value::from(self.real()),
            5 | 6 => Value::text(self.number_text()),
            7 => Value::blob(self.number_text()),
            _ => Value::from(self.below(10) as i64),
        }
    }
}

thread_local! {
    static NUMBERS: Vec<&'static [u8]> = vec![
        b"", b"0", b"-0", b"0.0", b"-0.0", b"1", b" 1 ", b"1.0", b"1.", b".5", b"-.5e1", b"1e3", b"1e18", b"1e19",
        b"1e400", b"-1e400", b"1e-400", b"2251799813685248", b"2251799813685248.0", b"-2251799813685248.0",
        b"9007199254740993", b"9007199254740993.0", b"9223372036854775807", b"9223372036854775808",
        b"-9223372036854775808", b"-9223372036854775809", b"9223372036854775807.0", b"123abc", b"0x10", b"abc",
    ];
}
