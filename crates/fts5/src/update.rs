//! Changes of a table's rows, and the commands that are written as INSERTs.

use lithe_vtab::{Change, FunctionError, OnConflict, SqlConnection, ValueRef, as_integer, code, lowercase};

use crate::Result;
use crate::config::Content;
use crate::settings::{Outcome, Settings};
use crate::storage::Totals;
use crate::table::{Document, Table};

impl Table {
    /// Inserts, updates or deletes a row, or runs a command.
    ///
    /// # Errors
    /// SQLite's codes and messages.
    pub fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let columns = self.config.columns.len();
        let old = change.old_key().map(lithe_value::cast::to_integer);
        match (change.columns(), old) {
            (None, Some(rowid)) => self.delete_row(connection, rowid).map(|()| None),
            (None, None) => Ok(None),
            (Some(values), None) => {
                let command = values.get(columns).copied().unwrap_or_default();
                if !command.is_null() {
                    // (SQLite counts a command as a row that was inserted, and takes its rowid to be 0.)
                    self.command(connection, command, change).map(|()| Some(0))
                } else {
                    self.insert(connection, change, values).map(Some)
                }
            }
            (Some(values), Some(old)) => self.update_row(connection, change, old, values).map(|()| None),
        }
    }

    /// The rowid that the statement gives a row. `None`: a free rowid is chosen.
    fn given_rowid(&self, change: &Change<'_>) -> Result<Option<i64>> {
        let value = change.new_key().unwrap_or_default();
        if value.is_null() {
            return Ok(None);
        }
        as_integer(value).map(Some).ok_or_else(|| FunctionError::of_code(code::MISMATCH))
    }

    /// Whether INSERT OR REPLACE replaces rows.
    fn honours_conflicts(&self) -> bool {
        self.config.content == Content::Own || self.config.contentless_delete
    }

    fn insert(&self, connection: &dyn SqlConnection, change: &Change<'_>, values: &[ValueRef<'_>]) -> Result<i64> {
        let rowid = self.given_rowid(change)?;
        let document = self.given_document(connection, values)?;
        if let Some(rowid) = rowid.filter(|_| change.policy == OnConflict::Replace && self.honours_conflicts()) {
            self.remove(connection, rowid)?;
        }
        let rowid = self.put_content(connection, rowid, &document, false)?;
        self.index_document(connection, rowid, &document)?;
        Ok(rowid)
    }

    /// Writes a document to `x_content`, if the table has one; returns its rowid.
    fn put_content(
        &self,
        connection: &dyn SqlConnection,
        rowid: Option<i64>,
        document: &[Document<'_>],
        replaces: bool,
    ) -> Result<i64> {
        if self.storage.has_content() {
            let values: Vec<ValueRef<'_>> = document.iter().map(|one| one.value).collect();
            let locales: Vec<Option<&[u8]>> = document.iter().map(|one| one.locale.as_deref()).collect();
            return self.storage.put_content(connection, rowid, &values, &locales, replaces);
        }
        match rowid {
            Some(rowid) => Ok(rowid),
            None => self.storage.new_rowid(connection),
        }
    }

    fn delete_row(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        if self.is_contentless() && !self.config.contentless_delete {
            let table = &self.names.table;
            return Err(FunctionError::new(format!("cannot DELETE from contentless fts5 table: {table}")));
        }
        self.remove(connection, rowid)
    }

    /// Removes a row from the index and from `x_content`.
    fn remove(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        self.unindex_row(connection, rowid)?;
        if self.storage.has_content() {
            self.storage.delete_content(connection, rowid)?;
        }
        Ok(())
    }

    fn unindex_row(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        if self.config.contentless_delete {
            return self.bury_document(connection, rowid);
        }
        let Some(stored) = self.stored_document(connection, rowid)? else { return Ok(()) };
        self.unindex_document(connection, rowid, &self.documents_of(connection, &stored)?)
    }

    fn update_row(
        &self,
        connection: &dyn SqlConnection,
        change: &Change<'_>,
        old: i64,
        values: &[ValueRef<'_>],
    ) -> Result {
        if self.is_contentless() && !self.config.contentless_delete {
            let table = &self.names.table;
            return Err(FunctionError::new(format!("cannot UPDATE contentless fts5 table: {table}")));
        }
        let new = self.given_rowid(change)?.ok_or_else(|| FunctionError::of_code(code::MISMATCH))?;
        let document = self.given_document(connection, values)?;
        if self.config.contentless_delete {
            return self.update_contentless(connection, change, old, new, &document);
        }
        if new == old {
            self.remove(connection, old)?;
            self.put_content(connection, Some(new), &document, false)?;
        } else if change.policy == OnConflict::Replace {
            self.remove(connection, old)?;
            self.remove(connection, new)?;
            self.put_content(connection, Some(new), &document, false)?;
        } else {
            // The rowid may be taken: then nothing has changed yet.
            self.put_content(connection, Some(new), &document, false)?;
            self.remove(connection, old)?;
        }
        self.index_document(connection, new, &document)
    }

    /// The old values are unknown, so that either all indexed columns are given, or none.
    fn update_contentless(
        &self,
        connection: &dyn SqlConnection,
        change: &Change<'_>,
        old: i64,
        new: i64,
        document: &[Document<'_>],
    ) -> Result {
        let indexed = self.config.columns.iter().enumerate().filter(|(_, column)| column.is_indexed);
        let (mut given, mut left) = (0, 0);
        for (at, _) in indexed {
            if change.is_unchanged(at) { left += 1 } else { given += 1 }
        }
        if left > 0 && (given > 0 || !self.storage.has_content() || old != new) {
            let table = &self.names.table;
            let message = format!("cannot UPDATE a subset of columns on fts5 contentless-delete table: {table}");
            return Err(FunctionError::new(message));
        }
        if left > 0 {
            return self.put_content(connection, Some(new), document, true).map(|_| ());
        }
        self.remove(connection, old)?;
        if new != old && change.policy == OnConflict::Replace {
            self.remove(connection, new)?;
        }
        self.put_content(connection, Some(new), document, false)?;
        self.index_document(connection, new, document)
    }

    /// `INSERT INTO t(t, rank) VALUES(command, value)`
    fn command(&self, connection: &dyn SqlConnection, command: ValueRef<'_>, change: &Change<'_>) -> Result {
        let values = change.columns().unwrap_or_default();
        let command = lowercase(&lithe_value::cast::to_text(command))?;
        let value = values.get(self.config.columns.len() + 1).copied().unwrap_or_default();
        let has_own_content = self.config.content == Content::Own;
        match command.as_str() {
            "delete" if !has_own_content => self.delete_command(connection, change, values),
            "delete-all" if !has_own_content => self.delete_all(connection),
            "delete-all" => Err(FunctionError::new(
                "'delete-all' may only be used with a contentless or external content fts5 table",
            )),
            "rebuild" if self.is_contentless() => {
                Err(FunctionError::new("'rebuild' may not be used with a contentless fts5 table"))
            }
            "rebuild" => self.rebuild(connection),
            "optimize" => self.index.reader(connection).optimize(),
            "merge" => self.index.reader(connection).merge(lithe_value::cast::to_integer(value)),
            "flush" => self.flush(connection),
            "integrity-check" => {
                let checks_external = lithe_value::cast::to_integer(value) != 0;
                self.check(connection, checks_external)
            }
            _ => self.configure(connection, &command, value),
        }
    }

    fn delete_command(&self, connection: &dyn SqlConnection, change: &Change<'_>, values: &[ValueRef<'_>]) -> Result {
        if self.config.contentless_delete {
            return Err(FunctionError::new("'delete' may not be used with a contentless_delete=1 table"));
        }
        let Some(rowid) = change.new_key().and_then(as_integer) else { return Ok(()) };
        let document = self.given_document(connection, values)?;
        self.unindex_document(connection, rowid, &document)?;
        if self.storage.has_content() {
            self.storage.delete_content(connection, rowid)?;
        }
        Ok(())
    }

    /// Empties the index, and the tables beside it.
    fn delete_all(&self, connection: &dyn SqlConnection) -> Result {
        self.index.reader(connection).reset()?;
        if self.config.column_size {
            connection.execute(&format!("DELETE FROM {}", self.names.shadow("docsize")))?;
        }
        if self.is_contentless() && self.storage.has_content() {
            connection.execute(&format!("DELETE FROM {}", self.names.shadow("content")))?;
        }
        self.forget_totals();
        self.storage.set_config(connection, "version", ValueRef::Integer(crate::settings::VERSION))
    }

    fn forget_totals(&self) {
        let totals = Totals { rows: 0, tokens: vec![0; self.config.columns.len()] };
        *self.storage.totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(totals);
    }

    /// Rebuilds the index from the content.
    fn rebuild(&self, connection: &dyn SqlConnection) -> Result {
        self.delete_all(connection)?;
        self.for_each_document(connection, |rowid, document| self.index_document(connection, rowid, document))?;
        self.write_totals(connection)?;
        self.put_totals(None);
        Ok(())
    }

    fn configure(&self, connection: &dyn SqlConnection, key: &str, value: ValueRef<'_>) -> Result {
        // (Pending terms are written even if there is no such command.)
        self.flush(connection)?;
        if Settings::default().set(key.as_bytes(), value)? != Outcome::Set {
            return Err(FunctionError::of_code(code::ERROR));
        }
        self.storage.set_config(connection, key, value)?;
        self.index.reader(connection).bump_cookie()
    }
}
