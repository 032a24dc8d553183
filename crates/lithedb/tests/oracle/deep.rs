//! Deep predicates: trees of AND, OR and NOT over rowids, indexes of every kind, lists, subqueries and row values, in every clause that can
//! have one: WHERE, ON, HAVING, FILTER, a result column, the WHERE of UPDATE and DELETE, and around views, common table expressions and
//! compound queries.

use fastrand::Rng;

use crate::expr::literal;
use crate::predicate::{Subject, index_terms, tree};
use crate::schema::{one_in, pick};

const STATEMENTS: usize = 60;
const TYPES: [&str; 8] = ["", "", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "ANY"];
const COLLATIONS: [&str; 5] = ["", "", "", " COLLATE NOCASE", " COLLATE RTRIM"];
const KEYS: [&str; 5] =
    ["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INT UNIQUE", "id INT NOT NULL"];

/// A table. `id` is unique; `mark` is in no predicate.
struct Table {
    name: &'static str,
    columns: Vec<String>,
    has_rowid: bool,
}

/// The statements of a world.
pub fn statements(seed: u64) -> Vec<String> {
    let mut rng = Rng::with_seed(seed ^ 0x0dee_9000);
    let rng = &mut rng;
    let mut all = Vec::new();
    let tables = ["r", "s", "t"].map(|name| create(rng, name, &mut all));
    if one_in(rng, 4) {
        all.push("PRAGMA analysis_limit = 1000".to_owned());
        all.push("ANALYZE".to_owned());
    }
    for _ in 0..STATEMENTS {
        let at = rng.usize(0..tables.len());
        let (table, other) = (&tables[at], &tables[(at + rng.usize(1..tables.len())) % tables.len()]);
        match rng.u32(0..20) {
            0..7 => all.push(select(rng, table, other)),
            7..11 => all.push(join(rng, table, other)),
            11..13 => all.push(grouped(rng, table, other)),
            13..16 => all.push(around(rng, table, other)),
            16..18 => update(rng, table, other, &mut all),
            _ => delete(rng, table, other, &mut all),
        }
    }
    all
}

fn create(rng: &mut Rng, name: &'static str, all: &mut Vec<String>) -> Table {
    let mut columns: Vec<String> = (0..rng.usize(2..5)).map(|i| format!("c{i}")).collect();
    let has_rowid = !one_in(rng, 4);
    let mut parts = vec![if has_rowid { (*pick(rng, &KEYS)).to_owned() } else { "id INT".to_owned() }];
    for column in &columns {
        let filled = if one_in(rng, 8) { " NOT NULL DEFAULT 3" } else { "" };
        parts.push(format!("{column} {}{}{filled}", pick(rng, &TYPES), pick(rng, &COLLATIONS)));
    }
    if one_in(rng, 4) {
        let value = *pick(rng, &["length(c0)", "c0 || c1", "c1", "c0 + 1", "c1 IS NULL"]);
        parts.push(format!("g {} AS ({value}) {}", pick(rng, &TYPES), pick(rng, &["STORED", "VIRTUAL"])));
        columns.push("g".to_owned());
    }
    parts.push("mark".to_owned());
    if !has_rowid {
        parts.push(format!(
            "PRIMARY KEY({})",
            pick(rng, &["id", "id DESC", "id, c0", "c1, id DESC", "c0 DESC, c1, id"])
        ));
    }
    all.push(format!("CREATE TABLE {name}({}){}", parts.join(", "), if has_rowid { "" } else { " WITHOUT ROWID" }));
    let indexes_first = rng.bool();
    let mut indexes = Vec::new();
    for i in 0..rng.usize(0..6) {
        let subject = Subject { columns: &columns, rowid: None, other: None };
        let depth = rng.u32(0..3);
        let filter = if one_in(rng, 3) { format!(" WHERE {}", tree(rng, &subject, depth)) } else { String::new() };
        indexes.push(format!("CREATE INDEX i_{name}{i} ON {name}({}){filter}", index_terms(rng, &columns)));
    }
    let written: Vec<&str> = columns.iter().filter(|column| *column != "g").map(String::as_str).collect();
    let mut rows = Vec::new();
    for id in 0..*pick(rng, &[0, 5, 30, 30, 60]) {
        let values: Vec<String> = written.iter().map(|_| literal(rng)).collect();
        rows.push(format!(
            "INSERT OR IGNORE INTO {name}(id, {}) VALUES ({id}, {})",
            written.join(", "),
            values.join(", ")
        ));
    }
    all.extend(if indexes_first { indexes.into_iter().chain(rows) } else { rows.into_iter().chain(indexes) });
    Table { name, columns, has_rowid }
}

