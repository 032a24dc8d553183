//! Indexes whose entries are those of their tables' rows: found by reading every tree once, without a search for each row.
//!
//! The entry of each row is made and hashed, and every entry of the index is hashed. If the sums of the hashes are equal, so are the
//! sets of entries: different sets have equal sums with a probability of about one in 2^64. The entries of the index must also ascend,
//! and their keys must differ if the index is unique. In all other cases the index is left to the program of
//! [`compile_row_check`](lithe_codegen::compile_row_check), which searches for each row and names the rows at fault.

use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;
use lithe_btree::{Btree, Cursor, KeyColumn, KeyInfo, Prefix, SearchKey};
use lithe_catalog::{Column, Index, IndexTerm, Schema, Table};
use lithe_format::PageNo;
use lithe_format::db_header::TextEncoding;
use lithe_format::record::{self, Builder, Located, View};
use lithe_format::serial_type::SerialType;
use lithe_format::varint;
use lithe_value::{Collation, ValueRef};

use super::column;
use crate::connection::Connection;

/// An index with more columns, the rowid among them, is left to the program.
const COLUMNS_MAX: usize = 8;

/// The schema format from which on DESC counts.
const DESCENDING_FORMAT: u32 = 4;

/// Rows or entries between two checks for an interrupt.
const BETWEEN_CHECKS: u64 = 256;

/// The values of an entry.
type Values<'r> = [ValueRef<'r>; COLUMNS_MAX];

/// The roots of the indexes of `table` that have exactly the entries of its rows, in order. The table's trees are sound.
pub(super) fn of_rows(connection: &Connection, btree: &Btree, schema: &Schema, table: &Table) -> Vec<PageNo> {
    let Some(root) = table.root else { return Vec::new() };
    // The handler is called for instructions of a program.
    let is_watched = connection.hooks.progress_interval() != 0;
    let is_plain = !table.is_without_rowid() && table.columns.iter().all(Column::is_stored);
    if is_watched || !is_plain || schema.encoding != TextEncoding::Utf8 {
        return Vec::new();
    }
    let expected = table.indexes.iter().map(|index| ExpectedEntries::of(index, table, schema));
    let mut expected: Vec<ExpectedEntries<'_>> = expected.flatten().collect();
    let scan = Scan { connection, btree, hasher: DefaultHashBuilder::default() };
    if expected.is_empty() || scan.add_rows(root, &mut expected).is_none() {
        return Vec::new();
    }
    expected.retain(|expected| scan.agrees(expected).unwrap_or(false));
    expected.iter().map(|expected| expected.root).collect()
}

/// The entries that the rows of a table must have in one of its indexes.
struct ExpectedEntries<'t> {
    root: PageNo,
    index: &'t Index,
    table: &'t Table,
    key: Arc<KeyInfo>,
    sum: Sum,
}

/// A number of entries, and the sum of their hashes.
#[derive(Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    hashes: u64,
}

impl Sum {
    fn add(&mut self, entry: &[u8], hasher: &DefaultHashBuilder) {
        self.count += 1;
        self.hashes = self.hashes.wrapping_add(hasher.hash_one(entry));
    }
}

