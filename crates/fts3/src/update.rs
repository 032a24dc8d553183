//! Changes of rows, and commands.
//!
//! The columns of a change are those of the table, then the hidden ones: the table's name (for commands), docid, language.

use std::sync::atomic::Ordering;

use lithe_value::cast;
use lithe_value::grow::copied;
use lithe_vtab::{Change, FunctionError, OnConflict, SqlConnection, ValueRef, code, lowercase};

use crate::Result;
use crate::index::incremental::Hint;
use crate::index::{LEVELS, SEGMENTS_MAX};
use crate::storage::{AUTOMERGE_ID, HINT_ID, Totals};
use crate::table::Table;

/// A merge at the end of a transaction runs only if it would write more leaves than this.
const MERGE_PAGES_MIN: i64 = 64;

impl Table {
    /// Inserts, updates or deletes a row, or runs a command; answers the docid of an inserted row.
    ///
    /// # Errors
    /// SQLITE_CONSTRAINT if the docid is taken; those of reading and writing.
    pub fn update(&self, connection: &dyn SqlConnection, change: &Change<'_>) -> Result<Option<i64>> {
        let count = self.config.columns.len();
        let Some(columns) = change.columns() else {
            let Some(old) = change.old_key() else { return Ok(None) };
            let mut update = RowUpdate::new(self);
            update.delete(connection, cast::to_integer(old))?;
            update.finish(connection)?;
            return Ok(None);
        };
        let hidden = |at: usize| columns.get(count + at).copied().unwrap_or_default();
        let old = change.old_key();
        if old.is_none() && !hidden(0).is_null() {
            self.command(connection, hidden(0))?;
            // last_insert_rowid() is 0 then.
            return Ok(Some(0));
        }
        let language = cast::to_integer(hidden(2)) as i32;
        if language < 0 {
            return Err(FunctionError::of_code(code::CONSTRAINT));
        }
        let mut update = RowUpdate::new(self);
        let docid = update.replace(connection, change, old, hidden(1), language)?;
        let values = columns.get(..count).unwrap_or_default();
        update.index(connection, docid, language, values)?;
        update.finish(connection)?;
        Ok(Some(docid))
    }
}

/// The effect of one change on the totals.
struct RowUpdate<'t> {
    table: &'t Table,
    rows: i64,
    added: Vec<u64>,
    removed: Vec<u64>,
}

impl RowUpdate<'_> {
    fn new(table: &Table) -> RowUpdate<'_> {
        let none = vec![0; table.config.columns.len() + 1];
        RowUpdate { table, rows: 0, added: none.clone(), removed: none }
    }

    /// Replaces the content of the old row, if there is one, by that of the new row; answers its docid.
    fn replace(
        &mut self,
        connection: &dyn SqlConnection,
        change: &Change<'_>,
        old: Option<ValueRef<'_>>,
        docid: ValueRef<'_>,
        language: i32,
    ) -> Result<i64> {
        let rowid = change.new_key().unwrap_or_default();
        let wanted = if docid.is_null() { rowid } else { docid };
        let mut inserted = None;
        if self.table.config.has_own_content() {
            let is_other = old.is_none_or(|old| !same_integer(old, wanted));
            if !wanted.is_null() && is_other {
                if change.policy == OnConflict::Replace {
                    self.delete(connection, cast::to_integer(wanted))?;
                } else {
                    inserted = Some(self.insert(connection, change, old, docid, language)?);
                }
            }
        }
        if let Some(old) = old {
            self.delete(connection, cast::to_integer(old))?;
        }
        match inserted {
            Some(docid) => Ok(docid),
            None => self.insert(connection, change, old, docid, language),
        }
    }

    fn insert(
        &self,
        connection: &dyn SqlConnection,
        change: &Change<'_>,
        old: Option<ValueRef<'_>>,
        docid: ValueRef<'_>,
        language: i32,
    ) -> Result<i64> {
        let rowid = change.new_key().unwrap_or_default();
        if !self.table.config.has_own_content() {
            return match if docid.is_null() { rowid } else { docid } {
                ValueRef::Integer(docid) => Ok(docid),
                _ => Err(FunctionError::of_code(code::CONSTRAINT)),
            };
        }
        if !docid.is_null() && old.is_none() && !rowid.is_null() {
            return Err(FunctionError::of_code(code::ERROR));
        }
        let values = change.columns().unwrap_or_default();
        let docid = if docid.is_null() { rowid } else { docid };
        self.table.storage.put_content(connection, docid, values, language)
    }

    /// Deletes a row from content, index and sizes.
    fn delete(&mut self, connection: &dyn SqlConnection, docid: i64) -> Result {
        let table = self.table;
        let mut statement = connection.statement(&table.storage.find).map_err(FunctionError::silent)?;
        statement.bind(1, ValueRef::Integer(docid))?;
        if !statement.step().map_err(FunctionError::silent)? {
            return Ok(());
        }
        let (values, language) = (table.values(&*statement)?, table.storage.language(&*statement));
        drop(statement);
        let values: Vec<ValueRef<'_>> = values.iter().map(|value| value.as_ref()).collect();
        let sizes = table.unindex_document(connection, docid, language, &values)?;
        self.removed.iter_mut().zip(&sizes).for_each(|(sum, size)| *sum = sum.wrapping_add(*size));
        // (As in SQLite, a NULL resets the column's count, even if it counts another row that this change deletes.)
        let is_counted =
            |column: usize| table.config.is_indexed(column) && values.get(column).is_some_and(|value| value.is_null());
        self.removed
            .iter_mut()
            .take(values.len())
            .enumerate()
            .filter(|(column, _)| is_counted(*column))
            .for_each(|(_, sum)| *sum = 0);
        self.rows -= 1;
        let is_empty = table.config.has_own_content() && table.storage.is_only_row(connection, docid)?;
        if is_empty {
            table.delete_all(connection, true)?;
            // The totals are deleted, too, so nothing is subtracted from them.
            self.removed.fill(0);
            self.rows = 0;
            return Ok(());
        }
        if table.config.has_own_content() {
            table.storage.delete_content(connection, docid)?;
        }
        if table.config.has_sizes() { table.storage.delete_sizes(connection, docid) } else { Ok(()) }
    }

    fn index(&mut self, connection: &dyn SqlConnection, docid: i64, language: i32, values: &[ValueRef<'_>]) -> Result {
        self.added = self.table.index_document(connection, docid, language, values)?;
        if self.table.config.has_sizes() {
            self.table.storage.put_sizes(connection, docid, &self.added)?;
        }
        self.rows += 1;
        Ok(())
    }

    fn finish(self, connection: &dyn SqlConnection) -> Result {
        if self.table.config.is_fts4 {
            self.table.storage.change_totals(connection, self.rows, &self.added, &self.removed)?;
        }
        Ok(())
    }
}

