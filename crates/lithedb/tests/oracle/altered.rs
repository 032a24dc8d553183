//! Altered schemas: small schemas in which names collide, have every kind of quotes and are used in every possible place, and ALTER TABLE
//! on them. After each statement both engines must have the same texts in every schema table.

mod expr;
mod object;
mod step;
mod table;

use fastrand::Rng;

use crate::pair::Pair;
use crate::schema::{one_in, pick};

/// The names of a database, as SQLite lists them.
#[derive(Default)]
pub struct World {
    /// Tables and views.
    pub relations: Vec<Relation>,
    pub triggers: Vec<String>,
    pub indexes: Vec<String>,
    /// Whether a database is attached as `aux`.
    pub is_attached: bool,
    /// Whether triggers name `excluded`. SQLite puts the table's name in its place where the table is renamed, so that the trigger means
    /// something else; then tables are not renamed.
    pub names_excluded: bool,
    made: usize,
}

/// A table or a view.
#[derive(Clone)]
pub struct Relation {
    pub schema: String,
    pub name: String,
    pub columns: Vec<String>,
    pub is_view: bool,
    /// Whether it is a view with texts in double quotes, or a view of such a view. In a query in an expression, SQLite takes such a text for a
    /// column of the query around it, so that no expression selects from it.
    pub has_texts: bool,
}

/// The number of ALTER statements of a world.
const STEPS: usize = 14;

/// Makes a function, or a collation, of the schema unknown. (Of both, SQLite reports another one first in some places.)
const FOREIGN: [[&str; 2]; 2] = [
    [
        "UPDATE sqlite_schema SET sql = replace(sql, 'abs(', 'theirs(')",
        "UPDATE temp.sqlite_schema SET sql = replace(sql, 'abs(', 'theirs(')",
    ],
    [
        "UPDATE sqlite_schema SET sql = replace(sql, 'COLLATE NOCASE', 'COLLATE theirs') WHERE sql NOT LIKE '%WITHOUT ROWID%'",
        "UPDATE temp.sqlite_schema SET sql = replace(sql, 'COLLATE RTRIM', 'COLLATE theirs') WHERE sql NOT LIKE '%WITHOUT ROWID%'",
    ],
];

