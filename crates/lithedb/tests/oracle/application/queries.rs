//! Queries of rows: joins along the foreign keys, compounds, pages, common tables over trees and calendars, queries on views.

use super::tables::{Kind, Source, TABLES, Table, all_keys};
use super::{Query, World};

impl World {
    /// A table under a new alias.
    pub fn source(&mut self, table: &'static Table) -> Source {
        let alias = self.name(&table.name[..1]);
        let keys = match table.name {
            "product_tag" => vec!["product_id", "tag_id"],
            "item" => vec!["rowid"],
            _ => vec!["id"],
        };
        let keys = if table.name == "product_tag" && self.tags_have_rowids { vec!["rowid"] } else { keys };
        Source { alias, table, keys }
    }

    /// A FROM clause that follows foreign keys over `joins` joins.
    pub fn walk(&mut self, joins: usize) -> (String, Vec<Source>) {
        const ALL: &[Table] = &TABLES;
        let first = &ALL[self.rng.usize(0..ALL.len())];
        let first = self.source(first);
        let mut from = format!("{} {}{}", first.table.name, self.one(&["", "AS "]), first.alias);
        let mut sources = vec![first];
        for _ in 0..joins {
            let mut steps = Vec::new();
            for Source { alias, table, .. } in &sources {
                let up =
                    table.parents.iter().map(|(column, parent)| (alias.clone(), *column, Table::named(parent), "id"));
                steps.extend(up);
                steps.extend(table.children().into_iter().map(|(child, column)| (alias.clone(), "id", child, column)));
            }
            let (left, column, table, other) = steps.swap_remove(self.rng.usize(0..steps.len()));
            let mut joined = self.source(table);
            let rows = self.rows_of(&mut joined);
            let alias = &joined.alias;
            from += &format!(" {} {rows} {}{alias}", self.join(), self.one(&["", "AS "]));
            let sides = [format!("{left}.{column} = {alias}.{other}"), format!("{alias}.{other} = {left}.{column}")];
            from += &format!(" ON {}", sides[self.rng.usize(0..2)]);
            if self.chance(15) {
                from += &format!(" AND {}", self.condition(std::slice::from_ref(&joined), 0));
            }
            sources.push(joined);
        }
        (from, sources)
    }

