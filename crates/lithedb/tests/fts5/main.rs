//! Full-text tables against SQLite's: the same statements leave the same bytes in the shadow tables, and find the same rows.
#![cfg(feature = "fts5")]

#[path = "../common/mod.rs"]
mod common;
mod rows;

use common::pair::{Pair, answer_of_lithe, answer_of_sqlite};
use fastrand::Rng;
use lithe::Connection;

/// The same bytes in all shadow tables.
fn compare_tables(pair: &mut Pair, has_sizes: bool) {
    let len = pair.log.len();
    pair.ask("SELECT id, block FROM t_data ORDER BY id").unwrap();
    pair.ask("SELECT segid, term, pgno FROM t_idx ORDER BY segid, term").unwrap();
    pair.ask("SELECT * FROM t_config ORDER BY k").unwrap();
    if has_sizes {
        pair.ask("SELECT * FROM t_docsize ORDER BY id").unwrap();
    }
    pair.log.truncate(len);
}

/// Words as they are used: few of them often, many seldom.
fn document(rng: &mut Rng, count: usize, vocabulary: usize) -> String {
    let mut word = || {
        let rank = (1.0 / rng.f64().max(1e-9)) as usize % vocabulary;
        format!("{}{rank}", ["w", "of", "xyz", "é"][rank % 4])
    };
    (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
}

struct World {
    rng: Rng,
    is_contentless: bool,
    rows: i64,
    words_max: usize,
    vocabulary: usize,
    in_transaction: bool,
    /// Whether merges may stop half way.
    has_partial_merges: bool,
}

impl World {
    fn document(&mut self, part: usize) -> String {
        let count = self.rng.usize(0..=self.words_max / part);
        document(&mut self.rng, count, self.vocabulary)
    }

    fn statement(&mut self) -> String {
        let rowid = match self.rng.u8(..20) {
            0 => -self.rng.i64(0..5),
            1 => 3_000_000_000 + self.rng.i64(0..3),
            _ => self.rng.i64(0..self.rows),
        };
        let (first, second) = (self.document(1), self.document(3));
        match self.rng.u8(..100) {
            0..6 => {
                self.in_transaction = !self.in_transaction;
                if self.in_transaction { "BEGIN" } else { "COMMIT" }.to_owned()
            }
            6..10 if self.in_transaction => "SAVEPOINT one".to_owned(),
            10..14 if self.in_transaction => "ROLLBACK TO one".to_owned(),
            14..16 if self.in_transaction => "RELEASE one".to_owned(),
            16 => "INSERT INTO t(t) VALUES('optimize')".to_owned(),
            17..22 if self.has_partial_merges => {
                let pages = [1, 2, 10, 100, -1, -3, -20][self.rng.usize(..7)];
                format!("INSERT INTO t(t, rank) VALUES('merge', {pages})")
            }
            17 if !self.is_contentless => "INSERT INTO t(t) VALUES('rebuild')".to_owned(),
            18 => "INSERT INTO t(t) VALUES('integrity-check')".to_owned(),
            24..40 => format!("DELETE FROM t WHERE rowid = {rowid}"),
            40..52 if self.is_contentless => {
                format!("UPDATE t SET a = '{first}', b = '{second}' WHERE rowid = {rowid}")
            }
            40..52 => format!("UPDATE t SET a = '{first}' WHERE rowid = {rowid}"),
            52..54 if !self.is_contentless => {
                format!("UPDATE OR REPLACE t SET rowid = {} WHERE rowid = {rowid}", self.rng.i64(0..self.rows))
            }
            54..66 => format!("INSERT INTO t(a, b) VALUES('{first}', '{second}')"),
            _ => format!("INSERT OR REPLACE INTO t(rowid, a, b) VALUES({rowid}, '{first}', '{second}')"),
        }
    }
}

/// Makes a table as the random numbers say; whether rows can be deleted without their content, and whether it has sizes.
fn make_table(rng: &mut Rng, pair: &mut Pair, has_partial_merges: bool) -> (bool, bool) {
    let tokenizer = ["ascii", "unicode61", "porter"][rng.usize(..3)];
    let detail = ["full", "full", "columns", "none"][rng.usize(..4)];
    let prefix = ["", "", ", prefix='1'", ", prefix='2 3'"][rng.usize(..4)];
    let content = ["", "", "", ", columnsize=0", ", content='', contentless_delete=1"][rng.usize(..5)];
    pair.ask(&format!(
        "CREATE VIRTUAL TABLE t USING fts5(a, b, tokenize={tokenizer}, detail={detail}{prefix}{content})"
    ))
    .unwrap();
    let automerge: &[i64] = if has_partial_merges { &[0, 2, 4, 8] } else { &[0] };
    let settings: [(&str, &[i64]); 6] = [
        ("automerge", automerge),
        ("pgsz", &[64, 100, 200, 512, 4050]),
        ("hashsize", &[100, 1000, 10000]),
        ("crisismerge", &[2, 3, 4, 8, 16]),
        ("usermerge", &[2, 3, 4]),
        ("deletemerge", &[10, 50]),
    ];
    for (name, values) in settings {
        if name == "automerge" || rng.bool() {
            let value = values[rng.usize(..values.len())];
            pair.ask(&format!("INSERT INTO t(t, rank) VALUES('{name}', {value})")).unwrap();
        }
    }
    (content.contains("content=''"), !content.contains("columnsize"))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// What an index says of some tokens.
fn compare_queries(pair: &mut Pair) {
    for query in ["of1", "w4", "xyz2", "é3", "w*", "of1 NOT w4", "of5 OR xyz6"] {
        let _ = pair.ask(&format!("SELECT rowid FROM t WHERE t MATCH '{query}'"));
        let _ = pair.ask(&format!("SELECT rowid FROM t WHERE t MATCH '{query}' AND rowid > 20 ORDER BY rowid DESC"));
    }
}

#[test]
fn random_statements_leave_the_same_bytes() {
    let (first, worlds) = (setting("FTS5_FIRST", 0), setting("FTS5_WORLDS", 40));
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let mut pair = Pair::new();
        pair.log.push(format!("-- world {seed}"));
        // An unfinished merge drops some superseded entries earlier or later than SQLite's: no query sees that, but bytes differ.
        let has_partial_merges = seed % 2 == 0;
        let (is_contentless, has_sizes) = make_table(&mut rng, &mut pair, has_partial_merges);
        let (words_max, vocabulary) = ([3, 10, 50, 300][rng.usize(..4)], [10, 100, 5000][rng.usize(..3)]);
        let rows = [5, 50, 500][rng.usize(..3)];
        let mut world =
            World { rng, is_contentless, rows, words_max, vocabulary, in_transaction: false, has_partial_merges };
        for step in 0..120 {
            let sql = world.statement();
            let _ = pair.ask(&sql);
            // (SQLite 3.54 counts other totals of tables without content.)
            if !has_partial_merges && !is_contentless {
                compare_tables(&mut pair, has_sizes);
            }
            if step % 12 == 11 {
                let _ = pair.ask("SELECT rowid, * FROM t");
                compare_queries(&mut pair);
            }
        }
        if world.in_transaction {
            pair.ask("COMMIT").unwrap();
        }
        pair.ask("INSERT INTO t(t) VALUES('integrity-check')").unwrap();
        pair.ask("PRAGMA integrity_check").unwrap();
    }
}

#[test]
fn each_goes_on_where_the_other_has_stopped() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..setting("FTS5_WORLDS", 12) {
        let file = folder.path().join(format!("{seed}.db"));
        let (lithe, sqlite) = (Connection::open(&file).unwrap(), rusqlite::Connection::open(&file).unwrap());
        let rng = Rng::with_seed(seed);
        let mut world = World {
            rng,
            is_contentless: false,
            rows: 30,
            words_max: 20,
            vocabulary: 50,
            in_transaction: false,
            has_partial_merges: true,
        };
        answer_of_lithe(&lithe, "CREATE VIRTUAL TABLE t USING fts5(a, b, prefix='1')").unwrap();
        answer_of_sqlite(&sqlite, "INSERT INTO t(t, rank) VALUES('pgsz', 100)").unwrap();
        let mut log = Vec::new();
        for _ in 0..60 {
            let sql = world.statement();
            world.in_transaction = false;
            if ["BEGIN", "COMMIT", "SAVEPOINT", "ROLLBACK", "RELEASE"].iter().any(|word| sql.starts_with(word)) {
                continue;
            }
            let is_ours = world.rng.bool();
            log.push(format!("{is_ours}: {sql}"));
            let _ = if is_ours { answer_of_lithe(&lithe, &sql) } else { answer_of_sqlite(&sqlite, &sql) };
            let check = "INSERT INTO t(t) VALUES('integrity-check')";
            assert_eq!(answer_of_sqlite(&sqlite, check), Ok(vec![]), "{}", log.join(";\n"));
            assert_eq!(answer_of_lithe(&lithe, check), Ok(vec![]), "{}", log.join(";\n"));
        }
    }
}

