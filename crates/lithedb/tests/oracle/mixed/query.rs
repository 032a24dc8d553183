//! Queries: joins of every kind of source, grouped, with windows, compound, nested.

use super::{World, numbered, qualified};

const JOINS: [&str; 9] =
    ["JOIN", "LEFT JOIN", ",", "CROSS JOIN", "INNER JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT JOIN", "JOIN"];
const COMPOUNDS: [&str; 4] = ["UNION", "UNION ALL", "EXCEPT", "INTERSECT"];
const DIRECTIONS: [&str; 6] = ["", "", " DESC", " NULLS LAST", " COLLATE NOCASE", " DESC NULLS LAST"];
const RECURSION_ENDS: [&str; 3] = ["", " ORDER BY 2 DESC", " LIMIT 5"];

/// The FROM of a query, with its columns.
struct From {
    text: String,
    scope: Vec<String>,
}

impl World {
    /// A query as a statement. Half of those that can have an ORDER BY that determines the order have one.
    pub fn top_query(&mut self) -> String {
        let count = self.rng.usize(1..4);
        if self.chance(8) {
            let (first, operator) = (self.core(&[], 2, count, false), self.one(&COMPOUNDS));
            let second = self.core(&[], 2, count, false);
            let term = self.rng.usize(1..count + 1);
            let order =
                if self.chance(50) { format!(" ORDER BY {term}{}", self.one(&["", " DESC"])) } else { String::new() };
            return format!("{first} {operator} {second}{order}");
        }
        if self.chance(50) {
            let mut terms: Vec<String> = (1..count + 1).map(|at| format!("{at} COLLATE BINARY")).collect();
            self.rng.shuffle(&mut terms);
            let directed: Vec<String> =
                terms.into_iter().map(|term| term + self.one(&["", " DESC", " NULLS LAST"])).collect();
            return format!("{} ORDER BY {} /* ordered */", self.core(&[], 3, count, false), directed.join(", "));
        }
        self.query(&[], 3, count)
    }

    /// A query with `count` columns, which may use those of `outer`.
    pub fn query(&mut self, outer: &[String], depth: u32, count: usize) -> String {
        self.nested(outer, depth, count, false)
    }

    /// A query whose columns are named `x0`, `x1`, …
    pub fn named_query(&mut self, depth: u32, count: usize) -> String {
        self.nested(&[], depth, count, true)
    }

    /// A query with one column and one row.
    pub fn scalar_query(&mut self, outer: &[String], depth: u32) -> String {
        let offset = if self.chance(10) { " OFFSET 1" } else { "" };
        let collation = if self.is_open { self.one(&["", " COLLATE NOCASE"]) } else { " COLLATE BINARY, typeof(x0)" };
        format!("{} ORDER BY 1{collation} LIMIT 1{offset}", self.core(outer, depth, 1, !self.is_open))
    }

    fn nested(&mut self, outer: &[String], depth: u32, count: usize, is_named: bool) -> String {
        let mut query = self.core(outer, depth, count, is_named);
        if self.chance(35) {
            let terms: Vec<String> = (0..self.rng.usize(1..3))
                .map(|_| format!("{}{}", self.rng.usize(1..count + 1), self.one(&DIRECTIONS)))
                .collect();
            query += &format!(" ORDER BY {}", terms.join(", "));
        }
        if self.is_open && self.chance(20) {
            query += &format!(" LIMIT {}", self.rng.u32(0..6));
            query += self.one(&["", "", " OFFSET 1", " OFFSET 2"]);
        }
        query
    }

