//! Relations: two forms of a query that must have the same rows.

use fastrand::Rng;

use crate::schema::pick;
use crate::world::{Table, World};

/// Two lists of statements, whose rows together must be equal.
#[derive(Clone)]
pub struct Relation {
    pub left: Vec<String>,
    pub right: Vec<String>,
    /// Whether the order of the rows counts.
    pub is_ordered: bool,
}

fn sets<const L: usize, const R: usize>(left: [String; L], right: [String; R]) -> Relation {
    Relation { left: left.into(), right: right.into(), is_ordered: false }
}

fn lists(left: String, right: String) -> Relation {
    Relation { left: vec![left], right: vec![right], is_ordered: true }
}

/// A relation over a world.
pub fn random(rng: &mut Rng, world: &World) -> Relation {
    let (table, other) = if rng.bool() { (0, 1) } else { (1, 0) };
    let (table, other) = (&world.tables[table], &world.tables[other]);
    if table.is_plain && other.is_plain && rng.bool() {
        let [without, with] = table.predicate_with_plus(rng, other);
        return sets([select(table, &without)], [select(table, &with)]);
    }
    let predicate = table.predicate(rng, other);
    match rng.u32(0..10) {
        0 => changes(rng, table, &predicate),
        1 => joined(rng, table, other),
        2 => ordered(rng, table, &predicate),
        3 => counted(rng, table, &predicate),
        4 | 5 => split(rng, table, &predicate),
        _ => rewritten(rng, table, &predicate),
    }
}

fn select(table: &Table, predicate: &str) -> String {
    format!("SELECT id FROM {} WHERE {predicate}", table.name)
}

/// Splits a table's rows: a predicate is true, false or null for each row.
fn split(rng: &mut Rng, table: &Table, predicate: &str) -> Relation {
    let name = &table.name;
    let columns = pick(rng, &["id", "*", "id, c0", "c1, id"]);
    let of = |filter: &str| format!("SELECT {columns} FROM {name}{filter}");
    sets(
        [of("")],
        [
            of(&format!(" WHERE {predicate}")),
            of(&format!(" WHERE NOT ({predicate})")),
            of(&format!(" WHERE ({predicate}) IS NULL")),
        ],
    )
}

/// The same rows by another form of the query.
fn rewritten(rng: &mut Rng, table: &Table, predicate: &str) -> Relation {
    let name = &table.name;
    // A view has no rowid.
    let can_be_named = !predicate.contains("rowid");
    let (left, columns) = (select(table, predicate), table.columns.join(", "));
    let right = match rng.u32(0..12) {
        0 => format!("SELECT id FROM {name} NOT INDEXED WHERE {predicate}"),
        1 => format!("SELECT id FROM (SELECT id, ({predicate}) AS holds FROM {name} LIMIT -1) WHERE holds"),
        2 if can_be_named => {
            format!("WITH q AS MATERIALIZED (SELECT * FROM {name}) SELECT id FROM q WHERE {predicate}")
        }
        3 if can_be_named => {
            format!("WITH q AS NOT MATERIALIZED (SELECT * FROM {name}) SELECT id FROM q WHERE {predicate}")
        }
        4 if can_be_named => format!("SELECT id FROM (SELECT * FROM {name}) WHERE {predicate}"),
        5 if can_be_named => format!("SELECT id FROM (SELECT {columns}, id FROM {name} ORDER BY c1) WHERE {predicate}"),
        6 if can_be_named => {
            format!("SELECT id FROM (SELECT * FROM {name} UNION ALL SELECT * FROM {name} WHERE 0) WHERE {predicate}")
        }
        7 => format!("SELECT id FROM {name} WHERE id IN (SELECT id FROM {name} WHERE {predicate})"),
        8 => format!("SELECT id FROM {name} WHERE CASE WHEN {predicate} THEN 1 ELSE 0 END"),
        9 if can_be_named => {
            let view = format!("CREATE VIEW v AS SELECT * FROM {name}");
            let read = format!("SELECT id FROM v WHERE {predicate}");
            return sets([left], ["BEGIN".to_owned(), view, read, "ROLLBACK".to_owned()]);
        }
        _ => {
            let mut right = vec!["BEGIN".to_owned()];
            right.extend(table.indexes.iter().map(|index| format!("DROP INDEX {index}")));
            right.extend([left.clone(), "ROLLBACK".to_owned()]);
            return Relation { left: vec![left], right, is_ordered: false };
        }
    };
    sets([left], [right])
}

