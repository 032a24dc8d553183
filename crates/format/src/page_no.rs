//! Page numbers, as a type of their own, so that a page number is never mistaken for a count or an offset.

use std::fmt;
use std::num::NonZeroU32;

/// The number of a page in a database file. Page numbers start at 1, so "no page" is `None` and
/// never a magic 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNo(NonZeroU32);

const _: () = assert!(size_of::<Option<PageNo>>() == 4);

/// The largest page number of a database file (SQLite's limit, and the largest that page sizes of
/// 65536 bytes can multiply without leaving 48 bits).
pub const MAX_PAGE_NO: u32 = 0xffff_fffe;

impl PageNo {
    /// Page 1: the one with the database header, and the root of the schema table.
    pub const FIRST: PageNo = PageNo(NonZeroU32::MIN);

    /// The page number `n`, or `None` for 0.
    #[inline]
    pub const fn new(n: u32) -> Option<PageNo> {
        match NonZeroU32::new(n) {
            Some(n) => Some(PageNo(n)),
            None => None,
        }
    }

    /// The number, starting at 1.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// The number of pages before this one: its place in an array of pages.
    #[inline]
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The page `n` places further on, or `None` past the largest page number.
    #[inline]
    pub const fn plus(self, n: u32) -> Option<PageNo> {
        match self.0.checked_add(n) {
            Some(no) => Some(PageNo(no)),
            None => None,
        }
    }

    /// The byte offset of this page in a file of pages of `page_size` bytes.
    #[inline]
    pub const fn offset(self, page_size: u32) -> u64 {
        (self.0.get() as u64 - 1) * page_size as u64
    }

    /// The page number in four big-endian bytes: 0 is "no page".
    #[inline]
    pub const fn from_be_bytes(bytes: [u8; 4]) -> Option<PageNo> {
        PageNo::new(u32::from_be_bytes(bytes))
    }

    /// The four bytes that the file stores for "this page or none".
    #[inline]
    pub const fn to_be_bytes(no: Option<PageNo>) -> [u8; 4] {
        match no {
            Some(no) => no.0.get().to_be_bytes(),
            None => [0; 4],
        }
    }
}

impl fmt::Display for PageNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(PageNo::new(0), None);
        assert_eq!(PageNo::FIRST.get(), 1);
        assert_eq!(PageNo::FIRST.offset(4096), 0);
        let third = PageNo::new(3).unwrap();
        assert_eq!(third.index(), 2);
        assert_eq!(third.offset(65536), 131072);
        assert_eq!(third.plus(u32::MAX), None);
        assert_eq!(PageNo::from_be_bytes(PageNo::to_be_bytes(Some(third))), Some(third));
        assert_eq!(PageNo::to_be_bytes(None), [0; 4]);
    }
}
