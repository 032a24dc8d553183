//! Pages that queries have read, and the places of terms in short segments: the next query mostly needs the same.
//!
//! All of it is worth something as long as the connection sees the same database: [`SqlConnection::content_version`](lithe_vtab::SqlConnection::content_version).

use std::sync::Arc;

use hashbrown::HashMap;

use super::leaf::Leaf;

/// How many leaf pages are kept at most. A page has one place, by its number.
const LEAVES_MAX: usize = 1024;
/// Segments of no more pages are short.
pub(super) const SHORT_PAGES_MAX: u64 = 16;
/// Of so many short segments the terms are kept at most.
const SHORT_SEGMENTS_MAX: usize = 256;

/// The rows of `x_idx` of one segment: the beginning of a page's first term, and the page, twice its number and 1 if it has a doclist index.
pub(super) type PageTerms = Arc<[(Box<[u8]>, i64)]>;

/// Pages of one version of the database.
#[derive(Debug, Default)]
pub(super) struct KnownPages {
    version: u64,
    leaves: Vec<Option<(i64, Leaf)>>,
    terms: HashMap<u64, PageTerms>,
}

impl KnownPages {
    /// A leaf page, by the id of its record.
    pub fn leaf(&self, version: u64, id: i64) -> Option<Leaf> {
        let place = self.leaves.get(place_of(id)).filter(|_| self.version == version)?;
        place.as_ref().filter(|(known, _)| *known == id).map(|(_, leaf)| leaf.clone())
    }

    /// Keeps a leaf page.
    pub fn put_leaf(&mut self, version: u64, id: i64, leaf: Leaf) {
        self.begin(version);
        if self.leaves.is_empty() {
            self.leaves.resize(LEAVES_MAX, None);
        }
        if let Some(place) = self.leaves.get_mut(place_of(id)) {
            *place = Some((id, leaf));
        }
    }

    /// The terms of a short segment.
    pub fn terms(&self, version: u64, segment: u64) -> Option<PageTerms> {
        self.terms.get(&segment).filter(|_| self.version == version).cloned()
    }

    /// Keeps the terms of a short segment.
    pub fn put_terms(&mut self, version: u64, segment: u64, terms: PageTerms) {
        self.begin(version);
        if self.terms.len() >= SHORT_SEGMENTS_MAX {
            self.terms.clear();
        }
        self.terms.insert(segment, terms);
    }

    fn begin(&mut self, version: u64) {
        if self.version != version {
            *self = KnownPages { version, ..KnownPages::default() };
        }
    }
}

fn place_of(id: i64) -> usize {
    // (The number of the segment is in the upper bits: pages of the same number lie apart.)
    (id ^ (id >> 37).wrapping_mul(97)).unsigned_abs() as usize % LEAVES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_those_of_a_version() {
        let leaf = || Leaf::new(vec![0, 0, 0, 4].into()).unwrap();
        let mut pages = KnownPages::default();
        pages.put_leaf(1, 7, leaf());
        pages.put_terms(1, 3, Arc::from([]));
        assert!(pages.leaf(1, 7).is_some() && pages.leaf(2, 7).is_none() && pages.leaf(1, 8).is_none());
        assert!(pages.terms(1, 3).is_some() && pages.terms(2, 3).is_none());
        pages.put_leaf(1, 7 + LEAVES_MAX as i64, leaf());
        assert!(pages.leaf(1, 7).is_none());
        pages.put_leaf(2, 7, leaf());
        assert!(pages.leaf(2, 7).is_some() && pages.terms(2, 3).is_none());
    }
}
