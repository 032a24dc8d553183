//! CREATE VIEW and CREATE TRIGGER, and queries in them.

use fastrand::Rng;

use super::expr::{Refs, expr};
use super::{Relation, World, any_written, written};
use crate::schema::{one_in, pick};

/// A source of a query.
struct Source {
    text: String,
    refs: Vec<(Option<String>, String)>,
}

impl World {
    /// Any object.
    pub fn create(&mut self, rng: &mut Rng) -> String {
        match rng.u32(0..10) {
            0..2 => self.create_table(rng),
            2..4 => self.create_index(rng),
            4..7 => self.create_view(rng),
            7..9 => self.create_trigger(rng),
            _ => self.insert(rng, &[]),
        }
    }

    pub fn create_view(&mut self, rng: &mut Rng) -> String {
        let number = self.number();
        let place = self.place(rng);
        let query = self.query(rng, &[], 2);
        let list = if one_in(rng, 6) { "(a, b)" } else { "" };
        format!("CREATE VIEW {place}v{number}{list} AS {query}")
    }

    fn tables(&self) -> Vec<(String, Vec<String>)> {
        let plain = self.relations.iter().filter(|relation| !relation.has_texts);
        plain.map(|relation| (relation.name.clone(), relation.columns.clone())).collect()
    }

    /// A query that can use the columns `outer`.
    fn query(&self, rng: &mut Rng, outer: &[(Option<String>, String)], depth: u32) -> String {
        let mut with = String::new();
        let mut sources: Vec<Source> = Vec::new();
        if one_in(rng, 6) && depth > 0 {
            let name = *pick(rng, &["cte", "t1", "a"]);
            with = format!("WITH {name}(a, w) AS (SELECT {}) ", self.two_values(rng, outer));
            let refs = ["a", "w"].map(|column| (Some(name.to_owned()), column.to_owned()));
            // The names in an unused common table are resolved, too.
            if !one_in(rng, 4) {
                sources.push(Source { text: name.to_owned(), refs: refs.to_vec() });
            }
        }
        for _ in 0..rng.usize(1..3) {
            sources.extend(self.source(rng, depth));
        }
        let mut from = String::new();
        let mut refs: Vec<(Option<String>, String)> = outer.to_vec();
        for (at, source) in sources.iter().enumerate() {
            refs.extend(source.refs.iter().cloned());
            from += match at {
                0 => "",
                _ => *pick(rng, &[", ", ", ", " JOIN ", " LEFT JOIN ", " NATURAL JOIN ", " CROSS JOIN "]),
            };
            from += &source.text;
            if at > 0 && from.contains(" JOIN ") && !from.contains("NATURAL") && one_in(rng, 3) {
                let of_join = self.refs(refs.clone());
                from += &match (one_in(rng, 3), source.refs.first()) {
                    (true, Some((_, column))) => format!(" USING ({})", written(rng, column)),
                    _ => format!(" ON {}", expr(rng, &of_join, 1)),
                };
            }
        }
        let within = self.refs(refs);
        let mut columns: Vec<String> = (0..rng.usize(1..4)).map(|_| result_column(rng, &within, &sources)).collect();
        if one_in(rng, 8) {
            columns.push(format!("count({})", expr(rng, &within, 1)));
        }
        if one_in(rng, 12) {
            let (value, order) = (expr(rng, &within, 1), expr(rng, &within, 1));
            columns.push(format!("sum({value}) OVER (PARTITION BY {order} ORDER BY {})", expr(rng, &within, 0)));
        }
        let mut query = format!("{with}SELECT {} FROM {from}", columns.join(", "));
        if one_in(rng, 2) {
            query += &format!(" WHERE {}", expr(rng, &within, 2));
        }
        if one_in(rng, 6) {
            query += &format!(" GROUP BY {}", expr(rng, &within, 1));
            if one_in(rng, 2) {
                query += &format!(" HAVING {}", expr(rng, &within, 1));
            }
        }
        if one_in(rng, 16) {
            let (partition, order) = (expr(rng, &within, 1), expr(rng, &within, 1));
            query += &format!(" WINDOW win AS (PARTITION BY {partition} ORDER BY {order})");
        }
        if one_in(rng, 8) && columns.len() == 2 && with.is_empty() {
            query += &format!(" UNION ALL SELECT {}", self.two_values(rng, outer));
        } else if one_in(rng, 4) {
            query += &format!(" ORDER BY {}", expr(rng, &within, 1));
        }
        query
    }

