//! Incremental access to one BLOB.
//!
//! An open BLOB is a running statement of its own: it holds its transaction open until it is closed.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use lithe_btree::{Btree, Cursor, Seek};
use lithe_catalog::{FoundTable, IndexTerm, Table, TableKind};
use lithe_format::PageNo;
use lithe_format::record::{Located, View};
use lithe_format::serial_type::SerialType;
use lithe_functions::BlobPlace;
use lithe_pager::{PageHolder, Pager};
use lithe_sql::ast::Name;
use lithe_vfs::ResultCode;
use lithe_vm::operand::{Db, OnConflict};

use crate::connection::Connection;
use crate::connection::transaction::StatementRun;
use crate::connection::under_way::UnderWay;
use crate::error::{Error, Result};
use crate::preupdate::call_for_blob_write;
use crate::row_watches::RowWatch;

/// An open BLOB (or text) of one row.
pub struct Blob {
    btree: Rc<Btree>,
    cursor: Rc<HeldCursor>,
    /// The column's index in the records.
    stored_at: usize,
    /// Database, table and column, for the pre-update hook.
    names: (String, String, usize),
    can_write: bool,
    /// `None` when the handle is closed, or when a failed [`Blob::reopen`] has left it without a row.
    place: Option<Place>,
    run: Option<StatementRun>,
    /// The number of rollbacks so far when a rollback ended the handle's access.
    tripped_at: Option<u64>,
    /// How many rollbacks to savepoints the handle has noticed.
    savepoint_rollbacks: u64,
    /// The error of the last read or write, if it failed.
    last_error: Option<Error>,
    watch: Rc<RowWatch>,
    view: View,
    /// The start of a payload whose header spans several pages.
    header: Vec<u8>,
}

/// The cursor of an open BLOB, in a cell in which the pager can reach it.
struct HeldCursor(RefCell<Cursor>);

impl PageHolder for HeldCursor {
    fn make_pages_private(&self, pager: &Pager) -> bool {
        let reached = self.0.try_borrow_mut();
        reached.map(|mut cursor| cursor.make_pages_private(pager)).is_ok()
    }
}

/// How often a schema that another connection keeps changing is read again before the error is returned.
const SCHEMA_TRIES: u32 = 50;

/// The position of the value in the row's payload.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    at: u32,
    len: u32,
}

impl Blob {
    /// Opens the value in a column of row `rowid` of a table, for reading, or for reading and writing.
    pub(crate) fn open(connection: &Connection, place: &BlobPlace<'_>, rowid: i64) -> Result<Blob> {
        for _ in 0..SCHEMA_TRIES {
            match Blob::try_open(connection, place, rowid) {
                // Another connection has changed the schema: the table may have moved, or be gone.
                Err(error) if error.code().primary() == ResultCode::SCHEMA => {}
                opened => return opened,
            }
        }
        Err(Error::from_code(ResultCode::SCHEMA))
    }

    fn try_open(connection: &Connection, wanted: &BlobPlace<'_>, rowid: i64) -> Result<Blob> {
        // A database whose schema cannot be read has no such table.
        connection.load_schemas().map_err(|error| Error::generic(error.message()))?;
        let catalog = connection.catalog();
        let (database, name) = (wanted.database, wanted.table);
        let found = catalog.find_table(Some(Name::new(database.as_bytes())), Name::new(name.as_bytes()));
        let FoundTable { db, table } =
            found.ok_or_else(|| Error::generic(format!("no such table: {database}.{name}")))?;
        let root = root_of(table)?;
        let foreign_keys = connection.settings.flags().foreign_keys;
        let (position, stored_at) = column_of(table, wanted.column, wanted.writable, foreign_keys)?;
        let run = connection.statement_begins();
        let btree = connection.databases.btree(db)?;
        let cursor = Rc::new(HeldCursor(RefCell::new(Cursor::table(root))));
        let holder: Weak<HeldCursor> = Rc::downgrade(&cursor);
        btree.pager().page_holders().register(holder);
        let mut blob = Blob {
            btree,
            cursor,
            stored_at,
            names: (catalog.database_name(db).to_string(), (&table.name).into(), position),
            can_write: wanted.writable,
            place: None,
            run: Some(run),
            tripped_at: None,
            savepoint_rollbacks: connection.transaction.savepoint_rollbacks(),
            last_error: None,
            watch: RowWatch::new(db, root, rowid),
            view: View::new(),
            header: Vec::new(),
        };
        if connection.interrupts.is_set() {
            let error = Error::interrupted();
            blob.fail(connection, &error);
            return Err(error);
        }
        let opened = connection.databases.lock_table(db, table, wanted.writable);
        if let Err(error) = opened.and_then(|()| blob.begin(connection, db)) {
            blob.fail(connection, &error);
            return Err(error);
        }
        blob.find_or_end(connection, rowid)?;
        connection.row_watches.add(&blob.watch);
        Ok(blob)
    }
}

