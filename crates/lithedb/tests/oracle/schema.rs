//! Random schemas.

use std::collections::HashMap;

use fastrand::Rng;
use rusqlite::{Connection, Result};

use crate::conditions;
use crate::expr;

/// The names of a database.
#[derive(Clone, Default)]
pub struct Schema {
    pub tables: Vec<Table>,
    pub views: Vec<Table>,
    pub indexes: Vec<String>,
    pub triggers: Vec<String>,
    /// Whether tables may be STRICT. In a transaction, SQLite does not undo the changes of a statement before a value of the wrong type, so
    /// there are no transactions then.
    pub may_be_strict: bool,
    /// Whether tables may have foreign keys, which are enforced.
    pub has_foreign_keys: bool,
    /// Whether ANALYZE is sometimes run, with a limit: without a limit the engines choose different samples, and so different plans with
    /// incomparable results.
    pub analyzes: bool,
    /// Whether UPSERT, RETURNING and triggers are frequent.
    pub upserts: bool,
    /// Whether a second database is attached as `aux`.
    pub is_attached: bool,
    /// Whether half of the tables are virtual ones.
    pub has_modules: bool,
    /// The unique keys of tables, by name.
    keys: HashMap<String, Vec<String>>,
    /// The number of objects created, for their names.
    made: usize,
}

/// A table or view.
#[derive(Clone)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
    /// The writable columns: the first ones.
    pub writable: Vec<String>,
    pub has_rowid: bool,
    pub is_temporary: bool,
    /// Lists of columns that are unique together, by the table's definition.
    pub keys: Vec<String>,
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
const STRICT_TYPES: [&str; 6] = ["INTEGER", "INT", "TEXT", "REAL", "BLOB", "ANY"];
const COLLATIONS: [&str; 4] = ["", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"];
const CONFLICTS: [&str; 6] =
    ["", " ON CONFLICT ABORT", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE", " ON CONFLICT FAIL", ""];

/// One of `choices`.
pub fn pick<'c, T>(rng: &mut Rng, choices: &'c [T]) -> &'c T {
    &choices[rng.usize(0..choices.len())]
}

/// One of `choices`; None if there are none.
fn pick_some<'c, T>(rng: &mut Rng, choices: &'c [T]) -> Option<&'c T> {
    if choices.is_empty() { None } else { Some(pick(rng, choices)) }
}

/// The column of an index's term.
fn first_word(term: &str) -> String {
    term.split(' ').next().unwrap_or_default().to_owned()
}

/// `true` once in `n` times.
pub fn one_in(rng: &mut Rng, n: u32) -> bool {
    rng.u32(0..n) == 0
}

