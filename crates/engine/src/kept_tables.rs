//! What a connection knows of the tables of its [`KeptTable`]s, and their rows in the B-tree. `module_rows` says when these may be used.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Weak;

use hashbrown::HashMap;
use lithe_btree::{Btree, Cursor, Seek};
use lithe_format::PageNo;
use lithe_format::record::{Builder, Located, View};
use lithe_functions::KeptTable;
use lithe_value::{Grow, ValueRef};
use lithe_vfs::ResultCode;
use lithe_vm::operand::Db;

use crate::error::{Error, Result};

/// The column with the value, in the table and in its records.
pub(crate) const VALUE_COLUMN: usize = 1;

/// The tables of [`KeptTable`]s.
#[derive(Default)]
pub(crate) struct KeptTables {
    all: RefCell<HashMap<u64, Rc<Known>>>,
    /// Those that were used last, each in the place that follows from its key.
    recent: RefCell<[Recent; RECENT_COUNT]>,
}

/// A table that was used lately, with its key.
type Recent = Option<(u64, Rc<Known>)>;

/// Modules use few tables at a time, and a module's tables have consecutive keys.
const RECENT_COUNT: usize = 16;

/// What is known of a table.
pub(crate) struct Known {
    alive: Weak<u64>,
    /// The number of the connection's changes at which the table was looked for.
    generation: u64,
    /// `None`: a statement is needed.
    pub(crate) found: Option<Found>,
}

/// A table with nothing but its rows.
pub(crate) struct Found {
    pub(crate) db: Db,
    pub(crate) cookie: u32,
    pub(crate) columns: usize,
    /// No trigger, index or constraint concerns rows that are written.
    pub(crate) can_write: bool,
    pub(crate) position: RefCell<Position>,
}

/// Where the last use has ended, and memory for the next one.
pub(crate) struct Position {
    cursor: Cursor,
    view: View,
    builder: Builder,
    /// A payload that does not fit its page.
    whole: Vec<u8>,
}

impl KeptTables {
    /// What is known of a table at this number of the connection's changes; `look_for` finds it out.
    pub(crate) fn find(
        &self,
        table: &KeptTable,
        generation: u64,
        look_for: impl FnOnce() -> Option<Found>,
    ) -> Rc<Known> {
        if let Some((key, known)) = &self.recent.borrow()[place_of(table.key())]
            && *key == table.key()
            && known.generation == generation
        {
            return Rc::clone(known);
        }
        self.find_among_all(table, generation, look_for)
    }

    #[inline(never)]
    fn find_among_all(
        &self,
        table: &KeptTable,
        generation: u64,
        look_for: impl FnOnce() -> Option<Found>,
    ) -> Rc<Known> {
        let known = self.all.borrow().get(&table.key()).filter(|known| known.generation == generation).cloned();
        let known = known.unwrap_or_else(|| self.keep(table, generation, look_for()));
        self.recent.borrow_mut()[place_of(table.key())] = Some((table.key(), Rc::clone(&known)));
        known
    }

    #[cold]
    fn keep(&self, table: &KeptTable, generation: u64, found: Option<Found>) -> Rc<Known> {
        let known = Rc::new(Known { alive: table.alive(), generation, found });
        let mut all = self.all.borrow_mut();
        all.retain(|_, known| known.alive.strong_count() > 0);
        self.recent.take();
        all.insert(table.key(), Rc::clone(&known));
        known
    }

    /// Forgets all tables, and the pages that their positions hold.
    pub(crate) fn clear(&self) {
        self.recent.take();
        self.all.borrow_mut().clear();
    }
}

fn place_of(key: u64) -> usize {
    key as usize % RECENT_COUNT
}

impl Position {
    /// A position in the table with this root.
    pub(crate) fn new(root: PageNo) -> Position {
        Position { cursor: Cursor::table(root), view: View::new(), builder: Builder::new(), whole: Vec::new() }
    }

    /// Gives the pages back.
    pub(crate) fn reset(&mut self) {
        self.cursor.reset();
    }

