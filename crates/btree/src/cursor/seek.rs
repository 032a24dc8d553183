//! Searching a tree from the root, or from where the cursor stands if that is near.

use super::{Cursor, Level, Seek, State};
use crate::btree::Btree;
use crate::error::Result;
use crate::key::SearchKey;
use crate::node::Node;
use lithe_format::btree_page::CHILD_LEN;
use lithe_format::cell;
use lithe_format::varint;
use std::cmp::Ordering;

impl Cursor {
    /// Goes to the row `rowid` of a table, or to a neighbour of where it would be.
    #[inline]
    pub fn seek_rowid(&mut self, btree: &Btree, rowid: i64) -> Result<Seek> {
        debug_assert!(self.key_info.is_none(), "a rowid is sought in a table");
        if self.version == btree.version(self.root)
            && let Some(seek) = self.seek_rowid_here(rowid)?
        {
            return Ok(seek);
        }
        self.seek_rowid_from_root(btree, rowid)
    }

    /// Searches the leaf on which the cursor stands, if `rowid` is between its first and last row, or
    /// past the last row of all.
    #[inline]
    fn seek_rowid_here(&mut self, rowid: i64) -> Result<Option<Seek>> {
        if self.state != State::Row {
            return Ok(None);
        }
        if self.at_last || self.row.is_some() {
            match self.parse()?.rowid.cmp(&rowid) {
                Ordering::Equal => return Ok(Some(Seek::Exact)),
                Ordering::Less if self.at_last => return Ok(Some(Seek::Less)),
                _ => {}
            }
        }
        let node = &self.here().node;
        if rowid < leaf_rowid(node, 0)? || rowid > leaf_rowid(node, node.count() - 1)? {
            return Ok(None);
        }
        self.seek_rowid_on_leaf(rowid).map(Some)
    }

    fn seek_rowid_from_root(&mut self, btree: &Btree, rowid: i64) -> Result<Seek> {
        self.state = State::Nowhere;
        self.row = None;
        self.at_last = false;
        self.enter_root(btree)?;
        let mut depth = 0;
        while let Some(level) = self.path.get_mut(depth) {
            if level.node.is_leaf() {
                self.path.truncate(depth + 1);
                return self.seek_rowid_on_leaf(rowid);
            }
            let index = find_child(&level.node, rowid)?;
            level.index = index as u16;
            let child = level.node.child(index)?;
            depth += 1;
            self.enter(btree, depth, child)?;
        }
        Ok(Seek::Empty)
    }

    /// Searches the leaf at the end of the path.
    #[inline]
    fn seek_rowid_on_leaf(&mut self, rowid: i64) -> Result<Seek> {
        let level = self.here_mut();
        if level.node.cell_count == 0 {
            self.state = State::Nowhere;
            return Ok(Seek::Empty);
        }
        let index = find_row(&level.node, rowid)?;
        level.index = index as u16;
        self.row = None;
        self.at_last = false;
        self.state = State::Row;
        let found = self.parse()?.rowid;
        Ok(match found.cmp(&rowid) {
            Ordering::Equal => Seek::Exact,
            Ordering::Less => Seek::Less,
            Ordering::Greater => Seek::Greater,
        })
    }

