//! The cursors of a running program.

pub mod rows;
pub mod scan;

use crate::ephemeral::EphemeralCursor;
use crate::error::Error;
use crate::group::GroupsCursor;
use crate::hash::HashCursor;
use crate::register::Register;
use crate::row::tree::{CursorState, TreeCursor};
use crate::sorter::SorterCursor;
use lithe_pager::Pager;
use lithe_value::ValueRef;

/// A cursor of a running program.
pub enum VmCursor {
    /// Not open. A tree cursor that is closed leaves its place here.
    Closed(Option<Box<CursorState>>),
    /// On a B-tree.
    Tree(TreeCursor),
    /// On a temporary table in memory.
    Ephemeral(Box<EphemeralCursor>),
    /// A sorter.
    Sorter(Box<SorterCursor>),
    /// On a hash table.
    Hash(Box<HashCursor>),
    /// On the rows of a table-valued function.
    Rows(Box<rows::RowsCursor>),
    /// On a virtual table.
    Scan(Box<scan::ScanCursor>),
    /// The groups of a GROUP BY. They are not rows: only the instructions for groups use them.
    Groups(Box<GroupsCursor>),
}

impl Default for VmCursor {
    fn default() -> VmCursor {
        VmCursor::Closed(None)
    }
}

impl VmCursor {
    /// Closes the cursor; that of a tree leaves its place.
    #[inline]
    pub fn close(&mut self) {
        match std::mem::take(self) {
            VmCursor::Tree(tree) => self.put(VmCursor::Closed(Some(tree.close()))),
            VmCursor::Closed(remains) => self.put(VmCursor::Closed(remains)),
            _ => {}
        }
    }

    /// Drops the place of a closed cursor on an index.
    pub fn forget_key(&mut self) {
        if !matches!(self, VmCursor::Closed(Some(inner)) if inner.cursor.key_info().is_none()) {
            *self = VmCursor::Closed(None);
        }
    }

    /// Becomes `cursor`. The cursor before must be closed and without a place, so there is nothing to drop.
    #[inline]
    pub fn put(&mut self, cursor: VmCursor) {
        debug_assert!(matches!(self, VmCursor::Closed(None)), "the place of a cursor is empty");
        std::mem::forget(std::mem::replace(self, cursor));
    }

    /// Takes the place of the tree cursor that was open here.
    #[inline]
    pub fn take_state(&mut self) -> Option<Box<CursorState>> {
        match std::mem::take(self) {
            VmCursor::Closed(remains) => remains,
            VmCursor::Tree(tree) => Some(tree.close()),
            _ => None,
        }
    }

    /// Whether registers may hold bytes of this cursor's pages. The flag is cleared, because the caller copies the
    /// bytes.
    #[inline]
    pub fn take_lent(&mut self) -> bool {
        match self {
            VmCursor::Tree(tree) => std::mem::take(&mut tree.inner.has_lent),
            VmCursor::Closed(Some(inner)) => std::mem::take(&mut inner.has_lent),
            _ => false,
        }
    }

    /// Copies the pages of `pager` that the cursor holds, because the mapped bytes are about to change. A closed cursor needs no
    /// copy: it validates its page before it reads it again.
    pub fn make_pages_private(&mut self, pager: &Pager) {
        match self {
            VmCursor::Tree(tree) => tree.make_pages_private(pager),
            // Rows in memory.
            VmCursor::Ephemeral(_)
            | VmCursor::Sorter(_)
            | VmCursor::Hash(_)
            | VmCursor::Rows(_)
            | VmCursor::Groups(_) => {}
            VmCursor::Scan(_) | VmCursor::Closed(_) => {}
        }
    }

    /// This cursor, or the one on the tree that its temporary table has moved to.
    #[inline]
    pub fn settled(&mut self) -> Result<&mut VmCursor, Error> {
        if let VmCursor::Ephemeral(ephemeral) = self
            && let Some(tree) = ephemeral.moved()?
        {
            *self = VmCursor::Tree(tree);
        }
        Ok(self)
    }

    /// Goes to the next row. The hot instruction of a loop: the first arm is the usual one.
    #[inline]
    pub fn next(&mut self) -> Result<bool, Error> {
        match self {
            VmCursor::Tree(tree) => tree.next(),
            other => other.next_in_memory(),
        }
    }