impl Schema {
    pub fn any_table<'s>(&'s self, rng: &mut Rng) -> Option<&'s Table> {
        if self.tables.is_empty() { None } else { Some(pick(rng, &self.tables)) }
    }

    /// A table or, less often, a view.
    pub fn any_source<'s>(&'s self, rng: &mut Rng) -> Option<&'s Table> {
        if !self.views.is_empty() && one_in(rng, 6) { Some(pick(rng, &self.views)) } else { self.any_table(rng) }
    }

    /// Reads the names from SQLite, because statements may fail and transactions may be rolled back.
    pub fn read(&mut self, sqlite: &Connection) -> Result<()> {
        (self.tables, self.views) = (Vec::new(), Vec::new());
        (self.indexes, self.triggers) = (Vec::new(), Vec::new());
        let mut statement = sqlite.prepare("SELECT name FROM pragma_database_list ORDER BY seq")?;
        let databases: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
        self.is_attached = databases.iter().any(|name| name == "aux");
        let without_shadows = if self.has_modules { " AND name NOT GLOB '*_*'" } else { "" };
        for database in databases {
            let mut statement = sqlite.prepare(&format!(
                "SELECT type, name, sql LIKE '%WITHOUT ROWID%' FROM {database}.sqlite_schema WHERE name NOT LIKE 'sqlite%'{without_shadows}"
            ))?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (kind, name): (String, String) = (row.get(0)?, row.get(1)?);
                match kind.as_str() {
                    "index" => self.indexes.push(name),
                    "trigger" => self.triggers.push(name),
                    "table" => {
                        let described = self.describe(sqlite, name, !row.get::<_, bool>(2)?);
                        // The tables of a module may have gone while the virtual one stayed.
                        let mut table = match described {
                            Err(_) if self.has_modules => continue,
                            described => described?,
                        };
                        table.is_temporary = database == "temp";
                        // SQLite may not have read the schema again since the table was made.
                        self.tables.extend(Some(table).filter(|table| !table.columns.is_empty()));
                    }
                    // A view may have become invalid.
                    _ => {
                        let view = self.describe(sqlite, name, false);
                        self.views.extend(view.ok().filter(|view| !view.columns.is_empty()));
                    }
                }
            }
        }
        Ok(())
    }

    fn describe(&self, sqlite: &Connection, name: String, has_rowid: bool) -> Result<Table> {
        let mut statement = sqlite.prepare(&format!("PRAGMA table_xinfo({name})"))?;
        let columns: Vec<(String, i64)> =
            statement.query_map([], |row| Ok((row.get(1)?, row.get(6)?)))?.collect::<Result<_>>()?;
        let writable = columns.iter().filter(|(_, hidden)| *hidden == 0).map(|(name, _)| name.clone()).collect();
        let columns: Vec<String> = columns.into_iter().filter(|(_, hidden)| *hidden != 1).map(|(name, _)| name).collect();
        let keys = self.keys.get(&name).cloned().unwrap_or_default();
        Ok(Table { name, columns, writable, has_rowid, is_temporary: false, keys })
    }

    /// A number for a name.
    pub fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    pub fn create_table(&mut self, rng: &mut Rng) -> String {
        if self.has_modules && rng.bool() {
            return self.create_virtual_table(rng);
        }
        let name = format!("t{}", self.number());
        if let Some(source) = self.any_table(rng).filter(|_| one_in(rng, 12)).cloned() {
            return create_as(rng, &name, &source);
        }
        let mut columns: Vec<String> = (0..rng.usize(1..6)).map(|i| format!("c{i}")).collect();
        let definition = Definition::random(rng, self.may_be_strict);
        let mut parts: Vec<String> =
            columns.iter().enumerate().map(|(i, c)| definition.column(rng, c, i == 0, &columns)).collect();
        let writable = columns.clone();
        if one_in(rng, 6) {
            for _ in 0..rng.usize(1..3) {
                let generated = format!("g{}", columns.len());
                let value = expr::deterministic(rng, &columns, 2);
                let kind = pick(rng, &["STORED", "VIRTUAL", ""]);
                let type_name = pick(rng, if definition.strict { &STRICT_TYPES } else { &TYPES });
                // A virtual REAL column of a STRICT table is an integer behind a sorter, which nobody can mean.
                let type_name =
                    if definition.strict && *type_name == "REAL" && *kind != "STORED" { &"TEXT" } else { type_name };
                parts.push(format!("{generated} {type_name} AS ({value}) {kind}"));
                columns.push(generated);
            }
        }
        let mut keys = definition.keys(rng, &writable, &mut parts);
        if self.has_foreign_keys && rng.bool() {
            parts.extend(self.foreign_key(rng, &name, &writable, &keys));
        }
        if definition.integer_key {
            keys.push("c0".to_owned());
        }
        let temp = if one_in(rng, 12) { "TEMP " } else { "" };
        let database = if temp.is_empty() && self.is_attached && one_in(rng, 4) { "aux." } else { "" };
        let sql = format!("CREATE {temp}TABLE {database}{name}({}){}", parts.join(", "), definition.options());
        self.keys.insert(name, keys);
        sql
    }

    /// A virtual table that keeps what it is given.
    fn create_virtual_table(&mut self, rng: &mut Rng) -> String {
        let name = format!("m{}", self.number());
        let database = if self.is_attached && one_in(rng, 4) { "aux." } else { "" };
        let columns = |count: usize| (0..count).map(|at| format!("c{at}")).collect::<Vec<String>>().join(", ");
        let module = match rng.u32(0..4) {
            0 => format!("rtree({})", columns(1 + 2 * rng.usize(1..3))),
            1 => format!("rtree_i32({}, +c3, +c4 TEXT)", columns(3)),
            2 => format!("fts4({})", columns(rng.usize(1..4))),
            _ => format!("fts5({})", columns(rng.usize(1..4))),
        };
        format!("CREATE VIRTUAL TABLE {database}{name} USING {module}")
    }

    /// A reference to a key of a table, perhaps the new one itself.
    fn foreign_key(&self, rng: &mut Rng, own: &str, columns: &[String], own_keys: &[String]) -> Option<String> {
        let parent = self.any_table(rng).filter(|_| !one_in(rng, 5));
        let (name, keys) = parent.map_or((own, own_keys), |parent| (&parent.name, &parent.keys));
        let key: Vec<String> = pick_some(rng, keys)?.split(", ").map(first_word).collect();
        let mut columns = columns.to_vec();
        rng.shuffle(&mut columns);
        if columns.len() < key.len() {
            return None;
        }
        columns.truncate(key.len());
        let mut sql = format!("FOREIGN KEY({}) REFERENCES {name}({})", columns.join(", "), key.join(", "));
        for event in ["DELETE", "UPDATE"] {
            // For a table that refers to itself, SQLite mistakes every row of a REPLACE for one of a SET NULL action.
            let actions = ["", "", "CASCADE", "CASCADE", "RESTRICT", "NO ACTION", "SET DEFAULT", "SET NULL"];
            let action = pick(rng, &actions[..if name == own { 7 } else { 8 }]);
            if !action.is_empty() {
                sql.push_str(&format!(" ON {event} {action}"));
            }
        }
        if one_in(rng, 4) {
            sql.push_str(" DEFERRABLE INITIALLY DEFERRED");
        }
        Some(sql)
    }

    pub fn create_index(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_table(rng).cloned() else { return "SELECT 1".to_owned() };
        let name = format!("i{}", self.number());
        let unique = if one_in(rng, 5) { "UNIQUE " } else { "" };
        let filter = if one_in(rng, 5) {
            match rng.bool() {
                true => format!(" WHERE {}", conditions::partial(rng, &table.columns)),
                false => format!(" WHERE {}", expr::simple_condition(rng, &table.columns)),
            }
        } else {
            String::new()
        };
        let columns = match rng.u32(0..12) {
            0 => expr::deterministic(rng, &table.columns, 2),
            1 => conditions::indexed(rng, &table.columns),
            2 => format!("{}, {}", conditions::indexed(rng, &table.columns), key_columns(rng, &table.columns)),
            _ => key_columns(rng, &table.columns),
        };
        format!("CREATE {unique}INDEX {name} ON {}({columns}){filter}", table.name)
    }

    pub fn create_view(&mut self, rng: &mut Rng) -> String {
        let Some(table) = self.any_source(rng).cloned() else { return "SELECT 1".to_owned() };
        let name = format!("v{}", self.number());
        let first = expr::deterministic(rng, &table.columns, 2);
        let second = pick(rng, &table.columns).clone();
        let filter =
            if one_in(rng, 4) { format!(" WHERE {}", expr::condition(rng, &table.columns, 1)) } else { String::new() };
        match rng.u32(0..4) {
            0 => format!("CREATE VIEW {name}(x, y) AS SELECT {first}, {second} FROM {}{filter}", table.name),
            1 => {
                // Any text of a group may represent it, so texts are not shown.
                let table = &table.name;
                format!(
                    "CREATE VIEW {name} AS SELECT hex({second}) AS x, count(*) AS y FROM {table}{filter} GROUP BY 1"
                )
            }
            _ => format!("CREATE VIEW {name} AS SELECT {first} AS x, {second} AS y FROM {}{filter}", table.name),
        }
    }

    pub fn drop_something(&mut self, rng: &mut Rng) -> String {
        match rng.u32(0..5) {
            // In a schema with several invalid names, which one is reported first is not compared.
            0 if self.tables.len() > 1 && self.views.is_empty() && self.triggers.is_empty() => {
                let at = rng.usize(0..self.tables.len());
                format!("DROP TABLE {}", self.tables[at].name)
            }
            1 if !self.views.is_empty() => {
                let at = rng.usize(0..self.views.len());
                format!("DROP VIEW {}", self.views[at].name)
            }
            2 | 3 if !self.triggers.is_empty() => {
                let at = rng.usize(0..self.triggers.len());
                format!("DROP TRIGGER {}", self.triggers[at])
            }
            _ if !self.indexes.is_empty() => {
                let at = rng.usize(0..self.indexes.len());
                format!("DROP INDEX {}", self.indexes[at])
            }
            _ => "DROP TABLE IF EXISTS nothing".to_owned(),
        }
    }
}

