//! Random INSERT, UPDATE, DELETE and transaction control.

use fastrand::Rng;

use crate::conditions;
use crate::expr;
use crate::query;
use crate::schema::{Schema, Table, one_in, pick};

const POLICIES: [&str; 9] = ["", "", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"];

pub fn insert(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = target(rng, schema) else { return "SELECT 1".to_owned() };
    let policy = pick(rng, &POLICIES);
    let is_partial = one_in(rng, 4) && !table.writable.is_empty();
    let mut some = table.writable.clone();
    if is_partial {
        rng.shuffle(&mut some);
        some.truncate(rng.usize(1..some.len() + 1));
        if table.has_rowid && one_in(rng, 4) {
            some.push("rowid".to_owned());
        }
    }
    let count = some.len();
    let columns =
        if is_partial || some.len() < table.columns.len() { format!("({})", list(&some)) } else { String::new() };
    let is_upsert = one_in(rng, if schema.upserts { 2 } else { 6 });
    let (policy, tail) = if is_upsert { ("", upsert(rng, table)) } else { (*policy, String::new()) };
    let tail = tail + &returning(rng, schema, table);
    match rng.u32(0..12) {
        0 => format!("INSERT{policy} INTO {} DEFAULT VALUES{}", table.name, returning(rng, schema, table)),
        1 => {
            let source = query::plain_select(rng, schema, count);
            format!("INSERT{policy} INTO {}{columns} {source}{tail}", table.name)
        }
        _ => {
            let row = |rng: &mut Rng| {
                let values: Vec<String> = (0..count).map(|_| value(rng)).collect();
                format!("({})", values.join(", "))
            };
            let rows: Vec<String> = (0..rng.usize(1..6)).map(|_| row(rng)).collect();
            let verb =
                if policy == " OR REPLACE" && rng.bool() { "REPLACE".to_owned() } else { format!("INSERT{policy}") };
            format!("{verb} INTO {}{columns} VALUES {}{tail}", table.name, rows.join(", "))
        }
    }
}

/// A table; sometimes a view, which only its triggers can change.
fn target<'s>(rng: &mut Rng, schema: &'s Schema) -> Option<&'s Table> {
    if one_in(rng, 12) { schema.any_source(rng) } else { schema.any_table(rng) }
}

/// Names separated by commas.
pub fn list(names: &[String]) -> String {
    names.join(", ")
}

/// ON CONFLICT clauses.
fn upsert(rng: &mut Rng, table: &Table) -> String {
    let mut clauses = String::new();
    for _ in 0..rng.usize(1..3) {
        let target = match rng.u32(0..6) {
            0 => format!("({})", pick(rng, &table.columns)),
            _ if !table.keys.is_empty() => format!("({})", pick(rng, &table.keys).replace(" DESC", "")),
            _ => String::new(),
        };
        if target.is_empty() || one_in(rng, 3) {
            clauses.push_str(&format!(" ON CONFLICT{target} DO NOTHING"));
            if target.is_empty() {
                break;
            }
            continue;
        }
        let mut names = table.columns.clone();
        names.extend(table.columns.iter().map(|column| format!("excluded.{column}")));
        let filter = if one_in(rng, 4) { format!(" WHERE {}", expr::condition(rng, &names, 1)) } else { String::new() };
        let column = pick(rng, &table.writable);
        let new = expr::deterministic(rng, &names, 1);
        clauses.push_str(&format!(" ON CONFLICT{target} DO UPDATE SET {column} = {new}{filter}"));
    }
    clauses
}

fn returning(rng: &mut Rng, schema: &Schema, table: &Table) -> String {
    match rng.u32(0..if schema.upserts { 5 } else { 24 }) {
        0 => " RETURNING *".to_owned(),
        1 => {
            let column = pick(rng, &table.columns);
            format!(" RETURNING typeof({column}), quote({column}) AS r")
        }
        2 if schema.upserts => {
            let value = expr::deterministic(rng, &table.columns, 2);
            // Without a query of the table, because rows are changed in an undetermined order.
            format!(" RETURNING {value} AS r, (SELECT {value})")
        }
        _ => String::new(),
    }
}

