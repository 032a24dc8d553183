//! The write-ahead log of a database file: opening, using and closing it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lithe_format::bytes::{at_u32, put_u32};
use lithe_format::db_header::{
    CHANGE_COUNTER_AT, DbHeader, FileVersion, PAGE_COUNT_AT, VERSION_VALID_FOR_AT, WRITER_VERSION_AT,
};
use lithe_format::locks::read_slot;
use lithe_format::wal_index::IndexHeader;
use lithe_format::{MAX_PAGE_NO, PageNo};
use lithe_vfs::{Access, File, LockLevel, OpenFlags, ResultCode, ShmLock};

use super::FileStore;
use crate::SQLITE_VERSION_NUMBER;
use crate::counts::PageCounter;
use crate::error::{Error, Result};
use crate::options::{LockingMode, Synchronous};
use crate::pager::Pager;
use crate::pool::{Changes, Written};
use crate::spill::SpillMark;
use crate::wal::shared::SharedWal;
use crate::wal::{Begun, Checkpoint, CheckpointMode, Checkpointer, Policy, Wait, Wal};

/// How long a writer waits for other writers of this process at a stretch, if it waits at all.
pub(crate) const PATIENCE: Duration = Duration::from_millis(10);

impl FileStore {
    /// Whether the database is in WAL mode, as far as is known.
    pub(crate) fn is_wal(&self) -> bool {
        self.wal.borrow().is_some()
    }

    /// Opens the log. The SHARED lock on the database, which is held, stays as long as the log is open:
    /// nobody changes the journal mode or deletes the log meanwhile.
    pub(super) fn open_wal(&self, pager: &Pager) -> Result<()> {
        let exclusive = pager.locking_mode() == LockingMode::Exclusive;
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
        let map = self.mmap_size() > 0;
        let wal = Wal::new(self.file.clone(), shared, exclusive, map);
        self.wal.replace(Some(wal));
        self.forget_what_is_known();
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
        Ok(self.vfs.open(Some(&self.path), how | OpenFlags::MAIN_DB)?.file)
    }

    pub(super) fn begin_read_wal(&self, pager: &Pager) -> Result<()> {
        let begun = match self.with_wal(Wal::begin_read) {
            Err(error) if error.code() == ResultCode::READONLY_CANTINIT => self.begin_read_unshared()?,
            begun => begun?,
        };
        self.note_snapshot(pager, begun)
    }

    /// Nobody has prepared the shared memory, and we may not: the log is indexed for this transaction alone. The
    /// lock on mark 0 keeps whoever comes meanwhile from copying into the database, and so from starting the log
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

    fn end_read_unshared(&self) -> Result<()> {
        self.wal.replace(self.shared_wal.take());
        self.forget_what_is_known();
        let slot = read_slot(0)..read_slot(0) + 1;
        Ok(self.file.shm_unlock(slot, ShmLock::Shared)?)
    }

    pub(super) fn end_read_wal(&self, pager: &Pager) -> Result<()> {
        if self.shared_wal.borrow().is_some() {
            return self.end_read_unshared();
        }
        let ended = self.with_wal(Wal::end_read);
        let was_exclusive = self.level.get() > LockLevel::Shared;
        if was_exclusive && !self.keeps_locks(pager) {
            self.unlock(LockLevel::Shared)?;
        }
        ended
    }

    fn note_snapshot(&self, pager: &Pager, begun: Begun) -> Result<()> {
        let known = self.known.get();
        if begun == Begun::AsBefore && known.valid {
            pager.view.page_count.set(known.page_count);
            pager.view.direct.set(known.direct);
            return Ok(());
        }
        let identity = self.with_wal(Wal::identity);
        if begun == Begun::Recovered {
            self.database.pool.expire();
        }
        self.adopt_pool_state(pager, &identity);
        let looked = self.look_through_log(pager);
        if looked.is_err() {
            self.with_wal(Wal::end_read)?;
            self.forget_what_is_known();
        }
        looked?;
        match begun {
            Begun::Changed | Begun::Recovered => pager.note_foreign_change(),
            Begun::AsBefore | Begun::Elsewhere => pager.bump_write_version(),
        }
        Ok(())
    }

    /// The snapshot becomes that of another connection of the same shared cache.
    pub(crate) fn go_on_to(&self, pager: &Pager, newest: IndexHeader) -> Result<()> {
        self.with_wal(|wal| wal.go_on_to_shared(newest))?;
        self.look_through_log(pager)?;
        let identity = self.with_wal(Wal::identity);
        self.adopt_pool_state(pager, &identity);
        pager.bump_write_version();
        Ok(())
    }

