//! What connections of one shared cache see of each other's transactions: pages that are not committed
//! (`PRAGMA read_uncommitted`), and commits beside readers of the same cache. A connection of its own meets none of it.
//!
//! ```text
//!   writer    | statement | lends its transaction   | takes it back: statement | lends it ...
//!   cache                 . the transaction         .                          . the transaction
//!                         . overlay: its pages                                 . newer overlay
//!   reader                    | reads the overlay above its own snapshot  | reads ...
//! ```
//!
//! An overlay is made where a reader wants it: by the reader, of the transaction as it was lent, or as soon as it is lent if
//! readers are known. It shares the buffers of the dirty set, which the writer copies before it changes them, so that a
//! reader has a consistent picture, as of the end of one of the writer's steps, for as long as it likes. Where no connection reads
//! what is not committed, a writer that is not alone in its cache pays for lending and nothing else.
//!
//! An overlay holds for the snapshot that the transaction began with, and a reader has to have the same one: a connection of a shared
//! cache goes on to what others of the cache have committed ([`crate::Pager::follow_cache`]), as if all had one snapshot.
//!
//! | module | subject |
//! | --- | --- |
//! | `lent` | the transaction, in the hands of its connection or lent |
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

/// What the connections of one shared cache know of each other's transactions.
#[derive(Debug, Default)]
pub struct SharedCache {
    slot: Mutex<Slot>,
    /// How many connections there are.
    connections: AtomicUsize,
    /// Changes when there may be another overlay.
    version: AtomicU64,
    /// Counts the commits that others can go on to.
    commits: AtomicU64,
    pub(crate) readers: Readers,
}

/// Where a transaction is lent to.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// The transaction, or an empty one.
    txn: WriteTxn,
    /// It is here.
    lent: Option<Lent>,
    overlay: Option<Arc<Overlay>>,
    maker: Maker,
    /// The snapshot of a transaction that was rolled back, until another one is lent.
    undone: Option<SnapshotId>,
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
pub(crate) struct Lent {
    /// The snapshot that it began with.
    pub(crate) base: SnapshotId,
    pub(crate) page_size: PageSize,
    pub(crate) page_count: u32,
    /// The last frame of the log that is not of this transaction, and the last that is.
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

/// One connection's part.
#[derive(Debug, Default)]
pub(crate) struct Member {
    cache: OnceCell<Arc<SharedCache>>,
    own: OnceCell<Arc<ReaderState>>,
    /// What is above the snapshot.
    overlay: RefCell<Option<Arc<Overlay>>>,
    has_overlay: Cell<bool>,
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
    /// Others of the cache see in its reader state that this connection reads.
    pub(crate) is_known_reader: Cell<bool>,
    pub(crate) has_paused: Cell<bool>,
    /// The number of commits through a rollback journal when this connection last looked at the file.
    pub(crate) looked_at: Cell<u64>,
    /// A commit keeps the others of the cache from reading.
    pub(crate) has_closed: Cell<bool>,
    pub(crate) commits_beside: Cell<bool>,
    /// A commit has found readers of other caches in its way.
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

    /// Joins a cache, once and for all; `false`: it is in one.
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

    /// The connection is closed.
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

    /// Lends the transaction, until it is next used.
    pub(crate) fn lend(&self, cache: &SharedCache, txn: &OwnTxn, lent: Lent, file: &FileStore) {
        let slot = &mut *cache.slot();
        txn.put_into(&mut slot.txn);
        slot.lent = Some(lent);
        slot.undone = None;
        self.was_lent.set(true);
        if slot.readers > usize::from(self.is_reader.get()) {
            // A reader makes it then, and reports what goes wrong.
            let _ = slot.make_overlay(file, lent.page_size, lent.base);
            cache.note_change();
        }
    }

    /// A write transaction begins.
    pub(crate) fn note_begin(&self, before: Option<IndexHeader>) {
        self.before.set(before);
    }

    /// The write transaction has ended. `after` is the newest state of the log, if there is one.
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

    /// Looks for an overlay above `snapshot`, if `anew` or if there may be another one.
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
            // Of a transaction that has been committed: it stays true.
            None => Found::AsBefore,
        })
    }

    fn has(&self, overlay: &Arc<Overlay>) -> bool {
        self.overlay.borrow().as_ref().is_some_and(|known| Arc::ptr_eq(known, overlay))
    }

    /// What is not committed is not to be seen any more; answers whether it was.
    pub(crate) fn stop_reading_uncommitted(&self) -> bool {
        let Some(cache) = self.cache.get().filter(|_| self.is_reader.take()) else { return false };
        cache.slot().readers -= 1;
        true
    }

    /// The overlay is read from now on, above a snapshot with so many pages, and so many that are read directly. Answers how many pages
    /// there are with it.
    pub(crate) fn put_overlay(&self, overlay: Arc<Overlay>, beneath: (u32, u32)) -> u32 {
        if !self.has_overlay.replace(true) {
            self.beneath.set(beneath);
        }
        let page_count = overlay.page_count;
        self.overlay.replace(Some(overlay));
        page_count
    }

    /// The snapshot is read as it is: answers what [`Member::put_overlay`] was told of it.
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

    /// Whether `page` is the version of page `no` in the overlay; `None`: it has none.
    pub(crate) fn is_overlaid(&self, no: PageNo, page: &PageRef) -> Option<bool> {
        self.overlay.borrow().as_ref()?.is_version(no, page)
    }

    /// What connections of the cache have committed to the log since this one, which reads `now`, has last gone on; not past what
    /// others have committed, which `is_published` says.
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
        // If not, somebody else has committed since, or one of this cache just now, who will tell.
        is_published(&newest).then(|| {
            self.followed.set(commits);
            newest
        })
    }
}

/// What a look for an overlay has found.
pub(crate) enum Found {
    AsBefore,
    Overlay(Arc<Overlay>),
    /// The transaction was rolled back.
    Nothing,
}
