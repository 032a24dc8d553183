//! FTS3 and FTS4 tables against SQLite's: the same statements leave the same bytes in the shadow tables, and queries find the
//! same rows, snippets and numbers.
#![cfg(feature = "fts3")]

mod common;

use common::pair::Pair;
use fastrand::Rng;

/// Compares the bytes of all shadow tables.
fn compare_tables(pair: &mut Pair, world: &World) {
    let len = pair.log.len();
    pair.ask("SELECT * FROM t_segdir ORDER BY level, idx").unwrap();
    pair.ask("SELECT * FROM t_segments ORDER BY blockid").unwrap();
    if world.is_fts4 {
        pair.ask("SELECT * FROM t_stat ORDER BY id").unwrap();
    }
    if world.has_sizes {
        pair.ask("SELECT * FROM t_docsize ORDER BY docid").unwrap();
    }
    pair.log.truncate(len);
}

/// A word: a few words are frequent, many are rare.
fn word(rng: &mut Rng, vocabulary: usize) -> String {
    let rank = (1.0 / rng.f64().max(1e-9)) as usize % vocabulary;
    format!("{}{rank}", ["w", "of", "xyz", "É"][rank % 4])
}

/// A document. Padding makes its words longer and so the trees deeper, because interior nodes have the common prefixes of words.
fn document(rng: &mut Rng, count: usize, vocabulary: usize, padding: usize) -> String {
    let word = |rng: &mut Rng| {
        let word = word(rng, vocabulary);
        let digit = word.find(|letter: char| letter.is_ascii_digit()).unwrap_or(0);
        format!("{}{}{}", &word[..digit], "o".repeat(padding), &word[digit..])
    };
    (0..count).map(|_| word(rng)).collect::<Vec<_>>().join([" ", ", ", "-"][rng.usize(..3)])
}

struct World {
    rng: Rng,
    is_fts4: bool,
    has_sizes: bool,
    has_languages: bool,
    rows: i64,
    words_max: usize,
    vocabulary: usize,
    padding: usize,
    /// The page size, which is also that of nodes: small nodes make deep trees.
    page_size: usize,
    /// How many of ten statements are merges.
    merges: u8,
    in_transaction: bool,
    /// Whether the query has an AND or a NOT.
    has_and: bool,
    /// Whether documents have docids below 1. With those, SQLite finds rows of queries with OR twice, or rows 0 that do not match, because
    /// docid 0 marks the end of a list there.
    has_small_docids: bool,
}

impl World {
    fn new(seed: u64) -> World {
        let mut rng = Rng::with_seed(seed);
        World {
            is_fts4: rng.u8(..4) > 0,
            has_sizes: true,
            has_languages: false,
            rows: [5, 30, 200][rng.usize(..3)],
            words_max: [3, 12, 150][rng.usize(..3)],
            vocabulary: [6, 60, 5000][rng.usize(..3)],
            padding: [0, 0, 0, 30, 150][rng.usize(..5)],
            page_size: [512, 1024, 4096, 4096][rng.usize(..4)],
            merges: [0, 1, 4][rng.usize(..3)],
            in_transaction: false,
            has_and: false,
            has_small_docids: rng.u8(..5) == 0,
            rng,
        }
    }

    fn create(&mut self) -> String {
        let mut options = String::new();
        self.has_sizes = self.is_fts4;
        if self.is_fts4 {
            let mut take = |one_in: u8, option: &str| {
                let is_taken = self.rng.u8(..one_in) == 0;
                if is_taken {
                    options.push_str(option);
                }
                is_taken
            };
            take(3, ", order=desc");
            take(3, ", prefix='2,3'");
            take(6, ", notindexed=b");
            self.has_sizes = !take(6, ", matchinfo=fts3");
            self.has_languages = take(4, ", languageid=lid");
        }
        if self.rng.u8(..3) == 0 {
            options.push_str(["", ", tokenize=porter", ", tokenize=unicode61"][self.rng.usize(..3)]);
        }
        format!("CREATE VIRTUAL TABLE t USING {}(a, b{options})", if self.is_fts4 { "fts4" } else { "fts3" })
    }