    /// Learns size and shape of the database from page 1, which may be in the log.
    fn look_through_log(&self, pager: &Pager) -> Result<()> {
        let (in_log, page_size) = self.with_wal(|wal| (wal.page_count(), wal.page_size()));
        // What the log says of the size is enough for SQLite, and for those who see what we ask.
        let size = if !self.calls.reads_header_alone && in_log.is_some() { 0 } else { self.file.size()? };
        if let Some(page_size) = page_size.filter(|_| in_log.is_some()) {
            pager.adopt_page_size(page_size, pager.reserved());
        } else if size > 0 && self.calls.reads_header_alone {
            self.adopt_page_size_of_file(pager)?;
        }
        let pages_in_file = u32::try_from(size.div_ceil(u64::from(pager.page_size().get()))).unwrap_or(u32::MAX);
        let page_count = in_log.unwrap_or(pages_in_file);
        if page_count > MAX_PAGE_NO {
            return Err(Error::corrupt("the log says that the database is larger than it can be"));
        }
        pager.view.page_count.set(page_count);
        self.map(pager, size)?;
        let (mut future, mut counts_pages) = (false, false);
        if self.is_void.get() {
            pager.view.page_count.set(0);
        } else if page_count > 0 {
            let page = self.first_page(pager)?;
            let header = DbHeader::read(&page).map_err(|_| Error::NotADb)?;
            if header.page_size != pager.page_size() || matches!(header.read_version, FileVersion::Unknown(_)) {
                return Err(Error::NotADb);
            }
            pager.adopt_page_size(header.page_size, header.reserved);
            counts_pages = header.trusted_page_count().is_some();
            let count = header.trusted_page_count().unwrap_or(page_count);
            if in_log.is_none() && count > pages_in_file {
                return Err(Error::corrupt("the file is shorter than its header says"));
            }
            pager.view.page_count.set(if in_log.is_some() { page_count } else { count });
            future = matches!(header.write_version, FileVersion::Unknown(_));
        }
        self.know_snapshot(pager, size, future, counts_pages);
        if self.is_void.get() {
            // For this transaction only.
            self.forget_what_is_known();
        }
        Ok(())
    }

    fn adopt_page_size_of_file(&self, pager: &Pager) -> Result<()> {
        let mut bytes = [0; lithe_format::db_header::HEADER_LEN];
        self.file.read_at(&mut bytes, 0)?;
        let header = DbHeader::read(&bytes).map_err(|_| Error::NotADb)?;
        pager.adopt_page_size(header.page_size, header.reserved);
        Ok(())
    }

    pub(super) fn begin_write_wal(&self, pager: &Pager, holds_snapshot: bool) -> Result<()> {
        if self.is_read_only() {
            return Err(Error::ReadOnly(ResultCode::READONLY));
        }
        // Whoever asked for exclusive locking gets it with the first write.
        if pager.locking_mode() == LockingMode::Exclusive {
            self.lock(LockLevel::Exclusive)?;
        }
        let patience = if holds_snapshot || !pager.waits_when_busy() { Duration::ZERO } else { PATIENCE };
        self.bypassed_log.set(false);
        let begun = self.with_wal(|wal| wal.begin_write(holds_snapshot, patience))?;
        if holds_snapshot {
            return Ok(());
        }
        let noted = self.note_snapshot(pager, begun);
        if noted.is_err() {
            self.with_wal(Wal::roll_back);
        }
        noted
    }

    /// All of the commit: a log has no second phase.
    pub(crate) fn commit_wal(&self, pager: &Pager) -> Result<()> {
        if !pager.has_changes() {
            return Ok(());
        }
        if pager.concurrent.is_active() {
            self.take_turn_to_commit(pager)?;
        }
        self.count_change_wal(pager)?;
        pager.settle_bypass(self)?;
        let policy = self.log_policy(pager);
        let neighbours = self.neighbours_for_log(pager)?;
        let txn = pager.txn.borrow();
        let kept = txn.dirty.iter().filter(|(no, _)| no.get() <= pager.page_count());
        let mut pages: Vec<(PageNo, &[u8])> = kept.map(|(no, bytes)| (no, &**bytes)).collect();
        pages.extend(neighbours.iter().map(|(no, page)| (*no, &**page)));
        pages.sort_unstable_by_key(|(no, _)| *no);
        if pages.is_empty() {
            // All that was written was cut off again.
            return Ok(());
        }
        pager.counts.add(PageCounter::Write, pages.len());
        let went_on =
            self.with_wal(|wal| wal.commit(&*self.vfs, &pages, pager.page_size(), pager.page_count(), &policy))?;
        self.bypassed_log.set(txn.added.has_any(pager.page_count(), txn.pages_before));
        if let Err(error) = went_on {
            // It has committed. Nothing can be read until the read transaction ends.
            pager.fail(&error);
        }
        Ok(())
    }

