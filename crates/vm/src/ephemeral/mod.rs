//! Temporary tables, indexes and sets of one statement: in memory first, in a temporary B-tree when they outgrow it.
//!
//! | kind | in memory | beyond the budget |
//! | --- | --- | --- |
//! | table | [`table`]: a queue of rows | a table tree |
//! | index | [`index`]: blocks in order | an index tree |
//! | set | [`set`]: a hash table | an index tree |
//!
//! Several cursors may share one (OpenDup). When it moves to a B-tree, each cursor follows at its next use: the machine first
//! calls [`EphemeralCursor::moved`], and replaces the cursor by the one on the tree.

pub mod index;
pub mod set;
mod store;
pub mod table;

pub use store::{Temporary, insert_entry};

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lithe_btree::{KeyInfo, Seek};
use lithe_format::record;
use lithe_value::ValueRef;

use crate::arena::Span;
use crate::error::Error;
use crate::host::Host;
use crate::program::CursorKind;
use crate::register::Register;
use crate::row::tree::TreeCursor;
use crate::row::view::RecordView;
use index::{MemoryIndex, Place};
use store::{Store, Tree};
use table::MemoryTable;

/// A cursor on a temporary table, index or set in memory.
pub struct EphemeralCursor {
    store: Rc<RefCell<Store>>,
    position: Position,
    view: RecordView,
    is_null_row: bool,
    /// The next value of Sequence.
    pub sequence: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Position {
    #[default]
    Nowhere,
    /// On the row of that rowid, last found at that place; when the row has been removed, between its neighbours.
    Row { rowid: i64, at: usize },
    /// On that record, last found at that place, at that version of the index; when it has been removed, between its
    /// neighbours.
    Entry { span: Span, place: Place, version: u64 },
    /// On that record of a set.
    Member(Span),
}

impl EphemeralCursor {
    /// A cursor on an empty table, index or set.
    pub fn new(kind: &CursorKind, key: Option<&Arc<KeyInfo>>) -> EphemeralCursor {
        let key = || key.cloned().unwrap_or_default();
        let store = match kind {
            CursorKind::EphemeralIndex => Store::Index(MemoryIndex::new(key())),
            CursorKind::EphemeralSet => Store::set(key()),
            _ => Store::Table(MemoryTable::default()),
        };
        EphemeralCursor::on(Rc::new(RefCell::new(store)))
    }

    /// A second cursor on the same content.
    pub fn duplicate(&self) -> EphemeralCursor {
        debug_assert!(!matches!(&*self.store.borrow(), Store::Set(_)), "a set has no rows to go through");
        EphemeralCursor::on(Rc::clone(&self.store))
    }

    fn on(store: Rc<RefCell<Store>>) -> EphemeralCursor {
        EphemeralCursor {
            store,
            position: Position::Nowhere,
            view: RecordView::default(),
            is_null_row: false,
            sequence: 0,
        }
    }

    /// Removes everything.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.position = Position::Nowhere;
        self.forget_row();
        match &mut *self.store.borrow_mut() {
            Store::Table(table) => table.clear(),
            Store::Index(index) => index.clear(),
            Store::Set(set) => set.clear(),
            Store::Moved(tree) => {
                tree.btree.clear_tree(tree.root)?;
            }
        }
        Ok(())
    }

    /// A cursor at the same place of the tree that the content has moved to, if it has.
    #[inline]
    pub fn moved(&self) -> Result<Option<TreeCursor>, Error> {
        match &*self.store.borrow() {
            Store::Moved(tree) => self.on_tree(tree).map(Some),
            _ => Ok(None),
        }
    }

    #[cold]
    fn on_tree(&self, tree: &Tree) -> Result<TreeCursor, Error> {
        let mut cursor = tree.cursor();
        let mut is_ahead = false;
        debug_assert!(
            !matches!(self.position, Position::Entry { .. }) || tree.key.is_some(),
            "an entry is in an index"
        );
        if let Position::Row { rowid, .. } = self.position {
            is_ahead = match cursor.seek_rowid(&tree.btree, rowid)? {
                Seek::Less => cursor.next(&tree.btree)?,
                seek => seek == Seek::Greater,
            };
        }
        let mut cursor = TreeCursor::standing(Rc::clone(&tree.btree), cursor, is_ahead);
        cursor.inner.sequence = self.sequence;
        if self.is_null_row {
            cursor.set_null_row();
        }
        Ok(cursor)
    }

    /// The number of rows.
    pub fn count(&self) -> Result<u64, Error> {
        Ok(match &*self.store.borrow() {
            Store::Table(table) => table.len() as u64,
            Store::Index(index) => index.len() as u64,
            Store::Set(set) => set.len() as u64,
            Store::Moved(tree) => tree.cursor().count(&tree.btree)?,
        })
    }

    /// Goes to the first row.
    pub fn first(&mut self) -> bool {
        let place = match &*self.store.borrow() {
            Store::Index(index) => Some(index.first()),
            _ => None,
        };
        self.stand(0, place)
    }

