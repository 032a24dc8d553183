//! The buffer pool of a database: pages that were read from a file that is not mapped, shared by all
//! connections of the process.
//!
//! The pool holds pages of one snapshot, the newest that a connection has adopted. Connections that read another
//! snapshot do not use the pool. A commit of this process moves the pool to the new snapshot, without the pages that it
//! changed; a commit of another process empties the pool, shard by shard, when a page of the new snapshot is inserted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use lithe_format::PageNo;

use crate::dirty::{PageHashes, zeros};
use crate::error::Result;
use crate::page_ref::PageRef;
use crate::snapshot::SnapshotId;

/// The number of shards, so that threads that read different pages seldom contend for a lock.
const SHARDS: usize = 8;

/// Pages that were read.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    newest: Mutex<SnapshotId>,
    shards: [Mutex<Shard>; SHARDS],
    pages_max: AtomicUsize,
    used: AtomicBool,
}

/// Pages that a commit has written, by number.
pub(crate) type Written = Vec<(PageNo, Arc<[u8]>)>;

/// Which pages a commit has changed.
#[derive(Debug)]
pub(crate) enum Changes {
    Pages(Vec<PageNo>),
    /// The numbers are not known.
    Unknown,
}

impl Changes {
    pub(crate) fn are_unknown(&self) -> bool {
        matches!(self, Changes::Unknown)
    }
}

#[derive(Debug, Default)]
struct Shard {
    /// The snapshot that the pages belong to; `Unknown`: the shard has no pages.
    snapshot: SnapshotId,
    pages: Vec<Cached>,
    index: HashMap<PageNo, usize, PageHashes>,
    /// The clock's hand, which finds a page to evict.
    hand: usize,
}

#[derive(Debug)]
struct Cached {
    no: PageNo,
    bytes: Arc<[u8]>,
    /// The page was used since the hand last passed.
    used: bool,
}

impl Pool {
    /// How many pages are here.
    pub(crate) fn len(&self) -> usize {
        if self.is_unused() { 0 } else { self.shards.iter().map(|shard| guard(shard).pages.len()).sum() }
    }

    /// Whether the pool has never had a page.
    pub(crate) fn is_unused(&self) -> bool {
        !self.used.load(Ordering::Relaxed)
    }

    /// Sets how many pages the pool may have.
    pub(crate) fn set_size(&self, pages: usize) {
        self.pages_max.store(pages, Ordering::Relaxed);
    }

    /// Makes `snapshot`, which a connection has adopted, the newest.
    pub(crate) fn adopt(&self, snapshot: &SnapshotId) {
        *guard(&self.newest) = *snapshot;
    }

    /// Empties the pool: its pages do not count any more, even if a snapshot of the same id comes.
    pub(crate) fn expire(&self) {
        *guard(&self.newest) = SnapshotId::Unknown;
        self.shards.iter().for_each(|shard| guard(shard).empty(SnapshotId::Unknown));
    }

    /// Moves the pool from the snapshot `before` to `after`, after a commit of this process that changed some pages.
    pub(crate) fn advance(&self, before: &SnapshotId, after: &SnapshotId, changes: Changes) {
        let mut newest = guard(&self.newest);
        let was_newest = std::mem::replace(&mut *newest, *after) == *before;
        let Changes::Pages(changed) = changes else {
            // The changed pages are not known, and the id may stay the same: so no page may stay.
            drop(newest);
            return self.shards.iter().for_each(|shard| guard(shard).empty(SnapshotId::Unknown));
        };
        // A page that comes in now is not put into a shard, because its snapshot is not the newest any more.
        if !was_newest || self.is_unused() {
            return;
        }
        for no in changed {
            guard(self.shard(no)).remove(no);
        }
        for shard in &self.shards {
            let mut shard = guard(shard);
            if shard.snapshot == *before {
                shard.snapshot = *after;
            }
        }
    }

    /// The page `no` in `snapshot`, if the pool has it.
    pub(crate) fn get(&self, snapshot: &SnapshotId, no: PageNo) -> Option<PageRef> {
        guard(self.shard(no)).get(snapshot, no)
    }

