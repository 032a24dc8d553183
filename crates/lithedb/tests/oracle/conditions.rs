//! Random predicates for access paths: trees of AND, OR and NOT over indexed terms (columns, some of them rowids, a few families of
//! expressions), compared with values that rows have.

use fastrand::Rng;

use crate::query::total_order;
use crate::schema::{Schema, Table, one_in, pick};

/// A tree over `columns`; the first one is used often, because it may be the key.
pub fn predicate(rng: &mut Rng, schema: &Schema, columns: &[String], depth: u32) -> String {
    if depth == 0 || one_in(rng, 4) {
        return leaf(rng, schema, columns);
    }
    let sub = |rng: &mut Rng| predicate(rng, schema, columns, depth - 1);
    match rng.u32(0..9) {
        0..4 => format!("({} OR {})", sub(rng), sub(rng)),
        4..6 => format!("({} OR {} OR {})", sub(rng), sub(rng), sub(rng)),
        6..8 => format!("({} AND {})", sub(rng), sub(rng)),
        _ => format!("NOT ({})", sub(rng)),
    }
}

fn leaf(rng: &mut Rng, schema: &Schema, columns: &[String]) -> String {
    let side = side(rng, columns);
    let not = if one_in(rng, 4) { "NOT " } else { "" };
    match rng.u32(0..24) {
        0..7 => format!("{side} {} {}", pick(rng, &["=", "=", "<", "<=", ">", ">=", "IS", "<>", "IS NOT"]), value(rng)),
        7..10 => format!("{side} {not}BETWEEN {} AND {}", value(rng), value(rng)),
        10..12 => format!("{side} {not}IN ({})", values(rng)),
        12 => format!("{side} IS {not}NULL"),
        13 => format!("{side} {not}LIKE {}", pick(rng, &["'a%'", "'A_'", "'1%'", "'abc'"])),
        14 => format!("{side} {not}GLOB {}", pick(rng, &["'a*'", "'[ab]*'", "'1*'", "'abc'"])),
        15 => format!("{side} COLLATE {} = {}", pick(rng, &["NOCASE", "BINARY", "RTRIM"]), value(rng)),
        16 => format!("likely({side} = {})", value(rng)),
        17 => format!("{side} = {}", pick(rng, columns)),
        18..20 => rows(rng, columns),
        20 => format!("{side} IS {not}{}", pick(rng, &["TRUE", "FALSE"])),
        _ => subquery(rng, schema, columns),
    }
}

/// Row values.
fn rows(rng: &mut Rng, columns: &[String]) -> String {
    let row = format!("({}, {})", pick(rng, columns), pick(rng, columns));
    let other = |rng: &mut Rng| format!("({}, {})", value(rng), value(rng));
    match rng.u32(0..5) {
        0 => format!("{row} {}BETWEEN {} AND {}", if one_in(rng, 4) { "NOT " } else { "" }, other(rng), other(rng)),
        1 => format!("{row} IN (VALUES {}, {})", other(rng), other(rng)),
        2 => format!("{row} IN ({}, {})", other(rng), other(rng)),
        _ => format!("{row} {} {}", pick(rng, &["=", "<", "<=", ">", ">=", "IS", "<>"]), other(rng)),
    }
}

/// Subqueries of one column, some of them correlated.
fn subquery(rng: &mut Rng, schema: &Schema, columns: &[String]) -> String {
    let Some(table) = schema.any_table(rng) else { return "1".to_owned() };
    let (name, inner, outer) = (&table.name, pick(rng, &table.columns), pick(rng, columns));
    let filter = match rng.u32(0..3) {
        0 => String::new(),
        1 => format!(" WHERE q.{} = {}", pick(rng, &table.columns), pick(rng, columns)),
        _ => format!(" WHERE q.{} {} {}", pick(rng, &table.columns), pick(rng, &["<", ">", "="]), value(rng)),
    };
    match rng.u32(0..4) {
        0 => format!("{outer} {} (SELECT max(q.{inner}) FROM {name} AS q{filter})", pick(rng, &["=", "<", ">="])),
        1 => format!("EXISTS (SELECT 1 FROM {name} AS q{filter})"),
        2 => format!("({outer}, {}) IN (SELECT q.{inner}, q.{inner} FROM {name} AS q{filter})", pick(rng, columns)),
        _ => format!(
            "{outer} {}IN (SELECT q.{inner} FROM {name} AS q{filter})",
            if one_in(rng, 3) { "NOT " } else { "" }
        ),
    }
}

