//! Inserting rows and index entries, and replacing them.

use super::append::{self, SortedEntries};
use super::ordinary::{self, IfEqual};
use super::{Cursor, Level, ParsedRow, SAVED_LEN_MAX, Seek, State};
use crate::balance::{Pending, Step, balance};
use crate::btree::Btree;
use crate::edit::EditPage;
use crate::error::{Result, corrupt};
use crate::freeblocks::free_bytes;
use crate::key::{Prefix, SearchKey};
use crate::node::Node;
use crate::overflow;
use lithe_format::btree_page::{CHILD_LEN, FREEBLOCK_MIN, POINTER_LEN as CELL_POINTER_LEN, PageKind};
use lithe_format::cell::PayloadSpan;
use lithe_format::overflow::POINTER_LEN;
use lithe_format::payload::{Limits, Payload};
use lithe_format::ptrmap::PtrmapType;
use lithe_format::varint;
use lithe_format::{PageNo, cell};
use lithe_pager::PageInPlace;
use lithe_value::ValueRef;
use std::sync::Arc;

/// A cell that is being assembled for a page.
struct NewCell<'p, 'a> {
    /// The bytes before the payload: the child before an entry on an interior page, the payload's length, the rowid.
    front: [u8; FRONT_MAX],
    front_len: u8,
    /// 0 in an index.
    rowid: i64,
    payload: &'p Payload<'a>,
    local: u32,
    overflow: Option<PageNo>,
}

/// The longest front of a cell.
const FRONT_MAX: usize = CHILD_LEN + 2 * varint::MAX_LEN;

impl Cursor {
    /// Inserts a row, or replaces the one of this rowid. The cursor then stands on it.
    ///
    /// `seek` is what [`Cursor::seek_rowid`] has just answered for this rowid, if the cursor has not
    /// moved since; `None` makes this seek itself. A rowid greater than all others needs no search if
    /// the cursor stands on the last row, where the row inserted last has left it.
    pub fn insert_table(&mut self, btree: &Btree, rowid: i64, payload: &Payload<'_>, seek: Option<Seek>) -> Result<()> {
        self.put_row(btree, rowid, payload, seek, IfEqual::Write)
    }

    /// As [`Cursor::insert_table`], for a row that an UPDATE has changed: if its bytes are the same, no page is written.
    pub fn update_table(&mut self, btree: &Btree, rowid: i64, payload: &Payload<'_>, seek: Option<Seek>) -> Result<()> {
        self.put_row(btree, rowid, payload, seek, IfEqual::Skip)
    }

    #[inline(always)]
    fn put_row(
        &mut self,
        btree: &Btree,
        rowid: i64,
        payload: &Payload<'_>,
        seek: Option<Seek>,
        if_equal: IfEqual,
    ) -> Result<()> {
        self.assert_cursor_state();
        assert!(self.key_info.is_none(), "rows are put into tables");
        let seek = match (seek, self.row) {
            (Some(seek), _) if self.is_fresh(btree) => seek,
            // A statement that walks over rows and changes them.
            (None, Some(row)) if row.rowid == rowid && self.is_fresh(btree) => Seek::Exact,
            _ => self.seek_rowid(btree, rowid)?,
        };
        self.put(btree, Some(rowid), payload, seek, if_equal)
    }