    fn refs(&self, columns: Vec<(Option<String>, String)>) -> Refs {
        Refs { columns, tables: self.tables(), in_query: true }
    }

    fn two_values(&self, rng: &mut Rng, outer: &[(Option<String>, String)]) -> String {
        let Some(table) = self.any_relation(rng) else { return "1, 2".to_owned() };
        let refs = self.refs(outer.iter().cloned().chain(plain(&table.columns)).collect());
        format!("{}, {} FROM {}", expr(rng, &refs, 1), expr(rng, &refs, 1), written(rng, &table.name))
    }

    fn source(&self, rng: &mut Rng, depth: u32) -> Option<Source> {
        if depth > 0 && one_in(rng, 6) {
            let text = format!("({}) AS s", self.two_values(rng, &[]));
            let text = text.replacen('(', "(SELECT ", 1);
            return Some(Source { text, refs: Vec::new() });
        }
        let relation = if one_in(rng, 25) { missing() } else { self.any_relation(rng)? };
        let schema = if one_in(rng, 4) { format!("{}.", relation.schema) } else { String::new() };
        let alias = match rng.u32(0..6) {
            0 => Some("z"),
            1 => Some("a"),
            2 => Some("y"),
            _ => None,
        };
        let suffix = alias.map_or(String::new(), |alias| format!(" AS {alias}"));
        let qualifier = alias.unwrap_or(&relation.name).to_owned();
        let refs = relation.columns.iter().map(|column| (Some(qualifier.clone()), column.clone())).collect();
        Some(Source { text: format!("{schema}{}{suffix}", written(rng, &relation.name)), refs })
    }

    pub fn create_trigger(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_relation(rng) else { return "SELECT 1".to_owned() };
        let number = self.number();
        let time = if table.is_view { "INSTEAD OF" } else { *pick(rng, &["BEFORE", "AFTER", ""]) };
        let (event, rows): (String, &[&str]) = match rng.u32(0..5) {
            0 => ("INSERT".to_owned(), &["new"]),
            1 => ("DELETE".to_owned(), &["old"]),
            2 => ("UPDATE".to_owned(), &["new", "OLD"]),
            _ => {
                let first = any_written(rng, &table.columns);
                let second = any_written(rng, &table.columns);
                (format!("UPDATE OF {first}, {second}"), &["new", "old"])
            }
        };
        let outer: Vec<(Option<String>, String)> = rows
            .iter()
            .flat_map(|row| table.columns.iter().map(move |column| (Some((*row).to_owned()), column.clone())))
            .collect();
        let when = match one_in(rng, 3) {
            true => format!(" WHEN {}", expr(rng, &self.refs(outer.clone()), 2)),
            false => String::new(),
        };
        let steps: Vec<String> = (0..rng.usize(1..3)).map(|_| self.trigger_step(rng, &outer)).collect();
        let is_temporary = one_in(rng, 4);
        let (temp, place) = if is_temporary { ("TEMP ", "") } else { ("", "") };
        let schema = match is_temporary || table.schema == "main" && one_in(rng, 2) {
            true if one_in(rng, 2) => format!("{}.", table.schema),
            _ => String::new(),
        };
        let place =
            if !is_temporary && table.schema != "main" { format!("{}.", table.schema) } else { place.to_owned() };
        let on = written(rng, &table.name);
        format!(
            "CREATE {temp}TRIGGER {place}r{number} {time} {event} ON {schema}{on}{when} BEGIN {}; END",
            steps.join("; ")
        )
    }

