//! Checkpoints: copying frames from the log into the database.

use std::io::IoSlice;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hashbrown::HashSet;
use lithe_format::locks::{CHECKPOINT_SLOT, READ_MARKS, read_slot, read_slots_from};
use lithe_format::wal_index::READ_MARK_UNUSED;
use lithe_format::{PageNo, PageSize};
use lithe_vfs::{File, FileEvent, Op, ResultCode, SyncFlags, Vfs};

use super::Wal;
use super::index::HeaderState;
use super::snapshot::Begun;
use crate::call_policy::pages_of_a_call;
use crate::dirty::PageHashes;
use crate::error::{Error, Result, zeros};
use crate::page_ref::Epoch;

/// How complete a checkpoint is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CheckpointMode {
    /// Nothing is copied: only the state of the log is reported.
    Noop,
    /// As many frames as possible without waiting for other connections.
    Passive,
    /// All frames: waits for the writer, and for readers of older snapshots.
    Full,
    /// As `Full`, and waits for all readers of the log, so that the next writer restarts the log.
    Restart,
    /// As `Restart`, and truncates the log to nothing.
    Truncate,
}

/// The result of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Another connection kept the checkpoint from completing.
    pub busy: bool,
    /// The frames in the log; `None` without a log.
    pub log_frames: Option<u32>,
    /// How many of the frames are in the database now; `None` without a log.
    pub checkpointed_frames: Option<u32>,
}

impl Checkpoint {
    /// The result for a database that has no log.
    pub(crate) const WITHOUT_LOG: Checkpoint = Checkpoint { busy: false, log_frames: None, checkpointed_frames: None };
}

/// Repeats an attempt while it is busy.
pub(crate) type Wait<'w> = dyn Fn(&mut dyn FnMut() -> Result<()>) -> Result<()> + 'w;

/// The parameters of a checkpoint.
pub(crate) struct Checkpointer<'c> {
    pub(crate) mode: CheckpointMode,
    pub(crate) vfs: &'c dyn Vfs,
    pub(crate) database: &'c dyn File,
    /// The database must not be written.
    pub(crate) is_read_only: bool,
    /// The flags of the syncs; `None`: no syncs.
    pub(crate) sync: Option<SyncFlags>,
    /// How long each wait for the writer slot of this process lasts.
    pub(crate) patience: Duration,
    /// Set when the application interrupts.
    pub(crate) interrupted: &'c AtomicBool,
    /// Repeats an attempt while it is busy, as long as the busy handler allows.
    pub(crate) wait: &'c Wait<'c>,
}

/// The parameters of copying frames.
pub(super) struct Copying<'c> {
    pub(super) database: &'c dyn File,
    /// The flags of the syncs; `None`: no syncs.
    pub(super) sync: Option<SyncFlags>,
    /// Set when the application interrupts; `None`: it cannot.
    pub(super) interrupted: Option<&'c AtomicBool>,
}

/// The number of frames that are listed at once, in 1 MB. In a longer log a page may be copied more than once, last from its newest
/// frame: until then no reader reads the page from the database, because the log has it.
const LISTED_FRAMES: u32 = 1 << 17;