fn value(rng: &mut Rng) -> String {
    if one_in(rng, 8) { expr::deterministic(rng, &[], 2) } else { expr::literal(rng) }
}

pub fn update(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = target(rng, schema) else { return "SELECT 1".to_owned() };
    // (What an UPDATE FROM that fails has changed in a virtual table stays, in SQLite, within a transaction.)
    if one_in(rng, 10) && !schema.has_modules {
        return update_from(rng, schema, table);
    }
    let mut columns = table.writable.clone();
    rng.shuffle(&mut columns);
    columns.truncate(rng.usize(1..columns.len().min(3) + 1));
    let set = if columns.len() > 1 && one_in(rng, 6) {
        let values: Vec<String> = columns.iter().map(|_| expr::deterministic(rng, &table.columns, 1)).collect();
        format!("({}) = ({})", list(&columns), values.join(", "))
    } else {
        let assign = |column: &String| format!("{column} = {}", expr::deterministic(rng, &table.columns, 2));
        columns.iter().map(assign).collect::<Vec<_>>().join(", ")
    };
    let tail = returning(rng, schema, table);
    format!("UPDATE{} {} SET {set}{}{tail}", pick(rng, &POLICIES), table.name, filter(rng, schema, table))
}

/// UPDATE FROM, in which all partners of a row have the same values.
fn update_from(rng: &mut Rng, schema: &Schema, table: &Table) -> String {
    let Some(other) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    let key = pick(rng, &other.columns);
    format!(
        "UPDATE{} {} SET {} = f.m FROM (SELECT quote({key}) AS k, max(length({})) AS m FROM {} GROUP BY 1) AS f WHERE quote({}.{}) = f.k",
        pick(rng, &["", " OR IGNORE"]),
        table.name,
        pick(rng, &table.writable),
        pick(rng, &other.columns),
        other.name,
        table.name,
        pick(rng, &table.columns)
    )
}

pub fn delete(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = target(rng, schema) else { return "SELECT 1".to_owned() };
    if one_in(rng, 12) {
        return format!("DELETE FROM {}{}", table.name, returning(rng, schema, table));
    }
    if one_in(rng, 8)
        && let Some(other) = schema.any_table(rng)
    {
        let (mine, theirs) = (pick(rng, &table.columns), pick(rng, &other.columns));
        return format!("DELETE FROM {} WHERE {mine} IN (SELECT {theirs} FROM {})", table.name, other.name);
    }
    format!("DELETE FROM {} WHERE {}{}", table.name, condition(rng, schema, table), returning(rng, schema, table))
}

fn filter(rng: &mut Rng, schema: &Schema, table: &Table) -> String {
    if rng.u32(0..6) == 0 { String::new() } else { format!(" WHERE {}", condition(rng, schema, table)) }
}

fn condition(rng: &mut Rng, schema: &Schema, table: &Table) -> String {
    if one_in(rng, 3) {
        let depth = rng.u32(1..3);
        return conditions::predicate(rng, schema, &table.columns, depth);
    }
    let first = expr::simple_condition(rng, &table.columns);
    match rng.u32(0..4) {
        0 => format!("{first} AND {}", expr::condition(rng, &table.columns, 1)),
        1 => format!("{first} OR {}", expr::simple_condition(rng, &table.columns)),
        _ => first,
    }
}

pub fn transaction_control(rng: &mut Rng) -> String {
    let choices = [
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT a",
        "SAVEPOINT b",
        "RELEASE a",
        "ROLLBACK TO a",
        "ROLLBACK TO b",
        "RELEASE b",
    ];
    (*pick(rng, &choices)).to_owned()
}
