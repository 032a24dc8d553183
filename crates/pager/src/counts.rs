//! Page counters of a connection (`sqlite3_db_status`).

use std::cell::Cell;

/// Counters of one connection to one database. Pages of a mapped file are in no cache and are not counted.
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
    /// Pages that a read found in memory.
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

    /// Looks a page up in the pool with `get`. Counts a hit if `get` counted no miss.
    pub(crate) fn of_pool<T>(&self, get: impl FnOnce() -> T) -> T {
        let before = self.misses.get();
        let got = get();
        if self.misses.get() == before {
            self.add(PageCounter::Hit, 1);
        }
        got
    }

    pub(crate) fn value(&self, which: PageCounter, reset: bool) -> u64 {
        let counter = self.counter(which);
        if reset { counter.take() } else { counter.get() }
    }

    #[inline]
    pub(crate) fn add(&self, which: PageCounter, pages: usize) {
        let counter = self.counter(which);
        counter.set(counter.get() + pages as u64);
    }
}
