//! Spilled pages that were read back: mostly the transaction soon reads such a page again, or writes it.

use std::sync::Arc;

use lithe_format::PageNo;

/// The newest versions of spilled pages, as far as they were read lately. A page's place follows from its number.
#[derive(Debug, Default)]
pub(crate) struct SpillReads(Vec<Option<(PageNo, Arc<[u8]>)>>);

/// How many pages are kept: interior pages of some trees, and the leaf that is searched before it is written.
const COUNT_MAX: usize = 64;
/// Fewer if they would take more memory than this, in bytes.
const BYTES_MAX: usize = COUNT_MAX * 4096;

impl SpillReads {
    fn place_of(&self, no: PageNo) -> Option<usize> {
        no.index().checked_rem(self.0.len())
    }

    /// The page, if it was read.
    pub(crate) fn get(&self, no: PageNo) -> Option<&Arc<[u8]>> {
        match &self.0[self.place_of(no)?] {
            Some((known, bytes)) if *known == no => Some(bytes),
            _ => None,
        }
    }

    /// Keeps a page that was read; answers the one that had its place.
    pub(crate) fn put(&mut self, no: PageNo, bytes: Arc<[u8]>) -> Option<Arc<[u8]>> {
        if self.0.is_empty() {
            let count = (BYTES_MAX / bytes.len().max(1)).clamp(1, COUNT_MAX);
            self.0.resize_with(count, || None);
        }
        let place = self.place_of(no)?;
        self.0[place].replace((no, bytes)).map(|(_, before)| before)
    }

    /// Takes a page out, if it was read.
    pub(crate) fn take(&mut self, no: PageNo) -> Option<Arc<[u8]>> {
        self.get(no)?;
        let place = self.place_of(no)?;
        self.0[place].take().map(|(_, bytes)| bytes)
    }

    /// Forgets all pages.
    pub(crate) fn clear(&mut self) {
        self.0 = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_kept_until_another_takes_its_place() {
        let page = |n: u32| PageNo::new(n).unwrap();
        let bytes = |n: u8, len: usize| -> Arc<[u8]> { vec![n; len].into() };
        let mut reads = SpillReads::default();
        assert!(reads.get(page(1)).is_none() && reads.take(page(1)).is_none());
        assert!(reads.put(page(1), bytes(1, 4096)).is_none());
        assert!(reads.put(page(2), bytes(2, 4096)).is_none());
        assert_eq!(reads.put(page(1 + COUNT_MAX as u32), bytes(3, 4096)).unwrap()[0], 1);
        assert!(reads.get(page(1)).is_none() && reads.take(page(1)).is_none());
        assert_eq!(reads.take(page(2)).unwrap()[0], 2);
        assert!(reads.get(page(2)).is_none());
        reads.clear();
        assert!(reads.get(page(1 + COUNT_MAX as u32)).is_none());
        // Large pages are few.
        assert!(reads.put(page(1), bytes(1, 65536)).is_none());
        assert!(reads.put(page(5), bytes(5, 65536)).is_some());
    }
}