fn root_of(table: &Table) -> Result<PageNo> {
    let refused = match &table.kind {
        TableKind::Ordinary => None,
        TableKind::WithoutRowid => Some("table without rowid"),
        TableKind::View(_) => Some("view"),
        TableKind::Virtual(_) => Some("virtual table"),
    };
    let is_ordinary = refused.is_none();
    if is_ordinary && table.has_generated_columns() {
        return Err(Error::generic(format!("cannot open table with generated columns: {}", table.name)));
    }
    match (refused, table.root) {
        (None, Some(root)) => Ok(root),
        (kind, _) => Err(Error::generic(format!("cannot open {}: {}", kind.unwrap_or("table"), table.name))),
    }
}

/// The index of the column in the table, and in its records.
fn column_of(table: &Table, name: &str, write: bool, foreign_keys: bool) -> Result<(usize, usize)> {
    let column = table.column(Name::new(name.as_bytes()));
    let column = column.filter(|column| table.columns[usize::from(*column)].is_stored());
    let column = column.ok_or_else(|| Error::generic(format!("no such column: \"{name}\"")))?;
    if write {
        let is_indexed = table.indexes.iter().any(|index| {
            index.columns.iter().any(|c| c.term == IndexTerm::Column(column) || matches!(c.term, IndexTerm::Expr(_)))
        });
        if is_indexed {
            return Err(Error::generic("cannot open indexed column for writing"));
        }
        if foreign_keys && table.foreign_keys.iter().any(|key| key.columns.contains(&column)) {
            return Err(Error::generic("cannot open foreign key column for writing"));
        }
    }
    let position = usize::from(column);
    Ok((position, usize::from(table.columns[position].stored_at)))
}

impl Blob {
    /// The size of the value in bytes.
    pub fn len(&self) -> usize {
        self.place.map_or(0, |place| place.len as usize)
    }

    /// Whether the value has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The invariants between two calls.
    #[track_caller]
    fn assert_state(&self) {
        assert!(self.run.is_some() || self.place.is_none(), "the place of a run that has ended");
    }

    fn begin(&self, connection: &Connection, db: Db) -> Result<()> {
        let Some(run) = &self.run else { return Ok(()) };
        connection.begin_on(db, self.can_write, run)?;
        if db == Db::TEMP {
            return Ok(()); // no other connection uses the temporary database
        }
        connection.databases.check_schema(db, &*connection.databases.get(db)?, &connection.catalog())
    }

    /// Seeks a row and finds the value in it; returns whether there is such a row.
    fn find(&mut self, rowid: i64) -> Result<bool> {
        self.place = None;
        if self.cursor.0.borrow_mut().seek_rowid(&self.btree, rowid)? != Seek::Exact {
            return Ok(false);
        }
        self.place = Some(self.locate()?);
        self.watch.move_to(rowid);
        self.tripped_at = None;
        Ok(true)
    }

    fn locate(&mut self) -> Result<Place> {
        let mut cursor = self.cursor.0.borrow_mut();
        let len = cursor.row(&self.btree)?.len();
        self.view.reset(len);
        let row = cursor.row(&self.btree)?;
        let mut located = self.view.locate(row.local(), self.stored_at).map_err(malformed)?;
        if let Located::NeedsBytes(count) = located {
            self.header.resize(count.min(len) as usize, 0);
            cursor.read_payload(&self.btree, 0, &mut self.header)?;
            located = self.view.locate(&self.header, self.stored_at).map_err(malformed)?;
        }
        match located {
            Located::At(column) if is_bytes(column.serial) => Ok(Place { at: column.at, len: column.serial.len() }),
            Located::At(column) => Err(cannot_open(class_name(column.serial))),
            Located::Absent | Located::NeedsBytes(_) => Err(cannot_open("null")),
        }
    }

