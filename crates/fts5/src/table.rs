//! A full-text table, shared by the virtual table and its cursors; how documents are indexed and removed.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use lithe_value::grow::copied;
use lithe_vtab::{FunctionError, SqlConnection, Value, ValueRef, code};

use crate::Result;
use crate::config::{Config, Content};
use crate::index::Index;
use crate::index::store::AVERAGES_ID;
use crate::locale;
use crate::numbers::CursorNumbers;
pub use crate::storage::Totals;
use crate::storage::{Sizes, Storage, values};
use crate::tokenizer::{Flow, Purpose, Tokenizer};
use lithe_vtab::Names;

/// A full-text table of one connection. Cursors and functions hold it by an `Arc`, beyond the call that has found it.
pub struct Table {
    /// Its names. (ALTER TABLE connects the table anew.)
    pub names: Names,
    /// The options of CREATE VIRTUAL TABLE.
    pub config: Config,
    /// The tokenizer of its texts.
    pub tokenizer: Box<dyn Tokenizer>,
    /// The index.
    pub index: Index,
    /// The tables beside the index.
    pub storage: Storage,
    /// The numbers of the connection's cursors.
    pub(crate) cursors: Arc<CursorNumbers>,
    /// A statement reads the content.
    pub(crate) is_reading: AtomicBool,
    /// Pending terms are being written.
    pub(crate) is_flushing: AtomicBool,
}

/// A statement reads the content while this exists.
pub(crate) struct Reading<'t>(&'t AtomicBool);

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A value of a column, as it is cut into tokens.
#[derive(Clone, Debug, Default)]
pub struct Document<'v> {
    /// The value.
    pub value: ValueRef<'v>,
    /// The locale of its text.
    pub locale: Option<Cow<'v, [u8]>>,
}

impl Table {
    /// The size of the table, including unwritten changes.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB, and the errors of reading shadow tables.
    pub fn totals(&self, connection: &dyn SqlConnection) -> Result<Totals> {
        if let Some(totals) = &*self.storage.totals.lock().unwrap_or_else(PoisonError::into_inner) {
            return Ok(totals.clone());
        }
        let bytes: Vec<u8> = self.index.reader(connection).store().read(AVERAGES_ID)?;
        Ok(Totals::read(&bytes, self.config.columns.len()))
    }

    pub(crate) fn put_totals(&self, totals: Option<Totals>) {
        *self.storage.totals.lock().unwrap_or_else(PoisonError::into_inner) = totals;
    }

