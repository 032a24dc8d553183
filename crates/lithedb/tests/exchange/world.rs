//! One world: its files, its rounds, and the checks between them.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::common::Rows;
use crate::engine::{Connection, Which};
use crate::statements::{Generator, pick};

/// The number of statements of a round.
const STATEMENTS: usize = 60;
const ROUNDS: usize = 4;
const ENCODINGS: [&str; 3] = ["UTF-8", "UTF-16le", "UTF-16be"];
const AUTO_VACUUM: [&str; 3] = ["NONE", "FULL", "INCREMENTAL"];
const JOURNAL_MODES: [&str; 5] = ["DELETE", "WAL", "WAL", "TRUNCATE", "PERSIST"];

/// A world, determined by its seed.
pub struct World {
    seed: u64,
    settings: Settings,
    rounds: Vec<Round>,
}

#[derive(Clone, Debug)]
struct Settings {
    page_size: usize,
    encoding: &'static str,
    auto_vacuum: &'static str,
    journal_mode: &'static str,
    reserved_bytes: u8,
    mmap_size: u64,
}

struct Round {
    statements: Vec<String>,
    ending: Ending,
    /// How many pages the file has behind those that it counts, as a crash of a load that makes it longer leaves them.
    uncounted_pages: usize,
}

/// The state in which the other engine gets the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Closed.
    Closed,
    /// A copy made while the file is open: in WAL mode the log is not checkpointed.
    Open,
    /// A copy made in the middle of a transaction that has been spilled and never ends.
    Crashed,
}

impl World {
    pub fn new(seed: u64) -> World {
        let mut rng = Rng::with_seed(seed);
        let settings = Settings {
            page_size: 512 << rng.u32(0..8),
            encoding: ENCODINGS[rng.usize(0..ENCODINGS.len())],
            auto_vacuum: AUTO_VACUUM[rng.usize(0..AUTO_VACUUM.len())],
            journal_mode: JOURNAL_MODES[rng.usize(0..JOURNAL_MODES.len())],
            reserved_bytes: *pick(&mut rng, &[0, 0, 0, 12, 32]),
            mmap_size: *pick(&mut rng, &[0, 1 << 30]),
        };
        let mut generator = Generator::new(rng.fork(), settings.page_size);
        let endings = [Ending::Closed, Ending::Closed, Ending::Open, Ending::Crashed];
        let round = |_| Round {
            statements: generator.round(STATEMENTS),
            ending: *pick(&mut rng, &endings),
            uncounted_pages: *pick(&mut rng, &[0, 0, 0, 2, 300]),
        };
        World { seed, rounds: (0..ROUNDS).map(round).collect(), settings }
    }
}

/// Runs a world; the error describes the first difference of the engines.
pub fn run(world: &World, is_shown: bool) -> Result<(), String> {
    let folder = Folder::new(world.seed);
    let mut files = [folder.0.join("a.db"), folder.0.join("b.db")];
    let mut writers = [Which::Lithe, Which::Sqlite];
    for (file, writer) in files.iter().zip(writers) {
        begin(file, writer, &world.settings);
    }
    if is_shown {
        println!("{:?}", world.settings);
    }
    for (number, round) in world.rounds.iter().enumerate() {
        if is_shown {
            println!("-- round {number}, {:?}", round.ending);
            round.statements.iter().for_each(|sql| println!("{sql};"));
        }
        let context = |what: String| format!("{:?}, round {number}, {:?}: {what}", world.settings, round.ending);
        let mut logs = Vec::new();
        for (at, file) in files.iter_mut().enumerate() {
            let next = folder.0.join(format!("{}{number}.db", ["a", "b"][at]));
            logs.push(write(file, writers[at], round, &world.settings, &next).map_err(context)?);
            *file = next;
        }
        same(&logs[0], &logs[1], "results of the statements").map_err(context)?;
        check(&files, writers).map_err(context)?;
        writers = writers.map(Which::other);
    }
    Ok(())
}

/// Creates an empty file with the settings that only an empty file accepts.
fn begin(file: &Path, writer: Which, settings: &Settings) {
    let connection = Connection::open(writer, file);
    connection.must(&format!("PRAGMA page_size = {}", settings.page_size));
    connection.must(&format!("PRAGMA auto_vacuum = {}", settings.auto_vacuum));
    connection.must("PRAGMA user_version = 1");
    connection.close();
    if settings.reserved_bytes > 0 {
        reserve(file, settings);
    }
}

/// Writes the number of reserved bytes, for which there is no SQL, into the header of the empty file, whose one page has no cells.
fn reserve(file: &Path, settings: &Settings) {
    const RESERVED_AT: usize = 20;
    const CONTENT_AT: usize = 100 + 5;
    let mut image = fs::read(file).unwrap();
    assert_eq!(image.len(), settings.page_size, "an empty database has one page");
    image[RESERVED_AT] = settings.reserved_bytes;
    let content = settings.page_size - usize::from(settings.reserved_bytes);
    image[CONTENT_AT..CONTENT_AT + 2].copy_from_slice(&(content as u16).to_be_bytes());
    fs::write(file, image).unwrap();
}