    /// Reads `bytes.len()` bytes at `offset`.
    pub fn read(&mut self, connection: &Connection, bytes: &mut [u8], offset: usize) -> Result<()> {
        connection.transaction.check_unbroken()?;
        self.check_range(offset, bytes.len())?;
        self.assert_state();
        let read = self.read_in(connection, bytes, offset);
        let read = self.note_outcome(connection, read);
        self.assert_state();
        read
    }

    fn read_in(&mut self, connection: &Connection, bytes: &mut [u8], offset: usize) -> Result<()> {
        let place = self.place_of(connection)?;
        self.cursor.0.borrow_mut().read_payload(&self.btree, place.at + offset as u32, bytes)?;
        connection.databases.check_mappings()
    }

    /// Keeps the outcome, because closing the handle returns the error of the last read or write. If the row is gone,
    /// the run ends at once, as the read or write before has left it.
    fn note_outcome(&mut self, connection: &Connection, outcome: Result<()>) -> Result<()> {
        let before = std::mem::replace(&mut self.last_error, outcome.as_ref().err().cloned());
        if outcome.as_ref().is_err_and(|error| error.code() == ResultCode::ABORT) {
            self.last_error = None;
            self.place = None;
            let _ = self.end_after(connection, before);
        }
        outcome
    }

    /// Writes `bytes` at `offset`, in place: the size does not change, so the row is not moved.
    pub fn write(&mut self, connection: &Connection, bytes: &[u8], offset: usize) -> Result<()> {
        connection.transaction.check_unbroken()?;
        self.check_range(offset, bytes.len())?;
        self.assert_state();
        let under_way = UnderWay::begin(&connection.transaction);
        let written = self.write_in(connection, bytes, offset);
        let written = self.note_outcome(connection, written);
        connection.step_ends();
        under_way.end();
        self.assert_state();
        written
    }

    fn write_in(&mut self, connection: &Connection, bytes: &[u8], offset: usize) -> Result<()> {
        // An expired handle returns its error whether or not it was opened for writing.
        let place = self.place_of(connection)?;
        if !self.can_write {
            return Err(Error::from_code(ResultCode::READONLY));
        }
        if connection.hooks.preupdate.is_wanted() {
            let (database, table, column) = &self.names;
            call_for_blob_write(connection, database, table, *column, self.watch.rowid())?;
            // The hook may have moved the cursor.
            self.place_of(connection)?;
        }
        connection.state.note_write();
        let written = self.cursor.0.borrow_mut().write_payload(&self.btree, place.at + offset as u32, bytes);
        Ok(written?)
    }

    /// Checks that the range lies within the value.
    fn check_range(&self, offset: usize, len: usize) -> Result<()> {
        match self.place {
            Some(place) if offset.checked_add(len).is_none_or(|end| end > place.len as usize) => {
                Err(Error::from_code(ResultCode::ERROR))
            }
            _ => Ok(()),
        }
    }

    /// The value's position, if the row has not changed.
    fn place_of(&mut self, connection: &Connection) -> Result<Place> {
        let aborted = || Error::new(ResultCode::ABORT, "query aborted");
        let Some(place) = self.place.filter(|_| self.run.is_some()) else { return Err(aborted()) };
        if self.is_tripped(connection) {
            return Err(rolled_back());
        }
        if self.watch.expired_at().is_some() || !self.cursor.0.borrow_mut().restore(&self.btree)? {
            self.place = None;
            return Err(aborted());
        }
        Ok(place)
    }

    /// Seeks the same column of another row. After an error the BLOB can only be closed.
    pub fn reopen(&mut self, connection: &Connection, rowid: i64) -> Result<()> {
        self.assert_state();
        if self.run.is_none() || self.place.is_none() {
            return Err(Error::new(ResultCode::ABORT, "query aborted"));
        }
        self.last_error = None;
        let found = self.find_or_end(connection, rowid);
        self.assert_state();
        found
    }

