//! The tool of the published article, for databases and folders that stay on disk: make, export, inspect, run once.
//!
//! ```text
//!   lithe-bench blobs make x.db --count 100000 --size 10000 --variance 2000
//!   lithe-bench blobs export x.db x.files --layout tree
//!   lithe-bench blobs stat x.db
//!   lithe-bench blobs run x.db --blob-api --mmap 1000000000
//!   lithe-bench blobs run x.files
//! ```

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};

use super::schema::{SCHEMA, rowid};
use crate::content::{Content, Order, keys};
use crate::files::{Files, Layout, Overwrite, disk_bytes};
use crate::frame::{Context, Error, Result};
use crate::sql::{
    Access, Blob, Cell, Connection, JournalMode, Library, Lithe, Settings, Sqlite, Statement, Synchronous,
};

/// What the tool does.
#[derive(Clone, Debug, Subcommand)]
pub enum Tool {
    /// Make a database of BLOBs
    Make(Make),
    /// Write every BLOB of a database into a file of its own
    Export(Export),
    /// Say what a database of BLOBs has in it
    Stat(Stat),
    /// Read or overwrite every BLOB of a database or a folder once, and say how long it took
    Run(Run),
}

/// See [`Tool::Make`].
#[derive(Clone, Debug, Args)]
pub struct Make {
    /// The database, which must not exist
    pub file: PathBuf,
    /// How many BLOBs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub count: usize,
    /// Their size in bytes, on average
    #[arg(long, value_name = "BYTES", default_value_t = 10_000)]
    pub size: usize,
    /// How many bytes more or less they may have
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub variance: usize,
    /// The page size
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    pub page_size: usize,
    /// Who makes it
    #[arg(long, value_enum, default_value_t = With::Lithe)]
    pub with: With,
}

/// See [`Tool::Export`].
#[derive(Clone, Debug, Args)]
pub struct Export {
    /// The database
    pub file: PathBuf,
    /// The folder, which is made
    pub folder: PathBuf,
    /// All in one folder, or in a tree of at most 100 entries a folder
    #[arg(long, value_enum, default_value_t = Layout::Folder)]
    pub layout: Layout,
}

/// See [`Tool::Stat`].
#[derive(Clone, Debug, Args)]
pub struct Stat {
    /// The database
    pub file: PathBuf,
}

/// See [`Tool::Run`].
#[derive(Clone, Debug, Args)]
pub struct Run {
    /// A database, or a folder that was exported
    pub path: PathBuf,
    /// In which order
    #[arg(long, value_enum, default_value_t = Order::Random)]
    pub order: Order,
    /// How many BLOBs [default: all]
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Through the BLOB interface instead of SQL
    #[arg(long)]
    pub blob_api: bool,
    /// The mapping in bytes
    #[arg(long, value_name = "BYTES")]
    pub mmap: Option<u64>,
    /// The page cache: pages, or KiB if negative
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub cache_size: Option<i64>,
    /// Each BLOB its own transaction
    #[arg(long)]
    pub multitrans: bool,
    /// Overwrite instead of reading, with randomblob()
    #[arg(long)]
    pub update: bool,
    /// The journal mode
    #[arg(long, value_enum)]
    pub journal_mode: Option<JournalMode>,
    /// PRAGMA synchronous=OFF
    #[arg(long)]
    pub nosync: bool,
    /// Files: fsync after each that is overwritten
    #[arg(long)]
    pub fsync: bool,
    /// PRAGMA integrity_check first
    #[arg(long)]
    pub integrity_check: bool,
    /// How the files of a folder lie
    #[arg(long, value_enum, default_value_t = Layout::Folder)]
    pub layout: Layout,
    /// Who opens the database
    #[arg(long, value_enum, default_value_t = With::Lithe)]
    pub with: With,
}

/// A library of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum With {
    /// Lithe
    Lithe,
    /// SQLite
    Sqlite,
}

