//! Writing a segment: the leaves in order, then the tree above them.

use lithe_value::Grow;
use lithe_value::buffer::OutOfMemory;
use lithe_value::grow::copied;
use lithe_vtab::SqlConnection;

use super::store::{Segment, Store};
use crate::{Result, corrupt, varint};

/// The bytes that SQLite reserves at the start of an interior node: its height, and the longest varint for its leftmost child.
const INTERIOR_HEADER_LEN: usize = 1 + varint::LEN_MAX;

/// Writes a segment. Terms must come in order.
#[derive(Debug)]
pub struct SegmentWriter {
    node_size: usize,
    first_block: i64,
    next_block: i64,
    leaf: Vec<u8>,
    term: Vec<u8>,
    /// The levels above the leaves, with the nodes of each so far.
    levels: Vec<Vec<Interior>>,
    /// The total bytes of all entries.
    leaf_bytes: i64,
    /// The number of leaves written.
    pub leaves: u64,
}

/// An interior node that is not yet written.
#[derive(Debug, Default)]
struct Interior {
    entries: Vec<u8>,
    term: Vec<u8>,
    terms: usize,
}

impl SegmentWriter {
    /// A writer with nodes of that size, whose blocks follow the last block.
    ///
    /// # Errors
    /// Those of reading.
    pub fn new(connection: &dyn SqlConnection, store: &Store, node_size: usize) -> Result<SegmentWriter> {
        let first_block = store.next_block(connection)?;
        Ok(SegmentWriter {
            node_size,
            first_block,
            next_block: first_block,
            leaf: Vec::new(),
            term: Vec::new(),
            levels: Vec::new(),
            leaf_bytes: 0,
            leaves: 0,
        })
    }

    /// Appends a term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if it does not come after those before it; those of writing.
    pub fn add(&mut self, connection: &dyn SqlConnection, store: &Store, term: &[u8], doclist: &[u8]) -> Result {
        let mut shared = shared_len(&self.term, term);
        if term.len() <= shared {
            return Err(corrupt());
        }
        let mut len = entry_len(shared, term, doclist);
        if !self.leaf.is_empty() && self.leaf.len() + len > self.node_size {
            if self.next_block == i64::MAX {
                return Err(corrupt());
            }
            store.put_block(connection, self.next_block, Some(&self.leaf))?;
            (self.next_block, self.leaves) = (self.next_block + 1, self.leaves + 1);
            self.separate(term.get(..shared + 1).unwrap_or(term), 0)?;
            self.leaf.clear();
            self.term.clear();
            shared = 0;
            len = entry_len(0, term, doclist);
        }
        self.leaf_bytes += len as i64;
        push_entry(&mut self.leaf, shared, term, doclist)?;
        self.term.clear();
        self.term.try_append(term)?;
        Ok(())
    }

    /// Adds the term between two nodes to the level above them.
    fn separate(&mut self, term: &[u8], level: usize) -> Result<(), OutOfMemory> {
        let Some(nodes) = self.levels.get_mut(level) else {
            let mut node = Interior::default();
            node.push(term)?;
            self.levels.push(vec![node]);
            return Ok(());
        };
        let Some(node) = nodes.last_mut() else { return Ok(()) };
        if node.terms == 0 || INTERIOR_HEADER_LEN + node.entries.len() + node.entry_len(term) <= self.node_size {
            return node.push(term);
        }
        // The term goes one level up, and the new node has only its leftmost child so far.
        nodes.try_push(Interior::default())?;
        self.separate(term, level + 1)
    }

    /// Writes the last leaf, the interior nodes and the segment's row.
    ///
    /// # Errors
    /// Those of writing.
    pub fn finish(mut self, connection: &dyn SqlConnection, store: &Store, level: i64, index: i64) -> Result<Segment> {
        let mut segment = Segment { level, index, leaf_bytes: self.leaf_bytes, ..Segment::default() };
        if self.next_block > i64::MAX / 2 {
            // No table has that many blocks: the stored numbers are damaged.
            return Err(corrupt());
        }
        if self.levels.is_empty() {
            segment.root = self.leaf;
        } else {
            store.put_block(connection, self.next_block, Some(&self.leaf))?;
            (segment.start_block, segment.leaves_end_block) = (self.first_block, self.next_block);
            self.next_block += 1;
            let (mut child, mut height) = (self.first_block, 1);
            let Some(top) = self.levels.pop() else { return Err(corrupt()) };
            for nodes in &self.levels {
                let first = self.next_block;
                for node in nodes {
                    store.put_block(connection, self.next_block, Some(&node.bytes(height, child)?))?;
                    self.next_block += 1;
                    child += node.terms as i64 + 1;
                }
                (child, height) = (first, height + 1);
            }
            segment.root = top.first().ok_or_else(corrupt)?.bytes(height, child)?;
            segment.end_block = self.next_block - 1;
        }
        store.put_segment(connection, &segment)?;
        Ok(segment)
    }
}

impl Interior {
    fn entry_len(&self, term: &[u8]) -> usize {
        let shared = shared_len(&self.term, term);
        let suffix = term.len() - shared;
        varint::len(shared as i64) + varint::len(suffix as i64) + suffix
    }

    fn push(&mut self, term: &[u8]) -> Result<(), OutOfMemory> {
        let shared = shared_len(&self.term, term);
        self.entries.try_grow(2 * varint::LEN_MAX + term.len())?;
        if self.terms > 0 {
            varint::write(&mut self.entries, shared as i64);
        }
        varint::write(&mut self.entries, (term.len() - shared) as i64);
        self.entries.extend_from_slice(term.get(shared..).unwrap_or_default());
        self.term = copied(term)?;
        self.terms += 1;
        Ok(())
    }

    fn bytes(&self, height: i64, leftmost: i64) -> Result<Vec<u8>, OutOfMemory> {
        let mut bytes = Vec::new();
        bytes.try_grow(2 * varint::LEN_MAX + self.entries.len())?;
        varint::write(&mut bytes, height);
        varint::write(&mut bytes, leftmost);
        bytes.extend_from_slice(&self.entries);
        Ok(bytes)
    }
}

/// The length of the common prefix of two terms.
pub fn shared_len(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The length of a term's entry in a leaf.
pub fn entry_len(shared: usize, term: &[u8], doclist: &[u8]) -> usize {
    let suffix = term.len() - shared;
    // (For the first term of a leaf, the shared length is the leaf's height.)
    let shared = varint::len(shared as i64);
    shared + varint::len(suffix as i64) + suffix + varint::len(doclist.len() as i64) + doclist.len()
}

/// Appends an entry to a leaf.
///
/// # Errors
/// If the memory is short.
pub fn push_entry(leaf: &mut Vec<u8>, shared: usize, term: &[u8], doclist: &[u8]) -> Result<(), OutOfMemory> {
    leaf.try_grow(entry_len(shared, term, doclist))?;
    varint::write(leaf, shared as i64);
    varint::write(leaf, (term.len() - shared) as i64);
    leaf.extend_from_slice(term.get(shared..).unwrap_or_default());
    varint::write(leaf, doclist.len() as i64);
    leaf.extend_from_slice(doclist);
    Ok(())
}
