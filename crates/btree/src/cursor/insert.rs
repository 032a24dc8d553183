//! Inserting rows and index entries, and replacing them.

use super::{Cursor, Level, ParsedRow, Seek, State};
use crate::balance::{Pending, Step, balance};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use crate::key::{Prefix, SearchKey};
use crate::node::Node;
use crate::overflow;
use lithe_format::PageNo;
use lithe_format::btree_page::{CHILD_LEN, FREEBLOCK_MIN};
use lithe_format::cell::{CellHeader, PayloadSpan};
use lithe_format::overflow::POINTER_LEN;
use lithe_format::payload::Payload;
use lithe_value::ValueRef;
use std::sync::Arc;

/// A cell on its way to a page, still in its parts.
struct NewCell<'p, 'a> {
    /// In place of an entry on an interior page: the child before it.
    child: Option<PageNo>,
    header: CellHeader,
    payload: &'p Payload<'a>,
    local: u32,
    overflow: Option<PageNo>,
}

impl Cursor {
    /// Inserts a row, or replaces the one of this rowid. The cursor then stands on it.
    ///
    /// `seek` is what [`Cursor::seek_rowid`] has just answered for this rowid, if the cursor has not
    /// moved since; `None` makes this seek itself. A rowid greater than all others needs no search if
    /// the cursor stands on the last row, where the row inserted last has left it.
    pub fn insert_table(&mut self, btree: &Btree, rowid: i64, payload: &Payload<'_>, seek: Option<Seek>) -> Result<()> {
        let seek = match seek {
            Some(seek) if self.is_fresh(btree) => seek,
            _ => self.seek_rowid(btree, rowid)?,
        };
        let header = CellHeader::table_leaf(payload, rowid);
        self.put(btree, header, payload, seek)?;
        if self.state == State::Lost {
            self.row = Some(ParsedRow { rowid, span: PayloadSpan::default() });
        }
        Ok(())
    }

