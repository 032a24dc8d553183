//! Nodes of a segment's tree, and their reader.
//!
//! ```text
//!   leaf       00 | varint n | term | varint m | doclist | ( varint shared | varint n | suffix | varint m | doclist )*
//!   interior   varint height | varint leftmost child | varint n | term | ( varint shared | varint n | suffix )*
//! ```
//!
//! The 00 at the start of a leaf is both its height and the shared length of its first term. An interior node with k terms has k + 1
//! children, in consecutive blocks; child i + 1 has the terms from term i on.

use std::ops::Range;

use lithe_value::Grow;

use crate::{Result, corrupt, varint};

/// Reads the terms of a node.
#[derive(Clone, Debug, Default)]
pub struct NodeReader {
    /// The node.
    pub bytes: Vec<u8>,
    at: usize,
    /// The current term.
    pub term: Vec<u8>,
    is_leaf: bool,
    is_first: bool,
    /// The child before the term.
    child: i64,
    doclist: Range<usize>,
}

impl NodeReader {
    /// A reader in front of the first term.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn new(bytes: Vec<u8>) -> Result<NodeReader> {
        let mut at = 0;
        let is_leaf = *bytes.first().ok_or_else(corrupt)? == 0;
        let mut child = 0;
        if !is_leaf {
            varint::read(&bytes, &mut at).ok_or_else(corrupt)?;
            child = varint::read(&bytes, &mut at).ok_or_else(corrupt)?;
        }
        Ok(NodeReader { bytes, at, term: Vec::new(), is_leaf, is_first: true, child, doclist: 0..0 })
    }

    /// The height of a node above the leaves.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn height(bytes: &[u8]) -> Result<i64> {
        varint::read(bytes, &mut 0).ok_or_else(corrupt)
    }

    /// Goes to the next term. False at the end.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn advance(&mut self) -> Result<bool> {
        if self.at >= self.bytes.len() {
            return Ok(false);
        }
        // In a leaf, the height is the shared length of the first term; the first term of an interior node has no shared length.
        let has_shared = self.is_leaf || !self.is_first;
        if !self.is_first {
            self.child = self.child.wrapping_add(1);
        }
        let read = |at: &mut usize| varint::read_len(&self.bytes, at).ok_or_else(corrupt);
        let shared = if has_shared { read(&mut self.at)? } else { 0 };
        let len = read(&mut self.at)?;
        let suffix = self.bytes.get(self.at..self.at + len).ok_or_else(corrupt)?;
        if len == 0 || shared > self.term.len() {
            return Err(corrupt());
        }
        self.term.truncate(shared);
        self.term.try_append(suffix)?;
        self.at += len;
        if self.is_leaf {
            let len = read(&mut self.at)?;
            self.doclist = self.at..self.at + len;
            // A doclist ends with the 00 of its last row.
            if self.bytes.get(self.doclist.clone()).is_none_or(|doclist| doclist.last().is_some_and(|last| *last != 0))
            {
                return Err(corrupt());
            }
            self.at += len;
        }
        self.is_first = false;
        Ok(true)
    }

    /// The doclist of the term, in a leaf.
    pub fn doclist(&self) -> &[u8] {
        self.bytes.get(self.doclist.clone()).unwrap_or_default()
    }

    /// The bytes after the entry of the term.
    pub fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The child of an interior node before the term.
    pub fn child(&self) -> i64 {
        self.child
    }

    /// The last child of an interior node, after all of its terms have been read.
    pub fn last_child(&self) -> i64 {
        if self.is_leaf || self.is_first { self.child } else { self.child.wrapping_add(1) }
    }

    /// The first and the last child of an interior node that can have `term`, or terms that begin with it.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn children_with(bytes: Vec<u8>, term: &[u8]) -> Result<(i64, i64)> {
        let mut node = NodeReader::new(bytes)?;
        let mut first = None;
        let start = node.child;
        let mut last = start;
        while node.advance()? {
            let shared = node.term.get(..term.len().min(node.term.len())).unwrap_or_default();
            // A term whose beginning is greater than the prefix: the prefix's terms end before it.
            let is_beyond = shared > term;
            if first.is_none() && node.term.as_slice() > term {
                first = Some(node.child);
            }
            if is_beyond {
                return Ok((first.unwrap_or(node.child), node.child));
            }
            last = node.child.wrapping_add(1);
        }
        Ok((first.unwrap_or(last), last))
    }
}