    /// The same, for cursors other than tree cursors.
    #[inline(never)]
    pub fn next_in_memory(&mut self) -> Result<bool, Error> {
        if let VmCursor::Ephemeral(ephemeral) = self
            && let Some(found) = ephemeral.next_in_table()
        {
            return Ok(found);
        }
        match self.settled()? {
            VmCursor::Tree(tree) => tree.next(),
            VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.next()),
            VmCursor::Sorter(sorter) => sorter.next(),
            VmCursor::Hash(hash) => hash.next(),
            VmCursor::Rows(rows) => Ok(rows.next()),
            // `VNext` moves a scan of a virtual table, which needs its connection.
            VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Closed(_) => Ok(false),
        }
    }

    /// Goes to the row before.
    #[inline]
    pub fn previous(&mut self) -> Result<bool, Error> {
        match self.settled()? {
            VmCursor::Tree(tree) => tree.previous(),
            VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.previous()),
            _ => Ok(false),
        }
    }

    /// Goes to the first row.
    #[inline]
    pub fn first(&mut self) -> Result<bool, Error> {
        match self.settled()? {
            VmCursor::Tree(tree) => tree.first(),
            VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.first()),
            VmCursor::Rows(rows) => Ok(rows.first()),
            VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Sorter(_) | VmCursor::Hash(_) | VmCursor::Closed(_) => {
                Ok(false)
            }
        }
    }

    /// Goes to the last row.
    #[inline]
    pub fn last(&mut self) -> Result<bool, Error> {
        match self.settled()? {
            VmCursor::Tree(tree) => tree.last(),
            VmCursor::Ephemeral(ephemeral) => Ok(ephemeral.last()),
            _ => Ok(false),
        }
    }

    /// Every column is NULL until the next move.
    pub fn set_null_row(&mut self) {
        match self {
            VmCursor::Tree(tree) => tree.set_null_row(),
            VmCursor::Ephemeral(ephemeral) => ephemeral.set_null_row(),
            VmCursor::Sorter(sorter) => sorter.set_null_row(),
            VmCursor::Hash(hash) => hash.set_null_row(),
            VmCursor::Rows(rows) => rows.set_null_row(),
            VmCursor::Scan(scan) => scan.set_null_row(),
            // Every column of a closed cursor reads as NULL.
            VmCursor::Groups(_) | VmCursor::Closed(_) => {}
        }
    }

    /// Whether every column is NULL.
    pub fn is_null_row(&self) -> bool {
        match self {
            VmCursor::Tree(tree) => tree.is_null_row(),
            VmCursor::Ephemeral(ephemeral) => ephemeral.is_null_row(),
            VmCursor::Sorter(sorter) => sorter.is_null_row(),
            VmCursor::Hash(hash) => hash.is_null_row(),
            VmCursor::Rows(rows) => rows.is_null_row(),
            VmCursor::Scan(scan) => scan.is_null_row(),
            VmCursor::Groups(_) | VmCursor::Closed(_) => true,
        }
    }

    /// A column of the row, if it can be read in place. `None`: the caller must use [`VmCursor::column`].
    #[inline]
    pub fn value_in_place(&mut self, column: usize) -> Option<ValueRef<'_>> {
        match self {
            VmCursor::Tree(tree) => tree.value_in_place(column),
            VmCursor::Sorter(sorter) => sorter.value_in_place(column),
            _ => None,
        }
    }

    /// Puts a column of the row into a register; false if the record has fewer columns.
    #[inline]
    pub fn column(&mut self, column: usize, dst: &mut Register) -> Result<bool, Error> {
        match self {
            VmCursor::Tree(tree) => tree.column(column, dst),
            other => other.column_in_memory(column, dst),
        }
    }

    #[inline(never)]
    fn column_in_memory(&mut self, column: usize, dst: &mut Register) -> Result<bool, Error> {
        if let VmCursor::Ephemeral(ephemeral) = self
            && let Some(is_there) = ephemeral.column(column, dst)?
        {
            return Ok(is_there);
        }
        match self.settled()? {
            VmCursor::Tree(tree) => tree.column(column, dst),
            VmCursor::Sorter(sorter) => sorter.column(column, dst),
            VmCursor::Hash(hash) => hash.column(column, dst),
            VmCursor::Rows(rows) => {
                rows.column(column, dst)?;
                Ok(true)
            }
            // (VColumn reads the columns of a virtual table; a temporary table was read above, unless it had moved.)
            VmCursor::Ephemeral(_) | VmCursor::Scan(_) | VmCursor::Groups(_) | VmCursor::Closed(_) => {
                dst.set_null();
                Ok(true)
            }
        }
    }
}