/// Random texts of queries, and statements with them.
struct Queries<'r> {
    rng: &'r mut Rng,
    vocabulary: usize,
}

impl Queries<'_> {
    fn word(&mut self) -> String {
        match self.rng.u8(..12) {
            0 => "absent".to_owned(),
            _ => document(self.rng, 1, self.vocabulary),
        }
    }

    fn phrase(&mut self) -> String {
        let word = self.word();
        let prefix: String = word.chars().take(self.rng.usize(1..4)).collect();
        match self.rng.u8(..12) {
            0 | 1 => format!("{prefix} *"),
            2 => format!("\"{word} {}\"", self.word()),
            3 => format!("{word} + {}", self.word()),
            4 => format!("{word} + {prefix} *"),
            5 => format!("^ {word}"),
            6 => format!("NEAR({word} {})", self.word()),
            7 => format!("NEAR({word} {prefix} * \"{}\", {})", self.word(), self.rng.u8(0..8)),
            _ => word,
        }
    }

    fn text(&mut self, depth: u32) -> String {
        if depth == 0 || self.rng.u8(..4) == 0 {
            return self.phrase();
        }
        let left = self.text(depth - 1);
        match self.rng.u8(..12) {
            0 | 1 => format!("({left}) AND ({})", self.text(depth - 1)),
            2 | 3 => format!("({left}) OR {}", self.text(depth - 1)),
            4 | 5 => format!("({left}) NOT ({})", self.text(depth - 1)),
            6 => format!("{left} {}", self.phrase()),
            7 => format!("a : ({left})"),
            8 => format!("{{a b}} : ({left})"),
            9 => format!("- b : ({left})"),
            10 => format!("{left} OR b : {}", self.phrase()),
            _ => format!("{left} AND {}", self.phrase()),
        }
    }

    fn select(&mut self) -> String {
        let text = self.text(3).replace('\'', "''");
        let columns = match self.rng.u8(..8) {
            0 => "rowid",
            1 => "rowid, rank",
            2 => "rowid, bm25(t)",
            3 => "rowid, bm25(t, 3.0, 0.5)",
            4 => "rowid, highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']')",
            5 => "rowid, snippet(t, -1, '[', ']', '..', 5)",
            6 => "rowid, snippet(t, 1, '[', ']', '..', 12)",
            _ => "count(*)",
        };
        let range = ["", "", " AND rowid > 20", " AND rowid BETWEEN 3 AND 30"][self.rng.usize(..4)];
        let order = ["", "", " ORDER BY rowid DESC", " ORDER BY rank", " ORDER BY rank LIMIT 5"][self.rng.usize(..5)];
        let column = ["t", "t", "t", "a"][self.rng.usize(..4)];
        match self.rng.u8(..6) {
            0 => {
                let condition = self.disjunction(&format!("{column} MATCH '{text}'"));
                // A row that is found by its rowid has no rank.
                let order = if order.contains("rank") { "" } else { order };
                format!("SELECT t.rowid, a FROM t WHERE {condition}{range}{order}")
            }
            1 => {
                let condition = self.disjunction(&format!("t MATCH '{text}'"));
                // (Beside conditions on the other table SQLite checks the OR once more, and MATCH fails there.)
                let join = ["u, t", "t, u"][self.rng.usize(..2)];
                format!("SELECT n, t.rowid FROM {join} WHERE {condition} ORDER BY n, k, t.rowid LIMIT 30")
            }
            2 => {
                let order = ["rank", "t.rowid", "t.rowid DESC", "rank, n", "k"][self.rng.usize(..5)];
                let limit = ["", " LIMIT 4", " LIMIT 3 OFFSET 2"][self.rng.usize(..3)];
                let join = ["t JOIN u ON t.rowid = u.k", "u JOIN t ON t.rowid = u.k", "u, t"][self.rng.usize(..3)];
                let one = ["", " AND u.k = 5"][self.rng.usize(..2)];
                format!("SELECT n, t.rowid FROM {join} WHERE t MATCH '{text}'{one} ORDER BY {order}{limit}")
            }
            _ => format!("SELECT {columns} FROM t WHERE {column} MATCH '{text}'{range}{order}"),
        }
    }

    /// An OR of this condition with others, which the index serves, too, or does not.
    fn disjunction(&mut self, condition: &str) -> String {
        let mut branches = vec![condition.to_owned()];
        for _ in 0..self.rng.usize(1..3) {
            let (text, rowid) = (self.text(1).replace('\'', "''"), self.rng.u8(0..60));
            let branch = match self.rng.u8(..9) {
                0 => format!("t.rowid = {rowid}"),
                1 => format!("t.rowid IN ({rowid}, {}, 5)", rowid / 2),
                2 => format!("t.rowid < {rowid}"),
                3 => format!("b MATCH '{text}' AND t.rowid > {rowid}"),
                4 => format!("a LIKE '%{}%'", self.word()),
                _ => format!("t MATCH '{text}'"),
            };
            branches.insert(self.rng.usize(..=branches.len()), branch);
        }
        format!("({})", branches.join(" OR "))
    }
}

