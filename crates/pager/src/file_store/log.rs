//! The write-ahead log of a database file: opening, using and closing it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lithe_format::db_header::{DbHeader, FileVersion};
use lithe_format::locks::read_slot;
use lithe_format::wal_index::IndexHeader;
use lithe_format::{MAX_PAGE_NO, PageNo, PageSize};
use lithe_vfs::{Access, File, LockLevel, OpenFlags, ResultCode, ShmLock, SyncFlags};

use super::snapshot::pages_in;
use super::{FileStore, LogUse};
use crate::counts::PageCounter;
use crate::error::{Error, Result};
use crate::options::Synchronous;
use crate::page_ref::{MappedFile, PageRef};
use crate::pool::{Changes, Written};
use crate::snapshot::{Change, Shape, Snapshot, SnapshotId, View};
use crate::spill::SpillMark;
use crate::wal::shared::SharedWal;
use crate::wal::{Begun, Checkpoint, CheckpointMode, Checkpointer, Policy, Wait, Wal};
use crate::write_txn::{Pending, WriteTxn};

/// How long a writer waits for other writers of this process at a stretch, if it waits at all.
pub(crate) const WRITER_PATIENCE: Duration = Duration::from_millis(10);

impl FileStore {
    /// Whether the database is in WAL mode, as far as is known.
    pub(crate) fn is_wal(&self) -> bool {
        self.log.wal.borrow().is_some()
    }

