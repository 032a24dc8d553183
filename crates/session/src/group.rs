//! Several changesets combined into one, and changes made value by value.

use lithe_vtab::{FunctionError, Grow, OutOfMemory, Result, RowOperation, SqlConnection, Value, ValueRef, code};

use crate::changes::{Changes, hash_of, same_key};
use crate::header::{Format, TableHeader, is_same_key};
use crate::input::Input;
use crate::iterator::{Change, ChangesetIterator};
use crate::merge::{joined, merge};
use crate::record::{self, NULL, UNDEFINED, UNDEFINED_FIELD, is_defined};
use crate::schema::Schema;

/// The changes of several changesets, combined: one for each row.
#[derive(Default)]
pub struct ChangeGroup {
    /// The format of the first changeset.
    format: Option<Format>,
    tables: Vec<Table>,
    /// The database whose schema gives the columns.
    schema_of: Option<String>,
    /// A change that is being built value by value.
    open: Option<OpenChange>,
}

struct Table {
    header: TableHeader,
    /// The defaults of the columns that older changesets lack, if the table's schema was read.
    defaults: Option<Vec<Value>>,
    changes: Changes<Change>,
}

struct OpenChange {
    /// The index of its table.
    table: usize,
    operation: RowOperation,
    indirect: bool,
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

impl ChangeGroup {
    /// A group without changes.
    pub fn new() -> ChangeGroup {
        ChangeGroup::default()
    }

    /// Reads the tables' schemas from this database, in the connection that later calls get: changes without columns that the table now has
    /// get the defaults. To be called once, before changes are added.
    ///
    /// # Errors
    /// SQLITE_MISUSE if it was called before, or changes were added.
    pub fn set_schema(&mut self, database: &str) -> Result {
        if self.schema_of.is_some() || !self.is_empty() {
            return Err(FunctionError::of_code(code::MISUSE));
        }
        self.schema_of = Some(database.to_owned());
        Ok(())
    }

    /// The format of the group; `None` until it is chosen.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Chooses the format, unless the group has changes. `None`: the first changeset chooses it.
    pub fn set_format(&mut self, format: Option<Format>) {
        if self.is_empty() {
            self.format = format;
        }
    }

    /// Whether the group has no changes.
    fn is_empty(&self) -> bool {
        self.tables.iter().all(|table| table.changes.len() == 0)
    }

    /// Adds a changeset. `connection` is that of [`ChangeGroup::set_schema`].
    ///
    /// # Errors
    /// SQLITE_ERROR for a patchset among changesets or the reverse, SQLITE_SCHEMA if a table has other columns than before, SQLITE_CORRUPT
    /// for bytes that are not a changeset.
    pub fn add(&mut self, connection: Option<&dyn SqlConnection>, input: Input<'_>) -> Result {
        let mut changes = ChangesetIterator::new(input, false).checking_types_of(|_| true);
        while changes.advance()? {
            self.add_current(connection, &changes)?;
        }
        Ok(())
    }

    /// Adds the current change of an iterator.
    ///
    /// # Errors
    /// As [`ChangeGroup::add`]; SQLITE_ERROR if there is no current change, or the iterator inverts changes.
    pub fn add_current(&mut self, connection: Option<&dyn SqlConnection>, changes: &ChangesetIterator<'_>) -> Result {
        let failed = || FunctionError::of_code(code::ERROR);
        let (header, change) = changes.table().zip(changes.change()).ok_or_else(failed)?;
        if *self.format.get_or_insert(changes.format()) != changes.format() {
            return Err(failed());
        }
        let at = self.table_for(connection, header)?;
        let mut change = change.copied()?;
        let table = self.tables.get_mut(at).ok_or_else(failed)?;
        table.extend(&mut change, header.column_count(), changes.format())?;
        Ok(table.add(change, changes.format())?)
    }