/// FTS5_QUERIES are asked in each of FTS5_WORLDS.
#[test]
fn random_queries_find_the_same() {
    let (first, worlds) = (setting("FTS5_FIRST", 0), setting("FTS5_WORLDS", 40));
    for seed in first..first + worlds {
        let mut rng = Rng::with_seed(seed);
        let mut pair = Pair::new();
        pair.log.push(format!("-- world {seed}"));
        let (is_contentless, _) = make_table(&mut rng, &mut pair, seed % 2 == 0);
        let (words_max, vocabulary) = ([3, 10, 40][rng.usize(..3)], [10, 30, 200][rng.usize(..3)]);
        for _ in 0..60 {
            let count = rng.usize(0..=words_max);
            let (a, b) = (document(&mut rng, count, vocabulary), document(&mut rng, words_max / 2, vocabulary));
            let insert = match rng.u8(..5) {
                0 if !is_contentless => format!("DELETE FROM t WHERE rowid = {}", rng.u8(1..60)),
                _ => format!("INSERT INTO t(a, b) VALUES('{a}', '{b}')"),
            };
            let _ = pair.ask(&insert);
        }
        pair.ask("CREATE TABLE u(k INTEGER PRIMARY KEY, n)").unwrap();
        for k in 1..40 {
            pair.ask(&format!("INSERT INTO u VALUES({k}, {})", rng.u8(..5))).unwrap();
        }
        let mut queries = Queries { rng: &mut rng, vocabulary };
        for _ in 0..setting("FTS5_QUERIES", 40) {
            let select = queries.select();
            let len = pair.log.len();
            let _ = pair.ask(&select);
            pair.log.truncate(len);
        }
    }
}