    /// Opens the log. The SHARED lock on the database stays held as long as the log is open, so no other connection
    /// changes the journal mode or deletes the log meanwhile.
    pub(super) fn open_wal(&self) -> Result<()> {
        let exclusive = self.settings.keeps_locks();
        if !self.access.locks || !(exclusive || self.file.has_shm()) {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        if exclusive {
            self.lock(LockLevel::Exclusive)?;
        }
        let shared = if exclusive {
            Arc::new(SharedWal::new(self.open_log_file()?, &self.log.path, None))
        } else {
            self.database.wal(|| Ok(SharedWal::new(self.open_log_file()?, &self.log.path, Some(self.open_hub()?))))?
        };
        self.tell_mmap_size();
        let map = self.mmap_size() > 0;
        let wal = Wal::new(self.file.clone(), shared, exclusive, map);
        self.log.wal.replace(Some(wal));
        self.forget_known();
        self.last.set_id(SnapshotId::Unknown);
        Ok(())
    }

    /// The log's file, if the log is open.
    pub(crate) fn log_file(&self) -> Option<Arc<dyn File>> {
        self.log.wal.borrow().as_ref().map(Wal::file_of_log)
    }

    fn open_log_file(&self) -> Result<Arc<dyn File>> {
        let mut flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::WAL;
        if self.access.torn_sectors.get() {
            flags = flags | OpenFlags::TORN_SECTORS;
        }
        Ok(self.vfs.open(Some(&self.log.path), flags)?.file)
    }

    /// Another handle on the database file, which belongs to no connection. With a VFS of the application each connection
    /// uses its own handle, because SQLite opens one handle a connection.
    fn open_hub(&self) -> Result<Arc<dyn File>> {
        if !self.calls.shares_log {
            return Ok(self.file.clone());
        }
        let how = if self.access.read_only { OpenFlags::READONLY } else { OpenFlags::READWRITE };
        let shm = if self.access.read_only_shm { OpenFlags::READONLY_SHM } else { OpenFlags::default() };
        Ok(self.vfs.open(Some(&self.path), how | shm | OpenFlags::MAIN_DB)?.file)
    }

    pub(super) fn begin_read_wal(&self, shape: Shape) -> Result<Snapshot> {
        let begun = match self.with_wal(Wal::begin_read) {
            Err(error) if error.code() == ResultCode::READONLY_CANTINIT => self.begin_read_unshared()?,
            begun => begun?,
        };
        self.take_snapshot(shape, begun)
    }

    /// Begins to read a log whose shared memory no connection has prepared, while this connection has no right to write
    /// it: the log is indexed for this transaction alone. The lock on mark 0 keeps other connections from copying into
    /// the database, and so from restarting the log.
    fn begin_read_unshared(&self) -> Result<Begun> {
        let slot = read_slot(0)..read_slot(0) + 1;
        if !self.file.shm_lock(slot.clone(), ShmLock::Shared)? {
            return Err(Error::Busy);
        }
        let unshared = self.with_wal(Wal::unshared);
        let begun = unshared.begin_read();
        match begun {
            Ok(_) => self.log.shared.replace(self.log.wal.replace(Some(unshared))),
            Err(_) => {
                self.file.shm_unlock(slot, ShmLock::Shared)?;
                None
            }
        };
        begun
    }

    /// Whether this transaction reads through its own index of the log.
    pub(crate) fn reads_unshared(&self) -> bool {
        self.log.shared.borrow().is_some()
    }

    fn end_read_unshared(&self) -> Result<()> {
        self.log.wal.replace(self.log.shared.take());
        self.forget_known();
        let slot = read_slot(0)..read_slot(0) + 1;
        Ok(self.file.shm_unlock(slot, ShmLock::Shared)?)
    }

    pub(super) fn end_read_wal(&self) -> Result<()> {
        if self.log.shared.borrow().is_some() {
            return self.end_read_unshared();
        }
        let ended = self.with_wal(Wal::end_read);
        if !self.settings.keeps_locks() && self.log.is_used_alone.replace(false) {
            self.unlock(LockLevel::Shared)?;
        }
        ended
    }

    /// Adopts the snapshot of the log; `begun` says how it differs from the one before.
    pub(crate) fn take_snapshot(&self, shape: Shape, begun: Begun) -> Result<Snapshot> {
        if let (Begun::AsBefore, Some(known)) = (begun, self.last.known()) {
            return Ok(known.or_of_shape(shape));
        }
        if begun == Begun::Recovered {
            self.database.pool.expire();
        }
        if begun == Begun::Changed {
            self.forget_fetched()?;
        }
        let looked = self.read_state_through_log(shape);
        if looked.is_err() {
            self.with_wal(Wal::end_read)?;
        }
        let snapshot = looked?;
        let is_foreign = matches!(begun, Begun::Changed | Begun::Recovered);
        self.add_change(Change { moved: true, foreign: u32::from(is_foreign) });
        Ok(snapshot)
    }

    /// Moves the snapshot to one that another connection of the same shared cache has committed.
    pub(crate) fn advance_to(&self, shape: Shape, newest: IndexHeader) -> Result<Snapshot> {
        self.with_wal(|wal| wal.advance_to_shared(newest))?;
        self.read_state_through_log(shape)
    }

    /// Learns size and shape of the database from page 1, which may be in the log.
    fn read_state_through_log(&self, shape: Shape) -> Result<Snapshot> {
        self.forget_known();
        let (in_log, page_size) = self.with_wal(|wal| (wal.page_count(), wal.page_size()));
        // The log's page count is enough for SQLite; a VFS of the application sees no size call that SQLite would not
        // make.
        let size = if !self.calls.reads_header_alone && in_log.is_some() { 0 } else { self.file.size()? };
        let shape = match page_size.filter(|_| in_log.is_some()) {
            Some(page_size) => Shape { page_size, ..shape },
            None if size > 0 && self.calls.reads_header_alone => self.shape_of_file()?,
            None => shape,
        };
        let id = self.with_wal(Wal::snapshot_id);
        self.adopt_into_pool(id, shape.page_size);
        let page_count = in_log.unwrap_or(pages_in(size, shape.page_size));
        if page_count > MAX_PAGE_NO {
            return Err(Error::corrupt("the log says that the database is larger than it can be"));
        }
        let mapped = self.map(size)?;
        let candidate = Snapshot { id, page_count, file_size: size, mapped, ..Snapshot::empty(shape) };
        if self.last.ignores_content.get() {
            // The state counts for this transaction only, and is not remembered.
            return Ok(Snapshot { page_count: 0, ..candidate });
        }
        let found = if page_count > 0 { self.read_header_of(candidate, in_log)? } else { candidate };
        Ok(self.remember_log(found))
    }

    /// What page 1 says of a snapshot.
    fn read_header_of(&self, candidate: Snapshot, in_log: Option<u32>) -> Result<Snapshot> {
        let (page, shape) = self.first_page(&candidate)?;
        let header = DbHeader::read(&page).map_err(|_| Error::NotADb)?;
        if header.page_size != shape.page_size || matches!(header.read_version, FileVersion::Unknown(_)) {
            return Err(Error::NotADb);
        }
        // The log counts the pages of a file that was longer than its header says when SQLite began to write.
        let trusted = header.trusted_page_count();
        let pages = in_log.unwrap_or_else(|| pages_in(candidate.file_size, candidate.shape.page_size));
        if trusted.is_some_and(|count| count > pages) {
            return Err(Error::corrupt("the file is shorter than its header says"));
        }
        Ok(Snapshot {
            shape: Shape { page_size: header.page_size, reserved: header.reserved },
            page_count: trusted.unwrap_or(candidate.page_count),
            counts_pages: trusted.is_some(),
            has_newer_write_version: matches!(header.write_version, FileVersion::Unknown(_)),
            ..candidate
        })
    }

    /// Remembers a snapshot of the log. Pages are read directly from the mapping if the database file has all of the
    /// log.
    fn remember_log(&self, snapshot: Snapshot) -> Snapshot {
        let is_in_file = self.with_wal(Wal::is_fully_checkpointed);
        let snapshot = Snapshot { direct: if is_in_file { snapshot.mapped_pages() } else { 0 }, ..snapshot };
        self.last.remember(snapshot);
        snapshot
    }

    fn shape_of_file(&self) -> Result<Shape> {
        let mut bytes = [0; lithe_format::db_header::HEADER_LEN];
        self.file.read_at(&mut bytes, 0)?;
        let header = DbHeader::read(&bytes).map_err(|_| Error::NotADb)?;
        Ok(Shape { page_size: header.page_size, reserved: header.reserved })
    }

    /// Becomes the writer on the snapshot that is held; or without one begins to read and to write, and answers the
    /// newest snapshot.
    pub(super) fn begin_write_wal(&self, shape: Shape, holds_snapshot: bool) -> Result<Option<Snapshot>> {
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        // Exclusive locking begins with the first write.
        if self.settings.keeps_locks() {
            self.lock(LockLevel::Exclusive)?;
            self.log.is_used_alone.set(true);
        }
        let patience =
            if holds_snapshot || !self.settings.waits_when_busy() { Duration::ZERO } else { WRITER_PATIENCE };
        self.log.was_passed.set(false);
        let begun = self.with_wal(|wal| wal.begin_write(holds_snapshot, patience))?;
        if holds_snapshot {
            return Ok(None);
        }
        let taken = self.take_snapshot(shape, begun);
        if taken.is_err() {
            self.with_wal(Wal::roll_back);
        }
        taken.map(Some)
    }

    /// Appends the dirty pages, with the frame that commits: all of the commit, because a log has no second phase. The commit is
    /// made whenever the outer result is `Ok`; the inner result says whether this connection can read on from its own commit.
    pub(crate) fn commit_wal(&self, pending: &Pending<'_>) -> Result<Result<()>> {
        let neighbours = self.neighbours_for_log(pending)?;
        let page_count = pending.page_count();
        let kept = pending.txn.dirty.iter().filter(|(no, _)| no.get() <= page_count);
        let mut pages: Vec<(PageNo, &[u8])> = kept.map(|(no, bytes)| (no, &**bytes)).collect();
        pages.extend(neighbours.iter().map(|(no, page)| (*no, &**page)));
        pages.sort_unstable_by_key(|(no, _)| *no);
        if pages.is_empty() {
            // All pages that were written were cut off again.
            return Ok(Ok(()));
        }
        self.counts.add(PageCounter::Write, pages.len());
        let policy = self.log_policy();
        let went_on = self.with_wal(|wal| wal.commit(&*self.vfs, &pages, pending.page_size(), page_count, &policy))?;
        let past_log = &pending.txn.spill.placed;
        self.log.was_passed.set(past_log.has_any(page_count, pending.txn.pages_before));
        Ok(went_on)
    }

    /// The pages that a transaction in WAL mode has not written but that share a sector with one that it has: a
    /// checkpoint may harm them, so they go into the log as well.
    fn neighbours_for_log(&self, pending: &Pending<'_>) -> Result<Vec<(PageNo, PageRef)>> {
        let sectors = self.sectors(pending.page_size());
        if !sectors.are_shared() {
            return Ok(Vec::new());
        }
        let page_count = pending.page_count();
        let written = pending.txn.dirty.iter().map(|(no, _)| no).chain(self.with_wal(Wal::spilled_pages));
        let touched = written.filter(|no| no.get() <= page_count);
        let pages = sectors.whole(touched, pending.txn.pages_before.min(page_count));
        let lock_byte_page = pending.page_size().lock_byte_page();
        let others = pages.into_iter().filter(|&no| no != lock_byte_page && !self.is_written(pending.txn, no));
        others.map(|no| Ok((no, self.page(pending.view, no)?))).collect()
    }

    /// Whether the transaction has written the page.
    pub(crate) fn is_written(&self, txn: &WriteTxn, no: PageNo) -> bool {
        let has_frame = self.is_wal() && self.spilled_frame(no).is_some();
        has_frame || txn.dirty.find(no).is_some() || txn.spill.temp.contains(no) || txn.is_placed(no)
    }

    pub(crate) fn log_policy(&self) -> Policy {
        let synchronous = self.settings.synchronous.get();
        Policy {
            sync_header: synchronous >= Synchronous::Normal,
            sync_frames: synchronous >= Synchronous::Full,
            flags: self.settings.sync_flags(),
            size_limit: self.settings.journal_size_limit.get(),
        }
    }

    /// Undoes a write transaction of the log.
    pub(crate) fn roll_back_wal(&self) {
        self.with_wal(Wal::roll_back);
    }

    /// Ends a write transaction of the log that has committed, or had nothing to commit. After a commit, which made `changes` to the
    /// snapshot `before`, answers the snapshot that is read from now on.
    pub(crate) fn end_commit_wal(&self, before: &View, changes: Option<Changes>, written: Written) -> Option<Snapshot> {
        self.with_wal(Wal::end_write);
        let changes = changes?;
        let id = self.with_wal(Wal::snapshot_id);
        self.advance_pool(&before.id.get(), id, changes);
        self.keep_written(&id, written);
        let known = self.last.known()?;
        let (file_size, mapped) =
            if self.log.was_passed.get() { self.map_longer(&known) } else { (known.file_size, known.mapped) };
        let (page_count, shape) = (before.page_count.get(), before.shape());
        Some(self.remember_log(Snapshot { id, shape, page_count, file_size, mapped, ..known }))
    }

    /// The size of the file, and the mapping of as much of it as can be mapped, after this connection's commit has
    /// appended pages past the log.
    fn map_longer(&self, before: &Snapshot) -> (u64, MappedFile) {
        let Ok(size) = self.file.size() else { return (before.file_size, before.mapped) };
        self.map(size).map_or((before.file_size, before.mapped), |mapped| (size, mapped))
    }

    /// After the rollback of a transaction that wrote to a log: how many pages are read directly.
    pub(crate) fn direct_after_rollback(&self) -> u32 {
        let is_in_file = self.with_wal(Wal::is_fully_checkpointed);
        self.last.known().filter(|_| is_in_file).map_or(0, |known| known.direct)
    }

    /// Appends pages of an uncommitted transaction to the log.
    pub(crate) fn spill_wal(&self, page_size: PageSize, pages: &[(PageNo, &[u8])]) -> Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let policy = self.log_policy();
        self.with_wal(|wal| wal.spill(&*self.vfs, pages, page_size, &policy))
    }

