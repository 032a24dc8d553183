//! Rows of ordinary tables that modules read and write by rowid, without a statement.
//!
//! A statement that writes one row of a shadow table takes some 8,000 instructions, and the B-tree under it some 1,000. What a statement
//! would do beside the B-tree is known for a table that has nothing but its rows (`Found`), on a connection that nobody watches
//! (`usable`): its effects on `changes()`, on `last_insert_rowid()`, and on the transaction when it fails. Anything else is left to a
//! statement.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Weak;

use hashbrown::HashMap;
use lithe_btree::{Btree, Cursor, Seek};
use lithe_catalog::{Schema, Table, TableKind};
use lithe_format::PageNo;
use lithe_format::record::{Builder, Located, View};
use lithe_functions::{FunctionError, KeptTable};
use lithe_sql::ast::Name;
use lithe_value::{Affinity, ValueRef};
use lithe_vm::operand::{Db, OnConflict};

use crate::connection::Connection;
use crate::error::{Error, Result};

type CallResult<T = ()> = lithe_functions::Result<T>;

/// The column with the value, in the table and in its records.
const VALUE_COLUMN: usize = 1;
/// The most columns of a row that is written: the key, the value, and NULLs.
const COLUMNS_MAX: usize = 128;
/// The first schema format whose records have integers without content.
const SHORT_INTEGERS_FORMAT: u32 = 4;
/// More than a record adds to the length of its value.
const RECORD_OVERHEAD: usize = 2 * COLUMNS_MAX;

/// The tables of [`KeptTable`]s.
#[derive(Default)]
pub(crate) struct KeptTables(RefCell<HashMap<u64, Rc<Known>>>);

/// What is known of a table.
struct Known {
    alive: Weak<u64>,
    /// The number of the connection's changes at which it was looked for.
    generation: u64,
    /// `None`: a statement is needed.
    found: Option<Found>,
}

/// A table with nothing but its rows.
struct Found {
    db: Db,
    cookie: u32,
    columns: usize,
    /// No trigger, index or constraint concerns rows that are written.
    can_write: bool,
    position: RefCell<Position>,
}

/// Where the last use has ended, and memory for the next one.
struct Position {
    cursor: Cursor,
    view: View,
    builder: Builder,
    /// A payload that does not fit its page.
    whole: Vec<u8>,
}

impl KeptTables {
    fn find(&self, connection: &Connection, table: &KeptTable) -> Rc<Known> {
        let generation = connection.generation.number();
        let known = self.0.borrow().get(&table.key()).filter(|known| known.generation == generation).cloned();
        known.unwrap_or_else(|| self.look_for(connection, table, generation))
    }

    #[cold]
    fn look_for(&self, connection: &Connection, table: &KeptTable, generation: u64) -> Rc<Known> {
        let known = Rc::new(Known { alive: table.alive(), generation, found: Found::of(connection, table) });
        let mut all = self.0.borrow_mut();
        all.retain(|_, known| known.alive.strong_count() > 0);
        all.insert(table.key(), Rc::clone(&known));
        known
    }

    /// The database of the table, if rows can be read there.
    pub(crate) fn database_of(&self, connection: &Connection, table: &KeptTable) -> Option<Db> {
        Some(self.find(connection, table).found.as_ref()?.db)
    }

    /// Forgets all tables, and the pages that their positions hold.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

impl Found {
    fn of(connection: &Connection, wanted: &KeptTable) -> Option<Found> {
        let catalog = connection.catalog();
        let db = catalog.find_database(Name::new(wanted.database().as_bytes()))?;
        let schema = catalog.schema(db);
        let table = schema.table(Name::new(wanted.table().as_bytes()))?;
        let root = root_of(table, wanted)?;
        if connection.hooks.has_authorizer() || !connection.databases.get(db).ok()?.is_loaded() {
            return None;
        }
        Some(Found {
            db,
            cookie: schema.cookie,
            columns: table.columns.len(),
            can_write: can_write(connection, schema, table) && !catalog.schema(Db::TEMP).has_triggers(),
            position: RefCell::new(Position {
                cursor: Cursor::table(root),
                view: View::new(),
                builder: Builder::new(),
                whole: Vec::new(),
            }),
        })
    }

