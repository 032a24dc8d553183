//! What a transaction has changed and not committed, for connections of the same shared cache that want to see it
//! (`PRAGMA read_uncommitted`).
//!
//! ```text
//!   writer    | statement | lends its transaction   | takes it back: statement | lends it ...
//!   cache                 . the transaction         .                          . the transaction
//!                         . draft: its pages                                   . newer draft
//!   reader                    | reads the draft, laid over its own snapshot     | reads ...
//! ```
//!
//! A draft is made where somebody wants it: by a reader, of the transaction as it was lent, or as soon as it is lent if
//! readers are known. It shares the buffers of the dirty set, which the writer copies before it changes them, so that a
//! reader has a consistent picture, as of the end of one of the writer's steps, for as long as it likes. Where nobody reads
//! what is not committed, a writer that is not alone in its cache pays for lending and nothing else; and nobody else pays.
//!
//! A draft holds for the snapshot that the transaction began with. Who reads has to have the same one: a connection of a shared
//! cache goes on to what others of the cache have committed ([`Pager::follow_cache`]), as if all had one snapshot.
//!
//! | module | subject |
//! | --- | --- |
//! | `own` | the transaction, in the hands of its connection or lent |
//! | `draft` | making and reading drafts |
//! | `seat` | commits through a rollback journal beside readers of the same cache |

mod draft;
mod own;
mod seat;

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use lithe_format::wal_index::IndexHeader;
use lithe_format::{PageNo, PageSize};

use self::draft::{Draft, Maker};
pub(crate) use self::own::OwnTxn;
use self::seat::{Seat, Seats};
use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::in_place::InPlace;
use crate::page_ref::PageRef;
use crate::pager::{Pager, State, Store, WriteTxn};
use crate::wal::Wal;

/// What tells a committed state of the database from others, among connections that hold one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Snapshot {
    /// Counter of changes and size.
    Log([u32; 2]),
    /// Counter of changes, size, freelist.
    File([u32; 4]),
}

/// What the connections of one shared cache know of each other's transactions.
#[derive(Debug, Default)]
pub struct Uncommitted {
    lot: Mutex<Lot>,
    /// How many connections there are.
    company: AtomicUsize,
    /// Changes when there may be another draft.
    version: AtomicU64,
    /// Counts the commits that others can go on to.
    commits: AtomicU64,
    seats: Seats,
}

/// Where a transaction is lent to.
#[derive(Debug, Default)]
struct Lot {
    /// The transaction, or an empty one.
    txn: WriteTxn,
    /// It is here.
    loan: Option<Loan>,
    draft: Option<Arc<Draft>>,
    maker: Maker,
    /// The snapshot of a transaction that was rolled back, until another one is lent.
    undone: Option<Snapshot>,
    /// How many connections read what is not committed.
    readers: usize,
    /// The commits of this cache to a log, one after the other, since somebody else has made one.
    commits: Option<Commits>,
}

/// States of a log, each of which was made of the one before, with the next number of changes.
#[derive(Clone, Copy, Debug)]
struct Commits {
    /// The number of the first.
    first: u32,
    newest: IndexHeader,
}

/// What else is to be known of a transaction that is lent.
#[derive(Clone, Copy, Debug)]
struct Loan {
    base: Snapshot,
    page_size: PageSize,
    page_count: u32,
    /// The last frame of the log that is not of this transaction, and the last that is.
    frames: (u32, u32),
}

impl Uncommitted {
    fn lot(&self) -> MutexGuard<'_, Lot> {
        self.lot.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn has_company(&self) -> bool {
        self.company.load(Ordering::Relaxed) > 1
    }

    fn has_changed(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }
}

impl Lot {
    fn forget_draft(&mut self) {
        self.draft = None;
        self.maker = Maker::default();
    }

    /// `after` was made of `before`.
    fn note_commit(&mut self, before: &IndexHeader, after: IndexHeader) {
        let known = self.commits.as_ref().filter(|commits| commits.newest == *before);
        let first = known.map_or(before.changes, |commits| commits.first);
        // A concurrent transaction may have gone on from what others have committed since it began.
        let is_next = after.changes == before.changes.wrapping_add(1);
        self.commits = is_next.then_some(Commits { first, newest: after });
    }

    /// The newest state that was made of `snapshot`, if that is another one.
    fn newest_of(&self, snapshot: &IndexHeader) -> Option<IndexHeader> {
        let Commits { first, newest } = self.commits?;
        let is_older = snapshot.changes.wrapping_sub(first) < newest.changes.wrapping_sub(first);
        is_older.then_some(newest)
    }
}

fn snapshot_of(header: &IndexHeader) -> Snapshot {
    Snapshot::Log([header.changes, header.page_count])
}

