//! The changes of a changeset, one after the other.

use std::rc::Rc;

use lithe_vtab::{FunctionError, Grow, OutOfMemory, Result, RowOperation, Value, ValueRef, code, copied};

use crate::corrupt;
use crate::header::{Format, TableHeader};
use crate::input::Input;
use crate::record::{self, UNDEFINED, field, fields, is_defined};

/// The most columns of a table in a changeset.
const COLUMNS_MAX: u64 = 65536;

/// A change of one row.
#[derive(Debug)]
pub(crate) struct Change {
    pub operation: RowOperation,
    /// 1 for a change that is indirect, 0 for another one; a damaged changeset may have any byte, which is passed on.
    pub indirect: u8,
    /// The old record; undefined values in an INSERT.
    pub old: Vec<u8>,
    /// The new record; undefined values in a DELETE.
    pub new: Vec<u8>,
}

impl Change {
    /// A copy.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn copied(&self) -> std::result::Result<Change, OutOfMemory> {
        let Change { operation, indirect, .. } = *self;
        Ok(Change { operation, indirect, old: copied(&self.old)?, new: copied(&self.new)? })
    }

    /// Writes the change, as it follows its table's header.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn push(
        &self,
        header: &TableHeader,
        format: Format,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), OutOfMemory> {
        // (No change is longer than both of its records.)
        out.try_grow(2 + self.old.len() + self.new.len())?;
        out.push(self.operation as i32 as u8);
        out.push(self.indirect);
        let is_patchset = format == Format::Patchset;
        match self.operation {
            RowOperation::Insert => out.extend_from_slice(&self.new),
            RowOperation::Delete if is_patchset => {
                let keys = fields(&self.old).enumerate().filter(|(at, _)| header.is_key(*at));
                keys.for_each(|(_, field)| out.extend_from_slice(field));
            }
            RowOperation::Delete => out.extend_from_slice(&self.old),
            RowOperation::Update if is_patchset => {
                let pairs = fields(&self.old).zip(fields(&self.new)).enumerate();
                pairs.for_each(|(at, (old, new))| out.extend_from_slice(if header.is_key(at) { old } else { new }));
            }
            RowOperation::Update => {
                out.extend_from_slice(&self.old);
                out.extend_from_slice(&self.new);
            }
        }
        Ok(())
    }

    /// The record that has the whole primary key.
    pub fn key_record(&self) -> &[u8] {
        if self.operation == RowOperation::Insert { &self.new } else { &self.old }
    }

    /// Turns the change into its inverse.
    ///
    /// # Errors
    /// If the memory is short.
    pub fn invert(&mut self, header: &TableHeader) -> std::result::Result<(), OutOfMemory> {
        match self.operation {
            RowOperation::Insert => self.operation = RowOperation::Delete,
            RowOperation::Delete => self.operation = RowOperation::Insert,
            RowOperation::Update => {
                let (mut old, mut new) = (Vec::new(), Vec::new());
                for (at, (was, is)) in fields(&self.old).zip(fields(&self.new)).enumerate() {
                    old.try_append(if header.is_key(at) { was } else { is })?;
                    new.try_append(if header.is_key(at) { record::UNDEFINED_FIELD } else { was })?;
                }
                (self.old, self.new) = (old, new);
                return Ok(());
            }
        }
        std::mem::swap(&mut self.old, &mut self.new);
        Ok(())
    }
}

/// What a changeset consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Header,
    Change,
    End,
}

/// Reads the changes of a changeset or patchset.
pub struct ChangesetIterator<'i> {
    input: Input<'i>,
    inverts: bool,
    /// The operations whose values must be of types that exist.
    checks_types_of: fn(RowOperation) -> bool,
    /// An UPDATE must have its key.
    checks_key: bool,
    format: Format,
    table: Option<Rc<TableHeader>>,
    /// The change that was read last, or as much of it as could be read. Its values are gone at the end.
    change: Option<Change>,
    /// The iterator is on that change.
    is_current: bool,
    /// That change is an UPDATE of a changeset without new values, as it was read.
    is_empty: bool,
    /// The conflicting row of the database, during a call of the conflict handler.
    pub(crate) conflict: Option<Vec<Value>>,
    /// The number of foreign-key violations, during a call of the conflict handler about them.
    pub(crate) fk_conflicts: Option<i64>,
    error: Option<FunctionError>,
}

impl<'i> ChangesetIterator<'i> {
    /// An iterator before the first change. With `inverts`, it reads the inverse of each change.
    pub fn new(input: Input<'i>, inverts: bool) -> ChangesetIterator<'i> {
        ChangesetIterator {
            input,
            inverts,
            checks_types_of: |_| false,
            checks_key: inverts,
            format: Format::Changeset,
            table: None,
            change: None,
            is_current: false,
            is_empty: false,
            conflict: None,
            fk_conflicts: None,
            error: None,
        }
    }

    /// The iterator, which fails at values of types that do not exist in changes of these operations. (As in SQLite, who only looks at the
    /// changes, or applies them, reads such a value as NULL.)
    pub(crate) fn checking_types_of(self, checks_types_of: fn(RowOperation) -> bool) -> ChangesetIterator<'i> {
        ChangesetIterator { checks_types_of, ..self }
    }

