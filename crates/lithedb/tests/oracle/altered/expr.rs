//! Expressions with every kind of name.

use fastrand::Rng;

use super::{COLUMNS, written};
use crate::schema::{one_in, pick};

/// The columns that an expression can use, as (qualifier, name); `tables` are for subqueries.
pub struct Refs {
    pub columns: Vec<(Option<String>, String)>,
    pub tables: Vec<(String, Vec<String>)>,
    /// Whether aggregates, subqueries and windows are allowed.
    pub in_query: bool,
}

impl Refs {
    /// The columns of a table, for a constraint or an index.
    pub fn of_table(columns: &[String]) -> Refs {
        let columns = columns.iter().map(|column| (None, column.clone())).collect();
        Refs { columns, tables: Vec::new(), in_query: false }
    }

    fn column(&self, rng: &mut Rng) -> String {
        let (qualifier, name) = pick(rng, &self.columns).clone();
        let column = written(rng, &name);
        match qualifier {
            Some(qualifier) if !one_in(rng, 3) => format!("{}.{column}", written(rng, &qualifier)),
            _ => column,
        }
    }
}

/// An expression of that depth.
pub fn expr(rng: &mut Rng, refs: &Refs, depth: u32) -> String {
    if depth == 0 || one_in(rng, 4) {
        return match rng.u32(0..12) {
            0 => "1".to_owned(),
            1 => "'str'".to_owned(),
            2 => "\"dq\"".to_owned(),
            3 => {
                let name = *pick(rng, &COLUMNS);
                super::in_quotes(name)
            }
            4 => format!("'{}'", pick(rng, &COLUMNS).replace('\'', "''")),
            _ if refs.columns.is_empty() => "NULL".to_owned(),
            _ => refs.column(rng),
        };
    }
    let mut inner = || expr(rng, refs, depth - 1);
    let (first, second) = (inner(), inner());
    match rng.u32(0..if refs.in_query { 21 } else { 15 }) {
        0 => format!("{first} || {second}"),
        1 => format!("{first} + {second}"),
        2 => format!("{first} = {second}"),
        3 => format!("{first} <> {second}"),
        4 => format!("{first} IN ({second}, 'x')"),
        5 => format!("{first} BETWEEN {second} AND \"z\""),
        6 => format!("CASE {first} WHEN {second} THEN 1 ELSE \"dq\" END"),
        7 => format!("coalesce({first}, {second})"),
        8 => format!("({first}, 1) = (2, {second})"),
        9 => format!("{first} IS NOT NULL"),
        10 => format!("CAST({first} AS TEXT)"),
        11 => format!("{first} LIKE {second}"),
        12 => format!("({first}) COLLATE nocase"),
        13 => format!("abs({first})"),
        14 => format!("0 AND {first}"),
        15 => "EXISTS (SELECT 1)".to_owned(),
        16..19 => subquery(rng, refs),
        19 => format!("{first} IN (SELECT {second})"),
        _ => format!("{first} IN ()"),
    }
}

/// A subquery that uses the columns of the enclosing query.
fn subquery(rng: &mut Rng, refs: &Refs) -> String {
    if refs.tables.is_empty() {
        return "(SELECT 1)".to_owned();
    }
    let (table, columns) = pick(rng, &refs.tables).clone();
    let alias = if one_in(rng, 3) { " AS z".to_owned() } else { String::new() };
    let qualifier = if alias.is_empty() { table.clone() } else { "z".to_owned() };
    let mut all: Vec<(Option<String>, String)> =
        columns.iter().map(|column| (Some(qualifier.clone()), column.clone())).collect();
    all.extend(refs.columns.iter().cloned());
    let within = Refs { columns: all, tables: Vec::new(), in_query: false };
    let (value, condition) = (expr(rng, &within, 1), expr(rng, &within, 1));
    format!("(SELECT {value} FROM {}{alias} WHERE {condition})", written(rng, &table))
}
