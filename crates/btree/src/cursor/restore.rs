//! Finding the row again after the tree has changed under the cursor.

use super::{Cursor, Level, Neighbour, ParsedRow, SavedKey, Seek, State};
use crate::btree::Btree;
use crate::error::{Error, Result, corrupt};
use crate::key::{KeyInfo, Prefix, SearchKey, column_behind_key, with_entry_as_key};
use crate::node::Node;
use crate::overflow;
use lithe_format::cell::PayloadSpan;
use lithe_pager::Pager;
use lithe_value::Collation;
use lithe_value::compare::compare;
use std::cmp::Ordering;
use std::sync::Arc;

impl Cursor {
    /// Updates the cursor after writes through other cursors, savepoints rolled back, and the like. `true` if it stands
    /// on its row; `false` if the row is gone (the cursor then stands in the gap, and `next` and `previous` skip
    /// nothing) or if it stood nowhere.
    #[inline]
    pub fn restore(&mut self, btree: &Btree) -> Result<bool> {
        self.synchronise(btree)?;
        Ok(self.state == State::Row)
    }

    /// Saves the key of the entry, if a part of it is on overflow pages, for [`Cursor::restore`].
    pub fn keep_long_key(&mut self, btree: &Btree) -> Result<()> {
        if self.key_info.is_some() && self.state == State::Row && self.parse()?.span.overflows() {
            self.save_key(btree)?;
        }
        Ok(())
    }

    /// Whether the tree may have changed since the cursor came to its position.
    #[inline]
    pub fn is_behind(&self, btree: &Btree) -> bool {
        !self.path.is_fresh(btree)
    }

    /// Makes the pages of the path private before the bytes of the mapped file change, because the cursor needs them to
    /// restore its position. See `lithe_pager::PageHolders`.
    pub fn make_pages_private(&mut self, pager: &Pager) {
        self.path.make_pages_private(pager);
    }

    #[inline]
    pub(super) fn synchronise(&mut self, btree: &Btree) -> Result<()> {
        let settled = !matches!(self.state, State::Written | State::Lost);
        if settled && self.path.is_fresh(btree) {
            return Ok(());
        }
        self.find_again(btree)
    }

    #[inline(never)]
    fn find_again(&mut self, btree: &Btree) -> Result<()> {
        if self.is_tripped {
            return Err(Error::RolledBack);
        }
        self.assert_cursor_state();
        if self.state == State::Written && self.settle(btree)? {
            // The entry is not sought, even if a page of the path was spilled and does not count as current: an append
            // has no key to seek by.
            return Ok(());
        }
        match self.state {
            State::Nowhere => return Ok(()),
            State::Row | State::Gap(_) if self.path.is_current(btree) => {
                self.path.version = btree.version(self.path.root);
                return Ok(());
            }
            State::Row | State::Gap(_) => self.save_key(btree)?,
            State::Written | State::Lost => {}
        }
        let before = self.state;
        let seek = match &self.key_info {
            None => {
                let rowid = self.parse()?.rowid;
                self.state = State::Nowhere;
                self.seek_rowid(btree, rowid)?
            }
            Some(info) => {
                let info = Arc::clone(info);
                let saved = std::mem::take(&mut self.saved_key);
                let seek = self.seek_entry(btree, &info, &saved);
                self.saved_key = saved;
                seek?
            }
        };
        let seek = self.last_probe(seek);
        self.state = match (seek, before) {
            (Seek::Empty, _) => State::Nowhere,
            (Seek::Exact, State::Gap(neighbour)) => State::Gap(neighbour),
            (Seek::Exact, _) => State::Row,
            (Seek::Less, _) => State::Gap(Neighbour::Before),
            (Seek::Greater, _) => State::Gap(Neighbour::After),
        };
        Ok(())
    }

    /// Puts the cursor on a neighbour of its entry, which is gone: the neighbour at which a binary search of the leaf ends, as in
    /// SQLite. It matters which one, if another entry is inserted between the two before the cursor moves.
    fn last_probe(&mut self, seek: Seek) -> Seek {
        if matches!(seek, Seek::Exact | Seek::Empty) {
            return seek;
        }
        let level = self.here_mut();
        if !level.node.is_leaf() {
            return seek;
        }
        let smaller = usize::from(level.index) + usize::from(seek == Seek::Less);
        let last = last_probed(level.node.count(), smaller);
        level.index = last as u16;
        self.row = None;
        if last < smaller { Seek::Less } else { Seek::Greater }
    }

    /// Reads the page that was written into the path, if the tree has not changed since; answers whether.
    fn settle(&mut self, btree: &Btree) -> Result<bool> {
        assert!(self.state == State::Written, "nothing was written here");
        if !self.path.is_fresh(btree) {
            self.path.clear();
            self.state = State::Lost; // only the rowid, or the saved key, is left
            return Ok(false);
        }
        // The cursor of a statement that has ended keeps its place, and its mapped pages end with their transaction.
        self.path.renew(btree)?;
        let node = Node::load(btree, self.written.no, self.kind())?;
        self.path.push(Level { node, index: self.written.index as u16 });
        self.state = State::Row;
        Ok(true)
    }

