//! The segment that an incremental merge writes.
//!
//! The segment can grow later, so its blocks are reserved at the start, the same number for each layer of its tree: twice as many as the
//! leaves that are merged. Layer 0 has the leaves.
//!
//! ```text
//!   start        start + reserved      start + 2 * reserved           start + 16 * reserved - 1
//!   | leaves ... | layer 1 ...         | layer 2 ...         | ...    | NULL |
//! ```
//!
//! The NULL block keeps the range reserved, because new segments begin after the last block; it also marks the segment as one that can
//! grow. The one node of the highest layer is the root, which is in `x_segdir`. Only the last node of each layer can change.

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::SqlConnection;

use crate::index::node::NodeReader;
use crate::index::store::{Segment, Store};
use crate::index::writer::{entry_len, push_entry, shared_len};
use crate::{Result, corrupt, varint};

/// The number of layers for which blocks are reserved.
const LAYERS: i64 = 16;

/// A segment that grows at its end.
#[derive(Debug)]
pub struct GrowingSegment {
    segment: Segment,
    node_size: usize,
    reserved: i64,
    leaf: Leaf,
    /// The last node of each layer above the leaves.
    interiors: Vec<Interior>,
    /// The number of leaves that are full.
    pub leaves_filled: i64,
}

/// The last leaf.
#[derive(Debug, Default)]
struct Leaf {
    block: i64,
    bytes: Vec<u8>,
    term: Vec<u8>,
}

/// The last node of a layer.
#[derive(Debug)]
struct Interior {
    block: i64,
    bytes: Vec<u8>,
    /// The last term, if the node has one.
    term: Option<Vec<u8>>,
}

impl GrowingSegment {
    /// A new segment at a level and an index, for the terms of `leaves` leaves.
    ///
    /// # Errors
    /// Those of reading and writing.
    pub fn new(
        connection: &dyn SqlConnection,
        store: &Store,
        (level, index): (i64, i64),
        leaves: i64,
        node_size: usize,
    ) -> Result<GrowingSegment> {
        let start = store.next_block(connection)?;
        let reserved = leaves.checked_mul(2).ok_or_else(corrupt)?;
        let end = reserved.checked_mul(LAYERS).and_then(|blocks| start.checked_add(blocks)).ok_or_else(corrupt)? - 1;
        store.put_block(connection, end, None)?;
        Ok(GrowingSegment {
            segment: Segment { level, index, start_block: start, end_block: end, ..Segment::default() },
            node_size,
            reserved,
            leaf: Leaf { block: start, ..Leaf::default() },
            interiors: vec![Interior::new(start + reserved, 1, start)],
            leaves_filled: 0,
        })
    }

    /// Loads an existing segment. None if it cannot grow.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading.
    pub fn load(
        connection: &dyn SqlConnection,
        store: &Store,
        segment: Segment,
        node_size: usize,
    ) -> Result<Option<GrowingSegment>> {
        if segment.start_block == 0 || !store.is_empty_block(connection, segment.end_block)? {
            return Ok(None);
        }
        let blocks = segment.end_block.checked_sub(segment.start_block).ok_or_else(corrupt)?.saturating_add(1);
        let reserved = blocks / LAYERS;
        let height = NodeReader::height(&segment.root)?;
        if reserved < 1 || !(1..LAYERS).contains(&height) {
            return Err(corrupt());
        }
        let (mut block, mut bytes) = (segment.start_block + height * reserved, copied(&segment.root)?);
        let mut interiors = Vec::new();
        for height in (1..=height).rev() {
            let (interior, child) = Interior::load(block, bytes, height)?;
            interiors.insert(0, interior);
            (block, bytes) = (child, store.block(connection, child)?);
        }
        let leaf = Leaf::load(block, bytes)?;
        if leaf.block != segment.leaves_end_block {
            return Err(corrupt());
        }
        Ok(Some(GrowingSegment { segment, node_size, reserved, leaf, interiors, leaves_filled: 0 }))
    }

    /// Its place in its level.
    pub fn index(&self) -> i64 {
        self.segment.index
    }

    /// Whether all of its terms come before this one.
    pub fn is_before(&self, term: &[u8]) -> bool {
        *self.leaf.term < *term
    }

    /// Appends a term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of writing.
    pub fn append(&mut self, connection: &dyn SqlConnection, store: &Store, term: &[u8], doclist: &[u8]) -> Result {
        let mut shared = shared_len(&self.leaf.term, term);
        if term.len() <= shared {
            return Err(corrupt());
        }
        let is_full = self.leaf.bytes.len() + entry_len(shared, term, doclist) > self.node_size;
        // The last leaf that has a reserved block grows without limit.
        let has_block = self.leaf.block - self.segment.start_block < self.reserved;
        if !self.leaf.bytes.is_empty() && is_full && has_block {
            store.put_block(connection, self.leaf.block, Some(&self.leaf.bytes))?;
            self.leaf = Leaf { block: self.leaf.block + 1, ..Leaf::default() };
            self.leaves_filled += 1;
            self.separate(connection, store, term.get(..shared + 1).unwrap_or(term))?;
            shared = 0;
        }
        let size = &mut self.segment.leaf_bytes;
        *size = size.saturating_abs().saturating_add(entry_len(shared, term, doclist) as i64);
        push_entry(&mut self.leaf.bytes, shared, term, doclist)?;
        self.leaf.term.clear();
        self.leaf.term.try_append(term)?;
        Ok(())
    }

