//! A set of pages as a bitmap.

use lithe_format::PageNo;

/// Pages of a file of known length.
#[derive(Clone, Debug)]
pub(crate) struct PageSet(Vec<u64>);

impl PageSet {
    pub(crate) fn new(page_count: u32) -> PageSet {
        PageSet(vec![0; page_count as usize / 64 + 1])
    }

    /// Adds a page; false if the set has the page already, or the file has no such page.
    pub(crate) fn insert(&mut self, no: PageNo) -> bool {
        let Some(word) = self.0.get_mut(no.get() as usize / 64) else { return false };
        let bit = 1 << (no.get() % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub(crate) fn contains(&self, no: PageNo) -> bool {
        self.0.get(no.get() as usize / 64).is_some_and(|word| word & 1 << (no.get() % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_new_once() {
        let no = |n| PageNo::new(n).unwrap();
        let mut set = PageSet::new(70);
        assert!(set.insert(no(64)) && !set.insert(no(64)));
        assert!(set.contains(no(64)) && !set.contains(no(63)) && !set.contains(no(100_000)));
        assert!(!set.insert(no(100_000)));
    }
}
