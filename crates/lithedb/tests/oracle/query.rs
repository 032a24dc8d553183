//! Random SELECTs. Results that SQLite does not determine (the row of a bare column in a group, the rows of a LIMIT without a total ORDER
//! BY, the order of summands of reals) are not generated.

use fastrand::Rng;

use crate::catalog;
use crate::conditions;
use crate::expr;
use crate::from::{Sources, sources};
use crate::json;
use crate::schema::{Schema, one_in, pick};
use crate::window;
use crate::with::{recursive, with};

pub fn select(rng: &mut Rng, schema: &Schema) -> String {
    match rng.u32(0..23) {
        0..2 => compound(rng, schema),
        2..6 => grouped(rng, schema),
        6..7 => with(rng, schema),
        7..8 => match rng.u32(0..4) {
            0 => json::lateral(rng, schema),
            1 => catalog::select(rng, schema),
            2 => format!("SELECT {}", json::lone_call(rng)),
            _ => format!("SELECT {}", expr::deterministic(rng, &[], 3)),
        },
        8..9 => format!(
            "VALUES ({}, {}), ({}, {})",
            expr::literal(rng),
            expr::literal(rng),
            expr::literal(rng),
            expr::literal(rng)
        ),
        9..10 => recursive(rng, schema),
        10..12 => window::select(rng, schema),
        12..15 => conditions::walk(rng, schema),
        _ => {
            let most = if rng.u32(0..4) == 0 { 3 } else { 2 };
            simple(rng, schema, most)
        }
    }
}

pub fn filter(rng: &mut Rng, schema: &Schema, sources: &Sources) -> String {
    if rng.u32(0..4) == 0 {
        return String::new();
    }
    if one_in(rng, 3) {
        return format!(" WHERE {}", conditions::predicate(rng, schema, &sources.columns, 2));
    }
    let mut terms = vec![term(rng, schema, sources)];
    while rng.u32(0..3) == 0 {
        terms.push(term(rng, schema, sources));
    }
    format!(" WHERE {}", terms.join(if rng.u32(0..4) == 0 { " OR " } else { " AND " }))
}

fn term(rng: &mut Rng, schema: &Schema, sources: &Sources) -> String {
    match rng.u32(0..13) {
        12 => row_subquery(rng, schema, sources),
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

/// Row values compared with the rows of a subquery.
fn row_subquery(rng: &mut Rng, schema: &Schema, outer: &Sources) -> String {
    let Some(table) = schema.any_source(rng) else { return "1".to_owned() };
    let (a, b) = (pick(rng, &table.columns), pick(rng, &table.columns));
    let (x, y) = (pick(rng, &outer.columns), pick(rng, &outer.columns));
    match rng.u32(0..3) {
        0 => format!("({x}, {y}) IN (SELECT q.{a}, q.{b} FROM {} AS q)", table.name),
        1 => format!("({x}, {y}) NOT IN (SELECT q.{a}, q.{b} FROM {} AS q WHERE q.{a} = {y})", table.name),
        _ => format!(
            "({x}, {y}) {} (SELECT min(length(q.{a})), count(q.{b}) FROM {} AS q)",
            pick(rng, &["=", "<", ">=", "IS"]),
            table.name
        ),
    }
}

/// A subquery with one column that may refer to the enclosing query's sources.
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

/// A subquery with one row.
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

pub fn simple(rng: &mut Rng, schema: &Schema, most: usize) -> String {
    let sources = sources(rng, schema, most);
    let distinct = if rng.u32(0..6) == 0 { "DISTINCT " } else { "" };
    // Any of several equal but not identical rows (1 and 1.0) may represent them: rows are counted, or shown so that such rows differ.
    let is_counted = !distinct.is_empty() && rng.bool();
    let value = |rng: &mut Rng| match rng.u32(0..6) {
        0 => conditions::indexed(rng, &sources.columns),
        1 => pick(rng, &sources.columns).clone(),
        _ => expr::deterministic(rng, &sources.columns, 2),
    };
    let column = |rng: &mut Rng| match value(rng) {
        column if distinct.is_empty() || is_counted => column,
        column => format!("quote({column})"),
    };
    let mut columns: Vec<String> = (0..rng.usize(1..4)).map(|_| column(rng)).collect();
    if rng.u32(0..8) == 0 {
        columns.push(format!("({})", aggregate_subquery(rng, schema, &sources)));
    }
    let filter = filter(rng, schema, &sources);
    let order = order_by(rng, columns.len());
    // Without FROM, * is an error; within WITH, which error is reported depends on the other errors.
    let may_be_star = !sources.from.is_empty() && order.is_empty() && (distinct.is_empty() || is_counted);
    let list = if may_be_star && rng.u32(0..6) == 0 { "*".to_owned() } else { columns.join(", ") };
    if is_counted {
        return format!("SELECT count(*) FROM (SELECT DISTINCT {list}{}{filter})", sources.from);
    }
    format!("SELECT {distinct}{list}{}{filter}{order}", sources.from)
}

/// ORDER BY every column, so that only identical rows may change places. LIMIT is then allowed.
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

/// An order in which only identical values may change places.
pub fn total_order(columns: &[String]) -> String {
    columns.iter().map(|column| format!("{column} COLLATE BINARY, typeof({column})")).collect::<Vec<_>>().join(", ")
}

/// Adds COLLATE BINARY, because texts that are equal under another collation have different bytes and no determined order.
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
    // Keys are shown as a whole only under BINARY, because any of several texts that are equal under another collation may represent the
    // group.
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
    match rng.u32(0..13) {
        12 => format!("{}{filter}", json::aggregate(rng, &sources.columns)),
        9 => {
            format!("group_concat(quote({column}), '|' ORDER BY {}){filter}", total_order(std::slice::from_ref(column)))
        }
        10 => format!("group_concat(DISTINCT hex({column}) ORDER BY hex({column}) DESC){filter}"),
        11 => format!("count(DISTINCT {column}){filter}"),
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

/// A SELECT of `count` columns from one table, for an INSERT. Its order of rows is total, because it determines the rowids.
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
