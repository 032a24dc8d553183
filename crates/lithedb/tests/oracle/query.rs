//! Random SELECTs. What SQLite leaves open (which row of a group a bare column shows, which rows LIMIT takes without a
//! deciding ORDER BY, in which order reals are summed) is not asked for.

use fastrand::Rng;

use crate::expr;
use crate::schema::{Schema, pick};

/// FROM with what can be named in it.
struct Sources {
    from: String,
    columns: Vec<String>,
}

const JOINS: [&str; 9] =
    [", ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN ", ", "];

pub fn select(rng: &mut Rng, schema: &Schema) -> String {
    match rng.u32(0..20) {
        0..2 => compound(rng, schema),
        2..6 => grouped(rng, schema),
        6..7 => with(rng, schema),
        7..8 => format!("SELECT {}", expr::deterministic(rng, &[], 3)),
        8..9 => format!(
            "VALUES ({}, {}), ({}, {})",
            expr::literal(rng),
            expr::literal(rng),
            expr::literal(rng),
            expr::literal(rng)
        ),
        9..10 => recursive(rng),
        _ => simple(rng, schema),
    }
}

fn sources(rng: &mut Rng, schema: &Schema, most: usize) -> Sources {
    let mut found = Sources { from: String::new(), columns: Vec::new() };
    for i in 0..rng.usize(1..most + 1) {
        let Some(table) = schema.any_source(rng) else { break };
        let alias = format!("s{i}");
        let own: Vec<String> = table.columns.iter().map(|column| format!("{alias}.{column}")).collect();
        let is_subquery = rng.u32(0..8) == 0;
        let source = if is_subquery { format!("(SELECT * FROM {})", table.name) } else { table.name.clone() };
        if i == 0 {
            found.from = format!(" FROM {source} AS {alias}");
        } else {
            let join = *pick(rng, &JOINS);
            found.from.push_str(&format!("{join}{source} AS {alias}"));
            let needs_condition = join.contains("LEFT") || join.contains("RIGHT") || join.contains("FULL");
            if join != ", " && (needs_condition || rng.bool()) {
                let condition = if found.columns.is_empty() || rng.u32(0..5) == 0 {
                    expr::simple_condition(rng, &own)
                } else {
                    format!("{} = {}", pick(rng, &own), pick(rng, &found.columns))
                };
                found.from.push_str(&format!(" ON {condition}"));
            }
        }
        found.columns.extend(own);
        if table.has_rowid && !is_subquery && rng.u32(0..6) == 0 {
            found.columns.push(format!("{alias}.rowid"));
        }
    }
    if found.columns.is_empty() {
        found.columns.push("1".to_owned());
    }
    found
}

fn filter(rng: &mut Rng, schema: &Schema, sources: &Sources) -> String {
    if rng.u32(0..4) == 0 {
        return String::new();
    }
    let mut terms = vec![term(rng, schema, sources)];
    while rng.u32(0..3) == 0 {
        terms.push(term(rng, schema, sources));
    }
    format!(" WHERE {}", terms.join(if rng.u32(0..4) == 0 { " OR " } else { " AND " }))
}

fn term(rng: &mut Rng, schema: &Schema, sources: &Sources) -> String {
    match rng.u32(0..12) {
        0 => format!(
            "{} {}IN ({})",
            pick(rng, &sources.columns),
            if rng.bool() { "NOT " } else { "" },
            one_column(rng, schema, sources)
        ),
        1 => format!("{}EXISTS ({})", if rng.bool() { "NOT " } else { "" }, one_column(rng, schema, sources)),
        2 => format!("{} = ({} LIMIT 1)", pick(rng, &sources.columns), aggregate_subquery(rng, schema, sources)),
        3..5 => format!("{} = {}", pick(rng, &sources.columns), pick(rng, &sources.columns)),
        5..9 => expr::simple_condition(rng, &sources.columns),
        _ => expr::condition(rng, &sources.columns, 2),
    }
}

