//! The sorter: it returns rows in the order of their keys; rows with equal keys in the order of arrival.
//!
//! ```text
//!   SorterInsert ──► Batch (memory) ──budget reached──► sorted run in a temporary file
//!                      │                                        │
//!   SorterSort      sort in place                     merge of all runs and the last batch
//!                      │                                        │
//!   SorterNext      next entry                              smallest head
//! ```
//!
//! With a limit the batch keeps only the smallest rows ([`batch`]), so that `ORDER BY … LIMIT 10` of a million
//! rows holds a few hundred of them and rejects most others by comparing one number.

mod batch;
mod merge;
mod refine;
mod run;
mod stable;

use std::sync::Arc;

use lithe_btree::{KeyInfo, SortedEntries};
use lithe_format::record::Builder;
use lithe_value::ValueRef;

use crate::arena::Stored;
use crate::error::Error;
use crate::host::Host;
use crate::register::Register;
use crate::row::view::RecordView;
use batch::Batch;
use merge::Merge;
use run::RunFile;

/// Rows that are being collected, or read in order.
#[derive(Debug)]
pub struct Sorter {
    key: Arc<KeyInfo>,
    builder: Builder,
    batch: Batch,
    /// Bytes of memory that the batch may take.
    budget: usize,
    /// The runs written so far.
    runs: Option<RunFile>,
    reading: Reading,
}

#[derive(Debug, Default)]
enum Reading {
    /// Rows are still coming in.
    #[default]
    Not,
    /// All rows are in the batch: the index of the current entry.
    Batch(usize),
    Merge(Box<Merge>),
}

impl Sorter {
    /// An empty sorter. With a limit it keeps only that many smallest rows.
    pub fn new(key: Arc<KeyInfo>, budget: usize, limit: Option<usize>) -> Sorter {
        let batch = Batch::new(Arc::clone(&key), limit);
        Sorter { key, builder: Builder::new(), batch, budget, runs: None, reading: Reading::Not }
    }

    /// Drops all rows; memory is kept.
    pub fn clear(&mut self) {
        self.batch.clear();
        self.runs = None;
        self.reading = Reading::Not;
    }

    /// Sets the limit of an empty sorter.
    pub fn set_limit(&mut self, limit: Option<usize>) {
        debug_assert!(self.batch.is_empty(), "a limit is set before the first row");
        self.batch.set_limit(limit);
    }

    /// Whether a row with this first column may be among the smallest. False is certain.
    #[inline]
    pub fn may_admit(&self, first: ValueRef<'_>) -> bool {
        self.batch.may_admit(first)
    }

    /// Adds a row; its first columns are the key.
    #[inline]
    pub fn insert(&mut self, row: &[ValueRef<'_>], host: &dyn Host) -> Result<(), Error> {
        debug_assert!(matches!(self.reading, Reading::Not), "a row comes after the first was read");
        let Some(prefix) = self.batch.admits(row) else {
            return Ok(());
        };
        let record = self.builder.try_build(row)?;
        self.batch.reserve(record.len())?;
        self.batch.push(prefix, record);
        if self.batch.bytes() > self.budget { self.spill(host) } else { Ok(()) }
    }

    #[cold]
    fn spill(&mut self, host: &dyn Host) -> Result<(), Error> {
        self.batch.sort()?;
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(RunFile::new(host.temporary_file()?)),
        };
        assert!(!self.batch.is_empty(), "a run has rows");
        runs.write_run(self.batch.rows())?;
        let spilled = &host.state().temporary_spilled;
        spilled.set(spilled.get() + self.batch.bytes() as u64);
        self.batch.clear();
        Ok(())
    }

    /// Sorts and goes to the first row; false if there is none.
    pub fn sort(&mut self, host: &dyn Host) -> Result<bool, Error> {
        if self.runs.is_none() {
            self.batch.sort()?;
            self.reading = Reading::Batch(0);
            return Ok(self.batch.row(0).is_some());
        }
        if !self.batch.is_empty() {
            self.spill(host)?;
        }
        let runs = self.runs.take().expect("checked above");
        let merge = Merge::new(runs, &self.key, || host.temporary_file())?;
        let found = merge.row().is_some();
        self.reading = Reading::Merge(Box::new(merge));
        Ok(found)
    }