/// What auxiliary functions say of phrases that have no part in a row's being found: random queries have found these.
#[test]
fn phrases_without_part_in_a_row_count_as_in_sqlite() {
    for detail in ["full", "columns", "none"] {
        let mut pair = Pair::new();
        pair.ask(&format!("CREATE VIRTUAL TABLE t USING fts5(a, b, detail={detail})")).unwrap();
        pair.ask("INSERT INTO t(a, b) VALUES('w4 of1 q', ''), ('of1', 'of1 w4'), ('w4', 'of1 é3'), ('of1', '')")
            .unwrap();
        for query in [
            // Filters that leave no column: such a phrase has no rows, and the NOT is at its end from the start.
            "of1 OR (a : (b : of1)) NOT w4",
            "of1 OR (a : (b : w4) OR b : w4) NOT of1",
            "of1 OR (- {a b} : of1) NOT w4",
            "of1 OR (w4 AND a : (b : of1))",
            // A sort evaluates queries once more where the index does not know offsets.
            "w4 OR (absent NOT of1)",
            "w4 OR ((absent NOT of1) NOT of1)",
            "w4 OR (of1 NOT (absent NOT w4))",
            // Found in an earlier row, at an offset just behind the end of a column.
            "(a : NEAR(of1 q)) OR w*",
            "w* OR a : (NEAR(w4 of1))",
        ] {
            for tail in ["", " AND rowid > 1", " ORDER BY rowid DESC", " ORDER BY rank"] {
                for columns in [
                    "rank, bm25(t), highlight(t, 0, '[', ']'), highlight(t, 1, '[', ']')",
                    "snippet(t, -1, '[', ']', '..', 5)",
                ] {
                    let _ = pair.ask(&format!("SELECT rowid, {columns} FROM t WHERE t MATCH '{query}'{tail}"));
                }
            }
        }
    }
}

