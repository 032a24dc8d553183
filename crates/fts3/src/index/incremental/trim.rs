//! Deletes the first terms of a segment, because a merge has moved them.
//!
//! The first leaf that is still needed, and the nodes on the path to it, are cut to begin with the first term that is left. The blocks of
//! the leaves before it are deleted. (Interior nodes above those leaves stay, unreachable.)

use lithe_value::Grow;
use lithe_value::grow::copied;
use lithe_vtab::SqlConnection;

use crate::index::node::NodeReader;
use crate::index::store::{Segment, Store};
use crate::index::writer::push_entry;
use crate::{Result, corrupt, varint};

/// Makes a segment begin with `term`, which it contains.
///
/// # Errors
/// SQLITE_CORRUPT_VTAB; those of reading and writing.
pub fn trim(connection: &dyn SqlConnection, store: &Store, segment: &Segment, term: &[u8]) -> Result {
    if segment.start_block == 0 {
        let root = leaf_from(copied(&segment.root)?, term)?;
        return store.trim_segment(connection, segment, 0, &root);
    }
    let mut height = NodeReader::height(&segment.root)?;
    let (root, mut block) = interior_from(copied(&segment.root)?, term)?;
    loop {
        let bytes = store.block(connection, block)?;
        let below = NodeReader::height(&bytes)?;
        // Each node must be lower than its parent, or the descent would not end.
        if below >= height {
            return Err(corrupt());
        }
        height = below;
        if height == 0 {
            store.put_block(connection, block, Some(&leaf_from(bytes, term)?))?;
            break;
        }
        let (bytes, child) = interior_from(bytes, term)?;
        store.put_block(connection, block, Some(&bytes))?;
        block = child;
    }
    if block > segment.start_block {
        store.delete_blocks(connection, segment.start_block, block - 1)?;
    }
    store.trim_segment(connection, segment, block, &root)
}

/// A leaf without the terms in front of `term`.
fn leaf_from(bytes: Vec<u8>, term: &[u8]) -> Result<Vec<u8>> {
    let mut node = NodeReader::new(bytes)?;
    if NodeReader::height(&node.bytes)? != 0 {
        return Err(corrupt());
    }
    while node.advance()? {
        if node.term == term {
            let mut left = Vec::new();
            push_entry(&mut left, 0, term, node.doclist())?;
            left.try_append(node.rest())?;
            return Ok(left);
        }
    }
    Err(corrupt())
}

/// An interior node without the children in front of the one that has `term`, with that child.
fn interior_from(bytes: Vec<u8>, term: &[u8]) -> Result<(Vec<u8>, i64)> {
    let height = NodeReader::height(&bytes)?;
    let mut node = NodeReader::new(bytes)?;
    let mut left = Vec::new();
    left.try_grow(3 * varint::LEN_MAX)?;
    varint::write(&mut left, height);
    while node.advance()? {
        if *node.term > *term {
            varint::write(&mut left, node.child());
            varint::write(&mut left, node.term.len() as i64);
            left.try_append(&node.term)?;
            left.try_append(node.rest())?;
            return Ok((left, node.child()));
        }
    }
    varint::write(&mut left, node.last_child());
    Ok((left, node.last_child()))
}
