//! Random statements that return rows: scans of every kind.

use fastrand::Rng;

use crate::generate::{Table, World, one_in, pick};
use crate::writes;

/// A statement that returns rows.
pub fn scan(rng: &mut Rng, world: &World) -> String {
    let table = world.table(rng);
    match rng.u32(0..32) {
        0..12 => plain(rng, table),
        12..14 => join(rng, world, table),
        14..16 => grouped(rng, table),
        16 => compound(rng, world, table),
        17 => inside(rng, world, table),
        18 => recursive(rng, table),
        19 => window(rng, table),
        20 => format!(
            "SELECT {} FROM {}",
            pick(rng, &["count(*)", "max(a)", "min(b)", "total(a), count(c)", "max(c), min(c)"]),
            table.name
        ),
        21 => format!(
            "SELECT * FROM (SELECT a, b FROM {} WHERE {} ORDER BY b, a LIMIT 20) WHERE a > 2",
            table.name,
            predicate(rng, table)
        ),
        22 => format!("SELECT v.a, v.b FROM {} AS v WHERE {}", world.view(rng), predicate(rng, table)),
        23..25 => with_or(rng, table),
        25 => format!("SELECT a, json_group_array(b) FROM {} GROUP BY a ORDER BY a DESC", table.name),
        26 => {
            // The rows of an index, or of a table that is one, come through a query in FROM, which keeps its row.
            let (source, rows) = match table.has_rowid {
                true => (table.name.clone(), "t1 NOT INDEXED"),
                false => (format!("(SELECT * FROM {} LIMIT -1)", table.name), "t1"),
            };
            format!(
                "SELECT t1.a, e.value FROM {source} AS {rows}, json_each('[1,2,3]') AS e WHERE {}",
                predicate(rng, table).replace("rowid", "t1.rowid")
            )
        }
        27 => format!("SELECT DISTINCT b FROM {} WHERE {}", table.name, predicate(rng, table)),
        _ => writes::with_returning(rng, world),
    }
}

/// A scan of one table, by rowid or by an index, forwards or backwards.
fn plain(rng: &mut Rng, table: &Table) -> String {
    let columns = pick(rng, &["a", "b, a", "a, b, length(c)", "*", "c, a", "b", "a, length(d)", "a, substr(c, 1, 6)"]);
    let mut sql = format!("SELECT {columns} FROM {}", table.name);
    if one_in(rng, 10) {
        sql.push_str(" NOT INDEXED");
    }
    if !one_in(rng, 3) {
        sql.push_str(&format!(" WHERE {}", predicate(rng, table)));
    }
    if one_in(rng, 2) {
        sql.push_str(&format!(" ORDER BY {}", order(rng, table)));
    }
    if one_in(rng, 8) {
        sql.push_str(&format!(" LIMIT {}", rng.u32(1..30)));
        if one_in(rng, 3) {
            sql.push_str(&format!(" OFFSET {}", rng.u32(0..10)));
        }
    }
    sql
}

fn order(rng: &mut Rng, table: &Table) -> String {
    let orders = [
        "a",
        "a DESC",
        "b, a",
        "b DESC, a DESC",
        "b, a DESC",
        "c, a",
        "c DESC, a",
        "+a",
        "length(c), a",
        "b DESC, a",
        "a + 0, b",
        "c COLLATE NOCASE, a",
    ];
    let order = (*pick(rng, &orders)).to_owned();
    if table.has_rowid && one_in(rng, 4) {
        pick(rng, &["rowid", "rowid DESC", "b, rowid", "b DESC, rowid DESC"]).to_string()
    } else {
        order
    }
}

/// A number for comparisons with a table's columns.
fn number(rng: &mut Rng, table: &Table) -> u64 {
    rng.u64(0..table.rows * 2 + 3)
}

pub fn predicate(rng: &mut Rng, table: &Table) -> String {
    let (x, y) = (number(rng, table), number(rng, table));
    let (low, high) = (x.min(y), x.max(y));
    let small = rng.u32(0..12);
    match rng.u32(0..22) {
        0 => format!("a BETWEEN {low} AND {high}"),
        1 => format!("a >= {x}"),
        2 => format!("a < {high}"),
        3 => format!("b = {small}"),
        4 => format!("b > {small}"),
        5 => format!("b BETWEEN {small} AND {}", small + 4),
        6 => format!("b IN ({small}, {}, {})", small + 1, small + 5),
        7 => format!("a IN ({x}, {y}, {small})"),
        8 => format!("c LIKE '{}%'", rng.u32(0..10)),
        9 => format!("c > '{:03}'", rng.u32(0..1000)),
        10 => format!("(b, a) > ({small}, {x})"),
        11 => "c IS NOT NULL".to_owned(),
        12 => format!("b = {small} AND a > {x}"),
        13 => format!("b = {small} OR a < {low}"),
        14 => format!("NOT (a > {x})"),
        15 if table.has_rowid => format!("rowid > {x}"),
        16 if table.has_rowid => format!("rowid = {x}"),
        17 => format!("a = {x}"),
        18 => format!("a % {} = 0", rng.u32(2..6)),
        19 => format!("b IS {}", pick(rng, &["NULL", "NOT NULL", "3"])),
        _ => "a >= 0".to_owned(),
    }
}