/// One connection's part.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    cache: OnceCell<Arc<Uncommitted>>,
    /// What is laid over the snapshot.
    draft: RefCell<Option<Arc<Draft>>>,
    has_draft: Cell<bool>,
    /// Size of the database, and of the part that is read directly, without it.
    beneath: Cell<(u32, u32)>,
    /// The version that was looked at last.
    seen: Cell<u64>,
    /// The number of commits when this connection last went on.
    followed: Cell<u64>,
    is_reader: Cell<bool>,
    /// The transaction was lent.
    was_lent: Cell<bool>,
    /// The state of the log that the write transaction began with.
    before: Cell<Option<IndexHeader>>,
    seat: OnceCell<Arc<Seat>>,
    is_seated: Cell<bool>,
    is_resting: Cell<bool>,
    /// The number of commits through a rollback journal when this connection last looked at the file.
    looked_at: Cell<u64>,
    /// A commit keeps the others of the cache from reading.
    has_closed: Cell<bool>,
    commits_beside: Cell<bool>,
    /// A commit has found readers of other caches in its way.
    is_pending: Cell<bool>,
}

impl Pager {
    /// Lets connections of the same shared cache see what is not committed, if they want to.
    pub fn share_uncommitted(&self, cache: &Arc<Uncommitted>) {
        if self.sharing.cache.set(Arc::clone(cache)).is_ok() {
            self.txn.lend_to(cache);
            cache.company.fetch_add(1, Ordering::Relaxed);
            if let Store::File(file) = &self.store {
                let _ = self.sharing.seat.set(cache.seats.join(&file.file));
            }
        }
    }

    /// The connection is closed.
    pub(crate) fn leave_cache(&self) {
        self.ignore_uncommitted();
        self.let_others_go_on();
        if let Some(cache) = self.sharing.cache.get() {
            if let Some(seat) = self.sharing.seat.get() {
                cache.seats.leave(seat);
            }
            cache.company.fetch_sub(1, Ordering::Relaxed);
        }
    }

    // ---- the writer ----

    /// A step of a statement has ended: others may look at the transaction until the next one.
    pub fn lend_uncommitted(&self) {
        let Some(cache) = self.sharing.cache.get() else { return };
        if self.state.get() != State::Writing || !cache.has_company() || self.txn.is_lent() || !self.can_lend() {
            return;
        }
        let Some(loan) = self.loan() else { return };
        let lot = &mut *cache.lot();
        self.txn.put_into(&mut lot.txn);
        lot.loan = Some(loan);
        lot.undone = None;
        self.sharing.was_lent.set(true);
        if lot.readers > usize::from(self.sharing.is_reader.get()) {
            // Whoever reads makes it then, and reports what goes wrong.
            let _ = self.make_draft(lot, loan.base);
            cache.has_changed();
        }
    }

    fn can_lend(&self) -> bool {
        let txn = self.txn.borrow();
        let is_plain = txn.shape_before.is_none() && txn.in_place != InPlace::Done && !self.concurrent.is_active();
        drop(txn);
        is_plain && self.failure.borrow().is_none() && (self.sharing.was_lent.get() || self.has_changes())
    }

    fn loan(&self) -> Option<Loan> {
        let Store::File(file) = &self.store else { return None };
        let frames = if file.is_wal() { file.with_wal(Wal::spilled_frames) } else { (0, 0) };
        Some(Loan { base: file.snapshot(), page_size: self.page_size(), page_count: self.page_count(), frames })
    }

    /// A write transaction begins.
    pub(crate) fn note_begin(&self) {
        if self.sharing.cache.get().is_some() {
            self.lay_nothing_over();
            self.sharing.before.set(self.log_header());
        }
    }

    /// The write transaction has ended.
    pub(crate) fn note_end(&self, committed: bool) {
        let Some(cache) = self.sharing.cache.get() else { return };
        self.let_others_go_on();
        self.sharing.commits_beside.set(false);
        let before = self.sharing.before.take();
        let was_lent = self.sharing.was_lent.take();
        let has_followers = committed && cache.has_company();
        if !was_lent && !has_followers {
            return;
        }
        let lot = &mut *cache.lot();
        if was_lent {
            lot.undone = lot.draft.as_ref().filter(|_| !committed).map(|draft| draft.base);
            lot.forget_draft();
            cache.has_changed();
        }
        if let (true, Some(before), Some(after)) = (has_followers, before, self.log_header())
            && before.changes != after.changes
        {
            lot.note_commit(&before, after);
            cache.commits.fetch_add(1, Ordering::Release);
        }
    }

    fn log_header(&self) -> Option<IndexHeader> {
        match &self.store {
            Store::File(file) if file.is_wal() => Some(file.with_wal(Wal::snapshot_header)),
            _ => None,
        }
    }

    // ---- the reader ----