    /// Adds a document to the index, under a rowid that is already taken in `x_content`, if there is one.
    ///
    /// # Errors
    /// The errors of the tokenizer and of writing.
    pub fn index_document(&self, connection: &dyn SqlConnection, rowid: i64, document: &[Document<'_>]) -> Result {
        let reader = self.index.reader(connection);
        let mut totals = self.totals(connection)?;
        reader.change_begin(rowid, false)?;
        let tokens = self.add_tokens(connection, rowid, document, false)?;
        let origin = if self.config.contentless_delete { reader.structure()?.next_origin() } else { 0 };
        self.storage.put_sizes(connection, rowid, &Sizes { tokens: tokens.clone(), origin })?;
        totals.rows = totals.rows.wrapping_add(1);
        totals.tokens.iter_mut().zip(&tokens).for_each(|(total, count)| *total = total.wrapping_add(*count));
        self.put_totals(Some(totals));
        Ok(())
    }

    /// Removes a document from the index, and the sizes of its row.
    ///
    /// # Errors
    /// The errors of the tokenizer and of writing.
    pub fn unindex_document(&self, connection: &dyn SqlConnection, rowid: i64, document: &[Document<'_>]) -> Result {
        let reader = self.index.reader(connection);
        let mut totals = self.totals(connection)?;
        reader.change_begin(rowid, true)?;
        let tokens = self.add_tokens(connection, rowid, document, true)?;
        for (total, count) in totals.tokens.iter_mut().zip(&tokens) {
            *total = total.checked_sub(*count).ok_or_else(crate::corrupt)?;
        }
        totals.rows = totals.rows.checked_sub(1).ok_or_else(crate::corrupt)?;
        self.put_totals(Some(totals));
        self.storage.delete_sizes(connection, rowid)
    }

    /// Removes a row from a table with contentless_delete=1.
    ///
    /// # Errors
    /// The errors of reading and writing.
    pub fn bury_document(&self, connection: &dyn SqlConnection, rowid: i64) -> Result {
        let Some(sizes) = self.storage.sizes(connection, rowid, self.config.columns.len())? else { return Ok(()) };
        let reader = self.index.reader(connection);
        let mut totals = self.totals(connection)?;
        reader.change_begin(rowid, true)?;
        reader.add_tombstone(sizes.origin, rowid)?;
        for (total, count) in totals.tokens.iter_mut().zip(&sizes.tokens) {
            *total = total.saturating_sub(*count);
        }
        totals.rows = totals.rows.saturating_sub(1);
        self.put_totals(Some(totals));
        self.storage.delete_sizes(connection, rowid)
    }

    /// Cuts a document into tokens and adds them to the pending terms; returns the number of tokens in each column.
    fn add_tokens(
        &self,
        connection: &dyn SqlConnection,
        rowid: i64,
        document: &[Document<'_>],
        is_delete: bool,
    ) -> Result<Vec<u64>> {
        let reader = self.index.reader(connection);
        let mut counts = vec![0; self.config.columns.len()];
        for (at, (column, count)) in self.config.columns.iter().zip(&mut counts).enumerate() {
            let Some(one) = document.get(at).filter(|one| column.is_indexed && !one.value.is_null()) else { continue };
            let text = text_of(one.value);
            let mut pending = reader.pending_row(rowid)?;
            let mut offset: i64 = -1;
            let mut sink = |token: crate::tokenizer::Token<'_>| {
                if !token.is_colocated || offset < 0 {
                    offset += 1;
                }
                let place = u32::try_from(offset).map_err(|_| FunctionError::too_big())?;
                pending.add(token.text, at as u32, (!is_delete).then_some(place))?;
                Ok(Flow::More)
            };
            self.tokenizer.tokenize(&text, Purpose::Document, one.locale.as_deref(), &mut sink)?;
            *count = (offset + 1) as u64;
        }
        Ok(counts)
    }

    /// Writes the changes that are kept in memory.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn flush(&self, connection: &dyn SqlConnection) -> Result {
        self.flushing(connection, || {
            self.write_totals(connection)?;
            self.put_totals(None);
            self.index.reader(connection).flush()
        })
    }

    /// Writes the tokens that are kept in memory, but not the totals.
    ///
    /// # Errors
    /// The errors of writing.
    pub fn flush_tokens(&self, connection: &dyn SqlConnection) -> Result {
        self.flushing(connection, || self.index.reader(connection).flush())
    }

    fn flushing(&self, connection: &dyn SqlConnection, write: impl FnOnce() -> Result) -> Result {
        // A trigger of a shadow table opens savepoints meanwhile: the changes are being written already.
        if self.is_flushing.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let last_rowid = connection.last_insert_rowid();
        let result = write();
        connection.set_last_insert_rowid(last_rowid);
        self.is_flushing.store(false, Ordering::Relaxed);
        result
    }

    /// Writes the totals, if they have changed.
    pub(crate) fn write_totals(&self, connection: &dyn SqlConnection) -> Result {
        let totals = self.storage.totals.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match totals {
            Some(totals) => self.index.reader(connection).store().write(AVERAGES_ID, &totals.write()),
            None => Ok(()),
        }
    }

    /// Called after a commit: no changes are in memory any more.
    pub fn end(&self) {
        self.put_totals(None);
        self.index.end();
    }

    /// Discards the changes that are kept in memory.
    pub fn forget(&self, is_over: bool) {
        self.put_totals(None);
        self.index.forget(is_over);
    }

    /// The document in a row of `x_content` or of the content table. `None`: there is no such row.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn stored_document(&self, connection: &dyn SqlConnection, rowid: i64) -> Result<Option<StoredDocument>> {
        let lookup = self.storage.lookup();
        let mut statement = connection.statement(&lookup)?;
        statement.bind(1, ValueRef::Integer(rowid))?;
        let reading = self.begin_reading()?;
        let is_row = statement.step()?;
        drop(reading);
        if !is_row {
            return Ok(None);
        }
        self.read_document(&*statement).map(Some)
    }

    /// The document in the current row of a statement of [`Storage::lookup`] or [`Storage::scan`].
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn read_document(&self, statement: &dyn lithe_vtab::SqlStatement) -> Result<StoredDocument> {
        let columns = self.config.columns.len();
        let locales = (0..columns).map(|column| self.stored_locale(statement, column)).collect::<Result<_>>()?;
        Ok(StoredDocument { values: values(statement, 1, columns)?, locales })
    }

    /// The locale of a column in such a row.
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn stored_locale(&self, statement: &dyn lithe_vtab::SqlStatement, column: usize) -> Result<Option<Vec<u8>>> {
        let at = self.storage.locale_at(column, self.config.columns.len());
        match at.map(|at| statement.column(at)) {
            Some(ValueRef::Text(locale) | ValueRef::Blob(locale)) => Ok(Some(copied(locale)?)),
            _ => Ok(None),
        }
    }

