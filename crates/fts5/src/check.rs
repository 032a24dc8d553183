//! integrity-check: the index has exactly the tokens of the content.

use lithe_vtab::{FunctionError, SqlConnection};

use crate::Result;
use crate::config::Detail;
use crate::index::check::{Sum, entry};
use crate::index::flush::{MAIN_INDEX, TOKEN_LEN_MAX, prefix_of};
use crate::table::{Document, Table, text_of};
use crate::tokenizer::{Flow, Purpose, Token};

impl Table {
    /// Compares the index with the content; with that of another table only if `checks_external`.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB.
    pub fn check(&self, connection: &dyn SqlConnection, checks_external: bool) -> Result {
        let reader = self.index.reader(connection);
        let has_content = !self.is_contentless() && (!self.is_external() || checks_external);
        // What is wrong about the content is told by its code, as in SQLite.
        let expected =
            if has_content { Some(self.check_content(connection).map_err(FunctionError::silent)?) } else { None };
        let found = reader.check()?;
        match expected {
            Some(expected) if found != expected => Err(reader.store().corrupt_checksum()),
            _ => Ok(()),
        }
    }

    /// Checks the shadow tables of the content; answers the checksum that the entries of the index should have.
    fn check_content(&self, connection: &dyn SqlConnection) -> Result<u64> {
        let (expected, rows) = self.sum_of_content(connection)?;
        if self.totals(connection)?.rows != rows {
            return Err(self.index.reader(connection).store().corrupt());
        }
        self.check_counts(connection, rows)?;
        Ok(expected)
    }

    /// Checks that the shadow tables have as many rows as the content.
    fn check_counts(&self, connection: &dyn SqlConnection, rows: u64) -> Result {
        let own = (!self.is_external()).then_some("content");
        let sizes = self.config.column_size.then_some("docsize");
        for suffix in own.into_iter().chain(sizes) {
            let sql = format!("SELECT count(*) FROM {}", self.names.shadow(suffix));
            let count = lithe_vtab::first_value(connection, &sql)?;
            let count = count.map_or(0, |count| lithe_value::cast::to_integer(count.as_ref()));
            if count as u64 != rows {
                return Err(self.index.reader(connection).store().corrupt());
            }
        }
        Ok(())
    }

    /// The checksum that the entries of the index should have, and the number of rows.
    fn sum_of_content(&self, connection: &dyn SqlConnection) -> Result<(u64, u64)> {
        let reader = self.index.reader(connection);
        let (mut sum, mut rows) = (0, 0);
        let mut totals = vec![0; self.config.columns.len()];
        self.for_each_document(connection, |rowid, document| {
            let sizes = self.storage_sizes(connection, rowid)?;
            let counts = self.sum_of_document(rowid, document, &mut sum)?;
            if sizes.is_some_and(|sizes| sizes != counts) {
                return Err(reader.store().corrupt());
            }
            totals.iter_mut().zip(&counts).for_each(|(total, count)| *total += count);
            rows += 1;
            Ok(())
        })?;
        if self.totals(connection)?.tokens != totals {
            return Err(reader.store().corrupt());
        }
        Ok((sum, rows))
    }

    fn storage_sizes(&self, connection: &dyn SqlConnection, rowid: i64) -> Result<Option<Vec<u64>>> {
        if !self.config.column_size {
            return Ok(None);
        }
        let sizes = self.storage.sizes(connection, rowid, self.config.columns.len())?;
        let missing = || self.index.reader(connection).store().corrupt();
        Ok(Some(sizes.ok_or_else(missing)?.tokens))
    }

    fn sum_of_document(&self, rowid: i64, document: &[Document<'_>], sum: &mut u64) -> Result<Vec<u64>> {
        let mut counts = vec![0; self.config.columns.len()];
        let mut sums = Sum::default();
        for (at, (column, count)) in self.config.columns.iter().zip(&mut counts).enumerate() {
            let Some(one) = document.get(at).filter(|one| column.is_indexed && !one.value.is_null()) else { continue };
            let mut offset: i64 = -1;
            let mut sink = |token: Token<'_>| {
                if !token.is_colocated || offset < 0 {
                    offset += 1;
                }
                let place = match self.config.detail {
                    Detail::Full => (at as u64, offset as u64),
                    Detail::Columns => (0, at as u64),
                    Detail::None => (0, 0),
                };
                let text = token.text.get(..TOKEN_LEN_MAX).unwrap_or(token.text);
                sums.add(entry(rowid, place, MAIN_INDEX, text), place, MAIN_INDEX, text);
                for (index, chars) in (1..).zip(&self.config.prefixes) {
                    if let Some(prefix) = prefix_of(text, *chars) {
                        sums.add(entry(rowid, place, MAIN_INDEX + index, prefix), place, MAIN_INDEX + index, prefix);
                    }
                }
                Ok(Flow::More)
            };
            self.tokenizer.tokenize(&text_of(one.value), Purpose::Document, one.locale.as_deref(), &mut sink)?;
            *count = (offset + 1) as u64;
        }
        *sum ^= sums.value();
        Ok(counts)
    }
}
