//! Reading BLOBs in random order: files, SQL, the BLOB interface.
//!
//! The warm-up round reads in the same way and compares every byte; the measured rounds compare the number of bytes.

use std::hint::black_box;
use std::marker::PhantomData;

use crate::blobs::schema::rowid;
use crate::blobs::workload::Workload;
use crate::files::{Files, Layout};
use crate::frame::Result;
use crate::frame::results::{Name, Side};
use crate::frame::turns::{Contestant, Round, micros_each};
use crate::sql::{Access, Blob, Cell, Connection, Library, Settings, Statement};

/// Reads files: open, size, read, close.
pub struct ReadFiles<'w> {
    pub name: Name,
    pub workload: &'w Workload,
    pub files: Files,
}

impl<'w> ReadFiles<'w> {
    /// Files in that layout.
    pub fn new(workload: &'w Workload, layout: Layout) -> ReadFiles<'w> {
        let (id, label) = match layout {
            Layout::Folder => ("files-folder", "files, one folder"),
            Layout::Tree => ("files-tree", "files, tree of folders"),
        };
        ReadFiles { name: Name::new(id, label, Side::Files), workload, files: workload.files(layout) }
    }
}

impl Contestant for ReadFiles<'_> {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let keys = self.workload.keys(round);
        let (mut names, mut buffer) = (self.files.names(), Vec::new());
        if round.is_warm_up() {
            let mut expected = Vec::new();
            for &key in &keys {
                let len = names.read(key, &mut buffer)?;
                self.workload.content.check(key, 0, &buffer[..len], &mut expected)?;
            }
        }
        let (micros, total) = micros_each(keys.len(), || {
            let mut total = 0;
            for &key in &keys {
                total += names.read(key, &mut buffer)? as u64;
                black_box(&buffer);
            }
            Ok(total)
        })?;
        self.workload.check_total(&keys, total)?;
        Ok(micros)
    }
}

/// The size of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transactions {
    /// All reads of a turn.
    One,
    /// One BLOB.
    Each,
}

/// Reads through `SELECT v FROM kv WHERE k=?1`.
pub struct ReadSql<'w, L: Library> {
    name: Name,
    workload: &'w Workload,
    connection: L::Connection,
    transactions: Transactions,
}

impl<'w, L: Library> ReadSql<'w, L> {
    /// A contestant with a connection of its own.
    pub fn open(name: Name, workload: &'w Workload, settings: &Settings, transactions: Transactions) -> Result<Self> {
        let connection = L::open(&workload.database::<L>(), settings)?;
        Ok(ReadSql { name, workload, connection, transactions })
    }
}

impl<L: Library> Contestant for ReadSql<'_, L> {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let keys = self.workload.keys(round);
        let mut select = self.connection.prepare("SELECT v FROM kv WHERE k=?1")?;
        if round.is_warm_up() {
            let mut expected = Vec::new();
            for &key in &keys {
                select
                    .each(&[Cell::from(key)], |row| self.workload.content.check(key, 0, row.bytes(0), &mut expected))?;
            }
        }
        let (micros, total) = micros_each(keys.len(), || {
            let mut total = 0;
            if self.transactions == Transactions::One {
                self.connection.run("BEGIN")?;
            }
            for &key in &keys {
                select.each(&[Cell::from(key)], |row| {
                    total += black_box(row.bytes(0)).len() as u64;
                    Ok(())
                })?;
            }
            if self.transactions == Transactions::One {
                self.connection.run("COMMIT")?;
            }
            Ok(total)
        })?;
        self.workload.check_total(&keys, total)?;
        Ok(micros)
    }
}

/// Reads through the BLOB interface: one handle that goes from row to row.
pub struct ReadBlob<'w, L: Library> {
    name: Name,
    workload: &'w Workload,
    connection: L::Connection,
    library: PhantomData<L>,
}

impl<'w, L: Library> ReadBlob<'w, L> {
    /// A contestant with a connection of its own.
    pub fn open(name: Name, workload: &'w Workload, settings: &Settings) -> Result<Self> {
        let connection = L::open(&workload.database::<L>(), settings)?;
        Ok(ReadBlob { name, workload, connection, library: PhantomData })
    }
}

impl<L: Library> Contestant for ReadBlob<'_, L> {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn turn(&mut self, round: Round) -> Result<f64> {
        let keys = self.workload.keys(round);
        let mut blob = self.connection.blob("kv", "v", 1, Access::Read)?;
        let mut buffer = Vec::new();
        if round.is_warm_up() {
            let mut expected = Vec::new();
            for &key in &keys {
                blob.reopen(rowid(key))?;
                blob.read(&mut buffer)?;
                self.workload.content.check(key, 0, &buffer[..blob.len()], &mut expected)?;
            }
        }
        let (micros, total) = micros_each(keys.len(), || {
            let mut total = 0;
            for &key in &keys {
                blob.reopen(rowid(key))?;
                blob.read(&mut buffer)?;
                black_box(&buffer);
                total += blob.len() as u64;
            }
            Ok(total)
        })?;
        self.workload.check_total(&keys, total)?;
        Ok(micros)
    }
}