    /// Goes to the entry that equals `key` (or, for a [prefix](crate::Prefix), to a neighbour of where the key stands).
    pub fn seek_key(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Result<Seek> {
        debug_assert!(self.key_info.is_some(), "a key is sought in an index");
        if self.at_last && self.state == State::Row && self.version == btree.version(self.root) {
            let here = self.path.len() - 1;
            if self.order_of_entry(btree, here, usize::from(self.path[here].index), key)? == Ordering::Less {
                return Ok(Seek::Less);
            }
        }
        self.state = State::Nowhere;
        self.row = None;
        self.at_last = false;
        self.enter_root(btree)?;
        if self.path.is_empty() {
            return Ok(Seek::Empty);
        }
        let mut depth = 0;
        loop {
            let (index, found) = self.find_entry(btree, depth, key)?;
            let Level { node, index: at } = &mut self.path[depth];
            *at = index as u16;
            if found || node.is_leaf() {
                self.path.truncate(depth + 1);
                return Ok(self.stand_at_key(found));
            }
            let child = node.child(index)?;
            depth += 1;
            self.enter(btree, depth, child)?;
        }
    }

    /// The path ends where the key is, or on the leaf where it would be: before cell `index`.
    fn stand_at_key(&mut self, found: bool) -> Seek {
        let Level { node, index } = self.here_mut();
        let seek = if found {
            Seek::Exact
        } else if node.cell_count == 0 {
            return Seek::Empty;
        } else if *index < node.cell_count {
            Seek::Greater
        } else {
            *index -= 1;
            Seek::Less
        };
        self.state = State::Row;
        seek
    }

    /// The first cell of the page at `depth` that is not less than the key, and whether it equals it.
    fn find_entry(&mut self, btree: &Btree, depth: usize, key: &SearchKey<'_>) -> Result<(usize, bool)> {
        let mut low = 0;
        let mut high = self.path[depth].node.count();
        while low < high {
            let middle = (low + high) / 2;
            match self.order_of_entry(btree, depth, middle, key)? {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok((middle, true)),
            }
        }
        Ok((low, false))
    }

    /// The order of the entry in cell `index` of the page at `depth` relative to `key`.
    #[inline]
    fn order_of_entry(&mut self, btree: &Btree, depth: usize, index: usize, key: &SearchKey<'_>) -> Result<Ordering> {
        let node = &self.path[depth].node;
        let at = node.cell_at(index)?;
        let span = cell::read_index(&node.page, at, node.kind, &self.limits)
            .ok_or_else(|| node.corrupt("cell outside the page"))?;
        let local = &node.page[span.range()];
        match key.compare_entry(local) {
            Ok(order) => Ok(order),
            // The local part may be too short to decide.
            Err(_) if span.overflows() => self.order_of_long_entry(btree, depth, span, key),
            Err(malformed) => Err(node.corrupt(malformed.0)),
        }
    }

    #[cold]
    fn order_of_long_entry(
        &mut self,
        btree: &Btree,
        depth: usize,
        span: cell::PayloadSpan,
        key: &SearchKey<'_>,
    ) -> Result<Ordering> {
        // A collation may be the application's, and must not find us in the middle of anything.
        let mut entry = std::mem::take(&mut self.scratch);
        let node = &self.path[depth].node;
        let whole = crate::overflow::read_whole(btree, &node.page, node.no, span, &mut entry);
        let order = whole.and_then(|()| key.compare_entry(&entry).map_err(|e| node.corrupt(e.0)));
        self.scratch = entry;
        order
    }
}

#[inline]
fn leaf_rowid(node: &Node, index: usize) -> Result<i64> {
    cell::read_leaf_rowid(&node.page, node.cell_at(index)?).ok_or_else(|| node.corrupt("cell outside the page"))
}

/// The last row of the leaf whose rowid is not greater than `rowid`, or row 0.
#[inline]
fn find_row(node: &Node, rowid: i64) -> Result<usize> {
    let page: &[u8] = &node.page;
    let pointers = node.pointers()?;
    let mut low = 0;
    let mut len = pointers.len();
    // No branch depends on a comparison here: the processor cannot guess it, and would lose more
    // than the few steps saved by stopping at an exact hit.
    while len > 1 {
        let half = len / 2;
        let at = usize::from(u16::from_be_bytes(pointers[low + half]));
        let found = cell::read_leaf_rowid(page, at).ok_or_else(|| node.corrupt("cell outside the page"))?;
        low = if found <= rowid { low + half } else { low };
        len -= half;
    }
    Ok(low)
}

/// The child of an interior page of a table that holds `rowid` if any does: cells carry the largest
/// rowid of the child before them.
#[inline]
fn find_child(node: &Node, rowid: i64) -> Result<usize> {
    let page: &[u8] = &node.page;
    let pointers = node.pointers()?;
    let key = |index: usize| {
        let at = usize::from(u16::from_be_bytes(pointers[index]));
        match varint::read_at(page, at + CHILD_LEN) {
            Some((key, _)) => Ok(key as i64),
            None => Err(node.corrupt("cell outside the page")),
        }
    };
    let mut low = 0; // every key before `low` is less than `rowid`
    let mut len = pointers.len();
    while len > 0 {
        let half = len.div_ceil(2);
        let less = key(low + half - 1)? < rowid;
        low = if less { low + half } else { low };
        len -= half;
    }
    Ok(low)
}
