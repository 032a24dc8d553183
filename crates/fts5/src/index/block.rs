//! Some rows of a token at once, with the places of their position lists.
//!
//! ```text
//!   rowids   | 3 | 7 | 12 | ...            ascending
//!   places   | page 0, 71, 4 | ...         of each row, if they are wanted
//!   pages    | leaf | leaf                 in memory as long as the block is
//!   copied   lists that do not lie on one page
//! ```

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::collected;

use super::leaf::Leaf;

/// The page number of places in `copied`.
const COPIED: u32 = u32::MAX;
/// A block that holds so many pages, or has copied so many bytes, takes no further rows.
const PAGES_MAX: usize = 64;
const COPIED_LEN_MAX: usize = 1 << 20;

/// Where a position list is.
#[derive(Clone, Copy, Debug)]
struct Place {
    page: u32,
    at: u32,
    len: u32,
}

/// Rows of a token.
#[derive(Clone, Debug, Default)]
pub struct Block {
    rowids: Vec<i64>,
    has_places: bool,
    places: Vec<Place>,
    pages: Vec<Leaf>,
    copied: Vec<u8>,
}

impl Block {
    /// Without rows. `has_places` says that position lists are wanted.
    pub fn new(has_places: bool) -> Block {
        Block { has_places, ..Block::default() }
    }

    /// Whether position lists are wanted.
    pub fn has_places(&self) -> bool {
        self.has_places
    }

    /// Rows without position lists.
    pub fn rowids_mut(&mut self) -> &mut Vec<i64> {
        &mut self.rowids
    }

    /// The rows.
    pub fn rowids(&self) -> &[i64] {
        &self.rowids
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rowids.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rowids.is_empty()
    }

    /// Whether it has so many rows, or as much memory as a block may take.
    #[inline]
    pub fn is_full(&self, count_max: usize) -> bool {
        self.rowids.len() >= count_max || self.pages.len() >= PAGES_MAX || self.copied.len() >= COPIED_LEN_MAX
    }

    /// Forgets the rows.
    pub fn clear(&mut self) {
        self.rowids.clear();
        self.places.clear();
        self.pages.clear();
        self.copied.clear();
    }

    /// Removes rows below `from`, and those that are not above all before them: only a damaged index has any.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn keep_ascending(&mut self, from: i64) -> Result<(), OutOfMemory> {
        if self.rowids.first().is_none_or(|first| *first >= from) && self.rowids.is_sorted_by(|one, next| one < next) {
            return Ok(());
        }
        let mut least = Some(from);
        let is_kept: Vec<bool> = collected(self.rowids.iter().map(|rowid| keeps(&mut least, *rowid)))?;
        let mut kept = is_kept.iter();
        self.rowids.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.places.retain(|_| kept.next() == Some(&true));
        Ok(())
    }

    /// The position list of a row; empty if lists are not wanted.
    #[inline]
    pub fn list(&self, at: usize) -> &[u8] {
        let Some(place) = self.places.get(at) else { return &[] };
        let bytes = match place.page {
            COPIED => self.copied.as_slice(),
            page => self.pages.get(page as usize).map(Leaf::content).unwrap_or_default(),
        };
        let start = place.at as usize;
        bytes.get(start..start + place.len as usize).unwrap_or_default()
    }

    /// Appends a row, and a copy of its position list if lists are wanted.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn push(&mut self, rowid: i64, list: &[u8]) -> Result<(), OutOfMemory> {
        // (A row that has no place would be one with an empty list: the row comes last.)
        if self.has_places {
            let place = Place { page: COPIED, at: self.copied.len() as u32, len: list.len() as u32 };
            self.copied.try_append(list)?;
            self.places.try_push(place)?;
        }
        self.rowids.try_push(rowid)
    }

    /// Begins to append rows of a page.
    pub fn begin_page(&mut self, leaf: &Leaf) {
        if self.has_places {
            self.pages.push(leaf.clone());
        }
    }

    /// Makes space for rows of pages.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn reserve(&mut self, rows: usize) -> Result<(), OutOfMemory> {
        if self.has_places {
            self.places.try_grow(rows)?;
        }
        self.rowids.try_grow(rows)
    }

    /// Appends a row of the page that was begun last. There is space for it ([`Block::reserve`]).
    #[inline]
    pub fn push_on_page(&mut self, rowid: i64, at: usize, len: usize) {
        if self.has_places {
            let page = (self.pages.len() as u32).wrapping_sub(1);
            self.places.push(Place { page, at: at as u32, len: len as u32 });
        }
        self.rowids.push(rowid);
    }
}

/// Whether a rowid is not below `least`, which becomes the one behind it.
fn keeps(least: &mut Option<i64>, rowid: i64) -> bool {
    let is_kept = least.is_some_and(|least| rowid >= least);
    if is_kept {
        *least = rowid.checked_add(1);
    }
    is_kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_wherever_they_are() {
        let leaf = Leaf::new(vec![0, 0, 0, 8, 10, 11, 12, 13].into()).unwrap();
        let mut block = Block::new(true);
        block.push(1, &[1, 2]).unwrap();
        block.begin_page(&leaf);
        block.push_on_page(4, 5, 2);
        block.push(6, &[3]).unwrap();
        assert_eq!(block.rowids(), [1, 4, 6]);
        assert_eq!([block.list(0), block.list(1), block.list(2), block.list(3)], [&[1, 2][..], &[11, 12], &[3], &[]]);
        block.clear();
        assert!(block.is_empty() && block.list(0).is_empty());
        for (rowid, at) in [(3, 4), (5, 5), (5, 6), (4, 7), (9, 4), (i64::MAX, 5), (i64::MAX, 6)] {
            block.begin_page(&leaf);
            block.push_on_page(rowid, at, 1);
        }
        block.keep_ascending(4).unwrap();
        assert_eq!(block.rowids(), [5, 9, i64::MAX]);
        assert_eq!([block.list(0), block.list(1), block.list(2)], [[11], [10], [11]]);
        let mut rows = Block::new(false);
        rows.push(1, &[1]).unwrap();
        assert_eq!((rows.len(), rows.list(0)), (1, &[][..]));
    }
}