    fn document(&mut self, part: usize) -> String {
        let count = self.rng.usize(0..=self.words_max / part);
        document(&mut self.rng, count, self.vocabulary, self.padding)
    }

    /// A merge of a random size, with a random number of segments.
    fn merge(&mut self) -> String {
        let rng = &mut self.rng;
        match rng.u8(..24) {
            0 => "INSERT INTO t(t) VALUES('optimize')".to_owned(),
            1 | 2 => format!("INSERT INTO t(t) VALUES('automerge={}')", [0, 1, 2, 3, 4, 16][rng.usize(..6)]),
            3 => format!("INSERT INTO t(t) VALUES('merge={}')", rng.usize(0..20)),
            _ => {
                let pages = [1, 1, 2, 3, 4, 8, 20, 100, 500][rng.usize(..9)];
                let least = [2, 2, 2, 3, 4, 5, 6, 8, 12, 16][rng.usize(..10)];
                format!("INSERT INTO t(t) VALUES('merge={pages},{least}')")
            }
        }
    }

    fn statement(&mut self) -> String {
        if self.rng.u8(..10) < self.merges {
            return self.merge();
        }
        let docid = match self.rng.u8(..20) {
            0 if self.has_small_docids => -self.rng.i64(0..5),
            1 => 3_000_000_000 + self.rng.i64(0..3),
            _ => self.rng.i64(1..=self.rows),
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
            17 if self.rng.u8(..4) == 0 => "INSERT INTO t(t) VALUES('rebuild')".to_owned(),
            18 => "SELECT optimize(t) FROM t LIMIT 1".to_owned(),
            19 => "INSERT INTO t(t) VALUES('integrity-check')".to_owned(),
            20..24 => self.merge(),
            24..40 => format!("DELETE FROM t WHERE docid = {docid}"),
            40..52 => format!("UPDATE t SET a = '{first}' WHERE docid = {docid}"),
            52..54 => format!("UPDATE OR REPLACE t SET docid = {} WHERE docid = {docid}", self.rng.i64(1..=self.rows)),
            54 => format!("DELETE FROM t WHERE docid > {docid}"),
            55 => format!("UPDATE t SET b = '{second}' WHERE docid < {docid}"),
            _ if self.has_languages => {
                let language = self.rng.u8(..3);
                format!("REPLACE INTO t(docid, a, b, lid) VALUES({docid}, '{first}', '{second}', {language})")
            }
            56..60 => format!("INSERT INTO t(a, b) VALUES('{first}', '{second}')"),
            60..64 => format!("INSERT INTO t(docid, a, b) VALUES({docid}, '{first}', NULL)"),
            _ => format!("REPLACE INTO t(docid, a, b) VALUES({docid}, '{first}', '{second}')"),
        }
    }

    fn token(&mut self) -> String {
        let column = ["", "", "", "a:", "b:"][self.rng.usize(..5)];
        let mut word = word(&mut self.rng, self.vocabulary);
        if self.rng.u8(..4) == 0 {
            word.truncate(word.char_indices().nth(2).map_or(word.len(), |(at, _)| at));
            word.push('*');
        }
        let first = if self.rng.u8(..12) == 0 { "^" } else { "" };
        format!("{column}{first}{word}")
    }

    fn phrase(&mut self) -> String {
        if self.rng.u8(..4) > 0 {
            return self.token();
        }
        let count = self.rng.usize(1..4);
        format!("\"{}\"", document(&mut self.rng, count, self.vocabulary, self.padding))
    }

    fn query(&mut self, depth: u8) -> String {
        let kind = self.rng.u8(..if depth == 0 { 4 } else { 10 });
        self.has_and |= matches!(kind, 6 | 7 | 9);
        match kind {
            0..3 => self.phrase(),
            3 => {
                let near = ["NEAR", "NEAR/1", "NEAR/3", "NEAR/40"];
                let links = (0..self.rng.usize(1..3)).map(|_| {
                    let near = near[self.rng.usize(..4)];
                    format!(" {near} {}", self.phrase())
                });
                let links: String = links.collect();
                format!("{}{links}", self.phrase())
            }
            4..6 => format!("{} OR {}", self.query(depth - 1), self.query(depth - 1)),
            6 => format!("{} AND {}", self.query(depth - 1), self.query(depth - 1)),
            7 => format!("{} NOT {}", self.query(depth - 1), self.query(depth - 1)),
            8 => format!("({})", self.query(depth - 1)),
            _ => format!("{} {}", self.query(depth - 1), self.query(depth - 1)),
        }
    }

