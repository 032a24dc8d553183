//! Deleting the entry on which the cursor stands.

use super::{Cursor, Level, Neighbour, SavedKey, Seek, State};
use crate::balance::{Pending, Step, balance};
use crate::btree::Btree;
use crate::edit::{EditPage, Removal};
use crate::error::{Result, corrupt};
use crate::overflow;
use lithe_format::btree_page::CHILD_LEN;
use lithe_format::{PageNo, cell};
use std::sync::Arc;

/// The position of a cursor after a deletion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Afterwards {
    /// In the gap.
    InGap,
    /// Nowhere: the position is not saved.
    Nowhere,
}

impl Cursor {
    /// Deletes the entry on which the cursor stands, which then stands in the gap: `next` goes to the entry after
    /// it, `previous` to the one before. Nothing happens if the entry is gone already.
    pub fn delete(&mut self, btree: &Btree) -> Result<()> {
        self.assert_cursor_state();
        if !self.restore(btree)? {
            return Ok(());
        }
        self.at_last = false;
        let is_on_leaf = self.here().node.is_leaf();
        if !is_on_leaf || self.parse()?.span.overflows() {
            self.save_key(btree)?;
            self.free_overflow(btree)?;
        }
        if is_on_leaf { self.delete_from_leaf(btree, Afterwards::InGap) } else { self.delete_from_interior(btree) }
    }

    /// Deletes the entry on which the cursor stands, for a caller that does not move from there: the position is not saved, and
    /// the cursor then stands nowhere.
    pub fn remove(&mut self, btree: &Btree) -> Result<()> {
        self.assert_cursor_state();
        if !self.restore(btree)? {
            return Ok(());
        }
        self.at_last = false;
        if self.here().node.is_leaf() {
            let index = self.here().index;
            self.free_overflow(btree)?;
            self.delete_from_leaf(btree, Afterwards::Nowhere)?;
            self.removed_before = (self.state == State::Nowhere).then_some(index);
        } else {
            self.delete(btree)?;
        }
        self.state = State::Nowhere;
        self.row = None;
        Ok(())
    }

    /// Removes the cell on which the cursor stands from its leaf.
    fn delete_from_leaf(&mut self, btree: &Btree, afterwards: Afterwards) -> Result<()> {
        assert!(self.state == State::Row, "the cursor stands on the entry that is deleted");
        let row = self.parse()?;
        let Level { node, index } = self.here();
        let (no, index) = (node.no, usize::from(*index));
        let is_root = self.path.len() == 1;
        self.state = State::Nowhere;
        let (is_underfull, kind) = loop {
            let Some(page) = btree.edit(no, self.path.held_page(true)) else {
                self.make_page_ready(btree, no, true)?;
                continue;
            };
            let leaf = Removal::new(btree, &page, &self.limits, index, row.span.end(), !is_root)?;
            let is_underfull = !is_root && leaf.leaves_page_underfull();
            if is_underfull && afterwards == Afterwards::InGap && self.key_info.is_some() && !row.is_saved {
                // Once the leaf is balanced, only the key leads back to the position.
                let record = page.get(row.span.range()).ok_or_else(|| corrupt(no, "cell outside the page"))?;
                self.saved_key.keep(record, row.span.len);
            }
            let kind = leaf.kind();
            leaf.remove(btree, page, &self.limits)?;
            break (is_underfull, kind);
        };
        if is_underfull {
            self.path.pop();
            return self.balance_after_delete(btree, Step { no, index });
        }
        self.path.version = btree.cells_changed(self.path.root, kind);
        self.row = None;
        self.here_mut().node.cell_count -= 1;
        if afterwards == Afterwards::InGap {
            self.stand_in_gap();
        }
        Ok(())
    }

    /// Puts the cursor into the gap before the cell that the path leads to, where a cell was deleted. As long as the leaf does not change,
    /// the neighbours show the position.
    fn stand_in_gap(&mut self) {
        let Level { node, index } = self.here_mut();
        let (is_after, is_empty) = (*index < node.cell_count, node.cell_count == 0);
        if !is_after {
            *index = index.saturating_sub(1);
        }
        if !is_empty {
            self.state = State::Gap(if is_after { Neighbour::After } else { Neighbour::Before });
        }
    }