/// A phrase or a NEAR of a query that needs it in every row is found at its first place, and at all places once a function asks.
#[test]
fn places_are_found_when_a_function_asks() {
    let mut pair = Pair::new();
    pair.ask("CREATE VIRTUAL TABLE t USING fts5(a, b)").unwrap();
    let (mut rng, range) = (Rng::with_seed(1), 1..40);
    for count in range.clone() {
        let (a, b) = (document(&mut rng, count, 6), document(&mut rng, 5, 6));
        pair.ask(&format!("INSERT INTO t(a, b) VALUES('{a}', '{b}')")).unwrap();
    }
    for query in
        ["\"of1 xyz2\"", "NEAR(of1 w4, 2)", "NEAR(of1 of1)", "of1 + of1", "NEAR(w4 of5) AND xyz2", "\"w4 of1 of1\""]
    {
        pair.ask(&format!("SELECT rowid FROM t WHERE t MATCH '{query}'")).unwrap();
        for row in range.clone() {
            let called = format!("CASE WHEN rowid >= {row} THEN highlight(t, 0, '[', ']') || bm25(t) END");
            pair.ask(&format!("SELECT rowid, {called} FROM t WHERE t MATCH '{query}' ORDER BY rowid DESC")).unwrap();
        }
    }
}

/// When rows that are kept in memory become a segment: random statements have found these.
#[test]
fn segments_are_written_when_sqlite_writes_them() {
    let insert = |rowid: i64| format!("INSERT INTO t(rowid, a) VALUES({rowid}, 'x y')");
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (open, release, back) = ("SAVEPOINT s", "RELEASE s", "ROLLBACK TO s");
    let mut scripts = Vec::new();
    // A savepoint that is released after one within it was opened; a rollback to the outer one changes nothing of that.
    for (mut before, after) in [
        (vec![open, open], vec![release, back, "", release]),
        (vec![open, open], vec![release, back, "", back, "", release]),
        (vec![open], vec![open, "", release, back, "", release]),
        (vec![open, open, open], vec![release, back, "", release, release]),
        (vec![open, open, open], vec![release, release, back, "", release]),
        (vec![open, open], vec![back, release, "", release]),
    ] {
        before.push("");
        before.extend(after);
        let rowids = (1..).map(insert);
        let script = texts(&before).into_iter().zip(rowids);
        scripts.push(script.map(|(sql, insert)| if sql.is_empty() { insert } else { sql }).collect());
    }
    // A row that is deleted and comes again, with a query, a check or an unknown command in between.
    let query = |query: &&str| format!("SELECT rowid FROM t WHERE t MATCH '{query}'");
    let reads = ["x", "x*", "x OR y*", "xyz*"].iter().map(query);
    let commands =
        ["INSERT INTO t(t) VALUES('integrity-check')", "PRAGMA quick_check", "INSERT INTO t(t) VALUES('none')"];
    for read in reads.chain(texts(&commands)) {
        scripts.push(vec![insert(2), "DELETE FROM t WHERE rowid = 2".to_owned(), read, insert(2)]);
    }
    for options in ["", ", prefix=1", ", tokendata=1"] {
        for script in &scripts {
            let mut pair = Pair::new();
            pair.ask(&format!("CREATE VIRTUAL TABLE t USING fts5(a{options})")).unwrap();
            pair.ask("BEGIN").unwrap();
            for sql in script {
                let _ = pair.ask(sql);
                pair.ask("SELECT id, block FROM t_data ORDER BY id").unwrap();
            }
        }
    }
}