impl Table {
    /// A predicate over the table's columns, without qualifiers.
    fn predicate(&self, rng: &mut Rng, other: &Table) -> String {
        let rowid = if self.has_rowid { *pick(rng, &["rowid", "id"]) } else { "id" };
        let subject = Subject { columns: &self.columns, rowid: Some(rowid), other: Some((other.name, &other.columns)) };
        let depth = rng.u32(0..6);
        tree(rng, &subject, depth)
    }

    /// The columns under an alias.
    fn columns_of(&self, alias: &str) -> Vec<String> {
        self.columns.iter().map(|column| format!("{alias}.{column}")).collect()
    }

    /// An order of the table's rows in which only identical rows may change places.
    fn order(&self, rng: &mut Rng) -> String {
        let mut terms: Vec<String> = (0..rng.usize(0..3)).map(|_| self.order_term(rng)).collect();
        terms.push((*pick(rng, &["id", "id DESC", "id"])).to_owned());
        terms.join(", ")
    }

    fn order_term(&self, rng: &mut Rng) -> String {
        format!(
            "{}{}{}{}",
            pick(rng, &self.columns),
            pick(rng, &["", "", "", " COLLATE NOCASE"]),
            pick(rng, &["", "", " DESC", " ASC"]),
            pick(rng, &["", "", " NULLS FIRST", " NULLS LAST"])
        )
    }
}

fn limit(rng: &mut Rng) -> String {
    match rng.u32(0..4) {
        0 => format!(" LIMIT {}", rng.u32(0..9)),
        1 => format!(" LIMIT {} OFFSET {}", rng.u32(0..9), rng.u32(0..5)),
        _ => String::new(),
    }
}

fn select(rng: &mut Rng, table: &Table, other: &Table) -> String {
    let (name, predicate) = (table.name, table.predicate(rng, other));
    let from = match rng.u32(0..12) {
        0 => format!("{name} NOT INDEXED"),
        _ => name.to_owned(),
    };
    match rng.u32(0..4) {
        0 => format!("SELECT * FROM {from} WHERE {predicate}"),
        1 => format!("SELECT id, ({predicate}), ({}) IS TRUE FROM {from}", table.predicate(rng, other)),
        _ => {
            let (order, limit) = (table.order(rng), limit(rng));
            format!("SELECT id FROM {from} WHERE {predicate} ORDER BY {order}{limit} /* ordered */")
        }
    }
}

fn join(rng: &mut Rng, table: &Table, other: &Table) -> String {
    let kinds = ["JOIN", "JOIN", "CROSS JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"];
    let columns = [table.columns_of("x"), other.columns_of("y")].concat();
    let mut keys = vec!["x.id", "y.id"];
    if table.has_rowid && rng.bool() {
        keys[0] = "x.rowid";
    }
    let subject = |rng: &mut Rng| {
        let depth = rng.u32(0..5);
        let rowid = *pick(rng, &keys);
        tree(rng, &Subject { columns: &columns, rowid: Some(rowid), other: Some((table.name, &table.columns)) }, depth)
    };
    let mut on = subject(rng);
    if rng.bool() {
        let (a, b) = (pick(rng, &table.columns), pick(rng, &other.columns));
        on = format!(
            "{} AND {on}",
            pick(rng, &[format!("x.{a} = y.{b}"), "x.id = y.id".to_owned(), format!("x.id = y.{b}")])
        );
    }
    let filter = if rng.bool() { format!(" WHERE {}", subject(rng)) } else { String::new() };
    let from = format!("{} AS x {} {} AS y ON {on}", table.name, pick(rng, &kinds), other.name);
    let third = match rng.u32(0..5) {
        0 => format!(" LEFT JOIN {} AS z ON z.id = y.id AND z.{} IS NOT NULL", table.name, pick(rng, &table.columns)),
        1 => format!(" JOIN {} AS z ON z.{} = x.{}", other.name, pick(rng, &other.columns), pick(rng, &table.columns)),
        _ => String::new(),
    };
    let shown = if third.is_empty() { "x.id, y.id" } else { "x.id, y.id, z.id" };
    format!("SELECT {shown} FROM {from}{third}{filter}")
}

