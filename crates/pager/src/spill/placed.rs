//! Pages that are in their place in the database file before the commit, behind its committed end.

use lithe_format::PageNo;

/// A set of such pages.
#[derive(Debug, Default)]
pub(crate) struct PlacedPages {
    /// One bit a page, starting with the first page that the transaction has added.
    bits: Vec<u64>,
}

impl PlacedPages {
    fn bit(no: PageNo, pages_before: u32) -> Option<(usize, u64)> {
        let index = no.get().checked_sub(pages_before)?.checked_sub(1)?;
        Some((index as usize / 64, 1 << (index % 64)))
    }

    pub(crate) fn contains(&self, no: PageNo, pages_before: u32) -> bool {
        PlacedPages::bit(no, pages_before)
            .is_some_and(|(word, bit)| self.bits.get(word).is_some_and(|bits| bits & bit != 0))
    }

    pub(crate) fn insert(&mut self, no: PageNo, pages_before: u32) {
        let Some((word, bit)) = PlacedPages::bit(no, pages_before) else { return };
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub(crate) fn page_numbers(&self, pages_before: u32) -> impl Iterator<Item = PageNo> {
        let bits = self.bits.iter().enumerate().flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| word as u32 * 64 + bit)
        });
        bits.filter_map(move |index| PageNo::new(pages_before + 1 + index))
    }

    /// Whether one of these pages is within a database of `page_count` pages.
    pub(crate) fn has_any(&self, page_count: u32, pages_before: u32) -> bool {
        self.page_numbers(pages_before).next().is_some_and(|no| no.get() <= page_count)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// Forgets the pages behind `page_count`.
    pub(crate) fn truncate(&mut self, page_count: u32, pages_before: u32) {
        let left = page_count.saturating_sub(pages_before) as usize;
        self.bits.truncate(left.div_ceil(64));
        if let Some(last) = self.bits.get_mut(left / 64) {
            *last &= (1 << (left % 64)) - 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.bits = Vec::new();
    }
}