/// A subquery of one column that may refer to the enclosing query's sources.
fn one_column(rng: &mut Rng, schema: &Schema, outer: &Sources) -> String {
    let Some(table) = schema.any_source(rng) else { return "SELECT 1".to_owned() };
    let column = pick(rng, &table.columns);
    let correlation = if rng.bool() {
        format!(" WHERE q.{} = {}", pick(rng, &table.columns), pick(rng, &outer.columns))
    } else {
        String::new()
    };
    format!("SELECT q.{column} FROM {} AS q{correlation}", table.name)
}

/// A subquery of one row.
fn aggregate_subquery(rng: &mut Rng, schema: &Schema, outer: &Sources) -> String {
    let Some(table) = schema.any_source(rng) else { return "SELECT 1".to_owned() };
    let column = pick(rng, &table.columns);
    let function = pick(rng, &["min", "max", "count"]);
    let correlation = if rng.bool() {
        format!(" WHERE q.{} < {}", pick(rng, &table.columns), pick(rng, &outer.columns))
    } else {
        String::new()
    };
    format!("SELECT {function}(q.{column}) FROM {} AS q{correlation}", table.name)
}

fn simple(rng: &mut Rng, schema: &Schema) -> String {
    let sources = sources(rng, schema, 3);
    let distinct = if rng.u32(0..6) == 0 { "DISTINCT " } else { "" };
    let mut columns: Vec<String> =
        (0..rng.usize(1..4)).map(|_| expr::deterministic(rng, &sources.columns, 2)).collect();
    if rng.u32(0..8) == 0 {
        columns.push(format!("({})", aggregate_subquery(rng, schema, &sources)));
    }
    let filter = filter(rng, schema, &sources);
    let order = order_by(rng, columns.len());
    let list = if rng.u32(0..6) == 0 && order.is_empty() { "*".to_owned() } else { columns.join(", ") };
    format!("SELECT {distinct}{list}{}{filter}{order}", sources.from)
}

/// Every column is sorted by, so that equal rows are the only ones whose order is open. LIMIT is possible then.
fn order_by(rng: &mut Rng, columns: usize) -> String {
    if rng.u32(0..3) > 0 {
        return String::new();
    }
    let mut positions: Vec<usize> = (1..=columns).collect();
    rng.shuffle(&mut positions);
    let term = |position: usize| {
        format!(
            "{position}{}{}",
            pick(rng, &["", " DESC", " ASC"]),
            pick(rng, &["", "", "", " NULLS FIRST", " NULLS LAST"])
        )
    };
    let terms: Vec<String> = positions.into_iter().map(term).collect();
    let limit = match rng.u32(0..4) {
        0 => format!(" LIMIT {}", rng.i32(-1..8)),
        1 => format!(" LIMIT {} OFFSET {}", rng.i32(0..8), rng.i32(-1..5)),
        _ => String::new(),
    };
    format!(" ORDER BY {}{limit} /* ordered */", bitwise(&terms))
}

/// Under BINARY: texts that are equal under another collation differ in their bytes, and the order between them is open.
fn bitwise(terms: &[String]) -> String {
    let with_collation = |term: &String| match term.split_once(' ') {
        Some((position, rest)) => format!("{position} COLLATE BINARY {rest}"),
        None => format!("{term} COLLATE BINARY"),
    };
    terms.iter().map(with_collation).collect::<Vec<_>>().join(", ")
}