    pub(crate) fn log_policy(&self, pager: &Pager) -> Policy {
        Policy {
            sync_header: pager.synchronous() >= Synchronous::Normal,
            sync_frames: pager.synchronous() >= Synchronous::Full,
            flags: pager.sync_flags(),
            size_limit: pager.journal_size_limit(),
        }
    }

    /// Readers of a log do not look at the change counter; it is kept as far as page 1 is written.
    fn count_change_wal(&self, pager: &Pager) -> Result<()> {
        let resized = pager.is_resized();
        // What was spilled still needs a frame that commits it.
        if !resized && !pager.is_written(PageNo::FIRST) && !self.has_spilled_wal() {
            return Ok(());
        }
        let before = self.page(&pager.view, PageNo::FIRST);
        let counter = match before {
            Ok(page) if pager.txn.borrow().pages_before > 0 => at_u32(&page, CHANGE_COUNTER_AT),
            _ => 0,
        };
        let mut page = pager.write(PageNo::FIRST)?;
        put_u32(&mut page, CHANGE_COUNTER_AT, counter.wrapping_add(1));
        put_u32(&mut page, PAGE_COUNT_AT, pager.page_count());
        put_u32(&mut page, VERSION_VALID_FOR_AT, counter.wrapping_add(1));
        put_u32(&mut page, WRITER_VERSION_AT, SQLITE_VERSION_NUMBER);
        Ok(())
    }

    /// After our own commit.
    pub(crate) fn end_write_wal(&self, pager: &Pager, committed: Option<Changes>, written: Written) {
        self.with_wal(Wal::roll_back);
        if let Some(changes) = committed {
            let identity = self.with_wal(Wal::identity);
            let state = self.database.pool.advance(self.pool_state.get(), &identity, changes);
            self.pool_state.set(state);
            self.keep_written(written);
            let known = self.known.get();
            if !known.valid {
                pager.view.direct.set(0);
                return;
            }
            let size = if self.bypassed_log.get() { self.map_longer(pager) } else { known.file_size };
            self.know_snapshot(pager, size, known.is_from_the_future, known.counts_pages);
        }
    }

    /// Our own commit has made the file longer, past the log: answers its size, as far as it is mapped now.
    fn map_longer(&self, pager: &Pager) -> u64 {
        let before = self.known.get().file_size;
        let Ok(size) = self.file.size() else { return before };
        if self.map(pager, size).is_ok() { size } else { before }
    }

    /// Appends pages to the log that do not commit yet.
    pub(crate) fn spill_wal(&self, pager: &Pager, pages: &[(PageNo, &[u8])]) -> Result<()> {
        if pages.is_empty() {
            return Ok(());
        }
        let policy = self.log_policy(pager);
        self.with_wal(|wal| wal.spill(&*self.vfs, pages, pager.page_size(), &policy))
    }

    pub(crate) fn spilled_frame(&self, no: PageNo) -> Option<u32> {
        self.with_wal(|wal| wal.find_spilled(no))
    }

    pub(crate) fn memory_of_spilled_wal(&self) -> usize {
        self.with_wal(Wal::memory_of_spilled)
    }

