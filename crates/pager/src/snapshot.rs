//! The committed state of a database that is read, and counters of what has changed for a connection.
//!
//! ```text
//!   file store                         pager
//!   begin_read ── Snapshot (a value) ──► View: the snapshot that is adopted, as the hot path reads it
//!              ── Change ──────────────► ChangeCounter
//!        ▲                                 │ commit, rollback
//!        └──── Snapshot of what was written ┘
//! ```
//!
//! A [`SnapshotId`] is compared and never counted: two snapshots with one id have the same content. The buffer pool and the
//! shared cache compare it, and so does the check whether a file has changed.

use std::cell::Cell;

use lithe_format::bytes::at_u32;
use lithe_format::db_header::CHANGE_COUNTER_AT;
use lithe_format::wal_index::{HEADER_WORDS, IndexHeader};
use lithe_format::{PageNo, PageSize};

use crate::page_ref::{Epoch, MappedFile};

/// The part of page 1 that changes with every transaction: change counter, size, freelist.
pub(crate) type Fingerprint = [u8; 16];

/// Identifies one committed state of a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SnapshotId {
    /// No state was read yet.
    #[default]
    Unknown,
    /// Without a log: the fingerprint of page 1, and the length of the file in bytes.
    File(Fingerprint, u64),
    /// The header of the log's index.
    Log([u32; HEADER_WORDS]),
}

impl SnapshotId {
    /// Whether both have the same content: a writer that restarts the log makes another header for the same content, before it has
    /// committed anything.
    pub(crate) fn has_content_of(&self, other: &SnapshotId) -> bool {
        match (self, other) {
            (SnapshotId::Log(one), SnapshotId::Log(other)) => {
                match (IndexHeader::read(one), IndexHeader::read(other)) {
                    (Some(one), Some(other)) => (one.changes, one.page_count) == (other.changes, other.page_count),
                    _ => false,
                }
            }
            (SnapshotId::File(one, _), SnapshotId::File(other, _)) => one == other,
            _ => false,
        }
    }

    /// The change counter on page 1, where there is no log.
    pub(crate) fn change_counter(&self) -> u32 {
        match self {
            SnapshotId::File(fingerprint, _) => at_u32(fingerprint, 0),
            _ => 0,
        }
    }
}

/// The fingerprint in a header.
pub(crate) fn fingerprint_in(header: &[u8]) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    fingerprint.copy_from_slice(&header[CHANGE_COUNTER_AT..][..size_of::<Fingerprint>()]);
    fingerprint
}

/// The size of pages, and the bytes at the end of each that the format does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) page_size: PageSize,
    pub(crate) reserved: u8,
}

/// A committed state of a database, as one connection reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot {
    pub(crate) id: SnapshotId,
    pub(crate) shape: Shape,
    pub(crate) page_count: u32,
    /// How many bytes the database file has.
    pub(crate) file_size: u64,
    /// The mapped part of the file.
    pub(crate) mapped: MappedFile,
    /// Pages up to this one are read from `mapped` directly; 0 where a log has to be searched first.
    pub(crate) direct: u32,
    /// Page 1 has a valid page count.
    pub(crate) counts_pages: bool,
    /// Page 1 has the write version of a later library: the database is read-only.
    pub(crate) has_newer_write_version: bool,
}

impl Snapshot {
    /// A database without pages.
    pub(crate) fn empty(shape: Shape) -> Snapshot {
        Snapshot {
            id: SnapshotId::File(Fingerprint::default(), 0),
            shape,
            page_count: 0,
            file_size: 0,
            mapped: MappedFile::NONE,
            direct: 0,
            counts_pages: false,
            has_newer_write_version: false,
        }
    }

    /// The snapshot; if it has no pages, with the shape that the connection would give them.
    pub(crate) fn or_of_shape(self, shape: Shape) -> Snapshot {
        if self.page_count == 0 { Snapshot { shape, ..self } } else { self }
    }

    /// How many of the pages are wholly in the mapped part of the file.
    pub(crate) fn mapped_pages(&self) -> u32 {
        let whole_pages = self.mapped.valid() / self.shape.page_size.bytes();
        self.page_count.min(u32::try_from(whole_pages).unwrap_or(u32::MAX))
    }
}

/// The changes that were found in the database since it was last read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Pages may have moved, with or without new content.
    pub(crate) moved: bool,
    /// How many times other connections were found to have changed the content.
    pub(crate) foreign: u32,
}

/// Counts the changes of what a connection sees.
#[derive(Debug, Default)]
pub(crate) struct ChangeCounter {
    all: Cell<u64>,
    /// The changes in `all` that were not writes or ends of transactions of this connection.
    others: Cell<u64>,
    foreign: Cell<u32>,
}

impl ChangeCounter {
    /// Starts with the number of changes by other connections that have been counted already.
    pub(crate) fn new(foreign: u32) -> ChangeCounter {
        ChangeCounter { all: Cell::new(0), others: Cell::new(0), foreign: Cell::new(foreign) }
    }

    /// Changes at every write, every rollback and every new snapshot.
    #[inline]
    pub(crate) fn all(&self) -> u64 {
        self.all.get()
    }

