//! Random INSERT, UPDATE, DELETE and transaction control.

use fastrand::Rng;

use crate::expr;
use crate::query;
use crate::schema::{Schema, Table, pick};

const POLICIES: [&str; 9] = ["", "", "", "", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT", " OR ROLLBACK"];

pub fn insert(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    let policy = pick(rng, &POLICIES);
    let (columns, count) = if rng.u32(0..4) == 0 {
        let mut some = table.columns.clone();
        rng.shuffle(&mut some);
        some.truncate(rng.usize(1..some.len() + 1));
        (format!("({})", some.join(", ")), some.len())
    } else {
        (String::new(), table.columns.len())
    };
    match rng.u32(0..12) {
        0 => format!("INSERT{policy} INTO {} DEFAULT VALUES", table.name),
        1 => {
            let source = query::plain_select(rng, schema, count);
            format!("INSERT{policy} INTO {}{columns} {source}", table.name)
        }
        _ => {
            let row = |rng: &mut Rng| {
                let values: Vec<String> = (0..count).map(|_| value(rng)).collect();
                format!("({})", values.join(", "))
            };
            let rows: Vec<String> = (0..rng.usize(1..6)).map(|_| row(rng)).collect();
            format!("INSERT{policy} INTO {}{columns} VALUES {}", table.name, rows.join(", "))
        }
    }
}

fn value(rng: &mut Rng) -> String {
    if rng.u32(0..8) == 0 { expr::deterministic(rng, &[], 2) } else { expr::literal(rng) }
}

pub fn update(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    let mut columns = table.columns.clone();
    rng.shuffle(&mut columns);
    columns.truncate(rng.usize(1..columns.len().min(3) + 1));
    let set: Vec<String> =
        columns.iter().map(|column| format!("{column} = {}", expr::deterministic(rng, &table.columns, 2))).collect();
    format!("UPDATE{} {} SET {}{}", pick(rng, &POLICIES), table.name, set.join(", "), filter(rng, table))
}

pub fn delete(rng: &mut Rng, schema: &Schema) -> String {
    let Some(table) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    if rng.u32(0..12) == 0 {
        return format!("DELETE FROM {}", table.name);
    }
    format!("DELETE FROM {} WHERE {}", table.name, condition(rng, table))
}

fn filter(rng: &mut Rng, table: &Table) -> String {
    if rng.u32(0..6) == 0 { String::new() } else { format!(" WHERE {}", condition(rng, table)) }
}

fn condition(rng: &mut Rng, table: &Table) -> String {
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
