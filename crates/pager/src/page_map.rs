//! Where each of many pages has been put. Pages that follow each other, put into places that follow each other, share an
//! entry: most transactions that are larger than the cache write their pages in order, and only what they have put
//! elsewhere grows with them.
//!
//! ```text
//!   page   7  8  9      20      21 22
//!   place  0  1  2      3       9  10
//!   run   |-------|   |----|   |-----|
//! ```

use std::collections::BTreeMap;

use lithe_format::PageNo;

/// The places of pages.
#[derive(Debug, Default)]
pub(crate) struct PageMap {
    /// By their first page.
    runs: BTreeMap<u32, Run>,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    len: u32,
    /// The place of the first page.
    place: u32,
}

impl PageMap {
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn get(&self, no: PageNo) -> Option<u32> {
        let (first, run) = self.run_of(no.get())?;
        Some(run.place + (no.get() - first))
    }

    /// The run that the page is in.
    fn run_of(&self, no: u32) -> Option<(u32, Run)> {
        let (&first, &run) = self.runs.range(..=no).next_back()?;
        (no - first < run.len).then_some((first, run))
    }

    /// Gives the page a place, and answers the one that it had.
    pub(crate) fn insert(&mut self, no: PageNo, place: u32) -> Option<u32> {
        let before = self.remove(no);
        let mut new = (no.get(), Run { len: 1, place });
        if let Some(after) = self.runs.get(&(no.get() + 1)).copied().filter(|after| after.place == place + 1) {
            self.runs.remove(&(no.get() + 1));
            new.1.len += after.len;
        }
        match self.runs.range_mut(..no.get()).next_back() {
            Some((first, run)) if first + run.len == no.get() && run.place + run.len == place => run.len += new.1.len,
            _ => drop(self.runs.insert(new.0, new.1)),
        }
        before
    }

    /// Forgets the page, and answers its place.
    pub(crate) fn remove(&mut self, no: PageNo) -> Option<u32> {
        let no = no.get();
        let (first, run) = self.run_of(no)?;
        let before = no - first;
        match before {
            0 => drop(self.runs.remove(&first)),
            _ => drop(self.runs.insert(first, Run { len: before, ..run })),
        }
        let after = run.len - before - 1;
        if after > 0 {
            self.runs.insert(no + 1, Run { len: after, place: run.place + before + 1 });
        }
        Some(run.place + before)
    }

    /// All pages, in order.
    pub(crate) fn page_numbers(&self) -> impl Iterator<Item = PageNo> {
        self.runs.iter().flat_map(|(&first, run)| (first..first + run.len).filter_map(PageNo::new))
    }

    pub(crate) fn clear(&mut self) {
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn no(n: u32) -> PageNo {
        PageNo::new(n).unwrap()
    }

    #[test]
    fn it_says_what_a_plain_map_says() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut map, mut plain) = (PageMap::default(), BTreeMap::new());
            for at in 0..300 {
                let (page, place) = if rng.bool() { (rng.u32(1..40), rng.u32(0..40)) } else { (at % 40 + 1, at % 40) };
                if rng.u32(0..4) == 0 {
                    assert_eq!(map.remove(no(page)), plain.remove(&page), "seed {seed}");
                } else {
                    assert_eq!(map.insert(no(page), place), plain.insert(page, place), "seed {seed}");
                }
            }
            (1..50).for_each(|page| assert_eq!(map.get(no(page)), plain.get(&page).copied(), "seed {seed}"));
            assert!(map.page_numbers().map(PageNo::get).eq(plain.keys().copied()), "seed {seed}");
        }
    }

    #[test]
    fn neighbours_share_an_entry() {
        let mut map = PageMap::default();
        for page in 1..=1000 {
            map.insert(no(page), page + 6);
        }
        assert_eq!(map.runs.len(), 1);
        map.insert(no(500), 3);
        assert_eq!(map.runs.len(), 3);
        map.insert(no(500), 506);
        assert_eq!(map.runs.len(), 1);
    }
}
