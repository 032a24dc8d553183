//! Loads past the log: how the log is prepared, so that no follower misses a page.
//!
//! ```text
//!   log before   header, salts 1 | frames
//!                                  a checkpoint copies those that the database lacks, if no connection reads older ones
//!   load begins  header, salts 2 |                      pages go to their place behind the end of the database
//!   commit       header, salts 2 | frames, commit       with the locks of all read marks, from the check for followers on
//! ```
//!
//! A follower is a program that copies frames, and knows by the salts where it left off. It must take a copy of the database after
//! pages were written past the log. Two kinds of followers exist:
//!
//! * A follower that has copied frames before the load finds another log: new salts, and a file that is shorter than its position.
//!   That is so from the first page on, whether the load commits, fails or dies. The length matters, too: a follower that finds its
//!   last frame where it was, behind the start of a restarted log, may take the new log for the continuation of the old one.
//! * A follower that comes during the load has a lock on a read mark, or has mapped the shared memory. Before the commit all read
//!   marks are locked; if one of them is held, or another process has the memory mapped, the pages go into the log. A later follower
//!   begins to read after the commit, and finds the pages in the database.

use lithe_format::PageSize;
use lithe_format::locks::{CHECKPOINT_SLOT, read_slots_from};
use lithe_format::wal::Sum;
use lithe_vfs::Vfs;

use super::append::Tail;
use super::{Checkpointer, Policy, Wal};
use crate::error::{Error, Result};
use crate::page_ref::MappedFile;

impl Wal {
    /// Whether [`Wal::copy_for_load`] is worth a try: the database lacks frames, or this connection reads some, and no other process has
    /// the log open.
    pub(crate) fn can_be_copied(&self) -> Result<bool> {
        let tail = self.tail.borrow();
        let tail = tail.as_ref().expect("only a writer copies the log for a load");
        let is_plain = tail.is_untouched(self.header.get().last_frame);
        Ok(is_plain && !self.is_fully_checkpointed() && !self.is_followed()?)
    }

    /// Copies the frames that the database lacks, and moves this connection's snapshot from the log to the database: then
    /// [`Wal::begin_past_log`] can restart the log. The caller holds no page. Without a read mark nothing is lost meanwhile: this
    /// connection holds the locks of the writer and of checkpointers, without which nobody copies frames or restarts the log.
    ///
    /// If a reader or a failing call keeps frames from being copied, the snapshot stays in the log.
    pub(crate) fn copy_for_load(&self, work: &Checkpointer<'_>, page_size: PageSize) -> Result<()> {
        assert!(self.is_writer.get(), "only the writer copies the log for a load");
        if !self.can_be_copied()? || !self.lock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1)? {
            return Ok(());
        }
        let moved = self.move_into_database(work, page_size);
        let unlocked = self.unlock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1);
        moved.and(unlocked)
    }

    fn move_into_database(&self, work: &Checkpointer<'_>, page_size: PageSize) -> Result<()> {
        let last = self.header.get().last_frame;
        if !self.index.is_private()
            && let Some(mark) = self.mark.take()
        {
            // The mark may be older than the snapshot, and would keep its frames from being copied.
            self.read_lock.unlock(mark)?;
        }
        let lacks_some = self.index.backfilled() < last;
        let copied = if lacks_some { self.backfill(work, page_size) } else { Ok(()) };
        let is_complete = copied.is_ok() && self.index.backfilled() == last;
        if !self.index.is_private() {
            if !(is_complete && self.read_lock.lock(0)?) {
                return self.take_mark_of_log();
            }
            self.mark.set(Some(0));
            self.outgrown.set(false);
        }
        if is_complete {
            self.frames.set((1, 0));
            self.mapped.set(MappedFile::NONE);
        }
        Ok(())
    }

    /// Restarts the log for a load past it, if that is possible: the database has all of the log, this transaction has
    /// appended nothing, and no connection follows or reads the log. Keeps checkpointers away until the transaction ends.
    pub(crate) fn begin_past_log(&self, vfs: &dyn Vfs, page_size: PageSize, policy: &Policy) -> Result<bool> {
        let tail = &mut *self.tail.borrow_mut();
        let tail = tail.as_mut().expect("only a writer writes past the log");
        let last = self.header.get().last_frame;
        let may_begin = tail.is_untouched(last) && self.needs_nothing_of_log() && self.index.backfilled() == last;
        if !may_begin || self.is_followed()? {
            return Ok(false);
        }
        tail.past_log = tail.past_log || self.lock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1)?;
        if !tail.past_log || !self.lock_alone(read_slots_from(1))? {
            return Ok(false);
        }
        self.restart_log(vfs);
        let cut = self.shared.file().truncate(0);
        self.unlock_alone(read_slots_from(1))?;
        cut?;
        (tail.first_frame, tail.last_frame, tail.sum, tail.restarted) = (0, 0, Sum::default(), true);
        tail.header_sum = Some(self.write_header(vfs, page_size, policy)?);
        Ok(true)
    }

    /// Whether another process may read the frames that are appended.
    pub(crate) fn is_followed(&self) -> Result<bool> {
        Ok(!self.index.is_private() && self.file.shm_is_shared()?)
    }

    /// Whether pages have gone past the log, in a transaction that is still open.
    pub(crate) fn has_begun_past_log(&self) -> bool {
        self.tail.borrow().as_ref().is_some_and(|tail| tail.past_log)
    }

    /// Keeps readers from beginning until the commit is published. `false`: a reader is active, or another process may
    /// follow the log.
    pub(crate) fn lock_readers_out(&self) -> Result<bool> {
        if self.index.is_private() {
            return Ok(true);
        }
        let tail = &mut *self.tail.borrow_mut();
        let tail = tail.as_mut().expect("only a writer writes past the log");
        assert!(tail.past_log && self.mark.get() == Some(0), "a load past the log needs nothing of it");
        self.read_lock.unlock(0)?;
        tail.readers_locked_out = self.lock_alone(read_slots_from(0))?;
        if !tail.readers_locked_out {
            self.lock_first_mark_again()?;
        }
        Ok(tail.readers_locked_out && !self.is_followed()?)
    }

    /// Locks mark 0 again. The caller holds the locks of writer and checkpointers, or after a commit that of checkpointers: no
    /// other connection can hold the mark exclusively.
    fn lock_first_mark_again(&self) -> Result<()> {
        let locked = self.read_lock.lock(0);
        if !matches!(locked, Ok(true)) {
            // The snapshot has no read mark any more.
            self.mark.set(None);
        }
        if locked? { Ok(()) } else { Err(Error::Protocol) }
    }

    /// Lets readers and checkpointers begin again at the end of the transaction.
    pub(super) fn end_past_log(&self, tail: &Tail) -> Result<()> {
        let mut ended = Ok(());
        if tail.readers_locked_out {
            ended = self.unlock_alone(read_slots_from(0)).and_then(|()| self.lock_first_mark_again());
        }
        if tail.past_log {
            // A lock that the system does not release ends when the log is closed.
            let _ = self.unlock_alone(CHECKPOINT_SLOT..CHECKPOINT_SLOT + 1);
        }
        ended
    }
}
