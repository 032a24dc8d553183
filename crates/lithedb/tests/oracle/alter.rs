//! Random ALTER TABLE, triggers, REINDEX, pragmas.

use fastrand::Rng;

use crate::expr;
use crate::schema::{Schema, Table, one_in, pick};
use crate::write;

impl Schema {
    /// A trigger on a table or, INSTEAD OF, on a view.
    pub fn create_trigger(&mut self, rng: &mut Rng) -> String {
        let on_view = !self.views.is_empty() && one_in(rng, 4);
        let Some(table) = (if on_view { Some(pick(rng, &self.views)) } else { self.any_table(rng) }).cloned() else {
            return "SELECT 1".to_owned();
        };
        let name = format!("r{}", self.number());
        let time = if on_view { "INSTEAD OF" } else { *pick(rng, &["BEFORE", "AFTER", "AFTER", ""]) };
        let (event, rows): (String, &[&str]) = match rng.u32(0..5) {
            0..2 => ("INSERT".to_owned(), &["NEW"]),
            2 => ("DELETE".to_owned(), &["OLD"]),
            3 => ("UPDATE".to_owned(), &["NEW", "OLD"]),
            _ => (format!("UPDATE OF {}", pick(rng, &table.columns)), &["NEW", "OLD"]),
        };
        let columns: Vec<String> =
            rows.iter().flat_map(|row| table.columns.iter().map(move |column| format!("{row}.{column}"))).collect();
        let when =
            if one_in(rng, 3) { format!(" WHEN {}", expr::simple_condition(rng, &columns)) } else { String::new() };
        let steps: Vec<String> = (0..rng.usize(1..3)).map(|_| self.trigger_step(rng, &columns)).collect();
        format!("CREATE TRIGGER {name} {time} {event} ON {}{when} BEGIN {}; END", table.name, steps.join("; "))
    }

    fn trigger_step(&self, rng: &mut Rng, columns: &[String]) -> String {
        let Some(table) = self.any_table(rng) else { return "SELECT 1".to_owned() };
        match rng.u32(0..10) {
            0 => {
                let message = format!("ABORT, 'no ' || quote({})", pick(rng, columns));
                let action = *pick(rng, &["IGNORE", "ABORT, 'no'", "FAIL, 'failed'", "ROLLBACK, 'back'", &message]);
                format!("SELECT RAISE({action}) WHERE {}", expr::condition(rng, columns, 1))
            }
            1..3 => format!(
                "UPDATE{} {} SET {} = {} WHERE {} = {}",
                pick(rng, &["", "", " OR IGNORE", " OR REPLACE"]),
                table.name,
                pick(rng, &table.writable),
                pick(rng, columns),
                pick(rng, &table.columns),
                pick(rng, columns)
            ),
            3 => format!("DELETE FROM {} WHERE {} = {}", table.name, pick(rng, &table.columns), pick(rng, columns)),
            _ => {
                let values: Vec<String> = table
                    .writable
                    .iter()
                    .map(|_| if one_in(rng, 3) { expr::literal(rng) } else { pick(rng, columns).clone() })
                    .collect();
                let policy = pick(rng, &["", "", " OR IGNORE", " OR REPLACE"]);
                format!("INSERT{policy} INTO {} VALUES ({})", write_list(table), values.join(", "))
            }
        }
    }

