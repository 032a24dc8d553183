//! Transactions through a write-ahead log: new images of pages go to the log, and checkpoints copy them into the
//! database.
//!
//! ```text
//!   readers            writer                 checkpointer
//!   a snapshot: the    one at a time appends  copies the newest images into the
//!   frames up to one   frames, syncs, then    database, as far as no reader needs
//!   that commits       publishes the header   older ones
//! ```
//!
//! | module | subject |
//! | --- | --- |
//! | `index`, `frame_map` | the WAL index: finding the newest image of a page; one connection's list of the frames |
//! | `read_lock` | the lock of a reader, kept for a moment after a transaction |
//! | `snapshot`, `past` | beginning and ending to read; reading past snapshots |
//! | `recover` | building the index from the log; the end of a log that a power loss has torn |
//! | `append` | committing: frames, sync, header |
//! | `past_log` | loads past the log: restarting it, and a commit that no reader's snapshot precedes |
//! | `checkpoint`, `long_log` | copying from the log into the database; automatically, after a commit |
//! | `shared`, `commit_queue`, `waiters` | what a process shares of a log; its writers and committers; how long a committer waits |

mod append;
mod checkpoint;
mod commit_queue;
mod frame_map;
mod index;
mod long_log;
mod past;
mod past_log;
mod read_lock;
mod recover;
pub(crate) mod shared;
mod snapshot;
mod waiters;

use std::cell::{Cell, RefCell};
use std::io::IoSliceMut;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::Duration;

use lithe_format::wal::frame_offset;
use lithe_format::wal_index::{HEADER_WORDS, IndexHeader};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{File, ShmLock};

pub(crate) use append::Policy;
pub use checkpoint::{Checkpoint, CheckpointMode};
pub(crate) use checkpoint::{Checkpointer, Wait};
pub use past::Snapshot;
pub(crate) use snapshot::Begun;

use self::append::Tail;
use self::commit_queue::Base;
use self::frame_map::FrameMap;
use self::index::{HeaderWords, WalIndex};
use self::read_lock::{Countdown, ReadLock};
use self::shared::SharedWal;
use crate::call_policy::CallPolicy;
use crate::error::{Error, Result};
use crate::mappings::LastMapping;
use crate::page_ref::{Epoch, MappedFile, PageRef};
use crate::snapshot::SnapshotId;

/// The write-ahead log, as one connection sees it.
#[derive(Debug)]
pub(crate) struct Wal {
    /// The database file: its shared memory carries index and locks.
    file: Arc<dyn File>,
    shared: Arc<SharedWal>,
    index: WalIndex,
    read_lock: Arc<ReadLock>,
    /// The read mark in use by the transaction.
    mark: Cell<Option<usize>>,
    /// The read lock is kept when the transaction ends.
    keep: Cell<bool>,
    /// The header of the snapshot: the newest one when the transaction began, or that of this connection's commit.
    header: Cell<IndexHeader>,
    words: Cell<HeaderWords>,
    /// The frames to search; empty if the database file has all of the log.
    frames: Cell<(u32, u32)>,
    /// This connection's list of these frames.
    frame_map: RefCell<FrameMap>,
    mapped: Cell<MappedFile>,
    /// The mapping that `mapped` is part of; empty if it was never needed, or the log cannot be mapped.
    mapping: LastMapping,
    /// This connection's commit is newer than its read mark, which would hold checkpoints back if the lock were kept.
    outgrown: Cell<bool>,
    /// What this write transaction has appended.
    tail: RefCell<Option<Tail>>,
    /// The log may be mapped.
    map: bool,
    /// Which calls the VFS sees.
    calls: &'static CallPolicy,
    /// This connection holds the writer slot.
    is_writer: Cell<bool>,
    /// The writer slot is held while a read transaction begins.
    reads_as_writer: Cell<bool>,
    /// The next read transaction keeps writers from restarting the log.
    holds_log: Cell<bool>,
    /// The beginning of a read transaction has rebuilt the index.
    recovered: Cell<bool>,
    /// A checkpoint has taken a newer header: the next read transaction has to learn of the commits between.
    has_news: Cell<bool>,
    /// The database is locked exclusively, so no other connection can use the index.
    locked_alone: Cell<bool>,
    looks_for_others: Countdown,
    /// The checkpoint sequence number in the log's header, for a VFS where the header is not read again.
    sequence: Cell<u32>,
}

