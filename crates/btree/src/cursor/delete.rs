//! Deleting the entry on which the cursor stands.

use super::{Cursor, Level, Neighbour, SavedKey, Seek, State};
use crate::balance::{Pending, Step, balance};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use crate::overflow;
use lithe_format::btree_page::CHILD_LEN;
use lithe_format::{PageNo, cell};
use std::sync::Arc;

impl Cursor {
    /// Deletes the entry on which the cursor stands, which then stands in the gap: `next` goes to the entry after
    /// it, `previous` to the one before. Nothing happens if the entry is gone already.
    pub fn delete(&mut self, btree: &Btree) -> Result<()> {
        self.assert_cursor_state();
        if !self.restore(btree)? {
            return Ok(());
        }
        self.at_last = false;
        self.save_key(btree)?;
        self.free_overflow(btree)?;
        if self.here().node.is_leaf() { self.delete_from_leaf(btree) } else { self.delete_from_interior(btree) }
    }

    /// Deletes the entry on which the cursor stands, for a caller that goes nowhere from there: no note of the place is made, and
    /// the cursor then stands nowhere.
    pub fn remove(&mut self, btree: &Btree) -> Result<()> {
        self.assert_cursor_state();
        if !self.restore(btree)? {
            return Ok(());
        }
        if self.here().node.is_leaf() {
            self.at_last = false;
            self.free_overflow(btree)?;
            if let Some((page, _)) = self.take_from_leaf(btree)? {
                self.version = btree.cells_changed(self.root, page.header.kind);
            }
        } else {
            self.delete(btree)?;
        }
        self.state = State::Nowhere;
        self.row = None;
        Ok(())
    }

    fn delete_from_leaf(&mut self, btree: &Btree) -> Result<()> {
        let Some((page, index)) = self.take_from_leaf(btree)? else {
            self.state = State::Lost;
            return Ok(());
        };
        let node = page.into_node();
        self.version = btree.cells_changed(self.root, node.kind);
        self.row = None;
        if node.cell_count > 0 {
            let after = index < node.cell_count;
            let neighbour = if after { Neighbour::After } else { Neighbour::Before };
            self.state = State::Gap(neighbour);
            self.path.push(Level { index: if after { index } else { index - 1 }, node });
        } else {
            self.path.push(Level { index: 0, node });
        }
        Ok(())
    }

    /// Takes the cell out on which the cursor stands, which then stands nowhere. Answers the leaf and where on it the cell
    /// was, or `None` if the tree had to be balanced.
    fn take_from_leaf<'p>(&mut self, btree: &'p Btree) -> Result<Option<(EditPage<'p>, u16)>> {
        assert!(self.state == State::Row, "an entry is deleted by who stands on it");
        let Level { node, index } = self.path.pop().expect("an entry has a path");
        let no = node.no;
        drop(node); // the pager copies a page that somebody holds
        self.state = State::Nowhere;
        let mut page = EditPage::open(btree, no)?;
        page.remove(usize::from(index))?;
        if self.path.is_empty() || !page.is_underfull()? {
            return Ok(Some((page, index)));
        }
        drop(page);
        let steps = self.take_steps(Step { no, index: usize::from(index) });
        balance(btree, &steps, None)?;
        btree.changed(self.root);
        Ok(None)
    }

    /// An entry on an interior page divides two subtrees, so another has to take its place: the
    /// one before it, the last of the left subtree.
    fn delete_from_interior(&mut self, btree: &Btree) -> Result<()> {
        assert!(self.key_info.is_some(), "only an index has entries above its leaves");
        let depth = self.path.len() - 1;
        let index = usize::from(self.here().index);
        let child = self.here().node.child(index)?;
        self.descend_rightmost(btree)?;
        let (substitute, record) = self.copy_entry(btree, child)?;

        let interior = self.path[depth].node.no;
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
            // Balancing moves the pages of the path about: find the leaf again, by the substitute.
            balance(btree, &steps[..=depth], Some(Pending::one(index, substitute)))?;
            btree.changed(self.root);
            self.steps_to_original(btree, &record)?
        };
        self.remove_original(btree, &steps)?;
        btree.changed(self.root);
        self.state = State::Lost;
        Ok(())
    }

    /// The entry on which the path ends, as a cell before which stands `child`; and its record.
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

    /// The steps to the leaf whose last entry now stands on an interior page too.
    fn steps_to_original(&mut self, btree: &Btree, record: &SavedKey) -> Result<Vec<Step>> {
        let info = Arc::clone(self.key_info.as_ref().expect("a cursor on an index"));
        let seek = self.seek_entry(btree, &info, record)?;
        if seek != Seek::Exact || self.here().node.is_leaf() {
            return Err(corrupt(self.root, "index out of order"));
        }
        self.descend_rightmost(btree)?;
        let leaf = Step { no: self.here().node.no, index: usize::from(self.here().index) };
        self.path.pop();
        Ok(self.take_steps(leaf))
    }

    /// Removes the cell to which `steps` lead; what it points to belongs to its copy now.
    fn remove_original(&mut self, btree: &Btree, steps: &[Step]) -> Result<()> {
        assert!(steps.len() > 1, "the original is below the entry");
        let leaf = steps[steps.len() - 1];
        let mut page = EditPage::open(btree, leaf.no)?;
        page.remove(leaf.index)?;
        drop(page);
        balance(btree, steps, None)
    }
}
