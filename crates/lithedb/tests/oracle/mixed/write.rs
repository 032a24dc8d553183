//! INSERT, UPDATE, DELETE with all their clauses, transactions, pragmas.

use super::{World, qualified};

const SETTINGS: [&str; 17] = [
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s1",
    "RELEASE s1",
    "ROLLBACK TO s1",
    "ANALYZE",
    "REINDEX",
    "PRAGMA foreign_keys = 1",
    "PRAGMA integrity_check",
    "PRAGMA foreign_key_check",
    "PRAGMA recursive_triggers = 1",
    "SELECT changes(), total_changes(), last_insert_rowid()",
    "VACUUM",
    "PRAGMA defer_foreign_keys = 1",
    "PRAGMA case_sensitive_like = 1",
    "SELECT type, name, tbl_name, sql FROM sqlite_schema /* ordered */",
];

impl World {
    pub fn insert(&mut self) -> String {
        let at = self.any_table();
        let (table, all) = (self.tables[at].name.clone(), self.tables[at].all.clone());
        let writable = self.tables[at].columns.clone();
        let columns = if self.chance(60) { writable.clone() } else { self.some(&writable, writable.len()) };
        let policy = self.one(&["", "", "", "", "", " OR IGNORE", " OR REPLACE", " OR FAIL", " OR ABORT"]);
        let is_query = self.chance(20);
        let body = match is_query {
            true => {
                let terms: Vec<String> = (1..columns.len() + 1).map(|term| format!("{term} COLLATE BINARY")).collect();
                let query = self.query(&[], 1, columns.len());
                format!("SELECT * FROM ({query}) WHERE true ORDER BY {}", terms.join(", "))
            }
            false => {
                let count = [1, 1, 2, 5, 20][self.rng.usize(0..5)];
                let rows: Vec<String> = (0..count).map(|_| self.row(columns.len())).collect();
                format!("VALUES {}", rows.join(", "))
            }
        };
        let mut sql = format!("INSERT{policy} INTO {table}({}) {body}", columns.join(", "));
        if policy.is_empty() && self.chance(20) {
            sql += &self.upsert(&table, &writable);
        }
        if self.chance(25) {
            sql += &self.returning(&all);
        }
        sql
    }

    fn row(&mut self, count: usize) -> String {
        let values: Vec<String> =
            (0..count).map(|_| if self.chance(90) { self.literal() } else { self.expr(&[], 2) }).collect();
        // After the largest rowid, new ones are chosen at random, so it is avoided.
        format!("({})", values.join(", ")).replace("9223372036854775807", "9223372036854770000")
    }

    fn upsert(&mut self, table: &str, columns: &[String]) -> String {
        if self.chance(50) {
            return " ON CONFLICT DO NOTHING".to_owned();
        }
        let excluded = qualified("excluded", columns);
        let both: Vec<String> = excluded.iter().cloned().chain(qualified(table, columns)).collect();
        let (column, value) = (self.column(columns), self.expr(&both, 2));
        let filter = if self.chance(30) { format!(" WHERE {}", self.expr(&excluded, 1)) } else { String::new() };
        format!(" ON CONFLICT DO UPDATE SET {column} = {value}{filter}")
    }

    fn returning(&mut self, columns: &[String]) -> String {
        if self.chance(50) {
            return " RETURNING *".to_owned();
        }
        format!(" RETURNING {}, {}", self.expr(columns, 2), self.expr(columns, 2))
    }

    pub fn update(&mut self) -> String {
        let at = self.any_table();
        let (table, all) = (self.tables[at].name.clone(), self.tables[at].all.clone());
        let set = self.some(&self.tables[at].columns.clone(), 2);
        let set: Vec<String> = set.iter().map(|column| format!("{column} = {}", self.expr(&all, 2))).collect();
        let policy = self.one(&["", "", "", " OR IGNORE", " OR REPLACE", " OR FAIL"]);
        let mut sql = format!("UPDATE{policy} {table} SET {}", set.join(", "));
        let scope = qualified(&table, &all);
        if self.chance(10) {
            // One row at most, because which of several rows is used is undefined.
            sql += &format!(" FROM ({} LIMIT 1) AS uu", self.named_query_for_update());
        }
        if self.chance(90) {
            sql += &format!(" WHERE {}", self.filter(&scope, 2));
        }
        if self.chance(20) {
            sql += &self.returning(&scope);
        }
        sql
    }

    fn named_query_for_update(&mut self) -> String {
        format!("SELECT {} AS x0, {} AS x1", self.literal(), self.scalar_in_parentheses())
    }

    fn scalar_in_parentheses(&mut self) -> String {
        format!("({})", self.scalar_query(&[], 1))
    }

    pub fn delete(&mut self) -> String {
        let at = self.any_table();
        let (table, all) = (self.tables[at].name.clone(), self.tables[at].all.clone());
        let mut sql = format!("DELETE FROM {table} WHERE {}", self.filter(&all, 2));
        if self.chance(70) {
            let column = self.column(&all);
            sql += &format!(" AND {column} {} {}", self.one(&["=", "<", ">"]), self.literal());
        }
        if self.chance(20) {
            sql += &self.returning(&all);
        }
        sql
    }

    pub fn setting(&mut self) -> String {
        let at = self.any_table();
        let table = &self.tables[at].name;
        match self.rng.usize(0..SETTINGS.len() + 2) {
            0 => format!("PRAGMA table_xinfo({table})"),
            1 => format!("PRAGMA index_list({table})"),
            number => SETTINGS[number - 2].to_owned(),
        }
    }
}
