//! Random FROM clauses.

use fastrand::Rng;

use crate::expr;
use crate::json;
use crate::schema::{Schema, Table, one_in, pick};

/// A FROM clause with its columns.
pub struct Sources {
    /// The clause, or empty.
    pub from: String,
    /// The columns, as they are written.
    pub columns: Vec<String>,
}

const JOINS: [&str; 9] =
    [", ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", ", "];

/// At most `most` tables, views and subqueries.
pub fn sources(rng: &mut Rng, schema: &Schema, most: usize) -> Sources {
    if most > 1 && one_in(rng, 8) {
        return merged(rng, schema);
    }
    let mut found = Sources { from: String::new(), columns: Vec::new() };
    for i in 0..rng.usize(1..most + 1) {
        let alias = format!("s{i}");
        if one_in(rng, 24) {
            let (source, columns) = json::source(rng);
            found.from.push_str(&format!("{}{source} AS {alias}", if found.from.is_empty() { " FROM " } else { ", " }));
            found.columns.extend(columns.iter().map(|column| format!("{alias}.{column}")));
            continue;
        }
        let Some(table) = schema.any_source(rng) else { break };
        let mut own: Vec<String> = table.columns.iter().map(|column| format!("{alias}.{column}")).collect();
        let is_subquery = one_in(rng, 8);
        let source = if is_subquery { subquery(rng, table, &alias, &mut own) } else { table.name.clone() };
        let hint = if !is_subquery && one_in(rng, 20) { " NOT INDEXED" } else { "" };
        if found.from.is_empty() {
            found.from = format!(" FROM {source} AS {alias}{hint}");
        } else {
            let join = *pick(rng, &JOINS);
            found.from.push_str(&format!("{join}{source} AS {alias}{hint}"));
            let needs_condition = join.contains("LEFT") || join.contains("RIGHT") || join.contains("FULL");
            if join != ", " && (needs_condition || rng.bool()) {
                found.from.push_str(&format!(" ON {}", on(rng, &own, &found.columns)));
            }
        }
        found.columns.extend(own);
        if table.has_rowid && !is_subquery && one_in(rng, 6) {
            found.columns.push(format!("{alias}.rowid"));
        }
    }
    if found.columns.is_empty() {
        found.columns.push("1".to_owned());
    }
    found
}

fn on(rng: &mut Rng, own: &[String], before: &[String]) -> String {
    if before.is_empty() || one_in(rng, 5) {
        return expr::simple_condition(rng, own);
    }
    let equal = format!("{} = {}", pick(rng, own), pick(rng, before));
    match rng.u32(0..6) {
        0 => format!("{equal} AND {}", expr::simple_condition(rng, own)),
        1 => format!("{equal} OR {}", expr::simple_condition(rng, before)),
        2 => format!("{} {} {}", pick(rng, own), pick(rng, &["<", ">=", "IS", "<>"]), pick(rng, before)),
        _ => equal,
    }
}

/// A subquery in FROM; `own` becomes its columns.
fn subquery(rng: &mut Rng, table: &Table, alias: &str, own: &mut Vec<String>) -> String {
    let first = pick(rng, &table.columns);
    match rng.u32(0..5) {
        0 => {
            *own = vec![format!("{alias}.k"), format!("{alias}.n")];
            format!("(SELECT hex({first}) AS k, count(*) AS n FROM {} GROUP BY 1)", table.name)
        }
        1 => {
            *own = vec![format!("{alias}.d")];
            format!("(SELECT DISTINCT quote({first}) AS d FROM {})", table.name)
        }
        2 => {
            *own = vec![format!("{alias}.u")];
            let second = pick(rng, &table.columns);
            let (op, name) = (pick(rng, &["UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"]), &table.name);
            match *op {
                "UNION ALL" => format!("(SELECT {first} AS u FROM {name} UNION ALL SELECT {second} FROM {name})"),
                // Any of several equal but not identical values may represent them, so they are made comparable.
                _ => format!("(SELECT quote({first}) AS u FROM {name} {op} SELECT hex({second}) FROM {name})"),
            }
        }
        3 => {
            let filter = expr::simple_condition(rng, &table.columns);
            format!("(SELECT * FROM {} WHERE {filter})", table.name)
        }
        _ => format!("(SELECT * FROM {})", table.name),
    }
}

/// NATURAL and USING: columns of the same names are merged.
fn merged(rng: &mut Rng, schema: &Schema) -> Sources {
    let (Some(left), Some(right)) = (schema.any_table(rng), schema.any_table(rng)) else {
        return Sources { from: String::new(), columns: vec!["1".to_owned()] };
    };
    let common: Vec<String> = left.columns.iter().filter(|column| right.columns.contains(column)).cloned().collect();
    let kind = pick(rng, &["", "LEFT ", "RIGHT ", "FULL "]);
    let is_natural = common.is_empty() || one_in(rng, 3);
    let merged = if is_natural { common } else { vec![pick(rng, &common).clone()] };
    let join = if is_natural {
        format!("{} AS l NATURAL {kind}JOIN {} AS r", left.name, right.name)
    } else {
        format!("{} AS l {kind}JOIN {} AS r USING ({})", left.name, right.name, merged.join(", "))
    };
    let mut columns: Vec<String> = left.columns.iter().map(|column| format!("l.{column}")).collect();
    columns.extend(right.columns.iter().map(|column| format!("r.{column}")));
    let from = match (rng.u32(0..6), schema.any_table(rng)) {
        (0, _) => format!(" FROM ({join}) AS z"),
        (1..=2, Some(third)) => {
            columns.extend(third.columns.iter().map(|column| format!("o.{column}")));
            let side = format!("{} AS o", third.name);
            match rng.u32(0..3) {
                0 => format!(" FROM {side}{}({join})", pick(rng, &[", ", " JOIN ", " NATURAL JOIN "])),
                1 => format!(" FROM {side} LEFT JOIN ({join}) ON o.{} = l.{}", third.columns[0], left.columns[0]),
                _ => format!(" FROM ({join}) AS z{}{side}", pick(rng, &[" JOIN ", " NATURAL LEFT JOIN ", ", "])),
            }
        }
        _ => {
            columns.extend(merged.iter().cloned());
            columns.extend(merged);
            format!(" FROM {join}")
        }
    };
    Sources { from, columns }
}
