//! The order of rows that a query does not determine: ties of ORDER BY, no ORDER BY at all, groups, DISTINCT, compounds, windows. A program
//! that shows the first five rows would show different ones in another order, so rows are compared in order.

use fastrand::Rng;

use crate::compounds;
use crate::schema::{one_in, pick};

const STATEMENTS: usize = 80;

/// Differing worlds, with the known causes.
const KNOWN: &str = include_str!("order/known.txt");

/// The numbers of the worlds that are known to differ, which are not run.
pub fn known_to_differ() -> Vec<u64> {
    KNOWN.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect()
}

/// A table of a few values, so that most rows tie.
struct Table {
    name: &'static str,
    columns: &'static [&'static str],
}

const TABLES: [Table; 3] = [
    Table { name: "a", columns: &["id", "k", "s", "n", "d"] },
    Table { name: "b", columns: &["id", "k", "s", "n", "d"] },
    Table { name: "w", columns: &["id", "k", "s", "n", "d"] },
];

/// The statements of a world.
pub fn statements(seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed ^ 0x0bde_4000);
    let rng = &mut rng;
    let mut all = Vec::new();
    for table in &TABLES {
        create(rng, table, &mut all);
    }
    settings(&mut rng.clone(), &mut all);
    all.extend(compounds::views(&mut rng.clone()));
    for _ in 0..STATEMENTS {
        let query = match rng.u32(0..16) {
            0..4 => plain(rng),
            4..9 => grouped(rng),
            9..11 => joined(rng),
            11..13 => compound(rng),
            13..14 => windowed(rng),
            _ => nested(rng),
        };
        all.push(format!("{query} /* ordered */"));
    }
    all
}

/// Now and then statistics, of all rows or of some, and scans in the other direction.
fn settings(rng: &mut Rng, all: &mut Vec<String>) {
    let limit = rng.u32(1..40);
    let chosen: &[String] = match rng.u32(0..12) {
        0 => &["ANALYZE".to_owned()],
        1 | 2 => &[format!("PRAGMA analysis_limit = {limit}"), "ANALYZE".to_owned()],
        3 => &["ANALYZE".to_owned(), format!("PRAGMA analysis_limit = {limit}"), "ANALYZE a".to_owned()],
        4 | 5 => &["PRAGMA reverse_unordered_selects = 1".to_owned()],
        _ => &[],
    };
    all.extend_from_slice(chosen);
}

fn create(rng: &mut Rng, table: &Table, all: &mut Vec<String>) {
    let name = table.name;
    let collation = pick(rng, &["", "", " COLLATE NOCASE"]);
    let (key, end) = match (name, rng.u32(0..3)) {
        ("w", _) => ("id INT", format!(", PRIMARY KEY({})) WITHOUT ROWID", pick(rng, &["id", "k, id", "s DESC, id"]))),
        (_, 0) => ("id INT", ")".to_owned()),
        _ => ("id INTEGER PRIMARY KEY", ")".to_owned()),
    };
    // A separate generator keeps the other statements of a world unchanged.
    let unique = pick(&mut rng.clone(), &["", "", "", ", UNIQUE(k, id)", ", UNIQUE(s, id)", ", UNIQUE(id, d)"]);
    all.push(format!("CREATE TABLE {name}({key}, k INT, s TEXT{collation}, n REAL, d TEXT{unique}{end}"));
    let rows = *pick(rng, &[0, 1, 7, 30, 30, 80]);
    let values = rng.i64(1..6);
    let has_numbers = one_in(&mut rng.clone(), 4);
    for id in 0..rows {
        let number = *pick(&mut rng.clone(), &["'2'", "'2.0'", "'02'", "'1'"]);
        let s = *pick(rng, &["'x'", "'y'", "'X'", "'z'", "NULL", "'yy'"]);
        let s = if has_numbers { number } else { s };
        let n = pick(rng, &["1", "2.5", "-3", "NULL", "2"]);
        let k = if one_in(rng, 9) { "NULL".to_owned() } else { rng.i64(0..=values).to_string() };
        let month = rng.u32(1..5);
        all.push(format!("INSERT INTO {name} VALUES ({id}, {k}, {s}, {n}, '2024-0{month}-0{}')", rng.u32(1..4)));
    }
    for i in 0..rng.usize(0..4) {
        let terms =
            *pick(rng, &["k", "s", "n", "d", "k DESC", "k, s", "s, n DESC", "d DESC, k", "k + n", "substr(d, 1, 7)"]);
        let filter = *pick(rng, &["", "", "", " WHERE k > 1", " WHERE s IS NOT NULL"]);
        all.push(format!("CREATE INDEX i_{name}{i} ON {name}({terms}){filter}"));
    }
}