    /// Goes to the last row.
    pub fn last(&mut self) -> bool {
        let (at, place) = match &*self.store.borrow() {
            Store::Table(table) => (table.len().checked_sub(1), None),
            Store::Index(index) => (Some(0), index.last()),
            _ => (None, None),
        };
        match at {
            Some(at) => self.stand(at, place),
            None => false,
        }
    }

    /// Positions the cursor on row `at` of a table, or on the entry at `place` of an index.
    #[inline]
    fn stand(&mut self, at: usize, place: Option<Place>) -> bool {
        debug_assert!(
            place.is_none() || matches!(&*self.store.borrow(), Store::Index(_)),
            "a place is one in an index"
        );
        self.forget_row();
        self.position = match (&*self.store.borrow(), place) {
            (Store::Table(table), _) => match table.rowid(at) {
                Some(rowid) => Position::Row { rowid, at },
                None => Position::Nowhere,
            },
            (Store::Index(index), Some(place)) => match index.span(place) {
                Some(span) => Position::Entry { span, place, version: index.version() },
                None => Position::Nowhere,
            },
            _ => Position::Nowhere,
        };
        self.position != Position::Nowhere
    }

    /// Goes to the next row of a table, if this one is still where it was found. `None`: the caller must use
    /// [`EphemeralCursor::next`].
    #[inline]
    pub fn next_in_table(&mut self) -> Option<bool> {
        let store = self.store.borrow();
        let (Store::Table(table), Position::Row { rowid, at }) = (&*store, self.position) else { return None };
        if table.rowid(at) != Some(rowid) {
            return None;
        }
        let next = table.rowid(at + 1);
        drop(store);
        self.forget_row();
        self.position = next.map_or(Position::Nowhere, |rowid| Position::Row { rowid, at: at + 1 });
        Some(next.is_some())
    }

    /// Goes to the next row.
    #[inline]
    pub fn next(&mut self) -> bool {
        let (at, place) = match (&*self.store.borrow(), self.position) {
            (Store::Table(table), Position::Row { rowid, at }) => match table.rowid(at) {
                Some(found) if found == rowid => (at + 1, None),
                _ => (table.find(rowid).map_or_else(|next| next, |at| at + 1), None),
            },
            (Store::Index(index), Position::Entry { span, place, version }) => {
                (0, Some(next_place(index, span, place, version)))
            }
            _ => return false,
        };
        self.stand(at, place)
    }

    /// Goes to the row before.
    pub fn previous(&mut self) -> bool {
        let (at, place) = match (&*self.store.borrow(), self.position) {
            (Store::Table(table), Position::Row { rowid, .. }) => {
                (table.find(rowid).unwrap_or_else(|next| next).checked_sub(1), None)
            }
            (Store::Index(index), Position::Entry { span, place, version }) => {
                let here = if version == index.version() {
                    place
                } else {
                    index.find_record(index.span_record(span)).unwrap_or_else(|next| next)
                };
                (Some(0), index.before(here))
            }
            _ => (None, None),
        };
        match at {
            Some(at) => self.stand(at, place),
            None => {
                self.position = Position::Nowhere;
                false
            }
        }
    }

    /// Goes to the row of a rowid, or else to the first row after it. True if the row exists.
    pub fn seek_rowid(&mut self, rowid: i64) -> bool {
        debug_assert!(
            !matches!(&*self.store.borrow(), Store::Index(_) | Store::Set(_)),
            "a rowid is sought in a table"
        );
        let (found, at) = match &*self.store.borrow() {
            Store::Table(table) => match table.find(rowid) {
                Ok(at) => (true, at),
                Err(at) => (false, at),
            },
            _ => return false,
        };
        self.stand(at, None) && found
    }