    pub(crate) fn read_spilled_wal(&self, pager: &Pager, no: PageNo, buf: &mut [u8]) -> Result<()> {
        self.with_wal(|wal| match wal.find_spilled(no) {
            Some(frame) => wal.read_page(frame, pager.page_size(), buf),
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
    pub(crate) fn checkpoint(&self, pager: &Pager, mode: CheckpointMode, wait: &Wait<'_>) -> Result<Checkpoint> {
        let interrupted = pager.interrupt_flag();
        let work = self.checkpointer(pager, mode, &interrupted, wait);
        let done = self.with_wal(|wal| wal.checkpoint(&work));
        self.forget_what_is_known();
        done
    }

    /// The checkpoint after a commit that has left more than `limit` frames in the log.
    pub(crate) fn checkpoint_long_log(&self, pager: &Pager, limit: u32) -> Result<()> {
        let interrupted = pager.interrupt_flag();
        let work = self.checkpointer(pager, CheckpointMode::Passive, &interrupted, &|attempt| attempt());
        let done = self.with_wal(|wal| wal.checkpoint_long_log(&work, limit));
        self.forget_what_is_known();
        done
    }

    fn checkpointer<'c>(
        &'c self,
        pager: &Pager,
        mode: CheckpointMode,
        interrupted: &'c AtomicBool,
        wait: &'c Wait<'c>,
    ) -> Checkpointer<'c> {
        Checkpointer {
            mode,
            vfs: &*self.vfs,
            database: &*self.file,
            is_read_only: self.opened_read_only,
            sync: (pager.synchronous() > Synchronous::Off).then(|| pager.sync_flags()),
            patience: Duration::ZERO,
            interrupted,
            wait,
        }
    }

    /// Leaves the log, if there is one.
    pub(crate) fn close_log(&self, pager: &Pager) -> Result<()> {
        let asks = self.is_wal() || !self.calls.reads_header_alone;
        // Beside another file of this name lies another log.
        let has_moved = asks && pager.page_count() > 0 && self.file.has_moved().unwrap_or(true);
        self.close_wal(pager, has_moved)
    }

    /// Leaves the log. The last connection of all copies it into the database and deletes it.
    fn close_wal(&self, pager: &Pager, has_moved: bool) -> Result<()> {
        let Some(wal) = self.wal.take() else { return Ok(()) };
        let last = !has_moved && pager.checkpoint_on_close() && !self.is_read_only() && self.lock_to_close().is_ok();
        if last {
            wal.note_locked_alone();
        }
        let is_complete = last && self.checkpoint_to_close(pager, &wal);
        let keeps = if is_complete { self.keeps_log_now() } else { true };
        let delete = is_complete && !keeps;
        if is_complete && !delete && pager.journal_size_limit().is_some() {
            // All of it is in the database: as long as the limit allows it is no longer than nothing.
            self.open_log_file()?.truncate(0)?;
        }
        wal.close(delete);
        drop(wal);
        self.forget_what_is_known();
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
    pub(crate) fn close_wal_to_leave(&self, pager: &Pager) -> Result<()> {
        let Some(wal) = self.wal.take() else { return Ok(()) };
        if !self.calls.shares_log {
            return self.close_wal_to_leave_in_order(pager, wal);
        }
        if !self.checkpoint_to_close(pager, &wal) {
            self.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        wal.close(true);
        drop(wal);
        self.forget_what_is_known();
        // Durably: in the modes that have no journal file no later commit makes it so, and SQLite would take a log that
        // comes back for the newest state.
        self.vfs.delete(&self.wal_path, pager.synchronous() > Synchronous::Off)?;
        Ok(())
    }

    /// The same in the order of calls that SQLite makes. The EXCLUSIVE lock becomes a SHARED one, and nothing is known any more.
    fn close_wal_to_leave_in_order(&self, pager: &Pager, wal: Wal) -> Result<()> {
        let locked = self.lock_to_close();
        wal.note_locked_alone();
        if locked.is_err() || !self.checkpoint_to_close(pager, &wal) {
            wal.note_shared_again();
            self.wal.replace(Some(wal));
            self.unlock(LockLevel::Shared)?;
            return Err(Error::Busy);
        }
        // The answer does not matter: nobody has a use for the log.
        self.file.persists_log();
        wal.close(true);
        drop(wal);
        self.forget_what_is_known();
        self.vfs.delete(&self.wal_path, false)?;
        self.vfs.access(&self.journal_path, Access::Exists)?;
        self.unlock(LockLevel::Shared)
    }

    /// Whether the database may be in WAL mode at all.
    pub(crate) fn can_have_wal(&self, pager: &Pager) -> bool {
        let exclusive = pager.locking_mode() == LockingMode::Exclusive;
        self.locks && (exclusive || self.file.has_shm())
    }

    /// Runs `work` on the database as if it were in rollback mode, whatever its header says.
    pub(crate) fn without_wal<T>(&self, work: impl FnOnce() -> T) -> T {
        self.ignores_wal.set(true);
        let done = work();
        self.ignores_wal.set(false);
        done
    }

    /// Whether the log has nothing left that the database lacks.
    fn checkpoint_to_close(&self, pager: &Pager, wal: &Wal) -> bool {
        let interrupted = pager.interrupt_flag();
        let work = self.checkpointer(pager, CheckpointMode::Passive, &interrupted, &|attempt| attempt());
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
}