    /// Goes to the next row; false if there is none.
    #[inline]
    pub fn next(&mut self) -> Result<bool, Error> {
        match &mut self.reading {
            Reading::Batch(at) => {
                *at += 1;
                Ok(self.batch.row(*at).is_some())
            }
            Reading::Merge(merge) => merge.next(),
            Reading::Not => Ok(false),
        }
    }

    /// The record under the cursor.
    #[inline]
    pub fn row(&self) -> Option<Stored<'_>> {
        match &self.reading {
            Reading::Batch(at) => self.batch.row(*at),
            Reading::Merge(merge) => merge.row().map(Stored::from),
            Reading::Not => None,
        }
    }
}

/// A sorter as a cursor: with the columns of its current row.
#[derive(Debug)]
pub struct SorterCursor {
    /// The sorter.
    pub sorter: Sorter,
    view: RecordView,
    is_null_row: bool,
    /// The sorter has moved on already to the row that `next` is to find.
    is_ahead: bool,
    /// The next value of Sequence.
    pub sequence: i64,
}

impl SorterCursor {
    /// A cursor on an empty sorter.
    pub fn new(sorter: Sorter) -> SorterCursor {
        SorterCursor { sorter, view: RecordView::default(), is_null_row: false, is_ahead: false, sequence: 0 }
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.forget_row();
        self.sorter.clear();
    }

    /// Sorts and goes to the first row.
    pub fn sort(&mut self, host: &dyn Host) -> Result<bool, Error> {
        self.forget_row();
        self.is_ahead = false;
        self.sorter.sort(host)
    }

    /// Goes to the next row.
    #[inline]
    pub fn next(&mut self) -> Result<bool, Error> {
        self.forget_row();
        if std::mem::take(&mut self.is_ahead) { Ok(self.sorter.row().is_some()) } else { self.sorter.next() }
    }

    /// Moves on before [`SorterCursor::next`] is called, which does not move then.
    #[inline]
    fn move_ahead(&mut self) -> Result<(), Error> {
        self.is_ahead = true;
        self.sorter.next().map(drop)
    }

    #[inline]
    fn forget_row(&mut self) {
        self.view.forget();
        self.is_null_row = false;
    }

    /// Every column is NULL until the next move.
    pub fn set_null_row(&mut self) {
        self.is_null_row = true;
    }

    /// Whether every column is NULL.
    pub fn is_null_row(&self) -> bool {
        self.is_null_row
    }

    /// A column of the row, if it can be located without the view. `None`: the caller must use
    /// [`SorterCursor::column`].
    #[inline]
    pub fn value_in_place(&mut self, column: usize) -> Option<ValueRef<'_>> {
        if self.is_null_row {
            return None;
        }
        self.view.value_in_place(self.sorter.row()?, column)
    }

    /// Puts a column of the row into a register; false if the row has fewer columns.
    #[inline]
    pub fn column(&mut self, column: usize, dst: &mut Register) -> Result<bool, Error> {
        match self.sorter.row() {
            Some(record) if !self.is_null_row => self.view.column(record, column, dst),
            _ => {
                dst.set_null();
                Ok(true)
            }
        }
    }
}

/// The rows behind the current one, as entries of an index that has their order.
impl SortedEntries for SorterCursor {
    type Error = Error;

    fn entry(&mut self) -> Result<Option<(i64, &[u8])>, Error> {
        if !self.is_ahead {
            self.move_ahead()?;
        }
        Ok(self.sorter.row().map(|row| (0, row.bytes())))
    }

    fn advance(&mut self) -> Result<(), Error> {
        self.move_ahead()
    }
}

#[cfg(test)]
mod tests;
