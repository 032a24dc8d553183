//! Random predicates that indexes and rowids can serve, and trees of them: the inputs of a planner.

use fastrand::Rng;

use crate::expr::{literal, simple_condition};
use crate::schema::{one_in, pick};

/// The columns of a predicate.
pub struct Subject<'s> {
    /// The columns as they are written, perhaps with a table's name or a `+` in front.
    pub columns: &'s [String],
    /// The rowid as it is written, if there is one.
    pub rowid: Option<&'s str>,
    /// Another table and its columns, for subqueries.
    pub other: Option<(&'s str, &'s [String])>,
}

/// A tree of AND, OR and NOT.
pub fn tree(rng: &mut Rng, subject: &Subject<'_>, depth: u32) -> String {
    if depth == 0 || one_in(rng, 4) {
        return term(rng, subject);
    }
    let sub = |rng: &mut Rng| tree(rng, subject, depth - 1);
    match rng.u32(0..12) {
        0..4 => format!("({} AND {})", sub(rng), sub(rng)),
        4..8 => format!("({} OR {})", sub(rng), sub(rng)),
        8 => format!("NOT ({})", sub(rng)),
        9 => format!("({} OR {} OR {})", sub(rng), sub(rng), term(rng, subject)),
        10 => {
            let inner = sub(rng);
            around(rng, &inner)
        }
        _ => family(rng, subject),
    }
}

/// A predicate around another one.
fn around(rng: &mut Rng, inner: &str) -> String {
    match rng.u32(0..9) {
        0 => format!("likely({inner})"),
        1 => format!("unlikely({inner})"),
        2 => format!("({inner}) IS {}", pick(rng, &["TRUE", "FALSE", "NOT TRUE", "NOT FALSE", "NULL", "NOT NULL"])),
        3 => format!("({inner}) = {}", pick(rng, &["0", "1", "TRUE"])),
        4 => format!("CASE WHEN {inner} THEN {} ELSE {} END", pick(rng, &["1", "0", "NULL"]), pick(rng, &["1", "0"])),
        5 => format!("coalesce({inner}, {})", pick(rng, &["0", "1"])),
        6 => format!("({inner} AND {})", pick(rng, &["1", "0", "NULL", "'a'", "2.5"])),
        7 => format!("({inner} OR {})", pick(rng, &["1", "0", "NULL", "''", "0.5"])),
        _ => format!("({inner}) IN (0, 1)"),
    }
}

/// Several terms on one column: combinations of ranges, lists and constants.
fn family(rng: &mut Rng, subject: &Subject<'_>) -> String {
    let column = match subject.rowid {
        Some(rowid) if one_in(rng, 4) => rowid,
        _ => pick(rng, subject.columns),
    };
    let value = |rng: &mut Rng| if rng.bool() { rng.i32(-1..9).to_string() } else { literal(rng) };
    let (one, two) = (value(rng), value(rng));
    let other = pick(rng, subject.columns);
    match rng.u32(0..9) {
        0 => format!("({column} = {one} OR {column} = {two} OR {column} IN ({}))", list(rng)),
        1 => format!("({column} = {one} OR {two} = {column})"),
        2 => format!("({column} > {one} AND {column} <= {two})"),
        3 => format!("({column} < {one} OR {column} > {two})"),
        4 => format!("({column} = {one} AND {other} = {column})"),
        5 => format!("({column} = {other} AND {other} IN ({one}, {two}))"),
        6 => format!("({column} = {one} AND {other} > {two} OR {column} = {two} AND {other} < {one})"),
        7 => format!("({column} IS {one} OR {column} IS NULL)"),
        _ => format!("({column} BETWEEN {one} AND {two} OR {column} BETWEEN {two} AND {one})"),
    }
}

/// The expressions that [`index_terms`] may index.
const EXPRESSIONS: [&str; 6] = ["length(?)", "? || 'x'", "lower(?)", "? + 1", "? IS NULL", "abs(length(?))"];
const COMPARISONS: [&str; 9] = ["=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT", "="];
const COLLATIONS: [&str; 5] = ["", "", "", " COLLATE NOCASE", " COLLATE RTRIM"];

/// An expression over a column that may be indexed.
fn expression(rng: &mut Rng, columns: &[String]) -> String {
    let column = pick(rng, columns);
    format!("({})", pick(rng, &EXPRESSIONS).replace('?', column))
}

/// The terms of an index.
pub fn index_terms(rng: &mut Rng, columns: &[String]) -> String {
    let term = |rng: &mut Rng| {
        let what = if one_in(rng, 5) { expression(rng, columns) } else { pick(rng, columns).clone() };
        format!("{what}{}{}", pick(rng, &COLLATIONS), pick(rng, &["", "", " DESC", " ASC"]))
    };
    (0..rng.usize(1..4)).map(|_| term(rng)).collect::<Vec<_>>().join(", ")
}

