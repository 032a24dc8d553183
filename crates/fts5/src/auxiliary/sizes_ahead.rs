//! The numbers of tokens of rows, read ahead: ranking reads the sizes of all rows that a query finds, in their order.

use lithe_vtab::SqlConnection;

use crate::Result;
use crate::table::Table;

/// The largest number of rows that are read ahead.
const ROWS_MAX: usize = 128;
/// Rows are read ahead while the gaps between the requested rowids are not larger than this.
const GAP_MAX: i64 = 16;

/// The sizes of some rows.
#[derive(Default)]
pub(super) struct SizesAhead {
    /// The generation of the index and the content version of the database when the sizes were read.
    versions: (u64, Option<u64>),
    rowids: Vec<i64>,
    /// The sizes of all rows, one for each column.
    tokens: Vec<u64>,
    /// The row that was requested last.
    at: usize,
    /// The number of rows to read the next time.
    count: usize,
}

impl SizesAhead {
    /// The number of tokens in each column of a row.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if the row is not there, and the errors of reading it.
    pub fn find(&mut self, table: &Table, connection: &dyn SqlConnection, rowid: i64) -> Result<&[u64]> {
        let versions = (table.index.generation(), connection.content_version(&table.names.database));
        if versions.1.is_none() || versions != self.versions {
            self.rowids.clear();
        }
        let before = self.rowids.get(self.at).copied();
        while self.rowids.get(self.at).is_some_and(|known| *known < rowid) {
            self.at += 1;
        }
        if self.rowids.get(self.at) != Some(&rowid) {
            let is_near = before.is_some_and(|before| (1..=GAP_MAX).contains(&rowid.saturating_sub(before)));
            self.count = if is_near { (2 * self.count).min(ROWS_MAX) } else { 1 };
            self.read(table, connection, rowid)?;
            self.versions = versions;
        }
        let columns = table.config.columns.len();
        Ok(self.tokens.get(self.at * columns..(self.at + 1) * columns).unwrap_or_default())
    }

    fn read(&mut self, table: &Table, connection: &dyn SqlConnection, rowid: i64) -> Result {
        self.rowids.clear();
        self.tokens.clear();
        self.at = 0;
        let columns = table.config.columns.len();
        table.storage.sizes_from(connection, rowid, columns, self.count, &mut self.rowids, &mut self.tokens)?;
        if self.rowids.first() == Some(&rowid) {
            return Ok(());
        }
        self.rowids.clear();
        Err(table.index.reader(connection).store().corrupt())
    }
}
