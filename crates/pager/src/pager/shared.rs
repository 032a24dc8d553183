//! What connections of a shared cache see of each other: the pager's part. Without a shared cache, each of these functions does
//! nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lithe_format::wal_index::IndexHeader;
use lithe_vfs::LockLevel;

use super::{Pager, State};
use crate::error::Result;
use crate::file_store::FileStore;
use crate::shared_cache::{ACTIVE, Found, IDLE, Lent, PAUSED, SharedCache, wait_while};
use crate::wal::Wal;

impl Pager {
    /// Joins a shared cache: connections of the same cache may read what this one has not committed.
    pub fn join_cache(&self, cache: &Arc<SharedCache>) {
        if self.member.join(cache, self.file_store()) {
            self.txn.lend_to(cache);
        }
    }

    /// Leaves the cache when the connection is closed.
    pub(super) fn leave_cache(&self) {
        self.ignore_uncommitted();
        self.let_readers_resume();
        self.member.leave();
    }

    // ---- what is not committed: the writer ----

    /// Lends the transaction to other connections of the cache at the end of a statement's step, until the next step: to those that are there,
    /// and to those that are opened meanwhile.
    pub fn lend_uncommitted(&self) {
        self.debug_assert_state();
        let (Some(cache), Some(file)) = (self.member.cache(), self.file_store()) else { return };
        if self.state.get() != State::Writing || self.txn.is_lent() || !self.can_lend() {
            return;
        }
        let frames = if file.is_wal() { file.with_wal(Wal::spilled_frames) } else { (0, 0) };
        let base = self.view.id.get();
        let lent = Lent { base, page_size: self.page_size(), page_count: self.page_count(), frames };
        self.member.lend(cache, &self.txn, lent, file);
    }

    fn can_lend(&self) -> bool {
        let txn = self.txn.borrow();
        let is_plain = txn.shape_before.is_none() && !txn.spill.overwrites && !self.concurrent.is_active();
        drop(txn);
        is_plain && self.failure.borrow().is_none() && (self.member.was_lent() || self.has_changes())
    }

    /// Records that a write transaction begins.
    pub(super) fn note_begin(&self) {
        if self.member.cache().is_some() {
            self.drop_overlay();
            self.member.note_begin(self.log_header());
        }
    }

    /// Records that the write transaction has ended.
    pub(super) fn note_end(&self, committed: bool) {
        let Some(cache) = self.member.cache() else { return };
        self.let_readers_resume();
        self.member.note_end(cache, committed, self.log_header());
    }

    fn log_header(&self) -> Option<IndexHeader> {
        let file = self.file_store().filter(|file| file.is_wal())?;
        Some(file.with_wal(Wal::snapshot_header))
    }

    // ---- what is not committed: the reader ----

    /// Lays what another connection of the cache has changed and not committed over the snapshot that is held. A statement that
    /// begins always checks (`anew`); a running one is spared that if nothing has happened since.
    pub fn see_uncommitted(&self, anew: bool) -> Result<()> {
        self.debug_assert_state();
        let (Some(cache), Some(file)) = (self.member.cache(), self.file_store()) else { return Ok(()) };
        if self.state.get() != State::Reading {
            return Ok(());
        }
        match self.member.look_for_overlay(cache, file, self.page_size(), &self.view.id.get(), anew)? {
            Found::AsBefore => {}
            Found::Nothing => self.drop_overlay(),
            Found::Overlay(overlay) => {
                let page_count = self.member.put_overlay(overlay, (self.page_count(), self.view.direct.get()));
                self.view.page_count.set(page_count);
                self.disable_direct_reads();
                self.changes.bump_for_others();
            }
        }
        Ok(())
    }

    /// Stops reading what is not committed.
    pub fn ignore_uncommitted(&self) {
        self.debug_assert_state();
        if self.member.stop_reading_uncommitted() {
            self.drop_overlay();
        }
    }

    /// Reads the snapshot itself again.
    pub(super) fn drop_overlay(&self) {
        if let Some((page_count, direct)) = self.member.drop_overlay() {
            self.view.page_count.set(page_count);
            self.view.direct.set(direct);
            self.changes.bump_for_others();
        }
    }

    /// Moves the snapshot to what connections of the same cache have committed to the log since this one began to read, as if
    /// all had one snapshot: locks on tables keep what it has read unchanged. It does not move past a commit of a connection
    /// outside the cache.
    pub fn follow_cache(&self) -> Result<()> {
        self.debug_assert_state();
        let (Some(cache), Some(file)) = (self.member.cache(), self.file_store()) else { return Ok(()) };
        if self.state.get() != State::Reading || !file.is_wal() {
            return Ok(());
        }
        let is_published = |newest: &IndexHeader| file.with_wal(|wal| wal.is_published(newest));
        let now = file.with_wal(Wal::snapshot_header);
        let Some(newest) = self.member.newest_to_follow(cache, &now, is_published) else { return Ok(()) };
        self.drop_overlay();
        self.adopt(file, file.advance_to(self.view.shape(), newest))?;
        self.changes.bump_for_others();
        Ok(())
    }

    // ---- commits through a rollback journal beside readers of the same cache ----

    /// Sets whether the write transaction moves no pages of tables that other connections read: then its commit need not wait
    /// for the read transactions of the same cache.
    pub fn set_commits_beside_readers(&self, beside: bool) {
        self.member.commits_beside.set(beside);
    }