/// An expression with few values over a table's columns.
fn term(rng: &mut Rng, prefix: &str) -> String {
    let column = *pick(rng, &["k", "s", "n", "d", "k", "s"]);
    match rng.u32(0..9) {
        0 => format!("{prefix}k % 2"),
        1 => format!("substr({prefix}d, 1, 7)"),
        2 => format!("{prefix}s COLLATE NOCASE"),
        3 => format!("{prefix}k + {prefix}n"),
        4 => format!("{prefix}n > 1"),
        _ => format!("{prefix}{column}"),
    }
}

fn direction(rng: &mut Rng) -> &'static str {
    const DIRECTIONS: [&str; 8] = ["", "", "", " DESC", " DESC", " ASC", " NULLS LAST", " DESC NULLS FIRST"];
    DIRECTIONS[rng.usize(0..DIRECTIONS.len())]
}

fn order(rng: &mut Rng, terms: &[String], limits: bool) -> String {
    let mut out = String::new();
    if !one_in(rng, 4) {
        let count = rng.usize(1..3);
        let chosen: Vec<String> = (0..count).map(|_| format!("{}{}", pick(rng, terms), direction(rng))).collect();
        out = format!(" ORDER BY {}", chosen.join(", "));
    }
    if limits {
        out += &limit(rng);
    }
    out
}

fn limit(rng: &mut Rng) -> String {
    match rng.u32(0..5) {
        0 => format!(" LIMIT {}", rng.u32(0..9)),
        1 => format!(" LIMIT {} OFFSET {}", rng.u32(1..9), rng.u32(0..5)),
        _ => String::new(),
    }
}

fn filter(rng: &mut Rng, prefix: &str) -> String {
    let p = prefix;
    // A separate generator keeps the other statements of a world unchanged.
    let rows = rows(&mut rng.clone(), prefix);
    let other = match rng.u32(0..9) {
        0 => format!(" WHERE {p}k = {}", rng.u32(0..4)),
        1 => format!(" WHERE {p}k > {}", rng.u32(0..3)),
        2 => format!(" WHERE {p}s IN ('x', 'y')"),
        3 => format!(" WHERE {p}k BETWEEN 1 AND 3 AND {p}n IS NOT NULL"),
        4 => format!(" WHERE {p}k = 1 OR {p}s = 'y'"),
        5 => format!(" WHERE {p}d < '2024-03'"),
        _ => String::new(),
    };
    let converted = converted(&mut rng.clone(), prefix);
    let pattern = pattern(&mut rng.clone(), prefix);
    rows.or(converted).or(pattern).map_or(other, |condition| format!(" WHERE {condition}"))
}

/// Now and then an equality with a value of another affinity, which several values of the column may equal.
fn converted(rng: &mut Rng, prefix: &str) -> Option<String> {
    let value = *pick(rng, &["CAST(2 AS INT)", "CAST(2 AS REAL)", "(SELECT max(k) FROM b)"]);
    match rng.u32(0..24) {
        0..2 => Some(format!("{prefix}s = {value}")),
        2 => Some(format!("{value} IS {prefix}s")),
        3 => Some(format!("{prefix}k = CAST('2' AS TEXT)")),
        _ => None,
    }
}

/// Now and then a pattern: the longer it is, the fewer rows SQLite expects.
fn pattern(rng: &mut Rng, prefix: &str) -> Option<String> {
    const LIKE: [&str; 7] = ["'x%'", "'%x%'", "'_'", "'2024%'", "'%4-0%'", "'x' || '%'", "'x\\%' ESCAPE '\\'"];
    const GLOB: [&str; 5] = ["'x*'", "'*[xy]*'", "'2024-0?-*'", "'*4-*'", "'[a-y]'"];
    let column = *pick(rng, &["s", "d", "d", "n"]);
    match rng.u32(0..12) {
        0 => Some(format!("{prefix}{column} LIKE {}", pick(rng, &LIKE))),
        1 => Some(format!("{prefix}{column} GLOB {}", pick(rng, &GLOB))),
        2 => Some(format!("{prefix}{column} LIKE {} AND abs({prefix}k) < 3", pick(rng, &LIKE))),
        _ => None,
    }
}