impl Wal {
    /// The log of a database: with an index in the shared memory of `file`, or, for a connection that
    /// is alone, in memory of its own.
    pub(crate) fn new(file: Arc<dyn File>, shared: Arc<SharedWal>, alone: bool, map: bool) -> Wal {
        let index = if alone { WalIndex::private() } else { WalIndex::shared(file.clone()) };
        let read_lock = ReadLock::new(file.clone());
        shared.join(&read_lock);
        let calls = CallPolicy::of(&*file);
        Wal {
            file,
            shared,
            index,
            read_lock,
            mark: Cell::new(None),
            keep: Cell::new(false),
            header: Cell::new(IndexHeader::EMPTY),
            words: Cell::new([0; HEADER_WORDS]),
            frames: Cell::new((1, 0)),
            frame_map: RefCell::default(),
            mapped: Cell::new(MappedFile::NONE),
            mapping: LastMapping::default(),
            outgrown: Cell::new(false),
            tail: RefCell::new(None),
            map,
            calls,
            is_writer: Cell::new(false),
            reads_as_writer: Cell::new(false),
            holds_log: Cell::new(false),
            recovered: Cell::new(false),
            has_news: Cell::new(false),
            locked_alone: Cell::new(false),
            looks_for_others: Countdown::default(),
            sequence: Cell::new(0),
        }
    }

    /// The same log with a private index.
    pub(crate) fn unshared(&self) -> Wal {
        Wal::new(self.file.clone(), self.shared.clone(), true, self.map)
    }

    /// Whether the index may be changed; known once a transaction has begun.
    pub(crate) fn is_writable(&self) -> bool {
        self.index.is_writable()
    }

    /// Whether the snapshot needs nothing of the log: all pages are in the database file.
    #[inline]
    pub(crate) fn is_fully_checkpointed(&self) -> bool {
        let (first, last) = self.frames.get();
        first > last
    }

    /// The id of the snapshot.
    pub(crate) fn snapshot_id(&self) -> SnapshotId {
        SnapshotId::Log(self.words.get())
    }

    /// The size of the database in pages; `None` if the log has no commit.
    pub(crate) fn page_count(&self) -> Option<u32> {
        let header = self.header.get();
        (header.page_count > 0).then_some(header.page_count)
    }

    /// The size of the pages in the log.
    pub(crate) fn page_size(&self) -> Option<PageSize> {
        self.header.get().page_size
    }

    /// The frame that has the newest image of a page in this snapshot.
    #[inline]
    pub(crate) fn find(&self, no: PageNo) -> Result<Option<u32>> {
        let (first, last) = self.frames.get();
        if first > last {
            return Ok(None);
        }
        self.frame_map.borrow_mut().find(&self.index, self.header.get().salts, no, (first, last))
    }

    /// The page in `frame`, if it is mapped.
    #[inline]
    pub(crate) fn mapped_page(&self, frame: u32, page_size: PageSize, epoch: Epoch) -> Option<PageRef> {
        let offset = page_offset(frame, page_size);
        let mapped = self.mapped.get();
        let inside = offset + u64::from(page_size.get()) <= mapped.valid() as u64;
        inside.then(|| mapped.page(offset as usize, page_size.get(), epoch))
    }

    /// Whether the mapping has failed to show the log.
    pub(crate) fn mapping_has_failed(&self) -> bool {
        self.mapping.has_failed()
    }

    /// Gives up the mapping: the log is read by calls until it is mapped again.
    pub(crate) fn forget_mapping(&self) {
        self.mapping.forget();
        self.mapped.set(MappedFile::NONE);
    }

    /// Reads the page in `frame`.
    pub(crate) fn read_page(&self, frame: u32, page_size: PageSize, buf: &mut [u8]) -> Result<()> {
        self.shared.file().read_at(buf, page_offset(frame, page_size))?;
        Ok(())
    }