fn grouped(rng: &mut Rng, schema: &Schema) -> String {
    let sources = sources(rng, schema, 2);
    let keys: Vec<String> = (0..rng.usize(0..3)).map(|_| pick(rng, &sources.columns).clone()).collect();
    let mut columns: Vec<String> = keys.iter().map(|key| format!("hex({key})")).collect();
    for _ in 0..rng.usize(1..4) {
        columns.push(aggregate(rng, &sources));
    }
    let filter = filter(rng, schema, &sources);
    // Keys are shown as a whole only under BINARY: of texts that are equal under another collation any may stand for the group.
    let keys: Vec<String> = keys.iter().map(|key| format!("hex({key})")).collect();
    let group = if keys.is_empty() { String::new() } else { format!(" GROUP BY {}", keys.join(", ")) };
    let having = if rng.u32(0..4) == 0 && !keys.is_empty() {
        format!(" HAVING {} > {}", aggregate(rng, &sources), rng.i32(0..3))
    } else {
        String::new()
    };
    format!("SELECT {}{}{filter}{group}{having}", columns.join(", "), sources.from)
}

/// An aggregate whose value does not depend on the order of rows.
fn aggregate(rng: &mut Rng, sources: &Sources) -> String {
    let column = pick(rng, &sources.columns);
    let filter = if rng.u32(0..6) == 0 {
        format!(" FILTER (WHERE {})", expr::simple_condition(rng, &sources.columns))
    } else {
        String::new()
    };
    match rng.u32(0..9) {
        0..2 => format!("count(*){filter}"),
        2 => format!("count({column}){filter}"),
        3 => format!("count(DISTINCT hex({column})){filter}"),
        4 => format!("hex(min({column} COLLATE BINARY))"),
        5 => format!("max(length({column})){filter}"),
        6 => format!("sum(length({column})){filter}"),
        7 => format!("avg(length({column})){filter}"),
        _ => format!("total({column} IS NULL){filter}"),
    }
}

/// A SELECT of `count` columns from one table, to be inserted somewhere: the order of its rows matters to rowids, so it is decided.
pub fn plain_select(rng: &mut Rng, schema: &Schema, count: usize) -> String {
    let Some(table) = schema.any_table(rng) else { return "SELECT 1".to_owned() };
    let columns: Vec<String> = (0..count).map(|_| expr::deterministic(rng, &table.columns, 1)).collect();
    let order: Vec<String> = (1..=count).map(|i| format!("{i} COLLATE BINARY")).collect();
    format!(
        "SELECT {} FROM {} WHERE {} ORDER BY {} LIMIT 20",
        columns.join(", "),
        table.name,
        expr::simple_condition(rng, &table.columns),
        order.join(", ")
    )
}

fn compound(rng: &mut Rng, schema: &Schema) -> String {
    let count = rng.usize(1..3);
    let core = |rng: &mut Rng| {
        let sources = sources(rng, schema, 1);
        let columns: Vec<String> = (0..count).map(|_| format!("quote({})", pick(rng, &sources.columns))).collect();
        let filter = if rng.bool() {
            format!(" WHERE {}", expr::simple_condition(rng, &sources.columns))
        } else {
            String::new()
        };
        format!("SELECT {}{}{filter}", columns.join(", "), sources.from)
    };
    let mut sql = core(rng);
    for _ in 0..rng.usize(1..4) {
        sql.push_str(&format!(" {} {}", pick(rng, &["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]), core(rng)));
    }
    sql + &order_by(rng, count)
}

fn with(rng: &mut Rng, schema: &Schema) -> String {
    let inner = simple(rng, schema).replace(" /* ordered */", "");
    let materialized = pick(rng, &["", " MATERIALIZED", " NOT MATERIALIZED"]);
    format!("WITH w AS{materialized} ({inner}) SELECT * FROM w AS x{}", if rng.bool() { "" } else { ", w AS y" })
}

fn recursive(rng: &mut Rng) -> String {
    let (start, end) = (rng.i32(0..5), rng.i32(3..12));
    let union = pick(rng, &["UNION ALL", "UNION"]);
    let step = pick(rng, &["n + 1", "n + 2", "(n * 3) % 7 + 5"]);
    let limit = rng.i32(1..15);
    format!(
        "WITH RECURSIVE r(n) AS (SELECT {start} {union} SELECT {step} FROM r WHERE n < {end} LIMIT {limit}) SELECT n, n * n FROM r"
    )
}
