//! Damaged files: code, message and rows equal SQLite's, and reading leaves the file unchanged.
//!
//! If only pages are damaged, the result of a statement depends on the order in which it visits and checks them: an engine may report a
//! page as malformed that the other has checked less. The integrity check's report on the trees must be equal all the same, as must every
//! answer in which both return rows.
//!
//! For each query, each engine gets each image in a new file, so that changes of the file or connection do not affect later queries.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Failure, Rows};
use crate::engine::{Connection, Which};

const PAGE: usize = 512;

/// Queries that read, then statements that write.
const QUESTIONS: [&str; 9] = [
    "SELECT count(*) FROM sqlite_master",
    "SELECT rowid, * FROM t",
    "SELECT k, length(v) FROM w",
    "SELECT b FROM t INDEXED BY ti WHERE b >= 'k5'",
    "PRAGMA integrity_check(20)",
    "PRAGMA page_count",
    "INSERT INTO t(b, c) VALUES ('new', zeroblob(3000))",
    "DELETE FROM t WHERE a > 5",
    "CREATE TABLE z(a, b UNIQUE)",
];
const READING: usize = 6;

type Answer = Result<Rows, Failure>;

struct Case {
    what: String,
    /// The database, and the journal or log beside it.
    image: Vec<u8>,
    beside: Option<(&'static str, Vec<u8>)>,
}

impl Case {
    fn new(what: impl Into<String>, image: Vec<u8>) -> Case {
        Case { what: what.into(), image, beside: None }
    }
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lithe-damaged-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A database of SQLite with every structure that can be damaged.
fn sound(folder: &Path, auto_vacuum: bool) -> Vec<u8> {
    let path = folder.join("sound.db");
    let _ = fs::remove_file(&path);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite
        .execute_batch(&format!(
            "PRAGMA page_size = {PAGE}; PRAGMA auto_vacuum = {};
             CREATE TABLE t(a INTEGER PRIMARY KEY, b, c); CREATE INDEX ti ON t(b);
             CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 40)
                 INSERT INTO t SELECT i, 'k' || i % 17, zeroblob(i * i) FROM n;
             INSERT INTO w SELECT b || a, c FROM t WHERE a < 30;
             DELETE FROM t WHERE a BETWEEN 20 AND 33",
            if auto_vacuum { 2 } else { 0 }
        ))
        .unwrap();
    drop(sqlite);
    fs::read(path).unwrap()
}

fn ask(which: Which, folder: &Path, case: &Case, question: &str) -> (Answer, bool) {
    let path = folder.join("case.db");
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{suffix}", path.display()));
    }
    fs::write(&path, &case.image).unwrap();
    if let Some((suffix, bytes)) = &case.beside {
        fs::write(format!("{}{suffix}", path.display()), bytes).unwrap();
    }
    let connection = Connection::open(which, &path);
    let answer = connection.rows(question);
    connection.close();
    // With a journal, the file may have any content and size.
    (answer, case.beside.is_some() || fs::read(&path).unwrap() == case.image)
}

/// The required agreement of answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    All,
    /// Equal, except that one engine may have found damage that the other has not.
    Damage,
}

fn agree(strictness: Strictness, question: &str, ours: &Answer, theirs: &Answer) -> bool {
    const CORRUPT: i32 = 11;
    let is_corrupt = |answer: &Answer| matches!(answer, Err((code, _)) if code & 0xff == CORRUPT);
    if ours == theirs {
        return true;
    }
    match (ours, theirs) {
        _ if strictness == Strictness::All => false,
        (Ok(ours), Ok(theirs)) if question.contains("integrity_check") => ours.first() == theirs.first(),
        _ => is_corrupt(ours) || is_corrupt(theirs),
    }
}

/// The differences of one case, one line each.
fn differences(folder: &Path, case: &Case, strictness: Strictness) -> Vec<String> {
    let mut found = Vec::new();
    for (number, question) in QUESTIONS.into_iter().enumerate() {
        let (theirs, _) = ask(Which::Sqlite, folder, case, question);
        let (ours, is_same) = ask(Which::Lithe, folder, case, question);
        if number < READING && !is_same {
            found.push(format!("{}: {question}: the file has changed", case.what));
        }
        if !agree(strictness, question, &ours, &theirs) {
            found.push(format!(
                "{}: {question}\n    Lithe:  {}\n    SQLite: {}",
                case.what,
                brief(&ours),
                brief(&theirs)
            ));
        }
    }
    found
}

