//! Overwriting BLOBs with new content of the same size: many in one transaction, or a transaction for each.
//!
//! ```text
//!   untimed   open, set the journal mode, prepare, make the new content
//!   timed     BEGIN, the overwriting, COMMIT; the checkpoint is left out
//!   untimed   read back and compare, checkpoint, close
//! ```

use std::thread;
use std::time::Instant;

use crate::blobs::schema::rowid;
use crate::blobs::workload::Workload;
use crate::files::{Files, Layout, Overwrite, settle};
use crate::frame::results::{Name, Side};
use crate::frame::turns::{Contestant, Round, micros_each};
use crate::frame::{Error, Result};
use crate::sql::{Access, Blob, Cell, Connection, JournalMode, Library, Settings, Statement, Synchronous};

/// How a database overwrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `UPDATE kv SET v=?1 WHERE k=?2`.
    Bound,
    /// `UPDATE kv SET v=randomblob(?1) WHERE k=?2`: the published method, in which the database makes the content.
    Random,
}

/// A database that overwrites.
pub struct OverwriteSql<'w> {
    /// Its name.
    pub name: Name,
    /// The BLOBs.
    pub workload: &'w Workload,
    /// The journal mode.
    pub journal_mode: JournalMode,
    /// The durability.
    pub synchronous: Synchronous,
    /// The method.
    pub way: Way,
    /// The number of threads, each with a connection of its own.
    pub threads: usize,
    /// Whether each BLOB is a transaction of its own.
    pub one_by_one: bool,
}

impl OverwriteSql<'_> {
    fn settings(&self) -> Settings {
        Settings {
            journal_mode: Some(self.journal_mode),
            synchronous: Some(self.synchronous),
            wal_autocheckpoint: Some(0),
            busy_timeout: Some(60_000),
            ..Settings::default()
        }
    }

    /// The contestant that uses this library.
    pub fn with<L: Library>(self) -> WithLibrary<Self, L> {
        WithLibrary(self, L::default())
    }
}

/// A contestant with its library.
pub struct WithLibrary<C, L>(C, L);

impl<L: Library> Contestant for WithLibrary<OverwriteSql<'_>, L> {
    fn name(&self) -> Name {
        self.0.name.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let this = &self.0;
        let options = &this.workload.options;
        let count = if this.one_by_one { options.commits } else { options.overwrites };
        let work = Work::new(this.workload, round, count);
        let path = this.workload.database::<L>();
        // The journal mode is stored in the file: it is set once, before several threads open the file.
        let main = L::open(&path, &this.settings())?;
        let micros = if this.threads == 1 {
            settle(this.workload.folder())?;
            micros_each(work.items.len(), || this.overwrite(&main, &work.items))?.0
        } else {
            let mut connections = Vec::new();
            for _ in 0..this.threads {
                connections.push(L::open(&path, &this.settings())?);
            }
            settle(this.workload.folder())?;
            this.overwrite_from_threads(connections, &work)?
        };
        this.check(&main, &work)?;
        // Restores the journal mode, which also runs the checkpoint.
        main.run("PRAGMA journal_mode=DELETE")?;
        Ok(micros)
    }
}

impl OverwriteSql<'_> {
    fn overwrite(&self, connection: &impl Connection, items: &[Item]) -> Result<()> {
        let mut update = connection.prepare(match self.way {
            Way::Bound => "UPDATE kv SET v=?1 WHERE k=?2",
            Way::Random => "UPDATE kv SET v=randomblob(?1) WHERE k=?2",
        })?;
        if !self.one_by_one {
            connection.run("BEGIN IMMEDIATE")?;
        }
        for item in items {
            let value = match self.way {
                Way::Bound => Cell::Blob(&item.bytes),
                Way::Random => Cell::from(item.bytes.len()),
            };
            update.run(&[value, Cell::from(item.key)])?;
        }
        if self.one_by_one { Ok(()) } else { connection.run("COMMIT") }
    }

    /// Divides the BLOBs among threads. The time is from the first start to the last end.
    fn overwrite_from_threads<C: Connection>(&self, connections: Vec<C>, work: &Work) -> Result<f64> {
        let shares = work.items.chunks(work.items.len().div_ceil(self.threads).max(1));
        let start = Instant::now();
        thread::scope(|scope| {
            let running: Vec<_> = shares
                .zip(connections)
                .map(|(share, connection)| scope.spawn(move || self.overwrite(&connection, share)))
                .collect();
            running.into_iter().try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(_) => Err(Error::setup("a writing thread panicked")),
            })
        })?;
        Ok(start.elapsed().as_secs_f64() * 1e6 / work.items.len() as f64)
    }

    fn check(&self, connection: &impl Connection, work: &Work) -> Result<()> {
        let mut blob = connection.blob("kv", "v", 1, Access::Read)?;
        let (mut buffer, mut expected) = (Vec::new(), Vec::new());
        for item in &work.items {
            blob.reopen(rowid(item.key))?;
            blob.read(&mut buffer)?;
            let found = &buffer[..blob.len()];
            match self.way {
                Way::Bound => self.workload.content.check(item.key, work.version, found, &mut expected)?,
                Way::Random if found.len() == item.bytes.len() => {}
                Way::Random => return Err(Error::WrongContent(format!("BLOB {}: {} bytes", item.key, found.len()))),
            }
        }
        Ok(())
    }
}