#[test]
fn what_is_wrong_is_told_as_by_sqlite() {
    let mut pair = Pair::new();
    pair.ask("CREATE VIRTUAL TABLE t USING fts5(a, b UNINDEXED)").unwrap();
    for sql in [
        "INSERT INTO t(rowid, a) VALUES(1, 'x')",
        "INSERT INTO t(rowid, a) VALUES(1, 'y')",
        "INSERT OR IGNORE INTO t(rowid, a) VALUES(1, 'y')",
        "INSERT INTO t(rowid, a) VALUES('q', 'y')",
        "INSERT INTO t(t) VALUES('nonsense')",
        "INSERT INTO t(t) VALUES('delete-all')",
        "INSERT INTO t(t, rank) VALUES('pgsz', 3)",
        "INSERT INTO t(t, rank) VALUES('automerge', 'x')",
        "SELECT *, rowid FROM t",
        "CREATE VIRTUAL TABLE c USING fts5(a, content='')",
        "INSERT INTO c(a) VALUES('x'), ('y')",
        "SELECT rowid, * FROM c",
        "DELETE FROM c",
        "UPDATE c SET a = 1",
        "INSERT INTO c(c) VALUES('rebuild')",
        "INSERT INTO c(c, rowid, a) VALUES('delete', 1, 'x')",
        "SELECT rowid, * FROM c",
        "CREATE VIRTUAL TABLE n USING fts5(a, content='', columnsize=0)",
        "INSERT INTO n(a) VALUES('x')",
        "SELECT * FROM n",
        "CREATE VIRTUAL TABLE e USING fts5(a, content=e)",
        "SELECT * FROM e",
        "CREATE VIRTUAL TABLE w USING fts5(a, detail=some)",
        "ALTER TABLE t RENAME TO s",
        "SELECT name, sql FROM sqlite_schema ORDER BY name",
        "SELECT rowid FROM s WHERE s MATCH 'x'",
        "DROP TABLE s",
        "SELECT name FROM sqlite_schema ORDER BY name",
    ] {
        let _ = pair.ask(sql);
    }
}

