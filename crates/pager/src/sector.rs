//! Pages that share a sector, on devices where a write that a power loss interrupts harms the whole sector.
//!
//! ```text
//!   sector       | page 5 | page 6 | page 7 | page 8 |
//!                              ^
//!                  writing this one may harm the others
//! ```
//!
//! Most devices write the bytes they are given and no others (powersafe overwrite), or pages are no smaller than
//! sectors: then there is nothing to do. Elsewhere the neighbours of a page that is written are treated as written, too:
//! the journal gets their old versions, and the log their current ones.

use lithe_format::{PageNo, PageSize};

/// How many pages lie on a sector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sectors {
    pages: u32,
}

impl Sectors {
    pub(crate) fn new(sector_size: u32, page_size: PageSize) -> Sectors {
        Sectors { pages: (sector_size / page_size.get()).max(1) }
    }

    /// Whether a sector has more than one page.
    pub(crate) fn are_shared(self) -> bool {
        self.pages > 1
    }

    /// The last page of the sector on which page `n` is.
    pub(crate) fn end(self, n: u32) -> u32 {
        n.checked_next_multiple_of(self.pages).unwrap_or(n)
    }

    /// These pages and all others on their sectors, up to page `last`, in order.
    pub(crate) fn whole(self, pages: impl Iterator<Item = PageNo>, last: u32) -> Vec<PageNo> {
        let mut sectors: Vec<u32> = pages.map(|no| (no.get() - 1) / self.pages).collect();
        sectors.sort_unstable();
        sectors.dedup();
        let pages_of = |sector: u32| {
            let before = sector * self.pages;
            (before + 1..=before.saturating_add(self.pages).min(last)).filter_map(PageNo::new)
        };
        sectors.into_iter().flat_map(pages_of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_sectors() {
        let size = PageSize::new(512).unwrap();
        let check = |sector_size: u32, pages: &[u32], last: u32, expected: &[u32]| {
            let pages = pages.iter().filter_map(|&n| PageNo::new(n));
            let whole = Sectors::new(sector_size, size).whole(pages, last);
            assert_eq!(whole.iter().map(|no| no.get()).collect::<Vec<_>>(), expected);
        };
        check(512, &[9, 3], 20, &[3, 9]);
        check(2048, &[9, 3, 4], 20, &[1, 2, 3, 4, 9, 10, 11, 12]);
        check(2048, &[9, 4], 10, &[1, 2, 3, 4, 9, 10]);
        check(2048, &[12], 8, &[]);
        assert_eq!(Sectors::new(2048, size).end(5), 8);
        assert_eq!(Sectors::new(2048, size).end(8), 8);
        assert_eq!(Sectors::new(256, size).end(5), 5);
    }
}