/// UPDATE and DELETE change exactly the rows that SELECT finds.
fn changes(rng: &mut Rng, table: &Table, predicate: &str) -> Relation {
    let name = &table.name;
    let (begin, rollback) = ("BEGIN".to_owned(), "ROLLBACK".to_owned());
    let marked = format!("SELECT id FROM {name} WHERE mark = 'x'");
    match rng.u32(0..4) {
        0 => sets(
            [select(table, &format!("NOT ({predicate})")), select(table, &format!("({predicate}) IS NULL"))],
            [begin, format!("DELETE FROM {name} WHERE {predicate}"), format!("SELECT id FROM {name}"), rollback],
        ),
        1 => sets(
            [select(table, predicate)],
            [begin, format!("DELETE FROM {name} WHERE {predicate} RETURNING id"), rollback],
        ),
        2 => sets(
            [select(table, predicate)],
            [begin, format!("UPDATE {name} SET mark = 'x' WHERE {predicate} RETURNING id"), rollback],
        ),
        // The UPDATE may change columns of its own predicate.
        _ => sets(
            [select(table, predicate)],
            [
                begin,
                format!("UPDATE {name} SET mark = 'x', c0 = c1, c1 = c0 || 'q' WHERE {predicate}"),
                marked,
                rollback,
            ],
        ),
    }
}

/// ORDER BY with an index or without, with NULLS FIRST and LAST; LIMIT takes the first rows.
fn ordered(rng: &mut Rng, table: &Table, predicate: &str) -> Relation {
    let name = &table.name;
    let term = |rng: &mut Rng| {
        let collation = pick(rng, &["", "", "", " COLLATE NOCASE"]);
        let direction = pick(rng, &["", "", " DESC", " ASC"]);
        format!(
            "{}{collation}{direction}{}",
            pick(rng, &table.columns),
            pick(rng, &["", "", " NULLS FIRST", " NULLS LAST"])
        )
    };
    let mut terms: Vec<String> = (0..rng.usize(1..3)).map(|_| term(rng)).collect();
    terms.push((*pick(rng, &["id", "id DESC"])).to_owned());
    let (terms, limit) = (terms.join(", "), rng.u32(0..20));
    let limit = if rng.bool() { format!(" LIMIT {limit} OFFSET {}", rng.u32(0..6)) } else { String::new() };
    let left = format!("SELECT id FROM {name} WHERE {predicate} ORDER BY {terms}{limit}");
    let right = match rng.u32(0..3) {
        0 => format!("SELECT id FROM {name} NOT INDEXED WHERE {predicate} ORDER BY {terms}{limit}"),
        1 => format!("SELECT id FROM (SELECT * FROM {name} WHERE {predicate} LIMIT -1) ORDER BY {terms}{limit}"),
        _ => format!("SELECT id FROM (SELECT id FROM {name} WHERE {predicate} ORDER BY {terms} LIMIT -1){limit}"),
    };
    lists(left, right)
}