    fn table_for(&mut self, connection: Option<&dyn SqlConnection>, header: &TableHeader) -> Result<usize> {
        let mismatch = || FunctionError::of_code(code::SCHEMA);
        let at = match self.tables.iter().position(|table| table.header.has_name(&header.name)) {
            Some(at) => at,
            None => {
                let known = self.table_of_database(connection, header)?;
                let new = || Table { header: header.clone(), defaults: None, changes: Changes::default() };
                self.tables.push(known.unwrap_or_else(new));
                self.tables.len() - 1
            }
        };
        let table = self.tables.get(at).ok_or_else(mismatch)?;
        let (given, known) = (&header.primary_key, &table.header.primary_key);
        let has_all = given.len() == known.len();
        let is_same = is_same_key(given, known);
        if is_same && (has_all || table.defaults.is_some()) { Ok(at) } else { Err(mismatch()) }
    }

    fn table_of_database(&self, connection: Option<&dyn SqlConnection>, header: &TableHeader) -> Result<Option<Table>> {
        let Some((connection, database)) = connection.zip(self.schema_of.as_ref()) else { return Ok(None) };
        let schema = Schema::read(connection, database, &header.name(), true)?;
        let schema = schema.ok_or_else(|| FunctionError::new(format!("no such table: {}", header.name())))?;
        let defaults = schema.defaults_from(connection, 0)?;
        let header = TableHeader { name: header.name.clone(), primary_key: schema.primary_key.into() };
        Ok(Some(Table { header, defaults: Some(defaults), changes: Changes::default() }))
    }

    /// Writes the changeset to `out`, in pieces. The group stays as it is.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn FnMut(&[u8]) -> Result) -> Result {
        let format = self.format.unwrap_or_default();
        let mut piece = Vec::new();
        for table in self.tables.iter().filter(|table| table.changes.len() > 0) {
            table.header.push(&mut piece, format)?;
            for change in table.changes.iter() {
                change.push(&table.header, format, &mut piece)?;
                out(&piece)?;
                piece.clear();
            }
        }
        Ok(())
    }

    /// The changeset.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn changeset(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(&mut |piece| Ok(bytes.try_append(piece)?))?;
        Ok(bytes)
    }
}

