//! Where terms are in the segments, as queries have found them: the same words are looked for again and again, by the next query, or to rank what
//! this one finds.

use std::sync::Arc;

use hashbrown::HashMap;

use super::segment::SegmentCursor;

/// So many cursors are kept at most, each with a page.
const CURSORS_MAX: usize = 1024;

/// Terms, each with a cursor on its first row in each segment that has it, the newest first.
#[derive(Debug, Default)]
pub(super) struct FoundTerms {
    /// The version of the database that the connection sees: [`SqlConnection::content_version`](lithe_vtab::SqlConnection::content_version).
    version: u64,
    terms: HashMap<Box<[u8]>, Arc<[SegmentCursor]>>,
    cursors: usize,
}

impl FoundTerms {
    /// The cursors of a term, if they are known in this version.
    pub fn get(&self, version: u64, key: &[u8]) -> Option<Arc<[SegmentCursor]>> {
        if self.version == version { self.terms.get(key).cloned() } else { None }
    }

    /// Keeps the cursors of a term. Those of another version go, and all go if there are too many.
    pub fn put(&mut self, version: u64, key: &[u8], cursors: Arc<[SegmentCursor]>) {
        let count = 1 + cursors.len();
        if self.version != version || self.cursors + count > CURSORS_MAX {
            self.terms.clear();
            (self.version, self.cursors) = (version, 0);
        }
        if count <= CURSORS_MAX && self.terms.insert(key.into(), cursors).is_none() {
            self.cursors += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_those_of_a_version_and_bounded() {
        let mut found = FoundTerms::default();
        let cursors: Arc<[SegmentCursor]> = Arc::from([]);
        found.put(1, b"0a", Arc::clone(&cursors));
        assert!(found.get(1, b"0a").is_some() && found.get(1, b"0b").is_none() && found.get(2, b"0a").is_none());
        found.put(2, b"0b", Arc::clone(&cursors));
        assert!(found.get(2, b"0a").is_none() && found.get(2, b"0b").is_some());
        for number in 0..3 * CURSORS_MAX {
            found.put(2, number.to_string().as_bytes(), Arc::clone(&cursors));
            assert!(found.terms.len() <= CURSORS_MAX);
        }
    }
}