impl Checkpointer<'_> {
    /// The parameters of copying, from these.
    pub(super) fn copying(&self) -> Copying<'_> {
        Copying { database: self.database, sync: self.sync, interrupted: Some(self.interrupted) }
    }

    /// Waits for other connections, except in passive mode.
    fn wait_for(&self, mut attempt: impl FnMut() -> Result<bool>) -> Result<bool> {
        let mut attempt = || if attempt()? { Ok(()) } else { Err(Error::Busy) };
        let outcome = if self.mode == CheckpointMode::Passive { attempt() } else { (self.wait)(&mut attempt) };
        match outcome {
            Ok(()) => Ok(true),
            Err(Error::Busy) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Wal {
    /// Copies frames into the database, outside any transaction of this connection.
    pub(crate) fn checkpoint(&self, work: &Checkpointer<'_>) -> Result<Checkpoint> {
        assert!(self.mark.get().is_none() || self.index.is_private(), "a checkpoint during a transaction");
        self.read_lock.give_back_if_idle()?;
        if !self.index.open()? || !self.is_writable() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        if work.mode == CheckpointMode::Noop {
            self.take_newest_header()?;
            let frames = (self.header.get().last_frame, self.index.backfilled());
            return Ok(Checkpoint { busy: false, log_frames: Some(frames.0), checkpointed_frames: Some(frames.1) });
        }
        if !self.lock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1)? {
            return Ok(Checkpoint { busy: true, log_frames: None, checkpointed_frames: None });
        }
        let done = self.checkpoint_as_writer(work);
        self.unlock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1)?;
        done
    }

    /// In all modes but the passive one writers are kept out, so that the log does not grow meanwhile.
    fn checkpoint_as_writer(&self, work: &Checkpointer<'_>) -> Result<Checkpoint> {
        let mut mode = work.mode;
        let mut writing = false;
        if mode > CheckpointMode::Passive {
            writing = work.wait_for(|| match self.become_writer(work.patience) {
                Ok(_) => Ok(true),
                Err(Error::Busy) => Ok(false),
                Err(error) => Err(error),
            })?;
            if writing {
                self.shared.commits.wait_until_settled();
            } else {
                mode = CheckpointMode::Passive;
            }
        }
        let done = self.checkpoint_locked(work, mode);
        if writing {
            self.stop_writing();
        }
        let mut done = done?;
        done.busy |= mode != work.mode;
        Ok(done)
    }

    fn checkpoint_locked(&self, work: &Checkpointer<'_>, mode: CheckpointMode) -> Result<Checkpoint> {
        let before = self.words.get();
        self.take_newest_header()?;
        if self.words.get() != before {
            work.database.forget_fetched()?;
        }
        let last = self.header.get().last_frame;
        if let Some(page_size) = self.header.get().page_size
            && self.index.backfilled() < last
        {
            let work = Checkpointer { mode, ..*work };
            self.backfill(&work, page_size)?;
        }
        let done = self.index.backfilled();
        // A passive checkpoint is not busy if readers keep frames from being copied.
        let mut busy = mode > CheckpointMode::Passive && done < last;
        if mode >= CheckpointMode::Restart && !busy {
            busy = !self.restart(work, mode)?;
        }
        let empty = mode == CheckpointMode::Truncate && !busy;
        let frames = |n: u32| Some(if empty { 0 } else { n });
        Ok(Checkpoint { busy, log_frames: frames(last), checkpointed_frames: frames(done) })
    }

    /// Takes the newest published header; if it is unreadable, a read transaction recovers it.
    fn take_newest_header(&self) -> Result<()> {
        let HeaderState::Good(header, words) = self.index.header()? else {
            let begun = self.begin_read()?;
            // The next transaction has to learn of the recovery.
            self.recovered.set(begun == Begun::Recovered);
            self.end_read()?;
            self.read_lock.give_back_if_idle()?;
            return Ok(());
        };
        self.header.set(header);
        if self.words.replace(words) != words {
            self.has_news.set(true);
        }
        Ok(())
    }

    /// Copies the frames that no reader needs to be absent from the database.
    pub(super) fn backfill(&self, work: &Checkpointer<'_>, page_size: PageSize) -> Result<()> {
        let header = self.header.get();
        self.index.ensure_frame(header.last_frame, false)?;
        let safe = self.last_safe_frame(work, header.last_frame)?;
        let done = self.index.backfilled();
        if done >= safe {
            return Ok(());
        }
        // Readers on mark 0 read the database as if there were no log.
        if !work.wait_for(|| self.lock_alone(read_slot(0)..read_slot(0) + 1))? {
            return Ok(());
        }
        let copied = match work.is_read_only {
            // SQLite's connection gets this error when it tries to write.
            true => Err(lithe_vfs::Error::new(Op::Write).into()),
            false => self.copy_frames(&work.copying(), page_size, done + 1, safe),
        };
        if copied.is_ok() {
            self.index.set_backfilled(safe);
        }
        self.unlock_alone(read_slot(0)..read_slot(0) + 1)?;
        copied
    }

    /// The last frame that may be copied: no reader's snapshot ends before it. Marks that no reader holds are moved.
    fn last_safe_frame(&self, work: &Checkpointer<'_>, last: u32) -> Result<u32> {
        if self.index.is_private() {
            return Ok(last);
        }
        let mut safe = last;
        for mark in 1..READ_MARKS {
            let frame = self.index.read_mark(mark);
            if frame >= safe {
                continue;
            }
            let slot = read_slot(mark)..read_slot(mark) + 1;
            if work.wait_for(|| self.lock_alone(slot.clone()))? {
                self.index.set_read_mark(mark, if mark == 1 { safe } else { READ_MARK_UNUSED });
                self.unlock_alone(slot)?;
            } else {
                safe = frame;
            }
        }
        assert!(safe <= last, "no more is safe than there is");
        Ok(safe)
    }

    /// Copies frames. The log is synced before the database changes, and the database is synced before the log may be
    /// overwritten.
    pub(super) fn copy_frames(&self, to: &Copying<'_>, page_size: PageSize, first: u32, last: u32) -> Result<()> {
        assert!(first <= last, "frames are copied");
        let Copying { database, sync, .. } = *to;
        let header = self.header.get();
        self.map_up_to(&header, header.last_frame, false)?;
        self.index.set_backfill_attempted(last);
        if let Some(flags) = sync {
            self.shared.file().sync(flags)?;
        }
        database.event(FileEvent::CheckpointStart)?;
        let size = u64::from(header.page_count) * u64::from(page_size.get());
        if self.calls.shares_log || database.size()? < size {
            database.size_hint(size)?;
        }
        let newer = self.pages_behind(last, header.last_frame)?;
        for first in (first..=last).step_by(LISTED_FRAMES as usize) {
            let last = first.saturating_add(LISTED_FRAMES - 1).min(last);
            let mut pages = self.newest_images(first, last, header.page_count)?;
            pages.retain(|(no, _)| !newer.contains(no));
            for run in pages.chunk_by(|a, b| a.0.plus(1) == Some(b.0)) {
                self.copy_run(to, page_size, run)?;
            }
        }
        if self.mapping_has_failed() {
            // Pages of zeros may have been copied. The frames still count as not copied, so readers find the frames.
            return Err(lithe_vfs::Error::with_code(Op::Read, ResultCode::IOERR_READ).into());
        }
        database.event(FileEvent::CheckpointDone)?;
        if last == header.last_frame {
            if !self.calls.shares_log || database.size()? != size {
                database.truncate(size)?;
            }
            if let Some(flags) = sync {
                database.sync(flags)?;
            }
        }
        Ok(())
    }

    /// The pages that have frames behind `last`, unless there are too many. They need not be copied yet, because a reader of these
    /// pages finds the newer frame.
    fn pages_behind(&self, last: u32, end: u32) -> Result<HashSet<PageNo, PageHashes>> {
        assert!(last <= end, "no more is copied than there is");
        let mut pages = HashSet::with_hasher(PageHashes);
        if end - last <= LISTED_FRAMES {
            pages.try_reserve((end - last) as usize).map_err(|_| Error::NoMem)?;
            pages.extend((last + 1..=end).filter_map(|frame| self.index.page_of(frame)));
        }
        Ok(pages)
    }

    /// The newest frame among `first..=last` of each page that has one, by page.
    fn newest_images(&self, first: u32, last: u32, page_count: u32) -> Result<Vec<(PageNo, u32)>> {
        let mut images = Vec::new();
        images.try_reserve_exact(last.saturating_sub(first) as usize + 1).map_err(|_| Error::NoMem)?;
        // Pages past the end were cut off by a later transaction.
        let kept = |frame| self.index.page_of(frame).filter(|no| no.get() <= page_count).map(|no| (no, frame));
        images.extend((first..=last).filter_map(kept));
        images.sort_unstable();
        images.dedup_by(|newer, older| {
            let is_same_page = newer.0 == older.0;
            if is_same_page {
                older.1 = newer.1;
            }
            is_same_page
        });
        Ok(images)
    }

    /// Copies consecutive pages, neighbours in one write.
    fn copy_run(&self, to: &Copying<'_>, page_size: PageSize, run: &[(PageNo, u32)]) -> Result<()> {
        let database = to.database;
        let pages_of_a_call = if !self.calls.joins_neighbours { 1 } else { pages_of_a_call(page_size) };
        for batch in run.chunks(pages_of_a_call) {
            if to.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(Error::Interrupted);
            }
            let mapped: Option<Vec<_>> =
                batch.iter().map(|&(_, frame)| self.mapped_page(frame, page_size, Epoch::OF_ONE_CALL)).collect();
            let at = batch[0].0.offset(page_size.get());
            if let Some(pages) = mapped {
                let slices: Vec<IoSlice<'_>> = pages.iter().map(|page| IoSlice::new(page)).collect();
                database.write_vectored_at(&slices, at)?;
                continue;
            }
            let mut buf = zeros(page_size.bytes() * batch.len())?;
            for (&(_, frame), page) in batch.iter().zip(buf.chunks_exact_mut(page_size.bytes())) {
                self.read_page(frame, page_size, page)?;
            }
            database.write_at(&buf, at)?;
        }
        Ok(())
    }

    /// Waits for the readers of the log, so that the next writer can restart it; or in mode `Truncate` restarts and
    /// truncates it. The caller holds the write lock, and the database has all of the log.
    fn restart(&self, work: &Checkpointer<'_>, mode: CheckpointMode) -> Result<bool> {
        if !work.wait_for(|| self.lock_alone(read_slots_from(1)))? {
            return Ok(false);
        }
        let mut cut = Ok(());
        if mode == CheckpointMode::Truncate {
            self.restart_log(work.vfs);
            cut = self.shared.file().truncate(0);
        }
        self.unlock_alone(read_slots_from(1))?;
        cut?;
        Ok(true)
    }
}
