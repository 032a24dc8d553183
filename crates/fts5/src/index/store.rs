//! The tables of an index, by SQL: `x_data` has the pages, `x_idx` says which page of a segment has which term.
//!
//! ```text
//!   id of a record of x_data    bits 63..37             36              35..31    30..0
//!                               segment (+ 65536:       doclist index   height    page
//!                               its tombstones)
//!   1    averages               10   structure
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lithe_value::grow::copied;
use lithe_vtab::{BlobPlace, FunctionError, Kept, SqlConnection, ValueRef, code};

use super::known_pages::PageTerms;
use crate::Result;
use lithe_vtab::Names;

/// The record of the averages.
pub const AVERAGES_ID: i64 = 1;
/// The record of the structure.
pub const STRUCTURE_ID: i64 = 10;

/// Longer than any page whose numbers make sense.
const PAGE_LEN_MAX: usize = 128 << 10;

const SEGMENT_SHIFT: u32 = 37;
const DOCLIST_INDEX_BIT: i64 = 1 << 36;
const HEIGHT_SHIFT: u32 = 31;
const TOMBSTONE_SEGMENT: i64 = 1 << 16;

/// The id of a leaf page.
pub const fn leaf_id(segment: u64, page: u64) -> i64 {
    ((segment as i64) << SEGMENT_SHIFT).wrapping_add(page as i64)
}

/// The id of a page of a doclist index.
pub const fn doclist_index_id(segment: u64, height: u32, page: u64) -> i64 {
    leaf_id(segment, page).wrapping_add(DOCLIST_INDEX_BIT).wrapping_add((height as i64) << HEIGHT_SHIFT)
}

/// The id of a page of tombstones.
pub const fn tombstone_id(segment: u64, page: u64) -> i64 {
    (((segment as i64) + TOMBSTONE_SEGMENT) << SEGMENT_SHIFT).wrapping_add(page as i64)
}

/// The page that a number of `x_idx` means, and whether the last doclist on it has an index.
pub(super) fn page_of(number: i64) -> (u64, bool) {
    (u64::try_from(number >> 1).unwrap_or(0), number & 1 != 0)
}

/// The statements of one index, compiled when they are first used.
#[derive(Debug)]
pub struct Statements {
    table: String,
    database: String,
    data: String,
    read: Kept,
    write: Kept,
    delete: Kept,
    delete_all: Kept,
    find_page: Kept,
    list_pages: Kept,
    add_page: Kept,
    delete_pages: Kept,
    delete_page: Kept,
    delete_all_pages: Kept,
    /// How many records of `x_data` were read.
    pub reads: AtomicI64,
}

impl Statements {
    /// For the tables of that name.
    pub fn new(names: &Names) -> Statements {
        let (data, idx) = (names.shadow("data"), names.shadow("idx"));
        Statements {
            table: names.table.clone(),
            database: names.database.clone(),
            data: format!("{}_data", names.table),
            read: Kept::new(format!("SELECT block FROM {data} WHERE id = ?1")),
            write: Kept::new(format!("REPLACE INTO {data}(id, block) VALUES(?1, ?2)")),
            delete: Kept::new(format!("DELETE FROM {data} WHERE id >= ?1 AND id <= ?2")),
            delete_all: Kept::new(format!("DELETE FROM {data}")),
            find_page: Kept::new(format!(
                "SELECT pgno FROM {idx} WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1"
            )),
            list_pages: Kept::new(format!("SELECT term, pgno FROM {idx} WHERE segid = ?1 ORDER BY term")),
            add_page: Kept::new(format!("INSERT INTO {idx}(segid, term, pgno) VALUES(?1, ?2, ?3)")),
            delete_pages: Kept::new(format!("DELETE FROM {idx} WHERE segid = ?1")),
            delete_page: Kept::new(format!("DELETE FROM {idx} WHERE (segid, (pgno / 2)) = (?1, ?2)")),
            delete_all_pages: Kept::new(format!("DELETE FROM {idx}")),
            reads: AtomicI64::new(0),
        }
    }
}

/// The tables, during one call.
#[derive(Clone, Copy)]
pub struct Store<'c> {
    /// The connection.
    pub connection: &'c dyn SqlConnection,
    /// The statements of the index.
    pub statements: &'c Statements,
}