    /// The trees of the table's database, if a statement would do no more than read or write a row, and a transaction allows it.
    #[inline]
    fn usable(&self, connection: &Connection, writes: bool) -> Option<Rc<Btree>> {
        let (databases, hooks) = (&connection.databases, &connection.hooks);
        let is_watched = hooks.progress_interval() != 0 || connection.interrupts.is_set() || databases.shares_cache();
        if is_watched || !connection.transaction.has_active() || connection.check_memory().is_err() {
            return None;
        }
        let btree = databases.btree(self.db).ok()?;
        let pager = btree.pager();
        let is_open = match writes {
            false => pager.is_reading(),
            true => {
                self.can_write
                    && pager.is_writing()
                    && connection.transaction.may_write_directly(pager.savepoint_count())
                    && connection.row_watches.is_empty()
                    && !hooks.update.is_set()
                    && !connection.settings.flags().query_only
            }
        };
        (is_open && btree.schema_cookie().ok()? == self.cookie).then_some(btree)
    }
}

/// The root of an ordinary table that has these columns.
fn root_of(table: &Table, wanted: &KeptTable) -> Option<PageNo> {
    let [key, value, ..] = &*table.columns else { return None };
    let is_as_wanted = matches!(table.kind, TableKind::Ordinary)
        && table.rowid_column == Some(0)
        && key.name == Name::new(wanted.key_column().as_bytes())
        && value.name == Name::new(wanted.value_column().as_bytes())
        && value.affinity == Affinity::Blob
        && usize::from(value.stored_at) == VALUE_COLUMN
        && !table.has_generated_columns();
    table.root.filter(|_| is_as_wanted)
}

/// Whether a row of the table is written by writing its record.
fn can_write(connection: &Connection, schema: &Schema, table: &Table) -> bool {
    let is_plain = table.triggers.is_empty()
        && table.indexes.is_empty()
        && table.checks.is_empty()
        && table.foreign_keys.is_empty()
        && table.rowid_conflict.is_none()
        && !table.autoincrement
        && !table.strict
        && table.columns.len() <= COLUMNS_MAX
        && table.columns.iter().all(|column| column.not_null.is_none() && column.default.is_none());
    let is_parent = |child: &Table| child.foreign_keys.iter().any(|key| key.parent == table.name);
    is_plain
        && schema.file_format >= SHORT_INTEGERS_FORMAT
        && !connection.hooks.preupdate.is_wanted()
        && !(connection.settings.flags().foreign_keys && schema.tables().iter().any(|child| is_parent(child)))
}

/// See `SqlConnection::read_row`.
pub(crate) fn read_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: i64,
    read: &mut dyn FnMut(ValueRef<'_>),
) -> Option<CallResult<bool>> {
    let known = connection.kept_tables.find(connection, table);
    let found = known.found.as_ref()?;
    let btree = found.usable(connection, false)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    let result = position.read(&btree, rowid, read);
    position.cursor.reset();
    drop(position);
    ended(connection, result, false).transpose()
}

/// See `SqlConnection::next_row`.
pub(crate) fn next_row(connection: &Connection, table: &KeptTable, rowid: i64) -> Option<CallResult<Option<i64>>> {
    let known = connection.kept_tables.find(connection, table);
    let found = known.found.as_ref()?;
    let btree = found.usable(connection, false)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    let result = position.next(&btree, rowid);
    position.cursor.reset();
    drop(position);
    Some(ended(connection, result, false))
}

/// See `SqlConnection::write_row`.
pub(crate) fn write_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: Option<i64>,
    value: ValueRef<'_>,
) -> Option<CallResult<i64>> {
    let is_short = match value {
        ValueRef::Null | ValueRef::Integer(_) => true,
        ValueRef::Blob(bytes) => bytes.len() + RECORD_OVERHEAD <= connection.state.length_max.get() as usize,
        _ => false,
    };
    let known = connection.kept_tables.find(connection, table);
    let found = known.found.as_ref().filter(|_| is_short)?;
    let btree = found.usable(connection, true)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    connection.state.note_write();
    let result = position.write(&btree, rowid, value, found.columns);
    position.cursor.reset();
    drop(position);
    if let Ok(Some(rowid)) = result {
        connection.state.last_insert_rowid.set(rowid);
        connection.state.set_changes(1);
    }
    ended(connection, result, true).transpose()
}