fn grouped(rng: &mut Rng, table: &Table, other: &Table) -> String {
    let (name, predicate) = (table.name, table.predicate(rng, other));
    let column = pick(rng, &table.columns);
    match rng.u32(0..6) {
        0 => format!("SELECT count(*), max(id), min(id) FROM {name} WHERE {predicate}"),
        1 => format!("SELECT max(id) FROM {name} WHERE {predicate}"),
        2 => format!("SELECT hex({column}), count(*) FROM {name} WHERE {predicate} GROUP BY 1"),
        3 => {
            format!("SELECT hex({column}), group_concat(id ORDER BY id) FROM {name} GROUP BY 1 HAVING max({predicate})")
        }
        4 => format!("SELECT count(*) FILTER (WHERE {predicate}), count({column}) FROM {name}"),
        _ => format!("SELECT count(*) FROM (SELECT DISTINCT {column} FROM {name} WHERE {predicate})"),
    }
}

/// A predicate on a subquery, view or compound with a predicate inside.
fn around(rng: &mut Rng, table: &Table, other: &Table) -> String {
    let (name, columns) = (table.name, table.columns.join(", "));
    let inner = table.predicate(rng, other);
    // A subquery in FROM has no rowid.
    let subject = Subject { columns: &table.columns, rowid: Some("id"), other: Some((other.name, &other.columns)) };
    let depth = rng.u32(0..5);
    let outer = tree(rng, &subject, depth);
    match rng.u32(0..9) {
        0 => format!("SELECT id FROM (SELECT * FROM {name} WHERE {inner}) WHERE {outer}"),
        1 => format!(
            "SELECT id FROM (SELECT id, {columns} FROM {name} WHERE {inner} ORDER BY id LIMIT 20) WHERE {outer}"
        ),
        2 => format!("WITH q AS MATERIALIZED (SELECT * FROM {name} WHERE {inner}) SELECT id FROM q WHERE {outer}"),
        3 => format!(
            "WITH q AS (SELECT * FROM {name} WHERE {inner}) SELECT id FROM q WHERE id IN (SELECT id FROM q WHERE id % 2) AND ({outer})"
        ),
        4 => format!(
            "SELECT id FROM (SELECT id, {columns} FROM {name} WHERE {inner} UNION ALL SELECT id + 100, {columns} FROM {name}) WHERE {outer}"
        ),
        5 => format!(
            "SELECT id FROM (SELECT id, {columns} FROM {name} UNION SELECT id, {columns} FROM {name} WHERE {inner}) WHERE {outer}"
        ),
        6 => format!(
            "SELECT id FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM {name} WHERE {inner}) WHERE {outer}"
        ),
        7 => {
            format!("SELECT (SELECT count(*) FROM {name} WHERE {outer} AND {name}.id <= o.id) FROM {} AS o", other.name)
        }
        _ => format!(
            "SELECT id FROM (SELECT id, max(id), {columns} FROM {name} WHERE {inner} GROUP BY id) WHERE {outer}"
        ),
    }
}

/// UPDATE, then a query of the rows. Its subqueries do not read the updated column.
fn update(rng: &mut Rng, table: &Table, other: &Table, all: &mut Vec<String>) {
    let (name, predicate) = (table.name, table.predicate(rng, other));
    let column = pick(rng, &table.columns);
    let set = match rng.u32(0..4) {
        0 if column != "g" => format!("{column} = {}, mark = 1", literal(rng)),
        1 if column != "g" => format!("({column}, mark) = ({}, id)", pick(rng, &table.columns)),
        2 => format!("mark = ({})", table.predicate(rng, other)),
        _ => "mark = coalesce(mark, 0) + 1".to_owned(),
    };
    let (policy, tail) = (pick(rng, &["", " OR IGNORE", " OR REPLACE"]), pick(rng, &["", " RETURNING id, mark"]));
    all.push(format!("UPDATE{policy} {name} SET {set} WHERE {predicate}{tail}"));
    all.push(format!("SELECT * FROM {name}"));
}

/// DELETE, mostly rolled back.
fn delete(rng: &mut Rng, table: &Table, other: &Table, all: &mut Vec<String>) {
    let (name, predicate) = (table.name, table.predicate(rng, other));
    all.push("BEGIN".to_owned());
    all.push(format!("DELETE FROM {name} WHERE {predicate}{}", pick(rng, &["", " RETURNING id"])));
    all.push(format!("SELECT id FROM {name}"));
    all.push("PRAGMA integrity_check".to_owned());
    all.push(if one_in(rng, 6) { "COMMIT" } else { "ROLLBACK" }.to_owned());
}