    /// Waits for a commit of the same cache. Called before a read transaction begins.
    pub(super) fn wait_for_commit(&self) -> Result<()> {
        let (Some((readers, _)), Some(file)) = (self.member.reader_states(), self.file_store()) else { return Ok(()) };
        self.member.commits_seen.set(readers.commits.load(Ordering::SeqCst));
        wait_while(&*file.vfs, &|| readers.is_closed.load(Ordering::SeqCst))
    }

    /// Whether a commit of the same cache waits for readers of other caches, and lets no new ones in.
    pub(super) fn commit_waits_for_readers(&self) -> bool {
        self.member.reader_states().is_some_and(|(readers, _)| readers.is_pending.load(Ordering::SeqCst))
    }

    /// Records that this connection has begun to read.
    pub(super) fn note_read_begin(&self) {
        let Some((_, own)) = self.member.reader_states() else { return };
        // Commits to a log do not wait for readers.
        if self.file_store().is_some_and(|file| !file.is_wal()) {
            self.member.is_known_reader.set(true);
            own.begin(ACTIVE);
        }
    }

    /// Records that this connection has ended its read transaction.
    pub(super) fn note_read_end(&self) {
        if self.member.is_known_reader.take()
            && let Some((_, own)) = self.member.reader_states()
        {
            self.member.has_paused.set(false);
            own.end(IDLE);
        }
    }

    /// Pauses the read transaction until the next step. Pages that are still borrowed belong to locked tables, so a
    /// commit of another connection of the same cache need not wait.
    pub fn pause(&self) {
        self.debug_assert_state();
        let (Some((_, own)), Some(file)) = (self.member.reader_states(), self.file_store()) else { return };
        let may_pause = self.state.get() == State::Reading && !file.is_wal() && !self.settings.keeps_locks();
        if may_pause && self.failure.borrow().is_none() && own.swap(ACTIVE, PAUSED) {
            self.member.has_paused.set(true);
        }
    }

    /// Whether reading has paused: [`Pager::resume`] comes before anything is read.
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.member.has_paused.get()
    }

    /// Resumes a paused read transaction, and adopts what other connections of the cache have committed meanwhile.
    #[inline]
    pub fn resume(&self) -> Result<()> {
        if self.is_paused() { self.resume_reading() } else { Ok(()) }
    }

    #[inline(never)]
    fn resume_reading(&self) -> Result<()> {
        self.debug_assert_state();
        let (Some((readers, own)), Some(file)) = (self.member.reader_states(), self.file_store()) else {
            return Ok(());
        };
        own.note_thread();
        wait_while(&*file.vfs, &|| readers.is_closed.load(Ordering::SeqCst) || !own.swap(PAUSED, ACTIVE))?;
        let commits = readers.commits.load(Ordering::SeqCst);
        if self.member.commits_seen.get() != commits {
            let looked = self.adopt_commits(file);
            if looked.is_err() {
                own.swap(ACTIVE, PAUSED);
                return looked;
            }
            self.member.commits_seen.set(commits);
        }
        self.member.has_paused.set(false);
        Ok(())
    }

    fn adopt_commits(&self, file: &FileStore) -> Result<()> {
        let Some((readers, _)) = self.member.reader_states() else { return Ok(()) };
        self.drop_overlay();
        if readers.is_broken.load(Ordering::SeqCst) {
            file.roll_back_hot_journal()?;
            readers.is_broken.store(false, Ordering::SeqCst);
        }
        self.adopt(file, file.read_state(self.view.shape()))
    }

    /// Marks that a commit could neither be made nor undone: the next reader of the cache has to play its journal back.
    pub(super) fn mark_for_recovery(&self) {
        if let Some((readers, _)) = self.member.reader_states() {
            readers.is_broken.store(true, Ordering::SeqCst);
        }
    }

    /// Lets connections of the same cache read again.
    pub(super) fn let_readers_resume(&self) {
        let Some((readers, _)) = self.member.reader_states() else { return };
        if self.member.is_pending.take() {
            readers.is_pending.store(false, Ordering::SeqCst);
        }
        if self.member.has_closed.take() {
            readers.commits.fetch_add(1, Ordering::SeqCst);
            readers.open();
        }
    }

    /// Takes the lock that writing into the file needs. It excludes connections of other caches, and those of the same cache that
    /// have not paused.
    pub(super) fn lock_file_to_commit(&self, file: &FileStore) -> Result<()> {
        let beside = self.member.commits_beside.get() && !self.settings.keeps_locks();
        let is_needed = beside && file.level.get() < LockLevel::Exclusive;
        let Some((readers, own)) = self.member.reader_states().filter(|_| is_needed) else {
            return file.lock(LockLevel::Exclusive);
        };
        // The flag is set before anything else can panic: then the end of the transaction lets the readers resume.
        self.member.has_closed.set(true);
        readers.is_closed.store(true, Ordering::SeqCst);
        let locked = readers.lock_beside(own, file);
        self.member.is_pending.set(locked.is_err());
        readers.is_pending.store(locked.is_err(), Ordering::SeqCst);
        if locked.is_err() {
            self.member.has_closed.set(false);
            readers.open();
        }
        locked
    }
}
