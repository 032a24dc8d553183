//! The buffer pool of a database: pages that were read from a file that is not mapped, shared by all
//! connections of the process.
//!
//! The pool holds pages of one state of the database, the newest that a connection has seen; a state
//! is told from others by an [`Identity`], and has a number here. Connections that look at another
//! state pass the pool by. A commit of this process moves the pool on to the new state, without the
//! pages that it changed; a commit of another process empties it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use lithe_format::PageNo;

use crate::dirty::{PageHashes, zeros};
use crate::error::Result;
use crate::page_ref::PageRef;

/// What tells a state of the database from all others: what readers compare to see whether it changed.
pub(crate) type Identity = [u32; 12];

/// The number of a state; newer ones have larger numbers.
pub(crate) type StateNo = u64;

/// Threads that read different pages seldom meet.
const SHARDS: usize = 8;

/// Pages that were read.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    newest: Mutex<Newest>,
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
    /// Too many to remember.
    Unknown,
}

impl Changes {
    pub(crate) fn are_unknown(&self) -> bool {
        matches!(self, Changes::Unknown)
    }
}

#[derive(Debug, Default)]
struct Newest {
    state: StateNo,
    identity: Identity,
}

#[derive(Debug, Default)]
struct Shard {
    state: StateNo,
    pages: Vec<Cached>,
    index: HashMap<PageNo, usize, PageHashes>,
    /// The hand of the clock that finds a page to let go.
    hand: usize,
}

#[derive(Debug)]
struct Cached {
    no: PageNo,
    bytes: Arc<[u8]>,
    /// It was used since the hand last came by.
    used: bool,
}

impl Pool {
    /// How many pages are here.
    pub(crate) fn len(&self) -> usize {
        if self.is_unused() { 0 } else { self.shards.iter().map(|shard| guard(shard).pages.len()).sum() }
    }

    /// Whether no page ever was here.
    pub(crate) fn is_unused(&self) -> bool {
        !self.used.load(Ordering::Relaxed)
    }

    /// Sets how many pages there may be.
    pub(crate) fn set_size(&self, pages: usize) {
        self.pages_max.store(pages, Ordering::Relaxed);
    }

    /// The number of the state `identity`, which becomes the newest.
    pub(crate) fn adopt(&self, identity: &Identity) -> StateNo {
        let mut newest = guard(&self.newest);
        if newest.state == 0 || newest.identity != *identity {
            newest.state += 1;
            newest.identity = *identity;
        }
        newest.state
    }

    /// Nothing that is here counts any more, even if the newest state keeps its identity.
    pub(crate) fn expire(&self) {
        guard(&self.newest).state += 1;
    }

    /// The number of the newest state.
    pub(crate) fn newest(&self) -> StateNo {
        guard(&self.newest).state
    }

    /// The state `before` has become `identity` by a commit of this process that changed some pages.
    pub(crate) fn advance(&self, before: StateNo, identity: &Identity, changes: Changes) -> StateNo {
        let Changes::Pages(changed) = changes else { return self.adopt(identity) };
        let mut newest = guard(&self.newest);
        if newest.state != before {
            drop(newest);
            return self.adopt(identity);
        }
        newest.state += 1;
        newest.identity = *identity;
        for no in changed {
            guard(self.shard(no)).remove(no);
        }
        for shard in &self.shards {
            let mut shard = guard(shard);
            if shard.state == before {
                shard.state = newest.state;
            }
        }
        newest.state
    }

    /// The page `no` in `state`, if it is here.
    pub(crate) fn get(&self, state: StateNo, no: PageNo) -> Option<PageRef> {
        guard(self.shard(no)).get(state, no)
    }