    /// Adds the term between the last leaf and the one before it to the lowest layer. A term that does not fit goes to the next layer, and
    /// the lowest layer gets a node with only a leftmost child, and so on upwards.
    fn separate(&mut self, connection: &dyn SqlConnection, store: &Store, term: &[u8]) -> Result {
        let mut child = self.leaf.block;
        for height in 1..LAYERS {
            let Some(interior) = self.interiors.get_mut(height as usize - 1) else {
                // The lower layer had one node so far, the root.
                let block = self.segment.start_block + height * self.reserved;
                let mut root = Interior::new(block, height, child - 1);
                root.push(term)?;
                self.interiors.push(root);
                return Ok(());
            };
            if interior.has_space(term, self.node_size) {
                interior.push(term)?;
                return Ok(());
            }
            // (A segment that has outgrown its leaves' blocks must not overwrite one with a node.)
            if interior.block <= self.leaf.block {
                return Err(corrupt());
            }
            store.put_block(connection, interior.block, Some(&interior.bytes))?;
            *interior = Interior::new(interior.block + 1, height, child);
            child = interior.block;
        }
        Err(corrupt())
    }

    /// Writes the nodes that have changed, and the segment's row. Answers the segment; None if it has no terms.
    ///
    /// # Errors
    /// Those of writing.
    pub fn save(mut self, connection: &dyn SqlConnection, store: &Store, is_whole: bool) -> Result<Option<Segment>> {
        let Some(root) = self.interiors.pop().filter(|_| !self.leaf.bytes.is_empty()) else { return Ok(None) };
        store.put_block(connection, self.leaf.block, Some(&self.leaf.bytes))?;
        for interior in &self.interiors {
            if interior.block <= self.leaf.block {
                return Err(corrupt());
            }
            store.put_block(connection, interior.block, Some(&interior.bytes))?;
        }
        self.segment.leaves_end_block = self.leaf.block;
        self.segment.root = root.bytes;
        let size = self.segment.leaf_bytes.saturating_abs();
        self.segment.leaf_bytes = if is_whole { size } else { -size };
        store.put_segment(connection, &self.segment)?;
        Ok(Some(self.segment))
    }
}

impl Leaf {
    fn load(block: i64, bytes: Vec<u8>) -> Result<Leaf> {
        let mut node = NodeReader::new(bytes)?;
        if NodeReader::height(&node.bytes)? != 0 {
            return Err(corrupt());
        }
        while node.advance()? {}
        Ok(Leaf { block, bytes: node.bytes, term: node.term })
    }
}

impl Interior {
    fn new(block: i64, height: i64, leftmost: i64) -> Interior {
        let mut bytes = Vec::new();
        varint::write(&mut bytes, height);
        varint::write(&mut bytes, leftmost);
        Interior { block, bytes, term: None }
    }

    /// Reads a node; answers it and its last child.
    fn load(block: i64, bytes: Vec<u8>, height: i64) -> Result<(Interior, i64)> {
        if NodeReader::height(&bytes)? != height {
            return Err(corrupt());
        }
        let mut node = NodeReader::new(bytes)?;
        while node.advance()? {}
        let child = node.last_child();
        let term = (!node.term.is_empty()).then_some(node.term);
        Ok((Interior { block, bytes: node.bytes, term }, child))
    }

    /// Whether a term fits. A node without a term takes one of any length.
    fn has_space(&self, term: &[u8], node_size: usize) -> bool {
        let Some(last) = &self.term else { return true };
        let shared = shared_len(last, term);
        let suffix = term.len() - shared;
        let len = varint::len(shared as i64) + varint::len(suffix as i64) + suffix;
        self.bytes.len() + len <= node_size
    }

    fn push(&mut self, term: &[u8]) -> Result {
        self.bytes.try_grow(2 * varint::LEN_MAX + term.len())?;
        let shared = self.term.as_ref().map(|last| shared_len(last, term));
        if let Some(shared) = shared {
            varint::write(&mut self.bytes, shared as i64);
        }
        let suffix = term.get(shared.unwrap_or(0)..).unwrap_or_default();
        varint::write(&mut self.bytes, suffix.len() as i64);
        self.bytes.extend_from_slice(suffix);
        self.term = Some(copied(term)?);
        Ok(())
    }
}
