//! Searching a tree from the root, or from where the cursor stands if that is near.

use super::{Cursor, Level, Seek, State};
use crate::btree::Btree;
use crate::error::Result;
use crate::interiors::{Decoded, Turn};
use crate::key::{Cells, SearchKey};
use crate::node::Node;
use crate::search::{self, Range, lower_bound};
use lithe_format::btree_page::CHILD_LEN;
use lithe_format::cell;
use std::cmp::Ordering;

impl Cursor {
    /// Goes to the row `rowid` of a table, or to a neighbour of its place.
    #[inline]
    pub fn seek_rowid(&mut self, btree: &Btree, rowid: i64) -> Result<Seek> {
        debug_assert!(self.key_info.is_none(), "a rowid is sought in a table");
        if self.path.is_fresh(btree)
            && let Some(seek) = self.seek_rowid_here(rowid)?
        {
            return Ok(seek);
        }
        self.seek_rowid_from_root(btree, rowid)
    }

    /// Searches only near the cursor: on its row, on the same leaf, or past the last row of all.
    #[inline]
    fn seek_rowid_here(&mut self, rowid: i64) -> Result<Option<Seek>> {
        if let Some(row) = self.row
            && matches!(self.state, State::Row | State::Written)
        {
            match row.rowid.cmp(&rowid) {
                Ordering::Equal => return Ok(Some(Seek::Exact)),
                Ordering::Less if self.at_last => return Ok(Some(Seek::Less)),
                _ => {}
            }
        } else if self.state == State::Row && self.parse_cell()?.rowid == rowid {
            return Ok(Some(Seek::Exact)); // a statement that walks over rows and changes them
        }
        if self.steps_to_rowid(rowid)? {
            return Ok(Some(Seek::Exact));
        }
        match self.path.range {
            Some(range) if self.state == State::Row && range.contains(rowid) => {
                self.seek_rowid_on_leaf(rowid, range).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Goes to the next row if that is the one sought, and answers whether. That is so in every step of a join with a
    /// table in the same order.
    #[inline]
    fn steps_to_rowid(&mut self, rowid: i64) -> Result<bool> {
        let is_successor = self.row.is_some_and(|row| row.rowid.checked_add(1) == Some(rowid));
        if !is_successor || self.state != State::Row {
            return Ok(false);
        }
        let level = self.here_mut();
        if !level.node.is_leaf() || level.index + 1 >= level.node.cell_count {
            return Ok(false);
        }
        level.index += 1;
        if self.parse_cell()?.rowid == rowid {
            self.at_last = false;
            return Ok(true);
        }
        self.here_mut().index -= 1;
        self.row = None;
        Ok(false)
    }

    fn seek_rowid_from_root(&mut self, btree: &Btree, rowid: i64) -> Result<Seek> {
        self.state = State::Nowhere;
        self.row = None;
        self.at_last = false;
        self.enter_root(btree)?;
        let (mut depth, mut range) = self.descend_decoded(btree, rowid)?;
        let root = self.path.root;
        while let Some(level) = self.path.get_mut(depth) {
            if level.node.is_leaf() {
                self.path.truncate(depth + 1);
                self.path.range = Some(range);
                return self.seek_rowid_on_leaf(rowid, range);
            }
            let (node, no) = (&level.node, level.node.no);
            btree.interiors.visit(root, btree.shape(root), no, || {
                node.decode_interior().map(|interior| Decoded::Table(Box::new(interior)))
            });
            let turn = find_child(&level.node, rowid, range)?;
            level.index = turn.index as u16;
            range = turn.range;
            btree.pager().expect_leaf(turn.child);
            depth += 1;
            self.path.enter(btree, depth, turn.child)?;
        }
        Ok(Seek::Empty)
    }

    /// Descends from the root as far as pages are decoded. Answers the depth of the first page that is not, and the range of its
    /// rowids.
    #[inline]
    fn descend_decoded(&mut self, btree: &Btree, rowid: i64) -> Result<(usize, Range)> {
        let decoded = btree.interiors.of(self.path.root, btree.shape(self.path.root));
        let mut page = decoded.page(self.path.root);
        let mut range = Range::default();
        let mut depth = 0;
        while let Some(interior) = page {
            let turn = interior.search(rowid, range);
            range = turn.range;
            let Some(level) = self.path.get_mut(depth) else { break };
            level.index = turn.index as u16;
            btree.pager().expect_leaf(turn.child);
            depth += 1;
            page = decoded.page(turn.child);
            if self.path.has_entered(btree, depth, turn.child) {
                continue;
            }
            match page {
                Some(interior) => {
                    self.path.put_node(depth, Node::of_interior(btree, turn.child, interior.cell_count())?)?
                }
                None => self.path.load(btree, depth, turn.child)?,
            }
        }
        Ok((depth, range))
    }

    /// Searches the leaf at the end of the path.
    #[inline]
    fn seek_rowid_on_leaf(&mut self, rowid: i64, range: Range) -> Result<Seek> {
        let level = self.here_mut();
        let count = level.node.count();
        let (index, is_exact) = find_row(&level.node, rowid, range)?;
        if count == 0 {
            self.state = State::Nowhere;
            return Ok(Seek::Empty);
        }
        level.index = index.min(count - 1) as u16;
        self.row = None;
        self.at_last = false;
        self.state = State::Row;
        Ok(match index {
            _ if is_exact => Seek::Exact,
            index if index < count => Seek::Greater,
            _ => Seek::Less,
        })
    }

    /// Goes to the entry that equals `key` (or, for a [prefix](crate::Prefix), to a neighbour of the key's place).
    pub fn seek_key(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Result<Seek> {
        debug_assert!(self.key_info.is_some(), "a key is sought in an index");
        if self.at_last && self.path.is_fresh(btree) && self.is_last_less(btree, key)? {
            return Ok(Seek::Less);
        }
        if let Some(index) = self.removed_before.take()
            && self.belongs_before(btree, index, key)?
        {
            self.here_mut().index = index;
            self.row = None;
            self.at_last = false;
            self.state = State::Row;
            return Ok(Seek::Greater);
        }
        if self.repeats_leaf
            && let Some(seek) = self.seek_key_near(btree, key)?
        {
            return Ok(seek);
        }
        let leaf_before = self.path.last().map(|level| level.node.no);
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
            let Level { node, index: at } = self.path.level_mut(depth);
            *at = index as u16;
            if found || node.is_leaf() {
                self.repeats_leaf = depth > 0 && leaf_before == Some(node.no);
                self.path.truncate(depth + 1);
                return Ok(self.stand_at_key(found));
            }
            let child = node.child(index)?;
            depth += 1;
            self.path.enter(btree, depth, child)?;
        }
    }

    /// Whether the key belongs between cell `index` and the one before it on the leaf from which an entry was just removed there. A row that
    /// replaces another one often has nearly the same keys.
    fn belongs_before(&self, btree: &Btree, index: u16, key: &SearchKey<'_>) -> Result<bool> {
        let Some(Level { node, .. }) = self.path.last() else { return Ok(false) };
        let is_between = node.is_leaf() && index > 0 && index < node.cell_count;
        if self.state != State::Nowhere || !is_between || !self.path.is_fresh(btree) {
            return Ok(false);
        }
        let index = usize::from(index);
        // Two first columns decide, or else the key is sought as any other.
        Ok(key.narrow(&self.cells(node)?, (index - 1, index + 1)) == (index, index))
    }

    /// Whether the cursor is known to stand on the entry that equals `key`: then it need not be sought.
    pub fn stands_on_key(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Result<bool> {
        if self.state != State::Row || !self.path.is_fresh(btree) {
            return Ok(false);
        }
        let here = self.path.len() - 1;
        let order = self.order_of_entry(btree, here, usize::from(self.path.level(here).index), key)?;
        Ok(order == Ordering::Equal)
    }

    /// Searches the leaf on which the cursor stands, if the key belongs between its first and its last entry: then it
    /// is on no other leaf. Keys that come in order, as those of joins often do, need no search from the root.
    fn seek_key_near(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Result<Option<Seek>> {
        let depth = self.path.len().saturating_sub(1);
        let Some(Level { node, .. }) = self.path.last() else { return Ok(None) };
        let last = node.count().saturating_sub(1);
        let is_valid = self.state == State::Row && self.path.is_fresh(btree);
        if !is_valid || !node.is_leaf() || last == 0 {
            return Ok(None);
        }
        let cells = self.cells(node)?;
        let first_columns_decide =
            key.narrow(&cells, (0, 1)) == (1, 1) && key.narrow(&cells, (last, last + 1)) == (last, last);
        let is_between = first_columns_decide
            || self.order_of_entry(btree, depth, 0, key)? == Ordering::Less
                && self.order_of_entry(btree, depth, last, key)? == Ordering::Greater;
        if !is_between {
            self.repeats_leaf = false;
            return Ok(None);
        }
        self.row = None;
        self.at_last = false;
        let (index, found) = self.find_entry(btree, depth, key)?;
        self.path.level_mut(depth).index = index as u16;
        Ok(Some(self.stand_at_key(found)))
    }

    /// Whether the last entry of all, on which the cursor stands, is less than the key.
    fn is_last_less(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Result<bool> {
        let order = match self.state {
            State::Row => {
                let here = self.path.len() - 1;
                self.order_of_entry(btree, here, usize::from(self.path.level(here).index), key)?
            }
            // If the saved part is too short to decide, the search decides.
            State::Written => key.compare_entry(&self.saved_key.bytes).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        };
        Ok(order == Ordering::Less)
    }

    /// Makes the end of the path the cursor's position: the entry that equals the key, or on the leaf a neighbour of
    /// its place before cell `index`.
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
        let node = &self.path.level(depth).node;
        let range = if node.is_leaf() { (0, node.count()) } else { self.narrow_decoded(btree, node, key) };
        self.find_between(btree, depth, key, range)
    }

    /// The first cell of the leaf on which the cursor stands, from its entry on, that is not less than `key`; the number of cells if there is
    /// none. `None` if that is not known: on an interior page, after a write, or where entries cannot be read.
    pub fn place_on_leaf(&mut self, btree: &Btree, key: &SearchKey<'_>) -> Option<u16> {
        let depth = self.path.len().checked_sub(1)?;
        let Level { node, index } = self.path.level(depth);
        if self.state != State::Row || !node.is_leaf() || !self.path.is_fresh(btree) {
            return None;
        }
        let range = (usize::from(*index), node.count());
        let found = self.find_between(btree, depth, key, range);
        found.ok().map(|(index, _)| index as u16)
    }

    /// As [`Cursor::find_entry`], among some cells of the page.
    #[inline(always)]
    fn find_between(
        &mut self,
        btree: &Btree,
        depth: usize,
        key: &SearchKey<'_>,
        mut range: (usize, usize),
    ) -> Result<(usize, bool)> {
        loop {
            if range.0 >= range.1 {
                return Ok((range.0, false));
            }
            range = key.narrow(&self.cells(&self.path.level(depth).node)?, range);
            let (low, high) = range;
            if low >= high {
                return Ok((low, false));
            }
            let middle = (low + high) / 2;
            match self.order_of_entry(btree, depth, middle, key)? {
                Ordering::Less => range = (middle + 1, high),
                Ordering::Greater => range = (low, middle),
                Ordering::Equal => return Ok((middle, true)),
            }
        }
    }

    /// The range of cells of an interior page of an index before which the key may belong, as far as the decoded page shows it.
    #[inline]
    fn narrow_decoded(&self, btree: &Btree, node: &Node, key: &SearchKey<'_>) -> (usize, usize) {
        let all = (0, node.count());
        let Some(order) = key.start_order() else { return all };
        let (root, shape) = (self.path.root, btree.shape(self.path.root));
        let decoded = btree.interiors.of(root, shape);
        match decoded.starts(node.no) {
            Some(starts) => starts.narrow(key).filter(|(_, high)| *high <= all.1).unwrap_or(all),
            None => {
                drop(decoded);
                btree
                    .interiors
                    .visit(root, shape, node.no, || Some(Decoded::Index(self.cells(node).ok()?.starts(order)?)));
                all
            }
        }
    }

    /// The cells of a page of an index, for comparing many.
    #[inline]
    fn cells<'n>(&self, node: &'n Node) -> Result<Cells<'n>> {
        let before = if node.is_leaf() { 0 } else { CHILD_LEN };
        let short = self.limits.max_local.min(0x7f) as u8;
        Ok(Cells { page: &node.page, pointers: node.pointers()?, before, short })
    }

    /// The order of the entry in cell `index` of the page at `depth` relative to `key`.
    #[inline]
    fn order_of_entry(&mut self, btree: &Btree, depth: usize, index: usize, key: &SearchKey<'_>) -> Result<Ordering> {
        let node = &self.path.level(depth).node;
        let at = node.cell_at(index)?;
        let span = cell::read_index(&node.page, at, node.kind, &self.limits)
            .ok_or_else(|| node.corrupt("cell outside the page"))?;
        let local = &node.page[span.range()];
        match key.compare_entry(local) {
            Ok(order) => Ok(order),
            // The local part may be too short for a comparison.
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
        // A collation may be the application's: no cell of this crate is borrowed while it runs.
        let mut entry = std::mem::take(&mut self.scratch);
        let node = &self.path.level(depth).node;
        let whole = crate::overflow::read_whole(btree, &node.page, node.no, span, &mut entry);
        let order = whole.and_then(|()| key.compare_entry(&entry).map_err(|e| node.corrupt(e.0)));
        self.scratch = entry;
        order
    }
}

/// The first row of a leaf whose rowid is not less than `rowid`, and whether it has that rowid.
#[inline]
fn find_row(node: &Node, rowid: i64, range: Range) -> Result<(usize, bool)> {
    let page: &[u8] = &node.page;
    let pointers = node.pointers()?;
    let rowid_of = |index: usize| cell::read_leaf_rowid(page, usize::from(u16::from_be_bytes(pointers[index])));
    match lower_bound(false, pointers.len(), rowid, range, rowid_of) {
        // The key at `index` was compared, and is the upper bound of the range that was found.
        Some((index, found)) => Ok((index, index < pointers.len() && found.to == Some(rowid))),
        None => Err(node.corrupt("cell outside the page")),
    }
}

/// The child of an interior page of a table that holds `rowid` if any does, and the range of its rowids: cells have the
/// largest rowid of the child before them.
#[inline]
fn find_child(node: &Node, rowid: i64, range: Range) -> Result<Turn> {
    let page: &[u8] = &node.page;
    let pointers = node.pointers()?;
    let rowid_of = |index: usize| cell::read_interior_rowid(page, usize::from(u16::from_be_bytes(pointers[index])));
    let found = search::find_child(pointers.len(), rowid, range, rowid_of);
    let (index, range) = found.ok_or_else(|| node.corrupt("cell outside the page"))?;
    Ok(Turn { index, child: node.child(index)?, range })
}