/// Runs the tool, and prints its results.
pub fn use_tool(tool: &Tool, seed: u64) -> Result<()> {
    match tool {
        Tool::Make(make) => match make.with {
            With::Lithe => make_database::<Lithe>(make, seed),
            With::Sqlite => make_database::<Sqlite>(make, seed),
        },
        Tool::Export(export) => export_files(export),
        Tool::Stat(stat) => print_statistics(&stat.file),
        Tool::Run(run) if run.path.is_dir() => run_files(run, seed),
        Tool::Run(run) => match run.with {
            With::Lithe => run_database::<Lithe>(run, seed),
            With::Sqlite => run_database::<Sqlite>(run, seed),
        },
    }
}

fn make_database<L: Library>(make: &Make, seed: u64) -> Result<()> {
    if make.file.exists() {
        return Err(Error::setup(format!("{} is there already", make.file.display())));
    }
    let content = Content::new(seed, make.size, make.variance);
    let connection = L::open(&make.file, &Settings { page_size: Some(make.page_size), ..Settings::default() })?;
    connection.run(SCHEMA)?;
    connection.run("BEGIN")?;
    let mut insert = connection.prepare("INSERT INTO kv VALUES (?1, ?2)")?;
    let mut bytes = Vec::new();
    for key in 1..=make.count {
        content.fill(key, 0, &mut bytes);
        insert.run(&[Cell::from(key), Cell::Blob(&bytes)])?;
    }
    drop(insert);
    connection.run("COMMIT")
}

/// Opens a database that must exist.
fn open<L: Library>(file: &Path, settings: &Settings) -> Result<L::Connection> {
    if !file.is_file() {
        return Err(Error::setup(format!("no database {}", file.display())));
    }
    L::open(file, settings)
}

/// The number of BLOBs: their keys are 1 to that.
fn count(connection: &impl Connection) -> Result<usize> {
    Ok(usize::try_from(connection.integer("SELECT max(k) FROM kv")?).unwrap_or(0))
}

fn export_files(export: &Export) -> Result<()> {
    let connection = open::<Lithe>(&export.file, &Settings::default())?;
    let count = count(&connection)?;
    let mut select = Connection::prepare(&connection, "SELECT v FROM kv WHERE k=?1")?;
    Files::new(&export.folder, export.layout, count).create(count, |key, bytes| {
        bytes.clear();
        select.each(&[Cell::from(key)], |row| {
            bytes.extend_from_slice(row.bytes(0));
            Ok(())
        })?;
        Ok(())
    })?;
    println!("{count} files, {} bytes on the disk", disk_bytes(&export.folder)?);
    Ok(())
}

fn print_statistics(file: &Path) -> Result<()> {
    let connection = open::<Lithe>(file, &Settings::default())?;
    for (name, sql) in [
        ("BLOBs", "SELECT count(*) FROM kv"),
        ("largest", "SELECT max(length(v)) FROM kv"),
        ("smallest", "SELECT min(length(v)) FROM kv"),
        ("bytes of BLOBs", "SELECT sum(length(v)) FROM kv"),
        ("page size", "PRAGMA page_size"),
        ("pages", "PRAGMA page_count"),
        ("free pages", "PRAGMA freelist_count"),
    ] {
        println!("{name}: {}", connection.integer(sql)?);
    }
    println!("bytes on the disk: {}", disk_bytes(file)?);
    Ok(())
}

fn run_database<L: Library>(run: &Run, seed: u64) -> Result<()> {
    let settings = Settings {
        mmap_size: run.mmap,
        cache_size: run.cache_size,
        journal_mode: run.journal_mode,
        synchronous: run.nosync.then_some(Synchronous::Off),
        ..Settings::default()
    };
    let connection = open::<L>(&run.path, &settings)?;
    if run.integrity_check {
        println!("integrity_check: {}", connection.text("PRAGMA integrity_check")?);
    }
    let keys = run.keys(count(&connection)?, seed);
    let start = Instant::now();
    let between = |sql| if run.multitrans { Ok(()) } else { connection.run(sql) };
    between("BEGIN")?;
    let bytes = match (run.update, run.blob_api) {
        (true, _) => overwrite_rows(&connection, &keys)?,
        (false, true) => read_blobs(&connection, &keys)?,
        (false, false) => read_rows(&connection, &keys)?,
    };
    between("COMMIT")?;
    report(start, keys.len(), bytes);
    Ok(())
}