/// Now and then a condition on row values.
fn rows(rng: &mut Rng, prefix: &str) -> Option<String> {
    let (a, b) = (pick(rng, &["k", "s", "id", "n"]), pick(rng, &["k", "s", "d", "n"]));
    let row = |rng: &mut Rng| {
        let value = |rng: &mut Rng, column: &str| match column {
            "s" => pick(rng, &["'x'", "'y'", "'X'", "'z'"]).to_string(),
            "d" => format!("'2024-0{}-0{}'", rng.u32(1..5), rng.u32(1..4)),
            _ => rng.u32(0..4).to_string(),
        };
        format!("({}, {})", value(rng, a), value(rng, b))
    };
    let (left, one, other) = (format!("({prefix}{a}, {prefix}{b})"), row(rng), row(rng));
    match rng.u32(0..40) {
        0 => Some(format!("{left} IN ({one}, {other}, {})", row(rng))),
        1 => Some(format!("{left} IN (VALUES {one}, {other})")),
        2 => Some(format!("{left} = {one} OR {left} = {other}")),
        3 => Some(format!("{left} {} {one}", pick(rng, &["=", "IS", "<", ">=", "<>"]))),
        4 => Some(format!("{left} NOT IN ({one}, {other})")),
        _ => None,
    }
}

/// Now and then, behind a filter, a column that is equal to a constant and used in another condition.
fn with_constant(rng: &mut Rng, filter: String, fixed: &str, other: &str) -> String {
    // A separate generator keeps the other statements of a world unchanged.
    let rng = &mut rng.clone();
    if !one_in(rng, 6) {
        return filter;
    }
    let column = *pick(rng, &["k", "k", "s", "n", "id", "d"]);
    let value = match column {
        "s" => pick(rng, &["'x'", "'y'", "'X'"]),
        "d" => pick(rng, &["'2024-02-01'", "'2024-03-02'"]),
        _ => pick(rng, &["1", "2", "0", "abs(-2)", "'1'", "1.0"]),
    };
    let c = format!("{fixed}{column}");
    let used = match rng.u32(0..10) {
        0 => format!("{other}k = {c} + 1"),
        1 => format!("{other}id > {c} - 1"),
        2 => format!("{other}k IN ({c}, {c} + 1)"),
        3 => format!("({c} = {other}k OR {other}s = 'y')"),
        4 => format!("{other}d > {c} || ''"),
        5 => format!("{other}k BETWEEN {c} AND {c} + 1"),
        6 => format!("{c} COLLATE NOCASE = {other}s"),
        7 => format!("{c} IN (1, 2, 'x')"),
        8 => format!("abs({c}) < {other}id AND {c}"),
        _ => format!("{other}n <> {c} AND {other}s >= {c}"),
    };
    let start = if filter.is_empty() { " WHERE" } else { &format!("{} AND", in_parentheses(&filter)) };
    match rng.bool() {
        true => format!("{start} {c} = {value} AND {used}"),
        false => format!("{start} {used} AND {value} = {c}"),
    }
}

fn in_parentheses(filter: &str) -> String {
    let condition = filter.trim_start_matches(" WHERE ");
    format!(" WHERE ({condition})")
}

fn plain(rng: &mut Rng) -> String {
    let table = pick(rng, &TABLES);
    let terms: Vec<String> = (0..3).map(|_| term(rng, "")).collect();
    let filter = filter(rng, "");
    let filter = with_constant(rng, filter, "", "");
    if one_in(rng, 3) {
        let order = order(rng, &terms[..2], true);
        return format!("SELECT DISTINCT {}, {} FROM {}{filter}{order}", terms[0], terms[1], table.name);
    }
    let order = order(rng, &terms, true);
    format!("SELECT {}, {} FROM {}{filter}{order}", table.columns.join(", "), terms[0], table.name)
}

fn grouped(rng: &mut Rng) -> String {
    let table = pick(rng, &TABLES);
    let keys: Vec<String> = (0..rng.usize(1..3)).map(|_| term(rng, "")).collect();
    let aggregates = ["count(*)", "max(k)", "min(s)", "sum(k)", "group_concat(id)", "count(DISTINCT s)", "total(k)"];
    let shown: Vec<&str> = (0..rng.usize(1..3)).map(|_| *pick(rng, &aggregates)).collect();
    let mut terms: Vec<String> = shown.iter().map(|aggregate| (*aggregate).to_owned()).collect();
    terms.extend(keys.iter().cloned());
    let having = *pick(rng, &["", "", "", " HAVING count(*) > 1", " HAVING max(k) > 1"]);
    let bare = *pick(rng, &["", "", ", id", ", d"]);
    let (filter, order) = (filter(rng, ""), order(rng, &terms, true));
    let group = match rng.u32(0..3) {
        0 => (1..=keys.len()).map(|at| at.to_string()).collect::<Vec<_>>().join(", "),
        _ => keys.join(", "),
    };
    let (keys, shown) = (keys.join(", "), shown.join(", "));
    format!("SELECT {keys}, {shown}{bare} FROM {}{filter} GROUP BY {group}{having}{order}", table.name)
}

