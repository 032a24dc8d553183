//! Pointer-map pages of auto-vacuum databases: the parent of every page that follows, until the next map.
//!
//! ```text
//!   page 1 | page 2: map | J pages that the map describes | page J+3: map | J pages | ...
//!
//!   | type | parent page (4) | type | parent page (4) | ...        J = usable size / 5
//! ```
//!
//! A map that would fall on the lock-byte page moves to the page after it.

use crate::bytes::{get_u32, put_u32};
use crate::{PageNo, PageSize};

/// Length of an entry.
pub const ENTRY_LEN: usize = 5;

const TYPE_AT: usize = 0;
const PARENT_AT: usize = 1;
const _: () = assert!(PARENT_AT + 4 == ENTRY_LEN);

/// The kind of a page, in its pointer-map entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PtrmapType {
    /// Root of a tree; parent 0.
    Root = 1,
    /// On the freelist; parent 0.
    Free = 2,
    /// First page of an overflow chain; the parent is the B-tree page with the cell.
    OverflowFirst = 3,
    /// A later page of an overflow chain; the parent is the page before it.
    OverflowNext = 4,
    /// Any other page of a tree; the parent is the page above.
    Btree = 5,
}

impl PtrmapType {
    /// The type of the byte, or `None`.
    pub const fn decode(byte: u8) -> Option<PtrmapType> {
        match byte {
            1 => Some(PtrmapType::Root),
            2 => Some(PtrmapType::Free),
            3 => Some(PtrmapType::OverflowFirst),
            4 => Some(PtrmapType::OverflowNext),
            5 => Some(PtrmapType::Btree),
            _ => None,
        }
    }
}

/// One entry of a pointer map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What the page is.
    pub kind: PtrmapType,
    /// The page that points to the page; `None` for roots and free pages.
    pub parent: Option<PageNo>,
}

impl Entry {
    /// Reads the entry at `at`, or `None` if it is outside the page or of no known type.
    pub fn read(page: &[u8], at: usize) -> Option<Entry> {
        let kind = PtrmapType::decode(*page.get(at + TYPE_AT)?)?;
        Some(Entry { kind, parent: PageNo::new(get_u32(page, at + PARENT_AT)?) })
    }

    /// Writes the entry at `at`.
    #[expect(
        clippy::indexing_slicing,
        reason = "a caller owes a page and a place in it that its number was divided by"
    )]
    pub fn write(self, page: &mut [u8], at: usize) {
        page[at + TYPE_AT] = self.kind as u8;
        put_u32(page, at + PARENT_AT, self.parent.map_or(0, PageNo::get));
    }
}

/// The places of the pointer maps of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Entries of one map.
    entries: u32,
    lock_byte_page: PageNo,
}

impl Geometry {
    /// The geometry of pages of `page_size` with `usable` bytes.
    pub fn new(page_size: PageSize, usable: u32) -> Geometry {
        Geometry { entries: usable / ENTRY_LEN as u32, lock_byte_page: page_size.lock_byte_page() }
    }

    /// The map page that describes page `no`; for a map page, that page itself. `None` for page 1.
    pub fn map_of(&self, no: PageNo) -> Option<PageNo> {
        let before = no.get().checked_sub(2)?;
        let map = before - before % (self.entries + 1) + 2;
        let map = PageNo::new(map)?;
        if map == self.lock_byte_page { map.plus(1) } else { Some(map) }
    }

    /// Whether page `no` is a map.
    pub fn is_map(&self, no: PageNo) -> bool {
        self.map_of(no) == Some(no)
    }

    /// The offset on the map page `map` of the entry of page `no`; `None` if that map has none for it.
    pub fn offset(&self, map: PageNo, no: PageNo) -> Option<usize> {
        let index = no.get().checked_sub(map.get())?.checked_sub(1)?;
        (index < self.entries).then_some(ENTRY_LEN * index as usize)
    }

    /// Whether page `no` has content of its own: it is neither a map nor the lock-byte page.
    pub fn is_content(&self, no: PageNo) -> bool {
        no != self.lock_byte_page && !self.is_map(no)
    }

    /// Entries of one map.
    pub fn entries(&self) -> u32 {
        self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(n: u32) -> PageNo {
        PageNo::new(n).unwrap()
    }

    #[test]
    fn maps_of_small_pages() {
        let geometry = Geometry::new(PageSize::MIN, 512); // 102 entries
        assert_eq!(geometry.map_of(page(1)), None);
        for n in 2..=104 {
            assert_eq!(geometry.map_of(page(n)), Some(page(2)), "{n}");
        }
        assert_eq!(geometry.map_of(page(105)), Some(page(105)));
        assert!(geometry.is_map(page(2)) && geometry.is_map(page(105)));
        assert_eq!(geometry.offset(page(2), page(3)), Some(0));
        assert_eq!(geometry.offset(page(2), page(104)), Some(505));
        assert_eq!(geometry.offset(page(2), page(105)), None);
        assert_eq!(geometry.offset(page(2), page(2)), None);
    }

    #[test]
    fn a_map_makes_way_for_the_lock_bytes() {
        // 65536 / 5 = 13107 entries; find a geometry whose map would fall on the lock-byte page.
        let lock = PageSize::MAX.lock_byte_page().get();
        let entries = lock - 3;
        let geometry = Geometry { entries, lock_byte_page: page(lock) };
        assert_eq!(geometry.map_of(page(lock)), Some(page(lock + 1)));
        assert!(geometry.is_map(page(lock + 1)));
        assert!(!geometry.is_content(page(lock)) && !geometry.is_content(page(lock + 1)));
        assert!(geometry.is_content(page(lock + 2)));
        assert_eq!(geometry.offset(page(lock + 1), page(lock + 2)), Some(0));
    }

    #[test]
    fn entries_come_back() {
        let mut bytes = [0; 20];
        let entry = Entry { kind: PtrmapType::OverflowNext, parent: PageNo::new(77) };
        entry.write(&mut bytes, 5);
        assert_eq!(Entry::read(&bytes, 5), Some(entry));
        assert_eq!(Entry::read(&bytes, 0), None);
        assert_eq!(Entry::read(&bytes, 17), None);
    }
}