impl Table {
    /// Adds the missing columns to a change.
    fn extend(&self, change: &mut Change, columns: usize, format: Format) -> std::result::Result<(), OutOfMemory> {
        let missing = self.defaults.as_deref().and_then(|defaults| defaults.get(columns..)).unwrap_or_default();
        for default in missing {
            let (old, new) = (&mut change.old, &mut change.new);
            match change.operation {
                RowOperation::Insert => {
                    old.try_push(UNDEFINED)?;
                    record::push(new, default.as_ref())?;
                }
                RowOperation::Delete if format == Format::Changeset => {
                    record::push(old, default.as_ref())?;
                    new.try_push(UNDEFINED)?;
                }
                _ => {
                    old.try_push(UNDEFINED)?;
                    new.try_push(UNDEFINED)?;
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, change: Change, format: Format) -> std::result::Result<(), OutOfMemory> {
        let header = &self.header;
        let hash = hash_of(header, change.key_record());
        self.changes.grow()?;
        let before = self.changes.remove(hash, |known| same_key(header, known.key_record(), change.key_record()));
        let merged = match before {
            Some(before) => merge(header, format, before, change)?,
            None => Some(change),
        };
        merged.map_or(Ok(()), |merged| self.changes.add(hash, merged))
    }
}

/// Changes made value by value.
impl ChangeGroup {
    /// Begins a change of a row; the group or its database must have the table.
    ///
    /// # Errors
    /// SQLITE_ERROR if the table is unknown; SQLITE_MISUSE if another change is open.
    pub fn begin_change(
        &mut self,
        connection: Option<&dyn SqlConnection>,
        operation: RowOperation,
        table: &str,
        indirect: bool,
    ) -> Result {
        if self.open.is_some() {
            return Err(FunctionError::of_code(code::MISUSE));
        }
        let at = match self.tables.iter().position(|known| known.header.has_name(table.as_bytes())) {
            Some(at) => at,
            None => {
                let header = TableHeader { name: table.as_bytes().into(), primary_key: Box::default() };
                let known = self.table_of_database(connection, &header)?;
                let known = known.ok_or_else(|| FunctionError::new(format!("no such table: {table}")))?;
                self.tables.push(known);
                self.tables.len() - 1
            }
        };
        let count = self.tables.get(at).map_or(0, |table| table.header.column_count());
        let nothing = vec![UNDEFINED_FIELD.to_vec(); count];
        self.open = Some(OpenChange { table: at, operation, indirect, old: nothing.clone(), new: nothing });
        Ok(())
    }

    /// Sets the old or new value of a column of the open change.
    ///
    /// # Errors
    /// SQLITE_MISUSE if no change is open; SQLITE_RANGE if the column does not exist, else SQLITE_ERROR for an old value of an INSERT and for
    /// a new value of a DELETE.
    pub fn set_value(&mut self, is_new: bool, column: usize, value: ValueRef<'_>) -> Result {
        let open = self.open.as_mut().ok_or(FunctionError::of_code(code::MISUSE))?;
        let without = if is_new { RowOperation::Delete } else { RowOperation::Insert };
        let record = if is_new { &mut open.new } else { &mut open.old };
        let field = record.get_mut(column).ok_or(FunctionError::of_code(code::RANGE))?;
        if open.operation == without {
            return Err(FunctionError::of_code(code::ERROR));
        }
        *field = record::field_of(value)?;
        Ok(())
    }

    /// Ends the open change; adds it to the group unless `discard` is set.
    ///
    /// # Errors
    /// SQLITE_ERROR if the change is invalid: the message says why, and the change is dropped.
    pub fn finish_change(&mut self, discard: bool) -> Result {
        let Some(open) = self.open.take().filter(|_| !discard) else { return Ok(()) };
        let format = *self.format.get_or_insert_default();
        // Tables are never removed.
        let Some(table) = self.tables.get_mut(open.table) else { return Ok(()) };
        check(&open, &table.header, format).map_err(|what| FunctionError::new(format!("invalid change: {what}")))?;
        let change = Change {
            operation: open.operation,
            indirect: u8::from(open.indirect),
            old: joined(open.old.iter().map(Vec::as_slice))?,
            new: joined(open.new.iter().map(Vec::as_slice))?,
        };
        Ok(table.add(change, format)?)
    }
}

/// Checks a change that was made value by value; the error says what is wrong.
fn check(open: &OpenChange, header: &TableHeader, format: Format) -> std::result::Result<(), String> {
    for (at, (old, new)) in open.old.iter().zip(&open.new).enumerate() {
        let is_key = header.is_key(at);
        if open.operation != RowOperation::Update {
            let value = if open.operation == RowOperation::Insert { new } else { old };
            let is_needed = is_key || open.operation == RowOperation::Insert || format == Format::Changeset;
            if is_needed && !is_defined(value) {
                return Err(format!("column {at} is undefined"));
            }
            if is_key && value == &[NULL] {
                return Err("null value in PK".to_owned());
            }
        } else if is_key {
            if !is_defined(old) {
                return Err("undefined value in PK of old.* record".to_owned());
            }
            if old == &[NULL] {
                return Err("null value in PK of old.* record".to_owned());
            }
            if is_defined(new) {
                return Err("defined value in PK of new.* record".to_owned());
            }
        } else if format == Format::Changeset && is_defined(old) != is_defined(new) {
            let word = |field: &[u8]| if is_defined(field) { "defined" } else { "undefined" };
            return Err(format!("column {at} - old.* value is {} but new.* is {}", word(old), word(new)));
        }
    }
    Ok(())
}
