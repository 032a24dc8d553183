//! One cell: BLOBs of one size, in databases of one page size and as files.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use super::Options;
use crate::content::{Content, Order, keys};
use crate::files::{Files, Layout, Names};
use crate::frame::results::{Name, Row, Side};
use crate::frame::scratch::Scratch;
use crate::frame::turns::{Contestant, Contestants, Round, Turn, micros_each, quiet_turns};
use crate::frame::{Context, Error, Result};
use crate::sql::{Access, Blob, Cell, Connection, Library, Lithe, MAP_ALL, Settings, Sqlite, Statement};

/// The series that is the baseline.
pub const BASELINE: &str = "files";

/// The state that the contestants of a cell share.
struct World<'a> {
    folder: PathBuf,
    content: Content,
    count: usize,
    options: &'a Options,
    page_size: usize,
    size: usize,
}

/// Creates the cell's files, lets the contestants read them in turns, and removes them.
pub fn measure(scratch: &Scratch, options: &Options, page_size: usize, size: usize) -> Result<Vec<Row>> {
    let folder = scratch.file(&format!("{page_size}-{size}"));
    fs::create_dir(&folder).context("create", &folder)?;
    let count = (options.total / size).max(1);
    let content = Content::new(options.common.seed, size, 0);
    let world = World { folder, content, count, options, page_size, size };
    let rows = world.take_turns()?;
    fs::remove_dir_all(&world.folder).context("remove", &world.folder)?;
    Ok(rows)
}

impl World<'_> {
    fn take_turns(&self) -> Result<Vec<Row>> {
        let common = &self.options.common;
        let files = Files::new(&self.folder.join("files"), Layout::Folder, self.count);
        files.create(self.count, |key, bytes| {
            self.content.fill(key, 0, bytes);
            Ok(())
        })?;
        let small = Some(-i64::from(self.options.cache_kib));
        let unmapped = Settings { mmap_size: Some(0), cache_size: small, ..Settings::default() };
        let mapped = Settings { mmap_size: Some(MAP_ALL), cache_size: small, ..Settings::default() };
        let defaults = Settings { cache_size: small, ..Settings::default() };
        let mut contestants: Contestants<'_> =
            vec![self.reader(BASELINE, "files", Side::Files, FileReader(files.names()))];
        if common.has(Side::Lithe) {
            let path = self.database::<Lithe>()?;
            let (default, buffered) = (Lithe::open(&path, &defaults)?, Lithe::open(&path, &unmapped)?);
            contestants.push(self.reader("lithe", "Lithe", Side::Lithe, BlobReader(default)));
            contestants.push(self.reader("lithe-buffered", "Lithe, no mapping", Side::Lithe, BlobReader(buffered)));
        }
        if common.has(Side::Sqlite) {
            let path = self.database::<Sqlite>()?;
            let (default, mapped) = (Sqlite::open(&path, &defaults)?, Sqlite::open(&path, &mapped)?);
            contestants.push(self.reader("sqlite", "SQLite", Side::Sqlite, BlobReader(default)));
            contestants.push(self.reader("sqlite-mapped", "SQLite, mapped", Side::Sqlite, BlobReader(mapped)));
            let external = External { connection: self.names_database::<Sqlite>()?, root: self.folder.join("files") };
            contestants.push(self.reader(
                "external",
                "external: name in SQLite, content in a file",
                Side::Files,
                external,
            ));
        }
        quiet_turns(common.rounds(), common.seed, &mut contestants)
    }

    fn reader<'w>(&'w self, id: &str, label: &str, side: Side, mut reader: impl Read + 'w) -> Box<dyn Contestant + 'w> {
        let name = Name::new(format!("{id}/{}/{}", self.page_size, self.size), label, side);
        Box::new(Turn(name, move |round: Round| {
            let keys = keys(Order::Random, self.count, self.count, round.seed);
            if round.is_warm_up() {
                let mut expected = Vec::new();
                reader.read_all(&keys, &mut |key, bytes| self.content.check(key, 0, bytes, &mut expected))?;
            }
            let (micros, total) = micros_each(keys.len(), || {
                let mut total = 0;
                reader.read_all(&keys, &mut |_, bytes| {
                    total += black_box(bytes).len();
                    Ok(())
                })?;
                Ok(total)
            })?;
            if total != self.count * self.size {
                return Err(Error::WrongContent(format!("{total} bytes instead of {}", self.count * self.size)));
            }
            Ok(micros)
        }))
    }

    fn database<L: Library>(&self) -> Result<PathBuf> {
        let path = self.folder.join(format!("{}.db", L::SIDE));
        let settings = Settings { page_size: Some(self.page_size), ..Settings::default() };
        let connection = L::open(&path, &settings)?;
        connection.run("CREATE TABLE kv(k INTEGER PRIMARY KEY, v BLOB); BEGIN")?;
        let mut insert = connection.prepare("INSERT INTO kv VALUES (?1, ?2)")?;
        let mut bytes = Vec::new();
        for key in 1..=self.count {
            self.content.fill(key, 0, &mut bytes);
            insert.run(&[Cell::from(key), Cell::Blob(&bytes)])?;
        }
        drop(insert);
        connection.run("COMMIT")?;
        Ok(path)
    }

    /// The database of "external", with the names of files.
    fn names_database<L: Library>(&self) -> Result<L::Connection> {
        let settings = Settings { page_size: Some(self.page_size), ..Settings::default() };
        let connection = L::open(&self.folder.join("names.db"), &settings)?;
        connection.run("CREATE TABLE kv(k INTEGER PRIMARY KEY, name TEXT); BEGIN")?;
        let files = Files::new(Path::new(""), Layout::Folder, self.count);
        let mut names = files.names();
        let mut insert = connection.prepare("INSERT INTO kv VALUES (?1, ?2)")?;
        for key in 1..=self.count {
            insert.run(&[Cell::from(key), Cell::from(names.of(key).trim_start_matches('/'))])?;
        }
        drop(insert);
        connection.run("COMMIT")?;
        Ok(connection)
    }
}