/// See `SqlConnection::edit_row`.
pub(crate) fn edit_row(
    connection: &Connection,
    table: &KeptTable,
    rowid: i64,
    edit: &mut dyn FnMut(&mut [u8]) -> bool,
) -> Option<CallResult<bool>> {
    let known = connection.kept_tables.find(connection, table);
    let found = known.found.as_ref()?;
    let btree = found.usable(connection, true)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    connection.state.note_write();
    let result = position.edit(&btree, rowid, edit);
    position.cursor.reset();
    drop(position);
    if let Ok(Some(true)) = result {
        connection.state.last_insert_rowid.set(rowid);
        connection.state.set_changes(1);
    }
    ended(connection, result, true).transpose()
}

/// See `SqlConnection::delete_row`.
pub(crate) fn delete_row(connection: &Connection, table: &KeptTable, rowid: i64) -> Option<CallResult> {
    let known = connection.kept_tables.find(connection, table);
    let found = known.found.as_ref()?;
    let btree = found.usable(connection, true)?;
    let mut position = found.position.try_borrow_mut().ok()?;
    connection.state.note_write();
    let result = position.delete(&btree, rowid);
    position.cursor.reset();
    drop(position);
    if let Ok(is_deleted) = result {
        connection.state.set_changes(i64::from(is_deleted));
    }
    Some(ended(connection, result.map(|_| ()), true))
}

/// The outcome. A failure has the effects that it has at the end of a statement.
#[inline]
fn ended<T>(connection: &Connection, result: Result<T>, writes: bool) -> CallResult<T> {
    // Pages that were read may have been zeros.
    match connection.databases.check_mappings().and(result) {
        Ok(done) => Ok(done),
        Err(error) => Err(failed(connection, error, writes)),
    }
}

#[cold]
fn failed(connection: &Connection, error: Error, writes: bool) -> FunctionError {
    let run = connection.statement_begins();
    if writes {
        connection.note_writer(&run);
    }
    let undone = connection.statement_fails(&run, error.code(), OnConflict::Abort);
    undone.err().unwrap_or(error).into()
}

impl Position {
    /// Passes the value of a row to `read`; answers whether there is such a row, and `None` if a statement has to read it.
    fn read(&mut self, btree: &Btree, rowid: i64, read: &mut dyn FnMut(ValueRef<'_>)) -> Result<Option<bool>> {
        if self.cursor.seek_rowid(btree, rowid)? != Seek::Exact {
            return Ok(Some(false));
        }
        let row = self.cursor.row(btree)?;
        let (len, is_whole) = (row.len(), !row.span.overflows());
        if !is_whole {
            self.whole.resize(len as usize, 0);
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
    fn next(&mut self, btree: &Btree, rowid: i64) -> Result<Option<i64>> {
        let is_there = match self.cursor.seek_rowid(btree, rowid)? {
            Seek::Exact | Seek::Greater => true,
            Seek::Less => self.cursor.next(btree)?,
            Seek::Empty => false,
        };
        Ok(if is_there { Some(self.cursor.rowid()?) } else { None })
    }

    /// Writes a row of `columns` columns; answers its rowid, and `None` if a statement has to choose one.
    fn write(&mut self, btree: &Btree, rowid: Option<i64>, value: ValueRef<'_>, columns: usize) -> Result<Option<i64>> {
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
    fn edit(&mut self, btree: &Btree, rowid: i64, edit: &mut dyn FnMut(&mut [u8]) -> bool) -> Result<Option<bool>> {
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
    fn delete(&mut self, btree: &Btree, rowid: i64) -> Result<bool> {
        let is_there = self.cursor.seek_rowid(btree, rowid)? == Seek::Exact;
        if is_there {
            self.cursor.remove(btree)?;
        }
        Ok(is_there)
    }
}