/// Runs a round of one engine on one file. Answers the result of each statement; the file for the next round is at `next`.
fn write(file: &Path, writer: Which, round: &Round, settings: &Settings, next: &Path) -> Result<Vec<String>, String> {
    let connection = Connection::open(writer, file);
    // An empty file does not store the encoding: the first table fixes it in the header.
    connection.must(&format!("PRAGMA encoding = '{}'", settings.encoding));
    connection.must(&format!("PRAGMA mmap_size = {}", settings.mmap_size));
    connection.must(&format!("PRAGMA journal_mode = {}", settings.journal_mode));
    connection.must("PRAGMA synchronous = OFF");
    let mut log = Vec::new();
    for sql in &round.statements {
        match connection.rows(sql) {
            Ok(_) => log.push(format!("{sql}: ok")),
            Err((code, message)) => log.push(format!("{sql}: {code} {message}")),
        }
    }
    match round.ending {
        Ending::Closed => {
            connection.close();
            fs::rename(file, next).unwrap();
        }
        Ending::Open => {
            copy(file, next);
            connection.close();
        }
        Ending::Crashed => {
            connection.must("PRAGMA cache_size = 3");
            connection.must("BEGIN");
            for sql in round.statements.iter().filter(|sql| sql.starts_with("WITH") || sql.starts_with("UPDATE")) {
                let _ = connection.rows(sql);
            }
            copy(file, next);
            connection.must("ROLLBACK");
            connection.close();
        }
    }
    lengthen(next, round.uncounted_pages * settings.page_size);
    Ok(log)
}

/// Appends `len` zeros to a file.
pub fn lengthen(file: &Path, len: usize) {
    let file = fs::OpenOptions::new().write(true).open(file).unwrap();
    file.set_len(file.metadata().unwrap().len() + len as u64).unwrap();
}

/// Copies a database with its journal or log, as after a crash.
pub fn copy(from: &Path, to: &Path) {
    for suffix in ["", "-journal", "-wal"] {
        let with = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
        if with(from).exists() {
            fs::copy(with(from), with(to)).unwrap();
        }
    }
}

/// Both files must pass the checks of both engines, and have the same content. The engine that has not written a file checks it first,
/// because that engine must do the recovery.
fn check(files: &[PathBuf; 2], writers: [Which; 2]) -> Result<(), String> {
    let mut contents = Vec::new();
    for (file, writer) in files.iter().zip(writers) {
        for reader in [writer.other(), writer] {
            let connection = Connection::open(reader, file);
            let says = |what: &str| format!("{} reads what {writer:?} wrote: {what}", connection.name());
            let checked = connection.rows("PRAGMA integrity_check").map_err(|e| says(&format!("{e:?}")))?;
            if checked != [["'ok'"]] {
                return Err(says(&format!("{checked:#?}")));
            }
            contents.push((says(""), dump(&connection).map_err(|e| says(&format!("{e:?}")))?));
            connection.close();
        }
    }
    let (first, expected) = &contents[0];
    contents[1..].iter().try_for_each(|(says, found)| same(expected, found, &format!("{first} / {says}")))
}

/// The content of a database, one line for each row.
fn dump(connection: &Connection) -> Result<Vec<String>, crate::common::Failure> {
    let mut lines = Vec::new();
    let mut add = |what: &str, rows: Rows| {
        lines.extend(rows.into_iter().map(|row| format!("{what}: {}", row.join(", "))));
    };
    for pragma in ["page_size", "encoding", "auto_vacuum", "user_version"] {
        add(pragma, connection.rows(&format!("PRAGMA {pragma}"))?);
    }
    add("schema", connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")?);
    let tables = connection
        .rows("SELECT name, instr(sql, 'WITHOUT ROWID') FROM sqlite_master WHERE type = 'table' ORDER BY rowid")?;
    for row in tables {
        let (name, without_rowid) = (row[0].trim_matches('\''), row[1] != "0");
        let rowid = if without_rowid { "" } else { "rowid, " };
        let mut rows = connection.rows(&format!("SELECT {rowid}* FROM {name} NOT INDEXED"))?;
        if without_rowid {
            // The rows may come from any index with all columns, and the engines need not choose the same index.
            rows.sort();
        }
        add(name, rows);
    }
    Ok(lines)
}

fn same(expected: &[String], found: &[String], what: &str) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let at = expected.iter().zip(found).take_while(|(a, b)| a == b).count();
    let show = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(nothing)".to_owned());
    Err(format!("{what} differ at line {at}:\n  {}\n  {}", show(expected), show(found)))
}

/// The folder of a world, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(seed: u64) -> Folder {
        let path = std::env::temp_dir().join(format!("lithe-exchange-{}-{seed}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