    /// SELECT without ORDER BY and LIMIT.
    fn core(&mut self, outer: &[String], depth: u32, count: usize, is_named: bool) -> String {
        let from = self.from(depth);
        let mut with_outer = from.scope.clone();
        if self.chance(60) {
            with_outer.extend_from_slice(outer);
        }
        let filter =
            if self.chance(70) { format!(" WHERE {}", self.filter(&with_outer, depth)) } else { String::new() };
        let (columns, group) = match self.rng.u32(0..100) {
            0..25 => self.grouped_columns(&from.scope, count),
            25..37 => (0..count)
                .map(|_| if self.chance(60) { self.window(&from.scope) } else { self.expr(&from.scope, depth.min(2)) })
                .fold((Vec::new(), String::new()), |(mut all, group), column| {
                    all.push(column);
                    (all, group)
                }),
            _ => {
                let scope = if self.chance(30) { &with_outer } else { &from.scope };
                ((0..count).map(|_| self.expr(scope, depth.min(2))).collect(), String::new())
            }
        };
        let columns: Vec<String> = match is_named {
            true => columns.iter().enumerate().map(|(at, column)| format!("{column} AS x{at}")).collect(),
            false => columns,
        };
        let distinct = if self.chance(12) { "DISTINCT " } else { "" };
        format!("SELECT {distinct}{} FROM {}{filter}{group}", columns.join(", "), from.text)
    }

    fn grouped_columns(&mut self, scope: &[String], count: usize) -> (Vec<String>, String) {
        let keys: Vec<String> = (0..self.rng.usize(0..3)).map(|_| self.expr(scope, 1)).collect();
        let mut columns: Vec<String> = (0..count)
            .map(|_| match self.rng.u32(0..100) {
                0..40 if !keys.is_empty() => self.column(&keys),
                0..90 => self.aggregate(scope, 1),
                _ if !self.is_open && !keys.is_empty() => format!("quote({})", self.column(&keys)),
                _ if !self.is_open => self.literal(),
                _ => self.expr(scope, 1),
            })
            .collect();
        if keys.is_empty() {
            columns[0] = "count(*)".to_owned();
            return (columns, String::new());
        }
        let mut group = format!(" GROUP BY {}", keys.join(", "));
        if self.chance(30) {
            let (aggregate, operator) = (self.aggregate(scope, 1), self.one(&[">", "<", "=", "IS NOT"]));
            group += &format!(" HAVING {aggregate} {operator} {}", self.literal());
        }
        (columns, group)
    }

    fn from(&mut self, depth: u32) -> From {
        let mut from = self.source(depth);
        let joins = if depth > 0 { [0, 0, 0, 1, 1, 2] } else { [0, 0, 0, 0, 0, 1] };
        for _ in 0..joins[self.rng.usize(0..joins.len())] {
            let other = self.source(depth.saturating_sub(1));
            let (left, right) = (self.column(&from.scope), self.column(&other.scope));
            from.scope.extend(other.scope);
            let kind = self.one(&JOINS);
            let on = match self.rng.u32(0..100) {
                _ if kind == "," => String::new(),
                0..8 => String::new(),
                8..70 => format!(" ON {left} = {right}"),
                70..80 => format!(" ON {left} = {right} AND {}", self.expr(&from.scope, 1)),
                _ => format!(" ON {}", self.expr(&from.scope, 2)),
            };
            from.text += &format!(" {kind} {}{on}", other.text);
        }
        from
    }

    fn source(&mut self, depth: u32) -> From {
        let alias = format!("q{}", self.number());
        let kind = if depth == 0 { 0 } else { self.rng.u32(0..20) };
        let (text, columns) = match kind {
            0..13 if !self.views.is_empty() && self.chance(20) => {
                let view = &self.views[self.rng.usize(0..self.views.len())];
                (view.name.clone(), view.columns.clone())
            }
            0..13 => self.table_source(),
            13..16 => {
                let count = self.rng.usize(1..4);
                (format!("({})", self.named_query(depth - 1, count)), numbered(count))
            }
            16 => {
                let columns = ["value", "key", "atom"].map(str::to_owned).to_vec();
                ("json_each('[1,2,3,\"a\",null]')".to_owned(), columns)
            }
            17 => {
                let rows: Vec<String> =
                    (0..self.rng.usize(1..4)).map(|_| format!("({}, {})", self.literal(), self.literal())).collect();
                (format!("(VALUES {})", rows.join(", ")), ["column1", "column2"].map(str::to_owned).to_vec())
            }
            18 => {
                let name = self.tables[self.rng.usize(0..self.tables.len())].name.clone();
                (format!("pragma_table_info('{name}')"), ["cid", "name", "type"].map(str::to_owned).to_vec())
            }
            _ => {
                let count = self.rng.usize(1..3);
                let (first, all) = (self.core(&[], depth - 1, count, true), self.one(&["", " ALL"]));
                // SQLite drops the count(*) of a compound query with a GROUP BY and a collated ORDER BY term.
                let second = self.core(&[], depth - 1, count, false);
                let order = self.one(&["", "", " ORDER BY 1", " ORDER BY 1 DESC NULLS LAST"]);
                (format!("({first} UNION{all} {second}{order})"), numbered(count))
            }
        };
        From { text: format!("{text} AS {alias}"), scope: qualified(&alias, &columns) }
    }