    pub(crate) fn spilled_frame(&self, no: PageNo) -> Option<u32> {
        self.with_wal(|wal| wal.find_spilled(no))
    }

    pub(crate) fn memory_of_spilled_wal(&self) -> usize {
        self.with_wal(Wal::memory_of_spilled)
    }

    pub(crate) fn read_spilled_wal(&self, page_size: PageSize, no: PageNo, buf: &mut [u8]) -> Result<()> {
        self.with_wal(|wal| match wal.find_spilled(no) {
            Some(frame) => wal.read_page(frame, page_size, buf),
            None => Err(Error::corrupt_page(no, "a page that was put into the log is not there")),
        })
    }

    /// Whether a write transaction appends to the log.
    pub(crate) fn is_appending(&self) -> bool {
        self.with_wal(Wal::is_appending)
    }

    pub(crate) fn has_spilled_wal(&self) -> bool {
        self.with_wal(Wal::has_spilled)
    }

    pub(crate) fn spill_mark_wal(&self) -> SpillMark {
        self.with_wal(Wal::spill_mark)
    }

    pub(crate) fn spill_back_to_wal(&self, mark: SpillMark) -> Result<()> {
        self.with_wal(|wal| wal.spill_back_to(mark))
    }

    /// Copies frames from the log into the database.
    pub(crate) fn checkpoint(&self, mode: CheckpointMode, wait: &Wait<'_>) -> Result<Checkpoint> {
        let interrupted = self.settings.interrupt_flag();
        let work = self.checkpointer(mode, &interrupted, wait);
        let done = self.with_wal(|wal| wal.checkpoint(&work));
        self.forget_known();
        done
    }