/// Pages are kept between queries: writes of the application to the tables of the index, and rollbacks, are seen nevertheless.
#[test]
fn pages_are_those_of_the_database() {
    let mut pair = Pair::new();
    let select = "SELECT rowid, rank FROM t WHERE t MATCH 'one OR th*' ORDER BY rank";
    for sql in [
        "CREATE VIRTUAL TABLE t USING fts5(a, b)",
        "INSERT INTO t(a, b) VALUES('one two', 'three'), ('two', 'one'), ('three three', 'one two')",
        select,
        select,
        "INSERT INTO t(a) VALUES('one three')",
        select,
        "DELETE FROM t WHERE rowid = 1",
        select,
        "SAVEPOINT s",
        "DELETE FROM t_data WHERE id > 10",
        "SELECT rowid FROM t WHERE t MATCH 'one'",
        "ROLLBACK TO s",
        select,
        "RELEASE s",
        "INSERT INTO t(t) VALUES('rebuild')",
        "BEGIN",
        "INSERT INTO t(a) VALUES('one')",
        "SAVEPOINT s",
        "INSERT INTO t(a) VALUES('one two three one')",
        select,
        "ROLLBACK TO s",
        select,
        "ROLLBACK",
        select,
    ] {
        let _ = pair.ask(sql);
    }
}

#[test]
fn pages_that_others_write_are_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Connection::open(folder.path().join("texts.db")).unwrap();
    let (writer, reader) = (open(), open());
    answer_of_lithe(&writer, "CREATE VIRTUAL TABLE t USING fts5(a)").unwrap();
    for rowid in 1..60 {
        answer_of_lithe(&writer, &format!("INSERT INTO t(a) VALUES('one w{rowid}')")).unwrap();
        for word in ["one", "o*", "w*"] {
            let count = format!("SELECT count(*) FROM t WHERE t MATCH '{word}'");
            assert_eq!(answer_of_lithe(&reader, &count).unwrap(), [rowid.to_string()], "{word}");
        }
    }
}

/// Rows are read ahead: a table that is changed while a statement stands on a row goes on as SQLite's does.
#[test]
fn rows_that_were_read_ahead_may_change() {
    let mut found = Vec::new();
    let fill = "INSERT INTO t(rowid, a) VALUES(1, 'x'), (2, 'x'), (3, 'x y'), (4, 'x'), (5, 'x'), (6, 'y'), (7, 'x')";
    let select = "SELECT rowid, highlight(t, 0, '[', ']') FROM t WHERE t MATCH 'x'";
    let change = |row: i64| match row {
        2 => "DELETE FROM t WHERE rowid = 4",
        3 => "INSERT INTO t(rowid, a) VALUES(8, 'x x')",
        5 => "UPDATE t SET a = 'x z' WHERE rowid = 7",
        _ => "SELECT 1",
    };
    let lithe = Connection::open_in_memory().unwrap();
    for sql in ["CREATE VIRTUAL TABLE t USING fts5(a)", fill] {
        answer_of_lithe(&lithe, sql).unwrap();
    }
    let mut statement = lithe.prepare(select).unwrap();
    while let Some(row) = statement.step().unwrap() {
        let (rowid, text): (i64, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        answer_of_lithe(&lithe, change(rowid)).unwrap();
        found.push((rowid, text));
    }
    let sqlite = rusqlite::Connection::open_in_memory().unwrap();
    for sql in ["CREATE VIRTUAL TABLE t USING fts5(a)", fill] {
        answer_of_sqlite(&sqlite, sql).unwrap();
    }
    let mut statement = sqlite.prepare(select).unwrap();
    let mut rows = statement.query([]).unwrap();
    let mut expected = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let (rowid, text): (i64, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        answer_of_sqlite(&sqlite, change(rowid)).unwrap();
        expected.push((rowid, text));
    }
    assert_eq!(found, expected);
}
