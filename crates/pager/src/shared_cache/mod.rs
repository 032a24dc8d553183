//! What connections of one shared cache see of each other's transactions: pages that are not committed (`PRAGMA
//! read_uncommitted`), and commits beside readers of the same cache. A connection without a shared cache uses none of
//! it.
//!
//! ```text
//!   writer    | statement | lends its transaction   | takes it back: statement | lends it ...
//!   cache                 . the transaction         .                          . the transaction
//!                         . overlay: its pages                                 . newer overlay
//!   reader                    | reads the overlay above its own snapshot  | reads ...
//! ```
//!
//! A reader makes an overlay when it needs one, from the transaction as it was lent; or the writer makes it when it lends the
//! transaction, if there are readers. The overlay shares the buffers of the dirty set, which the writer copies before it changes
//! them. So a reader has a consistent state, as of the end of one of the writer's steps, for as long as it reads. If no connection
//! reads what is not committed, a writer with other connections in its cache only pays for lending.
//!
//! An overlay is valid for the snapshot that the transaction began with, and a reader must read the same one: a connection of a
//! shared cache moves to what other connections of the cache have committed ([`crate::Pager::follow_cache`]), as if all had one
//! snapshot.
//!
//! | module | subject |
//! | --- | --- |
//! | `lent` | a transaction that its connection has, or has lent |
//! | `overlay` | making and reading overlays |
//! | `readers` | commits through a rollback journal beside readers of the same cache |

mod lent;
mod overlay;
mod readers;

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use lithe_format::wal_index::IndexHeader;
use lithe_format::{PageNo, PageSize};

pub(crate) use self::lent::OwnTxn;
use self::overlay::{Maker, Overlay};
pub(crate) use self::readers::{ACTIVE, IDLE, PAUSED, ReaderState, Readers, wait_while};
use crate::error::{Error, Result};
use crate::file_store::FileStore;
use crate::page_ref::PageRef;
use crate::snapshot::SnapshotId;
use crate::write_txn::WriteTxn;

/// The state that the connections of one shared cache share.
#[derive(Debug, Default)]
pub struct SharedCache {
    slot: Mutex<Slot>,
    /// How many connections the cache has.
    connections: AtomicUsize,
    /// Incremented when there may be a new overlay.
    version: AtomicU64,
    /// Counts the commits that other connections can move to.
    commits: AtomicU64,
    pub(crate) readers: Readers,
}

/// The place of a transaction that is lent.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// The lent transaction, or an empty one.
    txn: WriteTxn,
    /// The parameters of the lent transaction; `None`: none is lent.
    lent: Option<Lent>,
    overlay: Option<Arc<Overlay>>,
    maker: Maker,
    /// The snapshot of a transaction that was rolled back, until another one is lent.
    undone: Option<SnapshotId>,
    /// How many connections read what is not committed.
    readers: usize,
    /// The consecutive commits of this cache to a log since a connection outside the cache has made one.
    commits: Option<Commits>,
}

/// Consecutive snapshots of a log: each was made from the one before, with the next number of changes.
#[derive(Clone, Copy, Debug)]
struct Commits {
    /// The number of changes of the first.
    first: u32,
    newest: IndexHeader,
}

/// The parameters of a transaction that is lent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent {
    /// The snapshot that the transaction began with.
    pub(crate) base: SnapshotId,
    pub(crate) page_size: PageSize,
    pub(crate) page_count: u32,
    /// The last frame of the log before this transaction's, and the last of this transaction.
    pub(crate) frames: (u32, u32),
}

impl SharedCache {
    pub(crate) fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn has_others(&self) -> bool {
        self.connections.load(Ordering::Relaxed) > 1
    }

    fn note_change(&self) {
        self.version.fetch_add(1, Ordering::Release);
    }
}

impl Slot {
    fn forget_overlay(&mut self) {
        self.overlay = None;
        self.maker = Maker::default();
    }

    /// Records that the snapshot `after` was made from `before`.
    fn note_commit(&mut self, before: &IndexHeader, after: IndexHeader) {
        let known = self.commits.as_ref().filter(|commits| commits.newest == *before);
        let first = known.map_or(before.changes, |commits| commits.first);
        // A concurrent transaction may have been built on commits of other connections since it began.
        let is_next = after.changes == before.changes.wrapping_add(1);
        self.commits = is_next.then_some(Commits { first, newest: after });
    }