    /// Whether a write transaction has begun and has not ended.
    pub(crate) fn is_appending(&self) -> bool {
        self.tail.borrow().is_some()
    }

    /// Whether no other connection can use the log.
    pub(crate) fn is_alone(&self) -> bool {
        self.index.is_private()
    }

    /// Reads a stretch of the log.
    pub(crate) fn read_vectored(&self, pieces: &mut [IoSliceMut<'_>], offset: u64) -> Result<usize> {
        Ok(self.shared.file().read_vectored_at(pieces, offset)?)
    }

    /// The header of the snapshot.
    pub(crate) fn snapshot_header(&self) -> IndexHeader {
        self.header.get()
    }

    /// Whether this is the newest commit in the index.
    pub(crate) fn is_published(&self, header: &IndexHeader) -> bool {
        self.index.header_is(&header.write())
    }

    /// The pages of some frames that are in the index.
    pub(crate) fn pages_of(&self, frames: RangeInclusive<u32>) -> Result<Vec<PageNo>> {
        self.index.ensure_frame(*frames.end(), false)?;
        let page_of = |frame| self.index.page_of(frame).ok_or(Error::corrupt("the WAL index lacks a page"));
        frames.map(page_of).collect()
    }

    /// The last frame of the snapshot.
    pub(crate) fn last_frame(&self) -> u32 {
        self.header.get().last_frame
    }

    /// Records that the database is locked exclusively: no other connection uses the index.
    pub(crate) fn note_locked_alone(&self) {
        self.locked_alone.set(true);
    }

    /// Records that the database is not locked exclusively any more.
    pub(crate) fn note_shared_again(&self) {
        self.locked_alone.set(false);
    }

    /// Whether no other connection can use the index.
    fn needs_no_locks(&self) -> bool {
        self.index.is_private() || self.locked_alone.get()
    }

    /// The file of the log.
    pub(crate) fn file_of_log(&self) -> Arc<dyn File> {
        self.shared.file_handle()
    }

    /// Closes the log; with `delete` and without other users, removes the shared memory too.
    pub(crate) fn close(&self, delete: bool) {
        self.roll_back();
        if self.is_writer.get() {
            // A panic came between the transaction's end and here.
            self.stop_writing();
        }
        let _ = self.end_read();
        let _ = self.read_lock.give_back_if_idle();
        self.index.close(delete);
    }

    /// Releases what other connections of this process wait for. Called after a panic, and after [`Wal::close`], which may have
    /// stopped half-way.
    pub(crate) fn abandon(&self) {
        self.tail.take();
        if self.is_writer.get() {
            self.stop_writing();
        }
        // Unmapping the shared memory releases each slot of it that this handle has locked.
        let _ = self.file.shm_unmap(false);
    }

    /// Takes the writer slot: see [`commit_queue`].
    fn become_writer(&self, patience: Duration) -> Result<Option<Base>> {
        assert!(!self.is_writer.get(), "one writer at a time");
        let base = self.shared.commits.enter(patience)?;
        self.is_writer.set(true);
        Ok(base)
    }

    /// Leaves the writer slot without a commit.
    fn stop_writing(&self) {
        self.is_writer.set(false);
        self.shared.commits.leave();
    }

    /// Locks slots exclusively, unless no other connection can use them. If idle read locks of this process conflict,
    /// they are released first.
    fn lock_alone(&self, slots: Range<u8>) -> Result<bool> {
        if self.needs_no_locks() || self.file.shm_lock(slots.clone(), ShmLock::Exclusive)? {
            return Ok(true);
        }
        if !self.shared.send_idle_readers_away()? {
            return Ok(false);
        }
        Ok(self.file.shm_lock(slots, ShmLock::Exclusive)?)
    }

    fn unlock_alone(&self, slots: Range<u8>) -> Result<()> {
        if !self.needs_no_locks() {
            self.file.shm_unlock(slots, ShmLock::Exclusive)?;
        }
        Ok(())
    }
}

/// Where the page of a frame begins in the log.
#[inline]
fn page_offset(frame: u32, page_size: PageSize) -> u64 {
    frame_offset(frame, page_size) + lithe_format::wal::FRAME_HEADER_LEN as u64
}
