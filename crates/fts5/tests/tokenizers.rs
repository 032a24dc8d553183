//! The tokens of texts, sane and damaged, against SQLite's.

use fastrand::Rng;
use lithe_fts5::tokenizer::ascii::Ascii;
use lithe_fts5::tokenizer::porter::Porter;
use lithe_fts5::tokenizer::trigram::Trigram;
use lithe_fts5::tokenizer::unicode61::Unicode61;
use lithe_fts5::tokenizer::{Flow, Purpose, Tokenizer};
use rusqlite::{Connection, params};

/// A tokenizer as it stands in `tokenize=`, taken apart.
struct Choice {
    name: &'static str,
    options: Vec<(&'static str, String)>,
}

impl Choice {
    fn sql(&self) -> String {
        let option = |(name, value): &(&str, String)| format!(" {name} ''{}''", value.replace('\'', "''''"));
        format!("'{}{}'", self.name, self.options.iter().map(option).collect::<String>())
    }

    fn make(&self) -> Option<Box<dyn Tokenizer>> {
        let words: Vec<String> =
            self.options.iter().flat_map(|(name, value)| [(*name).to_owned(), value.clone()]).collect();
        let unicode61 = || Unicode61::new(&words).ok();
        match self.name {
            "ascii" => Ascii::new(&words).ok().map(|made| Box::new(made) as _),
            "trigram" => Trigram::new(&words).ok().map(|made| Box::new(made) as _),
            "porter unicode61" => unicode61().map(|made| Box::new(Porter::new(Box::new(made))) as _),
            _ => unicode61().map(|made| Box::new(made) as _),
        }
    }
}

fn tokens(tokenizer: &dyn Tokenizer, text: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut sink = |token: lithe_fts5::tokenizer::Token<'_>| {
        found.push(token.text.to_vec());
        Ok(Flow::More)
    };
    tokenizer.tokenize(text, Purpose::Document, None, &mut sink).unwrap();
    found
}

struct Oracle {
    connection: Connection,
}

impl Oracle {
    /// None: SQLite makes no such tokenizer.
    fn new(tokenize: &str) -> Option<Oracle> {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute(&format!("CREATE VIRTUAL TABLE t USING fts5(a, tokenize={tokenize})"), []).ok()?;
        connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)", []).unwrap();
        Some(Oracle { connection })
    }

    fn add(&self, rowid: i64, text: &[u8]) {
        let sql = "INSERT INTO t(rowid, a) VALUES (?1, CAST(?2 AS TEXT))";
        self.connection.prepare_cached(sql).unwrap().execute(params![rowid, text]).unwrap();
    }

    /// The tokens of all texts, by rowid and offset.
    fn tokens(&self) -> Vec<(i64, Vec<u8>)> {
        let mut statement =
            self.connection.prepare("SELECT doc, CAST(term AS BLOB) FROM v ORDER BY doc, offset").unwrap();
        let rows =
            statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, Option<_>>(1)?.unwrap_or_default()))).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}

#[test]
fn every_code_point() {
    for (name, options) in [
        ("unicode61", vec![]),
        ("unicode61", vec![("categories", "L* N* Co M* S* P*"), ("remove_diacritics", "0")]),
        ("unicode61", vec![("categories", "Lu Cc Mn Zs"), ("remove_diacritics", "2")]),
    ] {
        let options = options.into_iter().map(|(name, value)| (name, value.to_owned())).collect();
        let choice = Choice { name, options };
        let oracle = Oracle::new(&choice.sql()).unwrap();
        oracle.connection.execute_batch("BEGIN").unwrap();
        let tokenizer = choice.make().unwrap();
        let mut expected = Vec::new();
        for (number, codes) in (1..0x11_0000u32).collect::<Vec<_>>().chunks(64).enumerate() {
            let chars = codes.iter().filter_map(|code| char::from_u32(*code));
            let text: String = chars.flat_map(|char| [' ', char, ' ', 'x', char, 'x']).collect();
            oracle.add(number as i64, text.as_bytes());
            expected.extend(tokens(&*tokenizer, text.as_bytes()).into_iter().map(|token| (number as i64, token)));
        }
        assert!(oracle.tokens() == expected, "{}", choice.sql());
    }
}