    /// The newest snapshot that was made from `snapshot`, if it is another one.
    fn newest_of(&self, snapshot: &IndexHeader) -> Option<IndexHeader> {
        let Commits { first, newest } = self.commits?;
        let is_older = snapshot.changes.wrapping_sub(first) < newest.changes.wrapping_sub(first);
        is_older.then_some(newest)
    }
}

/// One connection's part of a shared cache.
#[derive(Debug, Default)]
pub(crate) struct Member {
    cache: OnceCell<Arc<SharedCache>>,
    own: OnceCell<Arc<ReaderState>>,
    /// The overlay that is laid over the snapshot.
    overlay: RefCell<Option<Arc<Overlay>>>,
    has_overlay: Cell<bool>,
    /// The page count and the number of pages read directly, without the overlay.
    beneath: Cell<(u32, u32)>,
    /// The cache's version when this connection last checked.
    seen: Cell<u64>,
    /// The number of commits when this connection last moved its snapshot.
    followed: Cell<u64>,
    is_reader: Cell<bool>,
    /// The transaction was lent.
    was_lent: Cell<bool>,
    /// The newest snapshot of the log when the write transaction began.
    before: Cell<Option<IndexHeader>>,
    /// This connection's reader state says that it reads.
    pub(crate) is_known_reader: Cell<bool>,
    pub(crate) has_paused: Cell<bool>,
    /// The number of commits through a rollback journal when this connection last read the state of the file.
    pub(crate) commits_seen: Cell<u64>,
    /// A commit of this connection keeps the other connections of the cache from reading.
    pub(crate) has_closed: Cell<bool>,
    pub(crate) commits_beside: Cell<bool>,
    /// A commit of this connection waits for readers of other caches.
    pub(crate) is_pending: Cell<bool>,
}

impl Member {
    /// The shared cache, if this connection is in one.
    #[inline]
    pub(crate) fn cache(&self) -> Option<&Arc<SharedCache>> {
        self.cache.get()
    }

    /// All reader states of the cache, and that of this connection.
    pub(crate) fn reader_states(&self) -> Option<(&Readers, &Arc<ReaderState>)> {
        Some((&self.cache.get()?.readers, self.own.get()?))
    }

    /// Joins a cache for the connection's lifetime; `false`: it has joined one before.
    pub(crate) fn join(&self, cache: &Arc<SharedCache>, file: Option<&FileStore>) -> bool {
        if self.cache.set(Arc::clone(cache)).is_err() {
            return false;
        }
        cache.connections.fetch_add(1, Ordering::Relaxed);
        if let Some(file) = file {
            let _ = self.own.set(cache.readers.join(&file.file));
        }
        true
    }

    /// Leaves the cache when the connection is closed.
    pub(crate) fn leave(&self) {
        let Some(cache) = self.cache.get() else { return };
        if let Some(own) = self.own.get() {
            cache.readers.leave(own);
        }
        cache.connections.fetch_sub(1, Ordering::Relaxed);
    }

    // ---- the writer ----

    /// Whether the transaction was lent before.
    pub(crate) fn was_lent(&self) -> bool {
        self.was_lent.get()
    }

    /// Lends the transaction, until the connection next uses it.
    pub(crate) fn lend(&self, cache: &SharedCache, txn: &OwnTxn, lent: Lent, file: &FileStore) {
        let slot = &mut *cache.slot();
        txn.put_into(&mut slot.txn);
        slot.lent = Some(lent);
        slot.undone = None;
        self.was_lent.set(true);
        if slot.readers > usize::from(self.is_reader.get()) {
            // After an error a reader makes the overlay itself, and reports the error.
            let _ = slot.make_overlay(file, lent.page_size, lent.base);
            cache.note_change();
        }
    }

    /// Records the beginning of a write transaction.
    pub(crate) fn note_begin(&self, before: Option<IndexHeader>) {
        self.before.set(before);
    }

    /// Records the end of the write transaction. `after` is the newest snapshot of the log, if there is a log.
    pub(crate) fn note_end(&self, cache: &SharedCache, committed: bool, after: Option<IndexHeader>) {
        self.commits_beside.set(false);
        let before = self.before.take();
        let was_lent = self.was_lent.take();
        let has_followers = committed && cache.has_others();
        if !was_lent && !has_followers {
            return;
        }
        let slot = &mut *cache.slot();
        if was_lent {
            slot.undone = slot.overlay.as_ref().filter(|_| !committed).map(|overlay| overlay.base);
            slot.forget_overlay();
            cache.note_change();
        }
        if let (true, Some(before), Some(after)) = (has_followers, before, after)
            && before.changes != after.changes
        {
            slot.note_commit(&before, after);
            cache.commits.fetch_add(1, Ordering::Release);
        }
    }