fn with_or(rng: &mut Rng, table: &Table) -> String {
    let (first, second) = (predicate(rng, table), predicate(rng, table));
    let third = if one_in(rng, 3) { format!(" OR {}", predicate(rng, table)) } else { String::new() };
    let order = if one_in(rng, 3) { format!(" ORDER BY {}", order(rng, table)) } else { String::new() };
    format!("SELECT a, b FROM {} WHERE {first} OR {second}{third}{order}", table.name)
}

fn join(rng: &mut Rng, world: &World, table: &Table) -> String {
    let other = world.table(rng);
    let kind = pick(rng, &["JOIN", "LEFT JOIN", "CROSS JOIN", "RIGHT JOIN", "FULL JOIN"]);
    let on = pick(rng, &["x.a = y.a", "x.b = y.a", "x.a = y.b", "x.b = y.b AND x.a < y.a", "x.c = y.c"]);
    let order = pick(rng, &["", "", " ORDER BY x.a", " ORDER BY y.a DESC, x.a", " ORDER BY x.b, y.b, x.a, y.a"]);
    let limit = number(rng, table);
    format!(
        "SELECT x.a, x.b, y.a, y.b FROM {} AS x {kind} {} AS y ON {on} WHERE x.a < {limit} OR x.a IS NULL{order}",
        table.name, other.name
    )
}

fn grouped(rng: &mut Rng, table: &Table) -> String {
    let key = pick(rng, &["b", "a", "a % 7", "length(c)", "b, a % 3"]);
    let value = pick(rng, &["count(*)", "sum(a)", "min(a), max(a)", "count(DISTINCT b)", "group_concat(a)"]);
    let having = if one_in(rng, 4) { " HAVING count(*) > 1" } else { "" };
    let order = pick(rng, &["", "", " ORDER BY 1", " ORDER BY 1 DESC", " ORDER BY 2, 1"]);
    format!("SELECT {key}, {value} FROM {} WHERE {} GROUP BY {key}{having}{order}", table.name, predicate(rng, table))
}

fn compound(rng: &mut Rng, world: &World, table: &Table) -> String {
    let other = world.table(rng);
    let op = pick(rng, &["UNION ALL", "UNION ALL", "UNION", "EXCEPT", "INTERSECT"]);
    let order = pick(rng, &["", "", " ORDER BY 1", " ORDER BY 1 DESC, 2", " ORDER BY 2, 1 LIMIT 30"]);
    format!(
        "SELECT a, b FROM {} WHERE {} {op} SELECT b, a FROM {} WHERE {}{order}",
        table.name,
        predicate(rng, table),
        other.name,
        predicate(rng, other)
    )
}

/// Subqueries.
fn inside(rng: &mut Rng, world: &World, table: &Table) -> String {
    let (name, other) = (&table.name, world.table(rng));
    let filter = predicate(rng, other);
    match rng.u32(0..5) {
        0 => format!("SELECT a FROM {name} WHERE a IN (SELECT b FROM {} WHERE {filter})", other.name),
        1 => format!("SELECT a FROM {name} AS o WHERE EXISTS (SELECT 1 FROM {} AS i WHERE i.a = o.b)", other.name),
        2 => format!("SELECT a, (SELECT count(*) FROM {} AS i WHERE i.b = o.b) FROM {name} AS o", other.name),
        3 => format!(
            "SELECT a FROM {name} WHERE b NOT IN (SELECT b FROM {} WHERE {filter} AND b IS NOT NULL)",
            other.name
        ),
        _ => format!("SELECT a FROM {name} AS o WHERE b = (SELECT max(b) FROM {} AS i WHERE i.a <= o.a)", other.name),
    }
}

fn recursive(rng: &mut Rng, table: &Table) -> String {
    let name = &table.name;
    match rng.u32(0..3) {
        0 => format!(
            "WITH RECURSIVE r(x) AS (SELECT min(a) FROM {name} UNION SELECT {name}.a FROM {name}, r WHERE {name}.a > x AND {name}.a < x + 4) SELECT x FROM r LIMIT 200"
        ),
        1 => format!(
            "WITH k AS MATERIALIZED (SELECT a, b FROM {name}) SELECT k.a FROM k WHERE {}",
            predicate(rng, table).replace("rowid", "k.a").replace("c ", "b ")
        ),
        _ => format!("WITH k AS (SELECT a, b FROM {name}) SELECT x.a, y.a FROM {name} AS x, k AS y WHERE x.a = y.b"),
    }
}

/// A single window: with several windows with different frames, SQLite reads further ahead.
fn window(rng: &mut Rng, table: &Table) -> String {
    let values = [
        "row_number()",
        "sum(a)",
        "lag(a)",
        "lead(b)",
        "count(*)",
        "first_value(c)",
        "nth_value(a, 2)",
        "max(b) FILTER (WHERE a % 2)",
        "rank()",
        "dense_rank()",
        "cume_dist()",
        "ntile(3)",
    ];
    let frames = [
        "",
        "",
        "",
        " ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING",
        " ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
        " ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING EXCLUDE TIES",
        " RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING",
        " RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW",
        " GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE GROUP",
        " GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING",
    ];
    let (value, frame) = (pick(rng, &values), pick(rng, &frames));
    let partition = if rng.bool() { "PARTITION BY b " } else { "" };
    let order =
        if frame.starts_with(" RANGE BETWEEN 3") { "b" } else { *pick(rng, &["a", "a", "b", "b DESC, a", "c, a"]) };
    let filter = predicate(rng, table);
    format!("SELECT a, {value} OVER ({partition}ORDER BY {order}{frame}) FROM {} WHERE {filter}", table.name)
}
