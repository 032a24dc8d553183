//! Recording: the changed rows, and their values before the first change.
//!
//! For each row, only the first change is recorded. The final values are read from the database when the changeset is written
//! ([`crate::generate`]).

use std::cell::RefCell;
use std::rc::Rc;

use lithe_vtab::{ChangeWatcher, FunctionError, Result, RowChange, RowOperation, SqlConnection, Value, ValueRef, code};

use crate::changes::{Changes, KeyHash};
use crate::header::is_same_key;
use crate::record::{self, UNDEFINED, fields};
use crate::records::{Place, Records};
use crate::schema::{STATISTICS, Schema};

/// Decides whether the changes of a table that was not attached by name are recorded.
pub type TableFilter = Rc<dyn Fn(&str) -> bool>;

/// Options of a session. To be set before a table is attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionOptions {
    /// [`Session::changeset_size`] answers how long the changeset may be.
    pub size: bool,
    /// Tables without a primary key are recorded by their rowids.
    pub rowid: bool,
}

/// A row that has changed.
pub(crate) struct Recorded {
    /// The first change.
    pub operation: RowOperation,
    pub indirect: bool,
    /// The values before the first change; for an INSERT only the key.
    pub record: Place,
    /// The longest change that the row might have been written as; 0 unless the session counts sizes.
    pub len_max: u32,
}

/// A table whose changes are recorded.
pub(crate) struct Table {
    pub name: String,
    /// Whether the table is sqlite_stat1, whose key has NULL for a table without indexes.
    pub is_statistics: bool,
    /// Read at the first change of a row.
    pub schema: Option<Schema>,
    pub changes: Changes<Recorded>,
    /// The records of the changes.
    pub records: Records,
    /// How long the changes may be, if the session counts that.
    pub size_bound: SizeBound,
}

/// The bound for the changes of one table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SizeBound {
    /// What the header takes, once the table's schema is known.
    pub header: usize,
    pub changes: usize,
}

impl SizeBound {
    pub fn bytes(self) -> usize {
        self.header + self.changes
    }
}

/// The state that the hook and the session share.
pub(crate) struct Recorder {
    pub database: String,
    pub tables: Vec<Table>,
    pub options: SessionOptions,
    enabled: bool,
    indirect: bool,
    attaches_all: bool,
    filter: Option<TableFilter>,
    /// The error of a failed recording, which leaves the changeset incomplete.
    pub error: Option<FunctionError>,
}

/// Records changes in one database of a connection.
pub struct Session {
    pub(crate) recorder: Rc<RefCell<Recorder>>,
}

impl Session {
    /// A session for a database (`main`, `temp`, or an attached one). Changes are recorded once the connection calls [`Session::watcher`]
    /// for each row, and a table is attached.
    pub fn new(database: &str) -> Session {
        Session {
            recorder: Rc::new(RefCell::new(Recorder {
                database: database.to_owned(),
                tables: Vec::new(),
                options: SessionOptions::default(),
                enabled: true,
                indirect: false,
                attaches_all: false,
                filter: None,
                error: None,
            })),
        }
    }

    /// The callback for each row before it changes. It shares the recorded changes with the session: both stay on the connection's thread.
    pub fn watcher(&self) -> ChangeWatcher {
        let recorder = Rc::clone(&self.recorder);
        Rc::new(move |connection, change| record_change(&recorder, connection, change))
    }

    /// Records changes of a table, or of all tables, from now on. The table may be created later.
    pub fn attach(&self, table: Option<&str>) {
        let mut recorder = self.recorder.borrow_mut();
        match table {
            None => recorder.attaches_all = true,
            Some(name) => {
                recorder.table_or_new(name);
            }
        }
    }

    /// Records the tables that `filter` accepts, in addition to the attached ones.
    pub fn set_table_filter(&self, filter: Option<TableFilter>) {
        let mut recorder = self.recorder.borrow_mut();
        recorder.attaches_all = true;
        recorder.filter = filter;
    }

