//! Random schemas.

use fastrand::Rng;

use crate::expr;

/// What the world has created so far, as far as the generator remembers: statements may fail, and then it names
/// things that are not there, which is part of the test.
#[derive(Default)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub views: Vec<Table>,
    indexes: Vec<String>,
    /// Numbers new objects.
    made: usize,
}

/// A table or view.
#[derive(Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
    pub has_rowid: bool,
}

const TYPES: [&str; 12] = [
    "",
    "INTEGER",
    "INT",
    "TEXT",
    "REAL",
    "NUMERIC",
    "BLOB",
    "VARCHAR(10)",
    "DOUBLE",
    "ANY",
    "BOOLEAN",
    "DECIMAL(10,2)",
];
const COLLATIONS: [&str; 4] = ["", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"];
const CONFLICTS: [&str; 6] =
    ["", " ON CONFLICT ABORT", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE", " ON CONFLICT FAIL", ""];

/// One of `choices`.
pub fn pick<'c, T>(rng: &mut Rng, choices: &'c [T]) -> &'c T {
    &choices[rng.usize(0..choices.len())]
}

impl Schema {
    pub fn any_table<'s>(&'s self, rng: &mut Rng) -> Option<&'s Table> {
        if self.tables.is_empty() { None } else { Some(pick(rng, &self.tables)) }
    }

    /// A table or, less often, a view.
    pub fn any_source<'s>(&'s self, rng: &mut Rng) -> Option<&'s Table> {
        if !self.views.is_empty() && rng.u32(0..6) == 0 { Some(pick(rng, &self.views)) } else { self.any_table(rng) }
    }

    pub fn create_table(&mut self, rng: &mut Rng) -> String {
        self.made += 1;
        let name = format!("t{}", self.made);
        let columns: Vec<String> = (0..rng.usize(1..6)).map(|i| format!("c{i}")).collect();
        let without_rowid = rng.u32(0..5) == 0;
        let integer_key = !without_rowid && rng.u32(0..3) == 0;
        let mut parts: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(i, c)| column_definition(rng, c, integer_key && i == 0, &columns))
            .collect();
        let wants_key = without_rowid || (!integer_key && rng.u32(0..5) == 0);
        if wants_key {
            parts.push(format!("PRIMARY KEY({}){}", key_columns(rng, &columns), pick(rng, &CONFLICTS)));
        }
        if rng.u32(0..6) == 0 {
            parts.push(format!("UNIQUE({}){}", key_columns(rng, &columns), pick(rng, &CONFLICTS)));
        }
        if rng.u32(0..8) == 0 {
            parts.push(format!("CHECK({})", expr::simple_condition(rng, &columns)));
        }
        let suffix = if without_rowid { " WITHOUT ROWID" } else { "" };
        let sql = format!("CREATE TABLE {name}({}){suffix}", parts.join(", "));
        self.tables.push(Table { name, columns, has_rowid: !without_rowid });
        sql
    }

    pub fn create_index(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_table(rng).cloned() else { return "SELECT 1".to_owned() };
        self.made += 1;
        let name = format!("i{}", self.made);
        let unique = if rng.u32(0..5) == 0 { "UNIQUE " } else { "" };
        let filter = if rng.u32(0..5) == 0 {
            format!(" WHERE {}", expr::simple_condition(rng, &table.columns))
        } else {
            String::new()
        };
        let columns = if rng.u32(0..6) == 0 {
            expr::deterministic(rng, &table.columns, 2)
        } else {
            key_columns(rng, &table.columns)
        };
        self.indexes.push(name.clone());
        format!("CREATE {unique}INDEX {name} ON {}({columns}){filter}", table.name)
    }

    pub fn create_view(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_table(rng).cloned() else { return "SELECT 1".to_owned() };
        self.made += 1;
        let name = format!("v{}", self.made);
        let columns = vec!["x".to_owned(), "y".to_owned()];
        let first = expr::deterministic(rng, &table.columns, 2);
        let second = pick(rng, &table.columns).clone();
        let sql = format!("CREATE VIEW {name} AS SELECT {first} AS x, {second} AS y FROM {}", table.name);
        self.views.push(Table { name, columns, has_rowid: false });
        sql
    }

    pub fn drop_something(&mut self, rng: &mut Rng) -> String {
        match rng.u32(0..4) {
            0 if self.tables.len() > 1 => {
                let at = rng.usize(0..self.tables.len());
                format!("DROP TABLE {}", self.tables.swap_remove(at).name)
            }
            1 if !self.views.is_empty() => {
                let at = rng.usize(0..self.views.len());
                format!("DROP VIEW {}", self.views.swap_remove(at).name)
            }
            _ if !self.indexes.is_empty() => {
                let at = rng.usize(0..self.indexes.len());
                format!("DROP INDEX {}", self.indexes.swap_remove(at))
            }
            _ => "DROP TABLE IF EXISTS nothing".to_owned(),
        }
    }
}

fn column_definition(rng: &mut Rng, name: &str, integer_key: bool, columns: &[String]) -> String {
    if integer_key {
        let auto = if rng.u32(0..4) == 0 { " AUTOINCREMENT" } else { "" };
        return format!("{name} INTEGER PRIMARY KEY{auto}");
    }
    let mut definition = format!("{name} {}{}", pick(rng, &TYPES), pick(rng, &COLLATIONS));
    match rng.u32(0..14) {
        0 => definition.push_str(&format!(" NOT NULL{}", pick(rng, &CONFLICTS))),
        1 => definition.push_str(&format!(" DEFAULT {}", expr::literal(rng))),
        2 => definition.push_str(&format!(" UNIQUE{}", pick(rng, &CONFLICTS))),
        3 => definition.push_str(&format!(" NOT NULL DEFAULT {}", expr::literal(rng))),
        4 => definition.push_str(&format!(" CHECK({})", expr::simple_condition(rng, columns))),
        _ => {}
    }
    definition
}

/// Some of the columns, each at most once, some of them DESC or collated.
fn key_columns(rng: &mut Rng, columns: &[String]) -> String {
    let mut columns = columns.to_vec();
    rng.shuffle(&mut columns);
    columns.truncate(rng.usize(1..columns.len().min(3) + 1));
    let term = |column: String| {
        let collation = if rng.u32(0..6) == 0 { *pick(rng, &COLLATIONS) } else { "" };
        let direction = if rng.u32(0..4) == 0 { " DESC" } else { "" };
        format!("{column}{collation}{direction}")
    };
    columns.into_iter().map(term).collect::<Vec<_>>().join(", ")
}