    /// Inserts an entry into an index, or replaces the one that is equal in all columns that are compared; if all bytes are equal,
    /// no page is written. The cursor then stands on it. `values` are the columns of the record `payload`, at least those that are
    /// compared.
    ///
    /// `seek` is what [`Cursor::seek_key`] has just answered for all these values, as for [`Cursor::insert_table`].
    pub fn insert_index(
        &mut self,
        btree: &Btree,
        values: &[ValueRef<'_>],
        payload: &Payload<'_>,
        seek: Option<Seek>,
    ) -> Result<()> {
        self.assert_cursor_state();
        assert!(self.key_info.is_some(), "entries are inserted into indexes");
        let seek = match seek {
            Some(seek) if self.is_fresh(btree) => seek,
            _ => {
                let info = Arc::clone(self.key_info.as_ref().expect("a cursor on an index"));
                self.seek_key(btree, &SearchKey::new(&info, values, Prefix::Equal))?
            }
        };
        self.put(btree, None, payload, seek, IfEqual::Skip)?;
        match self.state {
            State::Lost => self.save_new_key(payload),
            // A longer entry is not worth a copy: its page is read when the entry is needed.
            State::Written if payload.len() > SAVED_LEN_MAX => self.synchronise(btree)?,
            State::Written => self.save_new_key(payload),
            _ => {}
        }
        Ok(())
    }

    /// Adds a row after all others; the caller guarantees the order. Pages are filled to the last byte.
    pub fn append_table(&mut self, btree: &Btree, rowid: i64, payload: &Payload<'_>) -> Result<()> {
        let seek = if self.last(btree)? { Seek::Less } else { Seek::Empty };
        self.insert_table(btree, rowid, payload, Some(seek))
    }

    /// Adds an entry after all others, as a sorted stream of records makes an index; nothing is compared.
    pub fn append_index(&mut self, btree: &Btree, payload: &Payload<'_>) -> Result<()> {
        let seek = if self.last(btree)? { Seek::Less } else { Seek::Empty };
        self.insert_index(btree, &[], payload, Some(seek))
    }

    /// Adds entries after the one that this cursor has written last, as long as they fit on its leaf, and leaves the others. Answers how many
    /// were added. The cursor then stands on the last one. The caller guarantees the order.
    ///
    /// # Errors
    /// Those of reading the entries; SQLITE_CORRUPT for a malformed leaf. The entries before are added.
    pub fn append_to_leaf<S: SortedEntries>(
        &mut self,
        btree: &Btree,
        entries: &mut S,
    ) -> std::result::Result<u64, S::Error> {
        append::append(self, btree, entries)
    }

    /// Saves the record that was just written, to seek it again.
    fn save_new_key(&mut self, payload: &Payload<'_>) {
        self.saved_key.bytes.clear();
        for part in payload.parts() {
            self.saved_key.bytes.extend_from_slice(part);
        }
        self.saved_key.len = payload.len();
    }

    /// Whether the path is current, so that the answer of an earlier seek is valid.
    fn is_fresh(&self, btree: &Btree) -> bool {
        matches!(self.state, State::Row | State::Written) && self.path.is_fresh(btree)
    }

    #[inline(always)]
    fn put(
        &mut self,
        btree: &Btree,
        rowid: Option<i64>,
        payload: &Payload<'_>,
        seek: Seek,
        if_equal: IfEqual,
    ) -> Result<()> {
        if ordinary::put(self, btree, rowid, payload, seek, if_equal)? {
            return Ok(());
        }
        self.put_any(btree, rowid, payload, seek, if_equal)
    }

    /// Puts a cell of any kind anywhere.
    #[inline(never)]
    fn put_any(
        &mut self,
        btree: &Btree,
        rowid: Option<i64>,
        payload: &Payload<'_>,
        seek: Seek,
        if_equal: IfEqual,
    ) -> Result<()> {
        if self.path.is_empty() && self.state != State::Written {
            btree.initialise()?;
            self.enter_root(btree)?;
        }
        let local = self.limits.local(payload.len());
        if self.state == State::Written && (seek != Seek::Less || local < payload.len()) {
            self.synchronise(btree)?;
        }
        let mut at = self.place();
        let mut child = None;
        let mut replaced_end = None;
        let mut last_rowid = None;
        match seek {
            Seek::Exact => {
                if self.overwrite(btree, payload, if_equal)? {
                    return Ok(());
                }
                let span = self.parse()?.span;
                if span.overflows() {
                    self.free_overflow(btree)?;
                }
                replaced_end = Some(span.end());
                if !self.here().node.is_leaf() {
                    child = Some(self.here().node.child(at.index)?);
                }
            }
            Seek::Less => {
                self.at_last = self.at_last || self.path.is_rightmost();
                at.index += 1;
                if self.at_last && rowid.is_some() {
                    last_rowid = Some(self.parse()?.rowid);
                }
            }
            Seek::Greater | Seek::Empty => self.at_last = seek == Seek::Empty,
        }
        let mut cell = NewCell::new(child, rowid, payload, local);
        if cell.overflows() {
            cell.write_overflow(btree)?;
        }
        if self.put_cell(btree, &cell, at, replaced_end)? {
            return Ok(());
        }
        match last_rowid {
            Some(last_rowid) if !self.path.is_empty() => self.append_leaf(btree, &cell, at.no, last_rowid),
            _ => self.put_balanced(btree, &cell, at),
        }
    }

    /// The page and cell on which the cursor stands.
    fn place(&self) -> Step {
        if self.state == State::Written {
            return self.written;
        }
        let level = self.here();
        Step { no: level.node.no, index: usize::from(level.index) }
    }

    /// Writes the cell to the page on which the cursor stands, before cell `at`, or in place of that cell, which then
    /// ends at `replaced_end`. Answers whether it fits there. If not, the page is not in the path any more.
    #[inline]
    fn put_cell(
        &mut self,
        btree: &Btree,
        cell: &NewCell<'_, '_>,
        at: Step,
        replaced_end: Option<usize>,
    ) -> Result<bool> {
        let is_held = self.state != State::Written;
        let is_full = is_held && replaced_end.is_none() && self.is_at_end_of_full_leaf(btree, at.index, cell.size())?;
        self.state = State::Nowhere;
        if is_full {
            self.path.pop();
            return Ok(false);
        }
        let is_adopted = cell.overflow.is_some() && btree.auto_vacuum()?;
        let put = |page: PageInPlace<'_>, limits: &Limits| cell.put_into(btree, page, limits, at.index, replaced_end);
        let (place, kind) = self.edit_page(btree, at.no, is_held, put)?;
        let Some(place) = place else {
            self.leave_page(is_held);
            return Ok(false);
        };
        self.row = Some(cell.parsed(place));
        self.path.version = btree.cells_changed(self.path.root, kind);
        if is_held && replaced_end.is_some() && !is_adopted {
            // A statement that replaces a row mostly walks over the table, and continues from here.
            self.state = State::Row;
            return Ok(true);
        }
        // The page is not held, so that other cursors can write it in its place.
        self.leave_page(is_held);
        if is_adopted {
            btree.adopt_cells(at.no, at.index..at.index + 1)?;
        }
        self.written = at;
        self.state = State::Written;
        Ok(true)
    }

    /// Calls `edit` with page `no`, to be written in its place, which is made ready first if it has to be. `is_held`: see
    /// [`Cursor::make_page_ready`].
    #[inline(always)]
    pub(super) fn edit_page<T>(
        &mut self,
        btree: &Btree,
        no: PageNo,
        is_held: bool,
        edit: impl FnOnce(PageInPlace<'_>, &Limits) -> Result<T>,
    ) -> Result<T> {
        loop {
            if let Some(page) = btree.edit(no, self.path.held_page(is_held)) {
                return edit(page, &self.limits);
            }
            self.make_page_ready(btree, no, is_held)?;
        }
    }

    /// Makes page `no` ready to be written in its place. If it `is_held`, it is the one on which the cursor stands, and the path then has
    /// the version that is written.
    #[inline(never)]
    pub(super) fn make_page_ready(&mut self, btree: &Btree, no: PageNo, is_held: bool) -> Result<()> {
        if !is_held {
            return btree.make_ready(no).map(drop);
        }
        let Level { node, index } = self.path.pop().expect("an entry has a path");
        let Node { page, .. } = node;
        assert!(node.no == no, "the page that is written is the one on which the cursor stands");
        drop(page); // the pager copies a page before a write while another reference to it exists
        self.path.push(Level { node: Node { page: btree.make_ready(no)?, ..node }, index });
        Ok(())
    }

    /// Takes the page on which the cursor stood out of the path, if it `is_held` there.
    #[inline]
    pub(super) fn leave_page(&mut self, is_held: bool) {
        if is_held {
            self.path.pop();
        }
    }

    /// Whether a row of `size` bytes would come last on a leaf without space for it. Then the row gets a leaf of its own if it
    /// comes after all others, and the full leaf must not be written needlessly: it would be journaled, logged and copied.
    fn is_at_end_of_full_leaf(&self, btree: &Btree, index: usize, size: usize) -> Result<bool> {
        let node = &self.here().node;
        if index != node.count() || node.kind != PageKind::TableLeaf {
            return Ok(false);
        }
        let header = btree.header(&node.page, node.no)?;
        let wanted = size + CELL_POINTER_LEN;
        Ok(header.gap() < wanted
            && free_bytes(&node.page, &header, btree.usable_size()).map_err(|e| node.corrupt(e.0))? < wanted)
    }

    /// Puts a row that comes after all others, and does not fit the leaf `full`, on a new leaf: rows that come in order
    /// leave full pages behind. `last_rowid` is the last one on `full`. The path leads to the parent.
    fn append_leaf(&mut self, btree: &Btree, cell: &NewCell<'_, '_>, full: PageNo, last_rowid: i64) -> Result<()> {
        // The level is dropped at once: the pager copies a page before a write while another reference to it exists.
        assert!(self.key_info.is_none() && full != self.path.root, "a leaf of a table, below its root");
        let level = self.path.pop().map(|level| (level.node.no, level.node.count()));
        let (parent, at) = level.expect("a leaf that is not the root has a parent");
        let new = btree.allocate()?;
        // Later rows do not go to the full leaf.
        btree.pager().finish_page(full)?;
        let mut page = EditPage::create(btree, btree.new_page(new)?, PageKind::TableLeaf);
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
        self.path.range = None; // the range of the other leaf

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
        self.path.version = btree.changed(self.path.root);
        Ok(())
    }

    /// Puts a cell, whose payload is all on its page, before cell `at` of a page that is too full for it.
    pub(super) fn put_where_full(&mut self, btree: &Btree, rowid: Option<i64>, payload: &[u8], at: Step) -> Result<()> {
        let payload = Payload::from_bytes(payload);
        self.put_balanced(btree, &NewCell::new(None, rowid, &payload, payload.len()), at)
    }

    /// Balances the tree with the cell that does not fit its page. Afterwards the cursor has no path to the cell.
    fn put_balanced(&mut self, btree: &Btree, cell: &NewCell<'_, '_>, at: Step) -> Result<()> {
        let mut bytes = vec![0; cell.size()];
        cell.write(&mut bytes);
        let steps = self.take_steps(at);
        balance(btree, &steps, Some(Pending::one(at.index, bytes)))?;
        btree.changed(self.path.root);
        self.row = Some(cell.parsed(0));
        self.state = State::Lost;
        Ok(())
    }

    /// The path as steps, with `last` at its end. The path is cleared.
    pub(super) fn take_steps(&mut self, last: Step) -> Vec<Step> {
        self.at_last = false;
        self.path.take_steps(last)
    }

    /// If the old payload has the same length, writes the new one over it, overflow pages included.
    fn overwrite(&mut self, btree: &Btree, payload: &Payload<'_>, if_equal: IfEqual) -> Result<bool> {
        let span = self.parse()?.span;
        if span.len != payload.len() {
            return Ok(false);
        }
        if if_equal == IfEqual::Skip && self.holds(btree, span, payload)? {
            self.state = State::Row;
            return Ok(true);
        }
        if span.overflows() {
            self.remember_long_key(btree, span)?;
        }
        let node = &self.here().node;
        let (no, kind, first) = (node.no, node.kind, span.overflow_page(&node.page));
        self.state = State::Nowhere;
        let mut payload = payload.reader();
        loop {
            if let Some(mut page) = btree.edit(no, self.path.held_page(true)) {
                payload.copy_to(&mut page[span.range()]);
                break;
            }
            self.make_page_ready(btree, no, true)?;
        }
        if span.overflows() {
            let first = first.ok_or_else(|| corrupt(no, "overflow page 0"))?;
            overflow::overwrite_whole_chain(btree, first, &mut payload, span.len - span.local, no)?;
        }
        self.path.version = btree.cells_changed(self.path.root, kind);
        self.state = State::Row;
        Ok(true)
    }

    /// Whether a payload, which is as long as that of the entry on which the cursor stands, has the same bytes.
    fn holds(&self, btree: &Btree, span: PayloadSpan, payload: &Payload<'_>) -> Result<bool> {
        let Node { page, no, .. } = &self.here().node;
        let mut payload = payload.reader();
        if !payload.is_next(&page[span.range()]) {
            return Ok(false);
        }
        if !span.overflows() {
            return Ok(true);
        }
        let first = span.overflow_page(page).ok_or_else(|| corrupt(*no, "overflow page 0"))?;
        overflow::chain_is(btree, first, &mut payload, span.len - span.local)
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

impl<'p, 'a> NewCell<'p, 'a> {
    #[inline]
    pub(super) fn new(
        child: Option<PageNo>,
        rowid: Option<i64>,
        payload: &'p Payload<'a>,
        local: u32,
    ) -> NewCell<'p, 'a> {
        let mut front = [0; FRONT_MAX];
        let mut len = 0;
        if let Some(child) = child {
            front[..CHILD_LEN].copy_from_slice(&child.get().to_be_bytes());
            len = CHILD_LEN;
        }
        len += varint::write(&mut front[len..], u64::from(payload.len()));
        if let Some(rowid) = rowid {
            len += varint::write(&mut front[len..], rowid as u64);
        }
        NewCell { front, front_len: len as u8, rowid: rowid.unwrap_or(0), payload, local, overflow: None }
    }

    /// Writes the cell to `page`, before cell `index`, or in place of that cell, which then ends at `replaced_end`. Answers where, if it
    /// fits, and the kind of the page.
    #[inline(always)]
    fn put_into(
        &self,
        btree: &Btree,
        page: PageInPlace<'_>,
        limits: &Limits,
        index: usize,
        replaced_end: Option<usize>,
    ) -> Result<(Option<usize>, PageKind)> {
        let mut page = EditPage::of_tree(btree, page, limits)?;
        let size = self.size();
        let place = match replaced_end {
            Some(old_end) => page.replace(index, old_end, size)?,
            None => page.insert(index, size)?,
        };
        if let Some(place) = place {
            self.write(page.bytes_mut(place, size));
        }
        Ok((place, page.header.kind))
    }

    #[inline]
    fn overflows(&self) -> bool {
        self.local < self.payload.len()
    }

    /// Writes the part of the payload that is not on the page.
    fn write_overflow(&mut self, btree: &Btree) -> Result<()> {
        let mut rest = self.payload.reader();
        rest.skip(self.local as usize);
        self.overflow = Some(overflow::write_chain(btree, &mut rest, self.payload.len() - self.local)?);
        Ok(())
    }

    #[inline]
    fn size(&self) -> usize {
        let pointer = if self.overflows() { POINTER_LEN } else { 0 };
        (usize::from(self.front_len) + self.local as usize + pointer).max(FREEBLOCK_MIN)
    }

    /// The parsed form of the cell, if it is written at `at`.
    #[inline]
    fn parsed(&self, at: usize) -> ParsedRow {
        let at = at as u32 + u32::from(self.front_len);
        let span = PayloadSpan { at, local: self.local, len: self.payload.len() };
        ParsedRow { rowid: self.rowid, span, is_saved: false }
    }

    /// Writes all parts of the cell.
    #[inline]
    fn write(&self, out: &mut [u8]) {
        match out.first_chunk_mut() {
            // A copy of fixed length takes a few moves; the payload is written over the rest.
            Some(whole) => *whole = self.front,
            None => self.write_short_front(out),
        }
        let payload = &mut out[usize::from(self.front_len)..];
        match self.payload.as_slice() {
            Some(bytes) if self.overflow.is_none() && payload.len() == bytes.len() => payload.copy_from_slice(bytes),
            _ => self.write_parts(payload),
        }
    }

    /// The front of a cell that is shorter than [`FRONT_MAX`].
    #[inline(never)]
    fn write_short_front(&self, out: &mut [u8]) {
        let len = out.len();
        out.copy_from_slice(&self.front[..len]);
    }

    /// As [`NewCell::write`], for a payload in several parts, or one that overflows, and for a cell that is shorter than the
    /// shortest freeblock.
    fn write_parts(&self, out: &mut [u8]) {
        let (local, rest) = out.split_at_mut(self.local as usize);
        self.payload.reader().copy_to(local);
        match self.overflow {
            Some(first) => rest.copy_from_slice(&first.get().to_be_bytes()),
            None => rest.fill(0),
        }
    }
}