    /// Whether changes are recorded.
    pub fn is_enabled(&self) -> bool {
        self.recorder.borrow().enabled
    }

    /// Turns recording on or off.
    pub fn set_enabled(&self, enabled: bool) {
        self.recorder.borrow_mut().enabled = enabled;
    }

    /// Whether all changes are recorded as indirect.
    pub fn is_indirect(&self) -> bool {
        self.recorder.borrow().indirect
    }

    /// Sets whether all changes are recorded as indirect.
    pub fn set_indirect(&self, indirect: bool) {
        self.recorder.borrow_mut().indirect = indirect;
    }

    /// The options.
    pub fn options(&self) -> SessionOptions {
        self.recorder.borrow().options
    }

    /// Sets the options.
    ///
    /// # Errors
    /// SQLITE_MISUSE once a table is attached.
    pub fn set_options(&self, options: SessionOptions) -> Result {
        let mut recorder = self.recorder.borrow_mut();
        if !recorder.tables.is_empty() {
            return Err(FunctionError::of_code(code::MISUSE));
        }
        recorder.options = options;
        Ok(())
    }

    /// Whether no row has changed. Changes that cancel out count as changes.
    pub fn is_empty(&self) -> bool {
        self.recorder.borrow().tables.iter().all(|table| table.changes.len() == 0)
    }

    /// The memory that the recorded tables and changes take, in bytes, without what is in reserve: each new row is seen in it.
    pub fn memory_used(&self) -> usize {
        let recorder = self.recorder.borrow();
        let table_bytes = |table: &Table| table.name.capacity() + table.changes.bytes() + table.records.bytes();
        recorder.tables.iter().map(table_bytes).sum::<usize>()
    }
}

impl Recorder {
    fn position(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|table| is_same_name(&table.name, name))
    }

    /// The index of a table, which is added if it is new.
    fn place_of(&mut self, name: &str) -> usize {
        self.position(name).unwrap_or_else(|| {
            let is_statistics = name.eq_ignore_ascii_case(STATISTICS);
            let (changes, records) = (Changes::default(), Records::default());
            let (name, size_bound) = (name.to_owned(), SizeBound::default());
            self.tables.push(Table { name, is_statistics, schema: None, changes, records, size_bound });
            self.tables.len() - 1
        })
    }

    #[expect(clippy::indexing_slicing, reason = "the place of a table, or of the one that was just added")]
    pub(crate) fn table_or_new(&mut self, name: &str) -> &mut Table {
        let at = self.place_of(name);
        &mut self.tables[at]
    }

    /// Whether changes of this database are recorded at present.
    fn is_recording(&self, database: &str) -> bool {
        self.enabled && self.error.is_none() && is_same_name(&self.database, database)
    }

    /// Records a change of the table with this index.
    fn record(&mut self, at: usize, connection: &dyn SqlConnection, change: &RowChange<'_>) -> Result {
        let (options, indirect) = (self.options, self.indirect || change.depth > 0);
        let Some(table) = self.tables.get_mut(at) else { return Ok(()) };
        table.prepare(connection, &self.database, options, change.column_count)?;
        if !table.schema.as_ref().is_some_and(Schema::has_key) {
            return Ok(());
        }
        if change.operation == RowOperation::Insert {
            table.record_row(&Row::new_of(change), RowOperation::Insert, indirect)?;
        } else {
            let old = Row::old_of(change);
            table.record_row(&old, change.operation, indirect)?;
            if change.operation == RowOperation::Update {
                table.record_new_key(&old, &Row::new_of(change), indirect)?;
            }
        }
        if options.size {
            table.count_change(change);
        }
        Ok(())
    }
}

/// Whether two names are the same. (Most are so byte for byte, which is found sooner.)
#[inline]
fn is_same_name(one: &str, other: &str) -> bool {
    one == other || one.eq_ignore_ascii_case(other)
}

