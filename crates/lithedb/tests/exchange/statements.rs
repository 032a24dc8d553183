//! Random statements with the same results on both engines.

use fastrand::Rng;

/// The objects that the generator has created. Statements may fail, if they fail on both engines.
pub struct Generator {
    pub rng: Rng,
    page_size: usize,
    tables: Vec<Table>,
    indexes: Vec<String>,
    /// The number of objects created, for their names.
    made: usize,
}

struct Table {
    name: String,
    columns: Vec<String>,
    has_rowid: bool,
}

const TYPES: [&str; 8] = ["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "VARCHAR(20)", "DOUBLE"];
const COLLATIONS: [&str; 6] = ["", "", "", " COLLATE NOCASE", " COLLATE RTRIM", " COLLATE BINARY"];

pub fn pick<'c, T>(rng: &mut Rng, choices: &'c [T]) -> &'c T {
    &choices[rng.usize(0..choices.len())]
}

impl Generator {
    pub fn new(rng: Rng, page_size: usize) -> Generator {
        Generator { rng, page_size, tables: Vec::new(), indexes: Vec::new(), made: 0 }
    }

    /// The statements of a round. The first round begins with tables.
    pub fn round(&mut self, count: usize) -> Vec<String> {
        let mut statements = Vec::new();
        while self.tables.len() < 2 {
            statements.push(self.create_table());
        }
        while statements.len() < count {
            self.add(&mut statements);
        }
        statements
    }

    fn add(&mut self, statements: &mut Vec<String>) {
        let statement = match self.rng.u32(0..100) {
            0..2 => self.create_table(),
            2..6 => self.create_index(),
            6..8 => self.drop_index(),
            8..9 => self.drop_table(),
            9..11 => self.alter_table(),
            11..12 => "REINDEX".to_owned(),
            12..15 => format!("PRAGMA incremental_vacuum({})", self.rng.u32(0..20)),
            15..16 => self.create_other(),
            16..30 => self.insert_many(),
            30..62 => self.insert(),
            62..78 => self.update(),
            78..92 => self.delete(),
            _ => {
                let end = if self.rng.bool() { "COMMIT" } else { "ROLLBACK" };
                statements.push("BEGIN".to_owned());
                let changes = self.rng.usize(1..8);
                (0..changes).for_each(|_| {
                    let change = match self.rng.u32(0..4) {
                        0 => self.insert_many(),
                        1 => self.insert(),
                        2 => self.update(),
                        _ => self.delete(),
                    };
                    statements.push(change);
                });
                end.to_owned()
            }
        };
        statements.push(statement);
    }

    fn create_table(&mut self) -> String {
        self.made += 1;
        let name = format!("t{}", self.made);
        let columns: Vec<String> = (0..self.rng.usize(2..7)).map(|i| format!("c{i}")).collect();
        let has_rowid = self.rng.u32(0..4) != 0;
        let integer_key = has_rowid && self.rng.u32(0..3) == 0;
        let mut parts: Vec<String> = Vec::new();
        for (i, column) in columns.iter().enumerate() {
            let collation = pick(&mut self.rng, &COLLATIONS);
            let kind = pick(&mut self.rng, &TYPES);
            parts.push(match (integer_key && i == 0, self.rng.u32(0..12)) {
                (true, 0..4) => format!("{column} INTEGER PRIMARY KEY AUTOINCREMENT"),
                (true, _) => format!("{column} INTEGER PRIMARY KEY"),
                (_, 0) => format!("{column} {kind}{collation} NOT NULL DEFAULT 7"),
                (_, 1) => format!("{column} {kind}{collation} DEFAULT 'd\u{e9}faut'"),
                (_, 2) => format!("{column} {kind}{collation} UNIQUE ON CONFLICT IGNORE"),
                (_, 3) if i > 0 => format!("{column} {kind}{collation} AS (quote(c0)) STORED"),
                (_, 4) if i > 0 => format!("{column} {kind}{collation} AS (length(c0))"),
                _ => format!("{column} {kind}{collation}"),
            });
        }
        if !has_rowid || (!integer_key && self.rng.u32(0..5) == 0) {
            let generated =
                |column: &&String| parts.iter().any(|p| p.starts_with(&format!("{column} ")) && p.contains(" AS ("));
            let mut key: Vec<String> = columns.iter().filter(|c| !generated(c)).take(2).cloned().collect();
            if self.rng.bool() {
                key.reverse();
            }
            if self.rng.u32(0..3) == 0 {
                key[0].push_str(" DESC");
            }
            parts.push(format!("PRIMARY KEY({}) ON CONFLICT REPLACE", key.join(", ")));
        }
        let suffix = if has_rowid { "" } else { " WITHOUT ROWID" };
        let sql = format!("CREATE TABLE {name}({}){suffix}", parts.join(", "));
        let is_generated =
            |column: &String| parts.iter().any(|p| p.starts_with(&format!("{column} ")) && p.contains(" AS ("));
        let columns = columns.iter().filter(|c| !is_generated(c)).cloned().collect();
        self.tables.push(Table { name, columns, has_rowid });
        sql
    }