    /// Passes the value of a row to `read`; answers whether there is such a row, and `None` if a statement has to read it.
    pub(crate) fn read(
        &mut self,
        btree: &Btree,
        rowid: i64,
        read: &mut dyn FnMut(ValueRef<'_>),
    ) -> Result<Option<bool>> {
        if self.cursor.seek_rowid(btree, rowid)? != Seek::Exact {
            return Ok(Some(false));
        }
        let row = self.cursor.row(btree)?;
        let (len, is_whole) = (row.len(), !row.span.overflows());
        if !is_whole {
            self.whole.try_resize(len as usize, 0).map_err(|_| Error::from_code(ResultCode::NOMEM))?;
            self.cursor.read_payload(btree, 0, &mut self.whole)?;
        }
        let row = self.cursor.row(btree)?;
        let payload = if is_whole { row.local() } else { &self.whole };
        self.view.reset(len);
        let Ok(Located::At(column)) = self.view.locate(payload, VALUE_COLUMN) else { return Ok(None) };
        match column.value(payload) {
            Some(value @ (ValueRef::Integer(_) | ValueRef::Blob(_) | ValueRef::Null)) => {
                read(value);
                Ok(Some(true))
            }
            _ => Ok(None),
        }
    }

    /// The least rowid from `rowid` on.
    pub(crate) fn next(&mut self, btree: &Btree, rowid: i64) -> Result<Option<i64>> {
        let is_there = match self.cursor.seek_rowid(btree, rowid)? {
            Seek::Exact | Seek::Greater => true,
            Seek::Less => self.cursor.next(btree)?,
            Seek::Empty => false,
        };
        Ok(if is_there { Some(self.cursor.rowid()?) } else { None })
    }

    /// Writes a row of `columns` columns; answers its rowid, and `None` if a statement has to choose one.
    pub(crate) fn write(
        &mut self,
        btree: &Btree,
        rowid: Option<i64>,
        value: ValueRef<'_>,
        columns: usize,
    ) -> Result<Option<i64>> {
        let rowid = match rowid {
            Some(rowid) => rowid,
            None if !self.cursor.last(btree)? => 1,
            None => match self.cursor.rowid()?.checked_add(1) {
                Some(next) => next,
                None => return Ok(None),
            },
        };
        let usual = [ValueRef::Null, value];
        let mut longer = Vec::new();
        if columns > usual.len() {
            longer.extend_from_slice(&usual);
            longer.resize(columns, ValueRef::Null);
        }
        let payload = self.builder.build_parts(if longer.is_empty() { &usual } else { &longer }, 0);
        self.cursor.insert_table(btree, rowid, &payload, None)?;
        Ok(Some(rowid))
    }

    /// Passes the BLOB of a row to `edit`; answers what `edit` answers, and `None` if the row has no BLOB that is on its page as a whole.
    pub(crate) fn edit(
        &mut self,
        btree: &Btree,
        rowid: i64,
        edit: &mut dyn FnMut(&mut [u8]) -> bool,
    ) -> Result<Option<bool>> {
        if self.cursor.seek_rowid(btree, rowid)? != Seek::Exact {
            return Ok(None);
        }
        let row = self.cursor.row(btree)?;
        self.view.reset(row.len());
        let Ok(Located::At(column)) = self.view.locate(row.local(), VALUE_COLUMN) else { return Ok(None) };
        if !matches!(column.value(row.local()), Some(ValueRef::Blob(_))) {
            return Ok(None);
        }
        let (at, end) = (column.at as usize, column.end() as usize);
        let edited = self.cursor.edit_payload(btree, |row| row.get_mut(at..end).map(edit))?;
        Ok(edited.flatten())
    }

    /// Deletes a row; answers whether there was one.
    pub(crate) fn delete(&mut self, btree: &Btree, rowid: i64) -> Result<bool> {
        let is_there = self.cursor.seek_rowid(btree, rowid)? == Seek::Exact;
        if is_there {
            self.cursor.remove(btree)?;
        }
        Ok(is_there)
    }
}