    /// The page `no` in `snapshot`, read by `read` if the pool does not have it.
    pub(crate) fn get_or_read(
        &self,
        snapshot: &SnapshotId,
        no: PageNo,
        page_size: usize,
        read: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<PageRef> {
        let limit = self.limit();
        let mut shard = guard(self.shard(no));
        if let Some(page) = shard.get(snapshot, no) {
            return Ok(page);
        }
        assert!(limit > 0, "a shard has capacity for a page");
        let given_up = shard.give_up_one(snapshot, page_size, limit);
        drop(shard);
        let mut bytes = given_up.unwrap_or_else(|| zeros(page_size));
        read(Arc::get_mut(&mut bytes).expect("the buffer is ours alone"))?;
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
        self.insert(snapshot, no, bytes.clone(), limit);
        Ok(PageRef::from_arc(bytes))
    }

    /// Puts page `no` of `snapshot` with the content `bytes` into the pool.
    pub(crate) fn put(&self, snapshot: &SnapshotId, no: PageNo, bytes: Arc<[u8]>) {
        let limit = self.limit();
        self.used.store(true, Ordering::Relaxed);
        guard(self.shard(no)).remove(no);
        self.insert(snapshot, no, bytes, limit);
    }

    /// The lock of the newest snapshot is taken before those of shards, here as in [`Pool::advance`].
    fn insert(&self, snapshot: &SnapshotId, no: PageNo, bytes: Arc<[u8]>, limit: usize) {
        assert!(*snapshot != SnapshotId::Unknown, "a page of no snapshot");
        let shard = self.shard(no);
        let mut own = guard(shard);
        if own.snapshot == *snapshot {
            return own.insert(no, bytes, limit);
        }
        drop(own);
        let newest = guard(&self.newest);
        if *newest == *snapshot {
            let mut own = guard(shard);
            if own.snapshot != *snapshot {
                own.empty(*snapshot);
            }
            own.insert(no, bytes, limit);
        }
    }

    /// How many pages a shard may have.
    fn limit(&self) -> usize {
        (self.pages_max.load(Ordering::Relaxed) / SHARDS).max(1)
    }

    /// Removes pages that were written to their place: the pool's versions are old.
    pub(crate) fn forget(&self, pages: impl Iterator<Item = PageNo>) {
        pages.for_each(|no| guard(self.shard(no)).remove(no));
    }

    fn shard(&self, no: PageNo) -> &Mutex<Shard> {
        // Neighbours, which are read one after the other, are in different shards.
        &self.shards[no.get() as usize % SHARDS]
    }
}

impl Shard {
    fn get(&mut self, snapshot: &SnapshotId, no: PageNo) -> Option<PageRef> {
        if self.snapshot != *snapshot {
            return None;
        }
        let at = *self.index.get(&no)?;
        let cached = &mut self.pages[at];
        cached.used = true;
        Some(PageRef::from_arc(cached.bytes.clone()))
    }

    /// Empties the shard and assigns it to `snapshot`.
    fn empty(&mut self, snapshot: SnapshotId) {
        self.pages.clear();
        self.index.clear();
        self.snapshot = snapshot;
    }

    fn insert(&mut self, no: PageNo, bytes: Arc<[u8]>, limit: usize) {
        let cached = Cached { no, bytes, used: false };
        if self.pages.len() < limit {
            if let Entry::Vacant(place) = self.index.entry(no) {
                place.insert(self.pages.len());
                self.pages.push(cached);
            }
            return;
        }
        if self.index.contains_key(&no) {
            return;
        }
        while self.pages.len() > limit {
            let last = self.pages.len() - 1;
            self.remove(self.pages[last].no);
        }
        let at = self.find_cold();
        self.index.remove(&self.pages[at].no);
        self.index.insert(no, at);
        self.pages[at] = cached;
    }

    /// Evicts a page that has to go anyway when the next one comes, and answers its buffer, unless a reader holds it.
    /// New memory would have to be cleared each time.
    fn give_up_one(&mut self, snapshot: &SnapshotId, page_size: usize, limit: usize) -> Option<Arc<[u8]>> {
        // A connection that reads another snapshot adds no page here, so it evicts none.
        if self.snapshot != *snapshot || self.pages.len() < limit || self.pages.is_empty() {
            return None;
        }
        let at = self.find_cold();
        let fits = self.pages[at].bytes.len() == page_size && Arc::strong_count(&self.pages[at].bytes) == 1;
        if !fits {
            return None;
        }
        Some(self.take_out(at))
    }

    fn find_cold(&mut self) -> usize {
        loop {
            self.hand += 1;
            if self.hand >= self.pages.len() {
                self.hand = 0;
            }
            if !std::mem::take(&mut self.pages[self.hand].used) {
                return self.hand;
            }
        }
    }