    fn create_index(&mut self) -> String {
        self.made += 1;
        let name = format!("i{}", self.made);
        let table = self.rng.usize(0..self.tables.len());
        let columns = self.tables[table].columns.clone();
        let mut key = Vec::new();
        for _ in 0..self.rng.usize(1..4) {
            let column = pick(&mut self.rng, &columns).clone();
            key.push(match self.rng.u32(0..8) {
                0 => format!("{column} DESC"),
                1 => format!("{column} COLLATE NOCASE"),
                2 => format!("{column} COLLATE RTRIM DESC"),
                3 => format!("typeof({column})"),
                4 => format!("quote({column}) COLLATE NOCASE"),
                _ => column,
            });
        }
        let unique = if self.rng.u32(0..12) == 0 { "UNIQUE " } else { "" };
        let filter = match self.rng.u32(0..5) {
            0 => format!(" WHERE {} IS NOT NULL", columns[0]),
            1 => format!(" WHERE {} > 3", pick(&mut self.rng, &columns)),
            _ => String::new(),
        };
        self.indexes.push(name.clone());
        format!("CREATE {unique}INDEX {name} ON {}({}){filter}", self.tables[table].name, key.join(", "))
    }

    fn drop_index(&mut self) -> String {
        if self.indexes.is_empty() {
            return self.insert();
        }
        let at = self.rng.usize(0..self.indexes.len());
        format!("DROP INDEX IF EXISTS {}", self.indexes.swap_remove(at))
    }

    fn drop_table(&mut self) -> String {
        if self.tables.len() < 3 {
            return self.insert();
        }
        let at = self.rng.usize(0..self.tables.len());
        format!("DROP TABLE IF EXISTS {}", self.tables.swap_remove(at).name)
    }

    fn alter_table(&mut self) -> String {
        self.made += 1;
        let column = format!("c{}", self.made + 10);
        let default = self.literal();
        let at = self.rng.usize(0..self.tables.len());
        let table = &mut self.tables[at];
        if self.rng.u32(0..3) == 0 {
            let new = format!("t{}", self.made);
            let old = std::mem::replace(&mut table.name, new.clone());
            return format!("ALTER TABLE {old} RENAME TO {new}");
        }
        table.columns.push(column.clone());
        format!("ALTER TABLE {} ADD COLUMN {column} DEFAULT {default}", table.name)
    }

    fn create_other(&mut self) -> String {
        self.made += 1;
        let table = pick(&mut self.rng, &self.tables).name.clone();
        if self.rng.bool() {
            return format!("CREATE VIEW v{} AS SELECT * FROM {table} WHERE 'h\u{e9}' <> \"x\"", self.made);
        }
        format!("CREATE TRIGGER g{} AFTER DELETE ON {table} WHEN 0 BEGIN SELECT 1; END", self.made)
    }

    fn insert(&mut self) -> String {
        let (name, columns) = self.table();
        let rows: Vec<String> = (0..self.rng.usize(1..4))
            .map(|_| format!("({})", columns.iter().map(|_| self.literal()).collect::<Vec<_>>().join(", ")))
            .collect();
        let or = *pick(&mut self.rng, &["", "", " OR REPLACE", " OR IGNORE"]);
        format!("INSERT{or} INTO {name}({}) VALUES {}", columns.join(", "), rows.join(", "))
    }

    /// An INSERT of many rows with values that depend on a counter.
    fn insert_many(&mut self) -> String {
        let (name, columns) = self.table();
        let (first, count) = (self.rng.i64(-50..2000), self.rng.u32(5..120));
        let values: Vec<String> = columns.iter().map(|_| self.computed()).collect();
        format!(
            "WITH RECURSIVE n(i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n LIMIT {count}) \
             INSERT OR IGNORE INTO {name}({}) SELECT {} FROM n",
            columns.join(", "),
            values.join(", ")
        )
    }

