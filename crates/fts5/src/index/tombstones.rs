//! Tombstones: which rows of a segment are deleted, in contentless tables with contentless_delete=1.
//!
//! ```text
//!   u8 length of a key: 4 or 8 | u8 1: rowid 0 is deleted (page 0 only) | unused | u32 count | slots, 0: free
//!   page = rowid % pages      slot = rowid / pages % slots, or the next free one on the page
//! ```

use std::sync::Arc;

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::filled;

use super::Reader;
use super::store::tombstone_id;
use crate::Result;
use crate::structure::Segment;

const HEADER_LEN: usize = 8;
/// The fewest slots that a page has.
const SLOTS_MIN: usize = 32;

/// One page of tombstones.
#[derive(Clone, Debug)]
struct Page {
    bytes: Vec<u8>,
}

impl Page {
    fn new(slots: usize, key_len: usize) -> Page {
        let mut bytes = vec![0; HEADER_LEN + slots * key_len];
        if let Some(first) = bytes.first_mut() {
            *first = key_len as u8;
        }
        Page { bytes }
    }

    fn key_len(&self) -> usize {
        if self.bytes.first() == Some(&4) { 4 } else { 8 }
    }

    fn slots(&self) -> usize {
        self.bytes.len().saturating_sub(HEADER_LEN) / self.key_len()
    }

    fn count(&self) -> usize {
        let count = self.bytes.get(4..).and_then(<[u8]>::first_chunk);
        count.map_or(0, |count| u32::from_be_bytes(*count)) as usize
    }

    fn key(&self, slot: usize) -> u64 {
        let at = HEADER_LEN + slot * self.key_len();
        let bytes = self.bytes.get(at..at + self.key_len()).unwrap_or_default();
        bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte))
    }

    /// The slot of a rowid, or the free one where it would be. None: the page is full.
    fn find(&self, rowid: u64, pages: u64) -> Option<usize> {
        let slots = self.slots();
        if slots == 0 {
            return None;
        }
        let first = (rowid / pages % slots as u64) as usize;
        (0..slots).map(|at| (first + at) % slots).find(|slot| [0, rowid].contains(&self.key(*slot)))
    }

    fn has(&self, rowid: u64, pages: u64) -> bool {
        if rowid == 0 {
            return self.bytes.get(1) == Some(&1);
        }
        self.find(rowid, pages).is_some_and(|slot| self.key(slot) == rowid)
    }

    /// Adds a rowid. False: the page is too full, or its keys are too short.
    fn add(&mut self, rowid: u64, pages: u64) -> bool {
        if rowid == 0 {
            if let Some(flag) = self.bytes.get_mut(1) {
                *flag = 1;
            }
            return true;
        }
        let (key_len, slots, count) = (self.key_len(), self.slots(), self.count());
        if key_len == 4 && rowid > u64::from(u32::MAX) || count >= slots / 2 {
            return false;
        }
        let Some(slot) = self.find(rowid, pages) else { return false };
        let key = rowid.to_be_bytes();
        let at = HEADER_LEN + slot * key_len;
        if let Some(place) = self.bytes.get_mut(at..at + key_len) {
            place.copy_from_slice(key.get(8 - key_len..).unwrap_or_default());
        }
        if let Some(place) = self.bytes.get_mut(4..).and_then(<[u8]>::first_chunk_mut) {
            *place = (count as u32 + 1).to_be_bytes();
        }
        true
    }

    fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.slots()).map(|slot| self.key(slot)).filter(|key| *key != 0)
    }
}

/// The tombstones of a segment, read as they are needed.
#[derive(Clone, Debug, Default)]
pub struct Tombstones {
    segment: u64,
    count: u64,
    pages: Vec<(u64, Page)>,
}

impl Tombstones {
    /// Of a segment.
    pub fn of(segment: &Segment) -> Tombstones {
        Tombstones { segment: segment.id, count: segment.tombstone_pages, pages: Vec::new() }
    }

