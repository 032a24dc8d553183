//! Beginning and ending to read.
//!
//! A reader takes the newest committed snapshot of the log, and publishes it by a read mark: one of five numbers in
//! shared memory, guarded by a lock each. Checkpointers copy no frame beyond a mark that a reader holds, and no writer
//! restarts the log while a mark other than the first is held. Mark 0 is for readers that need nothing of the log,
//! because the database file has all of it.

use std::time::Duration;

use lithe_format::locks::{READ_MARKS, RECOVER_SLOT, WRITE_SLOT, read_slot};
use lithe_format::wal_index::{IndexHeader, READ_MARK_UNUSED};
use lithe_vfs::{ResultCode, ShmLock};

use super::Wal;
use super::index::{HeaderState, HeaderWords};
use crate::error::{Error, Result};
use crate::page_ref::MappedFile;

/// How a snapshot compares to that of the transaction before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Begun {
    /// The same snapshot.
    AsBefore,
    /// The same content, but pages may have moved from the log into the database.
    Elsewhere,
    /// Other content.
    Changed,
    /// The index was rebuilt: log and database may be other files.
    Recovered,
}

/// The result of one try to begin.
pub(super) enum Try {
    Begun,
    /// Another connection changed something meanwhile.
    Again,
}

/// How often a reader tries before it reports an error of the locking protocol.
pub(super) const TRIES_MAX: u32 = 100;

/// How often a writer that has no read mark tries to get one.
const MARK_TRIES_MAX: u32 = 10;

impl Wal {
    /// Begins a read transaction.
    #[inline]
    pub(crate) fn begin_read(&self) -> Result<Begun> {
        if let Some(mark) = self.read_lock.resume() {
            let words = self.words.get();
            let is_right = !self.has_a_better_mark(mark) && !self.holds_log.get();
            if is_right && self.index.header_is(&words) {
                self.mark.set(Some(mark));
                return Ok(Begun::AsBefore);
            }
            self.read_lock.unlock(mark)?;
        }
        self.begin_read_anew()
    }

    /// Whether a reader should move to mark 0: once the whole log is in the database file, readers should not keep it
    /// from being restarted.
    #[inline]
    fn has_a_better_mark(&self, mark: usize) -> bool {
        mark != 0 && self.index.backfilled() == self.header.get().last_frame
    }

    #[cold]
    fn begin_read_anew(&self) -> Result<Begun> {
        let before = self.words.get();
        let mut tries = 0;
        while let Try::Again = self.try_begin_read()? {
            tries += 1;
            if tries > TRIES_MAX {
                return Err(Error::Protocol);
            }
            pause(tries);
        }
        let is_known = !self.has_news.take() && self.words.get() == before;
        Ok(match is_known {
            _ if self.recovered.take() => Begun::Recovered,
            true => Begun::Elsewhere,
            false => Begun::Changed,
        })
    }

    /// Ends a read transaction; the lock may be kept for the next one.
    #[inline]
    pub(crate) fn end_read(&self) -> Result<()> {
        let Some(mark) = self.mark.take() else { return Ok(()) };
        if self.index.is_private() {
            return Ok(());
        }
        if self.keep.get() && !self.outgrown.take() && self.read_lock.is_unshared() {
            self.read_lock.pause(mark);
            return Ok(());
        }
        self.read_lock.unlock(mark)
    }

    fn try_begin_read(&self) -> Result<Try> {
        let Some((header, words)) = self.current_header()? else { return Ok(Try::Again) };
        if self.index.is_private() {
            return self.adopt(header, words, 0, 1);
        }
        // A mark at the end of a log that is completely in the database keeps the log from being restarted.
        let takes_first = !self.holds_log.get() || header.last_frame == 0;
        if takes_first && self.index.backfilled() == header.last_frame && self.read_lock.lock(0)? {
            return self.adopt_if_unchanged(header, words, 0, None);
        }
        let Some((mark, frame)) = self.choose_mark(header.last_frame)? else { return Ok(Try::Again) };
        debug_assert!(mark > 0 && frame <= header.last_frame, "a mark keeps what a snapshot needs");
        if !self.read_lock.lock(mark)? {
            return Ok(Try::Again);
        }
        self.adopt_if_unchanged(header, words, mark, Some(frame))
    }

    /// Adopts the snapshot if nothing has changed while the lock on `mark` was taken.
    fn adopt_if_unchanged(
        &self,
        header: IndexHeader,
        words: HeaderWords,
        mark: usize,
        frame: Option<u32>,
    ) -> Result<Try> {
        // The value in shared memory may be anything.
        let first = self.index.backfilled().saturating_add(1);
        self.file.shm_barrier();
        let moved = frame.is_some_and(|frame| self.index.read_mark(mark) != frame);
        if moved || !self.index.header_is(&words) {
            self.read_lock.unlock(mark)?;
            return Ok(Try::Again);
        }
        self.keep.set(self.read_lock.may_be_kept(&self.looks_for_others));
        let adopted = self.adopt(header, words, mark, first);
        if adopted.is_err() {
            self.read_lock.unlock(mark)?;
        }
        adopted
    }

    fn adopt(&self, header: IndexHeader, words: HeaderWords, mark: usize, first: u32) -> Result<Try> {
        // With a shared index mark 0 means that the database file has all pages. A private index is searched unless the
        // database file has them.
        let in_database = mark == 0 && (!self.index.is_private() || self.index.backfilled() == header.last_frame);
        let last = if in_database { 0 } else { header.last_frame };
        self.take_frames(header, words, mark, (first.max(1), last))
    }