    /// Changes when another connection has changed the database.
    pub(crate) fn foreign(&self) -> u32 {
        self.foreign.get()
    }

    #[inline]
    pub(crate) fn bump(&self) {
        self.all.set(self.all.get().wrapping_add(1));
    }

    /// Changes when the connection sees other content for a reason that is not its own write or end of transaction.
    pub(crate) fn others(&self) -> u64 {
        self.others.get()
    }

    /// Counts a change to another snapshot.
    pub(crate) fn bump_for_others(&self) {
        self.bump();
        self.others.set(self.others.get().wrapping_add(1));
    }

    pub(crate) fn count(&self, change: Change) {
        if change.moved || change.foreign > 0 {
            self.bump_for_others();
        }
        self.foreign.set(self.foreign.get().wrapping_add(change.foreign));
    }
}

/// The snapshot that the pager has adopted, in cells: a page of a mapped file is found by a few loads. Only the pager writes them.
#[derive(Debug)]
pub(crate) struct View {
    /// See [`Snapshot::direct`]; also 0 outside transactions and while pages may be dirty.
    pub(crate) direct: Cell<u32>,
    pub(crate) mapped: Cell<MappedFile>,
    pub(crate) epoch: Cell<Epoch>,
    pub(crate) page_size: Cell<PageSize>,
    pub(crate) lock_byte_page: Cell<PageNo>,
    /// The size of the database in pages, as the transaction has made it.
    pub(crate) page_count: Cell<u32>,
    pub(crate) reserved: Cell<u8>,
    pub(crate) id: Cell<SnapshotId>,
    /// Clean pages are copies, not references into the mapping, because the mapping will change before the transaction
    /// ends.
    pub(crate) reads_copies: Cell<bool>,
    /// A write transaction has begun on an empty database. Even if it was rolled back, page size and auto-vacuum mode stay, as in SQLite.
    pub(crate) is_shape_fixed: Cell<bool>,
}

impl View {
    /// The view of a database of which nothing is known but the shape that new pages would have.
    pub(crate) fn new(shape: Shape, epoch: Epoch) -> View {
        View {
            direct: Cell::new(0),
            mapped: Cell::new(MappedFile::NONE),
            epoch: Cell::new(epoch),
            page_size: Cell::new(shape.page_size),
            lock_byte_page: Cell::new(shape.page_size.lock_byte_page()),
            page_count: Cell::new(0),
            reserved: Cell::new(shape.reserved),
            id: Cell::default(),
            reads_copies: Cell::new(false),
            is_shape_fixed: Cell::new(false),
        }
    }

    /// The view of a snapshot that is being taken, for reads within one call.
    pub(crate) fn of(snapshot: &Snapshot) -> View {
        let view = View::new(snapshot.shape, Epoch::OF_ONE_CALL);
        view.adopt(snapshot);
        view
    }

    /// Makes the snapshot the one that is read.
    pub(crate) fn adopt(&self, snapshot: &Snapshot) {
        self.set_shape(snapshot.shape);
        self.page_count.set(snapshot.page_count);
        self.mapped.set(snapshot.mapped);
        self.direct.set(snapshot.direct);
        self.id.set(snapshot.id);
        self.reads_copies.set(false);
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape { page_size: self.page_size.get(), reserved: self.reserved.get() }
    }

    pub(crate) fn set_shape(&self, shape: Shape) {
        self.page_size.set(shape.page_size);
        self.lock_byte_page.set(shape.page_size.lock_byte_page());
        self.reserved.set(shape.reserved);
    }

    /// The page `no` in the mapped file, even if a log has a newer image.
    pub(crate) fn mapped_page(&self, no: PageNo) -> Option<crate::page_ref::PageRef> {
        let (page_size, mapped) = (self.page_size.get(), self.mapped.get());
        let end = no.offset(page_size.get()) + u64::from(page_size.get());
        let is_there = end <= mapped.valid() as u64;
        is_there.then(|| mapped.page(no.index() * page_size.bytes(), page_size.get(), self.epoch.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_content_under_two_headers() {
        let header = IndexHeader { changes: 7, page_count: 3, last_frame: 12, ..IndexHeader::EMPTY };
        let anew = IndexHeader { last_frame: 0, ..header };
        let next = IndexHeader { changes: 8, ..anew };
        let [header, anew, next] = [header, anew, next].map(|header| SnapshotId::Log(header.write()));
        assert!(header != anew && header.has_content_of(&anew) && !anew.has_content_of(&next));
        let file = SnapshotId::File([1; 16], 4096);
        assert!(file.has_content_of(&SnapshotId::File([1; 16], 8192)) && !file.has_content_of(&header));
        assert!(!SnapshotId::Unknown.has_content_of(&SnapshotId::Unknown));
        assert_eq!(file.change_counter(), 0x0101_0101);
    }

    #[test]
    fn changes_are_counted() {
        let counter = ChangeCounter::new(1);
        counter.count(Change::default());
        assert_eq!((counter.all(), counter.foreign()), (0, 1));
        counter.count(Change { moved: true, foreign: 0 });
        counter.count(Change { moved: false, foreign: 2 });
        assert_eq!((counter.all(), counter.foreign()), (2, 3));
    }
}