/// Aggregates compared with the rows that they aggregate.
fn counted(rng: &mut Rng, table: &Table, predicate: &str) -> Relation {
    let name = &table.name;
    let column = pick(rng, &table.columns);
    let all = format!("SELECT * FROM {name} WHERE {predicate} LIMIT -1");
    match rng.u32(0..5) {
        0 => {
            sets([format!("SELECT count(*) FROM {name} WHERE {predicate}")], [format!("SELECT count(*) FROM ({all})")])
        }
        1 => sets(
            [format!("SELECT count(*) FROM {name} WHERE {predicate}")],
            [format!("SELECT count(CASE WHEN {predicate} THEN 1 END) FROM {name}")],
        ),
        2 => sets(
            [format!("SELECT DISTINCT quote({column}) FROM {name} WHERE {predicate}")],
            [format!("SELECT quote({column}) FROM {name} WHERE {predicate} GROUP BY 1")],
        ),
        3 => sets(
            [format!("SELECT count(DISTINCT {column}) FROM {name} WHERE {predicate}")],
            [format!("SELECT count({column}) FROM (SELECT {column} FROM {name} WHERE {predicate} GROUP BY 1)")],
        ),
        _ => {
            let function = pick(rng, &["min", "max"]);
            // Any of several equal values may be the least, so the values are compared, not shown.
            sets(
                ["SELECT 0".to_owned()],
                [format!(
                    "SELECT count(*) FROM {name} AS x WHERE ({}) AND x.{column} {} (SELECT {function}({column}) FROM {name} WHERE {predicate})",
                    predicate.replace("rowid", "x.rowid"),
                    if *function == "min" { "<" } else { ">" }
                )],
            )
        }
    }
}

/// Joins in another form, and outer joins composed from inner ones.
fn joined(rng: &mut Rng, table: &Table, other: &Table) -> Relation {
    let (x, y) = (&table.name, &other.name);
    let mut terms = Vec::new();
    for _ in 0..rng.usize(1..3) {
        let (a, b) = (pick(rng, &table.columns), pick(rng, &other.columns));
        let op = pick(rng, &["=", "=", "=", "IS", "<", ">="]);
        terms.push(match rng.u32(0..5) {
            0 => "x.id = y.id".to_owned(),
            1 => format!("x.id {op} y.{b}"),
            2 => format!("(x.{a} {op} y.{b} OR x.id = y.id)"),
            3 => format!("x.{a} {op} y.{b} AND y.{b} IS NOT NULL"),
            _ => format!("x.{a} {op} y.{b}"),
        });
    }
    let on = terms.join(" AND ");
    let inner = format!("SELECT x.id, y.id FROM {x} AS x JOIN {y} AS y ON {on}");
    match rng.u32(0..8) {
        0 => sets([inner], [format!("SELECT x.id, y.id FROM {y} AS y CROSS JOIN {x} AS x WHERE {on}")]),
        1 => sets([inner], [format!("SELECT x.id, y.id FROM {x} AS x CROSS JOIN {y} AS y WHERE {on}")]),
        2 => sets([inner], [format!("SELECT x.id, y.id FROM {x} AS x NOT INDEXED JOIN {y} AS y NOT INDEXED ON {on}")]),
        3 => sets(
            [inner],
            [format!("SELECT x.id, y.id FROM {x} AS x LEFT JOIN {y} AS y ON {on} WHERE y.id IS NOT NULL")],
        ),
        4 => sets(
            [format!("SELECT x.id, y.id FROM {x} AS x LEFT JOIN {y} AS y ON {on}")],
            [inner, format!("SELECT x.id, NULL FROM {x} AS x WHERE NOT EXISTS (SELECT 1 FROM {y} AS y WHERE {on})")],
        ),
        5 => sets(
            [format!("SELECT x.id, y.id FROM {x} AS x RIGHT JOIN {y} AS y ON {on}")],
            [format!("SELECT x.id, y.id FROM {y} AS y LEFT JOIN {x} AS x ON {on}")],
        ),
        6 => sets(
            [format!("SELECT x.id, y.id FROM {x} AS x FULL JOIN {y} AS y ON {on}")],
            [
                format!("SELECT x.id, y.id FROM {x} AS x LEFT JOIN {y} AS y ON {on}"),
                format!("SELECT NULL, y.id FROM {y} AS y WHERE NOT EXISTS (SELECT 1 FROM {x} AS x WHERE {on})"),
            ],
        ),
        _ => sets(
            [format!("SELECT x.id FROM {x} AS x WHERE EXISTS (SELECT 1 FROM {y} AS y WHERE {on})")],
            [format!("SELECT DISTINCT x.id FROM {x} AS x JOIN {y} AS y ON {on}")],
        ),
    }
}
