//! Adding sorted entries after all others: a leaf is opened once for all that fit on it.
//!
//! CREATE INDEX, REINDEX and VACUUM make whole trees so. What does not fit, or is not [ordinary](super::ordinary), is added one by one, which
//! also makes the next leaf.

use super::ordinary::OrdinaryCell;
use super::{Cursor, ParsedRow, SAVED_LEN_MAX, State};
use crate::balance::Step;
use crate::btree::Btree;
use crate::edit;
use crate::error::Error;
use lithe_format::btree_page::{POINTER_LEN, PageHeader};
use lithe_format::bytes::put_u16;
use lithe_format::payload::Limits;
use lithe_pager::PageInPlace;

/// Entries in ascending order.
pub trait SortedEntries {
    /// The error of reading them.
    type Error: From<Error>;

    /// The rowid (0 for an index) and the record of the current entry. `None`: it is behind the last one, or its record is not in memory in one
    /// piece.
    fn entry(&mut self) -> Result<Option<(i64, &[u8])>, Self::Error>;

    /// Goes to the next entry.
    fn advance(&mut self) -> Result<(), Self::Error>;
}

/// A leaf to whose end cells are added. Its header is written when it is finished.
struct OpenLeaf<'p> {
    page: PageInPlace<'p>,
    header: PageHeader,
    limits: Limits,
    /// The bytes that were taken.
    taken: usize,
    /// The cell that was added last.
    last: Option<ParsedRow>,
}

/// See [`Cursor::append_to_leaf`].
pub(super) fn append<S: SortedEntries>(cursor: &mut Cursor, btree: &Btree, entries: &mut S) -> Result<u64, S::Error> {
    if cursor.state != State::Written || !cursor.at_last || !cursor.path.is_fresh(btree) {
        return Ok(0);
    }
    let (is_table, no) = (cursor.key_info.is_none(), cursor.written.no);
    let Some(page) = btree.edit(no, None) else { return Ok(0) };
    let header = btree.header(&page, no)?;
    // Freeblocks are used first, so that a leaf with one is left to the other way.
    if !header.kind.is_leaf() || header.first_freeblock != 0 {
        return Ok(0);
    }
    debug_assert_eq!(cursor.written.index + 1, usize::from(header.cell_count), "the last entry ends its leaf");
    let before = header.cell_count;
    let mut leaf = OpenLeaf::new(page, header, cursor.limits);
    let added = leaf.add_all(is_table, entries);
    let count = leaf.header.cell_count - before;
    if let Some(last) = leaf.last {
        if !is_table && last.span.len <= SAVED_LEN_MAX {
            cursor.saved_key.keep(&leaf.page[last.span.range()], last.span.len);
        }
        cursor.written = Step { no, index: usize::from(leaf.header.cell_count) - 1 };
        cursor.row = Some(last);
    }
    leaf.finish();
    if count > 0 {
        cursor.path.version = btree.cells_changed(cursor.path.root, cursor.kind().leaf());
    }
    added?;
    if !is_table && cursor.row.is_some_and(|row| row.span.len > SAVED_LEN_MAX) {
        cursor.synchronise(btree)?;
    }
    Ok(u64::from(count))
}

impl<'p> OpenLeaf<'p> {
    fn new(page: PageInPlace<'p>, header: PageHeader, limits: Limits) -> OpenLeaf<'p> {
        debug_assert!(
            edit::is_sum(page.memo(), &page, &header, &limits),
            "the memo of page {} is not what is free",
            page.no()
        );
        OpenLeaf { page, header, limits, taken: 0, last: None }
    }

    /// Adds entries until one does not fit.
    fn add_all<S: SortedEntries>(&mut self, is_table: bool, entries: &mut S) -> Result<(), S::Error> {
        while let Some((rowid, record)) = entries.entry()? {
            if record.len() > self.limits.max_local as usize || !self.add(is_table.then_some(rowid), record) {
                break;
            }
            entries.advance()?;
        }
        Ok(())
    }

    /// Adds a cell; false if it does not fit.
    #[inline(always)]
    fn add(&mut self, rowid: Option<i64>, record: &[u8]) -> bool {
        let cell = OrdinaryCell::new(rowid, record);
        let size = cell.size();
        if self.header.gap() < size + POINTER_LEN {
            return false;
        }
        self.header.content_at -= size as u32;
        let place = self.header.content_at as usize;
        put_u16(&mut self.page, self.header.pointers_end(), place as u16);
        self.header.cell_count += 1;
        cell.write(&mut self.page[place..place + size]);
        self.taken += size + POINTER_LEN;
        self.last = Some(cell.parsed(place));
        true
    }

    /// Writes the header, which makes the page well-formed again.
    fn finish(mut self) {
        self.header.write(&mut self.page);
        let memo = edit::memo_without(self.page.memo(), self.taken);
        self.page.set_memo(memo);
    }
}