    fn select(&mut self) -> String {
        self.has_and = false;
        let text = self.query(2);
        let column = ["t", "t", "t", "a", "b"][self.rng.usize(..5)];
        // (With a column, SQLite's `y` and `b` have the values of the last column; with NOT, the phrases after the NOT count for the first
        // phrase.)
        let of_column = column != "t" || text.contains(':') || text.contains("NOT");
        let known = match (self.has_sizes, of_column) {
            (true, false) => "pcnalsxyb",
            (true, true) => "pcnalsx",
            (false, false) => "pcsxyb",
            (false, true) => "pcsx",
        };
        let what = match self.rng.u8(..8) {
            0 => "*".to_owned(),
            1 | 2 => "offsets(t)".to_owned(),
            3 => "snippet(t)".to_owned(),
            4 => format!("snippet(t, '[', ']', '..', {}, {})", self.rng.i64(-1..2), self.rng.i64(-12..13)),
            5 => format!("matchinfo(t, '{known}')"),
            6 => "matchinfo(t)".to_owned(),
            _ => "a, b".to_owned(),
        };
        // For a NEAR beside other terms, an AND within an OR, and phrases with doclists of several pages, the results of SQLite's functions
        // depend on the rows visited before.
        let depends = text.contains("NEAR") || self.has_and && text.contains(" OR ") || self.page_size < 4096;
        let what = if depends { "a, b".to_owned() } else { what };
        let mut rest = ["", " ORDER BY docid", " ORDER BY docid DESC"][self.rng.usize(..3)].to_owned();
        if self.rng.u8(..4) == 0 {
            rest = format!(" AND docid >= {}{rest}", self.rng.i64(0..self.rows));
        }
        if self.has_languages && self.rng.bool() {
            rest = format!(" AND lid = {}{rest}", self.rng.u8(..3));
        }
        if self.rng.u8(..8) == 0 {
            let (other, docid) = (word(&mut self.rng, self.vocabulary), self.rng.i64(0..self.rows));
            let branch = [format!("docid = {docid}"), format!("t MATCH '{other}'"), format!("docid IN ({docid}, 5)")];
            let branch = &branch[self.rng.usize(..3)];
            return format!("SELECT docid FROM t WHERE ({column} MATCH '{text}' OR {branch}){rest}");
        }
        format!("SELECT docid, {what} FROM t WHERE {column} MATCH '{text}'{rest}")
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// `FTS3_FIRST`, `FTS3_WORLDS` and `FTS3_STATEMENTS` select the runs; `FTS3_QUERIES=0` leaves out the queries.
#[test]
fn random_statements() {
    let first = number("FTS3_FIRST", 0);
    for seed in first..first + number("FTS3_WORLDS", 30) {
        let mut world = World::new(seed);
        let mut pair = Pair::new();
        pair.log.push(format!("-- world {seed}"));
        pair.ask(&format!("PRAGMA page_size = {}", world.page_size)).unwrap();
        let create = world.create();
        pair.ask(&create).unwrap();
        if !world.is_fts4 {
            // The first merge creates t_stat. After a ROLLBACK TO that removes t_stat, SQLite's COMMIT fails.
            pair.ask("INSERT INTO t(t) VALUES('automerge=0')").unwrap();
        }
        for _ in 0..number("FTS3_STATEMENTS", 200) {
            let statement = world.statement();
            let _ = pair.ask(&statement);
            compare_tables(&mut pair, &world);
            if !world.has_small_docids && world.rng.u8(..3) == 0 && number("FTS3_QUERIES", 1) > 0 {
                let select = world.select();
                let len = pair.log.len();
                let _ = pair.ask(&select);
                pair.log.truncate(len);
            }
        }
    }
}

/// The doclist of a frequent word beside a rare one is not read: the word is searched for in the documents with the rare word. A damaged
/// doclist shows that it is not read.
#[test]
fn frequent_tokens_are_deferred() {
    let mut pair = Pair::new();
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)";
    let word = "CASE WHEN i % 1000 = 7 THEN 'rare' ELSE 'w' || i % 50 END";
    for sql in [
        "PRAGMA page_size = 1024".to_owned(),
        "CREATE VIRTUAL TABLE t USING fts4(a, b)".to_owned(),
        format!("{numbers} INSERT INTO t SELECT 'often ' || {word} || ' often', 'often x' || i FROM n"),
        "INSERT INTO t(t) VALUES('optimize')".to_owned(),
        "UPDATE t_segments SET block = zeroblob(length(block)) WHERE length(block) > 10000".to_owned(),
        "SELECT changes() > 0".to_owned(),
    ] {
        pair.ask(&sql).unwrap();
    }
    for query in [
        "rare often",
        "often rare often",
        "\"rare often\"",
        "\"often rare often\"",
        "\"often rare often\" often",
        "b:often rare",
        "^often rare",
        "oft* rare",
        "often NEAR/1 rare",
    ] {
        let found = pair.ask(&format!("SELECT docid, offsets(t), snippet(t) FROM t WHERE t MATCH '{query}'")).unwrap();
        assert!(!found.is_empty(), "{query}");
    }
    // (In SQLite, the offsets() of a branch that does not match depend on the rows visited before.)
    let branches = "SELECT docid FROM t WHERE t MATCH 'x7 (rare often OR w3 often)'";
    assert_eq!(pair.ask(branches).unwrap(), ["7"]);
    let hits = "SELECT docid, hex(matchinfo(t, 'pcnalsx')) FROM t WHERE t MATCH 'rare often'";
    assert_eq!(pair.ask(hits).unwrap().len(), 3);
    // Tokens beside a NOT, and a single token, are always read.
    for query in ["often", "(rare often) NOT x1007"] {
        pair.ask(&format!("SELECT docid FROM t WHERE t MATCH '{query}'")).unwrap_err();
    }
}

/// compress= and uncompress= may name functions whose names are no identifiers.
#[test]
fn names_of_functions_are_quoted() {
    let mut pair = Pair::new();
    let refused = "CREATE VIRTUAL TABLE t USING fts4(a, compress='up per', uncompress='lower')";
    pair.ask(refused).unwrap();
    pair.ask("INSERT INTO t VALUES('a')").unwrap_err();
    pair.ask("CREATE VIRTUAL TABLE u USING fts4(a, compress=upper, uncompress=lower)").unwrap();
    pair.ask("INSERT INTO u VALUES('Mixed')").unwrap();
    assert_eq!(pair.ask("SELECT a, (SELECT c0a FROM u_content) FROM u").unwrap(), ["mixed|MIXED"]);
}

/// A column whose type is only HIDDEN is NUMERIC; truncated totals are damage.
#[test]
fn hidden_columns_and_damaged_totals() {
    let mut pair = Pair::new();
    pair.ask("CREATE VIRTUAL TABLE t USING fts4(a, b)").unwrap();
    pair.ask("INSERT INTO t(docid, a, b) VALUES(1, 'x', 'y'), (5, 'x', 'z'), (6, 'x', 'x y')").unwrap();
    assert_eq!(pair.ask("SELECT docid FROM t WHERE docid < '5'").unwrap(), ["1"]);
    assert_eq!(pair.ask("SELECT docid FROM t WHERE docid > '1' AND t MATCH 'x'").unwrap(), ["5", "6"]);
    pair.ask("CREATE TABLE copy AS SELECT docid, t FROM t").unwrap();
    pair.ask("SELECT sql FROM sqlite_schema WHERE name = 'copy'").unwrap();
    pair.ask("SELECT json, root < '5' FROM json_each('5')").unwrap();
    // A column that the table lacks is damage for the letters that count by the query's parts.
    pair.ask("CREATE VIRTUAL TABLE f USING fts4(a)").unwrap();
    pair.ask("INSERT INTO f VALUES('one')").unwrap();
    pair.ask("UPDATE f_segdir SET root = x'00036f6e6506010301050300'").unwrap();
    for letter in ["x", "s", "y", "b"] {
        let _ = pair.ask(&format!("SELECT hex(matchinfo(f, '{letter}')) FROM f WHERE f MATCH 'one'"));
    }
    for totals in ["x'030403'", "x'0304'", "x'03'", "x'00'", "x'03048184'", "'0000'", "NULL"] {
        pair.ask(&format!("UPDATE t_stat SET value = {totals} WHERE id = 0")).unwrap();
        for letters in ["n", "a"] {
            let _ = pair.ask(&format!("SELECT hex(matchinfo(t, '{letters}')) FROM t WHERE t MATCH 'x'"));
        }
    }
}

/// A table that is changed and dropped in one transaction leaves nothing for the commit to write.
#[test]
fn changed_and_dropped() {
    let mut pair = Pair::new();
    pair.ask("CREATE VIRTUAL TABLE t USING fts4(a)").unwrap();
    pair.ask("CREATE TABLE other(a)").unwrap();
    pair.ask("BEGIN").unwrap();
    pair.ask("INSERT INTO t(t) VALUES('automerge=2')").unwrap();
    for _ in 0..8 {
        pair.ask("INSERT INTO t VALUES('some words')").unwrap();
        pair.ask("SAVEPOINT x").unwrap();
    }
    pair.ask("INSERT INTO other VALUES(1)").unwrap();
    pair.ask("DROP TABLE t").unwrap();
    pair.ask("COMMIT").unwrap();
    assert_eq!(pair.ask("SELECT * FROM other").unwrap(), ["1"]);
}

/// A doclist of a single 00 has a row 0 without positions, which no query finds.
#[test]
fn a_doclist_of_one_byte() {
    let mut pair = Pair::new();
    pair.ask("CREATE VIRTUAL TABLE t USING fts3(a)").unwrap();
    pair.ask("INSERT INTO t VALUES('one')").unwrap();
    for root in ["x'00036f6e650100'", "x'00036f6e650101'", "x'00036f6e6501'", "x'00036f6e65020100'"] {
        pair.ask(&format!("UPDATE t_segdir SET root = {root}")).unwrap();
        let _ = pair.ask("SELECT docid FROM t WHERE t MATCH 'one'");
    }
}

/// A merge that was interrupted goes on with no more segments than the lowest level has that could be merged, as in SQLite: here with two of three.
#[test]
fn an_interrupted_merge_beside_a_lower_level() {
    let mut pair = Pair::new();
    pair.ask("PRAGMA page_size = 512").unwrap();
    pair.ask("CREATE VIRTUAL TABLE t USING fts4(a, prefix='2')").unwrap();
    let mut documents = 0..;
    let mut insert = |pair: &mut Pair, count: usize| {
        for number in documents.by_ref().take(count) {
            let word = |at: usize| format!("{}{}", char::from(b'a' + (number * at % 8) as u8), number * at * 7 % 97);
            let words: Vec<String> = (0..60).map(word).collect();
            pair.ask(&format!("INSERT INTO t VALUES('{}')", words.join(" "))).unwrap();
        }
    };
    let merge = |pair: &mut Pair, how: &str| {
        pair.ask(&format!("INSERT INTO t(t) VALUES('merge={how}')")).unwrap();
        pair.ask("SELECT * FROM t_segdir ORDER BY level, idx").unwrap();
        pair.ask("SELECT * FROM t_segments ORDER BY blockid").unwrap();
        pair.ask("SELECT * FROM t_stat ORDER BY id").unwrap()
    };
    for _ in 0..3 {
        insert(&mut pair, 4);
        merge(&mut pair, "500,4");
    }
    assert!(merge(&mut pair, "1,3").contains(&"1|[01, 03]".to_owned()));
    insert(&mut pair, 2);
    assert!(merge(&mut pair, "4,2").contains(&"1|[01, 02]".to_owned()));
    merge(&mut pair, "500,2");
    pair.ask("INSERT INTO t(t) VALUES('integrity-check')").unwrap();
}
