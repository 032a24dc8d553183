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

use super::FileStore;
use super::snapshot::pages_in;
use crate::counts::PageCounter;
use crate::error::{Error, Result};
use crate::options::Synchronous;
use crate::page_ref::{MappedFile, PageRef};
use crate::pool::{Changes, Written};
use crate::snapshot::{Change, Shape, Snapshot, View};
use crate::spill::SpillMark;
use crate::wal::shared::SharedWal;
use crate::wal::{Begun, Checkpoint, CheckpointMode, Checkpointer, Policy, Wait, Wal};
use crate::write_txn::{Pending, WriteTxn};

/// How long a writer waits for other writers of this process at a stretch, if it waits at all.
pub(crate) const WRITER_PATIENCE: Duration = Duration::from_millis(10);

impl FileStore {
    /// Whether the database is in WAL mode, as far as is known.
    pub(crate) fn is_wal(&self) -> bool {
        self.wal.borrow().is_some()
    }

    /// Opens the log. The SHARED lock on the database, which is held, stays as long as the log is open:
    /// nobody changes the journal mode or deletes the log meanwhile.
    pub(super) fn open_wal(&self) -> Result<()> {
        let exclusive = self.settings.keeps_locks();
        if !self.locks || !(exclusive || self.file.has_shm()) {
            return Err(Error::CantOpen(ResultCode::CANTOPEN));
        }
        if exclusive {
            self.lock(LockLevel::Exclusive)?;
        }
        let shared = if exclusive {
            Arc::new(SharedWal::new(self.open_log_file()?, &self.wal_path, None))
        } else {
            self.database.wal(|| Ok(SharedWal::new(self.open_log_file()?, &self.wal_path, Some(self.open_hub()?))))?
        };
        self.tell_mmap_size();
        let map = self.mmap_size() > 0;
        let wal = Wal::new(self.file.clone(), shared, exclusive, map);
        self.wal.replace(Some(wal));
        self.forget_known();
        self.seen.set(None);
        Ok(())
    }

    /// The log, if it is open.
    pub(crate) fn log_file(&self) -> Option<Arc<dyn File>> {
        self.wal.borrow().as_ref().map(Wal::file_of_log)
    }

    fn open_log_file(&self) -> Result<Arc<dyn File>> {
        let mut flags = OpenFlags::READWRITE | OpenFlags::CREATE | OpenFlags::WAL;
        if self.torn_sectors.get() {
            flags = flags | OpenFlags::TORN_SECTORS;
        }
        Ok(self.vfs.open(Some(&self.wal_path), flags)?.file)
    }

    /// Another handle on the database, which belongs to no connection. A VFS of the application is asked for one handle a
    /// connection only.
    fn open_hub(&self) -> Result<Arc<dyn File>> {
        if !self.calls.shares_log {
            return Ok(self.file.clone());
        }
        let how = if self.opened_read_only { OpenFlags::READONLY } else { OpenFlags::READWRITE };
        let shm = if self.read_only_shm { OpenFlags::READONLY_SHM } else { OpenFlags::default() };
        Ok(self.vfs.open(Some(&self.path), how | shm | OpenFlags::MAIN_DB)?.file)
    }

    pub(super) fn begin_read_wal(&self, shape: Shape) -> Result<Snapshot> {
        let begun = match self.with_wal(Wal::begin_read) {
            Err(error) if error.code() == ResultCode::READONLY_CANTINIT => self.begin_read_unshared()?,
            begun => begun?,
        };
        self.take_snapshot(shape, begun)
    }

    /// Nobody has prepared the shared memory, and we may not: the log is indexed for this transaction alone. The
    /// lock on mark 0 keeps other connections from copying into the database, and so from starting the log
    /// over.
    fn begin_read_unshared(&self) -> Result<Begun> {
        let slot = read_slot(0)..read_slot(0) + 1;
        if !self.file.shm_lock(slot.clone(), ShmLock::Shared)? {
            return Err(Error::Busy);
        }
        let unshared = self.with_wal(Wal::unshared);
        let begun = unshared.begin_read();
        match begun {
            Ok(_) => self.shared_wal.replace(self.wal.replace(Some(unshared))),
            Err(_) => {
                self.file.shm_unlock(slot, ShmLock::Shared)?;
                None
            }
        };
        begun
    }