    /// Values as an application gives them: texts may have a locale.
    ///
    /// # Errors
    /// SQLITE_MISMATCH where the table has none.
    pub fn given_document<'v>(
        &self,
        connection: &dyn SqlConnection,
        values: &[ValueRef<'v>],
    ) -> Result<Vec<Document<'v>>> {
        let one = |(at, value): (usize, &ValueRef<'v>)| match locale::split(connection, *value) {
            // (The values of an external table may have locales in any column.)
            Some((_, text)) if self.config.columns.get(at).is_some_and(|column| !column.is_indexed) => {
                Ok(Document { value: ValueRef::Text(text), locale: None })
            }
            Some((locale, text)) if self.config.locale => {
                Ok(Document { value: ValueRef::Text(text), locale: Some(locale.into()) })
            }
            Some(_) => Err(FunctionError::with_code(code::MISMATCH, "fts5_locale() requires locale=1")),
            None => Ok(Document { value: *value, locale: None }),
        };
        values.iter().enumerate().take(self.config.columns.len()).map(one).collect()
    }

    /// A stored document as it is cut into tokens: the values of an external table may have locales of their own.
    ///
    /// # Errors
    /// As [`Table::given_document`].
    pub fn documents_of<'s>(
        &self,
        connection: &dyn SqlConnection,
        stored: &'s StoredDocument,
    ) -> Result<Vec<Document<'s>>> {
        if !self.is_external() {
            return Ok(stored.documents());
        }
        let values: Vec<ValueRef<'_>> = stored.values.iter().map(|value| value.as_ref()).collect();
        self.given_document(connection, &values)
    }

    /// Calls `visit` with each document of the content and its rowid.
    ///
    /// # Errors
    /// The errors of reading, and of `visit`.
    pub fn for_each_document(
        &self,
        connection: &dyn SqlConnection,
        mut visit: impl FnMut(i64, &[Document<'_>]) -> Result,
    ) -> Result {
        let scan = self.storage.scan(false);
        let mut statement = connection.statement(&scan)?;
        statement.bind(1, ValueRef::Integer(i64::MIN))?;
        statement.bind(2, ValueRef::Integer(i64::MAX))?;
        loop {
            let reading = self.begin_reading()?;
            let is_row = statement.step()?;
            drop(reading);
            if !is_row {
                return Ok(());
            }
            let rowid = lithe_value::cast::to_integer(statement.column(0));
            let stored = self.read_document(&*statement)?;
            visit(rowid, &self.documents_of(connection, &stored)?)?;
        }
    }

    /// Called before a statement reads the content, which may be a view of this very table.
    ///
    /// # Errors
    /// `recursively defined fts5 content table`.
    pub(crate) fn begin_reading(&self) -> Result<Reading<'_>> {
        if self.is_reading.swap(true, Ordering::Relaxed) {
            return Err(FunctionError::new("recursively defined fts5 content table"));
        }
        Ok(Reading(&self.is_reading))
    }

    /// Whether documents are in a table of the application.
    pub fn is_external(&self) -> bool {
        matches!(self.config.content, Content::External(_))
    }

    /// Whether documents are not stored.
    pub fn is_contentless(&self) -> bool {
        self.config.content == Content::None
    }

    /// Fails if rows can only be found by MATCH: the table has neither content nor sizes.
    ///
    /// # Errors
    /// SQLITE_ERROR.
    pub fn check_scannable(&self) -> Result {
        let is_scannable = !self.is_contentless() || self.config.column_size || self.storage.has_content();
        let message = || FunctionError::new(format!("{}: table does not support scanning", self.names.table));
        if is_scannable { Ok(()) } else { Err(message()) }
    }
}

/// A document as it was stored.
#[derive(Clone, Debug, Default)]
pub struct StoredDocument {
    /// The values of the columns.
    pub values: Vec<Value>,
    /// Their locales.
    pub locales: Vec<Option<Vec<u8>>>,
}

impl StoredDocument {
    /// The values as they are cut into tokens.
    pub fn documents(&self) -> Vec<Document<'_>> {
        let mut documents = Vec::with_capacity(self.values.len());
        for (value, locale) in self.values.iter().zip(&self.locales) {
            documents.push(Document { value: value.as_ref(), locale: locale.as_deref().map(Cow::Borrowed) });
        }
        documents
    }
}

/// The text of a value, as it is indexed.
pub fn text_of(value: ValueRef<'_>) -> Cow<'_, [u8]> {
    lithe_value::cast::to_text(value)
}