    /// ALTER TABLE.
    pub fn alter(&mut self, rng: &mut Rng) -> String {
        let number = self.number();
        let Some(table) = self.any_table(rng) else { return "SELECT 1".to_owned() };
        let (name, column) = (&table.name, pick(rng, &table.columns));
        match rng.u32(0..11) {
            0 => format!("ALTER TABLE {name} RENAME TO t{number}"),
            // SQLite drops the new name where triggers of temporary tables have it, and does not find all names in the keys of WITHOUT
            // ROWID tables with a COLLATE.
            1..3 if !table.is_temporary && table.has_rowid => {
                format!("ALTER TABLE {name} RENAME COLUMN {column} TO n{number}")
            }
            3..6 => {
                let new = format!("a{number}");
                let rest = match rng.u32(0..6) {
                    0 => format!(" DEFAULT {}", expr::literal(rng)),
                    1 => format!(" NOT NULL DEFAULT {}", expr::literal(rng)),
                    2 => format!(" CHECK({new} IS NULL OR {})", expr::literal(rng)),
                    3 => " COLLATE NOCASE".to_owned(),
                    4 => format!(" AS ({column} || 'g')"),
                    _ => String::new(),
                };
                // With the type TEXT, existing rows get the default as written, new rows its value.
                let types: &[&str] = if rest.contains("DEFAULT") { &["", "INT"] } else { &["", "TEXT", "INT", "REAL"] };
                format!("ALTER TABLE {name} ADD COLUMN {new} {}{rest}", pick(rng, types))
            }
            6..8 if table.writable.len() > 1 => format!("ALTER TABLE {name} DROP COLUMN {column}"),
            8 => format!("ALTER TABLE {name} ALTER COLUMN {column} SET NOT NULL"),
            9 => format!("ALTER TABLE {name} ALTER COLUMN {column} DROP NOT NULL"),
            _ => match rng.u32(0..3) {
                0 => format!("ALTER TABLE {name} DROP CONSTRAINT named"),
                1 => format!(
                    "ALTER TABLE {name} ADD CONSTRAINT named CHECK ({})",
                    expr::simple_condition(rng, &table.columns)
                ),
                _ => format!("ALTER TABLE {name} ADD CHECK ({column} IS NOT NULL OR {column} IS NULL)"),
            },
        }
    }

    /// REINDEX, and pragmas that return rows or change how statements run.
    pub fn upkeep(&mut self, rng: &mut Rng) -> String {
        if self.has_foreign_keys && rng.bool() {
            let table = self.any_table(rng).map_or("nothing", |table| &table.name);
            return match rng.u32(0..3) {
                0 => "PRAGMA foreign_keys".to_owned(),
                1 => "PRAGMA defer_foreign_keys".to_owned(),
                _ => format!("PRAGMA foreign_key_list({table})"),
            };
        }
        if self.analyzes && rng.bool() {
            let table = self.any_table(rng).map_or("nothing", |table| &table.name);
            return match rng.u32(0..7) {
                0 => format!("ANALYZE {table}"),
                1 => "SELECT * FROM sqlite_stat1".to_owned(),
                // The statistics of large tables with few values, so that skip-scans are chosen.
                2..4 => "UPDATE sqlite_stat1 SET stat = '10000 5000 100 20 1' WHERE idx IS NOT NULL".to_owned(),
                4 => "ANALYZE sqlite_schema".to_owned(),
                _ => "ANALYZE".to_owned(),
            };
        }
        match rng.u32(0..8) {
            0 => "REINDEX".to_owned(),
            1 => format!("REINDEX {}", pick(rng, &["NOCASE", "t1", "i1", "nothing"])),
            2 if !self.indexes.is_empty() => format!("REINDEX {}", pick(rng, &self.indexes)),
            3 => format!("PRAGMA recursive_triggers = {}", pick(rng, &["ON", "OFF"])),
            4 => "PRAGMA quick_check".to_owned(),
            5 => match self.any_table(rng) {
                Some(table) => format!("PRAGMA table_xinfo({})", table.name),
                None => "SELECT 1".to_owned(),
            },
            6 => {
                "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE tbl_name NOT LIKE 'sqlite_stat%'".to_owned()
            }
            _ => "PRAGMA integrity_check".to_owned(),
        }
    }
}

/// The table and its writable columns.
fn write_list(table: &Table) -> String {
    if table.writable.len() == table.columns.len() {
        table.name.clone()
    } else {
        format!("{}({})", table.name, write::list(&table.writable))
    }
}