/// The operand of a comparison: mostly a column.
fn side(rng: &mut Rng, columns: &[String]) -> String {
    match rng.u32(0..8) {
        0 => indexed(rng, columns),
        1..3 => columns[0].clone(),
        _ => pick(rng, columns).clone(),
    }
}

/// An indexed expression.
pub fn indexed(rng: &mut Rng, columns: &[String]) -> String {
    let column = pick(rng, columns);
    match rng.u32(0..6) {
        0 => format!("coalesce({column}, 3)"),
        1 => format!("({column} IS NULL)"),
        2 => format!("lower({column})"),
        3 => format!("length({column})"),
        4 => format!("({} + {column})", pick(rng, columns)),
        _ => format!("-{column}"),
    }
}

/// The WHERE of a partial index.
pub fn partial(rng: &mut Rng, columns: &[String]) -> String {
    let column = pick(rng, columns);
    match rng.u32(0..4) {
        0..2 => format!("{column} IS NOT NULL"),
        2 => format!("{column} > 2"),
        _ => format!("{column} = 3"),
    }
}

/// A value that is frequent in rows.
fn value(rng: &mut Rng) -> String {
    match rng.u32(0..16) {
        0..9 => rng.i32(-2..9).to_string(),
        9..11 => (*pick(rng, &["2.5", "3.0", "1e10", "0.5"])).to_owned(),
        11..15 => (*pick(rng, &["'a'", "'A'", "'abc'", "'1'", "'b'", "''", "'ABC '"])).to_owned(),
        _ => "NULL".to_owned(),
    }
}

fn values(rng: &mut Rng) -> String {
    (0..rng.usize(1..5)).map(|_| value(rng)).collect::<Vec<_>>().join(", ")
}

/// A SELECT of plain columns of one table in an order that an index may have, with NULLs at either end.
pub fn walk(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    if one_in(rng, 6) {
        return extreme(rng, schema, table);
    }
    let mut shown = table.columns.clone();
    rng.shuffle(&mut shown);
    shown.truncate(rng.usize(1..shown.len().min(3) + 1));
    let term = |rng: &mut Rng, column: &String| {
        let (direction, nulls) =
            (pick(rng, &["", "", " DESC"]), pick(rng, &["", "", " NULLS FIRST", " NULLS LAST", " NULLS LAST"]));
        format!("{column}{direction}{nulls}")
    };
    let depth = rng.u32(0..3);
    let filter = predicate(rng, schema, &table.columns, depth);
    if one_in(rng, 3) {
        return format!("SELECT {} FROM {} WHERE {filter}", shown.join(", "), table.name);
    }
    // After the terms that an index may provide, further terms separate values that are equal but not identical.
    let order: Vec<String> = shown.iter().map(|column| term(rng, column)).collect();
    let limit = if one_in(rng, 4) { format!(" LIMIT {}", rng.u32(1..5)) } else { String::new() };
    format!(
        "SELECT {} FROM {} WHERE {filter} ORDER BY {}, {}{limit} /* ordered */",
        shown.join(", "),
        table.name,
        order.join(", "),
        total_order(&shown)
    )
}

/// The min() or max() of a key with bare columns, whose row the key determines.
fn extreme(rng: &mut Rng, schema: &Schema, table: &Table) -> String {
    if !table.has_rowid {
        return "SELECT 1".to_owned();
    }
    let (function, column) = (pick(rng, &["min", "max"]), pick(rng, &table.columns));
    let filter = predicate(rng, schema, &table.columns, 1);
    let inner = format!("SELECT {function}(rowid) AS m, {column} AS x FROM {} WHERE {filter}", table.name);
    match rng.u32(0..4) {
        0 => inner,
        1 => format!("SELECT x FROM ({inner})"),
        2 => format!("WITH c AS ({inner}) SELECT x FROM c WHERE x IS NOT NULL"),
        _ => format!("SELECT quote(x) FROM ({inner} GROUP BY hex({}))", pick(rng, &table.columns)),
    }
}