/// The worlds whose first difference docs/DIFFERENCES.md describes: which of several invalid names is reported.
pub fn known_to_differ() -> Vec<u64> {
    if std::env::var_os("ORACLE_ALL").is_some() {
        return Vec::new();
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/altered/known.txt");
    let numbers = std::fs::read_to_string(path).expect("the list is there");
    numbers.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// Runs a world; `Err` has the statements so far, the last of which has different answers.
pub fn check(seed: u64, mut show: impl FnMut(&str)) -> Result<(), (Vec<String>, Box<crate::pair::Difference>)> {
    let mut rng = Rng::with_seed(seed ^ 0x0a17_e4ed);
    let rng = &mut rng;
    let (mut world, mut pair, mut statements) = (World::of(seed), Pair::open(), Vec::new());
    let mut run = |pair: &mut Pair, sql: String| {
        show(&sql);
        statements.push(sql);
        pair.run(statements.last().expect("just pushed")).map_err(|difference| (statements.clone(), difference))
    };
    for sql in world.settings(rng) {
        run(&mut pair, sql)?;
    }
    for at in 0..rng.usize(5..12) {
        let sql = if at < 2 { world.create_table(rng) } else { world.create(rng) };
        run(&mut pair, sql)?;
        world.read(&pair);
    }
    // The application that made the schema had functions and collations that this one lacks.
    let is_foreign = seed % 4 == 3;
    if is_foreign {
        let [first, second] = FOREIGN[usize::from(seed % 8 == 7)];
        // The rows that DROP TABLE deletes for foreign keys need the collations of their indexes in SQLite.
        let settings = ["PRAGMA foreign_keys = OFF", "PRAGMA writable_schema = ON"];
        for sql in settings.into_iter().chain([first, second, "PRAGMA writable_schema = RESET"]) {
            run(&mut pair, sql.to_owned())?;
        }
        for relation in world.relations.iter().filter(|relation| !relation.is_view) {
            run(&mut pair, format!("SELECT * FROM {}.{}", relation.schema, in_quotes(&relation.name)))?;
        }
    }
    for _ in 0..STEPS {
        let sql = world.step(rng);
        run(&mut pair, sql)?;
        for schema in world.schemas() {
            run(&mut pair, format!("SELECT type, name, tbl_name, sql FROM {schema}.sqlite_schema /* ordered */"))?;
        }
        world.read(&pair);
    }
    for relation in world.relations.iter().filter(|relation| !relation.is_view) {
        run(&mut pair, format!("SELECT * FROM {}.{}", relation.schema, in_quotes(&relation.name)))?;
    }
    if !is_foreign {
        run(&mut pair, "PRAGMA integrity_check".to_owned())?;
    }
    Ok(())
}

impl World {
    fn of(seed: u64) -> World {
        World { names_excluded: seed.is_multiple_of(3), ..World::default() }
    }

    fn settings(&mut self, rng: &mut Rng) -> Vec<String> {
        let mut settings = Vec::new();
        self.is_attached = one_in(rng, 4);
        if self.is_attached {
            settings.push("ATTACH ':memory:' AS aux".to_owned());
        }
        if one_in(rng, 3) {
            settings.push("PRAGMA foreign_keys = ON".to_owned());
        }
        if one_in(rng, 8) {
            settings.push("PRAGMA legacy_alter_table = ON".to_owned());
        }
        settings
    }

    fn schemas(&self) -> &'static [&'static str] {
        if self.is_attached { &["main", "temp", "aux"] } else { &["main", "temp"] }
    }

    /// Reads the current names.
    fn read(&mut self, pair: &Pair) {
        let sql =
            "SELECT schema, name, type = 'view' FROM pragma_table_list WHERE name NOT LIKE 'sqlite%' ORDER BY 1, 2";
        let relations = pair.ask_sqlite(sql);
        let columns_of = |schema: &str, name: &str| -> Vec<String> {
            let literal = format!("'{}'", name.replace('\'', "''"));
            let sql = format!("SELECT name FROM pragma_table_xinfo({literal}, '{schema}') ORDER BY cid");
            pair.ask_sqlite(&sql).into_iter().map(|mut row| row.remove(0)).collect()
        };
        let relation = |row: Vec<String>| Relation {
            columns: columns_of(&row[0], &row[1]),
            schema: row[0].clone(),
            name: row[1].clone(),
            is_view: row[2] == "1",
            has_texts: false,
        };
        self.relations = relations.into_iter().map(relation).filter(|relation| !relation.columns.is_empty()).collect();
        self.read_texts(pair);
        let (mut indexes, mut triggers) = (Vec::new(), Vec::new());
        for schema in self.schemas() {
            let named = |kind| {
                let sql = format!("SELECT name FROM {schema}.sqlite_schema WHERE type = '{kind}' AND sql IS NOT NULL");
                let rows = pair.ask_sqlite(&sql);
                rows.into_iter().map(|row| format!("{schema}.{}", in_quotes(&row[0]))).collect::<Vec<_>>()
            };
            indexes.extend(named("index"));
            triggers.extend(named("trigger"));
        }
        (self.indexes, self.triggers) = (indexes, triggers);
    }

    /// Finds the views that have texts in double quotes.
    fn read_texts(&mut self, pair: &Pair) {
        let text = |relation: &Relation| {
            let name = relation.name.replace('\'', "''");
            let sql = format!("SELECT lower(sql) FROM {}.sqlite_schema WHERE name = '{name}'", relation.schema);
            pair.ask_sqlite(&sql).into_iter().flatten().collect::<String>()
        };
        let texts: Vec<String> = self.relations.iter().map(text).collect();
        for _ in 0..self.relations.len() {
            let of: Vec<String> =
                self.relations.iter().filter(|r| r.has_texts).map(|r| r.name.to_lowercase()).collect();
            for (relation, text) in self.relations.iter_mut().zip(&texts).filter(|(relation, _)| relation.is_view) {
                relation.has_texts = text.contains('"') || of.iter().any(|name| text.contains(name));
            }
        }
    }

    fn number(&mut self) -> usize {
        self.made += 1;
        self.made
    }

    /// A table, or sometimes a view.
    fn any_relation(&self, rng: &mut Rng) -> Option<Relation> {
        let tables_only = !one_in(rng, 5);
        let relations: Vec<&Relation> = self.relations.iter().filter(|of| !(tables_only && of.is_view)).collect();
        (!relations.is_empty()).then(|| (*pick(rng, &relations)).clone())
    }
}

/// Names of columns. Tables share them, so that they are ambiguous or denote something else.
const COLUMNS: [&str; 12] = ["a", "b", "c", "d", "e", "x y", "order", "a\"b", "é", "k'q", "t1", "rowid"];
/// Names of tables.
const TABLES: [&str; 7] = ["t1", "t2", "t3", "t 4", "group", "a", "b"];

/// The name in double quotes.
fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name in one of its possible notations.
fn written(rng: &mut Rng, name: &str) -> String {
    let is_plain =
        name.chars().all(|c| c.is_alphanumeric()) && !matches!(&*name.to_ascii_lowercase(), "order" | "group");
    let cased = if one_in(rng, 8) { name.to_ascii_uppercase() } else { name.to_owned() };
    match rng.u32(0..10) {
        0..7 if is_plain => cased,
        7 if !cased.contains(']') => format!("[{cased}]"),
        8 => format!("`{}`", cased.replace('`', "``")),
        _ => in_quotes(&cased),
    }
}

/// One of the names, in one of its possible notations.
fn any_written(rng: &mut Rng, names: &[impl AsRef<str>]) -> String {
    let name = pick(rng, names).as_ref().to_owned();
    written(rng, &name)
}