    /// Whether this transaction has an index of the log for itself.
    pub(crate) fn reads_unshared(&self) -> bool {
        self.shared_wal.borrow().is_some()
    }

    fn end_read_unshared(&self) -> Result<()> {
        self.wal.replace(self.shared_wal.take());
        self.forget_known();
        let slot = read_slot(0)..read_slot(0) + 1;
        Ok(self.file.shm_unlock(slot, ShmLock::Shared)?)
    }

    pub(super) fn end_read_wal(&self) -> Result<()> {
        if self.shared_wal.borrow().is_some() {
            return self.end_read_unshared();
        }
        let ended = self.with_wal(Wal::end_read);
        let was_exclusive = self.level.get() > LockLevel::Shared;
        if was_exclusive && !self.settings.keeps_locks() {
            self.unlock(LockLevel::Shared)?;
        }
        ended
    }

    /// The snapshot of the log, which has been found as `begun` says.
    pub(crate) fn take_snapshot(&self, shape: Shape, begun: Begun) -> Result<Snapshot> {
        if let (Begun::AsBefore, Some(known)) = (begun, self.known.get()) {
            return Ok(known.or_of_shape(shape));
        }
        if begun == Begun::Recovered {
            self.database.pool.expire();
        }
        if begun == Begun::Changed {
            self.forget_shown()?;
        }
        let looked = self.look_through_log(shape);
        if looked.is_err() {
            self.with_wal(Wal::end_read)?;
            self.forget_known();
        }
        let snapshot = looked?;
        let is_foreign = matches!(begun, Begun::Changed | Begun::Recovered);
        self.notice(Change { moved: true, foreign: u32::from(is_foreign) });
        Ok(snapshot)
    }

    /// The snapshot becomes that of another connection of the same shared cache.
    pub(crate) fn advance_to(&self, shape: Shape, newest: IndexHeader) -> Result<Snapshot> {
        self.with_wal(|wal| wal.advance_to_shared(newest))?;
        self.look_through_log(shape)
    }

    /// Learns size and shape of the database from page 1, which may be in the log.
    fn look_through_log(&self, shape: Shape) -> Result<Snapshot> {
        let (in_log, page_size) = self.with_wal(|wal| (wal.page_count(), wal.page_size()));
        // What the log says of the size is enough for SQLite, and for those who see what we ask.
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
        if self.is_void.get() {
            // For this transaction only.
            self.forget_known();
            return Ok(Snapshot { page_count: 0, ..candidate });
        }
        let found = if page_count > 0 { self.read_header_of(candidate, in_log)? } else { candidate };
        Ok(self.know_log(found))
    }

    /// What page 1 says of a snapshot.
    fn read_header_of(&self, candidate: Snapshot, in_log: Option<u32>) -> Result<Snapshot> {
        let (page, shape) = self.first_page(&candidate)?;
        let header = DbHeader::read(&page).map_err(|_| Error::NotADb)?;
        if header.page_size != shape.page_size || matches!(header.read_version, FileVersion::Unknown(_)) {
            return Err(Error::NotADb);
        }
        let trusted = header.trusted_page_count();
        let pages_in_file = pages_in(candidate.file_size, candidate.shape.page_size);
        if in_log.is_none() && trusted.is_some_and(|count| count > pages_in_file) {
            return Err(Error::corrupt("the file is shorter than its header says"));
        }
        Ok(Snapshot {
            shape: Shape { page_size: header.page_size, reserved: header.reserved },
            page_count: in_log.or(trusted).unwrap_or(candidate.page_count),
            counts_pages: trusted.is_some(),
            has_newer_write_version: matches!(header.write_version, FileVersion::Unknown(_)),
            ..candidate
        })
    }

    /// Remembers a snapshot of the log. Pages are read directly if the database file has all of it.
    fn know_log(&self, snapshot: Snapshot) -> Snapshot {
        let is_in_file = self.with_wal(Wal::is_fully_checkpointed);
        let snapshot = Snapshot { direct: if is_in_file { snapshot.mapped_pages() } else { 0 }, ..snapshot };
        self.known.set(Some(snapshot));
        snapshot
    }

    fn shape_of_file(&self) -> Result<Shape> {
        let mut bytes = [0; lithe_format::db_header::HEADER_LEN];
        self.file.read_at(&mut bytes, 0)?;
        let header = DbHeader::read(&bytes).map_err(|_| Error::NotADb)?;
        Ok(Shape { page_size: header.page_size, reserved: header.reserved })
    }