impl<'t> ExpectedEntries<'t> {
    /// `None` if the index is partial, or has expressions, collations of the application or many columns.
    fn of(index: &'t Index, table: &'t Table, schema: &Schema) -> Option<ExpectedEntries<'t>> {
        if index.filter.is_some() || index.has_expressions() || index.columns.len() > COLUMNS_MAX {
            return None;
        }
        let mut columns = Vec::with_capacity(index.columns.len());
        for column in &index.columns {
            let collation: Collation = column.collation.builtin()?.clone();
            let descending = column.descending && schema.file_format >= DESCENDING_FORMAT;
            columns.push(KeyColumn { collation, descending, nulls_large: false });
        }
        let key = Arc::new(KeyInfo::new(columns, schema.encoding));
        Some(ExpectedEntries { root: index.root?, index, table, key, sum: Sum::default() })
    }

    /// The values of a row's entry. `None` if a column is not in the record, or on an overflow page, or has a value that is searched as
    /// another one because of the column's affinity.
    fn values<'r>(&self, rowid: i64, record: &'r [u8], view: &mut View) -> Option<Values<'r>> {
        let mut values = [ValueRef::Null; COLUMNS_MAX];
        for (place, column) in values.iter_mut().zip(&self.index.columns) {
            *place = match column.term {
                IndexTerm::Rowid => ValueRef::Integer(rowid),
                IndexTerm::Column(at) if self.table.rowid_column == Some(at) => ValueRef::Integer(rowid),
                IndexTerm::Column(at) => {
                    let value = value(record, view, usize::from(at))?;
                    let affinity = self.table.columns.get(usize::from(at))?.affinity;
                    column::is_kept_by(affinity, value).then_some(value)?
                }
                IndexTerm::Expr(_) => return None,
            };
        }
        Some(values)
    }

    /// Whether `next` comes after `before`, and has another key if the index is unique. NULLs equal nothing.
    fn ascends(&self, before: &[u8], next: &[u8], view: &mut View) -> Option<bool> {
        // The first columns decide nearly always.
        match self.order_by(&[first_value(before)?], next)? {
            Ordering::Less => return Some(false),
            Ordering::Greater => return Some(true),
            Ordering::Equal => {}
        }
        view.reset(u32::try_from(before.len()).ok()?);
        let mut values = [ValueRef::Null; COLUMNS_MAX];
        let values = values.get_mut(..self.index.columns.len())?;
        for (at, place) in values.iter_mut().enumerate() {
            *place = value(before, view, at)?;
        }
        let key = values.get(..usize::from(self.index.key_count))?;
        let is_key = self.index.is_unique() && !key.contains(&ValueRef::Null);
        Some(self.order_by(if is_key { key } else { values }, next)? == Ordering::Greater)
    }

    /// The order of an entry relative to the first values of another one.
    fn order_by(&self, values: &[ValueRef<'_>], entry: &[u8]) -> Option<Ordering> {
        SearchKey::new(&self.key, values, Prefix::Equal).compare_entry(entry).ok()
    }
}

/// The first column of a record.
#[inline]
fn first_value(record: &[u8]) -> Option<ValueRef<'_>> {
    let (header_len, at) = record::header_len(record).ok()?;
    let (serial, _) = varint::read_at(record.get(..header_len as usize)?, at)?;
    SerialType(u32::try_from(serial).ok()?).decode(record, header_len as usize)
}

/// Column `at` of a record, if the record has it within `bytes`, its first bytes.
fn value<'r>(bytes: &'r [u8], view: &mut View, at: usize) -> Option<ValueRef<'r>> {
    match view.locate(bytes, at).ok()? {
        Located::At(column) => column.value(bytes),
        Located::Absent | Located::NeedsBytes(_) => None,
    }
}

/// Reads whole trees. Its functions return `None` in cases that are left to the program.
struct Scan<'c> {
    connection: &'c Connection,
    btree: &'c Btree,
    hasher: DefaultHashBuilder,
}

impl Scan<'_> {
    /// Adds the entries of all rows of the table at `root`.
    fn add_rows(&self, root: PageNo, expected: &mut [ExpectedEntries<'_>]) -> Option<()> {
        let (mut cursor, mut view, mut builder) = (Cursor::table(root), View::new(), Builder::new());
        let mut rows = 0;
        let mut is_on_row = cursor.first(self.btree).ok()?;
        while is_on_row {
            self.check_interrupt(rows)?;
            rows += 1;
            let rowid = cursor.rowid().ok()?;
            let row = cursor.row(self.btree).ok()?;
            view.reset(row.len());
            for expected in &mut *expected {
                let values = expected.values(rowid, row.local(), &mut view)?;
                let entry = builder.build(values.get(..expected.index.columns.len())?);
                expected.sum.add(entry, &self.hasher);
            }
            is_on_row = cursor.next(self.btree).ok()?;
        }
        Some(())
    }

    /// Whether the index has the expected entries and no others, in order.
    fn agrees(&self, expected: &ExpectedEntries<'_>) -> Option<bool> {
        let (mut cursor, mut view) = (Cursor::index(expected.root, Arc::clone(&expected.key)), View::new());
        let (mut sum, mut before) = (Sum::default(), Vec::new());
        let mut is_on_entry = cursor.first(self.btree).ok()?;
        while is_on_entry {
            self.check_interrupt(sum.count)?;
            let row = match cursor.peek(self.btree) {
                Some(row) => row,
                None => cursor.row(self.btree).ok()?,
            };
            let entry = row.local();
            let is_whole = row.len() as usize == entry.len();
            if !is_whole || sum.count > 0 && !expected.ascends(&before, entry, &mut view)? {
                return None;
            }
            sum.add(entry, &self.hasher);
            before.clear();
            before.extend_from_slice(entry);
            is_on_entry = cursor.next(self.btree).ok()?;
        }
        Some(sum == expected.sum)
    }

    /// `None` if the statement should stop: the program reports that.
    fn check_interrupt(&self, count: u64) -> Option<()> {
        (!count.is_multiple_of(BETWEEN_CHECKS) || !self.connection.interrupts.is_set()).then_some(())
    }
}