    /// The checkpoint after a commit that has left more than `limit` frames in the log.
    pub(crate) fn checkpoint_long_log(&self, limit: u32) -> Result<()> {
        let interrupted = self.settings.interrupt_flag();
        let work = self.checkpointer(CheckpointMode::Passive, &interrupted, &|attempt| attempt());
        let done = self.with_wal(|wal| wal.checkpoint_long_log(&work, limit));
        self.forget_known();
        done
    }

    /// Copies all of the log into the database within a write transaction that has appended nothing: see [`Wal::copy_for_load`].
    pub(crate) fn copy_log_for_load(&self, page_size: PageSize) -> Result<()> {
        let interrupted = self.settings.interrupt_flag();
        let work = self.checkpointer(CheckpointMode::Passive, &interrupted, &|attempt| attempt());
        self.with_wal(|wal| wal.copy_for_load(&work, page_size))
    }

    fn checkpointer<'c>(
        &'c self,
        mode: CheckpointMode,
        interrupted: &'c AtomicBool,
        wait: &'c Wait<'c>,
    ) -> Checkpointer<'c> {
        Checkpointer {
            mode,
            vfs: &*self.vfs,
            database: &*self.file,
            is_read_only: self.access.read_only,
            sync: self.settings.syncs().then(|| self.settings.sync_flags()),
            patience: Duration::ZERO,
            interrupted,
            wait,
        }
    }

    /// Closes the log, if one is open.
    pub(crate) fn close_log(&self, page_count: u32) -> Result<()> {
        let asks = self.is_wal() || !self.calls.reads_header_alone;
        // A file of this name that is not the database has another log beside it.
        let has_moved = asks && page_count > 0 && self.file.has_moved().unwrap_or(true);
        self.close_wal(has_moved)
    }

    /// Closes the log. The last connection of all processes copies it into the database and deletes it.
    fn close_wal(&self, has_moved: bool) -> Result<()> {
        let Some(wal) = self.log.wal.take() else { return Ok(()) };
        let checkpoints = self.settings.checkpoint_on_close.get() && !self.is_read_only();
        let last = !has_moved && checkpoints && self.lock_to_close().is_ok();
        if last {
            wal.note_locked_alone();
        }
        let is_complete = last && self.checkpoint_to_close(&wal);
        let keeps = if is_complete { self.keeps_log_now() } else { true };
        let delete = is_complete && !keeps;
        if is_complete && !delete && self.settings.journal_size_limit.get().is_some() {
            // All frames are in the database, so the log may be truncated: its length is within any limit then.
            self.open_log_file()?.truncate(0)?;
        }
        wal.close(delete);
        drop(wal);
        self.forget_known();
        if delete {
            self.vfs.delete(&self.log.path, false)?;
        }
        Ok(())
    }

    /// Takes the EXCLUSIVE lock to end the log. A VFS of the application gets the call even if the lock is held, as from
    /// SQLite.
    fn lock_to_close(&self) -> Result<()> {
        if self.calls.shares_log || self.level.get() < LockLevel::Exclusive {
            return self.lock(LockLevel::Exclusive);
        }
        if self.file.lock(LockLevel::Exclusive)? { Ok(()) } else { Err(Error::Busy) }
    }

    /// Whether the log stays when the last connection closes. A VFS of the application decides that itself.
    fn keeps_log_now(&self) -> bool {
        let theirs = self.file.is_foreign();
        if theirs { self.file.persists_log().unwrap_or(false) } else { self.log.is_kept.get() }
    }

    /// Copies the log into the database and deletes it. The caller holds the EXCLUSIVE lock.
    pub(crate) fn close_wal_to_leave(&self) -> Result<()> {
        let Some(wal) = self.log.wal.take() else { return Ok(()) };
        self.log.is_used_alone.set(false);
        if !self.calls.shares_log {
            return self.close_wal_to_leave_in_order(wal);
        }
        if !self.checkpoint_to_close(&wal) {
            self.log.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        wal.close(true);
        drop(wal);
        self.forget_known();
        // The deletion is durable: in the modes that have no journal file no later commit makes it so, and SQLite would
        // read a log that comes back as the newest state.
        self.remove_log(self.settings.syncs())
    }

    /// Deletes the log. A log that cannot be deleted is truncated to nothing, because a reader would take its frames
    /// for the newest state.
    fn remove_log(&self, lasts: bool) -> Result<()> {
        match self.vfs.delete(&self.log.path, lasts) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => {
                let log = self.vfs.open(Some(&self.log.path), OpenFlags::READWRITE | OpenFlags::WAL)?.file;
                log.truncate(0)?;
                if lasts { Ok(log.sync(SyncFlags::NORMAL)?) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// As [`FileStore::close_wal_to_leave`], in SQLite's order of calls. The EXCLUSIVE lock becomes a SHARED one, and the known
    /// snapshot is forgotten.
    fn close_wal_to_leave_in_order(&self, wal: Wal) -> Result<()> {
        let locked = self.lock_to_close();
        wal.note_locked_alone();
        if locked.is_err() || !self.checkpoint_to_close(&wal) {
            wal.note_shared_again();
            self.log.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        // The call is only there for the VFS: the log is deleted whatever the answer is.
        self.file.persists_log();
        wal.close(true);
        drop(wal);
        self.forget_known();
        self.remove_log(false)?;
        self.tell_mmap_size();
        self.vfs.access(&self.journal.path, Access::Exists)?;
        self.unlock(LockLevel::Shared)
    }

    /// Whether the database may be in WAL mode at all.
    pub(crate) fn can_have_wal(&self) -> bool {
        self.access.locks && (self.settings.keeps_locks() || self.file.has_shm())
    }

    /// Runs `work` on the database as if it were in rollback mode, whatever its header says.
    pub(crate) fn without_wal<T>(&self, work: impl FnOnce() -> T) -> T {
        assert_eq!(self.log.usage.get(), LogUse::AsHeaderSays, "a database that has a log leaves WAL mode");
        self.log.usage.set(LogUse::Ignored);
        let done = work();
        self.log.usage.set(LogUse::AsHeaderSays);
        done
    }

    /// Whether the header was made to say WAL, and the database was not read since.
    pub(crate) fn has_entered_wal(&self) -> bool {
        self.log.usage.get() == LogUse::Entered
    }

    /// Whether the database counts as one without a log, whatever its header says.
    pub(super) fn ignores_log(&self) -> bool {
        self.log.usage.get() == LogUse::Ignored
    }

    /// Checkpoints the log; answers whether the database has all of its frames now.
    fn checkpoint_to_close(&self, wal: &Wal) -> bool {
        let interrupted = self.settings.interrupt_flag();
        let work = self.checkpointer(CheckpointMode::Passive, &interrupted, &|attempt| attempt());
        wal.checkpoint(&work).is_ok_and(|done| !done.busy && done.log_frames == done.checkpointed_frames)
    }

    /// The last frame of the snapshot.
    pub(crate) fn log_frames(&self) -> u32 {
        self.with_wal(Wal::last_frame)
    }

    /// Runs `work` on the log, which is open.
    pub(crate) fn with_wal<T>(&self, work: impl FnOnce(&Wal) -> T) -> T {
        work(self.log.wal.borrow().as_ref().expect("the log is open"))
    }

    /// After a panic: closes the log without a checkpoint, and releases the locks that other connections wait for. A step that panics
    /// itself is skipped.
    pub(crate) fn abandon_log(&self) {
        let logs = [self.log.wal.take(), self.log.shared.take()];
        for wal in logs.iter().flatten() {
            let _ = catch_unwind(AssertUnwindSafe(|| wal.close(false)));
            let _ = catch_unwind(AssertUnwindSafe(|| wal.abandon()));
        }
    }
}
