//! A cache of decoded nodes, and a bound of the rowids.
//!
//! The content of a database has a version for each connection
//! ([`SqlConnection::content_version`](lithe_vtab::SqlConnection::content_version)): cached nodes are valid while it stays the same. A
//! write of the tree itself changes the version, but leaves all other nodes valid if it changed only the one row: a trigger on a shadow
//! table may write nodes, too.

use std::cell::{RefCell, RefMut};
use std::sync::Arc;

use crate::node::{Node, NodeNo};

/// The most cached nodes, which are 5 MB of a tree with two dimensions in pages of 4 KB. A node's place follows from its number.
const PLACES: usize = 4096;

/// The nodes of one tree.
#[derive(Default)]
pub struct Nodes(RefCell<Known>);

#[derive(Default)]
struct Known {
    version: Option<u64>,
    /// Incremented when all cached nodes become invalid.
    epoch: u64,
    places: Vec<Option<Place>>,
    /// No row has a larger id.
    largest_row: Option<i64>,
}

impl Known {
    /// Drops what is cached of another version.
    fn enter(&mut self, version: Option<u64>) {
        if self.version != version {
            self.version = version;
            self.epoch += 1;
            self.largest_row = None;
        }
    }
}

struct Place {
    epoch: u64,
    number: NodeNo,
    node: Arc<Node>,
}

impl Nodes {
    fn known(&self) -> RefMut<'_, Known> {
        self.0.borrow_mut()
    }

    /// A node, if it is cached for this version.
    pub fn get(&self, version: Option<u64>, number: NodeNo) -> Option<Arc<Node>> {
        let known = self.known();
        if version.is_none() || known.version != version {
            return None;
        }
        let place = known.places.get(place_of(number))?.as_ref()?;
        (place.epoch == known.epoch && place.number == number).then(|| Arc::clone(&place.node))
    }

    /// Whether another node of this version is cached in the place of this one.
    pub fn is_occupied(&self, version: Option<u64>, number: NodeNo) -> bool {
        let known = self.known();
        let place = known.places.get(place_of(number)).and_then(Option::as_ref);
        known.version == version && place.is_some_and(|place| place.epoch == known.epoch && place.number != number)
    }

    /// Caches a node of this version.
    pub fn put(&self, version: Option<u64>, number: NodeNo, node: Arc<Node>) {
        let mut known = self.known();
        if version.is_none() {
            return;
        }
        known.enter(version);
        if known.places.is_empty() {
            known.places.resize_with(PLACES, || None);
        }
        let epoch = known.epoch;
        if let Some(place) = known.places.get_mut(place_of(number)) {
            *place = Some(Place { epoch, number, node });
        }
    }

    /// A bound of the rowids of this version, if one is known: no row has a larger id.
    pub fn largest_row(&self, version: Option<u64>) -> Option<i64> {
        let known = self.known();
        if version.is_some() && known.version == version { known.largest_row } else { None }
    }

    /// Stores a bound of the rowids of this version.
    pub fn set_largest_row(&self, version: Option<u64>, largest: i64) {
        if version.is_some() {
            let mut known = self.known();
            known.enter(version);
            known.largest_row = Some(largest);
        }
    }

    /// A row with this id may have been added.
    pub fn include_row(&self, rowid: i64) {
        let mut known = self.known();
        known.largest_row = known.largest_row.map(|largest| largest.max(rowid));
    }

    /// Drops a removed node from the cache.
    pub fn remove(&self, number: NodeNo) {
        if let Some(place) = self.known().places.get_mut(place_of(number)) {
            *place = None;
        }
    }

    /// Keeps the cached nodes valid after a write of the tree itself, which has changed the version.
    pub fn advance(&self, before: Option<u64>, after: Option<u64>) {
        let mut known = self.known();
        if before.is_some() && after.is_some() && known.version == before {
            known.version = after;
        }
    }
}

fn place_of(number: NodeNo) -> usize {
    number.0 as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::CoordinateType;
    use crate::node::Layout;

    #[test]
    fn nodes_are_those_of_a_version() {
        let nodes = Nodes::default();
        let node = || Arc::new(Node::new(Layout::for_page_size(2, CoordinateType::Float, 512)).unwrap());
        let is_known = |version, number| nodes.get(version, NodeNo(number)).is_some();
        nodes.put(Some(1), NodeNo(7), node());
        nodes.put(None, NodeNo(8), node());
        assert!(is_known(Some(1), 7) && !is_known(Some(1), 8) && !is_known(Some(2), 7) && !is_known(None, 7));
        nodes.advance(Some(1), Some(2));
        assert!(is_known(Some(2), 7) && !is_known(Some(1), 7));
        // The version changed without a call of `advance`: the nodes are invalid, even if an earlier number comes back.
        nodes.put(Some(3), NodeNo(9), node());
        nodes.advance(Some(2), Some(4));
        assert!(is_known(Some(3), 9) && !is_known(Some(3), 7) && !is_known(Some(4), 7));
        nodes.set_largest_row(Some(3), 5);
        nodes.include_row(4);
        nodes.include_row(7);
        assert_eq!(
            (nodes.largest_row(Some(3)), nodes.largest_row(Some(4)), nodes.largest_row(None)),
            (Some(7), None, None)
        );
        nodes.put(Some(3), NodeNo(9 + PLACES as i64), node());
        assert!(!is_known(Some(3), 9));
        nodes.remove(NodeNo(9 + PLACES as i64));
        assert!(!is_known(Some(3), 9 + PLACES as i64));
        nodes.advance(Some(3), Some(5));
        assert_eq!(nodes.largest_row(Some(5)), Some(7));
        nodes.put(Some(6), NodeNo(1), node());
        assert_eq!(nodes.largest_row(Some(6)), None);
    }
}