fn brief(answer: &Answer) -> String {
    match answer {
        Ok(rows) => {
            let text = format!("{} rows {rows:?}", rows.len());
            text.chars().take(600).collect()
        }
        Err(error) => format!("{error:?}"),
    }
}

fn check(name: &str, strictness: Strictness, cases: impl Iterator<Item = Case>) {
    let folder = folder(name);
    let mut count = 0;
    let found: Vec<String> =
        cases.inspect(|_| count += 1).flat_map(|case| differences(&folder, &case, strictness)).collect();
    fs::remove_dir_all(&folder).unwrap();
    assert!(count > 0);
    let shown = found.iter().take(if std::env::var("EXCHANGE_ALL").is_ok() { usize::MAX } else { 30 });
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), shown.cloned().collect::<Vec<_>>().join("\n"));
}

fn sound_image() -> Vec<u8> {
    let folder = folder(&format!("sound-{:?}", std::thread::current().id()));
    let image = sound(&folder, false);
    fs::remove_dir_all(folder).unwrap();
    image
}

fn with(image: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut image = image.to_vec();
    image[at..at + bytes.len()].copy_from_slice(bytes);
    image
}

#[test]
fn no_databases() {
    let text = b"This is a text file, and no database at all.\n".repeat(30);
    let mut cases = vec![
        Case::new("a text", text.clone()),
        Case::new("a short text", text[..99].to_vec()),
        Case::new("100 bytes of text", text[..100].to_vec()),
        Case::new("a byte", vec![b'x']),
        Case::new("a zero", vec![0]),
        Case::new("a page of zeros", vec![0; PAGE]),
        Case::new("many zeros", vec![0; 10 * 4096]),
        Case::new("ones", vec![0xff; 4096]),
        Case::new("only the magic", b"SQLite format 3\0".to_vec()),
    ];
    let image = sound_image();
    cases.push(Case::new("only the header", image[..100].to_vec()));
    cases.push(Case::new("header and zeros", [&image[..100], &[0; 412][..]].concat()));
    cases
        .push(Case::new("the magic of version 2", with(&image, 0, b"** This file contains an SQLite 2.1 database **")));
    check("no_databases", Strictness::All, cases.into_iter());
}

#[test]
fn truncated_files() {
    let image = sound_image();
    let near = |len: usize| (len % PAGE).min(PAGE - len % PAGE) <= 1 || len < 120 || len.is_multiple_of(97);
    // The last page is a leaf of the freelist. SQLite's check reads the page, and reports a short read if half of it exists; Lithe's check
    // does not read it.
    let cases = (0..=image.len() - PAGE).filter(|len| near(*len));
    check("truncated", Strictness::All, cases.map(|len| Case::new(format!("{len} bytes"), image[..len].to_vec())));
}

#[test]
fn headers() {
    let image = sound_image();
    // Wrong reserved bytes, a wrong length of the freelist, and damaged cells on the first page count as damage of pages.
    let is_strict = |at: &usize| ![20, 31].contains(at) && !(32..40).contains(at) && *at < 100;
    let cases = |wanted: bool| {
        let places = (0..112).filter(move |at| is_strict(at) == wanted);
        places.flat_map(|at| [0, 1, 2, 5, 0x40, 0xff].map(|value| (at, value)))
    };
    let cases_of =
        |wanted| cases(wanted).map(|(at, value)| Case::new(format!("byte {at} = {value}"), with(&image, at, &[value])));
    check("header_pages", Strictness::Damage, cases_of(false));
    check("headers", Strictness::All, cases_of(true));
}

/// The meaningful bytes of pages: page headers, cell pointers, cells, overflow chains, the freelist.
#[test]
fn pages() {
    let image = sound_image();
    let pages = image.len() / PAGE;
    let places = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, PAGE - 40, PAGE - 1];
    let cases = (1..pages).step_by(3).flat_map(|page| places.map(|at| (page, at)));
    let values = |(page, at): (usize, usize)| [0, 1, 0xff].map(|value| (page, at, value));
    let image = &image;
    check(
        "pages",
        Strictness::Damage,
        cases.flat_map(values).map(move |(page, at, value)| {
            Case::new(format!("page {} byte {at} = {value}", page + 1), with(image, page * PAGE + at, &[value]))
        }),
    );
}