    /// Inserts an entry into an index, or replaces the one that is equal in all columns that are compared. The
    /// cursor then stands on it. `values` are the columns of the record `payload`, at least those that are compared.
    ///
    /// `seek` is what [`Cursor::seek_key`] has just answered for all these values, as for [`Cursor::insert_table`].
    pub fn insert_index(
        &mut self,
        btree: &Btree,
        values: &[ValueRef<'_>],
        payload: &Payload<'_>,
        seek: Option<Seek>,
    ) -> Result<()> {
        let seek = match seek {
            Some(seek) if self.is_fresh(btree) => seek,
            _ => {
                let info = Arc::clone(self.key_info.as_ref().expect("a cursor on an index"));
                self.seek_key(btree, &SearchKey::new(&info, values, Prefix::Equal))?
            }
        };
        self.put(btree, CellHeader::index_leaf(payload), payload, seek)?;
        if self.state == State::Lost {
            self.saved_key.bytes.clear();
            for part in payload.parts() {
                self.saved_key.bytes.extend_from_slice(part);
            }
            self.saved_key.len = payload.len();
        }
        Ok(())
    }

    /// Whether the path is what the tree looks like, so that the answer of an earlier seek holds.
    fn is_fresh(&self, btree: &Btree) -> bool {
        self.state == State::Row && self.version == btree.version(self.root)
    }

    fn put(&mut self, btree: &Btree, header: CellHeader, payload: &Payload<'_>, seek: Seek) -> Result<()> {
        if self.path.is_empty() {
            btree.initialise()?;
            self.enter_root(btree)?;
        }
        let local = self.limits.local(payload.len());
        let mut cell = NewCell { child: None, header, payload, local, overflow: None };
        let index = usize::from(self.here().index);
        match seek {
            Seek::Exact => {
                if self.overwrite(btree, &cell)? {
                    return Ok(());
                }
                self.free_overflow(btree)?;
                if !self.here().node.is_leaf() {
                    cell.child = Some(self.here().node.child(index)?);
                }
            }
            Seek::Less => self.at_last = self.at_last || self.is_path_rightmost(),
            Seek::Greater | Seek::Empty => self.at_last = seek == Seek::Empty,
        }
        cell.write_overflow(btree)?;
        let at = if seek == Seek::Less { index + 1 } else { index };
        self.put_cell(btree, &cell, at, seek == Seek::Exact)
    }

    /// Whether the path leads to the last entry of the tree.
    fn is_path_rightmost(&self) -> bool {
        let Some((leaf, above)) = self.path.split_last() else { return false };
        leaf.index + 1 == leaf.node.cell_count && above.iter().all(|level| level.index == level.node.cell_count)
    }

    /// Writes the cell to the last page of the path, before cell `at` or in its place. If it does not fit
    /// there, the tree is balanced and the cursor has lost its path.
    fn put_cell(&mut self, btree: &Btree, cell: &NewCell<'_, '_>, at: usize, replaces: bool) -> Result<()> {
        let level = self.path.pop().expect("a place to insert has a path");
        let no = level.node.no;
        drop(level); // the pager copies a page that somebody holds
        self.row = None;
        self.state = State::Nowhere;
        let mut page = EditPage::open(btree, no)?;
        if replaces {
            page.remove(at)?;
        }
        if let Some(bytes) = page.insert(at, cell.size())? {
            cell.write(bytes);
            drop(page);
            if cell.overflow.is_some() && btree.auto_vacuum()? {
                btree.adopt_cells(no, at..at + 1)?;
            }
            let node = Node::load(btree, no, self.kind())?;
            self.path.push(Level { node, index: at as u16 });
            self.version = btree.changed(self.root);
            self.state = State::Row;
            return Ok(());
        }
        drop(page);
        let mut bytes = vec![0; cell.size()];
        cell.write(&mut bytes);
        let steps = self.take_steps(Step { no, index: at });
        balance(btree, &steps, Some(Pending::one(at, bytes)))?;
        btree.changed(self.root);
        self.state = State::Lost;
        Ok(())
    }

    /// The path as steps, with `last` at its end. The path is given up, and the pages with it.
    pub(super) fn take_steps(&mut self, last: Step) -> Vec<Step> {
        let above = self.path.iter().map(|level| Step { no: level.node.no, index: usize::from(level.index) });
        let steps = above.chain(std::iter::once(last)).collect();
        self.path.clear();
        self.at_last = false;
        steps
    }

    /// If the old payload has the same length, writes the new one over it, overflow pages included.
    fn overwrite(&mut self, btree: &Btree, cell: &NewCell<'_, '_>) -> Result<bool> {
        let span = self.parse()?.span;
        if span.len != cell.payload.len() {
            return Ok(false);
        }
        let Level { node, index } = self.path.pop().expect("an entry has a path");
        let no = node.no;
        let first = span.overflow_page(&node.page);
        drop(node);
        self.state = State::Nowhere;
        let mut page = btree.write(no)?;
        let mut payload = cell.payload.reader();
        payload.copy_to(&mut page[span.range()]);
        drop(page);
        if span.overflows() {
            let first = first.ok_or_else(|| corrupt(no, "overflow page 0"))?;
            overflow::overwrite_chain(btree, first, &mut payload, span.len - span.local)?;
        }
        let node = Node::load(btree, no, self.kind())?;
        self.path.push(Level { node, index });
        self.version = btree.changed(self.root);
        self.state = State::Row;
        Ok(true)
    }

    /// Frees the overflow pages of the entry on which the cursor stands.
    pub(super) fn free_overflow(&mut self, btree: &Btree) -> Result<()> {
        let span = self.parse()?.span;
        if !span.overflows() {
            return Ok(());
        }
        self.remember_long_key(btree, span)?;
        let node = &self.here().node;
        let first = span.overflow_page(&node.page).ok_or_else(|| node.corrupt("overflow page 0"))?;
        overflow::free_chain(btree, first, span.len - span.local)
    }
}

impl NewCell<'_, '_> {
    fn overflows(&self) -> bool {
        self.local < self.payload.len()
    }

    /// Writes what will not be on the page.
    fn write_overflow(&mut self, btree: &Btree) -> Result<()> {
        if self.overflows() {
            let mut rest = self.payload.reader();
            rest.skip(self.local as usize);
            self.overflow = Some(overflow::write_chain(btree, &mut rest, self.payload.len() - self.local)?);
        }
        Ok(())
    }

    fn size(&self) -> usize {
        let child = if self.child.is_some() { CHILD_LEN } else { 0 };
        let pointer = if self.overflows() { POINTER_LEN } else { 0 };
        (child + self.header.as_slice().len() + self.local as usize + pointer).max(FREEBLOCK_MIN)
    }

    /// Puts the parts together.
    fn write(&self, out: &mut [u8]) {
        let mut out = out;
        let mut put = |bytes: &[u8]| {
            let (head, tail) = std::mem::take(&mut out).split_at_mut(bytes.len());
            head.copy_from_slice(bytes);
            out = tail;
        };
        if let Some(child) = self.child {
            put(&child.get().to_be_bytes());
        }
        put(self.header.as_slice());
        let (local, rest) = out.split_at_mut(self.local as usize);
        self.payload.reader().copy_to(local);
        match self.overflow {
            Some(first) => rest.copy_from_slice(&first.get().to_be_bytes()),
            None => rest.fill(0),
        }
    }
}