    // ---- the reader ----

    /// Checks for an overlay of `snapshot`, if `anew` or if there may be a new one.
    pub(crate) fn look_for_overlay(
        &self,
        cache: &SharedCache,
        file: &FileStore,
        page_size: PageSize,
        snapshot: &SnapshotId,
        anew: bool,
    ) -> Result<Found> {
        let version = cache.version.load(Ordering::Acquire);
        if self.seen.get() == version && self.is_reader.get() && !anew {
            return Ok(Found::AsBefore);
        }
        let (overlay, is_undone) = {
            let slot = &mut *cache.slot();
            if !self.is_reader.replace(true) {
                slot.readers += 1;
            }
            slot.make_overlay(file, page_size, *snapshot)?;
            (slot.overlay.clone(), slot.undone.is_some_and(|undone| undone.has_content_of(snapshot)))
        };
        self.seen.set(version);
        let fits = |overlay: &Arc<Overlay>| overlay.base.has_content_of(snapshot) && overlay.page_size == page_size;
        Ok(match overlay.filter(fits) {
            Some(overlay) if self.has(&overlay) => Found::AsBefore,
            Some(overlay) => Found::Overlay(overlay),
            None if is_undone => Found::Nothing,
            // The overlay's transaction has committed: its content is valid.
            None => Found::AsBefore,
        })
    }

    fn has(&self, overlay: &Arc<Overlay>) -> bool {
        self.overlay.borrow().as_ref().is_some_and(|known| Arc::ptr_eq(known, overlay))
    }

    /// Stops reading what is not committed; answers whether this connection did.
    pub(crate) fn stop_reading_uncommitted(&self) -> bool {
        let Some(cache) = self.cache.get().filter(|_| self.is_reader.take()) else { return false };
        cache.slot().readers -= 1;
        true
    }

    /// Lays the overlay over the snapshot. `beneath` is the snapshot's page count, and how many of its pages are read directly. Answers
    /// how many pages the database has with the overlay.
    pub(crate) fn put_overlay(&self, overlay: Arc<Overlay>, beneath: (u32, u32)) -> u32 {
        if !self.has_overlay.replace(true) {
            self.beneath.set(beneath);
        }
        let page_count = overlay.page_count;
        self.overlay.replace(Some(overlay));
        page_count
    }

    /// Drops the overlay: answers the numbers that [`Member::put_overlay`] got.
    pub(crate) fn drop_overlay(&self) -> Option<(u32, u32)> {
        self.has_overlay.take().then(|| {
            self.overlay.take();
            self.beneath.get()
        })
    }

    #[inline]
    pub(crate) fn has_overlay(&self) -> bool {
        self.has_overlay.get()
    }

    /// A page of the overlay.
    #[cold]
    pub(crate) fn overlaid_page(&self, no: PageNo) -> Result<Option<PageRef>> {
        let overlay = self.overlay.borrow();
        let page = overlay.as_ref().map_or(Ok(None), |overlay| overlay.page(no))?;
        if page.is_none() && no.get() > self.beneath.get().0 {
            return Err(Error::corrupt_page(no, "page number beyond the end of the database"));
        }
        Ok(page)
    }

    /// Whether `page` is the version of page `no` in the overlay; `None`: the overlay does not have the page.
    pub(crate) fn is_overlaid(&self, no: PageNo, page: &PageRef) -> Option<bool> {
        self.overlay.borrow().as_ref()?.is_version(no, page)
    }

    /// The newest snapshot that connections of the cache have committed to the log since this connection, which reads `now`, last
    /// moved. `None` if a connection outside the cache has committed since, so that `is_published` fails.
    pub(crate) fn newest_to_follow(
        &self,
        cache: &SharedCache,
        now: &IndexHeader,
        is_published: impl FnOnce(&IndexHeader) -> bool,
    ) -> Option<IndexHeader> {
        let commits = cache.commits.load(Ordering::Acquire);
        if self.followed.get() == commits {
            return None;
        }
        let newest = cache.slot().newest_of(now);
        let Some(newest) = newest else {
            self.followed.set(commits);
            return None;
        };
        // If not, a connection outside the cache has committed since, or one of the cache that has not recorded its
        // commit yet.
        is_published(&newest).then(|| {
            self.followed.set(commits);
            newest
        })
    }
}

/// The result of [`Member::look_for_overlay`].
pub(crate) enum Found {
    AsBefore,
    Overlay(Arc<Overlay>),
    /// The transaction was rolled back.
    Nothing,
}
