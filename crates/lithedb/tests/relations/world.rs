//! Random tables for relations. Every table has a unique number `id`, and `mark`, which no predicate or index uses.

use fastrand::Rng;

use crate::expr::literal;
use crate::predicate::{Subject, index_terms, tree};
use crate::schema::{one_in, pick};

/// The tables of a world, and the statements that make them.
pub struct World {
    pub script: Vec<String>,
    pub tables: Vec<Table>,
}

/// A table.
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
    pub has_rowid: bool,
    /// Whether no column has an affinity or a collation, so that `+c` equals c.
    pub is_plain: bool,
    pub indexes: Vec<String>,
}

const TYPES: [&str; 8] = ["", "", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "ANY"];
const COLLATIONS: [&str; 5] = ["", "", "", " COLLATE NOCASE", " COLLATE RTRIM"];
const KEYS: [&str; 4] = ["id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY", "id INT UNIQUE", "id INT NOT NULL"];

impl World {
    pub fn random(rng: &mut Rng) -> World {
        let mut world = World { script: Vec::new(), tables: Vec::new() };
        for name in ["r", "s"] {
            world.table(rng, name);
        }
        world
    }

    fn table(&mut self, rng: &mut Rng, name: &str) {
        let columns: Vec<String> = (0..rng.usize(2..5)).map(|i| format!("c{i}")).collect();
        let (is_plain, has_rowid) = (one_in(rng, 3), !one_in(rng, 4));
        let mut parts = vec![if has_rowid { (*pick(rng, &KEYS)).to_owned() } else { "id INT".to_owned() }];
        for column in &columns {
            let kind = if is_plain { "" } else { pick(rng, &TYPES) };
            let collation = if is_plain { "" } else { pick(rng, &COLLATIONS) };
            parts.push(format!("{column} {kind}{collation}"));
        }
        parts.push("mark".to_owned());
        if !has_rowid {
            let key = [format!("id, {}", columns[0]), format!("{}, id DESC", columns[1]), "id".to_owned()];
            parts.push(format!("PRIMARY KEY({})", pick(rng, &key)));
        }
        let options = if has_rowid { "" } else { " WITHOUT ROWID" };
        self.script.push(format!("CREATE TABLE {name}({}){options}", parts.join(", ")));
        let mut indexes = Vec::new();
        for i in 0..rng.usize(1..5) {
            let filter = if one_in(rng, 4) {
                let subject = Subject { columns: &columns, rowid: None, other: None };
                format!(" WHERE {}", tree(rng, &subject, 1))
            } else {
                String::new()
            };
            indexes.push(format!("i_{name}{i}"));
            self.script.push(format!("CREATE INDEX i_{name}{i} ON {name}({}){filter}", index_terms(rng, &columns)));
        }
        for id in 0..rng.u32(0..40) {
            let values: Vec<String> = columns.iter().map(|_| literal(rng)).collect();
            self.script.push(format!("INSERT INTO {name} VALUES ({id}, {}, NULL)", values.join(", ")));
        }
        self.tables.push(Table { name: name.to_owned(), columns, has_rowid, is_plain, indexes });
    }
}

impl Table {
    /// A predicate.
    pub fn predicate(&self, rng: &mut Rng, other: &Table) -> String {
        let rowid = if self.has_rowid { *pick(rng, &["rowid", "id"]) } else { "id" };
        let subject =
            Subject { columns: &self.columns, rowid: Some(rowid), other: Some((&other.name, &other.columns)) };
        let depth = rng.u32(0..4);
        tree(rng, &subject, depth)
    }

    /// A predicate without and with a + before each column. Because + removes a column's affinity, neither table may have affinities.
    pub fn predicate_with_plus(&self, rng: &mut Rng, other: &Table) -> [String; 2] {
        let mut again = rng.clone();
        let make = |rng: &mut Rng, prefix: &str| {
            let columns: Vec<String> = self.columns.iter().map(|column| format!("{prefix}{column}")).collect();
            let subject = Subject { columns: &columns, rowid: None, other: Some((&other.name, &other.columns)) };
            tree(rng, &subject, 2)
        };
        [make(rng, ""), make(&mut again, "+")]
    }
}
