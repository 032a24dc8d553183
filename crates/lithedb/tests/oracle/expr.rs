//! Random expressions.

use fastrand::Rng;

use crate::call::call;
use crate::schema::pick;

const INTEGERS: [&str; 14] =
    ["0", "1_000", "1", "-1", "2", "3", "7", "10", "42", "100", "-5", "-9223372036854775808", "4294967296", "65536"];
const REALS: [&str; 9] = ["0.5", "1.0", "-2.5", "3.0", "1e10", "9.2e18", "1e-3", "-0.0", "100.25"];
const TEXTS: [&str; 14] = [
    "''", "'a'", "'A'", "'b'", "'abc'", "'ABC '", "'1'", "'2.50'", "'0x10'", "'12abc'", "' 7 '", "'1e3'", "'a b'",
    "'äö'",
];
const BLOBS: [&str; 4] = ["x''", "x'00'", "x'6162'", "x'ff00'"];

/// A literal of any class; small values are frequent, so that rows match.
pub fn literal(rng: &mut Rng) -> String {
    match rng.u32(0..20) {
        0..2 => "NULL".to_owned(),
        2..8 => rng.i32(-3..12).to_string(),
        8..11 => (*pick(rng, &INTEGERS)).to_owned(),
        11..14 => (*pick(rng, &REALS)).to_owned(),
        14..19 => (*pick(rng, &TEXTS)).to_owned(),
        _ => (*pick(rng, &BLOBS)).to_owned(),
    }
}

/// A column or a literal.
fn leaf(rng: &mut Rng, columns: &[String]) -> String {
    if columns.is_empty() || rng.u32(0..5) < 2 { literal(rng) } else { pick(rng, columns).clone() }
}

const ARITHMETIC: [&str; 10] = ["+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>"];
const COMPARISONS: [&str; 10] = ["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT", "==", "!="];
const CASTS: [&str; 6] = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR"];

/// An expression that depends only on the columns, and may be indexed.
pub fn deterministic(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    if depth == 0 {
        return leaf(rng, columns);
    }
    let sub = |rng: &mut Rng| deterministic(rng, columns, depth - 1);
    match rng.u32(0..24) {
        0..6 => leaf(rng, columns),
        6..10 => format!("({} {} {})", sub(rng), pick(rng, &ARITHMETIC), sub(rng)),
        10..11 => format!("(-{})", sub(rng)),
        11..12 => format!("(~{})", sub(rng)),
        12..13 => format!("CAST({} AS {})", sub(rng), pick(rng, &CASTS)),
        13..15 => format!("({})", condition(rng, columns, depth - 1)),
        15..16 => format!("CASE WHEN {} THEN {} ELSE {} END", condition(rng, columns, depth - 1), sub(rng), sub(rng)),
        16..17 => {
            format!("CASE {} WHEN {} THEN {} WHEN {} THEN {} END", sub(rng), sub(rng), sub(rng), sub(rng), sub(rng))
        }
        17..18 => format!("coalesce({}, {})", sub(rng), sub(rng)),
        18..24 => call(rng, columns, depth),
        _ => unreachable!("the range is exhausted"),
    }
}

/// A condition without subqueries.
pub fn condition(rng: &mut Rng, columns: &[String], depth: u32) -> String {
    let value = |rng: &mut Rng| deterministic(rng, columns, depth.saturating_sub(1));
    match rng.u32(0..20) {
        0..7 => format!("{} {} {}", value(rng), pick(rng, &COMPARISONS), value(rng)),
        7..9 => format!("{} {}BETWEEN {} AND {}", value(rng), not(rng), value(rng), value(rng)),
        9..11 => {
            let members: Vec<String> = (0..rng.usize(0..5)).map(|_| literal(rng)).collect();
            format!("{} {}IN ({})", value(rng), not(rng), members.join(", "))
        }
        11..12 => format!("{} IS {}NULL", value(rng), not(rng)),
        12..13 => {
            format!("{} {}LIKE {}", value(rng), not(rng), pick(rng, &["'a%'", "'%b%'", "'A_C'", "'%'", "'1%'", "''"]))
        }
        13..14 => format!("{} {}GLOB {}", value(rng), not(rng), pick(rng, &["'a*'", "'*[bc]*'", "'?'", "'A*'"])),
        14..15 => format!("{} IS {}DISTINCT FROM {}", value(rng), not(rng), value(rng)),
        15..16 => format!(
            "({}, {}) {} ({}, {})",
            value(rng),
            value(rng),
            pick(rng, &["=", "<", ">=", "<>", "IS"]),
            value(rng),
            value(rng)
        ),
        16..17 => format!("{} IS {}{}", value(rng), not(rng), pick(rng, &["TRUE", "FALSE"])),
        17..18 if depth > 0 => format!("NOT ({})", condition(rng, columns, depth - 1)),
        18..20 if depth > 0 => {
            let joiner = pick(rng, &["AND", "OR"]);
            format!("({} {joiner} {})", condition(rng, columns, depth - 1), condition(rng, columns, depth - 1))
        }
        _ => value(rng),
    }
}

fn not(rng: &mut Rng) -> &'static str {
    if rng.u32(0..3) == 0 { "NOT " } else { "" }
}

/// A condition that an index can use: a column against a literal.
pub fn simple_condition(rng: &mut Rng, columns: &[String]) -> String {
    let column = pick(rng, columns);
    match rng.u32(0..8) {
        0 => format!("{column} IS NOT NULL"),
        1 => format!("{column} BETWEEN {} AND {}", literal(rng), literal(rng)),
        2 => format!("{column} IN ({}, {})", literal(rng), literal(rng)),
        3 => format!("{column} LIKE 'a%'"),
        4 => format!("{column} IS NULL"),
        _ => format!("{column} {} {}", pick(rng, &COMPARISONS), literal(rng)),
    }
}