fn joined(rng: &mut Rng) -> String {
    let (one, other) = (pick(rng, &TABLES).name, pick(rng, &TABLES).name);
    let kind = pick(rng, &["JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN", "RIGHT JOIN", "FULL JOIN"]);
    let on = pick(rng, &["x.k = y.k", "x.id = y.id", "x.s = y.s", "x.k = y.id", "x.d = y.d AND x.k < y.k"]);
    // A separate generator keeps the other statements of a world unchanged.
    let on = if one_in(&mut rng.clone(), 9) {
        pick(&mut rng.clone(), &["abs(y.k) < 2", "x.d LIKE '2024%'", "y.n"])
    } else {
        on
    };
    let terms = [term(rng, "x."), term(rng, "y.")];
    let side = *pick(rng, &["x.", "y."]);
    let filter = filter(rng, side);
    let filter = with_constant(rng, filter, side, if side == "x." { "y." } else { "x." });
    match rng.u32(0..3) {
        0 => {
            let terms = [terms[0].clone(), "count(*)".to_owned(), "max(y.id)".to_owned()];
            let order = order(rng, &terms, true);
            let shown = terms.join(", ");
            format!("SELECT {shown} FROM {one} AS x {kind} {other} AS y ON {on}{filter} GROUP BY {}{order}", terms[0])
        }
        1 => {
            let order = order(rng, &terms, true);
            format!("SELECT DISTINCT {} FROM {one} AS x {kind} {other} AS y ON {on}{filter}{order}", terms.join(", "))
        }
        _ => {
            let order = order(rng, &terms, true);
            let shown = terms.join(", ");
            format!("SELECT x.id, y.id, {shown} FROM {one} AS x {kind} {other} AS y ON {on}{filter}{order}")
        }
    }
}

fn compound(rng: &mut Rng) -> String {
    // A separate generator keeps the other statements of a world unchanged.
    let mut side = rng.clone();
    let of_views = one_in(&mut side, 3).then(|| compounds::query(&mut side));
    let of_tables = compound_of_tables(rng);
    of_views.unwrap_or(of_tables)
}

fn compound_of_tables(rng: &mut Rng) -> String {
    let mut query = String::new();
    let (first, second) = (*pick(rng, &["k", "s", "d"]), *pick(rng, &["n", "s", "k"]));
    // Of two columns s, SQLite orders by one collation and takes an index of another: with LIMIT its rows are not the first of that order.
    let second = if first == second { "n" } else { second };
    for at in 0..rng.usize(2..4) {
        if at > 0 {
            query += *pick(rng, &[" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT ", " UNION ALL "]);
        }
        let (table, filter) = (pick(rng, &TABLES).name, filter(rng, ""));
        query += &match rows_in_text(&mut rng.clone()) {
            Some(rows) => rows,
            None => format!("SELECT {first}, {second} FROM {table}{filter}"),
        };
    }
    let with = if one_in(&mut rng.clone(), 5) { "WITH other AS (SELECT 1) " } else { "" };
    let query = format!("{with}{query}");
    let order = order(rng, &["1".to_owned(), "2".to_owned()], true);
    // A core that finds s by IN reads an index of its own collation there, too.
    let finds_texts = [first, second].contains(&"s") && query.contains(" IN (");
    let order = if finds_texts { order.split(" LIMIT ").next().unwrap_or_default() } else { &order };
    query + order
}

/// Now and then VALUES in the place of a core.
fn rows_in_text(rng: &mut Rng) -> Option<String> {
    let row = |rng: &mut Rng| {
        let value = *pick(rng, &["'x'", "'X'", "'y'", "2", "'2'", "NULL", "(SELECT 'Y')", "'x' COLLATE NOCASE"]);
        format!("({value}, {})", pick(rng, &["1", "'Z'", "'z'", "2.5"]))
    };
    if !one_in(rng, 6) {
        return None;
    }
    let rows: Vec<String> = (0..rng.usize(1..4)).map(|_| row(rng)).collect();
    Some(format!("VALUES {}", rows.join(", ")))
}