/// The hook, called before a row changes.
fn record_change(recorder: &RefCell<Recorder>, connection: &dyn SqlConnection, change: &RowChange<'_>) {
    let Ok(mut borrowed) = recorder.try_borrow_mut() else { return };
    if !borrowed.is_recording(change.database) {
        return;
    }
    let at = match borrowed.position(change.table) {
        Some(at) => at,
        None => {
            drop(borrowed);
            let Some(at) = place_of_new(recorder, change.table) else { return };
            let Ok(again) = recorder.try_borrow_mut() else { return };
            borrowed = again;
            at
        }
    };
    if let Err(error) = borrowed.record(at, connection, change) {
        borrowed.error = Some(error);
    }
}

/// The index of a table that is recorded from now on; `None` if it is not wanted.
#[cold]
fn place_of_new(recorder: &RefCell<Recorder>, table: &str) -> Option<usize> {
    let filter =
        recorder.try_borrow().ok().and_then(|recorder| recorder.attaches_all.then(|| recorder.filter.clone()))?;
    // The filter may call the session, so nothing is borrowed during its call.
    let is_wanted = filter.is_none_or(|filter| filter(table));
    is_wanted.then(|| recorder.try_borrow_mut().ok().map(|mut recorder| recorder.place_of(table)))?
}

/// A row of a change, before or after it.
pub(crate) struct Row<'r> {
    rowid: i64,
    values: &'r [ValueRef<'r>],
}

impl<'r> Row<'r> {
    pub(crate) fn old_of(change: &RowChange<'r>) -> Row<'r> {
        Row { rowid: change.old_rowid, values: change.old_values.unwrap_or_default() }
    }

    pub(crate) fn new_of(change: &RowChange<'r>) -> Row<'r> {
        Row { rowid: change.new_rowid, values: change.new_values.unwrap_or_default() }
    }

    /// A row, by the values of its table's columns.
    pub(crate) fn of_values(rowid: i64, values: &'r [ValueRef<'r>]) -> Row<'r> {
        Row { rowid, values }
    }

    /// The value of a recorded column.
    #[inline]
    pub(crate) fn value(&self, schema: &Schema, is_statistics: bool, at: usize) -> ValueRef<'r> {
        if schema.is_plain {
            return self.values.get(at).copied().unwrap_or(ValueRef::Null);
        }
        let value = match schema.columns.get(at).map(|column| column.position) {
            Some(None) => ValueRef::Integer(self.rowid),
            Some(Some(position)) => self.values.get(position).copied().unwrap_or(ValueRef::Null),
            None => ValueRef::Null,
        };
        // A row for a table without indexes has a NULL index name: its key has an empty BLOB instead.
        if is_statistics && at == 1 && value.is_null() { ValueRef::Blob(&[]) } else { value }
    }

    /// The hash of the key; `None` if it has a NULL: the row has no identity.
    #[inline]
    pub(crate) fn hash(&self, schema: &Schema, is_statistics: bool) -> Option<u32> {
        let mut hash = KeyHash::default();
        for at in &schema.keys {
            match self.value(schema, is_statistics, *at) {
                ValueRef::Null => return None,
                ValueRef::Integer(rowid) if schema.has_rowid_key => hash.add_rowid(rowid),
                value => hash.add_value(value),
            }
        }
        Some(hash.finish())
    }

    /// Whether a record has the key of the row.
    pub(crate) fn has_key_of(&self, schema: &Schema, is_statistics: bool, record: &[u8]) -> bool {
        let key_end = schema.keys.last().map_or(0, |last| last + 1);
        let mut keys = fields(record).take(key_end).enumerate().filter(|(at, _)| schema.is_key(*at));
        keys.all(|(at, field)| record::value(field) == Some(self.value(schema, is_statistics, at)))
    }
}

impl Table {
    /// Reads the schema, for the first time or because the table has more columns than before.
    fn prepare(
        &mut self,
        connection: &dyn SqlConnection,
        database: &str,
        options: SessionOptions,
        column_count: usize,
    ) -> Result {
        if self.schema.as_ref().is_none_or(|schema| schema.total != column_count) {
            self.refresh(connection, database, options)?;
        }
        match &self.schema {
            Some(schema) if schema.total != column_count => Err(FunctionError::of_code(code::SCHEMA)),
            _ => Ok(()),
        }
    }