fn overwrite_rows(connection: &impl Connection, keys: &[usize]) -> Result<usize> {
    let mut update = connection.prepare("UPDATE kv SET v=randomblob(length(v)) WHERE k=?1")?;
    keys.iter().try_for_each(|&key| update.run(&[Cell::from(key)]).map(|_| ()))?;
    Ok(0)
}

fn read_blobs(connection: &impl Connection, keys: &[usize]) -> Result<usize> {
    let Some(&first) = keys.first() else { return Ok(0) };
    let (mut blob, mut buffer, mut bytes) = (connection.blob("kv", "v", rowid(first), Access::Read)?, Vec::new(), 0);
    for &key in keys {
        blob.reopen(rowid(key))?;
        blob.read(&mut buffer)?;
        bytes += black_box(blob.len());
    }
    Ok(bytes)
}

fn read_rows(connection: &impl Connection, keys: &[usize]) -> Result<usize> {
    let mut select = connection.prepare("SELECT v FROM kv WHERE k=?1")?;
    let mut bytes = 0;
    for &key in keys {
        select.each(&[Cell::from(key)], |row| {
            bytes += black_box(row.bytes(0)).len();
            Ok(())
        })?;
    }
    Ok(bytes)
}

fn run_files(run: &Run, seed: u64) -> Result<()> {
    let count = count_files(&run.path)?;
    let files = Files::new(&run.path, run.layout, count);
    let keys = run.keys(count, seed);
    let (mut names, mut buffer, mut bytes) = (files.names(), Vec::new(), 0);
    let how = if run.fsync { Overwrite::TruncateAndSync } else { Overwrite::Truncate };
    let start = Instant::now();
    for &key in &keys {
        if run.update {
            let path = names.of(key);
            let len = fs::metadata(path).context("look at", path)?.len();
            buffer.resize(usize::try_from(len).unwrap_or(0), 0);
            fastrand::fill(&mut buffer);
            names.overwrite(key, how, &buffer)?;
        } else {
            bytes += black_box(names.read(key, &mut buffer)?);
        }
    }
    report(start, keys.len(), bytes);
    Ok(())
}

fn count_files(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder).context("list", folder)? {
        let path = entry.context("list", folder)?.path();
        count += if path.is_dir() { count_files(&path)? } else { 1 };
    }
    Ok(count)
}

impl Run {
    fn keys(&self, count: usize, seed: u64) -> Vec<usize> {
        keys(self.order, count, self.count.unwrap_or(count), seed)
    }
}

fn report(start: Instant, count: usize, bytes: usize) {
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} BLOBs in {seconds:.3} s: {:.2} µs each", seconds * 1e6 / count.max(1) as f64);
    if bytes > 0 {
        println!("{:.0} MB/s", bytes as f64 / 1e6 / seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::scratch::Scratch;

    #[test]
    fn a_database_is_made_exported_and_read() {
        let scratch = Scratch::new(&std::env::temp_dir(), 1).unwrap();
        let (file, folder) = (scratch.file("x.db"), scratch.file("x.files"));
        let make =
            Make { file: file.clone(), count: 30, size: 3000, variance: 500, page_size: 1024, with: With::Sqlite };
        use_tool(&Tool::Make(make.clone()), 7).unwrap();
        assert!(use_tool(&Tool::Make(make), 7).unwrap_err().to_string().contains("is there already"));
        let export = Export { file: file.clone(), folder: folder.clone(), layout: Layout::Tree };
        use_tool(&Tool::Export(export), 7).unwrap();
        let mut buffer = Vec::new();
        let len = Files::new(&folder, Layout::Tree, 30).names().read(17, &mut buffer).unwrap();
        Content::new(7, 3000, 500).check(17, 0, &buffer[..len], &mut Vec::new()).unwrap();
        assert_eq!(count_files(&folder).unwrap(), 30);
        use_tool(&Tool::Stat(Stat { file }), 7).unwrap();
    }
}