/// Files that are overwritten.
pub struct OverwriteFiles<'w> {
    name: Name,
    workload: &'w Workload,
    files: Files,
    how: Overwrite,
    threads: usize,
}

impl<'w> OverwriteFiles<'w> {
    /// The files of the single folder, overwritten with this method.
    pub fn new(name: Name, workload: &'w Workload, how: Overwrite, threads: usize) -> Self {
        OverwriteFiles { name, workload, files: workload.files(Layout::Folder), how, threads }
    }
}

impl Contestant for OverwriteFiles<'_> {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let options = &self.workload.options;
        let is_durable = self.how == Overwrite::TruncateAndSync;
        let work = Work::new(self.workload, round, if is_durable { options.commits } else { options.overwrites });
        let shares: Vec<&[Item]> = work.items.chunks(work.items.len().div_ceil(self.threads).max(1)).collect();
        let overwrite = |items: &[Item]| {
            let mut names = self.files.names();
            items.iter().try_for_each(|item| names.overwrite(item.key, self.how, &item.bytes))
        };
        settle(self.workload.folder())?;
        let (micros, ()) = micros_each(work.items.len(), || {
            let [share] = shares[..] else {
                return thread::scope(|scope| {
                    let running: Vec<_> = shares.iter().map(|share| scope.spawn(|| overwrite(share))).collect();
                    running
                        .into_iter()
                        .try_for_each(|t| t.join().unwrap_or(Err(Error::setup("a writing thread panicked"))))
                });
            };
            overwrite(share)
        })?;
        self.check(&work)?;
        Ok(micros)
    }
}

impl OverwriteFiles<'_> {
    fn check(&self, work: &Work) -> Result<()> {
        let (mut names, mut buffer, mut expected) = (self.files.names(), Vec::new(), Vec::new());
        work.items.iter().try_for_each(|item| {
            let len = names.read(item.key, &mut buffer)?;
            self.workload.content.check(item.key, work.version, &buffer[..len], &mut expected)
        })
    }
}

/// The content that a turn writes, made before the clock starts.
struct Work {
    items: Vec<Item>,
    version: u32,
}

struct Item {
    key: usize,
    bytes: Vec<u8>,
}

impl Work {
    fn new(workload: &Workload, round: Round, count: usize) -> Work {
        let version = workload.new_version();
        let item = |key| {
            let mut bytes = Vec::new();
            workload.content.fill(key, version, &mut bytes);
            Item { key, bytes }
        };
        Work { items: workload.some_keys(round, count).into_iter().map(item).collect(), version }
    }
}

/// The contestants that overwrite in one transaction.
pub fn in_one_transaction<'w, L: Library>(workload: &'w Workload) -> Vec<Box<dyn Contestant + 'w>> {
    let modes = [
        ("wal", "WAL, sync NORMAL", JournalMode::Wal, Synchronous::Normal),
        ("off", "no journal, sync OFF", JournalMode::Off, Synchronous::Off),
    ];
    let ways = [("", "", Way::Bound), ("-random", ", randomblob()", Way::Random)];
    let mut contestants: Vec<Box<dyn Contestant + 'w>> = Vec::new();
    for (way_id, way_words, way) in ways {
        for (id, words, journal_mode, synchronous) in modes {
            let name = name(L::SIDE, &format!("{id}{way_id}"), &format!("{words}{way_words}"));
            let contestant =
                OverwriteSql { name, workload, journal_mode, synchronous, way, threads: 1, one_by_one: false };
            contestants.push(Box::new(contestant.with::<L>()));
        }
    }
    contestants
}

/// The contestants with one durable transaction for each BLOB.
pub fn one_by_one<'w, L: Library>(workload: &'w Workload) -> Vec<Box<dyn Contestant + 'w>> {
    let writers = workload.options.writers;
    let modes = [
        ("wal".to_owned(), "WAL".to_owned(), JournalMode::Wal, 1),
        ("delete".to_owned(), "rollback journal".to_owned(), JournalMode::Delete, 1),
        ("wal-threads".to_owned(), format!("WAL, {writers} threads"), JournalMode::Wal, writers),
    ];
    let contestant = |(id, words, journal_mode, threads): (String, String, JournalMode, usize)| {
        let (name, synchronous) = (name(L::SIDE, &id, &words), Synchronous::Full);
        let way = Way::Bound;
        let contestant = OverwriteSql { name, workload, journal_mode, synchronous, way, threads, one_by_one: true };
        Box::new(contestant.with::<L>()) as Box<dyn Contestant + 'w>
    };
    modes.into_iter().map(contestant).collect()
}

fn name(side: Side, id: &str, words: &str) -> Name {
    Name::new(format!("{}-{id}", side.name().to_lowercase()), format!("{}: {words}", side.name()), side)
}