    fn remove(&mut self, no: PageNo) {
        if let Some(&at) = self.index.get(&no) {
            self.take_out(at);
        }
    }

    fn take_out(&mut self, at: usize) -> Arc<[u8]> {
        let taken = self.pages.swap_remove(at);
        self.index.remove(&taken.no);
        if let Some(moved) = self.pages.get(at) {
            self.index.insert(moved.no, at);
        }
        taken.bytes
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The snapshot of which page 1 says `n`.
    fn id(n: u8) -> SnapshotId {
        SnapshotId::File([n; 16], 4096)
    }

    fn page(pool: &Pool, snapshot: &SnapshotId, n: usize, value: u8) -> PageRef {
        let fill = |buf: &mut [u8]| {
            buf.fill(value);
            Ok(())
        };
        pool.get_or_read(snapshot, PageNo::new(n as u32).unwrap(), 512, fill).unwrap()
    }

    fn read(pool: &Pool, snapshot: &SnapshotId, n: usize, value: u8) -> u8 {
        page(pool, snapshot, n, value)[0]
    }

    #[test]
    fn pages_of_the_newest_snapshot() {
        let pool = Pool::default();
        pool.set_size(64);
        let [first, second, third] = [1, 2, 3].map(id);
        pool.adopt(&first);
        assert_eq!((read(&pool, &first, 3, 30), read(&pool, &first, 3, 31), read(&pool, &first, 4, 40)), (30, 30, 40));
        pool.adopt(&first);
        assert_eq!(read(&pool, &first, 3, 31), 30);
        pool.advance(&first, &second, Changes::Pages(vec![PageNo::new(3).unwrap()]));
        assert_eq!((read(&pool, &second, 3, 32), read(&pool, &second, 4, 41)), (32, 40));
        // A connection that reads the old snapshot does not use the pool.
        assert_eq!((read(&pool, &first, 4, 42), read(&pool, &second, 4, 43)), (42, 40));
        pool.adopt(&third);
        assert_eq!(read(&pool, &third, 4, 44), 44);
    }

    #[test]
    fn what_may_be_old_is_not_read() {
        let pool = Pool::default();
        pool.set_size(64);
        let [first, second] = [1, 2].map(id);
        pool.adopt(&first);
        assert_eq!((read(&pool, &first, 3, 30), read(&pool, &first, 4, 40)), (30, 40));
        pool.expire();
        pool.adopt(&first);
        assert_eq!((read(&pool, &first, 3, 31), read(&pool, &first, 3, 32)), (31, 31));
        pool.advance(&first, &second, Changes::Unknown);
        assert_eq!(read(&pool, &second, 3, 33), 33);
        // The snapshot of another commit was the newest.
        pool.adopt(&first);
        pool.advance(&second, &id(4), Changes::Pages(Vec::new()));
        assert_eq!(read(&pool, &id(4), 3, 34), 34);
    }

    #[test]
    fn buffers_are_used_again() {
        let pool = Pool::default();
        pool.set_size(SHARDS);
        let [old, newest] = [1, 2].map(id);
        pool.adopt(&newest);
        let page = |snapshot, n: usize, value| page(&pool, snapshot, n * SHARDS, value);
        let first = page(&newest, 1, 1).as_ptr();
        let second = page(&newest, 2, 2);
        assert_eq!(second.as_ptr(), first, "nobody had it");
        let third = page(&newest, 3, 3);
        assert_eq!((second[0], third[0]), (2, 3), "somebody had it");
        // A reader of an old snapshot takes no page away.
        page(&old, 4, 4);
        assert_eq!(page(&newest, 3, 5)[0], 3);
    }

    #[test]
    fn the_size_is_bounded() {
        let pool = Pool::default();
        pool.set_size(16);
        let snapshot = id(1);
        pool.adopt(&snapshot);
        for n in 1..=1000 {
            read(&pool, &snapshot, n, 1);
            // A page that is used all the time stays.
            assert_eq!(read(&pool, &snapshot, 1, 2), 1);
        }
        let held: usize = pool.shards.iter().map(|shard| guard(shard).pages.len()).sum();
        assert_eq!(held, 16);
        for shard in &pool.shards {
            let shard = guard(shard);
            assert!(shard.pages.iter().enumerate().all(|(at, page)| shard.index[&page.no] == at));
        }
    }
}