    /// Seeks the index entry that has the columns of `entry`.
    pub(super) fn seek_entry(&mut self, btree: &Btree, info: &KeyInfo, entry: &SavedKey) -> Result<Seek> {
        let root = self.path.root;
        let seek = with_entry_as_key(info, &entry.bytes, entry.len, |values| {
            self.seek_key(btree, &SearchKey::new(info, values, Prefix::Equal))
        });
        let seek = seek.map_err(|malformed| corrupt(root, malformed.0))?;
        match seek.unwrap_or_else(|| Err(corrupt(root, "index entry ends too soon")))? {
            Seek::Exact => self.order_of_column_behind(btree, info, entry),
            seek => Ok(seek),
        }
    }

    /// Compares the column behind the key. The cursor is on an entry that equals `entry` in all columns of the index. In a table
    /// WITHOUT ROWID the first column behind the key takes part in SQLite's comparison, too: a row that was changed to a greater
    /// value there lies ahead.
    fn order_of_column_behind(&mut self, btree: &Btree, info: &KeyInfo, entry: &SavedKey) -> Result<Seek> {
        let Ok(Some(saved)) = column_behind_key(info, &entry.bytes, entry.len) else { return Ok(Seek::Exact) };
        let span = self.parse()?.span;
        let node = &self.here().node;
        let mut whole = Vec::new();
        let now = match column_behind_key(info, &node.page[span.range()], span.len) {
            Ok(now) => now,
            Err(_) => {
                overflow::read_whole(btree, &node.page, node.no, span, &mut whole)?;
                column_behind_key(info, &whole, span.len).ok().flatten()
            }
        };
        Ok(match now.map(|now| compare(now, saved, &Collation::Binary)) {
            None | Some(Ordering::Equal) => Seek::Exact,
            Some(Ordering::Greater) => Seek::Greater,
            Some(Ordering::Less) => Seek::Less,
        })
    }

    /// Saves the columns that are needed to seek the entry, from the old page that is in the path.
    pub(super) fn save_key(&mut self, btree: &Btree) -> Result<()> {
        let ParsedRow { span, is_saved, .. } = self.parse()?;
        let Some(info) = self.key_info.clone().filter(|_| !is_saved) else { return Ok(()) };
        let mut bytes = std::mem::take(&mut self.saved_key.bytes);
        let node = &self.here().node;
        let mut saved = Ok(());
        if span.local == span.len || is_key_local(&info, &node.page[span.range()], span.len) {
            bytes.clear();
            bytes.extend_from_slice(&node.page[span.range()]);
        } else {
            let chain = span.overflow_page(&node.page).ok_or_else(|| node.corrupt("overflow page 0"))?;
            let local = &node.page[span.range()];
            if btree.lost_keys.recall(self.path.root, chain, self.path.version, &mut bytes) {
                // Nothing has to be read.
            } else if btree.lost_keys.may_be_forgotten(self.path.root, self.path.version)
                && has_key(&info, local, span.len)
            {
                // The columns behind the key are lost, and do not take part in the search.
                bytes.clear();
                bytes.extend_from_slice(local);
            } else {
                saved = overflow::read_whole(btree, &node.page, node.no, span, &mut bytes);
            }
        }
        self.saved_key = SavedKey { bytes, len: span.len };
        self.row.iter_mut().for_each(|row| row.is_saved = saved.is_ok());
        saved
    }

    /// Remembers the key of an entry that is about to be deleted or overwritten, and its overflow chain with it, if other cursors
    /// may need the part on the chain to find their position again.
    pub(super) fn remember_long_key(&self, btree: &Btree, span: PayloadSpan) -> Result<()> {
        let Some(info) = &self.key_info else { return Ok(()) };
        let node = &self.here().node;
        if is_key_local(info, &node.page[span.range()], span.len) {
            return Ok(());
        }
        let chain = span.overflow_page(&node.page).ok_or_else(|| node.corrupt("overflow page 0"))?;
        let mut record = Vec::new();
        overflow::read_whole(btree, &node.page, node.no, span, &mut record)?;
        btree.lost_keys.remember(self.path.root, chain, self.path.version, record);
        Ok(())
    }
}

/// The cell at which a binary search of `count` cells ends if it finds no equal one: the first `smaller` cells are less.
fn last_probed(count: usize, smaller: usize) -> usize {
    assert!(smaller <= count && count > 0, "a search of cells ends at one of them");
    let (mut low, mut high) = (0, count);
    let mut probed = 0;
    while low < high {
        probed = (low + high - 1) / 2;
        if probed < smaller {
            low = probed + 1;
        } else {
            high = probed;
        }
    }
    probed
}

/// Whether all columns that are compared, and the one behind them, are in the local part of an entry. `false` for a malformed entry,
/// which has to be read as a whole.
fn is_key_local(info: &KeyInfo, local: &[u8], len: u32) -> bool {
    has_key(info, local, len) && column_behind_key(info, local, len).is_ok()
}

/// Whether all columns that are compared are in the local part of an entry.
fn has_key(info: &KeyInfo, local: &[u8], len: u32) -> bool {
    matches!(with_entry_as_key(info, local, len, |_| ()), Ok(Some(())))
}

#[cfg(test)]
mod tests {
    use super::last_probed;

    #[test]
    fn search_ends_on_either_side() {
        let ends: Vec<usize> = (0..=6).map(|smaller| last_probed(6, smaller)).collect();
        assert_eq!(ends, [0, 1, 1, 3, 3, 5, 5]);
        assert_eq!((last_probed(1, 0), last_probed(1, 1)), (0, 0));
    }
}
