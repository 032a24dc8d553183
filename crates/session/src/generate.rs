//! Writes changesets and patchsets: the recorded changes, compared with the current rows.

use lithe_vtab::{
    FunctionError, Grow, OutOfMemory, Result, RowOperation, SqlConnection, SqlStatement, ValueRef, code, copied,
};

use crate::header::{Format, TableHeader};
use crate::iterator::Change;
use crate::record::{self, UNDEFINED, UNDEFINED_FIELD, fields};
use crate::schema::{STATISTICS, Schema};
use crate::session::{Recorded, Recorder, Session, Table};
use lithe_vtab::quoted;

/// The number of bytes at which a piece is passed on.
const PIECE: usize = 16 << 10;

impl Session {
    /// Writes the changes to `out`, in pieces. The session continues to record.
    ///
    /// # Errors
    /// An error of an earlier recording; SQLITE_SCHEMA if a table has changed other than by added columns; those of `out`.
    pub fn write_changeset(
        &self,
        connection: &dyn SqlConnection,
        format: Format,
        out: &mut dyn FnMut(&[u8]) -> Result,
    ) -> Result {
        let Ok(mut recorder) = self.recorder.try_borrow_mut() else { return Err(FunctionError::of_code(code::MISUSE)) };
        if let Some(error) = &recorder.error {
            return Err(error.clone());
        }
        // The savepoint makes all SELECTs read the same state.
        connection.execute("SAVEPOINT changeset")?;
        let written = write(&mut recorder, connection, format, out);
        let released = connection.execute("RELEASE changeset");
        written.and(released)
    }

    /// The changes as a changeset or patchset.
    ///
    /// # Errors
    /// As [`Session::write_changeset`].
    pub fn changeset(&self, connection: &dyn SqlConnection, format: Format) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_changeset(connection, format, &mut |piece| Ok(bytes.try_append(piece)?))?;
        Ok(bytes)
    }

    /// At most so many bytes the changeset has; 0 unless the option `size` is set. As in SQLite, what was changed and changed back
    /// counts, too.
    pub fn changeset_size(&self) -> usize {
        let recorder = self.recorder.borrow();
        match recorder.options.size {
            true => recorder.tables.iter().map(|table| table.size_bound.bytes()).sum(),
            false => 0,
        }
    }
}

fn write(
    recorder: &mut Recorder,
    connection: &dyn SqlConnection,
    format: Format,
    out: &mut dyn FnMut(&[u8]) -> Result,
) -> Result {
    let (database, options) = (recorder.database.clone(), recorder.options);
    for table in &mut recorder.tables {
        if table.changes.len() > 0 {
            table.refresh(connection, &database, options)?;
            write_table(table, connection, &database, format, out)?;
        }
    }
    Ok(())
}

fn write_table(
    table: &Table,
    connection: &dyn SqlConnection,
    database: &str,
    format: Format,
    out: &mut dyn FnMut(&[u8]) -> Result,
) -> Result {
    let Some(schema) = &table.schema else { return Ok(()) };
    let header = TableHeader { name: table.name.as_bytes().into(), primary_key: schema.primary_key.clone().into() };
    let mut select = Select::new(connection, database, &table.name, schema)?;
    let mut bytes = Vec::new();
    header.push(&mut bytes, format)?;
    let mut is_empty = true;
    for recorded in table.changes.iter() {
        let old = table.records.get(recorded.record);
        let now = select.row(old)?;
        let Some(change) = change_of(schema, recorded, old, now, format)? else { continue };
        change.push(&header, format, &mut bytes)?;
        is_empty = false;
        if bytes.len() >= PIECE {
            out(&bytes)?;
            bytes.clear();
        }
    }
    if is_empty || bytes.is_empty() { Ok(()) } else { out(&bytes) }
}

/// The change of the row: `old` is the recorded record, `now` the current one, if the row exists.
fn change_of(
    schema: &Schema,
    recorded: &Recorded,
    old: &[u8],
    now: Option<Vec<u8>>,
    format: Format,
) -> std::result::Result<Option<Change>, OutOfMemory> {
    let nothing = || vec![UNDEFINED; schema.columns.len()];
    let (operation, indirect) = (recorded.operation, u8::from(recorded.indirect));
    Ok(match (operation, now) {
        (RowOperation::Insert, None) => None,
        (RowOperation::Insert, Some(new)) => {
            Some(Change { operation: RowOperation::Insert, indirect, old: nothing(), new })
        }
        (_, None) => {
            let old = copied(old)?;
            Some(Change { operation: RowOperation::Delete, indirect, old, new: nothing() })
        }
        (_, Some(now)) => {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            before.try_grow(old.len())?;
            after.try_grow(now.len())?;
            let mut differs = false;
            for (column, (was, is)) in fields(old).zip(fields(&now)).enumerate() {
                // A key that is equal by its collation may be another text. A patchset has only one key: the new one.
                let (is_key, changes) = (schema.is_key(column), record::value(was) != record::value(is));
                differs |= changes;
                let was = if is_key && format == Format::Patchset { is } else { was };
                before.try_append(if changes || is_key { was } else { UNDEFINED_FIELD })?;
                after.try_append(if changes { is } else { UNDEFINED_FIELD })?;
            }
            let update = Change { operation: RowOperation::Update, indirect, old: before, new: after };
            differs.then_some(update)
        }
    })
}

/// Finds rows by their keys.
pub(crate) struct Select<'c, 's> {
    statement: Box<dyn SqlStatement + 'c>,
    schema: &'s Schema,
    is_statistics: bool,
}

impl<'c, 's> Select<'c, 's> {
    pub fn new(
        connection: &'c dyn SqlConnection,
        database: &str,
        table: &str,
        schema: &'s Schema,
    ) -> Result<Select<'c, 's>> {
        let is_statistics = table.eq_ignore_ascii_case(STATISTICS);
        let condition = schema.key_condition(if is_statistics { "IS" } else { "=" });
        let (columns, from) = (schema.column_list(), format!("{}.{}", quoted(database), quoted(table)));
        let statement = connection.prepare(&format!("SELECT {columns} FROM {from} WHERE {condition}"))?;
        Ok(Select { statement, schema, is_statistics })
    }

    /// The record of the row with the key of this record.
    pub fn row(&mut self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        for (column, field) in fields(key).enumerate().filter(|(column, _)| self.schema.is_key(*column)) {
            let value = record::value(field).unwrap_or(ValueRef::Null);
            let has_null_index_name = self.is_statistics && value == ValueRef::Blob(&[]);
            self.statement.bind(column + 1, if has_null_index_name { ValueRef::Null } else { value })?;
        }
        if !self.statement.step()? {
            self.statement.reset();
            return Ok(None);
        }
        let mut record = Vec::new();
        record.try_grow(key.len())?;
        for column in 0..self.schema.columns.len() {
            let value = self.statement.column(column);
            let has_null_index_name = self.is_statistics && column == 1 && value.is_null();
            record::push(&mut record, if has_null_index_name { ValueRef::Blob(&[]) } else { value })?;
        }
        self.statement.reset();
        Ok(Some(record))
    }
}