fn windowed(rng: &mut Rng) -> String {
    let table = pick(rng, &TABLES).name;
    let function =
        pick(rng, &["row_number()", "rank()", "sum(k)", "count(*)", "lag(id)", "first_value(id)", "group_concat(id)"]);
    let partition = if rng.bool() { format!("PARTITION BY {}", term(rng, "")) } else { String::new() };
    let keys = [term(rng, ""), term(rng, "")];
    let within = order(rng, &keys, false);
    let terms = [term(rng, ""), "f".to_owned()];
    let (filter, order) = (filter(rng, ""), order(rng, &terms, true));
    format!("SELECT id, {function} OVER ({partition}{within}) AS f FROM {table}{filter}{order}")
}

fn nested(rng: &mut Rng) -> String {
    let inner = match rng.u32(0..3) {
        0 => {
            let (key, filter) = (term(rng, ""), filter(rng, ""));
            format!("SELECT {key} AS k, count(*) AS n FROM {}{filter} GROUP BY 1", pick(rng, &TABLES).name)
        }
        _ => {
            let (table, filter, terms) = (pick(rng, &TABLES).name, filter(rng, ""), [term(rng, ""), term(rng, "")]);
            format!("SELECT k, n FROM {table}{filter}{}", order(rng, &terms, true))
        }
    };
    let inner = compound_in_from(rng).unwrap_or(inner);
    let terms = ["k".to_owned(), "n".to_owned()];
    match rng.u32(0..4) {
        0 => format!("SELECT group_concat(k), group_concat(n) FROM ({inner})"),
        1 => {
            let order = order(rng, &["count(*)".to_owned(), "k".to_owned()], true);
            format!("SELECT k, count(*), group_concat(n) FROM ({inner}) GROUP BY k{order}")
        }
        2 => {
            let order = order(rng, &terms, true);
            format!(
                "WITH c AS ({inner}) SELECT c.k, c.n, a.id FROM c JOIN a ON a.k = c.k{order}",
                order = order
                    .replace("BY k", "BY c.k")
                    .replace("BY n", "BY c.n")
                    .replace(", k", ", c.k")
                    .replace(", n", ", c.n")
            )
        }
        _ => {
            let order = order(rng, &terms, true);
            let (shown, filter) = around_nested(rng);
            format!("SELECT {shown} FROM ({inner}) AS c{filter}{order}")
        }
    }
}

/// Now and then a compound in the place of a query in FROM, whose cores have columns of several types and collations.
fn compound_in_from(rng: &mut Rng) -> Option<String> {
    // A separate generator keeps the other statements of a world unchanged.
    let rng = &mut rng.clone();
    if !one_in(rng, 4) {
        return None;
    }
    let core = |rng: &mut Rng| {
        let table = pick(rng, &TABLES).name;
        let column = *pick(rng, &["s", "s", "k", "d", "s COLLATE NOCASE", "s || ''", "n"]);
        match rng.u32(0..4) {
            0 => {
                format!("SELECT {}, 1 AS n", pick(rng, &["'x' AS k", "NULL AS k", "'Y' COLLATE NOCASE AS k", "2 AS k"]))
            }
            _ => format!("SELECT {column} AS k, n FROM {table}"),
        }
    };
    let (first, second) = (core(rng), core(rng));
    let operator = pick(rng, &["UNION ALL", "UNION ALL", "UNION", "EXCEPT"]);
    Some(format!("{first} {operator} {second}{}", pick(rng, &["", "", " ORDER BY 1, 2", " LIMIT 9"])))
}

/// What is computed of the rows of a query in FROM, and which of them are asked for: functions and queries are computed behind its ORDER BY,
/// an EXISTS becomes a source of its own.
fn around_nested(rng: &mut Rng) -> (&'static str, &'static str) {
    // A separate generator keeps the other statements of a world unchanged.
    let rng = &mut rng.clone();
    let shown = pick(
        rng,
        &[
            "*",
            "*",
            "abs(k), n",
            "k || '', upper(n), k",
            "(SELECT count(*) FROM b WHERE b.k = c.k), n",
            "DISTINCT abs(k)",
            "DISTINCT n, k IN (SELECT k FROM b)",
            "DISTINCT k",
        ],
    );
    let filter = pick(
        rng,
        &[
            "",
            "",
            " WHERE EXISTS (SELECT 1 FROM w AS e WHERE e.k = c.k)",
            " WHERE EXISTS (SELECT 1 FROM b AS e WHERE e.id = c.k) AND n > 0",
            " WHERE k IN (SELECT k FROM b)",
            " WHERE n > 1 AND k NOT IN (SELECT id FROM a WHERE k IS NOT NULL)",
        ],
    );
    (shown, filter)
}