/// CREATE TABLE AS, with a determined order of rows.
fn create_as(rng: &mut Rng, name: &str, source: &Table) -> String {
    let columns: Vec<String> =
        (0..rng.usize(1..4)).map(|at| format!("{} AS c{at}", expr::deterministic(rng, &source.columns, 1))).collect();
    let order: Vec<String> = (1..=columns.len()).map(|at| format!("{at} COLLATE BINARY")).collect();
    let filter = expr::simple_condition(rng, &source.columns);
    format!(
        "CREATE TABLE {name} AS SELECT {} FROM {} WHERE {filter} ORDER BY {}",
        columns.join(", "),
        source.name,
        order.join(", ")
    )
}

/// The kind of a table.
struct Definition {
    without_rowid: bool,
    integer_key: bool,
    strict: bool,
}

impl Definition {
    fn random(rng: &mut Rng, may_be_strict: bool) -> Definition {
        let without_rowid = one_in(rng, 5);
        let integer_key = !without_rowid && one_in(rng, 3);
        Definition { without_rowid, integer_key, strict: may_be_strict && rng.bool() }
    }

    fn options(&self) -> &'static str {
        match (self.without_rowid, self.strict) {
            (true, true) => " WITHOUT ROWID, STRICT",
            (true, false) => " WITHOUT ROWID",
            (false, true) => " STRICT",
            (false, false) => "",
        }
    }

    fn column(&self, rng: &mut Rng, name: &str, is_first: bool, columns: &[String]) -> String {
        if self.integer_key && is_first {
            let auto = if one_in(rng, 4) { " AUTOINCREMENT" } else { "" };
            let direction = if auto.is_empty() && one_in(rng, 10) { " DESC" } else { "" };
            let conflict = if one_in(rng, 8) { pick(rng, &CONFLICTS) } else { "" };
            return format!("{name} INTEGER PRIMARY KEY{direction}{conflict}{auto}");
        }
        let type_name = if self.strict { *pick(rng, &STRICT_TYPES) } else { *pick(rng, &TYPES) };
        let mut definition = format!("{name} {type_name}{}", pick(rng, &COLLATIONS));
        match rng.u32(0..15) {
            0 => definition.push_str(&format!(" NOT NULL{}", pick(rng, &CONFLICTS))),
            1 => definition.push_str(&format!(" DEFAULT {}", expr::literal(rng))),
            2 => definition.push_str(&format!(" UNIQUE{}", pick(rng, &CONFLICTS))),
            3 => {
                definition.push_str(&format!(" NOT NULL{} DEFAULT {}", pick(rng, &CONFLICTS), expr::literal(rng)));
            }
            4 => definition.push_str(&format!(" CHECK({})", expr::simple_condition(rng, columns))),
            5 => definition.push_str(&format!(" DEFAULT ({})", expr::deterministic(rng, &[], 2))),
            _ => {}
        }
        definition
    }

    /// Adds the constraints of the table to `parts`; answers the lists of columns that they make unique.
    fn keys(&self, rng: &mut Rng, columns: &[String], parts: &mut Vec<String>) -> Vec<String> {
        let mut keys = Vec::new();
        if self.without_rowid || (!self.integer_key && one_in(rng, 5)) {
            let key = key_columns(rng, columns);
            parts.push(format!("PRIMARY KEY({key}){}", conflict(rng, &key, parts)));
            keys.push(key);
        }
        if one_in(rng, 6) {
            let key = key_columns(rng, columns);
            parts.push(format!("UNIQUE({key}){}", conflict(rng, &key, parts)));
            keys.push(key);
        }
        if one_in(rng, 8) {
            let name = if rng.bool() { "CONSTRAINT named " } else { "" };
            parts.push(format!("{name}CHECK({})", expr::simple_condition(rng, columns)));
        }
        keys
    }
}

/// The conflict clause of a key; empty if another key of the table may have the same columns, and a contradicting clause.
fn conflict(rng: &mut Rng, key: &str, parts: &[String]) -> &'static str {
    let chosen = *pick(rng, &CONFLICTS);
    let is_single = !key.contains(',');
    let is_key = |part: &String| part.starts_with("PRIMARY KEY(") || is_single && part.contains(" UNIQUE");
    if parts.iter().any(is_key) { "" } else { chosen }
}

/// Some of the columns, each at most once, some of them DESC or collated.
fn key_columns(rng: &mut Rng, columns: &[String]) -> String {
    let mut columns = columns.to_vec();
    rng.shuffle(&mut columns);
    columns.truncate(rng.usize(1..columns.len().min(3) + 1));
    let term = |column: String| {
        let collation = if one_in(rng, 6) { *pick(rng, &COLLATIONS) } else { "" };
        let direction = if one_in(rng, 4) { " DESC" } else { "" };
        format!("{column}{collation}{direction}")
    };
    columns.into_iter().map(term).collect::<Vec<_>>().join(", ")
}
