//! A full-text table, shared by the virtual table and its cursors; how documents are added to it and deleted.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};

use lithe_vtab::{Names, SqlConnection, SqlStatement, Value, ValueRef};

use crate::Result;
use crate::config::{Config, Content};
use crate::doclist::Position;
use crate::index::Index;
use crate::storage::{Sizes, Storage};
use crate::tokenizer::{Flow, Token, Tokenizer};

/// A full-text table of one connection. Cursors and functions hold it by an `Arc`, because they outlive the call that found it.
pub struct Table {
    /// Its names. (ALTER TABLE connects the table anew.)
    pub names: Names,
    /// The arguments of CREATE VIRTUAL TABLE.
    pub config: Config,
    /// The tokenizer of its texts.
    pub tokenizer: Box<dyn Tokenizer>,
    /// The index.
    pub index: Index,
    /// The content beside the index.
    pub storage: Storage,
    /// Whether `x_stat` exists, one of [`stat`]: see [`Table::has_stat`].
    pub(crate) stat: AtomicU8,
    /// The setting `automerge`; negative if it is not read yet.
    pub(crate) automerge: AtomicI32,
}

/// The values of [`Table::stat`].
pub(crate) mod stat {
    pub const MISSING: u8 = 0;
    pub const THERE: u8 = 1;
    pub const UNKNOWN: u8 = 2;
}

impl Table {
    /// Adds a document to the index; answers its sizes.
    ///
    /// # Errors
    /// Those of the tokenizer and of writing.
    pub fn index_document(
        &self,
        connection: &dyn SqlConnection,
        docid: i64,
        language: i32,
        values: &[ValueRef<'_>],
    ) -> Result<Sizes> {
        self.index.begin_row(connection, docid, false, language)?;
        self.add_terms(language, values, false)
    }

    /// Deletes a document from the index; answers its sizes.
    ///
    /// # Errors
    /// Those of the tokenizer and of writing.
    pub fn unindex_document(
        &self,
        connection: &dyn SqlConnection,
        docid: i64,
        language: i32,
        values: &[ValueRef<'_>],
    ) -> Result<Sizes> {
        self.index.begin_row(connection, docid, true, language)?;
        self.add_terms(language, values, true)
    }

    fn add_terms(&self, language: i32, values: &[ValueRef<'_>], is_delete: bool) -> Result<Sizes> {
        let columns = self.config.columns.len();
        let mut sizes = vec![0; columns + 1];
        let mut bytes = 0;
        for column in 0..columns {
            let Some(value) = values.get(column).filter(|_| self.config.is_indexed(column)) else { continue };
            let text = lithe_value::cast::to_text(*value);
            bytes += text.len() as u64;
            if value.is_null() {
                continue;
            }
            let mut count = 0;
            let mut sink = |token: Token<'_>| {
                let position = Position { column: column as u32, offset: token.position };
                if token.text.is_empty() || token.position < 0 {
                    return Err(lithe_vtab::FunctionError::new(""));
                }
                count = count.max(token.position.unsigned_abs() + 1);
                let mut pending = self.index.pending();
                self.index.add(&mut pending, token.text, (!is_delete).then_some(position))?;
                Ok(Flow::More)
            };
            self.tokenizer.tokenize(before_nul(&text), language, &mut sink)?;
            if let Some(size) = sizes.get_mut(column) {
                *size = count;
            }
        }
        if let Some(last) = sizes.last_mut() {
            *last = bytes;
        }
        Ok(sizes)
    }

    /// The values of the current row of a statement of [`Storage::lookup`] or [`Storage::scan`].
    ///
    /// # Errors
    /// SQLITE_NOMEM.
    pub fn values(&self, statement: &dyn SqlStatement) -> Result<Vec<Value>> {
        (1..=self.config.columns.len()).map(|at| Ok(Value::try_copy(statement.column(at))?)).collect()
    }

    /// Writes the pending terms.
    ///
    /// # Errors
    /// Those of writing.
    pub fn flush(&self, connection: &dyn SqlConnection) -> Result {
        let last_rowid = connection.last_insert_rowid();
        let result = self.index.flush(connection).and_then(|()| self.learn_automerge(connection));
        connection.set_last_insert_rowid(last_rowid);
        result
    }

    /// Discards the pending terms, after a rollback. (The setting `automerge` stays in force, as in SQLite.)
    pub(crate) fn discard_pending(&self) {
        self.index.pending().clear();
        if !self.config.is_fts4 {
            self.stat.store(stat::UNKNOWN, Ordering::Relaxed);
        }
    }

    /// Whether `x_stat` exists. FTS3 creates it at the first need.
    ///
    /// # Errors
    /// Those of reading the schema.
    pub fn has_stat(&self, connection: &dyn SqlConnection) -> Result<bool> {
        if self.stat.load(Ordering::Relaxed) == stat::UNKNOWN {
            let name = lithe_value::ValueRef::Text(b"table");
            let mut statement = connection.prepare(&format!(
                "SELECT 1 FROM {}.sqlite_master WHERE type=?1 AND name=?2",
                lithe_vtab::quoted(&self.names.database)
            ))?;
            let table = format!("{}_stat", self.names.table);
            statement.bind(1, name)?;
            statement.bind(2, ValueRef::Text(table.as_bytes()))?;
            let found = if statement.step()? { stat::THERE } else { stat::MISSING };
            self.stat.store(found, Ordering::Relaxed);
        }
        Ok(self.stat.load(Ordering::Relaxed) == stat::THERE)
    }

    /// Creates `x_stat` if it does not exist.
    ///
    /// # Errors
    /// Those of CREATE TABLE.
    pub fn create_stat_if_missing(&self, connection: &dyn SqlConnection) -> Result {
        if !self.has_stat(connection)? {
            // (SQLite opens a savepoint here.)
            self.flush(connection)?;
            connection.execute(&crate::shadow::create_stat(&self.names))?;
            self.stat.store(stat::THERE, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Whether the documents are not stored.
    pub fn is_contentless(&self) -> bool {
        self.config.content == Content::None
    }
}

/// A text up to its first NUL, because the tokenizer sees C strings.
pub fn before_nul(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// A full-text table, as the engine holds it.
pub struct Fts3Table {
    /// The part that cursors share.
    pub table: Arc<Table>,
}