fn same_integer(one: ValueRef<'_>, other: ValueRef<'_>) -> bool {
    cast::to_integer(one) == cast::to_integer(other)
}

impl Table {
    /// Empties the shadow tables, and discards the pending terms.
    pub(crate) fn delete_all(&self, connection: &dyn SqlConnection, with_content: bool) -> Result {
        self.index.pending().clear();
        let mut suffixes = vec!["segments", "segdir"];
        if with_content && self.config.has_own_content() {
            suffixes.insert(0, "content");
        }
        if self.config.has_sizes() {
            suffixes.push("docsize");
        }
        if self.has_stat(connection)? {
            suffixes.push("stat");
        }
        let delete = |suffix: &&str| connection.execute(&format!("DELETE FROM {}", self.names.shadow(suffix)));
        suffixes.iter().try_for_each(delete).map_err(FunctionError::silent)
    }

    /// `INSERT INTO t(t) VALUES(command)`
    fn command(&self, connection: &dyn SqlConnection, command: ValueRef<'_>) -> Result {
        let command = lowercase(&cast::to_text(command))?;
        match command.as_str() {
            "optimize" => self.optimize(connection).map(|_| ()),
            "rebuild" => self.rebuild(connection),
            "integrity-check" => self.check(connection),
            "flush" => self.index.flush(connection),
            command => match command.split_once('=') {
                Some(("merge", parameters)) => self.merge(connection, parameters.as_bytes()),
                Some(("automerge", number)) if !number.is_empty() => self.set_automerge(connection, number.as_bytes()),
                _ => Err(FunctionError::of_code(code::ERROR)),
            },
        }
    }

    /// `merge=X,Y`: merges levels that have Y segments in steps, until about X leaves are written.
    fn merge(&self, connection: &dyn SqlConnection, parameters: &[u8]) -> Result {
        let wrong = || FunctionError::of_code(code::ERROR);
        let mut rest = parameters;
        let pages = leading_number(&mut rest);
        let mut least = SEGMENTS_MAX / 2;
        if let Some(behind) = rest.strip_prefix(b",").filter(|behind| !behind.is_empty()) {
            rest = behind;
            least = leading_number(&mut rest);
        }
        if !rest.is_empty() || least < 2 || parameters.is_empty() {
            return Err(wrong());
        }
        self.create_stat_if_missing(connection)?;
        self.merge_in_steps(connection, pages, least)
    }

    fn merge_in_steps(&self, connection: &dyn SqlConnection, pages: i64, least: i64) -> Result {
        let stored = self.storage.stat(connection, HINT_ID)?;
        let bytes = stored.map_or(Ok(Vec::new()), |value| copied(&cast::to_text(value.as_ref())))?;
        let mut hint = Hint::new(bytes);
        if self.index.merge_in_steps(connection, pages, least, &mut hint)? {
            self.storage.set_stat(connection, HINT_ID, ValueRef::Blob(hint.bytes()))?;
        }
        Ok(())
    }

