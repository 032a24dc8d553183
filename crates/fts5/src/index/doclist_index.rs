//! Doclist indexes: on which page of a long doclist which rowids begin.
//!
//! ```text
//!   u8 0: the root, 1: not | varint page | varint first rowid on it
//!   per following page: varint difference to the rowid in front, 0: no row begins there (leaves of the index only)
//! ```
//!
//! A level that takes more than a page has a parent of the next height, whose pages are pages of the index.

use super::Reader;
use super::store::doclist_index_id;
use crate::Result;
use crate::varint;

/// No doclist index is higher: each level has many times the pages of the one above it.
const HEIGHT_MAX: u32 = 31;

/// One page of a doclist index.
struct Page {
    bytes: Vec<u8>,
    at: usize,
    page: u64,
    rowid: i64,
}

impl Page {
    fn read(reader: &Reader<'_>, segment: u64, height: u32, page: u64) -> Result<Page> {
        let id = doclist_index_id(segment, height, page);
        let bytes: Vec<u8> = reader.store().read(id)?;
        let mut at = 1;
        let numbers = varint::read(&bytes, &mut at).zip(varint::read(&bytes, &mut at));
        let (page, rowid) = numbers.ok_or_else(|| reader.store().corrupt_record(id))?;
        Ok(Page { bytes, at, page, rowid: rowid as i64 })
    }

    fn is_root(&self) -> bool {
        self.bytes.first() == Some(&0)
    }

    /// Goes to the next entry: the next page on which a row begins.
    fn next(&mut self) -> Option<()> {
        let mut page = self.page;
        loop {
            let delta = varint::read(&self.bytes, &mut self.at)?;
            page = page.checked_add(1)?;
            if delta != 0 {
                self.page = page;
                self.rowid = self.rowid.wrapping_add(delta as i64);
                return Some(());
            }
        }
    }
}

/// The last page whose first rowid is not above `rowid`; none if there is no such page.
///
/// # Errors
/// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
pub fn find(reader: &Reader<'_>, segment: u64, term_page: u64, rowid: i64) -> Result<Option<u64>> {
    descend(reader, segment, term_page, |page| page.rowid <= rowid)
}

/// The last page on which a row begins.
///
/// # Errors
/// As [`find`].
pub fn last(reader: &Reader<'_>, segment: u64, term_page: u64) -> Result<Option<u64>> {
    descend(reader, segment, term_page, |_| true)
}

/// From the root down, along the last entries that are `wanted`.
fn descend(reader: &Reader<'_>, segment: u64, term_page: u64, wanted: impl Fn(&Page) -> bool) -> Result<Option<u64>> {
    let mut height = 0;
    let mut page = Page::read(reader, segment, height, term_page)?;
    while !page.is_root() && height < HEIGHT_MAX {
        height += 1;
        page = Page::read(reader, segment, height, term_page)?;
    }
    loop {
        if !wanted(&page) {
            return Ok(None);
        }
        let mut found = page.page;
        while page.next().is_some() && wanted(&page) {
            found = page.page;
        }
        if height == 0 {
            return Ok(Some(found));
        }
        height -= 1;
        page = Page::read(reader, segment, height, found)?;
    }
}