    /// Becomes the writer, on the snapshot that is held; or begins to read, and answers the newest snapshot.
    pub(super) fn begin_write_wal(&self, shape: Shape, holds_snapshot: bool) -> Result<Option<Snapshot>> {
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        // Exclusive locking begins with the first write.
        if self.settings.keeps_locks() {
            self.lock(LockLevel::Exclusive)?;
        }
        let patience =
            if holds_snapshot || !self.settings.waits_when_busy() { Duration::ZERO } else { WRITER_PATIENCE };
        self.appended_past_log.set(false);
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

    /// Appends what is in memory, with the frame that commits: all of the commit, as a log has no second phase. The inner result
    /// says whether this connection can go on from its own commit, which is made in any case.
    pub(crate) fn commit_wal(&self, pending: &Pending<'_>) -> Result<Result<()>> {
        let neighbours = self.neighbours_for_log(pending)?;
        let page_count = pending.page_count();
        let kept = pending.txn.dirty.iter().filter(|(no, _)| no.get() <= page_count);
        let mut pages: Vec<(PageNo, &[u8])> = kept.map(|(no, bytes)| (no, &**bytes)).collect();
        pages.extend(neighbours.iter().map(|(no, page)| (*no, &**page)));
        pages.sort_unstable_by_key(|(no, _)| *no);
        if pages.is_empty() {
            // All that was written was cut off again.
            return Ok(Ok(()));
        }
        self.counts.add(PageCounter::Write, pages.len());
        let policy = self.log_policy();
        let went_on = self.with_wal(|wal| wal.commit(&*self.vfs, &pages, pending.page_size(), page_count, &policy))?;
        let past_log = &pending.txn.spill.placed;
        self.appended_past_log.set(past_log.has_any(page_count, pending.txn.pages_before));
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

    /// The turn to write ends. After a commit, which made `changes` to the snapshot `before`, answers what is read from now on.
    pub(crate) fn end_write_wal(
        &self,
        before: &View,
        committed: Option<Changes>,
        written: Written,
    ) -> Option<Snapshot> {
        self.with_wal(Wal::roll_back);
        let changes = committed?;
        let id = self.with_wal(Wal::snapshot_id);
        self.advance_pool(&before.id.get(), id, changes);
        self.keep_written(&id, written);
        let known = self.known.get()?;
        let (file_size, mapped) =
            if self.appended_past_log.get() { self.map_longer(&known) } else { (known.file_size, known.mapped) };
        let (page_count, shape) = (before.page_count.get(), before.shape());
        Some(self.know_log(Snapshot { id, shape, page_count, file_size, mapped, ..known }))
    }

    /// Our own commit has made the file longer, past the log: its size, as far as it is mapped now.
    fn map_longer(&self, before: &Snapshot) -> (u64, MappedFile) {
        let Ok(size) = self.file.size() else { return (before.file_size, before.mapped) };
        self.map(size).map_or((before.file_size, before.mapped), |mapped| (size, mapped))
    }

    /// After the rollback of a transaction that wrote to a log: how many pages are read directly.
    pub(crate) fn direct_after_rollback(&self) -> u32 {
        let is_in_file = self.with_wal(Wal::is_fully_checkpointed);
        self.known.get().filter(|_| is_in_file).map_or(0, |known| known.direct)
    }

    /// Appends pages to the log that do not commit yet.
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
            is_read_only: self.opened_read_only,
            sync: self.settings.syncs().then(|| self.settings.sync_flags()),
            patience: Duration::ZERO,
            interrupted,
            wait,
        }
    }

    /// Leaves the log, if there is one.
    pub(crate) fn close_log(&self, page_count: u32) -> Result<()> {
        let asks = self.is_wal() || !self.calls.reads_header_alone;
        // Beside another file of this name lies another log.
        let has_moved = asks && page_count > 0 && self.file.has_moved().unwrap_or(true);
        self.close_wal(has_moved)
    }