    /// Reads the schema again. Rows that were recorded before columns were added get the defaults of these columns.
    ///
    /// # Errors
    /// SQLITE_SCHEMA if it has changed in another way.
    pub(crate) fn refresh(
        &mut self,
        connection: &dyn SqlConnection,
        database: &str,
        options: SessionOptions,
    ) -> Result {
        let now = Schema::read(connection, database, &self.name, options.rowid)?;
        let Some(before) = self.schema.as_ref().filter(|_| self.changes.len() > 0) else {
            self.schema = now;
            self.count_schema(&[]);
            return Ok(());
        };
        let changed = || FunctionError::of_code(code::SCHEMA);
        let now = now.ok_or_else(changed)?;
        let known = before.columns.len();
        if !is_same_key(&before.primary_key, &now.primary_key) {
            return Err(changed());
        }
        let defaults = now.defaults_from(connection, known)?;
        if !defaults.is_empty() {
            self.extend_records(&defaults)?;
        }
        self.schema = Some(now);
        self.count_schema(&defaults);
        Ok(())
    }

    /// Adds the defaults of new columns to all records.
    fn extend_records(&mut self, defaults: &[Value]) -> Result {
        let undefined = vec![UNDEFINED; defaults.len()];
        let mut values = Vec::new();
        defaults.iter().try_for_each(|default| record::push(&mut values, default.as_ref()))?;
        let before = std::mem::take(&mut self.records);
        for recorded in self.changes.iter_mut() {
            let more = if recorded.operation == RowOperation::Insert { &undefined } else { &values };
            recorded.record = self.records.add_extended(before.get(recorded.record), more)?;
        }
        Ok(())
    }

    /// Records the change of a row, unless an earlier one is recorded. A direct change makes the recorded one direct, too.
    ///
    /// # Errors
    /// SQLITE_NOMEM if there is no memory for the row.
    pub(crate) fn record_row(&mut self, row: &Row<'_>, operation: RowOperation, indirect: bool) -> Result {
        let Table { schema: Some(schema), is_statistics, changes, records, .. } = self else { return Ok(()) };
        let value = |at: usize| row.value(schema, *is_statistics, at);
        let Some(hash) = row.hash(schema, *is_statistics) else { return Ok(()) };
        let has_key = |recorded: &Recorded| row.has_key_of(schema, *is_statistics, records.get(recorded.record));
        changes.grow()?;
        if let Some(known) = changes.find(hash, has_key) {
            known.indirect &= indirect;
            return Ok(());
        }
        let columns = 0..schema.columns.len();
        let record = match row.values.get(columns.clone()) {
            _ if operation == RowOperation::Insert => {
                records.add(columns.map(|at| schema.is_key(at).then(|| value(at))))?
            }
            Some(values) if schema.is_plain => records.add(values.iter().map(|value| Some(*value)))?,
            _ => records.add(columns.map(|at| Some(value(at))))?,
        };
        Ok(changes.add(hash, Recorded { operation, indirect, record, len_max: 0 })?)
    }

    /// After the old key of a row was recorded: if the row gets a new key, records the row under it as well.
    fn record_new_key(&mut self, old: &Row<'_>, new: &Row<'_>, indirect: bool) -> Result {
        if self.has_same_key(old, new) {
            // SQLite looks up the row again at this point and may double its table, which changes the order of the changes.
            return Ok(self.changes.grow()?);
        }
        self.record_row(new, RowOperation::Insert, indirect)
    }

    /// Whether two rows have the same key.
    pub(crate) fn has_same_key(&self, one: &Row<'_>, other: &Row<'_>) -> bool {
        let Some(schema) = &self.schema else { return false };
        let is_same =
            |at: &usize| one.value(schema, self.is_statistics, *at) == other.value(schema, self.is_statistics, *at);
        schema.keys.iter().all(is_same)
    }
}
