//! Copying a whole tree to another database.

use crate::btree::Btree;
use crate::cursor::Cursor;
use crate::error::Result;
use crate::node::TreeKind;
use crate::overflow::reserve;
use lithe_format::PageNo;
use lithe_format::payload::Payload;

impl Btree {
    /// Adds all entries of the tree at `from_root` of another database to the tree at `root`, which must be empty;
    /// answers how many there were. VACUUM copies every tree with this: the copy has no gaps.
    pub fn copy_tree(&self, root: PageNo, from: &Btree, from_root: PageNo) -> Result<u64> {
        self.copy_entries(root, from, from_root, false)
    }

    /// As [`Btree::copy_tree`], with the rows renumbered from 1 on: for tables whose rowids have no meaning.
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