    /// The page `no` in `state`, read by `read` if it is not here.
    pub(crate) fn get_or_read(
        &self,
        state: StateNo,
        no: PageNo,
        page_size: usize,
        read: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<PageRef> {
        let limit = self.limit();
        let mut shard = guard(self.shard(no));
        if let Some(page) = shard.get(state, no) {
            return Ok(page);
        }
        let given_up = shard.give_up_one(state, page_size, limit);
        drop(shard);
        let mut bytes = given_up.unwrap_or_else(|| zeros(page_size));
        read(Arc::get_mut(&mut bytes).expect("the buffer is ours alone"))?;
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
        guard(self.shard(no)).insert(state, no, bytes.clone(), limit);
        Ok(PageRef::from_arc(bytes))
    }

    /// The page `no` in `state`, if it is here, and not any more.
    pub(crate) fn take(&self, state: StateNo, no: PageNo) -> Option<Arc<[u8]>> {
        let mut shard = guard(self.shard(no));
        let at = shard.index.get(&no).copied().filter(|_| shard.state == state)?;
        Some(shard.take_out(at))
    }

    /// The page `no` is `bytes` in `state`.
    pub(crate) fn put(&self, state: StateNo, no: PageNo, bytes: Arc<[u8]>) {
        let limit = self.limit();
        self.used.store(true, Ordering::Relaxed);
        let mut shard = guard(self.shard(no));
        shard.remove(no);
        shard.insert(state, no, bytes, limit);
    }

    /// How many pages a shard may have.
    fn limit(&self) -> usize {
        (self.pages_max.load(Ordering::Relaxed) / SHARDS).max(1)
    }

    /// Pages that were written to their place: what is here of them is old.
    pub(crate) fn forget(&self, pages: impl Iterator<Item = PageNo>) {
        pages.for_each(|no| guard(self.shard(no)).remove(no));
    }

    fn shard(&self, no: PageNo) -> &Mutex<Shard> {
        // Neighbours, which are read one after the other, come into different shards.
        &self.shards[no.get() as usize % SHARDS]
    }
}

impl Shard {
    fn get(&mut self, state: StateNo, no: PageNo) -> Option<PageRef> {
        if self.state != state {
            return None;
        }
        let at = *self.index.get(&no)?;
        let cached = &mut self.pages[at];
        cached.used = true;
        Some(PageRef::from_arc(cached.bytes.clone()))
    }

    fn insert(&mut self, state: StateNo, no: PageNo, bytes: Arc<[u8]>, limit: usize) {
        if self.state > state {
            return;
        }
        if self.state < state {
            self.pages.clear();
            self.index.clear();
            self.state = state;
        }
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

    /// The buffer of a page that has to go anyway when the next one comes, unless somebody reads it: memory that is new
    /// each time would have to be cleared each time.
    fn give_up_one(&mut self, state: StateNo, page_size: usize, limit: usize) -> Option<Arc<[u8]>> {
        // Who looks at an older state leaves nothing here, and takes nothing away.
        if self.state > state || self.pages.len() < limit || self.pages.is_empty() {
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

    fn read(pool: &Pool, state: StateNo, n: u32, value: u8) -> u8 {
        let page = pool.get_or_read(state, PageNo::new(n).unwrap(), 512, |buf| {
            buf.fill(value);
            Ok(())
        });
        page.unwrap()[0]
    }

    #[test]
    fn pages_of_the_newest_state() {
        let pool = Pool::default();
        pool.set_size(64);
        let first = pool.adopt(&[1; 12]);
        assert_eq!((read(&pool, first, 3, 30), read(&pool, first, 3, 31), read(&pool, first, 4, 40)), (30, 30, 40));
        assert_eq!(pool.adopt(&[1; 12]), first);
        let second = pool.advance(first, &[2; 12], Changes::Pages(vec![PageNo::new(3).unwrap()]));
        assert_eq!((read(&pool, second, 3, 32), read(&pool, second, 4, 41)), (32, 40));
        // Who looks at the old state passes the pool by.
        assert_eq!((read(&pool, first, 4, 42), read(&pool, second, 4, 43)), (42, 40));
        let third = pool.adopt(&[3; 12]);
        assert_eq!(read(&pool, third, 4, 44), 44);
    }

    #[test]
    fn buffers_are_used_again() {
        let pool = Pool::default();
        pool.set_size(SHARDS);
        let old = pool.adopt(&[1; 12]);
        let state = pool.adopt(&[2; 12]);
        let page = |state, n: usize, value| {
            let no = PageNo::new((n * SHARDS) as u32).unwrap();
            pool.get_or_read(state, no, 512, |buf| {
                buf.fill(value);
                Ok(())
            })
            .unwrap()
        };
        let first = page(state, 1, 1).as_ptr();
        let second = page(state, 2, 2);
        assert_eq!(second.as_ptr(), first, "nobody had it");
        let third = page(state, 3, 3);
        assert_eq!((second[0], third[0]), (2, 3), "somebody had it");
        // Who looks at an old state takes no page away.
        page(old, 4, 4);
        assert_eq!(page(state, 3, 5)[0], 3);
    }

    #[test]
    fn the_size_is_bounded() {
        let pool = Pool::default();
        pool.set_size(16);
        let state = pool.adopt(&[1; 12]);
        for n in 1..=1000 {
            read(&pool, state, n, 1);
            // A page that is used all the time stays.
            assert_eq!(read(&pool, state, 1, 2), 1);
        }
        let held: usize = pool.shards.iter().map(|shard| guard(shard).pages.len()).sum();
        assert_eq!(held, 16);
        for shard in &pool.shards {
            let shard = guard(shard);
            assert!(shard.pages.iter().enumerate().all(|(at, page)| shard.index[&page.no] == at));
        }
    }
}
