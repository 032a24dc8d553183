//! Tables, indexes, views and triggers.

use super::{Table, View, World, numbered, qualified};

const TYPES: [&str; 10] = ["INTEGER", "TEXT", "REAL", "BLOB", "", "NUMERIC", "VARCHAR(10)", "INT", "BOOLEAN", "DATE"];
const STRICT_TYPES: [&str; 6] = ["INTEGER", "TEXT", "REAL", "BLOB", "INT", "ANY"];
const CONFLICTS: [&str; 5] =
    ["", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE", " ON CONFLICT FAIL", " ON CONFLICT ROLLBACK"];
const DEFAULTS: [&str; 8] = ["1", "'x'", "NULL", "(1 + 2)", "-1", "1.5", "true", "(abs(-4))"];
const ACTIONS: [&str; 6] = [
    "",
    "ON DELETE CASCADE",
    "ON DELETE SET NULL",
    "ON UPDATE CASCADE",
    "ON DELETE SET DEFAULT ON UPDATE SET NULL",
    "DEFERRABLE INITIALLY DEFERRED",
];
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

impl World {
    pub fn create_table(&mut self) -> String {
        let (is_strict, may_lack_rowid) = (self.may_be_strict && self.chance(40), self.chance(20));
        let columns: Vec<String> = NAMES[..self.rng.usize(2..6)].iter().map(|&name| name.to_owned()).collect();
        let mut parts = Vec::new();
        let mut key = None;
        for (at, column) in columns.iter().enumerate() {
            if at == 0 && self.chance(50) {
                let auto = if !may_lack_rowid && self.chance(15) { " AUTOINCREMENT" } else { "" };
                parts.push(format!("{column} INTEGER PRIMARY KEY{auto}"));
                key = Some(());
            } else {
                parts.push(self.column_definition(column, is_strict));
            }
        }
        let name = format!("t{}", self.number());
        let mut all = columns.clone();
        if self.chance(20) {
            parts.push(self.generated(&columns, is_strict));
            all.push("g".to_owned());
        }
        if key.is_none() && (may_lack_rowid || self.chance(20)) {
            let terms = self.some(&columns, 2);
            let terms: Vec<String> =
                terms.into_iter().map(|term| term + self.one(&["", " DESC", " COLLATE NOCASE"])).collect();
            parts.push(format!("PRIMARY KEY({})", terms.join(", ")));
            key = Some(());
        }
        if !self.tables.is_empty() && self.chance(12) {
            let (is_own, at) = (self.chance(30), self.any_table());
            let (parent, action) = (&self.tables[at], ACTIONS[self.rng.usize(0..ACTIONS.len())]);
            let (of, parent_key) = if is_own { (&name, &columns[0]) } else { (&parent.name, &parent.columns[0]) };
            parts.push(format!("FOREIGN KEY({}) REFERENCES {of}({parent_key}) {action}", columns[columns.len() - 1]));
        }
        let has_rowid = !may_lack_rowid || key.is_none();
        let options = match (has_rowid, is_strict) {
            (true, false) => "",
            (true, true) => " STRICT",
            (false, false) => " WITHOUT ROWID",
            (false, true) => " WITHOUT ROWID, STRICT",
        };
        let temporary = if self.chance(8) { "TEMP " } else { "" };
        let sql = format!("CREATE {temporary}TABLE {name}({}){options}", parts.join(", "));
        self.tables.push(Table { name, columns, all, has_rowid });
        sql
    }

    fn column_definition(&mut self, column: &str, is_strict: bool) -> String {
        let type_name = if is_strict { self.one(&STRICT_TYPES) } else { self.one(&TYPES) };
        let mut definition = format!("{column} {type_name}");
        if self.chance(12) {
            definition += &format!(" UNIQUE{}", self.one(&CONFLICTS));
        }
        if self.chance(10) {
            definition += " NOT NULL";
            definition += self.one(&["", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE DEFAULT 7"]);
        } else if self.chance(15) {
            definition += &format!(" DEFAULT {}", self.one(&DEFAULTS));
        }
        if self.chance(12) && !is_strict {
            definition += &format!(" COLLATE {}", self.one(&["NOCASE", "RTRIM", "BINARY"]));
        }
        if self.chance(7) {
            definition += &format!(" CHECK({column} IS NULL OR typeof({column}) <> 'blob')");
        }
        definition
    }

    fn generated(&mut self, columns: &[String], is_strict: bool) -> String {
        let (first, last) = (&columns[0], &columns[columns.len() - 1]);
        let value = match self.rng.u32(0..5) {
            0 => format!("{first} + 1"),
            1 => format!("{last} || 'x'"),
            2 => format!("coalesce({first}, {last})"),
            3 => format!("length({last})"),
            _ => format!("{first} IS NULL"),
        };
        // In SQLite, a virtual REAL column of a STRICT table becomes an integer after a sort.
        let type_name = if is_strict { self.one(&["INT", "TEXT"]) } else { self.one(&["", "INT", "TEXT"]) };
        format!("g {type_name} AS ({value}) {}", self.one(&["STORED", "VIRTUAL", ""]))
    }

    pub fn create_index(&mut self) -> String {
        let at = self.any_table();
        let (table, columns) = (self.tables[at].name.clone(), self.tables[at].all.clone());
        let terms: Vec<String> = (0..self.rng.usize(1..4)).map(|_| self.index_term(&columns)).collect();
        let filter = if self.chance(20) { self.index_filter(&columns) } else { String::new() };
        let unique = if self.chance(12) { "UNIQUE " } else { "" };
        format!("CREATE {unique}INDEX i{} ON {table}({}){filter}", self.number(), terms.join(", "))
    }

    fn index_term(&mut self, columns: &[String]) -> String {
        let column = self.column(columns);
        let term = match self.rng.u32(0..40) {
            0 => format!("lower({column})"),
            1 => format!("{column} + 1"),
            2 => format!("{column} || 'q'"),
            3 => format!("length({column})"),
            4 => format!("-{column}"),
            5 => format!("typeof({column})"),
            _ => column,
        };
        term + self.one(&["", "", "", " DESC", " COLLATE NOCASE"])
    }

    fn index_filter(&mut self, columns: &[String]) -> String {
        let column = self.column(columns);
        let test = self.one(&["IS NOT NULL", "> 1", "= 'a'", "IN (1, 2, 3)", "BETWEEN 0 AND 5"]);
        format!(" WHERE {column} {test}")
    }

    pub fn create_view(&mut self) -> String {
        let (name, count) = (format!("v{}", self.number()), self.rng.usize(1..4));
        let sql = format!("CREATE VIEW {name} AS {}", self.named_query(1, count));
        self.views.push(View { name, columns: numbered(count) });
        sql
    }

    /// CREATE TABLE AS, with a determined order of rows.
    pub fn create_table_as(&mut self) -> String {
        let name = format!("t{}", self.number());
        let query = self.named_query(2, 2);
        let sql = format!(
            "CREATE TABLE {name} AS SELECT * FROM ({query}) ORDER BY 1 COLLATE BINARY, 2 COLLATE BINARY, typeof(x0), typeof(x1)"
        );
        self.tables.push(Table { name, columns: numbered(2), all: numbered(2), has_rowid: true });
        sql
    }

    pub fn create_trigger(&mut self) -> String {
        let at = self.any_table();
        let table = self.tables[at].name.clone();
        let (event, of) = match self.rng.u32(0..4) {
            0 => ("INSERT", String::new()),
            1 => ("DELETE", String::new()),
            2 => ("UPDATE", String::new()),
            _ => ("UPDATE", format!(" OF {}", self.column(&self.tables[at].columns.clone()))),
        };
        let time = self.one(&["BEFORE", "AFTER"]);
        // In SQLite's BEFORE UPDATE triggers, generated columns of NEW are NULL, unless the trigger names another column (docs/DIFFERENCES.md).
        let is_early = event == "UPDATE" && time == "BEFORE";
        let all = if is_early { self.tables[at].columns.clone() } else { self.tables[at].all.clone() };
        let mut scope = if event == "DELETE" { Vec::new() } else { qualified("NEW", &all) };
        if event != "INSERT" {
            scope.extend(qualified("OLD", &all));
        }
        let actions: Vec<String> =
            (0..self.rng.usize(1..3)).map(|_| format!("{}; ", self.trigger_action(&scope))).collect();
        let condition = if self.chance(30) { format!(" WHEN {}", self.expr(&scope, 2)) } else { String::new() };
        let name = self.number();
        format!("CREATE TRIGGER r{name} {time} {event}{of} ON {table}{condition} BEGIN {}END", actions.concat())
    }

    fn trigger_action(&mut self, scope: &[String]) -> String {
        let at = self.any_table();
        let (other, columns, all) =
            (self.tables[at].name.clone(), self.tables[at].columns.clone(), self.tables[at].all.clone());
        let column = self.column(&columns);
        match self.rng.u32(0..5) {
            0..2 => {
                let policy = self.one(&["", " OR IGNORE", " OR REPLACE"]);
                format!("INSERT{policy} INTO {other}({column}) VALUES({})", self.expr(scope, 2))
            }
            2 => {
                let key = self.column(&columns);
                let both: Vec<String> = scope.iter().cloned().chain(all).collect();
                format!("UPDATE {other} SET {column} = {} WHERE {key} = {}", self.expr(&both, 2), self.expr(scope, 1))
            }
            3 => format!("DELETE FROM {other} WHERE {column} = {}", self.expr(scope, 1)),
            _ => {
                let raise = self.one(&["IGNORE", "ABORT, 'no'", "FAIL, 'nope'", "ROLLBACK, 'back'"]);
                let (first, second) = (self.expr(scope, 2), self.expr(scope, 1));
                format!("SELECT RAISE({raise}) WHERE {first} AND {second} = {}", self.literal())
            }
        }
    }
}