    /// Whether the segment has none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a row of the segment is deleted.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    #[inline]
    pub fn has(&mut self, reader: &Reader<'_>, rowid: i64) -> Result<bool> {
        if self.count == 0 { Ok(false) } else { self.find(reader, rowid) }
    }

    fn find(&mut self, reader: &Reader<'_>, rowid: i64) -> Result<bool> {
        let number = rowid as u64 % self.count;
        let at = match self.pages.iter().position(|(page, _)| *page == number) {
            Some(at) => at,
            None => {
                let bytes = reader.store().read(tombstone_id(self.segment, number))?;
                self.pages.try_push((number, Page { bytes }))?;
                self.pages.len() - 1
            }
        };
        Ok(self.pages.get(at).is_some_and(|(_, page)| page.has(rowid as u64, self.count)))
    }
}

impl Reader<'_> {
    /// Deletes a row of the segments that have rows of that origin.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading and writing shadow tables.
    pub fn add_tombstone(&self, origin: u64, rowid: i64) -> Result {
        let mut structure = crate::structure::Structure::clone(&*self.structure()?);
        let (mut is_counted, mut has_new_pages) = (false, false);
        for level in &mut structure.levels {
            for segment in level.segments.iter_mut().rev() {
                if !(segment.origin_first..=segment.origin_last).contains(&origin) {
                    continue;
                }
                if !is_counted {
                    segment.tombstones += 1;
                    is_counted = true;
                }
                let pages = segment.tombstone_pages;
                self.bury(segment, rowid)?;
                has_new_pages |= segment.tombstone_pages != pages;
            }
        }
        if is_counted {
            self.index.state()?.deletions += 1;
        }
        if has_new_pages {
            return self.put_structure(structure);
        }
        // (The next flush writes it.)
        self.index.state()?.structure = Some(Arc::new(structure));
        Ok(())
    }

    fn bury(&self, segment: &mut Segment, rowid: i64) -> Result {
        let (store, rowid) = (self.store(), rowid as u64);
        let pages = segment.tombstone_pages;
        if pages > 0 {
            let number = rowid % pages;
            let id = tombstone_id(segment.id, number);
            let mut page = Page { bytes: store.read(id)? };
            if page.add(rowid, pages) {
                return store.write(id, &page.bytes);
            }
        }
        let mut old = Vec::new();
        for number in 0..pages {
            old.try_push(Page { bytes: store.read(tombstone_id(segment.id, number))? })?;
        }
        let page_size = self.settings()?.page_size;
        let new = rebuild(&old, rowid, page_size)?;
        for (number, page) in (0..).zip(&new) {
            store.write(tombstone_id(segment.id, number), &page.bytes)?;
        }
        segment.tombstone_pages = new.len() as u64;
        Ok(())
    }
}

/// The pages with one more rowid, which did not fit.
fn rebuild(old: &[Page], rowid: u64, page_size: usize) -> Result<Vec<Page>, OutOfMemory> {
    let is_long = rowid > u64::from(u32::MAX) || old.first().is_some_and(|page| page.key_len() == 8);
    let key_len = if is_long { 8 } else { 4 };
    let slots_max = (page_size.saturating_sub(HEADER_LEN) / key_len).max(1);
    let count: usize = old.iter().map(Page::count).sum();
    let mut pages = old.len();
    let mut slots = if pages <= 1 { (4 * count).max(SLOTS_MIN) } else { usize::MAX };
    if slots <= slots_max || pages == 0 {
        pages = 1;
    } else {
        slots = slots_max;
        pages = pages * 2 + 1;
    }
    loop {
        let mut new = filled(Page::new(slots, key_len), pages)?;
        if old.first().is_some_and(|page| page.has(0, 1)) {
            new.first_mut().map(|page| page.add(0, 1));
        }
        let keys = old.iter().flat_map(Page::keys).chain([rowid]);
        let mut all_fit = true;
        for key in keys {
            let page = new.get_mut((key % pages as u64) as usize);
            all_fit &= page.is_some_and(|page| page.add(key, pages as u64));
        }
        if all_fit {
            return Ok(new);
        }
        slots = slots_max;
        pages = pages * 2 + 1;
    }
}