    /// `automerge=N`.
    fn set_automerge(&self, connection: &dyn SqlConnection, mut number: &[u8]) -> Result {
        let segments = automerge_of(leading_number(&mut number));
        self.create_stat_if_missing(connection)?;
        self.storage.set_stat(connection, AUTOMERGE_ID, ValueRef::Integer(i64::from(segments)))?;
        self.automerge.store(segments, Ordering::Relaxed);
        Ok(())
    }

    /// Reads the setting `automerge` once leaves were added. The end of the transaction needs it, and a rollback to a savepoint may have taken the
    /// table away by then.
    pub(crate) fn learn_automerge(&self, connection: &dyn SqlConnection) -> Result {
        let has_leaves = self.index.leaves_added.load(Ordering::Relaxed) > 0;
        if has_leaves { self.automerge(connection).map(drop) } else { Ok(()) }
    }

    /// The number of segments at which the end of a transaction merges a level; 0: it does not merge.
    fn automerge(&self, connection: &dyn SqlConnection) -> Result<i32> {
        if self.automerge.load(Ordering::Relaxed) < 0 {
            let stored = if self.has_stat(connection)? { self.storage.stat(connection, AUTOMERGE_ID)? } else { None };
            let stored = stored.map_or(0, |value| cast::to_integer(value.as_ref()));
            self.automerge.store(automerge_of(stored), Ordering::Relaxed);
        }
        Ok(self.automerge.load(Ordering::Relaxed))
    }

    /// Merges each index into one segment. False if an index was one segment already.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB; those of reading and writing.
    pub fn optimize(&self, connection: &dyn SqlConnection) -> Result<bool> {
        // (As in SQLite, pending terms become segments first, which can promote other segments.)
        self.index.flush(connection)?;
        let count = self.index.count();
        let mut is_optimal = false;
        for language in self.index.store.languages(connection, LEVELS * count as i64)? {
            for index in 0..count {
                is_optimal |= !self.index.optimize(connection, language, index)?;
            }
        }
        Ok(!is_optimal)
    }

    /// Builds the index anew from the content.
    pub(crate) fn rebuild(&self, connection: &dyn SqlConnection) -> Result {
        if self.is_contentless() {
            return Err(FunctionError::of_code(code::ERROR));
        }
        self.delete_all(connection, false)?;
        let mut totals = Totals { rows: 0, sizes: vec![0; self.config.columns.len() + 1] };
        let scan = self.storage.scan_all();
        let mut statement = connection.statement(&scan).map_err(FunctionError::silent)?;
        while statement.step().map_err(FunctionError::silent)? {
            let docid = cast::to_integer(statement.column(0));
            let (values, language) = (self.values(&*statement)?, self.storage.language(&*statement));
            let values: Vec<ValueRef<'_>> = values.iter().map(|value| value.as_ref()).collect();
            let sizes = self.index_document(connection, docid, language, &values)?;
            if self.config.has_sizes() {
                self.storage.put_sizes(connection, docid, &sizes)?;
            }
            totals.rows += 1;
            totals.sizes.iter_mut().zip(&sizes).for_each(|(sum, size)| *sum = sum.wrapping_add(*size));
        }
        drop(statement);
        if self.config.is_fts4 {
            self.storage.change_totals(connection, totals.rows as i64, &totals.sizes, &[])
        } else {
            Ok(())
        }
    }

    /// Writes the pending terms before the commit, and merges.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn sync(&self, connection: &dyn SqlConnection) -> Result {
        let last_rowid = connection.last_insert_rowid();
        let result = self.index.flush(connection).and_then(|()| self.merge_automatically(connection));
        connection.set_last_insert_rowid(last_rowid);
        result
    }

    /// Merges incrementally, if the transaction has added many leaves.
    fn merge_automatically(&self, connection: &dyn SqlConnection) -> Result {
        let leaves = self.index.leaves_added.load(Ordering::Relaxed) as i64;
        if leaves <= MERGE_PAGES_MIN / 16 {
            return Ok(());
        }
        let segments = self.automerge(connection)?;
        if segments == 0 {
            return Ok(());
        }
        let pages = leaves.saturating_mul(self.index.store.height(connection)?);
        let pages = pages.saturating_add(pages / 2);
        if pages > MERGE_PAGES_MIN { self.merge_in_steps(connection, pages, i64::from(segments)) } else { Ok(()) }
    }
}

/// The number of segments that `automerge=N` means.
fn automerge_of(number: i64) -> i32 {
    match number {
        0 => 0,
        2..=SEGMENTS_MAX => number as i32,
        _ => SEGMENTS_MAX as i32 / 2,
    }
}

/// Reads the number at the start of a text, and advances past it; 0 without digits. As in SQLite, a number that could exceed 32 bits ends
/// early, and its remaining digits are an error where the caller expects the end.
fn leading_number(text: &mut &[u8]) -> i64 {
    const STOPS_AT: i64 = 214_748_363;
    let mut number = 0;
    while let Some((digit, rest)) = text.split_first().filter(|(digit, _)| digit.is_ascii_digit() && number < STOPS_AT)
    {
        number = number * 10 + i64::from(digit - b'0');
        *text = rest;
    }
    number
}
