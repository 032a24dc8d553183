//! Reading columns of records that are in memory: sorted rows, temporary tables, hash tables.

use lithe_format::cell::PayloadSpan;
use lithe_format::record::{Located, View};
use lithe_value::ValueRef;

use crate::arena::Stored;
use crate::error::Error;
use crate::register::Register;
use crate::row::columns::{self, Columns};

/// The columns of the current record, located as far as they were read.
#[derive(Debug, Default)]
pub struct RecordView {
    columns: Columns,
    view: View,
    /// `columns` are those of the current record.
    is_read: bool,
    /// `view` is that of the current record.
    has_view: bool,
}

impl RecordView {
    /// Drops the state of the record, because the next access is to another one.
    #[inline]
    pub fn forget(&mut self) {
        self.is_read = false;
        self.has_view = false;
    }

    /// Column `column` of the record, if it can be located without the view. `None`: the caller must use
    /// [`RecordView::value`].
    #[inline]
    pub fn value_in_place<'a>(&mut self, record: Stored<'a>, column: usize) -> Option<ValueRef<'a>> {
        if !self.is_read {
            let len = record.span.len() as u32;
            self.columns.find(record.block, PayloadSpan { at: record.span.start(), local: len, len });
            self.is_read = true;
        }
        let (serial, at) = self.columns.get(column)?;
        columns::value(record.block, serial, at)
    }

    /// Column `column` of the record; `None` if it has fewer.
    #[inline]
    pub fn value<'a>(&mut self, record: Stored<'a>, column: usize) -> Result<Option<ValueRef<'a>>, Error> {
        match self.value_in_place(record, column) {
            Some(value) => Ok(Some(value)),
            None => self.value_by_view(record.bytes(), column),
        }
    }

    #[inline(never)]
    fn value_by_view<'a>(&mut self, record: &'a [u8], column: usize) -> Result<Option<ValueRef<'a>>, Error> {
        self.columns.locate_up_to(column);
        if !self.has_view {
            self.view.reset(record.len() as u32);
            self.has_view = true;
        }
        match self.view.locate(record, column)? {
            Located::At(column) => Ok(Some(column.value(record).unwrap_or_default())),
            Located::Absent | Located::NeedsBytes(_) => Ok(None),
        }
    }

    /// Puts column `column` into a register; false if the record has fewer columns.
    #[inline]
    pub fn column(&mut self, record: Stored<'_>, column: usize, dst: &mut Register) -> Result<bool, Error> {
        let value = self.value(record, column)?;
        if let Some(value) = value {
            dst.reserve(value.bytes().map_or(0, <[u8]>::len))?;
            dst.set(value);
        }
        Ok(value.is_some())
    }
}