    /// Seeks a row and finds the value in it, or ends the run.
    fn find_or_end(&mut self, connection: &Connection, rowid: i64) -> Result<()> {
        let found = match () {
            () if connection.interrupts.is_set() => Err(Error::interrupted()),
            () if self.is_tripped(connection) => Err(rolled_back()),
            () => self.find(rowid),
        };
        if !matches!(found, Ok(true)) {
            self.place = None;
        }
        match found {
            Ok(true) => Ok(()),
            // A run that finds no such row has succeeded, and so commits the transaction that it may have begun.
            Ok(false) => {
                let missing = || Error::generic(format!("no such rowid: {rowid}"));
                let ended = self.end_run(connection).and_then(|()| connection.call_wal_hook());
                Err(ended.err().unwrap_or_else(missing))
            }
            // A value that is neither text nor BLOB ends the run, too. Whatever the end of the run returns, this error
            // is reported.
            Err(error) if error.code() == ResultCode::ERROR => {
                let _ = self.end_run(connection);
                Err(error)
            }
            Err(error) => {
                self.fail(connection, &error);
                Err(error)
            }
        }
    }

    fn is_tripped(&mut self, connection: &Connection) -> bool {
        let savepoints = connection.transaction.savepoint_rollbacks();
        let is_behind = std::mem::replace(&mut self.savepoint_rollbacks, savepoints) != savepoints;
        if self
            .run
            .as_ref()
            .is_some_and(|run| connection.transaction.notice_rollback(run) || is_behind && run.is_writer())
        {
            self.tripped_at = Some(connection.transaction.rollbacks());
        }
        // A change of the row after the rollback expires the handle; the rollback no longer matters then.
        self.tripped_at.is_some_and(|tripped| self.watch.expired_at().is_none_or(|expired| expired < tripped))
    }

    /// Whether the handle has a row.
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Ends the access. In autocommit mode this commits what was written.
    pub fn close(&mut self, connection: &Connection) -> Result<()> {
        self.place = None;
        if connection.transaction.is_broken() {
            self.run = None;
            connection.abandon_if_idle();
            return connection.transaction.check_unbroken();
        }
        let under_way = UnderWay::begin(&connection.transaction);
        let error = self.last_error.take();
        let ended = self.end_after(connection, error);
        connection.step_ends();
        under_way.end();
        ended
    }

    /// The run has come to its end; it has failed if its last read or write has.
    fn end_after(&mut self, connection: &Connection, error: Option<Error>) -> Result<()> {
        match error {
            Some(error) => {
                self.fail(connection, &error);
                Err(error)
            }
            None => self.end_run(connection),
        }
    }

    /// The run has come to its end.
    fn end_run(&mut self, connection: &Connection) -> Result<()> {
        self.cursor.0.borrow_mut().reset();
        connection.row_watches.remove(&self.watch);
        let Some(run) = self.run.take() else { return Ok(()) };
        let ended = connection.statement_succeeds(&run);
        ended.inspect_err(|error| drop(connection.statement_fails(&run, error.code(), OnConflict::Abort)))
    }

    fn fail(&mut self, connection: &Connection, error: &Error) {
        self.cursor.0.borrow_mut().reset();
        connection.row_watches.remove(&self.watch);
        if let Some(run) = self.run.take() {
            let _ = connection.statement_fails(&run, error.code(), OnConflict::Abort);
        }
    }
}

fn is_bytes(serial: SerialType) -> bool {
    serial.is_text() || serial.is_blob()
}

fn class_name(serial: SerialType) -> &'static str {
    if serial.is_null() {
        "null"
    } else if serial.is_integer() {
        "integer"
    } else {
        "real"
    }
}

fn cannot_open(class: &str) -> Error {
    Error::generic(format!("cannot open value of type {class}"))
}

fn rolled_back() -> Error {
    Error::from_code(ResultCode::ABORT_ROLLBACK)
}

fn malformed(_: lithe_format::Malformed) -> Error {
    Error::from_code(ResultCode::CORRUPT)
}