    /// The iterator, which takes an UPDATE without a key.
    pub(crate) fn of_any_key(self) -> ChangesetIterator<'i> {
        ChangesetIterator { checks_key: false, ..self }
    }

    /// Goes to the next change; false at the end.
    ///
    /// # Errors
    /// SQLITE_CORRUPT for bytes that are not a changeset; those of the input. The iterator keeps the error.
    pub fn advance(&mut self) -> Result<bool> {
        loop {
            match self.advance_to_part()? {
                Part::Header => {}
                Part::Change => return Ok(true),
                Part::End => return Ok(false),
            }
        }
    }

    /// Goes to the next header or change.
    ///
    /// # Errors
    /// As [`ChangesetIterator::advance`].
    pub(crate) fn advance_to_part(&mut self) -> Result<Part> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let advanced = self.read_part();
        if let Err(error) = &advanced {
            self.error = Some(error.clone());
        }
        advanced
    }

    /// The error that ended the iterator.
    pub fn error(&self) -> Option<&FunctionError> {
        self.error.as_ref()
    }

    fn read_part(&mut self) -> Result<Part> {
        self.is_current = false;
        if let Some(change) = &mut self.change {
            change.old.clear();
            change.new.clear();
        }
        if self.input.is_at_end()? {
            return Ok(Part::End);
        }
        match self.input.byte()? {
            marker @ (b'T' | b'P') => self.read_header(marker).map(|()| Part::Header),
            operation => self.read_change(operation).map(|()| Part::Change),
        }
    }

    fn read_header(&mut self, marker: u8) -> Result {
        self.format = if marker == b'P' { Format::Patchset } else { Format::Changeset };
        let columns = self.input.varint()?;
        if columns == 0 || columns > COLUMNS_MAX {
            return Err(corrupt());
        }
        let mut primary_key = Vec::new();
        self.input.bytes(columns as usize, &mut primary_key)?;
        let name = self.input.name()?;
        self.table = Some(Rc::new(TableHeader { name, primary_key: primary_key.into() }));
        Ok(())
    }

    fn read_change(&mut self, operation: u8) -> Result {
        let table = Rc::clone(self.table.as_ref().ok_or_else(corrupt)?);
        let operation = RowOperation::from_number(i32::from(operation)).ok_or_else(corrupt)?;
        let indirect = self.input.byte()?;
        if self.format == Format::Patchset && self.inverts {
            return Err(corrupt());
        }
        let mut change = Change { operation, indirect, old: Vec::new(), new: Vec::new() };
        let mut is_read = self.read_records(&table, &mut change);
        let is_update = operation == RowOperation::Update && self.format == Format::Changeset;
        self.is_empty = is_update && !fields(&change.new).any(is_defined);
        if self.inverts && is_read.is_ok() {
            is_read = change.invert(&table).map_err(FunctionError::from);
        }
        self.change = Some(change);
        self.is_current = is_read.is_ok();
        is_read
    }

    /// Reads the values of a change.
    fn read_records(&mut self, table: &TableHeader, change: &mut Change) -> Result {
        let (count, operation) = (table.column_count(), change.operation);
        self.input.has_unknown_type = false;
        let is_patchset = self.format == Format::Patchset;
        match operation {
            RowOperation::Insert => self.read_record(count, &mut change.new)?,
            RowOperation::Delete if is_patchset => {
                for column in 0..count {
                    match table.is_key(column) {
                        true => self.input.field(&mut change.old)?,
                        false => change.old.try_push(UNDEFINED)?,
                    }
                }
            }
            RowOperation::Delete => self.read_record(count, &mut change.old)?,
            RowOperation::Update if is_patchset => {
                for column in 0..count {
                    let (given, other) = match table.is_key(column) {
                        true => (&mut change.old, &mut change.new),
                        false => (&mut change.new, &mut change.old),
                    };
                    self.input.field(given)?;
                    other.try_push(UNDEFINED)?;
                }
            }
            RowOperation::Update => {
                self.read_record(count, &mut change.old)?;
                self.read_record(count, &mut change.new)?;
            }
        }
        if operation == RowOperation::Insert {
            change.old = vec![UNDEFINED; count];
        } else if operation == RowOperation::Delete {
            change.new = vec![UNDEFINED; count];
        }
        let has_key = |(at, field)| !table.is_key(at) || is_defined(field);
        if self.checks_key && operation == RowOperation::Update && !fields(&change.old).enumerate().all(has_key) {
            return Err(corrupt());
        }
        let is_damaged = self.input.has_unknown_type && (self.checks_types_of)(operation);
        if is_damaged { Err(corrupt()) } else { Ok(()) }
    }

    fn read_record(&mut self, count: usize, record: &mut Vec<u8>) -> Result {
        (0..count).try_for_each(|_| self.input.field(record))
    }

    /// The table of the change.
    pub fn table(&self) -> Option<&Rc<TableHeader>> {
        self.change().and(self.table.as_ref())
    }

    /// The table whose header was read last, also behind the last change and after an error, where [`ChangesetIterator::table`] has none.
    pub fn last_table(&self) -> Option<&Rc<TableHeader>> {
        self.table.as_ref()
    }

    /// Whether it reads a changeset or a patchset.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the inverse of each change is read.
    pub fn inverts(&self) -> bool {
        self.inverts
    }

    /// The operation of the change.
    pub fn operation(&self) -> Option<RowOperation> {
        self.change().map(|change| change.operation)
    }

    /// The operation of the change that was read last, and whether it is indirect, also behind the last change and after an error.
    pub fn last_operation(&self) -> Option<(RowOperation, u8)> {
        self.change.as_ref().map(|change| (change.operation, change.indirect))
    }

    /// Whether a trigger or a foreign key has made the change, or the session was set to record changes as indirect.
    pub fn is_indirect(&self) -> bool {
        self.change().is_some_and(|change| change.indirect != 0)
    }

    /// The change itself.
    pub(crate) fn change(&self) -> Option<&Change> {
        self.change.as_ref().filter(|_| self.is_current)
    }

    /// Whether the change sets nothing. (Its inverse may have values, which are not applied.)
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The old value of a column; `None` if the change does not have it.
    ///
    /// # Errors
    /// SQLITE_MISUSE on an INSERT or before the first change; SQLITE_RANGE if the column does not exist.
    pub fn old_value(&self, column: usize) -> Result<Option<ValueRef<'_>>> {
        let old = self.value(column, RowOperation::Insert, |change| &change.old)?;
        // (As in SQLite, an old value of a damaged changeset that gets no new one is not there.)
        let is_update = |change: &&Change| change.operation == RowOperation::Update;
        let change = self.change.as_ref().filter(is_update).filter(|_| self.format == Format::Changeset);
        let is_key = self.table.as_ref().is_some_and(|table| table.is_key(column));
        Ok(old.filter(|_| is_key || change.is_none_or(|change| is_defined(field(&change.new, column)))))
    }

    /// The new value of a column; `None` if the change does not have it.
    ///
    /// # Errors
    /// SQLITE_MISUSE on a DELETE or before the first change; SQLITE_RANGE if the column does not exist.
    pub fn new_value(&self, column: usize) -> Result<Option<ValueRef<'_>>> {
        self.value(column, RowOperation::Delete, |change| &change.new)
    }

    fn value(
        &self,
        column: usize,
        without: RowOperation,
        record: fn(&Change) -> &Vec<u8>,
    ) -> Result<Option<ValueRef<'_>>> {
        let change = self.change.as_ref().filter(|change| change.operation != without);
        let change = change.ok_or(FunctionError::of_code(code::MISUSE))?;
        if column >= self.table.as_ref().map_or(0, |table| table.column_count()) {
            return Err(FunctionError::of_code(code::RANGE));
        }
        Ok(record::value(field(record(change), column)))
    }

    /// The value of a column in the conflicting row of the database. For conflict handlers.
    ///
    /// # Errors
    /// SQLITE_MISUSE without a conflicting row; SQLITE_RANGE if the column does not exist.
    pub fn conflict_value(&self, column: usize) -> Result<ValueRef<'_>> {
        let row = self.conflict.as_ref().ok_or(FunctionError::of_code(code::MISUSE))?;
        let value = row.get(column).filter(|_| column < self.table.as_ref().map_or(0, |table| table.column_count()));
        value.map(Value::as_ref).ok_or(FunctionError::of_code(code::RANGE))
    }

    /// The number of foreign-key violations. For handlers of [`crate::Conflict::ForeignKey`].
    ///
    /// # Errors
    /// SQLITE_MISUSE elsewhere.
    pub fn foreign_key_conflicts(&self) -> Result<i64> {
        self.fk_conflicts.ok_or(FunctionError::of_code(code::MISUSE))
    }

    /// Replaces the current change while changes that were set aside are tried again. Answers the one before.
    pub(crate) fn replace_change(
        &mut self,
        table: Option<Rc<TableHeader>>,
        change: Option<Change>,
    ) -> (Option<Rc<TableHeader>>, Option<Change>) {
        let is_current = std::mem::replace(&mut self.is_current, change.is_some());
        let before = std::mem::replace(&mut self.change, change).filter(|_| is_current);
        (std::mem::replace(&mut self.table, table), before)
    }
}
