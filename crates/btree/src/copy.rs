//! Copying a whole tree to another database.

use crate::btree::Btree;
use crate::cursor::{Cursor, SortedEntries};
use crate::error::{Error, Result};
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
        let (mut target, mut payload) = (cursor(root), Vec::new());
        let mut source = Source { from, cursor: cursor(from_root), is_table, renumber, count: 0, is_there: false };
        source.is_there = source.cursor.first(from)?;
        while source.is_there {
            let rowid = source.rowid()?;
            let row = source.cursor.row(from)?;
            let row = if row.span.overflows() {
                reserve(&mut payload, row.len() as usize)?;
                source.cursor.read_payload(from, 0, &mut payload)?;
                Payload::from_bytes(&payload)
            } else {
                Payload::from_bytes(row.local())
            };
            if is_table {
                target.append_table(self, rowid, &row)?;
            } else {
                target.append_index(self, &row)?;
            }
            source.advance()?;
            target.append_to_leaf(self, &mut source)?;
        }
        Ok(source.count)
    }
}

/// The entries that are copied.
struct Source<'f> {
    from: &'f Btree,
    cursor: Cursor,
    is_table: bool,
    /// Rowids count from 1 on.
    renumber: bool,
    /// The entries before the current one.
    count: u64,
    is_there: bool,
}

impl Source<'_> {
    #[inline]
    fn rowid(&mut self) -> Result<i64> {
        match self.is_table {
            true if self.renumber => Ok(self.count as i64 + 1),
            true => self.cursor.rowid(),
            false => Ok(0),
        }
    }
}

impl SortedEntries for Source<'_> {
    type Error = Error;

    #[inline]
    fn entry(&mut self) -> Result<Option<(i64, &[u8])>> {
        if !self.is_there {
            return Ok(None);
        }
        let rowid = self.rowid()?;
        let row = self.cursor.row(self.from)?;
        Ok((!row.span.overflows()).then(|| (rowid, row.local())))
    }

    #[inline]
    fn advance(&mut self) -> Result<()> {
        self.count += 1;
        self.is_there = self.cursor.next(self.from)?;
        Ok(())
    }
}
