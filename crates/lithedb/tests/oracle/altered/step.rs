//! ALTER TABLE, and other statements between.

use fastrand::Rng;

use super::expr::{Refs, expr};
use super::{COLUMNS, Relation, TABLES, World, any_written, written};
use crate::schema::{one_in, pick};

impl World {
    pub fn step(&mut self, rng: &mut Rng) -> String {
        match rng.u32(0..20) {
            0 => return self.create(rng),
            1..3 => return self.drop(rng),
            3 => return self.insert(rng, &[]),
            4 if one_in(rng, 3) => {
                return format!("PRAGMA legacy_alter_table = {}", pick(rng, &["ON", "OFF"]));
            }
            _ => {}
        }
        let Some(table) = self.any_relation(rng) else { return self.create_table(rng) };
        let schema = if one_in(rng, 4) { format!("{}.", table.schema) } else { String::new() };
        let name = written(rng, &table.name);
        let column = match one_in(rng, 20) {
            true => any_written(rng, &COLUMNS),
            false => any_written(rng, &table.columns),
        };
        let action = match rng.u32(0..20) {
            // In the triggers of temp SQLite renames the tables that are changed by their name alone, whatever database has the table.
            0..4 if self.names_excluded || self.has_temporary_triggers() && self.has_namesake(&table) => {
                "ADD n".to_owned()
            }
            0..4 => format!("RENAME TO {}", self.new_name(rng)),
            // SQLite checks the triggers and views of temp twice, the second time under the new name.
            4..9 if self
                .relations
                .iter()
                .any(|other| other.schema == "temp" && other.name.eq_ignore_ascii_case(&table.name)) =>
            {
                "ADD n".to_owned()
            }
            4..9 => {
                let to = if one_in(rng, 2) { (*pick(rng, &COLUMNS)).to_owned() } else { format!("n{}", self.number()) };
                let to = if one_in(rng, 6) { format!("'{}'", to.replace('\'', "''")) } else { written(rng, &to) };
                format!("RENAME {}{column} TO {to}", pick(rng, &["COLUMN ", ""]))
            }
            9..13 => format!("ADD {}{}", pick(rng, &["COLUMN ", ""]), self.new_column(rng, &table)),
            13..17 => format!("DROP {}{column}", pick(rng, &["COLUMN ", ""])),
            17 => match one_in(rng, 2) {
                true => format!("ALTER COLUMN {column} SET NOT NULL"),
                false => format!("ALTER COLUMN {column} DROP NOT NULL"),
            },
            18 => format!("DROP CONSTRAINT {}", pick(rng, &["named", "a", "b", "\"x y\""])),
            _ => format!("ADD CONSTRAINT named CHECK ({})", expr(rng, &Refs::of_table(&table.columns), 2)),
        };
        format!("ALTER TABLE {schema}{name} {action}")
    }

    fn has_temporary_triggers(&self) -> bool {
        self.triggers.iter().any(|name| name.starts_with("temp."))
    }

    /// Whether another database has a table of that name, too.
    fn has_namesake(&self, table: &Relation) -> bool {
        let is_it = |other: &&Relation| other.name.eq_ignore_ascii_case(&table.name);
        self.relations.iter().filter(is_it).count() > 1
    }

    fn new_name(&mut self, rng: &mut Rng) -> String {
        let name = if one_in(rng, 2) { (*pick(rng, &TABLES)).to_owned() } else { format!("t{}", self.number()) };
        if one_in(rng, 8) { format!("'{name}'") } else { written(rng, &name) }
    }

    fn new_column(&mut self, rng: &mut Rng, table: &Relation) -> String {
        let name = if one_in(rng, 3) { (*pick(rng, &COLUMNS)).to_owned() } else { format!("n{}", self.number()) };
        let mut columns = table.columns.clone();
        columns.push(name);
        let is_strict = one_in(rng, 4);
        let may_be_key = one_in(rng, 10);
        self.column(rng, &columns, columns.len() - 1, is_strict, may_be_key).0
    }

    fn drop(&self, rng: &mut Rng) -> String {
        let relation = || self.relations.iter().filter(|relation| relation.is_view).collect::<Vec<_>>();
        match rng.u32(0..6) {
            0..2 if !self.triggers.is_empty() => format!("DROP TRIGGER {}", pick(rng, &self.triggers)),
            2 if !self.indexes.is_empty() => format!("DROP INDEX {}", pick(rng, &self.indexes)),
            3..5 if !relation().is_empty() => {
                let view = *pick(rng, &relation());
                format!("DROP VIEW {}.{}", view.schema, written(rng, &view.name))
            }
            _ => match self.any_relation(rng) {
                Some(table) if !table.is_view => format!("DROP TABLE {}.{}", table.schema, written(rng, &table.name)),
                _ => "SELECT 1".to_owned(),
            },
        }
    }
}