    fn balance_after_delete(&mut self, btree: &Btree, deleted: Step) -> Result<()> {
        let steps = self.take_steps(deleted);
        balance(btree, &steps, None)?;
        btree.changed(self.path.root);
        self.state = State::Lost;
        Ok(())
    }

    /// Deletes an entry of an interior page. It divides two subtrees, so another entry has to take its place: the one
    /// before it, the last of the left subtree.
    fn delete_from_interior(&mut self, btree: &Btree) -> Result<()> {
        assert!(self.key_info.is_some(), "only an index has entries above its leaves");
        let depth = self.path.len() - 1;
        let index = usize::from(self.here().index);
        let child = self.here().node.child(index)?;
        self.descend_rightmost(btree)?;
        let (substitute, record) = self.copy_entry(btree, child)?;

        let interior = self.path.level(depth).node.no;
        let leaf = Step { no: self.here().node.no, index: usize::from(self.here().index) };
        self.path.pop();
        let steps = self.take_steps(leaf);
        self.state = State::Nowhere;
        let mut page = EditPage::open(btree, interior)?;
        page.remove(index)?;
        let place = page.insert(index, substitute.len())?;
        let fits = place.is_some();
        if let Some(place) = place {
            page.bytes_mut(place, substitute.len()).copy_from_slice(&substitute);
        }
        drop(page);
        let steps = if fits {
            if btree.auto_vacuum()? {
                btree.adopt_cells(interior, index..index + 1)?;
            }
            steps
        } else {
            // Balancing moves entries among the pages of the path: the leaf is found again by the substitute.
            balance(btree, &steps[..=depth], Some(Pending::one(index, substitute)))?;
            btree.changed(self.path.root);
            self.steps_to_original(btree, &record)?
        };
        self.remove_original(btree, &steps)?;
        btree.changed(self.path.root);
        self.state = State::Lost;
        Ok(())
    }

    /// The entry on which the path ends, as a cell with the left child `child`; and its record.
    fn copy_entry(&mut self, btree: &Btree, child: PageNo) -> Result<(Vec<u8>, SavedKey)> {
        let Level { node, index } = self.here();
        let at = node.cell_at(usize::from(*index))?;
        let span = cell::read_index(&node.page, at, node.kind, &self.limits);
        let span = span.ok_or_else(|| node.corrupt("cell outside the page"))?;
        let mut substitute = Vec::with_capacity(CHILD_LEN + span.end() - at);
        substitute.extend_from_slice(&child.get().to_be_bytes());
        substitute.extend_from_slice(&node.page[at..span.end()]);
        let mut bytes = Vec::new();
        overflow::read_whole(btree, &node.page, node.no, span, &mut bytes)?;
        Ok((substitute, SavedKey { bytes, len: span.len }))
    }

    /// The path to the leaf whose last entry is now on an interior page too.
    fn steps_to_original(&mut self, btree: &Btree, record: &SavedKey) -> Result<Vec<Step>> {
        let info = Arc::clone(self.key_info.as_ref().expect("a cursor on an index"));
        let seek = self.seek_entry(btree, &info, record)?;
        if seek != Seek::Exact || self.here().node.is_leaf() {
            return Err(corrupt(self.path.root, "index out of order"));
        }
        self.descend_rightmost(btree)?;
        let leaf = Step { no: self.here().node.no, index: usize::from(self.here().index) };
        self.path.pop();
        Ok(self.take_steps(leaf))
    }

    /// Removes the cell to which `steps` lead; its overflow pages now belong to its copy.
    fn remove_original(&mut self, btree: &Btree, steps: &[Step]) -> Result<()> {
        assert!(steps.len() > 1, "the original is below the entry");
        let leaf = steps[steps.len() - 1];
        let mut page = EditPage::open(btree, leaf.no)?;
        page.remove(leaf.index)?;
        drop(page);
        balance(btree, steps, None)
    }
}