    fn join(&mut self) -> &'static str {
        match self.rng.u32(0..20) {
            0 => "RIGHT JOIN",
            1 => "FULL JOIN",
            2 => "CROSS JOIN",
            3 => "LEFT OUTER JOIN",
            4..9 => "LEFT JOIN",
            9..12 => "INNER JOIN",
            _ => "JOIN",
        }
    }

    /// The table itself, or a subquery on it.
    fn rows_of(&mut self, source: &mut Source) -> String {
        let name = source.table.name;
        if !self.chance(10) {
            return name.to_owned();
        }
        let inner = Source { alias: name.to_owned(), ..source.clone() };
        let filter = self.condition(&[inner], 0);
        if source.keys == ["rowid"] {
            source.keys = vec!["line"];
            return format!("(SELECT rowid AS line, * FROM {name} WHERE {filter})");
        }
        format!("(SELECT * FROM {name} WHERE {filter})")
    }

    pub fn filter(&mut self, sources: &[Source]) -> String {
        if self.chance(40) {
            return String::new();
        }
        let count = [1, 1, 1, 2][self.rng.usize(0..4)];
        let conditions: Vec<String> = (0..count).map(|_| self.condition(sources, 1)).collect();
        format!(" WHERE {}", conditions.join(" AND "))
    }

    pub fn limit(&mut self) -> &'static str {
        ["", "", " LIMIT 5", " LIMIT 10", " LIMIT 3 OFFSET 2", " LIMIT 1"][self.rng.usize(0..6)]
    }

    pub fn direction(&mut self) -> &'static str {
        ["", " DESC", " ASC", " NULLS LAST", " DESC NULLS FIRST", " COLLATE NOCASE", " COLLATE NOCASE DESC"]
            [self.rng.usize(0..7)]
    }

    pub fn plain(&mut self) -> Query {
        let joins = [0, 0, 1, 1, 2, 2, 3][self.rng.usize(0..7)];
        let (from, sources) = self.walk(joins);
        let count = self.rng.usize(1..5);
        if self.chance(15) {
            return self.distinct(&from, &sources, count);
        }
        let mut columns: Vec<String> = (0..count).map(|_| self.expression(&sources, 1)).collect();
        for (at, column) in columns.iter_mut().enumerate() {
            *column += self.one(&["", &format!(" AS c{at}")]);
        }
        if self.chance(10) {
            columns = vec![self.one(&["*", &format!("{}.*", sources[0].alias)]).to_owned()];
        }
        let body = format!("SELECT {} FROM {from}{}", columns.join(", "), self.filter(&sources));
        if self.chance(20) {
            return Query::unordered(body);
        }
        let terms = self.rng.usize(0..3);
        let mut order = String::new();
        for _ in 0..terms {
            let term = match self.rng.u32(0..3) {
                0 => (1 + self.rng.usize(0..columns.len())).to_string(),
                1 => self.any(&sources),
                _ => self.expression(&sources, 0),
            };
            order += &format!("{term}{}, ", self.direction());
        }
        Query { body, order: format!(" ORDER BY {order}{}{}", all_keys(&sources), self.limit()) }
    }

    fn distinct(&mut self, from: &str, sources: &[Source], count: usize) -> Query {
        let columns = self.list(count, |world| world.settled(sources));
        let body = format!("SELECT DISTINCT {columns} FROM {from}{}", self.filter(sources));
        let mut terms: Vec<usize> = (1..=count).collect();
        self.rng.shuffle(&mut terms);
        let terms: Vec<String> =
            terms.iter().map(|at| format!("{at}{}", self.one(&["", " DESC", " NULLS LAST"]))).collect();
        Query { body, order: format!(" ORDER BY {}{}", terms.join(", "), self.limit()) }
    }

    /// A query with two columns, x and y: `x` has the given kind, so that compounds combine equal kinds.
    pub fn pair_of_columns(&mut self, kind: Option<Kind>) -> Query {
        let joins = [0, 0, 1][self.rng.usize(0..3)];
        let (from, sources) = self.walk(joins);
        let column = |world: &mut World| match kind {
            Some(Kind::Integer) => world.integer(&sources),
            Some(_) => format!("CAST({} AS TEXT)", world.any(&sources)),
            None => world.settled(&sources),
        };
        let (x, y) = (column(self), column(self));
        Query::unordered(format!("SELECT {x} AS x, {y} AS y FROM {from}{}", self.filter(&sources)))
    }

    pub fn composed(&mut self) -> Query {
        match self.rng.u32(0..10) {
            0 => self.tree(),
            1 => self.calendar(),
            2 => {
                let grouped = self.grouped().nested();
                Query::unordered(format!("WITH a AS ({grouped}) SELECT count(*), count(g0), count(DISTINCT n0) FROM a"))
            }
            3 => self.compound(),
            4 => self.best_customers(),
            5 => self.page(),
            6 => self.json_rows(),
            7 => {
                let (start, union) = (1 + self.below(self.size), self.one(&["UNION", "UNION ALL"]));
                let up = "SELECT c.id, c.parent_id, n + 1 FROM customer c, up WHERE c.id = up.parent_id AND n < 20";
                let first = format!("SELECT id, parent_id, 1 FROM customer WHERE id = {start}");
                let body = format!("WITH RECURSIVE up(id, parent_id, n) AS ({first} {union} {up}) SELECT * FROM up");
                Query { body, order: " ORDER BY n, id".to_owned() }
            }
            8 => {
                Query::unordered(format!("SELECT count(*), count(*) FILTER (WHERE 1) FROM ({})", self.plain().nested()))
            }
            _ => {
                let (inner, keys) = (self.pair_of_columns(None).nested(), self.one(&["x", "y"]));
                let body = format!("SELECT {keys}, count(*) AS n FROM ({inner}) GROUP BY {keys}");
                Query { body, order: format!(" ORDER BY n DESC, {keys}{}", self.limit()) }
            }
        }
    }

    fn tree(&mut self) -> Query {
        let (depth, order) = (self.one(&["3", "5"]), self.one(&["", " ORDER BY 3 DESC, 1", " ORDER BY 2, 1"]));
        let limit = if order.is_empty() { "" } else { self.one(&["", " LIMIT 10"]) };
        let body = format!(
            "WITH RECURSIVE tree(id, name, level, path) AS (SELECT id, name, 0, name FROM category WHERE parent_id IS NULL \
             UNION ALL SELECT c.id, c.name, level + 1, path || '/' || c.name FROM category c JOIN tree ON c.parent_id = tree.id \
             WHERE level < {depth}{order}) SELECT * FROM (SELECT * FROM tree{limit})"
        );
        Query { body, order: " ORDER BY path, id".to_owned() }
    }

    fn calendar(&mut self) -> Query {
        let body = format!(
            "WITH RECURSIVE d(x) AS (SELECT '2020-01-01' UNION ALL SELECT date(x, '+1 month') FROM d WHERE x < '2021-12-01') \
             SELECT x, (SELECT count(*) FROM orders o WHERE strftime('%Y-%m', o.placed) = strftime('%Y-%m', x)) n, \
             total(o.total ORDER BY o.id) FROM d LEFT JOIN orders o ON substr(o.placed, 1, 7) = substr(x, 1, 7) GROUP BY x{}",
            self.one(&["", " HAVING n > 0"])
        );
        Query { body, order: self.one(&[" ORDER BY x", " ORDER BY n DESC, x", ""]).to_owned() }
    }

    fn compound(&mut self) -> Query {
        let kind = if self.rng.bool() { Kind::Integer } else { Kind::Text };
        let mut body = self.pair_of_columns(Some(kind)).nested();
        for _ in 0..self.rng.usize(1..3) {
            let operator = self.one(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]);
            body += &format!(" {operator} {}", self.pair_of_columns(Some(kind)).nested());
        }
        let order = self.one(&[
            "",
            " ORDER BY 1, 2",
            " ORDER BY 1, 2 DESC",
            " ORDER BY 2, 1 LIMIT 7",
            " ORDER BY y DESC, x LIMIT 5",
        ]);
        Query { body, order: order.to_owned() }
    }

    fn best_customers(&mut self) -> Query {
        let body = format!(
            "WITH top AS {}(SELECT customer_id, round(sum(total), 2) s FROM orders GROUP BY 1 ORDER BY s DESC, 1 LIMIT {}) \
             SELECT c.id, c.name, top.s FROM top {}JOIN customer c ON c.id = top.customer_id",
            self.one(&["", "MATERIALIZED ", "NOT MATERIALIZED "]),
            self.one(&["3", "5"]),
            self.one(&["", "LEFT "])
        );
        let order = self.one(&["top.s DESC, top.customer_id", "c.name, top.customer_id", "2, 1, top.customer_id"]);
        Query { body, order: format!(" ORDER BY {order}") }
    }

    fn page(&mut self) -> Query {
        let after = format!("({}, {})", self.date(), self.below(40));
        let columns = self.one(&[
            "o.id, o.placed",
            "*",
            "o.id, o.status, (SELECT name FROM customer c WHERE c.id = o.customer_id)",
        ]);
        let filter = if self.chance(40) {
            let orders = Source { alias: "o".to_owned(), table: Table::named("orders"), keys: vec!["id"] };
            format!(" AND {}", self.condition(&[orders], 0))
        } else {
            String::new()
        };
        let comparison = self.one(&["<", ">", "<=", ">="]);
        let body = format!("SELECT {columns} FROM orders o WHERE (o.placed, o.id) {comparison} {after}{filter}");
        let (first, second) = (self.one(&["", " DESC"]), self.one(&["", " DESC"]));
        Query { body, order: format!(" ORDER BY o.placed{first}, o.id{second} LIMIT {}", self.one(&["5", "10"])) }
    }

    fn json_rows(&mut self) -> Query {
        let product = Source { alias: "p".to_owned(), table: Table::named("product"), keys: vec!["id"] };
        let body = format!(
            "SELECT p.id, e.key, e.value, e.type FROM product p, json_{}(p.attrs{}) e WHERE json_valid(p.attrs) AND {}",
            self.one(&["each", "tree"]),
            self.one(&["", ", '$.dims'"]),
            self.condition(&[product], 0)
        );
        Query { body, order: " ORDER BY p.id, e.id".to_owned() }
    }

    /// A query on a view; on tables before the first view.
    pub fn of_view(&mut self) -> Query {
        if self.views.is_empty() {
            return self.plain();
        }
        let view = self.views[self.rng.usize(0..self.views.len())].clone();
        let (v, [x, y]) = (&view.name, view.columns);
        let table = self.one(&["customer", "product", "orders"]);
        match self.rng.u32(0..7) {
            0 => {
                let kind = [Kind::Text, Kind::Integer, Kind::Date][self.rng.usize(0..3)];
                let value = self.value(kind);
                Query::unordered(format!("SELECT * FROM {v} WHERE {x} {} {value}", self.one(&[">", "=", "<"])))
            }
            1 => {
                let body = format!("SELECT {x}, count(*) FROM {v} GROUP BY {x}");
                Query { body, order: " ORDER BY 2 DESC, 1 LIMIT 5".to_owned() }
            }
            2 => {
                let (join, side) = (self.one(&["JOIN", "LEFT JOIN"]), self.one(&[x, y]));
                let column = self.one(&["id", if table == "orders" { "status" } else { "name" }]);
                let body = format!("SELECT t.id, v.{y} FROM {table} t {join} {v} v ON v.{side} = t.{column}");
                Query { body, order: " ORDER BY 1, 2 LIMIT 20".to_owned() }
            }
            3 => Query::unordered(format!("SELECT max({y}), min({x}), count({x}) FROM {v}")),
            4 => {
                let body = format!("SELECT {x}, {y} FROM {v}");
                Query { body, order: format!(" ORDER BY {y} DESC, {x} LIMIT 5") }
            }
            5 => Query::unordered(format!("SELECT count(*) FROM {v} a JOIN {v} b ON a.{x} = b.{x}")),
            _ => Query::unordered(format!("SELECT * FROM {table} WHERE id IN (SELECT {y} FROM {v})")),
        }
    }
}