    /// Leaves the log. The last connection of all copies it into the database and deletes it.
    fn close_wal(&self, has_moved: bool) -> Result<()> {
        let Some(wal) = self.wal.take() else { return Ok(()) };
        let checkpoints = self.settings.checkpoint_on_close.get() && !self.is_read_only();
        let last = !has_moved && checkpoints && self.lock_to_close().is_ok();
        if last {
            wal.note_locked_alone();
        }
        let is_complete = last && self.checkpoint_to_close(&wal);
        let keeps = if is_complete { self.keeps_log_now() } else { true };
        let delete = is_complete && !keeps;
        if is_complete && !delete && self.settings.journal_size_limit.get().is_some() {
            // All of it is in the database: as long as the limit allows it is no longer than nothing.
            self.open_log_file()?.truncate(0)?;
        }
        wal.close(delete);
        drop(wal);
        self.forget_known();
        if delete {
            self.vfs.delete(&self.wal_path, false)?;
        }
        Ok(())
    }

    /// Takes the EXCLUSIVE lock to end the log. A VFS of the application is asked for it even if it is held, as by SQLite.
    fn lock_to_close(&self) -> Result<()> {
        if self.calls.shares_log || self.level.get() < LockLevel::Exclusive {
            return self.lock(LockLevel::Exclusive);
        }
        if self.file.lock(LockLevel::Exclusive)? { Ok(()) } else { Err(Error::Busy) }
    }

    /// Whether the log stays when the last connection closes: a VFS of the application says so itself.
    fn keeps_log_now(&self) -> bool {
        let theirs = self.file.is_foreign();
        if theirs { self.file.persists_log().unwrap_or(false) } else { self.keeps_log.get() }
    }

    /// With the database to ourselves: copies the log into the database and deletes it.
    pub(crate) fn close_wal_to_leave(&self) -> Result<()> {
        let Some(wal) = self.wal.take() else { return Ok(()) };
        if !self.calls.shares_log {
            return self.close_wal_to_leave_in_order(wal);
        }
        if !self.checkpoint_to_close(&wal) {
            self.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        wal.close(true);
        drop(wal);
        self.forget_known();
        // Durably: in the modes that have no journal file no later commit makes it so, and SQLite would take a log that
        // comes back for the newest state.
        self.remove_log(self.settings.syncs())
    }

    /// A log that cannot be deleted stays behind with nothing in it: nobody must take its frames for the newest state.
    fn remove_log(&self, lasts: bool) -> Result<()> {
        match self.vfs.delete(&self.wal_path, lasts) {
            Err(error) if error.code() != ResultCode::IOERR_DELETE_NOENT => {
                let log = self.vfs.open(Some(&self.wal_path), OpenFlags::READWRITE | OpenFlags::WAL)?.file;
                log.truncate(0)?;
                if lasts { Ok(log.sync(SyncFlags::NORMAL)?) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// The same in the order of calls that SQLite makes. The EXCLUSIVE lock becomes a SHARED one, and nothing is known any more.
    fn close_wal_to_leave_in_order(&self, wal: Wal) -> Result<()> {
        let locked = self.lock_to_close();
        wal.note_locked_alone();
        if locked.is_err() || !self.checkpoint_to_close(&wal) {
            wal.note_shared_again();
            self.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        // The answer does not matter: nobody has a use for the log.
        self.file.persists_log();
        wal.close(true);
        drop(wal);
        self.forget_known();
        self.remove_log(false)?;
        self.tell_mmap_size();
        self.vfs.access(&self.journal_path, Access::Exists)?;
        self.unlock(LockLevel::Shared)
    }

    /// Whether the database may be in WAL mode at all.
    pub(crate) fn can_have_wal(&self) -> bool {
        self.locks && (self.settings.keeps_locks() || self.file.has_shm())
    }

    /// Runs `work` on the database as if it were in rollback mode, whatever its header says.
    pub(crate) fn without_wal<T>(&self, work: impl FnOnce() -> T) -> T {
        self.ignores_wal.set(true);
        let done = work();
        self.ignores_wal.set(false);
        done
    }

    /// Whether the log has nothing left that the database lacks.
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
        work(self.wal.borrow().as_ref().expect("the log is open"))
    }

    /// After a panic: leaves the log as it is, with everything given back that others wait for. A step that panics changes nothing for
    /// the others.
    pub(crate) fn abandon_log(&self) {
        let logs = [self.wal.take(), self.shared_wal.take()];
        for wal in logs.iter().flatten() {
            let _ = catch_unwind(AssertUnwindSafe(|| wal.close(false)));
            let _ = catch_unwind(AssertUnwindSafe(|| wal.abandon()));
        }
    }
}
