//! CREATE TABLE and CREATE INDEX.

use fastrand::Rng;

use super::expr::{Refs, expr};
use super::{COLUMNS, Relation, TABLES, World, any_written, written};
use crate::schema::{one_in, pick};

impl World {
    pub fn create_table(&mut self, rng: &mut Rng) -> String {
        let name = if one_in(rng, 3) { (*pick(rng, &TABLES)).to_owned() } else { format!("t{}", self.number()) };
        let columns = some_columns(rng, 2..6);
        let is_strict = one_in(rng, 6);
        let without_rowid = one_in(rng, 5);
        let mut has_key = false;
        let mut definitions = Vec::new();
        for at in 0..columns.len() {
            let may_be_key = at == 0 && !has_key && !one_in(rng, 3);
            let (definition, is_key) = self.column(rng, &columns, at, is_strict, may_be_key);
            has_key |= is_key;
            definitions.push(definition);
        }
        if without_rowid && !has_key {
            definitions.push(format!("PRIMARY KEY({})", terms(rng, &columns)));
        }
        for _ in 0..rng.usize(0..3) {
            definitions.push(self.table_constraint(rng, &columns));
        }
        let options = match (without_rowid, is_strict) {
            (true, true) => " WITHOUT ROWID, STRICT",
            (true, false) => " WITHOUT ROWID",
            (false, true) => " STRICT",
            (false, false) => "",
        };
        let place = self.place(rng);
        let separator = pick(rng, &[", ", ",", " , ", ", /* c */ "]);
        format!("CREATE TABLE {place}{}({}){options}", written(rng, &name), definitions.join(separator))
    }

    /// The schema of a new object.
    pub fn place(&self, rng: &mut Rng) -> &'static str {
        match rng.u32(0..8) {
            0 => "temp.",
            1..3 if self.is_attached => "aux.",
            3 => "main.",
            _ => "",
        }
    }

    /// The definition of column `at`, and whether it is the primary key.
    pub fn column(
        &self,
        rng: &mut Rng,
        columns: &[String],
        at: usize,
        is_strict: bool,
        may_be_key: bool,
    ) -> (String, bool) {
        let strict: &[&str] = &["INT", "TEXT", "REAL", "ANY", "BLOB"];
        let types: &[&str] = &["", "", "INT", "TEXT", "INTEGER", "REAL", "varchar(10)", "\"my type\""];
        let mut definition = written(rng, &columns[at]);
        let declared = *pick(rng, if is_strict { strict } else { types });
        if !declared.is_empty() {
            definition += &format!(" {declared}");
        }
        let mut is_key = false;
        for _ in 0..rng.usize(0..3) {
            let named =
                if one_in(rng, 4) { format!(" CONSTRAINT {}", written(rng, &columns[at])) } else { String::new() };
            let refs = Refs::of_table(columns);
            // SQLite reports columns that depend on each other in the order in which their values would be computed.
            let before = Refs::of_table(&columns[..at]);
            let constraint = match rng.u32(0..12) {
                0..2 if may_be_key && !is_key => {
                    is_key = true;
                    (*pick(rng, &["PRIMARY KEY", "PRIMARY KEY DESC", "PRIMARY KEY ON CONFLICT IGNORE"])).to_owned()
                }
                2 => "NOT NULL".to_owned(),
                3 => "UNIQUE".to_owned(),
                4 => format!("COLLATE {}", pick(rng, &["nocase", "\"nocase\"", "RTRIM"])),
                5 => format!(
                    "DEFAULT {}",
                    pick(rng, &["1", "'x'", "\"dq\"", "(1+2)", "(\"dq\" || 'k')", "a", "-5", "null"])
                ),
                6..9 => format!("CHECK ({})", expr(rng, &refs, 2)),
                9 => self.references(rng),
                10 => format!("AS ({})", expr(rng, &before, 2)),
                11 => format!("GENERATED ALWAYS AS ({}) {}", expr(rng, &before, 1), pick(rng, &["STORED", "VIRTUAL"])),
                _ => continue,
            };
            definition += &format!("{named} {constraint}");
        }
        (definition, is_key)
    }

    fn references(&self, rng: &mut Rng) -> String {
        let parent = match self.any_relation(rng) {
            Some(parent) if !one_in(rng, 5) => parent,
            _ => Relation {
                schema: "main".to_owned(),
                name: (*pick(rng, &TABLES)).to_owned(),
                columns: vec![(*pick(rng, &COLUMNS)).to_owned()],
                is_view: false,
                has_texts: false,
            },
        };
        let column = pick(rng, &parent.columns).clone();
        let action =
            pick(rng, &["", "", " ON DELETE CASCADE", " ON UPDATE SET NULL", " DEFERRABLE INITIALLY DEFERRED"]);
        let list = if one_in(rng, 4) { String::new() } else { format!("({})", written(rng, &column)) };
        format!("REFERENCES {}{list}{action}", written(rng, &parent.name))
    }

    fn table_constraint(&self, rng: &mut Rng, columns: &[String]) -> String {
        let named = if one_in(rng, 4) { "CONSTRAINT named " } else { "" };
        let refs = Refs::of_table(columns);
        let constraint = match rng.u32(0..5) {
            0 => format!("UNIQUE({})", terms(rng, columns)),
            1..4 => format!("CHECK ({})", expr(rng, &refs, 2)),
            _ => {
                let column = any_written(rng, columns);
                format!("FOREIGN KEY({column}) {}", self.references(rng))
            }
        };
        format!("{named}{constraint}")
    }

    pub fn create_index(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_relation(rng) else { return "SELECT 1".to_owned() };
        let refs = Refs::of_table(&table.columns);
        let terms: Vec<String> = (0..rng.usize(1..4))
            .map(|_| {
                let term = if one_in(rng, 3) { expr(rng, &refs, 2) } else { any_written(rng, &table.columns) };
                format!("{term}{}", pick(rng, &["", "", " DESC", " COLLATE NOCASE"]))
            })
            .collect();
        let filter = if one_in(rng, 3) { format!(" WHERE {}", expr(rng, &refs, 2)) } else { String::new() };
        let unique = if one_in(rng, 5) { "UNIQUE " } else { "" };
        let number = self.number();
        let name = written(rng, &table.name);
        format!("CREATE {unique}INDEX {}.i{number} ON {name}({}){filter}", table.schema, terms.join(", "))
    }
}

/// The names of some columns, without repetition.
fn some_columns(rng: &mut Rng, count: std::ops::Range<usize>) -> Vec<String> {
    let mut names = COLUMNS.to_vec();
    rng.shuffle(&mut names[1..]);
    names.truncate(rng.usize(count));
    names.into_iter().map(str::to_owned).collect()
}

/// Terms of a key.
fn terms(rng: &mut Rng, columns: &[String]) -> String {
    let count = rng.usize(1..3).min(columns.len());
    let term = |rng: &mut Rng, column: &String| {
        let name = if one_in(rng, 10) { format!("'{}'", column.replace('\'', "''")) } else { written(rng, column) };
        format!("{name}{}", pick(rng, &["", "", "", " DESC", " COLLATE NOCASE"]))
    };
    let terms: Vec<String> = columns[..count].iter().map(|column| term(rng, column)).collect();
    terms.join(", ")
}