fn random_text(rng: &mut Rng) -> Vec<u8> {
    const PIECES: [&str; 24] = [
        "a",
        "B",
        "running",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "Ệ",
        " ",
        ".",
        "-",
        "1",
        "Ω",
        "ß",
        "中",
        "文",
        "😀",
        "\u{10400}",
        "\u{378}",
        "\u{fffe}",
        "_",
        "'",
        "\u{e000}",
        "\0",
    ];
    let mut text = Vec::new();
    for _ in 0..rng.usize(..12) {
        if rng.u8(..5) == 0 {
            text.extend((0..rng.usize(1..5)).map(|_| rng.u8(0x70..)));
        } else {
            text.extend_from_slice(rng.choice(PIECES).unwrap().as_bytes());
        }
    }
    text
}

fn random_choice(rng: &mut Rng) -> Choice {
    const CHARS: [&str; 9] = ["a", "-_", "é", "e\u{301}", "\u{301}", "中", "😀.", "Aa", "\u{378}1"];
    let name = *rng.choice(&["unicode61", "porter unicode61", "ascii", "trigram"]).unwrap();
    let mut options = Vec::new();
    for _ in 0..rng.usize(..4) {
        let pick = |rng: &mut Rng, from: &[&str]| (*rng.choice(from).unwrap()).to_owned();
        options.push(match (name, rng.u8(..4)) {
            ("trigram", 0..2) => ("case_sensitive", pick(rng, &["0", "1", "1", "2", ""])),
            ("trigram", _) => ("remove_diacritics", pick(rng, &["0", "1", "2", "3"])),
            (_, 0) => ("tokenchars", pick(rng, &CHARS)),
            (_, 1) => ("separators", pick(rng, &CHARS)),
            (_, 2) => ("remove_diacritics", pick(rng, &["0", "1", "2", "2", "3", "01"])),
            _ => (
                "categories",
                pick(rng, &["L*", "N* Zs", "Lu\tLl  Mn", "Co", "", "X*", "L", "Lu*", "l*", "**", "C* S*"]),
            ),
        });
    }
    Choice { name, options }
}

#[test]
fn random_texts_and_options() {
    let worlds = std::env::var("FTS5_WORLDS").ok().and_then(|worlds| worlds.parse().ok()).unwrap_or(150);
    for seed in 0..worlds {
        let mut rng = Rng::with_seed(seed);
        let choice = random_choice(&mut rng);
        let (oracle, tokenizer) = (Oracle::new(&choice.sql()), choice.make());
        assert_eq!(oracle.is_some(), tokenizer.is_some(), "seed {seed}: {}", choice.sql());
        let (Some(oracle), Some(tokenizer)) = (oracle, tokenizer) else { continue };
        let mut expected = Vec::new();
        let texts: Vec<Vec<u8>> = (0..40).map(|_| random_text(&mut rng)).collect();
        oracle.connection.execute_batch("BEGIN").unwrap();
        for (rowid, text) in (0..).zip(&texts) {
            oracle.add(rowid, text);
            expected.extend(tokens(&*tokenizer, text).into_iter().map(|token| (rowid, token)));
        }
        let found = oracle.tokens();
        if let Some(((rowid, _), other)) = found.iter().zip(&expected).find(|(one, other)| one != other) {
            let text = &texts[*rowid as usize];
            panic!(
                "seed {seed}: {}: {text:x?}: SQLite's {:x?}, ours {other:x?}",
                choice.sql(),
                found.iter().filter(|one| one.0 == *rowid).collect::<Vec<_>>()
            );
        }
        assert_eq!(found.len(), expected.len(), "seed {seed}: {}", choice.sql());
    }
}