/// A reader of BLOBs by their keys.
trait Read {
    fn read_all(&mut self, keys: &[usize], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()>;
}

struct FileReader<'a>(Names<'a>);

impl Read for FileReader<'_> {
    fn read_all(&mut self, keys: &[usize], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let mut buffer = Vec::new();
        keys.iter().try_for_each(|&key| {
            let len = self.0.read(key, &mut buffer)?;
            each(key, &buffer[..len])
        })
    }
}

struct BlobReader<C>(C);

impl<C: Connection> Read for BlobReader<C> {
    fn read_all(&mut self, keys: &[usize], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let mut blob = self.0.blob("kv", "v", 1, Access::Read)?;
        let mut buffer = Vec::new();
        keys.iter().try_for_each(|&key| {
            blob.reopen(i64::try_from(key).unwrap_or(i64::MAX))?;
            blob.read(&mut buffer)?;
            each(key, &buffer[..blob.len()])
        })
    }
}

/// Reads the name from a database and the content from the file of that name.
struct External<C> {
    connection: C,
    root: PathBuf,
}

impl<C: Connection> Read for External<C> {
    fn read_all(&mut self, keys: &[usize], each: &mut dyn FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let mut select = self.connection.prepare("SELECT name FROM kv WHERE k=?1")?;
        let (mut path, mut buffer) = (format!("{}/", self.root.display()), Vec::new());
        let root_len = path.len();
        self.connection.run("BEGIN")?;
        for &key in keys {
            path.truncate(root_len);
            select.each(&[Cell::from(key)], |row| {
                path.push_str(&String::from_utf8_lossy(row.bytes(0)));
                Ok(())
            })?;
            let len = crate::files::read_file(&path, &mut buffer).context("read", &path)?;
            each(key, &buffer[..len])?;
        }
        self.connection.run("COMMIT")
    }
}