    fn table_source(&mut self) -> (String, Vec<String>) {
        let at = self.any_table();
        let with_rowid = self.chance(40);
        let table = &self.tables[at];
        let mut columns = table.all.clone();
        columns.extend((with_rowid && table.has_rowid).then(|| "rowid".to_owned()));
        (table.name.clone(), columns)
    }

    /// The condition of a WHERE, often one that can use an index.
    pub fn filter(&mut self, scope: &[String], depth: u32) -> String {
        if self.chance(50) {
            return self.expr(scope, depth);
        }
        let column = self.column(scope);
        let value = if self.chance(50) { self.literal() } else { self.column(scope) };
        let first = format!("{column} {} {value}", self.one(&["=", "<", ">", "IS", ">=", "<="]));
        if depth > 0 && self.chance(50) {
            return format!("{first} {} {}", self.one(&["AND", "OR"]), self.filter(scope, depth - 1));
        }
        first
    }

    /// A statement with common table expressions.
    pub fn with_query(&mut self) -> String {
        match self.rng.u32(0..4) {
            0 => {
                let (first, next) = (self.literal(), self.expr(&["x0".to_owned()], 1));
                let (all, last) = (self.one(&["", " ALL"]), self.rng.u32(2..8));
                let (end, rest) = (self.one(&RECURSION_ENDS), self.one(&["", " ORDER BY x0, x1", " WHERE x0 > 1"]));
                format!(
                    "WITH RECURSIVE w(x0, x1) AS (SELECT {first}, 1 UNION{all} SELECT {next}, x1 + 1 FROM w \
                     WHERE x1 < {last}{end}) SELECT * FROM w{rest}"
                )
            }
            1 => self.grouped_common_table(),
            2 => {
                let count = self.rng.usize(1..4);
                let (query, scope) = (self.named_query(1, count), qualified("a", &numbered(count)));
                let (last, filter) = (count - 1, self.expr(&scope, 2));
                format!("WITH w AS ({query}) SELECT * FROM w AS a JOIN w AS b ON a.x0 = b.x{last} WHERE {filter}")
            }
            _ => {
                let rest = self.one(&[
                    "SELECT y, count(*) FROM w GROUP BY y COLLATE BINARY",
                    "SELECT (SELECT max(quote(y)) FROM w), quote(y) FROM w ORDER BY 2 COLLATE BINARY LIMIT 3",
                    "SELECT * FROM w EXCEPT SELECT 1",
                ]);
                format!("WITH w(y) AS ({}) {rest}", self.query(&[], 2, 1))
            }
        }
    }

    fn grouped_common_table(&mut self) -> String {
        let at = self.any_table();
        let (table, columns) = (self.tables[at].name.clone(), self.tables[at].all.clone());
        let materialized = self.one(&["", "MATERIALIZED ", "NOT MATERIALIZED "]);
        let query = self.named_query(1, 2);
        let mut scope = qualified(&table, &columns);
        scope.push("w.x0".to_owned());
        let first = self.expr(&["w.x0", "w.x1", "z.n"].map(str::to_owned), 2);
        let (second, key) = (self.expr(&scope, 2), self.column(&columns));
        let (one, two) = (self.one(&["JOIN", "LEFT JOIN", ","]), self.one(&["JOIN", "LEFT JOIN"]));
        format!(
            "WITH w AS {materialized}({query}), z AS (SELECT x0, count(*) AS n FROM w GROUP BY x0) \
             SELECT {first}, {second} FROM w {one} z {two} {table} ON {table}.{key} = w.x0"
        )
    }
}