    /// Lays what another connection of the cache has changed and not committed over the snapshot that is held. A statement that
    /// begins has to look (`anew`); one that goes on is spared that if nothing has happened since.
    pub fn see_uncommitted(&self, anew: bool) -> Result<()> {
        let Some(cache) = self.sharing.cache.get() else { return Ok(()) };
        let version = cache.version.load(Ordering::Acquire);
        let is_seen = self.sharing.seen.get() == version && self.sharing.is_reader.get();
        if self.state.get() != State::Reading || (is_seen && !anew) {
            return Ok(());
        }
        let Some(mine) = self.snapshot() else { return Ok(()) };
        let (draft, is_undone) = {
            let lot = &mut *cache.lot();
            if !self.sharing.is_reader.replace(true) {
                lot.readers += 1;
            }
            self.make_draft(lot, mine)?;
            (lot.draft.clone(), lot.undone == Some(mine))
        };
        self.sharing.seen.set(version);
        match draft.filter(|draft| draft.base == mine && draft.page_size == self.page_size()) {
            Some(draft) => self.lay_over(draft),
            None if is_undone => self.lay_nothing_over(),
            // Of a transaction that has been committed: it stays true.
            None => {}
        }
        Ok(())
    }

    /// What is not committed is not to be seen any more.
    pub fn ignore_uncommitted(&self) {
        if let Some(cache) = self.sharing.cache.get()
            && self.sharing.is_reader.take()
        {
            cache.lot().readers -= 1;
            self.lay_nothing_over();
        }
    }

    fn lay_over(&self, draft: Arc<Draft>) {
        let sharing = &self.sharing;
        if sharing.draft.borrow().as_ref().is_some_and(|known| Arc::ptr_eq(known, &draft)) {
            return;
        }
        if !sharing.has_draft.replace(true) {
            sharing.beneath.set((self.page_count(), self.view.direct.get()));
        }
        self.view.page_count.set(draft.page_count);
        sharing.draft.replace(Some(draft));
        self.look_twice();
        self.bump_write_version();
    }

    /// The snapshot is read as it is.
    pub(crate) fn lay_nothing_over(&self) {
        if self.sharing.has_draft.take() {
            self.sharing.draft.take();
            let (page_count, direct) = self.sharing.beneath.get();
            self.view.page_count.set(page_count);
            self.view.direct.set(direct);
            self.bump_write_version();
        }
    }

    #[inline]
    pub(crate) fn has_draft(&self) -> bool {
        self.sharing.has_draft.get()
    }

    /// A page of what is laid over the snapshot.
    #[cold]
    pub(crate) fn drafted_page(&self, no: PageNo) -> Result<Option<PageRef>> {
        let draft = self.sharing.draft.borrow();
        let page = draft.as_ref().map_or(Ok(None), |draft| draft.page(no))?;
        if page.is_none() && no.get() > self.sharing.beneath.get().0 {
            return Err(Error::corrupt_page(no, "page number beyond the end of the database"));
        }
        Ok(page)
    }

    /// Whether `page` is the version of page `no` that is laid over the snapshot; `None`: none is.
    pub(crate) fn is_drafted(&self, no: PageNo, page: &PageRef) -> Option<bool> {
        self.sharing.draft.borrow().as_ref()?.is_version(no, page)
    }

    fn snapshot(&self) -> Option<Snapshot> {
        match &self.store {
            Store::File(file) => Some(file.snapshot()),
            Store::Memory(_) => None,
        }
    }

    /// Goes on to what connections of the same cache have committed since this one began to read, as if all had one
    /// snapshot: locks on tables keep what it has read as it was. Not past what anybody else has committed.
    pub fn follow_cache(&self) -> Result<()> {
        let Some(cache) = self.sharing.cache.get() else { return Ok(()) };
        let commits = cache.commits.load(Ordering::Acquire);
        let is_newest = self.sharing.followed.get() == commits;
        let Store::File(file) = &self.store else { return Ok(()) };
        if is_newest || self.state.get() != State::Reading || !file.is_wal() {
            return Ok(());
        }
        let newest = cache.lot().newest_of(&file.with_wal(Wal::snapshot_header));
        let Some(newest) = newest else {
            self.sharing.followed.set(commits);
            return Ok(());
        };
        if !file.with_wal(|wal| wal.is_published(&newest)) {
            // Somebody else has committed since, or one of this cache just now, who will tell.
            return Ok(());
        }
        self.sharing.followed.set(commits);
        self.lay_nothing_over();
        file.go_on_to(self, newest)
    }
}

impl FileStore {
    fn snapshot(&self) -> Snapshot {
        match self.is_wal() {
            true => snapshot_of(&self.with_wal(Wal::snapshot_header)),
            false => Snapshot::File(self.fingerprint_words()),
        }
    }
}