    fn trigger_step(&self, rng: &mut Rng, outer: &[(Option<String>, String)]) -> String {
        let Some(table) = self.any_relation(rng) else { return "SELECT 1".to_owned() };
        let mut columns: Vec<(Option<String>, String)> = outer.to_vec();
        columns.extend(table.columns.iter().map(|column| (Some(table.name.clone()), column.clone())));
        let refs = self.refs(columns);
        let condition = expr(rng, &refs, 2);
        let name = written(rng, &table.name);
        match rng.u32(0..6) {
            0..2 => self.query(rng, outer, 1),
            2 => format!("DELETE FROM {name} WHERE {condition}"),
            3..5 => {
                let column = any_written(rng, &table.columns);
                let from = match self.any_relation(rng) {
                    Some(other) if one_in(rng, 5) => format!(" FROM {} AS f", written(rng, &other.name)),
                    _ => String::new(),
                };
                format!("UPDATE {name} SET {column} = {}{from} WHERE {condition}", expr(rng, &refs, 1))
            }
            _ => self.insert(rng, outer),
        }
    }

    /// INSERT, within a trigger or alone.
    pub fn insert(&self, rng: &mut Rng, outer: &[(Option<String>, String)]) -> String {
        // SQLite reports the errors of a view in a different order.
        let table = self.any_relation(rng).filter(|table| !(outer.is_empty() && table.is_view));
        let Some(table) = table else { return "SELECT 1".to_owned() };
        let columns: Vec<String> = table.columns.iter().map(|column| written(rng, column)).collect();
        let refs = self.refs(outer.to_vec());
        let (list, count) = match one_in(rng, 3) {
            true => (format!("({})", columns[0]), 1),
            false => (String::new(), columns.len()),
        };
        let values: Vec<String> = (0..count)
            .map(|_| if outer.is_empty() { rng.u32(0..9).to_string() } else { expr(rng, &refs, 1) })
            .collect();
        let upsert = if one_in(rng, 6) && !outer.is_empty() {
            let all: Vec<(Option<String>, String)> = table
                .columns
                .iter()
                .flat_map(|column| {
                    [self.names_excluded.then(|| "excluded".to_owned()), None].map(|of| (of, column.clone()))
                })
                .collect();
            // Within subqueries, SQLite renames `excluded` as if it named the table; with RENAME TO it does everywhere.
            let refs = Refs { columns: all, tables: Vec::new(), in_query: false };
            let target = if one_in(rng, 3) { String::new() } else { format!(" ({})", pick(rng, &columns)) };
            format!(
                " ON CONFLICT{target} DO UPDATE SET {} = {} WHERE {}",
                pick(rng, &columns),
                expr(rng, &refs, 1),
                expr(rng, &refs, 1)
            )
        } else {
            String::new()
        };
        format!("INSERT INTO {}{list} VALUES ({}){upsert}", written(rng, &table.name), values.join(", "))
    }
}

fn result_column(rng: &mut Rng, refs: &Refs, sources: &[Source]) -> String {
    match rng.u32(0..10) {
        0 => "*".to_owned(),
        1 => {
            let qualifiers: Vec<&String> =
                sources.iter().filter_map(|source| source.refs.first()?.0.as_ref()).collect();
            match qualifiers.is_empty() {
                true => "*".to_owned(),
                false => format!("{}.*", any_written(rng, &qualifiers)),
            }
        }
        2..5 => format!("{} AS {}", expr(rng, refs, 1), pick(rng, &["a", "q", "\"x y\"", "'lit'"])),
        _ => expr(rng, refs, 2),
    }
}

fn plain(columns: &[String]) -> impl Iterator<Item = (Option<String>, String)> + '_ {
    columns.iter().map(|column| (None, column.clone()))
}

/// A table that does not exist.
fn missing() -> Relation {
    let (schema, name, columns) = ("main".to_owned(), "gone".to_owned(), vec!["a".to_owned()]);
    Relation { schema, name, columns, is_view: false, has_texts: false }
}