    fn update(&mut self) -> String {
        let (name, columns) = self.table();
        let mut changes = Vec::new();
        for _ in 0..self.rng.usize(1..3) {
            let column = pick(&mut self.rng, &columns).clone();
            let value = match self.rng.u32(0..6) {
                // The conversion of a blob to a text of UTF-16 is not documented.
                0 => format!("CASE WHEN typeof({column}) = 'blob' THEN {column} ELSE {column} || 'q' END"),
                1 => format!("CASE WHEN typeof({column}) = 'blob' THEN {column} ELSE {column} + 1 END"),
                2 => format!("substr({column}, 2)"),
                _ => self.literal(),
            };
            changes.push(format!("{column} = {value}"));
        }
        let or = *pick(&mut self.rng, &["", " OR REPLACE", " OR IGNORE", " OR IGNORE"]);
        format!("UPDATE{or} {name} SET {}{}", changes.join(", "), self.filter(&columns))
    }

    fn delete(&mut self) -> String {
        let (name, columns) = self.table();
        format!("DELETE FROM {name}{}", self.filter(&columns))
    }

    fn filter(&mut self, columns: &[String]) -> String {
        let column = pick(&mut self.rng, columns).clone();
        match self.rng.u32(0..12) {
            0 => String::new(),
            1..3 => format!(" WHERE {column} > {}", self.literal()),
            3..5 => format!(" WHERE {column} <= {}", self.literal()),
            5 => format!(" WHERE {column} IS NULL"),
            6 => format!(" WHERE {column} = {}", self.literal()),
            7 => format!(" WHERE length({column}) % 3 = 1"),
            _ => format!(" WHERE length(quote({column})) % 7 = {}", self.rng.u32(0..7)),
        }
    }

    fn table(&mut self) -> (String, Vec<String>) {
        let table = pick(&mut self.rng, &self.tables);
        let mut columns = table.columns.clone();
        if table.has_rowid && columns[0] != "rowid" && self.rng.u32(0..20) == 0 {
            columns.push("rowid".to_owned());
        }
        (table.name.clone(), columns)
    }

    /// A value; sometimes one that needs overflow pages.
    fn literal(&mut self) -> String {
        let rng = &mut self.rng;
        match rng.u32(0..20) {
            0..2 => "NULL".to_owned(),
            2..5 => rng.i64(-20..200).to_string(),
            5 => rng.i64(..).to_string(),
            6..8 => format!("{}.{}", rng.i64(-20..200), rng.u32(0..100)),
            8 => pick(rng, &["1e300", "-0.0", "2.0", "9007199254740993.0", "1e999", "0.1"]).to_string(),
            9..16 => format!("'{}'", word(rng)),
            16 => format!("x'{}'", (0..rng.usize(0..20)).map(|_| format!("{:02x}", rng.u8(..))).collect::<String>()),
            17 => format!("zeroblob({})", rng.usize(0..self.page_size * 4)),
            18 => format!(
                "printf('%.*c', {}, '{}')",
                rng.usize(0..self.page_size * 3),
                pick(rng, &["a", "\u{e9}", "\u{4e2d}"])
            ),
            _ => format!("'n' || char(0, {}) || 'z'", rng.u32(0..9)),
        }
    }

    /// An expression over the counter `i`.
    fn computed(&mut self) -> String {
        let rng = &mut self.rng;
        match rng.u32(0..12) {
            0 => "i".to_owned(),
            1 => "i * 7919 % 1000".to_owned(),
            2 => "i / 8.0".to_owned(),
            3 => "'k' || (i * 31 % 97)".to_owned(),
            4 => "printf('%08d', i * 7919 % 100000)".to_owned(),
            5 => "char(97 + abs(i) % 26, 0x4e00 + abs(i) % 500)".to_owned(),
            6 => "char(0xe000 + abs(i), 0x10000 + abs(i) % 1000)".to_owned(),
            7 => format!("printf('%.*c', abs(i) % {}, 'y')", rng.usize(1..self.page_size)),
            8 => format!("zeroblob(abs(i) % {})", rng.usize(1..self.page_size)),
            9 => "CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN 'x' ELSE i END".to_owned(),
            10 => "i % 5".to_owned(),
            _ => self.literal(),
        }
    }
}

/// Words of all lengths in UTF-8, from ASCII to beyond the basic plane, whose order differs between encodings.
fn word(rng: &mut Rng) -> String {
    let letters = [
        'a',
        'B',
        'b',
        'z',
        ' ',
        '0',
        '\u{e9}',
        '\u{df}',
        '\u{4e2d}',
        '\u{ff5e}',
        '\u{fffd}',
        '\u{1f600}',
        '\u{10ffff}',
    ];
    (0..rng.usize(0..12)).map(|_| *pick(rng, &letters)).collect()
}
