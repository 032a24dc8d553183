//! Past snapshots, which are recorded and read again (`sqlite3_snapshot_open`).
//!
//! A past snapshot is a former header of the index. All frames up to its last one exist as long as the log was not
//! restarted, and the database file has nothing newer as long as no checkpoint has started to copy a frame behind that. A
//! reader of a past snapshot searches the log from its first frame: for a page that has frames behind the snapshot, a
//! checkpoint has not copied the ones before.

use std::cmp::Ordering;

use lithe_format::locks::CHECKPOINT_SLOT;
use lithe_format::wal_index::{HEADER_WORDS, IndexHeader};
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{File, ShmLock};

use super::Wal;
use super::index::HeaderState;
use super::snapshot::{Begun, TRIES_MAX, Try, pause};
use crate::error::{Error, Result, zeros};

/// A snapshot of a database that has a log, to be read again later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot(IndexHeader);

impl Snapshot {
    /// Its length in bytes.
    pub const LEN: usize = 4 * HEADER_WORDS;

    /// The snapshot as bytes, those of the header in the log's index.
    pub fn to_bytes(&self) -> [u8; Snapshot::LEN] {
        let mut bytes = [0; Snapshot::LEN];
        for (place, word) in bytes.chunks_exact_mut(4).zip(self.0.write()) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// The snapshot from its bytes; `None` if they are not a valid header.
    pub fn from_bytes(bytes: &[u8; Snapshot::LEN]) -> Option<Snapshot> {
        let mut words = [0; HEADER_WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        IndexHeader::read(&words).map(Snapshot)
    }

    /// Which of two snapshots of one database is older, as long as its log was not deleted between them.
    pub fn compare_age(&self, other: &Snapshot) -> Ordering {
        let age = |header: &IndexHeader| (header.salts.0[0], header.last_frame);
        age(&self.0).cmp(&age(&other.0))
    }
}

impl Wal {
    /// The snapshot that is read. `None` if nothing was ever written to the log.
    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        assert!(self.mark.get().is_some(), "a state is recorded by who reads it");
        let header = self.header.get();
        (header.salts.0 != [0; 2]).then_some(Snapshot(header))
    }

    /// Whether writers may restart the log while this snapshot is read.
    pub(crate) fn is_log_free(&self) -> bool {
        self.mark.get() == Some(0) && !self.index.is_private() && self.header.get().last_frame > 0
    }

    /// Sets whether new read transactions keep writers from restarting the log.
    pub(crate) fn hold_log(&self, on: bool) {
        self.holds_log.set(on);
    }

    /// Keeps checkpoints from beginning. `false`: one is under way.
    pub(crate) fn keep_checkpoints_away(&self) -> Result<bool> {
        let slot = CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1;
        Ok(self.needs_no_locks() || self.file.shm_lock(slot, ShmLock::Shared)?)
    }

    /// Lets checkpoints begin again.
    pub(crate) fn let_checkpoints_begin(&self) -> Result<()> {
        let slot = CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1;
        if !self.needs_no_locks() {
            self.file.shm_unlock(slot, ShmLock::Shared)?;
        }
        Ok(())
    }

    /// Whether the snapshot can be read, as far as a reader of another snapshot can tell. The caller keeps checkpoints
    /// away.
    pub(crate) fn seems_to_have(&self, snapshot: &Snapshot) -> bool {
        let is_in_log = self.header.get().salts == snapshot.0.salts;
        is_in_log && self.index.backfill_attempted() <= snapshot.0.last_frame
    }

    /// Whether the snapshot can be read, according to the newest header. The caller keeps checkpoints away.
    fn has(&self, snapshot: &Snapshot) -> Result<bool> {
        if !self.index.open()? {
            return Ok(false);
        }
        let HeaderState::Good(newest, _) = self.index.header()? else { return Ok(false) };
        let wanted = &snapshot.0;
        let is_in_log = newest.salts == wanted.salts && wanted.last_frame <= newest.last_frame;
        Ok(is_in_log && self.index.backfill_attempted() <= wanted.last_frame)
    }

    /// Begins to read a past snapshot. The caller keeps checkpoints away.
    pub(crate) fn begin_read_at(&self, snapshot: &Snapshot) -> Result<Begun> {
        assert!(self.mark.get().is_none(), "one transaction at a time");
        self.read_lock.give_back_if_idle()?;
        let before = self.words.get();
        let mut tries = 0;
        while let Try::Again = self.try_begin_read_at(snapshot)? {
            tries += 1;
            if tries > TRIES_MAX {
                return Err(Error::Protocol);
            }
            pause(tries);
        }
        let is_known = !self.has_news.take() && self.words.get() == before;
        Ok(if is_known { Begun::Elsewhere } else { Begun::Changed })
    }

    fn try_begin_read_at(&self, snapshot: &Snapshot) -> Result<Try> {
        if self.index.is_private() {
            return if self.has(snapshot)? { self.look_back(snapshot, 0) } else { Err(Error::SnapshotGone) };
        }
        let Some((mark, frame)) = self.choose_mark(snapshot.0.last_frame)? else { return Ok(Try::Again) };
        if !self.read_lock.lock(mark)? {
            return Ok(Try::Again);
        }
        self.file.shm_barrier();
        // Before the lock was taken, another connection may have moved the mark or restarted the log.
        let begun = match self.index.read_mark(mark) == frame {
            false => Ok(Try::Again),
            true if self.has(snapshot)? => self.look_back(snapshot, mark),
            true => Err(Error::SnapshotGone),
        };
        if !matches!(begun, Ok(Try::Begun)) {
            self.read_lock.unlock(mark)?;
        }
        begun
    }

    fn look_back(&self, snapshot: &Snapshot, mark: usize) -> Result<Try> {
        let header = snapshot.0;
        // The lock on an old mark is not kept for the next transaction, which reads the newest snapshot.
        self.keep.set(false);
        self.take_frames(header, header.write(), mark, (1, header.last_frame))
    }

    /// Finds out which frames a checkpoint has really copied, where only an upper bound is known: after the index was
    /// rebuilt. More snapshots can be read then.
    pub(crate) fn find_snapshots(&self, database: &dyn File) -> Result<()> {
        let slot = CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1;
        if !self.lock_alone(slot.clone())? {
            return Err(Error::Busy);
        }
        let found = self.last_frame_in(database);
        self.unlock_alone(slot)?;
        found
    }

    /// The last frame whose page the database file has is the last one that may have been copied. A page may have had
    /// the same content before, without a copy: then fewer snapshots can be read than exist.
    fn last_frame_in(&self, database: &dyn File) -> Result<()> {
        let header = self.header.get();
        let Some(page_size) = header.page_size else { return Ok(()) };
        let (done, attempted) = (self.index.backfilled(), self.index.backfill_attempted());
        let mut attempted = attempted.min(header.last_frame);
        self.index.ensure_frame(attempted, false)?;
        let mut buffers = (zeros(page_size.bytes())?, zeros(page_size.bytes())?);
        let size = database.size()?;
        while attempted > done {
            let no = self.index.page_of(attempted).ok_or(Error::corrupt("the WAL index lacks a page"))?;
            if self.is_copied(database, size, page_size, (attempted, no), &mut buffers)? {
                break;
            }
            attempted -= 1;
        }
        self.index.set_backfill_attempted(attempted.max(done));
        Ok(())
    }

    fn is_copied(
        &self,
        database: &dyn File,
        size: u64,
        page_size: PageSize,
        (frame, no): (u32, PageNo),
        (in_log, in_file): &mut (Vec<u8>, Vec<u8>),
    ) -> Result<bool> {
        let at = no.offset(page_size.get());
        if at + u64::from(page_size.get()) > size {
            return Ok(false);
        }
        self.read_page(frame, page_size, in_log)?;
        database.read_at(in_file, at)?;
        Ok(in_log == in_file)
    }
}
