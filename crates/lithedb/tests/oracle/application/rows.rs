//! The rows of the shop.

use super::World;
use super::tables::{Kind, TABLES, Table};

const NAMES: [&str; 13] = [
    "'Ann'",
    "'bob'",
    "'Čeněk'",
    "'dora'",
    "'Émile'",
    "'Fritz'",
    "'ann'",
    "'O''Hara'",
    "'Zoë'",
    "'李雷'",
    "'de la Cruz'",
    "''",
    "'  pad '",
];
const CITIES: [&str; 8] = ["'Berlin'", "'berlin'", "'Paris'", "'Praha'", "'New York'", "'São Paulo'", "NULL", "'Oslo'"];
const STATUSES: [&str; 5] = ["'new'", "'paid'", "'shipped'", "'cancelled'", "'NEW'"];
const LABELS: [&str; 7] = ["'new'", "'sale'", "'Sale'", "'eco'", "'x%'", "'a_b'", "'100% '"];

impl World {
    /// The statements that fill the tables, one for each row.
    pub fn fill_tables(&mut self) -> Vec<String> {
        let mut statements = Vec::new();
        for table in &TABLES {
            let count = match table.name {
                "tag" | "category" => (self.size / 4).max(4),
                "item" | "event" | "product_tag" => self.size * 2,
                _ => self.size,
            };
            for at in 0..count {
                let row = self.row(table, at + 1);
                statements.push(self.insert_rows(Table::named(table.name), "OR IGNORE ", &[row]));
            }
        }
        statements
    }

    /// INSERT of some rows, sometimes without their ids.
    pub fn insert_rows(&mut self, table: &'static Table, conflict: &str, rows: &[Vec<String>]) -> String {
        let skipped = usize::from(table.has_id() && self.chance(30));
        let columns: Vec<&str> = table.columns[skipped..].iter().map(|(name, _)| *name).collect();
        let rows: Vec<String> = rows.iter().map(|row| format!("({})", row[skipped..].join(", "))).collect();
        format!("INSERT {conflict}INTO {}({}) VALUES {}", table.name, columns.join(", "), rows.join(", "))
    }

    /// A row; `id` is the value of the column `id`, if the table has it.
    pub fn row(&mut self, table: &Table, id: i64) -> Vec<String> {
        table.columns.iter().map(|(column, kind)| self.value_of(table.name, column, *kind, id)).collect()
    }

    fn value_of(&mut self, table: &str, column: &str, kind: Kind, id: i64) -> String {
        match (table, column) {
            (_, "id") if self.chance(3) => "NULL".to_owned(),
            (_, "id") => id.to_string(),
            (_, "email") => format!("'{}{}@x.org'", self.one(&["a", "B", "c"]), self.below(500)),
            (_, "city") => self.one(&CITIES).to_owned(),
            (_, "status") => self.one(&STATUSES).to_owned(),
            (_, "kind") => self.one(&["'login'", "'view'", "'buy'", "'logout'"]).to_owned(),
            (_, "sku") => format!("'S-{:03}'", self.below(40)),
            (_, "slug") => format!("'cat-{}'", self.below(9)),
            (_, "label") => self.one(&LABELS).to_owned(),
            (_, "at") => (1_577_836_800 + self.below(150_000_000)).to_string(),
            (_, "ip") => format!("'10.0.{}.{}'", self.below(3), self.below(9)),
            (_, "qty") => (1 + self.below(5)).to_string(),
            (_, "parent_id") if self.rng.bool() => "NULL".to_owned(),
            (_, "parent_id") => (1 + self.below(id.max(2) - 1)).to_string(),
            _ => self.value(kind),
        }
    }

    /// A value for a column of this kind.
    pub fn value(&mut self, kind: Kind) -> String {
        if self.chance(6) {
            return "NULL".to_owned();
        }
        match kind {
            Kind::Integer => (1 + self.below(self.size)).to_string(),
            Kind::Flag => self.below(2).to_string(),
            Kind::Text => self.one(&NAMES).to_owned(),
            Kind::Date => self.date(),
            Kind::Json => self.json(),
            Kind::Real => match self.rng.u32(0..4) {
                0 => format!("{}.0", self.below(100)),
                1 => self.below(50).to_string(),
                2 => "0.1".to_owned(),
                _ => format!("{}.{:02}", self.below(100), self.below(100)),
            },
        }
    }

    /// A date, with or without a time; sometimes a text that is not a date.
    pub fn date(&mut self) -> String {
        let year = self.one(&["2019", "2020", "2021", "2023", "2024"]);
        let date = format!("{year}-{:02}-{:02}", 1 + self.below(12), 1 + self.below(31));
        let time = format!("{:02}:{:02}", self.below(24), self.below(60));
        match self.rng.u32(0..10) {
            0..5 => format!("'{date}'"),
            5..8 => format!("'{date} {time}:{:02}'", self.below(60)),
            8 => format!("'{date}T{time}{}'", self.one(&["Z", "+02:00", ":10.250"])),
            _ => self.one(&["NULL", "''", "'soon'"]).to_owned(),
        }
    }

    fn json(&mut self) -> String {
        let n = self.below(5);
        match self.rng.u32(0..10) {
            0..3 => format!("'{{\"color\":\"red\",\"size\":{n},\"dims\":[1,2.5,{}],\"x\":null}}'", self.below(9)),
            3..5 => format!("'{{\"color\":\"blue\",\"tags\":[\"a\",\"b\"],\"nested\":{{\"k\":{{\"v\":{n}}}}}}}'"),
            5 => format!("'[{{\"sku\":\"s1\",\"n\":2}},{{\"sku\":\"s{n}\",\"n\":3}}]'"),
            6 => "'{\"price\":9.50,\"ok\":true}'".to_owned(),
            7 => self.one(&["'not json'", "'\"str\"'", "NULL"]).to_owned(),
            _ => self.one(&["'[]'", "'{}'"]).to_owned(),
        }
    }
}