    /// Goes to the first entry that begins with the key, or else to the first after it. True if such an entry exists.
    pub fn seek_key(&mut self, values: &[ValueRef<'_>]) -> bool {
        debug_assert!(!matches!(&*self.store.borrow(), Store::Table(_)), "a key is sought in an index or a set");
        let found = match &*self.store.borrow() {
            Store::Index(index) => Some(index.find(values)),
            _ => None,
        };
        match found {
            Some(Ok(place)) => self.stand(0, Some(place)),
            Some(Err(place)) => {
                self.stand(0, Some(place));
                false
            }
            None => self.find_member(values),
        }
    }

    /// Goes to the first entry after all that begin with the key; false if there is none.
    pub fn seek_after(&mut self, values: &[ValueRef<'_>]) -> bool {
        debug_assert!(!matches!(&*self.store.borrow(), Store::Table(_)), "a key is sought in an index");
        let place = match &*self.store.borrow() {
            Store::Index(index) => index.find_after(values),
            _ => return false,
        };
        self.stand(0, Some(place))
    }

    fn find_member(&mut self, values: &[ValueRef<'_>]) -> bool {
        let found = match &*self.store.borrow() {
            Store::Set(set) => set.find(values),
            _ => None,
        };
        self.forget_row();
        self.position = found.map_or(Position::Nowhere, Position::Member);
        found.is_some()
    }

    /// Every column is NULL until the next move.
    pub fn set_null_row(&mut self) {
        self.is_null_row = true;
    }

    /// Whether every column is NULL.
    pub fn is_null_row(&self) -> bool {
        self.is_null_row
    }

    #[inline]
    fn forget_row(&mut self) {
        self.view.forget();
        self.is_null_row = false;
    }

    /// Whether the cursor is on no row (a seek found none).
    pub fn is_nowhere(&self) -> bool {
        self.position == Position::Nowhere
    }

    /// The rowid of the current row.
    pub fn rowid(&self) -> Option<i64> {
        match self.position {
            Position::Row { rowid, .. } => Some(rowid),
            _ => None,
        }
    }

    /// The largest rowid.
    pub fn last_rowid(&self) -> Option<i64> {
        match &*self.store.borrow() {
            Store::Table(table) => table.len().checked_sub(1).and_then(|last| table.rowid(last)),
            _ => None,
        }
    }

    /// Inserts a row into a table.
    pub fn insert_row(
        &mut self,
        rowid: i64,
        record: &[u8],
        host: &dyn Host,
        temporary: &Temporary,
    ) -> Result<(), Error> {
        let mut store = self.store.borrow_mut();
        debug_assert!(!matches!(&*store, Store::Index(_) | Store::Set(_)), "a row with a rowid goes into a table");
        if let Store::Table(table) = &mut *store {
            table.reserve(record.len())?;
            table.insert(rowid, record);
        }
        store.keep_within_budget(host, temporary)
    }

    /// Inserts an entry into an index or set.
    pub fn insert_entry(&mut self, record: &[u8], host: &dyn Host, temporary: &Temporary) -> Result<(), Error> {
        let mut store = self.store.borrow_mut();
        debug_assert!(!matches!(&*store, Store::Table(_)), "an entry goes into an index or a set");
        match &mut *store {
            Store::Index(index) => {
                index.reserve(record.len())?;
                index.insert(record);
            }
            Store::Set(set) => {
                set.reserve(record.len())?;
                set.insert(record);
            }
            Store::Table(_) | Store::Moved(_) => {}
        }
        store.keep_within_budget(host, temporary)
    }

    /// Removes the current row; the next row is then the one after it.
    pub fn delete(&mut self) {
        match (&mut *self.store.borrow_mut(), self.position) {
            (Store::Table(table), Position::Row { rowid, .. }) => {
                if let Ok(at) = table.find(rowid) {
                    table.remove(at);
                }
            }
            (Store::Index(index), Position::Entry { span, .. }) => {
                if let Ok(place) = index.find_record(index.span_record(span)) {
                    index.remove(place);
                }
            }
            _ => {}
        }
        self.forget_row();
    }

    /// Removes the entry with a key; false if there is none.
    pub fn delete_key(&mut self, values: &[ValueRef<'_>]) -> bool {
        debug_assert!(!matches!(&*self.store.borrow(), Store::Table(_)), "a key is deleted from an index or a set");
        match &mut *self.store.borrow_mut() {
            Store::Index(index) => match index.find(values) {
                Ok(place) => {
                    index.remove(place);
                    true
                }
                Err(_) => false,
            },
            Store::Set(set) => set.remove(values),
            Store::Table(_) | Store::Moved(_) => false,
        }
    }

    /// Puts a column of the current row into a register; false if the record has no such column. `None`: the content has moved.
    #[inline]
    pub fn column(&mut self, column: usize, dst: &mut Register) -> Result<Option<bool>, Error> {
        let store = self.store.borrow();
        match store.record(self.position) {
            Some(record) if !self.is_null_row => self.view.column(record, column, dst).map(Some),
            _ if matches!(*store, Store::Moved(_)) => Ok(None),
            _ => {
                dst.set_null();
                Ok(Some(true))
            }
        }
    }

    /// Calls `f` with a column of the current row, if it can be located without the view. `None`: the caller must use
    /// [`EphemeralCursor::column`].
    #[inline]
    pub fn with_value_in_place<T>(&mut self, column: usize, f: impl FnOnce(ValueRef<'_>) -> Option<T>) -> Option<T> {
        if self.is_null_row {
            return None;
        }
        let store = self.store.borrow();
        f(self.view.value_in_place(store.record(self.position)?, column)?)
    }

    /// The rowid that ends the current entry.
    pub fn entry_rowid(&self) -> Result<Option<i64>, Error> {
        if self.is_null_row {
            return Ok(None);
        }
        let values = self.with_record(|record| Ok(record::values(record)?.last().copied().map(rowid_of)));
        values.unwrap_or(Ok(None)).map(Option::flatten)
    }

    /// Calls `f` with the current record.
    pub fn with_record<T>(&self, f: impl FnOnce(&[u8]) -> T) -> Option<T> {
        self.store.borrow().record(self.position).map(|record| f(record.bytes()))
    }
}

fn rowid_of(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(rowid) => Some(rowid),
        _ => None,
    }
}

/// The place after a record that was last found at `place`.
fn next_place(index: &MemoryIndex, span: Span, place: Place, version: u64) -> Place {
    if version == index.version() {
        return index.after(place);
    }
    match index.find_record(index.span_record(span)) {
        Ok(place) => index.after(place),
        Err(next) => next,
    }
}
