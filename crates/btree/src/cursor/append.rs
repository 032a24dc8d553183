//! Bulk loading: entries that come in order.

use super::{Cursor, Seek};
use crate::btree::Btree;
use crate::error::Result;
use crate::node::TreeKind;
use crate::overflow::make_room;
use lithe_format::PageNo;
use lithe_format::payload::Payload;

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
                make_room(&mut payload, row.len() as usize)?;
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