impl Store<'_> {
    /// A record of `x_data`.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if it is not there.
    pub fn read(&self, id: i64) -> Result<Vec<u8>> {
        self.find(id)?.ok_or_else(|| self.corrupt_record(id))
    }

    /// A page of `x_data`.
    ///
    /// # Errors
    /// SQLITE_CORRUPT_VTAB if it is not there.
    pub fn read_page(&self, id: i64) -> Result<Arc<[u8]>> {
        // (Terms and rows end before 64 KiB. No page index is longer than them, unless it is damaged.)
        let page = self.with_record(id, |bytes| Ok(bytes.get(..PAGE_LEN_MAX).unwrap_or(bytes).into()))?;
        page.ok_or_else(|| self.corrupt_record(id))
    }

    /// A record of `x_data`, if it is there.
    ///
    /// # Errors
    /// The errors of reading the table.
    pub fn find(&self, id: i64) -> Result<Option<Vec<u8>>> {
        self.with_record(id, |bytes| Ok(copied(bytes)?))
    }

    fn with_record<R>(&self, id: i64, read: impl FnOnce(&[u8]) -> Result<R>) -> Result<Option<R>> {
        self.statements.reads.fetch_add(1, Ordering::Relaxed);
        let mut statement = self.connection.statement(&self.statements.read)?;
        statement.bind(1, ValueRef::Integer(id))?;
        if !statement.step()? {
            return Ok(None);
        }
        match statement.column(0) {
            ValueRef::Blob(bytes) | ValueRef::Text(bytes) => read(bytes).map(Some),
            _ => Ok(None),
        }
    }

    /// Writes a record of `x_data`.
    ///
    /// # Errors
    /// The errors of writing the table.
    pub fn write(&self, id: i64, bytes: &[u8]) -> Result {
        self.run(&self.statements.write, &[ValueRef::Integer(id), ValueRef::Blob(bytes)])
    }

    /// Writes over the beginning of a record of `x_data`, in place: no row counts as changed.
    ///
    /// # Errors
    /// The errors of opening and writing the BLOB.
    pub fn overwrite(&self, id: i64, bytes: &[u8]) -> Result {
        let Statements { database, data, .. } = self.statements;
        let place = BlobPlace { database, table: data, column: "block", writable: true };
        self.connection.open_blob(&place, id)?.write(0, bytes)
    }

    /// Deletes the records of `x_data` from `first` to `last`.
    ///
    /// # Errors
    /// The errors of writing the table.
    pub fn delete(&self, first: i64, last: i64) -> Result {
        self.run(&self.statements.delete, &[ValueRef::Integer(first), ValueRef::Integer(last)])
    }

    /// Deletes everything.
    ///
    /// # Errors
    /// The errors of writing the tables.
    pub fn delete_all(&self) -> Result {
        self.run(&self.statements.delete_all, &[])?;
        self.run(&self.statements.delete_all_pages, &[])
    }

    /// The page that has a segment's term, if the segment has the term, and whether the last doclist on that page has an index.
    ///
    /// # Errors
    /// The errors of reading the table.
    pub fn find_page(&self, segment: u64, term: &[u8]) -> Result<Option<(u64, bool)>> {
        let mut statement = self.connection.statement(&self.statements.find_page)?;
        statement.bind(1, ValueRef::Integer(segment as i64))?;
        statement.bind(2, ValueRef::Blob(term))?;
        if !statement.step()? {
            return Ok(None);
        }
        Ok(Some(page_of(lithe_value::cast::to_integer(statement.column(0)))))
    }

    /// The rows of `x_idx` of a segment: the beginnings of terms with the numbers of their pages. None if there are more than `count_max`, or they
    /// make no sense.
    ///
    /// # Errors
    /// The errors of reading the table.
    pub(super) fn page_terms(&self, segment: u64, count_max: u64) -> Result<Option<PageTerms>> {
        let mut statement = self.connection.statement(&self.statements.list_pages)?;
        statement.bind(1, ValueRef::Integer(segment as i64))?;
        let mut terms = Vec::new();
        while statement.step()? {
            let (ValueRef::Blob(term), ValueRef::Integer(number)) = (statement.column(0), statement.column(1)) else {
                return Ok(None);
            };
            if terms.len() as u64 >= count_max {
                return Ok(None);
            }
            terms.push((term.into(), number));
        }
        Ok(Some(terms.into()))
    }

    /// Notes that a page has the terms of a segment from `term` on.
    ///
    /// # Errors
    /// The errors of writing the table.
    pub fn add_page(&self, segment: u64, term: &[u8], page: u64, has_doclist_index: bool) -> Result {
        let number = (page << 1 | u64::from(has_doclist_index)) as i64;
        let values = [ValueRef::Integer(segment as i64), ValueRef::Blob(term), ValueRef::Integer(number)];
        self.run(&self.statements.add_page, &values)
    }

    /// Forgets the pages of a segment's terms.
    ///
    /// # Errors
    /// The errors of writing the table.
    pub fn delete_pages(&self, segment: u64) -> Result {
        self.run(&self.statements.delete_pages, &[ValueRef::Integer(segment as i64)])
    }

    /// Forgets that a page has terms of a segment.
    ///
    /// # Errors
    /// The errors of writing the table.
    pub fn delete_page(&self, segment: u64, page: u64) -> Result {
        self.run(&self.statements.delete_page, &[ValueRef::Integer(segment as i64), ValueRef::Integer(page as i64)])
    }

    fn run(&self, kept: &Kept, values: &[ValueRef<'_>]) -> Result {
        self.connection.statement(kept)?.run(values)
    }

    /// A record makes no sense, or is not there.
    pub fn corrupt_record(&self, id: i64) -> FunctionError {
        self.corrupt_with(format!("fts5: corruption found reading blob {id} from table \"{}\"", self.statements.table))
    }

    /// A page makes no sense.
    pub fn corrupt_page(&self, segment: u64, page: u64) -> FunctionError {
        let table = &self.statements.table;
        self.corrupt_with(format!("fts5: corruption on page {page}, segment {segment}, table \"{table}\""))
    }

    /// The structure record makes no sense.
    pub fn corrupt_structure(&self) -> FunctionError {
        self.corrupt_with(format!("fts5: corrupt structure record for table \"{}\"", self.statements.table))
    }

    /// The index is not that of the content.
    pub fn corrupt_checksum(&self) -> FunctionError {
        self.corrupt_with(format!("fts5: checksum mismatch for table \"{}\"", self.statements.table))
    }

    /// Something in the table makes no sense.
    pub fn corrupt(&self) -> FunctionError {
        self.corrupt_with(format!("fts5: corruption in table \"{}\"", self.statements.table))
    }

    fn corrupt_with(&self, message: String) -> FunctionError {
        FunctionError::with_code(code::CORRUPT_VTAB, message)
    }
}
