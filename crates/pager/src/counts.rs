//! What a connection's pages have cost (`sqlite3_db_status`).

use std::cell::Cell;

use crate::pager::{Pager, Store};

/// Counters of one connection to one database. Pages of a mapped file are no cache's, and are not counted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    hits: Cell<u64>,
    misses: Cell<u64>,
    writes: Cell<u64>,
    spills: Cell<u64>,
}

/// A counter of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageCounter {
    /// Pages that were wanted and in memory.
    Hit,
    /// Pages that were read.
    Miss,
    /// Pages that were written by commits.
    Write,
    /// Pages that left memory before the commit.
    Spill,
}

impl Counts {
    fn counter(&self, which: PageCounter) -> &Cell<u64> {
        match which {
            PageCounter::Hit => &self.hits,
            PageCounter::Miss => &self.misses,
            PageCounter::Write => &self.writes,
            PageCounter::Spill => &self.spills,
        }
    }

    /// A page was wanted of the pool, which `get` asks for it; reading it is noted by whoever reads.
    pub(crate) fn of_pool<T>(&self, get: impl FnOnce() -> T) -> T {
        let before = self.misses.get();
        let got = get();
        if self.misses.get() == before {
            self.add(PageCounter::Hit, 1);
        }
        got
    }

    fn value(&self, which: PageCounter, reset: bool) -> u64 {
        let counter = self.counter(which);
        if reset { counter.take() } else { counter.get() }
    }

    #[inline]
    pub(crate) fn add(&self, which: PageCounter, pages: usize) {
        let counter = self.counter(which);
        counter.set(counter.get() + pages as u64);
    }
}

impl Pager {
    /// The value of a counter, which `reset` sets to 0.
    pub fn count(&self, which: PageCounter, reset: bool) -> u64 {
        let of_file = match &self.store {
            Store::Memory(_) => 0,
            Store::File(file) => file.counts.value(which, reset),
        };
        self.counts.value(which, reset) + of_file
    }

    /// About how many bytes of memory pages take: those that this transaction has written, those of a database that lies in
    /// memory, and those that were read from a file that is not mapped.
    pub fn memory_used(&self) -> u64 {
        let stored = match &self.store {
            Store::Memory(memory) => memory.pages_in_memory(),
            Store::File(file) => file.database.pool.len(),
        };
        let dirty = self.txn.borrow().dirty.len();
        (stored + dirty) as u64 * u64::from(self.page_size().get())
    }
}