fn term(rng: &mut Rng, subject: &Subject<'_>) -> String {
    match rng.u32(0..20) {
        0..3 => rowid(rng, subject),
        3..5 => rows(rng, subject.columns),
        5..7 => subquery(rng, subject),
        7 => format!("{} {} {}", expression(rng, subject.columns), pick(rng, &COMPARISONS), literal(rng)),
        8 => format!("{} IN ({})", expression(rng, subject.columns), list(rng)),
        9 => format!("{} {} {}", pick(rng, subject.columns), pick(rng, &COMPARISONS), pick(rng, subject.columns)),
        10 => simple_condition(rng, subject.columns),
        _ => column(rng, subject.columns),
    }
}

fn column(rng: &mut Rng, columns: &[String]) -> String {
    let column = format!("{}{}", pick(rng, columns), pick(rng, &COLLATIONS));
    match rng.u32(0..14) {
        12 => format!("{column} IS {}DISTINCT FROM {}", not(rng), literal(rng)),
        13 => format!("+{} {} {}", pick(rng, columns), pick(rng, &COMPARISONS), literal(rng)),
        0..4 => format!("{column} {} {}", pick(rng, &COMPARISONS), literal(rng)),
        4 | 5 => format!("{column} {}BETWEEN {} AND {}", not(rng), literal(rng), literal(rng)),
        6 | 7 => format!("{column} {}IN ({})", not(rng), list(rng)),
        8 => format!(
            "{column} {}LIKE {}",
            not(rng),
            pick(rng, &["'a%'", "'A%'", "'1%'", "'ab_'", "'%c'", "'äö%'", "''"])
        ),
        9 => format!("{column} {}GLOB {}", not(rng), pick(rng, &["'a*'", "'A*'", "'1*'", "'*'", "'[ab]*'"])),
        10 => format!("{column} IS {}NULL", not(rng)),
        _ => format!("{} {} {column}", literal(rng), pick(rng, &COMPARISONS)),
    }
}

/// A list of values, perhaps empty, perhaps with NULL.
fn list(rng: &mut Rng) -> String {
    (0..rng.usize(0..5)).map(|_| literal(rng)).collect::<Vec<_>>().join(", ")
}

fn not(rng: &mut Rng) -> &'static str {
    if one_in(rng, 4) { "NOT " } else { "" }
}

/// A comparison of the rowid with a value, mostly a small integer.
fn rowid(rng: &mut Rng, subject: &Subject<'_>) -> String {
    let Some(rowid) = subject.rowid else { return column(rng, subject.columns) };
    let value = |rng: &mut Rng| if one_in(rng, 4) { literal(rng) } else { rng.u32(0..40).to_string() };
    match rng.u32(0..7) {
        0..3 => format!("{rowid} {} {}", pick(rng, &COMPARISONS), value(rng)),
        3 | 4 => format!("{rowid} {}BETWEEN {} AND {}", not(rng), value(rng), value(rng)),
        5 => format!("{rowid} IN ({}, {}, {})", value(rng), value(rng), value(rng)),
        _ => format!("{rowid} = {}", pick(rng, subject.columns)),
    }
}

/// Row values.
fn rows(rng: &mut Rng, columns: &[String]) -> String {
    let (a, b) = (pick(rng, columns), pick(rng, columns));
    let row = |rng: &mut Rng| format!("({}, {})", literal(rng), literal(rng));
    // A separate generator keeps the other statements of a world unchanged.
    let values = pick(&mut rng.clone(), &["VALUES ", ""]);
    match rng.u32(0..5) {
        0 => format!("({a}, {b}) IN ({values}{}, {})", row(rng), row(rng)),
        1 => format!("({a}, {b}) BETWEEN {} AND {}", row(rng), row(rng)),
        _ => format!("({a}, {b}) {} {}", pick(rng, &["=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"]), row(rng)),
    }
}

fn subquery(rng: &mut Rng, subject: &Subject<'_>) -> String {
    let Some((table, columns)) = subject.other else { return column(rng, subject.columns) };
    let (mine, theirs, filtered) = (pick(rng, subject.columns), pick(rng, columns), pick(rng, columns));
    let filter = format!("q.{filtered} {} {}", pick(rng, &COMPARISONS), literal(rng));
    match rng.u32(0..6) {
        0 | 1 => format!("{mine} {}IN (SELECT q.{theirs} FROM {table} AS q WHERE {filter})", not(rng)),
        2 => format!("{}EXISTS (SELECT 1 FROM {table} AS q WHERE q.{theirs} = {mine} AND {filter})", not(rng)),
        3 => format!("{mine} {} (SELECT max(q.{theirs}) FROM {table} AS q WHERE {filter})", pick(rng, &COMPARISONS)),
        // The + prevents the use of an index that has the columns in another order: beside a NULL, SQLite compares the wrong columns there.
        4 => {
            format!("({mine}, {}) IN (SELECT +q.{theirs}, q.{filtered} FROM {table} AS q)", pick(rng, subject.columns))
        }
        _ => format!("{mine} IN (SELECT q.{theirs} FROM {table} AS q WHERE q.{filtered} = {mine})"),
    }
}