#[test]
fn wild_page_numbers_and_loops() {
    let image = sound_image();
    let pages = image.len() / PAGE;
    let image = &image;
    // The first four bytes of each page: the next page of a chain or trunk; bytes 8 to 11: the right child.
    let cases = (1..pages).step_by(2).flat_map(|page| [0, 8].map(|at| (page, at)));
    let targets = move |(page, at): (usize, usize)| {
        let own = page as u32 + 1;
        [0, 1, own, own - 1, pages as u32, pages as u32 + 1, u32::MAX, 0x7fff_ffff].map(|target| (page, at, target))
    };
    check(
        "loops",
        Strictness::Damage,
        cases.flat_map(targets).map(move |(page, at, target)| {
            let image = with(image, page * PAGE + at, &target.to_be_bytes());
            Case::new(format!("page {} at {at}: page {target}", page + 1), image)
        }),
    );
}

/// A database with a log of newer pages, as after a crash.
fn with_log() -> (Vec<u8>, Vec<u8>) {
    let folder = folder("log");
    let path = folder.join("sound.db");
    sound(&folder, false);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
             UPDATE t SET b = 'k5' WHERE a < 4; INSERT INTO t(b) VALUES ('logged'); DELETE FROM w WHERE k < 'k3'",
        )
        .unwrap();
    let images = (fs::read(&path).unwrap(), fs::read(folder.join("sound.db-wal")).unwrap());
    drop(sqlite);
    fs::remove_dir_all(folder).unwrap();
    images
}

#[test]
fn logs() {
    let (image, log) = with_log();
    let frame = PAGE + 24;
    let near = |at: usize| at < 32 || (at - 32) % frame < 26 || at.is_multiple_of(131);
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |what: String, log: Vec<u8>| {
        cases.push(Case { what, image: image.clone(), beside: Some(("-wal", log)) });
    };
    add("sound".to_owned(), log.clone());
    for at in (0..log.len()).filter(|at| near(*at)) {
        add(format!("log byte {at}"), with(&log, at, &[log[at] ^ 1]));
    }
    for len in (0..log.len()).filter(|len| (len + frame - 32) % frame <= 1 || len.is_multiple_of(211) || *len < 33) {
        add(format!("log of {len} bytes"), log[..len].to_vec());
    }
    add("a log of text".to_owned(), b"no log at all ".repeat(100));
    check("logs", Strictness::All, cases.into_iter());
}

/// A database in the middle of a transaction, with the journal that rolls it back.
fn with_journal() -> (Vec<u8>, Vec<u8>) {
    let folder = folder("journal");
    let path = folder.join("sound.db");
    sound(&folder, false);
    let sqlite = rusqlite::Connection::open(&path).unwrap();
    sqlite
        .execute_batch(
            "PRAGMA cache_size = 2; BEGIN; UPDATE t SET c = zeroblob(700), b = 'spilled';
             DELETE FROM w; INSERT INTO t(b) SELECT 'x' || a FROM t; SELECT count(*) FROM t",
        )
        .or_else(|e| if matches!(e, rusqlite::Error::ExecuteReturnedResults) { Ok(()) } else { Err(e) })
        .unwrap();
    let images = (fs::read(&path).unwrap(), fs::read(folder.join("sound.db-journal")).unwrap());
    drop(sqlite);
    fs::remove_dir_all(folder).unwrap();
    images
}

#[test]
fn journals() {
    let (image, journal) = with_journal();
    let record = PAGE + 8;
    // Page numbers are excluded, because SQLite does not document which of two records of one page is used.
    let near = |at: usize| match at.checked_sub(512).map(|at| at % record) {
        None => at < 30 || at.is_multiple_of(131),
        Some(at) => at >= record - 4 || (at >= 4 && at.is_multiple_of(131)),
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut add = |what: String, journal: Vec<u8>| {
        cases.push(Case { what, image: image.clone(), beside: Some(("-journal", journal)) });
    };
    add("sound".to_owned(), journal.clone());
    // The first bytes of the database's size would make the file terabytes long on both engines.
    for at in (0..journal.len().min(4 * record)).filter(|at| near(*at) && ![16, 17].contains(at)) {
        for change in [1, 0x80] {
            add(format!("journal byte {at} ^ {change}"), with(&journal, at, &[journal[at] ^ change]));
        }
    }
    for len in (0..journal.len())
        .filter(|len| len.is_multiple_of(173) || *len < 30 || (*len > 511 && (len - 512) % record == 0))
    {
        add(format!("journal of {len} bytes"), journal[..len].to_vec());
    }
    add("a journal of text".to_owned(), b"no journal at all ".repeat(100));
    add("a journal of zeros".to_owned(), vec![0; 2000]);
    // The checksum covers only some bytes of a page: other changes are not detected, and the restored pages are damaged.
    check("journals", Strictness::Damage, cases.into_iter());
}
