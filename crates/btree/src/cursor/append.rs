//! Entries that come in order.

use super::insert::NewCell;
use super::{Cursor, Level, Seek, State};
use crate::balance::{Pending, Step, balance};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::Result;
use crate::node::TreeKind;
use crate::overflow::reserve;
use lithe_format::btree_page::PageKind;
use lithe_format::payload::Payload;
use lithe_format::ptrmap::PtrmapType;
use lithe_format::{PageNo, cell};

impl Cursor {
    /// Adds a row after all others; the caller vouches for the order. Pages are filled to the last byte.
    pub fn append_table(&mut self, btree: &Btree, rowid: i64, payload: &Payload<'_>) -> Result<()> {
        let seek = if self.last(btree)? { Seek::Less } else { Seek::Empty };
        self.insert_table(btree, rowid, payload, Some(seek))
    }

    /// Adds an entry after all others, as a sorted stream of records makes an index; nothing is compared.
    pub fn append_index(&mut self, btree: &Btree, payload: &Payload<'_>) -> Result<()> {
        let seek = if self.last(btree)? { Seek::Less } else { Seek::Empty };
        self.insert_index(btree, &[], payload, Some(seek))
    }

    /// A row after all others that does not fit the leaf `full` gets a leaf of its own: rows that come in order leave
    /// full pages behind. `last_rowid` is the last one there. The path leads to the parent.
    pub(super) fn append_leaf(
        &mut self,
        btree: &Btree,
        cell: &NewCell<'_, '_>,
        full: PageNo,
        last_rowid: i64,
    ) -> Result<()> {
        // (The level goes at once: the pager copies a page that somebody holds.)
        assert!(self.key_info.is_none() && full != self.root, "a leaf of a table, below its root");
        let level = self.path.pop().map(|level| (level.node.no, level.node.count()));
        let (parent, at) = level.expect("a leaf that is not the root has a parent");
        let new = btree.allocate()?;
        // What comes in order comes here no more.
        btree.pager().finish_page(full)?;
        let mut page = EditPage::create(btree, btree.new_page(new)?, new, PageKind::TableLeaf);
        let size = cell.size();
        let place = page.insert(0, size)?.expect("a cell fits on an empty page");
        cell.write(page.bytes_mut(place, size));
        drop(page);
        if btree.auto_vacuum()? {
            btree.put_ptrmap(new, PtrmapType::Btree, Some(parent))?;
            btree.adopt_children(new)?;
        }
        self.row = Some(cell.parsed(place));
        self.written = Step { no: new, index: 0 };
        self.range = None; // that of the other leaf

        let mut divider = [0; cell::TABLE_INTERIOR_MAX];
        let len = cell::write_table_interior(&mut divider, full, last_rowid);
        let divider = &divider[..len];
        let mut page = EditPage::open(btree, parent)?;
        page.set_child(at, new)?;
        if let Some(place) = page.insert(at, divider.len())? {
            page.bytes_mut(place, divider.len()).copy_from_slice(divider);
            self.path.push(Level { node: page.into_node(), index: at as u16 + 1 });
            self.state = State::Written;
        } else {
            drop(page);
            let steps = self.take_steps(Step { no: parent, index: at });
            balance(btree, &steps, Some(Pending::one(at, divider.to_vec())))?;
            self.state = State::Lost;
        }
        self.version = btree.changed(self.root);
        Ok(())
    }
}

impl Btree {
    /// Adds all entries of the tree at `from_root` of another database to the tree at `root`, which must be empty;
    /// answers how many there were. This is what VACUUM does with every tree: the copy has no gaps.
    pub fn copy_tree(&self, root: PageNo, from: &Btree, from_root: PageNo) -> Result<u64> {
        self.copy_entries(root, from, from_root, false)
    }

    /// As [`Btree::copy_tree`], with the rows numbered anew from 1 on: for tables whose rowids mean nothing to anybody.
    pub fn copy_rows_renumbered(&self, root: PageNo, from: &Btree, from_root: PageNo) -> Result<u64> {
        self.copy_entries(root, from, from_root, true)
    }

    fn copy_entries(&self, root: PageNo, from: &Btree, from_root: PageNo, renumber: bool) -> Result<u64> {
        assert!(self.pager().is_writing(), "a tree is copied within a write transaction");
        let is_table = from.tree_kind(from_root)? == TreeKind::Table;
        let cursor = |root| if is_table { Cursor::table(root) } else { Cursor::index(root, Default::default()) };
        let (mut source, mut target) = (cursor(from_root), cursor(root));
        let mut payload = Vec::new();
        let mut count = 0u64;
        let mut more = source.first(from)?;
        while more {
            let rowid = match is_table {
                true if renumber => count as i64 + 1,
                true => source.rowid()?,
                false => 0,
            };
            let row = source.row(from)?;
            let row = if row.span.overflows() {
                reserve(&mut payload, row.len() as usize)?;
                source.read_payload(from, 0, &mut payload)?;
                Payload::from_bytes(&payload)
            } else {
                Payload::from_bytes(row.local())
            };
            if is_table {
                target.append_table(self, rowid, &row)?;
            } else {
                target.append_index(self, &row)?;
            }
            count += 1;
            more = source.next(from)?;
        }
        Ok(count)
    }
}