    /// Adopts a snapshot: these frames, and for other pages the database file.
    pub(super) fn take_frames(
        &self,
        header: IndexHeader,
        words: HeaderWords,
        mark: usize,
        (first, last): (u32, u32),
    ) -> Result<Try> {
        assert!(self.tail.borrow().is_none(), "a snapshot is taken before anything is written");
        self.outgrown.set(false);
        self.index.ensure_frame(last, false)?;
        self.map_up_to(&header, last, false)?;
        self.header.set(header);
        self.words.set(words);
        self.frames.set((first, last));
        self.mark.set(Some(mark));
        Ok(Try::Begun)
    }

    /// Maps the log up to the frame `last`, and checks that the file has it, unless that is known.
    pub(super) fn map_up_to(&self, header: &IndexHeader, last: u32, is_known: bool) -> Result<()> {
        let Some(page_size) = header.page_size.filter(|_| last > 0) else {
            self.mapped.set(MappedFile::NONE);
            return Ok(());
        };
        let end = super::page_offset(last, page_size) + u64::from(page_size.get());
        // SQLite does not check the length either: a VFS of the application gets no such call.
        let is_known = is_known || !self.calls.shares_log;
        let size = if is_known { end } else { self.shared.file().size()? };
        if end > size {
            return Err(Error::corrupt("the log is shorter than its index says"));
        }
        if self.map {
            self.mapped.set(self.mapping.show(size, || self.shared.mapping(size))?);
        }
        Ok(())
    }

    /// The newest header, after recovery if there is none. `None`: try again.
    fn current_header(&self) -> Result<Option<(IndexHeader, HeaderWords)>> {
        let is_there = self.index.open()?;
        if !is_there && self.calls.shares_log {
            return Err(Error::ReadOnly(ResultCode::READONLY_CANTINIT));
        }
        if is_there && let HeaderState::Good(header, words) = self.index.header()? {
            return Ok(Some((header, words)));
        }
        if is_there && !self.is_writable() {
            return Err(Error::ReadOnly(ResultCode::READONLY_RECOVERY));
        }
        if self.reads_as_writer.get() {
            // The process has the write lock.
            return self.recover_unless_readable();
        }
        if !self.lock_alone(WRITE_SLOT..WRITE_SLOT + 1)? {
            return self.wait_for_header_writer();
        }
        let recovered = self.recover_unless_readable();
        self.unlock_alone(WRITE_SLOT..WRITE_SLOT + 1)?;
        recovered
    }

    /// Rebuilds the index, unless another connection has done so. The caller holds the write lock.
    fn recover_unless_readable(&self) -> Result<Option<(IndexHeader, HeaderWords)>> {
        if !self.index.open_to_recover()? {
            return Err(Error::ReadOnly(ResultCode::READONLY_CANTINIT));
        }
        if let Ok(HeaderState::Good(header, words)) = self.index.header() {
            return Ok(Some((header, words)));
        }
        self.recover()
    }

    /// Another connection holds the write lock and has not completed the header: a commit takes a moment, a recovery
    /// takes longer.
    pub(super) fn wait_for_header_writer(&self) -> Result<Option<(IndexHeader, HeaderWords)>> {
        let slot = RECOVER_SLOT..RECOVER_SLOT + 1;
        if !self.file.shm_lock(slot.clone(), ShmLock::Shared)? {
            return Err(Error::BusyRecovery);
        }
        self.file.shm_unlock(slot, ShmLock::Shared)?;
        Ok(None)
    }

    /// Takes a read mark at the end of the snapshot, or before it, for a writer that has none.
    pub(super) fn take_mark_of_log(&self) -> Result<()> {
        for _ in 0..MARK_TRIES_MAX {
            let Some((mark, _)) = self.choose_mark(self.header.get().last_frame)? else { continue };
            if self.read_lock.lock(mark)? {
                self.file.shm_barrier();
                self.mark.set(Some(mark));
                return Ok(());
            }
        }
        Err(Error::Protocol)
    }

    /// A mark at `last`, or the nearest one below it; and its frame.
    pub(super) fn choose_mark(&self, last: u32) -> Result<Option<(usize, u32)>> {
        let best = (1..READ_MARKS)
            .map(|mark| (mark, self.index.read_mark(mark)))
            .filter(|&(_, frame)| frame != READ_MARK_UNUSED && frame <= last)
            .max_by_key(|&(_, frame)| frame);
        if best.is_some_and(|(_, frame)| frame == last) {
            return Ok(best);
        }
        if !self.is_writable() {
            return if best.is_some() { Ok(best) } else { Err(Error::ReadOnly(ResultCode::READONLY_CANTINIT)) };
        }
        for mark in 1..READ_MARKS {
            let slot = read_slot(mark)..read_slot(mark) + 1;
            if self.file.shm_lock(slot.clone(), ShmLock::Exclusive)? {
                self.index.set_read_mark(mark, last);
                self.file.shm_unlock(slot, ShmLock::Exclusive)?;
                return Ok(Some((mark, last)));
            }
        }
        Ok(best)
    }
}

/// Pauses longer at each try: a conflict usually lasts microseconds, and seldom long.
pub(super) fn pause(tries: u32) {
    let micros = match tries {
        0..=5 => return std::hint::spin_loop(),
        6..10 => 1,
        _ => u64::from(tries - 9).pow(2) * 39,
    };
    std::thread::sleep(Duration::from_micros(micros));
}
