//! A map from page numbers to places. Consecutive pages at consecutive places share an entry, and most transactions that
//! are larger than the cache write their pages in order: so their map stays small, and only the places that they have
//! written to grow with them.
//!
//! ```text
//!   page   7  8  9      20      21 22
//!   place  0  1  2      3       9  10
//!   run   |-------|   |----|   |-----|
//! ```
//!
//! Runs are kept in order, in leaves of a few hundred under one list of first pages: 12 bytes for a page that has a run of its
//! own if pages come in order, and less than twice that in any other.

use std::mem::size_of;

use lithe_format::PageNo;

/// The places of pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageMap {
    /// By their first page; none is empty.
    leaves: Vec<Leaf>,
}

/// Some runs, in order.
#[derive(Clone, Debug)]
struct Leaf {
    /// The first page of the first run: a search reads no run of another leaf.
    first: u32,
    runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    len: u32,
    /// The place of the first page.
    place: u32,
}

impl Run {
    fn end(&self) -> u32 {
        self.first + self.len
    }

    /// Whether `next` begins where this run ends, in pages and in places.
    fn continues_with(&self, next: &Run) -> bool {
        self.end() == next.first && self.place + self.len == next.place
    }
}

/// The most runs of a leaf: an insert moves few others.
const LEAF_MAX: usize = 256;

/// The index of a leaf, and of a run in it.
#[derive(Clone, Copy, Debug)]
struct At {
    leaf: usize,
    run: usize,
}

impl PageMap {
    pub(crate) fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The map's memory, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.leaves.capacity() * size_of::<Leaf>() + self.leaves.len() * LEAF_MAX * size_of::<Run>()
    }

    pub(crate) fn get(&self, no: PageNo) -> Option<u32> {
        let run = self.run(self.last_up_to(no.get())?);
        let offset = no.get() - run.first;
        (offset < run.len).then(|| run.place + offset)
    }

    /// The last run that begins at page `no` or before.
    fn last_up_to(&self, no: u32) -> Option<At> {
        let leaf = self.leaves.partition_point(|leaf| leaf.first <= no).checked_sub(1)?;
        let run = self.leaves[leaf].runs.partition_point(|run| run.first <= no) - 1;
        Some(At { leaf, run })
    }

    fn run(&self, at: At) -> &Run {
        &self.leaves[at.leaf].runs[at.run]
    }

    fn run_mut(&mut self, at: At) -> &mut Run {
        &mut self.leaves[at.leaf].runs[at.run]
    }

    /// The run after `at`; the first run after `None`.
    fn after(&self, at: Option<At>) -> Option<At> {
        let Some(At { leaf, run }) = at else { return (!self.is_empty()).then_some(At { leaf: 0, run: 0 }) };
        if run + 1 < self.leaves[leaf].runs.len() {
            return Some(At { leaf, run: run + 1 });
        }
        (leaf + 1 < self.leaves.len()).then_some(At { leaf: leaf + 1, run: 0 })
    }

    /// Sets the page's place, and answers the place before.
    pub(crate) fn insert(&mut self, no: PageNo, place: u32) -> Option<u32> {
        let before = self.remove(no);
        let mut new = Run { first: no.get(), len: 1, place };
        let mut left = self.last_up_to(no.get());
        if let Some(right) = self.after(left)
            && new.continues_with(self.run(right))
        {
            new.len += self.run(right).len;
            self.take_out(right);
            left = self.last_up_to(no.get());
        }
        match left {
            Some(left) if self.run(left).continues_with(&new) => self.run_mut(left).len += new.len,
            _ => self.put_after(left, new),
        }
        before
    }

    /// Removes the page, and answers its place.
    pub(crate) fn remove(&mut self, no: PageNo) -> Option<u32> {
        let no = no.get();
        let at = self.last_up_to(no)?;
        let run = *self.run(at);
        let offset = no - run.first;
        if offset >= run.len {
            return None;
        }
        let rest = Run { first: no + 1, len: run.len - offset - 1, place: run.place + offset + 1 };
        match (offset, rest.len) {
            (0, 0) => self.take_out(at),
            (0, _) => {
                *self.run_mut(at) = rest;
                self.note_first(at.leaf);
            }
            (_, 0) => self.run_mut(at).len = offset,
            _ => {
                self.run_mut(at).len = offset;
                self.put_after(Some(at), rest);
            }
        }
        Some(run.place + offset)
    }

    fn note_first(&mut self, leaf: usize) {
        let leaf = &mut self.leaves[leaf];
        leaf.first = leaf.runs[0].first;
    }

    fn take_out(&mut self, at: At) {
        let runs = &mut self.leaves[at.leaf].runs;
        runs.remove(at.run);
        if runs.is_empty() {
            self.leaves.remove(at.leaf);
        } else {
            self.note_first(at.leaf);
        }
    }

    /// Inserts a run after another one, or before all.
    fn put_after(&mut self, at: Option<At>, new: Run) {
        if self.is_empty() {
            self.leaves.push(Leaf { first: new.first, runs: Vec::new() });
        }
        let mut to = at.map_or(At { leaf: 0, run: 0 }, |at| At { run: at.run + 1, ..at });
        if self.leaves[to.leaf].runs.len() == LEAF_MAX {
            to = self.split(to);
        }
        self.leaves[to.leaf].runs.insert(to.run, new);
        self.note_first(to.leaf);
    }

    /// Splits a full leaf, and answers where the run that should have come to `to` comes now. A caller that appends at the
    /// end mostly continues there, so it leaves a full leaf behind.
    fn split(&mut self, to: At) -> At {
        let keep = if to.run == LEAF_MAX { LEAF_MAX } else { LEAF_MAX / 2 };
        let mut upper = Vec::with_capacity(LEAF_MAX);
        upper.extend(self.leaves[to.leaf].runs.drain(keep..));
        // An empty leaf gets its first run right after this.
        let first = upper.first().map_or(u32::MAX, |run: &Run| run.first);
        self.leaves.insert(to.leaf + 1, Leaf { first, runs: upper });
        if to.run < keep { to } else { At { leaf: to.leaf + 1, run: to.run - keep } }
    }

    /// All pages, in order.
    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        self.runs().flat_map(|run| (run.first..run.end()).filter_map(PageNo::new))
    }

    /// The pages whose place is `place` or a later one, in order.
    pub(crate) fn pages_from_place(&self, place: u32) -> impl Iterator<Item = PageNo> {
        let late = move |run: &Run| (run.first + place.saturating_sub(run.place).min(run.len), run.end());
        self.runs().map(late).flat_map(|(from, to)| (from..to).filter_map(PageNo::new))
    }

    fn runs(&self) -> impl Iterator<Item = &Run> {
        self.leaves.iter().flat_map(|leaf| &leaf.runs)
    }

    pub(crate) fn clear(&mut self) {
        self.leaves = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn no(n: u32) -> PageNo {
        PageNo::new(n).unwrap()
    }

    /// Random changes within `pages` pages: neighbours in a small world, leaves that split in a large one.
    fn check(seeds: u64, steps: u32, pages: u32) {
        for seed in 0..seeds {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut map, mut plain) = (PageMap::default(), BTreeMap::new());
            for at in 0..steps {
                let in_order = (at % pages + 1, at % pages);
                let (page, place) = if rng.bool() { (rng.u32(1..=pages), rng.u32(0..pages)) } else { in_order };
                if rng.u32(0..4) == 0 {
                    assert_eq!(map.remove(no(page)), plain.remove(&page), "seed {seed}");
                } else {
                    assert_eq!(map.insert(no(page), place), plain.insert(page, place), "seed {seed}");
                }
            }
            (1..pages + 9).for_each(|page| assert_eq!(map.get(no(page)), plain.get(&page).copied(), "seed {seed}"));
            assert!(map.page_numbers().map(PageNo::get).eq(plain.keys().copied()), "seed {seed}");
            let late = plain.iter().filter(|(_, place)| **place >= pages / 3).map(|(page, _)| *page);
            assert!(map.pages_from_place(pages / 3).map(PageNo::get).eq(late), "seed {seed}");
            let leaves = map.leaves.iter();
            leaves.for_each(|leaf| assert!(leaf.first == leaf.runs[0].first && leaf.runs.len() <= LEAF_MAX));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn it_says_what_a_plain_map_says() {
        check(200, 300, 40);
        check(3, 30_000, 8_000);
    }

    #[test]
    fn neighbours_share_an_entry() {
        let mut map = PageMap::default();
        for page in 1..=1000 {
            map.insert(no(page), page + 6);
        }
        assert_eq!(map.runs().count(), 1);
        map.insert(no(500), 3);
        assert_eq!(map.runs().count(), 3);
        map.insert(no(500), 506);
        assert_eq!(map.runs().count(), 1);
    }

    /// Every second page, in order and in no order.
    #[test]
    #[cfg_attr(miri, ignore = "millions of steps")]
    fn scattered_pages_take_few_bytes() {
        const COUNT: u32 = 100_000;
        let check = |step: u32, most: usize| {
            let mut map = PageMap::default();
            for at in 0..COUNT {
                map.insert(no(at * step % COUNT * 2 + 1), at);
            }
            assert_eq!(map.runs().count(), COUNT as usize);
            assert!(map.memory() < most * COUNT as usize, "{} bytes for {COUNT} pages", map.memory());
        };
        check(1, 13);
        check(38_197, 24);
    }
}
